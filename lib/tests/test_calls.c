// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each function makes its own command and passes everything on unchanged. */
#include <errno.h>

#include <perfmon/libperfmon.h>

#include "check.h"

static struct {
	int fd, cmd, narg;
	void *arg;
} last;

static int next_errno;

/* In place of the library's: the linker takes the first that it finds. */
int perfmonctl(int fd, int cmd, void *arg, int narg)
{
	last.fd = fd;
	last.cmd = cmd;
	last.arg = arg;
	last.narg = narg;
	if (!next_errno)
		return 0;
	errno = next_errno;
	return -1;
}

/* Without a descriptor the commands ignore it: it is not looked at here. */
#define NO_FD	(-1)

#define CALL(call, want_fd, want_cmd, want_arg, want_narg) do {		\
	memset(&last, 0, sizeof(last));					\
	next_errno = 0;							\
	CHECK((call) == 0);						\
	CHECK((want_fd) == NO_FD || last.fd == (want_fd));		\
	CHECK(last.cmd == (want_cmd));					\
	CHECK(last.arg == (void *)(want_arg));				\
	CHECK(last.narg == (want_narg));				\
	next_errno = EBUSY;						\
	errno = 0;							\
	CHECK((call) == -1);						\
	CHECK(errno == EBUSY);						\
} while (0)

int main(void)
{
	static pfarg_ctx_t ctx;
	static pfarg_pmc_t pmcs[3];
	static pfarg_pmd_t pmds[3];
	static pfarg_pmcinfo_t infos[3];
	static pfarg_start_t start;
	static pfarg_load_t load;
	static pfarg_setdesc_t sets[3];
	static pfarg_setinfo_t setinfos[3];
	static pfarg_config_t cfg;

	CALL(pfm_create_context(&ctx, 1), NO_FD, PFM_CREATE_CONTEXT, &ctx, 1);
	CALL(pfm_create_context(&ctx, 2), NO_FD, PFM_CREATE_CONTEXT, &ctx, 2);
	CALL(pfm_write_pmcs(7, pmcs, 3), 7, PFM_WRITE_PMCS, pmcs, 3);
	CALL(pfm_write_pmds(7, pmds, 3), 7, PFM_WRITE_PMDS, pmds, 3);
	CALL(pfm_read_pmds(7, pmds, -1), 7, PFM_READ_PMDS, pmds, -1);
	CALL(pfm_getinfo_pmcs(infos, 3), NO_FD, PFM_GETINFO_PMCS, infos, 3);
	CALL(pfm_getinfo_pmds(infos, 3), NO_FD, PFM_GETINFO_PMDS, infos, 3);
	CALL(pfm_start(7, &start), 7, PFM_START, &start, 1);
	CALL(pfm_start(7, NULL), 7, PFM_START, NULL, 0);
	CALL(pfm_stop(7), 7, PFM_STOP, NULL, 0);
	CALL(pfm_load_context(7, &load), 7, PFM_LOAD_CONTEXT, &load, 1);
	CALL(pfm_unload_context(7), 7, PFM_UNLOAD_CONTEXT, NULL, 0);
	CALL(pfm_restart(7), 7, PFM_RESTART, NULL, 0);
	CALL(pfm_create_evtsets(7, sets, 3), 7, PFM_CREATE_EVTSETS, sets, 3);
	CALL(pfm_delete_evtsets(7, sets, 3), 7, PFM_DELETE_EVTSETS, sets, 3);
	CALL(pfm_getinfo_evtsets(7, setinfos, 3), 7, PFM_GETINFO_EVTSETS,
	     setinfos, 3);
	CALL(pfm_get_config(&cfg), NO_FD, PFM_GET_CONFIG, &cfg, 1);
	CALL(pfm_set_config(&cfg), NO_FD, PFM_SET_CONFIG, &cfg, 1);
	return check_done();
}
