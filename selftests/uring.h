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
	unsigned int *sq_tail, *sq_array, sq_mask;
	unsigned int *cq_head, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
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
	/* Linux 5.4 and later have both rings in one mapping. */
	ring = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(*u->cqes),
		    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, u->fd, IORING_OFF_SQ_RING);
	u->sqes = mmap(NULL, p.sq_entries * sizeof(*u->sqes), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, u->fd, IORING_OFF_SQES);
	if (ring == MAP_FAILED || u->sqes == MAP_FAILED)
		die("mmap of io_uring");
	u->sq_tail = (void *)(ring + p.sq_off.tail);
	u->sq_array = (void *)(ring + p.sq_off.array);
	u->sq_mask = p.sq_entries - 1;
	u->cq_head = (void *)(ring + p.cq_off.head);
	u->cq_mask = p.cq_entries - 1;
	u->cqes = (void *)(ring + p.cq_off.cqes);
	return 0;
}

/* Has a worker read @size bytes to @to. How many it has read, or -errno. */
static inline int uring_read(struct uring *u, char *to, size_t size)
{
	unsigned int tail = *u->sq_tail, head = *u->cq_head, i = tail & u->sq_mask;

	u->sqes[i] = (struct io_uring_sqe) {
		.opcode = IORING_OP_READ,
		.flags = IOSQE_ASYNC,
		.fd = u->zero,
		.addr = (uintptr_t)to,
		.len = (__u32)size,
	};
	u->sq_array[i] = i;
	__atomic_store_n(u->sq_tail, tail + 1, __ATOMIC_RELEASE);
	MUST(syscall(__NR_io_uring_enter, u->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0));
	i = (unsigned int)u->cqes[head & u->cq_mask].res;
	__atomic_store_n(u->cq_head, head + 1, __ATOMIC_RELEASE);
	return (int)i;
}

/* Workers fill @pages of memory that nobody has touched: each is a page fault of theirs. */
static inline void uring_touch(struct uring *u, size_t pages)
{
	size_t size = pages * (size_t)sysconf(_SC_PAGESIZE), done = 0;
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret;

	if (mem == MAP_FAILED)
		die("mmap");
	madvise(mem, size, MADV_NOHUGEPAGE);
	while (done < size) {
		ret = uring_read(u, mem + done, size - done);
		if (ret <= 0)
			die("io_uring read %zu bytes, then %d", done, ret);
		done += (size_t)ret;
	}
	munmap(mem, size);
}

#endif /* URING_H */
