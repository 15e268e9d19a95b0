// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The events that can be counted. Another software PMU is one more line in
 * sources[]; another family of hardware is one more file, and one more word in family.h.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/libperfmon.h>

#include "encode.h"
#include "events.h"
#include "family.h"
#include "file.h"
#include "names.h"
#include "needs.h"
#include "place.h"
#include "words.h"

#define COUNT(table)	(sizeof(table) / sizeof((table)[0]))

/* Periods are primes: few loops of a program are as long, or divide them. */
static const struct event sw_events[] = {
	{ .name = "task-clock", .value = PFM_SW_TASK_CLOCK, .unit = UNIT_NS,
	  .period = 1000003,
	  .help = "CPU time; with -C the time in which the CPU was not idle" },
	{ .name = "context-switches", .value = PFM_SW_CSWITCHES,
	  .period = 1, .counts_stops = true,
	  .help = "times that the CPU was given away" },
	{ .name = "migrations", .value = PFM_SW_MIGRATIONS, .period = 1, .no_tree = true,
	  .help = "moves to another CPU" },
	{ .name = "minor-faults", .value = PFM_SW_MINOR_FAULTS,
	  .period = 101,
	  .help = "page faults that needed no I/O" },
	{ .name = "major-faults", .value = PFM_SW_MAJOR_FAULTS,
	  .period = 1,
	  .help = "page faults that needed I/O" },
};

/* The hardware's events; their codes are each model's. */
static const struct event hw_events[HW_EVENTS] = {
	[HW_CYCLES] = { .name = "cycles", .unit = UNIT_CYCLES, .period = 1000003,
		.help = "clock cycles in which the CPU was not halted" },
	[HW_INSTRUCTIONS] = { .name = "instructions", .period = 1000003,
		.help = "instructions that were completed" },
	[HW_BRANCHES] = { .name = "branches", .period = 100003,
		.help = "branches that were completed" },
	[HW_BRANCH_MISSES] = { .name = "branch-misses", .period = 100003,
		.help = "branches that were predicted wrongly" },
	[HW_CACHE_REFERENCES] = { .name = "cache-references", .period = 100003,
		.help = "accesses to the last cache; of AMD and Intel P6 to the second one; of POWER loads only" },
	[HW_CACHE_MISSES] = { .name = "cache-misses", .period = 100003,
		.help = "those that missed it" },
	[HW_L1_MISSES] = { .name = "l1-misses", .period = 100003,
		.help = "misses of the first data cache, as the model counts them: see explain" },
	[HW_L1_ACCESSES] = { .name = "l1-accesses", .period = 1000003,
		.help = "accesses to it; of Intel's, but for P6, and of PowerPC loads only" },
	[HW_REF_CYCLES] = { .name = "ref-cycles", .period = 1000003,
		.help = "cycles of a clock that does not change, while the CPU was not halted" },
	[HW_STORES] = { .name = "L1-dcache-stores", .period = 1000003,
		.help = "stores that were completed" },
	[HW_ICACHE_MISSES] = { .name = "L1-icache-load-misses", .period = 100003,
		.help = "misses of the first instruction cache, as the model counts them" },
	[HW_DTLB_MISSES] = { .name = "dTLB-load-misses", .period = 100003,
		.help = "loads that needed a walk of the page tables; of AMD all accesses" },
	[HW_DTLB_STORE_MISSES] = { .name = "dTLB-store-misses", .period = 100003,
		.help = "stores that needed a walk of the page tables" },
	[HW_ITLB_MISSES] = { .name = "iTLB-load-misses", .period = 100003,
		.help = "instruction fetches that needed a walk of the page tables" },
	[HW_LLC_LOADS] = { .name = "LLC-loads", .period = 100003,
		.help = "loads that the last cache was asked for; of POWER those that it had, of AMD all accesses to the second one" },
	[HW_LLC_MISSES] = { .name = "LLC-load-misses", .period = 100003,
		.help = "loads that missed it" },
};

/* The event of any code that is not in the table above. */
static const struct event other_event = { .period = 100003 };

/* A vector of all counters fits in one page: those of the software are there, too. */
#define HARDWARE_MAX	(MAX_COUNTERS - PFM_SW_COUNTERS)

/* The hardware's is the last one, and has no counters if there is none. */
static struct event_source sources[] = {
	{ .name = "software", .pmc0 = PFM_SW_PMC0, .pmd0 = PFM_SW_PMD0,
	  .counters = PFM_SW_COUNTERS, .there = (1U << PFM_SW_COUNTERS) - 1,
	  .event = sw_events, .events = COUNT(sw_events) },
	{ .name = "hardware" },
};

static struct event_source *const hardware = &sources[COUNT(sources) - 1];
static struct event hardware_events[HW_EVENTS];
static const char *hardware_model = "";

/* The lowest of the counters, as many as there can be. */
static uint32_t at_most(uint32_t there, unsigned int general, bool fixed)
{
	unsigned int i, n = 0, used = 0;
	uint32_t some = 0;

	for (i = 0; i < PMU_COUNTERS; i++) {
		if (!(there >> i & 1) || n == HARDWARE_MAX ||
		    ((i < PMU_FIXED || !fixed) && used++ >= general))
			continue;
		some |= 1U << i;
		n++;
	}
	return some;
}

/* Bits that all general controls let programs set. */
static uint64_t free_bits(const struct pmu *pmu)
{
	uint64_t reserved = 0;
	unsigned int i;

	for (i = 0; i < PMU_FIXED; i++)
		if (pmu->pmc[i].there)
			reserved |= pmu->pmc[i].reserved;
	return ~reserved;
}

/* Fill in hardware_events[] with the events that this model has. Return: how many. */
static unsigned int find_events(const struct pmu *pmu)
{
	unsigned int e, n = 0;
	uint64_t code;

	for (e = 0; e < HW_EVENTS; e++) {
		code = family_code(pmu, e);
		if (!code)
			continue;
		hardware_events[n] = hw_events[e];
		hardware_events[n++].value = code;
	}
	return n;
}

bool events_pmu(const struct pmu *pmu)
{
	const struct family *family = family_find(pmu->model);
	uint32_t there = pmu_counters(pmu);

	*hardware = (struct event_source){ .name = "hardware" };
	hardware_model = pmu->model;
	if (!family || !(there & ((1U << PMU_FIXED) - 1)))
		return false;
	hardware->pmu = pmu;
	hardware->family = family;
	hardware->there = at_most(there, family->counters, family->fixed);
	hardware->fixed = family->fixed;
	hardware->counters = (unsigned int)__builtin_popcount(source_general(hardware));
	hardware->events = find_events(pmu);
	hardware->event = hardware_events;
	hardware->raw = family->raw;
	hardware->raw_mask = family->raw_mask & free_bits(pmu);
	return hardware->events;
}

bool events_free_list(bool system, const char *list)
{
	uint32_t available = 0;
	unsigned long from, to;
	char *end;

	hardware->taken = 0;
	hardware->system = system;
	for (; *list >= '0' && *list <= '9'; list = end + (*end == ',')) {
		from = to = strtoul(list, &end, 10);
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		for (; from <= to && from < PMU_COUNTERS; from++)
			available |= 1U << from;
	}
	if (!(hardware->there & available))
		return false;
	hardware->taken = hardware->there & ~available;
	return true;
}

bool events_free(bool system)
{
	char list[256];
	bool known = sysfs_read(system ? "free_system" : "free_thread", list, sizeof(list));

	return events_free_list(system, known ? list : "") || !known;
}

/* Other names, as perf has them; some stand for several events. */
static const struct {
	const char *name, *list;
} aliases[] = {
	{ "cs", "context-switches" },
	{ "cpu-migrations", "migrations" },
	{ "page-faults", "minor-faults,major-faults" },
	{ "faults", "minor-faults,major-faults" },
	{ "cpu-clock", "task-clock" },
	{ "cpu-cycles", "cycles" },
	{ "branch-instructions", "branches" },
	{ "branch-loads", "branches" },
	{ "branch-load-misses", "branch-misses" },
	{ "L1-dcache-loads", "l1-accesses" },
	{ "L1-dcache-load-misses", "l1-misses" },
	{ "dTLB-loads", "l1-accesses" },
	{ "dTLB-stores", "L1-dcache-stores" },
};

static bool same(const char *name, const char *other, size_t len)
{
	return strlen(name) == len && !strncmp(name, other, len);
}

/* "r" and hexadecimal digits. */
static bool is_raw(const char *name, size_t len, unsigned int digits)
{
	size_t i;

	if (len < 2 || len > digits + 1 || *name != 'r')
		return false;
	for (i = 1; i < len; i++)
		if (!isxdigit((unsigned char)name[i]))
			return false;
	return true;
}

/* "fixed" and a number. */
static bool is_fixed(const char *name, size_t len)
{
	return len >= 6 && len <= 7 && !strncmp(name, "fixed", 5) &&
	       isdigit((unsigned char)name[5]) && isdigit((unsigned char)name[len - 1]);
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
		if (sources[s].raw && (is_raw(name, len, sources[s].family->raw_digits) ||
				       (sources[s].fixed && is_fixed(name, len))))
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

/* The event of a name that some hardware has, or HW_EVENTS. */
static enum hw_event hardware_event(const char *name, size_t len)
{
	size_t e;

	for (e = 0; e < HW_EVENTS; e++)
		if (same(hw_events[e].name, name, len))
			break;
	return e;
}

/* Why this machine's PMU does not have an event that other models have. */
static void say_absent(enum hw_event event, const char *name, int len,
		       char error[EVENTS_ERROR_MAX])
{
	const char *hint = words_hint(name, strcspn(name, ":,"));

	if (pmu_lacks(hardware->pmu, hardware->family->codes[event]))
		snprintf(error, EVENTS_ERROR_MAX,
			 "no event '%.*s': this processor says (CPUID) that it does not count it",
			 len, name);
	else if (hardware->pmu->hybrid)
		snprintf(error, EVENTS_ERROR_MAX,
			 "no event '%.*s': the two kinds of cores of this processor have none in common that is known to count it",
			 len, name);
	else
		snprintf(error, EVENTS_ERROR_MAX,
			 "no event '%.*s': this model of the PMU (%s) has none that is known to count it%s%s",
			 len, name, hardware_model, hint ? "; " : "", hint ? hint : "");
}

static void say_unknown(const char *name, size_t len,
			char error[EVENTS_ERROR_MAX])
{
	int at, max = len > 64 ? 64 : (int)len;
	size_t s, e, plain = strcspn(name, ":,");
	enum hw_event event = hardware_event(name, plain);
	bool is_hw = event != HW_EVENTS;

	if (hardware->events && is_hw) {
		say_absent(event, name, max, error);
		return;
	}
	if (!hardware->events && (is_hw || is_raw(name, plain, 9))) {
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
	if (words_hint(name, plain)) {
		snprintf(error, EVENTS_ERROR_MAX, "no event '%.*s': %s", max, name,
			 words_hint(name, plain));
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

void counter_place(struct counter *c, unsigned int n)
{
	c->pmc = (uint16_t)(c->source->pmc0 + n);
	c->pmd = (uint16_t)(c->source->pmd0 + n);
	if (c->source->family)
		c->source->family->place(c, n);
	else
		c->value = c->code;
}

/* The name is as it was given, without its levels: @len characters. */
static void set_levels(struct counter *c, size_t len, unsigned int levels)
{
	c->levels = levels;
	counter_place(c, c->pmc - c->source->pmc0);
	snprintf(c->name + len, sizeof(c->name) - len, "%s",
		 levels == LEVEL_USER ? ":u" : levels == LEVEL_KERNEL ? ":k" : "");
}

/* The next event; it gets the lowest counter, and the final one when all are known. */
static int assign(struct counters *counters, const struct counter *new,
		  char error[EVENTS_ERROR_MAX])
{
	struct counter *c = &counters->c[counters->n];

	if (counters->n == MAX_EVENTS) {
		snprintf(error, EVENTS_ERROR_MAX, "more than %d events", MAX_EVENTS);
		return -1;
	}
	*c = *new;
	c->list = counters->lists;
	c->sets = 1;
	counter_place(c, (unsigned int)__builtin_ctz(c->can));
	if (c->levels)
		set_levels(c, strlen(c->name), c->levels);
	counters->n++;
	counters->sets = 1;
	if (counters->many ||
	    (counters->n <= MAX_COUNTERS && place_together(counters, c->source)))
		return 0;
	counters->n--;
	counters_refuse(c, error);
	return -1;
}

/* An event of the software has a name and nothing else. */
static int add_software(struct counters *counters, const struct event *event,
			const struct event_source *source, const char *name, size_t len,
			char error[EVENTS_ERROR_MAX])
{
	struct counter c = { .event = event, .source = source, .code = event->value,
			     .can = source->there };

	if (name[strcspn(name, ":,")] == ':') {
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s': events of the software have no modifiers",
			 len > 64 ? 64 : (int)len, name);
		return -1;
	}
	snprintf(c.name, sizeof(c.name), "%s", event->name);
	return assign(counters, &c, error);
}

/* An event with a known one's code is that event: it prints like it, and has its period. */
static const struct event *known_as(const struct event_source *source, uint64_t code)
{
	unsigned int i;

	for (i = 0; i < source->events; i++)
		if (source->event[i].value == code)
			return &source->event[i];
	return &other_event;
}

static int add_hardware(struct counters *counters, const struct encoding *e,
			char error[EVENTS_ERROR_MAX])
{
	struct counter c = { .source = hardware };

	/* An event with modifiers is not the known one: "cycles:c=1" must not give a frequency. */
	c.event = known_as(hardware, e->code);
	snprintf(c.name, sizeof(c.name), "%s", e->name);
	if (encode_counter(e, hardware, &c, error))
		return -1;
	return assign(counters, &c, error);
}

static uint64_t code_of(const struct event *event, const char *name)
{
	if (event != hardware->raw)
		return event->value;
	if (*name == 'f')	/* fixed counter n is unit mask n + 1 of event 0 */
		return (strtoull(name + 5, NULL, 10) + 1) << 8;
	return strtoull(name + 1, NULL, 16);
}

/* An event that pfmon itself knows. */
static int add_event(struct counters *counters, const struct event *event,
		     const struct event_source *source, const char *name,
		     size_t len, char error[EVENTS_ERROR_MAX])
{
	struct encoding e = { .levels = 0 };

	if (source != hardware)
		return add_software(counters, event, source, name, len, error);
	e.code = code_of(event, name);
	e.exact = event == hardware->raw;
	e.value = e.exact ? 0 : family_value(hardware->pmu, hardware_event(event->name,
									   strlen(event->name)));
	e.has_value = e.value != 0;
	if (hardware->family->own)
		hardware->family->own(&e, event->name);
	if (encode_own(&e, name, strcspn(name, ":,"), len, error))
		return -1;
	if (hardware->family->modifiers != MODIFIERS_ALL &&
	    (e.code != code_of(event, name) || e.has_value)) {
		snprintf(error, EVENTS_ERROR_MAX, "'%.*s': %s modifiers but :u and :k",
			 len > 64 ? 64 : (int)len, name,
			 hardware->family->modifiers == MODIFIERS_NAMED ?
			 "of this PMU only libpfm4's events have" :
			 "events of this PMU have no");
		return -1;
	}
	return add_hardware(counters, &e, error);
}

/* An event of libpfm4, or none at all. */
static int add_named(struct counters *counters, const char *name, size_t len,
		     char error[EVENTS_ERROR_MAX])
{
	struct encoding e;

	*error = '\0';
	if (hardware->pmu && !encode_named(&e, hardware, name, len, error))
		return add_hardware(counters, &e, error);
	if (!*error)
		say_unknown(name, len, error);
	return -1;
}

static int add(struct counters *counters, const char *list, char error[EVENTS_ERROR_MAX]);

/*
 * Other names with what stands behind them; those of several events are the software's, which
 * have nothing there. Aliases do not lead to aliases: no deeper than one step.
 */
static int add_alias(struct counters *counters, const char *alias, const char *name, size_t len,
		     char error[EVENTS_ERROR_MAX])
{
	const size_t plain = strcspn(name, ":,");
	char text[COUNTER_NAME_MAX];

	if (snprintf(text, sizeof(text), "%s%.*s", alias, (int)(len - plain), name + plain) >=
	    (int)sizeof(text)) {
		snprintf(error, EVENTS_ERROR_MAX, "'%.*s...': the name is too long", 64, name);
		return -1;
	}
	return add(counters, text, error);
}

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
		alias = event ? NULL : find_alias(list, strcspn(list, ":,"));
		if (event ? add_event(counters, event, source, list, len, error) :
		    alias ? add_alias(counters, alias, list, len, error) :
			    add_named(counters, list, len, error))
			return -1;
		if (!list[len])
			return 0;
	}
}

/* What is in braces has to be counted at the same time. */
static int add_groups(struct counters *counters, char *list, char error[EVENTS_ERROR_MAX])
{
	char *rest = NULL, *group;
	struct counters alone;

	for (group = strtok_r(list, (const char[]){ WORDS_GROUP, '\0' }, &rest); group;
	     group = strtok_r(NULL, (const char[]){ WORDS_GROUP, '\0' }, &rest)) {
		alone = (struct counters){ .n = 0 };
		if (add(&alone, group, error) || add(counters, group, error))
			return -1;
		counters->lists++;
	}
	return 0;
}

/* Bytes of a list of events without perf's syntax. */
#define LIST_MAX	4096

int counters_add(struct counters *counters, const char *list,
		 char error[EVENTS_ERROR_MAX])
{
	struct counters old = *counters;

	char text[LIST_MAX];

	if (!strpbrk(list, "{}/")) {
		if (!add(counters, list, error)) {
			counters->lists++;
			return 0;
		}
	} else if (!words_expand(list, text, sizeof(text), error) &&
		   !add_groups(counters, text, error)) {
		return 0;
	}
	*counters = old;
	return -1;
}

void counters_refuse(const struct counter *c, char error[EVENTS_ERROR_MAX])
{
	const uint32_t general = source_general(c->source);

	if (c->shared)
		snprintf(error, EVENTS_ERROR_MAX, "no counter is left for '%s', or %s", c->name,
			 c->shared);
	else if (c->source->taken)
		snprintf(error, EVENTS_ERROR_MAX,
			 "no counter is left for '%s': %u of %u are used by those who count %s",
			 c->name, (unsigned int)__builtin_popcount(c->source->taken),
			 (unsigned int)__builtin_popcount(c->source->there),
			 c->source->system ? "threads" : "CPUs");
	else if ((c->can & general) == general)
		snprintf(error, EVENTS_ERROR_MAX,
			 "no counter is left for '%s': at most %u %s events at a time",
			 c->name, c->source->counters, c->source->name);
	else
		snprintf(error, EVENTS_ERROR_MAX,
			 "no counter is left for '%s', which not every counter can count: see pfmon explain",
			 c->name);
}

const char *counter_remark(const struct counter *c, char text[EVENTS_ERROR_MAX])
{
	const struct pmu *pmu = c->source->pmu;
	const struct event_register *r = pmu && c->extras ? needs_register(pmu, c->code) : NULL;

	if (r && r->remark)
		return r->remark;
	/* The known events, those of CPUID and of fixed counters are the same on both kinds. */
	if (!pmu || !pmu->hybrid || c->event != &other_event || !(c->code & 0xff) ||
	    pmu_is_architectural(c->code))
		return NULL;
	snprintf(text, EVENTS_ERROR_MAX,
		 "this processor has two kinds of cores, which count different events by this code: keep the program on one kind (taskset)%s%s%s%s",
		 *pmu->core ? ", CPUs " : "", pmu->core, *pmu->core ? " or CPUs " : "", pmu->atom);
	return text;
}

const char *events_remark(char text[EVENTS_ERROR_MAX])
{
	const struct pmu *pmu = hardware->pmu;

	if (!pmu || !pmu->hybrid)
		return NULL;
	snprintf(text, EVENTS_ERROR_MAX,
		 "this processor has two kinds of cores%s%s%s%s%s: named events such as cycles are the same on both, and added up; an event by number or by a name of libpfm4's is what each kind counts by its code",
		 *pmu->core ? " (CPUs " : "", pmu->core, *pmu->core ? " and CPUs " : "",
		 pmu->atom, *pmu->core ? ")" : "");
	return text;
}

int counters_find(const struct counters *counters, const char *name)
{
	unsigned int i;

	for (i = 0; i < counters->n; i++)
		if (!strcmp(counters->c[i].name, name))
			return (int)i;
	return -1;
}

const struct event *counters_no_tree(const struct counters *counters)
{
	const struct event *event;
	unsigned int i;

	for (i = 0; i <= counters->n; i++) {
		event = i < counters->n ? counters->c[i].event : counters->trigger.event;
		if (event && event->no_tree)
			return event;
	}
	return NULL;
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

static bool print_event(FILE *out, const struct event *event, const char *glob)
{
	if (glob && fnmatch(glob, event->name, FNM_CASEFOLD))
		return false;
	fprintf(out, "  %-18s %s\n", event->name, event->help);
	return true;
}

static const struct event fixed_event = {
	.name = "fixedN", .help = "what fixed counter N counts",
};

static void print_modifiers(FILE *out, const struct family *family)
{
	static const struct event levels = {
		.name = ":u, :k", .help = "after a name: of programs only, of the kernel only",
	}, others = {
		.name = ":e, :i, :c=N",
		.help = "after a name: edges, inverted, cycles with at least N",
	};

	print_event(out, &levels, NULL);
	if (family->modifiers != MODIFIERS_NONE)
		print_event(out, &others, NULL);
}

/* The events of one PMU, below a title if there are any. */
static unsigned int print_source(FILE *out, const struct event_source *source,
				 const char *glob)
{
	unsigned int n = 0;
	char *text = NULL;
	size_t size, e;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return 0;
	for (e = 0; e < source->events; e++)
		n += print_event(f, &source->event[e], glob);
	if (source->raw)
		n += print_event(f, source->raw, glob);
	if (source->fixed)
		n += print_event(f, &fixed_event, glob);
	if (source->family && !glob)
		print_modifiers(f, source->family);
	fclose(f);
	if (n)
		fprintf(out, "events of the %s PMU, at most %u at a time:\n%s", source->name,
			source->counters, text);
	free(text);
	return n;
}

void events_print(FILE *out)
{
	const char *words;
	size_t s;

	for (s = 0; s < COUNT(sources); s++)
		print_source(out, &sources[s], NULL);
	if (*hardware_model && !hardware->events)
		fprintf(out, "events of the hardware PMU are not known to pfmon yet\n");
	words = hardware->pmu ? names_pmu(hardware->pmu->model) : NULL;
	if (words)
		fprintf(out, "and those that 'pfmon list' prints, by libpfm4 (%s)\n", words);
}

unsigned int events_list(const char *glob, FILE *out)
{
	unsigned int n = 0;
	size_t s;

	for (s = 0; s < COUNT(sources); s++)
		n += print_source(out, &sources[s], glob);
	return n + (hardware->pmu ? names_print(hardware->pmu->model, glob, out) : 0);
}
