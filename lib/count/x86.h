/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bits of PerfEvtSel that choose an event, beside its number and unit mask. */
#ifndef COUNT_X86_H
#define COUNT_X86_H

#define X86_EDGE	(1ULL << 18)
#define X86_ANY		(1ULL << 21)	/* thread */
#define X86_INV		(1ULL << 23)
#define X86_CMASK_SHIFT	24
#define X86_CMASK_MAX	0xff

#endif /* COUNT_X86_H */
