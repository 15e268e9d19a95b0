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
	(ulimit -n 30 && stat -e cs -p $pid; echo $status >"$tmp/n")
	wait $pid
	expect "brief threads: status" "$(cat "$tmp/n")" 0
	expect "brief threads: none was missed" "$(field missed)" 0
	check "brief threads: there are some" [ "$(field threads)" -gt 1 ]
}

# There is one context of each thread and CPU; only one kind has the PMU.
test_busy()
{
	both=125
	! grep -qx none $sysfs/pmu_model || both=0
	start_hold 0
	"$PFMON" stat -o /dev/null -p "$hold" 9>&- &
	pid=$!
	until_true grep -q '^1' $sysfs/thread_sessions
	stat -C 0 true
	expect "-C while a thread is counted: status" "$status" $both
	[ $both -eq 0 ] ||
		expect_err "-C while a thread is counted" \
			"cannot monitor CPU 0: the PMU, .* is in use by pfmon (process $pid), which monitors threads"
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
			"cannot attach to the command: the PMU, .* is in use by pfmon (process $pid), which monitors CPUs"
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
	"$PFMON" stat -j -o "$tmp/json" -C 0-1 -e task-clock >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until_true started $pid 2
	echo 0 >$online
	check "CPU 1 is to be taken: it is offline" until_true grep -q \
		'CPU 1 is offline, and not counted until it is back$' "$tmp/err"
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
	expect "CPU 1 is back and taken: said to be offline once" \
		"$(grep -c 'CPU 1 is offline' "$tmp/err")" 1
	check "CPU 1 is back and taken: note" grep -q \
		'"CPU 1 went offline and was counted until then; when it was back it could not be had: the CPU is being monitored' "$tmp/json"
	kill -TERM $quicker
	wait $quicker
}

# has_format PID NAME: does it sample with this format?
has_format()
{
	cat "/proc/$1/fdinfo/"* 2>/dev/null | grep -qx "pfm-format:[[:space:]]*$2"
}

# The formats that top and record -g are to choose, and not what each kernel has.
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
		until_true started $pid 1
		check "pfmon $what: $format" has_format $pid "$format"
		kill -TERM $pid
		wait $pid
	done <<-END
	callaggregate top -d 3600
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

# A process that ends while it is counted.
test_process_end()
{
	start_hold 3
	"$PFMON" stat -j -o "$tmp/json" -p "$hold" 9>&- &
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

# A thread that begins while a process is sampled is sampled, too.
test_process_late()
{
	start_hold 2
	"$PFMON" record -o "$tmp/data" -e minor-faults -c 1000 -p "$hold" 9>&- 2>"$tmp/said" &
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
	check "check: the PMU is in use: status" until_true sh -c \
		"'$PFMON' check >'$tmp/out'; [ \$? -eq 1 ]"
	check "check: the PMU is in use" grep -q \
		'^NO    the PMU is .* cannot be used: the PMU, .* is in use by perf' "$tmp/out"
	check "check: who has it" grep -q \
		"^      by: perf[^ ]* (process $pid), which has [1-9][0-9]* of perf_events open$" "$tmp/out"
	check "check: a cure" grep -q '^      cure: end the programs that use perf_events' "$tmp/out"
	# A thread whose software events are counted has nothing to do with that.
	"$PFMON" stat -e cs -o /dev/null -p $$ &
	own=$!
	until_true started $own 1
	stat -e instructions:u true
	expect_err "the PMU is in use beside a thread that is counted" \
		"cannot attach to the command: the PMU, .* is in use by perf[^ ]* (process $pid), which has perf_events open"
	stat -e instructions:u -C 0 true
	expect_err "the PMU is in use, of a CPU" "is in use by .*(process $own), which monitors threads"
	kill -TERM $own
	wait $own
	stat -e instructions:u -C 0 true
	expect_err "the PMU is in use, of a CPU alone" \
		"cannot monitor CPU 0: the PMU, .* is in use by perf[^ ]* (process $pid), which has perf_events open"
	: >"$tmp/end"
	wait $pid
	check "check: the PMU is free again" until_true sh -c "'$PFMON' check >/dev/null"
	# The threads of others are in the way of CPUs, but only of the PMU's events.
	"$PFMON" stat -o /dev/null -e instructions:u -p $$ &
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
	"$PFMON" stat -o /dev/null -e instructions -C 0 &
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
	check "as a user: counts" grep -q '(4 threads):' "$tmp/err"
	echo 1 >$hardened
	user stat -C 0 true
	expect "as a user, -C, hardened: status" "$status" 125
	expect_err "as a user, -C, hardened" "CAP_PERFMON"
	echo 0 >$hardened
	user stat -C 0 true
	expect "as a user, -C: status" "$status" 0
	user stat -p $$ true
	expect "as a user, another's process: status" "$status" 125
	expect_err "as a user, another's process" "it may not be traced"
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

# Modules are recorded with their build IDs, as they are when the recording begins.
test_modules()
{
	if ! grep -q '^pfm_double .* Live 0x' /proc/modules; then
		skip "the format double is no module here: modules in data files"
		return
	fi
	record -e minor-faults -c 1 true
	check "a module is recorded" grep -q pfm_double "$tmp/data"
	report
	if ! has_symbols; then
		skip "this pfmon was built without libdw: build IDs of modules"
		return
	fi
	tail -c 20 /sys/module/pfm_double/notes/.note.gnu.build-id >"$tmp/id"
	expect "a module is recorded: its build ID" \
		"$(od -An -v -tx1 "$tmp/data" | tr -d ' \n' |
			grep -c "14000000........$(od -An -v -tx1 "$tmp/id" | tr -d ' \n')")" 1
}

# The kernel's sampling formats, to $formats: those that are modules are inserted
# from where its build has left them.
find_formats()
{
	formats=
	for format in default double aggregate callchain calldouble callaggregate; do
		module=$PERFMON_KERNEL/kernel/perfmon/formats/$format/pfm_$format.ko
		if [ -d $sysfs/formats/$format ] ||
			"$VICTIM" insmod $module 2>"$tmp/err"; then
			formats="$formats $format"
		else
			skip "the format $format is not there: $(cat "$tmp/err")"
		fi
	done
}

# have FORMAT
have()
{
	case " $formats " in
	*" $1 "*) return 0 ;;
	*) return 1 ;;
	esac
}

# counted NAME: what the kernel counted from sample to sample, all rows together.
counted()
{
	awk -v key="\"$1\": " 'i = index($0, key) {
		if (index($0, "{\"percent\"") == 1)
			n += substr($0, i + length(key)) + 0
	} END { printf "%.0f", n }' "$tmp/report"
}

# enough PATTERN COMMAND...: record the hot functions by a command that ends with
# the milliseconds, one second or more, until there are samples enough to judge
# by in rows that match. How many there are in a second depends on how often a
# CPU that is emulated gets a real one: on a busy host a dozen instead of 1000.
enough()
{
	pattern=$1
	shift
	for ms in 1000 4000 16000; do
		"$@" $ms
		report -f json --by process,address
		hits hot "$pattern"
		[ $((n_60 + n_30 + n_10)) -lt 200 ] || break
	done
}

# fair NAME: of the samples of the last hits, each function has as many as its
# name says, give or take five standard deviations for so many samples and two
# percent for what the functions do not share equally.
fair()
{
	check "$1: $n_60, $n_30 and $n_10 of $n_all samples are not 60:30:10" \
		awk -v a="$n_60" -v b="$n_30" -v c="$n_10" '
		function off(got, p) {
			d = got - p * n
			d = (d < 0 ? -d : d) - n / 50
			return d > 0 && d * d > 25 * n * p * (1 - p)
		}
		BEGIN {
			n = a + b + c
			exit n < 50 || off(a, .6) || off(b, .3) || off(c, .1)
		}'
}

# symbol_percent NAME: of all samples, without the fraction.
symbol_percent()
{
	report -f folded --by symbol
	awk -v name="$1" '{ n = $NF; all += n } $1 == name { sum += n }
		END { printf "%d", all ? sum * 100 / all : 0 }' "$tmp/report"
}

# Of a clock a sample comes when the period is over, or later.
no_more_than_counted()
{
	check "$1: $(json samples) samples of $3 in $(counted "$2")" \
		[ $(($(json samples) * $3)) -le "$(counted "$2")" ]
}

test_hot()
{
	find_places
	# Room for all samples: while a full buffer waits for pfmon the clock is not counted.
	enough "" record -R 0 -c 1000000 -b 1M -r task-clock "$VICTIM" hot
	expect "hot: status" "$status" 0
	fair "hot"
	# The rest of it is the beginning, and looks at the clock.
	check "hot: the program is in these functions" \
		[ $((4 * (n_60 + n_30 + n_10))) -ge $((3 * n_all)) ]
	no_more_than_counted "hot" task-clock 1000000
	between "hot: ms until the last sample" $(($(counted task-clock) / 1000000)) \
		$((ms / 2)) $(($(json elapsed_ns) / 1000000 + 1))
	report
	if has_symbols; then
		between "hot: percent in the symbol" "$(symbol_percent hot_60)" \
			$((n_60 * 100 / n_all)) $((n_60 * 100 / n_all))
		report --by symbol --format svg
		check "hot: flame graph" grep -q '<title>hot_60: ' "$tmp/report"
	else
		skip "this pfmon was built without libdw: symbols"
	fi
	enough "" record -R 0 -F 4000 -r task-clock "$VICTIM" hot
	fair "hot, 4000 Hz"
	no_more_than_counted "hot, 4000 Hz" task-clock 250000
}

test_hot_formats()
{
	find_places
	for format in $formats; do
		# Room for all that come once the host is idle; aggregates take less.
		room=4M
		[ $format != aggregate ] || room=256K
		enough "" record -f $format -b $room "$VICTIM" hot
		expect "hot, $format: status" "$status" 0
		fair "hot, $format"
		check "hot, $format: nothing lost" grep -q ' samples, 0 lost, ' "$tmp/said"
		enough '"victim"' record -f $format -C all "$VICTIM" hot
		expect "hot, $format, -C: status" "$status" 0
		fair "hot, $format, -C"
	done
}

test_hot_fork()
{
	find_places
	enough "" record "$VICTIM" hot-fork 4
	fair "hot, four processes"
	enough '"victim"' record sh -c "'$VICTIM' hot \$0 & '$VICTIM' hot \$0; wait"
	fair "hot, two at a time"
}

test_hot_process()
{
	find_places
	"$VICTIM" hot 600000 &
	hot=$!
	until_true grep -q hot "/proc/$hot/cmdline"
	enough "" record -p $hot -- "$VICTIM" nap
	kill $hot
	wait $hot 2>/dev/null
	expect "hot, -p: status" "$status" 0
	fair "hot, -p"
}

test_hot_cpus()
{
	find_places
	dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	other=$!
	enough '"victim"' record -R 0 -c 1000000 -r task-clock -C all "$VICTIM" hot
	kill $other
	wait $other 2>/dev/null
	expect "hot, -C: status" "$status" 0
	fair "hot, -C"
	no_more_than_counted "hot, -C" task-clock 1000000
	report --by process --format folded
	check "hot, -C: and of somebody else" grep -q '^dd ' "$tmp/report"
}

user_record()
{
	user record -o "$tmp/user/data" "$@"
	cp "$tmp/user/data" "$tmp/data"
}

# His own program; what he records is for him alone.
test_hot_user()
{
	find_places
	chmod 755 "$tmp"
	mkdir -m 777 "$tmp/user"
	enough "" user_record "$VICTIM" hot
	fair "hot, as a user"
	user record -o "$tmp/user/data" "$VICTIM" hot 10
	expect "hot, as a user: status" "$status" 0
	user report -i "$tmp/user/data" -f json --by process,address
	expect "hot, as a user: report" "$status" 0
	if have callchain; then
		enough "" user_record -f callchain "$VICTIM" hot
		fair "chains, as a user"
		report --by binary -f folded
		expect "chains, as a user: none of the kernel" \
			"$(grep -c "^\[kernel\]" "$tmp/report")" 0
	fi
	# A buffer is locked memory, of which a user may have some.
	# shellcheck disable=SC3045 # the shells that we have know it
	(ulimit -l 16 && user record -o "$tmp/user/data" "$VICTIM" hot 10
	exit "$status")
	expect "hot, as a user without locked memory: status" $? 125
	expect_err "hot, as a user without locked memory" "there is not enough memory"
	user record -o "$tmp/user/data" -p $$ true
	expect "record as a user, another's process: status" "$status" 125
	expect_err "record as a user, another's process" "it may not be traced"
}

# In the kernel: dd of single bytes is there most of the time.
test_hot_kernel()
{
	if ! grep -q '^0*[1-9a-f][0-9a-f]* [tT] ' /proc/kallsyms 2>/dev/null; then
		skip "/proc/kallsyms shows nothing: symbols of the kernel"
		return
	fi
	format=callchain
	have $format || format=default
	for blocks in 300000 3000000; do
		record -f $format dd if=/dev/zero of=/dev/null bs=1 count=$blocks
		report --by binary --format folded
		n=$(sed -n 's/^\[kernel\] //p' "$tmp/report")
		[ "${n:-0}" -lt 100 ] || break
	done
	between "kernel: samples" "${n:-0}" 50 1000000
	report --by binary,symbol --format folded
	unknown=$(sed -n 's/^\[kernel\];\[unknown\] //p' "$tmp/report")
	between "kernel: samples without a symbol" "${unknown:-0}" 0 $((n / 20 + 2))
	# From a system call of the program down to a function of the kernel.
	report -f folded
	[ $format = default ] || check "kernel: a chain through a system call" \
		grep -q '^dd;.*;ksys_\(read\|write\);' "$tmp/report"
	for format in aggregate callaggregate; do
		have $format || continue
		# An entry of callaggregate has the time of its first sample: that is
		# the shell's where dd is a part of the shell (busybox).
		dd=$(of_the_system dd)
		case $format,$(command -v "$dd") in
		callaggregate,[!/]*)
			skip "the shell becomes dd without execve(): samples of callaggregate"
			continue ;;
		esac
		# They are the program's, not what it was before.
		record -f $format sh -c "$dd if=/dev/zero of=/dev/null bs=1 count=300000; :"
		report --by process,binary --format folded
		n=$(sed -n 's/^dd;\[kernel\] //p' "$tmp/report")
		other=$(sed -n 's/^[^d][^;]*;\[kernel\] //p' "$tmp/report" |
			awk '{ n += $1 } END { print n + 0 }')
		check "kernel, $format: ${n:-0} of dd, $other of others" \
			[ "${n:-0}" -gt "$other" ]
	done
}

# callers: of the samples of the last record, how many have the same calls but for where they
# are, of the three chains that are the most frequent; and whether these differ in nothing but
# the function's caller.
callers()
{
	"$PFMON" script -i "$tmp/data" 2>"$tmp/err" | awk '
		/^\t/ { if (n++) line = line " " $1; next }
		/^$/ { print line; line = ""; n = 0 }' |
		sort | uniq -c | sort -rn | head -n 3 | awk '
		{ numbers = numbers $1 " "; $1 = $2 = ""; outer[$0] = 1 }
		END { for (o in outer) n += o ~ /[0-9a-f]/ ? 1 : 2; print numbers n }'
}

# Faults are counted where they happen: the chain is the one that is expected.
test_chains()
{
	have callchain || return 0
	for format in callchain calldouble; do
		have $format || continue
		record -f $format -b 512K -e minor-faults -c 1 "$VICTIM" pattern 100
		expect "chains, $format: callers" "$(callers)" "600 300 100 1"
	done
	for format in calldouble callaggregate; do
		have $format || continue
		record -f $format -b 512K -e minor-faults -c 1 "$VICTIM" pattern 100
		expect "chains, $format: status" "$status" 0
		report
		has_symbols || continue
		report -f folded
		for pair in 60:600 30:300 10:100; do
			expect "chains, $format: of fault_${pair%:*}" "$(sed -n \
				"s/^victim;.*;main;.*do_pattern;fault_${pair%:*} //p" \
				"$tmp/report")" "${pair#*:}"
		done
	done
	record -f callchain -b 512K -e minor-faults -c 1 "$VICTIM" pattern 100
	expect "chains: status" "$status" 0
	report
	if ! has_symbols; then
		skip "this pfmon was built without libdw: chains of symbols"
		return
	fi
	report -f folded
	for pair in 60:600 30:300 10:100; do
		expect "chains: of fault_${pair%:*}" "$(sed -n \
			"s/^victim;.*;main;.*do_pattern;fault_${pair%:*} //p" \
			"$tmp/report")" "${pair#*:}"
	done
	report -f svg
	check "chains: a caller in the flame graph is as wide as its callees" \
		grep -q '<title>do_pattern: 1,000 samples, ' "$tmp/report"
	report -f json --by chain
	check "chains: JSON" grep -q '"samples": 600, "chain": \[.*"do_pattern", "fault_60"\]' \
		"$tmp/report"
	report -f folded --by symbol
	check "chains: where it is, without them" grep -q '^fault_30 300$' "$tmp/report"
}

# shares NAME PERCENT LEAST: of the samples of the last hits, of which there are so many at
# least, each function has what its name says, give or take so many percent of all three's.
shares()
{
	check "$1: $n_60, $n_30 and $n_10 samples are not 60:30:10 within $2 percent" \
		awk -v a="$n_60" -v b="$n_30" -v c="$n_10" -v percent="$2" -v least="$3" '
		function off(got, p) {
			d = got - p * n
			return (d < 0 ? -d : d) > n * percent / 100
		}
		BEGIN {
			n = a + b + c
			exit n < least || off(a, .6) || off(b, .3) || off(c, .1)
		}'
}

# What three functions do does not depend on time: faults, exactly, and instructions.
test_shares()
{
	find_places
	for format in $formats; do
		record -f $format -b 512K -e minor-faults -c 1 "$VICTIM" pattern 200
		report -f json --by process,address
		hits fault
		expect "shares of faults, $format" "$n_60 $n_30 $n_10" "1200 600 200"
	done
	if ! "$PFMON" info | grep -q '^  instructions '; then
		skip "shares of instructions: the PMU is '$(cat $sysfs/pmu_model)'"
		return
	fi
	for format in $formats; do
		# As in test_hot_formats.
		room=4M
		[ $format != aggregate ] || room=256K
		for ms in 200 800 3200; do
			record -f $format -b $room -e instructions:u -c 50021 -R 0 \
				"$VICTIM" hot $ms
			report -f json --by process,address
			hits hot
			[ $((n_60 + n_30 + n_10)) -lt 2000 ] || break
		done
		expect "shares of instructions, $format: status" "$status" 0
		check "shares of instructions, $format: nothing lost" \
			grep -q ' samples, 0 lost, ' "$tmp/said"
		shares "shares of instructions, $format" 1 1000
	done
}

# like_perf FILE: are these lines what programs that read perf script take for samples?
like_perf()
{
	awk '
	/^[^ \t].* +[0-9]+ \[[0-9]+\] +[0-9]+\.[0-9]+: +[0-9]+ [^ ]+: *$/ { chains++; next }
	/^ *[^ \t].* +[0-9]+ \[[0-9]+\] +[0-9]+\.[0-9]+: +[0-9]+ [^ ]+: +[0-9a-f]+ .* \(.*\)$/ { n++; next }
	/^\t *[0-9a-f]+ [^ ]+.* \(.*\)$/ { calls++; next }
	/^$/ { ends++; next }
	{ print; bad++ }
	END { exit bad || chains != ends || !(n + calls) }' "$1" >"$tmp/bad"
}

# The same program's samples as pfmon and as perf print them.
test_script()
{
	record -e minor-faults -c 1 "$VICTIM" pattern 100
	"$PFMON" script -i "$tmp/data" >"$tmp/script"
	check "script: lines" like_perf "$tmp/script"
	report
	if ! has_symbols; then
		skip "this pfmon was built without libdw: the symbols of script"
		return
	fi
	expect "script: samples" "$(grep -c 'fault_60+0x' "$tmp/script")" 600
	if have callchain; then
		record --call-graph fp -b 512K -e minor-faults -c 1 "$VICTIM" pattern 100
		"$PFMON" script -i "$tmp/data" --symbol fault_60 >"$tmp/script" 2>"$tmp/err"
		check "script: chains" like_perf "$tmp/script"
		expect "script: of each sample" "$(grep -c '^$' "$tmp/script")" 600
		expect "script: callers" "$(grep -c 'do_pattern+0x' "$tmp/script")" 600
		# What is called first is the last line.
		check "script: the innermost is first" sh -c \
			"sed -n 2p '$tmp/script' | grep -q 'fault_60+0x'"
	fi
	if ! command -v perf >/dev/null; then
		skip "there is no perf: its script is not compared"
		return
	fi
	for calls in "" -g; do
		# shellcheck disable=SC2086 # nothing or a word
		if ! perf record -q $calls -a -e minor-faults -c 1 -o "$tmp/perf" \
			"$VICTIM" pattern 100 >/dev/null 2>"$tmp/err"; then
			skip "perf cannot record here: its script is not compared"
			return
		fi
		perf script -i "$tmp/perf" >"$tmp/script" 2>/dev/null
		check "script: the pattern is that of perf $calls" like_perf "$tmp/script"
	done
}

# pfmon is stopped while a small buffer gets full: that is told, and counted.
test_lost()
{
	for ms in 1500 6000 24000; do
		record -b 2K "$VICTIM" freeze 0 $ms
		report -f json --by process
		[ "$(json full)" -eq 0 ] || [ "$(json masked_ns)" -lt 500000000 ] || break
	done
	check "lost: the file is complete" [ "$(json complete)" = true ]
	between "lost: times that the buffer was full" "$(json full)" 1 1000
	between "lost: ms that it waited" $(($(json masked_ns) / 1000000)) 500 60000
	between "lost: by an estimate" "$(lost estimated)" 1 \
		$(($(json masked_ns) / 1000000 + 1))
	expect "lost: by the kernel's count" "$(lost samples)" 0
	check "lost: record says so" grep -Eq \
		'^[0-9,]+ samples, about [1-9][0-9,]* lost, ' "$tmp/said"
	check "lost: and why" grep -q '^ note: sampling stopped [0-9,]* times* for a full buffer' "$tmp/said"
	report
	check "lost: report says so" grep -q '; about [1-9][0-9,]* lost; ' "$tmp/report"

	# Enough room, and nobody who sleeps: nothing is lost.
	record "$VICTIM" hot 500
	check "nothing lost" grep -q ' samples, 0 lost, ' "$tmp/said"
}

# Too fast for the kernel: it stops sampling, which is told.
test_too_fast()
{
	limit=$(cat $sysfs/interrupts_max)
	for format in default double calldouble callaggregate; do
		have $format || continue
		# Stopped twice: so it went on after the first time.
		for ms in 1000 4000 16000; do
			echo 2 >$sysfs/interrupts_max
			record -f $format -b 256K -F 2000 "$VICTIM" hot $ms
			echo "$limit" >$sysfs/interrupts_max
			report -f json --by process
			[ "$(json throttled)" -lt 2 ] || break
		done
		between "too fast, $format: times that it was stopped" \
			"$(json throttled)" 2 1000000
		check "too fast, $format: record says so" grep -q \
			'^ note: sampling was too fast and was stopped ' "$tmp/said"
	done
}

# 25,600 faults at 256 places while pfmon is stopped, and its buffer has room
# for less: what there is and what is lost are all of them. The program has some
# faults before that, nearly as many each time.
test_lost_exactly()
{
	for format in double aggregate calldouble callaggregate; do
		have $format || continue
		small=4K
		case $format in
		calldouble) small=16K ;;
		callaggregate) small=64K ;;
		esac
		record -f $format -b 512K -e minor-faults -c 1 "$VICTIM" scatter 0
		report -f json --by process
		before=$(json samples)
		record -f $format -b $small -e minor-faults -c 1 "$VICTIM" freeze 100
		expect "lost, $format: status" "$status" 0
		report -f json --by process
		between "lost, $format: samples" "$(lost samples)" 1000 25600
		between "lost, $format: and those that are there" \
			$(($(lost samples) + $(json samples))) \
			$((25600 + before - 10)) $((25600 + before + 50))
		expect "lost, $format: nothing is estimated" "$(lost estimated)" 0
		check "lost, $format: record says so" grep -Eq \
			'^[0-9,]+ samples, [1-9][0-9,]* lost, ' "$tmp/said"
		if [ $format = calldouble ]; then
			report
			check "lost, $format: report says where" grep -Eq \
				'[1-9][0-9]* gaps? where samples were lost, ' "$tmp/report" "$tmp/err"
		fi
		# And while it reads and empties the buffer all the time.
		record -f $format -b $small -e minor-faults -c 1 "$VICTIM" scatter 200
		report -f json --by process
		between "lost meanwhile, $format: and those that are there" \
			$(($(lost samples) + $(json samples))) \
			$((51200 + before - 10)) $((51200 + before + 10))
	done
}

# Processes that are gone before anybody can look at them.
test_short_lived()
{
	record -e minor-faults -c 1 "$VICTIM" fork 50 50
	report --by process,binary --format folded
	unknown=$(sed -n 's/^victim;\[unknown\] //p' "$tmp/report")
	known=$(sed -n "s|^victim;$VICTIM ||p" "$tmp/report")
	between "short-lived: samples" "${known:-0}" 2500 10000
	between "short-lived: samples of nobody knows what" "${unknown:-0}" 0 20

	# Those that execute a program tell the kernel, which tells pfmon; but not
	# of the vDSO, by which 32-bit programs enter the kernel: no file.
	have callchain || return 0
	record -C all -f callchain -b 512K -e minor-faults -c 1 "$VICTIM" vfork 50 50
	report --by process,binary --format folded
	unknown=$(awk '/^(victim|pid [0-9]*);\[unknown\] / { n += $NF }
		END { print n + 0 }' "$tmp/report")
	known=$(sed -n "s|^victim;$VICTIM ||p" "$tmp/report")
	between "short-lived, -C: samples" "${known:-0}" 2500 10000
	between "short-lived, -C: samples of nobody knows what" "$unknown" 0 400
}

# One of the three functions has them all, whichever the first sample hit.
lockstep()
{
	[ "$n_60 $n_30 $n_10" = "$1 0 0" ] || [ "$n_60 $n_30 $n_10" = "0 $1 0" ] ||
		[ "$n_60 $n_30 $n_10" = "0 0 $1" ]
}

# Figure 3.20: ten faults a round, six in one function, three in the next and
# one in the last. A sample each twenty is always at the same place of a round.
test_bias()
{
	find_places
	for format in $formats; do
		record -f $format -b 512K -e minor-faults -c 20 -R 0 "$VICTIM" pattern 2000
		report -f json --by process,address
		hits fault
		check "bias, $format: $n_60, $n_30 and $n_10 with a fixed period" \
			lockstep 1000
		record -f $format -b 512K -e minor-faults -c 20 -R 0xf "$VICTIM" \
			pattern 2000
		report -f json --by process,address
		hits fault
		fair "bias, $format, periods from 5 to 20"
		# A mean period of 12.5, and five standard deviations.
		between "bias, $format: samples, random" $((n_60 + n_30 + n_10)) 1525 1675
	done
}

# Who asks for nothing gets periods that do not keep step: of a loop that divides the period,
# and of one that is as long. Twenty faults are two rounds.
test_default_periods()
{
	find_places
	for format in $formats; do
		record -f $format -b 512K -e minor-faults -c 20 "$VICTIM" pattern 16000
		report -f json --by process,address
		hits fault
		shares "periods as they come, faults, $format" 2 5000
		between "periods as they come, faults, $format: samples" $((n_60 + n_30 + n_10)) 7800 8400
	done
	for format in $formats; do
		case $format in *aggregate) continue ;; esac
		record -f $format -b 1M -e minor-faults -F 500 "$VICTIM" pattern 16000
		report -f json --by process,address
		hits fault
		fair "periods as they come, faults, $format, -F"
	done
	if ! "$PFMON" info | grep -q '^  instructions '; then
		skip "periods as they come: the PMU is '$(cat $sysfs/pmu_model)'"
		return
	fi
	stat -e instructions:u "$VICTIM" rounds 100 20000
	length=$(value instructions:u)
	stat -e instructions:u "$VICTIM" rounds 200 20000
	length=$((($(value instructions:u) - length + 50) / 100))
	record -b 512K -e instructions:u -c $length -R 0 "$VICTIM" rounds 1000 20000
	report -f json --by process,address
	hits hot
	check "a loop of $length instructions: $n_60, $n_30 and $n_10 with a fixed period" \
		[ $((100 * n_60 / (n_60 + n_30 + n_10 + 1) - 60)) -ne 0 ]
	for format in $formats; do
		room=1M
		[ $format != aggregate ] || room=256K
		record -f $format -b $room -e instructions:u -c $length "$VICTIM" rounds 8000 20000
		report -f json --by process,address
		hits hot
		shares "a loop of $length instructions, $format" 2 5000
	done
	# About as often as the loop is over.
	enough "" record -b 1M -e instructions:u -F 1000 "$VICTIM" hot
	fair "periods as they come, instructions, -F"
}

test_random()
{
	find_places
	enough "" record -F 2000 -R 0x3ffff -r task-clock "$VICTIM" hot
	fair "random periods"
	no_more_than_counted "random periods" task-clock $((500000 - 0x3ffff / 2))
}

# Faults at each sample of the task clock, and samples of faults.
test_readings()
{
	record -b 256K -c 100000 -R 0 -r minor-faults "$VICTIM" touch 20000
	report -f json --by process
	between "faults between samples" "$(counted minor-faults)" 1 20300
	# A fault's overflow is at the fault: what is counted is what is sampled.
	for format in default double callchain calldouble; do
		have $format || continue
		record -f $format -b 512K -e minor-faults -c 10 -r minor-faults \
			"$VICTIM" touch 20000
		report -f json --by process
		between "samples of faults, $format" "$(json samples)" 2000 2030
		expect "faults between samples of faults, $format" \
			"$(counted minor-faults)" $((10 * $(json samples)))
	done
	for format in aggregate callaggregate; do
		have $format || continue
		record -f $format -b 512K -e minor-faults -c 10 "$VICTIM" touch 20000
		report -f json --by process
		between "samples of faults, $format" "$(json samples)" 2000 2030
	done
	report
	if has_symbols; then
		between "samples of faults: percent in touch()" "$(symbol_percent touch)" 95 100
	else
		skip "this pfmon was built without libdw: symbols"
	fi
}

# estimates NAME KEY: of all estimates of an event, one a line.
estimates()
{
	grep -o "{\"name\": \"$1\"[^}]*}" "$tmp/json" | sed -n "s/.*\"$2\": \([0-9.]*\)[,}].*/\1/p"
}

# near PERCENT WANT: all numbers of standard input are, and there is one.
near()
{
	awk -v percent="$1" -v want="$2" '
		{ d = $1 - want; bad += d > want * percent / 100 || -d > want * percent / 100 }
		END { exit !NR || bad }'
}

# The clock of a program that spins, in three sets: each has a third of the time or
# nearly so, and each estimate is what it takes all in all. Whatever keeps a virtual CPU
# from running adds to the time of a set and to its clock alike.
test_sets_time()
{
	clocks=task-clock,task-clock,task-clock,task-clock
	clocks=$clocks,$clocks,$clocks,$clocks,$clocks,$clocks
	got=0
	for ms in 200 400 800 1600 3200; do
		stat -e $clocks "$VICTIM" spin $ms
		expect "24 clocks: status" "$status" 0
		estimates task-clock value >"$tmp/values"
		clock=$(sort -n "$tmp/values" | head -n 1)
		if near 5 "${clock:-0}" <"$tmp/values" &&
			near 80 0.333 <<-END
			$(estimates task-clock share)
			END
		then
			break
		fi
	done
	expect "24 clocks: sets" "$(field sets)" 3
	expect "24 clocks: all are estimates" "$(wc -l <"$tmp/values" | tr -d ' ')" 24
	check "24 clocks: they agree: $(tr '\n' ' ' <"$tmp/values")" near 5 "$clock" <"$tmp/values"
	# It spins until its own clock has come so far; unscaled it would be a third.
	between "24 clocks: ms" $((clock / 1000000)) $((ms - ms / 20)) \
		$((3 * ms + 3 * ($(field user_ns) + $(field system_ns)) / 1000000))
	check "24 clocks: shares" near 0.1 24 <<-END
	$(estimates task-clock share | awk '{ n += $1 } END { print 3 * n }')
	END
	# What need not take turns is exact.
	for ms in 50 200 800; do
		stat -C all --switch-timeout 1 -e cs -e task-clock "$VICTIM" spin $ms
		{
			estimates context-switches share
			estimates task-clock share
		} >"$tmp/values"
		! near 99.9 0.5 <"$tmp/values" || break
	done
	expect "sets of all CPUs: status" "$status" 0
	expect "sets of all CPUs: CPUs" "$(field cpus)" "$cpus"
	check "sets of all CPUs: both had turns: $(tr '\n' ' ' <"$tmp/values")" \
		near 99.9 0.5 <"$tmp/values"
	"$VICTIM" nap 600000 >/dev/null &
	nap=$!
	until_true grep -q nap "/proc/$nap/cmdline"
	for _ in 1 2 3 4 5 6 7 8; do
		stat -p $nap --switch-timeout 0.1 -e cs -e cs -- sleep 0.5
		[ "$(estimates context-switches counted | awk '$1 >= 3' | wc -l)" -lt 2 ] || break
	done
	expect "sets of a process: both counted" "$(estimates context-switches counted |
		awk '$1 >= 3' | wc -l | tr -d ' ')" 2
	kill $nap
	wait $nap 2>/dev/null
}

# Ten faults in one set, ten in the other: half of them in each, whatever the time.
test_sets_overflow()
{
	faults "$VICTIM" touch 1000
	stat -e minor-faults -e minor-faults,minor-faults --switch-overflow minor-faults=10 \
		"$VICTIM" touch 1000
	expect "turns of ten faults: status" "$status" 0
	expect "turns of ten faults: sets" "$(field sets)" 2
	estimates minor-faults counted >"$tmp/values"
	expect "turns of ten faults: events" "$(wc -l <"$tmp/values" | tr -d ' ')" 3
	while read -r n; do
		between "turns of ten faults: in one set" "$n" $((faults / 2 - 40)) \
			$((faults / 2 + 40))
	done <"$tmp/values"
	between "turns of ten faults: in both" $(($(sed -n 1p "$tmp/values") +
		$(sed -n 2p "$tmp/values"))) $((faults - 40)) $((faults + 40))
	# Each thread begins with another set: one that ends in its first turn has a share.
	stat -e minor-faults -e minor-faults --switch-overflow minor-faults=1000000 \
		"$VICTIM" fork 40 100
	estimates minor-faults counted >"$tmp/values"
	for n in $(cat "$tmp/values"); do
		between "turns of many faults: in one set" "$n" 2000 8000
	done
}

# Turns that are so short that the kernel stops the context: it goes on, and pfmon says so.
test_sets_too_fast()
{
	limit=$(cat $sysfs/interrupts_max)
	for ms in 1000 4000 16000; do
		echo 2 >$sysfs/interrupts_max
		stat -e minor-faults -e minor-faults --switch-overflow task-clock=100000 \
			"$VICTIM" hot $ms
		echo "$limit" >$sysfs/interrupts_max
		stopped=$(sed -n 's/.*the kernel stopped counting \([0-9,]*\) time.*/\1/p' \
			"$tmp/json" | tr -d ,)
		[ "${stopped:-0}" -lt 2 ] || break
	done
	between "turns too fast: times that it was stopped" "${stopped:-0}" 2 1000000
}

# Every tenth fault, in whichever of two sets it is counted: no sample is lost in a switch,
# and each set's counter goes on where it was.
test_sets_samples()
{
	find_places
	for format in $formats; do
		record -f $format -b 512K -e minor-faults -e minor-faults -c 10 \
			--switch-timeout 0.1 "$VICTIM" touch 20000
		report -f json --by process
		expect "samples in two sets, $format: status" "$status" 0
		between "samples in two sets, $format" "$(json samples)" 1998 2030
	done
	# Ten faults in one set, ten in the other, and a sample after five.
	record -b 512K -e minor-faults -e minor-faults -c 5 --switch-overflow minor-faults=10 \
		"$VICTIM" touch 20000
	report -f json --by process
	expect "samples in turns of ten faults: status" "$status" 0
	between "samples in turns of ten faults" "$(json samples)" 3990 4060
	report -f json --by process -e minor-faults=10
	between "samples of the ends of turns" "$(json samples)" 1990 2030
	# Nothing is sampled in the other turn: a sample every five nanoseconds of task-clock
	# would have the kernel stop the context.
	record -b 512K -e minor-faults -e major-faults -c 5 --switch-overflow minor-faults=10 \
		"$VICTIM" touch 20000
	report -f json --by process -e minor-faults
	between "samples in every other turn of ten faults" "$(json samples)" 1950 2070
	# Until neither set has nearly all of the time. Nothing is sampled in the other one, as above.
	for n in 5000 20000 80000; do
		record -b 512K -e minor-faults -e major-faults -r minor-faults -c 10 \
			--switch-timeout 0.1 "$VICTIM" touch $n
		report -f json --by process -e major-faults
		clock=$(grep -o '"share": [0-9.]*' "$tmp/report")
		report -f json --by process -e minor-faults
		share=$(grep -o '"share": [0-9.]*' "$tmp/report")
		! echo "${share#*: }" | near 80 0.5 || break
	done
	check "samples of a set: $share and $clock are not all" near 0.1 1 <<-END
	$(echo "${share#*: } ${clock#*: }" | awk '{ print $1 + $2 }')
	END
	between "samples of a set: some are missing" "$(json samples)" 1 $((n / 10 - 10))
	# Its own counter of the same faults.
	expect "samples of a set: faults between them" "$(counted minor-faults)" \
		$((10 * $(json samples)))
	enough "" record --switch-timeout 0.5 -e task-clock -e cs "$VICTIM" hot
	fair "hot, in turns"
}

# spent: user-level instructions of a loop of the shell that is always the same, by the
# options, to $tmp/values.
spent()
{
	stat "$@" sh -c "i=0; while [ \$i -lt $loops ]; do i=\$((i + 1)); done"
	estimates "$by_number" value >"$tmp/values"
}

# is_ppc: is it a PowerPC of 32 bits or a 970, where all counters of a set count the same
# levels?
is_ppc()
{
	grep -q '^PowerPC ' $sysfs/pmu_model
}

# As many instructions as there are counters, and one more.
one_too_many()
{
	n=$("$PFMON" stat --help | sed -n 's/.*hardware PMU, at most \([0-9]*\) at a time:/\1/p')
	list=$by_number
	for _ in $(seq "$n"); do
		list=$list,$by_number
	done
}

# Counts of a steady program that took turns, beside those that did not.
test_sets_hardware()
{
	if ! "$PFMON" explain $by_number >/dev/null 2>&1; then
		skip "sets of hardware events: the PMU is '$(cat $sysfs/pmu_model)'"
		return
	fi
	one_too_many
	# Until the CPU was there often enough, and evenly enough.
	for loops in 30000 60000 120000 240000 480000; do
		stat -e instructions:u sh -c "i=0; while [ \$i -lt $loops ]; do i=\$((i + 1)); done"
		alone=$(value instructions:u)
		spent -e "$list,cs"
		if near 15 "$alone" <"$tmp/values" &&
			near 60 0.5 <<-END
			$(estimates "$by_number" share)
			END
		then
			break
		fi
	done
	expect "one too many: sets" "$(field sets)" 2
	expect "one too many: events" "$(wc -l <"$tmp/values" | tr -d ' ')" $((n + 1))
	check "one too many: not within 15 percent of $alone: $(tr '\n' ' ' <"$tmp/values")" \
		near 15 "$alone" <"$tmp/values"
	check "one too many: the software's are counted all the time" \
		grep -q '"context-switches", "value": [0-9]*, "unit": "count"}' "$tmp/json"
	stat --no-multiplex -e "$list" true
	expect "one too many, not in turns: status" "$status" 125
	case $(cat $sysfs/pmu_model) in
	PowerPC*) why=", or it counts other levels" ;;
	# Two more counters have an event each.
	POWER*) why=", which not every counter can count: see pfmon explain" ;;
	*) why=": at most $n hardware events at a time" ;;
	esac
	expect_err "one too many, not in turns" "no counter is left for '$by_number'$why"
	# By instructions: as many in each set, and all of them in both.
	spent -e "$by_number" -e "$by_number" --switch-overflow instructions:u=50000
	estimates "$by_number" counted >"$tmp/values"
	check "turns of 50000 instructions: not half of $alone each: $(tr '\n' ' ' <"$tmp/values")" \
		near 10 $((alone / 2)) <"$tmp/values"
	between "turns of 50000 instructions: all" $(($(sed -n 1p "$tmp/values") +
		$(sed -n 2p "$tmp/values"))) $((alone - alone / 50)) $((alone + alone / 50))
	stat -C 0 --switch-timeout 1 -e instructions -e cycles "$VICTIM" spin 50
	expect "sets of hardware events of a CPU: status" "$status" 0
	check "sets of hardware events of a CPU: counted" [ "$(value instructions)" -gt 0 ]
	user stat -j -o /dev/null -e "$list" true
	expect "one too many, as a user: status" "$status" 0
}

# steady OPTION...: a loop of the shell that is always the same, for ten seconds. It sleeps
# as long, which is no set's time.
steady()
{
	stat "$@" sh -c "sleep 5; i=0; while [ \$i -lt $loops ]; do i=\$((i + 1)); done; sleep 5"
}

# in_turns NAME: the estimates of the last run, of each set, beside the counts in
# $tmp/alone, which took no turns.
in_turns()
{
	expect "a steady program, $1: sets" "$(field sets)" 4
	for event in $events; do
		estimates "$event" value >"$tmp/values"
		expect "a steady program, $1: sets with $event" \
			"$(wc -l <"$tmp/values" | tr -d ' ')" 4
		alone=$(sed -n "s/^$event //p" "$tmp/alone")
		check "a steady program, $1: $event not within 2 percent of $alone: $(tr '\n' ' ' <"$tmp/values")" \
			near 2 "${alone:-0}" <"$tmp/values"
	done
}

# A steady program's counts of ten seconds that took turns are those of counters that had
# none, within two percent. Needs time that is the guest's own: of a machine that is busy
# otherwise, so many instructions each turn as the others leave.
test_sets_steady()
{
	# Instructions, cycles, branches and bus cycles, or instructions dispatched, which fill
	# the general counters of a set, and two that have fixed ones. And three that leave a
	# general counter free.
	case $(cat $sysfs/pmu_model) in
	POWER*) events="r2:u r1e:u r10068:u r200f2:u r500fa:u r600f4:u"
		three="r2:u r10068:u r200f2:u r600f4:u" ;;
	*) events="rc0:u r3c:u rc4:u r13c:u instructions:u cycles:u"
		three="rc0:u rc4:u r13c:u cycles:u" ;;
	esac
	for event in $events; do
		if ! "$PFMON" explain "$event" >/dev/null 2>&1; then
			skip "a steady program: the PMU is '$(cat $sysfs/pmu_model)'"
			return
		fi
	done
	list=$(echo "$events" | tr ' ' ',')
	loops=10000
	steady -e "$list"
	user=$(field user_ns)
	loops=$((loops * 10800 / (${user:-0} / 1000000 + 1)))
	steady -e "$list"
	expect "a steady program: without turns" "$(field sets)" 1
	between "a steady program: its time" "$(field user_ns)" 10000000000 12000000000
	for event in $events; do
		echo "$event $(value "$event")"
	done >"$tmp/alone"
	steady -e "$list" -e "$list" -e "$list" -e "$list"
	in_turns "turns of a millisecond"
	# Where each set ends after so many of its own, for which it needs a counter.
	events=$three
	list=$(echo "$events" | tr ' ' ',')
	steady -e "$list" -e "$list" -e "$list" -e "$list" --switch-overflow instructions:u=100000
	in_turns "turns of 100000 instructions"
}

# instructions: of a run of the victim that does always the same, to $got.
instructions()
{
	stat -e instructions:u "$VICTIM" pattern "$1"
	got=$(value instructions:u)
}

# The hardware's events, where there is hardware that pfmon knows.
test_hardware()
{
	if ! "$PFMON" info | grep -q '^  instructions '; then
		stat -e cycles true
		expect "cycles without hardware: status" "$status" 125
		expect_err "cycles without hardware" \
			"^pfmon: no event 'cycles': .*\(this machine has no PMU that\|not known to pfmon yet\)"
		skip "hardware events: the PMU is '$(cat $sysfs/pmu_model)'"
		return
	fi
	stat true
	expect "cycles are counted by default" "$(value cycles | grep -c .)" 1
	instructions 4000
	first=$got
	instructions 4000
	between "instructions of the same twice" "$got" $((first - 200)) $((first + 200))
	instructions 8000
	between "instructions of twice the work" "$got" $((first * 2 - first / 5)) \
		$((first * 2))
	# One after the other: not every PMU counts several levels at a time.
	stat -e instructions:k "$VICTIM" touch 1000
	between "a thousand faults: the kernel's instructions" \
		"$(value instructions:k)" 100000 1000000000
	stat -e instructions:u "$VICTIM" touch 1000
	program=$(value instructions:u)
	stat -e instructions "$VICTIM" touch 1000
	between "the kernel's instructions are among all" "$(value instructions)" \
		$((program + 100000)) 1000000000
	if is_ppc; then
		stat -e instructions,instructions:u "$VICTIM" spin 50
		expect "two levels: sets" "$(field sets)" 2
		stat --no-multiplex -e instructions,instructions:u true
		expect "two levels at a time: status" "$status" 125
	fi
	"$PFMON" stat -e cycles,instructions "$VICTIM" spin 50 2>"$tmp/err"
	check "instructions per cycle" grep -Eq '^ *[0-9,]+    instructions  # [0-9]+\.[0-9]{2} IPC$' "$tmp/err"
	stat -e instructions:u -C 0 true
	expect "instructions of a CPU: status" "$status" 0
	stat -e cs:u true
	expect_err "a modifier of software" "'context-switches:u': events of the software have no modifiers"

	# Samples are the kernel's own count, divided.
	for period in 100 1000; do
		record -b 256K -e instructions:u -c $period -R 0 -r instructions:u "$VICTIM" \
			pattern 4000
		report -f json --by process
		between "instructions sampled each $period" "$(json samples)" \
			$(((first - 200) / period - first / period / 50)) \
			$(((first + 200) / period))
		between "instructions between samples" "$(counted instructions:u)" \
			$((period * $(json samples))) $((first + 200))
	done

	# Who may not count CPUs counts his programs only.
	echo 1 >$hardened
	chmod 755 "$tmp"
	mkdir -m 777 "$tmp/levels"
	user stat -j -o "$tmp/levels/json" -e instructions true
	expect "instructions for a user: status" "$status" 0
	check "instructions for a user" grep -q '"instructions:u"' "$tmp/levels/json"
	user stat -e instructions:k true
	expect "the kernel's instructions for a user: status" "$status" 125
	expect_err "the kernel's instructions for a user" "needs the right to count whole CPUs"
}

# add_name NAME: one more of $names, if there is a counter for it, too
add_name()
{
	! "$PFMON" explain "$names,$1" >/dev/null 2>&1 || names=$names,$1
}

# Events by other names, and on the counters that can count them.
test_names()
{
	if ! "$PFMON" info | grep -q '^  instructions '; then
		skip "events by names: the PMU is '$(cat $sysfs/pmu_model)'"
		return
	fi
	check "list: the hardware's" grep -q '^  instructions  *instructions that' <<-END
	$("$PFMON" list)
	END
	# Pentium 4 has no counter for both, POWER's counters begin with 1, and of other PowerPCs
	# both are of one level.
	kernel=k counters='0 1 '
	case $(cat $sysfs/pmu_model) in
	Intel\ P4*) counters='0 12 ' ;;
	POWER*) counters='1 2 ' ;;
	PowerPC*) kernel=u counters='1 2 ' ;;
	esac
	expect "explain: hardware" "$(counted_by cycles:u,instructions:$kernel)" "$counters"
	check "explain: the level" grep -Eq ' = 0x(4200c0|4000208|200000002|4000000[01])$' \
		"$tmp/explained"
	name=
	for words in INST_RETIRED:ANY_P INST_RETIRED RETIRED_INSTRUCTIONS \
		instr_retired:NBOGUSNTAG PM_INST_CMPL; do
		[ -n "$name" ] || ! "$PFMON" explain $words >/dev/null 2>&1 || name=$words
	done
	names=instructions:u
	if [ -z "$name" ]; then
		skip "no names of libpfm4: not built with it, or it does not know the processor"
	else
		add_name "$name:u"
		check "list: libpfm4's" grep -q "^  ${name%:*} " <<-END
		$("$PFMON" list "*INST*")
		END
		record -e "$name:u" -c 1000 "$VICTIM" pattern 4000
		report -f json --by process
		check "libpfm4's names: samples" [ "$(json samples)" -gt 0 ]
	fi
	# Each that the model has is counted, on whole CPUs and time after time.
	for words in branch-misses cache-references cache-misses l1-misses l1-accesses; do
		if ! "$PFMON" explain $words >/dev/null 2>"$tmp/err"; then
			check "$words: it is said that there is none" grep -q \
				'has none that is known to count it\|(CPUID) that it does not count it' "$tmp/err"
			continue
		fi
		"$PFMON" stat -a -I 100 -e $words -x , -o "$tmp/csv" -- sleep 0.3
		expect "$words: status" $? 0
		check "$words: more than one interval" [ "$(grep -c $words "$tmp/csv")" -gt 1 ]
	done
	add_name fixed0:u
	add_name $by_number
	# The same event of another counter alone.
	add_name r500fa:u
	! is_ppc || add_name r30${by_number#r}
	stat --no-multiplex -e "$names" "$VICTIM" pattern 4000
	expect "names of one event: status" "$status" 0
	for words in $(echo "$names" | tr , ' '); do
		between "instructions by the name $words" "$(value "$words")" \
			$(($(value instructions:u) - 50)) $(($(value instructions:u) + 50))
	done
}

# rate_of ARGUMENT...: samples of the event $event in a second of the program's CPU time,
# of which the kernel counts how much there is between samples, to $got.
rate_of()
{
	record -b 1M -F "$frequency" -r task-clock "$@"
	report -f json --by process -e "$event"
	got=$(awk -v n="$(json samples)" -v ns="$(counted task-clock)" \
		'BEGIN { print ns ? int(n * 1e9 / ns) : 0 }')
}

# as_asked: $got is within 10 % of $frequency.
as_asked()
{
	[ "$got" -ge $((frequency * 9 / 10)) ] && [ "$got" -le $((frequency * 11 / 10)) ]
}

# rate_is_as_asked NAME ARGUMENT...: of a command that ends with the milliseconds. A virtual
# CPU that has to wait for a real one is not steady: once is enough.
rate_is_as_asked()
{
	name=$1
	shift
	for ms in 1000 2000 4000 8000; do
		rate_of "$@" $ms
		! as_asked || break
	done
	check "$frequency samples of $event a second, $name: $got" as_asked
}

# The same instructions each time.
summing()
{
	"$@" awk 'BEGIN { while (++i < 2000000) n += i }'
}

test_frequency()
{
	if ! "$PFMON" info | grep -q '^  instructions '; then
		skip "frequencies of hardware events: the PMU is '$(cat $sysfs/pmu_model)'"
		return
	fi
	while read -r event frequency args; do
		case $args in
		*calldouble*) have calldouble || continue ;;
		esac
		# shellcheck disable=SC2086 # words
		rate_is_as_asked "$args" -e "$event" $args "$VICTIM" hot
		report
		check "$event, $args: the report says so" grep -Eq \
			" samples of $event, [0-9,]+ a second, one each [0-9,]+ on average; " \
			"$tmp/report"
	done <<-END
		cycles 1000
		instructions 100
		branches 1000
		instructions:u 200 -R 0xfffff
		instructions 500 -f calldouble
	END
	# Of a process that runs already.
	"$VICTIM" hot 600000 &
	hot=$!
	event=instructions frequency=500
	rate_is_as_asked "-p" -e instructions -p $hot -- "$VICTIM" nap
	kill $hot
	wait $hot 2>/dev/null
	# In turns, of the time of each; and so the clock is its own, too.
	for event in instructions:u branches:u; do
		frequency=500
		rate_is_as_asked "in turns" -e instructions:u -e branches:u \
			--switch-timeout 2 "$VICTIM" hot
	done
	# Nothing that is counted is in no sample, but for what comes after the last one, and
	# until the first period was mended. A machine that is slow for its clock has many more
	# samples: there is room for them.
	summing stat -e instructions:u
	all=$(value instructions:u)
	for frequency in 100 1000; do
		summing record -b 4M -e instructions:u -F $frequency
		report -f json
		between "instructions of samples, -F $frequency" "$(json events)" \
			$((all * 97 / 100)) $((all * 1005 / 1000))
		expect "percent of them" "$(awk -F '"percent": ' '/^[{]"percent"/ {
			n += $2 } END { print (n > 99.8 && n < 100.2) }' "$tmp/report")" 1
		report -f folded
		expect "instructions of folded samples, -F $frequency" \
			"$(awk '{ n += $NF } END { printf "%.0f", n }' "$tmp/report")" \
			"$(report -f json && json events)"
		"$PFMON" script -i "$tmp/data" >"$tmp/script"
		expect "instructions of printed samples, -F $frequency" \
			"$(awk '{ for (i = 1; $i !~ /^instructions:u:$/; i++);
				n += $(i - 1) } END { printf "%.0f", n }' "$tmp/script")" \
			"$(json events)"
	done
	# A CPU; and programs that are over before one could learn from them.
	for ms in 500 2000 8000; do
		record -C 0 -e instructions -F 500 taskset -c 0 "$VICTIM" spin $ms
		report -f json
		[ "$(json samples)" -le 50 ] || break
	done
	expect "frequency of a CPU: status" "$status" 0
	check "frequency of a CPU: samples" [ "$(json samples)" -gt 50 ]
	# shellcheck disable=SC2016 # for that shell
	record -e instructions:u -F 1000 sh -c \
		'i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i + 1)); done'
	report -f json
	check "frequency of short programs: samples" [ "$(json samples)" -gt 20 ]
}

# Events of the kernel: with a period of 1 while there are not more of them.
test_frequency_soft()
{
	# Naps of a millisecond, by the kernel's own clock: no machine is too fast for that.
	record -b 1M -e cs -F 100000 "$VICTIM" nap 50
	read -r naps all <"$tmp/out"
	report -f json
	between "rare events: each is a sample" "$(json events)" "$(json samples)" \
		$(($(json samples) + 20))
	between "rare events: all are there" "$(json samples)" $((naps - 5)) $((all + 20))
	check "rare events: a note" grep -q \
		' note: context-switches came less often than 100,000 times a second: ' "$tmp/said"
	# Until pfmon had a CPU before the buffer was full, and there was time for forty samples.
	for pages in 100000 100000 200000 400000; do
		stat -e minor-faults "$VICTIM" touch $pages
		all=$(value minor-faults)
		record -b 1M -e minor-faults -F 100 -r task-clock "$VICTIM" touch $pages
		report -f json
		[ "$(json full)" -gt 0 ] || [ "$(counted task-clock)" -lt 400000000 ] || break
	done
	between "frequent events: all faults" "$(json events)" $((all * 95 / 100)) $((all + 100))
	# A quarter of them before the first look, at most, and then no faster than was asked for.
	between "frequent events: samples" "$(json samples)" 20 \
		$((all / 4 + $(counted task-clock) / 5000000))
	max=$(cat $sysfs/interrupts_max)
	record -e minor-faults -F $((max + 1)) true
	expect "a frequency that cannot be: status" "$status" 125
	check "a frequency that cannot be" grep -q -e \
		"-F $((max + 1)): the kernel takes at most $max samples a second of a CPU" "$tmp/said"
}

# further_apart: does pfmon top say that its samples are, other than the first ones?
further_apart()
{
	grep -Eq ' samples of minor-faults, 100 a second, one each ([2-9]|[0-9,]{2,}) on average; ' \
		"$tmp/out"
}

# The periods of a process that runs already, and those that pfmon top shows: of the kernel's
# events the first is 1. Until pfmon was there in time to see how many events there are.
test_frequency_live()
{
	start_hold 0
	printf t >&9
	"$PFMON" top -p "$hold" -e minor-faults -F 100 -d 0.1 9>&- >"$tmp/out" 2>"$tmp/err" \
		</dev/null &
	pid=$!
	check "top -F: periods follow the events" until_true further_apart
	kill -TERM $pid
	wait $pid
	expect "top -F: status" $? 143
	for n in 10000 40000 160000 640000; do
		# shellcheck disable=SC2016 # for that shell
		record -p "$hold" -e minor-faults -F 100 -r minor-faults -- sh -c '
			until [ "$(sed "s/.*) //" /proc/$0/stat | cut -d " " -f 8)" -ge $1 ]; do
				sleep 0.05
			done' "$hold" $(($(faults_of "$hold") + n))
		"$PFMON" script -i "$tmp/data" 2>"$tmp/err" |
			sed -n 's/.*: *\([0-9]*\) minor-faults: .*/\1/p' | sort -nu >"$tmp/periods"
		last=$(tail -n 1 "$tmp/periods")
		[ "${last:-0}" -le 1 ] || break
	done
	stop_hold
	expect "record -p -F: status" "$status" 0
	expect "record -p -F: the first period" "$(head -n 1 "$tmp/periods")" 1
	check "record -p -F: periods follow the events: '$last'" [ "${last:-0}" -gt 1 ]
	# The kernel's count between samples: it has what a period that was given up had, too.
	report -f json
	between "record -p -F: faults of samples" "$(json events)" 10 "$(counted minor-faults)"
}

# Each counter of a PowerPC of 32 bits has a list of events of its own, but for a few that all
# have.
constraints_of_ppc()
{
	expect "a counter's own events" "$(counted_by r2,r302,r102)" "2 3 1 "
	stat --no-multiplex -e r302:u,r301:u true
	expect "one counter for two: status" "$status" 125
	expect_err "one counter for two" "no counter is left for 'r301:u', or it counts other levels"
	stat -e r302:u,r301:u true
	expect "one counter for two, in turns" "$(field sets)" 2
	stat -e r5 true
	expect_err "an event of no counter in particular" "put its number before them, as in r105"
	stat -e r902 true
	expect_err "no such counter" "does not have the only counter that could count it"
}

# What the processors of a kind are known for; with others there is nothing to see.
test_constraints()
{
	if grep -q '^PowerPC [67]' $sysfs/pmu_model; then
		constraints_of_ppc
		return
	fi
	case $(counted_by r0148)/$(counted_by r01c0) in
	"2 /1 ") ;;
	*)
		# Of Zen's only one is for certain counters: it takes two.
		if grep -q '^vendor_id.*AuthenticAMD' /proc/cpuinfo &&
			grep -q '^cpu family.*: 2[356]$' /proc/cpuinfo && ! grep -qx none $sysfs/pmu_model; then
			stat -e r0f03 true
			expect "an event that takes two counters: status" "$status" 125
			expect_err "an event that takes two counters" \
				"'r0f03': no counter of a processor's core can count it by itself"
			return
		fi
		skip "events for certain counters: this is no Ivy Bridge to Skylake"
		return ;;
	esac
	if "$PFMON" info | grep -q 'by libpfm4'; then
		expect "certain counters by name" \
			"$(counted_by L1D_PEND_MISS:PENDING,INST_RETIRED:PREC_DIST)" "2 1 "
	fi
	expect "certain counters" "$(counted_by r1,r2,r01c0,r0148)" "0 3 1 2 "
	stat --no-multiplex -e r01c0,r1,r2,r0148 true
	expect "certain counters: status" "$status" 0
	stat -e r01c0:u true
	check "an event of one counter: it counts there" [ "$(value r01c0:u)" -gt 0 ]
	stat --no-multiplex -e r0148,r0148:u true
	expect "one counter for two: status" "$status" 125
	expect_err "one counter for two" "no counter is left for 'r0148:u', which not every"
	stat -e r0148,r0148:u true
	expect "one counter for two, in turns" "$(field sets)" 2
	stat -e r0148 -e r01b7:rsp=0x10001 -e r01b7:rsp=0x10002 true
	expect "one register for two, in turns" "$(field sets)" 2
	check "the register's value" grep -q ' (OFFCORE_RSP_0, MSR 0x1a6) = 0x10001$' <<-END
	$("$PFMON" explain r01b7:rsp=0x10001)
	END
	check "explain: loads by latency" grep -q '^  note: .* it may be 0$' <<-END
	$("$PFMON" explain r01cd:ldlat=3)
	END
	stat -e r01cd:ldlat=3 true
	check "stat: loads by latency" grep -q \
		'"notes": \[.*"r01cd:ldlat=3: most models .* it may be 0"' "$tmp/json"
	stat -e r01b7:rsp=0x10001 true
	expect "stat: a register without a remark" "$(sed -n 's/.*"notes": //p' "$tmp/json")" '[]}'
	stat -e r01b7 true
	expect_err "no value for the register" "add :rsp=VALUE"
	stat -e cycles,instructions,r1,r2,r3,r4 --no-multiplex true
	expect "fixed counters beside the others: status" "$status" 0
}

# programs WHAT: programs that were not written to be measured, by programs.py.
programs()
{
	if ! /usr/bin/python3 -c pass 2>/dev/null; then
		skip "python3 is not installed, or not for this kernel: real programs"
		return
	fi
	mkdir "$tmp/programs"
	# They are the system's, not those of the shell that runs the tests.
	program "programs" env "PATH=$(echo "$PATH" | sed 's,/run/bin:,,')" /usr/bin/python3 -B \
		./programs.py "$1" "$PFMON" "$tmp/programs"
	rm -rf "$tmp/programs"
}

# On a processor that says it has two kinds of cores, and that it lacks some events: run
# there only.
test_hybrid()
{
	for words in "explain r0148" "stat -e r0148 $VICTIM pattern 100" \
		"record -e r0148 -o $tmp/data $VICTIM pattern 100" \
		"top -B -n 1 -e r0148 $VICTIM pattern 100"; do
		"$PFMON" $words >"$tmp/out" 2>&1
		check "two kinds of cores: $words" grep -q 'note: .*two kinds of cores' "$tmp/out"
	done
	stat -e cycles:u,instructions:u "$VICTIM" pattern 100
	check "two kinds of cores: no word of what both count" \
		sh -c "! grep -q 'kinds of cores' '$tmp/err'"
	refused_event=$("$PFMON" explain cache-misses 2>&1)
	expect "an event that CPUID says is absent" "$refused_event" \
		"pfmon: no event 'cache-misses': this processor says (CPUID) that it does not count it"
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
	names="$behaviour faults switches clock system_wide whose brief offline busy process_end process_exec process_late check user killed \
		$profile $tops $trouble $unusual $unusual_code chosen_formats hot hot_fork hot_process hot_cpus hot_user hot_kernel \
		hot_formats shares chains script lost too_fast lost_exactly short_lived modules bias default_periods random \
		readings sets_time sets_overflow sets_too_fast sets_samples hardware frequency frequency_soft frequency_live names constraints \
		sets_hardware examples library programs programs_beside beside_perf"
fi
# The whole list before the first test: they share our variables.
chosen=
for t in $names; do
	[ "${without#* "$t" }" != "$without" ] || chosen="$chosen $t"
done
# shellcheck disable=SC2086 # words
run_tests $chosen
tally
