# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# What the result of a run depends on, for scripts/test, which sources this: find_keys()
# makes a hash of it for each run. Nothing has to be built for that, and nothing in it names
# the place of the tree.

# hash_of PATH...: of the names and contents of all files there, each set looked at once
declare -A hashes=()
hash_of() {
	[ -n "${hashes[$*]-}" ] || hashes[$*]=$(cd "$top" && find "$@" \
		\( -path ./build -o -path ./.git \) -prune -o -type f ! -name '*~' -print0 2>/dev/null |
		sort -uz | xargs -0 sha256sum | sha256sum | cut -d' ' -f1)
	hash=${hashes[$*]}
}

# host_packages: of this machine's packages and their versions, since guests run its files
host_packages() { dpkg-query -W -f '${Package}:${Architecture} ${Version} ${db:Status-Status}\n' | sort | sha256sum; }

# about ARCH FLAVOUR WHAT: of a kernel its inputs, of an emulator or compiler its version; once
declare -A abouts=()
about() {
	local FLAVOUR=$2 arch flavour kernel fragment fragments word text
	if [ -z "${abouts[$*]-}" ]; then
		kernel_names "$1" ''
		case $3 in
		kernel) text=$(kernel_inputs; key memory "${fragments[@]}") ;;
		qemu) text=$(ARCH=$arch "$top/scripts/bench-qemu" --inputs) ;;
		# All that it says of the machine, but for the lists of runs.
		machine)
			read -r word _ <<<"$(machine qemu)"
			text=$(grep '^#: ' "$fragment" | grep -vE '^#: (test|all|hand|estimate|races|long_[a-z]*|bench_short|witness_cpus) = '
				[ -z "$word" ] || "$word" --version
				read -r word _ <<<"$(machine cc)"
				# One that cross-gcc makes may not be there: not all runs need it.
				"$word" --version 2>/dev/null || true) ;;
		esac
		abouts[$*]=$(sha256sum <<<"$text")
	fi
	about=${abouts[$*]}
}

# stock_release VERSION: of Debian's kernel that is there, or that apt would fetch
stock_release() {
	cat "$build/stock/$1/.release" 2>/dev/null || "$top/scripts/stock" --release "$1" 2>/dev/null || echo unknown
}

# edited NUMBER: whether something that its key was made of is younger than the keys
edited() {
	# shellcheck disable=SC2086
	[ -n "$(find "${judges[@]}" ${run_files[$1]} kernel formats include arch patches selftests/linux bench/patches bench/ia64 \
		\( -path ./build -o -path ./.git \) -prune -o -type f -newer "$done/keys" -print -quit 2>/dev/null)" ]
}

# find_keys: a hash of all that a run's result depends on; none of these names the tree's place
find_keys() {
	local i word text packages
	: >"$done/keys"
	packages=$(host_packages)
	for i in "${!run_name[@]}"; do
		text="1 $packages ${run_command[i]//"$top"/.} ${CPU-} ${CPUS-} ${QEMU_ARGS-} ${APPEND-} ${MEM-}"
		about "${run_arch[i]}" '' machine
		text+=" $about"
		for word in ${run_needs[i]}; do
			case $word in
			kernel | tree) about "${run_arch[i]}" "${run_flavour[i]}" kernel ;;
			qemu) about "${run_arch[i]}" '' qemu ;;
			linux) about= ;;
			stock-*) about=$(stock_release "${word#stock-}") ;;
			*) about "$word" '' machine ;;
			esac
			text+=" $word $about"
		done
		hash_of "${judges[@]}"
		text+=" $hash"
		# shellcheck disable=SC2086
		[ -z "${run_files[i]}" ] || hash_of ${run_files[i]}
		text+=" $hash"
		run_key[i]=$(sha256sum <<<"$text" | cut -c1-40)
	done
}
