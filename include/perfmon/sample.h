/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: a sample as the default format has it (3.6.4), for all formats
 * with such samples, which alone include this.
 */
#ifndef _PERFMON_SAMPLE_H
#define _PERFMON_SAMPLE_H

#include <perfmon/default_smpl.h>
#include <perfmon/format.h>

/**
 * pfm_sample_head_size() - how long the part before the values is
 * @flags: with PFM_DFL_SMPL_NO_HDR or PFM_DFL_SMPL_IIP_HDR, or neither
 *
 * Context: any.
 * Return: bytes, a multiple of 8.
 */
static inline size_t pfm_sample_head_size(u32 flags)
{
	if (flags & PFM_DFL_SMPL_NO_HDR)
		return 0;
	return flags & PFM_DFL_SMPL_IIP_HDR ? sizeof(u64)
					    : sizeof(pfm_default_smpl_entry_t);
}

/**
 * pfm_sample_write() - write a sample
 * @at:     where to, aligned to 8 bytes; there is room
 * @flags:  as above
 * @arg:    of the handler
 * @tstamp: of the handler
 * @data:   of the handler
 *
 * Context: as the handler.
 * Return: the end of the sample.
 */
static inline void *pfm_sample_write(void *at, u32 flags,
				     const pfm_ovfl_arg_t *arg, u64 tstamp,
				     const struct pfm_ovfl_data *data)
{
	u64 *value = at + pfm_sample_head_size(flags);
	unsigned int i;

	if (flags & PFM_DFL_SMPL_IIP_HDR)
		*(u64 *)at = data->ip;
	else if (!(flags & PFM_DFL_SMPL_NO_HDR))
		*(pfm_default_smpl_entry_t *)at = (pfm_default_smpl_entry_t){
			.pid = data->pid,
			.tid = data->tid,
			.ovfl_pmd = arg->ovfl_pmd,
			.set = arg->active_set,
			.cpu = data->cpu,
			.last_reset_val = arg->pmd_last_reset,
			.tstamp = tstamp,
			.ip = data->ip,
		};
	for (i = 0; i < arg->num_smpl_pmds; i++)
		*value++ = arg->smpl_pmds_values[i];
	return value;
}

#endif /* _PERFMON_SAMPLE_H */
