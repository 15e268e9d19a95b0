#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh QEMU OUT [TEST...] - the PMU models' own tests
#
# Builds the bare-metal programs of tests/ in OUT and runs them on QEMU, on every
# CPU that they are for, with instruction counting and without. A line a case, and
# the sum at the end.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
qemu=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- intel amd p6 p4 p5

cpus() {
	case $1 in
	intel) echo coreduo core2duo core2duo,perfmon-edx=off core2duo,vendor=CentaurHauls,model=25 \
		Nehalem Skylake-Client Icelake-Server ;;
	amd) echo athlon Opteron_G1 Opteron_G3 phenom Opteron_G5 EPYC EPYC-Milan,perfmon-v2=on ;;
	p6) echo pentium2 pentium3 ;;
	p4) echo pentium4 nocona ;;
	p5) echo pentium ;;
	esac
}

read -ra cc <<<"${CC:-gcc}"
cc+=(-m32 -march=i586 -O2 -Wall -Wextra -ffreestanding -fno-pic -no-pie -fno-stack-protector
	-mno-sse -mno-mmx -fno-asynchronous-unwind-tables -fcf-protection=none -nostdlib -static
	"-Wl,--build-id=none,--no-warn-rwx-segments")
mkdir -p "$out"
passed=0 failed=0

for test; do
	[ -f "$here/tests/$test.c" ] || continue
	"${cc[@]}" -T "$here/tests/link.ld" -o "$out/$test" \
		"$here/tests/start.S" "$here/tests/rt.c" "$here/tests/$test.c"
	for cpu in $(cpus "$test"); do
		for mode in "" "-icount shift=0,sleep=off"; do
			name="$test $cpu${mode:+ icount}"
			# shellcheck disable=SC2086
			timeout 60 "$qemu" -L /usr/share/seabios -L /usr/share/qemu -M q35 -accel tcg \
				-cpu "$cpu" $mode -m 64 -nodefaults -display none -no-reboot \
				-device isa-debug-exit,iobase=0xf4 -serial "file:$out/log" \
				-kernel "$out/$test" >"$out/qemu.log" 2>&1 </dev/null && status=0 || status=$?
			sed -n "s/^\(PASS\|FAIL\) /\1 $name: /p; s/^#/#/p" "$out/log"
			good=$(grep -c ^PASS "$out/log") || true
			bad=$(grep -c ^FAIL "$out/log") || true
			# isa-debug-exit: 1 says 0, and 3 says that something failed.
			if ! grep -q ^END "$out/log" || { [ "$status" != 1 ] && [ "$bad" = 0 ]; }; then
				echo "FAIL $name: no end, QEMU's status is $status: $(tail -n 1 "$out/qemu.log")"
				bad=$((bad + 1))
			fi
			passed=$((passed + good)) failed=$((failed + bad))
		done
	done
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
