#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# breaks.sh [NAME...] - break the IA-64 machine, and see that its bare-metal programs find it
# breaks.sh --list - only see that each place is still there, and its case
#
# What bench/ia64/breaks has, all of it or what is named. The sources are never changed: copies
# are, in build/broken-ia64, and the QEMU of build/qemu-ia64 is built of them; when all is
# done, it is as before. What can be broken together is, since a case that fails does not end
# a program.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
list=$top/bench/ia64/breaks
tree=$top/build/qemu-ia64 out=$top/build/broken-ia64
qemu=$tree/qemu/qemu-system-ia64
# shellcheck source=../lib/tests/tally.sh
. "$top/lib/tests/tally.sh"

declare -A file_of alone_of change_of program_of words_of
names=()
while IFS= read -r line; do
	case $line in
	'' | '#'*) ;;
	[!$'\t']*)
		read -r name file alone <<<"$line"
		names+=("$name") file_of[$name]=$file alone_of[$name]=$alone ;;
	*)
		line=${line#$'\t'}
		if [ -z "${change_of[$name]-}" ]; then
			change_of[$name]=$line
		else
			program_of[$name]=${line%% *} words_of[$name]=${line#* }
		fi ;;
	esac
done <"$list"

# forget NAME: what has been compiled of its file: by its age it would be right
forget() {
	local object=${file_of[$1]%.c}.c.o
	find "$tree/qemu" -name "*_ia64_${object##*/}" -delete 2>/dev/null || true
}

# break_it NAME: in the copy
break_it() {
	local file=$out/${file_of[$1]}
	sed -E "${change_of[$1]}" "$file" >"$out/new"
	if cmp -s "$file" "$out/new"; then
		fail "$1: nothing to change in ${file_of[$1]}"
		return 1
	fi
	cat "$out/new" >"$file"
	forget "$1"
}

copy() {
	mkdir -p "$out"
	cp -rp "$top/bench/ia64/board" "$top/bench/ia64/target" "$out/"
}

# build FROM: QEMU of the sources there
build() {
	ln -sfn "$1/target" "$tree/qemu-src/target/ia64"
	ln -sfn "$1/board" "$tree/qemu-src/hw/ia64"
	ninja -C "$tree/qemu" qemu-system-ia64 >"$out/ninja.log" 2>&1
}

# see NAME...: break these, run their programs, and look at their cases
see() {
	local name programs=()
	rm -rf "$out/board" "$out/target"
	copy
	for name; do
		break_it "$name" || return 0
		[[ " ${programs[*]-} " == *" ${program_of[$name]} "* ]] || programs+=("${program_of[$name]}")
	done
	if ! build "$out"; then
		fail "$*: does not build: see build/broken-ia64/ninja.log"
		for name; do
			forget "$name"
		done
		return
	fi
	"$top/bench/run.sh" "$qemu" "$out/tests" "${programs[@]}" >"$out/log" 2>&1 || true
	for name; do
		forget "$name"
		if grep -qaE "^FAIL (${program_of[$name]} [^:]*: )?${words_of[$name]}" "$out/log"; then
			ok
			echo "$name: found"
		else
			fail "$name: NOT FOUND"
			cp "$out/log" "$out/log-$name"
		fi
	done
}

if [ "${1-}" = --list ]; then
	out=$(mktemp -d)
	trap 'rm -rf "$out"' EXIT
	for name in "${names[@]}"; do
		rm -rf "$out/board" "$out/target"
		copy
		break_it "$name" && ok
	done
	tally
	exit
fi
[ -x "$qemu" ] || { echo "breaks.sh: no QEMU: make bench-qemu ARCH=ia64" >&2; exit 1; }
[ $# -eq 0 ] || names=("$@")
together=()
# clean_up: whatever happened
clean_up() {
	for name in "${names[@]}"; do
		forget "$name"
	done
	build "$top/bench/ia64"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
for name in "${names[@]}"; do
	if [ -n "${alone_of[$name]}" ]; then
		see "$name"
	else
		together+=("$name")
	fi
done
[ ${#together[@]} -eq 0 ] || see "${together[@]}"
tally
