/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bench's IA-64 machine: firmware, where it is in memory and what its files have of each other
 */
#ifndef IA64_FIRMWARE_H
#define IA64_FIRMWARE_H

#include "exec/hwaddr.h"
#include "hw/core/cpu.h"

/*
 * All of it is in the first 16 MB, which Linux does not use where a part of them is not memory
 * that is free. Physical addresses.
 */
#define FIRMWARE_BASE   GATES
#define GATES           0x100000    /* code: an entry of each procedure */
#define GATES_END       0x140000
#define TABLES          0x200000    /* what the kernel is handed, and EFI's and SAL's tables */
#define BACKING_STORES  0x2f0000    /* of the register stacks with which CPUs start */
#define TABLES_END      0x300000
#define ACPI_TABLES     0x300000
#define ACPI_END        0x310000
#define FIRMWARE_END    ACPI_END
#define FREE_MEMORY     0x1000000

#define BOOT_PARAMETERS TABLES
#define BACKING_STORE   0x2000      /* bytes of each CPU */

/*
 * A gate is two bundles: break.m with a number that says which it is, and br.ret; and br.cond to b0, by
 * which static PAL procedures return.
 */
#define GATE_SIZE       32
#define GATE_BREAK      0x1f0000    /* and the gate's number */

enum {
    GATE_PAL,
    GATE_SAL,
    GATE_AP_RETURN,                 /* where a CPU that SAL has started comes back to */
    GATE_EFI,                       /* and one for each of these: */
    NR_GATES = GATE_EFI + 14,
};

/* Runtime services in the order of EFI's table, of which these are more than an error */
enum { EFI_GET_TIME = 0, EFI_SET_VIRTUAL_ADDRESS_MAP = 4, EFI_RESET_SYSTEM = 10, EFI_SERVICES = 14 };

/* Memory descriptors: EFI specification 1.10, 5.2 */
#define EFI_DESCRIPTOR_SIZE     40
#define EFI_DESCRIPTOR_VERSION  1
#define EFI_RUNTIME             (1ull << 63)

static inline hwaddr gate_address(int gate)
{
    return GATES + gate * GATE_SIZE;
}

/* What a kernel is told */
typedef struct FirmwareInfo {
    uint64_t entry;                 /* where it starts */
    uint64_t ram_size;
    uint64_t initrd, initrd_size;
    const char *command_line;
    int cpus;
} FirmwareInfo;

/* The physical addresses of devices that are in tables */
#define IOSAPIC_BASE    0xfec00000
#define IPI_BASE        0xfee00000
#define PORTS_BASE      0xffffc000000ull
#define PORTS_SIZE      0x4000000
#define WAKE_VECTOR     0xff        /* an interrupt that starts a CPU, as SAL's table says */

/* firmware.c */
void firmware_init(const FirmwareInfo *info);
void firmware_reset(void);
void firmware_start(CPUState *cs);

/* tables.c */
void tables_init(const FirmwareInfo *info);
void tables_put_efi(uint64_t gates, uint64_t tables);

#endif
