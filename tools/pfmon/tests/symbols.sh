# SPDX-License-Identifier: GPL-2.0-only
#
# Names in reports are those of the files that were recorded, or there are none: to be
# sourced by run.sh.
#
# shellcheck shell=sh disable=SC2154,SC2086,SC2034

# make_named NAME [FLAG...]: $tmp/named with this function, which is at $at
make_named()
{
	function=$1
	shift
	rm -f "$tmp/named"
	$CC $flags -O1 -no-pie "-DNAME=$function" "$@" -o "$tmp/named" "$tests/named.c"
	find_function "$function"
}

find_function()
{
	at=$(nm "$tmp/named" | sed -n "s/^\([0-9a-f]*\) [tT] $1\$/\1/p")
}

# record_named [ARGUMENT...]: ten samples in that function
record_named()
{
	FAKE_IPS="$at:10"
	export FAKE_IPS
	record $names "$tmp/named" "$@"
	unset FAKE_IPS
}

# What is in the programs, and not what the recording has kept.
names=--no-names

# named NAME WANT [OPTION]: the symbol of all samples
named()
{
	report --by symbol -f folded ${3-}
	expect "$1" "$(cat "$tmp/report")" "$2 10"
}

# noted NAME PATTERN: a remark of the last report
noted()
{
	expect_err "$1" "$2"
}

# can_name: can this pfmon find names at all?
can_name()
{
	make_named before || return 1
	record_named
	report
	has_symbols && return
	skip "$arch: built without libdw: names of programs"
	return 1
}

# Built anew between the recording and the report.
test_symbols_changed()
{
	can_name || return
	named "symbols" before
	cp "$tmp/named" "$tmp/kept"
	make_named after
	named "built anew" "[changed]"
	noted "built anew" "files that have changed since they were recorded.*: 1; their symbols"
	report --by symbol,address -f folded
	check "built anew: the address is as it was" grep -q "^\[changed\];0x" "$tmp/report"
	# A copy of the same file has the same build ID.
	rm "$tmp/named"
	cp "$tmp/kept" "$tmp/named"
	named "the same again" before
	rm "$tmp/named"
	named "on another machine" "[unknown]"
	noted "on another machine" "files that are not there any more, or not on this machine: 1;"
	ln -s /dev/zero "$tmp/named"
	named "a device in its place" "[unknown]"
	rm -f "$tmp/named"
	mkfifo "$tmp/named"
	named "a pipe in its place" "[unknown]"
	rm -f "$tmp/named"

	# Without a build ID it is size and time of the last change.
	make_named before -Wl,--build-id=none
	cp -p "$tmp/named" "$tmp/kept"
	record_named
	cp -p "$tmp/kept" "$tmp/named"
	named "no build ID, the same" before
	touch "$tmp/named"
	named "no build ID, touched" "[changed]"
	rm -f "$tmp/kept"

	# What others may change is copied before it is read, if it is not too large.
	make_named before
	if [ "$(id -u)" -eq 0 ]; then
		chown 65534 "$tmp/named"
	else
		chmod o+w "$tmp/named"
	fi
	record_named
	named "a file that others may write" before
	truncate -s 600M "$tmp/named"
	named "a file that others may write, too large" "[unknown]"
	noted "a file that others may write, too large" "or too large for what others can change: 1;"
}

# strip_named: symbols to $tmp/named.debug
strip_named()
{
	objcopy --only-keep-debug "$tmp/named" "$tmp/named.debug"
	objcopy --strip-all "$tmp/named"
	chmod 755 "$tmp/named"
}

# build_id: that of $tmp/named
build_id()
{
	readelf -n "$tmp/named" | sed -n 's/.*Build ID: //p'
}

# What was stripped is in the debug file, which must be the right one.
test_symbols_debug_files()
{
	can_name || return
	if ! command -v objcopy >/dev/null; then
		skip "objcopy is not there: debug files"
		return
	fi
	for id in sha1 none; do
		make_named before -Wl,--build-id=$id
		strip_named
		cp "$tmp/named.debug" "$tmp/right"
		(cd "$tmp" && objcopy --add-gnu-debuglink=named.debug named)
		record_named
		named "debug link, build ID $id" before
		mkdir "$tmp/.debug"
		mv "$tmp/named.debug" "$tmp/.debug"
		named "debug link to .debug, build ID $id" before
		rm -r "$tmp/.debug"
		named "debug link to nothing, build ID $id" "[unknown]"
		# A debug file of another build, and one that was damaged.
		$CC $flags -O1 -no-pie -DNAME=other -o "$tmp/named.debug" "$tests/named.c" \
			-Wl,--build-id=$id
		named "debug link to another build, build ID $id" "[unknown]"
		cp "$tmp/right" "$tmp/named.debug"
		if [ $id = none ]; then
			echo >>"$tmp/named.debug"
			named "debug link, another checksum" "[unknown]"
		fi
		rm "$tmp/named.debug"
		mkfifo "$tmp/named.debug"
		named "debug link to a pipe, build ID $id" "[unknown]"
		rm "$tmp/named.debug"
	done
	# The link is a name, not a way: objcopy would cut it off.
	cp "$tmp/right" "$tmp/named.debug"
	make_named before -Wl,--build-id=none
	strip_named
	mkdir -p "$tmp/d"
	mv "$tmp/named.debug" "$tmp/d/x"
	/usr/bin/python3 - "$tmp/d/x" "$tmp/link" <<-'END'
	import sys, zlib, struct
	crc = zlib.crc32(open(sys.argv[1], "rb").read())
	open(sys.argv[2], "wb").write(b"d/x\0" + struct.pack("<I", crc))
	END
	objcopy --add-section .gnu_debuglink="$tmp/link" "$tmp/named"
	record_named
	named "debug link with a directory" "[unknown]"
	mv "$tmp/d/x" "$tmp/x"
	printf 'x\0\0\0' | dd of="$tmp/link" conv=notrunc 2>/dev/null
	objcopy --update-section .gnu_debuglink="$tmp/link" "$tmp/named"
	record_named
	named "debug link without one" before
	rm -rf "$tmp/d" "$tmp/x" "$tmp/link" "$tmp/right"
}

# By build ID, with and without the file itself.
test_symbols_build_id()
{
	can_name || return
	command -v objcopy >/dev/null || return
	make_named before
	id=$(build_id)
	strip_named
	record_named
	named "stripped" "[unknown]"
	DEBUGINFOD_CACHE_PATH=$tmp/cache
	export DEBUGINFOD_CACHE_PATH
	mkdir -p "$tmp/cache/$id"
	cp "$tmp/named.debug" "$tmp/cache/$id/debuginfo"
	named "debuginfod's cache" before
	unset DEBUGINFOD_CACHE_PATH
	mkdir -p "$tmp/home/.cache"
	ln -s "$tmp/cache" "$tmp/home/.cache/debuginfod_client"
	XDG_CACHE_HOME=$tmp/home/.cache
	export XDG_CACHE_HOME
	named "debuginfod's cache, by XDG_CACHE_HOME" before
	unset XDG_CACHE_HOME
	HOME=$tmp/home named "debuginfod's cache at home" before
	DEBUGINFOD_CACHE_PATH=$tmp/cache
	export DEBUGINFOD_CACHE_PATH
	# Of another program under this ID.
	$CC $flags -O1 -no-pie -DNAME=other -o "$tmp/cache/$id/debuginfo" "$tests/named.c"
	named "debuginfod's cache, another file" "[unknown]"
	cp "$tmp/named.debug" "$tmp/cache/$id/debuginfo"
	cp "$tmp/named" "$tmp/kept"
	$CC $flags -O1 -no-pie -DNAME=other -o "$tmp/named" "$tests/named.c"
	named "built anew, but the debug file is there" before
	rm "$tmp/named"
	named "gone, but the debug file is there" before
	mv "$tmp/kept" "$tmp/cache/$id/executable"
	rm "$tmp/cache/$id/debuginfo"
	named "gone, the program is in the cache, stripped" "[unknown]"
	mkdir "$tmp/debug"
	mkdir -p "$tmp/debug/.build-id/$(echo "$id" | cut -c1-2)"
	cp "$tmp/named.debug" "$tmp/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" |
		cut -c3-).debug"
	if [ -d /usr/lib/debug ] && unshare -Urm mount --bind "$tmp/debug" /usr/lib/debug \
			2>/dev/null; then
		pfmon=$PFMON
		printf '#!/bin/sh\nmount --bind %s /usr/lib/debug && exec %s "$@"\n' "$tmp/debug" \
			"$PFMON" >"$tmp/within"
		chmod 755 "$tmp/within"
		printf '#!/bin/sh\nexec unshare -Urm %s "$@"\n' "$tmp/within" >"$tmp/outside"
		chmod 755 "$tmp/outside"
		PFMON=$tmp/outside
		named "/usr/lib/debug/.build-id" before
		PFMON=$pfmon
		rm -f "$tmp/within" "$tmp/outside"
	else
		skip "nothing can be mounted at /usr/lib/debug: debug files there"
	fi
	unset DEBUGINFOD_CACHE_PATH
	rm -rf "$tmp/cache" "$tmp/debug" "$tmp"/home

	# As Fedora has it: the names, compressed, in the program.
	if ! command -v xz >/dev/null; then
		skip "xz is not there: .gnu_debugdata"
		return
	fi
	make_named before
	strip_named
	xz -f "$tmp/named.debug"
	objcopy --add-section .gnu_debugdata="$tmp/named.debug.xz" "$tmp/named"
	record_named
	named ".gnu_debugdata" before
	rm -f "$tmp/named.debug.xz"
}

# start_named ARGUMENT...: $tmp/named in the background as $named_pid, until stop_named
start_named()
{
	rm -f "$tmp/input" "$tmp/ready"
	mkfifo "$tmp/input"
	"$@" <"$tmp/input" >"$tmp/ready" 2>/dev/null &
	named_job=$!
	exec 7>"$tmp/input"
	until [ -s "$tmp/ready" ] || ! kill -0 $named_job 2>/dev/null; do sleep 0.02; done
	named_pid=$named_job
}

stop_named()
{
	exec 7>&-
	wait $named_job
}

# record_pid: ten samples in that process
record_pid()
{
	FAKE_IPS="$at:10"
	export FAKE_IPS
	record $names -p "$named_pid" true
	unset FAKE_IPS
}

# A program that has lost its path is recorded all the same.
test_symbols_deleted()
{
	can_name || return
	make_named before
	cp "$tmp/named" "$tmp/kept"
	start_named "$tmp/named" wait
	rm "$tmp/named"
	record_pid
	named "deleted, while it runs" before
	stop_named
	named "deleted" "[unknown]"
	noted "deleted" "not there any more, or not on this machine: 1;"
	cp "$tmp/kept" "$tmp/named"
	named "deleted, and there again" before
	make_named after
	named "deleted, and another one there" "[changed]"
	make_named before
	start_named "$tmp/named" memory
	record_pid
	report --by binary -f folded
	check "in no directory" grep -q '^/memfd:copy' "$tmp/report"
	named "in no directory, while it runs" before
	stop_named
	named "in no directory" "[unknown]"
	rm -f "$tmp/kept"
}

# In another mount name space another file has the path.
test_symbols_mounts()
{
	can_name || return
	if ! unshare -Urm true 2>/dev/null; then
		skip "mount name spaces cannot be made here: names in containers"
		return
	fi
	make_named theirs
	mv "$tmp/named" "$tmp/theirs"
	theirs=$at
	make_named ours
	expect "both functions are at one address" "$at" "$theirs"
	start_named unshare -Urm sh -c \
		"mount --bind '$tmp/theirs' '$tmp/named' && exec '$tmp/named' wait"
	record_pid
	named "container, while it is there" theirs
	stop_named
	named "container, when it has ended" "[changed]"
	noted "container" "or are those of a container: 1;"
	record_named
	named "the same path outside" ours
	# Its links lead to its own files.
	rm -f "$tmp/theirs"
}

# record_jit HOW: samples in the code that it makes
record_jit()
{
	at=70000150
	record_named jit "$@"
	rm -f /tmp/perf-*.map.other
	for f in /tmp/perf-*.map; do
		[ "$(readlink "$f")" != "$f.other" ] || rm -f "$f"
		! grep -q made_here "$f" 2>/dev/null || rm -f "$f"
	done
}

# The name of that code in folded stacks
made='made_here(int, ?[1m)"\:?'

# Code without a name has an address, of which the report says how to see it.
test_symbols_unnamed()
{
	can_name || return
	report
	expect "code with a name: no note" "$(grep -c 'in code without a name' "$tmp/report")" 0
	objcopy --strip-all "$tmp/named"
	record_named
	report
	check "code without a name: a note" grep -q \
		'^ note: 100.00% of the samples are in code without a name: --by binary,address has' "$tmp/report"
	report --by binary,address
	check "code without a name: its address" grep -Eq \
		"^  100.00 +10  .*/named +0x$(echo "$at" | sed 's/^0*//')\$" "$tmp/report"
	expect "code without a name: its address is enough" \
		"$(grep -c 'in code without a name' "$tmp/report")" 0
	report -f json
	expect "code without a name: JSON has no such note" "$(grep -c 'in code without' "$tmp/report")" 0
}

# A label of the assembler has no size: it goes to the end of its section, not on through
# the next one.
test_symbols_sections()
{
	can_name || return
	{
		echo '.section first,"ax",@progbits'
		echo '.globl label_without_size'
		echo 'label_without_size: .skip 32'
		echo '.section second,"ax",@progbits'
		echo '.skip 32'
		echo '.section .note.GNU-stack,"",@progbits'
	} >"$tmp/label.s"
	make_named before "$tmp/label.s"
	find_function label_without_size
	at=$(printf %x $((0x$at + 31)))
	record_named
	named "a label without a size: its last byte" label_without_size
	at=$(readelf -SW "$tmp/named" | sed -n 's/.* second *PROGBITS *\([0-9a-f]*\) .*/\1/p')
	record_named
	named "a label without a size: behind its section" "[unknown]"
}

# Names that begin as the marks of assemblers do: those of functions are names, as Swift's
# are, and marks have no type.
test_symbols_marks()
{
	can_name || return
	{
		echo '.text'
		for name in '$s4main4spin' '$x4none' '$d.1' .omp_outlined. .mark; do
			echo ".globl \"$name\""
			case $name in
			'$d.1' | .mark) echo "\"$name\": .skip 32" ;;
			*) printf '.type "%s",@function\n"%s": .skip 32\n.size "%s",32\n' \
				"$name" "$name" "$name" ;;
			esac
		done
		echo '.section .note.GNU-stack,"",@progbits'
	} >"$tmp/marks.s"
	make_named before "$tmp/marks.s"
	for name in '$s4main4spin' '$x4none' .omp_outlined.; do
		find_function "$(echo "$name" | sed 's/[$.]/\\&/g')"
		record_named
		named "a function $name" "$name"
	done
	for name in '\$d\.1' '\.mark'; do
		find_function "$name"
		record_named
		named "a mark without a type" "[unknown]"
	done
}

# Code in the last of seven segments; BOLT and embedded programs have so many.
test_symbols_segments()
{
	can_name || return
	set --
	{
		for n in 1 2 3 4 5 6; do
			echo ".section code$n,\"ax\",@progbits"
			echo ".globl in_$n"
			echo ".type in_$n,@function"
			echo "in_$n: .skip 32"
			echo ".size in_$n,32"
			set -- "$@" "-Wl,--section-start=code$n=0x${n}1000000"
		done
		echo '.section .note.GNU-stack,"",@progbits'
	} >"$tmp/segments.s"
	make_named before "$tmp/segments.s" "$@"
	check "seven segments of code: there are" \
		[ "$(readelf -lW "$tmp/named" | grep -c ' LOAD .* R E ')" -ge 6 ]
	for n in 1 6; do
		find_function in_$n
		record_named
		named "seven segments of code: number $n" in_$n
	done
}

# A process whose first thread has ended has nothing mapped, as far as that one knows.
test_symbols_first_thread()
{
	can_name || return
	in_hot
	orphan=$("$VICTIM" orphan)
	record -p "$orphan" true
	unset FAKE_IPS
	kill -KILL "$orphan"
	report --by process,binary -f folded
	expect "the first thread has ended: what is mapped" "$(cat "$tmp/report")" \
		"victim;$VICTIM 20"
}

# What a process says of its code, if it is that process which says so.
test_symbols_jit()
{
	can_name || return
	record_jit
	named "made code" "$made"
	report --by symbol -f json
	expect "made code: JSON" "$(/usr/bin/python3 -c \
		'import json, sys; print(json.load(sys.stdin)["rows"][0]["symbol"])' <"$tmp/report")" \
		'made_here(int, ?[1m)"\;?'
	report --by binary -f folded
	expect "made code: binary" "$(cat "$tmp/report")" "[anonymous] 10"
	record_jit gone
	named "made code, which it has thrown away by now" "$made"
	at=70000250
	FAKE_IPS="$at:10" record "$tmp/named" jit
	named "made code, elsewhere" "[unknown]"
	record_jit fork
	report --by symbol -f folded
	expect "made code, in a child" "$(cat "$tmp/report")" "$made 20"
	record_jit large
	named "made code, a large file" "$made"
	noted "made code, a large file" "names of what they made first are missing"
	record_jit old
	named "made code, of a process before" "[unknown]"
	record_jit link
	named "made code, a link" "[unknown]"
	if [ "$(id -u)" -eq 0 ]; then
		record_jit foreign
		named "made code, of another user" "[unknown]"
	else
		skip "this is not root: made code of another user"
	fi
	rm -f /tmp/perf-*.map.other
	unset FAKE_IPS

	# In a container: its own /tmp, its own numbers.
	if ! unshare -Urmpf true 2>/dev/null; then
		skip "name spaces cannot be made here: made code in containers"
		return
	fi
	mkdir "$tmp/inner"
	cp "$tmp/named" "$tmp/inner/prog"
	start_named unshare -Urmpf sh -c \
		"mount --bind '$tmp/inner' /tmp && exec /tmp/prog jit-wait"
	named_pid=$(cat "/proc/$named_job/task/$named_job/children")
	named_pid=${named_pid% }
	at=70000150
	record_pid
	stop_named
	named "made code in a container" "$made"
	rm -rf "$tmp/inner"
}

# Names of C++ as they are in the source.
test_symbols_demangled()
{
	can_name || return
	cat >"$tmp/named.cc" <<-'END'
	namespace shop { template <class T> struct cart { int __attribute__((noinline, used)) add(T, char); }; }
	template <class T> int shop::cart<T>::add(T n, char c) { return (int)n + c; }
	template struct shop::cart<long>;
	int main() { return shop::cart<long>().add(-1, 1); }
	END
	if ! ${CXX:-g++} $flags -O1 -no-pie -o "$tmp/named" "$tmp/named.cc" 2>/dev/null; then
		skip "$arch: no compiler for C++: its names"
		return
	fi
	at=$(nm "$tmp/named" | sed -n 's/^\([0-9a-f]*\) . _ZN4shop4cartIlE3addElc$/\1/p')
	record_named
	named "C++" "shop::cart<long>::add(long, char)"
	"$PFMON" report -i "$tmp/data" --by symbol -f folded --no-demangle >"$tmp/report"
	expect "C++ with --no-demangle" "$(cat "$tmp/report")" "_ZN4shop4cartIlE3addElc 10"
	report --symbol "shop::cart<long>::add(long? char)" --by symbol -f folded
	expect "C++, chosen" "$(cat "$tmp/report")" "shop::cart<long>::add(long, char) 10"
	"$PFMON" script -i "$tmp/data" 2>/dev/null >"$tmp/report"
	check "C++, script" grep -q " shop::cart<long>::add(long, char)+0x0 " "$tmp/report"
	"$PFMON" script -i "$tmp/data" --no-demangle 2>/dev/null >"$tmp/report"
	check "C++, script with --no-demangle" grep -q " _ZN4shop4cartIlE3addElc+0x0 " "$tmp/report"
}


# begin_recording: of $named_pid, in the background as $recorder, until let_end; once this has
# returned the recording knows what the process has mapped
begin_recording()
{
	rm -f "$tmp"/data* "$tmp/until"
	mkfifo "$tmp/until"
	FAKE_IPS="$at:10" "$VICTIM" dfl "$PFMON" record -o "$tmp/data" -p "$named_pid" cat "$tmp/until" \
		2>"$tmp/err" </dev/null 7>&- &
	recorder=$!
	exec 6>"$tmp/until"
	until_true sh -c "cat '$tmp'/data* | grep -qa '$tmp/named'"
}

let_end()
{
	exec 6>&-
}

# interrupted NAME SIGNAL PATTERN: a recording whose process has ended looks for names; what
# looks for them is stopped, and pfmon gets the signal, or that is killed. PATTERN is said then.
interrupted()
{
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		start_named "$tmp/named" wait
		begin_recording
		stop_named
		read -r command _ <"/proc/$recorder/task/$recorder/children"
		let_end
		looker=
		while kill -0 $recorder && [ "${looker:-$command}" = "$command" ]; do
			read -r looker _ <"/proc/$recorder/task/$recorder/children"
		done 2>/dev/null
		[ -z "$looker" ] || kill -STOP "$looker" 2>/dev/null
		# It stops a moment after that, or has ended.
		while [ -n "$looker" ] && kill -0 "$looker" && ! state_of "$looker" TZ; do :; done 2>/dev/null
		[ -z "$looker" ] || ! state_of "$looker" T 2>/dev/null || break
		looker=
		wait $recorder
	done
	check "$1: it was caught at it" [ -n "$looker" ]
	[ -n "$looker" ] || return
	case $2 in
	KILL) kill -KILL "$looker" ;;
	*) kill -"$2" $recorder ;;
	esac
	wait $recorder
	check "$1: it is said" grep -q "names of functions are not in the file, $3" "$tmp/err"
	check "$1: the other process is gone" sh -c "! kill -0 $looker 2>/dev/null"
	whole "$1"
	report --by binary -f folded
	check "$1: samples" grep -q ' 10$' "$tmp/report"
}

# Names that the recording has kept, for files that are gone, or others by now.
test_symtab_named()
{
	can_name || return
	names=
	make_named before
	cp "$tmp/named" "$tmp/first"
	record_named
	check "kept names: nothing to say" sh -c "! grep -q note '$tmp/said'"
	named "kept names, the file is there" before
	check "kept names, the file is there: nothing to say" sh -c "! grep -q 'has kept' '$tmp/err'"
	make_named after
	named "kept names, built anew" before
	noted "kept names, built anew" "files that are not here, or are others by now: 1; their names are those that"
	rm "$tmp/named"
	named "kept names, removed" before
	report --by symbol,address -f folded
	check "kept names: the address is that of the file" grep -q "^before;0x$(echo "$at" | sed 's/^0*//') 10$" "$tmp/report"
	cp "$tmp/data" "$tmp/kept"
	make_named before -Wl,--build-id=none
	record_named
	touch "$tmp/named"
	named "kept names, no build ID, touched" before
	# Debug files come and go, too.
	if command -v objcopy >/dev/null; then
		make_named before
		strip_named
		(cd "$tmp" && objcopy --add-gnu-debuglink=named.debug named)
		record_named
		rm "$tmp/named.debug"
		named "kept names, of a debug file" before
	fi
	# Another user's, which is copied before it is read.
	make_named before
	if [ "$(id -u)" -eq 0 ]; then chown 65534 "$tmp/named"; else chmod o+w "$tmp/named"; fi
	record_named
	rm "$tmp/named"
	named "kept names, of what others may write" before
	# What has no path, or another one's, while it runs.
	make_named before
	start_named "$tmp/named" wait
	rm "$tmp/named"
	record_pid
	stop_named
	named "kept names, of a removed file" before
	make_named before
	start_named "$tmp/named" memory
	record_pid
	stop_named
	named "kept names, in no directory" before
	if unshare -Urm true 2>/dev/null; then
		make_named theirs
		mv "$tmp/named" "$tmp/theirs"
		make_named ours
		start_named unshare -Urm sh -c \
			"mount --bind '$tmp/theirs' '$tmp/named' && exec '$tmp/named' wait"
		begin_recording
		stop_named
		let_end
		wait $recorder
		named "kept names, of a container that has ended" theirs
		rm -f "$tmp/theirs"
	else
		skip "mount name spaces cannot be made here: kept names of containers"
	fi
	# As the linker has them, to be made readable by the reader.
	make_named _ZN3one3twoEv
	record_named
	rm "$tmp/named"
	named "kept names, C++, as it is" _ZN3one3twoEv --no-demangle
	report --by symbol -f folded
	check "kept names, C++" grep -Eq '^(one::two\(\)|_ZN3one3twoEv) 10$' "$tmp/report"
	for option in --no-names -N --no-buildid-cache; do
		make_named before
		names=$option record_named
		rm "$tmp/named"
		named "no kept names, $option" "[unknown]"
	done

	# What goes wrong with them costs nothing else.
	# Of so many functions that it takes some time.
	awk 'BEGIN {
		print ".text"
		for (i = 0; i < 300000; i++)
			printf ".type many%d,@function\nmany%d: .byte 0\n", i, i
		print ".section .note.GNU-stack,\"\",@progbits"
	}' >"$tmp/many.s"
	make_named before "$tmp/many.s"
	interrupted "Ctrl-C while names are looked for" INT "a signal has ended the search"
	interrupted "names, the other process is killed" KILL "they could not be found"
	make_named "$(head -c 6000 /dev/zero | tr '\0' n)"
	names=--no-names record_named
	size=$(wc -c <"$tmp/data")
	FAKE_IPS="$at:10"
	export FAKE_IPS
	# As many blocks as it takes without names, and more, until these fit.
	for more in 1 2 5 8 40; do
		rm -f "$tmp"/data*
		(ulimit -f $((size / 512 + more)); "$PFMON" record -o "$tmp/data" "$tmp/named" 2>"$tmp/err")
		expect "names, $more blocks for them: status" $? 0
		if [ $more = 40 ]; then
			check "names, $more blocks for them: they are there" \
				[ "$(wc -c <"$tmp/data")" -gt $((size + 6000)) ]
		else
			check "names, $more blocks for them: it is said" grep -q \
				"not in the file, there is no room for them\|not in the file, they could not be found" "$tmp/err"
		fi
		expect "names, $more blocks for them: the bytes are right" \
			"$(sed -n 's/.*, \([0-9,]*\) bytes$/\1/p' "$tmp/err" | tr -d ,)" \
			"$(wc -c <"$tmp/data" | tr -d ' ')"
		whole "names, $more blocks for them"
	done
	unset FAKE_IPS
	rm "$tmp/named"

	# Of machines of either byte order, and with more than we know.
	for args in "" "--order big" "--more 8" "--order big --more 800 --minor 9"; do
		craft $args --samples 0 --map 0x10001234 0x1234 "$VICTIM" --build-id 1234 --names
		report --by binary,symbol -f folded
		expect "kept names, crafted, $args" "$(sort "$tmp/report" | tr '\n' ' ')" \
			"$(printf '%s\n' "$VICTIM;_ZN4kept8functionEv 1" "[kernel];kept_kernel 1" "[mod];kept_module 1" |
			sed "s/_ZN4kept8functionEv/$(grep -o 'kept::function()\|_ZN4kept8functionEv' "$tmp/report")/" | sort | tr '\n' ' ')"
	done
	names=--no-names
}

# Of an archive beside the recording; and what is in the way there does no harm.
test_symbols_archive()
{
	can_name || return 0
	make_named before -g -Wl,--build-id || return 1
	record_named
	"$PFMON" annotate -i "$tmp/data" before >"$tmp/annotated" 2>/dev/null
	report --by line -f folded
	cp "$tmp/report" "$tmp/by-line"
	rm -rf "$tmp/data.archive"
	"$PFMON" archive -i "$tmp/data" >"$tmp/out" 2>"$tmp/err"
	expect "archive: status" $? 0
	rm "$tmp/named"
	named "archive: the program is gone" before
	"$PFMON" annotate -i "$tmp/data" before >"$tmp/out" 2>"$tmp/err"
	check "archive: annotate" cmp -s "$tmp/annotated" "$tmp/out"
	report --by line -f folded
	check "archive: lines" cmp -s "$tmp/by-line" "$tmp/report"
	"$PFMON" script -i "$tmp/data" >"$tmp/out" 2>"$tmp/err"
	check "archive: script" grep -q before "$tmp/out"
	mv "$tmp/data.archive" "$tmp/elsewhere"
	named "archive: it is gone, too" "[unknown]"
	"$PFMON" archive -i "$tmp/data" >"$tmp/out" 2>"$tmp/err"
	check "archive: the program is named" grep -q "named: is gone" "$tmp/err"
	for copy in "$tmp/elsewhere"/*; do
		rm -f "$tmp/data.archive/${copy##*/}"
		mkfifo "$tmp/data.archive/${copy##*/}"
	done
	named "archive: a pipe in it" "[unknown]"
	rm "$tmp/data.archive"/*
	for copy in "$tmp/elsewhere"/*; do
		cp "$copy" "$tmp/named"
		chmod +x "$tmp/named"
		ln -s "$tmp/outside" "$tmp/data.archive/${copy##*/}"
	done
	"$PFMON" archive -i "$tmp/data" >"$tmp/out" 2>"$tmp/err"
	expect "archive: a link in the way: status" $? 0
	check "archive: a link in the way is said" grep -q "something else is" "$tmp/err"
	check "archive: nothing is written through it" [ ! -e "$tmp/outside" ]
	rm -rf "$tmp/data.archive" "$tmp/elsewhere"
	# What a recording that was cut off names can be had, and its end is missing.
	head -c -8 "$tmp/data" >"$tmp/cut"
	"$PFMON" archive -i "$tmp/cut" >"$tmp/out" 2>"$tmp/err"
	expect "archive: a part of a recording: status" $? 125
	check "archive: a part of a recording: it is said" \
		grep -q "cut: the file is damaged or truncated" "$tmp/err"
	check "archive: a part of a recording: its files" grep -q ": [1-9][0-9]* copied" "$tmp/out"
	expect "archive: nothing is left of copying" "$(find "$tmp/cut.archive" -name 'part.*')" ""
	"$PFMON" archive -i - <"$tmp/data" >"$tmp/out" 2>"$tmp/err"
	expect "archive -i -: status" $? 125
	expect_err "archive -i -" "name a directory with -o"
	rm -rf "$tmp/cut" "$tmp/cut.archive"

	# With the recording, and to one directory for all of them.
	make_named before -g -Wl,--build-id
	names=--archive
	record_named
	check "record --archive: it is said" grep -q "^$tmp/data.archive: [1-9]" "$tmp/said"
	rm "$tmp/named"
	named "record --archive: the program is gone" before
	rm -rf "$tmp/data.archive"
	make_named before -g -Wl,--build-id
	export PFMON_ARCHIVE="$tmp/elsewhere"
	record_named
	names=--no-names
	rm "$tmp/named"
	check "PFMON_ARCHIVE: not beside it" [ ! -e "$tmp/data.archive" ]
	named "PFMON_ARCHIVE: the program is gone" before
	unset PFMON_ARCHIVE
	rm -rf "$tmp/elsewhere"
	for args in "-o -" "-o $tmp/data --switch-output=signal"; do
		# shellcheck disable=SC2086 # words
		"$PFMON" record --archive $args true >/dev/null 2>"$tmp/err"
		expect "record --archive $args: status" $? 125
		check "record --archive $args: it is said" grep -q -e "--archive is for one file" "$tmp/err"
	done
	if ! command -v objcopy >/dev/null; then
		skip "objcopy is not there: debug files in archives"
		return
	fi
	# What was stripped from the program, where debuginfod would have put it.
	make_named before -Wl,--build-id
	id=$(readelf -n "$tmp/named" | sed -n 's/^ *Build ID: //p')
	strip_named
	export DEBUGINFOD_CACHE_PATH="$tmp/cache"
	mkdir -p "$tmp/cache/$id"
	mv "$tmp/named.debug" "$tmp/cache/$id/debuginfo"
	record_named
	"$PFMON" archive -i "$tmp/data" >"$tmp/out" 2>"$tmp/err"
	check "archive: a debug file" grep -q '; [1-9][0-9]* debug files$' "$tmp/out"
	rm -r "$tmp/cache" "$tmp/named"
	unset DEBUGINFOD_CACHE_PATH
	named "archive: program and debug file are gone" before
	mv "$tmp/data.archive/$id.debug" "$tmp/away"
	named "archive: the debug file is gone from it, too" "[unknown]"
	mkfifo "$tmp/data.archive/$id.debug"
	named "archive: a pipe for a debug file" "[unknown]"
	rm -rf "$tmp/data.archive" "$tmp/away"
}

# Recordings that somebody else has made: archive copies nothing but regular files that have
# the build ID, and to names in its directory.
test_symbols_archive_hostile()
{
	can_name || return 0
	mkdir "$tmp/jail"
	for args in --hostile "--hostile --order big"; do
		# shellcheck disable=SC2086 # words
		craft $args
		timeout 60 "$PFMON" archive -i "$tmp/data" -o "$tmp/jail/a" >"$tmp/out" 2>"$tmp/err"
		expect "archive, $args: status" $? 0
		expect "archive, $args: nothing is copied" "$(find "$tmp/jail" ! -type d)" ""
		check "archive, $args: what is said is text" /usr/bin/python3 -c '
import sys
text = open(sys.argv[1], encoding="utf-8", newline="").read()
bad = {c for c in text if not (c in "\n\t\ud7ff" or c.isprintable())}
assert not bad, bad
' "$tmp/err"
	done
	# A file that is another one, a pipe, a device, and build IDs that are too long or none.
	mkfifo "$tmp/pipe"
	/usr/bin/python3 - "$tests" "$tmp" <<-'END'
	import sys
	sys.path.insert(0, sys.argv[1])
	from datafile import DataFile
	tmp = sys.argv[2]
	f = DataFile(tmp + "/data")
	f.event()
	names = ["/etc/passwd", tmp + "/pipe", "/dev/zero", "/proc/self/mem", "../../etc/passwd", tmp]
	for i, name in enumerate(names):
	    for k, size in enumerate((0, 1, 2, 20)):
	        f.binary(10 * i + k + 1, name, 1, 1, b"/" * size)
	f.end()
	END
	timeout 60 "$PFMON" archive -i "$tmp/data" -o "$tmp/jail/a" >"$tmp/out" 2>"$tmp/err"
	expect "archive, files that are none: status" $? 0
	expect "archive, files that are none: nothing is copied" "$(find "$tmp/jail" ! -type d)" ""
	check "archive, files that are none: they are counted" \
		grep -q ': 0 copied, 0 there already, 18 missing or changed, 6 without a build ID$' "$tmp/out"
	# Cut anywhere, and with wrong bytes.
	cp "$tmp/data" "$tmp/whole"
	for at in 3 170 700 1500; do
		head -c $at "$tmp/whole" >"$tmp/data"
		timeout 60 "$PFMON" archive -i "$tmp/data" -o "$tmp/jail/a" >"$tmp/out" 2>"$tmp/err"
		expect "archive, cut at $at: status" $? 125
		cp "$tmp/whole" "$tmp/data"
		printf '\377\377\377\377' | dd of="$tmp/data" bs=1 seek=$at conv=notrunc 2>/dev/null
		timeout 60 "$PFMON" archive -i "$tmp/data" -o "$tmp/jail/a" >"$tmp/out" 2>"$tmp/err"
		status=$?
		check "archive, wrong bytes at $at: status $status" [ $status -eq 0 -o $status -eq 125 ]
	done
	expect "archive, damaged: nothing is copied" "$(find "$tmp/jail" ! -type d)" ""
	rm -rf "$tmp/jail" "$tmp/pipe" "$tmp/whole"
}

symbols='symbols_archive symbols_archive_hostile symtab_named symbols_changed symbols_debug_files symbols_build_id symbols_deleted symbols_mounts
symbols_sections symbols_marks symbols_segments symbols_first_thread symbols_unnamed symbols_jit symbols_demangled'
