// SPDX-License-Identifier: GPL-2.0-only
/* A context that is attached to a thread or to a CPU. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "probe.h"
#include "result.h"

struct probe *probe_attach(struct result *result, pid_t tid, int cpu,
			   struct failure *failure)
{
	struct probe *probe = result->ops->create(result, tid, cpu, failure);
	unsigned int n;

	if (!probe)
		return NULL;
	probe->ops = result->ops;
	probe->result = result;
	probe->tid = tid;
	probe->cpu = cpu;
	fcntl(probe->fd, F_SETFL, O_NONBLOCK);
	/*
	 * They begin with different sets: most threads may be shorter than a turn. Not
	 * with one after the other: a program may start two others in turn, again and again.
	 */
	n = __atomic_fetch_add(&result->begun, 1, __ATOMIC_RELAXED);
	n = n * 0x9e3779b9u >> 16;	/* Fibonacci hashing */
	if (context_attach(probe->fd, tid, n % result->counters->sets, failure)) {
		probe_drop(probe);
		return NULL;
	}
	return probe;
}

int probe_start(struct probe *probe, struct failure *failure)
{
	return context_start(probe->fd, failure);
}

bool probe_read(struct probe *probe)
{
	pfm_msg_t msgs[16];
	bool overflow = false;
	ssize_t n;

	while ((n = read(probe->fd, msgs, sizeof(msgs))) > 0) {
		for (n = n / (ssize_t)sizeof(*msgs) - 1; n >= 0; n--) {
			if (msgs[n].msg_type == PFM_MSG_END)
				probe->ended = true;
			else if (msgs[n].msg_type == PFM_MSG_OVFL)
				overflow = true;
		}
	}
	return overflow;
}

void probe_messages(struct probe *probe)
{
	if (probe_read(probe) && probe->ops->overflow)
		probe->ops->overflow(probe);
}

int probe_finish(struct probe *probe, uint64_t stops, struct failure *failure)
{
	int fd = probe->fd, ret = probe->ops->finish(probe, stops, failure);

	close(fd);
	return ret;
}

void probe_drop(struct probe *probe)
{
	struct failure ignored;

	/* Nothing was measured before it is started: there is nothing to lose. */
	probe->result = NULL;
	probe_finish(probe, 0, &ignored);
}
