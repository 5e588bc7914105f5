#!/usr/bin/env bash
# qmd-search (before): searches your own indexed documents for the next idea, results to .auto/docs.md
#
# The query is what the agent wants to look at next (next_focus), else its last hypothesis, else the last
# description, else the session's goal. A query that already has its heading in the file is not asked again.
# Results are quoted line by line and only ever appended; trim the file whenever you like.
#
# Needs: jq, and the command in DOCS_COMMAND (qmd, a local search engine for Markdown); without it: silent.
# Configure: the constants below; "qmd query" instead of "qmd search" is slower and understands more.
# shellcheck disable=SC2016 # the variables in the jq programs are jq's
set -u

readonly -a DOCS_COMMAND=(qmd search -n 5 --md --)
readonly RESULTS_FILE='.auto/docs.md'
readonly QUERY_CHARACTERS=200
readonly RESULT_CHARACTERS=4000

# Control characters become spaces, runs of spaces one: agents write what they like.
readonly JQ_ONE_LINE='
  def one_line:
    if type == "string" then . else "" end
    | explode | map(if . < 32 or (. > 126 and . < 160) then 32 else . end) | implode
    | split(" ") | map(select(. != "")) | join(" ");
'

readonly JQ_QUERY="$JQ_ONE_LINE"'
  def object: if type == "object" then . else {} end;
  object
  | (.last_run | object) as $run
  | [($run.asi | object | .next_focus, .hypothesis), $run.description, (.session | object | .goal)]
  | map(one_line | select(. != ""))
  | (.[0] // "")[0:$length]
'

# Every line quoted, so that no document can pass for a heading of ours.
readonly JQ_QUOTED="$JQ_ONE_LINE"'
  .[0:$length] | split("\n") | map(one_line | select(. != "") | "> " + .) | join("\n")
'

require_jq() {
  command -v jq >/dev/null 2>&1 && return
  printf 'qmd-search: jq is not installed, so nothing was searched\n' >&2
  exit 0
}

already_searched() {
  grep -qxF -- "## $1" "$RESULTS_FILE" 2>/dev/null
}

search() {
  local found
  found=$("${DOCS_COMMAND[@]}" "$1" </dev/null 2>/dev/null) || return 0
  printf '%s' "$found" | jq -Rrs --argjson length "$RESULT_CHARACTERS" "$JQ_QUOTED"
}

ends_mid_line() {
  [ -s "$1" ] && [ -n "$(tail -c 1 "$1")" ]
}

file_results() {
  mkdir -p "${RESULTS_FILE%/*}" || return 1
  if [ ! -s "$RESULTS_FILE" ]; then
    printf '# Documents\n\nFound among the indexed documents, newest last.\n' >>"$RESULTS_FILE" || return 1
  fi
  if ends_mid_line "$RESULTS_FILE"; then
    printf '\n' >>"$RESULTS_FILE" || return 1
  fi
  printf '\n## %s\n\n%s\n' "$1" "$2" >>"$RESULTS_FILE"
}

main() {
  local query results
  command -v "${DOCS_COMMAND[0]:-}" >/dev/null 2>&1 || exit 0
  require_jq
  query=$(jq -r --argjson length "$QUERY_CHARACTERS" "$JQ_QUERY") || exit 0
  [ -n "$query" ] || exit 0
  already_searched "$query" && exit 0
  results=$(search "$query")
  [ -n "$results" ] || exit 0
  file_results "$query" "$results" || exit 1
  printf 'Passages of the documents about "%s" are in %s.\n' "$query" "$RESULTS_FILE"
}

main
