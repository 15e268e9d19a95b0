# SPDX-License-Identifier: GPL-2.0-only
#
# Ways to look at a recording: by calls, by lines of the source, beside another recording: to
# be sourced by run.sh.
#
# shellcheck shell=sh disable=SC2154,SC2086,SC2034

# agrees NAME VIEW FILE WHAT: views.py finds in FILE what there is
agrees()
{
	quietly "$1" /usr/bin/python3 -B "$tests/views.py" "$2" "$3" "$4"
}

# denied NAME PATTERN OPTION...: report says what is wrong with them
denied()
{
	denied_name=$1 denied_pattern=$2
	shift 2
	report "$@"
	expect "$denied_name: status" "$status" 125
	check "$denied_name: $(head -n 1 "$tmp/err")" grep -q -e "$denied_pattern" "$tmp/err"
}

# What functions have with what they call, who calls them, and all of it as a tree.
test_calls()
{
	for f in callchain calldouble callaggregate; do
		craft --format $f --samples 3000 --frames 6 --places 50 --maps 7
		report -b address --children -f json
		agrees "$f, --children" children "$tmp/report" $f
		report -b chain -f folded
		cp "$tmp/report" "$tmp/folded"
		report --calls '*' -f json
		agrees "$f, --calls" calls "$tmp/report" "$tmp/folded"
		report -b chain -f tree -m 0.0001
		agrees "$f, -f tree" tree "$tmp/report" "$tmp/folded"
		report -b chain -f folded --reverse
		cp "$tmp/report" "$tmp/reverse"
		expect "$f, --reverse" "$(awk '{ n = split($1, f, ";"); s = f[n]
			while (--n) s = s ";" f[n]
			print s, $2 }' "$tmp/reverse" | sort)" "$(sort "$tmp/folded")"
		report -b chain -f tree -m 0.0001 --reverse
		agrees "$f, -f tree --reverse" tree "$tmp/report" "$tmp/reverse"
	done
	report --calls '?lib1.so?'
	check "--calls, text: the function" grep -Eq '^ +[0-9.]+ +[0-9,]+  \[lib1\.so\]$' "$tmp/report"
	check "--calls, text: callers" grep -Eq '^ +[0-9.]+ +[0-9,]+  <- \[lib.\.so\]$' "$tmp/report"
	check "--calls, text: callees" grep -Eq '^ +[0-9.]+ +[0-9,]+  -> \[lib.\.so\]$' "$tmp/report"
	check "--calls, text: itself" grep -Eq '^ +[0-9.]+ +[0-9,]+     in itself$' "$tmp/report"
	report --calls none
	check "--calls of none: it is said" grep -qx " note: no sample has a call of 'none'" "$tmp/report"
	report -b binary --children
	check "--children, text" grep -Eq '^   total  percent   samples .* binary$' "$tmp/report"
	expect "--children, text: the first has all" "$(awk '/^ *total/ { getline; print $1; exit }' "$tmp/report")" 100.00
	# Of what was left out, or not.
	craft --format callchain --samples 3000
	report -b cpu -f json --cpu 1
	expect "relative percentages" "$(json percent)" 100
	report -b cpu -f json --cpu 1 --percentage absolute
	expect "absolute percentages" "$(sed -n 's/^{"percent": \([0-9.]*\),.*/\1/p' "$tmp/report")" 50.00
	check "absolute percentages: the note" grep -q 'other samples were left out.*percentages are of all"' "$tmp/report"
	# A chain of one call, and of no calls.
	craft --samples 30 --places 3
	report --children -b address -f json
	expect "--children without chains" "$(sed -n 's/^{.*"samples": \([0-9]*\), .*"total_samples": \([0-9]*\),.*/\1 \2/p' \
		"$tmp/report" | awk '$1 != $2 { n++ } END { print NR, n + 0 }')" "3 0"
	craft --samples 0
	for what in "-f tree" "--calls x" "--children"; do
		report $what
		expect "no samples, $what: status" "$status" 0
	done
	craft --hostile
	for what in "-f tree -b process,binary,symbol,chain" "--calls *" "--children"; do
		set -f
		report $what
		set +f
		expect "hostile names, $what: status" "$status" 0
		check "hostile names, $what: text" /usr/bin/python3 -c '
import sys
text = open(sys.argv[1], encoding="utf-8", newline="").read()
bad = {c for c in text if not (c in "\n\t\ud7ff" or c.isprintable())}
assert not bad, bad' "$tmp/report"
	done
	report --calls '*' -f json
	check "hostile names, --calls: JSON" /usr/bin/python3 -c \
		'import json, sys; json.load(open(sys.argv[1], encoding="utf-8"))' "$tmp/report"
	denied "--calls by symbol" "--calls is by function" --calls x -b symbol
	denied "--calls as SVG" "are for text and json" --calls x -f svg
	denied "--children as SVG" "are for text and json" --children -f svg
	denied "--children by chain" "not by chain" --children -b chain
	denied "--reverse by symbol" "--reverse is for chains" --reverse -b symbol
	denied "--percentage of what" "relative or absolute" --percentage some
	denied "-g of what" "as a tree" --call-graph=some
	denied "-g and what" "'some'?" -g some
}

# perf's ways to say so.
test_calls_of_perf()
{
	craft --format callchain --samples 3000 --frames 6 --places 50 --maps 7
	while IFS=: read -r perfs ours; do
		report $ours
		cp "$tmp/report" "$tmp/ours"
		report $perfs
		expect "report $perfs: status" "$status" 0
		check "report $perfs is $ours" cmp "$tmp/report" "$tmp/ours"
	done <<-END
		-g:-f tree
		-g caller:-f tree
		-g graph,5,caller:-f tree -m 5
		--call-graph=callee:-f tree --reverse
		-g callee,2 -b chain:-f tree --reverse -m 2 -b chain
		-G:-f tree
		--inverted:-f tree
		--children --no-children:-f text
		--percentage relative:-f text
	END
}

# make_inlined FLAG...: $tmp/inlined, with debug information; returns whether there is one
make_inlined()
{
	rm -rf "$tmp/inlined" "$tmp/inlined.debug" "$tmp/.debug"
	$CC $flags -O2 -no-pie -o "$tmp/inlined" "$tests/inlined.c" "$@" 2>"$tmp/err"
}

# record_inlined: a sample at each instruction of its functions
record_inlined()
{
	FAKE_IPS=$(objdump -d "$tmp/inlined" | awk '
		/^[0-9a-f]+ <(outer|plain|main)>:$/ { on = 1; next }
		/^$/ { on = 0 }
		on { sub(":", "", $1); printf "%s:1 ", $1 }')
	FAKE_SAMPLES=$(echo "$FAKE_IPS" | wc -w)
	export FAKE_IPS FAKE_SAMPLES
	record "$tmp/inlined"
	unset FAKE_IPS FAKE_SAMPLES
}

# lines_are NAME [TOOL]: report's are those of addr2line, or another tool
lines_are()
{
	report -b address,line -f json
	cp "$tmp/report" "$tmp/json"
	report -b address,chain --inline -f folded
	quietly "$1" /usr/bin/python3 -B "$tests/views.py" lines "${2:-addr2line}" \
		"$tmp/inlined" "$tmp/json" "$tmp/report"
}

# Lines of the source, and what was inlined, of whatever compilers and linkers make.
test_lines()
{
	report
	if ! can_name || ! command -v addr2line >/dev/null || ! command -v objcopy >/dev/null; then
		skip "$arch: lines of the source"
		return
	fi
	for args in -gdwarf-5 -gdwarf-4 "-gdwarf-5 -gz" "-gdwarf-4 -gz" "-g -fdebug-types-section" -g1; do
		if ! make_inlined $args; then
			skip "$arch: $CC $args: $(head -n 1 "$tmp/err")"
			continue
		fi
		record_inlined
		[ "$args" = -g1 ] || lines_are "lines, $args"
	done
	make_inlined -g
	record_inlined
	lines_are "lines"
	report -b line -f json --children --inline
	expect "lines: as many samples" "$(json samples)" \
		"$(sed -n 's/^{"percent".*"total_samples": \([0-9]*\),.*/\1/p' "$tmp/report" | sort -n | tail -n 1 |
			xargs -I N sh -c "[ N -le $(json samples) ] && echo $(json samples)")"
	for how in --inline --no-inline; do
		report $how -b symbol -f folded
		expect "$how: innermost is a function" "$(grep -c '^innermost ' "$tmp/report")" \
			"$([ $how = --no-inline ] && echo 0 || echo 1)"
	done
	report --inline --symbol innermost -b symbol -f folded
	expect "--inline --symbol" "$(cut -d ' ' -f 1 "$tmp/report")" innermost
	report --inline --calls middle -f json
	check "--inline --calls" grep -q '"function": "middle", "relation": "caller", "other": "outer"' "$tmp/report"
	report -b sym,srcline -f folded
	cp "$tmp/report" "$tmp/folded"
	report -b symbol,line -f folded
	check "srcline is line" cmp "$tmp/report" "$tmp/folded"
	cc_was=$CC
	CC=clang
	if command -v llvm-addr2line >/dev/null && make_inlined -g; then
		record_inlined
		# It has no list of which unit has an address; and binutils' addr2line does not know
		# all of its ranges.
		lines_are "lines, clang" llvm-addr2line
	else
		skip "$arch: clang or llvm-addr2line is not installed: lines of what clang makes"
	fi
	CC=$cc_was
	make_inlined -g
	record_inlined
	objcopy --only-keep-debug "$tmp/inlined" "$tmp/inlined.debug"
	cp "$tmp/inlined" "$tmp/kept"
	objcopy --strip-debug "$tmp/inlined"
	(cd "$tmp" && objcopy --add-gnu-debuglink=inlined.debug inlined)
	lines_are "lines, in a debug file"
	if command -v dwz >/dev/null && cp "$tmp/kept" "$tmp/inlined" && dwz "$tmp/inlined"; then
		lines_are "lines, dwz"
	else
		skip "$arch: dwz is not installed: lines of what it makes"
	fi
	# Others who may write the file are not believed, and not less is known.
	cp "$tmp/kept" "$tmp/inlined"
	chmod o+w "$tmp/inlined"
	record_inlined
	lines_are "lines, of a file that others may write"
	chmod o-w "$tmp/inlined"
	record_inlined
	objcopy --strip-debug "$tmp/inlined"
	rm -f "$tmp/inlined.debug"
	report -b line
	check "no lines: it is said" grep -q \
		'^ note: files without debug information, or not with one that can be read: 1; their lines' "$tmp/report"
	check "no lines" grep -Eq '^  100.00 +[0-9]+  \[unknown\]$' "$tmp/report"
	# Damaged, it does no harm: it is read elsewhere.
	for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		cp "$tmp/kept" "$tmp/inlined"
		/usr/bin/python3 -B "$tests/views.py" spoil "$tmp/inlined" $seed
		timeout 100 "$PFMON" report -i "$tmp/data" -b line --inline >"$tmp/report" 2>"$tmp/err"
		expect "damaged lines, $seed: status" $? 0
	done
	rm -f "$tmp/kept" "$tmp/inlined"
}

# annotate ARGUMENT...: run pfmon annotate, to $tmp/report
annotate()
{
	"$PFMON" annotate -i "$tmp/data" "$@" >"$tmp/report" 2>"$tmp/err"
	status=$?
}

# The instructions of functions, with their samples, beside the source.
test_annotate()
{
	report
	if ! can_name || ! command -v objdump >/dev/null; then
		skip "$arch: instructions of functions"
		return
	fi
	cp "$tests/inlined.c" "$tmp/inlined.c"
	$CC $flags -O2 -g -no-pie -o "$tmp/inlined" "$tmp/inlined.c"
	# One at the first instruction of outer(), then twelve at the second of plain(), and three at
	# its last.
	objdump -d -w -C --no-show-raw-insn "$tmp/inlined" >"$tmp/objdump"
	sed -n '/^[0-9a-f]* <plain>:$/,/^$/s/^ *\([0-9a-f]*\):.*/\1/p' "$tmp/objdump" >"$tmp/plain"
	second=$(sed -n 2p "$tmp/plain") last=$(tail -n 1 "$tmp/plain")
	outer=$(sed -n '/^[0-9a-f]* <outer>:$/,/^$/s/^ *\([0-9a-f]*\):.*/\1/p' "$tmp/objdump" | head -n 1)
	FAKE_IPS="$outer:1 $second:12 $last:3" FAKE_SAMPLES=16
	export FAKE_IPS FAKE_SAMPLES
	record "$tmp/inlined"
	unset FAKE_IPS FAKE_SAMPLES
	annotate
	expect "annotate: status" "$status" 0
	check "annotate: the heading" grep -q "^ plain in $tmp/inlined: 15 of 16 samples, 93.75%$" "$tmp/report"
	expect "annotate: of one function" "$(grep -c ' samples*, [0-9.]*%$' "$tmp/report")" 1
	expect "annotate: samples and addresses" "$(sed -n 's/^ *\([0-9]*\.[0-9][0-9]\)  *\([0-9]*\)  *\([0-9a-f]*\)  .*/\1 \2 \3/p' \
		"$tmp/report" | tr '\n' ' ')" "80.00 12 $second 20.00 3 $last "
	expect "annotate: all instructions, as objdump has them" \
		"$(sed -n 's/^\( *[0-9.]* *[0-9]* \| *\)  *\([0-9a-f]\{4,\}\)    \(.*\)/\2 \3/p' "$tmp/report")" \
		"$(sed -n '/^[0-9a-f]* <plain>:$/,/^$/s/^ *\([0-9a-f]*\):\t\(.*\)/\1 \2/p' "$tmp/objdump" | tr '\t' ' ')"
	line=$(grep -n 'return outer' "$tmp/inlined.c" | cut -d : -f 1)
	check "annotate: the source" grep -q "^ *inlined.c:$line  return outer(n) + 1;$" "$tmp/report"
	cp "$tmp/report" "$tmp/want"
	for args in plain 'pl*n' '-s plain' '--stdio' '-l' '-d inlined' --source '-n 1'; do
		set -f
		annotate $args
		set +f
		check "annotate $args" cmp "$tmp/report" "$tmp/want"
	done
	annotate --no-source
	check "annotate --no-source" cmp "$tmp/report" - <<-END
		$(grep -v '^ *inlined.c:' "$tmp/want")

	END
	annotate outer plain
	expect "annotate: two functions, the larger first" \
		"$(sed -n 's/^ \([a-z]*\) in .*%$/\1/p' "$tmp/report" | tr '\n' ' ')" "plain outer "
	annotate -f json plain outer
	check "annotate: JSON" /usr/bin/python3 -c '
import json, sys
functions = json.load(open(sys.argv[1]))["functions"]
assert [f["function"] for f in functions] == ["plain", "outer"]
code = functions[0]["code"]
assert {c["address"]: c["samples"] for c in code if c["samples"]} == {
    "0x" + sys.argv[2].lstrip("0"): 12, "0x" + sys.argv[3].lstrip("0"): 3}
assert any(c["file"].endswith("/inlined.c") and c["line"] == int(sys.argv[4]) for c in code)
' "$tmp/report" "$second" "$last" "$line"
	annotate none
	check "annotate: no such function" grep -q '^ note: there are no samples in such functions$' "$tmp/report"
	annotate --objdump /no/such/objdump
	check "annotate: no objdump" grep -q 'cannot be printed: objdump is not there' "$tmp/report"
	annotate --objdump /bin/true
	check "annotate: another machine's" grep -q 'objdump finds no instructions there' "$tmp/report"
	printf '#!/bin/sh\nprintf "  %s:\\tadd \\033[31m\\342\\200\\256\\r\\n"\n' "$second" >"$tmp/tool"
	chmod 755 "$tmp/tool"
	annotate --objdump "$tmp/tool" --no-source
	check "annotate: hostile instructions" grep -q "  $second    add ?\[31m????$" "$tmp/report"
	check "annotate: samples that are at no instruction" grep -q \
		'^ note: 3 samples are at none of these instructions$' "$tmp/report"
	# What another user's program says of its source is not for root alone to read.
	if [ "$(id -u)" -eq 0 ]; then
		chmod 755 "$tmp"
		chown 65534 "$tmp/inlined"
		annotate
		check "annotate: another user's program" grep -q "  return outer(n) + 1;$" "$tmp/report"
		chmod 600 "$tmp/inlined.c"
		annotate
		check "annotate: another user's program, source that only root may read" \
			grep -q "^ *inlined.c:$line$" "$tmp/report"
		chown 65534 "$tmp/inlined.c"
		annotate
		check "annotate: another user's program and source" grep -q "  return outer(n) + 1;$" "$tmp/report"
		printf '#!/bin/sh\nid -u >&1\nprintf "  %s:\\t$(id -u) $(id -g)\\n"\n' "$second" >"$tmp/tool"
		annotate --objdump "$tmp/tool" --no-source
		check "annotate: another user's program, by its owner's rights" grep -q "  $second    65534 " "$tmp/report"
	fi
	rm "$tmp/inlined.c"
	annotate
	check "annotate: no source" grep -q "^ *inlined.c:$line$" "$tmp/report"
	rm "$tmp/inlined"
	annotate
	check "annotate: no program" grep -q 'cannot be printed: its file is not there' "$tmp/report"
	annotate -f svg
	expect "annotate -f svg: status" "$status" 125
	annotate -n 0
	expect "annotate -n 0: status" "$status" 125
	rm -f "$tmp/tool" "$tmp/plain" "$tmp/objdump"
}

# differ ARGUMENT...: run pfmon diff, to $tmp/report
differ()
{
	"$PFMON" diff "$@" >"$tmp/report" 2>"$tmp/err"
	status=$?
}

# What differs between two recordings.
test_diff()
{
	craft --samples 1000 --places 14
	mv "$tmp/data" "$tmp/old"
	craft --samples 3000 --places 20 --maps 7
	report -b address -f folded
	cp "$tmp/report" "$tmp/now"
	"$PFMON" report -i "$tmp/old" -b address -f folded >"$tmp/before"
	for order in little big; do
		differ "$tmp/old" "$tmp/data" -b address -f json
		expect "diff, $order: status" "$status" 0
		quietly "diff, $order" /usr/bin/python3 -B "$tests/views.py" diff "$tmp/report" \
			"$tmp/before" "$tmp/now"
		craft --samples 3000 --places 20 --maps 7 --order big
	done
	differ "$tmp/old" "$tmp/data" -b address -f svg
	quietly "diff, svg" /usr/bin/python3 -B "$tests/views.py" svg "$tmp/report" \
		"$tmp/before" "$tmp/now"
	check "diff, svg: it is XML" /usr/bin/python3 -c \
		'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$tmp/report"
	differ "$tmp/old" "$tmp/data" -b address -f folded
	expect "diff, folded" "$(sort "$tmp/report")" "$(awk '
		NR == FNR { before[$1] = $2; next }
		{ now[$1] = $2 }
		END {
			for (n in before) print n, before[n], now[n] + 0
			for (n in now) if (!(n in before)) print n, 0, now[n]
		}' "$tmp/before" "$tmp/now" | sort)"
	differ "$tmp/old" "$tmp/data" -b binary
	check "diff, text: which is which" grep -Eq '^ before: crafted: 1,000 samples of ' "$tmp/report"
	check "diff, text: and now" grep -Eq '^ now:    crafted: 3,000 samples of ' "$tmp/report"
	check "diff, text: columns" grep -Eq '^  before      now   change  binary$' "$tmp/report"
	check "diff, text: a row" grep -Eq '^ +[0-9.]+ +[0-9.]+ +[-+][0-9]+\.[0-9][0-9]  /no/such/lib' "$tmp/report"
	check "diff, text: notes of both" sh -c "grep -q '^ note: before: files' '$tmp/report' &&
		grep -q '^ note: now: files' '$tmp/report'"
	differ "$tmp/old" "$tmp/data" -b address -n 3
	check "diff, three lines" grep -Eq '^ +\([0-9]+ more lines\)$' "$tmp/report"
	differ "$tmp/old" "$tmp/data" -b address -m 1 -f json
	check "diff, what has changed by a percent" /usr/bin/python3 -c '
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert rows and all(abs(row["change"]) >= 0.99 for row in rows)' "$tmp/report"
	differ "$tmp/data" "$tmp/data" -b address -f json
	expect "diff of one file: changes" "$(grep -o '"change": [-0-9.]*' "$tmp/report" | sort -u)" '"change": 0.00'
	differ "$tmp/data" "$tmp/data" -b address -f svg
	expect "diff of one file, svg: frames that are red or blue" "$(grep -c 'fill="hsl([1-9]' "$tmp/report")" 0
	check "diff of one file, svg: frames" grep -q 'fill="hsl(0,0%,92%)"' "$tmp/report"
	# Names that perf has for them, and none.
	(cd "$tmp" && cp old pfmon.data.old && cp data pfmon.data && "$PFMON" diff -f json -b address >report 2>err)
	quietly "diff without names" /usr/bin/python3 -B "$tests/views.py" diff "$tmp/report" "$tmp/before" "$tmp/now"
	cat "$tmp/data" | "$PFMON" diff "$tmp/old" - -f json -b address >"$tmp/report" 2>"$tmp/err"
	quietly "diff of standard input" /usr/bin/python3 -B "$tests/views.py" diff "$tmp/report" "$tmp/before" "$tmp/now"
	differ "$tmp/old" "$tmp/data" -b thread,address -C crafted -d 'lib1*' -f json
	expect "diff, filtered" "$status" 0
	check "diff, filtered: some" grep -q '"change": ' "$tmp/report"
	craft --format callchain --frames 4 --samples 3000
	mv "$tmp/data" "$tmp/chains"
	craft --format callchain --frames 6 --samples 3000 --places 50
	differ "$tmp/chains" "$tmp/data" -f svg
	check "diff of chains, svg" grep -q '<title>\[lib0.so\]: .*, [-+][0-9.]*</title>' "$tmp/report"
	differ "$tmp/old" "$tmp/chains" -f svg
	expect "diff with and without chains: status" "$status" 125
	expect_err "diff with and without chains" "one recording has call chains, the other has not: say with -b"
	craft --hostile
	for f in text json folded svg; do
		differ "$tmp/data" "$tmp/data" -f $f -b process,thread,cpu,binary,symbol,address
		expect "diff, hostile names, $f: status" "$status" 0
	done
	differ "$tmp/data" "$tmp/old"
	check "diff of different events: it is said" grep -q 'different events are compared' "$tmp/err"
	differ "$tmp/old" "$tmp/no"
	expect "diff with no file: status" "$status" 125
	differ "$tmp/old" "$tmp/data" "$tmp/data"
	expect "diff of three: status" "$status" 125
	differ - - </dev/null
	expect "diff of nothing: status" "$status" 125
	differ -f pprof
	expect "diff as pprof: status" "$status" 125
	rm -f "$tmp/old" "$tmp/chains" "$tmp/before" "$tmp/now" "$tmp"/pfmon.data*
}

views='calls calls_of_perf lines annotate diff'
