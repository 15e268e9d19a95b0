/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: the kernel interface for sampling formats (3.5.7-3.5.15).
 *
 * A format decides what an overflow records, and what follows from it. It is a
 * struct pfm_buffer_fmt and its call-backs, usually in a module;
 * Documentation/writing-a-format.rst walks through one. This header is all that
 * it needs. Formats include it, and the core.
 *
 * What runs when:
 *
 *	fmt_validate, fmt_getsize, fmt_init	process context, may sleep, once
 *						for a context, in this order
 *	fmt_handler		any context with interrupts off: a timer's
 *				interrupt, the scheduler with the run queue
 *				locked, a page fault, an NMI. It must not sleep,
 *				take a lock that others take with interrupts on,
 *				wake anybody, fault, or print.
 *	fmt_restart, fmt_map	interrupts off, on the context's CPU; no NMI
 *	fmt_exit		process context, may sleep: of the program that
 *				closes the file last, or a work item's if an
 *				interrupt does. Nothing else of the context's
 *				format runs or will
 *
 * No two of them run at the same time for one context, but user space may read
 * the buffer at any time.
 */
#ifndef _PERFMON_FORMAT_H
#define _PERFMON_FORMAT_H

#include <linux/align.h>
#include <linux/module.h>
#include <linux/types.h>
#include <asm/page.h>
#include <perfmon/perfmon.h>

struct pt_regs;
struct task_struct;

/* The PMDs that a machine has at most: no sample has the values of more. */
#define PFM_FMT_MAX_VALUES	64

/* What a call-back wants to happen when it has returned. */
typedef struct pfm_ovfl_ctrl {
	unsigned int notify_user:1;	/* if a control asks for it, too */
	unsigned int reset_ovfl_pmds:1;	/* short values; restart: long ones */
	unsigned int block_thread:1;	/* with PFM_FL_NOTIFY_BLOCK */
	unsigned int mask_monitoring:1;	/* until PFM_RESTART; then no reset */
} pfm_ovfl_ctrl_t;

/**
 * struct pfm_ovfl_arg - an overflow (3.5.14)
 * @ovfl_pmd:		logical number of the counter
 * @active_set:		number of its event set
 * @ovfl_ctrl:		out: all zero at first
 * @pmd_last_reset:	value that the counter was last loaded with
 * @smpl_pmds_values:	values of @smpl_pmds, in increasing order of number;
 *			only as many are set as @smpl_pmds has bits
 * @pmd_value:		value of the counter now
 * @pmd_eventid:	reg_smpl_eventid of its control
 * @smpl_pmds:		reg_smpl_pmds of its control
 * @num_smpl_pmds:	number of bits in @smpl_pmds
 * @ovfl_notify:	1 if its control has PFM_REGFL_OVFL_NOTIFY
 * @event_notify:	1 if that of any counter has it that overflowed at the
 *			same time: then the answer notify_user, to any call of
 *			this event, queues a message
 */
typedef struct pfm_ovfl_arg {
	u16 ovfl_pmd;
	u16 active_set;
	pfm_ovfl_ctrl_t ovfl_ctrl;
	u64 pmd_last_reset;
	u64 smpl_pmds_values[PFM_FMT_MAX_VALUES];
	u64 pmd_value;
	u64 pmd_eventid;
	u64 smpl_pmds[PFM_MAX_PMD_BITVECTOR];
	u16 num_smpl_pmds;
	u16 ovfl_notify;
	u16 event_notify;
} pfm_ovfl_arg_t;

/**
 * struct pfm_ovfl_data - the thread that an overflow hit: the handler's @data
 * @task:  the thread that it is attributed to: the monitored one, or the one
 *	   that ran on the CPU
 * @regs:  its registers, of user level or of the interrupted kernel, or NULL; if a switch of
 *	   threads has found the overflow, those with which it called the scheduler: the
 *	   instruction, stack and frame pointer only, all others are 0
 * @ip:    its instruction pointer there, 0 if unknown. If the context's creator
 *	   may not see kernel addresses, that of user level with which the
 *	   thread entered the kernel
 * @pid:   its process, as numbered in the PID name space of the context's
 *	   creator
 * @tid:   its thread, likewise
 * @cpu:   where
 * @event: the format's: NULL for the first counter of those that overflowed at once;
 *	   the calls for the others find what it has left there
 */
struct pfm_ovfl_data {
	struct task_struct *task;
	struct pt_regs *regs;
	u64 ip;
	s32 pid;
	s32 tid;
	u16 cpu;
	void *event;
};

/**
 * typedef fmt_validate_t - check the format's argument (3.5.10)
 * @ctx_flags: PFM_FL_... of the context
 * @num_pmds:  PMDs that are implemented
 * @arg:       the argument, fmt_arg_size bytes, copied in once
 *
 * Return: 0 or a negative errno.
 */
typedef int (*fmt_validate_t)(u32 ctx_flags, u16 num_pmds, void *arg);

/**
 * typedef fmt_getsize_t - how large a buffer is needed (3.5.11)
 * @ctx_flags: PFM_FL_... of the context
 * @arg:       the argument
 * @size:      out: bytes, 0 for no buffer
 *
 * Return: 0 or a negative errno.
 */
typedef int (*fmt_getsize_t)(u32 ctx_flags, void *arg, size_t *size);

/**
 * typedef fmt_init_t - make the buffer ready (3.5.12)
 * @ctx_flags: PFM_FL_... of the context
 * @arg:       the argument
 * @buf:       the buffer, page-aligned, zeroed; NULL if there is none
 *
 * Return: 0 or a negative errno, after which fmt_exit is not called.
 */
typedef int (*fmt_init_t)(u32 ctx_flags, void *arg, void *buf);

/**
 * typedef fmt_handler_t - a counter has overflowed (3.5.14)
 * @buf:    the buffer or NULL
 * @arg:    the overflow; @arg->ovfl_ctrl is for the answer
 * @tstamp: CLOCK_MONOTONIC in ns, the same for all counters that overflowed
 *	    at once
 * @data:   struct pfm_ovfl_data
 *
 * Called for each counter, in increasing order of number. It is asked no more
 * for this event when it returns an error.
 *
 * Return: 0 or a negative errno.
 */
typedef int (*fmt_handler_t)(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
			     void *data);

/**
 * typedef fmt_restart_t - PFM_RESTART (3.5.15)
 * @buf:       the buffer or NULL
 * @is_active: monitoring is not masked
 * @ctrl:      mask_monitoring and reset_ovfl_pmds are looked at
 *
 * Return: 0 or a negative errno, which PFM_RESTART fails with; nothing has
 * changed then.
 */
typedef int (*fmt_restart_t)(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl);

/**
 * typedef fmt_exit_t - the buffer is about to be freed (3.5.13)
 * @buf: the buffer or NULL
 *
 * Return: 0; an error is of no consequence.
 */
typedef int (*fmt_exit_t)(void *buf);

/* pfm_map_info.flags */
#define PFM_MAP_READ	0x1
#define PFM_MAP_WRITE	0x2
#define PFM_MAP_EXEC	0x4
#define PFM_MAP_SHARED	0x8

/**
 * struct pfm_map_info - where code of a program is
 * @exec:     the thread executes a new program, all that was mapped is gone;
 *	      only @pid, @tid, @tstamp and @name are set
 * @fork:     the thread has made a process, which has what is mapped in its own; only
 *	      @pid, @tid, @tstamp and @child are set. For formats with PFM_FMTFL_FORKS
 * @child:    of @fork the number of the new process, as of @pid; 0 if it has none there
 * @pid:      the process, as numbered in the PID name space of the context's
 *	      creator
 * @tid:      the thread that did it, likewise
 * @tstamp:   CLOCK_MONOTONIC in ns
 * @addr:     of the mapping
 * @len:      its bytes
 * @pgoff:    where in the file it begins, in bytes
 * @ino:      inode of the file
 * @major:    its device
 * @minor:    likewise
 * @flags:    PFM_MAP_...
 * @name:     path of the file as the thread sees it, "" if it is unknown; of
 *	      @exec the thread's name
 * @name_len: its bytes without the NUL, less than PATH_MAX; of @exec less than
 *	      TASK_COMM_LEN
 */
struct pfm_map_info {
	bool exec;
	bool fork;
	s32 child;
	s32 pid;
	s32 tid;
	u64 tstamp;
	u64 addr;
	u64 len;
	u64 pgoff;
	u64 ino;
	u32 major;
	u32 minor;
	u64 flags;
	const char *name;
	size_t name_len;
};

/**
 * typedef fmt_map_t - a file has been mapped executable, a program executed, or a process made
 * @buf:  the buffer or NULL
 * @info: which; gone when this returns
 *
 * By the monitored thread or, system-wide, on this CPU, while the context is
 * loaded, started or not, masked or not. There is nothing to ask for.
 *
 * Context: process, that is the thread that did it; but interrupts are off, and
 * the context's lock is held.
 */
typedef void (*fmt_map_t)(void *buf, const struct pfm_map_info *info);

/*
 * pfm_buffer_fmt.fmt_flags, beside PFM_FMTFL_NOSET: the argument begins with its own
 * size as a __u32, in bytes. Of a shorter one than fmt_arg_size the rest is 0; of a
 * longer one the rest must be 0, or it is E2BIG. So a later minor version can add
 * fields.
 */
#define PFM_FMTFL_ARG_SIZE	0x100

/* Likewise: fmt_map is called for new processes, too. */
#define PFM_FMTFL_FORKS		0x200

/**
 * struct pfm_buffer_fmt - a sampling format (3.5.7)
 * @fmt_name:	  (required) for people, in sysfs; 1 to 31 bytes, no slash, no white space, no
 *		  dot at its beginning
 * @fmt_uuid:	  (required) what programs ask for, not all zeroes
 * @fmt_arg_size: bytes of the argument that follows pfarg_ctx_t, 0 for none; 65536 at most,
 *		  and no program can pass more than the limit arg_size_max, a page
 * @fmt_msgq_depth: overflow messages that can wait, 1 to 65536; what is less or more is
 *		  taken for that (3.5.7)
 * @fmt_flags:	  PFM_FMTFL_...
 * @fmt_version:  of the layout, for sysfs: major in the upper, minor in the
 *		  lower 16 bits
 * @fmt_validate: (optional)
 * @fmt_getsize:  (optional) without it there is no buffer
 * @fmt_init:	  (optional)
 * @fmt_handler:  (required)
 * @fmt_restart:  (optional) without it, PFM_RESTART resets and goes on
 * @fmt_exit:	  (optional)
 * @fmt_map:	  (optional) not of the specification
 * @fmt_priv_size: bytes of private memory of each context that has a buffer, 0 for
 *		  none, 1 MB at most; see pfm_fmt_priv(); not of the specification
 */
typedef struct pfm_buffer_fmt {
	const char *fmt_name;
	pfm_uuid_t fmt_uuid;
	size_t fmt_arg_size;
	size_t fmt_msgq_depth;
	u32 fmt_flags;
	u32 fmt_version;
	fmt_validate_t fmt_validate;
	fmt_getsize_t fmt_getsize;
	fmt_init_t fmt_init;
	fmt_handler_t fmt_handler;
	fmt_restart_t fmt_restart;
	fmt_exit_t fmt_exit;
	fmt_map_t fmt_map;
	size_t fmt_priv_size;
} pfm_buffer_fmt_t;

/**
 * pfm_fmt_priv() - what a format remembers of a context and does not show
 * @fmt: the format
 * @buf: the buffer of the context, as the call-back has it, not NULL
 *
 * The memory is there, all zero, when fmt_init is called, and still when fmt_exit is.
 * Programs cannot map it: pointers may stand there. What fmt_init hangs on it, fmt_exit
 * frees. It is whole pages, which count as the buffer's.
 *
 * Context: the call-backs.
 * Return: fmt_priv_size bytes, aligned to a page.
 */
static inline void *pfm_fmt_priv(const pfm_buffer_fmt_t *fmt, void *buf)
{
	return buf - ALIGN(fmt->fmt_priv_size, PAGE_SIZE);
}

u16 pfm_fmt_num_pmds(void);

int __pfm_register_buffer_fmt(const pfm_buffer_fmt_t *fmt,
			      struct module *owner);

/**
 * pfm_register_buffer_fmt() - make a format usable (3.5.8)
 * @fmt: format, constant until it is unregistered
 *
 * Context: process.
 * Return: 0; -EINVAL if something required is missing or nonsense; -EBUSY if
 * there is one of this UUID or name; -ENOMEM.
 */
#define pfm_register_buffer_fmt(fmt) __pfm_register_buffer_fmt(fmt, THIS_MODULE)

int pfm_unregister_buffer_fmt(const pfm_uuid_t uuid);

/* At most so many registers are a program's, for who unwinds its stack. */
#define PFM_SAMPLE_USER_REGS	34

/**
 * struct pfm_user_state - what the registers of a program are
 * @machine: EM_... of <linux/elf-em.h>: which they are, and in what order, is said in
 *	     <perfmon/calldouble_smpl.h>. That of 32 bits for a program of 32 bits under a
 *	     kernel of 64
 * @sp:	     its stack pointer, one of them
 */
struct pfm_user_state {
	u16 machine;
	u64 sp;
};

/*
 * The calls that led to an overflow, and what a program needs to find those of another one
 * itself; kernel/perfmon/stack.c says how. Not every architecture can walk both stacks, or
 * says what the registers are: there is nothing of what it cannot.
 */
#ifdef CONFIG_PERFMON_STACKS
unsigned int pfm_sample_stack_kernel(const struct pfm_ovfl_data *data, u64 *ips,
				     unsigned int max);
unsigned int pfm_sample_stack_user(const struct pfm_ovfl_data *data, u64 *ips,
				   unsigned int max);
unsigned int pfm_sample_user_state_max(void);
unsigned int pfm_sample_user_state(const struct pfm_ovfl_data *data, u64 *regs,
				   struct pfm_user_state *state);
size_t pfm_sample_user_memory(const struct pfm_ovfl_data *data, void *to, u64 from,
			      size_t size);
#else
static inline unsigned int
pfm_sample_stack_kernel(const struct pfm_ovfl_data *data, u64 *ips, unsigned int max)
{
	return 0;
}

static inline unsigned int
pfm_sample_stack_user(const struct pfm_ovfl_data *data, u64 *ips, unsigned int max)
{
	return 0;
}

static inline unsigned int pfm_sample_user_state_max(void)
{
	return 0;
}

static inline unsigned int
pfm_sample_user_state(const struct pfm_ovfl_data *data, u64 *regs,
		      struct pfm_user_state *state)
{
	return 0;
}

static inline size_t
pfm_sample_user_memory(const struct pfm_ovfl_data *data, void *to, u64 from, size_t size)
{
	return 0;
}
#endif

/* A module whose format programs ask for by UUID before it is loaded. */
#define MODULE_ALIAS_PFM_FMT(uuid_text) MODULE_ALIAS("perfmon-fmt-" uuid_text)

#endif /* _PERFMON_FORMAT_H */
