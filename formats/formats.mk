# SPDX-License-Identifier: GPL-2.0-only
# The sampling formats, each the name of a directory here: for the Makefile beside this file,
# the module's Kbuild, and the scripts that load them in guests.
pfm-formats := default double aggregate callchain calldouble callaggregate
# For tests of the core, which load it themselves.
pfm-formats-tests := null
