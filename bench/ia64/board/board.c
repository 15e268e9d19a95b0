// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine for the bench's IA-64 CPUs: memory, a serial port, interrupts, a register that ends it
 *
 * An ELF file is loaded at its physical addresses, and its entry is where the first CPU starts,
 * with physical addresses and psr.ic = 0. The others do so when they get an interrupt.
 */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
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
#include "board.h"

#define IOSAPIC_BASE    0xfec00000
#define IPI_BASE        0xfee00000
#define IPI_SIZE        (2 * MiB)
#define IPI_CPUS        (1 * MiB)       /* the part that is addresses of CPUs */
#define UART_BASE       0xff5e0000
#define UART_LINE       4
#define EXIT_BASE       0xff5f0000
#define MAX_RAM         (3 * GiB)

/* There is one. */
static struct {
    MemoryRegion exit, ipi;
    uint64_t entry;
} board;

/* How an interrupt is delivered */
enum { MODE_INT = 0, MODE_NMI = 4, MODE_EXTINT = 7 };

static void wake(CPUState *cs, run_on_cpu_data data)
{
    cpu_reset(cs);
    cpu_set_pc(cs, board.entry);
}

void board_interrupt(uint32_t id, uint32_t eid, uint32_t mode, uint32_t vector)
{
    CPUState *cs = eid ? NULL : qemu_get_cpu(id);

    if (!cs) {
        return;
    }
    switch (mode) {
    case MODE_INT:
        break;
    case MODE_NMI:
        vector = 2;
        break;
    case MODE_EXTINT:
        vector = 0;
        break;
    default:
        qemu_log_mask(LOG_UNIMP, "ia64: an interrupt of mode %u\n", mode);
        return;
    }
    if (IA64_CPU(cs)->parked) {
        /* That has been its use. */
        IA64_CPU(cs)->parked = false;
        async_run_on_cpu(cs, wake, RUN_ON_CPU_NULL);
    } else {
        ia64_pend(IA64_CPU(cs), vector);
    }
}

static uint64_t ipi_read(void *opaque, hwaddr address, unsigned size)
{
    return 0;
}

/* Behind the CPUs' addresses there is what we have no use for. */
static void ipi_write(void *opaque, hwaddr address, uint64_t val, unsigned size)
{
    if (address < IPI_CPUS && size == 8) {
        board_interrupt(extract64(address, 12, 8), extract64(address, 4, 8),
                        extract64(val, 8, 3), val & 0xff);
    }
}

static const MemoryRegionOps ipi_ops = {
    .read = ipi_read,
    .write = ipi_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 8 },
};

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
    CPUState *cs = opaque;

    cpu_reset(cs);
    cpu_set_pc(cs, board.entry);
    IA64_CPU(cs)->parked = cs != first_cpu;
    cs->halted = cs != first_cpu;
}

static void board_init(MachineState *machine)
{
    qemu_irq *lines;
    int i;

    if (machine->ram_size > MAX_RAM) {
        error_report("no more than 3 GiB of memory: devices come after it");
        exit(1);
    }
    for (i = 0; i < machine->smp.cpus; i++) {
        qemu_register_reset(board_reset, cpu_create(machine->cpu_type));
    }
    lines = board_iosapic(IOSAPIC_BASE);
    memory_region_add_subregion(get_system_memory(), 0, machine->ram);
    serial_mm_init(get_system_memory(), UART_BASE, 0, lines[UART_LINE], 115200, serial_hd(0),
                   DEVICE_LITTLE_ENDIAN);
    memory_region_init_io(&board.ipi, NULL, &ipi_ops, NULL, "ia64.ipi", IPI_SIZE);
    memory_region_add_subregion(get_system_memory(), IPI_BASE, &board.ipi);
    memory_region_init_io(&board.exit, NULL, &exit_ops, NULL, "ia64.exit", 4);
    memory_region_add_subregion(get_system_memory(), EXIT_BASE, &board.exit);
    if (!machine->kernel_filename ||
        load_elf(machine->kernel_filename, NULL, NULL, NULL, &board.entry, NULL, NULL, NULL,
                 0, EM_IA_64, 0, 0) < 0) {
        error_report("-kernel needs an ELF file for IA-64");
        exit(1);
    }
}

static void board_machine_init(MachineClass *mc)
{
    mc->desc = "IA-64 of the bench";
    mc->init = board_init;
    mc->max_cpus = 8;
    mc->is_default = true;
    mc->default_cpu_type = "itanium2-" TYPE_IA64_CPU;
    mc->default_ram_size = 256 * MiB;
    mc->default_ram_id = "ia64.ram";
}

DEFINE_MACHINE("bench", board_machine_init)
