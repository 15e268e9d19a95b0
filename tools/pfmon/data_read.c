// SPDX-License-Identifier: GPL-2.0-only
/* Reading the data file: see record-format.txt. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "require.h"
#include "compress.h"
#include "data_read.h"

/* Memory is taken as data comes, not as a damaged length says. */
#define STEP	(1U << 20)
#define HEADER_MAX	4096

#define UUID	"1111111111111111"	/* for pmon_turn(): bytes */

static int bad(char error[DATA_ERROR_MAX], const char *path, const char *what)
{
	snprintf(error, DATA_ERROR_MAX, "%.150s: %s", data_name(path), what);
	return -1;
}

static int read_header(struct data_reader *r, const char *path,
		       char error[DATA_ERROR_MAX])
{
	static const char none[] = "not a file of pfmon record";
	struct df_header *h = &r->header;
	char what[64];

	errno = 0;
	if (fread(h, sizeof(*h), 1, r->file) != 1)
		return bad(error, path, errno ? strerror(errno) : none);
	if (memcmp(h->magic, DF_MAGIC, sizeof(h->magic)))
		return bad(error, path, none);
	r->turned = h->order == __builtin_bswap32(DF_ORDER);
	if (r->turned)
		pmon_turn(&h->major, "2244888");
	else if (h->order != DF_ORDER)
		return bad(error, path, "damaged header");
	if (h->major != DF_MAJOR && h->major != DF_MAJOR_COMPRESSED) {
		snprintf(what, sizeof(what), "has version %u, this pfmon reads %u and %u",
			 h->major, DF_MAJOR, DF_MAJOR_COMPRESSED);
		return bad(error, path, what);
	}
	if (h->major == DF_MAJOR_COMPRESSED && !compress_is_there)
		return bad(error, path, "is compressed, and this pfmon was built without zstd");
	if (h->size < sizeof(*h) || h->size > HEADER_MAX || h->size % 8)
		return bad(error, path, "damaged header");
	h->boot[DF_BOOT_MAX - 1] = '\0';
	h->title[DF_TITLE_MAX - 1] = '\0';
	if (data_rewind(r))
		return bad(error, path, strerror(errno));
	return 0;
}

const char *data_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

static FILE *open_path(const char *path)
{
	int fd;

	if (strcmp(path, "-"))
		return fopen(path, "re");
	fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? NULL : fdopen(fd, "r");
}

static FILE *open_nameless(void)
{
	const char *dir = secure_getenv("TMPDIR");
	int fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		fd = memfd_create("pfmon", MFD_CLOEXEC);
	return fd < 0 ? NULL : fdopen(fd, "w+");
}

/* Read it all, so that it can be read again. */
static int keep_all(struct data_reader *r)
{
	FILE *copy = open_nameless();
	char part[65536];
	size_t n;
	int e;

	errno = 0;
	while (copy && (n = fread(part, 1, sizeof(part), r->file)) &&
	       fwrite(part, 1, n, copy) == n)
		;
	if (copy && !ferror(r->file) && !ferror(copy) && !fflush(copy) && !fseeko(copy, 0, SEEK_SET)) {
		fclose(r->file);
		r->file = copy;
		return 0;
	}
	e = errno ? errno : EIO;
	if (copy)
		fclose(copy);
	errno = e;
	return -1;
}

int data_open(struct data_reader *r, const char *path,
	      char error[DATA_ERROR_MAX])
{
	memset(r, 0, sizeof(*r));
	r->file = open_path(path);
	if (!r->file)
		return bad(error, path, strerror(errno));
	if (fseeko(r->file, 0, SEEK_SET) && errno == ESPIPE && keep_all(r)) {
		bad(error, path, strerror(errno));
		data_done(r);
		return -1;
	}
	if (!read_header(r, path, error))
		return 0;
	data_done(r);
	return -1;
}

int data_rewind(struct data_reader *r)
{
	return data_seek(r, r->header.size);
}

/* The last compressed records that begin at @offset or before it, NULL: there are none. */
static const struct data_packed *find_packed(const struct data_reader *r, uint64_t offset)
{
	size_t low = 0, high = r->packs, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (r->packed[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &r->packed[low - 1] : NULL;
}

uint64_t data_place(const struct data_reader *r, uint64_t offset)
{
	const struct data_packed *p = find_packed(r, offset);

	return !p ? offset : offset < p->end ? p->at : p->behind + (offset - p->end);
}

/* What is before a record in the file. */
static bool read_head(struct data_reader *r)
{
	if (fread(&r->head, sizeof(r->head), 1, r->file) != 1)
		return false;
	if (r->turned)
		pmon_turn(&r->head, "44");
	return true;
}

static bool is_good(const struct df_record *head)
{
	return !(head->size % 8) && head->size <= DF_RECORD_MAX && head->type;
}

/* The content of a record, or false if the file ends before it does. */
static bool read_body(struct data_reader *r)
{
	size_t have = 0, want = r->head.size, step;

	while (have < want) {
		step = want - have < STEP ? want - have : STEP;
		if (r->room < have + step) {
			unsigned char *more = realloc(r->body, have + step);

			if (!more)
				return false;
			r->body = more;
			r->room = have + step;
		}
		if (fread(r->body + have, step, 1, r->file) != 1)
			return false;
		have += step;
	}
	return true;
}

static void add_packed(struct data_reader *r, uint64_t size)
{
	uint64_t at = data_place(r, r->offset);

	if (r->packs == r->packs_room) {
		r->packs_room = r->packs ? 2 * r->packs : 64;
		r->packed = reallocarray(r->packed, r->packs_room, sizeof(*r->packed));
		if (!r->packed)
			err(EXIT_PFMON, NULL);
	}
	r->packed[r->packs++] = (struct data_packed){
		.offset = r->offset, .end = r->offset + size,
		.at = at, .behind = at + sizeof(r->head) + r->head.size,
	};
}

/*
 * The record whose head was read is compressed ones, the @n-th of the file: decompress them. They
 * need memory as the file has bytes, and not as it says.
 */
static enum data_status read_packed(struct data_reader *r, size_t n)
{
	struct df_compressed c;

	if (!is_good(&r->head) || r->head.size < sizeof(c))
		return DATA_DAMAGED;
	if (!read_body(r))
		return DATA_TRUNCATED;
	memcpy(&c, r->body, sizeof(c));
	if (r->turned)
		pmon_turn(&c, "84");
	if (!c.size || c.size % 8 || c.size > sizeof(r->head) + DF_RECORD_MAX ||
	    c.size > (uint64_t)DF_RATIO_MAX * (sizeof(r->head) + r->head.size) ||
	    c.bytes > r->head.size - sizeof(c))
		return DATA_DAMAGED;
	r->have = 0;
	free(r->records);
	r->records = malloc((size_t)c.size);
	if (!r->records)
		return DATA_TRUNCATED;
	if (!compress_undo(r->records, (size_t)c.size, r->body + sizeof(c), c.bytes))
		return DATA_DAMAGED;
	if (n == r->packs)
		add_packed(r, c.size);
	else if (r->packed[n].end - r->packed[n].offset != c.size)
		return DATA_DAMAGED;	/* somebody has written to the file */
	r->have = n + 1;
	r->inside = true;
	return DATA_RECORD;
}

int data_seek(struct data_reader *r, uint64_t offset)
{
	const struct data_packed *p = find_packed(r, offset);
	bool inside = p && offset < p->end;
	size_t n = inside ? (size_t)(p - r->packed) : 0;

	r->offset = offset;
	r->head.type = 0;
	r->inside = false;
	if (!inside || r->have == n + 1) {
		r->inside = inside;
		return fseeko(r->file, (off_t)(inside ? p->behind : data_place(r, offset)), SEEK_SET);
	}
	if (fseeko(r->file, (off_t)p->at, SEEK_SET))
		return -1;
	r->inside = read_head(r) && read_packed(r, n) == DATA_RECORD;
	r->head.type = 0;
	return r->inside ? 0 : -1;
}

void data_done(struct data_reader *r)
{
	fclose(r->file);
	free(r->body);
	free(r->packed);
	free(r->records);
	r->body = r->records = NULL;
	r->packed = NULL;
}

/* A string within the record that ends there; NULL if it does not. */
static const char *take_string(const struct data_reader *r, size_t *at)
{
	const char *text, *end;

	if (*at >= r->head.size)
		return NULL;
	text = (const char *)r->body + *at;
	end = memchr(text, '\0', r->head.size - *at);
	if (!end)
		return NULL;
	*at += (size_t)(end - text) + 1;
	return text;
}

static void turn_readings(struct data_reader *r, void *at)
{
	const struct df_event *event = (const void *)r->body;
	size_t room = (r->head.size - sizeof(*event)) / sizeof(event->reading[0]);
	unsigned int i;

	for (i = 0; i < event->readings && i < room; i++)
		at = pmon_turn(at, "224");
}

/* They are behind the path. */
static void turn_segments(struct data_reader *r)
{
	size_t at = sizeof(struct df_binary);

	if (!take_string(r, &at))
		return;
	for (at = (at + 7) & ~(size_t)7; at < r->head.size; at += 8)
		pmon_turn(r->body + at, "8");
}

static void turn_symbols(struct data_reader *r, void *at)
{
	const struct df_symbols *s = (const void *)r->body;
	size_t room = (r->head.size - sizeof(*s)) / sizeof(s->symbol[0]);
	uint32_t i;

	for (i = 0; i < s->symbols && i < room; i++)
		at = pmon_turn(at, "88");
}

/* The numbers of a record, as far as this version knows them; blocks stay as they are. */
static void turn_body(struct data_reader *r)
{
	static const char *const widths[] = {
		[DF_EVENT] = "222288", [DF_PROCESS] = "448", [DF_MAP] = "448888",
		[DF_SAMPLES] = UUID "4444", [DF_LOST] = "88888888",
		[DF_END] = "8844", [DF_BINARY] = "4488", [DF_TURNS] = "4488",
		[DF_MODULE] = "88844", [DF_JIT] = "448", [DF_INODE] = "448",
		[DF_SYMBOLS] = "44",
	};
	const char *known, *digit;
	size_t size = 0;
	void *at;

	if (r->head.type >= sizeof(widths) / sizeof(widths[0]))
		return;
	known = widths[r->head.type];
	for (digit = known; digit && *digit; digit++)
		size += (size_t)(*digit - '0');
	if (!known || r->head.size < size)
		return;
	at = pmon_turn(r->body, known);
	if (r->head.type == DF_EVENT)
		turn_readings(r, at);
	else if (r->head.type == DF_SYMBOLS)
		turn_symbols(r, at);
	else if (r->head.type == DF_BINARY)
		turn_segments(r);
}

/* Which of the compressed ones of the file the next record is, from 0. */
static size_t packed_here(const struct data_reader *r)
{
	const struct data_packed *p = find_packed(r, r->offset);

	if (!p)
		return 0;
	return (size_t)(p - r->packed) + (p->offset != r->offset);
}

/* The next record from those that were compressed. None of these can be compressed again. */
static enum data_status take_record(struct data_reader *r)
{
	const struct data_packed *p = &r->packed[r->have - 1];
	const unsigned char *from = r->records + (r->offset - p->offset);
	uint64_t left = p->end - r->offset;
	unsigned char *body;

	memcpy(&r->head, from, sizeof(r->head));
	if (r->turned)
		pmon_turn(&r->head, "44");
	left -= sizeof(r->head);
	if (!is_good(&r->head) || r->head.type == DF_COMPRESSED || r->head.size > left)
		return DATA_DAMAGED;
	if (r->room < r->head.size) {
		body = realloc(r->body, r->head.size);
		if (!body)
			return DATA_TRUNCATED;
		r->body = body;
		r->room = r->head.size;
	}
	if (r->head.size)
		memcpy(r->body, from + sizeof(r->head), r->head.size);
	r->inside = left > r->head.size;
	return DATA_RECORD;
}

enum data_status data_next(struct data_reader *r)
{
	enum data_status status = DATA_RECORD;

	if (r->head.type == DF_END && r->offset > r->header.size)
		return DATA_END;
	if (!r->inside) {
		if (!read_head(r))
			return DATA_TRUNCATED;
		if (r->head.type != DF_COMPRESSED)
			status = is_good(&r->head) ? read_body(r) ? DATA_RECORD : DATA_TRUNCATED :
						     DATA_DAMAGED;
		else
			status = read_packed(r, packed_here(r));
	}
	if (status == DATA_RECORD && r->inside)
		status = take_record(r);
	if (status != DATA_RECORD)
		return status;
	if (r->turned)
		turn_body(r);
	r->offset += sizeof(r->head) + r->head.size;
	return DATA_RECORD;
}

static bool copy_string(const struct data_reader *r, size_t *at,
			char name[SMPL_NAME_MAX])
{
	const char *text = take_string(r, at);

	if (!text || strlen(text) >= SMPL_NAME_MAX)
		return false;
	strcpy(name, text);
	return true;
}

bool data_get_event(const struct data_reader *r, struct sampled_event *e)
{
	const struct df_event *event = (const void *)r->body;
	size_t at = sizeof(*event);
	unsigned int i;

	memset(e, 0, sizeof(*e));
	if (r->head.size < sizeof(*event) || event->readings > MAX_READINGS ||
	    event->pmd >= PFM_MAX_PMDS)
		return false;
	at += event->readings * sizeof(event->reading[0]);
	if (at > r->head.size || !copy_string(r, &at, e->name))
		return false;
	e->pmd = event->pmd;
	e->set = event->set;
	e->sets = 1;
	e->unit = event->unit == UNIT_NS ? UNIT_NS : UNIT_COUNT;
	if (event->unit == DF_RATE && !event->period)
		return false;
	*(event->unit == DF_RATE ? &e->frequency : &e->period) = event->period;
	e->random_mask = event->random_mask;
	e->readings = event->readings;
	for (i = 0; i < e->readings; i++) {
		e->reading[i].pmd = event->reading[i].pmd;
		e->reading[i].since_last = event->reading[i].kind == DF_SINCE_LAST;
		if (!copy_string(r, &at, e->reading[i].name))
			return false;
	}
	return true;
}

bool data_get_process(const struct data_reader *r, struct data_process *p)
{
	size_t at = sizeof(*p->process);

	p->process = (const void *)r->body;
	p->comm = take_string(r, &at);
	p->command = p->comm ? take_string(r, &at) : NULL;
	return p->command;
}

bool data_get_map(const struct data_reader *r, struct data_map *m)
{
	size_t at = sizeof(*m->map);

	m->map = (const void *)r->body;
	m->path = take_string(r, &at);
	return m->path && m->map->start < m->map->end;
}

bool data_get_binary(const struct data_reader *r, struct data_binary *b)
{
	size_t at = sizeof(*b->binary);

	b->binary = (const void *)r->body;
	b->path = take_string(r, &at);
	if (!b->path)
		return false;
	at = (at + 7) & ~(size_t)7;
	b->segment = (const void *)(r->body + at);
	b->segments = (r->head.size - at) / sizeof(*b->segment);
	return b->binary->number && b->binary->id_size <= sizeof(b->binary->id);
}

bool data_get_inode(const struct data_reader *r, struct df_inode *inode)
{
	if (r->head.size < sizeof(*inode))
		return false;
	memcpy(inode, r->body, sizeof(*inode));
	return true;
}

bool data_get_module(const struct data_reader *r, struct data_module *m)
{
	size_t at = sizeof(*m->module);

	m->module = (const void *)r->body;
	m->name = take_string(r, &at);
	return m->name && m->module->id_size <= sizeof(m->module->id);
}

bool data_get_jit(const struct data_reader *r, struct data_jit *j)
{
	size_t at = sizeof(*j->jit);

	j->jit = (const void *)r->body;
	j->text = take_string(r, &at);
	return j->text;
}

bool data_get_symbols(const struct data_reader *r, struct data_symbols *s)
{
	size_t at = sizeof(*s->symbols);
	uint32_t i;

	s->symbols = (const void *)r->body;
	if (r->head.size < at ||
	    s->symbols->symbols > (r->head.size - at) / sizeof(s->symbols->symbol[0]))
		return false;
	at += s->symbols->symbols * sizeof(s->symbols->symbol[0]);
	s->names = (const char *)r->body + at;
	for (i = 0; i < s->symbols->symbols; i++)
		if (!take_string(r, &at))
			return false;
	return true;
}

bool data_get_samples(const struct data_reader *r, struct data_samples *s)
{
	if (r->head.size < sizeof(*s->samples))
		return false;
	s->samples = (const void *)r->body;
	s->buf = r->body + sizeof(*s->samples);
	return s->samples->bytes <= r->head.size - sizeof(*s->samples);
}

bool data_get_lost(const struct data_reader *r, struct df_lost *lost)
{
	if (r->head.size < sizeof(*lost))
		return false;
	memcpy(lost, r->body, sizeof(*lost));
	return true;
}

bool data_get_turns(const struct data_reader *r, struct df_turns *turns)
{
	if (r->head.size < sizeof(*turns))
		return false;
	memcpy(turns, r->body, sizeof(*turns));
	return true;
}

bool data_get_end(const struct data_reader *r, struct df_end *end)
{
	if (r->head.size < sizeof(*end))
		return false;
	memcpy(end, r->body, sizeof(*end));
	return true;
}
