# SPDX-License-Identifier: LGPL-2.1-or-later
# To be sourced by the test scripts: counts verdicts, prints the closing line.

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
		passed=$((passed + ${program_line%% *}))
		skipped=$((skipped + ${program_line##* }))
		program_line=${program_line#* }
		failed=$((failed + ${program_line% *}))
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
