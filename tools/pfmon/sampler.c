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
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "file.h"
#include "numbers.h"
#include "raw.h"
#include "recording.h"
#include "rotate.h"
#include "sampler.h"
#include "smpl.h"
#include "target.h"
#include "watch.h"

/* From one look at the threads' periods to the next: at least this, and ... */
#define LOOK_NS		20000000
/* ... so many times as long as a look takes. */
#define LOOK_SHARE	20
/* The same of what their processes have mapped. */
#define MAPS_NS		50000000
#define MAPS_SHARE	50
#define MAPS_MOST_NS	1000000000

#define PIDS_NEAR	64	/* a power of two */

/* What a buffer tells at first sight. */
struct digest {
	uint64_t samples;
	uint64_t first, last;		/* times */
	pid_t *pid;			/* processes of samples; some are there several times */
	size_t n, room;
	pid_t near[PIDS_NEAR];		/* of these, the last one of each number's end */
	const struct sampling *what;
	uint64_t events[MAX_EVENTS];	/* that the samples stand for, of those that adapt */
	struct pmon_map *map;		/* files that the kernel has recorded */
	size_t maps, map_room;
};

/* Of an event in several sets the first is as good as all of them. */
static bool is_of(const struct sampling *what, unsigned int i, uint16_t pmd, uint16_t set)
{
	return what->adapts[i] && what->counters.c[i].pmd == pmd &&
	       what->counters.c[i].set == set;
}

static void add_pid(struct digest *d, pid_t pid)
{
	pid_t *near = &d->near[pid & (PIDS_NEAR - 1)];

	if (pid <= 0 || *near == pid)
		return;
	*near = pid;
	if (d->n == d->room) {
		d->room = d->room ? 2 * d->room : 64;
		d->pid = reallocarray(d->pid, d->room, sizeof(*d->pid));
		if (!d->pid)
			err(EXIT_PFMON, NULL);
	}
	d->pid[d->n++] = pid;
}

static void digest_process(void *arg, int32_t pid)
{
	add_pid(arg, pid);
}

static void digest_run(void *arg, const struct pmon_run *run)
{
	struct digest *d = arg;
	unsigned int i;

	d->samples += run->samples;
	if (!d->first)
		d->first = run->first;
	d->last = run->last;
	add_pid(d, run->pid);
	for (i = 0; d->what->frequency && i < d->what->sampled; i++)
		if (is_of(d->what, i, run->pmd, run->set))
			d->events[i] += run->events;
}

static void digest_sample(void *arg, const struct pmon_sample *sample)
{
	const struct pmon_run run = {
		.pid = sample->pid, .pmd = sample->pmd, .set = sample->set,
		.samples = sample->count, .events = sample->period * sample->count,
		.first = sample->time, .last = sample->time,
	};

	digest_run(arg, &run);
}

static void digest_map(void *arg, const struct pmon_map *map)
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
	d->map[d->maps++] = *map;
}

static int by_number(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

static void *new_block(const struct sampler *s)
{
	void *block = malloc(s->size);

	if (!block)
		err(EXIT_PFMON, NULL);
	return block;
}

/* Each process remains once. */
static void digest_end(struct digest *d)
{
	size_t i, n = 0;

	if (d->n)
		qsort(d->pid, d->n, sizeof(*d->pid), by_number);
	for (i = 0; i < d->n; i++)
		if (!n || d->pid[i] != d->pid[n - 1])
			d->pid[n++] = d->pid[i];
	d->n = n;
}

/* Takes a block apart. */
static void digest(struct digest *d, const struct sampler *s, const void *block,
		   size_t size)
{
	const struct smpl_sink sink = { .sample = digest_sample, .run = digest_run,
					.map = digest_map, .arg = d };

	d->what = s->rec->sampling;
	smpl_parse(s->rec->sampling->format, block, size, &s->rec->layout, &s->origin,
					&sink);
	digest_end(d);
}

/*
 * What is new in the buffer, to which the kernel may be adding. It needs no copy of a buffer
 * that has one sample after the other: a number of a process that is not one does no harm, and
 * periods are not believed if the kernel has begun a half anew meanwhile. Of others the maps in @d
 * have their paths in the copy that is returned: who has used them frees it.
 */
static void *digest_new(struct digest *d, struct sampler *s)
{
	const struct pmon_format *format = s->rec->sampling->format;
	void *block;
	size_t size;

	if (format == &pmon_format_double) {
		d->what = s->rec->sampling;
		if (!pmon_double_look(s->buf, s->size, &s->rec->layout, &s->seen, digest_run, d))
			memset(d->events, 0, sizeof(d->events));
		digest_end(d);
		return NULL;
	}
	block = new_block(s);
	size = format->copy(s->buf, s->size, true, &s->seen, block);
	if (size)
		digest(d, s, block, size);
	return block;
}

/* Does a format have one sample after the other, and nothing else that pfmon has to know? */
static bool is_list(const struct pmon_format *format)
{
	return format->values && !format->chains;
}

/*
 * The same of a block that goes to the file. Samples of a thread are of its process, at those of
 * a CPU look() was, and of a tree's only the processes are wanted: they need not be taken apart,
 * unless @times are needed.
 */
static void digest_taken(struct digest *d, const struct sampler *s, const void *block,
			 size_t size, bool times)
{
	const struct pmon_format *format = s->rec->sampling->format;
	const struct pmon_skim skim = { .map = digest_map, .process = digest_process, .arg = d };
	struct pmon_state state;

	if (s->rec->result.joins && format == &pmon_format_calldouble) {
		d->samples = pmon_calldouble_skim(block, size, &skim);
		digest_end(d);
		return;
	}
	if (!is_list(format) || times) {
		digest(d, s, block, size);
		return;
	}
	if (!size)
		return;
	format->state(block, size, &state);
	d->samples = state.samples;
	add_pid(d, s->origin.pid);
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
	struct pmon_state now;

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
		images_binary(rec->images, &d->map[i]);
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
	rec->blocks += !!size;
	if (size) {
		if (rotate_due(rec, size))
			recording_switch(rec);
		data_samples(&rec->data, &head, block);
	}
	see(rec, d);
	rec->samples += d->samples;
}

/* Processes can end before a buffer is full: so look now and then at those that new samples hit. */
static void look(struct sampler *s)
{
	struct digest d = { 0 };
	uint64_t begin = now_ns();
	struct pmon_state state;
	void *block = digest_new(&d, s);

	if (s->rate) {
		s->rec->sampling->format->state(s->buf, s->size, &state);
		adapt_periods(s, d.events, state.lost, begin);
	}
	/* That takes long: periods which are judged after it would be judged by too much. */
	if (d.n || d.maps) {
		pthread_mutex_lock(&s->rec->lock);
		see(s->rec, &d);
		pthread_mutex_unlock(&s->rec->lock);
	}
	digest_free(&d);
	free(block);
}

static void sampler_look(struct probe *probe)
{
	look((struct sampler *)probe);
}

/* The same for all threads, unless they are so many that it would cost too much. */
static void look_at_threads(struct result *result)
{
	struct recording *rec = (struct recording *)result;
	uint64_t begin = now_ns(), end;
	struct sampler *s;

	if (begin < rec->adapt_ns)
		return;
	for (s = rec->samplers; s; s = s->next)
		look(s);
	end = now_ns();
	rec->adapt_ns = end + LOOK_SHARE * (end - begin);
}

/*
 * Of a recording that is shown while it grows: take all that is new, in the half, too, that the
 * kernel is filling. A half that is full is given back.
 */
static void take_live(struct sampler *s)
{
	const struct pmon_format *format = s->rec->sampling->format;
	void *block = new_block(s);
	struct context_info info;
	struct digest d = { 0 };
	size_t size;
	bool full;

	if (s->rate)
		look(s);
	full = format->copy(s->buf, s->size, false, NULL, block);
	size = format->copy(s->buf, s->size, true, &s->kept, block);
	/* The kernel can have masked the context for another reason. */
	if (!full) {
		context_read_info(s->probe.fd, &info);
		full = info.masked;
	}
	if (full)
		pfm_restart(s->probe.fd);
	digest_taken(&d, s, block, size, false);
	pthread_mutex_lock(&s->rec->lock);
	keep(s, &d, block, size);
	account(s);
	pthread_mutex_unlock(&s->rec->lock);
	digest_free(&d);
	free(block);
}

/*
 * Take what is in the buffer: @full says that the kernel has told of a full one, else what
 * there is by now is wanted. It is copied, so that sampling goes on before the file is
 * written. If the context has ended meanwhile there is no PFM_RESTART, and all
 * stays in the buffer for take_rest().
 */
static void take(struct sampler *s, bool full)
{
	const struct pmon_format *format = s->rec->sampling->format;
	struct digest d = { 0 };
	void *block;
	struct context_info info;
	bool over = false;
	uint64_t now;
	size_t size;

	if (s->rec->live) {
		take_live(s);
		return;
	}
	block = new_block(s);
	if (s->rate || (is_list(format) && s->origin.pid < 0))
		look(s);
	if (format->freezes)
		over = pfm_restart(s->probe.fd);
	size = over ? 0 : format->copy(s->buf, s->size, false, NULL, block);
	/*
	 * There is nothing to release. Either the message was of samples that were
	 * taken for an earlier one: PFM_RESTART now could release samples that come
	 * before it, unread. Or the kernel has masked the context for another reason:
	 * then no samples come, and PFM_RESTART makes it go on.
	 */
	if (!size && !format->masks && !format->freezes) {
		context_read_info(s->probe.fd, &info);
		if (!info.masked) {
			free(block);
			return;
		}
		size = format->copy(s->buf, s->size, false, NULL, block);
	}
	if (!format->freezes)
		over = pfm_restart(s->probe.fd);
	now = now_ns();
	digest_taken(&d, s, block, size, format->masks && full);
	pthread_mutex_lock(&s->rec->lock);
	if (format->masks && full)
		estimate_loss(s, &d, now);
	if ((format->clears || format->freezes) && full)
		s->rec->lost.full++;
	if (!over) {
		keep(s, &d, block, size);
		s->taken += d.samples;
		if (format->masks || !(s->rate || is_list(format)))
			s->seen = (struct pmon_seen){ 0 };
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
	const struct pmon_format *format = s->rec->sampling->format;
	struct digest d = { 0 };
	void *block = new_block(s);
	size_t size = format->copy(s->buf, s->size, true, s->rec->live ? &s->kept : NULL, block);

	digest_taken(&d, s, block, size, format->masks && masked);
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
	take((struct sampler *)probe, true);
}

void sampling_take(struct probe *probe)
{
	take((struct sampler *)probe, false);
}

/* A period of a counter, and a sample after each. */
static void sample_each(const struct sampler *s, unsigned int event, uint32_t seed,
			pfarg_pmc_t *pmc, pfarg_pmd_t *pmd)
{
	const struct recording *rec = s->rec;

	pmc->reg_flags = PFM_REGFL_OVFL_NOTIFY;
	memcpy(pmc->reg_smpl_pmds, rec->read_pmds, sizeof(rec->read_pmds));
	memcpy(pmc->reg_reset_pmds, rec->reset_pmds, sizeof(rec->reset_pmds));
	adapt_period(s, event, seed, pmd);
	if (pmd->reg_random_mask || rec->sampling->adapts[event])
		pmc->reg_flags |= PFM_REGFL_RANDOM;
}

static int write_set(const struct sampler *s, unsigned int set, uint32_t seed,
		     struct failure *failure)
{
	const struct sampling *what = s->rec->sampling;
	const struct counter *trigger = &what->counters.trigger;
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
			sample_each(s, i, seed, &pmcs[n], &pmds[n]);
		n++;
	}
	if (trigger->event) {
		pmcs[n].reg_num = trigger->pmc;
		pmcs[n].reg_set = (uint16_t)set;
		pmcs[n].reg_value = trigger->value;
	}
	if (context_write_extras(s->probe.fd, &what->counters, set, failure) ||
	    context_write_pmcs(s->probe.fd, pmcs, n + !!trigger->event, failure))
		return -1;
	if (pfm_write_pmds(s->probe.fd, pmds, (int)n))
		return failure_set(failure, PFM_WRITE_PMDS, 0);
	return trigger->event ?
	       context_arm(s->probe.fd, &what->counters, set, failure) : 0;
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

bool sampling_is_there(const struct pmon_format *format, uint64_t size)
{
	const struct sampling what = { .format = format, .buffer_size = size };

	return sampling_is_taken(&what, 0, 1);
}

bool sampling_is_taken(const struct sampling *what, unsigned int flags, unsigned int n)
{
	struct {
		pfarg_ctx_t ctx;
		unsigned char arg[PMON_ARG_MAX] __attribute__((aligned(8)));
	} req;
	bool taken;

	memset(&req, 0, sizeof(req));
	req.ctx.ctx_flags = flags;
	memcpy(req.ctx.ctx_smpl_buf_id, what->format->uuid, sizeof(pfm_uuid_t));
	sampling_argument(what, req.arg, what->buffer_size);
	if (pfm_create_context(&req.ctx, 1))
		return false;
	taken = n <= 1 || sampling_is_taken(what, flags, n - 1);
	close(req.ctx.ctx_fd);
	return taken;
}

bool sampling_joins(struct sampling *s, const struct target *t)
{
	const struct targets *threads = &t->threads;
	static struct cpu_list cpus;

	/* Forks are recorded by one format, where the kernel's is new enough. */
	s->forks = !s->arg && s->format == pmon_format_find("calldouble");
	s->forks = s->forks && sampling_is_taken(s, 0, 1);
	return s->forks && !t->cpus && !t->no_follow &&
	       (!threads->n || (threads->n == 1 && threads->target->is_process)) &&
	       !counters_no_tree(&s->counters) &&
	       !cpu_list_parse(&cpus, "all") && (!threads->n || !cpus.left_out) &&
	       sampling_is_taken(s, PFM_FL_TREE, cpus.n);
}

/*
 * Why a context with this format was refused by EINVAL, where the kernel says more than that.
 * It lists its formats. It has just been asked for this one, and has loaded the module if it
 * could, and did so for us: so one that is listed has itself refused.
 */
static void explain_refusal(const struct sampling *what)
{
	char name[300], have[UUID_TEXT], wanted[UUID_TEXT], arg[2 * 32 + 1];
	DIR *dir = opendir("/sys/kernel/perfmon/formats");
	struct dirent *entry;
	bool missing = true;
	size_t i;

	if (!dir)
		return;
	raw_uuid(what->format->uuid, wanted);
	while (missing && (entry = readdir(dir))) {
		snprintf(name, sizeof(name), "formats/%s/uuid", entry->d_name);
		missing = !sysfs_read(name, have, sizeof(have)) || strcmp(have, wanted);
	}
	closedir(dir);
	if (missing)
		errx(EXIT_PFMON, "the kernel does not have the sampling format '%s': if that is a module, it is not installed, or not loaded for this user",
		     what->format->name);
	if (what->stack)
		errx(EXIT_PFMON, "-g dwarf: the kernel's sampling format calldouble keeps no stacks: it is one of version 1.0; -g follows frame pointers");
	if (!what->arg)
		return;
	for (i = 0; i < what->arg_size && 2 * i + 1 < sizeof(arg); i++)
		snprintf(arg + 2 * i, 3, "%02x", ((const unsigned char *)what->arg)[i]);
	errx(EXIT_PFMON, "the sampling format '%s' refuses its argument: %s%s", what->format->name,
	     arg, i < what->arg_size ? "..." : "");
}

/* Why a context whose samples are to have stacks was refused, if it is for that. */
static void explain_stacks(int error, unsigned int flags)
{
	if (error == EOPNOTSUPP)
		errx(EXIT_PFMON, "-g dwarf: this kernel cannot give programs' registers and stacks on this machine; -g follows frame pointers");
	if (error == EPERM && (flags & PFM_FL_SYSTEM_WIDE))
		errx(EXIT_PFMON, "-g dwarf: stacks of all programs on a CPU are for root only, or who has CAP_PERFMON");
}

static int create_context(struct sampler *s, unsigned int flags,
			  struct failure *failure)
{
	const struct sampling *what = s->rec->sampling;
	/* As long as the kernel takes it: what is not given is 0. */
	struct {
		pfarg_ctx_t ctx;
		unsigned char arg[RAW_ARG_MAX] __attribute__((aligned(8)));
	} *req = calloc(1, sizeof(*req));
	int ret;

	if (!req)
		err(EXIT_PFMON, NULL);
	req->ctx.ctx_flags = flags;
	memcpy(req->ctx.ctx_smpl_buf_id, what->format->uuid, sizeof(pfm_uuid_t));
	sampling_argument(what, req->arg, what->buffer_size);
	ret = pfm_create_context(&req->ctx, 1) ?
	      failure_set(failure, PFM_CREATE_CONTEXT, 0) : 0;
	if (ret && what->stack)
		explain_stacks(failure->err, flags);
	if (ret && failure->err == EINVAL)
		explain_refusal(what);
	s->probe.fd = req->ctx.ctx_fd;
	s->size = (size_t)req->ctx.ctx_smpl_buf_size;
	free(req);
	if (ret) {
		s->probe.fd = -1;
		return ret;
	}
	fcntl(s->probe.fd, F_SETFD, FD_CLOEXEC);
	if (s->size > SAMPLING_BUFFER_MAX)
		errx(EXIT_PFMON, "a buffer of more than 128M cannot be recorded");
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
	free(s->rate);
	free(s);
}

/* Periods that adapt have somebody who looks at them. */
static void begin_rates(struct sampler *s)
{
	adapt_begin(s);
	/* CPUs have him anyway. */
	if (s->rate && s->origin.cpu < 0 && !s->rec->adapt_ns) {
		s->rec->adapt_ns = 1;
		watch_timer(LOOK_NS, true, look_at_threads);
	}
}

void sampling_look(struct recording *rec)
{
	struct sampler *s;
	bool gone = false;
	pid_t last = 0;

	/* Threads of a process are beside each other mostly. */
	for (s = rec->samplers; s; s = s->next) {
		if (s->origin.pid > 0 && s->origin.pid != last) {
			images_see(rec->images, s->origin.pid);
			gone = images_gone(rec->images, s->origin.pid);
		}
		last = s->origin.pid;
		s->stale |= last > 0 && gone;
	}
}

/* All samples that there were. */
static uint64_t count_samples(const struct recording *rec)
{
	struct pmon_state state;
	const struct sampler *s;
	uint64_t n = rec->samples;

	for (s = rec->samplers; s; s = s->next) {
		rec->sampling->format->state(s->buf, s->size, &state);
		n += state.samples;
	}
	return n;
}

/*
 * One library can give way to another one at the same addresses. From one look to the next
 * a format without the kernel's records of that has the names of the first one. A table's
 * entry has one time, of its first sample: a new one begins, in which that is later.
 */
static void look_at_maps(struct result *result)
{
	struct recording *rec = (struct recording *)result;
	uint64_t begin = now_ns(), n, wait;
	struct sampler *s;

	if (begin < rec->maps_ns)
		return;
	pthread_mutex_lock(&rec->lock);
	n = count_samples(rec);
	if (n != rec->maps_samples)
		sampling_look(rec);
	rec->maps_samples = n;
	pthread_mutex_unlock(&rec->lock);
	for (s = rec->samplers; s; s = s->next) {
		if (s->stale && rec->sampling->format->freezes)
			take(s, false);
		s->stale = false;
	}
	wait = MAPS_SHARE * (now_ns() - begin);
	rec->maps_ns = now_ns() + (wait < MAPS_MOST_NS ? wait : MAPS_MOST_NS);
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
	else if (!s->next && (!rec->result.joins || rec->result.running))
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
	begin_rates(s);
	/* Each has its own sequence of periods, the same one next time. */
	if (create_context(s, thread ? 0 : result->joins ? PFM_FL_TREE : PFM_FL_SYSTEM_WIDE,
			   failure) ||
	    write_registers(s, thread ? ++rec->threads : (uint32_t)cpu + 1,
			    failure)) {
		if (s->probe.fd >= 0)
			close(s->probe.fd);
		release(s);
		return NULL;
	}
	s->since = now_ns();
	insert(rec, s);
	if (thread && !rec->maps_ns) {
		rec->maps_ns = 1;
		watch_timer(MAPS_NS, true, look_at_maps);
	}
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
		if (s->rate || (is_list(s->rec->sampling->format) && s->origin.pid < 0))
			look(s);
		if (s->rate)
			adapt_end(s);
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
	uint64_t n;
	bool due;

	pthread_mutex_lock(&rec->lock);
	due = rotate_due(rec, 0);
	pthread_mutex_unlock(&rec->lock);
	/* What was sampled before the switch is in the file before it. */
	if (due)
		probe_all(result, sampling_take);
	pthread_mutex_lock(&rec->lock);
	if (due && !rec->data.err)
		recording_switch(rec);
	n = count_samples(rec);
	recording_flush(rec);
	/*
	 * If the program that reads the recording from a pipe has ended, sampling ends. A write
	 * tells (EPIPE), but as long as the CPUs that pfmon samples are idle there is nothing
	 * to write: so look at the pipe, too. The command that pfmon has started goes on.
	 */
	if (rec->data.err == EPIPE || outfile_unread(&rec->data.out))
		result->over = true;
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
	.tick_ns = 500000000,
};
