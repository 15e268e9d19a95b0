/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as people read them, the same in every locale. */
#ifndef PFMON_NUMBERS_H
#define PFMON_NUMBERS_H

#include <stdint.h>

/* Enough for every number that the functions below make. */
#define NUMBERS_MAX	48

/* 1234567 is "1,234,567". */
char *numbers_count(char buf[NUMBERS_MAX], uint64_t n);

/* Nanoseconds as milliseconds, rounded to two decimals: "1,234.57". */
char *numbers_ms(char buf[NUMBERS_MAX], uint64_t ns);

/* Nanoseconds as seconds, rounded to four decimals: "12.3457". */
char *numbers_s(char buf[NUMBERS_MAX], uint64_t ns);

/* @n in @ns nanoseconds as a rate of three digits: "24.5 K/s". */
char *numbers_rate(char buf[NUMBERS_MAX], uint64_t n, uint64_t ns);

/* The same of a clock: "3.19 GHz". */
char *numbers_hertz(char buf[NUMBERS_MAX], uint64_t n, uint64_t ns);

/* Lost samples, counted and estimated ones: "1,234" or "about 1,234". */
char *numbers_lost(char buf[NUMBERS_MAX], uint64_t counted, uint64_t estimated);

#endif /* PFMON_NUMBERS_H */
