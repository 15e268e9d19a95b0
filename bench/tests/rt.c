// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the bare-metal tests of the PMU models share
 *
 * Lines go to the first serial port, the verdict to isa-debug-exit at port 0xf4.
 */
#include "rt.h"

#define APIC(reg) (*(volatile u32 *)(0xfee00000u + (reg)))

struct frame {
	u32 es, ds, edi, esi, ebp, esp, ebx, edx, ecx, eax, number, error;
	u32 eip, cs, eflags;
};

extern u32 entries[65], resume;
extern char tss[], tss_descriptor[], user_return[], fault[];
void setup(void);
void interrupt(struct frame *frame);

volatile u32 nr_pmis;
void (*on_pmi)(void);
static struct { uint16_t low, selector, type, high; } idt[66];

static void outb(uint16_t port, uint8_t val)
{
	asm volatile("outb %0, %1" : : "a" (val), "Nd" (port));
}

void put_char(char c)
{
	outb(0x3f8, c);
}

void leave(bool failed)
{
	outb(0xf4, failed);
	for (;;)
		asm volatile("cli; hlt");
}

struct cpuid cpuid_sub(u32 leaf, u32 sub)
{
	struct cpuid r;

	asm volatile("cpuid" : "=a" (r.eax), "=b" (r.ebx), "=c" (r.ecx), "=d" (r.edx)
		     : "a" (leaf), "c" (sub));
	return r;
}

struct cpuid cpuid(u32 leaf)
{
	return cpuid_sub(leaf, 0);
}

void lvtpc(u32 val) { APIC(0x340) = val; }
u32 lvtpc_read(void) { return APIC(0x340); }
void apic_eoi(void) { APIC(0xb0) = 0; }

void interrupt(struct frame *frame)
{
	if (frame->number == 2 || frame->number == LVT_VECTOR) {
		nr_pmis++;
		if (on_pmi)
			on_pmi();
		if (frame->number == LVT_VECTOR)
			apic_eoi();
		return;
	}
	if (frame->cs & 3) {
		/* A fault in user mode ends what ran there; so does int $0x41. */
		frame->eax = frame->number;
	} else if (resume) {
		frame->eip = resume;
		frame->eax = frame->number;
		return;
	} else {
		put("FAIL fault ");
		put_hex(frame->number);
		put(" at ");
		put_hex(frame->eip);
		put("\n");
		finish(1);
	}
	asm volatile("mov %0, %%eax; jmp user_return" : : "r" (frame->eax) : "eax");
}

static void gate(int i, u32 address, int dpl)
{
	idt[i].low = address;
	idt[i].selector = 8;
	idt[i].type = 0x8e00 | dpl << 13;
	idt[i].high = address >> 16;
}

void setup(void)
{
	struct { uint16_t size; u32 address; } __attribute__((packed)) pointer = {
		sizeof(idt) - 1, (u32)idt
	};
	u32 base = (u32)tss;
	int i;

	for (i = 0; i < 65; i++)
		gate(i, entries[i], 0);
	gate(65, (u32)user_return, 3);
	asm volatile("lidt %0" : : "m" (pointer));
	tss_descriptor[2] = base;
	tss_descriptor[3] = base >> 8;
	tss_descriptor[4] = base >> 16;
	tss_descriptor[7] = base >> 24;

	/* The firmware left the timer running: no interrupts of the old kind. */
	outb(0x21, 0xff);
	outb(0xa1, 0xff);
	/* The first serial port needs no setting up. The local APIC, enabled: */
	if (cpuid(1).edx & 1 << 9)
		APIC(0xf0) = 0x1ff;
	lvtpc(LVT_MASKED);
}
