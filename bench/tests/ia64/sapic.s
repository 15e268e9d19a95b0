// SPDX-License-Identifier: GPL-2.0-only
//
// External interrupts as a CPU has them, its clock and timer, and the I/O SAPIC. Interrupts are
// sent by the IPI block to the CPU itself.

	.set	IOSAPIC, 0xfec00000
	.set	UART, 0xff5e0000
	.set	NMI, 4 << 8
	.set	EXTINT, 7 << 8
	.set	PSR_I, 1 << 14

	.macro	ivr_is what, vector
	mov	r8 = cr.ivr
	is	"\what", r8, \vector
	.endm
	.macro	eoi
	mov	cr.eoi = r0
	srlz.d
	.endm
	.macro	tpr val
	movl	r28 = \val
	mov	cr.tpr = r28
	srlz.d
	.endm
	// on: let interrupts come; each that does turns this off
	.macro	on
	ssm	PSR_I
	srlz.d
	.endm
	// arrives WHAT, INSN: an interrupt when INSN has been executed
	.macro	arrives what, insn
	expect
	\insn
	.align	16
675:	nop	0
	br.cond.sptk 675b
	faulted	"\what", 0x3000, EI
	recorded "\what: behind the instruction", IIP, 665b
	.endm

main:
	// Reset
	mov	r8 = cr.lid
	is	"cr.lid of the first CPU", r8, 0
	.irp	cr, itv, pmv, cmcv, lrr0, lrr1
	mov	r8 = cr.\cr
	is	"cr.\cr is masked after a reset", r8, 1 << 16
	.endr
	ivr_is	"nothing is pending", 15
	eoi				// of nothing

	// One
	send	0x50
	mov	r8 = cr.irr1
	is	"cr.irr1 has what is pending", r8, 1 << 16
	ivr_is	"cr.ivr tells it", 0x50
	mov	r8 = cr.irr1
	is	"cr.irr1 has it no more", r8, 0
	ivr_is	"and there is no other", 15
	send	0x50
	ivr_is	"it does not come again before its end", 15
	eoi
	ivr_is	"but after it", 0x50
	eoi
	send	0x50
	send	0x50
	ivr_is	"twice pending is once: it comes", 0x50
	eoi
	ivr_is	"twice pending is once", 15
	send	0xff
	mov	r8 = cr.irr3
	is	"cr.irr3", r8, 1 << 63
	ivr_is	"the last vector", 0xff
	eoi
	send	0x10
	mov	r8 = cr.irr0
	is	"cr.irr0", r8, 1 << 16
	ivr_is	"the first vector", 0x10
	eoi

	// Priorities
	send	0x91
	send	0x50
	send	0x9f
	ivr_is	"the highest first", 0x9f
	ivr_is	"none below it", 15
	eoi
	ivr_is	"then the next", 0x91
	send	0xa0
	ivr_is	"a higher one while it is served", 0xa0
	send	0x90
	ivr_is	"not a lower one", 15
	eoi
	ivr_is	"the end is that of the highest: the first goes on", 15
	eoi
	ivr_is	"then the others", 0x90
	eoi
	ivr_is	"the last", 0x50
	eoi
	send	0xff
	send	EXTINT | 0x77
	send	NMI | 0x77
	mov	r8 = cr.irr0
	is	"NMI and ExtINT are vectors 2 and 0", r8, 5
	ivr_is	"an NMI is above all", 2
	ivr_is	"none is above it", 15
	eoi
	ivr_is	"then ExtINT", 0
	eoi
	ivr_is	"then the others", 0xff
	eoi
	send	7
	send	15
	mov	r8 = cr.irr0
	is	"vectors that are reserved", r8, 0
	send	0x50, 1 << 12
	send	0x50, 1 << 4
	ivr_is	"to CPUs that are not there", 15
	send	0x50, 1 << 3
	ivr_is	"with the hint to redirect", 0x50
	eoi

	// The task's priority
	tpr	0x5f
	mov	r8 = cr.tpr
	is	"cr.tpr has no bits 3:0", r8, 0x50
	send	0x5f
	ivr_is	"a class is masked", 15
	send	0x60
	ivr_is	"the next is not", 0x60
	eoi
	tpr	0x40
	ivr_is	"it is pending all the time", 0x5f
	eoi
	send	0xff
	send	EXTINT
	tpr	1 << 16
	ivr_is	"cr.tpr masks all", 15
	send	NMI
	ivr_is	"but an NMI", 2
	eoi
	tpr	0xf0
	ivr_is	"classes are not ExtINT's", 0
	eoi
	tpr	0
	ivr_is	"the rest", 0xff
	eoi

	// Interruptions
	send	0x50
	nop	0
	nop	0
	mov	r8 = 1
	is	"no interruption without psr.i", r8, 1
	ic	0
	mov	r8 = 0x1230
	mov	cr.ifa = r8
	ic	1
	arrives	"an interrupt by ssm", "ssm PSR_I"
	recorded "it has no address", IFA, 0x1230
	recorded "its ipsr", IPSR, 1 << 13 | 1 << 14 | 1 << 44 | EI
	ivr_is	"its vector", 0x50
	eoi
	movl	r30 = IPI
	mov	r31 = 0x51
	on
	expect
	st8	[r30] = r31		// which the CPU need not wait for
	.align	16
675:	nop	0
	br.cond.sptk 675b
	.align	16
662:	recorded "an interrupt by being sent", VECTOR, 0x3000
	ivr_is	"its vector", 0x51
	eoi
	tpr	0x60
	send	0x60
	on
	nop	0
	mov	r8 = 1
	is	"no interruption of a class that is masked", r8, 1
	arrives	"an interrupt by cr.tpr", "mov cr.tpr = r0"
	ivr_is	"its vector", 0x60
	send	0x50
	on
	nop	0
	mov	r8 = 1
	is	"no interruption below what is served", r8, 1
	arrives	"an interrupt by cr.eoi", "mov cr.eoi = r0"
	ivr_is	"its vector", 0x50
	eoi
	send	0x50
	ivr_is	"one that is taken before psr.i is set", 0x50
	on
	nop	0
	rsm	PSR_I
	mov	r8 = 1
	is	"does not interrupt any more", r8, 1
	eoi
	send	0x50
	mov	r31 = psr
	movl	r30 = PSR_I
	or	r31 = r30, r31
	arrives	"an interrupt by mov psr.l", "mov psr.l = r31"
	ic	0
	movl	r8 = 675f
	mov	cr.iip = r8
	movl	r8 = 1 << 13 | 1 << 14 | 1 << 44 | EI
	mov	cr.ipsr = r8
	mov	cr.ifs = r0
	expect
	rfi
	.align	16
675:	nop	0
	mov	r9 = 2
	faulted	"an interrupt by rfi", 0x3000, EI
	recorded "an interrupt by rfi: before its target", IIP, 675b
	ivr_is	"its vector", 0x50
	eoi

	// Refused
	expect
	mov	cr.ivr = r0
	faulted	"a write to cr.ivr", 0x5400, 0
	expect
	mov	cr.irr2 = r0
	faulted	"a write to cr.irr2", 0x5400, 0
	expect
	mov	r8 = cr75
	faulted	"a register that is reserved", 0x5400, 0
	mov	r9 = 1 << 12
	expect
	mov	cr.itv = r9
	faulted	"reserved bits of cr.itv", 0x5400, 0x30
	mov	r9 = -1
	mov	cr.lid = r9
	mov	r8 = cr.lid
	is	"cr.lid is who it is", r8, 0
	movl	r9 = 0x10ef
	mov	r9 = 0xef
	mov	cr.pmv = r9
	mov	r8 = cr.pmv
	is	"cr.pmv", r8, 0xef

	// The clock
	movl	r9 = 1000000000000
	mov	ar.itc = r9
	mov	r8 = ar.itc
	sub	r8 = r8, r9
	shr.u	r8 = r8, 30
	is	"ar.itc is what was written, and not much more", r8, 0
	mov	r10 = 1000
	mov	r11 = 0
1:	mov	r8 = ar.itc
	mov	r9 = ar.itc
	cmp.geu	p1, p2 = r9, r8
	(p2) adds r11 = 1, r11
	adds	r10 = -1, r10
	cmp.ne	p1, p2 = r0, r10
	(p1) br.cond.dptk 1b
	is	"ar.itc never goes back", r11, 0
	// A timer's interrupt: each time, and when the clock is beyond it
	mov	r9 = 0xef
	mov	cr.itv = r9
	mov	r12 = 1000		// times
	mov	r13 = 0			// too early
	mov	r14 = 0			// another vector
1:	arm	2000
2:	mov	r10 = cr.irr3
	tbit.z	p1, p2 = r10, 0xef - 192
	(p1) br.cond.dptk 2b
	mov	r10 = ar.itc
	sub	r10 = r10, r9
	cmp.lt	p1, p2 = 0, r10
	(p2) adds r13 = 1, r13
	mov	r10 = cr.ivr
	movl	r11 = 0xef
	cmp.ne	p1, p2 = r11, r10
	(p1) adds r14 = 1, r14
	eoi
	adds	r12 = -1, r12
	cmp.ne	p1, p2 = r0, r12
	(p1) br.cond.dptk 1b
	is	"1000 timer interrupts: none too early", r13, 0
	is	"1000 timer interrupts: their vector", r14, 0
	// With -icount the clock is that of instructions, which two reads of it tell: then each
	// interrupts a loop when the clock is one more than cr.itm, and the handler reads it in its
	// sixth slot
	mov	r10 = 100
	mov	r11 = 0			// what tells that instructions are not counted
1:	mov	r8 = ar.itc
	mov	r8 = ar.itc
	mov	r12 = ar.itc
	sub	r8 = r12, r8
	cmp.ne	p1, p2 = 2, r8
	(p1) adds r11 = 1, r11
	adds	r10 = -1, r10
	cmp.ne	p1, p2 = r0, r10
	(p1) br.cond.dptk 1b
	mov	r12 = 1000
	mov	r13 = 0			// not when they should
2:	movl	r8 = resume
	movl	r10 = 3f
	st8	[r8] = r10
	arm	2000
	ssm	PSR_I
	.align	16
1:	nop.m	0
	nop.i	0
	br.cond.sptk 1b
	.align	16
3:	mov	r8 = cr.ivr
	eoi
	movl	r8 = record + CLOCK
	ld8	r8 = [r8]
	sub	r8 = r8, r9
	cmp.ne	p1, p2 = 7, r8
	(p1) adds r13 = 1, r13
	adds	r12 = -1, r12
	cmp.ne	p1, p2 = r0, r12
	(p1) br.cond.dptk 2b
	cmp.ne	p1, p2 = r0, r11
	(p1) mov r13 = 0
	is	"1000 timer interrupts: with -icount to the instruction", r13, 0
	// Once; not for what is past, nor when it is masked. What should not come is given time to.
	.macro	timer_comes
680:	mov	r8 = cr.irr3
	tbit.z	p1, p2 = r8, 0xef - 192
	(p1) br.cond.dptk 680b
	.endm
	.macro	time
	mov	r8 = ar.itc
	movl	r10 = 200000
	add	r10 = r8, r10
681:	mov	r8 = ar.itc
	cmp.ltu	p1, p2 = r8, r10
	(p1) br.cond.dptk 681b
	.endm
	.macro	never
	mov	r8 = ar.itc
	movl	r10 = 1 << 60
	add	r10 = r8, r10
	mov	cr.itm = r10
	srlz.d
	.endm
	arm	2000
	timer_comes
	ivr_is	"a timer's interrupt", 0xef
	eoi
	ivr_is	"comes once", 15
	mov	r8 = ar.itc
	adds	r9 = -1, r8
	mov	cr.itm = r9
	time
	ivr_is	"what is past does not come", 15
	movl	r9 = 1 << 16 | 0xef
	mov	cr.itv = r9
	arm	2000
	time
	never
	mov	r9 = 0xef
	mov	cr.itv = r9
	ivr_is	"what was masked is lost", 15
	mov	ar.itc = r0
	movl	r9 = 1000000000000
	mov	cr.itm = r9
	movl	r8 = 1 << 50
	mov	ar.itc = r8
	time
	ivr_is	"a clock that jumps over it", 15
	movl	r8 = 1000000000000 - 2000
	mov	ar.itc = r8
	timer_comes
	mov	r8 = ar.itc
	movl	r9 = 1000000000000
	cmp.ltu	p1, p2 = r9, r8
	mov	r8 = 0
	(p1) mov r8 = 1
	is	"a clock that is set back: not too early", r8, 1
	ivr_is	"a clock that is set back: in its time", 0xef
	eoi
	// What interrupts a loop that does nothing
	arm	50000
	expect
	ssm	PSR_I
	.align	16
1:	nop.m	0
	nop.m	0
	br.cond.sptk 1b
	.align	16
662:	recorded "a timer's interruption of a loop", VECTOR, 0x3000
	ivr_is	"its vector", 0xef
	eoi
	never

	// Level 3 reads the clock, if it may
	virtual
	ssm	1 << 23
	mov	r8 = ar.itc		// at level 0 whatever psr.si is
	rsm	1 << 23
	expect
	go	1f, 3 << 32
1:	mov	r8 = ar.itc
	break.m	1
	faulted	"ar.itc at level 3", 0x2c00, EI
	expect
	go	1f, 3 << 32 | 1 << 23
1:	mov	r8 = ar.itc
	faulted	"ar.itc at level 3 with psr.si", 0x5400, 0x20
	expect
	go	1f, 3 << 32
1:	mov	ar.itc = r0
	faulted	"a write to ar.itc at level 3", 0x5400, 0x20
	rsm	1 << 17
	srlz.d

	// The I/O SAPIC; the serial port is at line 4, and interrupts when it may send
	.macro	select reg
	movl	r28 = IOSAPIC
	movl	r29 = \reg
	st4	[r28] = r29
	movl	r28 = IOSAPIC + 0x10
	.endm
	.macro	entry line, low, high=0
	select	0x11 + 2 * \line
	movl	r29 = \high
	st4	[r28] = r29
	select	0x10 + 2 * \line
	movl	r29 = \low
	st4	[r28] = r29
	mf
	.endm
	.macro	line_4 on
	movl	r28 = UART + 1
	mov	r29 = 2 * \on
	st1	[r28] = r29
	mf
	.endm
	.macro	end_of vector
	movl	r28 = IOSAPIC + 0x40
	mov	r29 = \vector
	st4	[r28] = r29
	mf
	.endm
	.set	LEVEL, 1 << 15
	.set	LOW, 1 << 13
	.set	MASKED, 1 << 16
	select	1
	ld4	r8 = [r28]
	is	"I/O SAPIC: lines and version", r8, 0x00170020
	select	0x10
	ld4	r8 = [r28]
	is	"I/O SAPIC: masked after a reset", r8, MASKED
	line_4	1
	line_4	0
	ivr_is	"an edge that is masked", 15
	entry	4, 0x41
	ivr_is	"is lost", 15
	// Whatever is printed has edges of its own: first all, then what came
	line_4	1
	mov	r8 = cr.ivr
	mov	cr.eoi = r0
	mov	r9 = cr.ivr
	line_4	0
	mov	r10 = cr.ivr
	is	"an edge", r8, 0x41
	is	"interrupts once", r9, 15
	is	"not by its end", r10, 15
	entry	4, 0x42, 1 << 24
	line_4	1
	mov	r8 = cr.ivr
	line_4	0
	is	"for a CPU that is not there", r8, 15
	entry	4, 0x43 | LEVEL
	line_4	1
	mov	r8 = cr.ivr
	select	0x18
	ld4	r9 = [r28]
	mov	cr.eoi = r0
	mov	r10 = cr.ivr
	end_of	0x44
	mov	r11 = cr.ivr
	end_of	0x43
	mov	r12 = cr.ivr
	mov	cr.eoi = r0
	line_4	0
	end_of	0x43
	mov	r13 = cr.ivr
	is	"a level", r8, 0x43
	is	"I/O SAPIC: it waits for the end", r9, 0x43 | LEVEL | 1 << 14
	is	"once, until its end is told", r10, 15
	is	"not the end of another", r11, 15
	is	"again, for it is still so", r12, 0x43
	is	"not when it is over", r13, 15
	entry	4, 0x44 | LEVEL | MASKED
	line_4	1
	mov	r8 = cr.ivr
	entry	4, 0x44 | LEVEL
	mov	r9 = cr.ivr
	mov	cr.eoi = r0
	line_4	0
	end_of	0x44
	is	"a level that is masked", r8, 15
	is	"comes when it is not any more", r9, 0x44
	entry	4, 0x45 | LOW
	line_4	1
	mov	r8 = cr.ivr
	line_4	0
	mov	r9 = cr.ivr
	mov	cr.eoi = r0
	is	"the other edge: not this", r8, 15
	is	"but that", r9, 0x45
	entry	4, MASKED
	br.cond.sptk finish
