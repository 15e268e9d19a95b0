// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IA-64: application and control registers, moves of psr
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"

static bool ar_is_ignored(uint32_t ar)
{
    return (ar >= 48 && ar < 64) || ar >= 112;
}

/* ar_is_storage: of the 32-bit architecture, without effect here */
static bool ar_is_storage(uint32_t ar)
{
    return ar == 21 || (ar >= 24 && ar <= 30);
}

uint64_t HELPER(mov_from_ar)(CPUIA64State *env, uint32_t ar)
{
    switch (ar) {
    case AR_KR0 ... AR_KR0 + 7:
        return env->kr[ar - AR_KR0];
    case AR_RSC:
        return env->rsc;
    case AR_BSP:
        return env->bsp;
    case AR_BSPSTORE:
    case AR_RNAT:
        if (env->rsc & 3) {
            ia64_fault(env, VEC_GENERAL, GENERAL_ILLEGAL, GETPC());
        }
        return ar == AR_RNAT ? env->rnat : env->bspstore;
    case AR_FPSR:
        return env->fpsr;
    default:
        if (ar_is_storage(ar)) {
            return env->ar_misc[ar];
        }
        if (!ar_is_ignored(ar)) {
            ia64_fault(env, VEC_GENERAL, GENERAL_ILLEGAL, GETPC());
        }
        return 0;
    }
}

void HELPER(mov_to_ar)(CPUIA64State *env, uint32_t ar, uint64_t val)
{
    switch (ar) {
    case AR_KR0 ... AR_KR0 + 7:
        if (env->cpl) {
            ia64_fault(env, VEC_GENERAL, GENERAL_REGISTER, GETPC());
        }
        env->kr[ar - AR_KR0] = val;
        break;
    case AR_RSC:
        env->rsc = val & 0x3fff001f;
        env->rsc = deposit64(env->rsc, 2, 2, MAX(env->cpl, extract64(val, 2, 2)));
        break;
    case AR_BSPSTORE:
    case AR_RNAT:
        if (env->rsc & 3) {
            ia64_fault(env, VEC_GENERAL, GENERAL_ILLEGAL, GETPC());
        }
        if (ar == AR_RNAT) {
            env->rnat = val & ~(1ull << 63);
        } else {
            rse_set_bspstore(env, val);
        }
        break;
    case AR_FPSR:
        if (!ia64_fpsr_ok(val)) {
            ia64_fault(env, VEC_GENERAL, GENERAL_RESERVED, GETPC());
        }
        env->fpsr = val;
        break;
    case AR_ITC:
        if (env->cpl) {
            ia64_fault(env, VEC_GENERAL, GENERAL_REGISTER, GETPC());
        }
        ia64_write_itc(env, val);
        break;
    case AR_PFS:
        env->pfs = val & (CFM_ALL | 63ull << PFS_EC_SHIFT | 3ull << PFS_PPL_SHIFT);
        break;
    default:
        if (ar_is_storage(ar)) {
            env->ar_misc[ar] = val;
        } else if (!ar_is_ignored(ar)) {
            ia64_fault(env, VEC_GENERAL, GENERAL_ILLEGAL, GETPC());
        }
    }
}

/* check_cr: those of interruptions belong to handlers */
static void check_cr(CPUIA64State *env, uint32_t cr, uintptr_t ra)
{
    switch (cr) {
    case CR_IPSR: case CR_ISR: case CR_IIP ... CR_IHA:
        if (!(env->psr & PSR_IC)) {
            return;
        }
        break;
    case CR_DCR: case CR_ITM: case CR_IVA: case CR_PTA:
        return;
    }
    ia64_fault(env, VEC_GENERAL, GENERAL_ILLEGAL, ra);
}

uint64_t HELPER(mov_from_cr)(CPUIA64State *env, uint32_t cr)
{
    if (cr >= CR_LID) {
        return ia64_sapic_read(env, cr, GETPC());
    }
    check_cr(env, cr, GETPC());
    return env->cr[cr];
}

void HELPER(mov_to_cr)(CPUIA64State *env, uint32_t cr, uint64_t val)
{
    if (cr >= CR_LID) {
        ia64_sapic_write(env, cr, val, GETPC());
        return;
    }
    check_cr(env, cr, GETPC());
    switch (cr) {
    case CR_ITM:
        ia64_write_itm(env, val);
        break;
    case CR_IVA:
        env->cr[cr] = val & ~0x7fffull;
        break;
    default:
        env->cr[cr] = val;
    }
}

#define USER_MASK (PSR_BE | PSR_UP | PSR_AC | PSR_MFL | PSR_MFH)
/* A program cannot change psr.up where that is secured. */
static uint64_t user_mask(CPUIA64State *env)
{
    return env->psr & PSR_SP ? USER_MASK & ~PSR_UP : USER_MASK;
}

uint64_t HELPER(mov_from_psr)(CPUIA64State *env, uint32_t user)
{
    return env->psr & (user ? USER_MASK : 0xffffffff | PSR_MC | PSR_IT);
}

static void change_psr(CPUIA64State *env, uint64_t mask, uint64_t val)
{
    ia64_set_psr(env, (ia64_psr(env) & ~mask) | (val & mask));
}

void HELPER(mov_to_psr)(CPUIA64State *env, uint32_t user, uint64_t val)
{
    change_psr(env, user ? user_mask(env) : 0xffffffff, val);
}

/* mask_psr: sum, rum, ssm, rsm, by the number 4 to 7 that is their x4 */
void HELPER(mask_psr)(CPUIA64State *env, uint32_t form, uint64_t mask)
{
    if (form < 6) {
        mask &= user_mask(env);
    }
    change_psr(env, mask, form & 1 ? 0 : mask);
}

/* indirect: registers that are numbered by a register, and have no effect or one of their own */
static uint64_t *indirect(CPUIA64State *env, uint32_t file, uint64_t index, uintptr_t ra)
{
    index &= 0xff;
    switch (file) {
    case IND_DBR:
        if (index < ARRAY_SIZE(env->dbr)) {
            return &env->dbr[index];
        }
        break;
    case IND_IBR:
        if (index < ARRAY_SIZE(env->ibr)) {
            return &env->ibr[index];
        }
        break;
    case IND_PKR:
        if (index < ARRAY_SIZE(env->pkr)) {
            return &env->pkr[index];
        }
        break;
    }
    ia64_fault(env, VEC_GENERAL, GENERAL_RESERVED, ra);
}

uint64_t HELPER(mov_from_indirect)(CPUIA64State *env, uint32_t file, uint64_t index)
{
    return file == IND_RR ? env->rr[index >> 61] : *indirect(env, file, index, GETPC());
}

/* mov_to_debug: dbr, ibr; they are kept, and watch nothing */
void HELPER(mov_to_debug)(CPUIA64State *env, uint32_t file, uint64_t index, uint64_t val)
{
    *indirect(env, file, index, GETPC()) = val;
}

uint64_t HELPER(cpuid)(CPUIA64State *env, uint64_t index)
{
    switch (index & 0xff) {
    case 0: return 0x49656e69756e6547;  /* "GenuineI" */
    case 1: return 0x6c65746e;          /* "ntel" */
    case 2: return 0;
    case 3: return IA64_CPU_GET_CLASS(env_cpu(env))->cpuid3;
    case 4: return 7;                   /* brl, spontaneous deferral, 16-byte accesses */
    default: ia64_fault(env, VEC_GENERAL, GENERAL_RESERVED, GETPC());
    }
}
