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
 * The table is read without its lock. Only the process itself can change it meanwhile,
 * so the answer is right for some moment during the call.
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
