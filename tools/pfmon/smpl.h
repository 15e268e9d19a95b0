/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampling formats as pfmon sees them: what it asks the kernel for, and how to
 * read what is in the buffer then. Another format is one more file and one
 * more line in the table of smpl.c.
 */
#ifndef PFMON_SMPL_H
#define PFMON_SMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <perfmon/perfmon.h>

#include "events.h"

#define SMPL_NAME_MAX	128
#define SMPL_ARG_MAX	64	/* bytes of the largest format argument */
#define SMPL_MAJOR(version)	((version) >> 16)	/* of a buffer's header */
#define MAX_READINGS	64

/* An event that is sampled, and the registers that each sample has. */
struct sampled_event {
	char name[SMPL_NAME_MAX];
	uint16_t pmd;
	unsigned int set, sets;		/* the first that it is counted in, and how many */
	enum event_unit unit;
	uint64_t period, random_mask;
	unsigned int readings;
	struct reading {
		char name[SMPL_NAME_MAX];
		uint16_t pmd;		/* in increasing order */
		bool since_last;	/* counted since the last sample */
	} reading[MAX_READINGS];
};

/* What is needed to take a buffer apart: it says less than one would think. */
struct smpl_layout {
	uint16_t pmd;			/* of samples that do not say which */
	int16_t values[PFM_MAX_PMDS];	/* that a sample has, in any set; -1: no event */
};

/* Where samples are from that do not say so: -1 is not known. */
struct smpl_origin {
	int32_t pid, tid, cpu;
};

/* One sample of any format. What a format does not record is 0, or -1. */
struct sample {
	int32_t pid, tid, cpu;
	uint16_t pmd, set;
	uint64_t period;		/* events since the sample before */
	uint64_t time;
	uint64_t ip;
	uint64_t count;			/* how many samples it stands for */
	unsigned int values;
	const uint64_t *value;
	unsigned int kernel, user;	/* calls, those of the kernel first, ... */
	const uint64_t *chain;		/* ... the innermost of each part first */
};

/* What a process did, as some formats record it. */
struct smpl_map {
	int32_t pid;
	uint64_t time;
	uint64_t start, end, offset;
	const char *path;		/* NULL: it has executed a program ... */
	const char *comm;		/* ... and is called this since then */
};

/* Receives what a buffer contains. */
struct smpl_sink {
	void (*sample)(void *arg, const struct sample *sample);
	void (*map)(void *arg, const struct smpl_map *map);	/* (optional) */
	void *arg;
};

/* A buffer at one moment. */
struct smpl_state {
	uint64_t samples;	/* in it */
	uint64_t full;		/* times that there was no room for more */
	uint64_t lost;		/* samples that the kernel knows to be lost */
	uint64_t lost_maps;	/* and records of struct smpl_map */
	uint64_t cleared;	/* samples that PFM_RESTART has cleared */
};

/* How far a buffer was looked at; all zeroes: not at all. */
struct smpl_seen {
	uint64_t first;		/* of formats with halves: which filling of which half */
	uint64_t count, end;	/* records, and bytes to the end of the last */
};

/* Consecutive records of a buffer. */
struct smpl_part {
	uint64_t count;
	size_t begin, end;	/* bytes from the beginning of the buffer */
};

/**
 * struct smpl_format - a sampling format
 * @name:     what -f calls it
 * @help:     one line
 * @uuid:     what the kernel calls it
 * @arg_size: bytes of its argument, at most SMPL_ARG_MAX
 * @masks:    a full buffer stops sampling until it has been emptied: the losses
 *            of that time can only be estimated. Otherwise losses are exact
 * @clears:   the buffer changes until PFM_RESTART clears it
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
 * @parse:    hand all that is in a block, or a buffer, of @size bytes, aligned to
 *            8, to @sink; nothing in it is believed. Return the number of records,
 *            or -1 if it is damaged: @sink got the records before the damage
 */
struct smpl_format {
	const char *name, *help;
	pfm_uuid_t uuid;
	size_t arg_size;
	bool masks, clears, values, chains;
	uint64_t max_size;
	uint64_t (*min_size)(unsigned int pmds);
	void (*argument)(void *arg, uint64_t buffer_size);
	void (*state)(const void *buf, size_t size, struct smpl_state *state);
	size_t (*copy)(const void *buf, size_t size, bool all,
		       struct smpl_seen *seen, void *block);
	long (*parse)(const void *buf, size_t size,
		      const struct smpl_layout *layout,
		      const struct smpl_origin *origin,
		      const struct smpl_sink *sink);
};

extern const struct smpl_format smpl_default, smpl_double, smpl_aggregate,
	smpl_callchain;

/**
 * smpl_part() - the records of a buffer, or those that are new
 * @count: the buffer's count of records, to which the kernel may be adding
 * @end:   its bytes to the end of the last; not believed
 * @begin: bytes to the first
 * @size:  of the buffer
 * @seen:  NULL: all; or how far it was looked at, filled in anew
 *
 * Return: the records; none if @end makes no sense.
 */
struct smpl_part smpl_part(const __u64 *count, const __u64 *end, uint64_t begin,
			   size_t size, struct smpl_seen *seen);

/**
 * smpl_entries() - hand on samples as the default format has them
 * @at:     the first one, aligned to 8
 * @size:   bytes that there are
 * @count:  how many there are said to be
 * @flags:  PFM_DFL_SMPL_NO_HDR, PFM_DFL_SMPL_IIP_HDR
 * @layout: of the events
 * @origin: of the buffer
 * @sink:   gets each sample
 *
 * Return: how many, or -1 if they are damaged.
 */
long smpl_entries(const void *at, size_t size, uint64_t count, uint32_t flags,
		  const struct smpl_layout *layout,
		  const struct smpl_origin *origin,
		  const struct smpl_sink *sink);

/**
 * smpl_find() - a format by its name
 * @name: as -f has it
 *
 * Return: the format, or NULL.
 */
const struct smpl_format *smpl_find(const char *name);

/**
 * smpl_find_uuid() - a format by what the kernel calls it
 * @uuid: 16 bytes
 *
 * Return: the format, or NULL.
 */
const struct smpl_format *smpl_find_uuid(const unsigned char *uuid);

/**
 * smpl_print() - list all formats with one line of help each
 * @out: where to
 */
void smpl_print(FILE *out);

/**
 * smpl_layout_init() - a layout without events
 * @layout: filled in
 */
void smpl_layout_init(struct smpl_layout *layout);

/**
 * smpl_layout_add() - add an event to it
 * @layout: from smpl_layout_init()
 * @event:  event
 */
void smpl_layout_add(struct smpl_layout *layout,
		     const struct sampled_event *event);

#endif /* PFMON_SMPL_H */
