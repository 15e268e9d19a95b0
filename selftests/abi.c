// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shape of the system call: layout of the structures, numbers, argument
 * checks that are the same for all commands (count, size, address, unknown
 * commands) and padding.
 *
 * Not here: what a descriptor may be (fd.c), flags and values of registers
 * (regs.c), of sets (sets_*.c), of the configuration (config.c).
 */
#include "pfm_test.h"

#define PAGE	((size_t)sysconf(_SC_PAGESIZE))

enum narg_kind { VECTOR, SINGLE, NONE, MAYBE };

static const struct command {
	int cmd;
	const char *name;
	size_t size;
	enum narg_kind kind;
	bool needs_fd;
} commands[] = {
	{ PFM_WRITE_PMCS, "WRITE_PMCS", sizeof(pfarg_pmc_t), VECTOR, true },
	{ PFM_WRITE_PMDS, "WRITE_PMDS", sizeof(pfarg_pmd_t), VECTOR, true },
	{ PFM_READ_PMDS, "READ_PMDS", sizeof(pfarg_pmd_t), VECTOR, true },
	{ PFM_STOP, "STOP", 0, NONE, true },
	{ PFM_START, "START", sizeof(pfarg_start_t), MAYBE, true },
	{ PFM_CREATE_CONTEXT, "CREATE_CONTEXT", sizeof(pfarg_ctx_t), SINGLE,
		false },
	{ PFM_RESTART, "RESTART", 0, NONE, true },
	{ PFM_LOAD_CONTEXT, "LOAD_CONTEXT", sizeof(pfarg_load_t), SINGLE,
		true },
	{ PFM_UNLOAD_CONTEXT, "UNLOAD_CONTEXT", 0, NONE, true },
	{ PFM_CREATE_EVTSETS, "CREATE_EVTSETS", sizeof(pfarg_setdesc_t),
		VECTOR, true },
	{ PFM_DELETE_EVTSETS, "DELETE_EVTSETS", sizeof(pfarg_setdesc_t),
		VECTOR, true },
	{ PFM_GETINFO_EVTSETS, "GETINFO_EVTSETS", sizeof(pfarg_setinfo_t),
		VECTOR, true },
	{ PFM_GETINFO_PMCS, "GETINFO_PMCS", sizeof(pfarg_pmcinfo_t), VECTOR,
		false },
	{ PFM_GETINFO_PMDS, "GETINFO_PMDS", sizeof(pfarg_pmdinfo_t), VECTOR,
		false },
	{ PFM_SET_CONFIG, "SET_CONFIG", sizeof(pfarg_config_t), SINGLE, false },
	{ PFM_GET_CONFIG, "GET_CONFIG", sizeof(pfarg_config_t), SINGLE, false },
};

static const struct command *command_of(int cmd)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].cmd == cmd)
			return &commands[i];
	return NULL;
}

/* The first of two pages; the second one faults. */
static char *page_before_hole(void)
{
	char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || munmap(p + PAGE, PAGE))
		die("mmap: %s", strerror(errno));
	return p;
}

static int lowest_fd(void)
{
	int fd = (int)MUST(dup(1));

	close(fd);
	return fd;
}

#define SIZE(type, size)	{ #type, sizeof(type), size }
#define OFFS(type, field, offs)	{ #type "." #field, offsetof(type, field), offs }

TEST(layout)
{
	static const struct {
		char what[48];
		size_t seen, want;
	} t[] = {
		SIZE(pfarg_ctx_t, 64), OFFS(pfarg_ctx_t, ctx_flags, 0),
		OFFS(pfarg_ctx_t, ctx_fd, 4),
		OFFS(pfarg_ctx_t, ctx_smpl_buf_id, 8),
		OFFS(pfarg_ctx_t, ctx_smpl_uuid, 8),
		OFFS(pfarg_ctx_t, ctx_smpl_buf_size, 24),
		OFFS(pfarg_ctx_t, ctx_reserved, 32),
		SIZE(pfarg_pmc_t, 104), OFFS(pfarg_pmc_t, reg_num, 0),
		OFFS(pfarg_pmc_t, reg_set, 2), OFFS(pfarg_pmc_t, reg_flags, 4),
		OFFS(pfarg_pmc_t, reg_value, 8),
		OFFS(pfarg_pmc_t, reg_reset_pmds, 16),
		OFFS(pfarg_pmc_t, reg_smpl_pmds, 56),
		OFFS(pfarg_pmc_t, reg_smpl_eventid, 96),
		SIZE(pfarg_pmd_t, 64), OFFS(pfarg_pmd_t, reg_num, 0),
		OFFS(pfarg_pmd_t, reg_set, 2), OFFS(pfarg_pmd_t, reg_flags, 4),
		OFFS(pfarg_pmd_t, reg_value, 8),
		OFFS(pfarg_pmd_t, reg_long_reset, 16),
		OFFS(pfarg_pmd_t, reg_short_reset, 24),
		OFFS(pfarg_pmd_t, reg_last_reset_val, 32),
		OFFS(pfarg_pmd_t, reg_ovflsw_thres, 40),
		OFFS(pfarg_pmd_t, reg_random_mask, 48),
		OFFS(pfarg_pmd_t, reg_random_seed, 56),
		SIZE(pfarg_start_t, 8), OFFS(pfarg_start_t, start_set, 0),
		SIZE(pfarg_load_t, 8), OFFS(pfarg_load_t, load_pid, 0),
		OFFS(pfarg_load_t, load_set, 4),
		SIZE(pfarg_setdesc_t, 24), OFFS(pfarg_setdesc_t, set_id, 0),
		OFFS(pfarg_setdesc_t, set_id_next, 2),
		OFFS(pfarg_setdesc_t, set_flags, 4),
		OFFS(pfarg_setdesc_t, set_timeout, 8),
		SIZE(pfarg_setinfo_t, 88), OFFS(pfarg_setinfo_t, set_id, 0),
		OFFS(pfarg_setinfo_t, set_id_next, 2),
		OFFS(pfarg_setinfo_t, set_flags, 4),
		OFFS(pfarg_setinfo_t, set_switch_pmds, 8),
		OFFS(pfarg_setinfo_t, set_runs, 48),
		OFFS(pfarg_setinfo_t, set_timeout, 56),
		OFFS(pfarg_setinfo_t, set_act_duration, 72),
		SIZE(pfarg_pmcinfo_t, 32), SIZE(pfarg_pmdinfo_t, 32),
		OFFS(pfarg_pmcinfo_t, reg_num, 0),
		OFFS(pfarg_pmcinfo_t, reg_type, 2),
		OFFS(pfarg_pmcinfo_t, reg_flags, 4),
		OFFS(pfarg_pmcinfo_t, reg_def_value, 8),
		OFFS(pfarg_pmcinfo_t, reg_rsvd_mask, 16),
		OFFS(pfarg_pmcinfo_t, reg_index, 24),
		SIZE(pfarg_config_t, 120),
		OFFS(pfarg_config_t, cf_version, 0),
		OFFS(pfarg_config_t, cf_flags, 4),
		OFFS(pfarg_config_t, cf_impl_pmcs, 8),
		OFFS(pfarg_config_t, cf_impl_pmds, 48),
		OFFS(pfarg_config_t, cf_sys_gid, 88),
		OFFS(pfarg_config_t, cf_thread_gid, 92),
		OFFS(pfarg_config_t, cf_arg_size_max, 96),
		OFFS(pfarg_config_t, cf_smpl_buf_size_max, 104),
		OFFS(pfarg_config_t, cf_counter_width, 112),
		SIZE(pfm_msg_t, 48), SIZE(pfm_ovfl_msg_t, 48),
		OFFS(pfm_ovfl_msg_t, msg_type, 0),
		OFFS(pfm_ovfl_msg_t, msg_active_set, 4),
		OFFS(pfm_ovfl_msg_t, msg_ovfl_pmds, 8),
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		EXPECT_EQ(t[i].want, t[i].seen) {
			TH_LOG("%s", t[i].what);
		}
}

TEST(version)
{
	pfarg_config_t cf = {};

	ASSERT_EQ(0, pfm(-1, PFM_GET_CONFIG, &cf, 1));
	EXPECT_EQ(0U, PFM_VERSION_MAJOR(cf.cf_version));
	EXPECT_EQ(6U, PFM_VERSION_MINOR(cf.cf_version));
	EXPECT_EQ(PFM_VERSION, cf.cf_version);
}

TEST(unknown_command)
{
	static const int odd[] = {
		INT_MIN, INT_MAX, -2, -1, 0x100, 0x101, 0x1000,
		0x10000 | PFM_GET_CONFIG, (int)(0x80000000U | PFM_GET_CONFIG),
	};
	int fd = (int)MUST(pfm_create(0));
	char room[256] = {};
	size_t i;
	int cmd;

	for (cmd = 0; cmd < 256; cmd++) {
		if (command_of(cmd))
			continue;
		EXPECT_EQ(-EINVAL, pfm(fd, cmd, room, 1)) {
			TH_LOG("command %#x", cmd);
		}
		EXPECT_EQ(-EINVAL, pfm(fd, cmd, NULL, 0));
	}
	for (i = 0; i < ARRAY_SIZE(odd); i++)
		EXPECT_EQ(-EINVAL, pfm(fd, odd[i], room, 1)) {
			TH_LOG("command %#x", odd[i]);
		}
}

TEST(argument_count)
{
	static const int never[] = { 0, -1, INT_MIN };
	static const int not_one[] = { 2, 3, INT_MAX };
	int fd = (int)MUST(pfm_create(0));
	char room[512] = {};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		const struct command *c = &commands[i];

		if (c->kind == NONE) {
			EXPECT_EQ(-EINVAL, pfm(fd, c->cmd, room, 0));
			EXPECT_EQ(-EINVAL, pfm(fd, c->cmd, NULL, 1));
			EXPECT_EQ(-EINVAL, pfm(fd, c->cmd, room, 1));
			EXPECT_EQ(-EINVAL, pfm(fd, c->cmd, NULL, -1));
			continue;
		}
		for (k = 0; k < ARRAY_SIZE(never); k++)
			EXPECT_EQ(-EINVAL, pfm(fd, c->cmd, room, never[k])) {
				TH_LOG("%s narg %d", c->name, never[k]);
			}
		for (k = 0; c->kind != VECTOR && k < ARRAY_SIZE(not_one); k++)
			EXPECT_EQ(-EINVAL, pfm(fd, c->cmd, room, not_one[k])) {
				TH_LOG("%s narg %d", c->name, not_one[k]);
			}
	}
}

TEST(vector_too_big)
{
	int fd = (int)MUST(pfm_create(0));
	pfarg_config_t cf = {};
	char *room;
	size_t i;

	ASSERT_EQ(0, pfm(-1, PFM_GET_CONFIG, &cf, 1));
	room = calloc(1, (size_t)cf.cf_arg_size_max + 4096);
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		const struct command *c = &commands[i];
		u64 max = c->size ? cf.cf_arg_size_max / c->size : 0;
		/* n * size that is small, or negative, in 32 bits */
		u64 wrap = c->size ? (1ULL << 32) / c->size + 1 : 0;
		u64 neg = c->size ? (1ULL << 31) / c->size + 1 : 0;

		if (c->kind != VECTOR)
			continue;
		EXPECT_EQ(-E2BIG, pfm(fd, c->cmd, room, (int)max + 1)) {
			TH_LOG("%s narg %d", c->name, (int)max + 1);
		}
		EXPECT_EQ(-E2BIG, pfm(fd, c->cmd, room, INT_MAX));
		EXPECT_EQ(-E2BIG, pfm(fd, c->cmd, room, (int)wrap));
		EXPECT_EQ(-E2BIG, pfm(fd, c->cmd, room, (int)neg));
	}
	free(room);
}

TEST(vector_as_big_as_allowed)
{
	int n, i, fd = (int)MUST(pfm_create(0));
	pfarg_config_t cf = {};
	pfarg_pmd_t *pmd;

	ASSERT_EQ(0, pfm(-1, PFM_GET_CONFIG, &cf, 1));
	n = (int)(cf.cf_arg_size_max / sizeof(*pmd));
	ASSERT_LE(PFM_SW_COUNTERS, n);
	pmd = calloc((size_t)n, sizeof(*pmd));
	for (i = 0; i < n; i++) {
		pmd[i].reg_num = (__u16)SW_PMD(i % PFM_SW_COUNTERS);
		pmd[i].reg_value = 1000ULL + (u64)i;
	}
	ASSERT_EQ(0, pfm(fd, PFM_WRITE_PMDS, pmd, n));
	for (i = 0; i < n; i++)
		pmd[i].reg_value = ~0ULL;
	ASSERT_EQ(0, pfm(fd, PFM_READ_PMDS, pmd, n));
	for (i = 0; i < n; i++) {
		/* The last writer of this register in the vector. */
		int last = n - 1 - (n - 1 - i) % PFM_SW_COUNTERS;

		ASSERT_EQ(1000ULL + (u64)last, pmd[i].reg_value);
	}
	free(pmd);
}

TEST(bad_address)
{
	static const uintptr_t bad[] = {
		0, 1, 4096 - 1, (uintptr_t)-1, (uintptr_t)-4096,
#ifdef __x86_64__
		0xffff888000000000, 0xffffffff81000000, 0x8000000000000000,
		0x00007ffffffff000,
#elif defined(__powerpc64__)
		0xc000000000000000, 0xc008000000000000, 0x8000000000000000,
		0x000ffffffffff000,
#else
		0xc0000000, 0xfffff000,
#endif
	};
	int fd = (int)MUST(pfm_create(0));
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		const struct command *c = &commands[i];

		if (c->kind == NONE || (c->cmd == PFM_SET_CONFIG && !is_root()))
			continue;
		/* START with NULL and 1 is a count as bad as an address. */
		for (k = c->kind == MAYBE; k < ARRAY_SIZE(bad); k++)
			EXPECT_EQ(-EFAULT, pfm(fd, c->cmd, (void *)bad[k], 1)) {
				TH_LOG("%s at %#lx", c->name,
				       (unsigned long)bad[k]);
			}
	}
}

/* An argument that starts well and runs into a hole. */
TEST(partly_mapped)
{
	int fd = (int)MUST(pfm_create(0));
	char *page = page_before_hole();
	size_t i, cut;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		const struct command *c = &commands[i];

		if (c->kind == NONE || (c->cmd == PFM_SET_CONFIG && !is_root()))
			continue;
		for (cut = 1; cut < c->size; cut += 7) {
			memset(page, 0, PAGE);
			EXPECT_EQ(-EFAULT, pfm(fd, c->cmd,
					       page + PAGE - c->size + cut, 1));
		}
		if (c->kind != VECTOR)
			continue;
		EXPECT_EQ(-EFAULT, pfm(fd, c->cmd, page + PAGE - c->size, 2)) {
			TH_LOG("%s, second of two", c->name);
		}
	}
}

TEST(at_the_end_of_a_page)
{
	int fd = (int)MUST(pfm_create(0));
	char *page = page_before_hole();
	pfarg_pmd_t *pmd = (pfarg_pmd_t *)(page + PAGE) - 2;

	pmd[0].reg_num = (__u16)SW_PMD(0);
	pmd[0].reg_value = 11;
	pmd[1].reg_num = (__u16)SW_PMD(1);
	pmd[1].reg_value = 22;
	EXPECT_EQ(0, pfm(fd, PFM_WRITE_PMDS, pmd, 2));
	EXPECT_EQ(11ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(22ULL, pfm_value(fd, SW_PMD(1)));
}

TEST(result_to_read_only_memory)
{
	static const int cmds[] = {
		PFM_READ_PMDS, PFM_GETINFO_PMDS, PFM_GETINFO_PMCS,
		PFM_GETINFO_EVTSETS, PFM_GET_CONFIG, PFM_CREATE_CONTEXT,
	};
	int fd = (int)MUST(pfm_create(0)), low = lowest_fd();
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	ASSERT_NE(MAP_FAILED, (void *)page);
	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		MUST(mprotect(page, PAGE, PROT_READ | PROT_WRITE));
		memset(page, 0, PAGE);
		if (cmds[i] == PFM_READ_PMDS || cmds[i] == PFM_GETINFO_PMDS ||
		    cmds[i] == PFM_GETINFO_PMCS)
			*(__u16 *)page = (__u16)SW_PMD(0);
		MUST(mprotect(page, PAGE, PROT_READ));
		EXPECT_EQ(-EFAULT, pfm(fd, cmds[i], page, 1)) {
			TH_LOG("command %#x", cmds[i]);
		}
	}
	/* CREATE_CONTEXT that cannot tell the descriptor must not make it. */
	EXPECT_EQ(low, lowest_fd());
}

TEST(unaligned_argument)
{
	int fd = (int)MUST(pfm_create(0));
	char room[sizeof(pfarg_pmd_t) + 8] = {};
	pfarg_pmd_t pmd = { .reg_num = SW_PMD(3), .reg_value = 77 };
	int off;

	for (off = 1; off < 8; off++) {
		pmd.reg_value++;
		memcpy(room + off, &pmd, sizeof(pmd));
		EXPECT_EQ(0, pfm(fd, PFM_WRITE_PMDS, room + off, 1));
		EXPECT_EQ(pmd.reg_value, pfm_value(fd, SW_PMD(3)));
	}
}

/* All of the structure is output: a program need not initialise it. */
TEST(config_is_output_only)
{
	pfarg_config_t zeroed = {}, cf;

	memset(&cf, 0xa5, sizeof(cf));
	EXPECT_EQ(0, pfm(-1, PFM_GET_CONFIG, &zeroed, 1));
	EXPECT_EQ(0, pfm(-1, PFM_GET_CONFIG, &cf, 1));
	EXPECT_EQ(0, memcmp(&cf, &zeroed, sizeof(cf)));
	EXPECT_TRUE(all_bytes(cf.cf_pad, sizeof(cf.cf_pad), 0));
}

TEST(padding_must_be_zero)
{
	int i, fd = (int)MUST(pfm_create(0));
	pid_t tid = my_tid();

	for (i = 0; i < 3; i++) {
		pfarg_start_t start = {};

		MUST(pfm_load(fd, tid));
		start.start_pad[i] = 0x8000;
		EXPECT_EQ(-EINVAL, pfm(fd, PFM_START, &start, 1));
		EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-started"));
		MUST(pfm_unload(fd));
	}
	{
		pfarg_load_t load = { .load_pid = tid, .load_flags = 1 };
		pfarg_pmd_t pmd = { .reg_num = SW_PMD(0), .reg_value = 5 };

		EXPECT_EQ(-EINVAL, pfm(fd, PFM_LOAD_CONTEXT, &load, 1));
		EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
		pmd.reg_pad = 0x80000000;
		EXPECT_EQ(-EINVAL, pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
		EXPECT_EQ(PFM_REG_RETFL_EINVAL, pmd.reg_flags);
		EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(0)));
		pmd.reg_flags = 0;
		EXPECT_EQ(-EINVAL, pfm(fd, PFM_READ_PMDS, &pmd, 1));
		EXPECT_EQ(PFM_REG_RETFL_EINVAL, pmd.reg_flags);
	}
}

TEST_HARNESS_MAIN
