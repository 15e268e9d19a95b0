/* SPDX-License-Identifier: GPL-2.0-only */
/* perfmon2 as a module: what its own files share. */
#ifndef _PERFMON_MODULE_H
#define _PERFMON_MODULE_H

#include <linux/types.h>

struct task_struct;

/* resolve.c */
int pfm_resolve_init(void);

/* threads.c */
int pfm_threads_init(void);
void pfm_threads_exit(void);
bool pfm_threads_checked(struct task_struct *task, bool checked);

/* hooks.c */
int pfm_hooks_init(void);
void pfm_hooks_exit(void);

/* device.c */
int pfm_device_init(void);
void pfm_device_exit(void);

#endif /* _PERFMON_MODULE_H */
