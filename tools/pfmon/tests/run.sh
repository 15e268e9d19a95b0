#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The tests of pfmon on the host, for both word sizes: no perfmon in the
# kernel is needed, a perfmonctl() that pretends stands in for it. Called by
# `make test` with CC and O, the directory above the architectures' own ones.
#
# shellcheck disable=SC2086,SC2046 # flags are words

set -u
cd "$(dirname "$0")" || exit 1
tests=$PWD
dir=${tests%/*}
top=${dir%/*/*}
# shellcheck source=../../../lib/tests/tally.sh
. "$top/lib/tests/tally.sh"
# shellcheck source=behaviour.sh
. ./behaviour.sh

CC=${CC:-cc}
O=${O:-$top/build/user}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# A failing command of the interface: message and status 125.
test_failures()
{
	while read -r cmd errno args message; do
		FAKE_FAIL="$cmd $errno"
		export FAKE_FAIL
		stat $(echo "$args" | tr , ' ') true
		unset FAKE_FAIL
		expect "command $cmd fails with $errno: status" "$status" 125
		expect_err "command $cmd fails with $errno" "$message"
	done <<-END
	24 38 -e,cs this kernel has no perfmon: boot one built with CONFIG_PERFMON=y
	8 1 -e,cs cannot attach to the command: only members of a certain group
	8 1 -C,0 cannot monitor CPU 0: only members of a certain group
	8 24 --no-follow too many open files
	1 22 -e,cs cannot attach to the command: there is no such command
	16 16 -e,cs cannot attach to the command: .* has one already
	16 16 -C,0 cannot monitor CPU 0: .* has one already
	16 1 --no-follow cannot attach to the command: it may not be traced
	5 16 -C,0 cannot start counting on CPU 0: the context is not loaded
	5 16 --no-follow cannot attach to the command: the context is not loaded
	END
	FAKE_FAIL="8 1" "$PFMON" stat sh -c "echo ran >'$tmp/ran'" 2>/dev/null
	check "without a context the command does not run" [ ! -e "$tmp/ran" ]
}

for pair in x86_64:-m64 i386:-m32; do
	arch=${pair%:*} flag=${pair#*:}
	if ! echo 'int main(void) { return 0; }' |
		$CC "$flag" -xc -o "$tmp/probe" - 2>/dev/null; then
		skip "$CC cannot compile for $arch"
		continue
	fi
	check "$arch: build" make -s -C "$dir" ARCH="$arch" O="$O/$arch" CC="$CC" \
		V="${V:-0}" testprogs >"$tmp/build"
	program "$arch unit" "$O/$arch/tools/pfmon/tests/unit"
	PFMON=$tmp/bin/pfmon VICTIM=$O/$arch/tools/pfmon/tests/victim
	mkdir -p "$tmp/bin"
	ln -sf "$O/$arch/tools/pfmon/tests/pfmon-fake" "$PFMON"
	run_tests $behaviour failures
done

if command -v mandoc >/dev/null; then
	check "mandoc: pfmon.1" mandoc -Tlint -W style "$dir/pfmon.1"
else
	skip "mandoc is not installed: the manual page is not linted"
fi
for word in $("$PFMON" stat --help | grep -o -e ' --[a-z-]*' -e ' -[a-zA-Z],'); do
	check "pfmon.1 has ${word%,}" grep -q -e "$(echo "${word%,}" |
		sed 's/-/\\\\-/g')" "$dir/pfmon.1"
done
tally
