// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: wires the rooms, and checks that the user interface is what it
 * was agreed to be.
 *
 * Until this has run perfmonctl() finds no registers; no program can be
 * running yet.
 */
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/printk.h>

#include "pfm.h"

DEFINE_PER_CPU_ALIGNED(struct pfm_cpu, pfm_cpu);

#define PFM_AT(type, field, offset) \
	BUILD_BUG_ON(offsetof(type, field) != (offset))
#define PFM_SIZE(type, size) \
	BUILD_BUG_ON(sizeof(type) != (size))

static void __init pfm_init_check_registers(void)
{
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
}

static void __init pfm_init_check_others(void)
{
	PFM_SIZE(pfarg_start_t, 8);
	PFM_AT(pfarg_start_t, start_set, 0);
	PFM_AT(pfarg_start_t, start_pad, 2);

	PFM_SIZE(pfarg_load_t, 8);
	PFM_AT(pfarg_load_t, load_pid, 0);
	PFM_AT(pfarg_load_t, load_set, 4);
	PFM_AT(pfarg_load_t, load_pad, 6);

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
}

/* sys and migrations have their cache line to themselves. */
static void __init pfm_init_check_layout(void)
{
	const size_t line = IS_ENABLED(CONFIG_SMP) ? SMP_CACHE_BYTES : 1;

	BUILD_BUG_ON(offsetof(struct pfm_cpu, sys) % line);
	BUILD_BUG_ON(IS_ENABLED(CONFIG_SMP) && offsetof(struct pfm_cpu, migrations) / line !=
		     offsetof(struct pfm_cpu, sys) / line);
	BUILD_BUG_ON(offsetof(struct pfm_cpu, sys) < offsetofend(struct pfm_cpu, stats));
	BUILD_BUG_ON(sizeof(struct pfm_cpu) % line);
}

static int pfm_init_online(unsigned int cpu)
{
	pfm_timer_cancel(cpu);
	pfm_reserve_online(cpu);
	return 0;
}

static int __init pfm_init(void)
{
	int cpu, ret;

	pfm_init_check_registers();
	pfm_init_check_others();
	pfm_init_check_layout();

	for_each_possible_cpu(cpu)
		pfm_timer_init_cpu(cpu);
	pfm_config_init();
	ret = pfm_pmu_register(&pfm_soft_pmu);
	if (ret)
		goto fail;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perfmon:online",
				pfm_init_online, pfm_attach_offline);
	if (ret < 0)
		goto fail;
	pfm_access_init();
	pfm_stats_init();
	return 0;

fail:
	pr_err("perfmon: cannot start (%d)\n", ret);
	return ret;
}
subsys_initcall(pfm_init);

/* The architecture has registered its description in between. */
static int __init pfm_init_files(void)
{
	int ret = pfm_sysfs_init();

	if (ret)
		pr_warn("perfmon: no files in sysfs (%d)\n", ret);
	pr_info("perfmon: version %u.%u, %u PMCs, %u PMDs\n", PFM_VERSION_MAJ,
		PFM_VERSION_MIN, pfm_regmap.num_pmcs, pfm_regmap.num_pmds);
	return 0;
}
fs_initcall(pfm_init_files);
