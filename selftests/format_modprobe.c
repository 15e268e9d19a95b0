// SPDX-License-Identifier: GPL-2.0-only
/*
 * Formats that are loaded on demand: a request for an unknown UUID runs the
 * kernel's modprobe, which for the time of these tests is this program itself,
 * under another name. Needs root.
 */
#include "null_format.h"

#ifndef CAP_SYS_MODULE
#define CAP_SYS_MODULE	16
#endif

static void uuid_text(const pfm_uuid_t uuid, char *text)
{
	int i;

	for (i = 0; i < 16; i++) {
		text += sprintf(text, "%02x", uuid[i]);
		if (i == 3 || i == 5 || i == 7 || i == 9)
			*text++ = '-';
	}
}

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
		MUST(prctl(PR_SET_KEEPCAPS, 1));
		become(NOBODY);
		caps_keep(CAP_BIT(cap));
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
	/* It is registered now: modprobe is not run again. */
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

/* Whichever thread is first, all get what they asked for. */
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
