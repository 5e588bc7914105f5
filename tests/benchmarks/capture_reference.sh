#!/usr/bin/env bash
#
# What error capture's silent path is compared with: the same duty as a plain bash and jq script.
#
# Reads a PostToolUse or PostToolUseFailure payload on stdin and is silent unless a line of the output
# holds error text and no exclusion. Needs bash 3.2, jq and grep. Always exits 0.

set -u

readonly ERRORS='error(\[|:| [A-Z]+[0-9]+)|failed|fatal:|panic:|traceback|npm err!|no such file|permission denied|command not found|segmentation fault|\*\*\* \['
readonly EXCLUSIONS='(0|no) (errors?|failed|failures)|console\.error|logger\.error|passed$'
readonly QUOTING='^[[:space:]]*(cat|grep|rg|head|tail|sed -n|git (log|show|diff|blame))([[:space:]]|$)'

payload=$(cat)

fields=$(jq -r '
    (.tool_input.command? // "" | split("\n")[0]),
    (.tool_response | objects | .stdout?, .stderr? | strings),
    (.error | strings)
' <<<"$payload" 2>/dev/null) || exit 0

command=${fields%%$'\n'*}
output=${fields#*$'\n'}

if grep -qE "$QUOTING" <<<"$command"; then
    exit 0
fi

line=$(grep -viE "$EXCLUSIONS" <<<"$output" | grep -m 1 -iE "$ERRORS") || exit 0

jq -cn --arg line "$line" '{
    hookSpecificOutput: {
        hookEventName: "PostToolUse",
        additionalContext: "Error text: \($line). Record the fix: ar finding"
    }
}'
exit 0
