// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of registers.
 *
 * The kernel is the authority on its registers (3.2.3), so the names come
 * from sysfs, one file each, and nothing is remembered between calls. The
 * software PMU is the same on every machine: its names are built in, for
 * programs that run where sysfs is not mounted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#ifndef PFM_SYSFS_DIR		/* a test has its own */
#define PFM_SYSFS_DIR	"/sys/kernel/perfmon"
#endif

#define PMC_DIR		PFM_SYSFS_DIR "/pmcs"
#define PMD_DIR		PFM_SYSFS_DIR "/pmds"

static const char virtual_names[][PFM_NAME_MAX] = {
	[PFM_VPMD_CLOCK - PFM_VPMD_CLOCK]	= "CLOCK",
	[PFM_VPMD_CYCLES - PFM_VPMD_CLOCK]	= "CYCLES",
	[PFM_VPMD_FREE_PAGES - PFM_VPMD_CLOCK]	= "FREE_PAGES",
	[PFM_VPMD_RUNNABLE - PFM_VPMD_CLOCK]	= "RUNNABLE",
	[PFM_VPMD_THREAD_TIME - PFM_VPMD_CLOCK]	= "THREAD_TIME",
};

#define VIRTUAL_NAMES	(sizeof(virtual_names) / sizeof(virtual_names[0]))

static int builtin_pmc_name(unsigned int num, char name[PFM_NAME_MAX])
{
	if (num < PFM_SW_PMC0 || num >= PFM_SW_PMC0 + PFM_SW_COUNTERS) {
		errno = ENOENT;
		return -1;
	}
	snprintf(name, PFM_NAME_MAX, "SWC%u", num - PFM_SW_PMC0);
	return 0;
}

static int builtin_pmd_name(unsigned int num, char name[PFM_NAME_MAX])
{
	if (num >= PFM_SW_PMD0 && num < PFM_SW_PMD0 + PFM_SW_COUNTERS) {
		snprintf(name, PFM_NAME_MAX, "SW%u", num - PFM_SW_PMD0);
		return 0;
	}
	if (num >= PFM_VPMD_CLOCK && num < PFM_VPMD_CLOCK + VIRTUAL_NAMES) {
		strcpy(name, virtual_names[num - PFM_VPMD_CLOCK]);
		return 0;
	}
	errno = ENOENT;
	return -1;
}

/* Both kinds of registers differ in these only. */
struct reg_file {
	const char *dir;
	unsigned int max;
	int (*builtin_name)(unsigned int num, char name[PFM_NAME_MAX]);
};

static const struct reg_file pmc_file = {
	.dir = PMC_DIR, .max = PFM_MAX_PMCS, .builtin_name = builtin_pmc_name,
};

static const struct reg_file pmd_file = {
	.dir = PMD_DIR, .max = PFM_MAX_PMDS, .builtin_name = builtin_pmd_name,
};

static int open_dir(const struct reg_file *file)
{
	return open(file->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The first line of @dir_fd/@num/name. */
static int sysfs_name(int dir_fd, unsigned int num, char name[PFM_NAME_MAX])
{
	char path[sizeof("4294967295/name")];
	ssize_t len;
	int fd, err;

	snprintf(path, sizeof(path), "%u/name", num);
	fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	len = read(fd, name, PFM_NAME_MAX - 1);
	err = errno;
	close(fd);
	if (len < 0) {
		errno = err;
		return -1;
	}
	name[len] = '\0';
	name[strcspn(name, "\n")] = '\0';
	return 0;
}

/* With @dir_fd -1, no sysfs, the built-in names serve. */
static int name_at(const struct reg_file *file, int dir_fd, unsigned int num,
		   char name[PFM_NAME_MAX])
{
	if (dir_fd < 0)
		return file->builtin_name(num, name);
	return sysfs_name(dir_fd, num, name);
}

static int name_of(const struct reg_file *file, unsigned int num,
		   char *name, size_t size)
{
	char buf[PFM_NAME_MAX];
	int dir_fd, ret, err;

	if (num >= file->max) {
		errno = ENOENT;
		return -1;
	}
	dir_fd = open_dir(file);
	if (dir_fd < 0 && errno != ENOENT)
		return -1;
	ret = name_at(file, dir_fd, num, buf);
	err = errno;
	if (dir_fd >= 0)
		close(dir_fd);
	errno = err;
	if (ret)
		return -1;
	if (strlen(buf) >= size) {
		errno = ERANGE;
		return -1;
	}
	strcpy(name, buf);
	return 0;
}

static int number_of(const struct reg_file *file, const char *name)
{
	char buf[PFM_NAME_MAX];
	unsigned int num;
	int dir_fd;

	dir_fd = open_dir(file);
	if (dir_fd < 0 && errno != ENOENT)
		return -1;
	for (num = 0; num < file->max; num++)
		if (name_at(file, dir_fd, num, buf) == 0 && !strcmp(buf, name))
			break;
	if (dir_fd >= 0)
		close(dir_fd);
	if (num == file->max) {
		errno = ENOENT;
		return -1;
	}
	return (int)num;
}

int pfm_pmc_name(unsigned int num, char *name, size_t size)
{
	return name_of(&pmc_file, num, name, size);
}

int pfm_pmd_name(unsigned int num, char *name, size_t size)
{
	return name_of(&pmd_file, num, name, size);
}

int pfm_pmc_number(const char *name)
{
	return number_of(&pmc_file, name);
}

int pfm_pmd_number(const char *name)
{
	return number_of(&pmd_file, name);
}
