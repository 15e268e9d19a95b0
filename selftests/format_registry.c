// SPDX-License-Identifier: GPL-2.0-only
/*
 * Formats that come and go as modules: the list in sysfs (3.5.2), which an
 * ordinary user can read; registration, and modules that are removed while
 * contexts ask for them.
 *
 * What needs the module is skipped if the kernel's build is not where it is
 * expected. Not here: formats that are loaded on demand (format_modprobe.c).
 */
#include "null_format.h"

#define FORMATS		SYSFS "/formats"

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
 * The null format
 */

#define NEED_MODULE()							\
do {									\
	NEED_FORMAT(&self->m);						\
	if (!self->m.inserted)						\
		SKIP(return, "%s: the format null is there for good",	\
		     _metadata->name);					\
} while (0)

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

/* A context keeps its module, also if only a child or a mapping is left of it. */
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

/* A format whose buffer is its own, or that has none, may be used at any limit. */
TEST_F(null, without_a_buffer_at_the_limit)
{
	pfarg_config_t old = {}, cf;
	u64 size;
	int full, with, without;

	NEED_FORMAT(&self->m);
	MUST(pfm(-1, PFM_GET_CONFIG, &old, 1));
	cf = old;
	cf.cf_smpl_buf_size_max = self->before + 4 * page_size();
	MUST(pfm(-1, PFM_SET_CONFIG, &cf, 1));
	full = dfl_create(0, 4 * page_size(), 0, NULL);
	with = null_create(0, (pfm_null_smpl_arg_t){ .flags = BUFFER }, &size);
	without = null_create(0, (pfm_null_smpl_arg_t){}, &size);
	MUST(pfm(-1, PFM_SET_CONFIG, &old, 1));
	EXPECT_LE(0, full);
	EXPECT_EQ(-ENOMEM, with);
	EXPECT_LE(0, without);
	close(full);
	close(without);
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
 * Coming and going while it is asked for
 */

static volatile bool stop;

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

TEST_HARNESS_MAIN
