// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 as a module: the hooks.
 *
 * What the graft has in the kernel's source is here:
 *
 *	a switch of threads	tracepoint sched_switch: current is still the one that
 *				leaves. The one that comes is switched in here, too:
 *				its counts stand still until it runs.
 *	a move to a CPU		tracepoint sched_migrate_task, before the count
 *	a new thread		tracepoint task_newtask, beside the graft's hook
 *	an exit			tracepoint sched_process_exit
 *	an exec			a probe of security_bprm_committed_creds(), when the new
 *				credentials are there; or, if the administrator has
 *				disarmed that, the tracepoint sched_process_exec, when the
 *				program is loaded
 *	a mapping		a probe of perf_event_mmap()
 *	a page fault		two counters of perf_events a CPU, with a period of 1; only
 *				while a context exists that counts page faults
 *
 * The probes stand at the entries of their functions, where ftrace's calls are:
 * there the handler runs as if the function had called it. A probe elsewhere is
 * an int3, whose handler runs as in an NMI: it could neither take leave of a context
 * nor find a path.
 *
 * They are on while sessions exist and for a second after, as the graft's are: to turn
 * them on takes milliseconds, and sessions come in bursts.
 */
#include <linux/cpuhotplug.h>
#include <linux/jump_label_ratelimit.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include <perfmon/hooks.h>

#include "compat.h"
#include "host.h"
#include "module.h"

static DEFINE_MUTEX(pfm_hooks_mutex);	/* for what is turned on and off */
static bool pfm_hooks_on;
static atomic_t pfm_hooks_users;
static atomic_t pfm_hooks_faulters;	/* contexts that count page faults */
static int pfm_hooks_cpuhp;

DEFINE_STATIC_KEY_DEFERRED_FALSE(pfm_sys_key, HZ);

/* The tracepoints. */

static void pfm_hooks_switch(void *unused, bool preempt, struct task_struct *prev,
			     struct task_struct *next, unsigned int prev_state)
{
	/* Interrupts are off, which RCU waits for: what is found here stays. */
	struct pfm_context *from = pfm_host_context(prev), *to = pfm_host_context(next);

	if (unlikely(from)) {
		if (!pfm_is_tree(from))
			__pfm_sched_out(prev, from);
		else if (from != this_cpu_read(pfm_tree_here) || from != to)
			__pfm_tree_out(prev, from);
	}
	if (static_branch_unlikely(&pfm_sys_key.key) && pfm_wants_any(PFM_WANTS_SWITCHES))
		__pfm_sched_cpu(prev, next);
	if (unlikely(to)) {
		if (!pfm_is_tree(to))
			__pfm_sched_in(next, to);
		else if (to != this_cpu_read(pfm_tree_here))
			__pfm_tree_in(next, to);
	}
}

static void pfm_hooks_fork(void *unused, struct task_struct *child,
			   unsigned long clone_flags)
{
	/* The child is in all lists: see __pfm_tree_fork(). */
	smp_mb();
	if (unlikely(pfm_is_tree(pfm_host_context(current))))
		__pfm_tree_fork(child);
	__pfm_image_fork(child);
}

static void pfm_hooks_migrate(void *unused, struct task_struct *task, int cpu)
{
	if (static_branch_unlikely(&pfm_sys_key.key) && task_cpu(task) != cpu)
		__pfm_sched_migrate(cpu);
}

static void pfm_hooks_exit_thread(void *unused, struct task_struct *task PFM_EXIT_ARGS)
{
	__pfm_attach_exit(task);
}

static void pfm_hooks_exec(void *unused, struct task_struct *task, pid_t old_pid,
			   struct linux_binprm *bprm)
{
	bool checked;

	rcu_read_lock();
	checked = pfm_threads_checked(task, false);
	rcu_read_unlock();
	if (!checked)
		__pfm_attach_exec(task);
}

static struct pfm_hooks_point {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} pfm_hooks_points[] = {
	{ "sched_switch", pfm_hooks_switch },
	{ "sched_migrate_task", pfm_hooks_migrate },
	{ "task_newtask", pfm_hooks_fork },
	{ "sched_process_exit", pfm_hooks_exit_thread },
	{ "sched_process_exec", pfm_hooks_exec },
};

/* Has the compiler compare our probes' arguments with those of the tracepoints. */
static void __maybe_unused pfm_hooks_types(void)
{
	check_trace_callback_type_sched_switch(pfm_hooks_switch);
	check_trace_callback_type_sched_migrate_task(pfm_hooks_migrate);
	check_trace_callback_type_task_newtask(pfm_hooks_fork);
	check_trace_callback_type_sched_process_exit(pfm_hooks_exit_thread);
	check_trace_callback_type_sched_process_exec(pfm_hooks_exec);
}

static void pfm_hooks_find_point(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pfm_hooks_points); i++)
		if (!strcmp(tp->name, pfm_hooks_points[i].name))
			pfm_hooks_points[i].tp = tp;
}

/* The probes. */

static int pfm_hooks_creds(struct kprobe *probe, struct pt_regs *regs)
{
	rcu_read_lock();
	pfm_threads_checked(current, true);
	rcu_read_unlock();
	__pfm_attach_exec(current);
	return 0;
}

static int pfm_hooks_mmap(struct kprobe *probe, struct pt_regs *regs)
{
	__pfm_image_mmap((struct vm_area_struct *)regs_get_kernel_argument(regs, 0));
	return 0;
}

static struct kprobe pfm_hooks_probes[] = {
	{ .symbol_name = "security_bprm_committed_creds", .pre_handler = pfm_hooks_creds },
	{ .symbol_name = "perf_event_mmap", .pre_handler = pfm_hooks_mmap },
};

/* Of all of them at once: it waits for RCU. */
static void pfm_hooks_remove_probes(void)
{
	struct kprobe *probes[ARRAY_SIZE(pfm_hooks_probes)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pfm_hooks_probes); i++)
		probes[i] = &pfm_hooks_probes[i];
	unregister_kprobes(probes, ARRAY_SIZE(probes));
}

/* The counters of page faults. */

struct pfm_hooks_faults {
	struct perf_event *event[2];	/* minor, major */
	bool stale;			/* the CPU went offline since they were made */
};

static DEFINE_PER_CPU(struct pfm_hooks_faults, pfm_hooks_faults);

static void pfm_hooks_fault(struct perf_event *event, struct perf_sample_data *data,
			    struct pt_regs *regs)
{
	__pfm_sched_fault(event->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

static void pfm_hooks_faults_off(int cpu)
{
	struct pfm_hooks_faults *f = per_cpu_ptr(&pfm_hooks_faults, cpu);
	int i;

	for (i = 0; i < 2; i++) {
		if (f->event[i])
			perf_event_release_kernel(f->event[i]);
		f->event[i] = NULL;
	}
	WRITE_ONCE(f->stale, false);
}

static int pfm_hooks_faults_on(int cpu)
{
	static const u64 configs[2] = {
		PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	};
	struct pfm_hooks_faults *f = per_cpu_ptr(&pfm_hooks_faults, cpu);
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.sample_period = 1,
		.pinned = 1,
	};
	struct perf_event *event;
	int i;

	for (i = 0; i < 2; i++) {
		if (f->event[i])
			continue;
		attr.config = configs[i];
		event = perf_event_create_kernel_counter(&attr, cpu, NULL,
							 pfm_hooks_fault, NULL);
		if (IS_ERR(event))
			return PTR_ERR(event);
		f->event[i] = event;
	}
	return 0;
}

/* On and off, under the mutex. */

static void pfm_hooks_turn_faults_off(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		pfm_hooks_faults_off(cpu);
}

/* Those that are on stay. Some may be, if that fails. */
static int pfm_hooks_turn_faults_on(void)
{
	int cpu, err, ret = 0;

	for_each_online_cpu(cpu) {
		err = ret ? 0 : pfm_hooks_faults_on(cpu);
		/* Unless it has gone offline meanwhile. */
		if (err && err != -ENODEV)
			ret = err;
	}
	return ret;
}

static void pfm_hooks_turn_off(void)
{
	unsigned int i;

	pfm_hooks_turn_faults_off();
	for (i = 0; i < ARRAY_SIZE(pfm_hooks_probes); i++)
		disable_kprobe(&pfm_hooks_probes[i]);
	for (i = 0; i < ARRAY_SIZE(pfm_hooks_points); i++)
		tracepoint_probe_unregister(pfm_hooks_points[i].tp,
					    pfm_hooks_points[i].probe, NULL);
	pfm_hooks_on = false;
}

static int pfm_hooks_turn_on(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(pfm_hooks_points) && !ret; i++)
		ret = tracepoint_probe_register(pfm_hooks_points[i].tp,
						pfm_hooks_points[i].probe, NULL);
	if (ret) {
		while (i-- > 1)
			tracepoint_probe_unregister(pfm_hooks_points[i - 1].tp,
						    pfm_hooks_points[i - 1].probe, NULL);
		return ret;
	}
	pfm_hooks_on = true;
	for (i = 0; i < ARRAY_SIZE(pfm_hooks_probes) && !ret; i++)
		ret = enable_kprobe(&pfm_hooks_probes[i]);
	if (!ret && atomic_read(&pfm_hooks_faulters))
		ret = pfm_hooks_turn_faults_on();
	/* Hooks that are not on yet can be turned off, too. */
	if (ret)
		pfm_hooks_turn_off();
	return ret;
}

/*
 * By a work item, whose credentials let it count on all of a CPU: those of the
 * caller may not.
 */
static int pfm_hooks_result;		/* under the mutex, while the work runs */

static void pfm_hooks_on_work(struct work_struct *work)
{
	pfm_hooks_result = pfm_hooks_turn_on();
}

static DECLARE_WORK(pfm_hooks_begin, pfm_hooks_on_work);

static void pfm_hooks_faults_work(struct work_struct *work)
{
	pfm_hooks_result = pfm_hooks_turn_faults_on();
}

static DECLARE_WORK(pfm_hooks_begin_faults, pfm_hooks_faults_work);

static void pfm_hooks_off_work(struct work_struct *work)
{
	mutex_lock(&pfm_hooks_mutex);
	if (pfm_hooks_on && !atomic_read(&pfm_hooks_users))
		pfm_hooks_turn_off();
	else if (pfm_hooks_on && !atomic_read(&pfm_hooks_faulters))
		pfm_hooks_turn_faults_off();
	mutex_unlock(&pfm_hooks_mutex);
}

static DECLARE_DELAYED_WORK(pfm_hooks_end, pfm_hooks_off_work);

/* CPUs have come or gone. */
static void pfm_hooks_cpus_work(struct work_struct *work)
{
	int cpu;

	mutex_lock(&pfm_hooks_mutex);
	for_each_possible_cpu(cpu)
		if (READ_ONCE(per_cpu(pfm_hooks_faults, cpu).stale))
			pfm_hooks_faults_off(cpu);
	/* If a counter cannot be made, periods in faults end late on its CPU. */
	if (pfm_hooks_on && atomic_read(&pfm_hooks_faulters))
		for_each_online_cpu(cpu)
			pfm_hooks_faults_on(cpu);
	mutex_unlock(&pfm_hooks_mutex);
}

static DECLARE_WORK(pfm_hooks_cpus, pfm_hooks_cpus_work);

/* Software events take the lock that is held for writing here. */
static int pfm_hooks_online(unsigned int cpu)
{
	queue_work(pfm_main_wq, &pfm_hooks_cpus);
	return 0;
}

static int pfm_hooks_offline(unsigned int cpu)
{
	WRITE_ONCE(per_cpu(pfm_hooks_faults, cpu).stale, true);
	queue_work(pfm_main_wq, &pfm_hooks_cpus);
	return 0;
}

/**
 * pfm_hooks_get() - pfm_host_hooks_get()
 * @system: as there
 *
 * Context: as there.
 * Return: 0, or -errno.
 */
int pfm_hooks_get(bool system)
{
	int ret = 0;

	atomic_inc(&pfm_hooks_users);
	mutex_lock(&pfm_hooks_mutex);
	if (!pfm_hooks_on) {
		queue_work(pfm_main_wq, &pfm_hooks_begin);
		flush_work(&pfm_hooks_begin);
		ret = pfm_hooks_result;
	}
	mutex_unlock(&pfm_hooks_mutex);
	if (ret)
		atomic_dec(&pfm_hooks_users);
	else if (system)
		static_branch_deferred_inc(&pfm_sys_key);
	return ret;
}

/**
 * pfm_hooks_put() - pfm_host_hooks_put()
 * @system: as there
 *
 * Context: as there; the lock of CPU hotplug may be held.
 */
void pfm_hooks_put(bool system)
{
	if (system)
		static_branch_slow_dec_deferred(&pfm_sys_key);
	if (atomic_dec_and_test(&pfm_hooks_users))
		mod_delayed_work(pfm_main_wq, &pfm_hooks_end, HZ);
}

/**
 * pfm_hooks_faults_get() - pfm_host_faults_get()
 *
 * If hooks are not on yet, they bring the counters of faults with them: whoever turns them on
 * looks at the count under the same mutex.
 *
 * Context: as there.
 * Return: 0, or -errno.
 */
int pfm_hooks_faults_get(void)
{
	int ret = 0;

	atomic_inc(&pfm_hooks_faulters);
	mutex_lock(&pfm_hooks_mutex);
	if (pfm_hooks_on) {
		queue_work(pfm_main_wq, &pfm_hooks_begin_faults);
		flush_work(&pfm_hooks_begin_faults);
		ret = pfm_hooks_result;
	}
	mutex_unlock(&pfm_hooks_mutex);
	if (ret)
		pfm_hooks_faults_put();
	return ret;
}

/**
 * pfm_hooks_faults_put() - pfm_host_faults_put()
 *
 * They go off a second later, as hooks do.
 *
 * Context: as there.
 */
void pfm_hooks_faults_put(void)
{
	if (atomic_dec_and_test(&pfm_hooks_faulters))
		mod_delayed_work(pfm_main_wq, &pfm_hooks_end, HZ);
}

static int __init pfm_hooks_init_probes(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(pfm_hooks_probes); i++) {
		pfm_hooks_probes[i].flags = KPROBE_FLAG_DISABLED;
		ret = register_kprobe(&pfm_hooks_probes[i]);
		if (!ret && !kprobe_ftrace(&pfm_hooks_probes[i])) {
			unregister_kprobe(&pfm_hooks_probes[i]);
			ret = -EOPNOTSUPP;
		}
		if (ret) {
			pr_err("perfmon: no probe of %s() by ftrace (%d)\n",
			       pfm_hooks_probes[i].symbol_name, ret);
			while (i--)
				unregister_kprobe(&pfm_hooks_probes[i]);
			return ret;
		}
	}
	return 0;
}

/**
 * pfm_hooks_init() - find the places; nothing is turned on
 *
 * Context: process.
 * Return: 0, or -errno if one is missing.
 */
int __init pfm_hooks_init(void)
{
	unsigned int i;
	int ret;

	for_each_kernel_tracepoint(pfm_hooks_find_point, NULL);
	for (i = 0; i < ARRAY_SIZE(pfm_hooks_points); i++) {
		if (!pfm_hooks_points[i].tp) {
			pr_err("perfmon: this kernel has no tracepoint %s\n",
			       pfm_hooks_points[i].name);
			return -ENOENT;
		}
	}
	ret = pfm_hooks_init_probes();
	if (ret)
		return ret;
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "perfmon:faults",
					pfm_hooks_online, pfm_hooks_offline);
	if (ret < 0) {
		pfm_hooks_remove_probes();
		return ret;
	}
	pfm_hooks_cpuhp = ret;
	return 0;
}

/**
 * pfm_hooks_exit() - turn all off
 *
 * When this returns no hook runs any more.
 *
 * Context: process; no session exists.
 */
void pfm_hooks_exit(void)
{
	cpuhp_remove_state_nocalls(pfm_hooks_cpuhp);
	cancel_work_sync(&pfm_hooks_cpus);
	cancel_delayed_work_sync(&pfm_hooks_end);
	mutex_lock(&pfm_hooks_mutex);
	if (pfm_hooks_on)
		pfm_hooks_turn_off();
	mutex_unlock(&pfm_hooks_mutex);
	pfm_hooks_remove_probes();
	static_key_deferred_flush(&pfm_sys_key);
	tracepoint_synchronize_unregister();
}
