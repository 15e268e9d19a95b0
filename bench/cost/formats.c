// SPDX-License-Identifier: GPL-2.0-only
/*
 * formats - what a recorded sample costs, in instructions
 *
 * For a guest with one CPU and -icount shift=0 (make bench-formats starts it
 * so). Every page fault is an overflow, and a sample. Each figure is what a
 * fault costs more than one that is not counted; the counting of the fault is
 * in it, and shown by itself in the first line. The arguments are modules to
 * load first. perf_events samples the same event with the same fields.
 *
 * The last lines are what recorders do with a sample, at user level: pfmon record and perf
 * record, counted by perf_events in the hardware, if there is some. They record this program,
 * which with "faults N" as arguments has so many more faults than with less.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perfmon/perfmon.h>
#include <perfmon/aggregate_smpl.h>
#include <perfmon/callaggregate_smpl.h>
#include <perfmon/calldouble_smpl.h>
#include <perfmon/default_smpl.h>
#include <perfmon/double_smpl.h>
#include <perfmon/null_smpl.h>

#include "machine.h"
#include "short.h"

#define PAGES	1000
#define RING	(257 * 4096UL)
#define BODY	4		/* PMDs in a sample that has some */

static unsigned char *pages;
static char self[4096];		/* where this program is */

static void must(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "formats: %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

static int64_t fault_cost(void)
{
	uint64_t t;
	int i;

	madvise(pages, PAGES * 4096UL, MADV_DONTNEED);
	t = executed();
	for (i = 0; i < PAGES; i++)
		pages[i * 4096UL] = 1;
	return (int64_t)(executed() - t) / PAGES;
}

/* Twice: what is needed once is not what a sample costs. */
static int64_t fault_cost_again(void)
{
	fault_cost();
	return fault_cost();
}

/* The most that a sample should cost more than counting. */
static const struct {
	const char *what;
	int most;
} goals[] = {
	{ "default", 300 }, { "aggregate", 345 }, { "callchain", 750 },
};

static int64_t counted;		/* by the first row */

static void print_goal(const char *what, int64_t got)
{
	size_t i;

	for (i = 0; i < sizeof(goals) / sizeof(goals[0]); i++)
		if (!strcmp(what, goals[i].what))
			printf("   goal %d more than counting%s", goals[i].most,
			       got - counted > goals[i].most ? ", missed" : "");
}

/*
 * A fault's own cost depends on what the kernel's memory looks like, so it is
 * measured again, a moment after.
 */
static void print(const char *what, int fd, void *ring)
{
	int64_t with = fault_cost_again();

	/* perf_events counts on while it is mapped. */
	if (ring)
		munmap(ring, RING);
	close(fd);
	sleep(2);
	with -= fault_cost_again();
	if (!counted)
		counted = with;
	printf("%-36s %6lld", what, (long long)with);
	print_goal(what, with);
	putchar('\n');
}

static long pfm(int fd, int cmd, void *arg, int n)
{
	return syscall(__NR_perfmonctl, fd, cmd, arg, n);
}

/* What CREATE_CONTEXT takes: any format's argument fits in. */
struct request {
	pfarg_ctx_t ctx;
	unsigned char arg[64];
};

static void sample(const char *what, struct request *req, uint64_t period,
		   int body)
{
	pfarg_pmc_t pmc = {
		.reg_num = PFM_SW_PMC0,
		.reg_value = PFM_SW_MINOR_FAULTS,
	};
	pfarg_pmd_t pmd = {
		.reg_num = PFM_SW_PMD0,
		.reg_value = period,
		.reg_short_reset = period,
		.reg_long_reset = period,
	};
	pfarg_load_t load = { .load_pid = getpid() };
	int fd, i;

	if (pfm(-1, PFM_CREATE_CONTEXT, req, 1)) {
		printf("%-36s %6s\n", what, "-");
		return;
	}
	fd = req->ctx.ctx_fd;
	for (i = 0; i < body; i++)
		pmc.reg_smpl_pmds[4] |= 1ULL << (PFM_SW_PMD0 % 64 + i);
	must(!pfm(fd, PFM_WRITE_PMCS, &pmc, 1), "PFM_WRITE_PMCS");
	must(!pfm(fd, PFM_WRITE_PMDS, &pmd, 1), "PFM_WRITE_PMDS");
	must(!pfm(fd, PFM_LOAD_CONTEXT, &load, 1), "PFM_LOAD_CONTEXT");
	must(!pfm(fd, PFM_START, NULL, 0), "PFM_START");
	print(what, fd, NULL);
}

static void counting(void)
{
	struct request req = { 0 };

	sample("counting only", &req, 0, 0);
	sample("overflow, no format", &req, -1, 0);
}

/* Its handler is called, and does nothing. */
static void null_format(void)
{
	static const pfm_uuid_t uuid = PFM_NULL_SMPL_UUID;
	pfm_null_smpl_arg_t arg = { 0 };
	struct request req = { 0 };

	memcpy(req.ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
	memcpy(req.arg, &arg, sizeof(arg));
	sample("null", &req, -1, 0);
}

static void default_format(int body)
{
	static const pfm_uuid_t uuid = PFM_DEFAULT_SMPL_UUID;
	pfm_default_smpl_arg_t arg = { .buf_size = 1 << 20 };
	struct request req = { 0 };

	memcpy(req.ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
	memcpy(req.arg, &arg, sizeof(arg));
	sample(body ? "default, 4 PMDs" : "default", &req, -1, body);
}

static void double_format(void)
{
	static const pfm_uuid_t uuid = PFM_DOUBLE_SMPL_UUID;
	pfm_double_smpl_arg_t arg = { .buf_size = 1 << 20 };
	struct request req = { 0 };

	memcpy(req.ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
	memcpy(req.arg, &arg, sizeof(arg));
	sample("double", &req, -1, 0);
}

static void aggregate_format(void)
{
	static const pfm_uuid_t uuid = PFM_AGGREGATE_SMPL_UUID;
	pfm_aggregate_smpl_arg_t arg = { .buf_slots = 4096 };
	struct request req = { 0 };

	memcpy(req.ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
	memcpy(req.arg, &arg, sizeof(arg));
	sample("aggregate", &req, -1, 0);
}

static void callchain_format(void)
{
	static const pfm_uuid_t uuid = PFM_CALLCHAIN_SMPL_UUID;
	pfm_callchain_smpl_arg_t arg = {
		.buf_size = 1 << 20,
		.buf_flags = PFM_CALLCHAIN_SMPL_KERNEL | PFM_CALLCHAIN_SMPL_USER,
	};
	struct request req = { 0 };

	memcpy(req.ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
	memcpy(req.arg, &arg, sizeof(arg));
	sample("callchain", &req, -1, 0);
}

static void calldouble_format(const char *what, unsigned int flags)
{
	static const pfm_uuid_t uuid = PFM_CALLDOUBLE_SMPL_UUID;
	pfm_calldouble_smpl_arg_t arg = {
		.arg_size = sizeof(arg),
		.buf_size = 1 << 20,
		.buf_flags = flags,
	};
	struct request req = { 0 };

	memcpy(req.ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
	memcpy(req.arg, &arg, sizeof(arg));
	sample(what, &req, -1, 0);
}

static void callaggregate_format(void)
{
	static const pfm_uuid_t uuid = PFM_CALLAGGREGATE_SMPL_UUID;
	pfm_callaggregate_smpl_arg_t arg = {
		.arg_size = sizeof(arg),
		.buf_slots = 4096,
		.buf_words = 65536,
		.buf_flags = PFM_CALLCHAIN_SMPL_KERNEL | PFM_CALLCHAIN_SMPL_USER,
	};
	struct request req = { 0 };

	memcpy(req.ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
	memcpy(req.arg, &arg, sizeof(arg));
	sample("callaggregate", &req, -1, 0);
}

static void perf(const char *what, uint64_t more)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | more,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	void *ring;

	must(fd >= 0, "perf_event_open");
	ring = mmap(NULL, RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(ring != MAP_FAILED, "mmap");
	print(what, fd, ring);
}

static int fault_only(const char *n)
{
	long i, all = strtol(n, NULL, 10);
	unsigned char *p = mmap(NULL, all * 4096UL, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(p != MAP_FAILED, "mmap");
	for (i = 0; i < all; i++)
		p[i * 4096UL] = 1;
	return 0;
}

/* What the command executes at user level, or -1. */
static int64_t count_user(char *const command[])
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.enable_on_exec = 1,
		.exclude_kernel = 1,
		/* Threads of its own, one a CPU; not what it starts. */
		.inherit = 1,
		.inherit_thread = 1,
	};
	int64_t n = -1;
	int p[2], fd, status, null;
	pid_t pid;
	char c;

	must(!pipe(p), "pipe");
	pid = fork();
	must(pid >= 0, "fork");
	if (!pid) {
		close(p[1]);
		null = open("/dev/null", O_RDWR);
		if (read(p[0], &c, 1) != 1)
			_exit(1);
		dup2(null, 1);
		dup2(null, 2);
		execvp(command[0], command);
		_exit(127);
	}
	close(p[0]);
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);
	/* Without a PMU it is let go all the same, and ends. */
	must(write(p[1], fd < 0 ? "" : "x", fd >= 0) == (fd >= 0), "write");
	close(p[1]);
	must(waitpid(pid, &status, 0) == pid, "waitpid");
	if (fd < 0)
		return -1;
	if (status || read(fd, &n, sizeof(n)) != sizeof(n))
		n = -1;
	close(fd);
	return n;
}

#define FEW_SAMPLES	"2000"
#define MANY_SAMPLES	"12000"

/* @words come before what is recorded. */
static void recorder(const char *what, char *const words[], int n)
{
	char *command[16];
	int64_t few, many;
	int i;

	for (i = 0; i < n; i++)
		command[i] = words[i];
	command[n] = self;
	command[n + 1] = "faults";
	command[n + 3] = NULL;
	command[n + 2] = FEW_SAMPLES;
	/* What it does at the first time only is not a sample's. */
	count_user(command);
	few = count_user(command);
	command[n + 2] = MANY_SAMPLES;
	many = count_user(command);
	if (few < 0 || many < 0)
		printf("%-36s %6s\n", what, "-");
	else
		printf("%-36s %6lld\n", what,
		       (long long)(many - few) / (atoi(MANY_SAMPLES) - atoi(FEW_SAMPLES)));
}

static void recorders(void)
{
	char *const pfmon[] = {
		"pfmon", "record", "-e", "minor-faults", "-c", "1", "-R", "0",
		"-o", "/tmp/formats.data", "--",
	};
	char *const perf_record[] = {
		"perf", "record", "-e", "minor-faults", "-c", "1", "-o", "/tmp/formats.data", "--",
	};

	printf("instructions of a recorder for a sample, at user level\n");
	recorder("pfmon record", pfmon, sizeof(pfmon) / sizeof(pfmon[0]));
	recorder("perf record", perf_record, sizeof(perf_record) / sizeof(perf_record[0]));
	unlink("/tmp/formats.data");
}

int main(int argc, char **argv)
{
	int i;

	if (argc == 3 && !strcmp(argv[1], "faults"))
		return fault_only(argv[2]);
	take_short(&argc, &argv);
	must(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0, "/proc/self/exe");
	for (i = 1; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY);

		must(fd >= 0 && !syscall(SYS_finit_module, fd, "", 0), argv[i]);
		close(fd);
	}
	pages = mmap(NULL, PAGES * 4096UL, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(pages != MAP_FAILED, "mmap");
	printf("instructions that a page fault costs more\n");
	counting();
	null_format();
	default_format(0);
	default_format(BODY);
	double_format();
	aggregate_format();
	callchain_format();
	calldouble_format("calldouble",
			  PFM_CALLCHAIN_SMPL_KERNEL | PFM_CALLCHAIN_SMPL_USER);
	/* What pfmon record has of trees without -g. */
	calldouble_format("calldouble, no calls",
			  PFM_CALLCHAIN_SMPL_MAPS | PFM_CALLDOUBLE_SMPL_FORKS);
	callaggregate_format();
	perf("perf_events", 0);
	perf("perf_events, call chains", PERF_SAMPLE_CALLCHAIN);
	recorders();
	return 0;
}
