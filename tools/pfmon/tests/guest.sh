#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The tests of pfmon on a kernel with perfmon, as root:
#
#	guest.sh PFMON VICTIM [TEST...]
#
# PFMON is the tool, VICTIM the program tests/victim.c, a TEST the name of a
# function test_... without its first part: all of them if none is named, all but
# these if they are -TEST. With V=1 it says what it does and how long that took. Not covered here:
# set-user-ID programs; the kernel's own tests have these.
#
# shellcheck disable=SC2154,SC2086 # behaviour.sh sets variables; numbers

set -u
if [ $# -lt 2 ]; then
	echo "usage: $0 PFMON VICTIM [TEST...]" >&2
	exit 2
fi
PFMON=$(readlink -f "$1")
VICTIM=$(readlink -f "$2")
shift 2
cd "$(dirname "$0")" || exit 1
# shellcheck source=../../../lib/tests/tally.sh
. ../../../lib/tests/tally.sh
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
# shellcheck source=trouble.sh
. ./trouble.sh
# shellcheck source=unusual.sh
. ./unusual.sh
# shellcheck source=samples.sh
. ./samples.sh
# shellcheck source=sets.sh
. ./sets.sh
# shellcheck source=events.sh
. ./events.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
sysfs=/sys/kernel/perfmon

# Instructions by number.
case $(cat $sysfs/pmu_model 2>/dev/null) in
PowerPC\ 970) by_number=r9:u ;;
POWER* | PowerPC*) by_number=r2:u ;;
*) by_number=rc0:u ;;
esac

# between NAME GOT MIN MAX
between()
{
	if [ "${2:-0}" -ge "$3" ] && [ "${2:-0}" -le "$4" ]; then
		ok
	else
		fail "$1: '$2' is not between $3 and $4"
	fi
}

# at_best MAX COMMAND...: runs it until it leaves no more than that in $got, some
# times at most: a virtual CPU may have had to wait for a real one.
at_best()
{
	max=$1
	shift
	for _ in 1 2 3 4 5 6 7 8; do
		"$@"
		[ "${got:-0}" -gt "$max" ] || break
	done
}

# faults ARGUMENT...: minor faults of a run of the victim, in $faults.
faults()
{
	stat -e minor-faults "$@"
	faults=$(value minor-faults)
}

# more_faults NAME EXACT SLACK ARGUMENT...: a hundred pages more, against one. With none
# the program would run less code, in pages that each process has to map first.
more_faults()
{
	name=$1 exact=$2 slack=$3
	shift 3
	faults "$@" 1
	one=$faults
	faults "$@" 101
	between "$name" $((faults - one)) $((exact - slack)) $((exact + slack))
}

test_faults()
{
	# Those of the first one are partly major: its file has to be read.
	faults "$VICTIM" touch 0
	more_faults "100 pages" 100 20 "$VICTIM" touch
	more_faults "20 processes with 100 pages" 2000 100 "$VICTIM" fork 20
	more_faults "10 threads with 100 pages" 1000 100 "$VICTIM" thread 10
	more_faults "processes, not followed" 0 30 --no-follow "$VICTIM" fork 20
	more_faults "threads, not followed" 0 30 --no-follow "$VICTIM" thread 10
	more_faults "exec by a thread" 100 30 "$VICTIM" exec-thread
}

switches_of()
{
	stat -e cs "$@"
	got=$(value context-switches)
}

migrations_of()
{
	stat -e migrations "$@"
	got=$(value migrations)
}

test_switches()
{
	for mode in "" --no-follow; do
		# shellcheck disable=SC2086 # nothing or a word
		stat $mode -e cs "$VICTIM" nap 50
		# The kernel's own counts, of the naps and of all until then.
		read -r naps all <"$tmp/out"
		between "50 naps $mode" "$naps" 50 "$all"
		between "50 naps $mode: switches" "$(value context-switches)" \
			$((naps - 5)) $((all + 20))
	done
	# Each signal stops a traced program once more: that is not counted.
	at_best 200 switches_of "$VICTIM" signal 300
	between "300 signals" "$got" 0 200
	stat -e cs,cs,cs "$VICTIM" nap 20
	expect "three counters of one event agree" \
		"$(grep -o '"value": [0-9]*' "$tmp/json" | sort -u | wc -l | tr -d ' ')" 1
	if command -v taskset >/dev/null; then
		at_best 2 migrations_of taskset -c 0 "$VICTIM" spin 50
		between "pinned" "$got" 0 2
	else
		skip "no taskset: migrations of a pinned program"
	fi
}

# By how much user and system time are more than three times the task clock.
clock_of()
{
	stat -e task-clock "$@"
	clock=$(($(value task-clock) / 1000000))
	own=$((($(field user_ns) + $(field system_ns)) / 1000000))
	got=$((own - 3 * clock))
}

# The kernel's own measure of CPU time is user and system together; it has the
# time before the program was executed, too.
test_clock()
{
	for mode in "" --no-follow; do
		# shellcheck disable=SC2086 # nothing or a word
		at_best 0 clock_of $mode "$VICTIM" spin 400
		between "task clock $mode" "$clock" 390 $((own + 20))
		between "user and system time $mode" "$own" $((clock - 20)) \
			$((3 * clock))
		between "elapsed time $mode" $(($(field elapsed_ns) / 1000000)) \
			390 600000
	done
}

test_system_wide()
{
	stat -C all "$VICTIM" spin 400
	clock=$(($(value task-clock) / 1000000))
	elapsed=$(($(field elapsed_ns) / 1000000))
	between "-C all: task clock" $clock 390 $((elapsed * cpus + 50))
	faults -C all "$VICTIM" touch 0
	none=$faults
	faults -C all "$VICTIM" touch 3000
	between "-C all: faults" $((faults - none)) 2500 6000
	stat -C 0 -e cs "$VICTIM" nap 20
	between "-C 0: context switches" "$(value context-switches)" 1 1000000
}

# part ID NAME: an event's count of a CPU or thread in the last run.
part()
{
	grep -o "$1, [^]]*]" "$tmp/json" |
		sed -n "s/.*{\"name\": \"$2\", \"value\": \([0-9]*\),.*/\1/p"
}

# What one CPU or thread does is counted there.
test_whose()
{
	last=$((cpus - 1))
	stat -A -a -e task-clock taskset -c $last "$VICTIM" spin 300
	between "the CPU that was busy" $(($(part "\"cpu\": $last" task-clock) / 1000000)) 290 60000
	stat --per-thread -e minor-faults "$VICTIM" thread 3 500
	first=$(grep -o '"tid": [0-9]*' "$tmp/json" | head -n 1)
	between "the thread that starts the others" "$(part "$first" minor-faults)" 1 300
	for tid in $(grep -o '"tid": [0-9]*' "$tmp/json" | sed '1d; s/.* //'); do
		between "a thread with 500 pages" "$(part "\"tid\": $tid" minor-faults)" 500 600
	done
	# What was counted before the delay is over is not there.
	: >"$tmp/err"
	# shellcheck disable=SC2016 # for the shell that is counted
	"$PFMON" stat -D 1000 -I 1 -j -e minor-faults sh -c '"$1" touch 5000
		until grep -q from_ns "$0"; do sleep 0.01; done' "$tmp/err" "$VICTIM" 2>"$tmp/err"
	mv "$tmp/err" "$tmp/json"
	faults=$(total_of minor-faults)
	# On a machine that was slower than that there is nothing to see.
	if [ "$faults" -lt 5000 ]; then
		ok
	else
		skip "the delay was over before the pages were touched"
	fi
}

# Contexts of threads that have ended are closed: new threads find descriptors.
test_brief()
{
	"$VICTIM" brief 100 &
	pid=$!
	(ulimit -n 30 && stat -e cs --no-inherit -p $pid; echo $status >"$tmp/n")
	wait $pid
	expect "brief threads: status" "$(cat "$tmp/n")" 0
	expect "brief threads: none was missed" "$(field missed)" 0
	check "brief threads: there are some" [ "$(field threads)" -gt 1 ]
}

# A thread's context and a CPU's can both have counters, as many as pfmon asks for?
is_shared()
{
	grep -q '^Intel architectural\|^AMD' $sysfs/pmu_model
}

# More events than there are counters of any kind: in turns they take all.
all_counters()
{
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		printf 'instructions,cycles,'
	done
	# Intel's has a counter of its own.
	"$PFMON" explain ref-cycles >/dev/null 2>&1 && echo ref-cycles || echo cycles
}

# There is one context of each thread and CPU; of some PMUs only one kind can have any.
test_busy()
{
	both=125
	! grep -qx none $sysfs/pmu_model && ! is_shared || both=0
	start_hold 0
	"$PFMON" stat -o /dev/null -p "$hold" 9>&- &
	pid=$!
	until_true grep -q '^1' $sysfs/thread_sessions
	stat -C 0 true
	expect "-C while a thread is counted: status" "$status" $both
	[ $both -eq 0 ] ||
		expect_err "-C while a thread is counted" \
			"cannot monitor CPU 0: the PMU is in use by pfmon (process $pid), which monitors threads"
	stat -C 0 -e task-clock true
	expect "-C in software while a thread is counted: status" "$status" 0
	stat -p "$hold" true
	expect "a thread counted twice: status" "$status" 125
	expect_err "a thread counted twice" "a thread can be counted only once"
	stat true
	expect "another thread: status" "$status" 0
	stop_hold
	wait $pid
	expect "-p until the process ends: status" $? 0

	"$PFMON" stat -o /dev/null -C 0 &
	pid=$!
	until_true grep -q '^1' $sysfs/sys_sessions
	stat true
	expect "a command while a CPU is counted: status" "$status" $both
	[ $both -eq 0 ] ||
		expect_err "a command while a CPU is counted" \
			"cannot attach to the command: the PMU is in use by pfmon (process $pid), which monitors CPUs"
	stat -C 0 true
	expect "a CPU counted twice: status" "$status" 125
	kill -TERM $pid
	wait $pid
	expect "-C until SIGTERM: status" $? 143
	stat true
	expect "afterwards: status" "$status" 0
}

# started PID N: counts it by N contexts?
started()
{
	[ "$(cat "/proc/$1/fdinfo/"* | grep -c '^pfm-started:[[:space:]]*1')" -eq "$2" ]
}

# A CPU that goes away while it is counted.
test_offline()
{
	online=/sys/devices/system/cpu/cpu1/online
	if ! [ -w $online ]; then
		skip "CPU 1 cannot be taken offline"
		return
	fi
	"$PFMON" stat -C 0-1 >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until_true started $pid 2
	echo 0 >$online
	kill -TERM $pid
	wait $pid
	expect "CPU 1 goes offline: status" $? 143
	check "CPU 1 goes offline: counts" grep -q 'task-clock' "$tmp/err"
	check "CPU 1 goes offline: note" grep -q \
		'^ note: CPU 1 went offline and was counted until then$' "$tmp/err"
	stat -C 1 true
	expect "CPU 1 is offline: status" "$status" 125
	expect_err "CPU 1 is offline" "CPU 1 is offline$"
	echo 1 >$online
	stat -C 1 true
	expect "CPU 1 is back: status" "$status" 0

	# It goes and comes back, as when a laptop sleeps: it is said, and it is counted again.
	"$PFMON" stat -A -j -o "$tmp/json" -C 0-1 -e task-clock >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until_true started $pid 2
	echo 0 >$online
	check "CPU 1 goes for a time: it is said at once" until_true grep -q \
		'CPU 1 is offline, and not counted until it is back$' "$tmp/err"
	echo 1 >$online
	check "CPU 1 comes back: it is said at once" until_true grep -q \
		'all CPUs are online again and counted$' "$tmp/err"
	taskset -c 1 "$VICTIM" spin 300
	kill -TERM $pid
	wait $pid
	expect "CPU 1 was offline: status" $? 143
	check "CPU 1 was offline: counted again" \
		[ "$(sed -n 's/.*{"cpu": 1, [^}]*"value": \([0-9]*\),.*/\1/p' "$tmp/json")" -ge 300000000 ]
	check "CPU 1 was offline: note" grep -q \
		'"CPU 1 was offline for a time, and was not counted then"' "$tmp/json"
	expect "CPU 1 was offline: it is one CPU" "$(field cpus)" 2

	# While it is away another program is quicker to take it: pfmon is stopped for that.
	"$PFMON" stat -j -o /dev/stdout -A -I 200 -C 0-1 -e task-clock >"$tmp/json" 2>"$tmp/err" &
	pid=$!
	until_true started $pid 2
	echo 0 >$online
	check "CPU 1 is to be taken: it is offline" until_true grep -q \
		'CPU 1 is offline, and not counted until it is back$' "$tmp/err"
	check "CPU 1 is to be taken: intervals say so" until_true grep -q \
		'{"cpu": 1, "away": true, .*"cpus": 1, ' "$tmp/json"
	kill -STOP $pid
	until_true state_of $pid T
	echo 1 >$online
	"$PFMON" stat -C 1 -e task-clock >/dev/null 2>"$tmp/quicker" &
	quicker=$!
	until_true started $quicker 1
	kill -CONT $pid
	check "CPU 1 is back and taken: it is said by whom" until_true grep -q \
		"CPU 1 is online again, and not counted: the CPU is being monitored.* by pfmon.* (process $quicker)" "$tmp/err"
	kill -TERM $pid
	wait $pid
	kill -TERM $quicker
	wait $quicker
	expect "CPU 1 is back and taken: said to be offline once" \
		"$(grep -c 'CPU 1 is offline' "$tmp/err")" 1
	check "CPU 1 is back and taken: note" grep -q \
		"\"CPU 1 went offline and was counted until then; when it was back it could not be had: the CPU is being monitored.* by pfmon.* (process $quicker)" "$tmp/json"
}

# A CPU that goes away while it is sampled, and comes back.
test_offline_samples()
{
	online=/sys/devices/system/cpu/cpu1/online
	if ! [ -w $online ]; then
		skip "CPU 1 cannot be taken offline: samples"
		return
	fi
	for what in "record -o $tmp/data" "top -B -d 0.3 -b cpu,process"; do
		# shellcheck disable=SC2086 # words
		"$PFMON" $what -a >"$tmp/out" 2>"$tmp/err" </dev/null &
		pid=$!
		until_true started $pid 2
		echo 0 >$online
		check "$what: CPU 1 goes: it is said" until_true grep -q \
			'CPU 1 is offline, and not sampled until it is back$' "$tmp/err"
		echo 1 >$online
		check "$what: CPU 1 is back: it is said" until_true grep -q \
			'all CPUs are online again and sampled$' "$tmp/err"
		taskset -c 1 "$VICTIM" spin 300
		case $what in
		top*) check "$what: CPU 1 is sampled again" until_true grep -Eq \
			'^ +[0-9.]+ +[0-9,]+ +victim +1 *$' "$tmp/out" ;;
		esac
		kill -TERM $pid
		wait $pid
		expect "$what: CPU 1 was offline: status" $? 143
	done
	"$PFMON" report -i "$tmp/data" --cpu 1 --process victim -f json >"$tmp/json"
	between "record: CPU 1 is sampled again" "$(field samples | head -n 1)" 50 400
}

# has_format PID NAME: does it sample with this format?
has_format()
{
	cat "/proc/$1/fdinfo/"* 2>/dev/null | grep -qx "pfm-format:[[:space:]]*$2"
}

# samples PID: has it begun, by however many contexts?
samples()
{
	cat "/proc/$1/fdinfo/"* 2>/dev/null | grep -q '^pfm-started:[[:space:]]*1'
}

# The formats that top and record are to choose, and not what each kernel has.
test_chosen_formats()
{
	while read -r format what; do
		if ! have "$format"; then
			skip "the format $format is not there: pfmon $what"
			continue
		fi
		# shellcheck disable=SC2086 # words
		"$PFMON" $what "$VICTIM" hot 600000 </dev/null >/dev/null 2>&1 &
		pid=$!
		until_true samples $pid
		check "pfmon $what: $format" has_format $pid "$format"
		kill -TERM $pid
		wait $pid
	done <<-END
	callaggregate top -d 3600 -C 0
	calldouble top -d 3600
	double record -C 0 -o $tmp/data
	calldouble record -o $tmp/data
	calldouble record -g -o $tmp/data
	END
	have callaggregate || return 0
	# More samples than there is room for in a buffer.
	top -e minor-faults -c 1 -d 3600 "$VICTIM" scatter 100
	expect "top, many samples: status" "$status" 0
	between "top, many samples: none is lost" "$(sed -n \
		's/^.*: \([0-9,]*\) samples of minor-faults, .*; 0 lost.*/\1/p' "$tmp/out" |
		tr -d ,)" 25600 26200
}

# reach NAMES: percent of the samples of a folded report whose chains have these calls
reach()
{
	awk -v names="$1" '{ n += $NF } index($0, names) { m += $NF }
		END { print n ? int(100 * m / n) : 0 }' "$tmp/report"
}

# Programs without frame pointers: one of our own, and one of the distribution.
test_stacks()
{
	frames=${VICTIM%/*}/frames
	if ! have calldouble || ! [ -x "$frames" ]; then
		skip "no format calldouble, or no program for it: record -g dwarf"
		return
	fi
	record -g dwarf "$frames" 200
	expect "-g dwarf: status" "$status" 0
	report -f folded
	if ! has_symbols || grep -q "built without libdw" "$tmp/err"; then
		check "-g dwarf: without libdw" grep -q "stacks are not unwound" "$tmp/err"
		return
	fi
	between "-g dwarf: chains of aaa" "$(reach ";main;mid;aaa")" 50 100
	expect "-g dwarf: a chain of aaa that is not of main" \
		"$(grep aaa "$tmp/report" | grep -vc ';_start;.*;main;mid;aaa')" 0
	record -g dwarf,8 "$frames" 100
	report -f folded
	expect "-g dwarf,8: beyond that" "$(reach ";main;mid;aaa")" 0
	between "-g dwarf,8: what is there" "$(reach ";aaa")" 50 100
	check "-g dwarf,8: remark" grep -q "than what was kept of them: [1-9]" "$tmp/err"
	record -g dwarf -a "$frames" 100
	report --process frames -f folded
	between "-g dwarf -a" "$(reach ";main;mid;aaa")" 50 100
	record --call-graph dwarf,16384 sh -c "'$VICTIM' hot 10; exec '$frames' 100"
	report --process frames -f folded
	between "--call-graph dwarf,16384" "$(reach ";main;mid;aaa")" 50 100
	if ! /usr/bin/python3 -c pass 2>/dev/null; then
		skip "python3 is not installed, or not for this kernel: its stacks"
		return
	fi
	record -g dwarf,16384 /usr/bin/python3 -S -c "sum(i * i for i in range(1000000))"
	report -f folded
	between "-g dwarf: python3's chains reach _start" "$(reach ";_start;")" 75 100
	record -g /usr/bin/python3 -S -c "sum(i * i for i in range(1000000))"
	report -f folded
	between "-g: python3's chains" "$(reach ";_start;")" 0 60
}

# A process that ends while it is counted.
test_process_end()
{
	start_hold 3
	"$PFMON" stat -j -o "$tmp/json" --no-inherit -p "$hold" 9>&- &
	pid=$!
	until_true started $pid 4
	stop_hold
	wait $pid
	expect "-p until the end: status" $? 0
	expect "-p until the end: threads" "$(field threads)" 4

	"$VICTIM" nap 600000 >/dev/null &
	nap=$!
	for _ in 1 2 3 4 5 6 7 8; do
		stat -p $nap -e cs -- sleep 0.5
		[ "$(value context-switches)" -lt 5 ] || break
	done
	between "-p: context switches of a process that sleeps" \
		"$(value context-switches)" 5 60000
	kill $nap
	wait $nap 2>/dev/null
}

# Another thread than the first executes a program, and gets the number of the process.
test_process_exec()
{
	start_hold 1
	"$PFMON" stat -j -o "$tmp/json" --per-thread -e cs -p "$hold" 9>&- &
	pid=$!
	until_true started $pid 2
	printf e >&9
	until_true started $pid 3
	printf x >&9
	until_true grep -qx exe "/proc/$hold/comm"
	until_true started $pid 1
	kill -TERM $pid
	wait $pid
	expect "-p, exec by a thread: status" $? 143
	expect "-p, exec by a thread: threads" "$(field threads)" 3
	expect "-p, exec by a thread: it is counted on, under its new name" \
		"$(grep -o '"name": "exe"' "$tmp/json" | wc -l | tr -d ' ')" 1
	stop_hold
}

# How many minor faults a process has had.
faults_of()
{
	sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 8
}

# has_faults PID N: more than N?
has_faults()
{
	[ "$(faults_of "$1")" -gt "$2" ]
}

# A thread that begins while a process is sampled is sampled, too, if no tree does that.
test_process_late()
{
	start_hold 2
	"$PFMON" record -o "$tmp/data" -e minor-faults -c 1000 -f default -p "$hold" 9>&- 2>"$tmp/said" &
	pid=$!
	until_true started $pid 3
	before=$(ls "/proc/$hold/task")
	printf t >&9
	until_true started $pid 4
	for late in $(ls "/proc/$hold/task"); do
		[ "${before#*"$late"}" != "$before" ] || break
	done
	n=$(faults_of "$hold")
	until_true has_faults "$hold" $((n + 5000))
	kill -TERM $pid
	wait $pid
	expect "record -p, a late thread: status" $? 143
	check "record -p, a late thread: it is said" grep -q \
		'^ note: 1 thread began meanwhile and was sampled from the next look on' "$tmp/said"
	report --by thread -f folded
	check "record -p, a late thread: it has samples" grep -Eq "(^| )$late [1-9]" "$tmp/report"
	stop_hold
}

# user ARGUMENT...: pfmon as an ordinary user; its output to $tmp/err.
user()
{
	"$VICTIM" user "$PFMON" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

hardened=/proc/sys/kernel/perfmon_hardened

# What is refused, and by whom, is said before it happens.
test_check()
{
	"$PFMON" check >"$tmp/out"
	expect "check as root: status" $? 0
	host=
	[ "$(cat /sys/kernel/perfmon/host)" = kernel ] || host=', as a module'
	check "check: the host" grep -qx "ok    the kernel has perfmon [0-9.]*$host" "$tmp/out"
	check "check as root: CPUs" grep -q '^ok    whole CPUs can' "$tmp/out"
	echo 1 >$hardened
	user check
	expect "check as a user: status" "$status" 0
	check "check as a user: CPUs, hardened" grep -q '^note  whole CPUs cannot' "$tmp/out"
	check "check as a user: symbols of the kernel" grep -q '^note  functions of the kernel' \
		"$tmp/out"
	echo 0 >$hardened
	if ! "$PFMON" check | grep -q '^ok    the PMU is' || ! command -v perf >/dev/null; then
		skip "check: a PMU that is in use"
		return
	fi
	mkfifo "$tmp/end"
	perf stat -a -e cycles cat "$tmp/end" >/dev/null 2>&1 &
	pid=$!
	# Perf has the PMU a moment before it has a descriptor that tells.
	check "check: the PMU is in use: status" until_true sh -c \
		"'$PFMON' check >'$tmp/out'; [ \$? -eq 1 ] && grep -q 'by: perf' '$tmp/out'"
	check "check: the PMU is in use" grep -q \
		'^NO    the PMU is .* cannot be used: the PMU is in use by perf' "$tmp/out"
	check "check: who has it" grep -q \
		"^      by: perf[^ ]* (process $pid), which has [1-9][0-9]* of perf_events open$" "$tmp/out"
	check "check: a cure" grep -q '^      cure: end the programs that use perf_events' "$tmp/out"
	# A thread whose software events are counted has nothing to do with that.
	"$PFMON" stat --no-inherit -e cs -o /dev/null -p $$ &
	own=$!
	until_true started $own 1
	stat -e instructions:u true
	expect_err "the PMU is in use beside a thread that is counted" \
		"cannot attach to the command: the PMU is in use by perf[^ ]* (process $pid), which has perf_events open"
	stat true
	expect_err "the PMU is in use, and no event is named" \
		"no cycles and instructions: the PMU is in use by perf[^ ]* (process $pid), which has perf_events open"
	user stat -e instructions:u -o /dev/null true
	check "the PMU is in use, as a user" grep -q "is in use by a program that only root can see" "$tmp/err"
	stat -e instructions:u -C 0 true
	expect_err "the PMU is in use, of a CPU" "is in use by perf[^ ]* (process $pid), which has perf_events open$"
	kill -TERM $own
	wait $own
	stat -e instructions:u -C 0 true
	expect_err "the PMU is in use, of a CPU alone" \
		"cannot monitor CPU 0: the PMU is in use by perf[^ ]* (process $pid), which has perf_events open"
	: >"$tmp/end"
	wait $pid
	check "check: the PMU is free again" until_true sh -c "'$PFMON' check >/dev/null"
	# The threads of others are in the way of CPUs, but only of the PMU's events.
	"$PFMON" stat -o /dev/null -e instructions:u -p $$ &
	own=$!
	until_true started $own 1
	"$PFMON" check >"$tmp/out"
	check "check: a thread is counted by some counters" grep -q \
		'^ok    whole CPUs can be counted and sampled' "$tmp/out"
	kill -TERM $own
	wait $own
	"$PFMON" stat -o /dev/null -e "$(all_counters)" -p $$ &
	own=$!
	until_true started $own 1
	"$PFMON" check >"$tmp/out"
	check "check: a thread is counted" grep -q \
		"^note  whole CPUs cannot be counted by the PMU, .* by pfmon (process $own), which monitors threads" \
		"$tmp/out"
	kill -TERM $own
	wait $own
	"$PFMON" stat -o /dev/null -e cs "$PFMON" check >"$tmp/out"
	check "check: itself is counted: by whom" grep -q \
		'^NO    .*: the thread is being monitored.*; it is monitored by pfmon (process' "$tmp/out"
	check "check: itself is counted: no wrong cure" sh -c "! grep -q 'that use perf_events' '$tmp/out'"
	"$PFMON" stat -o /dev/null -e "$(all_counters)" -C 0 &
	pid=$!
	until_true started $pid 1
	"$PFMON" check >"$tmp/out"
	expect "check: a CPU is counted: status" $? 1
	check "check: a CPU is counted: by whom" grep -q \
		"^      by: pfmon (process $pid), which has contexts of 1 CPU$" "$tmp/out"
	user check
	check "check: a CPU is counted, as a user" grep -q \
		'^      and programs of other users, which only root can see, may have it$' "$tmp/out"
	check "check: a CPU is counted, as a user: a cure" grep -q \
		'^      cure: wait until that has ended' "$tmp/out"
	kill -TERM $pid
	wait $pid
}

test_user()
{
	user stat "$VICTIM" fork 3 1
	expect "as a user: status" "$status" 0
	check "as a user: counts" grep -q '  minor-faults' "$tmp/err"
	user stat --per-thread "$VICTIM" fork 3 1
	expect "as a user, by ptrace: status" "$status" 0
	check "as a user, by ptrace: counts" grep -q '(4 threads):' "$tmp/err"
	echo 1 >$hardened
	user stat -C 0 true
	expect "as a user, -C, hardened: status" "$status" 125
	expect_err "as a user, -C, hardened" "CAP_PERFMON"
	echo 0 >$hardened
	user stat -C 0 true
	expect "as a user, -C: status" "$status" 0
	user stat -p $$ true
	expect "as a user, another's process: status" "$status" 125
	expect_err "as a user, another's process" "it may not be traced: it is of another user (UID 0)$"
	user info
	expect "as a user, info: status" "$status" 0
	host='a part of the kernel, by the system call'
	[ "$(cat /sys/kernel/perfmon/host)" = kernel ] || host='a module, by /dev/perfmonctl'
	check "info: the host" grep -qx "perfmon is  *$host" "$tmp/out"
	check "info: CPUs by any user" grep -q 'system-wide  *by any user$' "$tmp/out"
	echo 1 >$hardened
	user info
	check "info: CPUs, hardened" grep -q 'system-wide  *with CAP_PERFMON' "$tmp/out"
	echo 0 >$hardened
	stat -p 2 true
	expect "a thread of the kernel: status" "$status" 125

	echo 54321 >$sysfs/thread_group
	user stat true
	expect "a group that is not the user's: status" "$status" 125
	expect_err "a group that is not the user's" "only members of a certain group"
	user info
	check "info: the group" grep -q 'per-thread  *by the group 54321$' "$tmp/out"
	user stat -C 0 true
	expect "-C is another group's matter: status" "$status" 0
	echo -1 >$sysfs/thread_group
	user stat true
	expect "any group again: status" "$status" 0
	echo 1 >$hardened
}

# pfmon is killed: the program goes on, nothing remains in the kernel.
test_killed()
{
	"$PFMON" stat "$VICTIM" nap 600000 2>/dev/null &
	pid=$!
	until_true child_of $pid && until_true grep -q nap "/proc/$child/cmdline"
	kill -KILL $pid
	wait $pid 2>/dev/null
	check "the program goes on" [ -d "/proc/$child" ]
	check "it is not traced any more" \
		grep -q '^TracerPid:[[:space:]]*0$' "/proc/$child/status"
	kill "$child"
	check "nothing per-thread remains" \
		until_true grep -q '^0' $sysfs/thread_sessions
	check "nothing system-wide remains" \
		until_true grep -q '^0' $sysfs/sys_sessions
}

# Compared with the kernel's accounting, and with perf.
test_programs()
{
	programs all
}

test_programs_perf()
{
	programs perf
}

# Compared with perf, whose software events count the same at the same time.
test_programs_beside()
{
	programs beside
}

# The short form of the tables beside perf; Documentation/beside-perf.rst has all of them.
test_beside_perf()
{
	if ! /usr/bin/python3 -c pass 2>/dev/null; then
		skip "python3 is not installed, or not for this kernel: tables beside perf"
		return
	fi
	mkdir "$tmp/beside"
	program "beside perf" env "PATH=$(echo "$PATH" | sed 's,/run/bin:,,')" /usr/bin/python3 -B \
		./beside_perf.py short "$PFMON" "$VICTIM" "$tmp/beside"
	rm -rf "$tmp/beside"
}

# The library's own tests; what counts in a guest counts exactly.
test_library()
{
	library=${PFMON%/*}/lib/tests
	if ! [ -x "$library/count" ]; then
		skip "the tests of the library are not beside pfmon"
		return
	fi
	out=$(PMON_EXACT=1 sh ../../../lib/tests/guest.sh "$library" 2>&1)
	check "library: $out" [ $? -eq 0 ]
}

# Those of a word size that the host's kernel may not execute.
test_units()
{
	unit_tests "${VICTIM%/*}"
}

if ! [ -d $sysfs ]; then
	fail "this kernel has no $sysfs"
	tally
	exit 1
fi
find_formats
names=
without=' '
for t; do
	case $t in
	-*) without="$without${t#-} " ;;
	*) names="$names $t" ;;
	esac
done
if [ -z "$names" ]; then
	names="$behaviour $trees $trees_counted faults switches clock system_wide whose brief offline offline_samples busy wait process_end process_exec process_late check user killed \
		$profile $tops $trouble $unusual $unusual_code chosen_formats hot hot_fork hot_process hot_cpus hot_user hot_kernel \
		hot_formats shares chains stacks script lost too_fast lost_exactly short_lived rotation modules bias default_periods random \
		readings sets_time sets_overflow sets_too_fast sets_samples hardware shared frequency frequency_soft frequency_live names constraints \
		sets_hardware examples library units programs programs_beside beside_perf"
fi
# The whole list before the first test: they share our variables.
chosen=
for t in $names; do
	[ "${without#* "$t" }" != "$without" ] || chosen="$chosen $t"
done
# shellcheck disable=SC2086 # words
run_tests $chosen
tally
