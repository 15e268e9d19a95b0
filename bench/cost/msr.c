// SPDX-License-Identifier: GPL-2.0-only
/*
 * msr - accesses to the PMU's registers, perfmon's and perf_events'
 *
 * That is what monitoring costs on silicon, where each takes a hundred cycles
 * and more. Counted by the bench's QEMU. One line is writes + reads (on x86, RDPMC
 * included) for one operation, the average of many.
 */
#include "cost.h"
#include "short.h"

#define TIMES 200
#define LOOP 20000

struct cost {
	double writes, reads;
};

#define MEASURE(statement) ({						\
	uint32_t w_, r_;						\
	int i_;								\
									\
	for (i_ = 0; i_ < 10; i_++)					\
		statement;						\
	w_ = pmu_writes();					\
	r_ = pmu_reads();					\
	for (i_ = 0; i_ < TIMES; i_++)					\
		statement;						\
	(struct cost){							\
		(double)(uint32_t)(pmu_writes() - w_) / TIMES,	\
		(double)(uint32_t)(pmu_reads() - r_) / TIMES,	\
	};								\
})

static void print(const char *what, int n, struct cost pfm, struct cost perf,
		  int goal)
{
	printf("%-30s %d %8.1f +%5.1f %8.1f +%5.1f", what, n, pfm.writes,
	       pfm.reads, perf.writes, perf.reads);
	if (goal)
		printf("   goal: %d writes%s", goal,
		       pfm.writes >= goal + 0.05 ? ", missed" : "");
	putchar('\n');
}

static struct cost pfm_switches(pid_t other, int n, uint64_t period)
{
	int fd = pfm_open(&hardware, other, n, period, 0);
	struct cost c;

	pfm_run(fd, PFM_START);
	c = MEASURE(round_trip());
	close(fd);
	return c;
}

static struct cost perf_switches(pid_t other, int n, uint64_t period)
{
	int fd = perf_open(&hardware, other, n, period);
	struct cost c;

	perf_run(fd, PERF_EVENT_IOC_ENABLE);
	c = MEASURE(round_trip());
	perf_close(n);
	return c;
}

static struct cost pfm_overflows(int n)
{
	int fd = pfm_open(&hardware, getpid(), n, LOOP, 0);
	struct cost c;

	pfm_run(fd, PFM_START);
	c = MEASURE(loop(LOOP));
	close(fd);
	/* Twice the turns are instructions, so there are two of them. */
	return (struct cost){ c.writes / 2, c.reads / 2 };
}

static struct cost perf_overflows(int n)
{
	int fd = perf_open(&hardware, getpid(), n, LOOP);
	void *map = mmap(NULL, 129 * sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct cost c;

	must(map != MAP_FAILED, "mmap");
	perf_run(fd, PERF_EVENT_IOC_ENABLE);
	c = MEASURE(loop(LOOP));
	munmap(map, 129 * sysconf(_SC_PAGESIZE));
	perf_close(n);
	return (struct cost){ c.writes / 2, c.reads / 2 };
}

/* Two sets that differ in each control, by turns; perf_events has no such thing. */
static struct cost pfm_sets(int n)
{
	pfarg_setdesc_t set = { .set_id = 1 };
	pfarg_start_t one = { .start_set = 1 }, zero = { .start_set = 0 };
	pfarg_ctx_t ctx = { 0 };
	pfarg_load_t load = { .load_pid = getpid() };
	struct cost c;
	int i, fd;

	must(!pfm(-1, PFM_CREATE_CONTEXT, &ctx, 1), "create");
	fd = ctx.ctx_fd;
	must(!pfm(fd, PFM_CREATE_EVTSETS, &set, 1), "sets");
	for (i = 0; i < 2 * n; i++) {
		pfarg_pmc_t pmc = {
			.reg_num = hardware.pmc + i / 2, .reg_set = i & 1,
			.reg_value = hardware.code[(i / 2 + (i & 1)) % COUNTERS],
		};

		must(!pfm(fd, PFM_WRITE_PMCS, &pmc, 1), "pmc");
	}
	count_all_levels(&hardware, fd, 0);
	count_all_levels(&hardware, fd, 1);
	must(!pfm(fd, PFM_LOAD_CONTEXT, &load, 1), "load");
	pfm_run(fd, PFM_START);
	c = MEASURE((pfm(fd, PFM_START, &one, 1),
		     pfm(fd, PFM_START, &zero, 1)));
	close(fd);
	return (struct cost){ c.writes / 2, c.reads / 2 };
}

static void commands(int n)
{
	struct cost run, read_, load, none = { 0, 0 }, perf_run_, perf_read_, perf_load;
	int fd = pfm_open(&hardware, getpid(), n, 0, 0), keep;
	pfarg_load_t arg = { .load_pid = getpid() };

	run = MEASURE((pfm_run(fd, PFM_START), pfm_run(fd, PFM_STOP)));
	pfm_run(fd, PFM_START);
	read_ = MEASURE(pfm_read(&hardware, fd, n));
	pfm_run(fd, PFM_STOP);
	pfm_run(fd, PFM_UNLOAD_CONTEXT);
	load = MEASURE((pfm(fd, PFM_LOAD_CONTEXT, &arg, 1),
			pfm_run(fd, PFM_START), pfm_run(fd, PFM_UNLOAD_CONTEXT)));
	close(fd);

	fd = perf_open(&hardware, getpid(), n, 0);
	perf_run_ = MEASURE((perf_run(fd, PERF_EVENT_IOC_ENABLE),
			     perf_run(fd, PERF_EVENT_IOC_DISABLE)));
	perf_run(fd, PERF_EVENT_IOC_ENABLE);
	perf_read_ = MEASURE(perf_read(fd, n));
	perf_close(n);
	keep = perf_open(&software, getpid(), 1, 0);
	perf_load = MEASURE((fd = perf_open(&hardware, getpid(), n, 0),
			     perf_run(fd, PERF_EVENT_IOC_ENABLE), perf_close(n)));
	close(keep);

	print("start + stop", n, run, perf_run_, 2);
	print("read while running", n, read_, perf_read_, 0);
	print("load, start, unload", n, load, perf_load, 0);
	print("switch of sets (perf: none)", n, pfm_sets(n), none, 0);
}

int main(int argc, char **argv)
{
	pid_t other;
	int k;

	take_short(&argc, &argv);
	if (!have_hardware()) {
		fputs("msr: no PMU of " MODELS ": make bench-msr starts a guest with one\n",
		      stderr);
		return 1;
	}
	must(open_accesses(), "/dev/cpu/0/msr");
	must(!pipe(ping) && !pipe(pong), "pipe");
	other = child(answer);
	usleep(10000);

	printf("%-30s n %16s %16s\n", "writes + reads, n counters", "perfmon",
	       "perf_events");
	for (k = 1; k <= 4; k += 3) {
		print("round trip of two switches", k, pfm_switches(other, k, 0),
		      perf_switches(other, k, 0), 2);
		print("... with a long period", k, pfm_switches(other, k, 1ULL << 30),
		      perf_switches(other, k, 1ULL << 30), 2);
		print("an overflow", k, pfm_overflows(k), perf_overflows(k),
		      SAMPLE_WRITES);
		commands(k);
	}
	kill(other, SIGKILL);
	wait(NULL);
	return 0;
}
