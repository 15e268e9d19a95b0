# SPDX-License-Identifier: GPL-2.0-only
#
# Programs and places that are unusual: code that moves, is made or gives way to other code,
# processes of which little is left or much is there, systems without /proc. To be sourced
# behind profile.sh and stat.sh: $unusual on the host and in the guest, $unusual_code in the
# guest, since it needs samples, and $unusual_files on the host, which has a compiler.
#
# shellcheck shell=sh disable=SC2154,SC2034,SC2086

# percent_in BINARY: of all samples of the last record, without the fraction
percent_in()
{
	report -f folded --by binary
	awk -v name="$1" '{ n = $NF; all += n; sub(/ [0-9]*$/, "") } $0 == name { sum += n }
		END { printf "%d", all ? sum * 100 / all : 0 }' "$tmp/report"
}

# files_in_turns FORMAT MS: do two files that take turns in one place have their parts? Each change
# can be seen too late by a part of the time.
files_in_turns()
{
	rm -rf "$tmp/turns"
	mkdir "$tmp/turns"
	cp "$VICTIM" "$tmp/turns/one"
	cp "$VICTIM" "$tmp/turns/two"
	record -f "$1" -b 256K "$VICTIM" replace "$2" "$tmp/turns/one" "$tmp/turns/two" \
		"$tmp/turns/one"
	turn_one=$(percent_in "$tmp/turns/one") turn_two=$(percent_in "$tmp/turns/two")
	[ "$turn_one" -ge 52 ] && [ "$turn_one" -le 76 ] && [ "$turn_two" -ge 20 ] &&
		[ "$turn_two" -le 44 ]
}

# A library that is unloaded and another one at the same address: two thirds, and one.
test_replaced()
{
	for turn_format in $formats; do
		# Its entries have no times.
		[ $turn_format != aggregate ] || continue
		turns_seen=no
		for turn_ms in 700 2800 11200; do
			! files_in_turns $turn_format $turn_ms || turns_seen=yes
			[ $turns_seen = no ] || break
		done
		expect "one file after another, -f $turn_format: $turn_one and $turn_two percent" \
			$turns_seen yes
		report
		case $turn_format in
		callchain | calldouble)
			expect "one file after another, -f $turn_format: no guess" \
				"$(grep -c 'one file was mapped after another' "$tmp/report")" 0 ;;
		*)
			check "one file after another, -f $turn_format: a note" \
				grep -q 'one file was mapped after another' "$tmp/report" ;;
		esac
	done
	rm -rf "$tmp/turns"
}

# of_copy NAME WHAT: most samples are those of this program's copy
of_copy()
{
	for copy_format in default callchain; do
		have $copy_format || continue
		for copy_ms in 300 1200 4800; do
			record -f $copy_format "$VICTIM" replace $copy_ms $2
			[ $status -ne 99 ] || break
			copy_percent=$(percent_in "$tmp/copy")
			[ "$copy_percent" -lt 60 ] || break
		done
		if [ $status -eq 99 ]; then
			skip "$1: the code is in the first or the last page of the file"
			return
		fi
		check "$1, -f $copy_format: $copy_percent percent in the file" [ "$copy_percent" -ge 60 ]
		if has_symbols; then
			copy_percent=$(symbol_percent hot_60)
			check "$1, -f $copy_format: $copy_percent percent in its function" \
				[ "$copy_percent" -ge 60 ]
		fi
	done
}

# Code that a program copies to memory without a file, in its own place, as for large pages;
# and a file that can be executed only after it was mapped, and is gone before the end.
test_moved_code()
{
	cp "$VICTIM" "$tmp/copy"
	of_copy "code without a file in its place" "$tmp/copy -"
	of_copy "code that was mapped to be written" "+$tmp/copy"
	# Of a process that has done so before anybody looked.
	for copy_ms in 1000 4000 16000; do
		"$VICTIM" replace $copy_ms "$tmp/copy" - - - - &
		copy_pid=$!
		until_true grep -q "$tmp/copy" "/proc/$copy_pid/maps"
		until_true sh -c "awk -v copy='$tmp/copy' '
			\$2 ~ /x/ && NF == 5 && last == copy { found = 1 }
			{ last = \$NF } END { exit !found }' /proc/$copy_pid/maps ||
			! kill -0 $copy_pid"
		record -p $copy_pid
		wait $copy_pid
		copy_status=$?
		copy_percent=$(percent_in "$tmp/copy")
		if [ $copy_status -eq 99 ] || [ "$copy_percent" -ge 60 ]; then break; fi
	done
	[ $copy_status -eq 99 ] ||
		check "code without a file, when -p comes: $copy_percent percent in the file" \
			[ "$copy_percent" -ge 60 ]
	rm -f "$tmp/copy"
}

# Code that a process has made and named, and what its child does with that.
test_made_code()
{
	for made_format in default callchain; do
		have $made_format || continue
		for made_how in "" fork; do
			for made_ms in 300 1200 4800; do
				record -f $made_format "$VICTIM" made $made_ms $made_how
				rm -f "/tmp/perf-$(cat "$tmp/out").map"
				report
				has_symbols || return 0
				made_percent=$(symbol_percent made_here)
				[ "$made_percent" -lt 60 ] || break
			done
			check "made code, -f $made_format $made_how: $made_percent percent" \
				[ "$made_percent" -ge 60 ]
		done
	done
}

# used PID N: has the process used N hundredths of a second more than $used_before?
used_by()
{
	sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
}

used()
{
	[ $(($(used_by "$1") - used_before)) -ge "$2" ]
}

# A process whose first thread has ended, and another one works on.
test_first_thread()
{
	find_places
	orphan=$("$VICTIM" orphan 600000)
	used_before=$(used_by "$orphan")
	"$PFMON" stat -j -o "$tmp/json" -e task-clock -p "$orphan" 2>"$tmp/err" &
	pid=$!
	until_true started $pid 1
	used_before=$(used_by "$orphan")
	until_true used "$orphan" 30
	kill -TERM $pid
	wait $pid
	between "the first thread has ended: ms" $(($(value task-clock) / 1000000)) 250 600000
	enough "" record -p "$orphan" -- "$VICTIM" nap
	kill -KILL "$orphan"
	fair "the first thread has ended"
	report
	! has_symbols || between "the first thread has ended: percent in a symbol" \
		"$(symbol_percent hot_60)" $((n_60 * 100 / n_all)) $((n_60 * 100 / n_all))
}

# Nothing happens: that is said, and is no error.
test_idle()
{
	start_hold 0
	record -p "$hold" -- sleep 0.1
	stop_hold
	expect "a process that sleeps: status" "$status" 0
	check "a process that sleeps: it is said" grep -q '^0 samples, 0 lost, ' "$tmp/said"
	for idle_format in text json folded svg pprof; do
		report -f $idle_format
		expect "no samples, report as $idle_format: status" "$status" 0
	done
	"$PFMON" script -i "$tmp/data" >"$tmp/report" 2>"$tmp/err"
	expect "no samples, script: status" $? 0
	check "no samples: script prints none" [ ! -s "$tmp/report" ]
}

# A process that changes its name all the time: it is written when it is looked at, no more.
test_renamed()
{
	# shellcheck disable=SC2016 # for that shell
	record -e task-clock sh -c 'n=0
		while [ $n -lt 1000 ]; do
			echo "name $n" >/proc/$$/comm
			n=$((n + 1))
		done'
	expect "1,000 names: status" "$status" 0
	report -f json --by process
	# Twenty looks a second at most, of some thirty mappings each.
	renamed_looks=$(($(json elapsed_ns) / 40000000 + 20))
	check "1,000 names: written at each look, no more" \
		[ "$(grep -c '"process": "name ' "$tmp/report")" -le $renamed_looks ]
	check "1,000 names: the size of the file" \
		[ "$(wc -c <"$tmp/data")" -lt $((renamed_looks * 20000 + 64 * $(json samples))) ]
}

# Threads begin and end as fast as they can; intervals come, and the time ends.
test_crowd()
{
	mkfifo "$tmp/crowd"
	: >"$tmp/crowd-json"
	"$PFMON" stat -j -I 50 --per-thread -e cs "$VICTIM" relay 1 <"$tmp/crowd" 2>"$tmp/crowd-json" &
	pid=$!
	exec 6>"$tmp/crowd"
	check "threads all the time: intervals" until_true sh -c \
		"[ \$(grep -c from_ns '$tmp/crowd-json') -ge 10 ]"
	exec 6>&-
	wait $pid
	expect "threads all the time: status" $? 0
	check "threads all the time: there are some" \
		[ "$(tail -n 1 "$tmp/crowd-json" | sed 's/.*, "threads": \([0-9]*\).*/\1/')" -gt 5 ]
	exec 6<>"$tmp/crowd"
	timeout -k 1 120 "$PFMON" stat --timeout 300 -j --per-thread -e cs -o "$tmp/json" "$VICTIM" relay 1 \
		<"$tmp/crowd" 2>"$tmp/err"
	expect "threads all the time, --timeout: status" $? 143
	exec 6>&-
	rm -f "$tmp/crowd" "$tmp/crowd-json"
}

# Nothing can be seen of a command's processes: it is counted and sampled all the same.
test_no_proc()
{
	no_proc="mount -t tmpfs none /proc && exec '$PFMON'"
	if ! unshare -m mount -t tmpfs none /proc 2>/dev/null; then
		skip "nothing can be mounted here: commands without /proc"
		return
	fi
	unshare -m sh -c "$no_proc stat -j -e cs -o '$tmp/json' sh -c 'exit 4'" \
		2>"$tmp/err"
	expect "without /proc, stat: status" $? 4
	expect "without /proc, stat: a tree" "$(field trees)" 1
	rm -f "$tmp"/data*
	unshare -m sh -c "$no_proc record -e minor-faults -c 1 -o '$tmp/data' sh -c 'exit 4'" \
		2>"$tmp/err"
	expect "without /proc, record: status" $? 4
	report -f json
	check "without /proc, record: samples" [ "$(json samples)" -gt 0 ]
	# One of its own: to remount /proc is to change everybody's.
	if ! unshare -m mount -t proc -o hidepid=2 proc /proc 2>/dev/null; then
		skip "/proc cannot hide processes here"
		return
	fi
	chmod 711 "$tmp"
	unshare -m sh -c "mount -t proc -o hidepid=2 proc /proc
		exec '$VICTIM' user '$PFMON' stat -j -e cs sh -c 'exit 4'" 2>"$tmp/json"
	expect "/proc hides processes: status" $? 4
	expect "/proc hides processes: a tree" "$(field trees)" 1
}

# A tracer around pfmon, if it does not follow its children, is no matter.
test_traced()
{
	if ! strace -o /dev/null true 2>/dev/null; then
		skip "strace is not installed, or does not work: pfmon in it"
		return
	fi
	strace -o /dev/null "$PFMON" stat --per-thread -j -e cs -o "$tmp/json" "$VICTIM" fork 2 1 2>"$tmp/err"
	expect "pfmon in strace: status" $? 0
	expect "pfmon in strace: threads" "$(field threads)" 3
}

# A long path, with other letters, an end of a line, and what the kernel appends to the names
# of files that are gone.
test_symbols_paths()
{
	can_name || return
	make_named before
	deep=$tmp/deep
	for n in 1 2 3 4 5 6 7 8 9 10 11; do
		deep=$deep/$(printf 'directory_%0180d' $n)
	done
	mkdir -p "$deep"
	odd="$deep/sp ïn
x (deleted)"
	cp "$tmp/named" "$odd"
	FAKE_IPS="$at:10"
	export FAKE_IPS
	record "$odd"
	unset FAKE_IPS
	named "a long path with other letters" before
	report -f json --by binary
	expect "a long path: JSON" "$(/usr/bin/python3 -c \
		'import json, sys; print(json.load(sys.stdin)["rows"][0]["binary"] == sys.argv[1].replace("\n", "?"))' \
		"$odd" <"$tmp/report")" True
	stat -e cs "$odd"
	check "a long path: JSON of stat" /usr/bin/python3 -c \
		'import json, sys; json.load(open(sys.argv[1]))' "$tmp/json"
	rm -rf "$deep"
}

# Debugging information that is compressed in the ways that compilers have for that.
test_symbols_compressed()
{
	can_name || return
	for how in none zlib zlib-gnu zstd; do
		if ! $CC $flags -O1 -g -no-pie -DNAME=before -Wl,--compress-debug-sections=$how \
			-o "$tmp/named" "$tests/named.c" 2>/dev/null; then
			skip "$arch: $CC does not compress debugging information by $how"
			continue
		fi
		find_function before
		record_named
		named "debugging information, compressed: $how" before
	done
}

# A program at an address of the kernel's choice that has its libraries in it.
test_symbols_static_pie()
{
	can_name || return
	if ! $CC $flags -O1 -static-pie -DNAME=before -o "$tmp/named" "$tests/named.c" 2>/dev/null; then
		skip "$arch: no static programs at any address"
		return
	fi
	find_function before
	start_named "$tmp/named" wait
	base=$(sed -n "s,^\([0-9a-f]*\)-[^ ]* [^ ]* 0* .*$tmp/named\$,\1,p" "/proc/$named_pid/maps" |
		head -n 1)
	at=$(printf %x $((0x$base + 0x$at)))
	record_pid
	stop_named
	named "a static program, at any address" before
}

# cpu_ms COMMAND...: milliseconds that it takes of a CPU
cpu_ms()
{
	/usr/bin/python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(round(1000 * (used.ru_utime + used.ru_stime)))' "$@"
}

# Many mappings of code take long to look at: so that is done rarely. A second look at 12,000
# of them costs what the first one does, and -p would take all of a CPU for such.
test_many_mappings()
{
	start_victim mappings 6000
	once=$(cpu_ms "$PFMON" record -o "$tmp/data" -p "$hold" true)
	many=$(cpu_ms "$PFMON" record -o "$tmp/data" -p "$hold" sleep 2)
	stop_hold
	check "6,000 mappings of code: $once ms of a CPU, and $many in two seconds" \
		[ "$many" -lt $((5 * once + 300)) ]
}

# The CPUs that a control group leaves: the others are left out of all, and refused by name.
test_real_cpuset()
{
	group=$tmp/cgroup
	mkdir "$group"
	if ! mount -t cgroup2 none "$group" 2>/dev/null; then
		skip "this kernel has no control groups: a cpuset"
		return
	fi
	if ! grep -qw cpuset "$group/cgroup.controllers" || ! [ -d /sys/devices/system/cpu/cpu1 ]; then
		umount "$group"
		skip "this kernel has no cpusets, or one CPU: a cpuset"
		return
	fi
	echo +cpuset >"$group/cgroup.subtree_control"
	mkdir "$group/one"
	echo 1 >"$group/one/cpuset.cpus"
	in_one="echo \$\$ >'$group/one/cgroup.procs' && exec '$PFMON'"
	for args in "-a" "-C all" "-A -a"; do
		sh -c "$in_one stat -j -o '$tmp/json' -e task-clock $args '$VICTIM' spin 100" 2>"$tmp/err"
		expect "a cpuset, $args: status" $? 0
		expect "a cpuset, $args: CPUs" "$(field cpus)" 1
		check "a cpuset, $args: it is counted" [ "$(value task-clock)" -ge 100000000 ]
		check "a cpuset, $args: it is said" grep -q \
			'was not counted: this process may not run there (a cpuset of its control group)' "$tmp/json"
	done
	sh -c "$in_one record -o '$tmp/data' -C all '$VICTIM' spin 200" 2>"$tmp/said"
	expect "a cpuset, record: status" $? 0
	report -f json --by cpu
	check "a cpuset, record: samples" [ "$(json samples)" -ge 20 ]
	expect "a cpuset, record: of one CPU" "$(grep -c '^[{]"percent"' "$tmp/report")" 1
	sh -c "$in_one stat -C 1 -e task-clock true" 2>"$tmp/err"
	expect "a cpuset, its CPU: status" $? 0
	sh -c "$in_one stat -C 0 -e task-clock true" 2>"$tmp/err"
	expect "a cpuset, another CPU: status" $? 125
	expect_err "a cpuset, another CPU" \
		"CPU 0 is not for pfmon to run on: it is not in the cpuset of its control group"
	rmdir "$group/one"
	umount "$group"
}

# Where pfmon and the program have another clock than the kernel's samples.
test_real_time()
{
	if ! unshare -Tf --monotonic 100000 true 2>/dev/null; then
		skip "time name spaces cannot be made here"
		return
	fi
	unshare -Tf --monotonic 100000 "$PFMON" record -o "$tmp/data" "$VICTIM" hot 1000 2>"$tmp/said"
	expect "a time name space: status" $? 0
	report -f json
	all=$(json samples)
	check "a time name space: samples" [ "$all" -ge 100 ]
	between "a time name space: the program is known" \
		"$(sed -n 's/^{"percent": \([0-9]*\).*"symbol": "hot_60".*/\1/p' "$tmp/report")" 45 75
	report -f json --time 0-100
	expect "a time name space: times are those since it began" "$(json samples)" "$all"
	# The program alone has one.
	record -c 1000000 unshare -Tf --monotonic 100000 "$VICTIM" hot 1000
	report -f json --process victim
	check "a program's time name space: samples" [ "$(json samples)" -ge 100 ]
	check "a program's time name space: it is known" grep -q '"symbol": "hot_60"' "$tmp/report"
}

# A real program of BPF: that it is one, and why it has no name.
test_bpf()
{
	if ! "$VICTIM" bpf </dev/null >"$tmp/ready"; then
		skip "no program of BPF can be loaded here"
		return
	fi
	: >"$tmp/ready"
	start_victim bpf
	until_true grep -q ready "$tmp/ready"
	check "a program of BPF: the kernel shows it" grep -q 'bpf_prog_.*_victim' /proc/kallsyms
	record -p "$hold" -- "$VICTIM" nap 1000
	expect "a program of BPF: status" "$status" 0
	report -f json --by binary
	check "a program of BPF: most of the time" [ "$(sed -n \
		's/^{"percent": \([0-9]*\).*"binary": "\[bpf\]".*/\1/p' "$tmp/report")" -ge 60 ]
	check "a program of BPF: it is said" grep -q \
		'programs of BPF have no names: it is not recorded which of them are where' "$tmp/report"
	stop_hold
}

# A program that may be executed and not be read.
test_unreadable()
{
	chmod 711 "$tmp"
	cp "$VICTIM" "$tmp/unreadable"
	chmod 111 "$tmp/unreadable"
	"$VICTIM" user "$PFMON" stat -j -e minor-faults "$tmp/unreadable" touch 100 2>"$tmp/json"
	expect "a program that may not be read, a user: status" $? 0
	check "a program that may not be read, a user: it is said" grep -q \
		'the command was not counted: this user may not read its program' "$tmp/json"
	stat -e minor-faults "$tmp/unreadable" touch 100
	check "a program that may not be read, root: it is counted" [ "$(value minor-faults)" -ge 100 ]
	rm -f "$tmp/unreadable"
}

unusual="crowd"
# Of kernels that have what the project's own do not.
unusual_real="real_cpuset real_time bpf"
unusual_code="replaced moved_code made_code first_thread idle renamed no_proc unreadable"
unusual_files="traced symbols_paths symbols_compressed symbols_static_pie many_mappings"
