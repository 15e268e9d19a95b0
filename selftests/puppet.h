/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread to monitor that does what it is told: a process or a thread that
 * waits on a pipe for an order, carries it out and acknowledges it. Between
 * orders it sleeps and nothing that a counter counts happens in it.
 *
 * And what the kernel itself says about a thread, to compare counts with.
 */
#ifndef PUPPET_H
#define PUPPET_H

#include "pfm_test.h"

enum puppet_kind { PUPPET_PROCESS, PUPPET_THREAD };

enum puppet_op {
	OP_NONE,	/* nothing but the switches of taking the order */
	OP_FAULT,	/* n minor faults */
	OP_SLEEP,	/* n short sleeps, a switch each at least */
	OP_BURN,	/* n ms of CPU time */
	OP_SPIN,	/* n million turns in user mode, no system call */
	OP_PIN,		/* stay on CPU n */
	OP_MIGRATE,	/* n moves between two CPUs */
	OP_EXIT,	/* exit with status n */
};

struct puppet_order {
	int op;
	unsigned int n;
};

struct puppet {
	enum puppet_kind kind;
	pid_t tid;
	pthread_t thread;
	int order[2], ack[2];
	struct pages pages;
};

#define PUPPET_PAGES	2000

static inline void puppet_migrate(unsigned int n)
{
	int cpus[2], start, k = my_cpus(cpus, 2);
	cpu_set_t old;

	if (k < 2)
		return;
	MUST(sched_getaffinity(0, sizeof(old), &old));
	start = sched_getcpu() == cpus[0];
	while (n--) {
		pin_cpu(cpus[start]);
		start = !start;
	}
	MUST(sched_setaffinity(0, sizeof(old), &old));
}

static inline void puppet_obey(struct puppet *p, struct puppet_order *o)
{
	unsigned int n = o->n;
	u64 turns;

	switch (o->op) {
	case OP_FAULT:
		pages_touch(&p->pages, n);
		break;
	case OP_SLEEP:
		while (n--)
			nap();
		break;
	case OP_BURN:
		burn_ms(n);
		break;
	case OP_SPIN:
		/* Not to be unrolled: each turn takes an instruction at least. */
		for (turns = n * 1000000ULL; turns; turns--)
			__asm__ volatile("" : "+r"(turns) : : "memory");
		break;
	case OP_PIN:
		pin_cpu((int)n);
		break;
	case OP_MIGRATE:
		puppet_migrate(n);
		break;
	case OP_EXIT:
		if (p->kind == PUPPET_PROCESS)
			_exit((int)n);
		pthread_exit(NULL);
	}
}

static inline void *puppet_main(void *arg)
{
	struct puppet *p = arg;
	struct puppet_order o;
	pid_t tid = my_tid();

	MUST(write(p->ack[1], &tid, sizeof(tid)));
	for (;;) {
		ssize_t n = read(p->order[0], &o, sizeof(o));

		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(o))
			return NULL;
		puppet_obey(p, &o);
		MUST(write(p->ack[1], &tid, sizeof(tid)));
	}
}

static inline void puppet_post(struct puppet *p, enum puppet_op op,
			       unsigned int n)
{
	struct puppet_order o = { .op = op, .n = n };

	if (write(p->order[1], &o, sizeof(o)) != sizeof(o))
		die("the puppet is gone");
}

/* Whether the puppet acknowledges its last order within @ms. */
static inline bool puppet_done(struct puppet *p, int ms)
{
	pid_t tid;

	if (!(pfm_poll(p->ack[0], ms) & POLLIN))
		return false;
	return read(p->ack[0], &tid, sizeof(tid)) == sizeof(tid);
}

static inline void puppet_do(struct puppet *p, enum puppet_op op,
			     unsigned int n)
{
	puppet_post(p, op, n);
	if (!puppet_done(p, PATIENCE))
		die("the puppet does not obey (order %d, %u)", op, n);
}

static inline void puppet_start(struct puppet *p, enum puppet_kind kind)
{
	pid_t tid;

	p->kind = kind;
	MUST(pipe2(p->order, O_CLOEXEC));
	MUST(pipe2(p->ack, O_CLOEXEC));
	pages_map(&p->pages, PUPPET_PAGES);
	if (kind == PUPPET_THREAD) {
		if (pthread_create(&p->thread, NULL, puppet_main, p))
			die("pthread_create");
	} else {
		p->tid = fork_child();
		if (!p->tid) {
			puppet_main(p);
			_exit(0);
		}
	}
	if (read(p->ack[0], &tid, sizeof(tid)) != sizeof(tid))
		die("the puppet did not start");
	p->tid = tid;
	/* Once for nothing: then it faults on no page of its own later. */
	puppet_do(p, OP_FAULT, 1);
	puppet_do(p, OP_SLEEP, 1);
	puppet_do(p, OP_BURN, 0);
}

/* Ends the puppet by its own exit; the status it exits with. */
static inline int puppet_stop(struct puppet *p)
{
	int ret = 0;

	puppet_post(p, OP_EXIT, 0);
	if (p->kind == PUPPET_THREAD)
		pthread_join(p->thread, NULL);
	else
		ret = reap(p->tid);
	close(p->order[0]);
	close(p->order[1]);
	close(p->ack[0]);
	close(p->ack[1]);
	return ret;
}

/* ------------------------------------------------------------------------
 * The kernel's own counts of one thread. It must be asleep for exactness.
 */

static inline void thread_path(char *path, size_t size, pid_t tid,
			       const char *file)
{
	snprintf(path, size, "/proc/%d/task/%d/%s", tid, tid, file);
}

/* Field @n of /proc/TID/stat, counted from 1 as in proc(5). */
static inline u64 thread_stat(pid_t tid, int n)
{
	char path[64], buf[2048], *p;

	thread_path(path, sizeof(path), tid, "stat");
	MUST(read_text(path, buf, sizeof(buf)));
	p = strrchr(buf, ')');
	for (n -= 2; p && n > 0; n--)
		p = strchr(p + 1, ' ');
	if (!p)
		die("%s is short", path);
	return strtoull(p + 1, NULL, 10);
}

static inline u64 thread_minor_faults(pid_t tid)
{
	return thread_stat(tid, 10);
}

static inline u64 thread_major_faults(pid_t tid)
{
	return thread_stat(tid, 12);
}

static inline u64 thread_status(pid_t tid, const char *key)
{
	char path[64], value[64];

	thread_path(path, sizeof(path), tid, "status");
	if (!text_field(path, key, value, sizeof(value)))
		die("no %s in %s", key, path);
	return strtoull(value, NULL, 10);
}

static inline u64 thread_switches(pid_t tid)
{
	return thread_status(tid, "voluntary_ctxt_switches") +
	       thread_status(tid, "nonvoluntary_ctxt_switches");
}

/* False on a kernel without CONFIG_SCHED_DEBUG. */
static inline bool thread_migrations(pid_t tid, u64 *n)
{
	char path[64], value[64];

	thread_path(path, sizeof(path), tid, "sched");
	if (!text_field(path, "se.nr_migrations", value, sizeof(value)))
		return false;
	*n = strtoull(value, NULL, 10);
	return true;
}

/* False on a kernel without CONFIG_SCHED_INFO. */
static inline bool thread_runtime(pid_t tid, u64 *ns)
{
	char path[64], buf[128];

	thread_path(path, sizeof(path), tid, "schedstat");
	if (read_text(path, buf, sizeof(buf)) < 0)
		return false;
	*ns = strtoull(buf, NULL, 10);
	return *ns != 0;
}

/*
 * Whether the thread has left its CPU. It has a wait channel since it is on no
 * run queue any more; and that happens with the lock held that the question
 * for its time slice takes, until another thread is there.
 */
static inline bool off_cpu(pid_t tid)
{
	char path[64], buf[128];
	struct timespec ts;

	thread_path(path, sizeof(path), tid, "wchan");
	if (read_text(path, buf, sizeof(buf)) <= 0 || !strcmp(buf, "0"))
		return false;
	return !sched_rr_get_interval(tid, &ts);
}

/*
 * Waits until the thread is in one of these states and has really left its
 * CPU: it says so before it is switched out. Without a wait channel to see
 * its counts must stand still for a while.
 */
static inline void wait_rest(pid_t tid, const char *states)
{
	u64 before, after = 0;
	int tries, still = 0;

	for (tries = 0; tries < PATIENCE / 2; tries++) {
		before = after;
		after = thread_switches(tid);
		still = before == after && strchr(states, thread_state(tid)) ?
			still + 1 : 0;
		if ((still > 1 && off_cpu(tid)) || still > 100)
			return;
		sleep_ms(2);
	}
	die("thread %d does not come to rest", tid);
}

static inline void puppet_settle(struct puppet *p)
{
	wait_rest(p->tid, "S");
}

#endif /* PUPPET_H */
