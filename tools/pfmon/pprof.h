/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile for pprof and all that reads its files: a message of the protocol buffers'
 * wire format, profile.proto, compressed as by gzip where this pfmon has zlib.
 */
#ifndef PFMON_PPROF_H
#define PFMON_PPROF_H

#include <stdio.h>

#include "profile.h"

struct pprof;

/**
 * pprof_new() - begin without samples
 *
 * Return: for the functions below.
 */
struct pprof *pprof_new(void);

/**
 * pprof_sample() - add a sample: struct visitor's @sample
 * @arg:    from pprof_new()
 * @space:  where things are
 * @event:  of the sample; the same one each time
 * @sample: sample
 */
void pprof_sample(void *arg, struct space *space, const struct sampled_event *event,
		  const struct pmon_sample *sample);

/**
 * pprof_write() - write all that was added
 * @pprof: from pprof_new()
 * @p:     what else is known of the recording
 * @out:   where to; its error indicator tells what could not be written
 */
void pprof_write(const struct pprof *pprof, const struct profile *p, FILE *out);

/**
 * pprof_free() - free what it has
 * @pprof: from pprof_new()
 */
void pprof_free(struct pprof *pprof);

#endif /* PFMON_PPROF_H */
