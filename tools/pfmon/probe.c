// SPDX-License-Identifier: GPL-2.0-only
/* A context that is attached to a thread or to a CPU. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "file.h"
#include "probe.h"
#include "result.h"

/* Threads that attach to CPUs do so together. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Those of CPUs are there already. */
static unsigned int group_of(struct result *result, const struct probe *probe)
{
	unsigned int i;

	if (probe->cpu < 0)
		return result_add_group(result, probe->tid);
	for (i = 0; result->group[i].id != probe->cpu; i++)
		;
	return i;
}

static void enlist(struct probe *probe)
{
	struct result *result = probe->result;

	pthread_mutex_lock(&lock);
	if (result->grouped)
		probe->group = group_of(result, probe);
	probe->next = result->probes;
	probe->link = &result->probes;
	if (probe->next)
		probe->next->link = &probe->next;
	result->probes = probe;
	pthread_mutex_unlock(&lock);
}

static void delist(struct probe *probe)
{
	pthread_mutex_lock(&lock);
	*probe->link = probe->next;
	if (probe->next)
		probe->next->link = probe->link;
	pthread_mutex_unlock(&lock);
}

void probe_name(struct probe *probe)
{
	struct result *result = probe->result;
	char path[48], name[sizeof(result->group->name)];

	if (!result->grouped || probe->cpu >= 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)probe->tid);
	if (file_read(path, name, sizeof(name)))
		strcpy(result->group[probe->group].name, name);
}

/* Nothing was measured before it is started: there is nothing to lose. */
static void discard(struct probe *probe)
{
	struct failure ignored;
	int fd = probe->fd;

	probe->result = NULL;
	probe->ops->finish(probe, &ignored);
	close(fd);
}

static int load(const struct probe *probe, unsigned int flags, unsigned int set,
		struct failure *failure)
{
	if (probe->result->joins)
		return context_attach_tree(probe->fd, probe->result->sum_fd, PFM_LOADFL_JOIN, set,
					   failure);
	if (probe->result->tree)
		return context_attach_tree(probe->fd, probe->tid, PFM_LOADFL_ALL | flags, set,
					   failure);
	return context_attach(probe->fd, probe->tid, probe->cpu < 0 ? 0 : PFM_FL_SYSTEM_WIDE,
			      set, failure);
}

static struct probe *attach(struct result *result, pid_t tid, int cpu, unsigned int flags,
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
	if (load(probe, flags, n % result->counters->sets, failure)) {
		discard(probe);
		return NULL;
	}
	enlist(probe);
	probe_name(probe);
	return probe;
}

struct probe *probe_attach(struct result *result, pid_t tid, int cpu,
			   struct failure *failure)
{
	return attach(result, tid, cpu, 0, failure);
}

struct probe *probe_attach_tree(struct result *result, pid_t tid, unsigned int flags,
				struct failure *failure)
{
	return attach(result, tid, -1, flags, failure);
}

int probe_start(struct probe *probe, struct failure *failure)
{
	/* What joins a tree is started with that. */
	return probe->result->held || probe->result->joins ? 0 : context_start(probe->fd, failure);
}

void probe_all(struct result *result, void (*what)(struct probe *probe))
{
	struct probe *probe, *next;

	if (result->command) {
		result->command(result, what);
		return;
	}
	for (probe = result->probes; probe; probe = next) {
		next = probe->next;
		what(probe);
	}
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

uint64_t probe_counted_ns(const struct probe *probe)
{
	unsigned int set, sets = probe->result->counters->sets;
	uint64_t ns = 0;

	for (set = 0; set < sets; set++) {
		pfarg_setinfo_t info = { .set_id = (uint16_t)set };

		if (!pfm_getinfo_evtsets(probe->fd, &info, 1))
			ns += context_set_ns(&info);
	}
	return ns;
}

int probe_finish(struct probe *probe, struct failure *failure)
{
	int fd = probe->fd, ret;

	delist(probe);
	ret = probe->ops->finish(probe, failure);
	close(fd);
	return ret;
}

void probe_drop(struct probe *probe)
{
	delist(probe);
	discard(probe);
}
