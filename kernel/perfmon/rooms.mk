# SPDX-License-Identifier: GPL-2.0-only
# What the core is made of. The kernel's Makefile beside this file and the module's Kbuild
# include it: a new file is named here, and nowhere else.
pfm-rooms-y := init.o abi.o syscall.o create.o context.o reach.o file.o holder.o attach.o tree.o slot.o sum.o session.o sched.o \
	 clock.o set.o setswitch.o regs.o runstate.o control.o timer.o overflow.o throttle.o \
	 format.o sample.o image.o account.o buffer.o mapping.o message.o notify.o block.o \
	 random.o pmu.o rules.o hw.o interrupt.o reserve.o sleep.o soft.o config.o access.o sysfs.o stats.o
pfm-rooms-$(CONFIG_PERFMON_STACKS) += stack.o
