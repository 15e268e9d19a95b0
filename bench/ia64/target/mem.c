// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IA-64: memory
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/cpu_ldst.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"

/*
 * semaphore: these read and write at once, and so do their interruptions; @size has QEMU's
 * mode in bits 7:4
 */
void HELPER(semaphore)(CPUIA64State *env, uint64_t address, uint32_t size)
{
    uint32_t mode = size >> 4;

    size &= 15;
    env->access = ISR_R | ISR_W;
    probe_access(env, address, 0, MMU_DATA_STORE, mode, GETPC());
    probe_access(env, address, 0, MMU_DATA_LOAD, mode, GETPC());
    env->access = 0;
    if (address & (size - 1)) {
        ia64_access_fault(env, VEC_UNALIGNED, address, ISR_R | ISR_W, GETPC());
    }
}

/* ia64_do_unaligned: QEMU's hook for accesses that MO_ALIGN forbids; what else is wrong is first */
void ia64_do_unaligned(CPUState *cs, vaddr address, MMUAccessType type, int mmu_idx,
                       uintptr_t ra)
{
    CPUIA64State *env = &IA64_CPU(cs)->env;

    probe_access(env, address, 0, type, mmu_idx, ra);
    ia64_access_fault(env, VEC_UNALIGNED, address, type == MMU_DATA_STORE ? ISR_W : ISR_R, ra);
}

/*
 * load_s: ld.s, ld.sa. @form has the target 6:0, the address's register 13:7, QEMU's mode 17:14,
 * and the size from 18 on.
 */
void HELPER(load_s)(CPUIA64State *env, uint32_t form, uint64_t address)
{
    uint32_t index = gr_index(env, form & 127), r3 = gr_index(env, form >> 7 & 127);
    uint32_t mode = form >> 14 & 15, size = form >> 18;
    uint64_t val = 0;
    bool nat = nat_get(env, r3) || ia64_load_defers(env, address, size, GETPC());

    if (!nat) {
        switch (size) {
        case 1: val = cpu_ldub_mmuidx_ra(env, address, mode, GETPC()); break;
        case 2: val = cpu_lduw_le_mmuidx_ra(env, address, mode, GETPC()); break;
        case 4: val = cpu_ldl_le_mmuidx_ra(env, address, mode, GETPC()); break;
        default: val = cpu_ldq_le_mmuidx_ra(env, address, mode, GETPC()); break;
        }
    }
    env->gr[index] = val;
    nat_set(env, index, nat);
}

/* ld8.fill, st8.spill: the register's NaT bit is that of ar.unat which the address selects */
void HELPER(fill)(CPUIA64State *env, uint32_t r, uint64_t address, uint32_t mmu_idx)
{
    uint64_t val = cpu_ldq_le_mmuidx_ra(env, address, mmu_idx, GETPC());
    uint32_t index = gr_index(env, r);

    env->gr[index] = val;
    nat_set(env, index, env->unat >> (address >> 3 & 63) & 1);
}

void HELPER(spill)(CPUIA64State *env, uint32_t r, uint64_t address, uint32_t mmu_idx)
{
    uint32_t index = gr_index(env, r);

    cpu_stq_le_mmuidx_ra(env, address, env->gr[index], mmu_idx, GETPC());
    env->unat = deposit64(env->unat, address >> 3 & 63, 1, nat_get(env, index));
}
