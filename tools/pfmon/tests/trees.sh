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

trees='trees_chosen trees_traced trees_named'
