// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines of the source: the process that asks. An answer is for each function at the address,
 * the innermost first, the number of the line, the name of the function and that of the file,
 * each with a NUL; or one byte, if there is nothing.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "lines_read.h"
#include "require.h"
#include "text.h"

struct reader *lines_new(const struct symtab *t)
{
	return reader_new(lines_serve, t);
}

/* A string that ends within what is there, or NULL. */
static const char *take_string(const unsigned char **at, const unsigned char *end)
{
	const char *text = (const char *)*at;
	const unsigned char *nul = memchr(*at, '\0', (size_t)(end - *at));

	if (!nul)
		return NULL;
	*at = nul + 1;
	return text;
}

/* As names of symbols are. */
static const char *name_function(const char *name)
{
	struct symbol symbol = { .name = name };

	return symtab_name(&symbol);
}

bool lines_parse(const unsigned char *answer, size_t size, struct lines_found *found)
{
	const unsigned char *at = answer, *end = answer + size;
	const char *function, *file;
	struct lines_frame *frame;
	uint32_t line;

	found->frames = 0;
	if (size == 1)
		return true;
	while (at < end && found->frames < LINES_FRAMES) {
		if ((size_t)(end - at) < sizeof(line))
			return false;
		memcpy(&line, at, sizeof(line));
		at += sizeof(line);
		function = take_string(&at, end);
		file = function ? take_string(&at, end) : NULL;
		if (!file)
			return false;
		frame = &found->frame[found->frames++];
		frame->function = *function ? name_function(function) : NULL;
		frame->file = *file && line ? text_intern(file) : NULL;
		frame->line = line;
	}
	return true;
}

bool lines_find(struct reader *lines, uint64_t addr, struct lines_found *found)
{
	uint32_t size;
	const unsigned char *answer = reader_ask(lines, addr, &size);

	if (answer && lines_parse(answer, size, found))
		return true;
	found->frames = 0;
	return false;
}

const char *lines_short(const struct lines_frame *frame)
{
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL, *name;
	char *text;

	if (!frame->file)
		return NULL;
	if (asprintf(&text, "%s:%u", slash ? slash + 1 : frame->file, frame->line) < 0)
		err(EXIT_PFMON, NULL);
	name = text_intern(text);
	free(text);
	return name;
}
