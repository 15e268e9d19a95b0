// SPDX-License-Identifier: GPL-2.0-only
/*
 * sets - what a switch of event sets costs, and what scaled counts are worth
 *
 * For a guest with one CPU and -icount shift=0 (make bench-sets starts it so):
 * an instruction takes a nanosecond, so that times are exact and the same in
 * every run. With the argument "short" the loop and the program are shorter, and the
 * errors of the scaled counts larger.
 */
#include "cost.h"
#include "short.h"
#include <sys/resource.h>

#define PAGES		4096
#define SETS		4		/* that share the time */

/* The most that a switch should cost: of the hardware's sets, and by time of software's. */
#define GOAL_COMMAND	500
#define GOAL_TIME	1500

static unsigned long turns = 30000000;	/* of the busy loop */
static int steps = 400;			/* of the program whose counts are scaled */

static void call(int fd, int cmd, void *arg, int n, const char *what)
{
	must(!pfm(fd, cmd, arg, n), what);
}

static int create(void)
{
	pfarg_ctx_t ctx = { 0 };

	call(-1, PFM_CREATE_CONTEXT, &ctx, 1, "PFM_CREATE_CONTEXT");
	return ctx.ctx_fd;
}

/*
 * Set @id counts in @n counters: the hardware's events, each counter another one than in
 * the next set; or faults, if @e is NULL. Its time-out is @ns, 0 for none.
 */
static void set(int fd, const struct events *e, unsigned int id, int n, uint64_t ns)
{
	pfarg_setdesc_t desc = { .set_id = id };
	pfarg_pmc_t pmc[COUNTERS];
	int i;

	if (ns) {
		desc.set_flags = PFM_SETFL_TIME_SWITCH;
		desc.set_timeout.tv_sec = ns / 1000000000;
		desc.set_timeout.tv_nsec = ns % 1000000000;
	}
	call(fd, PFM_CREATE_EVTSETS, &desc, 1, "PFM_CREATE_EVTSETS");
	memset(pmc, 0, sizeof(pmc));
	for (i = 0; i < n; i++) {
		pmc[i].reg_num = (e ? e->pmc : PFM_SW_PMC0) + i;
		pmc[i].reg_set = id;
		pmc[i].reg_value = e ? e->code[(i + id) % COUNTERS] : PFM_SW_MINOR_FAULTS;
	}
	call(fd, PFM_WRITE_PMCS, pmc, n, "PFM_WRITE_PMCS");
	if (e)
		count_all_levels(e, fd, id);
}

static void go(int fd)
{
	pfarg_load_t load = { .load_pid = getpid() };

	call(fd, PFM_LOAD_CONTEXT, &load, 1, "PFM_LOAD_CONTEXT");
	call(fd, PFM_START, NULL, 0, "PFM_START");
}

static pfarg_setinfo_t info(int fd, unsigned int id)
{
	pfarg_setinfo_t i = { .set_id = id };

	call(fd, PFM_GETINFO_EVTSETS, &i, 1, "PFM_GETINFO_EVTSETS");
	return i;
}

static uint64_t count(int fd, unsigned int id)
{
	pfarg_pmd_t pmd = { .reg_num = PFM_SW_PMD0, .reg_set = id };

	call(fd, PFM_READ_PMDS, &pmd, 1, "PFM_READ_PMDS");
	return pmd.reg_value;
}

static uint64_t busy(unsigned long n)
{
	uint64_t start = executed();

	loop(n);
	return executed() - start;
}

static void print_goal(int64_t got, int goal)
{
	if (goal)
		printf("   goal %d%s", goal, got > goal ? ", missed" : "");
	putchar('\n');
}

/* From one set to the other by PFM_START, less a PFM_START that does not. */
static void by_command(const struct events *e, int n)
{
	pfarg_start_t start = { 0 };
	int64_t sum[2] = { 0, 0 }, each;
	int fd = create(), i;

	set(fd, e, 0, n, 0);
	set(fd, e, 1, n, 0);
	go(fd);
	for (i = 0; i < 400; i++) {
		uint64_t t;

		start.start_set = i / 2 % 2;
		t = executed();
		call(fd, PFM_START, &start, 1, "PFM_START");
		sum[i % 2] += executed() - t;
	}
	close(fd);
	each = (sum[0] - sum[1]) / 200;
	printf("switch by command, %d counter%s  %8lld", n, n == 1 ? " " : "s", (long long)each);
	print_goal(each, e ? GOAL_COMMAND : 0);
}

/* A busy loop with and without a timer that switches between two sets. */
static void by_time(const struct events *e, int n, uint64_t ns)
{
	uint64_t plain, with, runs;
	int fd = create();
	int64_t each;

	set(fd, e, 0, n, 0);
	go(fd);
	plain = busy(turns);
	close(fd);

	fd = create();
	set(fd, e, 0, n, ns);
	set(fd, e, 1, n, ns);
	go(fd);
	with = busy(turns);
	runs = info(fd, 0).set_runs + info(fd, 1).set_runs - 1;
	close(fd);
	each = (int64_t)(with - plain) / (int64_t)(runs ? runs : 1);
	printf("by time, %d counter%s, %6.1f ms   %8lld  (%llu in %.0f ms)", n,
	       n == 1 ? " " : "s", ns / 1e6, (long long)each, (unsigned long long)runs,
	       with / 1e6);
	print_goal(each, e ? 0 : GOAL_TIME);
}

static unsigned char *pages;

static void faults(unsigned int n)
{
	static unsigned int next;

	while (n--) {
		if (next == PAGES) {
			madvise(pages, PAGES * 4096UL, MADV_DONTNEED);
			next = 0;
		}
		pages[next++ * 4096UL] = 1;
	}
}

static uint64_t my_faults(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return ru.ru_minflt;
}

/* A program with phases: now it computes, now it faults. */
static void phases(void)
{
	uint32_t seed = 1;
	int i;

	for (i = 0; i < steps; i++) {
		seed = seed * 1103515245 + 12345;
		busy(seed >> 16 & 0xfffff);
		seed = seed * 1103515245 + 12345;
		faults(seed >> 16 & 0x3ff);
	}
}

/* The counts of four sets that take turns, scaled to the whole time. */
static void error(uint64_t ns)
{
	uint64_t act[SETS], value[SETS], all = 0, sum = 0, truth, runs = 0;
	double e, worst = 0, mean = 0;
	int fd = create(), i;

	for (i = 0; i < SETS; i++)
		set(fd, NULL, i, 1, ns);
	go(fd);
	truth = my_faults();
	phases();
	call(fd, PFM_STOP, NULL, 0, "PFM_STOP");
	truth = my_faults() - truth;
	for (i = 0; i < SETS; i++) {
		pfarg_setinfo_t s = info(fd, i);

		act[i] = s.set_act_duration.tv_sec * 1000000000ULL +
			 s.set_act_duration.tv_nsec;
		value[i] = count(fd, i);
		all += act[i];
		sum += value[i];
		runs += s.set_runs;
	}
	for (i = 0; i < SETS; i++) {
		double scaled = act[i] ? (double)value[i] * all / act[i] : 0;

		e = scaled / truth - 1;
		e = e < 0 ? -e : e;
		mean += e / SETS;
		worst = e > worst ? e : worst;
	}
	printf("%8.1f ms %8llu %8.0f ms %9.2f %% %9.2f %% %10lld\n", ns / 1e6,
	       (unsigned long long)runs, all / 1e6, 100 * mean, 100 * worst,
	       (long long)(sum - truth));
	close(fd);
}

static void switches(const struct events *e)
{
	by_command(e, 1);
	by_command(e, COUNTERS);
	by_time(e, 1, 100000);
	by_time(e, COUNTERS, 100000);
	by_time(e, COUNTERS, 1000000);
}

int main(int argc, char **argv)
{
	static const uint64_t slices[] = {
		100000, 300000, 1000000, 3000000, 10000000, 30000000, 100000000,
	};
	unsigned int i;

	if (take_short(&argc, &argv)) {
		turns /= 5;
		steps /= 4;
	}
	pages = mmap(NULL, PAGES * 4096UL, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(pages != MAP_FAILED, "mmap");

	printf("A switch from one set to another, in instructions:\n");
	switches(NULL);
	if (have_hardware()) {
		printf("The same of the hardware's sets, whose controls all differ:\n");
		switches(&hardware);
	} else {
		printf("No PMU of " MODELS ": make bench-sets without CPU= has one.\n");
	}

	printf("\nFaults of a program with phases, by %d sets that take turns:\n",
	       SETS);
	printf("%11s %8s %11s %11s %11s %10s\n", "slice", "switches", "time",
	       "mean error", "worst", "sum-truth");
	for (i = 0; i < sizeof(slices) / sizeof(slices[0]); i++)
		error(slices[i]);
	return 0;
}
