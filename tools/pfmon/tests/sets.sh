# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2086,SC2154 # variables of guest.sh; words
#
# Event sets that take turns, for guest.sh.

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
	# Each thread begins with another set, unless the kernel counts a tree: one that ends in
	# its first turn has a share.
	stat -e minor-faults -e minor-faults,migrations --switch-overflow minor-faults=1000000 \
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
