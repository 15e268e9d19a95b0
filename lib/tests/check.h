/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tests of the library and of the tools: a program makes checks and ends
 * with check_done(), whose one line on stdout the calling script adds up.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <string.h>

static int checks_passed, checks_failed, checks_skipped;

#define CHECK(cond) do {						\
	if (cond) {							\
		checks_passed++;					\
	} else {							\
		checks_failed++;					\
		fprintf(stderr, "FAIL %s:%d: %s\n", __FILE__, __LINE__, #cond); \
	}								\
} while (0)

/* A wrong string is shown. */
#define CHECK_STR(got, want) do {					\
	const char *got_ = (got), *want_ = (want);			\
									\
	if (got_ && !strcmp(got_, want_)) {				\
		checks_passed++;					\
	} else {							\
		checks_failed++;					\
		fprintf(stderr, "FAIL %s:%d: %s is \"%s\", not \"%s\"\n", \
			__FILE__, __LINE__, #got, got_ ? got_ : "(null)", want_); \
	}								\
} while (0)

#define SKIP(why) do {							\
	checks_skipped++;						\
	fprintf(stderr, "SKIP %s:%d: %s\n", __FILE__, __LINE__, why);	\
} while (0)

static inline int check_done(void)
{
	printf("%d %d %d\n", checks_passed, checks_failed, checks_skipped);
	return checks_failed != 0;
}

#endif /* CHECK_H */
