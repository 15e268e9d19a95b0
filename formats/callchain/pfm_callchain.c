// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the call chain sampling format.
 *
 * Records one after the other until the largest sample would not fit any more,
 * as the default format has them; the user interface,
 * include/uapi/perfmon/callchain_smpl.h, says what they are. It is in the
 * kernel because by the time that a program looks the stack has changed.
 *
 * The stack walks are the kernel's own. The walk of a kernel stack reads nothing
 * but stacks, tables, and text under RCU, and is what perf uses in an NMI. The walk
 * of a user stack is safe with interrupts off, since page faults fail; but
 * pfm_callchain_user() has to check that the memory is the thread's own. Neither
 * is exported to modules.
 *
 * A program can only read the buffer: what stands in it can be trusted. It
 * reads at any time, so the order of the stores matters.
 */
#include <linux/align.h>
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>
#include <asm/stacktrace.h>
#include <asm/tlb.h>

#include <perfmon/callchain_smpl.h>
#include <perfmon/format.h>

#define PFM_CALLCHAIN_FLAGS	(PFM_CALLCHAIN_SMPL_KERNEL | \
				 PFM_CALLCHAIN_SMPL_USER | \
				 PFM_CALLCHAIN_SMPL_MAPS)

static_assert(sizeof(pfm_callchain_smpl_arg_t) == 16);
static_assert(sizeof(pfm_callchain_smpl_hdr_t) == 72);
static_assert(sizeof(pfm_callchain_smpl_sample_t) == 48);
static_assert(sizeof(pfm_callchain_smpl_map_t) == 64);
static_assert(sizeof(pfm_callchain_smpl_exec_t) == 40);
/* The size of a record has 16 bits. */
static_assert(sizeof(pfm_callchain_smpl_sample_t) + sizeof(u64) *
	      (PFM_MAX_PMDS + 2 * PFM_CALLCHAIN_SMPL_MAX_DEPTH) <= U16_MAX);
static_assert(sizeof(pfm_callchain_smpl_map_t) + PATH_MAX <= U16_MAX);
static_assert(TASK_COMM_LEN <= sizeof_field(pfm_callchain_smpl_exec_t, comm));
static_assert(PFM_CALLCHAIN_MAP_READ == PFM_MAP_READ);
static_assert(PFM_CALLCHAIN_MAP_WRITE == PFM_MAP_WRITE);
static_assert(PFM_CALLCHAIN_MAP_EXEC == PFM_MAP_EXEC);
static_assert(PFM_CALLCHAIN_MAP_SHARED == PFM_MAP_SHARED);

/* The same for all contexts: it does not change while one exists. [w] */
static u16 pfm_callchain_num_pmds;

static u16 pfm_callchain_depth(const pfm_callchain_smpl_arg_t *a)
{
	return a->buf_max_depth ?: PFM_CALLCHAIN_SMPL_DEF_DEPTH;
}

static u32 pfm_callchain_max_sample(const pfm_callchain_smpl_arg_t *a)
{
	u32 parts = !!(a->buf_flags & PFM_CALLCHAIN_SMPL_KERNEL) +
		    !!(a->buf_flags & PFM_CALLCHAIN_SMPL_USER);

	return sizeof(pfm_callchain_smpl_sample_t) + sizeof(u64) *
	       (READ_ONCE(pfm_callchain_num_pmds) +
		parts * pfm_callchain_depth(a));
}

static int pfm_callchain_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	const pfm_callchain_smpl_arg_t *a = arg;

	WRITE_ONCE(pfm_callchain_num_pmds, num_pmds);
	if (a->buf_pad || (a->buf_flags & ~PFM_CALLCHAIN_FLAGS) ||
	    a->buf_max_depth > PFM_CALLCHAIN_SMPL_MAX_DEPTH)
		return -EINVAL;
	if (a->buf_size < sizeof(pfm_callchain_smpl_hdr_t) +
			  pfm_callchain_max_sample(a) ||
	    a->buf_size > LONG_MAX)
		return -EINVAL;
	return 0;
}

static int pfm_callchain_getsize(u32 ctx_flags, void *arg, size_t *size)
{
	const pfm_callchain_smpl_arg_t *a = arg;

	*size = a->buf_size;
	return 0;
}

static int pfm_callchain_init(u32 ctx_flags, void *arg, void *buf)
{
	const pfm_callchain_smpl_arg_t *a = arg;

	*(pfm_callchain_smpl_hdr_t *)buf = (pfm_callchain_smpl_hdr_t) {
		.hdr_cur_offs = sizeof(pfm_callchain_smpl_hdr_t),
		.hdr_buf_size = a->buf_size,
		.hdr_version = PFM_CALLCHAIN_SMPL_VERSION,
		.hdr_flags = a->buf_flags,
		.hdr_max_sample = pfm_callchain_max_sample(a),
		.hdr_max_depth = pfm_callchain_depth(a),
	};
	return 0;
}

static bool pfm_callchain_fits(const pfm_callchain_smpl_hdr_t *h, u32 size)
{
	return h->hdr_buf_size - h->hdr_cur_offs >= size;
}

/* The record at the end is complete. */
static void pfm_callchain_add(pfm_callchain_smpl_hdr_t *h, u32 size)
{
	WRITE_ONCE(h->hdr_cur_offs, h->hdr_cur_offs + size);
	/* A reader that sees hdr_count raised also sees the whole record. */
	smp_wmb();
	WRITE_ONCE(h->hdr_count, h->hdr_count + 1);
}

/*
 * What the regs are, kernel level's or user level's, is the core's decision:
 * those who may not see the kernel get user level's.
 */
static unsigned int pfm_callchain_kernel(const struct pfm_ovfl_data *data,
					 unsigned long *ips, unsigned int max)
{
	if (!data->regs || user_mode(data->regs))
		return 0;
	return stack_trace_save_regs(data->regs, ips, max, 0);
}

#if defined(CONFIG_IA32_EMULATION) || defined(CONFIG_X86_32)
/*
 * The user level's registers. A 32-bit kernel leaves those of an NMI where the NMI
 * came in, and finds in task_pt_regs() what an earlier entry has left.
 */
static const struct pt_regs *
pfm_callchain_user_regs(const struct pfm_ovfl_data *data)
{
	if (data->regs && user_mode(data->regs))
		return data->regs;
	return task_pt_regs(current);
}

/*
 * As arch_stack_walk_user(), which takes all frames for those of the kernel's word
 * size, and begins at task_pt_regs().
 */
static unsigned int pfm_callchain_user32(const struct pt_regs *regs,
					 unsigned long *ips, unsigned int max)
{
	struct stack_frame_ia32 frame;
	unsigned long fp = regs->bp;
	unsigned int n = 0;

	for (ips[n++] = regs->ip; n < max; ips[n++] = frame.return_address) {
		if (fp < regs->sp ||
		    copy_from_user_nofault(&frame, (void __user *)fp,
					   sizeof(frame)) ||
		    !frame.return_address || frame.return_address == U32_MAX)
			break;
		fp = frame.next_frame;
	}
	return n;
}
#endif

/*
 * A thread without an address space (an exiting one, a kernel thread) runs in that
 * of another thread and must not show its stack. While an exec or a switch of
 * threads changes the address space, an NMI finds the same in any thread.
 */
static unsigned int pfm_callchain_user(const struct pfm_ovfl_data *data,
				       unsigned long *ips, unsigned int max)
{
	if (!current->mm || (current->flags & PF_KTHREAD) ||
	    !nmi_uaccess_okay())
		return 0;
#if defined(CONFIG_IA32_EMULATION) || defined(CONFIG_X86_32)
	if (!user_64bit_mode(task_pt_regs(current)))
		return pfm_callchain_user32(pfm_callchain_user_regs(data), ips, max);
#endif
	return stack_trace_save_user(ips, max);
}

/*
 * @ips holds @n longs, and has room for as many u64. A mark of the end, which
 * some walks leave, does not count. Returns how many there are.
 */
static unsigned int pfm_callchain_widen(u64 *ips, unsigned int n)
{
	const unsigned long *walked = (unsigned long *)ips;
	unsigned int len = 0, i;

	while (len < n && walked[len] != ULONG_MAX)
		len++;
	if (sizeof(*walked) < sizeof(*ips))
		for (i = len; i--; )
			ips[i] = walked[i];
	return len;
}

static void pfm_callchain_walk(const pfm_callchain_smpl_hdr_t *h,
			       const struct pfm_ovfl_data *data, u64 *pos,
			       unsigned int *nr_kernel, unsigned int *nr_user)
{
	unsigned int n;

	if (data->task != current)
		return;
	if (h->hdr_flags & PFM_CALLCHAIN_SMPL_KERNEL) {
		n = pfm_callchain_kernel(data, (void *)pos, h->hdr_max_depth);
		*nr_kernel = pfm_callchain_widen(pos, n);
		pos += *nr_kernel;
	}
	if (h->hdr_flags & PFM_CALLCHAIN_SMPL_USER) {
		n = pfm_callchain_user(data, (void *)pos, h->hdr_max_depth);
		*nr_user = pfm_callchain_widen(pos, n);
	}
}

/*
 * There is room for the largest sample. Counters that overflow at once have one
 * chain: it is walked once, and copied from sample to sample.
 */
static void pfm_callchain_write(pfm_callchain_smpl_hdr_t *h,
				const pfm_ovfl_arg_t *arg, u64 tstamp,
				struct pfm_ovfl_data *data)
{
	pfm_callchain_smpl_sample_t *s = (void *)h + h->hdr_cur_offs;
	const pfm_callchain_smpl_sample_t *same = data->event;
	unsigned int nr_kernel = 0, nr_user = 0, i;
	u64 *pos = (u64 *)(s + 1);

	for (i = 0; i < arg->num_smpl_pmds; i++)
		*pos++ = arg->smpl_pmds_values[i];
	if (same) {
		nr_kernel = same->nr_kernel;
		nr_user = same->nr_user;
		memcpy(pos, (const u64 *)(same + 1) + same->nr_values,
		       (nr_kernel + nr_user) * sizeof(*pos));
	} else {
		pfm_callchain_walk(h, data, pos, &nr_kernel, &nr_user);
		data->event = s;
	}
	pos += nr_kernel + nr_user;
	*s = (pfm_callchain_smpl_sample_t) {
		.type = PFM_CALLCHAIN_SMPL_SAMPLE,
		.size = (void *)pos - (void *)s,
		.pid = data->pid,
		.tid = data->tid,
		.ovfl_pmd = arg->ovfl_pmd,
		.set = arg->active_set,
		.cpu = data->cpu,
		.nr_values = arg->num_smpl_pmds,
		.nr_kernel = nr_kernel,
		.nr_user = nr_user,
		.last_reset_val = arg->pmd_last_reset,
		.tstamp = tstamp,
		.ip = data->ip,
	};
	pfm_callchain_add(h, s->size);
}

static int pfm_callchain_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				 void *data)
{
	pfm_callchain_smpl_hdr_t *h = buf;

	if (likely(pfm_callchain_fits(h, h->hdr_max_sample))) {
		pfm_callchain_write(h, arg, tstamp, data);
		if (likely(pfm_callchain_fits(h, h->hdr_max_sample))) {
			arg->ovfl_ctrl.reset_ovfl_pmds = 1;
			return 0;
		}
		WRITE_ONCE(h->hdr_overflows, h->hdr_overflows + 1);
	} else {
		/*
		 * This counter overflowed together with the one that filled the
		 * buffer; or the context was loaded anew with a full buffer.
		 */
		WRITE_ONCE(h->hdr_lost, h->hdr_lost + 1);
	}
	arg->ovfl_ctrl.notify_user = 1;
	/* A thread that blocks without a message would not be released. */
	arg->ovfl_ctrl.block_thread = arg->event_notify;
	arg->ovfl_ctrl.mask_monitoring = 1;
	return 0;
}

static u32 pfm_callchain_map_size(const struct pfm_map_info *info)
{
	if (info->exec)
		return sizeof(pfm_callchain_smpl_exec_t);
	return sizeof(pfm_callchain_smpl_map_t) +
	       ALIGN(info->name_len + 1, sizeof(u64));
}

static void pfm_callchain_write_map(pfm_callchain_smpl_map_t *m, u32 size,
				    const struct pfm_map_info *info)
{
	*m = (pfm_callchain_smpl_map_t) {
		.type = PFM_CALLCHAIN_SMPL_MAP,
		.size = size,
		.pid = info->pid,
		.tid = info->tid,
		.flags = info->flags,
		.major = info->major,
		.minor = info->minor,
		.ino = info->ino,
		.tstamp = info->tstamp,
		.addr = info->addr,
		.len = info->len,
		.pgoff = info->pgoff,
	};
	/* The NUL and what follows it, then the path. */
	*(u64 *)((void *)m + size - sizeof(u64)) = 0;
	memcpy(m + 1, info->name, info->name_len);
}

static void pfm_callchain_write_exec(pfm_callchain_smpl_exec_t *e, u32 size,
				     const struct pfm_map_info *info)
{
	*e = (pfm_callchain_smpl_exec_t) {
		.type = PFM_CALLCHAIN_SMPL_EXEC,
		.size = size,
		.pid = info->pid,
		.tid = info->tid,
		.tstamp = info->tstamp,
	};
	memcpy(e->comm, info->name, min(info->name_len, sizeof(e->comm) - 1));
}

/* Samples fill the buffer, not these: hence the room for the largest one. */
static void pfm_callchain_map(void *buf, const struct pfm_map_info *info)
{
	pfm_callchain_smpl_hdr_t *h = buf;
	void *pos = buf + h->hdr_cur_offs;
	u32 size;

	if (!(h->hdr_flags & PFM_CALLCHAIN_SMPL_MAPS))
		return;
	size = pfm_callchain_map_size(info);
	if (!pfm_callchain_fits(h, size + h->hdr_max_sample)) {
		WRITE_ONCE(h->hdr_lost_maps, h->hdr_lost_maps + 1);
		return;
	}
	if (info->exec)
		pfm_callchain_write_exec(pos, size, info);
	else
		pfm_callchain_write_map(pos, size, info);
	pfm_callchain_add(h, size);
}

static int pfm_callchain_restart(void *buf, int is_active,
				 pfm_ovfl_ctrl_t *ctrl)
{
	pfm_callchain_smpl_hdr_t *h = buf;

	WRITE_ONCE(h->hdr_cleared, h->hdr_cleared + h->hdr_count);
	WRITE_ONCE(h->hdr_count, 0);
	WRITE_ONCE(h->hdr_cur_offs, sizeof(*h));
	ctrl->reset_ovfl_pmds = !is_active;
	return 0;
}

static const pfm_buffer_fmt_t pfm_callchain_fmt = {
	.fmt_name = "callchain",
	.fmt_uuid = PFM_CALLCHAIN_SMPL_UUID,
	.fmt_arg_size = sizeof(pfm_callchain_smpl_arg_t),
	.fmt_msgq_depth = 1,
	.fmt_version = PFM_CALLCHAIN_SMPL_VERSION,
	.fmt_validate = pfm_callchain_validate,
	.fmt_getsize = pfm_callchain_getsize,
	.fmt_init = pfm_callchain_init,
	.fmt_handler = pfm_callchain_handler,
	.fmt_restart = pfm_callchain_restart,
	.fmt_map = pfm_callchain_map,
};

static int __init pfm_callchain_register(void)
{
	return pfm_register_buffer_fmt(&pfm_callchain_fmt);
}
device_initcall(pfm_callchain_register);
