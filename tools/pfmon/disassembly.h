/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions of a file, as objdump(1) of binutils has them. */
#ifndef PFMON_DISASSEMBLY_H
#define PFMON_DISASSEMBLY_H

#include <stddef.h>
#include <stdint.h>

struct instruction {
	uint64_t addr;
	const char *text;	/* of text_intern() */
};

struct disassembly {
	struct instruction *instruction;
	size_t n;
};

#define DISASSEMBLY_MAX	(1U << 20)	/* bytes of code, at most */

/**
 * disassemble() - read the instructions of a part of a file
 * @d:      filled in: at most as many as there are bytes
 * @tool:   objdump, or a program that takes the same options
 * @fd:     the file
 * @start:  first address, as the file's symbols have it
 * @stop:   the address behind the last one, of DISASSEMBLY_MAX bytes no more are read
 *
 * The tool runs with limits, and if the file is another user's and we are root, as that user:
 * who made the file can have meant to harm its reader.
 *
 * Return: NULL, or why there are none: a sentence without its end.
 */
const char *disassemble(struct disassembly *d, const char *tool, int fd, uint64_t start,
			uint64_t stop);

/**
 * disassembly_free() - free what it has
 * @d: from disassemble()
 */
void disassembly_free(struct disassembly *d);

#endif /* PFMON_DISASSEMBLY_H */
