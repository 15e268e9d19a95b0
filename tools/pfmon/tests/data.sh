# SPDX-License-Identifier: GPL-2.0-only
#
# What pfmon report makes of data files whose contents are known, since datafile.py
# wrote them: to be sourced by run.sh.
#
# shellcheck shell=sh disable=SC2154,SC2034

# That datafile.py knows.
formats="default double aggregate callchain calldouble callaggregate"

# craft OPTION...: such a file, $tmp/data
craft()
{
	/usr/bin/python3 "$tests/datafile.py" "$@" "$tmp/data"
}

# how FORMAT: the words that print $tmp/data: as a report by calls, or all of it
how()
{
	case $1 in
	script) echo script ;;
	pprof) echo report -f pprof ;;
	*) echo report -b process,chain -f "$1" ;;
	esac
}

# instructions FORMAT: that it takes
instructions()
{
	# shellcheck disable=SC2046 # words
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$PFMON" $(how "$1") \
		-i "$tmp/data" -o "$tmp/report" 2>&1 | sed -n 's/.*Collected : //p'
}

# costs FORMAT: KiB that it takes at most, and milliseconds of CPU time
costs()
{
	# shellcheck disable=SC2046 # words
	/usr/bin/python3 - "$PFMON" $(how "$1") -i "$tmp/data" -o "$tmp/report" <<-'END'
	import resource, subprocess, sys
	subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL)
	used = resource.getrusage(resource.RUSAGE_CHILDREN)
	print(used.ru_maxrss, round(1000 * (used.ru_utime + used.ru_stime)))
	END
}

# memory FORMAT: the first of these
memory()
{
	costs "$1" | cut -d ' ' -f 1
}

# instructions_each FORMAT: for a sample, the first file had 4,000 fewer
instructions_each()
{
	echo $((($(instructions "$1") - $(cat "$tmp/instructions.$1")) / 4000))
}

# A report of a million samples takes at most 2 s of a CPU (it takes 0.2), and 200 MB (8).
# Samples of 40 calls each in a process of 5,000 mappings, where none is like the last: the
# same, which is 1 s at 5,300 instructions for a sample (i386: 8,400). Memory is for places,
# not for samples.
test_speed()
{
	craft --samples 1000000 --mixed --format callchain --frames 10 --maps 1000 --places 1000
	for f in text json svg folded pprof; do
		read -r kib ms <<-END
			$(costs $f)
		END
		check "a million samples, $f: $kib KiB" [ "$kib" -lt 200000 ]
		check "a million samples, $f: $ms ms" [ "$ms" -lt 2000 ]
		[ $f != json ] || expect "a million samples" "$(json samples)" 1000000
	done
	large="--format callchain --frames 40 --maps 5000 --places 1000"
	# shellcheck disable=SC2086 # words
	craft --samples 10000 $large
	for f in text json svg folded pprof script; do
		memory "$f" >"$tmp/memory.$f"
	done
	# shellcheck disable=SC2086 # words
	craft --samples 30000 $large
	for f in text json svg folded pprof script; do
		kib=$(memory "$f")
		check "speed, $f: $kib KiB" [ "$kib" -lt 100000 ]
		check "speed, $f: $kib KiB are not for samples" \
			[ "$kib" -lt $(($(cat "$tmp/memory.$f") + 4000)) ]
	done
	if ! valgrind --tool=none -q "$PFMON" report --help >/dev/null 2>&1; then
		skip "$arch: valgrind is not there: the instructions of reports are not counted"
		return
	fi
	counts="text json svg folded pprof script"
	# shellcheck disable=SC2086 # words
	craft --samples 2000 $large --places 100
	for f in $counts; do
		instructions "$f" >"$tmp/instructions.$f"
	done
	# shellcheck disable=SC2086 # words
	craft --samples 6000 $large --places 100
	for f in $counts; do
		each=$(instructions_each $f)
		case $f in
		pprof) most=20000 ;;
		script) most=160000 ;;	# each call is a line
		*) most=12000 ;;
		esac
		# Addresses have 64 bits on machines of 32, too.
		[ "$arch" != i386 ] || most=$((most + most / 5))
		check "speed, $f: $each instructions for a sample" \
			[ "$each" -gt 0 -a "$each" -lt $most ]
	done
}

# Ten million samples without calls take 17 MB and 0.7 s of a CPU, as text. Here it is a hundred
# thousand more: 600 instructions for each (script: 7,700, most to print it), and no memory.
test_many_samples()
{
	if ! valgrind --tool=none -q "$PFMON" report --help >/dev/null 2>&1; then
		skip "$arch: valgrind is not there: the instructions of many samples are not counted"
		return
	fi
	for n in 50000 150000; do
		craft --samples $n --mixed --places 2000 --maps 100
		for f in text script; do
			instructions $f >"$tmp/instructions.$f.$n"
		done
		memory text >"$tmp/memory.$n"
	done
	for f in text script; do
		each=$((($(cat "$tmp/instructions.$f.150000") -
			$(cat "$tmp/instructions.$f.50000")) / 100000))
		most=1500
		[ $f = text ] || most=16000
		check "many samples, $f: $each instructions for each" \
			[ "$each" -gt 0 -a "$each" -lt $most ]
	done
	kib=$(($(cat "$tmp/memory.150000") - $(cat "$tmp/memory.50000")))
	check "many samples: $kib KiB more" [ "$kib" -lt 1000 ]
}

# inclusive FILE FUNCTION: instructions of it and of what it calls, as callgrind counted them
inclusive()
{
	callgrind_annotate --auto=no --inclusive=yes --threshold=100 "$1" |
		sed -n "s/^ *\([0-9,]*\) .*:$2 .*/\1/p" | head -n 1 | tr -d ,
}

# record_each NAME FUNCTIONS ARGUMENT...: instructions of these for each of 30,000 samples, to
# $each. Looks at what a process has mapped are not among them: how many there are is a matter of
# time. One or two of these come before and after the samples, so $each may be a little less.
record_each()
{
	name=$1 functions=$2 each=0
	shift 2
	rm -f "$tmp/data"* "$tmp/callgrind".*
	FAKE_SAMPLES=30000 FAKE_DOUBLE=1 FAKE_CPUS=1 valgrind --tool=callgrind \
		--callgrind-out-file="$tmp/callgrind.%p" "$PFMON" record --no-names -b 64K \
		"$@" -o "$tmp/data" 2>"$tmp/said" &
	pfmon=$!
	# The last half of the buffer is not full.
	until [ "$(cat "$tmp"/data.* 2>/dev/null | wc -c)" -gt $((28000 * 40)) ]; do
		kill -0 $pfmon || break
		sleep 0.1
	done
	kill -TERM $pfmon
	wait $pfmon
	report -f json
	expect "record, $name: samples" "$(json samples)" 30000
	for part in $functions; do
		n=$(inclusive "$tmp/callgrind.$pfmon" $part)
		check "record, $name: $part is counted" [ "${n:-0}" -gt 30000 ]
		each=$((each + ${n:-0}))
	done
	for part in pfm_restart images_glance; do
		n=$(inclusive "$tmp/callgrind.$pfmon" $part)
		each=$((each - ${n:-0}))
	done
	each=$((each / 30000))
	rm -f "$tmp/callgrind".*
}

# A sample of a thread is copied with the half that it is in, and written, and no more is
# done with it: 50 instructions, of which 40 copy its 40 bytes. A report takes it apart. Of one of
# a CPU the process is looked at, too, where it is in the buffer: 20 more.
test_record_speed()
{
	if ! valgrind --tool=none -q "$PFMON" report --help >/dev/null 2>&1; then
		skip "$arch: valgrind is not there: the instructions of record are not counted"
		return
	fi
	sleep 1000 &
	sleeper=$!
	record_each "a thread" sampler_overflow -p $sleeper
	kill $sleeper
		check "record: $each instructions for a sample" [ "$each" -lt 90 ]
	record_each "a CPU" "sampler_overflow sampler_look" -a
		check "record -a: $each instructions for a sample" [ "$each" -lt 100 ]
}

# Processes that execute one program after the other, as shells do in loops: a sample finds
# its own without a look at all of them, wherever it is. A program takes 4,400 instructions.
test_execs()
{
	if ! valgrind --tool=none -q "$PFMON" report --help >/dev/null 2>&1; then
		skip "$arch: valgrind is not there: the instructions of many execs are not counted"
		return
	fi
	for n in 1000 5000; do
		craft --execs $n --samples 30000
		instructions text >"$tmp/instructions.$n"
	done
	each=$((($(cat "$tmp/instructions.5000") - $(cat "$tmp/instructions.1000")) / 20000))
	check "execs: $each instructions for each" [ "$each" -gt 0 -a "$each" -lt 9000 ]
	report -f json -b process,symbol
	expect "execs: samples" "$(json samples)" 30000
	expect "execs: of the code that is made" "$(awk -F '"samples": ' \
		'/"made"/ { n += $2 } END { print n + 0 }' "$tmp/report")" 2
}

# pprof_is NAME OPTION...: a report as pprof says what one as JSON says.
pprof_is()
{
	name=$1
	shift
	report -f json -b process,thread,cpu,binary,symbol "$@"
	cp "$tmp/report" "$tmp/json"
	report -f pprof -o "$tmp/pprof" "$@"
	expect "pprof, $name: status" "$status" 0
	check "pprof, $name: as JSON" /usr/bin/python3 "$tests/pprof.py" "$tmp/pprof" "$tmp/json"
}

test_pprof()
{
	if ! command -v protoc >/dev/null; then
		skip "protoc is not installed: the files for pprof are not checked"
		return
	fi
	for f in $formats; do
		craft --format $f --samples 3000 --frames 5
		pprof_is "$f"
		pprof_is "$f, a part" --binary 'lib[12].so' --thread 101
	done
	craft --hostile
	pprof_is "hostile names"

	# A program with symbols and a build ID, sampled three times at each of its calls.
	in_hot
	FAKE_SAMPLES=1000
	export FAKE_SAMPLES
	record -c 1000000 -R 0 -r minor-faults "$VICTIM" hot 1
	unset FAKE_SAMPLES FAKE_IPS
	pprof_is "a program"
	/usr/bin/python3 "$tests/pprof.py" "$tmp/pprof" >"$tmp/pprof.text"
	if [ "$(od -An -tx1 -N2 "$tmp/pprof")" = " 1f 8b" ]; then
		check "pprof: compressed" gzip -t "$tmp/pprof"
	else
		skip "$arch: built without zlib: files for pprof are not compressed"
	fi
	report
	if has_symbols; then
		expect "pprof: samples, time, readings, who and where" \
			"$(sed -n '1s/ victim [0-9]* 0 [^ ]* / victim TID 0 ID /p' "$tmp/pprof.text")" \
			"600 600000000 $((600 * 289)) victim TID 0 ID $VICTIM hot_60"
	fi
	report -f pprof
	for args in "-b process" "-n 3" "-m 1"; do
		# shellcheck disable=SC2086 # words
		report -f pprof -o "$tmp/pprof" $args
		expect "pprof with $args: status" "$status" 125
	done
}

# All that is printed is what its format allows, whatever the names are.
test_hostile()
{
	craft --hostile
	report -f json
	check "hostile names: JSON" /usr/bin/python3 -c \
		'import json, sys; json.load(open(sys.argv[1], encoding="utf-8"))' "$tmp/report"
	report -f svg
	check "hostile names: SVG, and names that are cut say so" /usr/bin/python3 -c '
import sys, xml.etree.ElementTree as xml
cut = 0
for frame in xml.parse(sys.argv[1]).iterfind(".//{*}g[@role=\"listitem\"]"):
    title, label = (frame.findtext("{*}" + tag, default="") for tag in ("title", "text"))
    name = title.rpartition(": ")[0]
    assert not label or label == name or (label.endswith("…") and name.startswith(label[:-1])), label
    cut += label not in ("", name)
assert cut' "$tmp/report"
	for f in text folded script; do
		if [ $f = script ]; then
			"$PFMON" script -i "$tmp/data" >"$tmp/report" 2>"$tmp/err"
		else
			report -f $f
		fi
		check "hostile names: $f is text" /usr/bin/python3 -c '
import sys
text = open(sys.argv[1], encoding="utf-8", newline="").read()
bad = {c for c in text if not (c in "\n\t\ud7ff" or c.isprintable())}
assert not bad, bad
assert text.count("\n") > 9
' "$tmp/report"
	done
	# Each line is frames, and a number behind the last blank.
	report -f folded -b process,thread,cpu,binary,symbol,address
	expect "hostile names: folded has six frames" \
		"$(grep -Evc '^([^;]*;){5}[^;]* [0-9]+$' "$tmp/report")" 0
}

# Files of machines of the other byte order, and of older and later versions of pfmon:
# the same reports.
test_order()
{
	# More than script reads at a time.
	for args in "--format default" "--format callchain --frames 3 --order big"; do
		# shellcheck disable=SC2086 # words
		craft --mixed --samples 40000 $args
		"$PFMON" script -i "$tmp/data" >"$tmp/report" 2>"$tmp/err"
		expect "order, script, $args: by time" \
			"$(sed -n 's/.* \([0-9]*\)\.\([0-9]*\): .*/\1\2/p' "$tmp/report" | awk '
				$1 != 1000000 + NR - 1 { wrong++ }
				END { print NR, wrong + 0 }')" "40000 0"
	done
	for f in $formats; do
		for by in process,thread,cpu,binary,symbol,address process,chain; do
			craft --format $f --samples 2000 --frames 6
			report -f json -b $by
			cp "$tmp/report" "$tmp/little"
			cp "$tmp/err" "$tmp/said"
			expect "order, $f: samples" "$(json samples)" 2000
			expect "order, $f: lost" "$(lost samples) $(lost estimated)" "3 4"
			while read -r args; do
				# shellcheck disable=SC2086 # words
				craft --format $f --samples 2000 --frames 6 $args
				report -f json -b $by
				check "order, $f by $by, $args" cmp "$tmp/report" "$tmp/little"
				check "order, $f, $args: says the same" cmp "$tmp/err" "$tmp/said"
			done <<-END
				--order big
				--minor 2
				--order big --minor 2
				--more 8
				--order big --more 800 --minor 9
			END
		done
	done
	craft --order big --more 4096
	report
	expect_err "order, too large a header" "data: damaged header"
	craft --order big --format callchain
	cp "$tmp/data" "$tmp/whole"
	for cut in 3 171 1000 60000; do
		head -c -$cut "$tmp/whole" >"$tmp/data"
		report
		expect "order, cut off: status" "$status" 0
		check "order, cut off" grep -q '^ note: the file is truncated after' "$tmp/report"
	done

	# Symbols of a file that was recorded elsewhere: if it is the same one.
	find_places
	ip=$(sed -n 's/^hot_60 \([^ ]*\) .*/\1/p' "$tmp/where")
	# In the segment that is executed.
	offset=$(readelf -lW "$VICTIM" | while read -r type at addr _ _ _ flags; do
		case $type$flags in
		LOADR\ E*) echo $((ip - addr + at)) ;;
		esac
	done)
	id=$(readelf -n "$VICTIM" | sed -n 's/^ *Build ID: //p')
	craft --samples 1 --map "$ip" "$offset" "$VICTIM" --build-id "$id"
	report
	has_symbols || return 0
	for args in "--order big" "--order big --minor 2" "--minor 2"; do
		# shellcheck disable=SC2086 # words
		craft $args --samples 1 --map "$ip" "$offset" "$VICTIM" --build-id "$id"
		report -b symbol
		check "recorded elsewhere, $args: names" grep -q '  hot_60$' "$tmp/report"
		# shellcheck disable=SC2086 # words
		craft $args --samples 1 --map "$ip" "$offset" "$VICTIM" --build-id 12"$id"
		report -b symbol
		check "recorded elsewhere, $args: another file" grep -q '  \[changed\]$' "$tmp/report"
	done
}

# switches: files of a rotated recording that are complete
switches()
{
	find "$tmp/rot" -name 'data.*' ! -name 'data.*.*' | sort
}

# rotate_by_signal N OPTION...: record into $tmp/rot, with N switches; sleeps until it is ended
rotate_by_signal()
{
	n=$1
	shift
	rm -rf "$tmp/rot" "$tmp/begun"
	mkdir "$tmp/rot"
	# With the command its contexts are there, and have samples.
	"$PFMON" record -o "$tmp/rot/data" -e cs --no-names --switch-output=signal "$@" \
		sh -c 'echo >"$0"; exec sleep 1000' "$tmp/begun" 2>"$tmp/err" &
	pfmon=$!
	until_true [ -e "$tmp/begun" ]
	while [ $n -gt 0 ]; do
		last=$(switches | tail -n 1)
		kill -USR2 $pfmon
		until [ "$(switches | tail -n 1)" != "$last" ] || ! kill -0 $pfmon; do
			sleep 0.1
		done
		n=$((n - 1))
	done
	kill -TERM $pfmon
	wait $pfmon
}

# Each file of a rotated recording can be read by itself, and has what was sampled before its
# end and nothing else; of a process, and of CPUs.
test_rotated_files()
{
	packed=-z
	! "$PFMON" record -z -o "$tmp/data" true 2>&1 | grep -q 'without zstd' || packed=
	for what in "" -a $packed; do
		# shellcheck disable=SC2086 # words
		rotate_by_signal 2 $what
		samples=10
		[ "$what" != -a ] || samples=$((10 * cpus))
		expect "rotated, $what: files" "$(switches | grep -c .)" 3
		for file in $(switches); do
			"$PFMON" report -i "$file" -f json >"$tmp/report" 2>"$tmp/err2"
			expect "rotated, $what, ${file##*.}: status" $? 0
			expect "rotated, $what, ${file##*.}: samples" "$(json samples)" $samples
			expect "rotated, $what, ${file##*.}: samples at its end" \
				"$(tail -c 16 "$file" | od -An -tu8 -N8 | tr -d ' ')" $samples
			check "rotated, $what, ${file##*.}: it is whole" \
				sh -c "! '$PFMON' report -i '$file' 2>&1 | grep 'truncated\|damaged'"
			# There are no others.
			samples=0
		done
	done
	rotate_by_signal 3 --switch-max-files 2
	expect "rotated, two are kept" "$(switches | grep -c .)" 2
	check "rotated, two are kept: of how many" grep -q '^4 files, ' "$tmp/err"
	rm -rf "$tmp/rot" "$tmp/begun"
}

# No room for the next file: what was recorded before is whole, and it is said.
test_rotated_full()
{
	mkdir -p "$tmp/rot"
	if ! unshare -m mount -t tmpfs none "$tmp/rot" 2>/dev/null; then
		skip "no file system can be mounted here: rotation on a full one"
		return
	fi
	# One for the directory, and one for the file.
	unshare -m sh -c '
		mount -t tmpfs -o nr_inodes=2 none "$2" && cd "$2" || exit 1
		"$1" record -o data -e cs --no-names --switch-output=signal \
			sh -c "echo >\"$3/begun\"; exec sleep 1000" 2>"$3/err" &
		pfmon=$!
		until [ -e "$3/begun" ]; do sleep 0.1; done
		kill -USR2 $pfmon
		until grep -q "cannot switch from" "$3/err" || ! kill -0 $pfmon; do sleep 0.1; done
		kill -TERM $pfmon
		wait $pfmon
		echo $? >"$3/status"
		"$1" report -i data.* -f json' sh "$PFMON" "$tmp/rot" "$tmp" >"$tmp/report" 2>"$tmp/err2"
	expect "rotated, no room: what was before" "$(json samples)" 10
	expect_err "rotated, no room" "cannot switch from .*data\.[0-9]* to the next file: No space left"
	check "rotated, no room: no other file is named" sh -c "! grep 'what was written' '$tmp/err'"
	check "rotated, no room: the status" [ "$(cat "$tmp/status")" -ne 0 ]
	rm -rf "$tmp/rot" "$tmp/begun"
}

# said_of FILE WORD...: what pfmon prints of a recording, without its name
said_of()
{
	of=$1
	shift
	"$PFMON" "$@" -i "$of" 2>&1 | sed "s,$of,FILE,g"
}

# Compressed recordings: the same reports as of others, also of what is left of one, and of
# machines of the other byte order; nothing is there without zstd.
test_compressed()
{
	PFMON=$tmp/nozstd
	ln -sf "$O/$arch/tools/pfmon/tests/pfmon-nozstd" "$PFMON"
	refused "-z without zstd" "this pfmon was built without zstd" -z true
	craft --compressed
	for what in "report -i" "script -i" "annotate -i" "archive -i" "diff $tmp/data"; do
		# shellcheck disable=SC2086 # words
		"$PFMON" $what "$tmp/data" >"$tmp/out" 2>"$tmp/err"
		expect "without zstd, $what: status" $? 125
		expect_err "without zstd, $what" "data: is compressed, and this pfmon was built without zstd"
	done
	PFMON=$tmp/bin/pfmon
	if "$PFMON" report -i "$tmp/data" 2>&1 >"$tmp/report" | grep -q 'without zstd'; then
		skip "$arch: built without zstd: compressed recordings"
		return
	fi
	refused "a level that is none" "'g' is not a level of compression" -zg true
	refused "too high a level" "'23' is not a level of compression" --compress=23 true
	for f in $formats; do
		for args in "" "--order big" "--more 24" "--order big --more 800 --minor 9"; do
			# shellcheck disable=SC2086 # words
			set -- --format $f --samples 5000 --frames 6 --mixed $args
			craft "$@"
			mv "$tmp/data" "$tmp/plain"
			craft "$@" --compressed
			for how in "report -b process,chain -f json" script; do
				# shellcheck disable=SC2086 # words
				expect "compressed, $f, $args, $how" \
					"$(said_of "$tmp/data" $how | cksum)" "$(said_of "$tmp/plain" $how | cksum)"
			done
		done
	done
	"$PFMON" report -f pprof -i "$tmp/data" -o "$tmp/one"
	"$PFMON" report -f pprof -i "$tmp/plain" -o "$tmp/two"
	check "compressed: pprof" cmp "$tmp/one" "$tmp/two"
	"$PFMON" diff "$tmp/plain" "$tmp/data" >"$tmp/out" 2>&1
	expect "compressed: diff with the same" $? 0
	check "compressed: from a pipe" sh -c "'$PFMON' report -i - <'$tmp/data' | grep -q '5,000 samples'"

	in_hot
	FAKE_SAMPLES=3000
	export FAKE_SAMPLES
	for level in -z -z1 -z9 --compress --compress=19 --compression-level=3; do
		record $level -b 256K "$VICTIM" hot 1
		expect "record $level: status" "$status" 0
		report -f json
		expect "record $level: samples" "$(json samples)" 3000
		size=$(sed -n 's/.* \([0-9,]*\) bytes$/\1/p' "$tmp/said" | tr -d ,)
		expect "record $level: bytes" "$(wc -c <"$tmp/data" | tr -d ' ')" "$size"
		check "record $level: it is smaller: $size" [ "$size" -lt 60000 ]
		check "record $level: how much" grep -q \
			'^ note: [0-9,]* bytes of records are compressed to [0-9,]*$' "$tmp/said"
	done
	"$PFMON" record -z -o - -b 1M "$VICTIM" hot 1 2>"$tmp/err" |
		"$PFMON" report -i - -f json >"$tmp/report" 2>"$tmp/err2"
	expect "record -z -o -: samples" "$(json samples)" 3000
	FAKE_SAMPLES=20000
	# Time enough for several blocks, unless pfmon has to wait for a CPU.
	for seconds in 1 4 16; do
		record -z -b 256K -- sleep $seconds
		report -f json
		[ "$(json samples)" -lt 20000 ] || break
	done
	unset FAKE_SAMPLES FAKE_IPS
	cp "$tmp/data" "$tmp/whole"
	# A file that is cut, or has one wrong byte: what is before that is there.
	size=$(wc -c <"$tmp/whole" | tr -d ' ')
	for cut in 3 171 $((size / 2)); do
		head -c -$cut "$tmp/whole" >"$tmp/data"
		report
		expect "compressed, cut off by $cut: status" "$status" 0
		check "compressed, cut off by $cut" grep -q '^ note: the file is truncated after [0-9]* bytes' "$tmp/report"
		after=$(sed -n 's/^ note: the file is truncated after \([0-9]*\) .*/\1/p' "$tmp/report")
		check "compressed, cut off by $cut: after $after of $size" \
			[ "${after:-$size}" -le $((size - cut)) ]
		[ $cut != 171 ] || check "compressed, cut off by $cut: samples" grep -Eq ': [1-9][0-9,]* samples' "$tmp/report"
	done
	cp "$tmp/whole" "$tmp/data"
	printf x | dd of="$tmp/data" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
	report
	check "compressed, a wrong byte" grep -q '^ note: the file is damaged after [0-9]* bytes' "$tmp/report"
	rm -f "$tmp/plain" "$tmp/whole" "$tmp/one" "$tmp/two"
}

# What PowerPC has recorded, where its program is: the names of its functions, call by call,
# and where the kernel was. What cannot be read is said, and is nowhere.
test_powerpc()
{
	id=00112233445566778899aabbccddeeff00112233
	resolved=yes
	craft --samples 1 --map 0x10001000 0x1000 "$VICTIM" --build-id $id
	report
	if ! has_symbols; then
		skip "$arch: built without libdw: calls of PowerPC"
		resolved=
	fi
	for machine in "32 big 0xc00000" "64 big 0xc0000000000000" \
		"64 little 0xc0000000000000"; do
		# shellcheck disable=SC2086 # words
		set -- $machine
		craft --program "$1" --order "$2" --build-id $id
		mv "$tmp/data" "$tmp/program"
		expect "powerpc, $machine: build ID" \
			"$(readelf -n "$tmp/program" | sed -n 's/^ *Build ID: //p')" $id
		for f in callchain calldouble callaggregate; do
			# A call may be the last instruction of a function.
			craft --format $f --order "$2" --samples 0 --kernel-base "${3}00" \
				--kernel-calls "${3}10,${3}20" \
				--map 0x10001000 0x1000 "$tmp/program" --build-id $id \
				--calls 0x10001080,0x10001090
			report -b process,address -f folded
			expect "powerpc, $machine, $f: where" "$(cat "$tmp/report")" \
				"crafted;${3}10 1"
			[ -n "$resolved" ] || continue
			report -f folded
			expect "powerpc, $machine, $f: calls" "$(cat "$tmp/report")" \
				"crafted;outer;middle;leaf;[kernel];[kernel] 1"
		done
	done
	craft --format callchain --order big --samples 0 --map 0x10001000 0x1000 "$tmp/program" \
		--kernel-calls 0xc000000000000010 --calls 0x10001080,0x10001090
	cp "$tmp/data" "$tmp/whole"
	while read -r from to what; do
		/usr/bin/python3 - "$from" "$to" "$tmp/whole" "$tmp/data" <<-'END'
		import sys
		old, new = (bytes.fromhex(word) for word in sys.argv[1:3])
		data = open(sys.argv[3], "rb").read()
		assert data.count(old) == 1 and len(old) == len(new)
		open(sys.argv[4], "wb").write(data.replace(old, new))
		END
		report -f folded
		expect "powerpc, $what: status" "$status" 0
		expect "powerpc, $what: no calls" "$(cat "$tmp/report")" ""
		report
		check "powerpc: $what" grep -q "^ note: .*$what" "$tmp/report"
	done <<-END
		000200010003 00020001ffff 1 blocks of samples are damaged
		b0324930cddc4540 b0324930cddc4541 is not known: 1 blocks
	END
}

# A big-endian program of PowerPC of 64 bits: what it has for an address is a descriptor's.
test_descriptors()
{
	id=00112233445566778899aabbccddeeff00112233
	if ! echo 'int first(void) { return 1; } int second(void) { return 2; }' |
		powerpc64-linux-gnu-gcc -O0 -mabi=elfv1 -nostdlib -static -Wl,-e,first \
			-Wl,--build-id=0x$id -xc - -o "$tmp/program" 2>/dev/null; then
		skip "no powerpc64-linux-gnu-gcc: functions with descriptors"
		return
	fi
	# The second function in the first segment, which begins with the file.
	ip=$(($(powerpc64-linux-gnu-objdump -d "$tmp/program" |
		sed -n 's/^0*\([0-9a-f]*\) <\.*second>:$/0x\1/p')))
	craft --order big --samples 1 --map $ip $((ip & 0xffff)) "$tmp/program" --build-id $id
	report -b symbol
	has_symbols || return 0
	check "a function with a descriptor" grep -q '  second$' "$tmp/report"
}

# stacks_are NAME: the calls of datafile.py's samples with stacks, out to main() and inward
stacks_are()
{
	report -f folded
	expect "$1: status" "$status" 0
	expect "$1: whole stacks" "$(grep -c '^crafted;_start;.*;main;mid;aaa 1$' "$tmp/report")" 1
	expect "$1: in the kernel" "$(grep -c '^crafted;_start;.*;main;mid;aaa;\[kernel\] 1$' "$tmp/report")" 1
	# Nothing of a stack, and not even registers.
	expect "$1: without a stack" "$(sed -n 's/^crafted;[^;]* //p' "$tmp/report")" 2
	# What is of another machine, or not all there, has the calls of the kernel's record.
	expect "$1: of others" "$(sed -n 's/^crafted;[^;]*;[^;]* //p' "$tmp/report" | sort -n | tail -n 1)" 2
	for what in "stacks were larger than what was kept of them: 1;" "stacks of another kind of machine"; do
		check "$1: $what" grep -q "$what" "$tmp/err"
	done
}

# Stacks of a program without frame pointers, in each view that has calls; then the file has
# call frame information that does harm, and is gone.
test_stacks()
{
	id=0102030405060708
	if ! cp "$O/$arch/tools/pfmon/tests/frames" "$tmp/frames" || ! "$tmp/frames" >"$tmp/frames.txt"; then
		skip "$arch: no program with a stack"
		return
	fi
	craft --stacks "$tmp/frames.txt" --build-id $id
	ln -sf "$O/$arch/tools/pfmon/tests/pfmon-nodw" "$PFMON"
	report -f folded
	ln -sf "$O/$arch/tools/pfmon/tests/pfmon-fake" "$PFMON"
	check "stacks without libdw" grep -q "built without libdw: stacks are not unwound" "$tmp/err"
	report -f folded
	if grep -q "built without libdw" "$tmp/err"; then
		skip "$arch: built without libdw: stacks are not unwound"
		return
	fi
	craft --stacks "$tmp/frames.txt" --build-id $id --order big
	stacks_are "stacks, of another byte order"
	craft --stacks "$tmp/frames.txt" --build-id $id
	stacks_are "stacks"
	"$PFMON" script -i "$tmp/data" >"$tmp/out" 2>"$tmp/err"
	check "stacks: script, remark" grep -q "some stacks were larger" "$tmp/err"
	expect "stacks: script" "$(sed -n 's/^\t *[0-9a-f]* \([a-z_]*\)+.*/\1/p' "$tmp/out" | paste -sd ' ' |
		grep -o 'aaa mid main __libc_start' | grep -c .)" 2
	report --children -b symbol -f json
	check "stacks: --children" grep -q '"total_samples": 2, .*"symbol": "mid"' "$tmp/report"
	report --calls mid -f json
	check "stacks: --calls" grep -q '"function": "mid", "relation": "callee", "other": "aaa"' "$tmp/report"
	report -f tree
	check "stacks: tree" grep -q ' mid$' "$tmp/report"
	report -f pprof
	check "stacks: pprof" sh -c "gzip -dc '$tmp/report' | grep -aq mid"
	cp "$tmp/frames" "$tmp/kept"
	if $CC -m32 -O2 -fomit-frame-pointer -static -no-pie -Wl,--build-id=0x$id "$tests/frames.c" \
		-o "$tmp/frames" 2>"$tmp/err" && "$tmp/frames" >"$tmp/frames32.txt"; then
		craft --stacks "$tmp/frames32.txt" --build-id $id
		stacks_are "stacks of 32 bits"
	else
		skip "$arch: no program of 32 bits, or not for this kernel: stacks of 32 bits"
	fi
	cp "$tmp/kept" "$tmp/frames"
	craft --stacks "$tmp/frames.txt" --build-id $id
	/usr/bin/python3 - "$tmp/frames" "$tmp/kept" "$PFMON" "$tmp/data" >"$tmp/out" 2>&1 <<-'END'
		import os, random, struct, subprocess, sys
		to, kept, pfmon, data = sys.argv[1:]
		whole = open(kept, "rb").read()
		st = os.stat(to)
		lines = subprocess.run(["readelf", "-SW", kept], stdout=subprocess.PIPE, check=True)
		at = [line.replace(b"[ ", b"[").split() for line in lines.stdout.splitlines()
		      if b" .eh_frame " in line][0]
		at, size = int(at[4], 16), int(at[5], 16)
		rnd = random.Random(1)
		reached = 0
		for i in range(60):
		    part = bytearray(whole)
		    for _ in range(1 << i % 12):
		        part[at + rnd.randrange(size)] = rnd.choice((rnd.randrange(256), 0x0a, 0x0f, 0xff))
		    with open(to, "wb") as f:
		        f.write(part)
		    os.utime(to, ns=(st.st_atime_ns, st.st_mtime_ns))
		    done = subprocess.run([pfmon, "report", "-i", data, "-f", "folded"],
		                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
		    if done.returncode or b"crafted;" not in done.stdout:
		        sys.exit("%d: %d %r" % (i, done.returncode, done.stderr))
		    reached += b";main;" in done.stdout
		print("reached" if 0 < reached < 60 else reached)
	END
	expect "stacks: harmful call frame information" "$(cat "$tmp/out")" reached
	rm "$tmp/frames"
	report -f folded
	expect "stacks of a file that is gone" "$(grep -c mid "$tmp/report")" 0
	expect "stacks of a file that is gone: where they are" \
		"$(awk '{ n += $NF } END { print n }' "$tmp/report")" 6
}

# Samples of a rate weigh what their periods were, whatever the file says of them.
test_data_rate()
{
	craft --samples 4 --places 4 --rate 1000 --periods 10,20,30,940
	report -b thread
	check "rate: heading" grep -q \
		": 4 samples of cycles, 1,000 a second, one each 250 on average; " "$tmp/report"
	expect "rate: the rows" "$(awk '/^ percent/ { rows = 1; next }
		!NF { rows = 0 } rows { print $1 * 1 }' "$tmp/report" | tr '\n' ' ')" "95 3 2 "
	report -b thread -f json
	expect "rate: events" "$(json frequency) $(json period) $(json events)" "1000 250 1000"
	expect "rate: of each row" "$(sed -n 's/^{"percent".*"events": \([0-9]*\).*/\1/p' \
		"$tmp/report" | tr '\n' ' ')" "950 30 20 "
	report -b thread -f folded
	expect "rate: folded" "$(sed 's/.* //' "$tmp/report" | tr '\n' ' ')" "950 30 20 "
	report -b thread -f svg
	expect "rate: widths" "$(grep -c 'sample.*, 95.00%' "$tmp/report")" 1
	"$PFMON" script -i "$tmp/data" >"$tmp/script"
	expect "rate: script" "$(awk '{ print $(NF - 4) }' "$tmp/script" | tr '\n' ' ')" \
		"10 20 30 940 "
	cp "$tmp/report" "$tmp/little"
	craft --samples 4 --places 4 --rate 1000 --periods 10,20,30,940 --order big
	report -b thread -f svg
	check "rate: the other byte order" cmp "$tmp/report" "$tmp/little"
	# As a reader has to take what it does not know.
	for periods in 0 0,0,7 0xffffffffffffffff 0xffffffffffffffff,0,1 \
		0x8000000000000000,0x7fffffffffffffff,3; do
		craft --samples 1000 --places 10 --rate 4294967295 --periods $periods
		for f in text json folded svg pprof; do
			report -f $f
			expect "periods of $periods, $f: status" "$status" 0
		done
		report -f json
		check "periods of $periods: JSON" python3 -c '
import json, sys
p = json.load(open(sys.argv[1]))
rows = [row["percent"] for row in p["rows"]]
assert p["samples"] == 1000 and all(0 <= x <= 100 for x in rows), rows
assert p["events"] and p["period"], p' "$tmp/report"
		report -f svg -b address
		check "periods of $periods: SVG" python3 -c '
import re, sys
text = open(sys.argv[1]).read()
wide = [float(x) for x in re.findall("<rect x=\"[0-9.]*\" y=\"[0-9.]*\" width=\"([^\"]*)\"", text)]
assert wide and all(0 <= x <= 1200 for x in wide), wide' "$tmp/report"
		"$PFMON" script -i "$tmp/data" >"$tmp/script"
		expect "periods of $periods: script" "$(wc -l <"$tmp/script")" 1000
	done
	craft --samples 0 --rate 1000
	report
	check "rate of no samples: heading" grep -q ": 0 samples of cycles, 1,000 a second; about 7 lost; " "$tmp/report"
	craft --samples 4 --rate 0
	report
	expect_err "no rate at all" "data: has no events"
}

# Input that nobody would write, always the same, with sanitizers. make fuzzer finds more.
test_fuzz()
{
	flags=$("$top/scripts/machine" cc "$arch" | sed 's/^[^ ]*//')
	# shellcheck disable=SC2086 # words
	if ! echo 'int main(void) { return 0; }' |
		$CC $flags -fsanitize=address,undefined -xc -o "$tmp/probe" - 2>/dev/null; then
		skip "$arch: $CC has no sanitizers: nothing is fuzzed"
		return
	fi
	if ! make -s -C "$dir" ARCH="$arch" O="$O/$arch" CC="$CC" V="${V:-0}" fuzz \
		>"$tmp/build" 2>&1; then
		fail "$arch: fuzz: $(grep -m 5 -i -e error -e 'cannot find' "$tmp/build")"
		return
	fi
	CC=$CC "$tests/fuzz-seeds" "$tmp/seeds"
	if ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
		"$O/$arch/tools/pfmon/tests/fuzz" 40000 1 "$tmp"/seeds/* >"$tmp/out" 2>"$tmp/err"; then
		check "fuzz: data files were read" grep -q '^40000 inputs, [1-9]' "$tmp/out"
		check "fuzz: frames were applied" grep -q ' [1-9][0-9]* callers,' "$tmp/out"
		check "fuzz: programs were read" grep -Eq ', ([1-9][0-9]* symbols|no libdw)$' "$tmp/out"
	else
		fail "fuzz: $(head -n 40 "$tmp/err")"
	fi
	rm -rf "$tmp/seeds"
	if [ "$arch" != "$("$top/scripts/machine" --runs | cut -d " " -f 1)" ]; then
		:
	elif ! command -v clang >/dev/null; then
		skip "clang is not installed: libFuzzer does not run"
	elif make -s -C "$dir" ARCH="$arch" O="$O/$arch" CC="$CC" V="${V:-0}" FUZZ_RUNS=20000 \
		CORPUS="$tmp/corpus" fuzzer-run >"$tmp/out" 2>&1; then
		check "libFuzzer: inputs" grep -q '^stat::number_of_executed_units: *20000$' "$tmp/out"
	else
		fail "libFuzzer: $(grep -v '^INFO\|^#\|NEW_' "$tmp/out" | head -n 40)"
	fi
}
