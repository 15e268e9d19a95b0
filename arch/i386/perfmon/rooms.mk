# SPDX-License-Identifier: GPL-2.0-only
# What x86's part is made of: for the kernel's Makefile beside this file and the module's
# Kbuild, as kernel/perfmon/rooms.mk.
pfm-x86-rooms-y := glue.o cpus.o probe.o intel.o extra.o lbr.o p4.o amd.o \
	 stack.o
# No 64-bit kernel runs on these.
pfm-x86-rooms-$(CONFIG_X86_32) += p6.o p5.o centaur.o
