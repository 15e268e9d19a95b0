// SPDX-License-Identifier: GPL-2.0-only
/*
 * $(exit-with STATUS) for GNU make: end make with this exit status. A failed
 * recipe makes it end with 2 always, but `make run CMD=...` is to end as the
 * command did.
 */
#include <gnumake.h>
#include <stdlib.h>

int plugin_is_GPL_compatible;

static char *exit_with(const char *name, unsigned int argc, char **argv)
{
	(void)name;
	(void)argc;
	exit(atoi(argv[0]));
}

int make_exit_gmk_setup(void);

int make_exit_gmk_setup(void)
{
	gmk_add_function("exit-with", exit_with, 1, 1, GMK_FUNC_DEFAULT);
	return 1;
}
