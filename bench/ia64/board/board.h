/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bench's IA-64 machine: what its files have of each other
 */
#ifndef IA64_BOARD_H
#define IA64_BOARD_H

#include "exec/hwaddr.h"
#include "hw/irq.h"

/* board_interrupt: to the CPU with @id and @eid, as an address of the IPI block has them */
void board_interrupt(uint32_t id, uint32_t eid, uint32_t mode, uint32_t vector);

/* board_iosapic: one at @base; its lines */
qemu_irq *board_iosapic(hwaddr base);

#endif
