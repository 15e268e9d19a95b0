/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IA-64: the state of a CPU
 *
 * "SDM" is Intel's Itanium Architecture Software Developer's Manual, revision 2.3.
 */
#ifndef IA64_CPU_H
#define IA64_CPU_H

#include "cpu-qom.h"
#include "exec/cpu-defs.h"
#include "pmu.h"

/* Bits of psr. Its fields cpl and ri are not in env->psr: see ia64_psr(). */
#define PSR_BE      (1ull << 1)
#define PSR_UP      (1ull << 2)
#define PSR_AC      (1ull << 3)
#define PSR_MFL     (1ull << 4)
#define PSR_MFH     (1ull << 5)
#define PSR_IC      (1ull << 13)
#define PSR_I       (1ull << 14)
#define PSR_PK      (1ull << 15)
#define PSR_DT      (1ull << 17)
#define PSR_DFL     (1ull << 18)
#define PSR_DFH     (1ull << 19)
#define PSR_SP      (1ull << 20)
#define PSR_PP      (1ull << 21)
#define PSR_SI      (1ull << 23)
#define PSR_LP      (1ull << 25)
#define PSR_TB      (1ull << 26)
#define PSR_RT      (1ull << 27)
#define PSR_CPL_SHIFT 32
#define PSR_CPL     (3ull << 32)
#define PSR_MC      (1ull << 35)
#define PSR_IT      (1ull << 36)
#define PSR_ID      (1ull << 37)
#define PSR_DA      (1ull << 38)
#define PSR_DD      (1ull << 39)
#define PSR_SS      (1ull << 40)
#define PSR_RI_SHIFT 41
#define PSR_RI      (3ull << 41)
#define PSR_ED      (1ull << 43)
#define PSR_BN      (1ull << 44)
#define PSR_IA      (1ull << 45)
/* What holds for one instruction, and is 0 after it */
#define PSR_ONE     (PSR_ID | PSR_DA | PSR_DD | PSR_ED | PSR_IA)

/* Fields of cfm, the current frame's marker */
#define CFM_SOF(cfm)    ((cfm) & 127)
#define CFM_SOL(cfm)    ((cfm) >> 7 & 127)
#define CFM_SOR(cfm)    ((cfm) >> 14 << 3 & 120)
#define CFM_RRB_GR(cfm) ((cfm) >> 18 & 127)
#define CFM_RRB_FR(cfm) ((cfm) >> 25 & 127)
#define CFM_RRB_PR(cfm) ((cfm) >> 32 & 63)
#define CFM_RRB         0x3ffffc0000ull
/* Where any of these is set, registers have other numbers than in the code. */
#define CFM_ROT         0x3fffffc000ull
#define CFM_ALL         0x3fffffffffull

/* ar.pfs: the caller's cfm 37:0, its ec 57:52, its level 63:62 */
#define PFS_EC_SHIFT    52
#define PFS_PPL_SHIFT   62

#define ISR_X   (1ull << 32)
#define ISR_W   (1ull << 33)
#define ISR_R   (1ull << 34)
#define ISR_NA  (1ull << 35)
#define ISR_SP  (1ull << 36)
#define ISR_RS  (1ull << 37)
#define ISR_IR  (1ull << 38)
#define ISR_NI  (1ull << 39)
#define ISR_EI_SHIFT 41
#define ISR_ED  (1ull << 43)
/* ISR.code 3:0 of instructions that access nothing, for which there is ISR_NA */
enum { NA_TPA, NA_FC, NA_PROBE, NA_TAK, NA_LFETCH, NA_PROBE_FAULT };

/* Control registers */
enum {
    CR_DCR = 0, CR_ITM = 1, CR_IVA = 2, CR_PTA = 8,
    CR_IPSR = 16, CR_ISR = 17, CR_IIP = 19, CR_IFA = 20, CR_ITIR = 21, CR_IIPA = 22,
    CR_IFS = 23, CR_IIM = 24, CR_IHA = 25,
    CR_LID = 64, CR_IVR = 65, CR_TPR = 66, CR_EOI = 67, CR_IRR0 = 68, CR_ITV = 72, CR_PMV = 73,
    CR_CMCV = 74, CR_LRR0 = 80,
};

/* Application registers */
enum {
    AR_KR0 = 0, AR_RSC = 16, AR_BSP = 17, AR_BSPSTORE = 18, AR_RNAT = 19,
    AR_CCV = 32, AR_UNAT = 36, AR_FPSR = 40, AR_ITC = 44, AR_PFS = 64, AR_LC = 65, AR_EC = 66,
};

/* Files of registers that are numbered by a register, by x6 of the move */
enum { IND_RR, IND_DBR, IND_IBR, IND_PKR };

/* Interruptions, by the offset of their vector */
enum {
    VEC_CODE_TLB = 0x0400, VEC_DATA_TLB = 0x0800, VEC_CODE_ALT = 0x0c00, VEC_DATA_ALT = 0x1000,
    VEC_NESTED = 0x1400, VEC_CODE_KEY = 0x1800, VEC_DATA_KEY = 0x1c00, VEC_DIRTY = 0x2000,
    VEC_CODE_ACCESS = 0x2400, VEC_DATA_ACCESS = 0x2800, VEC_BREAK = 0x2c00,
    VEC_EXTERNAL = 0x3000,
    VEC_NOT_PRESENT = 0x5000, VEC_KEY_PERMISSION = 0x5100, VEC_CODE_RIGHTS = 0x5200,
    VEC_DATA_RIGHTS = 0x5300, VEC_GENERAL = 0x5400, VEC_FP_DISABLED = 0x5500, VEC_NAT = 0x5600,
    VEC_UNALIGNED = 0x5a00, VEC_FP_FAULT = 0x5c00,
    /* These are traps, which come after an instruction, but for an address of code. */
    VEC_FP_TRAP = 0x5d00, VEC_LOWER = 0x5e00, VEC_BRANCH = 0x5f00, VEC_STEP = 0x6000,
};

/* ISR.code of VEC_GENERAL: SDM 2:206 */
#define GENERAL_ILLEGAL     0x00
#define GENERAL_PRIVILEGED  0x10
#define GENERAL_REGISTER    0x20
#define GENERAL_RESERVED    0x30
/* of VEC_NAT */
#define NAT_USED            0x10
#define NAT_PAGE            0x20
/* and of traps, where 14:7 are floating point's: SDM 2:170 */
#define ISR_FP             0x01
#define ISR_LOWER          0x02
#define ISR_BRANCH         0x04
#define ISR_STEP           0x08
#define ISR_UNIMPLEMENTED  0x10

/* What a block depends on */
#define TB_CPL      3u
#define TB_RI_SHIFT 2
#define TB_RI       (3u << 2)
#define TB_DT       (1u << 4)
#define TB_AC       (1u << 5)
#define TB_ROT      (1u << 6)
#define TB_NATS     (1u << 7)
#define TB_IT       (1u << 8)
/* A block of one instruction: a bit of PSR_ONE is to be cleared, or there may be a trap. */
#define TB_ONE      (1u << 9)
#define TB_TRAP     (1u << 10)
/* Floating-point registers that must not be used, and traps that an operation may end in */
#define TB_DFL      (1u << 11)
#define TB_DFH      (1u << 12)
#define TB_FP_TRAP  (1u << 13)
/* A counter counts; branches are captured; instructions are looked at by their address */
#define TB_PMU      (1u << 14)
#define TB_BTB      (1u << 15)
#define TB_RANGE    (1u << 16)
/* Those of ar.fpsr that disable traps */
#define FPSR_TRAPS  0x38

/* What QEMU keeps of where an instruction starts, besides ip: the slot, and its number in the block */
#define INSN_START_RI           3u
#define INSN_START_INDEX_SHIFT  2

#define MMU_PHYS    4

#define IA64_VA_BITS 51             /* of an address in a region, with its sign */
#define IA64_NR_TR  16
#define IA64_NR_TC  256
#define IA64_NR_PKR 16

enum { SIDE_DATA, SIDE_CODE };

/* A translation that software has inserted, of 1 << @ps bytes */
typedef struct IA64Translation {
    bool valid;
    uint8_t ps;
    uint32_t rid, key;
    uint64_t address, pte;
} IA64Translation;

#define NR_STACKED  96

/* A floating-point register: exponent 16:0, sign 17. SDM 1:86 */
typedef struct IA64Float {
    uint64_t sig;
    uint32_t se;
} IA64Float;

#define FR_EXP          0x1ffffu    /* that of infinities and NaNs, and a mask */
#define FR_SIGN         (1u << 17)
#define FR_BIAS         0xffff
#define FR_INTEGER      0x1003e     /* of integers, and of two singles */
#define FR_NATVAL       0x1fffe
#define FR_EXTENDED_MIN 0xc001      /* of the least extended number, and what 0 stands for */

typedef struct CPUArchState {
    /* Those of the frame are gr[32] and so on, in physical order. */
    uint64_t gr[128];
    uint64_t gr_nat[2];
    uint64_t bank[16];          /* r16-31 of the bank that is not selected */
    uint32_t bank_nat;
    uint64_t pr;                /* bit 0 is always 1 */
    uint64_t br[8];
    uint64_t ip;                /* of the bundle */
    uint32_t ri;                /* the slot */
    uint32_t cpl;
    uint64_t cfm;
    IA64Float fr[128];

    /*
     * The registers of callers that have not been stored: ring[head] is the oldest. After
     * br.ret and rfi there may be less than none: these are to be loaded yet. What
     * always holds: bsp = rse_skip(bspstore, ndirty).
     */
    uint64_t ring[NR_STACKED];
    uint8_t ring_nat[NR_STACKED];
    uint32_t head;
    int32_t ndirty;
    uint64_t bsp, bspstore, rnat, rsc;

    uint64_t kr[8];
    uint64_t ar_misc[128];      /* those that are storage */
    uint64_t ccv, unat, fpsr, pfs, lc, ec;

    uint64_t psr;
    uint64_t cr[128];
    uint64_t rr[8], pkr[IA64_NR_PKR], dbr[8], ibr[8];

    IA64Translation tr[2][IA64_NR_TR], tc[2][IA64_NR_TC];
    uint32_t next_tc[2];        /* the oldest */

    /* External interrupts that are pending, and of which there has been no end yet; by vector */
    uint64_t irr[4], in_service[4];

    /* Of the interruption that is to be taken */
    uint64_t isr, ifa, iim;
    uint32_t fp_trap;           /* what the last operation of floating point trapped for */
    uint64_t access;            /* what more isr will say of the access that is being made */

    CPUPMUState pmu;
} CPUIA64State;

struct ArchCPU {
    CPUState parent_obj;

    CPUNegativeOffsetState neg;
    CPUIA64State env;

    QEMUTimer *timer;           /* of cr.itm */
    bool parked;                /* waits for its first interrupt, and then starts */
};

static inline bool is_slot_rnat(uint64_t address)
{
    return (address >> 3 & 63) == 63;
}

/* rse_skip: the address of the register @n after that at @address: SDM 2:137 */
static inline uint64_t rse_skip(uint64_t address, int64_t n)
{
    int64_t in_group = (int64_t)(address >> 3 & 63) + n;
    int64_t collections = in_group >= 0 ? in_group / 63 : -((62 - in_group) / 63);

    return address + 8 * (n + collections);
}

static inline uint64_t ia64_psr(CPUIA64State *env)
{
    return env->psr | (uint64_t)env->cpl << PSR_CPL_SHIFT | (uint64_t)env->ri << PSR_RI_SHIFT;
}

/* cpu.c */
extern const char *const ia64_vector_names[];

/* The board's: board/firmware.c */
bool ia64_firmware(CPUIA64State *env, uint64_t imm);

/* fpu.c */
bool ia64_fpsr_ok(uint64_t val);

/* interrupt.c */
G_NORETURN void ia64_fault(CPUIA64State *env, int vector, uint64_t isr, uintptr_t ra);
void ia64_set_psr(CPUIA64State *env, uint64_t psr);
void ia64_set_cpl(CPUIA64State *env, uint32_t cpl);
void ia64_trap(CPUIA64State *env, uint64_t code, uint32_t slot);
void ia64_cpu_do_interrupt(CPUState *cs);
bool ia64_cpu_exec_interrupt(CPUState *cs, int request);
G_NORETURN void ia64_stop(CPUIA64State *env, const char *why);
G_NORETURN void ia64_do_unaligned(CPUState *cs, vaddr address, MMUAccessType type, int mmu_idx,
                                  uintptr_t ra);

/* mmu.c */
bool ia64_tlb_fill(CPUState *cs, vaddr address, int size, MMUAccessType type, int mmu_idx,
                   bool probe, uintptr_t ra);
hwaddr ia64_get_phys_page_debug(CPUState *cs, vaddr address);
G_NORETURN void ia64_access_fault(CPUIA64State *env, int vector, uint64_t address, uint64_t isr,
                                  uintptr_t ra);
uint64_t ia64_thash(CPUIA64State *env, uint64_t address);
bool ia64_load_defers(CPUIA64State *env, uint64_t address, uint32_t size, uintptr_t ra);
void ia64_mmu_changed(CPUIA64State *env);

/* rse.c */
void rse_cover(CPUIA64State *env, uint32_t count);
void rse_uncover(CPUIA64State *env, uint64_t cfm, uint32_t count);
void rse_complete(CPUIA64State *env);
void rse_set_bspstore(CPUIA64State *env, uint64_t val);

/* sapic.c */
void ia64_pend(IA64CPU *cpu, int vector);
void ia64_itm_reached(void *opaque);
void ia64_write_itc(CPUIA64State *env, uint64_t val);
void ia64_write_itm(CPUIA64State *env, uint64_t val);
uint64_t ia64_sapic_read(CPUIA64State *env, uint32_t cr, uintptr_t ra);
void ia64_sapic_write(CPUIA64State *env, uint32_t cr, uint64_t val, uintptr_t ra);

/* translate.c */
void ia64_translate_init(void);

#define CPU_RESOLVING_TYPE TYPE_IA64_CPU
#define cpu_list ia64_cpu_list
void ia64_cpu_list(void);

static inline int cpu_mmu_index(CPUIA64State *env, bool ifetch)
{
    return env->psr & (ifetch ? PSR_IT : PSR_DT) ? env->cpl : MMU_PHYS;
}

#include "exec/cpu-all.h"

static inline void cpu_get_tb_cpu_state(CPUIA64State *env, target_ulong *pc,
                                        target_ulong *cs_base, uint32_t *flags)
{
    *pc = env->ip;
    *cs_base = 0;
    *flags = env->cpl | env->ri << TB_RI_SHIFT | env->pmu.regs.flags |
        (env->psr & PSR_DT ? TB_DT : 0) |
        (env->psr & PSR_IT ? TB_IT : 0) |
        (env->psr & PSR_AC ? TB_AC : 0) |
        (env->psr & PSR_ONE ? TB_ONE : 0) |
        (env->psr & (PSR_SS | PSR_TB | PSR_LP) ? TB_TRAP : 0) |
        (env->psr & PSR_DFL ? TB_DFL : 0) |
        (env->psr & PSR_DFH ? TB_DFH : 0) |
        (~env->fpsr & FPSR_TRAPS ? TB_FP_TRAP : 0) |
        (env->cfm & CFM_ROT ? TB_ROT : 0) |
        (env->gr_nat[0] | env->gr_nat[1] ? TB_NATS : 0);
}

/* gr_index: of the register that code calls @r; rotating ones have others */
static inline uint32_t gr_index(CPUIA64State *env, uint32_t r)
{
    uint32_t sor = CFM_SOR(env->cfm), i = r - 32;

    if (r < 32 || i >= sor) {
        return r;
    }
    i += CFM_RRB_GR(env->cfm);
    return 32 + (i < sor ? i : i - sor);
}

static inline uint32_t pr_index(CPUIA64State *env, uint32_t p)
{
    uint32_t i = p - 16 + CFM_RRB_PR(env->cfm);

    return p < 16 ? p : 16 + (i < 48 ? i : i - 48);
}

static inline uint32_t fr_index(CPUIA64State *env, uint32_t f)
{
    uint32_t i = f - 32 + CFM_RRB_FR(env->cfm);

    return f < 32 ? f : 32 + (i < 96 ? i : i - 96);
}

static inline bool nat_get(CPUIA64State *env, uint32_t index)
{
    return env->gr_nat[index / 64] >> index % 64 & 1;
}

static inline void nat_set(CPUIA64State *env, uint32_t index, bool nat)
{
    env->gr_nat[index / 64] = deposit64(env->gr_nat[index / 64], index % 64, 1, nat);
}

#endif
