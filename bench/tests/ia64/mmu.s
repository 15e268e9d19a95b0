// SPDX-License-Identifier: GPL-2.0-only
//
// Translation: what misses, what is not allowed, insertion and purge, and the instructions that
// ask. Translations are of region 1 if nothing else is said; they are to MEMORY.

	.set	R1, REGION
	.set	ITIR1, 0x11 << 8 | 14 << 2
	.set	ITIR4, 0x14 << 8 | 14 << 2

	// at ADDRESS: in r9
	.macro	at address
	movl	r9 = \address
	.endm

main:
	virtual
	mov	r8 = psr
	dep.z	r9 = r8, 0, 32
	movl	r10 = 1 << 36 | 1 << 27 | 1 << 17 | 1 << 13
	and	r8 = r8, r10
	is	"data, code and the RSE are translated", r8, 1 << 36 | 1 << 27 | 1 << 17 | 1 << 13

	// What misses
	at	R1 + 8
	expect
	ld8	r8 = [r9]
	faulted	"a load that misses", 0x1000, R, R1 + 8, ITIR1
	recorded "a load that misses: iip", IIP, 665b
	recorded "a load that misses: ipsr", IPSR, VIRTUAL
	expect
	nop.m	0
	st8	[r9] = r8
	faulted	"a store that misses", 0x1000, W | EI, R1 + 8, ITIR1
	mov	ar.ccv = r0
	expect
	cmpxchg8.acq r8 = [r9], r8, ar.ccv
	faulted	"a semaphore that misses", 0x1000, R | W, R1 + 8, ITIR1
	expect
	ld4.acq	r8 = [r9]
	faulted	"a load with an order", 0x1000, R, R1 + 8, ITIR1
	mov	b1 = r9
	movl	r10 = 2 * REGION + 32
	mov	b1 = r10
	expect
	br.cond.sptk b1
	faulted	"code that misses", 0xc00, X, 2 * REGION + 32, 0x12 << 8 | 14 << 2
	recorded "code that misses: iip", IIP, 2 * REGION + 32
	// The VHPT would be walked
	movl	r8 = 0x1fffff0000000000 | 40 << 2 | 1
	mov	cr.pta = r8
	movl	r8 = R1
	mov	r10 = ITIR1 | 1
	mov	rr[r8] = r10
	at	R1 + 0x8008
	expect
	ld8	r8 = [r9]
	faulted	"a load that misses in the VHPT", 0x800, R, R1 + 0x8008, ITIR1
	recorded "its place in the VHPT", IHA, 0x3fffff0000000010
	thash	r8 = r9
	is	"thash says the same", r8, 0x3fffff0000000010
	at	R1 + 0x1fffffffffffc000
	thash	r8 = r9
	is	"thash of the region's last page", r8, 0x3ffffffffffffff8
	ttag	r8 = r9
	at	R1 + 0x1fffffffffff8000
	ttag	r10 = r9
	cmp.ne	p1, p2 = r8, r10
	mov	r8 = 0
	(p1) mov r8 = 1
	is	"ttag tells pages from each other", r8, 1
	at	R1 + 0x4000
	mov	b1 = r9
	expect
	br.cond.sptk b1
	faulted	"code that misses in the VHPT", 0x400, X, R1 + 0x4000, ITIR1
	recorded "its place in the VHPT", IHA, 0x3fffff0000000008
	movl	r8 = R1
	mov	r10 = ITIR1
	mov	rr[r8] = r10
	at	R1 + 0x8008
	expect
	ld8	r8 = [r9]
	faulted	"no walk in a region without ve", 0x1000, R, R1 + 0x8008, ITIR1
	mov	cr.pta = r0
	at	R1 + 0x0010000000000000
	expect
	ld8	r8 = [r9]
	faulted	"an address that is not implemented", 0x5400, R | 0x30
	mov	b1 = r9
	expect
	br.cond.sptk b1
	faulted	"code at an address that is not implemented", 0x5e00, 0x10

	// What hits
	movl	r10 = MEMORY + 0x3ff8
	movl	r11 = 0x123456789
	st8	[r10] = r11
	map	R1, MEMORY | ALL
	at	R1 + 0x3ff8
	ld8	r8 = [r9]
	is	"a load that is translated", r8, 0x123456789
	mov	r11 = 77
	st8	[r9] = r11
	ld8	r8 = [r10]
	is	"a store that is translated", r8, 77
	at	R1 + 0x4000
	expect
	ld8	r8 = [r9]
	faulted	"the page behind it", 0x1000, R, R1 + 0x4000, ITIR1
	at	R1 + 0x3ffc
	expect
	ld8	r8 = [r9]
	faulted	"a load across both", 0x1000, R, R1 + 0x4000, ITIR1
	at	R1
	mov	b1 = r9
	expect
	br.cond.sptk b1
	faulted	"code is not translated by what data is", 0xc00, X, R1, ITIR1
	map_code R1 + 0x8000, MEMORY | ALL
	at	R1 + 0x8000
	expect
	ld8	r8 = [r9]
	faulted	"nor data by what code is", 0x1000, R, R1 + 0x8000, ITIR1

	// The sizes of pages: the last of each, and the first behind it
	.macro	size ps, pa
	map	4 * REGION + 0x40000000, \pa | ALL, \ps
	movl	r10 = \pa + (1 << \ps) - 8
	mov	r11 = \ps
	st8	[r10] = r11
	at	4 * REGION + 0x40000000 + (1 << \ps) - 8
	ld8	r8 = [r9]
	is	"a page of 1 << \ps", r8, \ps
	at	4 * REGION + 0x40000000 + (1 << \ps)
	expect
	ld8	r8 = [r9]
	faulted	"its end, 1 << \ps", 0x1000, R, 4 * REGION + 0x40000000 + (1 << \ps), ITIR4
	purge	ptc.l, 4 * REGION + 0x40000000, \ps
	.endm
	size	14, MEMORY
	size	16, MEMORY
	size	18, MEMORY
	size	20, MEMORY
	size	22, MEMORY
	size	24, MEMORY
	size	26, 0x4000000

	// What a page does not allow, in the order of interruptions
	at	R1
	movl	r10 = R1 + 0x10000	// where code is
	mov	b1 = r10
	.macro	data what, pte, vector, code=0, key=0
	map	R1, MEMORY | \pte, 14, \key
	expect
	ld8	r8 = [r9]
	faulted	"\what: load", \vector, R | \code, R1, ITIR1
	expect
	st8	[r9] = r8
	faulted	"\what: store", \vector, W | \code, R1, ITIR1
	expect
	xchg8	r8 = [r9], r8
	faulted	"\what: semaphore", \vector, R | W | \code, R1, ITIR1
	.endm
	.macro	code what, pte, vector, code=0, key=0
	map_code R1 + 0x10000, MEMORY | \pte, 14, \key
	expect
	br.cond.sptk b1
	faulted	"\what: code", \vector, X | \code, R1 + 0x10000, ITIR1
	.endm
	data	"not present", ALL & ~PRESENT, 0x5000
	code	"not present", ALL & ~PRESENT, 0x5000
	data	"not present, all else wrong", NAT_PAGE, 0x5000
	data	"a NaT page", ALL | NAT_PAGE, 0x5600, 0x20
	code	"a NaT page", ALL | NAT_PAGE, 0x5600, 0x20
	map	R1, MEMORY | USABLE | 0 << 9
	expect
	st8	[r9] = r8
	faulted	"no right to write", 0x5300, W, R1, ITIR1
	expect
	xchg8	r8 = [r9], r8
	faulted	"no right to write for a semaphore", 0x5300, R | W, R1, ITIR1
	map	R1, MEMORY | USABLE | 7 << 9
	ld8	r8 = [r9]		// of a page that is for execution, at level 0
	code	"no right to execute", USABLE | 2 << 9, 0x5200
	data	"not accessed", ALL & ~ACCESSED, 0x2800
	code	"not accessed", ALL & ~ACCESSED, 0x2400
	code	"no right, not accessed", PRESENT, 0x5200
	map	R1, MEMORY | ALL & ~DIRTY
	ld8	r8 = [r9]
	expect
	st8	[r9] = r8
	faulted	"a store to what is not dirty", 0x2000, W, R1, ITIR1
	expect
	fetchadd8.acq r8 = [r9], 1
	faulted	"a semaphore on what is not dirty", 0x2000, R | W, R1, ITIR1
	map	R1, MEMORY | ALL & ~DIRTY & ~ACCESSED
	expect
	st8	[r9] = r8
	faulted	"neither dirty nor accessed: a store", 0x2000, W, R1, ITIR1
	map	R1, MEMORY | ALL
	st8	[r9] = r8		// when its bit has been set

	// psr.da and psr.ia are for one instruction
	map	R1, MEMORY | ALL & ~DIRTY & ~ACCESSED
	expect
	mov	r12 = 1
	go	1f, 1 << 38
1:	st8	[r9] = r12
	st8	[r9] = r0
	faulted	"psr.da: the second store", 0x2000, W | EI, R1, ITIR1
	movl	r10 = MEMORY
	ld8	r8 = [r10]
	is	"psr.da: the first store", r8, 1
	movl	r10 = MEMORY + 0x2000
	movl	r11 = nops
	ld8	r12 = [r11], 8
	st8	[r10] = r12, 8
	ld8	r12 = [r11]
	st8	[r10] = r12
	map_code R1 + 0x10000, MEMORY | ALL & ~ACCESSED
	expect
	go	R1 + 0x12000, 1 << 45
	faulted	"psr.ia: the second instruction", 0x2400, X | EI, R1 + 0x12000, ITIR1

	// Not aligned: what else is wrong comes first
	purge	ptc.l, R1
	at	R1 + 1
	expect
	st8.rel	[r9] = r8
	faulted	"not aligned, and misses", 0x1000, W, R1 + 1, ITIR1
	expect
	fetchadd4.acq r8 = [r9], 1
	faulted	"a semaphore that is not aligned, and misses", 0x1000, R | W, R1 + 1, ITIR1
	map	R1, MEMORY | ALL
	expect
	st8.rel	[r9] = r8
	faulted	"not aligned, in order", 0x5a00, W, R1 + 1, ITIR1
	expect
	fetchadd4.acq r8 = [r9], 1
	faulted	"a semaphore that is not aligned", 0x5a00, R | W, R1 + 1, ITIR1
	sum	1 << 3
	expect
	ld8	r8 = [r9]
	faulted	"not aligned, with psr.ac", 0x5a00, R, R1 + 1, ITIR1
	rum	1 << 3

	// Protection keys; the program has key 0
	.macro	pkr n, val
	mov	r8 = \n
	movl	r10 = \val
	mov	pkr[r8] = r10
	.endm
	.set	KEY, 0x123456
	map	R1 + 0x4000, MEMORY + 0x4000 | ALL
	pkr	0, 1
	ssm	1 << 15
	srlz.d
	at	R1
	movl	r10 = R1 + 0x10000
	mov	b1 = r10
	data	"a key that no register has", ALL, 0x1c00, 0, KEY
	code	"a key that no register has", ALL, 0x1800, 0, KEY
	data	"no key comes before no right", PRESENT, 0x1c00, 0, KEY
	pkr	1, KEY << 8 | 1 | 4
	expect
	ld8	r8 = [r9]
	faulted	"a key against reading", 0x5100, R, R1, ITIR1
	map	R1, MEMORY | ALL, 14, KEY
	st8	[r9] = r8
	expect
	xchg8	r8 = [r9], r8
	faulted	"a key against reading: a semaphore", 0x5100, R | W, R1, ITIR1
	map	R1 + 0x180000, MEMORY | ALL, 14, KEY
	at	R1 + 0x180000
	st8	[r9] = r8
	pkr	2, KEY << 8 | 1 | 2
	expect
	st8	[r9] = r8
	faulted	"a key against writing, in another register", 0x5100, W, R1 + 0x180000, ITIR1
	ld8	r8 = [r9]
	at	R1
	mov	r8 = 1
	mov	r8 = pkr[r8]
	is	"the key's first register is not valid any more", r8, KEY << 8 | 4
	pkr	2, KEY << 8 | 1 | 8
	st8	[r9] = r8
	code	"a key against execution", ALL, 0x5100, 0, KEY
	rsm	1 << 15
	srlz.d
	pkr	2, 0
	ld8	r8 = [r9]		// without psr.pk keys say nothing
	at	R1 + 0x180000
	st8	[r9] = r8
	ssm	1 << 15
	srlz.d
	expect
	st8	[r9] = r8
	faulted	"psr.pk again", 0x1c00, W, R1 + 0x180000, ITIR1
	rsm	1 << 15
	srlz.d
	st8	[r9] = r8
	purge	ptc.l, R1 + 0x180000
	at	R1

	// insert_right HOW: the page at R1, by itc.d or itc.i, with ar << 2 | pl from r10
	.macro	insert_right how
	shl	r12 = r10, 7
	movl	r13 = MEMORY | USABLE
	or	r13 = r12, r13
	ic	0
	at	R1
	mov	cr.ifa = r9
	mov	r12 = 14 << 2
	mov	cr.itir = r12
	\how	r13
	.endm

	// Rights to read and write, of each page at each level
	.macro	each_right level, result
	mov	r10 = 0			// ar << 2 | pl
	mov	r11 = 0			// what is allowed
1:	insert_right itc.d
	ic	1
	mov	r14 = \level
	probe.r	r12 = r9, r14
	probe.w	r13 = r9, \level
	shladd	r12 = r13, 1, r12
	shr.u	r11 = r11, 2
	dep	r11 = r12, r11, 62, 2
	adds	r10 = 1, r10
	cmp.gtu	p1, p2 = 32, r10
	(p1) br.cond.dptk 1b
	is	"rights of level \level", r11, \result
	.endm
	each_right 0, 0x55ffffffffff5555
	each_right 1, 0x00fc54f4fcfc5454
	each_right 2, 0x00f050d0f0f05050
	each_right 3, 0x00c04040c0c04040

	// Rights to execute: a page with a break, at each level; rfi goes there
	movl	r10 = MEMORY
	movl	r11 = breaks
	ld8	r12 = [r11], 8
	st8	[r10] = r12, 8
	ld8	r12 = [r11]
	st8	[r10] = r12
	.macro	each_execution level, result
	mov	r10 = 0
	mov	r11 = 0
1:	insert_right itc.i
	movl	r12 = resume
	movl	r13 = 2f
	st8	[r12] = r13
	go	R1, \level << 32
2:	movl	r12 = record
	ld8	r12 = [r12]
	movl	r13 = 0x2c00
	cmp.eq	p1, p2 = r12, r13	// executed
	shr.u	r11 = r11, 1
	(p1) dep r11 = -1, r11, 31, 1
	adds	r10 = 1, r10
	cmp.gtu	p1, p2 = 32, r10
	(p1) br.cond.dptk 1b
	is	"execution at level \level", r11, \result
	.endm
	each_execution 0, 0xf0f0f0f0
	each_execution 1, 0xf2e0e0e0
	each_execution 2, 0xf4c0c0c0
	each_execution 3, 0xf8808080

	// Instructions that ask, and what they are told of: ISR.code 3:0
	purge	ptc.l, R1
	at	R1 + 8
	expect
	probe.r	r8 = r9, 3
	faulted	"probe.r that misses", 0x1000, R | NA | 2, R1 + 8, ITIR1
	expect
	probe.w	r8 = r9, r0
	faulted	"probe.w that misses", 0x1000, W | NA | 2, R1 + 8, ITIR1
	expect
	probe.rw.fault r9, 3
	faulted	"probe.rw.fault that misses", 0x1000, R | W | NA | 5, R1 + 8, ITIR1
	expect
	tpa	r8 = r9
	faulted	"tpa that misses", 0x1000, NA | 0, R1 + 8, ITIR1
	expect
	fc	r9
	faulted	"fc that misses", 0x1000, R | NA | 1, R1 + 8, ITIR1
	expect
	lfetch.fault [r9]
	faulted	"lfetch.fault that misses", 0x1000, R | NA | 4, R1 + 8, ITIR1
	lfetch	[r9], 16
	movl	r10 = R1 + 24
	sub	r8 = r10, r9
	is	"lfetch does not fault, and counts on", r8, 0
	at	R1 + 8
	tak	r8 = r9
	is	"tak that misses", r8, 1
	expect
	mov	r12 = r9
	go	1f, 1 << 43
1:	lfetch.fault [r9], 16
	break.m	9
	faulted	"psr.ed: lfetch.fault does not fault", 0x2c00, EI
	at	R1 + 0x0010000000000000
	probe.r	r8 = r9, 0
	is	"probe.r of an address that is not implemented", r8, 0
	at	R1 + 8
	map	R1, (MEMORY + 0x4000) | USABLE & ~DIRTY & ~ACCESSED | 3 << 7 | 2 << 9, 14, KEY
	probe.w	r8 = r9, 3
	is	"probe.w looks at no dirty bit", r8, 1
	expect
	probe.w.fault r9, 3
	faulted	"probe.w.fault does", 0x2000, W | NA | 5, R1 + 8, ITIR1
	expect
	probe.r.fault r9, 3
	faulted	"probe.r.fault looks at the access bit", 0x2800, R | NA | 5, R1 + 8, ITIR1
	fc	r9			// which does not
	tpa	r8 = r9
	is	"tpa", r8, MEMORY + 0x4008
	tak	r8 = r9
	is	"tak", r8, KEY << 8
	map	R1, MEMORY | USABLE | 2 << 7 | 2 << 9
	expect
	probe.r.fault r9, 3
	faulted	"probe.r.fault without a right", 0x5300, R | NA | 5, R1 + 8, ITIR1
	probe.r.fault r9, 2
	expect
	go	1f, 3 << 32
1:	probe.r	r8 = r9, 2
	break.m	0
	faulted	"probe at level 3", 0x2c00, EI
	is	"probe for no higher level than one's own", r8, 0
	expect
	go	1f, 3 << 32
1:	probe.r.fault r9, 2
	faulted	"probe.r.fault at level 3", 0x5300, R | NA | 5, R1 + 8, ITIR1
	rsm	1 << 17
	srlz.d
	movl	r10 = R1 + 0x8000
	probe.rw.fault r10, 3		// with physical addresses there is nothing to ask
	probe.r	r8 = r9, 2
	ssm	1 << 17
	srlz.d
	is	"probe asks for virtual addresses even so", r8, 1

	// Insertion replaces, a purge removes
	map	R1, MEMORY | ALL
	map	R1 + 0x4000, (MEMORY + 0x4000) | ALL
	at	R1
	ld8	r8 = [r9]
	map	R1, (MEMORY + 0x10000) | ALL, 16
	movl	r10 = MEMORY + 0x14000
	mov	r11 = 14
	st8	[r10] = r11
	movl	r10 = MEMORY + 0x4000
	st8	[r10] = r0
	at	R1 + 0x4000
	ld8	r8 = [r9]
	is	"a large page has replaced a small one", r8, 14
	map	R1 + 0x4000, (MEMORY + 0x4000) | ALL
	ld8	r8 = [r9]
	is	"and a small one the large one", r8, 0
	at	R1
	expect
	ld8	r8 = [r9]
	faulted	"all of that", 0x1000, R, R1, ITIR1
	.macro	gone what, address=R1
	at	\address
	expect
	ld8	r8 = [r9]
	faulted	"\what", 0x1000, R, \address, ITIR1
	.endm
	.macro	there what, address=R1
	at	\address
	tpa	r8 = r9
	is	"\what: there", r8, MEMORY + \address - R1
	ld8	r8 = [r9]
	.endm
	.macro	purged how
	map	R1, MEMORY | ALL
	map	R1 + 0x4000, (MEMORY + 0x4000) | ALL
	there	"\how", R1
	purge	\how, R1 + 0x4000
	there	"\how of another page", R1
	gone	"\how", R1 + 0x4000
	map	R1, MEMORY | ALL, 24
	there	"\how", R1 + 0x8000
	purge	\how, R1 + 0x40000
	gone	"\how of a part of a page", R1 + 0x8000
	map	R1, MEMORY | ALL
	map	R1 + 0xc000, (MEMORY + 0xc000) | ALL
	there	"\how", R1
	there	"\how", R1 + 0xc000
	purge	\how, R1, 16
	gone	"\how of more than a page", R1 + 0xc000
	gone	"\how of its first", R1
	.endm
	purged	ptc.l
	purged	ptc.g
	purged	ptc.ga
	purged	ptr.d
	map	R1, MEMORY | ALL
	map	R1 + 0x100000, (MEMORY + 0x100000) | ALL
	there	"ptc.e", R1
	mov	r8 = 0
	ptc.e	r8
	srlz.d
	gone	"ptc.e", R1
	gone	"ptc.e: another", R1 + 0x100000
	// Code
	map_code R1 + 0x10000, MEMORY | ALL
	movl	r10 = R1 + 0x10000
	mov	b1 = r10
	expect
	br.cond.sptk b1
	faulted	"code that is translated", 0x2c00, 0
	purge	ptr.d, R1 + 0x10000
	expect
	br.cond.sptk b1
	faulted	"ptr.d leaves it", 0x2c00, 0
	.irp	how, ptr.i, ptc.l
	map_code R1 + 0x10000, MEMORY | ALL
	expect
	br.cond.sptk b1
	faulted	"\how: there", 0x2c00, 0
	purge	\how, R1 + 0x10000
	expect
	br.cond.sptk b1
	faulted	"\how: code", 0xc00, X, R1 + 0x10000, ITIR1
	.endr
	// Code and data at one address, which are two
	movl	r10 = MEMORY + 0x4000
	movl	r11 = 77 << 11		// a break, too, but another
	st8	[r10] = r11
	map_code R1 + 0x10000, MEMORY | ALL
	map	R1 + 0x10000, (MEMORY + 0x4000) | ALL
	at	R1 + 0x10000
	ld8	r8 = [r9]
	is	"data where code is, too", r8, 77 << 11
	expect
	br.cond.sptk b1
	faulted	"code where data is, too", 0x2c00, 0
	recorded "which is another", IIM, 0
	ld8	r8 = [r9]
	is	"data where code has been", r8, 77 << 11
	ptc.e	r0

	// Code at an address that is physical first, and then is not
	movl	r10 = 0x1000000
	rsm	1 << 17
	srlz.d
	st8	[r10] = r0, 8
	st8	[r10] = r0
	ssm	1 << 17
	srlz.d
	ic	0
	movl	r8 = 0x1000000
	mov	cr.iip = r8
	movl	r8 = VIRTUAL & ~(1 << 36)
	mov	cr.ipsr = r8
	mov	cr.ifs = r0
	expect
	rfi
	faulted	"code at a physical address", 0x2c00, 0
	expect
	go	0x1000000
	faulted	"the same address, translated", 0xc00, X, 0x1000000, 0x10 << 8 | 14 << 2

	// Translation registers
	mov	r27 = 15
	insert	"itr.d dtr[r27] =", R1, MEMORY | ALL, 24
	there	"a translation register", R1 + 0x4000
	mov	r8 = 0
	ptc.e	r8
	srlz.d
	there	"ptc.e leaves it", R1
	mov	r27 = 15
	insert	"itr.d dtr[r27] =", R1 + 0x1000000, (MEMORY + 0x1000000) | ALL, 24
	there	"its next one", R1 + 0x1000000
	gone	"its former one", R1 + 0x4000
	mov	r27 = 15
	insert	"itr.d dtr[r27] =", R1 + 0x10000, (MEMORY + 0x10000) | ALL
	there	"a small one", R1 + 0x10000
	mov	r27 = 15
	insert	"itr.d dtr[r27] =", R1 + 0x20000, (MEMORY + 0x20000) | ALL
	gone	"when it has been replaced", R1 + 0x10000
	mov	r27 = 15
	insert	"itr.d dtr[r27] =", R1 + 0x1000000, (MEMORY + 0x1000000) | ALL, 24
	purge	ptr.i, R1 + 0x1000000, 24
	there	"ptr.i leaves it", R1 + 0x1000000
	purge	ptr.d, R1 + 0x1000000, 24
	gone	"ptr.d", R1 + 0x1000000
	map	R1 + 0x4000, (MEMORY + 0x4000) | ALL
	there	"a page", R1 + 0x4000
	mov	r27 = 15
	insert	"itr.d dtr[r27] =", R1, (MEMORY + 0x1000000) | ALL, 24
	at	R1 + 0x4000
	tpa	r8 = r9
	is	"a translation register has replaced a page", r8, MEMORY + 0x1004000
	purge	ptr.d, R1, 24
	gone	"and it is not there after it", R1 + 0x4000

	// Regions have identifiers
	map	R1, MEMORY | ALL
	at	R1
	ld8	r8 = [r9]
	movl	r8 = R1
	mov	r10 = 0x77 << 8 | 16 << 2
	mov	rr[r8] = r10
	srlz.d
	expect
	ld8	r8 = [r9]
	faulted	"under another identifier", 0x1000, R, R1, 0x77 << 8 | 16 << 2
	movl	r8 = R1
	mov	r8 = rr[r8]
	is	"a region register", r8, 0x77 << 8 | 16 << 2
	map	R1, (MEMORY + 0x4000) | ALL
	tpa	r8 = r9
	is	"which has a page of its own", r8, MEMORY + 0x4000
	movl	r8 = R1
	mov	r10 = ITIR1
	mov	rr[r8] = r10
	srlz.d
	there	"the first identifier again", R1
	purge	ptc.l, R1
	movl	r8 = R1
	mov	r10 = 0x77 << 8 | 14 << 2
	mov	rr[r8] = r10
	srlz.d
	at	R1
	tpa	r8 = r9
	is	"a purge is of one identifier", r8, MEMORY + 0x4000
	ptc.e	r0
	movl	r8 = R1
	mov	r10 = ITIR1
	mov	rr[r8] = r10
	srlz.d

	// Many: what is forgotten misses, and nothing is wrong
	mov	r10 = 0
1:	shl	r11 = r10, 14
	at	R1
	add	r11 = r9, r11
	ic	0
	mov	cr.ifa = r11
	mov	r12 = 14 << 2
	mov	cr.itir = r12
	shl	r12 = r10, 14
	movl	r13 = MEMORY | ALL
	add	r12 = r12, r13
	itc.d	r12
	ic	1
	st8	[r11] = r10
	adds	r10 = 1, r10
	movl	r12 = 1000
	cmp.ltu	p1, p2 = r10, r12
	(p1) br.cond.dptk 1b
	mov	r10 = 0
	mov	r14 = 0
	movl	r13 = MEMORY
	movl	r15 = 16384
2:	ld8	r11 = [r13]
	add	r13 = r13, r15
	xor	r11 = r11, r10
	or	r14 = r14, r11
	adds	r10 = 1, r10
	movl	r12 = 1000
	cmp.ltu	p1, p2 = r10, r12
	(p1) br.cond.dptk 2b
	is	"1000 translations, each in its turn", r14, 0
	ptc.e	r0

	// A miss while interruptions are not collected: nothing is told
	at	R1
	ic	0
	movl	r8 = VIRTUAL
	mov	cr.ipsr = r8
	mov	r8 = 0x1230
	mov	cr.iip = r8
	mov	cr.ifa = r8
	mov	cr.itir = r8
	mov	cr.isr = r8
	mov	r10 = r9
	expect
	ld8	r8 = [r10]
	faulted	"a miss within a handler", 0x1400, 0x1230, 0x1230, 0x1230
	recorded "a miss within a handler: iip", IIP, 0x1230
	map	R1, MEMORY | USABLE | 0 << 9
	at	R1
	ic	0
	movl	r8 = VIRTUAL
	mov	cr.ipsr = r8
	mov	r8 = 0x1230
	mov	cr.iip = r8
	mov	cr.ifa = r8
	expect
	st8	[r9] = r8
	faulted	"another fault within a handler", 0x5300, W | NI
	recorded "another fault within a handler: iip", IIP, 0x1230
	recorded "another fault within a handler: ifa", IFA, 0x1230
	ic	0
	movl	r8 = VIRTUAL
	mov	cr.ipsr = r8
	movl	r10 = 3 * REGION
	mov	b1 = r10
	expect
	br.cond.sptk b1
	faulted	"code that misses within a handler", 0xc00, X | NI
	movl	r8 = 0x1fffff0000000000 | 40 << 2 | 1
	mov	cr.pta = r8
	movl	r8 = 3 * REGION
	mov	r10 = 0x13 << 8 | 14 << 2 | 1
	mov	rr[r8] = r10
	ic	0
	movl	r8 = VIRTUAL
	mov	cr.ipsr = r8
	expect
	br.cond.sptk b1
	faulted	"the VHPT is not walked for code then", 0xc00, X | NI
	expect
	br.cond.sptk b1
	faulted	"outside of a handler it is", 0x400, X, 3 * REGION, 0x13 << 8 | 14 << 2
	mov	cr.pta = r0

	// Refused
	expect
	itc.d	r8
	faulted	"itc.d with psr.ic", 0x5400, 0
	.macro	refused what, how, address, pte, itir
	ic	0
	movl	r8 = VIRTUAL
	mov	cr.ipsr = r8
	movl	r8 = \address
	mov	cr.ifa = r8
	movl	r8 = \itir
	mov	cr.itir = r8
	movl	r8 = \pte
	mov	r10 = 16
	expect
	\how	r8
	faulted	"\what", 0x5400, NI | 0x30
	.endm
	refused	"a page of 32 KB", itc.d, R1, ALL, 15 << 2
	refused	"reserved bits of the key", itc.d, R1, ALL, 14 << 2 | 1 << 32
	refused	"reserved bits of the size", itc.d, R1, ALL, 14 << 2 | 1
	refused	"a reserved kind of memory", itc.d, R1, ALL | 1 << 2, 14 << 2
	refused	"a reserved bit", itc.i, R1, ALL | 1 << 1, 14 << 2
	refused	"the address", itc.i, R1 + 0x0010000000000000, ALL, 14 << 2
	refused	"a register that is not there", "itr.d dtr[r10] =", R1, ALL, 14 << 2
	ic	0
	movl	r8 = R1
	mov	cr.ifa = r8
	mov	r8 = 14 << 2
	mov	cr.itir = r8
	mov	r8 = 1 << 2 | 1 << 1
	itc.d	r8			// what is not present has no other bits
	ic	1
	mov	r8 = 15 << 2
	expect
	mov	rr[r0] = r8
	faulted	"a region with pages of 32 KB", 0x5400, 0x30
	mov	r8 = 16
	expect
	mov	pkr[r8] = r0
	faulted	"pkr16", 0x5400, 0x30
	mov	r8 = 7
	mov	r10 = 0x1234
	mov	dbr[r8] = r10
	adds	r10 = 1, r10
	mov	ibr[r8] = r10
	mov	r10 = dbr[r8]
	is	"a debug register is kept", r10, 0x1234
	mov	r10 = ibr[r8]
	is	"and the other", r10, 0x1235
	mov	r8 = 8
	expect
	mov	r10 = dbr[r8]
	faulted	"dbr8", 0x5400, 0x30
	br.cond.sptk finish

	.section .rodata
	.balign	16
breaks:
	bundle	0, 0, NOP, NOP
	.balign	16
nops:
	bundle	0, NOP, NOP, NOP
	.text
