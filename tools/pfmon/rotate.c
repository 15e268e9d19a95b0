// SPDX-License-Identifier: GPL-2.0-only
/* record --switch-output: when the next data file begins, and how files are called. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "numbers.h"
#include "recording.h"
#include "require.h"
#include "rotate.h"

static volatile sig_atomic_t asked;

static void on_usr2(int sig)
{
	(void)sig;
	asked = 1;
}

void rotate_option(struct rotation *r, const char *text)
{
	static const struct numbers_unit sizes[] = { { 'B', 1 }, NUMBERS_KMG, { '\0', 0 } };
	static const struct numbers_unit times[] = {
		{ 's', 1000000000 }, { 'm', 60000000000 }, { 'h', 3600000000000 },
		{ 'd', 86400000000000 }, { '\0', 0 },
	};

	r->on = true;
	r->bytes = r->ns = 0;
	if (!text || !strcmp(text, "signal"))
		return;
	if (!numbers_read(text, sizes, &r->bytes))
		numbers_read(text, times, &r->ns);
	if (r->bytes | r->ns)
		return;
	errx(EXIT_PFMON, "--switch-output: '%s' is not a size (as 100M: B, K, M, G), a time (as 10m: s, m, h, d) or signal",
	     text);
}

/* As perf has it: the local time, to hundredths of a second. */
char *rotate_next(const struct rotation *r)
{
	struct timespec now, pause = { .tv_nsec = 1000000 };
	struct stat st;
	char text[32], *name;
	struct tm tm;

	for (;;) {
		clock_gettime(CLOCK_REALTIME, &now);
		if (!localtime_r(&now.tv_sec, &tm) ||
		    !strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm) ||
		    asprintf(&name, "%s.%s%02d", r->output, text,
			     (int)(now.tv_nsec / 10000000)) < 0)
			err(EXIT_PFMON, NULL);
		/* Two files of the same hundredth are two, unlike perf's. */
		if (lstat(name, &st))
			return name;
		free(name);
		nanosleep(&pause, NULL);
	}
}

const char *rotate_begin(struct rotation *r, const char *output)
{
	struct sigaction action = { .sa_handler = on_usr2, .sa_flags = SA_RESTART };

	if (outfile_is_stdout(output))
		errx(EXIT_PFMON, "--switch-output makes many files, and standard output is one: name a file with -o");
	r->output = output;
	if (r->most) {
		r->name = calloc(r->most, sizeof(*r->name));
		if (!r->name)
			err(EXIT_PFMON, NULL);
	}
	sigaction(SIGUSR2, &action, NULL);
	r->last = rotate_next(r);
	return r->last;
}

void rotate_name(struct recording *rec)
{
	struct rotation *r = rec->rotation;
	struct outfile *out = &rec->data.out;

	free(r->last);
	r->last = rotate_next(r);
	free(out->path);
	out->path = strdup(r->last);
	if (!out->path)
		err(EXIT_PFMON, NULL);
}

void rotate_closed(struct recording *rec)
{
	struct rotation *r = rec->rotation;
	char **oldest;

	if (r->most) {
		oldest = &r->name[r->files % r->most];
		if (*oldest && unlink(*oldest) && errno != ENOENT)
			warn("cannot remove %s", *oldest);
		free(*oldest);
		*oldest = strdup(r->last);
		if (!*oldest)
			err(EXIT_PFMON, NULL);
	}
	r->files++;
	r->written += rec->data.bytes;
	r->samples = rec->samples;
}

bool rotate_due(struct recording *rec, uint64_t more)
{
	const struct rotation *r = rec->rotation;
	bool due;

	if (!r || rec->data.err)
		return false;
	if (more)
		return r->bytes && rec->samples > r->samples && data_size(&rec->data, more) > r->bytes;
	due = asked || (r->ns && now_ns() - r->began >= r->ns);
	asked = 0;
	return due;
}
