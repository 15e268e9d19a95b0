# SPDX-License-Identifier: GPL-2.0-only
#
# What pfmon record and report do wherever the samples are: to be sourced after
# behaviour.sh, by the same scripts.
#
# shellcheck shell=sh disable=SC2154,SC2034

# record ARGUMENT...: run pfmon record, samples to $tmp/data, status to $status.
# What it says stays in $tmp/said when a report follows.
record()
{
	rm -f "$tmp"/data*
	"$PFMON" record -o "$tmp/data" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	cp "$tmp/err" "$tmp/said"
}

# report ARGUMENT...: run pfmon report on that, to $tmp/report.
report()
{
	"$PFMON" report -i "$tmp/data" "$@" >"$tmp/report" 2>"$tmp/err"
	status=$?
}

# json NAME: the first number, or word, of this name in a report as JSON.
json()
{
	tr '{,' '\n\n' <"$tmp/report" | sed -n "s/^ *\"$1\": \([a-z0-9]*\).*/\1/p" |
		head -n 1
}

# lost NAME: a number of the report's object "lost".
lost()
{
	sed -n "1s/.*\"lost\": {[^}]*\"$1\": \([0-9]*\).*/\1/p" "$tmp/report"
}

# whole NAME: the data file is complete.
whole()
{
	report -f json
	expect "$1: the file is complete" "$(json complete)" true
}

# refused NAME PATTERN ARGUMENT...: pfmon record says what is wrong with them.
refused()
{
	name=$1 pattern=$2
	shift 2
	record "$@"
	expect "record, $name: status" "$status" 125
	expect_err "record, $name" "$pattern"
	check "record, $name: no file" nothing_left
}

# nothing_left: neither a data file nor one that is not complete yet.
nothing_left()
{
	[ -z "$(find "$tmp" -maxdepth 1 -name 'data*')" ]
}

test_record_options()
{
	refused "unknown event" "^pfmon: no event 'bogus'; there are task-clock" \
		-e bogus true
	refused "no such register" "'BOGUS'.*, or a register of pfmon info" \
		-r BOGUS true
	refused "zero period" "'0' is not a period" -c 0 true
	refused "negative period" "'-1' is not a period" -c -1 true
	refused "no period" "'1x' is not a period" -c 1x true
	refused "no frequency" "'fast' is not a frequency" -F fast true
	refused "frequency without periods" "the format aggregate records no periods: with it -F is for clocks, not for context-switches" \
		-F 10 -f aggregate -e task-clock,cs true
	refused "fast clock" "task-clock: the kernel takes no samples of it closer than 10000 ns, -F 100000" \
		-F 100001 true
	refused "short time" "task-clock: the kernel takes no samples of it closer than 10000 ns" \
		-e cs,task-clock -c 9999 true
	for word in "-g lbr" "--call-graph lbr" --call-graph=lbr --call-graph=bp --call-graph=dwarfs; do
		refused "$word" "calls are followed by frame pointers (fp), or by .* (dwarf)" $word true
	done
	for word in dwarf,0 dwarf, dwarf,16385 dwarf,x; do
		refused "-g $word" "is not a stack's size of at most 16384" -g $word true
	done
	refused "small buffer of stacks" "is too small: the format calldouble needs" -b 16K -g dwarf true
	record -F 100000 true
	expect "fastest clock: status" "$status" 0
	refused "large mask" "must be smaller than the period of task-clock" \
		-R 0xfffff -c 1000 true
	refused "small buffer" "a buffer of 64 bytes is too small: the format default needs" -b 64 true
	refused "large buffer" "'1G' is not a buffer's size" -b 1G true
	refused "bad pid" "'x' is not a process number" -p x true
	refused "bad CPU list" "'1-' is not a list of CPUs" -C 1- true
	refused "no such CPU" "CPU 8000 does not exist" -C 8000 true
	"$PFMON" record -f bogus true 2>"$tmp/err"
	expect "record, no such format: status" $? 125
	check "record, no such format" grep -q "no sampling format 'bogus'" "$tmp/err"
	for format in default double aggregate callchain; do
		check "record, no such format: list" grep -q "^  $format " "$tmp/err"
	done
	refused "values of a table" "the format aggregate records no values: it cannot be used with -r" \
		-f aggregate -r cs true
	refused "small table" "is too small: the format aggregate needs 2048" \
		-f aggregate -b 2000 true
	refused "large table" "is too large: the format aggregate takes at most 524288" \
		-f aggregate -b 1M true
	refused "small buffer of chains" "is too small: the format callchain needs" \
		-f callchain -b 1K true
	refused "nine events, not in turns" \
		"no counter is left for 'context-switches': at most 8 software events at a time" \
		--no-multiplex -e cs,cs,cs,cs,cs,cs,cs,cs,cs true
	refused "no counter besides what is read" "no counter is left for 'context-switches'" \
		-e cs -r cs,cs,cs,cs,cs,cs,cs,cs true
	refused "turns of no time" "'0' is not a number of milliseconds" --switch-timeout 0 true
	refused "turns of one list" "there is one set of events only" --switch-timeout 1 true
	record -e cs,cs,cs,cs,cs,cs,cs,cs,task-clock true
	expect "record, nine events: status" "$status" 0
	"$PFMON" record -o "$tmp/no/such" true 2>"$tmp/err"
	expect "record -o nowhere: status" $? 125
	expect_err "record -o nowhere" "no/such: No such file"
	for args in "" "-p 1 -C 0 true" "-c 1 -F 1 true" "--no-multiplex --switch-timeout 1 true" "--bogus true"; do
		# shellcheck disable=SC2086 # words
		"$PFMON" record $args >"$tmp/out" 2>"$tmp/err"
		expect "record $args: status" $? 125
		check "record $args: says where help is" \
			grep -q "^Try 'pfmon record --help'" "$tmp/err"
	done
	for what in record report; do
		"$PFMON" $what --help >"$tmp/out" 2>"$tmp/err"
		expect "$what --help: status" $? 0
		check "$what --help: prints to stdout" [ -s "$tmp/out" ]
		check "$what --help: nothing to stderr" [ ! -s "$tmp/err" ]
	done
}

# ended NAME WANT COMMAND...: with this status, and a data file.
ended()
{
	name=$1 want=$2
	shift 2
	record "$@"
	expect "record, $name" "$status" "$want"
	whole "record, $name"
}

test_record_status()
{
	ended "true" 0 true
	ended "exit 42" 42 sh -c 'exit 42'
	ended "killed by SIGTERM" 143 sh -c 'kill -TERM $$'
	ended "signals reach the program" 0 "$VICTIM" signal 20
	ended "exec by a thread" 0 "$VICTIM" exec-thread 10
	ended "-C has the command's status" 4 -C all sh -c 'exit 4'
	record /no/such/program
	expect "record, not found: status" "$status" 127
	expect_err "record, not found" "cannot run '/no/such/program': No such file"
	check "record, not found: no file" nothing_left
	record -C all /no/such/program
	expect "record -C, not found: status" "$status" 127
	expect_err "record -C, not found" "cannot run '/no/such/program': No such file"
	check "record -C, not found: no file" nothing_left
	record /etc/passwd
	expect "record, not executable: status" "$status" 126
	if [ -w /dev/full ]; then
		"$PFMON" record -o /dev/full true 2>"$tmp/err"
		expect "record to a full disk: status" $? 125
		expect_err "record to a full disk" "cannot write /dev/full: No space"
		check "record to a full disk: it is still there" [ -c /dev/full ]
	fi
}

test_record_output()
{
	record sh -c 'echo to-out; echo to-err >&2'
	expect "record, stdout is the program's" "$(cat "$tmp/out")" to-out
	check "record, stderr has the program's" grep -q '^to-err$' "$tmp/err"
	check "record, the last line" grep -Eq \
		"^[0-9,]+ samples?, [0-9,]+ lost, $tmp/data, [0-9,]+ bytes\$" "$tmp/err"
	expect "record, the bytes are right" \
		"$(sed -n 's/.*, \([0-9,]*\) bytes$/\1/p' "$tmp/err" | tr -d ,)" \
		"$(wc -c <"$tmp/data" | tr -d ' ')"
	expect "record, others may not read it" \
		"$(find "$tmp/data" -perm 600 | wc -l | tr -d ' ')" 1
	(cd "$tmp" && "$PFMON" record true 2>/dev/null &&
		"$PFMON" report >"$tmp/report" 2>"$tmp/err")
	expect "the file's name without -o and -i" $? 0
	check "the file's name without -o and -i: it is there" [ -s "$tmp/pfmon.data" ]
}

# unchanged NAME: an earlier recording, $tmp/mine/data, is as it was.
unchanged()
{
	check "$1: the earlier file is as it was" cmp -s "$tmp/mine/data" "$tmp/earlier"
	expect "$1: nothing else is there" "$(ls "$tmp/mine")" "data"
}

# What had the name before is there until something complete takes its place, and
# after that as data.old.
test_record_kept()
{
	mkdir "$tmp/mine"
	record true
	cp "$tmp/data" "$tmp/earlier"
	cp "$tmp/data" "$tmp/mine/data"
	chmod 644 "$tmp/mine/data"
	"$PFMON" record -o "$tmp/mine/data" /no/such/program 2>/dev/null
	unchanged "kept, no such command"
	"$PFMON" record -o "$tmp/mine/data" -C 8000 true 2>/dev/null
	unchanged "kept, no such CPU"
	"$PFMON" record -o "$tmp/mine/data" false 2>/dev/null
	expect "kept: the earlier one has another name" \
		"$(ls "$tmp/mine" | tr '\n' ' ')" "data data.old "
	check "kept: it is the earlier one" cmp "$tmp/mine/data.old" "$tmp/earlier"
	expect "kept: the new one is for its owner" \
		"$(find "$tmp/mine/data" -perm 600 | wc -l | tr -d ' ')" 1
	check "kept: and is another one" sh -c "! cmp -s '$tmp/mine/data' '$tmp/earlier'"

	# Of a link the file that it leads to.
	ln -s mine/data "$tmp/link"
	"$PFMON" record -o "$tmp/link" true 2>/dev/null
	check "kept: a link stays one" [ -L "$tmp/link" ]
	ln -s mine/new "$tmp/link.new"
	"$PFMON" record -o "$tmp/link.new" true 2>/dev/null
	check "kept: a link to nothing stays one" [ -L "$tmp/link.new" ]
	check "kept: what it names is made" [ -s "$tmp/mine/new" ]
	rm -f "$tmp/link.new" "$tmp/mine/new"
	check "kept: the one before the last is gone" sh -c \
		"! cmp -s '$tmp/mine/data.old' '$tmp/earlier'"

	# Whatever is no recording is not touched, wherever it stands.
	echo notes >"$tmp/notes"
	"$PFMON" record -o "$tmp/notes" true 2>"$tmp/err"
	expect "kept, notes: status" $? 125
	expect_err "kept, notes" "notes or .*notes.old is there and is no file of pfmon record"
	expect "kept, notes" "$(cat "$tmp/notes")" notes
	cp "$tmp/notes" "$tmp/mine/data.old"
	"$PFMON" record -o "$tmp/mine/data" true 2>"$tmp/err"
	expect "kept, data.old of somebody else: status" $? 125
	expect "kept, data.old of somebody else" "$(cat "$tmp/mine/data.old")" notes

	rm "$tmp/mine/data.old"
	mkdir "$tmp/mine/data.old"
	"$PFMON" record -o "$tmp/mine/data" true 2>"$tmp/err"
	expect "kept, data.old is a directory: status" $? 125
	expect_err "kept, data.old is a directory" "data.old is there and is no file of pfmon record"
	rmdir "$tmp/mine/data.old"
	if [ "$(id -u)" -eq 0 ]; then
		cp "$tmp/earlier" "$tmp/mine/data.old"
		chown 65534 "$tmp/mine/data.old"
		"$PFMON" record -o "$tmp/mine/data" true 2>"$tmp/err"
		expect "kept, another user's data.old: status" $? 125
		expect_err "kept, another user's data.old" "data.old is there and is .*not yours"
	fi
	# A file system is below /dev, too.
	notes=/dev/shm/pfmon-notes.$$
	if echo notes 2>/dev/null >"$notes"; then
		"$PFMON" record -o "$notes" true 2>"$tmp/err"
		expect "kept, notes in /dev/shm: status" $? 125
		expect "kept, notes in /dev/shm" "$(cat "$notes")" notes
		: >"$notes"
		"$PFMON" record -o "$notes" true 2>"$tmp/err"
		expect "an empty file in /dev/shm: status" $? 0
		"$PFMON" record -o "$notes" true 2>"$tmp/err"
		expect "a recording in /dev/shm: status" $? 0
		check "a recording in /dev/shm" [ -s "$notes" ]
		check "an earlier recording in /dev/shm" [ -s "$notes.old" ]
		rm -f "$notes" "$notes.old"
	else
		skip "there is no /dev/shm"
	fi

	# A disk that is full: what there is of the recording is left, and named.
	rm -f "$tmp/mine"/*
	cp "$tmp/earlier" "$tmp/mine/data"
	(trap '' XFSZ && ulimit -f 1 && exec "$PFMON" record -o "$tmp/mine/data" true) \
		2>"$tmp/err"
	expect "kept, full: status" $? 125
	expect_err "kept, full" "cannot write .*/mine/data; what was written is in .*/mine/data\.[a-zA-Z0-9]*: File too large"
	check "kept, full: the earlier file is as it was" \
		cmp -s "$tmp/mine/data" "$tmp/earlier"
	left=$(sed -n 's/.*what was written is in \(.*\): File.*/\1/p' "$tmp/err")
	check "kept, full: what is left is a beginning" [ -s "$left" ]
	rm -rf "$tmp/mine" "$tmp/link" "$tmp/notes"

	# What is no recording does not take the place of one.
	record true
	cp "$tmp/data" "$tmp/earlier"
	for what in "report -i DATA" "script -i DATA" "script --raw -i DATA" "stat -e cs true"; do
		# shellcheck disable=SC2046 # words
		"$PFMON" $(echo "$what" | sed "s,^[a-z]*,& -o $tmp/data,; s,DATA,$tmp/data,") \
			>"$tmp/out" 2>"$tmp/err"
		expect "kept, $what: status" $? 125
		expect_err "kept, $what" "/data is a file of pfmon record: name another one with -o$"
		check "kept, $what" cmp "$tmp/data" "$tmp/earlier"
	done
	# The files of stat and report, too; they keep who may read them.
	echo before >"$tmp/text"
	chmod 640 "$tmp/text"
	"$PFMON" stat -o "$tmp/text" /no/such/program 2>/dev/null
	expect "kept, stat" "$(cat "$tmp/text")" before
	"$PFMON" stat -o "$tmp/text" true
	check "kept, stat: and the counts in its place" grep -q task-clock "$tmp/text"
	expect "kept, stat: who may read it" \
		"$(find "$tmp/text" -perm 640 | wc -l | tr -d ' ')" 1
	# What cannot get its name is not lost.
	rm -f "$tmp/text"
	"$PFMON" stat -o "$tmp/text" mkdir "$tmp/text" 2>"$tmp/err"
	expect "kept, the name is taken: status" $? 125
	expect_err "kept, the name is taken" \
		"cannot write the counts; what was written is in .*/text\.[a-zA-Z0-9]*: Is a directory"
	left=$(sed -n 's/.*what was written is in \(.*\): Is a.*/\1/p' "$tmp/err")
	check "kept, the name is taken: the counts" grep -q task-clock "$left"
	rm -rf "$tmp/text" "$left"
	# What stands for our own output is that, not a file to replace.
	"$PFMON" stat -o /dev/stdout echo hello >"$tmp/text"
	check "kept, /dev/stdout is no file" grep -q task-clock "$tmp/text"
	rm -f "$tmp/text"
}

# of_the_system NAME: the system's program of this name, if this machine can run it, and not
# that of the shell, which may have one of its own that can do less (busybox).
of_the_system()
{
	if "/usr/bin/$1" --version >/dev/null 2>&1; then
		echo "/usr/bin/$1"
	else
		command -v "$1"
	fi
}

# as_nobody COMMAND...: run it without any rights, if there are any to lose.
as_nobody()
{
	if [ "$(id -u)" -eq 0 ]; then
		"$(of_the_system setpriv)" --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# mode_is FILE MODE: are these all its bits?
mode_is()
{
	[ -n "$(find "$1" -perm "$2")" ]
}

# One's own files $tmp/out.d/{text,data} where nothing can be made beside them: they are
# as they were until there is something better, and if there is no room for that.
not_ours_to_write()
{
	for what in "$tmp/no/such/command" "$tmp/data"; do
		as_nobody "$PFMON" stat -o "$tmp/out.d/text" "$what" 2>/dev/null
		expect "no command, stat: the file is as it was" "$(cat "$tmp/out.d/text")" before
		as_nobody "$PFMON" record -o "$tmp/out.d/data" "$what" 2>/dev/null
		check "no command, record: the file is as it was" \
			cmp -s "$tmp/data" "$tmp/out.d/data"
	done
	(trap '' XFSZ && ulimit -f 1 && as_nobody "$PFMON" record \
		-o "$tmp/out.d/data" true) 2>"$tmp/err"
	expect "no room beside: status" $? 125
	check "no room beside: the file is as it was" cmp -s "$tmp/data" "$tmp/out.d/data"
	left=$(sed -n 's/.*what was written is in \(.*\): File.*/\1/p' "$tmp/err")
	check "no room beside: what is left is a beginning" [ -s "$left" ]
	rm -f "$left"
	as_nobody env TMPDIR="$tmp/no" "$PFMON" stat -o "$tmp/out.d/text" true 2>"$tmp/err"
	expect "no TMPDIR: status" $? 125
	check "no TMPDIR: that is said" grep -q '/no/text.*: No such file' "$tmp/err"
	expect "no TMPDIR: the file is as it was" "$(cat "$tmp/out.d/text")" before
}

# A file that is not ours, or not ours alone, is written or refused, never replaced.
test_output_foreign()
{
	mkdir "$tmp/out.d"
	echo before >"$tmp/out.d/text"
	chmod 6755 "$tmp/out.d/text"
	"$PFMON" stat -o "$tmp/out.d/text" true
	check "a new file has no set-id bits" mode_is "$tmp/out.d/text" 755
	ln "$tmp/out.d/text" "$tmp/out.d/other"
	echo before >"$tmp/out.d/text"
	"$PFMON" stat -o "$tmp/out.d/text" true
	check "a file with two names is one" cmp -s "$tmp/out.d/text" "$tmp/out.d/other"
	check "a file with two names has the counts" grep -q task-clock "$tmp/out.d/other"
	record true
	cp "$tmp/data" "$tmp/out.d/data"
	ln "$tmp/out.d/data" "$tmp/out.d/data2"
	"$PFMON" record -o "$tmp/out.d/data" true 2>"$tmp/err"
	expect "samples to a file with two names: status" $? 125
	expect_err "samples to a file with two names" "data: Too many links"
	check "samples to a file with two names: it is as it was" \
		cmp -s "$tmp/data" "$tmp/out.d/data2"
	rm "$tmp/out.d/data2"

	# Root's own rights are not in the way of those of others.
	if [ "$(id -u)" -eq 0 ]; then
		echo before >"$tmp/out.d/text"
		chown 65534 "$tmp/out.d/text" "$tmp/out.d/data"
		chmod 6777 "$tmp/out.d/text"
		"$PFMON" stat -o "$tmp/out.d/text" true
		check "another user's file has the counts" grep -q task-clock "$tmp/out.d/text"
		expect "another user's file stays one, root has none of its bits" \
			"$(find "$tmp/out.d" -perm /6000 -user 0)$(find "$tmp/out.d/text" \
				-user 65534)" "$tmp/out.d/text"
		"$PFMON" record -o "$tmp/out.d/data" true 2>"$tmp/err"
		expect "samples to another user's file: status" $? 125
		expect_err "samples to another user's file" "data: Operation not permitted"
		check "samples to another user's file: it is as it was" \
			cmp -s "$tmp/data" "$tmp/out.d/data"
	fi

	# One's own file in a directory that one may not write.
	rm -f "$tmp/out.d"/*
	echo before >"$tmp/out.d/text"
	cp "$tmp/data" "$tmp/out.d/data"
	[ "$(id -u)" -ne 0 ] || chown 65534 "$tmp/out.d"/*
	chmod 644 "$tmp/out.d"/*
	chmod 555 "$tmp/out.d"
	# On the host, where pfmon is a link in bin.
	chmod 755 "$tmp"
	[ ! -d "$tmp/bin" ] || chmod 755 "$tmp/bin"
	if as_nobody test -x "$PFMON" 2>/dev/null; then
		not_ours_to_write
		as_nobody "$PFMON" stat -o "$tmp/out.d/text" true
		expect "a directory that is not ours to write: status" $? 0
		check "a directory that is not ours to write: the counts" \
			grep -q task-clock "$tmp/out.d/text"
		as_nobody "$PFMON" record -o "$tmp/out.d/data" true 2>/dev/null
		expect "a directory that is not ours to write, samples: status" $? 0
		check "a directory that is not ours to write, samples: they are for us" \
			mode_is "$tmp/out.d/data" 600
	else
		skip "no other user can run pfmon here: directories that one may not write"
	fi
	chmod 700 "$tmp" "$tmp/out.d"
	rm -rf "$tmp/out.d"
}

# find_rest: the file of a recording that goes on, in $rest; there is something in it.
find_rest()
{
	rest=$(find "$tmp" -maxdepth 1 -name 'data.??????' -size +0)
	[ -n "$rest" ]
}

# Data are whole whoever ends it, unless pfmon itself is killed.
test_record_signals()
{
	rm -f "$tmp/data"
	"$VICTIM" tty "$PFMON" record -o "$tmp/data" "$VICTIM" wait >"$tmp/out"
	status=$?
	if [ $status -eq 99 ]; then
		skip "record, Ctrl-C: there are no terminals here"
	else
		expect "record, Ctrl-C: status" $status 130
		check "record, Ctrl-C: last line" grep -q ' bytes' "$tmp/out"
		whole "record, Ctrl-C"
		"$VICTIM" tty "$PFMON" record -o "$tmp/data" sleep 1.3 >"$tmp/out"
		tr '\r' '\n' <"$tmp/out" >"$tmp/lines"
		check "record, progress on a terminal" \
			grep -Eq '^[0-9,]+ samples, [0-9,]+ lost $' "$tmp/lines"
	fi
	start_hold 2
	for how in "-p $hold" "-C 0"; do
		rm -f "$tmp/data"
		# shellcheck disable=SC2086 # two words
		"$VICTIM" dfl "$PFMON" record -o "$tmp/data" $how 2>"$tmp/err" &
		pid=$!
		until_true catches_int $pid
		sleep 0.2
		kill -INT $pid
		wait $pid
		expect "record $how until Ctrl-C: status" $? 130
		whole "record $how until Ctrl-C"
	done
	record -p "$hold" -- sh -c 'exit 5'
	expect "record -p has the command's status" "$status" 5
	rm -f "$tmp/data"
	"$VICTIM" dfl "$PFMON" record -o "$tmp/data" -p "$hold" 2>/dev/null &
	pid=$!
	# What it has written so far has no name of its own yet.
	until_true find_rest
	kill -KILL $pid
	wait $pid 2>/dev/null
	stop_hold
	check "record was killed: no file of that name" [ ! -e "$tmp/data" ]
	mv "$rest" "$tmp/data"
	report
	expect "record was killed: status of report" "$status" 0
	check "record was killed: report says so" grep -q \
		'^ note: the file is truncated after [0-9]* bytes: this is' "$tmp/report"
	record -p "$hold" true
	expect "record -p of no process: status" "$status" 125
	expect_err "record -p of no process" "there is no process $hold"
}

# wrong NAME PATTERN ARGUMENT...: pfmon report says what is wrong.
wrong()
{
	name=$1 pattern=$2
	shift 2
	report "$@"
	expect "report, $name: status" "$status" 125
	expect_err "report, $name" "$pattern"
}

test_report_errors()
{
	record true
	wrong "no such file" "^pfmon: $tmp/no: No such file" -i "$tmp/no"
	wrong "a directory" "^pfmon: $tmp: Is a directory" -i "$tmp"
	wrong "another file" "^pfmon: /etc/passwd: not a file of pfmon record" \
		-i /etc/passwd
	wrong "an empty file" "^pfmon: /dev/null: not a file of pfmon record" \
		-i /dev/null
	wrong "no such event" "has no event 'cs'; there are task-clock" -e cs
	wrong "no such dimension" "'x' is not a list of process, thread, cpu, binary, symbol" --by x
	wrong "no such format" "no format 'x'; there are text, json" --format x
	wrong "no number of lines" "'0' is not a number of lines" -n 0
	wrong "no percent" "'101' is not a number of percent" --min 101
	report -f svg -n 3
	expect "report, lines of svg: status" "$status" 125
	report -o "$tmp/no/such"
	expect "report -o nowhere: status" "$status" 125
	if [ -w /dev/full ]; then
		report -o /dev/full
		expect "report to a full disk: status" "$status" 125
		expect_err "report to a full disk" "cannot write the report: No space"
	fi
	size=$(wc -c <"$tmp/data")
	head -c $((size - 20)) "$tmp/data" >"$tmp/cut"
	report -i "$tmp/cut" -f folded --by process
	expect "report, truncated: status" "$status" 0
	# That pfmon lacks libdw it may say, too.
	sed -i '/built without libdw/d' "$tmp/err"
	expect_err "report, truncated" "^pfmon: $tmp/cut: the file is truncated after"
	report -i "$tmp/cut" -f json
	expect "report, truncated: JSON" "$(json complete)" false
	head -c 20 "$tmp/data" >"$tmp/cut"
	wrong "no whole header" "cut: not a file of pfmon record" -i "$tmp/cut"
}

# Where the functions of the victim are; it is loaded where it was linked.
find_places()
{
	"$VICTIM" where >"$tmp/where"
}

# hits KIND [PATTERN]: samples in the victim's functions KIND_60, KIND_30 and
# KIND_10, to $n_60, $n_30 and $n_10, and of all rows that match, to $n_all; from
# a report by address, as JSON.
hits()
{
	sed -n "/^{\"percent\".*${2:-}/s/.*\"samples\": \([0-9]*\),.*\"address\": \"\(0x[0-9a-f]*\)\".*/\1 \2/p" \
		"$tmp/report" >"$tmp/rows"
	# Addresses may be too large for numbers of awk: compared as text.
	eval "$(awk -v kind="$1" '
		function hex(a) { return sprintf("%16s", substr(a, 3)) }
		FILENAME ~ /where$/ {
			split($1, part, "_")
			if (part[1] == kind) {
				begin[part[2]] = hex($2)
				end[part[2]] = hex($3)
			}
			next
		}
		{
			all += $1
			for (p in begin)
				if (hex($2) >= begin[p] && hex($2) < end[p])
					n[p] += $1
		}
		END { printf "n_60=%d n_30=%d n_10=%d n_all=%d\n", n[60], n[30],
			n[10], all }' "$tmp/where" "$tmp/rows")"
}

# has_symbols: was this pfmon built with libdw? From a report with notes.
has_symbols()
{
	! grep -q 'built without libdw' "$tmp/report"
}

# A format that pfmon does not know, by its number and its argument, in hexadecimal: the
# null format, which has a buffer with its argument and goes on. The fake has one, too.
test_raw()
{
	null=011484e6-0024-43df-8d48-ebbc5e39c3cd
	if [ -d /sys/kernel/perfmon ] && ! [ -d /sys/kernel/perfmon/formats/null ] &&
		! "$VICTIM" insmod "$PERFMON_KERNEL/kernel/perfmon/formats/null/pfm_null.ko" \
			2>"$tmp/err"; then
		skip "the format null is not there: $(cat "$tmp/err")"
		return
	fi
	# Numbers are in this machine's order of bytes: a buffer, and to reset; 8 KiB.
	if [ "$(printf '\1\0' | od -An -tx2 | tr -d ' ')" = 0001 ]; then
		argument=01000000000000000200000000000000 size=0020 before=
	else
		argument=00000001000000000000000200000000 size=0000000000002000 before='(00 ){7}'
	fi
	record -f $null:$argument -e minor-faults -c 1 true
	expect "raw: status" "$status" 0
	expect_err "raw" "block.* of samples of the format $null, "
	report
	expect "raw: report: status" "$status" 0
	check "raw: report says what it is" \
		grep -q "the format $null is not known: [1-9][0-9]* block" "$tmp/report" "$tmp/err"
	"$PFMON" script -i "$tmp/data" >"$tmp/out" 2>"$tmp/err"
	expect "raw: script: status" $? 0
	expect_err "raw: script says what it is" "the format $null is not known"
	"$PFMON" script --raw -i "$tmp/data" >"$tmp/out" 2>"$tmp/err"
	expect "raw: script --raw: status" $? 0
	check "raw: script --raw: nothing else to say" [ ! -s "$tmp/err" ]
	check "raw: the head of a block" grep -Eq \
		"^block 1: format $null \(unknown\), process [0-9]+, thread [0-9]+, CPU -1, [0-9]+ bytes$" "$tmp/out"
	check "raw: the same is left out" grep -qx '\*' "$tmp/out"
	if [ -d /sys/kernel/perfmon ]; then
		check "raw: the argument, and calls of the handler" grep -q \
			"^00000000  $(echo $argument | sed 's/../& /g') " "$tmp/out"
		check "raw: overflows" grep -Eq "^00000010  $before(0[1-9]|[1-9a-f].|.[1-9a-f]) " \
			"$tmp/out"
	else
		check "raw: bytes" grep -Eq '^00000000  .*\|$' "$tmp/out"
	fi

	# One that it knows is read as ever; what the argument leaves out is 0.
	record -f 2bc7616b-0d22-4314-9d84-75be0d45c77e:$size -e minor-faults -c 1 true
	expect "raw: a known format: status" "$status" 0
	check "raw: a known format" grep -Eq '^[0-9,]+ samples?, ' "$tmp/err"
	"$PFMON" script --raw -i "$tmp/data" >"$tmp/out" 2>"$tmp/err"
	check "raw: a known format by name" grep -q '(default), process' "$tmp/out"
	head -c 500 "$tmp/data" >"$tmp/data.cut"
	"$PFMON" script --raw -i "$tmp/data.cut" >"$tmp/out" 2>"$tmp/err"
	expect "raw: a part of a file: status" $? 0
	expect_err "raw: a part of a file" "the file is truncated after [0-9]* bytes"

	refused "raw: no number of bytes" "two hexadecimal digits each" -f $null:123 true
	refused "raw: an empty argument" "two hexadecimal digits each" -f $null: true
	refused "raw: no digits" "not of hexadecimal digits" -f $null:12xy true
	for name in 011484e6-0024-43df-8d48-ebbc5e39c3c ${null}0 0${null#0?}-; do
		record -f "$name" true
		expect "raw: no UUID: status" "$status" 125
		check "raw: no UUID" grep -q "no sampling format '$name'" "$tmp/err"
	done
	[ ! -d /sys/kernel/perfmon ] || refused "raw: one that the kernel does not have" \
		"the kernel does not have the sampling format '00000000-0000-4000-8000-000000000001'" \
		-f 00000000-0000-4000-8000-000000000001 true
	reason="the sampling format '$null' refuses its argument: ffffffff"
	[ -d /sys/kernel/perfmon ] || reason="there is no such sampling format, or it refuses its argument"
	refused "raw: not by this argument" "$reason" -f $null:ffffffff true
}

# through HOW ARGUMENT...: pfmon's output in $tmp/out, with $tmp/data at its standard input
through()
{
	how=$1
	shift
	case $how in
	pipe) cat "$tmp/data" | "$PFMON" "$@" >"$tmp/out" 2>"$tmp/err" ;;
	file) "$PFMON" "$@" <"$tmp/data" >"$tmp/out" 2>"$tmp/err" ;;
	esac
}

# What is recorded goes through pipes, as over ssh: to standard output, and from standard input.
test_pipes()
{
	rm -f "$tmp"/data* "$tmp/-"
	(cd "$tmp" && "$PFMON" record -o - sh -c 'echo to-out; echo to-err >&2; exit 3' 2>err
		echo $? >status) | cat >"$tmp/data"
	expect "record -o -: status" "$(cat "$tmp/status")" 3
	check "record -o -: no file of that name" [ ! -e "$tmp/-" ]
	check "record -o -: what the command prints" grep -qx to-out "$tmp/err"
	check "record -o -: and its errors" grep -qx to-err "$tmp/err"
	check "record -o -: the summary" grep -Eq '^[0-9,]+ samples?, [0-9,]+ lost, standard output, ' "$tmp/err"
	expect "record -o -: the bytes are right" \
		"$(sed -n 's/.*, \([0-9,]*\) bytes$/\1/p' "$tmp/err" | tr -d ,)" \
		"$(wc -c <"$tmp/data" | tr -d ' ')"
	whole "record -o -"
	for how in pipe file; do
		for what in "report -f json" "report -b process,address" "report -f folded -b address" \
			"report -f svg -b process" script "script --raw"; do
			# shellcheck disable=SC2086 # words
			"$PFMON" $what -i "$tmp/data" >"$tmp/want" 2>"$tmp/err"
			# shellcheck disable=SC2086 # words
			through $how $what -i -
			expect "$how, $what -i -: status" $? 0
			check "$how, $what -i -" cmp "$tmp/out" "$tmp/want"
			[ $how = file ] || TMPDIR=/no/such/place through $how $what -i -
			check "$how, $what -i -, no directory for what is kept" cmp "$tmp/out" "$tmp/want"
		done
	done
	"$PFMON" record -o - true 2>"$tmp/said" | "$PFMON" report -i - -f json >"$tmp/report" 2>"$tmp/err"
	expect "record -o - | report -i -: it is complete" "$(json complete)" true
	"$PFMON" record -o - true 2>"$tmp/said" | head -c 200 | "$PFMON" report -i - >"$tmp/report" 2>"$tmp/err"
	check "a part of a recording: it is said" \
		grep -q 'the file is truncated after\|standard input: has no events' "$tmp/report" "$tmp/err"
	echo notes | "$PFMON" report -i - 2>"$tmp/err"
	expect "no recording at standard input: status" $? 125
	expect_err "no recording at standard input" "^pfmon: standard input: not a file of pfmon record"
	"$PFMON" report -i - 2>"$tmp/err" <&-
	expect "no standard input: status" $? 125
	expect_err "no standard input" "^pfmon: standard input: "
	# It is like any other output, so the shell has said who may read it, and where it begins.
	echo before >"$tmp/appended"
	"$PFMON" record -o - true >>"$tmp/appended" 2>"$tmp/said"
	expect "record -o - >>FILE: what was there" "$(head -n 1 "$tmp/appended")" before
	tail -c +8 "$tmp/appended" >"$tmp/data"
	whole "record -o - >>FILE"
	"$PFMON" report -i "$tmp/data" -f json -o - >"$tmp/out" 2>"$tmp/err"
	"$PFMON" report -i "$tmp/data" -f json >"$tmp/want"
	check "report -o -" cmp "$tmp/out" "$tmp/want"
	"$PFMON" stat -j -e cs -o - true >"$tmp/out" 2>"$tmp/err"
	check "stat -o -" grep -q context-switches "$tmp/out"
	# Who has read enough: CPUs are not sampled for nobody, and a command goes on.
	{ timeout 60 "$PFMON" record -C all -o - 2>"$tmp/err"; echo $? >"$tmp/status"; } | head -c 100 >"$tmp/out"
	expect "record -C all -o -, nobody reads: status" "$(cat "$tmp/status")" 141
	check "record -C all -o -, nobody reads: nothing to say" [ ! -s "$tmp/err" ]
	# The reader goes when it has all, and where nothing is sampled no write after that fails.
	{
		timeout 60 "$PFMON" record -C all -e minor-faults -c 1000000000 -o - 2>"$tmp/err"
		echo $? >"$tmp/status"
	} | sh -c 'timeout 2 cat; :' >"$tmp/out" 2>/dev/null
	expect "record -C all -o -, nobody reads, no samples: status" "$(cat "$tmp/status")" 141
	{ "$PFMON" record -o - sh -c "sleep 1; echo done >'$tmp/done'" 2>"$tmp/err"; echo $? >"$tmp/status"; } |
		head -c 100 >"$tmp/out"
	expect "record -o -, nobody reads: status" "$(cat "$tmp/status")" 141
	check "record -o -, nobody reads: the command goes on" [ -s "$tmp/done" ]
	if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
		script -qec "'$PFMON' record -o - true" /dev/null >"$tmp/out" 2>&1 </dev/null
		expect "record -o - to a terminal: status" $? 125
		check "record -o - to a terminal" grep -q 'a recording is nothing for a terminal' "$tmp/out"
	else
		skip "script(1) does not work: a recording to a terminal"
	fi
	rm -f "$tmp/want" "$tmp/appended" "$tmp/done" "$tmp/status"
}

# Names with all that separates, quotes, ends and escapes, in all outputs, as parsers read
# them. The kernel that only pretends is fast, and has one format.
test_hostile_names()
{
	if ! /usr/bin/python3 -c pass 2>/dev/null; then
		skip "python3 is not installed, or not for this kernel: hostile names"
		return
	fi
	mkdir "$tmp/hostile"
	given="100 default"
	[ ! -d /sys/kernel/perfmon ] || given="2 callchain"
	# shellcheck disable=SC2086 # words
	program "hostile names" /usr/bin/python3 -B ./hostile.py "$PFMON" "$VICTIM" "$tmp/hostile" \
		$given
	rm -rf "$tmp/hostile"
}

profile='hostile_names record_options record_status record_output record_kept output_foreign record_signals report_errors raw pipes'
