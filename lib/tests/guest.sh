#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The tests of the library on a kernel with perfmon, as root:
#
#	guest.sh DIR
#
# DIR is where `make testprogs` built them: the tests directory below lib.

set -u
if [ $# -ne 1 ]; then
	echo "usage: $0 DIR" >&2
	exit 2
fi
dir=$(readlink -f "$1")
cd "$(dirname "$0")" || exit 1
# shellcheck source=tally.sh
. ./tally.sh
# shellcheck source=examples.sh
. ./examples.sh

program "static" "$dir/kernel"
if [ -x "$dir/shared" ]; then
	program "shared" "$dir/shared"
else
	skip "guests lack the machine's C library: the shared library"
fi
# What needs no perfmon, for a word size that the host's kernel may not execute.
for t in abi calls names samples fork unload; do
	program "$t" "$dir/$t"
done
# Those of section 3 each print what they found.
for example in "$dir"/example_*; do
	[ -x "$example" ] || continue
	out=$(PMON_EVENTS=task-clock "$example" 2>&1)
	check "${example##*/} runs" [ $? -eq 0 ]
	check "${example##*/} prints something" [ -n "$out" ]
done

# Counting by names. The caller has loaded the modules of sampling formats.
program "count" "$dir/count"
program "inherit" "$dir/inherit"
program "regions that have what is made in them" env PMON_EVENTS=minor-faults PMON_INHERIT=1 \
	PMON_OUTPUT=/dev/null "$dir/inherit" regions
program "regions" env PMON_EVENTS=minor-faults,task-clock PMON_OUTPUT=/tmp/regions.json \
	"$dir/count" regions
check "a report is written at exit" grep -q '"name": "inner", "runs": 2,' /tmp/regions.json
if command -v python3 >/dev/null; then
	check "it is JSON" python3 -m json.tool /tmp/regions.json /dev/null
else
	skip "there is no python3 to read JSON"
fi
rm -f /tmp/regions.json

examples "$dir"
tally
