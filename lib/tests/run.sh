#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The tests of the library on the host, for both word sizes: no perfmon in the
# kernel is needed. Called by `make test` with CC and O, the directory above
# the architectures' own ones.
#
# shellcheck disable=SC2086,SC2013 # flags and names are words

set -u
cd "$(dirname "$0")" || exit 1
# shellcheck source=tally.sh
. ./tally.sh

tests=$PWD
lib=${tests%/*}
top=${lib%/*}
CC=${CC:-cc}
O=${O:-$top/build/user}
warn='-std=gnu11 -O2 -g -Wall -Wextra -Werror'
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# The functions that the header declares: one "name(" after the type each.
api()
{
	sed -n '/^static/d; s/^[a-z].*[ *]\(p[a-z_]*\)(.*/\1/p' \
		"$lib/include/perfmon/libperfmon.h" | sort
}

# programs ARCH: run them, static and shared.
programs()
{
	progs=$O/$1/lib/tests
	for t in abi calls names shared; do
		program "$1 $t" "$progs/$t"
	done
	mkdir "$tmp/$1" && cd "$tmp/$1" || exit 1
	program "$1 registers" "$progs/registers"
	cd "$tests" || exit 1
}

# symbols ARCH: exported is what the header declares, nothing more or less.
symbols()
{
	nm -D --defined-only "$O/$1/lib/libperfmon.so" |
		sed -n 's/.* T \([a-z_]*\)@@PERFMON_0.6$/\1/p' | sort >"$tmp/symbols"
	nm -D --defined-only "$O/$1/lib/libperfmon.so" |
		grep -c ' [A-Z] [a-z]' >"$tmp/count"
	check "$1: exports what the header declares" cmp "$tmp/api" "$tmp/symbols"
	check "$1: exports nothing else" \
		[ "$(cat "$tmp/count")" = "$(wc -l <"$tmp/api" | tr -d ' ')" ]
	check "$1: soname" sh -c \
		"objdump -p '$O/$1/lib/libperfmon.so' | grep -q 'SONAME.*libperfmon.so.0$'"
}

# Programs have libpfm4 for the names of events: its functions are not ours, and both
# headers, where it is installed, go together.
other_library()
{
	for f in find_event get_event_attr_info get_event_encoding get_event_info \
		get_event_next get_os_event_encoding get_perf_event_encoding \
		get_pmu_info get_version initialize pmu_validate strerror terminate; do
		check "pfm_$f is libpfm4's" sh -c "! grep -qx pfm_$f '$tmp/api'"
	done
	printf '#include <%s>\n' perfmon/pfmlib.h perfmon/libperfmon.h >"$tmp/both.c"
	if ! $CC -E -include perfmon/pfmlib.h -xc /dev/null >"$tmp/both.i" 2>&1; then
		skip "libpfm4 is not installed: its header is not compiled with ours"
		return
	fi
	check "libpfm4's header goes with ours" $CC $warn -I "$lib/include" \
		-I "$top/include/uapi" -fsyntax-only "$tmp/both.c"
}

# Also of an architecture that we have no compiler for.
numbers()
{
	for n in "" " -D__ia64__"; do
		printf '#include <perfmon/perfmon.h>\nnumber __NR_perfmonctl\n' |
			$CC -E$n -I "$top/include/uapi" - | tail -n 1 >>"$tmp/numbers"
	done
	check "548, and 1175 on IA-64, are the system call" \
		[ "$(tr '\n' ' ' <"$tmp/numbers")" = "number 548 number 1175 " ]
}

pages()
{
	while read -r f; do
		case $f in
		perfmonctl) continue ;;
		esac
		check "manual page of $f" [ -e "$lib/man/$f.3" ]
		page=$(sed -n 's/^\.so man3\///p' "$lib/man/$f.3")
		check "$f in the synopsis of ${page:-$f.3}" \
			grep -q "[ *]$f(" "$lib/man/${page:-$f.3}"
	done <"$tmp/api"
	if command -v mandoc >/dev/null; then
		for p in "$lib"/man/*.3 "$top/Documentation/perfmonctl.2"; do
			grep -q '^\.so' "$p" && continue
			check "mandoc: ${p##*/}" mandoc -Tlint -W style "$p"
		done
	else
		skip "mandoc is not installed: the manual pages are not linted"
	fi
	for cmd in $(sed -n '/Commands (table 3.1)/,/^$/s/^#define \(PFM_[A-Z_]*\).*/\1/p' \
		"$top/include/uapi/perfmon/perfmon.h"); do
		check "perfmonctl.2 has $cmd" \
			grep -q "$cmd" "$top/Documentation/perfmonctl.2"
	done
}

# recipe FORMAT DECLARATIONS: how the header says to read a buffer that changes. It
# compiles, and looks a second time only behind a fence.
recipe()
{
	{
		printf '#include <string.h>\n#include <perfmon/%s_smpl.h>\n' "$1"
		printf '%s;\n%s;\nvoid read_it(void);\nvoid read_it(void)\n{\n' "$2" \
			'unsigned long long first, count, end, n, i; unsigned int gen'
		sed -n '/^ \*\tdo {$/,/^ \*\t} while/s/^ \*//p' \
			"$top/include/uapi/perfmon/$1_smpl.h"
		echo '}'
	} >"$tmp/recipe.c"
	check "the recipe of $1_smpl.h compiles" $CC $warn -I "$top/include/uapi" \
		-fsyntax-only "$tmp/recipe.c"
	recipe_fence=$(grep -B 1 '^	} while' "$tmp/recipe.c" | head -n 1 | tr -d '\t')
	check "the recipe of $1_smpl.h has a fence" \
		[ "$recipe_fence" = '__atomic_thread_fence(__ATOMIC_ACQUIRE);' ]
}

recipes()
{
	recipe double 'pfm_double_smpl_half_t *half; char *copy, *buf'
	recipe aggregate \
		'pfm_aggregate_smpl_hdr_t *hdr; pfm_aggregate_smpl_entry_t *slot, *copy'
}

# The installed tree serves a program, through pkg-config, in C and C++.
installed()
{
	dest=$tmp/dest
	check "install" make -s -C "$lib" O="$O/$host" ARCH="$host" \
		DESTDIR="$dest" PREFIX=/usr V="${V:-0}" install >"$tmp/install" 2>&1
	for f in lib/libperfmon.a lib/libperfmon.so.0 include/perfmon/perfmon.h \
		share/man/man2/perfmonctl.2 share/man/man3/pfm_start.3; do
		check "installs $f" [ -e "$dest/usr/$f" ]
	done
	if ! command -v pkg-config >/dev/null; then
		skip "pkg-config is not installed"
		return
	fi
	flags=$(PKG_CONFIG_SYSROOT_DIR=$dest PKG_CONFIG_PATH=$dest/usr/lib/pkgconfig \
		PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
		pkg-config --cflags --libs libperfmon)
	check "builds with pkg-config's flags" $CC $warn -o "$tmp/installed" \
		"$O/$host/lib/tests/example.c" $flags
	# With the formats' headers, each of which stands alone.
	for f in "$top"/include/uapi/perfmon/*.h; do
		printf '#include <perfmon/%s>\nint main(void) { return 0; }\n' "${f##*/}" \
			>"$tmp/header.c"
		check "installs <perfmon/${f##*/}>, which stands alone" $CC $warn \
			-o "$tmp/header" "$tmp/header.c" $flags
	done
	if command -v c++ >/dev/null; then
		printf '#include <perfmon/libperfmon.h>\nint main() { return pfm_stop(-1) != -1; }\n' \
			>"$tmp/t.cc"
		check "C++ compiles and links" c++ -Wall -Wextra -Werror \
			-o "$tmp/cxx" "$tmp/t.cc" $flags
	else
		skip "no C++ compiler"
	fi
}

host=$("$top/scripts/machine" --host)
api >"$tmp/api"
check "the header declares 25 functions" [ "$(wc -l <"$tmp/api")" -eq 25 ]

for arch in $("$top/scripts/machine" --runs); do
	flags=$("$top/scripts/machine" cc "$arch" | sed 's/^[^ ]*//')
	if ! echo 'int main(void) { return 0; }' |
		$CC $flags -xc -o "$tmp/probe" - 2>/dev/null; then
		skip "$CC cannot compile for $arch"
		continue
	fi
	if ! make -s -C "$lib" ARCH="$arch" O="$O/$arch" CC="$CC" \
		V="${V:-0}" all testprogs >"$tmp/build"; then
		fail "$arch: build"
		continue
	fi
	ok
	programs "$arch"
	symbols "$arch"
done
numbers
other_library
pages
recipes
installed
tally
