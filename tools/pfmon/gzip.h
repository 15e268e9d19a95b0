/* SPDX-License-Identifier: GPL-2.0-only */
/* A stream that is compressed as by gzip(1). */
#ifndef PFMON_GZIP_H
#define PFMON_GZIP_H

#include <stddef.h>
#include <stdio.h>

struct gzip {
	FILE *out;
	void *stream;		/* zlib's, NULL: as it is */
};

/**
 * gzip_begin() - begin a stream; without zlib it is not compressed
 * @gzip: filled in
 * @out:  where to; its error indicator tells what could not be written
 */
void gzip_begin(struct gzip *gzip, FILE *out);

/**
 * gzip_write() - add to it
 * @gzip: from gzip_begin()
 * @data: what
 * @size: bytes
 */
void gzip_write(struct gzip *gzip, const void *data, size_t size);

/**
 * gzip_end() - write the rest
 * @gzip: from gzip_begin()
 */
void gzip_end(struct gzip *gzip);

#endif /* PFMON_GZIP_H */
