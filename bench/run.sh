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
case ${qemu##*-} in
ppc64) machine=ppc every="classic power" ;;
ia64) machine=ia64 every="integer random stack mmu vectors sapic smp fp fprandom firmware pmu" ;;
*) machine=x86 every="intel amd p6 p4 p5" ;;
esac
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $every

cpus() {
	case $1 in
	intel) echo coreduo core2duo core2duo,perfmon-edx=off core2duo,vendor=CentaurHauls,model=25 \
		Nehalem Skylake-Client Icelake-Server Icelake-Server,perfmon-v6=on ;;
	amd) echo athlon Opteron_G1 Opteron_G3 phenom Opteron_G5 EPYC EPYC-Milan,perfmon-v2=on ;;
	p6) echo pentium2 pentium3 ;;
	p4) echo pentium4 nocona ;;
	p5) echo pentium ;;
	classic) echo 604 604e 750 750fx 750gx 7400 7410 7450 7455 7447 7448 ;;
	power) echo 970_v2.2 970mp_v1.1 power8 power9 power10 ;;
	integer | random | stack | mmu | vectors | sapic | smp | fp | fprandom) echo itanium2 ;;
	firmware | pmu) echo itanium itanium2 montecito ;;
	esac
}

# build_MACHINE TEST: as $out/TEST
options=(-O2 -Wall -Wextra -ffreestanding -fno-pic -no-pie -fno-stack-protector
	-fno-asynchronous-unwind-tables -nostdlib -static
	"-Wl,--build-id=none,--no-warn-rwx-segments")

build_x86() {
	read -ra cc <<<"${CC:-gcc}"
	"${cc[@]}" -m32 -march=i586 -mno-sse -mno-mmx -fcf-protection=none "${options[@]}" \
		-T "$here/tests/link.ld" -o "$out/$1" \
		"$here/tests/start.S" "$here/tests/check.c" "$here/tests/rt.c" "$here/tests/$1.c"
}

build_ppc() {
	local program=$out/$1.elf bits=(-mcpu=604 -G 0) kind=
	[ "$1" = classic ] || program=$out/$1 bits=(-m64 -mabi=elfv2 -mcpu=970 -mno-altivec) kind=-power
	powerpc-linux-gnu-gcc "${bits[@]}" -msoft-float "${options[@]}" \
		-T "$here/tests/ppc/link$kind.ld" -o "$program" \
		"$here/tests/ppc/start$kind.S" "$here/tests/check.c" "$here/tests/ppc/rt.c" \
		"$here/tests/ppc/$1.c"
	[ "$1" != classic ] || powerpc-linux-gnu-objcopy -O binary "$program" "$out/$1"
}

# Assembler alone, for which Debian has a package; some have code that is made here.
build_ia64() {
	local sources=("$here/tests/ia64/start.s" "$here/tests/ia64/$1.s") tool=ia64-linux-gnu arguments=
	case $1 in
	random) arguments="1 2500" ;;
	fprandom) arguments="1 20000 $out/cases" ;;
	esac
	if [ -n "$arguments" ]; then
		gcc -O2 -frounding-math -Wall -Wextra -o "$out/generate" "$here/tests/ia64/$1.c" -lm
		# shellcheck disable=SC2086
		"$out/generate" $arguments >"$out/$1.s"
		sources+=("$out/$1.s")
	fi
	"$tool-as" -I "$out" -o "$out/$1.o" "${sources[@]}"
	"$tool-ld" --no-warn-rwx-segments -T "$here/tests/ia64/link.ld" -o "$out/$1" "$out/$1.o"
}

# on_MACHINE TEST: options of QEMU to run it
on_x86() {
	echo -L /usr/share/seabios -L /usr/share/qemu -M q35 -m 64 \
		-device isa-debug-exit,iobase=0xf4 -serial "file:$out/log" -kernel "$out/$1"
}

on_ia64() {
	local cpus=1
	case $1 in
	smp) cpus=2 ;;
	firmware)
		cpus=2
		head -c 20001 /dev/zero | tr '\0' i >"$out/initrd"
		echo -append perfmon=bench,1 -initrd "$out/initrd" -device virtio-serial-device \
			-rtc base=2024-02-29T12:34:00,clock=vm \
			-fsdev "local,id=host,path=$out,security_model=none,readonly=on" \
			-device virtio-9p-device,fsdev=host,mount_tag=host ;;
	esac
	echo -M bench -m 128 -smp $cpus -serial "file:$out/log" -kernel "$out/$1"
}

# By its memory it knows that instructions are counted.
on_ppc() {
	local broken=cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off
	echo -chardev "file,id=log,path=$out/log"
	case $1 in
	classic)
		echo -M 40p -m $((mode ? 128 : 64)) -device isa-debug-exit,iobase=0xf4 \
			-device isa-debugcon,iobase=0x3f8,chardev=log -bios "$out/$1" ;;
	power)
		echo -L /usr/share/qemu -M "pseries,x-vof=on,kernel-addr=0,$broken" -m $((mode ? 512 : 256)) \
			-device spapr-vty,chardev=log,reg=0x30000000 -kernel "$out/$1" ;;
	esac
}

mkdir -p "$out"
# shellcheck source=../lib/tests/tally.sh
. "$here/../lib/tests/tally.sh"

for test; do
	[ -n "$(cpus "$test")" ] || continue
	"build_$machine" "$test"
	for cpu in $(cpus "$test"); do
		for mode in 0 1; do
			name="$test $cpu" reboot=-no-reboot counting=
			[ "$test" != firmware ] || reboot=
			[ $mode = 0 ] || name+=" icount" counting="-icount shift=0,sleep=off"
			: >"$out/log"
			# An end for what hangs: by its CPU time, for others may have the machine.
			# shellcheck disable=SC2046,SC2086
			(ulimit -t 120 && exec timeout 900 "$qemu" $("on_$machine" "$test") -accel tcg \
				-cpu "$cpu" $counting $reboot -nodefaults -display none) \
				>"$out/qemu.log" 2>&1 </dev/null && status=0 || status=$?
			sed -n "s/^\(PASS\|FAIL\) /\1 $name: /p; s/^#/#/p" "$out/log"
			good=$(grep -c ^PASS "$out/log") || true
			bad=$(grep -c ^FAIL "$out/log") || true
			# isa-debug-exit: 1 says 0, and 3 says that something failed.
			good_end=1
			[[ $test != power && $test != firmware ]] || good_end=0
			if ! grep -q ^END "$out/log" ||
				{ [ "$status" != $good_end ] && [ "$bad" = 0 ]; }; then
				echo "FAIL $name: no end, QEMU's status is $status: $(tail -n 1 "$out/qemu.log")"
				bad=$((bad + 1))
			fi
			count "$good" "$bad"
		done
	done
done
tally
