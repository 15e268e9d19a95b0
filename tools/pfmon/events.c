// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events that can be counted. Another software PMU is one more line in
 * sources[]; another family of hardware is one more line in families[].
 */
#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/libperfmon.h>

#include "events.h"

#define COUNT(table)	(sizeof(table) / sizeof((table)[0]))

static const struct event sw_events[] = {
	{ .name = "task-clock", .value = PFM_SW_TASK_CLOCK, .unit = UNIT_NS,
	  .period = 1000000,
	  .help = "CPU time; with -C the time in which the CPU was not idle" },
	{ .name = "context-switches", .value = PFM_SW_CSWITCHES,
	  .period = 1, .counts_stops = true,
	  .help = "times that the CPU was given away" },
	{ .name = "migrations", .value = PFM_SW_MIGRATIONS, .period = 1,
	  .help = "moves to another CPU" },
	{ .name = "minor-faults", .value = PFM_SW_MINOR_FAULTS,
	  .period = 100,
	  .help = "page faults that needed no I/O" },
	{ .name = "major-faults", .value = PFM_SW_MAJOR_FAULTS,
	  .period = 1,
	  .help = "page faults that needed I/O" },
};

/* The hardware's events, by the codes of each family. */
enum { CYCLES, INSTRUCTIONS, BRANCHES, HW_EVENTS };

#define HW_EVENT(cycles, instructions, branches)			\
	{								\
		[CYCLES] = { .name = "cycles", .value = cycles,		\
			.unit = UNIT_CYCLES, .period = 1000000,		\
			.help = "clock cycles in which the CPU was not halted" }, \
		[INSTRUCTIONS] = { .name = "instructions",		\
			.value = instructions, .period = 1000000,	\
			.help = "instructions that were completed" },	\
		[BRANCHES] = { .name = "branches", .value = branches,	\
			.period = 100000,				\
			.help = "branches that were completed" },	\
	}

static const struct event intel_events[] = HW_EVENT(0x3c, 0xc0, 0xc4);
static const struct event amd_events[] = HW_EVENT(0x76, 0xc0, 0xc2);
static const struct event p6_events[] = HW_EVENT(0x79, 0xc0, 0xc4);

static const struct event raw_event = { .name = "rNNNN", .period = 100000,
	.help = "the event NN, or NNNN with its unit mask first, in hexadecimal; with up to nine digits all bits of the control register" };

/* Bits of PerfEvtSel: event and unit mask, edge, inv and cmask; any thread; AMD's event 11:8. */
#define EVTSEL		(0xffffULL | 1 << 18 | 1 << 23 | 0xffULL << 24)
#define EVTSEL_ANY	(1ULL << 21)
#define EVTSEL_AMD	(0xfULL << 32)

/* PerfEvtSel: who in bits 16 and 17, EN. */
static uint64_t evtsel(uint64_t event, unsigned int levels)
{
	return event | (uint64_t)levels << 16 | 1 << 22;
}

static const struct {
	const char *model;		/* how the kernel's name begins */
	unsigned int counters;		/* at most */
	const struct event *event;
	uint64_t raw_mask;		/* bits that events by number can have */
} families[] = {
	{ "Intel architectural", 16, intel_events, EVTSEL | EVTSEL_ANY },
	{ "AMD", 16, amd_events, EVTSEL | EVTSEL_AMD },
	{ "Intel P6", 2, p6_events, EVTSEL },
};

/* The hardware's is the last one, and has no counters if there is none. */
static struct event_source sources[] = {
	{ .name = "software", .pmc0 = PFM_SW_PMC0, .pmd0 = PFM_SW_PMD0,
	  .counters = PFM_SW_COUNTERS,
	  .event = sw_events, .events = COUNT(sw_events) },
	{ .name = "hardware" },
};

static struct event_source *const hardware = &sources[COUNT(sources) - 1];
static char hardware_model[64];

bool events_hardware(const char *model, unsigned int counters)
{
	size_t i;

	*hardware = (struct event_source){ .name = "hardware" };
	if (!strcmp(model, "none"))
		model = "";
	snprintf(hardware_model, sizeof(hardware_model), "%s", model);
	for (i = 0; i < COUNT(families); i++) {
		if (strncmp(model, families[i].model, strlen(families[i].model)))
			continue;
		hardware->counters = counters < families[i].counters ?
				     counters : families[i].counters;
		hardware->events = counters ? HW_EVENTS : 0;
		hardware->event = families[i].event;
		hardware->raw = counters ? &raw_event : NULL;
		hardware->control = evtsel;
		hardware->raw_mask = families[i].raw_mask;
	}
	return hardware->events;
}

/* Other names, as perf has them; some stand for several events. */
static const struct {
	const char *name, *list;
} aliases[] = {
	{ "cs", "context-switches" },
	{ "cpu-migrations", "migrations" },
	{ "page-faults", "minor-faults,major-faults" },
	{ "faults", "minor-faults,major-faults" },
};

static bool same(const char *name, const char *other, size_t len)
{
	return strlen(name) == len && !strncmp(name, other, len);
}

/* "r" and one to nine hexadecimal digits. */
static bool is_raw(const char *name, size_t len)
{
	size_t i;

	if (len < 2 || len > 10 || *name != 'r')
		return false;
	for (i = 1; i < len; i++)
		if (!isxdigit((unsigned char)name[i]))
			return false;
	return true;
}

static const struct event *find_event(const char *name, size_t len,
				      const struct event_source **source)
{
	size_t s, e;

	for (s = 0; s < COUNT(sources); s++) {
		*source = &sources[s];
		for (e = 0; e < sources[s].events; e++)
			if (same(sources[s].event[e].name, name, len))
				return &sources[s].event[e];
		if (sources[s].raw && is_raw(name, len))
			return sources[s].raw;
	}
	return NULL;
}

static const char *find_alias(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < COUNT(aliases); i++)
		if (same(aliases[i].name, name, len))
			return aliases[i].list;
	return NULL;
}

/* Of a hardware that is not here, or not known? All families have the same. */
static bool is_hardware(const char *name, size_t len)
{
	size_t e;

	for (e = 0; e < HW_EVENTS; e++)
		if (same(intel_events[e].name, name, len))
			return true;
	return is_raw(name, len);
}

static void say_unknown(const char *name, size_t len,
			char error[EVENTS_ERROR_MAX])
{
	int at, max = len > 64 ? 64 : (int)len;
	size_t s, e;

	if (!hardware->events && is_hardware(name, strcspn(name, ":,"))) {
		if (*hardware_model)
			snprintf(error, EVENTS_ERROR_MAX,
				 "no event '%.*s': the events of this machine's PMU (%s) are not known to pfmon yet",
				 max, name, hardware_model);
		else
			snprintf(error, EVENTS_ERROR_MAX,
				 "no event '%.*s': this machine has no PMU that perfmon knows",
				 max, name);
		return;
	}
	at = snprintf(error, EVENTS_ERROR_MAX, "no event '%.*s'; there are",
		      max, name);
	for (s = 0; s < COUNT(sources); s++)
		for (e = 0; e < sources[s].events && at < EVENTS_ERROR_MAX; e++)
			at += snprintf(error + at, (size_t)(EVENTS_ERROR_MAX - at),
				       "%s %s", s || e ? "," : "",
				       sources[s].event[e].name);
	if (hardware->raw && at < EVENTS_ERROR_MAX)
		snprintf(error + at, (size_t)(EVENTS_ERROR_MAX - at), ", %s",
			 hardware->raw->name);
}

/* The privilege levels that ":u", ":k" or both choose; 0 if they do not. */
static unsigned int parse_levels(const char *text, size_t len)
{
	unsigned int levels = 0;

	for (; len; text++, len--) {
		if (*text != 'u' && *text != 'k')
			return 0;
		levels |= *text == 'u' ? LEVEL_USER : LEVEL_KERNEL;
	}
	return levels;
}

/* The name is as it was given, without its modifiers: @len characters. */
static void set_levels(struct counter *c, size_t len, unsigned int levels)
{
	c->levels = levels;
	c->value = c->source->control(c->code, levels);
	snprintf(c->name + len, sizeof(c->name) - len, "%s",
		 levels == LEVEL_USER ? ":u" : levels == LEVEL_KERNEL ? ":k" : "");
}

/* The next free counter of the source goes to the event. */
static int assign(struct counters *counters, const struct event *event,
		  const struct event_source *source, const char *name,
		  size_t len, char error[EVENTS_ERROR_MAX])
{
	unsigned int i, used = 0;
	struct counter *c = &counters->c[counters->n];

	for (i = 0; i < counters->n; i++)
		used += counters->c[i].source == source;
	if (counters->n == MAX_EVENTS) {
		snprintf(error, EVENTS_ERROR_MAX, "more than %d events", MAX_EVENTS);
		return -1;
	}
	memset(c, 0, sizeof(*c));
	c->event = event;
	c->source = source;
	c->list = counters->lists;
	c->sets = 1;
	snprintf(c->name, sizeof(c->name), "%.*s", (int)len, name);
	if (!counters->many &&
	    (used == source->counters || counters->n == MAX_COUNTERS)) {
		counters_refuse(c, error);
		return -1;
	}
	counters->n++;
	counters->sets = 1;
	c->code = event == source->raw ? strtoull(c->name + 1, NULL, 16) :
					 event->value;
	if (event == source->raw && c->code & ~source->raw_mask) {
		counters->n--;
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s': an event of this PMU can have the bits %#" PRIx64 "; who is counted :u and :k say",
			 (int)len, name, source->raw_mask);
		return -1;
	}
	c->value = c->code;
	c->pmc = (uint16_t)(source->pmc0 + used);
	c->pmd = (uint16_t)(source->pmd0 + used);
	return 0;
}

/* A name with its modifiers, if it has some. */
static int add_event(struct counters *counters, const struct event *event,
		     const struct event_source *source, const char *name,
		     size_t len, char error[EVENTS_ERROR_MAX])
{
	size_t plain = strcspn(name, ":,");
	unsigned int levels = LEVEL_BOTH;

	if (plain < len) {
		levels = parse_levels(name + plain + 1, len - plain - 1);
		if (!source->control || !levels) {
			snprintf(error, EVENTS_ERROR_MAX, source->control ?
				 "'%.*s': an event can have the modifiers :u, programs, and :k, the kernel" :
				 "'%.*s': events of the software have no modifiers",
				 len > 64 ? 64 : (int)len, name);
			return -1;
		}
	}
	if (assign(counters, event, source, name, plain, error))
		return -1;
	if (source->control) {
		struct counter *c = &counters->c[counters->n - 1];

		c->levels_given = plain < len;
		set_levels(c, plain, levels);
	}
	return 0;
}

/* Aliases do not lead to aliases: no deeper than one step. */
static int add(struct counters *counters, const char *list,
	       char error[EVENTS_ERROR_MAX])
{
	const struct event_source *source;
	const struct event *event;
	const char *alias;
	size_t len;

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		event = find_event(list, strcspn(list, ":,"), &source);
		alias = event ? NULL : find_alias(list, len);
		if (!event && !alias) {
			say_unknown(list, len, error);
			return -1;
		}
		if (event ? add_event(counters, event, source, list, len, error) :
			    add(counters, alias, error))
			return -1;
		if (!list[len])
			return 0;
	}
}

int counters_add(struct counters *counters, const char *list,
		 char error[EVENTS_ERROR_MAX])
{
	struct counters old = *counters;

	if (add(counters, list, error)) {
		*counters = old;
		return -1;
	}
	counters->lists++;
	return 0;
}

void counters_refuse(const struct counter *c, char error[EVENTS_ERROR_MAX])
{
	snprintf(error, EVENTS_ERROR_MAX,
		 "no counter is left for '%s': at most %u %s events at a time",
		 c->name, c->source->counters, c->source->name);
}

int counters_find(const struct counters *counters, const char *name)
{
	unsigned int i;

	for (i = 0; i < counters->n; i++)
		if (!strcmp(counters->c[i].name, name))
			return (int)i;
	return -1;
}

const struct counter *counters_kernel(const struct counters *counters)
{
	const struct counter *found = NULL, *c;
	unsigned int i;

	for (i = 0; i <= counters->n; i++) {
		c = i < counters->n ? &counters->c[i] : &counters->trigger;
		if (!(c->levels & LEVEL_KERNEL))
			continue;
		if (c->levels_given)
			return c;
		if (!found)
			found = c;
	}
	return found;
}

static void restrict_counter(struct counter *c)
{
	if (c->levels == LEVEL_BOTH && !c->levels_given)
		set_levels(c, strlen(c->name), LEVEL_USER);
}

void counters_restrict(struct counters *counters)
{
	unsigned int i;

	for (i = 0; i < counters->n; i++)
		restrict_counter(&counters->c[i]);
	restrict_counter(&counters->trigger);
}

static void print_event(FILE *out, const char *name, const char *help)
{
	fprintf(out, "  %-18s %s\n", name, help);
}

void events_print(FILE *out)
{
	size_t s, e;

	for (s = 0; s < COUNT(sources); s++) {
		if (!sources[s].events)
			continue;
		fprintf(out, "events of the %s PMU, at most %u at a time:\n",
			sources[s].name, sources[s].counters);
		for (e = 0; e < sources[s].events; e++)
			print_event(out, sources[s].event[e].name,
				    sources[s].event[e].help);
		if (sources[s].raw)
			print_event(out, sources[s].raw->name,
				    sources[s].raw->help);
		if (sources[s].control)
			print_event(out, ":u, :k",
				    "after a name: of programs only, of the kernel only");
	}
	if (*hardware_model && !hardware->events)
		fprintf(out, "events of the hardware PMU are not known to pfmon yet\n");
}
