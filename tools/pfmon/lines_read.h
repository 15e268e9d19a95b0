/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that reads debug information for lines.c. */
#ifndef PFMON_LINES_READ_H
#define PFMON_LINES_READ_H

#include "symtab.h"

/**
 * lines_serve() - answer questions until there are no more, and end
 * @t:  symbols of the file, as the process that asks has read them
 * @fd: where the questions come from, and the answers go to
 */
void __attribute__((noreturn)) lines_serve(const struct symtab *t, int fd);

#endif /* PFMON_LINES_READ_H */
