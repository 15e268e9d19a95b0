// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the format of this directory has seen, and what programs see of it: run by
 * scripts/test-module where the format is loaded.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>
#include "check.h"
#include "probe_smpl.h"

#define PAGES	32

static uint64_t leaf_return, outer_return;
static size_t page;
static char *fresh;

static uint64_t address(const void *p)
{
	return (uintptr_t)p;
}

static __attribute__((noipa)) void leaf(char *at)
{
	leaf_return = address(__builtin_return_address(0));
	*(volatile char *)at = 1;
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noipa)) void outer(char *at)
{
	outer_return = address(__builtin_return_address(0));
	leaf(at);
	__asm__ volatile("" : : : "memory");
}

/* Each page fault of this thread is an overflow. */
static int begin(uint64_t *size, void **buf)
{
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = PROBE_SMPL_UUID };
	pfarg_load_t load = { .load_pid = (uint32_t)syscall(SYS_gettid) };
	pfarg_pmc_t pmc = { .reg_num = PFM_SW_PMC0, .reg_value = PFM_SW_MINOR_FAULTS };
	pfarg_pmd_t pmd = { .reg_num = PFM_SW_PMD0, .reg_value = -1ULL,
			    .reg_long_reset = -1ULL, .reg_short_reset = -1ULL };

	if (pfm_create_context(&ctx, 1)) {
		perror("PFM_CREATE_CONTEXT");
		exit(1);
	}
	*size = ctx.ctx_smpl_buf_size;
	*buf = mmap(NULL, ctx.ctx_smpl_buf_size, PROT_READ, MAP_SHARED, ctx.ctx_fd, 0);
	CHECK(*buf != MAP_FAILED);
	CHECK(!pfm_write_pmcs(ctx.ctx_fd, &pmc, 1) && !pfm_write_pmds(ctx.ctx_fd, &pmd, 1));
	CHECK(!pfm_load_context(ctx.ctx_fd, &load) && !pfm_start(ctx.ctx_fd, NULL));
	return ctx.ctx_fd;
}

static unsigned int num_pmds(void)
{
	unsigned int i, n = 0;
	pfarg_config_t cf;

	CHECK(!pfm_get_config(&cf));
	for (i = 0; i < PFM_MAX_PMDS; i++)
		n += (unsigned int)pfm_bv_isset(cf.cf_impl_pmds, i);
	return n;
}

/* The chain of the last overflow, which was in leaf(). */
static void check_chain(const probe_smpl_hdr_t *hdr)
{
	CHECK(hdr->nr_user >= 3 && hdr->nr_user <= PROBE_SMPL_DEPTH && !hdr->nr_kernel);
	CHECK(hdr->ip == hdr->chain[1][0] && hdr->ip >= address(leaf) &&
	      hdr->ip < address(leaf) + 512);
	CHECK(hdr->chain[1][1] == leaf_return && hdr->chain[1][2] == outer_return);
}

int main(void)
{
	const probe_smpl_hdr_t *hdr, *other;
	uint64_t size, before;
	void *buf, *buf2, *code;
	unsigned int i;
	int fd, fd2;

	page = (size_t)sysconf(_SC_PAGESIZE);
	fresh = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	outer(fresh);
	fd = begin(&size, &buf);
	hdr = buf;
	/* Programs see a buffer as large as the header is, and nothing of what is private. */
	CHECK(size == page && hdr->num_pmds == num_pmds());
	before = hdr->overflows;
	for (i = 1; i < PAGES; i++) {
		outer(fresh + i * page);
		check_chain(hdr);
	}
	CHECK(hdr->overflows >= before + PAGES - 1);
	before = hdr->maps;
	code = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE,
		    fileno(fopen("/proc/self/exe", "r")), 0);
	CHECK(code != MAP_FAILED && hdr->maps == before + 1);
	CHECK(!pfm_stop(fd) && !hdr->wrong);
	munmap(fresh, PAGES * page);

	/* Each context has its own. */
	CHECK(!pfm_unload_context(fd));
	fd2 = begin(&size, &buf2);
	other = buf2;
	CHECK(other->overflows < hdr->overflows && !other->wrong);
	CHECK(!pfm_stop(fd2));
	close(fd);
	close(fd2);
	return check_done();
}
