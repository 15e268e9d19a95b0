// SPDX-License-Identifier: GPL-2.0-only
/* Reading the data file: see record-format.txt. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data_read.h"

/* Memory is taken as data comes, not as a damaged length says. */
#define STEP	(1U << 20)
#define HEADER_MAX	4096

static int bad(char error[DATA_ERROR_MAX], const char *path, const char *what)
{
	snprintf(error, DATA_ERROR_MAX, "%.150s: %s", path, what);
	return -1;
}

static int read_header(struct data_reader *r, const char *path,
		       char error[DATA_ERROR_MAX])
{
	static const char none[] = "not a file of pfmon record";
	struct df_header *h = &r->header;
	char what[64];

	errno = 0;
	if (fread(h, sizeof(*h), 1, r->file) != 1)
		return bad(error, path, errno ? strerror(errno) : none);
	if (memcmp(h->magic, DF_MAGIC, sizeof(h->magic)))
		return bad(error, path, none);
	if (h->order != DF_ORDER)
		return bad(error, path, "recorded on a machine of another byte order");
	if (h->major != DF_MAJOR) {
		snprintf(what, sizeof(what), "has version %u, this pfmon reads %u",
			 h->major, DF_MAJOR);
		return bad(error, path, what);
	}
	if (h->size < sizeof(*h) || h->size > HEADER_MAX || h->size % 8)
		return bad(error, path, "damaged header");
	h->boot[DF_BOOT_MAX - 1] = '\0';
	h->title[DF_TITLE_MAX - 1] = '\0';
	if (data_rewind(r))
		return bad(error, path, strerror(errno));
	return 0;
}

int data_open(struct data_reader *r, const char *path,
	      char error[DATA_ERROR_MAX])
{
	memset(r, 0, sizeof(*r));
	r->file = fopen(path, "re");
	if (!r->file)
		return bad(error, path, strerror(errno));
	if (!read_header(r, path, error))
		return 0;
	data_done(r);
	return -1;
}

int data_rewind(struct data_reader *r)
{
	r->offset = r->header.size;
	return fseek(r->file, (long)r->header.size, SEEK_SET);
}

void data_done(struct data_reader *r)
{
	fclose(r->file);
	free(r->body);
	r->body = NULL;
}

/* The content of a record, or false if the file ends before it does. */
static bool read_body(struct data_reader *r)
{
	size_t have = 0, want = r->head.size, step;

	while (have < want) {
		step = want - have < STEP ? want - have : STEP;
		if (r->room < have + step) {
			unsigned char *more = realloc(r->body, have + step);

			if (!more)
				return false;
			r->body = more;
			r->room = have + step;
		}
		if (fread(r->body + have, step, 1, r->file) != 1)
			return false;
		have += step;
	}
	return true;
}

enum data_status data_next(struct data_reader *r)
{
	if (r->head.type == DF_END && r->offset > r->header.size)
		return DATA_END;
	if (fread(&r->head, sizeof(r->head), 1, r->file) != 1)
		return DATA_TRUNCATED;
	if (r->head.size % 8 || r->head.size > DF_RECORD_MAX || !r->head.type)
		return DATA_DAMAGED;
	if (!read_body(r))
		return DATA_TRUNCATED;
	r->offset += sizeof(r->head) + r->head.size;
	return DATA_RECORD;
}

/* A string within the record that ends there; NULL if it does not. */
static const char *take_string(const struct data_reader *r, size_t *at)
{
	const char *text = (const char *)r->body + *at;
	const char *end;

	if (*at >= r->head.size)
		return NULL;
	end = memchr(text, '\0', r->head.size - *at);
	if (!end)
		return NULL;
	*at += (size_t)(end - text) + 1;
	return text;
}

static bool copy_string(const struct data_reader *r, size_t *at,
			char name[SMPL_NAME_MAX])
{
	const char *text = take_string(r, at);

	if (!text || strlen(text) >= SMPL_NAME_MAX)
		return false;
	strcpy(name, text);
	return true;
}

bool data_get_event(const struct data_reader *r, struct sampled_event *e)
{
	const struct df_event *event = (const void *)r->body;
	size_t at = sizeof(*event);
	unsigned int i;

	memset(e, 0, sizeof(*e));
	if (r->head.size < sizeof(*event) || event->readings > MAX_READINGS ||
	    event->pmd >= PFM_MAX_PMDS)
		return false;
	at += event->readings * sizeof(event->reading[0]);
	if (at > r->head.size || !copy_string(r, &at, e->name))
		return false;
	e->pmd = event->pmd;
	e->set = event->set;
	e->sets = 1;
	e->unit = event->unit == UNIT_NS ? UNIT_NS : UNIT_COUNT;
	e->period = event->period;
	e->random_mask = event->random_mask;
	e->readings = event->readings;
	for (i = 0; i < e->readings; i++) {
		e->reading[i].pmd = event->reading[i].pmd;
		e->reading[i].since_last = event->reading[i].kind == DF_SINCE_LAST;
		if (!copy_string(r, &at, e->reading[i].name))
			return false;
	}
	return true;
}

bool data_get_process(const struct data_reader *r, struct data_process *p)
{
	size_t at = sizeof(*p->process);

	p->process = (const void *)r->body;
	p->comm = take_string(r, &at);
	p->command = p->comm ? take_string(r, &at) : NULL;
	return p->command;
}

bool data_get_map(const struct data_reader *r, struct data_map *m)
{
	size_t at = sizeof(*m->map);

	m->map = (const void *)r->body;
	m->path = take_string(r, &at);
	return m->path && m->map->start < m->map->end;
}

bool data_get_binary(const struct data_reader *r, struct data_binary *b)
{
	size_t at = sizeof(*b->binary);

	b->binary = (const void *)r->body;
	b->path = take_string(r, &at);
	return b->path && b->binary->number && b->binary->id_size <= sizeof(b->binary->id);
}

bool data_get_samples(const struct data_reader *r, struct data_samples *s)
{
	s->samples = (const void *)r->body;
	s->buf = r->body + sizeof(*s->samples);
	return r->head.size >= sizeof(*s->samples) &&
	       s->samples->bytes <= r->head.size - sizeof(*s->samples);
}

bool data_get_lost(const struct data_reader *r, struct df_lost *lost)
{
	if (r->head.size < sizeof(*lost))
		return false;
	memcpy(lost, r->body, sizeof(*lost));
	return true;
}

bool data_get_turns(const struct data_reader *r, struct df_turns *turns)
{
	if (r->head.size < sizeof(*turns))
		return false;
	memcpy(turns, r->body, sizeof(*turns));
	return true;
}

bool data_get_end(const struct data_reader *r, struct df_end *end)
{
	if (r->head.size < sizeof(*end))
		return false;
	memcpy(end, r->body, sizeof(*end));
	return true;
}
