# SPDX-License-Identifier: GPL-2.0-only
#
# More of what pfmon stat does whatever the counts are: parts of what is counted, and
# when. To be sourced behind behaviour.sh, on the host and in the guest.
#
# shellcheck shell=sh disable=SC2154

# lines_with PATTERN: how many lines of the last run's JSON have it.
lines_with()
{
	grep -c -e "$1" "$tmp/json"
}

# sum_of NAME: an event's counts of all intervals together; total_of NAME: of the rest.
sum_of()
{
	grep '"from_ns"' "$tmp/json" | sed "s/.*{\"name\": \"$1\", \"value\": \([0-9]*\),.*/\1/" |
		awk '{ n += $1 } END { print n + 0 }'
}

total_of()
{
	grep -v '"from_ns"' "$tmp/json" | sed "s/.*{\"name\": \"$1\", \"value\": \([0-9]*\),.*/\1/"
}

test_parts()
{
	stat -A -C all -e cs true
	expect "-A: CPUs" "$(grep -o '{"cpu": [0-9]*' "$tmp/json" | wc -l | tr -d ' ')" "$cpus"
	expect "-A: cpus" "$(field cpus)" "$cpus"
	"$PFMON" stat -A -C 0 -e cs,migrations true 2>"$tmp/err"
	expect "-A: lines of a CPU" "$(grep -c '^ CPU 0  ' "$tmp/err")" 2
	check "-A: and the sum" grep -q '^ all  *[0-9,]*    migrations' "$tmp/err"
	expect "-A: CPUs in their order" "$("$PFMON" stat -A -a -e cs -x, true 2>&1 |
		sed -n 's/^,CPU \([0-9]*\),.*/\1/p' | tr '\n' ' ')" \
		"$(sed -n 's/^processor.*: *//p' /proc/cpuinfo | tr '\n' ' ')"
	# Each CPU has counted one, if this is no kernel.
	for what in core:topology/core_id socket:topology/physical_package_id; do
		"$PFMON" stat --per-${what%:*} -a -e cs true 2>"$tmp/err"
		expect "--per-${what%:*}: as many" "$(grep -c "^ socket [0-9]*.*  context-switches" "$tmp/err")" \
			"$(for c in $(sed -n 's/^processor.*: *//p' /proc/cpuinfo); do
				cat /sys/devices/system/cpu/cpu$c/topology/physical_package_id \
					/sys/devices/system/cpu/cpu$c/${what#*:} | tr '\n' ' '
				echo
			done | sort -u | wc -l | tr -d ' ')"
	done
	for what in core socket node; do
		stat --per-$what -a -e cs true
		expect "--per-$what: all CPUs" "$(grep -o '"cpus": [0-9]*, "events"' "$tmp/json" |
			awk '{ n += $2 } END { print n + 0 }')" "$cpus"
		check "--per-$what: JSON" grep -q "\"by_$what\": \[{\"$what\": [-0-9]*, " "$tmp/json"
	done
	stat -a -e cs true
	expect "-a is all CPUs" "$(field cpus)" "$cpus"

	stat --per-thread -e cs "$VICTIM" thread 3 1
	expect "--per-thread" "$(grep -o '{"tid": [0-9]*, "name": "victim", ' "$tmp/json" |
		sort -u | wc -l | tr -d ' ')" 4
	# Each has the name of the program that it ran last. Without the wait the command could
	# end before its child has begun.
	stat --per-thread -e cs sh -c "true & wait; '$VICTIM' touch 1; exec sleep 0"
	expect "--per-thread: names" "$(grep -o '"tid": [0-9]*, "name": "[a-z]*"' "$tmp/json" |
		sed 's/.* //' | sort | tr '\n' ' ')" '"sh" "sleep" "victim" '
	"$PFMON" stat --per-thread -e cs -o "$tmp/text" "$VICTIM" touch 1 2>"$tmp/err"
	check "--per-thread: text" grep -Eq "^ victim-[0-9]+  *[0-9,]+    context-switches" \
		"$tmp/text"
	stat --per-thread --no-follow -e cs "$VICTIM" touch 1
	check "--per-thread: the name without following" grep -q '"name": "victim", "events"' \
		"$tmp/json"
	while read -r message args; do
		# shellcheck disable=SC2086 # words
		stat $args true
		expect "$args: status" "$status" 125
		check "$args: $message" grep -q "$(echo "$message" | tr _ ' ')" "$tmp/err"
	done <<-END
	are_for_CPUs -A
	are_for_CPUs --per-core
	are_for_CPUs --per-node
	has_each_CPU --per-socket -a -f prometheus
	is_for_a_command --per-thread -a
	is_not_a_thread_number -t x
	is_not_a_process_number -p 1,x
	is_not_a_process_number -p 1,
	is_not_a_number_from_1_to_1000000 -r 0
	is_not_a_number_from_1_to_1000000 -r -1
	does_not_go_with_--interval -r 2 -I 100
	does_not_go_with_--interval -r 2 --per-thread
	is_not_a_number_of_milliseconds -I 0
	is_not_a_number_of_milliseconds -I 0,5
	is_not_a_number_of_milliseconds -D 1x
	is_not_a_number_of_milliseconds --timeout nan
	no_format_.xml. -f xml
	is_for_-f_prometheus --label a=b
	is_not_a_label --label a
	is_not_a_label --label =b
	is_not_a_label --label 1a=b
	is_not_a_label --label __a=b
	is_not_a_label --label event=b
	is_not_a_label --label a=b --label a=c
	is_not_a_character_that -x ab
	is_not_a_character_that -x 1
	is_not_a_character_that -x #
	END
	"$PFMON" stat -I 100 -f openmetrics true 2>"$tmp/err"
	expect "metrics of intervals without a file: status" $? 125
	check "metrics of intervals without a file" grep -q 'needs a file to write anew' "$tmp/err"
	"$PFMON" stat -r 2 -f openmetrics true 2>"$tmp/err"
	expect "metrics of a mean: status" $? 125
	check "metrics of a mean" grep -q 'only grow, and no means' "$tmp/err"
	stat -r 2 -p $$
	expect "-r without a command: status" "$status" 125
}

# Processes and threads by their numbers.
test_numbers()
{
	start_hold 3
	first=$hold
	stat -t "$hold" --no-inherit -e cs true
	expect "-t: one thread" "$(field threads)" 1
	tids=$(echo "/proc/$hold/task/"* | sed 's,/proc/[0-9]*/task/,,g; s/ /,/g')
	stat -t "$tids" --per-thread -e cs true
	expect "-t: four threads" "$(field threads)" 4
	expect "-t: the numbers" "$(grep -o '"tid": [0-9]*' "$tmp/json" | sed 's/.* //' |
		sort -n | tr '\n' ,)" "$(echo "$tids" | tr , '\n' | sort -n | tr '\n' ,)"
	sleep 1000 &
	other=$!
	stat --no-inherit -p "$hold,$other" -e cs true
	expect "-p of two processes" "$(field threads)" 5
	check "-p of two processes: title" grep -q "\"title\": \"processes $hold,$other\"" \
		"$tmp/json"
	stat --no-inherit -p "$hold" -p "$other" -t "$hold" -e cs true
	expect "a thread of a process that is named, too" "$(field threads)" 5
	check "processes and a thread: title" \
		grep -q "\"title\": \"processes $hold,$other, thread $hold\"" "$tmp/json"
	kill $other
	wait $other 2>/dev/null
	stat -p "$hold,$other" -e cs true
	expect "-p of one that is gone: status" "$status" 125
	expect_err "-p of one that is gone" "there is no process $other"
	stat -t "$other" -e cs true
	expect_err "-t of one that is gone" "there is no thread $other"
	hold=$first
	stop_hold
}

test_intervals()
{
	# The command goes on until pfmon has printed something twice.
	: >"$tmp/err"
	# shellcheck disable=SC2016 # for the shell that is counted
	"$PFMON" stat -I 1 -j -e minor-faults,task-clock sh -c \
		'until [ "$(grep -c from_ns "$0")" -ge 2 ]; do sleep 0.01; done' "$tmp/err" \
		2>"$tmp/err"
	expect "-I: status" $? 0
	mv "$tmp/err" "$tmp/json"
	check "-I: intervals" [ "$(lines_with '"from_ns"')" -ge 2 ]
	expect "-I: one sum" "$(grep -vc '"from_ns"' "$tmp/json")" 1
	for event in minor-faults task-clock; do
		expect "-I: $event of all intervals" "$(sum_of $event)" "$(total_of $event)"
	done
	# Each begins where the last one ended.
	expect "-I: no gaps" "$(sed -n 's/.*"from_ns": \([0-9]*\),.*"elapsed_ns": \([0-9]*\).*/\1 \2/p' \
		"$tmp/json" | awk '$1 + 0 != end { print "gap" } { end = $1 + $2 }')" ""
	stat -I 100000 -e cs true
	expect "-I: a short program" "$(lines_with '"from_ns"')" 1
	stat -A -C 0 -I 1 -e cs,task-clock "$VICTIM" spin 30
	expect "-I of a CPU" "$(sum_of task-clock)" "$(total_of task-clock)"
	"$PFMON" stat -I 100000 -e cs true 2>"$tmp/err"
	check "-I: text" grep -Eq '^ +[0-9.]+ s  +[0-9]+    context-switches$' "$tmp/err"
	"$PFMON" stat -x ';' -e cs,task-clock true 2>"$tmp/err"
	expect "-x: heading" "$(head -n 1 "$tmp/err")" \
		"time;of;event;value;unit;share;error;deviation;ratio;ratio_to"
	check "-x: an event" grep -Eq '^;all;context-switches;[0-9]+;;1.000000;;;;$' "$tmp/err"
	check "-x: user time" grep -Eq '^;all;user;[0-9]+;ns;1.000000;;;;$' "$tmp/err"
}

# piped ARGUMENT...: pfmon stat's counts to a reader that leaves after three lines
piped()
{
	rm -f "$tmp/status"
	{ timeout -k 1 60 "$PFMON" stat -I 20 -e cs "$@" 2>&1 >"$tmp/out"; echo $? >"$tmp/status"; } |
		head -n 3 >/dev/null
}

# Whoever reads a pipe may have seen enough: the measurement ends, the command goes on.
test_reader_gone()
{
	start_hold 0
	piped -C 0
	expect "a reader that is gone, -C: status" "$(cat "$tmp/status")" 141
	piped -x, -p "$hold"
	expect "a reader that is gone, -p: status" "$(cat "$tmp/status")" 141
	stop_hold
	rm -f "$tmp/done"
	piped sh -c "until [ -s '$tmp/status' ]; do sleep 0.02; done; : >'$tmp/done'"
	expect "a reader that is gone, a command: status" "$(cat "$tmp/status")" 141
	check "a reader that is gone: the command goes on" until_true [ -e "$tmp/done" ]
}

# -d adds what the processor has of perf's, and says what it has not.
test_detailed()
{
	stat -d -e cs true
	expect "-d: status" "$status" 0
	if ! "$PFMON" list 'L1-*' 'l1-*' >/dev/null 2>&1; then
		expect "-d without a PMU: the events" "$(tr '{' '\n' <"$tmp/json" | grep -c '"name"')" 1
		check "-d without a PMU: it is said" grep -q \
			'"notes": \["-d leaves out what cannot be counted here: L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses (.pfmon explain' "$tmp/json"
	fi
	detailed -d L1-dcache-loads L1-dcache-load-misses LLC-loads LLC-load-misses
	stat -d -d -e cs true
	detailed -dd L1-dcache-loads L1-dcache-load-misses LLC-loads LLC-load-misses \
		L1-icache-load-misses dTLB-loads dTLB-load-misses iTLB-load-misses
}

# detailed OPTION WORD...: each is counted, or named by the note, as explain says.
detailed()
{
	option=$1 left=
	shift
	for word in "$@"; do
		if "$PFMON" explain "$word" >"$tmp/detailed" 2>&1; then
			name=$(head -n 1 "$tmp/detailed")
			check "$option: $word is there as '$name'" grep -q "{\"name\": \"$name\"" "$tmp/json"
		else
			left=$left${left:+,}$word
		fi
	done
	expect "$option: what is left out" \
		"$(sed -n 's/.*"-d leaves out what cannot be counted here: \([^ ]*\) .*/\1/p' "$tmp/json")" "$left"
}

# closed_pipe STATUS ARGUMENT...: pfmon writes at its end, to a reader that has left by then.
closed_pipe()
{
	want=$1
	shift
	rm -f "$tmp/left_by" "$tmp/closed_status" "$tmp/closed_said"
	{
		until [ -e "$tmp/left_by" ]; do sleep 0.02; done
		timeout -k 1 60 "$PFMON" "$@" 2>"$tmp/closed_said"
		echo $? >"$tmp/closed_status"
	} | { exec <&-; : >"$tmp/left_by"; }
	expect "$1 $2 $3, the reader is gone: status" "$(cat "$tmp/closed_status")" "$want"
	expect "$1 $2 $3, the reader is gone: says" "$(cat "$tmp/closed_said")" ""
}

# The counts of the end are no less worth for that nobody reads them, and the command's status
# stays what it was.
test_reader_gone_at_end()
{
	for as in text json csv; do
		closed_pipe 141 stat -f $as -e cs -o /dev/stdout sh -c 'exit 0'
		closed_pipe 3 stat -f $as -e cs -o /dev/stdout sh -c 'exit 3'
	done
	# By a standard error that is that pipe.
	rm -f "$tmp/left_by" "$tmp/closed_status"
	{
		until [ -e "$tmp/left_by" ]; do sleep 0.02; done
		"$PFMON" stat -e cs true 2>&1
		echo $? >"$tmp/closed_status"
	} | { exec <&-; : >"$tmp/left_by"; }
	expect "stat, nobody reads its standard error: status" "$(cat "$tmp/closed_status")" 141
	"$PFMON" record -e minor-faults -c 1 -o "$tmp/closed_data" true 2>/dev/null
	closed_pipe 141 report -i "$tmp/closed_data" -o /dev/stdout
	closed_pipe 141 script -i "$tmp/closed_data" -o /dev/stdout
	# More than stdio keeps.
	many=$(yes cs | head -n 100 | tr '\n' ,)cs
	closed_pipe 141 stat -f json -e "$many" -o /dev/stdout true
	[ -w /dev/full ] || return
	for as in "text cs" "json $many"; do
		"$PFMON" stat -f ${as% *} -e ${as#* } -o /dev/full true 2>"$tmp/err"
		expect "${as% *} to a full disk: status" $? 125
		expect_err "${as% *} to a full disk" "cannot write the counts: No space left"
	done
}

# Daemons and cron have no standard error, or one that is full: that is no failure of the
# command.
test_closed()
{
	for status in 0 3; do
		"$PFMON" stat -e cs sh -c "exit $status" 2>&-
		expect "no standard error, command ends with $status" $? $((status ? status : 125))
		"$PFMON" stat -e cs sh -c "exit $status" >&- 2>&- <&-
		expect "no standard files, command ends with $status" $? $((status ? status : 125))
		"$PFMON" stat -e cs -o "$tmp/text" sh -c "exit $status" 2>&-
		expect "no standard error, -o, command ends with $status" $? $status
		"$PFMON" stat -e cs -o /dev/full sh -c "exit $status" 2>"$tmp/err"
		expect "a full disk, command ends with $status" $? $((status ? status : 125))
		expect_err "a full disk" "cannot write the counts: No space left"
	done
	# The command has them as pfmon has.
	"$PFMON" stat -e cs -o "$tmp/text" sh -c 'for n in 0 1 2; do
		[ ! -e /proc/self/fd/$n ] || exit 4; done' <&- >&- 2>&-
	expect "no standard files: the command has none" $? 0
}

# A limit of the size of files is an error as that of a full disk, not a signal that leaves
# half a file and says nothing. The command gets the signal.
test_file_limit()
{
	mkdir "$tmp/limited"
	(ulimit -f 0; "$PFMON" record -e cs -o "$tmp/limited/data" true 2>&1; echo "status $?") |
		cat >"$tmp/err"
	check "a limit of files, record: it is said" grep -q "cannot write .*data.*: File too large" "$tmp/err"
	check "a limit of files, record: status" grep -q "^status 125$" "$tmp/err"
	(ulimit -f 0; "$PFMON" stat -e cs -o "$tmp/limited/counts" sh -c 'kill -XFSZ $$' 2>&1
		echo "status $?") | cat >"$tmp/err"
	check "a limit of files, stat: it is said" grep -q "cannot write the counts.*: File too large" "$tmp/err"
	check "a limit of files, stat: the command gets the signal" grep -q "^status 153$" "$tmp/err"
	rm -rf "$tmp/limited"
}

test_schedule()
{
	rm -f "$tmp/runs" "$tmp/first"
	stat -r 3 -e cs sh -c "echo x >>'$tmp/runs'; exit 2"
	expect "-r: status" "$status" 2
	expect "-r: runs" "$(wc -l <"$tmp/runs" | tr -d ' ')" 3
	expect "-r: said" "$(field runs)" 3
	expect "-r: trees of a run" "$(field trees)" 1
	check "-r: how they differ" grep -Eq '"deviation": [0-9.]+' "$tmp/json"
	"$PFMON" stat -r 2 -e cs true 2>"$tmp/err"
	check "-r: title" grep -q "^ 'true', mean of 2 runs:" "$tmp/err"
	check "-r: text" grep -q ' # .*runs differ by [0-9.]*%$' "$tmp/err"
	# What the first run leaves behind is no part of the second; it has begun by then.
	stat -r 2 -e migrations sh -c "if [ ! -e '$tmp/first' ]; then
		(: >'$tmp/first'; for i in 1 2 3 4 5; do sleep 0.2; done; sleep 1000) &
		echo \$! >'$tmp/left'
		until [ -e '$tmp/first' ]; do sleep 0.02; done; fi"
	expect "-r: leaves a process behind: status" "$status" 0
	left=$(cat "$tmp/left")
	check "-r: and lets it go" until_true \
		grep -q '^TracerPid:[[:space:]]*0$' "/proc/$left/status"
	check "-r: and says so" grep -q 'ran on after the command' "$tmp/json"
	kill "$left"
	# A process that cannot be let go is not waited for.
	stat -r 2 -e migrations "$VICTIM" orphan
	expect "-r: leaves a process whose first thread has ended: status" "$status" 0
	expect "-r: both runs" "$(field runs)" 2
	# shellcheck disable=SC2046 # numbers
	kill -KILL $(cat "$tmp/out")
	# One at a time: more runs than there may be descriptors, and one process that waits. The
	# command has its own limit.
	(ulimit -Sn 50 && ulimit -Hn 60 && stat -r 100 -e cs sh -c 'ulimit -Sn' &&
		echo $status >"$tmp/n")
	expect "-r: more runs than descriptors: status" "$(cat "$tmp/n")" 0
	expect "-r: the command's limit" "$(sort "$tmp/out" | uniq -c | sed 's/^ *//')" "100 50"
	# Each run has signals as pfmon got them: its own changes are none of the command's.
	# shellcheck disable=SC2016 # for that shell
	"$VICTIM" ign "$PFMON" stat -r 3 -e cs -o "$tmp/text" \
		sh -c 'grep "^Sig[BI]" /proc/$$/status | tr "\n\t" "  "; echo' >"$tmp/out"
	"$VICTIM" ign sh -c 'grep "^Sig[BI]" /proc/$$/status | tr "\n\t" "  "; echo' >"$tmp/want"
	expect "-r: signals of the runs" "$(uniq "$tmp/out")" "$(cat "$tmp/want")"
	expect "-r: signals of all runs" "$(wc -l <"$tmp/out" | tr -d ' ')" 3

	stat -D 1000000 -e cs,task-clock true
	expect "-D: status" "$status" 0
	expect "-D: nothing yet" "$(value task-clock)" 0
	check "-D: and says so" grep -q 'nothing was counted: the end came before' "$tmp/json"
	for what in "" "--no-follow" "-e migrations" "-C 0"; do
		: >"$tmp/err"
		# shellcheck disable=SC2086,SC2016 # words; for the shell that is counted
		"$PFMON" stat $what -D 1 -I 1 -j -e cs,task-clock sh -c \
			'until grep -q from_ns "$0"; do sleep 0.01; done' "$tmp/err" 2>"$tmp/err"
		mv "$tmp/err" "$tmp/json"
		check "-D $what: counts then" [ "$(total_of task-clock)" -gt 0 ]
	done

	stat --timeout 20 -e cs sleep 1000
	expect "--timeout: the command gets SIGTERM" "$status" 143
	# shellcheck disable=SC2016 # for the shell that is counted
	stat --timeout 20 -e cs sh -c 'kill -STOP $$'
	expect "--timeout: one that is stopped, too" "$status" 143
	start_hold 0
	stat --timeout 20 -e cs -p "$hold"
	expect "--timeout of a process: status" "$status" 0
	expect "--timeout of a process" "$(field trees)" 1
	stop_hold
	stat --timeout 20 -e cs -C 0
	expect "--timeout of a CPU: status" "$status" 0
}

# metrics FILE [prometheus]: it is as Prometheus' own parser has it, for OpenMetrics' format or
# its own; prints "TYPE NAME LABELS VALUE".
metrics()
{
	/usr/bin/python3 -c '
import sys
if sys.argv[2:]:
	from prometheus_client.parser import text_string_to_metric_families as parse
else:
	from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
for family in parse(open(sys.argv[1]).read()):
	for s in family.samples:
		labels = ",".join(k + "=" + v for k, v in sorted(s.labels.items()))
		print(family.type, s.name, labels, s.value, sep=" ")' "$@" 2>"$tmp/err"
}

test_metrics()
{
	# Debian's: that of another installation does not know the package.
	if ! /usr/bin/python3 -c 'import prometheus_client' 2>/dev/null; then
		skip "python3-prometheus-client is not installed: metrics are not parsed"
		return
	fi
	echo old >"$tmp/metrics"
	"$PFMON" stat -f openmetrics -o "$tmp/metrics" -e cs,cs,task-clock sh -c "cat '$tmp/metrics'" \
		>"$tmp/out"
	expect "metrics: the old ones are there until the end" "$(cat "$tmp/out")" old
	metrics "$tmp/metrics" >"$tmp/parsed"
	check "metrics: parsed" [ -s "$tmp/parsed" ]
	expect "metrics: an event that is named twice" \
		"$(grep -c '^counter pfmon_events_total event=context-switches,target=' "$tmp/parsed")" 1
	check "metrics: time" grep -q '^counter pfmon_time_seconds_total event=task-clock,' "$tmp/parsed"
	check "metrics: how long" grep -q '^gauge pfmon_elapsed_seconds ' "$tmp/parsed"
	# Its own format has other names of types: a counter that is none has no rate.
	"$PFMON" stat -a -f prometheus --label job=build --label 'target=a "b"' \
		-o "$tmp/metrics" -e cs,task-clock true
	metrics "$tmp/metrics" prometheus >"$tmp/parsed"
	expect "metrics: types" "$(sed 's/ [^ ]*$//' "$tmp/parsed")" \
		'counter pfmon_events_total event=context-switches,job=build,target=a "b"
counter pfmon_time_seconds_total event=task-clock,job=build,target=a "b"
gauge pfmon_event_share event=context-switches,job=build,target=a "b"
gauge pfmon_event_share event=task-clock,job=build,target=a "b"
gauge pfmon_elapsed_seconds job=build,target=a "b"
gauge pfmon_missed_threads job=build,target=a "b"
gauge pfmon_cpus job=build,target=a "b"'
	for format in prometheus openmetrics; do
		"$PFMON" stat -a -f $format -o "$tmp/metrics" -e cs true
		check "metrics, $format: all CPUs are no label" grep -Eq '^pfmon_elapsed_seconds [0-9]' \
			"$tmp/metrics"
		word=$([ $format = openmetrics ] || echo $format)
		# shellcheck disable=SC2086 # nothing or a word
		metrics "$tmp/metrics" $word >"$tmp/parsed"
		check "metrics, $format: without a label" grep -q '^gauge pfmon_elapsed_seconds  ' "$tmp/parsed"
	done
	# Quotes and backslashes in labels; threads that have names.
	cp "$VICTIM" "$tmp/a\"b\\c"
	"$PFMON" stat -f openmetrics --per-thread -o "$tmp/metrics" -e cs "$tmp/a\"b\\c" thread 2 1
	metrics "$tmp/metrics" >"$tmp/parsed"
	expect "metrics: threads" "$(grep -F 'pfmon_events_total ' "$tmp/parsed" |
		grep -cF 'thread=a"b\c,')" 3
	# A file is written anew each time, and each is whole.
	rm -f "$tmp/metrics"
	"$PFMON" stat -I 1 -f openmetrics -o "$tmp/metrics" -e cs sh -c \
		"until [ -s '$tmp/metrics' ]; do sleep 0.01; done; cat '$tmp/metrics'" >"$tmp/out"
	check "metrics: meanwhile" grep -q '^# EOF$' "$tmp/out"
	metrics "$tmp/out" >"$tmp/parsed"
	check "metrics: parsed meanwhile" [ -s "$tmp/parsed" ]
	rm "$tmp/a\"b\\c"
}
