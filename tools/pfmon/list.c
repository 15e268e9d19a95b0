// SPDX-License-Identifier: GPL-2.0-only
/* pfmon list: the events that can be counted on this machine. */
#include <err.h>
#include <limits.h>
#include <stdio.h>

#include "require.h"
#include "events.h"
#include "hardware.h"
#include "names.h"
#include "pfmon.h"
#include "plain.h"

static const char usage[] =
"usage: pfmon list [GLOB]...\n"
"\n"
"Prints the events that can be counted on this machine, or those whose names match:\n"
"'*miss*', 'L2_RQSTS:*'. Upper and lower case are the same.\n"
"\n"
"  -h, --help  print this and exit\n";

static int list(char **glob)
{
	int status = 0;

	hardware_find();
	do {
		if (!events_list(*glob, stdout)) {
			warnx("no event matches '%s'%s", *glob, names_known ? "" :
			      "; this pfmon was built without libpfm4");
			status = 1;
		}
	} while (*glob && *++glob);
	return status;
}

int cmd_list(int argc, char **argv)
{
	static const struct plain plain = { usage, 0, INT_MAX, list };

	return plain_main(argc, argv, &plain);
}
