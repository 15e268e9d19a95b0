// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parts of a program that have names. Each thread that runs one has a context, which is
 * read where a region begins and where it ends: the difference is the region's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pmon.h"

#define NAME_SIZE	4096		/* of a report's file */

/* A region that a thread is in: thread.inner; or the memory of one that has ended: thread.spare. */
struct frame {
	struct frame *outer;
	size_t size;			/* bytes of all */
	char *name;			/* behind the values */
	uint64_t since;			/* ns */
	pmon_value_t value[];
};

struct thread {
	struct thread *next, **link;	/* with the lock */
	pmon_t *m;			/* NULL: there is none ... */
	int failed;			/* ... for this errno, ... */
	char *why;			/* ... in words, ... */
	uint64_t again;			/* ... until this ns, when it is tried again */
	unsigned int left_out;		/* regions that it is in, and another thread counts */
	struct frame *inner;		/* the regions that this thread is in, the last one first */
	struct frame *spare;		/* memory for those that it enters next */
};

/* All runs of a region. */
struct region {
	struct region *next;
	char *name;
	uint64_t runs, ns;
	pmon_value_t value[];
};

enum { UNKNOWN, OFF, ON };

#define AGAIN_NS	1000000000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int state;			/* written once, before anything else is */
static const char *events;
static bool inherit;			/* regions count what is made in them, too */
static pid_t forked;			/* number of this process, if fork() made it */
static struct stat earlier;		/* what had the report's name when the first region began */
static struct thread *threads;		/* with the lock, like what follows */
static struct region *regions, **last = &regions;	/* in the order of their first ends */
static char **names;			/* of events, from the first thread on */
static unsigned int n_names;
static char *trouble;			/* why something was not counted, the first reason */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void free_frames(struct frame *f)
{
	struct frame *outer;

	for (; f; f = outer) {
		outer = f->outer;
		free(f);
	}
}

static void free_thread(struct thread *t)
{
	free_frames(t->inner);
	free_frames(t->spare);
	pmon_close(t->m);
	free(t->why);
	free(t);
}

/* Regions that it has not ended are not counted. */
static void end_thread(void *arg)
{
	struct thread *t = arg;

	pthread_mutex_lock(&lock);
	*t->link = t->next;
	if (t->next)
		t->next->link = t->link;
	pthread_mutex_unlock(&lock);
	free_thread(t);
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void parent_after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/*
 * The child drops the parent's contexts: the parent reports what they counted. A parent
 * without regions has made no key, so the child has none to forget.
 */
static void child_after_fork(void)
{
	struct thread *t;
	struct region *r;

	while ((t = threads)) {
		threads = t->next;
		free_thread(t);
	}
	while ((r = regions)) {
		regions = r->next;
		free(r->name);
		free(r);
	}
	last = &regions;
	if (state == ON)
		pthread_setspecific(key, NULL);
	forked = getpid();
	pthread_mutex_unlock(&lock);
}

/* Before a thread can be in here; a second time, the lock would be taken twice. */
__attribute__((constructor)) static void guard_forks(void)
{
	pthread_atfork(before_fork, parent_after_fork, child_after_fork);
}

static bool ends_in(const char *text, const char *end)
{
	return strlen(text) >= strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

/*
 * A report gets the name when it is complete, if a file of that name would be this user's
 * own and nothing else's. @temp: its name until then, "" if it is written at once.
 */
static FILE *open_report(const char *name, char *temp, size_t size)
{
	struct stat st = { .st_mode = S_IFREG, .st_uid = geteuid(), .st_nlink = 1 };
	FILE *out = NULL;
	bool there;
	int fd = -1;

	there = !lstat(name, &st);
	if (S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1 &&
	    snprintf(temp, size, "%s.%d-new", name, (int)getpid()) < (int)size)
		fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0) {
		if (!there || !fchmod(fd, st.st_mode & 0777))
			out = fdopen(fd, "w");
		if (out)
			return out;
		close(fd);
		unlink(temp);
	}
	*temp = '\0';
	return fopen(name, "we");
}

/* The number that starters of parallel programs give to each of its processes. */
static const char *rank(void)
{
	static const char *const from[] = {
		"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID",
	};
	const char *text = NULL;
	size_t i;

	for (i = 0; !text && i < sizeof(from) / sizeof(from[0]); i++)
		text = secure_getenv(from[i]);
	return text && *text && !strchr(text, '/') ? text : "0";
}

/* %p, %h and %r are put in. A child that fork() made has its number behind the name. */
static bool name_report(const char *path, char name[NAME_SIZE])
{
	char pid[24], host[256] = "";
	bool has_pid = false;
	size_t at = 0;

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	gethostname(host, sizeof(host) - 1);
	for (; *path; path++) {
		char one[2] = { *path, '\0' };
		const char *text = one;

		if (*path == '%' && path[1] && strchr("phr%", path[1])) {
			path++;
			has_pid |= *path == 'p';
			text = *path == 'p' ? pid : *path == 'h' ? host :
			       *path == 'r' ? rank() : "%";
		}
		at += (size_t)snprintf(name + at, NAME_SIZE - at, "%s", text);
		if (at >= NAME_SIZE)
			return false;
	}
	if (forked && !has_pid)
		at += (size_t)snprintf(name + at, NAME_SIZE - at, ".%s", pid);
	return at < NAME_SIZE;
}

/* Has another process made a file of that name since the first region began here? */
static bool is_taken(const char *name)
{
	struct stat st;

	return !lstat(name, &st) && (st.st_ino != earlier.st_ino || st.st_dev != earlier.st_dev ||
				     st.st_mtim.tv_sec != earlier.st_mtim.tv_sec ||
				     st.st_mtim.tv_nsec != earlier.st_mtim.tv_nsec);
}

/*
 * Processes of one program end together: one after the other they look and take the name, or
 * if it is taken one with their number. Where directories cannot be locked, or somebody keeps
 * the lock for longer than a second, that is left to chance: a program's end does not wait for
 * others.
 */
static int rename_report(const char *temp, const char *name)
{
	char numbered[NAME_SIZE + 32], dir[NAME_SIZE];
	const char *slash = strrchr(name, '/');
	int fd, ret, tries;

	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - name) + 1 : 1, slash ? name : ".");
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (tries = 0; fd >= 0 && tries < 100 && flock(fd, LOCK_EX | LOCK_NB) &&
			errno == EWOULDBLOCK; tries++)
		usleep(10000);
	snprintf(numbered, sizeof(numbered), "%s.%d", name, (int)getpid());
	ret = rename(temp, is_taken(name) ? numbered : name);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Return: 0, or -1 with errno set, and what has the name is as it was if it can be. */
static int close_report(FILE *out, const char *name, const char *temp)
{
	int e = ferror(out) ? EIO : 0;

	if (fclose(out))
		e = errno;
	if (!e && *temp && rename_report(temp, name))
		e = errno;
	if (e && *temp)
		unlink(temp);
	errno = e;
	return e ? -1 : 0;
}

static void report_at_exit(void)
{
	const char *path = secure_getenv("PMON_OUTPUT");
	char name[NAME_SIZE], temp[NAME_SIZE + 32];
	FILE *out = stderr;

	if (!regions && !trouble)
		return;
	if (path && *path) {
		errno = ENAMETOOLONG;
		out = name_report(path, name) ? open_report(name, temp, sizeof(temp)) : NULL;
		if (!out) {
			fprintf(stderr, "PMON_OUTPUT: %s: %s\n", path, strerror(errno));
			return;
		}
	}
	pmon_region_report(out, path && ends_in(path, ".json") ? PMON_JSON : PMON_TEXT);
	if (out != stderr && close_report(out, name, temp))
		fprintf(stderr, "PMON_OUTPUT: %s: %s\n", name, strerror(errno));
}

static void find_events(void)
{
	const char *path = secure_getenv("PMON_OUTPUT"), *made;
	char name[NAME_SIZE];

	events = secure_getenv("PMON_EVENTS");
	if (!events || !*events || pthread_key_create(&key, end_thread)) {
		state = OFF;
		return;
	}
	made = secure_getenv("PMON_INHERIT");
	inherit = made && *made && strcmp(made, "0");
	if (!path || !*path || !name_report(path, name) || lstat(name, &earlier))
		memset(&earlier, 0, sizeof(earlier));
	atexit(report_at_exit);
	state = ON;
}

/* With the lock. */
static void keep_names(const pmon_t *m)
{
	unsigned int i;

	if (names)
		return;
	names = calloc(pmon_events(m), sizeof(*names));
	for (i = 0; names && i < pmon_events(m); i++)
		names[i] = strdup(pmon_name(m, i));
	n_names = names ? pmon_events(m) : 0;
}

static void begin_thread(struct thread *t)
{
	pthread_mutex_lock(&lock);
	t->link = &threads;
	t->next = threads;
	if (t->next)
		t->next->link = &t->next;
	threads = t;
	pthread_mutex_unlock(&lock);
}

/* Was the thread, which has a context already, made by one that counts what it makes? */
static bool is_counted(void)
{
	const struct thread *t;
	bool counts = forked;

	pthread_mutex_lock(&lock);
	for (t = threads; t && !counts; t = t->next)
		counts = t->m;
	pthread_mutex_unlock(&lock);
	return counts;
}

/* A context for the thread. What fails costs much, and would at each region. */
static int open_context(struct thread *t)
{
	int ret;

	if (t->failed && now_ns() < t->again)
		return pmon_fail(t->failed, "%s", t->why ? t->why : strerror(t->failed));
	ret = pmon_open(&t->m, events, inherit ? PMON_INHERIT : 0);
	if (!ret)
		ret = pmon_start(t->m);
	t->failed = -ret;
	if (!ret) {
		pthread_mutex_lock(&lock);
		keep_names(t->m);
		pthread_mutex_unlock(&lock);
		return 0;
	}
	pmon_close(t->m);
	t->m = NULL;
	free(t->why);
	t->why = strdup(pmon_error());
	t->again = now_ns() + AGAIN_NS;
	return ret;
}

/*
 * Return: 0, and *out has no context if another thread counts it, or is NULL if nothing is to be
 * counted; or a negative errno.
 */
static int this_thread(struct thread **out)
{
	struct thread *t;
	int err;

	*out = NULL;
	pthread_once(&once, find_events);
	if (state == OFF)
		return 0;
	t = pthread_getspecific(key);
	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t)
			return pmon_fail(ENOMEM, "%s", strerror(ENOMEM));
		err = pthread_setspecific(key, t);
		if (err) {
			free(t);
			return pmon_fail(err, "pthread_setspecific: %s", strerror(err));
		}
		begin_thread(t);
	}
	*out = t;
	if (t->m)
		return 0;
	err = open_context(t);
	return err == -EBUSY && inherit && is_counted() ? 0 : err;
}

static int report_trouble(int ret)
{
	pthread_mutex_lock(&lock);
	if (!trouble)
		trouble = strdup(pmon_error());
	pthread_mutex_unlock(&lock);
	return ret;
}

/* The thread enters a region. Return: it, or NULL if there is no memory. */
static struct frame *enter(struct thread *t, const char *name)
{
	const unsigned int n = pmon_events(t->m);
	const size_t length = strlen(name) + 1;
	const size_t size = sizeof(struct frame) + n * sizeof(pmon_value_t) + length;
	struct frame *f = t->spare;

	if (f)
		t->spare = f->outer;
	if (!f || f->size < size) {
		free(f);
		f = malloc(size);
		if (!f)
			return NULL;
		f->size = size;
	}
	f->name = (char *)&f->value[n];
	memcpy(f->name, name, length);
	f->outer = t->inner;
	t->inner = f;
	return f;
}

/* It leaves the innermost one. */
static void leave(struct thread *t)
{
	struct frame *f = t->inner;

	t->inner = f->outer;
	f->outer = t->spare;
	t->spare = f;
}

int pmon_region_begin(const char *name)
{
	struct thread *t;
	struct frame *f;
	int ret = this_thread(&t);

	if (ret)
		return report_trouble(ret);
	if (!t)
		return 0;
	if (!t->m) {
		t->left_out++;
		return 0;
	}
	f = enter(t, name);
	if (!f)
		return report_trouble(pmon_fail(ENOMEM, "%s", strerror(ENOMEM)));
	f->since = now_ns();
	ret = pmon_read_counts(t->m, f->value, pmon_events(t->m));
	if (ret >= 0)
		return 0;
	leave(t);
	return report_trouble(ret);
}

/* With the lock. */
static struct region *region_of(const char *name, unsigned int n)
{
	struct region *r;

	for (r = regions; r; r = r->next)
		if (!strcmp(r->name, name))
			return r;
	r = calloc(1, sizeof(*r) + n * sizeof(r->value[0]));
	if (r && !(r->name = strdup(name))) {
		free(r);
		r = NULL;
	}
	if (r) {
		*last = r;
		last = &r->next;
	}
	return r;
}

/* With the lock. */
static void add_run(struct region *r, const struct frame *f, const pmon_value_t *now,
		    unsigned int n, uint64_t ns)
{
	pmon_value_t v;
	unsigned int i;

	r->runs++;
	r->ns += ns;
	for (i = 0; i < n; i++) {
		v.raw = now[i].raw - f->value[i].raw;
		v.active_ns = now[i].active_ns - f->value[i].active_ns;
		v.total_ns = now[i].total_ns - f->value[i].total_ns;
		r->value[i].raw += v.raw;
		r->value[i].active_ns += v.active_ns;
		r->value[i].total_ns += v.total_ns;
	}
}

int pmon_region_end(const char *name)
{
	pmon_value_t now[MAX_EVENTS];
	struct region *r;
	struct thread *t;
	struct frame *f;
	uint64_t ns;
	int ret = this_thread(&t);

	if (ret || !t)
		return ret;
	f = t->inner;
	/* Who counted the thread when the region began may do so no more. */
	if (t->left_out && (!f || strcmp(f->name, name))) {
		t->left_out--;
		return 0;
	}
	if (!f || strcmp(f->name, name))
		return pmon_fail(EINVAL, f ? "region '%s' ends where '%s' was to end first" :
				 "region '%s' ends and has not begun", name, f ? f->name : "");
	ret = pmon_read_counts(t->m, now, MAX_EVENTS);
	ns = now_ns() - f->since;
	if (ret >= 0) {
		pthread_mutex_lock(&lock);
		r = region_of(name, (unsigned int)ret);
		if (r)
			add_run(r, f, now, (unsigned int)ret, ns);
		pthread_mutex_unlock(&lock);
	}
	leave(t);
	return ret < 0 ? report_trouble(ret) : 0;
}

static void print_text(FILE *out, const struct region *r)
{
	unsigned int i;

	fprintf(out, "region '%s': %" PRIu64 " run%s, %.6f ms\n", r->name, r->runs,
		r->runs == 1 ? "" : "s", (double)r->ns / 1e6);
	for (i = 0; i < n_names; i++) {
		pmon_value_t v = r->value[i];

		pmon_scale(&v);
		if (v.active_ns == v.total_ns)
			fprintf(out, "  %20" PRIu64 "  %s\n", v.raw, names[i]);
		else if (!v.active_ns)
			fprintf(out, "  %20s  %s\n", "not counted", names[i]);
		else
			fprintf(out, " ~%20" PRIu64 "  %s (counted %.1f%% of the time)\n",
				v.scaled, names[i],
				100 * (double)v.active_ns / (double)v.total_ns);
	}
}

static void print_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text < ' ')
			fprintf(out, "\\u%04x", *text);
		else
			fputc(*text, out);
	}
	fputc('"', out);
}

static void print_json(FILE *out, const struct region *r)
{
	unsigned int i;

	fputs(r == regions ? "\n{\"name\": " : ",\n{\"name\": ", out);
	print_string(out, r->name);
	fprintf(out, ", \"runs\": %" PRIu64 ", \"ns\": %" PRIu64 ", \"events\": [", r->runs,
		r->ns);
	for (i = 0; i < n_names; i++) {
		pmon_value_t v = r->value[i];

		pmon_scale(&v);
		fputs(i ? ", {\"name\": " : "{\"name\": ", out);
		print_string(out, names[i]);
		fprintf(out, ", \"value\": %" PRIu64 ", \"counted\": %" PRIu64, v.scaled, v.raw);
		if (v.total_ns)
			fprintf(out, ", \"active_ns\": %" PRIu64 ", \"total_ns\": %" PRIu64,
				v.active_ns, v.total_ns);
		fputc('}', out);
	}
	fputs("]}", out);
}

int pmon_region_report(FILE *out, int format)
{
	const struct region *r;

	if (format != PMON_TEXT && format != PMON_JSON)
		return pmon_fail(EINVAL, "there is no format %d of reports", format);
	pthread_mutex_lock(&lock);
	if (format == PMON_JSON)
		fputs("{\"regions\": [", out);
	for (r = regions; r; r = r->next)
		(format == PMON_JSON ? print_json : print_text)(out, r);
	if (format == PMON_JSON) {
		fputs("\n], \"error\": ", out);
		if (trouble)
			print_string(out, trouble);
		else
			fputs("null", out);
		fputs("}\n", out);
	} else if (trouble) {
		fprintf(out, "regions that were not counted: %s\n", trouble);
	}
	pthread_mutex_unlock(&lock);
	return 0;
}
