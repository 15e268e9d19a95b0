# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# Builds, runs and reports, for scripts/test, which sources this: run_all() does what stands in
# todo.

#
# Builds, one after the other; the tests of what is there run meanwhile: they wait more than
# they compute, and go first
#

# find_trees: the kernels of which some run needs the tree, and there is time to build it.
# The tree is then built first and serves all runs of that kernel, so that none boots from a
# directory in which make is at work.
declare -A has_tree=()
find_trees() {
	local i kernel
	for i in "${todo[@]}"; do
		[[ " ${run_needs[i]} " == *" tree "* ]] || continue
		kernel=${run_kernel[i]}
		if [ "${run_order[i]}" -lt 0 ] ||
		   fits "$(seconds_of "build-tree-$kernel" build-tree "${run_arch[i]}" "${run_flavour[i]}")"; then
			has_tree[$kernel]=yes
		fi
	done
}

# find_tools: the architectures for which some run needs the library or pfmon
declare -A has_tools=()
find_tools() {
	local i word
	for i in "${todo[@]}"; do
		case ${run_kind[i]%@*} in
		units | root | user | bench | witness | machine) ;;
		*) for word in ${run_needs[i]}; do has_tools[$word]=yes; done ;;
		esac
	done
}

# builds_of NUMBER: what has to be built for it, a word each
builds_of() {
	local word kernel=${run_kernel[$1]}
	for word in ${run_needs[$1]}; do
		case $word in
		kernel) [ -n "${has_tree[$kernel]-}" ] && echo "tree-$kernel" || echo "kernel-$kernel" ;;
		tree) echo "tree-$kernel" ;;
		qemu) echo "qemu-${run_arch[$1]}" ;;
		linux) echo linux ;;
		stock-*) ;;
		*) [ -n "${has_tools[$word]-}" ] && echo "programs-$word" || echo "selftests-$word" ;;
		esac
	done
}

build_one() { # WORD NUMBER: for that run
	local ARCH=${run_arch[$2]} FLAVOUR=${run_flavour[$2]}
	export ARCH FLAVOUR
	case $1 in
	kernel-*) "$top/scripts/kernel" ;;
	tree-*) "$top/scripts/kernel" --tree ;;
	qemu-*) "$top/scripts/bench-qemu" ;;
	linux) "$top/scripts/linux" ;;
	programs-*) ARCH=${1#programs-} "$top/scripts/user" --tests ;;
	selftests-*) ARCH=${1#selftests-} "$top/scripts/user" --selftests ;;
	esac
}

build_all() {
	local i word estimate
	renice -n 5 "$BASHPID" >/dev/null
	for i in "${todo[@]}"; do
		for word in $(builds_of "$i"); do
			[ ! -e "$done/$word" ] && [ ! -e "$done/$word.failed" ] && [ ! -e "$done/$word.late" ] || continue
			if [ -n "$deadline" ]; then
				estimate=$(seconds_of "build-$word" "build-${word%%-*}" "${run_arch[i]}" "${run_flavour[i]}")
				if [ "${run_order[i]}" -ge 0 ] && ! fits $((estimate + $(least "$word"))); then
					: >"$done/$word.late"
					break
				fi
			fi
			if timed "build-$word" build_one "$word" "$i"; then
				note_last "build-$word" passed "$(seconds "build-$word")"
				: >"$done/$word"
			else
				: >"$done/$word.failed"
				break
			fi
		done
	done
}

# look_at_builds: sets there, the words for what the builder has done by now, and over, whether
# it has ended
look_at_builds() {
	over=
	kill -0 "$builder" 2>/dev/null || over=yes
	there=" $(cd "$done" && echo *) "
}

# state NUMBER: sets state to "built", "failed", "late" (there is no time to build it) or
# "waits"; a build that fails counts once
state() {
	local word
	state=built
	for word in $(builds_of "$1"); do
		[[ $there != *" $word "* ]] || continue
		state=waits
		if [[ $there == *" $word.late "* ]]; then
			state=late
		# The builder may have ended without a word.
		elif [ -n "$over" ] || [[ $there == *" $word.failed "* ]]; then
			[ -e "$done/$word.told" ] || fail "build of $word"
			: >"$done/$word.told"
			state=failed
		fi
		return
	done
}

#
# Runs
#

# attempt NUMBER: run it, and if only expectations failed three times more, all in the
# background. Leaves its exit status in LOG.status, and the unsteady tests in LOG.unsteady.
attempt() {
	local run=${run_name[$1]} out=$log/test-${run_name[$1]}.log status=0 again command
	command=${run_command[$1]}
	eval "timed \"\$run\" $command" </dev/null >"$out" 2>&1 || status=$?
	if [ "$status" -ne 0 ] && [ "${run_part[$1]}" != races ] && grep -qaxE "$summary" "$out" &&
	   expectations "${run_kind[$1]}" "$out" "$(key races "$config/${run_arch[$1]}.config")" >"$out.tests" && [ -s "$out.tests" ]; then
		for again in 2 3 4; do
			eval "timed \"\$run-\$again\" $command" </dev/null >"$out.$again" 2>&1 || break
			[ "$again" -ne 4 ] || mv "$out.tests" "$out.unsteady"
		done
	fi
	# report_ended() looks for the file at any moment: it must not be there and empty.
	echo "$status" >"$out.ending"
	mv "$out.ending" "$out.status"
}

declare -A threads_of=() run_of=() ends_of=()
running=()	# the numbers of runs that have been started and not reported

start() { # NUMBER
	local run=${run_name[$1]} out limit=$timeout estimate
	out=$log/test-$run.log
	rm -f "$out".*
	if [ -n "$deadline" ]; then
		# A guest that hangs ends soon enough for the rest to be told.
		estimate=$(estimate "$1")
		[ $((deadline - SECONDS)) -lt "$estimate" ] || estimate=$((deadline - SECONDS))
		[ $((estimate + 600)) -gt "$limit" ] || limit=$((estimate + 600))
	fi
	step TEST "$run"
	running+=("$1")
	TIMEOUT=$limit attempt "$1" &
	threads_of[$!]=${run_threads[$1]} run_of[$!]=$1 ends_of[$!]=$((SECONDS + limit + 60))
}

# free THREADS: whether so many places are free
free() {
	local pid taken=0
	for pid in $(jobs -rp); do taken=$((taken + ${threads_of[$pid]:-0})); done
	[ $taken -eq 0 ] || [ $((taken + $1)) -le $places ]
}

# end_hung: what has had its time and more, whatever it is
end_hung() {
	local pid
	for pid in $(jobs -rp); do
		[ -n "${ends_of[$pid]-}" ] && [ $SECONDS -ge "${ends_of[$pid]}" ] || continue
		kill -- "-$pid" 2>/dev/null || true
		echo "hung" >"$log/test-${run_name[${run_of[$pid]}]}.log.status"
	done
}

# keep_unsteady NUMBER: of a run whose tests were unsteady. Fails if that is one too many.
keep_unsteady() {
	local run=${run_name[$1]} out=$log/test-${run_name[$1]}.log test before=''
	while read -r test; do
		! unsteady_before "$test" || before+=" $test"
	done <"$out.unsteady"
	while read -r test; do
		{
			echo "$test, 1 of 4, in $run on $(date '+%F %T'): what that run said"
			cat "$out"
		} >"$marks/unsteady/$test"
		echo "unsteady: $test, 1 of 4, see $marks/unsteady/$test" >>"$done/unsteady"
	done <"$out.unsteady"
	if [ -n "$before" ]; then
		fail "$run: unsteady, and not for the first time:$before"
	elif [ "$(sed 's/\..*//' "$out.unsteady" | sort -u | wc -l)" -gt 2 ]; then
		fail "$run: more than two programs are unsteady"
	else
		return 0
	fi
	return 1
}

# report NUMBER: its log, and its closing line into the sum
report() {
	local run=${run_name[$1]} out=$log/test-${run_name[$1]}.log line status took result=failed
	local number=$1
	status=$(cat "$out.status" 2>/dev/null || echo unknown)
	took=$(seconds "$run")
	line=$(grep -axE "$summary" "$out" | tail -n 1)
	[ "$status" != hung ] || line=''
	echo "== $run: ${line:-no result}$(awk -v name="$run" \
		'$3 == name { printf " (%d s, CPUs %d s)", $1, $2 }' "$times")"
	grep -avE "^$summary\$|^PASS |^    (ok |#  RUN |# +OK )" "$out" || true
	if [ -f "$out.unsteady" ]; then
		line=$(grep -axE "$summary" "$out.4" | tail -n 1)
		! keep_unsteady "$1" || status=unsteady
	else
		grep -aE "^FAIL |:Expected " "$out" | cut -c -200 | sed "s|^|$run: |" >>"$failures" || true
	fi
	# shellcheck disable=SC2086
	set -- ${line//,/}
	if [ $# -ne 6 ]; then
		fail "$run: no result, exit status $status"
	else
		passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
		if [ "$status" = 0 ] && [ "$3" -eq 0 ]; then
			result=passed
			[ "${run_part[number]}" = races ] || edited "$number" ||
				remember "${run_key[number]}" "$run" "$took" "$1" "$5"
		elif [ "$3" -eq 0 ] && [ "$status" != unsteady ] && [ ! -f "$out.unsteady" ]; then
			fail "$run: exit status $status"
		fi
	fi
	[ $result = passed ] || rm -f "$marks/passed/${run_key[$number]}"
	note_last "$run" $result "$took"
}

# report_ended: report, in the order in which they were started, the runs that are over
report_ended() {
	while [ ${#running[@]} -gt 0 ] && [ -f "$log/test-${run_name[${running[0]}]}.log.status" ]; do
		report "${running[0]}"
		running=("${running[@]:1}")
	done
}

left=()
# leave_out NUMBER: for want of time, which must not happen twice in a row
leave_out() {
	local run=${run_name[$1]}
	last "$run"
	if [ "$last_result" = left ]; then
		fail "$run: left out for time, as it was the last time"
	else
		skipped=$((skipped + 1))
	fi
	left+=("$run")
	note_last "$run" left
}

# run_all: always the first one whose builds are there
run_all() {
	local k next state there over
	while [ ${#todo[@]} -gt 0 ]; do
		next=
		look_at_builds
		for k in "${!todo[@]}"; do
			state "${todo[k]}"
			case $state in
			failed)
				note_last "${run_name[${todo[k]}]}" failed
				unset "todo[k]"
				continue ;;
			late) next=late ;;
			built) next=built ;;
			# Its builder is stopped when all that can run has ended.
			waits) [ "${run_order[${todo[k]}]}" -lt 0 ] || fits 0 || next=late ;;
			esac
			[ -z "$next" ] || break
		done
		end_hung
		report_ended
		if [ "$next" = built ] && [ "${run_order[${todo[k]}]}" -ge 0 ] && ! fits "$(estimate "${todo[k]}")"; then
			next=late
		fi
		if [ "$next" = late ]; then
			leave_out "${todo[k]}"
			unset "todo[k]"
		elif [ "$next" = built ] && free "${run_threads[${todo[k]}]}"; then
			start "${todo[k]}"
			unset "todo[k]"
		elif [ ${#todo[@]} -gt 0 ]; then
			sleep 0.2
		fi
	done
	while [ ${#running[@]} -gt 0 ]; do
		end_hung
		report_ended
		[ ${#running[@]} -eq 0 ] || sleep 0.2
	done
}

# dearest: the runs, builds and test programs that took most
dearest() {
	local run
	{
		awk '{ print $2, $3 }' "$times"
		while read -r _ _ run; do
			[ ! -f "$log/test-$run.log" ] || sed -nE "s,^(root|user) [^ ]* ([^ ]*): .* CPUs ([0-9.]+) s\$,\3 $run: \2," \
				"$log/test-$run.log"
		done <"$times"
	} | sort -rn | head -n 20 | awk '{ $1 = sprintf("%7d ", $1); print }'
}
