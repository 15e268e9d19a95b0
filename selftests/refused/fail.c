// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon as a module: what fail.h says, done.
 */
#include <linux/errno.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "fail.h"

/* Here they are the kernel's. */
#undef register_kprobe
#undef for_each_kernel_tracepoint

static int fail;			/* counts down */
module_param(fail, int, 0444);
static char *absent = "";
module_param(absent, charp, 0444);

/* -EIO, if this is the call that has to fail. */
int fail_now(void)
{
	return fail > 0 && !--fail ? -EIO : 0;
}

bool fail_absent(const char *name)
{
	return !strcmp(name, absent);
}

/* The kernel is asked for a function that it does not have. */
int fail_register_kprobe(struct kprobe *probe)
{
	const char *name = probe->symbol_name;
	int ret = fail_now();

	if (ret)
		return ret;
	if (fail_absent(name))
		probe->symbol_name = "a_function_that_no_kernel_has";
	ret = register_kprobe(probe);
	probe->symbol_name = name;
	return ret;
}

struct each {
	void (*fn)(struct tracepoint *tp, void *arg);
	void *arg;
};

static void fail_tracepoint(struct tracepoint *tp, void *arg)
{
	struct each *each = arg;

	if (!fail_absent(tp->name))
		each->fn(tp, each->arg);
}

void fail_each_tracepoint(void (*fn)(struct tracepoint *tp, void *arg), void *arg)
{
	struct each each = { fn, arg };

	for_each_kernel_tracepoint(fail_tracepoint, &each);
}
