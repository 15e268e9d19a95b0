// SPDX-License-Identifier: GPL-2.0-only
/*
 * The register file: numbers, fields and conditions as the manuals have them (MPC7400
 * User's Manual, chapters 2 and 11; MPC7450 Family User's Manual, the same; IBM PowerPC
 * 604, chapters 2 and 9), bits by IBM's numbers, 0 being the highest. Nothing here is taken
 * from the descriptions. Not covered: instructions (mfspr, mtspr, isync), the interrupt
 * itself and reservation, which are the real machine's.
 */
#include <linux/sched.h>

#include "regfile.h"

#ifndef CONFIG_PPC_BOOK3S
/* Of glue.c, where there can be such a processor. */
const struct pfm_ppc_file *pfm_ppc_file;

int pfm_ppc_acquire(const struct pfm_pmu *pmu, unsigned int what)
{
	return -EBUSY;
}

void pfm_ppc_release(const struct pfm_pmu *pmu, unsigned int what)
{
}

void pfm_ppc_enable(void)
{
}

unsigned long pfm_ppc_mfspr(unsigned int spr)
{
	return 0;
}

void pfm_ppc_mtspr(unsigned int spr, unsigned long value)
{
}
#endif

/* Bits @first to @last of a register of 32. */
#define IBM(first, last)	((u32)GENMASK(31 - (first), 31 - (last)))
#define IBM_GET(value, first, last)	(((value) & IBM(first, last)) >> (31 - (last)))

#define MMCR2			944
#define MMCR0			952
#define MMCR1			956

static struct {
	u32 pmc[6];
	u32 mmcr0, mmcr1, mmcr2;
	u32 mmcr0_rsvd;
	unsigned int counters;
	bool has_mmcr2;
	unsigned int faults, writes;
} sprs;

unsigned int pfm_sprs_pmc(unsigned int n)
{
	static const u16 numbers[] = { 953, 954, 957, 958, 945, 946 };

	return numbers[n - 1];
}

static u32 *pfm_sprs_find(unsigned int spr)
{
	unsigned int n;

	for (n = 1; n <= sprs.counters; n++)
		if (spr == pfm_sprs_pmc(n))
			return &sprs.pmc[n - 1];
	if (spr == MMCR0)
		return &sprs.mmcr0;
	if (spr == MMCR1 && sprs.counters > 2)
		return &sprs.mmcr1;
	if (spr == MMCR2 && sprs.has_mmcr2)
		return &sprs.mmcr2;
	return NULL;
}

static bool pfm_sprs_negative(unsigned int n)
{
	return sprs.pmc[n - 1] & IBM(0, 0);
}

bool pfm_sprs_interrupts(void)
{
	unsigned int n;

	if (!(sprs.mmcr0 & IBM(5, 5)))
		return false;
	if (sprs.mmcr0 & IBM(16, 16) && pfm_sprs_negative(1))
		return true;
	for (n = 2; n <= sprs.counters; n++)
		if (sprs.mmcr0 & IBM(17, 17) && pfm_sprs_negative(n))
			return true;
	return false;
}

void pfm_sprs_signal(bool clears)
{
	if (clears)
		sprs.mmcr0 &= ~IBM(5, 5);
}

static u32 pfm_sprs_reserved(unsigned int spr)
{
	switch (spr) {
	case MMCR0:
		return sprs.mmcr0_rsvd;
	case MMCR1:
		return sprs.counters == 6 ? IBM(21, 31) : IBM(10, 31);
	case MMCR2:
		/* What other chips do by it, the kernel must not allow. */
		return IBM(1, 31);
	}
	return 0;
}

static unsigned long pfm_sprs_read(unsigned int spr)
{
	u32 *r = pfm_sprs_find(spr);

	if (r)
		return *r;
	sprs.faults++;
	return 0;
}

static void pfm_sprs_write(unsigned int spr, unsigned long value)
{
	u32 *r = pfm_sprs_find(spr);

	sprs.writes++;
	/* All but MMCR0 is written while nothing counts. */
	if (!r || value & pfm_sprs_reserved(spr) ||
	    (r != &sprs.mmcr0 && !(sprs.mmcr0 & IBM(0, 0)))) {
		sprs.faults++;
		return;
	}
	*r = value;
	/* At once: nothing has been counted. */
	if (pfm_sprs_interrupts())
		sprs.faults++;
}

static const struct pfm_ppc_file pfm_sprs_ops = {
	.read = pfm_sprs_read,
	.write = pfm_sprs_write,
};

int pfm_sprs_init(struct kunit *test)
{
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	pfm_ppc_file = &pfm_sprs_ops;
	return 0;
}

void pfm_sprs_exit(struct kunit *test)
{
	pfm_ppc_file = NULL;
}

void pfm_sprs_make(unsigned int counters, bool mmcr2, u32 mmcr0_rsvd)
{
	memset(&sprs, 0, sizeof(sprs));
	sprs.counters = counters;
	sprs.has_mmcr2 = mmcr2;
	sprs.mmcr0_rsvd = mmcr0_rsvd;
}

u32 pfm_sprs_get(unsigned int spr)
{
	u32 *r = pfm_sprs_find(spr);

	return r ? *r : 0;
}

void pfm_sprs_set(unsigned int spr, u32 value)
{
	u32 *r = pfm_sprs_find(spr);

	if (!WARN_ON(!r))
		*r = value;
}

u32 pfm_sprs_event(unsigned int n)
{
	if (sprs.mmcr0 & IBM(0, 0))
		return 0;
	switch (n) {
	case 1:
		return IBM_GET(sprs.mmcr0, 19, 25);
	case 2:
		return IBM_GET(sprs.mmcr0, 26, 31);
	case 3:
		return IBM_GET(sprs.mmcr1, 0, 4);
	case 4:
		return IBM_GET(sprs.mmcr1, 5, 9);
	case 5:
		return IBM_GET(sprs.mmcr1, 10, 14);
	case 6:
		return IBM_GET(sprs.mmcr1, 15, 20);
	}
	return 0;
}

void pfm_sprs_run(u32 events, bool supervisor)
{
	unsigned int n;

	if (sprs.mmcr0 & (supervisor ? IBM(1, 1) : IBM(2, 2)))
		return;
	for (n = 1; n <= sprs.counters; n++)
		if (pfm_sprs_event(n))
			sprs.pmc[n - 1] += events;
}

unsigned int pfm_sprs_faults(void)
{
	unsigned int n = sprs.faults;

	sprs.faults = 0;
	return n;
}

unsigned int pfm_sprs_writes(void)
{
	unsigned int n = sprs.writes;

	sprs.writes = 0;
	return n;
}
