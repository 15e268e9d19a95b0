# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion of pfmon's command lines for bash. What there is, pfmon says itself: --help
# has the commands, options and formats, and `pfmon list' has the events.

# _pfmon_options HELP: sets option[-x] and option[--long] to the --long name, and
# argument[--long] to what it takes, of those that have an argument
_pfmon_options()
{
	local line item short
	local -a items
	while IFS= read -r line; do
		[[ $line =~ ^\ +(-.*)$ ]] || continue
		short=
		# Two spaces, or the end, are before what an option means.
		IFS=, read -ra items <<<"${BASH_REMATCH[1]%%  *}"
		for item in "${items[@]}"; do
			item=${item# }
			case $item in
			--*)
				# --switch-output[=SIZE] takes nothing from the next word.
				item=${item%%\[*}
				option[${item%% *}]=${item%% *}
				[ -z "$short" ] || option[$short]=${item%% *}
				[[ $item != *' '* ]] || argument[${item%% *}]=${item#* }
				;;
			-?) short=$item ;;
			esac
		done
	done <<<"$1"
}

# _pfmon_meaning HELP LONG: what HELP says of an option, on one line, without remarks
_pfmon_meaning()
{
	local line text='' found=
	while IFS= read -r line; do
		if [[ $line =~ ^\ +-(.,\ -)?"${2#-}"(\ [A-Z]+)?\ +(.*)$ ]]; then
			found=1 text=${BASH_REMATCH[3]}
		elif [ -n "$found" ]; then
			[[ $line =~ ^\ {12,}([^ -].*)$ ]] || break
			text+=" ${BASH_REMATCH[1]}"
		fi
	done <<<"$1"
	while [[ $text =~ ^([^()]*)\([^()]*\)(.*)$ ]]; do
		text=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
	done
	echo "$text"
}

# _pfmon_formats HELP: the words that -f takes; of record they stand in a list
_pfmon_formats()
{
	local list=${1#*sampling formats:}
	if [ "$list" != "$1" ]; then
		sed -n 's/^  \([a-z][^ ]*\).*/\1/p' <<<"$list"
	else
		_pfmon_meaning "$1" --format | sed 's/ or /, /g; s/, */\n/g; s/ //g'
	fi
}

# _pfmon_list WORD: the last part of WORD, a list separated by commas, completed from the
# names on standard input, one a line; upper and lower case are the same
_pfmon_list()
{
	local last=${1##*,} name
	while IFS= read -r name; do
		[[ ${name,,} != "${last,,}"* ]] || COMPREPLY+=("${1%"$last"}$name")
	done
	compopt -o nospace 2>/dev/null
}

# _pfmon_events PFMON WORD: the events whose names begin so, with unit masks behind a colon
_pfmon_events()
{
	"$1" list "${2##*,}*" 2>/dev/null | awk -v masks="${2##*,}" '
		/^  [^ ]/ { event = $1 }
		/^  [^ ]/ && masks !~ /:/ && !/^  (rN+|rNEE|fixedN) / { print event }
		/^    :/ && masks ~ /:/ { print event $1 }'
}

_pfmon()
{
	local pfmon=$1 line=${COMP_LINE:0:COMP_POINT} cur command help wants word i
	local -a words
	local -A option=() argument=()
	# As bash splits it, but for = and :, which names of events have.
	read -ra words <<<"$line"
	[[ $line != *[[:space:]] ]] || words+=('')
	cur=${words[-1]}
	command=${words[1]}
	COMPREPLY=()

	if [ ${#words[@]} -le 2 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$pfmon" --help 2>/dev/null |
			sed -n 's/^  pfmon \([a-z]*\) .*/\1/p') --help --version" -- "$cur")
		return
	fi
	help=$("$pfmon" "$command" --help 2>/dev/null)
	_pfmon_options "$help"

	# Which option wants this word? Or is it the command's?
	wants=
	for ((i = 2; i < ${#words[@]} - 1; i++)); do
		word=${words[i]}
		if [ -n "$wants" ]; then
			wants=
			continue
		fi
		case $word in
		--)
			wants=COMMAND
			i=$((i + 1))
			break
			;;
		--*=*) ;;
		--*) [ -z "${argument[$word]}" ] || wants=$word ;;
		-*)
			# Of -Aa or -ecycles the letters before one with an argument have none.
			while [ ${#word} -gt 1 ]; do
				if [ -n "${argument[${option[-${word:1:1}]:-none}]}" ]; then
					[ ${#word} -gt 2 ] || wants=${option[-${word:1:1}]}
					break
				fi
				word=-${word:2}
			done
			;;
		*)
			wants=COMMAND
			break
			;;
		esac
	done
	if [ -z "$wants" ]; then
		case $cur in
		--*=*) wants=${cur%%=*} cur=${cur#*=} ;;
		-*)
			mapfile -t COMPREPLY < <(compgen -W "${!option[*]}" -- "$cur")
			return
			;;
		*) wants=COMMAND i=$((${#words[@]} - 1)) ;;
		esac
	fi

	case $wants in
	--event | --read | --switch-overflow)
		_pfmon_list "$cur" < <(_pfmon_events "$pfmon" "$cur")
		;;
	--by)
		_pfmon_list "$cur" < <(_pfmon_meaning "$help" --by |
			sed 's/:.*//; s/^by //; s/, */\n/g' | sed 's/ .*//')
		;;
	--format) mapfile -t COMPREPLY < <(compgen -W "$(_pfmon_formats "$help")" -- "$cur") ;;
	--output | --input)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames 2>/dev/null
		;;
	--pid) _pfmon_list "$cur" < <(cd /proc && printf '%s\n' [0-9]*) ;;
	COMMAND)
		# The usage says what there is but options.
		case ${help%%$'\n\n'*} in
		*COMMAND*)
			if [ $i -eq $((${#words[@]} - 1)) ]; then
				mapfile -t COMPREPLY < <(compgen -c -- "$cur" | sort -u)
			else
				mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			fi
			compopt -o filenames 2>/dev/null
			;;
		*EVENT* | *GLOB*) _pfmon_list "$cur" < <(_pfmon_events "$pfmon" "$cur") ;;
		esac
		;;
	esac

	# Bash replaces what is behind the last : or =, if these end a word there.
	word=${COMP_WORDBREAKS//[!:=]/}
	if [ -n "$word" ]; then
		word=${cur%"${cur##*["$word"]}"}
		for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]:${#word}}; done
	fi
}
complete -F _pfmon pfmon
