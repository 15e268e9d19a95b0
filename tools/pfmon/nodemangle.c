// SPDX-License-Identifier: GPL-2.0-only
/* In place of demangle.c where there is no libiberty to build with. */
#include "demangle.h"

const bool demangle_can;

bool demangle(const char *name, char *out, size_t size)
{
	(void)name;
	(void)size;
	*out = '\0';
	return false;
}
