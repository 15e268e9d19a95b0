/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A multiboot image in 32-bit mode without paging: segments, interrupt gates
 * and the way to user mode and back
 */
#define MAGIC	0x1badb002
#define FLAGS	0

	.section .multiboot, "a"
	.long	MAGIC, FLAGS, -(MAGIC + FLAGS)

	.text
	.globl	_start
_start:
	mov	$stack_top, %esp
	lgdt	gdt_pointer
	ljmp	$0x08, $1f
1:	mov	$0x10, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	mov	%eax, %fs
	mov	%eax, %gs
	call	setup
	mov	$0x28, %eax
	ltr	%ax
	call	main
	push	%eax
	call	finish

/* Gates: push a number (and an error code where the CPU does not), to C */
	.altmacro
	.macro	gate n
entry\n:
	.if	!(\n == 8 || (\n >= 10 && \n <= 14) || \n == 17)
	push	$0
	.endif
	push	$\n
	jmp	common
	.endm
	.set	n, 0
	.rept	65
	gate	%n
	.set	n, n + 1
	.endr

common:
	pusha
	push	%ds
	push	%es
	mov	$0x10, %eax
	mov	%eax, %ds
	mov	%eax, %es
	push	%esp
	call	interrupt
	add	$4, %esp
	pop	%es
	pop	%ds
	popa
	add	$8, %esp
	iret

	.section .rodata
	.globl	entries
	.macro	address n
	.long	entry\n
	.endm
entries:
	.set	n, 0
	.rept	65
	address	%n
	.set	n, n + 1
	.endr
	.text

/* u32 in_user(void *code, u32 count): its registers are ecx and nothing */
	.globl	in_user
in_user:
	push	%ebp
	push	%ebx
	push	%esi
	push	%edi
	mov	20(%esp), %edx
	mov	24(%esp), %ecx
	mov	%esp, kernel_esp
	mov	%esp, tss + 4
	mov	$0x23, %eax
	mov	%eax, %ds
	mov	%eax, %es
	push	$0x23
	push	$user_stack_top
	push	$0x2
	push	$0x1b
	push	%edx
	iret
/* From there by int $0x41, with the answer in eax */
	.globl	user_return
user_return:
	mov	$0x10, %ebx
	mov	%ebx, %ds
	mov	%ebx, %es
	mov	kernel_esp, %esp
	pop	%edi
	pop	%esi
	pop	%ebx
	pop	%ebp
	ret

/* In user mode: 2 * ecx instructions, ecx of them branches, and the int */
	.globl	user_loop
user_loop:
	dec	%ecx
	jnz	user_loop
	int	$0x41

/* RDPMC of counter ecx in user mode */
	.globl	user_rdpmc
user_rdpmc:
	rdpmc
	xor	%eax, %eax
	int	$0x41

/* u32 try_rdmsr(u32 msr, u64 *val), try_wrmsr(u32 msr, u64 val),
   try_rdpmc(u32 index, u64 *val): 0, or the number of the fault */
	.globl	try_rdmsr, try_wrmsr, try_rdpmc
try_rdmsr:
	movl	$fault, resume
	mov	4(%esp), %ecx
	rdmsr
	jmp	store
try_rdpmc:
	movl	$fault, resume
	mov	4(%esp), %ecx
	rdpmc
store:
	mov	8(%esp), %ecx
	mov	%eax, (%ecx)
	mov	%edx, 4(%ecx)
	jmp	good
try_wrmsr:
	movl	$fault, resume
	mov	4(%esp), %ecx
	mov	8(%esp), %eax
	mov	12(%esp), %edx
	wrmsr
good:
	xor	%eax, %eax
fault:
	movl	$0, resume
	ret

/* void loop_between(u32 msr, u32 on, u32 off, u32 count): write on and off, and in
   between execute 2 * count + 1 instructions, count of them branches */
	.globl	loop_between
loop_between:
	push	%esi
	push	%edi
	mov	12(%esp), %ecx
	mov	16(%esp), %eax
	mov	20(%esp), %edi
	mov	24(%esp), %esi
	xor	%edx, %edx
	wrmsr
1:	dec	%esi
	jnz	1b
	mov	%edi, %eax
	wrmsr
	pop	%edi
	pop	%esi
	ret

/* void rep_between(u32 msr, u32 on, u32 off, u32 count): one repeated string
   instruction in between, of count turns, and the mov */
	.globl	rep_between
rep_between:
	push	%esi
	push	%edi
	push	%ebx
	mov	16(%esp), %ecx
	mov	20(%esp), %eax
	mov	24(%esp), %esi
	mov	28(%esp), %ebx
	xor	%edx, %edx
	mov	$buffer, %edi
	wrmsr
	xchg	%ecx, %ebx
	rep stosb
	mov	%ebx, %ecx
	mov	%esi, %eax
	wrmsr
	pop	%ebx
	pop	%edi
	pop	%esi
	ret

/* void spin(u32 count): 2 * count instructions, the call and the return */
	.globl	spin
spin:
	mov	4(%esp), %ecx
1:	dec	%ecx
	jnz	1b
	ret

	.data
	.balign	8
gdt:	.quad	0
	.quad	0x00cf9a000000ffff	/* 08 kernel code */
	.quad	0x00cf92000000ffff	/* 10 kernel data */
	.quad	0x00cffa000000ffff	/* 18 user code */
	.quad	0x00cff2000000ffff	/* 20 user data */
	.globl	tss_descriptor
tss_descriptor:
	.quad	0x0000890000000067	/* 28 task state */
gdt_pointer:
	.word	. - gdt - 1
	.long	gdt
	.globl	tss
	.balign	128
tss:	.long	0, 0, 0x10
	.skip	104 - 12
	.globl	resume
resume:	.long	0
kernel_esp:
	.long	0

	.bss
	.balign	16
	.skip	8192
stack_top:
	.skip	4096
user_stack_top:
buffer:	.skip	8192
	.section .note.GNU-stack, "", @progbits
