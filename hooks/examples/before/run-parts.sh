#!/usr/bin/env bash
# run-parts (before): runs every script of before.d/ next to it, in name order, for several concerns at once
#
# As .auto/hooks/before.sh it runs .auto/hooks/before.d/*.sh, as after.sh it runs after.d/*.sh; under any other
# name the payload's event decides. Every part gets the same payload on stdin; what it prints is passed on. Files
# without the execute bit are left out. A part that fails is named and stops no other; the exit code is then 1.
# All parts share the hook's 30 seconds and its 8,192 bytes.
#
# Needs: jq, only under a name that does not tell the stage.
# Configure: number the parts, before.d/10-ideas.sh, before.d/20-search.sh.
set -u

readonly PARTS_PATTERN='*.sh'

own_directory() {
  case $0 in
    */*) printf '%s\n' "${0%/*}" ;;
    *) printf '.\n' ;;
  esac
}

event_of() {
  if ! command -v jq >/dev/null 2>&1; then
    printf 'run-parts: jq is not installed; name this file before.sh or after.sh\n' >&2
    return
  fi
  jq -r '.event? | strings' <<<"$1"
}

stage_of() {
  case ${0##*/} in
    before*) printf 'before\n' ;;
    after*) printf 'after\n' ;;
    *) event_of "$1" ;;
  esac
}

# Sorted by bytes, so that the order is the same on every machine; only the sorting sees this locale.
list_parts() {
  local LC_ALL=C
  # shellcheck disable=SC2206 # the pattern is meant to expand; the directory is quoted
  parts=("$1"/$PARTS_PATTERN)
}

run_part() {
  local shown code
  shown=$("$1" <<<"$payload")
  code=$?
  [ -z "$shown" ] || printf '%s\n' "$shown"
  [ "$code" -eq 0 ] || printf '[%s exited %d]\n' "${1##*/}" "$code"
  return "$code"
}

main() {
  local payload stage part failed=0
  local -a parts
  payload=$(cat)
  stage=$(stage_of "$payload")
  [ "$stage" = before ] || [ "$stage" = after ] || exit 0
  list_parts "$(own_directory)/$stage.d"
  for part in "${parts[@]}"; do
    if [ -f "$part" ] && [ -x "$part" ]; then
      run_part "$part" || failed=1
    fi
  done
  exit "$failed"
}

main
