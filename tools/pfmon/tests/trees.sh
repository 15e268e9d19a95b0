# SPDX-License-Identifier: GPL-2.0-only
#
# Commands, processes and threads that the kernel counts as trees, without ptrace: to be
# sourced as behaviour.sh is, which has what it needs.
#
# shellcheck shell=sh disable=SC2154,SC2086,SC3045

# notes: those of the last run
notes()
{
	sed -n 's/.*"notes": //p' "$tmp/json"
}

# no_tree NAME PATTERN OPTION...: pfmon does without trees, and says so
no_tree()
{
	name=$1 pattern=$2
	shift 2
	stat "$@"
	expect "$name: status" "$status" 0
	expect "$name: no tree" "$(grep -c '"trees"' "$tmp/json")" 0
	check "$name: it is said: $(notes)" grep -q "\"$pattern\"" "$tmp/json"
}

# a_tree NAME N OPTION...: all of it is N trees, and nothing is to be said
a_tree()
{
	name=$1 n=$2
	shift 2
	stat "$@"
	expect "$name: status" "$status" 0
	expect "$name: trees" "$(field trees)" "$n"
	expect "$name: threads are not known" "$(field threads)" ""
	expect "$name: notes" "$(notes)" '[]}'
}

# What is counted as a tree, and what is said where that cannot be.
test_trees_chosen()
{
	start_hold 2
	a_tree "a command" 1 true
	expect "a command: events" "$(grep -o '"name": "[a-z-]*"' "$tmp/json" | sed 's/.* //' | head -n 4 | tr '\n' ' ')" \
		'"task-clock" "context-switches" "minor-faults" "major-faults" '
	a_tree "a process" 1 -e cs -p "$hold" true
	a_tree "a thread" 1 -e cs -t "$hold" true
	stat --switch-timeout 1 -e cs -e faults -p "$hold" true
	expect "sets: trees" "$(field trees)" 1
	"$PFMON" stat -e cs true 2>"$tmp/err"
	check "a command: title" grep -q "^ 'true':$" "$tmp/err"
	for how in --per-thread --no-follow --no-inherit -i; do
		stat $how -e cs true
		expect "$how: threads" "$(field threads)" 1
		expect "$how: no word of trees" "$(notes | grep -c tree)" 0
	done
	stat --no-inherit -e cs -p "$hold" true
	expect "-p, --no-inherit: threads" "$(field threads)" 3
	expect "-p, --no-inherit: nothing is to be said" "$(notes)" '[]}'
	stat --no-inherit -e cs -t "$hold" true
	expect "-t, --no-inherit: threads" "$(field threads)" 1
	stat --no-inherit -C 0 true
	expect "--no-inherit of CPUs: status" "$status" 125
	no_tree "migrations of a command" "'migrations' cannot be counted in a tree: threads and processes that it made were found by ptrace" \
		-e cs,migrations true
	no_tree "migrations of a process" "'migrations' cannot be counted in a tree: new threads were looked for" \
		-e cs,migrations -p "$hold" true
	no_tree "turns by migrations" "'migrations' cannot be counted in a tree: what the threads made was not counted" \
		--switch-overflow migrations=1000 -e cs -e faults -t "$hold" true
	stop_hold
}

# A tracer's children can be traced, and the command has no tracer.
test_trees_traced()
{
	stat -e cs "$VICTIM" tracer
	expect "a program that traces: status" "$status" 0
	stat -e cs grep -q "^TracerPid:[[:space:]]*0$" /proc/self/status
	expect "the command is not traced" "$status" 0
	stat -e cs,migrations grep -q "^TracerPid:[[:space:]]*0$" /proc/self/status
	expect "by ptrace it is" "$status" 1
	stat -e cs --per-thread "$VICTIM" tracer
	check "by ptrace nobody else traces" [ "$status" -ne 0 ]
	for debugger in "strace -f -o /dev/null" "gdb -q -batch -ex run --args"; do
		if ! ${debugger%% *} --version >/dev/null 2>&1; then
			skip "${debugger%% *} is not installed: in a tree"
			continue
		fi
		stat -e cs $debugger "$VICTIM" touch 1
		expect "${debugger%% *}, in a tree: status" "$status" 0
		check "${debugger%% *}, in a tree: it may trace" sh -c "! grep -qi 'not permitted' '$tmp/err' '$tmp/out'"
	done
}

# Which processes and threads are in the trees of others that are named.
test_trees_named()
{
	sh -c "sleep 1000 & echo \$! >'$tmp/named_child'; wait" &
	parent=$!
	until_true [ -s "$tmp/named_child" ]
	named=$(cat "$tmp/named_child")
	a_tree "a process and its child" 1 -e cs -p "$parent,$named" true
	a_tree "a child and its parent" 1 -e cs -p "$named,$parent" true
	a_tree "twice the same" 1 -e cs -p "$named,$named" true
	a_tree "a thread of a process's child" 1 -e cs -t "$named" -p "$parent" true
	a_tree "two threads" 2 -e cs -t "$named,$parent" true
	stat --no-inherit -e cs -p "$parent,$named" true
	expect "two processes, not their children" "$(field threads)" 2
	kill "$named"
	wait "$parent" 2>/dev/null
	rm -f "$tmp/named_child"
	stat -e cs -p $$ true
	expect "what has made pfmon: status" "$status" 0
	expect "what has made pfmon: a tree" "$(field trees)" 1
	check "what has made pfmon: it is said" grep -q \
		"\"process $$ has started pfmon: of its child processes only those were counted that it started meanwhile\"" \
		"$tmp/json"
	stat -e cs -p "$named" true
	expect "a process that is gone: status" "$status" 125
	expect_err "a process that is gone" "there is no process $named"
}

# until_ready: a command for sh that has a victim go on until it has printed something, two
# minutes at most
until_ready()
{
	echo "printf x >&9; i=0; until [ -s '$tmp/ready' ] || [ \$i -ge 2400 ]; do
		i=\$((i + 1)); sleep 0.05; done"
}

# counted_meanwhile PID OPTION...: lets a victim go on that is counted by -p, until it has
# printed a number, which is in $ran then.
counted_meanwhile()
{
	pid=$1
	shift
	# It reads a byte from its standard input.
	until_true grep -q '^[0-9]* 0x0 0x[0-9a-f]* 0x1 ' "/proc/$pid/syscall"
	stat -p "$pid" "$@" sh -c "$(until_ready)"
	ran=$(cat "$tmp/ready")
}

# recorded_meanwhile PID OPTION...: the same, and each of its minor faults is sampled
recorded_meanwhile()
{
	pid=$1
	shift
	until_true state_of "$pid" S
	record "$@" -e minor-faults -c 1 -b 1M -p "$pid" sh -c "printf x >&9; until [ -s '$tmp/ready' ]; do sleep 0.05; done"
	ran=$(cat "$tmp/ready")
	report -f json --by process
}

# close_to NAME GOT WANT: right to a thousandth, or some pages that printing it takes
close_to()
{
	between "$1" "$2" "$3" $(($3 + $3 / 1000 + 20))
}

# No thread is lost, however brief it is, nor any process. The kernel's own account of them is
# that of rusage.
test_trees_exact()
{
	start_victim serial 200 50
	counted_meanwhile "$hold" -e minor-faults,task-clock
	close_to "200 threads, one after the other" "$(value minor-faults)" "$ran"
	between "200 threads: their faults" "$ran" 10000 14000
	expect "200 threads: none is missed" "$(field missed)" 0
	stop_hold
	# To be made and to end takes each thread some hundred instructions.
	if ! grep -qx none $sysfs/pmu_model && [ "$(uname -m)" = x86_64 ]; then
		start_victim serial 200 1
		counted_meanwhile "$hold" -e "$by_number"
		between "200 threads of two million instructions" "$(value "$by_number")" \
			400000000 400400000
		stop_hold
	fi
	for what in "fork 50 20" "vfork 20 20" "thread 50 20" "exec-thread 300" "fork 1 3000"; do
		start_victim account "$VICTIM" $what
		counted_meanwhile "$hold" -e minor-faults
		close_to "$what, by rusage" "$(value minor-faults)" "$ran"
		stop_hold
	done
	# shellcheck disable=SC2016 # for that shell
	start_victim account sh -c 'v=$1; "$v" fork 3 100; "$v" thread 3 100 | cat; (exec "$v" touch 500) & wait' sh "$VICTIM"
	counted_meanwhile "$hold" -e minor-faults
	close_to "a script, by rusage" "$(value minor-faults)" "$ran"
	check "a script: its faults" [ "$ran" -gt 1100 ]
	stop_hold
	# A thread that is named, and not the others that there are.
	start_hold 1
	tid=$(basename "$(printf '%s\n' "/proc/$hold/task/"* | tail -n 1)")
	stat -e minor-faults -t "$tid" sh -c "printf x >&9
		until [ \$(ls /proc/$hold/task | wc -l) -eq 3 ]; do sleep 0.05; done"
	expect "a thread, not what others make" "$(value minor-faults)" 0
	stop_hold
}

# Children that are there when counting begins, unless they are not to be counted.
test_trees_children()
{
	mkfifo "$tmp/family_in"
	sh -c "'$VICTIM' account '$VICTIM' touch 3000 >'$tmp/ready' <'$tmp/family_in'; :" &
	parent=$!
	exec 9>"$tmp/family_in"
	until_true child_of $parent
	named=$child
	: >"$tmp/ready"
	until_true state_of "$named" S
	stat -e minor-faults -p $parent sh -c "$(until_ready)"
	between "a child that is there" "$(value minor-faults)" 3000 4000
	expect "a child that is there: notes" "$(notes)" '[]}'
	exec 9>&-
	wait $parent
	rm "$tmp/family_in"
}

# What runs on when the command has ended is counted until then, and said.
test_trees_outlive()
{
	stat -e task-clock sh -c "'$VICTIM' spin 600000 & echo \$! >'$tmp/left'; '$VICTIM' spin 50"
	kill "$(cat "$tmp/left")"
	check "runs on: a note" grep -q \
		'"1 thread ran on after the command, and was counted until the command ended"' "$tmp/json"
	between "runs on: counted" $(($(value task-clock) / 1000000)) 50 600000
	# It has the rights of another one: whose member leaves the tree.
	cp "$VICTIM" "$tmp/unreadable"
	chmod 711 "$tmp/unreadable" "$tmp"
	"$VICTIM" user "$PFMON" stat -j -e cs "$tmp/unreadable" touch 1 2>"$tmp/json"
	check "a program that may not be read: a note" grep -q \
		'"the command was not counted: this user may not read its program' "$tmp/json"
	# What CLONE_UNTRACED hides from tracers is counted.
	stat -e task-clock "$VICTIM" hidden 300
	between "hidden from tracers" $(($(value task-clock) / 1000000)) 295 600000
	# One that is taken already.
	stat "$PFMON" stat true
	expect "pfmon in pfmon: status" "$status" 125
	check "pfmon in pfmon: who it is" grep -q \
		"the thread is being monitored: .* by pfmon (process [0-9]*), which monitors a tree of threads" "$tmp/err"
}

# Turns of each CPU; turns that end too fast stop nothing for long.
test_trees_sets()
{
	stat --switch-timeout 1 -e minor-faults -e task-clock "$VICTIM" spin 300
	expect "sets: status" "$status" 0
	between "sets: an estimate" $(($(value task-clock) / 1000000)) 150 6000
	stat --switch-timeout 0.2 -e cs -e minor-faults "$VICTIM" fork 10 300
	between "sets of a tree of processes: an estimate" "$(value minor-faults)" 1500 9000
	stat --switch-overflow minor-faults=100 -e task-clock -e minor-faults "$VICTIM" thread 10 500
	expect "turns by faults: status" "$status" 0
	between "turns by faults: an estimate" "$(value minor-faults)" 2500 10000
}

# Samples of a tree are by CPU: all of each thread and process, however brief, with the binaries
# of those that only fork; and nothing is traced. $1: -g, or nothing
recorded()
{
	name="samples of a tree${1:+, $1}"
	record $1 sh -c "grep TracerPid /proc/self/status"
	expect "$name: nothing is traced" "$(tr -d '\t' <"$tmp/out")" TracerPid:0
	record $1 -e minor-faults -c 1 -b 1M "$VICTIM" pattern 300
	report -f json --by process,address
	hits fault '"victim"'
	expect "$name: where" "$n_60 $n_30 $n_10" "1800 900 300"
	expect "$name: lost" "$(lost samples) $(lost estimated)" "0 0"
	# Each is too brief to be looked at.
	for what in "fork 100 30" "vfork 30 30" "thread 100 30"; do
		start_victim account "$VICTIM" $what
		recorded_meanwhile "$hold" $1
		between "$name of $what, by rusage" "$(json samples)" "$ran" $((ran + 60))
		expect "$name of $what: lost" "$(lost samples) $(lost estimated)" "0 0"
		stop_hold
	done
	start_victim serial 200 30
	recorded_meanwhile "$hold" $1
	between "$name of 200 threads, one after the other" "$(json samples)" "$ran" $((ran + 60))
	expect "$name of 200 threads: lost" "$(lost samples) $(lost estimated)" "0 0"
	stop_hold
	record $1 -e minor-faults -c 1 -b 1M "$VICTIM" fork 100 30
	report --by binary --format folded
	check "$name, binaries of processes that only fork: $(sort -rnk 2 "$tmp/report" | head -n 3 | tr '\n' ' ')" \
		awk '{ all += $NF } $1 == "[unknown]" { n += $NF } END { exit all < 3000 || n > all / 50 }' "$tmp/report"
	enough "" record $1 "$VICTIM" hot-fork 40
	fair "$name, forty processes"
}

test_trees_recorded()
{
	if ! have calldouble; then
		skip "no sampling format that records forks: samples of trees"
		return
	fi
	find_places
	recorded -g
	recorded ""
}

# tracer OPTION...: 0 if what is recorded has none
tracer()
{
	record "$@" sh -c "grep TracerPid /proc/self/status"
	sed -n 's/^TracerPid:[[:space:]]*//p' "$tmp/out"
}

# Without -g samples have no calls; and what no tree can have is sampled thread by thread.
test_trees_plain()
{
	if ! have calldouble; then
		skip "no sampling format that records forks: samples without calls"
		return
	fi
	record -e minor-faults -c 1 "$VICTIM" fork 20 30
	"$PFMON" script --raw -i "$tmp/data" >"$tmp/out"
	expect "a tree without -g: format" \
		"$(sed -n 's/^block 1: format [^ ]* (\(.*\)), process .*/\1/p' "$tmp/out")" calldouble
	report -f folded
	expect "a tree without -g: no calls" "$(awk -F ';' 'NF > 3' "$tmp/report" | wc -l)" 0
	check "a tree without -g: by functions" grep -q '^victim;.*victim;' "$tmp/report"
	report -f json --by process,chain
	expect "a tree without -g: a chain is one function" "$(grep -c '"chain": \["[^"]*", ' "$tmp/report")" 0
	record -g -e minor-faults -c 1 "$VICTIM" fork 20 30
	report -f json --by process,chain
	check "a tree with -g: chains are calls" grep -q '"chain": \["[^"]*", ' "$tmp/report"
	# A sample has what -r reads, and periods follow the event.
	record -e minor-faults -c 1 -r major-faults,cs "$VICTIM" fork 20 30
	report -f json --by process
	between "a tree, -r: samples" "$(json samples)" 600 2000
	record -F 1000 -e minor-faults "$VICTIM" fork 20 300
	report -f json --by process
	between "a tree, -F: samples" "$(json samples)" 50 12000
	# Whom the events or the options leave no tree.
	for how in "-f double" "-f default" "-e task-clock,migrations" "-b 4K"; do
		check "$how: it is traced" [ "$(tracer $how)" != 0 ]
		expect "$how: status" "$status" 0
	done
	for how in "-b 16K" "-e task-clock -r cs" "-e cs -e task-clock --switch-timeout 1"; do
		expect "$how: a tree" "$(tracer $how)" 0
		expect "$how: status" "$status" 0
	done
	"$PFMON" record -o - sh -c "grep TracerPid /proc/self/status" 2>"$tmp/err" >"$tmp/data"
	check "a tree, to a pipe: nothing is traced" grep -q '^TracerPid:[[:space:]]*0$' "$tmp/err"
	start_hold 2
	record -p "$hold,$$" true
	"$PFMON" script --raw -i "$tmp/data" >"$tmp/out"
	expect "two processes: contexts of threads" "$(grep -c '(calldouble)' "$tmp/out")" 0
	stop_hold
}

# What top shows while a tree runs is all that there was, once, with names for the briefest.
test_trees_top()
{
	if ! have calldouble; then
		skip "no sampling format that records forks: top of trees"
		return
	fi
	top -d 3600 sh -c "grep TracerPid /proc/self/status >'$tmp/ready'"
	expect "top of a tree: nothing is traced" "$(tr -d '\t' <"$tmp/ready")" TracerPid:0
	top -d 1 -e minor-faults -c 1 --by process,binary sh -c "
		echo | '$VICTIM' account '$VICTIM' fork 200 30 >'$tmp/ready'
		shown() { grep -c '^ pfmon top, ' '$tmp/out'; }
		n=\$(shown)
		until [ \"\$(shown)\" -gt \$((n + 1)) ]; do sleep 0.05; done"
	expect "top of a tree: status" "$status" 0
	ran=$(cat "$tmp/ready")
	# Who was made in the last moment before a look has no name in it.
	tr -d , <"$tmp/out" | awk '/^ +[0-9.]+ / && ($3 == "victim" || $3 == "pid") { n += $2 }
		/\[unknown\]/ { unknown += $2 }
		END { print n + 0, unknown + 0 }' >"$tmp/n"
	read -r n unknown <"$tmp/n"
	between "top of a tree: samples, by rusage" "$n" "$ran" $((ran + 300))
	between "top of a tree: samples without a name" "$unknown" 0 $((n / 2))
	expect "top of a tree: lost" "$(sed -n 's/.*[^0-9,]\([1-9][0-9,]*\) lost.*/\1/p' "$tmp/out")" ""
	"$VICTIM" hot 600000 &
	for each in 0.2 1 5 25; do
		top -n 2 -d $each -F 1000 -p $!
		! has_rows || break
	done
	kill $!
	expect "top of a process as a tree: status" "$status" 0
	check "top of a process as a tree: rows" has_rows
}

trees='trees_chosen trees_traced trees_named'
trees_counted='trees_top trees_exact trees_children trees_outlive trees_sets trees_recorded trees_plain'
