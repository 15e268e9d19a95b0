// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: what a format is told of an overflow: where it hit, whom, when, and the values
 * of the registers that the program wants sampled (3.5.14). What a format makes of that is
 * its own business; format.c asks it.
 */
#include <linux/pid_namespace.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>
#include <asm/irq_regs.h>
#include <asm/ptrace.h>

#include "compat.h"
#include "host.h"
#include "pfm.h"

/**
 * pfm_sample_user_regs() - where a thread's program goes on when the kernel returns to it
 * @task: a thread that runs here, or nowhere
 *
 * A 32-bit kernel leaves the registers of an NMI where the NMI came in: this is then where
 * the program was at an earlier entry. If that kernel was about to return, the NMI may have
 * overwritten the program's registers by the kernel's. On PowerPC a thread that began in the
 * kernel has none until it executes a program.
 *
 * Context: any, NMI too.
 * Return: registers, all of user level; NULL if there are none, or the thread has no user
 * level (kernel threads, io_uring's), or is in execve() and they are not for the owner yet.
 */
struct pt_regs *pfm_sample_user_regs(struct task_struct *task)
{
	struct pt_regs *regs = task_pt_regs(task);

	if (task->flags & (PF_KTHREAD | PF_USER_WORKER) || pfm_host_executes(task))
		return NULL;
	return regs && user_mode(regs) ? regs : NULL;
}

/*
 * Whether one of these counters counts what happens in the kernel. Those of the hardware that
 * are told to leave it out do not, even where an overflow of theirs is found there.
 */
static bool pfm_sample_is_of_kernel(const struct pfm_context *ctx, u64 ovfl)
{
	const struct pfm_set *set = ctx->set;
	const struct pfm_pmu *pmu;
	unsigned int i;

	if (ovfl & ~set->hard)
		return true;
	for (; ovfl; ovfl &= ovfl - 1) {
		i = pfm_regmap.ctrl[__ffs64(ovfl)];
		pmu = pfm_regmap.pmc_pmu[i];
		if (!pmu->kernel || pmu->kernel(pmu, pfm_regmap.pmc[i]->num, set->values[i]))
			return true;
	}
	return false;
}

/*
 * Where the thread is that an overflow hit; see struct pfm_ovfl_data. An interrupt says it. No
 * interrupt has found what the scheduler's hooks find: the thread is where it has called the
 * scheduler.
 */
static struct pt_regs *pfm_sample_regs(const struct pfm_context *ctx,
				       struct task_struct *task, u64 ovfl)
{
	struct pt_regs *regs = task == current ? get_irq_regs() : NULL;

	if (IS_ENABLED(CONFIG_PERFMON_STACKS) && !regs && task == current &&
	    __this_cpu_read(pfm_cpu.switching) && ctx->see_kernel &&
	    pfm_sample_is_of_kernel(ctx, ovfl))
		regs = pfm_stack_switch();
	if (!regs || (!user_mode(regs) && !ctx->see_kernel))
		regs = pfm_sample_user_regs(task);
	return regs;
}

/**
 * pfm_sample_who() - who a thread is to the context's creator
 * @ctx:  context
 * @task: thread
 * @pid:  out: its process
 * @tid:  out: itself
 *
 * Context: any, NMI too.
 */
void pfm_sample_who(const struct pfm_context *ctx,
		    struct task_struct *task, s32 *pid, s32 *tid)
{
	if (ctx->pid_ns == &init_pid_ns) {
		*pid = task->tgid;
		*tid = task->pid;
	} else {
		*pid = task_tgid_nr_ns(task, ctx->pid_ns);
		*tid = task_pid_nr_ns(task, ctx->pid_ns);
	}
}

/**
 * pfm_sample_where() - where an overflow hit, and whom
 * @ctx:  context
 * @ovfl: the counters of the active set that overflowed
 * @data: out, for the format's handler
 *
 * Context: ctx->lock, interrupts off or NMI; on the CPU where the context is live, if
 * it is.
 */
void pfm_sample_where(const struct pfm_context *ctx, u64 ovfl,
		      struct pfm_ovfl_data *data)
{
	struct task_struct *task = ctx->task ?: current;

	data->task = task;
	data->event = NULL;
	data->regs = pfm_sample_regs(ctx, task, ovfl);
	data->ip = data->regs ? instruction_pointer(data->regs) : 0;
	data->cpu = ctx->cpu >= 0 ? ctx->cpu : task_cpu(task);
	pfm_sample_who(ctx, task, &data->pid, &data->tid);
}

/**
 * pfm_sample_stamp() - the time for a sample
 * @ctx: context
 *
 * It always increases, and no two samples of a CPU have the same (3.5.14). The kernel's
 * clock for NMIs may stand still, and may go back a little when it is adjusted. The context
 * that is live here has its lock, so that an NMI does not come in between; one that is live
 * nowhere has no CPU.
 *
 * Context: ctx->lock, interrupts off or NMI; on the CPU where the context is live, if
 * it is.
 * Return: ns.
 */
u64 pfm_sample_stamp(const struct pfm_context *ctx)
{
	u64 *last = this_cpu_ptr(&pfm_cpu.tstamp);
	u64 now = ktime_get_mono_fast_ns();

	if (ctx->cpu < 0)
		return now;
	*last = max(now, *last + 1);
	return *last;
}

/* A register of the active set, which is up to date. */
static u64 pfm_sample_value(struct pfm_context *ctx, unsigned int i)
{
	const struct pfm_pmd_desc *d = pfm_regmap.pmd[i];

	pfm_assert_live(ctx);
	return pfm_soft_is_virtual(d) ? pfm_soft_virtual(ctx, d->num)
				      : ctx->set->pmds[i].value;
}

/**
 * pfm_sample_fill() - what a format is told of a counter that overflowed
 * @ctx: context with a format, up to date
 * @i:   the counter
 * @arg: out: the handler's argument, but for event_notify
 *
 * Context: ctx->lock, interrupts off or NMI; on the CPU where the context is live, if
 * it is.
 */
void pfm_sample_fill(struct pfm_context *ctx, unsigned int i, pfm_ovfl_arg_t *arg)
{
	const struct pfm_set *set = ctx->set;
	const struct pfm_pmc *pmc = &set->pmcs[pfm_regmap.ctrl[i]];
	unsigned int n = 0;
	u64 rest;

	arg->ovfl_pmd = pfm_regmap.pmd[i]->num;
	arg->active_set = set->id;
	arg->ovfl_ctrl = (pfm_ovfl_ctrl_t){ 0 };
	arg->pmd_last_reset = pfm_set_reset(set, i)->last_reset;
	arg->pmd_value = set->pmds[i].value;
	arg->pmd_eventid = pmc->eventid;
	arg->ovfl_notify = !!(set->notify & BIT_ULL(i));
	/* From sample to sample it is the same, most of the time. */
	if (ctx->ovfl_smpl != pmc->smpl_pmds) {
		ctx->ovfl_smpl = pmc->smpl_pmds;
		pfm_pmu_vector(pmc->smpl_pmds, arg->smpl_pmds);
	}
	for (rest = pmc->smpl_pmds; rest; rest &= rest - 1)
		arg->smpl_pmds_values[n++] = pfm_sample_value(ctx, __ffs64(rest));
	arg->num_smpl_pmds = n;
}
