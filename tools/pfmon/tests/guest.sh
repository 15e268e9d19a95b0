#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The tests of pfmon on a kernel with perfmon, as root:
#
#	guest.sh PFMON VICTIM [TEST...]
#
# PFMON is the tool, VICTIM the program tests/victim.c, a TEST the name of a
# function test_... without its first part: all of them if none is named. With
# V=1 it says what it does and how long that took. Not covered here:
# major faults (the page cache cannot be emptied of one file only) and
# set-user-ID programs; the kernel's own tests have these.
#
# shellcheck disable=SC2154 # behaviour.sh sets variables

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
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
sysfs=/sys/kernel/perfmon

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

# more_faults NAME EXACT SLACK ARGUMENT...: with P pages against none.
more_faults()
{
	name=$1 exact=$2 slack=$3
	shift 3
	faults "$@" 0
	none=$faults
	faults "$@" 100
	between "$name" $((faults - none)) $((exact - slack)) $((exact + slack))
}

test_faults()
{
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

# Per-thread and system-wide exclude each other, and there is one of each.
test_busy()
{
	start_hold 0
	"$PFMON" stat -o /dev/null -p "$hold" 9>&- &
	pid=$!
	until_true grep -q '^1' $sysfs/thread_sessions
	stat -C 0 true
	expect "-C while a thread is counted: status" "$status" 125
	expect_err "-C while a thread is counted" "cannot monitor CPU 0: a thread is being"
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
	expect "a command while a CPU is counted: status" "$status" 125
	expect_err "a command while a CPU is counted" "a CPU is being monitored"
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
	expect_err "CPU 1 is offline" "CPU 1 does not exist, is offline"
	echo 1 >$online
	stat -C 1 true
	expect "CPU 1 is back: status" "$status" 0
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

# user ARGUMENT...: pfmon as an ordinary user; its output to $tmp/err.
user()
{
	"$VICTIM" user "$PFMON" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

hardened=/proc/sys/kernel/perfmon_hardened

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

if ! [ -d $sysfs ]; then
	fail "this kernel has no $sysfs"
	tally
	exit 1
fi
if [ $# -eq 0 ]; then
	# shellcheck disable=SC2086 # names are words
	set -- $behaviour faults switches clock system_wide offline busy process_end user killed
fi
run_tests "$@"
tally
