// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intel's architectural performance monitoring, of the version that CPUID says
 *
 * Not covered: AnyThread (there is one thread), events of caches; last branches of the
 * kinds that a kernel does not take (VM86, task switches).
 */
#include "rt.h"
#include "../lbr-select.h"

#define PMC(n)		(0x0c1 + (n))
#define FULL_PMC(n)	(0x4c1 + (n))
#define EVTSEL(n)	(0x186 + (n))
#define FIXED(n)	(0x309 + (n))
#define DEBUGCTL	0x1d9
#define PERF_CAP	0x345
#define FIXED_CTRL	0x38d
#define STATUS		0x38e
#define CTRL		0x38f
#define OVF_CTRL	0x390
#define STATUS_SET	0x391
#define INUSE		0x392

#define CYCLES		0x003c
#define REF		0x013c
#define INSNS		0x00c0
#define BRANCHES	0x00c4

#define LBR_SELECT	0x1c8
#define LBR_TOS		0x1c9
#define LBR_FROM(n)	(0x680 + (n))
#define LBR_TO(n)	(0x6c0 + (n))
#define LBR		1
#define FREEZE_LBR	(1 << 11)

#define OFFCORE(n)	(0x1a6 + (n))
#define LOAD_LATENCY	0x3f6
#define FRONTEND	0x3f7

static u32 version, counters, fixed, width;
static bool zhaoxin;
static u64 mask;

/* Where that takes an enabled counter (ZX-C) it is one that selects nothing. */
static void clear_status(u64 bits)
{
	const bool enable = zhaoxin && !rdmsr(CTRL);

	if (enable)
		wrmsr(CTRL, 1ull << 33);
	wrmsr(OVF_CTRL, bits);
	if (enable)
		wrmsr(CTRL, 0);
}

static u64 after_loop(u32 event, u32 count)
{
	wrmsr(PMC(0), 0);
	loop_between(EVTSEL(0), event | EN, event, count);
	return rdmsr(PMC(0));
}

/* A cycle of the bus is four; it depends on where the first one begins. */
static void check_bus(const char *what, u64 got, u32 cycles)
{
	check(what, got == cycles / 4 || got == cycles / 4 + 1);
}

static void counts(void)
{
	u32 all = USR | OS, i;

	check_equal("instructions of a loop", after_loop(INSNS | all, 1000), 2002);
	check_equal("instructions of a long loop", after_loop(INSNS | all, 1000000), 2000002);
	check_equal("cycles of a loop", after_loop(CYCLES | all, 1000), 2002);
	check_bus("reference cycles of a loop", after_loop(REF | all, 1000), 2002);
	check_bus("reference cycles, inverted", 2002 -
		  after_loop(REF | all | CMASK(1) | INV, 1000), 2002);
	check_bus("edges of reference cycles",
		  after_loop(REF | all | CMASK(1) | EDGE, 1000), 2002);
	check_equal("branches of a loop", after_loop(BRANCHES | all, 1000), 1000);
	check_equal("an event that never happens", after_loop(0x00c5 | all, 1000), 0);
	check_equal("an unknown event", after_loop(0x4242 | all, 1000), 0);
	check_equal("kernel only", after_loop(INSNS | OS, 1000), 2002);
	check_equal("user only, in the kernel", after_loop(INSNS | USR, 1000), 0);
	check_equal("neither", after_loop(INSNS, 1000), 0);
	check_equal("threshold 1", after_loop(INSNS | all | CMASK(1), 1000), 2002);
	check_equal("threshold 2", after_loop(INSNS | all | CMASK(2), 1000), 0);
	check_equal("threshold 2 inverted", after_loop(INSNS | all | CMASK(2) | INV, 1000), 2002);
	check_equal("threshold 1 inverted, branches",
		    after_loop(BRANCHES | all | CMASK(1) | INV, 1000), 1002);
	check_equal("edges of branches",
		    after_loop(BRANCHES | all | CMASK(1) | EDGE, 1000), 1000);

	wrmsr(PMC(0), 0);
	rep_between(EVTSEL(0), INSNS | all | EN, 0, 100);
	check_equal("a repeated instruction retires once", rdmsr(PMC(0)), 5);
	wrmsr(PMC(0), 0);
	rep_between(EVTSEL(0), CYCLES | all | EN, 0, 100);
	check_equal("but takes a cycle a turn", rdmsr(PMC(0)), 105);

	for (i = 0; i < counters; i++) {
		wrmsr(PMC(i), 0);
		wrmsr(EVTSEL(i), (i & 1 ? BRANCHES : INSNS) | USR | EN);
	}
	in_user(user_loop, 5000);
	for (i = 0; i < counters; i++)
		wrmsr(EVTSEL(i), 0);
	check_equal("user mode: instructions", rdmsr(PMC(0)), 10001);
	check_equal("user mode: branches", rdmsr(PMC(1)), 5001);
	if (counters > 3) {
		check_equal("user mode: the third counter", rdmsr(PMC(2)), 10001);
		check_equal("user mode: the fourth counter", rdmsr(PMC(3)), 5001);
	}
}

static u64 kernel_part(u32 count)
{
	wrmsr(PMC(0), 0);
	wrmsr(EVTSEL(0), INSNS | OS | EN);
	in_user(user_loop, count);
	wrmsr(EVTSEL(0), 0);
	return rdmsr(PMC(0));
}

static void split(void)
{
	u64 few = kernel_part(10);

	check("kernel mode round a user loop", few > 20 && few < 100);
	check_equal("which does not depend on the user's part", kernel_part(100000), few);
}

static void values(void)
{
	u64 val;

	wrmsr(PMC(0), 0x123456789ull);
	check_equal(zhaoxin ? "a write takes all bits" : "a write takes the low 32 bits",
		    rdmsr(PMC(0)), zhaoxin ? 0x123456789ull : 0x23456789);
	wrmsr(PMC(0), 0x80000000ull);
	check_equal(zhaoxin ? "and extends no sign" : "and extends their sign",
		    rdmsr(PMC(0)), zhaoxin ? 0x80000000ull : mask & ~0x7fffffffull);
	check_equal("bits that the counter does not have", try_wrmsr(PMC(0), ~0ull), 0);

	wrmsr(PMC(0), (u64)-2000);
	loop_between(EVTSEL(0), INSNS | OS | EN, INSNS | OS, 1000);
	check_equal("wraps at its width", rdmsr(PMC(0)), 2);

	if (version >= 4) {
		check_equal("PERF_CAPABILITIES has the full-width writes",
			    rdmsr(PERF_CAP) >> 13 & 1, 1);
		wrmsr(FULL_PMC(1), mask - 5);
		check_equal("a full-width write", rdmsr(PMC(1)), mask - 5);
		check_equal("read by the other address", rdmsr(FULL_PMC(1)), mask - 5);
		check_equal("beyond the width it faults", try_wrmsr(FULL_PMC(1), mask + 1), GP_FAULT);
	} else if (version >= 2) {
		check_equal("no full-width writes", rdmsr(PERF_CAP) >> 13 & 1, 0);
	}
	check_equal("upper half of an event select", try_wrmsr(EVTSEL(0), 1ull << 32), GP_FAULT);
	check_equal("AnyThread", try_wrmsr(EVTSEL(0), ANY),
		    version == 3 || version == 4 ? 0 : GP_FAULT);
	wrmsr(EVTSEL(0), 0);
	check_equal("pin control", try_wrmsr(EVTSEL(0), 1 << 19), 0);
	check_equal("which reads back", rdmsr(EVTSEL(0)), 1 << 19);
	wrmsr(EVTSEL(0), 0);
	if (version < 2)
		return;
	check_equal("a counter that is not there, in CTRL",
		    try_wrmsr(CTRL, 1ull << counters), GP_FAULT);
	check_equal("a fixed counter that is not there, in CTRL",
		    try_wrmsr(CTRL, 1ull << (32 + fixed)), GP_FAULT);
	check_equal("a fixed counter that is not there, in its control",
		    try_wrmsr(FIXED_CTRL, 1ull << 4 * fixed), GP_FAULT);
	check_equal("AnyThread of a fixed counter", try_wrmsr(FIXED_CTRL, 4),
		    version == 3 || version == 4 ? 0 : GP_FAULT);
	wrmsr(FIXED_CTRL, 0);
	check_equal("STATUS cannot be written", try_wrmsr(STATUS, 0), GP_FAULT);
	check_equal("reserved bits of OVF_CTRL", try_wrmsr(OVF_CTRL, 1ull << 50), GP_FAULT);
	check_equal("reserved bits of DEBUGCTL", try_wrmsr(DEBUGCTL, 1ull << 40), GP_FAULT);
	check_equal("PERF_CAPABILITIES cannot be written", try_wrmsr(PERF_CAP, 0), GP_FAULT);
	wrmsr(FIXED(0), mask);
	check_equal("a fixed counter takes all its bits", rdmsr(FIXED(0)), mask);
	check_equal("and no more", try_wrmsr(FIXED(0), mask + 1), GP_FAULT);
	check_equal("a foreign register reads as before", try_rdmsr(0x10, &val), 0);
}

static void fixed_counters(void)
{
	u32 i;

	if (!fixed)
		return;
	for (i = 0; i < fixed; i++)
		wrmsr(FIXED(i), 0);
	wrmsr(CTRL, 7ull << 32);
	loop_between(FIXED_CTRL, 0x333, 0, 1000);
	check_equal("fixed instructions", rdmsr(FIXED(0)), 2002);
	check_equal("fixed cycles", rdmsr(FIXED(1)), 2002);
	check_bus("fixed reference cycles", rdmsr(FIXED(2)), 2002);
	wrmsr(FIXED(0), 0);
	loop_between(FIXED_CTRL, 0x2, 0, 1000);
	check_equal("fixed, user only, in the kernel", rdmsr(FIXED(0)), 0);
	wrmsr(FIXED_CTRL, 0x2);
	in_user(user_loop, 1000);
	wrmsr(FIXED_CTRL, 0);
	check_equal("fixed, user only", rdmsr(FIXED(0)), 2001);
	check_equal("RDPMC of a fixed counter", rdpmc(1u << 30), 2001);
	wrmsr(CTRL, 0);
	wrmsr(FIXED(0), 0);
	loop_between(FIXED_CTRL, 0x3, 0, 1000);
	check_equal("fixed, not enabled in CTRL", rdmsr(FIXED(0)), 0);
}

static void global(void)
{
	if (version < 2)
		return;
	wrmsr(CTRL, 0);
	check_equal("nothing counts that CTRL has not", after_loop(INSNS | OS, 1000), 0);
	wrmsr(PMC(0), 0);
	wrmsr(EVTSEL(0), INSNS | OS | EN);
	spin(100);
	loop_between(CTRL, 1, 0, 1000);
	check_equal("CTRL starts and stops", rdmsr(PMC(0)), 2002);
	wrmsr(EVTSEL(0), 0);
	wrmsr(CTRL, (1u << counters) - 1);

	wrmsr(PMC(0), (u64)-1000);
	wrmsr(PMC(1), (u64)-500);
	wrmsr(EVTSEL(1), BRANCHES | OS | EN);
	loop_between(EVTSEL(0), INSNS | OS | EN, INSNS | OS, 1000);
	wrmsr(EVTSEL(1), 0);
	check_equal("STATUS tells of two overflows", rdmsr(STATUS), 3);
	clear_status(1);
	check_equal("OVF_CTRL clears one", rdmsr(STATUS), 2);
	clear_status(2);
	check_equal("and the other", rdmsr(STATUS), 0);
	wrmsr(FIXED(1), mask);
	wrmsr(CTRL, 2ull << 32);
	loop_between(FIXED_CTRL, 0x30, 0, 10);
	check_equal("STATUS tells of a fixed counter", rdmsr(STATUS), 2ull << 32);
	clear_status(2ull << 32);
	wrmsr(CTRL, (1u << counters) - 1);

	if (version < 4) {
		check_equal("no register to set STATUS", try_wrmsr(STATUS_SET, 0), 0);
		return;
	}
	wrmsr(STATUS_SET, 1ull << 33 | 1);
	check_equal("STATUS_SET sets", rdmsr(STATUS), 1ull << 33 | 1);
	clear_status(1ull << 33 | 1);
	wrmsr(EVTSEL(0), 0);
	wrmsr(EVTSEL(1), INSNS | INT);
	wrmsr(FIXED_CTRL, 0x20);
	check_equal("INUSE", rdmsr(INUSE), 1ull << 63 | 1ull << 33 | 2);
	wrmsr(EVTSEL(1), 0);
	wrmsr(FIXED_CTRL, 0);
	check_equal("INUSE of nothing", rdmsr(INUSE), 0);
	check_equal("INUSE cannot be written", try_wrmsr(INUSE, 0), GP_FAULT);
}

static u64 at_pmi, status_at_pmi, lvt_at_pmi;

static void reload(void)
{
	at_pmi = rdmsr(PMC(0));
	lvt_at_pmi = lvtpc_read();
	if (version >= 2) {
		status_at_pmi = rdmsr(STATUS);
		clear_status(status_at_pmi);
	}
	wrmsr(PMC(0), (u64)-1000);
	lvtpc(lvt_at_pmi & ~LVT_MASKED);
}

static void no_reload(void)
{
	at_pmi = rdmsr(PMC(0));
	if (version >= 2)
		status_at_pmi = rdmsr(STATUS);
}

static void interrupts(void)
{
	u64 pmis = rdmsr(BENCH_MSR_PMIS);

	nr_pmis = 0;
	on_pmi = reload;
	lvtpc(LVT_NMI);
	wrmsr(PMC(0), (u64)-1000);
	wrmsr(EVTSEL(0), INSNS | USR | INT | EN);
	in_user(user_loop, 50000);
	wrmsr(EVTSEL(0), 0);
	check_equal("a period of 1000 in 100001: NMIs", nr_pmis, 100);
	check_equal("and in the bench's own count", rdmsr(BENCH_MSR_PMIS) - pmis, 100);
	check_equal("what is left of the last period", rdmsr(PMC(0)), (mask & (u64)-1000) + 1);
	check_equal("LVTPC is masked on delivery", lvt_at_pmi & LVT_MASKED, LVT_MASKED);
	check_equal("no event between overflow and interrupt", at_pmi, 0);
	if (version >= 2)
		check_equal("the status at an interrupt", status_at_pmi, 1);

	nr_pmis = 0;
	lvtpc(LVT_VECTOR);
	asm volatile("sti");
	wrmsr(PMC(0), (u64)-1000);
	loop_between(EVTSEL(0), BRANCHES | OS | INT | EN, 0, 1000);
	asm volatile("cli");
	check_equal("a fixed vector", nr_pmis, 1);

	nr_pmis = 0;
	on_pmi = no_reload;
	lvtpc(LVT_NMI);
	wrmsr(PMC(0), (u64)-10);
	wrmsr(EVTSEL(0), INSNS | OS | INT | EN);
	spin(1000);
	wrmsr(PMC(0), (u64)-10);
	spin(1000);
	wrmsr(EVTSEL(0), 0);
	check_equal("who does not unmask gets one", nr_pmis, 1);

	nr_pmis = 0;
	lvtpc(LVT_NMI | LVT_MASKED);
	wrmsr(PMC(0), (u64)-10);
	loop_between(EVTSEL(0), INSNS | OS | INT | EN, 0, 1000);
	check_equal("none while masked", nr_pmis, 0);
	lvtpc(LVT_NMI);
	check_equal("and none afterwards", nr_pmis, 0);
	wrmsr(PMC(0), (u64)-10);
	loop_between(EVTSEL(0), INSNS | OS | EN, 0, 1000);
	check_equal("none without INT", nr_pmis, 0);

	wrmsr(BENCH_MSR_SKID, 50);
	wrmsr(PMC(0), (u64)-100);
	wrmsr(EVTSEL(0), INSNS | USR | INT | EN);
	in_user(user_loop, 100);
	wrmsr(EVTSEL(0), 0);
	check_equal("an interrupt that comes 50 cycles late", nr_pmis, 1);
	check_equal("which were counted", at_pmi, 50);
	nr_pmis = 0;
	lvtpc(LVT_NMI);
	wrmsr(BENCH_MSR_SKID, 2000);
	wrmsr(PMC(0), (u64)-100);
	wrmsr(EVTSEL(0), INSNS | USR | INT | EN);
	in_user(user_loop, 100);
	wrmsr(EVTSEL(0), 0);
	check_equal("one that comes", nr_pmis, 0);
	spin(1000);
	check_equal("after its counter was stopped", nr_pmis, 1);
	check_equal("and has not counted on", at_pmi, 101);
	wrmsr(BENCH_MSR_SKID, 0);

	if (version >= 2) {
		clear_status(rdmsr(STATUS));
		nr_pmis = 0;
		lvtpc(LVT_NMI);
		wrmsr(CTRL, 0);
		wrmsr(PMC(0), (u64)-1000);
		wrmsr(PMC(1), (u64)-1000);
		wrmsr(EVTSEL(0), INSNS | USR | INT | EN);
		wrmsr(EVTSEL(1), CYCLES | USR | INT | EN);
		wrmsr(CTRL, 3);
		in_user(user_loop, 5000);
		wrmsr(CTRL, 0);
		check_equal("two overflow together: one interrupt", nr_pmis, 1);
		check_equal("with both in the status", status_at_pmi, 3);
		wrmsr(EVTSEL(0), 0);
		wrmsr(EVTSEL(1), 0);
		clear_status(3);
		if (fixed) {
			nr_pmis = 0;
			lvtpc(LVT_NMI);
			wrmsr(FIXED(0), mask - 99);
			wrmsr(FIXED_CTRL, 0xa);
			wrmsr(CTRL, 1ull << 32);
			in_user(user_loop, 5000);
			wrmsr(CTRL, 0);
			wrmsr(FIXED_CTRL, 0);
			check_equal("a fixed counter interrupts", nr_pmis, 1);
			check_equal("and is in the status", status_at_pmi, 1ull << 32);
			clear_status(1ull << 32);
		}
		wrmsr(CTRL, (1u << counters) - 1);
	}
	on_pmi = 0;
	lvtpc(LVT_MASKED);
}

/* The order of those who know no better: LVTPC, and then the counter. */
static void reload_late(void)
{
	clear_status(rdmsr(STATUS));
	lvtpc(LVT_NMI);
	wrmsr(PMC(0), (u64)-1000);
}

static void reload_status_late(void)
{
	wrmsr(PMC(0), (u64)-1000);
	lvtpc(LVT_NMI);
	clear_status(rdmsr(STATUS));
}

/* NMIs of ten periods. */
static u32 nmis_of(void (*handler)(void))
{
	nr_pmis = 0;
	on_pmi = handler;
	lvtpc(LVT_NMI);
	wrmsr(PMC(0), (u64)-1000);
	wrmsr(EVTSEL(0), INSNS | USR | INT | EN);
	in_user(user_loop, 5000);
	wrmsr(EVTSEL(0), 0);
	on_pmi = 0;
	lvtpc(LVT_MASKED);
	return nr_pmis;
}

/* An interrupt that stays asserted until its reason is gone. */
static void asserted(void)
{
	u32 i;

	if (version < 2 || zhaoxin)
		return;
	check_equal("LVTPC before the counter", nmis_of(reload_late), 10);
	/* One that has overflowed in an earlier test would be a reason for ever. */
	for (i = 0; i < counters; i++)
		wrmsr(PMC(i), 0);
	for (i = 0; i < fixed; i++)
		wrmsr(FIXED(i), 0);
	wrmsr(BENCH_MSR_ASSERT, 1);
	check_equal("the same, asserted: each comes again", nmis_of(reload_late), 20);
	check_equal("LVTPC before the status", nmis_of(reload_status_late), 20);
	check_equal("LVTPC last", nmis_of(reload), 10);
	wrmsr(BENCH_MSR_ASSERT, 0);
}

/* An event that counter 1 has, and the others not. */
static void tied(void)
{
	u32 i, has;

	for (i = 0; i < counters; i++) {
		wrmsr(PMC(i), 0);
		loop_between(EVTSEL(i), 0x01c0 | USR | OS | EN, 0, 1000);
		has = version == 4 && i == 1;
		check_equal("an event of one counter", rdmsr(PMC(i)), has ? 2002 : 0);
	}
}

/* Version 6: fixed counters 4 to 6, none of number 3, and the leaf that says so. */
static void hole(void)
{
	const u32 announced = version >= 6 ? 0x100 : 0;
	u32 i;

	check_equal("leaf 7 announces leaf 0x23", cpuid_sub(7, 1).eax & 0x100, announced);
	if (version < 6)
		return;
	check_equal("leaf 10: those before the hole", cpuid(10).edx & 0x1f, 3);
	check_equal("and all", cpuid(10).ecx, 0x77);
	check_equal("leaf 0x23: its parts", cpuid_sub(0x23, 0).eax, 0xb);
	check_equal("general counters", cpuid_sub(0x23, 1).eax, 0xff);
	check_equal("fixed counters", cpuid_sub(0x23, 1).ebx, 0x77);
	check_equal("events", cpuid_sub(0x23, 3).eax, 0x27);
	set_pce(true);
	check_equal("RDPMC of the hole", try_rdpmc(1u << 30 | 3, &(u64){ 0 }), GP_FAULT);
	check_equal("RDPMC of the last one", try_rdpmc(1u << 30 | 6, &(u64){ 0 }), 0);
	set_pce(false);
	for (i = 4; i <= 6; i++)
		wrmsr(FIXED(i), 0);
	wrmsr(CTRL, 0x70ull << 32);
	wrmsr(FIXED_CTRL, 0x3330000ull);
	spin(100);
	wrmsr(FIXED_CTRL, 0);
	check_equal("slots lost", rdmsr(FIXED(4)) + rdmsr(FIXED(5)), 0);
	check("slots used", rdmsr(FIXED(6)) > 200);
	wrmsr(FIXED(6), mask);
	wrmsr(FIXED_CTRL, 0x3000000ull);
	spin(10);
	wrmsr(FIXED_CTRL, 0);
	check_equal("STATUS beyond the hole", rdmsr(STATUS), 1ull << 38);
	clear_status(1ull << 38);
	wrmsr(CTRL, (1u << counters) - 1);
}

static __attribute__((noinline)) u64 read_msr(void)
{
	return rdmsr(PMC(0));
}

static __attribute__((noinline)) u64 read_pmc(void)
{
	return rdpmc(0);
}

/*
 * An interrupt comes late, and finds LVTPC masked while the counter stands still: whatever
 * it falls on, a read of the counter for instance, only user mode is counted. The latest
 * first, so that the emulator has joined the blocks of that code before.
 */
static void masked(void)
{
	u32 late, n, wrong = 0;

	lvtpc(LVT_MASKED);
	for (late = 600; late > 0; late--) {
		wrmsr(BENCH_MSR_SKID, late);
		wrmsr(PMC(0), (u64)-1);
		wrmsr(EVTSEL(0), INSNS | USR | INT | EN);
		in_user(user_loop, 1);
		for (n = 0; n < 64; n++) {
			read_msr();
			read_pmc();
		}
		in_user(user_loop, 10);
		wrmsr(EVTSEL(0), 0);
		wrong += rdmsr(PMC(0)) != 23;
	}
	check_equal("a masked interrupt adds nothing", wrong, 0);
	wrmsr(BENCH_MSR_SKID, 0);
	if (version >= 2)
		clear_status(1);
}

static u64 ctrl_at_pmi;

static void look(void)
{
	ctrl_at_pmi = rdmsr(CTRL);
	status_at_pmi = rdmsr(STATUS);
	at_pmi = rdmsr(PMC(0));
}

static void freeze(void)
{
	if (version < 2)
		return;
	on_pmi = look;
	nr_pmis = 0;
	lvtpc(LVT_NMI);
	wrmsr(DEBUGCTL, 1 << 12);
	check_equal("DEBUGCTL reads back", rdmsr(DEBUGCTL), 1 << 12);
	wrmsr(PMC(0), (u64)-1001);
	loop_between(EVTSEL(0), INSNS | OS | INT | EN, 0, 1000);
	check_equal("freeze: one interrupt", nr_pmis, 1);
	check_equal("freeze: the handler is not counted", rdmsr(PMC(0)), at_pmi);
	check_equal("freeze: at the overflow", at_pmi, 0);
	if (version < 4) {
		check_equal("freeze: clears CTRL", ctrl_at_pmi, 0);
		check_equal("freeze: status", status_at_pmi, 1);
		clear_status(1);
	} else {
		check_equal("freeze: leaves CTRL", ctrl_at_pmi, (1u << counters) - 1);
		check_equal("freeze: status has CTR_FRZ", status_at_pmi, 1ull << 59 | 1);
		clear_status(1);
		check_equal("freeze: stays while CTR_FRZ is set",
			    after_loop(INSNS | OS, 1000), 0);
		clear_status(1ull << 59);
	}
	wrmsr(CTRL, (1u << counters) - 1);
	check_equal("freeze: ends", after_loop(INSNS | OS, 1000), 2002);
	wrmsr(DEBUGCTL, 0);
	on_pmi = 0;
	lvtpc(LVT_MASKED);
}

/* Trouble of the bench's making */

static void late_status(void)
{
	u64 val;

	if (version < 2)
		return;
	nr_pmis = 0;
	on_pmi = no_reload;
	status_at_pmi = 0;
	lvtpc(LVT_NMI);
	wrmsr(CTRL, 1);
	wrmsr(BENCH_MSR_LATE_STATUS, 3000);
	wrmsr(PMC(0), (u64)-1000);
	loop_between(EVTSEL(0), INSNS | OS | INT | EN, 0, 1000);
	wrmsr(CTRL, 0);
	val = rdmsr(PMC(0));
	check("a late status: the counter has wrapped", val > 1000 && val < 1100);
	check_equal("nothing in the status yet", rdmsr(STATUS), 0);
	check_equal("and no interrupt", nr_pmis, 0);
	clear_status(1);
	wrmsr(EVTSEL(0), INSNS | OS | INT);
	spin(2000);
	check_equal("then, while all is stopped, it is there", rdmsr(STATUS), 1);
	check_equal("and the interrupt came with it", nr_pmis, 1);
	check_equal("which saw it", status_at_pmi, 1);
	check_equal("the counter stands", rdmsr(PMC(0)), val);
	clear_status(1);
	wrmsr(BENCH_MSR_LATE_STATUS, 0);
	wrmsr(CTRL, (1u << counters) - 1);
	on_pmi = 0;
	lvtpc(LVT_MASKED);
}

static void foreign_writes(void)
{
	/* Of version 6 with those behind a hole. */
	const u64 all = ((1ull << counters) - 1) |
			(((1ull << fixed) - 1) | (version >= 6 ? cpuid(10).ecx : 0)) << 32;
	u64 val, ctrl, then;

	if (version < 2)
		return;
	nr_pmis = 0;
	lvtpc(LVT_NMI);
	wrmsr(BENCH_MSR_FOREIGN, 500);
	wrmsr(EVTSEL(0), INSNS | OS | EN);
	wrmsr(CTRL, 1);
	wrmsr(CTRL, 0);
	val = rdmsr(PMC(0));
	spin(100);
	ctrl = rdmsr(CTRL);
	then = rdmsr(PMC(0));
	check_equal("a foreign write: not yet", ctrl, 0);
	check_equal("so the counter stands", then, val);
	spin(1000);
	check_equal("it sets all bits", rdmsr(CTRL), all);
	check("and the counter counts", rdmsr(PMC(0)) > val + 1000);
	check_equal("without an interrupt", nr_pmis, 0);
	wrmsr(BENCH_MSR_FOREIGN, BENCH_FOREIGN_PMI | 500);
	wrmsr(CTRL, 0);
	spin(1000);
	check_equal("or with one", nr_pmis, 1);
	check_equal("at which all bits are set", rdmsr(CTRL), all);
	check_equal("and none in the status", rdmsr(STATUS), 0);
	wrmsr(BENCH_MSR_FOREIGN, 0);
	wrmsr(CTRL, 0);
	spin(1000);
	check_equal("nobody interferes any more", rdmsr(CTRL), 0);
	wrmsr(EVTSEL(0), 0);
	wrmsr(CTRL, (1u << counters) - 1);
	lvtpc(LVT_MASKED);
}

static void foreign_status(void)
{
	nr_pmis = 0;
	lvtpc(LVT_MASKED);
	wrmsr(BENCH_MSR_NMI, 1);
	check_equal("an NMI from nowhere", nr_pmis, 1);
	if (version < 2)
		return;
	wrmsr(BENCH_MSR_SET_STATUS, 1ull << 63);
	check_equal("CondChgd", rdmsr(STATUS), 1ull << 63);
	check_equal("does not stop the counters", after_loop(INSNS | OS, 1000), 2002);
	check_equal("and does not interrupt", nr_pmis, 1);
	clear_status(1ull << 63);
	check_equal("CondChgd can be cleared", rdmsr(STATUS), 0);
	if (version < 4)
		return;
	wrmsr(STATUS_SET, 1ull << 60);
	check_equal("ASCI does not stop them", after_loop(INSNS | OS, 1000), 2002);
	clear_status(1ull << 60);
}

/* The last branches */

/* One of each kind, and a conditional one that is not taken. */
asm(".text\n"
"branches:	xor %eax, %eax\n"
"from_jcc:	je to_jcc\n"
"	nop\n"
"to_jcc:	jne branches\n"
"from_jmp:	jmp to_jmp\n"
"	nop\n"
"to_jmp:	mov $to_ind, %eax\n"
"from_ind:	jmp *%eax\n"
"	nop\n"
"to_ind:\n"
"from_call:	call to_call\n"
"ret_1:	mov $to_call, %eax\n"
"from_icall:	call *%eax\n"
"ret_2:\n"
"from_far:	ljmp $8, $to_far\n"
"	nop\n"
"to_far:	mov $2, %ecx\n"
"to_loop:	nop\n"
"from_loop:	loop to_loop\n"
"from_ret:	ret\n"
"to_call:	nop\n"
"from_cret:	ret\n"
"branches_end:\n");
void branches(void);
extern char from_jcc[], to_jcc[], from_jmp[], to_jmp[], from_ind[], to_ind[], from_call[],
	to_call[], ret_1[], from_icall[], ret_2[], from_far[], to_far[], from_loop[],
	to_loop[], from_cret[], from_ret[], branches_end[];

static const struct branch {
	u32 kind;
	char *from, *to;
} taken[] = {
	{ JCC, from_jcc, to_jcc }, { JMP, from_jmp, to_jmp }, { IND_JMP, from_ind, to_ind },
	{ CALL, from_call, to_call }, { RET, from_cret, ret_1 },
	{ IND_CALL, from_icall, to_call }, { RET, from_cret, ret_2 },
	{ FAR, from_far, to_far }, { JCC, from_loop, to_loop }, { RET, from_ret, 0 },
};
#define NR_TAKEN	(sizeof(taken) / sizeof(taken[0]))

static void clear_branches(void)
{
	u32 i;

	for (i = 0; i < 16; i++) {
		wrmsr(LBR_FROM(i), 0);
		wrmsr(LBR_TO(i), 0);
	}
}

/* Whether the newest entries are those of branches() that are not left out, in order. */
static bool recorded(u32 select)
{
	u32 i, n = (u32)rdmsr(LBR_TOS), want = NR_TAKEN;
	u64 from;

	for (i = 0; i < 16; i++, n--) {
		from = rdmsr(LBR_FROM(n & 15));
		if (from < (u32)branches || from >= (u32)branches_end)
			continue;
		do {
			if (!want--)
				return false;
		} while (select & taken[want].kind);
		if (from != (u32)taken[want].from ||
		    (taken[want].to && rdmsr(LBR_TO(n & 15)) != (u32)taken[want].to))
			return false;
	}
	while (want)
		if (!(select & taken[--want].kind))
			return false;
	return true;
}

static void record(u32 select)
{
	clear_branches();
	wrmsr(LBR_SELECT, select);
	wrmsr(DEBUGCTL, LBR);
	branches();
	wrmsr(DEBUGCTL, 0);
}

static u32 entries(void)
{
	u32 i, n = 0;

	for (i = 0; i < 16; i++)
		n += rdmsr(LBR_FROM(i)) != 0;
	return n;
}

static u64 debugctl_at_pmi;

static void look_at_branches(void)
{
	debugctl_at_pmi = rdmsr(DEBUGCTL);
	clear_status(rdmsr(STATUS));
}

static void last_branches(void)
{
	static const u32 kinds[] = { JCC, CALL, IND_CALL, RET, IND_JMP, JMP, FAR };
	u32 i;

	if (version != 3) {
		check_equal("no last branches", version < 2 ? 0 : rdmsr(PERF_CAP) & 0x3f, 0);
		return;
	}
	check_equal("the layout of last branches", rdmsr(PERF_CAP) & 0x3f, 3);
	check_equal("LBR_SELECT has no call stack", try_wrmsr(LBR_SELECT, 0x200), GP_FAULT);
	check_equal("TOS is an index", try_wrmsr(LBR_TOS, 16), GP_FAULT);
	record(0);
	check("all kinds of branches", recorded(0));
	check_equal("a call before them", rdmsr(LBR_TO((rdmsr(LBR_TOS) - NR_TAKEN) & 15)),
		    (u32)branches);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		record(KINDS & ~kinds[i]);
		check("one kind alone", recorded(KINDS & ~kinds[i]));
		record(kinds[i]);
		check("all but one", recorded(kinds[i]));
	}
	record(NOT_KERNEL);
	check_equal("none of the kernel", entries(), 0);
	record(NOT_USER);
	check("those of the kernel alone", recorded(0));
	record(0);
	clear_branches();
	branches();
	check_equal("none while it is off", entries(), 0);

	clear_branches();
	wrmsr(LBR_SELECT, NOT_KERNEL);
	wrmsr(DEBUGCTL, LBR);
	in_user(user_loop, 10);
	wrmsr(DEBUGCTL, 0);
	i = (u32)rdmsr(LBR_TOS);
	check_equal("user level: the way there and a loop", entries(), 10);
	check_equal("of which it ends there", rdmsr(LBR_TO(i)), (u32)user_loop);
	check_equal("and begins elsewhere", rdmsr(LBR_TO((i - 9) & 15)), (u32)user_loop);
	check("in the kernel", rdmsr(LBR_FROM((i - 9) & 15)) < (u32)user_loop);
	clear_branches();
	wrmsr(LBR_SELECT, NOT_KERNEL | FAR);
	wrmsr(DEBUGCTL, LBR);
	in_user(user_loop, 10);
	wrmsr(DEBUGCTL, 0);
	check_equal("without far branches: the loop alone", entries(), 9);

	/* Nine turns and the interrupt: the ring stands while the handler runs. */
	clear_branches();
	nr_pmis = 0;
	on_pmi = look_at_branches;
	lvtpc(LVT_NMI);
	wrmsr(LBR_SELECT, 0);
	wrmsr(PMC(0), (u64)-20);
	wrmsr(EVTSEL(0), INSNS | USR | INT | EN);
	wrmsr(DEBUGCTL, LBR | FREEZE_LBR);
	in_user(user_loop, 1000);
	wrmsr(EVTSEL(0), 0);
	check_equal("an overflow", nr_pmis, 1);
	check_equal("takes LBR away", debugctl_at_pmi, FREEZE_LBR);
	check_equal("which stays so", rdmsr(DEBUGCTL), FREEZE_LBR);
	i = (u32)rdmsr(LBR_TOS);
	check_equal("the newest entry is the loop's", rdmsr(LBR_TO(i)), (u32)user_loop);
	check("at level 3", rdmsr(LBR_FROM(i)) > (u32)user_loop);
	nr_pmis = 0;
	lvtpc(LVT_NMI);
	wrmsr(PMC(0), (u64)-20);
	wrmsr(EVTSEL(0), INSNS | USR | INT | EN);
	wrmsr(DEBUGCTL, LBR);
	in_user(user_loop, 1000);
	wrmsr(EVTSEL(0), 0);
	check_equal("without the bit", nr_pmis, 1);
	check_equal("it stays on", debugctl_at_pmi, LBR);
	wrmsr(DEBUGCTL, 0);
	on_pmi = 0;
	lvtpc(LVT_MASKED);
}

static void check_extra(const char *what, u32 msr, u64 valid)
{
	u64 val = 0;

	if (!valid)
		return;
	check_equal(what, try_wrmsr(msr, valid), 0);
	check_equal("  reads back", try_rdmsr(msr, &val) ? 0 : val, valid);
	check_equal("  other bits fault", try_wrmsr(msr, ~valid & -~valid), GP_FAULT);
	wrmsr(msr, 0);
}

static void extra(void)
{
	const u64 offcore = 0x3fffff8fffull;

	check_extra("off-core response 0", OFFCORE(0),
		    version >= 4 ? offcore : version == 3 ? 0xffff : 0);
	check_extra("off-core response 1", OFFCORE(1), version >= 4 ? offcore : 0);
	check_extra("load latency", LOAD_LATENCY, version >= 3 ? 0xffff : 0);
	check_extra("front end", FRONTEND, version >= 4 ? 0x7fff17 : 0);
}

/* ZX-C clears its status only while a counter is enabled. */
static void clear_zxc(void)
{
	if (!zhaoxin || (cpuid(1).eax >> 8 & 0xf) != 6)
		return;
	wrmsr(BENCH_MSR_SET_STATUS, 1);
	wrmsr(CTRL, 0);
	wrmsr(OVF_CTRL, 1);
	check_equal("ZX-C does not clear while stopped", rdmsr(STATUS), 1);
	wrmsr(CTRL, 1);
	wrmsr(OVF_CTRL, 1);
	check_equal("but while enabled", rdmsr(STATUS), 0);
	wrmsr(CTRL, (1u << counters) - 1);
}

static void reading(void)
{
	u64 val, reads, writes;

	wrmsr(PMC(0), 42);
	check_equal("RDPMC", rdpmc(0), 42);
	check_equal("RDPMC beyond the last counter", try_rdpmc(counters, &val), GP_FAULT);
	check_equal("RDPMC beyond the last fixed counter",
		    try_rdpmc(1u << 30 | fixed, &val), GP_FAULT);
	set_pce(false);
	check_equal("RDPMC in user mode without CR4.PCE", in_user(user_rdpmc, 0), GP_FAULT);
	set_pce(true);
	check_equal("RDPMC in user mode with it", in_user(user_rdpmc, 0), 0);
	set_pce(false);

	wrmsr(BENCH_MSR_READS, 0);
	wrmsr(BENCH_MSR_WRITES, 0);
	rdpmc(0);
	rdmsr(EVTSEL(0));
	rdmsr(0x10);
	wrmsr(PMC(0), 0);
	reads = rdmsr(BENCH_MSR_READS);
	writes = rdmsr(BENCH_MSR_WRITES);
	check_equal("the bench counts reads", reads, 2);
	check_equal("and writes", writes, 1);
}

static void halted(void)
{
	/* A second of the PIT's at most: its output is not connected to us. */
	nr_pmis = 0;
	wrmsr(PMC(0), 0);
	wrmsr(EVTSEL(0), CYCLES | OS | EN);
	*(volatile u32 *)0xfee003e0 = 0xb;	/* APIC timer: divide by 1, */
	*(volatile u32 *)0xfee00320 = LVT_VECTOR;
	*(volatile u32 *)0xfee00380 = 10000000;	/* 10 ms */
	asm volatile("sti; hlt; cli");
	wrmsr(EVTSEL(0), 0);
	*(volatile u32 *)0xfee00320 = LVT_MASKED;
	check_equal("HLT ended by the timer", nr_pmis, 1);
	check("no cycles while halted", rdmsr(PMC(0)) < 200);
}

int main(void)
{
	struct cpuid leaf = cpuid(10);

	version = leaf.eax & 0xff;
	counters = leaf.eax >> 8 & 0xff;
	width = leaf.eax >> 16 & 0xff;
	fixed = version >= 2 ? leaf.edx & 0x1f : 0;
	zhaoxin = cpuid(0).ebx == 0x746e6543;	/* "Cent" */
	/* An early Core 2 does not say that it has them. */
	if (version == 2 && !leaf.edx)
		fixed = 3;
	mask = (1ull << width) - 1;
	check("CPUID leaf 10", version && version <= 6 && counters >= 2 && counters <= 8);
	check_equal("events of caches and mispredictions are not there", leaf.ebx, 0x58);
	if (version >= 2)
		check_equal("CTRL after a reset", rdmsr(CTRL), (1u << counters) - 1);

	counts();
	split();
	values();
	fixed_counters();
	if (version >= 2)
		wrmsr(CTRL, (1u << counters) - 1);
	global();
	interrupts();
	asserted();
	tied();
	hole();
	masked();
	freeze();
	late_status();
	foreign_writes();
	foreign_status();
	last_branches();
	extra();
	clear_zxc();
	reading();
	halted();
	return 0;
}
