// SPDX-License-Identifier: GPL-2.0-only
/*
 * Debug files. libdwfl can look for them, too, but would open whatever a program names as
 * its debug file, devices as well, and take one without a checksum.
 */
#define _GNU_SOURCE
#include <elfutils/libdwfl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debugfile.h"
#include "symtab.h"

#define DEBUG_DIR	"/usr/lib/debug"

/* Where debuginfod's client keeps what it has fetched: see debuginfod_find_debuginfo(3). */
static void cache_directory(char *dir, size_t size)
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME");
	const char *cache = getenv("XDG_CACHE_HOME");

	if (own)
		snprintf(dir, size, "%s", own);
	else if (cache)
		snprintf(dir, size, "%s/debuginfod_client", cache);
	else
		snprintf(dir, size, "%s/.cache/debuginfod_client", home ? home : "");
}

static int open_of_id(const struct identity *identity, const char *path)
{
	/* Of which size and when it was made does not matter. */
	struct identity wanted = { .id_size = identity->id_size };
	bool other;

	memcpy(wanted.id, identity->id, sizeof(wanted.id));
	return identity_open_same(&wanted, path, &other);
}

int debugfile_of_id(const struct identity *identity, unsigned int n, char *path)
{
	char hex[BUILD_ID_HEX], dir[PATH_MAX / 2];

	if (identity->id_size < 2)
		return -1;
	identity_hex(identity, hex);
	cache_directory(dir, sizeof(dir));
	if (n % 2)
		snprintf(path, PATH_MAX, "%s/%s/%s", dir, hex,
			 n < DEBUGFILE_FIRST ? "executable" : "debuginfo");
	else
		snprintf(path, PATH_MAX, DEBUG_DIR "/.build-id/%.2s/%s%s", hex, hex + 2,
			 n < DEBUGFILE_FIRST ? "" : ".debug");
	return open_of_id(identity, path);
}

static const char *archive;

void debugfile_archive(const char *dir)
{
	archive = dir;
}

int debugfile_archived(const char *dir, const struct identity *identity, char *path)
{
	char hex[BUILD_ID_HEX];

	identity_hex(identity, hex);
	if (identity->id_size < 2 || snprintf(path, PATH_MAX, "%s/%s.debug", dir, hex) >= PATH_MAX)
		return -1;
	return open_of_id(identity, path);
}

static void make_table(uint32_t table[256])
{
	uint32_t i, k, c;

	for (i = 0; i < 256; i++) {
		for (c = i, k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
		table[i] = c;
	}
}

/* Bytes of a file whose checksum is computed. */
#define LINKED_MAX	(1 << 30)

/* That of .gnu_debuglink: the usual one, as zlib has it. */
static uint32_t checksum(int fd)
{
	static uint32_t table[256];
	unsigned char buf[65536];
	uint32_t crc = ~0U;
	ssize_t n, i;
	off_t at;

	if (!table[1])
		make_table(table);
	for (at = 0; (n = pread(fd, buf, sizeof(buf), at)) > 0; at += n)
		for (i = 0; i < n; i++)
			crc = table[(crc ^ buf[i]) & 0xff] ^ crc >> 8;
	return ~crc;
}

/* One that a link leads to: it has the build ID, or if there is none the checksum. */
static int open_linked(const struct identity *identity, const char *path, GElf_Word crc)
{
	struct stat st;
	int fd;

	if (identity->id_size)
		return open_of_id(identity, path);
	fd = identity_open(path, &st);
	if (fd < 0 || (st.st_size <= LINKED_MAX && checksum(fd) == crc))
		return fd;
	close(fd);
	return -1;
}

static int follow_link(const struct identity *identity, const char *file,
		       const char *link, GElf_Word crc, char *path)
{
	static const char *const places[][2] = {
		{ "", "" }, { "", ".debug/" }, { DEBUG_DIR, "" },
	};
	const char *slash = file ? strrchr(file, '/') : NULL;
	unsigned int i;
	int fd = -1;

	/* It is the name of a file in some directories, not a way to others. */
	if (!slash || !link || !*link || strchr(link, '/'))
		return -1;
	for (i = 0; i < sizeof(places) / sizeof(places[0]) && fd < 0; i++) {
		snprintf(path, PATH_MAX, "%s%.*s/%s%s", places[i][0], (int)(slash - file),
			 file, places[i][1], link);
		fd = open_linked(identity, path, crc);
	}
	return fd;
}

int debugfile_find(Dwfl_Module *module, void **userdata, const char *name,
		   Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
		   char **found)
{
	struct identity identity = { 0 };
	const unsigned char *id;
	char path[PATH_MAX];
	GElf_Addr addr;
	int size = dwfl_module_build_id(module, &id, &addr), fd = -1, n, safe;

	(void)userdata;
	(void)name;
	(void)base;
	/* What libdwfl looks for then is not this file's: see lines_read.c. */
	if (link && (!crc || strchr(link, '/')))
		return -1;
	if (size > 0 && size <= BUILD_ID_MAX) {
		identity.id_size = (uint32_t)size;
		memcpy(identity.id, id, (size_t)size);
	}
	for (n = DEBUGFILE_FIRST; n < DEBUGFILE_PLACES && fd < 0; n++)
		fd = debugfile_of_id(&identity, (unsigned int)n, path);
	if (fd < 0)
		fd = follow_link(&identity, file, link, crc, path);
	if (fd < 0 && archive)
		fd = debugfile_archived(archive, &identity, path);
	if (fd < 0)
		return -1;
	safe = symtab_guard(fd);
	symtab_limit(fd);
	close(fd);
	*found = safe < 0 ? NULL : strdup(path);
	return safe;
}
