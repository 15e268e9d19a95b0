# SPDX-License-Identifier: GPL-2.0-only
#
# What the Makefiles of lib, tools/pfmon and selftests share. Sets ARCH (if it is not: the
# host's), CC (if it is not: the compiler for ARCH), FLAGS_ARCH (what CC needs to
# compile for ARCH), and say and Q, for the recipes.

machine := $(dir $(lastword $(MAKEFILE_LIST)))machine
ARCH	?= $(or $(shell $(machine) --host),$(shell uname -m))
compiler := $(shell $(machine) cc $(ARCH) 2>/dev/null)
ifeq ($(origin CC),default)
CC	:= $(or $(firstword $(compiler)),cc)
endif
FLAGS_ARCH := $(filter -%,$(compiler))

ifeq ($(V),1)
say	= @:
Q	=
else
say	= @printf '  %-7s %s\n'
Q	= @
endif
