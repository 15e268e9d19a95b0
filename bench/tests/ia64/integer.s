// SPDX-License-Identifier: GPL-2.0-only
//
// Integer instructions: one by one, where the random code of random.c does not come, and
// where an emulator is likely to be wrong

	.set	A, 0x0123456789abcdef
	.set	B, 0xfedcba9876543210

main:
	// Arithmetic
	movl	r8 = A
	movl	r9 = B
	add	r10 = r8, r9
	is	"add", r10, -1
	add	r10 = r8, r9, 1
	is	"add, and one", r10, 0
	sub	r10 = r8, r9
	is	"sub", r10, A - B
	sub	r10 = r8, r9, 1
	is	"sub, and one", r10, A - B - 1
	sub	r10 = -128, r8
	is	"sub of an immediate", r10, -128 - A
	andcm	r10 = r8, r9
	is	"andcm", r10, A
	adds	r10 = -8192, r8
	is	"adds", r10, A - 8192
	mov	r2 = 1000
	mov	r3 = 2000
	addl	r10 = -2097152, r2
	is	"addl with r2", r10, 1000 - 2097152
	addl	r10 = 2097151, r3
	is	"addl with r3", r10, 2000 + 2097151
	shladd	r10 = r8, 4, r9
	is	"shladd", r10, B + (A << 4)
	movl	r11 = 0xffffffffc0000000
	addp4	r10 = r0, r11
	is	"addp4 has the region of its second source", r10, 0x60000000c0000000
	addp4	r10 = r11, r0
	is	"addp4 has nothing of its first source's region", r10, 0xc0000000
	movl	r10 = 0x8000000000000001
	is	"movl", r10, 0x8000000000000001
	movl	r10 = 0x00000000003fffff
	is	"movl: bits 21 and below", r10, 0x3fffff
	movl	r10 = 0x7fffffffffc00000
	is	"movl: the bits of slot 1", r10, 0x7fffffffffc00000

	// r0 and p0
	add	r10 = r0, r0
	is	"r0 is 0", r10, 0
	set_pr	0
	cmp.eq	p0, p1 = r0, r0
	is_pr	"a write to p0 is lost, its partner is written", 0
	cmp.eq	p1, p0 = r0, r0
	is_pr	"a write to p0 is lost, the first is written", 1
	(p0) mov r10 = 7
	is	"p0 is 1", r10, 7

	// Shifts have their sources in different places
	mov	r11 = 4
	shl	r10 = r8, r11
	is	"shl by a register", r10, 0x123456789abcdef0
	shr.u	r10 = r9, r11
	is	"shr.u by a register", r10, 0x0fedcba987654321
	shr	r10 = r9, r11
	is	"shr by a register", r10, 0xffedcba987654321
	mov	r11 = 64
	shl	r10 = r8, r11
	is	"shl by 64", r10, 0
	shr.u	r10 = r9, r11
	is	"shr.u by 64", r10, 0
	shr	r10 = r9, r11
	is	"shr by 64", r10, -1
	movl	r11 = 0x100000001
	shl	r10 = r8, r11
	is	"shl by more than 32 bits of a count", r10, 0
	mov	r11 = -1
	shr	r10 = r9, r11
	is	"shr by -1", r10, -1
	shrp	r10 = r8, r9, 8
	is	"shrp: its first source is the upper half", r10, 0xeffedcba98765432
	dep	r10 = r8, r9, 16, 16
	is	"dep", r10, 0xfedcba98cdef3210
	dep	r10 = -1, r9, 60, 4
	is	"dep of ones", r10, 0xfedcba9876543210
	dep	r10 = 0, r9, 60, 4
	is	"dep of zeros", r10, 0x0edcba9876543210
	dep.z	r10 = -128, 56, 8
	is	"dep.z of an immediate", r10, 0x8000000000000000
	extr	r10 = r8, 7, 1
	is	"extr of one bit", r10, -1
	// A field that reaches over the end is cut off there: extr.u r10 = r9, 60, 32
	bundle	1, NOP, 5 << 37 | 1 << 34 | 31 << 27 | 9 << 20 | 60 << 14 | 10 << 6, NOP
	is	"extr.u over the end", r10, 0xf
	bundle	1, NOP, 5 << 37 | 1 << 34 | 31 << 27 | 9 << 20 | 60 << 14 | 1 << 13 | 10 << 6, NOP
	is	"extr over the end", r10, -1

	// Comparisons: the sixteen forms of a type are in random.c
	set_pr	0x1ff
	(p10) cmp.eq.unc p1, p2 = r0, r0
	is_pr	"unc with a predicate of 0 clears both", 0x1fc
	set_pr	0x1ff
	(p10) cmp.eq p1, p2 = r0, r8
	is_pr	"without unc a predicate of 0 lets both be", 0x1ff
	set_pr	0
	(p1) tbit.z.unc p2, p3 = r0, 0
	is_pr	"tbit.unc with a predicate of 0", 0
	set_pr	1
	(p1) cmp.eq.unc p1, p2 = r0, r0
	is_pr	"unc that writes its own predicate", 1
	set_pr	1
	(p1) cmp.eq.unc p1, p2 = r0, r8
	is_pr	"unc that clears its own predicate", 2
	movl	r11 = 0xffffffff00000001
	cmp4.eq	p1, p2 = 1, r11
	is_pr	"cmp4 has the lower halves", 1
	movl	r11 = 0x80000000
	set_pr	0
	cmp4.lt	p1, p2 = r11, r0
	is_pr	"cmp4.lt is signed", 1
	set_pr	0
	cmp4.ltu p1, p2 = r11, r0
	is_pr	"cmp4.ltu is not", 2
	set_pr	0
	cmp.lt.or.andcm p1, p2 = r0, r8
	is_pr	"or.andcm sets and clears", 1
	set_pr	3
	cmp.gt.and p1, p2 = r0, r8
	is_pr	"and clears both", 0
	set_pr	0
	tnat.z	p1, p2 = r8
	is_pr	"tnat of what is none", 1

	// Moves of predicates and branch registers
	movl	r11 = 0xffffffffffffffff
	mov	pr = r0, -1
	mov	r10 = pr
	is	"p0 stays 1", r10, 1
	mov	pr = r0, -1
	mov	pr = r11, 0x80
	mov	r10 = pr
	is	"mov pr has a mask", r10, 0x81
	mov	pr = r0, 0xfffe
	mov	pr = r11, -0x10000
	mov	r10 = pr
	is	"mov pr: the mask's upper bit stands for 48", r10, 0xffffffffffff0001
	mov	pr = r0, 0xfffe
	mov	pr.rot = 0x10000
	mov	r10 = pr
	is	"mov pr.rot", r10, 0x10001
	movl	r11 = A
	mov	b1 = r11
	mov	r10 = b1
	is	"mov of b1", r10, A
	mov	r10 = ip
1:	movl	r11 = 1b
	sub	r12 = r11, r10
	cmp.ltu	p1, p2 = 32, r12
	mov	r10 = 0
	(p1) mov r10 = 1
	is	"mov of ip is the bundle's address", r10, 0
	movl	r11 = 0x123456789
	mov	ar.lc = r11
	mov	r10 = ar.lc
	is	"ar.lc", r10, 0x123456789
	mov	ar.lc = -2
	mov	r10 = ar.lc
	is	"ar.lc of an immediate", r10, -2
	mov	r11 = -1
	mov	ar.ec = r11
	mov	r10 = ar.ec
	is	"ar.ec has 6 bits", r10, 63
	mov	ar.pfs = r11
	mov	r10 = ar.pfs
	is	"ar.pfs: its fields", r10, 0xc3f0003fffffffff
	mov	ar.unat = r11
	mov	r10 = ar.unat
	is	"ar.unat", r10, -1
	mov	r10 = cpuid[r0]
	is	"cpuid", r10, 0x49656e69756e6547
	mov	r11 = 4
	mov	r10 = cpuid[r11]
	is	"cpuid: features", r10, 7

	// Memory
	movl	r2 = scratch
	movl	r8 = A
	st8	[r2] = r8, 8
	is	"st8 moves its address on", r2, scratch + 8
	movl	r10 = scratch
	ld1	r11 = [r10]
	is	"ld1: the lowest byte comes first", r11, 0xef
	ld2	r11 = [r10]
	is	"ld2", r11, 0xcdef
	ld4	r11 = [r10]
	is	"ld4 is zero-extended", r11, 0x89abcdef
	ld8	r11 = [r10], 255
	is	"ld8", r11, A
	is	"ld8 moves its address on", r10, scratch + 255
	movl	r10 = scratch + 7
	ld1	r11 = [r10], -256
	is	"ld1 of the upper byte", r11, 1
	is	"ld1 moves its address back", r10, scratch + 7 - 256
	movl	r10 = scratch
	mov	r12 = 1
	ld4.acq	r11 = [r10], r12
	is	"ld4.acq", r11, 0x89abcdef
	is	"a register moves the address", r10, scratch + 1
	ld8	r11 = [r10]
	is	"an address that is not aligned, with psr.ac = 0", r11, 0x000123456789abcd
	movl	r10 = scratch + 16
	mov	r11 = -1
	st8	[r10] = r11
	st1	[r10] = r0
	ld8	r12 = [r10]
	is	"st1", r12, 0xffffffffffffff00
	st2.rel	[r10] = r0
	ld8	r12 = [r10]
	is	"st2", r12, 0xffffffffffff0000
	st4	[r10] = r0, -8
	is	"st4 moves its address back", r10, scratch + 8
	adds	r10 = 8, r10
	ld8.c.clr r12 = [r10]
	is	"st4, and ld8.c", r12, 0xffffffff00000000
	set_pr	0
	(p1) st8 [r10] = r0, 8
	is	"a store that is predicated off moves nothing", r10, scratch + 16
	ld8	r12 = [r10]
	is	"and stores nothing", r12, 0xffffffff00000000
	ld8.a	r12 = [r10]
	mov	r11 = 5
	chk.a.nc r12, 1f
	mov	r11 = 6
1:	is	"chk.a branches: there is no ALAT", r11, 5
	mov	r11 = 5
	chk.s	r12, 1f
	mov	r11 = 6
1:	is	"chk.s does not, without a NaT", r11, 6
	lfetch	[r10], 32
	is	"lfetch moves its address", r10, scratch + 48

	// Semaphores
	movl	r10 = scratch
	movl	r8 = A
	st8	[r10] = r8
	mov	ar.ccv = r8
	mov	r11 = 77
	cmpxchg8.acq r12 = [r10], r11, ar.ccv
	is	"cmpxchg8 has what was there", r12, A
	ld8	r13 = [r10]
	is	"cmpxchg8 has stored", r13, 77
	mov	r11 = 78
	cmpxchg8.rel r12 = [r10], r11, ar.ccv
	is	"cmpxchg8 of another value", r12, 77
	ld8	r13 = [r10]
	is	"has not stored", r13, 77
	movl	r11 = 0x10000004d
	mov	ar.ccv = r11
	cmpxchg4.acq r12 = [r10], r8, ar.ccv
	is	"cmpxchg4 compares with all of ar.ccv", r12, 77
	ld8	r13 = [r10]
	is	"and has not stored", r13, 77
	mov	r11 = 77
	mov	ar.ccv = r11
	cmpxchg4.acq r12 = [r10], r8, ar.ccv
	ld8	r13 = [r10]
	is	"cmpxchg4", r13, A & 0xffffffff
	cmpxchg1.acq r12 = [r10], r11, ar.ccv
	is	"cmpxchg1", r12, 0xef
	xchg2	r12 = [r10], r0
	is	"xchg2 is zero-extended", r12, 0xcdef
	fetchadd8.acq r12 = [r10], 16
	is	"fetchadd8", r12, 0x89ab0000
	fetchadd4.rel r12 = [r10], -1
	is	"fetchadd4 has the value before", r12, 0x89ab0010
	ld8	r13 = [r10]
	is	"fetchadd4 adds to 4 bytes", r13, 0x89ab000f

	// NaT bits: spill and fill, by bits 8:3 of the address
	movl	r10 = scratch + 5 * 8
	mov	r11 = -1
	mov	ar.unat = r11
	st8.spill [r10] = r11
	mov	r12 = ar.unat
	is	"st8.spill of what is no NaT clears its bit", r12, ~(1 << 5)
	movl	r12 = 1 << 5
	mov	ar.unat = r12
	ld8.fill r11 = [r10]
	set_pr	0
	tnat.nz	p1, p2 = r11
	is_pr	"ld8.fill makes a NaT", 1
	set_pr	0x0f
	cmp.eq	p1, p2 = r11, r0
	is_pr	"a comparison with a NaT clears both", 0x0c
	set_pr	0x0c
	cmp.eq.or p1, p2 = r11, r11
	is_pr	"cmp.or with a NaT changes nothing", 0x0c
	set_pr	0x0c
	cmp.eq.and p3, p4 = r11, r11
	is_pr	"cmp.and with a NaT clears both", 0
	add	r12 = r11, r0
	set_pr	0
	tnat.nz	p1, p2 = r12
	is_pr	"a NaT goes on", 1
	mov	r12 = 1
	set_pr	0
	tnat.nz	p1, p2 = r12
	is_pr	"and ends", 2
	mov	r13 = 5
	chk.s	r11, 1f
	mov	r13 = 6
1:	is	"chk.s of a NaT branches", r13, 5
	expect
	ld8	r12 = [r11]
	faulted	"a load from a NaT", 0x5600, 0x400000010
	expect
	nop.m	0
	mov	b1 = r11
	faulted	"a NaT to a branch register", 0x5600, 1 << 41 | 0x10
	mov	ar.unat = r0
	ld8.fill r11 = [r10]
	set_pr	0
	tnat.nz	p1, p2 = r11
	is_pr	"ld8.fill of none", 2

	// Branches
	mov	r11 = 0
	mov	ar.lc = 9
1:	adds	r11 = 1, r11
	br.cloop.sptk 1b
	is	"br.cloop goes lc + 1 times round", r11, 10
	mov	r10 = ar.lc
	is	"and leaves lc 0", r10, 0
	mov	r11 = 5
	set_pr	2
	(p1) br.cond.sptk 1f
	(p2) br.cond.sptk 2f
1:	mov	r11 = 6
2:	is	"br.cond with its predicate", r11, 5
	movl	r10 = 1f
	mov	b1 = r10
	mov	r11 = 5
	br.cond.sptk b1
	mov	r11 = 6
	.align	16
1:	is	"br.cond by b1", r11, 5
	mov	r11 = 5
	brl.cond.sptk 1f
	mov	r11 = 6
1:	is	"brl", r11, 5

	// What is refused: the first slot of 1, or slot 1
	mov	r10 = 55
	expect
	bundle	1, NOP, 8 << 37 | 10 << 20, NOP
	faulted	"add to r0", 0x5400, 1 << 41
	expect
	bundle	1, NOP, 12 << 37 | 3 << 27 | 3 << 6, NOP
	faulted	"cmp of p3 to p3", 0x5400, 1 << 41
	expect
	bundle	1, 4 << 37 | 3 << 30 | 1 << 36 | 10 << 20 | 10 << 6, NOP, NOP
	faulted	"a load whose address is its target", 0x5400, 0
	expect
	bundle	6, NOP, NOP, NOP
	faulted	"a template that is none", 0x5400, 0
	expect
	break.m	0x12345
	faulted	"break.m", 0x2c00, 0
	movl	r28 = record + 32
	ld8	r10 = [r28]
	is	"break.m: iim", r10, 0x12345
	expect
	bundle	1, NOP, NOP, 5 << 6
	faulted	"break.i in slot 2", 0x2c00, 2 << 41
	movl	r28 = record + 32
	ld8	r10 = [r28]
	is	"break.i: iim", r10, 5
	movl	r10 = scratch + 1
	expect
	xchg8	r11 = [r10], r0
	faulted	"a semaphore that is not aligned", 0x5a00, 0x600000000
	expect
	ld8.acq	r11 = [r10]
	faulted	"ld8.acq that is not aligned", 0x5a00, 0x400000000
	sum	8			// psr.ac
	expect
	ld8	r11 = [r10]
	faulted	"ld8 with psr.ac", 0x5a00, 0x400000000
	rum	8
	mov	r11 = 5
	set_pr	0
	bundle	1, NOP, 8 << 37 | 10 << 20 | 1, NOP
	is	"what is predicated off is not refused", r11, 5
	br.cond.sptk finish
