// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the bare-metal tests of PowerPC's PMU models share
 *
 * With 32 bits, lines go to port 0x3f8, the verdict to isa-debug-exit at port 0xf4. With
 * 64, lines go to the hypervisor's terminal, and power is switched off.
 */
#include "rt.h"

void setup(void);
void interrupt(struct frame *frame);

volatile u32 nr_pmis, nr_decrementers, nr_programs, seen_by_user;
volatile word pmi_at;
void (*on_pmi)(void);
bool skip_programs;

#ifdef __powerpc64__
#define PUT_TERM_CHAR	0x58
#define TERMINAL	0x30000000
#define RTAS		0xf000
#define POWER_OFF	0x2003

void put_char(char c)
{
	hypercall(PUT_TERM_CHAR, TERMINAL, 1, (word)c << 56, 0);
}

void leave(bool failed)
{
	static u32 call[] = { POWER_OFF, 2, 1, 0, 0, 0 };

	(void)failed;
	hypercall(RTAS, (word)call, 0, 0, 0);
	for (;;)
		;
}

static word user_end(void)
{
	return 0;
}

void setup(void)
{
}
#else
#define PORT(n)	(*(volatile uint8_t *)(0x80000000u + (n)))

void put_char(char c)
{
	PORT(0x3f8) = c;
}

void leave(bool failed)
{
	PORT(0xf4) = failed;
	for (;;)
		;
}

static word user_end(void)
{
	return (word)user_return;
}

void setup(void)
{
	/* The machine's timer runs: no interrupts of the old kind. */
	PORT(0x21) = 0xff;
	PORT(0xa1) = 0xff;
}
#endif

void interrupt(struct frame *frame)
{
	if (frame->number == PMI) {
		nr_pmis++;
		pmi_at = frame->srr0;
		if (on_pmi)
			on_pmi();
	} else if (frame->number == DECREMENTER) {
		nr_decrementers++;
		asm volatile("mtdec %0" : : "r" (0x7fffffff));
	} else if (frame->srr1 & MSR_PR) {
		/* sc, or a fault, ends what ran in user mode. */
		frame->r[3] = frame->number;
		frame->srr0 = user_end();
		frame->srr1 = mfmsr();
	} else if (frame->number == PROGRAM && skip_programs) {
		nr_programs++;
		frame->srr0 += 4;
	} else {
		put("FAIL exception ");
		put_hex(frame->number);
		put(" at ");
		put_hex(frame->srr0);
		put("\n");
		finish(1);
	}
}
