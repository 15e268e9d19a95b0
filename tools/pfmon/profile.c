// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples of a data file, added up by where they are. The file is read
 * twice: what processes have mapped is often found out after their samples.
 */
#define _GNU_SOURCE
#include <err.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "profile.h"
#include "space.h"
#include "symtab.h"
#include "text.h"

#define NOTES_MAX	(sizeof(((struct profile *)0)->note) / \
			 sizeof(((struct profile *)0)->note[0]))

const char *const dimension_names[DIMENSIONS] = {
	"process", "thread", "cpu", "binary", "symbol", "address", "chain",
};

#define CHAIN_MAX	256
#define EVENTS_MAX	1024	/* of a file: pfmon's own have fewer */

struct loading {
	struct profile *profile;
	struct data_reader reader;
	struct space *space;
	struct smpl_layout layout;
	uint64_t bad_blocks;		/* of samples */
	uint64_t strangers;		/* samples of no event that the file names */
	unsigned int *alike;		/* events of the chosen one's name, in file order */
	unsigned int alikes;
	bool chains;			/* samples have them */
	struct visit *visit;		/* samples for the visitor */
	size_t visits;
	enum data_status status;	/* that ended the file */
	uint64_t offset;		/* where */
};

int profile_by(bool by[DIMENSIONS], const char *list)
{
	size_t len;
	int d;

	memset(by, 0, DIMENSIONS * sizeof(*by));
	for (;; list += len + 1) {
		len = strcspn(list, ",");
		for (d = 0; d < DIMENSIONS; d++)
			if (strlen(dimension_names[d]) == len &&
			    !strncmp(dimension_names[d], list, len))
				break;
		if (d == DIMENSIONS)
			return -1;
		by[d] = true;
		if (!list[len])
			return 0;
	}
}

static void __attribute__((format(printf, 2, 3)))
note(struct profile *p, const char *format, ...)
{
	va_list args;

	if (p->notes == NOTES_MAX)
		return;
	va_start(args, format);
	vsnprintf(p->note[p->notes++], sizeof(p->note[0]), format, args);
	va_end(args);
}

static bool add_event(struct loading *l)
{
	struct profile *p = l->profile;
	struct sampled_event e, *last;

	if (!data_get_event(&l->reader, &e))
		return false;
	smpl_layout_add(&l->layout, &e);
	last = p->events ? &p->event[p->events - 1] : NULL;
	if (last && e.pmd == last->pmd && e.set == last->set + last->sets &&
	    !strcmp(e.name, last->name)) {
		last->sets++;
		return true;
	}
	if (p->events == EVENTS_MAX)
		return false;
	p->event = reallocarray(p->event, p->events + 1, sizeof(e));
	if (!p->event)
		err(EXIT_PFMON, NULL);
	p->event[p->events++] = e;
	return true;
}

static bool add_lost(struct loading *l)
{
	struct df_lost *sum = &l->profile->lost, lost;

	if (!data_get_lost(&l->reader, &lost))
		return false;
	sum->samples += lost.samples;
	sum->estimated += lost.estimated;
	sum->full += lost.full;
	sum->masked_ns += lost.masked_ns;
	sum->messages += lost.messages;
	sum->throttled += lost.throttled;
	sum->threads += lost.threads;
	sum->maps += lost.maps;
	return true;
}

/* A block that is damaged says nothing of the others; it is counted once. */
static bool read_block(struct loading *l, const struct smpl_sink *sink)
{
	const struct smpl_format *format;
	struct data_samples s;
	struct smpl_origin origin;

	if (!data_get_samples(&l->reader, &s))
		return false;
	origin = (struct smpl_origin){ s.samples->pid, s.samples->tid,
				       s.samples->cpu };
	format = smpl_find_uuid(s.samples->uuid);
	if (format && format->chains)
		l->chains = true;
	/* Formats without chains have no maps either. */
	if (format && !format->chains && sink->map)
		return true;
	if (!format || format->parse(s.buf, s.samples->bytes, &l->layout, &origin,
				     sink) < 0)
		l->bad_blocks += !sink->map;
	return true;
}

static void add_map(void *arg, const struct smpl_map *map)
{
	struct loading *l = arg;

	space_add_record(l->space, map);
}

static void skip_sample(void *arg, const struct sample *sample)
{
	(void)arg;
	(void)sample;
}

/* All but samples. */
static bool first_look(struct loading *l)
{
	const struct smpl_sink maps = { .sample = skip_sample, .map = add_map,
					.arg = l };
	struct data_process process;
	struct data_binary binary;
	struct data_map map;

	switch (l->reader.head.type) {
	case DF_EVENT:
		return add_event(l);
	case DF_PROCESS:
		if (!data_get_process(&l->reader, &process))
			return false;
		space_add_process(l->space, &process);
		return true;
	case DF_MAP:
		if (!data_get_map(&l->reader, &map))
			return false;
		space_add_map(l->space, &map);
		return true;
	case DF_BINARY:
		if (!data_get_binary(&l->reader, &binary))
			return false;
		space_add_binary(l->space, &binary);
		return true;
	case DF_SAMPLES:
		return read_block(l, &maps);
	case DF_LOST:
		return add_lost(l);
	case DF_END:
		return data_get_end(&l->reader, &l->profile->end);
	default:
		return true;	/* of a later version */
	}
}

static uint32_t hash(const char *const frame[], unsigned int n)
{
	uint64_t h = n;

	while (n--)
		h = (h ^ ((uintptr_t)frame[n] >> 3)) * 0x9e3779b97f4a7c15;
	return (uint32_t)(h >> 32);
}

static struct row *new_row(struct profile *p, const char *const frame[],
			   unsigned int n)
{
	size_t frames = n * sizeof(*frame), sums = 8 * p->readings;
	struct row *row = calloc(1, sizeof(*row) + frames + 8 + sums);

	/* Room for a power of two of them. */
	if (row && !(p->rows & (p->rows - 1)))
		p->row = reallocarray(p->row, p->rows ? 2 * p->rows : 1,
				      sizeof(*p->row));
	if (!row || !p->row)
		err(EXIT_PFMON, NULL);
	row->frames = n;
	if (n > p->depth)
		p->depth = n;
	memcpy(row->frame, frame, frames);
	row->sum = (uint64_t *)((char *)row + ((sizeof(*row) + frames + 7) & ~7UL));
	p->row[p->rows++] = row;
	return row;
}

struct row *profile_add(struct profile *p, const char *const frame[],
			unsigned int frames, uint64_t count)
{
	struct row **bucket = &p->bucket[hash(frame, frames) % PROFILE_BUCKETS];
	struct row *row = *bucket;

	while (row && (row->frames != frames ||
		       memcmp(row->frame, frame, frames * sizeof(*frame))))
		row = row->next;
	if (!row) {
		row = new_row(p, frame, frames);
		row->next = *bucket;
		*bucket = row;
	}
	row->count += count;
	p->samples += count;
	return row;
}

/* A function of a chain; of one without a name, what it is part of. */
static const char *call_name(const struct place *place)
{
	const char *base;
	char name[160];

	if (place->symbol != text_intern(PLACE_UNKNOWN) &&
	    place->symbol != text_intern(PLACE_CHANGED))
		return place->symbol;
	if (*place->binary == '[')
		return place->binary;
	base = strrchr(place->binary, '/');
	snprintf(name, sizeof(name), "[%s]", base ? base + 1 : place->binary);
	return text_intern(name);
}

/*
 * The calls of a sample, the outermost first, and where it is. Return addresses
 * are behind the call, which can be the next function; where a part of a chain
 * begins is the place itself. Of a chain that is too long the innermost remain.
 */
static unsigned int add_chain(struct loading *l, const struct sample *sample,
			      const struct place *place, const char *frame[])
{
	unsigned int n = sample->kernel + sample->user, from, i, frames = 0;
	struct sample call = *sample;
	struct place at;

	/* The first of them is where it is, unless there is no such part. */
	from = n && sample->chain[0] == sample->ip;
	if (n > CHAIN_MAX - 1)
		n = CHAIN_MAX - 1;
	for (i = n; i-- > from;) {
		call.ip = sample->chain[i] - (i && i != sample->kernel);
		space_find(l->space, &call, &at);
		frame[frames++] = call_name(&at);
	}
	frame[frames++] = call_name(place);
	return frames;
}

static bool in_set(const struct sampled_event *event, uint32_t set)
{
	return set >= event->set && set - event->set < event->sets;
}

/*
 * What the chosen event is in a set, NULL: it is not there. An event has a record for
 * each time that the user has named it; of two in one set the first one counts.
 */
static const struct sampled_event *chosen_in(const struct loading *l, uint32_t set)
{
	const struct sampled_event *e;
	unsigned int i;

	for (i = 0; i < l->alikes; i++) {
		e = &l->profile->event[l->alike[i]];
		if (in_set(e, set))
			return e;
	}
	return NULL;
}

/* A number that the format has not recorded is not known. */
static const char *name_number(int32_t number)
{
	char name[16];

	if (number < 0)
		return text_intern(PLACE_UNKNOWN);
	snprintf(name, sizeof(name), "%d", number);
	return text_intern(name);
}

static bool matches_number(const char *list, int32_t number)
{
	return !list || (number >= 0 && filter_matches(list, name_number(number)));
}

/* What can be told before it is known where the sample is. */
static bool is_wanted(const struct profile *p, const struct sample *sample)
{
	const struct filter *f = &p->filter;
	uint64_t at = sample->time - p->header.monotonic;

	if ((f->from_ns || f->to_ns) &&
	    (sample->time < p->header.monotonic || at < f->from_ns ||
	     (f->to_ns && at >= f->to_ns)))
		return false;
	return matches_number(f->thread, sample->tid) && matches_number(f->cpu, sample->cpu);
}

static bool is_there(const struct filter *f, const struct place *place)
{
	return filter_matches(f->process, place->process) &&
	       filter_matches(f->binary, place->binary) &&
	       filter_matches(f->symbol, place->symbol);
}

/* A sample that waits to be visited. */
struct visit {
	size_t number;			/* in the order of the file */
	const struct sampled_event *event;
	struct sample sample;		/* values are left out */
};

static void keep_sample(struct loading *l, const struct sampled_event *event,
			const struct sample *sample)
{
	size_t frames = sample->kernel + sample->user;
	uint64_t *chain = frames ? malloc(frames * sizeof(*chain)) : NULL;
	struct visit *v;

	/* Room for a power of two of them. */
	if (!(l->visits & (l->visits - 1)))
		l->visit = reallocarray(l->visit, l->visits ? 2 * l->visits : 1,
					sizeof(*l->visit));
	if (!l->visit || (frames && !chain))
		err(EXIT_PFMON, NULL);
	v = &l->visit[l->visits];
	v->number = l->visits++;
	v->event = event;
	v->sample = *sample;
	v->sample.value = NULL;
	v->sample.values = 0;
	v->sample.chain = chain;
	if (frames)
		memcpy(chain, sample->chain, frames * sizeof(*chain));
}

static const struct sampled_event *event_of(const struct profile *p,
					    const struct sample *sample)
{
	unsigned int i;

	for (i = 0; i < p->events; i++)
		if (p->event[i].pmd == sample->pmd && in_set(&p->event[i], sample->set))
			return &p->event[i];
	return NULL;
}

/* For the visitor, who wants the samples of all events. */
static void collect_sample(void *arg, const struct sample *sample)
{
	struct loading *l = arg;
	struct profile *p = l->profile;
	const struct sampled_event *event = event_of(p, sample);
	struct place place;

	if (!event) {
		l->strangers++;
		return;
	}
	space_find(l->space, sample, &place);
	if (is_wanted(p, sample) && is_there(&p->filter, &place))
		keep_sample(l, event, sample);
	else
		p->left_out += sample->count;
}

static int by_time(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->sample.time != y->sample.time)
		return x->sample.time < y->sample.time ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static void visit_all(struct loading *l)
{
	const struct visitor *visitor = l->profile->visitor;
	size_t i;

	if (l->visits)
		qsort(l->visit, l->visits, sizeof(*l->visit), by_time);
	for (i = 0; i < l->visits; i++) {
		visitor->sample(visitor->arg, l->space, l->visit[i].event,
				&l->visit[i].sample);
		free((void *)l->visit[i].sample.chain);
	}
	free(l->visit);
}

static void add_sample(void *arg, const struct sample *sample)
{
	struct loading *l = arg;
	struct profile *p = l->profile;
	const struct sampled_event *event = chosen_in(l, sample->set);
	const char *frame[DIMENSIONS + CHAIN_MAX];
	struct place place;
	char address[24];
	unsigned int n = 0, i;
	struct row *row;

	if (!event || sample->pmd != event->pmd) {
		l->strangers += !event_of(p, sample);
		return;
	}
	space_find(l->space, sample, &place);
	if (!is_wanted(p, sample) || !is_there(&p->filter, &place)) {
		p->left_out += sample->count;
		return;
	}
	if (p->by[BY_PROCESS])
		frame[n++] = place.process;
	if (p->by[BY_THREAD])
		frame[n++] = name_number(sample->tid);
	if (p->by[BY_CPU])
		frame[n++] = name_number(sample->cpu);
	if (p->by[BY_BINARY])
		frame[n++] = place.binary;
	if (p->by[BY_SYMBOL])
		frame[n++] = place.symbol;
	if (p->by[BY_ADDRESS]) {
		snprintf(address, sizeof(address), "%#" PRIx64, place.addr);
		frame[n++] = text_intern(address);
	}
	if (p->by[BY_CHAIN])
		n += add_chain(l, sample, &place, frame + n);
	row = profile_add(p, frame, n, sample->count);
	for (i = 0; i < p->readings && i < event->readings && i < sample->values; i++)
		if (event->reading[i].since_last)
			row->sum[i] += sample->value[i];
}

static bool add_turns(struct loading *l)
{
	struct profile *p = l->profile;
	struct df_turns turns;

	if (!data_get_turns(&l->reader, &turns))
		return false;
	p->all_ns += turns.ns;
	if (chosen_in(l, turns.set))
		p->active_ns += turns.ns;
	return true;
}

/* Samples, and the time of those of the chosen event. */
static bool second_look(struct loading *l)
{
	const struct smpl_sink samples = {
		.sample = l->profile->visitor ? collect_sample : add_sample, .arg = l,
	};

	if (l->reader.head.type == DF_TURNS)
		return add_turns(l);
	return l->reader.head.type != DF_SAMPLES || read_block(l, &samples);
}

/* All records up to @limit, to the end, or to the first that is damaged. */
static void look(struct loading *l, bool (*at)(struct loading *l), uint64_t limit)
{
	l->status = DATA_RECORD;
	l->offset = l->reader.offset;
	while (l->offset < limit) {
		l->status = data_next(&l->reader);
		if (l->status == DATA_RECORD && !at(l))
			l->status = DATA_DAMAGED;
		if (l->status != DATA_RECORD)
			return;
		l->offset = l->reader.offset;
	}
}

/* No further than the first look came, which has said how far the file is good. */
static void read_samples(struct loading *l)
{
	enum data_status status = l->status;
	uint64_t offset = l->offset;

	data_rewind(&l->reader);
	look(l, second_look, offset);
	if (l->status == DATA_RECORD || l->status == DATA_END) {
		l->status = status;
		l->offset = offset;
	}
}

static int choose_event(struct profile *p, const char *path, const char *event,
			char error[DATA_ERROR_MAX])
{
	unsigned int i;
	int at;

	if (!p->events) {
		snprintf(error, DATA_ERROR_MAX, "%.150s: has no events", path);
		return -1;
	}
	for (i = 0; i < p->events && event; i++)
		if (!strcmp(p->event[i].name, event))
			break;
	if (!event)
		i = 0;
	if (i < p->events) {
		p->chosen = i;
		p->readings = p->event[i].readings;
		return 0;
	}
	at = snprintf(error, DATA_ERROR_MAX, "%.100s: has no event '%.30s'; there are",
		      path, event);
	for (i = 0; i < p->events && at < DATA_ERROR_MAX; i++)
		at += snprintf(error + at, (size_t)(DATA_ERROR_MAX - at), "%s %s",
			       i ? "," : "", text_intern(p->event[i].name));
	return -1;
}

/* All of the chosen event's name. */
static void find_alike(struct loading *l)
{
	const struct profile *p = l->profile;
	unsigned int i;

	l->alike = calloc(p->events, sizeof(*l->alike));
	if (!l->alike)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < p->events; i++)
		if (!strcmp(p->event[i].name, p->event[p->chosen].name))
			l->alike[l->alikes++] = i;
}

/* Is there a set that does without the chosen event? */
static bool takes_turns(const struct loading *l)
{
	const struct sampled_event *e = l->profile->event;
	unsigned int i;

	for (i = 0; i < l->profile->events; i++, e++)
		if (!chosen_in(l, e->set) || !chosen_in(l, e->set + e->sets - 1))
			return true;
	return false;
}

static void make_notes(const struct loading *l)
{
	struct profile *p = l->profile;

	p->complete = l->status == DATA_END;
	if (p->left_out)
		note(p, "%" PRIu64 " other samples were left out, as the filters say: percentages are of those that are here",
		     p->left_out);
	/* How long each set was active is at the end of the file. */
	p->share_unknown = !p->all_ns && takes_turns(l);
	if (p->share_unknown)
		note(p, "the events took turns: for how much of the time this one was sampled is not known");
	if (p->active_ns < p->all_ns)
		note(p, "the events took turns: this one was sampled %.1f%% of the time",
		     100 * (double)p->active_ns / (double)p->all_ns);
	if (l->status == DATA_TRUNCATED)
		note(p, "the file is truncated after %" PRIu64 " bytes: this is what is there",
		     l->offset);
	else if (l->status == DATA_DAMAGED)
		note(p, "the file is damaged after %" PRIu64 " bytes: the report covers what stands before",
		     l->offset);
	if (l->bad_blocks)
		note(p, "%" PRIu64 " blocks of samples are damaged, or of a format that this pfmon does not know",
		     l->bad_blocks);
	if (l->strangers)
		note(p, "samples of no event that the file names: %" PRIu64, l->strangers);
	if (space_note(l->space))
		note(p, "%s", space_note(l->space));
}

int profile_read(struct profile *p, const char *path, const char *event,
		 char error[DATA_ERROR_MAX])
{
	struct loading *l = calloc(1, sizeof(*l));
	int d, ret;

	if (!l)
		err(EXIT_PFMON, NULL);
	l->profile = p;
	ret = data_open(&l->reader, path, error);
	if (ret)
		goto free;
	p->header = l->reader.header;
	l->space = space_new(&p->header);
	smpl_layout_init(&l->layout);
	look(l, first_look, UINT64_MAX);
	ret = choose_event(p, path, event, error);
	if (!ret) {
		if (p->prefer_chains && l->chains)
			profile_by(p->by, "process,chain");
		for (d = 0; d < BY_CHAIN; d++)
			p->frames += p->by[d];
		space_complete(l->space);
		find_alike(l);
		read_samples(l);
		visit_all(l);
		profile_sort(p);
		make_notes(l);
	}
	free(l->alike);
	space_free(l->space);
	data_done(&l->reader);
free:
	free(l);
	return ret;
}

static int by_count(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	unsigned int i;
	int order = 0;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	for (i = 0; i < x->frames && i < y->frames && !order; i++)
		order = strcmp(x->frame[i], y->frame[i]);
	return order ? order : (x->frames > y->frames) - (x->frames < y->frames);
}

void profile_sort(struct profile *p)
{
	if (p->rows)
		qsort(p->row, p->rows, sizeof(*p->row), by_count);
}

void profile_free(struct profile *p)
{
	size_t i;

	for (i = 0; i < p->rows; i++)
		free(p->row[i]);
	free(p->row);
	free(p->event);
	memset(p, 0, sizeof(*p));
}
