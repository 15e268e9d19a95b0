// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU of NetBurst: every wire between a counter and an event select register,
 * and what a control register does
 *
 * Not covered: two threads of a core, tagging, precise sampling.
 */
#include "rt.h"

#define COUNTER(n)	(0x300 + (n))
#define CCCR(n)		(0x360 + (n))
#define COUNTERS	18

#define FSB_ESCR0	0x3a2
#define CRU_ESCR0	0x3b8
#define CRU_ESCR2	0x3cc
#define TBPU_ESCR0	0x3c2

#define ENABLE		(1u << 12)
#define SELECT(n)	((u32)(n) << 13)
#define ANY_THREAD	(3u << 16)
#define COMPARE		(1u << 18)
#define COMPLEMENT	(1u << 19)
#define THRESHOLD(n)	((u32)(n) << 20)
#define EDGES		(1u << 24)
#define FORCE_OVF	(1u << 25)
#define OVF_PMI		(1u << 26)
#define CASCADE		(1u << 30)
#define OVF		(1u << 31)

#define ESCR(event, mask) ((u32)(event) << 25 | (u32)(mask) << 9)
#define ESCR_OS		8
#define ESCR_USR	4
#define CYCLES		ESCR(0x13, 1)
#define INSNS		ESCR(0x02, 1)
#define BRANCHES	ESCR(0x06, 4)
#define BRANCH_TYPE	ESCR(0x04, 0x1e)

#define MASK		((1ull << 40) - 1)

/* Counter 12, of IQ, on CRU_ESCR0 */
#define IQ		12
#define IQ_CCCR		(SELECT(4) | ANY_THREAD)

static u64 on(u32 cccr, u32 escr_msr, u32 escr, int counter, u32 count)
{
	wrmsr(escr_msr, escr);
	wrmsr(COUNTER(counter), 0);
	loop_between(CCCR(counter), cccr | ENABLE, 0, count);
	wrmsr(escr_msr, 0);
	return rdmsr(COUNTER(counter));
}

static void counts(void)
{
	u32 all = ESCR_OS | ESCR_USR, cycles = SELECT(6) | ANY_THREAD;
	u32 branches = SELECT(5) | ANY_THREAD, types = SELECT(2) | ANY_THREAD;

	check_equal("instructions of a loop", on(IQ_CCCR, CRU_ESCR0, INSNS | all, IQ, 1000), 2002);
	check_equal("instructions of a long loop",
		    on(IQ_CCCR, CRU_ESCR0, INSNS | all, IQ, 1000000), 2000002);
	check_equal("cycles of a loop", on(cycles, FSB_ESCR0, CYCLES | all, 0, 1000), 2002);
	check_equal("branches of a loop", on(branches, CRU_ESCR2, BRANCHES | all, 16, 1000), 1000);
	check_equal("by their type", on(types, TBPU_ESCR0, BRANCH_TYPE | all, 4, 1000), 1000);
	check_equal("uops of a loop", on(IQ_CCCR, CRU_ESCR0, ESCR(1, 1) | all, IQ, 1000), 2002);
	check_equal("no bit of the mask", on(IQ_CCCR, CRU_ESCR0, ESCR(2, 0) | all, IQ, 1000), 0);
	check_equal("tagged instructions", on(IQ_CCCR, CRU_ESCR0, INSNS | all | 16, IQ, 1000), 0);
	check_equal("an unknown event", on(IQ_CCCR, CRU_ESCR0, ESCR(9, 1) | all, IQ, 1000), 0);
	check_equal("an event of another register",
		    on(IQ_CCCR, CRU_ESCR0, CYCLES | all, IQ, 1000), 0);
	check_equal("kernel only", on(IQ_CCCR, CRU_ESCR0, INSNS | ESCR_OS, IQ, 1000), 2002);
	check_equal("user only, in the kernel",
		    on(IQ_CCCR, CRU_ESCR0, INSNS | ESCR_USR, IQ, 1000), 0);
	check_equal("no thread", on(SELECT(4), CRU_ESCR0, INSNS | all, IQ, 1000), 0);
	check_equal("more than 0", on(IQ_CCCR | COMPARE, CRU_ESCR0, INSNS | all, IQ, 1000), 2002);
	check_equal("more than 1", on(IQ_CCCR | COMPARE | THRESHOLD(1), CRU_ESCR0,
				      INSNS | all, IQ, 1000), 0);
	check_equal("not more than 1", on(IQ_CCCR | COMPARE | COMPLEMENT | THRESHOLD(1),
					  CRU_ESCR0, INSNS | all, IQ, 1000), 2002);
	check_equal("edges of branches", on(branches | COMPARE | EDGES, CRU_ESCR2,
					    BRANCHES | all, 16, 1000), 1000);

	wrmsr(CRU_ESCR0, INSNS | ESCR_USR);
	wrmsr(COUNTER(IQ), 0);
	wrmsr(CCCR(IQ), IQ_CCCR | ENABLE);
	in_user(user_loop, 5000);
	wrmsr(CCCR(IQ), 0);
	check_equal("user mode", rdmsr(COUNTER(IQ)), 10001);
}

/* The manual's table: counters, and the registers by the value of select */
static const struct {
	u32 counters;
	uint16_t escr[8];
} wires[] = {
	{ 0x00003, { 0x3b2, 0x3b4, 0x3aa, 0x3b6, 0x3ac, 0x3c8, 0x3a2, 0x3a0 } },
	{ 0x0000c, { 0x3b3, 0x3b5, 0x3ab, 0x3b7, 0x3ad, 0x3c9, 0x3a3, 0x3a1 } },
	{ 0x00030, { 0x3c0, 0x3c4, 0x3c2 } },
	{ 0x000c0, { 0x3c1, 0x3c5, 0x3c3 } },
	{ 0x00300, { 0x3a6, 0x3a4, 0x3ae, 0x3b0, 0, 0x3a8 } },
	{ 0x00c00, { 0x3a7, 0x3a5, 0x3af, 0x3b1, 0, 0x3a9 } },
	{ 0x13000, { 0x3ba, 0x3ca, 0x3bc, 0x3be, 0x3b8, 0x3cc, 0x3e0 } },
	{ 0x2c000, { 0x3bb, 0x3cb, 0x3bd, 0, 0x3b9, 0x3cd, 0x3e1 } },
};

/* What counts instructions, cycles or branches there, if anything does */
static u32 event_of(u32 escr)
{
	switch (escr) {
	case 0x3a2: case 0x3a3: return CYCLES;
	case 0x3b8: case 0x3b9: return INSNS;
	case 0x3cc: case 0x3cd: return BRANCHES;
	case 0x3c2: case 0x3c3: return BRANCH_TYPE;
	default: return 0;
	}
}

static void wiring(void)
{
	u32 right = 0, wrong = 0, w, s, c;
	u64 val;

	/* IQ_ESCR is there up to model 2. */
	wrmsr(BENCH_MSR_WRITES, 0);
	for (w = 0; w < 8; w++)
		for (s = 0; s < 8; s++)
			if (wires[w].escr[s])
				wrmsr(wires[w].escr[s], 0);
	check_equal("event select registers", rdmsr(BENCH_MSR_WRITES),
		    (cpuid(1).eax >> 4 & 15) > 2 ? 43 : 45);

	for (w = 0; w < 8; w++) {
		for (s = 0; s < 8; s++) {
			u32 escr = wires[w].escr[s], event = event_of(escr);

			if (!event)
				continue;
			wrmsr(escr, event | ESCR_OS);
			for (c = 0; c < COUNTERS; c++) {
				u32 other;

				for (other = 0; other < 8; other++) {
					wrmsr(COUNTER(c), 0);
					loop_between(CCCR(c), SELECT(other) | ANY_THREAD | ENABLE,
						     0, 10);
					val = rdmsr(COUNTER(c));
					if (other == s && (wires[w].counters >> c & 1))
						right += val == 22 || val == 10;
					else
						wrong += val != 0;
				}
			}
			wrmsr(escr, 0);
		}
	}
	check_equal("wires that count", right, 4 + 4 + 6 + 6);
	check_equal("and no others", wrong, 0);
}

static void values(void)
{
	wrmsr(COUNTER(0), 0x123456789aull);
	check_equal("a counter takes 40 bits", rdmsr(COUNTER(0)), 0x123456789aull);
	wrmsr(COUNTER(0), -1ull);
	check_equal("and no more", rdmsr(COUNTER(0)), MASK);
	wrmsr(CRU_ESCR0, INSNS | ESCR_OS);
	wrmsr(COUNTER(IQ), -2000ull);
	loop_between(CCCR(IQ), IQ_CCCR | ENABLE, IQ_CCCR, 1000);
	check_equal("wraps at its width", rdmsr(COUNTER(IQ)), 2);
	check_equal("reserved bits of CCCR, low", try_wrmsr(CCCR(0), 1), GP_FAULT);
	check_equal("reserved bits of CCCR, 28", try_wrmsr(CCCR(0), 1u << 28), GP_FAULT);
	check_equal("of CCCR, the other thread's", try_wrmsr(CCCR(0), 1u << 27), GP_FAULT);
	check_equal("reserved bits of ESCR, 31", try_wrmsr(CRU_ESCR0, 1u << 31), GP_FAULT);
	check_equal("of ESCR, the other thread's", try_wrmsr(CRU_ESCR0, 1), GP_FAULT);
	check_equal("upper half of CCCR", try_wrmsr(CCCR(17), 1ull << 32), GP_FAULT);
	wrmsr(CRU_ESCR0, 0);
}

static void overflow(void)
{
	wrmsr(CRU_ESCR0, INSNS | ESCR_OS);
	wrmsr(COUNTER(IQ), -1000ull);
	wrmsr(CCCR(IQ), IQ_CCCR | ENABLE);
	spin(1000);
	check_equal("overflow sets OVF", rdmsr(CCCR(IQ)), IQ_CCCR | ENABLE | OVF);
	wrmsr(CCCR(IQ), IQ_CCCR | ENABLE);
	check_equal("which a write clears", rdmsr(CCCR(IQ)) & OVF, 0);
	wrmsr(CCCR(IQ), 0);

	/* 14 starts when 12 overflows: of 2001 instructions it sees 1001. */
	wrmsr(CRU_ESCR0, INSNS | ESCR_USR);
	wrmsr(CRU_ESCR0 + 1, INSNS | ESCR_USR);
	wrmsr(COUNTER(IQ), -1000ull);
	wrmsr(COUNTER(IQ + 2), 0);
	wrmsr(CCCR(IQ + 2), IQ_CCCR | CASCADE);
	wrmsr(CCCR(IQ), IQ_CCCR | ENABLE);
	in_user(user_loop, 1000);
	wrmsr(CCCR(IQ), 0);
	in_user(user_loop, 1000);
	wrmsr(CCCR(IQ + 2), IQ_CCCR | CASCADE);
	in_user(user_loop, 1000);
	wrmsr(CCCR(IQ + 2), 0);
	check_equal("a cascade goes on until it is written to",
		    rdmsr(COUNTER(IQ + 2)), 1001 + 2001);
	wrmsr(CRU_ESCR0 + 1, 0);
	wrmsr(CRU_ESCR0, 0);
}

static u64 cccr_at_pmi;
static u32 lvt_at_pmi;

static void reload(void)
{
	cccr_at_pmi = rdmsr(CCCR(IQ));
	lvt_at_pmi = lvtpc_read();
	wrmsr(COUNTER(IQ), -1000ull);
	wrmsr(CCCR(IQ), cccr_at_pmi & ~(u64)OVF);
	lvtpc(lvt_at_pmi & ~LVT_MASKED);
}

static void interrupts(void)
{
	nr_pmis = 0;
	on_pmi = reload;
	lvtpc(LVT_NMI);
	wrmsr(CRU_ESCR0, INSNS | ESCR_USR);
	wrmsr(COUNTER(IQ), -1000ull);
	wrmsr(CCCR(IQ), IQ_CCCR | OVF_PMI | ENABLE);
	in_user(user_loop, 50000);
	wrmsr(CCCR(IQ), 0);
	check_equal("a period of 1000 in 100001: NMIs", nr_pmis, 100);
	check_equal("and in the bench's own count", rdmsr(BENCH_MSR_PMIS), 100);
	check_equal("OVF at an interrupt", cccr_at_pmi & OVF, OVF);
	check_equal("LVTPC is masked on delivery", lvt_at_pmi & LVT_MASKED, LVT_MASKED);
	check_equal("what is left of the last period", rdmsr(COUNTER(IQ)), (MASK & -1000ull) + 1);

	nr_pmis = 0;
	wrmsr(COUNTER(IQ), -1000ull);
	wrmsr(CCCR(IQ), IQ_CCCR | ENABLE);
	in_user(user_loop, 50000);
	wrmsr(CCCR(IQ), 0);
	check_equal("none without OVF_PMI", nr_pmis, 0);

	wrmsr(COUNTER(IQ), 0);
	wrmsr(CCCR(IQ), IQ_CCCR | OVF_PMI | FORCE_OVF | ENABLE);
	in_user(user_loop, 10);
	wrmsr(CCCR(IQ), 0);
	check_equal("forced overflow at every event", nr_pmis, 21);

	nr_pmis = 0;
	wrmsr(COUNTER(IQ), -1000ull);
	wrmsr(COUNTER(IQ + 1), -1000ull);
	wrmsr(CCCR(IQ + 1), IQ_CCCR | OVF_PMI | ENABLE);
	wrmsr(CCCR(IQ), IQ_CCCR | OVF_PMI | ENABLE);
	in_user(user_loop, 999);
	check_equal("two overflow together: one interrupt", nr_pmis, 1);
	check_equal("the other one has OVF, too", rdmsr(CCCR(IQ + 1)) & OVF, OVF);
	wrmsr(CCCR(IQ), 0);
	wrmsr(CCCR(IQ + 1), 0);
	wrmsr(CRU_ESCR0, 0);
	on_pmi = 0;
	lvtpc(LVT_MASKED);
}

static void reading(void)
{
	u64 val;

	wrmsr(COUNTER(17), 0x1200000042ull);
	check_equal("RDPMC", rdpmc(17), 0x1200000042ull);
	check_equal("fast RDPMC", rdpmc(1u << 31 | 17), 0x42);
	check_equal("RDPMC beyond", try_rdpmc(18, &val), GP_FAULT);
	set_pce(false);
	check_equal("RDPMC in user mode without CR4.PCE", in_user(user_rdpmc, 0), GP_FAULT);
	set_pce(true);
	check_equal("RDPMC in user mode with it", in_user(user_rdpmc, 0), 0);
	set_pce(false);
}

int main(void)
{
	check_equal("MISC_ENABLE says that there is a PMU", rdmsr(0x1a0) >> 7 & 1, 1);
	counts();
	wiring();
	values();
	overflow();
	interrupts();
	reading();
	return 0;
}
