// SPDX-License-Identifier: GPL-2.0-only
/* The data file of a recording, from its begin to its end. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "keep.h"
#include "recording.h"
#include "rotate.h"

/* Registers in the order of their numbers, as samples have them. */
static void add_reading(struct sampled_event *e, const char *name, uint16_t pmd,
			bool since_last)
{
	unsigned int i = e->readings++;

	for (; i > 0 && e->reading[i - 1].pmd > pmd; i--)
		e->reading[i] = e->reading[i - 1];
	snprintf(e->reading[i].name, SMPL_NAME_MAX, "%s", name);
	e->reading[i].pmd = pmd;
	e->reading[i].since_last = since_last;
}

/* All sampled events have the same readings. */
static void describe(const struct sampling *s, struct sampled_event *e)
{
	char name[PFM_NAME_MAX];
	unsigned int i;

	memset(e, 0, sizeof(*e));
	for (i = s->sampled; i < s->counters.n; i++)
		add_reading(e, s->counters.c[i].name,
			    s->counters.c[i].pmd, true);
	for (i = 0; i < s->registers; i++) {
		if (pfm_pmd_name(s->reg[i], name, sizeof(name)))
			strcpy(name, "?");
		add_reading(e, name, s->reg[i], false);
	}
}

/* Counters begin anew with each sample; other registers are as they are. */
static void select_readings(struct recording *rec, const struct sampled_event *e)
{
	unsigned int i;

	for (i = 0; i < e->readings; i++) {
		pfm_bv_set(rec->read_pmds, e->reading[i].pmd);
		if (e->reading[i].since_last)
			pfm_bv_set(rec->reset_pmds, e->reading[i].pmd);
	}
}

/* What ends turns overflows, too, and a format makes a sample of that: without readings. */
static void describe_trigger(struct recording *rec, const struct counters *counters)
{
	const struct counter *c = &counters->trigger;
	struct sampled_event e = {
		.unit = c->event->unit == UNIT_NS ? UNIT_NS : UNIT_COUNT,
		.pmd = c->pmd, .period = counters->every,
	};
	unsigned int set;

	snprintf(e.name, sizeof(e.name), "%.*s=%" PRIu64, SMPL_NAME_MAX - 24, c->name,
		 counters->every);
	smpl_layout_add(&rec->layout, &e);
	for (set = 0; set < counters->sets; set++) {
		e.set = set;
		data_event(&rec->data, &e);
	}
}

/* Does an older perfmon refuse to give counters that run other periods, but for the next? */
static bool periods_stay(const struct sampling *s)
{
	pfarg_pmd_t pmd = { .reg_num = PFM_SW_PMD0, .reg_flags = PFM_REGFL_KEEP_VALUE };
	pfarg_ctx_t ctx;
	bool refused;
	unsigned int i;

	for (i = 0; i < s->sampled && !s->adapts[i]; i++)
		;
	memset(&ctx, 0, sizeof(ctx));
	/* If there can be no context, that will be said of those that are to sample. */
	if (i == s->sampled || pfm_create_context(&ctx, 1))
		return false;
	refused = pfm_write_pmds(ctx.ctx_fd, &pmd, 1) && errno == EINVAL;
	close(ctx.ctx_fd);
	return refused;
}

int recording_begin(struct recording *rec, const struct sampling *s,
		    const char *path)
{
	struct sampled_event e;
	bool stay = periods_stay(s);
	unsigned int i, set;

	rec->flags = stay ? DF_PERIODS_STAY : 0;
	if (data_create_packed(&rec->data, path, rec->result.title, rec->flags, rec->packer))
		return -1;
	if (rec->rotation) {
		if (!rec->data.out.temp || rec->data.out.into) {
			errno = EINVAL;
			return -1;
		}
		rec->rotation->began = now_ns();
		rec->data.journal = &rec->journal;
	}
	if (stay)
		result_note(&rec->result, RATE_STAYS);
	pthread_mutex_init(&rec->lock, NULL);
	rec->sampling = s;
	rec->images = images_new(&rec->data);
	images_kernel(rec->images);
	describe(s, &e);
	select_readings(rec, &e);
	pmon_layout_init(&rec->layout);
	for (i = 0; i < s->sampled; i++) {
		snprintf(e.name, sizeof(e.name), "%s", s->counters.c[i].name);
		e.unit = s->counters.c[i].event->unit == UNIT_NS ? UNIT_NS :
								 UNIT_COUNT;
		e.pmd = s->counters.c[i].pmd;
		e.period = s->period[i];
		e.frequency = s->adapts[i] ? s->frequency : 0;
		e.random_mask = !s->adapts[i] ? s->mask[i] :
				s->random_given ? s->random_mask : INT64_MAX;
		smpl_layout_add(&rec->layout, &e);
		/* One that is counted in all sets is an event of each. */
		for (set = 0; set < s->counters.sets; set++) {
			e.set = set;
			if (counter_in_set(&s->counters.c[i], set))
				data_event(&rec->data, &e);
		}
	}
	if (s->counters.trigger.event)
		describe_trigger(rec, &s->counters);
	/* A reader can have these, whatever becomes of what is compressed after them. */
	if (rec->packer)
		data_flush(&rec->data);
	return 0;
}

void recording_flush(struct recording *rec)
{
	struct df_lost *lost = &rec->lost, *old = &rec->written;
	struct df_lost news;

	if (memcmp(lost, old, sizeof(*lost))) {
		news = (struct df_lost){
			.samples = lost->samples - old->samples,
			.estimated = lost->estimated - old->estimated,
			.full = lost->full - old->full,
			.masked_ns = lost->masked_ns - old->masked_ns,
			.messages = lost->messages - old->messages,
			.throttled = lost->throttled - old->throttled,
			.threads = lost->threads - old->threads,
			.maps = lost->maps - old->maps,
		};
		data_lost(&rec->data, &news);
		*old = *lost;
	}
	data_flush(&rec->data);
}

static int close_file(struct recording *rec, const struct df_end *end)
{
	if (rec->rotation)
		rotate_name(rec);
	if (data_close(&rec->data, end))
		return -1;
	if (rec->rotation)
		rotate_closed(rec);
	return 0;
}

void recording_switch(struct recording *rec)
{
	struct rotation *r = rec->rotation;
	uint64_t now = now_ns();
	struct df_end end;
	const char *wrong;
	char *next;

	end = (struct df_end){ .elapsed_ns = now - r->began, .samples = rec->samples - r->samples };
	rec->lost.threads = rec->result.missed;
	images_end(rec->images);
	recording_flush(rec);
	wrong = rec->no_names ? NULL : keep_names(&rec->data, rec->images);
	if (wrong)
		warnx("names of functions are not in the next file, %s", wrong);
	if (!close_file(rec, &end)) {
		r->began = now;
		next = rotate_next(r);
		if (!data_create_packed(&rec->data, next, rec->result.title, rec->flags,
					rec->packer)) {
			free(next);
			data_again(&rec->data, &rec->journal);
			return;
		}
		rec->data.err = errno;
		free(next);
	}
	rec->broken = rec->data.err;
	warnx("cannot switch from %s to the next file: %s", r->last, strerror(rec->broken));
}

int recording_end(struct recording *rec, int status)
{
	struct df_end end = {
		.elapsed_ns = rec->result.elapsed_ns,
		.samples = rec->samples,
		.status = status,
	};
	const char *wrong;
	unsigned int set, sets = rec->sampling->counters.sets;
	int ret;

	for (set = 0; set < sets && sets > 1; set++)
		data_turns(&rec->data, &(struct df_turns){
			.set = set, .ns = rec->result.sum.turns[set].ns,
			.turns = rec->result.sum.turns[set].n });
	rec->lost.threads = rec->result.missed;
	images_end(rec->images);
	images_notes(rec->images, &rec->result);
	recording_flush(rec);
	wrong = rec->no_names ? NULL : keep_names(&rec->data, rec->images);
	if (wrong)
		result_note(&rec->result, "names of functions are not in the file, %s: a report needs the programs", wrong);
	images_free(rec->images);
	if (rec->rotation && !rec->broken) {
		end.elapsed_ns = now_ns() - rec->rotation->began;
		end.samples -= rec->rotation->samples;
	}
	errno = rec->broken;
	ret = rec->broken ? -1 : close_file(rec, &end);
	pthread_mutex_destroy(&rec->lock);
	return ret;
}
