// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program without frame pointers: main() has called mid(), and that aaa().
 *
 *	frames		says on standard output, for datafile.py, where it is: registers and
 *			stack are those of an instruction of aaa() that none can execute
 *	frames ROUNDS	computes in aaa(), a million additions in each round
 */
#define _GNU_SOURCE
#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK	4096

static volatile int sink;

#ifdef __x86_64__
static const int order[] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R9,
	REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};
static const int sp = REG_RSP;
static const int machine = EM_X86_64;
#elif defined(__i386__)
static const int order[] = {
	REG_EAX, REG_ECX, REG_EDX, REG_EBX, REG_ESP, REG_EBP, REG_ESI, REG_EDI, REG_EIP,
};
static const int sp = REG_ESP;
static const int machine = EM_386;
#else
#error there are no registers of this machine
#endif

/* Of the bytes from the stack pointer up there are as many as the stack has. */
static void print_stack(const unsigned char *at, uintptr_t end)
{
	unsigned int i;

	for (i = 0; i < STACK && (uintptr_t)at + i < end; i++)
		printf("%02x", at[i]);
}

/* The first mapping of code, and where the stack ends. */
static uintptr_t print_maps(void)
{
	uintmax_t start, end, offset, last = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4096], access[8], path[4096];

	while (f && fgets(line, sizeof(line), f)) {
		*path = '\0';
		if (sscanf(line, "%jx-%jx %7s %jx %*s %*s %4095s", &start, &end, access, &offset,
			   path) < 4)
			continue;
		if (strchr(access, 'x') && *path == '/')
			printf("map %jx %jx %jx %s\n", start, end, offset, path);
		if (!strcmp(path, "[stack]"))
			last = end;
	}
	return (uintptr_t)last;
}

static void caught(int signal, siginfo_t *info, void *context)
{
	const greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
	uintptr_t end = print_maps();
	size_t i;

	(void)signal;
	(void)info;
	printf("machine %d\nregisters", machine);
	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		printf(" %" PRIxPTR, (uintptr_t)reg[order[i]]);
	printf("\nstack ");
	print_stack((const unsigned char *)(uintptr_t)reg[sp], end);
	printf("\n");
	fflush(stdout);
	_exit(0);
}

__attribute__((noinline, noclone)) int aaa(int rounds)
{
	if (!rounds)
		__asm__ volatile("ud2");
	while (rounds--)
		for (int i = 0; i < 1000000; i++)
			sink += i;
	return sink;
}

__attribute__((noinline, noclone)) int mid(int rounds)
{
	return aaa(rounds) + sink;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = caught, .sa_flags = SA_SIGINFO };

	if (sigaction(SIGILL, &action, NULL))
		return 1;
	return mid(argc > 1 ? atoi(argv[1]) : 0) == 7;
}
