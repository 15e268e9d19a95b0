// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 as a module: its beginning and its end.
 *
 * The device comes last and goes first: without it there are no contexts. A context's
 * file holds the module, so that it ends only when there is none.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include <perfmon/glue.h>

#include "compat.h"
#include "host.h"
#include "module.h"

struct workqueue_struct *pfm_main_wq;

static struct ctl_table_header *pfm_main_table;

void pfm_init_files_exit(void);
void pfm_init_exit(void);

/**
 * pfm_main_sysctl() - pfm_host_sysctl()
 * @table: as there
 *
 * Context: process.
 */
void pfm_main_sysctl(struct ctl_table *table)
{
	size_t size = 0;

	while (table[size].procname)
		size++;
	pfm_main_table = register_sysctl_sz("kernel", table, size);
}

/**
 * pfm_main_sysctl_remove() - remove the file again
 *
 * Context: process.
 */
void pfm_main_sysctl_remove(void)
{
	if (pfm_main_table)
		unregister_sysctl_table(pfm_main_table);
}

static int __init pfm_main_init(void)
{
	int ret;

	ret = pfm_resolve_init();
	if (ret)
		return ret;
	ret = pfm_threads_init();
	if (ret)
		return ret;
	pfm_main_wq = alloc_workqueue("perfmon", WQ_UNBOUND, 0);
	if (!pfm_main_wq) {
		ret = -ENOMEM;
		goto free;
	}
	ret = pfm_host_init();
	if (ret)
		goto destroy;
	/* Without a description of the hardware the software's counters are there. */
	pfm_host_arch_init();
	pfm_host_files_init();
	ret = pfm_hooks_init();
	if (ret)
		goto exit;
	ret = pfm_device_init();
	if (ret)
		goto unhook;
	return 0;

unhook:
	pfm_hooks_exit();
exit:
	pfm_init_files_exit();
	pfm_arch_exit();
	pfm_init_exit();
destroy:
	destroy_workqueue(pfm_main_wq);
free:
	pfm_threads_exit();
	return ret;
}

static void __exit pfm_main_exit(void)
{
	pfm_device_exit();
	/*
	 * Nobody has a descriptor any more. A notification may be under way, which is an
	 * interrupt's work, or that of a worker whom the interrupt has told, and puts a
	 * context; and a context may wait for RCU.
	 */
	synchronize_rcu();
	flush_workqueue(pfm_main_wq);
	rcu_barrier();
	pfm_hooks_exit();
	destroy_workqueue(pfm_main_wq);
	pfm_init_files_exit();
	pfm_arch_exit();
	pfm_init_exit();
	/* A thread that has run task work may be on its way out of our text. */
	synchronize_rcu_tasks();
	rcu_barrier();
	pfm_threads_exit();
}

module_init(pfm_main_init);
module_exit(pfm_main_exit);

MODULE_DESCRIPTION("perfmon2: performance monitoring by perfmonctl()");
MODULE_LICENSE("GPL");
