// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on x86: Intel's control registers that belong to an event.
 *
 * An event counts what such a register says, on whatever counter: off-core requests
 * (OFFCORE_RESPONSE_0 and 1), loads that took long, what the front end did. They are
 * model specific, and a bit that a model does not have faults. Since Sandy Bridge each
 * logical CPU has its own; Nehalem and Westmere share them between the threads of a
 * core, and Atoms in parts: these have none here, but for those of Alder and Raptor Lake,
 * whose two kinds of cores have three of the registers alike.
 *
 * Which models have which registers is as Linux has it (arch/x86/events/intel/core.c, struct
 * extra_reg: 6.1, and 6.8 for Granite Rapids), and as Intel's event lists name them
 * (perfmon/, MSRIndex). Which bits are valid has one source: Linux.
 */
#include <linux/kernel.h>
#include <asm/processor.h>

#include "compat.h"
#include "x86.h"

#define EXTRA_LD_LAT	0xffffULL

/* By the bits of the off-core registers and of the front end's; hybrid: of both kinds. [c] */
struct extra_model {
	u8 model;
	u64 offcore;
	u64 frontend;
	bool hybrid;
};

#define SANDY_BRIDGE(m)		{ PFM_INTEL_MODEL(m), 0x3f807f8fffULL }
#define HASWELL(m)		{ PFM_INTEL_MODEL(m), 0x3fffff8fffULL }
#define SKYLAKE(m)		{ PFM_INTEL_MODEL(m), 0x3fffff8fffULL, 0x7fff17 }
#define ICE_LAKE(m)		{ PFM_INTEL_MODEL(m), 0x3fffffbfffULL, 0x7fff17 }
#define SAPPHIRE_RAPIDS(m)	{ PFM_INTEL_MODEL(m), 0x3fffffffffULL, 0x7fff1f }
#define ALDER_LAKE(m)		{ PFM_INTEL_MODEL(m), 0x3fffffffffULL, .hybrid = true }

static const struct extra_model extra_models[] = {
	SANDY_BRIDGE(SANDYBRIDGE), HASWELL(SANDYBRIDGE_X),
	SANDY_BRIDGE(IVYBRIDGE), HASWELL(IVYBRIDGE_X),
	HASWELL(HASWELL), HASWELL(HASWELL_X), HASWELL(HASWELL_L), HASWELL(HASWELL_G),
	HASWELL(BROADWELL), HASWELL(BROADWELL_G), HASWELL(BROADWELL_X),
	HASWELL(BROADWELL_D),
	SKYLAKE(SKYLAKE), SKYLAKE(SKYLAKE_L), SKYLAKE(SKYLAKE_X),
	SKYLAKE(KABYLAKE), SKYLAKE(KABYLAKE_L),
	SKYLAKE(COMETLAKE), SKYLAKE(COMETLAKE_L),
	ICE_LAKE(ICELAKE), ICE_LAKE(ICELAKE_L), ICE_LAKE(ICELAKE_X),
	ICE_LAKE(ICELAKE_D), ICE_LAKE(TIGERLAKE), ICE_LAKE(TIGERLAKE_L),
	ICE_LAKE(ROCKETLAKE),
	SAPPHIRE_RAPIDS(SAPPHIRERAPIDS_X), SAPPHIRE_RAPIDS(EMERALDRAPIDS_X),
	SAPPHIRE_RAPIDS(GRANITERAPIDS_X), SAPPHIRE_RAPIDS(GRANITERAPIDS_D),
	ALDER_LAKE(ALDERLAKE), ALDER_LAKE(ALDERLAKE_L),
	ALDER_LAKE(RAPTORLAKE), ALDER_LAKE(RAPTORLAKE_P), ALDER_LAKE(RAPTORLAKE_S),
};

/**
 * pfm_x86_extra_msr() - where such a register is
 * @i: 0 and 1, off-core response; 2, load latency; 3, front end
 *
 * Context: any.
 * Return: its address.
 */
u32 pfm_x86_extra_msr(unsigned int i)
{
	static const u32 msrs[PFM_X86_EXTRA] = { 0x1a6, 0x1a7, 0x3f6, 0x3f7 };

	return msrs[i];
}

/**
 * pfm_x86_extra_valid() - which bits a program may set
 * @cpu: facts
 * @i:   as of pfm_x86_extra_msr()
 *
 * Context: any.
 * Return: the bits; 0 if this CPU is not known to have the register for itself.
 */
u64 pfm_x86_extra_valid(const struct pfm_x86_cpu *cpu, unsigned int i)
{
	const struct extra_model *m;
	unsigned int n;

	if (cpu->vendor != X86_VENDOR_INTEL || cpu->family != 6)
		return 0;
	for (n = 0; n < ARRAY_SIZE(extra_models); n++) {
		m = &extra_models[n];
		/* The cores of other hybrids have different ones. */
		if (m->model == cpu->model && (m->hybrid || !cpu->hybrid))
			return i < 2 ? m->offcore : i == 2 ? EXTRA_LD_LAT : m->frontend;
	}
	return 0;
}
