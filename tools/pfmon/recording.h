/* SPDX-License-Identifier: GPL-2.0-only */
/* Contexts that sample, and the data file that their buffers go to. */
#ifndef PFMON_RECORDING_H
#define PFMON_RECORDING_H

#include <pthread.h>

#include "data_write.h"
#include "images.h"
#include "probe.h"
#include "measure.h"
#include "rate.h"
#include "result.h"
#include "sampled.h"

/* What is to be sampled. */
struct target;

struct sampling {
	const struct pmon_format *format;
	unsigned char *arg;		/* of the format, NULL: as pfmon has it */
	size_t arg_size;
	uint64_t buffer_size;
	uint16_t stack;			/* bytes of it in each sample, calldouble's; 0: none */
	bool forks;			/* the kernel is to record these, likewise */
	bool no_calls;			/* samples are to have none, likewise */
	struct counters counters;	/* the sampled ones are the first */
	unsigned int sampled;
	unsigned int registers;		/* and other registers to read */
	uint16_t reg[MAX_READINGS];
	uint64_t period[MAX_EVENTS];	/* of the sampled ones; the longest, if it is random */
	uint64_t mask[MAX_EVENTS];	/* by which each is shorter at random */
	uint64_t random_mask;		/* of -R */
	bool random_given;		/* there was an -R */
	uint64_t frequency;		/* 0: not asked for */
	bool adapts[MAX_EVENTS];	/* periods are only the first ones, masks follow them */
};

struct sampler;

struct rotation;

struct recording {
	struct result result;		/* first: probes know this */
	const struct sampling *sampling;
	uint32_t threads;		/* that got a context */
	uint64_t adapt_ns;		/* the threads' periods next, 0: they stay */
	uint64_t maps_ns;		/* what their processes have mapped next, 0: not yet */
	uint64_t maps_samples;		/* when that was looked at last */
	bool no_names;			/* of functions in the file */
	bool live;			/* shown while it grows: what there is is taken, see take_live() */
	bool progress;			/* say on standard error how far we are */
	struct pmon_layout layout;
	__u64 read_pmds[PFM_MAX_PMD_BITVECTOR];
	__u64 reset_pmds[PFM_MAX_PMD_BITVECTOR];

	/* Under the lock: CPUs are sampled by a thread each. */
	pthread_mutex_t lock;
	struct data_writer data;
	struct data_packer *packer;	/* NULL: records are not compressed */
	struct data_journal journal;	/* of a rotation */
	struct rotation *rotation;	/* NULL: one file */
	uint32_t flags;			/* of each file */
	int broken;			/* error of a switch: there is no file any more */
	struct images *images;
	struct sampler *samplers;
	uint64_t samples;		/* in the file */
	uint64_t blocks;		/* likewise */
	struct rate rate[MAX_EVENTS];	/* of contexts that are over; the last period of any */
	double estimated;		/* lost.estimated, with fractions */
	struct df_lost lost, written;
};

#define SAMPLING_BUFFER_MAX	(128ULL << 20)	/* of the data file's records */

/**
 * sampling_number() - read a number of an option; ends the program if it is none
 * @text: decimal or hexadecimal, perhaps K, M or G of them
 * @what: it should be: "a period"
 * @max:  largest
 *
 * Return: from 1 to @max.
 */
uint64_t sampling_number(const char *text, const char *what, uint64_t max);

/**
 * sampling_random() - take the mask of -R; ends the program if it is none
 * @s:    what is to be sampled
 * @text: the mask, 0 for periods that are all the same
 */
void sampling_random(struct sampling *s, const char *text);

/**
 * sampling_stack() - read the size of stacks; ends the program if it is none
 * @text: bytes, or NULL for as many as perf has
 *
 * Return: from 8 to PFM_CALLDOUBLE_SMPL_MAX_STACK, a multiple of 8.
 */
uint16_t sampling_stack(const char *text);

/**
 * sampling_argument() - fill in the argument of the format
 * @s:    complete
 * @arg:  all zeroes, RAW_ARG_MAX bytes
 * @size: bytes of the buffer
 */
void sampling_argument(const struct sampling *s, void *arg, uint64_t size);

/**
 * sampling_periods() - choose a period for each event; ends the program if that cannot be
 * @s:         its counters are those to sample
 * @period:    of -c, or 0
 * @frequency: of -F, or 0: each has its own
 */
void sampling_periods(struct sampling *s, uint64_t period, uint64_t frequency);

/**
 * sampling_remarks() - say where samples can be of something else than an event's name says
 * @out: a line for each such event
 * @s:   what is sampled
 */
void sampling_remarks(FILE *out, const struct sampling *s);

/**
 * sampling_check_buffer() - end the program if there can be no such buffer
 * @s: complete
 */
void sampling_check_buffer(const struct sampling *s);

/**
 * sampling_take() - have what was sampled by now in the data file
 * @probe: of sampling_ops; by the thread that attached it
 */
void sampling_take(struct probe *probe);

/**
 * sampling_look() - see what the processes that are sampled have mapped by now
 * @rec: locked
 */
void sampling_look(struct recording *rec);

/**
 * sampling_is_there() - does the kernel have a sampling format for us?
 * @format: format
 * @size:   bytes of its buffer
 *
 * A module of the kernel that has it may have to be loaded first, which is not done for
 * everybody.
 *
 * Return: true or false.
 */
bool sampling_is_there(const struct pmon_format *format, uint64_t size);

/**
 * sampling_is_taken() - does the kernel take this format with its argument?
 * @what:  with the format and the buffer's size
 * @flags: PFM_FL_..., of the contexts
 * @n:     so many of them, at a time
 *
 * Return: true or false.
 */
bool sampling_is_taken(const struct sampling *what, unsigned int flags, unsigned int n);

/**
 * sampling_joins() - can the kernel sample what is to be measured as one tree of threads?
 * @s: with the format and the buffer's size; @s->forks is filled in: whether the kernel records
 *     those, tree or not
 * @t: what is to be measured
 *
 * A process that only forks, and has ended before pfmon looks, has names if the kernel records
 * who has made it. Each CPU needs a buffer; and pfmon has to be on it, unless it is in a cpuset
 * with the command.
 *
 * Return: true or false.
 */
bool sampling_joins(struct sampling *s, const struct target *t);

/* The operations of pfmon record. */
extern const struct probe_ops sampling_ops;

/**
 * recording_begin() - create the data file
 * @rec:      all zeroes but result.title, result.ops and what the options of record set
 * @sampling: what is to be sampled, kept
 * @path:     data file
 *
 * Return: 0, or -1 with errno set.
 */
int recording_begin(struct recording *rec, const struct sampling *sampling,
		    const char *path);

/**
 * recording_flush() - have all that was taken so far in the file
 * @rec: from recording_begin(); locked, if others use it
 */
void recording_flush(struct recording *rec);

/**
 * recording_switch() - end the data file and begin the next one, which rotate_due() says
 * @rec: locked
 */
void recording_switch(struct recording *rec);

/**
 * recording_end() - write what remains, close the data file
 * @rec:    from recording_begin()
 * @status: exit status of the command
 *
 * Return: 0, or -1 with errno set: the file is not complete.
 */
int recording_end(struct recording *rec, int status);

#endif /* PFMON_RECORDING_H */
