// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The library against the kernel that runs. Without perfmon in it each command
 * must say ENOSYS ("without" as argument: it must be such a kernel); with it a thread counts its own page faults by way of
 * every function. What the kernel does with bad input is the business of the
 * kernel's own tests.
 */
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "check.h"

#define PAGES	64

static void touch_pages(void)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *mem;
	int i;

	mem = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		return;
	/* Huge pages would take one fault for all. */
	madvise((void *)mem, PAGES * page, MADV_NOHUGEPAGE);
	for (i = 0; i < PAGES; i++)
		mem[i * page] = 1;
	munmap((void *)mem, PAGES * page);
}

static void test_no_perfmon(void)
{
	pfarg_config_t cfg;
	pfarg_ctx_t ctx;
	int cmd;

	memset(&ctx, 0, sizeof(ctx));
	errno = 0;
	CHECK(pfm_create_context(&ctx, 1) == -1 && errno == ENOSYS);
	errno = 0;
	CHECK(pfm_get_config(&cfg) == -1 && errno == ENOSYS);
	for (cmd = 0; cmd <= PFM_GET_CONFIG + 1; cmd++) {
		errno = 0;
		CHECK(perfmonctl(-1, cmd, NULL, 0) == -1 && errno == ENOSYS);
	}
}

static void test_registers(const pfarg_config_t *cfg)
{
	pfarg_pmcinfo_t info;
	char name[PFM_NAME_MAX];
	unsigned int i;

	for (i = 0; i < PFM_MAX_PMCS; i++) {
		memset(&info, 0, sizeof(info));
		info.reg_num = (__u16)i;
		if (!pfm_bv_isset(cfg->cf_impl_pmcs, i)) {
			CHECK(pfm_getinfo_pmcs(&info, 1) == -1 && errno == EINVAL);
			CHECK(info.reg_flags == PFM_REG_RETFL_EINVAL);
			CHECK(pfm_pmc_name(i, name, sizeof(name)) == -1);
			continue;
		}
		CHECK(pfm_getinfo_pmcs(&info, 1) == 0);
		CHECK(pfm_pmc_name(i, name, sizeof(name)) == 0);
		CHECK(pfm_pmc_number(name) == (int)i);
	}
	for (i = 0; i < PFM_MAX_PMDS; i++) {
		memset(&info, 0, sizeof(info));
		info.reg_num = (__u16)i;
		if (!pfm_bv_isset(cfg->cf_impl_pmds, i)) {
			CHECK(pfm_getinfo_pmds(&info, 1) == -1 && errno == EINVAL);
			continue;
		}
		CHECK(pfm_getinfo_pmds(&info, 1) == 0);
		CHECK(pfm_pmd_name(i, name, sizeof(name)) == 0);
		CHECK(pfm_pmd_number(name) == (int)i);
	}
}

static void test_count(int fd)
{
	pfarg_pmc_t pmc;
	pfarg_pmd_t pmd;
	pfarg_load_t load;
	__u64 stopped;

	memset(&pmc, 0, sizeof(pmc));
	memset(&pmd, 0, sizeof(pmd));
	memset(&load, 0, sizeof(load));
	pmc.reg_num = PFM_SW_PMC0;
	pmc.reg_value = PFM_SW_MINOR_FAULTS;
	pmd.reg_num = PFM_SW_PMD0;
	load.load_pid = (__s32)syscall(SYS_gettid);

	CHECK(pfm_write_pmcs(fd, &pmc, 1) == 0);
	pmd.reg_value = 1000;
	CHECK(pfm_write_pmds(fd, &pmd, 1) == 0);
	CHECK(pfm_start(fd, NULL) == -1 && errno == EBUSY);
	CHECK(pfm_load_context(fd, &load) == 0);
	CHECK(pfm_start(fd, NULL) == 0);
	touch_pages();
	CHECK(pfm_stop(fd) == 0);
	CHECK(pfm_read_pmds(fd, &pmd, 1) == 0);
	stopped = pmd.reg_value;
	CHECK(stopped >= 1000 + PAGES && stopped <= 1000 + PAGES + 20);
	CHECK(pfm_restart(fd) == -1 && errno == EBUSY);
	CHECK(pfm_unload_context(fd) == 0);
	touch_pages();
	CHECK(pfm_read_pmds(fd, &pmd, 1) == 0);
	CHECK(pmd.reg_value == stopped);
}

static void test_set0(int fd)
{
	pfarg_setdesc_t desc;
	pfarg_setinfo_t info;

	memset(&desc, 0, sizeof(desc));
	memset(&info, 0, sizeof(info));
	CHECK(pfm_create_evtsets(fd, &desc, 1) == 0);
	CHECK(pfm_getinfo_evtsets(fd, &info, 1) == 0);
	CHECK(info.set_runs >= 1);
	CHECK(pfm_delete_evtsets(fd, &desc, 1) == -1 && errno == EINVAL);
	CHECK(desc.set_flags == PFM_SET_RETFL_EINVAL);
}

static void test_config(pfarg_config_t *cfg)
{
	if (geteuid() == 0)
		CHECK(pfm_set_config(cfg) == 0);
	else
		CHECK(pfm_set_config(cfg) == -1 && errno == EPERM);
}

int main(int argc, char **argv)
{
	bool without = argc > 1 && !strcmp(argv[1], "without");
	pfarg_config_t cfg;
	pfarg_ctx_t ctx;

	memset(&cfg, 0, sizeof(cfg));
	memset(&ctx, 0, sizeof(ctx));
	if (pfm_get_config(&cfg) == -1 && errno == ENOSYS) {
		test_no_perfmon();
		if (!without)
			SKIP("this kernel has no perfmon: only ENOSYS was checked");
		return check_done();
	}
	CHECK(!without);
	CHECK(cfg.cf_version == PFM_VERSION);
	test_registers(&cfg);
	CHECK(pfm_create_context(&ctx, 1) == 0);
	test_count(ctx.ctx_fd);
	test_set0(ctx.ctx_fd);
	CHECK(close(ctx.ctx_fd) == 0);
	CHECK(pfm_stop(ctx.ctx_fd) == -1 && errno == EBADF);
	test_config(&cfg);
	return check_done();
}
