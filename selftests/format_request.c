// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a context asks for a sampling format (3.5): bad requests, what they
 * answer and leave behind, who may have a buffer, and requests that another
 * thread changes while the kernel reads them.
 *
 * Not here: an argument above arg_size_max and PFM_FMTFL_NOSET, since no
 * format has the one or the other.
 */
#include "sampling.h"

/* ------------------------------------------------------------------------
 * Bad requests
 */

struct request {
	pfarg_ctx_t ctx;
	pfm_default_smpl_arg_t arg;
};

static const struct request good_request = {
	.ctx = { .ctx_fd = -1, .ctx_smpl_buf_id = PFM_DEFAULT_SMPL_UUID },
	.arg = { .buf_size = 10000 },
};

static int create(struct request *req)
{
	return pfm(-1, PFM_CREATE_CONTEXT, req, 1);
}

FIXTURE(bad) {
	u64 before;
	int low;
};

/* The next descriptor, and what buffers there are. */
FIXTURE_SETUP(bad)
{
	self->before = buffers_now();
	self->low = (int)MUST(dup(0));
	close(self->low);
}

/* Whatever was refused has left nothing. */
FIXTURE_TEARDOWN(bad)
{
	struct request req = good_request;

	EXPECT_EQ(self->before, buffers_now());
	MUST(create(&req));
	EXPECT_EQ(self->low, req.ctx.ctx_fd);
	EXPECT_EQ(self->before + req.ctx.ctx_smpl_buf_size, buffers_now());
}

TEST_F(bad, uuid)
{
	int i;

	for (i = 0; i < 16; i++) {
		struct request req = good_request;

		req.ctx.ctx_smpl_buf_id[i] ^= (__u8)(1 << i % 8);
		EXPECT_EQ(-EINVAL, create(&req));
		EXPECT_EQ(-1, req.ctx.ctx_fd);
	}
}

TEST_F(bad, sizes_that_are_too_small)
{
	u64 min = dfl_min_size(), i;
	u64 sizes[] = {
		0, 1, 8, sizeof(dfl_hdr_t) - 1, sizeof(dfl_hdr_t),
		sizeof(dfl_hdr_t) + sizeof(dfl_entry_t), min - 8, min - 1,
	};

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT_EQ(-EINVAL, dfl_create(0, sizes[i], 0, NULL)) {
			TH_LOG("%llu bytes", sizes[i]);
		}
	}
	/* Without headers, too: the size of samples is not known yet. */
	EXPECT_EQ(-EINVAL, dfl_create(0, min - 1, PFM_DFL_SMPL_NO_HDR, NULL));
}

TEST_F(bad, sizes_that_will_do)
{
	u64 min = dfl_min_size(), page = page_size(), size, i;
	u64 sizes[] = {
		min, min + 1, min + 2, min + 7, page - 1, page, page + 1,
		3 * page + 5,
	};

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		const dfl_hdr_t *hdr;
		int fd = dfl_create(0, sizes[i], 0, &size);

		ASSERT_LE(0, fd);
		EXPECT_EQ(page_align(sizes[i]), size);
		hdr = buf_map(fd, size);
		EXPECT_EQ(sizes[i], hdr->hdr_buf_size);
		close(fd);
	}
}

TEST_F(bad, sizes_that_are_too_large)
{
	static const u64 sizes[] = {
		1ULL << 40, 1ULL << 47, 1ULL << 62, (1ULL << 63) - 1,
		1ULL << 63, (1ULL << 63) + 4096, ~0ULL - 4095, ~0ULL - 4094,
		~0ULL,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		int ret = dfl_create(0, sizes[i], 0, NULL);

		EXPECT_TRUE(ret == -EINVAL || ret == -ENOMEM) {
			TH_LOG("%llu bytes: %d", sizes[i], ret);
		}
		EXPECT_EQ(self->before, buffers_now());
	}
}

TEST_F(bad, flags)
{
	static const u32 known = PFM_DFL_SMPL_NO_HDR | PFM_DFL_SMPL_IIP_HDR;
	int bit, fd;

	for (bit = 0; bit < 32; bit++) {
		u32 flag = 1U << bit;

		fd = dfl_create(0, 4096, flag, NULL);
		if (flag & known) {
			EXPECT_LE(0, fd);
			close(fd);
			continue;
		}
		EXPECT_EQ(-EINVAL, fd) {
			TH_LOG("flag %#x", flag);
		}
		EXPECT_EQ(-EINVAL, dfl_create(0, 4096, flag |
					      PFM_DFL_SMPL_NO_HDR, NULL));
	}
	EXPECT_EQ(-EINVAL, dfl_create(0, 4096, known, NULL));
	EXPECT_EQ(-EINVAL, dfl_create(0, 4096, ~0U, NULL));
}

TEST_F(bad, padding)
{
	struct request req;
	int i;

	for (i = 0; i < 32; i++) {
		req = good_request;
		req.arg.buf_pad = 1U << i;
		EXPECT_EQ(-EINVAL, create(&req));
	}
	/* That of the context is looked at as ever. */
	for (i = 0; i < 4; i++) {
		req = good_request;
		req.ctx.ctx_reserved[i] = 1;
		EXPECT_EQ(-EINVAL, create(&req));
	}
	for (i = 0; i < 32; i++) {
		if ((1U << i) & (PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE |
				 PFM_FL_OVFL_NO_MSG | PFM_FL_CLOEXEC | PFM_FL_TREE))
			continue;
		req = good_request;
		req.ctx.ctx_flags = 1U << i;
		EXPECT_EQ(-EINVAL, create(&req));
	}
}

TEST_F(bad, number_of_arguments)
{
	static const int n[] = { 0, 2, -1, 100, INT_MAX, INT_MIN };
	struct request req = good_request;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(n); i++)
		EXPECT_EQ(-EINVAL, pfm(-1, PFM_CREATE_CONTEXT, &req, n[i]));
}

/* A page, and after it one that cannot be read. */
static char *edge_of_memory(void)
{
	size_t page = page_size();
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	MUST(mprotect(p + page, page, PROT_NONE));
	return p + page;
}

/* The format's argument lies beyond the edge, all of it or a part. */
TEST_F(bad, argument_that_cannot_be_read)
{
	size_t missing, size = sizeof(struct request);
	char *edge = edge_of_memory();

	for (missing = 1; missing <= size; missing++) {
		char *at = edge - (size - missing);

		memcpy(at, &good_request, size - missing);
		EXPECT_EQ(-EFAULT, pfm(-1, PFM_CREATE_CONTEXT, at, 1)) {
			TH_LOG("%zu bytes are missing", missing);
		}
	}
	/* Here nothing is missing. */
	memcpy(edge - size, &good_request, size);
	ASSERT_EQ(0, pfm(-1, PFM_CREATE_CONTEXT, edge - size, 1));
	close(((struct request *)(edge - size))->ctx.ctx_fd);
}

/* Of a format that does not exist the argument is not read. */
TEST_F(bad, argument_that_is_not_read)
{
	pfarg_ctx_t *ctx = (void *)(edge_of_memory() - sizeof(*ctx));

	*ctx = good_request.ctx;
	ctx->ctx_smpl_buf_id[7] ^= 1;
	EXPECT_EQ(-EINVAL, pfm(-1, PFM_CREATE_CONTEXT, ctx, 1));
	*ctx = good_request.ctx;
	ctx->ctx_flags = 0x40000000;
	EXPECT_EQ(-EINVAL, pfm(-1, PFM_CREATE_CONTEXT, ctx, 1));
	*ctx = (pfarg_ctx_t){ .ctx_fd = -1 };
	ASSERT_EQ(0, pfm(-1, PFM_CREATE_CONTEXT, ctx, 1));
	EXPECT_EQ(0ULL, ctx->ctx_smpl_buf_size);
	close(ctx->ctx_fd);
}

TEST_F(bad, pointers)
{
	static const uintptr_t odd[] = {
		0, 1, 64, (uintptr_t)-1, (uintptr_t)-8, (uintptr_t)-64,
		(uintptr_t)-80, (uintptr_t)-128, (uintptr_t)-4096,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		EXPECT_EQ(-EFAULT, pfm(-1, PFM_CREATE_CONTEXT, (void *)odd[i],
				       1)) {
			TH_LOG("%#lx", (unsigned long)odd[i]);
		}
	}
}

/* The descriptor's number cannot be told: so there is no descriptor. */
TEST_F(bad, result_that_cannot_be_written)
{
	size_t page = page_size();
	struct request *req = mmap(NULL, page, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	ASSERT_NE(MAP_FAILED, req);
	*req = good_request;
	MUST(mprotect(req, page, PROT_READ));
	for (i = 0; i < 10; i++)
		EXPECT_EQ(-EFAULT, create(req));
	EXPECT_EQ(-1, req->ctx.ctx_fd);
}

TEST_F(bad, no_descriptor_left)
{
	struct request req = good_request;
	struct rlimit old, none;
	int i;

	MUST(getrlimit(RLIMIT_NOFILE, &old));
	none = old;
	none.rlim_cur = (rlim_t)self->low;
	MUST(setrlimit(RLIMIT_NOFILE, &none));
	for (i = 0; i < 10; i++)
		EXPECT_EQ(-EMFILE, create(&req));
	MUST(setrlimit(RLIMIT_NOFILE, &old));
	EXPECT_EQ(-1, req.ctx.ctx_fd);
}

/* Those who may not create contexts do not get a buffer either. */
TEST_F(bad, rights)
{
	pid_t pid;

	NEED_ROOT();
	ASSERT_EQ(0, write_text(SYSFS "/thread_group", "54321"));
	pid = fork_child();
	if (!pid) {
		become(NOBODY);
		_exit(-dfl_create(0, 4096, 0, NULL));
	}
	EXPECT_EQ(EPERM, reap(pid));
	ASSERT_EQ(0, write_text(SYSFS "/thread_group", "-1"));
}

/* ------------------------------------------------------------------------
 * Requests that change while they are read
 */

static volatile bool stop;
static struct request shared;

static void *flip_argument(void *unused)
{
	volatile u64 *size = &shared.arg.buf_size;
	volatile u32 *flags = &shared.arg.buf_flags;

	while (!stop) {
		*size = 4096;
		*flags = PFM_DFL_SMPL_NO_HDR;
		*size = 1 << 20;
		*flags = PFM_DFL_SMPL_IIP_HDR;
		*size = ~0ULL;
		*flags = ~0U;
		*size = 10001;
		*flags = 0;
		*size = 1;
	}
	return unused;
}

/* What was checked is what is used: whatever it was. */
TEST_F(bad, argument_changes)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + race_ns();
	int made = 0, refused = 0;
	pthread_t t;

	shared = good_request;
	ASSERT_EQ(0, pthread_create(&t, NULL, flip_argument, NULL));
	while (now_ns(CLOCK_MONOTONIC) < end || made + refused < 10) {
		const dfl_hdr_t *hdr;
		int ret;

		shared.ctx = good_request.ctx;
		ret = create(&shared);
		if (ret) {
			ASSERT_TRUE(ret == -EINVAL || ret == -ENOMEM) {
				TH_LOG("%d", ret);
			}
			refused++;
			continue;
		}
		hdr = buf_map(shared.ctx.ctx_fd, shared.ctx.ctx_smpl_buf_size);
		ASSERT_EQ(shared.ctx.ctx_smpl_buf_size,
			  page_align(hdr->hdr_buf_size));
		ASSERT_LE(dfl_min_size(), hdr->hdr_buf_size);
		ASSERT_GE((u64)1 << 20, hdr->hdr_buf_size);
		ASSERT_GE(2U, hdr->hdr_flags);
		ASSERT_EQ(sizeof(dfl_hdr_t), hdr->hdr_cur_offs);
		close(shared.ctx.ctx_fd);
		made++;
	}
	stop = true;
	pthread_join(t, NULL);
	TH_LOG("%d made, %d refused", made, refused);
}

static void *flip_uuid(void *unused)
{
	static const pfm_uuid_t none;

	while (!stop) {
		memcpy(shared.ctx.ctx_smpl_buf_id, none, sizeof(none));
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		memcpy(shared.ctx.ctx_smpl_buf_id, dfl_uuid, sizeof(dfl_uuid));
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	}
	return unused;
}

/* A format without a buffer, or a buffer without a format: never. */
TEST_F(bad, uuid_changes)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + race_ns();
	char saved[PATH_MAX], value[64];
	int made[2] = {}, refused = 0;
	pthread_t t;

	NEED_ROOT();
	/* What is half of one and half of the other is not looked for. */
	MUST(read_text(MODPROBE, saved, sizeof(saved)));
	set_modprobe("");
	shared = good_request;
	ASSERT_EQ(0, pthread_create(&t, NULL, flip_uuid, NULL));
	while (now_ns(CLOCK_MONOTONIC) < end) {
		bool has;

		shared.ctx.ctx_smpl_buf_size = 0;
		if (create(&shared)) {
			refused++;
			continue;
		}
		has = shared.ctx.ctx_smpl_buf_size != 0;
		pfm_fdinfo(shared.ctx.ctx_fd, "pfm-format", value,
			   sizeof(value));
		EXPECT_STREQ(has ? "default" : "none", value);
		EXPECT_EQ(!has, buf_mmap(shared.ctx.ctx_fd,
				      page_align(good_request.arg.buf_size)) ==
			  MAP_FAILED);
		close(shared.ctx.ctx_fd);
		made[has]++;
	}
	stop = true;
	pthread_join(t, NULL);
	set_modprobe(saved);
	TH_LOG("%d with, %d without, %d refused", made[1], made[0], refused);
}

TEST_HARNESS_MAIN
