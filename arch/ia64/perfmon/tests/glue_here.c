// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on IA-64: glue.c and hooks.h as they are, for the unit tests on another
 * architecture. Names of the kernel for IA-64 stand here for what the tests have instead.
 */
#include <linux/bitops.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irq_work.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <asm/hw_irq.h>
#include <asm/irq_regs.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include <perfmon/glue.h>

#include "glue_here.h"
#include "host.h"

/* asm/hw_irq.h, and kernel/irq.h */
typedef u8 ia64_vector;

#define IA64_IPI_DM_INT		0
#define ia64_send_ipi(cpu, vector, mode, redirect) pfm_itc_send(cpu, vector)
#define register_percpu_irq	pfm_glue_register_percpu_irq

static irq_handler_t glue_handlers[256];

void register_percpu_irq(ia64_vector vec, irq_handler_t handler, unsigned long flags,
			 const char *name)
{
	glue_handlers[vec] = handler;
}

/*
 * asm/processor.h: task->thread is task->restart_block.futex here, which nothing uses while the
 * task does not wait for a futex.
 */
#define IA64_THREAD_DBG_VALID	BIT(1)
#define thread			restart_block.futex
#define perfmon_call		bitset

/* asm/bitops.h: of a word of 64 bits, which is no unsigned long everywhere. */
#define set_bit(n, word)	(*(u64 *)(word) |= BIT_ULL(n))
#define clear_bit(n, word)	(*(u64 *)(word) &= ~BIT_ULL(n))

static struct pfm_ia64_cpu glue_cpu;

#define local_cpu_data		(&glue_cpu)

/* asm/kregs.h */
#define IA64_PSR_UP		PFM_IA64_PSR_UP
#define IA64_PSR_SP		PFM_IA64_PSR_SP
#define IA64_PSR_UM		GENMASK_ULL(5, 1)

/*
 * A command for another CPU runs there in an interrupt, or in Linux' idle thread:
 * glue_arrive() then has the CPU in memory be interrupted, too.
 */
static struct task_struct *glue_test;	/* which gives all commands */
static DEFINE_PER_CPU(bool, glue_arrived);

static bool glue_is_called(void)
{
	return in_hardirq() || current != glue_test;
}

void pfm_glue_init(void)
{
	glue_test = current;
}

static void glue_arrive(void)
{
	if (glue_is_called() && !pfm_itc_file.interrupted_psr()) {
		pfm_itc_interrupt();
		__this_cpu_write(glue_arrived, true);
	}
}

void pfm_glue_leave(void)
{
	if (__this_cpu_read(glue_arrived)) {
		__this_cpu_write(glue_arrived, false);
		pfm_itc_rfi();
	}
}

/* asm/cmpxchg.h: of 64 bits, too; another CPU comes in between if a test wants it. */
static void (*glue_between)(void);

static bool glue_try_cmpxchg(u64 *word, u64 *old, u64 new)
{
	void (*between)(void) = glue_between;

	glue_between = NULL;
	if (between)
		between();
	if (*word == *old) {
		*word = new;
		return true;
	}
	*old = *word;
	return false;
}

#undef try_cmpxchg
#define try_cmpxchg		glue_try_cmpxchg

/* asm/ptrace.h, asm/irq_regs.h, asm/current.h */
struct glue_regs {
	u64 cr_ipsr;
};

#define pt_regs			glue_regs

static struct pt_regs *glue_task_regs(struct task_struct *task)
{
	glue_arrive();
	return (struct pt_regs *)pfm_itc_file.user_psr(task);
}

static struct pt_regs *glue_irq_regs(void)
{
	glue_arrive();
	return (struct pt_regs *)pfm_itc_file.interrupted_psr();
}

#undef task_pt_regs
#define task_pt_regs(task)	glue_task_regs(task)
#define get_irq_regs()		glue_irq_regs()
#undef current
#define current			pfm_itc_file.current_task()

/* The core's, of which this architecture has other registers. */
#define pfm_interrupt_handle(regs) ((void)(regs), (pfm_interrupt_handle)(NULL))

#define arch_irq_work_raise	pfm_glue_raise

/* At boot: when a test wants it. */
#undef __init
#define __init
#undef PFM_HOST_ARCH_INIT
#define PFM_HOST_ARCH_INIT(fn)	static int (*const glue_boot)(void) = fn

#define CONFIG_IA64		1
#include "../glue.c"

int pfm_glue_boot(const struct pfm_ia64_cpu *cpu)
{
	memset(glue_handlers, 0, sizeof(glue_handlers));
	glue_cpu = *cpu;
	return glue_boot();
}

bool pfm_glue_interrupt(unsigned int vector)
{
	unsigned long flags;
	bool handled = false;

	if (!glue_handlers[vector])
		return false;
	local_irq_save(flags);
	pfm_itc_interrupt();
	handled = glue_handlers[vector](vector, NULL) == IRQ_HANDLED;
	pfm_itc_rfi();
	local_irq_restore(flags);
	return handled;
}

/* As access_uarea() of ptrace.c has it. */
bool pfm_glue_debug(struct pfm_itc_thread *t)
{
	if (!perfmon_debug_begin(t->task))
		return false;
	t->task->thread.flags |= IA64_THREAD_DBG_VALID;
	return true;
}

bool pfm_glue_is_debugged(const struct pfm_itc_thread *t)
{
	return t->task->thread.flags & IA64_THREAD_DBG_VALID;
}

void pfm_glue_debug_end(struct pfm_itc_thread *t)
{
	perfmon_debug_end(t->task);
}

/* As restore_sigcontext() of signal.c has it, in a system call of the handler. */
void pfm_glue_sigreturn(void)
{
	perfmon_set_psr(task_pt_regs(current), pfm_itc_current()->um, IA64_PSR_UM);
}

void pfm_glue_sigreturn_while(void (*between)(void))
{
	glue_between = between;
	pfm_glue_sigreturn();
}
