// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: who may do what (chapter 4). Documentation/security.rst says what
 * each rule shows to which process.
 *
 * There are two defaults. The specification's is open: anybody may create
 * contexts of both kinds until the administrator names a group, and a
 * descriptor that was handed over is the sender's responsibility (4.3.1). The
 * hardened one asks for CAP_PERFMON, or a group, to see other users' processes;
 * and a process that has received a descriptor must itself have the right to see
 * what the context shows.
 */
#include <linux/capability.h>
#include <linux/init.h>
#include <linux/ptrace.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/sysctl.h>
#include <linux/uidgid.h>

#include "host.h"
#include "pfm.h"

int pfm_access_hardened __read_mostly =
	IS_ENABLED(CONFIG_PERFMON_HARDENED);

/* perfmon_hardened=0, 1 or 2. */
PFM_HOST_PARAM(perfmon_hardened, pfm_access_hardened, int);

/*
 * A group is the number that the administrator's name space gives it. Processes that
 * may set the limits are not bound by them.
 */
static bool pfm_access_in_group(u32 gid)
{
	return in_egroup_p(make_kgid(&init_user_ns, gid)) ||
	       capable(CAP_SYS_ADMIN);
}

/**
 * pfm_access_may_create() - whether the caller may create a context (4.2)
 * @flags: PFM_FL_... of the context
 *
 * Context: process.
 * Return: whether it may.
 */
bool pfm_access_may_create(u32 flags)
{
	bool system = flags & PFM_FL_SYSTEM_WIDE;
	u32 gid = READ_ONCE(*(system ? &pfm_config.sys_gid
				     : &pfm_config.thread_gid));

	if (gid != PFM_GROUP_ANY)
		return pfm_access_in_group(gid);
	return !system || !READ_ONCE(pfm_access_hardened) || perfmon_capable();
}

/**
 * pfm_access_may_see_kernel() - whether the caller's new context is shown the kernel
 *
 * Its addresses, the events at its level, and, in a format, the registers of what was
 * interrupted there. These hold its data, which a kernel with
 * lockdown=confidentiality does not even show to root.
 *
 * Context: process.
 * Return: whether it is.
 */
bool pfm_access_may_see_kernel(void)
{
	return pfm_access_may_create(PFM_FL_SYSTEM_WIDE) &&
	       !security_locked_down(LOCKDOWN_PERF);
}

/**
 * pfm_access_may_hold() - whether the caller may use the PMU's registers
 *
 * A context that does so keeps perf_events and the NMI watchdog from the PMU of
 * all CPUs. An administrator may want to leave that to those who can see all of
 * the system anyway (perfmon_hardened=2).
 *
 * Context: process.
 * Return: whether it may.
 */
bool pfm_access_may_hold(void)
{
	return READ_ONCE(pfm_access_hardened) < 2 ||
	       pfm_access_may_create(PFM_FL_SYSTEM_WIDE);
}

/**
 * pfm_access_may_autoload() - whether the caller's request may load a module
 *
 * Context: process.
 * Return: whether it may.
 */
bool pfm_access_may_autoload(void)
{
	return !READ_ONCE(pfm_access_hardened) || perfmon_capable() ||
	       capable(CAP_SYS_MODULE);
}

/**
 * pfm_access_covers() - whether one has at least the rights of another
 * @c:     credentials
 * @owner: credentials of the other, or NULL
 *
 * Context: any.
 * Return: whether it has, as far as rights come from credentials.
 */
bool pfm_access_covers(const struct cred *c, const struct cred *owner)
{
	return c == owner ||
	       (uid_eq(c->uid, owner->uid) && uid_eq(c->euid, owner->euid) &&
		gid_eq(c->gid, owner->gid) && gid_eq(c->egid, owner->egid) &&
		c->user_ns == owner->user_ns &&
		cap_issubset(owner->cap_effective, c->cap_effective) &&
		cap_issubset(owner->cap_permitted, c->cap_permitted));
}

/**
 * __pfm_access_may_use() - whether the caller may use a context of others
 * @ctx: context, of which the caller has a descriptor
 *
 * What a context shows was checked against the credentials of the process that
 * attached it. Any other process with a descriptor needs the rights that an attachment
 * takes: over the thread, or to monitor the system. The second is asked for, too, if the
 * context may be shown the kernel: to trace a thread does not show that.
 *
 * Context: process; no locks that pfm_host_may_access() cannot be called under.
 * Return: whether it may, on a hardened kernel.
 */
bool __pfm_access_may_use(struct pfm_context *ctx)
{
	struct task_struct *task = NULL;
	const struct cred *owner;
	unsigned long flags;
	bool ok;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	owner = get_cred(ctx->cred);
	/* What joined a tree shows more than the member that happens to run. */
	if (ctx->task && !ctx->joined)
		task = get_task_struct(ctx->task);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);

	ok = pfm_access_covers(current_cred(), owner);
	if (!ok && pfm_is_system(ctx))
		ok = pfm_access_may_create(ctx->flags);
	else if (!ok && task)
		ok = (!ctx->see_kernel || pfm_access_may_create(PFM_FL_SYSTEM_WIDE)) &&
		     pfm_host_may_access(task, PTRACE_MODE_ATTACH_REALCREDS);
	put_cred(owner);
	if (task)
		put_task_struct(task);
	return ok;
}

static struct ctl_table pfm_access_table[] = {
	{
		.procname	= "perfmon_hardened",
		.data		= &pfm_access_hardened,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_TWO,
	},
	{ }
};

/**
 * pfm_access_init() - make /proc/sys/kernel/perfmon_hardened
 *
 * Context: boot.
 */
void __init pfm_access_init(void)
{
	pfm_host_sysctl(pfm_access_table);
}

/**
 * pfm_access_exit() - remove it
 *
 * Context: process.
 */
void __pfm_exit pfm_access_exit(void)
{
	pfm_host_sysctl_remove();
}
