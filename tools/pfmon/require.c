// SPDX-License-Identifier: GPL-2.0-only
/* What pfmon needs to have contexts, and many of them. */
#include <err.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include <perfmon/libperfmon.h>

#include "require.h"

void perfmon_require(void)
{
	pfarg_config_t cfg;

	memset(&cfg, 0, sizeof(cfg));
	if (pfm_get_config(&cfg)) {
		if (errno == ENOSYS)
			errx(EXIT_PFMON, "this kernel has no perfmon: load the module perfmon, or boot a kernel with CONFIG_PERFMON=y");
		errx(EXIT_PFMON, "PFM_GET_CONFIG: %s",
		     pfm_cmd_error(PFM_GET_CONFIG, errno, 0));
	}
	if (PFM_VERSION_MAJOR(cfg.cf_version) != PFM_VERSION_MAJ ||
	    PFM_VERSION_MINOR(cfg.cf_version) < PFM_VERSION_MIN)
		errx(EXIT_PFMON, "the kernel's perfmon is version %u.%u, this pfmon needs %u.%u",
		     PFM_VERSION_MAJOR(cfg.cf_version),
		     PFM_VERSION_MINOR(cfg.cf_version),
		     PFM_VERSION_MAJ, PFM_VERSION_MIN);
}

static struct rlimit file_limit;	/* as pfmon got it; all zeroes: it still is */

void raise_file_limit(void)
{
	struct rlimit limit;

	if (file_limit.rlim_max || getrlimit(RLIMIT_NOFILE, &file_limit))
		return;
	limit = file_limit;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

void restore_file_limit(void)
{
	if (file_limit.rlim_max)
		setrlimit(RLIMIT_NOFILE, &file_limit);
}
