// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on PowerPC: the instructions that reach the registers of the PMU. They have the
 * number of the register in them.
 */
#include <asm/reg.h>
#include <asm/synch.h>

#include "ppc.h"

#ifdef CONFIG_PPC64
#define SPRS(do)							\
	do(SPR64_MMCR0) do(SPR64_MMCR1) do(SPR64_MMCR2) do(SPR64_MMCR3)	\
	do(SPR64_MMCRA) do(SPR64_SIAR) do(SPR64_SDAR)			\
	do(SPR64_PMC(1)) do(SPR64_PMC(2)) do(SPR64_PMC(3)) do(SPR64_PMC(4)) \
	do(SPR64_PMC(5)) do(SPR64_PMC(6)) do(SPR64_PMC(7)) do(SPR64_PMC(8))
#else
#define SPRS(do)							\
	do(SPR_MMCR0) do(SPR_MMCR1) do(SPR_MMCR2)			\
	do(SPR_PMC1) do(SPR_PMC2) do(SPR_PMC3) do(SPR_PMC4)		\
	do(SPR_PMC5) do(SPR_PMC6)
#endif

#define GET(spr)	case spr: return mfspr(spr);
#define SET(spr)	case spr: mtspr(spr, value); break;

/**
 * pfm_ppc_mfspr() - read a register
 * @spr: SPR_..., or SPR64_... on 64 bits, which this processor has
 *
 * Context: any.
 * Return: its value.
 */
unsigned long pfm_ppc_mfspr(unsigned int spr)
{
	switch (spr) {
	SPRS(GET)
	}
	return 0;
}

/**
 * pfm_ppc_mtspr() - write a register
 * @spr:   as for pfm_ppc_mfspr()
 * @value: value
 *
 * What MMCR0 starts or stops has started or stopped on return.
 *
 * Context: interrupts off; or NMI.
 */
void pfm_ppc_mtspr(unsigned int spr, unsigned long value)
{
	switch (spr) {
	SPRS(SET)
	}
	if (spr == SPR_MMCR0 || spr == SPR64_MMCR0)
		isync();
}
