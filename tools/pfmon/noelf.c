// SPDX-License-Identifier: GPL-2.0-only
/* In place of elf.c and debugfile.c where there is no libdw to build with. */
#include <unistd.h>

#include "cfi_frame.h"
#include "debugfile.h"
#include "lines_read.h"
#include "symtab.h"

const bool symtab_has_elf;

int symtab_read_elf(struct symtab *t, const char *path)
{
	(void)t;
	(void)path;
	return -1;
}

int symtab_read_fd(struct symtab *t, int fd, const char *path)
{
	(void)t;
	(void)fd;
	(void)path;
	return -1;
}

void symtab_close(struct symtab *t)
{
	(void)t;
}

uint32_t symtab_build_id(int fd, uint8_t *id, size_t size)
{
	(void)fd;
	(void)id;
	(void)size;
	return 0;
}

size_t symtab_segments(int fd, struct segment *segment, size_t max)
{
	(void)fd;
	(void)segment;
	(void)max;
	return 0;
}

void lines_serve(const struct symtab *t, int fd)
{
	(void)t;
	(void)fd;
	_exit(1);
}

void cfi_serve(const struct symtab *t, int fd)
{
	(void)t;
	(void)fd;
	_exit(1);
}

int debugfile_of_id(const struct identity *identity, unsigned int n, char *path)
{
	(void)identity;
	(void)n;
	(void)path;
	return -1;
}

int debugfile_archived(const char *dir, const struct identity *identity, char *path)
{
	(void)dir;
	(void)identity;
	(void)path;
	return -1;
}

void debugfile_archive(const char *dir)
{
	(void)dir;
}
