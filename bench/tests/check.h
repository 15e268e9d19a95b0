/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the bare-metal tests of all processors say, and count
 */
#ifndef PMU_TEST_CHECK_H
#define PMU_TEST_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* check.c */
void put(const char *s);
void put_hex(uint64_t val);
void check(const char *what, bool good);
void check_equal(const char *what, uint64_t got, uint64_t want);
/* Ends the machine; it has failed if @status is not 0, a check failed, or none was made. */
void finish(int status);

/* rt.c of each processor; leave() does not return */
void put_char(char c);
void leave(bool failed);

#endif
