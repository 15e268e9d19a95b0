// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU of P6: two counters, enabled together
 */
#include "rt.h"

#define CTR(n)		(0x0c1 + (n))
#define EVNTSEL(n)	(0x186 + (n))

#define CYCLES		0x79
#define INSNS		0xc0
#define BRANCHES	0xc4

#define MASK		((1ull << 40) - 1)

static u64 after_loop(u32 event, u32 count)
{
	wrmsr(CTR(0), 0);
	loop_between(EVNTSEL(0), event | EN, event, count);
	return rdmsr(CTR(0));
}

static void counts(void)
{
	u32 all = USR | OS;

	check_equal("instructions of a loop", after_loop(INSNS | all, 1000), 2002);
	check_equal("instructions of a long loop", after_loop(INSNS | all, 1000000), 2000002);
	check_equal("cycles of a loop", after_loop(CYCLES | all, 1000), 2002);
	check_equal("branches of a loop", after_loop(BRANCHES | all, 1000), 1000);
	check_equal("an unknown event", after_loop(0x4242 | all, 1000), 0);
	check_equal("kernel only", after_loop(INSNS | OS, 1000), 2002);
	check_equal("user only, in the kernel", after_loop(INSNS | USR, 1000), 0);
	check_equal("threshold 2", after_loop(INSNS | all | CMASK(2), 1000), 0);
	check_equal("threshold 2 inverted", after_loop(INSNS | all | CMASK(2) | INV, 1000), 2002);
	check_equal("edges of branches", after_loop(BRANCHES | all | EDGE, 1000), 1000);

	wrmsr(CTR(0), 0);
	wrmsr(CTR(1), 0);
	wrmsr(EVNTSEL(1), BRANCHES | USR);
	wrmsr(EVNTSEL(0), INSNS | USR | EN);
	in_user(user_loop, 5000);
	wrmsr(EVNTSEL(0), 0);
	check_equal("user mode: instructions", rdmsr(CTR(0)), 10001);
	check_equal("user mode: branches", rdmsr(CTR(1)), 5001);
}

static void shared_enable(void)
{
	wrmsr(CTR(1), 0);
	wrmsr(EVNTSEL(1), INSNS | OS);
	spin(100);
	check_equal("the second counter rests without the first's EN", rdmsr(CTR(1)), 0);
	loop_between(EVNTSEL(0), EN, 0, 1000);
	check_equal("which starts and stops it", rdmsr(CTR(1)), 2002);
	check_equal("it has no EN itself", try_wrmsr(EVNTSEL(1), INSNS | EN), GP_FAULT);
	check_equal("and kept its value", rdmsr(EVNTSEL(1)), INSNS | OS);
	wrmsr(EVNTSEL(1), 0);
}

static void values(void)
{
	wrmsr(CTR(0), 0x123456789ull);
	check_equal("a write takes the low 32 bits", rdmsr(CTR(0)), 0x23456789);
	wrmsr(CTR(0), 0x80000000ull);
	check_equal("and extends their sign to 40", rdmsr(CTR(0)), 0xff80000000ull);
	wrmsr(CTR(0), -2000ull);
	loop_between(EVNTSEL(0), INSNS | OS | EN, 0, 1000);
	check_equal("wraps at its width", rdmsr(CTR(0)), 2);
	check_equal("reserved bit 21", try_wrmsr(EVNTSEL(0), 1 << 21), GP_FAULT);
	check_equal("reserved upper half", try_wrmsr(EVNTSEL(1), 1ull << 32), GP_FAULT);
	check_equal("pin control", try_wrmsr(EVNTSEL(0), 1 << 19), 0);
	wrmsr(EVNTSEL(0), 0);
}

static u32 lvt_at_pmi;

static void reload(void)
{
	lvt_at_pmi = lvtpc_read();
	wrmsr(CTR(0), -1000ull);
}

static void interrupts(void)
{
	nr_pmis = 0;
	on_pmi = reload;
	lvtpc(LVT_NMI);
	wrmsr(CTR(0), -1000ull);
	wrmsr(EVNTSEL(0), INSNS | USR | INT | EN);
	in_user(user_loop, 50000);
	wrmsr(EVNTSEL(0), 0);
	check_equal("a period of 1000 in 100001: NMIs", nr_pmis, 100);
	check_equal("and in the bench's own count", rdmsr(BENCH_MSR_PMIS), 100);
	check_equal("what is left of the last period", rdmsr(CTR(0)), (MASK & -1000ull) + 1);
	check_equal("LVTPC is not masked on delivery", lvt_at_pmi & LVT_MASKED, 0);

	nr_pmis = 0;
	lvtpc(LVT_VECTOR);
	asm volatile("sti");
	wrmsr(CTR(1), -1000ull);
	wrmsr(EVNTSEL(1), BRANCHES | OS | INT);
	loop_between(EVNTSEL(0), EN, 0, 1000);
	asm volatile("cli");
	check_equal("the second counter interrupts, by a vector", nr_pmis, 1);

	nr_pmis = 0;
	wrmsr(CTR(1), -1000ull);
	wrmsr(EVNTSEL(1), BRANCHES | OS);
	asm volatile("sti");
	loop_between(EVNTSEL(0), EN, 0, 1000);
	asm volatile("cli");
	check_equal("not without INT", nr_pmis, 0);

	nr_pmis = 0;
	lvtpc(LVT_NMI);
	wrmsr(CTR(0), -1000ull);
	wrmsr(CTR(1), -1000ull);
	wrmsr(EVNTSEL(1), CYCLES | USR | INT);
	wrmsr(EVNTSEL(0), INSNS | USR | INT | EN);
	in_user(user_loop, 999);
	wrmsr(EVNTSEL(0), 0);
	check_equal("two overflow together: one interrupt", nr_pmis, 1);
	on_pmi = 0;
	lvtpc(LVT_MASKED);
}

static void reading(void)
{
	u64 val;

	wrmsr(CTR(1), 42);
	check_equal("RDPMC", rdpmc(1), 42);
	check_equal("RDPMC beyond", try_rdpmc(2, &val), GP_FAULT);
	set_pce(false);
	check_equal("RDPMC in user mode without CR4.PCE", in_user(user_rdpmc, 0), GP_FAULT);
	set_pce(true);
	check_equal("RDPMC in user mode with it", in_user(user_rdpmc, 0), 0);
	set_pce(false);
}

int main(void)
{
	counts();
	shared_enable();
	values();
	interrupts();
	reading();
	return 0;
}
