// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling formats (3.5): the list of them, how one is asked for and what bad
 * requests leave behind, formats that come and go as modules or are loaded on
 * demand, and what a format can ask of the core (3.5.14, 3.5.15), by way of
 * the null format, which asks for whatever it is told to.
 *
 * Not here: PFM_FMTFL_NOSET and an argument above arg_size_max, since no
 * format has the one or the other. What needs the module is skipped if the
 * kernel's build is not where it is expected.
 */
#include "smpl.h"
#include <perfmon/null_smpl.h>

#define FORMATS		SYSFS "/formats"
#define MODPROBE	"/proc/sys/kernel/modprobe"
#define MODULE		"/sys/module/pfm_null"

#ifndef CAP_SYS_MODULE
#define CAP_SYS_MODULE	16
#endif

static u64 race_ns(void)
{
	return (is_slow() ? 1500 : 1000) * NSEC_PER_MSEC;
}

/* Who loads modules on demand; nobody if it is empty. */
static void set_modprobe(const char *path)
{
	char line[PATH_MAX + 2];

	snprintf(line, sizeof(line), "%s\n", path);
	MUST(write_text(MODPROBE, line));
}

static void uuid_text(const pfm_uuid_t uuid, char *text)
{
	int i;

	for (i = 0; i < 16; i++) {
		text += sprintf(text, "%02x", uuid[i]);
		if (i == 3 || i == 5 || i == 7 || i == 9)
			*text++ = '-';
	}
}

static bool uuid_parse(const char *text, pfm_uuid_t uuid)
{
	int i, n;

	for (i = 0; i < 16; i++) {
		if (*text == '-')
			text++;
		if (sscanf(text, "%2hhx%n", &uuid[i], &n) != 1 || n != 2)
			return false;
		text += 2;
	}
	return !*text;
}

static void check_format_is(struct __test_metadata *_metadata, int fd,
			    const char *name)
{
	char value[64];

	pfm_fdinfo(fd, "pfm-format", value, sizeof(value));
	EXPECT_STREQ(name, value);
}

/* ------------------------------------------------------------------------
 * The list (3.5.2), which an ordinary user can read
 */

static void format_file(const char *name, const char *file, char *buf,
			size_t size)
{
	struct stat st;
	char path[512];

	snprintf(path, sizeof(path), FORMATS "/%s/%s", name, file);
	MUST(stat(path, &st));
	if ((st.st_mode & 07777) != 0444)
		die("%s has mode %#o", path, st.st_mode & 07777);
	MUST(read_text(path, buf, size));
}

TEST(list)
{
	DIR *dir = opendir(FORMATS);
	char uuid[64], version[64];
	char seen[32][64];
	struct dirent *d;
	int n = 0, i;

	ASSERT_NE(NULL, dir);
	while ((d = readdir(dir))) {
		unsigned int major, minor;
		pfm_uuid_t id;
		int end;

		if (d->d_name[0] == '.')
			continue;
		format_file(d->d_name, "uuid", uuid, sizeof(uuid));
		EXPECT_EQ(36, (int)strlen(uuid));
		EXPECT_TRUE(uuid_parse(uuid, id)) {
			TH_LOG("%s: %s", d->d_name, uuid);
		}
		format_file(d->d_name, "version", version, sizeof(version));
		EXPECT_EQ(2, sscanf(version, "%u.%u%n", &major, &minor, &end));
		EXPECT_EQ('\0', version[end]);
		for (i = 0; i < n; i++)
			EXPECT_STRNE(seen[i], uuid);
		if (n < 32)
			strcpy(seen[n++], uuid);
	}
	closedir(dir);
	EXPECT_LE(1, n);
}

/* "Guaranteed to be present on all implementations." */
TEST(default_is_there)
{
	char uuid[64], version[64];

	format_file("default", "uuid", uuid, sizeof(uuid));
	EXPECT_STREQ(PFM_DEFAULT_SMPL_UUID_TEXT, uuid);
	format_file("default", "version", version, sizeof(version));
	EXPECT_STREQ("1.0", version);
}

/* What the list says is what one asks for, byte by byte. */
TEST(request_by_the_list)
{
	pfm_default_smpl_arg_t arg = { .buf_size = 4096 };
	pfm_uuid_t uuid;
	char text[64];
	int fd;

	format_file("default", "uuid", text, sizeof(text));
	ASSERT_TRUE(uuid_parse(text, uuid));
	EXPECT_EQ(0, memcmp(uuid, dfl_uuid, sizeof(uuid)));
	fd = smpl_create(uuid, 0, &arg, sizeof(arg), NULL);
	ASSERT_LE(0, fd);
	check_format_is(_metadata, fd, "default");
	check_format_is(_metadata, (int)MUST(pfm_create(0)), "none");
}

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
				 PFM_FL_OVFL_NO_MSG))
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

/* A page, and after it what nobody can read. */
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

/* Nobody looks for the argument of a format that there is not. */
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

/* ------------------------------------------------------------------------
 * The null format
 */

#define BUFFER	PFM_NULL_FMT_BUFFER
#define TELL	PFM_NULL_CTRL_NOTIFY
#define RESET	PFM_NULL_CTRL_RESET
#define BLOCK	PFM_NULL_CTRL_BLOCK
#define MASK	PFM_NULL_CTRL_MASK
#define N_CTRLS	16U

static const pfm_uuid_t null_uuid = PFM_NULL_SMPL_UUID;

static int null_create(u32 ctx_flags, pfm_null_smpl_arg_t arg, u64 *size)
{
	return smpl_create(null_uuid, ctx_flags, &arg, sizeof(arg), size);
}

/* What the module says of itself. */
static u64 module_number(const char *file)
{
	char path[128], buf[64];

	snprintf(path, sizeof(path), MODULE "/%s", file);
	MUST(read_text(path, buf, sizeof(buf)));
	return strtoull(buf, NULL, 10);
}

FIXTURE(null) {
	char modprobe[PATH_MAX];
	char path[PATH_MAX];
	struct format_module m;
	u64 before;
	struct puppet p;
	int fd;
	const pfm_null_smpl_hdr_t *hdr;
};

FIXTURE_SETUP(null)
{
	self->fd = -1;
	self->before = buffers_now();
	if (is_root()) {
		/* Nothing is loaded behind our back. */
		MUST(read_text(MODPROBE, self->modprobe,
			       sizeof(self->modprobe)));
		set_modprobe("");
		module_path("null", self->path, sizeof(self->path));
		/* One that a test before this one has left. */
		module_remove("pfm_null");
	}
	format_get(&self->m, "null");
	puppet_start(&self->p, PUPPET_PROCESS);
	puppet_do(&self->p, OP_FAULT, PUPPET_PAGES + 1);
}

FIXTURE_TEARDOWN(null)
{
	if (self->fd >= 0)
		close(self->fd);
	puppet_stop(&self->p);
	if (self->m.inserted) {
		EXPECT_TRUE(buffers_become(self->before));
		if (have_format("null")) {
			EXPECT_EQ(0ULL, module_number("parameters/contexts"));
		}
	}
	format_put(&self->m);
	if (is_root())
		set_modprobe(self->modprobe);
}

#define NEED_MODULE()							\
do {									\
	NEED_FORMAT(&self->m);						\
	if (!self->m.inserted)						\
		SKIP(return, "%s: the format null is there for good",	\
		     _metadata->name);					\
} while (0)

/*
 * A context with a header that asks for @ctrl: counter 0 overflows at the third
 * fault, counter 1 is reset with it.
 */
static void null_open(FIXTURE_DATA(null) *f, u32 ctx_flags, u32 flags,
		      pfm_null_smpl_arg_t arg)
{
	u64 size;

	arg.flags |= BUFFER;
	f->fd = (int)MUST(null_create(ctx_flags, arg, &size));
	f->hdr = buf_map(f->fd, size);
	set_nonblock(f->fd);
	choose(f->fd, 0, 0, FAULTS, flags, 0, CTR(1));
	MUST(pfm_write_period(f->fd, SW_PMD(0), -3ULL, -50ULL, -20ULL));
	choose(f->fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_period(f->fd, SW_PMD(1), 1000, 2000, 3000));
	attach(f->fd, f->p.tid);
}

static void null_close(FIXTURE_DATA(null) *f)
{
	close(f->fd);
	f->fd = -1;
}

static void check_counters(struct __test_metadata *_metadata,
			   FIXTURE_DATA(null) *f, u64 first, u64 second)
{
	EXPECT_EQ(first, pfm_value(f->fd, SW_PMD(0)));
	EXPECT_EQ(second, pfm_value(f->fd, SW_PMD(1)));
}

static void check_state(struct __test_metadata *_metadata,
			FIXTURE_DATA(null) *f, bool masked)
{
	EXPECT_TRUE(pfm_state_is(f->fd, masked ? "masked" : "loaded"));
}

/* ------------------------------------------------------------------------
 * Coming and going
 */

TEST_F(null, comes_and_goes)
{
	pfm_null_smpl_arg_t arg = {};
	char uuid[64];
	int a, b, round;

	NEED_MODULE();
	for (round = 0; round < 3; round++) {
		format_file("null", "uuid", uuid, sizeof(uuid));
		EXPECT_STREQ(PFM_NULL_SMPL_UUID_TEXT, uuid);
		EXPECT_EQ(0ULL, module_number("refcnt"));
		a = null_create(0, arg, NULL);
		ASSERT_LE(0, a);
		check_format_is(_metadata, a, "null");
		EXPECT_EQ(1ULL, module_number("refcnt"));
		EXPECT_EQ(1ULL, module_number("parameters/contexts"));
		b = null_create(0, arg, NULL);
		ASSERT_LE(0, b);
		EXPECT_EQ(2ULL, module_number("refcnt"));
		/* It is needed. */
		EXPECT_EQ(-EWOULDBLOCK, module_remove("pfm_null"));
		close(a);
		EXPECT_EQ(-EWOULDBLOCK, module_remove("pfm_null"));
		EXPECT_TRUE(have_format("null"));
		EXPECT_EQ(0, pfm_write_pmd(b, SW_PMD(0), 1));
		close(b);
		EXPECT_EQ(0ULL, module_number("refcnt"));
		EXPECT_EQ(0, module_remove("pfm_null"));
		EXPECT_FALSE(have_format("null"));
		EXPECT_EQ(-EINVAL, null_create(0, arg, NULL));
		/* Others are as they were. */
		EXPECT_TRUE(have_format("default"));
		MUST(module_insert(self->path));
	}
}

/* It is there, and stays as it is. */
TEST_F(null, comes_twice)
{
	NEED_MODULE();
	EXPECT_EQ(-EEXIST, module_insert(self->path));
	EXPECT_TRUE(have_format("null"));
	EXPECT_LE(0, self->fd = null_create(0, (pfm_null_smpl_arg_t){}, NULL));
}

/* Whoever has the context has the module, be it a child or a mapping. */
TEST_F(null, kept_by_a_child)
{
	u64 size;
	int fd, with_buffer;

	NEED_MODULE();
	for (with_buffer = 0; with_buffer < 2; with_buffer++) {
		pfm_null_smpl_arg_t arg = { .flags = with_buffer ? BUFFER : 0 };
		pid_t pid;

		fd = (int)MUST(null_create(0, arg, &size));
		if (with_buffer)
			buf_map(fd, size);
		pid = fork_child();
		if (!pid) {
			pause();
			_exit(0);
		}
		close(fd);
		EXPECT_EQ(-EWOULDBLOCK, module_remove("pfm_null"));
		kill_and_reap(pid);
		module_away("null");
		EXPECT_FALSE(have_format("null"));
		MUST(module_insert(self->path));
	}
}

/* A call-back that fails undoes what went before. */
TEST_F(null, call_backs_that_fail)
{
	static const u32 fail[] = {
		PFM_NULL_FAIL_VALIDATE, PFM_NULL_FAIL_GETSIZE,
		PFM_NULL_FAIL_INIT,
	};
	size_t i;

	NEED_MODULE();
	for (i = 0; i < 2 * ARRAY_SIZE(fail); i++) {
		pfm_null_smpl_arg_t arg = {
			.flags = i & 1 ? BUFFER : 0, .fail = fail[i / 2],
		};

		EXPECT_EQ(-EIO, null_create(0, arg, NULL));
		EXPECT_EQ(self->before, buffers_now());
		EXPECT_EQ(0ULL, module_number("refcnt"));
		EXPECT_EQ(0ULL, module_number("parameters/contexts"));
	}
}

TEST_F(null, bad_arguments)
{
	int bit, field;

	NEED_MODULE();
	for (bit = 0; bit < 32; bit++) {
		for (field = 0; field < 4; field++) {
			static const u32 known[4] = {
				BUFFER, 0x1f, N_CTRLS - 1, N_CTRLS - 1,
			};
			u32 v[4] = { BUFFER };
			pfm_null_smpl_arg_t arg;

			if (known[field] >> bit & 1)
				continue;
			v[field] |= 1U << bit;
			memcpy(&arg, v, sizeof(arg));
			EXPECT_EQ(-EINVAL, null_create(0, arg, NULL));
		}
	}
	/* Nothing would remember it. */
	EXPECT_EQ(-EINVAL, null_create(0, (pfm_null_smpl_arg_t){
		.ovfl_ctrl = MASK }, NULL));
	EXPECT_EQ(-EINVAL, null_create(0, (pfm_null_smpl_arg_t){
		.fail = PFM_NULL_FAIL_RESTART }, NULL));
	EXPECT_EQ(0ULL, module_number("parameters/contexts"));
}

/* A format needs no buffer; then there is none to map. */
TEST_F(null, without_a_buffer)
{
	u64 size = 1;
	int n;

	NEED_FORMAT(&self->m);
	self->fd = (int)MUST(null_create(0, (pfm_null_smpl_arg_t){}, &size));
	set_nonblock(self->fd);
	EXPECT_EQ(0ULL, size);
	EXPECT_EQ(self->before, buffers_now());
	EXPECT_EQ(MAP_FAILED, buf_mmap(self->fd, page_size()));
	EXPECT_EQ(EINVAL, errno);
	/* It behaves as if there were no format, but for active restarts. */
	choose(self->fd, 0, 0, FAULTS, NOTIFY, 0, 0);
	MUST(pfm_write_period(self->fd, SW_PMD(0), -3ULL, -50ULL, -20ULL));
	attach(self->fd, self->p.tid);
	EXPECT_EQ(0, pfm_restart(self->fd));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_TRUE(pfm_state_is(self->fd, "masked"));
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(0)));
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(-50ULL, pfm_value(self->fd, SW_PMD(0)));
	choose(self->fd, 0, 0, FAULTS, 0, 0, 0);
	for (n = 0; n < 5; n++) {
		puppet_do(&self->p, OP_FAULT, n ? 20 : 50);
		EXPECT_EQ(-20ULL, pfm_value(self->fd, SW_PMD(0)));
		EXPECT_TRUE(pfm_state_is(self->fd, "loaded"));
		EXPECT_EQ(0, pfm_restart(self->fd));
		EXPECT_EQ(-20ULL, pfm_value(self->fd, SW_PMD(0)));
	}
	EXPECT_EQ(0U, overflowed(self->fd));
}

TEST_F(null, with_a_buffer)
{
	pfm_null_smpl_arg_t arg = {
		.flags = BUFFER, .ovfl_ctrl = MASK, .restart_ctrl = RESET,
	};

	NEED_FORMAT(&self->m);
	null_open(self, 0, 0, arg);
	EXPECT_EQ(self->before + page_size(), buffers_now());
	EXPECT_EQ(0, memcmp(&arg, &self->hdr->arg, sizeof(arg)));
	EXPECT_TRUE(all_bytes(&self->hdr->overflows, page_size() -
			      offsetof(pfm_null_smpl_hdr_t, overflows), 0));
}

/* Sets are not forbidden by it. */
TEST_F(null, sets)
{
	pfarg_setdesc_t desc = { .set_id = 5 };

	NEED_FORMAT(&self->m);
	self->fd = (int)MUST(null_create(0, (pfm_null_smpl_arg_t){}, NULL));
	EXPECT_EQ(0, pfm(self->fd, PFM_CREATE_EVTSETS, &desc, 1));
}

/* ------------------------------------------------------------------------
 * What the handler asks for (3.5.14)
 */

/* Each combination, with and without PFM_REGFL_OVFL_NOTIFY. */
TEST_F(null, controls)
{
	u32 i;

	NEED_FORMAT(&self->m);
	for (i = 0; i < 2 * N_CTRLS; i++) {
		pfm_null_smpl_arg_t arg = {
			.ovfl_ctrl = i / 2, .restart_ctrl = RESET,
		};
		u32 notify = i & 1 ? NOTIFY : 0;
		bool mask = arg.ovfl_ctrl & MASK;
		/* "Masking has priority over reset." */
		bool reset = (arg.ovfl_ctrl & RESET) && !mask;
		bool tell = (arg.ovfl_ctrl & TELL) && notify;

		null_open(self, 0, notify, arg);
		/* Two more than it takes; BLOCK is ignored. */
		puppet_do(&self->p, OP_FAULT, 5);
		EXPECT_EQ(1ULL, self->hdr->overflows);
		check_state(_metadata, self, mask);
		if (mask)
			check_counters(_metadata, self, 0, 1003);
		else if (reset)
			check_counters(_metadata, self, -18ULL, 3002);
		else
			check_counters(_metadata, self, 2, 1005);
		EXPECT_EQ(reset ? -20ULL : -3ULL, last_reset(self->fd, 0));
		EXPECT_EQ(tell ? CTR(0) : 0, overflowed(self->fd)) {
			TH_LOG("controls %#x, notify %u", i / 2, i & 1);
		}
		/* What has not been reset yet gets its long value. */
		MUST(pfm_restart(self->fd));
		check_state(_metadata, self, false);
		if (reset)
			check_counters(_metadata, self, -18ULL, 3002);
		else
			check_counters(_metadata, self, -50ULL, 2000);
		EXPECT_EQ(1ULL, self->hdr->restarts);
		EXPECT_EQ(!mask, self->hdr->active);
		puppet_do(&self->p, OP_FAULT, 1);
		if (reset)
			check_counters(_metadata, self, -17ULL, 3003);
		else
			check_counters(_metadata, self, -49ULL, 2001);
		EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-lost"));
		null_close(self);
	}
}

/* With PFM_FL_NOTIFY_BLOCK the thread waits if it is asked to, masked or not. */
TEST_F(null, controls_and_blocking)
{
	u32 i;

	NEED_FORMAT(&self->m);
	for (i = 0; i < 2 * N_CTRLS; i++) {
		pfm_null_smpl_arg_t arg = {
			.ovfl_ctrl = i / 2, .restart_ctrl = RESET,
		};
		u32 notify = i & 1 ? NOTIFY : 0;
		bool mask = arg.ovfl_ctrl & MASK;
		bool reset = (arg.ovfl_ctrl & RESET) && !mask;

		null_open(self, PFM_FL_NOTIFY_BLOCK, notify, arg);
		puppet_post(&self->p, OP_FAULT, 5);
		while (!self->hdr->overflows)
			sleep_ms(1);
		if (arg.ovfl_ctrl & BLOCK) {
			wait_rest(self->p.tid, "DI");
			EXPECT_FALSE(puppet_done(&self->p, 20));
			check_state(_metadata, self, mask);
			/* It has come to the third fault, and no further. */
			check_counters(_metadata, self, reset ? -20ULL : 0,
				       reset ? 3000 : 1003);
			MUST(pfm_restart(self->fd));
			EXPECT_EQ(!mask, self->hdr->active);
		}
		ASSERT_TRUE(puppet_done(&self->p, PATIENCE)) {
			TH_LOG("controls %#x, notify %u", i / 2, i & 1);
		}
		if (arg.ovfl_ctrl & BLOCK)
			check_counters(_metadata, self,
				       reset ? -18ULL : -48ULL,
				       reset ? 3002 : 2002);
		null_close(self);
	}
}

/* A notification that is wanted and one that is not, at once: one message. */
TEST_F(null, simultaneous_overflows)
{
	int who;

	NEED_FORMAT(&self->m);
	for (who = 0; who < 4; who++) {
		null_open(self, 0, who & 1 ? NOTIFY : 0, (pfm_null_smpl_arg_t){
			.ovfl_ctrl = TELL | RESET });
		MUST(pfm_stop(self->fd));
		choose(self->fd, 0, 4, FAULTS, who & 2 ? NOTIFY : 0, 0, 0);
		MUST(pfm_write_period(self->fd, SW_PMD(4), -3ULL, -60ULL,
				      -30ULL));
		MUST(pfm_start(self->fd));
		puppet_do(&self->p, OP_FAULT, 4);
		EXPECT_EQ(2ULL, self->hdr->overflows);
		EXPECT_EQ(who ? CTR(0) | CTR(4) : 0, overflowed(self->fd));
		check_state(_metadata, self, false);
		check_counters(_metadata, self, -19ULL, 3001);
		EXPECT_EQ(-29ULL, pfm_value(self->fd, SW_PMD(4)));
		null_close(self);
	}
}

/* "The calls to the handler stop when the first error is reported." */
TEST_F(null, handler_that_fails)
{
	NEED_FORMAT(&self->m);
	null_open(self, PFM_FL_NOTIFY_BLOCK, NOTIFY, (pfm_null_smpl_arg_t){
		.fail = PFM_NULL_FAIL_HANDLER,
		.ovfl_ctrl = TELL | RESET | BLOCK | MASK,
		.restart_ctrl = RESET });
	MUST(pfm_stop(self->fd));
	choose(self->fd, 0, 4, FAULTS, NOTIFY, 0, 0);
	MUST(pfm_write_period(self->fd, SW_PMD(4), -3ULL, -60ULL, -30ULL));
	choose(self->fd, 0, 5, FAULTS, NOTIFY, 0, 0);
	MUST(pfm_write_period(self->fd, SW_PMD(5), -5ULL, -70ULL, -30ULL));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 4);
	EXPECT_EQ(1ULL, self->hdr->overflows);
	/* What it would have asked for is not done. */
	check_state(_metadata, self, false);
	check_counters(_metadata, self, 1, 1004);
	EXPECT_EQ(1ULL, pfm_value(self->fd, SW_PMD(4)));
	EXPECT_EQ(0U, overflowed(self->fd));
	/* At the next event it is asked again. */
	puppet_do(&self->p, OP_FAULT, 4);
	EXPECT_EQ(2ULL, self->hdr->overflows);
	EXPECT_EQ(3ULL, pfm_value(self->fd, SW_PMD(5)));
	MUST(pfm_restart(self->fd));
	check_counters(_metadata, self, -50ULL, 2000);
	EXPECT_EQ(-60ULL, pfm_value(self->fd, SW_PMD(4)));
	EXPECT_EQ(-70ULL, pfm_value(self->fd, SW_PMD(5)));
}

/* A queue of one message, which is all that the format wants (3.5.7). */
TEST_F(null, full_queue)
{
	NEED_FORMAT(&self->m);
	null_open(self, 0, NOTIFY, (pfm_null_smpl_arg_t){
		.ovfl_ctrl = TELL | RESET, .restart_ctrl = RESET });
	puppet_do(&self->p, OP_FAULT, 4);
	check_state(_metadata, self, false);
	EXPECT_EQ(1ULL, pfm_fdinfo_num(self->fd, "pfm-queued"));
	/* The second one finds no room: masked, and nothing is reset. */
	puppet_do(&self->p, OP_FAULT, 30);
	check_state(_metadata, self, true);
	check_counters(_metadata, self, 0, 3020);
	EXPECT_EQ(1ULL, pfm_fdinfo_num(self->fd, "pfm-lost"));
	EXPECT_EQ(2ULL, self->hdr->overflows);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	check_state(_metadata, self, true);
	MUST(pfm_restart(self->fd));
	check_state(_metadata, self, false);
	check_counters(_metadata, self, -50ULL, 2000);
	puppet_do(&self->p, OP_FAULT, 50);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	check_state(_metadata, self, false);
}

/* Without messages there is no queue that could be full. */
TEST_F(null, no_messages)
{
	NEED_FORMAT(&self->m);
	null_open(self, PFM_FL_OVFL_NO_MSG, NOTIFY, (pfm_null_smpl_arg_t){
		.ovfl_ctrl = TELL | RESET });
	puppet_do(&self->p, OP_FAULT, 3 + 10 * 20);
	EXPECT_EQ(11ULL, self->hdr->overflows);
	check_state(_metadata, self, false);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-queued"));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-lost"));
}

/* ------------------------------------------------------------------------
 * What PFM_RESTART asks for (3.5.15)
 */

TEST_F(null, restart_controls)
{
	u32 i;

	NEED_FORMAT(&self->m);
	for (i = 0; i < N_CTRLS; i++) {
		bool reset = i & RESET, mask = i & MASK;

		null_open(self, PFM_FL_NOTIFY_BLOCK, NOTIFY,
			  (pfm_null_smpl_arg_t){
				.ovfl_ctrl = TELL | MASK, .restart_ctrl = i });
		puppet_do(&self->p, OP_FAULT, 5);
		EXPECT_EQ(CTR(0), overflowed(self->fd));
		check_state(_metadata, self, true);
		ASSERT_EQ(0, pfm_restart(self->fd));
		check_state(_metadata, self, mask);
		check_counters(_metadata, self, reset ? -50ULL : 0,
			       reset ? 2000 : 1003);
		/* TELL and BLOCK mean nothing here. */
		EXPECT_EQ(0U, overflowed(self->fd));
		puppet_do(&self->p, OP_FAULT, 2);
		check_counters(_metadata, self,
			       (reset ? -50ULL : 0) + (mask ? 0 : 2),
			       (reset ? 2000 : 1003) + (mask ? 0 : 2));
		EXPECT_EQ(1ULL, self->hdr->restarts);
		EXPECT_EQ(0ULL, self->hdr->active);
		null_close(self);
	}
}

/* The same when nothing is masked, and nothing has overflowed. */
TEST_F(null, active_restart_controls)
{
	u32 i;

	NEED_FORMAT(&self->m);
	for (i = 0; i < N_CTRLS; i++) {
		bool mask = i & MASK;

		null_open(self, PFM_FL_NOTIFY_BLOCK, NOTIFY,
			  (pfm_null_smpl_arg_t){ .restart_ctrl = i });
		puppet_do(&self->p, OP_FAULT, 2);
		ASSERT_EQ(0, pfm_restart(self->fd));
		check_state(_metadata, self, mask);
		check_counters(_metadata, self, ~0ULL, 1002);
		EXPECT_EQ(1ULL, self->hdr->restarts);
		EXPECT_EQ(1ULL, self->hdr->active);
		puppet_do(&self->p, OP_FAULT, 2);
		check_counters(_metadata, self, mask ? ~0ULL : 1,
			       mask ? 1002 : 1004);
		EXPECT_EQ(0U, overflowed(self->fd));
		EXPECT_EQ(mask ? 0ULL : 1ULL, self->hdr->overflows);
		null_close(self);
	}
}

/* It says no: nothing has happened, and the thread still waits. */
TEST_F(null, restart_that_fails)
{
	NEED_FORMAT(&self->m);
	null_open(self, PFM_FL_NOTIFY_BLOCK, NOTIFY, (pfm_null_smpl_arg_t){
		.fail = PFM_NULL_FAIL_RESTART,
		.ovfl_ctrl = TELL | BLOCK | MASK, .restart_ctrl = RESET });
	EXPECT_EQ(-EIO, pfm_restart(self->fd));
	check_state(_metadata, self, false);
	puppet_post(&self->p, OP_FAULT, 5);
	while (!self->hdr->overflows)
		sleep_ms(1);
	wait_rest(self->p.tid, "DI");
	EXPECT_EQ(-EIO, pfm_restart(self->fd));
	check_state(_metadata, self, true);
	check_counters(_metadata, self, 0, 1003);
	EXPECT_FALSE(puppet_done(&self->p, 50));
	EXPECT_EQ(2ULL, self->hdr->restarts);
	EXPECT_EQ(1ULL, self->hdr->active);
	MUST(pfm_unload(self->fd));
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
	EXPECT_EQ(-EBUSY, pfm_restart(self->fd));
	EXPECT_EQ(2ULL, self->hdr->restarts);
}

/* ------------------------------------------------------------------------
 * Coming and going while it is asked for
 */

static void *ask_for_it(void *unused)
{
	pfm_null_smpl_arg_t arg = { .flags = BUFFER };
	u64 size;

	while (!stop) {
		int fd = null_create(0, arg, &size);

		if (fd >= 0) {
			if (size != page_size())
				return (void *)1L;
			buf_map(fd, size);
			close(fd);
		} else if (fd != -EINVAL) {
			return (void *)(long)fd;
		}
	}
	return unused;
}

static void *read_about_it(void *unused)
{
	char buf[64];

	while (!stop) {
		int n = read_text(FORMATS "/null/uuid", buf, sizeof(buf));

		if (n < 0 ? n != -ENOENT && n != -ENODEV
			  : n && strcmp(buf, PFM_NULL_SMPL_UUID_TEXT))
			return (void *)(long)n;
	}
	return unused;
}

TEST_F(null, comes_and_goes_while_it_is_asked_for)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + 2 * race_ns();
	int gone = 0, needed = 0;
	pthread_t t[3];
	void *ret;
	size_t i;

	NEED_MODULE();
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		ASSERT_EQ(0, pthread_create(&t[i], NULL, i ? ask_for_it :
					    read_about_it, NULL));
	}
	while (now_ns(CLOCK_MONOTONIC) < end) {
		int err = module_remove("pfm_null");

		if (err == -EWOULDBLOCK) {
			needed++;
			continue;
		}
		ASSERT_EQ(0, err);
		gone++;
		ASSERT_EQ(0, module_insert(self->path));
	}
	stop = true;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		pthread_join(t[i], &ret);
		EXPECT_EQ(0, (long)ret);
	}
	TH_LOG("%d times gone, %d times needed", gone, needed);
}

/* ------------------------------------------------------------------------
 * Loaded on demand: we are the kernel's modprobe, by another name
 */

#define HELPER	"/tmp/pfm-modprobe-"

FIXTURE(demand) {
	char modprobe[PATH_MAX], hardened[16];
	char helper[64], conf[80], log[80];
	bool ready;
};

static void put_text(const char *path, const char *text)
{
	int fd = (int)MUST(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
				0644));

	MUST(write(fd, text, strlen(text)));
	close(fd);
}

/*
 * The helper is a link to this program, which finds what to insert in HELPER's
 * .conf, and writes what it was asked for into .log.
 */
FIXTURE_SETUP(demand)
{
	char exe[PATH_MAX] = "", path[PATH_MAX];

	if (!is_root() || !module_path("null", path, sizeof(path)))
		return;
	if (have_format("null"))
		module_away("null");
	if (have_format("null"))
		return;
	MUST(read_text(MODPROBE, self->modprobe, sizeof(self->modprobe)));
	MUST(read_text(HARDENED, self->hardened, sizeof(self->hardened)));
	snprintf(self->helper, sizeof(self->helper), HELPER "%d", getpid());
	snprintf(self->conf, sizeof(self->conf), "%s.conf", self->helper);
	snprintf(self->log, sizeof(self->log), "%s.log", self->helper);
	MUST(readlink("/proc/self/exe", exe, sizeof(exe) - 1));
	if (path[0] != '/') {
		char top[PATH_MAX];

		if (!getcwd(top, sizeof(top)) ||
		    strlen(top) + strlen(path) + 2 > sizeof(path))
			die("no working directory");
		memmove(path + strlen(top) + 1, path, strlen(path) + 1);
		memcpy(path, top, strlen(top));
		path[strlen(top)] = '/';
	}
	unlink(self->helper);
	MUST(symlink(exe, self->helper));
	put_text(self->conf, path);
	put_text(self->log, "");
	set_modprobe(self->helper);
	self->ready = true;
}

FIXTURE_TEARDOWN(demand)
{
	if (!self->ready)
		return;
	set_modprobe(self->modprobe);
	MUST(write_text(HARDENED, self->hardened));
	unlink(self->helper);
	unlink(self->conf);
	unlink(self->log);
	module_away("null");
}

#define NEED_DEMAND()							\
do {									\
	if (!self->ready)						\
		SKIP(return, "%s: needs root, and the module null",	\
		     _metadata->name);					\
} while (0)

/* The helper: modprobe -q -- NAME. */
static int modprobe(char **argv, const char *name)
{
	char path[PATH_MAX], log[80], conf[80];
	int fd;

	snprintf(log, sizeof(log), "%s.log", argv[0]);
	snprintf(conf, sizeof(conf), "%s.conf", argv[0]);
	fd = open(log, O_WRONLY | O_APPEND);
	if (fd < 0 || dprintf(fd, "%s\n", name) < 0 ||
	    read_text(conf, path, sizeof(path)) < 0)
		return 1;
	if (strcmp(name, "perfmon-fmt-" PFM_NULL_SMPL_UUID_TEXT))
		return 1;
	return module_insert(path) ? 1 : 0;
}

/* As root, as nobody or as nobody with @cap: 0 or an errno. */
static int demand_as(bool root, int cap, const pfm_uuid_t uuid)
{
	pfm_null_smpl_arg_t arg = {};
	pid_t pid = fork_child();
	int fd;

	if (pid)
		return reap(pid);
	if (!root && cap) {
		struct __user_cap_header_struct h = {
			.version = _LINUX_CAPABILITY_VERSION_3,
		};
		struct __user_cap_data_struct d[2] = {};

		MUST(prctl(PR_SET_KEEPCAPS, 1));
		become(NOBODY);
		d[cap / 32].permitted = d[cap / 32].effective =
			1U << (cap % 32);
		MUST(syscall(SYS_capset, &h, d));
	} else if (!root) {
		become(NOBODY);
	}
	fd = smpl_create(uuid, 0, &arg, sizeof(arg), NULL);
	_exit(fd < 0 ? -fd : 0);
}

static void check_asked_for(struct __test_metadata *_metadata,
			    FIXTURE_DATA(demand) *f, const char *what)
{
	char log[4096];

	MUST(read_text(f->log, log, sizeof(log)));
	EXPECT_STREQ(what, log);
}

#define NULL_ALIAS	"perfmon-fmt-" PFM_NULL_SMPL_UUID_TEXT

TEST_F(demand, by_root)
{
	NEED_DEMAND();
	harden(true);
	EXPECT_EQ(0, demand_as(true, 0, null_uuid));
	check_asked_for(_metadata, self, NULL_ALIAS);
	EXPECT_TRUE(have_format("null"));
	/* It is there: nobody is asked again. */
	EXPECT_EQ(0, demand_as(true, 0, null_uuid));
	EXPECT_EQ(0, demand_as(false, 0, null_uuid));
	check_asked_for(_metadata, self, NULL_ALIAS);
}

TEST_F(demand, by_a_user)
{
	NEED_DEMAND();
	harden(true);
	EXPECT_EQ(EINVAL, demand_as(false, 0, null_uuid));
	check_asked_for(_metadata, self, "");
	EXPECT_FALSE(have_format("null"));
	harden(false);
	EXPECT_EQ(0, demand_as(false, 0, null_uuid));
	check_asked_for(_metadata, self, NULL_ALIAS);
	EXPECT_TRUE(have_format("null"));
}

TEST_F(demand, by_a_capable_user)
{
	static const int caps[] = { CAP_PERFMON, CAP_SYS_MODULE };
	size_t i;

	NEED_DEMAND();
	harden(true);
	for (i = 0; i < ARRAY_SIZE(caps); i++) {
		EXPECT_EQ(0, demand_as(false, caps[i], null_uuid));
		EXPECT_TRUE(have_format("null"));
		module_away("null");
	}
	check_asked_for(_metadata, self, NULL_ALIAS "\n" NULL_ALIAS);
}

/* In the order of bytes in which uuidgen prints them. */
TEST_F(demand, for_something_unknown)
{
	char text[64] = "perfmon-fmt-";
	pfm_uuid_t uuid;
	int i;

	NEED_DEMAND();
	for (i = 0; i < 16; i++)
		uuid[i] = (unsigned char)(i * 0x11);
	uuid_text(uuid, text + strlen(text));
	EXPECT_EQ(EINVAL, demand_as(true, 0, uuid));
	check_asked_for(_metadata, self, text);
}

TEST_F(demand, in_vain)
{
	NEED_DEMAND();
	put_text(self->conf, "/nonexistent");
	EXPECT_EQ(EINVAL, demand_as(true, 0, null_uuid));
	check_asked_for(_metadata, self, NULL_ALIAS);
	set_modprobe("/nonexistent");
	EXPECT_EQ(EINVAL, demand_as(true, 0, null_uuid));
	EXPECT_FALSE(have_format("null"));
}

static void *demand_it(void *ret)
{
	int fd = null_create(0, (pfm_null_smpl_arg_t){}, NULL);

	*(int *)ret = fd;
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* Whoever of them is first, all get what they asked for. */
TEST_F(demand, by_many_at_once)
{
	pthread_t t[8];
	int fd[8], round;
	size_t i;

	NEED_DEMAND();
	for (round = 0; round < 3; round++) {
		for (i = 0; i < ARRAY_SIZE(t); i++) {
			ASSERT_EQ(0, pthread_create(&t[i], NULL, demand_it,
						    &fd[i]));
		}
		for (i = 0; i < ARRAY_SIZE(t); i++) {
			pthread_join(t[i], NULL);
			EXPECT_LE(0, fd[i]);
		}
		module_away("null");
	}
}

int main(int argc, char **argv)
{
	if (!strncmp(argv[0], HELPER, strlen(HELPER)))
		return modprobe(argv, argv[argc - 1]);
	return test_harness_run(argc, argv);
}
