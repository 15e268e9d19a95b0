# SPDX-License-Identifier: GPL-2.0-only
#
# What people read and type before pfmon runs: the examples of its manual page, and the
# completion of command lines. To be sourced as behaviour.sh is, in the directory of the
# tests. Needs $PFMON, $VICTIM and the directory $tmp.
#
# shellcheck shell=sh disable=SC2154,SC2034,SC3045

# page_examples PAGE: the command lines in its EXAMPLES and in what it displays
page_examples()
{
	sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/s/^\.B pfmon /pfmon /p
		/^\.EX$/,/^\.EE$/s/^pfmon /&/p' "$1" | sed 's/\\-/-/g; s/\\(aq/'"'"'/g; s/\\e/\\/g'
}

# example LINE: run it as it stands, but for what differs on each machine
example()
{
	line=$(echo "$1" | sed "s,1234,$hold,; s,/var/lib/prometheus/node-exporter/,,; s,-I [0-9]*,-I 20,")
	rm -f err out ./*.prom ./*.svg
	case $line in
	*" -I "*)
		# Until Ctrl-C, as the page says; but not before there is something.
		"$VICTIM" dfl sh -c "exec $line" >out 2>err &
		until_true sh -c 'cat err ./*.prom 2>/dev/null | grep -q .'
		kill -INT $!
		wait $!
		expect "example '$1': status" $? 130
		;;
	*)
		sh -c "$line" >out 2>err </dev/null
		expect "example '$1': status" $? 0
		;;
	esac
	cat ./*.prom ./*.svg >>out 2>/dev/null
	check "example '$1' prints something: $(head -n 3 err)" sh -c 'cat err out | grep -q .'
}

# has_chains: is there a format of call chains? The kernel that only pretends has none.
has_chains()
{
	case $(readlink -f "$PFMON") in
	*fake) return 1 ;;
	*) have callchain ;;
	esac
}

# What the pages say works: each example, in their order, where there are a program to
# build, one to measure, and a process that runs.
test_examples()
{
	page_examples ../pfmon.1 >"$tmp/lines"
	check "the page has examples" [ "$(grep -c . "$tmp/lines")" -ge 12 ]
	for what in stat record report script top check list explain; do
		check "the page has an example of $what" grep -q "^pfmon $what" "$tmp/lines"
	done
	page_examples ../pfmon-perf.1 >"$tmp/perf_lines"
	check "pfmon-perf has commands" [ "$(grep -c . "$tmp/perf_lines")" -ge 20 ]
	expect "pfmon-perf has one for each of perf's" "$(grep -c . "$tmp/perf_lines")" \
		"$(sed -n '/^\.SH COMMANDS/,/^\.SH DIFF/p' ../pfmon-perf.1 | grep -c '^\.B perf ')"
	cat "$tmp/perf_lines" >>"$tmp/lines"
	mkdir -p "$tmp/examples/bin"
	for name in make bench; do
		printf '#!/bin/sh\nexec %s fork 3 1\n' "$VICTIM" >"$tmp/examples/bin/$name"
	done
	printf '#!/bin/sh\nexec %s 0.2\n' "$(of_the_system sleep)" >"$tmp/examples/bin/sleep"
	chmod +x "$tmp/examples/bin"/*
	cp "$tmp/examples/bin/bench" "$tmp/examples"
	ln -sf "$PFMON" "$tmp/examples/bin/pfmon"
	start_hold 3
	back=$PWD path=$PATH without=0 chains=0
	cd "$tmp/examples" || return
	PATH=$tmp/examples/bin:$PATH
	while read -r words; do
		case $words in
		*callchain* | *" -g "*)
			if ! has_chains; then
				chains=$((chains + 1))
				continue
			fi
			;;
		*l1-misses*)
			if ! "$PFMON" explain l1-misses >/dev/null 2>&1; then
				without=$((without + 1))
				continue
			fi
			;;
		*cpu/*)
			if ! "$PFMON" explain cpu/event=0xc0/ >/dev/null 2>&1; then
				without=$((without + 1))
				continue
			fi
			;;
		*cycles* | *instructions* | *branches*)
			if ! "$PFMON" explain cycles >/dev/null 2>&1; then
				without=$((without + 1))
				continue
			fi
			;;
		esac
		example "$words"
	done <"$tmp/lines"
	PATH=$path
	cd "$back" || return
	stop_hold
	[ $chains -eq 0 ] || skip "no sampling format with call chains: $chains examples"
	[ $without -eq 0 ] || skip "no PMU that pfmon knows: $without examples with its events"
}

# completes LINE WANT: the words that bash offers for a line
completes()
{
	# shellcheck disable=SC2016
	expect "completion of '$1'" "$(bash -c '. "$1"
		COMP_LINE=$2 COMP_POINT=${#2}
		_pfmon "$3"
		printf "%s\n" "${COMPREPLY[@]}" | LC_ALL=C sort | tr "\n" " "' _ \
		"$dir/pfmon.bash" "$1" "$completer")" "$2"
}

test_completion()
{
	if ! command -v bash >/dev/null; then
		skip "bash is not installed: completion"
		return
	fi
	completer=$PFMON
	completes 'pfmon re' 'record report '
	completes 'pfmon --v' '--version '
	# Each command is offered, and each option of each, with what help says of it.
	completes 'pfmon ' "$( ("$PFMON" --help | sed -n 's/^  pfmon \([a-z]*\) .*/\1/p'
		printf '%s\n' --help --version) | LC_ALL=C sort | tr '\n' ' ')"
	for command in $("$PFMON" --help | sed -n 's/^  pfmon \([a-z]*\) .*/\1/p'); do
		completes "pfmon $command -" "$("$PFMON" "$command" --help | grep '^ *-' |
			sed 's/  [a-z].*//' | grep -oE -e '(^|[ ,])--?[a-zA-Z][a-z-]*' |
			tr -d ' ,' | LC_ALL=C sort -u | tr '\n' ' ')"
	done
	completes 'pfmon stat --per' '--per-cpu --per-thread '
	completes 'pfmon stat -e con' 'context-switches '
	completes 'pfmon stat -Ae CON' 'context-switches '
	completes 'pfmon stat -aA -e cs,mi' 'cs,migrations cs,minor-faults '
	completes 'pfmon stat --event=mi' 'migrations minor-faults '
	completes 'pfmon record -r maj' 'major-faults '
	completes 'pfmon explain ma' 'major-faults '
	completes 'pfmon list task' 'task-clock '
	completes 'pfmon record -f d' 'default double '
	completes 'pfmon stat -f j' 'json '
	completes 'pfmon report -f fo' 'folded '
	completes 'pfmon report --by process,s' 'process,symbol '
	completes "pfmon stat -p 1,$$" "1,$$ "
	mkdir -p "$tmp/files"
	: >"$tmp/files/one" >"$tmp/files/other"
	completes "pfmon stat -o $tmp/files/o" "$tmp/files/one $tmp/files/other "
	completes "pfmon report -i $tmp/files/on" "$tmp/files/one "
	completes "pfmon stat -e cs sh $tmp/files/ot" "$tmp/files/other "
	# What a command of another program's is, pfmon does not know.
	completes "pfmon stat -e cs -- $(basename "$VICTIM") -" ' '
	# Numbers are nobody's guess.
	completes 'pfmon stat -r ' ' '

	# Names with colons, which end a word for bash: it gets what is behind them.
	completer=$tmp/completer
	cat >"$completer" <<-END
		#!/bin/sh
		[ "\$1" = list ] || exec "$PFMON" "\$@"
		case \$2 in
		*:*) printf '  INST_RETIRED   text\n    :ANY_P   text\n    :PREC_DIST   text\n' ;;
		*) printf '  INST_RETIRED   text\n    :ANY_P   text\n  rNNNN   text\n' ;;
		esac
	END
	chmod +x "$completer"
	completes 'pfmon stat -e inst' 'INST_RETIRED '
	completes 'pfmon stat -e cs,inst_retired:' 'ANY_P PREC_DIST '
	completes 'pfmon stat -e INST_RETIRED:P' 'PREC_DIST '
	completes 'pfmon stat -e r' ' '

	# And at a prompt, with readline.
	if ! script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
		skip "script(1) does not work: completion at a prompt"
		return
	fi
	rm -f "$tmp/typed"
	printf 'PATH=%s:$PATH\n. %s\npfmon li\tcontext-sw\t>%s\nexit\n' "$(dirname "$PFMON")" \
		"$dir/pfmon.bash" "$tmp/typed" |
		script -qec 'bash --norc --noprofile -i' /dev/null >"$tmp/screen" 2>&1
	check "completion at a prompt: $(tail -n 3 "$tmp/screen")" \
		grep -q '^  context-switches ' "$tmp/typed"
}
