// SPDX-License-Identifier: LGPL-2.1-or-later
/* The header a program compiles has the layout of the interface. */
#include <stddef.h>

#include <perfmon/libperfmon.h>

#include "check.h"

#define OFFSET(type, field, want)	CHECK(offsetof(type, field) == (want))

static void test_sizes(void)
{
	CHECK(sizeof(pfarg_ctx_t) == 64);
	CHECK(sizeof(pfarg_pmc_t) == 104);
	CHECK(sizeof(pfarg_pmd_t) == 64);
	CHECK(sizeof(pfarg_start_t) == 8);
	CHECK(sizeof(pfarg_load_t) == 8);
	CHECK(sizeof(pfarg_setdesc_t) == 24);
	CHECK(sizeof(pfarg_setinfo_t) == 88);
	CHECK(sizeof(pfarg_pmcinfo_t) == 32);
	CHECK(sizeof(pfarg_pmdinfo_t) == 32);
	CHECK(sizeof(pfarg_config_t) == 120);
	CHECK(sizeof(pfm_ovfl_msg_t) == 48);
	CHECK(sizeof(pfm_msg_t) == 48);
}

static void test_offsets(void)
{
	OFFSET(pfarg_ctx_t, ctx_fd, 4);
	OFFSET(pfarg_ctx_t, ctx_smpl_buf_id, 8);
	OFFSET(pfarg_ctx_t, ctx_smpl_buf_size, 24);
	OFFSET(pfarg_pmc_t, reg_value, 8);
	OFFSET(pfarg_pmc_t, reg_reset_pmds, 16);
	OFFSET(pfarg_pmc_t, reg_smpl_pmds, 56);
	OFFSET(pfarg_pmc_t, reg_smpl_eventid, 96);
	OFFSET(pfarg_pmd_t, reg_value, 8);
	OFFSET(pfarg_pmd_t, reg_long_reset, 16);
	OFFSET(pfarg_pmd_t, reg_random_seed, 56);
	OFFSET(pfarg_load_t, load_set, 4);
	OFFSET(pfarg_setdesc_t, set_timeout, 8);
	OFFSET(pfarg_setinfo_t, set_runs, 48);
	OFFSET(pfarg_setinfo_t, set_timeout, 56);
	OFFSET(pfarg_setinfo_t, set_act_duration, 72);
	OFFSET(pfarg_pmcinfo_t, reg_def_value, 8);
	OFFSET(pfarg_pmcinfo_t, reg_index, 24);
	OFFSET(pfarg_config_t, cf_impl_pmds, 48);
	OFFSET(pfarg_config_t, cf_sys_gid, 88);
	OFFSET(pfarg_config_t, cf_arg_size_max, 96);
	OFFSET(pfarg_config_t, cf_counter_width, 112);
	OFFSET(pfm_ovfl_msg_t, msg_active_set, 4);
	OFFSET(pfm_ovfl_msg_t, msg_ovfl_pmds, 8);
}

static void test_bit_vectors(void)
{
	__u64 bv[PFM_MAX_PMD_BITVECTOR] = { 0 };
	unsigned int bit, set = 0;

	pfm_bv_set(bv, 0);
	pfm_bv_set(bv, 63);
	pfm_bv_set(bv, PFM_SW_PMD0);
	pfm_bv_set(bv, PFM_MAX_PMDS - 1);
	for (bit = 0; bit < PFM_MAX_PMDS; bit++)
		set += pfm_bv_isset(bv, bit);
	CHECK(set == 4);
	CHECK(bv[0] == ((1ULL << 63) | 1));
	CHECK(bv[4] == ((1ULL << 63) | (1ULL << 32)));
	CHECK(pfm_bv_isset(bv, PFM_SW_PMD0));
	CHECK(!pfm_bv_isset(bv, PFM_SW_PMD0 + 1));
}

int main(void)
{
	test_sizes();
	test_offsets();
	test_bit_vectors();
	return check_done();
}
