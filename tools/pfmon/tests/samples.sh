# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2086,SC2154 # variables of guest.sh; words
#
# What is sampled, in programs of known truth, for guest.sh.

# Modules are recorded with their build IDs, as they are when the recording begins.
test_modules()
{
	if ! grep -q '^pfm_double .* Live 0x' /proc/modules; then
		skip "the format double is no module here: modules in data files"
		return
	fi
	record -e minor-faults -c 1 true
	check "a module is recorded" grep -q pfm_double "$tmp/data"
	report
	if ! has_symbols; then
		skip "this pfmon was built without libdw: build IDs of modules"
		return
	fi
	tail -c 20 /sys/module/pfm_double/notes/.note.gnu.build-id >"$tmp/id"
	expect "a module is recorded: its build ID" \
		"$(od -An -v -tx1 "$tmp/data" | tr -d ' \n' |
			grep -c "14000000........$(od -An -v -tx1 "$tmp/id" | tr -d ' \n')")" 1
}

# The kernel's sampling formats, to $formats: those that are modules are inserted
# from where its build has left them.
find_formats()
{
	formats=
	for format in default double aggregate callchain calldouble callaggregate; do
		module=$PERFMON_KERNEL/kernel/perfmon/formats/$format/pfm_$format.ko
		if [ -d $sysfs/formats/$format ] ||
			"$VICTIM" insmod $module 2>"$tmp/err"; then
			formats="$formats $format"
		else
			skip "the format $format is not there: $(cat "$tmp/err")"
		fi
	done
}

# have FORMAT
have()
{
	case " $formats " in
	*" $1 "*) return 0 ;;
	*) return 1 ;;
	esac
}

# counted NAME: what the kernel counted from sample to sample, all rows together.
counted()
{
	awk -v key="\"$1\": " 'i = index($0, key) {
		if (index($0, "{\"percent\"") == 1)
			n += substr($0, i + length(key)) + 0
	} END { printf "%.0f", n }' "$tmp/report"
}

# enough PATTERN COMMAND...: record the hot functions by a command that ends with
# the milliseconds, one second or more, until there are samples enough to judge
# by in rows that match. How many there are in a second depends on how often a
# CPU that is emulated gets a real one: on a busy host a dozen instead of 1000.
enough()
{
	pattern=$1
	shift
	for ms in 1000 4000 16000; do
		"$@" $ms
		report -f json --by process,address
		hits hot "$pattern"
		[ $((n_60 + n_30 + n_10)) -lt 200 ] || break
	done
}

# fair NAME: of the samples of the last hits, each function has as many as its
# name says, give or take five standard deviations for so many samples and two
# percent for what the functions do not share equally.
fair()
{
	check "$1: $n_60, $n_30 and $n_10 of $n_all samples are not 60:30:10" \
		awk -v a="$n_60" -v b="$n_30" -v c="$n_10" '
		function off(got, p) {
			d = got - p * n
			d = (d < 0 ? -d : d) - n / 50
			return d > 0 && d * d > 25 * n * p * (1 - p)
		}
		BEGIN {
			n = a + b + c
			exit n < 50 || off(a, .6) || off(b, .3) || off(c, .1)
		}'
}

# symbol_percent NAME: of all samples, without the fraction.
symbol_percent()
{
	report -f folded --by symbol
	awk -v name="$1" '{ n = $NF; all += n } $1 == name { sum += n }
		END { printf "%d", all ? sum * 100 / all : 0 }' "$tmp/report"
}

# Of a clock a sample comes when the period is over, or later.
no_more_than_counted()
{
	check "$1: $(json samples) samples of $3 in $(counted "$2")" \
		[ $(($(json samples) * $3)) -le "$(counted "$2")" ]
}

test_hot()
{
	find_places
	# Room for all samples: while a full buffer waits for pfmon the clock is not counted.
	enough "" record -R 0 -c 1000000 -b 1M -r task-clock "$VICTIM" hot
	expect "hot: status" "$status" 0
	fair "hot"
	# The rest of it is the beginning, and looks at the clock.
	check "hot: the program is in these functions" \
		[ $((4 * (n_60 + n_30 + n_10))) -ge $((3 * n_all)) ]
	no_more_than_counted "hot" task-clock 1000000
	between "hot: ms until the last sample" $(($(counted task-clock) / 1000000)) \
		$((ms / 2)) $(($(json elapsed_ns) / 1000000 + 1))
	report
	if has_symbols; then
		between "hot: percent in the symbol" "$(symbol_percent hot_60)" \
			$((n_60 * 100 / n_all)) $((n_60 * 100 / n_all))
		report --by symbol --format svg
		check "hot: flame graph" grep -q '<title>hot_60: ' "$tmp/report"
	else
		skip "this pfmon was built without libdw: symbols"
	fi
	enough "" record -R 0 -F 4000 -r task-clock "$VICTIM" hot
	fair "hot, 4000 Hz"
	no_more_than_counted "hot, 4000 Hz" task-clock 250000
}

test_hot_formats()
{
	find_places
	for format in $formats; do
		# Room for all that come once the host is idle; aggregates take less.
		room=4M
		[ $format != aggregate ] || room=256K
		enough "" record -f $format -b $room "$VICTIM" hot
		expect "hot, $format: status" "$status" 0
		fair "hot, $format"
		check "hot, $format: nothing lost" grep -q ' samples, 0 lost, ' "$tmp/said"
		enough '"victim"' record -f $format -C all "$VICTIM" hot
		expect "hot, $format, -C: status" "$status" 0
		fair "hot, $format, -C"
	done
}

test_hot_fork()
{
	find_places
	enough "" record "$VICTIM" hot-fork 4
	fair "hot, four processes"
	enough '"victim"' record sh -c "'$VICTIM' hot \$0 & '$VICTIM' hot \$0; wait"
	fair "hot, two at a time"
}

test_hot_process()
{
	find_places
	"$VICTIM" hot 600000 &
	hot=$!
	until_true grep -q hot "/proc/$hot/cmdline"
	enough "" record -p $hot -- "$VICTIM" nap
	kill $hot
	wait $hot 2>/dev/null
	expect "hot, -p: status" "$status" 0
	fair "hot, -p"
}

test_hot_cpus()
{
	find_places
	dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	other=$!
	enough '"victim"' record -R 0 -c 1000000 -r task-clock -C all "$VICTIM" hot
	kill $other
	wait $other 2>/dev/null
	expect "hot, -C: status" "$status" 0
	fair "hot, -C"
	no_more_than_counted "hot, -C" task-clock 1000000
	report --by process --format folded
	check "hot, -C: and of somebody else" grep -q '^dd ' "$tmp/report"
}

user_record()
{
	user record -o "$tmp/user/data" "$@"
	cp "$tmp/user/data" "$tmp/data"
}

# His own program; what he records is for him alone.
test_hot_user()
{
	find_places
	chmod 755 "$tmp"
	mkdir -m 777 "$tmp/user"
	enough "" user_record "$VICTIM" hot
	fair "hot, as a user"
	user record -o "$tmp/user/data" "$VICTIM" hot 10
	expect "hot, as a user: status" "$status" 0
	user report -i "$tmp/user/data" -f json --by process,address
	expect "hot, as a user: report" "$status" 0
	if have callchain; then
		enough "" user_record -f callchain "$VICTIM" hot
		fair "chains, as a user"
		report --by binary -f folded
		expect "chains, as a user: none of the kernel" \
			"$(grep -c "^\[kernel\]" "$tmp/report")" 0
	fi
	# A buffer is locked memory, of which a user may have some.
	# shellcheck disable=SC3045 # the shells that we have know it
	(ulimit -l 16 && user record -o "$tmp/user/data" "$VICTIM" hot 10
	exit "$status")
	expect "hot, as a user without locked memory: status" $? 125
	expect_err "hot, as a user without locked memory" "there is not enough memory"
	user record -o "$tmp/user/data" -p $$ true
	expect "record as a user, another's process: status" "$status" 125
	expect_err "record as a user, another's process" "it may not be traced: it is of another user (UID 0)$"
}

# In the kernel: dd of single bytes is there most of the time.
test_hot_kernel()
{
	if ! grep -q '^0*[1-9a-f][0-9a-f]* [tT] ' /proc/kallsyms 2>/dev/null; then
		skip "/proc/kallsyms shows nothing: symbols of the kernel"
		return
	fi
	format=callchain
	have $format || format=default
	for blocks in 300000 3000000; do
		record -f $format dd if=/dev/zero of=/dev/null bs=1 count=$blocks
		report --by binary --format folded
		n=$(sed -n 's/^\[kernel\] //p' "$tmp/report")
		[ "${n:-0}" -lt 100 ] || break
	done
	between "kernel: samples" "${n:-0}" 50 1000000
	report --by binary,symbol --format folded
	unknown=$(sed -n 's/^\[kernel\];\[unknown\] //p' "$tmp/report")
	between "kernel: samples without a symbol" "${unknown:-0}" 0 $((n / 20 + 2))
	# From a system call of the program down to a function of the kernel.
	report -f folded
	[ $format = default ] || check "kernel: a chain through a system call" \
		grep -q '^dd;.*;ksys_\(read\|write\);' "$tmp/report"
	for format in aggregate callaggregate; do
		have $format || continue
		# An entry of callaggregate has the time of its first sample: that is
		# the shell's where dd is a part of the shell (busybox).
		dd=$(of_the_system dd)
		case $format,$(command -v "$dd") in
		callaggregate,[!/]*)
			skip "the shell becomes dd without execve(): samples of callaggregate"
			continue ;;
		esac
		# They are the program's, not what it was before.
		record -f $format sh -c "$dd if=/dev/zero of=/dev/null bs=1 count=300000; :"
		report --by process,binary --format folded
		n=$(sed -n 's/^dd;\[kernel\] //p' "$tmp/report")
		other=$(sed -n 's/^[^d][^;]*;\[kernel\] //p' "$tmp/report" |
			awk '{ n += $1 } END { print n + 0 }')
		check "kernel, $format: ${n:-0} of dd, $other of others" \
			[ "${n:-0}" -gt "$other" ]
	done
}

# callers: of the samples of the last record, how many have the same calls but for where they
# are, of the three chains that are the most frequent; and whether these differ in nothing but
# the function's caller.
callers()
{
	"$PFMON" script -i "$tmp/data" 2>"$tmp/err" | awk '
		/^\t/ { if (n++) line = line " " $1; next }
		/^$/ { print line; line = ""; n = 0 }' |
		sort | uniq -c | sort -rn | head -n 3 | awk '
		{ numbers = numbers $1 " "; $1 = $2 = ""; outer[$0] = 1 }
		END { for (o in outer) n += o ~ /[0-9a-f]/ ? 1 : 2; print numbers n }'
}

# Faults are counted where they happen: the chain is the one that is expected.
test_chains()
{
	have callchain || return 0
	for format in callchain calldouble; do
		have $format || continue
		record -f $format -b 512K -e minor-faults -c 1 "$VICTIM" pattern 100
		expect "chains, $format: callers" "$(callers)" "600 300 100 1"
	done
	for format in calldouble callaggregate; do
		have $format || continue
		record -f $format -b 512K -e minor-faults -c 1 "$VICTIM" pattern 100
		expect "chains, $format: status" "$status" 0
		report
		has_symbols || continue
		report -f folded
		for pair in 60:600 30:300 10:100; do
			expect "chains, $format: of fault_${pair%:*}" "$(sed -n \
				"s/^victim;.*;main;.*do_pattern;fault_${pair%:*} //p" \
				"$tmp/report")" "${pair#*:}"
		done
	done
	record -f callchain -b 512K -e minor-faults -c 1 "$VICTIM" pattern 100
	expect "chains: status" "$status" 0
	report
	if ! has_symbols; then
		skip "this pfmon was built without libdw: chains of symbols"
		return
	fi
	report -f folded
	for pair in 60:600 30:300 10:100; do
		expect "chains: of fault_${pair%:*}" "$(sed -n \
			"s/^victim;.*;main;.*do_pattern;fault_${pair%:*} //p" \
			"$tmp/report")" "${pair#*:}"
	done
	report -f svg
	check "chains: a caller in the flame graph is as wide as its callees" \
		grep -q '<title>do_pattern: 1,000 samples, ' "$tmp/report"
	report -f json --by chain
	check "chains: JSON" grep -q '"samples": 600, "chain": \[.*"do_pattern", "fault_60"\]' \
		"$tmp/report"
	report -f folded --by symbol
	check "chains: where it is, without them" grep -q '^fault_30 300$' "$tmp/report"
}

# shares NAME PERCENT LEAST: of the samples of the last hits, of which there are so many at
# least, each function has what its name says, give or take so many percent of all three's.
shares()
{
	check "$1: $n_60, $n_30 and $n_10 samples are not 60:30:10 within $2 percent" \
		awk -v a="$n_60" -v b="$n_30" -v c="$n_10" -v percent="$2" -v least="$3" '
		function off(got, p) {
			d = got - p * n
			return (d < 0 ? -d : d) > n * percent / 100
		}
		BEGIN {
			n = a + b + c
			exit n < least || off(a, .6) || off(b, .3) || off(c, .1)
		}'
}

# What three functions do does not depend on time: faults, exactly, and instructions.
test_shares()
{
	find_places
	for format in $formats; do
		record -f $format -b 512K -e minor-faults -c 1 "$VICTIM" pattern 200
		report -f json --by process,address
		hits fault
		expect "shares of faults, $format" "$n_60 $n_30 $n_10" "1200 600 200"
	done
	if ! "$PFMON" info | grep -q '^  instructions '; then
		skip "shares of instructions: the PMU is '$(cat $sysfs/pmu_model)'"
		return
	fi
	for format in $formats; do
		# As in test_hot_formats.
		room=4M
		[ $format != aggregate ] || room=256K
		for ms in 200 800 3200; do
			record -f $format -b $room -e instructions:u -c 50021 -R 0 \
				"$VICTIM" hot $ms
			report -f json --by process,address
			hits hot
			[ $((n_60 + n_30 + n_10)) -lt 2000 ] || break
		done
		expect "shares of instructions, $format: status" "$status" 0
		check "shares of instructions, $format: nothing lost" \
			grep -q ' samples, 0 lost, ' "$tmp/said"
		shares "shares of instructions, $format" 1 1000
	done
}

# like_perf FILE: are these lines what programs that read perf script take for samples?
like_perf()
{
	awk '
	/^[^ \t].* +[0-9]+ \[[0-9]+\] +[0-9]+\.[0-9]+: +[0-9]+ [^ ]+: *$/ { chains++; next }
	/^ *[^ \t].* +[0-9]+ \[[0-9]+\] +[0-9]+\.[0-9]+: +[0-9]+ [^ ]+: +[0-9a-f]+ .* \(.*\)$/ { n++; next }
	/^\t *[0-9a-f]+ [^ ]+.* \(.*\)$/ { calls++; next }
	/^$/ { ends++; next }
	{ print; bad++ }
	END { exit bad || chains != ends || !(n + calls) }' "$1" >"$tmp/bad"
}

# The same program's samples as pfmon and as perf print them.
test_script()
{
	record -e minor-faults -c 1 "$VICTIM" pattern 100
	"$PFMON" script -i "$tmp/data" >"$tmp/script"
	check "script: lines" like_perf "$tmp/script"
	report
	if ! has_symbols; then
		skip "this pfmon was built without libdw: the symbols of script"
		return
	fi
	expect "script: samples" "$(grep -c 'fault_60+0x' "$tmp/script")" 600
	if have callchain; then
		record --call-graph fp -b 512K -e minor-faults -c 1 "$VICTIM" pattern 100
		"$PFMON" script -i "$tmp/data" --symbol fault_60 >"$tmp/script" 2>"$tmp/err"
		check "script: chains" like_perf "$tmp/script"
		expect "script: of each sample" "$(grep -c '^$' "$tmp/script")" 600
		expect "script: callers" "$(grep -c 'do_pattern+0x' "$tmp/script")" 600
		# What is called first is the last line.
		check "script: the innermost is first" sh -c \
			"sed -n 2p '$tmp/script' | grep -q 'fault_60+0x'"
	fi
	if ! command -v perf >/dev/null; then
		skip "there is no perf: its script is not compared"
		return
	fi
	for calls in "" -g; do
		# shellcheck disable=SC2086 # nothing or a word
		if ! perf record -q $calls -a -e minor-faults -c 1 -o "$tmp/perf" \
			"$VICTIM" pattern 100 >/dev/null 2>"$tmp/err"; then
			skip "perf cannot record here: its script is not compared"
			return
		fi
		perf script -i "$tmp/perf" >"$tmp/script" 2>/dev/null
		check "script: the pattern is that of perf $calls" like_perf "$tmp/script"
	done
}

# pfmon is stopped while a small buffer of the default format gets full: that is told, and
# counted.
test_lost()
{
	for ms in 1500 6000 24000; do
		record -f default -b 2K "$VICTIM" freeze 0 $ms
		report -f json --by process
		[ "$(json full)" -eq 0 ] || [ "$(json masked_ns)" -lt 500000000 ] || break
	done
	check "lost: the file is complete" [ "$(json complete)" = true ]
	between "lost: times that the buffer was full" "$(json full)" 1 1000
	between "lost: ms that it waited" $(($(json masked_ns) / 1000000)) 500 60000
	between "lost: by an estimate" "$(lost estimated)" 1 \
		$(($(json masked_ns) / 1000000 + 1))
	expect "lost: by the kernel's count" "$(lost samples)" 0
	check "lost: record says so" grep -Eq \
		'^[0-9,]+ samples, about [1-9][0-9,]* lost, ' "$tmp/said"
	check "lost: and why" grep -q '^ note: sampling stopped [0-9,]* times* for a full buffer' "$tmp/said"
	report
	check "lost: report says so" grep -q '; about [1-9][0-9,]* lost; ' "$tmp/report"

	# Enough room, and nobody who sleeps: nothing is lost.
	record "$VICTIM" hot 500
	check "nothing lost" grep -q ' samples, 0 lost, ' "$tmp/said"
}

# Too fast for the kernel: it stops sampling, which is told.
test_too_fast()
{
	limit=$(cat $sysfs/interrupts_max)
	for format in default double calldouble callaggregate; do
		have $format || continue
		# Stopped twice: so it went on after the first time.
		for ms in 1000 4000 16000; do
			echo 2 >$sysfs/interrupts_max
			record -f $format -b 256K -F 2000 "$VICTIM" hot $ms
			echo "$limit" >$sysfs/interrupts_max
			report -f json --by process
			[ "$(json throttled)" -lt 2 ] || break
		done
		between "too fast, $format: times that it was stopped" \
			"$(json throttled)" 2 1000000
		check "too fast, $format: record says so" grep -q \
			'^ note: sampling was too fast and was stopped ' "$tmp/said"
	done
}

# 25,600 faults at 256 places while pfmon is stopped, and its buffer has room
# for less: what there is and what is lost are all of them. The program has some
# faults before that, nearly as many each time.
test_lost_exactly()
{
	for format in double aggregate calldouble callaggregate; do
		have $format || continue
		small=4K
		case $format in
		calldouble) small=16K ;;
		callaggregate) small=64K ;;
		esac
		record -f $format -b 512K -e minor-faults -c 1 "$VICTIM" scatter 0
		report -f json --by process
		before=$(json samples)
		record -f $format -b $small -e minor-faults -c 1 "$VICTIM" freeze 100
		expect "lost, $format: status" "$status" 0
		report -f json --by process
		between "lost, $format: samples" "$(lost samples)" 1000 25600
		between "lost, $format: and those that are there" \
			$(($(lost samples) + $(json samples))) \
			$((25600 + before - 10)) $((25600 + before + 50))
		expect "lost, $format: nothing is estimated" "$(lost estimated)" 0
		check "lost, $format: record says so" grep -Eq \
			'^[0-9,]+ samples, [1-9][0-9,]* lost, ' "$tmp/said"
		if [ $format = calldouble ]; then
			report
			check "lost, $format: report says where" grep -Eq \
				'[1-9][0-9]* gaps? where samples were lost, ' "$tmp/report" "$tmp/err"
		fi
		# And while it reads and empties the buffer all the time.
		record -f $format -b $small -e minor-faults -c 1 "$VICTIM" scatter 200
		report -f json --by process
		between "lost meanwhile, $format: and those that are there" \
			$(($(lost samples) + $(json samples))) \
			$((51200 + before - 10)) $((51200 + before + 10))
	done
}

# Processes that are gone before anybody can look at them.
test_short_lived()
{
	record -e minor-faults -c 1 "$VICTIM" fork 50 50
	report --by process,binary --format folded
	unknown=$(sed -n 's/^victim;\[unknown\] //p' "$tmp/report")
	known=$(sed -n "s|^victim;$VICTIM ||p" "$tmp/report")
	between "short-lived: samples" "${known:-0}" 2500 10000
	between "short-lived: samples of nobody knows what" "${unknown:-0}" 0 20

	# Those that execute a program tell the kernel, which tells pfmon; but not
	# of the vDSO, by which 32-bit programs enter the kernel: no file.
	have callchain || return 0
	record -C all -f callchain -b 512K -e minor-faults -c 1 "$VICTIM" vfork 50 50
	report --by process,binary --format folded
	unknown=$(awk '/^(victim|pid [0-9]*);\[unknown\] / { n += $NF }
		END { print n + 0 }' "$tmp/report")
	known=$(sed -n "s|^victim;$VICTIM ||p" "$tmp/report")
	between "short-lived, -C: samples" "${known:-0}" 2500 10000
	between "short-lived, -C: samples of nobody knows what" "$unknown" 0 400
}

# One of the three functions has them all, whichever the first sample hit.
lockstep()
{
	[ "$n_60 $n_30 $n_10" = "$1 0 0" ] || [ "$n_60 $n_30 $n_10" = "0 $1 0" ] ||
		[ "$n_60 $n_30 $n_10" = "0 0 $1" ]
}

# Figure 3.20: ten faults a round, six in one function, three in the next and
# one in the last. A sample each twenty is always at the same place of a round: of a thread;
# a tree has a period on each CPU.
test_bias()
{
	find_places
	one_cpu=$(command -v taskset >/dev/null && echo taskset -c 0)
	for format in $formats; do
		record -f $format -b 512K -e minor-faults -c 20 -R 0 $one_cpu "$VICTIM" pattern 2000
		report -f json --by process,address
		hits fault
		check "bias, $format: $n_60, $n_30 and $n_10 with a fixed period" \
			lockstep 1000
		record -f $format -b 512K -e minor-faults -c 20 -R 0xf $one_cpu "$VICTIM" \
			pattern 2000
		report -f json --by process,address
		hits fault
		fair "bias, $format, periods from 5 to 20"
		# A mean period of 12.5, and five standard deviations.
		between "bias, $format: samples, random" $((n_60 + n_30 + n_10)) 1525 1675
	done
}

# Who asks for nothing gets periods that do not keep step: of a loop that divides the period,
# and of one that is as long. Twenty faults are two rounds.
test_default_periods()
{
	find_places
	for format in $formats; do
		record -f $format -b 512K -e minor-faults -c 20 "$VICTIM" pattern 16000
		report -f json --by process,address
		hits fault
		shares "periods as they come, faults, $format" 2 5000
		between "periods as they come, faults, $format: samples" $((n_60 + n_30 + n_10)) 7800 8400
	done
	for format in $formats; do
		case $format in *aggregate) continue ;; esac
		record -f $format -b 1M -e minor-faults -F 500 "$VICTIM" pattern 16000
		report -f json --by process,address
		hits fault
		fair "periods as they come, faults, $format, -F"
	done
	if ! "$PFMON" info | grep -q '^  instructions '; then
		skip "periods as they come: the PMU is '$(cat $sysfs/pmu_model)'"
		return
	fi
	stat -e instructions:u "$VICTIM" rounds 100 20000
	length=$(value instructions:u)
	stat -e instructions:u "$VICTIM" rounds 200 20000
	length=$((($(value instructions:u) - length + 50) / 100))
	record -b 512K -e instructions:u -c $length -R 0 "$VICTIM" rounds 1000 20000
	report -f json --by process,address
	hits hot
	check "a loop of $length instructions: $n_60, $n_30 and $n_10 with a fixed period" \
		[ $((100 * n_60 / (n_60 + n_30 + n_10 + 1) - 60)) -ne 0 ]
	for format in $formats; do
		room=1M
		[ $format != aggregate ] || room=256K
		record -f $format -b $room -e instructions:u -c $length "$VICTIM" rounds 8000 20000
		report -f json --by process,address
		hits hot
		shares "a loop of $length instructions, $format" 2 5000
	done
	# About as often as the loop is over.
	enough "" record -b 1M -e instructions:u -F 1000 "$VICTIM" hot
	fair "periods as they come, instructions, -F"
}

test_random()
{
	find_places
	enough "" record -F 2000 -R 0x3ffff -r task-clock "$VICTIM" hot
	fair "random periods"
	no_more_than_counted "random periods" task-clock $((500000 - 0x3ffff / 2))
}

# Faults at each sample of the task clock, and samples of faults.
test_readings()
{
	record -b 256K -c 100000 -R 0 -r minor-faults "$VICTIM" touch 20000
	report -f json --by process
	between "faults between samples" "$(counted minor-faults)" 1 20300
	# A fault's overflow is at the fault: what is counted is what is sampled.
	for format in default double callchain calldouble; do
		have $format || continue
		record -f $format -b 512K -e minor-faults -c 10 -r minor-faults \
			"$VICTIM" touch 20000
		report -f json --by process
		between "samples of faults, $format" "$(json samples)" 2000 2030
		expect "faults between samples of faults, $format" \
			"$(counted minor-faults)" $((10 * $(json samples)))
	done
	for format in aggregate callaggregate; do
		have $format || continue
		record -f $format -b 512K -e minor-faults -c 10 "$VICTIM" touch 20000
		report -f json --by process
		between "samples of faults, $format" "$(json samples)" 2000 2030
	done
	report
	if has_symbols; then
		between "samples of faults: percent in touch()" "$(symbol_percent touch)" 95 100
	else
		skip "this pfmon was built without libdw: symbols"
	fi
}

# rotated NAME EXTENT: the files $tmp/rot.* are recordings of $VICTIM; $n of them, $sum samples
rotated()
{
	n=0
	sum=0
	for data in "$tmp"/rot.*; do
		n=$((n + 1))
		"$PFMON" report -i "$data" -f json --by process >"$tmp/report" 2>"$tmp/err"
		sum=$((sum + $(json samples) + $(lost samples)))
		samples=$(json samples)
		"$PFMON" report -i "$data" >"$tmp/report" 2>"$tmp/err"
		check "$1, file $n: complete: $(cat "$tmp/err")" [ ! -s "$tmp/err" ]
		check "$1, file $n: the process" grep -q victim "$tmp/report"
		# In its first second a program may not have run.
		! has_symbols || [ "$samples" -lt 100 ] || check "$1, file $n: its function" grep -q " $2\$" "$tmp/report"
	done
}

# rotations: the files that are complete
rotations()
{
	find "$tmp" -name 'rot.*' ! -name 'rot.*.*' | wc -l
}

test_rotation()
{
	refused "many files on standard output" "standard output is one" \
		--switch-output -o - true
	refused "files of no size" "is not a size" --switch-output=0K true
	have double || return 0
	rm -f "$tmp"/rot.*
	"$PFMON" record -f double -b 32K --no-names -e minor-faults -c 10 -R 0 -o "$tmp/rot" \
		--switch-output=16K "$VICTIM" touch 20000 2>"$tmp/err"
	expect "rotated by size: status" $? 0
	rotated "rotated by size" touch
	between "rotated by size: files" $n 2 40
	between "rotated by size: samples of all files" $sum 2000 2030
	rm -f "$tmp"/rot.*
	"$PFMON" record -f double -b 32K --no-names -e minor-faults -c 10 -R 0 -o "$tmp/rot" \
		--switch-output=16K --switch-max-files=2 "$VICTIM" touch 20000 2>"$tmp/err"
	expect "rotated: the last two remain" "$(rotations)" 2
	for how in signal 1s; do
		rm -f "$tmp"/rot.*
		"$PFMON" record -b 4K -e task-clock -c 1000000 -o "$tmp/rot" --switch-output=$how \
			"$VICTIM" hot 100000 2>"$tmp/err" &
		pfmon=$!
		until [ -n "$(find "$tmp" -name 'rot.*.*')" ]; do
			kill -0 $pfmon || break
		done
		for files in 1 2; do
			# Samples of the program itself are in the file by then.
			until [ $how != signal ] ||
				[ -n "$(find "$tmp" -name 'rot.*.*' -size +32k)" ]; do
				kill -0 $pfmon || break
			done
			[ $how != signal ] || kill -USR2 $pfmon
			while [ "$(rotations)" -lt $files ]; do
				kill -0 $pfmon || break
			done
		done
		kill -TERM $pfmon
		wait $pfmon
		rotated "rotated by $how" hot_60
		between "rotated by $how: files" $n 3 1000
	done
}
