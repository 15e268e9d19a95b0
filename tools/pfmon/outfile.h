/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that pfmon writes. It is written beside its name and gets the name when
 * it is complete, so that whatever had the name is there until then.
 */
#ifndef PFMON_OUTFILE_H
#define PFMON_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

struct outfile {
	FILE *file;
	char *path;		/* where it will be; NULL: it is there already */
	char *temp;		/* where it is until then */
	FILE *into;		/* overwritten by it then; NULL: it gets the name */
	mode_t mode;		/* of outfile_open() */
};

/**
 * outfile_open() - begin a file
 * @o:    filled in
 * @path: its name; "-" is standard output. A regular file of another user, one with several names and one
 *        where nothing can be made beside it is overwritten by outfile_keep(); until
 *        then what is written is in $TMPDIR or /tmp. What is no regular file, or
 *        stands for a descriptor, is written at once
 * @mode: who may read it, 0: as the file that has the name, or as any new file. If
 *        it is not 0, a regular file of another user (EPERM) or with several names
 *        (EMLINK) is refused
 *
 * Until outfile_keep() one file can be written at a time; what is not kept until
 * pfmon exits is removed, except after outfile_value().
 *
 * Return: 0, or -1 with errno set.
 */
int outfile_open(struct outfile *o, const char *path, mode_t mode);

/**
 * outfile_is_stdout() - does a name stand for standard output?
 * @path: name
 *
 * Return: true if it is "-"; a file of that name is "./-".
 */
static inline bool outfile_is_stdout(const char *path)
{
	return !strcmp(path, "-");
}

/**
 * outfile_write_all() - write to a descriptor, again and again until all is written
 * @fd:   descriptor that blocks
 * @data: what
 * @size: bytes of it
 *
 * Return: 0, or -1 with errno set; a part of it can be written then.
 */
int outfile_write_all(int fd, const void *data, size_t size);

/**
 * outfile_unread() - has the last reader of a pipe closed it?
 * @o: from outfile_open()
 *
 * A program that writes to such a pipe gets EPIPE. pfmon record can have nothing to write for
 * a long time, as when the CPUs that it samples are idle: so it asks now and then.
 *
 * Return: true, or false if there is a reader or the file is no pipe.
 */
bool outfile_unread(const struct outfile *o);

/**
 * outfile_keep() - it is complete: give it its name
 * @o:      from outfile_open()
 * @suffix: what had the name gets this behind it; NULL: it is removed
 *
 * On error what was written stays where it is, in @o->temp, unless that is NULL. If the
 * file was to be overwritten and is so in part, that is said.
 *
 * Return: 0, or -1 with errno set.
 */
int outfile_keep(struct outfile *o, const char *suffix);

/**
 * outfile_value() - what is written by now is worth to be kept
 * @o: from outfile_open()
 *
 * If pfmon exits before outfile_keep() the file is left, and it is said where.
 */
void outfile_value(struct outfile *o);

/**
 * outfile_disown() - what is written is not this process', which has forked
 *
 * However the process exits, nothing is removed, and nothing said.
 */
void outfile_disown(void);

/**
 * outfile_drop() - remove it, whatever is written by now
 * @o: from outfile_open(), not kept
 */
void outfile_drop(struct outfile *o);

/**
 * outfile_fail() - end pfmon because of errno, say why and where the file is
 * @o:      that could not be completed; what there is of it is left
 * @what:   that was to be written
 * @status: of the command, which is that of pfmon then unless it is 0
 *
 * That the reader of a pipe has closed it (EPIPE) is no fault: nothing is said then, and
 * pfmon's status is that of a program that SIGPIPE has ended, 128 more than its number.
 */
void __attribute__((noreturn))
outfile_fail(const struct outfile *o, const char *what, int status);

/**
 * outfile_finish() - complete a file, or end pfmon if that fails
 * @o:      from outfile_open(), or with a standard stream in its place, which stays open
 * @what:   that was to be written
 * @status: of the command, see outfile_fail()
 */
void outfile_finish(struct outfile *o, const char *what, int status);

#endif /* PFMON_OUTFILE_H */
