/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IA-64: what exec/pmu-core.h asks of a target
 */
#ifndef IA64_PMU_TARGET_H
#define IA64_PMU_TARGET_H

#include "cpu.h"

static inline bool pmu_target_active(CPUIA64State *env)
{
    return env->pmu.regs.flags & TB_PMU;
}

/* pmu_target_mode: what enables a monitor are the level, psr.up and psr.pp */
static inline unsigned pmu_target_mode(CPUIA64State *env)
{
    return 1u << (env->cpl * 4 + (env->psr & PSR_UP ? 2 : 0) + (env->psr & PSR_PP ? 1 : 0));
}

void pmu_target_set_active(CPUIA64State *env, bool active);
uint64_t pmu_target_left(CPUIA64State *env, const PMUCounter *counter);
bool pmu_target_add(CPUIA64State *env, PMUCounter *counter, uint64_t events);
void pmu_target_update(CPUIA64State *env);
bool pmu_target_overflow(CPUIA64State *env, uint32_t counters);
void pmu_target_interrupt(CPUIA64State *env);

/* Nobody else writes PMC0. */
static inline void pmu_target_enable_all(CPUIA64State *env)
{
}

#endif
