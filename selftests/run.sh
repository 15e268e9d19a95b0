#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh DIR [NAME...] - run the test programs of DIR, in the guest, as root
#
# Runs each program (or only those named) twice, as root and as an ordinary
# user, and counts what they report. NAME is a pattern of the shell; if there is no
# program NAME, it stands for all those whose names begin with NAME_: smpl for
# smpl_body, smpl_fields and so on. -NAME: all programs but these. After each program
# the kernel log must be free of complaints and no session may be left. Then comes, if the
# kernel has it, the leak detector. The seconds
# of a program are those of the clock, and those that the CPUs were busy.
# With PFM_UNITS=1 no program is run: the results of the kernel's unit tests (KUnit) are read,
# which it has run while it booted.
#
# Needs a POSIX shell, awk, cat, cp, dmesg, grep, mkdir, rm, sed and sleep, and empties
# the kernel's log.
# Environment: PFM_TESTS (of the programs only the tests of these names), PFM_UNITS, PFM_WHO (root
# user), PFM_STRESS_SECONDS, PFM_FUZZ_SECONDS, PFM_FUZZ_SEED,
# PFM_TIMEOUT (seconds for a program, 600; twice that on a debug kernel).
#
# The last line is "N passed, N failed, N skipped"; exit status 0 iff none failed.

set -u

sysfs=/sys/kernel/perfmon
kunit=/sys/kernel/debug/kunit
kmemleak=/sys/kernel/debug/kmemleak
tmp=/tmp/pfm-selftests
user=1000

# What the kernel says only when something is wrong.
trouble='WARNING:|BUG:|Oops|KASAN:|UBSAN|KCSAN|KFENCE|ODEBUG|kmemleak: [0-9]'
trouble="$trouble|possible [a-z]|INFO: (task|rcu|trying|inconsistent)|(soft|workqueue) lockup"
trouble="$trouble|hard LOCKUP|detected stall|self-detected|unreferenced object|refcount_t"
trouble="$trouble|list_(add|del) corruption|sleeping function|bad unlock"
trouble="$trouble|scheduling while atomic|Call Trace|general protection"
trouble="$trouble|page fault for address|hung_task|Bad page|cut here"
# x86: the guest has measured its clock wrong (scripts/tsc.c).
trouble="$trouble|tsc: PIT calibration deviates|tsc: HPET/PMTIMER calibration failed"

# shellcheck source=../lib/tests/tally.sh
. "${0%/*}/../lib/tests/tally.sh"
newline='
'

die() { echo "run.sh: $*" >&2; echo "0 passed, 1 failed, 0 skipped"; exit 1; }

# log_is_clean: whether the kernel has not complained since we asked last
log_is_clean() {
	dmesg -c >"$tmp/log"
	! grep -E "$trouble" "$tmp/log" >"$tmp/trouble"
}

# fail WHAT [FILE]: one failure that no program reports
fail() {
	echo "FAIL $1"
	[ -z "${2-}" ] || sed 's/^/    /' "$2"
	count 0 1
}

# run_one WHO NAME: with few processes of ours, each of which takes a debugging kernel
# a good part of a second
run_one() {
	read -r begin </proc/uptime
	stress=${PFM_STRESS_SECONDS-8} fuzz=${PFM_FUZZ_SECONDS-4} as=
	if [ "$1" = user ]; then
		as="-u $user -g $user" stress=${PFM_STRESS_SECONDS-3}
	fi
	# shellcheck disable=SC2086
	PFM_STRESS_SECONDS=$stress PFM_FUZZ_SECONDS=$fuzz \
		"$dir/supervise" $as -t "$timeout" "$from/$2" >"$tmp/out" 2>&1 </dev/null
	status=$?
	read -r end </proc/uptime

	# Plan, ok, not ok and skipped, as the program has printed them, and what was.
	counts=$(awk -v name="SKIP $1 $arch $2:" -v times="$begin $end" -v cpus="$processors" '
		/^1\.\.[0-9]+/ { plan = substr($1, 4) }
		/^ok .*# SKIP/ { skip++; sub(/^ok .*# SKIP/, name); what = what "\n" $0; next }
		/^ok / { ok++ }
		/^not ok / { bad++ }
		END {
			split(times, t, " ")
			wall = t[3] - t[1]; busy = cpus * wall - (t[4] - t[2])
			printf "%d %d %d %d %.1f %.1f%s\n", plan, ok, bad, skip, wall,
				busy < 0 ? 0 : busy, what
		}' "$tmp/out")
	skips=${counts#*"$newline"}
	# shellcheck disable=SC2086
	set -- "$1 $arch $2" ${counts%%"$newline"*}
	[ "$3" != 0 ] || [ "$4" != 0 ] || [ "$5" != 0 ] || [ "$2" != 0 ] || status=127
	echo "$1: $3 passed, $4 failed, $5 skipped, $6 s, CPUs $7 s"
	count "$3" "$4" "$5"
	[ "$5" -eq 0 ] || echo "$skips"

	if [ "$4" -gt 0 ]; then
		grep '^not ok ' "$tmp/out" | sed "s/^not ok [0-9]*/FAIL $1:/"
		sed 's/^/    /' "$tmp/out"
	fi
	if [ $(($3 + $4 + $5)) -ne "$2" ]; then
		fail "$1: ran $(($3 + $4 + $5)) of $2 tests, status $status" "$tmp/out"
	elif [ "$status" -ne 0 ] && [ "$4" -eq 0 ]; then
		fail "$1: status $status" "$tmp/out"
	fi
	log_is_clean || fail "$1: the kernel complains" "$tmp/log"
	# Children of its children may be a moment away from their end.
	tries=600
	while [ $tries -gt 0 ]; do
		read -r threads <$sysfs/thread_sessions
		read -r cpus <$sysfs/sys_sessions
		[ "$threads+$cpus" != 0+0 ] || return
		tries=$((tries - 1))
		sleep 0.1
	done
	fail "$1: sessions are left: $threads+$cpus"
}

# run_kunit: by one process, which takes a tenth of the time that several for each suite do
run_kunit() {
	set -- "$kunit"/perfmon*/results
	[ -f "$1" ] || { fail "kunit: there are no results"; return; }
	awk -v arch="$arch" '
		BEGIN {
			for (arg = 1; arg < ARGC; arg++) {
				file = suite = ARGV[arg]
				sub(/\/results$/, "", suite); sub(/.*\//, "", suite)
				n = ok = bad = skip = 0; said = ""
				while ((getline <file) > 0) {
					text[++n] = $0
					if (/^    ok .*# SKIP/) {
						skip++; sub(/^    ok/, "SKIP kunit " suite ":")
						said = said $0 "\n"
					} else if (/^    ok /) {
						ok++
					} else if (/^    not ok / || (/^not ok / && !bad)) {
						# A log that was full has lost the line of the case itself.
						bad++; sub(/^ *not ok/, "FAIL kunit " suite ":")
						said = said $0 "\n"
					}
				}
				close(file)
				printf "kunit %s %s: %d passed, %d failed, %d skipped\n%s", arch,
					suite, ok, bad, skip, said
				if (ok + bad + skip == 0) {
					print "FAIL kunit " suite ": no results"
					bad++
				}
				for (i = 1; bad && i <= n; i++)
					print "    " text[i]
				sum["ok"] += ok; sum["bad"] += bad; sum["skip"] += skip
			}
			print sum["ok"] + 0, sum["bad"] + 0, sum["skip"] + 0
		}' "$@" >"$tmp/kunit"
	sed '$d' "$tmp/kunit"
	# shellcheck disable=SC2046
	count $(sed -n '$p' "$tmp/kunit")
}

# Leaked objects are reported by the second scan at the earliest, and not before they
# are five seconds old, for which there is nothing but time to wait.
run_kmemleak() {
	[ -w "$kmemleak" ] || return
	sleep 6
	echo scan >"$kmemleak"
	echo scan >"$kmemleak"
	cat "$kmemleak" >"$tmp/leaks"
	if grep -q . "$tmp/leaks"; then
		fail "$arch: the kernel leaks memory" "$tmp/leaks"
	else
		echo "$arch: no memory is leaked"
		ok
	fi
}

[ $# -gt 0 ] || die "usage: run.sh DIR [NAME...]"
dir=$(cd "$1" && pwd) || die "no directory $1"
shift
arch=${dir##*/}
[ -x "$dir/supervise" ] || die "$dir has no supervise, which runs the programs: scripts/user --tests builds all"
[ -d "$sysfs" ] || die "this kernel has no perfmon ($sysfs)"
{ mkdir -p "$tmp" && chmod 755 "$tmp"; } || die "cannot make $tmp"

# The ordinary user may have no way to DIR. Status 126: it cannot be executed.
from=$dir
"$dir/supervise" -u "$user" -g "$user" "$dir/supervise" >/dev/null 2>&1
[ $? -ne 126 ] || from=$tmp

echo on >/proc/sys/kernel/printk_devkmsg 2>/dev/null

# The ordinary user's tests are about the specification's default; security.c is
# about both. What the kernel is built with is the hardened one.
hardened=/proc/sys/kernel/perfmon_hardened
[ "$(cat $hardened)" = 1 ] || die "$hardened is not 1"
echo 0 >$hardened || die "cannot write $hardened"

timeout=${PFM_TIMEOUT-600}
if [ -e "$kmemleak" ]; then
	export PFM_SLOW=1
	timeout=${PFM_TIMEOUT-1200}
fi

units=${PFM_UNITS-}
processors=$(grep -c '^processor' /proc/cpuinfo)
all=0
names=
without=' '
for name; do
	case $name in
	-*) without="$without${name#-} "; continue ;;
	esac
	all=$((all + 1))
	if [ -e "$dir/$name" ]; then
		names="$names $name"
		continue
	fi
	found=
	for file in "$dir"/$name "$dir/$name"_*; do
		[ ! -x "$file" ] || found="$found ${file##*/}"
	done
	[ -n "$found" ] || die "no $dir/$name"
	names="$names$found"
done
if [ -n "$units" ]; then
	names=
elif [ "$all" -eq 0 ]; then
	for file in "$dir"/*; do
		name=${file##*/}
		case $name in
		supervise | stress | fuzz) ;;
		# Elsewhere they could only say that there is no PMU.
		hw | hw_*) [ "$(cat $sysfs/pmu_model)" = none ] || names="$names $name" ;;
		*) [ ! -f "$file" ] || [ ! -x "$file" ] || names="$names $name" ;;
		esac
	done
	names="$names fuzz stress"
fi
[ -n "$names$units" ] || die "no test programs in $dir"

log_is_clean || fail "$arch: the kernel complained while it booted" "$tmp/trouble"
for name in $names; do
	[ "${without#* "$name" }" = "$without" ] || continue
	[ -x "$dir/$name" ] || die "no $dir/$name"
	[ "$from" = "$dir" ] || cp "$dir/$name" "$from/$name" || die "no room in $from"
	for who in ${PFM_WHO:-root user}; do run_one "$who" "$name"; done
	[ "$from" = "$dir" ] || rm -f "$from/$name"
done
[ -z "$units" ] || run_kunit
run_kmemleak
log_is_clean || fail "$arch: the kernel complains at the end" "$tmp/log"
rm -rf "$tmp"
echo 1 >$hardened
tally
