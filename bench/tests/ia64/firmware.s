// SPDX-License-Identifier: GPL-2.0-only
//
// Firmware: what a kernel is handed when it starts, all tables that it finds from there, each call of
// PAL, SAL and EFI, with physical addresses and with virtual ones, how the second CPU is
// started and given back, virtio's transports, and in the end a reset and the end.
//
// What calls must answer is in Intel's manual, volume 2, chapter 11, in EFI's specification, 1.10, and
// in Linux's asm/pal.h and asm/sal.h. run.sh says what QEMU is given: two CPUs, 128 MB of memory,
// a command line, an initial ram disk, a date, a serial device and a directory of the host.

	.set	RAM, 128 << 20
	.set	INITRD_SIZE, 20001		// bytes, each 'i'
	.set	VIRTIO, 0xff600000
	.set	GATE_BREAK, 0x1f0000
	.set	MARK, 0x6000000			// memory that a reset leaves alone
	.set	WB, 8
	.set	RUNTIME, 1 << 63
	.set	EFI_INVALID, 1 << 63 | 2
	.set	EFI_UNSUPPORTED, 1 << 63 | 3
	.set	EFI_NOT_FOUND, 1 << 63 | 14

	// use WHERE: a procedure here, which returns to b5
	.macro	use where
	movl	r27 = 671f
	mov	b5 = r27
	br.cond.sptk \where
	.align	16
671:
	.endm
	// get REGISTER, SIZE, AT: of the table at r4
	.macro	get reg, size, at
	adds	r27 = \at, r4
	ld\size	\reg = [r27]
	.endm
	.macro	field what, size, at, value
	get	r8, \size, \at
	is	"\what", r8, \value
	.endm
	.macro	load reg, name
	movl	r27 = \name
	ld8	\reg = [r27]
	.endm
	.macro	save reg, name
	movl	r27 = \name
	st8	[r27] = \reg
	.endm
	// yes WHAT, PREDICATE
	.macro	yes what, p
	mov	r8 = 0
	(\p) mov r8 = 1
	is	"\what", r8, 1
	.endm

	// pal INDEX, ARGUMENTS; those from 256 on have them as functions have, and so have SAL's
	.macro	pal index, a1=0, a2=0
	movl	r28 = \index
	movl	r29 = \a1
	movl	r30 = \a2
	mov	r31 = 0
	load	r26, pal_proc
	load	r25, region
	or	r26 = r26, r25
	mov	b6 = r26
	movl	r26 = 672f
	mov	b0 = r26
	br.cond.sptk b6
	.align	16
672:
	.endm
	.macro	arguments a0, a1=0, a2=0, a3=0
	movl	r34 = \a0
	movl	r35 = \a1
	movl	r36 = \a2
	movl	r37 = \a3
	.endm
	.macro	pal_stacked index
	movl	r28 = \index
	arguments \index
	load	r26, pal_proc
	load	r25, region
	or	r26 = r26, r25
	mov	b6 = r26
	br.call.sptk b0 = b6
	.endm
	.macro	sal a0, a1=0, a2=0, a3=0
	arguments \a0, \a1, \a2, \a3
	load	r26, sal_proc
	load	r25, region
	or	r26 = r26, r25
	mov	b6 = r26
	br.call.sptk b0 = b6
	.endm
	// efi SERVICE, by its number in the table; the arguments are there already
	.macro	efi_with service
	load	r26, runtime
	adds	r26 = 24 + 8 * \service, r26
	ld8	r26 = [r26]
	ld8	r25 = [r26], 8
	ld8	r1 = [r26]
	mov	b6 = r25
	br.call.sptk b0 = b6
	.endm
	.macro	efi service, a0=0, a1=0, a2=0, a3=0
	arguments \a0, \a1, \a2, \a3
	efi_with \service
	.endm
	.macro	answers what, status, a=0, b=0, c=0
	is	"\what: status", r8, \status
	is	"\what: r9", r9, \a
	is	"\what: r10", r10, \b
	is	"\what: r11", r11, \c
	.endm

main:
	mov	r4 = r28			// boot parameters
	mov	r8 = psr
	is	"psr at the start, and psr.ic", r8, 1 << 13
	alloc	r2 = ar.pfs, 0, 2, 8, 0		// locals, and what procedures get
	movl	r32 = 0x3232323232323232
	movl	r33 = 0x3333333333333333
	save	r4, parameters
	movl	r8 = MARK
	ld8	r9 = [r8]
	cmp.ne	p1, p2 = r0, r9
	(p1) br.cond.dpnt after_reset

	use	handed
	use	efi_tables
	use	memory_map
	use	sal_table
	use	acpi_tables
	br.cond.sptk calls

	// What r28 points to
handed:
	mov	r22 = b5
	extr.u	r8 = r4, 0, 3
	is	"boot parameters are aligned", r8, 0
	get	r8, 8, 0
	movl	r9 = command_line
1:	ld1	r10 = [r8], 1
	ld1	r11 = [r9], 1
	cmp.ne	p1, p2 = r10, r11
	(p1) br.cond.dpnt 2f
	cmp.ne	p1, p2 = r0, r10
	(p1) br.cond.dptk 1b
2:	sub	r8 = r10, r11
	is	"the command line", r8, 0
	field	"descriptors have 40 bytes", 8, 32, 40
	field	"and version 1", 4, 40, 1
	field	"columns of the screen", 2, 44, 80
	field	"rows", 2, 46, 25
	field	"no FPSWA", 8, 56, 0
	field	"size of the ram disk", 8, 72, INITRD_SIZE
	get	r9, 8, 64
	extr.u	r8 = r9, 0, 14
	is	"the ram disk begins with a page", r8, 0
	mov	r10 = 0
	movl	r11 = INITRD_SIZE
	adds	r12 = 0, r9
1:	ld1	r8 = [r12], 1
	add	r10 = r8, r10
	adds	r11 = -1, r11
	cmp.ne	p1, p2 = r0, r11
	(p1) br.cond.dptk 1b
	is	"what the ram disk has", r10, INITRD_SIZE * 'i'
	movl	r8 = RAM
	cmp.leu	p1, p2 = r12, r8
	yes	"it ends within memory", p1
	mov	b5 = r22
	br.cond.sptk b5

	// sum8: r10 is the sum of the r9 bytes from r8 on, as a byte
sum8:
	mov	r10 = 0
1:	ld1	r11 = [r8], 1
	add	r10 = r11, r10
	adds	r9 = -1, r9
	cmp.ne	p1, p2 = r0, r9
	(p1) br.cond.dptk 1b
	zxt1	r10 = r10
	br.cond.sptk b5

	// crc32: r10 is that of the r9 bytes from r8 on, of which 16 to 19 are the place for it
crc32:
	movl	r10 = 0xffffffff
	movl	r13 = 0xedb88320
	adds	r14 = 16, r8
1:	ld1	r11 = [r8]
	sub	r12 = r8, r14
	cmp.gtu	p1, p2 = 4, r12
	(p1) mov r11 = 0
	xor	r10 = r11, r10
	mov	r11 = 8
2:	tbit.nz	p1, p2 = r10, 0
	shr.u	r10 = r10, 1
	(p1) xor r10 = r13, r10
	adds	r11 = -1, r11
	cmp.ne	p1, p2 = r0, r11
	(p1) br.cond.dptk 2b
	adds	r8 = 1, r8
	adds	r9 = -1, r9
	cmp.ne	p1, p2 = r0, r9
	(p1) br.cond.dptk 1b
	movl	r11 = 0xffffffff
	xor	r10 = r11, r10
	br.cond.sptk b5

	// efi_header WHAT, SIGNATURE: of the table at r4
	.macro	efi_header what, signature
	field	"\what: signature", 8, 0, \signature
	field	"\what: revision", 4, 8, 0x10002
	mov	r8 = r4
	get	r9, 4, 12
	use	crc32
	get	r8, 4, 16
	sub	r8 = r8, r10
	is	"\what: crc", r8, 0
	.endm

	// The system table, what it points to, and whether services are in code for them
efi_tables:
	mov	r22 = b5
	load	r4, parameters
	get	r4, 8, 8
	save	r4, system_table
	efi_header "system table", 0x5453595320494249
	field	"system table: size", 4, 12, 120
	get	r8, 8, 24
	ld2	r8 = [r8]
	is	"a vendor", r8, 'p'
	field	"two tables", 8, 104, 2
	get	r9, 8, 112
	ld8	r8 = [r9], 8
	is	"the first is SAL's: low half", r8, 0x11d32d88eb9d2d32
	ld8	r8 = [r9], 8
	is	"the first is SAL's: high half", r8, 0x4dc13f279000169a
	ld8	r8 = [r9], 8
	save	r8, sal_systab
	ld8	r8 = [r9], 8
	is	"the second is ACPI's: low half", r8, 0x11d3e4f18868e871
	ld8	r8 = [r9], 8
	is	"the second is ACPI's: high half", r8, 0x81883cc7800022bc
	ld8	r8 = [r9], 8
	save	r8, rsdp
	get	r4, 8, 88
	save	r4, runtime
	efi_header "runtime services", 0x56524553544e5552
	field	"runtime services: size", 4, 12, 136
	// Fourteen, each at another place of the code for them
	adds	r9 = 24, r4
	mov	r10 = 14
	mov	r12 = 0
	mov	r14 = 0				// how many do not follow the one before
1:	ld8	r11 = [r9], 8
	ld8	r11 = [r11]
	cmp.leu	p1, p2 = r11, r12
	(p1) adds r14 = 1, r14
	extr.u	r12 = r11, 0, 4
	cmp.ne	p1, p2 = r0, r12
	(p1) adds r14 = 1, r14
	mov	r12 = r11
	adds	r10 = -1, r10
	cmp.ne	p1, p2 = r0, r10
	(p1) br.cond.dptk 1b
	is	"each service has an entry of its own", r14, 0
	mov	b5 = r22
	br.cond.sptk b5

	// Descriptors in the order of addresses, none over another. Memory is told of from 0 to
	// its end without a hole.
memory_map:
	mov	r22 = b5
	load	r4, parameters
	get	r9, 8, 16			// here
	get	r10, 8, 24
	add	r10 = r9, r10			// end of the map
	get	r11, 8, 32			// step
	mov	r12 = 0				// end of the last descriptor
	mov	r13 = 0				// wrong ones
	mov	r14 = 0				// bytes of memory
	mov	r16 = 0				// PAL's code
	mov	r17 = 0				// ports
	mov	r18 = 0				// free bytes
	mov	r19 = 0				// descriptors that have the program
	mov	r20 = 0				// descriptors with the attribute of runtime, but no free memory
	mov	r21 = 0				// free memory from
1:	ld4	r28 = [r9]
	adds	r29 = 8, r9
	ld8	r29 = [r29]			// start
	adds	r30 = 24, r9
	ld8	r30 = [r30]
	shl	r30 = r30, 12			// bytes
	adds	r31 = 32, r9
	ld8	r31 = [r31]
	// in order, of pages, and with something
	cmp.ltu	p1, p2 = r29, r12
	(p1) adds r13 = 1, r13
	extr.u	r27 = r29, 0, 12
	cmp.ne	p1, p2 = r0, r27
	cmp.eq.or p1, p2 = r0, r30
	(p1) adds r13 = 1, r13
	// what is memory follows without a hole
	tbit.nz	p3, p4 = r31, 3
	cmp.eq	p5, p6 = r29, r12
	(p3) add r14 = r30, r14
	mov	r27 = 0
	(p3) mov r27 = 1
	(p5) mov r27 = 0
	add	r13 = r27, r13
	add	r12 = r29, r30
	// kinds
	cmp.eq	p1, p2 = 13, r28
	(p1) adds r16 = 1, r16
	cmp.eq	p3, p4 = 12, r28
	(p3) adds r17 = 1, r17
	cmp.eq	p5, p6 = 7, r28
	(p5) add r18 = r30, r18
	(p5) mov r21 = r29
	movl	r27 = _start
	(p5) cmp.leu.unc p7, p8 = r29, r27
	(p7) cmp.ltu.unc p7, p8 = r27, r12
	(p7) adds r19 = 1, r19
	shr.u	r27 = r31, 63
	add	r20 = r27, r20
	(p5) add r13 = r27, r13			// free memory is not firmware's
	add	r9 = r9, r11
	cmp.ltu	p1, p2 = r9, r10
	(p1) br.cond.dptk 1b
	is	"the map is whole descriptors, in order, without overlaps", r13, 0
	sub	r8 = r9, r10
	is	"its size is that of its descriptors", r8, 0
	is	"memory is what there is", r14, RAM
	is	"one piece of PAL's code", r16, 1
	is	"one space of ports", r17, 1
	is	"free memory begins with a granule behind firmware", r21, 16 << 20
	is	"free memory ends where memory does", r18, RAM - (16 << 20)
	is	"the program is in free memory", r19, 1
	is	"code and tables are there at runtime", r20, 2
	mov	b5 = r22
	br.cond.sptk b5

	// Entries by their types' sizes up to the table's end
sal_table:
	mov	r22 = b5
	load	r4, sal_systab
	field	"SAL: signature", 4, 0, 0x5f545353
	field	"SAL: revision", 2, 8, 0x300
	mov	r8 = r4
	get	r9, 4, 4
	add	r23 = r8, r9			// its end
	use	sum8
	is	"SAL: sum of all bytes", r10, 0
	get	r12, 2, 10
	is	"SAL: entries", r12, 3
	adds	r9 = 96, r4
1:	ld1	r8 = [r9]
	cmp.eq	p1, p2 = 0, r8			// where its procedures are
	cmp.eq	p3, p4 = 2, r8			// features
	cmp.eq	p5, p6 = 5, r8			// how other CPUs are started
	mov	r10 = 16
	(p1) mov r10 = 48
	(p1) adds r11 = 8, r9
	(p1) ld8 r13 = [r11], 8
	(p1) ld8 r14 = [r11], 8
	(p1) ld8 r15 = [r11]
	adds	r11 = 1, r9
	(p3) ld1 r16 = [r11]
	(p5) ld1 r17 = [r11], 7
	(p5) ld8 r18 = [r11]
	add	r9 = r9, r10
	adds	r12 = -1, r12
	cmp.ne	p1, p2 = r0, r12
	(p1) br.cond.dptk 1b
	sub	r8 = r9, r23
	is	"SAL: entries end where the table does", r8, 0
	is	"SAL: clocks drift, so that nobody sets them", r16, 8
	is	"SAL: CPUs are started by an interrupt", r17, 0
	is	"SAL: its vector", r18, 0xff
	save	r13, pal_proc
	save	r14, sal_proc
	or	r8 = r13, r14
	extr.u	r8 = r8, 0, 4
	is	"SAL: procedures begin with bundles", r8, 0
	cmp.ne	p1, p2 = r13, r14
	yes	"SAL: PAL's and SAL's are two", p1
	mov	b5 = r22
	br.cond.sptk b5

	// acpi_sum WHAT, SIGNATURE: of the table at r4
	.macro	acpi_sum what, signature
	field	"\what: signature", 4, 0, \signature
	mov	r8 = r4
	get	r9, 4, 4
	use	sum8
	is	"\what: sum", r10, 0
	.endm

acpi_tables:
	mov	r22 = b5
	load	r4, rsdp
	field	"RSDP: signature", 8, 0, 0x2052545020445352
	field	"RSDP: revision", 1, 15, 2
	mov	r8 = r4
	mov	r9 = 20
	use	sum8
	is	"RSDP: sum of the old part", r10, 0
	mov	r8 = r4
	get	r9, 4, 20
	is	"RSDP: size", r9, 36
	use	sum8
	is	"RSDP: sum", r10, 0
	get	r4, 8, 24
	acpi_sum "XSDT", 0x54445358
	field	"XSDT: two tables", 4, 4, 36 + 16
	get	r18, 8, 44
	get	r4, 8, 36
	acpi_sum "FADT", 0x50434146
	field	"FADT: revision", 1, 8, 5
	field	"FADT: size", 4, 4, 268
	field	"FADT: no hardware of ACPI's", 4, 112, 1 << 20
	get	r17, 4, 40
	get	r8, 8, 140
	sub	r8 = r8, r17
	is	"FADT: both places of the DSDT are one", r8, 0
	mov	r4 = r17
	acpi_sum "DSDT", 0x54445344
	field	"DSDT: revision", 1, 8, 2
	mov	r4 = r18
	acpi_sum "MADT", 0x43495041
	field	"MADT: the IPI block", 4, 36, IPI
	field	"MADT: lines of a PC", 4, 40, 1
	// A CPU for each that there is, and an I/O SAPIC
	get	r10, 4, 4
	add	r10 = r4, r10
	adds	r9 = 44, r4
	mov	r12 = 0
	mov	r13 = 0				// CPUs
	mov	r14 = 0				// what is wrong with them
1:	ld1	r8 = [r9]
	adds	r11 = 1, r9
	ld1	r11 = [r11]			// size
	cmp.eq	p1, p2 = 7, r8
	adds	r15 = 2, r9
	(p1) ld1 r16 = [r15], 1			// number
	(p1) ld1 r17 = [r15], 1			// id
	(p1) ld1 r18 = [r15], 4			// eid
	(p1) ld1 r19 = [r15], 4			// flags
	(p1) ld1 r20 = [r15]			// uid
	(p1) xor r16 = r13, r16
	(p1) xor r17 = r13, r17
	(p1) xor r20 = r13, r20
	(p1) xor r19 = 1, r19
	(p1) or r16 = r16, r17
	(p1) or r18 = r18, r19
	(p1) or r16 = r16, r18
	(p1) or r16 = r16, r20
	(p1) or r14 = r14, r16
	(p1) adds r13 = 1, r13
	cmp.eq	p3, p4 = 6, r8
	adds	r15 = 8, r9
	(p3) ld8 r12 = [r15], -4
	(p3) ld4 r21 = [r15]
	add	r9 = r9, r11
	cmp.ltu	p1, p2 = r9, r10
	(p1) br.cond.dptk 1b
	sub	r8 = r9, r10
	is	"MADT: entries end where the table does", r8, 0
	is	"MADT: two CPUs", r13, 2
	is	"MADT: in their order, by their ids, to be used", r14, 0
	is	"MADT: the I/O SAPIC", r12, 0xfec00000
	is	"MADT: its first line", r21, 0
	mov	b5 = r22
	br.cond.sptk b5

	// Calls, with physical addresses
its_frame:					// of who calls, as ar.pfs has it
	mov	r8 = ar.pfs
	extr.u	r8 = r8, 0, 14
	br.ret.sptk b0
calls:
	save	r0, region
	movl	r4 = 0x0404040404040404
	movl	r12 = 0x1212121212121212
	movl	r20 = 0x2020202020202020
	mov	b1 = r4
	mov	ar.lc = r4
	set_pr	0x1555
	pal	4
	answers	"PAL_CACHE_SUMMARY", 0, 1, 2
	pal	4
	mov	r8 = pr
	extr.u	r8 = r8, 1, 13
	is	"PAL leaves predicates", r8, 0x1555
	is	"PAL leaves r4", r4, 0x0404040404040404
	is	"PAL leaves r12", r12, 0x1212121212121212
	is	"PAL leaves r20", r20, 0x2020202020202020
	mov	r8 = b1
	is	"PAL leaves b1", r8, 0x0404040404040404
	mov	r8 = ar.lc
	is	"PAL leaves ar.lc", r8, 0x0404040404040404
	movl	r8 = its_frame
	mov	b6 = r8
	br.call.sptk b0 = b6
	is	"PAL leaves the frame", r8, 10 | 2 << 7
	is	"PAL leaves r33", r33, 0x3333333333333333
	// write-back, four ways, lines and strides of 128 bytes; 16 KB
	pal	2, 0, 1
	answers	"PAL_CACHE_INFO of code", 0, 0x07070400, 0x4000
	pal	2, 0, 2
	answers	"PAL_CACHE_INFO of data", 0, 0x07070402, 0x4000
	pal	2, 1, 2
	answers	"PAL_CACHE_INFO of a level that is not there", -2
	pal	2, 0, 3
	answers	"PAL_CACHE_INFO of another type", -2
	pal	2, 0, 0
	answers	"PAL_CACHE_INFO of no type", -2
	pal	6
	answers	"PAL_PTCE_INFO", 0, 0, 1 << 32 | 1
	// No walker, 50 bits of a physical address, keys of 24 bits, 16 registers of them, hash 10,
	// 16 translation registers of each kind, 2 caches of one level; 51 bits of a virtual
	// address, identifiers of 24 bits, any number of purges
	pal	8
	answers	"PAL_VM_SUMMARY", 0, 50 << 1 | 24 << 8 | 15 << 16 | 10 << 24 | 15 << 32 | 15 << 40 | 2 << 48 | 1 << 56, 50 | 24 << 8 | 0xffff << 16
	pal	34
	answers	"PAL_VM_PAGE_SIZE", 0, 0x115557000, 0x115557000
	pal	19
	answers	"PAL_RSE_INFO", 0, 96
	pal	14
	answers	"PAL_FREQ_RATIOS", 0, 10 << 32 | 1, 1 << 32 | 1, 10 << 32 | 1
	.irp	index, 0, 1, 3, 5, 7, 9, 10, 11, 12, 13, 16, 17, 18, 20, 23, 28, 42, 43, 255, 512
	pal	\index
	answers	"PAL procedure \index", -1
	.endr
	.irp	index, 256, 257, 274, 511
	pal_stacked \index
	answers	"PAL procedure \index", -1
	is	"PAL procedure \index leaves r32", r32, 0x3232323232323232
	is	"PAL procedure \index leaves r33", r33, 0x3333333333333333
	.endr

	// What PAL_VM_SUMMARY says is so. Where psr.ic is 0 an interruption tells nothing but ISR.
	.irp	side, i, d
	mov	r27 = 15
	insert	"itr.\side \side\()tr[r27] =", MEMORY, MEMORY | ALL
	purge	ptr.\side, MEMORY
	ic	0
	movl	r28 = MEMORY
	mov	cr.ifa = r28
	mov	r28 = 14 << 2
	mov	cr.itir = r28
	movl	r20 = MEMORY | ALL
	movl	r28 = resume
	movl	r29 = 662f
	st8	[r28] = r29
	movl	r29 = 1 << 44			// where the handler goes back to
	mov	r28 = psr
	or	r28 = r28, r29
	mov	cr.ipsr = r28
	mov	cr.ifs = r0
	mov	r27 = 16
	.align	16
	itr.\side \side\()tr[r27] = r20
	faulted	"\side\()tr 16 is not there", 0x5400, 0x30 | NI
	ic	1
	.endr
	mov	r27 = 15
	mov	r28 = 0
	mov	pkr[r27] = r28
	mov	r27 = 16
	expect
	mov	r28 = pkr[r27]
	faulted	"protection key register 16 is not there", 0x5400, 0x30

	// PAL_PERF_MON_INFO, by the processor's family
	movl	r8 = buffer
	mov	r9 = -1
	mov	r10 = 17
1:	st8	[r8] = r9, 8
	adds	r10 = -1, r10
	cmp.ne	p1, p2 = r0, r10
	(p1) br.cond.dptk 1b
	pal	15, buffer
	is	"PAL_PERF_MON_INFO: status", r8, 0
	mov	r11 = 3
	mov	r10 = cpuid[r11]
	extr.u	r10 = r10, 24, 8
	movl	r11 = monitors
1:	ld8	r12 = [r11], 8
	cmp.eq	p1, p2 = r10, r12
	(p2) adds r11 = 40, r11
	(p2) br.cond.dpnt 1b
	ld8	r12 = [r11], 8
	sub	r8 = r9, r12
	is	"PAL_PERF_MON_INFO: counters, width, events", r8, 0
	.irp	n, 0, 1, 2, 3
	ld8	r12 = [r11], 8
	movl	r13 = buffer + 32 * \n
	ld8	r14 = [r13], 8
	sub	r8 = r14, r12
	is	"PAL_PERF_MON_INFO: mask \n", r8, 0
	ld8	r14 = [r13], 8
	ld8	r15 = [r13], 8
	ld8	r16 = [r13], 8
	or	r14 = r14, r15
	or	r14 = r14, r16
	is	"PAL_PERF_MON_INFO: mask \n, its rest", r14, 0
	.endr
	ld8	r8 = [r13]
	is	"PAL_PERF_MON_INFO: no more than 128 bytes", r8, -1
	pal	15, buffer + 4
	answers	"PAL_PERF_MON_INFO of a wrong place", -2

	// PAL_HALT_LIGHT: psr.i is 0 all the time
	mov	r8 = 0xe1
	mov	cr.itv = r8
	arm	1000000
	save	r9, later
	pal	29
	mov	r10 = ar.itc
	is	"PAL_HALT_LIGHT: status", r8, 0
	load	r9, later
	cmp.ltu	p1, p2 = r9, r10
	yes	"PAL_HALT_LIGHT ends with the timer's interrupt", p1
	mov	r8 = cr.ivr
	is	"PAL_HALT_LIGHT leaves that pending", r8, 0xe1
	mov	cr.eoi = r0
	send	0x50
	pal	29
	is	"PAL_HALT_LIGHT with something pending ends at once", r8, 0
	mov	r8 = cr.ivr
	is	"what was pending still is", r8, 0x50
	mov	cr.eoi = r0

	// SAL
	sal	0x01000012, 0
	answers	"SAL_FREQ_BASE of the platform", 0, 100000000, -1
	sal	0x01000012, 1
	answers	"SAL_FREQ_BASE of another clock", -1
	sal	0x01000012, 3
	answers	"SAL_FREQ_BASE of nothing", -2
	send	0x51
	.irp	type, 1, 2, 3, 4
	sal	0x01000008, \type
	answers	"SAL_CACHE_FLUSH \type", 0
	.endr
	mov	r8 = cr.ivr
	is	"SAL_CACHE_FLUSH leaves interrupts pending", r8, 0x51
	mov	cr.eoi = r0
	sal	0x01000008, 0
	answers	"SAL_CACHE_FLUSH of nothing", -2
	sal	0x01000008, 5
	answers	"SAL_CACHE_FLUSH of something else", -2
	sal	0x01000000, 0, _start, 0
	answers	"SAL_SET_VECTORS for machine checks", 0
	sal	0x01000000, 1, _start, 0
	answers	"SAL_SET_VECTORS for INIT", 0
	sal	0x01000000, 3, _start, 0
	answers	"SAL_SET_VECTORS for something else", -2
	.irp	index, 0x01000001, 0x01000002, 0x01000003, 0x01000004, 0x01000005, 0x01000006, 0x01000009, 0x01000010, 0x01000011, 0x01000013, 0x01000020, 0x02000000, 0
	sal	\index
	answers	"SAL procedure \index", -1
	.endr
	is	"SAL leaves r32", r32, 0x3232323232323232
	is	"SAL leaves r33", r33, 0x3333333333333333

	// EFI: GetTime and what is not there
	.macro	time_is what
	is	"\what: status", r8, 0
	movl	r12 = buffer
	ld8	r10 = [r12], 8
	extr.u	r11 = r10, 48, 8		// seconds
	extr.u	r8 = r10, 0, 48
	is	"\what: date, hour, minute", r8, 2024 | 2 << 16 | 29 << 24 | 12 << 32 | 34 << 40
	cmp.gtu	p1, p2 = 60, r11
	yes	"\what: seconds", p1
	ld8	r8 = [r12], 8
	is	"\what: nanoseconds, zone, daylight", r8, 0
	.endm
	.macro	clear_buffer
	movl	r12 = buffer
	mov	r13 = -1
	.rept	4
	st8	[r12] = r13, 8
	.endr
	.endm
	clear_buffer
	efi	0, buffer, 0
	time_is	"GetTime"
	save	r11, later
	ld8	r8 = [r12]
	is	"GetTime: no more than 16 bytes", r8, -1
	clear_buffer
	efi	0, buffer, buffer + 16
	time_is	"GetTime with capabilities"
	ld8	r8 = [r12], 8
	is	"capabilities: resolution, accuracy", r8, 1
	ld4	r8 = [r12], 4
	is	"capabilities: no setting to zero", r8, 0
	ld4	r8 = [r12]
	is	"capabilities: no more than 12 bytes", r8, 0xffffffff
	// A second of rest is a second
	arm	1000000000
	pal	29
	mov	r8 = cr.ivr
	mov	cr.eoi = r0
	efi	0, buffer, 0
	time_is	"GetTime, a second later"
	load	r10, later
	sub	r11 = r11, r10
	adds	r11 = -1, r11
	cmp.gtu	p1, p2 = 4, r11			// the host may have been busy
	yes	"a second later", p1
	efi	0, 0, 0
	is	"GetTime to nowhere", r8, EFI_INVALID
	.irp	service, 1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13
	efi	\service
	is	"runtime service \service", r8, EFI_UNSUPPORTED
	.endr
	is	"EFI leaves r32", r32, 0x3232323232323232
	is	"EFI leaves r33", r33, 0x3333333333333333

	// The number is not what makes a gate
	expect
	break.m	GATE_BREAK
	faulted	"a gate's break elsewhere", 0x2c00, 0
	recorded "a gate's break elsewhere: number", IIM, GATE_BREAK

	use	other_cpu
	use	transports

	// Virtual addresses of region 7, as Linux has them
	load	r4, parameters
	get	r9, 8, 16
	get	r10, 8, 24
	add	r10 = r9, r10
	movl	r12 = 7 * REGION
1:	adds	r11 = 8, r9
	ld8	r8 = [r11], 8
	or	r8 = r12, r8
	st8	[r11] = r8
	adds	r9 = 40, r9
	cmp.ltu	p1, p2 = r9, r10
	(p1) br.cond.dptk 1b
	.macro	set_map what, status, step=40, version=1, size=-1
	load	r4, parameters
	get	r34, 8, 24
	.if	\size >= 0
	mov	r34 = \size
	.endif
	mov	r35 = \step
	mov	r36 = \version
	get	r37, 8, 16
	efi_with 4
	is	"\what", r8, \status
	.endm
	set_map	"SetVirtualAddressMap with small descriptors", EFI_INVALID, step=32
	set_map	"SetVirtualAddressMap of another version", EFI_INVALID, version=2
	set_map	"SetVirtualAddressMap without the tables", EFI_NOT_FOUND, size=80
	load	r4, system_table
	efi_header "system table, after errors", 0x5453595320494249
	get	r8, 8, 88
	shr.u	r8 = r8, 61
	is	"its addresses are physical", r8, 0
	set_map	"SetVirtualAddressMap", 0
	load	r4, system_table
	efi_header "system table, virtual", 0x5453595320494249
	.irp	at, 24, 88, 112
	get	r8, 8, \at
	shr.u	r8 = r8, 61
	is	"system table, virtual: \at", r8, 7
	.endr
	get	r8, 8, 88
	load	r9, runtime
	save	r8, runtime
	mov	r4 = r9
	efi_header "runtime services, virtual", 0x56524553544e5552
	movl	r10 = 7 * REGION
	save	r10, region

	virtual
	mov	r27 = 2
	insert	"itr.i itr[r27] =", 7 * REGION, ALL, 24
	insert	"itr.d dtr[r27] =", 7 * REGION, ALL, 24
	clear_buffer
	efi	0, buffer, 0
	time_is	"GetTime, virtual"
	load	r8, parameters
	load	r9, region
	or	r8 = r8, r9
	save	r8, parameters
	set_map	"SetVirtualAddressMap again", EFI_UNSUPPORTED
	efi	6
	is	"GetVariable, virtual", r8, EFI_UNSUPPORTED
	pal	19
	answers	"PAL, virtual", 0, 96
	pal_stacked 257
	answers	"PAL with arguments, virtual", -1
	is	"PAL with arguments, virtual, leaves r32", r32, 0x3232323232323232
	sal	0x01000012, 0
	answers	"SAL, virtual", 0, 100000000, -1

	// A place that has no translation: the call is interrupted, and begins again
	movl	r8 = translation
	movl	r9 = MEMORY | ALL
	st8	[r8] = r9
	load	r9, record + COUNT
	save	r9, later
	pal	15, REGION
	is	"PAL_PERF_MON_INFO through a fault: status", r8, 0
	load	r10, record + COUNT
	load	r11, later
	sub	r8 = r10, r11
	is	"there was one fault", r8, 1
	recorded "it was a miss", VECTOR, 0x1000
	recorded "of a store by the procedure", ISR, W
	recorded "at the place", IFA, REGION
	load	r8, pal_proc
	load	r9, record + IIP
	sub	r8 = r9, r8
	is	"in the procedure", r8, 7 * REGION
	load	r8, MEMORY
	cmp.ne	p1, p2 = r0, r8
	yes	"the answer is behind the translation", p1
	efi	0, 2 * REGION, 0
	is	"GetTime through a fault: status", r8, 0
	load	r10, record + COUNT
	load	r11, later
	sub	r8 = r10, r11
	is	"there was one fault more", r8, 2
	save	r0, translation

	// Other levels have no firmware
	load	r8, pal_proc
	movl	r9 = 7 * REGION
	or	r9 = r8, r9
	save	r9, later
	movl	r28 = resume
	movl	r29 = 662f
	st8	[r28] = r29
	ic	0
	mov	cr.iip = r9
	movl	r28 = VIRTUAL | 3 << 32
	mov	cr.ipsr = r28
	mov	cr.ifs = r0
	rfi
	faulted	"a gate at level 3", 0x2c00, 0
	recorded "a gate at level 3: number", IIM, GATE_BREAK
	load	r8, record + IIP
	load	r9, later
	sub	r8 = r9, r8
	is	"a gate at level 3: place", r8, 0

	// Begin again, if all was right until here
	load	r8, failures
	cmp.ne	p1, p2 = r0, r8
	(p1) br.cond.dpnt finish
	movl	r8 = MARK
	mov	r9 = 1
	st8	[r8] = r9
	efi	10, 1, 0
	say	"FAIL ResetSystem returns\n"
	br.cond.sptk finish

	// After the reset
after_reset:
	st8	[r8] = r0
	use	handed
	use	efi_tables
	use	memory_map
	use	sal_table
	load	r4, system_table
	.irp	at, 24, 88, 112
	get	r8, 8, \at
	shr.u	r8 = r8, 61
	is	"physical again after a reset: \at", r8, 0
	.endr
	save	r0, region
	clear_buffer
	efi	0, buffer, 0
	is	"GetTime after a reset", r8, 0
	movl	r8 = answer
	st8	[r8] = r0
	send	0xff, 1 << 12
	use	wait_for_answer
	is	"the second CPU starts where the first one did", r9, 3
	load	r8, failures
	cmp.ne	p1, p2 = r0, r8
	(p1) br.cond.dpnt finish
	say	"END\n"
	efi	10, 2, 0
	say	"FAIL ResetSystem returns\n"
	br.cond.sptk finish

	// The second CPU: told by SAL where to go, started, given back, started again
other_cpu:
	mov	r22 = b5
	.macro	start gp
	movl	r9 = answer
	st8	[r9] = r0
	sal	0x01000000, 2, ap, \gp
	answers	"SAL_SET_VECTORS for other CPUs: gp \gp", 0
	send	0xff, 1 << 12
	use	wait_for_answer
	is	"another CPU: it is started", r9, 1
	said	"its place in cr.lid", 8, 1 << 24
	said	"gp is what SAL was told", 16, \gp
	said	"psr", 24, 0
	said	"nothing is pending", 32, 15
	said	"nothing is dirty", 40, 0
	.endm
	.macro	said what, at, value
	movl	r8 = answer + \at
	ld8	r8 = [r8]
	is	"another CPU: \what", r8, \value
	.endm
	start	0x1234567
	// It is given back: it says so, and does no more until the next interrupt
	use	back
	movl	r8 = answer
	st8	[r8] = r0
	movl	r9 = 10000
1:	adds	r9 = -1, r9
	hint	@pause
	cmp.ne	p1, p2 = r0, r9
	(p1) br.cond.dptk 1b
	ld8	r8 = [r8]
	is	"a CPU that was given back does nothing", r8, 0
	start	0x7654321
	use	back
	mov	b5 = r22
	br.cond.sptk b5

wait_for_answer:				// r9; not for ever
	movl	r8 = answer
	movl	r10 = 5000000
1:	hint	@pause
	ld8.acq	r9 = [r8]
	adds	r10 = -1, r10
	cmp.ne	p1, p2 = r0, r9
	(p1) br.cond.dpnt b5
	cmp.ne	p1, p2 = r0, r10
	(p1) br.cond.dptk 1b
	br.cond.sptk b5
back:
	movl	r8 = answer
	mov	r9 = 2
	st8.rel	[r8] = r9
	// and a while for it, by the clock
	movl	r8 = 5000000
	mov	r9 = ar.itc
	add	r8 = r8, r9
1:	hint	@pause
	mov	r9 = ar.itc
	cmp.ltu	p1, p2 = r9, r8
	(p1) br.cond.dptk 1b
	br.cond.sptk b5

second:					// Nobody has told SAL anything
	movl	r8 = answer
	mov	r9 = 3
	st8.rel	[r8] = r9
1:	hint	@pause
	br.cond.sptk 1b
ap:
	mov	r8 = ar.bsp
	mov	r9 = ar.bspstore
	sub	r14 = r8, r9
	flushrs
	movl	r8 = answer + 8
	mov	r9 = cr.lid
	st8	[r8] = r9, 8
	st8	[r8] = r1, 8
	mov	r9 = psr
	st8	[r8] = r9, 8
	mov	r9 = cr.ivr
	st8	[r8] = r9, 8
	st8	[r8] = r14
	mov	r9 = 1
	movl	r8 = answer
	st8.rel	[r8] = r9
1:	hint	@pause
	ld8.acq	r9 = [r8]
	cmp.eq	p1, p2 = 1, r9
	(p1) br.cond.dptk 1b
	// Its timer must not wake it
	mov	r9 = 0xe2
	mov	cr.itv = r9
	mov	r9 = ar.itc
	adds	r9 = 2000, r9
	mov	cr.itm = r9
	br.ret.sptk b0

	// virtio's transports: the serial device is the first, the directory the second
transports:
	mov	r22 = b5
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	movl	r4 = VIRTIO + 0x200 * \n
	field	"transport \n: magic", 4, 0, 0x74726976
	field	"transport \n: version", 4, 4, 2
	.endr
	.irp	n, 2, 3, 4, 5, 6, 7
	movl	r4 = VIRTIO + 0x200 * \n
	field	"transport \n is free", 4, 8, 0
	.endr
	movl	r4 = VIRTIO + 0x200
	field	"transport 1: a directory", 4, 8, 9
	field	"transport 1: its name's length", 2, 0x100, 4
	field	"transport 1: its name", 1, 0x102, 'h'
	movl	r4 = VIRTIO
	field	"transport 0: a serial device", 4, 8, 3
	// Its line is 5: by its edge, to this CPU
	movl	r8 = 0xfec00000
	mov	r9 = 0x10 + 2 * 5
	st4	[r8] = r9
	movl	r10 = 0xfec00010
	mov	r9 = 0x71
	st4	[r10] = r9
	mov	r9 = 0x11 + 2 * 5
	st4	[r8] = r9
	st4	[r10] = r0
	.macro	set at, val
	adds	r27 = \at, r4
	movl	r28 = \val
	st4	[r27] = r28
	.endm
	set	0x70, 0				// reset
	set	0x70, 3				// there is a driver
	set	0x24, 1
	set	0x20, 1				// of version 1
	set	0x70, 0xb
	field	"transport 0: its features are taken", 4, 0x70, 0xb
	set	0x30, 1				// what is sent
	set	0x38, 8
	set	0x80, ring
	set	0x84, 0
	set	0x90, ring + 0x100
	set	0x94, 0
	set	0xa0, ring + 0x200
	set	0xa4, 0
	set	0x44, 1
	set	0x70, 0xf
	movl	r8 = ring
	movl	r9 = buffer
	st8	[r8] = r9, 8
	mov	r9 = 4
	st8	[r8] = r9			// bytes; no more of them, and none to be written
	.irp	n, 1, 2
	movl	r8 = ring + 0x100 + 2
	mov	r9 = \n
	st2.rel	[r8] = r9
	mf
	set	0x50, 1
	movl	r9 = 1000000			// QEMU's other threads may do it
2:	hint	@pause
	movl	r8 = ring + 0x200 + 2
	ld2.acq	r8 = [r8]
	cmp.eq	p1, p2 = \n, r8
	(p1) br.cond.dpnt 3f
	adds	r9 = -1, r9
	cmp.ne	p1, p2 = r0, r9
	(p1) br.cond.dptk 2b
3:	is	"transport 0: buffer \n is used", r8, \n
	field	"transport 0: it interrupts: \n", 4, 0x60, 1
	mov	r8 = cr.ivr
	is	"transport 0: line 5: \n", r8, 0x71
	mov	cr.eoi = r0
	set	0x64, 1
	field	"transport 0: no more when it is told: \n", 4, 0x60, 0
	mov	r8 = cr.ivr
	is	"transport 0: line 5 no more: \n", r8, 15
	.endr
	set	0x70, 0
	mov	b5 = r22
	br.cond.sptk b5

	.data
command_line:	.asciz	"perfmon=bench,1"
	.balign	8
	// Family; counters, width, events; PMCs, PMDs, those that count cycles, and instructions
monitors:
	data8	0x07, 0x08122004, 0x3fff, 0x3ffff, 0xf0, 0x30
	data8	0x1f, 0x08122f04, 0xffff, 0x3ffff, 0xf0, 0xf0
	data8	0x20, 0x08122f0c, 0x7ff0000ffff, 0xffff00df0000fff0, 0xfff0, 0xfff0
region:		data8	0

	.bss
	.balign	64
answer:		.skip	64
buffer:		.skip	256
parameters:	.skip	8
system_table:	.skip	8
runtime:	.skip	8
sal_systab:	.skip	8
rsdp:		.skip	8
pal_proc:	.skip	8
sal_proc:	.skip	8
later:		.skip	8
	.balign	4096
ring:		.skip	4096
	.text
