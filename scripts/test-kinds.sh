# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The kinds of runs, for scripts/test, which sources this. config/README explains them.
#
# run_KIND WORD... is called for a line "FLAVOUR: KIND[@PART] WORD..." of a fragment, with
# kernel_names() done and $part set. It says by plan_run() what is to be run, and before that
#
#	needs	what has to be there: "kernel"; "tree", the kernel and the tree in which it was
#		built; "linux", its source; "qemu", the one of bench-qemu; "ARCH", the
#		programs for ARCH
#	files	the paths of this tree that the result depends on, beside those of the kernel,
#		of QEMU and of $judges
#
# Nothing is built yet when they are called.

# What starts a run and judges it. The fragments are not here: what they say of a machine and
# of its kernel is a part of the key, and the lists of runs are not.
# Those of a kind of run are among its files, and what this script says of a run is in its key.
judges=(Makefile lib/tests/tally.sh)
for file in scripts/*; do
	case $file in
	scripts/test-marks.sh | scripts/test-runs.sh) judges+=("$file") ;;
	scripts/README | scripts/config | scripts/test-* | scripts/check-* | scripts/again | scripts/deb | scripts/front | scripts/count-paths | scripts/figures.sh | \
		scripts/graft | scripts/help | scripts/hooks | scripts/ia64-opcodes | scripts/install-module | \
		scripts/make-exit.c | scripts/module-tree | scripts/stock* | scripts/cloud-init.sh | scripts/cpio.sh) ;;
	*) judges+=("$file") ;;
	esac
done
of_selftests=(selftests/*.[ch] selftests/*.sh selftests/Makefile selftests/reload bench/machine bench/*.h include/uapi)
of_lib=(lib include/uapi)
of_pfmon=(tools lib/[!m]* include/uapi examples)	# not the library's pages
of_module=(module kernel formats include arch/i386 debian scripts/module-tree scripts/stock* scripts/cpio.sh)

# without KEY: the words of the fragment's key, each to be left out
without() { machine "$1" | sed 's/[^ ][^ ]*/-&/g'; }

# races [-v] PATTERN: the words of "races" that it matches (-v: that it does not)
races() { machine races | tr ' ' '\n' | grep -E "$@" | tr '\n' ' ' || true; }

# in_guest RUN COMMAND...: on $kernel. One that has jump labels has one host thread
# (base.config says why): two CPUs would take turns on it.
in_guest() {
	local cpus=${CPUS:-$(machine cpus)} append=${APPEND-}
	cpus=${cpus:-2}
	! wanted | grep -qx CONFIG_JUMP_LABEL=y || cpus=${CPUS:-1}
	needs+="kernel $arch"
	[ -z "${CPU-}" ] || needs+=" qemu"
	# The unit tests are a run of their own.
	[ "$kind" = units ] || append+=" kunit.enable=0"
	plan_run "$1" "${cpus%%,*}" env "ARCH=$arch" "FLAVOUR=$flavour" "CPUS=$cpus" \
		${CPU:+"CPU=$CPU"} ${QEMU_ARGS:+"QEMU_ARGS=$QEMU_ARGS"} "APPEND=${append# }" \
		"$top/scripts/guest" "${@:2}"
}

# self_tests WHO [arch=ARCH] [NAME...]: with programs of that architecture
self_tests() {
	local programs=$arch run=$name names who=$1 word
	shift
	if [[ ${1-} == arch=* ]]; then
		programs=${1#arch=}
		needs+="$programs "
		run+=-$programs
		shift
	fi
	names=("$@")
	files+=("${of_selftests[@]}")
	# shellcheck disable=SC2046,SC2206
	case $part in
	short) names+=($(without long_programs) $(without races)) ;;
	long) names=($(machine long_programs)) ;;
	races) [ $# -gt 0 ] || names=($(races -v '^hw')) ;;
	all) ;;
	*)
		[ $# -gt 0 ] || names=($(without races))
		for word in $(machine races); do
			[[ " $* " != *" $word "* ]] || die "$run: $word looks for races: see scripts/config/README"
		done ;;
	esac
	# shellcheck disable=SC2206
	[ -z "${TESTS-}" ] || names=($TESTS)
	in_guest "$run" env "PFM_WHO=$who" \
		sh selftests/run.sh "build/selftests/$programs" "${names[@]}"
}

run_root() { self_tests root "$@"; }
run_user() { self_tests user "$@"; }

run_units() {
	files+=("${of_selftests[@]}")
	in_guest "$name" env PFM_UNITS=1 sh selftests/run.sh "build/selftests/$arch"
}

# on_bench NAMES TESTS CPU[:SMP][@OPTION]: the tests of the hardware's counters, on a model
on_bench() {
	local cpu=${3%%@*} option='' run CPU CPUS APPEND=${APPEND-}
	[[ $3 != *@* ]] || option=${3#*@}
	CPU=${cpu%%:*} CPUS=$(machine cpus)
	# Models that differ in a property only are different runs.
	run=$name-${CPU//,/+}${option:+"+${option%%=*}"}
	[[ $cpu != *:* ]] || CPUS=${cpu#*:}
	[[ $CPUS != *threads=* ]] || run+=+ht
	CPUS=${CPUS:-2} APPEND+=${option:+ $option}
	files+=("${of_selftests[@]}")
	# shellcheck disable=SC2086
	in_guest "$run" env "PFM_TESTS=$2" ${flavour:+"PFM_WHO=root"} \
		sh selftests/run.sh "build/selftests/$arch" ${TESTS:-$1}
}

run_bench() {
	local cpu
	for cpu; do
		needs='' files=()
		case $part in
		short) on_bench hw "$(machine bench_short)" "$cpu" ;;
		races) on_bench "$(races '^hw')" '' "$cpu" ;;
		all) on_bench 'hw*' '' "$cpu" ;;
		*) on_bench "hw* $(without races)" '' "$cpu" ;;
		esac
	done
}

run_models() {
	needs=qemu files=(bench/run.sh bench/*.h bench/tests)
	plan_run "models-${bench##*-}" 1 "$top/bench/run.sh" "$bench" \
		"$build/qemu-tests/${bench##*-}" "$@"
}

run_witness() {
	local cpus=$*
	needs="kernel qemu $arch" files=(bench/witness* bench/*.h)
	plan_run "$name-${cpus// /+}" 1 env "ARCH=$arch" "$top/bench/witness.sh" "$@"
}

run_machine() {
	needs="tree qemu $arch" files=("${of_selftests[@]}" scripts/test-machine)
	plan_run "$name" 2 env "ARCH=$arch" "$top/scripts/test-machine" "$1"
}

run_target() {
	local one
	for one; do
		case $one in
		model)
			needs='' files=(scripts/check-model Documentation/model)
			plan_run "$name-$one" 2 "$top/scripts/check-model" --short ;;
		paths)
			needs="tree linux"
			files=(bench/paths bench/figures scripts/{count-paths,figures.sh,graft} kernel formats include arch patches)
			plan_run "$name-$one" 1 env "ARCH=$arch" FLAVOUR= "$top/scripts/count-paths" --test ;;
		tests)
			needs="tree qemu $arch"
			files=("${of_selftests[@]}" selftests/{breaks,delays} kernel formats include arch patches scripts/{check-tests,graft})
			plan_run "$name-$one" 2 env "ARCH=$arch" "$top/scripts/check-tests" --short ;;
		*)
			needs="kernel qemu $arch linux"
			files=(bench/cost bench/*.h bench/figures "${of_lib[@]}" tools selftests/Makefile kernel formats include arch patches
				scripts/{front,test-bench,figures.sh,graft})
			# With the real pair of kernels, without perfmon and as distributions build
			# it, by hand: to build them takes longer than all other targets.
			plan_run "$name-$one" 1 env "ARCH=$arch" "HOOKS=plain plain" "$top/scripts/test-bench" "$one" ;;
		esac
	done
}

run_lib() {
	files+=("${of_lib[@]}" examples Documentation/perfmonctl.2)
	in_guest "$name" sh lib/tests/guest.sh "build/user/$arch/lib/tests"
}

# pfmon [cpu=CPU] [exact] [NAME...]: "exact" is time that passes by instructions
run_pfmon() {
	local run=$name CPU='' CPUS=${CPUS-} QEMU_ARGS=${QEMU_ARGS-}
	if [[ ${1-} == cpu=* ]]; then
		CPU=${1#cpu=}
		run+=-${CPU//,/+}
		shift
	fi
	if [ "${1-}" = exact ]; then
		CPUS=1 QEMU_ARGS="-icount shift=3,sleep=off"
		run+=-exact
		shift
	fi
	files+=("${of_pfmon[@]}")
	# shellcheck disable=SC2046
	case $part in
	short) set -- "$@" $(without long_pfmon) ;;
	long) set -- $(machine long_pfmon) ;;
	esac
	in_guest "$run" sh tools/pfmon/tests/guest.sh "build/user/$arch/pfmon" \
		"build/user/$arch/tools/pfmon/tests/victim" "$@"
}

run_module() {
	needs="tree $arch" files=("${of_module[@]}" "${of_lib[@]}" selftests/probe Documentation/writing-a-format.rst scripts/test-module)
	plan_run "$name" 2 env "ARCH=$arch" "$top/scripts/test-module"
}

# stock VERSION [cpu=CPU] [NAME...]
run_stock() {
	local run=$name-$1 cpu=''
	needs="$arch stock-$1"
	files=("${of_module[@]}" "${of_selftests[@]}" "${of_lib[@]}" tools selftests/{probe,refused} Documentation/writing-a-format.rst scripts/test-stock)
	if [[ ${2-} == cpu=* ]]; then
		cpu=${2#cpu=}
		run+=-$cpu
		needs+=" qemu"
		set -- "$1" "${@:3}"
		[ $# -gt 1 ] || set -- "$1" 'hw*'
	fi
	plan_run "$run" 1 env "ARCH=$arch" ${cpu:+"CPU=$cpu"} \
		"$top/scripts/test-stock" "$@"
}

# cloud VERSION [cpu=CPU] [NAME...]
run_cloud() {
	local run=$name-$1 version=$1 cpu=''
	needs="$arch stock-$1-cloud"
	files=("${of_module[@]}" "${of_selftests[@]}" "${of_lib[@]}" tools scripts/{test-cloud,cloud-init.sh})
	shift
	if [[ ${1-} == cpu=* ]]; then
		cpu=${1#cpu=}
		run+=-$cpu
		needs+=" qemu"
		shift
	fi
	plan_run "$run" 1 env ${cpu:+"CPU=$cpu"} "$top/scripts/test-cloud" "$version" "$@"
}

run_packages() {
	local version
	needs=$arch
	for version; do needs+=" stock-$version"; done
	files=("${of_module[@]}" "${of_pfmon[@]}" lib Documentation/perfmonctl.2 scripts/{test-packages,deb,install-module})
	plan_run "$name" 1 env "ARCH=$arch" "$top/scripts/test-packages" "$@"
}

run_boot() {
	needs="kernel linux $arch" files=("${of_lib[@]}" scripts/test-boot)
	plan_run "$name" 1 env "ARCH=$arch" "FLAVOUR=$flavour" "$top/scripts/test-boot"
}

# kselftest PROGRAM...
run_kselftest() {
	needs="kernel linux $arch" files=("${of_selftests[@]}" selftests/kselftest lib/device.h scripts/{test-kselftest,graft})
	plan_run "$name" 1 env "ARCH=$arch" "$top/scripts/test-kselftest" "$@"
}

run_programs() {
	needs=linux files=("${of_pfmon[@]}" lib "${of_selftests[@]}" Documentation/perfmonctl.2 scripts/test-programs)
	plan_run "$name" "$jobs" env "ARCH=$arch" "$top/scripts/test-programs"
}

run_compile() {
	needs=kernel files=(scripts/test-compile)
	plan_run "$name" 1 "$top/scripts/test-compile" "$kernel"
}

run_host() {
	# They send signals that our caller, as nohup, may have us ignore.
	local signals=(env "--default-signal=HUP,INT,QUIT") check
	needs=$hosts
	files=("${of_pfmon[@]}" lib Documentation/perfmonctl.2 debian README.md)
	plan_run host-lib 1 "${signals[@]}" make -s -C lib test "O=$build/user/$arch"
	# Its tables of models are compared with the kernel's source.
	needs+=" linux"
	plan_run host-pfmon 1 "${signals[@]}" make -s -C tools/pfmon test "O=$build/user/$arch"
	needs=''
	for check in scripts/check-*; do
		files=(.)
		# Two take long, and have targets of their own.
		case $check in
		scripts/check-model) ;;
		scripts/check-tests) plan_run host-breaks 1 "$top/$check" --list ;;
		*)
			[ "$check" != scripts/check-runs ] || files=(scripts/[!c]* scripts/c[!o]* scripts/common.sh)
			plan_run "host-${check##*/check-}" 1 "$top/$check" ;;
		esac
	done
}
