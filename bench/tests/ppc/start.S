/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The firmware of a machine with a PowerPC of 32 bits, and nothing else: vectors, the
 * way to user mode and back, and what is measured. There is no translation.
 */
#define SRR0	26
#define SRR1	27
#define SPRG0	272
#define SPRG1	273
#define MMCR0	952
#define PMC1	953

#define MSR_EE	0x8000
#define MSR_PR	0x4000
#define MSR_ME	0x1000
#define MSR_IP	0x0040

	/* An address or a word, whatever it is */
	.macro	load reg, value
	lis	\reg, (\value)@ha
	addi	\reg, \reg, (\value)@l
	.endm

	.section .vectors, "ax"
	.globl	_start
	.macro	vector n
	.org	\n * 0x100
	mtspr	SPRG0, 1
	mtspr	SPRG1, 3
	li	3, \n
	b	common
	.endm

	.altmacro
	.org	0x100
_start:
	b	start
	.set	n, 2
	.rept	14
	vector	%n
	.set	n, n + 1
	.endr

	/* A frame of rt.h, to C */
	.org	0x1000
common:
	load	1, exception_stack_top - 192
	stmw	0, 0(1)
	mfspr	4, SPRG0
	stw	4, 4(1)
	mfspr	4, SPRG1
	stw	4, 12(1)
	stw	3, 128(1)
	mfspr	4, SRR0
	stw	4, 132(1)
	mfspr	4, SRR1
	stw	4, 136(1)
	mfcr	4
	stw	4, 140(1)
	mflr	4
	stw	4, 144(1)
	mfctr	4
	stw	4, 148(1)
	mfxer	4
	stw	4, 152(1)
	mr	3, 1
	stwu	1, -32(1)
	bl	interrupt
	addi	1, 1, 32
	lwz	4, 132(1)
	mtspr	SRR0, 4
	lwz	4, 136(1)
	mtspr	SRR1, 4
	lwz	4, 140(1)
	mtcr	4
	lwz	4, 144(1)
	mtlr	4
	lwz	4, 148(1)
	mtctr	4
	lwz	4, 152(1)
	mtxer	4
	lwz	0, 0(1)
	lmw	2, 8(1)
	lwz	1, 4(1)
	rfi

start:
	load	1, stack_top - 32
	bl	setup
	bl	main
	bl	finish
	b	.

	.text
/* u32 in_user(void *code, u32 count, u32 msr): runs code with the count in r4, with these
   bits of MSR besides PR */
	.globl	in_user
in_user:
	stwu	1, -96(1)
	mflr	0
	stw	0, 100(1)
	stmw	14, 16(1)
	load	6, kernel_stack
	stw	1, 0(6)
	mtspr	SRR0, 3
	ori	5, 5, MSR_PR | MSR_ME | MSR_IP
	mtspr	SRR1, 5
	rfi
/* From there by sc or a fault, with the answer in r3 */
	.globl	user_return
user_return:
	load	6, kernel_stack
	lwz	1, 0(6)
	lmw	14, 16(1)
	lwz	0, 100(1)
	mtlr	0
	addi	1, 1, 96
	blr

/* In user mode: 2 * count instructions, count of them branches, and the sc */
	.globl	user_loop
user_loop:
	addic.	4, 4, -1
	bne	user_loop
	sc

/* Read and write a counter in user mode, and read its mirror */
	.globl	user_read, user_write, user_mirror
user_read:
	mfspr	3, PMC1
	sc
user_write:
	mtspr	PMC1 - 16, 4
	sc
user_mirror:
	mfspr	3, PMC1 - 16
	load	6, seen_by_user
	stw	3, 0(6)
	sc

/* void loop_between(u32 on, u32 off, u32 count): write them to MMCR0, and in between
   execute 2 * count instructions, count of them branches, all but one taken; the second
   write is counted, too */
	.globl	loop_between
loop_between:
	mtspr	MMCR0, 3
1:	addic.	5, 5, -1
	bne	1b
	mtspr	MMCR0, 4
	blr

/* void branches_between(u32 on, u32 off): ten branches, four of which are not taken */
	.globl	branches_between
branches_between:
	stwu	1, -16(1)
	mflr	0
	stw	0, 20(1)
	li	5, 2
	load	6, 1f
	cmpwi	5, 0
	mtctr	6
	mtspr	MMCR0, 3
	b	2f
1:	mtctr	5
3:	bdnz	3b			/* taken, not taken */
	b	4f
2:	beq	1b			/* not taken */
	beqlr				/* not taken */
	bctr
4:	bl	5f
	beq	1b			/* not taken */
	mtspr	MMCR0, 4
	lwz	0, 20(1)
	mtlr	0
	addi	1, 1, 16
	blr
5:	blr

/* void trap_between(u32 on, u32 off): a taken trap, which rt.c skips, an instruction that
   there is not, likewise, and one more */
	.globl	trap_between
trap_between:
	mtspr	MMCR0, 3
	trap
	.long	0
	nop
	mtspr	MMCR0, 4
	blr

/* void interrupted(u32 on, u32 msr, u32 count): MMCR0, then MSR as given, a loop, and MSR
   as it was */
	.globl	interrupted
interrupted:
	mfmsr	6
	mtspr	MMCR0, 3
	mtmsr	4
1:	addic.	5, 5, -1
	bne	1b
	mtmsr	6
	blr

/* void spin(u32 count): 2 * count instructions and the return */
	.globl	spin
spin:
	addic.	3, 3, -1
	bne	spin
	blr

	.bss
	.balign	16
	.skip	16384
stack_top:
	.skip	8192
exception_stack_top:
kernel_stack:
	.skip	4
	.section .note.GNU-stack, "", @progbits
