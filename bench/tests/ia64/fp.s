// SPDX-License-Identifier: GPL-2.0-only
//
// Floating point: memory, registers that are disabled or rotate, NaTVals, ar.fpsr, and what an
// interruption says. What operations compute is in fprandom.s.

	.set	R1, REGION
	.set	ITIR1, 0x11 << 8 | 14 << 2
	.set	SS, 1 << 40
	.set	LEVEL, 1 << 32
	.set	MFL, 1 << 4
	.set	MFH, 1 << 5
	.set	AC, 1 << 3
	.set	DFL, 1 << 18
	.set	DFH, 1 << 19
	.set	TOP, 1 << 63
	.set	MINUS, 1 << 17
	.set	BIAS, 0xffff
	.set	INTEGER, 0x1003e
	.set	NATVAL, 0x1fffe
	.set	INFINITY, 0x1ffff
	// What programs begin with: no trap, and field 1 is for sequences of instructions
	.set	USUAL, 0x9804c0270033f
	.set	F0, 6
	.set	F1, 19
	.set	F2, 32
	.set	F3, 45
	// Flags of a field, and what enables those faults and traps
	.set	V, 1 << 7
	.set	D, 1 << 8
	.set	Z, 1 << 9
	.set	O, 1 << 10
	.set	U, 1 << 11
	.set	I, 1 << 12
	.set	TRAP_V, 1
	.set	TRAP_D, 2
	.set	TRAP_Z, 4
	.set	TRAP_O, 8
	.set	TRAP_U, 16
	.set	TRAP_I, 32

	.macro	fpsr val
	movl	r28 = \val
	mov	ar.fpsr = r28
	.endm

	// fset REGISTER, SE, SIG: its exponent with the sign, and its significand
	.macro	fset reg, se, sig
	.pushsection .data
	.balign	16
667:	data8	\sig, \se
	.popsection
	movl	r28 = 667b
	ldf.fill \reg = [r28]
	.endm

	.macro	fis what, reg, se, sig
	movl	r28 = spilled
	stf.spill [r28] = \reg
	ld8	r22 = [r28], 8
	ld8	r23 = [r28]
	is	"\what: the significand", r22, \sig
	is	"\what: sign and exponent", r23, \se
	.endm

	// fpsr_is WHAT, VALUE
	.macro	fpsr_is what, val
	mov	r22 = ar.fpsr
	is	"\what", r22, \val
	.endm

	// psr_is WHAT, MASK, VALUE
	.macro	psr_is what, mask, val
	mov	r22 = psr
	movl	r28 = \mask
	and	r22 = r22, r28
	is	"\what", r22, \val
	.endm

	.pushsection .bss
	.balign	16
spilled: .skip	16
	.popsection

main:
	virtual
	fpsr	USUAL

	// Constants
	fis	"f0", f0, 0, 0
	fis	"f1", f1, BIAS, TOP

	// Formats of loads
	.pushsection .data
	.balign	16
samples:
	data8	0xc0490fdb3f800000, 0x3ff0000000000000	// singles 1, -3.14; double 1
	data8	0x8000000000000001, 0x00000000007fffff	// double denormal, single denormal
	data8	0xfff0000000000000, 0x7ff0000000000001	// doubles: -infinity, a signaling NaN
	data8	0xc90fdaa22168c235, 0xffffffffffffc000	// extended -3.14, and what is behind it
	data8	0x4000000000000000, 0x0000000000000000	// extended denormal
	data8	0xffffffffffffffff, 0x0000000000007fff	// extended NaN
	data8	0x0123456789abcdef, 0xfffffffffffe8765	// a register, and what is behind it
	data8	0x8000000000000000, 0x0000000000008000	// extended pseudo-denormal, negative
	.popsection
	movl	r8 = samples
	ldfs	f6 = [r8], 4
	fis	"ldfs of 1", f6, BIAS, TOP
	ldfs	f6 = [r8], 4
	fis	"ldfs of -3.14", f6, MINUS | 0x10000, 0xc90fdb << 40
	ldfd	f6 = [r8], 8
	fis	"ldfd of 1", f6, BIAS, TOP
	ldfd	f6 = [r8], 8
	fis	"ldfd of a denormal", f6, MINUS | 0xfc01, 1 << 11
	ldfs	f6 = [r8], 8
	fis	"ldfs of a denormal", f6, 0xff81, 0x7fffff << 40
	ldfd	f6 = [r8], 8
	fis	"ldfd of -infinity", f6, MINUS | INFINITY, TOP
	ldfd	f6 = [r8], 8
	fis	"ldfd of a NaN", f6, INFINITY, TOP | 1 << 11
	ldfe	f6 = [r8], 16
	fis	"ldfe of -3.14 has 10 bytes", f6, MINUS | 0x10000, 0xc90fdaa22168c235
	ldfe	f6 = [r8], 16
	fis	"ldfe of a denormal keeps exponent 0", f6, 0, 1 << 62
	ldfe	f6 = [r8], 16
	fis	"ldfe of a NaN", f6, INFINITY, -1
	ldf.fill f6 = [r8], 16
	fis	"ldf.fill has 18 bits of the second word", f6, 0x28765, 0x0123456789abcdef
	ldfe	f6 = [r8]
	fis	"ldfe of a pseudo-denormal", f6, MINUS, TOP
	movl	r8 = samples + 3 * 16
	ldf8	f6 = [r8]
	fis	"ldf8", f6, INTEGER, 0xc90fdaa22168c235

	// Pairs, and what their updates add
	movl	r8 = samples
	ldfps	f6, f7 = [r8], 8
	fis	"ldfps, the first", f6, BIAS, TOP
	fis	"ldfps, the second", f7, MINUS | 0x10000, 0xc90fdb << 40
	is	"ldfps adds 8", r8, samples + 8
	ldfpd	f7, f6 = [r8], 16
	fis	"ldfpd, the first", f7, BIAS, TOP
	fis	"ldfpd, the second", f6, MINUS | 0xfc01, 1 << 11
	is	"ldfpd adds 16", r8, samples + 24
	movl	r8 = samples
	mov	r9 = 24
	ldfs	f6 = [r8], r9
	is	"ldfs adds a register", r8, samples + 24

	// The assembler warns of pairs in which one rotates, and does not write the others.
	.macro	pair format, f1, f2
	bundle	1, 6 << 37 | \format << 30 | 1 << 27 | 8 << 20 | \f2 << 13 | \f1 << 6, NOP, NOP
	.endm
	pair	1, 40, 7
	fis	"ldfp8, the first", f40, INTEGER, 0x7fffff
	fis	"ldfp8, the second", f7, INTEGER, 0xfff0000000000000
	expect
	pair	2, 6, 8
	faulted	"ldfps to two even registers", 0x5400, 0
	expect
	pair	3, 7, 41
	faulted	"ldfpd to two odd registers", 0x5400, 0
	expect
	pair	1, 6, 6
	faulted	"ldfp8 twice to one register", 0x5400, 0

	// Stores: bits are taken as they are
	fset	f6, MINUS | 0x10000, 0xc90fdaa22168c235
	movl	r8 = scratch
	mov	r9 = -1
	.irp	at, 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88
	adds	r10 = \at, r8
	st8	[r10] = r9
	.endr
	stfs	[r8] = f6, 8
	stfd	[r8] = f6, 8
	stf8	[r8] = f6, 16
	stfe	[r8] = f6, 16
	stf.spill [r8] = f6, -16
	is	"updates of stores", r8, scratch + 32
	movl	r8 = scratch
	.macro	stored what, val
	ld8	r22 = [r8], 8
	is	"\what", r22, \val
	.endm
	stored	"stfs cuts off what has no room", 0xffffffffc0490fda
	stored	"stfd", 0xc00921fb54442d18
	stored	"stf8", 0xc90fdaa22168c235
	stored	"and no more", -1
	stored	"stfe: the significand", 0xc90fdaa22168c235
	stored	"stfe: 10 bytes", 0xffffffffffffc000
	stored	"stf.spill: the significand", 0xc90fdaa22168c235
	stored	"stf.spill: the rest is 0", 0x30000
	fset	f6, 0xfc01, 1 << 60
	movl	r8 = scratch
	stfd	[r8] = f6, 8
	stfe	[r8] = f6, -8
	stored	"stfd of a denormal", 1 << 49
	stored	"stfe of what no extended number is", 1 << 60

	// setf, getf
	movl	r8 = 0xffffffffc0490fdb
	setf.s	f6 = r8
	fis	"setf.s has the lower half", f6, MINUS | 0x10000, 0xc90fdb << 40
	movl	r8 = 0xfffffffffffd8765
	setf.exp f6 = r8
	fis	"setf.exp has 18 bits", f6, 0x18765, TOP
	setf.sig f6 = r8
	fis	"setf.sig", f6, INTEGER, 0xfffffffffffd8765
	fset	f6, MINUS | 0x10000, 0xc90fdaa22168c235
	getf.s	r8 = f6
	is	"getf.s has no sign above", r8, 0xc0490fda
	getf.d	r8 = f6
	is	"getf.d", r8, 0xc00921fb54442d18
	getf.exp r8 = f6
	is	"getf.exp", r8, 0x30000
	getf.sig r8 = f6
	is	"getf.sig", r8, 0xc90fdaa22168c235

	// NaTVals
	mov	ar.unat = -1
	movl	r8 = scratch
	ld8.fill r9 = [r8]		// a NaT
	setf.sig f6 = r9
	fis	"setf of a NaT", f6, NATVAL, 0
	setf.d	f7 = r9
	fis	"setf.d of a NaT", f7, NATVAL, 0
	set_pr	0
	mov	r9 = 0
	srlz.d				// no register is a NaT where the next block begins
	getf.sig r10 = f6
	tnat.nz	p1, p2 = r10
	mov	r10 = 0
	is_pr	"getf of a NaTVal", 1
	mov	r10 = 5
	(p0) chk.s f6, 1f
	mov	r10 = 6
1:	is	"chk.s of a NaTVal branches", r10, 5
	chk.s	f1, 1f
	mov	r10 = 6
1:	is	"chk.s of a number does not", r10, 6
	mov	r10 = 5
	chk.a.nc f1, 1f
	mov	r10 = 6
1:	is	"chk.a branches", r10, 5
	movl	r8 = samples
	mov	ar.unat = -1
	movl	r8 = scratch
	ld8.fill r9 = [r8]
	fset	f6, BIAS, TOP
	fset	f7, BIAS, TOP
	ldfpd.s	f6, f7 = [r9], 16
	fis	"ldfpd.s by a NaT, the first", f6, NATVAL, 0
	fis	"ldfpd.s by a NaT, the second", f7, NATVAL, 0
	set_pr	0
	tnat.nz	p1, p2 = r9
	mov	r9 = 0
	is_pr	"its update is a NaT", 1
	movl	r8 = samples
	go	1f, ISR_ED
1:	ldfs.s	f6 = [r8], 4
	fis	"ldfs.s with psr.ed", f6, NATVAL, 0
	is	"its update is made", r8, samples + 4
	movl	r8 = samples
	ldfs.sa	f6 = [r8]
	fis	"ldfs.sa", f6, BIAS, TOP
	ldfs.c.clr f7 = [r8]
	fis	"ldfs.c.clr loads", f7, BIAS, TOP
	ld8.fill r9 = [r8]
	expect
	ldfd	f6 = [r9]
	faulted	"ldfd by a NaT", 0x5600, R | 0x10
	expect
	stfd	[r9] = f6
	faulted	"stfd by a NaT", 0x5600, W | 0x10
	mov	r9 = 0
	fset	f6, NATVAL, 0
	movl	r8 = scratch
	expect
	stf8	[r8] = f6, 8
	faulted	"stf8 of a NaTVal", 0x5600, W | 0x10
	is	"its update is not made", r8, scratch

	// The ends of pages, and what is not aligned
	.set	HERE, R1 + 0x4000
	map	HERE, MEMORY | ALL
	movl	r8 = HERE + 0x4000 - 16
	stf.spill [r8] = f1
	adds	r8 = 6, r8
	ldfe	f6 = [r8]
	fis	"ldfe with its last byte at the end of a page", f6, 0, 0xffff8000
	stfe	[r8] = f1
	ldfe	f6 = [r8]
	fis	"stfe with its last byte at the end of a page", f6, BIAS, TOP
	fset	f6, 0x11111, 0x1111111111111111
	adds	r8 = 2, r8
	expect
	ldf.fill f6 = [r8], 16
	faulted	"ldf.fill over the end of a page", 0x1000, R, HERE + 0x4000, ITIR1
	fis	"the register is as it was", f6, 0x11111, 0x1111111111111111
	is	"and so is the address", r8, HERE + 0x4000 - 8
	expect
	stf.spill [r8] = f6, 16
	faulted	"stf.spill over the end of a page", 0x1000, W, HERE + 0x4000, ITIR1
	ld8	r9 = [r8]
	is	"nothing is stored before the end", r9, 0x3fff800000000000
	expect
	ldfe	f6 = [r8]
	faulted	"ldfe over the end of a page", 0x1000, R, HERE + 0x4000, ITIR1
	expect
	stfe	[r8] = f6
	faulted	"stfe over the end of a page", 0x1000, W, HERE + 0x4000, ITIR1
	movl	r8 = scratch + 8
	ldfe	f6 = [r8]
	ldf.fill f6 = [r8]
	ldfp8	f6, f7 = [r8]
	stf.spill [r8] = f6
	adds	r8 = 1, r8
	stfd	[r8] = f1
	ldfd	f6 = [r8]
	fis	"without psr.ac any address will do", f6, BIAS, TOP
	go	1f, AC
1:	.macro	unaligned what, insn, at, isr
	movl	r8 = scratch + \at
	expect
	\insn
	faulted	"\what", 0x5a00, \isr, scratch + \at, 0x10 << 8 | 14 << 2
	.endm
	unaligned "ldfs at 2", "ldfs f6 = [r8]", 2, R
	unaligned "ldfd at 4", "ldfd f6 = [r8], 8", 4, R
	unaligned "ldf8 at 4", "ldf8 f6 = [r8]", 4, R
	unaligned "ldfe at 8", "ldfe f6 = [r8]", 8, R
	unaligned "ldf.fill at 8", "ldf.fill f6 = [r8]", 8, R
	unaligned "ldfps at 4", "ldfps f6, f7 = [r8]", 4, R
	unaligned "ldfpd at 8", "ldfpd f6, f7 = [r8]", 8, R
	unaligned "ldfp8 at 8", "ldfp8 f6, f7 = [r8]", 8, R
	unaligned "stfs at 2", "stfs [r8] = f1", 2, W
	unaligned "stfd at 4", "stfd [r8] = f1", 4, W
	unaligned "stfe at 8", "stfe [r8] = f1", 8, W
	unaligned "stf.spill at 8", "stf.spill [r8] = f1", 8, W
	rum	AC

	// Targets that cannot be; the assembler does not write these
	.macro	no_target what, slot0, slot1=NOP
	expect
	bundle	0xd, \slot0, \slot1, NOP
	.ifc	\slot0, NOP
	faulted	"\what", 0x5400, EI
	.else
	faulted	"\what", 0x5400, 0
	.endif
	.endm
	movl	r8 = samples
	no_target "fma f0", NOP, 8 << 37 | 1 << 27 | 1 << 20 | 1 << 13
	no_target "fmerge.s f1", NOP, 0x10 << 27 | 7 << 20 | 6 << 13 | 1 << 6
	no_target "fcvt.fx f0", NOP, 0x18 << 27 | 1 << 13
	no_target "fmin f1", NOP, 0x14 << 27 | 7 << 20 | 6 << 13 | 1 << 6
	no_target "fpcmp.eq f0", NOP, 1 << 37 | 0x30 << 27 | 7 << 20 | 6 << 13
	no_target "xma.l f1", NOP, 0xe << 37 | 1 << 36 | 6 << 27 | 6 << 20 | 6 << 13 | 1 << 6
	no_target "frcpa f0", NOP, 1 << 33 | 6 << 27 | 1 << 20 | 1 << 13
	no_target "ldfs f0", 6 << 37 | 2 << 30 | 8 << 20
	no_target "ldfps f6, f1", 6 << 37 | 2 << 30 | 1 << 27 | 8 << 20 | 1 << 13 | 6 << 6
	no_target "setf.sig f1", 6 << 37 | 0x1c << 30 | 1 << 27 | 8 << 13 | 1 << 6
	no_target "ldfd with an update of r0", 7 << 37 | 3 << 30 | 8 << 13 | 6 << 6
	no_target "stfd with an update of r0", 7 << 37 | 0x33 << 30 | 1 << 13 | 8 << 6
	no_target "getf.d r0", 4 << 37 | 0x1f << 30 | 1 << 27 | 1 << 13
	no_target "fcmp to one predicate", NOP, 4 << 37 | 6 << 27 | 1 << 20 | 1 << 13 | 6 << 6
	no_target "fclass to one predicate", NOP, 5 << 37 | 6 << 27 | 1 << 20 | 1 << 13 | 6 << 6

	.macro	store how, reg
	\how	[r8] = \reg
	.endm

	// What psr says of registers that are written
	.macro	written what, val, insn:vararg
	rum	MFL | MFH
	\insn
	psr_is	"psr.mfl, mfh: \what", MFL | MFH, \val
	.endm
	movl	r8 = samples
	written	"nothing", 0, nop.m 0
	written	"fma f31", MFL, fma f31 = f1, f1, f1
	written	"fma f32", MFH, fma f32 = f1, f1, f1
	written	"fmerge.s f2", MFL, fmerge.s f2 = f1, f1
	written	"fcvt.fx f127", MFH, fcvt.fx f127 = f1
	written	"fpmin f33", MFH, fpmin f33 = f1, f1
	written	"frcpa f3", MFL, (p0) frcpa f3, p6 = f1, f1
	written	"xma.l f5", MFL, xma.l f5 = f1, f1, f1
	written	"fpcmp f34", MFH, fpcmp.eq f34 = f1, f1
	written	"setf.sig f32", MFH, setf.sig f32 = r0
	written	"ldfs f6", MFL, ldfs f6 = [r8]
	written	"ldfpd f6, f33", MFL | MFH, pair 3, 6, 33
	written	"a store", 0, store stfs, f6
	set_pr	0
	written	"fma f31 that is off", 0, (p1) fma f31 = f1, f1, f1
	rum	MFL | MFH

	// Registers that are disabled
	.macro	disabled what, isr, insn:vararg
	expect
	\insn
	faulted	"disabled: \what", 0x5500, \isr
	.endm
	fset	f6, 0x11111, 0x1111111111111111
	ssm	DFL
	srlz.d
	movl	r8 = samples
	disabled "fma f6", EI | 1, fma f6 = f1, f1, f1
	disabled "fma of f2", EI | 1, fma f40 = f1, f1, f2
	disabled "fma of f31 for its f4", EI | 1, fma f40 = f1, f31, f1
	disabled "fma of f31 for its f3", EI | 1, fma f40 = f31, f1, f1
	disabled "fmerge.s", EI | 1, fmerge.s f40 = f1, f6
	disabled "fcmp", EI | 1, (p0) fcmp.eq p6, p7 = f6, f1
	disabled "fclass", EI | 1, (p0) fclass.m p6, p7 = f6, 0x1ff
	disabled "frcpa", EI | 1, (p0) frcpa f40, p6 = f6, f1
	disabled "frsqrta", EI | 1, (p0) frsqrta f40, p6 = f6
	disabled "fselect", EI | 1, fselect f40 = f6, f1, f1
	disabled "fcvt.xf", EI | 1, fcvt.xf f40 = f6
	disabled "fpcvt.fx", EI | 1, fpcvt.fx f40 = f6
	disabled "setf.sig", 1, setf.sig f6 = r0
	disabled "getf.sig", 1, getf.sig r9 = f6
	disabled "ldfs", R | 1, ldfs f6 = [r8], 4
	disabled "ldfps", R | 1, pair 2, 6, 33
	disabled "ldfs.s", R | SP | 1, ldfs.s f6 = [r8]
	disabled "stfs", W | 1, store stfs, f6
	disabled "chk.s", 1, chk.s f6, main
	is	"no update was made", r8, samples
	fma	f40 = f1, f1, f1
	ldfs	f127 = [r8]
	fis	"registers from 32 on are not", f40, BIAS + 1, TOP
	set_pr	0
	(p1) fma f6 = f1, f1, f1
	rsm	DFL
	ssm	DFH
	srlz.d
	disabled "fma f32 of f127", EI | 2, fma f32 = f127, f1, f1
	disabled "ldfpd f6, f33", R | 2, pair 3, 6, 33
	disabled "stfe f127", W | 2, store stfe, f127
	fma	f7 = f1, f1, f1
	fis	"registers below 32 are not", f7, BIAS + 1, TOP
	ssm	DFL
	srlz.d
	disabled "fma f32 of f31", EI | 3, fma f32 = f31, f1, f1
	rsm	DFL | DFH
	srlz.d
	fis	"nothing was written", f6, 0x11111, 0x1111111111111111

	// Faults come before the instruction, which may be done again; traps come after it.
	fset	f6, INFINITY, TOP | 1			// a signaling NaN
	fset	f7, BIAS, 1 << 62
	fset	f10, 0x11111, 0x1111111111111111
	fset	f11, INTEGER, 0x7f800001 << 32 | 0x00000001
	fset	f12, INTEGER, 0x3f800000 << 32 | 0x3f800000
	fset	f13, INTEGER, 0x3f800000 << 32
	fma	f40 = f1, f1, f1
	.macro	fp_fault what, isr, traps, insn:vararg
	fpsr	USUAL & ~(\traps)
	expect
	\insn
	faulted	"\what", 0x5c00, EI | \isr
	recorded "\what: iip", IIP, 665b
	recorded "\what: ipsr", IPSR, VIRTUAL | EI | MFL | MFH
	fpsr_is	"\what: ar.fpsr", USUAL & ~(\traps)
	.endm
	fp_fault "an invalid operation", 1, TRAP_V, fma f10 = f6, f1, f1
	fp_fault "a denormal operand", 2, TRAP_D, fma f10 = f7, f1, f1
	fp_fault "division by 0", 4, TRAP_Z, (p0) frcpa f10, p6 = f1, f0
	fp_fault "an invalid comparison", 1, TRAP_V, (p0) fcmp.lt p6, p7 = f6, f1
	fp_fault "an invalid conversion", 1, TRAP_V, fcvt.fx f10 = f6
	fp_fault "an invalid minimum", 1, TRAP_V, fmin f10 = f6, f1
	fp_fault "a denormal maximum", 2, TRAP_D, famax f10 = f7, f1
	fp_fault "invalid in the upper half", 1, TRAP_V, fpma f10 = f11, f11, f0
	fp_fault "denormal in the lower half", 0x20, TRAP_D, fpma f10 = f11, f11, f0
	fp_fault "both", 0x21, TRAP_V | TRAP_D, fpma f10 = f11, f11, f0
	fp_fault "division by 0 in the lower half", 0x40, TRAP_Z, (p0) fprcpa f10, p6 = f12, f13
	fis	"no register was written", f10, 0x11111, 0x1111111111111111
	fpsr	USUAL & ~(TRAP_V | TRAP_D | TRAP_Z)
	fma.s1	f10 = f6, f1, f1
	fpsr_is	"td of a field disables them", USUAL & ~(TRAP_V | TRAP_D | TRAP_Z) | V << F1
	fis	"td: a NaN is quiet then", f10, INFINITY, TOP | 1 << 62 | 1

	.set	ISR_O, 1 << 11
	.set	ISR_U, 1 << 12
	.set	ISR_I, 1 << 13
	.set	ISR_AWAY, 1 << 14
	.set	LOWER, 4			// how far below these are the lower half's
	.macro	fp_trap what, isr, traps, flags, se, sig, insn:vararg
	fpsr	USUAL & ~(\traps)
	expect
	\insn
	faulted	"\what", 0x5d00, EI | 1 | \isr
	recorded "\what: iip", IIP, 665b
	recorded "\what: ipsr", IPSR, VIRTUAL | 2 * EI | MFL | MFH
	fpsr_is	"\what: ar.fpsr", USUAL & ~(\traps) | (\flags) << F0
	fis	"\what", f10, \se, \sig
	.endm
	fset	f6, BIAS, ~(1 << 20)
	fset	f7, BIAS, TOP | 1
	fset	f8, 0x103fe, TOP		// 2^1023
	fset	f9, 0x10000, ~(1 << 20)
	fset	f11, 0xfc01, TOP		// 2^-1022
	fset	f12, BIAS - 1, TOP
	fset	f13, 0xfc01, TOP | 1 << 11
	fp_trap	"inexact, away from 0", ISR_I | ISR_AWAY, TRAP_I, I, BIAS, 0xfffffffffff00000, fma.d f10 = f6, f1, f0
	fp_trap	"inexact, to 0", ISR_I, TRAP_I, I, BIAS, TOP, fma.d f10 = f7, f1, f0
	fp_trap	"overflow", ISR_O, TRAP_O, O, 0x107fd, TOP, fma.d f10 = f8, f8, f0
	fp_trap	"overflow, inexact", ISR_O | ISR_I | ISR_AWAY, TRAP_O, O | I, 0x103ff, 0xfffffffffff00000, fma.d f10 = f8, f9, f0
	fp_trap	"overflow without a trap is inexact", ISR_I | ISR_AWAY, TRAP_I, O | I, INFINITY, TOP, fma.d f10 = f8, f8, f0
	fp_trap	"underflow that is exact", ISR_U, TRAP_U, U, 0xfc00, TOP, fma.d f10 = f11, f12, f0
	fp_trap	"underflow without a trap, inexact", ISR_I, TRAP_I, U | I, 0xfc01, 1 << 62, fma.d f10 = f13, f12, f0
	fp_trap	"an inexact conversion", ISR_I | ISR_AWAY, TRAP_I, I, INTEGER, 2, fcvt.fx f10 = f6
	fset	f14, INTEGER, 0x3f800000 << 32 | 0x3f800001
	fset	f15, INTEGER, 0x7f000000 << 32 | 0x3f800001
	fp_trap	"inexact in the lower half", ISR_I >> LOWER, TRAP_I, I, INTEGER, 0x3f800000 << 32 | 0x3f800002, fpma f10 = f14, f14, f0
	fp_trap	"overflow above, inexact below", ISR_O | ISR_I >> LOWER, TRAP_O | TRAP_I, O | I, INTEGER, 0x3e800000 << 32 | 0x3f800002, fpma f10 = f15, f15, f0
	fpsr	USUAL
	fma.d	f10 = f11, f12, f0
	fpsr_is	"underflow that is exact has no flag", USUAL
	fis	"it is a denormal", f10, 0xfc01, 1 << 62
	fpsr	USUAL | 1 << F0
	fma.d	f10 = f11, f12, f0
	fpsr_is	"but flushed to 0 it has", USUAL | 1 << F0 | (U | I) << F0
	fis	"and is 0", f10, 0, 0
	fpsr	USUAL & ~TRAP_I | 3 << (F0 + 4)
	expect
	fma.d	f10 = f6, f1, f0
	faulted	"inexact, cut off", 0x5d00, EI | 1 | ISR_I
	fpsr	USUAL & ~TRAP_I
	expect
	go	1f, SS | EI
1:	fma.d	f10 = f6, f1, f0
	faulted	"a trap of a single step", 0x5d00, EI | 1 | 8 | ISR_I | ISR_AWAY
	expect
	go	1f, SS | EI
1:	fma.d	f10 = f1, f1, f0
	faulted	"a single step without one", 0x6000, EI | 8
	fpsr	USUAL & ~TRAP_I
	set_pr	0
	(p1) fma.d f10 = f6, f1, f0
	fpsr_is	"no trap of what is off", USUAL & ~TRAP_I

	// None of these says an address.
	.macro	not_told what, vector, isr, insn:vararg
	ic	0
	mov	r8 = 0x1230
	mov	cr.ifa = r8
	mov	cr.itir = r8
	ic	1
	expect
	\insn
	faulted	"\what", \vector, \isr
	recorded "\what: cr.ifa", IFA, 0x1230
	recorded "\what: cr.itir", ITIR, 0x1230
	.endm
	not_told "a trap", 0x5d00, EI | 1 | ISR_I | ISR_AWAY, fma.d f10 = f6, f1, f0
	fpsr	USUAL & ~TRAP_Z
	not_told "a fault", 0x5c00, EI | 4, (p0) frcpa f10, p6 = f1, f0
	ssm	DFL
	srlz.d
	not_told "a register that is disabled", 0x5500, EI | 1, fma f10 = f1, f1, f1
	rsm	DFL
	srlz.d

	// ar.fpsr
	.macro	reserved what, val
	movl	r9 = \val
	expect
	mov	ar.fpsr = r9
	faulted	"reserved: \what", 0x5400, 0x30
	.endm
	fpsr	USUAL
	reserved "bit 58", USUAL | 1 << 58
	reserved "bit 63", USUAL | 1 << 63
	reserved "td of field 0", USUAL | 1 << (F0 + 6)
	reserved "precision 1 of field 0", USUAL & ~(2 << (F0 + 2))
	reserved "precision 1 of field 1", USUAL & ~(2 << (F1 + 2))
	reserved "precision 1 of field 2", USUAL & ~(2 << (F2 + 2))
	reserved "precision 1 of field 3", USUAL & ~(2 << (F3 + 2))
	expect
	fsetc.s0 0x7f, 0x40
	faulted	"fsetc of td of field 0", 0x5400, EI | 0x30
	expect
	fsetc.s2 0x77, 0
	faulted	"fsetc of precision 1", 0x5400, EI | 0x30
	fpsr_is	"ar.fpsr is as it was", USUAL
	fsetc.s1 0x7b, 3
	fpsr_is	"fsetc.s1 begins with the controls of field 0", USUAL & ~(0x7f << F1) | 0xb << F1
	fsetc.s3 0x7f, 0x40
	fsetc.s2 0x7f, 0x30
	fpsr_is	"fsetc.s2", USUAL & ~(0x7f << F1 | 0x7f << F2) | 0xb << F1 | 0x3c << F2
	fpsr	USUAL | (V | I) << F0 | D << F1 | Z << F2 | (V | D | Z | O | U | I) << F3
	fclrf.s3
	fpsr_is	"fclrf.s3", USUAL | (V | I) << F0 | D << F1 | Z << F2
	fclrf.s0
	fpsr_is	"fclrf.s0", USUAL | D << F1 | Z << F2
	.macro	checked what, val, branches, sf
	fpsr	\val
	mov	r9 = 1
	fchkf.\sf 1f
	mov	r9 = 0
1:	is	"fchkf: \what", r9, \branches
	.endm
	checked "no flags", USUAL, 0, s1
	checked "a flag that field 0 has not", USUAL | V << F1, 1, s1
	checked "a flag that field 0 has", USUAL | V << F1 | V << F0, 0, s1
	checked "a flag that would interrupt", USUAL & ~TRAP_V | V << F1 | V << F0, 1, s1
	checked "another flag", USUAL & ~TRAP_D | V << F1 | V << F0, 0, s1
	checked "another field's flag", USUAL | V << F1, 0, s2
	checked "field 0 that would interrupt", USUAL & ~TRAP_I | I << F0, 1, s0
	fpsr	USUAL

	// Rotation
	clrrrb
	fset	f32, 0x11111, TOP | 32
	fset	f33, 0x11111, TOP | 33
	fset	f126, 0x11111, TOP | 126
	fset	f127, 0x11111, TOP | 127
	fset	f31, 0x11111, TOP | 31
	mov	ar.lc = 1
	mov	ar.ec = 1
	br.ctop.sptk 1f
1:	fis	"f33 was f32", f33, 0x11111, TOP | 32
	fis	"f32 was f127", f32, 0x11111, TOP | 127
	fis	"f127 was f126", f127, 0x11111, TOP | 126
	fis	"f31 does not rotate", f31, 0x11111, TOP | 31
	fmerge.s f40 = f33, f33
	getf.sig r9 = f40
	is	"operations rotate", r9, TOP | 32
	mov	r9 = 77
	setf.sig f34 = r9
	movl	r8 = samples
	pair	2, 6, 32
	fis	"a pair of f6 and f32, which is odd now", f32, MINUS | 0x10000, 0xc90fdb << 40
	expect
	pair	2, 7, 32
	faulted	"a pair of f7 and f32", 0x5400, 0
	fset	f35, NATVAL, 0
	mov	r9 = 5
	chk.s	f35, 1f
	mov	r9 = 6
1:	is	"chk.s rotates", r9, 5
	clrrrb
	fis	"f33 is there again, and was f34", f33, INTEGER, 77

	// What F slots have besides
	expect
	break.f	0x12345
	faulted	"break.f", 0x2c00, EI
	recorded "break.f: iim", IIM, 0x12345
	br.cond.sptk finish
