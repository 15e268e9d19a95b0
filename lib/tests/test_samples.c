// SPDX-License-Identifier: LGPL-2.1-or-later
/* The iterator over sampling buffers; pfmon's tests have buffers of each format. */
#include <errno.h>

#include <perfmon/calldouble_smpl.h>
#include <perfmon/default_smpl.h>
#include <perfmon/pmon_smpl.h>

#include "check.h"

static struct {
	pfm_default_smpl_hdr_t hdr;
	struct {
		pfm_default_smpl_entry_t head;
		uint64_t value;
	} entry[2];
} buffer = {
	.hdr = {
		.hdr_count = 2, .hdr_version = PFM_DEFAULT_SMPL_VERSION,
		.hdr_cur_offs = sizeof(buffer),
	},
	.entry = {
		{ { .pid = 7, .ovfl_pmd = 288, .ip = 0x100 }, 5 },
		{ { .pid = 8, .ovfl_pmd = 288, .ip = 0x200 }, 6 },
	},
};

static void test_iter(void)
{
	const struct pmon_format *f = pmon_format_find("default");
	struct pmon_layout layout;
	struct pmon_record rec;
	struct pmon_iter it;

	pmon_layout_init(&layout);
	pmon_layout_add(&layout, 288, 1);
	CHECK(pmon_iter_begin(&it, f, &buffer, sizeof(buffer), &layout, NULL) == 0);
	CHECK(it.origin.pid == -1 && it.origin.tid == -1 && it.origin.cpu == -1);
	CHECK(pmon_iter_next(&it, &rec) == 1 && rec.type == PMON_SAMPLE);
	CHECK(rec.sample.pid == 7 && rec.sample.values == 1 && rec.sample.value[0] == 5);
	CHECK(pmon_iter_next(&it, &rec) == 1 && rec.sample.ip == 0x200);
	CHECK(pmon_iter_next(&it, &rec) == 0 && pmon_iter_next(&it, &rec) == 0);
	CHECK(it.records == 2);

	/* What is said to be there and is not. */
	buffer.hdr.hdr_count = 3;
	CHECK(pmon_iter_begin(&it, f, &buffer, sizeof(buffer), &layout, NULL) == 0);
	CHECK(pmon_iter_next(&it, &rec) == 1 && pmon_iter_next(&it, &rec) == 1);
	CHECK(pmon_iter_next(&it, &rec) == -EBADMSG);
	CHECK(pmon_iter_next(&it, &rec) == -EBADMSG);
	buffer.hdr.hdr_cur_offs++;
	CHECK(pmon_iter_begin(&it, f, &buffer, sizeof(buffer), &layout, NULL) == -EBADMSG);
	CHECK(pmon_iter_next(&it, &rec) == -EBADMSG);
}

/* Two samples of calldouble, the first with registers and stack. */
static struct {
	pfm_calldouble_smpl_hdr_t hdr;
	struct {
		pfm_callchain_smpl_sample_t head;
		uint64_t chain[2];
		pfm_calldouble_smpl_user_t user;
		uint64_t reg[9];
		unsigned char stack[16];
	} with;
	pfm_callchain_smpl_sample_t without;
} halves = {
	.hdr = {
		.hdr_version = PFM_CALLDOUBLE_SMPL_VERSION,
		.hdr_half[0] = {
			.half_begin = sizeof(halves.hdr), .half_end = sizeof(halves),
			.half_state = PFM_CALLDOUBLE_SMPL_USER,
		},
	},
	.with = {
		.head = {
			.type = PFM_CALLCHAIN_SMPL_SAMPLE, .size = sizeof(halves.with),
			.ovfl_pmd = 288, .nr_kernel = 1, .nr_user = 1,
		},
		.chain = { 0xc0001234, 0x1000 },
		.user = { .machine = 3, .nr_regs = 9, .stack_size = 16 },
		.reg = { 1, 2, 3, 4, 0xbf000000, 6, 7, 8, 0x8048000 },
		.stack = "what lies there",
	},
	.without = {
		.type = PFM_CALLCHAIN_SMPL_SAMPLE, .size = sizeof(halves.without),
		.ovfl_pmd = 288,
	},
};

static int begin_halves(struct pmon_iter *it)
{
	static struct pmon_layout layout;

	pmon_layout_init(&layout);
	pmon_layout_add(&layout, 288, 0);
	return pmon_iter_begin(it, pmon_format_find("calldouble"), &halves, sizeof(halves),
			       &layout, NULL);
}

/* The first sample of them, if there is one, and what it has. */
static int first_user(struct pmon_iter *it, struct pmon_record *rec, struct pmon_user *user)
{
	if (begin_halves(it) || pmon_iter_next(it, rec) != 1)
		return -1;
	return pmon_sample_user(it, rec, user);
}

/* As a machine of the other byte order has them: the stack is bytes. */
static void make_foreign(void)
{
	pmon_turn(&halves.hdr, "448" "444" "22" "44" "88888" "22444" "8888" "4444" "4444");
	pmon_turn(&halves.with, "2244" "222222" "888" "88" "224" "888888888");
	pmon_turn(&halves.without, "2244" "222222" "888");
}

static void test_user(void)
{
	const unsigned char *text = halves.with.stack;
	struct pmon_record rec;
	struct pmon_user user;
	struct pmon_iter it;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		CHECK(first_user(&it, &rec, &user) == 1);
		CHECK(rec.sample.user == 1 && rec.sample.chain[1] == 0x1000);
		CHECK(user.machine == 3 && user.regs == 9 && user.stack_size == 16);
		CHECK(user.reg[4] == 0xbf000000 && user.reg[8] == 0x8048000);
		CHECK(!memcmp(user.stack, "what lies there", 16) && user.stack == text);
		CHECK(pmon_iter_next(&it, &rec) == 1);
		CHECK(pmon_sample_user(&it, &rec, &user) == 0);
		make_foreign();
		CHECK(begin_halves(&it) == -EBADMSG);
		pmon_format_find("calldouble")->turn(&halves, sizeof(halves), NULL);
	}
	/* What is said to be there and is not. */
	halves.with.user.stack_size = 24;
	CHECK(first_user(&it, &rec, &user) == 0);
	halves.with.user.stack_size = 16;
	halves.with.user.nr_regs = 12;
	CHECK(first_user(&it, &rec, &user) == 0);
	halves.with.user.nr_regs = 65535;
	CHECK(first_user(&it, &rec, &user) == 0);
	halves.with.user.nr_regs = 9;
	halves.with.head.size -= 8;
	CHECK(first_user(&it, &rec, &user) == 0);
	halves.with.head.size -= 16 + 72;
	CHECK(first_user(&it, &rec, &user) == 0);
	/* In other formats there is nothing. */
	it.format = pmon_format_find("callchain");
	CHECK(pmon_sample_user(&it, &rec, &user) == 0);
}

/* What has been made is a number of another process, and the rest is empty. */
static void test_fork(void)
{
	struct {
		pfm_calldouble_smpl_hdr_t hdr;
		pfm_callchain_smpl_fork_t fork;
	} block = {
		.hdr = {
			.hdr_version = PFM_CALLDOUBLE_SMPL_VERSION,
			.hdr_half[0] = {
				.half_begin = sizeof(block.hdr), .half_end = sizeof(block),
				.half_state = PFM_CALLDOUBLE_SMPL_USER,
			},
		},
		.fork = {
			.type = PFM_CALLCHAIN_SMPL_FORK, .size = sizeof(block.fork),
			.pid = 12, .tid = 13, .child = 14, .tstamp = 1ULL << 40,
		},
	};
	const struct pmon_format *f = pmon_format_find("calldouble");
	struct pmon_layout layout;
	struct pmon_record rec;
	struct pmon_iter it;
	unsigned int i;

	pmon_layout_init(&layout);
	for (i = 0; i < 2; i++) {
		CHECK(!pmon_iter_begin(&it, f, &block, sizeof(block), &layout, NULL));
		CHECK(pmon_iter_next(&it, &rec) == 1 && rec.type == PMON_FORK);
		CHECK(rec.map.pid == 12 && rec.map.child == 14 && rec.map.time == 1ULL << 40);
		CHECK(!rec.map.path && !rec.map.comm && pmon_iter_next(&it, &rec) == 0);
		/* From a machine of the other byte order. */
		pmon_turn(&block.hdr, "448" "444" "22" "44" "88888" "22444" "8888" "4444" "4444");
		pmon_turn(&block.fork, "2244" "48");
		f->turn(&block, sizeof(block), &layout);
	}
	block.fork.size -= 8;
	block.hdr.hdr_half[0].half_end -= 8;
	CHECK(!pmon_iter_begin(&it, f, &block, sizeof(block), &layout, NULL));
	CHECK(pmon_iter_next(&it, &rec) == -EBADMSG);
}

static void test_turn(void)
{
	unsigned char bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
	static const unsigned char turned[] = {
		1, 3, 2, 7, 6, 5, 4, 15, 14, 13, 12, 11, 10, 9, 8, 16 };

	CHECK(pmon_turn(bytes, "") == bytes);
	CHECK(pmon_turn(bytes, "1248") == bytes + 15);
	CHECK(!memcmp(bytes, turned, sizeof(bytes)));
}

/* A format of a program: the number of places, and the places. */
static int own_begin(struct pmon_iter *it)
{
	uint64_t n;

	if (it->size < sizeof(n))
		return -1;
	memcpy(&n, it->buf, sizeof(n));
	it->at = sizeof(n);
	it->left = n;
	return 0;
}

static int own_next(struct pmon_iter *it, struct pmon_record *rec)
{
	if (!it->left)
		return 0;
	if (it->size - it->at < sizeof(uint64_t))
		return -1;
	it->left--;
	it->records++;
	rec->type = PMON_SAMPLE;
	rec->sample = (struct pmon_sample){ .pid = it->origin.pid, .count = 1 };
	memcpy(&rec->sample.ip, it->buf + it->at, sizeof(uint64_t));
	it->at += sizeof(uint64_t);
	return 1;
}

/* What the library does not know is taken apart by what the program says of it. */
static void test_own_format(void)
{
	static const struct pmon_format own = {
		.name = "own", .begin = own_begin, .next = own_next,
	};
	static const struct pmon_origin origin = { 42, 43, 1 };
	uint64_t block[] = { 2, 0x100, 0x200 };
	struct pmon_layout layout;
	struct pmon_record rec;
	struct pmon_iter it;

	pmon_layout_init(&layout);
	CHECK(pmon_iter_begin(&it, &own, block, sizeof(block), &layout, &origin) == 0);
	CHECK(pmon_iter_next(&it, &rec) == 1 && rec.sample.ip == 0x100);
	CHECK(pmon_iter_next(&it, &rec) == 1 && rec.sample.ip == 0x200);
	CHECK(rec.sample.pid == 42 && rec.sample.count == 1);
	CHECK(pmon_iter_next(&it, &rec) == 0 && it.records == 2);
	block[0] = 3;
	CHECK(pmon_iter_begin(&it, &own, block, sizeof(block), &layout, NULL) == 0);
	CHECK(pmon_iter_next(&it, &rec) == 1 && pmon_iter_next(&it, &rec) == 1);
	CHECK(pmon_iter_next(&it, &rec) == -EBADMSG && pmon_iter_next(&it, &rec) == -EBADMSG);
	CHECK(pmon_iter_begin(&it, &own, block, 4, &layout, NULL) == -EBADMSG);
	CHECK(!pmon_format_find("own"));
}

static void test_formats(void)
{
	const struct pmon_format *f;
	unsigned int i;

	for (i = 0; (f = pmon_format_at(i)); i++) {
		CHECK(pmon_format_find(f->name) == f && f->help);
		CHECK(pmon_format_find_uuid(f->uuid) == f);
		CHECK(f->arg_size && f->arg_size <= PMON_ARG_MAX);
	}
	CHECK(i >= 4 && !pmon_format_at(~0u));
	CHECK(!pmon_format_find("") && !pmon_format_find("defaul"));
}

int main(void)
{
	test_iter();
	test_fork();
	test_user();
	test_turn();
	test_own_format();
	test_formats();
	return check_done();
}
