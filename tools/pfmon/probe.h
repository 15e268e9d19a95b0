/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A context that is attached to a thread or to a CPU. What it is there for,
 * counting or sampling, are its operations; the ways to measure know neither.
 */
#ifndef PFMON_PROBE_H
#define PFMON_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "require.h"

struct probe_ops;
struct result;

/* The first member of what the operations add to it. */
struct probe {
	const struct probe_ops *ops;
	struct result *result;	/* where its results go */
	pid_t tid;		/* the thread that it is attached to */
	int cpu;		/* the CPU that it monitors, -1: a thread */
	int fd;			/* the context */
	bool ended;		/* the thread is gone, or belongs to others */
	uint64_t throttled, missed;	/* of a tree: see struct context_info, and tree_look() */
	uint64_t stops;		/* context switches of the thread that are pfmon's doing */
	unsigned int group;	/* of the result */
	struct probe *next, **link;	/* in the list of the result */
};

/* What has become of a process that is followed. */
enum process_event { PROCESS_EXEC, PROCESS_EXIT };

/**
 * struct probe_ops - what contexts are for
 * @what:     what is left at the end: "counts", "samples"
 * @done:     what was done to a thread: "counted", "sampled"
 * @create:   (required) make a probe with a context that is ready to be
 *            attached, as a tree if the result says so; fills in @fd of it. @tid and
 *            @cpu are for information.
 *            NULL and @failure: it could not be
 * @finish:   (required) take its results, attached or not any more, and free
 *            all but the descriptor, which closes when this returns. -1 and
 *            @failure: no results
 * @overflow: (optional) overflow messages came: monitoring may be masked
 * @look:     (optional) called every 20 ms for a CPU, on it
 * @process:  (optional) of a process that is followed: it is stopped, and its
 *            memory is still, or already, that of the program
 * @tick:     (optional) called every @tick_ns nanoseconds while measuring
 *
 * @overflow, @look and @finish are called by the thread that attached it; for
 * CPUs that is one thread a CPU, and all others by the main thread.
 */
struct probe_ops {
	const char *what, *done;
	struct probe *(*create)(struct result *result, pid_t tid, int cpu,
				struct failure *failure);
	int (*finish)(struct probe *probe, struct failure *failure);
	void (*overflow)(struct probe *probe);
	void (*look)(struct probe *probe);
	void (*process)(struct result *result, pid_t pid,
			enum process_event event);
	void (*tick)(struct result *result);
	uint64_t tick_ns;
};

/* The operations of pfmon stat. */
extern const struct probe_ops counting;

/**
 * probe_attach() - make a probe and attach it
 * @result:  says what for, and receives what it finds
 * @tid:     thread; for a CPU the calling one, which runs there
 * @cpu:     CPU, or -1 for a thread
 * @failure: filled in on error
 *
 * Return: the probe, or NULL.
 */
struct probe *probe_attach(struct result *result, pid_t tid, int cpu,
			   struct failure *failure);

/**
 * probe_attach_tree() - make a probe of a tree and attach it
 * @result:  @tree is set; says what for, and receives what it finds
 * @tid:     thread that is its first member
 * @flags:   PFM_LOADFL_...
 * @failure: filled in on error
 *
 * Return: the probe, or NULL.
 */
struct probe *probe_attach_tree(struct result *result, pid_t tid, unsigned int flags,
				struct failure *failure);

/**
 * probe_start() - let it begin, unless its result is held
 * @probe:   attached
 * @failure: filled in on error
 *
 * Return: 0, or -1.
 */
int probe_start(struct probe *probe, struct failure *failure);

/**
 * probe_read() - read the messages that wait
 * @probe: from probe_attach(); @ended is set if they say so
 *
 * Does not wait for any.
 *
 * Return: true if one of them was of an overflow.
 */
bool probe_read(struct probe *probe);

/**
 * probe_messages() - read the messages that wait, and act upon them
 * @probe: from probe_attach()
 */
void probe_messages(struct probe *probe);

/**
 * probe_counted_ns() - CPU time in which its context has counted
 * @probe: from probe_attach(), of a thread
 *
 * Return: nanoseconds, in all event sets together; 0 if they cannot be read.
 */
uint64_t probe_counted_ns(const struct probe *probe);

/**
 * probe_finish() - take its results and end it
 * @probe:   from probe_attach(), freed
 * @failure: filled in on error
 *
 * Return: 0, or -1 if there are no results.
 */
int probe_finish(struct probe *probe, struct failure *failure);

/**
 * probe_name() - see what its thread is called by now, if there are groups
 * @probe: from probe_attach()
 */
void probe_name(struct probe *probe);

/**
 * probe_all() - do something with all probes
 * @result: of the measurement
 * @what:   called by the threads that can command them, one after the other
 */
void probe_all(struct result *result, void (*what)(struct probe *probe));

/**
 * probe_drop() - end it, whatever it found
 * @probe: from probe_attach(), freed
 */
void probe_drop(struct probe *probe);

#endif /* PFMON_PROBE_H */
