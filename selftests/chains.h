/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of the formats with call chains have in common: functions whose
 * chains are known, and mappings that such formats record.
 */
#ifndef CHAINS_H
#define CHAINS_H

#include "sampling.h"
#include <perfmon/callchain_smpl.h>

#include <sys/utsname.h>

typedef pfm_callchain_smpl_rec_t rec_t;
typedef pfm_callchain_smpl_sample_t sample_t;
typedef pfm_callchain_smpl_map_t map_t;
typedef pfm_callchain_smpl_exec_t exec_t;
typedef pfm_callchain_smpl_lost_t lost_t;

static inline u64 largest(unsigned int depth, unsigned int parts)
{
	return sizeof(sample_t) + 8 * (num_impl_pmds() + parts * depth);
}

static inline bool is_kernel(u64 addr)
{
	struct utsname u;

	MUST(uname(&u));
	return strstr(u.machine, "64") ? addr >> 63 : addr >= 0xc0000000;
}

/* ------------------------------------------------------------------------
 * Functions with frame pointers, that know where they return to
 */

#pragma GCC push_options
#pragma GCC optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")
#pragma GCC optimize("no-shrink-wrap")

static struct pages pages;
static u64 leaf_return, middle_return, outer_return;

static inline u64 address(const void *p)
{
	return (u64)(uintptr_t)p;
}

static __attribute__((noipa, unused)) void leaf(unsigned int n)
{
	leaf_return = address(__builtin_return_address(0));
	pages_touch(&pages, n);
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noipa, unused)) void middle(unsigned int n)
{
	middle_return = address(__builtin_return_address(0));
	leaf(n);
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noipa, unused)) void outer(unsigned int n)
{
	outer_return = address(__builtin_return_address(0));
	middle(n);
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noipa, unused)) void descend(unsigned int depth, unsigned int n)
{
	if (depth)
		descend(depth - 1, n);
	else
		leaf(n);
	__asm__ volatile("" : : : "memory");
}

#pragma GCC pop_options

static inline bool in_leaf(u64 ip)
{
	return ip >= code_of(leaf) && ip < code_of(leaf) + 512;
}

/* ------------------------------------------------------------------------
 * Mappings
 */

static inline void *map_exe(int prot, int flags, size_t offset)
{
	int fd = (int)MUST(open("/proc/self/exe", O_RDONLY));
	void *p = mmap(NULL, page_size(), prot, flags, fd, (off_t)offset);

	if (p == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	close(fd);
	return p;
}

#define RX	(PROT_READ | PROT_EXEC)

#endif /* CHAINS_H */
