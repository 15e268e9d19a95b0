// SPDX-License-Identifier: GPL-2.0-only
/*
 * As many sets as there can be, 65536 where the memory suffices: all are made,
 * active once in the order of their numbers, and deleted. Needs root.
 */
#include "sets.h"

/* What the smallest limit for an argument, a page, has room for. */
#define ARG_SIZE	4096
#define ARG_DESCS	((int)(ARG_SIZE / sizeof(pfarg_setdesc_t)))
#define ARG_INFOS	((int)(ARG_SIZE / sizeof(pfarg_setinfo_t)))
#define ARG_PMCS	((int)(ARG_SIZE / sizeof(pfarg_pmc_t)))
#define ARG_PMDS	((int)(ARG_SIZE / sizeof(pfarg_pmd_t)))

FIXTURE(all) {
	char limit[64];
	struct puppet p;
	int fd;
};

FIXTURE_SETUP(all)
{
	if (!is_root())
		return;
	MUST(read_text(SYSFS "/set_mem_max", self->limit,
		       sizeof(self->limit)));
	puppet_start(&self->p, PUPPET_PROCESS);
	self->fd = (int)MUST(pfm_create(0));
}

FIXTURE_TEARDOWN(all)
{
	if (!is_root())
		return;
	close(self->fd);
	puppet_stop(&self->p);
	if (write_text(SYSFS "/set_mem_max", self->limit))
		die("set_mem_max cannot be restored");
}

/* A generous guess at what a set costs, with what the debug kernel adds. */
static int sets_that_fit(struct __test_metadata *_metadata)
{
	u64 each = is_slow() ? 8192 : 4096, spare = 64 << 20, free_now, n;
	char value[64];

	if (!text_field("/proc/meminfo", "MemAvailable", value, sizeof(value)))
		die("no MemAvailable");
	free_now = strtoull(value, NULL, 10) * 1024;
	n = free_now > spare ? (free_now - spare) / each : 0;
	if (n > 65536)
		n = 65536;
	if (n < 65536)
		TH_LOG("%llu kB are free: %llu sets", free_now / 1024, n);
	if (is_slow() && n > 16384) {
		n = 16384;
		TH_LOG("slow: %llu sets", n);
	}
	return (int)n;
}

/* Set @i of @n: the numbers from 0 to 65535, or some of them. */
static __u16 nth_id(int i, int n)
{
	return (__u16)((u64)i * 65536 / (u64)n);
}

/* All sets count faults, and each is left at the first. */
static void create_all(int fd, int n)
{
	pfarg_setdesc_t desc[ARG_DESCS];
	pfarg_pmc_t pmc[ARG_PMCS];
	pfarg_pmd_t pmd[ARG_PMDS];
	int i, k;

	for (i = 0; i < n; i += k) {
		for (k = 0; k < ARG_DESCS && i + k < n; k++)
			desc[k] = (pfarg_setdesc_t){
				.set_id = nth_id(i + k, n),
				.set_flags = PFM_SETFL_OVFL_SWITCH,
			};
		MUST(pfm(fd, PFM_CREATE_EVTSETS, desc, k));
	}
	for (i = 0; i < n; i += k) {
		for (k = 0; k < ARG_PMCS && i + k < n; k++)
			pmc[k] = (pfarg_pmc_t){
				.reg_num = SW_PMC(0),
				.reg_set = nth_id(i + k, n),
				.reg_value = PFM_SW_MINOR_FAULTS,
			};
		MUST(pfm(fd, PFM_WRITE_PMCS, pmc, k));
	}
	for (i = 0; i < n; i += k) {
		for (k = 0; k < ARG_PMDS && i + k < n; k++)
			pmd[k] = (pfarg_pmd_t){
				.reg_num = SW_PMD(0),
				.reg_set = nth_id(i + k, n),
				.reg_value = ~0ULL, .reg_short_reset = ~0ULL,
				.reg_ovflsw_thres = 1,
			};
		MUST(pfm(fd, PFM_WRITE_PMDS, pmd, k));
	}
}

/* How often set @i of @n was active after @switches by turns from set 0 on. */
static u64 runs_of_nth(int i, int n, u64 switches)
{
	u64 all = (u64)n, at = (u64)i;

	return at ? (switches + all - at) / all : 1 + switches / all;
}

static void check_all(struct __test_metadata *_metadata, int fd, int n,
		      u64 switches)
{
	pfarg_setinfo_t info[ARG_INFOS];
	int i, k, m;

	for (i = 0; i < n; i += m) {
		memset(info, 0, sizeof(info));
		for (m = 0; m < ARG_INFOS && i + m < n; m++)
			info[m].set_id = nth_id(i + m, n);
		ASSERT_EQ(0, pfm(fd, PFM_GETINFO_EVTSETS, info, m));
		for (k = 0; k < m; k++) {
			ASSERT_EQ(nth_id(i + k, n), info[k].set_id);
			ASSERT_EQ(runs_of_nth(i + k, n, switches),
				  info[k].set_runs) {
				TH_LOG("set %u", info[k].set_id);
			}
		}
	}
}

/* The limit of 3.7.5. Each of them comes once, in the order of numbers. */
TEST_F_TIMEOUT(all, of_them, 300)
{
	u64 base, faults = 0, want;
	int i, n;

	NEED_ROOT();
	ASSERT_EQ(0, write_text(SYSFS "/set_mem_max", "4000000000"));
	n = sets_that_fit(_metadata);
	if (n < 1000)
		SKIP(return, "of_them: too little memory");
	create_all(self->fd, n);
	/* Once around its pages, for nothing. */
	puppet_do(&self->p, OP_FAULT, PUPPET_PAGES + 1);
	puppet_settle(&self->p);
	base = thread_minor_faults(self->p.tid);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	/* One is active from the beginning. */
	want = (u64)n - 1;
	while (faults < want) {
		u64 step = want - faults < 500 ? want - faults : 500;

		puppet_do(&self->p, OP_FAULT, (unsigned int)step);
		faults = thread_minor_faults(self->p.tid) - base;
		EXPECT_EQ((u64)nth_id((int)(faults % (u64)n), n),
			  pfm_fdinfo_num(self->fd, "pfm-set"));
	}
	MUST(pfm_unload(self->fd));
	check_all(_metadata, self->fd, n, faults);
	/* Every second one is deleted here, the others by close(). */
	for (i = 1; i < n; i += 2) {
		ASSERT_EQ(0, delete_set(self->fd, nth_id(i, n)));
	}
	EXPECT_FALSE(set_exists(self->fd, nth_id(1, n)));
	EXPECT_EQ(1ULL, info_of_set(self->fd, nth_id(2, n)).set_runs);
	EXPECT_EQ(0, pfm_load(self->fd, self->p.tid));
}

TEST_HARNESS_MAIN
