#!/usr/bin/env bash
# journal (after): appends one readable line a kept or discarded run to .auto/learnings.md
#
# For people: what was tried, what came of it, what was learned. Crashes and failed checks are left out. Lines are
# only ever appended, so write into the file as you like. In a git repository it is listed in git's private
# exclude list before the first line is written, so that no stash, clean or reset takes it away.
#
# Needs: jq.
# Configure: the constants below.
# shellcheck disable=SC2016 # the variables in the jq programs are jq's
set -u

readonly JOURNAL_FILE='.auto/learnings.md'
readonly JOURNAL_TITLE='# Learnings'

# Adding 0 makes every jq write a number alike: some leave 1e-05 as it is, some make it 0.00001.
readonly JQ_LINE='
  def object: if type == "object" then . else {} end;
  def one_line:
    if type == "string" then . else "" end
    | explode | map(if . < 32 or (. > 126 and . < 160) or . == 8232 or . == 8233 then 32 else . end) | implode
    | split(" ") | map(select(. != "")) | join(" ");
  def labelled($name): one_line | select(. != "") | "*\($name):* \(.)";
  def change($baseline):
    select(($baseline | type) == "number" and $baseline != 0 and . != $baseline)
    | ((. - $baseline) / ($baseline | fabs) * 1000 + 0.5 | floor / 10)
    | "(\(if . > 0 then "+" else "" end)\(.)% against the baseline)";
  object
  | (.run_entry | object) as $run
  | ($run.asi | object) as $asi
  | (.session | object) as $session
  | select(($run.run | type) == "number")
  | ({"keep": "kept", "discard": "discarded"}[$run.status | strings] | strings) as $outcome
  | ([$run.metric | numbers | . + 0
      | tojson, ($session.metric_unit | one_line | select(. != "")), change($session.baseline_metric)]
      | join(" ")) as $reading
  | [
      "- **Run \($run.run) \($outcome)**\(if $reading == "" then "" else ", " + $reading end):",
      ($run.description | one_line | select(. != "")),
      ($asi.learned | labelled("Learned")),
      ($asi.rollback_reason | labelled("Dropped because")),
      ($asi.next_focus | labelled("Next"))
    ]
  | join(" ")
'

require_jq() {
  command -v jq >/dev/null 2>&1 && return
  printf 'journal: jq is not installed, so nothing was written\n' >&2
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

# An exclude list means nothing for a file that was committed: then say so, for the lines are at risk.
warn_if_tracked() {
  git ls-files --error-unmatch -- "$JOURNAL_FILE" >/dev/null 2>&1 || return 0
  printf '%s is tracked by git, so a rollback can take its lines away; try: git rm --cached %s\n' \
    "$JOURNAL_FILE" "$JOURNAL_FILE"
}

main() {
  local line
  require_jq
  line=$(jq -r "$JQ_LINE") || exit 0
  [ -n "$line" ] || exit 0
  mkdir -p "${JOURNAL_FILE%/*}" || exit 1
  exclude_from_git
  if [ ! -s "$JOURNAL_FILE" ]; then
    printf '%s\n\n' "$JOURNAL_TITLE" >>"$JOURNAL_FILE" || exit 1
  fi
  append_line "$JOURNAL_FILE" "$line" || exit 1
  warn_if_tracked
}

main
