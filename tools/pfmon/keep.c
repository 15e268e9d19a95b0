// SPDX-License-Identifier: GPL-2.0-only
/* The names of the functions that samples are in. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "require.h"
#include "binary.h"
#include "keys.h"
#include "keep.h"
#include "outfile.h"
#include "profile.h"
#include "result.h"
#include "signals.h"
#include "space.h"
#include "symtab.h"

#define BYTES_MAX	(64U << 20)	/* of names of a recording */
#define LOOK_NS		10000000000	/* for so long it is looked for them */
#define LOOK_ENDED_NS	1000000000	/* ... where a signal has ended the recording */
#define CPU_S		60
#define PATIENCE_MS	60000
#define SYMBOLS_EACH	4096		/* of a record */

enum { ALL = 0, FAILED = 1, PART = 2 };	/* how the other process ends */

/* What keys are made of: without padding. */
struct hit {
	uint32_t binary, is_module;	/* number of the file's record, 0: the kernel */
	uint64_t addr, size;
	const char *name, *module;	/* of text_intern() */
};

static struct collecting {
	struct data_writer data;
	struct keys hits;
	unsigned char *seen;		/* by the number of a place */
	size_t seen_room;
	uint64_t until;			/* now_ns() */
	unsigned int looks;
	size_t bytes;
	bool part;
} c;

static bool is_seen(const struct place *place)
{
	size_t room = c.seen_room ? c.seen_room : 4096;
	bool was;

	if (!place->number)
		return false;
	while (room <= place->number)
		room *= 2;
	if (room > c.seen_room) {
		c.seen = realloc(c.seen, room);
		if (!c.seen)
			err(EXIT_PFMON, NULL);
		memset(c.seen + c.seen_room, 0, room - c.seen_room);
		c.seen_room = room;
	}
	was = c.seen[place->number];
	c.seen[place->number] = true;
	return was;
}

static void add_place(const struct place *place)
{
	uint32_t binary = space_binary(place->mapping);
	bool kernel = !place->mapping && *place->binary == '[' &&
		      strcmp(place->binary, "[anonymous]") && strcmp(place->binary, PLACE_UNKNOWN);
	struct hit hit = {
		.binary = binary, .is_module = kernel && strcmp(place->binary, "[kernel]"),
		.addr = place->addr - place->offset, .size = place->size, .name = place->symbol,
	};
	size_t known = c.hits.n;

	if ((!binary && !kernel) || !strcmp(place->symbol, PLACE_UNKNOWN) ||
	    !strcmp(place->symbol, PLACE_CHANGED))
		return;
	if (hit.is_module)
		hit.module = place->binary;
	/* The last one of a file can have no end. */
	if (hit.size <= place->offset)
		hit.size = place->offset + 1;
	if (c.bytes > BYTES_MAX / 2) {
		c.part = true;
		return;
	}
	if (keys_number(&c.hits, &hit, sizeof(hit)) == known)
		c.bytes += sizeof(struct df_symbol) + strlen(hit.name) + 1 +
			   (hit.module ? strlen(hit.module) + 1 : 0);
}

/* Of several that are asked for each call the clock is looked at once. */
static bool is_late(void)
{
	if (!c.part && !(++c.looks & 0x3f) && now_ns() > c.until)
		c.part = true;
	return c.part;
}

static bool is_enough(void *arg)
{
	(void)arg;
	c.looks |= 0x3f;
	return is_late();
}

static void see_sample(void *arg, struct space *space, const struct sampled_event *event,
		       const struct pmon_sample *sample)
{
	unsigned int n = sample->kernel + sample->user, i;
	struct pmon_sample call = *sample;
	struct place place;

	(void)arg;
	(void)event;
	if (is_late())
		return;
	space_find(space, &call, &place);
	if (!is_seen(&place))
		add_place(&place);
	for (i = n && sample->chain[0] == sample->ip; i < n && !is_late(); i++) {
		call.ip = sample->chain[i] - (i && i != sample->kernel);
		space_find(space, &call, &place);
		if (!is_seen(&place))
			add_place(&place);
	}
}

static int by_file(const void *a, const void *b)
{
	const struct hit *x = ((const struct key *)a)->data, *y = ((const struct key *)b)->data;

	if (x->binary != y->binary)
		return x->binary < y->binary ? -1 : 1;
	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* @n functions of one file. */
static void write_record(const struct key *key, size_t n)
{
	struct df_symbols *record = calloc(1, sizeof(*record) + n * sizeof(record->symbol[0]));
	char *names = NULL;
	size_t size = 0, i;
	FILE *f = open_memstream(&names, &size);
	const struct hit *hit;

	if (!record || !f)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < n; i++) {
		hit = key[i].data;
		record->binary = hit->binary;
		record->symbol[i] = (struct df_symbol){ hit->addr, hit->size };
		fputs(hit->name, f);
		if (hit->module)
			fprintf(f, "\t%s", hit->module);
		fputc('\0', f);
	}
	record->symbols = (uint32_t)n;
	if (fclose(f))
		err(EXIT_PFMON, NULL);
	data_symbols(&c.data, record, names, size);
	free(names);
	free(record);
}

static void write_all(void)
{
	const struct key *key = c.hits.key;
	const struct hit *first, *next;
	size_t from, n;

	if (c.hits.n)
		qsort(c.hits.key, c.hits.n, sizeof(*key), by_file);
	for (from = 0; from < c.hits.n; from += n) {
		first = key[from].data;
		for (n = 1; from + n < c.hits.n && n < SYMBOLS_EACH; n++) {
			next = key[from + n].data;
			if (next->binary != first->binary)
				break;
		}
		write_record(key + from, n);
	}
}

static const struct images *recorded;

static int open_hidden(uint32_t number)
{
	return images_open(recorded, number);
}

/* The file of the recording is somebody else's, and messages are not for the user. */
static void __attribute__((noreturn)) collect(const char *path, int to)
{
	static const struct visitor visitor = { .any_order = true, .sample = see_sample,
						.enough = is_enough };
	static struct profile profile = { .visitor = &visitor };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char error[DATA_ERROR_MAX];

	outfile_disown();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	guard_lower(RLIMIT_CPU, CPU_S);
	guard_lower(RLIMIT_CORE, 0);
	guard_lower(RLIMIT_FSIZE, BYTES_MAX);
	c.data.out.file = fdopen(to, "w");
	if (null < 0 || dup2(null, STDERR_FILENO) < 0 || !c.data.out.file)
		_exit(FAILED);
	symtab_demangle = false;
	binaries_opener(open_hidden);
	c.until = now_ns() + (signals_last() ? LOOK_ENDED_NS : LOOK_NS);
	if (profile_read(&profile, path, NULL, error))
		_exit(FAILED);
	write_all();
	data_flush(&c.data);
	_exit(c.data.err ? FAILED : c.part ? PART : ALL);
}

/* Until that process has ended. Returns why it has to be ended before that, or NULL. */
static const char *wait_for(pid_t pid, int end, int *status)
{
	struct pollfd p[2] = {
		{ .fd = end, .events = POLLIN }, { .fd = signals_fd(), .events = POLLIN },
	};
	int n;

	do
		n = poll(p, signals_fd() > 0 ? 2 : 1, PATIENCE_MS);
	while (n < 0 && errno == EINTR);
	if (n <= 0 || !p[0].revents)
		kill(pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return "they could not be found";
	return n <= 0 ? "a minute was not enough to find them" :
	       !p[0].revents ? "a signal has ended the search for them" : NULL;
}

bool keep_check(const unsigned char *records, size_t size)
{
	struct df_record head;
	size_t at;

	for (at = 0; size - at >= sizeof(head); at += sizeof(head) + head.size) {
		memcpy(&head, records + at, sizeof(head));
		if (head.type != DF_SYMBOLS || head.size % 8 || head.size > size - at - sizeof(head))
			return false;
	}
	return at == size;
}

static const char *take_records(struct data_writer *data, int from)
{
	const char *wrong = NULL;
	unsigned char *records;
	struct stat st;
	size_t size;

	if (fstat(from, &st) || st.st_size > BYTES_MAX)
		return "they are too many";
	size = (size_t)st.st_size;
	records = malloc(size + 1);
	if (!records || pread(from, records, size, 0) != st.st_size ||
	    !keep_check(records, size))
		wrong = "they could not be read";
	else if (data_spend(data, records, size))
		wrong = "there is no room for them";
	free(records);
	return wrong;
}

/* @to: for the names; @end: what is closed when the other process ends */
static const char *have_collected(struct data_writer *data, int to, int end[2])
{
	const char *wrong;
	char path[32];
	int status;
	pid_t pid;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(data->out.file));
	/* A signal that came before has ended the recording. */
	if (signals_fd() > 0)
		signals_seen();
	pid = signals_fork();
	if (pid < 0)
		return "there is no other process";
	if (!pid)
		collect(path, to);
	close(end[1]);
	end[1] = -1;
	wrong = wait_for(pid, end[0], &status);
	if (wrong)
		return wrong;
	if (!WIFEXITED(status) || (WEXITSTATUS(status) != ALL && WEXITSTATUS(status) != PART))
		return "they could not be found";
	wrong = take_records(data, to);
	return !wrong && WEXITSTATUS(status) == PART ? "or not all of them: that would take too long" :
	       wrong;
}

const char *keep_names(struct data_writer *data, const struct images *images)
{
	int to, end[2] = { -1, -1 };
	const char *wrong = "there are no descriptors left";
	struct stat st;

	/* A pipe cannot be read again, and what is in no order that is ours is not read. */
	if (data->err || !symtab_has_elf || fstat(fileno(data->out.file), &st) ||
	    !S_ISREG(st.st_mode) || (uint64_t)st.st_size != data->bytes)
		return NULL;
	recorded = images;
	to = memfd_create("pfmon", MFD_CLOEXEC);
	if (to >= 0 && !pipe2(end, O_CLOEXEC))
		wrong = have_collected(data, to, end);
	if (to >= 0)
		close(to);
	if (end[0] >= 0)
		close(end[0]);
	if (end[1] >= 0)
		close(end[1]);
	return wrong;
}
