// SPDX-License-Identifier: GPL-2.0-only
/* What the ways to print counts share. */
#include <string.h>

#include "counts.h"
#include "text.h"

static const struct counts_format *const formats[] = {
	&counts_text, &counts_json, &counts_csv, &counts_prometheus, &counts_openmetrics,
};

const struct counts_format *counts_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

void counts_title(FILE *out, const struct result *result)
{
	fputs(text_intern(result->title), out);
	if (result->spread)
		fprintf(out, ", mean of %u runs", result->spread->runs);
	if (result->threads && !result->tree)
		fprintf(out, " (%u thread%s)", result->measured,
			result->measured == 1 ? "" : "s");
}

const char *counts_grouping(const struct result *result)
{
	static const char *const names[] = {
		[GROUP_CPU] = "cpu", [GROUP_CORE] = "core", [GROUP_SOCKET] = "socket",
		[GROUP_NODE] = "node",
	};

	return result->threads ? "thread" : names[result->grouping];
}

void counts_group_name(const struct result *result, const struct group *group, char *name,
		      size_t size)
{
	const char *away = result->is_interval && group->away ? " (away)" : "";

	if (result->threads)
		snprintf(name, size, "%s-%d", text_intern(group->name), group->id);
	else if (result->grouping == GROUP_CPU)
		snprintf(name, size, "CPU %d%s", group->id, away);
	else if (result->grouping == GROUP_CORE)
		snprintf(name, size, "socket %d core %d%s", group->socket, group->id, away);
	else
		snprintf(name, size, "%s %d%s", counts_grouping(result), group->id, away);
}

bool counts_skips(const struct result *result, const struct group *group)
{
	unsigned int i;

	if (!result->is_interval || !result->threads)
		return false;
	for (i = 0; i < result->counters->n; i++)
		if (group->sum.value[i])
			return false;
	return true;
}
