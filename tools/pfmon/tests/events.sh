# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2086,SC2154 # variables of guest.sh; words
#
# Events of the hardware: names, rates, what goes together, for guest.sh.

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

# agents: how many CPUs are counted?
agents()
{
	[ "$(cat $sysfs/sys_sessions)" -eq "$1" ]
}

# An agent counts the CPUs all the time; beside it programs are counted and sampled, exactly.
test_shared()
{
	if ! is_shared; then
		skip "an agent beside others: the PMU is '$(cat $sysfs/pmu_model)'"
		return
	fi
	instructions 4000
	first=$got
	cpus=$(grep -c ^processor /proc/cpuinfo)
	"$PFMON" stat -a -e instructions:u,cycles:u -o "$tmp/agent" &
	agent=$!
	until_true agents "$cpus"
	for i in 1 2 3; do
		stat -e instructions:u,cycles:u "$VICTIM" pattern 4000
		expect "beside an agent: status" "$status" 0
		between "beside an agent: instructions" "$(value instructions:u)" \
			$((first - 200)) $((first + 200))
		expect "beside an agent: sets" "$(field sets)" 1
	done
	record -b 256K -e instructions:u -c 1000 -R 0 "$VICTIM" pattern 4000
	report -f json --by process
	between "beside an agent: samples" "$(json samples)" \
		$(((first - 200) / 1000 - first / 50000)) $(((first + 200) / 1000))
	# What is left is not enough for so many at a time: they take turns.
	stat -e branches:u,instructions:u,cycles:u,branches:k,branches,instructions,cycles \
		"$VICTIM" spin 50
	expect "many events beside an agent: status" "$status" 0
	kill -TERM $agent
	wait $agent
	between "the agent's instructions" \
		"$(sed -n 's/^ *\([0-9,]*\)  *instructions:u .*/\1/p' "$tmp/agent" | tr -d ,)" \
		$((4 * first)) $((100000 * first))
	# And the other way round: a program has counters, and an agent comes.
	start_hold 0
	"$PFMON" stat -o /dev/null -e instructions:u -p "$hold" 9>&- &
	pid=$!
	until_true grep -q '^1' $sysfs/thread_sessions
	stat -a -e instructions:u "$VICTIM" pattern 4000
	expect "an agent that comes later: status" "$status" 0
	between "an agent that comes later: instructions" "$(value instructions:u)" \
		$((first - 200)) $((100 * first))
	stop_hold
	wait $pid
}

# begin_waiting ARGUMENT...: a pfmon that waits, in $waiter; what it says is in $tmp/waits
begin_waiting()
{
	: >"$tmp/waits"
	"$VICTIM" dfl "$PFMON" "$@" 2>"$tmp/waits" >/dev/null 9>&- &
	waiter=$!
	check "$*: it waits" until_true grep -q 'waiting: ' "$tmp/waits"
}

# begin_holding N ARGUMENT...: a pfmon that counts by N contexts until it is killed, in $pid
begin_holding()
{
	n=$1
	shift
	"$PFMON" stat -o /dev/null "$@" 9>&- &
	pid=$!
	until_true started $pid "$n"
}

# waiting_ends WHAT STATUS: of $waiter, when $pid has been killed
waiting_ends()
{
	kill -TERM $pid
	wait $pid
	wait $waiter
	expect "--wait for $1: status" $? "$2"
	expect "--wait for $1: it is said once" "$(grep -c 'waiting: ' "$tmp/waits")" 1
}

# As many events as there are general counters.
find_full()
{
	full=branches
	while "$PFMON" stat --no-multiplex -o /dev/null -e "$full,branches" true 2>/dev/null; do
		full=$full,branches
	done
}

# --wait for counters that contexts of the other kind have, or perf_events.
wait_for_counters()
{
	taker=instructions:u
	! is_shared || taker=$(all_counters)
	begin_holding 1 -C 0 -e "$taker"
	begin_waiting stat --wait -j -o "$tmp/json" "$VICTIM" pattern 100
	check "--wait for counters of CPUs: who has them" \
		grep -q "the PMU is in use by pfmon (process $pid), which monitors CPUs" "$tmp/waits"
	waiting_ends "counters of CPUs" 0
	check "--wait for counters of CPUs: they are counted" [ "$(value instructions)" -ge 1000 ]
	begin_holding 1 -C 0 -e "$taker"
	begin_waiting record --wait -o "$tmp/data" -e instructions:u -c 1000 "$VICTIM" pattern 100
	waiting_ends "counters of CPUs, to sample" 0
	report -f json
	check "--wait for counters of CPUs, to sample: samples" [ "$(json samples)" -ge 10 ]

	start_hold 0
	begin_holding 1 -p "$hold" -e "$taker"
	begin_waiting stat --wait -a -e instructions true
	check "--wait for counters of threads: who has them" \
		grep -q "the PMU is in use by pfmon (process $pid), which monitors threads" "$tmp/waits"
	waiting_ends "counters of threads" 0
	# Two of both kinds, of which one is the first.
	begin_holding 1 -p "$hold" -e "$taker"
	begin_waiting stat --wait -C 0,1 -e "$taker" true
	cpus_waiter=$waiter
	kill -TERM $pid
	"$PFMON" stat --wait -o /dev/null -e "$taker" true 2>/dev/null 9>&- &
	waiter=$!
	wait $pid
	wait $cpus_waiter
	expect "--wait of both kinds: of CPUs: status" $? 0
	wait $waiter
	expect "--wait of both kinds: of threads: status" $? 0
	stop_hold
	# What was waited for is kept, by a thread of pfmon's own beside that of the command.
	mkfifo "$tmp/fifo"
	"$PFMON" stat --wait -o /dev/null -e instructions:u cat "$tmp/fifo" &
	pid=$!
	check "--wait keeps the counters" until_true started $pid 1
	expect "--wait keeps the counters: sessions" "$(cat $sysfs/thread_sessions)" 2
	: >"$tmp/fifo"
	wait $pid
	rm "$tmp/fifo"
}

# --wait where something is left, which is too little.
wait_for_more()
{
	find_full
	begin_holding 1 -C 0 -e branches:u
	stat --no-multiplex -e "$full" true
	expect "too few counters are left: status" "$status" 125
	begin_waiting stat --wait --no-multiplex -j -o "$tmp/json" -e "$full" true
	waiting_ends "all counters" 0
	begin_holding 1 -C 0 -e branches:u
	begin_waiting stat --wait -j -o "$tmp/json" -e "$full" true
	waiting_ends "all counters, without turns" 0
	expect "--wait for all counters: sets" "$(field sets)" 1
}

wait_for_perf()
{
	mkfifo "$tmp/fifo"
	perf stat -a -e cycles cat "$tmp/fifo" >/dev/null 2>&1 &
	pid=$!
	exec 8>"$tmp/fifo"
	begin_waiting stat --wait -e instructions:u true
	check "--wait for perf: who has it" grep -q \
		"the PMU is in use by perf[^ ]* (process $pid), which has perf_events open" "$tmp/waits"
	exec 8>&-
	waiting_ends perf 0
	rm "$tmp/fifo"
}

# --wait: what others have is waited for, a thread, CPUs, or counters.
test_wait()
{
	start_hold 0
	begin_holding 1 -e cs -p "$hold"
	begin_waiting stat --wait -j -o "$tmp/json" -e cs -p "$hold" true
	check "--wait for a thread: who has it" grep -q "monitored by pfmon (process $pid)" "$tmp/waits"
	waiting_ends "a thread" 0
	expect "--wait for a thread: missed" "$(field missed)" 0
	begin_holding 1 -e cs -p "$hold"
	begin_waiting stat --wait -e cs -p "$hold" true
	kill -INT $waiter
	waiting_ends "a thread, interrupted" 130
	begin_holding 1 -e cs -p "$hold"
	begin_waiting top --wait -B -n 1 -e cs -p "$hold"
	waiting_ends "a thread, to show it" 0
	stop_hold

	# Several wait for all CPUs: each gets them.
	cpus=$(grep -c ^processor /proc/cpuinfo)
	begin_holding "$cpus" -a -e cs
	waiters=
	for i in 1 2 3; do
		begin_waiting stat --wait -a -e cs true
		check "--wait for CPUs: who has them" grep -q \
			"the CPU is being monitored.*by pfmon (process $pid)" "$tmp/waits"
		waiters="$waiters $waiter"
	done
	kill -TERM $pid
	wait $pid
	for waiter in $waiters; do
		wait $waiter
		expect "--wait for CPUs: status" $? 0
	done

	if ! "$PFMON" list instructions >/dev/null 2>&1; then
		return
	fi
	wait_for_counters
	if is_shared; then
		wait_for_more
	else
		skip "--wait for some counters: the PMU is '$(cat $sysfs/pmu_model)'"
	fi
	if command -v perf >/dev/null; then
		wait_for_perf
	else
		skip "--wait for perf: there is no perf"
	fi
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

# Events of the kernel: with a period of 1 if there are not more of them.
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
	# One of a hundred before the first look, at most, and then no faster than was asked for.
	between "frequent events: samples" "$(json samples)" 20 \
		$((all / 100 + $(counted task-clock) / 5000000))
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

# The periods of a process that runs already, and those that pfmon top shows. Until pfmon was there in time to see how many events there are.
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
	# It begins with that of -c, which is random: up to twice 101.
	first=$(head -n 1 "$tmp/periods")
	check "record -p -F: the first period: '$first'" [ "${first:-1000}" -le 202 ]
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
	"$PFMON" check >"$tmp/out"
	expect "two kinds of cores: check: status" $? 0
	check "two kinds of cores: check" grep -q \
		'^note  this processor has two kinds of cores.*: named events such as cycles are the same on both' "$tmp/out"
	stat -e cycles:u,instructions:u,r00c0:u "$VICTIM" pattern 100
	check "two kinds of cores: no word of what both count" \
		sh -c "! grep -q 'kinds of cores' '$tmp/err'"
	refused_event=$("$PFMON" explain cache-misses 2>&1)
	expect "an event that CPUID says is absent" "$refused_event" \
		"pfmon: no event 'cache-misses': this processor says (CPUID) that it does not count it"
}
