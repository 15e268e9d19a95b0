# SPDX-License-Identifier: GPL-2.0-only
#
# What goes wrong around pfmon: disks that are full, numbers that belong to another process
# by now, threads that become another program. To be sourced by guest.sh, whose root it needs.
#
# shellcheck shell=sh disable=SC2154,SC2034

# small_disk: a file system of 256 KiB at $tmp/small, until no_disk
small_disk()
{
	mkdir "$tmp/small"
	if ! mount -t tmpfs -o size=256k none "$tmp/small" 2>"$tmp/err"; then
		skip "nothing can be mounted here: full disks"
		return 1
	fi
}

no_disk()
{
	umount "$tmp/small"
	rmdir "$tmp/small"
}

# fill_disk: until there is no room for one page more
fill_disk()
{
	cat /dev/zero >>"$tmp/small/fill" 2>/dev/null
}

# left_over: the file that the last error says has what was written
left_over()
{
	sed -n 's/.*what was written is in \(.*\): No space.*/\1/p' "$tmp/err"
}

# More samples than the disk takes: those that there are can be read, and nothing that was
# there before is lost.
test_full_disk()
{
	small_disk || return
	# Faults, not the clock: each program has some, however fast the CPU is.
	"$PFMON" record -o "$tmp/small/data" -e minor-faults -c 1 true 2>/dev/null
	cp "$tmp/small/data" "$tmp/earlier"
	# While a full buffer waits for pfmon there are no samples: until there were enough.
	for pages in 20000 80000 320000; do
		"$PFMON" record -o "$tmp/small/data" -b 64K -e minor-faults -c 1 "$VICTIM" \
			touch $pages 2>"$tmp/err"
		status=$?
		[ $status -ne 125 ] || break
		mv "$tmp/small/data.old" "$tmp/small/data"
	done
	expect "full disk, samples: status" "$status" 125
	check "full disk, samples: $(cat "$tmp/err")" grep -q \
		'^pfmon: cannot write .*/small/data; what was written is in .*: No space left' "$tmp/err"
	check "full disk, samples: the earlier ones are there" cmp "$tmp/small/data" "$tmp/earlier"
	left=$(left_over)
	"$PFMON" report -i "${left:-none}" -f json >"$tmp/report" 2>"$tmp/err"
	expect "full disk, samples: what was written can be read" $? 0
	expect "full disk, samples: it is not complete" "$(json complete)" false
	check "full disk, samples: there are some" [ "$(json samples)" -gt 100 ]
	rm -f "$left"

	for what in text json csv openmetrics; do
		echo before >"$tmp/small/counts"
		fill_disk
		"$PFMON" stat -f $what -o "$tmp/small/counts" true 2>"$tmp/err"
		expect "full disk, $what: status" $? 125
		check "full disk, $what: $(cat "$tmp/err")" grep -q \
			'^pfmon: cannot write the counts; what was written is in .*: No space' "$tmp/err"
		expect "full disk, $what: what was there" "$(cat "$tmp/small/counts")" before
		rm -f "$(left_over)" "$tmp/small/fill"
	done
	for what in text json folded svg pprof; do
		fill_disk
		"$PFMON" report -i "$tmp/earlier" -f $what -o "$tmp/small/counts" 2>"$tmp/err"
		expect "full disk, report as $what: status" $? 125
		check "full disk, report as $what: $(cat "$tmp/err")" grep -q \
			'^pfmon: cannot write .*; what was written is in .*: No space' "$tmp/err"
		expect "full disk, report as $what: what was there" \
			"$(cat "$tmp/small/counts")" before
		rm -f "$(left_over)" "$tmp/small/fill"
	done
	expect "full disk: nothing else is left" "$(ls "$tmp/small" | tr '\n' ' ')" "counts data "
	no_disk
}

# A disk that is full for a moment: the metrics are old ones until it is not.
test_full_meanwhile()
{
	small_disk || return
	: >"$tmp/err"
	"$PFMON" stat -I 20 -f openmetrics -o "$tmp/small/metrics" -e cs -C 0 2>"$tmp/err" &
	pid=$!
	check "full meanwhile: metrics" until_true grep -q '^# EOF$' "$tmp/small/metrics"
	# The place of those before is free again each time.
	until_true sh -c "cat /dev/zero >>'$tmp/small/fill'
		grep -q 'small/metrics: No space left' '$tmp/err'" 2>/dev/null
	check "full meanwhile: it is said" grep -q 'small/metrics: No space left' "$tmp/err"
	check "full meanwhile: the old ones are whole" grep -q '^# EOF$' "$tmp/small/metrics"
	check "full meanwhile: pfmon goes on" kill -0 $pid
	rm -f "$tmp/small/fill" "$tmp/small/metrics"
	check "full meanwhile: new ones" until_true grep -q '^# EOF$' "$tmp/small/metrics"
	kill -TERM $pid
	wait $pid
	expect "full meanwhile: status" $? 143
	check "full meanwhile: the last ones are whole" grep -q '^# EOF$' "$tmp/small/metrics"
	expect "full meanwhile: nothing is left" "$(ls "$tmp/small" | tr '\n' ' ')" "metrics "
	no_disk
}

# intervals N: has pfmon printed so many?
intervals()
{
	[ "$(grep -c from_ns "$tmp/json")" -ge "$1" ]
}

# The number of a process that was counted is given to another one, which is not.
test_number_again()
{
	# As few numbers as there can be: they come round soon.
	numbers=$(cat /proc/sys/kernel/pid_max)
	if ! echo 400 2>/dev/null >/proc/sys/kernel/pid_max; then
		skip "numbers of processes cannot be limited here: one that is used again"
		return
	fi
	sleep 1000 &
	first=$!
	# When they come round, the kernel leaves the first 300 out.
	while [ $first -lt 300 ]; do
		kill $first
		wait $first 2>/dev/null
		sleep 1000 &
		first=$!
	done
	start_hold 0
	: >"$tmp/json"
	"$PFMON" stat -I 20 -j -e minor-faults --no-inherit -p "$first,$hold" 9>&- 2>"$tmp/json" &
	pid=$!
	until_true intervals 2
	kill $first
	wait $first 2>/dev/null
	again=
	for _ in $(seq 2000); do
		"$VICTIM" wait >"$tmp/out" 9>&- &
		again=$!
		[ $again -ne $first ] || break
		kill -KILL $again
		wait $again 2>/dev/null
	done
	echo "$numbers" >/proc/sys/kernel/pid_max
	expect "number again: it was given again" "$again" "$first"
	# It is looked for threads that are new at each of them.
	seen=$(grep -c from_ns "$tmp/json")
	check "number again: pfmon looks" until_true intervals $((seen + 5))
	kill -KILL $again
	wait $again 2>/dev/null
	stop_hold
	wait $pid
	expect "number again: status" $? 0
	expect "number again: threads" "$(field threads | tail -n 1)" 2
}

# A thread that is not the first becomes the program: it has the first one's number then.
test_exec_late()
{
	for how in stat record; do
		mkfifo "$tmp/go"
		"$VICTIM" exec-thread 3000 late <"$tmp/go" >/dev/null &
		late=$!
		exec 8>"$tmp/go"
		until_true sh -c "[ \$(ls /proc/$late/task | wc -l) -eq 2 ]"
		rm -f "$tmp"/data*
		if [ $how = stat ]; then
			"$PFMON" stat -j -o "$tmp/json" -e minor-faults --no-inherit -p $late 8>&- \
				2>"$tmp/err" &
		else
			"$PFMON" record -o "$tmp/data" -b 512K -e minor-faults -c 1 -p $late \
				8>&- 2>"$tmp/err" &
		fi
		pid=$!
		# The threads have a context each; or, as a tree, there is one for each CPU.
		[ $how = record ] || until_true started $pid 2
		until_true samples $pid
		echo >&8
		exec 8>&-
		wait $late
		wait $pid
		expect "exec by a thread that is counted, $how: status" $? 0
		if [ $how = stat ]; then
			faults=$(value minor-faults)
			expect "exec by a thread that is counted: missed" "$(field missed)" 0
		else
			report -f json --by process
			faults=$(json samples)
			expect "exec by a thread that is sampled: lost" "$(lost samples) $(lost estimated)" "0 0"
		fi
		between "exec by a thread that is counted, $how: faults" "$faults" 3000 3400
		rm -f "$tmp/go"
	done
}

trouble='full_disk full_meanwhile number_again exec_late'
