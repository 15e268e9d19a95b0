# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What is remembered of runs, for scripts/test, which sources this: below cache_dir, for all
# trees of this user.
#
#	passed/KEY	a run that passed: "RUN SECONDS PASSED SKIPPED", its date is the file's.
#			KEY is a hash of all that its result depends on. Ends after 14 days.
#	runs/RUN	the last one of this name: "passed", "failed" or "left" (out, for want of
#			time), and its seconds
#	unsteady/PROGRAM.TEST
#			the output of a run in which this test failed, and in three more of the same
#			did not. Whoever has mended the test, or what it found, removes the file.

marks=$(cache_dir)
mkdir -p "$marks"/{passed,runs,unsteady}
find "$marks/passed" -type f -mtime +13 -delete

# last RUN: sets last_result and last_seconds; nothing where it never ran
last() { read -r last_result last_seconds 2>/dev/null <"$marks/runs/$1" || last_result='' last_seconds=''; }

# note_last RUN RESULT [SECONDS]: without SECONDS those of before stay
note_last() {
	last "$1"
	echo "$2 ${3-$last_seconds}" >"$marks/runs/$1"
}

# seconds_of RUN KIND ARCH FLAVOUR: what it took last; if that is not known, what the
# flavour's fragment or the architecture's says in "estimate = KIND SECONDS"
seconds_of() {
	last "$1"
	[ -n "$last_seconds" ] || last_seconds=$(key estimate "$config/${4:-none}.config" \
		"$config/$3.config" "$config/base.config" 2>/dev/null |
		awk -v kind="$2" '$1 == kind { print $2; exit }')
	echo "${last_seconds:-180}"
}

# known KEY: whether such a run has passed; sets known_passed, known_skipped, known_date
known() {
	local file=$marks/passed/$1
	[ -f "$file" ] && read -r _ _ known_passed known_skipped <"$file" || return
	known_date=$(date -r "$file" +%F)
}

remember() { # KEY RUN SECONDS PASSED SKIPPED
	echo "${*:2}" >"$marks/passed/.$1.$$"
	mv "$marks/passed/.$1.$$" "$marks/passed/$1"
}

# expectations: the tests that failed there, as PROGRAM.TEST, if nothing else went
# wrong: no complaint of the kernel, crash, signal, time-out or missing result, and no
# program that looks for races (RACES); and if it is a kind of run whose programs tell what
# they expected. Otherwise it fails.
expectations() { # KIND LOG RACES
	case $1 in
	root | user | bench | stock | lib | pfmon) ;;
	*) return 1 ;;
	esac
	awk '
		/terminated (by timeout|unexpectedly)|[Tt]imed out|[Ss]egmentation|core dumped|Call Trace/ { hard = 1 }
		!/^FAIL / { next }
		/ status 1(2[4-9]|3[0-9])|no verdict|exit status|signal/ { hard = 1 }
		$2 == "root" || $2 == "user" {
			# FAIL WHO ARCH PROGRAM: TEST; run.sh has other words for the rest.
			if ($4 !~ /:$/ || $5 !~ /^[A-Za-z_0-9]+\.[A-Za-z_0-9.]+$/)
				hard = 1
			program = $4
			sub(/:$/, "", program); sub(/.*\//, "", program)
			if (index(" " races " ", " " program " "))
				hard = 1
			test = $5
			sub(/.*\./, "", test)
			print program "." test
			next
		}
		/^FAIL (kunit|[^ ]*: the kernel|run\.sh)/ { hard = 1 }
		{
			text = $0
			sub(/^FAIL /, "", text); sub(/:.*/, "", text)
			gsub(/[^A-Za-z0-9]+/, "_", text)
			print kind "." substr(text, 1, 60)
		}
		END { exit hard }' kind="$1" races="$3" "$2" | sort -u
	[ "${PIPESTATUS[0]}" -eq 0 ]
}

# unsteady_before TEST: whether that program (of pfmon and lib, that test) has been here
unsteady_before() {
	local program=${1%%.*}
	case $program in
	lib | pfmon) [ -e "$marks/unsteady/$1" ] ;;
	*) compgen -G "$marks/unsteady/$program.*" >/dev/null ;;
	esac
}
