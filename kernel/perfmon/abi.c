// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: checks, when the kernel is built, that the structures of the user interface
 * look as was agreed: the same on 32 bits and on 64.
 */
#include <linux/build_bug.h>
#include <linux/stddef.h>

#include <perfmon/perfmon.h>

#define PFM_AT(type, field, offset) \
	static_assert(offsetof(type, field) == (offset))
#define PFM_SIZE(type, size) \
	static_assert(sizeof(type) == (size))

PFM_SIZE(pfarg_ctx_t, 64);
PFM_AT(pfarg_ctx_t, ctx_flags, 0);
PFM_AT(pfarg_ctx_t, ctx_fd, 4);
PFM_AT(pfarg_ctx_t, ctx_smpl_buf_id, 8);
PFM_AT(pfarg_ctx_t, ctx_smpl_uuid, 8);
PFM_AT(pfarg_ctx_t, ctx_smpl_buf_size, 24);
PFM_AT(pfarg_ctx_t, ctx_reserved, 32);

PFM_SIZE(pfarg_pmc_t, 104);
PFM_AT(pfarg_pmc_t, reg_num, 0);
PFM_AT(pfarg_pmc_t, reg_set, 2);
PFM_AT(pfarg_pmc_t, reg_flags, 4);
PFM_AT(pfarg_pmc_t, reg_value, 8);
PFM_AT(pfarg_pmc_t, reg_reset_pmds, 16);
PFM_AT(pfarg_pmc_t, reg_smpl_pmds, 56);
PFM_AT(pfarg_pmc_t, reg_smpl_eventid, 96);

PFM_SIZE(pfarg_pmd_t, 64);
PFM_AT(pfarg_pmd_t, reg_num, 0);
PFM_AT(pfarg_pmd_t, reg_set, 2);
PFM_AT(pfarg_pmd_t, reg_flags, 4);
PFM_AT(pfarg_pmd_t, reg_value, 8);
PFM_AT(pfarg_pmd_t, reg_long_reset, 16);
PFM_AT(pfarg_pmd_t, reg_short_reset, 24);
PFM_AT(pfarg_pmd_t, reg_last_reset_val, 32);
PFM_AT(pfarg_pmd_t, reg_ovflsw_thres, 40);
PFM_AT(pfarg_pmd_t, reg_random_mask, 48);
PFM_AT(pfarg_pmd_t, reg_random_seed, 56);
PFM_AT(pfarg_pmd_t, reg_pad, 60);

PFM_SIZE(pfarg_pmcinfo_t, 32);
PFM_SIZE(pfarg_pmdinfo_t, 32);
PFM_AT(pfarg_pmcinfo_t, reg_num, 0);
PFM_AT(pfarg_pmcinfo_t, reg_type, 2);
PFM_AT(pfarg_pmcinfo_t, reg_flags, 4);
PFM_AT(pfarg_pmcinfo_t, reg_def_value, 8);
PFM_AT(pfarg_pmcinfo_t, reg_rsvd_mask, 16);
PFM_AT(pfarg_pmcinfo_t, reg_index, 24);

PFM_SIZE(pfarg_start_t, 8);
PFM_AT(pfarg_start_t, start_set, 0);
PFM_AT(pfarg_start_t, start_pad, 2);

PFM_SIZE(pfarg_load_t, 8);
PFM_AT(pfarg_load_t, load_pid, 0);
PFM_AT(pfarg_load_t, load_set, 4);
PFM_AT(pfarg_load_t, load_flags, 6);

PFM_SIZE(pfarg_setdesc_t, 24);
PFM_AT(pfarg_setdesc_t, set_id, 0);
PFM_AT(pfarg_setdesc_t, set_id_next, 2);
PFM_AT(pfarg_setdesc_t, set_flags, 4);
PFM_AT(pfarg_setdesc_t, set_timeout, 8);

PFM_SIZE(pfarg_setinfo_t, 88);
PFM_AT(pfarg_setinfo_t, set_id, 0);
PFM_AT(pfarg_setinfo_t, set_id_next, 2);
PFM_AT(pfarg_setinfo_t, set_flags, 4);
PFM_AT(pfarg_setinfo_t, set_switch_pmds, 8);
PFM_AT(pfarg_setinfo_t, set_runs, 48);
PFM_AT(pfarg_setinfo_t, set_timeout, 56);
PFM_AT(pfarg_setinfo_t, set_act_duration, 72);

PFM_SIZE(pfarg_config_t, 120);
PFM_AT(pfarg_config_t, cf_version, 0);
PFM_AT(pfarg_config_t, cf_flags, 4);
PFM_AT(pfarg_config_t, cf_impl_pmcs, 8);
PFM_AT(pfarg_config_t, cf_impl_pmds, 48);
PFM_AT(pfarg_config_t, cf_sys_gid, 88);
PFM_AT(pfarg_config_t, cf_thread_gid, 92);
PFM_AT(pfarg_config_t, cf_arg_size_max, 96);
PFM_AT(pfarg_config_t, cf_smpl_buf_size_max, 104);
PFM_AT(pfarg_config_t, cf_counter_width, 112);
PFM_AT(pfarg_config_t, cf_pad, 114);

PFM_SIZE(struct pfm_timespec, 16);
PFM_AT(struct pfm_timespec, tv_sec, 0);
PFM_AT(struct pfm_timespec, tv_nsec, 8);

PFM_AT(pfm_msg_t, msg_type, 0);
PFM_AT(pfm_msg_t, pfm_ovfl_msg, 0);
PFM_SIZE(pfm_ovfl_msg_t, 48);
PFM_SIZE(pfm_msg_t, 48);
PFM_AT(pfm_ovfl_msg_t, msg_type, 0);
PFM_AT(pfm_ovfl_msg_t, msg_active_set, 4);
PFM_AT(pfm_ovfl_msg_t, msg_pad, 6);
PFM_AT(pfm_ovfl_msg_t, msg_ovfl_pmds, 8);
