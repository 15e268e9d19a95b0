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
665:
	.endm

	// with ADDRESS: what cr.ifa and cr.itir have to be, too, if ps of its region is PS
	.macro faulted what, vector, isr, address=none, itir=0
	.align	16
662:	movl	r28 = record
	ld8	r27 = [r28], 8
	is	"\what: the vector", r27, \vector
	recorded "\what: isr", ISR, \isr
	.ifnc	\address, none
	recorded "\what: ifa", IFA, \address
	recorded "\what: itir", ITIR, \itir
	.endif
	.endm

	// recorded WHAT, AT, VALUE: of the last interruption
	.macro recorded what, at, value
	movl	r28 = record + \at
	ld8	r27 = [r28]
	is	"\what", r27, \value
	.endm
	.set	VECTOR, 0
	.set	ISR, 8
	.set	IIP, 16
	.set	IPSR, 24
	.set	IIM, 32
	.set	IFA, 40
	.set	ITIR, 48
	.set	IHA, 56
	.set	PSR, 64			// of the handler
	.set	COUNT, 72
	.set	CLOCK, 80		// when the handler began

	// What a translation is made of, as itc wants it, and what isr says of an access
	.set	PRESENT, 1
	.set	UC, 4 << 2
	.set	NAT_PAGE, 7 << 2
	.set	ACCESSED, 1 << 5
	.set	DIRTY, 1 << 6
	.set	ED, 1 << 52
	.set	USABLE, PRESENT | ACCESSED | DIRTY
	.set	ALL, USABLE | 3 << 7 | 3 << 9	// level 3; read, write, execute
	.set	X, 1 << 32
	.set	W, 1 << 33
	.set	R, 1 << 34
	.set	NA, 1 << 35
	.set	SP, 1 << 36
	.set	RS, 1 << 37
	.set	IR, 1 << 38
	.set	NI, 1 << 39
	.set	EI, 1 << 41		// slot 1
	.set	ISR_ED, 1 << 43
	// Memory that no program is in; regions, by the address that they begin at
	.set	MEMORY, 0x5000000
	.set	REGION, 1 << 61

	// ic ON: psr.ic, for what belongs to handlers
	.macro	ic on
	.if	\on
	ssm	1 << 13
	.else
	rsm	1 << 13
	.endif
	srlz.d
	.endm

	// insert HOW, ADDRESS, TRANSLATION, PS, KEY; HOW is itc.d or itr.i itr[r27] and the like
	.macro	insert how, address, pte, ps=14, key=0
	ic	0
	movl	r28 = \address
	mov	cr.ifa = r28
	movl	r28 = \ps << 2 | \key << 8
	mov	cr.itir = r28
	movl	r28 = \pte
	\how	r28
	ic	1
	.endm
	.macro	map address, pte, ps=14, key=0
	insert	itc.d, \address, \pte, \ps, \key
	.endm
	.macro	map_code address, pte, ps=14, key=0
	insert	itc.i, \address, \pte, \ps, \key
	.endm

	// purge HOW, ADDRESS, PS: by ptc.l and the like
	.macro	purge how, address, ps=14
	movl	r28 = \address
	mov	r29 = \ps << 2
	\how	r28, r29
	srlz.d
	.endm

	// send WHAT, TO: an interrupt, by the IPI block; CPU n is n << 12 there
	.macro	send what, to=0
	movl	r28 = IPI + \to
	movl	r29 = \what
	st8	[r28] = r29
	mf
	.endm
	.set	IPI, 0xfee00000

	// go WHERE, PSR: by rfi, with these bits of psr besides those of "virtual"
	.macro	go where, psr=0
	ic	0
	movl	r28 = \where
	mov	cr.iip = r28
	movl	r28 = VIRTUAL | \psr
	mov	cr.ipsr = r28
	mov	cr.ifs = r0
	rfi
	.align	16
	.endm
	.set	VIRTUAL, 1 << 36 | 1 << 27 | 1 << 17 | 1 << 13 | 1 << 44

	// virtual: turn translation on. The program is where it was, for all levels; region N has
	// the identifier 0x10 + N, and pages of 16 KB.
	.macro	virtual
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	movl	r28 = \n * REGION
	mov	r29 = (0x10 + \n) << 8 | 14 << 2
	mov	rr[r28] = r29
	.endr
	mov	r27 = 0
	insert	"itr.i itr[r27] =", 0x4000000, 0x4000000 | ALL, 26
	insert	"itr.d dtr[r27] =", 0x4000000, 0x4000000 | ALL, 26
	mov	r27 = 1
	insert	"itr.d dtr[r27] =", 0xff5c0000, 0xff5c0000 | ALL | UC, 18
	go	666f
666:
	.endm

	// fresh: an empty frame, nothing dirty, the backing store at r2
	.macro	fresh
	alloc	r3 = ar.pfs, 0, 0, 0, 0
	mov	ar.rsc = 0
	loadrs				// drops what is dirty
	mov	ar.bspstore = r2
	.endm

	// each_of_96 NAME, BASE: the macro NAME with the numbers 32 to 127
	.macro	each_of_96 name, base
	.irp	tens, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
	.irp	ones, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	.if	\tens\ones >= 32 && \tens\ones < 128
	\name	\tens\ones, \base
	.endif
	.endr
	.endr
	.endm

	// fill_frame: r32 to r127 are BASE and their number; test_frame: r9 is 0 if they still are
	.macro	fill_one n, base
	mov	r\n = \base + \n
	.endm
	.macro	fill_frame base
	each_of_96 fill_one, \base
	.endm
	.macro	test_one n, base
	adds	r10 = -(\base + \n), r\n
	or	r9 = r9, r10
	.endm
	.macro	test_frame base
	mov	r9 = 0
	each_of_96 test_one, \base
	.endm

	// arm DELTA: cr.itm, which is r9 then; later, if the clock has been there before it was armed
	.macro	arm delta
	movl	r28 = \delta
678:	mov	r29 = ar.itc
	add	r9 = r28, r29
	mov	cr.itm = r9
	srlz.d
	mov	r30 = ar.itc
	cmp.ltu	p14, p15 = r30, r9
	(p14) br.cond.dptk 679f
	movl	r30 = 1 << 60
	add	r30 = r29, r30
	mov	cr.itm = r30		// from here on it cannot come any more
	srlz.d
	mov	r30 = cr.ivr
	mov	cr.eoi = r0
	shl	r28 = r28, 1
	br.cond.sptk 678b
679:
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
	mov	r2 = cr.lid		// only the first CPU is 0
	cmp.ne	p1, p2 = r0, r2
	(p1) br.cond.dpnt other
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
	.weak	second			// which tests of two CPUs have
other:	movl	r2 = second
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

	// Interruptions are recorded, and end at level 0 where "expect" says, with psr.i and the bits of
	// "forgotten" 0; but if there is something in "translation", that is inserted for what misses, with
	// the address's bits 23:14 added, and all goes on.
interrupted:
	mov	r23 = ar.itc
	mov	r17 = pr
	mov	r22 = psr
	movl	r18 = record
	st8	[r18] = r16, 8
	.irp	cr, isr, iip, ipsr, iim, ifa, itir, iha
	mov	r19 = cr.\cr
	st8	[r18] = r19, 8
	.endr
	st8	[r18] = r22, 8
	ld8	r19 = [r18]
	adds	r19 = 1, r19
	st8	[r18] = r19, 8
	st8	[r18] = r23
	movl	r20 = translation
	ld8	r21 = [r20]
	cmp.eq	p14, p15 = r0, r21
	(p15) br.cond.dpnt 2f
	movl	r20 = resume
	ld8	r21 = [r20]
	cmp.eq	p14, p15 = r0, r21
	(p14) br.cond.dpnt 1f
	st8	[r20] = r0
	mov	cr.iip = r21
	mov	r19 = cr.ipsr
	movl	r20 = ~(1 << 14 | 3 << 25 | 3 << 32 | 0x7f << 37 | 1 << 45)
	and	r19 = r19, r20
	movl	r20 = forgotten
	ld8	r20 = [r20]
	andcm	r19 = r19, r20
	mov	cr.ipsr = r19
	mov	pr = r17, -1
	rfi
2:	mov	r19 = cr.ifa
	dep.z	r19 = r19, 0, 24
	dep	r19 = 0, r19, 0, 14
	add	r21 = r19, r21
	itc.d	r21
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
record:		.skip	88	// what VECTOR and the others are
translation:	.skip	8
forgotten:	.skip	8
	.balign	512
backing_store:	.skip	65536
scratch:	.skip	65536	// at a multiple of 512, for NaT bits go by bits 8:3

	.text
