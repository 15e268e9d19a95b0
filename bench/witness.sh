#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# witness.sh [CPU...] - stock perf_events counts on the bench's PMUs
#
# Boots the plain kernel of $ARCH on each CPU (on all that its fragment in
# scripts/config names, if none is) and runs witness.c there; and, if it is the host's
# architecture, perf of the Debian package linux-perf, without which that fails. On PowerPC
# of 32 bits witness_spr.c has the kernel's files of registers count, too: on 750 and 7400,
# for which there is no perf_events, alone.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
machine=$top/scripts/machine
ARCH=${ARCH:-$("$machine" --host)}
export ARCH
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $("$machine" witness_cpus "$ARCH")
# Two of us may be at work.
out=$top/build/witness/$ARCH-$1
mkdir -p "$out"
read -ra cc <<<"$("$machine" cc "$ARCH")"
programs=witness
[ "$ARCH" != ppc ] || programs+=" witness_spr"
for program in $programs; do
	"${cc[@]}" -O2 -Wall -Wextra -static -o "$out/$program" "$top/bench/$program.c"
done
pmis=$(awk '$2 == "BENCH_MSR_PMIS" { print $3 }' "$top/bench/bench-msr.h")
cat >"$out/perf.sh" <<'EOF'
cd /tmp
pmis=$2
perf stat -x, -e cycles:u,instructions:u -o stat "$1" alone
awk -F, '/:u/ && $1 > 20000000 && $1 < 20100000 { n++ }
	END { print (n == 2 ? "PASS" : "FAIL") " perf stat" }' stat
# How many interrupts the model has raised: each is a sample. On a busy host perf record has
# been seen to write the first records twice, up to its first look at the buffer: 244 records
# for 200 interrupts, the first 44 in pairs of one time. Interrupts are as many nanoseconds
# apart as instructions, so that two samples never have one time, and times are counted.
interrupts() {
	dd if=/dev/cpu/0/msr bs=8 count=1 iflag=skip_bytes skip=$((pmis)) 2>/dev/null | od -An -td8
}
before=$(interrupts)
perf record -q -e instructions:u -c 100000 -o data "$1" alone
raised=$(($(interrupts) - before))
perf script -i data --ns -F comm,time 2>/dev/null | grep witness >times
samples=$(sort -u times | wc -l)
result=PASS
[ "$samples" -eq 200 ] || result=FAIL
[ "$samples" -eq "$(wc -l <times)" ] && [ $result = PASS ] ||
	perf script -i data -D 2>/dev/null | grep -a PERF_RECORD_ | sed 's/^/# /'
echo "$result perf record: $samples samples, $raised interrupts"
EOF

# shellcheck source=../lib/tests/tally.sh
. "$top/lib/tests/tally.sh"
for cpu; do
	command="dmesg | sed -n 's/.*Performance Events: /# /p'; $out/witness"
	least=8
	case $ARCH-$cpu in
	*-pentium4 | *-nocona) command+=" warm" least=3 ;;
	ppc-74[45]*) command+="; $out/witness_spr" least=31 ;;
	ppc-*) command=$out/witness_spr least=20 ;;
	*) [ "$ARCH" != "$("$machine" --host)" ] || command+="; sh $out/perf.sh $out/witness $pmis" least=10 ;;
	esac
	# perf_events throttles by the clock: let that be the one of instructions.
	CPU=$cpu CPUS=1 QEMU_ARGS="-icount shift=0,sleep=off" \
		"$top/scripts/guest" sh -c "$command" >"$out/log" 2>&1 ||
		echo "# exit status $?" >>"$out/log"
	sed "s/^\(PASS\|FAIL\) /\1 $cpu: /" "$out/log"
	good=$(grep -c ^PASS "$out/log") || true
	bad=$(grep -c ^FAIL "$out/log") || true
	if [ "$good" -lt $least ]; then
		echo "FAIL $cpu: only $good of $least passed"
		bad=$((bad + 1))
	fi
	count "$good" "$bad"
done
tally
