/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers of two halves, of which the kernel fills one while the other is read. */
#ifndef LIB_SMPL_HALF_H
#define LIB_SMPL_HALF_H

#include "smpl.h"

/**
 * pmon_halves_choose() - which halves are wanted
 * @state: of each, as double_smpl.h and calldouble_smpl.h have them
 * @later: the first half was begun after the second one
 * @all:   also the one that the kernel fills, and the second one that is full
 * @which: receives the numbers of those that are, the older one first
 *
 * Return: how many.
 */
unsigned int pmon_halves_choose(const uint32_t state[2], bool later, bool all,
				unsigned int which[2]);

/**
 * pmon_half_is_sound() - can records lie there?
 * @begin: bytes from the beginning of the block to the half's first record
 * @end:   and to the end of its last
 * @head:  of the block's header
 * @size:  of the block
 *
 * Return: true or false.
 */
bool pmon_half_is_sound(uint64_t begin, uint64_t end, size_t head, size_t size);

/**
 * pmon_half_enter() - go on with the records of a half
 * @it:    is at the first of them then
 * @begin: as of pmon_half_is_sound(), @end, @head
 *
 * Return: 1, or -1 if no records can lie there.
 */
int pmon_half_enter(struct pmon_iter *it, uint64_t begin, uint64_t end, size_t head);

#endif /* LIB_SMPL_HALF_H */
