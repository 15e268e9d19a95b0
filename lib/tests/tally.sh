# SPDX-License-Identifier: LGPL-2.1-or-later
# To be sourced by the test scripts of this tree: counts verdicts, prints the closing line,
# "N passed, N failed, N skipped".

passed=0 failed=0 skipped=0

ok()	{ passed=$((passed + 1)); }
fail()	{ failed=$((failed + 1)); echo "FAIL $*" >&2; }
skip()	{ skipped=$((skipped + 1)); echo "SKIP $*" >&2; }

# check NAME COMMAND...: the command must succeed.
check()
{
	check_name=$1
	shift
	if "$@"; then ok; else fail "$check_name"; fi
}

# quietly NAME COMMAND...: the same; what it says goes to the file $said, and is shown if
# it fails.
quietly()
{
	quietly_name=$1
	shift
	if "$@" >"$said" 2>&1 </dev/null; then
		ok
	else
		fail "$quietly_name"
		tail -n 60 "$said" | sed 's/^/    /' >&2
	fi
}

# count PASSED FAILED [SKIPPED]: verdicts of another program
count()
{
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + ${3:-0}))
}

# program NAME COMMAND...: a test program that ends with check_done().
program()
{
	program_name=$1
	shift
	program_out=$("$@")
	program_status=$?
	program_line=$(printf '%s\n' "$program_out" | tail -n 1)
	case $program_line in
	[0-9]*' '[0-9]*' '[0-9]*)
		count ${program_line}
		if [ "$program_status" -gt 1 ]; then
			fail "$program_name: exit status $program_status"
		fi
		;;
	*)
		fail "$program_name: no verdict, exit status $program_status"
		;;
	esac
}

tally()
{
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}
