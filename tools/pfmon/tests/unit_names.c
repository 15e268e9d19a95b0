// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of the hardware: which registers get what, for several families of processors.
 * Linked twice, with libpfm4's names and without them.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "events.h"
#include "match.h"
#include "names.h"
#include "unit_events.h"

/* What the kernel reserves in PerfEvtSel, and on AMD since family 10h. */
#define RESERVED	0xffffffff00380000ULL
#define RESERVED_10H	0xfffffff000380000ULL

static void describe(const char *model, unsigned int family, unsigned int cpu,
		     unsigned int general, unsigned int fixed, uint64_t reserved)
{
	unsigned int i;

	memset(&pmu, 0, sizeof(pmu));
	strcpy(pmu.model, model);
	pmu.family = family;
	pmu.cpu = cpu;
	for (i = 0; i < general; i++)
		pmu.pmc[i] = (struct pmu_register){ true, 0x186 + i, reserved };
	for (i = PMU_FIXED; i < PMU_FIXED + fixed; i++)
		pmu.pmc[i] = (struct pmu_register){ true, 0x38d, ~3ULL };
	for (i = 0; i < PMU_COUNTERS; i++)
		pmu.pmd[i].there = pmu.pmc[i].there;
	CHECK(events_pmu(&pmu));
}

/* A name of libpfm4, which does not exist without it. */
static void check_named(const char *list, const char *want)
{
	if (names_known)
		CHECK_STR(registers(list), want);
	else
		CHECK(strstr(registers(list), "no event '"));
}

static void describe_skylake(void)
{
	describe("Intel architectural 4", 6, 94, 4, 3, RESERVED);
	add_register(32, 0x1a6, 0xffffffc000007000);
	add_register(33, 0x1a7, 0xffffffc000007000);
	add_register(34, 0x3f6, 0xffffffffffff0000);
	add_register(35, 0x3f7, 0xffffffffff8000e8);
}

static void test_skylake_names(void)
{
	describe_skylake();
	check_named("INST_RETIRED:ANY_P:u", "0=0x4100c0");
	check_named("skl::INST_RETIRED.ANY_P:k", "0=0x4200c0");
	check_named("INST_RETIRED:ANY_P:uk", "0=0x4300c0");
	check_named("INST_RETIRED:ANY_P:u=0:k", "0=0x4200c0");
	check_named("L1D_PEND_MISS:PENDING:c=2:e:i:u", "2=0x2c50148");
	check_named("INST_RETIRED:PREC_DIST", "1=0x4301c0");
	check_named("UNHALTED_REFERENCE_CYCLES:u", "18=0x2");
	check_named("OFFCORE_RESPONSE_0:DMND_DATA_RD:ANY_RESPONSE", "0=0x4301b7+32=0x10001");
	check_named("OFFCORE_RESPONSE_1:0x10001", "0=0x4301bb+33=0x10001");
	check_named("MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=100", "0=0x4301cd+34=0x64");
	check_named("FRONTEND_RETIRED:DSB_MISS", "0=0x4301c6+35=0x11");
	check_named("UOPS_ISSUED:ANY:t", "'UOPS_ISSUED:ANY:t' needs 0x200000 in the control register, which the kernel does not let programs set: any thread, also of other programs");
	check_named("UOPS_ISSUED:NONE_SUCH", "'UOPS_ISSUED:NONE_SUCH': invalid event attribute (libpfm4; see pfmon list)");
	check_named("INST_RETIRED:ANY_P:u=0:k=0", "'INST_RETIRED:ANY_P' counts neither programs nor the kernel");
	/* The same event by its three names is the same. */
	check_named("instructions:u,INST_RETIRED:ANY_P:u,r00c0:u", "0=0x4100c0 1=0x4100c0 2=0x4100c0");
	CHECK(strstr(registers("RETIRED_FUSED_INSTRUCTIONS"), "no event 'RETIRED_FUSED_INSTRUCTIONS'"));
	CHECK(strstr(registers("perf::cycles"), "no event 'perf::cycles'"));
	CHECK(!names_pmu("Intel architectural 4") == !names_known);
	CHECK(!names_pmu("AMD K8") && !names_pmu("Intel P6") && !names_pmu(""));
}

/* What most models have, under their own codes, as libpfm4 calls them there. */
static void test_skylake_common(void)
{
	static const char *const want = "0=0x4300c5 1=0x434f2e 2=0x43412e 3=0x430151";

	describe_skylake();
	CHECK_STR(registers("branch-misses,cache-references,cache-misses,l1-misses"), want);
	check_named("BR_MISP_RETIRED:ALL_BRANCHES,LONGEST_LAT_CACHE:REFERENCE,LONGEST_LAT_CACHE:MISS,L1D:REPLACEMENT",
		    want);
	CHECK_STR(registers("l1-misses:u"), "0=0x410151");
	CHECK_STR(registers("l1-misses,l1-accesses"), "0=0x430151 1=0x4381d0");
	check_named("L1D:REPLACEMENT,MEM_INST_RETIRED:ALL_LOADS", "0=0x430151 1=0x4381d0");
	describe("Intel architectural 3", 6, 42, 4, 3, RESERVED);
	CHECK_STR(registers("l1-accesses"), "0=0x4381d0");
	/* Models that are not in the table have what the architecture has. */
	describe("Intel architectural 4", 6, 102, 4, 3, RESERVED);
	CHECK_STR(registers("branch-misses,cache-misses"), "0=0x4300c5 1=0x43412e");
	CHECK_STR(registers("l1-misses:u"), "no event 'l1-misses:u': this model of the PMU (Intel architectural 4) has none that is known to count it");
	CHECK(strstr(registers("l1-accesses"), "has none that is known to count it"));
	describe("Intel architectural 3", 6, 55, 2, 3, RESERVED);
	CHECK_STR(registers("l1-misses,l1-accesses"), "0=0x430104 1=0x434004");
	describe("Intel architectural 5", 6, 143, 8, 4, RESERVED);
	CHECK_STR(registers("l1-misses,l1-accesses"), "0=0x430151 1=0x4381d0");
}

static void test_skylake_numbers(void)
{
	describe_skylake();
	CHECK_STR(registers("r0148:e:i:c=2:u"), "2=0x2c50148");
	CHECK_STR(registers("cycles:u=1,cycles:k=0:u"), "0=0x41003c 1=0x41003c");
	CHECK_STR(registers("cycles:k=0"), "'cycles' counts neither programs nor the kernel");
	CHECK_STR(registers("cycles:c=0x10:i"), "0=0x10c3003c");
	CHECK_STR(registers("r01b7:rsp=0x10001:k"), "0=0x4201b7+32=0x10001");
	CHECK_STR(registers("r01c6:frontend=0x11"), "0=0x4301c6+35=0x11");
	CHECK_STR(registers("fixed2:k,r0300:u,fixed0,fixed1"),
		  "no counter is left for 'r0300:u', which not every counter can count: see pfmon explain");
	CHECK_STR(registers("fixed2:k,fixed0,fixed1:u"), "18=0x1 16=0x3 17=0x2");
	CHECK_STR(registers("r01bb:rsp=0xf000010001"), "'r01bb:rsp=0xf000010001' needs 0xf000010001 in PMC 33, whose bits 0xffffffc000007000 are reserved");
	CHECK_STR(registers("r01b7"), "'r01b7' counts what PMC 32 says: add :rsp=VALUE");
	CHECK_STR(registers("r01b7:ldlat=3"), "'r01b7:ldlat=3': this event has no ldlat");
	CHECK_STR(registers("cycles:rsp=1"), "'cycles:rsp=1': this event has no rsp");
	CHECK_STR(registers("fixed3"), "'fixed3': this machine does not have the only counters that could count it");
	CHECK_STR(registers("r1000300"), "'r1000300': this is not an event; fixed counters have no modifiers but :u and :k");
	CHECK_STR(registers("r20003c"), "'r20003c': an event of this PMU can have the bits 0xff84ffff; who is counted :u and :k say");
	CHECK_STR(registers("cycles:t"), "'cycles:t' needs 0x200000 in the control register, which the kernel does not let programs set: any thread, also of other programs");
	CHECK(strstr(registers("cycles:c=256"), "can have the modifiers"));
	CHECK(strstr(registers("cycles:c="), "can have the modifiers"));
	CHECK(strstr(registers("cycles:c=-1"), "can have the modifiers"));
	CHECK(strstr(registers("fixed"), "no event 'fixed'"));
}

/* A counter for each event if there is a way, and another set if not. */
static void test_skylake_counters(void)
{
	describe_skylake();
	CHECK_STR(registers("r1,r2,r3,r0148"), "0=0x430001 1=0x430002 3=0x430003 2=0x430148");
	CHECK_STR(registers("r1,r2,r01c0,r0148"), "0=0x430001 3=0x430002 1=0x4301c0 2=0x430148");
	CHECK_STR(registers("cycles,instructions,r1,r2,r3,r4"),
		  "17=0x3 16=0x3 2=0x430001 3=0x430002 1=0x430003 0=0x430004");
	/* By number it is what the control register of many events says. */
	CHECK_STR(registers("r3c,rc0,r1,r2,r3"), "no counter is left for 'r3': at most 4 hardware events at a time");
	CHECK_STR(registers("cycles:c=1,r1,r2,r3,r4"), "no counter is left for 'r4': at most 4 hardware events at a time");
	CHECK_STR(registers("r0148,r0148:u"),
		  "no counter is left for 'r0148:u', which not every counter can count: see pfmon explain");
	CHECK_STR(turns("r0148,r0148:u,cycles", NULL), "0:2=0x430148 1:2=0x410148 1:0=0x43003c");
	/* One register cannot say two things, but the same to two events. */
	CHECK_STR(registers("r01b7:rsp=1,r01b7:rsp=1:u"), "0=0x4301b7+32=0x1 1=0x4101b7+32=0x1");
	CHECK(strstr(registers("r01b7:rsp=1,r01b7:rsp=2"), "no counter is left for"));
	CHECK_STR(turns("r01b7:rsp=1,r01b7:rsp=2", NULL), "0:0=0x4301b7+32=0x1 1:0=0x4301b7+32=0x2");
	CHECK_STR(turns("r01b7:rsp=1", "r01b7:rsp=2"),
		  "no counter is left for 'r01b7:rsp=1': at most 4 hardware events at a time");
	CHECK_STR(turns("r0148,r1", "cycles"), "2=0x430148 0=0x430001");
	/* What says when to switch leaves the others what they need. */
	describe("Intel architectural 4", 6, 94, 3, 0, RESERVED);
	CHECK_STR(turns("r0148,r1", "cycles"), "2=0x430148 0=0x430001");
	CHECK_STR(turns("r0148,r01c0,r1", "cycles"), "0:2=0x430148 0:1=0x4301c0 1:1=0x430001");
	/* In a virtual machine with two counters there is no way. */
	describe("Intel architectural 4", 6, 94, 2, 0, RESERVED);
	CHECK_STR(registers("r0148"), "'r0148': this machine does not have the only counters that could count it");
	CHECK_STR(registers("r01b7:rsp=1"), "'r01b7:rsp=1' counts what a register of its own says, which the kernel does not have here");
	CHECK_STR(registers("r01b7"), "'r01b7' counts what a register of its own says, which the kernel does not have here");
}

static void test_skylake(void)
{
	test_skylake_names();
	test_skylake_common();
	test_skylake_numbers();
	test_skylake_counters();
}

static void test_nehalem(void)
{
	describe("Intel architectural 3", 6, 26, 4, 3, RESERVED);
	check_named("r1,r2,L1D:REPL", "2=0x430001 1=0x430002 0=0x430151");
	check_named("L1D:REPL,L1D:M_REPL,L1D:M_EVICT",
		    "no counter is left for 'L1D:M_EVICT', which not every counter can count: see pfmon explain");
	check_named("OFFCORE_RESPONSE_0:DMND_DATA_RD", "'OFFCORE_RESPONSE_0:DMND_DATA_RD' counts what a register of its own says, which the kernel does not have here");
	CHECK_STR(registers("r1,r2,l1-misses"), "2=0x430001 1=0x430002 0=0x430151");
	CHECK_STR(registers("l1-accesses"), "0=0x43010b");
	check_named("MEM_INST_RETIRED:LOADS", "0=0x43010b");
	describe("Intel architectural 3", 6, 44, 4, 3, RESERVED);
	CHECK_STR(registers("l1-accesses"), "0=0x43010b");
	describe("Intel architectural 3", 6, 26, 4, 3, RESERVED);
	CHECK_STR(registers("branch-misses"), "no event 'branch-misses': this model of the PMU (Intel architectural 3) has none that is known to count it");
	CHECK_STR(registers("r1,r2,r151"), "2=0x430001 1=0x430002 0=0x430151");
}

static void test_core2(void)
{
	describe("Intel architectural 2", 6, 15, 2, 3, RESERVED);
	check_named("MUL,FP_COMP_OPS_EXE", "1=0x430012 0=0x430010");
	check_named("INST_RETIRED:ANY_P:u", "0=0x4100c0");
	check_named("L1D_CACHE_LD:I_STATE", "0=0x430140");
	CHECK_STR(registers("l1-misses,branch-misses"), "0=0x430140 1=0x4300c5");
	CHECK_STR(registers("l1-misses,l1-accesses"), "0=0x430140 1=0x430f40");
	check_named("L1D_CACHE_LD:I_STATE,L1D_CACHE_LD:MESI", "0=0x430140 1=0x430f40");
	check_named("DIV,MUL", "no counter is left for 'MUL', which not every counter can count: see pfmon explain");
	check_named("MEM_LOAD_RETIRED:L1D_MISS,CYCLES_DIV_BUSY", "no counter is left for 'CYCLES_DIV_BUSY', which not every counter can count: see pfmon explain");
	CHECK_STR(registers("instructions,cycles,r12,rcb"), "16=0x3 17=0x3 1=0x430012 0=0x4300cb");
	CHECK_STR(turns("r12,r13", NULL), "0:1=0x430012 1:1=0x430013");
}

static void test_k8(void)
{
	describe("AMD K8", 15, 5, 4, 0, RESERVED);
	check_named("RETIRED_INSTRUCTIONS:u,DISPATCHED_FPU:OPS_ADD", "0=0x4100c0 1=0x430100");
	check_named("RETIRED_INSTRUCTIONS:h", "'RETIRED_INSTRUCTIONS:h': invalid event attribute (libpfm4; see pfmon list)");
	CHECK_STR(registers("r1000000c0"), "'r1000000c0': an event of this PMU can have the bits 0xff84ffff; who is counted :u and :k say");
	CHECK(strstr(registers("fixed0"), "no event 'fixed0'"));
	CHECK_STR(registers("branch-misses,cache-references,cache-misses,l1-misses"),
		  "0=0x4300c3 1=0x43077d 2=0x43077e 3=0x430141");
	CHECK_STR(registers("l1-accesses"), "0=0x430040");
	check_named("DATA_CACHE_ACCESSES", "0=0x430040");
	CHECK_STR(registers("r100,r300"), "0=0x430100 1=0x430300");
}

static void test_10h(void)
{
	describe("AMD K8", 16, 2, 4, 0, RESERVED_10H);
	check_named("RETIRED_INSTRUCTIONS:u", "0=0x4100c0");
	check_named("L3_CACHE_MISSES:READ_BLOCK_EXCLUSIVE:ALL_CORES", "0=0x40043f1e1");
	check_named("RETIRED_INSTRUCTIONS:h", "'RETIRED_INSTRUCTIONS:h' needs 0x20000000000 in the control register, which the kernel does not let programs set: host and guest");
	CHECK_STR(registers("r1000000c0:c=1:u"), "0=0x1014100c0");
	check_named("REQUESTS_TO_L2:INSTRUCTIONS:DATA:TLB_WALK,L2_CACHE_MISS:INSTRUCTIONS:DATA:TLB_WALK",
		    "0=0x43077d 1=0x43077e");
	CHECK_STR(registers("cache-references,cache-misses"), "0=0x43077d 1=0x43077e");
}

static void test_zen(void)
{
	describe("AMD core extension", 23, 0x31, 6, 0, RESERVED_10H);
	check_named("RETIRED_INSTRUCTIONS:u,CYCLES_NOT_IN_HALT", "0=0x4100c0 1=0x430076");
	check_named("RETIRED_FUSED_INSTRUCTIONS", "0=0x1004300d0");
	CHECK_STR(registers("r10000018e"), "0=0x10043018e");
	check_named("RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", "0=0x4300c3");
	CHECK_STR(registers("branch-misses,cache-references,cache-misses,l1-misses"),
		  "0=0x4300c3 1=0x43ff60 2=0x430964 3=0x43c860");
	describe("AMD core extension", 25, 1, 6, 0, RESERVED_10H);
	CHECK_STR(registers("l1-misses,l1-accesses"), "0=0x43e860 1=0x430040");
	describe("AMD core extension", 26, 2, 6, 0, RESERVED_10H);
	CHECK_STR(registers("branch-misses"), "0=0x4300c3");
	CHECK_STR(registers("cache-references,cache-misses"), "0=0x43ff60 1=0x430964");
	CHECK(strstr(registers("l1-misses"), "has none that is known to count it"));
	CHECK(strstr(registers("r0f03"), "can count it by itself"));
	/* Hygon's is Zen's. */
	describe("AMD core extension", 24, 1, 6, 0, RESERVED_10H);
	CHECK_STR(registers("cache-misses,l1-misses,l1-accesses"), "0=0x430964 1=0x43c860 2=0x430040");
	CHECK(strstr(registers("r0f03"), "can count it by itself"));
	describe("AMD core extension", 23, 0x31, 6, 0, RESERVED_10H);
	/* It would need two counters. */
	CHECK(strstr(registers("r0f03"), "can count it by itself"));
}

/* Where fixed counters and modifiers meet, and registers of their own. */
static void test_new_intel(void)
{
	describe("Intel architectural 5", 6, 106, 8, 4, RESERVED);
	CHECK_STR(registers("r01c0"), "16=0x3");
	CHECK_STR(registers("r18001c0"), "0=0x1c301c0");
	CHECK_STR(registers("r01c0:c=16:i"), "0=0x10c301c0");
	describe("Intel architectural 5", 6, 143, 8, 4, RESERVED);
	CHECK_STR(registers("r90,r91,r92,r93,r94,r95,r96,r97,cycles"),
		  "0=0x430090 1=0x430091 2=0x430092 3=0x430093 4=0x430094 5=0x430095 6=0x430096 7=0x430097 17=0x3");
	CHECK(strstr(registers("r04c2"), "counts what a register of its own says"));
	CHECK(strstr(registers("r40ad"), "counts what a register of its own says"));
	/* An Atom's event is not taken for another's. */
	describe("Intel architectural 4", 6, 92, 4, 3, RESERVED);
	CHECK_STR(registers("r01cd,r01c6"), "0=0x4301cd 1=0x4301c6");
	CHECK(strstr(registers("r01b7"), "counts what a register of its own says"));
	describe("Intel architectural 3", 6, 26, 4, 3, RESERVED);
	CHECK_STR(registers("rc1,rc2,r4c,r52"), "2=0x4300c1 3=0x4300c2 1=0x43004c 0=0x430052");
}

/* Cores of 2021 and later, with the counters that their leaf 0xa has. */
static void test_newer_intel(void)
{
	static const uint8_t golden_cove[] = { 151, 154, 183, 186, 191, 170, 172, 181, 143, 207, 173, 174 };
	static const uint8_t lion_cove[] = { 189, 197, 198, 204, 213 };
	size_t i;

	for (i = 0; i < sizeof(golden_cove); i++) {
		describe("Intel architectural 5", 6, golden_cove[i], 6, 3, RESERVED);
		CHECK_STR(registers("r04a4"), "0=0x4304a4");
		CHECK(strstr(registers("r04a4,r08a4"), "no counter is left for 'r08a4'"));
		CHECK(strstr(registers("r08d1,r10d1,r20d1,r01d1,r02d1"), "no counter is left for 'r02d1'"));
		CHECK_STR(registers("l1-accesses"), "0=0x4381d0");
	}
	for (i = 0; i < sizeof(lion_cove); i++) {
		describe("Intel architectural 6", 6, lion_cove[i], 10, 4, RESERVED);
		CHECK_STR(registers("r0148"), "2=0x430148");
		CHECK_STR(registers("r01b1"), "3=0x4301b1");
		CHECK_STR(registers("r10a4,r0ca3"), "0=0x4310a4 2=0x430ca3");
		CHECK(strstr(registers("r0148,r0175"), "no counter is left for 'r0175'"));
	}
	describe("Intel architectural 5", 6, 173, 8, 4, RESERVED);
	CHECK_STR(registers("l1-misses"), "0=0x430151");
	/* FRONTEND_RETIRED has other unit masks than before. */
	CHECK(strstr(registers("r03c6"), "counts what a register of its own says"));
	CHECK_STR(registers("r01c6"), "0=0x4301c6");
	describe("Intel architectural 5", 6, 175, 8, 3, RESERVED);
	CHECK_STR(registers("l1-accesses,r04a4,r08a4"), "0=0x4381d0 1=0x4304a4 2=0x4308a4");
	/* Of a model that is not in the table no event by number is beyond the first four. */
	describe("Intel architectural 6", 18, 1, 10, 4, RESERVED);
	CHECK_STR(registers("r1,r2,r3,r4"), "0=0x430001 1=0x430002 2=0x430003 3=0x430004");
	CHECK(strstr(registers("r1,r2,r3,r4,r5"), "no counter is left for 'r5'"));
	CHECK_STR(registers("r3c,rc0,r1,r2,r3,r4,branches"),
		  "4=0x43003c 5=0x4300c0 2=0x430001 3=0x430002 1=0x430003 0=0x430004 6=0x4300c4");
}

/* Where a part of a PMU is offered, CPUID says which events are not. */
static void test_absent(void)
{
	CHECK(pmu_absent(0x07300404, 0) == 0);
	CHECK(pmu_absent(0x07300404, 0x58) == 0x58);
	CHECK(pmu_absent(0x08300605, 0xffffff80) == 0);
	/* Events beyond the length of the list are not there, either. */
	CHECK(pmu_absent(0x03300404, 1) == 0x79);
	describe_skylake();
	pmu.absent = 0x58;
	CHECK(events_pmu(&pmu));
	CHECK_STR(registers("cache-misses"), "no event 'cache-misses': this processor says (CPUID) that it does not count it");
	CHECK(strstr(registers("branch-misses"), "(CPUID)") && strstr(registers("cache-references:u"), "(CPUID)"));
	CHECK_STR(registers("r412e"), "'r412e': this processor says (CPUID) that it does not count this event");
	CHECK(strstr(registers("r100412e"), "(CPUID)"));
	CHECK_STR(registers("cycles,instructions,branches"), "0=0x43003c 1=0x4300c0 2=0x4300c4");
	CHECK_STR(registers("r012e,l1-misses"), "0=0x43012e 1=0x430151");
}

/* Hybrids: what is the same on both kinds of cores has a name, and the rest a remark. */
static void test_hybrid(void)
{
	static struct counters c, named;
	char text[EVENTS_ERROR_MAX], dir[] = "/tmp/unit-hybrid-XXXXXX", path[64];
	const char *remark;
	FILE *f;

	describe("Intel architectural 5", 6, 151, 6, 3, RESERVED);
	CHECK(mkdtemp(dir));
	pmu_read_kinds(&pmu, false, dir);
	CHECK(!pmu.hybrid);
	/* Linux has no list before it knows the model. */
	pmu_read_kinds(&pmu, true, dir);
	CHECK(pmu.hybrid && !*pmu.core);
	CHECK(!counters_add(&c, "cycles,fixed1,l1-accesses,r08d1", text));
	CHECK(!counter_remark(&c.c[0], text) && !counter_remark(&c.c[1], text) &&
	      !counter_remark(&c.c[2], text));
	remark = counter_remark(&c.c[3], text);
	CHECK_STR(remark, "this processor has two kinds of cores, which count different events by this code: keep the program on one kind (taskset)");
	CHECK(strstr(registers("l1-misses"), "have none in common"));
	CHECK(strstr(events_remark(text), "two kinds of cores: named events"));
	/* By a name that libpfm4 has, too, but for what CPUID says all of Intel's count. */
	memset(&named, 0, sizeof(named));
	CHECK(!counters_add(&named, "r00c0,r013c", text) && !counter_remark(&named.c[0], text) &&
	      !counter_remark(&named.c[1], text));
	if (names_known) {
		CHECK(!counters_add(&named, "MEM_LOAD_RETIRED:L1_MISS,INST_RETIRED:ANY_P", text));
		remark = counter_remark(&named.c[2], text);
		CHECK(remark && strstr(remark, "count different events by this code"));
		CHECK(!counter_remark(&named.c[3], text));
	}
	snprintf(path, sizeof(path), "%s/cpu_core", dir);
	CHECK(!mkdir(path, 0700));
	strcat(path, "/cpus");
	CHECK((f = fopen(path, "w")) && fputs("0-15\n", f) >= 0 && !fclose(f));
	/* All of the other kind are off. */
	pmu_read_kinds(&pmu, true, dir);
	CHECK(!pmu.hybrid && !counter_remark(&c.c[3], text) && !events_remark(text));
	CHECK(strstr(registers("l1-misses"), "this model of the PMU"));
	snprintf(path, sizeof(path), "%s/cpu_atom", dir);
	CHECK(!mkdir(path, 0700));
	strcat(path, "/cpus");
	CHECK((f = fopen(path, "w")) && fputs("16-23\n", f) >= 0 && !fclose(f));
	pmu_read_kinds(&pmu, false, dir);
	CHECK(pmu.hybrid);
	remark = counter_remark(&c.c[3], text);
	CHECK(remark && strstr(remark, "CPUs 0-15 or CPUs 16-23"));
	CHECK(strstr(events_remark(text), "two kinds of cores (CPUs 0-15 and CPUs 16-23): "));
	CHECK(!unlink(path));
	*strrchr(path, '/') = '\0';
	CHECK(!rmdir(path));
	snprintf(path, sizeof(path), "%s/cpu_core/cpus", dir);
	CHECK(!unlink(path));
	*strrchr(path, '/') = '\0';
	CHECK(!rmdir(path) && !rmdir(dir));
}

/* perf's words for what there is here under other names, or by number. */
static void test_perf_names(void)
{
	static struct counters c;
	char error[EVENTS_ERROR_MAX];

	describe_skylake();
	CHECK(!counters_add(&c, "cpu-clock", error));
	CHECK_STR(c.c[0].name, "task-clock");
	CHECK_STR(registers("cpu-cycles:u,branch-instructions,branch-loads:k,branch-load-misses"),
		  "0=0x41003c 1=0x4300c4 2=0x4200c4 3=0x4300c5");
	CHECK_STR(registers("L1-dcache-loads:u,L1-dcache-load-misses,L1-dcache-stores"),
		  "0=0x4181d0 1=0x430151 2=0x4382d0");
	CHECK_STR(registers("dTLB-load-misses,dTLB-store-misses,iTLB-load-misses:u,L1-icache-load-misses"),
		  "0=0x430e08 1=0x430e49 2=0x410e85 3=0x430283");
	CHECK_STR(registers("ref-cycles:u"), "18=0x2");
	CHECK_STR(registers("LLC-loads:u"), "0=0x4101b7+32=0x10001");
	CHECK_STR(registers("LLC-loads:rsp=1"), "'LLC-loads:rsp=1': an event can have the modifiers :u, programs, :k, the kernel, :e, :i and :c=N");
	CHECK(strstr(registers("LLC-load-misses:u"), "none that is known to count it; of the responses"));
	CHECK(strstr(registers("LLC-stores"), "no event 'LLC-stores': perf makes it of"));
	CHECK(strstr(registers("iTLB-loads"), "see pfmon list '*itlb*'"));
	CHECK(strstr(registers("L1-icache-loads"), "see pfmon list '*icache*'"));
	CHECK(strstr(registers("mem-loads"), "precise samples (PEBS)"));
	CHECK_STR(registers("dTLB-loads,dTLB-stores"), "0=0x4381d0 1=0x4382d0");
	CHECK(strstr(registers("bus-cycles"), "r013c"));
	CHECK(strstr(registers("cpu-cycle"), "no event 'cpu-cycle'; there are"));
	CHECK_STR(registers("cycles:pp"), "'cycles:pp': perfmon has no precise samples (PEBS, IBS): leave the p out");
	CHECK(strstr(registers("instructions:upp,cycles"), "'instructions:upp': perfmon has no precise"));
	CHECK(strstr(registers("rc0:p"), "no precise samples"));
	if (names_known)
		CHECK(strstr(registers("INST_RETIRED:ANY_P:pp"), "no precise samples"));
	describe("AMD core extension", 25, 1, 6, 0, RESERVED_10H);
	CHECK_STR(registers("dTLB-load-misses,iTLB-load-misses"), "0=0x43f045 1=0x43ff85");
	CHECK(strstr(registers("ref-cycles"), "has none that is known"));
	CHECK(strstr(registers("LLC-loads"), "has none that is known"));
	describe("AMD K8", 16, 2, 4, 0, RESERVED_10H);
	CHECK_STR(registers("LLC-loads,LLC-load-misses"), "0=0x43037d 1=0x43037e");
	describe("Intel architectural 5", 6, 143, 8, 4, RESERVED);
	CHECK(strstr(registers("LLC-loads"), "counts what a register of its own says, which the kernel does not have here"));
	add_register(32, 0x1a6, 0);
	CHECK_STR(registers("LLC-loads"), "0=0x43012a+32=0x10001");
	CHECK_STR(registers("LLC-load-misses:k"), "0=0x42012a+32=0x3fbfc00001");
	describe("Intel architectural 3", 6, 42, 4, 3, RESERVED);
	CHECK(strstr(registers("LLC-loads"), "has none that is known to count it; of the responses"));
	describe("AMD core extension", 26, 2, 6, 0, RESERVED_10H);
	CHECK_STR(registers("ref-cycles"), "0=0x100430120");
}

/* An event by its parts. */
static void test_perf_parts(void)
{
	static const char *const bad[] = {
		"cpu/event=0x3c,", "cpu/", "cpu//", "cpu/event=0x3c", "/event=1/", "cpu/event=/",
		"cpu/event=x/", "cpu/event=-1/", "cpu/umask=0x100,event=1/", "cpu/edge=2,event=1/",
		"cpu/event=0x3c,period=5/", "cpu/cycles/", "cpu_core/event=0x3c/", "uncore/event=1/",
		"cpu/event=0x3c/:x", "cpu/event=0x3c/pp", "cpu/edge/", "cpu/event=99999999999999999999/",
	};
	unsigned int i;

	describe_skylake();
	CHECK_STR(registers("cpu/event=0xc0/"), "0=0x4300c0");
	CHECK_STR(registers("cpu/event=0x3c,umask=0x1,cmask=2,inv,edge=1/u"), "0=0x2c5013c");
	CHECK_STR(registers("cpu/event=192,umask=0/:k,cycles:u"), "0=0x4200c0 1=0x41003c");
	CHECK_STR(registers("cpu/config=0x10001c2,inv=0/"), "0=0x14301c2");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!isdigit((unsigned char)*registers(bad[i])));
	CHECK(strstr(registers("cpu/event=0x3c,period=5/"), "'period=5': between the slashes there can be event=N"));
	CHECK(strstr(registers("cpu_atom/event=0x3c/"), "events of the PMU 'cpu' only"));
	CHECK(strstr(registers("cpu/event=0x3c/pp"), "no precise samples"));
	describe("AMD core extension", 25, 1, 6, 0, RESERVED_10H);
	CHECK_STR(registers("cpu/event=0x18e,umask=0x1f/u"), "0=0x100411f8e");
}

/* Groups are counted at the same time, or not at all. */
static void test_perf_groups(void)
{
	static const char *const bad[] = {
		"{", "}", "{}", "{cycles", "cycles}", "{cycles}u", "{{cycles},rc0}", "{cycles,}",
		"{,cycles}", "{cycles},", ",{cycles}", "{cycles;rc0}", "{cycles}{rc0}", "{cycles}:x",
	};
	static struct counters c;
	char error[EVENTS_ERROR_MAX];
	unsigned int i;

	describe_skylake();
	CHECK_STR(registers("{r1,r2}"), "0=0x430001 1=0x430002");
	CHECK_STR(registers("{r1,cpu/event=2,umask=3/}:u,r4"), "0=0x410001 1=0x410302 2=0x430004");
	CHECK_STR(turns("r5,{r1,r2,r3,r4},r6", NULL),
		  "0:0=0x430005 1:0=0x430001 1:1=0x430002 1:2=0x430003 1:3=0x430004 2:0=0x430006");
	CHECK_STR(turns("{r0148,r1},{r2,r0148:u}", NULL),
		  "0:2=0x430148 0:0=0x430001 1:0=0x430002 1:2=0x410148");
	/* Without braces they would take turns. */
	CHECK_STR(turns("{r1,r2,r3,r4,r5}", NULL), "no counter is left for 'r5': at most 4 hardware events at a time");
	CHECK(strstr(turns("r1,{r0148,r0148:u}", NULL), "no counter is left for 'r0148:u'"));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!isdigit((unsigned char)*registers(bad[i])));
	memset(&c, 0, sizeof(c));
	c.many = true;
	CHECK(!counters_add(&c, "{r1,r2},r3", error) && c.lists == 2);
	/* An error leaves nothing behind. */
	CHECK(counters_add(&c, "{r4},none", error) && c.n == 3 && c.lists == 2);
}

/* Another maker's events are others, though the registers are Intel's. */
static void test_other_maker(void)
{
	describe("Intel architectural 2", 6, 15, 3, 0, RESERVED);
	strcpy(pmu.vendor, "CentaurHauls");
	CHECK(!events_pmu(&pmu));
	CHECK(strstr(registers("cycles"), "no event 'cycles'"));
	CHECK(strstr(registers("l1-misses"), "are not known to pfmon yet"));
	CHECK_STR(registers("r10,r11"), "0=0x430010 1=0x430011");
	strcpy(pmu.vendor, "GenuineIntel");
	CHECK(events_pmu(&pmu));
	CHECK_STR(registers("r10,r11"), "0=0x430010 1=0x430011");
	CHECK_STR(registers("r11,r10"), "1=0x430011 0=0x430010");
}

/* Nothing that is written is ignored. */
static void test_parts(void)
{
	static const char *const bad[] = {
		"r01b7:rsp=1:garbage", "r01b7:rsp=0x10001:c=300", "r01b7:rsp=1:", "r01cd:ldlat=3:ldlat=4",
		"r01b7:ldlat=3:rsp=1", "rc0:c=1:c=2", "r1000148:c=2", "rc0:uu=", "rc0:c=\r2", "rc0\n",
	};
	unsigned int i;

	describe_skylake();
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(strstr(registers(bad[i]), "an event can have the modifiers") ||
		      strstr(registers(bad[i]), "no event '"));
	CHECK_STR(registers("rc0:uku"), "0=0x4300c0");
	CHECK_STR(registers("rc0:u=1:k=0"), "0=0x4100c0");
	/* A frequency is of cycles, not of those in which something happened. */
	CHECK_STR(registers("cycles:c=1:i"), "0=0x1c3003c");
}

static void test_15h(void)
{
	describe("AMD core extension", 21, 1, 6, 0, RESERVED_10H);
	check_named("DISPATCHED_FPU_OPS:OPS_PIPE0", "3=0x430100");
	CHECK_STR(registers("rc0,r12e,r2d"), "1=0x4300c0 0=0x43012e 3=0x43002d");
	CHECK_STR(registers("r1000000c0,r10000008f"), "3=0x1004300c0 0=0x10043008f");
	CHECK_STR(registers("re0"), "'re0': no counter of a processor's core can count it by itself");
	CHECK(strstr(registers("rf0"), "can count it by itself"));
	CHECK(strstr(registers("r80,r81,r82,r7d"), "no counter is left for 'r7d'"));
	CHECK(strstr(registers("r80,r81,r82,rd1"), "no counter is left for 'rd1'"));
	CHECK(strstr(registers("cycles,cycles,cycles,cycles"), "no counter is left for"));
	CHECK_STR(registers("r80,r81,r82,r83"), "no counter is left for 'r83', which not every counter can count: see pfmon explain");
}

static void test_p6(void)
{
	describe("Intel P6", 6, 8, 2, 0, RESERVED);
	CHECK_STR(registers("cycles,rc1"), "1=0x430079 0=0x4300c1");
	CHECK_STR(registers("l1-misses,branch-misses"), "0=0x430045 1=0x4300c5");
	CHECK_STR(registers("l1-misses,l1-accesses"), "0=0x430045 1=0x430043");
	CHECK_STR(registers("cache-references,cache-misses"), "0=0x430f2e 1=0x43012e");
	CHECK_STR(registers("r12,cycles"), "1=0x430012 0=0x430079");
	CHECK(strstr(registers("r12,r13"), "no counter is left for 'r13', which not"));
	CHECK(strstr(registers("fixed0"), "no event 'fixed0'"));
}

/* @ht: half of the counters, and the first ESCR of each unit. */
static void describe_p4(bool ht)
{
	unsigned int i;

	memset(&pmu, 0, sizeof(pmu));
	strcpy(pmu.model, ht ? "Intel P4, hyper-threaded" : "Intel P4");
	pmu.family = 15;
	pmu.cpu = 4;
	for (i = 0; i < 18; i++) {
		if (ht && (i & 2 || i == 17))
			continue;
		pmu.pmc[i] = (struct pmu_register){ true, 0x360 + i, ~0x1fcf000ULL };
		pmu.pmd[i].there = true;
	}
	for (i = 32; i < 98; i += ht ? 2 : 1)
		add_register(i, 0x380 + i, ~0x7ffffffcULL);
	CHECK(events_pmu(&pmu));
}

/* What contexts of the other kind have is left to them. */
static void test_shared(void)
{
	describe_skylake();
	events_free_list(false, "0-3,17-18,32-35");
	CHECK_STR(turns("instructions:u,cycles:u", NULL), "0=0x4100c0 1=0x41003c");
	events_free_list(false, "1,3");
	CHECK_STR(turns("instructions:u,cycles:u", NULL), "1=0x4100c0 3=0x41003c");
	events_free_list(true, "17");
	CHECK_STR(turns("cycles", NULL), "17=0x3");
	CHECK_STR(turns("instructions:u,cycles:u", NULL), "no counter is left for 'instructions:u': 6 of 7 are used by those who count threads");
	events_free_list(false, "0");
	CHECK_STR(turns("branch-misses:u", NULL), "0=0x4100c5");
	/* Nothing is free, or known: the load says what it is. */
	events_free_list(false, "");
	CHECK_STR(turns("instructions:u", NULL), "0=0x4100c0");
	events_free_list(false, "0-3,16-18,32-35");
	CHECK_STR(turns("instructions:u", NULL), "0=0x4100c0");
}

static void test_p4(void)
{
	describe_p4(false);
	CHECK_STR(registers("cycles"), "0=0xd000+34=0x2600020c");
	CHECK_STR(registers("cycles,cycles:u"), "0=0xd000+34=0x2600020c 2=0xd000+35=0x26000204");
	CHECK_STR(registers("branches:k"), "12=0xb000+76=0xc001e08");
	/* Both on one ESCR if it says the same, and else on two. */
	CHECK_STR(registers("instructions,instructions:u,instructions"),
		  "12=0x9000+56=0x400020c 14=0x9000+57=0x4000204 13=0x9000+56=0x400020c");
	CHECK(strstr(registers("instructions,instructions:u,instructions:k"), "no counter is left for"));
	CHECK_STR(turns("instructions,instructions:u,instructions:k", NULL),
		  "0:12=0x9000+56=0x400020c 0:14=0x9000+57=0x4000204 1:12=0x9000+56=0x4000208");
	CHECK_STR(turns("instructions,branches", "cycles"),
		  "12=0x9000+56=0x400020c 13=0xb000+76=0xc001e0c");
	CHECK_STR(registers("cycles:c=1"), "'cycles:c=1': of this PMU only libpfm4's events have modifiers but :u and :k");
	CHECK(strstr(registers("rc0"), "no event 'rc0'"));
	CHECK(strstr(registers("l1-misses"), "has none that is known to count it"));
	check_named("instr_retired:NBOGUSNTAG:u", "12=0x9000+56=0x4000204");
	check_named("global_power_events:RUNNING:thr=3", "0=0x34d000+34=0x2600020c");
	check_named("bsq_active_entries:REQ_TYPE0", "2=0xf000+33=0xc00020c");
	check_named("execution_event:NBOGUS0", "'execution_event:NBOGUS0' counts what another event tags, or is not known to pfmon");
	check_named("retired_branch_type:CONDITIONAL,load_port_replay:SPLIT_LD",
		    "4=0x5000+66=0x800040c 8=0x5000+46=0x800040c");
	describe_p4(true);
	CHECK_STR(registers("cycles,instructions"), "0=0xd000+34=0x2600020c 12=0x9000+56=0x400020c");
	CHECK(strstr(registers("cycles,cycles:u"), "no counter is left for 'cycles:u'"));
	check_named("bsq_active_entries:REQ_TYPE0", "'bsq_active_entries:REQ_TYPE0': this machine does not have the only counters that could count it");
	/* Each set has as much as it can: one ESCR says one thing. */
	CHECK_STR(turns("cycles,cycles:u", NULL), "0:0=0xd000+34=0x2600020c 1:0=0xd000+34=0x26000204");
}

/* Each with a libpfm4 of its own, which looks once which processor there is. */
static void run(const char *name, void (*test)(void))
{
	int counts[2], ends[2], status;
	pid_t pid;

	setenv("LIBPFM_FORCE_PMU", name, 1);
	CHECK(pipe(ends) == 0);
	pid = fork();
	if (!pid) {
		checks_passed = checks_failed = 0;
		test();
		counts[0] = checks_passed;
		counts[1] = checks_failed;
		_exit(write(ends[1], counts, sizeof(counts)) != sizeof(counts));
	}
	close(ends[1]);
	CHECK(read(ends[0], counts, sizeof(counts)) == sizeof(counts));
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	close(ends[0]);
	checks_passed += counts[0];
	checks_failed += counts[1];
}

/* All ways to give three events one of three counters, beside a search of all. */
static void test_match(void)
{
	uint32_t can[3], n;
	uint8_t at[MATCH_COUNTERS];
	unsigned int a, b, c;
	bool is;

	for (n = 0; n < 512; n++) {
		can[0] = n & 7;
		can[1] = n >> 3 & 7;
		can[2] = n >> 6;
		is = false;
		for (a = 0; a < 3; a++)
			for (b = 0; b < 3; b++)
				for (c = 0; c < 3; c++)
					is |= a != b && b != c && a != c &&
					      (can[0] >> a & can[1] >> b & can[2] >> c & 1);
		CHECK(match_events(can, 3, at) == is);
		if (is)
			CHECK(at[0] != at[1] && at[1] != at[2] && at[0] != at[2] &&
			      (can[0] >> at[0] & can[1] >> at[1] & can[2] >> at[2] & 1));
	}
}

int main(void)
{
	test_match();
	run("skl", test_skylake);
	run("skl", test_new_intel);
	run("skl", test_newer_intel);
	run("skl", test_absent);
	run("skl", test_perf_names);
	run("skl", test_perf_parts);
	run("skl", test_perf_groups);
	run("skl", test_hybrid);
	run("skl", test_shared);
	run("core", test_other_maker);
	run("skl", test_parts);
	run("nhm", test_nehalem);
	run("core", test_core2);
	run("amd64_k8_revb", test_k8);
	run("amd64_fam10h_barcelona", test_10h);
	run("amd64_fam17h_zen2", test_zen);
	run("amd64_fam15h_interlagos", test_15h);
	run("piii", test_p6);
	run("netburst_p", test_p4);
	return check_done();
}
