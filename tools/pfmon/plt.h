/* SPDX-License-Identifier: GPL-2.0-only */
/* The stubs by which a program calls functions of libraries. */
#ifndef PFMON_PLT_H
#define PFMON_PLT_H

#include <libelf.h>

#include "symtab.h"

/**
 * plt_add_symbols() - a symbol for each stub: "FUNCTION@plt"
 * @t:   table
 * @elf: program or library; of x86, elsewhere none is known
 */
void plt_add_symbols(struct symtab *t, Elf *elf);

#endif /* PFMON_PLT_H */
