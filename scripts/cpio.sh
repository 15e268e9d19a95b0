# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# An initramfs in cpio's "newc" format, on stdout. To be sourced.

inode=0
# entry MODE NAME [FILE]
entry() {
	local size=0
	[ $# -lt 3 ] || size=$(stat -Lc %s "$3")
	inode=$((inode + 1))
	printf '070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\0' $inode "$1" \
		0 0 1 0 "$size" 0 0 0 0 $((${#2} + 1)) 0 "$2"
	pad $((110 + ${#2} + 1))
	[ $# -lt 3 ] || { cat "$3"; pad "$size"; }
}
# pad SIZE: to a multiple of 4
pad() { head -c $((-$1 & 3)) /dev/zero; }

# directories NAME: an entry for each that a file of this name needs
declare -A entered
directories() {
	local name=${1%/*}
	[ "$name" != "$1" ] && [ -z "${entered[$name]-}" ] || return 0
	directories "$name"
	entered[$name]=yes
	entry $((0040755)) "$name"
}

# add MODE NAME FILE: with its directories
add() {
	directories "$2"
	entry "$@"
}

# the_end: nothing comes after it
the_end() { entry 0 'TRAILER!!!'; }
