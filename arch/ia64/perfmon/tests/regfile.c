// SPDX-License-Identifier: GPL-2.0-only
/*
 * The register file: numbers, fields and rules as the manuals have them (SDM volume 2,
 * chapters 3 and 7; the reference manuals of the processors). Nothing here is taken from
 * the descriptions. Not covered: the instructions themselves, which glue.c has.
 */
#include <linux/atomic.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "compat.h"
#include "regfile.h"

const char *const pfm_itc_names[ITC_KINDS] = {
	"Itanium", "Itanium 2", "Itanium 2 dual-core", "IA-64",
};

/* What a model has, by number. */
struct itc_model {
	u64 pmcs, pmds;		/* from 4 on */
	u64 counters;
	u64 pm6, pm4;		/* PMCs that monitor, by the place of their pm */
	unsigned int width;
	bool sign;		/* above it are copies of the highest bit, not 0 */
	bool debug;
};

static const struct itc_model itc_models[ITC_KINDS] = {
	{ 0x3ff0, 0x3ffff, 0xf0, 0x1cf0, 0, 32, false, true },
	{ 0xfff0, 0x3ffff, 0xf0, 0x18f0, 0x400, 47, true, true },
	{ 0x7ff0000fff0ULL, 0xffff00df0000fff0ULL, 0xfff0, 0x5800000fff0ULL,
	  0x2000000000ULL, 47, true, true },
	{ 0xff0, 0xff0, 0xff0, 0xff0, 0, 40, false, false },
};

#define UP	BIT_ULL(2)
#define SP	BIT_ULL(20)
#define PP	BIT_ULL(21)
#define CPL	GENMASK_ULL(33, 32)
/* Linux's own: ic, dt, dfh, rt, it. */
#define LINUX	(BIT_ULL(13) | BIT_ULL(17) | BIT_ULL(19) | BIT_ULL(27) | BIT_ULL(36))
/* Bits 31:0, 35 and 36 are what a move from psr shows. */
#define SHOWN	(GENMASK_ULL(31, 0) | GENMASK_ULL(36, 35))

/* dcr as Linux has it: lc, and faults of speculative loads deferred. */
#define DCR	(GENMASK_ULL(14, 8) | BIT_ULL(2))
#define DCR_PP	BIT_ULL(0)

#define PMV_MASKED	BIT_ULL(16)

/* A CPU. */
struct itc_cpu {
	u64 pmc[64], pmd[64], ibr[8], dbr[8];
	u64 psr, dcr, pmv;
	u64 frame;		/* psr of level 0 that an interrupt has interrupted */
	bool in_kernel_frame, in_interrupt;
	bool in_fsys;
	bool data_unseen, fr_unseen, ibr_unseen, dbr_unseen;
	bool pending;
	unsigned int work;	/* the vector of an interrupt that it has sent itself */
	struct pfm_itc_thread *current_thread;
	unsigned int writes;
};

static DEFINE_PER_CPU(struct itc_cpu, itc_cpus);

/* The one where this runs: the tests see to it that they stay. */
#define itc	(*raw_cpu_ptr(&itc_cpus))

/* What all have. */
static struct {
	const struct itc_model *m;
	enum pfm_itc_kind kind;
	bool ranges;
	struct pfm_itc_thread threads[ITC_THREADS];
	atomic_t faults;
} itc_all;

static void itc_fault(const char *why, unsigned int n)
{
	if (atomic_inc_return(&itc_all.faults) < 10)
		pr_err("perfmon: registers of IA-64 in memory: %s (%u)\n", why, n);
}

static u64 itc_pm(unsigned int n)
{
	if (itc_all.m->pm6 & BIT_ULL(n))
		return BIT_ULL(6);
	return itc_all.m->pm4 & BIT_ULL(n) ? BIT_ULL(4) : 0;
}

/* Bits that have to be 1, and 0, for the model to do what its manual says. */
static bool itc_value_is_good(unsigned int n, u64 value)
{
	/* A counter interrupts, and has no pin. */
	if (itc_all.m->counters & BIT_ULL(n) && (value & 0xb0) != 0x20)
		return false;
	switch (itc_all.kind) {
	case ITC_ITANIUM:
		if (n == 8 || n == 9)
			return !(value & BIT_ULL(30)) && !(value & 7);
		if (n == 13)
			return (value & ~1ULL) == 0x0003ffff00000000ULL;
		return !(value >> (n == 11 ? 29 : 26)) && (n > 7 || !(value & BIT_ULL(15)));
	case ITC_ITANIUM2:
		if (n == 4)
			return value & BIT_ULL(23);
		if (n == 8 || n == 9)
			return value & BIT_ULL(2);
		if (n == 13)
			return (value & ~0x1e00018181818ULL) == 0x78e6e6e6e6ULL;
		if (n == 14)
			return (value & ~0x2492ULL) == 0x0db60db60db60924ULL;
		return n != 15 || (value & ~0xfULL) == 0xfffffff0ULL;
	case ITC_MONTECITO:
		if (n < 16)
			return (value & GENMASK_ULL(25, 24)) == 0x2000000ULL;
		if (n == 38)
			return (value & ~0x2492ULL) == 0x924ULL;
		if (n == 41)
			return (value & ~0x1e00018181818ULL) == 0x78e6e6e6e6ULL;
		return n != 40 || (value & GENMASK_ULL(25, 24)) == 0x2000000ULL;
	case ITC_GENERIC:
		return !(value & ~0xff6fULL);
	default:
		return false;
	}
}

static bool itc_frozen(void)
{
	return itc.pmc[0] & 1;
}

/* SDM 2:157. */
static bool itc_counts(unsigned int n, unsigned int level)
{
	const u64 pm = itc_pm(n);

	return pm && !itc_frozen() && itc.pmc[n] & BIT_ULL(level) &&
	       itc.psr & (itc.pmc[n] & pm ? PP : UP);
}

static bool itc_any_counts(void)
{
	unsigned int n, level;

	for (n = 4; n < 64; n++)
		for (level = 0; level < 4; level++)
			if (itc_counts(n, level))
				return true;
	return false;
}

bool pfm_itc_has(enum pfm_ia64_space space, unsigned int n)
{
	switch (space) {
	case PFM_IA64_PMCS:
		return n < 4 || (n < 64 && itc_all.m->pmcs & BIT_ULL(n));
	case PFM_IA64_PMDS:
		return n < 64 && itc_all.m->pmds & BIT_ULL(n);
	default:
		return n < 8 && itc_all.m->debug;
	}
}

static u64 *itc_find(enum pfm_ia64_space space, unsigned int n)
{
	switch (space) {
	case PFM_IA64_PMCS:
		return &itc.pmc[n];
	case PFM_IA64_PMDS:
		return &itc.pmd[n];
	case PFM_IA64_IBRS:
		return &itc.ibr[n];
	default:
		return &itc.dbr[n];
	}
}

u64 pfm_itc_get(enum pfm_ia64_space space, unsigned int n)
{
	u64 value;

	if (!pfm_itc_has(space, n))
		return 0;
	value = *itc_find(space, n);
	if (space == PFM_IA64_PMDS && itc_all.m->counters & BIT_ULL(n) && itc_all.m->sign &&
	    value & BIT_ULL(itc_all.m->width - 1))
		value |= GENMASK_ULL(63, itc_all.m->width);
	return value;
}

void pfm_itc_set(enum pfm_ia64_space space, unsigned int n, u64 value)
{
	if (space == PFM_IA64_PMDS && itc_all.m->counters & BIT_ULL(n))
		value &= GENMASK_ULL(itc_all.m->width - 1, 0);
	if (pfm_itc_has(space, n))
		*itc_find(space, n) = value;
}

static u64 itc_read(enum pfm_ia64_space space, unsigned int n)
{
	if (!pfm_itc_has(space, n))
		itc_fault("read of a register that is not there", n);
	if (space == PFM_IA64_PMDS && (itc.data_unseen || itc.fr_unseen))
		itc_fault("read of a PMD before srlz", n);
	return pfm_itc_get(space, n);
}

static void itc_write_pmc0(u64 value)
{
	if (itc_frozen() && !(value & 1) && itc.psr & (UP | PP) && value)
		itc_fault("thawed with overflow bits", 0);
	if ((value ^ itc.pmc[0]) & 1)
		itc.fr_unseen = true;
	itc.pmc[0] = value;
}

static void itc_write_debug(enum pfm_ia64_space space, unsigned int n, u64 value)
{
	const bool code = space == PFM_IA64_IBRS;
	const u64 ignored = GENMASK_ULL(code ? 62 : 61, 60);

	if (!itc_all.ranges)
		itc_fault("write of a debugger's register", n);
	if (n & 1 && value & (code ? BIT_ULL(63) : GENMASK_ULL(63, 62)))
		itc_fault("a breakpoint", n);
	if (n & 1 && value & ignored)
		itc_fault("ignored bits that are reserved here", n);
	if (code ? itc.dbr_unseen : itc.ibr_unseen)
		itc_fault("no srlz.d between dbr and ibr", n);
	*(code ? &itc.ibr_unseen : &itc.dbr_unseen) = true;
	*itc_find(space, n) = n & 1 ? value & ~ignored : value;
}

static void itc_write(enum pfm_ia64_space space, unsigned int n, u64 value)
{
	itc.writes++;
	itc.data_unseen = true;
	if (!pfm_itc_has(space, n)) {
		itc_fault("write of a register that is not there", n);
		return;
	}
	if (space == PFM_IA64_PMCS && !n) {
		itc_write_pmc0(value);
		return;
	}
	if (itc_any_counts() || (itc_frozen() && itc.fr_unseen))
		itc_fault("write while monitors count", n);
	if (space == PFM_IA64_IBRS || space == PFM_IA64_DBRS)
		itc_write_debug(space, n, value);
	else if (space == PFM_IA64_PMDS)
		pfm_itc_set(space, n, value);
	else if (n > 3 && !itc_value_is_good(n, value))
		itc_fault("a value that the manual forbids", n);
	if (space == PFM_IA64_PMCS)
		itc.pmc[n] = value;
}

static u64 itc_psr(void)
{
	return itc.psr & GENMASK_ULL(31, 0);
}

/* Bits 63:32 of what is moved to psr.l do not matter. */
static void itc_set_psr(u64 psr)
{
	if (itc.psr & CPL)
		itc_fault("psr.l is written at user level", 0);
	if ((psr ^ itc.psr) & GENMASK_ULL(31, 0) & ~(UP | PP))
		itc_fault("another bit of psr.l than up and pp is changed", 0);
	itc.psr = (itc.psr & ~GENMASK_ULL(31, 0)) | (psr & GENMASK_ULL(31, 0));
	itc.data_unseen = true;
}

static u64 itc_dcr(void)
{
	return itc.dcr;
}

static void itc_set_dcr(u64 dcr)
{
	if ((dcr ^ itc.dcr) & ~DCR_PP)
		itc_fault("another bit of dcr than pp is changed", 0);
	itc.dcr = dcr;
	itc.data_unseen = true;
}

static void itc_serialize(bool instruction)
{
	itc.data_unseen = false;
	itc.ibr_unseen = false;
	itc.dbr_unseen = false;
	if (instruction)
		itc.fr_unseen = false;
}

static void itc_route(void)
{
	itc.pmv = 0xee;
}

static struct pfm_itc_thread *itc_thread_of(const struct task_struct *task)
{
	unsigned int i;

	for (i = 0; i < ITC_THREADS; i++)
		if (itc_all.threads[i].task == task)
			return &itc_all.threads[i];
	itc_fault("no such thread", 0);
	return &itc_all.threads[0];
}

static u64 *itc_user_psr(struct task_struct *task)
{
	return &itc_thread_of(task)->user_psr;
}

static void itc_put(u64 *psr, u64 bit, bool on)
{
	*psr = (*psr & ~bit) | (on ? bit : 0);
}

static u64 *itc_interrupted_psr(void)
{
	if (!itc.in_interrupt)
		return NULL;
	return itc.in_kernel_frame ? &itc.frame : &itc.current_thread->user_psr;
}

static bool itc_is_call(const struct task_struct *task)
{
	return itc_thread_of(task)->is_call;
}

static void itc_set_call(struct task_struct *task, bool call)
{
	itc_thread_of(task)->is_call = call;
}

static struct task_struct *itc_current_task(void)
{
	return itc.current_thread->task;
}

const struct pfm_ia64_file pfm_itc_file = {
	.read = itc_read,
	.write = itc_write,
	.psr = itc_psr,
	.set_psr = itc_set_psr,
	.dcr = itc_dcr,
	.set_dcr = itc_set_dcr,
	.serialize = itc_serialize,
	.route = itc_route,
	.user_psr = itc_user_psr,
	.put = itc_put,
	.interrupted_psr = itc_interrupted_psr,
	.is_call = itc_is_call,
	.set_call = itc_set_call,
	.current_task = itc_current_task,
};

static const struct pfm_ia64_file *itc_real;

const struct pfm_pmu *pfm_itc_describe(enum pfm_itc_kind kind)
{
	static const struct pfm_ia64_cpu cpus[ITC_KINDS] = {
		{ .family = 0x07 },
		{ .family = 0x1f, .model = 1 },
		{ .family = 0x20, .model = 1 },
		{ .family = 0x21, .known = true, .counters = 8, .width = 40,
		  .pmcs = 0xfff, .pmds = 0xfff },
	};

	return pfm_ia64_describe(&cpus[kind]);
}

/* At level 0, as its idle thread begins; frozen or not as firmware may leave it. */
static void itc_make_cpu(struct itc_cpu *cpu)
{
	*cpu = (struct itc_cpu){
		.psr = LINUX, .dcr = DCR, .pmv = PMV_MASKED,
		.current_thread = &itc_all.threads[ITC_IDLE],
	};
}

bool pfm_itc_stays(const struct pfm_itc_thread *t)
{
	return t->task->flags & (PF_KTHREAD | PF_USER_WORKER);
}

/* As copy_thread() and start_thread() leave it. */
void pfm_itc_new_thread(struct pfm_itc_thread *t)
{
	t->user_psr = LINUX | (pfm_itc_stays(t) ? 0 : SP | CPL);
	t->is_call = false;
}

void pfm_itc_make(struct kunit *test, enum pfm_itc_kind kind)
{
	unsigned int i;

	if (pfm_ia64_file != &pfm_itc_file)
		itc_real = pfm_ia64_file;
	memset(&itc_all, 0, sizeof(itc_all));
	itc_all.kind = kind;
	itc_all.m = &itc_models[kind];
	for (i = 0; i < ITC_THREADS; i++) {
		struct pfm_itc_thread *t = &itc_all.threads[i];

		t->task = kunit_kzalloc(test, sizeof(*t->task), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, t->task);
		refcount_set(&t->task->usage, 1);
		if (i != ITC_USER && i != ITC_USER_2)
			t->task->flags = PF_KTHREAD | (i == ITC_KTHREAD ? 0 : PF_IDLE);
		pfm_itc_new_thread(t);
	}
	for_each_possible_cpu(i)
		itc_make_cpu(per_cpu_ptr(&itc_cpus, i));
	itc.current_thread = &itc_all.threads[ITC_USER];
	itc.psr = itc.current_thread->user_psr;
	pfm_ia64_file = &pfm_itc_file;
}

void pfm_itc_use_glue(void)
{
	pfm_ia64_file = itc_real;
}

void pfm_itc_exit(struct kunit *test)
{
	pfm_ia64_file = itc_real;
}

struct pfm_itc_thread *pfm_itc_thread(unsigned int n)
{
	return &itc_all.threads[n];
}

struct pfm_itc_thread *pfm_itc_current(void)
{
	return itc.current_thread;
}

void pfm_itc_set_current(struct pfm_itc_thread *t)
{
	itc.current_thread = t;
}

void pfm_itc_count(unsigned int es, u64 n)
{
	const unsigned int level = (itc.psr & CPL) >> 32;
	const u64 carry = BIT_ULL(itc_all.m->width);
	bool overflow = false;
	unsigned int i;

	if (itc.fr_unseen)
		itc_fault("goes on before srlz.i", 0);
	for (i = 4; i < 64; i++) {
		if (!(itc_all.m->counters & BIT_ULL(i)) || !itc_counts(i, level) ||
		    (itc.pmc[i] >> 8 & 0xff) != es)
			continue;
		itc.pmd[i] += n;
		if (!(itc.pmd[i] & carry))
			continue;
		itc.pmd[i] &= carry - 1;
		itc.pmc[0] |= BIT_ULL(i);
		overflow |= itc.pmc[i] & BIT_ULL(5);
	}
	if (overflow) {
		itc.pmc[0] |= 1;
		itc.pending |= !(itc.pmv & PMV_MASKED);
	}
}

/* up is kept, pp comes from dcr.pp, sp becomes 0. */
static u64 itc_interrupted(u64 psr)
{
	return LINUX | (psr & UP) | (itc.dcr & DCR_PP ? PP : 0);
}

void pfm_itc_break(void)
{
	itc.current_thread->user_psr = itc.psr;
	itc.psr = itc_interrupted(itc.psr);
}

void pfm_itc_epc(void)
{
	itc.current_thread->user_psr = itc.psr;
	itc.psr &= ~CPL;
}

void pfm_itc_fsys(void)
{
	itc.in_fsys = true;
	itc.psr &= ~CPL;
}

void pfm_itc_fsys_return(void)
{
	itc.in_fsys = false;
	itc.psr |= CPL;
}

void pfm_itc_return(void)
{
	itc.psr = itc.current_thread->user_psr;
	itc_serialize(true);
}

void pfm_itc_interrupt(void)
{
	itc.in_kernel_frame = !(itc.psr & CPL) && !itc.in_fsys;
	if (itc.in_kernel_frame)
		itc.frame = itc.psr;
	else
		itc.current_thread->user_psr = itc.psr;
	itc.in_interrupt = true;
	itc.psr = itc_interrupted(itc.psr);
}

void pfm_itc_rfi(void)
{
	itc.psr = *itc_interrupted_psr();
	itc.in_interrupt = false;
	itc_serialize(true);
}

u64 pfm_itc_mov_pmd(unsigned int n)
{
	unsigned int c = n;

	if (itc.psr & SP)
		return 0;
	/* The control of a register that does not count. */
	if (!(itc_all.m->counters & BIT_ULL(n))) {
		if (itc_all.kind == ITC_MONTECITO)
			c = n >= 38 ? 39 : n == 34 || n == 35 ? 37 : 40;
		else
			c = n < 2 ? 10 : n < 4 || n == 17 ? 11 : 12;
	}
	return itc.pmc[c] & itc_pm(c) ? 0 : pfm_itc_get(PFM_IA64_PMDS, n);
}

void pfm_itc_sum(void)
{
	if (!(itc.psr & SP))
		itc.psr |= UP;
}

void pfm_itc_rum(void)
{
	if (!(itc.psr & SP))
		itc.psr &= ~UP;
}

/* The user mask is psr's lowest bits. */
void pfm_itc_signal(void)
{
	itc.current_thread->um = itc.psr & GENMASK_ULL(5, 0);
}

void pfm_itc_sigreturn(void)
{
	itc.psr = (itc.psr & ~GENMASK_ULL(5, 0)) | itc.current_thread->um;
}

u64 pfm_itc_psr(void)
{
	return itc.psr;
}

u64 pfm_itc_dcr(void)
{
	return itc.dcr;
}

bool pfm_itc_pending(void)
{
	bool pending = itc.pending;

	itc.pending = false;
	return pending;
}

bool pfm_itc_routed(void)
{
	return !(itc.pmv & PMV_MASKED);
}

unsigned int pfm_itc_vector(void)
{
	return itc.pmv & 0xff;
}

u64 pfm_itc_getreg(enum pfm_itc_reg reg)
{
	switch (reg) {
	case ITC_PSR:
		return itc.psr & SHOWN;
	case ITC_DCR:
		return itc_dcr();
	default:
		itc_fault("a register that glue.c has no business with", reg);
		return 0;
	}
}

/* Vectors 0 to 15 are none; bits 15:13 of pmv are reserved. */
void pfm_itc_setreg(enum pfm_itc_reg reg, u64 value)
{
	switch (reg) {
	case ITC_PSR_L:
		itc_set_psr(value);
		break;
	case ITC_DCR:
		itc_set_dcr(value);
		break;
	case ITC_PMV:
		if ((value & 0xff) < 16 || value & ~(PMV_MASKED | 0x10ff))
			itc_fault("a value that pmv cannot have", value);
		itc.pmv = value;
		itc.data_unseen = true;
		break;
	default:
		itc_fault("a register that glue.c has no business with", reg);
	}
}

void pfm_itc_send(unsigned int cpu, unsigned int vector)
{
	if (cpu != raw_smp_processor_id())
		itc_fault("an interrupt for another CPU", vector);
	itc.work = vector;
}

unsigned int pfm_itc_sent(void)
{
	unsigned int vector = itc.work;

	itc.work = 0;
	return vector;
}

void pfm_itc_ranges(bool may)
{
	itc_all.ranges = may;
}

unsigned int pfm_itc_faults(void)
{
	return atomic_xchg(&itc_all.faults, 0);
}

unsigned int pfm_itc_writes(void)
{
	unsigned int n = itc.writes;

	itc.writes = 0;
	return n;
}
