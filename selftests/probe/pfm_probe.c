// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sampling format for tests, built outside of the kernel's tree by scripts/test-module:
 * private memory with pointers in it, the walks of the stacks, fmt_map.
 */
#include <linux/slab.h>

#include <perfmon/format.h>
#include "probe_smpl.h"

/* What no program sees; count stands where fmt_init has put it. */
struct probe_priv {
	struct probe_smpl_hdr *buf;
	u64 *count;
};

/* Contexts that have their memory: 0 if nothing leaks. [a] */
static atomic_t probe_contexts;
module_param_named(contexts, probe_contexts.counter, int, 0444);

static const pfm_buffer_fmt_t probe_fmt;

static int probe_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	return num_pmds == pfm_fmt_num_pmds() ? 0 : -EIO;
}

static int probe_getsize(u32 ctx_flags, void *arg, size_t *size)
{
	*size = sizeof(probe_smpl_hdr_t);
	return 0;
}

static int probe_init(u32 ctx_flags, void *arg, void *buf)
{
	struct probe_priv *priv = pfm_fmt_priv(&probe_fmt, buf);
	probe_smpl_hdr_t *hdr = buf;

	if (priv->buf || priv->count)
		return -EIO;
	priv->count = kzalloc(sizeof(*priv->count), GFP_KERNEL_ACCOUNT);
	if (!priv->count)
		return -ENOMEM;
	priv->buf = buf;
	hdr->num_pmds = pfm_fmt_num_pmds();
	atomic_inc(&probe_contexts);
	return 0;
}

static int probe_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp, void *data)
{
	struct probe_priv *priv = pfm_fmt_priv(&probe_fmt, buf);
	const struct pfm_ovfl_data *d = data;
	probe_smpl_hdr_t *hdr = buf;

	if (priv->buf != hdr || *priv->count != hdr->overflows)
		hdr->wrong++;
	hdr->ip = d->ip;
	hdr->nr_kernel = pfm_sample_stack_kernel(d, hdr->chain[0], PROBE_SMPL_DEPTH);
	hdr->nr_user = pfm_sample_stack_user(d, hdr->chain[1], PROBE_SMPL_DEPTH);
	WRITE_ONCE(hdr->overflows, ++*priv->count);
	arg->ovfl_ctrl.reset_ovfl_pmds = 1;
	return 0;
}

static int probe_exit(void *buf)
{
	struct probe_priv *priv = pfm_fmt_priv(&probe_fmt, buf);

	kfree(priv->count);
	atomic_dec(&probe_contexts);
	return 0;
}

static void probe_map(void *buf, const struct pfm_map_info *info)
{
	struct probe_priv *priv = pfm_fmt_priv(&probe_fmt, buf);
	probe_smpl_hdr_t *hdr = buf;

	if (priv->buf != hdr || !info->name)
		hdr->wrong++;
	WRITE_ONCE(hdr->maps, hdr->maps + 1);
}

static const pfm_buffer_fmt_t probe_fmt = {
	.fmt_name = "probe",
	.fmt_uuid = PROBE_SMPL_UUID,
	.fmt_msgq_depth = 1,
	.fmt_version = PROBE_SMPL_VERSION,
	.fmt_priv_size = sizeof(struct probe_priv),
	.fmt_validate = probe_validate,
	.fmt_getsize = probe_getsize,
	.fmt_init = probe_init,
	.fmt_handler = probe_handler,
	.fmt_exit = probe_exit,
	.fmt_map = probe_map,
};

static int __init probe_module_init(void)
{
	return pfm_register_buffer_fmt(&probe_fmt);
}
module_init(probe_module_init);

static void __exit probe_module_exit(void)
{
	pfm_unregister_buffer_fmt(probe_fmt.fmt_uuid);
}
module_exit(probe_module_exit);

MODULE_DESCRIPTION("perfmon2: sampling format for tests");
MODULE_LICENSE("GPL");
