// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 as a module: functions of the kernel that are not exported.
 *
 * kprobes know where they are. They are called by static calls, that is by
 * direct calls: on a processor with IBT a call by a pointer would have to find
 * an ENDBR there, and the kernel has overwritten those of functions that
 * it does not call so itself.
 */
#include <linux/kprobes.h>
#include <linux/printk.h>
#include <asm/ibt.h>

#include "compat.h"
#include "host.h"
#include "module.h"

DEFINE_STATIC_CALL_NULL(pfm_resolve_runtime, pfm_resolve_runtime_fn);
DEFINE_STATIC_CALL_NULL(pfm_resolve_may_access, pfm_resolve_may_access_fn);
DEFINE_STATIC_CALL_NULL(pfm_resolve_munmap, pfm_resolve_munmap_fn);
DEFINE_STATIC_CALL_NULL(pfm_resolve_freeze, pfm_resolve_freeze_fn);
DEFINE_STATIC_CALL_NULL(pfm_resolve_thaw, pfm_resolve_thaw_fn);
DEFINE_STATIC_CALL_NULL(pfm_resolve_in_sched, pfm_resolve_in_sched_fn);
DEFINE_STATIC_CALL_NULL(pfm_resolve_stack_regs, pfm_resolve_stack_regs_fn);
DEFINE_STATIC_CALL_NULL(pfm_resolve_stack_user, pfm_resolve_stack_user_fn);
DEFINE_STATIC_CALL_NULL(pfm_resolve_may_read_user, pfm_resolve_may_read_user_fn);

/* One for each function: all are removed at once, since each removal waits for RCU. */
static struct kprobe pfm_resolve_probes[9] __initdata;
static struct kprobe *pfm_resolve_found[9] __initdata;
static unsigned int pfm_resolve_num __initdata;

/* The address of a function, or NULL. A probe that is disabled patches nothing. */
static void *__init pfm_resolve(const char *name)
{
	struct kprobe *probe = &pfm_resolve_probes[pfm_resolve_num];
	void *addr;

	if (WARN_ON_ONCE(pfm_resolve_num == ARRAY_SIZE(pfm_resolve_found)))
		return NULL;
	*probe = (struct kprobe){
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};
	if (register_kprobe(probe))
		return NULL;
	pfm_resolve_found[pfm_resolve_num++] = probe;
	addr = probe->addr;
	/* A probe stands behind ENDBR. */
	if (PFM_IS_ENDBR((u32 *)(addr - 4)))
		addr -= 4;
	return addr;
}

#define PFM_RESOLVE(call, name)						\
({									\
	void *addr_ = pfm_resolve(name);				\
									\
	if (addr_)							\
		static_call_update(call, (typeof(call##_fn) *)addr_);	\
	addr_;								\
})

/* The name of a function that is needed and missing, or NULL. */
static const char *__init pfm_resolve_all(void)
{
	const char *missing = NULL;

	if (!PFM_RESOLVE(pfm_resolve_runtime, "task_sched_runtime"))
		missing = "task_sched_runtime";
	if (!PFM_RESOLVE(pfm_resolve_may_access, "ptrace_may_access"))
		missing = "ptrace_may_access";
	if (!PFM_RESOLVE(pfm_resolve_munmap, "do_munmap"))
		missing = "do_munmap";
	if (!PFM_RESOLVE(pfm_resolve_in_sched, "in_sched_functions"))
		missing = "in_sched_functions";
	if (!PFM_RESOLVE(pfm_resolve_stack_regs, "stack_trace_save_regs"))
		missing = "stack_trace_save_regs";
	if (!PFM_RESOLVE(pfm_resolve_stack_user, "stack_trace_save_user"))
		missing = "stack_trace_save_user";
	if (!PFM_RESOLVE(pfm_resolve_may_read_user, "nmi_uaccess_okay"))
		missing = "nmi_uaccess_okay";
	/* Without them a blocked thread does not count as frozen: both, or none. */
	if (PFM_RESOLVE(pfm_resolve_thaw, "cgroup_leave_frozen") &&
	    !PFM_RESOLVE(pfm_resolve_freeze, "cgroup_enter_frozen"))
		static_call_update(pfm_resolve_thaw, NULL);
	return missing;
}

/**
 * pfm_resolve_init() - find all of them
 *
 * Context: process.
 * Return: 0, or -ENOENT if one is missing that is needed.
 */
int __init pfm_resolve_init(void)
{
	const char *missing = pfm_resolve_all();

	unregister_kprobes(pfm_resolve_found, pfm_resolve_num);
	if (!missing)
		return 0;
	pr_err("perfmon: this kernel has no function %s(), or kprobes cannot find it\n",
	       missing);
	return -ENOENT;
}
