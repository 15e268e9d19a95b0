// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: global properties and limits (3.1.16, 3.1.17, chapter 4).
 *
 * The administrator sets them by PFM_SET_CONFIG or by files in sysfs. They
 * are looked at when something is requested: a change does not reach back.
 */
#include <linux/capability.h>
#include <linux/mm.h>

#include "pfm.h"
#include "timer.h"

struct pfm_config pfm_config = {
	.sys_gid = PFM_GROUP_ANY,
	.thread_gid = PFM_GROUP_ANY,
	.arg_size_max = PAGE_SIZE,
	.set_timeout_min = PFM_TIMER_MIN,
	.interrupts_max = 100000,
};

/**
 * pfm_config_set() - PFM_SET_CONFIG (3.1.16)
 * @req: argument
 *
 * All of it is applied or nothing.
 *
 * Context: process.
 * Return: 0; -EPERM without CAP_SYS_ADMIN; -EINVAL for undefined flags, used
 * padding, or a limit below the page size.
 */
int pfm_config_set(const pfarg_config_t *req)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (req->cf_flags || memchr_inv(req->cf_pad, 0, sizeof(req->cf_pad)))
		return -EINVAL;
	if (req->cf_arg_size_max < PFM_CONFIG_SIZE_MIN ||
	    req->cf_smpl_buf_size_max < PFM_CONFIG_SIZE_MIN)
		return -EINVAL;

	WRITE_ONCE(pfm_config.sys_gid, req->cf_sys_gid);
	WRITE_ONCE(pfm_config.thread_gid, req->cf_thread_gid);
	WRITE_ONCE(pfm_config.arg_size_max, req->cf_arg_size_max);
	WRITE_ONCE(pfm_config.smpl_buf_size_max, req->cf_smpl_buf_size_max);
	return 0;
}

static void pfm_config_bit(u64 *vec, unsigned int num)
{
	vec[num / 64] |= BIT_ULL(num % 64);
}

/**
 * pfm_config_get() - PFM_GET_CONFIG (3.1.17)
 * @req: filled in, all of it
 *
 * Context: process.
 */
void pfm_config_get(pfarg_config_t *req)
{
	const struct pfm_pmu *hw = pfm_pmu_hardware();
	unsigned int num;

	*req = (pfarg_config_t){
		.cf_version = PFM_VERSION,
		.cf_sys_gid = READ_ONCE(pfm_config.sys_gid),
		.cf_thread_gid = READ_ONCE(pfm_config.thread_gid),
		.cf_arg_size_max = READ_ONCE(pfm_config.arg_size_max),
		.cf_smpl_buf_size_max = READ_ONCE(pfm_config.smpl_buf_size_max),
		.cf_counter_width = (hw ?: &pfm_soft_pmu)->width,
	};
	for (num = 0; num < PFM_MAX_PMCS; num++)
		if (pfm_regmap.pmc_of[num] != PFM_NONE)
			pfm_config_bit(req->cf_impl_pmcs, num);
	for (num = 0; num < PFM_MAX_PMDS; num++)
		if (pfm_regmap.pmd_of[num] != PFM_NONE)
			pfm_config_bit(req->cf_impl_pmds, num);
}

/**
 * pfm_config_init() - choose what depends on the machine
 *
 * Until the administrator says otherwise sampling buffers may have an eighth
 * of the memory, all together, and contexts with their event sets a 16th.
 *
 * Context: boot.
 */
void pfm_config_init(void)
{
	u64 memory = (u64)totalram_pages() * PAGE_SIZE;

	pfm_config.smpl_buf_size_max = memory / 8;
	pfm_config.set_mem_max = memory / 16;
}
