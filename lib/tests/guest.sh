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
tally
