// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the firmware of the bench's IA-64 machine has in memory when a kernel starts
 *
 * Code, that is the gates; the boot parameters; EFI's tables with the memory map; SAL's table; ACPI's. A
 * reset puts all of it there again, as it does with the kernel.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/cutils.h"
#include "qemu/uuid.h"
#include "exec/address-spaces.h"
#include "hw/loader.h"
#include <zlib.h>
#include "firmware.h"

/* Where the tables are; EFI's, which change when the kernel sets virtual addresses, in a piece. */
#define COMMAND_LINE        (TABLES + 0x1000)
#define COMMAND_LINE_SIZE   0x1000
#define MEMORY_MAP          (TABLES + 0x2000)
#define SYSTEM_TABLE        (TABLES + 0x3000)
#define RUNTIME_TABLE       (SYSTEM_TABLE + 0x100)
#define DESCRIPTORS         (SYSTEM_TABLE + 0x200)  /* of functions: address, gp */
#define VENDOR              (SYSTEM_TABLE + 0x300)
#define CONFIGURATION       (SYSTEM_TABLE + 0x400)
#define EFI_TABLES_END      (SYSTEM_TABLE + 0x500)
#define SAL_TABLE           (TABLES + 0x4000)
#define GLOBALS             (TABLES + 0x5000)       /* what gp is for our code, which has none */

#define RSDP                ACPI_TABLES
#define XSDT                (ACPI_TABLES + 0x100)
#define FADT                (ACPI_TABLES + 0x200)
#define DSDT                (ACPI_TABLES + 0x400)
#define MADT                (ACPI_TABLES + 0x500)

/* EFI specification 1.10, 4.3, 4.5 */
#define EFI_SYSTEM_SIGNATURE    0x5453595320494249ull   /* "IBI SYST" */
#define EFI_RUNTIME_SIGNATURE   0x56524553544e5552ull   /* "RUNTSERV" */
#define EFI_REVISION            (1 << 16 | 2)
#define EFI_HEADER_SIZE         24
#define EFI_SYSTEM_SIZE         120
#define EFI_RUNTIME_SIZE        (EFI_HEADER_SIZE + 8 * EFI_SERVICES)
#define EFI_CRC                 16                      /* where a header has it */

#define EFI_UC                  1ull
#define EFI_WB                  8ull

enum { EFI_RESERVED = 0, EFI_RUNTIME_DATA = 6, EFI_CONVENTIONAL = 7, EFI_ACPI_RECLAIM = 9,
       EFI_PORT_SPACE = 12, EFI_PAL_CODE = 13 };

/* SAL specification, revision 3.0, 3.2 */
enum { SAL_ENTRY_POINTS = 0, SAL_FEATURES = 2, SAL_AP_WAKE_UP = 5 };
#define SAL_ITC_DRIFT           8

static uint8_t image[FIRMWARE_END - FIRMWARE_BASE];

static void *at(hwaddr address)
{
    return image + (address - FIRMWARE_BASE);
}

/* sum8: what makes the sum of all @size bytes 0 */
static uint8_t sum8(const uint8_t *p, size_t size)
{
    uint8_t sum = 0;

    while (size--) {
        sum += *p++;
    }
    return -sum;
}

/*
 * Gates
 */

/* bundle: of template MIB, with a stop at its end */
static void bundle(hwaddr address, uint64_t m, uint64_t i, uint64_t b)
{
    const int template = 0x11;

    stq_le_p(at(address), template | m << 5 | i << 46);
    stq_le_p(at(address + 8), i >> 18 | b << 23);
}

static void build_gates(void)
{
    const uint64_t nop = 1ull << 27, br_cond_b0 = 0x20ull << 27, br_ret_b0 = 0x21ull << 27 | 4 << 6;
    uint64_t imm;
    int i;

    for (i = 0; i < NR_GATES; i++) {
        imm = GATE_BREAK + i;
        bundle(gate_address(i), (imm & 0xfffff) << 6 | imm >> 20 << 36, nop, br_ret_b0);
        bundle(gate_address(i) + 16, nop, nop, br_cond_b0);
    }
}

/*
 * EFI
 */

/* memory: a descriptor at @p; @return the next one's place */
static uint8_t *memory(uint8_t *p, uint32_t type, uint64_t start, uint64_t end, uint64_t attribute)
{
    stl_le_p(p, type);
    stq_le_p(p + 8, start);
    stq_le_p(p + 24, (end - start) >> 12);
    stq_le_p(p + 32, attribute);
    return p + EFI_DESCRIPTOR_SIZE;
}

/* build_memory_map: the size of it, in bytes */
static size_t build_memory_map(uint64_t ram_size)
{
    uint8_t *p = at(MEMORY_MAP);

    p = memory(p, EFI_RESERVED, 0, GATES, EFI_WB);
    p = memory(p, EFI_PAL_CODE, GATES, GATES_END, EFI_WB | EFI_RUNTIME);
    p = memory(p, EFI_RESERVED, GATES_END, TABLES, EFI_WB);
    p = memory(p, EFI_RUNTIME_DATA, TABLES, TABLES_END, EFI_WB | EFI_RUNTIME);
    p = memory(p, EFI_ACPI_RECLAIM, ACPI_TABLES, ACPI_END, EFI_WB);
    p = memory(p, EFI_RESERVED, ACPI_END, FREE_MEMORY, EFI_WB);
    /* Were it UC, too, Linux would give what is left of a granule to another allocator. */
    p = memory(p, EFI_CONVENTIONAL, FREE_MEMORY, ram_size, EFI_WB);
    p = memory(p, EFI_PORT_SPACE, PORTS_BASE, PORTS_BASE + PORTS_SIZE, EFI_UC);
    return p - (uint8_t *)at(MEMORY_MAP);
}

static void efi_header(hwaddr table, uint64_t signature, uint32_t size)
{
    stq_le_p(at(table), signature);
    stl_le_p(at(table + 8), EFI_REVISION);
    stl_le_p(at(table + 12), size);
}

static void efi_crc(hwaddr table, uint32_t size)
{
    stl_le_p(at(table + EFI_CRC), 0);
    stl_le_p(at(table + EFI_CRC), crc32(0, at(table), size));
}

/**
 * tables_put_efi - have EFI's tables tell addresses of a kernel
 * @gates: where the kernel has what is physically from GATES on
 * @tables: likewise, TABLES
 *
 * Context: a CPU's thread, or that of QEMU's main loop before CPUs run. What is written is in
 * the machine's memory, and no part of what a reset brings back.
 */
void tables_put_efi(uint64_t gates, uint64_t tables)
{
    int i;

    for (i = 0; i < EFI_SERVICES; i++) {
        stq_le_p(at(DESCRIPTORS + 16 * i), gates + gate_address(GATE_EFI + i) - GATES);
        stq_le_p(at(DESCRIPTORS + 16 * i + 8), tables + GLOBALS - TABLES);
        stq_le_p(at(RUNTIME_TABLE + EFI_HEADER_SIZE + 8 * i),
                 tables + DESCRIPTORS + 16 * i - TABLES);
    }
    efi_crc(RUNTIME_TABLE, EFI_RUNTIME_SIZE);
    stq_le_p(at(SYSTEM_TABLE + 24), tables + VENDOR - TABLES);
    stq_le_p(at(SYSTEM_TABLE + 88), tables + RUNTIME_TABLE - TABLES);
    stq_le_p(at(SYSTEM_TABLE + 112), tables + CONFIGURATION - TABLES);
    efi_crc(SYSTEM_TABLE, EFI_SYSTEM_SIZE);
    address_space_write(&address_space_memory, SYSTEM_TABLE, MEMTXATTRS_UNSPECIFIED,
                        at(SYSTEM_TABLE), EFI_TABLES_END - SYSTEM_TABLE);
}

static void build_efi(void)
{
    static const uint8_t guids[][16] = {
        UUID_LE(0xeb9d2d32, 0x2d88, 0x11d3, 0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d),
        UUID_LE(0x8868e871, 0xe4f1, 0x11d3, 0xbc, 0x22, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81),
    };
    static const hwaddr tables[] = { SAL_TABLE, RSDP };
    const char *vendor = "perfmon2";
    int i;

    efi_header(SYSTEM_TABLE, EFI_SYSTEM_SIGNATURE, EFI_SYSTEM_SIZE);
    stl_le_p(at(SYSTEM_TABLE + 32), 1);
    stq_le_p(at(SYSTEM_TABLE + 104), ARRAY_SIZE(tables));
    efi_header(RUNTIME_TABLE, EFI_RUNTIME_SIGNATURE, EFI_RUNTIME_SIZE);
    for (i = 0; vendor[i]; i++) {
        stw_le_p(at(VENDOR + 2 * i), vendor[i]);
    }
    for (i = 0; i < ARRAY_SIZE(tables); i++) {
        memcpy(at(CONFIGURATION + 24 * i), guids[i], 16);
        stq_le_p(at(CONFIGURATION + 24 * i + 16), tables[i]);
    }
    tables_put_efi(GATES, TABLES);
}

/* build_parameters: struct ia64_boot_param of Linux (asm/setup.h), which r28 points to */
static void build_parameters(const FirmwareInfo *info)
{
    uint8_t *p = at(BOOT_PARAMETERS);

    pstrcpy(at(COMMAND_LINE), COMMAND_LINE_SIZE, info->command_line);
    stq_le_p(p, COMMAND_LINE);
    stq_le_p(p + 8, SYSTEM_TABLE);
    stq_le_p(p + 16, MEMORY_MAP);
    stq_le_p(p + 24, build_memory_map(info->ram_size));
    stq_le_p(p + 32, EFI_DESCRIPTOR_SIZE);
    stl_le_p(p + 40, EFI_DESCRIPTOR_VERSION);
    stw_le_p(p + 44, 80);           /* columns and rows of a screen */
    stw_le_p(p + 46, 25);
    stq_le_p(p + 64, info->initrd);
    stq_le_p(p + 72, info->initrd_size);
}

/*
 * SAL
 */

static void build_sal(void)
{
    uint8_t *table = at(SAL_TABLE), *p = table + 96;
    const int entries = 3;

    memcpy(table, "SST_", 4);
    table[9] = 3;                   /* revision 3.0 */
    stw_le_p(table + 10, entries);
    strpadcpy((char *)table + 24, 32, "perfmon2", 0);
    strpadcpy((char *)table + 56, 32, "bench", 0);

    p[0] = SAL_ENTRY_POINTS;
    stq_le_p(p + 8, gate_address(GATE_PAL));
    stq_le_p(p + 16, gate_address(GATE_SAL));
    stq_le_p(p + 24, GLOBALS);
    p += 48;
    /* Clocks do not drift; but a kernel that believes it does not set them, and so they stay one. */
    p[0] = SAL_FEATURES;
    p[1] = SAL_ITC_DRIFT;
    p += 16;
    p[0] = SAL_AP_WAKE_UP;
    p[1] = 0;                       /* by an interrupt */
    stq_le_p(p + 8, WAKE_VECTOR);
    p += 16;

    stl_le_p(table + 4, p - table);
    table[12] = sum8(table, p - table);
}

/*
 * ACPI, specification 5.0
 */

static void acpi_header(hwaddr table, const char *signature, int revision, uint32_t size)
{
    uint8_t *p = at(table);

    memcpy(p, signature, 4);
    stl_le_p(p + 4, size);
    p[8] = revision;
    memcpy(p + 10, "PERFMO", 6);
    memcpy(p + 16, "PERFMON2", 8);
    stl_le_p(p + 24, 1);
    memcpy(p + 28, "PFM2", 4);
    stl_le_p(p + 32, 1);
    p[9] = sum8(p, size);
}

static void build_dsdt(void)
{
    /* Name (PERF, 0): some of Linux's messages are about tables that are empty. */
    static const uint8_t aml[] = { 0x08, 'P', 'E', 'R', 'F', 0x00 };

    memcpy(at(DSDT + 36), aml, sizeof(aml));
    acpi_header(DSDT, "DSDT", 2, 36 + sizeof(aml));
}

static void build_fadt(void)
{
    uint8_t *p = at(FADT);

    stl_le_p(p + 40, DSDT);
    stl_le_p(p + 112, 1 << 20);     /* HW_REDUCED_ACPI: no registers, no interrupt */
    stq_le_p(p + 140, DSDT);
    acpi_header(FADT, "FACP", 5, 268);
}

static void build_madt(int cpus)
{
    uint8_t *p = at(MADT + 44);
    int i;

    stl_le_p(at(MADT + 36), IPI_BASE);
    stl_le_p(at(MADT + 40), 1);     /* PCAT_COMPAT: lines 0 to 15 are those of a PC */
    for (i = 0; i < cpus; i++) {
        p[0] = 7;                   /* a local SAPIC */
        p[1] = 17;
        p[2] = p[3] = i;            /* the processor, and its id in cr.lid */
        p[8] = 1;                   /* it can be used */
        stl_le_p(p + 12, i);
        p += p[1];
    }
    p[0] = 6;                       /* an I/O SAPIC */
    p[1] = 16;
    stq_le_p(p + 8, IOSAPIC_BASE);
    p += p[1];
    acpi_header(MADT, "APIC", 3, p - (uint8_t *)at(MADT));
}

static void build_acpi(int cpus)
{
    uint8_t *p = at(RSDP);

    build_dsdt();
    build_fadt();
    build_madt(cpus);
    stq_le_p(at(XSDT + 36), FADT);
    stq_le_p(at(XSDT + 44), MADT);
    acpi_header(XSDT, "XSDT", 1, 52);

    memcpy(p, "RSD PTR ", 8);
    memcpy(p + 9, "PERFMO", 6);
    p[15] = 2;
    stl_le_p(p + 20, 36);
    stq_le_p(p + 24, XSDT);
    p[8] = sum8(p, 20);             /* of what revision 1 had */
    p[32] = sum8(p, 36);
}

/**
 * tables_init - have all of it in memory from the machine's next reset on
 * @info: what the kernel is to be told
 *
 * Context: when the machine is made, once.
 */
void tables_init(const FirmwareInfo *info)
{
    build_gates();
    build_parameters(info);
    build_efi();
    build_sal();
    build_acpi(info->cpus);
    rom_add_blob_fixed("ia64.firmware", image, sizeof(image), FIRMWARE_BASE);
}
