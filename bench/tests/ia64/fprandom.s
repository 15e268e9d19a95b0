// SPDX-License-Identifier: GPL-2.0-only
//
// Runs the forms that fprandom.c has written below on its cases. A form has its operands and
// what is in its result's register before at r12, and writes that register to r15; r11 is memory
// that it may use. It is right if the register, ar.fpsr, p6, p7, the interruption and its
// ISR are what the case says.

	// What programs do for lack of instructions: Newton's iteration, in field 1, and the last
	// operation of all in field 0, which rounds as that says.
	.macro	division pc, d, a, b
	frcpa.s0 f6, p6 = \a, \b
	mov	f7 = \a
	mov	f8 = \b
	mov	\d = f6
	(p6) fnma.s1 f9 = f8, f6, f1
	(p6) fma.s1 f6 = f9, f6, f6
	(p6) fmpy.s1 f9 = f9, f9
	(p6) fma.s1 f6 = f9, f6, f6
	(p6) fmpy.s1 f9 = f9, f9
	(p6) fma.s1 f6 = f9, f6, f6
	(p6) fmpy.\pc\().s1 f10 = f7, f6
	(p6) fnma.s1 f11 = f8, f10, f7
	(p6) fma.\pc\().s0 \d = f11, f6, f10
	fclrf.s1
	mov	pr = r14, 0xc0
	.endm

	.macro	integer_division d, a, b
	fcvt.xuf.s1 f7 = \a
	fcvt.xuf.s1 f8 = \b
	frcpa.s1 f6, p6 = f7, f8
	mov	f10 = f6
	(p6) fnma.s1 f9 = f8, f6, f1
	(p6) fmpy.s1 f10 = f7, f6
	(p6) fma.s1 f10 = f9, f10, f10
	(p6) fma.s1 f6 = f9, f6, f6
	(p6) fmpy.s1 f9 = f9, f9
	(p6) fma.s1 f10 = f9, f10, f10
	(p6) fma.s1 f6 = f9, f6, f6
	(p6) fnma.s1 f11 = f8, f10, f7
	(p6) fma.s1 f10 = f11, f6, f10
	fcvt.fxu.trunc.s1 \d = f10
	fclrf.s1
	mov	pr = r14, 0xc0
	.endm

	.macro	square_root d, a
	mov	f7 = \a
	frsqrta.s0 f6, p6 = f7
	movl	r9 = 0x3f000000		// 1/2
	setf.s	f8 = r9
	mov	\d = f6
	(p6) fmpy.s1 f9 = f8, f6
	(p6) fmpy.s1 f10 = f7, f6
	.rept	3
	(p6) fnma.s1 f11 = f10, f9, f8
	(p6) fma.s1 f10 = f10, f11, f10
	(p6) fma.s1 f9 = f9, f11, f9
	.endr
	(p6) fadd.s1 f9 = f9, f9
	(p6) fmpy.s1 f9 = f9, f8
	(p6) fnorm.d.s1 f10 = f10
	(p6) fnma.s1 f11 = f10, f10, f7
	(p6) fma.d.s0 \d = f11, f9, f10
	fclrf.s1
	mov	pr = r14, 0xc0
	.endm

	.section .data
	.balign	16
forms:
	.previous
main:
	movl	r4 = cases
	movl	r5 = cases_end
	mov	r6 = 0			// how many went wrong
	movl	r7 = forms
	movl	r11 = scratch
	adds	r15 = 64, r11
next:
	cmp.geu	p1, p2 = r4, r5
	(p1) br.cond.dpnt done
	ld8	r8 = [r4], 8
	shl	r8 = r8, 5
	add	r8 = r8, r7
	ld8	r9 = [r8], 8
	mov	b1 = r9
	ld8	r10 = [r8], 8
	movl	r9 = resume
	st8	[r9] = r10
	movl	r9 = record
	mov	r10 = -1
	st8	[r9] = r10
	ld8	r10 = [r4], 8
	mov	r12 = r4
	adds	r13 = 13 * 8, r4
	ld8	r14 = [r13]
	mov	ar.fpsr = r10
	mov	pr = r14, -1
	br.cond.sptk b1

	// r16 is the or of all differences.
	.macro	differs reg
	ld8	r17 = [r4], 8
	xor	r17 = r17, \reg
	or	r16 = r16, r17
	.endm
back:
	mov	r18 = pr
	mov	r19 = ar.fpsr
	movl	r9 = 0x9804c0270033f	// without traps
	mov	ar.fpsr = r9
	movl	r9 = record
	ld8	r20 = [r9], 8
	ld8	r21 = [r9]
	movl	r9 = resume
	st8	[r9] = r0
	mov	r9 = r15
	ld8	r22 = [r9], 8
	ld8	r23 = [r9]
	adds	r4 = 64, r4
	mov	r16 = 0
	differs	r22
	differs	r23
	differs	r19
	differs	r20
	ld8	r17 = [r4], 16
	cmp.eq	p1, p2 = -1, r20
	xor	r17 = r17, r21
	(p1) mov r17 = 0
	or	r16 = r16, r17
	differs	r18
	adds	r4 = 8, r4
	cmp.eq	p1, p2 = r0, r16
	(p1) br.cond.dptk next
	adds	r6 = 1, r6
	cmp.lt	p1, p2 = 20, r6
	(p1) br.cond.dpnt next

	.macro	show text, reg
	say	"\text"
	mov	r28 = \reg
	call	put_hex
	.endm
	say	"# wrong: "
	ld8	r30 = [r8]
	call	put
	show	": ", r23
	show	":", r22
	show	", fpsr ", r19
	show	", vector ", r20
	show	", isr ", r21
	show	", pr ", r18
	adds	r9 = -144, r4
	.irp	text, " of the case: form ", " fpsr ", " a ", ":", " b ", ":", " c ", ":", " d ", ":", " expected ", ":", " fpsr ", " vector ", " isr ", " pr ", " pr "
	ld8	r17 = [r9], 8
	show	"\text", r17
	.endr
	say	"\n"
	br.cond.sptk next
done:
	is	"random floating point: cases that went wrong", r6, 0
	br.cond.sptk finish

	.section .rodata
	.balign	16
cases:	.incbin	"cases"
cases_end:
	.text
