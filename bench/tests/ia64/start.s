// SPDX-License-Identifier: GPL-2.0-only
//
// What all tests of the IA-64 machine begin with: macros, lines on the serial port, the
// verdict, and a table of interruptions.
//
// The assembler puts stops where they have to be. Of the registers these macros use
// r24 to r31, p14, p15, b6 and b7; a test has the others.

	// is WHAT, REGISTER, VALUE: a case
	.macro is what, reg, value
	.pushsection .rodata
660:	.asciz "\what"
	.popsection
	mov	r28 = \reg
	movl	r29 = \value
	movl	r30 = 660b
	movl	r31 = 661f
	br.cond.sptk check
	.align	16
661:
	.endm

	// is_pr WHAT, VALUE: bits 13:1 of the predicates
	.macro is_pr what, value
	mov	r28 = pr
	extr.u	r28 = r28, 1, 13
	is	"\what", r28, \value
	.endm

	// set_pr VALUE: bits 13:1
	.macro set_pr value
	movl	r28 = (\value) * 2
	mov	pr = r28, 0x3ffe
	.endm

	// expect, one instruction, faulted WHAT, VECTOR, ISR: it must be interrupted there
	.macro expect
	movl	r28 = record
	mov	r29 = -1
	st8	[r28] = r29
	movl	r28 = resume
	movl	r29 = 662f
	st8	[r28] = r29
	.align	16
	.endm

	.macro faulted what, vector, isr
	.align	16
662:	movl	r28 = record
	ld8	r27 = [r28], 8
	is	"\what: the vector", r27, \vector
	movl	r28 = record + 8
	ld8	r27 = [r28]
	is	"\what: isr", r27, \isr
	.endm

	// bundle TEMPLATE, SLOT0, SLOT1, SLOT2: for what no assembler writes
	.macro bundle template, s0, s1, s2
	.align	16
	data8	\template | (\s0) << 5 | ((\s1) & 0x3ffff) << 46
	data8	((\s1) >> 18) | (\s2) << 23
	.endm
	.set	NOP, 1 << 27

	.text
	.global	_start
	.proc	_start
_start:
	mov	ar.rsc = 0
	movl	r2 = backing_store
	mov	ar.bspstore = r2
	movl	r2 = ivt
	mov	cr.iva = r2
	alloc	r2 = ar.pfs, 0, 0, 0, 0
	ssm	1 << 13			// psr.ic: an interruption says where it was
	srlz.d
	movl	r2 = main
	mov	b0 = r2
	br.cond.sptk b0
	.endp	_start

	// put: r30 is a string; returns to b7
put:
	movl	r24 = 0xff5e0000
1:	ld1	r25 = [r30], 1
	cmp.eq	p14, p15 = r0, r25
	(p14) br.cond.dpnt b7
	st1	[r24] = r25
	br.cond.sptk 1b

	// put_hex: r28 is a number; returns to b7
put_hex:
	movl	r24 = 0xff5e0000
	mov	r26 = 16
1:	extr.u	r25 = r28, 60, 4
	shl	r28 = r28, 4
	cmp.ltu	p14, p15 = 9, r25
	(p14) adds r25 = 'a' - 10 - '0', r25
	adds	r25 = '0', r25
	st1	[r24] = r25
	adds	r26 = -1, r26
	cmp.ne	p14, p15 = r0, r26
	(p14) br.cond.dptk 1b
	br.cond.sptk b7

	.macro	call where
	movl	r27 = 663f
	mov	b7 = r27
	br.cond.sptk \where
	.align	16
663:
	.endm

	.macro	say text
	.pushsection .rodata
664:	.asciz "\text"
	.popsection
	movl	r30 = 664b
	call	put
	.endm

	// check: of "is"; r31 is where to return to
check:
	mov	b6 = r31
	movl	r24 = said
	st8	[r24] = r30
	movl	r24 = checks
	ld8	r25 = [r24]
	adds	r25 = 1, r25
	st8	[r24] = r25
	cmp.eq	p14, p15 = r28, r29
	(p15) br.cond.dpnt 1f
	say	"PASS "
	movl	r24 = said
	ld8	r30 = [r24]
	call	put
	say	"\n"
	br.cond.sptk b6
1:	movl	r24 = numbers
	st8	[r24] = r28, 8
	st8	[r24] = r29
	movl	r24 = failures
	ld8	r25 = [r24]
	adds	r25 = 1, r25
	st8	[r24] = r25
	say	"FAIL "
	movl	r24 = said
	ld8	r30 = [r24]
	call	put
	say	"\n# got 0x"
	movl	r24 = numbers
	ld8	r28 = [r24]
	call	put_hex
	say	", not 0x"
	movl	r24 = numbers + 8
	ld8	r28 = [r24]
	call	put_hex
	say	"\n"
	br.cond.sptk b6

	// finish: ends the machine; it has failed if a check failed, or none was made
finish:
	say	"END\n"
	movl	r24 = failures
	ld8	r25 = [r24]
	movl	r24 = checks
	ld8	r26 = [r24]
	cmp.ne	p14, p15 = r0, r25
	cmp.eq.or p14, p0 = r0, r26
	mov	r25 = 0
	(p14) mov r25 = 1
	movl	r24 = 0xff5f0000
	st4	[r24] = r25
1:	br.cond.sptk 1b

	// Interruptions are recorded, and end where "expect" says.
interrupted:
	mov	r17 = pr
	movl	r18 = record
	st8	[r18] = r16, 8
	mov	r19 = cr.isr
	st8	[r18] = r19, 8
	mov	r19 = cr.iip
	st8	[r18] = r19, 8
	mov	r19 = cr.ipsr
	st8	[r18] = r19, 8
	mov	r19 = cr.iim
	st8	[r18] = r19, 8
	movl	r20 = resume
	ld8	r21 = [r20]
	cmp.eq	p14, p15 = r0, r21
	(p14) br.cond.dpnt 1f
	st8	[r20] = r0
	mov	cr.iip = r21
	mov	r19 = cr.ipsr
	dep	r19 = 0, r19, 41, 2
	mov	cr.ipsr = r19
	mov	pr = r17, -1
	rfi
1:	say	"FAIL interruption 0x"
	mov	r28 = r16
	call	put_hex
	say	" at 0x"
	mov	r28 = cr.iip
	call	put_hex
	say	"\n"
	movl	r24 = failures
	mov	r25 = 1
	st8	[r24] = r25
	br.cond.sptk finish

	.section .ivt, "ax", @progbits
	.align	32768
ivt:
	.macro	vector offset
	.org	ivt + \offset
	movl	r16 = \offset
	br.cond.sptk interrupted
	.endm
	.irp	offset, 0x0000, 0x0400, 0x0800, 0x0c00, 0x1000, 0x1400, 0x1800, 0x1c00, 0x2000, 0x2400, 0x2800, 0x2c00, 0x3000, 0x5000, 0x5100, 0x5200, 0x5300, 0x5400, 0x5500, 0x5600, 0x5700, 0x5900, 0x5a00, 0x5b00, 0x5c00, 0x5d00, 0x5e00, 0x5f00, 0x6000, 0x6100
	vector	\offset
	.endr
	.org	ivt + 0x8000

	.bss
	.balign	16
said:		.skip	8
checks:		.skip	8
failures:	.skip	8
numbers:	.skip	16
resume:		.skip	8
record:		.skip	40	// vector, isr, iip, ipsr, iim
	.balign	512
backing_store:	.skip	65536
scratch:	.skip	65536	// at a multiple of 512, for NaT bits go by bits 8:3

	.text
