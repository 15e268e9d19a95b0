/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libperfmon: the perfmon2 system call for C programs, one function for each
 * command, and names for registers, software events and errors.
 *
 * These functions are thin: they allocate nothing, keep no state, print nothing,
 * and may be called from any thread and from signal handlers (the register
 * names, which open files, excepted). libperfmon(3) is their manual. What is above
 * them has the prefix pmon_ and headers of its own.
 */
#ifndef _PERFMON_LIBPERFMON_H
#define _PERFMON_LIBPERFMON_H

#include <stddef.h>
#include <perfmon/perfmon.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIBPERFMON_VERSION	"0.7.0"

/* A register's name with its terminating zero byte fits in here. */
#define PFM_NAME_MAX		32

/*
 * The system call
 */

/**
 * perfmonctl() - the system call itself
 * @fd:   context; ignored by the commands that need none
 * @cmd:  PFM_CREATE_CONTEXT, ...
 * @arg:  the command's argument, an array of @narg elements, or NULL
 * @narg: number of elements, not of bytes
 *
 * Return: 0, or -1 with errno set as perfmonctl(2) says. In a vector call
 * that fails with EINVAL the first bad element has a RETFL bit in its flags.
 */
int perfmonctl(int fd, int cmd, void *arg, int narg);

/*
 * One function for each command (section 6.1). All return 0, or -1 with errno
 * set by the system call; pfm_cmd_error() puts it into words. EPERM of a command to
 * a context is what a hardened kernel says to a process that got the descriptor
 * from another one and may not look at the monitored thread itself.
 */

/**
 * pfm_create_context() - make a context (3.1.1)
 * @ctx: flags and sampling format in, descriptor and buffer size out; a
 *       format's own argument follows the structure immediately
 * @n:   number of contexts, must be 1
 *
 * The descriptor is inherited by fork() and, without PFM_FL_CLOEXEC, kept by
 * exec(), as any other. close() destroys the context.
 *
 * Return: 0, or -1 with errno E2BIG, EFAULT, EINVAL, EMFILE, ENFILE, ENOMEM,
 * ENOSYS or EPERM.
 */
int pfm_create_context(pfarg_ctx_t *ctx, int n);

/**
 * pfm_write_pmcs() - program control registers (3.1.2)
 * @fd:   context
 * @pmcs: registers; RETFL bits out
 * @n:    number of elements
 *
 * EPERM also says that the event is the kernel's and not for this user.
 *
 * Return: 0, or -1 with errno E2BIG, EBADF, EBUSY, EFAULT, EINVAL, ENOMEM, ENOSYS
 * or EPERM.
 */
int pfm_write_pmcs(int fd, pfarg_pmc_t *pmcs, int n);

/**
 * pfm_write_pmds() - set data registers and their reset values (3.1.3)
 * @fd:   context
 * @pmds: registers; RETFL bits out
 * @n:    number of elements
 *
 * Return: 0, or -1 with errno as for pfm_write_pmcs().
 */
int pfm_write_pmds(int fd, pfarg_pmd_t *pmds, int n);

/**
 * pfm_read_pmds() - read data registers (3.1.4)
 * @fd:   context
 * @pmds: register numbers and sets in, values out
 * @n:    number of elements
 *
 * Return: 0, or -1 with errno as for pfm_write_pmcs().
 */
int pfm_read_pmds(int fd, pfarg_pmd_t *pmds, int n);

/**
 * pfm_getinfo_pmcs() - what control registers are (3.1.13)
 * @pmcs: register numbers in; type, default, reserved bits and address out
 * @n:    number of elements
 *
 * Return: 0, or -1 with errno E2BIG, EFAULT, EINVAL, ENOMEM or ENOSYS.
 */
int pfm_getinfo_pmcs(pfarg_pmcinfo_t *pmcs, int n);

/**
 * pfm_getinfo_pmds() - what data registers are (3.1.14)
 * @pmds: register numbers in; type, default, reserved bits and address out
 * @n:    number of elements
 *
 * Return: 0, or -1 with errno as for pfm_getinfo_pmcs().
 */
int pfm_getinfo_pmds(pfarg_pmdinfo_t *pmds, int n);

/**
 * pfm_start() - count from now on (3.1.5)
 * @fd:    loaded context
 * @start: first event set, or NULL for the one that was loaded or last active
 *
 * Return: 0, or -1 with errno EBADF, EBUSY, EFAULT, EINVAL, ENOSYS or EPERM.
 */
int pfm_start(int fd, pfarg_start_t *start);

/**
 * pfm_stop() - do not count from now on (3.1.6)
 * @fd: loaded context
 *
 * Return: 0, or -1 with errno EBADF, EBUSY, ENOSYS or EPERM.
 */
int pfm_stop(int fd);

/**
 * pfm_load_context() - attach a context (3.1.7)
 * @fd:   context that is not loaded
 * @load: thread (for a system-wide context the calling one) and first set
 *
 * Return: 0, or -1 with errno EBADF, EBUSY, EFAULT, EINTR, EINVAL, ENOMEM,
 * ENOSYS, EPERM or ESRCH.
 */
int pfm_load_context(int fd, pfarg_load_t *load);

/**
 * pfm_unload_context() - detach a context; its registers stay readable (3.1.8)
 * @fd: loaded context
 *
 * Return: 0, or -1 with errno EBADF, EBUSY, ENOSYS or EPERM.
 */
int pfm_unload_context(int fd);

/**
 * pfm_restart() - resume after an overflow notification (3.1.9)
 * @fd: loaded context whose monitoring is masked, or that has a sampling format
 *
 * Return: 0, or -1 with errno EBADF, EBUSY, ENOSYS or EPERM, or with the one that
 * the sampling format gives.
 */
int pfm_restart(int fd);

/**
 * pfm_create_evtsets() - create or modify event sets (3.1.10)
 * @fd:      context that is not loaded
 * @setdesc: sets; effective time-outs and RETFL bits out
 * @n:       number of elements
 *
 * Return: 0, or -1 with errno E2BIG, EBADF, EBUSY, EFAULT, EINVAL, ENOMEM, ENOSYS
 * or EPERM.
 */
int pfm_create_evtsets(int fd, pfarg_setdesc_t *setdesc, int n);

/**
 * pfm_delete_evtsets() - delete event sets (3.1.11)
 * @fd:      context that is not loaded
 * @setdesc: set numbers; RETFL bits out
 * @n:       number of elements
 *
 * Return: 0, or -1 with errno as for pfm_create_evtsets().
 */
int pfm_delete_evtsets(int fd, pfarg_setdesc_t *setdesc, int n);

/**
 * pfm_getinfo_evtsets() - how event sets are doing (3.1.12)
 * @fd:      context
 * @setinfo: set numbers in; flags, runs, time-outs and durations out
 * @n:       number of elements
 *
 * Section 6.1.7 prints pfarg_setdesc_t here, a slip for 3.1.12's structure.
 *
 * Return: 0, or -1 with errno E2BIG, EBADF, EBUSY, EFAULT, EINVAL, ENOMEM, ENOSYS
 * or EPERM.
 */
int pfm_getinfo_evtsets(int fd, pfarg_setinfo_t *setinfo, int n);

/**
 * pfm_get_config() - version, limits, groups, implemented registers (3.1.17)
 * @cfg: filled in
 *
 * Return: 0, or -1 with errno EFAULT or ENOSYS.
 */
int pfm_get_config(pfarg_config_t *cfg);

/**
 * pfm_set_config() - set limits and groups, needs CAP_SYS_ADMIN (3.1.16)
 * @cfg: cf_sys_gid, cf_thread_gid, cf_arg_size_max, cf_smpl_buf_size_max; the
 *       other fields are ignored, cf_flags must be 0
 *
 * Return: 0, or -1 with errno EFAULT, EINVAL, ENOSYS or EPERM.
 */
int pfm_set_config(pfarg_config_t *cfg);

/*
 * Names
 */

/**
 * pfm_pmc_name() - the name of a control register
 * @num:  register number, below PFM_MAX_PMCS
 * @name: where to put the name; PFM_NAME_MAX bytes are always enough
 * @size: bytes at @name
 *
 * The kernel is asked through sysfs; where sysfs is not mounted the names of
 * the software PMU, which are the same everywhere, are still known.
 *
 * Return: 0, or -1 with errno ENOENT (no such register), ERANGE (@size too
 * small) or what open() and read() set.
 */
int pfm_pmc_name(unsigned int num, char *name, size_t size);

/**
 * pfm_pmd_name() - the name of a data register
 * @num:  register number, below PFM_MAX_PMDS
 * @name: where to put the name
 * @size: bytes at @name
 *
 * Return: as pfm_pmc_name().
 */
int pfm_pmd_name(unsigned int num, char *name, size_t size);

/**
 * pfm_pmc_number() - the number of the control register called @name
 * @name: as pfm_pmc_name() gives it; case matters
 *
 * Return: the register number, or -1 with errno ENOENT.
 */
int pfm_pmc_number(const char *name);

/**
 * pfm_pmd_number() - the number of the data register called @name
 * @name: as pfm_pmd_name() gives it; case matters
 *
 * Return: the register number, or -1 with errno ENOENT.
 */
int pfm_pmd_number(const char *name);

/**
 * pfm_sw_event_name() - the name of an event of the software PMU
 * @event: PFM_SW_TASK_CLOCK, ...
 *
 * Return: a constant string, or NULL when there is no such event.
 */
const char *pfm_sw_event_name(unsigned int event);

/**
 * pfm_sw_event_number() - the event of the software PMU called @name
 * @name: a name, or one of the other names that perf knows it by
 *
 * Return: the event, as a control register's bits 0-7 take it, or -1 with
 * errno ENOENT.
 */
int pfm_sw_event_number(const char *name);

/**
 * pfm_cmd_name() - the name of a command
 * @cmd: PFM_CREATE_CONTEXT, ...
 *
 * Return: a constant string such as "PFM_CREATE_CONTEXT", or NULL.
 */
const char *pfm_cmd_name(int cmd);

/**
 * pfm_cmd_error() - why a command failed, in words
 * @cmd:   the command that failed
 * @err:   errno as it left it
 * @flags: reg_flags or set_flags of the bad element of a vector, or 0
 *
 * Return: a constant string without a final full stop, never NULL.
 */
const char *pfm_cmd_error(int cmd, int err, unsigned int flags);

/*
 * Bit vectors such as cf_impl_pmds, reg_smpl_pmds and msg_ovfl_pmds
 */

/**
 * pfm_bv_isset() - is bit @bit of vector @bv set?
 * @bv:  vector
 * @bit: register number, within the vector
 *
 * Return: 1 or 0.
 */
static inline int pfm_bv_isset(const __u64 *bv, unsigned int bit)
{
	return (bv[bit / 64] >> (bit % 64)) & 1;
}

/**
 * pfm_bv_set() - set bit @bit of vector @bv
 * @bv:  vector
 * @bit: register number, within the vector
 */
static inline void pfm_bv_set(__u64 *bv, unsigned int bit)
{
	bv[bit / 64] |= (__u64)1 << (bit % 64);
}

#ifdef __cplusplus
}
#endif

#endif /* _PERFMON_LIBPERFMON_H */
