/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the switch_*.c tests share: sets that end after a time or after
 * overflows, and what the kernel says of their runs, their activity and the
 * rest of their time-outs.
 */
#ifndef SWITCH_H
#define SWITCH_H

#include "puppet.h"

#define NOTIFY	PFM_REGFL_OVFL_NOTIFY
#define FAULTS	PFM_SW_MINOR_FAULTS
#define OVFL	PFM_SETFL_OVFL_SWITCH
#define TIME	PFM_SETFL_TIME_SWITCH
#define NEXT	PFM_SETFL_EXPL_NEXT

/* By so much a time-out may be early: the clocks are two. */
#define SLACK	1000ULL

/* For sums that must be exact. */
#define MANY	(is_slow() ? 10000ULL : 100000ULL)

#define MAX_SETS 16

/* The effective time-out in ns. */
static inline u64 make_set(int fd, int id, u32 flags, int next, u64 timeout)
{
	pfarg_setdesc_t desc = {
		.set_id = (__u16)id, .set_id_next = (__u16)next,
		.set_flags = flags,
		.set_timeout = { (__s64)(timeout / NSEC_PER_SEC),
				 (__s64)(timeout % NSEC_PER_SEC) },
	};

	MUST(pfm(fd, PFM_CREATE_EVTSETS, &desc, 1));
	return (u64)desc.set_timeout.tv_sec * NSEC_PER_SEC +
	       (u64)desc.set_timeout.tv_nsec;
}

/* Counter @i of @set counts @event. */
static inline void choose(int fd, int set, int i, u64 event, u32 flags)
{
	pfarg_pmc_t pmc = {
		.reg_num = (__u16)SW_PMC(i), .reg_set = (__u16)set,
		.reg_flags = flags, .reg_value = event,
	};

	MUST(pfm(fd, PFM_WRITE_PMCS, &pmc, 1));
}

static inline void set_pmd(int fd, int set, int i, u64 value, u64 long_reset,
			   u64 short_reset, u64 thres)
{
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)SW_PMD(i), .reg_set = (__u16)set,
		.reg_value = value, .reg_long_reset = long_reset,
		.reg_short_reset = short_reset, .reg_ovflsw_thres = thres,
	};

	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
}

/* Counter @i ends the activity of @set with its @thres'th @period faults. */
static inline void trigger(int fd, int set, int i, u64 period, u64 thres)
{
	choose(fd, set, i, FAULTS, 0);
	set_pmd(fd, set, i, -period, -period, -period, thres);
}

static inline pfarg_pmd_t read_pmd(int fd, int set, int i)
{
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)SW_PMD(i), .reg_set = (__u16)set,
	};

	MUST(pfm(fd, PFM_READ_PMDS, &pmd, 1));
	return pmd;
}

static inline u64 value_of(int fd, int set, int i)
{
	return read_pmd(fd, set, i).reg_value;
}

static inline u64 thres_of(int fd, int set, int i)
{
	return read_pmd(fd, set, i).reg_ovflsw_thres;
}

static inline pfarg_setinfo_t info_of(int fd, int set)
{
	pfarg_setinfo_t info = { .set_id = (__u16)set };

	MUST(pfm(fd, PFM_GETINFO_EVTSETS, &info, 1));
	return info;
}

/* Of sets 0 to @n - 1, all at one moment. */
static inline void infos_of(int fd, pfarg_setinfo_t *info, int n)
{
	int i;

	memset(info, 0, (size_t)n * sizeof(*info));
	for (i = 0; i < n; i++)
		info[i].set_id = (__u16)i;
	MUST(pfm(fd, PFM_GETINFO_EVTSETS, info, n));
}

static inline u64 in_ns(struct pfm_timespec ts)
{
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

static inline u64 runs_of(int fd, int set)
{
	return info_of(fd, set).set_runs;
}

/* What is left of its time-out. */
static inline u64 left_of(int fd, int set)
{
	return in_ns(info_of(fd, set).set_timeout);
}

static inline u64 act_of(int fd, int set)
{
	return in_ns(info_of(fd, set).set_act_duration);
}

static inline u64 all_runs(int fd, int n)
{
	pfarg_setinfo_t info[MAX_SETS];
	u64 sum = 0;

	infos_of(fd, info, n);
	while (n--)
		sum += info[n].set_runs;
	return sum;
}

/* The counters that last ended an activity of @set, as bits. */
static inline unsigned int ended_by(int fd, int set)
{
	pfarg_setinfo_t info = info_of(fd, set);
	unsigned int i, bits = 0;

	for (i = 0; i < PFM_MAX_PMDS; i++) {
		if (!vec_test(info.set_switch_pmds, i))
			continue;
		if (i < PFM_SW_PMD0 || i >= PFM_SW_PMD0 + PFM_SW_COUNTERS)
			die("PMD %u ended set %d", i, set);
		bits |= 1U << (i - PFM_SW_PMD0);
	}
	return bits;
}

static inline int active(int fd)
{
	return (int)pfm_fdinfo_num(fd, "pfm-set");
}

static inline int load_at(int fd, pid_t tid, int set)
{
	pfarg_load_t load = { .load_pid = tid, .load_set = (__u16)set };

	return pfm(fd, PFM_LOAD_CONTEXT, &load, 1);
}

static inline int start_at(int fd, int set)
{
	pfarg_start_t start = { .start_set = (__u16)set };

	return pfm(fd, PFM_START, &start, 1);
}

/* The kernel's clock and ours need not agree to the last percent. */
static inline u64 at_most(u64 wall)
{
	return wall + wall / 10 + 5 * NSEC_PER_MSEC;
}

static inline bool puppet_burns_until(struct puppet *p, int fd, int n, u64 runs)
{
	int tries = 1000;

	while (all_runs(fd, n) < runs) {
		if (!tries--)
			return false;
		puppet_do(p, OP_BURN, 10);
	}
	return true;
}

FIXTURE(switching) {
	struct puppet p;
	int fd;
};

/* A context that is not loaded yet, for the puppet. */
FIXTURE_SETUP(switching)
{
	puppet_start(&self->p, PUPPET_PROCESS);
	self->fd = (int)MUST(pfm_create(0));
	set_nonblock(self->fd);
}

FIXTURE_TEARDOWN(switching)
{
	close(self->fd);
	puppet_stop(&self->p);
}

#endif /* SWITCH_H */
