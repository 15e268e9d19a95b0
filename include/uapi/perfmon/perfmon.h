/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmon2: the user interface, version 0.6.
 *
 * There is one system call,
 *
 *	int perfmonctl(int fd, int cmd, void *arg, int narg);
 *
 * and one object, the context, which is a file descriptor. A session is:
 *
 *	PFM_CREATE_CONTEXT	make a context; pfarg_ctx_t.ctx_fd names it
 *	PFM_WRITE_PMCS		choose the events: PMCs are control registers
 *	PFM_WRITE_PMDS		set counters and periods: PMDs are data registers
 *	PFM_LOAD_CONTEXT	attach it to a thread, or to the CPU one runs on
 *	PFM_START, PFM_STOP	count, do not count
 *	PFM_READ_PMDS		read the counters, at any time
 *	close(fd)		detach and destroy
 *
 * Every counter is 64 bits wide whatever the hardware has. A sampling period
 * of p events is the value -p. With PFM_REGFL_OVFL_NOTIFY in its control the
 * overflow queues a message that read(2) returns and poll(2) and SIGIO
 * announce, and masks monitoring until PFM_RESTART. Otherwise the short reset
 * values are loaded and monitoring goes on.
 *
 * All structures have one layout for 32- and 64-bit programs. Fields named
 * pad or reserved must be zero on input and are zero on output, and so must
 * be undefined flag bits; EINVAL otherwise. In a vector call the elements
 * before the first bad one are applied, the bad one gets a RETFL bit in its
 * flags, and the later ones are left alone.
 *
 * The specification is Eranian, "The perfmon2 interface specification",
 * HPL-2004-200(R.1); section numbers below refer to it. perfmonctl(2) is the
 * reference of what it leaves open.
 */
#ifndef _UAPI_PERFMON_PERFMON_H
#define _UAPI_PERFMON_PERFMON_H

#include <linux/types.h>

#define PFM_VERSION_MAJ		0U
#define PFM_VERSION_MIN		6U
#define PFM_VERSION		((PFM_VERSION_MAJ << 16) | PFM_VERSION_MIN)
#define PFM_VERSION_MAJOR(v)	(((v) >> 16) & 0xffffU)
#define PFM_VERSION_MINOR(v)	((v) & 0xffffU)

/* Number of the system call, the same on every kernel version. */
#ifndef __NR_perfmonctl
#ifdef __ia64__
#define __NR_perfmonctl		1175
#else
#define __NR_perfmonctl		548
#endif
#endif

/* Commands (table 3.1): argument type, number of elements. */
#define PFM_WRITE_PMCS		0x01	/* pfarg_pmc_t, n */
#define PFM_WRITE_PMDS		0x02	/* pfarg_pmd_t, n */
#define PFM_READ_PMDS		0x03	/* pfarg_pmd_t, n */
#define PFM_STOP		0x04	/* NULL, 0 */
#define PFM_START		0x05	/* pfarg_start_t, 1; or NULL, 0 */
#define PFM_CREATE_CONTEXT	0x08	/* pfarg_ctx_t + format argument, 1 */
#define PFM_RESTART		0x0a	/* NULL, 0 */
#define PFM_LOAD_CONTEXT	0x10	/* pfarg_load_t, 1 */
#define PFM_UNLOAD_CONTEXT	0x11	/* NULL, 0 */
#define PFM_CREATE_EVTSETS	0x12	/* pfarg_setdesc_t, n */
#define PFM_DELETE_EVTSETS	0x13	/* pfarg_setdesc_t, n */
#define PFM_GETINFO_EVTSETS	0x14	/* pfarg_setinfo_t, n */
#define PFM_GETINFO_PMCS	0x15	/* pfarg_pmcinfo_t, n */
#define PFM_GETINFO_PMDS	0x16	/* pfarg_pmdinfo_t, n */
#define PFM_SET_CONFIG		0x17	/* pfarg_config_t, 1 */
#define PFM_GET_CONFIG		0x18	/* pfarg_config_t, 1 */

/*
 * Register numbers, the same on every machine: 0-255 the hardware's PMU,
 * PMC 256-271 the debug registers of IA-64, 288-319 the software PMU and the
 * virtual registers. Bit n of a vector v is v[n / 64] >> (n % 64) & 1.
 */
#define PFM_MAX_PMCS		320
#define PFM_MAX_PMDS		320
#define PFM_MAX_PMC_BITVECTOR	((PFM_MAX_PMCS + 63) / 64)
#define PFM_MAX_PMD_BITVECTOR	((PFM_MAX_PMDS + 63) / 64)

/*
 * The software PMU, present on every machine: PMC 288+i selects what PMD
 * 288+i counts. Bits 0-7 of the control hold the event, the others are
 * reserved.
 */
#define PFM_SW_PMC0		288	/* first control register */
#define PFM_SW_PMD0		288	/* first counter */
#define PFM_SW_COUNTERS		8

#define PFM_SW_NONE		0	/* count nothing, the default */
#define PFM_SW_TASK_CLOCK	1	/* CPU time in ns; system-wide: not idle */
#define PFM_SW_CSWITCHES	2	/* context switches */
#define PFM_SW_MIGRATIONS	3	/* moves to another CPU */
#define PFM_SW_MINOR_FAULTS	4	/* page faults without I/O */
#define PFM_SW_MAJOR_FAULTS	5	/* page faults with I/O */

/* Virtual registers (3.2.2): PMDs without a control, read-only. */
#define PFM_VPMD_CLOCK		304	/* CLOCK_MONOTONIC in ns */
#define PFM_VPMD_CYCLES		305	/* the processor's cycle clock */
#define PFM_VPMD_FREE_PAGES	306	/* free pages of the system */
#define PFM_VPMD_RUNNABLE	307	/* runnable threads of the CPU */
#define PFM_VPMD_THREAD_TIME	308	/* CPU time in ns: of the monitored
					 * thread; of the current one if the
					 * context has none */

/* pfarg_ctx_t.ctx_flags; platform flags from bit 16 */
#define PFM_FL_NOTIFY_BLOCK	0x01	/* block the thread until PFM_RESTART */
#define PFM_FL_SYSTEM_WIDE	0x02	/* monitor a CPU, not a thread */
#define PFM_FL_OVFL_NO_MSG	0x80	/* SIGIO only, queue no message */
#define PFM_FL_CLOEXEC		0x100	/* exec() closes the descriptor */
#define PFM_FL_TREE		0x200	/* monitor a thread and all that it makes */

/* pfarg_load_t.load_flags, of contexts with PFM_FL_TREE only */
#define PFM_LOADFL_ALL		0x1	/* one context counts on all CPUs */
#define PFM_LOADFL_EXEC		0x2	/* counting begins with the thread's next exec */
#define PFM_LOADFL_THREADS	0x4	/* and all other threads of its process */
#define PFM_LOADFL_CHILDREN	0x8	/* ... and all processes that these have made */
#define PFM_LOADFL_SLOTS	0x10	/* instead of ALL: contexts that join it count */
#define PFM_LOADFL_JOIN		0x20	/* join a tree, on the caller's CPU */

/* pfarg_pmc_t.reg_flags */
#define PFM_REGFL_OVFL_NOTIFY	0x1	/* notify when the counter overflows */
#define PFM_REGFL_RANDOM	0x2	/* randomise the reset values */
#define PFM_REGFL_NO_64BIT_EMUL	0x4	/* as wide as in hardware, no overflow */

/* pfarg_pmd_t.reg_flags, PFM_READ_PMDS only */
#define PFM_REGFL_READ_RESET	0x8	/* load the long reset value after it */

/* pfarg_pmd_t.reg_flags, PFM_WRITE_PMDS only */
#define PFM_REGFL_KEEP_VALUE	0x10	/* new reset values and mask, nothing else */

/* pfarg_setdesc_t.set_flags; platform flags from bit 16 */
#define PFM_SETFL_OVFL_SWITCH	0x1	/* leave the set after overflows */
#define PFM_SETFL_TIME_SWITCH	0x2	/* leave the set after a time */
#define PFM_SETFL_EXPL_NEXT	0x4	/* ... for set_id_next */
#define PFM_SETFL_EXCL_IDLE	0x8	/* system-wide: not the idle thread */
/* System-wide contexts only: no thread that has no user level, the idle thread included */
#define PFM_SETFL_EXCL_KERNEL_ONLY_THREADS	0x10

/* What the kernel says of an element, in its flags. */
#define PFM_REG_RETFL_NOTAVAIL	(1U << 31)	/* no such register */
#define PFM_REG_RETFL_EINVAL	(1U << 30)	/* bad value, flag or padding */
#define PFM_REG_RETFL_NOSET	(1U << 29)	/* no such event set */
#define PFM_REG_RETFL_MASK	(7U << 29)
#define PFM_REG_HAS_ERROR(f)	(((f) & PFM_REG_RETFL_MASK) != 0)

#define PFM_SET_RETFL_NOTAVAIL	PFM_REG_RETFL_NOTAVAIL
#define PFM_SET_RETFL_EINVAL	PFM_REG_RETFL_EINVAL
#define PFM_SET_RETFL_NOSET	PFM_REG_RETFL_NOSET
#define PFM_SET_RETFL_MASK	PFM_REG_RETFL_MASK
#define PFM_SET_HAS_ERROR(f)	PFM_REG_HAS_ERROR(f)

/* Types of registers (3.1.13): what a logical register maps to. */
#define PFM_REG_TYPE_PMC	1
#define PFM_REG_TYPE_PMD	2
#define PFM_REG_TYPE_MSR	3
#define PFM_REG_TYPE_SPR	4
#define PFM_REG_TYPE_IBR	5
#define PFM_REG_TYPE_DBR	6
#define PFM_REG_TYPE_VIRTUAL	7	/* an operating system's counter */
#define PFM_REG_IDX_NONE	(~0ULL)	/* the register has no address */

#define PFM_GROUP_ANY		((__u32)-1)

/* A UUID in the order in which uuidgen prints it. */
typedef __u8 pfm_uuid_t[16];

/* As struct timespec, with one layout everywhere. */
struct pfm_timespec {
	__s64 tv_sec __attribute__((aligned(8)));
	__s64 tv_nsec __attribute__((aligned(8)));
};

/* PFM_CREATE_CONTEXT (3.1.1). A format's argument follows immediately. */
typedef struct pfarg_ctx {
	__u32 ctx_flags;
	__s32 ctx_fd;			/* out: the context */
	union {
		pfm_uuid_t ctx_smpl_buf_id;	/* format, or all zeroes */
		pfm_uuid_t ctx_smpl_uuid;
	};
	__aligned_u64 ctx_smpl_buf_size;	/* out: bytes to mmap() */
	__aligned_u64 ctx_reserved[4];
} pfarg_ctx_t;

/* PFM_WRITE_PMCS (3.1.2) */
typedef struct pfarg_pmc {
	__u16 reg_num;
	__u16 reg_set;
	__u32 reg_flags;
	__aligned_u64 reg_value;
	__aligned_u64 reg_reset_pmds[PFM_MAX_PMD_BITVECTOR];
	__aligned_u64 reg_smpl_pmds[PFM_MAX_PMD_BITVECTOR];
	__aligned_u64 reg_smpl_eventid;
} pfarg_pmc_t;

/* PFM_WRITE_PMDS (3.1.3), PFM_READ_PMDS (3.1.4) */
typedef struct pfarg_pmd {
	__u16 reg_num;
	__u16 reg_set;
	__u32 reg_flags;
	__aligned_u64 reg_value;
	__aligned_u64 reg_long_reset;
	__aligned_u64 reg_short_reset;
	__aligned_u64 reg_last_reset_val;
	__aligned_u64 reg_ovflsw_thres;
	__aligned_u64 reg_random_mask;
	__u32 reg_random_seed;
	__u32 reg_pad;
} pfarg_pmd_t;

/* PFM_START (3.1.5) */
typedef struct pfarg_start {
	__u16 start_set;
	__u16 start_pad[3];
} pfarg_start_t;

/* PFM_LOAD_CONTEXT (3.1.7) */
typedef struct pfarg_load {
	__s32 load_pid;			/* a thread: what gettid(2) returns; to join a
					 * tree, the descriptor of its context */
	__u16 load_set;
	__u16 load_flags;		/* PFM_LOADFL_..., of trees */
} pfarg_load_t;

/* PFM_CREATE_EVTSETS (3.1.10), PFM_DELETE_EVTSETS (3.1.11) */
typedef struct pfarg_setdesc {
	__u16 set_id;
	__u16 set_id_next;
	__u32 set_flags;
	struct pfm_timespec set_timeout;
} pfarg_setdesc_t;

/* PFM_GETINFO_EVTSETS (3.1.12) */
typedef struct pfarg_setinfo {
	__u16 set_id;
	__u16 set_id_next;
	__u32 set_flags;
	__aligned_u64 set_switch_pmds[PFM_MAX_PMD_BITVECTOR];
	__aligned_u64 set_runs;
	struct pfm_timespec set_timeout;
	struct pfm_timespec set_act_duration;
} pfarg_setinfo_t;

/* PFM_GETINFO_PMCS (3.1.13), PFM_GETINFO_PMDS (3.1.14) */
typedef struct pfarg_pmcinfo {
	__u16 reg_num;
	__u16 reg_type;			/* PFM_REG_TYPE_... */
	__u32 reg_flags;
	__aligned_u64 reg_def_value;
	__aligned_u64 reg_rsvd_mask;	/* set: the bit keeps its default */
	__aligned_u64 reg_index;	/* address, or PFM_REG_IDX_NONE */
} pfarg_pmcinfo_t;

typedef struct pfarg_pmcinfo pfarg_pmdinfo_t;

/* PFM_SET_CONFIG (3.1.16), PFM_GET_CONFIG (3.1.17) */
typedef struct pfarg_config {
	__u32 cf_version;
	__u32 cf_flags;
	__aligned_u64 cf_impl_pmcs[PFM_MAX_PMC_BITVECTOR];
	__aligned_u64 cf_impl_pmds[PFM_MAX_PMD_BITVECTOR];
	__u32 cf_sys_gid;
	__u32 cf_thread_gid;
	__aligned_u64 cf_arg_size_max;
	__aligned_u64 cf_smpl_buf_size_max;
	__u16 cf_counter_width;
	__u16 cf_pad[3];
} pfarg_config_t;

/* Messages, as read(2) returns them (3.3). */
#define PFM_MSG_OVFL		1	/* counters overflowed */
#define PFM_MSG_END		2	/* the monitored thread is gone */
#define PFM_OVFL_MSG		PFM_MSG_OVFL
#define PFM_END_MSG		PFM_MSG_END

typedef struct pfm_ovfl_msg {
	__u32 msg_type;
	__u16 msg_active_set;
	__u16 msg_pad;
	__aligned_u64 msg_ovfl_pmds[PFM_MAX_PMD_BITVECTOR];
} pfm_ovfl_msg_t;

typedef union pfm_msg {
	__u32 msg_type;
	pfm_ovfl_msg_t pfm_ovfl_msg;
} pfm_msg_t;

/* fmt_flags of a sampling format (3.5.7) */
#define PFM_FMTFL_NOSET		0x1	/* supports set 0 only */

#endif /* _UAPI_PERFMON_PERFMON_H */
