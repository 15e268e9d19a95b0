// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of PowerPC and POWER: which registers get what. A libpfm4 knows its own machine's
 * processors only: in its place there are some of its events here.
 */
#include <string.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "check.h"
#include "context.h"
#include "events.h"
#include "names.h"
#include "unit_events.h"

const bool names_known = true;

static const struct {
	const char *model, *name;
	uint64_t code;
} named[] = {
	{ "POWER8", "PM_CYC", 0x1e }, { "POWER8", "PM_RUN_CYC", 0x600f4 },
	{ "POWER8", "PM_RUN_INST_CMPL", 0x500fa }, { "POWER8", "PM_INST_FROM_L1", 0x4080 },
	{ "POWER8", "PM_THRESH_NOT_MET", 0x4016e }, { "POWER8", "PM_L2_SYS_PUMP", 0x617080 },
	{ "POWER9", "PM_CYC", 0x1001e }, { "POWER9", "PM_INST_CMPL", 0x10002 },
	{ "POWER9", "PM_BR_CMPL", 0x4d05e },
	{ "POWER10", "PM_CYC_ALT3", 0x3001e }, { "POWER10", "PM_CYC", 0x100f0 },
	{ "POWER10", "PM_INST_CMPL", 0x100fe },
	{ "POWER10", "PM_DATA_FROM_L3MISS_ALT4", 0x7c0000004c040 },
	{ "PowerPC 970", "PM_CYC", 7 }, { "PowerPC 970", "PM_INST_CMPL", 1 },
	{ "PowerPC 970", "PM_SUSPENDED", 0 }, { "PowerPC 970", "PM_RUN_CYC", 0x1005 },
	{ "PowerPC 970", "PM_MRK_GRP_DISP", 0x1002 }, { "PowerPC 970", "PM_GRP_CMPL", 0x7003 },
	{ "PowerPC 970", "PM_BR_ISSUED", 0x431 }, { "PowerPC 970", "PM_GRP_BR_MPRED", 0x327 },
	{ "PowerPC 970", "PM_FPU1_SINGLE", 0x127 }, { "PowerPC 970", "PM_L1_WRITE_CYC", 0x434 },
	{ "PowerPC 970", "PM_MRK_LSU_SRQ_INST_VALID", 0x936 },
	{ "PowerPC 970", "PM_LSU_REJECT_RELOAD_CDF", 0x6920 },
	{ "PowerPC 970", "PM_LD_MISS_L1", 0x3810 },
	{ "PowerPC 970", "PM_CMPLU_STALL_DIV", 0x708b },	/* a 970MP's */
};

const char *names_pmu(const char *model)
{
	return model;
}

int names_find(const char *model, const char *name, unsigned int levels,
	       struct named_event *event, const char **error)
{
	size_t i;

	(void)levels;
	*error = NULL;
	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (!strcmp(named[i].model, model) && !strcmp(named[i].name, name)) {
			*event = (struct named_event){ .select = named[i].code, .words = 1 };
			return 0;
		}
	return -1;
}

unsigned int names_print(const char *model, const char *glob, FILE *out)
{
	(void)model;
	(void)glob;
	(void)out;
	return 0;
}

void names_describe(const char *full, FILE *out)
{
	(void)full;
	(void)out;
}

/* Event selects of 5 to 7 bits behind what all counters have in common. */
static void describe_ppc(const char *model, unsigned int counters)
{
	static const unsigned int bits[] = { 7, 6, 5, 5, 5, 6 };
	unsigned int i;

	memset(&pmu, 0, sizeof(pmu));
	strcpy(pmu.model, model);
	add_register(0, 952, ~0x61bf0000ULL);
	for (i = 1; i <= counters; i++) {
		add_register(i, i < 3 ? 952 : 956, ~((1ULL << bits[i - 1]) - 1));
		pmu.pmd[i].there = true;
	}
	if (strncmp(model, "PowerPC 6", 9))
		add_register(7, 944, ~0x80000000ULL);
	CHECK(events_pmu(&pmu));
}

static void test_ppc(void)
{
	describe_ppc("PowerPC 7450", 6);
	CHECK_STR(registers("cycles,instructions"), "1=0x1+0=0 2=0x2+0=0");
	CHECK_STR(registers("cycles:u,instructions:u"), "1=0x1+0=0x40000000 2=0x2+0=0x40000000");
	CHECK_STR(registers("cycles:k"), "1=0x1+0=0x20000000");
	/* Those that know it give way. */
	CHECK_STR(registers("cycles,branches"), "2=0x1+0=0 1=0x22+0=0");
	CHECK_STR(registers("l1-misses,branch-misses,branches"), "2=0x17+0=0 4=0x1c+0=0 1=0x22+0=0");
	CHECK_STR(registers("instructions,r002,r2,r4,cycles,cycles"),
		  "1=0x2+0=0 2=0x2+0=0 3=0x2+0=0 4=0x4+0=0 5=0x1+0=0 6=0x1+0=0");
	CHECK_STR(registers("r523:u,r63f:u"), "'r523': this counter has no such event");
	CHECK_STR(registers("r51f:u,r63f:u"), "5=0x1f+0=0x40000000 6=0x3f+0=0x40000000");
	CHECK(strstr(registers("instructions,r002,r2,r4,r3"), "no counter is left for 'r3'"));
	/* Who is counted is one choice. */
	CHECK_STR(registers("cycles:u,instructions:k"), "no counter is left for 'instructions:k', or it counts other levels than an event beside it: of this PMU all are the same");
	CHECK_STR(turns("cycles:u,instructions:k", NULL),
		  "0:1=0x1+0=0x40000000 1:1=0x2+0=0x20000000");
	CHECK_STR(registers("r5"), "'r5': each counter has events of its own: put its number before them, as in r105");
	CHECK(strstr(registers("r0"), "each counter has events of its own"));
	CHECK_STR(registers("r100"), "'r100': this counter has no such event");
	CHECK(strstr(registers("r722"), "does not have the only counter"));
	CHECK(strstr(registers("r1ff00000022"), "no event"));
	CHECK(strstr(registers("r100000122"), "does not have the only counter"));
	CHECK_STR(registers("cycles:c=1"), "'cycles:c=1': events of this PMU have no modifiers but :u and :k");
	CHECK(strstr(registers("cache-misses"), "has none that is known to count it"));
	CHECK(strstr(registers("fixed0"), "no event 'fixed0'"));
	describe_ppc("PowerPC 604", 2);
	CHECK_STR(registers("branches,cycles"), "2=0x8+0=0 1=0x1+0=0");
	CHECK(strstr(registers("branch-misses"), "has none that is known to count it"));
	CHECK(strstr(registers("cycles,branches,instructions"), "no counter is left for"));
	describe_ppc("PowerPC 750", 4);
	CHECK_STR(registers("r308,r208"), "3=0x8+0=0 2=0x8+0=0");
	CHECK(strstr(registers("branches"), "has none that is known to count it"));
}


/* Two event selects in MMCR0, six in MMCR1, and what else MMCR1 has. */
static void describe_970(void)
{
	unsigned int i;

	memset(&pmu, 0, sizeof(pmu));
	strcpy(pmu.model, "PowerPC 970");
	add_register(0, 795, ~0x61bf0001ULL);
	for (i = 1; i <= 8; i++) {
		add_register(i, i < 3 ? 795 : 798, ~0x1fULL);
		pmu.pmd[i].there = true;
	}
	add_register(9, 798, ~0xd86ff0ff00000003ULL);
	CHECK(events_pmu(&pmu));
}

static void test_970_numbers(void)
{
	describe_970();
	CHECK_STR(registers("cycles,instructions"), "1=0xf+0=0 2=0x9+0=0");
	CHECK_STR(registers("cycles:u,rf:u,r009:u"),
		  "1=0xf+0=0x40000001 2=0xf+0=0x40000001 3=0x9+0=0x40000001");
	CHECK_STR(registers("instructions:k"), "1=0x9+0=0x20000000");
	CHECK_STR(registers("cycles,r10f,r109:u"), "no counter is left for 'r109:u', or it counts other levels, or needs another unit, than an event beside it: of this PMU all share them");
	CHECK_STR(turns("cycles:u,instructions:k", NULL),
		  "0:1=0xf+0=0x40000001 1:1=0x9+0=0x20000000");
	CHECK_STR(registers("cycles,cycles,cycles,cycles,cycles,cycles,cycles,r703"),
		  "1=0xf+0=0 2=0xf+0=0 3=0xf+0=0 4=0xf+0=0 5=0xf+0=0 6=0xf+0=0 8=0xf+0=0 7=0x3+0=0");
	CHECK_STR(registers("r3"), "'r3': each counter has events of its own: put its number before them, as in r103");
	CHECK_STR(registers("r108"), "'r108': this is not an event");
	CHECK_STR(registers("r12f"), "'r12f': this counter has no such event");
	CHECK_STR(registers("r90f"), "'r90f': this machine does not have the only counters that could count it");
	CHECK_STR(registers("r102"), "'r102' counts marked instructions, which the kernel does not have here");
	CHECK_STR(registers("cycles:e"), "'cycles:e': events of this PMU have no modifiers but :u and :k");
	CHECK(strstr(registers("r100000431"), "no event 'r100000431'"));
	CHECK(strstr(registers("branches"), "has none that is known to count it"));
	CHECK(strstr(registers("fixed0"), "no event 'fixed0'"));
}

static void test_970_units(void)
{
	describe_970();
	CHECK_STR(registers("l1-misses:u"), "3=0+0=0x40000001+9=0x3000000000000");
	/* The same lane for both, and beside them what needs no lane, or another one. */
	CHECK_STR(registers("l1-misses,l1-accesses,cycles,PM_BR_ISSUED"),
		  "3=0+0=0+9=0x3000000000000 8=0+0=0+9=0x3000000000000 1=0xf+0=0 4=0x19+0=0+9=0x8000000000000000");
	CHECK_STR(registers("PM_BR_ISSUED,PM_GRP_BR_MPRED,PM_L1_WRITE_CYC"),
		  "3=0x19+0=0+9=0x8000000000000000 1=0x1f+0=0+9=0x1000400000000000 4=0x1c+0=0+9=0x8000000000000000");
	CHECK_STR(registers("PM_LD_MISS_L1:k"), "3=0+0=0x20000000+9=0x3000000000000");
	CHECK_STR(registers("PM_LSU_REJECT_RELOAD_CDF"), "6=0+0=0+9=0x40c02000000000");
	CHECK_STR(registers("PM_CMPLU_STALL_DIV"), "7=0xb+0=0+9=0x2");
	CHECK_STR(registers("PM_RUN_CYC,PM_GRP_CMPL,PM_CYC,PM_INST_CMPL"),
		  "1=0x5+0=0 7=0x3+0=0 2=0xf+0=0 3=0x9+0=0");
	/* One multiplexer cannot have two units, nor a lane. */
	CHECK(strstr(registers("PM_FPU1_SINGLE,PM_BR_ISSUED"), "or needs another unit"));
	CHECK_STR(turns("PM_FPU1_SINGLE,PM_BR_ISSUED", NULL),
		  "0:1=0x1f+0=0+9=0 1:3=0x19+0=0+9=0x8000000000000000");
	CHECK(strstr(registers("PM_FPU1_SINGLE,PM_GRP_BR_MPRED"), "or needs another unit"));
	/* By number it has what the lane has if nothing is said. */
	CHECK_STR(registers("r31a,r110"), "3=0x1a+0=0+9=0 1=0x10+0=0+9=0");
	CHECK(strstr(registers("r41a,l1-misses"), "or needs another unit"));
	CHECK_STR(registers("PM_SUSPENDED"), "'PM_SUSPENDED': this is not an event");
	CHECK_STR(registers("PM_MRK_GRP_DISP"), "'PM_MRK_GRP_DISP' counts marked instructions, which the kernel does not have here");
	CHECK(strstr(registers("PM_MRK_LSU_SRQ_INST_VALID"), "counts marked instructions"));
	CHECK(strstr(registers("PM_NONE_SUCH"), "no event 'PM_NONE_SUCH'"));
	pmu.pmc[9].reserved |= 1ULL << 48;
	CHECK_STR(registers("l1-misses"), "'l1-misses' needs bits that the kernel reserves");
	pmu.pmc[9].there = false;
	CHECK(strstr(registers("PM_CMPLU_STALL_DIV"), "bits that the kernel reserves"));
	CHECK_STR(registers("cycles"), "1=0xf+0=0");
}

/* The code's number may be 0; unit and combination are of the first four counters only. */
static void describe_power(const char *model)
{
	const uint64_t levels = 7ULL << 32;
	unsigned int i;

	memset(&pmu, 0, sizeof(pmu));
	strcpy(pmu.model, model);
	for (i = 1; i <= 6; i++) {
		add_register(i, i < 5 ? 798 : 785, ~(levels | 0xf00ff));
		if (i < 5)
			pmu.pmc[i].reserved &= strcmp(model, "POWER8") ? ~0xfc00ULL : ~0xf800ULL;
		pmu.pmd[i].there = true;
	}
	CHECK(events_pmu(&pmu));
}

static void test_power8(void)
{
	describe_power("POWER8");
	CHECK_STR(registers("cycles,instructions"), "1=0x1e 2=0x2");
	/* Levels are each counter's. */
	CHECK_STR(registers("cycles:u,instructions:k,cycles:uk"), "1=0x50000001e 2=0x200000002 3=0x1e");
	CHECK_STR(registers("branches:u,cycles,l1-accesses"), "4=0x500040060 2=0x1e 1=0x100ee");
	CHECK_STR(registers("branch-misses,cache-references,cache-misses"), "4=0x400f6 2=0x200fe 3=0x300fe");
	CHECK_STR(registers("LLC-loads,LLC-load-misses"), "4=0x4c042 3=0x300fe");
	CHECK_STR(registers("l1-misses:k"), "3=0x20003e054");
	CHECK_STR(registers("branches,branch-misses"), "no counter is left for 'branch-misses', which not every counter can count: see pfmon explain");
	CHECK_STR(turns("branches,branch-misses", NULL), "0:4=0x40060 1:4=0x400f6");
	CHECK_STR(turns("branches,cycles", "r10068"), "4=0x40060 2=0x1e");
	CHECK_STR(registers("cycles,cycles,cycles,cycles,r500fa:u,r600f4:u"),
		  "1=0x1e 2=0x1e 3=0x1e 4=0x1e 5=0x5000500fa 6=0x5000600f4");
	CHECK(strstr(registers("cycles,cycles,cycles,cycles,instructions"), "no counter is left for 'instructions'"));
	CHECK_STR(registers("r1e,r4001e,r0080"), "1=0x1e 4=0x4001e 2=0x80");
	CHECK_STR(registers("r5001e"), "'r5001e': counters 5 and 6 have one event each, r500fa and r600f4");
	CHECK_STR(registers("r600fa"), "'r600fa': counters 5 and 6 have one event each, r500fa and r600f4");
	CHECK(strstr(registers("r70002"), "does not have the only counters"));
	CHECK_STR(registers("r10000"), "'r10000': this is not an event");
	CHECK(strstr(registers("r0"), "this is not an event"));
	CHECK_STR(registers("r10134"), "'r10134' needs 0x100 in the control register, which the kernel does not let programs set: marked instructions, which the processor chooses at random");
	CHECK_STR(registers("r617080"), "'r617080' needs 0x600000 in the control register, which the kernel does not let programs set: a part of a cache");
	CHECK_STR(registers("r10480"), "'r10480' needs 0x400 in the control register, which the kernel does not let programs set: no part of an event");
	CHECK(strstr(registers("r34340401e0"), "needs 0x3434000100 in"));
	CHECK(strstr(registers("r500000001e"), "thresholds, random sampling"));
	CHECK(strstr(registers("r8000000000000002"), "needs 0x8000000000000000 in"));
	CHECK(strstr(registers("r10000000000000002"), "no event 'r1000"));
	CHECK_STR(registers("cycles:c=1"), "'cycles:c=1': events of this PMU have no modifiers but :u and :k");
	CHECK_STR(registers("cycles:k=0"), "'cycles' counts neither programs nor the kernel");
	CHECK_STR(registers("r16080,r26082,r46884"), "1=0x16080 2=0x26082 4=0x46884");
	CHECK_STR(registers("PM_CYC:u,PM_RUN_CYC:u,PM_RUN_INST_CMPL:k,PM_INST_FROM_L1"),
		  "1=0x50000001e 6=0x5000600f4 5=0x2000500fa 2=0x4080");
	CHECK(strstr(registers("PM_THRESH_NOT_MET"), "marked instructions"));
	CHECK(strstr(registers("PM_L2_SYS_PUMP"), "needs 0x600000 in"));
	CHECK(strstr(registers("PM_NONE_SUCH:u"), "no event 'PM_NONE_SUCH:u'"));
	CHECK(strstr(registers("fixed0"), "no event 'fixed0'"));
}

static void test_power9(void)
{
	describe_power("POWER9");
	CHECK_STR(registers("branches:u,cycles:u"), "4=0x50004d05e 1=0x50000001e");
	CHECK_STR(registers("l1-misses,l1-accesses,branch-misses"), "2=0x2c04e 1=0x100fc 4=0x400f6");
	CHECK_STR(registers("r10c02"), "1=0x10c02");
	/* libpfm4 names the first counter. */
	CHECK_STR(registers("r1001e,PM_CYC,PM_INST_CMPL:u,PM_BR_CMPL"), "1=0x1001e 2=0x1e 3=0x500000002 4=0x4d05e");
}

/*
 * POWER9 counts the second and third cache's events in banks that counter 4's event chooses.
 * The examples are those of Linux' commit 59029136d750: groups without counter 4's event are
 * invalid there, here it goes with them, and counts nobody.
 */
static void test_power9_banks(void)
{
	describe_power("POWER9");
	CHECK_STR(registers("r160a0,r260a0,r360a0"),
		  "1=0x160a0+4=0x7000460a0 2=0x260a0+4=0x7000460a0 3=0x360a0+4=0x7000460a0");
	CHECK_STR(registers("r360a0"), "3=0x360a0+4=0x7000460a0");
	CHECK_STR(registers("r460a0,r160a0,r260a0,r360a0"), "4=0x460a0 1=0x160a0 2=0x260a0 3=0x360a0");
	CHECK_STR(registers("r460a0,r360a0"), "4=0x460a0 3=0x360a0");
	CHECK_STR(registers("r360a0:u,r460a0:k"), "3=0x5000360a0 4=0x2000460a0");
	/* Of two banks, or with another event of counter 4, one at a time. */
	CHECK_STR(registers("r16880,r26882"), "no counter is left for 'r26882', or an event of another bank of the caches, or of counter 4, is beside it: counter 4's event chooses the bank");
	CHECK(strstr(registers("r16880,r400f6"), "no counter is left for 'r400f6'"));
	CHECK(strstr(registers("r460a0,r16880"), "another bank of the caches"));
	CHECK_STR(turns("r16880,r46880,r26882,cycles", NULL),
		  "0:1=0x16880 0:4=0x46880 1:2=0x26882+4=0x700046882 1:1=0x1e");
	/* Three other counters are left, and of four events one has to wait. */
	CHECK_STR(registers("r16880,cycles,instructions"), "1=0x16880+4=0x700046880 2=0x1e 3=0x2");
	CHECK(strstr(registers("r16880,cycles,instructions,cycles:u"), "no counter is left for 'cycles:u'"));
	/* An event without a number is not given to counter 4, which would choose another bank. */
	CHECK_STR(registers("r06880"), "1=0x6880+4=0x700046880");
	/* The event that says when to switch leaves counter 4 to the bank. */
	CHECK_STR(turns("r16880", "cycles"), "1=0x16880+4=0x700046880");
	CHECK_STR(turns("r16880,r46880", "cycles"), "1=0x16880 4=0x46880");
	CHECK(strstr(turns("r16880", "r400f6"), "no counter is left for 'r16880'"));
	/* Units of the core have no banks. */
	CHECK_STR(registers("r15080,r25082,r400f6"), "1=0x15080 2=0x25082 4=0x400f6");
	CHECK_STR(registers("r1a080,r2a082,r400f6"), "1=0x1a080 2=0x2a082 4=0x400f6");
}

/* Events that perf refuses on one revision of the processor or another. */
static void test_power9_revisions(void)
{
	static const struct {
		const char *line;
		uint32_t pvr;
		bool r100f4, r1c058, r4003c;
	} cases[] = {
		{ "revision\t: 2.1 (pvr 004e 1201)\n", 0x004e1201, false, true, false },
		{ "revision\t: 2.2 (pvr 004e 1202)\n", 0x004e1202, true, false, false },
		{ "revision\t: 2.3 (pvr 004e 1203)\n", 0x004e1203, true, true, true },
		/* Another chip of that family, and another family. */
		{ "revision\t: 2.2 (pvr 004e 2202)\n", 0x004e2202, true, true, true },
		{ "revision\t: 2.1 (pvr 004d 0201)\n", 0x004d0201, true, true, true },
		{ "processor\t: 0\n", 0, true, true, true },
	};
	static const char *const file = "/proc/self/fd/9";
	size_t i;
	FILE *f;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		describe_power("POWER9");
		f = tmpfile();
		CHECK(f && fprintf(f, "cpu\t\t: POWER9\n%s\nrevision\t: 2.2 (pvr 004e 1202)\n",
				   cases[i].line) > 0 && !fflush(f) && dup2(fileno(f), 9) == 9);
		pmu_read_cpu(&pmu, file);
		fclose(f);
		CHECK(pmu.pvr == cases[i].pvr);
		CHECK(!strcmp(registers("r100f4"), "1=0x100f4") == cases[i].r100f4);
		CHECK(!strcmp(registers("r1c058"), "1=0x1c058") == cases[i].r1c058);
		CHECK(!strcmp(registers("r4003c"), "4=0x4003c") == cases[i].r4003c);
		CHECK(!!strstr(registers("r4003c"), "perf refuses this event on this revision") ==
		      !cases[i].r4003c);
	}
	close(9);
}

static void test_power10(void)
{
	describe_power("POWER10");
	CHECK_STR(registers("branches,cycles:k,instructions"), "4=0x4d05e 1=0x20000001e 2=0x2");
	CHECK_STR(registers("l1-misses,l1-accesses"), "3=0x3e054 1=0x100fc");
	CHECK_STR(registers("r16880,r26882"), "1=0x16880 2=0x26882");
	CHECK_STR(registers("PM_CYC_ALT3,PM_INST_CMPL:u,PM_CYC"), "1=0x1e 2=0x500000002 3=0x1e");
	CHECK_STR(registers("r100f0,r3001e"), "1=0x100f0 3=0x3001e");
	CHECK(strstr(registers("PM_DATA_FROM_L3MISS_ALT4"), "or where data came from"));
	strcpy(pmu.model, "POWER12");
	CHECK(!events_pmu(&pmu));
	CHECK(strstr(registers("cycles"), "(POWER12) are not known to pfmon yet"));
	/* The same PMU under another name. */
	describe_power("POWER11");
	CHECK_STR(registers("branches,cycles:k,instructions"), "4=0x4d05e 1=0x20000001e 2=0x2");
	CHECK_STR(registers("l1-misses,l1-accesses"), "3=0x3e054 1=0x100fc");
	CHECK_STR(registers("r16880,r26882"), "1=0x16880 2=0x26882");
}

/* What has the code of a known event is that event. */
static void test_known(void)
{
	static char error[EVENTS_ERROR_MAX];
	static struct counters c;

	describe_power("POWER9");
	CHECK(!counters_add(&c, "PM_CYC,r1e,r4d05e,r25080", error));
	CHECK(c.c[0].event->unit == UNIT_CYCLES && c.c[1].event->unit == UNIT_CYCLES);
	CHECK_STR(c.c[2].event->name, "branches");
	CHECK(c.c[3].event->unit == UNIT_COUNT);
	describe_970();
	memset(&c, 0, sizeof(c));
	CHECK(!counters_add(&c, "PM_CYC,PM_LD_MISS_L1", error));
	CHECK(c.c[0].event->unit == UNIT_CYCLES);
	CHECK_STR(c.c[1].event->name, "l1-misses");
}

/* What the kernel is given for registers that belong to several events. */
static pfarg_pmc_t written[8];
static int writes;

int perfmonctl(int fd, int cmd, void *arg, int narg)
{
	(void)fd;
	CHECK(cmd == PFM_WRITE_PMCS && narg <= 8);
	memcpy(written, arg, (size_t)narg * sizeof(written[0]));
	writes = narg;
	return 0;
}

static void test_written(void)
{
	static char error[EVENTS_ERROR_MAX];
	static struct counters c;
	struct failure failure;

	describe_970();
	c.many = true;
	CHECK(!counters_add(&c, "l1-misses:u,PM_BR_ISSUED:u,cycles:u,PM_FPU1_SINGLE:u", error));
	CHECK(!counters_take_turns(&c, false, error) && c.sets == 2);
	CHECK(!context_write_extras(0, &c, 0, &failure) && writes == 2);
	CHECK(written[0].reg_num == 0 && written[0].reg_value == 0x40000001);
	CHECK(written[1].reg_num == 9 && written[1].reg_value == 0x8003000000000000);
	CHECK(!context_write_extras(0, &c, 1, &failure) && writes == 2);
	CHECK(written[0].reg_set == 1 && written[0].reg_value == 0x40000001);
	CHECK(written[1].reg_set == 1 && written[1].reg_num == 9 && !written[1].reg_value);
}

int main(void)
{
	test_ppc();
	test_970_numbers();
	test_970_units();
	test_power8();
	test_power9();
	test_power9_banks();
	test_power9_revisions();
	test_power10();
	test_known();
	test_written();
	return check_done();
}
