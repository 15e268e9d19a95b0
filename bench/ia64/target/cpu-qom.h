/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IA-64: the CPU as an object
 */
#ifndef IA64_CPU_QOM_H
#define IA64_CPU_QOM_H

#include "hw/core/cpu.h"
#include "qom/object.h"

#define TYPE_IA64_CPU "ia64-cpu"

OBJECT_DECLARE_CPU_TYPE(IA64CPU, IA64CPUClass, IA64_CPU)

struct IA64CPUClass {
    CPUClass parent_class;

    DeviceRealize parent_realize;
    DeviceReset parent_reset;

    /* CPUID[3]: family 31:24, model 23:16 */
    uint32_t cpuid3;
};

#endif
