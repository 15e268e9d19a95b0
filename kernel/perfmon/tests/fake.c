// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hardirq.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>

#include "fake.h"

struct pfm_fake pfm_fake;

static int fake_acquire(const struct pfm_pmu *pmu, unsigned int what)
{
	return 0;
}

static void fake_release(const struct pfm_pmu *pmu, unsigned int what)
{
}

static void fake_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	pfm_fake.running = 0;
	pfm_fake.resets++;
}

static void fake_rest(const struct pfm_pmu *pmu, const unsigned long *pmcs)
{
	unsigned int i;

	pfm_fake.running = 0;
	pfm_fake.rested = 0;
	pfm_fake.rests++;
	for_each_set_bit(i, pmcs, ARRAY_SIZE(pfm_fake.sel)) {
		pfm_fake.sel[i] = 0;
		pfm_fake.rested |= BIT_ULL(i);
	}
}

static void fake_program(const struct pfm_pmu *pmu, const unsigned long *changed,
			   const struct pfm_run *run)
{
	unsigned int i;

	for_each_set_bit(i, changed, ARRAY_SIZE(pfm_fake.sel)) {
		pfm_fake.sel[i] = run->v[i];
		pfm_fake.programs++;
	}
	if (pmu->flags & PFM_PMU_UNSETTLED)
		memset(pfm_fake.ctr, 0, sizeof(pfm_fake.ctr));
}

static void fake_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	WARN_ON(run->pmds & run->other);
	pfm_fake.running = run->pmds | run->other;
	pfm_fake.set_flags = run->set_flags;
	pfm_fake.task = run->task;
	pfm_fake.starts++;
}

static void fake_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	pfm_fake.running = run->other;
	pfm_fake.stops++;
}

static u64 fake_read(const struct pfm_pmu *pmu, unsigned int i)
{
	pfm_fake.reads++;
	if (pfm_fake.busy)
		pfm_fake_count(1);
	return pfm_fake.ctr[i];
}

static void fake_write(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	WARN_ON(pfm_fake.running & (pmu->flags & PFM_PMU_SHARES ? BIT_ULL(i) : ~0ULL));
	WARN_ON(value > FAKE_MAX);
	pfm_fake.ctr[i] = (u64)(s32)value & FAKE_MAX;
	pfm_fake.writes++;
}

static bool fake_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	bool ovfl = pfm_fake.ovfl;

	pfm_fake.frozen = !pfm_fake.running;
	WARN_ON((run->pmds | run->other) != pfm_fake.running);
	pfm_fake.ovfl = 0;
	pfm_fake.interrupt = false;
	return ovfl && !pfm_fake.blind;
}

static bool fake_still(const struct pfm_pmu *pmu, u64 pmds)
{
	bool still = !(pfm_fake.running & ~pmds);

	pfm_fake.running &= pmds;
	return still;
}

static bool fake_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return num < FAKE_COUNTERS && (value & 0xff);
}

/* Bit 9 is the kernel's level. */
static bool fake_kernel(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return value & BIT(9);
}

#define FAKE_PMC(n) { .name = "SEL" #n, .num = n, .type = PFM_REG_TYPE_MSR,	\
		      .index = 0x186 + n, .rsvd = ~0xfffULL }
#define FAKE_PMD(n) { .name = "CTR" #n, .num = n, .type = PFM_REG_TYPE_MSR,	\
		      .index = 0xc1 + n, .flags = PFM_PMD_COUNTER, .ctrl = n,	\
		      .write_bits = 32 }

static const struct pfm_pmc_desc fake_pmcs[] = {
	FAKE_PMC(0), FAKE_PMC(1), FAKE_PMC(2), FAKE_PMC(3),
	/* Of what counters count; it controls none of them. */
	FAKE_PMC(FAKE_FILTER),
};

static const struct pfm_pmd_desc fake_pmds[] = {
	FAKE_PMD(0), FAKE_PMD(1), FAKE_PMD(2), FAKE_PMD(3)
};

#define FAKE_PMU(n, f) {						\
	.name = n, .pmcs = fake_pmcs, .pmds = fake_pmds,		\
	.num_pmcs = ARRAY_SIZE(fake_pmcs), .num_pmds = FAKE_COUNTERS,	\
	.width = 40, .flags = f,					\
	.selects = fake_selects, .kernel = fake_kernel,			\
	.acquire = fake_acquire, .release = fake_release,		\
	.reset = fake_reset, .program = fake_program,			\
	.start = fake_start, .stop = fake_stop,				\
	.read = fake_read, .write = fake_write,				\
	.acknowledge = (f) & PFM_PMU_NO_INTERRUPT ? NULL : fake_acknowledge, \
}

const struct pfm_pmu pfm_fake_pmu = FAKE_PMU("fake", 0);
const struct pfm_pmu pfm_fake_unsettled = FAKE_PMU("unsettled", PFM_PMU_UNSETTLED);
const struct pfm_pmu pfm_fake_deaf = FAKE_PMU("deaf", PFM_PMU_NO_INTERRUPT);

/* Shared with others who do not ask; does not like short periods, and takes events back. */
const struct pfm_pmu pfm_fake_shared = {
	.name = "shared", .pmcs = fake_pmcs, .pmds = fake_pmds,
	.num_pmcs = ARRAY_SIZE(fake_pmcs), .num_pmds = FAKE_COUNTERS,
	.width = 40, .min_period = 3, .rollback = 256,
	.selects = fake_selects, .kernel = fake_kernel,
	.acquire = fake_acquire, .release = fake_release,
	.reset = fake_reset, .program = fake_program,
	.start = fake_start, .stop = fake_stop,
	.read = fake_read, .write = fake_write,
	.acknowledge = fake_acknowledge, .still = fake_still,
};

/* Both a thread's context and the CPU's can use it at once. */
const struct pfm_pmu pfm_fake_halves = {
	.name = "halves", .pmcs = fake_pmcs, .pmds = fake_pmds,
	.num_pmcs = ARRAY_SIZE(fake_pmcs), .num_pmds = FAKE_COUNTERS,
	.width = 40, .flags = PFM_PMU_SHARES,
	.selects = fake_selects, .kernel = fake_kernel,
	.acquire = fake_acquire, .release = fake_release,
	.reset = fake_reset, .program = fake_program,
	.start = fake_start, .stop = fake_stop,
	.read = fake_read, .write = fake_write,
	.acknowledge = fake_acknowledge, .still = fake_still,
};

/* Its controls may hold anything before they are programmed. */
const struct pfm_pmu pfm_fake_gated = {
	.name = "gated", .pmcs = fake_pmcs, .pmds = fake_pmds,
	.num_pmcs = ARRAY_SIZE(fake_pmcs), .num_pmds = FAKE_COUNTERS,
	.width = 40, .flags = PFM_PMU_GATED,
	.selects = fake_selects, .kernel = fake_kernel,
	.acquire = fake_acquire, .release = fake_release,
	.reset = fake_reset, .rest = fake_rest, .program = fake_program,
	.start = fake_start, .stop = fake_stop,
	.read = fake_read, .write = fake_write,
	.acknowledge = fake_acknowledge,
};

static const struct pfm_pmu *real_pmu;

void pfm_fake_count(u64 n)
{
	unsigned int i;

	for (i = 0; i < FAKE_COUNTERS; i++) {
		if (!(pfm_fake.running & BIT_ULL(i)))
			continue;
		pfm_fake.ctr[i] += n;
		if (pfm_fake.ctr[i] > FAKE_MAX) {
			pfm_fake.ctr[i] &= FAKE_MAX;
			pfm_fake.ovfl |= BIT_ULL(i);
			pfm_fake.interrupt = true;
		}
	}
}

bool pfm_fake_interrupt(void)
{
	unsigned long flags;
	bool ours;

	local_irq_save(flags);
	ours = pfm_interrupt_handle(NULL);
	local_irq_restore(flags);
	return ours;
}

static bool fake_nmi(struct pt_regs *regs)
{
	unsigned long flags;
	bool ours;

	local_irq_save(flags);
	nmi_enter();
	ours = pfm_interrupt_handle(regs);
	nmi_exit();
	local_irq_restore(flags);
	return ours;
}

bool pfm_fake_nmi(void)
{
	return fake_nmi(NULL);
}

bool pfm_fake_nmi_outside(void)
{
	struct pt_regs regs = {};

#ifdef CONFIG_X86
	regs.flags = X86_EFLAGS_IF;
#elif defined(CONFIG_PPC)
	regs.msr = MSR_PR;
#endif
	return fake_nmi(&regs);
}

void pfm_fake_happen(unsigned int n)
{
	while (n--) {
		pfm_fake_count(1);
		if (pfm_fake.interrupt)
			pfm_fake_interrupt();
	}
}

unsigned long pfm_fake_stat(enum pfm_stat s)
{
	return this_cpu_read(pfm_cpu.stats[s]);
}

int pfm_fake_pmc(struct pfm_context *ctx, u16 set, u16 n, u64 value, u32 flags)
{
	pfarg_pmc_t req = {
		.reg_num = n, .reg_set = set, .reg_value = value,
		.reg_flags = flags,
	};

	ctx->uses |= PFM_HOLD_PMU;
	return pfm_fixture_write_pmc(ctx, &req);
}

int pfm_fake_pmd(struct pfm_context *ctx, u16 set, u16 n, u64 value, u64 reset)
{
	pfarg_pmd_t req = {
		.reg_num = n, .reg_set = set, .reg_value = value,
		.reg_long_reset = reset, .reg_short_reset = reset,
		.reg_ovflsw_thres = 1,
	};

	return pfm_fixture_write_pmd(ctx, &req);
}

int pfm_fake_init(struct kunit *test, const struct pfm_pmu *pmu)
{
	real_pmu = pfm_fixture_swap(test, pmu);
	memset(&pfm_fake, 0, sizeof(pfm_fake));
	migrate_disable();
	pfm_fixture_poll_late();
	this_cpu_write(pfm_cpu.credits, 0);
	test->priv = pfm_fixture_context(test, 0);
	return 0;
}

void pfm_fake_exit(struct kunit *test)
{
	if (test->priv)
		pfm_fixture_free(test->priv);
	pfm_fixture_disarm();
	migrate_enable();
	pfm_fixture_swap(test, real_pmu);
}

unsigned int pfm_fake_messages(struct pfm_context *ctx)
{
	struct pfm_queue *q = &ctx->queue;
	unsigned int n = pfm_message_count(q);

	q->tail += n;
	return n;
}

