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

# What has been compiled before, in whichever tree of ours, comes from ccache.
# What is not there yet is not preprocessed for a key first, but compiled at once.
export CCACHE_BASEDIR=$top CCACHE_NOHASHDIR=yes CCACHE_DEPEND=yes
[ -n "${CCACHE_DIR-}" ] || [ -z "${HOME-}" ] || [ -w "$HOME" ] || export CCACHE_DIR=$build/ccache

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

# fingerprint PATH...: a hash over the names and contents of files and directories, but for
# those that are only to be read, and for the paths in $leave_out. Called in $top, so that
# no name has the tree's place.
fingerprint() {
	local path without=()
	for path in ${leave_out-}; do without+=(! -path "$path"); done
	find "$@" -type f "${without[@]}" ! -name '.*' ! -name '*~' ! -name '*.md' -print0 2>/dev/null | sort -z | xargs -0 sha256sum |
		sha256sum | cut -d' ' -f1
}

# The version of Linux that we build; scripts/graft takes that of the tree it is given.
# shellcheck disable=SC2034
linux_version=6.1
tarball=${LINUX_TARBALL:-/usr/src/linux-source-$linux_version.tar.xz}
config=$top/scripts/config
if [ -n "${EXTRA_CONFIG-}" ]; then
	[ -f "$EXTRA_CONFIG" ] || die "no file EXTRA_CONFIG=$EXTRA_CONFIG"
	EXTRA_CONFIG=$(realpath "$EXTRA_CONFIG")
	export EXTRA_CONFIG
fi

# key NAME FILE...: the values of the lines "#: NAME = ..." of fragments, one a line;
# scripts/config/README explains them
key() { sed -n "s/^#: $1 = //p" "${@:2}"; }

# architectures: all that scripts/config has, the default one first
architectures() {
	{
		grep -l '^#: default = yes' "$config"/*.config
		grep -l '^#: uname = ' "$config"/*.config
	} | awk '!seen[$0]++' | sed 's,.*/,,; s/\.config$//'
}
default_arch=$(architectures | head -n 1)

# host_arch: the architecture of this machine; nothing if scripts/config does not have it
host_arch() {
	local name host
	host=$(uname -m)
	for name in $(architectures); do
		[[ " $(key uname "$config/$name.config") " != *" $host "* ]] || echo "$name"
	done
}

# kernel_names ARCH DEBUG: sets arch (the default one if ARCH is empty), fragment,
# flavour (debug, or $FLAVOUR, or none), kernel (the directory in build/), and
# fragments (the files that make up its configuration; the last word counts)
kernel_names() {
	local name
	arch=${1:-$default_arch}
	flavour=${FLAVOUR-}
	case $2 in
	'' | 0) ;;
	*)
		[ -z "$flavour" ] || die "DEBUG=$2 and FLAVOUR=$flavour exclude each other"
		flavour=debug ;;
	esac
	kernel=$arch${flavour:+-$flavour}
	fragment=$config/$arch.config
	grep -qs '^#: uname = ' "$fragment" ||
		die "no architecture '$arch': see scripts/config"
	name=$(machine cross)
	[ -z "$name" ] || PATH=$build/cross-$name/bin:$PATH
	[ -z "$flavour" ] || grep -qs '^#: flavour = ' "$config/$flavour.config" ||
		die "no kernel of flavour '$flavour': see scripts/config"

	fragments=()
	name=$flavour
	while [ -n "$name" ]; do
		fragments=("$config/$name.config" "${fragments[@]}")
		name=$(key include "$config/$name.config")
	done
	[ -n "$(flavoured alone)" ] || fragments=("$config/base.config" "$fragment" "${fragments[@]}")
	[ -z "$flavour" ] || [ ! -e "$config/$kernel.config" ] || fragments+=("$config/$kernel.config")
	if [ -n "${EXTRA_CONFIG-}" ]; then
		fragments+=("$EXTRA_CONFIG")
		name=${EXTRA_CONFIG##*/}
		kernel+=+${name%.config}
	fi
}

# machine NAME: what the architecture's fragment says of it
machine() { key "$1" "$fragment"; }

# flavoured NAME: what the flavour's fragment says of it; nothing without a flavour
flavoured() { [ -z "$flavour" ] || key "$1" "$config/$flavour.config"; }

# wanted: the lines of $kernel's configuration that its fragments ask for, one an option; what
# the machine has not is not wanted, nor anything of perfmon's in a kernel without it
wanted() {
	awk -v without="$(machine without)" '
		BEGIN { n = split(without, list, " "); for (i = 1; i <= n; i++) skip["CONFIG_" list[i]] = 1 }
		/^CONFIG_/ { split($0, half, "="); name = half[1] }
		/^# CONFIG_.* is not set$/ { name = $2 }
		name != "" && !(name in skip) { line[name] = $0 }
		{ name = "" }
		END {
			without = line["CONFIG_PERFMON"] ~ /^#/
			for (name in line)
				if (!without || name !~ /^CONFIG_PERFMON_/) print line[name]
		}' "${fragments[@]}" | sort
}

# formats_built_in: the sampling formats that guests' kernels have; formats_loaded LIST: those
# of a list of formats.mk (pfm-formats, pfm-formats-tests) that they have as modules
formats_built_in() { sed -n 's/^CONFIG_PERFMON_FMT_\(.*\)=y$/\L\1/p' "$config/base.config"; }
formats_loaded() {
	sed -n "s/^$1 := //p" "$top/formats/formats.mk" | tr ' ' '\n' | grep -vxF "$(formats_built_in)"
}

# kernel_inputs: all that the kernel build/$kernel is made of, as text: the source of Linux,
# the compiler, the files of ours that it contains, its configuration. Empty if there is no
# source or no compiler.
kernel_inputs() (
	local cc version name leave_out='' sources
	cd "$top"
	version=$(stat -c '%n %s %Y' "$tarball" 2>/dev/null) || return 0
	read -r cc _ <<<"$(machine cc)"
	echo "$version $("$cc" --version 2>/dev/null | head -n 1)"
	read -ra sources <<<"$(machine sources)"
	# What only other machines' kernels contain of directories that all have.
	for name in $(architectures); do
		[ "$(key patches "$config/$name.config")" = "$(machine patches)" ] ||
			leave_out+=" $(key own "$config/$name.config")"
	done
	fingerprint kernel formats include "${sources[@]}" scripts/graft selftests/linux \
		"patches/linux-$linux_version/"[!a]* "patches/linux-$linux_version/$(machine patches)"*
	echo "$(machine kernel_make) $(flavoured kernel_make) $(wanted)"
	[ -z "$(flavoured hosts)" ] || fingerprint module scripts/module-tree
)

# kernel_make [LINUX]: sets make, the command that builds in build/$kernel, of the sources
# in LINUX (build/linux)
kernel_make() {
	local word
	read -r word _ <<<"$(machine cc)"
	make=(make -C "${1:-$build/linux}" "O=$build/$kernel" "-j$jobs" "CC=ccache $word")
	for word in $(machine kernel_make) $(flavoured kernel_make); do make+=("$word"); done
	[ "${V-}" != 1 ] || make+=(V=1)
}

# make_module LOG MAKE...: build the module with this make; a warning is shown, an error ends
make_module() {
	if ! run "$1" "${@:2}" modules; then
		grep -aE -A 3 'error:|Error [0-9]|undefined|ERROR' "$log/$1" | head -n 40 >&2
		die "the module did not build: see build/log/$1"
	fi
	grep -aE -A 3 'warning:|WARNING: modpost' "$log/$1" >&2 || true
}

# make_probe DIR ARCH CC...: DIR/probe, the program of the format of selftests/probe; ARCH
# says which libperfmon
make_probe() {
	"${@:3}" -O1 -Wall -Wextra -Werror -fno-omit-frame-pointer \
		-fno-optimize-sibling-calls -static -I "$top/lib/include" -I "$top/include/uapi" \
		-I "$top/lib/tests" -o "$1/probe" "$1/probe.c" "$build/user/$2/lib/libperfmon.a"
}

# cache_dir: the directory that all trees of this user share, for what took long to make or
# to find out; in build/ where there is no home to write to
cache_dir() {
	local cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
	[ -n "$cache" ] && mkdir -p "$cache/perfmon2" 2>/dev/null && [ -w "$cache/perfmon2" ] ||
		cache=$build/cache
	mkdir -p "$cache/perfmon2"
	echo "$cache/perfmon2"
}

# What was built once (a compiler, a C library, a kernel) is kept for other trees, too: as a
# file in cache_dir, whose name has a hash of all that it was made of. It goes when
# it has not been used for two weeks. keep NAME INPUTS DIR [FILE...]: all of DIR, or these
# files; kept NAME INPUTS: is it there? unkeep NAME INPUTS DIR: unpack it, or fail
kept_file() { echo "$(cache_dir)/$1-$(sha256sum <<<"$2" | cut -c1-32).tar.gz"; }

kept() { [ -e "$(kept_file "$@")" ]; }

keep() {
	local file members=("${@:4}")
	[ ${#members[@]} -gt 0 ] || members=(.)
	file=$(kept_file "$1" "$2")
	find "${file%/*}" -maxdepth 1 -name '*.tar.gz*' -mtime +14 -delete
	tar -C "$3" -I 'gzip -1' -cf "$file.$$" -- "${members[@]}" && mv "$file.$$" "$file"
}

unkeep() {
	local file
	file=$(kept_file "$1" "$2")
	[ -e "$file" ] && mkdir -p "$3" && tar -C "$3" -xzf "$file" && touch "$file"
}

# guest_append: the architecture's part of a guest's command line; with -icount in
# QEMU_ARGS the guest's time stamp counter is not the host's
guest_append() {
	local khz='' clock
	clock=$(machine clock)
	[ -z "$clock" ] || [[ ${QEMU_ARGS-} == *-icount* ]] || khz=$("$build/user/$arch/tsc" 2>/dev/null) || true
	echo "$(machine append)${khz:+ $clock=$khz}"
}

# bench_qemu: the QEMU with PMUs for the architecture, which scripts/bench-qemu builds;
# fails if there is none. One that has sources of its own is built by itself.
bench_qemu() {
	local target own
	target=$(machine bench_target)
	target=${target%-softmmu} own=$(machine bench_sources)
	[ -n "$target" ] && echo "$build/${own:+qemu-$target/}qemu/qemu-system-$target"
}
