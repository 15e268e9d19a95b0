// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the frequency of the time stamp counter of this machine's CPUs, in kHz.
 *
 * QEMU's guests of x86 see the same counter. Linux measures it against the emulated timer
 * (i8254) when it boots. Where other programs have the host's CPUs meanwhile, it may take
 * a frequency for good that is 5 or 80 times too low, and then its clock is as much too fast.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct moment {
	uint64_t tsc;
	int64_t ns;
};

/* Of many readings of both clocks the one that was interrupted least. */
static struct moment now(void)
{
	struct moment best = {};
	uint64_t least = UINT64_MAX;
	int i;

	for (i = 0; i < 1000; i++) {
		struct timespec time;
		uint64_t before = __rdtsc(), after;

		clock_gettime(CLOCK_MONOTONIC, &time);
		after = __rdtsc();
		if (after - before < least) {
			least = after - before;
			best.tsc = before + least / 2;
			best.ns = time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
		}
	}
	return best;
}

int main(void)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	struct moment begin = now(), end;

	nanosleep(&pause, NULL);
	end = now();
	printf("%" PRIu64 "\n",
	       (end.tsc - begin.tsc) * 1000000 / (uint64_t)(end.ns - begin.ns));
	return 0;
}
