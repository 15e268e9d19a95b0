// SPDX-License-Identifier: GPL-2.0-only
/* What is in sampling buffers. */
#include "sampled.h"
#include "smpl.h"

/* Is the period made random by a mask that fits it? */
static bool is_random(const struct sampled_event *e)
{
	return e->random_mask / 2 < e->period;
}

uint64_t sampled_period(const struct sampled_event *e)
{
	return is_random(e) ? e->period - e->random_mask / 2 : e->period;
}

uint64_t sampled_events(const struct sampled_event *e, const struct pmon_sample *sample)
{
	bool own = sample->period && (sample->count == 1 || !e->random_mask);
	bool half = !own && is_random(e) && e->random_mask & 1;

	/* Half of an odd mask is half an event more than what the mean was made smaller by. */
	return sample->count * (own ? sample->period : sampled_period(e)) -
	       (half ? sample->count / 2 : 0);
}

static void take_sample(const struct smpl_sink *sink, const struct pmon_iter *it,
			struct pmon_record *rec)
{
	struct pmon_user user;

	if (sink->unwind)
		sink->unwind(sink->unwind_arg, &rec->sample,
			     pmon_sample_user(it, rec, &user) ? &user : NULL);
	sink->sample(sink->arg, &rec->sample);
}

/* All samples that need not be taken apart one by one. */
static void take_runs(const struct smpl_sink *sink, struct pmon_iter *it)
{
	struct pmon_run run;

	while (sink->run && pmon_entries_run(it, &run))
		sink->run(sink->arg, &run);
}

long smpl_parse(const struct pmon_format *format, const void *buf, size_t size,
		const struct pmon_layout *layout, const struct pmon_origin *origin,
		const struct smpl_sink *sink)
{
	struct pmon_record rec;
	struct pmon_iter it;
	int ret;

	pmon_iter_begin(&it, format, buf, size, layout, origin);
	while ((ret = pmon_iter_next(&it, &rec)) > 0) {
		if (rec.type == PMON_SAMPLE)
			take_sample(sink, &it, &rec);
		else if (rec.type == PMON_LOST && sink->lost)
			sink->lost(sink->arg, &rec.lost);
		else if (rec.type != PMON_LOST && sink->map)
			sink->map(sink->arg, &rec.map);
		take_runs(sink, &it);
	}
	return ret < 0 ? -1 : (long)it.records;
}

void smpl_print(FILE *out)
{
	const struct pmon_format *format;
	unsigned int i;

	fputs("sampling formats:\n", out);
	for (i = 0; (format = pmon_format_at(i)); i++)
		fprintf(out, "  %-18s %s\n", format->name, format->help);
}

void smpl_layout_add(struct pmon_layout *layout,
		     const struct sampled_event *event)
{
	pmon_layout_add(layout, event->pmd, event->readings);
}
