// SPDX-License-Identifier: GPL-2.0-only
/* pfmon explain: which registers get what for an event. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <perfmon/libperfmon.h>

#include "require.h"
#include "events.h"
#include "family.h"
#include "hardware.h"
#include "needs.h"
#include "names.h"
#include "pfmon.h"
#include "plain.h"

static const char usage[] =
"usage: pfmon explain EVENT[,EVENT]...\n"
"\n"
"Prints which registers get which values for events that are counted together, which\n"
"counters can count each of them, and why others cannot.\n"
"\n"
"  -h, --help  print this and exit\n";

/* "PMC 0 (PERFEVTSEL0, MSR 0x186)" */
static void print_register(const char *kind, unsigned int num,
			   const struct event_source *source, const struct pmu_register *reg,
			   int (*get_name)(unsigned int, char *, size_t))
{
	char name[PFM_NAME_MAX];

	printf("  %s %u", kind, num);
	if (!get_name(num, name, sizeof(name)))
		printf(" (%s", name);
	else
		printf(" (?");
	if (source->family && source->family->spr)
		printf(", SPR %" PRIu64, reg[num].msr);
	else if (source->pmu && reg[num].msr != PFM_REG_IDX_NONE)
		printf(", MSR %#" PRIx64, reg[num].msr);
	putchar(')');
}

static void print_list(const char *what, const struct counter *c, uint32_t counters,
		       const char *why)
{
	const char *between = " ";
	unsigned int i;

	if (!counters)
		return;
	printf("  %s PMD", what);
	for (i = 0; i < PMU_COUNTERS; i++)
		if (counters >> i & 1) {
			printf("%s%u", between, c->source->pmd0 + i);
			between = ", ";
		}
	puts(why);
}

/* Why a counter cannot: it has one event and no other, or the processor lacks the wires. */
static void print_counters(const struct counter *c)
{
	const uint32_t general = source_general(c->source);
	const uint32_t not = c->source->there & ~c->can;

	print_list("can be counted by", c, c->can, "");
	print_list("not by", c, not & general,
		   ": the processor cannot count this event there");
	print_list("not by", c, not & ~general, ": fixed, to other events");
}

static void print_name(const struct counter *c)
{
	struct named_event named;
	char name[sizeof(c->name)];
	const char *error;

	/* libpfm4 need not know the levels at its end. */
	snprintf(name, sizeof(name), "%s", c->name);
	if (c->levels != LEVEL_BOTH && strlen(name) > 2)
		name[strlen(name) - 2] = '\0';
	if (c->event >= c->source->event && c->event < c->source->event + c->source->events)
		printf("  %s\n", c->event->help);
	if (!c->source->pmu ||
	    names_find(c->source->pmu->model, name, c->levels, &named, &error))
		return;
	printf("  %s\n", named.full);
	names_describe(named.full, stdout);
}

static void print_counter(const struct counter *c)
{
	const struct pmu *pmu = c->source->pmu;
	char text[EVENTS_ERROR_MAX];
	const char *remark;
	unsigned int i;

	printf("%s\n", c->name);
	print_name(c);
	print_register("PMC", c->pmc, c->source, pmu ? pmu->pmc : NULL, pfm_pmc_name);
	printf(" = %#" PRIx64 "\n", c->value);
	for (i = 0; i < c->extras; i++) {
		print_register("PMC", c->extra[i].pmc, c->source, pmu->pmc, pfm_pmc_name);
		printf(" = %#" PRIx64 "\n", c->extra[i].value);
	}
	print_register("PMD", c->pmd, c->source, pmu ? pmu->pmd : NULL, pfm_pmd_name);
	printf(" counts\n");
	print_counters(c);
	remark = counter_remark(c, text);
	if (remark)
		printf("  note: %s\n", remark);
	if (pmu && needs_unknown(pmu))
		printf("  note: pfmon does not know which counters of this processor (family %u, model %u) can count which event\n",
		       pmu->family, pmu->cpu);
}

static int explain(char **list)
{
	static struct counters counters;
	char error[EVENTS_ERROR_MAX];
	unsigned int i;

	hardware_find();
	if (counters_add(&counters, *list, error))
		errx(EXIT_PFMON, "%s", error);
	for (i = 0; i < counters.n; i++)
		print_counter(&counters.c[i]);
	return 0;
}

int cmd_explain(int argc, char **argv)
{
	static const struct plain plain = { usage, 1, 1, explain };

	return plain_main(argc, argv, &plain);
}
