// SPDX-License-Identifier: LGPL-2.1-or-later
/* The names that libpfm4 has for the events of this machine's PMU. */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib.h>

#include "events.h"
#include "family.h"
#include "names.h"

/* Most words of an encoding. */
#define CODES	4

const bool names_known = true;

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static bool ready(void)
{
	static enum { NEW, READY, FAILED } state;

	if (state == NEW)
		state = pfm_initialize() == PFM_SUCCESS ? READY : FAILED;
	return state == READY;
}

/*
 * The core's PMU that is here; other PMUs are of other units. Where the model is known,
 * so are the events that all of Intel's have.
 */
static bool find_pmu(const char *model, pfm_pmu_info_t *found)
{
	const struct family *family = family_find(model);
	pfm_pmu_info_t info;
	bool any = false;
	int i;

	if (!family || !family->named || !ready())
		return false;
	for (i = 0; i < PFM_PMU_MAX; i++) {
		memset(&info, 0, sizeof(info));
		info.size = sizeof(info);
		if (pfm_get_pmu_info((pfm_pmu_t)i, &info) != PFM_SUCCESS ||
		    !info.is_present || info.type != PFM_PMU_TYPE_CORE ||
		    (family->pfm4 && !begins(info.name, family->pfm4)) ||
		    (family->not_pfm4 && begins(info.name, family->not_pfm4)) ||
		    (any && found->pmu != PFM_PMU_INTEL_X86_ARCH))
			continue;
		*found = info;
		any = true;
	}
	return any;
}

const char *names_pmu(const char *model)
{
	pfm_pmu_info_t info;

	return find_pmu(model, &info) ? info.desc : NULL;
}

static bool get_event(int idx, pfm_event_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_event_info(idx, PFM_OS_NONE, info) == PFM_SUCCESS;
}

/* Events of other units and of the operating system are not ours to count. */
static bool is_of(int idx, const pfm_pmu_info_t *pmu)
{
	pfm_event_info_t info;

	return get_event(idx, &info) && info.pmu == pmu->pmu;
}

static bool is_unknown(int err)
{
	return err == PFM_ERR_NOTFOUND || err == PFM_ERR_NOTSUPP;
}

int names_find(const char *model, const char *name, unsigned int levels,
	       struct named_event *event, const char **error)
{
	int plm = (levels & LEVEL_USER ? PFM_PLM3 : 0) | (levels & LEVEL_KERNEL ? PFM_PLM0 : 0);
	uint64_t codes[CODES] = { 0 };
	char *full = NULL, text[256];
	pfm_pmu_encode_arg_t arg = {
		.codes = codes, .count = CODES, .fstr = &full, .size = sizeof(arg),
	};
	pfm_pmu_info_t pmu;
	int err;

	*error = NULL;
	if (!find_pmu(model, &pmu))
		return -1;
	/* Other PMUs have events of the same names. */
	snprintf(text, sizeof(text), "%s%s%s", strstr(name, "::") ? "" : pmu.name,
		 strstr(name, "::") ? "" : "::", name);
	err = pfm_get_os_event_encoding(text, plm, PFM_OS_NONE, &arg);
	if (err == PFM_SUCCESS && is_of(arg.idx, &pmu)) {
		memset(event, 0, sizeof(*event));
		event->select = codes[0];
		event->value = codes[1];
		event->has_value = arg.count > 1;
		event->words = (unsigned int)arg.count;
		snprintf(event->full, sizeof(event->full), "%s", full ? full : name);
		free(full);
		return 0;
	}
	free(full);
	if (err != PFM_SUCCESS && !is_unknown(err))
		*error = pfm_strerror(err);
	return -1;
}

static bool get_attr(int idx, int attr, pfm_event_attr_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_event_attr_info(idx, attr, PFM_OS_NONE, info) == PFM_SUCCESS;
}

/* As for a terminal: the pattern's case does not matter. */
static bool matches(const char *glob, const char *text)
{
	return !glob || !fnmatch(glob, text, FNM_CASEFOLD);
}

/* Unit masks that match: how many. They are printed unless @out is NULL. */
static unsigned int find_masks(const pfm_event_info_t *event, const char *glob, FILE *out)
{
	pfm_event_attr_info_t attr;
	unsigned int n = 0;
	char name[256];
	int i;

	for (i = 0; i < event->nattrs; i++) {
		if (!get_attr(event->idx, i, &attr) || attr.type != PFM_ATTR_UMASK)
			continue;
		snprintf(name, sizeof(name), "%s:%s", event->name, attr.name);
		if (!matches(glob, name))
			continue;
		n++;
		if (out)
			fprintf(out, "    :%-26s %s%s\n", attr.name, attr.desc,
				attr.is_dfl ? " (default)" : "");
	}
	return n;
}

unsigned int names_print(const char *model, const char *glob, FILE *out)
{
	pfm_event_info_t event;
	pfm_pmu_info_t pmu;
	unsigned int n = 0;
	bool whole;
	int i;

	if (!find_pmu(model, &pmu))
		return 0;
	for (i = pmu.first_event; i != -1; i = pfm_get_event_next(i)) {
		if (!get_event(i, &event))
			continue;
		whole = matches(glob, event.name);
		if (!whole && !find_masks(&event, glob, NULL))
			continue;
		if (!n++)
			fprintf(out, "events of the hardware PMU that libpfm4 knows (%s):\n",
				pmu.desc);
		fprintf(out, "  %-29s %s\n", event.name, event.desc);
		find_masks(&event, whole ? NULL : glob, out);
	}
	return n;
}

/* "PMU::EVENT:MASK:MASK:k=1:..." */
void names_describe(const char *full, FILE *out)
{
	char text[256], *word, *rest;
	pfm_event_attr_info_t attr;
	pfm_event_info_t event;
	int i, idx;

	if (!ready() || (idx = pfm_find_event(full)) < 0 || !get_event(idx, &event))
		return;
	fprintf(out, "  %s: %s\n", event.name, event.desc);
	word = strstr(full, "::");
	snprintf(text, sizeof(text), "%s", word ? word + 2 : full);
	strtok_r(text, ":", &rest);
	while ((word = strtok_r(NULL, ":", &rest)))
		for (i = 0; i < event.nattrs; i++)
			if (get_attr(idx, i, &attr) && attr.type == PFM_ATTR_UMASK &&
			    !strcmp(attr.name, word))
				fprintf(out, "  :%s: %s\n", attr.name, attr.desc);
}
