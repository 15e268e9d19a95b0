// SPDX-License-Identifier: LGPL-2.1-or-later
/* In place of names.c where there is no libpfm4 to build with. */
#include <stddef.h>

#include "names.h"

const bool names_known;

const char *names_pmu(const char *model)
{
	(void)model;
	return NULL;
}

int names_find(const char *model, const char *name, unsigned int levels,
	       struct named_event *event, const char **error)
{
	(void)model;
	(void)name;
	(void)levels;
	(void)event;
	*error = NULL;
	return -1;
}

unsigned int names_print(const char *model, const char *glob, FILE *out)
{
	(void)model;
	(void)glob;
	(void)out;
	return 0;
}

void names_describe(const char *full, FILE *out)
{
	(void)full;
	(void)out;
}
