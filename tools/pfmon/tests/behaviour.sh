# SPDX-License-Identifier: GPL-2.0-only
#
# What pfmon does whatever the counts are: to be sourced by the script that
# tests it on the host, with a perfmonctl() that only pretends, and by the one
# that tests it in the guest. Needs $PFMON, $VICTIM and the directory $tmp.
#
# shellcheck shell=sh disable=SC2154,SC2034,SC3045

# value NAME: the count of an event in the JSON of the last run.
value()
{
	sed -n "s/.*{\"name\": \"$1\", \"value\": \([0-9]*\),.*/\1/p" "$tmp/json"
}

# field NAME: another number in it.
field()
{
	sed -n "s/.*, \"$1\": \([0-9]*\)[,}].*/\1/p" "$tmp/json"
}

# stat ARGUMENT...: run pfmon stat, counts to $tmp/json, status to $status.
stat()
{
	rm -f "$tmp/json"
	"$PFMON" stat -j -o "$tmp/json" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

# expect NAME GOT WANT
expect()
{
	if [ "$2" = "$3" ]; then ok; else fail "$1: '$2' instead of '$3'"; fi
}

# expect_err NAME PATTERN: the last run's message, one line only.
expect_err()
{
	if grep -q -e "$2" "$tmp/err" && [ "$(wc -l <"$tmp/err")" -eq 1 ]; then
		ok
	else
		fail "$1: says '$(cat "$tmp/err")' instead of '$2'"
	fi
}

# until_true COMMAND...: wait for it, two minutes at most.
until_true()
{
	deadline=$(($(date +%s) + 120))
	until "$@" 2>/dev/null; do
		[ "$(date +%s)" -lt $deadline ] || return 1
		sleep 0.05
	done
}

# state_of PID LETTERS: is the process in one of these states?
state_of()
{
	case $(sed 's/.*) //; s/ .*//' "/proc/$1/stat") in
	["$2"]) return 0 ;;
	*) return 1 ;;
	esac
}

# child_of PID: the child of a process, in $child; needs no kernel option.
child_of()
{
	child=$(grep -l "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status 2>/dev/null)
	child=${child#/proc/}
	child=${child%/status}
	[ -n "$child" ]
}

# counted_by LIST: the counters that pfmon explain says the events get
counted_by()
{
	"$PFMON" explain "$1" >"$tmp/explained" 2>"$tmp/err"
	sed -n 's/^  PMD \([0-9]*\) .* counts$/\1/p' "$tmp/explained" | tr '\n' ' '
}

# The events that there are on any machine, and their registers.
test_list()
{
	"$PFMON" list 'minor-f*' >"$tmp/list"
	expect "list: a pattern" "$(sed -n 2,9p "$tmp/list")" \
		"  minor-faults       page faults that needed no I/O"
	"$PFMON" list nosuch 2>"$tmp/err"
	expect "list: none" $? 1
	expect_err "list: none" "no event matches 'nosuch'"
	expect "explain: software" "$(counted_by cs,task-clock)" "288 289 "
	"$PFMON" explain cs,nosuch >"$tmp/out" 2>"$tmp/err"
	expect "explain: no such event: status" $? 125
	expect_err "explain: no such event" "no event 'nosuch'"
	"$PFMON" explain task-clock,cs,cs,cs,cs,cs,cs,cs,cs >"$tmp/out" 2>"$tmp/err"
	expect_err "explain: too many" "no counter is left for 'context-switches'"
	for what in list explain; do
		"$PFMON" $what --help >"$tmp/out"
		expect "$what --help: status" $? 0
		check "$what --help" grep -q "^usage: pfmon $what " "$tmp/out"
	done
}

test_options()
{
	stat -e bogus true
	expect "unknown event: status" "$status" 125
	expect_err "unknown event" "^pfmon: no event 'bogus'; there are task-clock, context"
	stat -e cs,cs,cs,cs,cs,cs,cs,cs true
	expect "eight events: status" "$status" 0
	expect "eight events: all there" \
		"$(tr '{' '\n' <"$tmp/json" | grep -c context-switches)" 8
	expect "eight events: sets" "$(field sets)" 1
	expect "eight events: notes" "$(sed -n 's/.*"notes": //p' "$tmp/json")" '[]}'
	stat -e faults -e cs true
	expect "faults are two events" "$(tr '{' '\n' <"$tmp/json" | grep -c name)" 3
	stat
	expect "nothing to count: status" "$status" 125
	stat -p 1 -C 0 true
	expect "-p and -C: status" "$status" 125
	stat -p x true
	expect_err "bad pid" "'x' is not a process number"
	stat -C 1- true
	expect_err "bad CPU list" "'1-' is not a list of CPUs"
	"$PFMON" stat -o "$tmp/no/such" true 2>"$tmp/err"
	expect "-o nowhere: status" $? 125
	expect_err "-o nowhere" "no/such: No such file"
	for what in stat record report top script list explain check info; do
		"$PFMON" $what --bogus >"$tmp/out" 2>"$tmp/err"
		expect "$what --bogus: status" $? 125
		expect "$what --bogus" "$(cat "$tmp/err")" "pfmon $what: unrecognized option '--bogus'
Try 'pfmon $what --help'."
	done
	for args in "explain|an argument is missing" "explain cycles cs|'cs' is one argument too many" \
		"check it|'it' is one argument too many" "info it|'it' is one argument too many"; do
		# shellcheck disable=SC2086 # words
		"$PFMON" ${args%|*} >"$tmp/out" 2>"$tmp/err"
		expect "${args%|*}: status" $? 125
		expect "${args%|*}" "$(cat "$tmp/err")" "pfmon: ${args#*|}
Try 'pfmon ${args%%[ |]*} --help'."
	done
	"$PFMON" help >"$tmp/out" 2>"$tmp/err"
	expect "help: status" $? 0
	expect "help: the same as --help" "$(cat "$tmp/out")" "$("$PFMON" --help)"
	for what in stat record report top script list explain check info; do
		expect "help $what" "$("$PFMON" help $what 2>&1)" "$("$PFMON" $what --help)"
		expect "$what -h" "$("$PFMON" $what -h 2>&1)" "$("$PFMON" $what --help)"
	done
	"$PFMON" help nonsense >"$tmp/out" 2>&1
	expect "help for no command: status" $? 125
	"$PFMON" help stat extra >"$tmp/out" 2>"$tmp/err"
	expect "help for two commands: status" $? 125
	expect_err "help for two commands" "^pfmon: help is of one command: 'extra' is one argument too many$"
	expect "help for two commands: and no more" "$(cat "$tmp/out")" ""
	"$PFMON" nonsense >"$tmp/out" 2>&1
	expect "no such command: status" $? 125
	for what in --help --version "stat --help" "info --help"; do
		# shellcheck disable=SC2086 # two words
		"$PFMON" $what >"$tmp/out" 2>"$tmp/err"
		expect "$what: status" $? 0
		check "$what: prints to stdout" [ -s "$tmp/out" ]
		check "$what: nothing to stderr" [ ! -s "$tmp/err" ]
	done
}

# When events take turns, and when that is an error.
test_turns()
{
	stat -e cs,cs,cs,cs,cs,cs,cs,cs,cs true
	expect "nine events: status" "$status" 0
	expect "nine events: all there" \
		"$(tr '{' '\n' <"$tmp/json" | grep -c context-switches)" 9
	expect "nine events: sets" "$(field sets)" 2
	expect "nine events: turns" "$(field turn_ns)" 1000000
	check "nine events: it is said" grep -q '"notes": \["~ marks estimates: the events took turns in 2 sets' \
		"$tmp/json"
	stat --no-multiplex -e cs,cs,cs,cs,cs,cs,cs,cs,cs true
	expect "nine events, not in turns: status" "$status" 125
	expect_err "nine events, not in turns" \
		"no counter is left for 'context-switches': at most 8 software events at a time"
	stat --no-multiplex -e cs,cs,cs,cs,cs,cs,cs,cs true
	expect "eight events, not in turns: status" "$status" 0
	# What can be counted all the time is, as long as no turns are asked for.
	stat -e cs -e faults true
	expect "two lists: sets" "$(field sets)" 1
	expect "two lists: no turns" "$(grep -c turn_ "$tmp/json")" 0
	while read -r turns words; do
		turns=$(echo "$turns" | tr _ ' ')
		# shellcheck disable=SC2086 # words
		stat $turns -e cs -e faults -e cs "$VICTIM" spin 20
		expect "three lists $turns: status" "$status" 0
		expect "three lists $turns: sets" "$(field sets)" 3
		check "three lists $turns: how long a turn is" grep -q "\"sets\": 3, $words, \"[ct]" "$tmp/json"
	done <<-END
		--switch-timeout_2 "turn_ns": 2000000
		--switch-timeout=0.5 "turn_ns": 500000
		--switch-overflow_task-clock=100000 "turn_event": "task-clock", "turn_count": 100000
		-C_0_--switch-timeout_1 "turn_ns": 1000000
	END
	stat --per-thread --switch-timeout 1 -e cs -e cs -e task-clock "$VICTIM" thread 5 1
	expect "turns: threads" "$(field threads)" 6
	stat --switch-timeout 1 -e cs,task-clock true
	expect "turns of one list: status" "$status" 125
	expect_err "turns of one list" "there is one set of events only"
	stat --switch-timeout 1 true
	expect "turns of no list: status" "$status" 125
	expect_err "turns of no list" "name the events of each set"
	while read -r message args; do
		# shellcheck disable=SC2086 # words
		stat $args -e cs -e task-clock true
		expect "bad turns $args: status" "$status" 125
		check "bad turns $args: $message" grep -q "$(echo "$message" | tr _ ' ')" "$tmp/err"
	done <<-END
	is_not_a_number_of_milliseconds --switch-timeout 0
	is_not_a_number_of_milliseconds --switch-timeout 1s
	is_not_a_number_of_milliseconds --switch-timeout -1
	is_not_a_number_of_milliseconds --switch-timeout nan
	is_not_EVENT=N --switch-overflow cs
	is_not_EVENT=N --switch-overflow cs=
	is_not_EVENT=N --switch-overflow cs=0
	is_not_EVENT=N --switch-overflow cs=-1
	is_not_EVENT=N --switch-overflow cs=1x
	no_event_.bogus. --switch-overflow bogus=1
	no_event_.bogus. -e cs,cs,cs,cs,cs,cs,cs,cs,cs,bogus
	is_more_than_one_event --switch-overflow faults=1
	exclude_each_other --switch-overflow cs=1 --switch-timeout 1
	exclude_each_other --no-multiplex --switch-timeout 1
	needs_a_single_CPU --switch-overflow cs=1 -C 0,1
	END
	"$PFMON" record -o "$tmp/data" -e cs -e task-clock --switch-overflow cs=1 -C 0,1 true \
		2>"$tmp/err"
	expect "bad turns, record: status" $? 125
	check "bad turns, record: needs a single CPU" grep -q "needs a single CPU" "$tmp/err"
}

# follow_modes NAME COMMAND...: the command must end with $want as a tree, by ptrace, and alone.
follow_modes()
{
	name=$1
	shift
	for mode in "" --per-thread --no-follow; do
		# shellcheck disable=SC2086 # nothing or a word
		stat $mode -- "$@"
		expect "$name $mode" "$status" "$want"
	done
}

test_status()
{
	want=0 && follow_modes "true" true
	want=1 && follow_modes "false" false
	want=42 && follow_modes "exit 42" sh -c 'exit 42'
	want=143 && follow_modes "killed by SIGTERM" sh -c 'kill -TERM $$'
	want=137 && follow_modes "killed by SIGKILL" sh -c 'kill -KILL $$'
	want=127 && follow_modes "not found" /no/such/program
	expect_err "not found" "cannot run '/no/such/program': No such file"
	check "not found: no counts" [ ! -s "$tmp/json" ]
	want=127 && follow_modes "not found in PATH" no-such-program
	want=126 && follow_modes "not executable" /etc/passwd
	want=126 && follow_modes "a directory" /tmp
}

test_output()
{
	"$PFMON" stat sh -c 'echo to-out; echo to-err >&2' >"$tmp/out" 2>"$tmp/err"
	expect "stdout is the program's" "$(cat "$tmp/out")" to-out
	check "stderr has the program's" grep -q '^to-err$' "$tmp/err"
	check "stderr has the counts" grep -q ' ms task-clock ' "$tmp/err"
	check "title" grep -q "^ 'sh -c echo to-out; echo to-err >&2':" \
		"$tmp/err"
	# Numbers end in one column, names begin in one, remarks begin in one.
	expect "numbers are aligned" "$(sed -n "/^ 'sh .*':/,\$p" "$tmp/err" |
		grep '^  ' | sed 's/^\( *[0-9.,]*\).*/\1/' | awk '{ print length }' |
		sort -u | wc -l | tr -d ' ')" 1
	expect "names are aligned" "$(grep -E 'task-clock|switches|migr|faults' "$tmp/err" |
		grep -v echo | awk '{ match($0, /[a-z]+-[a-z]+|migrations/); print RSTART }' |
		sort -u | wc -l | tr -d ' ')" 1
	expect "remarks are aligned" "$(grep '  # ' "$tmp/err" |
		awk '{ print index($0, "#") }' | sort -u | wc -l | tr -d ' ')" 1
	check "elapsed, user and system" sh -c \
		"grep -c ' s  \(elapsed\|user\|system\)$' '$tmp/err' | grep -q 3"
	"$PFMON" stat sh -c ":
		$(printf '%0300d' 0)" 2>"$tmp/err"
	check "a long command is cut to one line" \
		grep -Eq "^ 'sh -c : [ 0]{40,70}\.\.\.':$" "$tmp/err"
	LC_ALL=de_DE.UTF-8 "$PFMON" stat -e task-clock true 2>"$tmp/err"
	check "the locale does not matter" grep -Eq '[0-9]\.[0-9][0-9] ms' "$tmp/err"
	stat true
	check "-o: nothing to stderr" [ ! -s "$tmp/err" ]
	check "-j: one line" [ "$(wc -l <"$tmp/json")" -eq 1 ]
}

# What tracers do not see is in no number, and is not passed over in silence.
test_untraced()
{
	stat --per-thread -e cs "$VICTIM" hidden 300
	check "a hidden process: a note" grep -q \
		'"of [0-9.,]* ms of CPU time only [0-9.,]* were counted: processes that hide from tracers' \
		"$tmp/json"
	expect "a hidden process: no thread" "$(field threads)" 1
	stat -e cs --no-follow "$VICTIM" hidden 300
	expect "not followed: no note" "$(grep -c 'hide from tracers' "$tmp/json")" 0
}

# Every thread and process is seen by ptrace, once.
test_follow()
{
	stat --per-thread "$VICTIM" touch 10
	expect "one thread" "$(field threads)" 1
	stat --per-thread "$VICTIM" thread 5 1
	expect "five threads more: status" "$status" 0
	expect "five threads more" "$(field threads)" 6
	stat --no-follow "$VICTIM" thread 5 1
	expect "five threads, not followed" "$(field threads)" 1
	stat --per-thread "$VICTIM" fork 5 1
	expect "five processes more" "$(field threads)" 6
	stat --per-thread "$VICTIM" vfork 5
	expect "five by vfork more" "$(field threads)" 6
	stat --per-thread sh -c "'$VICTIM' fork 2 1; '$VICTIM' thread 3 1; :"
	expect "a tree of processes" "$(field threads)" 8
	stat --per-thread "$VICTIM" exec-thread 10
	expect "exec by a thread: status" "$status" 0
	expect "exec by a thread" "$(field threads)" 2
	stat --per-thread sh -c "exec '$VICTIM' touch 10"
	expect "exec twice" "$(field threads)" 1
	# More processes than descriptors, one after the other.
	(ulimit -n 30 && stat --per-thread "$VICTIM" fork 60 1 && field threads) >"$tmp/n"
	expect "sixty processes, thirty descriptors" "$(cat "$tmp/n")" 61
	# More threads at a time than descriptors: programs are told, too. With the least
	# that will do: some are open already, who knows how many. Where pfmon has to wait for
	# a CPU the program may end before pfmon has looked at its threads: none is missed then.
	missed=0
	for n in 13 14 15 16 18 20 24 28 32; do
		(ulimit -n $n && stat --per-thread "$VICTIM" hold 40)
		[ ! -s "$tmp/json" ] || missed=$(field missed)
		[ "${missed:-0}" -eq 0 ] || break
	done
	check "threads without a context: there are some" [ "${missed:-0}" -gt 0 ]
	check "threads without a context: and why" grep -q \
		"\"notes\": \[\"$missed threads* w[a-z]* not counted: .*\"\]" "$tmp/json"
}

# What the program starts and leaves behind is not waited for, nor harmed.
# outlives OPTION...
outlives()
{
	begin=$(date +%s)
	stat "$@" sh -c "sleep 600 & echo \$! >'$tmp/left'; exit 3"
	left=$(cat "$tmp/left")
	expect "leaves a process behind: status" "$status" 3
	check "does not wait for it" [ $(($(date +%s) - begin)) -lt 500 ]
	check "it is not traced" until_true \
		grep -q '^TracerPid:[[:space:]]*0$' "/proc/$left/status"
	check "it lives on" until_true state_of "$left" S
	kill "$left"
}

test_outlive()
{
	outlives
	outlives --per-thread
}

# signals_with OPTION...
signals_with()
{
	stat "$@" "$VICTIM" signal 20
	expect "signals reach the program" "$status" 0

	# Stopped and continued, as by a shell's job control.
	: >"$tmp/out"
	"$PFMON" stat "$@" -j -o "$tmp/json" "$VICTIM" stop >"$tmp/out" \
		2>"$tmp/err" &
	pid=$!
	until_true grep -q ready "$tmp/out"
	if until_true child_of $pid && until_true state_of "$child" tT; then
		sleep 0.2
		# The way from the signal to the stop may be a long one.
		check "stays stopped" until_true state_of "$child" tT
		kill -CONT "$child"
	fi
	wait $pid
	expect "stopped and continued" $? 7
	: >"$tmp/out"

	# To pfmon alone: it hands the signal on.
	for sig in TERM:143 HUP:129; do
		"$PFMON" stat "$@" -j -o "$tmp/json" "$VICTIM" wait >"$tmp/out" \
			2>"$tmp/err" &
		pid=$!
		until_true grep -q ready "$tmp/out"
		kill "-${sig%:*}" $pid
		wait $pid
		expect "SIG${sig%:*} to pfmon: status" $? "${sig#*:}"
		expect "SIG${sig%:*} to pfmon: counts" "$(field missed)" 0
		: >"$tmp/out"
	done

	# A background job of a script ignores SIGINT, and so does its program.
	"$VICTIM" ign "$PFMON" stat "$@" -j -o "$tmp/json" "$VICTIM" wait \
		>"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until_true grep -q ready "$tmp/out"
	kill -INT $pid
	sleep 0.2
	check "an ignored SIGINT stays so" kill -TERM $pid
	wait $pid
	expect "an ignored SIGINT stays so: status" $? 143
}

test_signals()
{
	signals_with
	signals_with --per-thread
}

# Ctrl-C at a terminal: program and pfmon get the signal.
test_terminal()
{
	"$VICTIM" tty "$PFMON" stat "$VICTIM" wait >"$tmp/out"
	status=$?
	if [ $status -eq 99 ]; then
		skip "Ctrl-C: there are no terminals here"
		return
	fi
	expect "Ctrl-C: status" $status 130
	check "Ctrl-C: counts" grep -q 'task-clock' "$tmp/out"
	"$VICTIM" tty "$PFMON" stat "$VICTIM" catch >"$tmp/out"
	expect "Ctrl-C, caught by the program: status" $? 42
	check "Ctrl-C, caught by the program: counts" grep -q 'task-clock' "$tmp/out"
	"$VICTIM" tty "$PFMON" stat --no-follow "$VICTIM" wait >"$tmp/out"
	expect "Ctrl-C, not followed: status" $? 130
}

# catches_int PID: is it pfmon, and does it catch SIGINT, the second lowest bit,
# by now? The shell that became pfmon may have caught it, too.
catches_int()
{
	grep -q '^Name:[[:space:]]*pfmon$' "/proc/$1/status" &&
		grep -Eq '^SigCgt:.*[2367abef]$' "/proc/$1/status"
}

# start_hold N: a process with N more threads, in $hold; stop_hold ends it. It
# waits for the end of the pipe that descriptor 9 keeps open, so programs that
# outlive stop_hold must not have that.
start_hold()
{
	: >"$tmp/ready"
	start_victim hold "$1"
	until_true grep -q ready "$tmp/ready"
}

# start_victim ARGUMENT...: the same with a program that does something until then.
start_victim()
{
	mkfifo "$tmp/fifo"
	"$VICTIM" "$@" <"$tmp/fifo" >"$tmp/ready" &
	hold=$!
	exec 9>"$tmp/fifo"
}

stop_hold()
{
	exec 9>&-
	wait "$hold"
	rm -f "$tmp/fifo"
}

test_process()
{
	start_hold 3
	stat --no-inherit -p "$hold" -- true
	expect "-p with a command: status" "$status" 0
	expect "-p counts all threads" "$(field threads)" 4
	stat --no-inherit -p "$hold" -- sh -c 'exit 5'
	expect "-p has the command's status" "$status" 5

	"$PFMON" stat --no-inherit -p "$hold" -- sh -c "printf x >'$tmp/fifo'
		until [ \$(ls /proc/$hold/task | wc -l) -eq 5 ]; do sleep 0.05; done" \
		2>"$tmp/err"
	check "-p says that a thread began late" \
		grep -q '^ note: 1 thread began meanwhile and was counted from the next look on' \
		"$tmp/err"
	check "-p counts it, too" grep -q '^ process [0-9]* (5 threads):$' "$tmp/err"

	"$VICTIM" dfl "$PFMON" stat -j -o "$tmp/json" --no-inherit -p "$hold" 2>"$tmp/err" &
	pid=$!
	until_true catches_int $pid
	kill -INT $pid
	wait $pid
	expect "-p until Ctrl-C: status" $? 130
	expect "-p until Ctrl-C: counts" "$(field threads)" 5
	stop_hold
	stat --no-inherit -p "$hold" true
	expect "-p of no process: status" "$status" 125
	expect_err "-p of no process" "there is no process $hold"
}

# gauge NAME: of the metrics
gauge()
{
	sed -n "s/^$1{.*} //p" "$tmp/metrics"
}

# until_its_children_fault PID: a command for sh that waits for it, two minutes at most
until_its_children_fault()
{
	echo "i=0; until awk '{ exit !\$11 }' /proc/$1/stat || [ \$i -ge 2400 ]; do
		i=\$((i + 1)); sleep 0.05; done"
}

# What the kernel knows of processes and pfmon does not see: threads that are over before it
# looks, and child processes.
test_process_missed()
{
	# Longer than it takes the first thread to make one, which is counted.
	start_victim relay 300000
	for ms in 300 1200 4800; do
		stat -e cs --timeout $ms --no-inherit -p "$hold"
		[ "$(field process_ns)" -lt 100000000 ] || break
	done
	spent=$(field process_ns) counted=$(field counted_ns) elapsed=$(field elapsed_ns)
	spent=${spent:-0} counted=${counted:-0} elapsed=${elapsed:-0}
	check "threads that are brief: $counted of $spent ns" [ $((10 * counted)) -lt $((9 * spent)) ]
	check "threads that are brief: $spent ns is what there was" \
		[ "$spent" -le $((2 * elapsed)) ]
	check "threads that are brief: a note" grep -q \
		'"of [0-9.,]* ms of CPU time only [0-9.,]* were counted: threads that begin and end between' \
		"$tmp/json"
	check "no child processes: no note" [ "$(grep -c 'child processes' "$tmp/json")" -eq 0 ]
	"$PFMON" stat -e cs --timeout $ms --no-inherit -p "$hold" -f openmetrics -o "$tmp/metrics" 2>/dev/null
	check "threads that are brief: metrics" awk -v a="$(gauge pfmon_process_seconds)" \
		-v b="$(gauge pfmon_counted_seconds)" 'BEGIN { exit !(b != "" && 10 * b < 9 * a) }'
	"$PFMON" stat -e cs --timeout $ms --no-inherit -p "$hold" -x , -o "$tmp/csv" 2>/dev/null
	expect "threads that are brief: CSV" "$(grep -Ec '^,all,(process|counted),[0-9]+,ns,' "$tmp/csv")" 2
	"$PFMON" record -f default -o "$tmp/data" -p "$hold" -- sleep 0.3 2>"$tmp/err"
	check "threads that are brief: samples" grep -q \
		'^ note: of [0-9.,]* ms of CPU time only [0-9.,]* were sampled' "$tmp/err"
	stop_hold
	start_hold 1
	stat -e cs --no-inherit -p "$hold" true
	expect "nothing is missing" "$(sed -n 's/.*"notes": //p' "$tmp/json")" '[]}'
	stat -e cs -t "$hold" true
	expect "threads: no such account" "$(grep -c process_ns "$tmp/json")" 0
	stop_hold

	mkfifo "$tmp/orders"
	sh -c "while read -r line; do '$VICTIM' touch 1; done; :" <"$tmp/orders" &
	parent=$!
	exec 8>"$tmp/orders"
	stat -e cs --no-inherit -p $parent -- sh -c "echo x >&8; echo x >&8
		$(until_its_children_fault "$parent")"
	check "child processes: a note" grep -q '"child processes that -p does not name ran and were not counted' "$tmp/json"
	exec 8>&-
	wait $parent
	rm "$tmp/orders"
	test_named_children
}

# family COMMAND: a shell, $parent, with a child, $named, that waits, and what COMMAND starts
# when descriptor 8 says so; without one the shell goes on when the child ends.
family()
{
	mkfifo "$tmp/family"
	sh -c "sleep 1000 & echo \$! >'$tmp/named_child'; read -r line; $1" <"$tmp/family" &
	parent=$!
	exec 8>"$tmp/family"
	until_true [ -s "$tmp/named_child" ]
	named=$(cat "$tmp/named_child")
}

family_ends()
{
	kill "$named" 2>/dev/null
	exec 8>&-
	wait $parent
	rm "$tmp/family" "$tmp/named_child"
}

# no_child_note NAME
no_child_note()
{
	expect "$1: status" "$status" 0
	# On a busy machine a thread is on its way out for long after it was counted: that may be noted.
	notes=$(sed -n 's/.*"notes": //p' "$tmp/json" |
		sed 's/"of [^"]* of CPU time only [^"]* are in no number"//')
	expect "$1" "$notes" '[]}'
}

# says_children NAME PATTERN: a note of children that run, if the kernel says which there are
says_children()
{
	if [ -e "/proc/$$/task/$$/children" ]; then
		check "$1: a note" grep -q "$2" "$tmp/json"
	else
		skip "$1: this kernel does not say which children there are"
	fi
}

# What -p names is counted, also if a process that it names has started it, or waits for it.
test_named_children()
{
	family 'read -r line'
	stat -e cs --no-inherit -p "$parent,$named" true
	no_child_note "a child that is named"
	stat -e cs --no-inherit -p "$parent" true
	says_children "a child that is not named" '"child processes that -p does not name ran and were not counted"'
	family_ends
	# The kernel adds its faults to those of the children that have ended.
	family 'wait; read -r line'
	stat -e cs --no-inherit -p "$parent,$named" sh -c "echo x >&8; kill $named
		$(until_its_children_fault "$parent")"
	no_child_note "a child that is named and ends"
	family_ends
	family "while '$VICTIM' touch 1 && read -r line; do :; done"
	stat -e cs --no-inherit -p "$parent,$named" sh -c "echo x >&8
		$(until_its_children_fault "$parent")"
	check "a child that is named, and another: a note" grep -q \
		'"child processes that -p does not name ran and were not counted' "$tmp/json"
	family_ends
	# A thread other than the first has a child.
	"$VICTIM" thread-child >"$tmp/thread_child" &
	parent=$!
	until_true [ -s "$tmp/thread_child" ]
	named=$(cat "$tmp/thread_child")
	stat -e cs --no-inherit -p "$parent,$named" true
	no_child_note "a child of another thread, named"
	stat -e cs --no-inherit -p "$parent" true
	says_children "a child of another thread" 'child processes that -p does not name'
	kill "$named" "$parent"
	wait "$parent" 2>/dev/null
}

test_cpus()
{
	stat -C 0 true
	expect "-C 0: status" "$status" 0
	expect "-C 0" "$(field cpus)" 1
	stat -C all sh -c 'exit 4'
	expect "-C all: status" "$status" 4
	expect "-C all" "$(field cpus)" "$cpus"
	stat -C 8000 true
	expect "-C of no CPU: status" "$status" 125
	expect_err "-C of no CPU" "CPU 8000 does not exist$"
	"$VICTIM" dfl "$PFMON" stat -j -o "$tmp/json" -C 0 2>"$tmp/err" &
	pid=$!
	until_true catches_int $pid
	kill -INT $pid
	wait $pid
	expect "-C until Ctrl-C: status" $? 130
	expect "-C until Ctrl-C: counts" "$(field cpus)" 1
	"$PFMON" stat -C 0 true 2>"$tmp/err"
	check "-C: title" grep -q '^ CPU 0:$' "$tmp/err"
}

test_info()
{
	"$PFMON" info >"$tmp/out" 2>"$tmp/err"
	expect "info: status" $? 0
	check "info: nothing to stderr" [ ! -s "$tmp/err" ]
	check "info: version" grep -q '^perfmon version *0\.6$' "$tmp/out"
	check "info: a control register" grep -q '^  PMC 288  SWC0 ' "$tmp/out"
	check "info: a data register" grep -q '^  PMD 288  SW0 ' "$tmp/out"
	check "info: an event" grep -q '^  task-clock ' "$tmp/out"
	"$PFMON" info too many 2>/dev/null
	expect "info with arguments: status" $? 125
	if [ -w /dev/full ]; then
		"$PFMON" info >/dev/full 2>"$tmp/err"
		expect "info to a full disk: status" $? 125
	fi
}

# Those of the cpuset, whatever the caller's own mask is.
cpus=$(env -u OMP_NUM_THREADS taskset -c 0-1023 nproc 2>/dev/null) ||
	cpus=$(grep -c '^processor' /proc/cpuinfo)
behaviour='options turns status output follow untraced outlive signals terminal process process_missed cpus info list
	parts numbers intervals reader_gone reader_gone_at_end detailed closed file_limit schedule metrics'

# unit_tests DIR: the unit tests that the Makefile has put there
unit_tests()
{
	for unit in unit unit_data unit_formats unit_places unit_unwind unit_output unit_print unit_names \
		unit_nonames unit_ppc; do
		program "$unit" "$1/$unit"
	done
}

# run_tests NAME...: with V=1 it says which, and how long each took.
run_tests()
{
	for t in "$@"; do
		since=$(date +%s)
		command -v "test_$t" >/dev/null || fail "there is no test $t"
		"test_$t"
		[ "${V:-0}" != 1 ] || echo "$t: $(($(date +%s) - since)) s" >&2
	done
}
