# SPDX-License-Identifier: GPL-2.0-only
#
# The front door; `make help' says what there is. The work is done in scripts/.

.DEFAULT_GOAL := help
.PHONY: help run guest shell test test-all check-model check-tests count-paths bench-cost bench-msr bench-hooks bench-sets bench-formats bench-qemu kernel user install-module deb hooks clean run.status guest.status
.NOTPARALLEL:
MAKEFLAGS += --no-builtin-rules

export ARCH DEBUG FLAVOUR EXTRA_CONFIG STOCK KERNEL DESTDIR BENCH CPU CPUS MEM TIMEOUT QEMU_ARGS APPEND V LINUX_TARBALL TESTS KERNELS FRESH BUDGET
Q := $(if $(filter 1,$(V)),,@)

# The command reaches the scripts as it was typed, through the environment:
# neither make nor a shell of a recipe reads its quotes and dollar signs.
export PERFMON_CMD := $(value CMD)
unexport CMD
MAKEOVERRIDES :=

help:
	@scripts/help

kernel user:
	$(Q)scripts/deps $(ARCH)
	$(Q)scripts/$@

shell bench-cost bench-msr bench-hooks bench-sets bench-formats:
	$(Q)scripts/front $@

test:
	$(Q)scripts/test

test-all:
	$(Q)scripts/test all

check-model check-tests count-paths:
	$(Q)scripts/$@

bench-qemu:
	$(Q)scripts/deps --qemu $(ARCH)
	$(Q)scripts/bench-qemu

install-module:
	$(Q)scripts/$@

deb:
	$(Q)scripts/deps --deb
	$(Q)scripts/$@

hooks:
	@scripts/hooks

clean:
	$(Q)rm -rf build

# `make run' and `make guest' end with the status of their command. A recipe
# that fails makes make end with 2, whatever its status; so the first recipe leaves
# the status in a file, and the second ends make by a function loaded into it.
ifneq ($(filter run guest,$(MAKECMDGOALS)),)
status_file := build/status.$(shell echo $$PPID)
-load build/make-exit.so(make_exit_gmk_setup)
endif

build/make-exit.so: scripts/make-exit.c
	@scripts/deps $(ARCH)
	@mkdir -p build
	@gcc -O2 -Wall -Wextra -shared -fPIC -o $@.new $<
	@mv $@.new $@

run.status guest.status:
	$(Q)scripts/front $(@:.status=); echo $$? >$(status_file)

run guest: %: %.status
	@$(eval status := $(shell cat $(status_file); rm -f $(status_file)))$\
	$(exit-with $(status))exit $(status)
