# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the scripts share. To be sourced by a bash script in this directory.

set -eu

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$top/build
log=$build/log
jobs=$(nproc)
mkdir -p "$log"

# What make's command line sets must not reach the makes that we start.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL

die() { echo "${0##*/}: $*" >&2; exit 1; }

case $top in
*[!A-Za-z0-9/._+@%=-]*) die "the path $top has characters that make and QEMU do not take: move the tree" ;;
esac

# step WHAT TARGET: one line of progress
step() { printf '  %-8s %s\n' "$1" "$2" >&2; }

# run LOG COMMAND...: its output goes to build/log/LOG, and to us with V=1
run() {
	local out=$log/$1
	shift
	if [ "${V-}" = 1 ]; then
		echo "+ $*" >&2
		"$@" 2>&1 </dev/null | tee "$out" >&2
		return "${PIPESTATUS[0]}"
	fi
	"$@" >"$out" 2>&1 </dev/null
}

# locked WHAT SCRIPT ARG...: start SCRIPT again as the only one at work on WHAT
locked() {
	local lock=$build/.lock-$1
	shift
	[ -z "${PERFMON_LOCKED-}" ] || return 0
	export PERFMON_LOCKED=1
	flock -n "$lock" true || step WAIT "for another make in $build"
	exec flock -o "$lock" "$@"
}

# need_space MB WHAT
need_space() {
	local free
	free=$(df -Pm "$build" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge "$1" ] ||
		die "$2 needs $1 MB free in $build, which has $free MB: make room there"
}

# fingerprint PATH...: a hash over the contents of files and directories
fingerprint() {
	find "$@" -type f -print0 2>/dev/null | sort -z | xargs -0 sha256sum |
		sha256sum | cut -d' ' -f1
}

# kernel_names ARCH DEBUG: sets arch, fragment, flavour (debug, or $FLAVOUR, or none),
# kernel (the directory in build/)
kernel_names() {
	arch=$1
	flavour=${FLAVOUR-}
	case $2 in
	'' | 0) ;;
	*)
		[ -z "$flavour" ] || die "DEBUG=$2 and FLAVOUR=$flavour exclude each other"
		flavour=debug ;;
	esac
	kernel=$arch${flavour:+-$flavour}
	fragment=$top/scripts/config/$arch.config
	grep -qs '^#: qemu = ' "$fragment" ||
		die "no architecture '$arch': see scripts/config"
	[ -z "$flavour" ] || grep -qs '^#: flavour of a kernel' "$top/scripts/config/$flavour.config" ||
		die "no kernel of flavour '$flavour': see scripts/config"
}

# machine NAME: the value of the fragment's line "#: NAME = ..."
machine() { sed -n "s/^#: $1 = //p" "$fragment"; }
