// SPDX-License-Identifier: GPL-2.0-only
/*
 * witness_spr: what the kernel's own files of registers (CONFIG_PMU_SYSFS), which we did not
 * write, show of the bench's PMU of 750 and 74xx
 *
 * Root writes MMCR0, MMCR1 and the counters by these files, with the codes of the manuals
 * (IBM 750GX, MPC7400 and MPC7450 User's Manuals, chapter 11). Between two writes of MMCR0 a
 * loop of known length runs at user level: a loop that is twice as long has to add just as
 * many events again. For 750 and 7400 there is no perf_events; 604 has no such files.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FC		0x80000000U	/* nothing counts */
#define FCS		0x40000000U	/* not in supervisor state */
#define FCP		0x20000000U	/* not in problem state */

#define TURNS		1000000U
#define PER_TURN	3U		/* instructions of loop() */
#define COUNTERS	6
#define CYCLES		1
#define INSTRUCTIONS	2

static int mmcr[2], pmc[COUNTERS];
static unsigned int counters;
static int nr_failed;

static void check(const char *what, uint32_t got, uint32_t want)
{
	if (got == want) {
		printf("PASS %s\n", what);
		return;
	}
	printf("FAIL %s: %u, not %u\n", what, got, want);
	nr_failed++;
}

static int file_of(const char *name, unsigned int num)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/%s%u", name, num);
	return open(path, O_RDWR);
}

/* All values have the same length, so that each write takes the same instructions. */
struct text {
	char digits[9];
};

static struct text text_of(uint32_t value)
{
	struct text text;

	snprintf(text.digits, sizeof(text.digits), "%08x", value);
	return text;
}

static void put(int fd, const struct text *text)
{
	if (pwrite(fd, text->digits, 8, 0) != 8) {
		perror("cannot write a register");
		exit(1);
	}
}

static uint32_t get(int fd)
{
	char text[32] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0) {
		perror("cannot read a register");
		exit(1);
	}
	return strtoul(text, NULL, 16);
}

static void set(int fd, uint32_t value)
{
	struct text text = text_of(value);

	put(fd, &text);
}

/* A branch that is not taken, but at the end, and one that is, in each turn. */
static void loop(unsigned long n)
{
	asm volatile("1: addic. %0, %0, -1\n\tbeq 2f\n\tb 1b\n2:"
		     : "+r" (n) : : "cr0", "xer");
}

/* MMCR0 is @levels and the events of counters 1 and 2, MMCR1 has the others'. */
static void run(uint32_t levels, const unsigned int *event, unsigned long turns)
{
	struct text on = text_of(levels | event[0] << 6 | event[1]), off = text_of(FC);

	set(mmcr[1], event[2] << 27 | event[3] << 22 | event[4] << 17 | event[5] << 11);
	put(mmcr[0], &on);
	loop(turns);
	put(mmcr[0], &off);
}

/* What the counter @n, from 0, says of its event. */
static uint32_t count(uint32_t levels, unsigned int n, unsigned int code, unsigned long turns)
{
	unsigned int event[COUNTERS] = { 0 };

	event[n] = code;
	set(pmc[n], 0);
	run(levels, event, turns);
	return get(pmc[n]);
}

static void added(const char *what, unsigned int n, unsigned int code, uint32_t per_turn)
{
	char text[80];
	uint32_t once = count(FCS, n, code, TURNS);

	snprintf(text, sizeof(text), "counter %u, event %#x, %s", n + 1, code, what);
	check(text, count(FCS, n, code, 2 * TURNS) - once, TURNS * per_turn);
}

static void common_events(void)
{
	unsigned int n;

	for (n = 0; n < counters; n++) {
		added("cycles", n, CYCLES, PER_TURN);
		if (n < 4)
			added("instructions", n, INSTRUCTIONS, PER_TURN);
	}
}

static void branches(unsigned int version)
{
	switch (version) {
	case 0x0008:
		added("branches taken", 2, 8, 1);
		added("branches not taken", 1, 8, 1);
		break;
	case 0x000c:
	case 0x800c:
		added("branches taken", 2, 5, 1);
		added("branches not taken", 1, 5, 1);
		break;
	default:
		added("branches", 0, 0x22, 2);
	}
}

/* Who is not to be counted is not, and no event is nothing. */
static void freezes(void)
{
	static const uint32_t levels[] = { FC, FCS | FCP };
	char text[40];
	unsigned int i;
	uint32_t user = count(FCS, 0, INSTRUCTIONS, TURNS);

	for (i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "nothing with MMCR0 %08x", levels[i]);
		check(text, count(levels[i], 0, INSTRUCTIONS, TURNS), 0);
	}
	check("nothing without an event", count(FCS, 0, 0, TURNS), 0);
	check("both levels are more", count(0, 0, INSTRUCTIONS, TURNS) > user, 1);
	check("the kernel alone is less", count(FCP, 0, INSTRUCTIONS, 100 * TURNS) < 100 * TURNS, 1);
}

/* All at once see the same, go on from what was written, and wrap at 32 bits. */
static void together(void)
{
	unsigned int event[COUNTERS] = { 0 }, n;
	char text[40];
	uint32_t user = count(FCS, 0, CYCLES, TURNS);

	for (n = 0; n < counters; n++) {
		event[n] = CYCLES;
		set(pmc[n], 0xffff0000U + n);
	}
	run(FCS, event, TURNS);
	loop(TURNS);
	for (n = 0; n < counters; n++) {
		snprintf(text, sizeof(text), "counter %u goes on and wraps", n + 1);
		check(text, get(pmc[n]), user + 0xffff0000U + n);
	}
}

static unsigned int version_of(void)
{
	unsigned int version = 0;
	char line[256];
	FILE *f = fopen("/proc/cpuinfo", "r");
	char *at;

	while (f && fgets(line, sizeof(line), f)) {
		at = strstr(line, "(pvr ");
		if (at)
			version = strtoul(at + 5, NULL, 16);
	}
	if (f)
		fclose(f);
	return version;
}

int main(void)
{
	unsigned int version = version_of(), n;

	mmcr[0] = file_of("mmcr", 0);
	mmcr[1] = file_of("mmcr", 1);
	for (n = 0; n < COUNTERS; n++) {
		pmc[n] = file_of("pmc", n + 1);
		if (pmc[n] >= 0)
			counters = n + 1;
	}
	check("counters that have files", counters, version >> 4 == 0x800 ? 6 : 4);
	if (mmcr[0] < 0 || mmcr[1] < 0 || counters < 4) {
		check("files of MMCR0 and MMCR1", 0, 1);
		return 1;
	}
	set(mmcr[0], FC);
	common_events();
	branches(version);
	freezes();
	together();
	return nr_failed != 0;
}
