// SPDX-License-Identifier: GPL-2.0-only
/*
 * The aggregating call chain format, as perfmon/callaggregate_smpl.h promises it: one
 * entry for each program, event and chain, each chain once; what its count says, when
 * a table is full, what is lost, what PFM_RESTART freezes, reading while samples come.
 *
 * A thread that samples itself faults at the end of chains that are known. Other
 * entries are made by other event identifiers.
 */
#include "chains.h"
#include <perfmon/callaggregate_smpl.h>

#define MASK_FULL	PFM_CALLAGGREGATE_SMPL_MASK_WHEN_FULL
#define THREADS		PFM_CALLAGGREGATE_SMPL_THREADS
#define KERNEL		PFM_CALLCHAIN_SMPL_KERNEL
#define USER		PFM_CALLCHAIN_SMPL_USER
#define MAPS		PFM_CALLCHAIN_SMPL_MAPS
#define ROOM		PFM_CALLAGGREGATE_SMPL_ROOM
#define TOLD		PFM_CALLAGGREGATE_SMPL_TOLD
#define MIN_SLOTS	PFM_CALLAGGREGATE_SMPL_MIN_SLOTS
#define FIRST_GEN	2

typedef pfm_callaggregate_smpl_hdr_t hdr_t;
typedef pfm_callaggregate_smpl_table_t table_t;
typedef pfm_callaggregate_smpl_entry_t entry_t;
typedef pfm_callaggregate_smpl_chain_t chain_t;
typedef pfm_callaggregate_smpl_arg_t arg_t;

static const pfm_uuid_t callaggregate_uuid = PFM_CALLAGGREGATE_SMPL_UUID;

static int tables_create(u32 ctx_flags, arg_t arg, u64 *size)
{
	arg.arg_size = sizeof(arg);
	return smpl_create(callaggregate_uuid, ctx_flags, &arg, sizeof(arg), size);
}

static const arg_t usual = {
	.buf_flags = USER, .buf_slots = 1024, .buf_words = 65536,
};

FIXTURE(callaggregate) {
	struct format_module m;
	int fd;
	u64 size;
	const hdr_t *hdr;
};

FIXTURE_SETUP(callaggregate)
{
	self->fd = -1;
	format_get(&self->m, "callaggregate");
}

FIXTURE_TEARDOWN(callaggregate)
{
	if (self->fd >= 0)
		close(self->fd);
	format_put(&self->m);
}

static void open_tables(FIXTURE_DATA(callaggregate) *f, u32 ctx_flags, arg_t arg)
{
	f->fd = (int)MUST(tables_create(ctx_flags, arg, &f->size));
	f->hdr = buf_map(f->fd, f->size);
	set_nonblock(f->fd);
}

static void close_tables(FIXTURE_DATA(callaggregate) *f)
{
	close(f->fd);
	f->fd = -1;
}

/* Counter @i samples each @period faults, as event @id. */
static void sample_event(int fd, int i, u64 period, u64 id, u32 flags)
{
	pfarg_pmc_t pmc = {
		.reg_num = (__u16)SW_PMC(i), .reg_flags = flags,
		.reg_value = FAULTS, .reg_smpl_eventid = id,
	};

	MUST(pfm(fd, PFM_WRITE_PMCS, &pmc, 1));
	MUST(pfm_write_period(fd, SW_PMD(i), -period, -period, -period));
}

/* Everything that faults in this thread but on purpose has done so. */
static void warm_up(void)
{
	pages_map(&pages, 4000);
	outer(1);
	descend(150, 1);
}

/* This thread, at each fault, as event 1. */
static void sample_me(FIXTURE_DATA(callaggregate) *f, arg_t arg, u32 flags)
{
	warm_up();
	open_tables(f, 0, arg);
	sample_event(f->fd, 0, 1, 1, flags);
	attach(f->fd, my_tid());
}

/* ------------------------------------------------------------------------
 * Reading
 */

/* The one that is being filled, and the other. */
static const table_t *live(const hdr_t *h)
{
	return &h->hdr_table[h->hdr_gen % 2];
}

static const table_t *frozen(const hdr_t *h)
{
	return &h->hdr_table[!(__atomic_load_n(&h->hdr_gen, __ATOMIC_ACQUIRE) % 2)];
}

/* The entry after @e, the first if that is NULL. */
static const entry_t *next(const hdr_t *h, const table_t *t, const entry_t *e)
{
	const char *p = e ? (const char *)e + h->hdr_entry_size
			  : (const char *)h + t->tab_slots;

	for (; p < (const char *)h + t->tab_index; p += h->hdr_entry_size) {
		e = (const void *)p;
		if (__atomic_load_n(&e->ent_gen, __ATOMIC_ACQUIRE) == t->tab_gen)
			return e;
	}
	return NULL;
}

static const chain_t *chain_of(const hdr_t *h, const entry_t *e)
{
	return (const void *)((const char *)h + e->ent_chain);
}

static const u64 *kernel_part(const chain_t *c)
{
	return (const u64 *)(c + 1);
}

static const u64 *user_part(const chain_t *c)
{
	return kernel_part(c) + c->chain_nr_kernel;
}

static unsigned int words_of(const chain_t *c)
{
	return c->chain_nr_kernel + c->chain_nr_user;
}

static u64 count_of_event(const hdr_t *h, const table_t *t, u64 id)
{
	const entry_t *e = NULL;
	u64 sum = 0;

	while ((e = next(h, t, e)))
		if (e->ent_eventid == id)
			sum += e->ent_count;
	return sum;
}

/* The only entry whose sample was in leaf(), with that many addresses if not 0. */
static const entry_t *leaf_entry(const hdr_t *h, const table_t *t, unsigned int words)
{
	const entry_t *e = NULL, *found = NULL;

	while ((e = next(h, t, e))) {
		const chain_t *c = chain_of(h, e);

		if (!c->chain_nr_user || !in_leaf(user_part(c)[0]) ||
		    (words && words_of(c) != words))
			continue;
		if (found)
			die("two entries of leaf()");
		found = e;
	}
	return found;
}

static bool same_chain(const chain_t *a, const chain_t *b)
{
	return a->chain_nr_kernel == b->chain_nr_kernel &&
	       a->chain_nr_user == b->chain_nr_user &&
	       !memcmp(a + 1, b + 1, 8U * words_of(a));
}

/* What must hold of a table at rest: no entry twice, no chain twice. */
static void check_table(struct __test_metadata *_metadata, const hdr_t *h,
			const table_t *t)
{
	u64 sum = t->tab_lost, words = 0;
	const entry_t *e = NULL, *d;
	u32 used = 0;

	EXPECT_EQ(PFM_CALLAGGREGATE_SMPL_VERSION, h->hdr_version);
	EXPECT_EQ(sizeof(*h), h->hdr_size);
	EXPECT_EQ(sizeof(*e), h->hdr_entry_size);
	while ((e = next(h, t, e))) {
		const chain_t *c = chain_of(h, e);
		bool seen = false;

		used++;
		sum += e->ent_count;
		EXPECT_LT(0U, e->ent_count);
		EXPECT_EQ(0U, e->ent_pad);
		EXPECT_LE(t->tab_chains, e->ent_chain);
		EXPECT_GE(t->tab_maps, e->ent_chain + sizeof(*c) + 8 * words_of(c));
		for (d = next(h, t, NULL); d && d != e; d = next(h, t, d)) {
			if (d->ent_chain == e->ent_chain) {
				seen = true;
				EXPECT_TRUE(d->ent_pid != e->ent_pid ||
					    d->ent_tid != e->ent_tid ||
					    d->ent_exec != e->ent_exec ||
					    d->ent_start != e->ent_start ||
					    d->ent_set != e->ent_set ||
					    d->ent_ovfl_pmd != e->ent_ovfl_pmd ||
					    d->ent_eventid != e->ent_eventid);
			} else {
				EXPECT_FALSE(same_chain(chain_of(h, d), c));
			}
		}
		words += seen ? 0 : sizeof(*c) / 8 + words_of(c);
	}
	EXPECT_EQ(used, t->tab_used);
	EXPECT_EQ(words, t->tab_words);
	EXPECT_EQ(sum, t->tab_samples);
	EXPECT_EQ(h->hdr_slots / 8 * 7, h->hdr_mark);
}

/* ------------------------------------------------------------------------
 * The argument and the header
 */

static u64 longest(unsigned int depth, unsigned int parts)
{
	return sizeof(chain_t) / 8 + (parts ? parts * depth : 1);
}

TEST_F(callaggregate, header)
{
	static const u32 flags[] = { 0, USER, KERNEL | USER | MAPS, MASK_FULL | THREADS };
	u32 slots;
	size_t i;
	int k;

	NEED_FORMAT(&self->m);
	for (slots = MIN_SLOTS; slots <= 4096; slots *= 4) {
		for (i = 0; i < ARRAY_SIZE(flags); i++) {
			u32 maps = flags[i] & MAPS ? 4096 : 0;
			const hdr_t *h;

			open_tables(self, 0, (arg_t){
				.buf_flags = flags[i], .buf_slots = slots,
				.buf_words = 1001, .buf_maps = maps,
				.buf_max_depth = 9 });
			h = self->hdr;
			EXPECT_EQ(page_align(h->hdr_buf_size), self->size);
			EXPECT_LE(sizeof(*h) + 2 * (72ULL * slots + 8 * 1001 + maps),
				  h->hdr_buf_size);
			EXPECT_EQ(flags[i], h->hdr_flags);
			EXPECT_EQ(slots, h->hdr_slots);
			EXPECT_EQ(1001U, h->hdr_words);
			EXPECT_EQ(maps, h->hdr_maps_size);
			EXPECT_EQ(9, h->hdr_max_depth);
			EXPECT_EQ(0, h->hdr_pad);
			EXPECT_EQ((u32)FIRST_GEN, h->hdr_gen);
			EXPECT_EQ(0U, h->hdr_table[1].tab_gen);
			for (k = 0; k < 2; k++) {
				const table_t *t = &h->hdr_table[k];

				EXPECT_LE(sizeof(*h), t->tab_slots);
				EXPECT_EQ(0U, t->tab_slots % sizeof(entry_t));
				EXPECT_EQ(t->tab_slots + slots * sizeof(entry_t),
					  t->tab_index);
				EXPECT_LT(t->tab_index, t->tab_chains);
				EXPECT_EQ(t->tab_chains + 8 * 1001, t->tab_maps);
				EXPECT_EQ(t->tab_maps, t->tab_maps_end);
				EXPECT_EQ((u32)ROOM, t->tab_state);
				EXPECT_EQ(0U, t->tab_pad);
				EXPECT_GE(h->hdr_buf_size, t->tab_maps + maps);
			}
			check_table(_metadata, h, live(h));
			close_tables(self);
		}
	}
}

/* What the format keeps to itself is a page more, and counts as the buffer's. */
TEST_F(callaggregate, private_memory_has_the_limit_of_buffers)
{
	u64 before = buffers_now(), page = page_size(), size;
	pfarg_config_t old = {}, cf;
	int little, enough;

	NEED_FORMAT(&self->m);
	NEED_ROOT();
	open_tables(self, 0, usual);
	size = self->size;
	EXPECT_EQ(before + size + page, buffers_now());
	close_tables(self);
	EXPECT_EQ(before, buffers_now());
	MUST(pfm(-1, PFM_GET_CONFIG, &old, 1));
	cf = old;
	cf.cf_smpl_buf_size_max = before + size;
	MUST(pfm(-1, PFM_SET_CONFIG, &cf, 1));
	little = tables_create(0, usual, NULL);
	cf.cf_smpl_buf_size_max = before + size + page;
	MUST(pfm(-1, PFM_SET_CONFIG, &cf, 1));
	enough = tables_create(0, usual, NULL);
	MUST(pfm(-1, PFM_SET_CONFIG, &old, 1));
	EXPECT_EQ(-ENOMEM, little);
	EXPECT_LE(0, enough);
	close(enough);
}

TEST_F(callaggregate, bad_arguments)
{
	static const u32 known = KERNEL | USER | MAPS | MASK_FULL | THREADS;
	static const u32 slots[] = {
		0, 1, 32, 63, 65, 96, 3 * 1024, PFM_CALLAGGREGATE_SMPL_MAX_SLOTS - 1,
		PFM_CALLAGGREGATE_SMPL_MAX_SLOTS * 2, 1U << 31, ~0U,
	};
	const arg_t good = {
		.buf_slots = MIN_SLOTS, .buf_words = 1000, .buf_max_depth = 4,
	};
	u64 before = buffers_now();
	arg_t arg;
	size_t i;
	int fd;

	NEED_FORMAT(&self->m);
	for (i = 0; i < 32; i++) {
		arg = good;
		arg.buf_flags = 1U << i;
		fd = tables_create(0, arg, NULL);
		EXPECT_EQ(known & 1U << i ? 0 : -EINVAL, fd < 0 ? fd : 0);
		close(fd);
		/* To wait for what never comes? */
		fd = tables_create(PFM_FL_NOTIFY_BLOCK, arg, NULL);
		EXPECT_EQ(MASK_FULL & 1U << i ? 0 : -EINVAL, fd < 0 ? fd : 0);
		close(fd);
	}
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		arg = good;
		arg.buf_slots = slots[i];
		EXPECT_EQ(-EINVAL, tables_create(0, arg, NULL));
	}
	/* The longest chain, and not one less. */
	for (i = 0; i < 3; i++) {
		arg = good;
		arg.buf_flags = i == 0 ? 0 : i == 1 ? USER : USER | KERNEL;
		arg.buf_words = (u32)longest(4, (unsigned int)i);
		fd = tables_create(0, arg, NULL);
		EXPECT_LE(0, fd);
		close(fd);
		arg.buf_words--;
		EXPECT_EQ(-EINVAL, tables_create(0, arg, NULL));
	}
	arg = good;
	arg.buf_words = PFM_CALLAGGREGATE_SMPL_MAX_WORDS + 1;
	EXPECT_EQ(-EINVAL, tables_create(0, arg, NULL));
	arg.buf_words = ~0U;
	EXPECT_EQ(-EINVAL, tables_create(0, arg, NULL));
	arg = good;
	arg.buf_maps = 8;
	EXPECT_EQ(-EINVAL, tables_create(0, arg, NULL));
	arg.buf_flags = MAPS;
	arg.buf_maps = 9;
	EXPECT_EQ(-EINVAL, tables_create(0, arg, NULL));
	arg.buf_maps = PFM_CALLAGGREGATE_SMPL_MAX_MAPS + 8;
	EXPECT_EQ(-EINVAL, tables_create(0, arg, NULL));
	arg = good;
	arg.buf_max_depth = PFM_CALLCHAIN_SMPL_MAX_DEPTH + 1;
	EXPECT_EQ(-EINVAL, tables_create(0, arg, NULL));
	arg = good;
	arg.buf_pad = 1;
	EXPECT_EQ(-EINVAL, tables_create(0, arg, NULL));
	EXPECT_EQ(before, buffers_now());
}

TEST_F(callaggregate, argument_sizes)
{
	struct {
		arg_t arg;
		u32 more[4];
	} req = { .arg = { .buf_slots = MIN_SLOTS, .buf_words = 1000 } };
	u32 size;
	int fd;

	NEED_FORMAT(&self->m);
	for (size = 0; size <= sizeof(req); size++) {
		req.arg.arg_size = size;
		fd = smpl_create(callaggregate_uuid, 0, &req, sizeof(req), NULL);
		EXPECT_EQ(size < PFM_CALLAGGREGATE_SMPL_ARG_SIZE ? -EINVAL : 0,
			  fd < 0 ? fd : 0);
		close(fd);
	}
	req.more[0] = 1;
	EXPECT_EQ(-E2BIG, smpl_create(callaggregate_uuid, 0, &req, sizeof(req), NULL));
}

/* ------------------------------------------------------------------------
 * What is counted together, and what is not
 */

TEST_F(callaggregate, one_chain)
{
	u64 before, after;
	const entry_t *e;
	const chain_t *c;

	NEED_FORMAT(&self->m);
	sample_me(self, usual, 0);
	before = now_ns(CLOCK_MONOTONIC);
	outer(200);
	after = now_ns(CLOCK_MONOTONIC);
	outer(100);
	MUST(pfm_stop(self->fd));
	check_table(_metadata, self->hdr, live(self->hdr));
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
	/* Where outer() was called from is the only difference. */
	e = NULL;
	while ((e = next(self->hdr, live(self->hdr), e))) {
		c = chain_of(self->hdr, e);
		if (!c->chain_nr_user || !in_leaf(user_part(c)[0]))
			continue;
		EXPECT_EQ(0, c->chain_nr_kernel);
		ASSERT_LE(4, c->chain_nr_user);
		EXPECT_EQ(leaf_return, user_part(c)[1]);
		EXPECT_EQ(middle_return, user_part(c)[2]);
		EXPECT_EQ(getpid(), e->ent_pid);
		EXPECT_EQ(0, e->ent_tid);
		EXPECT_EQ(SW_PMD(0), e->ent_ovfl_pmd);
		EXPECT_EQ(0, e->ent_set);
		EXPECT_EQ(1ULL, e->ent_eventid);
		EXPECT_NE(0ULL, e->ent_start);
		EXPECT_GE(now_ns(CLOCK_BOOTTIME), e->ent_start);
		if (user_part(c)[3] == outer_return) {
			EXPECT_EQ(100U, e->ent_count);
			EXPECT_LE(after, e->ent_first);
		} else {
			EXPECT_EQ(200U, e->ent_count);
			EXPECT_LE(before, e->ent_first);
			EXPECT_GE(after, e->ent_first);
		}
	}
	EXPECT_LE(300ULL, self->hdr->hdr_samples);
}

/* Who knows the places of chains in one context does not know them in another. */
TEST_F(callaggregate, hashes_are_the_contexts_own)
{
	const entry_t *e;
	const chain_t *c;
	u64 hash[2] = {}, words[2][16] = {};
	int i;

	NEED_FORMAT(&self->m);
	for (i = 0; i < 2; i++) {
		sample_me(self, usual, 0);
		outer(10);
		MUST(pfm_stop(self->fd));
		e = leaf_entry(self->hdr, live(self->hdr), 0);
		c = e ? chain_of(self->hdr, e) : NULL;
		if (c && words_of(c) <= 16) {
			memcpy(words[i], c + 1, 8 * words_of(c));
			hash[i] = c->chain_hash;
		}
		close_tables(self);
	}
	EXPECT_NE(0ULL, words[0][2]);
	EXPECT_EQ(0, memcmp(words[0], words[1], sizeof(words[0])));
	EXPECT_NE(hash[0], hash[1]);
}

/* As many chains as depths: each has its own count. */
TEST_F(callaggregate, many_chains)
{
	unsigned int depth, n[100] = {}, words, base = 0;
	u32 seed = 4711;
	const entry_t *e;
	int i;

	NEED_FORMAT(&self->m);
	sample_me(self, (arg_t){ .buf_flags = USER, .buf_slots = 1024,
				 .buf_words = 65536, .buf_max_depth = 127 }, 0);
	for (i = 0; i < 1000; i++) {
		depth = random_below(&seed, 100);
		n[depth]++;
		descend(depth, 1);
	}
	MUST(pfm_stop(self->fd));
	check_table(_metadata, self->hdr, live(self->hdr));
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
	for (words = 1; !base && words < 127; words++)
		if (leaf_entry(self->hdr, live(self->hdr), words))
			base = words;
	for (depth = 0; depth < 100; depth++) {
		e = leaf_entry(self->hdr, live(self->hdr), base + depth);
		EXPECT_EQ(n[depth], e ? e->ent_count : 0) {
			TH_LOG("depth %u", depth);
		}
	}
}

/* Counters that overflow at the same event: entries of their own, one chain. */
TEST_F(callaggregate, chains_are_stored_once)
{
	const entry_t *e = NULL;
	u32 chain = 0;
	int i;

	NEED_FORMAT(&self->m);
	warm_up();
	open_tables(self, 0, usual);
	for (i = 0; i < 4; i++)
		sample_event(self->fd, i, 1 + (u64)i, 100 + (u64)i, 0);
	attach(self->fd, my_tid());
	outer(240);
	MUST(pfm_stop(self->fd));
	check_table(_metadata, self->hdr, live(self->hdr));
	while ((e = next(self->hdr, live(self->hdr), e))) {
		const chain_t *c = chain_of(self->hdr, e);

		if (!c->chain_nr_user || !in_leaf(user_part(c)[0]))
			continue;
		EXPECT_TRUE(!chain || chain == e->ent_chain);
		chain = e->ent_chain;
		EXPECT_EQ(e->ent_ovfl_pmd - SW_PMD(0) + 100ULL, e->ent_eventid);
		EXPECT_LE(240U / (1 + e->ent_ovfl_pmd - SW_PMD(0)), e->ent_count + 1);
	}
	EXPECT_NE(0U, chain);
	for (i = 0; i < 4; i++)
		EXPECT_LE(240ULL / (1 + (u64)i),
			  count_of_event(self->hdr, live(self->hdr), 100 + (u64)i));
}

/* Neither part is asked for: the place alone. */
TEST_F(callaggregate, no_chains)
{
	const entry_t *e;

	NEED_FORMAT(&self->m);
	sample_me(self, (arg_t){ .buf_slots = 64, .buf_words = 1000 }, 0);
	outer(50);
	descend(20, 30);
	MUST(pfm_stop(self->fd));
	e = leaf_entry(self->hdr, live(self->hdr), 1);
	ASSERT_NE(NULL, e);
	EXPECT_EQ(80U, e->ent_count);
	check_table(_metadata, self->hdr, live(self->hdr));
}

static void count_threads(struct __test_metadata *_metadata,
			  FIXTURE_DATA(callaggregate) *f, bool apart)
{
	int i, cpu = pin_somewhere();
	const entry_t *e = NULL;
	struct puppet t[2];
	u64 sum[3] = {};

	for (i = 0; i < 2; i++) {
		puppet_start(&t[i], PUPPET_THREAD);
		puppet_do(&t[i], OP_PIN, (unsigned int)cpu);
		puppet_do(&t[i], OP_FAULT, PUPPET_PAGES + 1);
	}
	open_tables(f, PFM_FL_SYSTEM_WIDE, (arg_t){
		.buf_flags = USER | (apart ? THREADS : 0),
		.buf_slots = 4096, .buf_words = 65536 });
	sample_event(f->fd, 0, 1, 4, 0);
	attach(f->fd, my_tid());
	puppet_do(&t[0], OP_FAULT, 40);
	puppet_do(&t[1], OP_FAULT, 50);
	MUST(pfm_stop(f->fd));
	while ((e = next(f->hdr, live(f->hdr), e))) {
		if (e->ent_pid != getpid())
			continue;
		sum[e->ent_tid == t[0].tid ? 0 : e->ent_tid == t[1].tid ? 1 : 2] +=
			e->ent_count;
		if (!apart)
			EXPECT_EQ(0, e->ent_tid);
	}
	EXPECT_LE(apart ? 40ULL : 90ULL, sum[apart ? 0 : 2]);
	EXPECT_LE(apart ? 50ULL : 0ULL, sum[1]);
	EXPECT_EQ(0ULL, f->hdr->hdr_lost);
	for (i = 0; i < 2; i++)
		puppet_stop(&t[i]);
	close_tables(f);
}

TEST_F(callaggregate, threads)
{
	NEED_ROOT();
	NEED_FORMAT(&self->m);
	count_threads(_metadata, self, false);
	count_threads(_metadata, self, true);
}

/* A program executes another one: what it does then is another's. */
TEST_F(callaggregate, exec)
{
	const exec_t *x = NULL;
	const entry_t *e = NULL;
	u32 old = 0, new = 0, n_old = 0, n_new = 0, at;
	u64 start = 0;
	char path[PATH_MAX], byte;
	int go[2];
	pid_t pid;

	NEED_FORMAT(&self->m);
	if (!realpath("/proc/self/exe", path))
		die("/proc/self/exe: %s", strerror(errno));
	MUST(pipe2(go, O_CLOEXEC));
	pages_map(&pages, 64);
	pid = fork_child();
	if (!pid) {
		MUST(read(go[0], &byte, 1));
		outer(20);
		execl(path, path, "--exit", NULL);
		_exit(95);
	}
	open_tables(self, 0, (arg_t){
		.buf_flags = USER | MAPS, .buf_slots = 4096, .buf_words = 65536,
		.buf_maps = 65536 });
	sample_event(self->fd, 0, 1, 1, 0);
	attach(self->fd, pid);
	MUST(write(go[1], "", 1));
	EXPECT_EQ(0, reap(pid));
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(self->fd, NULL, PATIENCE));

	for (at = live(self->hdr)->tab_maps; at < live(self->hdr)->tab_maps_end;
	     at += ((const rec_t *)((const char *)self->hdr + at))->size) {
		const rec_t *r = (const void *)((const char *)self->hdr + at);

		EXPECT_EQ(pid, r->pid);
		if (r->type != PFM_CALLCHAIN_SMPL_EXEC)
			continue;
		EXPECT_EQ(NULL, x);
		x = (const void *)r;
	}
	ASSERT_NE(NULL, x);
	EXPECT_STREQ("callaggregate", x->comm);
	while ((e = next(self->hdr, live(self->hdr), e))) {
		EXPECT_EQ(pid, e->ent_pid);
		EXPECT_TRUE(!start || e->ent_start == start);
		start = e->ent_start;
		if (e->ent_first < x->tstamp) {
			EXPECT_TRUE(!n_old || e->ent_exec == old);
			old = e->ent_exec;
			n_old++;
		} else {
			EXPECT_TRUE(!n_new || e->ent_exec == new);
			new = e->ent_exec;
			n_new++;
		}
	}
	EXPECT_LT(0U, n_old);
	EXPECT_LT(0U, n_new);
	EXPECT_NE(old, new);
	check_table(_metadata, self->hdr, live(self->hdr));
}

/* ------------------------------------------------------------------------
 * Two tables
 */

/* What is frozen does not change; what comes then is in the other one. */
TEST_F(callaggregate, restart)
{
	static char copy[1 << 20];
	u32 round, gen = FIRST_GEN;

	NEED_FORMAT(&self->m);
	sample_me(self, usual, 0);
	for (round = 0; round < 5; round++) {
		const table_t *t;
		const char *at;
		size_t len;

		MUST(pfm_stop(self->fd));
		sample_event(self->fd, 0, 1, round, 0);
		MUST(pfm_start(self->fd));
		outer(10 + round);
		MUST(pfm_restart(self->fd));
		EXPECT_EQ(gen + 1, self->hdr->hdr_gen);
		t = frozen(self->hdr);
		EXPECT_EQ(gen, t->tab_gen);
		at = (const char *)self->hdr + t->tab_slots;
		len = t->tab_maps - t->tab_slots;
		ASSERT_GE(sizeof(copy), len);
		memcpy(copy, at, len);
		outer(30);
		EXPECT_EQ(0, memcmp(copy, at, len));
		check_table(_metadata, self->hdr, t);
		EXPECT_LE(10 + round, count_of_event(self->hdr, t, round));
		EXPECT_LE(30ULL, live(self->hdr)->tab_samples);
		/* And away with both. */
		MUST(pfm_stop(self->fd));
		MUST(pfm_restart(self->fd));
		EXPECT_EQ(0U, live(self->hdr)->tab_used);
		MUST(pfm_restart(self->fd));
		EXPECT_EQ(0ULL, live(self->hdr)->tab_samples);
		EXPECT_EQ(NULL, next(self->hdr, live(self->hdr), NULL));
		EXPECT_EQ(NULL, next(self->hdr, frozen(self->hdr), NULL));
		gen += 3;
		MUST(pfm_start(self->fd));
	}
}

/* Nothing is lost between the tables though it never stops. */
TEST_F(callaggregate, emptied_while_it_goes_on)
{
	u64 all = 5000, seen = 0, tables = 0;
	struct puppet p;
	bool done;

	NEED_FORMAT(&self->m);
	puppet_start(&p, PUPPET_PROCESS);
	puppet_do(&p, OP_FAULT, PUPPET_PAGES + 1);
	open_tables(self, 0, usual);
	sample_event(self->fd, 0, 1, 1, 0);
	attach(self->fd, p.tid);
	puppet_post(&p, OP_FAULT, (unsigned int)all);
	do {
		const entry_t *e = NULL;
		const table_t *t;

		done = puppet_done(&p, 0);
		MUST(pfm_restart(self->fd));
		t = frozen(self->hdr);
		while ((e = next(self->hdr, t, e)))
			seen += e->ent_count;
		check_table(_metadata, self->hdr, t);
		tables++;
	} while (!done);
	EXPECT_EQ(all, seen);
	EXPECT_EQ(all, self->hdr->hdr_samples);
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
	TH_LOG("%llu samples in %llu tables", seen, tables);
	puppet_stop(&p);
}

/* The one that is being filled, looked at without stopping. */
TEST_F(callaggregate, reading_while_it_goes_on)
{
	u64 all = 5000, last = 0, looks = 0;
	struct puppet p;

	NEED_FORMAT(&self->m);
	puppet_start(&p, PUPPET_PROCESS);
	puppet_do(&p, OP_FAULT, PUPPET_PAGES + 1);
	open_tables(self, 0, usual);
	sample_event(self->fd, 0, 1, 1, 0);
	attach(self->fd, p.tid);
	puppet_post(&p, OP_FAULT, (unsigned int)all);
	do {
		const entry_t *e = NULL;
		u64 sum = 0;

		while ((e = next(self->hdr, live(self->hdr), e))) {
			const chain_t *c = chain_of(self->hdr, e);

			ASSERT_EQ(p.tid, e->ent_pid);
			ASSERT_LE(1U, words_of(c));
			ASSERT_EQ(1ULL, e->ent_eventid);
			sum += __atomic_load_n(&e->ent_count, __ATOMIC_RELAXED);
		}
		ASSERT_LE(last, sum);
		last = sum;
		looks++;
	} while (!puppet_done(&p, 0));
	check_table(_metadata, self->hdr, live(self->hdr));
	EXPECT_EQ(all, live(self->hdr)->tab_samples);
	TH_LOG("%llu looks", looks);
	puppet_stop(&p);
}

/* ------------------------------------------------------------------------
 * Full
 */

/* One fault as event @id. */
static void one(FIXTURE_DATA(callaggregate) *f, struct puppet *p, u64 id, u32 flags)
{
	sample_event(f->fd, 0, 1, id, flags);
	puppet_do(p, OP_FAULT, 1);
}

/* Told once; it goes on as long as there are slots, and then it loses, exactly. */
TEST_F(callaggregate, full)
{
	u64 id = 0, n, samples;
	struct puppet p;
	const table_t *t;

	NEED_FORMAT(&self->m);
	puppet_start(&p, PUPPET_PROCESS);
	puppet_do(&p, OP_FAULT, PUPPET_PAGES + 1);
	open_tables(self, 0, (arg_t){ .buf_slots = MIN_SLOTS, .buf_words = 1000 });
	sample_event(self->fd, 0, 1, 1, NOTIFY);
	attach(self->fd, p.tid);
	t = live(self->hdr);
	do {
		EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-queued"));
		one(self, &p, ++id, NOTIFY);
	} while (t->tab_state == ROOM);
	EXPECT_EQ((u32)TOLD, t->tab_state);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	EXPECT_TRUE(t->tab_used == self->hdr->hdr_mark || t->tab_lost);
	for (n = 0; n < 40; n++)
		one(self, &p, ++id, NOTIFY);
	EXPECT_EQ(id, t->tab_samples);
	EXPECT_LE(id - MIN_SLOTS, t->tab_lost);
	EXPECT_EQ(0U, overflowed(self->fd));
	EXPECT_TRUE(pfm_state_is(self->fd, "loaded"));
	check_table(_metadata, self->hdr, t);
	/* What has an entry is counted for ever. */
	samples = t->tab_samples - t->tab_lost;
	sample_event(self->fd, 0, 1, 1, NOTIFY);
	puppet_do(&p, OP_FAULT, 500);
	EXPECT_EQ(samples + 500, t->tab_samples - t->tab_lost);
	EXPECT_EQ(501ULL, count_of_event(self->hdr, t, 1));
	/* Emptied: it has room, and tells again. */
	n = t->tab_lost;
	MUST(pfm_restart(self->fd));
	EXPECT_EQ((u32)ROOM, live(self->hdr)->tab_state);
	do
		one(self, &p, ++id, NOTIFY);
	while (live(self->hdr)->tab_state == ROOM);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	EXPECT_EQ(n, frozen(self->hdr)->tab_lost);
	EXPECT_EQ(n + live(self->hdr)->tab_lost, self->hdr->hdr_lost);
	puppet_stop(&p);
}

/* No room for the words of another chain, though slots are free. */
TEST_F(callaggregate, full_of_chains)
{
	const table_t *t;
	const entry_t *e;

	NEED_FORMAT(&self->m);
	warm_up();
	open_tables(self, 0, (arg_t){
		.buf_flags = USER, .buf_slots = 1024, .buf_max_depth = 8,
		.buf_words = (u32)longest(8, 1) });
	sample_event(self->fd, 0, 1, 1, NOTIFY);
	attach(self->fd, my_tid());
	descend(50, 20);
	outer(30);
	descend(50, 0);
	MUST(pfm_stop(self->fd));
	t = live(self->hdr);
	EXPECT_EQ(1U, t->tab_used);
	EXPECT_EQ(longest(8, 1), t->tab_words);
	e = leaf_entry(self->hdr, t, 8);
	ASSERT_NE(NULL, e);
	EXPECT_EQ(20U, e->ent_count);
	EXPECT_LE(30ULL, t->tab_lost);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	check_table(_metadata, self->hdr, t);
}

TEST_F(callaggregate, mask_when_full)
{
	struct puppet p;
	u64 id = 0;

	NEED_FORMAT(&self->m);
	puppet_start(&p, PUPPET_PROCESS);
	puppet_do(&p, OP_FAULT, PUPPET_PAGES + 1);
	open_tables(self, 0, (arg_t){ .buf_slots = MIN_SLOTS, .buf_words = 1000,
				      .buf_flags = MASK_FULL });
	sample_event(self->fd, 0, 1, 1, NOTIFY);
	attach(self->fd, p.tid);
	do
		one(self, &p, ++id, NOTIFY);
	while (live(self->hdr)->tab_state == ROOM);
	EXPECT_TRUE(pfm_state_is(self->fd, "masked"));
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	puppet_do(&p, OP_FAULT, 100);
	EXPECT_EQ(id, self->hdr->hdr_samples);
	MUST(pfm_restart(self->fd));
	EXPECT_TRUE(pfm_state_is(self->fd, "loaded"));
	EXPECT_EQ(-1ULL, pfm_value(self->fd, SW_PMD(0)));
	puppet_do(&p, OP_FAULT, 7);
	EXPECT_EQ(7ULL, live(self->hdr)->tab_samples);
	EXPECT_EQ(id, frozen(self->hdr)->tab_samples);
	puppet_stop(&p);
}

/* With PFM_FL_NOTIFY_BLOCK the thread waits for that. */
TEST_F(callaggregate, notify_block)
{
	struct puppet p;
	u64 id = 0;

	NEED_FORMAT(&self->m);
	puppet_start(&p, PUPPET_PROCESS);
	puppet_do(&p, OP_FAULT, PUPPET_PAGES + 1);
	open_tables(self, PFM_FL_NOTIFY_BLOCK, (arg_t){
		.buf_slots = MIN_SLOTS, .buf_words = 1000, .buf_flags = MASK_FULL });
	sample_event(self->fd, 0, 1, 1, NOTIFY);
	attach(self->fd, p.tid);
	do {
		sample_event(self->fd, 0, 1, ++id, NOTIFY);
		puppet_post(&p, OP_FAULT, 1);
		while (!puppet_done(&p, 1) && !(pfm_poll(self->fd, 0) & POLLIN))
			;
	} while (live(self->hdr)->tab_state == ROOM);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, NULL, PATIENCE));
	EXPECT_FALSE(puppet_done(&p, 30));
	MUST(pfm_restart(self->fd));
	EXPECT_TRUE(puppet_done(&p, PATIENCE));
	puppet_stop(&p);
}

/* ------------------------------------------------------------------------
 * Maps
 */

TEST_F(callaggregate, maps)
{
	const map_t *m;
	u64 n = 0;
	u32 at;
	int i;

	NEED_FORMAT(&self->m);
	open_tables(self, 0, (arg_t){ .buf_flags = MAPS, .buf_slots = MIN_SLOTS,
				      .buf_words = 1000, .buf_maps = 1024 });
	MUST(pfm_load(self->fd, my_tid()));
	for (i = 0; i < 50; i++)
		MUST(munmap(map_exe(RX, MAP_PRIVATE, 0), page_size()));
	MUST(pfm_restart(self->fd));
	MUST(munmap(map_exe(RX, MAP_PRIVATE, 0), page_size()));
	at = frozen(self->hdr)->tab_maps;
	for (; at < frozen(self->hdr)->tab_maps_end; at += m->size, n++) {
		m = (const void *)((const char *)self->hdr + at);
		ASSERT_EQ(PFM_CALLCHAIN_SMPL_MAP, m->type);
		EXPECT_EQ(getpid(), m->pid);
	}
	EXPECT_LT(0ULL, n);
	EXPECT_EQ(50 - n, frozen(self->hdr)->tab_lost_maps);
	EXPECT_EQ(50 - n, self->hdr->hdr_lost_maps);
	EXPECT_EQ(0ULL, live(self->hdr)->tab_lost_maps);
	EXPECT_LT(live(self->hdr)->tab_maps, live(self->hdr)->tab_maps_end);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--exit"))
		return 0;
	return test_harness_run(argc, argv);
}
