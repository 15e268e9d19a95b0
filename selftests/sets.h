/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the sets_*.c tests share: a context, the event-set commands, and the
 * registers of any set.
 */
#ifndef SETS_H
#define SETS_H

#include "puppet.h"

FIXTURE(sets) {
	int fd;
};

FIXTURE_SETUP(sets)
{
	self->fd = (int)MUST(pfm_create(0));
}

FIXTURE_TEARDOWN(sets)
{
	close(self->fd);
}

static inline int create(int fd, u32 flags, long long sec, long long nsec,
			 pfarg_setdesc_t *out)
{
	pfarg_setdesc_t desc = {
		.set_flags = flags, .set_timeout = { sec, nsec },
	};
	int ret = pfm(fd, PFM_CREATE_EVTSETS, &desc, 1);

	if (out)
		*out = desc;
	return ret;
}

/* Any set, without a time-out. */
static inline int create_set(int fd, int id, u32 flags, int next)
{
	pfarg_setdesc_t desc = {
		.set_id = (__u16)id, .set_id_next = (__u16)next,
		.set_flags = flags,
	};

	return pfm(fd, PFM_CREATE_EVTSETS, &desc, 1);
}

static inline pfarg_setinfo_t info_of(int fd)
{
	return info_of_set(fd, 0);
}

static inline void write_pmc(int fd, int set, int i, u64 event)
{
	pfarg_pmc_t pmc = {
		.reg_num = (__u16)SW_PMC(i), .reg_set = (__u16)set,
		.reg_value = event,
	};

	MUST(pfm(fd, PFM_WRITE_PMCS, &pmc, 1));
}

static inline void write_pmd(int fd, int set, int i, u64 value)
{
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)SW_PMD(i), .reg_set = (__u16)set,
		.reg_value = value,
	};

	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
}

static inline pfarg_pmd_t read_pmd(int fd, int set, int i)
{
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)SW_PMD(i), .reg_set = (__u16)set,
		.reg_value = 0xdeadbeef, .reg_last_reset_val = 0xdeadbeef,
		.reg_ovflsw_thres = 0xdeadbeef,
	};

	MUST(pfm(fd, PFM_READ_PMDS, &pmd, 1));
	return pmd;
}

static inline int load_at(int fd, pid_t tid, int set)
{
	pfarg_load_t load = { .load_pid = tid, .load_set = (__u16)set };

	return pfm(fd, PFM_LOAD_CONTEXT, &load, 1);
}

#endif /* SETS_H */
