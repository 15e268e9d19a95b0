// SPDX-License-Identifier: GPL-2.0-only
/* Waiting, while probes measure, for whatever happens first. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "signals.h"
#include "watch.h"

#define EVENTS	64
#define TIMERS	8

/* What is watched is a probe, or one of these. */
static int epoll = -1, chld = -1;

static struct input {
	int fd;
	void (*call)(struct result *result);
} inputs[WATCH_INPUTS] = { { .fd = -1 }, { .fd = -1 }, { .fd = -1 } };

/* From the beginning of a measurement on. */
static struct timer {
	uint64_t next;
	uint64_t every;		/* 0: it was once */
	void (*call)(struct result *result);
} timers[TIMERS];
static unsigned int running;

static void add(int fd, void *what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = what };

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		err(EXIT_PFMON, "epoll");
}

void watch_begin(void)
{
	sigset_t set;
	int i;

	running = 0;
	if (epoll >= 0)
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	chld = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (chld < 0 || epoll < 0)
		err(EXIT_PFMON, "cannot wait for events");
	add(chld, &chld);
	add(signals_fd(), NULL);
	for (i = 0; i < WATCH_INPUTS; i++)
		if (inputs[i].fd >= 0)
			add(inputs[i].fd, &inputs[i]);
}

void watch_input(enum watch_what what, int fd, void (*call)(struct result *result))
{
	struct input *input = &inputs[what];

	if (epoll >= 0 && input->fd >= 0)
		epoll_ctl(epoll, EPOLL_CTL_DEL, input->fd, NULL);
	*input = (struct input){ fd, call };
	if (epoll >= 0 && fd >= 0)
		add(fd, input);
}

void watch_timer(uint64_t ns, bool again, void (*call)(struct result *result))
{
	if (running == TIMERS)
		errx(EXIT_PFMON, "too many timers");
	timers[running++] = (struct timer){
		.next = now_ns() + ns, .every = again ? ns : 0, .call = call,
	};
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

static void happened(struct result *result, const struct epoll_event *event)
{
	struct probe *probe = event->data.ptr;
	struct input *input = event->data.ptr;

	if (event->data.ptr == &chld)
		take_chld();
	else if (!probe)
		signals_seen();
	else if (input >= inputs && input < inputs + WATCH_INPUTS)
		input->call(result);
	else if (event->events & EPOLLIN)
		probe_messages(probe);
	else
		epoll_ctl(epoll, EPOLL_CTL_DEL, probe->fd, NULL);
}

/* Milliseconds to the next timer, rounded up; -1 if there is none. */
static int timeout(void)
{
	uint64_t next = UINT64_MAX, now = now_ns();
	unsigned int i;

	for (i = 0; i < running; i++)
		if (timers[i].next < next)
			next = timers[i].next;
	if (next == UINT64_MAX)
		return -1;
	if (next <= now)
		return 0;
	next = (next - now) / 1000000 + 1;
	return next < INT_MAX ? (int)next : INT_MAX;
}

/* One that was missed is not made up for. What is called may add another. */
static void call_timers(struct result *result)
{
	unsigned int i;

	for (i = 0; i < running; i++) {
		struct timer *t = &timers[i];
		uint64_t now = now_ns();

		if (now < t->next)
			continue;
		if (t->every)
			t->next += (now - t->next) / t->every * t->every + t->every;
		else
			t->next = UINT64_MAX;
		t->call(result);
	}
}

void watch_wait(struct result *result)
{
	struct epoll_event events[EVENTS];
	int n, i;

	n = epoll_wait(epoll, events, EVENTS, timeout());
	if (n < 0 && errno != EINTR)
		err(EXIT_PFMON, "epoll_wait");
	for (i = 0; i < n; i++)
		happened(result, &events[i]);
	call_timers(result);
}

int watch_child(struct result *result, struct child *child,
		struct rusage *usage)
{
	int status;

	while (!child_ended(child, &status, usage))
		watch_wait(result);
	return status;
}
