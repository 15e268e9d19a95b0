// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: PFM_CREATE_CONTEXT (3.1.1): a context, its format and buffer, its file.
 */
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/uaccess.h>

#include "pfm.h"

#define PFM_CREATE_FLAGS	(PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE | \
				 PFM_FL_OVFL_NO_MSG | PFM_FL_CLOEXEC | PFM_FL_TREE)
/* Counts of many threads are added up: there is none to block, and no CPU. */
#define PFM_CREATE_NOT_TREE	(PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE)

/**
 * pfm_create_context() - PFM_CREATE_CONTEXT (3.1.1)
 * @req:  argument, copied in once
 * @uarg: where it came from and the descriptor's number goes to; the format's
 *        argument follows it
 *
 * The descriptor is published last, when nothing can fail any more: another
 * thread may guess its number and use or close it at once.
 *
 * Context: process.
 * Return: 0, or -errno.
 */
int pfm_create_context(pfarg_ctx_t *req, pfarg_ctx_t __user *uarg)
{
	struct pfm_format *format = NULL;
	struct pfm_context *ctx;
	struct file *file;
	int fd, ret;

	if (req->ctx_flags & ~(PFM_CREATE_FLAGS | pfm_rules_ctx_flags()))
		return -EINVAL;
	/* Table 3.2: there is no thread to block. */
	if ((req->ctx_flags & PFM_FL_SYSTEM_WIDE) &&
	    (req->ctx_flags & PFM_FL_NOTIFY_BLOCK))
		return -EINVAL;
	/* A PMU with rules has to be told of each thread. */
	if ((req->ctx_flags & PFM_FL_TREE) &&
	    ((req->ctx_flags & PFM_CREATE_NOT_TREE) || READ_ONCE(pfm_regmap.rules)))
		return -EINVAL;
	if (memchr_inv(req->ctx_reserved, 0, sizeof(req->ctx_reserved)))
		return -EINVAL;
	if (!pfm_access_may_create(req->ctx_flags))
		return -EPERM;

	if (memchr_inv(req->ctx_smpl_buf_id, 0, sizeof(req->ctx_smpl_buf_id))) {
		format = pfm_format_get(req->ctx_smpl_buf_id);
		if (IS_ERR(format))
			return PTR_ERR(format);
	}
	ctx = pfm_context_new(req->ctx_flags, format);
	if (IS_ERR(ctx)) {
		pfm_format_put(format);
		return PTR_ERR(ctx);
	}
	pfm_notify_init(ctx);
	ret = -EINVAL;
	if (!pfm_rules_admits(ctx, ctx->set))
		goto close;
	if (format) {
		ret = pfm_format_open(ctx, uarg + 1);
		if (ret)
			goto close;
	}
	file = pfm_file_new(ctx);
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
		goto close;
	}
	/* From here on the file owns the context. */

	fd = get_unused_fd_flags(req->ctx_flags & PFM_FL_CLOEXEC ? O_CLOEXEC : 0);
	if (fd < 0) {
		ret = fd;
		goto put_file;
	}
	req->ctx_fd = fd;
	req->ctx_smpl_buf_size = ctx->buf.size;
	if (copy_to_user(uarg, req, sizeof(*req))) {
		ret = -EFAULT;
		goto put_fd;
	}
	ctx->holder = current->files;
	fd_install(fd, file);
	return 0;

put_fd:
	put_unused_fd(fd);
put_file:
	fput(file);
	return ret;
close:
	pfm_context_close(ctx);
	return ret;
}
