# SPDX-License-Identifier: GPL-2.0-only
#
# What the Makefiles of lib, tools/pfmon and selftests share. Sets ARCH (if it is not: the
# host's), CC (if it is not: the compiler for ARCH), FLAGS_ARCH (what CC needs to
# compile for ARCH), AR (if it is not: CC's), LDFLAGS_ARCH (to link what guests run, and
# is not static anyway), and say and Q, for the recipes.

machine := $(dir $(lastword $(MAKEFILE_LIST)))machine
ARCH	?= $(or $(shell $(machine) --host),$(shell uname -m))
compiler := $(shell $(machine) cc $(ARCH) 2>/dev/null)
ifeq ($(origin CC),default)
CC	:= $(or $(firstword $(compiler)),cc)
endif
FLAGS_ARCH := $(filter -%,$(compiler))
ifeq ($(origin AR),default)
AR	:= $(or $(shell $(CC) -print-prog-name=ar 2>/dev/null),ar)
endif
LDFLAGS_ARCH := $(shell $(machine) ldflags $(ARCH) 2>/dev/null)

ifeq ($(V),1)
say	= @:
Q	=
else
say	= @printf '  %-7s %s\n'
Q	= @
endif
