/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads of a program that it never made, and that never are at user level: workers of
 * io_uring, which read into its memory.
 */
#ifndef URING_H
#define URING_H

#include "pfm_test.h"

#include <linux/io_uring.h>

#ifndef __NR_io_uring_setup
#define __NR_io_uring_setup	425
#define __NR_io_uring_enter	426
#endif

struct uring {
	int fd, zero;
	unsigned int *sq_tail, *sq_array, mask;
	struct io_uring_sqe *sqes;
};

/* Returns 0, or -errno: -ENOSYS, or -EPERM if the administrator keeps programs from it. */
static inline int uring_open(struct uring *u)
{
	struct io_uring_params p = {};
	char *ring;

	u->fd = (int)syscall(__NR_io_uring_setup, 8, &p);
	if (u->fd < 0)
		return -errno;
	u->zero = (int)MUST(open("/dev/zero", O_RDONLY));
	ring = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof(__u32), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, u->fd, IORING_OFF_SQ_RING);
	u->sqes = mmap(NULL, p.sq_entries * sizeof(*u->sqes), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, u->fd, IORING_OFF_SQES);
	if (ring == MAP_FAILED || u->sqes == MAP_FAILED)
		die("mmap of io_uring");
	u->sq_tail = (void *)(ring + p.sq_off.tail);
	u->sq_array = (void *)(ring + p.sq_off.array);
	u->mask = p.sq_entries - 1;
	return 0;
}

/* A worker fills @pages of memory that nobody has touched: each is a page fault of its own. */
static inline void uring_touch(struct uring *u, size_t pages)
{
	size_t size = pages * (size_t)sysconf(_SC_PAGESIZE);
	unsigned int tail = *u->sq_tail, i = tail & u->mask;
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		die("mmap");
	madvise(mem, size, MADV_NOHUGEPAGE);
	u->sqes[i] = (struct io_uring_sqe) {
		.opcode = IORING_OP_READ,
		.flags = IOSQE_ASYNC,
		.fd = u->zero,
		.addr = (uintptr_t)mem,
		.len = (__u32)size,
	};
	u->sq_array[i] = i;
	__atomic_store_n(u->sq_tail, tail + 1, __ATOMIC_RELEASE);
	/* Back when it is done. */
	MUST(syscall(__NR_io_uring_enter, u->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0));
	munmap(mem, size);
}

#endif /* URING_H */
