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

views='calls calls_of_perf'
