#!/usr/bin/env bash
# auto-tag-winners (after): gives the commit of every new best a git tag of its own
#
# A new best is a kept run whose metric is the session's best, is not the baseline's, and was not reached by an
# earlier kept run of the segment. The tag is autoresearch/best-run-<n>. An existing tag is never moved: if the
# name is taken by another commit, the tag gets a number (autoresearch/best-run-12-2). Outside git, or when the
# run names no commit of this repository: silent.
#
# Needs: jq, git.
# Configure: the constants below.
# shellcheck disable=SC2016 # the variables in the jq programs are jq's
set -u

readonly TAG_PREFIX='autoresearch/best-run-'
readonly TAG_ATTEMPTS=50
readonly LOG_FILE='.auto/log.jsonl'
readonly LEGACY_LOG_FILE='autoresearch.jsonl'
readonly LINES_THAT_MATTER='"type" *: *"config"|"status" *: *"keep"'

# Adding 0 makes every jq write a number alike: some leave 1e-05 as it is, some make it 0.00001.
# Prints run, metric, unit and commit on a line each, for a run that may be a new best; else nothing.
readonly JQ_CANDIDATE='
  def object: if type == "object" then . else {} end;
  object
  | (.run_entry | object) as $run
  | (.session | object) as $session
  | select($run.status == "keep")
  | select(($run.run | type) == "number" and ($run.metric | type) == "number")
  | select($run.metric == $session.best_metric and $run.metric != $session.baseline_metric)
  | select(($run.commit | type) == "string" and ($run.commit | test("\\A[0-9a-fA-F]{4,64}\\z")))
  | ($run.run | floor), ($run.metric + 0 | tojson), ($session.metric_unit | strings | split("\n") | join(" ")) // "",
    $run.commit
'

readonly JQ_REACHED_BEFORE='
  reduce (inputs | fromjson? | objects) as $line (false;
    if $line.type == "config" then false
    elif $line.status == "keep" and $line.metric == $metric and $line.run < $run then true
    else . end)
'

require_jq() {
  command -v jq >/dev/null 2>&1 && return
  printf 'auto-tag-winners: jq is not installed, so nothing was tagged\n' >&2
  exit 0
}

log_file() {
  if [ -f "$LOG_FILE" ]; then
    printf '%s\n' "$LOG_FILE"
  else
    printf '%s\n' "$LEGACY_LOG_FILE"
  fi
}

# Only lines that can matter reach jq: logs grow long, and hooks run inline.
reached_before() {
  local log found
  log=$(log_file)
  [ -f "$log" ] || return 1
  found=$(LC_ALL=C grep -aE "$LINES_THAT_MATTER" "$log" |
    jq -Rn --argjson run "$1" --argjson metric "$2" "$JQ_REACHED_BEFORE")
  [ "$found" = true ]
}

commit_of() {
  git rev-parse --verify --quiet "$1^{commit}" 2>/dev/null
}

# Prints the first free name for this run; fails when the commit has one of the names already.
free_name() {
  local name="$TAG_PREFIX$1" attempt=1
  while [ "$attempt" -le "$TAG_ATTEMPTS" ]; do
    if ! git rev-parse --verify --quiet "refs/tags/$name" >/dev/null; then
      printf '%s\n' "$name"
      return 0
    fi
    [ "$(commit_of "refs/tags/$name")" = "$2" ] && return 1
    attempt=$((attempt + 1))
    name="$TAG_PREFIX$1-$attempt"
  done
  return 1
}

main() {
  local run metric unit hash commit name
  command -v git >/dev/null 2>&1 || exit 0
  require_jq
  { IFS= read -r run && IFS= read -r metric && IFS= read -r unit && IFS= read -r hash; } \
    < <(jq -r "$JQ_CANDIDATE") || exit 0
  commit=$(commit_of "$hash") || exit 0
  reached_before "$run" "$metric" && exit 0
  name=$(free_name "$run" "$commit") || exit 0
  # The empty old value makes git refuse when the tag exists: created, never moved.
  git update-ref "refs/tags/$name" "$commit" '' || exit 1
  printf 'Run %s is a new best (%s%s), tagged %s.\n' "$run" "$metric" "${unit:+ $unit}" "$name"
}

main
