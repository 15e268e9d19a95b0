/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Readers of sampling formats. */
#ifndef LIB_SMPL_H
#define LIB_SMPL_H

#include <perfmon/pmon_smpl.h>

#define SMPL_MAJOR(version)	((version) >> 16)	/* of a buffer's header */

/* FORMATS(f) - all of them: another one is a word here, and a file with pmon_format_WORD */
#define FORMATS(f)							\
	f(default) f(double) f(aggregate)				\
	f(callchain) f(calldouble) f(callaggregate)

#define FORMAT_DECLARE(name)	extern const struct pmon_format pmon_format_##name;
FORMATS(FORMAT_DECLARE)

/* Consecutive records of a buffer. */
struct pmon_part {
	uint64_t count;
	size_t begin, end;	/* bytes from the beginning of the buffer */
};

/**
 * pmon_part() - the records of a buffer, or those that are new
 * @count: the buffer's count of records, to which the kernel may be adding
 * @end:   its bytes to the end of the last; not believed
 * @begin: bytes to the first
 * @size:  of the buffer
 * @seen:  NULL: all; or how far it was looked at, filled in anew
 *
 * Return: the records; none if @end makes no sense.
 */
struct pmon_part pmon_part(const __u64 *count, const __u64 *end, uint64_t begin,
			   size_t size, struct pmon_seen *seen);

/**
 * pmon_part_copy() - copy a buffer's header, and a part of its records behind it
 * @block: has room for both
 * @buf:   the buffer
 * @head:  bytes of the header
 * @part:  of pmon_part()
 *
 * Return: bytes that were copied.
 */
size_t pmon_part_copy(void *block, const void *buf, size_t head,
		      const struct pmon_part *part);

/**
 * pmon_entries_swap() - swap the bytes of samples as the default format has them
 * @at:     the first one, aligned to 8
 * @size:   bytes
 * @flags:  PFM_DFL_SMPL_NO_HDR, PFM_DFL_SMPL_IIP_HDR
 * @layout: of the events
 *
 * Stops before the first damaged sample.
 */
void pmon_entries_swap(void *at, size_t size, uint32_t flags,
		       const struct pmon_layout *layout);

/**
 * pmon_chains_swap() - swap the bytes of records as the callchain format has them
 * @at:   the first one, aligned to 8
 * @size: bytes
 *
 * Stops before the first damaged record.
 */
void pmon_chains_swap(void *at, size_t size);

/**
 * pmon_entries_next() - the next sample as the default format has them
 * @it:  its at is aligned to 8, end the end of what there is, left how many samples
 *       there are said to be, flags PFM_DFL_SMPL_NO_HDR and PFM_DFL_SMPL_IIP_HDR
 * @rec: filled in
 *
 * Return: as the function next of struct pmon_format.
 */
int pmon_entries_next(struct pmon_iter *it, struct pmon_record *rec);

/* Samples that follow each other, of one process, counter and set. */
struct pmon_run {
	int32_t pid;
	uint16_t pmd, set;
	uint64_t samples;
	uint64_t events;	/* the sum of their periods */
	uint64_t first, last;	/* times */
};

/**
 * pmon_entries_run() - pass samples as the default format has them, without a look at each
 * @it:  of any format, behind the first record
 * @run: filled in
 *
 * Return: true; false if what follows has to be taken apart by pmon_iter_next(): it has no header,
 * is damaged, or of another format.
 */
bool pmon_entries_run(struct pmon_iter *it, struct pmon_run *run);

/**
 * pmon_double_look() - look at what is new in a buffer of the double format, where it is
 * @buf:    the buffer, to which the kernel may be adding
 * @size:   its bytes
 * @layout: of the events
 * @seen:   how far it was looked at, filled in anew
 * @run:    gets the samples; nothing in them is to be believed
 * @arg:    its first argument
 *
 * For who needs no copy of them. Samples have headers, unless the program has asked for others:
 * then there are none.
 *
 * Return: false if the kernel has begun a half anew meanwhile: @run may have had samples that
 * are part old, part new.
 */
bool pmon_double_look(const void *buf, size_t size, const struct pmon_layout *layout,
		      struct pmon_seen *seen,
		      void (*run)(void *arg, const struct pmon_run *run), void *arg);

/* What is wanted of a block whose samples are not taken apart. */
struct pmon_skim {
	void (*map)(void *arg, const struct pmon_map *map);	/* each file that was mapped */
	void (*process)(void *arg, int32_t pid);	/* of a sample, and of those after it */
	void *arg;
};

/**
 * pmon_calldouble_skim() - what is in a block of calldouble's, but for samples
 * @block: of pmon_format.copy()
 * @size:  its bytes
 * @skim:  who is told of what
 *
 * For who has no use for each sample: it takes a tenth of the instructions.
 *
 * Return: how many samples there are.
 */
uint64_t pmon_calldouble_skim(const void *block, size_t size, const struct pmon_skim *skim);

#endif /* LIB_SMPL_H */
