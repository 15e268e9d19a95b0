// SPDX-License-Identifier: GPL-2.0-only
/* pfmon list: the events that can be counted on this machine. */
#include <err.h>
#include <getopt.h>
#include <stdio.h>

#include "context.h"
#include "events.h"
#include "hardware.h"
#include "names.h"
#include "pfmon.h"

static const char usage[] =
"usage: pfmon list [GLOB]...\n"
"\n"
"Prints the events that can be counted on this machine, or those whose names match:\n"
"'*miss*', 'L2_RQSTS:*'. Upper and lower case are the same.\n"
"\n"
"  -h, --help  print this and exit\n";

int cmd_list(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	int c = getopt_long(argc, argv, "h", longs, NULL), status = 0;

	if (c == 'h') {
		fputs(usage, stdout);
	} else if (c != -1) {
		fputs("Try 'pfmon list --help'.\n", stderr);
		return EXIT_PFMON;
	} else {
		hardware_find();
		do {
			if (!events_list(argv[optind], stdout)) {
				warnx("no event matches '%s'%s", argv[optind], names_known ? "" :
				      "; this pfmon was built without libpfm4");
				status = 1;
			}
		} while (argv[optind] && argv[++optind]);
	}
	if (fflush(stdout) || ferror(stdout))
		err(EXIT_PFMON, "standard output");
	return status;
}
