/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of a file in the order of their time, for those who want each of them. */
#ifndef PFMON_VISIT_H
#define PFMON_VISIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampled.h"

struct visit_block;

/* The blocks whose samples wait to be visited. All zeroes: none. */
struct visits {
	struct visit_block *block;
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
 * @v:      blocks so far
 * @time:   of it
 * @block:  offset of its block in the file; samples of a block come one after the other
 */
void visits_add(struct visits *v, uint64_t time, uint64_t block);

/**
 * visits_pay() - visit all samples of the blocks, by their time, and forget the blocks
 * @v:      blocks
 * @source: where they are
 *
 * Each block is read when its first sample comes, and is kept until its last has come. If what
 * is kept gets too much, samples that come later are forgotten, and their blocks read again.
 *
 * Return: how often a block was read.
 */
size_t visits_pay(struct visits *v, const struct visit_source *source);

#endif /* PFMON_VISIT_H */
