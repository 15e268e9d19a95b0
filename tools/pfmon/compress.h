/* SPDX-License-Identifier: GPL-2.0-only */
/* Compression of a data file's records, with zstd. */
#ifndef PFMON_COMPRESS_H
#define PFMON_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#define COMPRESS_LEVEL		1	/* unless another one is asked for, as of perf record */
#define COMPRESS_LEVEL_MAX	22

/* Was pfmon built with zstd? If not, the functions below fail. */
extern const bool compress_is_there;

struct compressor;

/**
 * compress_new() - get ready to compress
 * @level: from 1, the fastest, to COMPRESS_LEVEL_MAX, the smallest
 *
 * Return: for compress_frame(), or NULL: there is no memory, or no zstd.
 */
struct compressor *compress_new(int level);

/**
 * compress_bound() - the most bytes that are needed
 * @size: bytes that are to be compressed
 *
 * Return: how many bytes of room compress_frame() needs for them at most.
 */
size_t compress_bound(size_t size);

/**
 * compress_frame() - compress bytes to one frame, which can be decompressed by itself
 * @c:    from compress_new(); one thread uses it at a time
 * @to:   receives the frame, with a checksum
 * @room: bytes there, compress_bound() or more
 * @from: what to compress
 * @size: bytes of it, not 0
 *
 * Return: bytes of the frame, or 0: there is no memory for it.
 */
size_t compress_frame(struct compressor *c, void *to, size_t room, const void *from, size_t size);

/**
 * compress_undo() - decompress a frame, which somebody may have made to do harm
 * @to:   receives what was compressed
 * @size: bytes that this must have
 * @from: the frame
 * @n:    bytes that the frame must have
 *
 * Return: true, or false if it is no such frame, or damaged.
 */
bool compress_undo(void *to, size_t size, const void *from, size_t n);

#endif /* PFMON_COMPRESS_H */
