#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# witness.sh [CPU...] - stock perf_events counts on the bench's PMUs
#
# Boots the kernel of `make kernel', and of `make kernel ARCH=i386' for the CPUs that
# are 32 bits wide, on each CPU and runs witness.c there; and, on a 64-bit
# one, perf of the Debian package linux-perf if the host has it.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$top/build/witness
mkdir -p "$out"
[ $# -gt 0 ] || set -- core2duo Nehalem Skylake-Client Icelake-Server phenom Opteron_G1 Opteron_G5 \
	EPYC EPYC-Milan,perfmon-v2=on nocona pentium2 pentium3 pentium4 athlon coreduo
for bits in 32 64; do
	gcc -m$bits -O2 -Wall -Wextra -static -o "$out/witness$bits" "$top/selftests/qemu/witness.c"
done
cat >"$out/perf.sh" <<'END'
cd /tmp
perf stat -x, -e cycles:u,instructions:u -o stat "$1" >/dev/null
awk -F, '/:u/ && $1 > 20000000 && $1 < 21000000 { n++ }
	END { print n == 2 ? "PASS perf stat" : "FAIL perf stat" }' stat
perf record -q -e instructions:u -c 100000 -o data "$1" >/dev/null
perf report -i data --stdio -n 2>/dev/null | awk '/loop|main/ { n += $2 }
	END { print n >= 200 && n <= 202 ? "PASS perf record" : "FAIL perf record: " n }'
END

passed=0 failed=0
for cpu; do
	bits=64 arch=x86_64
	case $cpu in
	pentium* | athlon | coreduo) bits=32 arch=i386 ;;
	esac
	command="dmesg | sed -n 's/.*Performance Events: /# /p'; $out/witness$bits"
	if [ $bits = 64 ] && [ -x /usr/bin/perf ]; then
		command+="; sh $out/perf.sh $out/witness$bits"
	fi
	ARCH=$arch CPU=$cpu "$top/scripts/guest" sh -c "$command" >"$out/log" 2>&1 ||
		echo "# exit status $?" >>"$out/log"
	sed "s/^\(PASS\|FAIL\) /\1 $cpu: /" "$out/log"
	good=$(grep -c ^PASS "$out/log") || true
	bad=$(grep -c ^FAIL "$out/log") || true
	[ "$good" -ge 8 ] || bad=$((bad + 1))
	passed=$((passed + good)) failed=$((failed + bad))
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
