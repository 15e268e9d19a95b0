/* SPDX-License-Identifier: GPL-2.0-only */
/* Contexts, as the library's count/ has them, and what pfmon needs for many. */
#ifndef PFMON_REQUIRE_H
#define PFMON_REQUIRE_H

#include "count/context.h"

/* Exit status for all that goes wrong with pfmon itself, as env(1) has it. */
#define EXIT_PFMON	125

/**
 * perfmon_require() - end the program unless the kernel has our perfmon
 */
void perfmon_require(void);

/**
 * raise_file_limit() - allow as many open files as the system lets us
 */
void raise_file_limit(void);

/**
 * restore_file_limit() - as many as before raise_file_limit()
 */
void restore_file_limit(void);

#endif /* PFMON_REQUIRE_H */
