// SPDX-License-Identifier: GPL-2.0-only
/* By libiberty, as binutils, gdb and perf do it. */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "demangle.h"

const bool demangle_can = true;

struct output {
	char *text;
	size_t room;
	jmp_buf full;
};

/* A short name can stand for one that never ends: then the rest is not asked for. */
static void take(const char *text, size_t len, void *arg)
{
	struct output *out = arg;

	if (len >= out->room)
		longjmp(out->full, 1);
	memcpy(out->text, text, len);
	out->text += len;
	*out->text = '\0';
	out->room -= len;
}

bool demangle(const char *name, char *out, size_t size)
{
	struct output to = { .text = out, .room = size };

	*out = '\0';
	if (!setjmp(to.full)) {
		/* That of Rust is at first sight one of C++. */
		if (rust_demangle_callback(name, DMGL_PARAMS, take, &to))
			return true;
		to.text = out;
		to.room = size;
		*out = '\0';
		if (cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI, take, &to))
			return true;
	}
	*out = '\0';
	return false;
}
