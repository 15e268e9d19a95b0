/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tree_*.c tests share: a process that makes threads and processes when it is told
 * to, what the kernel says of them, and a context that is loaded on it.
 */
#ifndef MEMBER_H
#define MEMBER_H

#include "puppet.h"

/* A child that waits for orders: each byte that it reads is one, 0 the last. */
struct member {
	pid_t pid;
	int order[2], ack[2];
};

static inline void *touch_in_thread(void *arg)
{
	struct pages own;

	pages_map(&own, (unsigned int)(long)arg);
	pages_touch(&own, (unsigned int)(long)arg);
	munmap((void *)own.start, (size_t)(own.end - own.start));
	return NULL;
}

static inline void make_threads(int n, long faults)
{
	pthread_t t;

	while (n--) {
		if (pthread_create(&t, NULL, touch_in_thread, (void *)faults))
			die("pthread_create");
		pthread_join(t, NULL);
	}
}

/* Each has a child of its own, to a depth. */
static inline void make_processes(int n, int depth, long faults)
{
	pid_t pid;

	while (n--) {
		pid = (pid_t)MUST(fork());
		if (!pid) {
			touch_in_thread((void *)faults);
			if (depth)
				make_processes(1, depth - 1, faults);
			_exit(0);
		}
		if (reap(pid))
			die("a child failed");
	}
}

static inline void vfork_once(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	reap(pid);
}

static inline void raw_clone(unsigned long flags)
{
	pid_t pid = (pid_t)MUST(syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0));

	if (!pid) {
		touch_in_thread((void *)30L);
		_exit(0);
	}
	reap(pid);
}

static inline void obey(int order)
{
	int i;

	switch (order) {
	case 't':
		make_threads(20, 10);
		break;
	case 'T':
		make_threads(200, 3);
		break;
	case 'p':
		make_processes(10, 2, 10);
		break;
	case 'P':
		make_processes(is_slow() ? 300 : 2000, 0, 1);
		break;
	case 'v':
		vfork_once();
		break;
	case 'u':
#ifndef CLONE_UNTRACED
#define CLONE_UNTRACED 0x00800000
#endif
		raw_clone(CLONE_UNTRACED);
		raw_clone(0x00000400);		/* CLONE_FILES */
		raw_clone(0x00000200);		/* CLONE_FS */
		break;
	case 'f':
		touch_in_thread((void *)100L);
		break;
	case 'b':
		burn_ms(50);
		break;
	case 'B':
		/* A process each. */
		for (i = 0; i < 2; i++) {
			if (!MUST(fork())) {
				burn_ms(50);
				_exit(0);
			}
			wait(NULL);
		}
		break;
	case 'n':
		for (i = 0; i < 20; i++)
			nap();
		break;
	case 'm':
		puppet_migrate(20);
		break;
	}
}

static inline void obey_all(int from, int to)
{
	char c;

	while (read(from, &c, 1) == 1) {
		if (!c)
			_exit(0);
		obey(c);
		if (write(to, &c, 1) != 1)
			break;
	}
	_exit(1);
}

static inline void member_start(struct member *m)
{
	MUST(pipe(m->order));
	MUST(pipe(m->ack));
	m->pid = fork_child();
	if (!m->pid) {
		close(m->order[1]);
		close(m->ack[0]);
		obey_all(m->order[0], m->ack[1]);
	}
	close(m->order[0]);
	close(m->ack[1]);
}

static inline void member_do(struct member *m, char order)
{
	char c;

	MUST(write(m->order[1], &order, 1));
	if (read(m->ack[0], &c, 1) != 1)
		die("a member is gone");
}

/* Its end; what the kernel says of it and of all that it has waited for. */
static inline void member_end(struct member *m, struct rusage *ru)
{
	int status;

	MUST(write(m->order[1], "", 1));
	MUST(wait4(m->pid, &status, 0, ru));
	if (status)
		die("a member ended with %#x", status);
	close(m->order[1]);
	close(m->ack[0]);
}

/* What /proc says of a process that sleeps: its own minor faults so far. */
static inline u64 faults_of(pid_t pid)
{
	char path[64], buf[1024], *p;
	u64 value;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	MUST(read_text(path, buf, sizeof(buf)));
	p = strrchr(buf, ')');
	if (!p || sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %llu", &value) != 1)
		die("%s: %s", path, buf);
	return value;
}

static inline int tree_load(int fd, pid_t tid, unsigned int flags)
{
	pfarg_load_t load = { .load_pid = tid, .load_flags = (__u16)flags };

	return pfm(fd, PFM_LOAD_CONTEXT, &load, 1);
}

static inline bool tree_ends(int fd)
{
	return pfm_next_msg(fd, NULL, PATIENCE) == PFM_MSG_END && pfm_state_is(fd, "unloaded");
}

/* What a test of trees is: PROGRAM --obey ORDERS is a member that has executed it anew. */
static inline int member_main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--obey")) {
		for (; *argv[2]; argv[2]++)
			obey(*argv[2]);
		return 0;
	}
	test_select();
	return test_harness_run(argc, argv);
}

#endif /* MEMBER_H */
