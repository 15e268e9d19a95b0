/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: a context for unit tests, without an attachment in the hooks.
 *
 * It looks loaded on current and live on no CPU, so that current's own
 * counters, which a test may change at will, are its register file: nothing
 * else writes to the faults of a kernel thread.
 */
#ifndef _PFM_TESTS_FIXTURE_H
#define _PFM_TESTS_FIXTURE_H

#include <kunit/test.h>

#include "../pfm.h"

/* A context that can be notified, as PFM_CREATE_CONTEXT makes it; or an error pointer. */
struct pfm_context *pfm_fixture_new(u32 flags, struct pfm_format *format);

int pfm_fixture_init(struct kunit *test);
void pfm_fixture_exit(struct kunit *test);
void pfm_fixture_load(struct pfm_context *ctx);

/* Have pmu, or NULL, for the hardware's description. What was it before? */
const struct pfm_pmu *pfm_fixture_swap(struct kunit *test,
				       const struct pfm_pmu *pmu);

/*
 * This CPU's timer is not armed, and looks at counters an hour from now at the earliest,
 * until the next swap. Returns after how many ns it would have. The caller stays on
 * the CPU, and disarms it in the end.
 */
u64 pfm_fixture_poll_late(void);
void pfm_fixture_disarm(void);

/* No control register, as a bitmap. */
extern const unsigned long pfm_fixture_none[BITS_TO_LONGS(PFM_PMCS_MAX)];

/* What the commands on registers do, of any PMU. */
int pfm_fixture_write_pmc(struct pfm_context *ctx, pfarg_pmc_t *req);
int pfm_fixture_write_pmd(struct pfm_context *ctx, pfarg_pmd_t *req);
int pfm_fixture_read_pmd(struct pfm_context *ctx, pfarg_pmd_t *req);

/* What a PMD of a set says, or 0xdeadbeef if it cannot be read. */
u64 pfm_fixture_value(struct pfm_context *ctx, u16 set, u16 n);

/*
 * Contexts that use the hardware's description, live on this CPU or on none. The
 * caller stays on it. The nth one of a test: lockdep wants to know.
 */
struct pfm_context *pfm_fixture_context(struct kunit *test, unsigned int n);
void pfm_fixture_load_hw(struct kunit *test, struct pfm_context *ctx);
void pfm_fixture_in(struct pfm_context *ctx);	/* its thread comes to this CPU */
void pfm_fixture_out(struct pfm_context *ctx);	/* and goes */
void pfm_fixture_free(struct pfm_context *ctx);

/* PFM_GETINFO_EVTSETS. */
int pfm_fixture_getinfo(struct pfm_context *ctx, pfarg_setinfo_t *info);

/* Counter n of set s, for the functions below. */
#define PFM_FIXTURE_IN(s, n)	((s) << 3 | (n))

/* Creates a set; its time-out, if it has one, is a second. */
int pfm_fixture_set(struct pfm_context *ctx, u16 id, u32 flags);

/* Dense number of software counter n. */
static inline unsigned int pfm_fixture_sw(unsigned int n)
{
	return pfm_regmap.pmd_of[PFM_SW_PMD0 + n];
}

int pfm_fixture_pmc(struct pfm_context *ctx, unsigned int n, unsigned int event,
		    u32 flags, u64 reset_vec);
int pfm_fixture_pmd(struct pfm_context *ctx, unsigned int n, u64 value,
		    u64 long_reset, u64 short_reset);
int pfm_fixture_trigger(struct pfm_context *ctx, unsigned int n, u64 value,
			u64 long_reset, u64 short_reset, u64 thres);
u64 pfm_fixture_read(struct pfm_context *ctx, unsigned int n);
void pfm_fixture_start(struct pfm_context *ctx);
int pfm_fixture_start_set(struct pfm_context *ctx, u16 id);
void pfm_fixture_stop(struct pfm_context *ctx);
int pfm_fixture_restart(struct pfm_context *ctx);
bool pfm_fixture_expired(struct pfm_context *ctx);

/* n minor, or major, faults happen to the monitored thread. */
void pfm_fixture_faults(struct pfm_context *ctx, unsigned int n);
void pfm_fixture_majors(struct pfm_context *ctx, unsigned int n);

#endif /* _PFM_TESTS_FIXTURE_H */
