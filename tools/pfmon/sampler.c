// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts that sample. The kernel fills the buffer of each; when it is full,
 * or the measurement ends, what is in it goes to the data file.
 *
 * Formats that go on while a buffer is full count what is lost. With those that
 * do not, nothing is sampled from the moment that it is full until PFM_RESTART.
 * What is lost by that is estimated: as many samples as that time would have
 * brought at the rate of those in the buffer.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "numbers.h"
#include "recording.h"

struct sampler {
	struct probe probe;		/* first */
	struct recording *rec;
	struct sampler *next, **link;	/* under the recording's lock */
	struct smpl_origin origin;
	void *buf;
	size_t size;
	struct smpl_seen seen;		/* how far its processes were looked at */
	uint64_t since;			/* when the buffer was empty */
	struct smpl_state old;		/* what was accounted for already */
	uint64_t taken;			/* samples, of formats that clear */
};

/* What a buffer tells at first sight. */
struct digest {
	uint64_t samples;
	uint64_t first, last;		/* times */
	pid_t *pid;			/* of each sample */
	size_t n, room;
	struct mapping {		/* files that the kernel has recorded */
		pid_t pid;
		const char *path;	/* in the block */
	} *map;
	size_t maps, map_room;
};

static void digest_sample(void *arg, const struct sample *sample)
{
	struct digest *d = arg;

	d->samples += sample->count;
	if (!d->first)
		d->first = sample->time;
	d->last = sample->time;
	if (d->n < d->room)
		d->pid[d->n++] = sample->pid;
}

static void digest_map(void *arg, const struct smpl_map *map)
{
	struct digest *d = arg;

	if (!map->path)
		return;
	if (d->maps == d->map_room) {
		d->map_room = d->map_room ? 2 * d->map_room : 16;
		d->map = reallocarray(d->map, d->map_room, sizeof(*d->map));
		if (!d->map)
			err(EXIT_PFMON, NULL);
	}
	d->map[d->maps++] = (struct mapping){ map->pid, map->path };
}

static int by_number(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

/* Takes a block apart; each process remains once. */
static void digest(struct digest *d, const struct sampler *s, const void *block,
		   size_t size)
{
	const struct smpl_sink sink = { .sample = digest_sample, .map = digest_map,
					.arg = d };
	size_t i, n = 0;

	/* No sample is smaller than 8 bytes. */
	d->room = size / 8;
	d->pid = malloc((d->room + 1) * sizeof(*d->pid));
	if (!d->pid)
		err(EXIT_PFMON, NULL);
	s->rec->sampling->format->parse(block, size, &s->rec->layout, &s->origin,
					&sink);
	qsort(d->pid, d->n, sizeof(*d->pid), by_number);
	for (i = 0; i < d->n; i++)
		if (d->pid[i] > 0 && (!n || d->pid[i] != d->pid[n - 1]))
			d->pid[n++] = d->pid[i];
	d->n = n;
}

static void estimate_loss(struct sampler *s, const struct digest *d, uint64_t now)
{
	uint64_t from = d->last && d->last < now ? d->last : now;
	double rate = 0;

	if (d->samples > 1 && d->last > d->first)
		rate = (double)(d->samples - 1) / (double)(d->last - d->first);
	else if (d->samples && from > s->since)
		rate = (double)d->samples / (double)(from - s->since);
	s->rec->lost.masked_ns += now - from;
	s->rec->estimated += rate * (double)(now - from);
	s->rec->lost.estimated = (uint64_t)(s->rec->estimated + 0.5);
}

/*
 * What the kernel has counted since the last time. Samples that came between
 * a copy and PFM_RESTART are cleared, and were never taken.
 */
static void account(struct sampler *s)
{
	struct df_lost *lost = &s->rec->lost;
	struct smpl_state now;

	s->rec->sampling->format->state(s->buf, s->size, &now);
	if (s->rec->sampling->format->clears) {
		now.full = s->old.full;
		now.lost += now.cleared - s->taken;
	}
	lost->full += now.full - s->old.full;
	lost->samples += now.lost - s->old.lost;
	lost->maps += now.lost_maps - s->old.lost_maps;
	s->old = now;
}

/* Look at the processes that were hit, and at files of those that may be gone. */
static void see(struct recording *rec, const struct digest *d)
{
	size_t i;

	for (i = 0; i < d->maps; i++)
		images_binary(rec->images, d->map[i].pid, d->map[i].path);
	for (i = 0; i < d->n; i++)
		images_glance(rec->images, d->pid[i]);
}

static void digest_free(struct digest *d)
{
	free(d->pid);
	free(d->map);
}

/* Write the samples to the data file, and look at the processes that they hit. */
static void keep(struct sampler *s, const struct digest *d, const void *block,
		 size_t size)
{
	struct recording *rec = s->rec;
	struct df_samples head = {
		.pid = s->origin.pid, .tid = s->origin.tid, .cpu = s->origin.cpu,
		.bytes = (uint32_t)size,
	};

	memcpy(head.uuid, rec->sampling->format->uuid, sizeof(head.uuid));
	if (size)
		data_samples(&rec->data, &head, block);
	see(rec, d);
	rec->samples += d->samples;
}

static void *new_block(const struct sampler *s)
{
	void *block = malloc(s->size);

	if (!block)
		err(EXIT_PFMON, NULL);
	return block;
}

/*
 * Something is full. It is copied, so that sampling goes on before the file is
 * written. If the context has ended meanwhile there is no PFM_RESTART, and all
 * stays in the buffer for take_rest().
 */
static void take(struct sampler *s)
{
	const struct smpl_format *format = s->rec->sampling->format;
	struct digest d = { 0 };
	void *block = new_block(s);
	size_t size = format->copy(s->buf, s->size, false, NULL, block);
	struct context_info info;
	uint64_t now;
	bool over;

	/*
	 * There is nothing to release. Either the message was of samples that were
	 * taken for an earlier one: PFM_RESTART now could release samples that come
	 * before it, unread. Or the kernel has masked the context for another reason:
	 * then no samples come, and PFM_RESTART makes it go on.
	 */
	if (!size && !format->masks) {
		context_read_info(s->probe.fd, &info);
		if (!info.masked) {
			free(block);
			return;
		}
		size = format->copy(s->buf, s->size, false, NULL, block);
	}
	over = pfm_restart(s->probe.fd);
	now = now_ns();
	digest(&d, s, block, size);
	pthread_mutex_lock(&s->rec->lock);
	if (format->masks)
		estimate_loss(s, &d, now);
	if (format->clears)
		s->rec->lost.full++;
	if (!over) {
		keep(s, &d, block, size);
		s->taken += d.samples;
		s->seen = (struct smpl_seen){ 0 };
		s->since = now;
	}
	account(s);
	pthread_mutex_unlock(&s->rec->lock);
	digest_free(&d);
	free(block);
}

/* It is over: nothing changes any more. @masked: it was full before that. */
static void take_rest(struct sampler *s, bool masked)
{
	const struct smpl_format *format = s->rec->sampling->format;
	struct digest d = { 0 };
	void *block = new_block(s);
	size_t size = format->copy(s->buf, s->size, true, NULL, block);

	digest(&d, s, block, size);
	pthread_mutex_lock(&s->rec->lock);
	if (format->masks && masked)
		estimate_loss(s, &d, now_ns());
	keep(s, &d, block, size);
	account(s);
	pthread_mutex_unlock(&s->rec->lock);
	digest_free(&d);
	free(block);
}

static void sampler_overflow(struct probe *probe)
{
	take((struct sampler *)probe);
}

/*
 * Processes can end before the buffer is full: so look now and then at the
 * processes that the new samples hit. The kernel may be adding samples meanwhile.
 */
static void sampler_look(struct probe *probe)
{
	struct sampler *s = (struct sampler *)probe;
	struct digest d = { 0 };
	void *block = new_block(s);
	size_t size = s->rec->sampling->format->copy(s->buf, s->size, true, &s->seen,
						     block);

	if (size) {
		digest(&d, s, block, size);
		pthread_mutex_lock(&s->rec->lock);
		see(s->rec, &d);
		pthread_mutex_unlock(&s->rec->lock);
		digest_free(&d);
	}
	free(block);
}

/* A period of a counter, and a sample after each. */
static void sample_each(const struct recording *rec, uint64_t period, uint32_t seed,
			pfarg_pmc_t *pmc, pfarg_pmd_t *pmd)
{
	pmc->reg_flags = PFM_REGFL_OVFL_NOTIFY;
	memcpy(pmc->reg_smpl_pmds, rec->read_pmds, sizeof(rec->read_pmds));
	memcpy(pmc->reg_reset_pmds, rec->reset_pmds, sizeof(rec->reset_pmds));
	pmd->reg_value = pmd->reg_long_reset = pmd->reg_short_reset = -period;
	if (rec->sampling->random_mask) {
		pmc->reg_flags |= PFM_REGFL_RANDOM;
		pmd->reg_random_mask = rec->sampling->random_mask;
		pmd->reg_random_seed = seed;
	}
}

static int write_set(const struct sampler *s, unsigned int set, uint32_t seed,
		     struct failure *failure)
{
	const struct sampling *what = s->rec->sampling;
	pfarg_pmc_t pmcs[MAX_COUNTERS];
	pfarg_pmd_t pmds[MAX_COUNTERS];
	unsigned int i, n = 0;

	memset(pmcs, 0, sizeof(pmcs));
	memset(pmds, 0, sizeof(pmds));
	for (i = 0; i < what->counters.n; i++) {
		const struct counter *c = &what->counters.c[i];

		if (!counter_in_set(c, set))
			continue;
		pmcs[n].reg_num = c->pmc;
		pmcs[n].reg_value = c->value;
		pmds[n].reg_num = c->pmd;
		pmcs[n].reg_set = pmds[n].reg_set = (uint16_t)set;
		if (i < what->sampled)
			sample_each(s->rec, what->period[i], seed, &pmcs[n], &pmds[n]);
		n++;
	}
	if (context_write_extras(s->probe.fd, &what->counters, set, failure) ||
	    context_write_pmcs(s->probe.fd, pmcs, n, failure))
		return -1;
	if (pfm_write_pmds(s->probe.fd, pmds, (int)n))
		return failure_set(failure, PFM_WRITE_PMDS, 0);
	return 0;
}

static int write_registers(const struct sampler *s, uint32_t seed,
			   struct failure *failure)
{
	const struct counters *counters = &s->rec->sampling->counters;
	unsigned int set;

	if (context_create_sets(s->probe.fd, counters, failure))
		return -1;
	for (set = 0; set < counters->sets; set++)
		if (write_set(s, set, seed, failure))
			return -1;
	return 0;
}

static int create_context(struct sampler *s, unsigned int flags,
			  struct failure *failure)
{
	const struct sampling *what = s->rec->sampling;
	struct {
		pfarg_ctx_t ctx;
		unsigned char arg[SMPL_ARG_MAX] __attribute__((aligned(8)));
	} req;

	memset(&req, 0, sizeof(req));
	req.ctx.ctx_flags = flags;
	memcpy(req.ctx.ctx_smpl_buf_id, what->format->uuid, sizeof(pfm_uuid_t));
	what->format->argument(req.arg, what->buffer_size);
	if (pfm_create_context(&req.ctx, 1))
		return failure_set(failure, PFM_CREATE_CONTEXT, 0);
	s->probe.fd = req.ctx.ctx_fd;
	s->size = (size_t)req.ctx.ctx_smpl_buf_size;
	fcntl(s->probe.fd, F_SETFD, FD_CLOEXEC);
	s->buf = mmap(NULL, s->size, PROT_READ, MAP_SHARED, s->probe.fd, 0);
	if (s->buf == MAP_FAILED) {
		s->buf = NULL;
		return failure_set(failure, 0, 0);
	}
	return 0;
}

/* The process of a thread, or -1. */
static pid_t process_of(pid_t tid)
{
	char path[48], line[256];
	int pid = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %d", &pid) == 1)
			break;
	fclose(f);
	return pid;
}

static void release(struct sampler *s)
{
	if (s->buf)
		munmap(s->buf, s->size);
	free(s);
}

static void insert(struct recording *rec, struct sampler *s)
{
	pthread_mutex_lock(&rec->lock);
	s->next = rec->samplers;
	s->link = &rec->samplers;
	if (s->next)
		s->next->link = &s->next;
	rec->samplers = s;
	if (s->origin.pid > 0)
		images_glance(rec->images, s->origin.pid);
	else if (!s->next)
		images_see_all(rec->images);
	pthread_mutex_unlock(&rec->lock);
}

static struct probe *sampler_create(struct result *result, pid_t tid, int cpu,
				    struct failure *failure)
{
	struct recording *rec = (struct recording *)result;
	struct sampler *s = calloc(1, sizeof(*s));
	bool thread = cpu < 0;

	if (!s)
		err(EXIT_PFMON, NULL);
	s->rec = rec;
	s->probe.fd = -1;
	s->origin.pid = thread ? process_of(tid) : -1;
	s->origin.tid = thread ? tid : -1;
	s->origin.cpu = cpu;
	/* Each has its own sequence of periods, the same one next time. */
	if (create_context(s, thread ? 0 : PFM_FL_SYSTEM_WIDE, failure) ||
	    write_registers(s, thread ? ++rec->threads : (uint32_t)cpu + 1,
			    failure)) {
		if (s->probe.fd >= 0)
			close(s->probe.fd);
		release(s);
		return NULL;
	}
	s->since = now_ns();
	insert(rec, s);
	return &s->probe;
}

static int sampler_finish(struct probe *probe, struct failure *failure)
{
	struct sampler *s = (struct sampler *)probe;
	struct recording *rec = s->rec;
	struct turns turns[MAX_EVENTS];
	struct context_info info;

	if (probe->result) {
		pfm_stop(probe->fd);	/* fails if it is detached already */
		take_rest(s, probe_read(probe));
		rec->result.measured++;
	}
	pthread_mutex_lock(&rec->lock);
	if (!context_read_turns(probe->fd, &rec->sampling->counters, turns, failure))
		result_turns(&rec->result, turns);
	context_read_info(probe->fd, &info);
	rec->lost.messages += info.lost;
	rec->lost.throttled += info.throttled;
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
	pthread_mutex_unlock(&rec->lock);
	release(s);
	return 0;
}

static void sampler_process(struct result *result, pid_t pid,
			    enum process_event event)
{
	struct recording *rec = (struct recording *)result;

	if (event == PROCESS_EXEC)
		images_exec(rec->images, pid);
	else
		images_see(rec->images, pid);
}

static void sampler_tick(struct result *result)
{
	struct recording *rec = (struct recording *)result;
	char samples[NUMBERS_MAX], lost[NUMBERS_MAX];
	struct smpl_state state;
	struct sampler *s;
	unsigned int i;
	uint64_t n;

	pthread_mutex_lock(&rec->lock);
	for (i = 0; i < rec->targets->n; i++)
		if (rec->targets->target[i].is_process)
			images_see(rec->images, rec->targets->target[i].id);
	n = rec->samples;
	for (s = rec->samplers; s; s = s->next) {
		rec->sampling->format->state(s->buf, s->size, &state);
		n += state.samples;
	}
	recording_flush(rec);
	if (rec->progress)
		fprintf(stderr, "\r%s samples, %s lost ", numbers_count(samples, n),
			numbers_lost(lost, rec->lost.samples, rec->lost.estimated));
	pthread_mutex_unlock(&rec->lock);
}

const struct probe_ops sampling_ops = {
	.what = "samples",
	.done = "sampled",
	.create = sampler_create,
	.finish = sampler_finish,
	.overflow = sampler_overflow,
	.look = sampler_look,
	.process = sampler_process,
	.tick = sampler_tick,
};
