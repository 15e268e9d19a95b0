// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chains of calls in the kernel, taken in the overflow interrupt of a hardware counter: on
 * x86 and on PowerPC of 64 bits that is an NMI, which finds switches of threads half done,
 * locks held and interrupts' stacks.
 *
 * Not here: chains in a loop of the program's (hw_samples.c); what is in them (callchain.c).
 */
#include "hw_bench.h"
#include "chains.h"

#define PERIOD	10007ULL

TEST(kernel)
{
	static const pfm_uuid_t uuid = PFM_CALLCHAIN_SMPL_UUID;
	pfm_callchain_smpl_arg_t arg = {
		.buf_size = 4 << 20,
		.buf_flags = PFM_CALLCHAIN_SMPL_USER | PFM_CALLCHAIN_SMPL_KERNEL,
	};
	const pfm_callchain_smpl_hdr_t *h;
	u64 size, n = 0, want = 0, deep = 0, user = 0, end;
	struct format_module m;
	char byte[256];
	const char *at;
	int fd, zero;

	NEED_HW_INTERRUPT();
	NEED_ROOT();
	format_get(&m, "callchain");
	NEED_FORMAT(&m);
	zero = (int)MUST(open("/dev/zero", O_RDONLY));
	fd = (int)MUST(smpl_create(uuid, 0, &arg, sizeof(arg), &size));
	h = buf_map(fd, size);
	MUST(hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_KERNEL, 0));
	MUST(pfm_write_period(fd, (__u16)hw_find()->pmd(0, HW_INSTRUCTIONS), -PERIOD, -PERIOD,
			      -PERIOD));
	attach(fd, my_tid());
	end = now_ns(CLOCK_MONOTONIC) + PATIENCE * NSEC_PER_MSEC;
	at = (const char *)(h + 1);
	/*
	 * An overflow's interrupt that comes late, because the host is busy, hits the end of a
	 * system call or the program. PowerPC of 32 bits masks the interrupt in the kernel, and
	 * so takes most of them there. So what is wanted is a number of samples, not a share:
	 * that of a quiet host is over a half.
	 */
	do {
		want += 1000;
		MUST(pfm_start(fd));
		while (h->hdr_count < want && now_ns(CLOCK_MONOTONIC) < end) {
			MUST(read(zero, byte, sizeof(byte)));
			sched_yield();
		}
		MUST(pfm_stop(fd));
		for (; at < (const char *)h + h->hdr_cur_offs; n++) {
			const sample_t *s = (const void *)at;
			const u64 *kernel = (const u64 *)(s + 1) + s->nr_values;
			unsigned int i;

			ASSERT_EQ(PFM_CALLCHAIN_SMPL_SAMPLE, s->type);
			at += s->size;
			/* An interrupt that came late hits the program. */
			EXPECT_EQ(is_kernel(s->ip), s->nr_kernel > 0);
			if (s->nr_kernel)
				EXPECT_EQ(s->ip, kernel[0]);
			for (i = 0; i < s->nr_kernel; i++)
				EXPECT_TRUE(is_kernel(kernel[i]));
			deep += s->nr_kernel > 2;
			/* None amid a change of address spaces. */
			if (s->nr_user)
				EXPECT_FALSE(is_kernel(kernel[s->nr_kernel]));
			user += s->nr_user > 0;
		}
	} while ((deep < 500 || user < 500) && n >= want && want < 5000);
	EXPECT_LE(500ULL, deep);
	EXPECT_LE(500ULL, user);
	TH_LOG("%llu samples, %llu with two callers, %llu with a program", n, deep, user);
	close(zero);
	close(fd);
	format_put(&m);
}

TEST_HARNESS_MAIN
