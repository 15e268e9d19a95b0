// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of several event sets (3.7.7): each says in which set it was taken
 * and has that set's body, and the buffer may fill just when a switch is due.
 */
#include "smpl_default.h"

/* Set @id is left when its counter @i has overflowed @thres times. */
static void make_set(int fd, int id, int i, u64 period, u64 long_reset,
		     u64 thres, u32 smpl)
{
	pfarg_setdesc_t desc = { .set_id = (__u16)id, .set_flags = OVFL };
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)SW_PMD(i), .reg_set = (__u16)id,
		.reg_value = -period, .reg_long_reset = long_reset,
		.reg_short_reset = -period, .reg_ovflsw_thres = thres,
	};

	MUST(pfm(fd, PFM_CREATE_EVTSETS, &desc, 1));
	choose(fd, id, i, FAULTS, NOTIFY, smpl, 0);
	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
}

/* Each sample says in which set it was taken, and has that set's body. */
TEST_F(smpl, sets)
{
	static const struct {
		int set, pmd;
		unsigned int values;
	} want[] = {
		/* By turns: 2 * 3 faults in set 0, 5 in 7, 1 in 300. */
		{ 0, SW_PMD(0), 2 }, { 0, SW_PMD(0), 2 },
		{ 7, SW_PMD(1), 0 }, { 300, SW_PMD(0), 1 },
	};
	const char *at;
	u64 n, last;

	sampler_open(&self->s, 0, ROOMY, 0);
	make_set(self->s.fd, 0, 0, 3, -50ULL, 2, CTR(0) | CTR(4));
	make_set(self->s.fd, 7, 1, 5, -50ULL, 1, 0);
	make_set(self->s.fd, 300, 0, 1, -50ULL, 1, CTR(0));
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 12 * 20);
	ASSERT_EQ(4ULL * 20, self->s.hdr->hdr_count);
	at = dfl_first(&self->s);
	for (n = 0, last = 0; n < 4ULL * 20; n++) {
		const dfl_entry_t *e = (const void *)at;

		ASSERT_EQ(want[n % 4].set, e->set);
		ASSERT_EQ(want[n % 4].pmd, e->ovfl_pmd);
		ASSERT_EQ(self->p.tid, e->tid);
		ASSERT_LT(last, e->tstamp);
		if (want[n % 4].values) {
			ASSERT_EQ(0ULL, values_of(e)[0]);
		}
		last = e->tstamp;
		at += sizeof(*e) + 8 * want[n % 4].values;
	}
	EXPECT_EQ(self->s.hdr->hdr_cur_offs,
		  (u64)(at - (const char *)self->s.hdr));
}

/*
 * Full just when a switch is due: PFM_RESTART does it, and loads the long
 * values of what last overflowed in the set that comes.
 */
TEST_F(smpl, full_when_a_switch_is_due)
{
	pfm_msg_t msg;
	int fd;

	sampler_open(&self->s, 0, size_for(5, 0), 0);
	fd = self->s.fd;
	make_set(fd, 0, 0, 2, -7ULL, 1, 0);
	make_set(fd, 1, 1, 3, -11ULL, 1, 0);
	attach(fd, self->p.tid);
	/* At faults 2 and 5, 7 and 10, 12, which fills the buffer. */
	puppet_do(&self->p, OP_FAULT, 20);
	ASSERT_EQ(5ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(0, nth(&self->s, 4, 0)->set);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-set"));
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, &msg, 0));
	EXPECT_EQ(0, msg.pfm_ovfl_msg.msg_active_set);
	EXPECT_TRUE(vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds,
			     (unsigned int)SW_PMD(0)));
	MUST(pfm_restart(fd));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(fd, "pfm-set"));
	EXPECT_EQ(-11ULL, read_pmd(fd, 1, 1).reg_value);
	puppet_do(&self->p, OP_FAULT, 13);
	ASSERT_EQ(2ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(1, nth(&self->s, 0, 0)->set);
	EXPECT_EQ(-11ULL, nth(&self->s, 0, 0)->last_reset_val);
	EXPECT_EQ(0, nth(&self->s, 1, 0)->set);
	EXPECT_EQ(-2ULL, nth(&self->s, 1, 0)->last_reset_val);
}

/* The message names the set that was active. */
TEST_F(smpl, full_in_another_set)
{
	pfm_msg_t msg;

	sampler_open(&self->s, 0, size_for(2, 0), 0);
	make_set(self->s.fd, 0, 0, 2, -7ULL, 1, 0);
	make_set(self->s.fd, 9, 3, 3, -11ULL, 5, 0);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 20);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->s.fd, &msg, 0));
	EXPECT_EQ(9, msg.pfm_ovfl_msg.msg_active_set);
	EXPECT_TRUE(vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds,
			     (unsigned int)SW_PMD(3)));
	EXPECT_EQ(9, nth(&self->s, 1, 0)->set);
}

TEST_HARNESS_MAIN
