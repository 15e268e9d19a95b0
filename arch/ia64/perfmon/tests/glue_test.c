// SPDX-License-Identifier: GPL-2.0-only
/*
 * glue.c on CPUs in memory, with all that is around it: the core, the operations, debug
 * registers, and the hooks in the kernel's files for the architecture.
 *
 * First what each does alone; then a simulation: two threads of programs, a kernel thread,
 * idle threads, on two CPUs if there are, a debugger, interrupts, signals, exec and exit, in
 * random orders that are the same in each run. Beside it goes a count of what the
 * specification wants counted, which looks at none of the registers.
 */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/moduleparam.h>
#include <linux/prandom.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "compat.h"
#include "../../../../kernel/perfmon/tests/fixture.h"
#include "glue_here.h"

#define USER	8ULL
#define BOTH	9ULL
#define CYCLES	0x1200ULL
#define OTHER	0x0800ULL

#define UP	PFM_IA64_PSR_UP
#define SP	PFM_IA64_PSR_SP
#define PP	PFM_IA64_PSR_PP

#define VECTOR	0xee
#define WORK	0xed

static const struct pfm_ia64_cpu glue_cpus[ITC_KINDS] = {
	{ .family = 0x07, .known = true, .counters = 4, .width = 32,
	  .pmcs = 0x3fff, .pmds = 0x3ffff },
	{ .family = 0x1f, .model = 1, .known = true, .counters = 4, .width = 47,
	  .pmcs = 0xffff, .pmds = 0x3ffff },
	{ .family = 0x20, .model = 1, .known = true, .counters = 12, .width = 47,
	  .pmcs = 0x7ff0000ffffULL, .pmds = 0xffff00df0000fff0ULL },
	{ .family = 0x21, .known = true, .counters = 8, .width = 40,
	  .pmcs = 0xfff, .pmds = 0xfff },
};

static const struct pfm_pmu *glue_registered;

static int glue_init(struct kunit *test)
{
	migrate_disable();
	glue_registered = pfm_fixture_swap(test, NULL);
	pfm_itc_make(test, ITC_ITANIUM2);
	pfm_itc_use_glue();
	pfm_glue_init();
	return 0;
}

/* Give the description back that glue.c has registered. */
static void glue_done(struct kunit *test)
{
	const struct pfm_pmu *pmu = pfm_fixture_swap(test, NULL);

	kfree_const(pmu);
	KUNIT_EXPECT_EQ(test, pfm_itc_faults(), 0U);
}

static void glue_exit(struct kunit *test)
{
	pfm_fixture_swap(test, glue_registered);
	migrate_enable();
}

/* The description of the processor is registered, and both vectors have a handler. */
static void glue_test_boot(struct kunit *test)
{
	struct pfm_ia64_cpu silent = glue_cpus[ITC_GENERIC];
	const struct pfm_pmu *pmu;
	unsigned int kind;

	for (kind = 0; kind < ITC_KINDS; kind++) {
		KUNIT_EXPECT_EQ(test, pfm_glue_boot(&glue_cpus[kind]), 0);
		pmu = pfm_pmu_hardware();
		KUNIT_ASSERT_NOT_NULL(test, pmu);
		KUNIT_EXPECT_STREQ(test, pmu->name, pfm_itc_names[kind]);
		KUNIT_EXPECT_EQ(test, pmu->width, (unsigned int)glue_cpus[kind].width);
		KUNIT_EXPECT_TRUE(test, pfm_glue_interrupt(VECTOR));
		KUNIT_EXPECT_TRUE(test, pfm_glue_interrupt(WORK));
		glue_done(test);
	}
	/* Without a description no counter overflows; irq_work is there for others. */
	silent.known = false;
	KUNIT_EXPECT_EQ(test, pfm_glue_boot(&silent), 0);
	KUNIT_EXPECT_NULL(test, pfm_pmu_hardware());
	KUNIT_EXPECT_FALSE(test, pfm_glue_interrupt(VECTOR));
	KUNIT_EXPECT_TRUE(test, pfm_glue_interrupt(WORK));
}

/* Each access reaches what it is for, and nothing else. */
static void glue_test_accesses(struct kunit *test)
{
	const struct pfm_ia64_file *file = pfm_ia64_file;
	struct pfm_itc_thread *t = pfm_itc_thread(ITC_USER_2);
	enum pfm_ia64_space space, other;
	u64 psr;

	KUNIT_ASSERT_PTR_NE(test, file, &pfm_itc_file);
	pfm_itc_break();
	pfm_itc_ranges(true);
	for (space = PFM_IA64_PMCS; space <= PFM_IA64_DBRS; space++) {
		for (other = PFM_IA64_PMCS; other <= PFM_IA64_DBRS; other++)
			pfm_itc_set(other, 6, 0);
		file->write(space, 6, 0x120);
		file->serialize(true);
		for (other = PFM_IA64_PMCS; other <= PFM_IA64_DBRS; other++)
			KUNIT_EXPECT_EQ(test, pfm_itc_get(other, 6), other == space ? 0x120ULL : 0ULL);
		pfm_itc_set(space, 6, 0x140);
		KUNIT_EXPECT_EQ(test, file->read(space, 6), 0x140ULL);
	}
	psr = pfm_itc_psr();
	KUNIT_EXPECT_EQ(test, file->psr(), psr & GENMASK_ULL(31, 0));
	file->set_psr(file->psr() | PP);
	KUNIT_EXPECT_EQ(test, pfm_itc_psr(), psr | PP);
	file->set_dcr(file->dcr() | PFM_IA64_DCR_PP);
	KUNIT_EXPECT_EQ(test, file->dcr() & 1, 1ULL);
	KUNIT_EXPECT_FALSE(test, pfm_itc_routed());
	file->route();
	KUNIT_EXPECT_TRUE(test, pfm_itc_routed());
	KUNIT_EXPECT_EQ(test, pfm_itc_vector(), (unsigned int)VECTOR);

	KUNIT_EXPECT_PTR_EQ(test, file->current_task(), pfm_itc_current()->task);
	KUNIT_EXPECT_PTR_EQ(test, file->user_psr(t->task), &t->user_psr);
	psr = t->user_psr;
	file->put(&t->user_psr, PP, true);
	KUNIT_EXPECT_EQ(test, t->user_psr, psr | PP);
	file->put(&t->user_psr, SP, false);
	KUNIT_EXPECT_EQ(test, t->user_psr, (psr | PP) & ~SP);
	file->put(&t->user_psr, SP, true);
	file->put(&t->user_psr, PP, false);
	KUNIT_EXPECT_EQ(test, t->user_psr, psr);
	psr = pfm_itc_psr();
	KUNIT_EXPECT_NULL(test, file->interrupted_psr());
	pfm_itc_interrupt();
	KUNIT_ASSERT_NOT_NULL(test, file->interrupted_psr());
	KUNIT_EXPECT_EQ(test, *file->interrupted_psr(), psr);
	pfm_itc_rfi();

	KUNIT_EXPECT_FALSE(test, file->is_call(t->task));
	KUNIT_EXPECT_TRUE(test, pfm_glue_debug(t));
	file->set_call(t->task, true);
	KUNIT_EXPECT_TRUE(test, file->is_call(t->task));
	KUNIT_EXPECT_TRUE(test, pfm_glue_is_debugged(t));
	file->set_call(t->task, false);
	KUNIT_EXPECT_FALSE(test, file->is_call(t->task));
	KUNIT_EXPECT_TRUE(test, pfm_glue_is_debugged(t));
	pfm_glue_debug_end(t);
	KUNIT_EXPECT_FALSE(test, pfm_glue_is_debugged(t));
	KUNIT_EXPECT_EQ(test, pfm_itc_faults(), 0U);
}

struct glue_work {
	struct irq_work work;
	unsigned int n;
};

static void glue_count_work(struct irq_work *work)
{
	container_of(work, struct glue_work, work)->n++;
}

/* irq_work has the CPU send itself an interrupt, in which it is done. */
static bool glue_do_work(void)
{
	struct glue_work w = { .work = IRQ_WORK_INIT_HARD(glue_count_work) };
	unsigned long flags;
	bool done;

	local_irq_save(flags);
	irq_work_queue(&w.work);
	pfm_glue_raise();
	done = !w.n && pfm_itc_sent() == WORK && pfm_glue_interrupt(WORK) && w.n == 1;
	local_irq_restore(flags);
	irq_work_sync(&w.work);
	return done;
}

static void glue_test_work(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, pfm_glue_boot(&glue_cpus[ITC_ITANIUM2]), 0);
	KUNIT_EXPECT_TRUE(test, glue_do_work());
	glue_done(test);
}

/* A thread is debugged once, however often its registers are looked at. */
static void glue_test_debuggers(struct kunit *test)
{
	const struct pfm_pmu *pmu = pfm_itc_describe(ITC_ITANIUM2);
	struct pfm_itc_thread *t = pfm_itc_thread(ITC_USER), *u = pfm_itc_thread(ITC_USER_2);

	KUNIT_EXPECT_TRUE(test, pfm_glue_debug(t));
	KUNIT_EXPECT_TRUE(test, pfm_glue_debug(t));
	KUNIT_EXPECT_EQ(test, pmu->acquire(pmu, PFM_HOLD_CLAIMED), -EBUSY);
	/* One that is not debugged executes another program. */
	pfm_glue_debug_end(u);
	KUNIT_EXPECT_EQ(test, pmu->acquire(pmu, PFM_HOLD_CLAIMED), -EBUSY);
	pfm_glue_debug_end(t);
	pfm_glue_debug_end(t);
	KUNIT_EXPECT_EQ(test, pmu->acquire(pmu, PFM_HOLD_CLAIMED), 0);
	KUNIT_EXPECT_FALSE(test, pfm_glue_debug(t));
	KUNIT_EXPECT_FALSE(test, pfm_glue_is_debugged(t));
	pmu->release(pmu, PFM_HOLD_CLAIMED);
	KUNIT_EXPECT_TRUE(test, pfm_glue_debug(t));
	pfm_glue_debug_end(t);
}

/* A signal's handler that returns sets psr.up only where the program could by sum (5.3, 5.7). */
static void glue_test_user_mask(struct kunit *test)
{
	struct pfm_itc_thread *t = pfm_itc_current();
	unsigned int up, sp;

	for (sp = 0; sp < 2; sp++) {
		for (up = 0; up < 2; up++) {
			t->um = up ? 0 : UP | BIT_ULL(3);
			t->user_psr = (sp ? SP : 0) | (up ? UP : 0);
			pfm_glue_sigreturn();
			KUNIT_EXPECT_EQ(test, t->user_psr & UP, up == sp ? UP : 0ULL);
			KUNIT_EXPECT_EQ(test, t->user_psr & BIT_ULL(3), t->um & BIT_ULL(3));
			KUNIT_EXPECT_EQ(test, t->user_psr & SP, sp ? SP : 0ULL);
		}
	}
}

static void glue_start_between(void)
{
	pfm_itc_current()->user_psr |= UP;
}

static void glue_unload_between(void)
{
	pfm_itc_current()->user_psr |= SP;
	pfm_itc_current()->user_psr &= ~UP;
}

/* What a command does to psr while it returns is not lost. */
static void glue_test_user_mask_race(struct kunit *test)
{
	struct pfm_itc_thread *t = pfm_itc_current();

	t->um = 0;
	t->user_psr = SP | BIT_ULL(3);
	pfm_glue_sigreturn_while(glue_start_between);
	KUNIT_EXPECT_EQ(test, t->user_psr, SP | UP);
	t->um = UP;
	t->user_psr = UP;
	pfm_glue_sigreturn_while(glue_unload_between);
	KUNIT_EXPECT_EQ(test, t->user_psr, SP);
}

/* The simulation. */

/* What happens in a run: more, if the kernel's command line wants it. */
static unsigned int sim_steps = 600;
core_param(perfmon_ia64_steps, sim_steps, uint, 0444);

#define SIM_PERIOD	50
/*
 * What the second thread counts at once is a multiple of this, which the first one does
 * not reach in all: a sum of both shows.
 */
#define SIM_UNIT	0x4000

/* Where a thread of a program is. */
enum sim_place {
	SIM_USER,
	SIM_BREAK,	/* in the kernel by an interruption */
	SIM_EPC,	/* ... without */
};

/*
 * @cpu:    where it runs, -1: it waits in the kernel
 * @left:   the state of monitoring under which it left a CPU
 * @unsure: it is in the kernel, and psr.pp there is not what the set says before it
 *          returns to its user level (Documentation/ia64.rst)
 */
struct sim_thread {
	struct pfm_itc_thread *t;
	struct sim_context *own;
	int cpu;
	enum sim_place place;
	bool up, sp, debugged, unsure, in_handler, saved_up;
	u64 unit;
	unsigned int left;
};

/*
 * @thread: NULL for a context of CPU @cpu
 * @state:  another number whenever what is monitored changes
 * @want:   events by set: at user level, at both levels
 * @late:   by set: a period is over, and no reset has been yet
 */
struct sim_context {
	struct pfm_context *ctx;
	struct sim_thread *thread;
	int cpu;
	u32 flags;
	u32 set_flags[2];
	bool notify;

	bool loaded, started, masked, ranges;
	unsigned int set, state, counter;
	u64 want[2][2];
	unsigned int pos[2];
	bool late[2];
};

/* What is monitored in a run. */
struct sim_plan {
	bool system;
	u32 flags[2];
	u32 set_flags[2][2];
	bool notify;
};

static struct {
	struct kunit *test;
	struct rnd_state rnd;
	enum pfm_itc_kind kind;
	bool system;
	unsigned int num_cpus, debugged, states;
	int cpu[2];		/* numbers of the kernel under which this runs */
	unsigned int here;	/* index of that where this runs */
	struct sim_thread *on[2];
	bool frozen[2], in_interrupt;
	struct sim_thread threads[ITC_THREADS];
	struct sim_context contexts[2];
	u64 overflows, happened;
} sim;

static unsigned int sim_random(unsigned int n)
{
	return prandom_u32_state(&sim.rnd) % n;
}

static struct sim_thread *sim_now(void)
{
	return sim.on[sim.here];
}

static bool sim_is_program(const struct sim_thread *t)
{
	return !pfm_itc_stays(t->t);
}

static bool sim_is_privileged(const struct sim_context *c)
{
	return !c->thread || c->flags & PFM_ITA_FL_PRIV_MONITORS;
}

/* The context that is live here: of the thread, or of the CPU. */
static struct sim_context *sim_live(void)
{
	struct sim_context *c = sim.system ? &sim.contexts[sim.here] : sim_now()->own;

	return c && c->loaded ? c : NULL;
}

static bool sim_counts(const struct sim_context *c)
{
	const struct sim_thread *t = sim_now();
	const u32 flags = c->set_flags[c->set];

	if (!c->started || c->masked || sim.frozen[sim.here])
		return false;
	if (!sim_is_privileged(c))
		return t->up;
	if (sim.in_interrupt || t->place == SIM_BREAK)
		return !(flags & PFM_ITA_SETFL_EXCL_INTR);
	if (flags & PFM_SETFL_EXCL_IDLE && t->t->task->flags & PF_IDLE)
		return false;
	return !(flags & PFM_ITA_SETFL_INTR_ONLY);
}

/* A period is over: the core has learnt of it. */
static void sim_overflow(struct sim_context *c)
{
	sim.overflows++;
	c->pos[c->set] = 0;
	c->late[c->set] = c->notify;
	if (c->notify) {
		c->masked = true;
		c->state = ++sim.states;
	}
}

/* Something happens to the thread that runs here, at the level where it is. */
static void sim_happen(void)
{
	struct sim_thread *t = sim_now();
	struct sim_context *c = sim_live();
	const bool user = t->place == SIM_USER && !sim.in_interrupt && sim_is_program(t);
	u64 n = sim_random(4);
	unsigned int k = sim_random(4) ? 0 : sim_random(20);

	if (!user && !sim.in_interrupt && t->unsure)
		return;
	sim.happened++;
	if (t->unit)
		n *= t->unit;
	pfm_itc_count(CYCLES >> 8, n);
	if (c && sim_counts(c)) {
		if (user)
			c->want[c->set][0] += n;
		c->want[c->set][1] += n;
	}
	pfm_itc_count(OTHER >> 8, k);
	if (!c || !sim_counts(c) || c->late[c->set])
		return;
	c->pos[c->set] += k;
	if (c->pos[c->set] >= SIM_PERIOD)
		sim.frozen[sim.here] = true;
}

/* The thread that runs here enters the kernel, and returns. */
static void sim_enter(enum sim_place place)
{
	sim_now()->place = place;
	if (place == SIM_EPC)
		pfm_itc_epc();
	else
		pfm_itc_break();
}

static void sim_return(void)
{
	struct sim_thread *t = sim_now();

	t->place = SIM_USER;
	t->unsure = false;
	pfm_itc_return();
}

static void sim_interrupt(void)
{
	pfm_itc_interrupt();
	sim.in_interrupt = true;
	sim_happen();
	sim_happen();
	sim.in_interrupt = false;
	pfm_itc_rfi();
}

/*
 * What is monitored has changed (started, stopped, another set): a thread that is in the
 * kernel may have the old psr.pp until it returns.
 */
static void sim_change(struct sim_context *c, bool of_break)
{
	struct sim_thread *t = c->thread;

	c->state = ++sim.states;
	if (!sim_is_privileged(c))
		return;
	if (!t)
		t = sim.on[c->cpu];
	if (t && t->cpu >= 0 && sim_is_program(t) &&
	    (t->place == SIM_EPC || (of_break && t->place == SIM_BREAK)))
		t->unsure = true;
}

static int sim_turn_here(struct pfm_context *ctx, void *task)
{
	pfm_runstate_next(ctx, pfm_runstate_kind(task), local_clock());
	pfm_rules_switch_to(ctx, task);
	return 0;
}

static void sim_out(struct sim_thread *t, struct sim_context *c)
{
	t->cpu = -1;
	t->left = 0;
	if (!c)
		return;
	t->left = c->state;
	if (sim.system)
		return;
	pfm_fixture_out(c->ctx);
	if (sim.frozen[sim.here])
		sim_overflow(c);
	sim.frozen[sim.here] = false;
}

/* Linux gives debug registers to the thread that comes, and leaves them as they are else. */
static void sim_in(struct sim_thread *t)
{
	struct sim_context *c;
	unsigned int i;

	t->cpu = sim.here;
	sim.on[sim.here] = t;
	pfm_itc_set_current(t->t);
	for (i = 0; t->debugged && i < 8; i++) {
		pfm_itc_set(PFM_IA64_IBRS, i, ~0ULL);
		pfm_itc_set(PFM_IA64_DBRS, i, ~0ULL);
	}
	c = sim_live();
	if (!c)
		return;
	if (!sim.system)
		pfm_fixture_in(c->ctx);
	if (sim_is_privileged(c) && sim_is_program(t) && t->left != c->state &&
	    (t->place == SIM_EPC || (sim.system && !t->left)))
		t->unsure = true;
}

/* Another thread comes to this CPU; at user level, something has interrupted the last one. */
static void sim_switch(void)
{
	struct sim_thread *prev = sim_now(), *next;
	struct sim_context *c = sim_live();
	unsigned long flags;

	do {
		next = &sim.threads[sim_random(ITC_THREADS)];
		if (next == &sim.threads[sim.here ? ITC_IDLE : ITC_IDLE_2])
			next = prev;
	} while (next != prev && next->cpu >= 0);
	if (next == prev)
		return;
	if (sim_is_program(prev) && prev->place == SIM_USER)
		sim_enter(SIM_BREAK);
	if (sim.system && c)
		pfm_reach_call(c->ctx, sim_turn_here, next->t->task);
	local_irq_save(flags);
	sim_out(prev, c);
	sim_in(next);
	local_irq_restore(flags);
}

/*
 * The overflow has frozen the counters of this CPU. Its interrupt comes now, or a little
 * later, when nothing has counted since; or when another thread runs.
 */
static void sim_deliver(void)
{
	struct sim_context *c = sim_live();

	if (!pfm_itc_pending())
		return;
	if (sim_random(2))
		sim_happen();
	if (sim_random(3) == 0)
		sim_switch();
	this_cpu_write(pfm_cpu.lane[PFM_LANE_THREAD].storm, 0);
	KUNIT_EXPECT_EQ(sim.test, pfm_itc_vector(), (unsigned int)VECTOR);
	KUNIT_EXPECT_TRUE(sim.test, pfm_glue_interrupt(pfm_itc_vector()));
	if (sim.frozen[sim.here])
		sim_overflow(c);
	sim.frozen[sim.here] = false;
}

/* From now on the test is on this CPU. */
static void sim_move(unsigned int to)
{
	if (sim.here != to) {
		migrate_enable();
		KUNIT_ASSERT_EQ(sim.test,
				set_cpus_allowed_ptr(current, cpumask_of(sim.cpu[to])), 0);
		migrate_disable();
		sim.here = to;
	}
	pfm_glue_leave();
}

/* Commands: of the program that runs here. False if there is none. */
static bool sim_begin(bool *entered)
{
	struct sim_thread *t = sim_now();

	if (!sim_is_program(t))
		return false;
	*entered = t->place == SIM_USER;
	if (*entered)
		sim_enter(sim_random(2) ? SIM_BREAK : SIM_EPC);
	return true;
}

static void sim_end(bool entered)
{
	if (entered)
		sim_return();
}

static int sim_event_here(struct pfm_context *ctx, void *what)
{
	pfm_rules_thread(ctx, (unsigned long)what);
	return 0;
}

static void sim_go_live(void *ctx)
{
	pfm_fixture_in(ctx);
}

static void sim_load(struct sim_context *c)
{
	struct sim_thread *t = c->thread;
	const bool refused = c->ranges && sim.debugged;

	if (c->loaded)
		return;
	KUNIT_EXPECT_EQ(sim.test, pfm_reserve_hold(c->ctx, c->ctx->uses, c->ctx->programmed),
			refused ? -EBUSY : 0);
	if (refused)
		return;
	pfm_fixture_load(c->ctx);
	c->ctx->task = t ? t->t->task : NULL;
	c->ctx->own = t == sim_now();
	if (!t)
		this_cpu_write(pfm_cpu.live, c->ctx);
	if (!t || t->cpu == sim.here)
		pfm_fixture_in(c->ctx);
	else if (t->cpu >= 0)
		smp_call_function_single(sim.cpu[t->cpu], sim_go_live, c->ctx, 1);
	pfm_reach_call_any(c->ctx, sim_event_here, (void *)PFM_THREAD_LOAD);

	c->loaded = true;
	c->started = c->masked = false;
	c->set = 0;
	if (c->late[0])
		c->pos[0] = 0;
	c->late[0] = false;
	sim_change(c, false);
	if (!t)
		return;
	t->left = 0;
	t->sp = !(t == sim_now() || c->flags & PFM_ITA_FL_INSECURE);
}

static int sim_unload_here(struct pfm_context *ctx, void *unused)
{
	pfm_runstate_stop(ctx);
	pfm_rules_thread(ctx, PFM_THREAD_UNLOAD);
	if (ctx->cpu >= 0)
		pfm_runstate_out(ctx, local_clock());
	ctx->state = PFM_UNLOADED;
	ctx->task = NULL;
	return 0;
}

static void sim_unload(struct sim_context *c)
{
	if (!c->loaded)
		return;
	pfm_reach_call_any(c->ctx, sim_unload_here, NULL);
	pfm_reserve_yield(c->ctx);
	c->loaded = c->started = c->masked = false;
	c->state = 0;
	if (!c->thread) {
		this_cpu_write(pfm_cpu.live, NULL);
		return;
	}
	c->thread->sp = true;
	if (!sim_is_privileged(c))
		c->thread->up = false;
}

static void sim_start(struct sim_context *c)
{
	pfarg_start_t req = { .start_set = sim_random(2) };
	const bool named = sim_random(2);

	KUNIT_EXPECT_EQ(sim.test, pfm_control_start(c->ctx, named ? &req : NULL),
			c->loaded ? 0 : -EBUSY);
	if (!c->loaded)
		return;
	c->started = true;
	if (named && req.start_set != c->set) {
		c->set = req.start_set;
		if (!c->masked && c->late[c->set]) {
			c->late[c->set] = false;
			c->pos[c->set] = 0;
		}
	}
	if (!sim_is_privileged(c))
		c->thread->up = true;
	sim_change(c, false);
}

static void sim_stop(struct sim_context *c)
{
	KUNIT_EXPECT_EQ(sim.test, pfm_control_stop(c->ctx), c->loaded ? 0 : -EBUSY);
	if (!c->loaded)
		return;
	c->started = false;
	if (!sim_is_privileged(c))
		c->thread->up = false;
	sim_change(c, false);
}

static void sim_restart(struct sim_context *c)
{
	KUNIT_EXPECT_EQ(sim.test, pfm_control_restart(c->ctx), c->masked ? 0 : -EBUSY);
	if (!c->masked)
		return;
	c->masked = false;
	if (c->late[c->set])
		c->pos[c->set] = 0;
	c->late[c->set] = false;
	sim_change(c, c->thread != NULL);
}

/* Conservation: what the program is told is what has happened. */
static void sim_compare(struct sim_context *c)
{
	unsigned int set, i;

	for (set = 0; set < 2; set++) {
		for (i = 0; i < 2; i++)
			KUNIT_EXPECT_EQ_MSG(sim.test,
					    pfm_fixture_value(c->ctx, set, c->counter + i),
					    c->want[set][i], "set %u, PMD%u, flags %x, %x", set,
					    c->counter + i, c->flags, c->set_flags[set]);
		if (!c->late[set])
			KUNIT_EXPECT_EQ(sim.test, pfm_fixture_value(c->ctx, set, 4),
					(u64)(int)c->pos[set] - SIM_PERIOD);
	}
}

/* A range of code that IBR2 and 3 say. */
static void sim_write_range(struct sim_context *c)
{
	static const pfarg_pmc_t controls[ITC_KINDS] = {
		{ .reg_num = 13, .reg_value = 0x0003ffff00000000ULL },
		{ .reg_num = 14, .reg_value = 0x0db60db60db60da6ULL },
		{ .reg_num = 38, .reg_value = 0xda6 },
	};
	const bool refused = c->loaded && sim.debugged && !c->ranges;
	pfarg_pmc_t req;
	unsigned int i;

	if (sim.kind == ITC_GENERIC)
		return;
	for (i = 0; i < 4; i++) {
		req = (pfarg_pmc_t){ .reg_num = PFM_ITA_IBR(2), .reg_value = 0x4000 };
		if (i & 1)
			req = controls[sim.kind];
		req.reg_set = i / 2;
		KUNIT_EXPECT_EQ(sim.test, pfm_fixture_write_pmc(c->ctx, &req),
				refused ? -EBUSY : 0);
	}
	c->ranges |= !refused;
}

/* What the PMU looks at is the set's, whatever a debugger has left. */
static void sim_look_at_range(const struct sim_context *c)
{
	unsigned int i;

	if (!c || !c->ranges || !c->started || c->masked)
		return;
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(sim.test, pfm_itc_get(PFM_IA64_IBRS, i), i == 2 ? 0x4000ULL : 0ULL);
}

static bool sim_any_ranges(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sim.contexts); i++)
		if (sim.contexts[i].loaded && sim.contexts[i].ranges)
			return true;
	return false;
}

static void sim_set_debugged(struct sim_thread *t, bool debugged)
{
	sim.debugged += debugged - t->debugged;
	t->debugged = debugged;
	pfm_itc_ranges(!sim.debugged);
}

/* A debugger looks at the debug registers of a thread, which has to wait for that. */
static void sim_debug(struct sim_thread *t)
{
	const bool may = t->debugged || !sim_any_ranges();

	if (t->cpu >= 0)
		return;
	KUNIT_EXPECT_EQ(sim.test, pfm_glue_debug(t->t), may);
	if (may)
		sim_set_debugged(t, true);
}

/* The thread that runs here, in the kernel, executes another program. */
static void sim_exec(void)
{
	struct sim_thread *t = sim_now();

	pfm_glue_debug_end(t->t);
	sim_set_debugged(t, false);
	t->t->user_psr |= SP;
	t->sp = true;
	t->in_handler = false;
}

/* It ends. A new one, which has not run yet, is in its place. */
static void sim_exit(void)
{
	struct sim_thread *t = sim_now();

	if (t->own)
		sim_unload(t->own);
	pfm_glue_debug_end(t->t);
	sim_set_debugged(t, false);
	while (sim_now() == t)
		sim_switch();
	pfm_itc_new_thread(t->t);
	t->up = t->in_handler = t->unsure = false;
	t->sp = true;
	t->place = SIM_BREAK;
	t->left = 0;
}

/* What a program can do, and see. */
static void sim_at_user_level(void)
{
	struct sim_thread *t = sim_now();
	unsigned int n;

	switch (sim_random(4)) {
	case 0:
		pfm_itc_sum();
		t->up |= !t->sp;
		break;
	case 1:
		pfm_itc_rum();
		t->up &= t->sp;
		break;
	case 2:
		if (t->in_handler)
			break;
		pfm_itc_signal();
		t->in_handler = true;
		t->saved_up = t->up;
		break;
	case 3:
		if (!t->in_handler)
			break;
		sim_enter(SIM_BREAK);
		pfm_glue_sigreturn();
		sim_return();
		t->in_handler = false;
		if (!t->sp)
			t->up = t->saved_up;
		break;
	}
	KUNIT_EXPECT_EQ(sim.test, pfm_itc_psr() & SP, t->sp ? SP : 0ULL);
	if (!sim.system)
		KUNIT_EXPECT_EQ(sim.test, !!(pfm_itc_psr() & UP), t->up);
	for (n = 5; n < 8; n++) {
		const u64 seen = pfm_itc_mov_pmd(n);

		/* Another one's events are a unit each, or no multiple of it. */
		if (t->sp || !t->own || !t->own->loaded || sim_is_privileged(t->own) ||
		    n < t->own->counter || n > t->own->counter + 1)
			KUNIT_EXPECT_EQ(sim.test, seen, 0ULL);
		else if (sim_counts(t->own))
			KUNIT_EXPECT_EQ(sim.test, seen,
					t->own->want[t->own->set][n - t->own->counter]);
		else if (t->unit)
			KUNIT_EXPECT_EQ(sim.test, seen % SIM_UNIT, 0ULL);
		else
			KUNIT_EXPECT_LT(sim.test, seen, (u64)SIM_UNIT);
	}
}

/* A command for a context: of a CPU, for that of this CPU; of a thread, from anywhere. */
static void sim_command(void)
{
	struct sim_context *c = &sim.contexts[sim.system ? sim.here : sim_random(2)];
	bool entered;

	if (!sim_begin(&entered))
		return;
	switch (sim_random(8)) {
	case 0:
	case 1:
		sim_load(c);
		break;
	case 2:
	case 3:
		sim_start(c);
		break;
	case 4:
		sim_stop(c);
		break;
	case 5:
		sim_restart(c);
		break;
	case 6:
		if (sim_random(4) == 0)
			sim_unload(c);
		break;
	case 7:
		if (sim_random(4) == 0)
			sim_write_range(c);
		sim_compare(c);
		break;
	}
	sim_look_at_range(sim_live());
	sim_end(entered);
}

static void sim_step(void)
{
	struct sim_thread *t = sim_now();
	unsigned int i;

	switch (sim_random(16)) {
	case 0:
	case 1:
		sim_switch();
		break;
	case 2:
		sim_move(sim_random(sim.num_cpus));
		break;
	case 3:
	case 4:
	case 5:
		sim_command();
		break;
	case 6:
		sim_interrupt();
		break;
	case 7:
		if (sim_is_program(t) && t->place == SIM_USER)
			sim_enter(sim_random(2) ? SIM_BREAK : SIM_EPC);
		break;
	case 8:
	case 9:
		if (sim_is_program(t) && t->place != SIM_USER)
			sim_return();
		break;
	case 10:
		sim_debug(&sim.threads[ITC_USER + sim_random(2)]);
		break;
	case 11:
		if (!sim_is_program(t) || t->place == SIM_USER)
			break;
		switch (sim_random(4)) {
		case 0:
			sim_exec();
			break;
		case 1:
			sim_exit();
			break;
		}
		break;
	case 12:
		if (sim_random(8) == 0)
			KUNIT_EXPECT_TRUE(sim.test, glue_do_work());
		break;
	default:
		if (sim_is_program(t) && t->place == SIM_USER)
			sim_at_user_level();
		break;
	}
	sim_happen();
	sim_deliver();
	KUNIT_EXPECT_FALSE(sim.test, sim.debugged && sim_any_ranges());
	for (i = ITC_USER; i <= ITC_USER_2; i++)
		KUNIT_EXPECT_EQ(sim.test, pfm_glue_is_debugged(sim.threads[i].t),
				sim.threads[i].debugged);
}

static void sim_write(struct sim_context *c, unsigned int set, unsigned int n, u64 value)
{
	pfarg_pmd_t pmd = { .reg_num = n, .reg_set = set, .reg_value = -(u64)SIM_PERIOD,
			    .reg_long_reset = -(u64)SIM_PERIOD,
			    .reg_short_reset = -(u64)SIM_PERIOD };
	pfarg_pmc_t pmc = { .reg_num = n, .reg_set = set, .reg_value = value };

	if (c->notify && n == 4)
		pmc.reg_flags = PFM_REGFL_OVFL_NOTIFY;
	KUNIT_EXPECT_EQ(sim.test, pfm_fixture_write_pmc(c->ctx, &pmc), 0);
	if (n == 4)
		KUNIT_EXPECT_EQ(sim.test, pfm_fixture_write_pmd(c->ctx, &pmd), 0);
}

static void sim_make_context(const struct sim_plan *plan, unsigned int i)
{
	struct sim_context *c = &sim.contexts[i];
	unsigned int set;

	*c = (struct sim_context){
		.thread = plan->system ? NULL : &sim.threads[ITC_USER + i],
		.cpu = i, .flags = plan->flags[i], .notify = plan->notify,
		.set_flags = { plan->set_flags[i][0], plan->set_flags[i][1] },
		/* Each has a register that the other one does not use. */
		.counter = 5 + i,
	};
	if (c->thread)
		c->thread->own = c;
	c->ctx = pfm_fixture_new(c->flags | (plan->system ? PFM_FL_SYSTEM_WIDE : 0), NULL);
	KUNIT_ASSERT_FALSE(sim.test, IS_ERR(c->ctx));
	mutex_lock_nested(&c->ctx->mutex, i);
	for (set = 0; set < 2; set++) {
		KUNIT_EXPECT_EQ(sim.test, pfm_fixture_set(c->ctx, set, c->set_flags[set]), 0);
		sim_write(c, set, 4, OTHER | BOTH);
		sim_write(c, set, c->counter, CYCLES | USER);
		sim_write(c, set, c->counter + 1, CYCLES | BOTH);
	}
}

static void sim_make_threads(void)
{
	unsigned int i;

	for (i = 0; i < ITC_THREADS; i++)
		sim.threads[i] = (struct sim_thread){
			.t = pfm_itc_thread(i), .cpu = -1, .sp = true,
		};
	/* They are found in a system call. */
	sim.threads[ITC_USER].place = SIM_BREAK;
	sim.threads[ITC_USER_2].place = SIM_BREAK;
	sim.threads[ITC_USER_2].unit = SIM_UNIT;
	if (sim_random(2))
		pfm_itc_thread(ITC_KTHREAD)->task->flags = PF_USER_WORKER;
	sim.here = 0;
	for (i = 0; i < sim.num_cpus; i++) {
		sim_move(i);
		sim.on[i] = &sim.threads[i ? ITC_IDLE_2 : ITC_IDLE];
		sim.on[i]->cpu = i;
		pfm_itc_set_current(sim.on[i]->t);
		pfm_fixture_disarm();
		this_cpu_write(pfm_cpu.credits, 0);
	}
	sim_move(0);
}

/* Back to where nothing is monitored, each context at the CPU where it is. */
static void sim_finish(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sim.contexts); i++) {
		struct sim_context *c = &sim.contexts[i];

		sim_move(sim.system ? i % sim.num_cpus : 0);
		if (sim_is_program(sim_now()) && sim_now()->place == SIM_USER)
			sim_enter(SIM_BREAK);
		sim_compare(c);
		sim_unload(c);
		sim_compare(c);
		pfm_fixture_free(c->ctx);
	}
	for (i = 0; i < ITC_THREADS; i++)
		pfm_glue_debug_end(sim.threads[i].t);
	for (i = 0; i < sim.num_cpus; i++) {
		sim_move(i);
		pfm_fixture_disarm();
	}
	sim_move(0);
}

static void sim_run(struct kunit *test, enum pfm_itc_kind kind, const struct sim_plan *plan,
		    unsigned int seed)
{
	unsigned int i;

	pfm_itc_make(test, kind);
	pfm_itc_use_glue();
	pfm_itc_break();
	KUNIT_ASSERT_EQ(test, pfm_glue_boot(&glue_cpus[kind]), 0);
	pfm_fixture_poll_late();
	memset(&sim.frozen, 0, sizeof(sim.frozen));
	sim.kind = kind;
	sim.system = plan->system;
	sim.debugged = 0;
	sim.states = 0;
	pfm_itc_ranges(true);
	prandom_seed_state(&sim.rnd, seed);
	sim_make_threads();
	for (i = 0; i < ARRAY_SIZE(sim.contexts); i++)
		sim_make_context(plan, i);
	for (i = 0; i < sim_steps && test->status == KUNIT_SUCCESS; i++)
		sim_step();
	if (test->status != KUNIT_SUCCESS)
		kunit_err(test, "%s, seed %u, step %u\n", pfm_itc_names[kind], seed, i);
	sim_finish();
	glue_done(test);
}

static void sim_run_all(struct kunit *test, const struct sim_plan *plans, unsigned int n)
{
	const unsigned int most = pfm_config.interrupts_max;
	unsigned int kind, i, seed = 0;
	int cpu;

	memset(&sim, 0, sizeof(sim));
	sim.test = test;
	for_each_online_cpu(cpu)
		if (sim.num_cpus < ARRAY_SIZE(sim.cpu))
			sim.cpu[sim.num_cpus++] = cpu;
	migrate_enable();
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(sim.cpu[0])), 0);
	migrate_disable();
	WRITE_ONCE(pfm_config.interrupts_max, UINT_MAX);
	for (kind = 0; kind < ITC_KINDS; kind++)
		for (i = 0; i < n && test->status == KUNIT_SUCCESS; i++)
			sim_run(test, kind, &plans[i], ++seed);
	WRITE_ONCE(pfm_config.interrupts_max, most);
	/* All of this has been going on. */
	KUNIT_EXPECT_GT(test, sim.happened, (u64)sim_steps * seed / 2);
	KUNIT_EXPECT_GT(test, sim.overflows, 2ULL * seed);
	migrate_enable();
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	migrate_disable();
}

#define EXCL	PFM_ITA_SETFL_EXCL_INTR
#define ONLY	PFM_ITA_SETFL_INTR_ONLY
#define IDLE	PFM_SETFL_EXCL_IDLE
#define PRIV	PFM_ITA_FL_PRIV_MONITORS
#define INSECURE PFM_ITA_FL_INSECURE

/* Two threads: each can use the PMU if it has attached the context itself, or may anyway. */
static void glue_test_threads(struct kunit *test)
{
	static const struct sim_plan plans[] = {
		{ .flags = { 0, 0 } },
		{ .flags = { 0, INSECURE }, .notify = true },
		{ .flags = { PRIV, 0 } },
		{ .flags = { PRIV, PRIV | INSECURE }, .set_flags = { { EXCL, 0 }, { ONLY, EXCL } } },
		{ .flags = { INSECURE, PRIV }, .set_flags = { {}, { ONLY, EXCL } },
		  .notify = true },
	};

	sim_run_all(test, plans, ARRAY_SIZE(plans));
}

static void glue_test_cpus(struct kunit *test)
{
	static const struct sim_plan plans[] = {
		{ .system = true },
		{ .system = true, .set_flags = { { 0, EXCL }, { ONLY, IDLE } } },
		{ .system = true, .set_flags = { { EXCL | IDLE, ONLY | IDLE }, { EXCL, ONLY } },
		  .notify = true },
	};

	sim_run_all(test, plans, ARRAY_SIZE(plans));
}

static struct kunit_case glue_cases[] = {
	KUNIT_CASE(glue_test_boot),
	KUNIT_CASE(glue_test_accesses),
	KUNIT_CASE(glue_test_work),
	KUNIT_CASE(glue_test_debuggers),
	KUNIT_CASE(glue_test_user_mask),
	KUNIT_CASE(glue_test_user_mask_race),
	KUNIT_CASE(glue_test_threads),
	KUNIT_CASE(glue_test_cpus),
	{}
};

static struct kunit_suite glue_suite = {
	.name = "perfmon-ia64-glue",
	.init = glue_init,
	.exit = glue_exit,
	.test_cases = glue_cases,
};
kunit_test_suite(glue_suite);
