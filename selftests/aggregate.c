// SPDX-License-Identifier: GPL-2.0-only
/*
 * The aggregating format, as perfmon/aggregate_smpl.h promises it: one entry
 * for each process, place and event, what its count says, when the table is
 * full, what is lost, what PFM_RESTART clears, reading while it is written.
 *
 * A child faults at two places; a place is one instruction, so that the number
 * of entries is known. Other entries are made by other event identifiers.
 */
#include "sampling.h"
#include <perfmon/aggregate_smpl.h>

#define MASK_FULL	PFM_AGGREGATE_SMPL_MASK_WHEN_FULL
#define KEEP		PFM_AGGREGATE_SMPL_KEEP
#define ROOM		PFM_AGGREGATE_SMPL_ROOM
#define FIRST_GEN	2
#define FULL		PFM_AGGREGATE_SMPL_FULL
#define TOLD		PFM_AGGREGATE_SMPL_TOLD
#define OVFL		PFM_SETFL_OVFL_SWITCH

typedef pfm_aggregate_smpl_hdr_t hdr_t;
typedef pfm_aggregate_smpl_entry_t entry_t;

static const pfm_uuid_t aggregate_uuid = PFM_AGGREGATE_SMPL_UUID;

static int aggregate_create(u32 ctx_flags, u32 slots, u32 buf_flags, u64 *size)
{
	pfm_aggregate_smpl_arg_t arg = {
		.buf_slots = slots, .buf_flags = buf_flags,
	};

	return smpl_create(aggregate_uuid, ctx_flags, &arg, sizeof(arg), size);
}

/* ------------------------------------------------------------------------
 * A child that faults at two places
 */

enum place { HERE, THERE };

struct order {
	enum place place;
	unsigned int n;
};

struct child {
	pid_t pid;
	int order[2], ack[2];
};

/* Two functions that are not the same, or they would be one. */
static __attribute__((noinline)) void store_here(volatile char *p)
{
	*p = 1;
}

static __attribute__((noinline)) void store_there(volatile char *p)
{
	*p = 2;
}

static void child_fault(struct pages *pages, enum place place, unsigned int n)
{
	while (n--) {
		if (pages->next == pages->end) {
			MUST(madvise((void *)pages->start,
				     (size_t)(pages->end - pages->start),
				     MADV_DONTNEED));
			pages->next = pages->start;
		}
		if (place == HERE)
			store_here(pages->next);
		else
			store_there(pages->next);
		pages->next += pages->size;
	}
}

static void __attribute__((noreturn)) child_main(struct child *c)
{
	struct pages pages;
	struct order o;

	pages_map(&pages, 500);
	child_fault(&pages, HERE, 300);
	child_fault(&pages, THERE, 300);
	while (read(c->order[0], &o, sizeof(o)) == sizeof(o)) {
		child_fault(&pages, o.place, o.n);
		MUST(write(c->ack[1], "", 1));
	}
	_exit(0);
}

static void child_post(struct child *c, enum place place, unsigned int n)
{
	struct order o = { place, n };

	MUST(write(c->order[1], &o, sizeof(o)));
}

static bool child_done(struct child *c, int ms)
{
	char byte;

	return (pfm_poll(c->ack[0], ms) & POLLIN) &&
	       read(c->ack[0], &byte, 1) == 1;
}

static void child_do(struct child *c, enum place place, unsigned int n)
{
	child_post(c, place, n);
	if (!child_done(c, PATIENCE))
		die("the child does not obey");
}

static void child_start(struct child *c)
{
	MUST(pipe2(c->order, O_CLOEXEC));
	MUST(pipe2(c->ack, O_CLOEXEC));
	c->pid = fork_child();
	if (!c->pid)
		child_main(c);
	child_do(c, HERE, 1);
	child_do(c, THERE, 1);
}

FIXTURE(table) {
	struct format_module m;
	struct child c;
	int fd;
	u64 size;
	const hdr_t *hdr;
};

FIXTURE_SETUP(table)
{
	self->fd = -1;
	format_get(&self->m, "aggregate");
	child_start(&self->c);
}

FIXTURE_TEARDOWN(table)
{
	if (self->fd >= 0)
		close(self->fd);
	kill_and_reap(self->c.pid);
	format_put(&self->m);
}

static void open_table(FIXTURE_DATA(table) *f, u32 ctx_flags, u32 slots,
		       u32 buf_flags)
{
	f->fd = (int)MUST(aggregate_create(ctx_flags, slots, buf_flags,
					   &f->size));
	f->hdr = buf_map(f->fd, f->size);
	set_nonblock(f->fd);
}

static void close_table(FIXTURE_DATA(table) *f)
{
	close(f->fd);
	f->fd = -1;
}

/* Counter @i samples faults, each as event @id. */
static void choose_event(int fd, int i, u64 id, u32 flags)
{
	pfarg_pmc_t pmc = {
		.reg_num = (__u16)SW_PMC(i), .reg_flags = flags,
		.reg_value = FAULTS, .reg_smpl_eventid = id,
	};

	MUST(pfm(fd, PFM_WRITE_PMCS, &pmc, 1));
}

static void sample_event(int fd, int i, u64 period, u64 id, u32 flags)
{
	choose_event(fd, i, id, flags);
	MUST(pfm_write_period(fd, SW_PMD(i), -period, -period, -period));
}

/* One at each fault, of event 1, of the child. */
static void open_simple(FIXTURE_DATA(table) *f, u32 ctx_flags, u32 slots,
			u32 buf_flags, u32 flags)
{
	open_table(f, ctx_flags, slots, buf_flags);
	sample_event(f->fd, 0, 1, 1, flags);
	attach(f->fd, f->c.pid);
}

static const entry_t *slots_of(const hdr_t *h)
{
	return (const entry_t *)(h + 1);
}

static bool is_used(const hdr_t *h, const entry_t *e)
{
	return __atomic_load_n(&e->ent_gen, __ATOMIC_ACQUIRE) == h->hdr_gen;
}

/* The samples whose entries are as @like where that is not 0. */
static u64 count_like(const hdr_t *h, const entry_t *like)
{
	const entry_t *e = slots_of(h);
	u64 sum = 0;
	u32 i;

	for (i = 0; i < h->hdr_slots; i++, e++)
		if (is_used(h, e) &&
		    (!like->ent_pid || like->ent_pid == e->ent_pid) &&
		    (!like->ent_set || like->ent_set == e->ent_set) &&
		    (!like->ent_ovfl_pmd ||
		     like->ent_ovfl_pmd == e->ent_ovfl_pmd) &&
		    (!like->ent_ip || like->ent_ip == e->ent_ip) &&
		    (!like->ent_eventid ||
		     like->ent_eventid == e->ent_eventid))
			sum += e->ent_count;
	return sum;
}

static u32 entries_of(const hdr_t *h)
{
	u32 i, n = 0;

	for (i = 0; i < h->hdr_slots; i++)
		n += is_used(h, &slots_of(h)[i]);
	return n;
}

/* Where the only entry of event @id is. */
static u64 ip_of_event(const hdr_t *h, u64 id)
{
	u64 ip = 0;
	u32 i;

	for (i = 0; i < h->hdr_slots; i++) {
		const entry_t *e = &slots_of(h)[i];

		if (!is_used(h, e) || e->ent_eventid != id)
			continue;
		if (ip)
			die("event %llu has more than one entry", id);
		ip = e->ent_ip;
	}
	return ip;
}

/* What must hold of any table at rest; no two entries are the same. */
static void check_table(struct __test_metadata *_metadata, const hdr_t *h)
{
	const entry_t *e = slots_of(h);
	u32 i, k;

	EXPECT_EQ(PFM_AGGREGATE_SMPL_VERSION, h->hdr_version);
	EXPECT_EQ(sizeof(*h), h->hdr_size);
	EXPECT_EQ(sizeof(*h) + h->hdr_slots * sizeof(*e), h->hdr_buf_size);
	EXPECT_EQ(h->hdr_samples, h->hdr_lost + h->hdr_cleared +
		  count_like(h, &(entry_t){}));
	EXPECT_EQ(entries_of(h), h->hdr_used);
	EXPECT_EQ(0U, h->hdr_gen % 2);
	EXPECT_EQ(h->hdr_slots / 8 * 7, h->hdr_mark);
	for (i = 0; i < h->hdr_slots; i++) {
		for (k = 0; k < i && is_used(h, &e[i]); k++) {
			if (!is_used(h, &e[k]) || e[k].ent_ip != e[i].ent_ip ||
			    e[k].ent_eventid != e[i].ent_eventid ||
			    e[k].ent_pid != e[i].ent_pid)
				continue;
			EXPECT_TRUE(e[k].ent_ovfl_pmd != e[i].ent_ovfl_pmd ||
				    e[k].ent_set != e[i].ent_set);
		}
	}
}

/* Full by what it says of itself; at the latest when that many are used. */
static bool is_full(const hdr_t *h)
{
	return h->hdr_used >= h->hdr_mark || h->hdr_lost;
}

/* ------------------------------------------------------------------------
 * The argument and the header
 */

TEST_F(table, header)
{
	static const u32 flags[] = { 0, MASK_FULL, KEEP, MASK_FULL | KEEP };
	u32 slots;
	size_t i;

	NEED_FORMAT(&self->m);
	for (slots = PFM_AGGREGATE_SMPL_MIN_SLOTS;
	     slots <= PFM_AGGREGATE_SMPL_MAX_SLOTS; slots *= 2) {
		for (i = 0; i < ARRAY_SIZE(flags); i++) {
			const hdr_t *h;

			open_table(self, 0, slots, flags[i]);
			h = self->hdr;
			EXPECT_EQ(page_align(h->hdr_buf_size), self->size);
			EXPECT_EQ(slots, h->hdr_slots);
			EXPECT_EQ(flags[i], h->hdr_flags);
			EXPECT_EQ((u32)ROOM, h->hdr_state);
			EXPECT_EQ(0U, h->hdr_used);
			EXPECT_EQ(0ULL, h->hdr_samples);
			EXPECT_EQ((u32)FIRST_GEN, h->hdr_gen);
			EXPECT_TRUE(all_bytes(slots_of(h), self->size -
					      sizeof(*h), 0));
			EXPECT_EQ(sizeof(*h) + slots * sizeof(entry_t),
				  h->hdr_buf_size);
			close_table(self);
		}
	}
}

TEST_F(table, bad_arguments)
{
	static const u32 slots[] = {
		0, 1, 2, 63, 65, 96, 100, 1023, 3 * 1024,
		PFM_AGGREGATE_SMPL_MIN_SLOTS / 2,
		PFM_AGGREGATE_SMPL_MAX_SLOTS - 1,
		PFM_AGGREGATE_SMPL_MAX_SLOTS + 1,
		PFM_AGGREGATE_SMPL_MAX_SLOTS * 2, 1U << 31, ~0U,
	};
	u64 before = buffers_now();
	size_t i;
	int fd;

	NEED_FORMAT(&self->m);
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		EXPECT_EQ(-EINVAL, aggregate_create(0, slots[i], 0, NULL)) {
			TH_LOG("%u slots", slots[i]);
		}
	}
	for (i = 2; i < 32; i++)
		EXPECT_EQ(-EINVAL, aggregate_create(0, 64, 1U << i, NULL));
	/* To wait for what never comes? */
	EXPECT_EQ(-EINVAL, aggregate_create(PFM_FL_NOTIFY_BLOCK, 64, 0, NULL));
	EXPECT_EQ(-EINVAL, aggregate_create(PFM_FL_NOTIFY_BLOCK, 64, KEEP,
					    NULL));
	fd = aggregate_create(PFM_FL_NOTIFY_BLOCK, 64, MASK_FULL, NULL);
	EXPECT_LE(0, fd);
	close(fd);
	EXPECT_EQ(before, buffers_now());
}

/* ------------------------------------------------------------------------
 * What is counted together, and what is not
 */

TEST_F(table, one_place)
{
	const entry_t *e;
	const hdr_t *h;
	u32 i;

	NEED_FORMAT(&self->m);
	open_table(self, 0, 64, 0);
	sample_event(self->fd, 3, 2, 0x123456789abcdefULL, 0);
	attach(self->fd, self->c.pid);
	child_do(&self->c, HERE, 100);
	h = self->hdr;
	EXPECT_EQ(50ULL, h->hdr_samples);
	EXPECT_EQ(1U, h->hdr_used);
	EXPECT_EQ((u32)ROOM, h->hdr_state);
	check_table(_metadata, h);
	for (i = 0; i < 64; i++) {
		e = &slots_of(h)[i];
		if (!is_used(h, e))
			continue;
		EXPECT_EQ(self->c.pid, e->ent_pid);
		EXPECT_EQ(0, e->ent_set);
		EXPECT_EQ(SW_PMD(3), e->ent_ovfl_pmd);
		EXPECT_EQ(0x123456789abcdefULL, e->ent_eventid);
		EXPECT_EQ(50U, e->ent_count);
		EXPECT_LE(code_of(store_here), e->ent_ip);
		EXPECT_GT(code_of(store_here) + 64, e->ent_ip);
	}
	/* The counter has its short value, and is not masked. */
	EXPECT_EQ(-2ULL, pfm_value(self->fd, SW_PMD(3)));
	EXPECT_TRUE(pfm_state_is(self->fd, "loaded"));
}

TEST_F(table, places)
{
	NEED_FORMAT(&self->m);
	open_simple(self, 0, 64, 0, 0);
	child_do(&self->c, HERE, 30);
	child_do(&self->c, THERE, 20);
	child_do(&self->c, HERE, 1);
	EXPECT_EQ(51ULL, self->hdr->hdr_samples);
	EXPECT_EQ(2U, self->hdr->hdr_used);
	check_table(_metadata, self->hdr);
}

TEST_F(table, events)
{
	entry_t like = {};
	u64 id;

	NEED_FORMAT(&self->m);
	open_simple(self, 0, 64, 0, 0);
	for (id = 1; id <= 20; id++) {
		choose_event(self->fd, 0, id, 0);
		child_do(&self->c, HERE, (unsigned int)id);
	}
	EXPECT_EQ(20U, self->hdr->hdr_used);
	EXPECT_EQ(210ULL, self->hdr->hdr_samples);
	for (id = 1; id <= 20; id++) {
		like.ent_eventid = id;
		EXPECT_EQ(id, count_like(self->hdr, &like));
		EXPECT_EQ(ip_of_event(self->hdr, 1),
			  ip_of_event(self->hdr, id));
	}
	check_table(_metadata, self->hdr);
}

/* Who knows in which slots entries are in one context does not know it of another. */
TEST_F(table, slots_are_the_contexts_own)
{
	u32 slot[2][8] = {}, i;
	int k;
	u64 id;

	NEED_FORMAT(&self->m);
	for (k = 0; k < 2; k++) {
		open_simple(self, 0, 1024, 0, 0);
		for (id = 1; id <= 8; id++) {
			choose_event(self->fd, 0, id, 0);
			child_do(&self->c, HERE, 1);
		}
		EXPECT_EQ(8U, self->hdr->hdr_used);
		for (i = 0; i < 1024; i++)
			if (is_used(self->hdr, &slots_of(self->hdr)[i]))
				slot[k][slots_of(self->hdr)[i].ent_eventid % 8] = i;
		close_table(self);
	}
	EXPECT_NE(0, memcmp(slot[0], slot[1], sizeof(slot[0])));
}

/* Counters that overflow at the same event, with the same event identifier. */
TEST_F(table, counters)
{
	entry_t like = {};
	int i;

	NEED_FORMAT(&self->m);
	open_table(self, 0, 64, 0);
	for (i = 0; i < PFM_SW_COUNTERS; i++)
		sample_event(self->fd, i, 1 + (u64)i, 9, 0);
	attach(self->fd, self->c.pid);
	child_do(&self->c, THERE, 840);
	EXPECT_EQ((u32)PFM_SW_COUNTERS, self->hdr->hdr_used);
	for (i = 0; i < PFM_SW_COUNTERS; i++) {
		like.ent_ovfl_pmd = (__u16)SW_PMD(i);
		EXPECT_EQ(840ULL / (1 + (u64)i),
			  count_like(self->hdr, &like));
	}
	check_table(_metadata, self->hdr);
}

TEST_F(table, sets)
{
	static const __u16 ids[] = { 0, 5, 65535 };
	entry_t like = {};
	size_t i;

	NEED_FORMAT(&self->m);
	open_table(self, 0, 64, 0);
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		pfarg_setdesc_t desc = { .set_id = ids[i], .set_flags = OVFL };
		pfarg_pmd_t pmd = {
			.reg_num = (__u16)SW_PMD(0), .reg_set = ids[i],
			.reg_value = ~0ULL, .reg_short_reset = ~0ULL,
			.reg_ovflsw_thres = 1,
		};

		MUST(pfm(self->fd, PFM_CREATE_EVTSETS, &desc, 1));
		choose(self->fd, ids[i], 0, FAULTS, 0, 0, 0);
		MUST(pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
	}
	attach(self->fd, self->c.pid);
	child_do(&self->c, HERE, 302);
	EXPECT_EQ(3U, self->hdr->hdr_used);
	like.ent_set = 5;
	EXPECT_EQ(101ULL, count_like(self->hdr, &like));
	like.ent_set = 65535;
	EXPECT_EQ(100ULL, count_like(self->hdr, &like));
	EXPECT_EQ(302ULL, self->hdr->hdr_samples);
	check_table(_metadata, self->hdr);
}

/* Threads of a process are counted together, processes are not. */
TEST_F(table, processes)
{
	int i, cpu = pin_somewhere();
	struct puppet t[2];
	entry_t like = {};

	NEED_FORMAT(&self->m);
	/* The child is where its parent is from now on. */
	kill_and_reap(self->c.pid);
	child_start(&self->c);
	for (i = 0; i < 2; i++) {
		puppet_start(&t[i], PUPPET_THREAD);
		puppet_do(&t[i], OP_PIN, (unsigned int)cpu);
		puppet_do(&t[i], OP_FAULT, PUPPET_PAGES + 1);
	}
	open_table(self, PFM_FL_SYSTEM_WIDE, PFM_AGGREGATE_SMPL_MAX_SLOTS, 0);
	sample_event(self->fd, 0, 1, 4, 0);
	attach(self->fd, my_tid());
	child_do(&self->c, HERE, 70);
	puppet_do(&t[0], OP_FAULT, 40);
	puppet_do(&t[1], OP_FAULT, 50);
	child_do(&self->c, THERE, 7);
	MUST(pfm_stop(self->fd));
	like.ent_pid = self->c.pid;
	EXPECT_EQ(77ULL, count_like(self->hdr, &like));
	like.ent_pid = getpid();
	EXPECT_LE(90ULL, count_like(self->hdr, &like));
	like.ent_pid = t[0].tid;
	EXPECT_EQ(0ULL, count_like(self->hdr, &like));
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
	for (i = 0; i < 2; i++)
		puppet_stop(&t[i]);
}

/* A sample has no body, whatever its control says. */
TEST_F(table, sampled_registers)
{
	NEED_FORMAT(&self->m);
	open_table(self, 0, 64, 0);
	choose(self->fd, 0, 0, FAULTS, 0, COUNTERS | VIRTUALS, 0);
	MUST(pfm_write_period(self->fd, SW_PMD(0), ~0ULL, ~0ULL, ~0ULL));
	attach(self->fd, self->c.pid);
	child_do(&self->c, HERE, 500);
	EXPECT_EQ(1U, self->hdr->hdr_used);
	check_table(_metadata, self->hdr);
}

/* ------------------------------------------------------------------------
 * Full
 */

/* One fault as event @id. */
static void one(FIXTURE_DATA(table) *f, u64 id, u32 flags)
{
	choose_event(f->fd, 0, id, flags);
	child_do(&f->c, HERE, 1);
}

/* As many events as it takes; which was the last. */
static u64 fill(struct __test_metadata *_metadata, FIXTURE_DATA(table) *f,
		u64 id, u32 flags)
{
	do {
		EXPECT_EQ((u32)ROOM, f->hdr->hdr_state);
		EXPECT_EQ(0ULL, pfm_fdinfo_num(f->fd, "pfm-queued"));
		ASSERT_GT(f->hdr->hdr_mark, f->hdr->hdr_used);
		one(f, ++id, flags);
	} while (f->hdr->hdr_state == ROOM);
	EXPECT_TRUE(is_full(f->hdr));
	check_table(_metadata, f->hdr);
	return id;
}

/* Told once; it goes on as long as there are slots, and then it loses. */
TEST_F(table, full)
{
	u64 id, n, samples;

	NEED_FORMAT(&self->m);
	open_simple(self, 0, 64, 0, NOTIFY);
	id = fill(_metadata, self, 0, NOTIFY);
	EXPECT_EQ((u32)TOLD, self->hdr->hdr_state);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	EXPECT_TRUE(pfm_state_is(self->fd, "loaded"));
	EXPECT_EQ(-1ULL, pfm_value(self->fd, SW_PMD(0)));
	for (n = 0; n < 40; n++)
		one(self, ++id, NOTIFY);
	EXPECT_EQ(id, self->hdr->hdr_samples);
	EXPECT_LE(self->hdr->hdr_mark, self->hdr->hdr_used);
	EXPECT_LE(id - 64, self->hdr->hdr_lost);
	check_table(_metadata, self->hdr);
	/* What has an entry is counted for ever. */
	samples = self->hdr->hdr_samples;
	n = self->hdr->hdr_lost;
	choose_event(self->fd, 0, 1, NOTIFY);
	child_do(&self->c, HERE, 1000);
	EXPECT_EQ(samples + 1000, self->hdr->hdr_samples);
	EXPECT_EQ(n, self->hdr->hdr_lost);
	EXPECT_EQ(1001ULL, count_like(self->hdr, &(entry_t){
		.ent_eventid = 1 }));
	EXPECT_EQ(0U, overflowed(self->fd));
	EXPECT_TRUE(pfm_state_is(self->fd, "loaded"));
}

/* It is said to the first one that wants to hear it. */
TEST_F(table, told_later)
{
	u64 id;

	NEED_FORMAT(&self->m);
	open_simple(self, 0, 64, 0, 0);
	id = fill(_metadata, self, 0, 0);
	EXPECT_EQ((u32)FULL, self->hdr->hdr_state);
	one(self, ++id, 0);
	one(self, 1, 0);
	EXPECT_EQ((u32)FULL, self->hdr->hdr_state);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-queued"));
	/* Not even a new entry. */
	one(self, 1, NOTIFY);
	EXPECT_EQ((u32)TOLD, self->hdr->hdr_state);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	one(self, 1, NOTIFY);
	EXPECT_EQ(0U, overflowed(self->fd));
	EXPECT_TRUE(pfm_state_is(self->fd, "loaded"));
}

/* ------------------------------------------------------------------------
 * PFM_RESTART
 */

TEST_F(table, restart_clears)
{
	u64 id = 0, sum = 0, gen;
	int round;

	NEED_FORMAT(&self->m);
	open_simple(self, 0, 64, 0, NOTIFY);
	for (round = 0; round < 4; round++) {
		gen = self->hdr->hdr_gen;
		id = fill(_metadata, self, id, NOTIFY);
		EXPECT_EQ(CTR(0), overflowed(self->fd));
		child_do(&self->c, HERE, 10);
		sum = self->hdr->hdr_samples;
		EXPECT_EQ(id + 10 * ((u64)round + 1), sum);
		EXPECT_EQ(gen, self->hdr->hdr_gen);
		ASSERT_EQ(0, pfm_restart(self->fd));
		EXPECT_EQ(gen + 2, self->hdr->hdr_gen);
		EXPECT_EQ(0U, self->hdr->hdr_used);
		EXPECT_EQ((u32)ROOM, self->hdr->hdr_state);
		EXPECT_EQ(sum, self->hdr->hdr_samples);
		EXPECT_EQ(sum - self->hdr->hdr_lost, self->hdr->hdr_cleared);
		EXPECT_EQ(0ULL, count_like(self->hdr, &(entry_t){}));
		check_table(_metadata, self->hdr);
		/* Nothing else: it has not been masked. */
		EXPECT_EQ(-1ULL, pfm_value(self->fd, SW_PMD(0)));
		if (self->hdr->hdr_lost)
			break;
	}
}

static u32 touched_slots(const hdr_t *h)
{
	u32 i, n = 0;

	for (i = 0; i < h->hdr_slots; i++)
		n += slots_of(h)[i].ent_gen != 0;
	return n;
}

/*
 * The size of the table does not matter for PFM_RESTART, which holds a lock that
 * the scheduler may wait for. But no slot stays as it is until hdr_gen comes round.
 */
TEST_F(table, restart_takes_four_slots_at_a_time)
{
	u32 before, now;
	int i;

	NEED_FORMAT(&self->m);
	open_simple(self, 0, 64, 0, NOTIFY);
	fill(_metadata, self, 0, NOTIFY);
	before = touched_slots(self->hdr);
	EXPECT_LT(4U, before);
	for (i = 0; i < 16; i++) {
		ASSERT_EQ(0, pfm_restart(self->fd));
		EXPECT_EQ(0U, entries_of(self->hdr));
		now = touched_slots(self->hdr);
		EXPECT_LE(before - now, 4U);
		before = now;
	}
	EXPECT_EQ(0U, before);
}

/* At any time, and no counter is touched by it. */
TEST_F(table, active_restart)
{
	NEED_FORMAT(&self->m);
	open_table(self, 0, 64, 0);
	EXPECT_EQ(-EBUSY, pfm_restart(self->fd));
	choose_event(self->fd, 0, 1, NOTIFY);
	MUST(pfm_write_period(self->fd, SW_PMD(0), -5ULL, -100ULL, -5ULL));
	attach(self->fd, self->c.pid);
	child_do(&self->c, HERE, 12);
	ASSERT_EQ(0, pfm_restart(self->fd));
	EXPECT_EQ(-3ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(2ULL, self->hdr->hdr_cleared);
	child_do(&self->c, HERE, 3);
	EXPECT_EQ(1U, self->hdr->hdr_used);
	EXPECT_EQ(3ULL, self->hdr->hdr_samples);
	check_table(_metadata, self->hdr);
	MUST(pfm_stop(self->fd));
	ASSERT_EQ(0, pfm_restart(self->fd));
	EXPECT_EQ(3ULL, self->hdr->hdr_cleared);
	EXPECT_EQ(-5ULL, pfm_value(self->fd, SW_PMD(0)));
}

TEST_F(table, keep)
{
	u64 id, used;

	NEED_FORMAT(&self->m);
	open_simple(self, 0, 64, KEEP, NOTIFY);
	child_do(&self->c, HERE, 10);
	ASSERT_EQ(0, pfm_restart(self->fd));
	EXPECT_EQ(10ULL, count_like(self->hdr, &(entry_t){}));
	EXPECT_EQ((u32)FIRST_GEN, self->hdr->hdr_gen);
	EXPECT_EQ((u32)ROOM, self->hdr->hdr_state);
	id = fill(_metadata, self, 1, NOTIFY);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	used = self->hdr->hdr_used;
	/* A full table stays full, and that has been said. */
	ASSERT_EQ(0, pfm_restart(self->fd));
	EXPECT_EQ((u32)TOLD, self->hdr->hdr_state);
	EXPECT_EQ(used, self->hdr->hdr_used);
	one(self, ++id, NOTIFY);
	EXPECT_EQ(0U, overflowed(self->fd));
	EXPECT_EQ(0ULL, self->hdr->hdr_cleared);
	check_table(_metadata, self->hdr);
}

/* ------------------------------------------------------------------------
 * PFM_AGGREGATE_SMPL_MASK_WHEN_FULL
 */

static void mask_when_full(struct __test_metadata *_metadata,
			   FIXTURE_DATA(table) *f, u32 buf_flags, u32 flags)
{
	u64 id = 0, samples;
	int round;

	open_simple(f, 0, 64, MASK_FULL | buf_flags, flags);
	MUST(pfm_write_period(f->fd, SW_PMD(0), -1ULL, -8ULL, -1ULL));
	for (round = 0; round < 3; round++) {
		id = fill(_metadata, f, id, flags);
		EXPECT_TRUE(pfm_state_is(f->fd, "masked"));
		EXPECT_EQ(flags ? CTR(0) : 0, overflowed(f->fd));
		EXPECT_EQ(0ULL, pfm_value(f->fd, SW_PMD(0)));
		samples = f->hdr->hdr_samples;
		child_do(&f->c, HERE, 30);
		EXPECT_EQ(samples, f->hdr->hdr_samples);
		EXPECT_EQ(0ULL, pfm_value(f->fd, SW_PMD(0)));
		ASSERT_EQ(0, pfm_restart(f->fd));
		EXPECT_TRUE(pfm_state_is(f->fd, "loaded"));
		/* It was masked: the long value. */
		EXPECT_EQ(-8ULL, pfm_value(f->fd, SW_PMD(0)));
		child_do(&f->c, HERE, 7);
		EXPECT_EQ(samples, f->hdr->hdr_samples);
		child_do(&f->c, HERE, 2);
		EXPECT_EQ(samples + 2, f->hdr->hdr_samples);
		check_table(_metadata, f->hdr);
		if ((buf_flags & KEEP) || f->hdr->hdr_lost)
			break;
		EXPECT_EQ(samples, f->hdr->hdr_cleared);
	}
	/* One that is kept is full for ever; once is enough. */
	if (buf_flags & KEEP) {
		EXPECT_EQ((u32)TOLD, f->hdr->hdr_state);
		for (round = 0; round < 20; round++)
			one(f, ++id, flags);
		EXPECT_TRUE(pfm_state_is(f->fd, "loaded"));
		EXPECT_EQ(0U, overflowed(f->fd));
	}
}

TEST_F(table, mask_when_full)
{
	NEED_FORMAT(&self->m);
	mask_when_full(_metadata, self, 0, NOTIFY);
}

TEST_F(table, mask_when_full_in_silence)
{
	NEED_FORMAT(&self->m);
	mask_when_full(_metadata, self, 0, 0);
}

TEST_F(table, mask_when_full_and_keep)
{
	NEED_FORMAT(&self->m);
	mask_when_full(_metadata, self, KEEP, NOTIFY);
}

/* Three faults of each event until one fills the table; whether all is over. */
static bool fill_by_three(FIXTURE_DATA(table) *f, u32 flags)
{
	bool done;
	u64 id;

	for (id = 1;; id++) {
		choose_event(f->fd, 0, id, flags);
		child_post(&f->c, HERE, 3);
		do {
			done = child_done(&f->c, 1);
		} while (!done && f->hdr->hdr_state == ROOM);
		if (f->hdr->hdr_state != ROOM)
			return done;
	}
}

/* The thread waits if it masks, and if that is said. */
TEST_F(table, notify_block)
{
	NEED_FORMAT(&self->m);
	open_simple(self, PFM_FL_NOTIFY_BLOCK, 64, MASK_FULL, NOTIFY);
	EXPECT_FALSE(fill_by_three(self, NOTIFY));
	/* The table says so before the message is there. */
	ASSERT_EQ(POLLIN, pfm_poll(self->fd, PATIENCE));
	EXPECT_FALSE(child_done(&self->c, 50));
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	EXPECT_TRUE(pfm_state_is(self->fd, "masked"));
	ASSERT_EQ(0, pfm_restart(self->fd));
	ASSERT_TRUE(child_done(&self->c, PATIENCE));
	/* It was the first of the three. */
	EXPECT_EQ(2ULL, count_like(self->hdr, &(entry_t){}));
	EXPECT_TRUE(pfm_state_is(self->fd, "loaded"));
}

TEST_F(table, notify_block_in_silence)
{
	NEED_FORMAT(&self->m);
	open_simple(self, PFM_FL_NOTIFY_BLOCK, 64, MASK_FULL, 0);
	if (!fill_by_three(self, 0)) {
		ASSERT_TRUE(child_done(&self->c, PATIENCE));
	}
	EXPECT_TRUE(pfm_state_is(self->fd, "masked"));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-queued"));
}

/* Unloaded it is there; loaded anew, it goes on. */
TEST_F(table, unload_and_load)
{
	NEED_FORMAT(&self->m);
	open_simple(self, 0, 64, 0, NOTIFY);
	child_do(&self->c, HERE, 10);
	MUST(pfm_unload(self->fd));
	child_do(&self->c, HERE, 10);
	EXPECT_EQ(10ULL, count_like(self->hdr, &(entry_t){}));
	attach(self->fd, self->c.pid);
	child_do(&self->c, HERE, 10);
	EXPECT_EQ(20ULL, count_like(self->hdr, &(entry_t){}));
	EXPECT_EQ(1U, self->hdr->hdr_used);
	check_table(_metadata, self->hdr);
}

/* ------------------------------------------------------------------------
 * Reading while it is written, and cleared
 */

/* All numbers here fit; a 32-bit program cannot load more at once. */
static u32 load(const void *p)
{
	return __atomic_load_n((const u32 *)p, __ATOMIC_ACQUIRE);
}

static volatile bool stop;

static void *restart_often(void *fd)
{
	u32 seed = 1;
	int ret = 0;

	while (!stop && !ret) {
		usleep(random_below(&seed, 2000));
		ret = pfm_restart(*(int *)fd);
	}
	return (void *)(long)ret;
}

/* Of the test below: event 100 of the first counter, and so on. */
static bool is_right(const entry_t *e, pid_t pid)
{
	return e->ent_pid == pid && !e->ent_set &&
	       e->ent_ovfl_pmd >= PFM_SW_PMD0 &&
	       e->ent_ovfl_pmd < PFM_SW_PMD0 + 4 &&
	       e->ent_eventid == 100ULL + e->ent_ovfl_pmd - PFM_SW_PMD0;
}

/* For who looks for the cause: what the table has, of whatever generation. */
static void log_entries(struct __test_metadata *_metadata, const hdr_t *h)
{
	const entry_t *e = slots_of(h);
	u32 i;

	TH_LOG("generation %u; the store is at %#llx", h->hdr_gen, code_of(store_there));
	for (i = 0; i < h->hdr_slots; i++)
		if (e[i].ent_gen)
			TH_LOG("%u: generation %u, process %d, PMD %u, set %u, event %llu, at %#llx, %u times",
			       i, e[i].ent_gen, e[i].ent_pid, e[i].ent_ovfl_pmd,
			       e[i].ent_set, (u64)e[i].ent_eventid, (u64)e[i].ent_ip,
			       e[i].ent_count);
}

TEST_F(table, reading_while_it_is_written)
{
	u64 whole = 0, torn = 0, seen = 0, elsewhere = 0;
	const hdr_t *h;
	pthread_t t;
	void *ret;
	u32 i;

	NEED_FORMAT(&self->m);
	open_table(self, 0, 256, 0);
	for (i = 0; i < 4; i++)
		sample_event(self->fd, (int)i, 1 + i, 100 + i, 0);
	attach(self->fd, self->c.pid);
	h = self->hdr;
	ASSERT_EQ(0, pthread_create(&t, NULL, restart_often, &self->fd));
	child_post(&self->c, THERE, 3000);
	do {
		u32 gen = load(&h->hdr_gen), used = 0, others = 0, wrong = 0;

		for (i = 0; i < 256; i++) {
			const entry_t *e = &slots_of(h)[i];

			if (__atomic_load_n(&e->ent_gen, __ATOMIC_ACQUIRE) != gen)
				continue;
			/* The kernel may take a page of its text away: then it faults there, too. */
			if (e->ent_ip - code_of(store_there) < 64)
				used++;
			else
				others++;
			wrong += !is_right(e, self->c.pid);
		}
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (gen % 2 || load(&h->hdr_gen) != gen) {
			torn++;
			continue;
		}
		ASSERT_GE(4U, used) log_entries(_metadata, h);
		ASSERT_EQ(0U, wrong) log_entries(_metadata, h);
		whole++;
		seen += used;
		elsewhere += others;
	} while (!child_done(&self->c, 0));
	stop = true;
	pthread_join(t, &ret);
	EXPECT_EQ(0, (long)ret);
	check_table(_metadata, h);
	EXPECT_EQ(0ULL, h->hdr_lost);
	TH_LOG("%llu times whole, %llu times not, %llu entries, %llu of other places",
	       whole, torn, seen, elsewhere);
}

/* The sum is exact, whenever it was copied and cleared. */
TEST_F(table, nothing_is_lost)
{
	unsigned int n = 3000;
	u64 copied = 0;

	NEED_FORMAT(&self->m);
	open_simple(self, 0, 64, 0, NOTIFY);
	child_post(&self->c, HERE, n);
	do {
		if (is_used(self->hdr, slots_of(self->hdr)))
			copied += load(&slots_of(self->hdr)->ent_count);
		ASSERT_EQ(0, pfm_restart(self->fd));
	} while (!child_done(&self->c, 0));
	EXPECT_EQ((u64)n, self->hdr->hdr_samples);
	EXPECT_GE(self->hdr->hdr_cleared, copied);
	check_table(_metadata, self->hdr);
}

TEST_HARNESS_MAIN
