// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IA-64: interruptions, and psr
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "exec/log.h"

/* ia64_stop: for what this machine cannot do; better no end than a wrong one */
void ia64_stop(CPUIA64State *env, const char *why)
{
    error_report("ia64: %s at %016" PRIx64 ".%u", why, env->ip, env->ri);
    cpu_dump_state(env_cpu(env), stderr, 0);
    exit(2);
}

void HELPER(stop)(CPUIA64State *env, uint64_t insn, uint64_t unit)
{
    g_autofree char *why = NULL;

    cpu_restore_state(env_cpu(env), GETPC());
    why = g_strdup_printf("no instruction %c %011" PRIx64, (int)unit, insn);
    ia64_stop(env, why);
}

/* ia64_fault: the interruption @vector, in a helper with the return address @ra */
void ia64_fault(CPUIA64State *env, int vector, uint64_t isr, uintptr_t ra)
{
    CPUState *cs = env_cpu(env);

    env->isr = isr;
    cs->exception_index = vector;
    cpu_loop_exit_restore(cs, ra);
}

void HELPER(general)(CPUIA64State *env, uint32_t code)
{
    ia64_fault(env, VEC_GENERAL, code, GETPC());
}

void HELPER(fp_disabled)(CPUIA64State *env, uint64_t isr)
{
    ia64_fault(env, VEC_FP_DISABLED, isr, GETPC());
}

/*
 * break: an interruption, unless it is one of the firmware's. That may look at the clock: what has been
 * executed is exact, as this is the block's end.
 */
void HELPER(break)(CPUIA64State *env, uint64_t imm)
{
    CPUState *cs = env_cpu(env);

    cpu_restore_state(cs, GETPC());
    cs->can_do_io = 1;
    if (ia64_firmware(env, imm)) {
        cpu_loop_exit_noexc(cs);
    }
    env->iim = imm;
    ia64_fault(env, VEC_BREAK, 0, 0);
}

/* ia64_set_psr: all but ri. An instruction that does so is counted as the old psr says. */
void ia64_set_psr(CPUIA64State *env, uint64_t psr)
{
    uint64_t nats = extract64(env->gr_nat[0], 16, 16), val;
    bool monitors = (psr ^ ia64_psr(env)) & (PSR_UP | PSR_PP | PSR_CPL);
    int i;

    if (monitors) {
        pmu_sync(env);
    }
    if ((psr ^ env->psr) & PSR_BN) {
        for (i = 0; i < 16; i++) {
            val = env->gr[16 + i];
            env->gr[16 + i] = env->bank[i];
            env->bank[i] = val;
        }
        env->gr_nat[0] = deposit64(env->gr_nat[0], 16, 16, env->bank_nat);
        env->bank_nat = nats;
    }
    if (psr & PSR_BE) {
        ia64_stop(env, "there is no big-endian data");
    }
    if ((psr ^ env->psr) & PSR_PK) {
        ia64_mmu_changed(env);
    }
    env->psr = psr & ~(PSR_CPL | PSR_RI);
    env->cpl = extract64(psr, PSR_CPL_SHIFT, 2);
    if (monitors) {
        pmu_schedule(env);
    }
}

/* ia64_set_cpl: of psr the level alone */
void ia64_set_cpl(CPUIA64State *env, uint32_t cpl)
{
    if (cpl != env->cpl) {
        pmu_sync(env);
        env->cpl = cpl;
        pmu_schedule(env);
    }
}

/*
 * ia64_trap: after an instruction, which was in @slot; ip, ri are the next one's. @code says what
 * has happened, psr whether that is a trap; what else is one goes into ISR.code, too.
 */
void ia64_trap(CPUIA64State *env, uint64_t code, uint32_t slot)
{
    int vector = VEC_STEP;

    code |= ISR_STEP;
    code &= (env->psr & PSR_LP ? ISR_LOWER : 0) | (env->psr & PSR_TB ? ISR_BRANCH : 0) |
        (env->psr & PSR_SS ? ISR_STEP : 0);
    if (env->fp_trap) {
        code |= env->fp_trap | ISR_FP;
        env->fp_trap = 0;
        vector = VEC_FP_TRAP;
    } else if (code & ISR_LOWER) {
        vector = VEC_LOWER;
    } else if (code & ISR_BRANCH) {
        vector = VEC_BRANCH;
    }
    if (code) {
        ia64_fault(env, vector, code | (uint64_t)slot << ISR_EI_SHIFT, 0);
    }
}

void HELPER(trap)(CPUIA64State *env, uint32_t code, uint32_t slot)
{
    ia64_trap(env, code, slot);
}

void HELPER(one_done)(CPUIA64State *env)
{
    env->psr &= ~PSR_ONE;
}

/* tell: what the handler of @vector finds in cr.ifa and others: SDM 2:165 */
static void tell(CPUIA64State *env, int vector)
{
    switch (vector) {
    case VEC_BREAK:
        env->cr[CR_IIM] = env->iim;
        return;
    case VEC_NAT:
        if (!(env->isr & NAT_PAGE)) {
            return;
        }
        break;
    case VEC_EXTERNAL: case VEC_GENERAL: case VEC_BRANCH: case VEC_STEP:
    case VEC_FP_DISABLED: case VEC_FP_FAULT: case VEC_FP_TRAP:
        return;
    case VEC_LOWER:
        if (!(env->isr & ISR_UNIMPLEMENTED)) {
            return;
        }
        break;
    case VEC_CODE_TLB: case VEC_DATA_TLB:
        env->cr[CR_IHA] = ia64_thash(env, env->ifa);
        break;
    }
    env->cr[CR_IFA] = env->ifa;
    env->cr[CR_ITIR] = env->rr[env->ifa >> 61] & 0xfffffffcull;
}

/* ia64_cpu_do_interrupt: QEMU's hook: enter the handler */
void ia64_cpu_do_interrupt(CPUState *cs)
{
    CPUIA64State *env = &IA64_CPU(cs)->env;
    int vector = cs->exception_index;
    uint64_t isr = env->isr;
    g_autofree char *why = NULL;

    cs->exception_index = -1;
    qemu_log_mask(CPU_LOG_INT, "ia64: interruption %04x at %016" PRIx64 ".%u\n",
                  vector, env->ip, env->ri);
    if (!env->cr[CR_IVA]) {
        why = g_strdup_printf("interruption %04x (isr %" PRIx64 ") without cr.iva", vector, isr);
        ia64_stop(env, why);
    }
    if (env->ndirty < 0) {
        isr |= ISR_IR;
    }
    if (vector < VEC_FP_TRAP) {
        isr |= (uint64_t)env->ri << ISR_EI_SHIFT;
    }
    if (env->psr & PSR_IC) {
        env->cr[CR_IPSR] = ia64_psr(env);
        env->cr[CR_IIP] = env->ip;
        env->cr[CR_IFS] = 0;
        tell(env, vector);
    } else {
        isr |= ISR_NI;
    }
    if (vector != VEC_NESTED) {
        env->cr[CR_ISR] = isr;
    }
    ia64_set_psr(env, (env->psr & (PSR_UP | PSR_MFL | PSR_MFH | PSR_PK | PSR_DT | PSR_RT |
                                   PSR_MC | PSR_IT)) |
                 (env->cr[CR_DCR] & 1 ? PSR_PP : 0) | (env->cr[CR_DCR] & 2 ? PSR_BE : 0));
    env->ip = env->cr[CR_IVA] + vector;
    env->ri = 0;
}

/* pause: let the thread of the CPU that is waited for have the host's processor */
void HELPER(pause)(void)
{
    g_thread_yield();
}

/* yield: to another CPU of this thread; ip is the next instruction's */
void HELPER(yield)(CPUIA64State *env)
{
    env_cpu(env)->exception_index = EXCP_YIELD;
    cpu_loop_exit(env_cpu(env));
}

void HELPER(rfi)(CPUIA64State *env)
{
    uint64_t ifs = env->cr[CR_IFS];

    ia64_set_psr(env, env->cr[CR_IPSR]);
    env->ip = env->cr[CR_IIP] & ~15ull;
    env->ri = extract64(env->cr[CR_IPSR], PSR_RI_SHIFT, 2);
    if (ifs >> 63) {
        rse_uncover(env, ifs & CFM_ALL, CFM_SOF(ifs));
    }
    rse_complete(env);
}

void HELPER(bsw)(CPUIA64State *env, uint32_t bank)
{
    ia64_set_psr(env, (ia64_psr(env) & ~PSR_BN) | (bank ? PSR_BN : 0));
}
