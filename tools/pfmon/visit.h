/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of a file in the order of their time, for those who want each of them. */
#ifndef PFMON_VISIT_H
#define PFMON_VISIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampled.h"

struct visit;

/* The samples that wait to be visited. All zeroes: none. */
struct visits {
	struct visit *visit;
	size_t n;
};

/**
 * struct visit_source - where the samples are read again, and who visits them
 * @read:  read the block of samples that is at an offset of the file, and give each of them to
 *         the sink
 * @visit: a sample; its values are left out
 * @arg:   for both
 */
struct visit_source {
	void (*read)(void *arg, uint64_t block, const struct smpl_sink *sink);
	void (*visit)(void *arg, const struct pmon_sample *sample);
	void *arg;
};

/**
 * visits_add() - a sample that is to be visited
 * @v:      samples so far
 * @time:   of it
 * @block:  offset of its block in the file
 * @number: of the sample in its block, from 0
 */
void visits_add(struct visits *v, uint64_t time, uint64_t block, uint32_t number);

/**
 * visits_pay() - visit all of them, by their time, and forget them
 * @v:      samples
 * @source: where they are
 *
 * Their blocks are read again, so that memory is not needed for all samples at once.
 */
void visits_pay(struct visits *v, const struct visit_source *source);

#endif /* PFMON_VISIT_H */
