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
		"$(sed -n '/^\.SH COMMANDS/,/^\.SH OPT/p' ../pfmon-perf.1 | grep -c '^\.B perf ')"
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
	back=$PWD path=$PATH without=0 chains=0 packed=0
	cd "$tmp/examples" || return
	PATH=$tmp/examples/bin:$PATH
	while read -r words; do
		case $words in
		*dwarf*)
			if ! has_chains || ! have calldouble || ! [ -x "${VICTIM%/*}/frames" ]; then
				chains=$((chains + 1))
				continue
			fi
			;;
		*callchain* | *" -g "*)
			if ! has_chains; then
				chains=$((chains + 1))
				continue
			fi
			;;
		*" -z "*)
			if "$PFMON" record -z -o "$tmp/data" true 2>&1 | grep -q 'without zstd'; then
				packed=$((packed + 1))
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
	[ $packed -eq 0 ] || skip "built without zstd: $packed examples"
	[ $without -eq 0 ] || skip "no PMU that pfmon knows: $without examples with its events"
}

# perf_table N: the lines of the N-th table of options in pfmon-perf(1)
perf_table()
{
	sed -n '/^\.SH OPTIONS/,/^\.SH DIFF/p' ../pfmon-perf.1 | sed 's/\\-/-/g' |
		awk -v n="$1" '/^\.EX/ { t++; in_it = 1; next } /^\.EE/ { in_it = 0 } in_it && t == n'
}

# perf_run COMMAND OPTION...: what is printed with these options and $also, without its numbers
perf_run()
{
	what=$1
	shift
	case $what in
	stat) "$PFMON" stat -e cs,faults $also "$@" -- "$VICTIM" fork 2 1 2>&1 ;;
	diff) "$PFMON" diff "$tmp/perf.data" "$tmp/perf.data2" "$@" 2>&1 ;;
	record)
		"$PFMON" record -o "$tmp/perf.data3" "$@" -- "$VICTIM" hot 1 2>"$tmp/err"
		status=$?
		! grep -qa hot_60 "$tmp/perf.data3" || echo "it has the name"
		(exit $status)
		;;
	top) "$PFMON" top -d 0.1 -n 1 "$@" -p "$hold" 2>&1 </dev/null ;;
	*) "$PFMON" $what -i "$tmp/perf.data" "$@" 2>&1 ;;
	esac >"$tmp/printed"
	status=$?
	sed -E 's/(^|[^A-Za-z_])[0-9][0-9.,:]*/\1N/g; s/  */ /g' "$tmp/printed" | sort -u
}

# Options of perf's under perf's names: each does what pfmon's own does, and something. Those
# that are refused say what there is; the page has all of either kind.
test_perf_options()
{
	in_hot
	FAKE_SAMPLES=100
	export FAKE_SAMPLES
	start_hold 3
	"$PFMON" record -o "$tmp/perf.data" "$VICTIM" hot 10 2>"$tmp/err"
	"$PFMON" record -o "$tmp/perf.data2" "$VICTIM" fork 2 1 2>"$tmp/err"
	cpu=$("$PFMON" report -i "$tmp/perf.data" --by cpu -f folded | sed 's/ .*//; q')
	# Patterns are for pfmon.
	set -f
	perf_table 1 | sed "s/LIST/x*/g; s/NUMBERS/$((cpu + 1))/g; s/MS/20/g; s/C   /;   /; s/C\$/;/; s/ N / 50 /; s/N\$/50/" >"$tmp/table"
	check "pfmon-perf has a table of options" [ "$(grep -c . "$tmp/table")" -ge 30 ]
	while read -r what perfs; do
		ours=${perfs#*  }
		perfs=${perfs%%  *} also=
		case $perfs in
		--no-aggr) also=-a ;;
		esac
		# shellcheck disable=SC2086 # options are words
		perf_run $what $perfs >"$tmp/by_perf"
		expect "pfmon $what $perfs: status" "$status" 0
		case $ours in
		*"as it is") ours= ;;
		esac
		perf_run $what $ours >"$tmp/by_us"
		check "pfmon $what $perfs is$ours" cmp "$tmp/by_perf" "$tmp/by_us"
		# Where nobody looks at a terminal, top does as with -B.
		case $what$ours in
		"$what" | *\ -B) continue ;;
		# Without symbols the program is one line, which has all.
		annotate* | record* | *--min*) [ "$("$PFMON" report -i "$tmp/perf.data" -f folded | grep -c .)" -gt 1 ] || continue ;;
		esac
		perf_run $what >"$tmp/by_none"
		check "pfmon $what$ours does something" sh -c "! cmp -s '$tmp/by_us' '$tmp/by_none'"
	done <"$tmp/table"
	set +f
	unset FAKE_IPS FAKE_SAMPLES
	stop_hold
	perf_table 2 | while read -r what options; do
		for o in $options; do echo "$what $o"; done
	done >"$tmp/table"
	while read -r what option; do
		"$PFMON" $what "$option" >"$tmp/out" 2>"$tmp/err"
		expect "pfmon $what $option: status" $? 125
		check "pfmon $what $option: a hint" grep -q '^pfmon: of perf.s --[a-z-]*: ' "$tmp/err"
		case $option in
		--*) check "pfmon $what $option: its hint" grep -q "^pfmon: of perf.s $option: " "$tmp/err" ;;
		esac
	done <"$tmp/table"
	expect "pfmon-perf has each that is refused" "$(grep -c -e ' --' "$tmp/table")" \
		"$(sed -n 's/^	{ "\([a-z ]*\)", [^ ]* "\([a-z-]*\)", .*/\1|\2/p' ../habits.c |
			while IFS='|' read -r words name; do
				for w in $words; do echo "$w --$name"; done
			done | sort -u | grep -c .)"
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
	completes 'pfmon stat --per' '--per-core --per-cpu --per-node --per-socket --per-thread '
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
