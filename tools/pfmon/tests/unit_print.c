// SPDX-License-Identifier: GPL-2.0-only
/* Unit tests of pfmon stat: what counts say together, of groups, intervals and runs. */
#define _GNU_SOURCE
#include <ftw.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "events.h"
#include "../counts.h"
#include "../places.h"
#include "../ratios.h"
#include "../schedule.h"
#include "../series.h"

static char *print(const struct result *r, const struct counts_format *format)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (format->heading)
		format->heading(f);
	format->print(f, r);
	fclose(f);
	return text;
}

#define CHECK_PRINT(r, format, want) do {				\
	char *text_ = print(r, &(format));				\
	CHECK_STR(text_, want);						\
	free(text_);							\
} while (0)

/* It is a part of what is printed. */
#define CHECK_PART(r, format, part) do {				\
	char *text_ = print(r, &(format));				\
	CHECK(strstr(text_, part));					\
	free(text_);							\
} while (0)

static const struct event event = { .name = "raw" };

/* An event in list @list, in @sets sets from @set on. */
static void add(struct counters *c, const char *name, unsigned int levels,
		unsigned int list, unsigned int set, unsigned int sets)
{
	struct counter *counter = &c->c[c->n++];

	counter->event = &event;
	counter->levels = levels;
	counter->list = list;
	counter->set = (uint16_t)set;
	counter->sets = (uint16_t)sets;
	snprintf(counter->name, sizeof(counter->name), "%s%s", name,
		 levels == LEVEL_USER ? ":u" : levels == LEVEL_KERNEL ? ":k" : "");
}

static unsigned int of(const struct result *r, unsigned int i)
{
	struct ratio ratio;

	return ratios_find(r, &r->sum, i, &ratio) ? ratio.of : MAX_EVENTS;
}

static void test_ratios(void)
{
	static struct counters c = { .sets = 1 };
	static struct result r = { .counters = &c };
	struct ratio ratio;
	unsigned int i;
	char *text;

	add(&c, "instructions", LEVEL_BOTH, 0, 0, 1);
	add(&c, "cycles", LEVEL_USER, 0, 0, 1);
	add(&c, "LLC_MISSES", LEVEL_USER, 0, 0, 1);
	add(&c, "llc_references", LEVEL_USER, 1, 0, 1);
	add(&c, "instructions", LEVEL_USER, 1, 0, 1);
	for (i = 0; i < c.n; i++)
		r.sum.value[i] = 100 * (i + 1);
	CHECK(of(&r, 0) == MAX_EVENTS);	/* cycles of other levels */
	CHECK(of(&r, 1) == MAX_EVENTS);
	CHECK(ratios_find(&r, &r.sum, 2, &ratio) && ratio.percent && ratio.of == 3);
	CHECK(ratio.value == 0.75 && !strcmp(ratio.name, "of references"));
	CHECK(ratios_find(&r, &r.sum, 4, &ratio) && !ratio.percent && ratio.value == 2.5);
	text = print(&r, &counts_json);
	CHECK(strstr(text, "\"ratio\": 0.750000, \"ratio_name\": \"of references\", \"ratio_to\": \"llc_references:u\""));
	free(text);
	r.sum.value[1] = 0;
	CHECK(of(&r, 4) == MAX_EVENTS);	/* nothing to divide by */
	/* The best thing to compare with is the first in the table that is counted. */
	add(&c, "l1-misses", LEVEL_USER, 1, 0, 1);
	add(&c, "cache-misses", LEVEL_USER, 1, 0, 1);
	r.sum.value[5] = 50;
	CHECK(ratios_find(&r, &r.sum, 5, &ratio) && ratio.of == 4 && ratio.percent);
	CHECK(ratio.value == 0.1 && !strcmp(ratio.name, "of instructions"));
	CHECK(of(&r, 6) == 4);
	add(&c, "cache-references", LEVEL_USER, 1, 0, 1);
	r.sum.value[7] = 1;
	CHECK(of(&r, 6) == 7);
	add(&c, "l1-accesses", LEVEL_USER, 1, 0, 1);
	r.sum.value[8] = 1000;
	CHECK(ratios_find(&r, &r.sum, 5, &ratio) && ratio.of == 8 && ratio.percent);
	CHECK(ratio.value == 0.05 && !strcmp(ratio.name, "of accesses"));
	CHECK(of(&r, 8) == MAX_EVENTS);

	/* Sets: its own list's cycles, else its set's, else those of all sets. */
	memset(&c, 0, sizeof(c));
	c.sets = 3;
	add(&c, "cycles", LEVEL_BOTH, 0, 0, 1);
	add(&c, "instructions", LEVEL_BOTH, 1, 1, 1);
	add(&c, "cycles", LEVEL_BOTH, 2, 1, 1);
	add(&c, "instructions", LEVEL_BOTH, 3, 2, 1);
	for (i = 0; i < MAX_EVENTS; i++) {
		r.sum.value[i] = 100;
		r.sum.turns[i] = (struct turns){ .ns = 1000, .n = 1 };
	}
	CHECK(of(&r, 1) == 2 && of(&r, 3) == MAX_EVENTS);
	add(&c, "cycles", LEVEL_BOTH, 1, 1, 1);
	CHECK(of(&r, 1) == 4 && of(&r, 3) == MAX_EVENTS);
	add(&c, "cycles", LEVEL_BOTH, 4, 0, 3);
	CHECK(of(&r, 1) == 4 && of(&r, 3) == 5);
}

/* Two CPUs, of which the second has a set that had no turn. */
static void make_cpus(struct result *r, struct counters *c)
{
	char error[EVENTS_ERROR_MAX];
	unsigned int i;

	memset(c, 0, sizeof(*c));
	*r = (struct result){ .counters = c, .grouped = true, .elapsed_ns = 1000000000 };
	c->many = true;
	CHECK(counters_add(c, "task-clock,cs", error) == 0);
	c->sets = 2;
	c->c[0].sets = 2;
	strcpy(r->title, "CPUs 0,3");
	for (i = 0; i < 2; i++) {
		struct counts counts = {
			.value = { 500000000 * (i + 1ULL), 10 * (1 - i) },
			.turns = { { 1000000 * (1 - i), 4 * (1 - i) }, { 1000000, 4 } },
		};
		unsigned int group = result_add_group(r, i ? 3 : 0);

		CHECK(group == i);
		result_add(r, group, &counts, 0);
	}
	CHECK(r->groups == 2 && r->sum.value[0] == 1500000000 && r->measured == 2);
}

static void test_groups(void)
{
	static struct counters c;
	static struct result r;

	make_cpus(&r, &c);
	CHECK_PRINT(&r, counts_text, "\n"
" CPUs 0,3:\n"
"\n"
" CPU 0            500.00 ms task-clock        # 0.50 CPUs used\n"
" CPU 0               ~20    context-switches  # 40.0 /s; 50.0% of the time, +- 41.8%\n"
" CPU 3          1,000.00 ms task-clock        # 1.00 CPUs used\n"
" CPU 3       not counted    context-switches\n"
"\n"
" all            1,500.00 ms task-clock        # 1.50 CPUs used\n"
" all                 ~30    context-switches  # 20.0 /s; 33.3% of the time, +- 48.3%\n"
"\n"
"            1.0000 s  elapsed\n"
"\n");
	CHECK_PRINT(&r, counts_json, "{\"title\": \"CPUs 0,3\", \"events\": ["
"{\"name\": \"task-clock\", \"value\": 1500000000, \"unit\": \"ns\", \"cpus_used\": 1.500000}, "
"{\"name\": \"context-switches\", \"value\": 30, \"unit\": \"count\", \"counted\": 10, \"share\": 0.333333, \"error\": 0.483046, \"rate\": 20.000000}], "
"\"by_cpu\": [{\"cpu\": 0, \"events\": ["
"{\"name\": \"task-clock\", \"value\": 500000000, \"unit\": \"ns\", \"cpus_used\": 0.500000}, "
"{\"name\": \"context-switches\", \"value\": 20, \"unit\": \"count\", \"counted\": 10, \"share\": 0.500000, \"error\": 0.418330, \"rate\": 40.000000}]}, "
"{\"cpu\": 3, \"events\": ["
"{\"name\": \"task-clock\", \"value\": 1000000000, \"unit\": \"ns\", \"cpus_used\": 1.000000}, "
"{\"name\": \"context-switches\", \"value\": null, \"unit\": \"count\", \"counted\": 0, \"share\": 0.000000, \"error\": null}]}], "
"\"sets\": 2, \"cpus\": 2, \"missed\": 0, \"elapsed_ns\": 1000000000, \"notes\": []}\n");
	result_note(&r, "one, two");
	CHECK_PRINT(&r, counts_csv,
"time,of,event,value,unit,share,error,deviation,ratio,ratio_to\n"
",CPU 0,task-clock,500000000,ns,1.000000,,,,\n"
",CPU 0,context-switches,20,,0.500000,0.418330,,,\n"
",CPU 3,task-clock,1000000000,ns,1.000000,,,,\n"
",CPU 3,context-switches,,,0.000000,,,,\n"
",all,task-clock,1500000000,ns,1.000000,,,,\n"
",all,context-switches,30,,0.333333,0.483046,,,\n"
",all,elapsed,1000000000,ns,1.000000,,,,\n"
"# CPUs 0,3\n"
"# one, two\n");
	CHECK_PRINT(&r, counts_openmetrics,
"# TYPE pfmon_events counter\n"
"# HELP pfmon_events Events that have happened since pfmon began.\n"
"pfmon_events_total{event=\"context-switches\",target=\"CPUs 0,3\",cpu=\"0\"} 20\n"
"# TYPE pfmon_time_seconds counter\n"
"# UNIT pfmon_time_seconds seconds\n"
"# HELP pfmon_time_seconds CPU time since pfmon began.\n"
"pfmon_time_seconds_total{event=\"task-clock\",target=\"CPUs 0,3\",cpu=\"0\"} 0.500000000\n"
"pfmon_time_seconds_total{event=\"task-clock\",target=\"CPUs 0,3\",cpu=\"3\"} 1.000000000\n"
"# TYPE pfmon_event_share gauge\n"
"# HELP pfmon_event_share Part of the time in which an event was counted; its value is an estimate if that is below 1.\n"
"pfmon_event_share{event=\"task-clock\",target=\"CPUs 0,3\",cpu=\"0\"} 1.000000\n"
"pfmon_event_share{event=\"task-clock\",target=\"CPUs 0,3\",cpu=\"3\"} 1.000000\n"
"pfmon_event_share{event=\"context-switches\",target=\"CPUs 0,3\",cpu=\"0\"} 0.500000\n"
"pfmon_event_share{event=\"context-switches\",target=\"CPUs 0,3\",cpu=\"3\"} 0.000000\n"
"# TYPE pfmon_elapsed_seconds gauge\n"
"# HELP pfmon_elapsed_seconds Time since pfmon began.\n"
"pfmon_elapsed_seconds{target=\"CPUs 0,3\"} 1\n"
"# TYPE pfmon_missed_threads gauge\n"
"# HELP pfmon_missed_threads Threads that could not be counted.\n"
"pfmon_missed_threads{target=\"CPUs 0,3\"} 0\n"
"# TYPE pfmon_cpus gauge\n"
"# HELP pfmon_cpus CPUs that are counted.\n"
"pfmon_cpus{target=\"CPUs 0,3\"} 2\n"
"# EOF\n");

	/* One that went away: in intervals it is marked, of metrics it has none. */
	r.group[1].away = true;
	r.is_interval = true;
	CHECK_PRINT(&r, counts_text,
"     1.0000 s  CPU 0                   500.00 ms task-clock        # 0.50 CPUs used\n"
"     1.0000 s  CPU 0                      ~20    context-switches  # 40.0 /s; 50.0% of the time, +- 41.8%\n"
"     1.0000 s  CPU 3 (away)          1,000.00 ms task-clock        # 1.00 CPUs used\n"
"     1.0000 s  CPU 3 (away)       not counted    context-switches\n");
	CHECK_PART(&r, counts_csv, "\n1.000000000,CPU 3 (away),task-clock,1000000000,ns,");
	CHECK_PART(&r, counts_json, "{\"cpu\": 3, \"away\": true, \"events\": [");
	r.is_interval = false;
	CHECK_PART(&r, counts_json, "{\"cpu\": 3, \"events\": [");
	CHECK_PART(&r, counts_prometheus, "# HELP pfmon_time_seconds_total CPU time since pfmon began.\n"
"pfmon_time_seconds_total{event=\"task-clock\",target=\"CPUs 0,3\",cpu=\"0\"} 0.500000000\n"
"# TYPE pfmon_event_share gauge\n");
	free(r.group);
}

/* Threads, whose names can have anything in them, in an interval. */
static void test_interval(void)
{
	static struct counters c;
	static struct result r;
	char error[EVENTS_ERROR_MAX];
	unsigned int i;

	CHECK(counters_add(&c, "cs", error) == 0);
	r = (struct result){ .counters = &c, .grouped = true, .threads = true,
			     .is_interval = true, .from_ns = 1000000000,
			     .elapsed_ns = 500000001 };
	strcpy(r.title, "'a \"b\\'");
	for (i = 0; i < 3; i++)
		result_add_group(&r, 12 + (int)i / 2);
	strcpy(r.group[0].name, "a\"b\033");
	strcpy(r.group[1].name, "c,d");
	strcpy(r.group[2].name, "idle");
	result_add(&r, 0, &(struct counts){ .value = { 7 } }, 0);
	result_add(&r, 1, &(struct counts){ .value = { 5 } }, 0);
	CHECK_PRINT(&r, counts_text,
"     1.5000 s  a\"b?-12                 7    context-switches\n"
"     1.5000 s  c,d-12                  5    context-switches\n");
	CHECK_PRINT(&r, counts_csv,
"time,of,event,value,unit,share,error,deviation,ratio,ratio_to\n"
"1.500000001,\"a\"\"b?-12\",context-switches,7,,1.000000,,,,\n"
"1.500000001,\"c,d-12\",context-switches,5,,1.000000,,,,\n"
"1.500000001,all,context-switches,12,,1.000000,,,,\n");
	/* Formulas of spreadsheets */
	strcpy(r.group[0].name, "=1+1");
	strcpy(r.group[1].name, "@a,b");
	CHECK_PRINT(&r, counts_csv,
"time,of,event,value,unit,share,error,deviation,ratio,ratio_to\n"
"1.500000001,'=1+1-12,context-switches,7,,1.000000,,,,\n"
"1.500000001,\"'@a,b-12\",context-switches,5,,1.000000,,,,\n"
"1.500000001,all,context-switches,12,,1.000000,,,,\n");
	strcpy(r.group[0].name, "a\"b\033");
	strcpy(r.group[1].name, "c,d");
	counts_separator('\t');
	CHECK_PRINT(&r, counts_csv,
"time\tof\tevent\tvalue\tunit\tshare\terror\tdeviation\tratio\tratio_to\n"
"1.500000001\t\"a\"\"b?-12\"\tcontext-switches\t7\t\t1.000000\t\t\t\t\n"
"1.500000001\tc,d-12\tcontext-switches\t5\t\t1.000000\t\t\t\t\n"
"1.500000001\tall\tcontext-switches\t12\t\t1.000000\t\t\t\t\n");
	counts_separator(',');
	CHECK_PRINT(&r, counts_json, "{\"title\": \"'a \\\"b\\\\'\", \"from_ns\": 1000000000, "
"\"events\": [{\"name\": \"context-switches\", \"value\": 12, \"unit\": \"count\"}], "
"\"by_thread\": [{\"tid\": 12, \"name\": \"a\\\"b?\", \"events\": [{\"name\": \"context-switches\", \"value\": 7, \"unit\": \"count\"}]}, "
"{\"tid\": 12, \"name\": \"c,d\", \"events\": [{\"name\": \"context-switches\", \"value\": 5, \"unit\": \"count\"}]}], "
"\"sets\": 1, \"threads\": 2, \"missed\": 0, \"elapsed_ns\": 500000001, \"notes\": []}\n");
	/* Metrics have one sample of a name, and its label is escaped. */
	CHECK(strstr(print(&r, &counts_openmetrics),
		     ".\npfmon_events_total{event=\"context-switches\",target=\"'a \\\"b\\\\'\",tid=\"12\",thread=\"c,d\"} 5\n"
		     "pfmon_events_total{event=\"context-switches\",target=\"'a \\\"b\\\\'\",tid=\"13\",thread=\"idle\"} 0\n#"));
	free(r.group);
}

static void test_series(void)
{
	static struct counters c;
	static struct series series;
	char error[EVENTS_ERROR_MAX];
	const struct result *mean;
	unsigned int i;

	CHECK(counters_add(&c, "task-clock,cs", error) == 0);
	for (i = 0; i < 3; i++) {
		struct result run = {
			.counters = &c, .threads = true, .has_usage = true,
			.elapsed_ns = 1000000000 * (i + 1ULL), .user_ns = 500000000,
		};

		strcpy(run.title, "'x'");
		result_add(&run, 0, &(struct counts){ .value = { 1000000, 8 + i } }, 0);
		result_note(&run, "same");
		series_add(&series, &run);
		if (!i)
			CHECK(!series_result(&series)->spread);
	}
	mean = series_result(&series);
	CHECK(mean->spread && mean->spread->runs == 3 && mean->notes == 1);
	CHECK(mean->sum.value[0] == 1000000 && mean->sum.value[1] == 9);
	CHECK(mean->elapsed_ns == 2000000000 && mean->measured == 1);
	CHECK_PRINT(mean, counts_text, "\n"
" 'x', mean of 3 runs (1 thread):\n"
"\n"
"              1.00 ms task-clock        # 0.00 CPUs used; runs differ by 0.00%\n"
"                 9    context-switches  # 9.00 K/s; runs differ by 11.11%\n"
"\n"
"            2.0000 s  elapsed  # runs differ by 50.00%\n"
"            0.5000 s  user     # runs differ by 0.00%\n"
"            0.0000 s  system   # runs differ by 0.00%\n"
"\n"
" note: same\n");
	CHECK_PRINT(mean, counts_json, "{\"title\": \"'x'\", \"events\": ["
"{\"name\": \"task-clock\", \"value\": 1000000, \"unit\": \"ns\", \"deviation\": 0.000000, \"cpus_used\": 0.000500}, "
"{\"name\": \"context-switches\", \"value\": 9, \"unit\": \"count\", \"deviation\": 0.111111, \"rate\": 9000.000000}], "
"\"sets\": 1, \"threads\": 1, \"missed\": 0, \"elapsed_ns\": 2000000000, \"user_ns\": 500000000, \"system_ns\": 0, "
"\"runs\": 3, \"elapsed_deviation\": 0.500000, \"user_deviation\": 0.000000, \"system_deviation\": 0.000000, "
"\"notes\": [\"same\"]}\n");
	CHECK_PRINT(mean, counts_csv,
"time,of,event,value,unit,share,error,deviation,ratio,ratio_to\n"
",all,task-clock,1000000,ns,1.000000,,0.000000,,\n"
",all,context-switches,9,,1.000000,,0.111111,,\n"
",all,elapsed,2000000000,ns,1.000000,,0.500000,,\n"
",all,user,500000000,ns,1.000000,,0.000000,,\n"
",all,system,0,ns,1.000000,,0.000000,,\n"
"# 'x', mean of 3 runs (1 thread)\n"
"# same\n");
}

static void print_nothing(const struct result *interval)
{
	(void)interval;
}

/* A sum of estimates does not go back when the share of the time gets larger. */
static void test_whole(void)
{
	static const struct schedule schedule = { .whole = true, .print = print_nothing };
	static struct counters c = { .many = true };
	static struct result r;
	const struct result *whole;
	char error[EVENTS_ERROR_MAX];

	CHECK(counters_add(&c, "cs,migrations", error) == 0);
	c.sets = 2;
	c.c[1].set = 1;
	r.counters = &c;
	r.schedule = &schedule;
	r.sum.turns[0] = (struct turns){ 9000, 9 };
	r.sum.turns[1] = (struct turns){ 1000, 1 };
	r.sum.value[1] = 100;
	r.elapsed_ns = 10000;
	whole = schedule_rest(&r);
	CHECK(result_estimate(whole, &whole->sum, 1).value == 1000);
	CHECK(result_estimate(whole, &whole->sum, 1).share == 0.1);
	r.sum.turns[1].ns = 3000;
	r.elapsed_ns = 12000;
	CHECK(result_estimate(&r, &r.sum, 1).value == 400);
	whole = schedule_rest(&r);
	CHECK(result_estimate(whole, &whole->sum, 1).value == 1000);
	CHECK(result_estimate(whole, &whole->sum, 1).share == 0.25);
	r.sum.value[1] = 130;
	r.sum.turns[0].ns += 1000;
	r.sum.turns[1].ns += 1000;
	whole = schedule_rest(&r);
	CHECK(result_estimate(whole, &whole->sum, 1).value == 1060);
}

static char root[] = "/tmp/pfmon-places.XXXXXX";

static void make_text(const char *name, const char *text)
{
	char path[128], *slash;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	/* All directories of it. */
	for (slash = path + strlen(root); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	f = fopen(path, "w");
	if (!f || fputs(text, f) == EOF || fclose(f))
		exit(2);
}

static void make_cpu(unsigned int cpu, const char *package, const char *core)
{
	char name[80];

	snprintf(name, sizeof(name), "sys/devices/system/cpu/cpu%u/topology/physical_package_id",
		 cpu);
	make_text(name, package);
	snprintf(name, sizeof(name), "sys/devices/system/cpu/cpu%u/topology/core_id", cpu);
	make_text(name, core);
}

static int drop(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

/* Two sockets whose cores have the same numbers, a CPU that is offline, and two nodes. */
static void test_places(void)
{
	static const struct {
		enum grouping by;
		struct group group[4];
	} want[] = {
		{ GROUP_CORE, { { .socket = -1, .id = -1, .cpus = 1 }, { .socket = 0, .id = 0, .cpus = 2 },
				{ .socket = 0, .id = 7, .cpus = 1 }, { .socket = 1, .id = 0, .cpus = 2 } } },
		{ GROUP_SOCKET, { { .socket = -1, .id = -1, .cpus = 1 }, { .socket = 0, .id = 0, .cpus = 3 },
				  { .socket = 1, .id = 1, .cpus = 2 } } },
		{ GROUP_NODE, { { .socket = -1, .id = -1, .cpus = 1 }, { .socket = -1, .id = 0, .cpus = 3 },
				{ .socket = -1, .id = 12, .cpus = 2 } } },
	};
	/* The sums: of CPU n, 1 << n. */
	static const uint64_t sums[][4] = {
		{ 1 << 5, 1 << 0 | 1 << 2, 1 << 4, 1 << 1 | 1 << 3 },
		{ 1 << 5, 1 << 0 | 1 << 2 | 1 << 4, 1 << 1 | 1 << 3 },
		{ 1 << 5, 1 << 0 | 1 << 1 | 1 << 4, 1 << 2 | 1 << 3 },
	};
	static struct counters counters = { .n = 1, .sets = 2 };
	static struct group group[6];
	struct result result = { .counters = &counters, .grouped = true, .groups = 6, .group = group };
	const struct result *added;
	unsigned int i, k;

	if (!mkdtemp(root))
		exit(2);
	make_cpu(0, "0\n", "0\n");
	make_cpu(1, "1\n", "0\n");
	make_cpu(2, "0\n", "0\n");
	make_cpu(3, "1\n", "0\n");
	make_cpu(4, "0\n", "7\n");
	make_text("sys/devices/system/node/possible", "0,12\n");
	make_text("sys/devices/system/node/node0/cpulist", "0-1,4\n");
	make_text("sys/devices/system/node/node12/cpulist", "2-3\n");
	for (i = 0; i < 6; i++) {
		group[i] = (struct group){ .id = (int)i, .away = i == 4 };
		group[i].sum.value[0] = 1U << i;
		group[i].sum.turns[1].ns = 10U << i;
		group[i].sum.throttled = 1U << i;
	}
	for (i = 0; i < 3; i++) {
		added = places_add_up(&result, want[i].by, root);
		for (k = 0; k < 4 && want[i].group[k].cpus; k++) {
			CHECK(k < added->groups && added->group[k].id == want[i].group[k].id &&
			      added->group[k].socket == want[i].group[k].socket &&
			      added->group[k].cpus == want[i].group[k].cpus);
			CHECK(k < added->groups && added->group[k].sum.value[0] == sums[i][k] &&
			      added->group[k].sum.turns[1].ns == 10 * sums[i][k] &&
			      added->group[k].sum.throttled == sums[i][k] &&
			      added->group[k].away == !!(sums[i][k] & 1 << 4));
		}
		CHECK(added->groups == k && result.groups == 6);
	}
	nftw(root, drop, 16, FTW_DEPTH | FTW_PHYS);
	/* Where /sys is not there nothing is known. */
	added = places_add_up(&result, GROUP_NODE, root);
	CHECK(added->groups == 1 && added->group[0].id == -1 && added->group[0].cpus == 6);
}

int main(void)
{
	test_whole();
	test_places();
	test_ratios();
	test_groups();
	test_interval();
	test_series();
	return check_done();
}
