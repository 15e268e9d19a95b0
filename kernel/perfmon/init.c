// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: wires the rooms.
 *
 * Until this has run perfmonctl() finds no registers; no program can be
 * running yet.
 */
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/printk.h>

#include "host.h"
#include "pfm.h"
#include "timer.h"

DEFINE_PER_CPU_ALIGNED(struct pfm_cpu, pfm_cpu);

/* sys and migrations have their cache line to themselves. */
#define PFM_INIT_LINE	(IS_ENABLED(CONFIG_SMP) ? SMP_CACHE_BYTES : 1)

static_assert(offsetof(struct pfm_cpu, sys) % PFM_INIT_LINE == 0);
static_assert(!IS_ENABLED(CONFIG_SMP) ||
	      offsetof(struct pfm_cpu, migrations) / PFM_INIT_LINE ==
	      offsetof(struct pfm_cpu, sys) / PFM_INIT_LINE);
static_assert(offsetof(struct pfm_cpu, sys) >= offsetofend(struct pfm_cpu, stats));
static_assert(sizeof(struct pfm_cpu) % PFM_INIT_LINE == 0);

static int pfm_init_cpuhp;		/* [c] the state of what follows */

static int pfm_init_online(unsigned int cpu)
{
	pfm_timer_cancel(cpu);
	pfm_reserve_online(cpu);
	pfm_slot_online(cpu);
	return 0;
}

static int __init pfm_init(void)
{
	int cpu, ret;

	for_each_possible_cpu(cpu) {
		pfm_timer_init_cpu(cpu);
		pfm_interrupt_init_cpu(cpu);
	}
	pfm_config_init();
	ret = pfm_pmu_register(&pfm_soft_pmu);
	if (ret)
		goto fail;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perfmon:online",
				pfm_init_online, pfm_attach_offline);
	if (ret < 0)
		goto fail;
	pfm_init_cpuhp = ret;
	pfm_sleep_init();
	pfm_access_init();
	pfm_stats_init();
	return 0;

fail:
	pr_err("perfmon: cannot start (%d)\n", ret);
	return ret;
}
PFM_HOST_INIT(pfm_init);

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
PFM_HOST_FILES_INIT(pfm_init_files);

/**
 * pfm_init_files_exit() - have nobody look at the description of the hardware
 *
 * Readers of files and CPUs that come online do, until the architecture takes it back.
 *
 * Context: process; no context exists any more.
 */
void __pfm_exit pfm_init_files_exit(void)
{
	pfm_sysfs_exit();
	cpuhp_remove_state(pfm_init_cpuhp);
}

/**
 * pfm_init_exit() - undo the rest of this
 *
 * The architecture has taken its description back, after pfm_init_files_exit().
 *
 * Context: process; no context exists any more.
 */
void __pfm_exit pfm_init_exit(void)
{
	int cpu;

	pfm_stats_exit();
	pfm_access_exit();
	pfm_sleep_exit();
	pfm_set_exit();
	for_each_possible_cpu(cpu) {
		pfm_timer_exit_cpu(cpu);
		pfm_interrupt_exit_cpu(cpu);
	}
}
