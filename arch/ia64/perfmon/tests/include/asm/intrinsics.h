/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on IA-64: in place of the architecture's header of this name, where the tests
 * build glue.c on another one: instructions reach the CPU in memory (regfile.c).
 *
 * A command that reaches a thread on another CPU does so by an interrupt: the CPU in
 * memory is interrupted, too, before it does anything (glue_arrive()).
 */
#ifndef _IA64_PERFMON_TESTS_INTRINSICS_H
#define _IA64_PERFMON_TESTS_INTRINSICS_H

#define _IA64_REG_PSR		ITC_PSR
#define _IA64_REG_PSR_L		ITC_PSR_L
#define _IA64_REG_CR_DCR	ITC_DCR
#define _IA64_REG_CR_PMV	ITC_PMV

#define ia64_getreg(reg)	(glue_arrive(), pfm_itc_getreg(reg))
#define ia64_setreg(reg, value)	(glue_arrive(), pfm_itc_setreg(reg, value))

#define ia64_get_pmc(n)		(glue_arrive(), pfm_itc_file.read(PFM_IA64_PMCS, n))
#define ia64_get_pmd(n)		(glue_arrive(), pfm_itc_file.read(PFM_IA64_PMDS, n))
#define ia64_get_ibr(n)		(glue_arrive(), pfm_itc_file.read(PFM_IA64_IBRS, n))
#define ia64_get_dbr(n)		(glue_arrive(), pfm_itc_file.read(PFM_IA64_DBRS, n))
#define ia64_set_pmc(n, value)	(glue_arrive(), pfm_itc_file.write(PFM_IA64_PMCS, n, value))
#define ia64_set_pmd(n, value)	(glue_arrive(), pfm_itc_file.write(PFM_IA64_PMDS, n, value))
#define ia64_set_ibr(n, value)	(glue_arrive(), pfm_itc_file.write(PFM_IA64_IBRS, n, value))
#define ia64_set_dbr(n, value)	(glue_arrive(), pfm_itc_file.write(PFM_IA64_DBRS, n, value))

#define ia64_srlz_d()		pfm_itc_file.serialize(false)
#define ia64_srlz_i()		pfm_itc_file.serialize(true)

#endif /* _IA64_PERFMON_TESTS_INTRINSICS_H */
