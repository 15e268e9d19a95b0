/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading the data file. Nothing in it is believed: it may be cut off, damaged
 * or made to harm its reader.
 */
#ifndef PFMON_DATA_READ_H
#define PFMON_DATA_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "datafile.h"
#include "sampled.h"

/* Compressed records that a reader has come to. */
struct data_packed {
	uint64_t offset;		/* of the first one, and where what is behind them is */
	uint64_t end;
	uint64_t at;			/* in the file, likewise */
	uint64_t behind;
};

struct data_reader {
	FILE *file;
	struct df_header header;	/* its strings end within it; order is
					 * as it stands there */
	bool turned;			/* the machine had the other byte order */
	uint64_t offset;		/* of the next record, in a file that is not compressed */
	struct df_record head;		/* the record that was read last */
	unsigned char *body;		/* its content, aligned for anything */
	size_t room;
	struct data_packed *packed;	/* in the order of the file */
	size_t packs, packs_room;
	unsigned char *records;		/* of one of them, decompressed, ... */
	size_t have;			/* ... from 1, which that is; 0: of none */
	bool inside;			/* the next record is one of these */
};

/* What data_next() finds: a record of a known type, or why there is none. */
enum data_status {
	DATA_RECORD,
	DATA_END,		/* the last record was DF_END */
	DATA_TRUNCATED,		/* the file ends before that */
	DATA_DAMAGED,
};

#define DATA_ERROR_MAX	256

/**
 * data_name() - how a file is called in messages
 * @path: of data_open()
 *
 * Return: the path, or "standard input".
 */
const char *data_name(const char *path);

/**
 * data_open() - open a data file and check its header
 * @r:     filled in
 * @path:  file; "-" is standard input
 * @error: receives one line that says what is wrong
 *
 * A file is read several times. What can be read once only, as a pipe, is copied to a file
 * without a name in $TMPDIR or /tmp, or to memory if none can be made there.
 *
 * Return: 0, or -1 and @error is filled in.
 */
int data_open(struct data_reader *r, const char *path,
	      char error[DATA_ERROR_MAX]);

/**
 * data_next() - read the next record
 * @r: from data_open()
 *
 * Return: what is to be found in @r.
 */
enum data_status data_next(struct data_reader *r);

/**
 * data_place() - where in the file a record is
 * @r:      from data_open()
 * @offset: of the record, to which @r has come already
 *
 * Return: bytes of the file that are before it, or before those that it is compressed with.
 */
uint64_t data_place(const struct data_reader *r, uint64_t offset);

/**
 * data_rewind() - begin again with the first record
 * @r: from data_open()
 *
 * Return: 0, or -1 if it is not that kind of file.
 */
int data_rewind(struct data_reader *r);

/**
 * data_seek() - go on with another record
 * @r:      from data_open()
 * @offset: where it begins
 *
 * Return: 0, or -1 if it is not that kind of file.
 */
int data_seek(struct data_reader *r, uint64_t offset);

/**
 * data_done() - close it
 * @r: from data_open()
 */
void data_done(struct data_reader *r);

/*
 * What the record that was read last has. Pointers are into it, until the next
 * one is read; false says that it is damaged.
 */

struct data_process {
	const struct df_process *process;
	const char *comm, *command;
};

struct data_map {
	const struct df_map *map;
	const char *path;
};

struct data_binary {
	const struct df_binary *binary;
	const char *path;
	const struct df_segment *segment;
	size_t segments;
};

struct data_module {
	const struct df_module *module;
	const char *name;
};

struct data_jit {
	const struct df_jit *jit;
	const char *text;
};

struct data_symbols {
	const struct df_symbols *symbols;
	const char *names;		/* as many as there are symbols, one after the other */
};

struct data_samples {
	const struct df_samples *samples;
	void *buf;			/* as the machine had it */
};

/**
 * data_get_event() - of DF_EVENT
 * @r: reader
 * @e: filled in; strings are copied
 *
 * Return: true, or false if it is damaged.
 */
bool data_get_event(const struct data_reader *r, struct sampled_event *e);

/* The others, likewise. */
bool data_get_process(const struct data_reader *r, struct data_process *p);
bool data_get_map(const struct data_reader *r, struct data_map *m);
bool data_get_binary(const struct data_reader *r, struct data_binary *b);
bool data_get_inode(const struct data_reader *r, struct df_inode *inode);
bool data_get_module(const struct data_reader *r, struct data_module *m);
bool data_get_jit(const struct data_reader *r, struct data_jit *j);
bool data_get_symbols(const struct data_reader *r, struct data_symbols *s);
bool data_get_samples(const struct data_reader *r, struct data_samples *s);
bool data_get_lost(const struct data_reader *r, struct df_lost *lost);
bool data_get_turns(const struct data_reader *r, struct df_turns *turns);
bool data_get_end(const struct data_reader *r, struct df_end *end);

#endif /* PFMON_DATA_READ_H */
