/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: what the rooms of the core share. One prototype, one home: the
 * kernel-doc of a function stands with its definition.
 *
 * Keys of the fields below, and the order in which the locks are taken:
 *
 *	[c]	constant once the context is published
 *	[m]	pfm_context.mutex: one command at a time
 *	[l]	pfm_context.lock, raw, interrupts off, taken inside the locks
 *		above and inside the scheduler's. Nothing that wakes a thread
 *		or takes a lock of the scheduler may be called under it.
 *	[p]	this CPU only, interrupts off
 *	[a]	atomic
 *
 * While pfm_context.cpu is a CPU's number, only that CPU changes what is
 * keyed [l], but for the blocker: the lock keeps others' decisions out, being
 * there is what makes the registers reachable.
 */
#ifndef _KERNEL_PERFMON_PFM_H
#define _KERNEL_PERFMON_PFM_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include <perfmon/format.h>
#include <perfmon/hooks.h>
#include <perfmon/perfmon.h>
#include <perfmon/pmu.h>

#define PFM_NONE	0xff	/* no such register, in the maps below */

/*
 * The registers of all descriptions, densely numbered in increasing order of
 * their logical numbers, so that a set of PMDs is one u64 in the core.
 */
struct pfm_regmap {
	unsigned int num_pmcs;
	unsigned int num_pmds;
	const struct pfm_pmc_desc *pmc[PFM_PMCS_MAX];
	const struct pfm_pmd_desc *pmd[PFM_PMDS_MAX];
	const struct pfm_pmu *pmc_pmu[PFM_PMCS_MAX];
	u8 pmc_of[PFM_MAX_PMCS];	/* logical number to dense, or NONE */
	u8 pmd_of[PFM_MAX_PMDS];
	u8 ctrl[PFM_PMDS_MAX];		/* the PMC of a PMD, or NONE */
	u64 pmds_of[PFM_PMCS_MAX];	/* the counters of a PMC */
	u64 counters;			/* PMDs that count */
	u64 soft;			/* ... in software */
	u64 hard;			/* ... in registers that hw.c reaches */
	const struct pfm_pmu *hw;	/* the description of the hardware, or NULL */
	u64 hw_max;			/* the most that its counters hold */
};

struct pfm_pmc {
	u64 value;
	u64 smpl_pmds;			/* record these when the PMD overflows */
	u64 reset_pmds;			/* reset these, too */
	u64 eventid;
	u32 flags;			/* PFM_REGFL_... */
};

struct pfm_pmd {
	u64 value;			/* as of the last synchronisation */
	u64 last;			/* what the source, or register, said then */
	u64 long_reset;
	u64 short_reset;
	u64 last_reset;
	u64 random_mask;
	u64 thres;			/* overflows before a switch, 0: none */
	u64 thres_left;			/* ... left */
	u32 random;			/* state of the generator */
};

#define PFM_SW_EVENTS	(PFM_SW_MAJOR_FAULTS + 1)

/* A whole configuration of the PMU: an event set (3.7.1). [l] */
struct pfm_set {
	u16 id;				/* [c] */
	u16 id_next;			/* [m] explicit */
	u32 flags;			/* [m] PFM_SETFL_... */
	u32 load;			/* pfm_context.load when last active */
	u64 timeout;			/* [m] effective, ns */
	struct pfm_set *next;		/* [m] if pfm_context.linked */
	u64 runs;
	u64 act_ns;			/* time active until since */
	u64 since;			/* local_clock() */
	u64 left;			/* of the time-out at left_at, ns */
	u64 left_at;			/* local_clock() */
	u64 used;			/* counters that have an event */
	u64 notify;			/* ... whose overflow notifies */
	u64 random;			/* ... whose reset is randomised */
	u64 ovfl;			/* ... that wait for a reset */
	u64 triggers;			/* ... with a threshold */
	u64 switched;			/* ... that ended its last activity */
	u64 sw[PFM_SW_EVENTS];		/* ... by software event */
	unsigned int events;		/* bits of those that have any */
	u64 hard;			/* used counters of the hardware */
	u64 rearm;			/* ... that may have to be written */
	u64 controls;			/* names the values of pmcs, unique */
	u64 stamp;			/* where last is still right, unique */
	DECLARE_BITMAP(written, PFM_PMCS_MAX);	/* the hardware's PMCs */
	struct pfm_pmd *pmds;
	struct pfm_pmc pmcs[];
};

/*
 * The message queue: a ring with one producer, whoever owns the context's
 * live state; consumers agree by cmpxchg() of the tail. Nobody takes a lock, so
 * that an NMI can be the producer, and a reader can be stuck in its own memory.
 */
struct pfm_queue {
	pfm_msg_t *ring;		/* [c] */
	unsigned int size;		/* [c] slots, a power of two */
	unsigned int depth;		/* [c] of these for overflows */
	unsigned int head;		/* next slot to fill; producer */
	unsigned int tail;		/* next slot to read; [a] */
	u64 lost;			/* producer */
	wait_queue_head_t wait;
	struct fasync_struct *fasync;
};

enum pfm_state {
	PFM_UNLOADED,			/* attached to nothing */
	PFM_LOADED,
	PFM_MASKED,			/* loaded, waits for PFM_RESTART */
};

struct pfm_context;
struct pfm_format;
struct pfm_sysfs_format;

/* What a sampling format records into (3.5.4). */
struct pfm_buffer {
	void *addr;			/* [c] whole pages, or NULL */
	size_t size;			/* [c] bytes */
	struct user_struct *user;	/* [c] who pays */
	atomic_t mappings;		/* [a] of all processes */
};

/*
 * What makes a thread wait for PFM_RESTART (PFM_FL_NOTIFY_BLOCK). One for
 * each attachment: the thread may find it on its list of work long after the
 * context has moved on.
 */
struct pfm_blocker {
	struct callback_head work;
	struct pfm_context *ctx;	/* [c] holds a reference */
	bool queued;			/* [l] on the thread's list */
	bool orphan;			/* [l] frees itself */
};

struct pfm_context {
	u32 flags;			/* [c] PFM_FL_... */
	struct kref ref;		/* the file, and blocked threads */
	struct rcu_head rcu;		/* the hooks look without a lock */
	struct mutex mutex;
	raw_spinlock_t lock;

	enum pfm_state state;		/* [l] */
	bool started;			/* [l] by PFM_START */
	bool idle;			/* [l] the excluded idle thread runs */
	bool blocked;			/* [l] the thread has to wait */
	bool gone;			/* [l] the CPU went offline */
	bool self;			/* [l] its process attached it itself */
	bool switch_due;		/* [l] PFM_RESTART goes to the next set */
	bool linked;			/* [m] pfm_set.next is right */
	bool clocked;			/* [m] set once: reads a clock */
	bool hard;			/* [l] set once: has programmed the hardware */
	bool hard_held;			/* [m] has it to itself */
	int cpu;			/* [l] where it is live, or -1 */
	u32 load;			/* [l] how often it was attached */
	u64 throttled;			/* [l] how often it was masked for that */
	u64 second;			/* [l] local_clock() when its own began */
	u64 interrupts;			/* [l] and how many there were in it */
	struct task_struct *task;	/* [l] whom it monitors, referenced */
	struct pfm_set *set;		/* [l] the active set */
	struct pfm_blocker *blocker;	/* [l] */
	const struct cred *cred;	/* [l] of who attached it last */

	struct pfm_format *format;	/* [c] or NULL */
	struct pfm_buffer buf;
	pfm_ovfl_arg_t *ovfl_arg;	/* [l] for the format's handler */
	u64 ovfl_smpl;			/* [l] the PMDs in its vector */
	struct pid_namespace *pid_ns;	/* [c] of the creator */
	bool format_open;		/* [c] the format has to be told of the end */
	bool see_kernel;		/* [c] may be shown kernel addresses */

	struct xarray sets;		/* [m] by id */
	u64 set_mem;			/* [m] bytes in them */
	struct file *file;		/* [c] not referenced: it owns us */
	struct pfm_queue queue;
	struct irq_work notify_work;
	wait_queue_head_t block_wait;
};

/* Statistics, per CPU; debugfs shows them. */
enum pfm_stat {
	PFM_STAT_INTERRUPTS,		/* timer or PMU interrupts */
	PFM_STAT_SPURIOUS,		/* timer ... that found nothing to do */
	PFM_STAT_LATE,			/* PMU ... whose overflow had been found */
	PFM_STAT_SCHED_IN,		/* monitored threads switched in */
	PFM_STAT_SCHED_OUT,
	PFM_STAT_OVERFLOWS,		/* of 64-bit counters */
	PFM_STAT_LOST,			/* messages that found a full queue */
	PFM_STAT_SWITCHES,		/* from a set to the next */
	PFM_STAT_THROTTLED,		/* contexts masked for their interrupts */
	PFM_STATS,
};

struct pfm_cpu {
	struct pfm_context *live;	/* [p] whose registers are here */
	struct pfm_context __rcu *sys;	/* [p] the system-wide context */
	u64 clock;			/* [p] CPU time of current in ns, as of
					 * the beginning of this section */
	u64 now;			/* [p] local_clock(), likewise */
	u64 busy;			/* [p] not idle, ns, until busy_since */
	u64 busy_since;			/* [p] local_clock(), 0 while idle */
	unsigned long switches;		/* [p] while sys */
	unsigned long faults[2];	/* [p] minor, major, while sys */
	atomic_long_t migrations;	/* [a] to this CPU, while sys */
	struct hrtimer timer;		/* [p] task clock, time-outs of sets */
	u64 timer_at;			/* [p] local_clock() when it is due, 0: idle */
	u64 running;			/* [p] counters that count */
	u64 controls;			/* [p] pfm_set.controls of what is in pmcs */
	u64 stamp;			/* [p] pfm_set.stamp of what is in counters */
	u64 stamps;			/* [p] given out here */
	bool touched;			/* [p] the registers are in our use */
	unsigned long found;		/* [p] looks that found wraps */
	unsigned int turned;		/* [p] wraps that may interrupt yet */
	u64 turned_at;			/* [p] local_clock() of the last one */
	struct pfm_context *asleep;	/* [p] live when the machine wakes up */
	u64 pmcs[PFM_PMCS_MAX];		/* [p] what the registers hold */
	struct irq_work work;		/* [p] what an NMI could not do */
	u64 second;			/* [p] local_clock() when it began */
	u64 interrupts;			/* [p] that overflowed, in this second */
	unsigned int storm;		/* [p] the PMU's, one upon the other */
	bool deferred;			/* [p] one of them came in a section */
	u64 spent;			/* [p] in these, ns */
	u64 ended;			/* [p] local_clock() at the end of the last */
	unsigned long stats[PFM_STATS];	/* [p] */
};

DECLARE_PER_CPU(struct pfm_cpu, pfm_cpu);

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
 * Whether the context's time passes. A thread that is on no CPU still runs in
 * this sense: it may be moved. Under ctx->lock.
 */
static __always_inline bool pfm_monitor_running(const struct pfm_context *ctx)
{
	return ctx->state == PFM_LOADED && ctx->started;
}

/* Whether its events count: it runs, and does not look away from idle. */
static __always_inline bool pfm_monitor_counting(const struct pfm_context *ctx)
{
	return pfm_monitor_running(ctx) && !ctx->idle;
}

/* pmu.c */
extern struct pfm_regmap pfm_regmap;
int pfm_pmu_validate(const struct pfm_pmu *pmu);
const struct pfm_pmu *pfm_pmu_hardware(void);
void pfm_pmu_get(void);
void pfm_pmu_put(void);
unsigned int pfm_pmu_find_pmc(unsigned int num);
bool pfm_pmu_is_hard(unsigned int num);
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

/* random.c */
u32 pfm_random_seed(u32 seed);
u64 pfm_random_next(u32 *state, u64 mask);

/* set.c */
struct pfm_set *pfm_set_new(struct pfm_context *ctx, u16 id);
void pfm_set_free_all(struct pfm_context *ctx);
struct pfm_set *pfm_set_find(struct pfm_context *ctx, u16 id);
int pfm_set_create(struct pfm_context *ctx, pfarg_setdesc_t *desc);
int pfm_set_delete(struct pfm_context *ctx, pfarg_setdesc_t *desc);
int pfm_set_getinfo(struct pfm_context *ctx, pfarg_setinfo_t *info);
int pfm_set_link(struct pfm_context *ctx);

/* switch.c */
void pfm_switch_activate(struct pfm_context *ctx, struct pfm_set *set);
void pfm_switch_to(struct pfm_context *ctx, struct pfm_set *set);
u64 pfm_switch_count(struct pfm_set *set, u64 ovfl);
bool pfm_switch_expired(const struct pfm_context *ctx, u64 now);
int pfm_switch_start(struct pfm_context *ctx, u16 id);

/* regs.c */
int pfm_regs_write_pmc(struct pfm_context *ctx, pfarg_pmc_t *req);
int pfm_regs_write_pmd(struct pfm_context *ctx, pfarg_pmd_t *req);
int pfm_regs_read_pmd(struct pfm_context *ctx, pfarg_pmd_t *req);
u64 pfm_regs_value(struct pfm_context *ctx, unsigned int i);

/* soft.c */
extern const struct pfm_pmu pfm_soft_pmu;
bool pfm_soft_wants_clock(const pfarg_pmc_t *req);
void pfm_soft_refresh(void);
u64 pfm_soft_sync(struct pfm_context *ctx, u64 mask);
void pfm_soft_base(struct pfm_context *ctx, struct pfm_set *set, u64 mask);
u64 pfm_soft_left(const struct pfm_context *ctx);
u64 pfm_soft_virtual(struct pfm_context *ctx, unsigned int num);

/* hw.c */
int pfm_hw_get(void);
void pfm_hw_put(void);
void pfm_hw_online(unsigned int cpu);
void pfm_hw_changed(struct pfm_set *set, unsigned int pmc);
void __pfm_hw_start(struct pfm_context *ctx);
bool __pfm_hw_stop(struct pfm_context *ctx);
u64 __pfm_hw_sync(struct pfm_context *ctx, u64 mask);
void __pfm_hw_rearm(struct pfm_context *ctx);
void pfm_hw_forget(struct pfm_set *set);
void pfm_hw_work(struct irq_work *work);

/* The common ways past hw.c, for sets that count in software only. */

static __always_inline void pfm_hw_start(struct pfm_context *ctx)
{
	if (ctx->set->hard)
		__pfm_hw_start(ctx);
}

static __always_inline bool pfm_hw_stop(struct pfm_context *ctx)
{
	return ctx->set->hard && __this_cpu_read(pfm_cpu.running) &&
	       __pfm_hw_stop(ctx);
}

static __always_inline u64 pfm_hw_sync(struct pfm_context *ctx, u64 mask)
{
	return ctx->set->hard & mask ? __pfm_hw_sync(ctx, mask) : 0;
}

/* After a look at counters that may run: have those armed that need it. */
static __always_inline void pfm_hw_check(struct pfm_context *ctx)
{
	if (unlikely(ctx->set->rearm & ctx->set->hard))
		__pfm_hw_rearm(ctx);
}

/* timer.c */

/*
 * A timer is not set closer than this, or a program could take its CPU away
 * from everybody with a period of a nanosecond.
 */
#define PFM_TIMER_MIN	(10 * NSEC_PER_USEC)

/* How often the hardware's counters are looked at: long before a whole turn. */
#define PFM_TIMER_POLL	NSEC_PER_SEC

void pfm_timer_arm(struct pfm_context *ctx, u64 now);
void pfm_timer_rearm(struct pfm_context *ctx);
int pfm_timer_cancel(unsigned int cpu);
void pfm_timer_init_cpu(int cpu);

/* monitor.c */
void pfm_monitor_sync(struct pfm_context *ctx, u64 mask);
void pfm_monitor_update(struct pfm_context *ctx);
void pfm_monitor_hold(struct pfm_context *ctx);
void pfm_monitor_release(struct pfm_context *ctx);
void pfm_monitor_resume(struct pfm_context *ctx, u64 now);
void pfm_monitor_pause(struct pfm_context *ctx, u64 now);
void pfm_monitor_start(struct pfm_context *ctx);
void pfm_monitor_stop(struct pfm_context *ctx);
void pfm_monitor_mask(struct pfm_context *ctx);
void pfm_monitor_unmask(struct pfm_context *ctx);
void pfm_monitor_idle(struct pfm_context *ctx, bool idle, u64 now);
void pfm_monitor_in(struct pfm_context *ctx, u64 now);
void pfm_monitor_out(struct pfm_context *ctx, u64 now);
u64 pfm_monitor_act_ns(const struct pfm_context *ctx,
		       const struct pfm_set *set, u64 now);
u64 pfm_monitor_left(const struct pfm_context *ctx,
		     const struct pfm_set *set, u64 now);

/* overflow.c */
void pfm_overflow_handle(struct pfm_context *ctx, u64 ovfl, u64 mask);
void pfm_overflow_reset(struct pfm_context *ctx, u64 ovfl, bool is_long);
void pfm_overflow_limit(struct pfm_context *ctx, u64 now, bool storm);
int pfm_overflow_restart(struct pfm_context *ctx, void *unused);

/* message.c */
int pfm_message_init(struct pfm_queue *q, unsigned int depth);
void pfm_message_free(struct pfm_queue *q);
unsigned int pfm_message_mark(const struct pfm_queue *q);
void pfm_message_drop(struct pfm_queue *q, unsigned int mark);
bool pfm_message_overflow(struct pfm_queue *q, u16 set, u64 pmds);
void pfm_message_end(struct pfm_queue *q);
unsigned int pfm_message_count(const struct pfm_queue *q);
ssize_t pfm_message_read(struct pfm_queue *q, char __user *buf, size_t size);
void pfm_message_notify(struct pfm_context *ctx);
void pfm_message_work(struct irq_work *work);

/* block.c */
int pfm_block_prepare(struct pfm_context *ctx, struct pfm_blocker **blocker);
void pfm_block_queue(struct pfm_context *ctx);
struct pfm_blocker *pfm_block_orphan(struct pfm_context *ctx);
void pfm_block_release(struct pfm_blocker *blocker);

/* context.c */
typedef int (*pfm_context_fn)(struct pfm_context *ctx, void *arg);
struct pfm_context *pfm_context_new(u32 flags, struct pfm_format *format);
void pfm_context_get(struct pfm_context *ctx);
void pfm_context_put(struct pfm_context *ctx);
int pfm_context_call(struct pfm_context *ctx, pfm_context_fn fn, void *arg);
int pfm_context_call_any(struct pfm_context *ctx, pfm_context_fn fn, void *arg);
int pfm_context_create(pfarg_ctx_t *req, pfarg_ctx_t __user *uarg);
int pfm_context_hold_hardware(struct pfm_context *ctx);
void pfm_context_yield_hardware(struct pfm_context *ctx);

/* attach.c */
int pfm_attach_load(struct pfm_context *ctx, const pfarg_load_t *req);
int pfm_attach_unload(struct pfm_context *ctx);
void pfm_attach_close(struct pfm_context *ctx);
void pfm_attach_close_self(struct pfm_context *ctx, struct task_struct *task);
int pfm_attach_offline(unsigned int cpu);

/* session.c */
int pfm_session_get(bool system);
void pfm_session_close(bool system);
void pfm_session_unhook(bool system);
void pfm_session_count(unsigned int *system, unsigned int *thread);

/* file.c */
struct pfm_context *pfm_file_context(struct file *file);
struct file *pfm_file_new(struct pfm_context *ctx);
bool pfm_file_held(struct task_struct *task, struct file *file);

/* format.c */
struct pfm_format *pfm_format_get(const pfm_uuid_t uuid);
void pfm_format_put(struct pfm_format *f);
int pfm_format_open(struct pfm_context *ctx, const void __user *uarg);
void pfm_format_close(struct pfm_context *ctx);
const pfm_buffer_fmt_t *pfm_format_fmt(const struct pfm_format *f);
u64 pfm_format_overflow(struct pfm_context *ctx, u64 ovfl,
			pfm_ovfl_ctrl_t *ctrl);
int pfm_format_restart(struct pfm_context *ctx, pfm_ovfl_ctrl_t *ctrl);
bool pfm_format_wants_maps(const struct pfm_context *ctx);
void pfm_format_map(struct pfm_context *ctx, struct pfm_map_info *info);

/* maps.c */
void pfm_maps_exec(struct task_struct *task);

/* buffer.c */
int pfm_buffer_alloc(struct pfm_context *ctx, size_t size);
void pfm_buffer_free(struct pfm_context *ctx);
int pfm_buffer_mmap(struct file *file, struct vm_area_struct *vma);
void pfm_buffer_unmap(struct pfm_context *ctx, struct file *file);

/* access.c */
bool pfm_access_may_create(u32 flags);
bool pfm_access_may_autoload(void);
bool pfm_access_may_use(struct pfm_context *ctx);
void pfm_access_init(void);

/* config.c */
struct pfm_config {			/* READ_ONCE(), WRITE_ONCE() */
	u32 sys_gid;
	u32 thread_gid;
	u64 arg_size_max;
	u64 smpl_buf_size_max;
	u64 set_mem_max;		/* bytes in the sets of a context */
	u64 set_timeout_min;		/* ns */
	u64 interrupts_max;		/* that overflow, per second and CPU */
	atomic64_t smpl_buf_size_cur;	/* of all contexts together */
};
extern struct pfm_config pfm_config;
#define PFM_CONFIG_SIZE_MIN	PAGE_SIZE	/* of the limits in bytes */
int pfm_config_set(const pfarg_config_t *req);
void pfm_config_get(pfarg_config_t *req);
void pfm_config_init(void);

/* sysfs.c, stats.c */
int pfm_sysfs_init(void);
struct pfm_sysfs_format *pfm_sysfs_add_format(const pfm_buffer_fmt_t *fmt);
void pfm_sysfs_remove_format(struct pfm_sysfs_format *files);
void pfm_stats_init(void);

#endif /* _KERNEL_PERFMON_PFM_H */
