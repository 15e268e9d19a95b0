/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: names of newer kernels, for a kernel that does not have them yet. For files of
 * ours alone: rooms of the core, an architecture's part, the module.
 *
 * The code uses the newer names. module/Kbuild looks into the headers of the kernel
 * that the module is built for, and defines PFM_HAS_... for each name that it finds:
 * a version would not tell, since stable series take over what newer kernels have.
 * The kernel that the graft is made for has none of them.
 */
#ifndef _KERNEL_PERFMON_COMPAT_H
#define _KERNEL_PERFMON_COMPAT_H

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sysctl.h>
#include <linux/syscore_ops.h>

/* struct fd has become a word. */
#ifndef PFM_HAS_fd_file
#define fd_file(f)	((f).file)
#endif
#ifndef PFM_HAS_fd_empty
#define fd_empty(f)	(!fd_file(f))
#endif

/* The owner of a file has become an object of its own, which need not be there. */
#ifndef PFM_HAS_file_f_owner
static inline struct fown_struct *file_f_owner(struct file *file)
{
	return &file->f_owner;
}
#endif

/* io_uring's workers are not the only threads of programs that stay in the kernel. */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	PF_IO_WORKER
#endif

/* vma->vm_flags can only be read. */
#ifndef PFM_HAS_vm_flags_set
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/* Tables have a size, and no empty last entry. */
#ifndef PFM_HAS_register_sysctl_sz
#define register_sysctl_sz(path, table, size)	register_sysctl(path, table)
#endif

/*
 * The callbacks of suspend and resume have got an argument, which is not used here: the
 * list of their parameters.
 */
#ifdef PFM_HAS_register_syscore
#define PFM_SYSCORE_ARGS	void *unused
#else
#define PFM_SYSCORE_ARGS	void
struct syscore {
	struct syscore_ops *ops;
};
#define register_syscore(core)		register_syscore_ops((core)->ops)
#define unregister_syscore(core)	unregister_syscore_ops((core)->ops)
#endif

/* A timer has its handler from the beginning (since 6.13, 908a1d775422). */
#ifndef PFM_HAS_hrtimer_setup
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*handler)(struct hrtimer *timer),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = handler;
}
#endif

#ifdef CONFIG_X86

#include <asm/apic.h>
#include <asm/ibt.h>
#include <asm/intel-family.h>
#include <asm/msr.h>
#include <asm/smp.h>

/* The number of a model in Intel's family 6: the names stand for the vendor, too. */
#ifdef PFM_HAS_INTEL_SANDYBRIDGE
#include <asm/cpu_device_id.h>
#define PFM_INTEL_MODEL(name)	VFM_MODEL(INTEL_##name)
#else
#define PFM_INTEL_MODEL(name)	INTEL_FAM6_##name
#endif

/* A static call that is not exported; the structure that it is made of is. */
#ifdef PFM_HAS_apic_call_write
#define apic_write(reg, value)	(apic->write(reg, value))
#endif

/* The accesses of 64 bits end in q, for quad words (since 6.16, 6fe22abacd40, 6fa17efe4544). */
#ifndef PFM_HAS_rdmsrq_safe
#define rdmsrq_safe	rdmsrl_safe
#define wrmsrq_safe	wrmsrl_safe
#endif

/* The write that is not traced takes the value as one word (since 6.16, 0c2678efed6c). */
#ifndef PFM_HAS___wrmsrq
static inline void __wrmsrq(u32 msr, u64 value)
{
	__wrmsr(msr, (u32)value, value >> 32);
}
#endif

/*
 * is_endbr() takes the instruction's address and is not exported; __is_endbr() is what it was
 * (since 6.15, 72e213a7ccf9).
 */
#if defined(PFM_HAS___is_endbr) && defined(CONFIG_X86_KERNEL_IBT)
#define PFM_IS_ENDBR(code)	__is_endbr(*(code))
#elif defined(PFM_HAS___is_endbr)
#define PFM_IS_ENDBR(code)	((void)(code), false)
#else
#define PFM_IS_ENDBR(code)	is_endbr(*(code))
#endif

#ifndef PFM_HAS___max_threads_per_core
#define __max_threads_per_core	smp_num_siblings
#endif

#ifdef PFM_HAS_cpuinfo_topology
#define PFM_INITIAL_APICID(info)	((info).topo.initial_apicid)
#else
#define PFM_INITIAL_APICID(info)	((info).initial_apicid)
#endif

/*
 * The tracepoint of an exit says whether the thread is the process' last one, and comes while
 * that has its memory yet (since 6.16, 3e816361e94a).
 */
#ifdef PFM_HAS_group_dead
#define PFM_EXIT_ARGS		, bool group_dead
#else
#define PFM_EXIT_ARGS
#endif

#endif /* CONFIG_X86 */
#endif /* _KERNEL_PERFMON_COMPAT_H */
