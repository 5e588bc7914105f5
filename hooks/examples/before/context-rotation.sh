#!/usr/bin/env bash
# context-rotation (before): keeps .auto/prompt.md short: over 20 KiB, all after line 80 is archived
#
# The first 80 lines (goal and rules) stay; the rest goes, byte for byte, to .auto/archive/prompt-<n>.md with
# a new number each time, and one line at the end of the prompt says where. Nothing is lost at any moment:
# the archive is written and compared first, then the shorter prompt takes the old one's place in one step.
#
# Needs: nothing beyond the shell.
# Configure: the constants below.
set -u

readonly PROMPT_FILE='.auto/prompt.md'
readonly LEGACY_PROMPT_FILE='autoresearch.md'
readonly ARCHIVE_DIRECTORY='.auto/archive'
readonly LIMIT_BYTES=20480
readonly KEPT_LINES=80
# shellcheck disable=SC2016 # the backticks are Markdown
readonly POINTER='Older notes are in `.auto/archive/` (prompt-<n>.md, the newest has the highest number).'

prompt_file() {
  if [ -f "$PROMPT_FILE" ]; then
    printf '%s\n' "$PROMPT_FILE"
  else
    printf '%s\n' "$LEGACY_PROMPT_FILE"
  fi
}

# A link is left alone: replacing it would cut the prompt off from the file it stands for.
is_over_limit() {
  [ -f "$1" ] && [ ! -L "$1" ] && [ "$(wc -c <"$1")" -gt "$LIMIT_BYTES" ]
}

kept() {
  head -n "$KEPT_LINES" "$1"
}

rest() {
  tail -n "+$((KEPT_LINES + 1))" "$1"
}

# Blank lines and the pointer of an earlier rotation are no notes.
has_notes_to_move() {
  rest "$1" | LC_ALL=C grep -avxF -- "$POINTER" | LC_ALL=C grep -aq '[^[:space:]]'
}

next_number() {
  local file number highest=0
  for file in "$ARCHIVE_DIRECTORY"/prompt-*.md; do
    number=${file##*/prompt-}
    number=${number%.md}
    [[ $number =~ ^[0-9]{1,9}$ ]] || continue
    [ "$((10#$number))" -gt "$highest" ] && highest=$((10#$number))
  done
  printf '%d\n' "$((highest + 1))"
}

# noclobber refuses a file that exists, even one that came between the look and the write.
archive_rest() {
  local archive
  mkdir -p "$ARCHIVE_DIRECTORY" || return 1
  archive="$ARCHIVE_DIRECTORY/prompt-$(next_number).md"
  (set -o noclobber && : >"$archive") || return 1
  rest "$1" >>"$archive" || return 1
  printf '%s\n' "$archive"
}

nothing_lost() {
  kept "$1" | cat - "$2" | cmp -s - "$1"
}

# The copy first, for the sake of the file's owner and mode.
shorten() {
  local shorter
  shorter=$(mktemp "$1.XXXXXX") || return 1
  if cp -p "$1" "$shorter" &&
    { kept "$1" && printf '\n%s\n' "$POINTER"; } >"$shorter" &&
    nothing_lost "$1" "$2" &&
    mv -f "$shorter" "$1"; then
    return 0
  fi
  rm -f "$shorter"
  return 1
}

main() {
  local prompt archive
  prompt=$(prompt_file)
  is_over_limit "$prompt" || exit 0
  has_notes_to_move "$prompt" || exit 0
  archive=$(archive_rest "$prompt") || exit 1
  if ! shorten "$prompt" "$archive"; then
    printf 'context-rotation: %s could not be shortened and is as it was\n' "$prompt" >&2
    exit 1
  fi
  printf '%s was over %d bytes: its first %d lines stay, the rest is in %s.\n' \
    "$prompt" "$LIMIT_BYTES" "$KEPT_LINES" "$archive"
}

main
