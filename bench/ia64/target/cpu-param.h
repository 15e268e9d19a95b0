/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IA-64: what QEMU has to know before anything else
 */
#ifndef IA64_CPU_PARAM_H
#define IA64_CPU_PARAM_H

#define TARGET_LONG_BITS 64
#define TARGET_PHYS_ADDR_SPACE_BITS 50
#define TARGET_VIRT_ADDR_SPACE_BITS 64
#define TARGET_PAGE_BITS 14
#define TARGET_INSN_START_EXTRA_WORDS 1
#define TCG_GUEST_DEFAULT_MO 0

/* What QEMU keeps of a page for us: both translations, as they were inserted; 0 if there is none */
#define TARGET_PAGE_ENTRY_EXTRA uint64_t code_pte, data_pte;

/* Four levels of virtual addresses, and physical ones */
#define NB_MMU_MODES 5

#endif
