#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The first program of a cloud kernel, in the initramfs of scripts/test-cloud, which is all that
# there is: loads perfmon and its formats, runs tests, unloads all, and ends the guest.
#
#	/perfmon/NAME	modules, to be loaded in the order of the names
#	/plan		sets names and tests: of programs of selftests, and of tests of these ("":
#			all); and events, which pfmon counts
#
# What it says goes to the second serial line; the console, on the first, is the kernel's.

# shellcheck shell=dash

set -u

PATH=/bin HOME=/tmp
export PATH HOME
/bin/busybox mkdir -p /dev /proc /sys /tmp
/bin/busybox --install -s /bin
mount -t devtmpfs devtmpfs /dev
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t debugfs debugfs /sys/kernel/debug
exec >/dev/ttyS1 2>&1 </dev/null
echo "cloud-init: begins"

cd /
# shellcheck source=lib/tests/tally.sh
. lib/tests/tally.sh
names='' tests='' events=''
# shellcheck source=/dev/null
. /plan
said=/tmp/said

# counts EVENTS: pfmon has a number for each of them
counts() {
	pfmon stat -e "$1" -- /bin/busybox true >/tmp/stat 2>&1
	status=$?
	cat /tmp/stat
	[ $status -eq 0 ] && ! grep '<not' /tmp/stat
}

# runs NAME...: run.sh, whose results are ours
runs() {
	PFM_WHO=root PFM_TESTS=$tests sh selftests/run.sh selftests/x86_64 "$@" >/tmp/run 2>&1
	grep -vE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' /tmp/run
	# shellcheck disable=SC2046
	set -- $(tail -n 1 /tmp/run | tr -d ,)
	if [ $# -eq 6 ]; then
		count "$1" "$3" "$5"
	else
		fail "run.sh has no result"
	fi
}

# goes NAME: the module; threads that have ended may be a moment away from their last use of it
goes() {
	tries=600
	until rmmod "$1"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

# nothing_left: of the kernel's files, hooks and states
nothing_left() {
	for file in /sys/kernel/perfmon /dev/perfmonctl /proc/sys/kernel/perfmon_hardened \
			/sys/kernel/debug/perfmon; do
		[ ! -e $file ] || { echo "$file"; return 1; }
	done
	! grep perfmon /sys/devices/system/cpu/hotplug/states &&
		! grep -E 'WARNING:|BUG:|Oops|Call Trace' /tmp/log
}

for round in first second; do
	for file in /perfmon/*; do quietly "${file##*/} loads, the $round time" insmod "$file"; done
	quietly "the library finds the module" grep -qx module /sys/kernel/perfmon/host
	quietly "pfmon counts $events" counts "$events"
	# shellcheck disable=SC2086
	[ $round = second ] || runs $names
	for module in $(awk '/^pfm_/ { print $1 }' /proc/modules) perfmon; do
		quietly "$module goes" goes "$module"
	done
	dmesg >/tmp/log
	quietly "nothing is left" nothing_left
done
tally
reboot -f
