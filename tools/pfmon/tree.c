// SPDX-License-Identifier: GPL-2.0-only
/* Contexts that the kernel has count whole trees of threads: what is to be known of them. */
#include <perfmon/libperfmon.h>

#include "numbers.h"
#include "probe.h"
#include "spent.h"
#include "tree.h"
#include "watch.h"

/* From one look for CPUs on which turns ended too fast to the next. */
#define UNMASK_NS	20000000

/*
 * Of each thread that ends, the end of its exit, after it has left its tree, is in no count;
 * the kernel has it in its account.
 */
#define EXIT_NS		10000000

static uint64_t threads_before;
static unsigned int missed;

/* The first command after the end of a tree has the kernel forget what belongs to CPUs. */
static unsigned int ask(struct probe *probe)
{
	struct context_info info;

	context_read_info(probe->fd, &info);
	if (info.throttled > probe->throttled)
		probe->throttled = info.throttled;
	if (info.missed > probe->missed)
		probe->missed = info.missed;
	return info.members;
}

static void unmask(struct probe *probe)
{
	ask(probe);
	pfm_restart(probe->fd);	/* fails if there is no such CPU */
}

/* Nobody is told of a tree that has been stopped on a CPU. */
static void unmask_all(struct result *result)
{
	probe_all(result, unmask);
}

void tree_begin(struct result *result)
{
	threads_before = spent_threads() - 1;	/* the command, if it is one */
	missed = 0;
	if (result->counters->every)
		watch_timer(UNMASK_NS, true, unmask_all);
}

uint64_t tree_counted_ns(struct probe *probe)
{
	ask(probe);
	return probe_counted_ns(probe);
}

unsigned int tree_look(struct result *result, struct probe *probe)
{
	unsigned int members = ask(probe);

	missed += (unsigned int)probe->missed;
	result->missed += (unsigned int)probe->missed;
	result->counted_ns += probe_counted_ns(probe);
	return members;
}

void tree_note(struct result *result, uint64_t spent_ns)
{
	uint64_t exits_ns = (spent_threads() - threads_before) * EXIT_NS;
	char counted[NUMBERS_MAX], spent[NUMBERS_MAX];

	if (missed)
		result_note(result, "%u thread%s not %s: other programs monitor them, or this user may not look into them, or memory was short",
			    missed, missed == 1 ? " was" : "s were", result->ops->done);
	if (missed || !spent_is_missing(spent_ns, result->counted_ns, exits_ns))
		return;
	result_note(result, "of %s ms of CPU time only %s were %s: threads that other programs monitor, and programs that this user may not look into, are in no number",
		    numbers_ms(spent, spent_ns), numbers_ms(counted, result->counted_ns),
		    result->ops->done);
}
