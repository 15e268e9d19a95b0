// SPDX-License-Identifier: GPL-2.0-only
/* Numbers as people read them, the same in every locale. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

char *numbers_count(char buf[NUMBERS_MAX], uint64_t n)
{
	char digits[24];
	int len, i, at = 0;

	len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
	return buf;
}

/* Rounds to the nearest @step, without overflow near the type's end. */
static uint64_t rounded(uint64_t n, uint64_t step)
{
	return n / step + (n % step >= step / 2);
}

/* Nanoseconds in steps of @step, of which @parts are one; @parts has @decimals zeroes. */
static char *numbers_fraction(char buf[NUMBERS_MAX], uint64_t ns, uint64_t step,
			      unsigned int parts, int decimals)
{
	uint64_t n = rounded(ns, step);
	size_t len;

	numbers_count(buf, n / parts);
	len = strlen(buf);
	snprintf(buf + len, NUMBERS_MAX - len, ".%0*u", decimals,
		 (unsigned int)(n % parts));
	return buf;
}

char *numbers_ms(char buf[NUMBERS_MAX], uint64_t ns)
{
	return numbers_fraction(buf, ns, 10000, 100, 2);
}

char *numbers_s(char buf[NUMBERS_MAX], uint64_t ns)
{
	return numbers_fraction(buf, ns, 100000, 10000, 4);
}

static char *numbers_per_second(char buf[NUMBERS_MAX], uint64_t n, uint64_t ns,
				const char *per_second)
{
	static const char *const units[] = { "", "K", "M", "G", "T", "P" };
	double rate = ns ? (double)n * 1e9 / (double)ns : 0;
	size_t unit = 0;

	/* The limits are where rounding to three digits would give four. */
	while (rate >= 999.5 && unit < sizeof(units) / sizeof(units[0]) - 1) {
		rate /= 1000;
		unit++;
	}
	snprintf(buf, NUMBERS_MAX, "%.*f %s%s",
		 rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0, rate, units[unit],
		 per_second);
	return buf;
}

char *numbers_rate(char buf[NUMBERS_MAX], uint64_t n, uint64_t ns)
{
	return numbers_per_second(buf, n, ns, "/s");
}

char *numbers_hertz(char buf[NUMBERS_MAX], uint64_t n, uint64_t ns)
{
	return numbers_per_second(buf, n, ns, "Hz");
}

char *numbers_lost(char buf[NUMBERS_MAX], uint64_t counted, uint64_t estimated)
{
	size_t len = (size_t)sprintf(buf, "%s", estimated ? "about " : "");

	numbers_count(buf + len, counted + estimated);
	return buf;
}

bool numbers_read(const char *text, const struct numbers_unit *units, uint64_t *n)
{
	unsigned long long value;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoull(text, &end, 0);
	while (units->name && units->name != *end)
		units++;
	if (errno || !units->factor || (*end && (!units->name || end[1])) ||
	    value > UINT64_MAX / units->factor)
		return false;
	*n = value * units->factor;
	return true;
}
