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

#define SMPL_NAME_MAX	64
#define SMPL_ARG_MAX	64	/* bytes of the largest format argument */
#define MAX_READINGS	64

/* An event that is sampled, and the registers that each sample has. */
struct sampled_event {
	char name[SMPL_NAME_MAX];
	uint16_t pmd;
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
	int16_t values[PFM_MAX_PMDS];	/* that a sample has, -1: no event */
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
};

typedef void smpl_fn(void *arg, const struct sample *sample);

/* A buffer at one moment. */
struct smpl_state {
	uint64_t samples;
	uint64_t full;		/* times that there was no room for more */
	size_t used;		/* bytes from its begin that matter */
};

/**
 * struct smpl_format - a sampling format
 * @name:     what -f calls it
 * @help:     one line
 * @uuid:     what the kernel calls it
 * @arg_size: bytes of its argument, at most SMPL_ARG_MAX
 * @argument: fill in the argument, which is all zeroes
 * @min_size: bytes of the smallest buffer on a machine with so many registers
 * @state:    look at a buffer, which may be changing
 * @parse:    call @fn for each sample of a buffer of @size bytes, aligned to 8;
 *            nothing in it is believed. Return how many, or -1 if it is
 *            damaged: samples before that have been told
 */
struct smpl_format {
	const char *name, *help;
	pfm_uuid_t uuid;
	size_t arg_size;
	void (*argument)(void *arg, uint64_t buffer_size);
	uint64_t (*min_size)(unsigned int pmds);
	void (*state)(const void *buf, size_t size, struct smpl_state *state);
	long (*parse)(const void *buf, size_t size,
		      const struct smpl_layout *layout,
		      const struct smpl_origin *origin, smpl_fn *fn, void *arg);
};

extern const struct smpl_format smpl_default;

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
