// SPDX-License-Identifier: GPL-2.0-only
/* Writing the data file: see record-format.txt. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "require.h"
#include "data_write.h"
#include "file.h"
#include "identity.h"
#include "result.h"

_Static_assert(sizeof(struct df_header) == 168, "header");
_Static_assert(sizeof(struct df_record) == 8, "record");
_Static_assert(sizeof(struct df_event) == 24, "event");
_Static_assert(sizeof(struct df_reading) == 8, "reading");
_Static_assert(sizeof(struct df_process) == 16, "process");
_Static_assert(sizeof(struct df_map) == 40, "map");
_Static_assert(sizeof(struct df_binary) == 48, "binary");
_Static_assert(sizeof(struct df_segment) == 24, "segment");
_Static_assert(sizeof(struct df_inode) == 16, "inode");
_Static_assert(sizeof(struct df_module) == 56, "module");
_Static_assert(sizeof(struct df_jit) == 16, "jit");
_Static_assert(sizeof(struct df_symbols) == 8, "symbols");
_Static_assert(sizeof(struct df_symbol) == 16, "symbol");
_Static_assert(sizeof(struct df_samples) == 32, "samples");
_Static_assert(sizeof(struct df_lost) == 64, "lost");
_Static_assert(sizeof(struct df_turns) == 24, "turns");
_Static_assert(sizeof(struct df_end) == 24, "end");
_Static_assert(sizeof(struct df_compressed) == 16, "compressed");

/* The pieces of one record: a structure, then strings or a buffer. */
struct piece {
	const void *data;
	size_t size;
};

/* To the file, as it is. */
static void put_out(struct data_writer *w, const void *data, size_t size)
{
	if (w->err || !size)
		return;
	errno = 0;
	if (fwrite(data, size, 1, w->out.file) != 1)
		w->err = errno ? errno : EIO;
	else
		w->bytes += size;
}

static void *room_for(void *old, size_t *room, size_t size)
{
	if (*room >= size)
		return old;
	free(old);
	*room = size;
	old = malloc(size);
	if (!old)
		err(EXIT_PFMON, NULL);
	return old;
}

/* Bytes of records that are compressed together: reading one of them takes reading all. */
#define PACK	(1U << 18)

/* Compress records to one record in @p->packed. Returns its size, or 0: there is no memory. */
static size_t compress_records(struct data_packer *p, const void *records, size_t size)
{
	struct df_record head = { .type = DF_COMPRESSED };
	struct df_compressed c = { .size = size };
	const size_t before = sizeof(head) + sizeof(c);
	size_t n, all, least = size / DF_RATIO_MAX + 8;

	p->packed = room_for(p->packed, &p->packed_room, before + compress_bound(size) + 16);
	n = compress_frame(p->compressor, p->packed + before, p->packed_room - before, records, size);
	if (!n)
		return 0;
	all = before + n > least ? before + n : least;
	all = (all + 7) & ~(size_t)7;
	memset(p->packed + before + n, 0, all - before - n);
	head.size = (uint32_t)(all - sizeof(head));
	c.bytes = (uint32_t)n;
	memcpy(p->packed, &head, sizeof(head));
	memcpy(p->packed + sizeof(head), &c, sizeof(c));
	p->from += size;
	p->to += all;
	return all;
}

/* Those that wait. */
static void put_packed(struct data_writer *w)
{
	struct data_packer *p = w->packer;
	size_t size;

	if (!p || !p->size)
		return;
	size = w->err ? 0 : compress_records(p, p->records, p->size);
	if (size)
		put_out(w, p->packed, size);
	else if (!w->err)
		w->err = ENOMEM;
	p->size = 0;
	if (p->room <= 16 * PACK)
		return;
	/* That was one large record. */
	free(p->records);
	free(p->packed);
	p->records = p->packed = NULL;
	p->room = p->packed_room = 0;
}

/* A part of a record. */
static void put(struct data_writer *w, const void *data, size_t size)
{
	struct data_packer *p = w->packer;

	if (!p) {
		put_out(w, data, size);
		return;
	}
	if (w->err || !size)
		return;
	if (p->room - p->size < size) {
		p->room = p->size + size < PACK ? PACK : p->size + size;
		p->records = realloc(p->records, p->room);
		if (!p->records)
			err(EXIT_PFMON, NULL);
	}
	memcpy(p->records + p->size, data, size);
	p->size += size;
}

/* A record of @size bytes comes: those that wait, and it, may be too much for a reader. */
static void put_next(struct data_writer *w, size_t size)
{
	if (w->packer && w->packer->size + size > PACK)
		put_packed(w);
}

static void journal_add(struct data_journal *j, const void *data, size_t size)
{
	if (j->room - j->size < size) {
		j->room = 2 * j->room + size + 4096;
		j->records = realloc(j->records, j->room);
		if (!j->records)
			err(EXIT_PFMON, NULL);
	}
	memcpy(j->records + j->size, data, size);
	j->size += size;
}

/* What samples are understood by, and not what was sampled or lost in one file. */
static bool is_lasting(enum df_type type)
{
	return type == DF_EVENT || type == DF_PROCESS || type == DF_MAP || type == DF_BINARY ||
	       type == DF_INODE || type == DF_MODULE || type == DF_JIT;
}

static void put_record(struct data_writer *w, enum df_type type,
		       const struct piece *pieces, unsigned int n)
{
	static const char zeroes[8];
	struct df_record head = { .type = type };
	size_t size = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		size += pieces[i].size;
	head.size = (uint32_t)(size + 7) & ~7U;
	put_next(w, sizeof(head) + head.size);
	put(w, &head, sizeof(head));
	for (i = 0; i < n; i++)
		put(w, pieces[i].data, pieces[i].size);
	put(w, zeroes, head.size - size);
	if (!w->journal || !is_lasting(type))
		return;
	journal_add(w->journal, &head, sizeof(head));
	for (i = 0; i < n; i++)
		if (pieces[i].size)
			journal_add(w->journal, pieces[i].data, pieces[i].size);
	journal_add(w->journal, zeroes, head.size - size);
}

#define PIDS	(4 << 20)	/* the kernel's PID_MAX_LIMIT */

/* Of which process a record is, 0: of none; @parent: what it is a copy of, or 0 */
static int32_t record_pid(const unsigned char *record, int32_t *parent)
{
	struct df_record head;
	int32_t ids[2];

	memcpy(&head, record, sizeof(head));
	memcpy(ids, record + sizeof(head), sizeof(ids));
	*parent = head.type == DF_PROCESS && ids[1] > 0 && ids[1] < PIDS ? ids[1] : 0;
	return (head.type == DF_PROCESS || head.type == DF_MAP || head.type == DF_JIT) &&
	       ids[0] > 0 && ids[0] < PIDS ? ids[0] : 0;
}

enum { DEAD = 1, ALIVE };

static size_t record_size(const unsigned char *record)
{
	struct df_record head;

	memcpy(&head, record, sizeof(head));
	return sizeof(head) + head.size;
}

/* Forget processes that had ended at the switch before, and that none that lives comes from. */
static void forget(struct data_journal *j)
{
	struct {
		size_t at;
		int32_t pid, parent;
	} *record = calloc(j->size / sizeof(struct df_record) + 1, sizeof(*record));
	unsigned char *need = calloc(PIDS, 1);
	size_t at, i, size, n = 0, to = 0;
	int32_t pid;

	if (!j->ended)
		j->ended = calloc(PIDS, 1);
	for (at = 0; need && record && j->ended && at < j->size; at += record_size(j->records + at)) {
		record[n].at = at;
		pid = record_pid(j->records + at, &record[n].parent);
		record[n++].pid = pid;
		if (!pid || need[pid])
			continue;
		need[pid] = ALIVE;
		if (!kill(pid, 0) || errno != ESRCH)
			j->ended[pid] = 0;
		else if (j->ended[pid])
			need[pid] = DEAD;
		else
			j->ended[pid] = 1;
	}
	/* A copy comes after what it is a copy of. */
	for (i = n; i-- > 0;)
		if (record[i].pid && record[i].parent && need[record[i].pid] == ALIVE)
			need[record[i].parent] = ALIVE;
	for (i = 0; i < n; i++) {
		if (record[i].pid && need[record[i].pid] == DEAD)
			continue;
		size = record_size(j->records + record[i].at);
		memmove(j->records + to, j->records + record[i].at, size);
		to += size;
	}
	if (n)
		j->size = to;
	free(record);
	free(need);
}

void data_again(struct data_writer *w, struct data_journal *j)
{
	size_t at, size;

	forget(j);
	for (at = 0; at < j->size; at += size) {
		size = record_size(j->records + at);
		put_next(w, size);
		put(w, j->records + at, size);
	}
	w->journal = j;
}

static struct piece string(const char *text)
{
	return (struct piece){ text, strlen(text) + 1 };
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void data_boot_id(char boot[DF_BOOT_MAX])
{
	file_read("/proc/sys/kernel/random/boot_id", boot, DF_BOOT_MAX);
}

/*
 * Programs of a 64-bit kernel are in the lower half, those of a 32-bit one in
 * the lower three quarters, which is what such kernels are built for.
 */
static uint64_t kernel_base(void)
{
	struct utsname name;

	if (sizeof(long) == 8)
		return 1ULL << 63;
	/* A 32-bit program of a 64-bit kernel: its machine has 64 in its name. */
	if (!uname(&name) && strstr(name.machine, "64"))
		return 1ULL << 63;
	return 0xc0000000;
}

/* Is there no file, or an empty one, or one that pfmon record has written? */
static bool is_ours(const char *path)
{
	char magic[sizeof(DF_MAGIC) - 1] = "";
	struct stat st;
	ssize_t n;
	int fd;

	if (stat(path, &st))
		return errno == ENOENT;
	if (S_ISREG(st.st_mode) && !st.st_size)
		return true;
	fd = identity_open(path, &st);
	if (fd < 0)
		return false;
	n = read(fd, magic, sizeof(magic));
	close(fd);
	return n == sizeof(magic) && !memcmp(magic, DF_MAGIC, sizeof(magic));
}

/* To a device or a pipe anything goes; what else is wrong the open will say. */
static bool may_write(const char *path)
{
	struct stat st;

	return outfile_is_stdout(path) || stat(path, &st) || !S_ISREG(st.st_mode) ||
	       is_ours(path);
}

void data_spare(const char *path)
{
	struct stat st;

	if (!outfile_is_stdout(path) && !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size && is_ours(path))
		errx(EXIT_PFMON, "%s is a file of pfmon record: name another one with -o", path);
}

/*
 * The recording that has the name already will be renamed to PATH.old. Whatever is
 * called so now is lost then: it must be an older recording of this user.
 */
static bool may_put_away(const char *path)
{
	struct stat st;
	char *old;
	bool may;

	if (asprintf(&old, "%s" DF_OLD, path) < 0)
		return false;
	may = is_ours(old) && (stat(old, &st) || st.st_uid == geteuid());
	free(old);
	return may;
}

/*
 * Does pfmon run in a pid name space other than the machine's first one? Then samples
 * of processes outside of it have the number 0. The first one has this inode, always.
 */
static bool other_pids(void)
{
	char name[64] = "";

	return readlink("/proc/self/ns/pid", name, sizeof(name) - 1) > 0 &&
	       strcmp(name, "pid:[4026531836]");
}

struct data_packer *data_packer_new(int level)
{
	struct data_packer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->compressor = compress_new(level);
	if (p->compressor)
		return p;
	free(p);
	return NULL;
}

uint64_t data_size(const struct data_writer *w, uint64_t more)
{
	const struct data_packer *p = w->packer;

	if (!p)
		return w->bytes + more;
	more += p->size;
	return w->bytes +
	       (p->from ? (uint64_t)((double)more * (double)p->to / (double)p->from) : more);
}

int data_create(struct data_writer *w, const char *path, const char *title, uint32_t flags)
{
	return data_create_packed(w, path, title, flags, NULL);
}

int data_create_packed(struct data_writer *w, const char *path, const char *title,
		       uint32_t flags, struct data_packer *packer)
{
	struct df_header header;

	memset(w, 0, sizeof(*w));
	if (!may_write(path)) {
		errno = EEXIST;
		return -1;
	}
	/* Other users must not learn the addresses in this user's programs. */
	if (outfile_open(&w->out, path, 0600))
		return -1;
	if (w->out.path && !w->out.into && !may_put_away(w->out.path)) {
		errno = EEXIST;
		return -1;
	}
	memset(&header, 0, sizeof(header));
	memcpy(header.magic, DF_MAGIC, sizeof(header.magic));
	header.order = DF_ORDER;
	header.major = packer ? DF_MAJOR_COMPRESSED : DF_MAJOR;
	header.minor = DF_MINOR;
	header.size = sizeof(header);
	header.flags = flags | (other_pids() ? DF_OTHER_PIDS : 0);
	header.kernel_base = kernel_base();
	header.realtime = clock_ns(CLOCK_REALTIME);
	header.monotonic = now_ns();
	data_boot_id(header.boot);
	snprintf(header.title, sizeof(header.title), "%s", title);
	put_out(w, &header, sizeof(header));
	w->packer = packer;
	return 0;
}

void data_event(struct data_writer *w, const struct sampled_event *e)
{
	struct df_reading readings[MAX_READINGS];
	struct piece pieces[3 + MAX_READINGS];
	struct df_event event = {
		.pmd = e->pmd, .set = (uint16_t)e->set,
		.unit = e->frequency ? DF_RATE : (uint16_t)e->unit,
		.readings = (uint16_t)e->readings,
		.period = e->frequency ? e->frequency : e->period, .random_mask = e->random_mask,
	};
	unsigned int i;

	pieces[0] = (struct piece){ &event, sizeof(event) };
	pieces[1] = (struct piece){ readings, e->readings * sizeof(*readings) };
	pieces[2] = string(e->name);
	for (i = 0; i < e->readings; i++) {
		readings[i] = (struct df_reading){
			.pmd = e->reading[i].pmd,
			.kind = e->reading[i].since_last ? DF_SINCE_LAST : DF_VALUE,
		};
		pieces[3 + i] = string(e->reading[i].name);
	}
	put_record(w, DF_EVENT, pieces, 3 + e->readings);
}

void data_process(struct data_writer *w, int32_t pid, int32_t parent, uint64_t time,
		  const char *comm, const char *command)
{
	struct df_process process = { .pid = pid, .parent = parent, .time = time };
	struct piece pieces[] = { { &process, sizeof(process) },
				  string(comm), string(command) };

	put_record(w, DF_PROCESS, pieces, 3);
}

void data_map(struct data_writer *w, const struct df_map *map, const char *path)
{
	struct piece pieces[] = { { map, sizeof(*map) }, string(path) };

	put_record(w, DF_MAP, pieces, 2);
}

void data_binary(struct data_writer *w, const struct df_binary *binary,
		 const char *path, const struct df_segment *segment, size_t segments)
{
	static const char zeroes[8];
	struct piece name = string(path);
	struct piece pieces[] = { { binary, sizeof(*binary) }, name,
				  { zeroes, -name.size % 8 },
				  { segment, segments * sizeof(*segment) } };

	put_record(w, DF_BINARY, pieces, 4);
}

void data_inode(struct data_writer *w, const struct df_inode *inode)
{
	put_record(w, DF_INODE, &(struct piece){ inode, sizeof(*inode) }, 1);
}

void data_module(struct data_writer *w, const struct df_module *module, const char *name)
{
	put_record(w, DF_MODULE, (struct piece[]){ { module, sizeof(*module) },
						   string(name) }, 2);
}

void data_jit(struct data_writer *w, const struct df_jit *jit, const char *text)
{
	put_record(w, DF_JIT, (struct piece[]){ { jit, sizeof(*jit) }, string(text) }, 2);
}

void data_symbols(struct data_writer *w, const struct df_symbols *symbols, const char *names,
		  size_t size)
{
	struct piece pieces[] = {
		{ symbols, sizeof(*symbols) + symbols->symbols * sizeof(symbols->symbol[0]) },
		{ names, size },
	};

	put_record(w, DF_SYMBOLS, pieces, 2);
}

int data_spend(struct data_writer *w, const void *records, size_t size)
{
	/* Room for the record of the end, too. */
	static const char more[sizeof(struct df_record) + sizeof(struct df_end)];
	int fd = fileno(w->out.file), e;
	uint64_t end = w->bytes;
	bool whole;

	data_flush(w);
	if (w->err)
		return -1;
	if (w->packer && size) {
		size = compress_records(w->packer, records, size);
		records = w->packer->packed;
		errno = ENOMEM;
		if (!size)
			return -1;
	}
	whole = !outfile_write_all(fd, records, size) && !outfile_write_all(fd, more, sizeof(more));
	e = errno;
	if (whole)
		end += size;
	if (ftruncate(fd, (off_t)end) || lseek(fd, (off_t)end, SEEK_SET) < 0) {
		w->err = errno;
		return -1;
	}
	w->bytes = end;
	errno = e;
	return whole ? 0 : -1;
}

void data_samples(struct data_writer *w, const struct df_samples *samples,
		  const void *buf)
{
	struct piece pieces[] = { { samples, sizeof(*samples) },
				  { buf, samples->bytes } };

	put_record(w, DF_SAMPLES, pieces, 2);
	outfile_value(&w->out);
}

void data_lost(struct data_writer *w, const struct df_lost *lost)
{
	put_record(w, DF_LOST, &(struct piece){ lost, sizeof(*lost) }, 1);
}

void data_turns(struct data_writer *w, const struct df_turns *turns)
{
	put_record(w, DF_TURNS, &(struct piece){ turns, sizeof(*turns) }, 1);
}

void data_flush(struct data_writer *w)
{
	put_packed(w);
	if (!w->err && fflush(w->out.file))
		w->err = errno;
}

int data_close(struct data_writer *w, const struct df_end *end)
{
	/* As it is: a file that has it is complete. */
	put_packed(w);
	w->packer = NULL;
	put_record(w, DF_END, &(struct piece){ end, sizeof(*end) }, 1);
	data_flush(w);
	if (w->err)
		fclose(w->out.file);
	else if (outfile_keep(&w->out, DF_OLD))
		w->err = errno;
	errno = w->err;
	return w->err ? -1 : 0;
}
