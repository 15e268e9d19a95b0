// SPDX-License-Identifier: GPL-2.0-only
/*
 * The message queue (3.3): read() in all its sizes and modes, poll(),
 * select(), epoll, signals, what the queue loses and keeps.
 *
 * Not here: which events make messages (overflow.c, figures.c, inherit.c),
 * signals (signal.c).
 */
#include "puppet.h"
#include <sys/epoll.h>
#include <sys/select.h>

#define MSG	sizeof(pfm_msg_t)

/*
 * A context on this thread with as many unread overflow messages as the
 * queue takes, at most @max; each fault is one overflow.
 */
struct source {
	struct pages pages;
	int fd;
};

static void source_open(struct source *s, u32 flags)
{
	pages_map(&s->pages, 2000);
	s->fd = pfm_counter(flags, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY,
			    0);
	MUST(pfm_load(s->fd, my_tid()));
	MUST(pfm_start(s->fd));
}

/* One overflow, and monitoring goes on; counts nothing in between. */
static void source_overflow(struct source *s)
{
	MUST(pfm_stop(s->fd));
	MUST(pfm_write_pmd(s->fd, SW_PMD(0), ~0ULL));
	MUST(pfm_start(s->fd));
	pages_touch(&s->pages, 1);
	if (!pfm_state_is(s->fd, "masked"))
		die("no overflow");
	MUST(pfm_restart(s->fd));
	MUST(pfm_stop(s->fd));
}

static u64 source_fill(struct source *s, u64 max)
{
	u64 n = 0;

	while (n < max && !pfm_fdinfo_num(s->fd, "pfm-lost")) {
		source_overflow(s);
		n = pfm_fdinfo_num(s->fd, "pfm-queued");
	}
	return n;
}

TEST(sizes_that_are_no_multiple)
{
	static const size_t bad[] = { 0, 1, 4, 47, 49, 95, 97, 4096 - 1 };
	struct source s;
	char buf[4096];
	size_t i;

	source_open(&s, 0);
	set_nonblock(s.fd);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-1, read(s.fd, buf, bad[i]));
		EXPECT_EQ(EINVAL, errno);
	}
	/* With a message there, too, and it stays. */
	source_overflow(&s);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-1, read(s.fd, buf, bad[i]));
		EXPECT_EQ(EINVAL, errno);
	}
	EXPECT_EQ(48, read(s.fd, buf, 48));
}

TEST(contents_of_an_overflow_message)
{
	struct source s;
	pfm_msg_t msg;
	__u64 want[PFM_MAX_PMD_BITVECTOR] = {};

	source_open(&s, 0);
	source_overflow(&s);
	memset(&msg, 0xff, sizeof(msg));
	ASSERT_EQ((ssize_t)MSG, read(s.fd, &msg, MSG));
	vec_set(want, SW_PMD(0));
	EXPECT_EQ(PFM_MSG_OVFL, msg.msg_type);
	EXPECT_EQ(0, msg.pfm_ovfl_msg.msg_active_set);
	EXPECT_EQ(0, msg.pfm_ovfl_msg.msg_pad);
	EXPECT_EQ(0, memcmp(want, msg.pfm_ovfl_msg.msg_ovfl_pmds,
			    sizeof(want)));
}

/* Nothing but the type: the rest of the slot is cleared. */
TEST(contents_of_an_end_message)
{
	struct puppet p;
	pfm_msg_t msg;
	int fd;

	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY, -4ULL,
			 p.tid);
	puppet_do(&p, OP_FAULT, 4);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
	puppet_stop(&p);
	ASSERT_EQ(PFM_MSG_END, pfm_next_msg(fd, &msg, PATIENCE));
	EXPECT_TRUE(all_bytes((char *)&msg + 4, MSG - 4, 0));
}

TEST(several_at_once)
{
	struct source s;
	pfm_msg_t msg[8];
	u64 n;

	source_open(&s, 0);
	n = source_fill(&s, 3);
	if (n < 3)
		SKIP(return, "several_at_once: the queue holds %llu", n);
	memset(msg, 0xa5, sizeof(msg));
	/* As many as fit ... */
	EXPECT_EQ((ssize_t)(2 * MSG), read(s.fd, msg, 2 * MSG));
	EXPECT_EQ(PFM_MSG_OVFL, msg[0].msg_type);
	EXPECT_EQ(PFM_MSG_OVFL, msg[1].msg_type);
	EXPECT_TRUE(all_bytes(&msg[2], MSG, 0xa5));
	/* ... or as many as are there, without waiting for more. */
	EXPECT_EQ((ssize_t)MSG, read(s.fd, msg, 8 * MSG));
	EXPECT_EQ(0, pfm_poll(s.fd, 0) & POLLIN);
}

TEST(nonblocking)
{
	struct source s;
	pfm_msg_t msg;

	source_open(&s, 0);
	set_nonblock(s.fd);
	EXPECT_EQ(-1, read(s.fd, &msg, MSG));
	EXPECT_EQ(EAGAIN, errno);
	source_overflow(&s);
	EXPECT_EQ((ssize_t)MSG, read(s.fd, &msg, MSG));
	EXPECT_EQ(-1, read(s.fd, &msg, MSG));
	EXPECT_EQ(EAGAIN, errno);
}

TEST(bad_buffer)
{
	void *volatile bad[] = { (void *)8, (void *)-4096L };
	struct source s;
	pfm_msg_t msg;
	size_t i;

	source_open(&s, 0);
	source_overflow(&s);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-1, syscall(SYS_read, s.fd, bad[i], MSG));
		EXPECT_EQ(EFAULT, errno);
	}
	/* The message is not lost by it. */
	EXPECT_EQ((ssize_t)MSG, read(s.fd, &msg, MSG));
	EXPECT_EQ(PFM_MSG_OVFL, msg.msg_type);
}

/* A context whose puppet overflows it a moment after @start. */
struct later {
	struct puppet p;
	pthread_t thread;
	u64 start;			/* CLOCK_MONOTONIC */
	int fd;
};

static void *fault_later(void *arg)
{
	struct puppet *p = arg;

	sleep_ms(50);
	puppet_do(p, OP_FAULT, 1);
	return NULL;
}

static void later_start(struct later *l)
{
	puppet_start(&l->p, PUPPET_PROCESS);
	l->fd = pfm_session(0, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY, ~0ULL,
			    l->p.tid);
	l->start = now_ns(CLOCK_MONOTONIC);
	if (pthread_create(&l->thread, NULL, fault_later, &l->p))
		die("no thread");
}

static void later_stop(struct later *l)
{
	pthread_join(l->thread, NULL);
	puppet_stop(&l->p);
}

TEST(blocking_read_is_woken)
{
	struct later l;
	pfm_msg_t msg;

	later_start(&l);
	EXPECT_EQ((ssize_t)MSG, read(l.fd, &msg, MSG));
	EXPECT_LE(40 * NSEC_PER_MSEC, now_ns(CLOCK_MONOTONIC) - l.start);
	EXPECT_EQ(PFM_MSG_OVFL, msg.msg_type);
	later_stop(&l);
}

/* Larger than what is there: returns with the first message. */
TEST(blocking_read_of_several)
{
	struct later l;
	pfm_msg_t msg[4];

	later_start(&l);
	EXPECT_EQ((ssize_t)MSG, read(l.fd, msg, sizeof(msg)));
	later_stop(&l);
}

static void no_op(int sig)
{
	(void)sig;
}

static void catch(int sig, int flags)
{
	struct sigaction sa = { .sa_handler = no_op, .sa_flags = flags };

	MUST(sigaction(sig, &sa, NULL));
}

TEST(blocking_read_is_interrupted)
{
	int fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, my_tid());
	pid_t me = getpid(), pid;
	pfm_msg_t msg;

	catch(SIGUSR1, 0);
	pid = fork_child();
	if (!pid) {
		/* Again, should it have come before the wait. */
		for (;;) {
			sleep_ms(50);
			kill(me, SIGUSR1);
		}
	}
	EXPECT_EQ(-1, read(fd, &msg, MSG));
	EXPECT_EQ(EINTR, errno);
	kill_and_reap(pid);
}

/* SA_RESTART: goes on waiting and gets the message. */
TEST(blocking_read_is_restarted)
{
	pid_t me = getpid(), pid;
	struct puppet p;
	pfm_msg_t msg;
	int fd;

	catch(SIGUSR1, SA_RESTART);
	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY, ~0ULL,
			 p.tid);
	pid = fork_child();
	if (!pid) {
		wait_rest(me, "S");
		kill(me, SIGUSR1);
		sleep_ms(30);
		puppet_do(&p, OP_FAULT, 1);
		_exit(0);
	}
	EXPECT_EQ((ssize_t)MSG, read(fd, &msg, MSG));
	EXPECT_EQ(0, reap(pid));
	puppet_stop(&p);
}

TEST(poll_and_select)
{
	struct source s;
	struct timeval now = { 0, 0 };
	fd_set set;

	source_open(&s, 0);
	EXPECT_EQ(0, pfm_poll(s.fd, 0));
	FD_ZERO(&set);
	FD_SET(s.fd, &set);
	EXPECT_EQ(0, select(s.fd + 1, &set, NULL, NULL, &now));
	source_overflow(&s);
	EXPECT_EQ(POLLIN, pfm_poll(s.fd, 0));
	FD_SET(s.fd, &set);
	EXPECT_EQ(1, select(s.fd + 1, &set, NULL, NULL, &now));
	EXPECT_TRUE(FD_ISSET(s.fd, &set));
	/* Never writable. */
	FD_ZERO(&set);
	FD_SET(s.fd, &set);
	EXPECT_EQ(0, select(s.fd + 1, NULL, &set, NULL, &now));
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(s.fd, NULL, 0));
	EXPECT_EQ(0, pfm_poll(s.fd, 0));
}

TEST(poll_is_woken)
{
	struct later l;

	later_start(&l);
	EXPECT_EQ(POLLIN, pfm_poll(l.fd, PATIENCE));
	EXPECT_LT(40 * NSEC_PER_MSEC, now_ns(CLOCK_MONOTONIC) - l.start);
	/* And not because it waited long enough. */
	EXPECT_GT((PATIENCE - 1000) * NSEC_PER_MSEC,
		  now_ns(CLOCK_MONOTONIC) - l.start);
	later_stop(&l);
}

/* Several contexts, one waiter (3.3.8): the right one is reported. */
TEST(many_contexts_one_waiter)
{
	struct pollfd pfd[4];
	struct puppet p[4];
	int i;

	for (i = 0; i < 4; i++)
		puppet_start(&p[i], i < 2 ? PUPPET_PROCESS : PUPPET_THREAD);
	for (i = 0; i < 4; i++) {
		pfd[i].fd = pfm_session(0, PFM_SW_MINOR_FAULTS,
					PFM_REGFL_OVFL_NOTIFY, -2ULL,
					p[i].tid);
		pfd[i].events = POLLIN;
	}
	for (i = 0; i < 4; i++)
		puppet_do(&p[i], OP_FAULT, i == 2 ? 2 : 1);
	EXPECT_EQ(1, poll(pfd, 4, PATIENCE));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(i == 2 ? POLLIN : 0, pfd[i].revents);
	for (i = 0; i < 4; i++)
		puppet_stop(&p[i]);
}

static int epoll_events(int ep, int ms)
{
	struct epoll_event ev = { 0, { 0 } };
	int n = (int)MUST(epoll_wait(ep, &ev, 1, ms));

	return n ? (int)ev.events : 0;
}

TEST(epoll_level)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = (int)MUST(epoll_create1(0));
	struct source s;

	source_open(&s, 0);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, s.fd, &ev));
	EXPECT_EQ(0, epoll_events(ep, 0));
	source_overflow(&s);
	EXPECT_EQ(EPOLLIN, epoll_events(ep, PATIENCE));
	EXPECT_EQ(EPOLLIN, epoll_events(ep, 0));
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(s.fd, NULL, 0));
	EXPECT_EQ(0, epoll_events(ep, 0));
}

TEST(epoll_edge)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	int ep = (int)MUST(epoll_create1(0));
	struct source s;

	source_open(&s, 0);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, s.fd, &ev));
	source_overflow(&s);
	EXPECT_EQ(EPOLLIN, epoll_events(ep, PATIENCE));
	EXPECT_EQ(0, epoll_events(ep, 0));
	/* Each message is a new edge, unread ones notwithstanding. */
	source_overflow(&s);
	EXPECT_EQ(EPOLLIN, epoll_events(ep, PATIENCE));
	EXPECT_EQ(0, epoll_events(ep, 0));
}

TEST(epoll_of_a_closed_context)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = (int)MUST(epoll_create1(0));
	struct source s;

	source_open(&s, 0);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, s.fd, &ev));
	source_overflow(&s);
	ASSERT_EQ(EPOLLIN, epoll_events(ep, PATIENCE));
	close(s.fd);
	EXPECT_EQ(0, epoll_events(ep, 20));
}

TEST(reset_by_load_kept_by_unload)
{
	struct source s;

	source_open(&s, 0);
	source_overflow(&s);
	MUST(pfm_unload(s.fd));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(s.fd, "pfm-queued"));
	EXPECT_EQ(POLLIN, pfm_poll(s.fd, 0));
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(s.fd, NULL, 0));
	MUST(pfm_load(s.fd, my_tid()));
	source_overflow(&s);
	MUST(pfm_unload(s.fd));
	MUST(pfm_load(s.fd, my_tid()));
	EXPECT_EQ(0, pfm_poll(s.fd, 0));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(s.fd, "pfm-queued"));
}

/* A failed load must not cost messages. */
TEST(not_reset_by_a_failed_load)
{
	struct source s;

	source_open(&s, 0);
	source_overflow(&s);
	EXPECT_EQ(-EBUSY, pfm_load(s.fd, my_tid()));
	MUST(pfm_unload(s.fd));
	EXPECT_EQ(-ESRCH, pfm_load(s.fd, -1));
	EXPECT_EQ(POLLIN, pfm_poll(s.fd, 0));
}

/* abi, 2: full means masked, counted as lost, nothing overwritten. */
TEST(full_queue)
{
	struct source s;
	pfm_msg_t msg[64];
	u64 n, lost, seen;
	ssize_t got;

	source_open(&s, 0);
	n = source_fill(&s, ~0ULL);
	/* Of a context without a format (design.rst). */
	EXPECT_EQ(14ULL, n);
	lost = pfm_fdinfo_num(s.fd, "pfm-lost");
	EXPECT_EQ(1ULL, lost);
	/* Masked all the same: source_overflow() has seen it. */
	source_overflow(&s);
	EXPECT_EQ(lost + 1, pfm_fdinfo_num(s.fd, "pfm-lost"));
	EXPECT_EQ(n, pfm_fdinfo_num(s.fd, "pfm-queued"));
	set_nonblock(s.fd);
	for (seen = 0; (got = read(s.fd, msg, sizeof(msg))) > 0;
	     seen += (u64)got / MSG)
		EXPECT_EQ(PFM_MSG_OVFL, msg[0].msg_type);
	EXPECT_EQ(n, seen);
	/* There is room again. */
	source_overflow(&s);
	EXPECT_EQ(1ULL, pfm_fdinfo_num(s.fd, "pfm-queued"));
}

/* "It is not possible to suppress the termination message." */
TEST(end_finds_room_in_a_full_queue)
{
	struct puppet p;
	u64 n = 0, ends = 0;
	u32 type = 0;
	int fd;

	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY, ~0ULL,
			 p.tid);
	while (!pfm_fdinfo_num(fd, "pfm-lost")) {
		puppet_do(&p, OP_FAULT, 1);
		ASSERT_GT(10000ULL, ++n);
		MUST(pfm_restart(fd));
	}
	puppet_stop(&p);
	while (pfm_poll(fd, 100) & POLLIN) {
		type = pfm_next_msg(fd, NULL, 0);
		ends += type == PFM_MSG_END;
	}
	EXPECT_EQ(PFM_MSG_END, type);
	/* It has not taken the first one's place. */
	EXPECT_EQ(1ULL, ends);
}

#define READERS 4

struct reader {
	pthread_t thread;
	int fd;
	u64 got, bad;
};

static volatile bool readers_stop;

static void *reader_main(void *arg)
{
	struct reader *r = arg;
	pfm_msg_t msg;

	while (!readers_stop) {
		ssize_t n;

		pfm_poll(r->fd, 20);
		n = read(r->fd, &msg, MSG);
		if (n < 0 && errno == EAGAIN)
			continue;
		r->got++;
		r->bad += n != (ssize_t)MSG || msg.msg_type != PFM_MSG_OVFL ||
			  !vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds, SW_PMD(0));
	}
	return NULL;
}

/* Each message goes to exactly one of several readers, and is whole. */
TEST(concurrent_readers)
{
	struct reader r[READERS] = {};
	u64 sent, got = 0, lost;
	struct puppet p;
	int fd, i;

	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY, ~0ULL,
			 p.tid);
	set_nonblock(fd);
	for (i = 0; i < READERS; i++) {
		r[i].fd = fd;
		ASSERT_EQ(0, pthread_create(&r[i].thread, NULL, reader_main,
					    &r[i]));
	}
	for (sent = 0; sent < 300; sent++) {
		puppet_do(&p, OP_FAULT, 1);
		MUST(pfm_restart(fd));
	}
	while (pfm_fdinfo_num(fd, "pfm-queued"))
		sleep_ms(1);
	lost = pfm_fdinfo_num(fd, "pfm-lost");
	readers_stop = true;
	for (i = 0; i < READERS; i++) {
		pthread_join(r[i].thread, NULL);
		got += r[i].got;
		EXPECT_EQ(0ULL, r[i].bad);
	}
	EXPECT_EQ(sent, got + lost);
	EXPECT_LT(lost, sent);
	puppet_stop(&p);
}

TEST_HARNESS_MAIN
