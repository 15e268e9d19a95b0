#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# witness.sh [CPU...] - stock perf_events counts on the bench's PMUs
#
# Boots the kernel of `make kernel', and of `make kernel ARCH=i386' for the CPUs that
# are 32 bits wide, on each CPU and runs witness.c there; and, on a 64-bit
# one, perf of the Debian package linux-perf, without which that fails.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- core2duo Nehalem Skylake-Client Icelake-Server-v3 phenom Opteron_G1 Opteron_G3 \
	EPYC EPYC-Milan,perfmon-v2=on nocona pentium2 pentium3 pentium4 athlon coreduo
# Two of us may be at work.
out=$top/build/witness/$1
mkdir -p "$out"
for bits in 32 64; do
	gcc -m$bits -O2 -Wall -Wextra -static -o "$out/witness$bits" "$top/selftests/qemu/witness.c"
done
cat >"$out/perf.sh" <<'EOF'
cd /tmp
perf stat -x, -e cycles:u,instructions:u -o stat "$1" alone
awk -F, '/:u/ && $1 > 20000000 && $1 < 20100000 { n++ }
	END { print (n == 2 ? "PASS" : "FAIL") " perf stat" }' stat
perf record -q -e instructions:u -c 100000 -o data "$1" alone
perf report -i data --stdio -n 2>/dev/null | awk '/witness/ { n += $2 }
	END { print (n == 200 ? "PASS" : "FAIL") " perf record: " n " samples" }'
EOF

passed=0 failed=0
for cpu; do
	bits=64 arch=x86_64
	case $cpu in
	pentium* | athlon | coreduo) bits=32 arch=i386 ;;
	esac
	command="dmesg | sed -n 's/.*Performance Events: /# /p'; $out/witness$bits"
	least=8
	case $cpu in
	pentium4 | nocona) command+=" warm" least=3 ;;
	*) [ $bits = 32 ] || command+="; sh $out/perf.sh $out/witness$bits" least=10 ;;
	esac
	# perf_events throttles by the clock: let that be the one of instructions.
	ARCH=$arch CPU=$cpu CPUS=1 QEMU_ARGS="-icount shift=0,sleep=off" \
		"$top/scripts/guest" sh -c "$command" >"$out/log" 2>&1 ||
		echo "# exit status $?" >>"$out/log"
	sed "s/^\(PASS\|FAIL\) /\1 $cpu: /" "$out/log"
	good=$(grep -c ^PASS "$out/log") || true
	bad=$(grep -c ^FAIL "$out/log") || true
	if [ "$good" -lt $least ]; then
		echo "FAIL $cpu: only $good of $least passed"
		bad=$((bad + 1))
	fi
	passed=$((passed + good)) failed=$((failed + bad))
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
