// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of PowerPC 970 and of POWER8 to POWER10, of the model that PVR says
 *
 * Interrupts clear MSR[PMM], so that the program can count itself without its handlers.
 *
 * Not covered: user mode, which needs translation, and with it SIER's bit for it, PMCC and
 * names of registers at that level (the kernel's tests and perf_events have them); hypervisor
 * mode, in which a guest is not; SDAR, which is stored and never set.
 */
#include "rt.h"

typedef uint64_t u64;

#define SIER2		752	/* POWER10, as the next two */
#define SIER3		753
#define MMCR3		754
#define SIER		784
#define MMCR2		785
#define MMCRA		786
#define PMC1		787
#define PMC2		788
#define PMC3		789
#define PMC4		790
#define PMC5		791
#define PMC6		792
#define PMC7		793
#define PMC8		794
#define MMCR0		795
#define SIAR		796
#define SDAR		797
#define MMCR1		798
#define CTRL		152
#define PVR		287

#define FC		(1ul << 31)
#define FCS		(1ul << 30)
#define FCP		(1ul << 29)
#define FCM1		(1ul << 28)
#define FCM0		(1ul << 27)
#define PMAE		(1ul << 26)
#define FCECE		(1ul << 25)
#define PMC1CE		(1ul << 15)
#define PMCJCE		(1ul << 14)
#define TRIGGER		(1ul << 13)
#define PMAO		(1ul << 7)
#define FC14		(1ul << 5)
#define FC56		(1ul << 4)
#define FCH		(1ul << 0)

#define MSR_PMM		MSR_PM
#define SIER_VALID	(1ul << 22)

#define NEGATIVE	0x80000000ul

static enum { PPC970, POWER8, POWER9, POWER10 } version;
static unsigned int counters;
static bool icount;
static u64 cycles, insns, nothing;

static u64 pmc(unsigned int n)
{
	switch (n) {
	case 1: return mfspr(PMC1);
	case 2: return mfspr(PMC2);
	case 3: return mfspr(PMC3);
	case 4: return mfspr(PMC4);
	case 5: return mfspr(PMC5);
	case 6: return mfspr(PMC6);
	case 7: return mfspr(PMC7);
	default: return mfspr(PMC8);
	}
}

static void set_pmc(unsigned int n, u64 val)
{
	switch (n) {
	case 1: mtspr(PMC1, val); break;
	case 2: mtspr(PMC2, val); break;
	case 3: mtspr(PMC3, val); break;
	case 4: mtspr(PMC4, val); break;
	case 5: mtspr(PMC5, val); break;
	case 6: mtspr(PMC6, val); break;
	case 7: mtspr(PMC7, val); break;
	default: mtspr(PMC8, val); break;
	}
}

/* MMCR0 with @event for counter @n and nothing for the others; MMCR1 is written. */
static u64 select(unsigned int n, u64 event)
{
	static const uint8_t shifts[] = { 8, 1, 27, 22, 17, 12, 7, 2 };
	u64 mmcr[2] = { 0, 0 };
	unsigned int i;

	if (version == PPC970) {
		for (i = 0; i < 8; i++)
			mmcr[i >= 2] |= (i + 1 == n ? event : nothing) << shifts[i];
		mtspr(MMCR1, mmcr[1]);
		return mmcr[0];
	}
	mtspr(MMCR1, n <= 4 ? event << (24 - 8 * (n - 1)) : 0);
	return n <= 4 ? FC56 : FC14;
}

static void clear(void)
{
	unsigned int n;

	mtspr(MMCR0, FC);
	mtspr(MMCR1, 0);
	mtspr(MMCRA, 0);
	if (version >= POWER8)
		mtspr(MMCR2, 0);
	for (n = 1; n <= counters; n++)
		set_pmc(n, 0);
	nr_pmis = nr_decrementers = 0;
	on_pmi = 0;
}

static u64 after_loop(unsigned int n, u64 event, u64 more, u64 count)
{
	clear();
	loop_between(select(n, event) | more, FC, count);
	return pmc(n);
}

static bool selectable(unsigned int n)
{
	return version == PPC970 || n <= 4;
}

/* An event of counter @n, which has only one from 5 on but for the 970's */
static u64 some(unsigned int n)
{
	return selectable(n) ? cycles : 0;
}

/* Branches are bit 1 of lane 3, while the fetch unit is on that, for every other pair. */
static void branches_970(void)
{
	const u64 event = 0x19, fetch = 2ul << 62, others = 1ul << 44;
	unsigned int n;

	for (n = 1; n <= counters; n++) {
		u64 mmcr0 = select(n, event), mmcr1 = mfspr(MMCR1);
		u64 want = (n - 1) & 2 ? 1000 : 0;

		clear();
		mtspr(MMCR1, mmcr1 | fetch);
		loop_between(mmcr0, FC, 1000);
		check_equal("branches", pmc(n), want);
		mtspr(MMCR1, mmcr1);
		loop_between(mmcr0, FC, 1000);
		check_equal("of no other unit", pmc(n), want);
		mtspr(MMCR1, mmcr1 | fetch | others);
		loop_between(mmcr0, FC, 1000);
		check_equal("of no other lane", pmc(n), want);
	}
}

static void counts(void)
{
	unsigned int n;

	for (n = 1; n <= counters; n++) {
		check_equal("a loop", after_loop(n, some(n), 0, 1000), 2001);
		check_equal("frozen", after_loop(n, some(n), FC, 1000), 0);
		if (!selectable(n))
			continue;
		check_equal("instructions", after_loop(n, insns, 0, 1000), 2001);
		check_equal("nothing selected", after_loop(n, nothing, 0, 1000), 0);
		check_equal("an event that there is not", after_loop(n, 0x1d, 0, 1000), 0);
	}
	check_equal("a long loop", after_loop(1, insns, 0, 1000000), 2000001);
	clear();
	set_pmc(2, 0xffffffff);
	loop_between(select(2, cycles), FC, 100);
	check_equal("the 33rd bit is lost", pmc(2), 200);

	if (version == PPC970) {
		branches_970();
		return;
	}
	check_equal("branches", version == POWER8 ? after_loop(4, 0x60, 0, 1000) : 1000, 1000);
	clear();
	mtspr(MMCR1, 0x5eul | 0xdul << 48);
	loop_between(0, FC, 1000);
	check_equal("branches of a unit", pmc(4), version == POWER8 ? 0 : 1000);
	clear();
	mtspr(MMCR1, cycles << 24 | 1ul << 60);
	loop_between(0, FC, 1000);
	check_equal("another unit has another event", pmc(1), 0);
	check("5 and 6 count", pmc(5) == 2001 && pmc(6) == 2001);
	clear();
	mtspr(MMCR1, cycles << 24 | 1ul << 35);
	loop_between(FC56, FC, 1000);
	check_equal("so has a combination", pmc(1), version == POWER8 ? 0 : 2001);
	check("5 and 6 do not", pmc(5) == 0 && pmc(6) == 0);
	clear();
	mtspr(MMCR1, cycles << 24);
	loop_between(FC14, FC, 1000);
	check("1 does not", pmc(1) == 0 && pmc(5) == 2001);
	clear();
	mtspr(CTRL, 0);
	loop_between(0, FC, 1000);
	check("without the run latch", pmc(5) == 0 && pmc(6) == 0);
	loop_between(1ul << 8, FC, 1000);
	check("by another bit nevertheless", pmc(5) == 2001 && pmc(6) == 2001);
	mtspr(CTRL, 1);
}

static void levels(void)
{
	unsigned int n;

	check_equal("privileged frozen", after_loop(1, insns, FCS, 1000), 0);
	check_equal("problem state frozen", after_loop(1, insns, FCP, 1000), 2001);
	check_equal("hypervisor frozen", after_loop(1, insns, FCH, 1000), 2001);
	check_equal("marked frozen", after_loop(1, insns, FCM1, 1000), 2001);
	check_equal("unmarked frozen", after_loop(1, insns, FCM0, 1000), 0);
	mtmsr(mfmsr() | MSR_PMM);
	check_equal("marked frozen, and it is", after_loop(1, insns, FCM1, 1000), 0);
	check_equal("unmarked frozen, and it is not", after_loop(1, insns, FCM0, 1000), 2001);
	mtmsr(mfmsr() & ~MSR_PMM);
	if (version == PPC970)
		return;
	for (n = 1; n <= counters; n++) {
		const u64 on = select(n, some(n));

		clear();
		select(n, some(n));
		mtspr(MMCR2, 1ul << (63 - 9 * (n - 1)));
		loop_between(on, FC, 1000);
		check_equal("this counter is frozen", pmc(n), 0);
		mtspr(MMCR2, 1ul << (62 - 9 * (n - 1)) | 1ul << (57 - 9 * (n - 1)));
		loop_between(on, FC, 1000);
		check_equal("for others", pmc(n), 2001);
		mtspr(MMCR2, 1ul << (63 - 9 * (n % counters)));
		loop_between(on, FC, 1000);
		check_equal("another one is", pmc(n), 4002);
	}
}

static u64 mmcr0_seen;

static void stop(void)
{
	mmcr0_seen = mfspr(MMCR0);
	mtspr(MMCR0, FC);
}

static void leave_alert(void)
{
	if (nr_pmis == 3)
		stop();
}

/* Counters that are not frozen while marked, EE as given, 2 * @turns and some instructions */
static void run(u64 mmcr0, u64 ee, u64 turns)
{
	mtmsr(mfmsr() | MSR_PMM);
	interrupted(mmcr0 | FCM0, mfmsr() | ee, turns);
	mtmsr(mfmsr() & ~MSR_PMM);
}

static void enable_once(void)
{
	mtmsr(mfmsr() | MSR_EE);
	mtmsr(mfmsr() & ~MSR_EE);
}

static void conditions(void)
{
	unsigned int n;
	u64 on, siar;

	for (n = 1; n <= counters; n++) {
		const u64 own = n == 1 ? PMC1CE : PMCJCE, other = n == 1 ? PMCJCE : PMC1CE;

		clear();
		on_pmi = stop;
		set_pmc(n, NEGATIVE - 101);
		on = select(n, some(n));
		run(on | PMAE | own, MSR_EE, 1000);
		check_equal("an overflow interrupts", nr_pmis, 1);
		check_equal("at once", pmc(n), NEGATIVE);
		check_equal("SIAR is where", mfspr(SIAR), pmi_at);
		check_equal("an alert has occurred", mmcr0_seen & (PMAE | PMAO), PMAO);
		if (version >= POWER8)
			check_equal("SIER says so", mfspr(SIER), SIER_VALID);

		clear();
		on_pmi = stop;
		set_pmc(n, NEGATIVE - 101);
		on = select(n, some(n));
		run(on | PMAE | other, MSR_EE, 1000);
		check_equal("not if another condition is enabled", nr_pmis, 0);
		run(on | own, MSR_EE, 1000);
		check_equal("nor without PMAE", nr_pmis, 0);
		check("and it counts on", pmc(n) > NEGATIVE + 2000);
	}

	clear();
	set_pmc(1, NEGATIVE - 101);
	run(select(1, cycles) | PMAE | PMC1CE, 0, 1000);
	siar = mfspr(SIAR);
	check_equal("none while EE is 0", nr_pmis, 0);
	check_equal("PMAO is 1 already", mfspr(MMCR0) & (PMAE | PMAO), PMAO);
	on_pmi = stop;
	enable_once();
	check_equal("it comes later", nr_pmis, 1);
	check("SIAR has the place of the overflow",
	      siar == mfspr(SIAR) && siar - (u64)interrupted < 40 && siar != pmi_at);
	enable_once();
	check_equal("once", nr_pmis, 1);

	clear();
	set_pmc(1, NEGATIVE - 101);
	run(select(1, cycles) | PMAE | PMC1CE, 0, 1000);
	mtspr(MMCR0, FC);
	enable_once();
	check_equal("an alert that was cleared does not", nr_pmis, 0);

	clear();
	on_pmi = leave_alert;
	mtspr(MMCR0, FC | PMAO);
	enable_once();
	check_equal("one that is written does, until it is cleared", nr_pmis, 3);

	clear();
	on_pmi = stop;
	set_pmc(2, NEGATIVE + 7);
	mtspr(MMCR0, FC | PMAE | PMCJCE);
	enable_once();
	check_equal("so does a counter left negative", nr_pmis, 1);

	clear();
	set_pmc(1, NEGATIVE - 101);
	run(select(1, cycles) | PMC1CE | FCECE, 0, 1000);
	check_equal("a condition freezes", mfspr(MMCR0) & (FC | FCECE), FC | FCECE);
	check_equal("at once", pmc(1), NEGATIVE);

	clear();
	set_pmc(1, NEGATIVE - 101);
	if (version == PPC970) {
		mtspr(MMCR1, nothing << 27);
		loop_between(cycles << 8 | cycles << 1 | TRIGGER, FC, 1000);
	} else {
		mtspr(MMCR1, cycles << 24 | cycles << 16);
		loop_between(TRIGGER, FC, 1000);
	}
	check_equal("a trigger", pmc(2), 1900);
}

/* MMCR0 with cycles for counters 1 and 2 and nothing for the others; MMCR1 is written. */
static u64 select_two(void)
{
	if (version == PPC970) {
		mtspr(MMCR1, nothing << 27 | nothing << 22 | nothing << 17 | nothing << 12 |
		      nothing << 7 | nothing << 2);
		return cycles << 8 | cycles << 1;
	}
	mtspr(MMCR1, cycles << 24 | cycles << 16);
	return FC56;
}

static void together(void)
{
	clear();
	on_pmi = stop;
	set_pmc(1, NEGATIVE - 101);
	set_pmc(2, NEGATIVE - 101);
	run(select_two() | PMAE | PMC1CE | PMCJCE, MSR_EE, 1000);
	check_equal("two at once interrupt once", nr_pmis, 1);
	check("and both are negative", pmc(1) == NEGATIVE && pmc(2) == NEGATIVE);
}

/* An alert at the moment when a counter becomes negative, and at no other. */
static void edge(void)
{
	mtspr(BENCH_SPR_QUIRKS, QUIRK_EDGE);
	clear();
	on_pmi = stop;
	set_pmc(2, NEGATIVE + 7);
	mtspr(MMCR0, FC | PMAE | PMCJCE);
	enable_once();
	check_equal("a counter left negative does not alert", nr_pmis, 0);
	set_pmc(2, 0ul - 101);
	run(select(2, cycles) | PMAE | PMCJCE, MSR_EE, 1000);
	check_equal("nor one that becomes positive", nr_pmis, 0);
	clear();
	on_pmi = stop;
	set_pmc(2, NEGATIVE - 101);
	run(select(2, cycles) | PMAE | PMCJCE, MSR_EE, 1000);
	check_equal("one that becomes negative does", nr_pmis, 1);
	check_equal("at once", pmc(2), NEGATIVE);
	mtspr(BENCH_SPR_QUIRKS, 0);
}

/* POWER9: 0x160a0 to 0x460a0, of which the last one chooses the bank. */
static void banks(void)
{
	/* What counter 4 has: nothing, an event of that bank, one of another. */
	static const u64 lasts[] = { 0, 0xa0, 0xa2 };
	const u64 bank = version == POWER9 ? 1000 : 0;
	unsigned int n, i;

	if (version == PPC970)
		return;
	for (n = 1; n <= 4; n++) {
		const u64 own = 0xa0ul << (24 - 8 * (n - 1)) | 6ul << (60 - 4 * (n - 1));

		for (i = 0; i < 3; i++) {
			clear();
			mtspr(MMCR1, own | (n < 4 && lasts[i] ? lasts[i] | 6ul << 48 : 0));
			loop_between(FC56, FC, 1000);
			check_equal("an event of a cache", pmc(n), n == 4 || i == 1 ? bank : 0);
		}
	}
}

static __attribute__((noinline)) u64 read_pmc1(void)
{
	return mfspr(PMC1);
}

/*
 * An interrupt that is made to come late. Where it finds EE = 0 and the counter stopped,
 * whatever it falls on, a read of the counter for instance, nothing is counted. The latest
 * first, so that the emulator has joined the blocks of that code before.
 */
static void lateness(void)
{
	u64 late, n, wrong = 0;

	clear();
	on_pmi = stop;
	mtspr(BENCH_SPR_SKID, 50);
	set_pmc(1, NEGATIVE - 101);
	run(select(1, cycles) | PMAE | PMC1CE, MSR_EE, 1000);
	check_equal("a late interrupt", nr_pmis, 1);
	check_equal("what came before it was counted", pmc(1), NEGATIVE + 50);

	for (late = 400; late > 0; late--) {
		clear();
		mtspr(BENCH_SPR_SKID, late);
		set_pmc(1, NEGATIVE - 3);
		loop_between(select(1, cycles) | PMAE | PMC1CE, FC, 10);
		for (n = 0; n < 64; n++)
			read_pmc1();
		loop_between(select(1, cycles), FC, 10);
		wrong += pmc(1) != NEGATIVE + 39;
	}
	check_equal("one while all is stopped adds nothing", wrong, 0);
	mtspr(BENCH_SPR_SKID, 0);
	clear();
}

/* What does nothing here is kept nevertheless: thresholds, where data came from. */
static void fields(void)
{
	const u64 some = 0x0123456789abcdef;

	clear();
	mtspr(MMCRA, some);
	check_equal("MMCRA keeps all", mfspr(MMCRA), some);
	mtspr(SIAR, some);
	mtspr(SDAR, ~some);
	check_equal("SIAR keeps all", mfspr(SIAR), some);
	check_equal("SDAR keeps all", mfspr(SDAR), ~some);
	mtspr(MMCR0, FC | FC14);
	check_equal("MMCR0 keeps its freeze bits", mfspr(MMCR0), FC | FC14);
	if (version >= POWER8) {
		mtspr(MMCR2, some);
		check_equal("MMCR2 keeps all", mfspr(MMCR2), some);
		mtspr(SIER, some);
		check_equal("SIER keeps all", mfspr(SIER), some);
	}
	if (version == POWER10) {
		mtspr(MMCR3, some);
		mtspr(SIER2, some);
		mtspr(SIER3, ~some);
		check_equal("MMCR3 keeps all", mfspr(MMCR3), some);
		check_equal("SIER2 keeps all", mfspr(SIER2), some);
		check_equal("SIER3 keeps all", mfspr(SIER3), ~some);
		mtspr(MMCR3, 0);
	}
	clear();
}

static void bench(void)
{
	u64 reads, writes, executed;

	clear();
	reads = mfspr(BENCH_SPR_READS);
	writes = mfspr(BENCH_SPR_WRITES);
	pmc(1);
	mfspr(MMCR0);
	mtspr(MMCR1, 0);
	check_equal("reads", mfspr(BENCH_SPR_READS), reads + 2);
	check_equal("writes", mfspr(BENCH_SPR_WRITES), writes + 1);

	executed = mfspr(BENCH_SPR_EXECUTED);
	spin(1000);
	executed = mfspr(BENCH_SPR_EXECUTED) - executed;
	check("executed instructions", !icount || (executed > 2000 && executed < 2010));
}

int main(void);
int main(void)
{
	volatile u32 *probe = (volatile u32 *)(300ul << 20);

	/* run.sh gives more memory where instructions are counted. */
	*probe = 0x12345678;
	icount = *probe == 0x12345678;

	counters = 6;
	cycles = 0x1e;
	insns = 2;
	switch (mfspr(PVR) >> 16) {
	case 0x004b:
	case 0x004c:
	case 0x004d:
		version = POWER8;
		break;
	case 0x004e:
		version = POWER9;
		break;
	case 0x0080:
		version = POWER10;
		break;
	default:
		version = PPC970;
		counters = 8;
		cycles = 15;
		insns = 9;
		nothing = 8;
	}
	counts();
	levels();
	conditions();
	edge();
	banks();
	together();
	lateness();
	fields();
	bench();
	return 0;
}
