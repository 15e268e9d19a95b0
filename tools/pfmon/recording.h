/* SPDX-License-Identifier: GPL-2.0-only */
/* Contexts that sample, and the data file that their buffers go to. */
#ifndef PFMON_RECORDING_H
#define PFMON_RECORDING_H

#include <pthread.h>

#include "data_write.h"
#include "images.h"
#include "probe.h"
#include "measure.h"
#include "result.h"
#include "smpl.h"

/* What is to be sampled. */
struct sampling {
	const struct smpl_format *format;
	uint64_t buffer_size;
	struct counters counters;	/* the sampled ones are the first */
	unsigned int sampled;
	unsigned int registers;		/* and other registers to read */
	uint16_t reg[MAX_READINGS];
	uint64_t period[MAX_EVENTS];	/* of the sampled ones */
	uint64_t random_mask;
};

struct sampler;

struct recording {
	struct result result;		/* first: probes know this */
	const struct sampling *sampling;
	const struct targets *targets;	/* of -p and -t */
	uint32_t threads;		/* that got a context */
	bool progress;			/* say on standard error how far we are */
	struct smpl_layout layout;
	__u64 read_pmds[PFM_MAX_PMD_BITVECTOR];
	__u64 reset_pmds[PFM_MAX_PMD_BITVECTOR];

	/* Under the lock: CPUs are sampled by a thread each. */
	pthread_mutex_t lock;
	struct data_writer data;
	struct images *images;
	struct sampler *samplers;
	uint64_t samples;		/* in the file */
	double estimated;		/* lost.estimated, with fractions */
	struct df_lost lost, written;
};

/* The operations of pfmon record. */
extern const struct probe_ops sampling_ops;

/**
 * recording_begin() - create the data file
 * @rec:      all zeroes but result.title and result.ops
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
 * recording_end() - write what remains, close the data file
 * @rec:    from recording_begin()
 * @status: exit status of the command
 *
 * Return: 0, or -1 with errno set: the file is not complete.
 */
int recording_end(struct recording *rec, int status);

#endif /* PFMON_RECORDING_H */
