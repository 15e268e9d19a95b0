/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on IA-64: in place of the architecture's header of this name, where the tests
 * build glue.c on another one: the firmware's call that tells of the PMU (SDM volume 2,
 * PAL_PERF_MON_INFO).
 */
#ifndef _IA64_PERFMON_TESTS_PAL_H
#define _IA64_PERFMON_TESTS_PAL_H

#define PAL_STATUS_SUCCESS	0

typedef struct {
	struct {
		u64 generic, width;
	} pal_perf_mon_info_s;
} pal_perf_mon_info_u_t;

static inline s64 ia64_pal_perf_mon_info(u64 *masks, pal_perf_mon_info_u_t *info)
{
	if (!glue_cpu.known)
		return -1;
	masks[0] = glue_cpu.pmcs;
	masks[4] = glue_cpu.pmds;
	info->pal_perf_mon_info_s.generic = glue_cpu.counters;
	info->pal_perf_mon_info_s.width = glue_cpu.width;
	return PAL_STATUS_SUCCESS;
}

#endif /* _IA64_PERFMON_TESTS_PAL_H */
