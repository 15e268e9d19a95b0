// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine for the bench's IA-64 CPUs: memory, a serial port, a register that ends it
 *
 * An ELF file is loaded at its physical addresses, and its entry is where the CPU starts,
 * with physical addresses and psr.ic = 0.
 */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "elf.h"
#include "exec/address-spaces.h"
#include "hw/boards.h"
#include "hw/char/serial.h"
#include "hw/loader.h"
#include "sysemu/reset.h"
#include "sysemu/runstate.h"
#include "sysemu/sysemu.h"
#include "target/ia64/cpu.h"

#define UART_BASE       0xff5e0000
#define EXIT_BASE       0xff5f0000
#define MAX_RAM         (3 * GiB)

typedef struct Board {
    MemoryRegion exit;
    IA64CPU *cpu;
    uint64_t entry;
} Board;

static uint64_t exit_read(void *opaque, hwaddr address, unsigned size)
{
    return 0;
}

/* As isa-debug-exit has it: 0 ends QEMU with 1, 1 with 3 */
static void exit_write(void *opaque, hwaddr address, uint64_t val, unsigned size)
{
    exit(val << 1 | 1);
}

static const MemoryRegionOps exit_ops = {
    .read = exit_read,
    .write = exit_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
};

static void board_reset(void *opaque)
{
    Board *board = opaque;

    cpu_reset(CPU(board->cpu));
    cpu_set_pc(CPU(board->cpu), board->entry);
}

static void board_init(MachineState *machine)
{
    Board *board = g_new0(Board, 1);

    if (machine->ram_size > MAX_RAM) {
        error_report("no more than 3 GiB of memory: devices come after it");
        exit(1);
    }
    board->cpu = IA64_CPU(cpu_create(machine->cpu_type));
    memory_region_add_subregion(get_system_memory(), 0, machine->ram);
    serial_mm_init(get_system_memory(), UART_BASE, 0, NULL, 115200, serial_hd(0),
                   DEVICE_LITTLE_ENDIAN);
    memory_region_init_io(&board->exit, NULL, &exit_ops, board, "ia64.exit", 4);
    memory_region_add_subregion(get_system_memory(), EXIT_BASE, &board->exit);
    if (!machine->kernel_filename ||
        load_elf(machine->kernel_filename, NULL, NULL, NULL, &board->entry, NULL, NULL, NULL,
                 0, EM_IA_64, 0, 0) < 0) {
        error_report("-kernel needs an ELF file for IA-64");
        exit(1);
    }
    qemu_register_reset(board_reset, board);
}

static void board_machine_init(MachineClass *mc)
{
    mc->desc = "IA-64 of the bench";
    mc->init = board_init;
    mc->max_cpus = 1;
    mc->is_default = true;
    mc->default_cpu_type = "itanium2-" TYPE_IA64_CPU;
    mc->default_ram_size = 256 * MiB;
    mc->default_ram_id = "ia64.ram";
}

DEFINE_MACHINE("bench", board_machine_init)
