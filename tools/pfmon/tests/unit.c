// SPDX-License-Identifier: GPL-2.0-only
/* The parts of pfmon that need no kernel: numbers, events, lists, printing. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "check.h"
#include "../child.h"
#include "context.h"
#include "events.h"
#include "../numbers.h"
#include "../measure.h"
#include "../counts.h"
#include "../result.h"
#include "../signals.h"

static void test_format(void)
{
	char b[NUMBERS_MAX];

	CHECK_STR(numbers_count(b, 0), "0");
	CHECK_STR(numbers_count(b, 7), "7");
	CHECK_STR(numbers_count(b, 999), "999");
	CHECK_STR(numbers_count(b, 1000), "1,000");
	CHECK_STR(numbers_count(b, 1234567), "1,234,567");
	CHECK_STR(numbers_count(b, UINT64_MAX), "18,446,744,073,709,551,615");

	CHECK_STR(numbers_ms(b, 0), "0.00");
	CHECK_STR(numbers_ms(b, 4999), "0.00");
	CHECK_STR(numbers_ms(b, 5000), "0.01");
	CHECK_STR(numbers_ms(b, 1994999), "1.99");
	CHECK_STR(numbers_ms(b, 1995000), "2.00");
	CHECK_STR(numbers_ms(b, 1234567890000), "1,234,567.89");
	CHECK_STR(numbers_ms(b, UINT64_MAX), "18,446,744,073,709.55");

	CHECK_STR(numbers_s(b, 0), "0.0000");
	CHECK_STR(numbers_s(b, 1500000000), "1.5000");
	CHECK_STR(numbers_s(b, 999999999), "1.0000");
	CHECK_STR(numbers_s(b, 49999), "0.0000");
	CHECK_STR(numbers_s(b, 3600000000000), "3,600.0000");

	CHECK_STR(numbers_rate(b, 5, 1000000000), "5.00 /s");
	CHECK_STR(numbers_rate(b, 1, 2000000000), "0.50 /s");
	CHECK_STR(numbers_rate(b, 99, 1000000000), "99.0 /s");
	CHECK_STR(numbers_rate(b, 999, 1000000000), "999 /s");
	CHECK_STR(numbers_rate(b, 1000, 1000000000), "1.00 K/s");
	CHECK_STR(numbers_rate(b, 9996, 10000000000), "1.00 K/s");
	CHECK_STR(numbers_rate(b, 24512, 1000000000), "24.5 K/s");
	CHECK_STR(numbers_rate(b, 1000, 1000000), "1.00 M/s");
	CHECK_STR(numbers_rate(b, 5, 0), "0.00 /s");
	CHECK_STR(numbers_hertz(b, 3192000000, 1000000000), "3.19 GHz");
	CHECK(numbers_rate(b, UINT64_MAX, 1) && strlen(b) < 20);
}

static void test_numbers_read(void)
{
	static const struct numbers_unit any[] = { NUMBERS_KMG, { '\0', 1 } };
	static const struct numbers_unit must[] = { { 'B', 1 }, NUMBERS_KMG, { '\0', 0 } };
	static const char *const wrong[] = {
		"", "K", "-1", " 1", "+1", "1k", "1KB", "1K ", "1 K", "x", "0x", "1.5M",
		"18446744073709551616", "17179869184G",
	};
	uint64_t n = 1;
	size_t i;

	CHECK(numbers_read("0", any, &n) && n == 0);
	CHECK(numbers_read("4096", any, &n) && n == 4096);
	CHECK(numbers_read("0x10K", any, &n) && n == 16 << 10);
	CHECK(numbers_read("3M", any, &n) && n == 3 << 20);
	CHECK(numbers_read("17179869183G", any, &n) && n == 17179869183ULL << 30);
	CHECK(numbers_read("18446744073709551615", any, &n) && n == UINT64_MAX);
	CHECK(numbers_read("7B", must, &n) && n == 7);
	CHECK(numbers_read("2G", must, &n) && n == 2ULL << 30);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!numbers_read(wrong[i], any, &n) && !numbers_read(wrong[i], must, &n));
	CHECK(!numbers_read("7", must, &n) && !numbers_read("7B", any, &n));
	CHECK(n == 2ULL << 30);
}

/* What is counted by default can be counted of a tree; what cannot be is found. */
static void test_no_tree(void)
{
	static struct counters tree, turns;
	char error[EVENTS_ERROR_MAX];

	CHECK(counters_add(&tree, DEFAULT_TREE_EVENTS, error) == 0 && tree.n == 4);
	CHECK(!counters_no_tree(&tree));
	CHECK(counters_add(&turns, "migrations", error) == 0);
	tree.trigger = turns.c[0];
	CHECK_STR(counters_no_tree(&tree)->name, "migrations");
}

static void test_counters(void)
{
	static struct counters c;
	char error[EVENTS_ERROR_MAX];
	unsigned int i;

	CHECK(counters_add(&c, DEFAULT_EVENTS, error) == 0);
	CHECK(c.n == 5);
	for (i = 0; i < c.n; i++) {
		/* The library and the kernel's header call it the same. */
		CHECK(pfm_sw_event_number(c.c[i].event->name) ==
		      (int)c.c[i].event->value);
		CHECK(c.c[i].pmc == PFM_SW_PMC0 + i);
		CHECK(c.c[i].pmd == PFM_SW_PMD0 + i);
	}
	CHECK(counters_find(&c, "minor-faults") == 3);
	CHECK(counters_find(&c, "page-faults") == -1);
	CHECK(counters_add(&c, "cs,task-clock", error) == 0);
	CHECK(c.n == 7);
	CHECK_STR(c.c[5].event->name, "context-switches");
	CHECK(counters_no_tree(&c) == c.c[2].event);

	/* Two events and room for one: nothing is added. */
	CHECK(counters_add(&c, "faults", error) == -1);
	CHECK(c.n == 7);
	CHECK_STR(error, "no counter is left for 'major-faults': at most 8 software events at a time");
	CHECK(counters_add(&c, "migrations", error) == 0);
	CHECK(c.n == 8);
	CHECK(counters_add(&c, "migrations", error) == -1);
}

static void test_bad_events(void)
{
	static const char *const bad[] = { "", ",", "task-clock,", ",task-clock",
		"task-cloc", "task-clockk", "Task-Clock", "task-clock,,cs", " cs" };
	static struct counters c;
	char error[EVENTS_ERROR_MAX], longest[1000];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK(counters_add(&c, bad[i], error) == -1);
		CHECK(strstr(error, "task-clock, context-switches"));
		CHECK(c.n == 0);
	}
	CHECK(counters_add(&c, "bogus", error) == -1);
	CHECK_STR(error, "no event 'bogus'; there are task-clock, context-switches, migrations, minor-faults, major-faults");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	CHECK(counters_add(&c, longest, error) == -1);
	CHECK(strlen(error) < EVENTS_ERROR_MAX && strstr(error, "major-faults"));
}

/* @bad is not an event, for a reason that begins so. */
static void check_bad(const char *bad, const char *reason)
{
	static struct counters c;
	char error[EVENTS_ERROR_MAX];

	CHECK(counters_add(&c, bad, error) == -1 && c.n == 0);
	CHECK_STR(error, reason);
}

/* A PMU with so many counters, each for any event. */
static bool events_hardware(const char *model, unsigned int counters)
{
	static struct pmu pmu;
	unsigned int i;

	memset(&pmu, 0, sizeof(pmu));
	snprintf(pmu.model, sizeof(pmu.model), "%s", strcmp(model, "none") ? model : "");
	for (i = 0; i < counters && i < PMU_FIXED; i++)
		pmu.pmc[i].there = pmu.pmd[i].there = true;
	return events_pmu(&pmu);
}

static void test_no_hardware(void)
{
	CHECK(!events_hardware("none", 0));
	check_bad("cycles", "no event 'cycles': this machine has no PMU that perfmon knows");
	check_bad("branches:u", "no event 'branches:u': this machine has no PMU that perfmon knows");
	check_bad("r00c0", "no event 'r00c0': this machine has no PMU that perfmon knows");
	check_bad("cs:u", "'context-switches:u': events of the software have no modifiers");
	check_bad("task-clock:u", "'task-clock:u': events of the software have no modifiers");
	CHECK(!events_hardware("Intel P5 MMX", 2));
	check_bad("cycles", "no event 'cycles': the events of this machine's PMU (Intel P5 MMX) are not known to pfmon yet");
	CHECK(!events_hardware("Intel architectural 4", 0));
	CHECK(!events_hardware("", 0));
}

static void test_models(void)
{
	static const struct {
		const char *model;
		unsigned int counters, max;
		uint64_t code[3];
	} models[] = {
		{ "Intel architectural 1", 2, 2, { 0x3c, 0xc0, 0xc4 } },
		{ "Intel architectural 5", 20, 16, { 0x3c, 0xc0, 0xc4 } },
		{ "AMD K8", 4, 4, { 0x76, 0xc0, 0xc2 } },
		{ "AMD PerfMonV2", 6, 6, { 0x76, 0xc0, 0xc2 } },
		{ "Intel P6", 2, 2, { 0x79, 0xc0, 0xc4 } },
	};
	char error[EVENTS_ERROR_MAX];
	unsigned int i, k;

	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct counters c = { 0 };

		CHECK(events_hardware(models[i].model, models[i].counters));
		for (k = 0; k < models[i].max; k++)
			CHECK(counters_add(&c, "branches", error) == 0);
		CHECK(counters_add(&c, "cycles", error) == -1);
		CHECK(strstr(error, "no counter is left for 'cycles': at most"));
		CHECK(c.c[0].code == models[i].code[2]);
		c.n = 0;
		CHECK(counters_add(&c, "cycles,cs,instructions", error) == 0);
		CHECK(c.c[0].code == models[i].code[0]);
		CHECK(c.c[0].value == (models[i].code[0] | 0x430000));
		CHECK(c.c[0].pmc == 0 && c.c[0].pmd == 0);
		CHECK(c.c[1].pmc == PFM_SW_PMC0 && c.c[1].value == PFM_SW_CSWITCHES);
		CHECK(c.c[2].code == models[i].code[1]);
		CHECK(c.c[2].pmc == 1 && c.c[2].pmd == 1);
	}
	check_bad("bogus", "no event 'bogus'; there are task-clock, context-switches, migrations, minor-faults, major-faults, cycles, instructions, branches, branch-misses, cache-references, cache-misses, l1-misses, l1-accesses, rNNNN");
	events_hardware("", 0);
}

static void test_modifiers(void)
{
	static struct counters c, other;
	char error[EVENTS_ERROR_MAX];

	CHECK(events_hardware("Intel architectural 4", 8));
	CHECK(counters_add(&c, "task-clock,cycles:u,instructions:k", error) == 0);
	CHECK_STR(c.c[1].name, "cycles:u");
	CHECK(c.c[1].value == 0x41003c && c.c[2].value == 0x4200c0);
	CHECK(counters_kernel(&c) == &c.c[2]);
	CHECK(counters_add(&c, "cycles:uk,instructions,r1aC4:u", error) == 0);
	CHECK_STR(c.c[3].name, "cycles");
	CHECK_STR(c.c[5].name, "r1aC4:u");
	CHECK(c.c[5].value == 0x411ac4);
	CHECK(counters_find(&c, "cycles:u") == 1 && counters_find(&c, "cycles") == 3);

	/* What was not asked for can be left out. */
	CHECK(counters_add(&other, "cs,cycles,instructions,rc0", error) == 0);
	CHECK(counters_kernel(&other) == &other.c[1]);
	counters_restrict(&other);
	CHECK(!counters_kernel(&other));
	CHECK_STR(other.c[0].name, "context-switches");
	CHECK_STR(other.c[1].name, "cycles:u");
	CHECK_STR(other.c[3].name, "rc0:u");
	CHECK(other.c[1].value == 0x41003c);
	counters_restrict(&c);
	CHECK(counters_kernel(&c) == &c.c[2]);
	CHECK_STR(c.c[3].name, "cycles");

	check_bad("cycles:", "'cycles:': an event can have the modifiers :u, programs, :k, the kernel, :e, :i and :c=N");
	check_bad("cycles:x", "'cycles:x': an event can have the modifiers :u, programs, :k, the kernel, :e, :i and :c=N");
	check_bad("task-clock:u", "'task-clock:u': events of the software have no modifiers");
	CHECK(counters_add(&c, "r", error) == -1);
	/* All bits that choose an event; those that say who is counted are not. */
	c.n = 0;
	check_bad("r12345", "'r12345': an event of this PMU can have the bits 0xffa4ffff; who is counted :u and :k say");
	check_bad("r400000", "'r400000': an event of this PMU can have the bits 0xffa4ffff; who is counted :u and :k say");
	check_bad("r10000018e", "'r10000018e': an event of this PMU can have the bits 0xffa4ffff; who is counted :u and :k say");
	CHECK(counters_add(&c, "r1840148:u,rffa4ffff", error) == 0);
	CHECK(c.c[0].value == 0x1c50148 && c.c[1].value == 0xffe7ffff);
	CHECK_STR(c.c[0].name, "r1840148:u");
	CHECK(counters_add(&c, "r1234567890", error) == -1);
	CHECK(events_hardware("AMD Zen", 6));
	c.n = 0;
	CHECK(counters_add(&c, "r10000018e", error) == 0);
	CHECK(c.c[0].value == 0x10043018e);
	CHECK(counters_add(&c, "r200000", error) == -1);
	CHECK(events_hardware("Intel architectural 4", 8));
	c.n = 0;
	CHECK(counters_add(&c, "rxyz", error) == -1);
	events_hardware("", 0);
}

static void test_cpu_list(void)
{
	static const char *const bad[] = { "", ",", "1,", ",1", "-1", "1-", "3-1",
		"1--2", "a", "1a", "0x1", " 1", "1 ", "+1", "8192", "0-8192",
		"99999999999999999999", "ALL" };
	static struct cpu_list l;
	size_t i;

	CHECK(cpu_list_parse(&l, "0") == 0 && l.n == 1 && l.cpu[0] == 0);
	CHECK(cpu_list_parse(&l, "0-1,3") == 0 && l.n == 3 && l.cpu[2] == 3);
	CHECK(cpu_list_parse(&l, "3,0-1,1,3") == 0 && l.n == 3 &&
	      l.cpu[0] == 0 && l.cpu[1] == 1 && l.cpu[2] == 3);
	CHECK(cpu_list_parse(&l, "5-5") == 0 && l.n == 1 && l.cpu[0] == 5);
	CHECK(cpu_list_parse(&l, "0-8191") == 0 && l.n == CPUS_MAX);
	CHECK(cpu_list_parse(&l, "all") == 0 && l.n >= 1);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(cpu_list_parse(&l, bad[i]) == -1);
}

static void test_exit_status(void)
{
	CHECK(exit_status(0) == 0);
	CHECK(exit_status(W_EXITCODE(42, 0)) == 42);
	CHECK(exit_status(W_EXITCODE(255, 0)) == 255);
	CHECK(exit_status(W_EXITCODE(0, 9)) == 137);
	CHECK(exit_status(W_EXITCODE(0, 11) | WCOREFLAG) == 139);
}

static char *print(const struct result *r,
		   void (*how)(FILE *, const struct result *))
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	how(f, r);
	fclose(f);
	return text;
}

static void test_print(void)
{
	static struct counters c;
	static struct result r;
	char error[EVENTS_ERROR_MAX], *text;
	static const struct counts counts = {
		.value = { 1500000000, 70, 1, 12345, 0 } };

	CHECK(counters_add(&c, DEFAULT_EVENTS, error) == 0);
	r.counters = &c;
	r.threads = true;
	r.elapsed_ns = 2000000000;
	r.has_usage = true;
	r.user_ns = 1250000000;
	r.system_ns = 250000000;
	strcpy(r.title, "'prog -x'");
	result_add(&r, 0, &counts, 20);	/* 20 of the switches are ours */
	text = print(&r, counts_text.print);
	CHECK_STR(text, "\n"
" 'prog -x' (1 thread):\n"
"\n"
"          1,500.00 ms task-clock        # 0.75 CPUs used\n"
"                50    context-switches  # 33.3 /s\n"
"                 1    migrations        # 0.67 /s\n"
"            12,345    minor-faults      # 8.23 K/s\n"
"                 0    major-faults\n"
"\n"
"            2.0000 s  elapsed\n"
"            1.2500 s  user\n"
"            0.2500 s  system\n"
"\n");
	free(text);
	text = print(&r, counts_json.print);
	CHECK_STR(text, "{\"title\": \"'prog -x'\", \"events\": ["
		"{\"name\": \"task-clock\", \"value\": 1500000000, \"unit\": \"ns\", \"cpus_used\": 0.750000}, "
		"{\"name\": \"context-switches\", \"value\": 50, \"unit\": \"count\", \"rate\": 33.333333}, "
		"{\"name\": \"migrations\", \"value\": 1, \"unit\": \"count\", \"rate\": 0.666667}, "
		"{\"name\": \"minor-faults\", \"value\": 12345, \"unit\": \"count\", \"rate\": 8230.000000}, "
		"{\"name\": \"major-faults\", \"value\": 0, \"unit\": \"count\", \"rate\": 0.000000}], "
		"\"sets\": 1, \"threads\": 1, \"missed\": 0, \"elapsed_ns\": 2000000000, "
		"\"user_ns\": 1250000000, \"system_ns\": 250000000, "
		"\"notes\": []}\n");
	free(text);

	/* A second thread adds up; stops never make a count wrap. */
	result_add(&r, 0, &counts, 100);
	CHECK(r.measured == 2 && r.sum.value[0] == 3000000000 && r.sum.value[1] == 50);
}

static void test_print_cpus(void)
{
	static struct counters c;
	static struct result r;
	char error[EVENTS_ERROR_MAX], *text;
	static const struct counts counts = { .value = { 3 } };
	int i;

	CHECK(counters_add(&c, "cs", error) == 0);
	r.counters = &c;
	strcpy(r.title, "CPUs 0-1");
	result_add(&r, 0, &counts, 0);
	result_note(&r, "CPU %d is odd", 1);
	text = print(&r, counts_text.print);
	/* Without a task clock there is no rate. */
	CHECK_STR(text, "\n"
" CPUs 0-1:\n"
"\n"
"                 3    context-switches\n"
"\n"
"            0.0000 s  elapsed\n"
"\n"
" note: CPU 1 is odd\n");
	free(text);
	text = print(&r, counts_json.print);
	CHECK(text && strstr(text, "\"cpus\": 1, ") && !strstr(text, "user_ns"));
	CHECK(text && strstr(text, ", \"notes\": [\"CPU 1 is odd\"]}\n"));
	free(text);
	/* All that people are told, whatever is in it. */
	strcpy(r.title, "'a \"b\\\033'");
	r.missed = 4;
	result_note(&r, "a \"note\"");
	text = print(&r, counts_json.print);
	CHECK(text && strstr(text, "{\"title\": \"'a \\\"b\\\\?'\", "));
	CHECK(text && strstr(text, "\"missed\": 4, "));
	CHECK(text && strstr(text, "[\"CPU 1 is odd\", \"a \\\"note\\\"\"]"));
	free(text);
	for (i = 0; i < 10; i++)
		result_note(&r, "%d%1000d", i, i);
	CHECK(r.notes == NOTES_MAX && strlen(r.note[NOTES_MAX - 1]) < NOTE_MAX);
}

static void test_print_hardware(void)
{
	static struct counters c;
	static struct result r;
	char error[EVENTS_ERROR_MAX], *text;
	static const struct counts counts = {
		.value = { 1000000000, 3192000000, 3255840000, 2000000, 4 } };

	CHECK(events_hardware("AMD K8", 4));
	CHECK(counters_add(&c, "task-clock,cycles,instructions,branches,"
			   "instructions:k", error) == 0);
	r.counters = &c;
	strcpy(r.title, "CPU 0");
	result_add(&r, 0, &counts, 0);
	text = print(&r, counts_text.print);
	CHECK_STR(text, "\n"
" CPU 0:\n"
"\n"
"          1,000.00 ms task-clock\n"
"     3,192,000,000    cycles          # 3.19 GHz\n"
"     3,255,840,000    instructions    # 1.02 IPC\n"
"         2,000,000    branches        # 2.00 M/s\n"
"                 4    instructions:k  # 4.00 /s\n"
"\n"
"            0.0000 s  elapsed\n"
"\n");
	free(text);
	text = print(&r, counts_json.print);
	CHECK(text && strstr(text, "{\"name\": \"instructions:k\", \"value\": 4, \"unit\": \"count\", \"levels\": \"kernel\", \"rate\": 4.000000}"));
	free(text);
	events_hardware("", 0);
}

/* Sets of all events, as "FIRST:SETS:COUNTER" each. */
static char *places(const struct counters *c)
{
	static char text[MAX_EVENTS * 16];
	size_t at = 0;
	unsigned int i;

	for (i = 0; i < c->n; i++)
		at += (size_t)sprintf(text + at, "%s%u:%u:%u", i ? " " : "", c->c[i].set,
				      c->c[i].sets, c->c[i].pmc - c->c[i].source->pmc0);
	return text;
}

/* @lists: one -e a line. */
static void check_sets(const char *lists, bool each, const char *trigger,
		       unsigned int sets, const char *where)
{
	struct counters c = { .many = true };
	char error[EVENTS_ERROR_MAX], list[256];
	size_t len;

	for (; *lists; lists += len + (lists[len] == '\n')) {
		len = strcspn(lists, "\n");
		snprintf(list, sizeof(list), "%.*s", (int)len, lists);
		CHECK(counters_add(&c, list, error) == 0);
	}
	if (trigger)
		CHECK(counters_trigger(&c, trigger, 100, error) == 0);
	CHECK(counters_take_turns(&c, each, error) == 0);
	CHECK(c.sets == sets);
	CHECK_STR(places(&c), where);
}

static void test_sets(void)
{
	struct counters c = { .many = true };
	char error[EVENTS_ERROR_MAX];
	unsigned int i;

	CHECK(events_hardware("AMD K8", 4));
	check_sets("cs\ncycles,branches\nrc1", false, NULL, 1, "0:1:0 0:1:0 0:1:1 0:1:2");
	/* One too many: the software's are counted in both sets. */
	check_sets("cs,cycles,rc1,rc2,task-clock,rc3,rc4", false, NULL, 2,
		   "0:2:0 0:1:0 0:1:1 0:1:2 0:2:1 0:1:3 1:1:0");
	/* A list that fits into a set is not torn apart. */
	check_sets("rc1,rc2,rc3\nrc4,rc5\nrc6\ncs\nrc7", false, NULL, 2,
		   "0:1:0 0:1:1 0:1:2 1:1:0 1:1:1 1:1:2 0:2:0 1:1:3");
	check_sets("rc1\nrc1,rc2,rc3,rc4,rc5", false, NULL, 3,
		   "0:1:0 1:1:0 1:1:1 1:1:2 1:1:3 2:1:0");
	check_sets("cs,cs,cs,cs,cs\ncs,cs,cs,cs,cycles", false, NULL, 2,
		   "0:1:0 0:1:1 0:1:2 0:1:3 0:1:4 1:1:0 1:1:1 1:1:2 1:1:3 0:2:0");
	/* Each list is a set, or more than one. */
	check_sets("cs,cycles\ncs\nrc1,rc2,rc3,rc4,rc5,cs", true, NULL, 4,
		   "0:1:0 0:1:0 1:1:0 2:1:0 2:1:1 2:1:2 2:1:3 3:1:0 3:1:0");
	/* What says when to switch has the last counter of each set. */
	check_sets("rc1,rc2,rc3,rc4\ncs", true, "rc9", 3, "0:1:0 0:1:1 0:1:2 1:1:0 2:1:0");
	check_sets("rc1,rc2,rc3,rc4\ncs", true, "cs", 2, "0:1:0 0:1:1 0:1:2 0:1:3 1:1:0");
	CHECK(counters_trigger(&c, "cycles:u", 100, error) == 0);
	CHECK(c.trigger.pmc == 3 && c.trigger.value == 0x410076 && c.every == 100);
	CHECK(counters_trigger(&c, "faults", 100, error) == -1);
	CHECK_STR(error, "'faults' is more than one event");
	CHECK(counters_trigger(&c, "bogus", 100, error) == -1);
	CHECK(events_hardware("AMD K8", 1));
	CHECK(counters_add(&c, "rc1", error) == 0);
	CHECK(counters_trigger(&c, "cycles", 100, error) == 0);
	CHECK(counters_take_turns(&c, true, error) == -1);
	CHECK_STR(error, "no counter is left for 'rc1': at most 1 hardware events at a time");
	events_hardware("", 0);
	/* What is to be read everywhere has the last counters, if not all fit. */
	CHECK(events_hardware("AMD K8", 4));
	memset(&c, 0, sizeof(c));
	c.many = true;
	CHECK(counters_add(&c, "rc1,rc2,rc3", error) == 0);
	CHECK(counters_add(&c, "rc4,cs,rc5", error) == 0);
	for (i = 3; i < 6; i++)
		c.c[i].everywhere = true;
	CHECK(counters_take_turns(&c, false, error) == 0 && c.sets == 2);
	CHECK_STR(places(&c), "0:1:0 0:1:1 1:1:0 0:2:2 0:2:0 0:2:3");
	c.n = 2;
	CHECK(counters_add(&c, "rc4,cs", error) == 0);
	c.c[2].everywhere = c.c[3].everywhere = true;
	CHECK(counters_take_turns(&c, false, error) == 0 && c.sets == 1);
	CHECK_STR(places(&c), "0:1:0 0:1:1 0:1:2 0:1:0");
	events_hardware("", 0);
	memset(&c, 0, sizeof(c));
	c.many = true;
	for (i = 0; i < MAX_EVENTS; i++)
		CHECK(counters_add(&c, "cs", error) == 0);
	CHECK(counters_add(&c, "cs", error) == -1);
	CHECK_STR(error, "more than 128 events");
	CHECK(counters_take_turns(&c, true, error) == 0 && c.sets == MAX_EVENTS);
	CHECK(counters_take_turns(&c, false, error) == 0 && c.sets == MAX_EVENTS / 8);
}

/* A quarter of the time in 25 turns: 4 times as many, sqrt(3/4 * 1/25) off. */
static void test_print_sets(void)
{
	static const struct counts counts = {
		.value = { 70, 1000000, 0, 2000000000, 9 },
		.turns = { { 1000000, 25 }, { 3000000, 75 }, { 0, 0 } },
	};
	static struct counters c = { .many = true };
	static struct result r;
	char error[EVENTS_ERROR_MAX], *text;

	CHECK(events_hardware("AMD K8", 1));
	CHECK(counters_add(&c, "cs,cycles", error) == 0);
	CHECK(counters_add(&c, "branches", error) == 0);
	CHECK(counters_add(&c, "task-clock,rc0", error) == 0);
	CHECK(counters_take_turns(&c, false, error) == 0 && c.sets == 3);
	r.counters = &c;
	strcpy(r.title, "CPU 0");
	result_add(&r, 0, &counts, 20);
	text = print(&r, counts_text.print);
	CHECK_STR(text, "\n"
" CPU 0:\n"
"\n"
"                50    context-switches  # 25.0 /s\n"
"        ~4,000,000    cycles            # 2.00 MHz; 25.0% of the time, +- 17.3%\n"
"                ~0    branches          # 75.0% of the time\n"
"          2,000.00 ms task-clock\n"
"       not counted    rc0\n"
"\n"
"            0.0000 s  elapsed\n"
"\n");
	free(text);
	text = print(&r, counts_json.print);
	CHECK(text && strstr(text, "{\"name\": \"context-switches\", \"value\": 50, \"unit\": \"count\", \"rate\": 25.000000}"));
	CHECK(text && strstr(text, "{\"name\": \"cycles\", \"value\": 4000000, \"unit\": \"count\", \"levels\": \"all\", \"counted\": 1000000, \"share\": 0.250000, \"error\": 0.173207, \"rate\": 2000000.000000}"));
	CHECK(text && strstr(text, "\"branches\", \"value\": 0, \"unit\": \"count\", \"levels\": \"all\", \"counted\": 0, \"share\": 0.750000, \"error\": null, \"rate\": 0.000000}"));
	CHECK(text && strstr(text, "\"rc0\", \"value\": null, \"unit\": \"count\", \"levels\": \"all\", \"counted\": 9, \"share\": 0.000000, \"error\": null}"));
	CHECK(text && strstr(text, "\"sets\": 3, \"cpus\": 1"));
	free(text);

	/* Of pfmon's own switches as many as fell into an event's time. */
	memset(&c, 0, sizeof(c));
	memset(&r, 0, sizeof(r));
	CHECK(counters_add(&c, "cs,cs", error) == 0);
	c.sets = 2;
	c.c[1].set = 1;
	r.counters = &c;
	result_add(&r, 0, &(struct counts){ .value = { 30, 30 },
		   .turns = { { 1000, 1 }, { 3000, 1 } } }, 20);
	CHECK(r.sum.value[0] == 25 && r.sum.value[1] == 15);
	CHECK(result_estimate(&r, &r.sum, 0).value == 100 && result_estimate(&r, &r.sum, 1).value == 20);
	/* A thread whose second set had no turn adds its time to the first one's. */
	result_add(&r, 0, &(struct counts){ .value = { 5, 0 }, .turns = { { 4000, 1 } } }, 0);
	CHECK(result_estimate(&r, &r.sum, 0).value == 48 && result_estimate(&r, &r.sum, 0).share == 0.625);
	CHECK(result_estimate(&r, &r.sum, 1).value == 40);
	events_hardware("", 0);
}

/* Another child of the same number, which ends with 1 if it got SIGTERM; or -1. */
static pid_t fork_again(pid_t wanted, int end[2])
{
	int fd, tries, status;
	char text[16], byte;
	sigset_t pending;
	pid_t pid;

	for (tries = 0; tries < 20; tries++) {
		fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);
		snprintf(text, sizeof(text), "%d", (int)wanted - 1);
		if (fd < 0 || write(fd, text, strlen(text)) < 0)
			tries = 20;
		close(fd);
		pid = fork();
		if (!pid) {
			close(end[1]);
			while (read(end[0], &byte, 1) == 1)
				;
			sigpending(&pending);
			_exit(sigismember(&pending, SIGTERM));
		}
		if (pid == wanted)
			return pid;
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	return -1;
}

/* A child that was waited for gets nothing, and neither does who has its number. */
static void test_signals(void)
{
	sigset_t term, old;
	int end[2], status;
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	CHECK(pipe(end) == 0);
	signals_catch(pid);
	raise(SIGTERM);
	CHECK(signals_last() == SIGTERM);
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	CHECK(WTERMSIG(status) == SIGTERM);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &old);
	pid = fork_again(pid, end);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (pid < 0) {
		SKIP("no second process can be given the number of the first");
		return;
	}
	raise(SIGTERM);
	close(end[0]);
	close(end[1]);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	CHECK(WEXITSTATUS(status) == 0);
	signals_child_gone();
	raise(SIGTERM);
}

/* Why there is no context: only what is known is said. */
static void test_busy(void)
{
	struct failure f = { 0 };

	errno = EBUSY;
	CHECK(failure_set(&f, PFM_LOAD_CONTEXT, 0) == -1 && f.target == TARGET_UNKNOWN);
	/* Of a context that could not be made to try it: any of the reasons. */
	CHECK(strstr(failure_text(&f), "has one already, or the PMU is in use"));
	for (f.system = false;; f.system = true) {
		f.target = TARGET_TAKEN;
		CHECK_STR(failure_text(&f), f.system ?
			  "the CPU is being monitored: a CPU can be counted only once at a time" :
			  "the thread is being monitored: a thread can be counted only once at a time");
		f.target = TARGET_FREE;
		CHECK_STR(failure_text(&f), "the PMU is in use");
		if (f.system)
			break;
	}
}

int main(void)
{
	/* Numbers must not follow it. */
	setlocale(LC_ALL, "");
	test_format();
	test_numbers_read();
	test_counters();
	test_no_tree();
	test_bad_events();
	test_no_hardware();
	test_models();
	test_modifiers();
	test_cpu_list();
	test_exit_status();
	test_print();
	test_print_cpus();
	test_print_hardware();
	test_sets();
	test_print_sets();
	test_signals();
	test_busy();
	return check_done();
}
