// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces and symbols: from an address to a name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "unit.h"
#include "../identity.h"
#include "../images.h"
#include "../result.h"
#include "../space.h"
#include "../symtab.h"

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
	struct sample sample = { .pid = pid, .time = time, .ip = ip };
	struct place place;

	space_find(test_space, &sample, &place);
	CHECK_STR(place.process, process);
	CHECK_STR(place.binary, binary);
}

static void test_spaces(void)
{
	struct df_header header = { .kernel_base = 1ULL << 63 };

	test_space = space_new(&header);
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

	expect_place(1, 120, 0x10010, "first", "a");
	expect_place(1, 50, 0x10010, "first", "a");	/* before it was seen */
	expect_place(1, 160, 0x10010, "first", "late");
	expect_place(1, 110, 0x30000, "first", "found-late");
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
	CHECK(!space_note(test_space));
	expect_place(2, 100, 1ULL << 63, "other", "[kernel]");
	expect_place(1, 0, 1ULL << 63, "second", "[kernel]");
	CHECK(space_note(test_space) && strstr(space_note(test_space), "booted"));
	expect_place(0, 100, 1ULL << 63, "[idle]", "[kernel]");
	space_free(test_space);

	/* Recorded in a container. */
	header.flags = DF_OTHER_PIDS;
	test_space = space_new(&header);
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

	test_space = many_maps[which] = space_new(&header);
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
	struct sample sample = { .pid = 1, .time = 200 };
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

static void add_record(int32_t pid, uint64_t time, uint64_t start,
		       const char *path, const char *comm)
{
	space_add_record(test_space, &(struct smpl_map){
		.pid = pid, .time = time, .start = start, .end = start + 0x1000,
		.path = path, .comm = comm });
}

/* Records are in the buffers of several CPUs: in any order. */
static void test_records(void)
{
	struct df_header header = { .kernel_base = 1ULL << 63 };

	test_space = space_new(&header);
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

/* A function of this program, which is position-independent. */
int unit_marker(int n);

__attribute__((noinline)) int unit_marker(int n)
{
	return n * 3 + 1;
}

static void see_place(struct space *space, void *addr, struct place *place)
{
	struct sample sample = { .pid = getpid(), .ip = (uintptr_t)addr,
				 .time = now_ns() };

	space_find(space, &sample, place);
}

/* What /proc says of this process, to the file and back. */
static void test_images(void)
{
	struct df_end end = { 0 };
	char error[DATA_ERROR_MAX], self[4096];
	struct data_process process;
	struct images *images;
	struct data_reader r;
	struct data_writer w;
	struct space *space;
	struct place place;
	struct data_map map;
	unsigned int processes = 0, maps = 0;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len < 0 ? 0 : len] = '\0';
	CHECK(data_create(&w, path, "self") == 0);
	images = images_new(&w);
	images_see(images, getpid());
	images_see(images, getpid());	/* nothing new */
	images_glance(images, getpid());
	images_see(images, 0x7ffffff);	/* nobody */
	images_free(images);
	CHECK(data_close(&w, &end) == 0);

	CHECK(data_open(&r, path, error) == 0);
	space = space_new(&r.header);
	while (data_next(&r) == DATA_RECORD) {
		if (r.head.type == DF_PROCESS && data_get_process(&r, &process)) {
			processes++;
			space_add_process(space, &process);
		} else if (r.head.type == DF_MAP && data_get_map(&r, &map)) {
			maps++;
			space_add_map(space, &map);
		}
	}
	CHECK(processes == 1 && maps >= 3 && maps < 50);
	space_complete(space);
	see_place(space, (char *)unit_marker + 1, &place);
	CHECK_STR(place.binary, self);
	if (symtab_has_elf) {
		CHECK_STR(place.symbol, "unit_marker");
		/* As the binary has it, wherever it was loaded. */
		CHECK(place.addr < (uintptr_t)unit_marker);
		see_place(space, dlsym(RTLD_DEFAULT, "qsort"), &place);
		CHECK(strstr(place.binary, "libc"));
		CHECK_STR(place.symbol, "qsort");
		CHECK(!space_note(space));
	} else {
		SKIP("built without libelf: symbols of this program");
		CHECK_STR(place.symbol, "[unknown]");
		CHECK(space_note(space) && strstr(space_note(space), "libelf"));
	}
	space_free(space);
	data_done(&r);
}

/* A process that grows is the same one: what is new of it is what it has mapped. */
static void test_images_grow(void)
{
	size_t size = 64 << 20, at;
	struct df_end end = { 0 };
	char error[DATA_ERROR_MAX], *code;
	struct images *images;
	struct data_reader r;
	struct data_writer w;
	unsigned int processes = 0, maps[2] = { 0 }, look = 0;

	CHECK(data_create(&w, path, "self") == 0);
	images = images_new(&w);
	images_see(images, getpid());
	at = w.bytes;
	code = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(code != MAP_FAILED);
	images_glance(images, getpid());	/* a moment ago */
	CHECK(w.bytes == at);
	images_see(images, getpid());
	munmap(code, size);
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

static const char *symbol_at(void *addr)
{
	char error[DATA_ERROR_MAX];
	struct data_process process;
	struct data_binary binary;
	struct data_reader r;
	struct space *space;
	struct place place;
	struct data_map map;

	CHECK(data_open(&r, path, error) == 0);
	space = space_new(&r.header);
	while (data_next(&r) == DATA_RECORD) {
		if (r.head.type == DF_PROCESS && data_get_process(&r, &process))
			space_add_process(space, &process);
		else if (r.head.type == DF_BINARY && data_get_binary(&r, &binary))
			space_add_binary(space, &binary);
		else if (r.head.type == DF_MAP && data_get_map(&r, &map))
			space_add_map(space, &map);
	}
	space_complete(space);
	see_place(space, addr, &place);
	CHECK(!strcmp(place.symbol, PLACE_CHANGED) ==
	      !!(space_note(space) && strstr(space_note(space), "have changed")));
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
		SKIP("built without libelf: binaries that have changed");
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

	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 4096 * 8);
	CHECK(code != MAP_FAILED);
	CHECK(data_create(&w, path, "self") == 0);
	images = images_new(&w);
	images_see(images, getpid());
	images_free(images);
	data_close(&w, &end);
	CHECK(strcmp(symbol_at(code), PLACE_CHANGED));
	CHECK_STR(symbol_at((char *)unit_marker + 1), "unit_marker");
	snprintf(copy, sizeof(copy), "rm %s; cp /bin/true %s", file, file);
	CHECK(system(copy) == 0);
	CHECK_STR(symbol_at(code), PLACE_CHANGED);
	CHECK_STR(symbol_at((char *)unit_marker + 1), "unit_marker");
	/* A file that is gone has no name, and is no other one. */
	unlink(file);
	CHECK_STR(symbol_at(code), PLACE_UNKNOWN);
	munmap(code, 4096);
	close(fd);
}

/* To open what is no file can do harm; inotify says whether it was opened. */
static void test_devices(void)
{
	struct symtab t = { 0 };
	struct identity i;
	char fifo[64], event[256];
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
		SKIP("built without libelf: build IDs");
		return;
	}
	CHECK(has_build_id(1, 64) && has_build_id(1, 65536) && has_build_id(256, 64));
	CHECK(!has_build_id(1, 65540) && !has_build_id(257, 64));
	save_file("", 0);
}

static void test_images_exec(void)
{
	struct df_end end = { 0 };
	char error[DATA_ERROR_MAX];
	struct images *images;
	struct data_reader r;
	struct data_writer w;
	unsigned int processes = 0;

	CHECK(data_create(&w, path, "self") == 0);
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
		SKIP("built without libelf: symbols of a static program");
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
		SKIP("built without libelf: entries of an odd size");
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
		{ 0x300, 0, "label", NULL, 0, 0 }, { 0x100, 0x80, "outer", NULL, 4, 0 },
		{ 0x120, 0x10, "inner", NULL, 4, 0 }, { 0x200, 0x10, "weak", NULL, 5, 0 },
		{ 0x200, 0x10, "global", NULL, 6, 0 }, { 0x200, 0, "mark", NULL, 9, 0 },
		{ 0x280, 0, "in-section", NULL, 0, 0x290 },
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
		   "ffffffffc0000000 t in_module\t[mod]\n"
		   "nonsense\n");
	CHECK(symtab_read_kallsyms(&t, path) == 0 && t.symbols == 5);
	expect_symbol(&t, 0xffffffff810000ff, "_stext");
	expect_symbol(&t, 0xffffffff81000100, "helper");
	expect_symbol(&t, 0xffffffff81000200, "weak_one");
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

int main(int argc, char **argv)
{
	char *slash = argc ? strrchr(argv[0], '/') : NULL;

	if (slash)
		*slash = '\0';
	directory = slash ? argv[0] : ".";
	make_file();
	test_spaces();
	test_many_maps();
	test_records();
	test_images();
	test_images_grow();
	test_changed();
	test_devices();
	test_large_notes();
	test_images_exec();
	test_static();
	test_plt();
	test_entries();
	test_symtab();
	test_kallsyms();
	return check_done();
}
