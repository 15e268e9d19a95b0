/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is sampled, and what is in sampling buffers. The library knows the formats:
 * <perfmon/pmon_smpl.h>.
 */
#ifndef PFMON_SAMPLED_H
#define PFMON_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <perfmon/pmon_smpl.h>

#include "events.h"

#define SMPL_NAME_MAX	128
#define MAX_READINGS	64

/* An event that is sampled, and the registers that each sample has. */
struct sampled_event {
	char name[SMPL_NAME_MAX];
	uint16_t pmd;
	unsigned int set, sets;		/* the first that it is counted in, and how many */
	enum event_unit unit;
	uint64_t period, random_mask;	/* each is shorter by a number within the mask */
	uint64_t frequency;		/* samples in a second, each of its own period; or 0 */
	unsigned int readings;
	struct reading {
		char name[SMPL_NAME_MAX];
		uint16_t pmd;		/* in increasing order */
		bool since_last;	/* counted since the last sample */
	} reading[MAX_READINGS];
};

/**
 * sampled_period() - what one sample stands for, if its own period is not known
 * @e: event
 *
 * Return: the period; if it is random, what it is on average, rounded up.
 */
uint64_t sampled_period(const struct sampled_event *e);

/**
 * sampled_events() - events that a record of samples stands for
 * @e:      event
 * @sample: one, or several of the same place, of which the period is that of the first
 *
 * Return: how many.
 */
uint64_t sampled_events(const struct sampled_event *e, const struct pmon_sample *sample);

struct pmon_run;

/* Receives what a buffer contains. */
struct smpl_sink {
	void (*sample)(void *arg, const struct pmon_sample *sample);
	void (*map)(void *arg, const struct pmon_map *map);	/* (optional) */
	void (*lost)(void *arg, const struct pmon_lost *lost);	/* (optional) */
	/* (optional) Several samples at once, of formats that need not be taken apart for that. */
	void (*run)(void *arg, const struct pmon_run *run);
	void *arg;
	/*
	 * (optional) May change the calls of a sample before the sink has it. @user: its
	 * registers and stack, NULL: it has none.
	 */
	void (*unwind)(void *arg, struct pmon_sample *sample, const struct pmon_user *user);
	void *unwind_arg;
};

/**
 * smpl_parse() - hand all that is in a block to a sink
 * @format: of the block
 * @buf:    the block, aligned to 8; nothing in it is believed
 * @size:   bytes
 * @layout: of the events
 * @origin: of the buffer
 * @sink:   gets each record
 *
 * Return: the number of records, or -1 if it is damaged: @sink got the records before
 * the damage.
 */
long smpl_parse(const struct pmon_format *format, const void *buf, size_t size,
		const struct pmon_layout *layout, const struct pmon_origin *origin,
		const struct smpl_sink *sink);

/**
 * smpl_print() - list all formats with one line of help each
 * @out: where to
 */
void smpl_print(FILE *out);

/**
 * smpl_layout_add() - add an event to a layout
 * @layout: from pmon_layout_init()
 * @event:  event
 */
void smpl_layout_add(struct pmon_layout *layout,
		     const struct sampled_event *event);

#endif /* PFMON_SAMPLED_H */
