// SPDX-License-Identifier: GPL-2.0-only
/* Files that are written beside their names, and renamed when they are complete. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "require.h"
#include "outfile.h"

/* What is to be removed at the exit, unless it is worth to be kept. */
static char *unfinished;
static bool worth;

static void end_unfinished(void)
{
	if (unfinished && worth)
		warnx("what was written so far is in %s", unfinished);
	else if (unfinished)
		unlink(unfinished);
}

static char *join(const char *name, const char *suffix)
{
	char *text;

	if (asprintf(&text, "%s%s", name, suffix) < 0)
		err(EXIT_PFMON, NULL);
	return text;
}

/* The name that a descriptor's file has now, NULL if it cannot be told. */
static char *name_of(int fd, const struct stat *st)
{
	char link[32], name[PATH_MAX];
	struct stat now;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, name, sizeof(name) - 1);
	if (len <= 0)
		return NULL;
	name[len] = '\0';
	if (*name != '/' || lstat(name, &now) || now.st_dev != st->st_dev ||
	    now.st_ino != st->st_ino)
		return NULL;
	return join(name, "");
}

static bool is_descriptor(const char *path)
{
	return !strncmp(path, "/dev/std", 8) || !strncmp(path, "/dev/fd/", 8) ||
	       !strncmp(path, "/proc/", 6);
}

/*
 * The name that another file can take, NULL: there is none. Not that of a device or a
 * pipe, and not one that stands for a descriptor, as /dev/stdout does: others go on
 * writing to that. Nor that of another user's file, or of one with other names. A link
 * to a file stays one; the kernel follows it, and does not if it is another user's in
 * a directory as /tmp (fs.protected_symlinks).
 */
static char *replaceable(const char *path, struct stat *st)
{
	char *name = NULL;
	int fd;

	memset(st, 0, sizeof(*st));
	if (is_descriptor(path))
		return NULL;
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)	/* A link to nothing is there, and open() makes what it names. */
		return errno == ENOENT && lstat(path, st) ? join(path, "") : NULL;
	if (!fstat(fd, st) && S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
	    st->st_nlink == 1)
		name = name_of(fd, st);
	close(fd);
	return name;
}

static mode_t mode_of_new(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* @where: where it is until it is complete, and how its name begins; released here */
static int open_temp(struct outfile *o, char *where, mode_t mode)
{
	static bool registered;
	int fd;

	o->temp = join(where, ".XXXXXX");
	free(where);
	fd = mkostemp(o->temp, O_CLOEXEC);
	if (fd < 0)
		return -1;
	unfinished = o->temp;
	worth = false;
	if (!registered)
		atexit(end_unfinished);
	registered = true;
	return fchmod(fd, mode) ? -1 : fd;
}

/* For a file that gets what is in another one, when that is complete. */
static int open_elsewhere(struct outfile *o, int fd, const char *path)
{
	const char *dir = secure_getenv("TMPDIR"), *name = strrchr(path, '/');
	char *start = join(dir && *dir ? dir : "/tmp", "/");
	char *where = join(start, name ? name + 1 : path);
	int e;

	free(start);
	o->into = fdopen(fd, "w");
	if (!o->into)
		err(EXIT_PFMON, NULL);
	o->path = join(path, "");
	fd = open_temp(o, where, 0600);
	if (fd < 0) {
		e = errno;
		warn("%s", o->temp);
		errno = e;
	}
	return fd;
}

/*
 * As a shell's redirection, but a file that has a name keeps what is in it until there is
 * something better. What only its owner may read is not for another user's file, nor for
 * one with other names.
 */
static int open_there(struct outfile *o, const char *path, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, mode ? mode : 0666);
	struct stat st;
	int e = 0;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st))
		e = errno;
	else if (!S_ISREG(st.st_mode))
		return fd;
	else if (mode && (st.st_uid != geteuid() || st.st_nlink > 1))
		e = st.st_nlink > 1 ? EMLINK : EPERM;
	else if (!is_descriptor(path))
		return open_elsewhere(o, fd, path);
	else if ((mode && fchmod(fd, mode)) || ftruncate(fd, 0))
		e = errno;
	if (!e)
		return fd;
	close(fd);
	errno = e;
	return -1;
}

/* As what is printed without a name is: to whatever it was opened for, and not from its begin. */
static int open_stdout(struct outfile *o)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);

	o->file = fd < 0 ? NULL : fdopen(fd, "w");
	return o->file ? 0 : -1;
}

int outfile_open(struct outfile *o, const char *path, mode_t mode)
{
	struct stat st;
	int fd = -1;

	memset(o, 0, sizeof(*o));
	o->mode = mode;
	if (outfile_is_stdout(path))
		return open_stdout(o);
	o->path = replaceable(path, &st);
	if (o->path)
		fd = open_temp(o, join(o->path, ""), mode ? mode :
			       st.st_mode ? st.st_mode & 0777 : mode_of_new());
	/* A file can be one's own where nothing can be made beside it. */
	if (!o->path || (fd < 0 && !unfinished && st.st_mode &&
			 (errno == EACCES || errno == EPERM || errno == EROFS))) {
		free(o->path);
		free(o->temp);
		o->path = o->temp = NULL;
		fd = open_there(o, path, mode);
	}
	if (fd < 0)
		return -1;
	o->file = fdopen(fd, "w");
	return o->file ? 0 : -1;
}

/* What has the name gets another one; there need not be anything. */
static int put_away(const char *path, const char *suffix)
{
	char *old = join(path, suffix);
	int ret = rename(path, old);

	free(old);
	return ret && errno != ENOENT ? -1 : 0;
}

int outfile_write_all(int fd, const void *data, size_t size)
{
	const char *from = data;
	ssize_t n;

	for (; size; from += n, size -= (size_t)n) {
		n = write(fd, from, size);
		if (n < 0)
			return -1;
	}
	return 0;
}

/* Return: 0, or -1: @st says how long the file was, and it is as it was. */
static int make_room(int fd, off_t size, const struct stat *st)
{
	int e;

	if (!size || !fallocate(fd, 0, 0, size) || errno == EOPNOTSUPP ||
	    errno == ENOSYS || errno == EINTR)
		return 0;
	e = errno;
	if (ftruncate(fd, st->st_size))
		warn("cannot have its old size again");
	errno = e;
	return -1;
}

static int copy_into(const struct outfile *o)
{
	int from = fileno(o->file), into = fileno(o->into), e;
	struct stat new, old;
	char part[16384];
	off_t at = 0;
	ssize_t n;

	if (fstat(from, &new) || fstat(into, &old) || make_room(into, new.st_size, &old) ||
	    (o->mode && fchmod(into, o->mode)))
		return -1;
	while ((n = pread(from, part, sizeof(part), at)) > 0 &&
	       !outfile_write_all(into, part, (size_t)n))
		at += n;
	if (!n && !ftruncate(into, new.st_size) && !fclose(o->into))
		return 0;
	e = errno;
	warnx("%s is overwritten, and has %lld bytes of %lld", o->path, (long long)at,
	      (long long)new.st_size);
	errno = e;
	return -1;
}

/* Has the last reader of a pipe closed it? */
static bool reader_gone(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && p.revents & POLLERR;
}

bool outfile_unread(const struct outfile *o)
{
	return reader_gone(fileno(o->file));
}

/*
 * The error for which stdio could not write to @fd: stdio remembers only that there was one.
 * Write one byte more to a file, see its error, and cut the byte off.
 */
static int error_of(int fd)
{
	struct stat st;
	int e = EIO;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return reader_gone(fd) ? EPIPE : e;
	if (pwrite(fd, "", 1, st.st_size) < 0)
		e = errno;
	else if (ftruncate(fd, st.st_size))
		warn("one byte too many is written");
	return e;
}

int outfile_keep(struct outfile *o, const char *suffix)
{
	int e, ret;

	errno = 0;
	if (fflush(o->file) || ferror(o->file)) {
		e = errno ? errno : error_of(fileno(o->file));
		fclose(o->file);
		errno = e;
		return -1;
	}
	ret = o->into ? copy_into(o) : 0;
	e = errno;
	if (fclose(o->file))
		return -1;
	errno = e;
	if (ret)
		return -1;
	if (!o->temp)
		return 0;
	if (o->into)
		unlink(o->temp);
	else if ((suffix && put_away(o->path, suffix)) || rename(o->temp, o->path))
		return -1;
	unfinished = NULL;
	free(o->temp);
	free(o->path);
	return 0;
}

void outfile_value(struct outfile *o)
{
	if (o->temp)
		worth = true;
}

void outfile_disown(void)
{
	unfinished = NULL;
}

void outfile_drop(struct outfile *o)
{
	if (o->temp)
		unlink(o->temp);
	unfinished = NULL;
}

void outfile_fail(const struct outfile *o, const char *what, int status)
{
	unfinished = NULL;
	if (errno == EPIPE)
		exit(status ? status : 128 + SIGPIPE);
	err(status ? status : EXIT_PFMON, "cannot write %s%s%s", what,
	    o->temp ? "; what was written is in " : "", o->temp ? o->temp : "");
}

void outfile_finish(struct outfile *o, const char *what, int status)
{
	bool standard = o->file == stdout || o->file == stderr;

	if (!standard && outfile_keep(o, NULL))
		outfile_fail(o, what, status);
	errno = 0;
	if (standard && (fflush(o->file) || ferror(o->file))) {
		errno = errno ? errno : error_of(fileno(o->file));
		outfile_fail(o, what, status);
	}
}
