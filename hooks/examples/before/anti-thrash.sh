#!/usr/bin/env bash
# anti-thrash (before): advises a structural change when the last 5 judged runs brought no keep
#
# Judged runs are keep, discard and checks_failed; crashes neither count nor interrupt. Only the current
# segment is looked at, and only the end of the log is read. Damaged lines are skipped.
#
# Needs: jq.
# Configure: the constants below.
# shellcheck disable=SC2016 # the variables in the jq programs are jq's
set -u

readonly JUDGED_RUNS=5
readonly ADVICE='Stop adjusting the same thing. Change something structural: the algorithm, the data layout, what is computed at all.'
readonly LOG_FILE='.auto/log.jsonl'
readonly LEGACY_LOG_FILE='autoresearch.jsonl'
readonly LOOK_BACK_LINES=5000
readonly DESCRIPTION_CHARACTERS=80

readonly JQ_ADVICE='
  def one_line:
    if type == "string" then . else "" end
    | explode | map(if . < 32 or (. > 126 and . < 160) then 32 else . end) | implode
    | split(" ") | map(select(. != "")) | join(" ");
  def is_run: (.run | type) == "number" and (.type == null or .type == "run");
  def is_judged: .status == "keep" or .status == "discard" or .status == "checks_failed";
  reduce (inputs | fromjson? | objects) as $line ([];
    if $line.type == "config" then []
    elif ($line | is_run and is_judged) then (. + [$line])[-$judged:]
    else . end)
  | select(length == $judged and all(.[]; .status != "keep"))
  | (map(.run | tostring) | join(", ")) as $runs
  | (map(.description | one_line | .[0:$length] | select(. != "")) | join("; ")) as $tried
  | "No keep in the last \($judged) judged runs (\($runs)). \($advice)"
    + (if $tried == "" then "" else " Tried: \($tried)." end)
'

require_jq() {
  command -v jq >/dev/null 2>&1 && return
  printf 'anti-thrash: jq is not installed, so the log was not read\n' >&2
  exit 0
}

log_file() {
  if [ -f "$LOG_FILE" ]; then
    printf '%s\n' "$LOG_FILE"
  else
    printf '%s\n' "$LEGACY_LOG_FILE"
  fi
}

main() {
  local log
  log=$(log_file)
  [ -f "$log" ] || exit 0
  require_jq
  tail -n "$LOOK_BACK_LINES" "$log" | jq -Rrn \
    --argjson judged "$JUDGED_RUNS" --argjson length "$DESCRIPTION_CHARACTERS" --arg advice "$ADVICE" "$JQ_ADVICE"
}

main
