// SPDX-License-Identifier: GPL-2.0-only
//
// The performance monitoring units of the three models: which registers there are, what counts
// where, overflow and its interrupt, ranges of code, the trace of branches, the events that the
// bench makes.
//
// What is the architecture's is in Intel's Software Developer's Manual, volume 2, chapter 7; the models'
// registers and events are in Intel's reference manuals of the processors, and in libpfm.
//
// r32 to r63 are variables of all tests; p10, p11, p12 say which model it is, p13 is 0.

	.set	UP, 1 << 2
	.set	SP, 1 << 20
	.set	PP, 1 << 21
	.set	PSR_I, 1 << 14
	.set	LEVEL, 1 << 32
	.set	OI, 1 << 5
	.set	PM, 1 << 6
	.set	FR, 1
	.set	CYCLES, 0x12 << 8
	.set	INSNS, 0x08 << 8
	.set	CAPTURED, 0x11 << 8
	.set	VECTOR_PMU, 0xe0
	// Registers of the bench
	.set	READS, 240
	.set	WRITES, 241
	.set	INTERRUPTS, 242
	.set	SKID, 243
	.set	EXECUTED, 244
	.set	ADDRESS, 245
	.set	DATA_EVENT, 246
	.set	CODE_EVENT, 247

	// is_reg WHAT, REGISTER, REGISTER: as "is", with a value that is not known before
	.macro	is_reg what, reg, value
	.pushsection .rodata
660:	.asciz "\what"
	.popsection
	mov	r28 = \reg
	mov	r29 = \value
	movl	r30 = 660b
	movl	r31 = 661f
	br.cond.sptk check
	.align	16
661:
	.endm

	// gosub WHERE: a subroutine, which returns to b5
	.macro	gosub where
	movl	r27 = 668f
	mov	b5 = r27
	br.cond.sptk \where
	.align	16
668:
	.endm

	// by_model REGISTER, of Itanium, of Itanium 2, of Montecito
	.macro	by_model reg, a, b, c
	(p10) movl \reg = \a
	(p11) movl \reg = \b
	(p12) movl \reg = \c
	.endm

	.macro	pmc n, val
	mov	r28 = \n
	movl	r29 = \val
	mov	pmc[r28] = r29
	.endm
	.macro	pmd n, val
	mov	r28 = \n
	movl	r29 = \val
	mov	pmd[r28] = r29
	.endm
	.macro	get_pmc reg, n
	mov	r28 = \n
	mov	\reg = pmc[r28]
	.endm
	.macro	get_pmd reg, n
	mov	r28 = \n
	mov	\reg = pmd[r28]
	.endm
	// pmc_is, pmd_is WHAT, NUMBER, VALUE
	.macro	pmc_is what, n, val
	get_pmc	r8, \n
	is	"\what", r8, \val
	.endm
	.macro	pmd_is what, n, val
	get_pmd	r8, \n
	is	"\what", r8, \val
	.endm

	// counter NUMBER, CONTROL: at 0; an event that the models have differently is in EVENT
	.macro	counter n, control, event=r0
	movl	r28 = \control
	or	r28 = r28, r33
	shl	r29 = \event, 8
	or	r28 = r28, r29
	.if	\n == 4
	or	r28 = r28, r34
	.endif
	mov	r29 = \n
	mov	pmc[r29] = r28
	mov	pmd[r29] = r0
	.endm

	// at CODE, PSR, PMC0: run that, with these bits of psr, from when PMC0 is that
	.macro	at code, psr, pmc0=0
	movl	r40 = \psr
	movl	r41 = \code
	movl	r42 = \pmc0
	gosub	run
	.endm

	// takes WHAT, VECTOR: that is what cr.ivr tells, and then nothing
	.macro	takes what, vector
	mov	r8 = cr.ivr
	is	"\what", r8, \vector
	mov	cr.eoi = r0
	srlz.d
	.endm

main:
	alloc	r2 = ar.pfs, 0, 64, 0, 0
	cmp.ne	p13, p0 = r0, r0
	movl	r8 = forgotten
	movl	r9 = UP | PP | SP
	st8	[r8] = r9
	// The model
	mov	r9 = 3
	mov	r8 = cpuid[r9]
	extr.u	r8 = r8, 24, 8
	mov	r9 = 0x07
	cmp.eq	p10, p0 = r8, r9
	mov	r9 = 0x1f
	cmp.eq	p11, p0 = r8, r9
	mov	r9 = 0x20
	cmp.eq	p12, p0 = r8, r9
	by_model r33, 0, 0, 2 << 24		// what a counter's control needs
	by_model r34, 0, 1 << 23, 0		// and the first one's
	by_model r35, 0x30, 0x50, 0x50		// events
	by_model r36, 0x6c, 0xcd, 0xcd
	by_model r37, 0x6d, 0xd1, 0xd1
	by_model r38, 0x67, 0xc8, 0xc8
	by_model r39, 0x23, 0x43, 0x43
	by_model r44, 4, 4, 12			// counters
	by_model r49, 12, 12, 39		// the trace's control, first entry, index
	by_model r50, 8, 8, 48
	by_model r51, 16, 16, 38
	by_model r52, 8, 8, 16			// its entries, and the bit that says that it is full
	by_model r53, 3, 3, 5
	by_model r54, 13, 14, 38		// the control of ranges

	// Registers as they are at first
	pmc_is	"nothing is frozen", 0, 0
	by_model r41, resets_itanium, resets_itanium2, resets_montecito
	gosub	resets_are
	is	"PMCs at first: the first that is another", r8, -1
	// Bits
	pmc_is	"PMC1", 1, 0
	pmc	0, -1
	get_pmc	r8, 0
	by_model r9, 0xf1, 0xf1, 0xfff1
	is_reg	"PMC0: its bits", r8, r9
	pmc	0, FR
	pmc_is	"PMC0: only fr is left", 0, FR
	by_model r41, pmcs_itanium, pmcs_itanium2, pmcs_montecito
	gosub	pmcs_have
	is	"PMCs: the first whose bits are others", r8, -1
	by_model r41, pmds_itanium, pmds_itanium2, pmds_montecito
	gosub	pmds_have
	is	"PMDs: the first whose bits are others", r8, -1
	pmd	4, 1 << 46
	get_pmd	r8, 4
	by_model r9, 0, -1 << 46, -1 << 46
	is_reg	"PMD4: bit 46", r8, r9
	pmd	4, 1 << 31
	pmd_is	"PMD4: bit 31", 4, 1 << 31
	pmd	4, 0x123456789abcdef0
	get_pmd	r8, 4
	by_model r9, 0x9abcdef0, 0x56789abcdef0, 0x56789abcdef0
	dep	r10 = 0, r9, 47, 17
	tbit.nz	p1, p2 = r10, 46
	(p1) dep r10 = -1, r10, 47, 17
	(p10) mov r10 = r9
	is_reg	"PMD4: what is wider", r8, r10
	mov	r8 = 0x104
	mov	r9 = pmd[r8]
	is_reg	"only bits 7:0 are the number", r9, r10
	by_model r9, 0x0003ffff00000001, 0x0db60db60db60db6, 0xdb6
	mov	pmc[r54] = r9			// no ranges
	gosub	clean

	virtual

	// The rule by which a monitor is enabled: for each level, psr.up and psr.pp all masks of levels, with
	// pm and without
	.macro	rule level, up, pp
	movl	r40 = \level * LEVEL | \up * UP | \pp * PP
	mov	r45 = \level << 2 | \up << 1 | \pp
	gosub	counters_rule
	is	"level \level, up \up, pp \pp: counters, the first that is wrong", r47, -1
	gosub	trace_rule
	is	"level \level, up \up, pp \pp: the trace, the first that is wrong", r47, -1
	gosub	data_rule
	is	"level \level, up \up, pp \pp: data events, the first that is wrong", r47, -1
	gosub	code_rule
	is	"level \level, up \up, pp \pp: code events, the first that is wrong", r47, -1
	.endm
	.irp	level, 0, 1, 2, 3
	rule	\level, 0, 0
	rule	\level, 0, 1
	rule	\level, 1, 0
	rule	\level, 1, 1
	.endr

	// Frozen, nothing counts
	gosub	clean
	counter	4, CYCLES | 15
	counter	5, CYCLES | PM | 15
	at	sixteen, UP | PP, FR
	pmd_is	"frozen, psr.up", 4, 0
	pmd_is	"frozen, psr.pp", 5, 0
	at	sixteen, UP | PP
	pmd_is	"not frozen, psr.up", 4, 16
	pmd_is	"not frozen, psr.pp", 5, 16

	// Each counter
	gosub	clean
	mov	r45 = 4
1:	movl	r8 = CYCLES | 15
	or	r8 = r8, r33
	cmp.eq	p1, p2 = 4, r45
	(p1) or r8 = r8, r34
	mov	pmc[r45] = r8
	adds	r45 = 1, r45
	adds	r9 = 4, r44
	cmp.ne	p1, p2 = r45, r9
	(p1) br.cond.dptk 1b
	at	sixteen, UP
	mov	r45 = 4
	mov	r47 = -1
1:	mov	r8 = pmd[r45]
	cmp.ne	p1, p2 = 16, r8
	(p1) mov r47 = r45
	adds	r45 = 1, r45
	adds	r9 = 4, r44
	cmp.ne	p1, p2 = r45, r9
	(p1) br.cond.dptk 1b
	is	"all counters at once: one that is wrong", r47, -1
	gosub	clean

	// Events
	.macro	counts what, code, event, control, psr, expected
	counter	4, \control, \event
	at	\code, \psr
	pmd_is	"\what", 4, \expected
	.endm
	.macro	code_counts what, code, slots, nops, loads, stores
	counts	"\what: cycles", \code, r0, CYCLES | 1, UP, \slots
	counts	"\what: instructions", \code, r0, INSNS | 1, UP, \slots
	counts	"\what: nops", \code, r35, 1, UP, \nops
	counts	"\what: loads", \code, r36, 1, UP, \loads
	counts	"\what: stores", \code, r37, 1, UP, \stores
	.endm
	code_counts "nops", sixteen, 16, 15, 0, 0
	code_counts "predicated off", predicated_off, 13, 3, 0, 0
	code_counts "memory", memory, 25, 6, 9, 7
	code_counts "long instructions, and nops of all units", long, 11, 7, 0, 0
	code_counts "a loop", loop, 3004, 2001, 0, 0
	code_counts "calls", calls, 16, 6, 0, 0
	counts	"an event that is none", sixteen, r0, 0xff << 8 | 1, UP, 0
	counts	"event 0", sixteen, r0, 1, UP, 0
	.macro	later what, control, itanium, itanium2, montecito
	counter	4, 0
	movl	r28 = \control
	or	r28 = r28, r34
	mov	r29 = 4
	mov	pmc[r29] = r28
	at	sixteen, UP
	get_pmd	r8, 4
	by_model r9, \itanium, \itanium2, \montecito
	is_reg	"\what", r8, r9
	.endm
	later	"instruction sets: both", CYCLES | 1, 16, 16, 0
	later	"instruction sets: IA-32", CYCLES | 1 | 1 << 24, 0, 0, 0
	later	"instruction sets: IA-64", CYCLES | 1 | 2 << 24, 16, 16, 16
	later	"instruction sets: 3", CYCLES | 1 | 3 << 24, 0, 0, 0
	counts	"a threshold, cycles", sixteen, r0, CYCLES | 1 << 20 | 1, UP, 0
	counts	"a threshold, instructions", sixteen, r0, INSNS | 1 << 20 | 1, UP, 0
	pmc	4, CYCLES | 1 | 2 << 24
	pmd	4, 0
	at	sixteen, UP
	get_pmd	r8, 4
	by_model r9, 16, 0, 16
	is_reg	"without power", r8, r9
	counter	4, 0
	counter	6, INSNS | 1
	at	sixteen, UP
	get_pmd	r8, 6
	by_model r9, 0, 16, 16
	is_reg	"instructions on the third counter", r8, r9
	counter	6, CYCLES | 1
	at	sixteen, UP
	pmd_is	"cycles on the third counter", 6, 16
	gosub	clean

	// What faults is not counted, wherever it is in its bundle
	.macro	faulting slot, code, slots
	movl	r10 = 3 * REGION
	counts	"a fault in slot \slot: cycles", \code, r0, CYCLES | 8, UP | 3 * LEVEL, \slots
	counts	"a fault in slot \slot: instructions", \code, r0, INSNS | 8, UP | 3 * LEVEL, \slots
	counts	"a fault in slot \slot: nops", \code, r35, 8, UP | 3 * LEVEL, \slots
	counts	"a fault in slot \slot: loads", \code, r36, 8, UP | 3 * LEVEL, 0
	.endm
	faulting 0, fault_0, 6
	faulting 1, fault_1, 7
	faulting 2, fault_2, 8

	// Changes of psr: what changes it is counted as before
	counts	"sum, rum", sum_rum, r0, CYCLES | 1, 0, 6
	counts	"ssm, rsm", ssm_rsm, r0, CYCLES | PM | 1, 0, 6
	counts	"mov psr.um", um, r0, CYCLES | 1, 0, 9
	counts	"br.ret to level 3: at level 0", lower, r0, CYCLES | 1, UP, 6
	counts	"br.ret to level 3: at level 3", lower, r0, CYCLES | 8, UP, 4
	movl	r8 = 3 << 62
	mov	ar.pfs = r8
	map_code 2 * REGION + 0x4000000, 0x4000000 | USABLE | 7 << 9, 26
	counts	"epc: at level 3", 2 * REGION + entry, r0, CYCLES | 8, UP | 3 * LEVEL, 3
	counts	"epc: at level 0", 2 * REGION + entry, r0, CYCLES | 1, UP | 3 * LEVEL, 4
	ptc.e	r0
	srlz.d
	alloc	r2 = ar.pfs, 0, 64, 0, 0
	// An interruption's handler has psr.up, and dcr.pp
	movl	r8 = freezing
	mov	cr.iva = r8
	srlz.d
	.macro	handler what, dcr, control, psr, expected
	mov	r8 = \dcr
	mov	cr.dcr = r8
	srlz.d
	counts	"\what", sixteen, r0, \control, \psr, \expected
	.endm
	handler	"a handler, psr.up was 0", 0, CYCLES | 1, 3 * LEVEL, 0
	handler	"a handler, psr.up was 1", 0, CYCLES | 1, 3 * LEVEL | UP | SP, 4
	handler	"a handler, psr.up was 1, of all levels", 0, CYCLES | 15, 3 * LEVEL | UP | SP, 20
	handler	"a handler, dcr.pp 0, psr.pp 1", 0, CYCLES | PM | 1, 3 * LEVEL | PP, 0
	handler	"a handler, dcr.pp 0, psr.pp 1, of all levels", 0, CYCLES | PM | 15, 3 * LEVEL | PP, 16
	handler	"a handler, dcr.pp 1, psr.pp 0", 1, CYCLES | PM | 1, 3 * LEVEL, 4
	handler	"a handler, dcr.pp 1, psr.pp 0, of all levels", 1, CYCLES | PM | 15, 3 * LEVEL, 4
	handler	"a handler, dcr.pp 1, psr.pp 1, of all levels", 1, CYCLES | PM | 15, 3 * LEVEL | PP, 20
	mov	cr.dcr = r0
	movl	r8 = ivt
	mov	cr.iva = r8
	srlz.d
	// From the write that starts to the write that stops; a read sees itself
	counter	4, CYCLES | 1
	at	start_stop, UP, FR
	pmd_is	"from a write of PMC0 to the next", 4, 6
	is	"a read in between", r48, 3
	counter	4, CYCLES | 1
	at	sixteen, UP
	at	sixteen, UP
	pmd_is	"twice", 4, 32
	counter	4, CYCLES | 1
	pmd	4, 1000
	at	sixteen, UP
	pmd_is	"from where it was written", 4, 1016

	// Overflow: without oi
	mov	r8 = VECTOR_PMU
	mov	cr.pmv = r8
	srlz.d
	counter	4, CYCLES | 8
	counter	5, CYCLES | 8
	pmd	4, -10
	at	sixteen, UP | 3 * LEVEL
	is	"overflow: its bit", r43, 0x10
	pmd_is	"overflow: it goes on", 4, 6
	pmd_is	"overflow: and others", 5, 16
	takes	"overflow: no interrupt", 15
	at	sixteen, UP | 3 * LEVEL, 0x10
	is	"overflow: the bit stays", r43, 0x10
	at	sixteen, UP | 3 * LEVEL
	is	"overflow: the bit has been cleared", r43, 0
	pmd	5, -16
	at	sixteen, UP | 3 * LEVEL, 0x10
	is	"overflow: of another", r43, 0x30
	pmd_is	"overflow: with the last cycle", 5, 0
	pmd	5, -17
	at	sixteen, UP | 3 * LEVEL
	is	"overflow: a cycle later", r43, 0
	get_pmd	r8, 5
	by_model r9, 0xffffffff, -1, -1
	is_reg	"overflow: one is left", r8, r9

	// With oi
	counter	4, CYCLES | OI | 8
	pmd	4, -10
	counter	5, CYCLES | 8
	counter	6, CYCLES | PM | 8
	at	sixteen, UP | PP | 3 * LEVEL
	is	"oi: frozen, and the bit", r43, 0x11
	pmd_is	"oi: at the end", 4, 0
	pmd_is	"oi: others stop with it", 5, 10
	pmd_is	"oi: privileged ones, too", 6, 10
	mov	r8 = cr.irr3
	is	"oi: the interrupt is pending", r8, 1 << (VECTOR_PMU - 192)
	takes	"oi: its vector", VECTOR_PMU
	takes	"oi: once", 15
	pmc	0, FR
	pmc_is	"oi: the bit is cleared", 0, FR
	at	sixteen, UP | 3 * LEVEL, FR
	pmd_is	"oi: frozen until fr is cleared", 5, 10
	takes	"oi: no other", 15
	at	sixteen, UP | 3 * LEVEL
	pmd_is	"oi: then it counts again", 5, 26
	is	"oi: not frozen", r43, 0
	// Two at a time
	counter	4, CYCLES | OI | 8
	pmd	4, -7
	counter	5, INSNS | OI | 8
	pmd	5, -7
	counter	6, CYCLES | OI | 8
	pmd	6, -8
	at	sixteen, UP | 3 * LEVEL
	is	"two at a time", r43, 0x31
	takes	"two at a time: one interrupt", VECTOR_PMU
	takes	"two at a time: one", 15
	get_pmd	r8, 6
	by_model r9, 0xffffffff, -1, -1
	is_reg	"the third one is not there yet", r8, r9
	// One of two that have it
	counter	5, CYCLES | OI | 8
	counter	6, CYCLES | 8
	pmd	4, -12
	pmd	6, -3
	at	sixteen, UP | 3 * LEVEL
	is	"with oi after one without", r43, 0x51
	takes	"with oi after one without", VECTOR_PMU
	// Masked
	movl	r8 = 1 << 16 | VECTOR_PMU
	mov	cr.pmv = r8
	srlz.d
	counter	4, CYCLES | OI | 8
	pmd	4, -10
	at	sixteen, UP | 3 * LEVEL
	is	"masked by cr.pmv: frozen", r43, 0x11
	takes	"masked by cr.pmv: no interrupt", 15
	mov	r8 = VECTOR_PMU
	mov	cr.pmv = r8
	srlz.d
	takes	"it is not kept", 15
	// Frozen before: no overflow
	pmd	4, -10
	at	sixteen, UP | 3 * LEVEL, FR
	is	"frozen before", r43, FR
	// What software has to clear
	.macro	thaws what, code, psr, expected, vector
	counter	4, \code
	pmc	0, FR | 0x10
	at	thawing, \psr, FR | 0x10
	is	"\what", r43, \expected
	takes	"\what: interrupt", \vector
	.endm
	thaws	"fr cleared, the bit left, psr.up", CYCLES | OI | 8, UP, 0x11, VECTOR_PMU
	thaws	"fr cleared, the bit left, psr.pp", CYCLES | OI | 8, PP, 0x11, VECTOR_PMU
	thaws	"fr cleared, the bit left, neither", CYCLES | OI | 8, 0, 0x10, 15
	thaws	"fr cleared, the bit left, no oi", CYCLES | 8, UP, 0x10, 15
	pmc	0, FR
	pmc_is	"fr cleared with the bit", 0, FR

	// The interrupt comes behind the slot that has overflowed: for each of the first 15
	counter	4, CYCLES | OI | 8
	mov	r45 = 1
	mov	r47 = -1
1:	sub	r8 = r0, r45
	mov	r9 = 4
	mov	pmd[r9] = r8
	at	sixteen, UP | PSR_I | 3 * LEVEL
	movl	r8 = sixteen		// 16 for three slots
	mov	r9 = r45
2:	cmp.gtu	p1, p2 = 3, r9
	(p2) adds r9 = -3, r9
	(p2) adds r8 = 16, r8
	(p2) br.cond.dptk 2b
	movl	r10 = record + IIP
	ld8	r10 = [r10]
	movl	r11 = record + ISR
	ld8	r11 = [r11]
	movl	r12 = record + VECTOR
	ld8	r12 = [r12]
	extr.u	r11 = r11, 41, 2
	movl	r13 = 0x3000
	cmp.ne	p1, p0 = r12, r13
	(p1) mov r47 = r45
	cmp.ne	p1, p0 = r8, r10
	(p1) mov r47 = r45
	cmp.ne	p1, p0 = r9, r11
	(p1) mov r47 = r45
	mov	r8 = cr.ivr
	mov	r9 = VECTOR_PMU
	cmp.ne	p1, p0 = r8, r9
	(p1) mov r47 = r45
	mov	cr.eoi = r0
	srlz.d
	adds	r45 = 1, r45
	cmp.ne	p1, p2 = 16, r45
	(p1) br.cond.dptk 1b
	is	"behind each slot: one that is wrong", r47, -1
	// Later, if the bench says so
	pmc	SKID, 3
	pmd	4, -4
	at	sixteen, UP | PSR_I | 3 * LEVEL
	recorded "three cycles later: bundle", IIP, sixteen + 32
	recorded "three cycles later: slot", ISR, EI
	is	"three cycles later: frozen at once", r43, 0x11
	takes	"three cycles later: vector", VECTOR_PMU
	pmc	SKID, 0

	// A thousand of them, 97 slots each, in a loop of three
	movl	r8 = 100000
	mov	ar.lc = r8
	mov	r45 = 1000
	mov	r47 = -1
	mov	r46 = 0			// slots that are over, modulo 3
	counter	4, CYCLES | OI | 8
	counter	5, INSNS | 8
	movl	r41 = counted_loop
	movl	r40 = UP | PSR_I | 3 * LEVEL
	mov	r42 = 0
1:	mov	r9 = 4
	mov	r8 = -97
	mov	pmd[r9] = r8
	gosub	run
	movl	r8 = record + IIP
	ld8	r41 = [r8]
	movl	r8 = record + ISR
	ld8	r8 = [r8]
	extr.u	r8 = r8, 41, 2
	adds	r46 = 1, r46		// 97 is one more than a multiple of 3
	cmp.eq	p1, p2 = 3, r46
	(p1) mov r46 = 0
	cmp.ne	p1, p2 = r8, r46
	(p1) mov r47 = r45
	shl	r8 = r8, 41
	movl	r40 = UP | PSR_I | 3 * LEVEL
	or	r40 = r40, r8
	mov	r8 = cr.ivr
	mov	cr.eoi = r0
	srlz.d
	mov	r9 = VECTOR_PMU
	cmp.ne	p1, p2 = r8, r9
	(p1) mov r47 = r45
	adds	r45 = -1, r45
	cmp.ne	p1, p2 = r0, r45
	(p1) br.cond.dptk 1b
	is	"a thousand overflows: one that was elsewhere", r47, -1
	mov	r8 = ar.lc
	is	"a thousand overflows: what is left of the loop", r8, 100000 - 97000 / 3
	pmd_is	"a thousand overflows: what another has counted", 5, 97000

	// What a program may do
	gosub	clean
	.macro	program what, code, vector, isr
	at	\code, 3 * LEVEL
	recorded "\what: vector", VECTOR, \vector
	recorded "\what: isr", ISR, \isr
	.endm
	program	"a write of a PMC", user_write_pmc, 0x5400, 0x10
	program	"a read of a PMC", user_read_pmc, 0x5400, 0x10
	program	"a write of a PMD", user_write_pmd, 0x5400, 0x10
	program	"a read of a PMC that is not there", user_read_none, 0x5400, 0x10
	program	"a read of a register of the bench", user_read_bench, 0x2c00, 0
	.macro	reads what, control, psr, expected
	counter	4, \control
	pmd	4, 0x1234
	mov	r48 = -1
	at	user_read_pmd, \psr
	is	"\what", r48, \expected
	.endm
	.irp	level, 1, 2, 3
	reads	"level \level reads a PMD", CYCLES | 4, \level * LEVEL, 0x1234
	reads	"level \level reads a PMD that is secured", CYCLES | 4, \level * LEVEL | SP, 0
	reads	"level \level reads a privileged PMD", CYCLES | 4 | PM, \level * LEVEL, 0
	.endr
	reads	"level 0 reads a PMD that is secured", CYCLES | 4, SP, 0x1234
	reads	"level 0 reads a privileged PMD", CYCLES | 4 | PM, 0, 0x1234
	reads	"a secured counter counts", CYCLES | 8, UP | SP | 3 * LEVEL, 0
	pmd_is	"a secured counter counts", 4, 0x1234 + 4
	gosub	clean

	// Ranges of code: of the 49 slots of "area", those that IBRs say
	.macro	ibr pair, address, control
	mov	r28 = 2 * \pair
	movl	r29 = \address
	mov	ibr[r28] = r29
	mov	r28 = 2 * \pair + 1
	movl	r29 = \control
	mov	ibr[r28] = r29
	.endm
	// PAGE: the mask for 2^LOG bytes; level 0
	.set	LEVEL0, 1 << 56
	.set	MASK, (1 << 56) - 1
	.macro	no_ranges
	gosub	no_pairs
	.endm
	no_ranges
	// restrict PAIRS, RESET: bits of Itanium 2 and Montecito that are 0 for the pairs that restrict
	.macro	restrict bits
	by_model r9, 0, 0xdb6 & ~(\bits), 0xdb6 & ~(\bits)
	mov	pmc[r54] = r9
	.endm
	.macro	look_at_pair_0
	(p11) movl r9 = 0xffffffff3ffffffc
	(p11) mov r8 = 8
	(p12) movl r9 = 0x000f01ffffffffff
	(p12) mov r8 = 32
	(p10) movl r9 = 0xf00000003ffffff8
	(p10) mov r8 = 8
	mov	pmc[r8] = r9
	.endm
	.macro	ranged what, event, itanium, later
	counts	"\what: cycles", area, r0, CYCLES | 1, UP, 49
	counter	4, \event | INSNS | 1
	at	area, UP
	get_pmd	r8, 4
	by_model r9, \itanium, \later, \later
	is_reg	"\what: instructions", r8, r9
	.endm
	ranged	"no range", 0, 49, 49
	look_at_pair_0
	ranged	"no range, either", 0, 49, 49
	restrict 1 << 1
	ranged	"an empty range", 0, 0, 0
	ibr	0, area + 0x40, LEVEL0 | (MASK & ~0x3f)
	ranged	"four bundles", 0, 12, 12
	ranged	"another pair's event", 1 << 16, 12, 49
	ibr	0, area + 0x40, 2 * LEVEL0 | (MASK & ~0x3f)
	ranged	"at another level", 0, 0, 0
	ibr	0, area + 0x40, 1 << 63 | LEVEL0 | (MASK & ~0x3f)
	ranged	"a breakpoint", 0, 0, 0
	ibr	0, area + 0x40 + (1 << 60), LEVEL0 | (MASK & ~0x3f)
	ranged	"another region", 0, 0, 0
	ibr	0, area + 0xf0, LEVEL0 | MASK
	ranged	"one bundle", 0, 3, 3
	ibr	1, area, LEVEL0 | (MASK & ~0x1f)
	ranged	"a pair more", 0, 9, 3
	restrict 1 << 4
	ranged	"the second pair", 1 << 16, 9, 6
	ranged	"the first is not restricted", 0, 9, 49
	ibr	1, 0, 0
	.irp	pair, 2, 3
	restrict 1 << (1 + 3 * \pair)
	ibr	0, 0, 0
	ibr	\pair, area + 0x80, LEVEL0 | (MASK & ~0x7f)
	ranged	"pair \pair", \pair << 16, 24, 24
	ibr	\pair, 0, 0
	.endr
	restrict 1 << 1
	ibr	0, area + 0x40, LEVEL0 | (MASK & ~0x3f)
	// Of a loop; of what faults
	ibr	0, counted, LEVEL0 | MASK
	counts	"a loop in a range", loop, r0, INSNS | 1, UP, 3000
	ibr	0, fault_1_bundle, 8 * LEVEL0 | MASK
	counts	"a fault in a range", fault_1, r0, INSNS | 8, UP | 3 * LEVEL, 1
	ibr	0, sum_bundle, LEVEL0 | MASK
	counts	"a range that begins with sum", sum_rum, r0, INSNS | 1, 0, 2
	// An overflow there
	ibr	0, area + 0x40, 9 * LEVEL0 | (MASK & ~0x3f)
	counter	4, INSNS | OI | 8
	pmd	4, -5
	at	area, UP | PSR_I | 3 * LEVEL
	recorded "overflow in a range: bundle", IIP, area + 0x50
	recorded "overflow in a range: slot", ISR, 2 * EI
	takes	"overflow in a range", VECTOR_PMU
	(p10) br.cond.dpnt 1f
	// What the later ones have: the first pair can be ignored, or inverted; a range to the bundle
	by_model r8, 0, 8, 32
	by_model r9, 0, 1, 1 << 57
	by_model r10, 0, 0xffffffff3ffffffc, 0x000f01ffffffffff
	or	r10 = r9, r10
	mov	pmc[r8] = r10
	ranged	"the first pair ignored", 0, 0, 49
	by_model r8, 0, 8, 32
	by_model r9, 0, 2, 1 << 56
	by_model r10, 0, 0xffffffff3ffffffc, 0x000f01ffffffffff
	or	r10 = r9, r10
	mov	pmc[r8] = r10
	ibr	0, area + 0x40, LEVEL0 | (MASK & ~0x3f)
	ranged	"the first pair inverted", 0, 0, 37
	look_at_pair_0
	by_model r9, 0, 0xdb6 & ~(1 << 1) | 1 << 13, 0xdb6 & ~(1 << 1) | 1 << 13
	mov	pmc[r54] = r9
	ibr	0, area + 0x20, LEVEL0 | (MASK & ~0xfff)
	ibr	2, area + 0x60, LEVEL0 | (MASK & ~0xfff)
	ranged	"from a bundle to a bundle", 0, 0, 15
	by_model r9, 0, 0xdb6 & ~(1 << 4) | 1 << 13, 0xdb6 & ~(1 << 4) | 1 << 13
	mov	pmc[r54] = r9
	ibr	1, area + 0x30, LEVEL0 | (MASK & ~0xfff)
	ibr	3, area + 0x30, LEVEL0 | (MASK & ~0xfff)
	ranged	"of one bundle", 1 << 16, 0, 3
1:	no_ranges
	by_model r9, 0x0003ffff00000001, 0x0db60db60db60db6, 0xdb6
	mov	pmc[r54] = r9
	ranged	"no range again", 0, 49, 49
	gosub	clean

	// The trace of branches. r55: what to expect, r56: how many
	.macro	traced what, control, list, itanium=none
	movl	r55 = \list
	.ifnc	\itanium, none
	(p10) movl r55 = \itanium
	.endif
	movl	r8 = \control
	mov	pmc[r49] = r8
	gosub	empty_trace
	counter	4, CAPTURED | 1
	at	branches, UP
	gosub	trace_is
	is	"\what: the first entry that is wrong", r8, -1
	get_pmd	r8, 4
	is_reg	"\what: branches", r8, r57
	mov	r8 = pmd[r51]
	is_reg	"\what: the index", r8, r58
	.endm
	.set	RIGHT, 3 << 12 | 3 << 10
	traced	"taken branches", RIGHT | 2 << 8 | 1, taken
	traced	"branches that are not taken", RIGHT | 1 << 8 | 1, not_taken
	traced	"all branches", RIGHT | 3 << 8 | 1, all
	traced	"of neither kind", RIGHT | 1, none
	traced	"predicted rightly", 2 << 12 | 2 << 10 | 2 << 8 | 1, taken
	traced	"whose targets were predicted wrongly", 3 << 12 | 1 << 10 | 2 << 8 | 1, none
	traced	"whose predicates were predicted wrongly", 1 << 12 | 3 << 10 | 2 << 8 | 1, none
	traced	"relative branches", RIGHT | 2 << 8 | 1 << 14 | 1, relative, taken
	traced	"returns", RIGHT | 2 << 8 | 2 << 14 | 1, returns, taken
	traced	"indirect branches", RIGHT | 2 << 8 | 3 << 14 | 1, indirect, taken
	traced	"of another level", RIGHT | 2 << 8 | 8, none
	traced	"privileged", RIGHT | PM | 2 << 8 | 1, none
	traced	"what predicted", RIGHT | 1 << 7 | 2 << 8 | 1, none, taken
	// More than once around; the bits beside each entry
	gosub	empty_trace
	mov	r9 = 39
	mov	r8 = -1
	(p12) mov pmd[r9] = r8
	movl	r9 = 0x333333330
	(p11) mov pmd[r51] = r9
	movl	r8 = RIGHT | 2 << 8 | 1
	mov	pmc[r49] = r8
	at	branches, UP
	mov	r8 = pmd[r51]
	by_model r9, 2 | 8, 2 | 8, 10
	is_reg	"ten entries: the index, and the bits beside them", r8, r9
	get_pmd	r8, 39
	by_model r9, 0, 0, ~0x0303030303033333
	is_reg	"ten entries: the bits of Montecito beside them", r8, r9
	at	branches, UP
	mov	r8 = pmd[r51]
	by_model r9, 4 | 8, 4 | 8, 4 | 32
	is_reg	"twenty entries: the index", r8, r9
	// Frozen by the second one
	gosub	empty_trace
	movl	r8 = RIGHT | 2 << 8 | 8
	mov	pmc[r49] = r8
	counter	4, CAPTURED | OI | 8
	pmd	4, -2
	at	branches, UP | PSR_I | 3 * LEVEL
	movl	r55 = first_two
	gosub	trace_is
	is	"frozen by the second branch: the first entry that is wrong", r8, -1
	recorded "frozen by the second branch: its target", IIP, b_loop
	takes	"frozen by the second branch", VECTOR_PMU
	at	branches, UP | 3 * LEVEL, FR
	movl	r55 = first_two
	gosub	trace_is
	is	"frozen before: the first entry that is wrong", r8, -1
	// Full is sticky
	gosub	empty_trace
	movl	r8 = 1
	shl	r8 = r8, r53
	mov	pmd[r51] = r8
	pmc	0, 0
	mov	r9 = pmd[r51]
	is_reg	"full can be written", r9, r8
	at	branches, UP | 3 * LEVEL
	mov	r10 = pmd[r51]
	and	r10 = r8, r10
	is_reg	"full is sticky", r10, r8
	mov	pmc[r49] = r0
	gosub	clean

	// Events that the bench makes
	movl	r8 = 0x123456789abcdef0
	mov	r9 = ADDRESS
	mov	pmc[r9] = r8
	by_model r45, 11, 11, 40
	mov	r8 = 8
	mov	pmc[r45] = r8
	counter	4, OI | 8, r38
	pmd	4, -1
	counter	5, CYCLES | 8
	at	data_miss, UP | PSR_I | 3 * LEVEL
	by_model r8, 2, 2, 32
	mov	r9 = pmd[r8]
	is	"a data event: the address", r9, 0x123456789abcdef0
	by_model r8, 3, 3, 33
	mov	r9 = pmd[r8]
	is	"a data event: its latency", r9, 0x23
	by_model r8, 17, 17, 36
	mov	r9 = pmd[r8]
	movl	r10 = data_miss + 16
	by_model r11, 1, 8, 8			// valid, in slot 0
	or	r10 = r10, r11
	is_reg	"a data event: the instruction", r9, r10
	is	"a data event: overflow", r43, 0x11
	pmd_is	"a data event: frozen behind it", 5, 4
	recorded "a data event: behind it, the bundle", IIP, data_miss + 16
	recorded "a data event: behind it, the slot", ISR, EI
	takes	"a data event: interrupt", VECTOR_PMU
	counter	4, 8, r38
	by_model r46, 17, 17, 36
	mov	pmd[r46] = r0
	at	data_miss, UP | 3 * LEVEL
	pmd_is	"a data event that only counts", 4, 1
	mov	r9 = pmd[r46]
	movl	r10 = data_miss + 16
	by_model r11, 1, 8, 8
	or	r10 = r10, r11
	is_reg	"a data event that only counts: the instruction", r9, r10
	mov	pmc[r45] = r0
	counter	4, 8, r38
	at	data_miss, UP | 3 * LEVEL
	pmd_is	"a data event that no register is for", 4, 0
	by_model r45, 10, 10, 37
	mov	r8 = 8
	mov	pmc[r45] = r8
	counter	4, 8, r39
	at	code_miss, UP | 3 * LEVEL
	pmd_is	"a code event", 4, 1
	by_model r8, 0, 0, 34
	mov	r9 = pmd[r8]
	is	"a code event: the line, and what it is", r9, 0x123456789abcdee0 | 2
	by_model r8, 1, 1, 35
	mov	r9 = pmd[r8]
	is	"a code event: its latency", r9, 0x45
	mov	pmc[r45] = r0

	// What the bench counts
	mov	r45 = READS
	mov	r46 = pmc[r45]
	mov	r8 = pmc[r0]
	get_pmd	r8, 4
	get_pmd	r8, 200
	mov	r47 = pmc[r45]
	sub	r8 = r47, r46
	is	"reads", r8, 3
	mov	r45 = WRITES
	mov	r46 = pmc[r45]
	pmc	4, 0
	pmd	5, 0
	mov	r47 = pmc[r45]
	sub	r8 = r47, r46
	is	"writes", r8, 2
	mov	pmc[r45] = r0
	mov	r8 = pmc[r45]
	is	"writes can be begun anew", r8, 0
	mov	r45 = INTERRUPTS
	mov	pmc[r45] = r0
	counter	4, CYCLES | OI | 8
	pmd	4, -10
	at	sixteen, UP | 3 * LEVEL
	mov	r8 = pmc[r45]
	is	"interrupts", r8, 1
	takes	"interrupts", VECTOR_PMU
	mov	r45 = EXECUTED
	.align	16
	mov	r46 = pmc[r45]
	nop.i	0
	nop.i	0
	mov	r47 = pmc[r45]
	sub	r9 = r47, r46
	mov	r8 = ar.itc			// does -icount count instructions?
	mov	r10 = ar.itc
	sub	r10 = r10, r8
	cmp.ne	p1, p2 = 3, r9
	(p1) mov r9 = -1
	cmp.ltu	p1, p2 = 16, r10		// not with -icount
	(p1) mov r9 = 3
	is	"instructions executed, with -icount", r9, 3
	br.cond.sptk finish

	//
	// Subroutines
	//

	// clean: no counter counts, nothing is frozen
clean:
	mov	r28 = 4
	adds	r29 = 4, r44
	or	r30 = r33, r34
1:	mov	pmc[r28] = r30
	mov	pmd[r28] = r0
	mov	r30 = r33
	adds	r28 = 1, r28
	cmp.ne	p14, p15 = r28, r29
	(p14) br.cond.dptk 1b
	mov	pmc[r49] = r0
	mov	pmc[r0] = r0
	srlz.d
	br.cond.sptk b5

	// run: r41, with the bits r40 of psr, from when PMC0 is r42; r43 is PMC0 after it
run:
	movl	r28 = resume
	movl	r29 = 1f
	st8	[r28] = r29
	ic	0
	mov	cr.iip = r41
	movl	r28 = VIRTUAL
	or	r28 = r28, r40
	mov	cr.ipsr = r28
	mov	cr.ifs = r0
	mov	pmc[r0] = r42
	srlz.d
	rfi
	.align	16
1:	mov	r43 = pmc[r0]
	br.cond.sptk b5

	// resets_are: r41 is a list of numbers and values; r8 is the first PMC that is another, or -1
resets_are:
	mov	r9 = 1
1:	mov	r10 = r41
	mov	r13 = 0
2:	ld8	r11 = [r10], 8
	ld8	r12 = [r10], 8
	cmp.eq	p1, p0 = r9, r11
	(p1) mov r13 = r12
	cmp.ne	p1, p0 = -1, r11
	(p1) br.cond.dptk 2b
	mov	r14 = pmc[r9]
	mov	r8 = r9
	cmp.ne	p1, p0 = r13, r14
	(p1) br.cond.dpnt b5
	adds	r9 = 1, r9
	mov	r15 = READS
	cmp.ne	p1, p0 = r9, r15
	(p1) br.cond.dptk 1b
	mov	r8 = -1
	br.cond.sptk b5

	// pmcs_have, pmds_have: r41 is a list of first and last numbers, and of what they have of -1
	.macro	registers_have file, first, end
	mov	r9 = \first
1:	mov	r10 = r41
	mov	r13 = 0
2:	ld8	r11 = [r10], 8
	ld8	r12 = [r10], 8
	ld8	r15 = [r10], 8
	cmp.leu	p1, p0 = r11, r9
	cmp.leu	p2, p0 = r9, r12
	(p1) cmp.leu.unc p3, p0 = r9, r12
	(p3) mov r13 = r15
	cmp.ne	p1, p0 = -1, r11
	(p1) br.cond.dptk 2b
	mov	r8 = -1
	mov	\file[r9] = r8
	mov	r14 = \file[r9]
	cmp.ne	p1, p0 = r13, r14
	mov	\file[r9] = r0
	mov	r14 = \file[r9]
	mov	r8 = r9
	(p1) br.cond.dpnt b5
	cmp.ne	p1, p0 = r0, r14
	(p1) br.cond.dpnt b5
	adds	r9 = 1, r9
	mov	r15 = \end
	cmp.ne	p1, p0 = r9, r15
	(p1) br.cond.dptk 1b
	mov	r8 = -1
	br.cond.sptk b5
	.endm
pmcs_have:
	registers_have pmc, 1, READS
pmds_have:
	registers_have pmd, 0, 256

	// The rule, for the state r45, which r40 has as bits of psr: r47 is the first of 32 controls
	// (plm, and pm as bit 4) that is wrong, or -1
	// enabled: p3, whether r9 is enabled; uses r10 to r12
	.macro	enabled
	extr.u	r10 = r45, 2, 2
	shr.u	r11 = r9, r10
	tbit.nz	p4, p5 = r9, 4
	extr.u	r12 = r45, 1, 1
	(p4) extr.u r12 = r45, 0, 1
	and	r11 = r11, r12
	tbit.nz	p3, p0 = r11, 0
	.endm

counters_rule:
	mov	r62 = b5
	mov	r46 = 0
	mov	r47 = -1
1:	mov	r48 = 0				// four at a time
2:	add	r9 = r46, r48
	and	r10 = 15, r9
	extr.u	r11 = r9, 4, 1
	shl	r11 = r11, 6
	or	r10 = r10, r11
	movl	r11 = CYCLES
	or	r10 = r10, r11
	or	r10 = r10, r33
	cmp.eq	p1, p2 = r0, r48
	(p1) or r10 = r10, r34
	adds	r11 = 4, r48
	mov	pmc[r11] = r10
	mov	pmd[r11] = r0
	adds	r48 = 1, r48
	cmp.ne	p1, p2 = 4, r48
	(p1) br.cond.dptk 2b
	movl	r41 = sixteen
	mov	r42 = 0
	gosub	run
	mov	r48 = 0
3:	add	r9 = r46, r48
	enabled
	adds	r11 = 4, r48
	mov	r11 = pmd[r11]
	mov	r12 = 0
	(p3) mov r12 = 16
	cmp.ne	p1, p2 = r11, r12
	(p1) mov r47 = r9
	adds	r48 = 1, r48
	cmp.ne	p1, p2 = 4, r48
	(p1) br.cond.dptk 3b
	adds	r46 = 4, r46
	cmp.ne	p1, p2 = 32, r46
	(p1) br.cond.dptk 1b
	mov	b5 = r62
	br.cond.sptk b5

	// single_rule: r59 is the control, r60 more of its bits, r61 where its pm is; what shows it is
	// PMD r63. r41 is run.
single_rule:
	mov	r46 = 0
	mov	r47 = -1
1:	and	r10 = 15, r46
	extr.u	r11 = r46, 4, 1
	shl	r11 = r11, r61
	or	r10 = r10, r11
	or	r10 = r10, r60
	mov	pmc[r59] = r10
	mov	pmd[r63] = r0
	mov	pmd[r51] = r0
	mov	r42 = 0
	gosub	run
	mov	r9 = r46
	enabled
	mov	r11 = pmd[r63]
	cmp.ne	p4, p0 = r0, r11
	mov	r11 = 0
	mov	r12 = 0
	(p3) mov r11 = 1
	(p4) mov r12 = 1
	cmp.ne	p1, p0 = r11, r12
	(p1) mov r47 = r46
	adds	r46 = 1, r46
	cmp.ne	p1, p2 = 32, r46
	(p1) br.cond.dptk 1b
	mov	pmc[r59] = r0
	mov	b5 = r62
	br.cond.sptk b5

trace_rule:
	mov	r62 = b5
	mov	r59 = r49
	movl	r60 = RIGHT | 2 << 8
	mov	r61 = 6
	mov	r63 = r50
	movl	r41 = one_branch
	br.cond.sptk single_rule
data_rule:
	mov	r62 = b5
	by_model r59, 11, 11, 40
	mov	r60 = 0
	mov	r61 = 6
	by_model r63, 3, 3, 33
	movl	r41 = one_data_miss
	br.cond.sptk single_rule
code_rule:
	mov	r62 = b5
	by_model r59, 10, 10, 37
	mov	r60 = 0
	by_model r61, 6, 4, 4
	by_model r63, 1, 1, 35
	movl	r41 = one_code_miss
	br.cond.sptk single_rule

no_pairs:
	mov	r28 = 0
1:	mov	ibr[r28] = r0
	adds	r28 = 1, r28
	cmp.ne	p14, p15 = 8, r28
	(p14) br.cond.dptk 1b
	srlz.d
	br.cond.sptk b5

empty_trace:
	mov	r28 = r50
	add	r29 = r50, r52
1:	mov	pmd[r28] = r0
	adds	r28 = 1, r28
	cmp.ne	p14, p15 = r28, r29
	(p14) br.cond.dptk 1b
	mov	pmd[r51] = r0
	br.cond.sptk b5

	// trace_is: r55 is a list of entries that ends with 0. r8 is the first that is not there, r57 how many
	// branches that is, and r58 what the index is
trace_is:
	mov	r57 = 0
	mov	r58 = 0				// their number
	mov	r9 = r55
1:	ld8	r10 = [r9], 8
	cmp.eq	p1, p0 = r0, r10
	(p1) br.cond.dpnt 2f
	tbit.nz	p1, p0 = r10, 0
	(p1) adds r57 = 1, r57
	adds	r58 = 1, r58
	br.cond.sptk 1b
2:	mov	r8 = -1
	mov	r9 = 0
	adds	r14 = -1, r52
3:	cmp.eq	p1, p0 = r9, r58
	(p1) br.cond.dpnt 4f
	add	r10 = r9, r52
	shladd	r11 = r9, 3, r55
	ld8	r12 = [r11]
	and	r13 = r9, r14
	add	r13 = r13, r50
	mov	r13 = pmd[r13]
	cmp.ne	p1, p2 = r12, r13
	cmp.ltu	p3, p4 = r10, r58		// another has taken its place
	adds	r9 = 1, r9
	(p3) br.cond.dptk 3b
	(p1) adds r8 = -1, r9
	(p1) br.cond.dpnt 4f
	br.cond.sptk 3b
4:	cmp.leu	p1, p2 = r52, r58
	and	r58 = r58, r14
	mov	r9 = 1
	shl	r9 = r9, r53
	(p1) or r58 = r58, r9
	br.cond.sptk b5

	//
	// What is run: each ends with psr.up = 0, and a break. It has the bundles that are written here.
	//
	.explicit

	.macro	nops
	{ .mii
	nop.m	0
	nop.i	0
	nop.i	0 ;; }
	.endm
	.macro	over
	{ .mii
	rum	UP
	break.i	0
	nop.i	0 ;; }
	.endm

	.align	32
sixteen:
	nops
	nops
	nops
	nops
	nops
	over

	.align	32
predicated_off:
	{ .mii
	(p13) ld8 r9 = [r0]
	(p13) nop.i 0
	(p13) adds r10 = 1, r10 ;; }
	{ .mmi
	(p13) st8 [r0] = r9
	(p13) nop.m 0
	nop.i	0 ;; }
	{ .mfb
	(p13) ldfd f8 = [r0]
	(p13) nop.f 0
	(p13) br.cond.sptk predicated_off ;; }
	{ .mbb
	nop.m	0
	(p13) nop.b 0
	nop.b	0 ;; }
	over

	.align	32
memory:
	{ .mlx
	nop.m	0
	movl	r9 = scratch ;; }
	{ .mmi
	ld8	r10 = [r9] ;;			// loads: 9
	st8	[r9] = r10			// stores: 7
	mov	r11 = 0 ;; }
	{ .mmi
	ld1	r10 = [r9], 0 ;;
	st4	[r9] = r10, 0
	nop.i	0 ;; }
	{ .mmi
	ldfd	f8 = [r9] ;;
	stfd	[r9] = f8
	nop.i	0 ;; }
	{ .mmi
	mov	ar.ccv = r0
	nop.m	0
	nop.i	0 ;; }
	{ .mmi
	xchg8	r10 = [r9], r11 ;;
	fetchadd8.acq r10 = [r9], 1
	nop.i	0 ;; }
	{ .mmi
	ld8.fill r10 = [r9] ;;
	st8.spill [r9] = r10
	adds	r11 = 0, r11 ;; }
	{ .mmi
	ld8.s	r10 = [r9]
	ldfps	f8, f9 = [r9]
	adds	r11 = 0, r11 ;; }
	{ .mmi
	cmpxchg8.acq r10 = [r9], r11, ar.ccv
	rum	UP
	break.i	0 ;; }

	.align	32
long:
	{ .mlx
	nop.m	0
	movl	r9 = 1 << 40 ;; }
	{ .mlx
	nop.m	0
	nop.x	0 ;; }
	{ .mfb
	nop.m	0
	nop.f	0
	nop.b	0 ;; }
	{ .mbb
	nop.m	0
	nop.b	0
	br.cond.sptk 1f ;; }
	.align	16
1:	{ .mii
	rum	UP
	break.i	0
	nop.i	0 ;; }

	.align	32
loop:
	{ .mii
	nop.m	0
	mov	r9 = 999 ;;
	mov.i	ar.lc = r9 ;; }
	.align	16
counted:
	{ .mib
	nop.m	0
	nop.i	0
	br.cloop.sptk counted ;; }
	over

	.align	32
calls:
	{ .mib
	mov	r9 = 0
	nop.i	0
	br.call.sptk b1 = 1f ;; }
	{ .mii
	nop.m	0
	nop.i	0
	adds	r9 = 1, r9 ;; }
	over
	.align	16
1:	{ .mii
	alloc	r10 = ar.pfs, 0, 4, 0, 0
	mov	r32 = b1
	mov	r33 = 0 ;; }
	{ .mib
	mov	r34 = 0
	mov	ar.pfs = r10
	nop.b	0 ;; }
	{ .mib
	nop.m	0
	nop.i	0
	br.ret.sptk b1 ;; }

	.macro	fault_in slot
	.align	32
fault_\slot:
	nops
	nops
fault_\slot\()_bundle:
	.endm
	fault_in 0
	{ .mmi
	ld8	r9 = [r10], 8
	nop.m	0
	nop.i	0 ;; }
	nops
	fault_in 1
	{ .mmi
	nop.m	0
	break.m	1
	nop.i	0 ;; }
	nops
	fault_in 2
	{ .mmi
	nop.m	0
	nop.m	0
	break.i	1 ;; }
	nops

	.align	32
sum_rum:
	nops
sum_bundle:
	{ .mii
	sum	UP
	nop.i	0
	nop.i	0 ;; }
	nops
	over

	.align	32
ssm_rsm:
	nops
	{ .mii
	ssm	PP
	nop.i	0
	nop.i	0 ;; }
	nops
	{ .mii
	rsm	PP
	break.i	0
	nop.i	0 ;; }

	.align	32
um:
	{ .mii
	mov	r9 = psr.um
	mov	r10 = UP
	nop.i	0 ;; }
	{ .mii
	nop.m	0
	or	r10 = r9, r10
	nop.i	0 ;; }
	{ .mii
	mov	psr.um = r10
	nop.i	0
	nop.i	0 ;; }
	nops
	{ .mii
	nop.m	0
	mov	r11 = r9
	nop.i	0 ;; }
	{ .mii
	mov	psr.um = r9
	break.i	0
	nop.i	0 ;; }

	.align	32
lower:
	{ .mlx
	rum	UP
	movl	r9 = 3 << 62 | 64 ;; }		// the frame's registers stay
	{ .mlx
	nop.m	0
	movl	r10 = lowered ;; }
	{ .mii
	nop.m	0
	mov	ar.pfs = r9
	mov	b1 = r10 ;; }
	{ .mii
	sum	UP
	nop.i	0
	nop.i	0 ;; }
	{ .mfb
	nop.m	0
	nop.f	0
	br.ret.sptk b1 ;; }
	.align	16
lowered:
	nops
	over

	.align	32
entry:
	{ .mfb
	nop.m	0
	nop.f	0
	epc ;; }
	nops
	over

	.align	32
start_stop:
	{ .mii
	mov	pmc[r0] = r0
	mov	r9 = 1
	mov	r10 = 4 ;; }
	{ .mii
	mov	r48 = pmd[r10]
	nop.i	0
	nop.i	0 ;; }
	{ .mii
	mov	pmc[r0] = r9
	nop.i	0
	nop.i	0 ;; }
	over

	.align	32
thawing:
	{ .mii
	mov	r9 = 0x10
	nop.i	0
	nop.i	0 ;; }
	{ .mii
	mov	pmc[r0] = r9
	nop.i	0
	nop.i	0 ;; }
	over

	.align	32
counted_loop:
	{ .mib
	nop.m	0
	nop.i	0
	br.cloop.sptk counted_loop ;; }
	over

	.align	32
user_write_pmc:
	mov	pmc[r0] = r0
	break.m	0
	.align	32
user_read_pmc:
	mov	r9 = pmc[r0]
	break.m	0
	.align	32
user_write_pmd:
	mov	r9 = 4
	.align	16
	mov	pmd[r9] = r0
	break.m	0
	.align	32
user_read_none:
	mov	r9 = 100
	.align	16
	mov	r9 = pmc[r9]
	break.m	0
	.align	32
user_read_bench:
	mov	r9 = READS
	.align	16
	mov	r9 = pmc[r9]
	.align	16
	break.m	0
	.align	32
user_read_pmd:
	{ .mii
	mov	r9 = 4
	nop.i	0
	nop.i	0 ;; }
	{ .mii
	mov	r48 = pmd[r9]
	break.i	0
	nop.i	0 ;; }

	.align	4096
	.skip	512
area:
	.rept	16
	nops
	.endr
	over

	.align	32
branches:
	{ .mii
	nop.m	0
	mov	r9 = 2 ;;
	mov.i	ar.lc = r9 ;; }
	.align	16
b_loop:
	{ .mib
	nop.m	0
	nop.i	0
	br.cloop.sptk b_loop ;; }
b_call:
	{ .mbb
	nop.m	0
	br.call.sptk b1 = b_function
	nop.b	0 ;; }
b_called:
	{ .mlx
	nop.m	0
	movl	r9 = b_indirect_target ;; }
b_off:
	{ .mib
	nop.m	0
	mov	b2 = r9
	(p13) br.cond.sptk b_loop ;; }
b_indirect:
	{ .bbb
	br.cond.sptk b2
	nop.b	0
	nop.b	0 ;; }
	nops
b_indirect_target:
	over
	.align	16
b_function:
	{ .mib
	nop.m	0
	nop.i	0
	br.ret.sptk b1 ;; }

	.align	32
one_branch:
	{ .mib
	nop.m	0
	nop.i	0
	br.cond.sptk 1f ;; }
	.align	16
1:	over

	.align	32
one_data_miss:
	{ .mii
	mov	r9 = DATA_EVENT
	mov	r10 = 0x23
	nop.i	0 ;; }
	{ .mii
	mov	pmc[r9] = r10
	nop.i	0
	nop.i	0 ;; }
	over
	.align	32
data_miss:
	{ .mii
	mov	r9 = DATA_EVENT
	mov	r10 = 0x23
	nop.i	0 ;; }
	{ .mii
	mov	pmc[r9] = r10
	nop.i	0
	nop.i	0 ;; }
	over
	.align	32
one_code_miss:
code_miss:
	{ .mlx
	mov	r9 = CODE_EVENT
	movl	r10 = 2 << 16 | 0x45 ;; }
	{ .mii
	mov	pmc[r9] = r10
	nop.i	0
	nop.i	0 ;; }
	over

	// A table of interruptions whose first four slots stop everything
	.section .ivt, "ax", @progbits
	.align	32768
freezing:
	.org	freezing + 0x2c00
	{ .mii
	mov	r17 = 1
	nop.i	0
	nop.i	0 ;; }
	{ .mii
	mov	pmc[r0] = r17
	nop.i	0
	nop.i	0 ;; }
	.auto
	movl	r16 = 0x2c00
	br.cond.sptk interrupted
	.org	freezing + 0x8000

	.section .rodata
	.balign	8
	// By register: what it is at first
	.macro	values v:vararg
	.irp	val, \v
	data8	\val
	.endr
	data8	-1, 0, 0
	.endm
resets_itanium:
	values	8, 0xf00000003ffffff8, 9, 0xf00000003ffffff8, 11, 0x10000000, 13, 0x0003ffff00000001
resets_itanium2:
	values	4, 0x800000, 8, 0xffffffff3fffffff, 9, 0xffffffff3ffffffc, 13, 0x2078fefefefe, 14, 0x0db60db60db60db6, 15, 0xfffffff0
resets_montecito:
	values	4, 0x2000000, 5, 0x2000000, 6, 0x2000000, 7, 0x2000000, 8, 0x2000000, 9, 0x2000000, 10, 0x2000000, 11, 0x2000000, 12, 0x2000000, 13, 0x2000000, 14, 0x2000000, 15, 0x2000000, 32, 0x030f01ffffffffff, 34, 0x000f01ffffffffff, 36, 0xfffffff0, 38, 0xdb6, 40, 0x2000000, 41, 0x2078fefefefe
	// From, to, bits
pmcs_itanium:
	values	4, 7, 0x037f7f7f, 8, 9, 0xfffffffe3ffffff8, 10, 10, 0x030f00cf, 11, 11, 0x130f00cf, 12, 12, 0xffcf, 13, 13, 0x0003ffff00000001
pmcs_itanium2:
	values	4, 4, 0x0fffff7f, 5, 7, 0x0f7fff7f, 8, 9, 0xffffffff3fffffff, 10, 10, 0xffff, 11, 11, 0x030f01cf, 12, 12, 0xffcf, 13, 13, 0x0001e078fefefefe, 14, 14, 0x0db60db60db62db6, 15, 15, 0xffffffff
pmcs_montecito:
	values	4, 15, 0x7f7fff7f, 32, 32, 0x030f01ffffffffff, 33, 33, 0x1ffffffffff, 34, 34, 0x000f01ffffffffff, 35, 35, 0x1ffffffffff, 36, 36, 0xffffffff, 37, 37, 0x3fff, 38, 38, 0x2db6, 39, 39, 0xffcf, 40, 40, 0x030f01cf, 41, 41, 0x0001e078fefefefe, 42, 42, 0x7ff4f
pmds_itanium:
	values	0, 0, ~0x1c, 1, 1, 0xfff, 2, 2, -1, 3, 3, 0xc000000000000fff, 4, 7, 0xffffffff, 8, 15, -1, 16, 16, 0xf, 17, 17, ~2
pmds_itanium2:
	values	0, 0, ~0x1c, 1, 1, 0x1fff, 2, 2, -1, 3, 3, 0xffff, 4, 15, -1, 16, 16, 0x33333333f, 17, 17, -1
pmds_montecito:
	values	4, 15, -1, 32, 32, -1, 33, 33, 0xffff, 34, 34, ~0x1c, 35, 35, 0x1fff, 36, 36, -1, 38, 38, 0x2f, 39, 39, -1, 48, 63, -1

	// Entries of the trace: a branch has bit 0 and its slot, 3 if it was not taken; a target bit 1
	.macro	from where, slot
	data8	\where + (1 | (\slot) << 2)
	.endm
	.macro	to where
	data8	\where + 2
	.endm
	.macro	taken_loop
	from	b_loop, 2
	to	b_loop
	from	b_loop, 2
	to	b_loop
	.endm
	.macro	taken_call
	from	b_call, 1
	to	b_function
	.endm
	.macro	taken_return
	from	b_function, 2
	to	b_called
	.endm
	.macro	taken_indirect
	from	b_indirect, 0
	to	b_indirect_target
	.endm
first_two:
	taken_loop
	data8	0
taken:
	taken_loop
	taken_call
	taken_return
	taken_indirect
	data8	0
not_taken:
	from	b_loop, 3
	from	b_off, 3
	data8	0
all:
	taken_loop
	from	b_loop, 3
	taken_call
	taken_return
	from	b_off, 3
	taken_indirect
	data8	0
relative:
	taken_loop
	taken_call
	data8	0
returns:
	taken_return
	data8	0
indirect:
	taken_indirect
none:
	data8	0
	.text
