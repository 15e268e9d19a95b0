// SPDX-License-Identifier: GPL-2.0-only
/* Commands that print something and have no option but --help. */
#include <err.h>
#include <getopt.h>
#include <stdio.h>

#include "require.h"
#include "plain.h"

int plain_main(int argc, char **argv, const struct plain *plain)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	int c = getopt_long(argc, argv, "h", longs, NULL), n = argc - optind, status = 0;

	if (c == 'h') {
		fputs(plain->usage, stdout);
	} else if (c != -1 || n < plain->least || n > plain->most) {
		if (c == -1 && n < plain->least)
			warnx("an argument is missing");
		else if (c == -1)
			warnx("'%s' is one argument too many", argv[optind + plain->most]);
		fprintf(stderr, "Try '%s --help'.\n", argv[0]);
		return EXIT_PFMON;
	} else {
		status = plain->run(argv + optind);
	}
	if (fflush(stdout) || ferror(stdout))
		err(EXIT_PFMON, "standard output");
	return status;
}
