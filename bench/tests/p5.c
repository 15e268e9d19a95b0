// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU of P5: two counters under one register, without an interrupt
 */
#include "rt.h"

#define CESR		0x11
#define CTR(n)		(0x12 + (n))

#define KERNEL		0x040
#define USER		0x080
#define CLOCKS		0x100
#define INSNS		0x16
#define BRANCHES	0x12

static u64 after_loop(u32 event, u32 count)
{
	wrmsr(CTR(0), 0);
	loop_between(CESR, event, 0, count);
	return rdmsr(CTR(0));
}

int main(void)
{
	u64 val;

	check_equal("instructions of a loop", after_loop(INSNS | KERNEL, 1000), 2002);
	check_equal("instructions of a long loop", after_loop(INSNS | KERNEL, 1000000), 2000002);
	check_equal("branches of a loop", after_loop(BRANCHES | KERNEL, 1000), 1000);
	check_equal("clocks of a loop", after_loop(CLOCKS | KERNEL, 1000), 2002);
	check_equal("an event that never happens", after_loop(0x29 | KERNEL, 1000), 0);
	check_equal("user only, in the kernel", after_loop(INSNS | USER, 1000), 0);
	check_equal("neither", after_loop(INSNS, 1000), 0);

	wrmsr(CTR(0), 0);
	wrmsr(CTR(1), 0);
	wrmsr(CESR, (BRANCHES | USER) << 16 | INSNS | USER);
	in_user(user_loop, 5000);
	wrmsr(CESR, (BRANCHES | USER) << 16);
	in_user(user_loop, 100);
	wrmsr(CESR, 0);
	check_equal("user mode: instructions", rdmsr(CTR(0)), 10001);
	check_equal("user mode: branches, and alone", rdmsr(CTR(1)), 5001 + 101);

	wrmsr(CTR(0), 0x123456789aull);
	check_equal("a counter takes 40 bits", rdmsr(CTR(0)), 0x123456789aull);
	wrmsr(CTR(0), -1ull);
	check_equal("and no more", rdmsr(CTR(0)), (1ull << 40) - 1);
	lvtpc(LVT_NMI);
	wrmsr(CTR(0), -2000ull);
	loop_between(CESR, INSNS | KERNEL, 0, 1000);
	check_equal("wraps at its width", rdmsr(CTR(0)), 2);
	check_equal("without an interrupt", nr_pmis + rdmsr(BENCH_MSR_PMIS), 0);
	lvtpc(LVT_MASKED);
	check_equal("reserved bit 10", try_wrmsr(CESR, 1 << 10), GP_FAULT);
	check_equal("reserved bit 31", try_wrmsr(CESR, 1u << 31), GP_FAULT);
	check_equal("reserved upper half", try_wrmsr(CESR, 1ull << 32), GP_FAULT);
	wrmsr(CESR, (0x200u | BRANCHES) << 16 | 0x200 | INSNS);
	check_equal("CESR reads back", rdmsr(CESR), (0x200u | BRANCHES) << 16 | 0x200 | INSNS);
	wrmsr(CESR, 0);

	wrmsr(CTR(1), 42);
	check_equal("RDPMC", rdpmc(1), 42);
	check_equal("RDPMC beyond", try_rdpmc(2, &val), GP_FAULT);
	set_pce(false);
	check_equal("RDPMC in user mode without CR4.PCE", in_user(user_rdpmc, 0), GP_FAULT);
	set_pce(true);
	check_equal("RDPMC in user mode with it", in_user(user_rdpmc, 0), 0);
	set_pce(false);
	return 0;
}
