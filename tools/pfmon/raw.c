// SPDX-License-Identifier: GPL-2.0-only
/* Sampling formats that pfmon does not know: their blocks are kept as they are. */
#include <ctype.h>
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "data_read.h"
#include "raw.h"

#define LINE	16	/* bytes in one of raw_print() */

static uint64_t any_size(unsigned int pmds)
{
	(void)pmds;
	return 0;
}

/* The argument, which says how large the buffer is, is the user's. */
static void no_argument(void *arg, uint64_t buffer_size)
{
	(void)arg;
	(void)buffer_size;
}

static void no_state(const void *buf, size_t size, struct pmon_state *state)
{
	(void)buf;
	(void)size;
	memset(state, 0, sizeof(*state));
}

/* The buffer as it is: what is new in it is not known. */
static size_t copy_all(const void *buf, size_t size, bool all, struct pmon_seen *seen,
		       void *block)
{
	(void)all;
	if (seen)
		return 0;
	memcpy(block, buf, size);
	return size;
}

static int begin_nothing(struct pmon_iter *it)
{
	(void)it;
	return 0;
}

static int no_next(struct pmon_iter *it, struct pmon_record *rec)
{
	(void)it;
	(void)rec;
	return 0;
}

static struct pmon_format raw = {
	.help = "blocks that are not taken apart",
	.values = true,
	.min_size = any_size,
	.argument = no_argument,
	.state = no_state,
	.copy = copy_all,
	.begin = begin_nothing,
	.next = no_next,
};

static bool byte(const char *text, unsigned char *value)
{
	char digits[3] = { text[0], text[0] ? text[1] : '\0', '\0' };

	if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]))
		return false;
	*value = (unsigned char)strtoul(digits, NULL, 16);
	return true;
}

/* 8-4-4-4-12 digits. Return: what follows, or NULL if it is no UUID. */
static const char *parse_uuid(const char *text, unsigned char *uuid)
{
	unsigned int i;

	for (i = 0; i < sizeof(pfm_uuid_t); i++, text += 2) {
		if ((i == 4 || i == 6 || i == 8 || i == 10) && *text++ != '-')
			return NULL;
		if (!byte(text, &uuid[i]))
			return NULL;
	}
	return text;
}

void raw_uuid(const unsigned char *uuid, char text[UUID_TEXT])
{
	unsigned int i, at = 0;

	for (i = 0; i < sizeof(pfm_uuid_t); i++)
		at += (unsigned int)snprintf(text + at, UUID_TEXT - at, "%s%02x",
					     i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
					     uuid[i]);
}

const char *raw_format(const char *text, const struct pmon_format **format,
		       unsigned char **arg, size_t *size)
{
	static char name[UUID_TEXT];
	const char *rest = parse_uuid(text, raw.uuid);
	size_t i;

	*format = NULL;
	*arg = NULL;
	*size = 0;
	if (!rest || (*rest && *rest != ':'))
		return NULL;
	raw_uuid(raw.uuid, name);
	raw.name = name;
	*format = pmon_format_find_uuid(raw.uuid);
	if (!*format)
		*format = &raw;
	if (!*rest)
		return NULL;
	rest++;
	if (!*rest || strlen(rest) % 2 || strlen(rest) / 2 > RAW_ARG_MAX)
		return "the argument is not a number of bytes, of two hexadecimal digits each";
	*size = strlen(rest) / 2;
	*arg = malloc(*size);
	if (!*arg)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < *size; i++)
		if (!byte(rest + 2 * i, &(*arg)[i]))
			return "the argument is not of hexadecimal digits";
	return NULL;
}

/* A line that is the same as the last one is left out, as of hexdump(1). */
static void print_bytes(FILE *out, const unsigned char *at, size_t size)
{
	bool same = false;
	size_t i, k, n;

	for (i = 0; i < size; i += n) {
		n = size - i < LINE ? size - i : LINE;
		if (i && n == LINE && !memcmp(at + i, at + i - LINE, LINE)) {
			if (!same)
				fputs("*\n", out);
			same = true;
			continue;
		}
		same = false;
		fprintf(out, "%08zx ", i);
		for (k = 0; k < LINE; k++)
			if (k < n)
				fprintf(out, " %02x", at[i + k]);
			else
				fputs("   ", out);
		fputs("  |", out);
		for (k = 0; k < n; k++)
			fputc(at[i + k] >= ' ' && at[i + k] <= '~' ? at[i + k] : '.', out);
		fputs("|\n", out);
	}
	fprintf(out, "%08zx\n", size);
}

static void print_block(FILE *out, uint64_t number, const struct data_samples *s)
{
	const struct pmon_format *format = pmon_format_find_uuid(s->samples->uuid);
	char uuid[UUID_TEXT];

	raw_uuid(s->samples->uuid, uuid);
	fprintf(out, "block %" PRIu64 ": format %s (%s), process %d, thread %d, CPU %d, %" PRIu32 " bytes\n",
		number, uuid, format ? format->name : "unknown", s->samples->pid,
		s->samples->tid, s->samples->cpu, s->samples->bytes);
	print_bytes(out, s->buf, s->samples->bytes);
}

void raw_print(const char *path, FILE *out)
{
	char error[DATA_ERROR_MAX];
	struct data_samples s;
	struct data_reader r;
	enum data_status status;
	uint64_t n = 0;

	if (data_open(&r, path, error))
		errx(EXIT_PFMON, "%s", error);
	while ((status = data_next(&r)) == DATA_RECORD) {
		if (r.head.type != DF_SAMPLES)
			continue;
		if (data_get_samples(&r, &s))
			print_block(out, ++n, &s);
		else
			warnx("%s: a block of samples is damaged", data_name(path));
	}
	if (status != DATA_END)
		warnx("%s: the file is %s after %" PRIu64 " bytes", data_name(path),
		      status == DATA_TRUNCATED ? "truncated" : "damaged", data_place(&r, r.offset));
	data_done(&r);
}
