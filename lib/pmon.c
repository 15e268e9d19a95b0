// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events that are counted for one thread. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "count/events.h"
#include "count/holders.h"
#include "count/pmu.h"
#include "pmon.h"

/* How long events of a set are counted: a switch is cheap compared with it. */
#define TURN_NS		1000000

static __thread char last_error[1024] = "no call has failed";

const char *pmon_error(void)
{
	return last_error;
}

int pmon_fail(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_error, sizeof(last_error), format, args);
	va_end(args);
	return -err;
}

/* What cures it; the reasons are holders_text()'s. */
static const char *cure(const struct failure *f)
{
	static const struct {
		int cmd, err;
		const char *text;
	} cures[] = {
		{ 0, ENOSYS, "load the module perfmon, or boot a kernel with CONFIG_PERFMON=y" },
		{ PFM_CREATE_CONTEXT, EINVAL, "load the format's module (modprobe pfm_NAME); 'pfmon info' shows those that there are" },
		{ PFM_CREATE_CONTEXT, EMFILE, "raise the limit of open files (ulimit -n)" },
		{ PFM_CREATE_CONTEXT, EPERM, "be of the group in /sys/kernel/perfmon/thread_group" },
		{ PFM_CREATE_CONTEXT, ENOMEM, "use a smaller buffer, or raise ulimit -l or smpl_buf_size_max" },
		{ PFM_WRITE_PMCS, EPERM, "count at user level, with :u; or sysctl kernel.perfmon_hardened=0, or CAP_PERFMON" },
		{ PFM_WRITE_PMCS, EBUSY, "end what else uses the PMU: perf, or the NMI watchdog (sysctl kernel.nmi_watchdog=0)" },
		{ PFM_LOAD_CONTEXT, EPERM, "be root, or who started the thread" },
		{ PFM_LOAD_CONTEXT, EBUSY, "end that, or wait until it has ended" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cures) / sizeof(cures[0]); i++)
		if (cures[i].err == f->err && (!cures[i].cmd || cures[i].cmd == f->cmd))
			return cures[i].text;
	return NULL;
}

int pmon_refused(const struct failure *f)
{
	const char *how = cure(f), *cmd = pfm_cmd_name(f->cmd);
	char name[PFM_NAME_MAX], reg[PFM_NAME_MAX + 16] = "";

	if (f->reg >= 0) {
		if (pfm_pmc_name((unsigned int)f->reg, name, sizeof(name)))
			strcpy(name, "?");
		snprintf(reg, sizeof(reg), " of PMC %d (%s)", f->reg, name);
	}
	return pmon_fail(f->err, "%s%s: %s%s%s", cmd ? cmd : "mmap", reg, holders_text("/proc", f),
			 how ? ": " : "", how ? how : "");
}

/* What libpfm4 and the tables of events find, one thread after the other. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_it(void)
{
	pthread_mutex_lock(&lock);
}

static void unlock_it(void)
{
	pthread_mutex_unlock(&lock);
}

/*
 * A child of fork() has only the thread that called it: another one's lock would never be
 * released there. When the library is loaded, since only then no other thread is in it.
 */
__attribute__((constructor)) static void guard_forks(void)
{
	pthread_atfork(lock_it, unlock_it, unlock_it);
}

/* With the lock. */
static void find_hardware(void)
{
	static struct pmu pmu;
	static bool known;

	if (known)
		return;
	pmu_read(&pmu);
	events_pmu(&pmu);
	known = true;
}

/* With the lock. */
static int choose(struct counters *counters, const char *events, unsigned int flags)
{
	char error[EVENTS_ERROR_MAX];

	find_hardware();
	memset(counters, 0, sizeof(*counters));
	counters->many = true;
	counters->timeout_ns = TURN_NS;
	events_free(false);
	if (counters_add(counters, events, error))
		return pmon_fail(EINVAL, "%s", error);
	if (counters_take_turns(counters, false, error) ||
	    ((flags & PMON_NO_MULTIPLEX) && counters_together(counters, error)))
		return pmon_fail(ENOSPC, "%s", error);
	return 0;
}

int pmon_choose(struct counters *counters, const char *events, unsigned int flags)
{
	pfarg_config_t cfg;
	struct failure f;
	int ret;

	memset(&cfg, 0, sizeof(cfg));
	if (pfm_get_config(&cfg)) {
		failure_set(&f, PFM_GET_CONFIG, 0);
		return pmon_refused(&f);
	}
	lock_it();
	ret = choose(counters, events, flags);
	unlock_it();
	return ret;
}

/* What is forbidden of the kernel's level is counted at user level, if that was not asked for. */
static int create(pmon_t *m)
{
	const unsigned int tree = m->flags & PMON_INHERIT ? PFM_FL_TREE : 0;
	struct failure f;

	m->fd = context_create(&m->counters, PFM_FL_CLOEXEC | tree, &f);
	if (m->fd < 0 && f.cmd == PFM_WRITE_PMCS && f.err == EPERM &&
	    counters_kernel(&m->counters)) {
		counters_restrict(&m->counters);
		m->fd = context_create(&m->counters, PFM_FL_CLOEXEC | tree, &f);
	}
	if (m->fd < 0 && tree && f.cmd == PFM_CREATE_CONTEXT && f.err == EINVAL)
		return pmon_fail(EOPNOTSUPP, "this kernel has no process trees (PMON_INHERIT): count each thread by itself, as with pmon_group_open()");
	return m->fd < 0 ? pmon_refused(&f) : 0;
}

/* Do they go together, and with the events? */
static int check_flags(unsigned int flags)
{
	const unsigned int known = PMON_NO_MULTIPLEX | PMON_INHERIT | PMON_PROCESS;

	if (flags & ~known)
		return pmon_fail(EINVAL, "there is no flag %#x", flags & ~known);
	if ((flags & PMON_PROCESS) && !(flags & PMON_INHERIT))
		return pmon_fail(EINVAL, "PMON_PROCESS needs PMON_INHERIT");
	return 0;
}

static int check_tree(const pmon_t *m)
{
	const struct event *event = counters_no_tree(&m->counters);

	if (!(m->flags & PMON_INHERIT) || !event)
		return 0;
	return pmon_fail(EINVAL, "'%s' cannot be counted with PMON_INHERIT: count it for each thread, as with pmon_group_open()",
			 event->name);
}

/* If all events are in one set, what pmon_read_counts() reads them with. Or there is none. */
static void prepare_read(pmon_t *m)
{
	const struct counters *counters = &m->counters;
	unsigned int i;

	if (counters->sets > 1 || counters->every)
		return;
	m->pmds = calloc(counters->n, sizeof(*m->pmds));
	for (i = 0; m->pmds && i < counters->n; i++)
		m->pmds[i].reg_num = counters->c[i].pmd;
}

int pmon_open(pmon_t **out, const char *events, unsigned int flags)
{
	pmon_t *m = calloc(1, sizeof(*m));
	int ret;

	*out = NULL;
	if (!m)
		return pmon_fail(ENOMEM, "%s", strerror(ENOMEM));
	m->fd = -1;
	m->flags = flags;
	ret = check_flags(flags);
	if (!ret)
		ret = pmon_choose(&m->counters, events, flags);
	if (!ret)
		ret = check_tree(m);
	if (!ret) {
		m->base = calloc(m->counters.n, sizeof(*m->base));
		ret = m->base ? create(m) : pmon_fail(ENOMEM, "%s", strerror(ENOMEM));
	}
	if (ret) {
		pmon_close(m);
		return ret;
	}
	prepare_read(m);
	*out = m;
	return 0;
}

/* Of a process all threads are counted, or none: nobody could tell what is missing. */
static int attach_tree(pmon_t *m, pid_t tid)
{
	struct context_info info;
	struct failure f;

	if (context_attach_tree(m->fd, tid, PFM_LOADFL_ALL |
				(m->flags & PMON_PROCESS ? PFM_LOADFL_THREADS : 0),
				0, &f))
		return pmon_refused(&f);
	context_read_info(m->fd, &info);
	if (!info.missed)
		return 0;
	pfm_unload_context(m->fd);
	return pmon_fail(EBUSY, "%llu of the threads of the process of thread %d cannot be counted: they are being monitored: end that, or wait until it has ended",
			 (unsigned long long)info.missed, (int)tid);
}

int pmon_attach(pmon_t *m, pid_t tid)
{
	struct failure f;
	int ret = 0;

	if (!tid)
		tid = (pid_t)syscall(SYS_gettid);
	if (m->flags & PMON_INHERIT)
		ret = attach_tree(m, tid);
	else if (context_attach(m->fd, tid, 0, 0, &f))
		ret = pmon_refused(&f);
	m->attached |= !ret;
	return ret;
}

int pmon_start(pmon_t *m)
{
	struct failure f;
	int ret = m->attached ? 0 : pmon_attach(m, 0);

	if (!ret && context_start(m->fd, &f))
		ret = pmon_refused(&f);
	return ret;
}

int pmon_stop(pmon_t *m)
{
	struct failure f;

	if (!pfm_stop(m->fd))
		return 0;
	failure_set(&f, PFM_STOP, 0);
	return pmon_refused(&f);
}

unsigned int pmon_events(const pmon_t *m)
{
	return m->counters.n;
}

const char *pmon_name(const pmon_t *m, unsigned int i)
{
	return i < m->counters.n ? m->counters.c[i].name : NULL;
}

int pmon_fd(const pmon_t *m)
{
	return m->fd;
}

void pmon_scale(pmon_value_t *v)
{
	v->scaled = v->raw;
	if (v->active_ns && v->active_ns < v->total_ns)
		v->scaled = (uint64_t)((double)v->raw * (double)v->total_ns /
				       (double)v->active_ns + 0.5);
}

/* How long the sets were active, the only one, too. */
static int read_times(const pmon_t *m, struct counts *counts, struct failure *f)
{
	pfarg_setinfo_t info = { .set_id = 0 };

	if (m->counters.sets > 1)
		return 0;
	if (pfm_getinfo_evtsets(m->fd, &info, 1))
		return failure_set(f, PFM_GETINFO_EVTSETS, 0);
	counts->turns[0].ns = context_set_ns(&info);
	return 0;
}

/* From the beginning, not from pmon_reset() on. */
static int read_all(const pmon_t *m, pmon_value_t *value, unsigned int n, bool times)
{
	struct counts counts;
	struct failure f;
	uint64_t all = 0;
	unsigned int i, set;

	if (context_read(m->fd, &m->counters, &counts, &f) ||
	    (times && read_times(m, &counts, &f)))
		return pmon_refused(&f);
	for (set = 0; set < m->counters.sets; set++)
		all += counts.turns[set].ns;
	for (i = 0; i < n; i++) {
		const struct counter *c = &m->counters.c[i];

		value[i] = (pmon_value_t){
			.raw = counts.value[i], .total_ns = all,
			.active_ns = c->sets == m->counters.sets ? all :
				     counts.turns[c->set].ns,
		};
	}
	return 0;
}

static int read_values(const pmon_t *m, pmon_value_t *value, unsigned int n, bool times)
{
	unsigned int i;
	int ret;

	if (n > m->counters.n)
		n = m->counters.n;
	ret = read_all(m, value, n, times);
	if (ret)
		return ret;
	for (i = 0; i < n; i++) {
		value[i].raw -= m->base[i].raw;
		value[i].active_ns -= m->base[i].active_ns;
		value[i].total_ns -= m->base[i].total_ns;
		pmon_scale(&value[i]);
	}
	return (int)n;
}

int pmon_read(pmon_t *m, pmon_value_t *value, unsigned int n)
{
	return read_values(m, value, n, true);
}

int pmon_read_counts(pmon_t *m, pmon_value_t *value, unsigned int n)
{
	struct failure f;
	unsigned int i;

	if (!m->pmds)
		return read_values(m, value, n, false);
	if (n > m->counters.n)
		n = m->counters.n;
	/* What an error leaves in the flags is ignored the next time. */
	if (pfm_read_pmds(m->fd, m->pmds, (int)n)) {
		failure_set(&f, PFM_READ_PMDS, 0);
		return pmon_refused(&f);
	}
	for (i = 0; i < n; i++) {
		uint64_t raw = m->pmds[i].reg_value - m->base[i].raw;

		value[i] = (pmon_value_t){ .raw = raw, .scaled = raw };
	}
	return (int)n;
}

int pmon_reset(pmon_t *m)
{
	return read_all(m, m->base, m->counters.n, true);
}

void pmon_close(pmon_t *m)
{
	if (!m)
		return;
	if (m->sampling)
		pmon_sample_free(m);
	if (m->fd >= 0)
		close(m->fd);
	free(m->pmds);
	free(m->base);
	free(m);
}
