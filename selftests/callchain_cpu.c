// SPDX-License-Identifier: GPL-2.0-only
/*
 * MAP records of a whole CPU (6.3.2): those of all threads that run there, and of no
 * other CPU's. Not here: what is in a record, and EXEC records (callchain.c).
 */
#include "smpl.h"
#include <perfmon/callchain_smpl.h>

#define LEN	(3 * page_size())

/* A process on @cpu that maps its own program once, executable. */
static pid_t map_there(int cpu)
{
	pid_t pid = fork_child();

	if (!pid) {
		int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

		pin_cpu(cpu);
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

TEST(maps_of_this_cpu)
{
	static const pfm_uuid_t uuid = PFM_CALLCHAIN_SMPL_UUID;
	pfm_callchain_smpl_arg_t arg = {
		.buf_size = 1 << 20, .buf_flags = PFM_CALLCHAIN_SMPL_MAPS,
	};
	const pfm_callchain_smpl_hdr_t *h;
	struct format_module m;
	pid_t here, there;
	int fd, cpus[2];
	u64 size;

	NEED_ROOT();
	NEED_CPUS(cpus, 2);
	format_get(&m, "callchain");
	NEED_FORMAT(&m);
	pin_cpu(cpus[0]);
	fd = (int)MUST(smpl_create(uuid, PFM_FL_SYSTEM_WIDE, &arg, sizeof(arg), &size));
	h = buf_map(fd, size);
	attach(fd, my_tid());
	here = map_there(cpus[0]);
	EXPECT_EQ(0, reap(here));
	there = map_there(cpus[1]);
	EXPECT_EQ(0, reap(there));
	MUST(pfm_stop(fd));
	EXPECT_EQ(1U, maps_of(h, here));
	EXPECT_EQ(0U, maps_of(h, there));
	EXPECT_EQ(0ULL, h->hdr_lost_maps);
	close(fd);
	format_put(&m);
}

TEST_HARNESS_MAIN
