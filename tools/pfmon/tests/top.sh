# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2154 # tmp, PFMON and VICTIM are the caller's
#
# pfmon top, for run.sh and guest.sh.

tops="top_batch top_options top_names top_terminal"

# top ARGUMENT...
top()
{
	"$PFMON" top "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

has_rows()
{
	grep -Eq '^ +[0-9.]+ +[0-9,]+  [^ ]' "$tmp/out"
}

test_top_batch()
{
	# Until the command began, and was sampled, in that time: it may have to wait for a CPU.
	rm -f "$tmp/pid"
	for each in 0.2 1 5 25; do
		# shellcheck disable=SC2016 # for the other shell
		top -n 3 -d $each -F 1000 sh -c 'echo $$ >"$0" && exec "$@"' "$tmp/pid" \
			"$VICTIM" hot 600000
		! [ -s "$tmp/pid" ] || ! has_rows || break
	done
	expect "top: status" "$status" 0
	expect "top: says nothing else" "$(cat "$tmp/err")" ""
	expect "top: reports" "$(grep -c "^ pfmon top, ..:..:.., each $each s\$" "$tmp/out")" 3
	expect "top: of the event" "$(grep -c ': [0-9,]* samples* of task-clock, ' "$tmp/out")" 3
	check "top: rows" has_rows
	check "top: the command is ended" [ ! -d "/proc/$(cat "$tmp/pid")" ]
	# A command that is over before the first look: all of it.
	top -d 3600 "$VICTIM" hot 100
	expect "top, short: status" "$status" 0
	expect "top, short: reports" "$(grep -c '^ pfmon top, ' "$tmp/out")" 1
	top -d 3600 sh -c 'exit 3'
	expect "top has the command's status" "$status" 3
	top no-such-command
	expect "top, no such command: status" "$status" 127
	for each in 0.2 1 5 25; do
		top -a -n 2 -d $each --by cpu,process
		! has_rows || break
	done
	expect "top -a: status" "$status" 0
	check "top -a: columns" grep -q '^ percent   samples  process  *cpu$' "$tmp/out"
	top -d 3600 -e minor-faults -c 1 --process 'no*such' "$VICTIM" touch 10
	check "top: filters" grep -q 'other samples were left out' "$tmp/out"
	"$PFMON" top -a -d 0.2 >/dev/full 2>"$tmp/err" </dev/null
	expect "top, no room: status" $? 125
	expect_err "top, no room" "standard output: No space left"
	rm -f "$tmp/pid"
	# shellcheck disable=SC2016 # for the other shell
	{ "$PFMON" top -d 0.1 sh -c 'echo $$ >"$0" && exec sleep 1000' "$tmp/pid" 2>"$tmp/err"
		echo $? >"$tmp/n"; } | until_true [ -s "$tmp/pid" ]
	expect "top, who reads has enough: status" "$(cat "$tmp/n")" 141
	expect "top, who reads has enough: nothing to say" "$(cat "$tmp/err")" ""
	check "top, who reads has enough: the command is ended" \
		until_true [ ! -d "/proc/$(cat "$tmp/pid")" ]
}

test_top_options()
{
	while IFS='|' read -r args message; do
		# shellcheck disable=SC2086 # words
		top $args
		expect "top $args: status" "$status" 125
		check "top $args: $message" grep -q -e "$message" "$tmp/err"
	done <<-'END'
	-d 0 true|'0' is not a number of seconds from 0.1 to 86400
	-d x true|'x' is not a number of seconds
	-d nan true|'nan' is not a number of seconds
	-n 0 true|'0' is not a number of times
	-e cs,task-clock true|one event can be shown at a time
	-e bogus true|no event 'bogus'
	--by nothing true|'nothing' is not a list of
	--time 1-2 true|--time is for recordings
	-c 1 -F 1 true|-c and -F exclude each other
	-p x true|'x' is not a process number
	END
	top
	expect "top of nothing: status" "$status" 125
	top --help
	expect "top --help: status" "$status" 0
	check "top --help: prints to stdout" [ -s "$tmp/out" ]
	expect "top --help: each option once, and none that is refused" "$(grep -o -e ' --[a-z-]*' "$tmp/out" |
		sort | uniq -d; grep -e '--time ' "$tmp/out")" ""
}

# Names that would control a terminal.
test_top_names()
{
	evil=$tmp/$(printf 'a\033[2J\tb')
	cp "$VICTIM" "$evil"
	top -d 3600 -e minor-faults -c 1 --by process,binary "$evil" touch 10
	expect "top, hostile name: status" "$status" 0
	expect "top, hostile name: nothing that controls a terminal" \
		"$(LC_ALL=C tr -d '\n -~' <"$tmp/out" | wc -c)" 0
	check "top, hostile name: it is there" grep -q 'a?\[2J?b' "$tmp/out"
	rm -f "$evil"
}

test_top_terminal()
{
	if ! /usr/bin/python3 -c pass 2>/dev/null; then
		skip "python3 is not installed, or not for this kernel: top on a terminal"
		return
	fi
	/usr/bin/python3 ./terminal.py "$PFMON" "$@" -p $$ >"$tmp/checks" 2>"$tmp/err"
	expect "top on a terminal: status" $? 0
	[ -s "$tmp/err" ] && fail "top on a terminal: $(tail -n 1 "$tmp/err")"
	while read -r verdict line; do
		if [ "$verdict" = ok ]; then
			ok
		else
			fail "top on a terminal: $line"
		fi
	done <"$tmp/checks"
	check "top on a terminal: all of it" grep -q '^ok goes on: the terminal is as before' \
		"$tmp/checks"
}
