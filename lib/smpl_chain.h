/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of <perfmon/callchain_smpl.h>, which several formats have. */
#ifndef LIB_SMPL_CHAIN_H
#define LIB_SMPL_CHAIN_H

#include <perfmon/calldouble_smpl.h>
#include <perfmon/callchain_smpl.h>

#include "smpl.h"

/**
 * pmon_chain_get() - the head of a record
 * @buf:  the buffer
 * @at:   bytes to the record
 * @size: bytes to the end of what there is
 * @rec:  filled in
 *
 * Return: false if there is none that is whole.
 */
bool pmon_chain_get(const void *buf, size_t at, size_t size,
		    pfm_callchain_smpl_rec_t *rec);

/**
 * pmon_chain_record() - the record at @it->at, which then is at the next one
 * @it:  @it->end is the end of what there is
 * @rec: filled in
 *
 * Return: 1, 0 if it is of a type of a later version, or -1 if it is damaged.
 */
int pmon_chain_record(struct pmon_iter *it, struct pmon_record *rec);

/**
 * pmon_chain_skim() - go on to the end of what there is, past samples
 * @it:   @it->end is the end of what there is
 * @skim: who is told of what
 *
 * Return: how many samples there were.
 */
uint64_t pmon_chain_skim(struct pmon_iter *it, const struct pmon_skim *skim);

#endif /* LIB_SMPL_CHAIN_H */
