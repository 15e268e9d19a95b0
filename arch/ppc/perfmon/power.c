// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on PowerPC: POWER8 to POWER11. POWER11 has POWER10's PMU (Linux,
 * init_power11_pmu(); QEMU, which derives its model from POWER10's), HX-C2000 POWER8's (one
 * source: Linux, init_power8_pmu()).
 *
 * Six counters. Of the first four MMCR1 chooses the event, the last two have one each:
 * instructions and cycles, which stand still while the run latch is off, as it is in the
 * idle loop. MMCR2 says of each counter which levels it leaves out. PMCn is both for
 * counter n: in the lower 32 bits the event's code, as IBM's manuals and perf_events write
 * it, above them the levels.
 *
 * A counter that is not to count leaves out all levels: what its event field holds does
 * not matter then. So starting and stopping is MMCR0 alone.
 *
 * Programs could read the counters, those of other threads too, unless MMCR0[PMCC] is 1:
 * it is, while the PMU is ours. POWER10's PMCCEXT, which is 1 from boot on, says the same of
 * other registers than the counters. Random sampling (marked events), thresholds, the branch
 * history, event-based branches, and what qualifies events of caches are MMCRA's, MMCR3's and
 * other bits of MMCR1 and MMCR2: all 0.
 *
 * Power ISA 2.07 to 3.1, book III, chapter "Performance Monitor Facility"; IBM POWER8, 9 and
 * 10 Processor User's Manuals and Performance Monitoring Unit User's Guides; Linux,
 * arch/powerpc/perf/isa207-common.h.
 */
#include <linux/bitfield.h>
#include <linux/kernel.h>
#include <linux/percpu.h>

#include "ppc.h"

#define POWER_PMCC_NEITHER	BIT(18)		/* of MMCR0: programs neither read nor write */
#define POWER_PMCCEXT		BIT(9)
#define POWER_BHRB_DISABLE	BIT_ULL(37)	/* of MMCRA, POWER10: no branch history */

/* A control: the event's code, and the levels that are left out. */
#define POWER_SELECT		GENMASK_ULL(7, 0)
#define POWER_COMBINE8		BIT_ULL(11)
#define POWER_COMBINE9		GENMASK_ULL(11, 10)
#define POWER_UNIT		GENMASK_ULL(15, 12)
#define POWER_NUMBER		GENMASK_ULL(19, 16)	/* of the counter, or 0 */
#define POWER_NOT_KERNEL	BIT_ULL(32)	/* supervisor state: a kernel under a hypervisor */
#define POWER_NOT_USER		BIT_ULL(33)
#define POWER_NOT_HYPERVISOR	BIT_ULL(34)	/* hypervisor state: a kernel without one */
#define POWER_NOT_PRIVILEGED	(POWER_NOT_KERNEL | POWER_NOT_HYPERVISOR)

#define POWER_COUNTERS		6
#define POWER_PROGRAMMABLE	4

/* The only event that counter 5 has, and counter 6. */
#define POWER_RUN_INSTRUCTIONS	0xfa
#define POWER_RUN_CYCLES	0xf4

enum { POWER8, POWER9, POWER10 };

/* Fields of MMCR1 and MMCR2 for counter @i, by position. */
#define POWER_MMCR1_SELECT(i)	(24 - 8 * (i))
#define POWER_MMCR1_UNIT(i)	(60 - 4 * (i))
#define POWER8_MMCR1_COMBINE(i)	(35 - (i))
#define POWER9_MMCR1_COMBINE(i)	(38 - 2 * (i))
#define POWER_MMCR2_FCS(i)	BIT_ULL(63 - 9 * (i))
#define POWER_MMCR2_FCP(i)	BIT_ULL(62 - 9 * (i))
#define POWER_MMCR2_FCH(i)	BIT_ULL(57 - 9 * (i))
#define POWER_MMCR2_NONE(i)	(POWER_MMCR2_FCS(i) | POWER_MMCR2_FCP(i) | POWER_MMCR2_FCH(i))

/* What MMCR1 and MMCR2 hold, so that a start need not write them again. [p] */
struct power_cpu {
	u64 mmcr1;
	u64 mmcr2;
};

static DEFINE_PER_CPU(struct power_cpu, power_cpu);

#define POWER_CONTROL(n, spr, event) {					\
	.name = "PMC" #n "SEL", .num = n, PFM_PPC_SPR, .index = spr,	\
	.def = POWER_NOT_PRIVILEGED,					\
	.rsvd = ~((event) | POWER_SELECT | POWER_NUMBER |		\
		  POWER_NOT_PRIVILEGED | POWER_NOT_USER),		\
}

#define POWER_CONTROLS(event)						\
	POWER_CONTROL(1, SPR64_MMCR1, event), POWER_CONTROL(2, SPR64_MMCR1, event), \
	POWER_CONTROL(3, SPR64_MMCR1, event), POWER_CONTROL(4, SPR64_MMCR1, event), \
	POWER_CONTROL(5, SPR64_MMCR2, 0), POWER_CONTROL(6, SPR64_MMCR2, 0)

static const struct pfm_pmc_desc power8_pmcs[] = {
	POWER_CONTROLS(POWER_COMBINE8 | POWER_UNIT)
};

static const struct pfm_pmc_desc power9_pmcs[] = {
	POWER_CONTROLS(POWER_COMBINE9 | POWER_UNIT)
};

#define POWER_COUNTER(n) {						\
	.name = "PMC" #n, .num = n, PFM_PPC_SPR, .index = SPR64_PMC(n),	\
	.flags = PFM_PMD_COUNTER, .ctrl = n,				\
}

static const struct pfm_pmd_desc power_pmds[] = {
	POWER_COUNTER(1), POWER_COUNTER(2), POWER_COUNTER(3),
	POWER_COUNTER(4), POWER_COUNTER(5), POWER_COUNTER(6),
};

/*
 * Whether counter @num has this event: the number in the code is its own or 0, and 5 and 6
 * have one event each.
 */
static bool power_accepts(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	const u64 number = FIELD_GET(POWER_NUMBER, value);
	const u64 select = value & POWER_SELECT;

	if (number && number != num)
		return false;
	if (num <= POWER_PROGRAMMABLE)
		return true;
	return !select || select == (num == 5 ? POWER_RUN_INSTRUCTIONS : POWER_RUN_CYCLES);
}

static bool power_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return value & (POWER_SELECT | POWER_COMBINE9 | POWER_UNIT);
}

static bool power_kernel(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return (value & POWER_NOT_PRIVILEGED) != POWER_NOT_PRIVILEGED;
}

static u64 power_event(const struct pfm_pmu *pmu, unsigned int i, u64 control)
{
	u64 value = (control & POWER_SELECT) << POWER_MMCR1_SELECT(i) |
		    FIELD_GET(POWER_UNIT, control) << POWER_MMCR1_UNIT(i);

	if (pfm_alert_pmu(pmu)->version == POWER8)
		value |= FIELD_GET(POWER_COMBINE8, control) << POWER8_MMCR1_COMBINE(i);
	else
		value |= FIELD_GET(POWER_COMBINE9, control) << POWER9_MMCR1_COMBINE(i);
	return value;
}

static u64 power_levels(unsigned int i, u64 control)
{
	return (control & POWER_NOT_KERNEL ? POWER_MMCR2_FCS(i) : 0) |
	       (control & POWER_NOT_USER ? POWER_MMCR2_FCP(i) : 0) |
	       (control & POWER_NOT_HYPERVISOR ? POWER_MMCR2_FCH(i) : 0);
}

static void power_set_mmcr1(u64 value)
{
	__this_cpu_write(power_cpu.mmcr1, value);
	pfm_ppc_write(SPR64_MMCR1, value);
}

static void power_set_mmcr2(u64 value)
{
	__this_cpu_write(power_cpu.mmcr2, value);
	pfm_ppc_write(SPR64_MMCR2, value);
}

/* Position n is counter n + 1 and its control. */
static void power_choose(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	u64 mmcr1 = 0, mmcr2 = 0;
	unsigned int i;

	for (i = 0; i < POWER_COUNTERS; i++) {
		if (!(run->pmds & BIT(i))) {
			mmcr2 |= POWER_MMCR2_NONE(i);
			continue;
		}
		mmcr2 |= power_levels(i, run->v[i]);
		if (i < POWER_PROGRAMMABLE)
			mmcr1 |= power_event(pmu, i, run->v[i]);
	}
	if (__this_cpu_read(power_cpu.mmcr1) != mmcr1)
		power_set_mmcr1(mmcr1);
	if (__this_cpu_read(power_cpu.mmcr2) != mmcr2)
		power_set_mmcr2(mmcr2);
}

static void power_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	if (pfm_alert_is_new(run))
		power_choose(pmu, run);
	pfm_alert_start(pmu, 0);
}

static void power_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	const u8 version = pfm_alert_pmu(pmu)->version;
	unsigned int i;
	u64 mmcr2 = 0;

	pfm_alert_reset(pmu);
	pfm_ppc_write(SPR64_MMCRA, version == POWER10 ? POWER_BHRB_DISABLE : 0);
	if (version == POWER10)
		pfm_ppc_write(SPR64_MMCR3, 0);
	for (i = 0; i < POWER_COUNTERS; i++)
		mmcr2 |= POWER_MMCR2_NONE(i);
	power_set_mmcr1(0);
	power_set_mmcr2(mmcr2);
}

#define POWER_PMU(n, c, bits, v) {					\
	.pmu = {							\
		.name = n,						\
		.pmcs = c,						\
		.pmds = power_pmds,					\
		.num_pmcs = POWER_COUNTERS,				\
		.num_pmds = POWER_COUNTERS,				\
		.accepts = power_accepts,				\
		.selects = power_selects,				\
		.kernel = power_kernel,					\
		.reset = power_reset,					\
		.start = power_start,					\
		PFM_ALERT_OPERATIONS,					\
	},								\
	.mmcr0 = bits,							\
	.version = v,							\
}

static const struct pfm_alert_pmu power8_pmu =
	POWER_PMU("POWER8", power8_pmcs, POWER_PMCC_NEITHER, POWER8);
static const struct pfm_alert_pmu power9_pmu =
	POWER_PMU("POWER9", power9_pmcs, POWER_PMCC_NEITHER, POWER9);
static const struct pfm_alert_pmu power10_pmu =
	POWER_PMU("POWER10", power9_pmcs, POWER_PMCC_NEITHER | POWER_PMCCEXT, POWER10);
static const struct pfm_alert_pmu power11_pmu =
	POWER_PMU("POWER11", power9_pmcs, POWER_PMCC_NEITHER | POWER_PMCCEXT, POWER10);

/**
 * pfm_power_describe() - the PMU of POWER8 to POWER11
 * @cpu: facts
 *
 * Context: any.
 * Return: the description, or NULL if @cpu is none of these, or an emulator's that does not
 * interrupt: nor does it count right.
 */
const struct pfm_pmu *pfm_power_describe(const struct pfm_ppc_cpu *cpu)
{
	if (cpu->silent)
		return NULL;
	switch (cpu->pvr >> 16) {
	case 0x004b: case 0x004c: case 0x004d: case 0x0066:	/* 8E, 8NVL, 8, HX-C2000 */
		return &power8_pmu.pmu;
	case 0x004e:
		return &power9_pmu.pmu;
	case 0x0080:
		return &power10_pmu.pmu;
	case 0x0082:
		return &power11_pmu.pmu;
	default:
		return NULL;
	}
}
