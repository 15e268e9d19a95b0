/* SPDX-License-Identifier: GPL-2.0-only */
/* The modules of the kernel that are loaded now. */
#ifndef PFMON_MODULES_H
#define PFMON_MODULES_H

#include "datafile.h"

typedef void modules_fn(void *arg, const struct df_module *module, const char *name);

/**
 * modules_read() - look which modules there are
 * @root: in front of /proc and /sys: ""; tests have others
 * @fn:   called for each of which the kernel shows where it is
 * @arg:  for it
 */
void modules_read(const char *root, modules_fn *fn, void *arg);

#endif /* PFMON_MODULES_H */
