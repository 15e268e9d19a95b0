// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IA-64: from bundles to generated code
 *
 * One slot after the other is executed, which is what the architecture promises: stops between
 * groups of instructions need no attention. The pc is the bundle's address, and the slot is
 * one of the flags that a block depends on.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "exec/helper-gen.h"
#include "exec/log.h"
#include "exec/translator.h"
#include "tcg/tcg-op.h"

#include "exec/gen-icount.h"
#include "exec/pmu-gen.h"

typedef struct DisasContext {
    DisasContextBase base;
    CPUIA64State *env;
    uint32_t flags;
    int mem_idx;
    MemOp align;
    uint64_t bundle[2];
    bool have_bundle;
    uint64_t ip, next_ip;
    int ri, next_ri;
    bool ended;             /* the instruction's code has left the block */
    int branch;             /* the type of a branch; 0 for what is none to the trace buffer */
    TCGOp *pmu_add;         /* adds the number of instructions */
    int unc1, unc2;         /* predicates to be cleared if qp is 0 */
    TCGv_i64 temps[32];
    int nr_temps;
    TCGv_i64 locals[4];
    int nr_locals;
} DisasContext;

static TCGv_i64 cpu_gr[128], cpu_pr, cpu_br[8], cpu_ip;
static TCGv_i32 cpu_ri;

void ia64_translate_init(void)
{
    static char names[128][5], br_names[8][3];
    int i;

    for (i = 0; i < 128; i++) {
        snprintf(names[i], sizeof(names[i]), "r%d", i);
        cpu_gr[i] = tcg_global_mem_new_i64(cpu_env, offsetof(CPUIA64State, gr[i]), names[i]);
    }
    for (i = 0; i < 8; i++) {
        snprintf(br_names[i], sizeof(br_names[i]), "b%d", i);
        cpu_br[i] = tcg_global_mem_new_i64(cpu_env, offsetof(CPUIA64State, br[i]), br_names[i]);
    }
    cpu_pr = tcg_global_mem_new_i64(cpu_env, offsetof(CPUIA64State, pr), "pr");
    cpu_ip = tcg_global_mem_new_i64(cpu_env, offsetof(CPUIA64State, ip), "ip");
    cpu_ri = tcg_global_mem_new_i32(cpu_env, offsetof(CPUIA64State, ri), "ri");
}

/*
 * Temporaries, which live as long as the instruction
 */

static TCGv_i64 temp(DisasContext *dc)
{
    TCGv_i64 t = tcg_temp_new_i64();

    assert(dc->nr_temps < ARRAY_SIZE(dc->temps));
    dc->temps[dc->nr_temps++] = t;
    return t;
}

/* local: one that survives labels */
static TCGv_i64 local(DisasContext *dc)
{
    TCGv_i64 t = tcg_temp_local_new_i64();

    assert(dc->nr_locals < ARRAY_SIZE(dc->locals));
    dc->locals[dc->nr_locals++] = t;
    return t;
}

static void free_temps(DisasContext *dc)
{
    while (dc->nr_temps) {
        tcg_temp_free_i64(dc->temps[--dc->nr_temps]);
    }
    while (dc->nr_locals) {
        tcg_temp_free_i64(dc->locals[--dc->nr_locals]);
    }
}

/*
 * Registers. In blocks that have TB_ROT, those that may rotate go through helpers; in blocks
 * that have TB_NATS a result's NaT bit is the OR of those of its sources.
 */

static bool rotates(DisasContext *dc, int r)
{
    return r >= 32 && dc->flags & TB_ROT;
}

static TCGv_i64 gr(DisasContext *dc, int r)
{
    TCGv_i64 t;

    if (r == 0) {
        return tcg_constant_i64(0);
    }
    if (!rotates(dc, r)) {
        return cpu_gr[r];
    }
    t = temp(dc);
    gen_helper_rot_get(t, cpu_env, tcg_constant_i32(r));
    return t;
}

/* gr_set: @s1 and @s2 are the sources, 0 if there are less */
static void gr_set(DisasContext *dc, int r, TCGv_i64 val, int s1, int s2)
{
    if (rotates(dc, r)) {
        gen_helper_rot_set(cpu_env, tcg_constant_i32(r), val);
    } else {
        tcg_gen_mov_i64(cpu_gr[r], val);
    }
    if (dc->flags & TB_NATS) {
        gen_helper_nat_set(cpu_env, tcg_constant_i32(r), tcg_constant_i32(s1 | s2 << 7));
    }
}

/* not_nat: a fault if one of these registers is a NaT; @isr: ISR_R, ISR_W */
static void not_nat_for(DisasContext *dc, int s1, int s2, uint64_t isr)
{
    if (dc->flags & TB_NATS && (s1 || s2)) {
        gen_helper_nat_check(cpu_env, tcg_constant_i32(s1 | s2 << 7), tcg_constant_i64(isr));
    }
}

static void not_nat(DisasContext *dc, int s1, int s2)
{
    not_nat_for(dc, s1, s2, 0);
}

static TCGv_i64 pr(DisasContext *dc, int p)
{
    TCGv_i64 t = temp(dc);

    if (p >= 16 && dc->flags & TB_ROT) {
        gen_helper_pr_get(t, cpu_env, tcg_constant_i32(p));
    } else {
        tcg_gen_extract_i64(t, cpu_pr, p, 1);
    }
    return t;
}

static void pr_set(DisasContext *dc, int p, TCGv_i64 val)
{
    if (p == 0) {
        return;
    }
    if (p >= 16 && dc->flags & TB_ROT) {
        gen_helper_pr_set(cpu_env, tcg_constant_i32(p), val);
    } else {
        tcg_gen_deposit_i64(cpu_pr, cpu_pr, val, p, 1);
    }
}

static TCGv_i64 load_field(DisasContext *dc, size_t offset)
{
    TCGv_i64 t = temp(dc);

    tcg_gen_ld_i64(t, cpu_env, offset);
    return t;
}

#define load_env(dc, field) load_field(dc, offsetof(CPUIA64State, field))
#define store_env(val, field) tcg_gen_st_i64(val, cpu_env, offsetof(CPUIA64State, field))

/*
 * The PMU: see accel/tcg/pmu-core.c. Cycles, and with them instructions, are counted at the
 * start of a block.
 */

/* event: one more of what only IA-64 counts; behind the last thing that can fault */
static void event(DisasContext *dc, PMUSource source)
{
    if (dc->flags & TB_PMU) {
        gen_pmu_inc(offsetof(CPUIA64State, pmu.own[source - PMU_FIRST_OWN]));
    }
}

/* capture: if this instruction is a branch, it goes to @target, or is not taken */
static void capture(DisasContext *dc, TCGv_i64 target, bool taken)
{
    if (dc->flags & TB_BTB && dc->branch) {
        gen_helper_pmu_branch(cpu_env, tcg_constant_i64(dc->ip | dc->ri), target,
                              tcg_constant_i32(dc->branch | (taken ? BRANCH_TAKEN : 0)));
    }
}

/*
 * Ends of a block
 */

static void store_ip(uint64_t ip, int ri)
{
    tcg_gen_movi_i64(cpu_ip, ip);
    tcg_gen_movi_i32(cpu_ri, ri);
}

/* single: what is to be done after an instruction that is alone in its block; ip is stored */
static void single(DisasContext *dc, int what)
{
    if (dc->flags & TB_ONE) {
        gen_helper_one_done(cpu_env);
    }
    if (dc->flags & TB_TRAP) {
        gen_helper_trap(cpu_env, tcg_constant_i32(what), tcg_constant_i32(dc->ri));
    }
}

/*
 * leave_as: @n is which of the two direct jumps this is; none if flags may have changed. @what is
 * ISR_BRANCH if a branch was taken, else 0.
 */
static void leave_as(DisasContext *dc, int n, uint64_t ip, int ri, int what)
{
    capture(dc, tcg_constant_i64(ip), what == ISR_BRANCH);
    if (n >= 0 && !(dc->flags & (TB_NATS | TB_ONE | TB_TRAP)) &&
        translator_use_goto_tb(&dc->base, ip)) {
        tcg_gen_goto_tb(n);
        store_ip(ip, ri);
        tcg_gen_exit_tb(dc->base.tb, n);
    } else {
        store_ip(ip, ri);
        single(dc, what);
        tcg_gen_lookup_and_goto_ptr();
    }
    dc->ended = true;
}

static void leave_to(DisasContext *dc, int n, uint64_t ip, int ri)
{
    leave_as(dc, n, ip, ri, 0);
}

static void branch_to(DisasContext *dc, int n, uint64_t ip)
{
    leave_as(dc, n, ip, 0, ISR_BRANCH);
}

/* leave: flags have changed */
static void leave(DisasContext *dc)
{
    leave_to(dc, -1, dc->next_ip, dc->next_ri);
}

/* leave_to_loop: interrupts may be enabled now */
static void leave_to_loop(DisasContext *dc)
{
    store_ip(dc->next_ip, dc->next_ri);
    single(dc, 0);
    tcg_gen_exit_tb(NULL, 0);
    dc->ended = true;
}

static void leave_indirect(DisasContext *dc)
{
    tcg_gen_movi_i32(cpu_ri, 0);
    capture(dc, cpu_ip, true);
    single(dc, ISR_BRANCH);
    tcg_gen_lookup_and_goto_ptr();
    dc->ended = true;
}

static void general(DisasContext *dc, int code)
{
    gen_helper_general(cpu_env, tcg_constant_i32(code));
    dc->ended = true;
}

static void illegal(DisasContext *dc)
{
    general(dc, GENERAL_ILLEGAL);
}

/* target_ok: registers that an instruction writes */
static bool target_ok(DisasContext *dc, int r)
{
    if (r == 0) {
        illegal(dc);
    }
    return r != 0;
}

/* fr_target_ok: f0 and f1 are constants */
static bool fr_target_ok(DisasContext *dc, int f)
{
    if (f < 2) {
        illegal(dc);
    }
    return f >= 2;
}

/* fr_ok: whether the registers that an instruction names may be used; @isr: ISR_R, ISR_W */
static bool fr_ok(DisasContext *dc, uint64_t isr, int a, int b, int c, int d)
{
    const int all[4] = { a, b, c, d };
    uint64_t code = 0;
    int i;

    for (i = 0; i < 4; i++) {
        if (all[i] >= 32) {
            code |= dc->flags & TB_DFH ? 2 : 0;
        } else if (all[i] >= 2) {
            code |= dc->flags & TB_DFL ? 1 : 0;
        }
    }
    if (code) {
        gen_helper_fp_disabled(cpu_env, tcg_constant_i64(isr | code));
        dc->ended = true;
    }
    return !code;
}

static bool privileged_ok(DisasContext *dc)
{
    if (dc->flags & TB_CPL) {
        general(dc, GENERAL_PRIVILEGED);
    }
    return !(dc->flags & TB_CPL);
}

/*
 * Fields of an instruction
 */

#define F(insn, pos, len) ((int)extract64(insn, pos, len))
#define R1(insn) F(insn, 6, 7)
#define R2(insn) F(insn, 13, 7)
#define R3(insn) F(insn, 20, 7)
#define P1(insn) F(insn, 6, 6)
#define P2(insn) F(insn, 27, 6)
#define B1(insn) F(insn, 6, 3)
#define B2(insn) F(insn, 13, 3)

static int64_t imm8(uint64_t insn)
{
    return sextract64(F(insn, 36, 1) << 7 | F(insn, 13, 7), 0, 8);
}

static int64_t imm14(uint64_t insn)
{
    return sextract64(F(insn, 36, 1) << 13 | F(insn, 27, 6) << 7 | F(insn, 13, 7), 0, 14);
}

static int64_t imm22(uint64_t insn)
{
    return sextract64(F(insn, 36, 1) << 21 | F(insn, 22, 5) << 16 | F(insn, 27, 9) << 7 |
                      F(insn, 13, 7), 0, 22);
}

static int64_t imm21(uint64_t insn)
{
    return F(insn, 36, 1) << 20 | F(insn, 6, 20);
}

/* imm9: of loads; stores have bits 12:6 in place of 19:13 */
static int64_t imm9(uint64_t insn, int low)
{
    return sextract64(F(insn, 36, 1) << 8 | F(insn, 27, 1) << 7 | F(insn, low, 7), 0, 9);
}

static uint64_t branch_target(DisasContext *dc, uint64_t insn)
{
    return dc->ip + 16 * sextract64(F(insn, 36, 1) << 20 | F(insn, 13, 20), 0, 21);
}

/*
 * Forms that M and I slots share
 */

/* pointer: @sum's low half, with bits 62:61 from bits 31:30 of @base */
static void pointer(DisasContext *dc, int r1, TCGv_i64 sum, int base, int other)
{
    TCGv_i64 t = temp(dc), region = temp(dc);

    tcg_gen_ext32u_i64(t, sum);
    tcg_gen_extract_i64(region, gr(dc, base), 30, 2);
    tcg_gen_deposit_i64(t, t, region, 61, 2);
    gr_set(dc, r1, t, base, other);
}

static bool gen_alu(DisasContext *dc, uint64_t insn)
{
    int r1 = R1(insn), r2 = R2(insn), r3 = R3(insn);
    int x4 = F(insn, 29, 4), x2b = F(insn, 27, 2);
    TCGv_i64 t = temp(dc), a;

    switch (F(insn, 33, 3)) {   /* x2a, ve */
    case 0:
        break;
    case 2:                     /* padd4 */
        if (!F(insn, 36, 1) || x4 || x2b) {
            return false;
        }
        if (target_ok(dc, r1)) {
            TCGv_i64 high = temp(dc);

            a = gr(dc, r3);
            tcg_gen_add_i64(t, gr(dc, r2), a);
            tcg_gen_andi_i64(high, gr(dc, r2), ~0xffffffffull);
            tcg_gen_add_i64(high, high, a);
            tcg_gen_deposit_i64(t, high, t, 0, 32);
            gr_set(dc, r1, t, r2, r3);
        }
        return true;
    case 4:                     /* adds */
        if (target_ok(dc, r1)) {
            tcg_gen_addi_i64(t, gr(dc, r3), imm14(insn));
            gr_set(dc, r1, t, r3, 0);
        }
        return true;
    case 6:                     /* addp4 imm14 */
        if (target_ok(dc, r1)) {
            tcg_gen_addi_i64(t, gr(dc, r3), imm14(insn));
            pointer(dc, r1, t, r3, 0);
        }
        return true;
    default:
        return false;
    }
    if (F(insn, 36, 1) && x4 != 9 && x4 != 11) {
        return false;
    }
    switch (x4) {
    case 0: case 1: case 2: case 3: case 9: case 11:
        if ((x4 < 2 && x2b > 1) || (x4 == 2 && x2b) || (x4 == 9 && x2b != 1)) {
            return false;
        }
        break;
    case 4: case 6:
        break;
    default:
        return false;
    }
    if (!target_ok(dc, r1)) {
        return true;
    }
    a = x4 & 8 ? tcg_constant_i64(imm8(insn)) : gr(dc, r2);
    if (x4 & 8) {
        r2 = 0;
    }
    switch (x4) {
    case 0:
        tcg_gen_add_i64(t, a, gr(dc, r3));
        tcg_gen_addi_i64(t, t, x2b);
        break;
    case 1: case 9:             /* with x2b = 0 one less */
        tcg_gen_sub_i64(t, a, gr(dc, r3));
        tcg_gen_subi_i64(t, t, !x2b);
        break;
    case 2:
        tcg_gen_add_i64(t, a, gr(dc, r3));
        pointer(dc, r1, t, r3, r2);
        return true;
    case 3: case 11:
        switch (x2b) {
        case 0: tcg_gen_and_i64(t, a, gr(dc, r3)); break;
        case 1: tcg_gen_andc_i64(t, a, gr(dc, r3)); break;
        case 2: tcg_gen_or_i64(t, a, gr(dc, r3)); break;
        case 3: tcg_gen_xor_i64(t, a, gr(dc, r3)); break;
        }
        break;
    case 4: case 6:
        tcg_gen_shli_i64(t, a, x2b + 1);
        tcg_gen_add_i64(t, t, gr(dc, r3));
        if (x4 == 6) {
            pointer(dc, r1, t, r3, r2);
            return true;
        }
        break;
    }
    gr_set(dc, r1, t, r2, r3);
    return true;
}

enum { PRED_NONE, PRED_UNC, PRED_AND, PRED_OR, PRED_OR_ANDCM };

/* set_predicates: by a relation, which has been computed to 0 or 1 */
static void set_predicates(DisasContext *dc, int how, int p1, int p2, TCGv_i64 rel,
                           int s1, int s2, bool nat_is_result)
{
    TCGv_i64 t = temp(dc), no = temp(dc);

    tcg_gen_xori_i64(no, rel, 1);
    if (dc->flags & TB_NATS && !nat_is_result) {
        gen_helper_nat_any(t, cpu_env, tcg_constant_i32(s1 | s2 << 7));
        tcg_gen_andc_i64(rel, rel, t);
        tcg_gen_andc_i64(no, no, t);
    }
    switch (how) {
    case PRED_NONE: case PRED_UNC:
        pr_set(dc, p1, rel);
        pr_set(dc, p2, no);
        break;
    case PRED_AND:
        tcg_gen_and_i64(t, pr(dc, p1), rel);
        pr_set(dc, p1, t);
        tcg_gen_and_i64(t, pr(dc, p2), rel);
        pr_set(dc, p2, t);
        break;
    case PRED_OR:
        tcg_gen_or_i64(t, pr(dc, p1), rel);
        pr_set(dc, p1, t);
        tcg_gen_or_i64(t, pr(dc, p2), rel);
        pr_set(dc, p2, t);
        break;
    case PRED_OR_ANDCM:
        tcg_gen_or_i64(t, pr(dc, p1), rel);
        pr_set(dc, p1, t);
        tcg_gen_andc_i64(t, pr(dc, p2), rel);
        pr_set(dc, p2, t);
        break;
    }
}

static bool gen_cmp(DisasContext *dc, uint64_t insn)
{
    int op = F(insn, 37, 4) - 0xc, x2 = F(insn, 34, 2);
    int c = F(insn, 12, 1), ta = F(insn, 33, 1), tb = x2 < 2 ? F(insn, 36, 1) : 0;
    int p1 = P1(insn), p2 = P2(insn), r2 = x2 < 2 ? R2(insn) : 0, r3 = R3(insn), how;
    TCGv_i64 a, b = gr(dc, r3), rel = temp(dc);
    bool word = x2 & 1;
    TCGCond cond;

    if (!tb && !ta) {
        how = c ? PRED_UNC : PRED_NONE;
        cond = op == 0 ? TCG_COND_LT : op == 1 ? TCG_COND_LTU : TCG_COND_EQ;
    } else {
        how = op == 0 ? PRED_AND : op == 1 ? PRED_OR : PRED_OR_ANDCM;
        if (!tb) {
            cond = c ? TCG_COND_NE : TCG_COND_EQ;
        } else {
            cond = ta ? (c ? TCG_COND_LT : TCG_COND_GE) : (c ? TCG_COND_LE : TCG_COND_GT);
            if (r2) {
                return false;
            }
        }
    }
    if (p1 == p2) {
        illegal(dc);
        return true;
    }
    if (how == PRED_UNC) {
        dc->unc1 = p1, dc->unc2 = p2;
    }
    a = x2 < 2 ? gr(dc, r2) : tcg_constant_i64(imm8(insn));
    if (word) {
        TCGv_i64 t = temp(dc), u = temp(dc);

        /* The order without a sign is that of sign-extended values, too. */
        tcg_gen_ext32s_i64(t, a);
        tcg_gen_ext32s_i64(u, b);
        a = t, b = u;
    }
    tcg_gen_setcond_i64(cond, rel, a, b);
    set_predicates(dc, how, p1, p2, rel, r2, r3, false);
    return true;
}

static bool gen_a(DisasContext *dc, uint64_t insn)
{
    TCGv_i64 t;

    switch (F(insn, 37, 4)) {
    case 8:
        return gen_alu(dc, insn);
    case 9:
        if (target_ok(dc, R1(insn))) {
            t = temp(dc);
            tcg_gen_addi_i64(t, gr(dc, F(insn, 20, 2)), imm22(insn));
            gr_set(dc, R1(insn), t, F(insn, 20, 2), 0);
        }
        return true;
    default:
        return gen_cmp(dc, insn);
    }
}

/*
 * I slots
 */

static void gen_shift(DisasContext *dc, int r1, int r_val, int r_count,
                      void (*op)(TCGv_i64, TCGv_i64, TCGv_i64), bool sign)
{
    TCGv_i64 count = gr(dc, r_count), val = gr(dc, r_val), t = temp(dc), low = temp(dc);

    tcg_gen_andi_i64(low, count, 63);
    op(t, val, low);
    tcg_gen_sari_i64(low, val, 63);
    tcg_gen_movcond_i64(TCG_COND_GTU, t, count, tcg_constant_i64(63),
                        sign ? low : tcg_constant_i64(0), t);
    gr_set(dc, r1, t, r_val, r_count);
}

static bool gen_i7(DisasContext *dc, uint64_t insn)
{
    int r1 = R1(insn), r2 = R2(insn), r3 = R3(insn);
    TCGv_i64 t = temp(dc);

    if (F(insn, 32, 1)) {
        return false;
    }
    /* za, zb, x2a, x2c, x2b */
    switch (F(insn, 36, 1) << 7 | F(insn, 33, 1) << 6 | F(insn, 34, 2) << 4 |
            F(insn, 30, 2) << 2 | F(insn, 28, 2)) {
    case 0xc2:
        if (target_ok(dc, r1)) {
            gen_shift(dc, r1, r3, r2, tcg_gen_sar_i64, true);
        }
        return true;
    case 0xc0:
        if (target_ok(dc, r1)) {
            gen_shift(dc, r1, r3, r2, tcg_gen_shr_i64, false);
        }
        return true;
    case 0xc4:
        if (target_ok(dc, r1)) {
            gen_shift(dc, r1, r2, r3, tcg_gen_shl_i64, false);
        }
        return true;
    case 0x59:
        if (target_ok(dc, r1)) {
            tcg_gen_ctpop_i64(t, gr(dc, r3));
            gr_set(dc, r1, t, r3, 0);
        }
        return true;
    case 0xa8:                      /* mix4.r */
        if (target_ok(dc, r1)) {
            tcg_gen_deposit_i64(t, gr(dc, r3), gr(dc, r2), 32, 32);
            gr_set(dc, r1, t, r2, r3);
        }
        return true;
    case 0xaa:                      /* mix4.l */
        if (target_ok(dc, r1)) {
            tcg_gen_shri_i64(t, gr(dc, r3), 32);
            tcg_gen_deposit_i64(t, gr(dc, r2), t, 0, 32);
            gr_set(dc, r1, t, r2, r3);
        }
        return true;
    case 0xa6:                      /* unpack4.l: the lower halves */
        if (target_ok(dc, r1)) {
            tcg_gen_deposit_i64(t, gr(dc, r3), gr(dc, r2), 32, 32);
            gr_set(dc, r1, t, r2, r3);
        }
        return true;
    case 0x6d:
        if (target_ok(dc, r1)) {
            gen_helper_pmpy2r(t, gr(dc, r2), gr(dc, r3));
            gr_set(dc, r1, t, r2, r3);
        }
        return true;
    case 0x3a:                      /* mux1 */
        switch (F(insn, 20, 4)) {
        case 0: case 8: case 9: case 10: case 11:
            break;
        default:
            return false;
        }
        if (target_ok(dc, r1)) {
            gen_helper_mux1(t, gr(dc, r2), tcg_constant_i32(F(insn, 20, 4)));
            gr_set(dc, r1, t, r2, 0);
        }
        return true;
    case 0x7a:
        if (target_ok(dc, r1)) {
            gen_helper_mux2(t, gr(dc, r2), tcg_constant_i32(F(insn, 20, 8)));
            gr_set(dc, r1, t, r2, 0);
        }
        return true;
    default:
        return false;
    }
}

static bool gen_tbit(DisasContext *dc, uint64_t insn)
{
    static const struct { bool ok, nonzero; int how; } forms[8] = {  /* tb, ta, c */
        [0] = { true, false, PRED_NONE }, [1] = { true, false, PRED_UNC },
        [4] = { true, false, PRED_AND }, [5] = { true, true, PRED_AND },
        [2] = { true, false, PRED_OR }, [3] = { true, true, PRED_OR },
        [6] = { true, false, PRED_OR_ANDCM }, [7] = { true, true, PRED_OR_ANDCM },
    };
    int form = F(insn, 36, 1) << 2 | F(insn, 33, 1) << 1 | F(insn, 12, 1);
    int p1 = P1(insn), p2 = P2(insn), r3 = R3(insn);
    bool nat = F(insn, 13, 1);
    TCGv_i64 rel = temp(dc);

    if (!forms[form].ok) {
        return false;
    }
    if (p1 == p2) {
        illegal(dc);
        return true;
    }
    if (forms[form].how == PRED_UNC) {
        dc->unc1 = p1, dc->unc2 = p2;
    }
    if (!nat) {
        tcg_gen_extract_i64(rel, gr(dc, r3), F(insn, 14, 6), 1);
    } else if (dc->flags & TB_NATS) {
        gen_helper_nat_any(rel, cpu_env, tcg_constant_i32(r3));
    } else {
        tcg_gen_movi_i64(rel, 0);
    }
    if (!forms[form].nonzero) {
        tcg_gen_xori_i64(rel, rel, 1);
    }
    set_predicates(dc, forms[form].how, p1, p2, rel, r3, 0, nat);
    return true;
}

static bool gen_i5(DisasContext *dc, uint64_t insn)
{
    int r1 = R1(insn), r2 = R2(insn), r3 = R3(insn);
    int x2 = F(insn, 34, 2), x = F(insn, 33, 1), pos, len;
    TCGv_i64 t;

    if (x2 == 0) {
        return gen_tbit(dc, insn);
    }
    if (x2 == 2) {
        return false;
    }
    if (!target_ok(dc, r1)) {
        return true;
    }
    t = temp(dc);
    if (x2 == 3 && !x) {            /* shrp */
        tcg_gen_extract2_i64(t, gr(dc, r3), gr(dc, r2), F(insn, 27, 6));
        gr_set(dc, r1, t, r2, r3);
        return true;
    }
    len = F(insn, 27, 6) + 1;
    if (x2 == 1 && !x) {            /* extr */
        pos = F(insn, 14, 6);
        len = MIN(len, 64 - pos);
        if (F(insn, 13, 1)) {
            tcg_gen_sextract_i64(t, gr(dc, r3), pos, len);
        } else {
            tcg_gen_extract_i64(t, gr(dc, r3), pos, len);
        }
        gr_set(dc, r1, t, r3, 0);
    } else if (x2 == 1) {           /* dep.z */
        pos = 63 - F(insn, 20, 6);
        len = MIN(len, 64 - pos);
        if (F(insn, 26, 1)) {
            tcg_gen_movi_i64(t, deposit64(0, pos, len, imm8(insn)));
            r2 = 0;
        } else {
            tcg_gen_deposit_z_i64(t, gr(dc, r2), pos, len);
        }
        gr_set(dc, r1, t, r2, 0);
    } else {                        /* dep of one bit, many times */
        pos = 63 - F(insn, 14, 6);
        len = MIN(len, 64 - pos);
        if (F(insn, 36, 1)) {
            tcg_gen_ori_i64(t, gr(dc, r3), deposit64(0, pos, len, -1));
        } else {
            tcg_gen_andi_i64(t, gr(dc, r3), ~deposit64(0, pos, len, -1));
        }
        gr_set(dc, r1, t, r3, 0);
    }
    return true;
}

static void gen_dep(DisasContext *dc, uint64_t insn)
{
    int pos = 63 - F(insn, 31, 6), len = MIN(F(insn, 27, 4) + 1, 64 - pos);
    TCGv_i64 t;

    if (target_ok(dc, R1(insn))) {
        t = temp(dc);
        tcg_gen_deposit_i64(t, gr(dc, R3(insn)), gr(dc, R2(insn)), pos, len);
        gr_set(dc, R1(insn), t, R2(insn), R3(insn));
    }
}

/* ar_field: of those that are only storage, where they are */
static ssize_t ar_field(int ar)
{
    switch (ar) {
    case AR_CCV: return offsetof(CPUIA64State, ccv);
    case AR_UNAT: return offsetof(CPUIA64State, unat);
    case AR_LC: return offsetof(CPUIA64State, lc);
    case AR_PFS: return offsetof(CPUIA64State, pfs);
    case AR_EC: return offsetof(CPUIA64State, ec);
    default: return -1;
    }
}

/* io: what follows may look at the clock, or interrupt; the block is to end behind it */
static void io(DisasContext *dc)
{
    if (tb_cflags(dc->base.tb) & CF_USE_ICOUNT) {
        gen_io_start();
    }
}

static void gen_mov_from_ar(DisasContext *dc, int r1, int ar)
{
    TCGv_i64 t;

    if (!target_ok(dc, r1)) {
        return;
    }
    if (ar == AR_ITC) {
        t = temp(dc);
        io(dc);
        gen_helper_read_itc(t, cpu_env);
        gr_set(dc, r1, t, 0, 0);
        leave_to_loop(dc);
        return;
    }
    if (ar_field(ar) >= 0) {
        t = load_field(dc, ar_field(ar));
    } else {
        t = temp(dc);
        gen_helper_mov_from_ar(t, cpu_env, tcg_constant_i32(ar));
    }
    gr_set(dc, r1, t, 0, 0);
}

/* gen_mov_to_ar: from register @r2, or from @imm if that is -1 */
static void gen_mov_to_ar(DisasContext *dc, int ar, int r2, int64_t imm)
{
    TCGv_i64 val = r2 >= 0 ? gr(dc, r2) : tcg_constant_i64(imm), t;

    not_nat(dc, r2 >= 0 ? r2 : 0, 0);
    switch (ar) {
    case AR_CCV: case AR_UNAT: case AR_LC:
        tcg_gen_st_i64(val, cpu_env, ar_field(ar));
        break;
    case AR_EC:
        t = temp(dc);
        tcg_gen_andi_i64(t, val, 63);
        store_env(t, ec);
        break;
    case AR_ITC:
        io(dc);
        gen_helper_mov_to_ar(cpu_env, tcg_constant_i32(ar), val);
        leave_to_loop(dc);
        break;
    case AR_FPSR:
        gen_helper_mov_to_ar(cpu_env, tcg_constant_i32(ar), val);
        leave(dc);
        break;
    default:
        gen_helper_mov_to_ar(cpu_env, tcg_constant_i32(ar), val);
    }
}

static void gen_chk_s(DisasContext *dc, int r, uint64_t target)
{
    TCGLabel *fine;
    TCGv_i64 t;

    if (!(dc->flags & TB_NATS)) {
        return;
    }
    fine = gen_new_label();
    t = temp(dc);
    gen_helper_nat_any(t, cpu_env, tcg_constant_i32(r));
    tcg_gen_brcondi_i64(TCG_COND_EQ, t, 0, fine);
    branch_to(dc, 0, target);
    gen_set_label(fine);
    leave_to(dc, 1, dc->next_ip, dc->next_ri);
}

/* gen_hint: @pause, which is 0, is for who waits for another CPU */
static void gen_hint(DisasContext *dc, uint64_t insn)
{
    if (!F(insn, 26, 1)) {
        event(dc, PMU_NOPS);
        return;
    }
    if (imm21(insn)) {
        return;
    }
    if (tb_cflags(dc->base.tb) & CF_PARALLEL) {
        gen_helper_pause();
    } else {
        store_ip(dc->next_ip, dc->next_ri);
        single(dc, 0);
        gen_helper_yield(cpu_env);
        dc->ended = true;
    }
}

static void gen_break(DisasContext *dc, uint64_t imm)
{
    gen_helper_break(cpu_env, tcg_constant_i64(imm));
    dc->ended = true;
}

static bool gen_i0(DisasContext *dc, uint64_t insn)
{
    int r1 = R1(insn), r2 = R2(insn), r3 = R3(insn), x6 = F(insn, 27, 6);
    TCGv_i64 t = temp(dc);

    switch (F(insn, 33, 3)) {
    case 0:
        break;
    case 1:
        gen_chk_s(dc, r2, dc->ip + 16 *
                  sextract64(F(insn, 36, 1) << 20 | F(insn, 20, 13) << 7 | F(insn, 6, 7), 0, 21));
        return true;
    case 2:                         /* mov pr.rot= */
        gen_helper_mov_to_pr(cpu_env, tcg_constant_i64((sextract64(F(insn, 36, 1), 0, 1) << 43 |
                             extract64(insn, 6, 27) << 16)), tcg_constant_i64(~0xffffull));
        return true;
    case 3:                         /* mov pr= */
        not_nat(dc, r2, 0);
        gen_helper_mov_to_pr(cpu_env, gr(dc, r2), tcg_constant_i64(
            sextract64(F(insn, 36, 1) << 16 | F(insn, 24, 8) << 8 | F(insn, 6, 7) << 1, 0, 17)));
        return true;
    case 7:
        not_nat(dc, r2, 0);
        tcg_gen_mov_i64(cpu_br[B1(insn)], gr(dc, r2));
        return true;
    default:
        return false;
    }
    switch (x6) {
    case 0x00:
        gen_break(dc, imm21(insn));
        return true;
    case 0x01:                      /* nop, hint */
        gen_hint(dc, insn);
        return true;
    case 0x0a:
        gen_mov_to_ar(dc, r3, -1, imm8(insn));
        return true;
    case 0x2a:
        gen_mov_to_ar(dc, r3, r2, 0);
        return true;
    case 0x10: case 0x11: case 0x12: case 0x14: case 0x15: case 0x16:
    case 0x18: case 0x1c: case 0x30: case 0x31: case 0x32: case 0x33:
        break;
    default:
        return false;
    }
    if (!target_ok(dc, r1)) {
        return true;
    }
    switch (x6) {
    case 0x10: tcg_gen_ext8u_i64(t, gr(dc, r3)); break;
    case 0x11: tcg_gen_ext16u_i64(t, gr(dc, r3)); break;
    case 0x12: tcg_gen_ext32u_i64(t, gr(dc, r3)); break;
    case 0x14: tcg_gen_ext8s_i64(t, gr(dc, r3)); break;
    case 0x15: tcg_gen_ext16s_i64(t, gr(dc, r3)); break;
    case 0x16: tcg_gen_ext32s_i64(t, gr(dc, r3)); break;
    case 0x18: case 0x1c:           /* czx1.l, .r */
        gen_helper_czx(t, gr(dc, r3), tcg_constant_i32(x6 == 0x18));
        break;
    case 0x30:
        tcg_gen_movi_i64(t, dc->ip);
        r3 = 0;
        break;
    case 0x31:
        tcg_gen_mov_i64(t, cpu_br[B2(insn)]);
        r3 = 0;
        break;
    case 0x32:
        gen_mov_from_ar(dc, r1, r3);
        return true;
    case 0x33:
        tcg_gen_mov_i64(t, cpu_pr);
        r3 = 0;
        break;
    }
    gr_set(dc, r1, t, r3, 0);
    return true;
}

static bool gen_i(DisasContext *dc, uint64_t insn)
{
    switch (F(insn, 37, 4)) {
    case 0: return gen_i0(dc, insn);
    case 4: gen_dep(dc, insn); return true;
    case 5: return gen_i5(dc, insn);
    case 7: return gen_i7(dc, insn);
    case 8: case 9: case 12: case 13: case 14: return gen_a(dc, insn);
    default: return false;
    }
}

/*
 * M slots
 */

/* update: r3 += r2, or an immediate if @r2 is -1 */
static void update(DisasContext *dc, int r3, int r2, int64_t imm)
{
    TCGv_i64 t = temp(dc);

    if (r2 >= 0) {
        tcg_gen_add_i64(t, gr(dc, r3), gr(dc, r2));
    } else {
        tcg_gen_addi_i64(t, gr(dc, r3), imm);
    }
    gr_set(dc, r3, t, r3, MAX(r2, 0));
}

static bool gen_load_store(DisasContext *dc, uint64_t insn)
{
    int r1 = R1(insn), r2 = R2(insn), r3 = R3(insn), x6 = F(insn, 30, 6), kind = x6 >> 2;
    bool by_imm = F(insn, 37, 4) == 5, by_reg = !by_imm && F(insn, 36, 1);
    MemOp size = (x6 & 3) | MO_LE | dc->align;
    TCGv_i64 t;

    switch (kind) {
    case 0: case 1: case 2: case 3: case 4: case 5: case 8: case 9: case 10:
        break;
    case 6:
        if (x6 != 0x1b) {
            return false;
        }
        break;
    case 12: case 13:
        if (by_reg) {
            return false;
        }
        break;
    case 14:
        if (x6 != 0x3b || by_reg) {
            return false;
        }
        break;
    default:
        return false;
    }
    if (kind == 5 || kind == 10 || kind == 13) {
        size |= MO_ALIGN;
    }
    if (kind >= 12) {
        if (by_imm && !target_ok(dc, r3)) {
            return true;
        }
        if (kind == 13) {
            tcg_gen_mb(TCG_MO_ALL | TCG_BAR_STRL);
        }
        if (kind == 14) {
            not_nat_for(dc, r3, 0, ISR_W);
            gen_helper_spill(cpu_env, tcg_constant_i32(r2), gr(dc, r3),
                             tcg_constant_i32(dc->mem_idx));
        } else {
            not_nat_for(dc, r3, r2, ISR_W);
            tcg_gen_qemu_st_i64(gr(dc, r2), gr(dc, r3), dc->mem_idx, size);
        }
        event(dc, PMU_STORES);
        if (by_imm) {
            update(dc, r3, -1, imm9(insn, 6));
        }
        return true;
    }
    if (!target_ok(dc, r1)) {
        return true;
    }
    if ((by_imm || by_reg) && (r1 == r3 || r3 == 0)) {
        illegal(dc);
        return true;
    }
    if (kind == 1 || kind == 3) {
        gen_helper_load_s(cpu_env, tcg_constant_i32(r1 | r3 << 7 | dc->mem_idx << 14 |
                                                    1 << (x6 & 3) << 18), gr(dc, r3));
        event(dc, PMU_LOADS);
        if (by_imm) {
            update(dc, r3, -1, imm9(insn, 13));
        } else if (by_reg) {
            update(dc, r3, r2, 0);
        }
        leave(dc);
        return true;
    }
    not_nat_for(dc, r3, 0, ISR_R);
    if (kind == 6) {
        gen_helper_fill(cpu_env, tcg_constant_i32(r1), gr(dc, r3),
                        tcg_constant_i32(dc->mem_idx));
    } else {
        t = temp(dc);
        tcg_gen_qemu_ld_i64(t, gr(dc, r3), dc->mem_idx, size);
        gr_set(dc, r1, t, 0, 0);
        if (kind == 5 || kind == 10) {
            tcg_gen_mb(TCG_MO_ALL | TCG_BAR_LDAQ);
        }
    }
    event(dc, PMU_LOADS);
    if (by_imm) {
        update(dc, r3, -1, imm9(insn, 13));
    } else if (by_reg) {
        update(dc, r3, r2, 0);
    }
    if (kind == 6) {
        leave(dc);
    }
    return true;
}

static void gen_cmpxchg(DisasContext *dc, int r1, int r2, int r3, MemOp size)
{
    TCGv_i64 result = local(dc), ccv = load_env(dc, ccv), t = temp(dc);
    TCGLabel *never = gen_new_label(), *done = gen_new_label();

    if ((size & MO_SIZE) != MO_64) {
        /* What is read is compared with all of ar.ccv. */
        tcg_gen_shri_i64(t, ccv, 8 << (size & MO_SIZE));
        tcg_gen_brcondi_i64(TCG_COND_NE, t, 0, never);
    }
    ccv = load_env(dc, ccv);
    tcg_gen_atomic_cmpxchg_i64(result, gr(dc, r3), ccv, gr(dc, r2), dc->mem_idx, size);
    tcg_gen_br(done);
    gen_set_label(never);
    tcg_gen_qemu_ld_i64(result, gr(dc, r3), dc->mem_idx, size);
    gen_set_label(done);
    gr_set(dc, r1, result, 0, 0);
}

static bool gen_semaphore(DisasContext *dc, uint64_t insn)
{
    static const int8_t increments[8] = { 16, 8, 4, 1, -16, -8, -4, -1 };
    int r1 = R1(insn), r2 = R2(insn), r3 = R3(insn), x6 = F(insn, 30, 6);
    MemOp size = (x6 & 3) | MO_LE | MO_ALIGN;
    TCGv_i64 t;

    switch (x6) {
    case 0x00 ... 0x0b:
    case 0x12: case 0x13: case 0x16: case 0x17:
        break;
    default:
        return false;
    }
    if (!target_ok(dc, r1)) {
        return true;
    }
    not_nat_for(dc, r3, x6 < 0x12 ? r2 : 0, ISR_R | ISR_W);
    gen_helper_semaphore(cpu_env, gr(dc, r3), tcg_constant_i32(1 << (x6 & 3) | dc->mem_idx << 4));
    switch (x6) {
    case 0x00 ... 0x07:
        gen_cmpxchg(dc, r1, r2, r3, size);
        break;
    case 0x08 ... 0x0b:
        t = temp(dc);
        tcg_gen_atomic_xchg_i64(t, gr(dc, r3), gr(dc, r2), dc->mem_idx, size);
        gr_set(dc, r1, t, 0, 0);
        break;
    default:
        t = temp(dc);
        tcg_gen_atomic_fetch_add_i64(t, gr(dc, r3),
                                     tcg_constant_i64(increments[F(insn, 13, 3)]),
                                     dc->mem_idx, size);
        gr_set(dc, r1, t, 0, 0);
    }
    event(dc, PMU_LOADS);
    event(dc, PMU_STORES);
    return true;
}

/* gen_lfetch: nothing is fetched; op 6 and 7, where x6 is 2c to 2f, .fault from 2e on */
static bool gen_lfetch(DisasContext *dc, uint64_t insn)
{
    bool by_imm = F(insn, 37, 4) == 7;
    int r3 = R3(insn);

    if (F(insn, 30, 6) >> 2 != 11 || (!by_imm && F(insn, 27, 1))) {
        return false;
    }
    if (F(insn, 31, 1)) {
        not_nat_for(dc, r3, 0, ISR_R | ISR_NA | NA_LFETCH);
        gen_helper_touch(cpu_env, gr(dc, r3), tcg_constant_i32(0),
                         tcg_constant_i64(ISR_R | ISR_NA | NA_LFETCH));
    }
    if ((by_imm || F(insn, 36, 1)) && target_ok(dc, r3)) {
        update(dc, r3, by_imm ? -1 : R2(insn), imm9(insn, 13));
    }
    return true;
}

static bool gen_setf(DisasContext *dc, uint64_t insn)
{
    if (fr_target_ok(dc, R1(insn)) && fr_ok(dc, 0, R1(insn), 0, 0, 0)) {
        gen_helper_setf(cpu_env, tcg_constant_i64(insn));
    }
    return true;
}

/* gen_getf: of a NaTVal it makes a NaT, of which the next block has to know */
static bool gen_getf(DisasContext *dc, uint64_t insn)
{
    if (target_ok(dc, R1(insn)) && fr_ok(dc, 0, R2(insn), 0, 0, 0)) {
        gen_helper_getf(cpu_env, tcg_constant_i64(insn));
        leave(dc);
    }
    return true;
}

static void gen_chk_s_f(DisasContext *dc, int f, uint64_t target)
{
    TCGLabel *fine;
    TCGv_i64 t;

    if (!fr_ok(dc, 0, f, 0, 0, 0)) {
        return;
    }
    fine = gen_new_label();
    t = temp(dc);
    gen_helper_fnatval(t, cpu_env, tcg_constant_i32(f));
    tcg_gen_brcondi_i64(TCG_COND_EQ, t, 0, fine);
    branch_to(dc, 0, target);
    gen_set_label(fine);
    leave_to(dc, 1, dc->next_ip, dc->next_ri);
}

/* gen_fp_memory: op 6 and 7, which have setf and lfetch, too */
static bool gen_fp_memory(DisasContext *dc, uint64_t insn)
{
    int x6 = F(insn, 30, 6), kind = x6 >> 2, format = x6 & 3;
    bool by_imm = F(insn, 37, 4) == 7, m = !by_imm && F(insn, 36, 1);
    bool pair = !by_imm && F(insn, 27, 1);
    int f1 = R1(insn), f2 = pair ? R2(insn) : 0, r3 = R3(insn);
    int form = dc->mem_idx << 21;
    uint64_t isr = ISR_R;

    switch (kind) {
    case 7:
        return pair && !m && gen_setf(dc, insn);
    case 11:
        return gen_lfetch(dc, insn);
    case 0: case 1: case 2: case 3: case 8: case 9:
        if (pair && format == 0) {
            return false;
        }
        break;
    case 6: case 14:
        if (format != 3 || pair) {
            return false;
        }
        format = 4;
        break;
    case 12:
        if (pair) {
            return false;
        }
        break;
    default:
        return false;
    }
    form |= format << 25;
    if (kind >= 12) {
        if (m) {
            return false;
        }
        f1 = R2(insn);
        if ((by_imm && !target_ok(dc, r3)) || !fr_ok(dc, ISR_W, f1, 0, 0, 0)) {
            return true;
        }
        not_nat_for(dc, r3, 0, ISR_W);
        gen_helper_stf(cpu_env, tcg_constant_i32(form | f1), gr(dc, r3));
        event(dc, PMU_STORES);
        if (by_imm) {
            update(dc, r3, -1, imm9(insn, 6));
        }
        return true;
    }
    if (kind == 1 || kind == 3) {
        isr |= ISR_SP;
        form |= r3 << 14 | 1 << 28;
    }
    if (((by_imm || m) && !target_ok(dc, r3)) || !fr_target_ok(dc, f1) ||
        (pair && !fr_target_ok(dc, f2)) || !fr_ok(dc, isr, f1, f2, 0, 0)) {
        return true;
    }
    if (!(isr & ISR_SP)) {
        not_nat_for(dc, r3, 0, ISR_R);
    }
    gen_helper_ldf(cpu_env, tcg_constant_i32(form | f2 << 7 | f1), gr(dc, r3));
    event(dc, PMU_LOADS);
    if (by_imm) {
        update(dc, r3, -1, imm9(insn, 13));
    } else if (m && pair) {
        update(dc, r3, -1, format == 2 ? 8 : 16);
    } else if (m) {
        update(dc, r3, R2(insn), 0);
    }
    return true;
}

static bool gen_m0(DisasContext *dc, uint64_t insn)
{
    int x3 = F(insn, 33, 3), x2 = F(insn, 31, 2), x4 = F(insn, 27, 4);

    if (x3 >= 4) {                      /* chk.a: an ALAT without entries */
        branch_to(dc, 0, branch_target(dc, insn));
        return true;
    }
    if (x3) {
        return false;
    }
    if (x4 >= 4 && x4 <= 7) {           /* sum, rum, ssm, rsm */
        if (x4 < 6 || privileged_ok(dc)) {
            gen_helper_mask_psr(cpu_env, tcg_constant_i32(x4), tcg_constant_i64(
                F(insn, 36, 1) << 23 | x2 << 21 | F(insn, 6, 21)));
            leave_to_loop(dc);
        }
        return true;
    }
    switch (x2 << 4 | x4) {
    case 0x00:
        gen_break(dc, imm21(insn));
        return true;
    case 0x01:                          /* nop, hint */
        gen_hint(dc, insn);
        return true;
    case 0x10: case 0x12: case 0x13:    /* invala */
    case 0x20:                          /* fwb */
    case 0x33:                          /* sync.i */
        return true;
    case 0x22: case 0x23:               /* mf, mf.a */
        tcg_gen_mb(TCG_MO_ALL | TCG_BAR_SC);
        return true;
    case 0x30: case 0x31:               /* srlz */
        leave_to_loop(dc);
        return true;
    case 0x28:
        gen_mov_to_ar(dc, R3(insn), -1, imm8(insn));
        return true;
    case 0x0c:
        gen_helper_flushrs(cpu_env);
        return true;
    case 0x0a:
        gen_helper_loadrs(cpu_env);
        leave(dc);
        return true;
    default:
        return false;
    }
}

static void gen_alloc(DisasContext *dc, uint64_t insn)
{
    int r1 = R1(insn), sof = F(insn, 13, 7), sol = F(insn, 20, 7), sor = F(insn, 27, 4);
    TCGv_i64 t;

    if (!target_ok(dc, r1)) {
        return;
    }
    if (F(insn, 0, 6) || sol > sof || sor * 8 > sof || sof > NR_STACKED) {
        illegal(dc);
        return;
    }
    gen_helper_alloc(cpu_env, tcg_constant_i32(sof | sol << 7 | sor << 14));
    t = load_env(dc, pfs);
    gr_set(dc, r1, t, 0, 0);
    if (sor || dc->flags & TB_ROT) {
        leave(dc);
    }
}

/* gen_probe: by x6; @level is a register's content, or a constant */
static void gen_probe(DisasContext *dc, int r1, int r2, int r3, TCGv_i64 level, uint64_t isr)
{
    TCGv_i64 t = temp(dc);

    if (target_ok(dc, r1)) {
        not_nat_for(dc, r3, r2, isr | ISR_NA | NA_PROBE);
        gen_helper_probe(t, cpu_env, gr(dc, r3), level, tcg_constant_i64(isr));
        gr_set(dc, r1, t, 0, 0);
    }
}

static void gen_touch(DisasContext *dc, int r3, int level, uint64_t isr)
{
    not_nat_for(dc, r3, 0, isr | ISR_NA);
    gen_helper_touch(cpu_env, gr(dc, r3), tcg_constant_i32(level),
                     tcg_constant_i64(isr | ISR_NA));
}

/*
 * gen_monitor: moves of pmc and pmd. The block ends, since it has been counted as a whole. What
 * programs may not do with a pmc depends on its number.
 */
static void gen_monitor(DisasContext *dc, uint64_t insn)
{
    int r1 = R1(insn), r2 = R2(insn), r3 = R3(insn), x6 = F(insn, 27, 6);
    bool pmd = x6 & 1, read = x6 & 0x10;
    TCGv_i64 t;

    if (!pmd && dc->flags & TB_CPL) {
        gen_helper_pmc_allowed(cpu_env, gr(dc, r3));
    }
    if ((pmd && !read && !privileged_ok(dc)) || (read && !target_ok(dc, r1))) {
        return;
    }
    not_nat(dc, r3, read ? 0 : r2);
    io(dc);
    if (read) {
        t = temp(dc);
        (pmd ? gen_helper_mov_from_pmd : gen_helper_mov_from_pmc)(t, cpu_env, gr(dc, r3));
        gr_set(dc, r1, t, 0, 0);
    } else {
        /* An event of the bench's is one of this instruction. */
        store_ip(dc->ip, dc->ri);
        (pmd ? gen_helper_mov_to_pmd : gen_helper_mov_to_pmc)(cpu_env, gr(dc, r3), gr(dc, r2));
    }
    leave_to_loop(dc);
}

/* gen_m1_system: those of op 1, x3 = 0 that know translations */
static bool gen_m1_system(DisasContext *dc, uint64_t insn)
{
    int r1 = R1(insn), r2 = R2(insn), r3 = R3(insn), x6 = F(insn, 27, 6), imm2 = F(insn, 13, 2);
    TCGv_i64 t;

    switch (x6) {
    case 0x18: case 0x19:
        gen_probe(dc, r1, 0, r3, tcg_constant_i64(imm2), x6 & 1 ? ISR_W : ISR_R);
        return true;
    case 0x38: case 0x39:
        gen_probe(dc, r1, r2, r3, gr(dc, r2), x6 & 1 ? ISR_W : ISR_R);
        return true;
    case 0x31: case 0x32: case 0x33:
        gen_touch(dc, r3, imm2, NA_PROBE_FAULT | (x6 == 0x33 ? 0 : ISR_R) |
                  (x6 == 0x32 ? 0 : ISR_W));
        return true;
    case 0x30:                          /* fc: caches are coherent */
        gen_touch(dc, r3, 0, NA_FC | ISR_R);
        return true;
    case 0x04: case 0x05: case 0x14: case 0x15:
        gen_monitor(dc, insn);
        return true;
    case 0x1a: case 0x1b:
        if (target_ok(dc, r1)) {
            t = temp(dc);
            if (x6 & 1) {
                gen_helper_ttag(t, cpu_env, gr(dc, r3));
            } else {
                gen_helper_thash(t, cpu_env, gr(dc, r3));
            }
            gr_set(dc, r1, t, r3, 0);
        }
        return true;
    case 0x1e: case 0x1f: case 0x10: case 0x11: case 0x12: case 0x13:
        if (!privileged_ok(dc) || !target_ok(dc, r1)) {
            return true;
        }
        not_nat_for(dc, r3, 0, x6 < 0x1e ? 0 : ISR_NA | (x6 & 1 ? NA_TAK : NA_TPA));
        t = temp(dc);
        if (x6 == 0x1e) {
            gen_helper_tpa(t, cpu_env, gr(dc, r3));
        } else if (x6 == 0x1f) {
            gen_helper_tak(t, cpu_env, gr(dc, r3));
        } else {
            gen_helper_mov_from_indirect(t, cpu_env, tcg_constant_i32(x6 & 15), gr(dc, r3));
        }
        gr_set(dc, r1, t, 0, 0);
        return true;
    case 0x00: case 0x01: case 0x02: case 0x03: case 0x09: case 0x0a: case 0x0b: case 0x0c:
    case 0x0d: case 0x0e: case 0x0f: case 0x2e: case 0x2f: case 0x34:
        break;
    default:
        return false;
    }
    if (!privileged_ok(dc)) {
        return true;
    }
    not_nat(dc, x6 >= 0x2e && x6 <= 0x2f ? 0 : r3, x6 == 0x34 ? 0 : r2);
    switch (x6) {
    case 0x00:
        gen_helper_mov_to_rr(cpu_env, gr(dc, r3), gr(dc, r2));
        break;
    case 0x01: case 0x02:
        gen_helper_mov_to_debug(cpu_env, tcg_constant_i32(x6), gr(dc, r3), gr(dc, r2));
        break;
    case 0x03:
        gen_helper_mov_to_pkr(cpu_env, gr(dc, r3), gr(dc, r2));
        break;
    case 0x09:
        gen_helper_ptc(cpu_env, gr(dc, r3), gr(dc, r2));
        break;
    case 0x0a: case 0x0b:
        gen_helper_ptc_g(cpu_env, gr(dc, r3), gr(dc, r2));
        break;
    case 0x0c: case 0x0d:
        gen_helper_ptr(cpu_env, gr(dc, r3), gr(dc, r2), tcg_constant_i32(x6 & 1));
        break;
    case 0x0e: case 0x0f:
        gen_helper_itr(cpu_env, gr(dc, r3), gr(dc, r2), tcg_constant_i32(x6 & 1));
        break;
    case 0x2e: case 0x2f:
        gen_helper_itc(cpu_env, gr(dc, r2), tcg_constant_i32(x6 & 1));
        break;
    case 0x34:
        gen_helper_ptc_e(cpu_env);
        break;
    }
    leave_to_loop(dc);
    return true;
}

static bool gen_m1(DisasContext *dc, uint64_t insn)
{
    int r1 = R1(insn), r2 = R2(insn), r3 = R3(insn);
    TCGv_i64 t = temp(dc);

    switch (F(insn, 33, 3)) {
    case 0:
        break;
    case 1:                             /* chk.s.m */
        gen_chk_s(dc, r2, dc->ip + 16 *
                  sextract64(F(insn, 36, 1) << 20 | F(insn, 20, 13) << 7 | F(insn, 6, 7), 0, 21));
        return true;
    case 3:                             /* chk.s of a floating-point register */
        gen_chk_s_f(dc, r2, dc->ip + 16 *
                    sextract64(F(insn, 36, 1) << 20 | F(insn, 20, 13) << 7 | F(insn, 6, 7), 0, 21));
        return true;
    case 6:
        gen_alloc(dc, insn);
        return true;
    default:
        return false;
    }
    switch (F(insn, 27, 6)) {
    case 0x2a:
        gen_mov_to_ar(dc, r3, r2, 0);
        return true;
    case 0x22:
        gen_mov_from_ar(dc, r1, r3);
        return true;
    case 0x2c:
        if (privileged_ok(dc)) {
            not_nat(dc, r2, 0);
            io(dc);
            gen_helper_mov_to_cr(cpu_env, tcg_constant_i32(r3), gr(dc, r2));
            leave_to_loop(dc);
        }
        return true;
    case 0x24:
        if (privileged_ok(dc) && target_ok(dc, r1)) {
            io(dc);
            gen_helper_mov_from_cr(t, cpu_env, tcg_constant_i32(r3));
            gr_set(dc, r1, t, 0, 0);
            leave_to_loop(dc);
        }
        return true;
    case 0x2d: case 0x29:               /* mov psr.l=, psr.um= */
        if (F(insn, 27, 6) == 0x29 || privileged_ok(dc)) {
            not_nat(dc, r2, 0);
            gen_helper_mov_to_psr(cpu_env, tcg_constant_i32(F(insn, 27, 6) == 0x29),
                                  gr(dc, r2));
            leave_to_loop(dc);
        }
        return true;
    case 0x25: case 0x21:
        if ((F(insn, 27, 6) == 0x21 || privileged_ok(dc)) && target_ok(dc, r1)) {
            gen_helper_mov_from_psr(t, cpu_env, tcg_constant_i32(F(insn, 27, 6) == 0x21));
            gr_set(dc, r1, t, 0, 0);
        }
        return true;
    case 0x17:
        if (target_ok(dc, r1)) {
            not_nat(dc, r3, 0);
            gen_helper_cpuid(t, cpu_env, gr(dc, r3));
            gr_set(dc, r1, t, 0, 0);
        }
        return true;
    default:
        return gen_m1_system(dc, insn);
    }
}

static bool gen_m(DisasContext *dc, uint64_t insn)
{
    switch (F(insn, 37, 4)) {
    case 0:
        return gen_m0(dc, insn);
    case 1:
        return gen_m1(dc, insn);
    case 4:
        if (!F(insn, 27, 1)) {
            return gen_load_store(dc, insn);
        }
        if (F(insn, 36, 1)) {
            return false;
        }
        return F(insn, 32, 4) == 7 ? gen_getf(dc, insn) : gen_semaphore(dc, insn);
    case 5:
        return gen_load_store(dc, insn);
    case 6: case 7:
        return gen_fp_memory(dc, insn);
    case 8: case 9: case 12: case 13: case 14:
        return gen_a(dc, insn);
    default:
        return false;
    }
}

/*
 * B slots
 */

/* predicated: branches that count ask no predicate, or for another purpose */
static bool predicated(int unit, uint64_t insn)
{
    int op = F(insn, 37, 4), x6 = F(insn, 27, 6);

    if (unit != 'B') {
        return true;
    }
    return !(op == 4 && F(insn, 6, 3) >= 2) &&
        !(op == 0 && (x6 == 0x02 || x6 == 0x04 || x6 == 0x05 || x6 == 0x08 || x6 == 0x0c ||
                      x6 == 0x0d || x6 == 0x10));
}

static void gen_counted(DisasContext *dc, uint64_t insn)
{
    uint64_t target = branch_target(dc, insn);
    int type = F(insn, 6, 3), qp = F(insn, 0, 6);
    bool go = type == 3 || type == 7;               /* wtop, ctop */
    TCGLabel *stay = gen_new_label();
    TCGv_i64 t = temp(dc);

    if (type < 4) {
        gen_helper_wtop(t, cpu_env, pr(dc, qp));
    } else {
        gen_helper_ctop(t, cpu_env);
    }
    tcg_gen_brcondi_i64(go ? TCG_COND_EQ : TCG_COND_NE, t, 0, stay);
    branch_to(dc, -1, target);
    gen_set_label(stay);
    leave(dc);
}

static void gen_cloop(DisasContext *dc, uint64_t insn)
{
    TCGLabel *stay = gen_new_label();
    TCGv_i64 t = load_env(dc, lc);

    tcg_gen_brcondi_i64(TCG_COND_EQ, t, 0, stay);
    t = load_env(dc, lc);
    tcg_gen_subi_i64(t, t, 1);
    store_env(t, lc);
    branch_to(dc, 0, branch_target(dc, insn));
    gen_set_label(stay);
    leave_to(dc, 1, dc->next_ip, dc->next_ri);
}

static void gen_call(DisasContext *dc, int b1)
{
    gen_helper_call(cpu_env, tcg_constant_i32(b1), tcg_constant_i64(dc->ip + 16));
}

static bool gen_b0(DisasContext *dc, uint64_t insn)
{
    int x6 = F(insn, 27, 6), type = F(insn, 6, 3);

    switch (x6) {
    case 0x00:
        gen_break(dc, 0);
        return true;
    case 0x02:
        gen_helper_cover(cpu_env);
        leave(dc);
        return true;
    case 0x04: case 0x05:
        gen_helper_clrrrb(cpu_env, tcg_constant_i32(x6 == 0x05));
        leave(dc);
        return true;
    case 0x08:
        if (privileged_ok(dc)) {
            gen_helper_rfi(cpu_env);
            tcg_gen_exit_tb(NULL, 0);
            dc->ended = true;
        }
        return true;
    case 0x0c: case 0x0d:
        if (privileged_ok(dc)) {
            gen_helper_bsw(cpu_env, tcg_constant_i32(x6 & 1));
            leave(dc);
        }
        return true;
    case 0x10:
        gen_helper_epc(cpu_env);
        leave(dc);
        return true;
    case 0x20:
        if (type) {
            return false;
        }
        dc->branch = BRANCH_INDIRECT;
        tcg_gen_andi_i64(cpu_ip, cpu_br[B2(insn)], ~15ull);
        leave_indirect(dc);
        return true;
    case 0x21:
        if (type != 4) {
            return false;
        }
        dc->branch = BRANCH_RETURN;
        capture(dc, cpu_br[B2(insn)], true);
        if (dc->flags & TB_ONE) {
            gen_helper_one_done(cpu_env);
        }
        gen_helper_ret(cpu_env, cpu_br[B2(insn)], tcg_constant_i32(dc->ri));
        tcg_gen_lookup_and_goto_ptr();
        dc->ended = true;
        return true;
    default:
        return false;
    }
}

static bool gen_b(DisasContext *dc, uint64_t insn)
{
    int x6 = F(insn, 27, 6);
    TCGv_i64 t;

    switch (F(insn, 37, 4)) {
    case 0:
        return gen_b0(dc, insn);
    case 1:
        t = temp(dc);
        dc->branch = BRANCH_INDIRECT;
        tcg_gen_andi_i64(t, cpu_br[B2(insn)], ~15ull);
        gen_call(dc, B1(insn));
        tcg_gen_mov_i64(cpu_ip, t);
        leave_indirect(dc);
        return true;
    case 2:
        if (x6 == 0x00) {
            event(dc, PMU_NOPS);
        }
        return x6 == 0x00 || x6 == 0x01 || x6 == 0x10 || x6 == 0x11;
    case 4:
        dc->branch = BRANCH_RELATIVE;
        switch (F(insn, 6, 3)) {
        case 0:
            branch_to(dc, 0, branch_target(dc, insn));
            return true;
        case 5:
            gen_cloop(dc, insn);
            return true;
        case 2: case 3: case 6: case 7:
            gen_counted(dc, insn);
            return true;
        default:
            return false;
        }
    case 5:
        dc->branch = BRANCH_RELATIVE;
        gen_call(dc, B1(insn));
        branch_to(dc, 0, branch_target(dc, insn));
        return true;
    case 7:
        return true;
    default:
        return false;
    }
}

/*
 * The rest
 */

/* fp_done: the operation may have been one that ends in a trap */
static void fp_done(DisasContext *dc)
{
    if (dc->flags & TB_FP_TRAP) {
        store_ip(dc->next_ip, dc->next_ri);
        if (dc->flags & TB_ONE) {
            gen_helper_one_done(cpu_env);
        }
        gen_helper_trap(cpu_env, tcg_constant_i32(0), tcg_constant_i32(dc->ri));
        tcg_gen_lookup_and_goto_ptr();
        dc->ended = true;
    }
}

/* gen_fp: an instruction that has a register for its result, by its helper */
static void gen_fp(DisasContext *dc, uint64_t insn, void (*helper)(TCGv_ptr, TCGv_i64),
                   int f2, int f3, int f4)
{
    if (fr_target_ok(dc, R1(insn)) && fr_ok(dc, 0, R1(insn), f2, f3, f4)) {
        helper(cpu_env, tcg_constant_i64(insn));
        fp_done(dc);
    }
}

/* gen_fp_relation: fcmp, fclass; @f3 is 0 for the latter */
static void gen_fp_relation(DisasContext *dc, uint64_t insn,
                            void (*helper)(TCGv_i64, TCGv_ptr, TCGv_i64), int f3)
{
    int p1 = P1(insn), p2 = P2(insn);
    TCGv_i64 both, t;

    if (p1 == p2) {
        illegal(dc);
        return;
    }
    if (F(insn, 12, 1)) {
        dc->unc1 = p1, dc->unc2 = p2;
    }
    if (!fr_ok(dc, 0, R2(insn), f3, 0, 0)) {
        return;
    }
    both = temp(dc);
    t = temp(dc);
    helper(both, cpu_env, tcg_constant_i64(insn));
    tcg_gen_extract_i64(t, both, 0, 1);
    pr_set(dc, p1, t);
    tcg_gen_extract_i64(t, both, 1, 1);
    pr_set(dc, p2, t);
}

static void gen_freciprocal(DisasContext *dc, uint64_t insn)
{
    int p2 = P2(insn), f2 = F(insn, 36, 1) ? 0 : R2(insn);
    TCGv_i64 t;

    dc->unc1 = p2;
    if (fr_target_ok(dc, R1(insn)) && fr_ok(dc, 0, R1(insn), f2, R3(insn), 0)) {
        t = temp(dc);
        gen_helper_freciprocal(t, cpu_env, tcg_constant_i64(insn));
        pr_set(dc, p2, t);
        fp_done(dc);
    }
}

static void gen_fchkf(DisasContext *dc, uint64_t insn)
{
    uint64_t target = dc->ip + 16 * sextract64(imm21(insn), 0, 21);
    TCGLabel *fine = gen_new_label();
    TCGv_i64 t = temp(dc);

    gen_helper_fchkf(t, cpu_env, tcg_constant_i32(F(insn, 34, 2)));
    tcg_gen_brcondi_i64(TCG_COND_EQ, t, 0, fine);
    branch_to(dc, 0, target);
    gen_set_label(fine);
    leave_to(dc, 1, dc->next_ip, dc->next_ri);
}

/* gen_f01: op 0, and 1, which is for two singles */
static bool gen_f01(DisasContext *dc, uint64_t insn, bool parallel)
{
    int x6 = F(insn, 27, 6);

    switch (x6) {
    case 0x10: case 0x11: case 0x12:
        gen_fp(dc, insn, gen_helper_fmove, R2(insn), R3(insn), 0);
        return true;
    case 0x14: case 0x15: case 0x16: case 0x17:
        gen_fp(dc, insn, gen_helper_fminmax, R2(insn), R3(insn), 0);
        return true;
    case 0x18: case 0x19: case 0x1a: case 0x1b:
        gen_fp(dc, insn, gen_helper_fcvt, R2(insn), 0, 0);
        return true;
    }
    if (parallel) {
        if (x6 >> 3 != 6) {
            return false;
        }
        gen_fp(dc, insn, gen_helper_fpcmp, R2(insn), R3(insn), 0);
        return true;
    }
    switch (x6) {
    case 0x00:
        gen_break(dc, imm21(insn));
        return true;
    case 0x01:                          /* nop, hint */
        if (!F(insn, 26, 1)) {
            event(dc, PMU_NOPS);
        }
        return true;
    case 0x04:
        gen_helper_fsetc(cpu_env, tcg_constant_i64(insn));
        return true;
    case 0x05:
        gen_helper_fclrf(cpu_env, tcg_constant_i32(F(insn, 34, 2)));
        return true;
    case 0x08:
        gen_fchkf(dc, insn);
        return true;
    case 0x1c:
        gen_fp(dc, insn, gen_helper_fmove, R2(insn), 0, 0);
        return true;
    case 0x28: case 0x2c: case 0x2d: case 0x2e: case 0x2f: case 0x34: case 0x35: case 0x36:
    case 0x39: case 0x3a: case 0x3b: case 0x3c: case 0x3d:
        gen_fp(dc, insn, gen_helper_fmove, R2(insn), R3(insn), 0);
        return true;
    default:
        return false;
    }
}

static bool gen_f(DisasContext *dc, uint64_t insn)
{
    int op = F(insn, 37, 4);

    switch (op) {
    case 0: case 1:
        if (!F(insn, 33, 1)) {
            return gen_f01(dc, insn, op);
        }
        gen_freciprocal(dc, insn);
        return true;
    case 4:
        gen_fp_relation(dc, insn, gen_helper_fcmp, R3(insn));
        return true;
    case 5:
        gen_fp_relation(dc, insn, gen_helper_fclass, 0);
        return true;
    case 8: case 9: case 10: case 11: case 12: case 13:
        gen_fp(dc, insn, gen_helper_fma, R2(insn), R3(insn), F(insn, 27, 7));
        return true;
    case 14:
        if (F(insn, 36, 1) && F(insn, 34, 2) == 1) {
            return false;
        }
        gen_fp(dc, insn, gen_helper_xma, R2(insn), R3(insn), F(insn, 27, 7));
        return true;
    default:
        return false;
    }
}

static bool gen_x(DisasContext *dc, uint64_t insn, uint64_t l)
{
    uint64_t imm;
    int x6 = F(insn, 27, 6);

    switch (F(insn, 37, 4)) {
    case 0:
        if (F(insn, 33, 3) || x6 > 1) {
            return false;
        }
        if (x6 == 0) {
            gen_break(dc, l << 21 | imm21(insn));
        }
        return true;
    case 6:
        if (F(insn, 20, 1)) {
            return false;
        }
        imm = (uint64_t)F(insn, 36, 1) << 63 | l << 22 | (uint64_t)F(insn, 21, 1) << 21 |
            F(insn, 22, 5) << 16 | F(insn, 27, 9) << 7 | F(insn, 13, 7);
        if (target_ok(dc, R1(insn))) {
            gr_set(dc, R1(insn), tcg_constant_i64(imm), 0, 0);
        }
        return true;
    case 12: case 13:
        imm = dc->ip + 16 * ((uint64_t)F(insn, 36, 1) << 59 | (l >> 2 & MAKE_64BIT_MASK(0, 39)) << 20 |
                             F(insn, 13, 20));
        dc->branch = BRANCH_RELATIVE;
        if (F(insn, 37, 4) == 13) {
            gen_call(dc, B1(insn));
        }
        branch_to(dc, 0, imm);
        return true;
    default:
        return false;
    }
}

/* By template; those that are not here are illegal */
static const char *const units[32] = {
    [0x00] = "MII", [0x01] = "MII", [0x02] = "MII", [0x03] = "MII", [0x04] = "MX", [0x05] = "MX",
    [0x08] = "MMI", [0x09] = "MMI", [0x0a] = "MMI", [0x0b] = "MMI", [0x0c] = "MFI", [0x0d] = "MFI",
    [0x0e] = "MMF", [0x0f] = "MMF", [0x10] = "MIB", [0x11] = "MIB", [0x12] = "MBB", [0x13] = "MBB",
    [0x16] = "BBB", [0x17] = "BBB", [0x18] = "MMB", [0x19] = "MMB", [0x1c] = "MFB", [0x1d] = "MFB",
};

static uint64_t slot(DisasContext *dc, int n)
{
    switch (n) {
    case 0: return extract64(dc->bundle[0], 5, 41);
    case 1: return dc->bundle[0] >> 46 | extract64(dc->bundle[1], 0, 23) << 18;
    default: return extract64(dc->bundle[1], 23, 41);
    }
}

static void ia64_tr_init_disas_context(DisasContextBase *base, CPUState *cs)
{
    DisasContext *dc = container_of(base, DisasContext, base);

    dc->env = cs->env_ptr;
    dc->flags = base->tb->flags;
    dc->mem_idx = dc->flags & TB_DT ? dc->flags & TB_CPL : MMU_PHYS;
    dc->align = dc->flags & TB_AC ? MO_ALIGN : MO_UNALN;
    dc->next_ip = base->pc_first;
    dc->next_ri = (dc->flags & TB_RI) >> TB_RI_SHIFT;
    dc->have_bundle = false;
    dc->nr_temps = dc->nr_locals = 0;
    if (dc->flags & (TB_ONE | TB_TRAP)) {
        base->max_insns = 1;
    }
}

static void ia64_tr_tb_start(DisasContextBase *base, CPUState *cs)
{
    DisasContext *dc = container_of(base, DisasContext, base);

    if (dc->flags & TB_PMU) {
        dc->pmu_add = gen_pmu_block_start(base);
    }
}

static void ia64_tr_insn_start(DisasContextBase *base, CPUState *cs)
{
    DisasContext *dc = container_of(base, DisasContext, base);

    tcg_gen_insn_start(dc->next_ip,
                       dc->next_ri | (base->num_insns - 1) << INSN_START_INDEX_SHIFT);
}

static void ia64_tr_translate_insn(DisasContextBase *base, CPUState *cs)
{
    DisasContext *dc = container_of(base, DisasContext, base);
    const char *unit;
    TCGLabel *off = NULL, *end;
    uint64_t insn;
    int qp, ok;

    dc->ip = dc->next_ip;
    dc->ri = dc->next_ri;
    dc->ended = false;
    dc->branch = 0;
    dc->unc1 = dc->unc2 = 0;
    if (dc->flags & TB_RANGE) {
        gen_helper_pmu_range(cpu_env, tcg_constant_i64(dc->ip));
    }
    if (!dc->have_bundle) {
        dc->bundle[0] = translator_ldq(dc->env, base, dc->ip);
        dc->bundle[1] = translator_ldq(dc->env, base, dc->ip + 8);
        dc->have_bundle = true;
    }
    unit = units[dc->bundle[0] & 31];
    if (!unit || dc->ri >= strlen(unit)) {
        dc->next_ip += 16;
        dc->next_ri = 0;
        illegal(dc);
        goto out;
    }
    if (unit[dc->ri + 1]) {
        dc->next_ri++;
    } else {
        dc->next_ri = 0;
        dc->next_ip += 16;
    }
    insn = slot(dc, unit[dc->ri] == 'X' ? 2 : dc->ri);
    qp = F(insn, 0, 6);
    if (qp && predicated(unit[dc->ri], insn)) {
        off = gen_new_label();
        tcg_gen_brcondi_i64(TCG_COND_EQ, pr(dc, qp), 0, off);
    }
    switch (unit[dc->ri]) {
    case 'M': ok = gen_m(dc, insn); break;
    case 'I': ok = gen_i(dc, insn); break;
    case 'B': ok = gen_b(dc, insn); break;
    case 'F': ok = gen_f(dc, insn); break;
    default: ok = gen_x(dc, insn, slot(dc, 1)); break;
    }
    if (!ok) {
        gen_helper_stop(cpu_env, tcg_constant_i64(insn), tcg_constant_i64(unit[dc->ri]));
        dc->ended = true;
    }
    if (off) {
        if (dc->unc1 | dc->unc2) {
            end = gen_new_label();
            tcg_gen_br(end);
            gen_set_label(off);
            pr_set(dc, dc->unc1, tcg_constant_i64(0));
            pr_set(dc, dc->unc2, tcg_constant_i64(0));
            gen_set_label(end);
        } else {
            gen_set_label(off);
        }
        capture(dc, tcg_constant_i64(0), false);
    }
    dc->branch = 0;
out:
    free_temps(dc);
    if (dc->ended) {
        base->is_jmp = off ? DISAS_TOO_MANY : DISAS_NORETURN;
    }
    if (dc->next_ri == 0) {
        dc->have_bundle = false;
        base->pc_next = dc->next_ip;
        /* The block's last byte has to be in the page of its first, or in the next. */
        if (!is_same_page(base, dc->next_ip) && base->is_jmp == DISAS_NEXT) {
            base->is_jmp = DISAS_TOO_MANY;
        }
    }
}

static void ia64_tr_tb_stop(DisasContextBase *base, CPUState *cs)
{
    DisasContext *dc = container_of(base, DisasContext, base);

    if (dc->flags & TB_PMU) {
        gen_pmu_block_end(base, dc->pmu_add);
    }
    /* A block that ends within a bundle has the whole of it. */
    if (dc->next_ri) {
        base->pc_next = dc->next_ip + 16;
    }
    if (base->is_jmp == DISAS_TOO_MANY) {
        leave_to(dc, 1, dc->next_ip, dc->next_ri);
    }
}

static void ia64_tr_disas_log(const DisasContextBase *base, CPUState *cs, FILE *file)
{
    fprintf(file, "IN: " TARGET_FMT_lx ", %d bytes\n", base->pc_first, base->tb->size);
}

static const TranslatorOps ia64_tr_ops = {
    .init_disas_context = ia64_tr_init_disas_context,
    .tb_start = ia64_tr_tb_start,
    .insn_start = ia64_tr_insn_start,
    .translate_insn = ia64_tr_translate_insn,
    .tb_stop = ia64_tr_tb_stop,
    .disas_log = ia64_tr_disas_log,
};

void gen_intermediate_code(CPUState *cs, TranslationBlock *tb, int max_insns,
                           target_ulong pc, void *host_pc)
{
    DisasContext dc;

    translator_loop(cs, tb, max_insns, pc, host_pc, &ia64_tr_ops, &dc.base);
}
