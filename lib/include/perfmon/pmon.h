/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counting and sampling one's own code, by names of events. Manuals: pmon_open(3),
 * pmon_group_open(3), pmon_region_begin(3), pmon_sample_open(3).
 *
 * Functions that return an int return 0 or more, or a negative errno; then pmon_error()
 * says what is wrong, and what to do.
 */
#ifndef _PERFMON_PMON_H
#define _PERFMON_PMON_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <perfmon/pmon_smpl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Events that are counted for one thread, or for it and all that it makes. */
typedef struct pmon_session pmon_t;

/* Events that are counted for many threads of this process. */
typedef struct pmon_group pmon_group_t;

/* What was counted of an event. */
typedef struct pmon_value {
	uint64_t raw;		/* what its counter has counted */
	uint64_t scaled;	/* raw * total_ns / active_ns: an estimate if they differ */
	uint64_t active_ns;	/* time in which it had a counter */
	uint64_t total_ns;	/* time in which the session counted, all sets together */
} pmon_value_t;

/* Flags of pmon_open() and pmon_group_open() */
#define PMON_NO_MULTIPLEX	0x1	/* all events all the time, or -ENOSPC */

/* Flags of pmon_open() */
#define PMON_INHERIT		0x2	/* and what the thread makes: threads and processes */
#define PMON_PROCESS		0x4	/* and all threads of its process; with PMON_INHERIT */

/* Formats of pmon_region_report() */
#define PMON_TEXT		0
#define PMON_JSON		1

/**
 * pmon_error() - what was wrong with the last call of this thread that failed
 *
 * Return: one line; valid until the next call of this thread that fails.
 */
const char *pmon_error(void);

/**
 * pmon_open() - choose events, and find counters for them
 * @m:      out: for pmon_close()
 * @events: names, separated by commas, as "pfmon list" has them: "task-clock",
 *          "cycles:u", "r00c0", libpfm4's
 * @flags:  PMON_...
 *
 * More events than there are counters take turns. Events without ":u" or ":k" are
 * counted at user level only where the kernel's is forbidden; then pmon_name() says so.
 *
 * With PMON_INHERIT the threads and processes that the thread makes, and those that these
 * make, are counted with it, all together, from their first instruction on.
 *
 * Return: 0; -EINVAL: an event is not known or cannot be counted here, or so, or these
 * flags do not go together; -ENOSPC: there is no counter for it; -ENOSYS: the kernel has
 * no perfmon; -EOPNOTSUPP: it has no PMON_INHERIT; or what the kernel says.
 */
int pmon_open(pmon_t **m, const char *events, unsigned int flags);

/**
 * pmon_attach() - choose the thread that is counted
 * @m:   from pmon_open()
 * @tid: thread, or 0: the calling one
 *
 * pmon_start() does so for the calling thread if it was not done.
 *
 * With PMON_PROCESS the thread stands for its process: all threads are counted that this has
 * by now, or none.
 *
 * Return: 0; -EBUSY: the thread, or another one of the process, is being monitored, or the
 * PMU is in use; -EPERM; -ESRCH.
 */
int pmon_attach(pmon_t *m, pid_t tid);

/**
 * pmon_start() - count from now on
 * @m: from pmon_open()
 *
 * Return: 0, or as pmon_attach().
 */
int pmon_start(pmon_t *m);

/**
 * pmon_stop() - do not count from now on
 * @m: from pmon_open(); pmon_start() goes on where it was
 *
 * Return: 0, or what the kernel says: -EBADF if the thread has ended.
 */
int pmon_stop(pmon_t *m);

/**
 * pmon_reset() - count from 0
 * @m: from pmon_open(), counting or not
 *
 * Return: 0, or what the kernel says.
 */
int pmon_reset(pmon_t *m);

/**
 * pmon_events() - how many events there are
 * @m: from pmon_open()
 *
 * Return: how many. A name in @events can stand for two: "faults" does.
 */
unsigned int pmon_events(const pmon_t *m);

/**
 * pmon_name() - an event
 * @m: from pmon_open()
 * @i: from 0, in the order of their names
 *
 * Return: its name, with ":u" or ":k" if it is not counted at both levels; NULL if
 * there is no such event.
 */
const char *pmon_name(const pmon_t *m, unsigned int i);

/**
 * pmon_read() - what was counted
 * @m:     from pmon_open(), counting or not
 * @value: out: of each event
 * @n:     how many there is room for
 *
 * Return: how many were filled in, or what the kernel says.
 */
int pmon_read(pmon_t *m, pmon_value_t *value, unsigned int n);

/**
 * pmon_fd() - the descriptor of the context
 * @m: from pmon_open() or pmon_sample_open()
 *
 * It is closed by exec(). poll() says when there is a message.
 *
 * Return: the descriptor.
 */
int pmon_fd(const pmon_t *m);

/**
 * pmon_close() - end it
 * @m: from pmon_open() or pmon_sample_open(), or NULL
 */
void pmon_close(pmon_t *m);

/**
 * pmon_group_open() - choose events that are to be counted for threads of this process
 * @g:      out: for pmon_group_close()
 * @events: as of pmon_open()
 * @flags:  as of pmon_open()
 *
 * Return: as pmon_open().
 */
int pmon_group_open(pmon_group_t **g, const char *events, unsigned int flags);

/**
 * pmon_thread_begin() - count for the calling thread, too
 * @g: from pmon_group_open()
 *
 * Until pmon_thread_end() or the end of the thread; what was counted by then stays in
 * the group.
 *
 * Return: 0; -EBUSY: it is counted already; or as pmon_start().
 */
int pmon_thread_begin(pmon_group_t *g);

/**
 * pmon_thread_end() - no more for the calling thread
 * @g: from pmon_group_open()
 *
 * Return: 0, or -ESRCH: it was not counted.
 */
int pmon_thread_end(pmon_group_t *g);

/**
 * pmon_sum() - what was counted for all threads together
 * @g:     from pmon_group_open()
 * @value: out: of each event, those of threads that have ended included
 * @n:     how many there is room for
 *
 * Return: how many were filled in, or what the kernel says.
 */
int pmon_sum(pmon_group_t *g, pmon_value_t *value, unsigned int n);

/**
 * pmon_group_events() - how many events there are
 * @g: from pmon_group_open()
 *
 * Return: as many.
 */
unsigned int pmon_group_events(const pmon_group_t *g);

/**
 * pmon_group_name() - an event
 * @g: from pmon_group_open()
 * @i: from 0
 *
 * Return: as pmon_name().
 */
const char *pmon_group_name(const pmon_group_t *g, unsigned int i);

/**
 * pmon_group_close() - end it
 * @g: from pmon_group_open(), or NULL; no thread may use it meanwhile, or be ending
 */
void pmon_group_close(pmon_group_t *g);

/**
 * pmon_region_begin() - a part of the program that has a name begins
 * @name: of it, by which all its runs, in all threads, are added up
 *
 * The environment says what is counted, in PMON_EVENTS: names as of pmon_open(). Without
 * it, regions are nothing. Regions can be within others, which count them, too.
 *
 * Return: 0, or as pmon_open() and pmon_start().
 */
int pmon_region_begin(const char *name);

/**
 * pmon_region_end() - it ends
 * @name: the region that this thread has begun last and not ended
 *
 * Return: 0; -EINVAL: it is not; or what the kernel says.
 */
int pmon_region_end(const char *name);

/**
 * pmon_region_report() - what was counted in each region that has ended
 * @out:    where to
 * @format: PMON_TEXT, PMON_JSON
 *
 * When the program exits that is written to the file that PMON_OUTPUT in the
 * environment names, as JSON if the name ends in ".json", or to standard error. %p, %h and
 * %r in the name are the process, the machine and the rank in a parallel program.
 *
 * Return: 0, or -EINVAL.
 */
int pmon_region_report(FILE *out, int format);

/**
 * pmon_sample_open() - sample an event
 * @m:      out: for pmon_close(); pmon_attach(), pmon_start() and pmon_stop() are as usual
 * @event:  name, as of pmon_open(); one event
 * @period: events from one sample to the next, at least 1
 * @format: name of the sampling format, or NULL: "default"
 * @bytes:  of the buffer, at least; 0: 65536
 *
 * Return: 0; -ENOENT: the library does not know the format; or as pmon_open().
 */
int pmon_sample_open(pmon_t **m, const char *event, uint64_t period, const char *format,
		     size_t bytes);

/**
 * pmon_sample_next() - the next record that the buffer has
 * @m:   from pmon_sample_open()
 * @rec: filled in; what it points to is there until the next call
 *
 * Of formats that aggregate, it gives what pmon_sample_release() has taken.
 *
 * Return: 1; 0 if there are no more yet; or -EBADMSG.
 */
int pmon_sample_next(pmon_t *m, struct pmon_record *rec);

/**
 * pmon_sample_release() - let the kernel have what is full
 * @m: from pmon_sample_open(), when pmon_sample_next() has returned 0
 *
 * Does nothing if nothing is full. Samples taken since then are kept: pmon_sample_next()
 * returns them. Takes one message, if there is one.
 *
 * Return: 1 if something was released, else 0; -EBUSY: there are records that were not
 * read yet; or what the kernel says.
 */
int pmon_sample_release(pmon_t *m);

/**
 * pmon_lost() - how many samples were lost
 * @m: from pmon_sample_open()
 *
 * Formats that stop when the buffer is full do not know what they miss.
 *
 * Return: as many as the kernel has counted.
 */
uint64_t pmon_lost(const pmon_t *m);

#if defined(__GNUC__) && !defined(__cplusplus)
static inline void pmon_region_leave_(const char **name)
{
	pmon_region_end(*name);
}

#define PMON_PASTE_(a, b)	a##b
#define PMON_UNIQUE_(a, b)	PMON_PASTE_(a, b)

/* From here to the end of the block is a region, however it is left. */
#define PMON_REGION(name)						\
	const char *PMON_UNIQUE_(pmon_region_, __LINE__)		\
		__attribute__((cleanup(pmon_region_leave_), unused)) =	\
		(pmon_region_begin(name), (name))
#endif

#ifdef __cplusplus
}

namespace pmon {

/* From here to the end of the block is a region, however it is left. */
class region {
public:
	explicit region(const char *name) noexcept : name_(name)
	{
		pmon_region_begin(name);
	}

	~region()
	{
		pmon_region_end(name_);
	}

	region(const region &) = delete;
	region &operator=(const region &) = delete;

private:
	const char *name_;
};

} /* namespace pmon */
#endif

#endif /* _PERFMON_PMON_H */
