// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program of which functions are inlined, in one another and twice in one: what is where,
 * addr2line(1) knows, too.
 */
#include <stdio.h>

#define INLINED	static inline __attribute__((always_inline))
#define FUNCTION	__attribute__((noinline)) int

volatile int sink;

INLINED int innermost(int n)
{
	sink = n;
	return n * sink + 7;
}

INLINED int middle(int n)
{
	int i;

	for (i = 0; i < n; i++)
		sink += innermost(i);
	return sink ^ n;
}

FUNCTION outer(int n)
{
	int sum = middle(n);

	if (sum > 3) {
		int more = innermost(sum);

		sink = more;
	}
	return sum + middle(sum);
}

FUNCTION plain(int n)
{
	sink = n;
	return outer(n) + 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\n", plain(argc));
	return 0;
}
