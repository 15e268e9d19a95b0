// SPDX-License-Identifier: GPL-2.0-only
/* Waiting, while probes measure, for whatever happens first. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "signals.h"
#include "watch.h"

#define TICK_NS	500000000
#define EVENTS	64

/* What is watched is a probe, or one of these. */
static int epoll, chld;
static uint64_t next_tick;

static void add(int fd, void *what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = what };

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		err(EXIT_PFMON, "epoll");
}

void watch_begin(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	chld = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (chld < 0 || epoll < 0)
		err(EXIT_PFMON, "cannot wait for events");
	add(chld, &chld);
	add(signals_fd(), NULL);
	next_tick = now_ns() + TICK_NS;
}

void watch_add(struct probe *probe)
{
	add(probe->fd, probe);
}

/* One SIGCHLD may stand for many children: the caller waits for all of them. */
static void take_chld(void)
{
	struct signalfd_siginfo info;

	while (read(chld, &info, sizeof(info)) == sizeof(info))
		;
}

static void happened(const struct epoll_event *event)
{
	struct probe *probe = event->data.ptr;

	if (event->data.ptr == &chld)
		take_chld();
	else if (!probe)
		signals_seen();
	else if (event->events & EPOLLIN)
		probe_messages(probe);
	else
		epoll_ctl(epoll, EPOLL_CTL_DEL, probe->fd, NULL);
}

/* Milliseconds to the next tick, rounded up; -1 if there is none. */
static int timeout(const struct result *result)
{
	uint64_t now;

	if (!result->ops->tick)
		return -1;
	now = now_ns();
	return now < next_tick ? (int)((next_tick - now) / 1000000) + 1 : 0;
}

void watch_wait(struct result *result)
{
	struct epoll_event events[EVENTS];
	int n, i;

	n = epoll_wait(epoll, events, EVENTS, timeout(result));
	if (n < 0 && errno != EINTR)
		err(EXIT_PFMON, "epoll_wait");
	for (i = 0; i < n; i++)
		happened(&events[i]);
	if (result->ops->tick && now_ns() >= next_tick) {
		next_tick = now_ns() + TICK_NS;
		result->ops->tick(result);
	}
}

int watch_child(struct result *result, struct child *child,
		struct rusage *usage)
{
	int status;

	while (!child_ended(child, &status, usage))
		watch_wait(result);
	return status;
}
