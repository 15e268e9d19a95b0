// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples of a data file, added up by where they are. The file is read
 * twice: what processes have mapped is often found out after their samples.
 */
#define _GNU_SOURCE
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "archive.h"
#include "profile.h"
#include "rate.h"
#include "raw.h"
#include "space.h"
#include "symtab.h"
#include "text.h"
#include "unwind.h"
#include "visit.h"

#define NOTES_MAX	(sizeof(((struct profile *)0)->note) / \
			 sizeof(((struct profile *)0)->note[0]))

const char *const dimension_names[DIMENSIONS] = {
	"process", "thread", "cpu", "binary", "symbol", "line", "address", "chain",
};

#define CHAIN_MAX	256
#define BUCKETS		1024	/* to begin with; a power of two */
#define EVENTS_MAX	1024	/* of a file: pfmon's own have fewer */
#define PERIOD_MAX	(1ULL << 47)	/* likewise: shorter */

#define LOOKED		1024

struct loading {
	struct profile *profile;
	struct data_reader reader;
	struct space *space;
	struct pmon_layout layout;
	uint64_t bad_blocks;		/* of samples */
	uint64_t raw_blocks, raw_bytes;	/* of formats that are not known */
	char raw_uuid[UUID_TEXT];	/* the first of these */
	uint64_t strangers;		/* samples of no event that the file names */
	unsigned int *alike;		/* events of the chosen one's name, in file order */
	unsigned int alikes;
	bool chains;			/* samples have them */
	bool stacks;			/* and some the stack that they were made from */
	uint64_t cut_stacks;		/* samples with more of it than was kept, ... */
	bool some_cut;			/* ... or whether there are any, if blocks are read again */
	bool again;			/* they are */
	bool bare_stacks;		/* there is nothing that unwinds these here */
	struct looked {
		const char *name;
		bool is;
	} looked[LOOKED];		/* names of functions: are they looked at? */
	struct visits visits;		/* blocks that wait for the visitor */
	enum data_status status;	/* that ended the file */
	uint64_t offset;		/* where */
};

const char *const call_total = "total", *const call_self = "self",
	*const call_from = "caller", *const call_to = "callee";

/* perf's words for them, NULL: the same, or it has none. */
static const char *const perf_names[DIMENSIONS] = {
	[BY_PROCESS] = "comm", [BY_THREAD] = "tid", [BY_BINARY] = "dso", [BY_SYMBOL] = "sym",
	[BY_LINE] = "srcline",
};

static bool is_name(const char *name, const char *text, size_t len)
{
	return name && strlen(name) == len && !strncmp(name, text, len);
}

int profile_by(bool by[DIMENSIONS], const char *list)
{
	size_t len;
	int d;

	memset(by, 0, DIMENSIONS * sizeof(*by));
	for (;; list += len + 1) {
		len = strcspn(list, ",");
		for (d = 0; d < DIMENSIONS; d++)
			if (is_name(dimension_names[d], list, len) ||
			    is_name(perf_names[d], list, len))
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

/* What calls it has is said by its stack, if it has one. */
static void unwind_sample(void *arg, struct pmon_sample *sample, const struct pmon_user *user)
{
	static uint64_t chain[UINT16_MAX + UNWIND_MAX];
	struct loading *l = arg;
	bool cut = false;
	unsigned int n;

	/* Where the kernel could not take it, the calls are those of frame pointers. */
	if (!user && l->stacks && sample->user)
		sample->user = 1;
	if (!user)
		return;
	n = unwind(l->space, sample, user, chain + sample->kernel, &cut);
	l->stacks |= n > 0;
	l->bare_stacks |= !n;
	if (l->again)
		l->some_cut |= cut;
	else
		l->cut_stacks += cut;
	if (!n)
		return;
	memcpy(chain, sample->chain, sample->kernel * sizeof(*chain));
	sample->chain = chain;
	sample->user = n;
}

/* A block that is damaged says nothing of the others; it is counted once. */
static bool read_block(struct loading *l, const struct smpl_sink *sink)
{
	const struct pmon_format *format;
	struct data_samples s;
	struct pmon_origin origin;

	if (!data_get_samples(&l->reader, &s))
		return false;
	origin = (struct pmon_origin){ s.samples->pid, s.samples->tid,
				       s.samples->cpu };
	format = pmon_format_find_uuid(s.samples->uuid);
	if (!format) {
		if (sink->map)
			return true;
		if (!l->raw_blocks++)
			raw_uuid(s.samples->uuid, l->raw_uuid);
		l->raw_bytes += s.samples->bytes;
		return true;
	}
	/* Formats without chains have no maps either. */
	if (!format->chains && sink->map)
		return true;
	if (l->reader.turned && format->turn)
		format->turn(s.buf, s.samples->bytes, &l->layout);
	if ((l->reader.turned && !format->turn) ||
	    smpl_parse(format, s.buf, s.samples->bytes, &l->layout, &origin, sink) < 0)
		l->bad_blocks += !sink->map;
	return true;
}

static void add_map(void *arg, const struct pmon_map *map)
{
	struct loading *l = arg;

	space_add_record(l->space, map);
}

static void add_gap(void *arg, const struct pmon_lost *lost)
{
	struct profile *p = ((struct loading *)arg)->profile;

	p->gaps++;
	if (lost->until - lost->time > p->gap_ns)
		p->gap_ns = lost->until - lost->time;
	if (lost->samples >= p->gap.samples)
		p->gap = *lost;
}

/* A format that has chains can have been asked for none. */
static void see_chain(void *arg, const struct pmon_sample *sample)
{
	struct loading *l = arg;

	l->chains |= sample->kernel || sample->user;
}

/* All but samples. */
static bool first_look(struct loading *l)
{
	const struct smpl_sink maps = { .sample = see_chain, .map = add_map,
					.lost = add_gap, .arg = l };
	struct data_process process;
	struct data_binary binary;
	struct data_symbols symbols;
	struct data_module module;
	struct df_inode inode;
	struct data_map map;
	struct data_jit jit;

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
	case DF_INODE:
		if (!data_get_inode(&l->reader, &inode))
			return false;
		space_add_inode(l->space, &inode);
		return true;
	case DF_MODULE:
		if (!data_get_module(&l->reader, &module))
			return false;
		space_add_module(l->space, &module);
		return true;
	case DF_JIT:
		if (!data_get_jit(&l->reader, &jit))
			return false;
		space_add_jit(l->space, &jit);
		return true;
	case DF_SYMBOLS:
		if (!data_get_symbols(&l->reader, &symbols))
			return false;
		space_add_symbols(l->space, &symbols);
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

static void more_buckets(struct profile *p)
{
	size_t buckets = p->buckets ? 4 * p->buckets : BUCKETS, i;
	struct row **bucket = calloc(buckets, sizeof(*bucket)), **to;

	if (!bucket)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < p->rows; i++) {
		to = &bucket[p->row[i]->hash & (buckets - 1)];
		p->row[i]->next = *to;
		*to = p->row[i];
	}
	free(p->bucket);
	p->bucket = bucket;
	p->buckets = buckets;
}

/* The row of these frames, which may be a new one, without samples. */
static struct row *get_row(struct profile *p, const char *const frame[], unsigned int frames)
{
	uint32_t h = hash(frame, frames);
	struct row **bucket, *row;

	if (p->rows >= p->buckets)
		more_buckets(p);
	bucket = &p->bucket[h & (p->buckets - 1)];
	row = *bucket;
	while (row && (row->hash != h || row->frames != frames ||
		       memcmp(row->frame, frame, frames * sizeof(*frame))))
		row = row->next;
	if (!row) {
		row = new_row(p, frame, frames);
		row->hash = h;
		row->next = *bucket;
		*bucket = row;
	}
	return row;
}

struct row *profile_add(struct profile *p, const char *const frame[],
			unsigned int frames, uint64_t count, uint64_t weight)
{
	struct row *row = get_row(p, frame, frames);

	row->count += count;
	add_weight(&row->weight, weight);
	p->samples += count;
	add_weight(&p->weight, weight);
	return row;
}

static void turn_round(const char *frame[], unsigned int n)
{
	const char *other;
	unsigned int i;

	for (i = 0; i < n / 2; i++) {
		other = frame[i];
		frame[i] = frame[n - 1 - i];
		frame[n - 1 - i] = other;
	}
}

/* What was inlined at a place, the innermost first, and the function itself. */
static unsigned int add_place(const struct place *place, const char *frame[], unsigned int frames)
{
	unsigned int i;

	for (i = 0; i < place->inlined && frames < CHAIN_MAX; i++)
		frame[frames++] = place->inline_of[i].function;
	if (frames < CHAIN_MAX)
		frame[frames++] = place->call;
	return frames;
}

/*
 * The calls of a sample and where it is, the outermost first unless the profile is reverse.
 * Return addresses are behind the call, which can be the next function; where a part of a
 * chain begins is the place itself. Of a chain that is too long the innermost remain.
 */
static unsigned int add_chain(struct loading *l, const struct pmon_sample *sample,
			      const struct place *place, const char *frame[])
{
	unsigned int n = sample->kernel + sample->user, i, frames;
	struct pmon_sample call = *sample;
	struct place at;

	frames = add_place(place, frame, 0);
	/* The first of them is where it is, unless there is no such part. */
	for (i = n && sample->chain[0] == sample->ip; i < n && frames < CHAIN_MAX; i++) {
		call.ip = sample->chain[i] - (i && i != sample->kernel);
		space_find(l->space, &call, &at);
		frames = add_place(&at, frame, frames);
	}
	if (!l->profile->reverse)
		turn_round(frame, frames);
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
	static struct {
		int32_t number;
		const char *name;
	} known[256], *k;
	char name[16];

	if (number < 0)
		return text_intern(PLACE_UNKNOWN);
	k = &known[number % (sizeof(known) / sizeof(known[0]))];
	if (!k->name || k->number != number) {
		snprintf(name, sizeof(name), "%d", number);
		k->number = number;
		k->name = text_intern(name);
	}
	return k->name;
}

static bool matches_number(const char *list, int32_t number)
{
	return !list || (number >= 0 && filter_matches(list, name_number(number)));
}

/* What can be told before it is known where the sample is. */
static bool is_wanted(const struct profile *p, const struct pmon_sample *sample)
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
	       filter_matches(f->symbol, place->inlined ? place->inline_of[0].function :
							  place->symbol);
}

static const struct sampled_event *event_of(const struct profile *p,
					    const struct pmon_sample *sample)
{
	unsigned int i;

	for (i = 0; i < p->events; i++)
		if (p->event[i].pmd == sample->pmd && in_set(&p->event[i], sample->set))
			return &p->event[i];
	return NULL;
}

/* For a visitor who wants the samples of all events: when a block is needed. */
static void see_time(void *arg, const struct pmon_sample *sample)
{
	struct loading *l = arg;

	visits_add(&l->visits, sample->time,
		   l->reader.offset - l->reader.head.size - sizeof(l->reader.head));
}

static void read_again(void *arg, uint64_t block, const struct smpl_sink *sink)
{
	struct smpl_sink unwound = *sink;
	struct loading *l = arg;

	l->again = true;
	unwound.unwind = unwind_sample;
	unwound.unwind_arg = l;
	if (!data_seek(&l->reader, block) && data_next(&l->reader) == DATA_RECORD)
		read_block(l, &unwound);
}

static void visit_sample(void *arg, const struct pmon_sample *sample)
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
		p->visitor->sample(p->visitor->arg, l->space, event, sample);
	else
		p->left_out += sample->count;
}

static void visit_all(struct loading *l)
{
	const struct visit_source source = {
		.read = read_again, .visit = visit_sample, .arg = l,
	};
	uint64_t bad_blocks = l->bad_blocks;

	visits_pay(&l->visits, &source);
	l->bad_blocks = bad_blocks;
}

uint64_t profile_weigh(const struct sampled_event *event, const struct pmon_sample *sample)
{
	uint64_t period = sample->period < PERIOD_MAX ? sample->period : PERIOD_MAX, weight;

	if (!event->frequency || !period)
		return sample->count;
	return __builtin_mul_overflow(sample->count, period, &weight) ? UINT64_MAX : weight;
}

/*
 * What a row of a place is told apart by, but for the chain. @inner: of the functions there,
 * from 0, the innermost, to @place->inlined, the symbol itself.
 */
static unsigned int place_frames(const struct profile *p, const struct pmon_sample *sample,
				 const struct place *place, unsigned int inner,
				 const char *frame[])
{
	const struct inlined in = place->inlined ? place->inline_of[inner] :
				  (struct inlined){ place->symbol, place->line };
	unsigned int n = 0;
	char address[24];

	if (p->by[BY_PROCESS])
		frame[n++] = place->process;
	if (p->by[BY_THREAD])
		frame[n++] = name_number(sample->tid);
	if (p->by[BY_CPU])
		frame[n++] = name_number(sample->cpu);
	if (p->by[BY_BINARY])
		frame[n++] = place->binary;
	if (p->by[BY_SYMBOL])
		frame[n++] = in.function;
	if (p->by[BY_LINE])
		frame[n++] = in.line ? in.line : text_intern(PLACE_UNKNOWN);
	if (p->by[BY_ADDRESS]) {
		snprintf(address, sizeof(address), "%#" PRIx64, place->addr);
		frame[n++] = text_intern(address);
	}
	return n;
}

/* A row counts a sample once, however often it is among its calls. */
static void add_total(struct profile *p, struct row *row, uint64_t count, uint64_t weight)
{
	if (row->seen == p->serial)
		return;
	row->seen = p->serial;
	row->total_count += count;
	add_weight(&row->total_weight, weight);
}

static void add_place_totals(struct profile *p, const struct pmon_sample *sample,
			     const struct place *place, uint64_t weight)
{
	const char *frame[DIMENSIONS];
	unsigned int i, n;

	for (i = 0; i <= place->inlined; i++) {
		n = place_frames(p, sample, place, i, frame);
		add_total(p, get_row(p, frame, n), sample->count, weight);
	}
}

/* To the rows of all places that the sample's calls were made from, and where it is. */
static void add_totals(struct loading *l, const struct pmon_sample *sample,
		       const struct place *place, uint64_t weight)
{
	unsigned int n = sample->kernel + sample->user, i;
	struct pmon_sample call = *sample;
	struct place at;

	add_place_totals(l->profile, sample, place, weight);
	for (i = n && sample->chain[0] == sample->ip; i < n; i++) {
		call.ip = sample->chain[i] - (i && i != sample->kernel);
		space_find(l->space, &call, &at);
		add_place_totals(l->profile, sample, &at, weight);
	}
}

/* Is a function one of those that are looked at? There are fewer names than calls. */
static bool is_looked_at(struct loading *l, const char *name)
{
	struct looked *k = &l->looked[((uintptr_t)name >> 4) % LOOKED];

	if (k->name != name)
		*k = (struct looked){ name, filter_matches(l->profile->calls, name) };
	return k->is;
}

static void add_call(struct profile *p, const char *function, const char *relation,
		     const char *other, const struct pmon_sample *sample, uint64_t weight)
{
	const char *const frame[] = { function, relation, other };

	add_total(p, get_row(p, frame, CALL_FRAMES), sample->count, weight);
}

/* The sample's calls of the functions that are looked at, and what these call. */
static void add_calls(struct loading *l, const struct pmon_sample *sample,
		      const struct place *place, uint64_t weight)
{
	struct profile *p = l->profile;
	const char *frame[CHAIN_MAX], *const none = text_intern("");
	unsigned int n = add_chain(l, sample, place, frame), i;

	for (i = 0; i < n; i++) {
		if (!is_looked_at(l, frame[i]))
			continue;
		add_call(p, frame[i], call_total, none, sample, weight);
		if (i)
			add_call(p, frame[i], call_from, frame[i - 1], sample, weight);
		if (i + 1 < n)
			add_call(p, frame[i], call_to, frame[i + 1], sample, weight);
		else
			add_call(p, frame[i], call_self, none, sample, weight);
	}
	p->samples += sample->count;
	add_weight(&p->weight, weight);
}

static void add_sample(void *arg, const struct pmon_sample *sample)
{
	struct loading *l = arg;
	struct profile *p = l->profile;
	const struct sampled_event *event = chosen_in(l, sample->set);
	const char *frame[DIMENSIONS + CHAIN_MAX];
	uint64_t weight = event ? profile_weigh(event, sample) : 0;
	struct place place;
	unsigned int n, i;
	struct row *row;

	if (!event || sample->pmd != event->pmd) {
		l->strangers += !event_of(p, sample);
		return;
	}
	space_find(l->space, sample, &place);
	if (!is_wanted(p, sample) || !is_there(&p->filter, &place)) {
		p->left_out += sample->count;
		add_weight(&p->left_weight, weight);
		return;
	}
	p->serial++;
	if (p->visitor) {
		p->samples += sample->count;
		add_weight(&p->weight, weight);
		p->visitor->sample(p->visitor->arg, l->space, event, sample);
		return;
	}
	if (p->calls) {
		add_calls(l, sample, &place, weight);
		return;
	}
	n = place_frames(p, sample, &place, 0, frame);
	if (p->by[BY_CHAIN])
		n += add_chain(l, sample, &place, frame + n);
	row = profile_add(p, frame, n, sample->count, weight);
	for (i = 0; i < p->readings && i < event->readings && i < sample->values; i++)
		if (event->reading[i].since_last)
			row->sum[i] += sample->value[i];
	if (p->children)
		add_totals(l, sample, &place, weight);
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

/* For a visitor who takes them as they come. */
static void pass_sample(void *arg, const struct pmon_sample *sample)
{
	struct loading *l = arg;
	const struct visitor *visitor = l->profile->visitor;
	const struct sampled_event *event = event_of(l->profile, sample);

	if (event)
		visitor->sample(visitor->arg, l->space, event, sample);
}

/* Are the calls of samples looked at? To find them takes time. */
static bool wants_calls(const struct profile *p)
{
	return p->visitor || p->by[BY_CHAIN] || p->calls || p->children;
}

/* Samples, and the time of those of the chosen event. */
static bool second_look(struct loading *l)
{
	const struct visitor *visitor = l->profile->visitor;
	bool now = !visitor || visitor->chosen || visitor->any_order;
	const struct smpl_sink samples = {
		.unwind = now && wants_calls(l->profile) ? unwind_sample : NULL,
		.unwind_arg = l,
		.sample = !visitor || visitor->chosen ? add_sample :
			  visitor->any_order ? pass_sample : see_time,
		.arg = l,
	};

	if (l->reader.head.type == DF_TURNS)
		return add_turns(l);
	return l->reader.head.type != DF_SAMPLES || read_block(l, &samples);
}

/* All records up to @limit, to the end, or to the first that is damaged. */
static void look(struct loading *l, bool (*at)(struct loading *l), uint64_t limit)
{
	const struct visitor *visitor = l->profile->visitor;

	l->status = DATA_RECORD;
	l->offset = l->reader.offset;
	while (l->offset < limit &&
	       !(visitor && visitor->enough && visitor->enough(visitor->arg))) {
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
		snprintf(error, DATA_ERROR_MAX, "%.150s: has no events", data_name(path));
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
		      data_name(path), event);
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

static void note_left_out(struct profile *p)
{
	note(p, "%" PRIu64 " other samples were left out, as the filters say: percentages are of %s",
	     p->left_out, p->absolute ? "all" : "those that are here");
}

static void note_periods(struct profile *p)
{
	if ((p->header.flags & DF_PERIODS_STAY) && p->event[p->chosen].frequency)
		note(p, RATE_STAYS);
}

static void make_notes(const struct loading *l)
{
	struct profile *p = l->profile;
	unsigned int i;

	p->complete = l->status == DATA_END && !l->bad_blocks;
	if (p->left_out)
		note_left_out(p);
	note_periods(p);
	if (p->calls && !p->rows)
		note(p, "no sample has a call of '%.80s'", text_intern(p->calls));
	/* How long each set was active is at the end of the file. */
	p->share_unknown = !p->all_ns && takes_turns(l);
	if (p->share_unknown)
		note(p, "the events took turns: for how much of the time this one was sampled is not known");
	if (p->active_ns < p->all_ns)
		note(p, "the events took turns: this one was sampled %.1f%% of the time",
		     100 * (double)p->active_ns / (double)p->all_ns);
	if (l->status == DATA_TRUNCATED)
		note(p, "the file is truncated after %" PRIu64 " bytes: this is what is there",
		     data_place(&l->reader, l->offset));
	else if (l->status == DATA_DAMAGED)
		note(p, "the file is damaged after %" PRIu64 " bytes: the report covers what stands before",
		     data_place(&l->reader, l->offset));
	if (l->bad_blocks)
		note(p, "%" PRIu64 " blocks of samples are damaged, or of a format that cannot be turned: what is in them is not here",
		     l->bad_blocks);
	if (l->raw_blocks)
		note(p, "the format %s is not known: %" PRIu64 " blocks (%" PRIu64 " bytes) are left out; pfmon script --raw prints them",
		     l->raw_uuid, l->raw_blocks, l->raw_bytes);
	if (p->gaps)
		note(p, "%" PRIu64 " gap%s where samples were lost, the longest of %.3f ms; the largest begins at %.3f s and lacks %" PRIu64,
		     p->gaps, p->gaps == 1 ? "" : "s", (double)p->gap_ns / 1e6,
		     p->gap.time > p->header.monotonic ?
		     (double)(p->gap.time - p->header.monotonic) / 1e9 : 0.0,
		     p->gap.samples);
	if (l->cut_stacks)
		note(p, "samples whose stacks were larger than what was kept of them: %" PRIu64 "; their outermost calls are not known (record -g dwarf,BYTES keeps more)",
		     l->cut_stacks);
	else if (l->some_cut)
		note(p, "some stacks were larger than what was kept of them: their outermost calls are not known (record -g dwarf,BYTES keeps more)");
	if (l->bare_stacks)
		note(p, symtab_has_elf ? "stacks of another kind of machine are not unwound: their calls are those of frame pointers" :
		     "this pfmon was built without libdw: stacks are not unwound, their calls are those of frame pointers");
	if (l->strangers)
		note(p, "samples of no event that the file names: %" PRIu64, l->strangers);
	for (i = 0; space_note(l->space, i); i++)
		note(p, "%s", space_note(l->space, i));
}

int profile_read(struct profile *p, const char *path, const char *event,
		 char error[DATA_ERROR_MAX])
{
	struct loading *l = calloc(1, sizeof(*l));
	char *archive;
	int d, ret;

	if (!l)
		err(EXIT_PFMON, NULL);
	l->profile = p;
	ret = data_open(&l->reader, path, error);
	if (ret)
		goto free;
	p->header = l->reader.header;
	archive = archive_of(path);
	l->space = space_new(&p->header, archive);
	free(archive);
	pmon_layout_init(&l->layout);
	look(l, first_look, UINT64_MAX);
	ret = choose_event(p, path, event, error);
	if (!ret) {
		if (p->prefer_chains && l->chains)
			profile_by(p->by, "process,chain");
		for (d = 0; d < BY_CHAIN; d++)
			p->frames += p->by[d];
		if (p->calls)
			p->frames = CALL_FRAMES;
		space_source(l->space, (p->by[BY_LINE] ? SPACE_LINES : 0) |
				       (p->inlined ? SPACE_INLINED : 0));
		space_complete(l->space);
		find_alike(l);
		read_samples(l);
		visit_all(l);
		profile_sort(p);
		make_notes(l);
		if (p->visitor && p->visitor->end)
			p->visitor->end(p->visitor->arg, l->space, p);
	}
	free(l->alike);
	space_free(l->space);
	data_done(&l->reader);
free:
	free(l);
	return ret;
}

struct loading *profile_live(struct profile *p, const char *path,
			     char error[DATA_ERROR_MAX])
{
	struct loading *l = calloc(1, sizeof(*l));

	if (!l)
		err(EXIT_PFMON, NULL);
	l->profile = p;
	if (data_open(&l->reader, path, error)) {
		free(l);
		return NULL;
	}
	p->header = l->reader.header;
	l->space = space_new(&p->header, NULL);
	pmon_layout_init(&l->layout);
	return l;
}

/* Without samples, rows and notes. */
static void empty(struct profile *p)
{
	size_t i;

	for (i = 0; i < p->rows; i++)
		free(p->row[i]);
	free(p->row);
	p->row = NULL;
	p->rows = 0;
	if (p->bucket)
		memset(p->bucket, 0, p->buckets * sizeof(*p->bucket));
	p->samples = p->weight = p->left_out = p->left_weight = p->gaps = p->gap_ns = 0;
	p->depth = p->notes = 0;
	memset(&p->lost, 0, sizeof(p->lost));
	memset(&p->gap, 0, sizeof(p->gap));
}

int profile_update(struct loading *l, uint64_t limit)
{
	struct profile *p = l->profile;
	uint64_t from = l->reader.offset;
	char error[DATA_ERROR_MAX];
	int d;

	empty(p);
	l->bad_blocks = l->strangers = l->raw_blocks = l->raw_bytes = 0;
	look(l, first_look, limit);
	if (l->status != DATA_RECORD)
		return -1;
	if (!l->alike) {
		if (choose_event(p, "", NULL, error))
			return -1;
		for (d = 0; d < BY_CHAIN; d++)
			p->frames += p->by[d];
		find_alike(l);
	}
	space_complete(l->space);
	if (data_seek(&l->reader, from))
		return -1;
	look(l, second_look, limit);
	profile_sort(p);
	if (p->left_out)
		note_left_out(p);
	note_periods(p);
	return l->status == DATA_RECORD ? 0 : -1;
}

void profile_live_end(struct loading *l)
{
	free(l->alike);
	space_free(l->space);
	data_done(&l->reader);
	free(l);
}

static int by_count(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	unsigned int i;
	int order = 0;

	/* Without another recording all are 0. */
	if (fabs(x->change) != fabs(y->change))
		return fabs(x->change) > fabs(y->change) ? -1 : 1;
	/* Without totals all are 0. */
	if (x->total_weight != y->total_weight)
		return x->total_weight > y->total_weight ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	for (i = 0; i < x->frames && i < y->frames && !order; i++)
		order = strcmp(x->frame[i], y->frame[i]);
	return order ? order : (x->frames > y->frames) - (x->frames < y->frames);
}

void profile_sort(struct profile *p)
{
	if (p->rows)
		qsort(p->row, p->rows, sizeof(*p->row), by_count);
}

static double share(const struct profile *p, uint64_t weight)
{
	return p->weight ? 100.0 * (double)weight / (double)p->weight : 0;
}

void profile_compare(struct profile *p, const struct profile *before)
{
	struct row *row;
	size_t i;

	for (i = 0; i < before->rows; i++) {
		row = get_row(p, before->row[i]->frame, before->row[i]->frames);
		row->before_count = before->row[i]->count;
		row->before_weight = before->row[i]->weight;
	}
	for (i = 0; i < p->rows; i++)
		p->row[i]->change = share(p, p->row[i]->weight) -
				    share(before, p->row[i]->before_weight);
	p->before = before;
	profile_sort(p);
}

void profile_free(struct profile *p)
{
	size_t i;

	for (i = 0; i < p->rows; i++)
		free(p->row[i]);
	free(p->row);
	free(p->bucket);
	free(p->event);
	memset(p, 0, sizeof(*p));
}
