// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces and symbols: from an address to a name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "unit.h"
#include "../demangle.h"
#include "holders.h"
#include "../identity.h"
#include "../images.h"
#include "../jit.h"
#include "../kernel.h"
#include "../kin.h"
#include "../result.h"
#include "../space.h"
#include "../spent.h"
#include "../symtab.h"
#include "../wait.h"

static const char *directory;	/* of this program and of the victim */

static struct space *test_space;

static void add_process(int32_t pid, uint64_t time, const char *comm)
{
	struct df_process process = { .pid = pid, .time = time };
	struct data_process p = { &process, comm, comm };

	space_add_process(test_space, &p);
}

static void add_map(int32_t pid, uint64_t time, uint64_t start, const char *name)
{
	struct df_map map = { pid, 0, time, start, start + 0x1000, 0 };
	struct data_map m = { &map, name };

	space_add_map(test_space, &m);
}

static void expect_place(int32_t pid, uint64_t time, uint64_t ip,
			 const char *process, const char *binary)
{
	struct pmon_sample sample = { .pid = pid, .time = time, .ip = ip };
	struct place place;

	space_find(test_space, &sample, &place);
	CHECK_STR(place.process, process);
	CHECK_STR(place.binary, binary);
}

/* A file that was seen as soon as pfmon looked, and one of which that cannot be said. */
static void test_seen_late(void)
{
	const uint64_t s = 1000000000;
	struct df_header header = { .kernel_base = 1ULL << 63 };

	test_space = space_new(&header, NULL);
	add_process(1, s, "one");
	add_map(1, s, 0x10000, "a");
	add_map(1, 9 * s, 0x20000, "b");
	space_complete(test_space);
	expect_place(1, 8 * s, 0x10000, "one", "a");
	expect_place(1, 7 * s, 0x20000, "one", "b");
	/* It may be of any time. */
	expect_place(1, 0, 0x20010, "one", "b");
	CHECK(!space_note(test_space, 0));
	expect_place(1, 7 * s - 1, 0x20020, "one", "b");
	CHECK(space_note(test_space, 0) &&
	      strstr(space_note(test_space, 0), "only seconds after samples"));
	space_free(test_space);
}

static void test_spaces(void)
{
	struct df_header header = { .kernel_base = 1ULL << 63 };

	test_space = space_new(&header, NULL);
	add_process(1, 100, "first");
	add_map(1, 100, 0x10000, "a");
	add_map(1, 150, 0x10000, "late");	/* came in place of it */
	add_map(1, 180, 0x30000, "found-late");
	add_process(1, 200, "second");
	add_map(1, 200, 0x20000, "b");
	add_process(2, 100, "other");
	add_map(2, 100, 0x10000, "c");
	/* Another process in the same hash bucket. */
	add_process(1 + 4096, 100, "far");
	space_complete(test_space);

	expect_place(1, 110, 0x30000, "first", "found-late");
	CHECK(!space_note(test_space, 0));
	expect_place(1, 120, 0x10010, "first", "a");
	CHECK(space_note(test_space, 0) &&
	      strstr(space_note(test_space, 0), "one file was mapped after another"));
	expect_place(1, 50, 0x10010, "first", "a");	/* before it was seen */
	expect_place(1, 160, 0x10010, "first", "late");
	expect_place(1, 250, 0x20fff, "second", "b");
	expect_place(1, 250, 0x21000, "second", "[unknown]");
	expect_place(1, 250, 0x10010, "second", "[unknown]");
	/* It had executed the second program before that was seen. */
	expect_place(1, 190, 0x20000, "second", "b");
	expect_place(2, 250, 0x10000, "other", "c");
	/* Without a time: the newest that can be meant. */
	expect_place(1, 0, 0x20010, "second", "b");
	expect_place(1, 0, 0x10010, "first", "late");
	expect_place(1, 0, 0x50000, "second", "[unknown]");
	expect_place(1 + 4096, 100, 0x10000, "far", "[unknown]");
	expect_place(77, 100, 0x10000, "pid 77", "[unknown]");
	/* No program runs in the idle thread. */
	expect_place(0, 100, 0x10000, "[outside]", "[unknown]");
	expect_place(-1, 100, 0x10000, "[unknown]", "[unknown]");
	CHECK(!space_note(test_space, 1));
	expect_place(2, 100, 1ULL << 63, "other", "[kernel]");
	expect_place(1, 0, 1ULL << 63, "second", "[kernel]");
	CHECK(space_note(test_space, 0) && strstr(space_note(test_space, 0), "booted"));
	expect_place(0, 100, 1ULL << 63, "[idle]", "[kernel]");
	space_free(test_space);

	/* Recorded in a container. */
	header.flags = DF_OTHER_PIDS;
	test_space = space_new(&header, NULL);
	expect_place(0, 100, 1ULL << 63, "[idle or outside]", "[kernel]");
	expect_place(0, 100, 0x10000, "[outside]", "[unknown]");
	space_free(test_space);
}

static const unsigned int many[2] = { 1000, 64000 };
static struct space *many_maps[2];
static unsigned int found_wrong;

/* Of a JVM for instance; and one that lies within another. */
static void make_maps(unsigned int which)
{
	struct df_header header = { .kernel_base = 1ULL << 63 };
	unsigned int n = many[which], i, at;

	test_space = many_maps[which] = space_new(&header, NULL);
	add_process(1, 100, "many");
	for (i = 0; i < n; i++) {
		at = (i * 7919 + 13) % n;
		add_map(1, 100, 0x100000 + 0x2000 * (uint64_t)at, at % 2 ? "odd" : "even");
	}
	add_map(1, 150, 0x100800, "within");
	space_complete(test_space);
	expect_place(1, 200, 0x1007ff, "many", "even");
	expect_place(1, 200, 0x100800, "many", "within");
	expect_place(1, 200, 0x1017ff, "many", "within");
	expect_place(1, 200, 0x101800, "many", "[unknown]");
	expect_place(1, 120, 0x100800, "many", "even");
	expect_place(1, 200, 0x100fff + 0x2000 * (uint64_t)(n - 1), "many", "odd");
	expect_place(1, 200, 0x101000 + 0x2000 * (uint64_t)(n - 1), "many", "[unknown]");
}

static void find_among(unsigned int which)
{
	struct pmon_sample sample = { .pid = 1, .time = 200 };
	struct place place;
	unsigned int i, at;

	for (i = 0; i < 2000; i++) {
		at = (i * 7919 + 13) % many[which];
		sample.ip = 0x100010 + 0x2000 * (uint64_t)at;
		space_find(many_maps[which], &sample, &place);
		found_wrong += strcmp(place.binary, at % 2 ? "odd" : "even") != 0;
	}
}

/* Among 64 times as many it takes a little longer, not 64 times. */
static void test_many_maps(void)
{
	make_maps(0);
	make_maps(1);
	CHECK(times_as_long(find_among, 0, 1, 16) < 16);
	CHECK(!found_wrong);
	space_free(many_maps[0]);
	space_free(many_maps[1]);
}

static const unsigned int execs[2] = { 400, 25600 };
static struct space *many_images[2];

/* Shells that execute one program after the other, each as often as that, in turn. */
static void make_images(unsigned int which)
{
	struct df_header header = { .kernel_base = 1ULL << 63 };
	unsigned int i, pid;
	uint64_t time;

	test_space = many_images[which] = space_new(&header, NULL);
	for (i = 0; i < execs[which]; i++) {
		pid = 1 + i % 5;
		time = 1000 + 10 * (uint64_t)i;
		add_process((int32_t)pid, time, i / 5 % 2 ? "odd" : "even");
		add_map((int32_t)pid, time, 0x10000, i / 5 % 2 ? "/odd" : "/even");
	}
	space_complete(test_space);
	/* The oldest, where no other is, and the newest. */
	expect_place(1, 1, 0x10000, "even", "/even");
	expect_place(5, UINT64_MAX, 0x10000, "odd", "/odd");
}

/* In the programs, and in the kernel, which is mapped in none. */
static void find_image_among(unsigned int which)
{
	struct pmon_sample sample = { 0 };
	struct place place;
	unsigned int i, at;

	for (i = 0; i < 20000; i++) {
		at = (i * 7919 + 13) % execs[which];
		sample.pid = (int32_t)(1 + at % 5);
		sample.time = 1005 + 10 * (uint64_t)at;
		sample.ip = i % 2 ? 0x10000 : 1ULL << 63;
		space_find(many_images[which], &sample, &place);
		found_wrong += strcmp(place.process, at / 5 % 2 ? "odd" : "even") != 0;
	}
}

/* A sample of no time is looked for in all of them, once. */
static void find_timeless_among(unsigned int which)
{
	struct pmon_sample sample = { .ip = 1ULL << 63 };
	struct place place;
	unsigned int i;

	for (i = 0; i < 100000; i++) {
		sample.pid = (int32_t)(1 + i % 5);
		space_find(many_images[which], &sample, &place);
		found_wrong += strcmp(place.process, "odd") != 0;
	}
}

static void test_many_images(void)
{
	found_wrong = 0;
	make_images(0);
	make_images(1);
	CHECK(times_as_long(find_image_among, 0, 1, 24) < 24);
	CHECK(times_as_long(find_timeless_among, 0, 1, 24) < 24);
	CHECK(!found_wrong);
	space_free(many_images[0]);
	space_free(many_images[1]);
}

/* More than are remembered, and each has its own name again afterwards. */
static void test_many_places(void)
{
	struct df_header header = { .kernel_base = 1ULL << 63 };
	struct pmon_sample sample = { .time = 200 };
	unsigned int i, round, wrong = 0;
	struct place place;

	test_space = space_new(&header, NULL);
	for (i = 1; i <= 2; i++) {
		add_process(i, 100, i == 1 ? "one" : "two");
		space_add_map(test_space, &(struct data_map){
			.map = &(struct df_map){ i, 0, 100, 0x10000, 0x10000000, 0 },
			.path = i == 1 ? "a" : "b" });
	}
	space_complete(test_space);
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 600000; i++) {
			sample.pid = 1 + i % 3;
			sample.ip = 0x10000 + 16 * (uint64_t)(i / 3);
			space_find(test_space, &sample, &place);
			wrong += place.addr != sample.ip ||
				 strcmp(place.process, i % 3 == 0 ? "one" :
					i % 3 == 1 ? "two" : "pid 3") ||
				 strcmp(place.call, i % 3 == 0 ? "[a]" :
					i % 3 == 1 ? "[b]" : "[unknown]");
		}
	}
	CHECK(!wrong);
	space_free(test_space);
}

static void add_record(int32_t pid, uint64_t time, uint64_t start,
		       const char *path, const char *comm)
{
	space_add_record(test_space, &(struct pmon_map){
		.pid = pid, .time = time, .start = start, .end = start + 0x1000,
		.path = path, .comm = comm });
}

/* Records are in the buffers of several CPUs: in any order. */
static void test_records(void)
{
	struct df_header header = { .kernel_base = 1ULL << 63 };

	test_space = space_new(&header, NULL);
	add_process(1, 100, "shell");
	add_map(1, 100, 0x10000, "sh");
	add_record(1, 310, 0x20000, "third", NULL);
	add_record(1, 210, 0x10000, "second", NULL);
	add_record(1, 300, 0, NULL, "three");
	add_record(1, 200, 0, NULL, "two");
	add_record(1, 200, 0x30000, "at-once", NULL);
	add_record(1, 120, 0x40000, "by-shell", NULL);
	add_record(2, 500, 0x10000, "nobody", NULL);
	/* It was looked at when it was about to end. */
	add_process(1, 400, "three");
	add_process(3, 400, "alone");
	space_complete(test_space);

	expect_place(1, 150, 0x10000, "shell", "sh");
	expect_place(1, 150, 0x40000, "shell", "by-shell");
	expect_place(1, 199, 0x40000, "shell", "by-shell");
	expect_place(1, 250, 0x10000, "two", "second");
	expect_place(1, 250, 0x30000, "two", "at-once");
	expect_place(1, 250, 0x40000, "two", "[unknown]");
	expect_place(1, 350, 0x20000, "three", "third");
	expect_place(1, 350, 0x10000, "three", "[unknown]");
	expect_place(1, 450, 0x20000, "three", "third");
	expect_place(2, 100, 0x10000, "[unknown]", "nobody");
	expect_place(3, 450, 0x10000, "alone", "[unknown]");
	space_free(test_space);
}

/* The kernel's time of a change does not help what stands for samples before and after it. */
static void test_records_of_many(void)
{
	struct pmon_sample sample = { .pid = 1, .time = 150, .ip = 0x10000, .count = 1 };
	struct df_header header = { .kernel_base = 1ULL << 63 };
	struct place place;

	test_space = space_new(&header, NULL);
	add_record(1, 90, 0, NULL, "prog");
	add_record(1, 100, 0x10000, "one", NULL);
	add_record(1, 200, 0x10000, "two", NULL);
	/* What pfmon has seen of it meanwhile says nothing else. */
	add_map(1, 120, 0x10000, "one");
	add_map(1, 220, 0x10000, "two");
	space_complete(test_space);
	space_find(test_space, &sample, &place);
	CHECK_STR(place.binary, "one");
	sample.time = 210;
	space_find(test_space, &sample, &place);
	CHECK_STR(place.binary, "two");
	CHECK(!space_note(test_space, 0));
	sample.count = 2;
	space_find(test_space, &sample, &place);
	CHECK(space_note(test_space, 0) &&
	      strstr(space_note(test_space, 0), "one file was mapped after another"));
	space_free(test_space);
}

/* A function of this program, which is position-independent. */
int unit_marker(int n);

__attribute__((noinline)) int unit_marker(int n)
{
	return n * 3 + 1;
}

static void see_place(struct space *space, void *addr, struct place *place)
{
	struct pmon_sample sample = { .pid = getpid(), .ip = (uintptr_t)addr,
				 .time = now_ns() };

	space_find(space, &sample, place);
}

/* All that the file says of processes, to a space. */
static struct space *read_space(struct data_reader *r, unsigned int *processes,
				unsigned int *maps)
{
	struct data_process process;
	struct data_binary binary;
	struct data_module module;
	struct df_inode inode;
	char error[DATA_ERROR_MAX];
	struct space *space;
	struct data_map map;
	struct data_jit jit;

	*processes = *maps = 0;
	CHECK(data_open(r, path, error) == 0);
	space = space_new(&r->header, NULL);
	while (data_next(r) == DATA_RECORD) {
		if (r->head.type == DF_PROCESS && data_get_process(r, &process)) {
			(*processes)++;
			space_add_process(space, &process);
		} else if (r->head.type == DF_BINARY && data_get_binary(r, &binary)) {
			space_add_binary(space, &binary);
		} else if (r->head.type == DF_INODE && data_get_inode(r, &inode)) {
			space_add_inode(space, &inode);
		} else if (r->head.type == DF_MODULE && data_get_module(r, &module)) {
			space_add_module(space, &module);
		} else if (r->head.type == DF_JIT && data_get_jit(r, &jit)) {
			space_add_jit(space, &jit);
		} else if (r->head.type == DF_MAP && data_get_map(r, &map)) {
			(*maps)++;
			space_add_map(space, &map);
		}
	}
	space_complete(space);
	return space;
}

/* What the kernel has mapped into this process is in no file. */
static void see_vdso(struct space *space)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD), *function;
	struct place place;

	function = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
	if (!function) {
		SKIP("there is no vDSO: its symbols");
		return;
	}
	see_place(space, (char *)function + 1, &place);
	CHECK_STR(place.binary, "[vdso]");
	CHECK_STR(place.symbol, "__vdso_clock_gettime");
}

/* That of another kernel: no symbols of this one's. Without libelf it is not looked for. */
static void test_other_vdso(void)
{
	struct df_header header = { .kernel_base = 1ULL << 63, .minor = DF_MINOR };
	struct df_binary binary = { .number = 1, .id_size = 20, .size = 8192, .id = "other" };
	struct df_map map = { 1, 1, 100, 0x10000, 0x12000, 0 };
	struct data_binary b = { .binary = &binary, .path = "[vdso]" };
	struct data_map m = { &map, "[vdso]" };
	struct pmon_sample sample = { .pid = 1, .time = 100 };
	struct place place;
	const char *note;

	test_space = space_new(&header, NULL);
	add_process(1, 100, "prog");
	space_add_binary(test_space, &b);
	space_add_map(test_space, &m);
	space_complete(test_space);
	for (sample.ip = 0x10000; sample.ip < 0x12000; sample.ip += 16) {
		space_find(test_space, &sample, &place);
		CHECK(!strcmp(place.symbol, PLACE_UNKNOWN));
	}
	note = space_note(test_space, 0);
	CHECK(note && strstr(note, symtab_has_elf ? "on this machine: 1;" : "built without libdw"));
	space_free(test_space);
}

static void add_binary(uint32_t number, const char *id, uint64_t inode)
{
	struct df_binary binary = { .number = number, .id_size = 20 };
	struct df_inode at = { 8, 1, inode };

	memcpy(binary.id, id, strlen(id));
	space_add_binary(test_space, &(struct data_binary){ .binary = &binary,
							    .path = "/bin/true" });
	if (inode)
		space_add_inode(test_space, &at);
}

static void add_fork(int32_t pid, uint64_t time, int32_t child)
{
	space_add_record(test_space, &(struct pmon_map){ .pid = pid, .time = time, .child = child });
}

/* A process that only forks has what its parent had then, and its name. */
static void test_forks(void)
{
	struct df_header header = { .kernel_base = 1ULL << 63 };

	test_space = space_new(&header, NULL);
	add_fork(2, 220, 3);
	add_fork(1, 150, 2);
	add_fork(1, 300, 4);
	add_fork(5, 300, 6);
	add_fork(7, 310, 7);
	add_record(1, 100, 0, NULL, "first");
	add_record(1, 110, 0x10000, "early", NULL);
	add_record(1, 160, 0x20000, "late", NULL);
	add_record(1, 200, 0, NULL, "second");
	add_record(1, 210, 0x10000, "other", NULL);
	add_record(3, 250, 0, NULL, "third");
	space_complete(test_space);

	expect_place(2, 155, 0x10000, "first", "early");
	expect_place(2, 400, 0x10000, "first", "early");
	/* It was mapped after the fork. */
	expect_place(2, 400, 0x20000, "first", "[unknown]");
	expect_place(3, 230, 0x10000, "first", "early");
	expect_place(3, 260, 0x10000, "third", "[unknown]");
	expect_place(4, 400, 0x10000, "second", "other");
	expect_place(6, 400, 0x10000, "[unknown]", "[unknown]");
	expect_place(7, 400, 0x10000, "[unknown]", "[unknown]");
	space_free(test_space);
}

/*
 * Two files of one path, as of the host and of a container. The kernel's record of a
 * mapping says which inode it is; what is at the path now is neither of them.
 */
static void expect_of_path(const char *second, uint64_t inode, uint64_t mapped,
			   const char *note)
{
	struct df_header header = { .kernel_base = 1ULL << 63, .minor = DF_MINOR };
	struct pmon_sample sample = { .pid = 1, .time = 200, .ip = 0x10010 };
	struct place place;

	test_space = space_new(&header, NULL);
	add_binary(1, "one", inode ? 77 : 0);
	add_binary(2, second, inode);
	add_record(1, 100, 0, NULL, "prog");
	space_add_record(test_space, &(struct pmon_map){
		.pid = 1, .time = 110, .start = 0x10000, .end = 0x11000,
		.path = "/bin/true", .major = 8, .minor = 1, .inode = mapped });
	space_complete(test_space);
	space_find(test_space, &sample, &place);
	CHECK(space_note(test_space, 0) && strstr(space_note(test_space, 0), note));
	space_free(test_space);
}

static void test_two_of_a_path(void)
{
	expect_of_path("one", 0, 0, "have changed");
	expect_of_path("two", 0, 0, "which ones they were: 1;");
	expect_of_path("two", 0, 77, "which ones they were: 1;");
	expect_of_path("two", 78, 77, "have changed");
	expect_of_path("two", 78, 79, "which ones they were: 1;");
}

/* A process that is gone had mapped our file of a path, or another one. */
static void test_images_binary(void)
{
	struct pmon_map map = { .pid = 0x7ffffff, .path = "/bin/true" };
	struct df_end end = { 0 };
	char error[DATA_ERROR_MAX];
	struct images *images;
	struct data_reader r;
	struct data_writer w;
	unsigned int binaries = 0;
	struct stat st;

	save_file("", 0);
	CHECK(stat("/bin/true", &st) == 0);
	map.major = major(st.st_dev);
	map.minor = minor(st.st_dev);
	CHECK(data_create(&w, path, "self", 0) == 0);
	images = images_new(&w);
	for (map.inode = st.st_ino; map.inode <= st.st_ino + 1; map.inode++) {
		images_binary(images, &map);
		images_binary(images, &map);
	}
	images_free(images);
	data_close(&w, &end);
	CHECK(data_open(&r, path, error) == 0);
	while (data_next(&r) == DATA_RECORD)
		binaries += r.head.type == DF_BINARY;
	CHECK(binaries == 1);
	data_done(&r);
}

/* What /proc says of this process, to the file and back. */
static void test_images(void)
{
	struct df_end end = { 0 };
	unsigned int processes, maps;
	struct images *images;
	struct data_reader r;
	struct data_writer w;
	struct space *space;
	struct place place;
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len < 0 ? 0 : len] = '\0';
	CHECK(data_create(&w, path, "self", 0) == 0);
	images = images_new(&w);
	images_see(images, getpid());
	images_see(images, getpid());	/* nothing new */
	images_glance(images, getpid());
	images_see(images, 0x7ffffff);	/* nobody */
	images_free(images);
	CHECK(data_close(&w, &end) == 0);

	space = read_space(&r, &processes, &maps);
	CHECK(processes == 1 && maps >= 3 && maps < 50);
	see_place(space, (char *)unit_marker + 1, &place);
	CHECK_STR(place.binary, self);
	if (symtab_has_elf) {
		CHECK_STR(place.symbol, "unit_marker");
		/* As the binary has it, wherever it was loaded. */
		CHECK(place.addr < (uintptr_t)unit_marker);
		see_place(space, dlsym(RTLD_DEFAULT, "qsort"), &place);
		CHECK(strstr(place.binary, "libc"));
		CHECK_STR(place.symbol, "qsort");
		see_vdso(space);
		CHECK(!space_note(space, 0));
	} else {
		SKIP("built without libdw: symbols of this program");
		CHECK_STR(place.symbol, "[unknown]");
		CHECK(space_note(space, 0) && strstr(space_note(space, 0), "libdw"));
	}
	space_free(space);
	data_done(&r);
}

/* Is there a record of the file that is mapped here, with this ID? */
static bool has_binary(const void *code, const struct identity *identity)
{
	char error[DATA_ERROR_MAX];
	struct data_reader r;
	struct data_binary b;
	struct data_map m;
	uint32_t number = 0;
	bool found = false;

	CHECK(data_open(&r, path, error) == 0);
	while (data_next(&r) == DATA_RECORD)
		if (data_get_map(&r, &m) && m.map->start == (uintptr_t)code)
			number = m.map->binary;
	CHECK(data_rewind(&r) == 0);
	while (data_next(&r) == DATA_RECORD)
		if (data_get_binary(&r, &b) && number && b.binary->number == number)
			found = b.binary->id_size == identity->id_size &&
				!memcmp(b.binary->id, identity->id, identity->id_size);
	data_done(&r);
	return found;
}

/* Files that have no path any more are read by what is mapped, which only root can. */
static void test_images_deleted(void)
{
	char file[] = "/tmp/pfmon-unit-XXXXXX", copy[256];
	struct identity identity;
	struct df_end end = { 0 };
	struct images *images;
	struct data_writer w;
	struct stat st;
	int fd, mapped;
	void *code;

	fd = mkstemp(file);
	CHECK(fd >= 0);
	snprintf(copy, sizeof(copy), "cp /proc/%d/exe %s", (int)getpid(), file);
	CHECK(system(copy) == 0);
	CHECK(identity_read(&identity, file) && (identity.id_size || !symtab_has_elf));
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 4096);
	CHECK(code != MAP_FAILED);
	close(fd);
	unlink(file);
	errno = 0;
	mapped = identity_open_map(getpid(), (uintptr_t)code, (uintptr_t)code + 4096, &st);
	if (mapped < 0 && (errno == EPERM || geteuid())) {
		SKIP("/proc/PID/map_files is not for this user: build IDs of deleted files");
		return;
	}
	close(mapped);
	save_file("", 0);
	CHECK(data_create(&w, path, "self", 0) == 0);
	images = images_new(&w);
	images_see(images, getpid());
	images_free(images);
	CHECK(data_close(&w, &end) == 0);
	CHECK(has_binary(code, &identity));
	munmap(code, 4096);
}

/* A process that grows is the same one: what is new of it is what it has mapped. */
static void test_images_grow(void)
{
	size_t size = 64 << 20, at, end_of_maps;
	struct df_end end = { 0 };
	char error[DATA_ERROR_MAX], *code;
	struct images *images;
	struct data_reader r;
	struct data_writer w;
	unsigned int processes = 0, maps[2] = { 0 }, look = 0;
	uint64_t begun, seen;

	CHECK(data_create(&w, path, "self", 0) == 0);
	images = images_new(&w);
	images_see(images, getpid());
	begun = now_ns();
	at = w.bytes;
	code = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(code != MAP_FAILED);
	images_glance(images, getpid());	/* it has just begun */
	CHECK(w.bytes > at);
	munmap(code, size);
	while (now_ns() - begun < 100000000)
		usleep(1000);
	seen = now_ns();
	images_see(images, getpid());
	end_of_maps = w.bytes;
	code = mmap(NULL, size / 2, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(code != MAP_FAILED);
	images_glance(images, getpid());	/* a moment ago, unless we had to wait */
	CHECK(w.bytes == end_of_maps || now_ns() - seen > 100000000);
	munmap(code, size / 2);
	images_free(images);
	data_close(&w, &end);
	CHECK(data_open(&r, path, error) == 0);
	while (data_next(&r) == DATA_RECORD) {
		look = r.offset > at;
		processes += r.head.type == DF_PROCESS;
		maps[look] += r.head.type == DF_MAP;
	}
	CHECK(processes == 1 && maps[0] >= 3 && maps[1] == 1);
	data_done(&r);
}

/*
 * One file after another at one address, and the first one again: each time it is written,
 * and who was there at a time is found by that.
 */
static void test_images_again(void)
{
	static const char *const names[] = { "/tmp/pfmon-unit-a-XXXXXX", "/tmp/pfmon-unit-b-XXXXXX" };
	static const unsigned int order[] = { 0, 1, 1, 0, 1 };
	uint64_t time[sizeof(order) / sizeof(order[0])];
	unsigned int processes, maps, i, n = sizeof(order) / sizeof(order[0]);
	char file[2][sizeof("/tmp/pfmon-unit-a-XXXXXX")];
	struct pmon_sample sample = { .pid = getpid() };
	struct df_end end = { 0 };
	struct images *images;
	struct data_reader r;
	struct data_writer w;
	struct space *space;
	struct place place;
	void *code = NULL;
	int fd[2];

	for (i = 0; i < 2; i++) {
		strcpy(file[i], names[i]);
		fd[i] = mkstemp(file[i]);
		CHECK(fd[i] >= 0 && !ftruncate(fd[i], 65536));
	}
	CHECK(data_create(&w, path, "self", 0) == 0);
	images = images_new(&w);
	for (i = 0; i < n; i++) {
		code = mmap(code, 65536, PROT_READ | PROT_EXEC,
			    MAP_PRIVATE | (code ? MAP_FIXED : 0), fd[order[i]], 0);
		CHECK(code != MAP_FAILED);
		images_see(images, getpid());
		time[i] = now_ns();
	}
	images_free(images);
	CHECK(data_close(&w, &end) == 0);
	space = read_space(&r, &processes, &maps);
	sample.ip = (uintptr_t)code + 16;
	for (i = 0; i < n; i++) {
		sample.time = time[i];
		space_find(space, &sample, &place);
		CHECK_STR(place.binary, file[order[i]]);
	}
	space_free(space);
	data_done(&r);
	munmap(code, 65536);
	for (i = 0; i < 2; i++) {
		close(fd[i]);
		unlink(file[i]);
	}
}

/*
 * A page of a file's code that a program has copied to memory without a file is that file's;
 * memory that is beside the file is not, nor is one that the file would have elsewhere.
 */
static void test_images_hole(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char file[] = "/tmp/pfmon-unit-hole-XXXXXX", *code;
	struct pmon_sample sample = { .pid = getpid() };
	unsigned int processes, maps, i;
	struct df_end end = { 0 };
	struct images *images;
	struct data_reader r;
	struct data_writer w;
	struct space *space;
	struct place place;
	int fd = mkstemp(file);

	CHECK(fd >= 0 && !ftruncate(fd, (off_t)(9 * page)));
	/* 0 to 2: a hole in the middle. 3 to 5: one, but what follows is not in its place. 6: none. */
	code = mmap(NULL, 7 * page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(code != MAP_FAILED);
	for (i = 0; i < 6; i++)
		if (i % 3 != 1)
			CHECK(mmap(code + i * page, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
				   fd, (off_t)((i == 5 ? 8 : i + 1) * page)) != MAP_FAILED);
	CHECK(data_create(&w, path, "self", 0) == 0);
	images = images_new(&w);
	images_see(images, getpid());
	images_free(images);
	CHECK(data_close(&w, &end) == 0);
	space = read_space(&r, &processes, &maps);
	sample.time = now_ns();
	for (i = 0; i < 7; i++) {
		sample.ip = (uintptr_t)code + i * page + 16;
		space_find(space, &sample, &place);
		CHECK_STR(place.binary, i == 4 || i == 6 ? "[anonymous]" : file);
		if (i < 3)
			CHECK(space_mapped(place.mapping).offset +
				 sample.ip - space_mapped(place.mapping).start ==
			      (i + 1) * page + 16);
	}
	space_free(space);
	data_done(&r);
	munmap(code, 7 * page);
	close(fd);
	unlink(file);
}

/* Code of a file that is gone at a look is told once; memory without a file is not told. */
static void test_images_gone(void)
{
	char file[] = "/tmp/pfmon-unit-gone-XXXXXX";
	struct df_end end = { 0 };
	struct images *images;
	struct data_writer w;
	int fd = mkstemp(file);
	void *code;

	CHECK(fd >= 0 && !ftruncate(fd, 65536));
	CHECK(data_create(&w, path, "self", 0) == 0);
	images = images_new(&w);
	images_see(images, getpid());
	code = mmap(NULL, 65536, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	CHECK(code != MAP_FAILED);
	images_see(images, getpid());
	CHECK(!images_gone(images, getpid()));
	munmap(code, 65536);
	images_see(images, getpid());
	CHECK(images_gone(images, getpid()));
	images_see(images, getpid());
	CHECK(!images_gone(images, getpid()));
	code = mmap(NULL, 65536, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(code != MAP_FAILED);
	images_see(images, getpid());
	munmap(code, 65536);
	images_see(images, getpid());
	CHECK(!images_gone(images, getpid()));
	CHECK(!images_gone(images, 0x7ffffff));
	images_free(images);
	CHECK(data_close(&w, &end) == 0);
	close(fd);
	unlink(file);
}

/* A recording of days sees more processes than there are: it does not keep what is gone. */
static void test_images_sweep(void)
{
	size_t before = 0, after;
	struct df_end end = { 0 };
	unsigned int processes, maps, i;
	struct images *images;
	struct data_reader r;
	struct data_writer w;
	pid_t pid;

	CHECK(data_create(&w, path, "many", 0) == 0);
	images = images_new(&w);
	images_see(images, getpid());
	for (i = 0; i < 1000; i++) {
		pid = fork();
		if (!pid) {
			pause();
			_exit(0);
		}
		images_see(images, pid);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		if (i == 280)
			before = mallinfo2().uordblks;
	}
	after = mallinfo2().uordblks;
	/* At most 256 images of some 500 bytes. */
	CHECK(after < before + 200000);
	i = (unsigned int)w.bytes;
	images_see(images, getpid());	/* still known */
	CHECK(w.bytes == i);
	images_free(images);
	CHECK(data_close(&w, &end) == 0);
	space_free(read_space(&r, &processes, &maps));
	CHECK(processes == 1001);
	data_done(&r);
}

static const char *symbol_at(void *addr)
{
	unsigned int processes, maps;
	struct data_reader r;
	struct space *space;
	struct place place;

	space = read_space(&r, &processes, &maps);
	see_place(space, addr, &place);
	CHECK(!strcmp(place.symbol, PLACE_CHANGED) ==
	      !!(space_note(space, 0) && strstr(space_note(space, 0), "have changed")));
	space_free(space);
	data_done(&r);
	return place.symbol;
}

/* Another file at the path of one that was recorded: no name is better than a wrong one. */
static void test_changed(void)
{
	static const char before[] = "/tmp/pfmon-unit-XXXXXX";
	char file[sizeof(before)], copy[256];
	struct identity one, other;
	struct df_end end = { 0 };
	struct images *images;
	struct data_writer w;
	void *code;
	int fd;

	if (!symtab_has_elf) {
		SKIP("built without libdw: binaries that have changed");
		return;
	}
	strcpy(file, before);
	fd = mkstemp(file);
	CHECK(fd >= 0);
	snprintf(copy, sizeof(copy), "cp /proc/%d/exe %s", (int)getpid(), file);
	CHECK(system(copy) == 0);
	CHECK(identity_read(&one, "/proc/self/exe") && identity_read(&other, file));
	/* A copy has another time, and is the same file if it has a build ID. */
	CHECK(one.id_size && identity_same(&one, &other));
	other.id[0]++;
	CHECK(!identity_same(&one, &other));
	one.id_size = 0;
	CHECK(!identity_same(&one, &other));
	other.mtime = one.mtime;
	CHECK(identity_same(&one, &other));
	other.size++;
	CHECK(!identity_same(&one, &other));
	CHECK(!identity_read(&one, "/dev/null") && !identity_read(&one, "/no/such"));

	/* A program that nobody runs, and has mapped any more when it is looked for. */
	snprintf(copy, sizeof(copy), "cp /bin/true %s", file);
	CHECK(system(copy) == 0);
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 4096 * 2);
	CHECK(code != MAP_FAILED);
	CHECK(data_create(&w, path, "self", 0) == 0);
	images = images_new(&w);
	images_see(images, getpid());
	images_free(images);
	data_close(&w, &end);
	CHECK(strcmp(symbol_at(code), PLACE_CHANGED));
	CHECK_STR(symbol_at((char *)unit_marker + 1), "unit_marker");
	munmap(code, 4096);
	/* And another one, which this program is: what is in /bin can be one file of many names. */
	snprintf(copy, sizeof(copy), "rm %s; cp /proc/%d/exe %s", file, (int)getpid(), file);
	CHECK(system(copy) == 0);
	CHECK_STR(symbol_at(code), PLACE_CHANGED);
	CHECK_STR(symbol_at((char *)unit_marker + 1), "unit_marker");
	/* A file that is gone has no name, and is no other one. */
	unlink(file);
	CHECK_STR(symbol_at(code), PLACE_UNKNOWN);
	close(fd);
}

/* To open what is no file can do harm; inotify says whether it was opened. */
static void test_devices(void)
{
	static const char sysfs[] = "/sys/devices/system/cpu/online";
	struct symtab t = { 0 };
	struct identity i;
	char fifo[64], event[256];
	struct stat st;
	int at;

	CHECK(!identity_read(&i, "/dev/null") && !identity_read(&i, "/"));
	snprintf(fifo, sizeof(fifo), "/tmp/pfmon-unit-fifo-%d", (int)getpid());
	CHECK(mkfifo(fifo, 0600) == 0);
	at = inotify_init1(IN_NONBLOCK);
	CHECK(inotify_add_watch(at, fifo, IN_OPEN) >= 0);
	CHECK(!identity_read(&i, fifo) && symtab_read_elf(&t, fifo) == -1);
	CHECK(read(at, event, sizeof(event)) == -1 && errno == EAGAIN);
	close(at);
	unlink(fifo);
	symtab_free(&t);
	/* It says that it has a size, and is made up when it is read. */
	if (stat(sysfs, &st) || !st.st_size) {
		SKIP("there is no /sys");
		return;
	}
	CHECK(identity_open(sysfs, &st) == -1);
	CHECK(identity_open_of(getpid(), sysfs, &st) == -1);
	CHECK(identity_open("/proc/self/exe", &st) >= 0);
}

/* A file with a build ID in the last of @n program headers, in notes of @size bytes. */
static bool has_build_id(unsigned int n, unsigned int size)
{
	static const struct {
		ElfW(Nhdr) head;
		char name[4], id[20];
	} note = { { 4, 20, NT_GNU_BUILD_ID }, "GNU", "0123456789012345678" };
	ElfW(Ehdr) e = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
			     sizeof(long) == 8 ? ELFCLASS64 : ELFCLASS32, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC, .e_version = EV_CURRENT, .e_phoff = sizeof(e),
		.e_machine = sizeof(long) == 8 ? EM_X86_64 : EM_386,
		.e_ehsize = sizeof(e), .e_phentsize = sizeof(ElfW(Phdr)),
		.e_phnum = (ElfW(Half))n,
	};
	size_t at = sizeof(e) + n * sizeof(ElfW(Phdr)), all = at + size;
	char *file = calloc(1, all);
	ElfW(Phdr) p = { .p_type = PT_NOTE, .p_offset = at, .p_filesz = size,
			 .p_align = 4 };
	struct identity i;

	memcpy(file, &e, sizeof(e));
	memcpy(file + at - sizeof(p), &p, sizeof(p));
	memcpy(file + at, &note, sizeof(note));
	save_file(file, all);
	free(file);
	CHECK(identity_read(&i, path) && i.size == all);
	return i.id_size == sizeof(note.id);
}

/* Files can be made to have much to read: there is an end to what is read of them. */
static void test_large_notes(void)
{
	if (!symtab_has_elf) {
		SKIP("built without libdw: build IDs");
		return;
	}
	CHECK(has_build_id(1, 64) && has_build_id(1, 65536) && has_build_id(256, 64));
	CHECK(!has_build_id(1, 65540) && !has_build_id(257, 64));
	save_file("", 0);
}

/*
 * Hostile files: what is done with them has an end, in bytes that are read or used.
 */

static unsigned long number_of(const char *file, const char *name)
{
	char line[256], format[64];
	unsigned long n = 0;
	FILE *f = fopen(file, "re");

	snprintf(format, sizeof(format), "%s: %%lu", name);
	while (f && fgets(line, sizeof(line), f) && sscanf(line, format, &n) != 1)
		;
	CHECK(f && n);
	if (f)
		fclose(f);
	return n;
}

/* Bytes that this process has read; 0 on kernels that do not say. */
static unsigned long bytes_read(void)
{
	return access("/proc/self/io", R_OK) ? 0 : number_of("/proc/self/io", "rchar");
}

/* KiB of memory at most, from now on or until now. */
static unsigned long memory_peak(bool from_now)
{
	FILE *f = from_now ? fopen("/proc/self/clear_refs", "we") : NULL;

	if (f) {
		fputs("5", f);
		fclose(f);
	}
	return number_of("/proc/self/status", "VmHWM");
}

/* Bytes of this program, and room for @more. */
static char *own_file(size_t *len, size_t more)
{
	FILE *f = fopen("/proc/self/exe", "re");
	char *file;

	CHECK(f && fseek(f, 0, SEEK_END) == 0);
	*len = ((size_t)ftell(f) + 15) & ~15UL;
	rewind(f);
	file = calloc(1, *len + more);
	CHECK(file && fread(file, 1, *len, f) > 0);
	fclose(f);
	return file;
}

/* The first section of @type. */
static ElfW(Shdr) *section_of(char *file, unsigned int type)
{
	ElfW(Ehdr) *e = (ElfW(Ehdr) *)file;
	ElfW(Shdr) *s = (ElfW(Shdr) *)(file + e->e_shoff);
	unsigned int i;

	for (i = 0; i < e->e_shnum; i++)
		if (s[i].sh_type == type)
			return &s[i];
	return NULL;
}

/* As many sections have the same relocations, each with the name of a function. */
#define OVERLAPPING	2000U
#define RELOCATIONS	60000U

#if __SIZEOF_LONG__ == 8
typedef ElfW(Rela) relocation_t;
#define RELOCATION_TYPE	SHT_RELA
#define RELOCATION(sym)	((unsigned long)(sym) << 32 | 7)
#else
typedef ElfW(Rel) relocation_t;
#define RELOCATION_TYPE	SHT_REL
#define RELOCATION(sym)	((unsigned long)(sym) << 8 | 7)
#endif

static void make_overlapping(void)
{
	size_t tables = RELOCATIONS * sizeof(relocation_t), len, headers;
	char *file = own_file(&len, tables + (OVERLAPPING + 100) * sizeof(ElfW(Shdr)));
	ElfW(Ehdr) *e = (ElfW(Ehdr) *)file;
	ElfW(Shdr) *to = (ElfW(Shdr) *)(file + len + tables), *s;
	relocation_t *r = (relocation_t *)(file + len);
	unsigned int i;

	headers = e->e_shnum;
	memcpy(to, file + e->e_shoff, headers * sizeof(*to));
	s = section_of(file, SHT_DYNSYM);
	CHECK(s && headers < 100);
	for (i = 0; i < RELOCATIONS; i++)
		r[i] = (relocation_t){ .r_offset = 4096 + i, .r_info = RELOCATION(1) };
	for (i = 0; i < OVERLAPPING; i++)
		to[headers + i] = (ElfW(Shdr)){
			.sh_type = RELOCATION_TYPE, .sh_offset = len, .sh_size = tables,
			.sh_entsize = sizeof(*r), .sh_addralign = 8,
			.sh_link = (ElfW(Word))(s - (ElfW(Shdr) *)(file + e->e_shoff)),
		};
	e->e_shoff = len + tables;
	e->e_shnum = (ElfW(Half))(headers + OVERLAPPING);
	save_file(file, len + tables + e->e_shnum * sizeof(*to));
	free(file);
}

static void test_overlapping(void)
{
	struct symtab t = { 0 };
	unsigned long before;

	if (!symtab_has_elf) {
		SKIP("built without libdw: hostile ELF files");
		return;
	}
	make_overlapping();
	before = memory_peak(true);
	CHECK(symtab_read_elf(&t, path) == 0);
	/* All of them would be 1.8 GiB. */
	CHECK(memory_peak(false) - before < 100 << 10);
	symtab_free(&t);
	save_file("", 0);
}

/* Two symbols at one address, whose name is as long as this address space. */
static void test_long_names(void)
{
	size_t room = 1 << 20;
	char *name = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct symbol s = { .addr = 4096, .size = 16 }, *found;
	struct symtab t = { 0 };
	int status;
	pid_t pid;

	CHECK(name != MAP_FAILED && mprotect(name + room, 4096, PROT_NONE) == 0);
	memset(name, 'x', room);
	s.name = name + room - 1024;
	symtab_add(&t, &s);
	symtab_add(&t, &s);
	pid = fork();
	if (!pid) {
		symtab_sort(&t);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	symtab_free(&t);

	memset(&t, 0, sizeof(t));
	s.name = name + room - 16384;
	symtab_add(&t, &s);
	pid = fork();
	if (!pid) {
		found = symtab_find(&t, 4096);
		_exit(!found || strlen(symtab_name(found)) != 8192);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	symtab_free(&t);
	munmap(name, room + 4096);
}

static rlim_t data_limit(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_DATA, &limit);
	return limit.rlim_cur;
}

/* Files that others may write are copied, and what is packed in them has little room. */
static void test_others_files(void)
{
	int fd = memfd_create("others", MFD_CLOEXEC), copy;
	struct rlimit before;
	unsigned long read_before;
	struct stat st;

	getrlimit(RLIMIT_DATA, &before);
	CHECK(fd >= 0 && ftruncate(fd, 4096) == 0 && fchmod(fd, 0600) == 0);
	symtab_limit(fd);
	CHECK(data_limit() == before.rlim_cur);
	CHECK(fchmod(fd, 0666) == 0);
	copy = symtab_guard(fd);
	CHECK(copy >= 0 && ftruncate(fd, 0) == 0);
	CHECK(fstat(copy, &st) == 0 && st.st_size == 4096);
	close(copy);
	symtab_limit(fd);
	CHECK(data_limit() < (300UL << 20) +
	      1024 * number_of("/proc/self/status", "VmData"));
	setrlimit(RLIMIT_DATA, &before);
	/* One that is too large is not read at all. */
	CHECK(ftruncate(fd, 600 << 20) == 0);
	read_before = bytes_read();
	CHECK(symtab_guard(fd) == -1);
	CHECK(bytes_read() - read_before < 1 << 20);
	close(fd);
}

/* A program whose debug file is huge: its checksum is not computed. */
static void test_huge_debug_file(void)
{
	char name[64], line[512];
	struct symtab t = { 0 };
	unsigned long before;

	if (!symtab_has_elf || system("command -v objcopy >/dev/null")) {
		SKIP("no libelf or no objcopy: huge debug files");
		return;
	}
	snprintf(name, sizeof(name), "/tmp/pfmon-unit-%d", (int)getpid());
	snprintf(line, sizeof(line), "mkdir %s && cd %s && cp /proc/%d/exe program && "
		 "echo >huge && objcopy -S -R .note.gnu.build-id --add-gnu-debuglink=huge program",
		 name, name, (int)getpid());
	CHECK(system(line) == 0);
	snprintf(line, sizeof(line), "%s/huge", name);
	CHECK(truncate(line, (off_t)2047 << 20) == 0);
	snprintf(line, sizeof(line), "%s/program", name);
	before = bytes_read();
	CHECK(symtab_read_elf(&t, line) == 0);
	CHECK(bytes_read() - before < 64 << 20);
	if (!before)
		SKIP("this kernel does not say how much a process reads: bounds of that");
	symtab_free(&t);
	snprintf(line, sizeof(line), "rm -r %s", name);
	CHECK(system(line) == 0);
}

static void test_images_exec(void)
{
	struct df_end end = { 0 };
	char error[DATA_ERROR_MAX];
	struct images *images;
	struct data_reader r;
	struct data_writer w;
	unsigned int processes = 0;

	CHECK(data_create(&w, path, "self", 0) == 0);
	images = images_new(&w);
	images_exec(images, getpid());
	images_exec(images, getpid());
	images_free(images);
	data_close(&w, &end);
	CHECK(data_open(&r, path, error) == 0);
	while (data_next(&r) == DATA_RECORD)
		processes += r.head.type == DF_PROCESS;
	CHECK(processes == 2);
	data_done(&r);
}

/* The victim is linked statically, and says itself where its functions are. */
static void test_static(void)
{
	struct symtab t = { 0 };
	const struct symbol *s;
	unsigned long begin, end;
	char victim[4096], line[128], name[32];
	int found = 0;
	FILE *f;

	if (!symtab_has_elf) {
		SKIP("built without libdw: symbols of a static program");
		return;
	}
	snprintf(victim, sizeof(victim), "%s/victim", directory);
	CHECK(symtab_read_elf(&t, victim) == 0);
	snprintf(line, sizeof(line), "exec '%.100s' where", victim);
	f = popen(line, "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%31s %lx %lx", name, &begin, &end) != 3)
			continue;
		s = symtab_find(&t, begin);
		CHECK_STR(s ? s->name : NULL, name);
		s = symtab_find(&t, end - 1);
		CHECK_STR(s ? s->name : NULL, name);
		found++;
	}
	CHECK(f && pclose(f) == 0 && found == 6);
	symtab_free(&t);
	CHECK(symtab_read_elf(&t, "/no/such/file") == -1);
	CHECK(symtab_read_elf(&t, "/etc/passwd") == -1);
	CHECK(symtab_read_elf(&t, "/") == -1 && symtab_read_elf(&t, "/dev/zero") == -1);
	symtab_free(&t);
}

/* The stubs of this program for its calls of libc, as objdump has them. */
static void test_plt(void)
{
	unsigned int known = 0, other = 0;
	struct symtab t = { 0 };
	const struct symbol *s;
	char line[256], name[128];
	unsigned long addr;
	FILE *f;

	if (!symtab_has_elf || system("command -v objdump >/dev/null")) {
		SKIP("no libelf or no objdump: the stubs for calls of libraries");
		return;
	}
	CHECK(symtab_read_elf(&t, "/proc/self/exe") == 0);
	snprintf(line, sizeof(line), "objdump -d -j .plt -j .plt.got -j .plt.sec "
		 "/proc/%d/exe 2>/dev/null", (int)getpid());
	f = popen(line, "r");
	while (f && fgets(line, sizeof(line), f)) {
		/* "ADDRESS <FUNCTION@plt>:"; not the first, which is nobody's. */
		if (sscanf(line, "%lx <%127[^>]>:", &addr, name) != 2 ||
		    strstr(name, "@plt-"))
			continue;
		s = symtab_find(&t, addr + 1);
		if (strchr(name, '@') && s && !strcmp(s->name, name))
			known++;
		else
			other++;
	}
	CHECK(f);
	if (f)
		pclose(f);
	CHECK(known > 10 && other == 0);
	symtab_free(&t);
}

/* This program, whose sections of @type and @flags say that their entries are of @size. */
static size_t stubs_if(unsigned int type, unsigned int flags, unsigned long size)
{
	FILE *f = fopen("/proc/self/exe", "re");
	size_t len, stubs = 0, i;
	struct symtab t = { 0 };
	ElfW(Shdr) *section;
	ElfW(Ehdr) *e;
	char *file;

	CHECK(f && fseek(f, 0, SEEK_END) == 0);
	len = (size_t)ftell(f);
	rewind(f);
	file = malloc(len);
	CHECK(file && fread(file, 1, len, f) == len);
	fclose(f);
	e = (ElfW(Ehdr) *)file;
	section = (ElfW(Shdr) *)(file + e->e_shoff);
	for (i = 0; i < e->e_shnum; i++)
		if (section[i].sh_type == type && (section[i].sh_flags & flags) == flags)
			section[i].sh_entsize = size;
	save_file(file, len);
	free(file);
	CHECK(symtab_read_elf(&t, path) == 0);
	for (i = 0; i < t.symbols; i++)
		stubs += strstr(t.symbol[i].name, "@plt") != NULL;
	symtab_free(&t);
	save_file("", 0);
	return stubs;
}

/* How large its entries are a file may say as it likes. */
static void test_entries(void)
{
	unsigned int type = sizeof(long) == 8 ? SHT_RELA : SHT_REL;
	unsigned int code = SHF_ALLOC | SHF_EXECINSTR;
	size_t all;

	if (!symtab_has_elf) {
		SKIP("built without libdw: entries of an odd size");
		return;
	}
	all = stubs_if(SHT_NULL, 0, 0);
	CHECK(all > 10);
	CHECK(stubs_if(type, 0, 0) == all && stubs_if(type, 0, 1) == all);
	CHECK(stubs_if(type, 0, ULONG_MAX) == all);
	CHECK(stubs_if(SHT_PROGBITS, code, 4) > 10);
	CHECK(stubs_if(SHT_PROGBITS, code, 4097) == 0);
	CHECK(stubs_if(SHT_PROGBITS, code, ULONG_MAX - ULONG_MAX / 2) == 0);
}

static void expect_symbol(const struct symtab *t, uint64_t addr, const char *name)
{
	const struct symbol *s = symtab_find(t, addr);

	CHECK_STR(s ? s->name : "", name);
}

static void test_symtab(void)
{
	static const struct symbol symbols[] = {
		{ 0x300, 0, "label", NULL, 0, false, 0 }, { 0x100, 0x80, "outer", NULL, 4, false, 0 },
		{ 0x120, 0x10, "inner", NULL, 4, false, 0 }, { 0x200, 0x10, "weak", NULL, 5, false, 0 },
		{ 0x200, 0x10, "global", NULL, 6, false, 0 }, { 0x200, 0, "mark", NULL, 9, false, 0 },
		{ 0x280, 0, "in-section", NULL, 0, false, 0x290 },
	};
	struct symtab t = { 0 };
	uint64_t addr;
	size_t i;

	CHECK(!symtab_find(&t, 0x100));
	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		symtab_add(&t, &symbols[i]);
	symtab_sort(&t);
	expect_symbol(&t, 0, "");
	expect_symbol(&t, 0xff, "");
	expect_symbol(&t, 0x100, "outer");
	expect_symbol(&t, 0x12f, "inner");
	expect_symbol(&t, 0x130, "outer");
	expect_symbol(&t, 0x17f, "outer");
	expect_symbol(&t, 0x180, "");
	expect_symbol(&t, 0x20f, "global");
	expect_symbol(&t, 0x210, "");
	expect_symbol(&t, 0x28f, "in-section");
	expect_symbol(&t, 0x290, "");
	expect_symbol(&t, 0x300, "label");
	expect_symbol(&t, UINT64_MAX, "label");

	symtab_add_segment(&t, &(struct segment){ 0x1000, 0x100, 0x401000 });
	CHECK(symtab_addr(&t, 0x1000, &addr) && addr == 0x401000);
	CHECK(symtab_addr(&t, 0x10ff, &addr) && addr == 0x4010ff);
	CHECK(!symtab_addr(&t, 0x1100, &addr) && !symtab_addr(&t, 0xfff, &addr));
	symtab_free(&t);
}

static void write_text(const char *text)
{
	save_file(text, strlen(text));
}

static void test_kallsyms(void)
{
	struct symtab t = { 0 };

	write_text("ffffffff81000000 T _stext\n"
		   "ffffffff81000100 t helper\n"
		   "ffffffff81000100 D data_there\n"
		   "ffffffff81000200 W weak_one\n"
		   "ffffffff81000200 T __some_text_start\n"
		   "ffffffff81000300 d with_descriptor\n"
		   "ffffffff81000300 T .with_descriptor\n"
		   "ffffffffc0000000 t in_module\t[mod]\n"
		   "nonsense\n");
	CHECK(symtab_read_kallsyms(&t, path) == 0 && t.symbols == 6);
	expect_symbol(&t, 0xffffffff810000ff, "_stext");
	expect_symbol(&t, 0xffffffff81000100, "helper");
	expect_symbol(&t, 0xffffffff81000200, "weak_one");
	expect_symbol(&t, 0xffffffff81000300, "with_descriptor");
	expect_symbol(&t, 0xffffffffc0000010, "in_module");
	CHECK_STR(symtab_find(&t, 0xffffffffc0000010)->module, "mod");
	CHECK(!symtab_find(&t, 0xffffffff81000110)->module);
	CHECK(!symtab_find(&t, 0xffffffff80000000));
	symtab_free(&t);

	/* Hidden from whoever may not know. */
	write_text("0000000000000000 T _stext\n0000000000000000 t helper\n");
	CHECK(symtab_read_kallsyms(&t, path) == -1);
	symtab_free(&t);
	CHECK(symtab_read_kallsyms(&t, "/no/such/file") == -1);
}

static void write_at(const char *dir, const char *name, const void *bytes, size_t size)
{
	char file[256];
	FILE *f;

	snprintf(file, sizeof(file), "%s/%s", dir, name);
	f = fopen(file, "w");
	CHECK(f && fwrite(bytes, 1, size, f) == size);
	if (f)
		fclose(f);
}

static void expect_kernel(struct kernel *k, uint64_t addr, const char *binary,
			  const char *symbol)
{
	struct kernel_place place;

	kernel_find(k, addr, &place);
	CHECK_STR(place.binary, binary);
	CHECK_STR(place.symbol ? place.symbol : place.changed ? PLACE_CHANGED : PLACE_UNKNOWN,
		  symbol);
}

static void add_module(struct kernel *k, const char *name, uint64_t start, const char *id)
{
	struct df_module module = { .start = start, .size = 0x1000, .id_size = 20 };

	memcpy(module.id, id, strlen(id));
	if (!*id)
		module.id_size = 0;
	kernel_add_module(k, &(struct data_module){ &module, name });
}

/* Modules that were loaded anew since, or are gone. */
static void test_modules(void)
{
	static const char kallsyms[] =
		"ffffffff81000000 T _stext\nffffffff81000100 T schedule\n"
		"ffffffff82000000 T _einittext\n"
		"ffffffffc0000010 t kept_fn\t[kept]\n"
		"ffffffffc0010010 t anew_fn\t[anew]\n"
		"ffffffffc0020010 t moved_fn\t[moved]\n"
		"ffffffffc0030010 t bare_fn\t[bare]\n"
		"ffffffffc0050010 t bpf_prog_1\t[bpf]\n";
	static const char modules[] =
		"kept 4096 0 - Live 0xffffffffc0000000\n"
		"anew 4096 1 kept, Live 0xffffffffc0010000 (OE)\n"
		"moved 4096 0 - Live 0xffffffffc0020000\n"
		"bare 4096 0 - Live 0xffffffffc0030000\n"
		"half 4096 0 - Loading 0xffffffffc0060000\n"
		"nonsense\n";
	struct { uint32_t name, size, type; char gnu[4], id[20]; } note = { 4, 20, 3, "GNU", "id" };
	struct df_header header = { .minor = DF_MINOR };
	char dir[] = "/tmp/pfmon-unit-XXXXXX", line[512];
	struct kernel *k;
	size_t i;

	data_boot_id(header.boot);
	CHECK(mkdtemp(dir));
	snprintf(line, sizeof(line), "cd %s && mkdir -p proc sys/module/bare && for m in kept anew moved; do "
		 "mkdir -p sys/module/$m/notes; done", dir);
	CHECK(system(line) == 0);
	write_at(dir, "proc/kallsyms", kallsyms, sizeof(kallsyms) - 1);
	write_at(dir, "proc/modules", modules, sizeof(modules) - 1);
	for (i = 0; i < 3; i++) {
		snprintf(line, sizeof(line), "sys/module/%s/notes/.note.gnu.build-id",
			 i == 0 ? "kept" : i == 1 ? "anew" : "moved");
		write_at(dir, line, &note, sizeof(note));
	}

	k = kernel_new(&header, dir);
	add_module(k, "kept", 0xffffffffc0000000, "id");
	add_module(k, "anew", 0xffffffffc0010000, "another");
	add_module(k, "moved", 0xffffffffc0040000, "id");
	add_module(k, "bare", 0xffffffffc0030000, "");
	/* It made way for the next one, at its place. */
	add_module(k, "first", 0xffffffffc0000800, "id");
	expect_kernel(k, 0xffffffff81000110, "[kernel]", "schedule");
	expect_kernel(k, 0xffffffffc0000020, "[kept]", "kept_fn");
	expect_kernel(k, 0xffffffffc0000004, "[kept]", PLACE_UNKNOWN);
	expect_kernel(k, 0xffffffffc0000810, "[kernel]", PLACE_CHANGED);
	expect_kernel(k, 0xffffffffc0010020, "[anew]", PLACE_CHANGED);
	CHECK(kernel_note(k) && strstr(kernel_note(k), "loaded or unloaded since"));
	/* Where it was, where another one is now, and the other way round. */
	expect_kernel(k, 0xffffffffc0040020, "[moved]", PLACE_CHANGED);
	expect_kernel(k, 0xffffffffc0020020, "[kernel]", PLACE_UNKNOWN);
	/* Nothing tells whether that is the same one. */
	expect_kernel(k, 0xffffffffc0030020, "[bare]", PLACE_CHANGED);
	expect_kernel(k, 0xffffffffc0050020, "[bpf]", PLACE_UNKNOWN);
	expect_kernel(k, 0xffffffff82000100, "[kernel]", PLACE_UNKNOWN);
	kernel_free(k);

	/* A program of BPF: that it is one, and why it has no name. */
	k = kernel_new(&header, dir);
	add_module(k, "kept", 0xffffffffc0000000, "id");
	expect_kernel(k, 0xffffffffc0000020, "[kept]", "kept_fn");
	CHECK(!kernel_note(k));
	expect_kernel(k, 0xffffffffc0050020, "[bpf]", PLACE_UNKNOWN);
	CHECK(kernel_note(k) && strstr(kernel_note(k), "programs of BPF have no names"));
	kernel_free(k);

	/* Another boot: the module is known, its symbols are not. */
	header.boot[0] ^= 1;
	k = kernel_new(&header, dir);
	add_module(k, "kept", 0xffffffffc0000000, "id");
	expect_kernel(k, 0xffffffffc0000020, "[kept]", PLACE_UNKNOWN);
	expect_kernel(k, 0xffffffff81000110, "[kernel]", PLACE_UNKNOWN);
	CHECK(kernel_note(k) && strstr(kernel_note(k), "booted"));
	kernel_free(k);
	snprintf(line, sizeof(line), "rm -r %s", dir);
	CHECK(system(line) == 0);
}

/* Who has the PMU, by the descriptors of all programs. */
static void test_holders(void)
{
	char dir[] = "/tmp/pfmon-unit-XXXXXX", line[1024], *text = NULL;
	static const char pmu[] = "the PMU is in use";
	static const struct {
		bool system;
		int target, cpu;
		pid_t tid;
		const char *text;
	} cases[] = {
		{ false, TARGET_TAKEN, 0, 3, "only once at a time; it is monitored by pfmon (process 22)" },
		{ false, TARGET_TAKEN, 0, 4, "; it is monitored by a program that is not in /proc" },
		{ true, TARGET_TAKEN, 0, 3, "only once at a time; it is monitored by pfmon (process 22)" },
		{ true, TARGET_TAKEN, 1, 3, "; it is monitored by a program that is not in /proc" },
		{ false, TARGET_TAKEN, 1, 9, "only once at a time; it is monitored by ? (process 33)" },
		{ true, TARGET_TAKEN, 2, 1, "only once at a time; it is monitored by ? (process 33)" },
		{ false, TARGET_FREE, 0, 5, "by pfmon (process 22), which monitors CPUs" },
		{ false, TARGET_FREE, 0, 5, "by p?f?g? (process 3), which has perf_events open" },
		{ true, TARGET_FREE, 0, 5, "by pfmon (process 22), which monitors threads" },
		{ true, TARGET_FREE, 0, 5, "in use by the kernel's NMI watchdog (sysctl kernel.nmi_watchdog=0 ends it)" },
	};
	struct holders holders;
	unsigned int found;
	pid_t pids[1];
	size_t size, i;
	FILE *out;

	CHECK(mkdtemp(dir));
	snprintf(line, sizeof(line), "cd %s && mkdir -p 1/fd 22/fd 22/fdinfo 3/fd 4 self/fd && "
		 "ln -s /dev/null 1/fd/0 && ln -s 'anon_inode:[eventfd]' 1/fd/1 && "
		 "ln -s 'anon_inode:[perf_event]' 3/fd/3 && ln -s 'anon_inode:[perf_event]' 3/fd/4 && "
		 "ln -s 'anon_inode:[perf_event]' self/fd/3 && "
		 "for i in 5 6 7; do ln -s 'anon_inode:[perfmon]' 22/fd/$i; done && "
		 "printf 'pfm-state:\\tloaded\\npfm-target:\\tcpu 0\\n' >22/fdinfo/5 && "
		 "printf 'pfm-target:\\tnone\\n' >22/fdinfo/6 && "
		 "printf 'pfm-target:\\ttid 3\\npfm-claims:\\t0-3\\n' >22/fdinfo/7 && "
		 /* It counts what is the software's: nobody is in need of that. */
		 "mkdir -p 33/fd 33/fdinfo && ln -s 'anon_inode:[perfmon]' 33/fd/4 && "
		 "ln -s 'anon_inode:[perfmon]' 33/fd/5 && "
		 "printf 'pfm-target:\\tcpu 2\\npfm-claims:\\t\\n' >33/fdinfo/4 && "
		 "printf 'pfm-target:\\ttid 9\\npfm-claims:\\t\\n' >33/fdinfo/5 && "
		 "printf 'p\\033f\\ng\\n\\n' >3/comm && echo pfmon >22/comm", dir);
	CHECK(system(line) == 0);
	out = open_memstream(&text, &size);
	holders_print(dir, out, &holders);
	fclose(out);
	CHECK(strstr(text, "      by: p?f?g? (process 3), which has 2 of perf_events open\n"));
	CHECK(strstr(text, "      by: pfmon (process 22), which has contexts of 1 CPU\n"));
	CHECK(holders.perf_events == 1 && holders.cpus == 1 && !holders.hidden);
	CHECK(size == strlen("      by: p?f?g? (process 3), which has 2 of perf_events open\n"
			     "      by: pfmon (process 22), which has contexts of 1 CPU\n"));
	free(text);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct failure f = {
			.cmd = PFM_LOAD_CONTEXT, .err = EBUSY, .system = cases[i].system,
			.target = cases[i].target, .tid = cases[i].tid, .cpu = cases[i].cpu,
		};

		text = strdup(holders_text(dir, &f));
		CHECK(strstr(text, cases[i].text));
		/* What it could be besides is not said where it is known. */
		CHECK((strstr(text, "not in /proc") != NULL) == (strstr(cases[i].text, "not in /proc") != NULL));
		CHECK(!strncmp(text, pmu, sizeof(pmu) - 1) == (cases[i].target == TARGET_FREE));
		CHECK(cases[i].target == TARGET_TAKEN || !strstr(text, "(process 33)"));
		found = holders_find(dir, &f, pids, 1);
		CHECK(found == (strstr(text, "(process ") != NULL));
		snprintf(line, sizeof(line), "(process %d)", found ? (int)pids[0] : 0);
		CHECK(!found || strstr(text, line));
		free(text);
		/* For the last one. */
		if (i + 2 == sizeof(cases) / sizeof(cases[0])) {
			snprintf(line, sizeof(line), "cd %s && mkdir -p sys/kernel && rm -r 3 22 && "
				 "echo 1 >sys/kernel/nmi_watchdog", dir);
			CHECK(system(line) == 0);
		}
	}
	snprintf(line, sizeof(line), "rm -r %s", dir);
	CHECK(system(line) == 0);
}

/* Of a tree nobody can list the threads: who has one may have a thread that nobody else has. */
static void test_tree_holders(void)
{
	char dir[] = "/tmp/pfmon-unit-XXXXXX", line[1024];
	struct failure f = {
		.cmd = PFM_LOAD_CONTEXT, .err = EBUSY, .target = TARGET_TAKEN, .tid = 5,
	};

	CHECK(mkdtemp(dir));
	snprintf(line, sizeof(line), "cd %s && mkdir -p 22/fd 22/fdinfo 33/fd 33/fdinfo && "
		 "for i in 22 33; do ln -s 'anon_inode:[perfmon]' $i/fd/5; done && "
		 "ln -s 'anon_inode:[perfmon]' 33/fd/6 && echo a >22/comm && echo b >33/comm && "
		 "printf 'pfm-target:\ttree\npfm-members:\t3\npfm-claims:\t1\n' >22/fdinfo/5 && "
		 "printf 'pfm-target:\ttree\npfm-members:\t0\npfm-claims:\t1\n' >33/fdinfo/5 && "
		 "printf 'pfm-target:\ttid 3\npfm-claims:\t\n' >33/fdinfo/6", dir);
	CHECK(system(line) == 0);
	CHECK_STR(strstr(holders_text(dir, &f), "; it"),
		  "; it is monitored by a (process 22), which monitors a tree of threads");
	f.tid = 3;
	CHECK_STR(strstr(holders_text(dir, &f), "; it"), "; it is monitored by b (process 33)");
	f.system = true;
	f.target = TARGET_FREE;
	CHECK_STR(strstr(holders_text(dir, &f), " by "),
		  " by a (process 22), which monitors threads");
	snprintf(line, sizeof(line), "rm -r %s", dir);
	CHECK(system(line) == 0);
}

/* Which process has made which, and to which a thread belongs. */
static void test_kin(void)
{
	int ends[2];
	char byte;
	pid_t pid;

	CHECK(kin_parent(getpid()) == getppid() && !kin_parent(0x7ffffff0));
	CHECK(kin_process(getpid()) == getpid() && !kin_process(0x7ffffff0));
	CHECK(pipe(ends) == 0);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) != 0);
	}
	close(ends[0]);
	CHECK(kin_descends(pid, getpid()) && kin_descends(pid, getppid()));
	CHECK(!kin_descends(pid, pid) && !kin_descends(getpid(), pid));
	CHECK(!kin_descends(0x7ffffff0, getpid()));
	close(ends[1]);
	waitpid(pid, NULL, 0);
}

/* CPU time that is missing is said from 100 ms on, and a tenth. */
static void test_missing(void)
{
	const uint64_t ms = 1000000;

	CHECK(!spent_is_missing(199 * ms, 100 * ms, 0));
	CHECK(spent_is_missing(200 * ms, 100 * ms, 0));
	CHECK(!spent_is_missing(200 * ms, 100 * ms, ms));
	CHECK(!spent_is_missing(2000 * ms, 1801 * ms, 0));
	CHECK(spent_is_missing(2000 * ms, 1800 * ms, 0));
	CHECK(!spent_is_missing(100 * ms, 500 * ms, 0));
	CHECK(spent_threads() > 0);
}

/* Without a time to end: who is waited for ends, or had ended, or a descriptor is readable. */
static void test_wait_for_end(void)
{
	pid_t pids[2] = { getpid() };
	int ends[2];

	CHECK(pipe(ends) == 0);
	pids[1] = fork();
	if (!pids[1]) {
		pause();
		_exit(0);
	}
	CHECK(!wait_for_end(pids, 2, ends[0], 0));
	kill(pids[1], SIGKILL);
	CHECK(wait_for_end(pids, 2, ends[0], -1));
	waitpid(pids[1], NULL, 0);
	CHECK(wait_for_end(pids, 2, ends[0], 0));
	CHECK(write(ends[1], "", 1) == 1);
	CHECK(!wait_for_end(pids, 1, ends[0], -1));
	close(ends[0]);
	close(ends[1]);
}

/* Why a thread may not be monitored. */
static void test_refused(void)
{
	char dir[] = "/tmp/pfmon-unit-XXXXXX", line[1024];
	struct failure f = { .cmd = PFM_LOAD_CONTEXT, .err = EPERM, .tid = 3 };

	CHECK(mkdtemp(dir));
	snprintf(line, sizeof(line), "cd %s && mkdir -p 2 3 sys/kernel/yama && "
		 "echo '2 (a) b) S 2 0 0 0 -1 2129984 0' >2/stat && "
		 "echo '3 (a) S 2 0 0 0 -1 4194304 0' >3/stat && "
		 "printf 'Name:\ta\nUid:\t%u\t0\t0\t0\n' >3/status", dir, (unsigned int)geteuid());
	CHECK(system(line) == 0);
	CHECK(strstr(holders_text(dir, &f), "it has, or has had, rights"));
	snprintf(line, sizeof(line), "echo 1 >%s/sys/kernel/yama/ptrace_scope", dir);
	CHECK(system(line) == 0);
	CHECK_STR(holders_text(dir, &f),
		  "it may not be traced: /proc/sys/kernel/yama/ptrace_scope is 1");
	f.target = TARGET_FREE;
	CHECK(strstr(holders_text(dir, &f), "hardened kernel"));
	f.target = TARGET_UNKNOWN;
	f.tid = 2;
	CHECK(strstr(holders_text(dir, &f), "a thread of the kernel, "));
	snprintf(line, sizeof(line), "rm -r %s", dir);
	CHECK(system(line) == 0);
}

/* expect_lines: what is new in this process' file of names is @want, NULL: nothing. */
static void expect_lines(struct jit_file *file, const char *want)
{
	char *text = jit_read(getpid(), getpid(), 0, file);

	CHECK(want ? text && !strcmp(text, want) : !text);
	free(text);
}

/* A file that is written while it is read: half a line is none, at either end. */
static void test_jit_file(void)
{
	char map[64], text[64] = "", line[] = "6000 10 first\n7000 10 la";
	struct jit_file file = { 0 };
	FILE *f = fopen("/proc/self/status", "re"), *out;
	int pid = 0;
	off_t at;

	while (f && fgets(text, sizeof(text), f))
		if (!strncmp(text, "NSpid:", 6))
			pid = atoi(strrchr(text, '\t'));
	CHECK(f && pid);
	fclose(f);
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", pid);
	out = fopen(map, "we");
	CHECK(out);
	setbuf(out, NULL);
	expect_lines(&file, NULL);
	fputs(line, out);
	expect_lines(&file, "6000 10 first");
	expect_lines(&file, NULL);
	fputs("ter\n8000 10 never", out);
	expect_lines(&file, "7000 10 later");
	expect_lines(&file, NULL);

	/* So large that what is read begins in a line, which goes on for more than one step. */
	at = 80 << 20;
	file = (struct jit_file){ 0 };
	CHECK(!ftruncate(fileno(out), at) && !fseeko(out, at, SEEK_SET));
	expect_lines(&file, NULL);
	CHECK(file.part && file.done);
	fputs("5000 10 the end of another\n9000 10 whole\n", out);
	while (file.done < at)
		expect_lines(&file, NULL);
	expect_lines(&file, "\n9000 10 whole");
	expect_lines(&file, NULL);
	fclose(out);
	unlink(map);
}

/* Of several functions that had an address the last one that was said. */
static void test_jit(void)
{
	static unsigned char last[1000];
	unsigned int i, from, size, wrong = 0, seed = 1;
	struct jit *jit = NULL;
	const struct symbol *s;
	char line[64], name[16];

	CHECK(!jit_find(NULL, 1));
	jit_add(&jit, "");
	CHECK(!jit_find(jit, 1));
	jit_free(jit);
	jit = NULL;
	for (i = 1; i < 200; i++) {
		seed = seed * 1103515245 + 12345;
		from = seed / 65536 % 900;
		size = 1 + seed / 7 % 90;
		snprintf(line, sizeof(line), "%s%x %x f%u\n%s", i % 2 ? "0x" : "", from, size, i,
			 i % 3 ? "" : "junk\n\n12 \n 5 0 none\nffffffffffffffff 5 none\n-");
		jit_add(&jit, line);
		memset(last + from, (int)i, size);
	}
	for (i = 0; i < sizeof(last); i++) {
		s = jit_find(jit, i);
		snprintf(name, sizeof(name), "f%u", last[i]);
		wrong += last[i] ? !s || strcmp(s->name, name) : !!s;
	}
	CHECK(!wrong);
	/* As pfmon top does: code is made after the first looks, in place of other code, too. */
	jit_add(&jit, "1000 10 later\n0 5 instead\n");
	s = jit_find(jit, 0x1008);
	CHECK(s && !strcmp(s->name, "later"));
	s = jit_find(jit, 4);
	CHECK(s && !strcmp(s->name, "instead"));
	jit_free(jit);
	CHECK(jit_may_be("[anonymous]") && jit_may_be("//anon") && jit_may_be("/memfd:x (deleted)"));
	CHECK(!jit_may_be("/bin/sh") && !jit_may_be("[vdso]"));
}

static void expect_demangled(const char *name, const char *want)
{
	char out[128];

	CHECK(demangle(name, out, sizeof(out)) == !!want);
	CHECK_STR(out, want ? want : "");
}

static void test_demangle(void)
{
	char hostile[1024] = "_Z1f", one[16];
	struct symbol s = { .name = "_ZN3one3twoEv@plt" };
	int i;

	if (!demangle_can) {
		SKIP("built without libiberty: names of C++ and Rust");
		expect_demangled("_ZN3one3twoEv", NULL);
		return;
	}
	expect_demangled("_ZN3one3twoEv", "one::two()");
	expect_demangled("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	expect_demangled("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	/* The optimisation of whole programs appends to names. */
	expect_demangled("_RNvC7mycrate3foo.llvm.4711", "mycrate::foo");
	expect_demangled("_ZZ3twoENKUlcE_clEc.llvm.12", "two::{lambda(char)#1}::operator()(char) const [clone .llvm.12]");
	expect_demangled("main", NULL);
	expect_demangled("_Z", NULL);
	expect_demangled("_start", NULL);
	CHECK_STR(symtab_name(&s), "one::two()@plt");
	CHECK_STR(symtab_name(&s), "one::two()@plt");
	symtab_demangle = false;
	s = (struct symbol){ .name = "_ZN3one3twoEv" };
	CHECK_STR(symtab_name(&s), "_ZN3one3twoEv");
	symtab_demangle = true;
	/* f(a<int, int>, b<that, that>, ...): each is twice as long as the one before. */
	strcat(hostile, "1aIiiE1bIS0_S0_E");
	for (i = 2; i < 36; i++) {
		snprintf(one, sizeof(one), "S1_IS%c_S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i],
			 "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]);
		strcat(hostile, one);
	}
	expect_demangled(hostile, NULL);
}

int main(int argc, char **argv)
{
	char *slash = argc ? strrchr(argv[0], '/') : NULL;

	if (slash)
		*slash = '\0';
	directory = slash ? argv[0] : ".";
	make_file();
	test_spaces();
	test_seen_late();
	test_many_maps();
	test_many_images();
	test_many_places();
	test_forks();
	test_records();
	test_records_of_many();
	test_images();
	test_images_grow();
	test_images_again();
	test_images_hole();
	test_images_gone();
	test_images_sweep();
	test_images_deleted();
	test_changed();
	test_devices();
	test_large_notes();
	test_overlapping();
	test_long_names();
	test_others_files();
	test_huge_debug_file();
	test_images_exec();
	test_static();
	test_plt();
	test_entries();
	test_symtab();
	test_kallsyms();
	test_other_vdso();
	test_two_of_a_path();
	test_images_binary();
	test_modules();
	test_holders();
	test_tree_holders();
	test_kin();
	test_missing();
	test_wait_for_end();
	test_refused();
	test_jit();
	test_jit_file();
	test_demangle();
	return check_done();
}
