// SPDX-License-Identifier: GPL-2.0-only
//
// Interruptions and levels of privilege: what psr and cr have after them, what a program may not
// do, traps; loads that defer their faults; the RSE's faults.

	.set	R1, REGION
	.set	ITIR1, 0x11 << 8 | 14 << 2
	.set	LP, 1 << 25
	.set	TB, 1 << 26
	.set	SS, 1 << 40
	.set	LEVEL, 1 << 32

main:
	virtual

	// psr: what stays, what goes
	.set	KEPT, 1 << 2 | 1 << 4 | 1 << 5 | 1 << 17 | 1 << 27 | 1 << 36
	.set	LOST, 1 << 3 | 1 << 13 | 1 << 14 | 3 << 18 | 1 << 20 | 1 << 21
	expect
	go	1f, KEPT | LOST | 1 << 35 | 2 * LEVEL
1:	break.m	0x123
	faulted	"break", 0x2c00, 0
	recorded "break: iim", IIM, 0x123
	recorded "break: ipsr", IPSR, VIRTUAL | KEPT | LOST | 1 << 35 | 2 * LEVEL
	recorded "break: psr of the handler", PSR, KEPT | 1 << 35
	mov	r8 = 1
	mov	cr.dcr = r8
	expect
	go	1f
1:	break.m	0x124
	faulted	"break with dcr.pp", 0x2c00, 0
	recorded "dcr.pp is psr.pp of the handler", PSR, 1 << 17 | 1 << 27 | 1 << 36 | 1 << 21
	mov	cr.dcr = r0
	go	1f
1:
	// Slots
	expect
	nop.m	0
	break.i	0x1fffff
	faulted	"break in slot 1", 0x2c00, EI
	recorded "its ipsr", IPSR, VIRTUAL | EI
	recorded "its iim", IIM, 0x1fffff
	recorded "its iip", IIP, 665b
	expect
	nop.m	0
	nop.i	0
	break.i	3
	faulted	"break in slot 2", 0x2c00, 2 * EI
	recorded "its ipsr", IPSR, VIRTUAL | 2 * EI
	expect
	bundle	0x17, 0, 0, 0
	faulted	"break.b", 0x2c00, 0
	recorded "break.b says nothing", IIM, 0
	expect
	break.x	0x2fedcba987654321
	faulted	"break.x", 0x2c00, EI
	recorded "break.x: iim", IIM, 0x2fedcba987654321

	// What is not told is left alone
	.macro	not_told what, insn, vector, isr
	ic	0
	mov	r8 = 0x1230
	mov	cr.ifa = r8
	mov	cr.itir = r8
	mov	cr.iha = r8
	mov	cr.iim = r8
	ic	1
	expect
	\insn
	faulted	"\what", \vector, \isr
	recorded "\what: cr.ifa", IFA, 0x1230
	recorded "\what: cr.itir", ITIR, 0x1230
	recorded "\what: cr.iha", IHA, 0x1230
	.if	\vector != 0x2c00
	recorded "\what: cr.iim", IIM, 0x1230
	.endif
	.endm
	not_told "a break", "break.m 2", 0x2c00, 0
	not_told "an illegal operation", "mov cr.ifa = r0", 0x5400, 0
	movl	r8 = MEMORY
	mov	ar.unat = -1
	ld8.fill r10 = [r8]
	not_told "a NaT", "mov b1 = r10", 0x5600, EI | 0x10
	.macro	nat insn, isr=0
	expect
	\insn
	faulted	"\insn, r10 a NaT", 0x5600, 0x10 | \isr
	.endm
	mov	r9 = 0
	nat	"probe.r r8 = r10, 0", R | NA | 2
	nat	"probe.w r8 = r10, r9", W | NA | 2
	nat	"probe.w r8 = r9, r10", W | NA | 2
	nat	"probe.rw.fault r10, 0", R | W | NA | 5
	nat	"fc r10", R | NA | 1
	nat	"lfetch.fault [r10]", R | NA | 4
	nat	"tpa r8 = r10", NA | 0
	nat	"tak r8 = r10", NA | 3
	nat	"mov r8 = rr[r10]"
	nat	"mov rr[r9] = r10"
	nat	"mov pkr[r10] = r9"
	nat	"ptc.l r9, r10"
	nat	"ptr.d r10, r9"
	nat	"ptc.e r10"
	nat	"itr.d dtr[r10] = r9"
	nat	"itc.d r10"
	mov	r10 = 0
	not_told "a step", "go 1f, SS; 1: nop.m 0", 0x6000, 8
	movl	r9 = 2 * REGION
	mov	b1 = r9
	not_told "a branch", "go 1f, TB; 1: br.cond.sptk b1", 0x5f00, 4 | 2 * EI

	// Instructions that are not for programs
	.macro	privileged insn, isr=0x10
	expect
	go	667f, 3 * LEVEL
667:	\insn
	faulted	"\insn", 0x5400, \isr
	recorded "\insn: ipsr", IPSR, VIRTUAL | 3 * LEVEL | ((\isr) & 3 * EI)
	.endm
	privileged "rfi", 0x10 | 2 * EI
	privileged "bsw.0", 0x10 | 2 * EI
	privileged "bsw.1", 0x10 | 2 * EI
	privileged "itc.d r8"
	privileged "itc.i r8"
	privileged "itr.d dtr[r8] = r9"
	privileged "itr.i itr[r8] = r9"
	privileged "ptc.l r8, r9"
	privileged "ptc.g r8, r9"
	privileged "ptc.ga r8, r9"
	privileged "ptc.e r8"
	privileged "ptr.d r8, r9"
	privileged "ptr.i r8, r9"
	privileged "mov rr[r8] = r9"
	privileged "mov r8 = rr[r9]"
	privileged "mov pkr[r8] = r9"
	privileged "mov r8 = pkr[r9]"
	privileged "mov dbr[r8] = r9"
	privileged "mov r8 = dbr[r9]"
	privileged "mov ibr[r8] = r9"
	privileged "mov r8 = ibr[r9]"
	privileged "tpa r8 = r9"
	privileged "tak r8 = r9"
	privileged "ssm 1"
	privileged "rsm 1"
	privileged "mov psr.l = r8"
	privileged "mov r8 = psr"
	privileged "mov cr.dcr = r8"
	privileged "mov r8 = cr.dcr"
	privileged "mov ar.k3 = r8", 0x20
	// and those that are
	expect
	go	1f, 3 * LEVEL | 1 << 20
1:	mov	r8 = ar.k3
	mov	r8 = cpuid[r0]
	thash	r8 = r9
	mov	ar.rsc = 0
	mov	r8 = ar.rsc
	sum	1 << 2 | 1 << 4
	mov	r9 = psr.um
	break.i	0
	faulted	"instructions of programs", 0x2c00, EI
	is	"a program has the RSE at its own level", r8, 3 << 2
	is	"psr.up is not its own with psr.sp", r9, 1 << 4
	recorded "it was at level 3", IPSR, VIRTUAL | 1 << 4 | 1 << 20 | 3 * LEVEL | EI
	expect
	go	1f, 3 * LEVEL
1:	sum	1 << 2
	mov	r9 = psr.um
	break.i	0
	faulted	"sum", 0x2c00, 2 * EI
	is	"psr.up without psr.sp", r9, 1 << 2
	mov	ar.rsc = 0
	go	1f
1:
	// epc, through another region
	.macro	entry pte, level, ppl
	map_code 2 * REGION + 0x4000000, 0x4000000 | USABLE | \pte, 26
	movl	r8 = \ppl << 62
	mov	ar.pfs = r8
	expect
	go	enter + 2 * REGION, \level * LEVEL
	.endm
	entry	7 << 9, 3, 3
	faulted	"epc in a page for it", 0x2c00, 0
	recorded "its level", IPSR, VIRTUAL
	entry	7 << 9 | 1 << 7, 3, 3
	faulted	"epc in a page for level 1", 0x2c00, 0
	recorded "its level", IPSR, VIRTUAL | LEVEL
	entry	7 << 9 | 2 << 7, 1, 3
	faulted	"epc in a page for a lower level", 0x2c00, 0
	recorded "its level", IPSR, VIRTUAL | LEVEL
	entry	1 << 9 | 3 << 7, 3, 3
	faulted	"epc in a page that can be read", 0x2c00, 0
	recorded "its level", IPSR, VIRTUAL | 3 * LEVEL
	entry	7 << 9, 3, 2
	faulted	"epc after a call from a higher level", 0x5400, 2 * EI
	ptc.e	r0
	mov	ar.pfs = r0

	// Traps
	.macro	return level
	movl	r8 = \level << 62
	mov	ar.pfs = r8
	movl	r8 = returned
	mov	b0 = r8
	.endm
	return	3
	expect
	go	1f
1:	br.ret.sptk b0
	faulted	"br.ret", 0x2c00, 0
	recorded "br.ret lowers the level", IPSR, VIRTUAL | 3 * LEVEL
	return	0
	expect
	go	1f, 2 * LEVEL
1:	br.ret.sptk b0
	faulted	"br.ret", 0x2c00, 0
	recorded "br.ret never raises it", IPSR, VIRTUAL | 2 * LEVEL
	return	3
	expect
	go	1f, LP
1:	br.ret.sptk b0
	faulted	"psr.lp", 0x5e00, 2 | 2 * EI
	recorded "psr.lp: ipsr", IPSR, VIRTUAL | LP | 3 * LEVEL
	recorded "psr.lp: iip", IIP, returned
	return	3
	expect
	go	1f, LP | TB | SS | 2 * EI
1:	br.ret.sptk b0
	faulted	"all traps at once", 0x5e00, 14 | 2 * EI
	return	0
	expect
	go	1f, LP | TB
1:	br.ret.sptk b0
	faulted	"br.ret to the same level", 0x5f00, 4 | 2 * EI
	expect
	go	1f, SS | TB | 2 * EI
1:	br.ret.sptk b0
	faulted	"a branch, step by step", 0x5f00, 12 | 2 * EI
	.macro	trap insn, isr
	expect
	go	667f, TB
667:	\insn
	.align	16
668:	break.m	5
	faulted	"psr.tb: \insn", 0x5f00, \isr
	recorded "psr.tb: \insn: iip", IIP, 668b
	.endm
	cmp.eq	p1, p2 = r0, r0
	trap	"br.cond.sptk 668f", 4 | 2 * EI
	mov	ar.lc = 3
	trap	"br.cloop.sptk 668f", 4 | 2 * EI
	mov	ar.lc = 3
	trap	"br.ctop.sptk 668f", 4 | 2 * EI
	trap	"br.call.sptk b2 = 668f", 4 | 2 * EI
	trap	"brl.cond.sptk 668f", 4 | EI
	trap	"(p1) br.cond.sptk 668f", 4 | 2 * EI
	clrrrb
	mov	ar.ec = 0
	mov	ar.lc = 0
	expect
	go	1f, TB
1:	(p2) br.cond.sptk 2f
	br.cloop.sptk 2f
	break.m	6
2:	nop	0
	faulted	"psr.tb: branches not taken", 0x2c00, 0
	recorded "psr.tb: branches not taken", IIM, 6
	expect
	go	1f, SS
	.align	16
1:	mov	r8 = 1
	mov	r9 = 2
	faulted	"psr.ss", 0x6000, 8
	recorded "psr.ss: ipsr", IPSR, VIRTUAL | SS | EI
	recorded "psr.ss: iip", IIP, 1b
	is	"psr.ss: the instruction before is done", r8, 1
	expect
	go	1f, SS | 2 * EI
	.align	16
1:	nop.m	0
	nop.i	0
	(p2) mov r8 = 3
2:	nop	0
	faulted	"psr.ss: an instruction that its predicate turns off", 0x6000, 8 | 2 * EI
	recorded "psr.ss: iip", IIP, 2b
	is	"psr.ss: it did nothing", r8, 1
	expect
	go	1f, SS
1:	break.m	7
	faulted	"psr.ss: a fault is no trap", 0x2c00, 0

	// Loads that defer. "speculate" loads to r8 from r9, and adds 8 to that; in region 3 it
	// is in a page with ed.
	.macro	defer what, region, psr=0
	mov	r8 = 5
	mov	r12 = r9
	expect
	go	speculate + \region * REGION, \psr
	faulted	"\what: the break behind it", 0x2c00, EI
	sub	r13 = r9, r12
	adds	r9 = -8, r9
	tnat.nz	p1, p2 = r8
	cmp.eq.and p1, p0 = 8, r13
	mov	r13 = 0
	(p1) mov r13 = 1
	mov	r8 = 0
	go	669f
669:
	.endm
	.macro	deferred what, region, psr=0
	defer	"\what", \region, \psr
	is	"\what is deferred", r13, 1
	.endm
	.macro	not_deferred what, region, vector, isr, psr=0
	expect
	go	speculate + \region * REGION, \psr
	faulted	"\what is not deferred", \vector, R | SP | \isr, R1 + 8, ITIR1
	go	670f
670:
	.endm
	map_code 3 * REGION + 0x4000000, 0x4000000 | ALL | ED, 26
	movl	r9 = R1 + 8
	not_deferred "a miss", 0, 0x1000, 0
	not_deferred "a miss with ed", 3, 0x1000, ISR_ED
	mov	r8 = 0x7e00
	mov	cr.dcr = r8
	not_deferred "a miss without dcr.dm", 3, 0x1000, ISR_ED
	mov	r8 = 1 << 8
	mov	cr.dcr = r8
	deferred "a miss with dcr.dm", 3
	not_deferred "a miss with dcr.dm but not ed", 0, 0x1000, 0
	mov	cr.dcr = r0
	deferred "anything with psr.ed", 0, 1 << 43
	ic	0
	mov	r8 = 5
	ld8.s	r8 = [r9]
	tnat.nz	p1, p2 = r8
	mov	r13 = 0
	(p1) mov r13 = 1
	mov	r8 = 0
	ic	1
	is	"a miss within a handler is deferred", r13, 1
	.macro	with_ed what, pte, bit, vector, key=0, psr=0
	map	R1, MEMORY | \pte, 14, \key
	mov	cr.dcr = r0
	not_deferred "\what", 3, \vector, ISR_ED, \psr
	mov	r8 = 0x7f00 & ~(1 << \bit)
	mov	cr.dcr = r8
	not_deferred "\what with all but its bit", 3, \vector, ISR_ED, \psr
	movl	r8 = 1 << \bit
	mov	cr.dcr = r8
	deferred "\what", 3, \psr
	not_deferred "\what without ed", 0, \vector, 0, \psr
	.endm
	with_ed	"not present", ALL & ~PRESENT, 9, 0x5000
	with_ed	"no right", USABLE | 7 << 9 | 3 << 7, 12, 0x5300, 0, LEVEL
	with_ed	"not accessed", ALL & ~ACCESSED, 13, 0x2800
	mov	r8 = 0
	mov	r10 = 1
	mov	pkr[r8] = r10
	with_ed	"a key that no register has", ALL, 10, 0x1c00, 5, 1 << 15
	mov	r8 = 1
	mov	r10 = 5 << 8 | 1 | 4
	mov	pkr[r8] = r10
	with_ed	"a key against it", ALL, 11, 0x5100, 5, 1 << 15
	mov	r8 = 0
	mov	pkr[r8] = r0
	mov	r8 = 1
	mov	pkr[r8] = r0
	map	R1, MEMORY | USABLE & ~ACCESSED | 7 << 9 | 3 << 7
	mov	r8 = 1 << 12
	mov	cr.dcr = r8
	not_deferred "what comes after what is", 3, 0x2800, ISR_ED, LEVEL
	mov	cr.dcr = r0
	map	R1, MEMORY | ALL | NAT_PAGE
	deferred "a NaT page", 0
	map	R1, MEMORY | ALL | UC
	deferred "memory that is not cached", 0
	movl	r9 = R1 + 0x0010000000000000
	deferred "an address that is not implemented", 0
	map	R1, MEMORY | ALL
	movl	r9 = R1 + 9
	deferred "not aligned, with psr.ac and ed", 3, 1 << 3
	expect
	go	speculate, 1 << 3
	faulted	"not aligned, with psr.ac", 0x5a00, R | SP, R1 + 9, ITIR1
	go	1f
1:	movl	r10 = MEMORY + 8
	movl	r11 = 0x8877665544332211
	st8	[r10] = r11, 8
	st8	[r10] = r11
	movl	r9 = R1 + 8
	mov	r8 = 0
	defer	"a load that succeeds", 3
	is	"what can be loaded is no NaT", r13, 0
	movl	r9 = R1 + 9
	ld1.s	r8 = [r9]
	is	"ld1.s", r8, 0x22
	ld2.s	r8 = [r9]
	is	"ld2.s", r8, 0x3322
	movl	r10 = R1 + 12
	ld4.sa	r8 = [r10], 2
	is	"ld4.sa", r8, 0x88776655
	ld2.s	r8 = [r10], 1
	is	"ld2.s without a sign", r8, 0x8877
	ld1.s	r8 = [r10]
	is	"ld1.s without a sign", r8, 0x88
	ld8.sa	r8 = [r9]
	is	"ld8.sa", r8, 0x1188776655443322
	expect
	mov	r8 = r0
	movl	r10 = R1 + 0x3ff9
	ld8.s	r8 = [r10]
	faulted	"ld8.s into a page that misses", 0x1000, R | SP, R1 + 0x4000, ITIR1
	ld8.s	r8 = [r9]
	movl	r10 = MEMORY + 0x200
	mov	ar.unat = -1
	ld8.fill r10 = [r10]
	mov	r8 = 5
	ld8.s	r8 = [r10], 8
	tnat.nz	p1, p2 = r8
	tnat.nz.and p1, p0 = r10
	mov	r13 = 0
	(p1) mov r13 = 1
	mov	r8 = 0
	mov	r10 = 0
	is	"a NaT for an address is deferred, and counted on", r13, 1
	rsm	1 << 17
	srlz.d
	movl	r9 = MEMORY + 8
	ld8.s	r8 = [r9]
	dep	r9 = -1, r9, 63, 1
	ld8.s	r10 = [r9]
	tnat.nz	p1, p2 = r10
	mov	r13 = 0
	(p1) mov r13 = 1
	mov	r10 = 0
	ssm	1 << 17
	srlz.d
	is	"a physical address that is cached", r8, 0x8877665544332211
	is	"one that is not is deferred", r13, 1
	movl	r9 = R1 + 0x4000
	movl	r11 = 1f
	mov	b1 = r11
	expect
	go	plain + 3 * REGION
1:	faulted	"a plain load tells of ed, too", 0x1000, R | ISR_ED, R1 + 0x4000, ITIR1
	br.cond.sptk stack

enter:
	nop.m	0
	nop.m	0
	epc
returned:
	break.m	8
	.align	16
speculate:
	ld8.s	r8 = [r9], 8
	break.m	10
	.align	16
flush:
	flushrs
	.align	16
plain:
	ld8	r8 = [r9]
	br.cond.sptk b1
	.align	16

	// The RSE's faults. The store begins @below registers before the end of a page; the last
	// 8 bytes of that are NaT bits. Twenty registers are stored, r40 is a NaT.
	.macro	store_at below
	mov	ar.rsc = 0
	ptc.e	r0
	movl	r2 = R1 + 0x4000 - 8 * (\below + 1)
	map	R1, MEMORY | ALL
	map	R1 + 0x4000, (MEMORY + 0x4000) | ALL
	movl	r8 = record + COUNT
	st8	[r8] = r0
	fresh
	mov	ar.rnat = r0
	.endm
	.macro	make_twenty
	alloc	r3 = ar.pfs, 0, 20, 0, 0
	.irp	n, 32, 33, 34, 35, 36, 37, 38, 39, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51
	fill_one \n, 1000
	.endr
	movl	r8 = MEMORY + 0x8000
	mov	ar.unat = -1
	ld8.fill r40 = [r8]
	.endm
	.macro	look_at_twenty what, count
	mov	r9 = 0
	.irp	n, 32, 33, 34, 35, 36, 37, 38, 39, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51
	test_one \n, 1000
	.endr
	tnat.nz	p1, p2 = r40
	(p2) mov r9 = -1
	mov	r40 = 0
	is	"\what: the registers", r9, 0
	recorded "\what: faults", COUNT, \count
	.endm
	// handle ON: insert what misses
	.macro	handle on
	movl	r8 = translation
	movl	r10 = MEMORY | ALL
	.if	\on
	st8	[r8] = r10
	.else
	st8	[r8] = r0
	.endif
	.endm
	// purge_pages LOW, HIGH: the first page, the second one, or both
	.macro	purge_pages low, high
	.if	\low
	purge	ptc.l, R1
	.endif
	.if	\high
	purge	ptc.l, R1 + 0x4000
	.endif
	.endm
	.macro	rse_fault what, isr, address
	recorded "\what: the vector", VECTOR, 0x1000
	recorded "\what: isr", ISR, RS | \isr
	recorded "\what: ifa", IFA, \address
	recorded "\what: itir", ITIR, ITIR1
	.endm

stack:
	// br.ret and rfi load a frame of which a page misses: the one at its end, that with most
	// of it, that with its first register, and both
	.macro	fills what, below, low, high, address, count
	store_at \below
	make_twenty
	br.call.sptk b0 = 671f
	.align	16
673:	handle	0
	rse_fault "br.ret, \what", R | IR, \address
	recorded "br.ret, \what: iip", IIP, 673b
	recorded "br.ret, \what: ipsr", IPSR, VIRTUAL
	look_at_twenty "br.ret, \what", \count
	br.cond.sptk 672f
671:	alloc	r3 = ar.pfs, 0, 0, 0, 0
	flushrs
	purge_pages \low, \high
	handle	1
	br.ret.sptk b0
672:
	store_at \below
	make_twenty
	ic	0
	cover
	flushrs
	purge_pages \low, \high
	handle	1
	movl	r8 = 674f
	mov	cr.iip = r8
	movl	r8 = VIRTUAL | EI
	mov	cr.ipsr = r8
	rfi
	.align	16
674:	mov	r8 = 0
	mov	r8 = 7
	mov	r8 = 8
	handle	0
	rse_fault "rfi, \what", R | IR | EI, \address
	recorded "rfi, \what: iip", IIP, 674b
	recorded "rfi, \what: ipsr", IPSR, VIRTUAL | EI
	look_at_twenty "rfi, \what", \count
	.endm
	fills	"its end misses", 10, 0, 1, R1 + 0x4000 + 9 * 8, 1
	fills	"its middle misses", 10, 1, 0, R1 + 0x3ff8, 1
	fills	"its beginning misses", 1, 1, 0, R1 + 0x3ff8, 1
	fills	"all of it misses", 20, 1, 0, R1 + 0x3ff0, 1
	fills	"both pages miss", 10, 1, 1, R1 + 0x3ff8, 2

	// flushrs, and alloc, store to what misses
	store_at 10
	purge	ptc.l, R1 + 0x4000
	make_twenty
	handle	1
	br.call.sptk b0 = 1f
	handle	0
	look_at_twenty "flushrs", 1
	rse_fault "flushrs", W | EI, R1 + 0x4000
	br.cond.sptk 2f
1:	alloc	r3 = ar.pfs, 0, 0, 0, 0
	flushrs
	movl	r8 = MEMORY + 0x4000
	ld8	r8 = [r8]
	is	"flushrs: behind the page", r8, 1042
	movl	r8 = MEMORY + 0x3ff0
	ld8	r8 = [r8]
	is	"flushrs: before its end", r8, 1041
	movl	r8 = MEMORY + 0x3ff8
	ld8	r8 = [r8]
	shr.u	r8 = r8, 53
	is	"flushrs: NaT bits", r8, 1 << 8
	br.ret.sptk b0
2:
	store_at 1
	purge	ptc.l, R1
	alloc	r3 = ar.pfs, 0, 96, 0, 0
	fill_frame 2000
	handle	1
	br.call.sptk b0 = 1f
	handle	0
	test_frame 2000
	is	"alloc: the registers", r9, 0
	br.cond.sptk 2f
	.align	16
1:	alloc	r3 = ar.pfs, 0, 2, 0, 0
	mov	ar.pfs = r3
	rse_fault "alloc", W, R1 + 0x3ff0
	recorded "alloc: iip", IIP, 1b
	recorded "alloc: faults", COUNT, 1
	br.ret.sptk b0
2:
	// loadrs
	store_at 10
	make_twenty
	br.call.sptk b0 = 1f
	handle	0
	look_at_twenty "loadrs", 1
	rse_fault "loadrs", R | EI, R1 + 0x3ff8
	br.cond.sptk 2f
1:	alloc	r3 = ar.pfs, 0, 0, 0, 0
	flushrs
	purge	ptc.l, R1
	handle	1
	movl	r8 = 21 * 8 << 16
	mov	ar.rsc = r8
	loadrs
	mov	r8 = ar.bspstore
	movl	r10 = R1 + 0x4000 - 8 * 11
	sub	r8 = r8, r10
	is	"loadrs: bspstore", r8, 0
	br.ret.sptk b0
2:
	// In a page with ed: the RSE does not tell of it
	store_at 10
	map_code 3 * REGION + 0x4000000, 0x4000000 | ALL | ED, 26
	purge	ptc.l, R1
	make_twenty
	cover
	expect
	go	flush + 3 * REGION
	faulted	"flushrs in a page with ed", 0x1000, W | RS, R1 + 0x4000 - 8 * 11, ITIR1
	// Its level is ar.rsc's; its addresses are physical without psr.rt
	store_at 10
	map	R1, MEMORY | USABLE | 2 << 9
	make_twenty
	cover
	mov	ar.rsc = 1 << 2
	expect
	flushrs
	faulted	"flushrs at level 1", 0x5300, W | RS, R1 + 0x4000 - 8 * 11, ITIR1
	mov	ar.rsc = 0
	flushrs
	store_at 10
	movl	r8 = 0x1000000
	mov	r10 = psr
	dep	r10 = 0, r10, 27, 1
	mov	psr.l = r10
	srlz.d
	mov	ar.bspstore = r8
	make_twenty
	cover
	flushrs
	map	R1 + 0x8000, 0x1000000 | ALL
	movl	r8 = R1 + 0x8000
	ld8	r8 = [r8]
	is	"flushrs without psr.rt", r8, 1032
	mov	r10 = psr
	dep	r10 = -1, r10, 27, 1
	mov	psr.l = r10
	srlz.d
	br.cond.sptk finish
