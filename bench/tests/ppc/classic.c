// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of PowerPC 604 to 745x, of the model that PVR says
 *
 * Interrupts clear MSR[PM], so that the program can count itself without its handlers.
 *
 * Not covered: event 3 and what else depends on the timebase, the freezing of 604 and 750,
 * pins.
 */
#include "rt.h"

#define MMCR2		944
#define PMC5		945
#define PMC6		946
#define MMCR0		952
#define PMC1		953
#define PMC2		954
#define SIA		955
#define MMCR1		956
#define PMC3		957
#define PMC4		958
#define PVR		287

#define FC		(1u << 31)
#define FCS		(1u << 30)
#define FCP		(1u << 29)
#define FCM1		(1u << 28)
#define FCM0		(1u << 27)
#define PMXE		(1u << 26)
#define FCECE		(1u << 25)
#define TBSEL		(3u << 23)
#define THRESHOLD	(0x3fu << 16)
#define PMC1CE		(1u << 15)
#define PMCJCE		(1u << 14)
#define TRIGGER		(1u << 13)
#define SELECT(s1, s2)	((s1) << 6 | (s2))

#define CYCLES		1
#define INSNS		2
#define DISPATCHED	4

#define NEGATIVE	0x80000000u

static enum { PPC604, PPC604E, PPC750, PPC7400, PPC7450 } family;
static unsigned int counters;
static bool icount;

static u32 pmc(unsigned int n)
{
	switch (n) {
	case 1: return mfspr(PMC1);
	case 2: return mfspr(PMC2);
	case 3: return mfspr(PMC3);
	case 4: return mfspr(PMC4);
	case 5: return mfspr(PMC5);
	default: return mfspr(PMC6);
	}
}

static void set_pmc(unsigned int n, u32 val)
{
	switch (n) {
	case 1: mtspr(PMC1, val); break;
	case 2: mtspr(PMC2, val); break;
	case 3: mtspr(PMC3, val); break;
	case 4: mtspr(PMC4, val); break;
	case 5: mtspr(PMC5, val); break;
	default: mtspr(PMC6, val); break;
	}
}

/* Nothing counts, all is 0. */
static void clear(void)
{
	unsigned int n;

	mtspr(MMCR0, FC);
	if (family >= PPC604E)
		mtspr(MMCR1, 0);
	for (n = 1; n <= counters; n++)
		set_pmc(n, 0);
	nr_pmis = nr_decrementers = nr_programs = 0;
	on_pmi = 0;
}

/* MMCR0 with an event for counter @n; MMCR1 is written. */
static u32 select(unsigned int n, u32 event)
{
	static const uint8_t shifts[] = { 27, 22, 17, 11 };

	if (n <= 2)
		return n == 1 ? SELECT(event, 0) : SELECT(0, event);
	mtspr(MMCR1, event << shifts[n - 3]);
	return 0;
}

static u32 after_loop(unsigned int n, u32 event, u32 more, u32 count)
{
	clear();
	loop_between(select(n, event) | more, FC, count);
	return pmc(n);
}

static void counts(void)
{
	unsigned int n;
	u32 all;

	for (n = 1; n <= counters; n++) {
		check_equal("cycles of a loop", after_loop(n, CYCLES, 0, 1000), 2001);
		check_equal("nothing selected", after_loop(n, 0, 0, 1000), 0);
		check_equal("an event that there is not", after_loop(n, 0x1d, 0, 1000), 0);
		check_equal("frozen", after_loop(n, CYCLES, FC, 1000), 0);
		check_equal("instructions", after_loop(n, INSNS, 0, 1000), n <= 4 ? 2001 : 0);
		check_equal("dispatched", after_loop(n, DISPATCHED, 0, 1000), n <= 4 ? 2001 : 0);
	}
	check_equal("a long loop", after_loop(1, INSNS, 0, 1000000), 2000001);

	clear();
	all = SELECT(CYCLES, CYCLES);
	if (family >= PPC604E)
		mtspr(MMCR1, 1u << 27 | 1u << 22 | (family == PPC7450 ? 1u << 17 | 1u << 11 : 0));
	loop_between(all, FC, 100);
	for (n = 1; n <= counters; n++)
		check_equal("all count together", pmc(n), 201);

	clear();
	set_pmc(2, 0xffffffff);
	loop_between(select(2, CYCLES), FC, 100);
	check_equal("the 33rd bit is lost", pmc(2), 200);

	clear();
	skip_programs = true;
	mtmsr(mfmsr() | MSR_PM);
	trap_between(select(2, INSNS) | FCM0, FC);
	mtmsr(mfmsr() & ~MSR_PM);
	skip_programs = false;
	check_equal("two instructions are skipped", nr_programs, 2);
	check_equal("and do not complete", pmc(2), 2);
}

static void branches(void)
{
	clear();
	switch (family) {
	case PPC604:
	case PPC604E:
		branches_between(SELECT(0, 8), FC);
		check_equal("branches", pmc(2), 10);
		break;
	case PPC750:
	case PPC7400:
		mtspr(MMCR1, (family == PPC750 ? 8u : 5u) << 27);
		branches_between(SELECT(0, family == PPC750 ? 8 : 5), FC);
		check_equal("branches taken", pmc(3), 6);
		check_equal("branches not taken", pmc(2), 4);
		clear();
		mtspr(MMCR0, SELECT(0, 9));
		in_user(user_loop, 100, 0);
		in_user(user_loop, 100, 0);
		mtspr(MMCR0, FC);
		check_equal("changes of the level", pmc(2), 4);
		break;
	case PPC7450:
		branches_between(SELECT(0x22, 0), FC);
		check_equal("branches", pmc(1), 10);
		break;
	}
}

static u32 after_user(u32 more, u32 count, u32 msr)
{
	clear();
	mtspr(MMCR0, SELECT(INSNS, 0) | more);
	check_equal("the system call comes", in_user(user_loop, count, msr), SYSTEM_CALL);
	mtspr(MMCR0, FC);
	return pmc(1);
}

static void levels(void)
{
	u32 n;

	check_equal("supervisor frozen", after_loop(1, INSNS, FCS, 1000), 0);
	check_equal("problem state frozen", after_loop(1, INSNS, FCP, 1000), 2001);
	check_equal("both frozen", after_loop(1, INSNS, FCS | FCP, 1000), 0);
	check_equal("user mode alone", after_user(FCS, 1000, 0), 2001);
	n = after_user(FCP, 1000, 0);
	check("something of the kernel's", n > 10);
	check_equal("user mode not", after_user(FCP, 2000, 0), n);
	check_equal("both", after_user(0, 1000, 0), n + 2001);

	check_equal("marked frozen", after_loop(1, INSNS, FCM1, 1000), 2001);
	check_equal("unmarked frozen", after_loop(1, INSNS, FCM0, 1000), 0);
	mtmsr(mfmsr() | MSR_PM);
	check_equal("marked frozen, and it is", after_loop(1, INSNS, FCM1, 1000), 0);
	check_equal("unmarked frozen, and it is not", after_loop(1, INSNS, FCM0, 1000), 2001);
	mtmsr(mfmsr() & ~MSR_PM);
	check_equal("a marked program", after_user(FCM0, 1000, MSR_PM), 2001);
	check_equal("a marked program in user mode", after_user(FCM0 | FCS, 1000, MSR_PM), 2001);
	check_equal("not in user mode", after_user(FCM0 | FCP, 1000, MSR_PM), 0);
}

static void fields(void)
{
	u32 more = TBSEL | THRESHOLD | FCS | FCP | FCM1 | FCM0 | PMC1CE | PMCJCE;

	clear();
	mtspr(MMCR0, FC | more | SELECT(0x7f, 0x3f));
	check_equal("MMCR0 keeps all", mfspr(MMCR0), FC | more | SELECT(0x7f, 0x3f));
	mtspr(MMCR0, FC);
	if (family >= PPC604E) {
		mtspr(MMCR1, 0xffffffff);
		check_equal("MMCR1 keeps its selects", mfspr(MMCR1),
			    family == PPC7450 ? 0xfffff800 : 0xffc00000);
		mtspr(MMCR1, 0);
	}
	if (family >= PPC7400) {
		mtspr(MMCR2, 0x80000000);
		check_equal("MMCR2 keeps the multiplier", mfspr(MMCR2), 0x80000000);
		mtspr(MMCR2, 0);
	}
}

static u32 pmc1_seen;

static void stop(void)
{
	mtspr(MMCR0, FC);
	pmc1_seen = mfspr(PMC1);
}

/* Counters that are not frozen while marked, EE as given, 2 * @turns and some instructions */
static void run(u32 mmcr0, u32 ee, u32 turns)
{
	mtmsr(mfmsr() | MSR_PM);
	interrupted(mmcr0 | FCM0, mfmsr() | ee, turns);
	mtmsr(mfmsr() & ~MSR_PM);
}

static void conditions(void)
{
	unsigned int n;
	u32 on, sia;

	for (n = 1; n <= counters; n++) {
		const u32 own = n == 1 ? PMC1CE : PMCJCE, other = n == 1 ? PMCJCE : PMC1CE;

		clear();
		on_pmi = stop;
		set_pmc(n, NEGATIVE - 101);
		on = select(n, CYCLES);
		run(on | PMXE | own, MSR_EE, 1000);
		check_equal("an overflow interrupts", nr_pmis, 1);
		check_equal("at once", pmc(n), NEGATIVE);
		check_equal("SIA is where", mfspr(SIA), pmi_at);

		clear();
		on_pmi = stop;
		set_pmc(n, NEGATIVE - 101);
		on = select(n, CYCLES);
		run(on | PMXE | other, MSR_EE, 1000);
		check_equal("not if another condition is enabled", nr_pmis, 0);
		check("and it counts on", pmc(n) > NEGATIVE + 100);
		mtspr(MMCR0, FC);

		clear();
		on_pmi = stop;
		set_pmc(n, NEGATIVE - 101);
		on = select(n, CYCLES);
		run(on | own, MSR_EE, 1000);
		check_equal("not without PMXE", nr_pmis, 0);
		mtspr(MMCR0, FC);
	}

	clear();
	set_pmc(1, NEGATIVE - 101);
	run(SELECT(CYCLES, 0) | PMXE | PMC1CE, MSR_EE, 1000);
	on = mfspr(MMCR0);
	mtspr(MMCR0, FC);
	check_equal("an interrupt clears PMXE", on & (PMXE | PMC1CE | FC), PMC1CE);
	check_equal("and it is the only one", nr_pmis, 1);
	check("though the counter counts on", pmc(1) > NEGATIVE + 1800);

	clear();
	on_pmi = stop;
	set_pmc(1, NEGATIVE - 101);
	set_pmc(2, NEGATIVE - 101);
	run(SELECT(CYCLES, CYCLES) | PMXE | PMC1CE | PMCJCE, MSR_EE, 1000);
	check_equal("one interrupt for two counters", nr_pmis, 1);
	check_equal("the second has overflowed, too", pmc(2), NEGATIVE);

	clear();
	set_pmc(1, NEGATIVE - 101);
	run(SELECT(CYCLES, 0) | PMXE | PMC1CE, 0, 1000);
	sia = mfspr(SIA);
	check_equal("none while EE is 0", nr_pmis, 0);
	check_equal("PMXE is 0 already", mfspr(MMCR0) & PMXE, 0);
	mtspr(MMCR0, FC);
	mtspr(PMC1, 0);
	mtmsr(mfmsr() | MSR_EE);
	mtmsr(mfmsr() & ~MSR_EE);
	check_equal("it is pending whatever becomes of the counter", nr_pmis, 1);
	check("SIA has the place of the overflow",
	      sia == mfspr(SIA) && sia - (u32)interrupted < 40 && sia != pmi_at);
}

static void again(void)
{
	mtspr(MMCR0, nr_pmis < 5 ? PMXE | PMC1CE : FC);
}

static u32 decrementers_before;

static void note_decrementers(void)
{
	decrementers_before = nr_decrementers;
	stop();
}

static void negative(void)
{
	clear();
	on_pmi = again;
	set_pmc(1, NEGATIVE);
	check_equal("a negative counter alone does nothing", nr_pmis, 0);
	run(PMXE | PMC1CE, MSR_EE, 10);
	check_equal("left negative, it interrupts again", nr_pmis, 5);

	clear();
	on_pmi = stop;
	mtspr(MMCR0, PMXE | PMCJCE);
	mtmsr(mfmsr() | MSR_EE);
	set_pmc(2, NEGATIVE + 7);
	mtmsr(mfmsr() & ~MSR_EE);
	check_equal("so does one that is written", nr_pmis, 1);
	check_equal("and has no event", pmc(2), NEGATIVE + 7);

	clear();
	on_pmi = stop;
	set_pmc(1, NEGATIVE);
	mtspr(MMCR0, FC | PMXE | PMC1CE);
	mtmsr(mfmsr() | MSR_EE);
	mtmsr(mfmsr() & ~MSR_EE);
	check_equal("or is frozen", nr_pmis, 1);

	/* When the decrementer's comes, only the counted time says. */
	if (!icount)
		return;
	clear();
	on_pmi = note_decrementers;
	set_pmc(1, NEGATIVE);
	mtspr(MMCR0, FC | PMXE | PMC1CE);
	asm volatile("mtdec %0" : : "r" (1));
	spin(100000);
	mtmsr(mfmsr() | MSR_EE);
	mtmsr(mfmsr() & ~MSR_EE);
	check("both interrupts came", nr_pmis == 1 && nr_decrementers == 1);
	check_equal("before the decrementer's", decrementers_before, 0);
}

static void freezing(void)
{
	clear();
	set_pmc(1, NEGATIVE - 101);
	run(SELECT(CYCLES, CYCLES) | PMC1CE | FCECE, 0, 1000);
	if (family >= PPC7400) {
		check_equal("a condition freezes", mfspr(MMCR0) & FC, FC);
		check("at once", pmc(1) == NEGATIVE && pmc(2) == 101);
	} else {
		check_equal("nothing freezes", mfspr(MMCR0) & FC, 0);
	}
	clear();
	set_pmc(1, NEGATIVE - 101);
	run(SELECT(CYCLES, CYCLES) | FCECE, 0, 1000);
	check_equal("without a condition, too", mfspr(MMCR0) & FC, 0);

	clear();
	set_pmc(1, NEGATIVE - 101);
	loop_between(SELECT(CYCLES, CYCLES) | TRIGGER, FC, 1000);
	check_equal("a trigger", pmc(2), 1900);
	check_equal("goes by the first", pmc(1), NEGATIVE + 1900);
	clear();
	loop_between(SELECT(CYCLES, CYCLES) | TRIGGER, FC | TRIGGER, 1000);
	check("not to be pulled", pmc(1) == 2001 && pmc(2) == 0);
	check_equal("it is still there", mfspr(MMCR0), FC | TRIGGER);
	set_pmc(1, NEGATIVE);
	check_equal("74xx clear it", mfspr(MMCR0), family >= PPC7400 ? FC : FC | TRIGGER);
}

static void user(void)
{
	clear();
	set_pmc(1, 12345);
	seen_by_user = 0;
	check_equal("PMC1 in user mode", in_user(user_read, 0, 0), PROGRAM);
	check_equal("writing its mirror", in_user(user_write, 0, 0), PROGRAM);
	if (family >= PPC750) {
		check_equal("reading its mirror", in_user(user_mirror, 0, 0), SYSTEM_CALL);
		check_equal("that is PMC1", seen_by_user, 12345);
		mtspr(MMCR0, SELECT(INSNS, 0) | FCS);
		in_user(user_mirror, 0, 0);
		mtspr(MMCR0, FC);
		check_equal("it counts itself", seen_by_user, 12346);
		check_equal("and what follows", pmc(1), 12346 + 4);
	} else {
		check_equal("there is no mirror", in_user(user_mirror, 0, 0), PROGRAM);
	}
	check_equal("none was written", pmc(1) & ~0xfu, 12345 & ~0xfu);
}

static __attribute__((noinline)) u32 read_pmc1(void)
{
	return mfspr(PMC1);
}

/*
 * An interrupt comes late, and finds EE = 0 while the counter stands still: whatever it
 * falls on, a read of the counter for instance, only user mode is counted. The latest
 * first, so that the emulator has joined the blocks of that code before.
 */
static void masked(void)
{
	u32 late, n, wrong = 0;

	for (late = 400; late > 0; late--) {
		clear();
		mtspr(BENCH_SPR_SKID, late);
		set_pmc(1, NEGATIVE - 3);
		mtspr(MMCR0, SELECT(INSNS, 0) | FCS | PMXE | PMC1CE);
		in_user(user_loop, 1, 0);
		for (n = 0; n < 64; n++)
			read_pmc1();
		in_user(user_loop, 10, 0);
		mtspr(MMCR0, FC);
		wrong += pmc(1) != NEGATIVE + 21;
		mtspr(BENCH_SPR_SKID, 0);
		mtmsr(mfmsr() | MSR_EE);
		mtmsr(mfmsr() & ~MSR_EE);
	}
	check_equal("a masked interrupt adds nothing", wrong, 0);
}

static void bench(void)
{
	u32 reads, writes, interrupts, executed;

	clear();
	reads = mfspr(BENCH_SPR_READS);
	writes = mfspr(BENCH_SPR_WRITES);
	interrupts = mfspr(BENCH_SPR_PMIS);
	mtspr(MMCR0, FC);
	pmc(1);
	pmc(2);
	mtspr(PMC1, NEGATIVE);
	check_equal("reads", mfspr(BENCH_SPR_READS), reads + 2);
	check_equal("writes", mfspr(BENCH_SPR_WRITES), writes + 2);
	on_pmi = stop;
	run(PMXE | PMC1CE, MSR_EE, 10);
	check_equal("interrupts", mfspr(BENCH_SPR_PMIS), interrupts + 1);

	clear();
	on_pmi = stop;
	mtspr(BENCH_SPR_SKID, 30);
	set_pmc(1, NEGATIVE - 101);
	run(SELECT(CYCLES, 0) | PMXE | PMC1CE, MSR_EE, 1000);
	check("a late interrupt", nr_pmis == 1 && pmc(1) == NEGATIVE + 30);
	mtspr(BENCH_SPR_SKID, 0);

	clear();
	on_pmi = stop;
	mtspr(BENCH_SPR_QUIRKS, QUIRK_PMXE_STAYS);
	set_pmc(1, NEGATIVE - 101);
	run(SELECT(CYCLES, 0) | PMXE | PMC1CE, 0, 1000);
	check_equal("PMXE may stay", mfspr(MMCR0) & PMXE, PMXE);
	mtmsr(mfmsr() | MSR_EE);
	mtmsr(mfmsr() & ~MSR_EE);
	check_equal("until the handler clears it", nr_pmis, 1);
	mtspr(BENCH_SPR_QUIRKS, 0);

	executed = mfspr(BENCH_SPR_EXECUTED);
	spin(1000);
	executed = mfspr(BENCH_SPR_EXECUTED) - executed;
	check("executed instructions", !icount || (executed > 2000 && executed < 2010));
}

int main(void);
int main(void)
{
	volatile u32 *probe = (volatile u32 *)(100 << 20);

	/* run.sh gives more memory where instructions are counted. */
	*probe = 0x12345678;
	icount = *probe == 0x12345678;

	counters = 4;
	switch (mfspr(PVR) >> 16) {
	case 0x0004:
		family = PPC604;
		counters = 2;
		break;
	case 0x0009:
	case 0x000a:
		family = PPC604E;
		break;
	case 0x0008:
	case 0x7000:
	case 0x7001:
	case 0x7002:
		family = PPC750;
		break;
	case 0x000c:
	case 0x800c:
		family = PPC7400;
		break;
	default:
		family = PPC7450;
		counters = 6;
	}

	counts();
	branches();
	levels();
	fields();
	conditions();
	negative();
	freezing();
	user();
	masked();
	bench();
	return 0;
}
