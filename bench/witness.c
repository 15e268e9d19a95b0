// SPDX-License-Identifier: GPL-2.0-only
/*
 * witness: what perf_events, which we did not write, counts on the bench's PMU
 *
 * A loop of known length, twice as long the second time: what is added must be
 * the loop's own events, exactly, in user mode; and a sample must come each period.
 * With the argument "alone": the loop alone, of 20 million instructions, for perf.
 * With "warm": only samples, the second time they are taken. The driver for NetBurst
 * of 6.1 (p4_pmu_set_period()) starts a counter with the period that it had last.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PERIOD 100000

static int nr_failed;
static bool quiet;

static void check(const char *what, uint64_t got, uint64_t want)
{
	if (got == want) {
		if (!quiet)
			printf("PASS %s\n", what);
		return;
	}
	if (!quiet)
		printf("FAIL %s: %llu, not %llu\n", what, (unsigned long long)got,
		       (unsigned long long)want);
	nr_failed++;
}

static int event(uint64_t config, uint64_t period, bool user, int group)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = group < 0,
		.exclude_kernel = user,
		.exclude_hv = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, group, 0);
}

static void loop(unsigned long n)
{
#ifdef __powerpc__
	asm volatile("1: addic. %0, %0, -1\n\tbne 1b" : "+r" (n) : : "cr0", "xer");
#else
	asm volatile("1: dec %0\n\tjnz 1b" : "+r" (n) : : "cc");
#endif
}

static uint64_t count(int fd)
{
	uint64_t val = 0;

	if (read(fd, &val, sizeof(val)) != sizeof(val))
		val = -1;
	return val;
}

static const uint64_t configs[] = {
	PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
};
static const char *const names[] = { "cycles:u", "instructions:u", "branches:u" };
static const uint64_t per_turn[] = { 2, 2, 1 };

static void added(const int *fds, int nr, const char *how)
{
	uint64_t vals[3][3];
	char text[80];
	int i, j;

	for (j = 0; j < 3; j++) {
		for (i = 0; i < nr; i++)
			ioctl(fds[i], PERF_EVENT_IOC_RESET, 0);
		ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0);
		loop(1000000 * (j + 1));
		ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0);
		for (i = 0; i < nr; i++)
			vals[j][i] = count(fds[i]);
	}
	for (i = 0; i < nr; i++) {
		const char *name = nr == 1 ? how : names[i];

		for (j = 0; j < 3 && nr == 1 && strcmp(names[j], how); j++)
			;
		snprintf(text, sizeof(text), "%s%s", name, nr == 1 ? "" : how);
		check(text, vals[2][i] - vals[1][i], 1000000 * per_turn[nr == 1 ? j : i]);
	}
}

static void samples(void)
{
	struct perf_event_mmap_page *page;
	long size = sysconf(_SC_PAGESIZE);
	int fd = event(PERF_COUNT_HW_INSTRUCTIONS, PERIOD, true, -1);
	uint64_t nr = 0, others = 0, at;

	page = mmap(NULL, 9 * size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || page == MAP_FAILED) {
		check("open for samples", 0, 1);
		return;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(5000000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	for (at = 0; at < page->data_head;) {
		struct perf_event_header *header = (void *)((char *)page + size + at);

		if (header->type == PERF_RECORD_SAMPLE)
			nr++;
		else
			others++;
		at += header->size;
	}
	check("a sample for each 100000 instructions", nr, count(fd) / PERIOD);
	check("a hundred of them", nr, 100);
	check("nothing else", others, 0);
	close(fd);
}

int main(int argc, char **argv)
{
	int fds[3], i;

	if (argc > 1 && !strcmp(argv[1], "alone")) {
		loop(10000000);
		return 0;
	}
	if (argc > 1) {
		quiet = true;
		samples();
		quiet = false;
		nr_failed = 0;
		samples();
		return nr_failed != 0;
	}
	for (i = 0; i < 3; i++) {
		fds[0] = event(configs[i], 0, true, -1);
		if (fds[0] < 0) {
			perror(names[i]);
			check(names[i], 0, 1);
			continue;
		}
		added(fds, 1, names[i]);
		close(fds[0]);
	}
	fds[0] = event(configs[0], 0, true, -1);
	fds[1] = event(configs[1], 0, true, fds[0]);
	if (fds[1] >= 0)
		added(fds, 2, ", two in a group");
	close(fds[0]);
	close(fds[1]);
	samples();
	return nr_failed != 0;
}
