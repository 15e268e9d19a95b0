#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The tests of pfmon on the host, for both word sizes: no perfmon in the
# kernel is needed, a perfmonctl() that pretends stands in for it. Called by
# `make test` with CC and O, the directory above the architectures' own ones.
#
# shellcheck disable=SC2086,SC2046,SC2154 # flags are words; hits sets variables

set -u
cd "$(dirname "$0")" || exit 1
tests=$PWD
dir=${tests%/*}
top=${dir%/*/*}
# shellcheck source=../../../lib/tests/tally.sh
. "$top/lib/tests/tally.sh"
# shellcheck source=behaviour.sh
. ./behaviour.sh
# shellcheck source=stat.sh
. ./stat.sh
# shellcheck source=trees.sh
. ./trees.sh
# shellcheck source=profile.sh
. ./profile.sh
# shellcheck source=documents.sh
. ./documents.sh
# shellcheck source=top.sh
. ./top.sh
# shellcheck source=data.sh
. ./data.sh
# shellcheck source=symbols.sh
. ./symbols.sh
# shellcheck source=views.sh
. ./views.sh
# shellcheck source=unusual.sh
. ./unusual.sh

CC=${CC:-cc}
O=${O:-$top/build/user}
LINUX=${LINUX:-$top/build/linux}
tmp=$(mktemp -d) || exit 1
said=$tmp/said
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
	24 38 -e,cs this kernel has no perfmon: load the module perfmon, or boot a kernel with CONFIG_PERFMON=y
	8 1 -e,cs cannot attach to the command: only members of a certain group
	8 1 -C,0 cannot monitor CPU 0: only members of a certain group
	8 24 --no-follow too many open files
	1 22 -e,cs cannot attach to the command: there is no such command
	16 16 -e,cs cannot attach to the command: the thread is being monitored: a thread can be counted only once at a time
	16 16 -C,0 cannot monitor CPU 0: the CPU is being monitored: a CPU can be counted only once at a time
	16 1 --no-follow cannot attach to the command: it may not be traced
	5 16 -C,0 cannot start counting on CPU 0: the context is not loaded
	5 16 --no-follow cannot attach to the command: the context is not loaded
	END
	# As with a program that may be executed and not be read.
	while read -r FAKE_FAIL options; do
		export FAKE_FAIL
		FAKE_FAIL=$(echo "$FAKE_FAIL" | tr , ' ')
		stat $options sh -c 'exit 3'
		unset FAKE_FAIL
		expect "a program that may not be read, $options: status" "$status" 3
		check "a program that may not be read, $options: it is said" grep -q \
			'"the command was not counted: this user may not read its program, ' "$tmp/json"
	done <<-END
	5,16 -e migrations
	20,22 -e cs
	END
	if unshare -m umount -l /proc 2>/dev/null; then
		unshare -m sh -c "umount -l /proc; exec '$PFMON' stat -p $$ true" 2>"$tmp/err"
		expect "-p without /proc: status" $? 125
		expect_err "-p without /proc" "threads of process $$ cannot be found: /proc is not mounted"
	else
		skip "/proc cannot be taken away here"
	fi
	FAKE_FAIL="8 1" "$PFMON" stat sh -c "echo ran >'$tmp/ran'" 2>/dev/null
	check "without a context the command does not run" [ ! -e "$tmp/ran" ]
	while read -r cmd errno args message; do
		FAKE_FAIL="$cmd $errno"
		export FAKE_FAIL
		refused "command $cmd fails with $errno" "$message" $(echo "$args" |
			tr , ' ') true
		unset FAKE_FAIL
	done <<-END
	24 38 -b,64K this kernel has no perfmon: load the module perfmon, or boot a kernel with CONFIG_PERFMON=y
	8 12 -b,64K cannot attach to the command: there is not enough memory
	8 1 -C,0 cannot monitor CPU 0: only members of a certain group
	2 22 -b,64K cannot attach to the command:
	16 16 -b,64K cannot attach to the command: the thread is being monitored: 
	END
}

# A limit of files that is reached in the midst: it is said, with what is left, which can be read.
test_file_limit_midway()
{
	mkdir "$tmp/limited"
	FAKE_SAMPLES=20000
	export FAKE_SAMPLES
	(ulimit -f 200; "$PFMON" record -e cs -o "$tmp/limited/data" "$VICTIM" thread 1 1 2>"$tmp/err")
	expect "a limit of files in the midst, record: status" $? 125
	check "a limit of files in the midst, record: it is said" grep -q \
		"cannot write .*; what was written is in $tmp/limited/data\..*: File too large" "$tmp/err"
	"$PFMON" report -i "$tmp/limited"/data.* >"$tmp/out" 2>&1
	check "a limit of files in the midst, record: what was written" grep -Eq \
		': [1-9][0-9,]* samples of context-switches' "$tmp/out"
	check "a limit of files in the midst, record: it ends early" grep -q \
		'^ note: the file is truncated after' "$tmp/out"
	"$PFMON" record -e cs -o "$tmp/limited/whole" "$VICTIM" thread 1 1 2>"$tmp/err"
	unset FAKE_SAMPLES
	for what in "report -f svg" script; do
		# shellcheck disable=SC2086 # words
		(ulimit -f 2; "$PFMON" $what -i "$tmp/limited/whole" -o "$tmp/limited/out" 2>"$tmp/err")
		expect "a limit of files in the midst, $what: status" $? 125
		check "a limit of files in the midst, $what: it is said" grep -q \
			"cannot write .*; what was written is in $tmp/limited/out\..*: File too large" "$tmp/err"
		check "a limit of files in the midst, $what: no half of a file" [ ! -e "$tmp/limited/out" ]
	done
	rm -rf "$tmp/limited"
}

# What Prometheus' own programs make of the metrics: its checker, its node exporter, which reads
# the file, and its server, which reads the exporter.
test_prometheus()
{
	path=$PATH
	PATH=$PATH:$top/build/programs/prometheus:$top/build/programs/prometheus-node-exporter
	mkdir "$tmp/collector"
	"$PFMON" stat -a -A -f prometheus --label 'job_name=a "b"' -o "$tmp/collector/pfmon.prom" -e cs,task-clock true
	if command -v promtool >/dev/null; then
		promtool check metrics <"$tmp/collector/pfmon.prom" >"$tmp/out" 2>&1
		expect "promtool check metrics: status" $? 0
		expect "promtool check metrics" "$(cat "$tmp/out")" ""
	else
		skip "promtool is not there (scripts/deps --tests): metrics are not checked by it"
	fi
	if ! command -v prometheus-node-exporter >/dev/null; then
		skip "prometheus-node-exporter is not there (scripts/deps --tests): it reads no metrics"
	else
		mkdir "$tmp/server"
		/usr/bin/python3 ./exporter.py "$tmp/collector" "$tmp/server" >"$tmp/exported" 2>"$tmp/err"
		expect "prometheus: status" $? 0
		check "metrics: the node exporter has a counter" \
			grep -q '^# TYPE pfmon_events_total counter$' "$tmp/exported"
		check "metrics: and what it means" \
			grep -q '^# HELP pfmon_events_total Events that have happened' "$tmp/exported"
		if command -v prometheus >/dev/null; then
			expect "prometheus: a counter" "$(sed -n 's/^type //p' "$tmp/exported")" counter
			expect "prometheus: each CPU" "$(grep -c '^value context-switches 1 a "b" [0-9]*$' "$tmp/exported")" \
				"$(getconf _NPROCESSORS_ONLN)"
		else
			skip "prometheus is not there (scripts/deps --tests): it reads no metrics"
		fi
		rm -r "$tmp/server"
	fi
	rm -r "$tmp/collector"
	PATH=$path
}

# used OPTION...: user and system time of a command that is found in the last of sixty thousand
# directories, of which there are no others
used()
{
	env PATH="$(head -c 60000 /dev/zero | tr '\0' a | sed 's/a/a:/g'):$(dirname "$(of_the_system true)")" \
		"$PFMON" stat -j -o "$tmp/json" -e cs "$@" true
	echo $(($(field user_ns) + $(field system_ns)))
}

# What pfmon's child does to find a command is no time of the command's; with --no-follow
# counts have it, and so has the time.
test_usage()
{
	all=$(used --no-follow)
	check "the search of a command is not in its time" [ "$(used)" -lt $((all / 2)) ]
}

# in_hot: samples are where the hot functions begin, in their proportions.
in_hot()
{
	find_places
	FAKE_IPS=$(sed -n 's/^hot_\([0-9]*\) \(.*\) .*/\2:\1/p' "$tmp/where")
	export FAKE_IPS
}

# Nine events on eight counters. Each counted 1 in either thread; the first eight 1 ms
# of three of each, the ninth the other two.
test_estimates()
{
	stat -e cs,cs,cs,cs,cs,cs,cs,cs,migrations "$VICTIM" thread 1 1
	expect "estimates: scaled" "$(value migrations)" 3
	check "estimates: how" grep -q '"migrations", "value": 3, "unit": "count", "counted": 2, "share": 0.666667, "error": 0.500000}' \
		"$tmp/json"
	FAKE_TREES=0
	export FAKE_TREES
	stat -e task-clock,cs,cs,cs,cs,cs,cs,cs,cs "$VICTIM" thread 1 1
	unset FAKE_TREES
	expect "estimates: of a third of the time" "$(value task-clock)" 6
	"$PFMON" stat -e task-clock,cs,cs,cs,cs,cs,cs,cs,migrations "$VICTIM" thread 1 1 \
		2>"$tmp/err"
	check "estimates: text" grep -q '^ *~3    migrations  *# .*; 66.7% of the time, +- 50.0%$' \
		"$tmp/err"
	check "estimates: note" grep -q '^ note: ~ marks estimates: .* in 2 sets' "$tmp/err"
}

# The fake's samples are all of set 0, which was active for 1 ms of 3.
test_sets_of_samples()
{
	record -e task-clock,cs,cs,cs,cs,cs,cs,migrations -e minor-faults true
	report -f json
	expect "samples of a set" "$(json samples)" 10
	check "samples of a set: share" grep -q '"share": 0.333333, ' "$tmp/report"
	report
	check "samples of a set: note" grep -q \
		'^ note: the events took turns: this one was sampled 33.3% of the time$' "$tmp/report"
	report -e minor-faults -f json
	expect "samples of another set" "$(json samples)" 0
	check "samples of another set: share" grep -q '"share": 0.666667, ' "$tmp/report"
}

# A thousand samples of a program with three functions.
test_profile()
{
	in_hot
	FAKE_SAMPLES=1000
	export FAKE_SAMPLES
	record "$VICTIM" hot 1
	unset FAKE_SAMPLES FAKE_IPS
	check "a thousand samples" grep -q '^1,000 samples, 0 lost, ' "$tmp/err"
	report -f json --by process,address
	expect "a thousand samples: report" "$(json samples)" 1000
	expect "a thousand samples: period" "$(json period)" 1000003
	hits hot '"victim"'
	expect "a thousand samples: 60, 30 and 10 percent, and all" \
		"$n_60 $n_30 $n_10 $n_all" "600 300 100 1000"
	report
	check "title" grep -q "^ '$VICTIM hot 1': 1,000 samples of task-clock, one each 1.00 ms on average; 0 lost; " \
		"$tmp/report"
	if ! has_symbols; then
		skip "$arch: built without libdw, no symbols"
		return
	fi
	check "symbols" grep -Eq "^   60.00       600  victim   $VICTIM  hot_60\$" \
		"$tmp/report"
	report -n 2
	check "the rest" grep -q '^   10.00            (1 more line)$' "$tmp/report"
	report --by symbol --format folded --min 20
	expect "folded stacks" "$(cat "$tmp/report")" "$(printf 'hot_60 600\nhot_30 300')"
	report --by process,symbol -f svg
	if command -v xmllint >/dev/null; then
		check "the flame graph is XML" xmllint --noout "$tmp/report"
	else
		skip "xmllint is not installed: the flame graph is not checked by it"
	fi
	check "the flame graph has the function" grep -q \
		'<title>hot_60: 600 samples, 60.00%</title>' "$tmp/report"
	report --by symbol -o "$tmp/report2"
	check "report -o" grep -q 'hot_60' "$tmp/report2"
}

# functions: the shares of the three of the last record, in tenths of a percent of $1.
functions()
{
	report -f json --by process,address
	hits hot '"victim"'
	awk -v a="$n_60" -v b="$n_30" -v c="$n_10" 'BEGIN {
		n = a + b + c
		printf "%.0f %.0f %.0f", 1000 * a / n, 1000 * b / n, 1000 * c / n }'
}

# near_truth SHARES: are they 60, 30 and 10 percent within two?
near_truth()
{
	echo "$1" | awk '{ exit $1 < 580 || $1 > 620 || $2 < 280 || $2 > 320 || $3 < 80 || $3 > 120 }'
}

# A loop that is as long as the period, or a part of it: samples keep step with it only if
# they are told to.
test_lockstep()
{
	in_hot
	FAKE_SAMPLES=10000
	export FAKE_SAMPLES FAKE_LOOP
	while read -r FAKE_LOOP period args; do
		# shellcheck disable=SC2086 # words
		record -b 1M $args "$VICTIM" hot 1
		got=$(functions)
		report -f json
		mask=$(json random_mask)
		check "a loop of $FAKE_LOOP, $args: $got" near_truth "$got"
		expect "a loop of $FAKE_LOOP, $args: period" "$(json period)" "$period"
		check "a loop of $FAKE_LOOP, $args: mask" [ "$mask" -ge $((period * 3 / 4)) ]
		# shellcheck disable=SC2086 # words
		record -b 1M $args -R 0 "$VICTIM" hot 1
		got=$(functions)
		expect "a loop of $FAKE_LOOP, $args, -R 0: mask" "$(json random_mask)" 0
		case $got in
		"1000 0 0" | "0 1000 0" | "0 0 1000") ok ;;
		*) fail "a loop of $FAKE_LOOP, $args, -R 0: they do not keep step" ;;
		esac
	done <<-END
		1000003 1000003 -e task-clock
		101 101 -e minor-faults
		500000 500000 -e task-clock -F 2000
		1000 1000 -e cs -c 1000
		10 20 -e cs -c 20
		25000 100000 -e task-clock -c 100000
		1048576 1048576 -e minor-faults -c 1M
	END
	unset FAKE_SAMPLES FAKE_LOOP FAKE_IPS
	# Of few events each period is what it is asked to be, and clocks come no closer than they can.
	for args in "-e cs" "-e cs -c 15" "-c 10000"; do
		# shellcheck disable=SC2086 # words
		record $args true
		report -f json
		expect "$args: the mask" "$(json random_mask)" 0
	done
	record -c 20000 true
	report -f json
	expect "-c 20000: the mask" "$(json random_mask)" 16382
	record -R 0x1000 -c 14095 true
	expect_err "too short at times" "the kernel takes no samples of it closer than 10000 ns"
}

# old_notes FILE: how many notes say that periods do not follow the events.
old_notes()
{
	grep -o 'an older one, by which periods cannot follow' "$1" | wc -l | tr -d ' '
}

# A kernel that cannot change periods alone: who asks for a rate is told, once each time.
test_old_kernel()
{
	for old in 0 1; do
		unset FAKE_OLD
		[ $old = 0 ] || export FAKE_OLD=1
		record -e cs,minor-faults -F 100 true
		expect "a rate, old kernel $old: status" "$status" 0
		expect "a rate, old kernel $old: record" "$(old_notes "$tmp/said")" $old
		for format in text json; do
			report -f $format
			expect "a rate, old kernel $old: $format" "$(old_notes "$tmp/report")" $old
		done
		report -f folded
		expect "a rate, old kernel $old: folded" "$(old_notes "$tmp/err")" $old
		record -C all -e cs -F 100 true
		expect "a rate of CPUs, old kernel $old" "$(old_notes "$tmp/said")" $old
		top -e cs -F 100 -d 3600 true
		expect "a rate, old kernel $old: top" "$(old_notes "$tmp/out")" $old
		top -e cs -F 100 -n 2 -d 0.1 "$VICTIM" nap 600000
		expect "a rate, old kernel $old: top, each time" "$(old_notes "$tmp/out")" $((2 * old))
		record -F 100 true
		expect "a clock, old kernel $old" "$(old_notes "$tmp/said")" 0
		report
		expect "a clock, old kernel $old: report" "$(old_notes "$tmp/report")" 0
	done
	unset FAKE_OLD
}

# Buffers that get full: blocks in the file, no sample lost from them, a note.
test_full()
{
	in_hot
	FAKE_SAMPLES=1000 FAKE_TIMES="500000 50000000"
	export FAKE_SAMPLES FAKE_TIMES
	# Time enough to read all buffers, unless pfmon has to wait for a CPU.
	for seconds in 2 8 32; do
		record -b 4K -e task-clock -r minor-faults,cs,SW7 -F 2000 -- sleep $seconds
		report -f json --by process
		[ "$(json samples)" -lt 1000 ] || [ "$(json full)" -lt 15 ] || break
	done
	unset FAKE_SAMPLES FAKE_TIMES FAKE_IPS
	expect "full buffers: status" "$status" 0
	check "full buffers: samples" [ "$(json samples)" -ge 1000 ]
	expect "full buffers: period" "$(json period)" 500000
	check "full buffers: they were full" [ "$(json full)" -ge 15 ]
	# A hundred in the 50 ms that each waited, two a millisecond.
	expect "full buffers: the kernel counted none" "$(lost samples)" 0
	lost=$(lost estimated)
	check "full buffers: $lost lost, $(json full) times full" \
		[ "$lost" -ge $((100 * $(json full))) ]
	check "full buffers: $lost lost are not many more" \
		[ "$lost" -le $(($(json masked_ns) / 500000 + $(json full))) ]
	check "full buffers: the time is known" \
		[ "$(json masked_ns)" -ge $((50000000 * $(json full))) ]
	check "full buffers: record says so" \
		grep -q "^ note: sampling stopped $(json full) times for a full buffer, for " "$tmp/said"
	# The fake's values are the numbers of the registers: 289, 290 and 295.
	n=$(json samples)
	expect "full buffers: faults" "$(sed -n 's/.*"minor-faults": \([0-9]*\).*/\1/p' \
		"$tmp/report" | awk '{ n += $1 } END { print n }')" $((289 * n))
	expect "full buffers: switches" "$(sed -n 's/.*"context-switches": \([0-9]*\).*/\1/p' \
		"$tmp/report" | awk '{ n += $1 } END { print n }')" $((290 * n))
	report
	check "full buffers: it is called an estimate" grep -q '; about [0-9,]* lost;' \
		"$tmp/report"
	check "full buffers: report says so" grep -q \
		'^ note: sampling stopped [0-9,]* times for a full buffer, for ' "$tmp/report"
}

# What is done and said on a kernel that has no trees; and if a thread is taken.
test_no_trees()
{
	FAKE_TREES=0
	export FAKE_TREES
	start_hold 3
	no_tree "no trees, a command" "this kernel has no process trees: threads and processes that it made were found by ptrace" \
		"$VICTIM" thread 3 1
	expect "no trees, a command: threads" "$(field threads)" 4
	expect "no trees, a command: it has migrations" "$(value migrations)" 4
	no_tree "no trees, a process" "this kernel has no process trees: new threads were looked for" \
		-e cs -p "$hold" true
	expect "no trees, a process: threads" "$(field threads)" 4
	no_tree "no trees, a thread" "this kernel has no process trees: what the threads made was not counted" \
		-e cs -t "$hold" true
	for how in --per-thread --no-follow "-p $hold --no-inherit" "-C 0"; do
		stat $how -e cs true
		expect "no trees, $how: not a word" "$(notes | grep -c tree)" 0
	done
	unset FAKE_TREES
	FAKE_BUSY=$hold
	export FAKE_BUSY
	a_tree "a thread has a context, others not" 1 -e cs -p "$hold" true
	stat -e cs -t "$hold" true
	expect "the thread has a context: status" "$status" 125
	expect_err "the thread has a context" "cannot attach to thread $hold: the thread is being monitored"
	unset FAKE_BUSY
	stop_hold
}

# Without -f the format is double, of which no sample is lost while pfmon writes; and what each
# kernel has where that is not there, or the buffer too small for its halves.
test_default_format()
{
	in_hot
	FAKE_SAMPLES=1000
	export FAKE_SAMPLES
	while read -r double format args; do
		[ $double = no ] || export FAKE_DOUBLE=1
		# shellcheck disable=SC2086 # words
		record $args "$VICTIM" hot 1
		unset FAKE_DOUBLE
		if grep -q 'without zstd' "$tmp/said"; then
			skip "$arch: built without zstd: the format of compressed recordings"
			continue
		fi
		"$PFMON" script --raw -i "$tmp/data" >"$tmp/out"
		expect "default format, $double double, $args" \
			"$(sed -n 's/^block 1: format [^ ]* (\(.*\)), process .*/\1/p' "$tmp/out")" $format
		[ $format = default ] || check "default format, $args: nothing lost" \
			grep -q ' samples, 0 lost, ' "$tmp/said"
	done <<-END
		no default
		no default -g -f default
		one double
		one double -z
		one double -b 4K
		one default -f default
		one default -b 320
	END
	export FAKE_DOUBLE=1
	# Time enough to read all halves, unless pfmon has to wait for a CPU.
	for seconds in 1 4 16; do
		record -b 16K -- sleep $seconds
		report -f json --by process,address
		[ "$(json samples)" -lt 1000 ] || break
	done
	unset FAKE_SAMPLES FAKE_IPS FAKE_DOUBLE
	expect "samples of many halves" "$(json samples)" 1000
	hits hot '"sleep"'
	expect "samples of many halves: where" "$n_60 $n_30 $n_10" "600 300 100"
	check "samples of many halves: they were full" [ "$(json full)" -ge 4 ]
	expect "samples of many halves: lost" "$(lost samples) $(lost estimated)" "0 0"
}

# Threads that cannot be measured are no reason not to measure the others, and those
# that are gone before they could be are none to look again.
test_process_threads()
{
	start_hold 3
	FAKE_BUSY=$hold
	export FAKE_BUSY
	stat --no-inherit -p "$hold" true
	expect "a thread has a context: status" "$status" 0
	expect "a thread has a context: the others" "$(field threads)" 3
	expect "a thread has a context: that one" "$(field missed)" 1
	check "a thread has a context: it is said" grep -q \
		'"notes": \["1 thread was not counted: the thread is being monitored: a thread can' "$tmp/json"
	record -p "$hold" true
	check "a thread has a context: it is said of samples" grep -q \
		'^ note: 1 thread was not sampled: the thread is being monitored: a thread can' "$tmp/err"
	unset FAKE_BUSY
	FAKE_FAIL="16 3" timeout -s KILL 60 "$PFMON" stat -p "$hold" true 2>"$tmp/err"
	expect "all threads are gone: status" $? 125
	expect_err "all threads are gone" "there is no process $hold"
	stop_hold
}

# waits WHAT BUSY COMMAND OPTION...: pfmon COMMAND --wait waits as long as BUSY has a context;
# the status is in $status, what it says in $tmp/waits, and its data in $tmp/data
waits()
{
	what=$1 busy=$2 command=$3
	shift 3
	: >"$tmp/busy"
	FAKE_BUSY=$busy FAKE_WHILE=$tmp/busy timeout -s KILL 60 "$PFMON" "$command" --wait "$@" >"$tmp/out" 2>"$tmp/waits" 9>&- &
	pid=$!
	check "--wait for $what: it waits" until_true grep -q 'waiting: ' "$tmp/waits"
}

# --wait begins when a thread or CPU is free, and with all of them.
test_wait()
{
	start_hold 3
	waits "a thread" "$hold" stat -j -o "$tmp/json" -e cs -p "$hold" true
	rm "$tmp/busy"
	wait $pid
	expect "--wait for a thread: status" $? 0
	expect "--wait for a thread: a tree" "$(field trees)" 1
	expect "--wait for a thread: missed" "$(field missed)" 0
	expect "--wait for a thread: it is said once" "$(cat "$tmp/waits")" \
		"pfmon: waiting: the thread is being monitored: a thread can be counted only once at a time; it is monitored by a program that is not in /proc: it has just ended, or is in another container"
	last=$(basename "$(printf '%s\n' "/proc/$hold/task/"* | tail -n 1)")
	waits "the last thread" "$last" record -o "$tmp/data" -e cs -p "$hold" true
	rm "$tmp/busy"
	wait $pid
	expect "--wait for the last thread: status" $? 0
	report -f json --by thread
	expect "--wait for the last thread: samples" "$(json samples)" 40
	waits "a thread, until a signal" "$hold" stat -p "$hold" true
	kill -TERM $pid
	wait $pid
	expect "--wait until a signal: status" $? 143
	waits "a thread that ends" "$hold" stat -e cs -p "$hold" true
	stop_hold
	wait $pid
	expect "--wait for a thread that ends: status" $? 125
	check "--wait for a thread that ends: it is said" grep -q 'there is no process' "$tmp/waits"

	[ "$cpus" -ge 2 ] || return 0
	waits "a CPU" "cpu 1" stat -j -o "$tmp/json" -A -C 0,1 -e cs true
	rm "$tmp/busy"
	wait $pid
	expect "--wait for a CPU: status" $? 0
	expect "--wait for a CPU: CPUs" "$(field cpus)" 2
	expect "--wait for a CPU: each once" "$(grep -o '"cpu": [01],' "$tmp/json" | wc -l)" 2
	check "--wait for a CPU: it is said" grep -q 'waiting: the CPU is being monitored' "$tmp/waits"
	waits "a CPU, of samples" "cpu 0" record -o "$tmp/data" -C 0,1 -e cs true
	rm "$tmp/busy"
	wait $pid
	expect "--wait for a CPU, of samples: status" $? 0
	report -f json --by cpu
	expect "--wait for a CPU, of samples: samples" "$(json samples)" 20
	waits "a CPU, to show it" "cpu 1" top -B -n 1 -d 0.1 -C 0,1 -e cs
	rm "$tmp/busy"
	wait $pid
	expect "--wait for a CPU, to show it: status" $? 0
	# What needs nothing that others have does not wait.
	FAKE_BUSY="cpu 1" stat --wait -C 0 -e cs true
	expect "--wait for nothing: status" "$status" 0
	expect "--wait for nothing: nothing is said" "$(cat "$tmp/err")" ""
}

# Of processes that a user may not look into it is said that their samples have no names.
test_hidden()
{
	mkdir -p -m 777 "$tmp/hidden"
	chmod 711 "$tmp"
	sleep 1000 &
	FAKE_PID=$!
	export FAKE_PID
	record -C 0 -e cs true
	check "samples of others, root: nothing is said" sh -c "! grep 'this user' '$tmp/said'"
	"$VICTIM" user "$PFMON" record -o "$tmp/hidden/data" -C 0 -e cs true 2>"$tmp/said"
	expect "samples of others: status" $? 0
	expect "samples of others: it is said" "$(grep 'this user' "$tmp/said")" \
		" note: of 1 process this user may not see what is mapped: what was sampled in it has no names of functions"
	if unshare -m mount -t proc -o hidepid=2 proc /proc 2>/dev/null; then
		unshare -m sh -c "mount -t proc -o hidepid=2 proc /proc
			exec '$VICTIM' user '$PFMON' record -o '$tmp/hidden/data' -C 0 -e cs true" 2>"$tmp/said"
		expect "samples of hidden processes: status" $? 0
		expect "samples of hidden processes: it is said" "$(grep 'this user' "$tmp/said")" \
			" note: 1 process is not shown to this user by /proc (hidepid): what was sampled in it has no names"
	else
		skip "/proc cannot hide processes here: samples of these"
	fi
	kill $FAKE_PID
	unset FAKE_PID
}

# Ten samples of each thread that is named, by its number or as one of a process.
test_record_threads()
{
	FAKE_SAMPLES=10
	export FAKE_SAMPLES
	start_hold 3
	tids=$(echo "/proc/$hold/task/"* | sed 's,/proc/[0-9]*/task/,,g; s/ /,/g')
	sleep 1000 &
	other=$!
	while read -r options threads; do
		# shellcheck disable=SC2086 # words
		record $(echo $options | sed "s/_/ /g; s/HOLD/$hold/g; s/TIDS/$tids/; s/OTHER/$other/") -e cs true
		expect "record $options: status" "$status" 0
		report -f json --by thread
		expect "record $options: samples" "$(json samples)" $((10 * threads))
		expect "record $options: threads" "$(grep -c '"thread": "[0-9]*"' "$tmp/report")" "$threads"
	done <<-END
		-t_HOLD 1
		-t_TIDS 4
		-p_HOLD,OTHER 5
		-p_HOLD_-p_OTHER_-t_HOLD 5
	END
	unset FAKE_SAMPLES
	kill $other
	wait $other 2>/dev/null
	stop_hold
}

# In a pid name space of its own the number 0 is not the idle thread alone.
test_pid_namespace()
{
	record true
	expect "all pids: the header's flag" "$(od -An -tu4 -j20 -N4 "$tmp/data" | tr -d ' ')" \
		"$([ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] && echo 0 || echo 1)"
	if ! unshare -Urpf true 2>/dev/null; then
		skip "pid name spaces cannot be made here"
		return
	fi
	unshare -Urpf "$PFMON" record -o "$tmp/data" true 2>/dev/null
	expect "some pids: the header's flag" \
		"$(od -An -tu4 -j20 -N4 "$tmp/data" | tr -d ' ')" 1
}

# LeakSanitizer traces its own program, which pfmon does not, as long as the kernel has trees;
# otherwise the ways out of that which the manual page names.
test_sanitizer()
{
	echo 'int main(void) { return 3; }' >"$tmp/clean.c"
	if ! $CC $flags -fsanitize=address -o "$tmp/clean" "$tmp/clean.c" 2>/dev/null ||
		! { "$tmp/clean" 2>/dev/null; [ $? -eq 3 ]; }; then
		skip "$arch: no program with LeakSanitizer runs here"
		return
	fi
	stat -e cs "$tmp/clean"
	expect "LeakSanitizer in a tree: status" "$status" 3
	expect "LeakSanitizer in a tree: not a word" "$(cat "$tmp/err")" ""
	stat -e cs,migrations "$tmp/clean"
	check "LeakSanitizer under pfmon says why" grep -q 'LeakSanitizer.* ptrace' "$tmp/err"
	ASAN_OPTIONS=detect_leaks=0 stat -e cs,migrations "$tmp/clean"
	expect "LeakSanitizer without leaks: status" "$status" 3
	stat -e cs --no-follow "$tmp/clean"
	expect "LeakSanitizer, not followed: status" "$status" 3
	for word in LeakSanitizer detect_leaks=0; do
		check "pfmon.1 names $word" grep -q "$word" "$dir/pfmon.1"
	done
}

# As in a container that has some of the CPUs: these are "all", and it is said.
test_cpuset()
{
	if [ "$cpus" -lt 2 ]; then
		skip "there is one CPU only: cpusets"
		return
	fi
	FAKE_CPUS=1
	export FAKE_CPUS
	for what in -a "-C all" "-A -a"; do
		stat $what -e cs true
		expect "a cpuset, $what: status" "$status" 0
		expect "a cpuset, $what: CPUs" "$(field cpus)" 1
		check "a cpuset, $what: it is said" grep -q \
			"\"notes\": \[\"$((cpus - 1)) CPUs* w[aers]* not counted: this process may not run there" \
			"$tmp/json"
		check "a cpuset, $what: title" grep -q "\"all CPUs but $((cpus - 1))\"" "$tmp/json"
	done
	record -a -e cs true
	check "a cpuset, record: it is said" grep -q "not sampled: this process may not run there" \
		"$tmp/said"
	stat -C 1 -e cs true
	expect "a CPU that is not in the cpuset: status" "$status" 125
	expect_err "a CPU that is not in the cpuset" "not in the cpuset of its control group"
	unset FAKE_CPUS
	stat -a -e cs true
	expect "no cpuset: CPUs" "$(field cpus)" "$cpus"
}

# What users of perf type; the fake has no format with calls, -f takes another one.
test_call_graph()
{
	for what in --call-graph "--call-graph fp" --call-graph=fp -g; do
		record $what -f default -e cs true
		expect "record $what: status" "$status" 0
	done
	record --call-graph -f default -e cs sh -c 'exit 3'
	expect "record --call-graph COMMAND: status" "$status" 3
}

# In a time name space samples have the kernel's clock, and pfmon writes the times of
# processes and of the begin by that, too.
test_time_namespace()
{
	if ! unshare -UrTf --monotonic 100000 true 2>/dev/null; then
		skip "time name spaces cannot be made here"
		return
	fi
	in_hot
	FAKE_AHEAD=100000 unshare -UrTf --monotonic 100000 "$PFMON" record -o "$tmp/data" \
		"$VICTIM" touch 1 2>"$tmp/err"
	unset FAKE_IPS
	report -f json --time 0-1000
	expect "a time name space: samples of the first 1,000 s" "$(json samples)" 10
	report --by process,binary -f folded
	check "a time name space: mappings are found" grep -q "^victim;$VICTIM 10\$" "$tmp/report"
}

# Every thread and process is sampled; each has ten samples.
test_record_follow()
{
	record "$VICTIM" fork 5 1
	report -f json --by process
	expect "six processes" "$(json samples)" 60
	record "$VICTIM" thread 5 1
	report -f json --by process
	expect "six threads" "$(json samples)" 60
	record "$VICTIM" vfork 5
	report -f json --by process
	expect "five by vfork" "$(json samples)" 60
	record sh -c "exec '$VICTIM' touch 10"
	report -f folded --by process
	expect "a name is that of the time" "$(tr '\n' ' ' <"$tmp/report")" "sh 10 "
	record -C all true
	report -f json --by process
	expect "all CPUs" "$(json samples)" $((10 * cpus))
	start_hold 3
	record -p "$hold" true
	stop_hold
	report -f json --by process
	expect "four threads of a process" "$(json samples)" 40
	record -R 0xff -e task-clock true
	report -f json
	expect "the mask" "$(json random_mask)" 255
}

test_check()
{
	"$PFMON" check >"$tmp/out" 2>"$tmp/err"
	expect "check: status" $? 0
	check "check: nothing to stderr" [ ! -s "$tmp/err" ]
	check "check: there are no lines but these" sh -c \
		"! grep -Ev '^(ok   |note |NO   |      cure:) ' '$tmp/out'"
	check "check: memory" grep -Eq '^ok    [0-9,]+ threads or CPUs can be sampled' "$tmp/out"
	while read -r cmd errno message; do
		FAKE_FAIL="$cmd $errno" "$PFMON" check >"$tmp/out"
		expect "check, command $cmd fails: status" $? 1
		check "check, command $cmd fails: $message" grep -q "^NO    $message" "$tmp/out"
	done <<-END
		24 38 perfmon cannot be used: this kernel has no perfmon
		8 1 programs of your own cannot be counted: only members of a certain group
		16 16 programs of your own cannot be counted: the thread is being monitored
	END
	check "check, the thread is monitored: a cure" grep -q '^      cure: end that program' "$tmp/out"
	check "check, the thread is monitored: no wrong cure" sh -c "! grep -q perf_events '$tmp/out'"
	(ulimit -l 10 && "$PFMON" check >"$tmp/out")
	status=$?
	if [ "$(id -u)" -eq 0 ]; then
		expect "check: root has no limit of memory" $status 0
	else
		expect "check: a limit of memory" $status 1
	fi
	"$PFMON" check it 2>/dev/null
	expect "check with arguments: status" $? 125
}

# selected ARGUMENT...: how many samples a report with a filter has.
selected()
{
	report -f json "$@"
	json samples
}

test_filters()
{
	in_hot
	FAKE_SAMPLES=1000
	export FAKE_SAMPLES
	record "$VICTIM" hot 1
	unset FAKE_SAMPLES FAKE_IPS
	report -f json --by process,thread,cpu
	tid=$(sed -n 's/.*"process": "victim", "thread": "\([0-9]*\)", "cpu": "0".*/\1/p' \
		"$tmp/report")
	check "by thread and CPU" [ "${tid:-0}" -gt 0 ]
	while read -r want args; do
		# shellcheck disable=SC2086 # words
		expect "samples with $args" "$(selected $args)" "$want"
	done <<-END
		1000 --process victim
		1000 --process no,vic*
		0 --process vic
		1000 --binary victim
		1000 --binary */tools/pfmon/tests/victim
		0 --binary tests/victim
		1000 --thread $tid --cpu 0
		1000 --thread 1,$tid
		0 --thread 1
		0 --cpu 1
		0 --time 100000-
	END
	all=$(selected --time 0-)
	first=$(selected --time -0.0001)
	expect "samples before a time and after it" \
		"$(($(selected --time 0.0001-) + first))" "$all"
	while read -r args; do
		# shellcheck disable=SC2086 # words
		report $args
		expect "bad filter $args: status" "$status" 125
		expect_err "bad filter $args" 'is not a time such as 1.5-2'
	done <<-END
		--time 1
		--time 2-1
		--time -
		--time 1-2s
		--time x-1
		--time 1--2
	END
	for list in x 0-1 1, ,1 1,,2 ''; do
		report --cpu "$list"
		expect "CPUs '$list': status" "$status" 125
		expect_err "CPUs '$list'" "^pfmon: '$list' is not a list of numbers such as 1,2$"
		report --thread "$list"
		expect "threads '$list': status" "$status" 125
	done
	report
	has_symbols || return 0
	expect "samples in a symbol" "$(selected --symbol hot_60)" 600
	expect "samples in two" "$(selected --symbol 'hot_[36]0')" 900
	report --symbol hot_60
	check "it is said that others are left out" grep -q \
		'^ note: 400 other samples were left out' "$tmp/report"
}

# The samples one by one: as many, in order, and in the words of perf script.
test_script()
{
	in_hot
	FAKE_SAMPLES=1000
	export FAKE_SAMPLES
	record -e cs -c 7 "$VICTIM" fork 3 1
	unset FAKE_SAMPLES FAKE_IPS
	"$PFMON" script -i "$tmp/data" >"$tmp/script" 2>"$tmp/err"
	expect "script: status" $? 0
	expect "script: samples" "$(wc -l <"$tmp/script" | tr -d ' ')" 4000
	expect "script: as perf has it" "$(grep -Evc \
		'^          victim +[0-9]+ \[000\] +[0-9]+\.[0-9]{6}:          7 context-switches: +[0-9a-f]+ [^ ]+ \(.*\)$' \
		"$tmp/script")" 0
	check "script: in the order of time" sh -c \
		"sed 's/.*\] *\([0-9.]*\): .*/\1/' '$tmp/script' | sort -c -n"
	expect "script: threads" "$(sed 's/^ *victim *\([0-9]*\) .*/\1/' "$tmp/script" |
		sort -u | wc -l | tr -d ' ')" 4
	"$PFMON" script -i "$tmp/data" --cpu 1 -o "$tmp/script" 2>"$tmp/err"
	check "script: filtered" [ ! -s "$tmp/script" ]
	check "script: filtered, and it says so" grep -q "4000 other samples were left out" "$tmp/err"
	"$PFMON" script -i "$tmp/no" 2>"$tmp/err"
	expect "script of no file: status" $? 125
	"$PFMON" script "$tmp/data" 2>"$tmp/err"
	expect "script: the file is named with -i" $? 125
	report
	has_symbols || return 0
	"$PFMON" script -i "$tmp/data" --symbol hot_60 >"$tmp/script" 2>/dev/null
	expect "script: symbols" "$(grep -c "hot_60+0x0 ($VICTIM)\$" "$tmp/script")" 2400
}

for arch in $("$top/scripts/machine" --runs); do
	flags=$("$top/scripts/machine" cc "$arch" | sed 's/^[^ ]*//')
	if ! echo 'int main(void) { return 0; }' |
		$CC $flags -xc -o "$tmp/probe" - 2>/dev/null; then
		skip "$CC cannot compile for $arch"
		continue
	fi
	if ! make -s -C "$dir" ARCH="$arch" O="$O/$arch" CC="$CC" \
		V="${V:-0}" testprogs >"$tmp/build"; then
		fail "$arch: build"
		continue
	fi
	ok
	if ! "$tmp/probe"; then
		skip "this machine's kernel does not execute programs for $arch: guests do"
		continue
	fi
	unit_tests "$O/$arch/tools/pfmon/tests"
	# The kernel's source has the models that there are, and perf's lists of events.
	if [ -e "$LINUX/tools/perf/pmu-events" ]; then
		quietly "$arch: tables of models, beside the kernel's and perf's" /usr/bin/python3 \
			"$tests/models.py" "$LINUX" "$O/$arch/tools/pfmon/tests/models"
	else
		skip "$arch: no source of a kernel in $LINUX to compare the tables of models with"
	fi
	PFMON=$tmp/bin/pfmon VICTIM=$O/$arch/tools/pfmon/tests/victim
	mkdir -p "$tmp/bin"
	ln -sf "$O/$arch/tools/pfmon/tests/pfmon-fake" "$PFMON"
	run_tests $behaviour $profile $tops $trees no_trees failures estimates sets_of_samples old_kernel profile lockstep check filters script full default_format \
		record_follow call_graph time_namespace sanitizer cpuset record_threads process_threads hidden wait pid_namespace usage prometheus file_limit_midway speed many_samples record_speed execs pprof hostile order compressed rotated_files rotated_full powerpc descriptors stacks data_rate $views fuzz $symbols \
		$unusual $unusual_files
	run_tests completion examples perf_options
done

check "install" make -s -C "$dir" ARCH="$arch" O="$O/$arch" DESTDIR="$tmp/dest" PREFIX=/usr \
	V="${V:-0}" install >"$tmp/install" 2>&1
for f in bin/pfmon share/man/man1/pfmon.1 share/man/man1/pfmon-perf.1 share/bash-completion/completions/pfmon \
	share/doc/pfmon/record-format.txt; do
	check "installs $f" [ -s "$tmp/dest/usr/$f" ]
done

for n in $(grep -ho '\.period = [0-9]*' "$top"/lib/count/*.c | sed 's/.* //' | sort -un); do
	[ "$n" = 1 ] || expect "the default period $n is a prime" "$(factor "$n")" "$n: $n"
done
version=$(sed -n 's/.*LIBPERFMON_VERSION.*"\(.*\)"/\1/p' "$top/lib/include/perfmon/libperfmon.h")
for page in pfmon pfmon-perf; do
	check "$page.1 is of $version" grep -q "^\.TH PFMON[^ ]* 1 .* \"pfmon $version\"" "$dir/$page.1"
	if command -v mandoc >/dev/null; then
		check "mandoc: $page.1" mandoc -Tlint -W style "$dir/$page.1"
	else
		skip "mandoc is not installed: $page.1 is not linted"
	fi
done
for page in "$top"/lib/man/*.3; do
	grep -q "^\.so " "$page" || check "${page##*/} is of $version" grep -q "^\.TH .* \"libperfmon $version\"" "$page"
done
# What README says of perf is in the page, where the commands are run.
sed -n 's/^| `perf [^|]* | `\(pfmon .*\)` |$/\1/p' "$top/README.md" >"$tmp/readme"
check "README has some twenty of perf's commands" [ "$(grep -c . "$tmp/readme")" -ge 18 ]
page_examples "$dir/pfmon-perf.1" >"$tmp/page"
while read -r line; do
	check "pfmon-perf.1 has README's '$line'" grep -qxF -e "$line" "$tmp/page"
done <"$tmp/readme"
for word in $(for what in stat record report annotate archive diff top script check; do "$PFMON" $what --help; done |
	grep -o -e ' --[a-z-]*' -e ' -[a-zA-Z],' | sort -u); do
	check "pfmon.1 has ${word%,}" grep -q -e "$(echo "${word%,}" |
		sed 's/-/\\\\-/g')" "$dir/pfmon.1"
done
tally
