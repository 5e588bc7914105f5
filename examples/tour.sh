#!/bin/sh
# A tour of the ledger: record a session, look at it, look back in time, ask why, verify.
# It works in a scratch directory and leaves nothing behind. Needs our `ar` first on PATH.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
case $(ar --version 2>/dev/null) in
"ar "[0-9]*) ;;
*)
	echo "tour: the \`ar\` on PATH is another program; activate the environment that ours is installed in" >&2
	exit 1
	;;
esac

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$here/night.jsonl" "$scratch"
cd "$scratch"
unset AR_BY AR_DIR

show() {
	printf '\n$ %s\n' "$1"
	sh -c "$1"
}

echo "# Record: a goal, a night of an agent's runs, and one of your own."
show "ar init 'parse faster' --metric parse_ms --unit ms --direction lower"
show "ar append - --batch night < night.jsonl"
show "ar log --status keep --metric 31.9 -m 'parse keys once' --metrics rss_kb=8720"

printf '\n# Look: where it stands, and run by run.\n'
show "ar view"
show "ar view runs"

printf '\n# Look back: the same view, as it was after the fourth run, and at 11 pm.\n'
show "ar view --at run:4"
show "ar diff 2026-01-30T23:00Z head || true"

printf '\n# Ask why: which events made it so.\n'
show "ar why best_metric"
show "ar replay stall --from run:7"

printf '\n# Verify: the chain of digests shows a line that was altered.\n'
show "ar verify"
show "sed -i.bak 's/:31[.]0,/:41.0,/' .auto/log.jsonl; ar verify || true"
