// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the generator of randomised sampling periods (3.4.2).
 *
 * The generator is not one of the kernel's generators because the series must follow from
 * the seed alone and be the same on every machine and release, so that a
 * measurement can be repeated; quality matters little. It is the minimal
 * standard generator of Park and Miller, which the specification knows from
 * Carta, "Two fast implementations of the minimal standard random number
 * generator", CACM 33(1), 1990.
 */
#include "pfm.h"

#define PFM_RANDOM_A	16807U
#define PFM_RANDOM_M	0x7fffffffU	/* 2^31 - 1, a prime */

/**
 * pfm_random_seed() - turn any seed into a state
 * @seed: any value
 *
 * 0 is the fixed point of the generator, so a seed that is a multiple of the
 * modulus becomes 1.
 *
 * Context: any.
 * Return: a state for pfm_random_next(), 1 to 2^31 - 2.
 */
u32 pfm_random_seed(u32 seed)
{
	return seed % PFM_RANDOM_M ?: 1;
}

/* Carta: multiply to 46 bits, then add the halves instead of dividing. */
static u32 pfm_random_step(u32 state)
{
	u64 product = (u64)state * PFM_RANDOM_A;
	u32 next = (product & PFM_RANDOM_M) + (product >> 31);

	return (next & PFM_RANDOM_M) + (next >> 31);
}

/**
 * pfm_random_next() - the next value of a series
 * @state: of one PMD
 * @mask:  bits of the value that vary
 *
 * A value has 31 bits; a mask with higher bits takes two of the series, the
 * first for bits 0-30, the second for bits 31-61.
 *
 * Context: any, NMI too.
 * Return: a value within @mask.
 */
u64 pfm_random_next(u32 *state, u64 mask)
{
	u64 value;

	*state = pfm_random_step(*state);
	value = *state;
	if (mask > PFM_RANDOM_M) {
		*state = pfm_random_step(*state);
		value |= (u64)*state << 31;
	}
	return value & mask;
}
