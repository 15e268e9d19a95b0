// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of registers, from a directory in place of sysfs that the test fills,
 * and built-in ones while there is none. The code under test is included so
 * that it looks there: argv[1] cannot be a macro, a fixed name relative to
 * the working directory can.
 */
#define PFM_SYSFS_DIR	"sysfs"
#include "../registers.c"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static void put(const char *kind, unsigned int num, const char *name)
{
	char path[64];
	FILE *f;

	mkdir(PFM_SYSFS_DIR, 0755);
	snprintf(path, sizeof(path), PFM_SYSFS_DIR "/%s", kind);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), PFM_SYSFS_DIR "/%s/%u", kind, num);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), PFM_SYSFS_DIR "/%s/%u/name", kind, num);
	f = fopen(path, "w");
	if (!f) {
		perror(path);
		return;
	}
	fprintf(f, "%s\n", name);
	fclose(f);
}

static void test_builtin(void)
{
	char name[PFM_NAME_MAX];
	unsigned int i;

	CHECK(pfm_pmc_name(PFM_SW_PMC0, name, sizeof(name)) == 0);
	CHECK_STR(name, "SWC0");
	CHECK(pfm_pmc_name(PFM_SW_PMC0 + 7, name, sizeof(name)) == 0);
	CHECK_STR(name, "SWC7");
	CHECK(pfm_pmd_name(PFM_VPMD_THREAD_TIME, name, sizeof(name)) == 0);
	CHECK_STR(name, "THREAD_TIME");
	CHECK(pfm_pmd_number("CLOCK") == PFM_VPMD_CLOCK);
	for (i = 0; i < PFM_MAX_PMDS; i++) {
		if (pfm_pmd_name(i, name, sizeof(name)) == 0)
			CHECK(pfm_pmd_number(name) == (int)i);
		else
			CHECK(errno == ENOENT);
	}
	CHECK(pfm_pmc_name(0, name, sizeof(name)) == -1 && errno == ENOENT);
	CHECK(pfm_pmc_number("SW0") == -1 && errno == ENOENT);
}

static void test_sysfs(void)
{
	char name[PFM_NAME_MAX], path[] = PFM_SYSFS_DIR "/pmds/4/name";
	FILE *f;

	put("pmcs", 0, "EVNTSEL0");
	put("pmds", 0, "PERFCTR0");
	put("pmds", 319, "LAST");
	CHECK(pfm_pmc_name(0, name, sizeof(name)) == 0);
	CHECK_STR(name, "EVNTSEL0");
	CHECK(pfm_pmd_name(319, name, sizeof(name)) == 0);
	CHECK_STR(name, "LAST");
	CHECK(pfm_pmc_number("EVNTSEL0") == 0);
	CHECK(pfm_pmd_number("LAST") == 319);
	CHECK(pfm_pmd_number("EVNTSEL0") == -1 && errno == ENOENT);
	CHECK(pfm_pmd_number("last") == -1 && errno == ENOENT);
	CHECK(pfm_pmd_number("") == -1 && errno == ENOENT);
	/* Names come from the running kernel: a register that it lacks has no name. */
	CHECK(pfm_pmc_name(PFM_SW_PMC0, name, sizeof(name)) == -1 &&
	      errno == ENOENT);
	CHECK(pfm_pmd_name(PFM_MAX_PMDS, name, sizeof(name)) == -1 &&
	      errno == ENOENT);
	CHECK(pfm_pmd_name(~0u, name, sizeof(name)) == -1 && errno == ENOENT);
	CHECK(pfm_pmd_name(0, name, strlen("PERFCTR0")) == -1 && errno == ERANGE);
	CHECK(pfm_pmd_name(0, name, strlen("PERFCTR0") + 1) == 0);
	CHECK(pfm_pmd_name(0, NULL, 0) == -1 && errno == ERANGE);

	/* A longer name than is promised is cut, not written beyond. */
	put("pmds", 4, "");
	f = fopen(path, "w");
	if (f) {
		fprintf(f, "%.*d\n", 100, 7);
		fclose(f);
	}
	CHECK(pfm_pmd_name(4, name, sizeof(name)) == 0 &&
	      strlen(name) == PFM_NAME_MAX - 1);
}

int main(void)
{
	char dir[] = "/tmp/test_registers-XXXXXX", remove[64];

	if (!mkdtemp(dir) || chdir(dir)) {
		perror(dir);
		return 1;
	}
	test_builtin();
	test_sysfs();
	snprintf(remove, sizeof(remove), "rm -r %s", dir);
	CHECK(!chdir("/") && !system(remove));
	return check_done();
}
