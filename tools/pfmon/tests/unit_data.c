// SPDX-License-Identifier: GPL-2.0-only
/* Sampling buffers and the data file of pfmon record, whole and damaged. */
#define _GNU_SOURCE
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perfmon/default_smpl.h>

#include "check.h"
#include "unit.h"
#include "../data_read.h"
#include "../data_write.h"
#include "../profile_out.h"
#include "../profile.h"
#include "../symtab.h"
#include "../visit.h"

/*
 * Buffers of the default format
 */

#define BUFFER	4096

static struct {
	pfm_default_smpl_hdr_t hdr;
	unsigned char data[BUFFER];
} buffer __attribute__((aligned(8)));

static void buffer_init(uint32_t flags)
{
	memset(&buffer, 0, sizeof(buffer));
	buffer.hdr.hdr_cur_offs = sizeof(buffer.hdr);
	buffer.hdr.hdr_buf_size = sizeof(buffer);
	buffer.hdr.hdr_version = PFM_DEFAULT_SMPL_VERSION;
	buffer.hdr.hdr_flags = flags;
}

static void buffer_put(const void *data, size_t size)
{
	memcpy((char *)&buffer + buffer.hdr.hdr_cur_offs, data, size);
	buffer.hdr.hdr_cur_offs += size;
}

static uint16_t sample_set = 2;

static void buffer_add(uint64_t ip, uint16_t pmd, uint64_t value, unsigned int n)
{
	pfm_default_smpl_entry_t entry = {
		.pid = 42, .tid = 43, .ovfl_pmd = pmd, .set = sample_set, .cpu = 1,
		.last_reset_val = -(uint64_t)1000, .tstamp = 5000 + ip, .ip = ip,
	};

	if (!(buffer.hdr.hdr_flags & 3))
		buffer_put(&entry, sizeof(entry));
	else if (buffer.hdr.hdr_flags & PFM_DFL_SMPL_IIP_HDR)
		buffer_put(&ip, sizeof(ip));
	for (; n; n--, value++)
		buffer_put(&value, sizeof(value));
	buffer.hdr.hdr_count++;
}

static struct {
	unsigned int n;
	struct pmon_sample s[8];
	uint64_t value[8][2];
} seen;

static void see(void *arg, const struct pmon_sample *s)
{
	unsigned int i;

	(void)arg;
	if (seen.n < 8) {
		seen.s[seen.n] = *s;
		for (i = 0; i < s->values && i < 2; i++)
			seen.value[seen.n][i] = s->value[i];
	}
	seen.n++;
}

static const struct sampled_event other_event = {
	.name = "minor-faults", .pmd = 289, .period = 10,
};

static long parse(size_t size)
{
	static const struct pmon_origin origin = { 7, 8, 9 };
	static const struct smpl_sink sink = { .sample = see };
	struct pmon_layout layout;

	seen.n = 0;
	pmon_layout_init(&layout);
	smpl_layout_add(&layout, &test_event);
	smpl_layout_add(&layout, &other_event);
	return smpl_parse(pmon_format_find("default"), &buffer, size, &layout, &origin,
			  &sink);
}

static void test_parse(void)
{
	buffer_init(0);
	CHECK(parse(sizeof(buffer)) == 0);
	buffer_add(0x100, 288, 70, 2);
	buffer_add(0x200, 289, 0, 0);	/* samples of another size */
	buffer_add(0x300, 288, 80, 2);
	CHECK(parse(sizeof(buffer)) == 3 && seen.n == 3);
	CHECK(seen.s[0].pid == 42 && seen.s[0].tid == 43 && seen.s[0].cpu == 1);
	CHECK(seen.s[0].pmd == 288 && seen.s[0].set == 2 && seen.s[0].ip == 0x100);
	CHECK(seen.s[0].period == 1000 && seen.s[0].time == 5000 + 0x100);
	CHECK(seen.s[0].count == 1 && seen.s[0].values == 2);
	CHECK(seen.value[0][0] == 70 && seen.value[0][1] == 71);
	CHECK(seen.s[1].pmd == 289 && seen.s[1].values == 0);
	CHECK(seen.s[2].ip == 0x300 && seen.value[2][1] == 81);
	/* No more of the buffer than is used is needed. */
	CHECK(parse((size_t)buffer.hdr.hdr_cur_offs) == 3);

	/* What a sample does not have is the context's, or the only event's. */
	buffer_init(PFM_DFL_SMPL_IIP_HDR);
	buffer_add(0x100, 288, 70, 2);
	buffer_add(0x200, 288, 80, 2);
	CHECK(parse(sizeof(buffer)) == 2 && seen.s[1].ip == 0x200);
	CHECK(seen.s[1].pid == 7 && seen.s[1].tid == 8 && seen.s[1].cpu == 9);
	CHECK(seen.s[1].pmd == 288 && !seen.s[1].period && !seen.s[1].time);
	CHECK(seen.value[1][0] == 80 && seen.value[1][1] == 81);

	buffer_init(PFM_DFL_SMPL_NO_HDR);
	buffer_add(0x100, 288, 70, 2);
	buffer_add(0x200, 288, 80, 2);
	CHECK(parse(sizeof(buffer)) == 2 && !seen.s[1].ip);
	CHECK(seen.value[1][0] == 80 && seen.s[1].pid == 7);
}

static void test_parse_damaged(void)
{
	buffer_init(0);
	buffer_add(0x100, 288, 70, 2);
	buffer_add(0x200, 288, 80, 2);
	CHECK(parse(sizeof(buffer.hdr) - 1) == -1 && parse(0) == -1);
	CHECK(parse((size_t)buffer.hdr.hdr_cur_offs - 1) == -1);
	buffer.hdr.hdr_count = 3;	/* and is told of those that are there */
	CHECK(parse(sizeof(buffer)) == -1 && seen.n == 2);
	buffer.hdr.hdr_count = UINT64_MAX;
	CHECK(parse(sizeof(buffer)) == -1 && seen.n == 2);
	buffer.hdr.hdr_count = 2;
	buffer.hdr.hdr_cur_offs -= 8;
	CHECK(parse(sizeof(buffer)) == -1 && seen.n == 1);
	buffer.hdr.hdr_cur_offs = 8;
	CHECK(parse(sizeof(buffer)) == -1 && seen.n == 0);
	buffer.hdr.hdr_cur_offs = UINT64_MAX;
	CHECK(parse(sizeof(buffer)) == -1);

	buffer_init(0);
	buffer_add(0x100, 290, 0, 0);	/* a counter that is not sampled */
	CHECK(parse(sizeof(buffer)) == -1);
	buffer_init(0);
	buffer_add(0x100, 9999, 0, 0);
	CHECK(parse(sizeof(buffer)) == -1);
	buffer_init(4);			/* a flag of the future */
	CHECK(parse(sizeof(buffer)) == -1);
	buffer_init(0);
	buffer.hdr.hdr_version = 0x00020000;
	CHECK(parse(sizeof(buffer)) == -1);
	buffer.hdr.hdr_version = 0x00010007;
	CHECK(parse(sizeof(buffer)) == 0);
}

static void test_state(void)
{
	static unsigned char block[sizeof(buffer)] __attribute__((aligned(8)));
	const struct pmon_format *f = pmon_format_find("default");
	struct pmon_seen seen_so_far = { 0 };
	struct pmon_state state;

	buffer_init(0);
	buffer_add(0x100, 288, 70, 2);
	buffer.hdr.hdr_overflows = 5;
	f->state(&buffer, sizeof(buffer), &state);
	CHECK(state.samples == 1 && state.full == 5 && !state.lost);
	CHECK(f->copy(&buffer, sizeof(buffer), false, NULL, block) ==
	      sizeof(buffer.hdr) + 40 + 16);
	CHECK(!memcmp(block, &buffer, sizeof(buffer.hdr) + 40 + 16));
	buffer.hdr.hdr_cur_offs = UINT64_MAX;
	CHECK(f->copy(&buffer, sizeof(buffer), true, NULL, block) ==
	      sizeof(buffer));
	buffer.hdr.hdr_cur_offs = 0;
	CHECK(f->copy(&buffer, sizeof(buffer), true, NULL, block) == 0);
	buffer_init(0);
	CHECK(f->copy(&buffer, sizeof(buffer), true, NULL, block) == 0);
	buffer_add(0x100, 288, 70, 2);
	CHECK(f->copy(&buffer, sizeof(buffer), true, &seen_so_far, block) ==
	      sizeof(buffer.hdr) + 40 + 16);
	CHECK(f->copy(&buffer, sizeof(buffer), true, &seen_so_far, block) == 0);
	buffer_add(0x200, 288, 71, 2);
	CHECK(f->copy(&buffer, sizeof(buffer), true, &seen_so_far, block) ==
	      sizeof(buffer.hdr) + 40 + 16);
	CHECK(((pfm_default_smpl_hdr_t *)block)->hdr_count == 1);
	CHECK(!memcmp(block + sizeof(buffer.hdr), (char *)&buffer + sizeof(buffer.hdr) + 56, 56));
	CHECK(f->min_size(13) == 40 + 40 + 13 * 8);
	CHECK(pmon_format_find("default") == f && !pmon_format_find("defaul"));
	CHECK(pmon_format_find_uuid(f->uuid) == f);
	CHECK(!pmon_format_find_uuid((const unsigned char *)"0123456789abcdef"));
}

/*
 * The data file
 */

static void write_samples(struct data_writer *w)
{
	struct df_samples samples = { .pid = 42, .tid = 43, .cpu = -1 };

	memcpy(samples.uuid, pmon_format_find("default")->uuid, sizeof(samples.uuid));
	samples.bytes = (uint32_t)buffer.hdr.hdr_cur_offs;
	data_samples(w, &samples, &buffer);
}

static void write_event(struct data_writer *w, const struct sampled_event *event,
			unsigned int set)
{
	struct sampled_event e = *event;

	e.set = set;
	data_event(w, &e);
}

/* A small recording: a process, a library, two blocks with five samples. */
/* What says which file, which module, and which made code is where. */
static void write_names(struct data_writer *w)
{
	struct df_segment segments[2] = { { 0x500, 0x1000, 0x1500 }, { 0x2000, 0x10, 0x3000 } };
	struct df_binary binary = { .number = 1, .id_size = 20, .size = 4711, .mtime = -1,
				    .id = "build" };
	struct df_module module = { .start = 0x4000, .size = 0x1000, .instance = 5,
				    .id_size = 4, .id = "mod" };
	struct df_inode inode = { 8, 1, 77 };
	struct df_jit jit = { .pid = 42, .time = 60 };

	data_binary(w, &binary, "/no/such/library", segments, 2);
	data_inode(w, &inode);
	data_module(w, &module, "module");
	data_jit(w, &jit, "1000 10 made\n");
}

static struct data_packer *packer;	/* NULL: files are not compressed */

static void write_file(void)
{
	struct df_map map = { 42, 1, 100, 0x1000, 0x2000, 0x500 };
	struct df_lost lost = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct df_end end = { .elapsed_ns = 123456, .samples = 5, .status = 3 };
	struct data_writer w;

	CHECK(data_create_packed(&w, path, "'prog -x'", 0, packer) == 0);
	write_event(&w, &test_event, 2);
	write_event(&w, &other_event, 2);
	data_flush(&w);
	data_process(&w, 42, 41, 50, "prog", "/bin/prog");
	write_names(&w);
	data_map(&w, &map, "/no/such/library");
	buffer_init(0);
	buffer_add(0x1100, 288, 70, 2);
	buffer_add(0x1100, 288, 80, 2);
	buffer_add(0x1200, 289, 0, 0);
	write_samples(&w);
	data_lost(&w, &lost);
	data_flush(&w);
	data_lost(&w, &lost);
	buffer_init(0);
	buffer_add(0x1100, 288, 90, 2);
	buffer_add(0x9000, 288, 1, 2);
	write_samples(&w);
	CHECK(data_close(&w, &end) == 0);
	CHECK(w.bytes % 8 == 0);
}

/* What a recording says, and the size of what is left, if pfmon fails in its midst. */
static long fail_after(bool samples, char *said, size_t size)
{
	char dir[] = "/tmp/pfmon-unit-XXXXXX", name[64], *left;
	struct data_writer w;
	int out[2], status;
	struct stat st;
	ssize_t n;
	pid_t pid;

	CHECK(mkdtemp(dir) && pipe(out) == 0);
	snprintf(name, sizeof(name), "%s/data", dir);
	pid = fork();
	if (!pid) {
		dup2(out[1], STDERR_FILENO);
		if (data_create(&w, name, "fails", 0))
			_exit(1);
		data_event(&w, &test_event);
		buffer_init(0);
		buffer_add(0x1100, 288, 70, 2);
		if (samples)
			write_samples(&w);
		errx(125, "out of luck");
	}
	close(out[1]);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	CHECK(WEXITSTATUS(status) == 125);
	n = read(out[0], said, size - 1);
	close(out[0]);
	said[n < 0 ? 0 : n] = '\0';
	CHECK(access(name, F_OK) == -1);
	left = strstr(said, dir);
	st.st_size = -1;
	if (left) {
		left[strcspn(left, "\n")] = '\0';
		CHECK(stat(left, &st) == 0);
		unlink(left);
	}
	CHECK(rmdir(dir) == 0);
	return (long)st.st_size;
}

/* Samples that were written are not lost, and somebody is told of them. */
static void test_failure(void)
{
	char said[512];

	CHECK(fail_after(false, said, sizeof(said)) == -1);
	CHECK(strstr(said, "out of luck\n") && !strstr(said, "recorded"));
	CHECK(fail_after(true, said, sizeof(said)) > (long)sizeof(struct df_header));
	CHECK(strstr(said, "out of luck\n"));
	CHECK(strstr(said, "what was written so far is in /tmp/pfmon-unit-"));
}

static void expect_names(struct data_reader *r)
{
	struct data_binary binary;
	struct data_module module;
	struct df_inode inode;
	struct data_jit jit;

	CHECK(data_next(r) == DATA_RECORD && r->head.type == DF_BINARY);
	CHECK(data_get_binary(r, &binary) && binary.binary->number == 1);
	CHECK(binary.binary->size == 4711 && binary.binary->mtime == -1);
	CHECK(binary.binary->id_size == 20 && !strcmp((char *)binary.binary->id, "build"));
	CHECK_STR(binary.path, "/no/such/library");
	CHECK(binary.segments == 2 && binary.segment[0].offset == 0x500);
	CHECK(binary.segment[1].size == 0x10 && binary.segment[1].addr == 0x3000);
	CHECK(data_next(r) == DATA_RECORD && r->head.type == DF_INODE);
	CHECK(data_get_inode(r, &inode) && inode.major == 8 && inode.minor == 1);
	CHECK(inode.inode == 77);
	CHECK(data_next(r) == DATA_RECORD && r->head.type == DF_MODULE);
	CHECK(data_get_module(r, &module) && module.module->start == 0x4000);
	CHECK(module.module->size == 0x1000 && module.module->instance == 5);
	CHECK(module.module->id_size == 4 && !strcmp((char *)module.module->id, "mod"));
	CHECK_STR(module.name, "module");
	CHECK(data_next(r) == DATA_RECORD && r->head.type == DF_JIT);
	CHECK(data_get_jit(r, &jit) && jit.jit->pid == 42 && jit.jit->time == 60);
	CHECK_STR(jit.text, "1000 10 made\n");
}

static void test_round_trip(void)
{
	static struct sampled_event event;
	struct data_process process;
	struct data_samples samples;
	char error[DATA_ERROR_MAX];
	struct data_reader r;
	struct data_map map;
	struct df_lost lost;
	struct df_end end;

	write_file();
	CHECK(data_open(&r, path, error) == 0);
	CHECK_STR(r.header.title, "'prog -x'");
	CHECK(r.header.realtime > r.header.monotonic);

	CHECK(data_next(&r) == DATA_RECORD && r.head.type == DF_EVENT);
	CHECK(data_get_event(&r, &event));
	CHECK_STR(event.name, "task-clock");
	CHECK(event.pmd == 288 && event.unit == UNIT_NS && event.period == 1000);
	CHECK(event.random_mask == 0xff && event.readings == 2 && event.set == 2);
	CHECK_STR(event.reading[0].name, "context-switches");
	CHECK(event.reading[0].pmd == 290 && event.reading[0].since_last);
	CHECK_STR(event.reading[1].name, "CLOCK");
	CHECK(event.reading[1].pmd == 304 && !event.reading[1].since_last);

	CHECK(data_next(&r) == DATA_RECORD && data_get_event(&r, &event));
	CHECK_STR(event.name, "minor-faults");
	CHECK(event.unit == UNIT_COUNT && event.readings == 0);

	CHECK(data_next(&r) == DATA_RECORD && r.head.type == DF_PROCESS);
	CHECK(data_get_process(&r, &process) && process.process->pid == 42);
	CHECK(process.process->time == 50);
	CHECK_STR(process.comm, "prog");
	CHECK_STR(process.command, "/bin/prog");

	expect_names(&r);
	CHECK(data_next(&r) == DATA_RECORD && r.head.type == DF_MAP);
	CHECK(data_get_map(&r, &map) && map.map->start == 0x1000);
	CHECK(map.map->end == 0x2000 && map.map->offset == 0x500);
	CHECK_STR(map.path, "/no/such/library");

	CHECK(data_next(&r) == DATA_RECORD && r.head.type == DF_SAMPLES);
	CHECK(data_get_samples(&r, &samples) && samples.samples->tid == 43);
	CHECK(samples.samples->bytes == 40 + 2 * 56 + 40);
	CHECK(data_next(&r) == DATA_RECORD && r.head.type == DF_LOST);
	CHECK(data_get_lost(&r, &lost) && lost.samples == 1 && lost.threads == 7 && lost.maps == 8);
	CHECK(data_next(&r) == DATA_RECORD && data_next(&r) == DATA_RECORD);
	CHECK(data_next(&r) == DATA_RECORD && r.head.type == DF_END);
	CHECK(data_get_end(&r, &end) && end.elapsed_ns == 123456);
	CHECK(end.status == 3 && end.samples == 5);
	CHECK(data_next(&r) == DATA_END && data_next(&r) == DATA_END);

	/* A second time from the begin. */
	CHECK(data_rewind(&r) == 0 && data_next(&r) == DATA_RECORD);
	CHECK(r.head.type == DF_EVENT);
	data_done(&r);
}

/* Reads the file; the profile is to be freed unless it fails. */
static int read_profile(struct profile *p, const char *by, const char *event,
			char error[DATA_ERROR_MAX])
{
	memset(p, 0, sizeof(*p));
	CHECK(profile_by(p->by, by) == 0);
	return profile_read(p, path, event, error);
}

static void test_profile(void)
{
	char error[DATA_ERROR_MAX];
	static struct profile p;

	write_file();
	CHECK(read_profile(&p, "process,address", NULL, error) == 0);
	CHECK(p.complete && p.events == 2 && p.chosen == 0);
	/* The library is not there. */
	CHECK(p.notes == 1);
	CHECK(p.samples == 4 && p.rows == 2);
	CHECK(p.row[0]->count == 3 && p.row[1]->count == 1);
	CHECK_STR(p.row[0]->frame[0], "prog");
	/* As the library has it: it was recorded where its code is. */
	CHECK_STR(p.row[0]->frame[1], "0x1600");
	CHECK_STR(p.row[1]->frame[1], "0x9000");
	/* Counted since the last sample: added up. A register: not. */
	CHECK(p.row[0]->sum[0] == 70 + 80 + 90 && p.row[0]->sum[1] == 0);
	CHECK(p.lost.samples == 2 && p.lost.estimated == 4 && p.lost.full == 6);
	CHECK(p.lost.masked_ns == 8 && p.lost.messages == 10 && p.lost.throttled == 12);
	CHECK(p.lost.threads == 14 && p.lost.maps == 16);
	CHECK(p.end.elapsed_ns == 123456);
	profile_free(&p);

	CHECK(read_profile(&p, "binary", NULL, error) == 0);
	CHECK(p.rows == 2);
	CHECK_STR(p.row[0]->frame[0], "/no/such/library");
	CHECK_STR(p.row[1]->frame[0], "[unknown]");
	profile_free(&p);

	CHECK(read_profile(&p, "symbol", "minor-faults", error) == 0);
	CHECK(p.chosen == 1 && p.samples == 1 && p.rows == 1);
	profile_free(&p);

	CHECK(read_profile(&p, "symbol", "cs", error) == -1);
	CHECK(strstr(error, "has no event 'cs'; there are task-clock, minor-faults"));
	profile_free(&p);
}

/* One event in the sets 1 and 2, another of its register in the sets 0 and 3. */
static void test_turns(void)
{
	static const struct df_turns turns[] = {
		{ 0, 0, 1000, 1 }, { 1, 0, 2000, 1 }, { 2, 0, 1000, 1 }, { 3, 0, 4000, 1 },
	};
	static struct df_end end;
	char error[DATA_ERROR_MAX];
	static struct profile p;
	struct sampled_event e = test_event;
	struct data_writer w;
	unsigned int i;

	CHECK(data_create(&w, path, "sets", 0) == 0);
	strcpy(e.name, "migrations");
	write_event(&w, &e, 0);
	write_event(&w, &test_event, 1);
	write_event(&w, &test_event, 2);
	write_event(&w, &e, 3);
	for (sample_set = 0; sample_set < 4; sample_set++) {
		buffer_init(0);
		for (i = 0; i <= sample_set; i++)
			buffer_add(0x1100, 288, 1, 2);
		write_samples(&w);
	}
	sample_set = 2;
	for (i = 0; i < 4; i++)
		data_turns(&w, &turns[i]);
	CHECK(data_close(&w, &end) == 0);

	CHECK(read_profile(&p, "process", NULL, error) == 0);
	CHECK(p.events == 3 && p.samples == 1 + 4 && p.active_ns == 5000 && p.all_ns == 8000);
	CHECK_STR(p.note[0], "the events took turns: this one was sampled 62.5% of the time");
	profile_free(&p);
	CHECK(read_profile(&p, "process", "task-clock", error) == 0);
	CHECK(p.samples == 2 + 3 && p.active_ns == 3000 && p.row[0]->sum[0] == 5);
	CHECK_STR(p.note[0], "the events took turns: this one was sampled 37.5% of the time");
	profile_free(&p);
}

/* Such a file that does not say for how long; and a sample of a set that no event is in. */
static void test_turns_unknown(void)
{
	static struct df_end end;
	char error[DATA_ERROR_MAX];
	static struct profile p;
	struct sampled_event e = test_event;
	struct data_writer w;

	CHECK(data_create(&w, path, "sets", 0) == 0);
	strcpy(e.name, "migrations");
	write_event(&w, &e, 0);
	write_event(&w, &test_event, 1);
	for (sample_set = 0; sample_set < 3; sample_set++) {
		buffer_init(0);
		buffer_add(0x1100, 288, 1, 2);
		write_samples(&w);
	}
	sample_set = 2;
	CHECK(data_close(&w, &end) == 0);
	CHECK(read_profile(&p, "process", NULL, error) == 0);
	CHECK(p.samples == 1 && p.share_unknown && p.notes == 2);
	CHECK_STR(p.note[0], "the events took turns: for how much of the time this one was sampled is not known");
	CHECK_STR(p.note[1], "samples of no event that the file names: 1");
	profile_free(&p);
}

/* A block that cannot be read is missing, and that is said by all. */
static void test_damaged_block(void)
{
	static const struct selection all;
	char error[DATA_ERROR_MAX], *json = NULL, *text = NULL;
	static struct df_end end;
	static struct profile p;
	struct data_writer w;
	unsigned int i;
	size_t size;
	FILE *f;

	CHECK(data_create(&w, path, "two blocks", 0) == 0);
	write_event(&w, &test_event, 0);
	write_event(&w, &test_event, 2);
	for (i = 0; i < 2; i++) {
		buffer_init(0);
		buffer_add(0x1100, 288, 1, 2);
		if (!i)
			buffer.hdr.hdr_version = ~0U;
		write_samples(&w);
	}
	CHECK(data_close(&w, &end) == 0);
	CHECK(read_profile(&p, "process", NULL, error) == 0);
	CHECK(p.samples == 1 && !p.complete && p.notes == 1);
	f = open_memstream(&json, &size);
	profile_json(f, &p, &all);
	fclose(f);
	CHECK(strstr(json, "\"complete\": false"));
	CHECK(strstr(json, "\"notes\": [\"1 blocks of samples are damaged"));
	f = open_memstream(&text, &size);
	profile_text(f, &p, &all);
	fclose(f);
	CHECK(strstr(text, "1 blocks of samples are damaged"));
	free(json);
	free(text);
	profile_free(&p);
}

static void test_by(void)
{
	bool by[DIMENSIONS];

	CHECK(profile_by(by, "symbol") == 0 && by[BY_SYMBOL] && !by[BY_PROCESS]);
	CHECK(profile_by(by, "address,process") == 0 && by[BY_ADDRESS] &&
	      by[BY_PROCESS] && !by[BY_SYMBOL] && !by[BY_BINARY]);
	/* perf's words. */
	CHECK(profile_by(by, "comm,dso") == 0 && by[BY_PROCESS] && by[BY_BINARY] && !by[BY_SYMBOL]);
	CHECK(profile_by(by, "sym,tid") == 0 && by[BY_SYMBOL] && by[BY_THREAD] && !by[BY_PROCESS]);
	CHECK(profile_by(by, "") == -1 && profile_by(by, "symbol,") == -1);
	CHECK(profile_by(by, "symbols") == -1 && profile_by(by, "symb") == -1 && profile_by(by, "sy") == -1);
}

/*
 * Damages. What matters is that nothing else is read, or written, than what is
 * there: run this with a sanitizer, too.
 */

static unsigned char *file_bytes;
static size_t file_size;

static void load_file(void)
{
	FILE *f = fopen(path, "r");

	file_bytes = malloc(65536);
	file_size = fread(file_bytes, 1, 65536, f);
	fclose(f);
}

static unsigned int not_said;	/* what was wrong, or nothing was printed */

/* Returns whether the file could be read at all; prints it if so. */
static bool survives(struct profile *p)
{
	static const struct selection all;
	char error[DATA_ERROR_MAX] = "", *text = NULL;
	size_t size;
	FILE *f;

	memset(p, 0, sizeof(*p));
	profile_by(p->by, "process,binary,symbol,address");
	if (profile_read(p, path, NULL, error)) {
		not_said += !*error || strchr(error, '\n');
		profile_free(p);
		return false;
	}
	f = open_memstream(&text, &size);
	profile_text(f, p, &all);
	profile_json(f, p, &all);
	profile_svg(f, p, &all);
	fclose(f);
	not_said += !text || !*text;
	free(text);
	return true;
}

static void test_truncated(void)
{
	static struct profile p;
	size_t n, readable = 0, wrong = 0;

	write_file();
	load_file();
	for (n = 0; n < file_size; n++) {
		save_file(file_bytes, n);
		if (!survives(&p))
			continue;
		readable++;
		wrong += p.complete || !p.notes || p.samples > 4 ||
			 !strstr(p.note[0], "the file is truncated after ");
		profile_free(&p);
	}
	CHECK(readable > file_size / 2 && !wrong && !not_said);
	save_file(file_bytes, file_size);
	CHECK(survives(&p) && p.complete);
	profile_free(&p);
	free(file_bytes);
}

/* Each byte, set to something else. */
static void test_damaged(void)
{
	static const unsigned char wrong[] = { 0x00, 0x01, 0x7f, 0xff };
	static struct profile p;
	unsigned char *bytes;
	size_t n, w;

	write_file();
	load_file();
	bytes = malloc(file_size);
	for (n = 0; n < file_size; n++) {
		for (w = 0; w < sizeof(wrong); w++) {
			memcpy(bytes, file_bytes, file_size);
			bytes[n] = wrong[w];
			save_file(bytes, file_size);
			if (survives(&p))
				profile_free(&p);
		}
	}
	CHECK(!not_said);
	free(bytes);
	free(file_bytes);
}

/* The number of a process that has ended. */
static int32_t dead_pid(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	CHECK(pid > 0 && waitpid(pid, NULL, 0) == pid);
	return (int32_t)pid;
}

/* How many of the processes the file has, as digits. */
static int count_processes(const int32_t pid[3])
{
	char error[DATA_ERROR_MAX];
	struct data_process p;
	struct data_reader r;
	int n[3] = { 0 }, i;

	CHECK(data_open(&r, path, error) == 0);
	while (data_next(&r) == DATA_RECORD)
		for (i = 0; r.head.type == DF_PROCESS && i < 3; i++)
			n[i] += data_get_process(&r, &p) && p.process->pid == pid[i];
	data_done(&r);
	return 100 * n[0] + 10 * n[1] + n[2];
}

/*
 * The next file of a rotated recording has no processes that ended before the last switch, but
 * those that living ones are copies of.
 */
static void test_again(void)
{
	const int32_t pid[3] = { dead_pid(), dead_pid(), (int32_t)getpid() };
	struct df_end end = { .samples = 0 };
	struct data_journal journal = { 0 };
	struct data_writer w;
	int i;

	CHECK(data_create(&w, path, "rotated", 0) == 0);
	w.journal = &journal;
	data_process(&w, pid[0], 0, 1, "ended", "ended");
	data_process(&w, pid[1], 0, 2, "parent", "parent");
	data_process(&w, pid[2], pid[1], 3, "child", "child");
	CHECK(data_close(&w, &end) == 0 && count_processes(pid) == 111);
	for (i = 0; i < 3; i++) {
		CHECK(data_create(&w, path, "rotated", 0) == 0);
		data_again(&w, &journal);
		CHECK(data_close(&w, &end) == 0);
		CHECK(count_processes(pid) == (i ? 11 : 111));
	}
	free(journal.records);
	free(journal.ended);
}

/* Several bytes at random, always the same. */
static void test_fuzzed(void)
{
	static struct profile p;
	unsigned char *bytes;
	uint32_t seed = 1;
	int i, n;

	write_file();
	load_file();
	bytes = malloc(file_size);
	for (i = 0; i < 3000; i++) {
		memcpy(bytes, file_bytes, file_size);
		for (n = 0; n < 1 + i % 8; n++) {
			seed = seed * 1664525 + 1013904223;
			bytes[sizeof(struct df_header) + (seed >> 8) %
			      (file_size - sizeof(struct df_header))] =
				(unsigned char)(seed >> 24);
		}
		save_file(bytes, file_size);
		if (survives(&p))
			profile_free(&p);
	}
	CHECK(!not_said);
	free(bytes);
	free(file_bytes);
}

#define RECORDS	400

/* Of all sizes, one of which is more than is compressed at once; the same each time. */
static size_t fill_text(char *text, unsigned int n)
{
	size_t size = n == 100 ? 1 << 20 : n * 7919 % 5000, i;

	for (i = 0; i < size; i++)
		text[i] = (char)('a' + (n + i / (1 + n % 5)) % 23);
	text[size] = '\0';
	return size;
}

/* Records are the same ones, in any order in which they are asked for. */
static void test_packed_order(void)
{
	static char text[(1 << 20) + 1];
	static uint64_t at[RECORDS], place[RECORDS];
	struct df_end end = { .samples = 0 };
	char error[DATA_ERROR_MAX];
	unsigned int i, n, wrong = 0, back = 0;
	struct data_reader r;
	struct data_writer w;
	struct data_jit jit;
	uint64_t size;

	CHECK(data_create_packed(&w, path, "long", 0, packer) == 0);
	CHECK(data_size(&w, 1000) >= sizeof(struct df_header));
	for (n = 0; n < RECORDS; n++) {
		fill_text(text, n);
		data_jit(&w, &(struct df_jit){ .pid = (int32_t)n }, text);
		if (n % 50 == 49)
			data_flush(&w);
	}
	data_flush(&w);
	size = data_size(&w, 0);
	CHECK(size == w.bytes && data_size(&w, 1000) > size && data_size(&w, 1000) < size + 1000);
	CHECK(data_close(&w, &end) == 0);
	CHECK(w.bytes == size + sizeof(struct df_record) + sizeof(end));
	load_file();
	CHECK(file_size == w.bytes && packer->from > 1 << 20 && packer->to < packer->from / 2);

	CHECK(data_open(&r, path, error) == 0);
	for (n = 0; n < RECORDS; n++) {
		at[n] = r.offset;
		place[n] = data_place(&r, r.offset);
		back += n && (at[n] <= at[n - 1] || place[n] < place[n - 1]);
		fill_text(text, n);
		wrong += data_next(&r) != DATA_RECORD || !data_get_jit(&r, &jit) ||
			 jit.jit->pid != (int32_t)n || strcmp(jit.text, text);
	}
	CHECK(!wrong && !back && r.packs >= 8);
	CHECK(place[0] == sizeof(struct df_header) && place[1] == place[0]);
	CHECK(data_place(&r, r.offset) == size);
	CHECK(data_next(&r) == DATA_RECORD && r.head.type == DF_END && data_next(&r) == DATA_END);
	for (i = 0; i < 3000; i++) {
		/* From one place to any other, and mostly one more. */
		n = i * 2654435761U % RECORDS;
		fill_text(text, n);
		wrong += data_seek(&r, at[n]) || data_next(&r) != DATA_RECORD ||
			 !data_get_jit(&r, &jit) || strcmp(jit.text, text);
		if (n + 1 < RECORDS)
			wrong += r.offset != at[n + 1] || data_next(&r) != DATA_RECORD ||
				 !data_get_jit(&r, &jit) || jit.jit->pid != (int32_t)n + 1;
	}
	CHECK(!wrong);
	data_done(&r);
	free(file_bytes);
}

struct packed_file {
	struct df_header header;
	struct df_record head;
	struct df_compressed c;
	unsigned char frame[8192];
};

/* What is found in a file with a record of these @size bytes, which are said to be @said. */
static enum data_status read_frame(struct packed_file *f, const void *records, size_t size,
				   uint64_t said, size_t more)
{
	char error[DATA_ERROR_MAX];
	enum data_status status;
	struct data_reader r;
	size_t n;

	memset(f->frame, 0, sizeof(f->frame));
	n = compress_frame(packer->compressor, f->frame, sizeof(f->frame), records, size);
	CHECK(n && n < sizeof(f->frame));
	f->c = (struct df_compressed){ .size = said, .bytes = (uint32_t)(n + more) };
	f->head = (struct df_record){ .type = DF_COMPRESSED, .size =
				      (uint32_t)((sizeof(f->c) + n + 7) & ~(size_t)7) };
	save_file((void *)f, sizeof(f->header) + sizeof(f->head) + f->head.size);
	CHECK(data_open(&r, path, error) == 0);
	while ((status = data_next(&r)) == DATA_RECORD)
		;
	data_done(&r);
	return status;
}

static void test_packed_hostile(void)
{
	static unsigned char zeroes[1 << 20];
	static struct packed_file f;
	struct {
		struct df_record head;
		uint64_t body[2];
		struct df_record next;
	} records = { { DF_JIT, 16 }, { 1, 2 }, { DF_LOST, 0 } };
	char error[DATA_ERROR_MAX];
	enum data_status status;
	struct data_reader r;
	size_t n;

	write_file();
	load_file();
	memcpy(&f.header, file_bytes, sizeof(f.header));
	free(file_bytes);
	/* Good, but for its end. */
	CHECK(read_frame(&f, &records, sizeof(records), sizeof(records), 0) == DATA_TRUNCATED);
	/* Another size than it has, and none. */
	for (n = 0; n < 200; n += 4)
		CHECK(n == sizeof(records) ||
		      read_frame(&f, &records, sizeof(records), n, 0) == DATA_DAMAGED);
	CHECK(read_frame(&f, &records, sizeof(records), UINT64_MAX - 7, 0) == DATA_DAMAGED);
	CHECK(read_frame(&f, &records, sizeof(records), 1ULL << 40, 0) == DATA_DAMAGED);
	/* A longer frame than there is, in the record or at all. */
	CHECK(read_frame(&f, &records, sizeof(records), sizeof(records), 1) == DATA_DAMAGED);
	CHECK(read_frame(&f, &records, sizeof(records), sizeof(records), 4096) == DATA_DAMAGED);
	/* A record of a megabyte that is a few bytes. */
	memcpy(zeroes, &(struct df_record){ DF_JIT, sizeof(zeroes) - sizeof(struct df_record) },
	       sizeof(struct df_record));
	CHECK(read_frame(&f, zeroes, sizeof(zeroes), sizeof(zeroes), 0) == DATA_DAMAGED);
	CHECK(f.head.size < 200);
	/* Records that do not end there, and such as are compressed again. */
	records.next.size = 8;
	CHECK(read_frame(&f, &records, sizeof(records), sizeof(records), 0) == DATA_DAMAGED);
	records.next.size = 0xfffffff8;
	CHECK(read_frame(&f, &records, sizeof(records), sizeof(records), 0) == DATA_DAMAGED);
	records.next.size = 0;
	records.head.type = DF_COMPRESSED;
	CHECK(read_frame(&f, &records, sizeof(records), sizeof(records), 0) == DATA_DAMAGED);
	records.head.type = 0;
	CHECK(read_frame(&f, &records, sizeof(records), sizeof(records), 0) == DATA_DAMAGED);
	/* Two frames, and one of zstd's older formats. */
	records.head.type = DF_JIT;
	read_frame(&f, &records, sizeof(records), sizeof(records), 0);
	memcpy(f.frame + f.c.bytes, f.frame, f.c.bytes);
	f.c.bytes *= 2;
	f.c.size *= 2;
	f.head.size = (uint32_t)(sizeof(f.c) + f.c.bytes + 7) & ~7U;
	for (n = 0; n < 2; n++) {
		save_file((void *)&f, sizeof(f.header) + sizeof(f.head) + f.head.size);
		CHECK(data_open(&r, path, error) == 0);
		status = data_next(&r);
		CHECK(status == DATA_DAMAGED);
		data_done(&r);
		read_frame(&f, &records, sizeof(records), sizeof(records), 0);
		f.frame[0] = 0x25;
	}
}

/* Where there is no zstd. */
static void test_no_packer(void)
{
	char error[DATA_ERROR_MAX];
	struct data_reader r;

	CHECK(!data_packer_new(1));
	write_file();
	load_file();
	((struct df_header *)(void *)file_bytes)->major = DF_MAJOR_COMPRESSED;
	save_file(file_bytes, file_size);
	CHECK(data_open(&r, path, error) == -1);
	CHECK(strstr(error, ": is compressed, and this pfmon was built without zstd"));
	free(file_bytes);
}

static void test_bad_headers(void)
{
	char error[DATA_ERROR_MAX];
	static struct profile p;
	struct df_header *h;

	write_file();
	load_file();
	h = (void *)file_bytes;
	h->order = 0x02010403;		/* of no machine */
	save_file(file_bytes, file_size);
	CHECK(read_profile(&p, "symbol", NULL, error) == -1);
	CHECK(strstr(error, "damaged header"));
	h->order = DF_ORDER;
	h->major = 7;
	save_file(file_bytes, file_size);
	CHECK(read_profile(&p, "symbol", NULL, error) == -1);
	CHECK(strstr(error, "has version 7, this pfmon reads 1 and 2"));
	h->major = DF_MAJOR;
	h->minor = 9;		/* more of the same is no harm */
	save_file(file_bytes, file_size);
	CHECK(read_profile(&p, "symbol", NULL, error) == 0);
	profile_free(&p);
	h->magic[0] = 'P';
	save_file(file_bytes, file_size);
	CHECK(read_profile(&p, "symbol", NULL, error) == -1);
	CHECK(strstr(error, "not a file of pfmon record"));
	free(file_bytes);
}

/*
 * Visits of samples by their time
 */

#define VISIT_BLOCKS	100
#define VISIT_SAMPLES	1000
#define VISIT_CALLS	200

enum visit_order { ONE_BY_ONE, SIDE_BY_SIDE, ANY_ORDER, LAST_WAITS };

static struct {
	enum visit_order order;
	uint64_t chain[VISIT_CALLS];
	struct pmon_sample last;
	size_t n, wrong;
} visited;

static uint64_t visit_time(uint64_t block, uint64_t i)
{
	switch (visited.order) {
	case ONE_BY_ONE:
		return block * VISIT_SAMPLES + i;
	case SIDE_BY_SIDE:
		return (block / 4) * VISIT_SAMPLES + i;
	case LAST_WAITS:
		return i == 7 ? UINT64_MAX : block;
	default:
		return (block * VISIT_SAMPLES + i) * 7919 % 54321;
	}
}

static void visit_read(void *arg, uint64_t block, const struct smpl_sink *sink)
{
	struct pmon_sample s = { .user = VISIT_CALLS, .chain = visited.chain };
	uint64_t i;

	(void)arg;
	for (i = 0; i < VISIT_SAMPLES; i++) {
		s.time = visit_time(block, i);
		s.pid = (int32_t)block;
		s.tid = (int32_t)i;
		visited.chain[VISIT_CALLS - 1] = block * VISIT_SAMPLES + i;
		sink->sample(sink->arg, &s);
	}
}

/* Each comes behind the one before: so none comes twice. */
static void visit_one(void *arg, const struct pmon_sample *s)
{
	const struct pmon_sample *last = &visited.last;

	(void)arg;
	if (visited.n++ &&
	    (s->time < last->time || (s->time == last->time && (s->pid < last->pid ||
	     (s->pid == last->pid && s->tid <= last->tid)))))
		visited.wrong++;
	if (s->time != visit_time((uint64_t)s->pid, (uint64_t)s->tid) ||
	    s->chain[VISIT_CALLS - 1] != (uint64_t)s->pid * VISIT_SAMPLES + (uint64_t)s->tid)
		visited.wrong++;
	visited.last = *s;
}

static size_t visit(enum visit_order order)
{
	const struct visit_source source = { .read = visit_read, .visit = visit_one };
	struct visits visits = { 0 };
	uint64_t block, i;

	memset(&visited, 0, sizeof(visited));
	visited.order = order;
	for (block = 0; block < VISIT_BLOCKS; block++)
		for (i = 0; i < VISIT_SAMPLES; i++)
			visits_add(&visits, visit_time(block, i), block);
	return visits_pay(&visits, &source);
}

/* Memory is for 35,000 of these samples. */
static void test_visits(void)
{
	size_t reads;

	/* A block is read once, unless those that are open at once are too many. */
	CHECK(visit(ONE_BY_ONE) == VISIT_BLOCKS);
	CHECK(visited.n == VISIT_BLOCKS * VISIT_SAMPLES && !visited.wrong);
	CHECK(visit(SIDE_BY_SIDE) == VISIT_BLOCKS);
	CHECK(visited.n == VISIT_BLOCKS * VISIT_SAMPLES && !visited.wrong);
	reads = visit(ANY_ORDER);
	CHECK(visited.n == VISIT_BLOCKS * VISIT_SAMPLES && !visited.wrong);
	CHECK(reads > VISIT_BLOCKS && reads < 20 * VISIT_BLOCKS);
	CHECK(visit(LAST_WAITS) < 3 * VISIT_BLOCKS);
	CHECK(visited.n == VISIT_BLOCKS * VISIT_SAMPLES && !visited.wrong);
}

int main(void)
{
	make_file();
	test_visits();
	test_parse();
	test_parse_damaged();
	test_state();
	test_failure();
	test_round_trip();
	test_profile();
	test_turns();
	test_turns_unknown();
	test_damaged_block();
	test_by();
	test_truncated();
	test_damaged();
	test_fuzzed();
	test_again();
	test_bad_headers();
	/* That is no recording any more, and so is not overwritten. */
	save_file("", 0);
	if (!compress_is_there) {
		test_no_packer();
		return check_done();
	}
	packer = data_packer_new(COMPRESS_LEVEL);
	test_round_trip();
	test_profile();
	test_truncated();
	test_damaged();
	test_fuzzed();
	test_packed_order();
	test_packed_hostile();
	return check_done();
}
