// SPDX-License-Identifier: GPL-2.0-only
/* Buffers of the formats double, aggregate and callchain, whole and damaged. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>

#include <perfmon/aggregate_smpl.h>
#include <perfmon/callchain_smpl.h>
#include <perfmon/double_smpl.h>

#include "check.h"
#include "unit.h"
#include "../data_write.h"
#include "../output.h"
#include "../profile.h"

#define BUFFER	4096
#define KERNEL_IP	(1ULL << 63 | 0x1000)

typedef void output_fn(FILE *out, const struct profile *p,
		       const struct selection *sel);

static unsigned char buffer[BUFFER] __attribute__((aligned(8)));
static unsigned char block[BUFFER] __attribute__((aligned(8)));

static struct {
	unsigned int n, maps;
	struct sample s[8];
	uint64_t value[8], call[8][4];
	struct smpl_map map[4];
	char path[4][32];
} seen;

static void see(void *arg, const struct sample *s)
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

static void see_map(void *arg, const struct smpl_map *map)
{
	(void)arg;
	if (seen.maps < 4) {
		seen.map[seen.maps] = *map;
		snprintf(seen.path[seen.maps], sizeof(seen.path[0]), "%s",
			 map->path ? map->path : map->comm);
	}
	seen.maps++;
}

/* The event has two readings, samples of callchain say how many they have. */
static long parse(const struct smpl_format *format, const void *buf, size_t size)
{
	static const struct smpl_origin origin = { 7, 8, 9 };
	static const struct smpl_sink sink = { .sample = see, .map = see_map };
	struct smpl_layout layout;

	memset(&seen, 0, sizeof(seen));
	smpl_layout_init(&layout);
	smpl_layout_add(&layout, &test_event);
	return format->parse(buf, size, &layout, &origin, &sink);
}

/* Each byte set to something else: nothing outside of the block is touched. */
static void damage(const struct smpl_format *format, const void *whole, size_t size)
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
	const struct smpl_format *f = &smpl_double;
	struct smpl_state state;
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
}

/*
 * The processes of new samples are looked at every 20 ms while a buffer fills: what
 * that copies is each sample once, and a header each time that there are some.
 */
static size_t look(const struct smpl_format *f, struct smpl_seen *seen_so_far, long news)
{
	size_t size = f->copy(buffer, BUFFER, true, seen_so_far, block);

	CHECK(size ? parse(f, block, size) == news : !news);
	return size;
}

static void test_double_news(void)
{
	pfm_double_smpl_hdr_t *hdr = double_init();
	const struct smpl_format *f = &smpl_double;
	struct smpl_seen so_far = { 0 };
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
	const struct smpl_format *f = &smpl_aggregate;
	pfm_aggregate_smpl_arg_t arg = { 0 };
	struct smpl_seen so_far = { 0 };
	struct smpl_state state;
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
	strcpy((char *)(map + 1), "/bin/program");
	chain_sample(KERNEL_IP, 2, 2, calls);
	chain_sample(0x1100, 0, 2, calls + 2);
	chain_add(999, 24);		/* of a later version */
	chain_sample(0x1300, 0, 0, NULL);
}

static void test_callchain(void)
{
	const struct smpl_format *f = &smpl_callchain;
	pfm_callchain_smpl_hdr_t *hdr = (void *)buffer;
	struct smpl_state state;
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
	CHECK(seen.map[1].offset == 0x3000 && seen.map[1].time == 310);
	CHECK_STR(seen.path[1], "/bin/program");
	CHECK(seen.s[0].kernel == 2 && seen.s[0].user == 2 && seen.value[0] == 70);
	CHECK(seen.call[0][0] == KERNEL_IP && seen.call[0][3] == 0x1200);
	CHECK(seen.s[0].period == 1000 && seen.s[0].time == 500);
	CHECK(seen.s[2].ip == 0x1300 && !seen.s[2].kernel && !seen.s[2].user);
	damage(f, block, size);
	hdr->hdr_count++;
	CHECK(parse(f, buffer, BUFFER) == -1 && seen.n == 3);
	hdr->hdr_cur_offs = UINT64_MAX;
	CHECK(f->copy(buffer, BUFFER, true, NULL, block) == BUFFER);
	CHECK(f->masks && f->chains && f->values && !f->clears);
	CHECK(smpl_find("callchain") == f && smpl_find_uuid(f->uuid) == f);
}

static void test_callchain_news(void)
{
	pfm_callchain_smpl_hdr_t *hdr = (void *)buffer;
	const struct smpl_format *f = &smpl_callchain;
	struct smpl_seen so_far = { 0 };
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

static void write_file(void)
{
	struct df_samples samples = { .pid = 42, .tid = 42, .cpu = -1 };
	struct df_end end = { 0 };
	struct data_writer w;

	make_chains();
	CHECK(data_create(&w, path, "chains") == 0);
	data_event(&w, &test_event);
	memcpy(samples.uuid, smpl_callchain.uuid, sizeof(samples.uuid));
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
	text = print("process,chain", false, output_folded);
	CHECK_STR(text, folded);
	free(text);
	text = print("symbol", true, output_folded);
	CHECK_STR(text, folded);
	free(text);
	text = print("process,binary", false, output_folded);
	CHECK_STR(text, "program;/bin/program 2\nprogram;[kernel] 1\n");
	free(text);
	text = print("process,chain", false, output_text);
	CHECK(text && strstr(text, "\n percent   samples context-switches  process  chain\n"));
	CHECK(text && strstr(text, " 70  program  [program];[program];[kernel];[kernel]\n"));
	free(text);
	text = print("chain", false, output_json);
	CHECK(text && strstr(text, "\"chain\": [\"[program]\", \"[program]\"], \"context-switches\": 70}"));
	free(text);
	text = print("chain", false, output_svg);
	CHECK(text && strstr(text, "<title>[program]: 3 samples, 100.00%</title>"));
	/* The whole and four calls, one on the other. */
	CHECK(text && strstr(text, "height=\"162\""));
	free(text);
}

int main(void)
{
	make_file();
	test_double();
	test_double_news();
	test_aggregate();
	test_callchain();
	test_callchain_news();
	test_reports();
	return check_done();
}
