// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IA-64: the CPU as an object, its models, its reset
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/qemu-print.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "hw/core/sysemu-cpu-ops.h"
#include "hw/core/tcg-cpu-ops.h"

static void ia64_cpu_set_pc(CPUState *cs, vaddr value)
{
    CPUIA64State *env = &IA64_CPU(cs)->env;

    env->ip = value & ~15ull;
    env->ri = 0;
}

static vaddr ia64_cpu_get_pc(CPUState *cs)
{
    return IA64_CPU(cs)->env.ip;
}

/* A block that is left before it begins has stored neither. */
static void ia64_synchronize_from_tb(CPUState *cs, const TranslationBlock *tb)
{
    CPUIA64State *env = &IA64_CPU(cs)->env;

    env->ip = tb_pc(tb);
    env->ri = (tb->flags & TB_RI) >> TB_RI_SHIFT;
}

static void ia64_restore_state_to_opc(CPUState *cs, const TranslationBlock *tb,
                                      const uint64_t *data)
{
    CPUIA64State *env = &IA64_CPU(cs)->env;

    env->ip = data[0];
    env->ri = data[1] & INSN_START_RI;
    /* What was counted of instructions that have not been executed: see accel/tcg/pmu-core.c. */
    if (tb->flags & TB_PMU) {
        env->pmu.cycles -= tb->icount - (data[1] >> INSN_START_INDEX_SHIFT);
    }
    if (tb->flags & TB_RANGE) {
        ia64_pmu_count_range(env, env->ip, -1);
    }
}

static bool ia64_cpu_has_work(CPUState *cs)
{
    /* Whatever psr.i is: firmware waits with interrupts off. */
    return !IA64_CPU(cs)->parked && cs->interrupt_request & CPU_INTERRUPT_HARD;
}

static void ia64_cpu_dump_state(CPUState *cs, FILE *f, int flags)
{
    CPUIA64State *env = &IA64_CPU(cs)->env;
    int i;

    qemu_fprintf(f, "ip %016" PRIx64 " slot %u psr %016" PRIx64 " cfm %010" PRIx64
                 " pr %016" PRIx64 "\n", env->ip, env->ri, ia64_psr(env), env->cfm, env->pr);
    qemu_fprintf(f, "bsp %016" PRIx64 " bspstore %016" PRIx64 " dirty %d pfs %016" PRIx64
                 " lc %" PRIx64 " ec %" PRIx64 "\n", env->bsp, env->bspstore, env->ndirty,
                 env->pfs, env->lc, env->ec);
    for (i = 0; i < 8; i++) {
        qemu_fprintf(f, "b%d %016" PRIx64 "%s", i, env->br[i], i % 4 == 3 ? "\n" : " ");
    }
    for (i = 0; i < 128; i++) {
        qemu_fprintf(f, "r%-3d %016" PRIx64 "%c%s", i, env->gr[i],
                     nat_get(env, i) ? '?' : ' ', i % 4 == 3 ? "\n" : "");
    }
    for (i = 0; flags & CPU_DUMP_FPU && i < 128; i++) {
        qemu_fprintf(f, "f%-3d %05x %016" PRIx64 "%s", i, env->fr[i].se, env->fr[i].sig,
                     i % 4 == 3 ? "\n" : " ");
    }
}

static void ia64_cpu_reset(DeviceState *dev)
{
    CPUState *cs = CPU(dev);
    CPUIA64State *env = &IA64_CPU(cs)->env;
    static const int masked[] = { CR_ITV, CR_PMV, CR_CMCV, CR_LRR0, CR_LRR0 + 1 };
    int i;

    IA64_CPU_GET_CLASS(dev)->parent_reset(dev);
    memset(env, 0, sizeof(*env));
    env->pr = 1;
    env->psr = PSR_BN;
    env->cfm = NR_STACKED;      /* SDM 2:149 */
    env->fr[1] = (IA64Float) { 1ull << 63, FR_BIAS };
    for (i = 0; i < ARRAY_SIZE(masked); i++) {
        env->cr[masked[i]] = 1 << 16;
    }
    ia64_pmu_reset(env);
    timer_del(IA64_CPU(cs)->timer);
    cs->exception_index = -1;
}

static void ia64_cpu_realize(DeviceState *dev, Error **errp)
{
    CPUState *cs = CPU(dev);
    Error *error = NULL;

    cpu_exec_realizefn(cs, &error);
    if (error) {
        error_propagate(errp, error);
        return;
    }
    IA64_CPU(cs)->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, ia64_itm_reached, IA64_CPU(cs));
    qemu_init_vcpu(cs);
    cpu_reset(cs);
    IA64_CPU_GET_CLASS(dev)->parent_realize(dev, errp);
}

static void ia64_cpu_init(Object *obj)
{
    cpu_set_cpustate_pointers(IA64_CPU(obj));
}

static ObjectClass *ia64_cpu_class_by_name(const char *model)
{
    g_autofree char *name = g_strdup_printf("%s-" TYPE_IA64_CPU, model);

    return object_class_by_name(name);
}

static void ia64_cpu_list_entry(gpointer data, gpointer unused)
{
    const char *name = object_class_get_name(data);

    qemu_printf("  %.*s\n", (int)(strlen(name) - strlen("-" TYPE_IA64_CPU)), name);
}

void ia64_cpu_list(void)
{
    GSList *list = object_class_get_list_sorted(TYPE_IA64_CPU, false);

    g_slist_foreach(list, ia64_cpu_list_entry, NULL);
    g_slist_free(list);
}

static const struct SysemuCPUOps ia64_sysemu_ops = {
    .get_phys_page_debug = ia64_get_phys_page_debug,
};

static const struct TCGCPUOps ia64_tcg_ops = {
    .initialize = ia64_translate_init,
    .synchronize_from_tb = ia64_synchronize_from_tb,
    .restore_state_to_opc = ia64_restore_state_to_opc,
    .tlb_fill = ia64_tlb_fill,
    .cpu_exec_interrupt = ia64_cpu_exec_interrupt,
    .do_interrupt = ia64_cpu_do_interrupt,
    .do_unaligned_access = ia64_do_unaligned,
};

static void ia64_cpu_class_init(ObjectClass *oc, void *data)
{
    IA64CPUClass *icc = IA64_CPU_CLASS(oc);
    CPUClass *cc = CPU_CLASS(oc);
    DeviceClass *dc = DEVICE_CLASS(oc);

    device_class_set_parent_realize(dc, ia64_cpu_realize, &icc->parent_realize);
    device_class_set_parent_reset(dc, ia64_cpu_reset, &icc->parent_reset);
    cc->class_by_name = ia64_cpu_class_by_name;
    cc->has_work = ia64_cpu_has_work;
    cc->dump_state = ia64_cpu_dump_state;
    cc->set_pc = ia64_cpu_set_pc;
    cc->get_pc = ia64_cpu_get_pc;
    cc->sysemu_ops = &ia64_sysemu_ops;
    cc->tcg_ops = &ia64_tcg_ops;
}

static void ia64_model_class_init(ObjectClass *oc, void *data)
{
    IA64_CPU_CLASS(oc)->cpuid3 = (uintptr_t)data;
}

#define MODEL(model, cpuid3)                            \
    {                                                   \
        .name = model "-" TYPE_IA64_CPU,                \
        .parent = TYPE_IA64_CPU,                        \
        .class_init = ia64_model_class_init,            \
        .class_data = (void *)(uintptr_t)(cpuid3),      \
    }

static const TypeInfo ia64_cpu_types[] = {
    {
        .name = TYPE_IA64_CPU,
        .parent = TYPE_CPU,
        .instance_size = sizeof(IA64CPU),
        .instance_init = ia64_cpu_init,
        .abstract = true,
        .class_size = sizeof(IA64CPUClass),
        .class_init = ia64_cpu_class_init,
    },
    /* Family, model, revision, and that CPUID[4] is the last */
    MODEL("itanium", 0x07000004),
    MODEL("itanium2", 0x1f010004),
    MODEL("montecito", 0x20000004),
};

DEFINE_TYPES(ia64_cpu_types)
