/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sampling buffers, taken apart: one record after the other of a buffer of any format
 * that the library knows, or that the caller describes. pmon_samples(3) is the manual.
 *
 * A buffer changes while the kernel fills it. So what there is, or what is new, is
 * copied to a block of the caller's first, and the block is taken apart.
 */
#ifndef _PERFMON_PMON_SMPL_H
#define _PERFMON_PMON_SMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfmon/perfmon.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMON_ARG_MAX	64	/* bytes of the largest argument of a format known */

/* What a buffer does not say itself: which counters were sampled, with which values. */
struct pmon_layout {
	uint16_t pmd;			/* of samples that do not say which */
	int16_t values[PFM_MAX_PMDS];	/* that a sample has, in any set; -1: no event */
};

/* Where samples are from that do not say so: -1 is not known. */
struct pmon_origin {
	int32_t pid, tid, cpu;
};

/* One sample of any format. What a format does not record is 0, or -1. */
struct pmon_sample {
	int32_t pid, tid, cpu;
	uint16_t pmd, set;
	uint64_t period;		/* events since the sample before */
	uint64_t time;			/* in ns, of CLOCK_MONOTONIC */
	uint64_t ip;
	uint64_t count;			/* how many samples it stands for */
	unsigned int values;
	const uint64_t *value;		/* of registers, in the order of their numbers */
	unsigned int kernel, user;	/* calls, those of the kernel first, ... */
	const uint64_t *chain;		/* ... the innermost of each part first */
};

/* A program's registers and a part of its stack, where a sample hit it, or where it left user level. */
struct pmon_user {
	uint16_t machine;		/* EM_... of <elf.h>: which registers they are is ... */
	uint16_t regs;			/* ... said in <perfmon/calldouble_smpl.h> */
	const uint64_t *reg;
	size_t stack_size;		/* bytes, 0: none of it */
	const void *stack;		/* as the program had it, from its stack pointer up */
};

/* What a process did, as some formats record it. */
struct pmon_map {
	int32_t pid;
	uint64_t time;
	uint64_t start, end, offset;	/* of PMON_MAP, bytes */
	uint32_t major, minor;		/* of PMON_MAP: the device of the file ... */
	uint64_t inode;			/* ... and its number there */
	const char *path;		/* of PMON_MAP, else NULL */
	const char *comm;		/* of PMON_EXEC, else NULL */
	int32_t child;			/* of PMON_FORK, the new process; else 0 */
};

/* What a format that goes on has lost, where it is missing. */
struct pmon_lost {
	uint64_t time, until;		/* of the first and the last of them */
	uint64_t samples;
	uint64_t maps;			/* records of struct pmon_map */
};

enum pmon_type {
	PMON_SAMPLE,			/* sample */
	PMON_MAP,			/* map: a file was mapped to be executed */
	PMON_EXEC,			/* map: it has executed a program, called comm since */
	PMON_LOST,			/* lost: there is a gap */
	PMON_FORK,			/* map: it has made a process, with all that is mapped in it */
};

/* What pmon_iter_next() gives. Pointers are into the block. */
struct pmon_record {
	enum pmon_type type;
	union {
		struct pmon_sample sample;
		struct pmon_map map;
		struct pmon_lost lost;
	};
};

/* A buffer at one moment. */
struct pmon_state {
	uint64_t samples;	/* in it */
	uint64_t full;		/* times that there was no room for more */
	uint64_t lost;		/* samples that the kernel knows to be lost */
	uint64_t lost_maps;	/* and records of struct pmon_map */
	uint64_t cleared;	/* samples that PFM_RESTART has cleared */
};

/* How far a buffer was looked at; all zeroes: not at all. */
struct pmon_seen {
	uint64_t first;		/* which filling of which half; the last one's time */
	uint64_t count, end;	/* records, and bytes to the end of the last */
};

struct pmon_format;

/* A block that is being taken apart. */
struct pmon_iter {
	const struct pmon_format *format;
	const unsigned char *buf;
	size_t size;
	const struct pmon_layout *layout;
	struct pmon_origin origin;
	uint64_t records;	/* that it has passed, those that it knows nothing of, too */
	/* The format's own; all zeroes at the beginning. */
	size_t at, end;
	uint64_t left;
	uint32_t flags, turn;
};

/**
 * struct pmon_format - a sampling format
 * @name:     what programs call it
 * @help:     one line
 * @uuid:     what the kernel calls it
 * @arg_size: bytes of its argument, at most PMON_ARG_MAX
 * @masks:    a full buffer stops sampling until it has been emptied: the losses
 *            of that time can only be estimated. Otherwise losses are exact
 * @clears:   the buffer changes until PFM_RESTART clears it
 * @freezes:  PFM_RESTART freezes what there is, and begins anew: copy it afterwards
 * @values:   samples have the values of registers
 * @chains:   samples have call chains
 * @max_size: bytes of the largest buffer, 0: any
 * @min_size: bytes of the smallest one, given the number of registers
 * @argument: fill in the argument, which is all zeroes
 * @state:    look at a buffer, which may be changing
 * @copy:     copy what there is to @block, which is as large as the buffer: all
 *            of it, or what PFM_RESTART would release now. If @seen is not NULL,
 *            what came since it was filled in last; then it is filled in anew.
 *            (Formats that clear copy all if anything came.) Return the bytes, 0 if
 *            there is nothing
 * @begin:    check the head of the block of @it, or of a buffer that does not change,
 *            and fill in the format's own fields of @it. Return 0, or -1 if it is
 *            damaged
 * @next:     the next record. Return 1, 0 at the end, or -1 if it is damaged. Nothing
 *            in the block is believed
 * @turn:     (optional) turn a block of a machine of the other byte order into one of
 *            this one, in place: as far as it is not damaged
 */
struct pmon_format {
	const char *name, *help;
	pfm_uuid_t uuid;
	size_t arg_size;
	bool masks, clears, freezes, values, chains;
	uint64_t max_size;
	uint64_t (*min_size)(unsigned int pmds);
	void (*argument)(void *arg, uint64_t buffer_size);
	void (*state)(const void *buf, size_t size, struct pmon_state *state);
	size_t (*copy)(const void *buf, size_t size, bool all,
		       struct pmon_seen *seen, void *block);
	int (*begin)(struct pmon_iter *it);
	int (*next)(struct pmon_iter *it, struct pmon_record *rec);
	void (*turn)(void *block, size_t size, const struct pmon_layout *layout);
};

/**
 * pmon_format_find() - a format by its name
 * @name: as in struct pmon_format
 *
 * Return: the format, or NULL.
 */
const struct pmon_format *pmon_format_find(const char *name);

/**
 * pmon_format_find_uuid() - a format by what the kernel calls it
 * @uuid: 16 bytes
 *
 * Return: the format, or NULL.
 */
const struct pmon_format *pmon_format_find_uuid(const unsigned char *uuid);

/**
 * pmon_format_at() - all formats that the library knows
 * @i: from 0
 *
 * Return: a format, or NULL: there are no more than @i.
 */
const struct pmon_format *pmon_format_at(unsigned int i);

/**
 * pmon_layout_init() - a layout without events
 * @layout: filled in
 */
void pmon_layout_init(struct pmon_layout *layout);

/**
 * pmon_layout_add() - add a sampled event to it
 * @layout: from pmon_layout_init()
 * @pmd:    its counter, below PFM_MAX_PMDS
 * @values: registers that its samples have: the bits in reg_smpl_pmds
 */
void pmon_layout_add(struct pmon_layout *layout, unsigned int pmd,
		     unsigned int values);

/**
 * pmon_turn() - turn the bytes of numbers that follow each other
 * @at:     the first; the numbers have no padding between them
 * @widths: for each a digit, its bytes: 1, 2, 4 or 8
 *
 * Return: where they end.
 */
void *pmon_turn(void *at, const char *widths);

/**
 * pmon_iter_begin() - begin to take a block apart
 * @it:     filled in
 * @format: of the buffer
 * @block:  from the format's copy(), or a buffer that does not change; aligned to 8
 * @size:   bytes that there are
 * @layout: of the events; it has to stay
 * @origin: of the buffer, or NULL: not known
 *
 * Return: 0, or -EBADMSG if it is damaged; then pmon_iter_next() says so, too.
 */
int pmon_iter_begin(struct pmon_iter *it, const struct pmon_format *format,
		    const void *block, size_t size, const struct pmon_layout *layout,
		    const struct pmon_origin *origin);

/**
 * pmon_iter_next() - the next record of a block
 * @it:  from pmon_iter_begin()
 * @rec: filled in
 *
 * Return: 1, 0 when there are no more, or -EBADMSG if the block is damaged there.
 */
int pmon_iter_next(struct pmon_iter *it, struct pmon_record *rec);

/**
 * pmon_sample_user() - what a sample has for who unwinds the stack himself
 * @it:   where it is from
 * @rec:  from pmon_iter_next(), of the type PMON_SAMPLE
 * @user: filled in; pointers are into the block, that to the registers aligned to 8
 *
 * Return: 1, or 0 if this sample has nothing of that, as in most formats, or it is damaged.
 */
int pmon_sample_user(const struct pmon_iter *it, const struct pmon_record *rec,
		     struct pmon_user *user);

#ifdef __cplusplus
}
#endif

#endif /* _PERFMON_PMON_SMPL_H */
