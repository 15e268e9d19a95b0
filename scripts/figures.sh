# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What was measured, against what is kept in bench/figures, for scripts that source this.
#
# A file there is of one target and one kernel: bench/figures/cost-x86_64. It says of which
# compiler and source of Linux it is: with others, or without such a file, nothing is
# compared. Then one row a line, with tabs: by how many percent its figures differ from run
# to run, its label, its figures.

# figures_of: the compiler and the source of Linux that $kernel is built of
figures_of() {
	local cc
	read -r cc _ <<<"$(machine cc)"
	echo "$("$cc" --version | head -n 1), ${tarball##*/} of $(stat -c %s "$tarball") bytes"
}

# compare_figures FILE ROWS: a figure of the file ROWS (label, tab, figures) that is greater
# than the one kept by more than its row differs is told, and so is a row that is not
# there any more. Sets passed, failed and skipped.
compare_figures() {
	local file=$top/bench/figures/$1 of result
	passed=0 failed=0 skipped=0
	of=$(sed -n 's/^# of //p' "$file" 2>/dev/null || true)
	if [ "$of" != "$(figures_of)" ]; then
		echo "SKIP the figures of ${file#"$top"/} are of ${of:-nothing yet}"
		skipped=1
		return
	fi
	# Counts of a few instructions may be one more.
	result=$(awk -F '\t' '
		FNR == 1 { file++ }
		file == 1 { got[$1] = $2; next }
		/^#/ { next }
		{
			n = split($3, kept, " ")
			m = split(got[$2], now, " ")
			bad = ""
			for (i = 1; i <= n; i++) {
				if (kept[i] == "-")
					continue
				most = kept[i] + (kept[i] < 0 ? -kept[i] : kept[i]) * $1 / 100
				if (i > m || now[i] > most)
					bad = bad sprintf(" %s (%s)", i > m ? "none" : now[i], kept[i])
			}
			if (bad != "") {
				failed++
				print "FAIL \"" $2 "\" has risen above " $1 " %, from what is in brackets:" bad
			} else {
				passed++
			}
		}
		END { print passed + 0, failed + 0 }' "$2" "$file")
	sed '$d' <<<"$result"
	read -r passed failed <<<"${result##*$'\n'}"
}
