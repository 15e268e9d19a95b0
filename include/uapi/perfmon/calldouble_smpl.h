/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmon2: the double-buffering call chain sampling format.
 *
 * Records are those of the call chain format, in a buffer of two halves: a program
 * reads one while the kernel fills the other. When a half is full, that is when
 * there would not be room for a LOST record and the largest sample, it is the
 * program's, a message is queued if the counter that filled it, or another that
 * overflowed at that moment, has PFM_REGFL_OVFL_NOTIFY, and the kernel goes on in
 * the other half: monitoring is not masked, counters get their short reset values.
 *
 *	struct {
 *		pfarg_ctx_t ctx;
 *		pfm_calldouble_smpl_arg_t arg;
 *	} req = {
 *		.ctx.ctx_smpl_buf_id = PFM_CALLDOUBLE_SMPL_UUID,
 *		.arg.arg_size = sizeof(req.arg),
 *		.arg.buf_size = 262144,
 *		.arg.buf_flags = PFM_CALLCHAIN_SMPL_USER |
 *				 PFM_CALLCHAIN_SMPL_MAPS,
 *	};
 *
 * The argument says how long it is. What it lacks is 0; a longer one than the
 * kernel knows is E2BIG unless the rest is 0.
 *
 * Stacks. Programs built without frame pointers have no user part that is worth
 * much, but who has their files can unwind their stacks later. With buf_stack
 * bytes (version 1.1), what follows the user part in a sample, up to its size, is a
 *
 *	pfm_calldouble_smpl_user_t, then nr_regs registers of 64 bits each, then
 *	stack_size bytes of the thread's stack, from the stack pointer up
 *
 * of the program where it was, or where it left user level: that is independent of
 * PFM_CALLCHAIN_SMPL_USER. Nothing follows if the thread has no user level, was not
 * running when the overflow was found, or was about to enter the kernel or to
 * leave it. What is read is what the program can read itself. There are less bytes
 * than buf_stack where the memory ends, or is not present: nothing is paged in. The
 * bytes are as the program has them. The registers are those of the machine, an
 * ELF header's e_machine, that of a 32-bit program under a 64-bit kernel, too (their
 * upper halves are 0 then):
 *
 *	EM_X86_64	17, by their DWARF numbers: rax, rdx, rcx, rbx, rsi, rdi, rbp,
 *			rsp, r8 to r15, rip
 *	EM_386		9, likewise: eax, ecx, edx, ebx, esp, ebp, esi, edi, eip
 *	EM_PPC, _PPC64	34: r0 to r31, lr, nip
 *
 * In a system call the register of its result may have that already.
 *
 * An architecture without them refuses buf_stack with EOPNOTSUPP, a kernel of
 * version 1.0 with EINVAL. System-wide contexts take it from who has CAP_PERFMON only,
 * on an open kernel, too, else it is EPERM. Counters that overflow at once have the same.
 *
 * PFM_RESTART releases the half that is the program's, the older one if both are. If
 * neither is, PFM_RESTART leaves the buffer alone; it succeeds, and resumes
 * monitoring if something else had masked it.
 *
 * If the kernel's half gets full while the other is still the program's:
 *
 *	by default	What comes is lost, until PFM_RESTART. Then the next record
 *			hands the full half over, with a message if it is a sample
 *			or as soon as one comes, and begins the other.
 *	MASK_WHEN_FULL	This half becomes the program's, too, with a message.
 *			Monitoring is masked; if the context has
 *			PFM_FL_NOTIFY_BLOCK, the monitored thread blocks.
 *			(Without MASK_WHEN_FULL, PFM_CREATE_CONTEXT refuses that
 *			flag with EINVAL.) PFM_RESTART loads the long reset values
 *			and goes on in the older half. MAP, EXEC and FORK records that
 *			come between are lost, and samples of counters that
 *			overflow together with the one that filled the half.
 *
 * Nothing that stands in a half is overwritten before PFM_RESTART releases it. Where
 * something was lost, the next record is a LOST record: how many samples, and how many
 * MAP, EXEC and FORK records, and when the first and the last of them came. hdr_gap is
 * what was lost since the last record, the LOST record to come; its type is 0 if
 * nothing was. A MAP, EXEC or FORK record is also lost if it would not leave room for a
 * LOST record and the largest sample: so these records never fill a half.
 *
 * The kernel fills the halves in turn. Its fillings are numbered from 0, which is
 * in half 0: half_seq is the number of the last that was begun in a half. The kernel's
 * half can be read, too, while records are added to it; half_begin and half_end
 * are bytes from the beginning of the buffer. All that a reader looks at has 32 bits,
 * which no machine tears:
 *
 *	half = &hdr->hdr_half[seq % 2];
 *	if (__atomic_load_n(&half->half_seq, __ATOMIC_ACQUIRE) != seq)
 *		return;
 *	state = __atomic_load_n(&half->half_state, __ATOMIC_ACQUIRE);
 *	end = __atomic_load_n(&half->half_end, __ATOMIC_ACQUIRE);
 *	while (at < end)
 *		at += use((pfm_callchain_smpl_rec_t *)((char *)hdr + at));
 *	if (state == PFM_CALLDOUBLE_SMPL_USER && !perfmonctl(fd, PFM_RESTART, 0, 0))
 *		at = hdr->hdr_half[++seq % 2].half_begin;
 *
 * where use() returns the record's size; seq is 0 at first, and at hdr_half[0]'s
 * half_begin. Messages only say that it is worth while to look.
 *
 * While no record is being added,
 *
 *	hdr_samples = hdr_lost + SAMPLE records
 *	hdr_maps = hdr_lost_maps + MAP, EXEC and FORK records
 *	hdr_lost = samples of the LOST records + hdr_gap.samples
 *	hdr_lost_maps = maps of the LOST records + hdr_gap.maps
 *
 * These totals have 64 bits, which a 32-bit kernel writes in two halves: one that is
 * read meanwhile can be wrong by 2^32.
 */
#ifndef _UAPI_PERFMON_CALLDOUBLE_SMPL_H
#define _UAPI_PERFMON_CALLDOUBLE_SMPL_H

#include <linux/types.h>
#include <perfmon/callchain_smpl.h>

#define PFM_CALLDOUBLE_SMPL_UUID_TEXT "1563207c-d598-42f5-86d6-57d40460d664"
#define PFM_CALLDOUBLE_SMPL_UUID { \
	0x15, 0x63, 0x20, 0x7c, 0xd5, 0x98, 0x42, 0xf5, \
	0x86, 0xd6, 0x57, 0xd4, 0x04, 0x60, 0xd6, 0x64 }

#define PFM_CALLDOUBLE_SMPL_VERSION	0x00010002	/* 1.2 */

/* buf_flags: PFM_CALLCHAIN_SMPL_KERNEL, _USER and _MAPS, and */
#define PFM_CALLDOUBLE_SMPL_MASK_WHEN_FULL 0x100	/* when both are full */
#define PFM_CALLDOUBLE_SMPL_FORKS	0x200	/* FORK records, with _MAPS (1.2) */

#define PFM_CALLDOUBLE_SMPL_MAX_STACK	16384

/* Of all versions until now. */
#define PFM_CALLDOUBLE_SMPL_ARG_SIZE	24

/*
 * Follows pfarg_ctx_t. The buffer is as large as buf_size says, to a page, and less
 * than 2^31. Each half must have room for a LOST record and the largest sample, of all
 * implemented PMDs.
 */
typedef struct pfm_calldouble_smpl_arg {
	__u32 arg_size;			/* bytes of this structure */
	__u32 buf_flags;
	__aligned_u64 buf_size;		/* bytes */
	__u16 buf_max_depth;		/* addresses in each part, 0: 64 */
	__u16 buf_stack;		/* bytes of stack, a multiple of 8; 0: none (1.1) */
	__u16 buf_pad[2];		/* 0 */
} pfm_calldouble_smpl_arg_t;

/* What follows the addresses of a sample if buf_stack is not 0, and it says so by its size. */
typedef struct pfm_calldouble_smpl_user {
	__u16 machine;			/* EM_... of the registers */
	__u16 nr_regs;
	__u32 stack_size;		/* bytes, a multiple of 8 */
} pfm_calldouble_smpl_user_t;

/* pfm_calldouble_smpl_half_t.half_state */
#define PFM_CALLDOUBLE_SMPL_FREE	0	/* never begun, or released */
#define PFM_CALLDOUBLE_SMPL_KERNEL	1	/* the kernel writes it */
#define PFM_CALLDOUBLE_SMPL_USER	2	/* the program's until PFM_RESTART */

typedef struct pfm_calldouble_smpl_half {
	__u32 half_begin;		/* bytes to its first record */
	__u32 half_end;			/* bytes to the end of its last */
	__u32 half_seq;			/* which filling; -1 before the first */
	__u32 half_state;
} pfm_calldouble_smpl_half_t;

/* At the beginning of the buffer. A later minor version can have a longer one. */
typedef struct pfm_calldouble_smpl_hdr {
	__u32 hdr_version;		/* PFM_CALLDOUBLE_SMPL_VERSION */
	__u32 hdr_size;			/* bytes of this structure */
	__aligned_u64 hdr_buf_size;	/* bytes, as in the argument */
	__u32 hdr_flags;		/* as in the argument */
	__u32 hdr_half_size;		/* bytes of each half */
	__u32 hdr_max_sample;		/* bytes of the largest sample */
	__u16 hdr_max_depth;		/* as in the argument, or 64 */
	__u16 hdr_stack;		/* as in the argument (1.1) */
	__u32 hdr_cur;			/* the half written last: 0 or 1 */
	__u32 hdr_untold;		/* a half was handed over, no message yet */
	__aligned_u64 hdr_overflows;	/* times that a half got full of samples */
	__aligned_u64 hdr_samples;	/* that came, since the creation */
	__aligned_u64 hdr_lost;		/* ... and found no room */
	__aligned_u64 hdr_maps;		/* mappings and programs that came */
	__aligned_u64 hdr_lost_maps;	/* ... and found no room */
	pfm_callchain_smpl_lost_t hdr_gap; /* lost since the last record */
	pfm_calldouble_smpl_half_t hdr_half[2];
} pfm_calldouble_smpl_hdr_t;

#endif /* _UAPI_PERFMON_CALLDOUBLE_SMPL_H */
