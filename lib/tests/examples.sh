# SPDX-License-Identifier: LGPL-2.1-or-later
# To be sourced behind tally.sh: runs the programs that the manual pages show, on a kernel
# with perfmon which gives programs no huge pages unasked.

# prints PATTERN COMMAND...: what it prints.
prints()
{
	prints_want=$1
	shift
	prints_out=$("$@" 2>&1)
	check "$* runs" [ $? -eq 0 ]
	printf '%s\n' "$prints_out" | grep -Eq "$prints_want"
	check "$* prints '$prints_out'" [ $? -eq 0 ]
}

# counts PATTERN LEAST MOST COMMAND...: the number that is the first group of PATTERN in a
# line that it prints.
counts()
{
	counts_least=$2 counts_most=$3
	prints_want=$1
	shift 3
	prints "$prints_want" "$@"
	counts_n=$(printf '%s\n' "$prints_out" | sed -nE "s/$prints_want/\\1/p" | head -n 1)
	counts_n=${counts_n:-0}
	check "$* prints '$prints_out': not $counts_least to $counts_most" \
		[ $((counts_n >= counts_least && counts_n <= counts_most)) -eq 1 ]
}

# examples DIR: DIR/example is perfmonctl(2)'s, the others are those of the directory examples.
examples()
{
	# What this shell has, in pages, and in KiB: neither getconf nor smaps is everywhere.
	read -r statm _ <"/proc/$$/statm"
	kib=$(sed -n 's/^VmSize:[^0-9]*\([0-9]*\) kB$/\1/p' "/proc/$$/status")
	pages=$((16384 / ((kib + statm / 2) / statm)))	# in 16 MiB
	minor='^ *([0-9]+)  minor-faults$'

	counts '^([0-9]+) faults, [1-9][0-9]* ns$' $pages $((pages + 100)) "$1/example"
	counts '^([0-9]+) minor-faults, counted 100% of the time$' $pages $((pages + 100)) \
		"$1/count.c.example"
	# 4 times 1 MiB
	counts '^([0-9]+) minor-faults$' $((pages / 4)) $((pages / 4 + 175)) "$1/threads.c.example"
	# Its samples are 16 faults apart.
	counts '^([0-9]+) samples, 0 lost$' $((pages / 16 - 1)) $((pages / 16 + 13)) \
		"$1/sample.c.example"
	prints 'region .input.: 1 run, ' env PMON_EVENTS=task-clock,minor-faults \
		"$1/regions.c.example"
	# 4 MiB, whose pages are not there before
	counts "$minor" $((pages / 4)) $((pages / 4 + 70)) env PMON_EVENTS=minor-faults \
		"$1/regions.c.example"
	if [ -e "$1/regions++.cc.example" ]; then
		prints 'region .sum.: 1 run, ' env PMON_EVENTS=task-clock "$1/regions++.cc.example"
		counts "$minor" $((pages / 4)) $((pages / 4 + 70)) \
			env PMON_EVENTS=minor-faults "$1/regions++.cc.example"
	fi
	check "without PMON_EVENTS there is no report" [ -z "$("$1/regions.c.example" 2>&1)" ]
}
