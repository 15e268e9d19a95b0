// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on x86: Centaur's clones, WinChip C6, 2 and 3, and VIA C3.
 *
 * WinChip has P5's registers with 8 bits of event and nothing else; C3 has the
 * second counter of P6 with 9 bits of event and nothing else. Neither can tell
 * users from the kernel, interrupt, or stop. So they are stopped here: a CPU
 * remembers what a counter said when it was stopped, and leaves out what
 * it counted until the start. It is not written for that either.
 *
 * Every event code is a real event, 0 included. "Count nothing" is encoded as all
 * event bits set; that value is never written to the hardware.
 *
 * C3's counter has 32 bits; of WinChip's 40 the same 32 are used. WinChip makes
 * its TSC of its two counters: with other events RDTSC yields nonsense. So it is
 * described only where the kernel makes no use of that (notsc). A C6 may even
 * hang (erratum I-13), by any program's RDTSC: it is for an administrator who
 * knows the programs on the machine to allow it.
 *
 * One source: the documentation and source of perfctr.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <asm/processor.h>

#include "x86.h"

/* perfmon_winchip_c6=1 on the kernel's command line. [c] */
static bool centaur_winchip_c6;
core_param(perfmon_winchip_c6, centaur_winchip_c6, bool, 0444);

#define WINCHIP_CESR	0x011
#define WINCHIP_CTR0	0x012
#define WINCHIP_EVENT	GENMASK_ULL(7, 0)
#define WINCHIP_HALF	16

#define C3_PERFCTR1	0x0c2
#define C3_EVNTSEL1	0x187
#define C3_EVENT	GENMASK_ULL(8, 0)
#define C3_IDLE		0x79		/* clocks, as after a reset */

#define CENTAUR_WIDTH	32
#define CENTAUR_MAX	2

#define WINCHIP_PMC(n) {						\
	.name = "CESR_" #n, .num = n,					\
	PFM_X86_MSR, .index = WINCHIP_CESR,				\
	.def = WINCHIP_EVENT, .rsvd = ~WINCHIP_EVENT,			\
}

#define CENTAUR_PMD(s, n, msr) {					\
	.name = s, .num = n, PFM_X86_MSR, .index = msr,			\
	.flags = PFM_PMD_COUNTER, .ctrl = n,				\
}

static const struct pfm_pmc_desc winchip_pmcs[] = {
	WINCHIP_PMC(0), WINCHIP_PMC(1),
};

static const struct pfm_pmd_desc winchip_pmds[] = {
	CENTAUR_PMD("CTR0", 0, WINCHIP_CTR0),
	CENTAUR_PMD("CTR1", 1, WINCHIP_CTR0 + 1),
};

/* The numbers are P6's. */
static const struct pfm_pmc_desc c3_pmcs[] = {
	{ .name = "EVNTSEL1", .num = 1, PFM_X86_MSR, .index = C3_EVNTSEL1,
	  .def = C3_EVENT, .rsvd = ~C3_EVENT },
};

static const struct pfm_pmd_desc c3_pmds[] = {
	CENTAUR_PMD("PERFCTR1", 1, C3_PERFCTR1),
};

/*
 * A counter says what its register says, or said when it was stopped, less
 * what is not to be counted. All modulo 2^32. [p]
 */
struct centaur_cpu {
	u32 running;
	u32 stopped[CENTAUR_MAX];	/* what the register said */
	u32 less[CENTAUR_MAX];
};

static DEFINE_PER_CPU(struct centaur_cpu, centaur_cpu);

static u32 centaur_raw(u32 msr, unsigned int i)
{
	return pfm_x86_read(msr + i);
}

static void centaur_start(u32 msr, u64 counters)
{
	struct centaur_cpu *c = this_cpu_ptr(&centaur_cpu);
	unsigned int i;

	c->running = counters;
	for (i = 0; i < CENTAUR_MAX; i++)
		if (counters & BIT(i))
			c->less[i] += centaur_raw(msr, i) - c->stopped[i];
}

static void centaur_stop(u32 msr)
{
	struct centaur_cpu *c = this_cpu_ptr(&centaur_cpu);
	unsigned int i;

	for (i = 0; i < CENTAUR_MAX; i++)
		if (c->running & BIT(i))
			c->stopped[i] = centaur_raw(msr, i);
	c->running = 0;
}

static u64 centaur_read(u32 msr, unsigned int i)
{
	const struct centaur_cpu *c = this_cpu_ptr(&centaur_cpu);
	u32 raw = c->running & BIT(i) ? centaur_raw(msr, i) : c->stopped[i];

	return raw - c->less[i];
}

/* While stopped. */
static void centaur_write(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	struct centaur_cpu *c = this_cpu_ptr(&centaur_cpu);

	c->less[i] = c->stopped[i] - (u32)value;
}

/*
 * These counters count at all levels. So a value that counts anything counts the
 * kernel, too, and selects() also serves as kernel().
 */
static bool winchip_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return value != WINCHIP_EVENT;
}

static bool c3_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return value != C3_EVENT;
}

/* No other code in the kernel uses WinChip's counters, so there is no reservation. */
static int winchip_acquire(const struct pfm_pmu *pmu, unsigned int what)
{
	return 0;
}

static void winchip_release(const struct pfm_pmu *pmu, unsigned int what)
{
}

static u64 winchip_event(u64 value)
{
	return value != WINCHIP_EVENT ? value : 0;
}

/* Only a change of events needs a write: see above. */
static void winchip_write_events(const u64 *v)
{
	pfm_x86_write(WINCHIP_CESR, winchip_event(v[0]) |
				    winchip_event(v[1]) << WINCHIP_HALF);
}

static void winchip_program(const struct pfm_pmu *pmu, const unsigned long *changed,
			    const struct pfm_run *run)
{
	winchip_write_events(run->v);
}

static void winchip_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	memset(this_cpu_ptr(&centaur_cpu), 0, sizeof(centaur_cpu));
	winchip_write_events(v);
}

static void winchip_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	centaur_start(WINCHIP_CTR0, run->pmds);
}

static void winchip_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	centaur_stop(WINCHIP_CTR0);
}

static u64 winchip_read(const struct pfm_pmu *pmu, unsigned int i)
{
	return centaur_read(WINCHIP_CTR0, i);
}

static int c3_acquire(const struct pfm_pmu *pmu, unsigned int what)
{
	return pfm_x86_acquire(C3_PERFCTR1, 1, C3_EVNTSEL1, 1, 1);
}

static void c3_release(const struct pfm_pmu *pmu, unsigned int what)
{
	pfm_x86_release(C3_PERFCTR1, 1, C3_EVNTSEL1, 1, 1);
}

static void c3_write_event(const u64 *v)
{
	pfm_x86_write(C3_EVNTSEL1, v[0] != C3_EVENT ? v[0] : C3_IDLE);
}

static void c3_program(const struct pfm_pmu *pmu, const unsigned long *changed,
		       const struct pfm_run *run)
{
	c3_write_event(run->v);
}

static void c3_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	memset(this_cpu_ptr(&centaur_cpu), 0, sizeof(centaur_cpu));
	c3_write_event(v);
}

static void c3_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	centaur_start(C3_PERFCTR1, run->pmds);
}

static void c3_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	centaur_stop(C3_PERFCTR1);
}

static u64 c3_read(const struct pfm_pmu *pmu, unsigned int i)
{
	return centaur_read(C3_PERFCTR1, i);
}

static const struct pfm_pmu winchip_pmu = {
	.name = "Centaur WinChip",
	.pmcs = winchip_pmcs,
	.pmds = winchip_pmds,
	.num_pmcs = ARRAY_SIZE(winchip_pmcs),
	.num_pmds = ARRAY_SIZE(winchip_pmds),
	.width = CENTAUR_WIDTH,
	.flags = PFM_PMU_NO_INTERRUPT,
	.selects = winchip_selects,
	.kernel = winchip_selects,
	.acquire = winchip_acquire,
	.release = winchip_release,
	.reset = winchip_reset,
	.program = winchip_program,
	.start = winchip_start,
	.stop = winchip_stop,
	.read = winchip_read,
	.write = centaur_write,
};

static const struct pfm_pmu c3_pmu = {
	.name = "VIA C3",
	.pmcs = c3_pmcs,
	.pmds = c3_pmds,
	.num_pmcs = ARRAY_SIZE(c3_pmcs),
	.num_pmds = ARRAY_SIZE(c3_pmds),
	.width = CENTAUR_WIDTH,
	.flags = PFM_PMU_NO_INTERRUPT,
	.selects = c3_selects,
	.kernel = c3_selects,
	.acquire = c3_acquire,
	.release = c3_release,
	.reset = c3_reset,
	.program = c3_program,
	.start = c3_start,
	.stop = c3_stop,
	.read = c3_read,
	.write = centaur_write,
};

/**
 * pfm_centaur_facts() - what the administrator says of this machine
 * @cpu: facts; filled in: rdtsc_may_hang
 *
 * Context: boot.
 */
void __init pfm_centaur_facts(struct pfm_x86_cpu *cpu)
{
	cpu->rdtsc_may_hang = centaur_winchip_c6;
}

/**
 * pfm_centaur_describe() - the PMU of WinChip and VIA C3
 * @cpu: facts
 *
 * Context: any.
 * Return: the description, or NULL if @cpu is neither.
 */
const struct pfm_pmu *pfm_centaur_describe(const struct pfm_x86_cpu *cpu)
{
	if (cpu->vendor != X86_VENDOR_CENTAUR || cpu->leaf_a[0] & 0xff)
		return NULL;
	if (cpu->family == 5 && !cpu->tsc &&
	    ((cpu->model == 4 && cpu->rdtsc_may_hang) ||
	     cpu->model == 8 || cpu->model == 9))
		return &winchip_pmu;
	if (cpu->family == 6 && cpu->model >= 6 && cpu->model <= 9)
		return &c3_pmu;
	return NULL;
}
