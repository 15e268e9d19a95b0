// SPDX-License-Identifier: GPL-2.0-only
/* pfmon record: samples a command, a process or CPUs into a data file. */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "numbers.h"
#include "hardware.h"
#include "pfmon.h"
#include "recording.h"
#include "target.h"
#include "turns.h"

#define DEFAULT_EVENT	"task-clock"
#define DEFAULT_BUFFER	65536
#define BUFFER_MAX	(128ULL << 20)	/* of the data file's records */

static const char usage[] =
"usage: pfmon record [OPTION]... [--] COMMAND [ARGUMENT]...\n"
"       pfmon record [OPTION]... -p PID [-- COMMAND [ARGUMENT]...]\n"
"       pfmon record [OPTION]... -a [-- COMMAND [ARGUMENT]...]\n"
"\n"
"Samples COMMAND with all its threads and child processes: records at regular\n"
"intervals where it is, for 'pfmon report'. With -p, -t, -a or -C it samples\n"
"processes, threads or whole CPUs while COMMAND runs, or until Ctrl-C.\n"
"\n"
"  -e, --event LIST     events to sample, separated by commas (task-clock); each -e\n"
"                       at the same time if the counters are enough for it\n"
"  -c, --count PERIOD   take a sample each PERIOD events (clocks: nanoseconds)\n"
"  -F, --freq FREQ      take FREQ samples a second, of a clock (1000)\n"
"  -R, --random MASK    shorten each period by a random number, of which only\n"
"                       the bits in MASK are used\n"
"  -r, --read LIST      events to count, or registers to read, at each sample\n"
"  -f, --format NAME    sampling format (default)\n"
"  -b, --buffer BYTES   size of each thread's or CPU's buffer (64K)\n"
"  -g, --call-graph     the calls that led there, too: the same as -f callchain\n"
"  -p, --pid LIST       sample the threads of processes\n"
"  -t, --tid LIST       sample single threads\n"
"  -a, --all-cpus       sample all CPUs\n"
"  -C, --cpu CPUS       sample CPUs: a list such as 0-1,3, or all\n"
"  -o, --output FILE    data file (" DF_DEFAULT_NAME ")\n"
"      --switch-timeout MS\n"
"                       make a set of each -e; the sets take turns of MS\n"
"                       milliseconds (1, if the counters are not enough)\n"
"      --no-multiplex   refuse more events than there are counters\n"
"  -h, --help           print this and exit\n"
"\n";

struct options {
	struct sampling sampling;
	struct target target;
	uint64_t period, frequency;	/* 0: not given */
	unsigned int reads;
	const char *read[MAX_READINGS];	/* lists of -r: after those of -e */
	const char *output;
	struct turn_options turns;
};

static void __attribute__((noreturn)) bad_usage(void)
{
	fputs("Try 'pfmon record --help'.\n", stderr);
	exit(EXIT_PFMON);
}

static void add_events(struct options *o, const char *list)
{
	char error[EVENTS_ERROR_MAX];

	if (counters_add(&o->sampling.counters, list, error))
		errx(EXIT_PFMON, "%s", error);
}

/* A number from 1 to @max, decimal or hexadecimal; perhaps K, M or G of them. */
static uint64_t parse_number(const char *text, const char *what, uint64_t max)
{
	static const char units[] = "KMG";
	const char *unit;
	uint64_t n = 0;
	char *end = (char *)text;

	errno = 0;
	if (*text >= '0' && *text <= '9')
		n = strtoull(text, &end, 0);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit && n <= max) {
		n <<= 10 * (unit - units + 1);
		end++;
	}
	if (errno || end == text || *end || !n || n > max)
		errx(EXIT_PFMON, "'%s' is not %s", text, what);
	return n;
}

static void set_format(struct options *o, const char *name)
{
	o->sampling.format = smpl_find(name);
	if (o->sampling.format)
		return;
	warnx("no sampling format '%s'", name);
	smpl_print(stderr);
	exit(EXIT_PFMON);
}

static void add_read(struct options *o, const char *list)
{
	if (o->reads == MAX_READINGS)
		errx(EXIT_PFMON, "too many -r");
	o->read[o->reads++] = list;
}

static void __attribute__((noreturn)) print_help(void)
{
	fputs(usage, stdout);
	events_print(stdout);
	smpl_print(stdout);
	exit(fflush(stdout) ? EXIT_PFMON : 0);
}

enum { SWITCH_TIMEOUT = 256, NO_MULTIPLEX };

static void parse_option(struct options *o, int c)
{
	switch (c) {
	case 'e':
		add_events(o, optarg);
		break;
	case 'c':
		o->period = parse_number(optarg, "a period", INT64_MAX);
		break;
	case 'F':
		o->frequency = parse_number(optarg, "a frequency", 1000000000);
		break;
	case 'R':
		o->sampling.random_mask = parse_number(optarg, "a mask", INT64_MAX);
		break;
	case 'r':
		add_read(o, optarg);
		break;
	case 'f':
		set_format(o, optarg);
		break;
	case 'g':
		set_format(o, "callchain");
		break;
	case 'b':
		o->sampling.buffer_size = parse_number(optarg,
			"a buffer's size of at most 128M", BUFFER_MAX);
		break;
	case 'p':
	case 't':
		target_add(&o->target, optarg, c == 'p');
		break;
	case 'a':
		target_set_cpus(&o->target, "all");
		break;
	case 'C':
		target_set_cpus(&o->target, optarg);
		break;
	case 'o':
		o->output = optarg;
		break;
	case SWITCH_TIMEOUT:
		turns_set_timeout(&o->turns, optarg);
		break;
	case NO_MULTIPLEX:
		o->turns.no_multiplex = true;
		break;
	case 'h':
		print_help();
	default:
		bad_usage();
	}
}

static void parse_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "count", required_argument, NULL, 'c' },
		{ "freq", required_argument, NULL, 'F' },
		{ "random", required_argument, NULL, 'R' },
		{ "read", required_argument, NULL, 'r' },
		{ "format", required_argument, NULL, 'f' },
		{ "call-graph", no_argument, NULL, 'g' },
		{ "buffer", required_argument, NULL, 'b' },
		{ "pid", required_argument, NULL, 'p' },
		{ "tid", required_argument, NULL, 't' },
		{ "all-cpus", no_argument, NULL, 'a' },
		{ "cpu", required_argument, NULL, 'C' },
		{ "output", required_argument, NULL, 'o' },
		{ "switch-timeout", required_argument, NULL, SWITCH_TIMEOUT },
		{ "no-multiplex", no_argument, NULL, NO_MULTIPLEX },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "+e:c:F:R:r:f:gb:p:t:aC:o:h", longs,
				NULL)) != -1)
		parse_option(o, c);
	if (optind < argc)
		o->target.command = argv + optind;
	if (!target_check(&o->target, "sampled"))
		bad_usage();
	if (o->period && o->frequency) {
		warnx("-c and -F exclude each other");
		bad_usage();
	}
	if (!turns_check(&o->turns))
		bad_usage();
}

/* A period for each event: its own one, or that of -c or -F. */
static void set_periods(struct options *o)
{
	struct sampling *s = &o->sampling;
	unsigned int i;

	if (!s->counters.n)
		add_events(o, DEFAULT_EVENT);
	s->sampled = s->counters.n;
	for (i = 0; i < s->sampled; i++) {
		const struct event *event = s->counters.c[i].event;

		if (o->frequency && event->unit != UNIT_NS)
			errx(EXIT_PFMON, "-F is for clocks: say with -c how many %s make a sample",
			     s->counters.c[i].name);
		s->period[i] = o->period ? o->period :
			       o->frequency ? 1000000000 / o->frequency :
			       event->period;
		if (s->random_mask >= s->period[i])
			errx(EXIT_PFMON, "the mask of -R must be smaller than the period of %s, %" PRIu64,
			     s->counters.c[i].name, s->period[i]);
	}
}

/* An event is counted; a name that the kernel gave is a register's. */
static void add_reading(struct sampling *s, const char *name)
{
	char error[EVENTS_ERROR_MAX];
	int pmd;

	unsigned int n = s->counters.n;

	if (!counters_add(&s->counters, name, error)) {
		for (; n < s->counters.n; n++)
			s->counters.c[n].everywhere = true;
		return;
	}
	pmd = pfm_pmd_number(name);
	if (pmd < 0)
		errx(EXIT_PFMON, "%s, or a register of pfmon info", error);
	if (s->registers == MAX_READINGS - MAX_COUNTERS)
		errx(EXIT_PFMON, "too many registers to read");
	s->reg[s->registers++] = (uint16_t)pmd;
}

static void set_readings(struct options *o)
{
	char *list, *name, *rest;
	unsigned int i;

	for (i = 0; i < o->reads; i++) {
		list = strdup(o->read[i]);
		if (!list)
			err(EXIT_PFMON, NULL);
		for (name = strtok_r(list, ",", &rest); name;
		     name = strtok_r(NULL, ",", &rest))
			add_reading(&o->sampling, name);
		free(list);
	}
}

static void set_buffer(struct sampling *s)
{
	unsigned int i, pmds = 0;
	pfarg_config_t cfg;
	uint64_t min;

	if (!s->format)
		s->format = smpl_find("default");
	if (!s->buffer_size)
		s->buffer_size = DEFAULT_BUFFER;
	memset(&cfg, 0, sizeof(cfg));
	if (pfm_get_config(&cfg))
		err(EXIT_PFMON, "PFM_GET_CONFIG");
	for (i = 0; i < PFM_MAX_PMDS; i++)
		pmds += (unsigned int)pfm_bv_isset(cfg.cf_impl_pmds, i);
	if (s->counters.n + s->registers > s->sampled && !s->format->values)
		errx(EXIT_PFMON, "the format %s records no values: it cannot be used with -r",
		     s->format->name);
	min = s->format->min_size(pmds);
	if (s->buffer_size < min)
		errx(EXIT_PFMON, "a buffer of %" PRIu64 " bytes is too small: the format %s needs %" PRIu64,
		     s->buffer_size, s->format->name, min);
	if (s->format->max_size && s->buffer_size > s->format->max_size)
		errx(EXIT_PFMON, "a buffer of %" PRIu64 " bytes is too large: the format %s takes at most %" PRIu64,
		     s->buffer_size, s->format->name, s->format->max_size);
	if (s->buffer_size > cfg.cf_smpl_buf_size_max)
		errx(EXIT_PFMON, "a buffer of %" PRIu64 " bytes is too large: all buffers together may have %" PRIu64,
		     s->buffer_size, (uint64_t)cfg.cf_smpl_buf_size_max);
}

static void explain_loss(const struct recording *rec)
{
	const struct df_lost *lost = &rec->lost;
	char full[NUMBERS_MAX], ms[NUMBERS_MAX];

	if (lost->estimated)
		fprintf(stderr, " note: sampling stopped %s time%s for a full buffer, for %s ms together: the samples of that time are lost; use a larger buffer (-b)\n",
			numbers_count(full, lost->full), lost->full == 1 ? "" : "s",
			numbers_ms(ms, lost->masked_ns));
	if (lost->samples)
		fprintf(stderr, " note: %s sample%s lost because the buffer was full: use a larger one (-b)\n",
			numbers_count(full, lost->samples),
			lost->samples == 1 ? " was" : "s were");
	if (lost->maps)
		fprintf(stderr, " note: %s mmap or exec record%s lost: use a larger buffer (-b)\n",
			numbers_count(full, lost->maps),
			lost->maps == 1 ? " was" : "s were");
	if (lost->messages)
		fprintf(stderr, " note: the kernel could not queue %s messages\n",
			numbers_count(full, lost->messages));
	if (lost->throttled)
		fprintf(stderr, " note: sampling was too fast and was stopped %s time%s: a larger period (-c) is needed\n",
			numbers_count(full, lost->throttled),
			lost->throttled == 1 ? "" : "s");
}

static void print_summary(const struct recording *rec, const char *path,
			  uint64_t bytes)
{
	char samples[NUMBERS_MAX], lost[NUMBERS_MAX], size[NUMBERS_MAX];
	unsigned int i;

	if (rec->progress)
		fprintf(stderr, "\r%60s\r", "");
	fprintf(stderr, "%s sample%s, %s lost, %s, %s bytes\n",
		numbers_count(samples, rec->samples), rec->samples == 1 ? "" : "s",
		numbers_lost(lost, rec->lost.samples, rec->lost.estimated), path,
		numbers_count(size, bytes));
	explain_loss(rec);
	for (i = 0; i < rec->result.notes; i++)
		fprintf(stderr, " note: %s\n", rec->result.note[i]);
}

int cmd_record(int argc, char **argv)
{
	static struct options o;
	static struct recording rec;
	int status;

	hardware_find();
	o.sampling.counters.many = true;
	parse_options(&o, argc, argv);
	set_periods(&o);
	set_readings(&o);
	turns_make(&o.turns, &o.sampling.counters);
	perfmon_require();
	hardware_settle(&o.sampling.counters,
			o.target.cpus ? PFM_FL_SYSTEM_WIDE : 0);
	set_buffer(&o.sampling);
	if (!o.output)
		o.output = DF_DEFAULT_NAME;

	rec.result.ops = &sampling_ops;
	rec.result.counters = &o.sampling.counters;
	rec.targets = &o.target.threads;
	rec.progress = isatty(STDERR_FILENO);
	target_title(&o.target, &rec.result);
	if (recording_begin(&rec, &o.sampling, o.output)) {
		if (errno == EEXIST)
			errx(EXIT_PFMON, "%s or %s" DF_OLD " is there and is no file of pfmon record, or not yours: name another one with -o",
			     o.output, o.output);
		err(EXIT_PFMON, "%s", o.output);
	}
	target_prepare(&o.target, 1);
	status = target_measure(&o.target, &rec.result);
	/* Of a command that never ran there is nothing to keep. */
	if (o.target.exec_errno) {
		outfile_drop(&rec.data.out);
		return status;
	}
	if (recording_end(&rec, status))
		outfile_fail(&rec.data.out, o.output);
	print_summary(&rec, o.output, rec.data.bytes);
	return status;
}
