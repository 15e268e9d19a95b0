// SPDX-License-Identifier: GPL-2.0-only
/*
 * world - what paths.py puts around the kernel that it executes
 *
 * One CPU, two threads, no interrupts. perfmon is set up by the kernel's own code, by
 * calls as a program makes them, so that nothing in here knows how a context is laid out.
 * What would need a kernel that has booted is replaced: a function stand_in_NAME takes the
 * place of the kernel's NAME. None of these is in a path that is counted.
 *
 * Compiled as a part of the kernel is, with its headers; never linked, never booted.
 */
#include <linux/clocksource.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jump_label.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include <asm/alternative.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/syscall.h>

#include <perfmon/hooks.h>
#include <perfmon/perfmon.h>

#include "host.h"
#include "pfm.h"
#include "timer.h"
#include "x86.h"

/* What paths.py calls. */
#define WORLD	noinline __used

/* Where a program has its memory: paths.py maps it. */
#define USER	((void *)0x10000000UL)

/*
 * What stands in for the kernel.
 */

static char *heap;		/* all of it 0, and never used again */

static void *take(size_t size)
{
	size_t *p = (size_t *)ALIGN((unsigned long)heap, 64);

	/* In front of it, for kmem_cache_size(). */
	p[7] = size;
	heap = (char *)(p + 8) + size;
	return p + 8;
}

WORLD void *stand_in___kmalloc(size_t size, gfp_t flags) { return take(size); }
WORLD void *stand_in_kmalloc_trace(struct kmem_cache *s, gfp_t flags, size_t size) { return take(size); }
WORLD void *stand_in_kmalloc_large(size_t size, gfp_t flags) { return take(size); }
WORLD void *stand_in_kvmalloc_node(size_t size, gfp_t flags, int node) { return take(size); }
WORLD size_t stand_in_kmalloc_size_roundup(size_t size) { return size; }
WORLD void stand_in_kfree(const void *p) { }

/* A cache is as large as what it makes. */
WORLD struct kmem_cache *stand_in_kmem_cache_create(const char *name, unsigned int size,
						     unsigned int align, slab_flags_t flags,
						     void (*ctor)(void *))
{
	return take(size);
}

WORLD unsigned int stand_in_kmem_cache_size(struct kmem_cache *s)
{
	return ((size_t *)s)[-1];
}

WORLD void *stand_in_kmem_cache_alloc(struct kmem_cache *s, gfp_t flags)
{
	return take(stand_in_kmem_cache_size(s));
}

/* Of the array of sets. */
WORLD void *stand_in_kmem_cache_alloc_lru(struct kmem_cache *s, struct list_lru *lru, gfp_t flags)
{
	return take(sizeof(struct xa_node));
}

WORLD struct file *stand_in_anon_inode_getfile(const char *name, const struct file_operations *fops,
					       void *priv, int flags)
{
	struct file *file = take(sizeof(*file));

	file->f_op = fops;
	file->private_data = priv;
	file->f_mode = FMODE_READ | FMODE_WRITE;
	atomic_long_set(&file->f_count, 1);
	return file;
}

/* The only threads are the one that runs and its twin. */
WORLD struct task_struct *stand_in_find_task_by_vpid(pid_t pid) { return current; }

/* paths.py patches the text of each static key when all of them are as they should be. */
WORLD void stand_in_static_key_slow_inc(struct static_key *key)
{
	atomic_inc(&key->enabled);
}

/* The time is the TSC's from the beginning. */
extern struct clocksource clocksource_tsc;

WORLD struct clocksource *stand_in_clocksource_default_clock(void) { return &clocksource_tsc; }

WORLD void stand_in_read_persistent_wall_and_boot_offset(struct timespec64 *wall,
							  struct timespec64 *offset)
{
	*wall = *offset = (struct timespec64){ 0 };
}

/* No other CPU executes anything. */
WORLD void stand_in_text_poke_early(void *to, const void *from, size_t n)
{
	char *d = to;
	const char *s = from;

	while (n--)
		*d++ = *s++;
}

/*
 * The machine, as bench-cost has it: a Skylake whose kernel has the mitigations off.
 */

/* That change what is executed in our paths: others only change which no-op it is. */
static const u16 features[] = {
	X86_FEATURE_ALWAYS, X86_FEATURE_FPU, X86_FEATURE_TSC, X86_FEATURE_MSR, X86_FEATURE_APIC,
	X86_FEATURE_CX8, X86_FEATURE_CX16, X86_FEATURE_CMOV, X86_FEATURE_POPCNT,
	X86_FEATURE_REP_GOOD, X86_FEATURE_ERMS, X86_FEATURE_NOPL, X86_FEATURE_CONSTANT_TSC,
	X86_FEATURE_NONSTOP_TSC, X86_FEATURE_LFENCE_RDTSC, X86_FEATURE_FSGSBASE,
	X86_FEATURE_ARCH_PERFMON,
};

static struct task_struct *threads[2];

/* Variables and functions that no header has: paths.py knows them by name. */
extern struct static_key_false __use_tsc, __sched_clock_stable, sched_clock_running;
extern void __set_cyc2ns_scale(unsigned long khz, int cpu, unsigned long long tsc);
extern struct alt_instr __alt_instructions[], __alt_instructions_end[];
extern struct files_struct init_files;
extern const struct pfm_pmu pfm_soft_pmu;
extern long __x64_sys_perfmonctl(const struct pt_regs *regs);

static void set_up_tasks(void)
{
	char *to;
	int i;

	for (i = 0; i < 2; i++) {
		to = take(sizeof(init_task) + 64);
		threads[i] = PTR_ALIGN((void *)to, 64);
		stand_in_text_poke_early(threads[i], &init_task, sizeof(init_task));
		threads[i]->flags &= ~PF_KTHREAD;
		refcount_set(&threads[i]->usage, 100);
		raw_spin_lock_init(&threads[i]->pi_lock);
	}
}

static void run(struct task_struct *t)
{
	this_cpu_write(current_task, t);
	cpu_rq(0)->curr = t;
}

/* @own, @own_end: the alternatives in this file. */
WORLD long world_boot(char *memory, struct alt_instr *own, struct alt_instr *own_end)
{
	const struct pfm_x86_cpu cpu = {
		.vendor = X86_VENDOR_INTEL, .family = 6, .model = 0x5e, .stepping = 3,
		/* Version 4, four counters of 48 bits; three fixed ones of 48. */
		.leaf_a = { 0x07300404, 0, 0, 0x603 },
		.perf_cap = PFM_X86_FULL_WRITE | 4,
		.mmx = true, .tsc = true, .hypervisor = true, .extra = 0xf, .lbr = true,
		.threads = 1,
	};
	const struct pfm_pmu *pmu;
	unsigned int i;
	long ret;

	heap = memory;
	boot_cpu_data.x86_vendor = cpu.vendor;
	boot_cpu_data.x86 = cpu.family;
	boot_cpu_data.x86_model = cpu.model;
	boot_cpu_data.x86_cache_alignment = 64;
	for (i = 0; i < ARRAY_SIZE(features); i++)
		set_cpu_cap(&boot_cpu_data, features[i]);
	apply_alternatives(__alt_instructions, __alt_instructions_end);
	apply_alternatives(own, own_end);

	static_key_initialized = true;
	nr_cpu_ids = 1;
	set_cpu_possible(0, true);
	set_cpu_present(0, true);
	set_cpu_online(0, true);
	set_cpu_active(0, true);
	__set_cyc2ns_scale(1000000, 0, 0);
	atomic_inc(&__use_tsc.key.enabled);
	atomic_inc(&__sched_clock_stable.key.enabled);
	atomic_inc(&sched_clock_running.key.enabled);

	totalram_pages_add(1UL << (30 - PAGE_SHIFT));
	set_up_tasks();
	run(threads[0]);
	__clocksource_update_freq_scale(&clocksource_tsc, 1000, 1000000);
	timekeeping_init();
	hrtimers_prepare_cpu(0);
	hrtimers_cpu_starting(0);
	pfm_timer_init_cpu(0);
	pfm_interrupt_init_cpu(0);
	pfm_config_init();
	ret = pfm_pmu_register(&pfm_soft_pmu);
	if (ret)
		return ret;
	pmu = pfm_intel_describe(&cpu);
	return pmu ? pfm_pmu_register(pmu) : -ENODEV;
}

/*
 * What a program does. The arguments are where it has its memory.
 */

static struct pt_regs regs;

static void prepare(int fd, int op, const void *arg, int narg)
{
	regs.di = fd;
	regs.si = op;
	regs.dx = (unsigned long)arg;
	regs.r10 = narg;
}

static long call(int fd, int op, const void *arg, size_t size, int narg)
{
	stand_in_text_poke_early(USER, arg, size * narg);
	prepare(fd, op, narg ? USER : NULL, narg);
	return __x64_sys_perfmonctl(&regs);
}

static const u64 codes[] = { 0x4300c0, 0x43003c, 0x4300c4, 0x4300c5 };

static long write_controls(int fd, unsigned int n, u16 set, unsigned int first)
{
	pfarg_pmc_t pmc = { .reg_set = set };
	unsigned int i;
	long ret;

	for (i = 0; i < n; i++) {
		pmc.reg_num = i;
		pmc.reg_value = codes[(i + first) % ARRAY_SIZE(codes)];
		ret = call(fd, PFM_WRITE_PMCS, &pmc, sizeof(pmc), 1);
		if (ret)
			return ret;
	}
	return 0;
}

/* A context with @n counters, attached to the thread that runs or to the CPU, started. */
WORLD long world_context(unsigned int n, u32 flags, unsigned int sets)
{
	pfarg_ctx_t ctx = { .ctx_flags = flags };
	pfarg_load_t load = { 0 };
	pfarg_setdesc_t set = { .set_id = 1 };
	long ret;
	int fd;

	ret = call(-1, PFM_CREATE_CONTEXT, &ctx, sizeof(ctx), 1);
	if (ret)
		return ret;
	fd = ((pfarg_ctx_t *)USER)->ctx_fd;
	if (sets == 2)
		ret = call(fd, PFM_CREATE_EVTSETS, &set, sizeof(set), 1);
	ret = ret ?: write_controls(fd, n, 0, 0);
	if (sets == 2)
		ret = ret ?: write_controls(fd, n, 1, 1);
	ret = ret ?: call(fd, PFM_LOAD_CONTEXT, &load, sizeof(load), 1);
	ret = ret ?: call(fd, PFM_START, NULL, 0, 0);
	return ret ?: fd;
}

/* The next overflow of the first counter is one event away, and notifies. */
WORLD long world_period(int fd)
{
	pfarg_pmc_t pmc = {
		.reg_num = 0, .reg_value = codes[0], .reg_flags = PFM_REGFL_OVFL_NOTIFY,
	};
	pfarg_pmd_t pmd = {
		.reg_num = 0, .reg_value = -1000, .reg_long_reset = -1000,
		.reg_short_reset = -1000,
	};

	return call(fd, PFM_WRITE_PMCS, &pmc, sizeof(pmc), 1) ?:
	       call(fd, PFM_WRITE_PMDS, &pmd, sizeof(pmd), 1);
}

WORLD struct task_struct *world_thread(int i)
{
	return threads[i];
}

/* What the scheduler does at a switch, around our hooks: it looks at the clock, and switches. */
WORLD void world_clock(void)
{
	cpu_rq(0)->clock = local_clock();
}

WORLD void world_other(int i)
{
	run(threads[i]);
}

/* The arguments of a call that paths.py makes, of which it counts the kernel's part. */
WORLD const struct pt_regs *world_call(int fd, int op, unsigned int n, unsigned int first)
{
	pfarg_pmd_t *pmd = USER;
	unsigned int i;

	for (i = 0; op == PFM_READ_PMDS && i < n; i++)
		pmd[i] = (pfarg_pmd_t){ .reg_num = first + i };
	if (op == PFM_START && n)
		*(pfarg_start_t *)USER = (pfarg_start_t){ .start_set = first };
	prepare(fd, op, n ? USER : NULL, n);
	return &regs;
}

/*
 * The paths that the kernel has inlined: the same code, and a return that paths.py
 * does not count.
 */

WORLD void hook_out(struct task_struct *prev, struct task_struct *next)
{
	perfmon_sched_out(prev, next);
}

WORLD void hook_in(void)
{
	perfmon_sched_in();
}

WORLD void hook_fault(void)
{
	perfmon_sched_fault(false);
}

/*
 * What paths.py tests itself by: functions whose length is known, without their return.
 */

DEFINE_STATIC_KEY_FALSE(known_key);

/* One no-op; or, with the key, a jump and a write */
WORLD void known_branch(void)
{
	if (static_branch_unlikely(&known_key))
		WRITE_ONCE(*(int *)USER, 1);
}

/*
 * known_length has 1 + 2 * 10 + 5 instructions. known_alternative has one of a processor
 * with the feature, and two otherwise; and then a no-op, which was five of a byte.
 */
asm(".pushsection .text\n"
    ".type known_length, @function\n"
    "known_length:\n\t"
    "mov $10,%ecx\n"
    "1: dec %ecx\n\t"
    "jnz 1b\n\t"
    "mov $0x10000000,%edi\n\t"
    "mov $100,%ecx\n\t"
    "rep stosb\n\t"
    "rdtsc\n\t"
    "nop\n\t"
    "ret\n"
    ".size known_length, . - known_length\n"
    ".type known_alternative, @function\n"
    "known_alternative:\n\t"
    ALTERNATIVE("xor %eax,%eax; inc %eax", "mov $1,%eax", X86_FEATURE_ERMS) "\n\t"
    ALTERNATIVE("", "xor %eax,%eax; xor %eax,%eax; nop", X86_FEATURE_SMAP) "\n\t"
    "ret\n"
    ".size known_alternative, . - known_alternative\n"
    ".popsection");
