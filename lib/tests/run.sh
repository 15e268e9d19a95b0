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

# The functions that the headers declare: one "name(" after the type each.
api()
{
	sed -n '/^static/d; s/^[a-z].*[ *]\(p[a-z_]*\)(.*/\1/p' \
		"$lib"/include/perfmon/*.h | sort
}

# programs ARCH: run them, static and shared.
programs()
{
	progs=$O/$1/lib/tests
	for t in abi calls names samples count fork inherit trees shared unload; do
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
		sed -n 's/.* T \([a-z_]*\)@@PERFMON_0.[67]$/\1/p' | sort >"$tmp/symbols"
	nm -D --defined-only "$O/$1/lib/libperfmon.so" |
		grep -c ' [A-Z] [a-z]' >"$tmp/count"
	check "$1: exports what the headers declare" cmp "$tmp/api" "$tmp/symbols"
	# What is linked statically must not get in a program's way, either.
	nm "$O/$1/lib/libperfmon.a" 2>/dev/null |
		sed -n '/ [TDBRC] /s/.* //p' | grep -vxFf "$tmp/api" >"$tmp/other"
	check "$1: the archive has no names but pmon_ and those of the header" \
		sh -c "! grep -v '^pmon_\|^__x86' '$tmp/other'"
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

# What a manual page shows is an example that is compiled, and run in the guest.
shown()
{
	for e in "$top"/examples/*.c; do
		sed '1,/^ \*\//d' "$e" >"$tmp/example"
		for p in "$lib"/man/*.3; do
			sed -n '/^\.EX$/,/^\.EE$/p' "$p" | sed -e '/^\.E[XE]$/d' \
				-e 's/\\-/-/g' -e 's/\\e/\\/g' | cmp -s - "$tmp/example" && break
			p=
		done
		check "a manual page shows examples/${e##*/}" [ -n "$p" ]
	done
}

# Without perfmon they say so; they are run in the guest.
examples()
{
	for e in "$O/$1/lib/tests"/*.example; do
		"$e" >"$tmp/out" 2>&1
		case $e in
		*regions*) check "$1: ${e##*/} without PMON_EVENTS" [ $? -eq 0 ] ;;
		*) check "$1: ${e##*/} without perfmon" grep -q 'load the module perfmon' "$tmp/out" ;;
		esac
	done
	[ -e "$O/$1/lib/tests/regions++.cc.example" ] ||
		skip "no C++ compiler and headers for $1"
	PMON_EVENTS=task-clock PMON_OUTPUT=$tmp/regions "$O/$1/lib/tests/regions.c.example"
	check "$1: a report says why nothing was counted" \
		grep -q '^regions that were not counted: PFM_GET_CONFIG' "$tmp/regions"
	report_file "$1"
	report_several "$1"
}

# report_several ARCH: reports of processes that run at the same time are all there, and
# names say whose they are.
report_several()
{
	cat >"$tmp/several.c" <<-END
		#include <stdio.h>
		#include <perfmon/pmon.h>
		int main(void)
		{
			pmon_region_begin("all");
			puts("ready");
			fflush(stdout);
			getchar();
			return 0;
		}
	END
	if ! $CC $("$top/scripts/machine" cc "$1" | sed 's/^[^ ]*//') $warn -I "$lib/include" \
		-I "$top/include/uapi" -o "$tmp/several" "$tmp/several.c" "$O/$1/lib/libperfmon.a" \
		-lpthread $(grep -q pfm_initialize "$O/$1/lib/libperfmon.a" && echo -lpfm); then
		fail "$1: several processes: build"
		return
	fi
	mkdir "$tmp/reports"
	mkfifo "$tmp/go"
	echo earlier >"$tmp/reports/name"
	for i in 1 2 3; do
		PMON_EVENTS=task-clock PMON_OUTPUT=$tmp/reports/name "$tmp/several" \
			<"$tmp/go" >"$tmp/ready.$i" &
	done
	exec 9>"$tmp/go"
	for i in 1 2 3; do
		until grep -qs ready "$tmp/ready.$i" || ! kill -0 $!; do sleep 0.05; done
	done
	exec 9>&-
	wait
	check "$1: three processes at a time, three reports" \
		[ "$(grep -l '^regions that' "$tmp/reports"/* | wc -l)" -eq 3 ]
	check "$1: one of them has the name" grep -q '^regions that' "$tmp/reports/name"
	rm -r "$tmp/reports"
	mkdir "$tmp/reports"
	for i in 1 2 3; do
		PMON_EVENTS=task-clock PMON_OUTPUT=$tmp/reports/name "$tmp/several" </dev/null >"$tmp/ready.1"
	done
	check "$1: one after the other, one report" [ "$(ls "$tmp/reports")" = name ]
	(OMPI_COMM_WORLD_RANK=7 PMON_EVENTS=task-clock PMON_OUTPUT=$tmp/reports/%h.%r.%%.%p \
		exec sh -c "echo \$\$ >'$tmp/pid'; exec '$tmp/several'" </dev/null >"$tmp/ready.1")
	check "$1: machine, rank and process in the name" \
		[ -s "$tmp/reports/$(uname -n).7.%.$(cat "$tmp/pid")" ]
	rm -r "$tmp/reports" "$tmp/go"
}

# report_file ARCH: an earlier report is there until a new one is complete; a file with
# two names stays one, and what is no file is written.
report_file()
{
	regions=$O/$1/lib/tests/regions.c.example
	echo earlier >"$tmp/regions"
	chmod 640 "$tmp/regions"
	(trap '' XFSZ && ulimit -f 0 &&
		PMON_EVENTS=task-clock PMON_OUTPUT=$tmp/regions exec "$regions") 2>/dev/null
	check "$1: a full disk leaves an earlier report" grep -q '^earlier$' "$tmp/regions"
	check "$1: a full disk leaves nothing else" [ "$(ls "$tmp" | grep -c '^regions')" -eq 1 ]
	PMON_EVENTS=task-clock PMON_OUTPUT=$tmp/regions "$regions"
	check "$1: a report takes an earlier one's place" grep -q '^regions that' "$tmp/regions"
	check "$1: and leaves to others what they may" [ -n "$(find "$tmp/regions" -perm 640)" ]
	check "$1: a report leaves nothing else" [ "$(ls "$tmp" | grep -c '^regions')" -eq 1 ]
	ln "$tmp/regions" "$tmp/second"
	echo earlier >"$tmp/regions"
	PMON_EVENTS=task-clock PMON_OUTPUT=$tmp/regions "$regions"
	check "$1: a file with two names has the report" grep -q '^regions that' "$tmp/second"
	rm "$tmp/second"
	PMON_EVENTS=task-clock PMON_OUTPUT=/dev/stdout "$regions" >"$tmp/regions"
	check "$1: a link that stands for a descriptor is written" \
		grep -q '^regions that' "$tmp/regions"
	rm "$tmp/regions"
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

# What follows a half that grows, and gives it back.
recipe_calldouble()
{
	{
		printf '#include <perfmon/calldouble_smpl.h>\n%s\n' \
			'int perfmonctl(int fd, int cmd, void *arg, int n);'
		printf '%s;\n%s;\n%s\n{\n%s;\n' \
			'__u32 use(const pfm_callchain_smpl_rec_t *rec)' \
			'void read_it(const pfm_calldouble_smpl_hdr_t *hdr, int fd, __u32 seq, __u32 at)' \
			'void read_it(const pfm_calldouble_smpl_hdr_t *hdr, int fd, __u32 seq, __u32 at)' \
			'const pfm_calldouble_smpl_half_t *half; __u32 state, end'
		sed -n '/^ \*\thalf = /,/half_begin;$/s/^ \*//p' \
			"$top/include/uapi/perfmon/calldouble_smpl.h"
		echo '(void)at; }'
	} >"$tmp/recipe.c"
	check "the recipe of calldouble_smpl.h compiles" $CC $warn -I "$top/include/uapi" \
		-include perfmon/perfmon.h -fsyntax-only "$tmp/recipe.c"
	check "the recipe of calldouble_smpl.h acquires three times" \
		[ "$(grep -c __ATOMIC_ACQUIRE "$tmp/recipe.c")" = 3 ]
}

# What freezes a table, and reads it.
recipe_callaggregate()
{
	{
		printf '#include <perfmon/callaggregate_smpl.h>\n%s;\n%s;\n%s;\n%s\n{\n%s;\n' \
			'int perfmonctl(int fd, int cmd, void *arg, int n)' \
			'void use(const pfm_callaggregate_smpl_entry_t *ent, const void *chain)' \
			'void read_it(const pfm_callaggregate_smpl_hdr_t *hdr, int fd)' \
			'void read_it(const pfm_callaggregate_smpl_hdr_t *hdr, int fd)' \
			'const pfm_callaggregate_smpl_table_t *tab; __u32 at'
		echo 'const pfm_callaggregate_smpl_entry_t *ent;'
		sed -n '/^ \*\tperfmonctl(/,/^ \*\t}$/s/^ \*//p' \
			"$top/include/uapi/perfmon/callaggregate_smpl.h"
		echo '}'
	} >"$tmp/recipe.c"
	check "the recipe of callaggregate_smpl.h compiles" $CC $warn \
		-I "$top/include/uapi" -include perfmon/perfmon.h -fsyntax-only "$tmp/recipe.c"
}

recipes()
{
	recipe_calldouble
	recipe_callaggregate
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
	check "builds with the static library" $CC $warn -o "$tmp/static" \
		"$O/$host/lib/tests/example.c" $(echo "$flags" | sed 's/ -lperfmon.*//') \
		-Wl,--whole-archive "$dest/usr/lib/libperfmon.a" -Wl,--no-whole-archive \
		$(PKG_CONFIG_PATH=$dest/usr/lib/pkgconfig \
		pkg-config --static --libs-only-l libperfmon | sed 's/-lperfmon//')
	# With the formats' headers, each of which stands alone.
	for f in "$top"/include/uapi/perfmon/*.h "$lib"/include/perfmon/*.h; do
		printf '#include <perfmon/%s>\nint main(void) { return 0; }\n' "${f##*/}" \
			>"$tmp/header.c"
		check "installs <perfmon/${f##*/}>, which stands alone" $CC $warn \
			-o "$tmp/header" "$tmp/header.c" $flags
	done
	if command -v c++ >/dev/null; then
		(cd "$lib/include" && printf '#include <%s>\n' perfmon/*.h) >"$tmp/t.cc"
		echo 'int main() { return pfm_stop(-1) != -1; }' >>"$tmp/t.cc"
		check "C++ compiles and links" c++ -std=c++17 -Wall -Wextra -pedantic \
			-Werror -o "$tmp/cxx" "$tmp/t.cc" $flags
	else
		skip "no C++ compiler"
	fi
}

host=$("$top/scripts/machine" --host)
api >"$tmp/api"
check "the specification's and the names are 25 functions" \
	[ "$(grep -vc ^pmon_ "$tmp/api")" -eq 25 ]

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
	symbols "$arch"
	if ! "$tmp/probe"; then
		skip "this machine's kernel does not execute programs for $arch: guests do"
		continue
	fi
	programs "$arch"
	examples "$arch"
done
numbers
other_library
pages
shown
recipes
installed
tally
