// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: statistics of each CPU, in debugfs.
 *
 * perfmon/cpuN/ has a file a counter of struct pfm_cpu. A tool that sees
 * fewer samples than it expected finds here what became of them.
 */
#include <linux/debugfs.h>

#include "host.h"
#include "pfm.h"
#include "reach.h"

static struct dentry *pfm_stats_root;	/* [c] */

/**
 * pfm_stats_init() - make the files
 *
 * Context: boot. A kernel without debugfs does without.
 */
void pfm_stats_init(void)
{
	static const char * const names[PFM_STATS] = {
		[PFM_STAT_INTERRUPTS] = "interrupts",
		[PFM_STAT_SPURIOUS] = "spurious",
		[PFM_STAT_LATE] = "late",
		[PFM_STAT_FOREIGN] = "foreign",
		[PFM_STAT_SCHED_IN] = "sched_in",
		[PFM_STAT_SCHED_OUT] = "sched_out",
		[PFM_STAT_OVERFLOWS] = "overflows",
		[PFM_STAT_LOST] = "lost_messages",
		[PFM_STAT_SETSWITCHES] = "set_switches",
		[PFM_STAT_THROTTLED] = "throttled",
	};
	struct dentry *dir;
	unsigned int i;
	char name[16];
	int cpu;

	pfm_stats_root = debugfs_create_dir("perfmon", NULL);
#if IS_ENABLED(CONFIG_PERFMON_KUNIT_TEST)
	debugfs_create_bool("slow", 0600, pfm_stats_root, &pfm_reach_slow);
#endif
	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "cpu%d", cpu);
		dir = debugfs_create_dir(name, pfm_stats_root);
		for (i = 0; i < PFM_STATS; i++)
			debugfs_create_ulong(names[i], 0444, dir,
					     &per_cpu(pfm_cpu, cpu).stats[i]);
	}
}

/**
 * pfm_stats_exit() - remove the files
 *
 * Context: process.
 */
void __pfm_exit pfm_stats_exit(void)
{
	debugfs_remove(pfm_stats_root);
}
