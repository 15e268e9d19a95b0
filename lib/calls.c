// SPDX-License-Identifier: LGPL-2.1-or-later
/* Section 6.1 of the specification: one function for each command. */
#include <perfmon/libperfmon.h>

/* For commands that have no context: the descriptor is ignored. */
#define NO_FD	0

int pfm_create_context(pfarg_ctx_t *ctx, int n)
{
	return perfmonctl(NO_FD, PFM_CREATE_CONTEXT, ctx, n);
}

int pfm_write_pmcs(int fd, pfarg_pmc_t *pmcs, int n)
{
	return perfmonctl(fd, PFM_WRITE_PMCS, pmcs, n);
}

int pfm_write_pmds(int fd, pfarg_pmd_t *pmds, int n)
{
	return perfmonctl(fd, PFM_WRITE_PMDS, pmds, n);
}

int pfm_read_pmds(int fd, pfarg_pmd_t *pmds, int n)
{
	return perfmonctl(fd, PFM_READ_PMDS, pmds, n);
}

int pfm_getinfo_pmcs(pfarg_pmcinfo_t *pmcs, int n)
{
	return perfmonctl(NO_FD, PFM_GETINFO_PMCS, pmcs, n);
}

int pfm_getinfo_pmds(pfarg_pmdinfo_t *pmds, int n)
{
	return perfmonctl(NO_FD, PFM_GETINFO_PMDS, pmds, n);
}

int pfm_start(int fd, pfarg_start_t *start)
{
	return perfmonctl(fd, PFM_START, start, start ? 1 : 0);
}

int pfm_stop(int fd)
{
	return perfmonctl(fd, PFM_STOP, NULL, 0);
}

int pfm_load_context(int fd, pfarg_load_t *load)
{
	return perfmonctl(fd, PFM_LOAD_CONTEXT, load, 1);
}

int pfm_unload_context(int fd)
{
	return perfmonctl(fd, PFM_UNLOAD_CONTEXT, NULL, 0);
}

int pfm_restart(int fd)
{
	return perfmonctl(fd, PFM_RESTART, NULL, 0);
}

int pfm_create_evtsets(int fd, pfarg_setdesc_t *setdesc, int n)
{
	return perfmonctl(fd, PFM_CREATE_EVTSETS, setdesc, n);
}

int pfm_delete_evtsets(int fd, pfarg_setdesc_t *setdesc, int n)
{
	return perfmonctl(fd, PFM_DELETE_EVTSETS, setdesc, n);
}

int pfm_getinfo_evtsets(int fd, pfarg_setinfo_t *setinfo, int n)
{
	return perfmonctl(fd, PFM_GETINFO_EVTSETS, setinfo, n);
}

int pfm_get_config(pfarg_config_t *cfg)
{
	return perfmonctl(NO_FD, PFM_GET_CONFIG, cfg, 1);
}

int pfm_set_config(pfarg_config_t *cfg)
{
	return perfmonctl(NO_FD, PFM_SET_CONFIG, cfg, 1);
}
