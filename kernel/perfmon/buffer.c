// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: sampling buffers (3.5.4).
 *
 * A buffer belongs to its context, is made with it and freed when it is closed. What
 * its format keeps to itself stands in the pages before it.
 * The mappings are another room, mapping.c.
 */
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "pfm.h"

/**
 * pfm_buffer_alloc() - allocate the buffer of a context
 * @ctx:  context that is not published yet
 * @size: bytes, at least 1; rounded up to whole pages
 * @priv: bytes before them that programs cannot map; likewise
 *
 * Context: process.
 * Return: 0, or -ENOMEM, also at the limits.
 */
int pfm_buffer_alloc(struct pfm_context *ctx, size_t size, size_t priv)
{
	struct pfm_buffer *b = &ctx->buf;
	void *area;
	int ret;

	if (size > READ_ONCE(pfm_config.smpl_buf_size_max) || size > LONG_MAX / 2)
		return -ENOMEM;
	size = PAGE_ALIGN(size);
	priv = PAGE_ALIGN(priv);
	ret = pfm_account_charge(ctx->account, PFM_ACCOUNT_BUFFERS, priv + size);
	if (ret)
		return ret;
	area = __vmalloc(priv + size, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!area) {
		pfm_account_uncharge(ctx->account, PFM_ACCOUNT_BUFFERS, priv + size);
		return -ENOMEM;
	}
	b->size = size;
	b->priv = priv;
	b->addr = area + priv;
	return 0;
}

/**
 * pfm_buffer_free() - free the buffer of a context, if it has one
 * @ctx: context without a file
 *
 * Context: process.
 */
void pfm_buffer_free(struct pfm_context *ctx)
{
	const struct pfm_buffer *b = &ctx->buf;

	if (!b->addr)
		return;
	vfree(b->addr - b->priv);
	pfm_account_uncharge(ctx->account, PFM_ACCOUNT_BUFFERS, b->priv + b->size);
}
