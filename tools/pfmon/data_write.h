/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing the data file. What cannot be written is remembered and not tried
 * again: data_close() tells.
 */
#ifndef PFMON_DATA_WRITE_H
#define PFMON_DATA_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "compress.h"
#include "datafile.h"
#include "events.h"
#include "outfile.h"
#include "sampled.h"

/* Records that each file of a rotated recording begins with. */
struct data_journal {
	unsigned char *records;
	size_t size, room;
	unsigned char *ended;	/* by pid: seen to have ended at the switch before */
};

/* What compresses the records of a recording, in one file or, if it is rotated, several. */
struct data_packer {
	struct compressor *compressor;
	unsigned char *records;		/* that wait */
	size_t size, room;
	unsigned char *packed;		/* a record that has some */
	size_t packed_room;
	uint64_t from, to;		/* bytes that were compressed, and that became of them */
};

struct data_writer {
	struct outfile out;
	int err;		/* of the first failure, 0 if there was none */
	uint64_t bytes;
	struct data_journal *journal;	/* NULL: none is kept */
	struct data_packer *packer;	/* NULL: records are not compressed */
};

/**
 * data_boot_id() - what tells this boot of the kernel from others
 * @boot: filled in, empty if that is not known
 */
void data_boot_id(char boot[DF_BOOT_MAX]);

/**
 * data_create() - begin a data file
 * @w:     filled in
 * @path:  "-" for standard output, or file, which appears when it is complete; an earlier one gets DF_OLD
 *         behind its name then
 * @title: of what is measured
 * @flags: DF_PERIODS_STAY or 0
 *
 * Return: 0, or -1 with errno set; EEXIST: a file that no recording has made would
 * be overwritten.
 */
int data_create(struct data_writer *w, const char *path, const char *title, uint32_t flags);

/**
 * data_create_packed() - begin a data file with compressed records
 * @w:      filled in
 * @path:   see data_create()
 * @title:  see data_create()
 * @flags:  see data_create()
 * @packer: of data_packer_new(), used until data_close(); NULL: as data_create()
 *
 * Return: see data_create().
 */
int data_create_packed(struct data_writer *w, const char *path, const char *title,
		       uint32_t flags, struct data_packer *packer);

/**
 * data_packer_new() - get ready to compress records
 * @level: see compress_new()
 *
 * Return: for data_create_packed(), for one file after the other; or NULL: there is no memory,
 * or pfmon was built without zstd.
 */
struct data_packer *data_packer_new(int level);

/**
 * data_size() - how long the file is, or would be
 * @w:    from data_create()
 * @more: bytes of a record that may be written next, 0: none
 *
 * Return: bytes. Records that are not compressed yet are taken to become as much smaller as
 * those before them have become.
 */
uint64_t data_size(const struct data_writer *w, uint64_t more);

/**
 * data_spare() - end pfmon if a file is a recording, which nothing else is to overwrite
 * @path: file for something else
 */
void data_spare(const char *path);

/**
 * data_event() - write what is sampled
 * @w: from data_create()
 * @e: event
 */
void data_event(struct data_writer *w, const struct sampled_event *e);

/**
 * data_process() - write that a process has begun, or executed a program
 * @w:       from data_create()
 * @pid:     its number
 * @parent:  of which it is a copy by fork(), 0: it has executed a program, or not known
 * @time:    when it was seen
 * @comm:    its name
 * @command: the first word of its command line
 */
void data_process(struct data_writer *w, int32_t pid, int32_t parent, uint64_t time,
		  const char *comm, const char *command);

/**
 * data_map() - write what it has mapped
 * @w:    from data_create()
 * @map:  where
 * @path: what
 */
void data_map(struct data_writer *w, const struct df_map *map, const char *path);

/**
 * data_binary() - write which file was mapped
 * @w:        from data_create()
 * @binary:   its identity
 * @path:     its path
 * @segment:  its parts that are code
 * @segments: so many
 */
void data_binary(struct data_writer *w, const struct df_binary *binary,
		 const char *path, const struct df_segment *segment, size_t segments);

/**
 * data_inode() - write where the file of the last data_binary() is
 * @w:     from data_create()
 * @inode: where
 */
void data_inode(struct data_writer *w, const struct df_inode *inode);

/**
 * data_module() - write that a module of the kernel is loaded
 * @w:      from data_create()
 * @module: where, and which
 * @name:   its name
 */
void data_module(struct data_writer *w, const struct df_module *module, const char *name);

/**
 * data_jit() - write what a process says of the code that it has made
 * @w:    from data_create()
 * @jit:  of which process
 * @text: lines
 */
void data_jit(struct data_writer *w, const struct df_jit *jit, const char *text);

/**
 * data_symbols() - write the names of functions of a file
 * @w:       from data_create()
 * @symbols: of which, and where they are
 * @names:   one after the other, each with a NUL
 * @size:    bytes of @names
 */
void data_symbols(struct data_writer *w, const struct df_symbols *symbols, const char *names,
		  size_t size);

/**
 * data_spend() - write records that somebody else has made, if there is room for them
 * @w:       from data_create(), a regular file
 * @records: whole ones, of this machine's order
 * @size:    bytes of them
 *
 * Return: 0, or -1 with errno set: nothing is written, and what comes next can be.
 */
int data_spend(struct data_writer *w, const void *records, size_t size);

/**
 * data_samples() - write a sampling buffer
 * @w:       from data_create()
 * @samples: where it is from; bytes says how long it is
 * @buf:     the buffer, or the part of it that has samples
 */
void data_samples(struct data_writer *w, const struct df_samples *samples,
		  const void *buf);

/**
 * data_lost() - write what was lost since the last time
 * @w:    from data_create()
 * @lost: what
 */
void data_lost(struct data_writer *w, const struct df_lost *lost);

/**
 * data_turns() - write how long an event set was active
 * @w:     from data_create()
 * @turns: how long
 */
void data_turns(struct data_writer *w, const struct df_turns *turns);

/**
 * data_again() - begin with what was written to the file before: events, processes, code
 * @w:       from data_create()
 * @journal: of that file; kept from now on for this one
 *
 * Of processes that have ended nothing is written again, but for what their children have
 * from them, and where samples can still come: what ended since the last call.
 */
void data_again(struct data_writer *w, struct data_journal *journal);

/**
 * data_flush() - have what was written so far in the file
 * @w: from data_create()
 */
void data_flush(struct data_writer *w);

/**
 * data_close() - end the file
 * @w:   from data_create()
 * @end: written as the last record
 *
 * Return: 0, or -1 and errno is that of the first failure: outfile_fail() says
 * where the file is.
 */
int data_close(struct data_writer *w, const struct df_end *end);

#endif /* PFMON_DATA_WRITE_H */
