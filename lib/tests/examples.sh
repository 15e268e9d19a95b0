# SPDX-License-Identifier: LGPL-2.1-or-later
# To be sourced behind tally.sh: runs the programs that the manual pages show, on a kernel
# with perfmon whose pages have 4 KiB, and which gives programs no huge ones unasked.

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

# examples DIR: DIR/example is perfmonctl(2)'s, the others are those of the directory examples.
examples()
{
	# 16 MiB, and 4 times 1 MiB
	prints '^4[01][0-9][0-9] faults, [1-9][0-9]* ns$' "$1/example"
	prints '^4[01][0-9][0-9] minor-faults, counted 100% of the time$' "$1/count.c.example"
	prints '^1[01][0-9][0-9] minor-faults$' "$1/threads.c.example"
	# Its samples are 16 faults apart.
	prints '^(25[5-9]|26.) samples, 0 lost$' "$1/sample.c.example"
	prints 'region .input.: 1 run, ' env PMON_EVENTS=task-clock,minor-faults \
		"$1/regions.c.example"
	# 4 MiB, whose pages are not there before
	prints '^ *10[2-9][0-9]  minor-faults$' env PMON_EVENTS=minor-faults "$1/regions.c.example"
	if [ -e "$1/regions++.cc.example" ]; then
		prints 'region .sum.: 1 run, ' env PMON_EVENTS=task-clock "$1/regions++.cc.example"
		prints '^ *10[2-9][0-9]  minor-faults$' env PMON_EVENTS=minor-faults \
			"$1/regions++.cc.example"
	fi
	check "without PMON_EVENTS there is no report" [ -z "$("$1/regions.c.example" 2>&1)" ]
}
