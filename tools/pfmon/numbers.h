/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as people read them, the same in every locale. */
#ifndef PFMON_NUMBERS_H
#define PFMON_NUMBERS_H

#include <stdbool.h>
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

/* What can stand behind a number, and how much it is worth. */
struct numbers_unit {
	char name;
	uint64_t factor;
};

#define NUMBERS_KMG	{ 'K', 1 << 10 }, { 'M', 1 << 20 }, { 'G', 1 << 30 }

/**
 * numbers_read() - read a number of an option
 * @text:  decimal, hexadecimal or octal digits as of C, then one of the units
 * @units: the last has the name NUL, which stands for no unit; if its factor is 0 there must
 *         be one
 * @n:     receives the number times the unit's factor
 *
 * Return: true, or false if the text is something else, or the number is larger than 64 bits.
 */
bool numbers_read(const char *text, const struct numbers_unit *units, uint64_t *n);

#endif /* PFMON_NUMBERS_H */
