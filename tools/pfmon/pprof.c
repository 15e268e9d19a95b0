// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile for pprof. What a message has is numbered fields: numbers, or bytes, which
 * are a text or another message. Texts stand in a table of their own; samples refer to
 * locations, these to functions and mappings, by numbers from 1.
 */
#define _GNU_SOURCE
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "gzip.h"
#include "keys.h"
#include "profile_out.h"
#include "pprof.h"
#include "space.h"
#include "text.h"

/* Fields of profile.proto. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION,
       PROFILE_FUNCTION, PROFILE_STRING, PROFILE_TIME_NANOS = 9, PROFILE_DURATION_NANOS,
       PROFILE_PERIOD_TYPE, PROFILE_PERIOD, PROFILE_COMMENT, PROFILE_DEFAULT_TYPE };
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STRING, LABEL_NUMBER, LABEL_UNIT };
enum { MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE,
       MAPPING_BUILD_ID, MAPPING_HAS_FUNCTIONS };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME };

enum { WIRE_NUMBER = 0, WIRE_BYTES = 2 };

/* What keys are made of: without padding. Names are those of text_intern(). */
struct mapping_key {
	const char *binary;
	const char *build_id;		/* in hexadecimal, "": not known */
	uint64_t start, end, offset;
};

struct location_key {
	uint64_t address;
	uint32_t mapping, function;	/* numbers from 1 */
};

struct sample_head {
	const char *process;
	int32_t pid, tid, cpu;
	uint32_t locations;		/* their numbers follow, the innermost first */
};

struct pprof {
	struct keys mappings, locations, functions, samples;
	uint32_t *location;		/* by a place's number, 0: it is new */
	size_t location_room;
	unsigned char *nameless;	/* by mapping: one of its functions is not known */
	size_t nameless_room;
	uint64_t *value;		/* of all samples, one after the other */
	size_t value_room;
	unsigned int values;		/* of a sample */
	uint32_t *head;			/* of the sample that is being added */
	size_t head_room;
};

struct pprof *pprof_new(void)
{
	struct pprof *p = calloc(1, sizeof(*p));

	if (!p)
		err(EXIT_PFMON, NULL);
	return p;
}

/* Room for element @n of @size bytes; what is new is zeroes. */
static void *room_for(void *array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? *room : 64;

	if (n < *room)
		return array;
	while (more <= n)
		more *= 2;
	array = reallocarray(array, more, size);
	if (!array)
		err(EXIT_PFMON, NULL);
	memset((char *)array + *room * size, 0, (more - *room) * size);
	*room = more;
	return array;
}

/* Programs know the kernel by this name. */
static const char *binary_name(const struct place *place)
{
	return strcmp(place->binary, "[kernel]") ? place->binary : "[kernel.kallsyms]";
}

static const char *build_id(const struct identity *file)
{
	char hex[BUILD_ID_HEX] = "";

	if (file)
		identity_hex(file, hex);
	return text_intern(hex);
}

static uint32_t new_location(struct pprof *p, uint64_t ip, const struct place *place)
{
	struct mapped mapped = space_mapped(place->mapping);
	struct mapping_key mapping = {
		.binary = text_intern(binary_name(place)),
		.build_id = build_id(mapped.identity),
		.start = mapped.start, .end = mapped.end, .offset = mapped.offset,
	};
	struct location_key location = { .address = ip };
	size_t n = keys_number(&p->mappings, &mapping, sizeof(mapping));

	location.mapping = (uint32_t)n + 1;
	p->nameless = room_for(p->nameless, n, &p->nameless_room, sizeof(*p->nameless));
	/* Some readers leave out of their sums what has no function. */
	location.function = (uint32_t)keys_number(&p->functions, &place->call,
						  sizeof(place->call)) + 1;
	if (place->call != place->symbol)
		p->nameless[n] = 1;
	return (uint32_t)keys_number(&p->locations, &location, sizeof(location)) + 1;
}

static uint32_t add_location(struct pprof *p, uint64_t ip, const struct place *place)
{
	uint32_t *location;

	if (!place->number)
		return new_location(p, ip, place);
	p->location = room_for(p->location, place->number, &p->location_room,
			       sizeof(*p->location));
	location = &p->location[place->number];
	if (!*location)
		*location = new_location(p, ip, place);
	return *location;
}

/* The sample's head, and the numbers of its locations. */
static size_t fill_head(struct pprof *p, struct space *space,
			const struct pmon_sample *sample)
{
	unsigned int n = sample->kernel + sample->user, i;
	struct pmon_sample call = *sample;
	struct sample_head *head;
	struct place place;
	uint32_t *number;

	p->head = room_for(p->head, sizeof(*head) / sizeof(*number) + n + 1, &p->head_room,
			   sizeof(*number));
	head = (void *)p->head;
	number = (uint32_t *)(head + 1);
	space_find(space, &call, &place);
	*head = (struct sample_head){ .process = place.process, .pid = sample->pid,
				      .tid = sample->tid, .cpu = sample->cpu };
	if (!n || sample->chain[0] != sample->ip)
		number[head->locations++] = add_location(p, call.ip, &place);
	for (i = 0; i < n; i++) {
		/* A return address is behind the call, which can be the next function. */
		call.ip = sample->chain[i] - (i && i != sample->kernel);
		space_find(space, &call, &place);
		number[head->locations++] = add_location(p, call.ip, &place);
	}
	return sizeof(*head) + head->locations * sizeof(*number);
}

void pprof_sample(void *arg, struct space *space, const struct sampled_event *event,
		  const struct pmon_sample *sample)
{
	uint64_t *value;
	struct pprof *p = arg;
	unsigned int i, v = 2;
	size_t n, size;

	p->values = 2;
	for (i = 0; i < event->readings; i++)
		p->values += event->reading[i].since_last;
	size = fill_head(p, space, sample);
	n = keys_number(&p->samples, p->head, size);
	p->value = room_for(p->value, (n + 1) * p->values - 1, &p->value_room,
			    sizeof(*p->value));
	value = &p->value[n * p->values];
	value[0] += sample->count;
	value[1] += sampled_events(event, sample);
	for (i = 0; i < event->readings; i++) {
		if (!event->reading[i].since_last)
			continue;
		if (i < sample->values)
			value[v] += sample->value[i];
		v++;
	}
}

/* A message that is being made. */
struct message {
	unsigned char *data;
	size_t size, room;
};

static void put_varint(struct message *m, uint64_t n)
{
	m->data = room_for(m->data, m->size + 10, &m->room, 1);
	for (; n >= 0x80; n >>= 7)
		m->data[m->size++] = (unsigned char)(n | 0x80);
	m->data[m->size++] = (unsigned char)n;
}

static void put_bytes(struct message *m, unsigned int field, const void *data, size_t size)
{
	put_varint(m, field << 3 | WIRE_BYTES);
	put_varint(m, size);
	m->data = room_for(m->data, m->size + size, &m->room, 1);
	if (size)
		memcpy(m->data + m->size, data, size);
	m->size += size;
}

/* A field that is not there is 0. */
static void put_number(struct message *m, unsigned int field, uint64_t n)
{
	if (!n)
		return;
	put_varint(m, field << 3 | WIRE_NUMBER);
	put_varint(m, n);
}

/* What is being written, field by field of the outermost message. */
struct writing {
	const struct pprof *pprof;
	struct gzip gzip;
	struct keys strings;
	struct message m, part;		/* a field's, and a part of it */
};

/* The number of a text, or of "" if there is none; "" has the number 0. */
static uint64_t string(struct writing *w, const char *text)
{
	text = text_intern(text);
	return keys_number(&w->strings, &text, sizeof(text));
}

/* Write what was made as a field of the outermost message. */
static void end_field(struct writing *w, unsigned int field)
{
	w->part.size = 0;
	put_bytes(&w->part, field, w->m.data, w->m.size);
	gzip_write(&w->gzip, w->part.data, w->part.size);
	w->part.size = w->m.size = 0;
}

static void write_number(struct writing *w, unsigned int field, uint64_t n)
{
	put_number(&w->m, field, n);
	gzip_write(&w->gzip, w->m.data, w->m.size);
	w->m.size = 0;
}

static void write_type(struct writing *w, unsigned int field, const char *type,
		       const char *unit)
{
	put_number(&w->m, TYPE_TYPE, string(w, type));
	put_number(&w->m, TYPE_UNIT, string(w, unit));
	end_field(w, field);
}

/* Which event, what a value of it is, and when. */
static void write_what(struct writing *w, const struct profile *p)
{
	const struct sampled_event *e = &p->event[p->chosen];
	const char *unit = e->unit == UNIT_NS ? "nanoseconds" : "count";
	unsigned int i;

	write_type(w, PROFILE_SAMPLE_TYPE, "samples", "count");
	write_type(w, PROFILE_SAMPLE_TYPE, e->name, unit);
	for (i = 0; i < e->readings; i++)
		if (e->reading[i].since_last)
			write_type(w, PROFILE_SAMPLE_TYPE, e->reading[i].name, "count");
	write_type(w, PROFILE_PERIOD_TYPE, e->name, unit);
	write_number(w, PROFILE_PERIOD, profile_period(p, e));
	write_number(w, PROFILE_DEFAULT_TYPE, string(w, e->name));
	write_number(w, PROFILE_TIME_NANOS, p->header.realtime);
	write_number(w, PROFILE_DURATION_NANOS, p->end.elapsed_ns);
	write_number(w, PROFILE_COMMENT, string(w, p->header.title));
	for (i = 0; i < p->notes; i++)
		write_number(w, PROFILE_COMMENT, string(w, p->note[i]));
}

static void put_label(struct writing *w, const char *key, const char *text, int32_t number)
{
	w->part.size = 0;
	put_number(&w->part, LABEL_KEY, string(w, key));
	if (text)
		put_number(&w->part, LABEL_STRING, string(w, text));
	else
		put_number(&w->part, LABEL_NUMBER, (uint64_t)number);
	/* A number of 0 without a unit is no label at all to who reads it. */
	if (!text)
		put_number(&w->part, LABEL_UNIT, string(w, "number"));
	put_bytes(&w->m, SAMPLE_LABEL, w->part.data, w->part.size);
}

static void write_samples(struct writing *w)
{
	const struct pprof *p = w->pprof;
	const struct sample_head *head;
	const uint32_t *number;
	unsigned int k;
	size_t i;

	for (i = 0; i < p->samples.n; i++) {
		head = p->samples.key[i].data;
		number = (const uint32_t *)(head + 1);
		w->part.size = 0;
		for (k = 0; k < head->locations; k++)
			put_varint(&w->part, number[k]);
		put_bytes(&w->m, SAMPLE_LOCATIONS, w->part.data, w->part.size);
		w->part.size = 0;
		for (k = 0; k < p->values; k++)
			put_varint(&w->part, p->value[i * p->values + k]);
		put_bytes(&w->m, SAMPLE_VALUES, w->part.data, w->part.size);
		if (*head->process)
			put_label(w, "command", head->process, 0);
		if (head->pid >= 0)
			put_label(w, "pid", NULL, head->pid);
		if (head->tid >= 0)
			put_label(w, "tid", NULL, head->tid);
		if (head->cpu >= 0)
			put_label(w, "cpu", NULL, head->cpu);
		end_field(w, PROFILE_SAMPLE);
	}
}

static void write_mappings(struct writing *w)
{
	const struct pprof *p = w->pprof;
	const struct mapping_key *key;
	size_t i;

	for (i = 0; i < p->mappings.n; i++) {
		key = p->mappings.key[i].data;
		put_number(&w->m, MAPPING_ID, i + 1);
		put_number(&w->m, MAPPING_START, key->start);
		put_number(&w->m, MAPPING_LIMIT, key->end);
		put_number(&w->m, MAPPING_OFFSET, key->offset);
		put_number(&w->m, MAPPING_FILE, string(w, key->binary));
		put_number(&w->m, MAPPING_BUILD_ID, string(w, key->build_id));
		put_number(&w->m, MAPPING_HAS_FUNCTIONS, !p->nameless[i]);
		end_field(w, PROFILE_MAPPING);
	}
}

static void write_locations(struct writing *w)
{
	const struct pprof *p = w->pprof;
	const struct location_key *key;
	size_t i;

	for (i = 0; i < p->locations.n; i++) {
		key = p->locations.key[i].data;
		put_number(&w->m, LOCATION_ID, i + 1);
		put_number(&w->m, LOCATION_MAPPING, key->mapping);
		put_number(&w->m, LOCATION_ADDRESS, key->address);
		w->part.size = 0;
		put_number(&w->part, LINE_FUNCTION, key->function);
		put_bytes(&w->m, LOCATION_LINE, w->part.data, w->part.size);
		end_field(w, PROFILE_LOCATION);
	}
}

static void write_functions(struct writing *w)
{
	const struct pprof *p = w->pprof;
	uint64_t name;
	size_t i;

	for (i = 0; i < p->functions.n; i++) {
		name = string(w, *(const char *const *)p->functions.key[i].data);
		put_number(&w->m, FUNCTION_ID, i + 1);
		put_number(&w->m, FUNCTION_NAME, name);
		put_number(&w->m, FUNCTION_SYSTEM_NAME, name);
		end_field(w, PROFILE_FUNCTION);
	}
}

/* The last, when it is known which ones are needed. */
static void write_strings(struct writing *w)
{
	const char *text;
	size_t i;

	for (i = 0; i < w->strings.n; i++) {
		text = *(const char *const *)w->strings.key[i].data;
		put_bytes(&w->m, PROFILE_STRING, text, strlen(text));
		gzip_write(&w->gzip, w->m.data, w->m.size);
		w->m.size = 0;
	}
}

void pprof_write(const struct pprof *pprof, const struct profile *p, FILE *out)
{
	struct writing w = { .pprof = pprof };

	gzip_begin(&w.gzip, out);
	string(&w, "");
	write_what(&w, p);
	write_samples(&w);
	write_mappings(&w);
	write_locations(&w);
	write_functions(&w);
	write_strings(&w);
	gzip_end(&w.gzip);
	keys_free(&w.strings);
	free(w.m.data);
	free(w.part.data);
}

void pprof_free(struct pprof *p)
{
	keys_free(&p->mappings);
	keys_free(&p->locations);
	keys_free(&p->functions);
	keys_free(&p->samples);
	free(p->nameless);
	free(p->location);
	free(p->value);
	free(p->head);
	free(p);
}
