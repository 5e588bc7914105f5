#!/usr/bin/env bash
# idea-rotator (before): puts the first unchecked idea of .auto/ideas.md in front of the agent
#
# An idea is a list item with an empty box, "- [ ] try a sorted index". Ticking it ("- [x]") lets the next
# one come up; the file itself is never changed. No file, or nothing left to try: silent.
#
# Needs: nothing beyond the shell.
# Configure: the constants below.
set -u

readonly IDEAS_FILE='.auto/ideas.md'
readonly LEGACY_IDEAS_FILE='autoresearch.ideas.md'
readonly REMINDER='Tick its box once it was tried.'

ideas_file() {
  if [ -f "$IDEAS_FILE" ]; then
    printf '%s\n' "$IDEAS_FILE"
  else
    printf '%s\n' "$LEGACY_IDEAS_FILE"
  fi
}

# In the C locale sed and tr pass any bytes through, emoji included, and control characters are dropped.
first_unchecked() {
  LC_ALL=C tr -d '\000-\010\013-\037\177' <"$1" |
    LC_ALL=C sed -n 's/^[[:space:]]*[-*+][[:space:]]\{1,\}\[ \][[:space:]]*\([^[:space:]].*\)$/\1/p' |
    head -n 1
}

main() {
  local file idea
  file=$(ideas_file)
  [ -f "$file" ] || exit 0
  idea=$(first_unchecked "$file")
  [ -n "$idea" ] || exit 0
  printf 'Next idea in %s: %s\n%s\n' "$file" "$idea" "$REMINDER"
}

main
