// SPDX-License-Identifier: GPL-2.0-only
/* Lines of source files. Each file is read once. */
#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "identity.h"
#include "keys.h"
#include "require.h"
#include "source.h"
#include "text.h"

#define FILE_MAX	(16 << 20)	/* bytes of a file, larger ones are not read */
#define FILES_MAX	1024
#define SHOWN		200		/* bytes of a line */

struct source {
	char *text;
	const char **line;	/* each ends with a NUL */
	size_t lines;
};

static struct keys names;
static struct source source[FILES_MAX];

static bool may_show(const struct stat *st, uid_t owner)
{
	return geteuid() || st->st_mode & S_IROTH || (owner && st->st_uid == owner);
}

static char *read_text(const char *path, uid_t owner)
{
	struct stat st;
	int fd = *path == '/' ? identity_open(path, &st) : -1;
	size_t size = 0;
	char *text = NULL;
	ssize_t n;

	if (fd < 0)
		return NULL;
	if (st.st_size <= FILE_MAX && may_show(&st, owner)) {
		text = malloc((size_t)st.st_size + 1);
		if (!text)
			err(EXIT_PFMON, NULL);
		while ((n = read(fd, text + size, (size_t)st.st_size - size)) > 0)
			size += (size_t)n;
		text[size] = '\0';
	}
	close(fd);
	return text;
}

static void find_lines(struct source *s)
{
	char *at = s->text, *end;

	while (at && *at) {
		/* Room for a power of two of them. */
		if (!(s->lines & (s->lines - 1)))
			s->line = reallocarray(s->line, s->lines ? 2 * s->lines : 1,
					       sizeof(*s->line));
		if (!s->line)
			err(EXIT_PFMON, NULL);
		s->line[s->lines++] = at;
		end = strchr(at, '\n');
		if (end)
			*end = '\0';
		at = end ? end + 1 : NULL;
	}
}

const char *source_line(const char *file, unsigned int line, uid_t owner)
{
	char shown[SHOWN + 1];
	size_t known = names.n, n, i;
	struct source *s;

	n = known < FILES_MAX ? keys_number(&names, &file, sizeof(file)) : FILES_MAX;
	if (n == FILES_MAX && !keys_find(&names, &file, sizeof(file), &n))
		return NULL;
	s = &source[n];
	if (n == known) {
		s->text = read_text(file, owner);
		find_lines(s);
	}
	if (!line || line > s->lines)
		return NULL;
	snprintf(shown, sizeof(shown), "%s", s->line[line - 1] + strspn(s->line[line - 1], " \t"));
	for (i = 0; shown[i]; i++)
		if (shown[i] == '\t' || shown[i] == '\r')
			shown[i] = ' ';
	return text_intern(shown);
}
