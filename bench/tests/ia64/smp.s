// SPDX-License-Identifier: GPL-2.0-only
//
// Two CPUs. The second does what "task" tells it, and sets it to 0; what it has to say is in
// "answer" then. Who waits for the other says so by hint @pause.

	.set	TIMES, 20000

	// tell WHAT: and go on; done: wait for its end; ask: both
	.macro	tell what
	movl	r28 = task
	movl	r29 = \what
	st8.rel	[r28] = r29
	.endm
	.macro	done
	movl	r28 = task
676:	hint	@pause
	ld8.acq	r29 = [r28]
	cmp.ne	p14, p15 = r0, r29
	(p14) br.cond.dptk 676b
	.endm
	.macro	ask what
	tell	\what
	done
	.endm
	.macro	answer_is what, value
	movl	r8 = answer
	ld8	r8 = [r8]
	is	"\what", r8, \value
	.endm

main:
	// It sleeps until it gets an interrupt, which is not pending then
	movl	r8 = answer
	mov	r9 = 77
	st8	[r8] = r9
	movl	r9 = 10000
1:	adds	r9 = -1, r9
	hint	@pause
	cmp.ne	p1, p2 = r0, r9
	(p1) br.cond.dptk 1b
	answer_is "the second CPU waits", 77
	movl	r8 = task
	mov	r9 = 1
	st8	[r8] = r9
	send	0x55, 1 << 12
	done
	answer_is "an interrupt starts it: cr.lid", 1 << 24
	ask	what_is_pending
	answer_is "which is not pending there", 15
	send	0x55, 1 << 12
	ask	what_is_pending
	answer_is "the next one is", 0x55
	ask	what_is_pending
	answer_is "once", 15
	mov	r8 = cr.ivr
	is	"none came here", r8, 15

	// Interrupts, both ways, and together
	tell	echo
	mov	r10 = 0			// how many were wrong
	mov	r11 = 100
1:	send	0x61, 1 << 12
2:	hint	@pause
	mov	r8 = cr.ivr
	cmp.eq	p1, p2 = 15, r8
	(p1) br.cond.dptk 2b
	movl	r9 = 0x62
	cmp.ne	p1, p2 = r8, r9
	(p1) adds r10 = 1, r10
	mov	cr.eoi = r0
	adds	r11 = -1, r11
	cmp.ne	p1, p2 = r0, r11
	(p1) br.cond.dptk 1b
	send	0x60, 1 << 12
	done
	is	"100 interrupts there and back", r10, 0
	answer_is "as many were seen there", 100
	// One that finds a loop without an end
	tell	interrupt_me
	expect
	ssm	1 << 14
	.align	16
1:	hint	@pause
	br.cond.sptk 1b
	.align	16
662:	movl	r28 = record
	ld8	r8 = [r28]
	is	"an interruption by the other CPU", r8, 0x3000
	mov	r8 = cr.ivr
	is	"its vector", r8, 0x63
	mov	cr.eoi = r0
	done

	// Both count by each of the instructions for it
	.macro	both what, here
	movl	r8 = counter
	st8	[r8] = r0
	tell	\here
	movl	r7 = 677f
	mov	b5 = r7
	movl	r7 = \here
	mov	b4 = r7
	br.call.sptk b5 = b4
677:	done
	movl	r8 = counter
	ld8	r8 = [r8]
	is	"\what", r8, 2 * TIMES
	.endm
	both	"both count with cmpxchg8", count_cmpxchg
	both	"both count with fetchadd8", count_fetchadd
	both	"both count under a lock of xchg4", count_locked

	// One clock
	mov	ar.itc = r0
	movl	r10 = 1 << 50
	movl	r8 = answer
	st8	[r8] = r10
	ask	set_clock
	mov	r8 = ar.itc
	shr.u	r8 = r8, 49
	is	"the second CPU does not set the clock", r8, 0
	tell	compare_clocks
	mov	r10 = 0
	mov	r11 = 100
	movl	r12 = stamp
	movl	r13 = turn
1:	mov	r8 = ar.itc
	st8	[r12] = r8
	mov	r9 = 1
	st8.rel	[r13] = r9
2:	hint	@pause
	ld8.acq	r9 = [r13]
	cmp.eq	p1, p2 = 1, r9
	(p1) br.cond.dptk 2b
	ld8	r9 = [r12]
	mov	r8 = ar.itc
	cmp.ltu	p1, p2 = r8, r9
	(p1) adds r10 = 1, r10
	adds	r11 = -1, r11
	cmp.ne	p1, p2 = r0, r11
	(p1) br.cond.dptk 1b
	done
	is	"the clock does not go back on the way here", r10, 0
	answer_is "nor there", 0
	// Each its own timer
	mov	r8 = 0xe1
	mov	cr.itv = r8
	tell	timer
	arm	100000
1:	hint	@pause
	mov	r8 = cr.ivr
	cmp.eq	p1, p2 = 15, r8
	(p1) br.cond.dptk 1b
	is	"a timer here", r8, 0xe1
	mov	cr.eoi = r0
	done
	answer_is "a timer there", 0xe2

	// Translations
	virtual
	ask	go_virtual
	map	REGION, MEMORY | ALL
	movl	r8 = MEMORY
	mov	r9 = 8
	st8	[r8] = r9
	ask	load
	answer_is "each has its own translations", 0x1000
	.macro	purges how, result
	ask	insert_one
	ask	load
	answer_is "\how: there", 8
	map	REGION, MEMORY | ALL
	purge	\how, REGION
	expect
	movl	r8 = REGION
	ld8	r8 = [r8]
	faulted	"\how: here", 0x1000, R
	ask	load
	answer_is "\how: there, after it", \result
	.endm
	purges	ptc.l, 8
	purges	ptc.ga, 0x1000
	purges	ptc.g, 0x1000
	purges	ptr.d, 8
	// The identifier counts, not the region
	ask	insert_one
	movl	r8 = 2 * REGION
	mov	r9 = 0x11 << 8 | 14 << 2
	mov	rr[r8] = r9
	movl	r8 = REGION
	mov	r9 = 0x12 << 8 | 14 << 2
	mov	rr[r8] = r9
	purge	ptc.ga, REGION
	ask	load
	answer_is "ptc.ga of another identifier", 8
	purge	ptc.ga, 2 * REGION
	ask	load
	answer_is "ptc.ga by another region", 0x1000
	br.cond.sptk finish

	// The second CPU
second:
	mov	ar.rsc = 0
	movl	r2 = its_store
	mov	ar.bspstore = r2
	alloc	r2 = ar.pfs, 0, 0, 0, 0
	movl	r2 = its_ivt
	mov	cr.iva = r2
	ic	1
	movl	r4 = task
	movl	r5 = answer
	mov	r8 = cr.lid
answered:
	st8	[r5] = r8
	st8.rel	[r4] = r0
wait:	hint	@pause
	ld8.acq	r8 = [r4]
	cmp.eq	p1, p2 = r0, r8
	(p1) br.cond.dptk wait
	movl	r5 = answer
	movl	r6 = answered
	mov	b5 = r6
	mov	b4 = r8
	br.cond.sptk b4

what_is_pending:
	mov	r8 = cr.ivr
	mov	cr.eoi = r0
	br.cond.sptk b5
echo:
	mov	r9 = 0
1:	hint	@pause
	mov	r8 = cr.ivr
	cmp.eq	p1, p2 = 15, r8
	(p1) br.cond.dptk 1b
	mov	cr.eoi = r0
	movl	r10 = 0x60
	cmp.eq	p1, p2 = r8, r10
	mov	r8 = r9
	(p1) br.cond.dpnt b5
	adds	r9 = 1, r9
	send	0x62, 0
	br.cond.sptk 1b
interrupt_me:
	movl	r9 = 1000
1:	adds	r9 = -1, r9
	hint	@pause
	cmp.ne	p1, p2 = r0, r9
	(p1) br.cond.dptk 1b
	send	0x63, 0
	br.cond.sptk b5

count_cmpxchg:
	movl	r9 = counter
	movl	r10 = TIMES
1:	ld8	r11 = [r9]
	adds	r12 = 1, r11
	mov	ar.ccv = r11
	cmpxchg8.acq r13 = [r9], r12, ar.ccv
	cmp.ne	p1, p2 = r13, r11
	(p1) br.cond.dpnt 1b
	adds	r10 = -1, r10
	cmp.ne	p1, p2 = r0, r10
	(p1) br.cond.dptk 1b
	br.cond.sptk b5
count_fetchadd:
	movl	r9 = counter
	movl	r10 = TIMES
1:	fetchadd8.rel r13 = [r9], 1
	adds	r10 = -1, r10
	cmp.ne	p1, p2 = r0, r10
	(p1) br.cond.dptk 1b
	br.cond.sptk b5
count_locked:
	movl	r9 = counter
	movl	r12 = lock
	movl	r10 = TIMES
	mov	r13 = 1
1:	xchg4	r11 = [r12], r13
	cmp.ne	p1, p2 = r0, r11
	(p1) hint @pause
	(p1) br.cond.dpnt 1b
	ld8	r11 = [r9]
	adds	r11 = 1, r11
	st8	[r9] = r11
	st4.rel	[r12] = r0
	adds	r10 = -1, r10
	cmp.ne	p1, p2 = r0, r10
	(p1) br.cond.dptk 1b
	br.cond.sptk b5

set_clock:
	ld8	r8 = [r5]
	mov	ar.itc = r8
	br.cond.sptk b5
compare_clocks:
	mov	r8 = 0
	mov	r11 = 100
	movl	r12 = stamp
	movl	r13 = turn
1:	hint	@pause
	ld8.acq	r9 = [r13]
	cmp.ne	p1, p2 = 1, r9
	(p1) br.cond.dptk 1b
	ld8	r9 = [r12]
	mov	r10 = ar.itc
	cmp.ltu	p1, p2 = r10, r9
	(p1) adds r8 = 1, r8
	st8	[r12] = r10
	st8.rel	[r13] = r0
	adds	r11 = -1, r11
	cmp.ne	p1, p2 = r0, r11
	(p1) br.cond.dptk 1b
	br.cond.sptk b5
timer:
	mov	r9 = 0xe2
	mov	cr.itv = r9
	arm	50000
1:	hint	@pause
	mov	r8 = cr.ivr
	cmp.eq	p1, p2 = 15, r8
	(p1) br.cond.dptk 1b
	mov	cr.eoi = r0
	br.cond.sptk b5

go_virtual:
	virtual
	br.cond.sptk b5
insert_one:
	map	REGION, MEMORY | ALL
	br.cond.sptk b5
load:					// or the vector of what it gets
	movl	r9 = REGION
	ld8	r8 = [r9]
	br.cond.sptk b5

	// Its interruptions are all of loads: the vector is what has been loaded
	.section .ivt
	.align	32768
its_ivt:
	.org	its_ivt + 0x1000
	mov	r16 = cr.ipsr
	movl	r17 = missed
	mov	cr.iip = r17
	dep	r16 = 0, r16, 41, 2
	mov	cr.ipsr = r16
	rfi
	.org	its_ivt + 0x8000
	.text
	.align	16
missed:
	movl	r8 = 0x1000
	br.cond.sptk b5

	.bss
	.balign	64
task:		.skip	64
answer:		.skip	64
counter:	.skip	64
lock:		.skip	64
stamp:		.skip	64
turn:		.skip	64
	.balign	512
its_store:	.skip	8192
	.text
