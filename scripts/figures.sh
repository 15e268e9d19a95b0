# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What was measured, against what is kept in bench/figures, for scripts that source this.
#
# A file there is of one target and one kernel: bench/figures/cost-x86_64. It says of which
# compiler and source of Linux it is, and of which CPU if the figures are a guest's: with
# others, or without such a file, nothing is compared. Then one row a line, with tabs: how much
# more than these figures a row's may be, its label, its figures. 0: not at all; 2+4: by two
# percent, or by four if that is more.

# figures_of [CPU]: the compiler and the source of Linux that $kernel is built of, and the CPU
figures_of() {
	local cc
	read -r cc _ <<<"$(machine cc)"
	echo "$("$cc" --version | head -n 1), ${tarball##*/} of $(stat -c %s "$tarball") bytes${1:+, CPU $1}"
}

# compare_figures FILE ROWS [CPU]: a figure of the file ROWS (label, tab, figures) that is greater
# than the one kept by more than its row may is told, and so is a row that is not
# there any more. Sets passed, failed and skipped.
compare_figures() {
	local file=$top/bench/figures/$1 of result
	passed=0 failed=0 skipped=0
	of=$(sed -n 's/^# of //p' "$file" 2>/dev/null || true)
	if [ "$of" != "$(figures_of "${3-}")" ]; then
		echo "SKIP the figures of ${file#"$top"/} are of ${of:-nothing yet}"
		skipped=1
		return
	fi
	result=$(awk -F '\t' '
		FILENAME == ARGV[1] { got[$1] = $2; next }
		/^#/ { next }
		{
			split($1, may, "+")
			n = split($3, kept, " ")
			m = split(got[$2], now, " ")
			bad = ""
			for (i = 1; i <= n; i++) {
				if (kept[i] == "-")
					continue
				more = (kept[i] < 0 ? -kept[i] : kept[i]) * may[1] / 100
				if (more < may[2] + 0)
					more = may[2]
				if (i > m || now[i] > kept[i] + more)
					bad = bad sprintf(" %s (%s)", i > m ? "none" : now[i], kept[i])
			}
			if (bad != "") {
				failed++
				print "FAIL \"" $2 "\" has risen, from what is in brackets:" bad
			} else {
				passed++
			}
		}
		END { print passed + 0, failed + 0 }' "$2" "$file")
	sed '$d' <<<"$result"
	read -r passed failed <<<"${result##*$'\n'}"
}

# keep_figures FILE ROWS MAY TEXT [CPU]: write a file of figures. TEXT says what they are. MAY is for
# rows that are not there yet: the others keep their own.
keep_figures() {
	local file=$top/bench/figures/$1
	[ -e "$file" ] || : >"$file"
	{
		echo "# $4"
		echo "# of $(figures_of "${5-}")"
		awk -F '\t' -v OFS='\t' -v may="$3" '
			FILENAME == ARGV[1] { if (!/^#/) own[$2] = $1; next }
			{ print $1 in own ? own[$1] : may, $1, $2 }' "$file" "$2"
	} >"$file.new"
	mv "$file.new" "$file"
}
