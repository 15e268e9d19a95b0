// SPDX-License-Identifier: GPL-2.0-only
/* A stream that is compressed as by gzip(1), with zlib. */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "require.h"
#include "gzip.h"

#define GZIP_HEADER	16	/* to the window's bits */

void gzip_begin(struct gzip *gzip, FILE *out)
{
	z_stream *z = calloc(1, sizeof(*z));

	if (!z || deflateInit2(z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_HEADER,
			       MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		errx(EXIT_PFMON, "zlib: not enough memory");
	*gzip = (struct gzip){ out, z };
}

static void compress_all(struct gzip *gzip, int flush)
{
	unsigned char buf[16384];
	z_stream *z = gzip->stream;

	do {
		z->next_out = buf;
		z->avail_out = sizeof(buf);
		deflate(z, flush);
		fwrite(buf, 1, sizeof(buf) - z->avail_out, gzip->out);
	} while (!z->avail_out);
}

void gzip_write(struct gzip *gzip, const void *data, size_t size)
{
	z_stream *z = gzip->stream;

	if (!size)
		return;
	z->next_in = (void *)data;
	z->avail_in = (uInt)size;
	compress_all(gzip, Z_NO_FLUSH);
}

void gzip_end(struct gzip *gzip)
{
	compress_all(gzip, Z_FINISH);
	deflateEnd(gzip->stream);
	free(gzip->stream);
}
