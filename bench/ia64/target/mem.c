// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IA-64: memory
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/cpu_ldst.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"

/* Bit 63 of a physical address says that it is not cached. */
#define PHYS_MASK MAKE_64BIT_MASK(0, TARGET_PHYS_ADDR_SPACE_BITS)

/* ia64_tlb_fill: QEMU's hook: physical addresses alone */
bool ia64_tlb_fill(CPUState *cs, vaddr address, int size, MMUAccessType type, int mmu_idx,
                   bool probe, uintptr_t ra)
{
    if (mmu_idx != MMU_PHYS) {
        if (probe) {
            return false;
        }
        cpu_restore_state(cs, ra);
        ia64_stop(&IA64_CPU(cs)->env, "there is no translation of virtual addresses");
    }
    tlb_set_page(cs, address & TARGET_PAGE_MASK, address & PHYS_MASK & TARGET_PAGE_MASK,
                 PAGE_READ | PAGE_WRITE | PAGE_EXEC, mmu_idx, TARGET_PAGE_SIZE);
    return true;
}

/* ia64_get_phys_page_debug: QEMU's hook for its monitor */
hwaddr ia64_get_phys_page_debug(CPUState *cs, vaddr address)
{
    return address & PHYS_MASK & TARGET_PAGE_MASK;
}

/* check_aligned: of semaphores, which read and write at once */
void HELPER(check_aligned)(CPUIA64State *env, uint64_t address, uint32_t mask)
{
    if (address & mask) {
        env->ifa = address;
        ia64_fault(env, VEC_UNALIGNED, ISR_R | ISR_W, GETPC());
    }
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
