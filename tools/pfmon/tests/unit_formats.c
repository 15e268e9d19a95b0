// SPDX-License-Identifier: GPL-2.0-only
/* Buffers of all formats but the default one, whole and damaged. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>

#include <perfmon/aggregate_smpl.h>
#include <perfmon/callaggregate_smpl.h>
#include <perfmon/callchain_smpl.h>
#include <perfmon/calldouble_smpl.h>
#include <perfmon/double_smpl.h>

#include "check.h"
#include "smpl.h"
#include "unit.h"
#include "../data_write.h"
#include "../profile_out.h"
#include "../profile.h"
#include "../rate.h"

#define BUFFER	4096
#define KERNEL_IP	(1ULL << 63 | 0x1000)

typedef void output_fn(FILE *out, const struct profile *p,
		       const struct selection *sel);

static unsigned char buffer[BUFFER] __attribute__((aligned(8)));
static unsigned char block[BUFFER] __attribute__((aligned(8)));

static struct {
	unsigned int n, maps, gaps;
	struct pmon_lost gap;
	struct pmon_sample s[8];
	uint64_t value[8], call[8][4];
	struct pmon_map map[4];
	char path[4][32];
} seen;

static void see(void *arg, const struct pmon_sample *s)
{
	unsigned int i;

	(void)arg;
	if (seen.n < 8) {
		seen.s[seen.n] = *s;
		seen.value[seen.n] = s->values ? *s->value : 0;
		for (i = 0; i < s->kernel + s->user && i < 4; i++)
			seen.call[seen.n][i] = s->chain[i];
	}
	seen.n++;
}

static void see_map(void *arg, const struct pmon_map *map)
{
	(void)arg;
	if (seen.maps < 4) {
		seen.map[seen.maps] = *map;
		snprintf(seen.path[seen.maps], sizeof(seen.path[0]), "%s",
			 map->path ? map->path : map->comm);
	}
	seen.maps++;
}

static void see_gap(void *arg, const struct pmon_lost *lost)
{
	(void)arg;
	seen.gaps++;
	seen.gap = *lost;
}

/* The event has two readings, samples of callchain say how many they have. */
static long parse(const struct pmon_format *format, const void *buf, size_t size)
{
	static const struct pmon_origin origin = { 7, 8, 9 };
	static const struct smpl_sink sink = { .sample = see, .map = see_map,
					       .lost = see_gap };
	struct pmon_layout layout;

	memset(&seen, 0, sizeof(seen));
	pmon_layout_init(&layout);
	smpl_layout_add(&layout, &test_event);
	return smpl_parse(format, buf, size, &layout, &origin, &sink);
}

/* Each byte set to something else: nothing outside of the block is touched. */
static void damage(const struct pmon_format *format, const void *whole, size_t size)
{
	static const unsigned char wrong[] = { 0x00, 0x01, 0x7f, 0xff };
	unsigned int bad = 0;
	unsigned char *copy;
	size_t n, w;

	for (n = 0; n < size; n++) {
		/* Of its own, so that a sanitizer sees where it ends. */
		copy = malloc(n + 1);
		memcpy(copy, whole, n);
		parse(format, copy, n);
		free(copy);
		for (w = 0; w < sizeof(wrong); w++) {
			copy = malloc(size);
			memcpy(copy, whole, size);
			copy[n] = wrong[w];
			bad += parse(format, copy, size) < 0;
			free(copy);
		}
	}
	CHECK(bad);
}

/*
 * double
 */

#define HALF	((BUFFER - sizeof(pfm_double_smpl_hdr_t)) / 2 & ~7ULL)

static void half_add(unsigned int i, uint64_t ip)
{
	pfm_double_smpl_hdr_t *hdr = (void *)buffer;
	pfm_double_smpl_half_t *half = &hdr->hdr_half[i];
	struct {
		pfm_double_smpl_entry_t entry;
		uint64_t value[2];
	} *to = (void *)(buffer + half->half_cur_offs);

	memset(to, 0, sizeof(*to));
	to->entry.pid = 42;
	to->entry.ovfl_pmd = 288;
	to->entry.ip = ip;
	to->value[0] = ip + 1;
	half->half_cur_offs += sizeof(*to);
	half->half_count++;
	hdr->hdr_samples++;
}

static pfm_double_smpl_hdr_t *double_init(void)
{
	pfm_double_smpl_hdr_t *hdr = (void *)buffer;
	unsigned int i;

	memset(buffer, 0, sizeof(buffer));
	hdr->hdr_version = PFM_DOUBLE_SMPL_VERSION;
	hdr->hdr_buf_size = sizeof(buffer);
	hdr->hdr_half_size = HALF;
	for (i = 0; i < 2; i++) {
		hdr->hdr_half[i].half_offs = sizeof(*hdr) + i * HALF;
		hdr->hdr_half[i].half_cur_offs = sizeof(*hdr) + i * HALF;
	}
	hdr->hdr_half[0].half_state = PFM_DOUBLE_SMPL_KERNEL;
	return hdr;
}

static void test_double(void)
{
	pfm_double_smpl_hdr_t *hdr = double_init();
	const struct pmon_format *f = pmon_format_find("double");
	struct pmon_state state;
	unsigned int i;
	size_t size;

	CHECK(f->copy(buffer, BUFFER, true, NULL, block) == 0);
	half_add(0, 0x100);
	half_add(0, 0x200);
	/* The kernel's half is taken only when it is over. */
	CHECK(f->copy(buffer, BUFFER, false, NULL, block) == 0);
	size = f->copy(buffer, BUFFER, true, NULL, block);
	CHECK(size == sizeof(*hdr) + 2 * 56 && parse(f, block, size) == 2);
	CHECK(seen.s[1].ip == 0x200 && seen.s[1].pid == 42 && seen.value[1] == 0x201);

	/* The second half is full and older than the first. */
	hdr->hdr_half[0].half_first = 3;
	hdr->hdr_half[1].half_state = PFM_DOUBLE_SMPL_USER;
	half_add(1, 0x300);
	half_add(1, 0x400);
	half_add(1, 0x500);
	hdr->hdr_lost = 17;
	hdr->hdr_overflows = 4;
	f->state(buffer, BUFFER, &state);
	CHECK(state.samples == 5 && state.lost == 17 && state.full == 4);
	size = f->copy(buffer, BUFFER, false, NULL, block);
	CHECK(parse(f, block, size) == 3 && seen.s[0].ip == 0x300);
	size = f->copy(buffer, BUFFER, true, NULL, block);
	CHECK(parse(f, block, size) == 5 && seen.s[0].ip == 0x300);
	CHECK(seen.s[2].ip == 0x500 && seen.s[3].ip == 0x100);
	/* A whole buffer is a block, too. */
	CHECK(parse(f, buffer, BUFFER) == 5 && seen.s[4].ip == 0x200);
	damage(f, block, size);

	/* Of two full ones only the one that PFM_RESTART would release. */
	hdr->hdr_half[0].half_state = PFM_DOUBLE_SMPL_USER;
	size = f->copy(buffer, BUFFER, false, NULL, block);
	CHECK(parse(f, block, size) == 3 && seen.s[0].ip == 0x300);
	CHECK(!f->masks && !f->clears && f->values);

	/* A later minor version has a longer header. */
	memmove(buffer + sizeof(*hdr) + 16, buffer + sizeof(*hdr), 2 * HALF - 16);
	memset(buffer + sizeof(*hdr), 0xee, 16);
	for (i = 0; i < 2; i++) {
		hdr->hdr_half[i].half_offs += 16;
		hdr->hdr_half[i].half_cur_offs += 16;
	}
	CHECK(parse(f, buffer, BUFFER) == 5 && seen.s[4].ip == 0x200);
	CHECK(f->copy(buffer, BUFFER, false, NULL, block) == size);
	CHECK(parse(f, block, size) == 3 && seen.s[0].ip == 0x300);

	/* Even a half without samples lies at a multiple of eight bytes, behind the header. */
	hdr->hdr_half[0].half_count = 0;
	CHECK(parse(f, buffer, BUFFER) == 3);
	hdr->hdr_half[0].half_offs += 4;
	CHECK(parse(f, buffer, BUFFER) == -1);
	hdr->hdr_half[0].half_offs = sizeof(*hdr) - 8;
	CHECK(parse(f, buffer, BUFFER) == -1);
	hdr->hdr_half[0].half_offs = hdr->hdr_half[0].half_cur_offs + 8;
	CHECK(parse(f, buffer, BUFFER) == -1);
}

/*
 * The processes of new samples are looked at every 20 ms while a buffer fills: what
 * that copies is each sample once, and a header each time that there are some.
 */
static size_t look(const struct pmon_format *f, struct pmon_seen *seen_so_far, long news)
{
	size_t size = f->copy(buffer, BUFFER, true, seen_so_far, block);

	CHECK(size ? parse(f, block, size) == news : !news);
	return size;
}

static struct pmon_run runs[8];
static unsigned int n_runs;

static void see_run(void *arg, const struct pmon_run *run)
{
	(void)arg;
	if (n_runs < 8)
		runs[n_runs] = *run;
	n_runs++;
}

static pfm_double_smpl_entry_t *entry_at(unsigned int half, unsigned int i)
{
	pfm_double_smpl_hdr_t *hdr = (void *)buffer;

	return (void *)(buffer + hdr->hdr_half[half].half_offs + i * 56);
}

/* Samples of one process after the other are passed at once, in the buffer and in a copy. */
static void test_double_runs(void)
{
	static const struct smpl_sink sink = { .sample = see, .run = see_run };
	static const struct pmon_origin origin = { 7, 8, 9 };
	pfm_double_smpl_hdr_t *hdr = double_init();
	const struct pmon_format *f = pmon_format_find("double");
	struct pmon_seen so_far = { 0 };
	struct pmon_layout layout;
	unsigned int i;
	size_t size;

	pmon_layout_init(&layout);
	smpl_layout_add(&layout, &test_event);
	for (i = 0; i < 6; i++) {
		half_add(0, i);
		entry_at(0, i)->pid = i < 4 ? 42 : 43;
		entry_at(0, i)->last_reset_val = -(uint64_t)(10 + i);
		entry_at(0, i)->tstamp = 100 + i;
	}
	n_runs = 0;
	CHECK(pmon_double_look(buffer, BUFFER, &layout, &so_far, see_run, NULL) && n_runs == 2);
	CHECK(runs[0].pid == 42 && runs[0].pmd == 288 && runs[0].samples == 4);
	CHECK(runs[0].events == 46 && runs[0].first == 100 && runs[0].last == 103);
	CHECK(runs[1].pid == 43 && runs[1].samples == 2 && runs[1].events == 29);
	/* There is nothing new, and then there is. */
	CHECK(pmon_double_look(buffer, BUFFER, &layout, &so_far, see_run, NULL) && n_runs == 2);
	half_add(0, 6);
	CHECK(pmon_double_look(buffer, BUFFER, &layout, &so_far, see_run, NULL) && n_runs == 3);
	CHECK(runs[2].samples == 1);
	/* The first of a block is taken apart; and the counter can be another. */
	entry_at(0, 2)->set = 1;
	size = f->copy(buffer, BUFFER, true, NULL, block);
	memset(&seen, 0, sizeof(seen));
	n_runs = 0;
	CHECK(smpl_parse(f, block, size, &layout, &origin, &sink) == 7 && seen.n == 1);
	CHECK(n_runs == 5 && runs[0].samples == 1 && runs[1].set == 1 && runs[2].samples == 1);
	CHECK(runs[3].samples == 2 && runs[4].samples == 1);
	/* It ends where the half does, or before a counter that is not there. */
	memset(&so_far, 0, sizeof(so_far));
	n_runs = 0;
	entry_at(0, 5)->ovfl_pmd = 5;
	hdr->hdr_half[0].half_count = 1000;
	pmon_double_look(buffer, BUFFER, &layout, &so_far, see_run, NULL);
	CHECK(n_runs == 4 && runs[3].samples == 1);
	CHECK(smpl_parse(f, block, size - 8, &layout, &origin, &sink) == -1);
	/* Without headers there is nothing to see. */
	memset(&so_far, 0, sizeof(so_far));
	n_runs = 0;
	hdr->hdr_flags = PFM_DOUBLE_SMPL_NO_HDR;
	pmon_double_look(buffer, BUFFER, &layout, &so_far, see_run, NULL);
	CHECK(!n_runs);
}

static void test_double_news(void)
{
	pfm_double_smpl_hdr_t *hdr = double_init();
	const struct pmon_format *f = pmon_format_find("double");
	struct pmon_seen so_far = { 0 };
	size_t sum = 0;
	unsigned int i;

	for (i = 0; i < 30; i++) {
		half_add(0, i);
		sum += look(f, &so_far, 1);
		CHECK(seen.s[0].ip == i);
	}
	CHECK(sum == 30 * (sizeof(*hdr) + 56));
	CHECK(look(f, &so_far, 0) == 0);
	/* The end of one half and the begin of the other. */
	half_add(0, 0x100);
	hdr->hdr_half[0].half_state = PFM_DOUBLE_SMPL_USER;
	hdr->hdr_half[1].half_state = PFM_DOUBLE_SMPL_KERNEL;
	hdr->hdr_half[1].half_first = 31;
	half_add(1, 0x200);
	look(f, &so_far, 2);
	CHECK(seen.s[0].ip == 0x100 && seen.s[1].ip == 0x200);
	half_add(1, 0x300);
	look(f, &so_far, 1);
	CHECK(seen.s[0].ip == 0x300);
	/* What the kernel has begun anew is new again. */
	hdr->hdr_half[1].half_first = 33;
	hdr->hdr_half[1].half_cur_offs = hdr->hdr_half[1].half_offs;
	hdr->hdr_half[1].half_count = 0;
	half_add(1, 0x400);
	look(f, &so_far, 1);
	CHECK(seen.s[0].ip == 0x400);
}

/*
 * aggregate
 */

static void test_aggregate(void)
{
	pfm_aggregate_smpl_hdr_t *hdr = (void *)buffer;
	pfm_aggregate_smpl_entry_t *slot = (void *)(hdr + 1);
	const struct pmon_format *f = pmon_format_find("aggregate");
	pfm_aggregate_smpl_arg_t arg = { 0 };
	struct pmon_seen so_far = { 0 };
	struct pmon_state state;
	size_t size;

	memset(buffer, 0, sizeof(buffer));
	hdr->hdr_version = PFM_AGGREGATE_SMPL_VERSION;
	hdr->hdr_slots = 64;
	hdr->hdr_gen = 4;
	CHECK(f->copy(buffer, BUFFER, true, NULL, block) == 0);
	slot[3] = (pfm_aggregate_smpl_entry_t){ 42, 2, 288, 0x100, 0, 4, 1000 };
	slot[63] = (pfm_aggregate_smpl_entry_t){ 43, 0, 288, 0x200, 0, 4, 1 };
	/* Beyond the slots there is nothing, and those of other generations are free. */
	slot[64] = (pfm_aggregate_smpl_entry_t){ 44, 0, 288, 0x300, 0, 4, 1 };
	slot[5] = (pfm_aggregate_smpl_entry_t){ 45, 0, 288, 0x400, 0, 2, 7 };
	hdr->hdr_samples = 1111;
	hdr->hdr_lost = 10;
	hdr->hdr_cleared = 100;
	f->state(buffer, BUFFER, &state);
	CHECK(state.samples == 1001 && state.lost == 10 && state.cleared == 100);
	size = f->copy(buffer, BUFFER, false, NULL, block);
	CHECK(size == sizeof(*hdr) + 2 * sizeof(*slot));
	CHECK(parse(f, block, size) == 2 && seen.n == 2);
	CHECK(seen.s[0].pid == 42 && seen.s[0].count == 1000 && seen.s[0].set == 2);
	CHECK(seen.s[0].ip == 0x100 && seen.s[0].pmd == 288 && !seen.s[0].values);
	CHECK(seen.s[1].pid == 43 && seen.s[1].cpu == 9);
	damage(f, block, size);

	/* New samples may be of any slot: if there is one, it looks at all again. */
	CHECK(look(f, &so_far, 2) == size && look(f, &so_far, 0) == 0);
	hdr->hdr_samples++;
	CHECK(look(f, &so_far, 2) == size);

	/* A later minor version has a longer header. */
	memmove(buffer + sizeof(*hdr) + 16, slot, 65 * sizeof(*slot));
	memset(slot, 0xee, 16);
	hdr->hdr_size = sizeof(*hdr) + 16;
	CHECK(parse(f, buffer, BUFFER) > 64 && seen.n == 3 && seen.s[0].ip == 0x100);
	CHECK(f->copy(buffer, BUFFER, false, NULL, block) == size);
	CHECK(parse(f, block, size) == 2 && seen.n == 2 && seen.s[1].ip == 0x200);
	hdr->hdr_size += 4;
	CHECK(parse(f, buffer, BUFFER) == -1);
	hdr->hdr_size = UINT32_MAX - 7;
	CHECK(parse(f, buffer, BUFFER) == -1);
	CHECK(f->copy(buffer, BUFFER, false, NULL, block) == 0);

	f->argument(&arg, 2048);
	CHECK(arg.buf_slots == 64 && f->min_size(10) == 2048);
	f->argument(&arg, 65536 + 2047);
	CHECK(arg.buf_slots == 2048);
	f->argument(&arg, UINT32_MAX);
	CHECK(arg.buf_slots == 16384 && f->max_size == 524288);
	CHECK(f->clears && !f->masks && !f->values);
}

/*
 * callchain
 */

static size_t chain_end;

static void *chain_add(uint16_t type, size_t size)
{
	pfm_callchain_smpl_rec_t *rec = (void *)(buffer + chain_end);

	memset(rec, 0, size);
	rec->type = type;
	rec->size = (uint16_t)size;
	rec->pid = 42;
	chain_end += size;
	((pfm_callchain_smpl_hdr_t *)buffer)->hdr_cur_offs = chain_end;
	((pfm_callchain_smpl_hdr_t *)buffer)->hdr_count++;
	return rec;
}

/* Two values, then the calls. */
static void chain_sample(uint64_t ip, unsigned int kernel, unsigned int user,
			 const uint64_t *calls)
{
	size_t n = 2 + kernel + user;
	pfm_callchain_smpl_sample_t *s;
	uint64_t *value;

	s = chain_add(PFM_CALLCHAIN_SMPL_SAMPLE, sizeof(*s) + 8 * n);
	s->ovfl_pmd = 288;
	s->nr_values = 2;
	s->nr_kernel = (uint16_t)kernel;
	s->nr_user = (uint16_t)user;
	s->last_reset_val = -(uint64_t)1000;
	s->tstamp = 500;
	s->ip = ip;
	value = (uint64_t *)(s + 1);
	value[0] = 70;
	while (n-- > 2)
		value[n] = calls[n - 2];
}

static void make_chains(void)
{
	static const uint64_t calls[] = { KERNEL_IP, KERNEL_IP + 0x10,
					  0x1100, 0x1200 };
	pfm_callchain_smpl_map_t *map;
	pfm_callchain_smpl_exec_t *exec;

	memset(buffer, 0, sizeof(buffer));
	((pfm_callchain_smpl_hdr_t *)buffer)->hdr_version =
		PFM_CALLCHAIN_SMPL_VERSION;
	chain_end = sizeof(pfm_callchain_smpl_hdr_t);
	exec = chain_add(PFM_CALLCHAIN_SMPL_EXEC, sizeof(*exec));
	exec->tstamp = 300;
	strcpy(exec->comm, "program");
	map = chain_add(PFM_CALLCHAIN_SMPL_MAP, sizeof(*map) + 16);
	map->tstamp = 310;
	map->addr = 0x1000;
	map->len = 0x1000;
	map->pgoff = 0x3000;
	map->major = 8;
	map->minor = 1;
	map->ino = 77;
	strcpy((char *)(map + 1), "/bin/program");
	chain_sample(KERNEL_IP, 2, 2, calls);
	chain_sample(0x1100, 0, 2, calls + 2);
	chain_add(999, 24);		/* of a later version */
	chain_sample(0x1300, 0, 0, NULL);
}

static void test_callchain(void)
{
	const struct pmon_format *f = pmon_format_find("callchain");
	pfm_callchain_smpl_hdr_t *hdr = (void *)buffer;
	struct pmon_state state;
	size_t size;

	make_chains();
	hdr->hdr_lost = 2;
	hdr->hdr_lost_maps = 3;
	hdr->hdr_overflows = 1;
	f->state(buffer, BUFFER, &state);
	CHECK(state.samples == 3 && state.full == 1);
	CHECK(state.lost == 2 && state.lost_maps == 3);
	size = f->copy(buffer, BUFFER, false, NULL, block);
	CHECK(size == chain_end && parse(f, block, size) == 6);
	CHECK(seen.n == 3 && seen.maps == 2);
	CHECK(!seen.map[0].path && seen.map[0].time == 300 && seen.map[0].pid == 42);
	CHECK_STR(seen.path[0], "program");
	CHECK(seen.map[1].start == 0x1000 && seen.map[1].end == 0x2000);
	CHECK(seen.map[1].major == 8 && seen.map[1].minor == 1 && seen.map[1].inode == 77);
	CHECK(seen.map[1].offset == 0x3000 && seen.map[1].time == 310);
	CHECK_STR(seen.path[1], "/bin/program");
	CHECK(seen.s[0].kernel == 2 && seen.s[0].user == 2 && seen.value[0] == 70);
	CHECK(seen.call[0][0] == KERNEL_IP && seen.call[0][3] == 0x1200);
	CHECK(seen.s[0].period == 1000 && seen.s[0].time == 500);
	CHECK(seen.s[2].ip == 0x1300 && !seen.s[2].kernel && !seen.s[2].user);
	damage(f, block, size);

	/* A later minor version has a longer header. */
	memmove(buffer + sizeof(*hdr) + 16, buffer + sizeof(*hdr), chain_end - sizeof(*hdr));
	memset(buffer + sizeof(*hdr), 0xee, 16);
	hdr->hdr_size = sizeof(*hdr) + 16;
	hdr->hdr_cur_offs += 16;
	f->state(buffer, BUFFER, &state);
	CHECK(state.samples == 3);
	CHECK(parse(f, buffer, BUFFER) == 6 && seen.n == 3 && seen.maps == 2);
	CHECK(f->copy(buffer, BUFFER, false, NULL, block) == size);
	CHECK(parse(f, block, size) == 6 && seen.n == 3 && seen.call[0][3] == 0x1200);
	hdr->hdr_size += 4;
	CHECK(parse(f, buffer, BUFFER) == -1);
	make_chains();

	hdr->hdr_count++;
	CHECK(parse(f, buffer, BUFFER) == -1 && seen.n == 3);
	hdr->hdr_cur_offs = UINT64_MAX;
	CHECK(f->copy(buffer, BUFFER, true, NULL, block) == BUFFER);
	CHECK(f->masks && f->chains && f->values && !f->clears);
	CHECK(pmon_format_find("callchain") == f && pmon_format_find_uuid(f->uuid) == f);
}

static void test_callchain_news(void)
{
	pfm_callchain_smpl_hdr_t *hdr = (void *)buffer;
	const struct pmon_format *f = pmon_format_find("callchain");
	struct pmon_seen so_far = { 0 };
	pfm_callchain_smpl_map_t *map;
	size_t sum = 0;
	unsigned int i;

	make_chains();
	look(f, &so_far, 6);
	CHECK(look(f, &so_far, 0) == 0);
	for (i = 0; i < 30; i++) {
		chain_sample(i, 0, 0, NULL);
		sum += look(f, &so_far, 1);
		CHECK(seen.n == 1 && seen.s[0].ip == i);
	}
	CHECK(sum == 30 * (sizeof(*hdr) + sizeof(pfm_callchain_smpl_sample_t) + 2 * 8));
	map = chain_add(PFM_CALLCHAIN_SMPL_MAP, sizeof(*map) + 8);
	map->len = 0x1000;
	strcpy((char *)(map + 1), "/new");
	look(f, &so_far, 1);
	CHECK(!seen.n && seen.maps == 1);
	CHECK_STR(seen.path[0], "/new");
}

/*
 * calldouble
 */

static size_t calls_end;

static void *calls_add(uint16_t type, size_t size)
{
	pfm_callchain_smpl_rec_t *rec = (void *)(buffer + calls_end);

	memset(rec, 0, size);
	rec->type = type;
	rec->size = (uint16_t)size;
	rec->pid = 42;
	calls_end += size;
	return rec;
}

static void calls_sample(uint64_t time)
{
	pfm_callchain_smpl_sample_t *s =
		calls_add(PFM_CALLCHAIN_SMPL_SAMPLE, sizeof(*s) + 4 * 8);

	s->ovfl_pmd = 288;
	s->nr_values = 2;
	s->nr_user = 2;
	s->tstamp = time;
	s->ip = 0x1100;
	((uint64_t *)(s + 1))[0] = 70;
	((uint64_t *)(s + 1))[2] = 0x1100;
	((uint64_t *)(s + 1))[3] = 0x1200;
}

static void calls_lost(uint64_t samples)
{
	pfm_callchain_smpl_lost_t *l = calls_add(PFM_CALLCHAIN_SMPL_LOST, sizeof(*l));

	l->pid = 0;
	l->tstamp = 600;
	l->until = 800;
	l->samples = samples;
	l->maps = 1;
}

/* Half @i ends where the last record does. */
static void calls_half(unsigned int i, uint32_t seq, uint32_t state, size_t begin)
{
	((pfm_calldouble_smpl_hdr_t *)buffer)->hdr_half[i] =
		(pfm_calldouble_smpl_half_t){
			.half_begin = (uint32_t)begin, .half_end = (uint32_t)calls_end,
			.half_seq = seq, .half_state = state };
}

/* The older half is the second, and the program's. */
static void make_calls(void)
{
	pfm_calldouble_smpl_hdr_t *hdr = (void *)buffer;

	memset(buffer, 0, sizeof(buffer));
	hdr->hdr_version = PFM_CALLDOUBLE_SMPL_VERSION;
	hdr->hdr_size = sizeof(*hdr);
	hdr->hdr_overflows = 2;
	hdr->hdr_lost = 5;
	hdr->hdr_lost_maps = 1;
	calls_end = 2048;
	calls_sample(400);
	calls_sample(500);
	calls_half(1, 7, PFM_CALLDOUBLE_SMPL_USER, 2048);
	calls_end = sizeof(*hdr);
	calls_lost(5);
	calls_add(999, 24);		/* of a later version */
	calls_sample(900);
	calls_half(0, 8, PFM_CALLDOUBLE_SMPL_KERNEL, sizeof(*hdr));
}

static void test_calldouble(void)
{
	const struct pmon_format *f = pmon_format_find("calldouble");
	pfm_calldouble_smpl_hdr_t *hdr = (void *)buffer;
	struct pmon_state state;
	size_t size;

	make_calls();
	f->state(buffer, BUFFER, &state);
	CHECK(state.samples == 3 && state.full == 2);
	CHECK(state.lost == 5 && state.lost_maps == 1);
	/* What PFM_RESTART releases, and all there is. */
	size = f->copy(buffer, BUFFER, false, NULL, block);
	CHECK(parse(f, block, size) == 2 && seen.n == 2 && !seen.gaps);
	CHECK(seen.s[0].time == 400 && seen.s[1].time == 500);
	size = f->copy(buffer, BUFFER, true, NULL, block);
	CHECK(parse(f, block, size) == 5 && seen.n == 3 && seen.gaps == 1);
	CHECK(seen.s[0].time == 400 && seen.s[2].time == 900);
	CHECK(seen.s[2].user == 2 && seen.call[2][1] == 0x1200 && seen.value[2] == 70);
	CHECK(seen.gap.samples == 5 && seen.gap.maps == 1);
	CHECK(seen.gap.time == 600 && seen.gap.until == 800);
	damage(f, block, size);
	/* A gap that no record follows, at the end only. */
	hdr->hdr_gap.type = PFM_CALLCHAIN_SMPL_LOST;
	hdr->hdr_gap.samples = 9;
	size = f->copy(buffer, BUFFER, false, NULL, block);
	CHECK(parse(f, block, size) == 2 && !seen.gaps);
	size = f->copy(buffer, BUFFER, true, NULL, block);
	CHECK(parse(f, block, size) == 5 && seen.gaps == 2 && seen.gap.samples == 9);
	hdr->hdr_gap.type = 0;
	hdr->hdr_half[0].half_end = UINT32_MAX;
	CHECK(parse(f, buffer, BUFFER) == -1);
	f->state(buffer, BUFFER, &state);
	f->copy(buffer, BUFFER, true, NULL, block);
	CHECK(!f->masks && f->chains && f->values && !f->clears && !f->freezes);
}

static void test_calldouble_news(void)
{
	const struct pmon_format *f = pmon_format_find("calldouble");
	pfm_calldouble_smpl_hdr_t *hdr = (void *)buffer;
	struct pmon_seen so_far = { 0 };

	make_calls();
	look(f, &so_far, 5);
	look(f, &so_far, 0);
	calls_sample(1000);
	calls_half(0, 8, PFM_CALLDOUBLE_SMPL_USER, sizeof(*hdr));
	look(f, &so_far, 1);
	CHECK(seen.s[0].time == 1000);
	calls_end = 2048;
	calls_sample(1100);
	calls_half(1, 9, PFM_CALLDOUBLE_SMPL_KERNEL, 2048);
	look(f, &so_far, 1);
	CHECK(seen.s[0].time == 1100);
	look(f, &so_far, 0);
}

/*
 * callaggregate
 */

#define TABLE_SLOTS	8
#define TABLE_CHAINS	(sizeof(pfm_callaggregate_smpl_hdr_t) + \
			 TABLE_SLOTS * (sizeof(pfm_callaggregate_smpl_entry_t) + 8))
#define TABLE_MAPS	(TABLE_CHAINS + 512)

static pfm_callaggregate_smpl_entry_t *table_entry(unsigned int i, uint32_t chain,
						   uint32_t count, uint64_t first)
{
	pfm_callaggregate_smpl_hdr_t *hdr = (void *)buffer;
	pfm_callaggregate_smpl_entry_t *e = (void *)(hdr + 1);

	e[i] = (pfm_callaggregate_smpl_entry_t){
		.ent_gen = 4, .ent_count = count, .ent_pid = 42, .ent_ovfl_pmd = 288,
		.ent_first = first, .ent_chain = (uint32_t)TABLE_CHAINS + chain };
	return &e[i];
}

/* Two entries of the first chain, one of the second, in the table that is filled. */
static void make_table(void)
{
	pfm_callaggregate_smpl_hdr_t *hdr = (void *)buffer;
	pfm_callaggregate_smpl_table_t *t = &hdr->hdr_table[0];
	pfm_callaggregate_smpl_chain_t *c = (void *)(buffer + TABLE_CHAINS);
	pfm_callchain_smpl_exec_t *exec;

	memset(buffer, 0, sizeof(buffer));
	hdr->hdr_version = PFM_CALLAGGREGATE_SMPL_VERSION;
	hdr->hdr_size = sizeof(*hdr);
	hdr->hdr_slots = TABLE_SLOTS;
	hdr->hdr_entry_size = sizeof(pfm_callaggregate_smpl_entry_t);
	hdr->hdr_gen = 4;
	hdr->hdr_lost = 3;
	*t = (pfm_callaggregate_smpl_table_t){
		.tab_slots = sizeof(*hdr), .tab_chains = TABLE_CHAINS,
		.tab_index = sizeof(*hdr) + TABLE_SLOTS * sizeof(pfm_callaggregate_smpl_entry_t),
		.tab_maps = TABLE_MAPS, .tab_gen = 4, .tab_used = 3, .tab_words = 9,
		.tab_samples = 33, .tab_lost = 3 };
	c->chain_nr_kernel = 1;
	c->chain_nr_user = 2;
	((uint64_t *)(c + 1))[0] = KERNEL_IP;
	((uint64_t *)(c + 1))[1] = 0x1100;
	((uint64_t *)(c + 1))[2] = 0x1200;
	c = (void *)((uint64_t *)(c + 1) + 3);
	c->chain_nr_user = 2;
	((uint64_t *)(c + 1))[0] = 0x1100;
	((uint64_t *)(c + 1))[1] = 0x1200;
	table_entry(1, 0, 10, 500);
	table_entry(4, 0, 5, 510)->ent_tid = 43;
	table_entry(5, 40, 15, 520);
	table_entry(6, 0, 99, 1)->ent_gen = 2;
	calls_end = TABLE_MAPS;
	exec = calls_add(PFM_CALLCHAIN_SMPL_EXEC, sizeof(*exec));
	exec->tstamp = 300;
	strcpy(exec->comm, "program");
	t->tab_maps_end = (uint32_t)calls_end;
}

/* The same with 8 bytes more for each entry, which take the place of the index. */
static void make_longer(void)
{
	pfm_callaggregate_smpl_hdr_t *hdr = (void *)buffer;
	size_t each = sizeof(pfm_callaggregate_smpl_entry_t);
	unsigned char *slots = (unsigned char *)(hdr + 1);
	unsigned int i;

	for (i = TABLE_SLOTS; i--;) {
		memmove(slots + i * (each + 8), slots + i * each, each);
		memset(slots + i * (each + 8) + each, 0xee, 8);
	}
	hdr->hdr_entry_size = (uint32_t)each + 8;
	hdr->hdr_table[0].tab_index = TABLE_CHAINS;
}

static void test_callaggregate(void)
{
	const struct pmon_format *f = pmon_format_find("callaggregate");
	pfm_callaggregate_smpl_hdr_t *hdr = (void *)buffer;
	struct pmon_seen so_far = { 0 };
	struct pmon_state state;
	size_t size;

	make_table();
	f->state(buffer, BUFFER, &state);
	CHECK(state.samples == 30 && state.lost == 3);
	/* The other one was never begun. */
	CHECK(f->copy(buffer, BUFFER, false, NULL, block) == 0);
	size = f->copy(buffer, BUFFER, true, NULL, block);
	CHECK(parse(f, block, size) == 4 && seen.n == 3 && seen.maps == 1);
	CHECK_STR(seen.path[0], "program");
	CHECK(seen.s[0].count == 10 && seen.s[0].kernel == 1 && seen.s[0].user == 2);
	CHECK(seen.s[0].ip == KERNEL_IP && seen.call[0][2] == 0x1200);
	CHECK(seen.s[0].tid == 8 && seen.s[1].tid == 43 && seen.s[1].count == 5);
	CHECK(seen.s[2].ip == 0x1100 && seen.s[2].time == 520 && seen.s[2].count == 15);
	damage(f, block, size);
	/* Frozen, it is the other one. */
	hdr->hdr_gen = 5;
	hdr->hdr_table[1].tab_gen = 5;
	CHECK(f->copy(buffer, BUFFER, false, NULL, block) == size);
	hdr->hdr_gen = 4;
	hdr->hdr_table[1].tab_gen = 0;
	/* What is new, and whose; the chains are left out. */
	look(f, &so_far, 4);
	look(f, &so_far, 0);
	table_entry(5, 40, 16, 520);
	look(f, &so_far, 0);
	table_entry(7, 40, 1, 530);
	look(f, &so_far, 1);
	CHECK(seen.n == 1 && seen.s[0].time == 530 && !seen.s[0].user);
	/* A later minor version has longer entries. */
	make_table();
	size = f->copy(buffer, BUFFER, true, NULL, block);
	make_longer();
	CHECK(f->copy(buffer, BUFFER, true, NULL, block) == size);
	CHECK(parse(f, block, size) == 4 && seen.n == 3 && seen.maps == 1);
	CHECK(seen.s[2].ip == 0x1100 && seen.s[2].time == 520 && seen.s[2].count == 15);
	hdr->hdr_table[0].tab_slots = UINT32_MAX;
	f->copy(buffer, BUFFER, true, NULL, block);
	hdr->hdr_slots = UINT32_MAX;
	f->copy(buffer, BUFFER, true, NULL, block);
	CHECK(parse(f, buffer, BUFFER) == -1);
	CHECK(f->freezes && f->chains && !f->values && !f->clears && !f->masks);
}

static void write_file(void)
{
	struct df_samples samples = { .pid = 42, .tid = 42, .cpu = -1 };
	struct df_end end = { 0 };
	struct data_writer w;

	make_chains();
	CHECK(data_create(&w, path, "chains", 0) == 0);
	data_event(&w, &test_event);
	memcpy(samples.uuid, pmon_format_find("callchain")->uuid, sizeof(samples.uuid));
	samples.bytes = (uint32_t)chain_end;
	data_samples(&w, &samples, buffer);
	CHECK(data_close(&w, &end) == 0);
}

static char *print(const char *by, bool prefer, output_fn *how)
{
	static const struct selection all;
	static struct profile p;
	char error[DATA_ERROR_MAX], *text = NULL;
	size_t size;
	FILE *f;

	memset(&p, 0, sizeof(p));
	p.prefer_chains = prefer;
	CHECK(profile_by(p.by, by) == 0);
	CHECK(profile_read(&p, path, NULL, error) == 0);
	f = open_memstream(&text, &size);
	how(f, &p, &all);
	fclose(f);
	profile_free(&p);
	return text;
}

/* Names as there are no such files: what a function is part of. */
static void test_reports(void)
{
	static const char folded[] =
		"program;[program] 1\n"
		"program;[program];[program] 1\n"
		"program;[program];[program];[kernel];[kernel] 1\n";
	char *text;

	write_file();
	text = print("process,chain", false, profile_folded);
	CHECK_STR(text, folded);
	free(text);
	text = print("symbol", true, profile_folded);
	CHECK_STR(text, folded);
	free(text);
	text = print("process,binary", false, profile_folded);
	CHECK_STR(text, "program;/bin/program 2\nprogram;[kernel] 1\n");
	free(text);
	text = print("process,chain", false, profile_text);
	CHECK(text && strstr(text, "\n percent   samples context-switches  process  chain\n"));
	CHECK(text && strstr(text, " 70  program  [program];[program];[kernel];[kernel]\n"));
	free(text);
	text = print("chain", false, profile_json);
	CHECK(text && strstr(text, "\"chain\": [\"[program]\", \"[program]\"], \"context-switches\": 70}"));
	free(text);
	text = print("chain", false, profile_svg);
	CHECK(text && strstr(text, "<title>[program]: 3 samples, 100.00%</title>"));
	/* The whole and four calls, one on the other. */
	CHECK(text && strstr(text, "height=\"162\""));
	free(text);
}

/* A context that is looked at each 20 ms. */
struct rated {
	struct rate r;
	uint64_t ns, progress, length;	/* of the period that has begun; 0: none has */
};

/* For @ms, while @per_ms events come each millisecond. Returns the samples of it. */
static uint64_t rate_run(struct rated *c, uint64_t per_ms, unsigned int ms,
			 uint64_t frequency)
{
	uint64_t samples = 0, period;
	unsigned int i;

	if (!c->length)
		c->length = c->r.period;
	for (i = 0; i < ms; i++) {
		c->ns += 1000000;
		for (c->progress += per_ms; c->progress >= c->length; samples++) {
			c->progress -= c->length;
			c->r.events += c->length;
			c->length = c->r.period;
		}
		if (i % 20 != 19)
			continue;
		period = c->r.period;
		if (rate_period(&c->r, c->progress, c->ns, 0, frequency) == period ||
		    !rate_waits_long(&c->r, c->length - c->progress))
			continue;
		c->r.events += c->progress;
		c->progress = 0;
		c->length = c->r.period;
	}
	return samples;
}

static bool within(uint64_t n, uint64_t want, unsigned int percent)
{
	return 100 * n >= (100 - percent) * want && 100 * n <= (100 + percent) * want;
}

/*
 * As on a virtual CPU that waits for a real one: for some hundredths of a second a fiftieth
 * of the events of the next ones. It is no reason for several times the samples.
 */
static void test_rate_of_bursts(void)
{
	struct rated c = { .r.period = 1000000 };
	unsigned int random = 1, ms, all = 0;
	bool busy = true;
	uint64_t n = 0;

	while (all < 60000) {
		random = random * 1664525 + 1013904223;
		ms = 1 + (random >> 16) % 100;
		n += rate_run(&c, busy ? 200000 : 4000, ms, 1000);
		busy = !busy;
		all += ms;
	}
	CHECK(within(n, all, 10));
}

/* From first periods that are far too long and far too short. */
static void test_rate(void)
{
	static const uint64_t first[] = { 1, 1000, 1000000, 1ULL << 40 };
	struct rate r, before;
	struct rated c;
	unsigned int k;
	uint64_t n;
	size_t i;

	for (i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		c = (struct rated){ .r.period = first[i] };
		rate_run(&c, 2000000, 200, 1000);
		CHECK(within(c.r.period, 2000000, 5));
		n = rate_run(&c, 2000000, 1000, 1000);
		CHECK(within(n, 1000, 5));
		/* Another phase of the program. */
		rate_run(&c, 50000, 100, 1000);
		n = rate_run(&c, 50000, 1000, 1000);
		CHECK(within(n, 1000, 5));
		/* No event is forgotten. */
		CHECK(c.r.events + c.progress == 1200 * 2000000ULL + 1100 * 50000ULL);
		/* Fast and slow in turn. */
		for (n = 0, k = 0; k < 40; k++) {
			n += rate_run(&c, 80000, 20, 1000);
			n += rate_run(&c, 20000, 20, 1000);
		}
		CHECK(within(n, 1600, 10));
		/* Fewer than there should be samples. */
		rate_run(&c, 0, 100, 5000);
		before = c.r;
		rate_run(&c, 0, 100, 5000);
		CHECK(c.r.period == before.period);
		rate_run(&c, 2, 300, 5000);
		CHECK(c.r.period == 1);
		n = rate_run(&c, 2, 100, 5000);
		CHECK(n == 200);
		/* No faster than this after a quiet time. */
		c.r.period = 1 << 20;
		rate_run(&c, 2, 20, 1000);
		CHECK(c.r.period == 1 << 17);
	}
	test_rate_of_bursts();
	/* Too little to tell. */
	r = (struct rate){ .period = 1000, .events = 15000 };
	CHECK(rate_period(&r, 500, 5000000, 0, 1000) == 1000 && !r.judged_ns);
	CHECK(rate_period(&r, 1500, 90000, 0, 1000) == 1000 && !r.judged_ns);
	CHECK(rate_period(&r, 1500, 5000000, 0, 1000) == 3300 && r.judged_ns == 5000000);
	CHECK(r.judged == 16500);
	/* A sample that was not seen yet, and a clock that is behind. */
	CHECK(rate_period(&r, 0, 50000000, 0, 1000) == 3300 && r.judged_ns == 5000000);
	r.events = 100000;
	CHECK(rate_period(&r, 0, 4000000, 0, 1000) == 3300 && r.judged == 16500);
	/*
	 * The one who looks lost the CPU for 50 ms, between the samples and the time. These
	 * samples seem to come in the next 10 ms, when nothing can be told yet either.
	 */
	r = (struct rate){ .period = 1000000, .events = 100000000 };
	CHECK(rate_period(&r, 0, 150000000, 50000000, 1000) == 1000000 && !r.judged_ns);
	r.events = 160000000;
	CHECK(rate_period(&r, 0, 160000000, 20000, 1000) == 1000000 && r.judged_ns);
	/* A little of what was judged may be unsure; it makes the next judgement wait, too. */
	r.events = 500000000;
	CHECK(within(rate_period(&r, 0, 550000000, 48000000, 1000), 1000000, 15));
	CHECK(r.judged_ns == 550000000);
	r.events = 560000000;
	CHECK(within(rate_period(&r, 0, 560000000, 20000, 1000), 1000000, 15));
	CHECK(r.judged_ns == 550000000);
	r.events = 960000000;
	CHECK(within(rate_period(&r, 0, 960000000, 20000, 1000), 1000000, 15));
	CHECK(r.judged_ns == 960000000);
	/* Sums that no counter can have. */
	r = (struct rate){ .period = 1 };
	CHECK(rate_period(&r, 1ULL << 63, 100000, 0, 1) == 1ULL << 46);

	r.period = 1000;
	CHECK(!rate_waits_long(&r, 8007));
	CHECK(rate_waits_long(&r, 8008));
	CHECK(rate_mask(0xffff, 1000) == 0xff);
	CHECK(rate_mask(0xffff, 1024) == 0x1ff);
	CHECK(rate_mask(0xf0, 1000000) == 0xf0);
	CHECK(rate_mask(~0ULL, 1) == 0);

	CHECK(rate_random(15, 1) == 0);
	CHECK(rate_random(16, 1) == 14);
	CHECK(rate_random(101, 1) == 124);
	CHECK(rate_random(1000003, 1) == 0xffffc);
	CHECK(rate_random(10000, 10000) == 0);
	CHECK(rate_random(10001, 10000) == 0);
	CHECK(rate_random(10002, 10000) == 2);
	CHECK(rate_random(20000, 10000) == 0x3ffe);
	/* Never shorter than that, nor a counter's width. */
	for (i = 0; i < 47; i++) {
		uint64_t period = (1ULL << i) + i, mask = rate_random(period, 9);

		CHECK(!mask || period + mask / 2 - mask >= 9);
		CHECK(period < 32 || (mask >= period / 4 * 3 && mask / 3 <= period / 2));
	}
}

/* The mean of all numbers within a mask, in halves. */
static uint64_t mean_of(uint64_t mask)
{
	uint64_t sum = 0, n = 0, part = mask;

	do {
		sum += part;
		n++;
		part = (part - 1) & mask;
	} while (part != mask);
	return 2 * sum / n;
}

/* Periods that are random: what they are on average, by all that there can be. */
static void test_random_mean(void)
{
	unsigned int period, wrong = 0, even = 0, given = 0;
	struct pmon_sample s = { .count = 4 };
	struct sampled_event e = { .period = 40 };

	for (period = 2; period < 600; period++) {
		uint64_t mask = rate_random_followed(period), base = period + mask / 2;

		wrong += 2 * base - mean_of(mask) != 2 * period;
		even += !mask || !(base & 1 && (mask & 1) == 0) || base <= mask;
	}
	CHECK(!wrong);
	CHECK(!even);
	/* Any mask, with -R: what four samples of a place stand for. */
	for (e.random_mask = 0; e.random_mask < 40; e.random_mask++)
		given += 2 * sampled_events(&e, &s) != 4 * (2 * e.period - mean_of(e.random_mask));
	CHECK(!given);
}

/*
 * The samples of a loop of ten events, six, three and one of them in a function each, by
 * periods of a few events as -F finds them: within two points of a hundred.
 */
static void test_random_few(void)
{
	static const unsigned int truth[] = { 60, 30, 10 };
	uint64_t period, at = 0;
	unsigned int i, random = 1, wrong = 0;

	for (period = 2; period < 40; period++) {
		uint64_t mask = rate_random_followed(period);
		unsigned int n[3] = { 0 };

		for (i = 0; i < 100000; i++) {
			random = random * 1103515245 + 12345;
			at += period + mask / 2 - (random >> 16 & mask);
			n[at % 10 < 6 ? 0 : at % 10 < 9 ? 1 : 2]++;
		}
		for (i = 0; i < 3; i++)
			wrong += n[i] < (truth[i] - 2) * 1000 || n[i] > (truth[i] + 2) * 1000;
	}
	CHECK(!wrong);
	CHECK(rate_random_followed(1) == 0);
}

int main(void)
{
	test_rate();
	test_random_few();
	test_random_mean();
	make_file();
	test_double();
	test_double_news();
	test_double_runs();
	test_aggregate();
	test_callchain();
	test_callchain_news();
	test_calldouble();
	test_calldouble_news();
	test_callaggregate();
	test_reports();
	return check_done();
}
