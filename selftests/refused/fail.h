/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon as a module: a kernel that does not have all that it is asked for when the
 * module is loaded.
 *
 * scripts/test-stock has the compiler read this before each file of the module. The calls
 * below are counted: the one fails whose number is the module's parameter fail. What its
 * parameter absent names is not found: a function, a tracepoint, or "ftrace" below probes.
 */
#ifndef REFUSED_FAIL_H
#define REFUSED_FAIL_H

#include <linux/cpuhotplug.h>
#include <linux/kobject.h>
#include <linux/kprobes.h>
#include <linux/miscdevice.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <asm/nmi.h>

int fail_now(void);
bool fail_absent(const char *name);
int fail_register_kprobe(struct kprobe *probe);
void fail_each_tracepoint(void (*fn)(struct tracepoint *tp, void *arg), void *arg);

/* What a name says itself is not expanded again. */
#define alloc_workqueue(...)	(fail_now() ? NULL : alloc_workqueue(__VA_ARGS__))
#define cpuhp_setup_state(...)	(fail_now() ?: cpuhp_setup_state(__VA_ARGS__))
#define cpuhp_setup_state_nocalls(...) \
	(fail_now() ?: cpuhp_setup_state_nocalls(__VA_ARGS__))
#define kobject_create_and_add(...) \
	(fail_now() ? NULL : kobject_create_and_add(__VA_ARGS__))
#define kvmalloc_array(...)	(fail_now() ? NULL : kvmalloc_array(__VA_ARGS__))
#define misc_register(...)	(fail_now() ?: misc_register(__VA_ARGS__))
/* A macro in newer kernels. */
#ifndef register_sysctl
#define register_sysctl(...)	(fail_now() ? NULL : register_sysctl(__VA_ARGS__))
#endif
#define register_kprobe		fail_register_kprobe
#define kprobe_ftrace(...)	(!fail_absent("ftrace") && kprobe_ftrace(__VA_ARGS__))
#define for_each_kernel_tracepoint fail_each_tracepoint
#define __register_nmi_handler(...) \
	(fail_now() ?: __register_nmi_handler(__VA_ARGS__))

#endif /* REFUSED_FAIL_H */
