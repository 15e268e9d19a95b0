// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine for the bench's IA-64 CPUs: memory, a serial port, interrupts, a register that ends it
 *
 * An ELF file is loaded at its physical addresses, and its entry is where the first CPU starts,
 * with physical addresses, psr.ic = 0, and what firmware.c hands it. The others start when they get
 * an interrupt. There is no bus whose devices could be found: virtio's transports are where
 * Linux's command line says.
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
#include "hw/qdev-properties.h"
#include "hw/sysbus.h"
#include "sysemu/reset.h"
#include "sysemu/runstate.h"
#include "sysemu/sysemu.h"
#include "target/ia64/cpu.h"
#include "board.h"
#include "firmware.h"

#define IPI_SIZE        (2 * MiB)
#define IPI_CPUS        (1 * MiB)       /* the part that is addresses of CPUs */
#define UART_BASE       0xff5e0000
#define UART_LINE       4
#define EXIT_BASE       0xff5f0000
#define VIRTIO_BASE     0xff600000
#define VIRTIO_SIZE     0x200
#define MIN_RAM         (64 * MiB)
#define MAX_RAM         (3 * GiB)
/* The initial ram disk begins with a page of Linux's. */
#define INITRD_ALIGN    (16 * KiB)

/* Lines of virtio's transports: those of a PC that are nobody's here */
static const int virtio_lines[] = { 5, 6, 7, 9, 10, 11, 12, 15 };

/* There is one. */
static struct {
    MemoryRegion exit, ipi, ports;
} board;

/* How an interrupt is delivered */
enum { MODE_INT = 0, MODE_NMI = 4, MODE_EXTINT = 7 };

static void wake(CPUState *cs, run_on_cpu_data data)
{
    cpu_reset(cs);
    firmware_start(cs);
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

/* Ports: no device has any, but drivers look for some. */
static uint64_t port_read(void *opaque, hwaddr address, unsigned size)
{
    return -1;
}

static void port_write(void *opaque, hwaddr address, uint64_t val, unsigned size)
{
}

static const MemoryRegionOps port_ops = {
    .read = port_read,
    .write = port_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 8 },
};

static void board_reset(void *opaque)
{
    CPUState *cs = opaque;

    if (cs == first_cpu) {
        firmware_reset();
    }
    cpu_reset(cs);
    firmware_start(cs);
    IA64_CPU(cs)->parked = cs != first_cpu;
    cs->halted = cs != first_cpu;
}

static void add_region(MemoryRegion *region, const MemoryRegionOps *ops, const char *name,
                       hwaddr base, uint64_t size)
{
    memory_region_init_io(region, NULL, ops, NULL, name, size);
    memory_region_add_subregion(get_system_memory(), base, region);
}

/*
 * add_virtio: transports of the present version. A device gets the one that was made last: that is to
 * be the first.
 */
static void add_virtio(qemu_irq *lines)
{
    DeviceState *dev;
    int i;

    for (i = ARRAY_SIZE(virtio_lines); i-- > 0;) {
        dev = qdev_new("virtio-mmio");
        qdev_prop_set_bit(dev, "force-legacy", false);
        sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
        sysbus_mmio_map(SYS_BUS_DEVICE(dev), 0, VIRTIO_BASE + i * VIRTIO_SIZE);
        sysbus_connect_irq(SYS_BUS_DEVICE(dev), 0, lines[virtio_lines[i]]);
    }
}

/* load_initrd: at the end of memory; it must not reach down to @kernel_end */
static void load_initrd(const char *name, uint64_t kernel_end, FirmwareInfo *info)
{
    int64_t size = get_image_size(name);

    if (size > 0 && size < info->ram_size) {
        info->initrd = QEMU_ALIGN_DOWN(info->ram_size - size, INITRD_ALIGN);
        info->initrd_size = size;
    }
    if (info->initrd < kernel_end ||
        load_image_targphys(name, info->initrd, info->ram_size - info->initrd) != size) {
        error_report("%s is no initial ram disk that fits", name);
        exit(1);
    }
}

static void load_kernel(MachineState *machine)
{
    FirmwareInfo info = {
        .ram_size = machine->ram_size,
        .command_line = machine->kernel_cmdline ?: "",
        .cpus = machine->smp.cpus,
    };
    uint64_t end = 0;

    if (!machine->kernel_filename ||
        load_elf(machine->kernel_filename, NULL, NULL, NULL, &info.entry, NULL, &end, NULL,
                 0, EM_IA_64, 0, 0) < 0) {
        error_report("-kernel needs an ELF file for IA-64");
        exit(1);
    }
    if (machine->initrd_filename) {
        load_initrd(machine->initrd_filename, end, &info);
    }
    firmware_init(&info);
}

static void board_init(MachineState *machine)
{
    qemu_irq *lines;
    int i;

    if (machine->ram_size < MIN_RAM || machine->ram_size > MAX_RAM) {
        error_report("from 64 MiB of memory to 3 GiB, behind which devices come");
        exit(1);
    }
    for (i = 0; i < machine->smp.cpus; i++) {
        qemu_register_reset(board_reset, cpu_create(machine->cpu_type));
    }
    lines = board_iosapic(IOSAPIC_BASE);
    memory_region_add_subregion(get_system_memory(), 0, machine->ram);
    serial_mm_init(get_system_memory(), UART_BASE, 0, lines[UART_LINE], 115200, serial_hd(0),
                   DEVICE_LITTLE_ENDIAN);
    add_virtio(lines);
    add_region(&board.ipi, &ipi_ops, "ia64.ipi", IPI_BASE, IPI_SIZE);
    add_region(&board.exit, &exit_ops, "ia64.exit", EXIT_BASE, 4);
    add_region(&board.ports, &port_ops, "ia64.ports", PORTS_BASE, PORTS_SIZE);
    load_kernel(machine);
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
