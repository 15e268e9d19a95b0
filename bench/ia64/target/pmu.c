// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IA-64: the performance monitoring units of Itanium, Itanium 2 and Montecito
 *
 * What all have is in the SDM, volume 2, chapter 7; numbers, fields and events of a model
 * are in Intel's reference manuals of the processors, and were compared with libpfm (HP's library
 * of events, with a union of fields for each register) and with Intel's own driver for VTune.
 *
 * A slot is a cycle and an instruction, one that faults is neither.
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "pmu-target.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"

#define FIRST_COUNTER   4           /* PMC and PMD of the first one: SDM 2:156 */

#define PMC0_FR         1ull        /* nothing is monitored */
#define PMC_OI          (1ull << 5)
#define PMC_PM          6           /* a bit that is 1 in privileged monitors */
#define PMC_ES(pmc)     extract64(pmc, 8, 8)
#define PMC_UMASK(pmc)  extract64(pmc, 16, 4)
#define PMC_THRESHOLD(pmc) extract64(pmc, 20, 3)
#define PMC_ISM(pmc)    extract64(pmc, 24, 2)
#define ISM_IA64        2           /* 0: of both instruction sets; with bit 0, not of IA-64 */

/* Of the ranges' control, where pairs have a bit each */
#define RANGES_FINE     (1ull << 13)

/* Of the trace buffer's control */
#define TRACE_DS        (1ull << 7)
#define TRACE_NOT_TAKEN (1ull << 8)
#define TRACE_TAKEN     (1ull << 9)
#define TRACE_GUESSED   (1ull << 11 | 1ull << 13)   /* targets and predicates, rightly */
#define TRACE_BRT(pmc)  extract64(pmc, 14, 2)
/* Of an entry: a target has neither, and the bit that says that it is there */
#define ENTRY_BRANCH    1
#define ENTRY_TARGET    2
#define ENTRY_NO_SLOT   3           /* for slot: the branch was not taken */

/* An event address register: its control, where pm is in that, its data registers */
typedef struct PMUEar {
    uint8_t control, pm, address, latency;
    uint8_t code;                   /* where the instruction is; 0 if that is the address */
} PMUEar;

struct IA64PMUModel {
    uint8_t family;                 /* CPUID[3] 31:24 */
    uint8_t counters, width;
    bool sign;                      /* bits above the width are copies of the highest */
    uint64_t pmcs[PMU_NR_REGISTERS], pmds[PMU_NR_REGISTERS];    /* bits that there are */
    uint64_t resets[PMU_NR_REGISTERS];      /* PMCs as firmware leaves them: nothing restricts */
    uint64_t power;                 /* in the first counter's PMC: 0, and the PMU is off */
    bool must_ism;                  /* nothing counts unless ISM says IA-64 */
    /* Events; of the first five all but cycles are for the first counters only, if that is not 0 */
    uint8_t cycles, insns, nops, loads, stores, captured, data_event, code_event;
    uint8_t first_only;
    PMUEar data, fetch;
    struct {
        uint8_t control, first, entries, index, full;   /* full: the bit of it in the index */
        uint8_t extension;          /* two bits an entry, in a register or in the index; or 0 */
        bool typed;                 /* the control can ask for a type of branch */
    } trace;
    /* Which pairs of IBRs restrict is in @control; 0 in a bit restricts */
    struct {
        uint8_t control;
        bool one;                   /* one bit for all pairs; not one a pair, and for each its event */
        uint8_t opcodes;            /* a register with two bits for the first pair */
        uint8_t ignore, invert;
    } ranges;
};

#define PMC_BITS(counters)  (PMC0_FR | (counters))
#define ADDRESS_OF_LINE     ~0x1cull            /* and a bit or two that say what it is */

static const IA64PMUModel models[] = {
    {
        .family = 0x07, .counters = 4, .width = 32,
        .pmcs = {
            [0] = PMC_BITS(0xf0), [4 ... 7] = 0x037f7f7f, [8 ... 9] = 0xfffffffe3ffffff8,
            [10] = 0x030f00cf, [11] = 0x130f00cf, [12] = 0xffcf, [13] = 0x0003ffff00000001,
        },
        .resets = {
            [8 ... 9] = 0xf00000003ffffff8, [11] = 0x10000000, [13] = 0x0003ffff00000001,
        },
        .pmds = {
            [0] = ADDRESS_OF_LINE, [1] = 0xfff, [2] = ~0ull, [3] = 0xc000000000000fff,
            [8 ... 15] = ~0ull, [16] = 0xf, [17] = ~2ull,
        },
        .cycles = 0x12, .insns = 0x08, .nops = 0x30, .loads = 0x6c, .stores = 0x6d,
        .captured = 0x11, .data_event = 0x67, .code_event = 0x23, .first_only = 2,
        .data = { .control = 11, .pm = PMC_PM, .address = 2, .latency = 3, .code = 17 },
        .fetch = { .control = 10, .pm = PMC_PM, .address = 0, .latency = 1 },
        .trace = { .control = 12, .first = 8, .entries = 8, .index = 16, .full = 3 },
        .ranges = { .control = 13, .one = true },
    }, {
        .family = 0x1f, .counters = 4, .width = 47, .sign = true,
        .pmcs = {
            [0] = PMC_BITS(0xf0), [4] = 0x0fffff7f, [5 ... 7] = 0x0f7fff7f,
            [8 ... 9] = 0xffffffff3fffffff, [10] = 0xffff, [11] = 0x030f01cf, [12] = 0xffcf,
            [13] = 0x0001e078fefefefe, [14] = 0x0db60db60db62db6, [15] = 0xffffffff,
        },
        .resets = {
            [4] = 0x800000, [8] = 0xffffffff3fffffff, [9] = 0xffffffff3ffffffc,
            [13] = 0x2078fefefefe, [14] = 0x0db60db60db60db6, [15] = 0xfffffff0,
        },
        .pmds = {
            [0] = ADDRESS_OF_LINE, [1] = 0x1fff, [2] = ~0ull, [3] = 0xffff,
            [8 ... 15] = ~0ull, [16] = 0x33333333f, [17] = ~0ull,
        },
        .power = 1ull << 23,
        .cycles = 0x12, .insns = 0x08, .nops = 0x50, .loads = 0xcd, .stores = 0xd1,
        .captured = 0x11, .data_event = 0xc8, .code_event = 0x43,
        .data = { .control = 11, .pm = PMC_PM, .address = 2, .latency = 3, .code = 17 },
        .fetch = { .control = 10, .pm = 4, .address = 0, .latency = 1 },
        .trace = { .control = 12, .first = 8, .entries = 8, .index = 16, .full = 3,
                   .extension = 16, .typed = true },
        .ranges = { .control = 14, .opcodes = 8, .ignore = 0, .invert = 1 },
    }, {
        .family = 0x20, .counters = 12, .width = 47, .sign = true,
        .pmcs = {
            [0] = PMC_BITS(0xfff0), [4 ... 15] = 0x7f7fff7f,
            [32] = 0x030f01ffffffffff, [33] = 0x1ffffffffff, [34] = 0x000f01ffffffffff,
            [35] = 0x1ffffffffff, [36] = 0xffffffff, [37] = 0x3fff, [38] = 0x2db6,
            [39] = 0xffcf, [40] = 0x030f01cf, [41] = 0x0001e078fefefefe, [42] = 0x7ff4f,
        },
        .resets = {
            [4 ... 15] = 0x2000000, [32] = 0x030f01ffffffffff, [34] = 0x000f01ffffffffff,
            [36] = 0xfffffff0, [38] = 0xdb6, [40] = 0x2000000, [41] = 0x2078fefefefe,
        },
        .pmds = {
            [32] = ~0ull, [33] = 0xffff, [34] = ADDRESS_OF_LINE, [35] = 0x1fff, [36] = ~0ull,
            [38] = 0x2f, [39] = ~0ull, [48 ... 63] = ~0ull,
        },
        .must_ism = true,
        .cycles = 0x12, .insns = 0x08, .nops = 0x50, .loads = 0xcd, .stores = 0xd1,
        .captured = 0x11, .data_event = 0xc8, .code_event = 0x43,
        .data = { .control = 40, .pm = PMC_PM, .address = 32, .latency = 33, .code = 36 },
        .fetch = { .control = 37, .pm = 4, .address = 34, .latency = 35 },
        .trace = { .control = 39, .first = 48, .entries = 16, .index = 38, .full = 5,
                   .extension = 39, .typed = true },
        .ranges = { .control = 38, .opcodes = 32, .ignore = 57, .invert = 56 },
    },
};

static const IA64PMUModel *model_of(CPUIA64State *env)
{
    uint32_t family = IA64_CPU_GET_CLASS(env_cpu(env))->cpuid3 >> 24;
    int i;

    for (i = 0; models[i].family != family; i++) {
    }
    return &models[i];
}

static bool is_counter(const IA64PMUModel *model, uint32_t n)
{
    return n >= FIRST_COUNTER && n < FIRST_COUNTER + model->counters;
}

/*
 * What counts, and where
 */

/* runs: whether anything is monitored at all */
static bool runs(CPUIA64State *env)
{
    const PMURegisters *regs = &env->pmu.regs;
    uint64_t power = regs->model->power;

    return !(regs->pmc[0] & PMC0_FR) && (!power || regs->pmc[FIRST_COUNTER] & power);
}

/* modes_of: those in which a control, whose pm is bit @pm, enables what it controls: SDM 2:158 */
static uint16_t modes_of(uint64_t control, unsigned pm)
{
    bool privileged = control >> pm & 1;
    uint16_t modes = 0;
    int mode;

    for (mode = 0; mode < 16; mode++) {
        if (control >> mode / 4 & 1 && mode & (privileged ? 1 : 2)) {
            modes |= 1u << mode;
        }
    }
    return modes;
}

/* is_restricted: whether instructions of this pair's event are counted in its range alone */
static bool is_restricted(CPUIA64State *env, int pair)
{
    const PMURegisters *regs = &env->pmu.regs;
    const IA64PMUModel *model = regs->model;
    uint64_t control = regs->pmc[model->ranges.control];

    if (model->ranges.one) {
        return !(control & 1);
    }
    return !(control >> (1 + 3 * pair) & 1) &&
        !(pair == 0 && regs->pmc[model->ranges.opcodes] >> model->ranges.ignore & 1);
}

/* insns_source: instructions; where there is an event for each pair, the mask says which */
static PMUSource insns_source(CPUIA64State *env, uint64_t pmc)
{
    int pair = env->pmu.regs.model->ranges.one ? 0 : PMC_UMASK(pmc);

    if (pair > 3) {
        return PMU_NOTHING;
    }
    return is_restricted(env, pair) ? PMU_IN_RANGE + pair : PMU_INSNS;
}

static PMUSource source_of(CPUIA64State *env, int counter)
{
    const IA64PMUModel *model = env->pmu.regs.model;
    uint64_t pmc = env->pmu.regs.pmc[FIRST_COUNTER + counter];
    uint32_t es = PMC_ES(pmc), ism = PMC_ISM(pmc);

    /* Above the threshold is what happens more than once a cycle, which is nothing here. */
    if (PMC_THRESHOLD(pmc) || ism & 1 || (model->must_ism && ism != ISM_IA64)) {
        return PMU_NOTHING;
    }
    if (es == model->cycles) {
        return PMU_CYCLES;
    }
    if (es == model->captured) {
        return PMU_CAPTURED;
    }
    if (es == model->data_event) {
        return PMU_DATA_EVENTS;
    }
    if (es == model->code_event) {
        return PMU_CODE_EVENTS;
    }
    if (model->first_only && counter >= model->first_only) {
        return PMU_NOTHING;
    }
    if (es == model->insns) {
        return insns_source(env, pmc);
    }
    return es == model->nops ? PMU_NOPS : es == model->loads ? PMU_LOADS :
        es == model->stores ? PMU_STORES : PMU_NOTHING;
}

/* trace_modes_of: all branches are predicted rightly, so that others alone are none */
static uint16_t trace_modes_of(CPUIA64State *env)
{
    const IA64PMUModel *model = env->pmu.regs.model;
    uint64_t control = env->pmu.regs.pmc[model->trace.control];

    if (!(control & (TRACE_TAKEN | TRACE_NOT_TAKEN)) ||
        (control & TRACE_GUESSED) != TRACE_GUESSED || (model->trace.typed && control & TRACE_DS)) {
        return 0;
    }
    return modes_of(control, PMC_PM);
}

void pmu_target_update(CPUIA64State *env)
{
    PMURegisters *regs = &env->pmu.regs;
    bool on = runs(env);
    int i;

    for (i = 0; i < regs->model->counters; i++) {
        env->pmu.counter[i].source = on ? source_of(env, i) : PMU_NOTHING;
        env->pmu.counter[i].modes = modes_of(regs->pmc[FIRST_COUNTER + i], PMC_PM);
    }
    regs->trace_modes = on ? trace_modes_of(env) : 0;
}

void pmu_target_set_active(CPUIA64State *env, bool active)
{
    unsigned mode = pmu_target_mode(env);
    uint32_t flags = active ? TB_PMU : 0;
    int i;

    if (env->pmu.regs.trace_modes & mode) {
        flags |= TB_BTB;
    }
    for (i = 0; i < PMU_MAX_COUNTERS; i++) {
        const PMUCounter *counter = &env->pmu.counter[i];

        if (counter->source >= PMU_IN_RANGE && counter->source < PMU_IN_RANGE + 4 &&
            counter->modes & mode) {
            flags |= TB_RANGE;
        }
    }
    env->pmu.regs.flags = flags;
}

/*
 * Overflow
 */

static uint64_t width_mask(CPUIA64State *env)
{
    return MAKE_64BIT_MASK(0, env->pmu.regs.model->width);
}

uint64_t pmu_target_left(CPUIA64State *env, const PMUCounter *counter)
{
    return width_mask(env) - counter->value + 1;
}

bool pmu_target_add(CPUIA64State *env, PMUCounter *counter, uint64_t events)
{
    bool carry;

    counter->value += events;
    carry = counter->value > width_mask(env);
    counter->value &= width_mask(env);
    return carry;
}

/* asks: whether one of the @overflows, as PMC0 has them, is of a counter that interrupts */
static bool asks(CPUIA64State *env, uint64_t overflows)
{
    const PMURegisters *regs = &env->pmu.regs;
    int n;

    for (n = FIRST_COUNTER; n < FIRST_COUNTER + regs->model->counters; n++) {
        if (overflows >> n & 1 && regs->pmc[n] & PMC_OI) {
            return true;
        }
    }
    return false;
}

bool pmu_target_overflow(CPUIA64State *env, uint32_t counters)
{
    uint64_t overflows = (uint64_t)counters << FIRST_COUNTER;

    env->pmu.regs.pmc[0] |= overflows;
    if (!asks(env, overflows)) {
        return false;
    }
    env->pmu.regs.pmc[0] |= PMC0_FR;
    return true;
}

/* pmu_target_interrupt: one that cr.pmv masks is lost: SDM 2:161 */
void pmu_target_interrupt(CPUIA64State *env)
{
    uint64_t pmv = env->cr[CR_PMV];

    if (!(pmv >> 16 & 1)) {
        env->pmu.nr_interrupts++;
        ia64_pend(env_archcpu(env), pmv & 0xff);
    }
}

/*
 * thaw: PMC0 was written, and nothing is frozen any more. Software has to clear the bits of counters
 * that have overflowed, too, if monitors are enabled by psr: else there may be further
 * interrupts (SDM 2:157), and here there are, so that nobody can forget it.
 */
static void thaw(CPUIA64State *env)
{
    PMURegisters *regs = &env->pmu.regs;

    if (env->psr & (PSR_UP | PSR_PP) && asks(env, regs->pmc[0])) {
        regs->pmc[0] |= PMC0_FR;
        pmu_request_interrupt(env);
    }
}

/*
 * Ranges of code
 */

/* pair_matches: the IBRs @pair, if they are no breakpoint */
static bool pair_matches(CPUIA64State *env, int pair, uint64_t address)
{
    uint64_t match = env->ibr[2 * pair], control = env->ibr[2 * pair + 1];
    uint64_t mask = control | 0xffull << 56;

    return !(control >> 63) && control >> (56 + env->cpl) & 1 && !((address ^ match) & mask);
}

/* fine_matches: two pairs in one page of 4 KB, the first bundle and the last */
static bool fine_matches(CPUIA64State *env, int pair, uint64_t address)
{
    uint64_t first = env->ibr[2 * pair], last = env->ibr[2 * (pair + 2)];

    return pair_matches(env, pair, address) && pair_matches(env, pair + 2, address) &&
        (address & 0xff0) >= (first & 0xff0) && (address & 0xff0) <= (last & 0xff0);
}

static bool is_in_range(CPUIA64State *env, int pair, uint64_t address)
{
    const PMURegisters *regs = &env->pmu.regs;
    const IA64PMUModel *model = regs->model;
    bool inside;
    int i;

    if (model->ranges.one) {
        for (i = 0; i < 4; i++) {
            if (pair_matches(env, i, address)) {
                return true;
            }
        }
        return false;
    }
    if (regs->pmc[model->ranges.control] & RANGES_FINE) {
        inside = pair < 2 && fine_matches(env, pair, address);
    } else {
        inside = pair_matches(env, pair, address);
    }
    return inside != (pair == 0 && regs->pmc[model->ranges.opcodes] >> model->ranges.invert & 1);
}

/**
 * ia64_pmu_count_range() - an instruction of the bundle at @address begins, or is taken back
 * @by: 1 or -1
 *
 * The total of each range that has the bundle is changed. Nothing that it depends on may
 * change before the instruction is taken back.
 */
void ia64_pmu_count_range(CPUIA64State *env, uint64_t address, int by)
{
    int pair;

    for (pair = 0; pair < 4; pair++) {
        if (is_in_range(env, pair, address)) {
            env->pmu.own[PMU_IN_RANGE + pair - PMU_FIRST_OWN] += by;
        }
    }
}

void HELPER(pmu_range)(CPUIA64State *env, uint64_t address)
{
    ia64_pmu_count_range(env, address, 1);
}

/*
 * The trace of branches
 */

/* clear_extension: an entry's two bits say that all is in its first bundle, and well predicted */
static void clear_extension(PMURegisters *regs, uint32_t entry)
{
    const IA64PMUModel *model = regs->model;
    uint32_t at;

    if (!model->trace.extension) {
        return;
    }
    if (model->trace.extension == model->trace.index) {
        at = 4 + 4 * entry;
    } else {
        /* Entries 0, 8, 1, 9 and so on */
        at = 4 * (entry < 8 ? 2 * entry : 2 * (entry - 8) + 1);
    }
    regs->pmd[model->trace.extension] &= ~(3ull << at);
}

static void put(PMURegisters *regs, uint64_t val)
{
    const IA64PMUModel *model = regs->model;
    uint64_t *index = &regs->pmd[model->trace.index];
    uint32_t entry = *index & (model->trace.entries - 1);

    regs->pmd[model->trace.first + entry] = val;
    clear_extension(regs, entry);
    entry = (entry + 1) % model->trace.entries;
    *index = (*index & ~(uint64_t)(model->trace.entries - 1)) | entry;
    if (entry == 0) {
        *index |= 1ull << model->trace.full;
    }
}

/*
 * pmu_branch: one in the slot whose number is in the low bits of @from. @form has its type, and
 * BRANCH_TAKEN.
 */
void HELPER(pmu_branch)(CPUIA64State *env, uint64_t from, uint64_t target, uint32_t form)
{
    PMURegisters *regs = &env->pmu.regs;
    uint64_t control = regs->pmc[regs->model->trace.control];
    bool taken = form & BRANCH_TAKEN;

    if (!(control & (taken ? TRACE_TAKEN : TRACE_NOT_TAKEN)) ||
        (regs->model->trace.typed && TRACE_BRT(control) && TRACE_BRT(control) != (form & 3))) {
        return;
    }
    put(regs, (from & ~15ull) | (taken ? from & 3 : ENTRY_NO_SLOT) << 2 | ENTRY_BRANCH);
    if (taken) {
        put(regs, (target & ~15ull) | ENTRY_TARGET);
    }
    env->pmu.own[PMU_CAPTURED - PMU_FIRST_OWN]++;
}

/*
 * Events that there is no cache for: the bench says that one happens
 */

static bool ear_runs(CPUIA64State *env, const PMUEar *ear)
{
    uint64_t control = env->pmu.regs.pmc[ear->control];

    return runs(env) && modes_of(control, ear->pm) & pmu_target_mode(env);
}

static void store_pmd(PMURegisters *regs, uint32_t n, uint64_t val)
{
    regs->pmd[n] = val & regs->model->pmds[n];
}

static void data_event(CPUIA64State *env, uint64_t val)
{
    PMURegisters *regs = &env->pmu.regs;
    const PMUEar *ear = &regs->model->data;

    if (!ear_runs(env, ear)) {
        return;
    }
    store_pmd(regs, ear->address, regs->address);
    store_pmd(regs, ear->latency, val);
    /* Valid, slot; later models have them the other way round. */
    store_pmd(regs, ear->code, env->ip | (regs->model->sign ? 8 | env->ri : 1 | env->ri << 2));
    env->pmu.own[PMU_DATA_EVENTS - PMU_FIRST_OWN]++;
}

/* code_event: bits 17:16 of @val are those of the address that say what it is */
static void code_event(CPUIA64State *env, uint64_t val)
{
    PMURegisters *regs = &env->pmu.regs;
    const PMUEar *ear = &regs->model->fetch;

    if (!ear_runs(env, ear)) {
        return;
    }
    store_pmd(regs, ear->address, (regs->address & ~0x1full) | extract64(val, 16, 2));
    store_pmd(regs, ear->latency, val & 0xffff);
    env->pmu.own[PMU_CODE_EVENTS - PMU_FIRST_OWN]++;
}

static uint64_t *bench_register(CPUIA64State *env, uint32_t n)
{
    switch (n) {
    case BENCH_READS:
        return &env->pmu.nr_reads;
    case BENCH_WRITES:
        return &env->pmu.nr_writes;
    case BENCH_INTERRUPTS:
        return &env->pmu.nr_interrupts;
    case BENCH_SKID:
        return &env->pmu.skid;
    case BENCH_ADDRESS:
        return &env->pmu.regs.address;
    default:
        return NULL;
    }
}

static uint64_t bench_read(CPUIA64State *env, uint32_t n)
{
    uint64_t *bench = bench_register(env, n);

    if (n == BENCH_EXECUTED) {
        return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    }
    return bench ? *bench : 0;
}

static void bench_write(CPUIA64State *env, uint32_t n, uint64_t val)
{
    uint64_t *bench = bench_register(env, n);

    if (bench) {
        *bench = val;
        return;
    }
    pmu_sync(env);
    if (n == BENCH_DATA_EVENT) {
        data_event(env, val);
    } else if (n == BENCH_CODE_EVENT) {
        code_event(env, val);
    }
    /* The cycle of this instruction has been seen: see at once what it has caused. */
    pmu_sync(env);
}

/*
 * Registers. Those that are not there are 0, and ignore what is written: SDM 2:156
 */

/* pmc_allowed: faults where a program must not have that register */
void HELPER(pmc_allowed)(CPUIA64State *env, uint64_t index)
{
    if (env->cpl && (index & 0xff) < BENCH_FIRST) {
        ia64_fault(env, VEC_GENERAL, GENERAL_PRIVILEGED, GETPC());
    }
}

uint64_t HELPER(mov_from_pmc)(CPUIA64State *env, uint64_t index)
{
    uint32_t n = index & 0xff;

    if (n >= BENCH_FIRST) {
        return bench_read(env, n);
    }
    pmu_sync(env);
    env->pmu.nr_reads++;
    return n < PMU_NR_REGISTERS ? env->pmu.regs.pmc[n] : 0;
}

void HELPER(mov_to_pmc)(CPUIA64State *env, uint64_t index, uint64_t val)
{
    PMURegisters *regs = &env->pmu.regs;
    uint32_t n = index & 0xff;
    bool frozen;

    if (n >= BENCH_FIRST) {
        bench_write(env, n, val);
        return;
    }
    pmu_sync(env);
    env->pmu.nr_writes++;
    frozen = regs->pmc[0] & PMC0_FR;
    if (n < PMU_NR_REGISTERS) {
        regs->pmc[n] = val & regs->model->pmcs[n];
    }
    if (n == 0 && frozen && !(val & PMC0_FR)) {
        thaw(env);
    }
    pmu_update(env);
}

/* control_of: the PMC that says whether a PMD belongs to a privileged monitor, and where: @pm */
static uint32_t control_of(const IA64PMUModel *model, uint32_t n, unsigned *pm)
{
    const PMUEar *ears[] = { &model->data, &model->fetch };
    int i;

    *pm = PMC_PM;
    if (is_counter(model, n)) {
        return n;
    }
    for (i = 0; i < ARRAY_SIZE(ears); i++) {
        if (n == ears[i]->address || n == ears[i]->latency || (n && n == ears[i]->code)) {
            *pm = ears[i]->pm;
            return ears[i]->control;
        }
    }
    return model->trace.control;
}

/* is_hidden: a program does not see monitors that are secured, or privileged: SDM 2:158 */
static bool is_hidden(CPUIA64State *env, uint32_t n)
{
    const PMURegisters *regs = &env->pmu.regs;
    uint32_t control;
    unsigned pm;

    if (!env->cpl) {
        return false;
    }
    control = control_of(regs->model, n, &pm);
    return env->psr & PSR_SP || regs->pmc[control] >> pm & 1;
}

uint64_t HELPER(mov_from_pmd)(CPUIA64State *env, uint64_t index)
{
    const PMURegisters *regs = &env->pmu.regs;
    uint32_t n = index & 0xff;
    uint64_t val;

    pmu_sync(env);
    env->pmu.nr_reads++;
    if (n >= PMU_NR_REGISTERS || is_hidden(env, n)) {
        return 0;
    }
    if (!is_counter(regs->model, n)) {
        return regs->pmd[n];
    }
    val = env->pmu.counter[n - FIRST_COUNTER].value;
    return regs->model->sign ? sextract64(val, 0, regs->model->width) : val;
}

void HELPER(mov_to_pmd)(CPUIA64State *env, uint64_t index, uint64_t val)
{
    PMURegisters *regs = &env->pmu.regs;
    uint32_t n = index & 0xff;

    pmu_sync(env);
    env->pmu.nr_writes++;
    if (is_counter(regs->model, n)) {
        env->pmu.counter[n - FIRST_COUNTER].value = val & width_mask(env);
    } else if (n < PMU_NR_REGISTERS) {
        store_pmd(regs, n, val);
    }
    pmu_update(env);
}

/**
 * ia64_pmu_reset() - a CPU's PMU as it is after a reset
 *
 * The CPU's state is 0 already: no monitor is enabled, and nothing is frozen.
 */
void ia64_pmu_reset(CPUIA64State *env)
{
    env->pmu.regs.model = model_of(env);
    memcpy(env->pmu.regs.pmc, env->pmu.regs.model->resets, sizeof(env->pmu.regs.pmc));
    pmu_update(env);
}

/**
 * ia64_perf_mon_info() - what PAL_PERF_MON_INFO says of a CPU's PMU
 * @masks: what it puts into its caller's buffer: four times 256 bits, of PMCs, of PMDs, of
 *	counters that can count cycles, and of those that can count instructions retired
 *
 * Return: its second result: counters 7:0, their width 15:8, and the events of cycles (23:16)
 * and instructions (31:24).
 */
uint64_t ia64_perf_mon_info(CPUIA64State *env, uint64_t masks[16])
{
    const IA64PMUModel *model = model_of(env);
    uint64_t counters = MAKE_64BIT_MASK(FIRST_COUNTER, model->counters);
    int n;

    memset(masks, 0, 16 * sizeof(*masks));
    masks[0] = MAKE_64BIT_MASK(0, FIRST_COUNTER);
    masks[4] = counters;
    masks[8] = counters;
    masks[12] = model->first_only ? MAKE_64BIT_MASK(FIRST_COUNTER, model->first_only) : counters;
    for (n = 0; n < PMU_NR_REGISTERS; n++) {
        masks[0] |= (uint64_t)(model->pmcs[n] != 0) << n;
        masks[4] |= (uint64_t)(model->pmds[n] != 0) << n;
    }
    return model->counters | model->width << 8 | model->cycles << 16 |
        (uint64_t)model->insns << 24;
}
