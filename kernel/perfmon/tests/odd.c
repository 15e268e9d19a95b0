// SPDX-License-Identifier: GPL-2.0-only
#include <linux/preempt.h>

#include "odd.h"

struct pfm_odd odd;
u64 odd_poll;

int odd_acquire(const struct pfm_pmu *pmu, unsigned int what)
{
	if (what == PFM_HOLD_CLAIMED && odd.debugger)
		return -EBUSY;
	odd.held |= what;
	odd.alone += odd.held == PFM_HOLD_CLAIMED;
	if (what == PFM_HOLD_CLAIMED && odd.ending) {
		raw_spin_lock_irq(&odd.ending->lock);
		odd.ended = pfm_reserve_take(odd.ending, 0, pfm_fixture_none);
		raw_spin_unlock_irq(&odd.ending->lock);
	}
	return 0;
}

void odd_release(const struct pfm_pmu *pmu, unsigned int what)
{
	odd.held &= ~what;
	odd.alone += odd.held == PFM_HOLD_CLAIMED;
}

void odd_program(const struct pfm_pmu *pmu, const unsigned long *changed,
			const struct pfm_run *run)
{
	if (!test_bit(ODD_RANGE, changed))
		return;
	WARN_ON(!(odd.held & PFM_HOLD_CLAIMED));
	odd.range = run->v[ODD_RANGE];
}

void odd_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	odd.running = 0;
	odd.reg[ODD_LEVEL] = 0;
}

/* The condition is taken away from the counter, its 31 bits stay. */
void odd_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	odd.reg[ODD_LEVEL] &= ~ODD_NEGATIVE;
	odd.running = run->pmds;
}

void odd_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	odd.running = 0;
}

u64 odd_read(const struct pfm_pmu *pmu, unsigned int i)
{
	odd.torn += i >= ODD_BUFFER && odd.running;
	return i == ODD_LEVEL ? odd.reg[i] & ~ODD_NEGATIVE : odd.reg[i];
}

void odd_write(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	WARN_ON(odd.running || i == ODD_STATUS || (i == ODD_RECORD && value));
	odd.reg[i] = value;
	odd.writes[i]++;
}

bool odd_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	bool any = odd.interrupt;

	odd.reg[ODD_LEVEL] &= ~ODD_NEGATIVE;
	odd.interrupt = false;
	return any;
}

bool odd_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return num != ODD_RANGE && value & 0xff;
}

#define ODD_PMC(n)	{ .name = "SEL" #n, .num = n, .type = PFM_REG_TYPE_SPR, \
			  .index = 700 + n }
#define ODD_PMD(n, ...)	{ .name = "DATA" #n, .num = n, .type = PFM_REG_TYPE_SPR, \
			  .index = 800 + n, __VA_ARGS__ }

const struct pfm_pmc_desc odd_pmcs[ODD_PMCS] = {
	ODD_PMC(0), ODD_PMC(1), ODD_PMC(2),
	{ .name = "RANGE", .num = ODD_RANGE, .type = PFM_REG_TYPE_DBR, .index = 0,
	  .flags = PFM_PMC_CLAIMED },
};

const struct pfm_pmd_desc odd_pmds[ODD_PMDS] = {
	ODD_PMD(0, .flags = PFM_PMD_COUNTER, .ctrl = ODD_WIDE, .width = 48),
	ODD_PMD(1, .flags = PFM_PMD_COUNTER, .ctrl = ODD_LEVEL, .width = 31),
	ODD_PMD(2, .ctrl = ODD_CAPTURE, .rsvd = 1, .def = 1),
	ODD_PMD(3, .ctrl = ODD_CAPTURE, .flags = PFM_PMD_RDONLY,
		.rsvd = ~GENMASK_ULL(39, 0)),
	ODD_PMD(4, .ctrl = ODD_CAPTURE, .flags = PFM_PMD_RDONLY | PFM_PMD_CLEAR),
};

static const struct pfm_pmu *odd_real;

/* Events of what runs; a buffer sees other things, if it is asked to. */
void odd_count(u64 n)
{
	u64 capture = odd.running & BIT(ODD_BUFFER);

	if (odd.running & BIT(ODD_WIDE))
		odd.reg[ODD_WIDE] = (odd.reg[ODD_WIDE] + n) & GENMASK_ULL(47, 0);
	if (odd.running & BIT(ODD_LEVEL)) {
		odd.reg[ODD_LEVEL] += n;
		odd.interrupt |= odd.reg[ODD_LEVEL] & ODD_NEGATIVE;
	}
	if (capture) {
		odd.reg[ODD_BUFFER] += n << 1;
		odd.reg[ODD_STATUS]++;
		odd.reg[ODD_RECORD] += n;
	}
}

void odd_interrupt(void)
{
	unsigned long flags;

	local_irq_save(flags);
	pfm_interrupt_handle(NULL);
	local_irq_restore(flags);
}

void odd_pmc(struct kunit *test, struct pfm_context *ctx, u16 set, u16 n,
		    u64 value, u32 flags)
{
	pfarg_pmc_t req = {
		.reg_num = n, .reg_set = set, .reg_value = value,
		.reg_flags = flags,
	};

	if (flags)
		req.reg_reset_pmds[0] = BIT(ODD_BUFFER) | BIT(ODD_STATUS) |
					BIT(ODD_RECORD);
	KUNIT_ASSERT_EQ(test, pfm_fixture_write_pmc(ctx, &req), 0);
}

void odd_pmd(struct kunit *test, struct pfm_context *ctx, u16 n, u64 value,
		    u64 reset)
{
	pfarg_pmd_t req = {
		.reg_num = n, .reg_value = value,
		.reg_long_reset = reset, .reg_short_reset = reset,
	};

	KUNIT_ASSERT_EQ(test, pfm_fixture_write_pmd(ctx, &req), 0);
}

int odd_init_with(struct kunit *test, const struct pfm_pmu *pmu)
{
	odd_real = pfm_fixture_swap(test, pmu);
	memset(&odd, 0, sizeof(odd));
	migrate_disable();
	odd_poll = pfm_fixture_poll_late();
	test->priv = pfm_fixture_context(test, 0);
	return 0;
}

void odd_exit(struct kunit *test)
{
	if (test->priv)
		pfm_fixture_free(test->priv);
	pfm_fixture_disarm();
	migrate_enable();
	pfm_fixture_swap(test, odd_real);
}
