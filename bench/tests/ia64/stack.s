// SPDX-License-Identifier: GPL-2.0-only
//
// The register stack, and registers that rotate. r32 and up are used by their numbers: a frame
// is what is tested.

main:
	// One call
	alloc	r32 = ar.pfs, 0, 4, 2, 0
	mov	r33 = 33
	mov	r35 = 35
	mov	r36 = 36
	mov	r37 = 37
	mov	r10 = ar.bsp
	mov	r9 = 11
	mov	ar.ec = r9
	br.call.sptk b0 = leaf
	is	"a call passes the first output", r8, 36
	is	"and the second", r9, 37
	is	"its frame is the outputs", r11, 11 << 52 | 4 << 7 | 6
	mov	r12 = ar.bsp
	sub	r12 = r12, r10
	is	"a return brings the frame back: bsp", r12, 0
	is	"a local", r33, 33
	is	"what the callee wrote to an output", r36, 99
	mov	r12 = ar.ec
	is	"ar.ec is the caller's again", r12, 11
	br.cond.sptk deep

leaf:
	mov	r8 = r32
	mov	r9 = r33
	mov	r11 = ar.pfs
	mov	r32 = 99
	mov	ar.ec = r0
	br.ret.sptk b0

	// recurse(n): n + (n - 1) + ... ; counts in r9 what came back wrong
recurse:
	alloc	r33 = ar.pfs, 1, 5, 1, 0
	mov	r34 = b0
	adds	r35 = 1000, r32
	shladd	r36 = r32, 4, r32
	mov	r8 = 0
	cmp.eq	p1, p2 = r0, r32
	(p1) br.cond.dpnt 1f
	adds	r38 = -1, r32
	br.call.sptk b0 = recurse
	add	r8 = r8, r32
1:	adds	r10 = 1000, r32
	sub	r10 = r10, r35
	or	r9 = r9, r10
	shladd	r10 = r32, 4, r32
	sub	r10 = r10, r36
	or	r9 = r9, r10
	mov	b0 = r34
	mov	ar.pfs = r33
	br.ret.sptk b0

deep:
	movl	r2 = backing_store
	fresh
	alloc	r32 = ar.pfs, 0, 1, 1, 0
	mov	r33 = 200
	mov	r9 = 0
	br.call.sptk b0 = recurse
	is	"200 calls deep: the sum", r8, 20100
	is	"200 calls deep: no register was lost", r9, 0
	mov	r10 = ar.bspstore
	movl	r11 = backing_store
	cmp.geu	p1, p2 = r10, r11
	mov	r10 = 0
	(p1) mov r10 = 1
	is	"bspstore is in the store", r10, 1

	// All 96, and again through a call
	movl	r2 = backing_store
	fresh
	alloc	r3 = ar.pfs, 0, 96, 0, 0
	fill_frame 1000
	br.call.sptk b0 = whole
	test_frame 1000
	is	"a frame of 96 after a callee with 96", r9, 0
	br.cond.sptk addresses
whole:
	alloc	r3 = ar.pfs, 0, 96, 0, 0
	fill_frame 3000
	mov	r12 = ar.bsp
	mov	r13 = ar.bspstore
	sub	r12 = r12, r13
	is	"the caller's 96 have been stored", r12, 0
	movl	r10 = backing_store
	ld8	r11 = [r10]
	is	"the first of them in memory", r11, 1032
	movl	r10 = backing_store + 62 * 8
	ld8	r11 = [r10], 16
	is	"the last before the NaT bits", r11, 1094
	ld8	r11 = [r10]
	is	"the first behind them", r11, 1095
	test_frame 3000
	is	"the callee's 96", r9, 0
	mov	ar.pfs = r3
	br.ret.sptk b0

	// bsp for each alignment of the store, by walking over it
addresses:
	mov	r14 = 0			// the alignment
	mov	r15 = 0			// how many were wrong
1:	movl	r2 = scratch
	shladd	r2 = r14, 3, r2
	fresh
	alloc	r3 = ar.pfs, 0, 70, 0, 0
	cover
	mov	r8 = 70
	mov	r10 = r2
2:	extr.u	r11 = r10, 3, 6
	cmp.eq	p1, p2 = 63, r11
	(p2) adds r8 = -1, r8
	adds	r10 = 8, r10
	cmp.ne	p1, p2 = r0, r8
	(p1) br.cond.dptk 2b
	extr.u	r11 = r10, 3, 6		// where NaT bits go no register does
	cmp.eq	p1, p2 = 63, r11
	(p1) adds r10 = 8, r10
	mov	r11 = ar.bsp
	sub	r10 = r11, r10
	extr.u	r9 = r11, 3, 6
	cmp.ne	p1, p2 = r0, r10
	(p1) adds r15 = 1, r15
	adds	r14 = 1, r14
	cmp.gtu	p1, p2 = 64, r14
	(p1) br.cond.dptk 1b
	is	"bsp after 70 registers, at each of 64 alignments", r15, 0

	// The store is changed with 0 to 96 registers dirty, and back, as a kernel's entry does it
	movl	r2 = scratch
	fresh
	alloc	r3 = ar.pfs, 0, 96, 0, 0
	fill_frame 2000
	mov	r14 = pr
	rsm	1 << 13			// psr.ic: cover tells the frame in cr.ifs
	srlz.d
	cover
	mov	r4 = cr.ifs
	is	"cover: cr.ifs", r4, 1 << 63 | 96 << 7 | 96
	mov	r5 = ar.bspstore
	mov	r6 = ar.rnat
	movl	r7 = scratch + 32768
	mov	ar.bspstore = r7
	mov	r8 = ar.bsp
	sub	r8 = r8, r7
	is	"what is dirty goes along: bsp", r8, 97 * 8
	flushrs
	mov	r9 = ar.bspstore
	sub	r9 = r9, r7
	is	"flushrs stores it to the new one", r9, 97 * 8
	movl	r10 = scratch + 32768
	ld8	r9 = [r10]
	is	"the first", r9, 2032
	movl	r10 = scratch
	ld8	r9 = [r10]
	is	"not to the old one", r9, 0
	movl	r10 = scratch + 32768 + 8
	mov	r9 = 7777
	st8	[r10] = r9
	movl	r10 = scratch + 32768 + 96 * 8
	mov	r9 = 8888
	st8	[r10] = r9
	shl	r8 = r8, 16
	mov	ar.rsc = r8
	loadrs
	mov	r9 = ar.bspstore
	sub	r9 = r9, r7
	is	"loadrs has all of them back", r9, 0
	mov	ar.rsc = 0
	mov	ar.bspstore = r5
	mov	ar.rnat = r6
	mov	cr.ifs = r4
	movl	r8 = 1f
	mov	cr.iip = r8
	movl	r8 = 1 << 13 | 1 << 44
	mov	cr.ipsr = r8
	rfi
	.align	16
1:	is	"rfi has the frame back, from memory: r33", r33, 7777
	is	"and r127", r127, 8888
	mov	r33 = 2000 + 33
	mov	r127 = 2000 + 127
	test_frame 2000
	is	"and the others", r9, 0
	mov	r8 = ar.bsp
	movl	r10 = scratch
	sub	r8 = r8, r10
	is	"and bsp", r8, 0

	// What has been stored and dropped comes from memory
	movl	r2 = scratch
	fresh
	alloc	r3 = ar.pfs, 0, 5, 0, 0
	mov	r32 = 1
	mov	r33 = 2
	mov	r34 = 3
	mov	r35 = 4
	mov	r36 = 5
	br.call.sptk b0 = change
	is	"a return loads what is in memory now", r33, 222
	is	"and what has not been changed", r36, 5
	br.cond.sptk nats
change:
	alloc	r4 = ar.pfs, 0, 0, 0, 0
	flushrs
	mov	ar.rsc = 0
	loadrs				// of none: all are invalid
	movl	r8 = scratch + 8
	mov	r9 = 222
	st8	[r8] = r9
	mov	ar.pfs = r4
	br.ret.sptk b0

	// A NaT goes to memory and comes back, at each of 64 alignments
nats:
	mov	r14 = 0
	mov	r15 = 0
	movl	r8 = scratch + 48 * 1024
	mov	r9 = -1
	st8	[r8] = r0
1:	movl	r2 = scratch
	shladd	r2 = r14, 3, r2
	fresh
	mov	ar.rnat = r0
	alloc	r3 = ar.pfs, 0, 70, 0, 0
	mov	ar.unat = r9
	ld8.fill r40 = [r8]
	ld8.fill r101 = [r8]
	mov	ar.unat = r0
	mov	r41 = 41
	mov	r39 = 39
	mov	r100 = 100
	br.call.sptk b0 = nothing_left
	tnat.nz	p1, p2 = r40
	tnat.nz.and p1, p0 = r101
	tnat.z.and p1, p0 = r41
	tnat.z.and p1, p0 = r39
	tnat.z.and p1, p0 = r100
	cmp.eq.and p1, p0 = 41, r41
	cmp.eq.and p1, p0 = 39, r39
	(p1) adds r15 = 1, r15
	mov	r40 = 0
	mov	r101 = 0
	adds	r14 = 1, r14
	cmp.gtu	p3, p4 = 64, r14
	(p3) br.cond.dptk 1b
	is	"NaTs through memory, at each of 64 alignments", r15, 64
	br.cond.sptk rotation
nothing_left:
	alloc	r4 = ar.pfs, 0, 0, 0, 0
	flushrs
	mov	ar.rsc = 0
	loadrs
	mov	r6 = ar.rnat		// those that are in no word in memory yet
	mov	ar.rnat = r0
	mov	ar.rnat = r6
	mov	ar.pfs = r4
	br.ret.sptk b0

	// Registers that rotate: a loop that is pipelined over three stages
rotation:
	movl	r2 = scratch
	fresh
	alloc	r3 = ar.pfs, 0, 16, 0, 16
	movl	r4 = numbers_in
	movl	r5 = scratch + 8192
	mov	ar.lc = 9
	mov	ar.ec = 3
	mov	pr.rot = 1 << 16
1:	(p16) ld8 r32 = [r4], 8
	(p17) adds r36 = 100, r33
	(p18) st8 [r5] = r37, 8
	br.ctop.sptk 1b
	movl	r4 = scratch + 8192
	movl	r5 = numbers_in
	mov	r9 = 0
	mov	r10 = 10
1:	ld8	r11 = [r4], 8
	ld8	r12 = [r5], 8
	adds	r12 = 100, r12
	sub	r12 = r12, r11
	or	r9 = r9, r12
	adds	r10 = -1, r10
	cmp.ne	p1, p2 = r0, r10
	(p1) br.cond.dptk 1b
	is	"a loop of three stages", r9, 0
	mov	r10 = ar.ec
	is	"ar.ec at its end", r10, 0
	mov	r10 = ar.lc
	is	"ar.lc at its end", r10, 0
	clrrrb
	// By how much: 12 times, of 16 registers
	mov	r32 = 32
	mov	ar.lc = 2
	mov	ar.ec = 1
1:	br.ctop.sptk 1b
	is	"r32 is r35 after three times", r35, 32
	br.call.sptk b0 = inner
	is	"a call keeps what has rotated", r35, 32
	clrrrb
	is	"clrrrb turns it back", r32, 32
	mov	pr = r0, -1
	mov	ar.lc = 0
	mov	ar.ec = 0
	mov	pr.rot = -0x10000
	br.ctop.sptk 1f
1:	mov	r10 = pr
	is	"br.ctop without anything left clears p63 and does not rotate", r10, 0x7fffffffffff0001
	mov	ar.lc = 1
	mov	pr = r0, -1
	mov	r9 = 1
	br.cexit.sptk 1f
	mov	r9 = 2
1:	mov	r10 = pr
	is	"br.cexit goes on where br.ctop goes back", r9, 2
	is	"p63 has become p16: a move shows it at 63", r10, 0x8000000000000001
	mov	r9 = 1
	(p16) mov r9 = 3
	is	"p16 is 1", r9, 3
	clrrrb.pr
	mov	r9 = 1
	(p63) mov r9 = 3
	is	"clrrrb.pr: it is p63 again", r9, 3
	mov	ar.ec = 2
	mov	pr.rot = 1 << 16
	mov	r9 = 0
1:	adds	r9 = 1, r9
	(p16) br.wtop.sptk 1b
	is	"br.wtop: while its predicate is 1, then ec", r9, 3

	// Refused
	clrrrb
	expect
	bundle	1, 1 << 37 | 6 << 33 | 8 << 20 | 4 << 13 | 10 << 6, NOP, NOP
	faulted	"alloc with more locals than registers", 0x5400, 0
	expect
	bundle	1, 1 << 37 | 6 << 33 | 97 << 13 | 10 << 6, NOP, NOP
	faulted	"alloc of 97", 0x5400, 0
	expect
	bundle	1, 1 << 37 | 6 << 33 | 1 << 27 | 7 << 13 | 10 << 6, NOP, NOP
	faulted	"alloc of 7 of which 8 rotate", 0x5400, 0
	mov	ar.rsc = 3
	expect
	mov	r8 = ar.rnat
	faulted	"ar.rnat while the RSE may work", 0x5400, 0
	expect
	mov	ar.bspstore = r2
	faulted	"ar.bspstore while the RSE may work", 0x5400, 0
	mov	ar.rsc = 0
	br.cond.sptk finish

inner:
	alloc	r4 = ar.pfs, 0, 8, 0, 8
	mov	r32 = 7
	mov	r33 = 8
	mov	ar.pfs = r4
	br.ret.sptk b0

	.section .data
	.balign	8
numbers_in:
	data8	11, 22, 33, 44, 55, 66, 77, 88, 99, 110
	.text
