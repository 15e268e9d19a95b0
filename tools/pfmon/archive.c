// SPDX-License-Identifier: GPL-2.0-only
/*
 * pfmon archive: copies the files that a recording names to a directory beside it, each
 * under its build ID, for a report on another machine, or when they are gone here. No name
 * that the recording has becomes one of the directory.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "require.h"
#include "binary.h"
#include "archive.h"
#include "data_read.h"
#include "debugfile.h"
#include "outfile.h"
#include "pfmon.h"

static const char usage[] =
	"usage: pfmon archive [-i FILE] [-o DIR]\n"
	"  -i, --input FILE   the recording (pfmon.data)\n"
	"  -o, --output DIR   where its files are copied to ($PFMON_ARCHIVE, or FILE.archive)\n"
	"\n"
	"pfmon report and others look for them there.\n";

struct archive {
	char dir[PATH_MAX];
	unsigned int copied, had, missing, nameless, debug;
};

static void __attribute__((noreturn)) bad_usage(void)
{
	fputs(usage, stderr);
	exit(EXIT_PFMON);
}

/*
 * Copy the open file @from to the name @to in @dir. The copy has another name until it is
 * whole: if pfmon is killed before that, a file is left that no reader of the archive opens.
 *
 * Returns true, or false if there is something of the name @to already, which is left as it is.
 */
static bool copy(const char *dir, int from, const char *to)
{
	char buf[65536], part[PATH_MAX];
	ssize_t n;
	bool there;
	int fd;

	if (snprintf(part, sizeof(part), "%s/part.XXXXXX", dir) >= (int)sizeof(part))
		errx(EXIT_PFMON, "the name of the directory is too long");
	fd = mkostemp(part, O_CLOEXEC);
	if (fd < 0)
		err(EXIT_PFMON, "%s", part);
	while ((n = read(from, buf, sizeof(buf))) > 0 && !outfile_write_all(fd, buf, (size_t)n))
		;
	if (n || fchmod(fd, 0644) || close(fd)) {
		unlink(part);
		err(EXIT_PFMON, "%s", to);
	}
	/* Unlike rename() it does not replace what is there. */
	there = link(part, to);
	if (there && errno != EEXIST) {
		unlink(part);
		err(EXIT_PFMON, "%s", to);
	}
	unlink(part);
	return !there;
}

/* What was stripped from a file, where it is found by its build ID. */
static void keep_debug(struct archive *a, const struct binary *b)
{
	char path[PATH_MAX], to[PATH_MAX];
	unsigned int n;
	int fd;

	fd = debugfile_archived(a->dir, &b->identity, to);
	if (fd >= 0) {
		close(fd);
		return;
	}
	for (n = DEBUGFILE_FIRST; n < DEBUGFILE_PLACES && fd < 0; n++)
		fd = debugfile_of_id(&b->identity, n, path);
	if (fd < 0)
		return;
	if (lseek(fd, 0, SEEK_SET))
		err(EXIT_PFMON, "%s", path);
	if (copy(a->dir, fd, to))
		a->debug++;
	else
		warnx("%s: is not copied, something else is %s", path, to);
	close(fd);
}

static void keep(struct archive *a, struct binaries *binaries, struct binary *b)
{
	char path[PATH_MAX], to[PATH_MAX];
	bool other = false;
	int fd, had;

	if (!binary_archived(a->dir, b, to)) {
		warnx("%s: has no build ID", b->name);
		a->nameless++;
		return;
	}
	keep_debug(a, b);
	had = identity_open_same(&b->identity, to, &other);
	if (had >= 0) {
		close(had);
		a->had++;
		return;
	}
	fd = binary_open(binaries, b, path);
	if (fd < 0) {
		warnx("%s: is gone, or is another one now", b->name);
		a->missing++;
		return;
	}
	if (lseek(fd, 0, SEEK_SET))
		err(EXIT_PFMON, "%s", b->name);
	if (copy(a->dir, fd, to)) {
		a->copied++;
	} else {
		warnx("%s: is not copied, something else is %s", b->name, to);
		a->missing++;
	}
	close(fd);
}

char *archive_of(const char *path)
{
	const char *dir = getenv("PFMON_ARCHIVE");
	char *name;

	if (asprintf(&name, "%s%s", dir && *dir ? dir : path, dir && *dir ? "" : ".archive") < 0)
		err(EXIT_PFMON, NULL);
	return name;
}

int archive_make(const char *path, const char *dir, FILE *out)
{
	static struct data_reader r;
	struct archive a = { 0 };
	struct binaries *binaries;
	char error[DATA_ERROR_MAX];
	enum data_status status;
	struct data_binary d;

	if (snprintf(a.dir, sizeof(a.dir), "%s", dir) >= (int)sizeof(a.dir) - 64)
		errx(EXIT_PFMON, "the name of the directory is too long");
	if (data_open(&r, path, error))
		errx(EXIT_PFMON, "%s", error);
	if (mkdir(a.dir, 0777) && errno != EEXIST)
		err(EXIT_PFMON, "%s", a.dir);
	binaries = binaries_new(&r.header, NULL);
	while ((status = data_next(&r)) == DATA_RECORD) {
		if (r.head.type != DF_BINARY || !data_get_binary(&r, &d))
			continue;
		binaries_add(binaries, &d);
		keep(&a, binaries, binaries_find(binaries, d.path, d.binary->number, 0));
	}
	if (status != DATA_END)
		warnx("%s: the file is damaged or truncated: files that it names later are not copied",
		      path);
	fprintf(out, "%s: %u copied, %u there already, %u missing or changed, %u without a build ID",
		a.dir, a.copied, a.had, a.missing, a.nameless);
	fprintf(out, a.debug ? "; %u debug files\n" : "\n", a.debug);
	binaries_free(binaries);
	data_done(&r);
	return status == DATA_END ? 0 : -1;
}

int cmd_archive(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	const char *input = DF_DEFAULT_NAME, *output = NULL;
	const char *dir = getenv("PFMON_ARCHIVE");
	char *beside;
	int c, ret;

	while ((c = getopt_long(argc, argv, "i:o:h", longs, NULL)) != -1) {
		if (c == 'i')
			input = optarg;
		else if (c == 'o')
			output = optarg;
		else if (c == 'h')
			return fputs(usage, stdout) < 0 || fflush(stdout) ? EXIT_PFMON : 0;
		else
			bad_usage();
	}
	if (optind < argc)
		bad_usage();
	if (!output && !(dir && *dir) && !strcmp(input, "-"))
		errx(EXIT_PFMON, "a recording at standard input has no place beside it: name a directory with -o");
	beside = archive_of(input);
	ret = archive_make(input, output ? output : beside, stdout);
	free(beside);
	return fflush(stdout) || ret ? EXIT_PFMON : 0;
}
