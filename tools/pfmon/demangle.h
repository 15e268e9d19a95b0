/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of functions as they are in the source, of C++ and Rust. */
#ifndef PFMON_DEMANGLE_H
#define PFMON_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#define DEMANGLE_MAX	4096	/* bytes of a name that is taken and given */

/* Can it be done? Not if pfmon was built without libiberty. */
extern const bool demangle_can;

/**
 * demangle() - the name that a compiler has mangled
 * @name: as the linker has it
 * @out:  receives the name, or nothing
 * @size: bytes of @out
 *
 * Return: true, or false if it is no such name, or one that is too long.
 */
bool demangle(const char *name, char *out, size_t size);

#endif /* PFMON_DEMANGLE_H */
