// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on x86: the facts about the CPUs of this machine, and what they have in
 * common.
 *
 * There is one description for all CPUs. Those of a hybrid processor differ, and those
 * of a virtual machine may: what is described is what CPUID leaf 0xa of each of them
 * has. A CPU that comes later and has less is kept from coming: threads would be
 * scheduled to it whose counters it does not have.
 */
#include <linux/cpuhotplug.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/smp.h>

#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "compat.h"
#include "host.h"
#include "x86.h"

/* Parts of leaf 0xa. */
#define LEAF_A_VERSION		GENMASK(7, 0)
#define LEAF_A_COUNTERS		GENMASK(15, 8)
#define LEAF_A_WIDTH		GENMASK(23, 16)
#define LEAF_A_FIXED		GENMASK(4, 0)
#define LEAF_A_FIXED_WIDTH	GENMASK(12, 5)
#define LEAF_A_MASK_VERSION	5	/* from which on ecx is a mask */

/*
 * The facts of the registered description. There is one for all CPUs, and so one of
 * these: the hotplug callback, its only reader, is told no more than a CPU's number. [c]
 */
static struct pfm_x86_cpu pfm_x86_all;

static int pfm_x86_cpuhp;		/* [c] the state of that callback */

/**
 * pfm_x86_is_nehalem() - whether a processor is a Nehalem or a Westmere
 * @cpu: facts
 *
 * Context: any.
 * Return: whether it is one of these.
 */
bool pfm_x86_is_nehalem(const struct pfm_x86_cpu *cpu)
{
	if (cpu->vendor != X86_VENDOR_INTEL || cpu->family != 6)
		return false;
	switch (cpu->model) {
	case PFM_INTEL_MODEL(NEHALEM):
	case PFM_INTEL_MODEL(NEHALEM_EP):
	case PFM_INTEL_MODEL(NEHALEM_EX):
	case PFM_INTEL_MODEL(WESTMERE):
	case PFM_INTEL_MODEL(WESTMERE_EP):
	case PFM_INTEL_MODEL(WESTMERE_EX):
		return true;
	}
	return false;
}

static u32 pfm_x86_min_field(u32 a, u32 b, u32 field)
{
	return min(a & field, b & field);
}

/* As a mask, whatever the version. */
static u32 pfm_x86_fixed(const struct pfm_x86_cpu *cpu)
{
	u32 mask = BIT(cpu->leaf_a[3] & LEAF_A_FIXED) - 1;

	if ((cpu->leaf_a[0] & LEAF_A_VERSION) >= LEAF_A_MASK_VERSION)
		mask |= cpu->leaf_a[2];
	return mask;
}

/**
 * pfm_x86_common() - what two CPUs have in common
 * @all: facts, of which those that @one does not share are taken away. If nothing
 *       is left its leaf 0xa is 0
 * @one: facts about another CPU of the machine
 *
 * Context: any.
 */
void pfm_x86_common(struct pfm_x86_cpu *all, const struct pfm_x86_cpu *one)
{
	const u32 *b = one->leaf_a;
	u32 *a = all->leaf_a;
	u32 fixed = pfm_x86_fixed(all) & pfm_x86_fixed(one), n;

	all->perf_cap &= one->perf_cap;
	if ((a[0] ^ b[0]) & LEAF_A_WIDTH) {
		memset(all->leaf_a, 0, sizeof(all->leaf_a));
		return;
	}
	n = pfm_x86_min_field(a[3], b[3], LEAF_A_FIXED);
	if ((a[3] ^ b[3]) & LEAF_A_FIXED_WIDTH)
		n = fixed = 0;
	a[0] = (a[0] & ~(LEAF_A_VERSION | LEAF_A_COUNTERS)) |
	       pfm_x86_min_field(a[0], b[0], LEAF_A_VERSION) |
	       pfm_x86_min_field(a[0], b[0], LEAF_A_COUNTERS);
	a[1] |= b[1];
	a[2] = fixed;
	a[3] = (a[3] & ~LEAF_A_FIXED) | n;
}

/**
 * pfm_x86_lacks() - whether a CPU has less than what is described
 * @all: facts that were described
 * @one: facts about the CPU
 *
 * Context: any.
 * Return: whether a counter, or a way to use it, is missing there.
 */
bool pfm_x86_lacks(const struct pfm_x86_cpu *all, const struct pfm_x86_cpu *one)
{
	struct pfm_x86_cpu both = *all;

	pfm_x86_common(&both, one);
	return both.leaf_a[0] != all->leaf_a[0] || both.perf_cap != all->perf_cap ||
	       pfm_x86_fixed(&both) != pfm_x86_fixed(all);
}

/* This CPU's. */
static void pfm_x86_look(void *facts)
{
	struct pfm_x86_cpu *cpu = facts;

	/* "clearcpuid=arch_perfmon" clears it, and so does a leaf without counters. */
	if (boot_cpu_has(X86_FEATURE_ARCH_PERFMON))
		cpuid(0xa, &cpu->leaf_a[0], &cpu->leaf_a[1], &cpu->leaf_a[2],
		      &cpu->leaf_a[3]);
	if (boot_cpu_has(X86_FEATURE_PDCM))
		rdmsrq_safe(MSR_IA32_PERF_CAPABILITIES, &cpu->perf_cap);
	/* The rest is of what has no description, and differs between kinds of cores. */
	cpu->perf_cap &= PFM_X86_FULL_WRITE;
}

/**
 * pfm_x86_facts() - the facts that are true of all CPUs that are online
 * @cpu: filled in
 *
 * Context: process, boot.
 */
void __init pfm_x86_facts(struct pfm_x86_cpu *cpu)
{
	const struct cpuinfo_x86 *c = &boot_cpu_data;
	struct pfm_x86_cpu one = {};
	int n;

	*cpu = (struct pfm_x86_cpu){
		.vendor = c->x86_vendor,
		.family = c->x86,
		.model = c->x86_model,
		.stepping = c->x86_stepping,
		.amd_core = boot_cpu_has(X86_FEATURE_PERFCTR_CORE),
		.mmx = boot_cpu_has(X86_FEATURE_MMX),
		.tsc = boot_cpu_has(X86_FEATURE_TSC),
		.hypervisor = boot_cpu_has(X86_FEATURE_HYPERVISOR),
		.hybrid = boot_cpu_has(X86_FEATURE_HYBRID_CPU),
		.tsx_force_abort = boot_cpu_has(X86_FEATURE_TSX_FORCE_ABORT) &&
				   !boot_cpu_has(X86_FEATURE_RTM_ALWAYS_ABORT),
		.threads = __max_threads_per_core,
	};
	pfm_x86_look(cpu);
	for_each_online_cpu(n) {
		if (smp_call_function_single(n, pfm_x86_look, &one, true))
			continue;
		pfm_x86_common(cpu, &one);
	}
	if (c->extended_cpuid_level >= 0x80000022) {
		cpu->amd_v2 = cpuid_eax(0x80000022) & BIT(0);
		cpu->amd_counters = cpuid_ebx(0x80000022) & 0xf;
	}
	pfm_p4_facts(cpu);
	if (IS_ENABLED(CONFIG_X86_32))
		pfm_centaur_facts(cpu);
}

/* What it refuses stays offline; or, while pfm_x86_watch() runs, has the description refused. */
static int pfm_x86_online(unsigned int n)
{
	struct pfm_x86_cpu one = {};

	pfm_x86_look(&one);
	if (!pfm_x86_lacks(&pfm_x86_all, &one))
		return 0;
	pr_err("perfmon: CPU %u has fewer counters than those before it\n", n);
	return -ENODEV;
}

/**
 * pfm_x86_watch() - look at all CPUs, and at those that come online from now on
 * @all: the facts of the registered description
 *
 * A module does this while CPUs come and go: one may have come since pfm_x86_facts().
 *
 * Context: process, boot.
 * Return: 0; -ENODEV if a CPU that is online has less than that; or another -errno.
 */
int __init pfm_x86_watch(const struct pfm_x86_cpu *all)
{
	int ret;

	pfm_x86_all = *all;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "x86/perfmon:online",
				pfm_x86_online, NULL);
	pfm_x86_cpuhp = ret;
	return min(ret, 0);
}

/**
 * pfm_x86_unwatch() - look no more
 *
 * Context: process.
 */
void __pfm_exit pfm_x86_unwatch(void)
{
	cpuhp_remove_state_nocalls(pfm_x86_cpuhp);
}
