// SPDX-License-Identifier: GPL-2.0-only
/*
 * AMD's performance counters: four, or six with the core extension, and the
 * global registers of version 2
 *
 * Not covered: guests' own counting.
 */
#include "rt.h"

#define LEGACY_CTL(n)	(0xc0010000 + (n))
#define LEGACY_CTR(n)	(0xc0010004 + (n))
#define EXT_CTL(n)	(0xc0010200 + 2 * (n))
#define EXT_CTR(n)	(0xc0010201 + 2 * (n))
#define STATUS		0xc0000300
#define GLOBAL_CTL	0xc0000301
#define STATUS_CLR	0xc0000302
#define EFER		0xc0000080

#define CYCLES		0x76
#define INSNS		0xc0
#define BRANCHES	0xc2

#define MASK		((1ull << 48) - 1)

static u32 counters = 4, family;
static bool ext, v2;

static u32 ctl(int n) { return ext ? EXT_CTL(n) : LEGACY_CTL(n); }
static u32 ctr(int n) { return ext ? EXT_CTR(n) : LEGACY_CTR(n); }

static u64 after_loop(u32 event, u32 count)
{
	wrmsr(ctr(0), 0);
	loop_between(ctl(0), event | EN, event, count);
	return rdmsr(ctr(0));
}

static void counts(void)
{
	u32 all = USR | OS, i;

	check_equal("instructions of a loop", after_loop(INSNS | all, 1000), 2002);
	check_equal("instructions of a long loop", after_loop(INSNS | all, 1000000), 2000002);
	check_equal("cycles of a loop", after_loop(CYCLES | all, 1000), 2002);
	check_equal("branches of a loop", after_loop(BRANCHES | all, 1000), 1000);
	check_equal("an unknown event", after_loop(0x4242 | all, 1000), 0);
	check_equal("kernel only", after_loop(INSNS | OS, 1000), 2002);
	check_equal("user only, in the kernel", after_loop(INSNS | USR, 1000), 0);
	check_equal("threshold 2", after_loop(INSNS | all | CMASK(2), 1000), 0);
	check_equal("threshold 2 inverted", after_loop(INSNS | all | CMASK(2) | INV, 1000), 2002);
	check_equal("threshold 1 inverted, branches",
		    after_loop(BRANCHES | all | CMASK(1) | INV, 1000), 1002);
	check_equal("edges of branches", after_loop(BRANCHES | all | EDGE, 1000), 1000);

	for (i = 0; i < counters; i++) {
		wrmsr(ctr(i), 0);
		wrmsr(ctl(i), (i & 1 ? BRANCHES : INSNS) | USR | EN);
	}
	in_user(user_loop, 5000);
	for (i = 0; i < counters; i++)
		wrmsr(ctl(i), 0);
	for (i = 0; i < counters; i += 2) {
		check_equal("user mode: instructions", rdmsr(ctr(i)), 10001);
		check_equal("user mode: branches", rdmsr(ctr(i + 1)), 5001);
	}

	if (family < 16)
		return;
	wrmsr(ctl(0), 1ull << 32 | INSNS | OS | EN);
	wrmsr(ctr(0), 0);
	spin(100);
	check_equal("an event's upper bits tell it from others", rdmsr(ctr(0)), 0);
	wrmsr(ctl(0), 0);
}

static void values(void)
{
	u64 efer = rdmsr(EFER);

	wrmsr(ctr(0), 0x123456789abcull);
	check_equal("a counter takes 48 bits", rdmsr(ctr(0)), 0x123456789abcull);
	wrmsr(ctr(0), -1ull);
	check_equal("and no more", rdmsr(ctr(0)), MASK);
	wrmsr(ctr(0), -2000ull);
	loop_between(ctl(0), INSNS | OS | EN, INSNS | OS, 1000);
	check_equal("wraps at its width", rdmsr(ctr(0)), 2);
	check_equal("reserved bit 21", try_wrmsr(ctl(0), 1 << 21), GP_FAULT);
	check_equal("reserved bit 63", try_wrmsr(ctl(0), 1ull << 63), GP_FAULT);
	check_equal("host only", try_wrmsr(ctl(0), 1ull << 41), family >= 16 ? 0 : GP_FAULT);
	check_equal("pin control", try_wrmsr(ctl(0), 1 << 19), ext ? GP_FAULT : 0);
	wrmsr(ctl(0), 0);

	if (family < 16)
		return;
	wrmsr(ctr(0), 0);
	wrmsr(ctl(0), 1ull << 41 | INSNS | OS | EN);
	spin(100);
	check_equal("host only does not count without SVM", rdmsr(ctr(0)), 0);
	wrmsr(ctl(0), 0);
	if (try_wrmsr(EFER, efer | 1 << 12) || rdmsr(EFER) == efer)
		return;
	wrmsr(ctl(0), 1ull << 41 | INSNS | OS | EN);
	spin(100);
	wrmsr(ctl(0), 0);
	check("host only counts with SVM", rdmsr(ctr(0)) > 200);
	wrmsr(ctr(0), 0);
	wrmsr(ctl(0), 1ull << 40 | INSNS | OS | EN);
	spin(100);
	wrmsr(ctl(0), 0);
	check_equal("guest only does not", rdmsr(ctr(0)), 0);
	wrmsr(EFER, efer);
}

static void aliases(void)
{
	int i;

	if (!ext)
		return;
	for (i = 0; i < 4; i++) {
		wrmsr(LEGACY_CTL(i), 0x40 + i);
		wrmsr(LEGACY_CTR(i), 0x1000 + i);
	}
	check_equal("old address of a control", rdmsr(EXT_CTL(3)), 0x43);
	check_equal("old address of a counter", rdmsr(EXT_CTR(3)), 0x1003);
	wrmsr(EXT_CTR(1), 7);
	check_equal("and the other way", rdmsr(LEGACY_CTR(1)), 7);
	for (i = 0; i < 4; i++)
		wrmsr(LEGACY_CTL(i), 0);
}

static u64 at_pmi, status_at_pmi;
static u32 lvt_at_pmi;

static void reload(void)
{
	at_pmi = rdmsr(ctr(0));
	lvt_at_pmi = lvtpc_read();
	if (v2) {
		status_at_pmi = rdmsr(STATUS);
		wrmsr(STATUS_CLR, status_at_pmi);
	}
	wrmsr(ctr(0), -1000ull);
}

static void interrupts(void)
{
	u64 pmis = rdmsr(BENCH_MSR_PMIS);

	nr_pmis = 0;
	on_pmi = reload;
	lvtpc(LVT_NMI);
	wrmsr(ctr(0), -1000ull);
	wrmsr(ctl(0), INSNS | USR | INT | EN);
	in_user(user_loop, 50000);
	wrmsr(ctl(0), 0);
	check_equal("a period of 1000 in 100001: NMIs", nr_pmis, 100);
	check_equal("and in the bench's own count", rdmsr(BENCH_MSR_PMIS) - pmis, 100);
	check_equal("what is left of the last period", rdmsr(ctr(0)), (MASK & -1000ull) + 1);
	check_equal("LVTPC is not masked on delivery", lvt_at_pmi & LVT_MASKED, 0);
	check_equal("no event between overflow and interrupt", at_pmi, 0);

	nr_pmis = 0;
	lvtpc(LVT_VECTOR);
	asm volatile("sti");
	wrmsr(ctr(0), -1000ull);
	loop_between(ctl(0), BRANCHES | OS | INT | EN, 0, 1000);
	asm volatile("cli");
	check_equal("a fixed vector", nr_pmis, 1);

	nr_pmis = 0;
	lvtpc(LVT_NMI | LVT_MASKED);
	wrmsr(ctr(0), -10ull);
	loop_between(ctl(0), INSNS | OS | INT | EN, 0, 1000);
	lvtpc(LVT_NMI);
	check_equal("none while masked", nr_pmis, 0);
	wrmsr(ctr(0), -10ull);
	loop_between(ctl(0), INSNS | OS | EN, 0, 1000);
	check_equal("none without INT", nr_pmis, 0);

	nr_pmis = 0;
	wrmsr(ctr(0), -1000ull);
	wrmsr(ctr(1), -1000ull);
	wrmsr(ctl(0), INSNS | USR | INT | EN);
	wrmsr(ctl(1), CYCLES | USR | INT | EN);
	if (v2)
		wrmsr(STATUS_CLR, rdmsr(STATUS));
	in_user(user_loop, 999);
	wrmsr(ctl(0), 0);
	wrmsr(ctl(1), 0);
	check_equal("two overflow together: one interrupt", nr_pmis, 1);
	if (v2)
		check_equal("with both in the status", status_at_pmi, 3);
	on_pmi = 0;
	lvtpc(LVT_MASKED);
}

static void global(void)
{
	u64 val;

	if (!v2)
		return;
	wrmsr(STATUS_CLR, rdmsr(STATUS));
	wrmsr(GLOBAL_CTL, 0);
	check_equal("nothing counts that GLOBAL_CTL has not", after_loop(INSNS | OS, 1000), 0);
	wrmsr(ctr(0), 0);
	wrmsr(ctl(0), INSNS | OS | EN);
	loop_between(GLOBAL_CTL, 1, 0, 1000);
	check_equal("GLOBAL_CTL starts and stops", rdmsr(ctr(0)), 2002);
	wrmsr(ctr(0), -1000ull);
	loop_between(GLOBAL_CTL, 1, 0, 1000);
	wrmsr(ctl(0), 0);
	check_equal("status without an interrupt", rdmsr(STATUS), 1);
	wrmsr(STATUS_CLR, 1);
	check_equal("and cleared", rdmsr(STATUS), 0);
	check_equal("STATUS cannot be written", try_wrmsr(STATUS, 0), GP_FAULT);
	check_equal("STATUS_CLR cannot be read", try_rdmsr(STATUS_CLR, &val), GP_FAULT);
	check_equal("a counter that is not there", try_wrmsr(GLOBAL_CTL, 1 << 6), GP_FAULT);
	wrmsr(GLOBAL_CTL, 0x3f);
}

/* Trouble of the bench's making */
static void trouble(void)
{
	u64 val;

	nr_pmis = 0;
	wrmsr(BENCH_MSR_NMI, 1);
	check_equal("an NMI from nowhere", nr_pmis, 1);
	if (!v2)
		return;
	nr_pmis = 0;
	lvtpc(LVT_NMI);
	wrmsr(STATUS_CLR, rdmsr(STATUS));
	wrmsr(BENCH_MSR_SET_STATUS, 1ull << 58);
	check_equal("frozen LBRs do not stop the counters", after_loop(INSNS | OS, 1000), 2002);
	wrmsr(BENCH_MSR_SET_STATUS, 1ull << 59);
	check_equal("the bits are in the status", rdmsr(STATUS), 3ull << 58);
	check_equal("frozen counters stand", after_loop(INSNS | OS, 1000), 0);
	wrmsr(STATUS_CLR, 3ull << 58);
	check_equal("until that is cleared", after_loop(INSNS | OS, 1000), 2002);

	wrmsr(BENCH_MSR_LATE_STATUS, 3000);
	wrmsr(ctr(0), -1000ull);
	loop_between(ctl(0), INSNS | OS | INT | EN, 0, 1000);
	wrmsr(GLOBAL_CTL, 0);
	check_equal("a late status: nothing yet", rdmsr(STATUS), 0);
	wrmsr(ctl(0), INSNS | OS | INT);
	spin(2000);
	check_equal("then it is there", rdmsr(STATUS), 1);
	check_equal("with its interrupt", nr_pmis, 1);
	wrmsr(STATUS_CLR, 1);
	wrmsr(BENCH_MSR_LATE_STATUS, 0);

	wrmsr(BENCH_MSR_FOREIGN, BENCH_FOREIGN_PMI | 500);
	wrmsr(ctl(0), INSNS | OS | EN);
	wrmsr(GLOBAL_CTL, 1);
	wrmsr(GLOBAL_CTL, 0);
	val = rdmsr(ctr(0));
	spin(100);
	check_equal("a foreign write: not yet", rdmsr(ctr(0)), val);
	spin(1000);
	check_equal("it sets all bits", rdmsr(GLOBAL_CTL), 0x3f);
	check_equal("with an interrupt", nr_pmis, 2);
	check("and the counter counts", rdmsr(ctr(0)) > val + 1000);
	wrmsr(BENCH_MSR_FOREIGN, 0);
	wrmsr(ctl(0), 0);
	lvtpc(LVT_MASKED);
}

static void reading(void)
{
	u64 val;

	wrmsr(ctr(0), 42);
	check_equal("RDPMC", rdpmc(0), 42);
	wrmsr(ctr(counters - 1), 43);
	check_equal("RDPMC of the last counter", rdpmc(counters - 1), 43);
	check_equal("RDPMC beyond", try_rdpmc(counters, &val), GP_FAULT);
	check_equal("RDPMC has no fixed counters", try_rdpmc(1 << 30, &val), GP_FAULT);
	set_pce(false);
	check_equal("RDPMC in user mode without CR4.PCE", in_user(user_rdpmc, 0), GP_FAULT);
	set_pce(true);
	check_equal("RDPMC in user mode with it", in_user(user_rdpmc, 0), 0);
	set_pce(false);
}

int main(void)
{
	struct cpuid one = cpuid(1);

	family = (one.eax >> 8 & 15) + (one.eax >> 20 & 0xff);
	ext = cpuid(0x80000001).ecx >> 23 & 1;
	if (ext)
		counters = 6;
	v2 = cpuid(0x80000000).eax >= 0x80000022 && (cpuid(0x80000022).eax & 1);
	if (v2)
		check_equal("CPUID says how many counters", cpuid(0x80000022).ebx & 15, 6);
	check("the core extension is as of family 15h", ext == (family >= 0x15));

	counts();
	values();
	aliases();
	global();
	interrupts();
	trouble();
	reading();
	return 0;
}
