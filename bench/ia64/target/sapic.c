// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IA-64: external interrupts and the clock, as a CPU has them
 *
 * Other CPUs' threads and devices make interrupts pending: all of this is under QEMU's big lock.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"

#define VECTOR_EXTINT   0
#define VECTOR_NMI      2
#define VECTOR_FIRST    16          /* of those that have a priority by their number */
#define VECTOR_NONE     15

#define TPR_MIC(tpr)    extract64(tpr, 4, 4)
#define TPR_MMI         (1ull << 16)
#define VECTOR_MASKED   (1ull << 16)        /* in itv, pmv, cmcv, lrr */
#define VECTOR_RESERVED (7ull << 13 | 1ull << 12)

/* highest: the vector of the highest priority in @set, or -1: SDM 2:118 */
static int highest(const uint64_t *set)
{
    int i;

    if (set[0] >> VECTOR_NMI & 1) {
        return VECTOR_NMI;
    }
    if (set[0] >> VECTOR_EXTINT & 1) {
        return VECTOR_EXTINT;
    }
    for (i = 3; i >= 0; i--) {
        if (set[i]) {
            return i * 64 + 63 - clz64(set[i]);
        }
    }
    return -1;
}

/* rank: a vector's priority as a number */
static int rank(int vector)
{
    return vector == VECTOR_NMI ? 257 : vector == VECTOR_EXTINT ? 256 : vector;
}

/* deliverable: the vector that cr.ivr would tell now, or -1; whatever psr.i is */
static int deliverable(CPUIA64State *env)
{
    int vector = highest(env->irr), busy = highest(env->in_service);
    uint64_t tpr = env->cr[CR_TPR];

    if (vector < 0 || (busy >= 0 && rank(vector) <= rank(busy))) {
        return -1;
    }
    if (vector != VECTOR_NMI && (tpr & TPR_MMI ||
                                 (vector != VECTOR_EXTINT && vector >> 4 <= TPR_MIC(tpr)))) {
        return -1;
    }
    return vector;
}

static void update(CPUIA64State *env)
{
    CPUState *cs = env_cpu(env);

    if (deliverable(env) >= 0) {
        cpu_interrupt(cs, CPU_INTERRUPT_HARD);
    } else {
        cpu_reset_interrupt(cs, CPU_INTERRUPT_HARD);
    }
}

/* ia64_pend: @vector is requested of this CPU; one that is pending already is no second one */
void ia64_pend(IA64CPU *cpu, int vector)
{
    if (vector >= VECTOR_FIRST || vector == VECTOR_NMI || vector == VECTOR_EXTINT) {
        cpu->env.irr[vector / 64] |= 1ull << vector % 64;
        update(&cpu->env);
    }
}

/* ia64_cpu_exec_interrupt: QEMU's hook: between two blocks */
bool ia64_cpu_exec_interrupt(CPUState *cs, int request)
{
    CPUIA64State *env = &IA64_CPU(cs)->env;

    if (!(request & CPU_INTERRUPT_HARD) || !(env->psr & PSR_I)) {
        return false;
    }
    env->isr = 0;
    cs->exception_index = VEC_EXTERNAL;
    ia64_cpu_do_interrupt(cs);
    return true;
}

static uint64_t take(CPUIA64State *env)
{
    int vector = deliverable(env);

    if (vector < 0) {
        return VECTOR_NONE;
    }
    env->irr[vector / 64] &= ~(1ull << vector % 64);
    env->in_service[vector / 64] |= 1ull << vector % 64;
    update(env);
    return vector;
}

static void end_of_interrupt(CPUIA64State *env)
{
    int vector = highest(env->in_service);

    if (vector >= 0) {
        env->in_service[vector / 64] &= ~(1ull << vector % 64);
    }
    update(env);
}

/*
 * The clock: ar.itc is one for all CPUs, in nanoseconds. Firmware tells the system that it is not, so
 * that a system does not try to make it so; and each CPU writes ar.itc when it comes up. The
 * first one sets it; were others to do that, too, time would run backwards.
 */
static uint64_t itc_offset;

/* arm: an interrupt when ar.itc has passed cr.itm. What is past comes in 584 years. */
static void arm(CPUIA64State *env, uint64_t now)
{
    uint64_t left = env->cr[CR_ITM] - (now + itc_offset);

    if (left >> 62) {
        timer_del(env_archcpu(env)->timer);
    } else {
        timer_mod(env_archcpu(env)->timer, now + left + 1);
    }
}

/* ia64_itm_reached: QEMU's timer calls it */
void ia64_itm_reached(void *opaque)
{
    IA64CPU *cpu = opaque;
    uint64_t itv = cpu->env.cr[CR_ITV];

    if (!(itv & VECTOR_MASKED)) {
        ia64_pend(cpu, itv & 0xff);
    }
}

uint64_t HELPER(read_itc)(CPUIA64State *env)
{
    if (env->cpl && env->psr & PSR_SI) {
        ia64_fault(env, VEC_GENERAL, GENERAL_REGISTER, GETPC());
    }
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + qatomic_read(&itc_offset);
}

void ia64_write_itc(CPUIA64State *env, uint64_t val)
{
    uint64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    CPUState *cs;

    if (env_cpu(env) != first_cpu) {
        return;
    }
    qemu_mutex_lock_iothread();
    qatomic_set(&itc_offset, val - now);
    CPU_FOREACH(cs) {
        arm(&IA64_CPU(cs)->env, now);
    }
    qemu_mutex_unlock_iothread();
}

/* ia64_sapic_read: the control registers from 64 on */
uint64_t ia64_sapic_read(CPUIA64State *env, uint32_t cr, uintptr_t ra)
{
    uint64_t val = 0;

    switch (cr) {
    case CR_LID:
        return (uint64_t)env_cpu(env)->cpu_index << 24;
    case CR_IVR:
        qemu_mutex_lock_iothread();
        val = take(env);
        qemu_mutex_unlock_iothread();
        return val;
    case CR_EOI:
        return 0;
    case CR_IRR0 ... CR_IRR0 + 3:
        return qatomic_read(&env->irr[cr - CR_IRR0]);
    case CR_TPR: case CR_ITV: case CR_PMV: case CR_CMCV: case CR_LRR0: case CR_LRR0 + 1:
        return env->cr[cr];
    default:
        ia64_fault(env, VEC_GENERAL, GENERAL_ILLEGAL, ra);
    }
}

void ia64_sapic_write(CPUIA64State *env, uint32_t cr, uint64_t val, uintptr_t ra)
{
    switch (cr) {
    case CR_LID:                /* who a CPU is does not change */
        return;
    case CR_TPR:
        env->cr[cr] = val & (TPR_MMI | 0xf0);
        break;
    case CR_EOI:
        break;
    case CR_ITV: case CR_PMV: case CR_CMCV:
        if (val & VECTOR_RESERVED) {
            ia64_fault(env, VEC_GENERAL, GENERAL_RESERVED, ra);
        }
        env->cr[cr] = val & (VECTOR_MASKED | 0xff);
        return;
    case CR_LRR0: case CR_LRR0 + 1:
        env->cr[cr] = val;
        return;
    default:
        ia64_fault(env, VEC_GENERAL, GENERAL_ILLEGAL, ra);
    }
    qemu_mutex_lock_iothread();
    if (cr == CR_EOI) {
        end_of_interrupt(env);
    } else {
        update(env);
    }
    qemu_mutex_unlock_iothread();
}

void ia64_write_itm(CPUIA64State *env, uint64_t val)
{
    env->cr[CR_ITM] = val;
    qemu_mutex_lock_iothread();
    arm(env, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    qemu_mutex_unlock_iothread();
}
