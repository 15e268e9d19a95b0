// SPDX-License-Identifier: GPL-2.0-only
/* Compression with libzstd. */
#include <stdlib.h>
#include <zstd.h>

#include "compress.h"

const bool compress_is_there = true;

struct compressor {
	ZSTD_CCtx *context;
};

struct compressor *compress_new(int level)
{
	struct compressor *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	c->context = ZSTD_createCCtx();
	if (c->context &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(c->context, ZSTD_c_compressionLevel, level)) &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(c->context, ZSTD_c_checksumFlag, 1)))
		return c;
	ZSTD_freeCCtx(c->context);
	free(c);
	return NULL;
}

size_t compress_bound(size_t size)
{
	return ZSTD_compressBound(size);
}

size_t compress_frame(struct compressor *c, void *to, size_t room, const void *from, size_t size)
{
	size_t n = ZSTD_compress2(c->context, to, room, from, size);

	return ZSTD_isError(n) ? 0 : n;
}

/*
 * One frame of today's format: the library would take several, and those of its first versions.
 * What is at the start of the frame, ZSTD_MAGICNUMBER, is little-endian.
 */
bool compress_undo(void *to, size_t size, const void *from, size_t n)
{
	static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	const unsigned char *at = from;
	size_t i;

	for (i = 0; i < sizeof(magic); i++)
		if (i == n || at[i] != magic[i])
			return false;
	return ZSTD_getFrameContentSize(from, n) == size &&
	       ZSTD_findFrameCompressedSize(from, n) == n &&
	       ZSTD_decompress(to, size, from, n) == size;
}
