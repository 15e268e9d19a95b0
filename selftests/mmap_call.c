// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which mmap() of a sampling buffer is accepted (3.5.4), and the buffer that
 * is not mapped (figure 3.24).
 *
 * Not here: MAP_EXECUTABLE, which 3.5.4 refuses, never gets as far as us:
 * Linux ignores it.
 */
#include "mapping.h"
#include <sys/personality.h>

/* ------------------------------------------------------------------------
 * What mmap() accepts
 */

TEST_F(mapping, whole_shared_read_only)
{
	char line[512], *at;
	FILE *f;

	map(self);
	EXPECT_EQ(0ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
	EXPECT_TRUE(all_bytes(self->s.hdr + 1, self->s.size -
			      sizeof(dfl_hdr_t), 0));
	EXPECT_EQ(0UL, (uintptr_t)self->s.hdr % self->page);
	f = fopen("/proc/self/maps", "re");
	ASSERT_NE(NULL, f);
	do {
		ASSERT_NE(NULL, fgets(line, sizeof(line), f));
	} while (!strstr(line, "[perfmon]"));
	fclose(f);
	at = strchr(line, ' ');
	ASSERT_NE(NULL, at);
	EXPECT_EQ(0, strncmp(at, " r--s 00000000 ", 15)) {
		TH_LOG("%s", line);
	}
	EXPECT_EQ(0, munmap((void *)self->s.hdr, (size_t)self->s.size));
	/* A page table that is ready from the beginning makes no difference. */
	EXPECT_EQ(0, try_mmap(self->s.fd, (size_t)self->s.size, PROT_READ,
			      MAP_SHARED | MAP_POPULATE, 0));
}

TEST_F(mapping, sizes)
{
	size_t size = (size_t)self->s.size, n;

	for (n = self->page; n <= 3 * size; n += self->page) {
		EXPECT_EQ(n == size ? 0 : EINVAL,
			  try_mmap(self->s.fd, n, PROT_READ, MAP_SHARED, 0)) {
			TH_LOG("%zu of %zu bytes", n, size);
		}
	}
	EXPECT_EQ(EINVAL, try_mmap(self->s.fd, 0, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(0, count_mappings());
}

TEST_F(mapping, offsets)
{
	size_t size = (size_t)self->s.size;
	unsigned int n;

	for (n = 1; n <= N_PAGES; n++) {
		off_t offset = (off_t)(n * self->page);

		EXPECT_EQ(EINVAL, try_mmap(self->s.fd, size, PROT_READ,
					   MAP_SHARED, offset));
		EXPECT_EQ(EINVAL, try_mmap(self->s.fd, size - n * self->page ?
					   size - n * self->page : self->page,
					   PROT_READ, MAP_SHARED, offset));
	}
	EXPECT_EQ(EINVAL, try_mmap(self->s.fd, size, PROT_READ, MAP_SHARED,
				   (off_t)1 << 30));
}

TEST_F(mapping, protections_and_flags)
{
	static const struct {
		int prot, flags;
	} t[] = {
		{ PROT_NONE, MAP_SHARED },
		{ PROT_WRITE, MAP_SHARED },
		{ PROT_EXEC, MAP_SHARED },
		{ PROT_READ | PROT_WRITE, MAP_SHARED },
		{ PROT_READ | PROT_EXEC, MAP_SHARED },
		{ PROT_WRITE | PROT_EXEC, MAP_SHARED },
		{ PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED },
		{ PROT_READ, MAP_PRIVATE },
		{ PROT_READ | PROT_WRITE, MAP_PRIVATE },
		{ PROT_NONE, MAP_PRIVATE },
		{ PROT_READ | PROT_EXEC, MAP_PRIVATE },
		{ PROT_READ, MAP_SHARED | MAP_LOCKED },
		{ PROT_READ, MAP_SHARED | MAP_GROWSDOWN },
		{ PROT_READ, MAP_PRIVATE | MAP_GROWSDOWN },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		EXPECT_EQ(EINVAL, try_mmap(self->s.fd, (size_t)self->s.size,
					   t[i].prot, t[i].flags, 0)) {
			TH_LOG("protection %#x, flags %#x", t[i].prot,
			       t[i].flags);
		}
	}
	EXPECT_EQ(0, count_mappings());
	/* And no refusal left anything behind. */
	map(self);
}

/* "Everything from now on" is not what was asked for this mapping. */
TEST_F(mapping, mlockall)
{
	pid_t pid = fork_child();

	if (!pid) {
		if (mlockall(MCL_FUTURE))
			_exit(97);
		map(self);
		_exit(self->s.hdr->hdr_buf_size == self->s.size ? 0 : 1);
	}
	EXPECT_EQ(0, reap(pid));
}

/* Where all that is readable would be executable, it cannot be mapped. */
TEST_F(mapping, read_implies_exec)
{
	int old = personality(0xffffffff), ret;

	MUST(personality((unsigned long)old | READ_IMPLIES_EXEC));
	ret = try_mmap(self->s.fd, (size_t)self->s.size, PROT_READ, MAP_SHARED,
		       0);
	MUST(personality((unsigned long)old));
	EXPECT_EQ(EINVAL, ret);
}

TEST_F(mapping, without_a_buffer)
{
	int fd = (int)MUST(pfm_create(0));

	EXPECT_EQ(EINVAL, try_mmap(fd, self->page, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(EINVAL, try_mmap(fd, (size_t)self->s.size, PROT_READ,
				   MAP_SHARED, 0));
}

static void *try_in_thread(void *arg)
{
	FIXTURE_DATA(mapping) *m = arg;

	return (void *)(long)try_mmap(m->s.fd, (size_t)m->s.size, PROT_READ,
				      MAP_SHARED, 0);
}

/* "The buffer can only be mapped once inside a process." */
TEST_F(mapping, once_in_a_process)
{
	size_t size = (size_t)self->s.size;
	int copy = dup(self->s.fd);
	pthread_t t;
	void *ret;

	map(self);
	EXPECT_EQ(EBUSY, try_mmap(self->s.fd, size, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(EBUSY, try_mmap(copy, size, PROT_READ, MAP_SHARED, 0));
	ASSERT_EQ(0, pthread_create(&t, NULL, try_in_thread, self));
	pthread_join(t, &ret);
	EXPECT_EQ(EBUSY, (long)ret);
	EXPECT_EQ(1, count_mappings());
	/* Another buffer is another matter. */
	sampler_open(&(struct sampler){}, 0, size, 0);
	EXPECT_EQ(2, count_mappings());
}

TEST_F(mapping, again_after_munmap)
{
	int n;

	for (n = 0; n < 20; n++) {
		map(self);
		EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
		ASSERT_EQ(0, munmap((void *)self->s.hdr,
				    (size_t)self->s.size));
		EXPECT_EQ(-SIGSEGV, read_in_child(self->s.hdr));
	}
}

/* ------------------------------------------------------------------------
 * The buffer without its mapping (figure 3.24)
 */

/* Samples come in all the same, and are there when one looks. */
TEST_F(mapping, samples_without_a_mapping)
{
	u64 n;

	sample_faults(self->s.fd, 0, 1, 0, 0);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 20);
	map(self);
	EXPECT_EQ(20ULL, self->s.hdr->hdr_count);
	ASSERT_EQ(0, munmap((void *)self->s.hdr, (size_t)self->s.size));
	puppet_do(&self->p, OP_FAULT, 20);
	map(self);
	ASSERT_EQ(40ULL, self->s.hdr->hdr_count);
	for (n = 0; n < 40; n++)
		EXPECT_EQ(self->p.tid, nth(&self->s, n, 0)->tid);
}

/* No other context's samples: a buffer is zeroed, however often it was used. */
TEST_F(mapping, zeroed)
{
	int round;

	for (round = 0; round < 10; round++) {
		struct sampler s;

		sampler_open(&s, 0, 65536 + 100, 0);
		ASSERT_EQ(page_align(65536 + 100), s.size);
		ASSERT_TRUE(all_bytes(s.hdr + 1, s.size - sizeof(dfl_hdr_t),
				      0));
		/* Values without a zero byte, to the last page. */
		MUST(pfm_write_pmd(s.fd, SW_PMD(1), ~0ULL));
		sample_faults(s.fd, 0, 1, 0, 0xfe | PMD(PFM_VPMD_CLOCK));
		attach(s.fd, self->p.tid);
		puppet_do(&self->p, OP_FAULT, 1000);
		EXPECT_TRUE(pfm_state_is(s.fd, "masked"));
		sampler_close(&s);
	}
}

TEST_HARNESS_MAIN
