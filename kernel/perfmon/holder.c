// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: which process has a descriptor of a context (4.3.1).
 */
#include <linux/fdtable.h>
#include <linux/file.h>

#include "pfm.h"

/**
 * pfm_holder_listed() - look a table of descriptors through for a file
 * @files: table
 * @file:  file; only its address is looked at
 *
 * Without the table's lock: who changes it at the same moment is the same process,
 * which could as well do so a moment earlier or later.
 *
 * Context: process, may be under rcu_read_lock().
 * Return: whether it is there.
 */
bool pfm_holder_listed(struct files_struct *files, const struct file *file)
{
	struct fdtable *fdt;
	unsigned int fd;
	bool listed = false;

	rcu_read_lock();
	fdt = files_fdtable(files);
	for_each_set_bit(fd, fdt->open_fds, fdt->max_fds) {
		listed = rcu_access_pointer(fdt->fd[fd]) == file;
		if (listed)
			break;
	}
	rcu_read_unlock();
	return listed;
}

/**
 * pfm_holder_has() - whether a table of descriptors has the context's
 * @ctx:   context, found under rcu_read_lock(), which the caller holds: its file may be
 *	   closed meanwhile
 * @files: table, which cannot be freed meanwhile
 *
 * The process that created the context has the descriptor until it closes it (ctx->holder).
 * If that one descriptor is all that holds the file, no other table has it. Only if the
 * file is held several times, by a reader who waits or by other processes, or if the
 * creator has closed the descriptor or a copy of it, the table has to be searched.
 *
 * Context: process, rcu_read_lock().
 * Return: whether it has; anything if the file has been closed, which ended the attachment
 * before.
 */
bool pfm_holder_has(struct pfm_context *ctx, struct files_struct *files)
{
	const void *holder = READ_ONCE(ctx->holder);

	if (files == holder)
		return true;
	if (holder && !pfm_mapping_others(ctx))
		return false;
	return pfm_holder_listed(files, ctx->file);
}
