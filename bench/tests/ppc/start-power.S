/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel for a machine with a PowerPC of 64 bits and QEMU's own boot code: vectors, and
 * what is measured. There is no translation, so that there is no user mode.
 */
#define SRR0	26
#define SRR1	27
#define SPRG0	272
#define SPRG1	273
#define MMCR0	795

	.macro	load reg, value
	lis	\reg, (\value)@ha
	addi	\reg, \reg, (\value)@l
	.endm

	.section .first, "ax"
	.globl	_start
_start:
	/* 64 bits */
	mfmsr	3
	li	4, 1
	sldi	4, 4, 63
	or	3, 3, 4
	mtmsrd	3
	isync
	load	2, .TOC.
	/* The vectors, over the boot code */
	load	3, vectors - 8
	li	4, 0x100 - 8
	li	5, (0x1000 - 0x100) / 8
	mtctr	5
1:	ldu	5, 8(3)
	stdu	5, 8(4)
	bdnz	1b
	load	1, stack_top - 112
	bl	setup
	bl	main
	bl	finish
	b	.

	.macro	vector n
	.balign	0x100
	mtspr	SPRG0, 1
	mtspr	SPRG1, 3
	li	3, \n
	ba	common
	.endm

	.altmacro
	.balign	0x100
vectors:
	.set	n, 1
	.rept	15
	vector	%n
	.set	n, n + 1
	.endr
	.balign	0x100

	/* A frame of rt.h, to C */
	.macro	save r
	std	\r, 8 * \r(1)
	.endm
	.macro	restore r
	ld	\r, 8 * \r(1)
	.endm

common:
	load	1, exception_stack_top - 512
	save	0
	.set	n, 2
	.rept	30
	save	%n
	.set	n, n + 1
	.endr
	mfspr	4, SPRG0
	std	4, 8(1)
	mfspr	4, SPRG1
	std	4, 24(1)
	std	3, 256(1)
	mfspr	4, SRR0
	std	4, 264(1)
	mfspr	4, SRR1
	std	4, 272(1)
	mfcr	4
	std	4, 280(1)
	mflr	4
	std	4, 288(1)
	mfctr	4
	std	4, 296(1)
	mfxer	4
	std	4, 304(1)
	load	2, .TOC.
	mr	3, 1
	stdu	1, -112(1)
	bl	interrupt
	addi	1, 1, 112
	ld	4, 264(1)
	mtspr	SRR0, 4
	ld	4, 272(1)
	mtspr	SRR1, 4
	ld	4, 280(1)
	mtcr	4
	ld	4, 288(1)
	mtlr	4
	ld	4, 296(1)
	mtctr	4
	ld	4, 304(1)
	mtxer	4
	restore	0
	.set	n, 2
	.rept	30
	restore	%n
	.set	n, n + 1
	.endr
	ld	1, 8(1)
	rfid

	.text
/* void loop_between(u64 on, u64 off, u64 count): as that of start.S */
	.globl	loop_between
loop_between:
	mtspr	MMCR0, 3
1:	addic.	5, 5, -1
	bne	1b
	mtspr	MMCR0, 4
	blr

/* void interrupted(u64 on, u64 msr, u64 count): MMCR0, then MSR as given, a loop, and MSR
   as it was */
	.globl	interrupted
interrupted:
	mfmsr	6
	mtspr	MMCR0, 3
	mtmsrd	4
1:	addic.	5, 5, -1
	bne	1b
	mtmsrd	6
	blr

/* void spin(u64 count): 2 * count instructions and the return */
	.globl	spin
spin:
	addic.	3, 3, -1
	bne	spin
	blr

/* u64 hypercall(u64 number, u64 a, u64 b, u64 c, u64 d) */
	.globl	hypercall
hypercall:
	sc	1
	blr

	.bss
	.balign	16
	.skip	16384
stack_top:
	.skip	8192
exception_stack_top:
	.section .note.GNU-stack, "", @progbits
