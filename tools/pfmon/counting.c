// SPDX-License-Identifier: GPL-2.0-only
/* Contexts that count: their counters are read at the end, and at that of each interval. */
#include <err.h>
#include <stdlib.h>

#include <perfmon/libperfmon.h>

#include "probe.h"
#include "result.h"

static struct probe *counting_create(struct result *result, pid_t tid, int cpu,
				     struct failure *failure)
{
	unsigned int flags = result->tree ? PFM_FL_TREE : cpu < 0 ? 0 : PFM_FL_SYSTEM_WIDE;
	struct probe *probe;
	int fd;

	(void)tid;
	fd = context_create(result->counters, flags, failure);
	if (fd < 0)
		return NULL;
	probe = calloc(1, sizeof(*probe));
	if (!probe)
		err(EXIT_PFMON, NULL);
	probe->fd = fd;
	return probe;
}

/* Only turns that end too fast send one: the kernel has stopped counting. */
static void counting_overflow(struct probe *probe)
{
	pfm_restart(probe->fd);	/* fails if it is detached already */
}

static int counting_finish(struct probe *probe, struct failure *failure)
{
	struct counts counts;
	int ret = 0;

	if (probe->result) {
		/* Counts and durations are to be of the same time. */
		pfm_stop(probe->fd);	/* fails if it is detached already */
		ret = context_read(probe->fd, probe->result->counters, &counts,
				   failure);
		if (counts.throttled < probe->throttled)
			counts.throttled = probe->throttled;
		if (!ret)
			result_add(probe->result, probe->group, &counts, probe->stops);
	}
	free(probe);
	return ret;
}

const struct probe_ops counting = {
	.what = "counts",
	.done = "counted",
	.create = counting_create,
	.finish = counting_finish,
	.overflow = counting_overflow,
};
