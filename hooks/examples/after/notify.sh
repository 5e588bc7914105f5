#!/usr/bin/env bash
# notify (after): tells you how a run went: a desktop notification, else the terminal bell
#
# Says nothing to the agent. Worded and coloured by the run's status; for all runs, or only for new bests.
# Texts are handed over as arguments, never as part of a program.
#
# Needs: jq; osascript (macOS) or notify-send (Linux), else it rings the terminal.
# Configure: the constants below.
# shellcheck disable=SC2016 # the variables in the jq programs are jq's
set -u

readonly NOTIFY_ON='all' # 'all' runs, or only a new 'best'
readonly APPLICATION='autoresearch'
readonly TEXT_CHARACTERS=200
readonly LOG_FILE='.auto/log.jsonl'
readonly LEGACY_LOG_FILE='autoresearch.jsonl'
readonly LINES_THAT_MATTER='"type" *: *"config"|"status" *: *"keep"'

# Adding 0 makes every jq write a number alike: some leave 1e-05 as it is, some make it 0.00001.
# Prints status, run, metric ("null" if none), whether it may be a new best, metric with unit, and the text.
readonly JQ_REPORT='
  def object: if type == "object" then . else {} end;
  def one_line:
    if type == "string" then . else "" end
    | explode | map(if . < 32 or (. > 126 and . < 160) then 32 else . end) | implode
    | split(" ") | map(select(. != "")) | join(" ");
  object
  | (.run_entry | object) as $run
  | (.session | object) as $session
  | select(($run.run | type) == "number")
  | (($run.metric | numbers) // null) as $metric
  | ($run.status | one_line),
    $run.run,
    ($metric | tojson),
    ($metric != null and $run.status == "keep"
      and $metric == $session.best_metric and $metric != $session.baseline_metric),
    ([$metric | numbers | . + 0 | tojson, ($session.metric_unit | one_line | select(. != ""))] | join(" ")),
    ($run.description | one_line | .[0:$length])
'

readonly JQ_REACHED_BEFORE='
  reduce (inputs | fromjson? | objects) as $line (false;
    if $line.type == "config" then false
    elif $line.status == "keep" and $line.metric == $metric and $line.run < $run then true
    else . end)
'

readonly JQ_LITERAL='
  split("\\") | join("\\\\") | split("&") | join("&amp;") | split("<") | join("&lt;") | split(">") | join("&gt;")
'

require_jq() {
  command -v jq >/dev/null 2>&1 && return
  printf 'notify: jq is not installed, so nobody was told\n' >&2
  exit 0
}

log_file() {
  if [ -f "$LOG_FILE" ]; then
    printf '%s\n' "$LOG_FILE"
  else
    printf '%s\n' "$LEGACY_LOG_FILE"
  fi
}

# A kept run that only equals an earlier one is no new best. Only lines that can matter reach jq.
reached_before() {
  local log found
  log=$(log_file)
  [ -f "$log" ] || return 1
  found=$(LC_ALL=C grep -aE "$LINES_THAT_MATTER" "$log" |
    jq -Rn --argjson run "$1" --argjson metric "$2" "$JQ_REACHED_BEFORE")
  [ "$found" = true ]
}

# Sets mark, words, colour (ANSI) and urgency (which desktops turn into a colour).
describe() {
  case $1 in
    best) mark='🟢' words='New best' colour=32 urgency=normal ;;
    keep) mark='🔵' words='Kept' colour=36 urgency=normal ;;
    discard) mark='🟡' words='Discarded' colour=33 urgency=low ;;
    checks_failed) mark='🟠' words='Checks failed' colour=35 urgency=normal ;;
    crash) mark='🔴' words='Crashed' colour=31 urgency=critical ;;
    *) return 1 ;;
  esac
}

notify_macos() {
  command -v osascript >/dev/null 2>&1 || return 1
  osascript -e 'on run argv' \
    -e 'display notification (item 2 of argv) with title (item 1 of argv)' \
    -e 'end run' "$1" "$2" >/dev/null 2>&1
}

# notify-send reads the text as markup and expands backslashes; both are taken literally here.
notify_linux() {
  local text=$2
  command -v notify-send >/dev/null 2>&1 || return 1
  text=$(printf '%s' "$text" | jq -Rrs "$JQ_LITERAL")
  notify-send --app-name="$APPLICATION" --urgency="$urgency" -- "$1" "$text" >/dev/null 2>&1
}

# The terminal if there is one (from a background job too, hence the trap), else stderr; never stdout,
# which is what the agent reads.
ring_terminal() {
  local line
  line=$(printf '\a\033[%sm%s\033[0m %s' "$colour" "$1" "$2")
  trap '' TTOU
  { printf '%s\n' "$line" >/dev/tty; } 2>/dev/null || printf '%s\n' "$line" >&2
}

main() {
  local outcome run metric may_be_best reading text mark words colour urgency title
  require_jq
  {
    IFS= read -r outcome && IFS= read -r run && IFS= read -r metric && IFS= read -r may_be_best &&
      IFS= read -r reading && IFS= read -r text
  } < <(jq -r --argjson length "$TEXT_CHARACTERS" "$JQ_REPORT") || exit 0
  if [ "$may_be_best" = true ] && ! reached_before "$run" "$metric"; then
    outcome=best
  fi
  [ "$NOTIFY_ON" = all ] || [ "$outcome" = best ] || exit 0
  describe "$outcome" || exit 0
  title="$mark $words${reading:+: $reading}"
  text="Run $run${text:+: $text}"
  notify_macos "$title" "$text" || notify_linux "$title" "$text" || ring_terminal "$title" "$text"
}

main
