// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IA-64: translation of virtual addresses
 *
 * Translations are those that software inserts: there is no walker of the VHPT, which the
 * architecture allows (SDM 2:63). Where one would be active its place in the VHPT is told in
 * cr.iha. What is searched for here QEMU keeps in its own TLB; so each purge goes there, too,
 * whether something was found here or not.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"

/* Bit 63 of a physical address says that it is not cached. */
#define PHYS_MASK   MAKE_64BIT_MASK(0, TARGET_PHYS_ADDR_SPACE_BITS)
/* What is left of a virtual address without its region */
#define OFFSET_MASK MAKE_64BIT_MASK(0, 61)
#define VIRTUAL     0xf             /* as a set of QEMU's modes */

/* As a program has it in a register for itc, itr: SDM 2:54 */
#define PTE_P           (1ull << 0)
#define PTE_RESERVED    (1ull << 1 | 3ull << 50)
#define PTE_MA(pte)     extract64(pte, 2, 3)
#define PTE_A           (1ull << 5)
#define PTE_D           (1ull << 6)
#define PTE_PL(pte)     extract64(pte, 7, 2)
#define PTE_AR(pte)     extract64(pte, 9, 3)
#define PTE_PPN         (PHYS_MASK & ~0xfffull)
#define PTE_ED          (1ull << 52)

enum { MA_UC = 4, MA_UCE = 5, MA_NAT_PAGE = 7 };
enum { PKR_V = 1, PKR_WD = 2, PKR_RD = 4, PKR_XD = 8 };

#define RR_PS(rr)       extract64(rr, 2, 6)
#define PKR_KEY(pkr)    extract64(pkr, 8, 24)
/* Those that can be inserted: SDM 2:57 */
#define PAGE_SIZES      0x115557000ull

static uint32_t rid_of(CPUIA64State *env, uint64_t address)
{
    return extract64(env->rr[address >> 61], 8, 24);
}

static bool overlaps(const IA64Translation *t, uint32_t rid, uint64_t address, uint32_t ps)
{
    return t->valid && t->rid == rid &&
        !(((t->address ^ address) & OFFSET_MASK) >> MAX(t->ps, ps));
}

static IA64Translation *lookup(CPUIA64State *env, int side, uint64_t address)
{
    uint32_t rid = rid_of(env, address);
    int i;

    for (i = 0; i < IA64_NR_TR; i++) {
        if (overlaps(&env->tr[side][i], rid, address, 0)) {
            return &env->tr[side][i];
        }
    }
    for (i = 0; i < IA64_NR_TC; i++) {
        if (overlaps(&env->tc[side][i], rid, address, 0)) {
            return &env->tc[side][i];
        }
    }
    return NULL;
}

static uint64_t physical(const IA64Translation *t, uint64_t address)
{
    return deposit64(t->pte & PTE_PPN, 0, t->ps, address);
}

/* rights: what a page lets @level do, in QEMU's bits: SDM 2:56 */
static int rights(uint64_t pte, uint32_t level)
{
    uint32_t pl = PTE_PL(pte), ar = PTE_AR(pte);
    bool above = level == 0 || level < pl;

    if (ar == 7) {
        return PAGE_EXEC | (level == 0 ? PAGE_READ : 0);
    }
    if (level > pl) {
        return 0;
    }
    switch (ar) {
    case 0: return PAGE_READ;
    case 1: return PAGE_READ | PAGE_EXEC;
    case 2: return PAGE_READ | PAGE_WRITE;
    case 3: return PAGE_READ | PAGE_WRITE | PAGE_EXEC;
    case 4: return PAGE_READ | (above ? PAGE_WRITE : 0);
    case 5: return PAGE_READ | PAGE_EXEC | (level == 0 ? PAGE_WRITE : 0);
    default: return PAGE_READ | PAGE_WRITE | (above ? 0 : PAGE_EXEC);
    }
}

static bool is_implemented(uint64_t address)
{
    uint64_t offset = address & OFFSET_MASK;

    return (sextract64(offset, 0, IA64_VA_BITS) & OFFSET_MASK) == offset;
}

/* miss: the vector of an access that no translation is for */
static int miss(CPUIA64State *env, uint64_t address, uint64_t isr)
{
    bool walker = env->cr[CR_PTA] & 1 && env->rr[address >> 61] & 1 && env->psr & PSR_DT;

    if (isr & ISR_X) {
        return walker && env->psr & PSR_IC ? VEC_CODE_TLB : VEC_CODE_ALT;
    }
    if (!(env->psr & PSR_IC)) {
        return VEC_NESTED;
    }
    if (isr & ISR_RS && !(env->psr & PSR_RT)) {
        walker = false;
    }
    return walker ? VEC_DATA_TLB : VEC_DATA_ALT;
}

static int check_key(CPUIA64State *env, uint32_t key, uint64_t isr)
{
    uint64_t pkr;
    int i;

    for (i = 0; i < IA64_NR_PKR; i++) {
        pkr = env->pkr[i];
        if (pkr & PKR_V && PKR_KEY(pkr) == key) {
            return (isr & ISR_R && pkr & PKR_RD) || (isr & ISR_W && pkr & PKR_WD) ||
                (isr & ISR_X && pkr & PKR_XD) ? VEC_KEY_PERMISSION : 0;
        }
    }
    return isr & ISR_X ? VEC_CODE_KEY : VEC_DATA_KEY;
}

/*
 * check: the vector of what is wrong with an access, in the order that interruptions have; 0
 * if nothing is. The access is what @isr will say of it.
 */
static int check(CPUIA64State *env, const IA64Translation *t, uint64_t address, uint64_t isr,
                 uint32_t level, uint64_t psr)
{
    int need = (isr & ISR_R ? PAGE_READ : 0) | (isr & ISR_W ? PAGE_WRITE : 0) |
        (isr & ISR_X ? PAGE_EXEC : 0), vector;

    if (!is_implemented(address)) {
        return isr & ISR_X ? VEC_LOWER : VEC_GENERAL;
    }
    if (!t) {
        return miss(env, address, isr);
    }
    if (!(t->pte & PTE_P)) {
        return VEC_NOT_PRESENT;
    }
    if (PTE_MA(t->pte) == MA_NAT_PAGE) {
        return VEC_NAT;
    }
    vector = psr & PSR_PK ? check_key(env, t->key, isr) : 0;
    if (vector) {
        return vector;
    }
    if (need & ~rights(t->pte, level)) {
        return isr & ISR_X ? VEC_CODE_RIGHTS : VEC_DATA_RIGHTS;
    }
    if (isr & ISR_X) {
        return t->pte & PTE_A || psr & PSR_IA ? 0 : VEC_CODE_ACCESS;
    }
    if (psr & PSR_DA) {
        return 0;
    }
    if (isr & ISR_W && !(t->pte & PTE_D)) {
        return VEC_DIRTY;
    }
    return t->pte & PTE_A ? 0 : VEC_DATA_ACCESS;
}

/*
 * code_pte: of the page that this code is in; 0 if that is not translated, or not known any more.
 * A block keeps its ip no more exactly than by its page.
 */
static uint64_t code_pte(CPUIA64State *env)
{
    CPUTLBEntryFull *full;
    void *host;

    if (!(env->psr & PSR_IT) ||
        probe_access_full(env, env->ip, MMU_INST_FETCH, env->cpl, true, &host, &full, 0) &
        TLB_INVALID_MASK) {
        return 0;
    }
    return full->code_pte;
}

/* ia64_access_fault: the interruption @vector of an access to @address, of which @isr tells */
void ia64_access_fault(CPUIA64State *env, int vector, uint64_t address, uint64_t isr,
                       uintptr_t ra)
{
    switch (vector) {
    case VEC_NAT:
        isr |= NAT_PAGE;
        break;
    case VEC_GENERAL:
        isr |= GENERAL_RESERVED;
        break;
    case VEC_LOWER:
        isr = ISR_UNIMPLEMENTED | (uint64_t)env->ri << ISR_EI_SHIFT;
        break;
    default:
        if (!(isr & (ISR_X | ISR_RS)) && code_pte(env) & PTE_ED) {
            isr |= ISR_ED;
        }
    }
    env->access = 0;
    env->ifa = isr & ISR_X ? address & ~15ull : address;
    ia64_fault(env, vector, isr, ra);
}

/* usable: the rights that need no further look */
static int usable(CPUIA64State *env, const IA64Translation *t, int side, uint64_t address,
                  uint32_t level)
{
    uint64_t psr = env->psr & ~(PSR_IA | PSR_DA);

    if (side == SIDE_CODE) {
        return check(env, t, address, ISR_X, level, psr) ? 0 : PAGE_EXEC;
    }
    return (check(env, t, address, ISR_R, level, psr) ? 0 : PAGE_READ) |
        (check(env, t, address, ISR_W, level, psr) ? 0 : PAGE_WRITE);
}

static void set_page(CPUIA64State *env, const IA64Translation *t, int side, uint64_t address,
                     MMUAccessType type, uint32_t level)
{
    const IA64Translation *other = lookup(env, !side, address);
    int wanted = type == MMU_INST_FETCH ? PAGE_EXEC :
        type == MMU_DATA_STORE ? PAGE_WRITE : PAGE_READ;
    CPUTLBEntryFull full = {
        .phys_addr = physical(t, address) & TARGET_PAGE_MASK,
        .prot = usable(env, t, side, address, level),
        .lg_page_size = TARGET_PAGE_BITS,
    };

    if (other && physical(other, address) == physical(t, address)) {
        full.prot |= usable(env, other, !side, address, level);
    } else {
        other = NULL;
    }
    full.code_pte = side == SIDE_CODE ? t->pte : other ? other->pte : 0;
    full.data_pte = side == SIDE_DATA ? t->pte : other ? other->pte : 0;
    if (!(full.prot & wanted)) {
        /* psr.ia and psr.da are for one instruction; so is this. */
        full.prot = wanted;
        full.lg_page_size = 0;
    }
    tlb_set_page_full(env_cpu(env), level, address & TARGET_PAGE_MASK, &full);
}

/* ia64_tlb_fill: QEMU's hook for addresses that it does not know */
bool ia64_tlb_fill(CPUState *cs, vaddr address, int size, MMUAccessType type, int mmu_idx,
                   bool probe, uintptr_t ra)
{
    CPUIA64State *env = &IA64_CPU(cs)->env;
    int side = type == MMU_INST_FETCH ? SIDE_CODE : SIDE_DATA, vector;
    uint64_t isr = (type == MMU_INST_FETCH ? ISR_X : type == MMU_DATA_STORE ? ISR_W : ISR_R);
    IA64Translation *t;

    if (mmu_idx == MMU_PHYS) {
        tlb_set_page(cs, address & TARGET_PAGE_MASK, address & PHYS_MASK & TARGET_PAGE_MASK,
                     PAGE_READ | PAGE_WRITE | PAGE_EXEC, mmu_idx, TARGET_PAGE_SIZE);
        return true;
    }
    if (type != MMU_INST_FETCH) {
        isr |= env->access;
    }
    t = lookup(env, side, address);
    vector = check(env, t, address, isr, mmu_idx, env->psr);
    if (vector) {
        if (probe) {
            return false;
        }
        ia64_access_fault(env, vector, address, isr, ra);
    }
    set_page(env, t, side, address, type, mmu_idx);
    return true;
}

/* ia64_get_phys_page_debug: QEMU's hook for its monitor */
hwaddr ia64_get_phys_page_debug(CPUState *cs, vaddr address)
{
    CPUIA64State *env = &IA64_CPU(cs)->env;
    IA64Translation *t;

    if (!(env->psr & PSR_DT)) {
        return address & PHYS_MASK & TARGET_PAGE_MASK;
    }
    t = lookup(env, SIDE_DATA, address);
    if (!t) {
        t = lookup(env, SIDE_CODE, address);
    }
    return t && t->pte & PTE_P ? physical(t, address) & TARGET_PAGE_MASK : -1;
}

/*
 * Insertion and purge
 */

/* forget: what QEMU knows of these addresses, in each region that has this identifier */
static void forget(CPUIA64State *env, uint32_t rid, uint64_t address, uint32_t ps)
{
    uint64_t start = address & OFFSET_MASK & ~MAKE_64BIT_MASK(0, ps), region;

    for (region = 0; region < 8; region++) {
        if (rid_of(env, region << 61) == rid) {
            tlb_flush_range_by_mmuidx(env_cpu(env), region << 61 | start,
                                      MAX(1ull << ps, (uint64_t)TARGET_PAGE_SIZE), VIRTUAL,
                                      TARGET_LONG_BITS);
        }
    }
}

static void purge(CPUIA64State *env, IA64Translation *array, int n, uint32_t rid,
                  uint64_t address, uint32_t ps)
{
    int i;

    for (i = 0; i < n; i++) {
        if (overlaps(&array[i], rid, address, ps)) {
            array[i].valid = false;
            forget(env, rid, array[i].address, array[i].ps);
        }
    }
}

/* purge_tc: of both sides */
static void purge_tc(CPUIA64State *env, uint32_t rid, uint64_t address, uint32_t ps)
{
    purge(env, env->tc[SIDE_DATA], IA64_NR_TC, rid, address, ps);
    purge(env, env->tc[SIDE_CODE], IA64_NR_TC, rid, address, ps);
    forget(env, rid, address, ps);
}

static void insert(CPUIA64State *env, IA64Translation *t, int side, uint64_t pte, uintptr_t ra)
{
    uint64_t itir = env->cr[CR_ITIR], address = env->cr[CR_IFA];
    uint32_t ps = extract64(itir, 2, 6), ma = PTE_MA(pte);

    if (env->psr & PSR_IC) {
        ia64_fault(env, VEC_GENERAL, GENERAL_ILLEGAL, ra);
    }
    if (itir & 3 || !(PAGE_SIZES >> ps & 1) || !is_implemented(address) ||
        (pte & PTE_P && (pte & PTE_RESERVED || itir >> 32 || (ma && ma < MA_UC)))) {
        ia64_fault(env, VEC_GENERAL, GENERAL_RESERVED, ra);
    }
    if (ps < TARGET_PAGE_BITS) {
        cpu_restore_state(env_cpu(env), ra);
        ia64_stop(env, "there are no pages of less than 16 KB");
    }
    if (t->valid) {
        t->valid = false;
        forget(env, t->rid, t->address, t->ps);
    }
    purge(env, env->tc[side], IA64_NR_TC, rid_of(env, address), address, ps);
    forget(env, rid_of(env, address), address, ps);
    *t = (IA64Translation) {
        .valid = true,
        .ps = ps,
        .rid = rid_of(env, address),
        .key = extract64(itir, 8, 24),
        .address = address & ~MAKE_64BIT_MASK(0, ps),
        .pte = pte,
    };
}

void HELPER(itc)(CPUIA64State *env, uint64_t pte, uint32_t side)
{
    uint32_t *next = &env->next_tc[side];

    insert(env, &env->tc[side][*next], side, pte, GETPC());
    *next = (*next + 1) % IA64_NR_TC;
}

void HELPER(itr)(CPUIA64State *env, uint64_t slot, uint64_t pte, uint32_t side)
{
    slot &= 0xff;
    if (slot >= IA64_NR_TR) {
        ia64_fault(env, VEC_GENERAL, GENERAL_RESERVED, GETPC());
    }
    insert(env, &env->tr[side][slot], side, pte, GETPC());
}

static uint32_t purge_size(uint64_t size)
{
    return MAX(extract64(size, 2, 6), 12);
}

void HELPER(ptc)(CPUIA64State *env, uint64_t address, uint64_t size)
{
    purge_tc(env, rid_of(env, address), address, purge_size(size));
}

typedef struct PurgeRequest {
    uint64_t address;
    uint32_t rid, ps;
} PurgeRequest;

static void purge_work(CPUState *cs, run_on_cpu_data data)
{
    PurgeRequest *p = data.host_ptr;

    purge_tc(&IA64_CPU(cs)->env, p->rid, p->address, p->ps);
    g_free(p);
}

/*
 * ptc_g: of all CPUs, before this one has another instruction. For that its own part is work that
 * waits until no CPU executes; the others do theirs before they go on.
 */
void HELPER(ptc_g)(CPUIA64State *env, uint64_t address, uint64_t size)
{
    PurgeRequest request = {
        .address = address, .rid = rid_of(env, address), .ps = purge_size(size),
    };
    CPUState *cs;

    if (!CPU_NEXT(first_cpu)) {
        purge_tc(env, request.rid, request.address, request.ps);
        return;
    }
    CPU_FOREACH(cs) {
        if (cs != env_cpu(env)) {
            async_run_on_cpu(cs, purge_work,
                             RUN_ON_CPU_HOST_PTR(g_memdup(&request, sizeof(request))));
        }
    }
    async_safe_run_on_cpu(env_cpu(env), purge_work,
                          RUN_ON_CPU_HOST_PTR(g_memdup(&request, sizeof(request))));
}

void HELPER(ptr)(CPUIA64State *env, uint64_t address, uint64_t size, uint32_t side)
{
    uint32_t ps = purge_size(size);

    purge(env, env->tr[side], IA64_NR_TR, rid_of(env, address), address, ps);
    purge(env, env->tc[side], IA64_NR_TC, rid_of(env, address), address, ps);
    forget(env, rid_of(env, address), address, ps);
}

void HELPER(ptc_e)(CPUIA64State *env)
{
    memset(env->tc, 0, sizeof(env->tc));
    tlb_flush_by_mmuidx(env_cpu(env), VIRTUAL);
}

/* ia64_mmu_changed: a register that decides on accesses has another value */
void ia64_mmu_changed(CPUIA64State *env)
{
    tlb_flush_by_mmuidx(env_cpu(env), VIRTUAL);
}

void HELPER(mov_to_rr)(CPUIA64State *env, uint64_t region, uint64_t val)
{
    if (val >> 32 || val & 2 || !(PAGE_SIZES >> RR_PS(val) & 1)) {
        ia64_fault(env, VEC_GENERAL, GENERAL_RESERVED, GETPC());
    }
    if (env->rr[region >> 61] != val) {
        env->rr[region >> 61] = val;
        ia64_mmu_changed(env);
    }
}

void HELPER(mov_to_pkr)(CPUIA64State *env, uint64_t index, uint64_t val)
{
    int i;

    index &= 0xff;
    if (index >= IA64_NR_PKR || val >> 32 || val & 0xf0) {
        ia64_fault(env, VEC_GENERAL, GENERAL_RESERVED, GETPC());
    }
    /* A key is in one register at most. */
    for (i = 0; i < IA64_NR_PKR; i++) {
        if (val & PKR_V && PKR_KEY(env->pkr[i]) == PKR_KEY(val)) {
            env->pkr[i] &= ~(uint64_t)PKR_V;
        }
    }
    env->pkr[index] = val;
    ia64_mmu_changed(env);
}

/*
 * Instructions that ask
 */

/* ia64_thash: where the VHPT has the translation of @address; the short format: SDM 2:66 */
uint64_t ia64_thash(CPUIA64State *env, uint64_t address)
{
    uint64_t pta = env->cr[CR_PTA], mask = (1ull << extract64(pta, 2, 6)) - 1;
    uint64_t page = (address & MAKE_64BIT_MASK(0, IA64_VA_BITS)) >>
        RR_PS(env->rr[address >> 61]) << 3;

    if (pta & 1 << 8) {
        ia64_stop(env, "there is no long format of the VHPT");
    }
    return (address & ~OFFSET_MASK) | (pta & ~mask & OFFSET_MASK) | (page & mask);
}

uint64_t HELPER(thash)(CPUIA64State *env, uint64_t address)
{
    return ia64_thash(env, address);
}

/* ttag: whatever tells the pages of a region from each other, with the region's identifier */
uint64_t HELPER(ttag)(CPUIA64State *env, uint64_t address)
{
    return (uint64_t)rid_of(env, address) << 39 |
        (address & MAKE_64BIT_MASK(0, IA64_VA_BITS)) >> 12;
}

uint64_t HELPER(tpa)(CPUIA64State *env, uint64_t address)
{
    IA64Translation *t = lookup(env, SIDE_DATA, address);
    int vector = check(env, t, address, ISR_NA | NA_TPA, env->cpl, 0);

    switch (vector) {
    case VEC_DATA_ACCESS:
    case 0:
        return physical(t, address);
    default:
        ia64_access_fault(env, vector, address, ISR_NA | NA_TPA, GETPC());
    }
}

uint64_t HELPER(tak)(CPUIA64State *env, uint64_t address)
{
    IA64Translation *t = lookup(env, SIDE_DATA, address);

    return t && t->pte & PTE_P ? (uint64_t)t->key << 8 : 1;
}

/* probe: the answer; @isr has ISR_R or ISR_W */
uint64_t HELPER(probe)(CPUIA64State *env, uint64_t address, uint64_t level, uint64_t isr)
{
    IA64Translation *t = lookup(env, SIDE_DATA, address);
    int vector;

    level = MAX(level & 3, env->cpl);
    isr |= ISR_NA | NA_PROBE;
    vector = check(env, t, address, isr, level, env->psr);
    switch (vector) {
    case 0: case VEC_DIRTY: case VEC_DATA_ACCESS:
        return 1;
    case VEC_GENERAL: case VEC_KEY_PERMISSION: case VEC_DATA_RIGHTS:
        return 0;
    default:
        ia64_access_fault(env, vector, address, isr, GETPC());
    }
}

/* touch: probe.fault, lfetch.fault, fc: a fault if the access @isr is not allowed */
void HELPER(touch)(CPUIA64State *env, uint64_t address, uint32_t level, uint64_t isr)
{
    uint64_t psr = env->psr;
    int vector;

    if (!(psr & PSR_DT) || ((isr & 15) == NA_LFETCH && psr & PSR_ED)) {
        return;
    }
    if ((isr & 15) == NA_FC) {
        psr = (psr & ~PSR_PK) | PSR_DA;
    }
    vector = check(env, lookup(env, SIDE_DATA, address), address, isr, MAX(level, env->cpl), psr);
    if (vector) {
        ia64_access_fault(env, vector, address, isr, GETPC());
    }
}

/*
 * Speculative loads
 */

/* defers: @vector of such a load becomes a NaT: SDM 2:107 */
static bool defers(CPUIA64State *env, int vector)
{
    int bit;

    if (!(env->psr & PSR_IC)) {
        return true;
    }
    switch (vector) {
    case VEC_GENERAL: case VEC_NAT:
        return true;
    case VEC_DATA_ALT: case VEC_DATA_TLB:
        bit = 8;
        break;
    case VEC_NOT_PRESENT:
        bit = 9;
        break;
    case VEC_DATA_KEY:
        bit = 10;
        break;
    case VEC_KEY_PERMISSION:
        bit = 11;
        break;
    case VEC_DATA_RIGHTS:
        bit = 12;
        break;
    case VEC_DATA_ACCESS:
        bit = 13;
        break;
    default:                    /* VEC_UNALIGNED */
        return code_pte(env) & PTE_ED;
    }
    return code_pte(env) & PTE_ED && env->cr[CR_DCR] >> bit & 1;
}

/* page_defers: look at all that is wrong with a page, for some of it may not be deferred */
static bool page_defers(CPUIA64State *env, uint64_t address, uintptr_t ra)
{
    uint64_t psr = env->psr, access = ISR_R | ISR_SP;
    IA64Translation *t = lookup(env, SIDE_DATA, address);
    bool result = false;
    int vector;

    while ((vector = check(env, t, address, access, env->cpl, psr))) {
        if (!defers(env, vector)) {
            ia64_access_fault(env, vector, address, ISR_R | ISR_SP, ra);
        }
        result = true;
        switch (vector) {
        case VEC_DATA_KEY: case VEC_KEY_PERMISSION:
            psr &= ~PSR_PK;
            break;
        case VEC_DATA_RIGHTS:
            access &= ~ISR_R;
            break;
        case VEC_DATA_ACCESS:
            psr |= PSR_DA;
            break;
        default:
            return true;
        }
    }
    return result;
}

/* ia64_load_defers: whether a speculative load of @size bytes has a NaT for its result */
bool ia64_load_defers(CPUIA64State *env, uint64_t address, uint32_t size, uintptr_t ra)
{
    uint64_t at[2] = { address, address + size - 1 };
    CPUTLBEntryFull *full;
    bool result = false;
    void *host;
    int i;

    if (env->psr & PSR_ED) {
        return true;
    }
    for (i = 0; i < 2; i++) {
        if (!(env->psr & PSR_DT)) {
            /* Memory that is not cached cannot be speculated upon. */
            result |= at[i] >> 63;
        } else if (probe_access_full(env, at[i], MMU_DATA_LOAD, env->cpl, true, &host, &full, 0) &
                   TLB_INVALID_MASK) {
            result |= page_defers(env, at[i], ra);
        } else {
            result |= PTE_MA(full->data_pte) == MA_UC || PTE_MA(full->data_pte) == MA_UCE;
        }
        if (!((at[0] ^ at[1]) & TARGET_PAGE_MASK)) {
            break;
        }
    }
    if (env->psr & PSR_AC && address & (size - 1)) {
        if (!defers(env, VEC_UNALIGNED)) {
            ia64_access_fault(env, VEC_UNALIGNED, address, ISR_R | ISR_SP, ra);
        }
        result = true;
    }
    return result;
}

/* epc: a page that can only be executed may raise the level */
void HELPER(epc)(CPUIA64State *env)
{
    uint64_t pte;

    if (env->pfs >> PFS_PPL_SHIFT < env->cpl) {
        ia64_fault(env, VEC_GENERAL, GENERAL_ILLEGAL, GETPC());
    }
    if (!(env->psr & PSR_IT)) {
        ia64_set_cpl(env, 0);
        return;
    }
    pte = code_pte(env);
    if (!pte) {
        /* Fetched before it was purged: it has to be found again. */
        ia64_access_fault(env, miss(env, env->ip, ISR_X), env->ip, ISR_X, GETPC());
    }
    /* Other pages have no code for levels below their own. */
    ia64_set_cpl(env, MIN(env->cpl, PTE_PL(pte)));
}
