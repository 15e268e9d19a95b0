/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: what the rooms of the core share. One prototype, one home: the
 * kernel-doc of a function stands with its definition. The rooms and the unit tests include
 * this; so do clock.h, hw.h, reach.h, setswitch.h, soft.h and timer.h, for those rooms that
 * have to do with what each names.
 *
 * Keys of the fields below, and the order in which the locks are taken:
 *
 *	[c]	constant once the context, or whatever it is part of, is published
 *	[m]	pfm_context.mutex: one command at a time
 *	[m*]	like [m], a byte that is set once; the hooks, and a thread's own commands, read
 *		it without. It is set before what needs it is written to a register, for
 *		which the command comes to the CPU where the context is live
 *	[l]	pfm_context.lock, raw, interrupts off, taken inside the locks
 *		above and inside the scheduler's. Nothing that wakes a thread
 *		or takes a lock of the scheduler may be called under it.
 *	[l*]	like [l], but also read without the lock, by READ_ONCE() or
 *		where a stale value does no harm
 *	[u]	changed under the mutex, and only while the context is unloaded;
 *		so either lock suffices to read it
 *	[o]	changed by the owner of the context's live state; programs read it
 *	[p]	this CPU only, interrupts off
 *	[p*]	like [p], but other CPUs read it, or change it where this CPU
 *		cannot: at boot, and while it is offline
 *	[n]	like [p], but an NMI may come in the midst of a change, and looks at the field, or
 *		changes it. If the change of one is lost, no count is wrong by it
 *	[d]	changed under pfm_pmu_mutex, and only while no context exists
 *	[w]	READ_ONCE(), WRITE_ONCE()
 *	[a]	atomic
 *	[f]	under the lock, or the mutex, that stands in the same file
 *	[s]	has its own lock, or needs none: one thread or CPU has it on its stack
 *
 * While pfm_context.cpu >= 0 only code on that CPU may change [l] fields (the
 * blocker is the exception). It takes both: the lock, so that no other CPU
 * decides anything meanwhile, and running there, because the registers can be
 * reached from nowhere else.
 */
#ifndef _KERNEL_PERFMON_PFM_H
#define _KERNEL_PERFMON_PFM_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/cache.h>
#include <linux/cred.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <perfmon/format.h>
#include <perfmon/glue.h>
#include <perfmon/hooks.h>
#include <perfmon/perfmon.h>
#include <perfmon/pmu_rules.h>

/*
 * A field that some read, or write, without its lock, and may: to the race detector it is
 * as if by READ_ONCE() and WRITE_ONCE(). Kernels have it since 6.10.
 */
#ifndef __data_racy
#ifdef __SANITIZE_THREAD__
#define __data_racy	volatile
#else
#define __data_racy
#endif
#endif

#define PFM_NONE	0xff	/* no such register, in the numbers below */

/*
 * The first of some registers, of which there are any. A compiler that is to save space makes a
 * function of __ffs64(), and calls it.
 */
static __always_inline unsigned int pfm_first(u64 mask)
{
	return IS_ENABLED(CONFIG_64BIT) ? __ffs(mask) : __ffs64(mask);
}

/* A data register of a set. [l] */
struct pfm_pmd {
	u64 value;			/* as of the last synchronisation */
	u64 last;			/* what the source, or register, said then */
};

/*
 * Where a data register of a set starts again. Registers that are always reset to 0 have one of
 * these together, in which all of it is 0, but for the state of a generator that nothing asks. [l]
 */
struct pfm_reset {
	u64 long_reset;
	u64 short_reset;
	u64 last_reset;
	u64 random_mask;
	u64 thres;			/* overflows before a switch, 0: none */
	u64 thres_left;			/* ... left */
	u32 random;			/* state of the generator */
};

/*
 * The registers of all descriptions, densely numbered in increasing order of
 * their logical numbers, so that a set of PMDs is one u64 in the core. All of it [d].
 */
struct pfm_regmap {
	unsigned int num_pmcs;
	unsigned int num_pmds;
	unsigned int num_resets;
	const struct pfm_pmc_desc *pmc[PFM_PMCS_MAX];
	const struct pfm_pmd_desc *pmd[PFM_PMDS_MAX];
	const struct pfm_pmu *pmc_pmu[PFM_PMCS_MAX];
	u8 pmc_of[PFM_MAX_PMCS];	/* logical number to dense, or NONE */
	u8 pmd_of[PFM_MAX_PMDS];
	u8 ctrl[PFM_PMDS_MAX];		/* the PMC of a PMD, or NONE */
	u16 reset_at[PFM_PMDS_MAX];	/* bytes from a set's begin to its struct pfm_reset of a PMD */
	u64 pmds_of[PFM_PMCS_MAX];	/* the counters of a PMC */
	u64 uncounted_of[PFM_PMCS_MAX];	/* ... its other registers that hw.c reaches */
	DECLARE_BITMAP(claimed, PFM_PMCS_MAX);	/* PMCs that others use, too */
	u64 counters;			/* PMDs that count */
	u64 soft;			/* ... in software */
	u64 hard;			/* ... in registers that hw.c reaches */
	u64 uncounted;			/* PMDs that hw.c reaches and that do not count */
	u64 wiped;			/* PMDs that are set to @low when the thread leaves */
	u64 narrow;			/* counters of the hardware that wrap below 2^63, and need not
					 * hold the low bits of the value */
	const struct pfm_pmu *hw;	/* the description of the hardware, or NULL */
	u64 max[PFM_PMDS_MAX];		/* the most that a counter of it holds */
	u64 low[PFM_PMDS_MAX];		/* the least that a counter of it starts from */
	u64 reach[PFM_PMDS_MAX];	/* the longest way to a wrap that can be written */
	u64 poll;			/* ns between two looks at its counters */
	const struct pfm_pmu_rules *rules;	/* its rules, or NULL */
	/* What a new set has. */
	u64 def[PFM_PMCS_MAX];		/* its PMCs, unless the rules adapt them */
	DECLARE_BITMAP(common, PFM_PMCS_MAX);	/* those of the hardware that each set writes */
	struct pfm_pmd fresh[PFM_PMDS_MAX];
	struct pfm_reset fresh_resets[PFM_PMDS_MAX];
};

/* A control register of a set. [l] */
struct pfm_pmc {
	u64 smpl_pmds;			/* record these when the PMD overflows */
	u64 reset_pmds;			/* reset these, too */
	u64 eventid;
	u32 flags;			/* PFM_REGFL_... */
};

#define PFM_SW_EVENTS	(PFM_SW_MAJOR_FAULTS + 1)

/* A whole configuration of the PMU: an event set (3.7.1). [l] if not said otherwise. */
struct pfm_set {
	u16 id;				/* [c] */
	u16 id_next;			/* [u] explicit */
	u32 flags;			/* [u] PFM_SETFL_... */
	u32 load;			/* pfm_context.load when last active */
	u64 timeout;			/* [u] effective, ns */
	struct pfm_set *next;		/* [u] if pfm_context.linked */
	u64 runs;
	u64 act_ns;			/* time active until since */
	u64 since;			/* local_clock() */
	u64 left;			/* of the time-out at left_at, ns */
	u64 left_at;			/* local_clock() */
	u64 used;			/* counters that have an event */
	u64 notify;			/* ... whose overflow notifies */
	u64 random;			/* ... whose reset is randomised */
	u64 raw;			/* ... as wide as in hardware, no overflow */
	u64 ovfl;			/* ... that wait for a reset */
	u64 triggers;			/* ... with a threshold */
	u64 switched;			/* ... that ended its last activity */
	u64 sw[PFM_SW_EVENTS];		/* ... by software event */
	unsigned int events;		/* bits of those that have any */
	u64 hard;			/* used counters of the hardware */
	u64 uncounted;			/* its registers in use that do not count */
	u64 in_use;			/* both */
	u64 unarmed;			/* ... that may have to be written before they run */
	u64 controls;			/* names the values in pmcs: who has others has another one */
	u64 stamp;			/* where last is still right, unique */
	DECLARE_BITMAP(written, PFM_PMCS_MAX);	/* the hardware's PMCs */
	struct pfm_pmd *pmds;
	u64 *values;			/* of the PMCs */
	struct pfm_pmc pmcs[];
};

/*
 * The message queue: a ring with one producer, the owner of the context's live
 * state; consumers agree by cmpxchg() of the tail. Neither needs a lock of its own, so
 * that an NMI can be the producer, and a reader can wait for its own memory.
 */
struct pfm_queue {
	pfm_msg_t *ring;		/* [c] */
	unsigned int size;		/* [c] slots, a power of two */
	unsigned int depth;		/* [c] of these for overflows */
	unsigned int head;		/* [o] next slot to fill */
	unsigned int tail;		/* [a] next slot to read */
	u64 lost;			/* [o] messages that found it full */
	wait_queue_head_t wait;		/* [s] */
	struct fasync_struct *fasync;	/* [s] */
};

enum pfm_state {
	PFM_UNLOADED,			/* attached to nothing */
	PFM_LOADED,
	PFM_MASKED,			/* loaded, waits for PFM_RESTART */
};

struct pfm_account;
struct pfm_attach;
struct pfm_context;
struct pfm_format;
struct pfm_stale;
struct pfm_sysfs_format;
struct pfm_tree;

/* What a sampling format records into (3.5.4). */
struct pfm_buffer {
	void *addr;			/* [c] whole pages, or NULL */
	size_t size;			/* [c] bytes */
	size_t priv;			/* [c] bytes before it, whole pages, the format's */
	spinlock_t lock;		/* [s] a leaf, for what follows */
	struct rb_root mappings;	/* [s] struct pfm_mapping, of all processes */
	struct rb_root tables;		/* [s] those that go with a table of descriptors */
	unsigned int vmas;		/* [s] in those of them that mmap() made */
	bool closed;			/* [s] set once: some descriptor was closed */
};

/*
 * What makes a thread wait for PFM_RESTART (PFM_FL_NOTIFY_BLOCK). One for
 * each attachment: the thread may find it on its list of work long after the
 * context has moved on.
 */
struct pfm_blocker {
	struct callback_head work;	/* [s] */
	struct pfm_context *ctx;	/* [c] holds a reference */
	bool queued;			/* [l] on the thread's list */
	bool orphan;			/* [l] frees itself */
};

struct pfm_context {
	u32 flags;			/* [c] PFM_FL_... */
	struct kref ref;		/* [s] the file, notifications under way,
					 * ends of attachments, blockers */
	struct rcu_head rcu;		/* [s] the hooks look without a lock */
	struct mutex mutex;		/* [s] */
	raw_spinlock_t lock;		/* [s] */

	enum pfm_state state;		/* [l*] */
	bool started;			/* [l] by PFM_START */
	bool away;			/* [l] a thread runs that the active set leaves out */
	bool blocked;			/* [l] the thread has to wait */
	bool gone;			/* [l*] ended by itself, without a message */
	bool self;			/* [l] its process attached it itself */
	bool own;			/* [l] the thread did */
	bool switch_due;		/* [l] PFM_RESTART goes to the next set */
	bool linked;			/* [m] pfm_set.next is right */
	bool __data_racy clocked;	/* [m*] reads a clock */
	bool __data_racy heeds;		/* [m*] clocked, or samples the kernel */
	bool __data_racy switches;	/* [m*] if system-wide, looks at switches */
	bool __data_racy faults;	/* [m*] counts page faults */
	bool __data_racy each;		/* [m*] of a tree, counts what each member has */
	u8 __data_racy uses;		/* [l*] PFM_HOLD_..., never less: has programmed */
	u8 held;			/* [l*] PFM_HOLD_..., set under [m]: has to itself */
	DECLARE_BITMAP(programmed, PFM_PMCS_MAX);	/* [l*] never less: the hardware's PMCs
					 * that have had another value than their default */
	DECLARE_BITMAP(claims, PFM_PMCS_MAX);	/* [l*] set under [m]: has for its kind */
	u32 kind;			/* [l] pfm_runstate_kind() of the thread that runs */
	int cpu;			/* [l*] where it is live, or -1 */
	u32 load;			/* [l] how often it was attached */
	u64 clock;			/* [l] its task clock, which never goes back */
	u64 throttled;			/* [l*] how often it was masked for that */
	unsigned long interrupts_at;	/* [l] jiffies when the count began: the first overflow
					 * a second later begins it anew */
	u64 interrupts;			/* [l] overflows since */
	struct task_struct *task;	/* [l] the thread that it monitors, referenced; of a slot,
					 * the member that runs here, if @each, not referenced */
	struct pfm_tree *tree;		/* [l*] set under [m]: whose sum it is */
	unsigned long missed;		/* [l] pfm_tree.missed of its last tree */
	struct pfm_tree *joined;	/* [l*] set under [m]: of which it is a slot, referenced */
	u64 ahead;			/* [l] of a slot: by how much clock was too high */
	struct pfm_set *set;		/* [l] the active set */
	struct pfm_blocker *blocker;	/* [l] */
	const struct cred *cred;	/* [l*] of the process that attached it last */

	struct pfm_format *format;	/* [c] or NULL */
	struct pfm_buffer buf;		/* [c] */
	pfm_ovfl_arg_t *ovfl_arg;	/* [l] for the format's handler */
	u64 ovfl_smpl;			/* [l] the PMDs in its vector */
	struct pid_namespace *pid_ns;	/* [c] of the creator */
	bool format_open;		/* [c] the format has to be told of the end */
	bool see_kernel;		/* [c] may be shown kernel addresses */
	bool no_hard;			/* [m] the caller may not use the PMU */

	struct xarray sets;		/* [m] by id */
	struct pfm_account *account;	/* [c] who pays */
	u64 mem;			/* [m] bytes that it was charged as a context */
	struct file *file;		/* [c] not referenced: it owns us */
	const void *holder;		/* [a] the creator's table of descriptors, until
					 * one of the context's is closed there */
	struct pfm_queue queue;		/* [s] */
	struct irq_work notify_work;	/* [s] */
	struct work_struct group_work;	/* [s] */
	wait_queue_head_t block_wait;	/* [s] */
};

/* Whether a context of a tree is one that joins it, and samples. [c] */
static inline bool pfm_is_joiner(const struct pfm_context *ctx)
{
	return (ctx->flags & PFM_FL_TREE) && ctx->format;
}

/* From now on the context has to do with a clock. [m] */
static inline void pfm_context_clock(struct pfm_context *ctx)
{
	ctx->clocked = true;
	ctx->heeds = true;
}

/* The argument of a command on a vector, copied in. [s] */
struct pfm_vector {
	void *elem;
	unsigned int n;
	unsigned int done;		/* elements that were looked at */
};

/* Elements for which interrupts stay off. */
#define PFM_VECTOR_PIECE	64

/* Where a piece ends. */
static __always_inline unsigned int pfm_vector_end(const struct pfm_vector *v)
{
	return min(v->n, v->done + PFM_VECTOR_PIECE);
}

/* Statistics, per CPU; debugfs shows them. */
enum pfm_stat {
	PFM_STAT_INTERRUPTS,		/* timer or PMU interrupts */
	PFM_STAT_SPURIOUS,		/* timer ... that found nothing to do */
	PFM_STAT_LATE,			/* PMU ... whose overflow had been found */
	PFM_STAT_FOREIGN,		/* ... that found stopped counters counting */
	PFM_STAT_SCHED_IN,		/* monitored threads switched in */
	PFM_STAT_SCHED_OUT,
	PFM_STAT_OVERFLOWS,		/* of 64-bit counters */
	PFM_STAT_LOST,			/* messages that found a full queue */
	PFM_STAT_SETSWITCHES,		/* from a set to the next */
	PFM_STAT_THROTTLED,		/* contexts masked for their interrupts */
	PFM_STATS,
};

/* What time it was, in ns; see clock.c. [n] */
struct pfm_clock {
	u64 thread;			/* CPU time of current ... */
	u64 now;			/* ... at this local_clock() */
};

/*
 * Contexts of each kind have a lane of their own on a CPU: a thread's, the CPU's. What both
 * have programmed, pfm_cpu.pmcs, is one.
 */
enum pfm_lane_kind {
	PFM_LANE_THREAD,
	PFM_LANE_CPU,
	PFM_LANES,
};

struct pfm_lane {
	struct pfm_run run;		/* [n] what counts, and for which context */
	u64 controls;			/* [p*] pfm_set.controls of what is in pmcs ... */
	DECLARE_BITMAP(named, PFM_PMCS_MAX);	/* [p] ... and pfm_set.written of that set */
	u64 stamp;			/* [p] pfm_set.stamp of what is in counters */
	u64 dirty;			/* [p] registers that are to be wiped */
	unsigned int storm;		/* [p] interrupts one upon the other */
	bool __data_racy deferred;	/* [n] one of them came in a section */
	bool __data_racy overtaken;	/* [n] a counter has counted a period more by then */
	u64 spent;			/* [p] in these, ns */
	u64 ended;			/* [p] local_clock() at the end of the last */
};

struct pfm_cpu {
	struct pfm_context *live;	/* [p] the running thread's, if it has one */
	struct pfm_clock clock[3];	/* [n] one of them is valid ... */
	unsigned int clock_at;		/* [n] ... this one; above the index: a count */
	u64 tstamp;			/* [p] of the last sample */
	u64 busy;			/* [p] not idle, ns, until busy_since */
	u64 busy_since;			/* [p] local_clock(), 0 while idle */
	unsigned long cswitches;	/* [p] of threads, while sys */
	unsigned long faults[2];	/* [p] minor, major, while sys */
	struct hrtimer timer;		/* [p*] task clock, time-outs of sets */
	u64 timer_at;			/* [p] local_clock() when it is due, 0: idle */
	bool timer_runs;		/* [p] its handler is at work, and sets it by what it returns */
	struct pfm_lane lane[PFM_LANES];	/* [p*] a field's own key counts */
	u64 __data_racy known;		/* [n] counters that stand still, and hold ... */
	u64 raw[PFM_PMDS_MAX];		/* [p] ... this: what they said last */
	u64 stamps;			/* [p] given out here */
	unsigned int owners;		/* [p] pfm_session_owners when last looked at */
	u64 used;			/* [p] pfm_set.in_use of all that were here */
	bool __data_racy touched;	/* [p*] the registers are in our use */
	bool stranded;			/* [p*] they were, when the CPU went offline */
	bool switching;			/* [p] a hook looks for overflows, in a switch */
	unsigned long __data_racy found;	/* [n] how often a read found a hardware wrap */
	unsigned int __data_racy credits;	/* [n] wraps whose interrupt has yet to come */
	unsigned long __data_racy credit_at;	/* [n] jiffies when the last such wrap was found */
	struct pfm_context *asleep[2];	/* [p] live, sys, when the machine wakes up */
	u64 pmcs[PFM_PMCS_MAX];		/* [p] what the registers hold ... */
	DECLARE_BITMAP(lost, PFM_PMCS_MAX);	/* [p] ... except for these */
	struct irq_work work;		/* [p*] what an NMI could not do */
	unsigned long interrupts_at;	/* [p] jiffies when the count began: the first overflow
					 * a second later begins it anew */
	u64 interrupts;			/* [p] overflows since */
	unsigned long stats[PFM_STATS];	/* [p*] */
	/*
	 * What other CPUs look at, and change, when a thread moves to this one: away
	 * from all that this CPU writes to at each switch.
	 */
	struct {
		struct pfm_context __rcu *sys;	/* [p*] the system-wide context */
		atomic_long_t migrations;	/* [a] to this CPU, while sys */
	} ____cacheline_aligned_in_smp;
};

DECLARE_PER_CPU_ALIGNED(struct pfm_cpu, pfm_cpu);

/*
 * The system-wide context of this CPU, or NULL. Interrupts are off, so that it
 * stays. Without any in the system its cache line need not be touched.
 */
static __always_inline struct pfm_context *pfm_attach_of_cpu(const struct pfm_cpu *c)
{
	if (!static_branch_unlikely(&pfm_sys_key.key))
		return NULL;
	return rcu_dereference_sched(c->sys);
}

/* Call with interrupts off. */
static __always_inline void pfm_stat_add(enum pfm_stat s, unsigned long n)
{
	__this_cpu_add(pfm_cpu.stats[s], n);
}

static __always_inline void pfm_stat_inc(enum pfm_stat s)
{
	pfm_stat_add(s, 1);
}

static __always_inline bool pfm_is_system(const struct pfm_context *ctx)
{
	return ctx->flags & PFM_FL_SYSTEM_WIDE;
}

/*
 * Where a context that is live on a CPU has what counts for it. Without any system-wide
 * context in the system nothing has to be asked. Interrupts are off, or NMI.
 */
static __always_inline struct pfm_lane *pfm_lane_of(struct pfm_cpu *c,
						    const struct pfm_context *ctx)
{
	if (static_branch_unlikely(&pfm_sys_key.key) && pfm_is_system(ctx))
		return &c->lane[PFM_LANE_CPU];
	return &c->lane[PFM_LANE_THREAD];
}

/*
 * Live state is looked at or changed: ctx->lock is held, interrupts are off, and the
 * context is live here if it is live at all. Only lockdep looks; in an NMI it cannot
 * say who has the lock, and on PowerPC it does not know that interrupts are off.
 */
static __always_inline void pfm_assert_live(const struct pfm_context *ctx)
{
	lockdep_assert_held(&ctx->lock);
	lockdep_assert(irqs_disabled());
	lockdep_assert(ctx->cpu < 0 || ctx->cpu == raw_smp_processor_id());
}

/*
 * The sets of a context are looked at, whether they are active or not: ctx->lock is held;
 * or the context is unloaded, and ctx->mutex is held, or no program can reach it yet.
 */
static __always_inline void pfm_assert_sets(const struct pfm_context *ctx)
{
	lockdep_assert(lockdep_is_held(&ctx->lock) ||
		       (ctx->state == PFM_UNLOADED &&
			(!ctx->file || lockdep_is_held(&ctx->mutex))));
}

extern struct pfm_regmap pfm_regmap;

/*
 * Whether the core stops a set while a thread of this kind runs: pfm_runstate_kind().
 * Some PMUs leave threads out by themselves, and count interrupts that come meanwhile.
 */
static __always_inline bool pfm_runstate_leaves_out(const struct pfm_set *set, u32 kind)
{
	kind &= set->flags;
	if (likely(!kind))
		return false;
	return !set->in_use || !pfm_regmap.rules || (kind & ~pfm_regmap.rules->excludes);
}

/*
 * Whether the context's time passes. A thread that is on no CPU still runs in
 * this sense: it may be moved. Under ctx->lock.
 */
static __always_inline bool pfm_runstate_running(const struct pfm_context *ctx)
{
	return ctx->state == PFM_LOADED && ctx->started;
}

/* Whether its events count: it runs, and its set does not leave the thread out. */
static __always_inline bool pfm_runstate_counting(const struct pfm_context *ctx)
{
	return pfm_runstate_running(ctx) && !ctx->away;
}

/*
 * The flags of sets that leave a thread out of a system-wide context. The idle
 * threads are kernel-only threads, too (6.2.3). A worker of io_uring is not: it
 * is a thread of its process, though it never gets to user level.
 */
static __always_inline u32 pfm_runstate_kind(const struct task_struct *task)
{
	if (is_idle_task(task))
		return PFM_SETFL_EXCL_IDLE | PFM_SETFL_EXCL_KERNEL_ONLY_THREADS;
	return task->flags & PF_KTHREAD ? PFM_SETFL_EXCL_KERNEL_ONLY_THREADS : 0;
}

/* pmu.c */
int pfm_pmu_validate(const struct pfm_pmu *pmu);
const struct pfm_pmu *pfm_pmu_hardware(void);
void pfm_pmu_get(void);
void pfm_pmu_put(void);
unsigned int pfm_pmu_find_pmc(unsigned int num);
u64 pfm_pmu_mask(const u64 *vec, bool *bad);
void pfm_pmu_vector(u64 mask, u64 *vec);
void pfm_pmu_info_pmc(unsigned int i, pfarg_pmcinfo_t *info);
void pfm_pmu_info_pmd(unsigned int i, pfarg_pmdinfo_t *info);
int pfm_pmu_getinfo(bool pmd, pfarg_pmcinfo_t *info);

/**
 * pfm_pmu_find_pmd() - look a data register up
 * @num: any number, from a program
 *
 * Context: any, while a context exists.
 * Return: its dense number, or PFM_NONE.
 */
static __always_inline unsigned int pfm_pmu_find_pmd(unsigned int num)
{
	if (num >= PFM_MAX_PMDS)
		return PFM_NONE;
	return pfm_regmap.pmd_of[array_index_nospec(num, PFM_MAX_PMDS)];
}

/* Whether the kernel writes a data register. */
static inline bool pfm_pmu_can_write(const struct pfm_pmd_desc *d)
{
	return !(d->flags & PFM_PMD_RDONLY) || (d->flags & PFM_PMD_CLEAR);
}

/* rules.c */
int pfm_rules_validate(const struct pfm_pmu *pmu);
u32 pfm_rules_ctx_flags(void);
u32 pfm_rules_set_flags(void);
u64 pfm_rules_adapt(const struct pfm_context *ctx, unsigned int pmc, u64 value);
bool pfm_rules_admits(const struct pfm_context *ctx, const struct pfm_set *set);
u64 pfm_rules_claims(unsigned int pmc, u64 value);
unsigned int pfm_rules_holds(unsigned int pmc, u64 value);
void __pfm_rules_thread(struct pfm_context *ctx, enum pfm_thread_event what);
void __pfm_rules_switch_to(struct pfm_context *ctx, struct task_struct *next);

/*
 * Most PMUs do not care about threads. A context that uses software alone has no say in
 * what the thread, or the CPU, does with the hardware: another context may use that.
 */
static __always_inline void pfm_rules_thread(struct pfm_context *ctx,
					     enum pfm_thread_event what)
{
	if (unlikely(pfm_regmap.rules) && ctx->uses)
		__pfm_rules_thread(ctx, what);
}

/* The threads that a system-wide context sees. */
static __always_inline void pfm_rules_switch_to(struct pfm_context *ctx,
						struct task_struct *next)
{
	if (unlikely(pfm_regmap.rules) && ctx->uses)
		__pfm_rules_switch_to(ctx, next);
}

/* random.c */
u32 pfm_random_seed(u32 seed);
u64 pfm_random_next(u32 *state, u64 mask);

/* set.c */
int pfm_set_prepare(void);
void pfm_set_exit(void);
size_t pfm_set_resets_at(const struct pfm_regmap *map);
size_t pfm_set_size(const struct pfm_regmap *map);
size_t pfm_set_mem(void);
struct pfm_set *pfm_set_new(struct pfm_context *ctx, u16 id);
void pfm_set_copy(struct pfm_set *to, const struct pfm_set *from);
void pfm_set_free_all(struct pfm_context *ctx);
struct pfm_set *pfm_set_find(struct pfm_context *ctx, u16 id);
int pfm_set_create(struct pfm_context *ctx, pfarg_setdesc_t *desc);
int pfm_set_delete(struct pfm_context *ctx, pfarg_setdesc_t *desc);
int pfm_set_getinfo(struct pfm_context *ctx, struct pfm_vector *v);
int pfm_set_link(struct pfm_context *ctx);
u64 pfm_set_act_ns(const struct pfm_context *ctx, const struct pfm_set *set, u64 now);
u64 pfm_set_left(const struct pfm_context *ctx, const struct pfm_set *set, u64 now);

/*
 * What a data register makes of a value: reserved bits keep their default, and a
 * counter of the hardware with PFM_REGFL_NO_64BIT_EMUL has its own width only.
 */
/* Where PMD @i of the set starts again. The caller has ctx->lock. */
static __always_inline struct pfm_reset *pfm_set_reset(const struct pfm_set *set, unsigned int i)
{
	return (struct pfm_reset *)((char *)set + pfm_regmap.reset_at[i]);
}

static inline u64 pfm_set_fit(const struct pfm_set *set, unsigned int i, u64 value)
{
	const struct pfm_pmd_desc *d = pfm_regmap.pmd[i];

	if (set->raw & pfm_regmap.hard & BIT_ULL(i))
		value &= pfm_regmap.max[i];
	return (value & ~d->rsvd) | (d->def & d->rsvd);
}

/* regs.c */
int pfm_regs_write_pmcs(struct pfm_context *ctx, struct pfm_vector *v);
int pfm_regs_write_pmds(struct pfm_context *ctx, struct pfm_vector *v);
int pfm_regs_read_pmds(struct pfm_context *ctx, struct pfm_vector *v);
int pfm_regs_read_pmds_piece(struct pfm_context *ctx, void *arg);

/* soft.c */
static inline bool pfm_soft_is_virtual(const struct pfm_pmd_desc *d)
{
	return d->type == PFM_REG_TYPE_VIRTUAL && !(d->flags & PFM_PMD_COUNTER);
}

extern const struct pfm_pmu pfm_soft_pmu;
int pfm_soft_note(struct pfm_context *ctx, const pfarg_pmc_t *req);
u64 pfm_soft_virtual(struct pfm_context *ctx, unsigned int num);

/* reserve.c */
int pfm_reserve_get(unsigned int what);
void pfm_reserve_put(unsigned int what);
void pfm_reserve_needs(const struct pfm_context *ctx, unsigned long *pmcs);
int pfm_reserve_hold(struct pfm_context *ctx, unsigned int what, const unsigned long *pmcs);
unsigned int pfm_reserve_take(struct pfm_context *ctx, unsigned int keep,
			      const unsigned long *pmcs);
void pfm_reserve_yield(struct pfm_context *ctx);
void pfm_reserve_online(unsigned int cpu);
bool pfm_reserve_is_used(void);
void pfm_reserve_leave(void);
void pfm_reserve_visit(void (*visit)(void *unused));

/* sleep.c */
extern struct notifier_block pfm_sleep_notifier;	/* [c] for its test */
void pfm_sleep_init(void);
void pfm_sleep_exit(void);

/* interrupt.c */
void pfm_interrupt_work(struct irq_work *work);
void pfm_interrupt_init_cpu(int cpu);
void pfm_interrupt_exit_cpu(int cpu);

/* sched.c */
void pfm_sched_want(const struct pfm_context *ctx);
void pfm_sched_unwant(void);

/* runstate.c */
void pfm_runstate_sync(struct pfm_context *ctx, u64 mask);
void pfm_runstate_update(struct pfm_context *ctx);
void pfm_runstate_freeze(struct pfm_context *ctx);
void pfm_runstate_thaw(struct pfm_context *ctx);
void pfm_runstate_resume(struct pfm_context *ctx, u64 now);
void pfm_runstate_pause(struct pfm_context *ctx, u64 now);
void pfm_runstate_start(struct pfm_context *ctx);
void pfm_runstate_stop(struct pfm_context *ctx);
void pfm_runstate_mask(struct pfm_context *ctx);
void pfm_runstate_unmask(struct pfm_context *ctx);
void pfm_runstate_next(struct pfm_context *ctx, u32 kind, u64 now);
void pfm_runstate_in(struct pfm_context *ctx, u64 now);
void pfm_runstate_out(struct pfm_context *ctx, u64 now);

/* overflow.c */
u64 __pfm_overflow_real(struct pfm_context *ctx, u64 wrapped);
void pfm_overflow_handle(struct pfm_context *ctx, u64 ovfl, u64 mask);
void pfm_overflow_reset(struct pfm_context *ctx, u64 ovfl, bool is_long);
void pfm_overflow_reset_read(struct pfm_context *ctx, struct pfm_set *set,
			     unsigned int i);

/* Of wraps, those that are overflows: all, unless a counter goes without emulation. */
static __always_inline u64 pfm_overflow_real(struct pfm_context *ctx, u64 wrapped)
{
	return unlikely(ctx->set->raw) ? __pfm_overflow_real(ctx, wrapped) : wrapped;
}

/* control.c */
int pfm_control_start(struct pfm_context *ctx, pfarg_start_t *req);
int pfm_control_stop(struct pfm_context *ctx);
int pfm_control_start_here(struct pfm_context *ctx, void *arg);
int pfm_control_stop_here(struct pfm_context *ctx, void *unused);
int pfm_control_restart(struct pfm_context *ctx);

/* throttle.c */
bool pfm_throttle_is_storm(struct pfm_lane *l, u64 begin, u64 end);
bool pfm_throttle_is_too_many(struct pfm_context *ctx);
void pfm_throttle_context(struct pfm_context *ctx);

/* notify.c */
bool pfm_notify_overflow(struct pfm_context *ctx, u64 ovfl);
void pfm_notify_wake(struct pfm_context *ctx);
void pfm_notify_init(struct pfm_context *ctx);
void pfm_notify_settle(struct pfm_context *ctx);

/* The thread is to wait for PFM_RESTART, if the context does that; with pfm_notify_wake(). */
static __always_inline void pfm_notify_block(struct pfm_context *ctx)
{
	if (ctx->flags & PFM_FL_NOTIFY_BLOCK)
		ctx->blocked = true;
}

/* message.c */
size_t pfm_message_mem(unsigned int depth);
int pfm_message_init(struct pfm_queue *q, unsigned int depth);
void pfm_message_free(struct pfm_queue *q);
unsigned int pfm_message_mark(const struct pfm_queue *q);
void pfm_message_drop(struct pfm_queue *q, unsigned int mark);
bool pfm_message_overflow(struct pfm_queue *q, u16 set, u64 pmds);
void pfm_message_end(struct pfm_queue *q);
unsigned int pfm_message_count(const struct pfm_queue *q);
ssize_t pfm_message_read(struct pfm_queue *q, char __user *buf, size_t size);

/* block.c */
int pfm_block_prepare(struct pfm_context *ctx, struct pfm_blocker **blocker);
void pfm_block_queue(struct pfm_context *ctx);
struct pfm_blocker *pfm_block_orphan(struct pfm_context *ctx);
void pfm_block_release(struct pfm_blocker *blocker);

/* context.c */
struct pfm_context *pfm_context_new(u32 flags, struct pfm_format *format);
struct pfm_context *pfm_context_new_slot(const struct pfm_context *sum);
void pfm_context_close(struct pfm_context *ctx);
void pfm_context_get(struct pfm_context *ctx);
void pfm_context_put(struct pfm_context *ctx);

/* reach.c */
typedef int (*pfm_reach_fn)(struct pfm_context *ctx, void *arg);
int pfm_reach_call(struct pfm_context *ctx, pfm_reach_fn fn, void *arg);
int pfm_reach_call_pieces(struct pfm_context *ctx, pfm_reach_fn piece,
			  struct pfm_vector *v);
int pfm_reach_call_any(struct pfm_context *ctx, pfm_reach_fn fn, void *arg);

/* create.c */
int pfm_create_context(pfarg_ctx_t *req, pfarg_ctx_t __user *uarg);

/* attach.c */
int pfm_attach_load(struct pfm_context *ctx, const pfarg_load_t *req);
int pfm_attach_unload(struct pfm_context *ctx);
void pfm_attach_close(struct pfm_context *ctx);
void pfm_attach_close_self(struct pfm_context *ctx, struct task_struct *task);
int pfm_attach_offline(unsigned int cpu);

/* tree.c */
int pfm_tree_load(struct pfm_attach *a, pid_t pid, unsigned int flags);
int pfm_tree_join(struct pfm_attach *a, int fd, unsigned int flags);
void pfm_tree_exit(struct task_struct *task, struct pfm_tree *tree);
void pfm_tree_exec(struct task_struct *task);
bool pfm_tree_free(struct task_struct *task, struct pfm_stale *stale);
void pfm_tree_forget(struct pfm_stale *stale);
void pfm_tree_halt(struct pfm_context *ctx);
void pfm_tree_settle(struct pfm_context *ctx);
bool pfm_tree_counts(const struct pfm_context *ctx, unsigned int *members,
		     unsigned long *missed, u64 *throttled);

/**
 * pfm_tree_of() - the tree of a thread
 * @target: pfm_host_context() of the thread
 *
 * Context: any.
 * Return: its tree; NULL if it has a context of its own, or none.
 */
static __always_inline struct pfm_tree *pfm_tree_of(const struct pfm_context *target)
{
	if (!pfm_is_tree(target))
		return NULL;
	return (struct pfm_tree *)((unsigned long)target & ~PFM_TREE_TAG);
}

/* slot.c */
int pfm_slot_end(struct pfm_context *slot, void *unused);
void pfm_slot_online(unsigned int cpu);

/* sum.c */
void pfm_sum_look(struct pfm_context *ctx);
int pfm_sum_call(struct pfm_context *ctx, pfm_reach_fn fn, void *arg);
int pfm_sum_repeat(struct pfm_context *ctx, const struct pfm_vector *v, int ret,
		   pfm_reach_fn piece);
int pfm_sum_read(struct pfm_context *ctx, const struct pfm_vector *v, int ret);
int pfm_sum_getinfo(struct pfm_context *ctx, const struct pfm_vector *v, int ret);

/* session.c */
extern unsigned long pfm_session_owned[2][BITS_TO_LONGS(PFM_PMCS_MAX)];	/* [w] */
extern unsigned int pfm_session_owners;	/* [w] */
bool pfm_session_claim(bool system, const unsigned long *pmcs);
void pfm_session_yield(bool system, const unsigned long *pmcs);
void pfm_session_free(bool system, unsigned long *pmcs);
int pfm_session_get(bool system);
void pfm_session_close(bool system);
void pfm_session_unhook(bool system);
void pfm_session_count(unsigned int *system, unsigned int *thread);

/* file.c */
struct pfm_context *pfm_file_context(struct file *file);
struct file *pfm_file_new(struct pfm_context *ctx);

/* holder.c */
bool pfm_holder_listed(struct files_struct *files, const struct file *file);

/* format.c */
struct pfm_format *pfm_format_get(const pfm_uuid_t uuid);
void pfm_format_put(struct pfm_format *f);
int pfm_format_open(struct pfm_context *ctx, const void __user *uarg);
void pfm_format_close(struct pfm_context *ctx);
const pfm_buffer_fmt_t *pfm_format_fmt(const struct pfm_format *f);
u64 pfm_format_overflow(struct pfm_context *ctx, u64 ovfl, pfm_ovfl_ctrl_t *ctrl);
int pfm_format_restart(struct pfm_context *ctx, pfm_ovfl_ctrl_t *ctrl);
bool pfm_format_wants_maps(const struct pfm_context *ctx, bool fork);
void pfm_format_map(struct pfm_context *ctx, struct pfm_map_info *info);

/* sample.c */
struct pt_regs *pfm_sample_user_regs(struct task_struct *task);
void pfm_sample_who(const struct pfm_context *ctx, struct task_struct *task,
		    s32 *pid, s32 *tid);
void pfm_sample_where(const struct pfm_context *ctx, u64 ovfl, struct pfm_ovfl_data *data);
u64 pfm_sample_stamp(const struct pfm_context *ctx);
void pfm_sample_fill(struct pfm_context *ctx, unsigned int i, pfm_ovfl_arg_t *arg);

/* stack.c */
struct pt_regs *pfm_stack_switch(void);

/* image.c */
void pfm_image_exec(struct task_struct *task);

/* account.c */
enum pfm_account_kind {
	PFM_ACCOUNT_SETS,		/* contexts and their event sets */
	PFM_ACCOUNT_BUFFERS,
	PFM_ACCOUNT_KINDS,
};
#define PFM_ACCOUNT_FREE	(1ULL << 20)	/* bytes of sets that RLIMIT_MEMLOCK leaves out */
struct pfm_account *pfm_account_get(void);
void pfm_account_share(struct pfm_account *a);
void pfm_account_put(struct pfm_account *a);
int pfm_account_charge(struct pfm_account *a, enum pfm_account_kind kind, u64 bytes);
void pfm_account_uncharge(struct pfm_account *a, enum pfm_account_kind kind, u64 bytes);

/* buffer.c */
int pfm_buffer_alloc(struct pfm_context *ctx, size_t size, size_t priv);
void pfm_buffer_free(struct pfm_context *ctx);

/* mapping.c */
void pfm_mapping_init(struct pfm_buffer *b);
int pfm_mapping_mmap(struct file *file, struct vm_area_struct *vma);
bool pfm_mapping_closed(struct pfm_buffer *b, const void *table, unsigned long *start);
void pfm_mapping_remove(struct file *file, unsigned long start);
void pfm_mapping_disown(struct pfm_buffer *b, const void *table);
bool pfm_mapping_others(struct pfm_context *ctx);

/* access.c */
bool pfm_access_may_create(u32 flags);
bool pfm_access_may_see_kernel(void);
bool pfm_access_may_hold(void);
bool pfm_access_covers(const struct cred *c, const struct cred *owner);
bool pfm_access_may_autoload(void);
bool __pfm_access_may_use(struct pfm_context *ctx);
void pfm_access_init(void);
void pfm_access_exit(void);
extern int pfm_access_hardened;		/* [w] 0, 1 or 2: perfmon_hardened */

/**
 * pfm_access_may_use() - whether the caller may use a context
 * @ctx: context, of which the caller has a descriptor
 *
 * The owner may, and on a kernel that is not hardened everybody may.
 *
 * Context: as __pfm_access_may_use().
 * Return: whether it may.
 */
static inline bool pfm_access_may_use(struct pfm_context *ctx)
{
	return !READ_ONCE(pfm_access_hardened) ||
	       current_cred() == READ_ONCE(ctx->cred) ||
	       __pfm_access_may_use(ctx);
}

/* config.c */
/* The administrator's limits. [w] */
struct pfm_config {
	u32 sys_gid;
	u32 thread_gid;
	u64 arg_size_max;
	u64 smpl_buf_size_max;
	u64 set_mem_max;		/* bytes in contexts and their sets */
	u64 set_timeout_min;		/* ns */
	u64 interrupts_max;		/* overflows, per second and CPU */
	atomic64_t smpl_buf_size_cur;	/* [a] of all contexts together */
	atomic64_t set_mem_cur;		/* [a] likewise */
};
extern struct pfm_config pfm_config;
#define PFM_CONFIG_SIZE_MIN	PAGE_SIZE	/* of the limits in bytes */
int pfm_config_set(const pfarg_config_t *req);
void pfm_config_get(pfarg_config_t *req);
void pfm_config_init(void);

/* sysfs.c */
int pfm_sysfs_init(void);
void pfm_sysfs_exit(void);
struct pfm_sysfs_format *pfm_sysfs_add_format(const pfm_buffer_fmt_t *fmt);
void pfm_sysfs_remove_format(struct pfm_sysfs_format *files);

/* stats.c */
void pfm_stats_init(void);
void pfm_stats_exit(void);

/* init.c */
void pfm_init_files_exit(void);
void pfm_init_exit(void);

#endif /* _KERNEL_PERFMON_PFM_H */
