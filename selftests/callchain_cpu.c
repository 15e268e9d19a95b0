// SPDX-License-Identifier: GPL-2.0-only
/*
 * MAP records of a whole CPU (6.3.2): those of all threads that run there, and of no
 * other CPU's; and of a thread that is monitored itself, too. Not here: what is in a record, and EXEC records (callchain.c).
 */
#include "sampling.h"
#include <perfmon/callchain_smpl.h>

#define LEN	(3 * page_size())

/*
 * A process on @cpu that maps its own program once, executable; when there is something
 * to read from @go, unless that is -1.
 */
static pid_t map_there(int cpu, int go)
{
	pid_t pid = fork_child();

	if (!pid) {
		int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
		char c;

		pin_cpu(cpu);
		if (go >= 0 && read(go, &c, 1) != 1)
			_exit(2);
		if (mmap(NULL, LEN, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) ==
		    MAP_FAILED)
			_exit(1);
		_exit(0);
	}
	return pid;
}

static unsigned int maps_of(const pfm_callchain_smpl_hdr_t *h, pid_t pid)
{
	const char *pos = (const char *)(h + 1);
	unsigned int n = 0;
	u64 i;

	for (i = 0; i < h->hdr_count; i++) {
		const pfm_callchain_smpl_map_t *m = (const void *)pos;

		n += m->type == PFM_CALLCHAIN_SMPL_MAP && m->pid == pid &&
		     m->len == LEN;
		pos += m->size;
	}
	return n;
}

/* A context that records maps, and its buffer. */
static int maps_context(u32 ctx_flags, const pfm_callchain_smpl_hdr_t **h)
{
	static const pfm_uuid_t uuid = PFM_CALLCHAIN_SMPL_UUID;
	pfm_callchain_smpl_arg_t arg = {
		.buf_size = 1 << 20, .buf_flags = PFM_CALLCHAIN_SMPL_MAPS,
	};
	u64 size;
	int fd;

	fd = (int)MUST(smpl_create(uuid, ctx_flags, &arg, sizeof(arg), &size));
	*h = buf_map(fd, size);
	return fd;
}

TEST(maps_of_this_cpu)
{
	const pfm_callchain_smpl_hdr_t *h;
	struct format_module m;
	pid_t here, there;
	int fd, cpus[2];

	NEED_ROOT();
	NEED_CPUS(cpus, 2);
	format_get(&m, "callchain");
	NEED_FORMAT(&m);
	pin_cpu(cpus[0]);
	fd = maps_context(PFM_FL_SYSTEM_WIDE, &h);
	attach(fd, my_tid());
	here = map_there(cpus[0], -1);
	EXPECT_EQ(0, reap(here));
	there = map_there(cpus[1], -1);
	EXPECT_EQ(0, reap(there));
	MUST(pfm_stop(fd));
	EXPECT_EQ(1U, maps_of(h, here));
	EXPECT_EQ(0U, maps_of(h, there));
	EXPECT_EQ(0ULL, h->hdr_lost_maps);
	close(fd);
	format_put(&m);
}

/* The thread's own context and the CPU's: both hear of it. */
TEST(maps_of_both)
{
	const pfm_callchain_smpl_hdr_t *h[2];
	struct format_module m;
	int fd[2], go[2], i, cpu;
	pid_t pid;

	NEED_ROOT();
	format_get(&m, "callchain");
	NEED_FORMAT(&m);
	cpu = pin_somewhere();
	MUST(pipe(go));
	pid = map_there(cpu, go[0]);
	fd[0] = maps_context(PFM_FL_SYSTEM_WIDE, &h[0]);
	fd[1] = maps_context(0, &h[1]);
	attach(fd[0], my_tid());
	attach(fd[1], pid);
	MUST(write(go[1], "", 1));
	EXPECT_EQ(0, reap(pid));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(1U, maps_of(h[i], pid));
		close(fd[i]);
	}
	format_put(&m);
}

TEST_HARNESS_MAIN
