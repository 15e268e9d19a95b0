// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of commands, and reasons for their failures in words.
 *
 * A reason is looked for from the particular to the general: what the kernel
 * says of the bad element of a vector, then the command with its errno, then
 * the errno alone.
 */
#include <errno.h>
#include <stddef.h>

#include <perfmon/libperfmon.h>

#define ANY_CMD		0	/* no command has this number */

static const char *const cmd_names[] = {
#define CMD(name)	[name] = #name
	CMD(PFM_WRITE_PMCS),
	CMD(PFM_WRITE_PMDS),
	CMD(PFM_READ_PMDS),
	CMD(PFM_STOP),
	CMD(PFM_START),
	CMD(PFM_CREATE_CONTEXT),
	CMD(PFM_RESTART),
	CMD(PFM_LOAD_CONTEXT),
	CMD(PFM_UNLOAD_CONTEXT),
	CMD(PFM_CREATE_EVTSETS),
	CMD(PFM_DELETE_EVTSETS),
	CMD(PFM_GETINFO_EVTSETS),
	CMD(PFM_GETINFO_PMCS),
	CMD(PFM_GETINFO_PMDS),
	CMD(PFM_SET_CONFIG),
	CMD(PFM_GET_CONFIG),
#undef CMD
};

#define CMDS	((int)(sizeof(cmd_names) / sizeof(cmd_names[0])))

struct reason {
	int cmd;
	unsigned int key;	/* an errno, or one RETFL bit */
	const char *text;
};

/* What a RETFL bit of the bad element means. */
static const struct reason element_reasons[] = {
	{ PFM_WRITE_PMCS, PFM_REG_RETFL_NOTAVAIL,
	  "there is no such control register" },
	{ PFM_WRITE_PMCS, PFM_REG_RETFL_EINVAL,
	  "the control register's value, flags or bit vectors are not valid" },
	{ PFM_WRITE_PMDS, PFM_REG_RETFL_NOTAVAIL,
	  "there is no such data register" },
	{ PFM_WRITE_PMDS, PFM_REG_RETFL_EINVAL,
	  "the data register is read-only, or flags or padding are not zero" },
	{ PFM_READ_PMDS, PFM_REG_RETFL_NOTAVAIL,
	  "there is no such data register" },
	{ PFM_READ_PMDS, PFM_REG_RETFL_EINVAL,
	  "the data register's flags or padding are not zero" },
	{ PFM_GETINFO_PMCS, PFM_REG_RETFL_EINVAL,
	  "there is no such control register, or flags are not zero" },
	{ PFM_GETINFO_PMDS, PFM_REG_RETFL_EINVAL,
	  "there is no such data register, or flags are not zero" },
	{ PFM_CREATE_EVTSETS, PFM_SET_RETFL_EINVAL,
	  "the event set's number, flags or time-out are not valid" },
	{ PFM_DELETE_EVTSETS, PFM_SET_RETFL_EINVAL,
	  "event set 0 cannot be deleted, or flags are not zero" },
	{ PFM_GETINFO_EVTSETS, PFM_SET_RETFL_EINVAL,
	  "the event set's flags are not zero" },
	{ ANY_CMD, PFM_REG_RETFL_NOSET, "there is no such event set" },
	{ ANY_CMD, PFM_REG_RETFL_NOTAVAIL, "there is no such register" },
	{ ANY_CMD, PFM_REG_RETFL_EINVAL, "the element is not valid" },
};

/* What an errno means, for one command and for all. */
static const struct reason errno_reasons[] = {
	{ PFM_CREATE_CONTEXT, EPERM,
	  "only members of a certain group, or those with CAP_PERFMON, may create such contexts" },
	{ PFM_CREATE_CONTEXT, EINVAL,
	  "the flags do not go together or are not defined, a reserved field is not zero, there is no such sampling format, or it refuses its argument" },
	{ PFM_CREATE_CONTEXT, E2BIG,
	  "the sampling format's argument is too big, or has fields that the kernel does not know" },
	{ PFM_CREATE_CONTEXT, ENOMEM,
	  "there is not enough memory for the context or its sampling buffer" },
	{ PFM_WRITE_PMCS, EPERM,
	  "counting the kernel's events, or on a hardened kernel those of the PMU, needs the right to monitor whole CPUs; or the kernel is locked down; or another user attached the context" },
	{ PFM_WRITE_PMCS, EBUSY,
	  "something else in the kernel uses the PMU, or the context monitors another CPU than the caller's" },
	{ PFM_LOAD_CONTEXT, EPERM,
	  "the caller may not trace the thread, or may not use the PMU on this hardened kernel" },
	{ PFM_LOAD_CONTEXT, ESRCH,
	  "there is no such thread" },
	{ PFM_LOAD_CONTEXT, EINVAL,
	  "there is no such event set, or none that another one names as its next; padding is not zero; a system-wide context was given another thread than the calling one, or a thread cannot block for itself" },
	{ PFM_LOAD_CONTEXT, EBUSY,
	  "the context is loaded, the thread or CPU has one already, or the PMU is in use: by contexts of the other kind, per-thread or system-wide, or by something else in the kernel" },
	{ PFM_START, EBUSY,
	  "the context is not loaded, or it monitors another CPU than the caller's" },
	{ PFM_START, EINVAL,
	  "there is no such event set, or padding is not zero" },
	{ PFM_STOP, EBUSY,
	  "the context is not loaded, or it monitors another CPU than the caller's" },
	{ PFM_UNLOAD_CONTEXT, EBUSY,
	  "the context is not loaded, or it monitors another CPU than the caller's" },
	{ PFM_RESTART, EBUSY,
	  "the context is not loaded, its monitoring is not masked, or it monitors another CPU than the caller's" },
	{ PFM_CREATE_EVTSETS, EBUSY,
	  "the context is loaded: event sets cannot change now" },
	{ PFM_DELETE_EVTSETS, EBUSY,
	  "the context is loaded: event sets cannot change now" },
	{ PFM_SET_CONFIG, EPERM,
	  "only the administrator may change the configuration" },
	{ PFM_SET_CONFIG, EINVAL,
	  "a limit is below the page size, or flags or padding are not zero" },
	{ ANY_CMD, ENOSYS,
	  "this kernel has no perfmon" },
	{ ANY_CMD, EBADF,
	  "the descriptor is not that of a perfmon context" },
	{ ANY_CMD, EFAULT,
	  "the argument cannot be read or written" },
	{ ANY_CMD, E2BIG,
	  "the vector is longer than the limit, cf_arg_size_max" },
	{ ANY_CMD, ENOMEM,
	  "there is not enough memory" },
	{ ANY_CMD, EMFILE,
	  "the process has too many open files" },
	{ ANY_CMD, ENFILE,
	  "the system has too many open files" },
	{ ANY_CMD, EPERM,
	  "another user attached the context, and the kernel is hardened" },
	{ ANY_CMD, EBUSY,
	  "the context monitors another CPU than the caller's" },
	{ ANY_CMD, EINTR,
	  "a signal came" },
	{ ANY_CMD, EINVAL,
	  "there is no such command, or its argument or its number of elements is not valid" },
};

#define COUNT(table)	(sizeof(table) / sizeof((table)[0]))

const char *pfm_cmd_name(int cmd)
{
	return cmd >= 0 && cmd < CMDS ? cmd_names[cmd] : NULL;
}

static const char *element_reason(int cmd, unsigned int flags)
{
	size_t i;

	for (i = 0; i < COUNT(element_reasons); i++) {
		const struct reason *r = &element_reasons[i];

		if ((r->cmd == cmd || r->cmd == ANY_CMD) && (flags & r->key))
			return r->text;
	}
	return NULL;
}

static const char *errno_reason(int cmd, unsigned int err)
{
	size_t i;

	for (i = 0; i < COUNT(errno_reasons); i++) {
		const struct reason *r = &errno_reasons[i];

		if ((r->cmd == cmd || r->cmd == ANY_CMD) && r->key == err)
			return r->text;
	}
	return NULL;
}

const char *pfm_cmd_error(int cmd, int err, unsigned int flags)
{
	const char *text = NULL;

	if (err == EINVAL)
		text = element_reason(cmd, flags & PFM_REG_RETFL_MASK);
	if (!text)
		text = errno_reason(cmd, (unsigned int)err);
	return text ? text : "an error that the kernel interface does not define";
}
