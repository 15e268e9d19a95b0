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

program "static" "$dir/kernel"
program "shared" "$dir/shared"
# The example of perfmonctl(2): 16 MiB are 4096 pages of 4 KiB or fewer of more.
out=$("$dir/example")
check "the example runs" [ $? -eq 0 ]
case $out in
[1-9]*' faults, '[1-9]*' ns') ok ;;
*) fail "the example prints '$out'" ;;
esac
# Those of section 3 each print what they found.
for example in "$dir"/example_*; do
	[ -x "$example" ] || continue
	out=$(PMON_EVENTS=task-clock "$example" 2>&1)
	check "${example##*/} runs" [ $? -eq 0 ]
	check "${example##*/} prints something" [ -n "$out" ]
done

# Counting by names. The caller has loaded the modules of sampling formats.
program "count" "$dir/count"
program "regions" env PMON_EVENTS=minor-faults,task-clock PMON_OUTPUT=/tmp/regions.json \
	"$dir/count" regions
check "a report is written at exit" grep -q '"name": "inner", "runs": 2,' /tmp/regions.json
if command -v python3 >/dev/null; then
	check "it is JSON" python3 -m json.tool /tmp/regions.json /dev/null
else
	skip "there is no python3 to read JSON"
fi
rm -f /tmp/regions.json

# prints PATTERN EXAMPLE [ARG...]: what an example of the manual prints.
prints()
{
	prints_want=$1
	shift
	prints_out=$("$@" 2>&1)
	check "$* runs" [ $? -eq 0 ]
	printf '%s\n' "$prints_out" | grep -Eq "$prints_want"
	check "$* prints '$prints_out'" [ $? -eq 0 ]
}

# 16 MiB, and 4 times 1 MiB, in pages of 4 KiB
prints '^4[01][0-9][0-9] minor-faults, counted 100% of the time$' "$dir/count.c.example"
prints '^1[01][0-9][0-9] minor-faults$' "$dir/threads.c.example"
prints '^(25[5-9]|26.) samples, 0 lost$' "$dir/sample.c.example"
prints 'region .input.: 1 run, ' env PMON_EVENTS=task-clock,minor-faults "$dir/regions.c.example"
if [ -e "$dir/regions++.cc.example" ]; then
	prints 'region .sum.: 1 run, ' env PMON_EVENTS=task-clock "$dir/regions++.cc.example"
fi
check "without PMON_EVENTS there is no report" [ -z "$("$dir/regions.c.example" 2>&1)" ]
tally
