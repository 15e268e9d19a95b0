// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every command in every state: unloaded, stopped, started, masked, and
 * masked and stopped; of a context on the thread itself, on another thread,
 * on another process, and on a CPU. The expected result is a table; that the
 * state afterwards is the one of the table is seen twice, in fdinfo and in
 * whether an event is counted.
 *
 * Not here: that further sets are switched to (switch_*.c); what a format
 * changes (smpl_*.c); the attachment itself (load.c) and its end from the other
 * side (inherit.c).
 */
#include "puppet.h"

enum state { UNLOADED, STOPPED, STARTED, MASKED, MASKED_STOPPED, N_STATES };

static const char *const state_names[N_STATES] = {
	"unloaded", "stopped", "started", "masked", "masked and stopped",
};

enum who { SELF, THREAD, PROCESS, CPU };

#define WATCHED	SW_PMD(1)	/* counts minor faults, never overflows */
#define KEPT	SW_PMD(2)	/* counts nothing, holds KEPT_VALUE */
#define KEPT_VALUE 0x123456789abcULL

FIXTURE(state) {
	struct puppet puppet;
	struct pages pages;
	enum who who;
	bool sets;
	pid_t tid;
	int fd;
};

FIXTURE_VARIANT(state) {
	enum who who;
	bool sets;	/* further ones, that are never switched to */
};

FIXTURE_VARIANT_ADD(state, self) { .who = SELF };
FIXTURE_VARIANT_ADD(state, thread) { .who = THREAD };
FIXTURE_VARIANT_ADD(state, process) { .who = PROCESS };
FIXTURE_VARIANT_ADD(state, cpu) { .who = CPU };
FIXTURE_VARIANT_ADD(state, self_sets) { .who = SELF, .sets = true };
FIXTURE_VARIANT_ADD(state, process_sets) { .who = PROCESS, .sets = true };
FIXTURE_VARIANT_ADD(state, cpu_sets) { .who = CPU, .sets = true };

typedef FIXTURE_DATA(state) state_data;

FIXTURE_SETUP(state)
{
	self->who = variant->who;
	self->sets = variant->sets;
	self->tid = my_tid();
	pages_map(&self->pages, 1000);
	if (self->who == THREAD || self->who == PROCESS) {
		puppet_start(&self->puppet, self->who == THREAD ?
					    PUPPET_THREAD : PUPPET_PROCESS);
		self->tid = self->puppet.tid;
	} else if (self->who == CPU) {
		pin_somewhere();
	}
}

FIXTURE_TEARDOWN(state)
{
	if (self->who == THREAD || self->who == PROCESS)
		puppet_stop(&self->puppet);
}

/* A minor fault where it would be counted. */
static void fault(state_data *s)
{
	if (s->who == THREAD || s->who == PROCESS)
		puppet_do(&s->puppet, OP_FAULT, 1);
	else
		pages_touch(&s->pages, 1);
}

static enum state state_of(int fd)
{
	bool started = pfm_fdinfo_num(fd, "pfm-started");

	if (pfm_state_is(fd, "masked"))
		return started ? MASKED : MASKED_STOPPED;
	if (pfm_state_is(fd, "loaded"))
		return started ? STARTED : STOPPED;
	return UNLOADED;
}

static bool counts(state_data *s)
{
	u64 before = pfm_value(s->fd, WATCHED);

	fault(s);
	return pfm_value(s->fd, WATCHED) != before;
}

/* One of each kind, after set 0, which is left by nothing. */
static void more_sets(int fd)
{
	pfarg_setdesc_t desc[] = {
		{ .set_id = 3, .set_flags = PFM_SETFL_OVFL_SWITCH },
		{ .set_id = 9, .set_flags = PFM_SETFL_TIME_SWITCH |
					    PFM_SETFL_EXPL_NEXT,
		  .set_id_next = 3, .set_timeout = { .tv_nsec = 100000 } },
		{ .set_id = 65535 },
	};

	MUST(pfm(fd, PFM_CREATE_EVTSETS, desc, ARRAY_SIZE(desc)));
}

static void enter(state_data *s, enum state state)
{
	bool masked = state == MASKED || state == MASKED_STOPPED;

	s->fd = pfm_counter(s->who == CPU ? PFM_FL_SYSTEM_WIDE : 0,
			    PFM_SW_MINOR_FAULTS,
			    masked ? PFM_REGFL_OVFL_NOTIFY : 0, 0);
	MUST(pfm_write_pmc(s->fd, SW_PMC(1), PFM_SW_MINOR_FAULTS, 0));
	MUST(pfm_write_pmd(s->fd, KEPT, KEPT_VALUE));
	if (s->sets)
		more_sets(s->fd);
	if (state == UNLOADED)
		return;
	MUST(pfm_load(s->fd, s->tid));
	if (state == STOPPED)
		return;
	if (masked)
		MUST(pfm_write_pmd(s->fd, SW_PMD(0), ~0ULL));
	MUST(pfm_start(s->fd));
	if (masked)
		fault(s);
	if (state == MASKED_STOPPED)
		MUST(pfm_stop(s->fd));
}

/* The commands, each on the context of @s with arguments that would do. */
static int do_write_pmcs(state_data *s)
{
	return pfm_write_pmc(s->fd, SW_PMC(3), 0, 0);
}

static int do_write_pmds(state_data *s)
{
	int ret = pfm_write_pmd(s->fd, SW_PMD(3), 31);

	return ret ?: pfm_value(s->fd, SW_PMD(3)) == 31 ? 0 : 1;
}

static int do_read_pmds(state_data *s)
{
	u64 value;
	int ret = pfm_read_pmd(s->fd, KEPT, &value);

	return ret ?: value == KEPT_VALUE ? 0 : 1;
}

static int do_start(state_data *s)
{
	return pfm_start(s->fd);
}

static int do_start_set(state_data *s, __u16 set)
{
	pfarg_start_t start = { .start_set = set };

	return pfm(s->fd, PFM_START, &start, 1);
}

static int do_start_set_0(state_data *s)
{
	return do_start_set(s, 0);
}

static int do_start_set_1(state_data *s)
{
	return do_start_set(s, 1);
}

static int do_stop(state_data *s)
{
	return pfm_stop(s->fd);
}

static int do_load(state_data *s)
{
	return pfm_load(s->fd, s->tid);
}

static int do_unload(state_data *s)
{
	return pfm_unload(s->fd);
}

static int do_restart(state_data *s)
{
	return pfm_restart(s->fd);
}

static int do_create_sets(state_data *s)
{
	pfarg_setdesc_t set = { .set_id = 0 };

	return pfm(s->fd, PFM_CREATE_EVTSETS, &set, 1);
}

static int do_delete_sets(state_data *s)
{
	pfarg_setdesc_t set = { .set_id = 7 };

	return pfm(s->fd, PFM_DELETE_EVTSETS, &set, 1);
}

static int do_info_sets(state_data *s)
{
	pfarg_setinfo_t info = { .set_id = 0 };

	return pfm(s->fd, PFM_GETINFO_EVTSETS, &info, 1);
}

static int do_info_pmcs(state_data *s)
{
	pfarg_pmcinfo_t info = { .reg_num = SW_PMC(0) };

	return pfm(s->fd, PFM_GETINFO_PMCS, &info, 1);
}

static int do_info_pmds(state_data *s)
{
	pfarg_pmdinfo_t info = { .reg_num = SW_PMD(0) };

	return pfm(s->fd, PFM_GETINFO_PMDS, &info, 1);
}

static int do_get_config(state_data *s)
{
	pfarg_config_t cf = {};

	return pfm(s->fd, PFM_GET_CONFIG, &cf, 1);
}

#define SAME	{ 0, UNLOADED }, { 0, STOPPED }, { 0, STARTED },	\
		{ 0, MASKED }, { 0, MASKED_STOPPED }
#define BUSY(state) { -EBUSY, state }
#define LOADED_BUSY BUSY(STOPPED), BUSY(STARTED), BUSY(MASKED),		\
		BUSY(MASKED_STOPPED)

static const struct row {
	const char *name;
	int (*command)(state_data *s);
	struct {
		int ret;
		enum state next;
	} cell[N_STATES];
} table[] = {
	{ "WRITE_PMCS", do_write_pmcs, { SAME } },
	{ "WRITE_PMDS", do_write_pmds, { SAME } },
	{ "READ_PMDS", do_read_pmds, { SAME } },
	{ "GETINFO_EVTSETS", do_info_sets, { SAME } },
	{ "GETINFO_PMCS", do_info_pmcs, { SAME } },
	{ "GETINFO_PMDS", do_info_pmds, { SAME } },
	{ "GET_CONFIG", do_get_config, { SAME } },
	{ "START", do_start,
		{ BUSY(UNLOADED), { 0, STARTED }, { 0, STARTED },
		  { 0, MASKED }, { 0, MASKED } } },
	{ "START set 0", do_start_set_0,
		{ BUSY(UNLOADED), { 0, STARTED }, { 0, STARTED },
		  { 0, MASKED }, { 0, MASKED } } },
	/* Unloaded both the set and the state are wrong: the state is said. */
	{ "START set 1", do_start_set_1,
		{ BUSY(UNLOADED), { -EINVAL, STOPPED }, { -EINVAL, STARTED },
		  { -EINVAL, MASKED }, { -EINVAL, MASKED_STOPPED } } },
	{ "STOP", do_stop,
		{ BUSY(UNLOADED), { 0, STOPPED }, { 0, STOPPED },
		  { 0, MASKED_STOPPED }, { 0, MASKED_STOPPED } } },
	{ "RESTART", do_restart,
		{ BUSY(UNLOADED), BUSY(STOPPED), BUSY(STARTED),
		  { 0, STARTED }, { 0, STOPPED } } },
	{ "LOAD_CONTEXT", do_load, { { 0, STOPPED }, LOADED_BUSY } },
	{ "UNLOAD_CONTEXT", do_unload,
		{ BUSY(UNLOADED), { 0, UNLOADED }, { 0, UNLOADED },
		  { 0, UNLOADED }, { 0, UNLOADED } } },
	{ "CREATE_EVTSETS", do_create_sets,
		{ { 0, UNLOADED }, LOADED_BUSY } },
	{ "DELETE_EVTSETS", do_delete_sets,
		{ { -EINVAL, UNLOADED }, LOADED_BUSY } },
};

static void check_column(struct __test_metadata *_metadata, state_data *s,
			 enum state state)
{
	const struct row *r;

	for (r = table; r < table + ARRAY_SIZE(table); r++) {
		enum state next = r->cell[state].next;
		int want = r->cell[state].ret;

		enter(s, state);
		ASSERT_EQ(state, state_of(s->fd));
		EXPECT_EQ(want, r->command(s)) {
			TH_LOG("%s while %s", r->name, state_names[state]);
		}
		EXPECT_EQ(next, state_of(s->fd)) {
			TH_LOG("%s while %s", r->name, state_names[state]);
		}
		EXPECT_EQ(next == STARTED, counts(s)) {
			TH_LOG("%s while %s", r->name, state_names[state]);
		}
		EXPECT_EQ(KEPT_VALUE, pfm_value(s->fd, KEPT));
		close(s->fd);
	}
}

TEST_F(state, unloaded)
{
	check_column(_metadata, self, UNLOADED);
}

TEST_F(state, stopped)
{
	check_column(_metadata, self, STOPPED);
}

TEST_F(state, started)
{
	check_column(_metadata, self, STARTED);
}

TEST_F(state, masked)
{
	check_column(_metadata, self, MASKED);
}

TEST_F(state, masked_and_stopped)
{
	check_column(_metadata, self, MASKED_STOPPED);
}

/* Whatever the state, the next life of the context starts afresh. */
TEST_F(state, reloaded)
{
	int state;

	for (state = STOPPED; state < N_STATES; state++) {
		enter(self, state);
		MUST(pfm_unload(self->fd));
		EXPECT_EQ(UNLOADED, state_of(self->fd));
		ASSERT_EQ(0, pfm_load(self->fd, self->tid));
		EXPECT_EQ(STOPPED, state_of(self->fd));
		EXPECT_FALSE(counts(self));
		ASSERT_EQ(0, pfm_start(self->fd));
		EXPECT_TRUE(counts(self));
		close(self->fd);
	}
}

/*
 * A system-wide context obeys only on its own CPU (4.3.2), whatever its
 * state; elsewhere nothing changes.
 */
TEST(from_another_cpu)
{
	static int (*const commands[])(state_data *s) = {
		do_write_pmcs, do_write_pmds, do_read_pmds, do_start,
		do_start_set_0, do_stop, do_restart, do_unload, do_info_sets,
	};
	state_data s = { .who = CPU, .tid = my_tid() };
	int cpus[2], state;
	size_t i;

	NEED_CPUS(cpus, 2);
	pages_map(&s.pages, 1000);
	for (state = STOPPED; state < N_STATES; state++)
		for (i = 0; i < ARRAY_SIZE(commands); i++) {
			pin_cpu(cpus[0]);
			enter(&s, state);
			pin_cpu(cpus[1]);
			EXPECT_EQ(-EBUSY, commands[i](&s)) {
				TH_LOG("command %zu while %s", i,
				       state_names[state]);
			}
			EXPECT_EQ((enum state)state, state_of(s.fd));
			pin_cpu(cpus[0]);
			EXPECT_EQ(state == STARTED, counts(&s));
			EXPECT_EQ(KEPT_VALUE, pfm_value(s.fd, KEPT));
			/* close() works from anywhere. */
			pin_cpu(cpus[1]);
			close(s.fd);
			EXPECT_EQ(0ULL, sysfs_u64("sys_sessions"));
		}
}

TEST(unloaded_system_wide_from_anywhere)
{
	state_data s = { .who = CPU, .tid = my_tid() };
	int cpus[2];

	NEED_CPUS(cpus, 2);
	pin_cpu(cpus[0]);
	enter(&s, UNLOADED);
	pin_cpu(cpus[1]);
	EXPECT_EQ(0, do_write_pmds(&s));
	EXPECT_EQ(0, do_read_pmds(&s));
	pin_cpu(cpus[0]);
	MUST(pfm_load(s.fd, s.tid));
	MUST(pfm_unload(s.fd));
	pin_cpu(cpus[1]);
	EXPECT_EQ(0, do_read_pmds(&s));
	/* Bound where the loader runs, not where it was before. */
	MUST(pfm_load(s.fd, s.tid));
	EXPECT_EQ(0, do_read_pmds(&s));
	pin_cpu(cpus[0]);
	EXPECT_EQ(-EBUSY, do_read_pmds(&s));
}

TEST_HARNESS_MAIN
