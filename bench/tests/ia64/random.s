// SPDX-License-Identifier: GPL-2.0-only
//
// Runs the sequences that random.c has written below, each from the registers, and to the
// registers, that are in .data: r8 to r23, and all predicates.

	.section .data
	.balign	8
sequences:
	.text
main:
	movl	r4 = sequences
	movl	r5 = sequences_end
	mov	r6 = 0			// how many went wrong
next:
	cmp.geu	p1, p2 = r4, r5
	(p1) br.cond.dpnt done
	ld8	r7 = [r4], 8
	mov	b1 = r7
	.irp	r, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
	ld8	r\r = [r4], 8
	.endr
	ld8	r24 = [r4], 8
	mov	pr = r24, -1
	br.cond.sptk b1

compare:
	mov	r24 = pr
	mov	r25 = 0
	.irp	r, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24
	ld8	r26 = [r4], 8
	xor	r26 = r26, r\r
	or	r25 = r25, r26
	.endr
	cmp.eq	p1, p2 = r0, r25
	(p1) br.cond.dptk next
	adds	r6 = 1, r6
	say	"# wrong: the sequence at 0x"
	mov	r28 = r7
	call	put_hex
	say	"\n"
	br.cond.sptk next
done:
	is	"random code: sequences that went wrong", r6, 0
	br.cond.sptk finish
