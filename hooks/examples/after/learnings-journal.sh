#!/usr/bin/env bash
# learnings-journal (after): appends one key=value line a run to .auto/learnings.log
#
# For grep and small programs: run=12 status=discard metric=38.9 description="two words" learned="..."
# Simple words and numbers stand bare, everything else is a JSON string, so that a line stays a line. What
# was not recorded is left out. In a git repository the file is listed in git's private exclude list, so that
# no rollback takes it away.
#
# Needs: jq.
# Configure: the constants below.
# shellcheck disable=SC2016 # the variables in the jq programs are jq's
set -u

readonly JOURNAL_FILE='.auto/learnings.log'

# Adding 0 makes every jq write a number alike: some leave 1e-05 as it is, some make it 0.00001.
readonly JQ_LINE='
  def object: if type == "object" then . else {} end;
  def moment:
    if type == "number" then (if . > 1e11 then . / 1000 else . end | floor | todate)?
    elif type == "string" then .
    else null end;
  # Line separators that JSON leaves as they are become spaces.
  def one_line:
    explode | map(if (. > 126 and . < 160) or . == 8232 or . == 8233 then 32 else . end) | implode;
  def shown:
    if type == "array" or type == "object" then tojson elif type == "number" then . + 0 else . end
    | if type == "string" and test("\\A[A-Za-z0-9_.:/%-]+\\z") then . else tojson | one_line end;
  object
  | (.run_entry | object) as $run
  | ($run.asi | object) as $asi
  | (.session | object) as $session
  | select(($run.run | type) == "number")
  | [
      ["time", ($run.timestamp | moment)],
      ["run", $run.run],
      ["status", $run.status],
      ["metric", $run.metric],
      ["unit", $session.metric_unit],
      ["best", $session.best_metric],
      ["commit", $run.commit],
      ["description", $run.description],
      (("hypothesis", "learned", "rollback_reason", "next_focus", "next_action_hint") | [., $asi[.]])
    ]
  | map(select(.[1] != null and .[1] != "") | "\(.[0])=\(.[1] | shown)")
  | join(" ")
'

require_jq() {
  command -v jq >/dev/null 2>&1 && return
  printf 'learnings-journal: jq is not installed, so nothing was written\n' >&2
  exit 0
}

append_line() {
  if [ -s "$1" ] && [ -n "$(tail -c 1 "$1")" ]; then
    printf '\n' >>"$1" || return 1
  fi
  printf '%s\n' "$2" >>"$1"
}

# The exclude list is shared by all worktrees; its patterns start at the root of each.
exclude_from_git() {
  local exclude prefix pattern
  exclude=$(git rev-parse --git-path info/exclude 2>/dev/null) || return 0
  prefix=$(git rev-parse --show-prefix 2>/dev/null | LC_ALL=C sed 's/[][\\*?]/\\&/g')
  pattern="/$prefix$JOURNAL_FILE"
  grep -qxF -- "$pattern" "$exclude" 2>/dev/null && return 0
  mkdir -p "${exclude%/*}" && append_line "$exclude" "$pattern"
}

main() {
  local line
  require_jq
  line=$(jq -r "$JQ_LINE") || exit 0
  [ -n "$line" ] || exit 0
  mkdir -p "${JOURNAL_FILE%/*}" || exit 1
  exclude_from_git
  append_line "$JOURNAL_FILE" "$line" || exit 1
}

main
