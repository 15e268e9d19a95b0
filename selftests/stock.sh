#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# stock.sh DIR PROBE REFUSED [NAME...] - tests where perfmon is a module, in the guest, as root
#
# Runs run.sh with DIR and the NAMEs, and tests what only a module has: the administrator
# disarms its probes, it goes and comes back, without it the library says ENOSYS, PROBE (a
# directory of scripts/test-stock) has a format that was built for it outside of its tree,
# the kernel is locked down. The module in REFUSED, of that script too, does not get all
# that it asks the kernel for; where that is empty this is not tested.
# If there is a PMU it is about that: then the NMI watchdog instead of the probes and
# the format.
#
# Locks the kernel down for good, and leaves the module unloaded. Environment: as of
# run.sh; PERFMON_KERNEL. The last line is "N passed, N failed, N skipped".

set -u

dir=$1 probe=$2 refused=${3:+$3/perfmon.ko}
shift 3
tmp=/tmp/pfm-stock
sysctl=/proc/sys/kernel
locks=/sys/kernel/security/lockdown
formats=$PERFMON_KERNEL/kernel/perfmon/formats
# shellcheck source=../lib/tests/tally.sh
. lib/tests/tally.sh
mkdir -p $tmp
hardware=yes
! grep -qx none /sys/kernel/perfmon/pmu_model || hardware=''

# The system's says why a module does not load.
insmod() { /sbin/insmod "$@"; }

# runs WORD...: run.sh, whose results are ours; as whom, and which tests if not all
who=${PFM_WHO-root user} tests=
runs() {
	PFM_WHO=$who PFM_TESTS=$tests sh selftests/run.sh "$dir" "$@" >$tmp/run 2>&1
	grep -vE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' $tmp/run
	# shellcheck disable=SC2046
	set -- $(tail -n 1 $tmp/run | tr -d ,)
	if [ $# -ne 6 ]; then
		set -- 0 passed 1 failed 0 skipped
		echo "FAIL run.sh has no result"
	fi
	count "$1" "$3" "$5"
}

said=$tmp/out

# with FILE VALUE WORD...: run.sh while FILE has that value
with() {
	file=$1
	was=$(cat "$file")
	echo "$2" >"$file"
	shift 2
	runs "$@"
	echo "$was" >"$file"
}

# Nothing of the kernel's is left with us: files, CPU hotplug, caches, probes.
gone() {
	for file in /sys/kernel/perfmon /dev/perfmonctl $sysctl/perfmon_hardened \
			/sys/kernel/debug/perfmon /sys/kernel/slab/perfmon*; do
		[ ! -e "$file" ] || { echo "$file"; return 1; }
	done
	! grep perfmon /sys/devices/system/cpu/hotplug/states &&
		! grep -E 'security_bprm_committed_creds|perf_event_mmap' \
			/sys/kernel/debug/kprobes/list
}

# take MODULE: threads that were killed may be a moment away from their last use of it
take() {
	end=$(($(date +%s) + 120))
	until rmmod "$1"; do
		[ -e "/sys/module/$1" ] && [ "$(date +%s)" -lt $end ] || return 1
		sleep 0.1
	done
}

unload() {
	take pfm_callchain && take pfm_default && take perfmon && gone
}

# load [PARAMETER...]
load() {
	insmod "$PERFMON_KERNEL/perfmon.ko" "$@" && insmod "$formats/default/pfm_default.ko" &&
		insmod "$formats/callchain/pfm_callchain.ko" && pfmon stat -- true
}

# chains BITS [WORD...]: so many, as a power of two, has the table of a module that is
# loaded with these parameters
chains() {
	bits=$1
	shift
	unload && load "$@" && grep -qx "$bits" /sys/module/perfmon/parameters/threads_bits
}

# The logarithm of the quarters of a megabyte that MemTotal has, from 8 to 16.
memory_bits() {
	awk '/^MemTotal:/ { for (n = $2 / 256; n >= 2; n /= 2) bits++
		print (bits < 8 ? 8 : bits > 16 ? 16 : bits) }' /proc/meminfo
}

# What was set goes with the module.
again() {
	echo 0 >$sysctl/perfmon_hardened
	echo 1 >/sys/kernel/perfmon/thread_group
	grep -q perfmon /sys/devices/system/cpu/hotplug/states &&
		grep -q perf_event_mmap /sys/kernel/debug/kprobes/list &&
		unload && load && grep -qx 1 $sysctl/perfmon_hardened &&
		grep -qx -e -1 /sys/kernel/perfmon/thread_group
}

use_probe() {
	insmod "$probe/pfm_probe.ko" || return
	"$probe/probe" && grep -qx 0 /sys/module/pfm_probe/parameters/contexts &&
		rmmod pfm_probe
}

# says PATTERN COMMAND...: it fails, and says so; or has another word, if it is "check"
says() {
	pattern=$1
	shift
	if "$@" && [ "$2" != check ]; then
		return 1
	fi
	grep -qE "$pattern" $tmp/out
}

# refuses NAME ERROR LINE: the module does not load, which says ERROR, on a kernel that
# lacks NAME; the kernel's log says LINE; nothing of the module stays
refuses() {
	dmesg -c >/dev/null
	if insmod "$refused" "absent=$1"; then
		return 1
	fi
	grep -q "$2" $tmp/out && dmesg | sed 's/^\[[^]]*\] //' | grep -xF "$3" && gone
}

# names PATTERN FILE: what it matches between parentheses in a source of the module's
names() { sed -nE "s/.*$1.*/\1/p" "module/$2"; }

# Whatever the module asks for is not there. ENOENT is one thing for a file and another for
# a module: insmod has words of its own.
refusals() {
	lacks='this kernel has no'
	functions=$(names 'missing = "(.*)";' resolve.c)
	quietly "resolve.c needs functions" [ -n "$functions" ]
	for name in $functions; do
		quietly "the module is refused without $name()" refuses "$name" 'Unknown symbol' \
			"perfmon: $lacks function $name(), or kprobes cannot find it"
	done
	points=$(names '\{ "(sched_[a-z_]*)", ' hooks.c)
	quietly "hooks.c needs tracepoints" [ -n "$points" ]
	for name in $points; do
		quietly "the module is refused without the tracepoint $name" refuses "$name" \
			'Unknown symbol' "perfmon: $lacks tracepoint $name"
	done
	places=$(names 'symbol_name = "([a-z_]*)"' hooks.c)
	quietly "hooks.c needs probes" [ -n "$places" ]
	for name in $places; do
		quietly "the module is refused without $name() to probe" refuses "$name" \
			'Unknown symbol' "perfmon: no probe of $name() by ftrace (-2)"
	done
	quietly "the module is refused where ftrace has no probes" refuses ftrace \
		'Operation not supported' "perfmon: no probe of ${places%%[!a-z_]*}() by ftrace (-95)"
}

# without NAME: the module loads all the same, and goes; what it cannot do then. The program
# leaves the other module.
without() {
	quietly "the module loads without $1()" insmod "$refused" "absent=$1"
	whoever=$who
	who=root tests=signals_wait_too
	runs block
	tests=stays_with_a_frozen_thread
	runs reload/reload
	who=$whoever tests=
	quietly "the module goes, which was loaded without $1()" unload
}

# fails NUMBER: with that call of its beginning failed the module does not load, or
# loads without what is not needed, and goes; nothing of it stays
fails() {
	left=/sys/module/perfmon/parameters/fail
	dmesg -c >/dev/null
	if insmod "$refused" "fail=$1"; then
		last=$(cat $left)
		pfmon stat -e task-clock -- true && take perfmon || return
		[ "$last" -eq 0 ] || over=yes
	else
		refused_at="$refused_at $1"
	fi
	dmesg | grep -E 'WARNING:|BUG:|Call Trace' && return 1
	gone
}

failures() {
	over='' number=0 refused_at=''
	while [ -z "$over" ] && [ $number -lt 100 ]; do
		number=$((number + 1))
		quietly "nothing is left when call $number of the module's init fails" fails $number
	done
	quietly "each call of init's that can fail had its turn" [ -n "$over" ]
	quietly "most of them are needed, here:$refused_at" \
		[ "$(echo "$refused_at" | wc -w)" -ge 12 ]
}

# not_loaded WHY: neither by insmod nor quietly, and pfmon says what is missing
not_loaded() {
	dmesg -c >/dev/null
	quietly "insmod says: $1" says "$1" insmod "$PERFMON_KERNEL/perfmon.ko"
	quietly "the kernel's log names the unsigned module" \
		sh -c 'dmesg | grep -i "unsigned module"'
	quietly "there is nothing of perfmon" [ ! -e /dev/perfmonctl ]
	quietly "pfmon stat says what is missing" says 'module perfmon' pfmon stat -- true
}

if [ -z "$hardware" ]; then
	# What a program gets that executes another one must hold without the probes, too.
	with $sysctl/ftrace_enabled 0 exec security
	with /sys/kernel/debug/kprobes/enabled 0 exec security
	export PFM_RELOAD_ROUNDS="${PFM_RELOAD_ROUNDS-10}"
	runs reload/reload
fi
runs "$@"
for round in 1 2 3; do
	quietly "the module goes and comes back ($round)" again
done
quietly "the table of threads is as large as the memory has it" chains "$(memory_bits)"
quietly "the table of threads is at least so large" chains 8 threads_bits=1
quietly "the table of threads is as large as asked for" chains 11 threads_bits=11
quietly "the table of threads is at most so large" chains 16 threads_bits=40
quietly "the kernel is tainted by a module of another tree, without a signature" \
	[ $(($(cat $sysctl/tainted) & 12288)) -eq 12288 ]
if [ -n "$refused" ]; then
	quietly "the module goes" unload
	refusals
	without cgroup_enter_frozen
	without cgroup_leave_frozen
	failures
	quietly "the module comes back" load
fi
if [ -n "$hardware" ]; then
	echo 1 >$sysctl/nmi_watchdog
	quietly "pfmon stat says who has the PMU" says 'NMI watchdog' pfmon stat -e instructions:u -- true
	quietly "pfmon check has the cure" says 'sysctl kernel.nmi_watchdog=0' pfmon check
	quietly "software is counted all the same" pfmon stat -e task-clock,cs -- true
	echo 0 >$sysctl/nmi_watchdog
	quietly "pfmon stat counts after the cure" pfmon stat -e instructions:u -- true
	quietly "pfmon check does not name it any more" sh -c '! pfmon check | grep watchdog'
	test=kernel_level_on_a_hardened_kernel program=hw_rights
else
	quietly "a format of another tree" use_probe
	test=kernel_addresses program=smpl_fields
fi

[ -e $locks ] || mount -t securityfs securityfs /sys/kernel/security
who=root tests=$test
for level in integrity confidentiality; do
	echo $level >$locks
	quietly "the kernel is locked down" grep -F "[$level]" $locks
	runs $program
done
quietly "pfmon stat works on a kernel that is locked down" pfmon stat -- true
quietly "it goes from a kernel that is locked down" unload
quietly "the library says that there is no perfmon" \
	"build/user/${dir##*/}/lib/tests/kernel" without
not_loaded 'Operation not permitted'
echo Y >/sys/module/module/parameters/sig_enforce
not_loaded 'Key was rejected by service'
tally
