"""Error capture: whether a tool's output holds error text, and the reminder to record the fix.

It matches text, and nothing else is to be had: none of the fields a coding agent hands to its hooks is an
exit status (design, section 6.2). Silent when no error text matches. Line by line: a line holding an
exclusion is skipped, harmless phrases are taken out, the first line that still holds a pattern fires; no
line has a say about another. Where the command merely quotes, only its own complaints count. Everything
here is pure and total: any bytes, any JSON.
"""

from __future__ import annotations

import re

from hooks.error_exclusions import EXCLUSIONS, HARMLESS
from hooks.error_patterns import PATTERNS, Row
from hooks.quoting import quoted_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

SUCCESS, FAILURE = "PostToolUse", "PostToolUseFailure"
AFTER = "AfterTool"
"""Gemini CLI's event, of calls that went well and of others."""

LINE_LIMIT = 4_096
"""Characters of a line that are looked at: a minified bundle is no reason to miss the deadline."""

END_SIZE = 1 << 18
"""Characters at either end of a text that are looked at; more than any agent shows itself."""

BLOCK_SIZE = 32_768
"""Characters of output that are dismissed at once when no needle is in them."""

BLANK = "·"
"""What stands for a harmless phrase: neither a word nor white space, so that nothing new is formed."""

EXCERPT_LIMIT, FIELD_LIMIT = 72, 500
"""Characters of the line in the reminder, and of a line or a command in the event."""

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[PX^_][^\x1b\n]*(?:\x1b\\)?|[ -/]*[0-~]?)"
)
# What Claude Code puts before the output of a failed call. A bare 1 tells nothing (grep found no match);
# a program that was not found, or that a signal ended, does.
_VERDICT = re.compile(r"\A(?:Error: )?Exit code ([0-9]{1,9})[ \t]*(?:\r?\n|\Z)")
# What Gemini CLI puts behind the output of a call that went well.
_NO_ERROR = re.compile(r"^Error: \(none\)$", re.MULTILINE)
_TELLING_STATUS = frozenset({126, 127, 132, 134, 135, 136, 137, 139})
# By their names, in lower case, the tools that run commands; other tools' texts are no output.
_COMMAND_TOOLS = ("bash", "shell", "exec", "terminal", "command")


class Output:
    """What a tool call printed: event and tool as the agent names them, the command, the texts in order.

    stdout: that one of the texts which is known to be stdout alone; empty if none is.
    """

    __slots__ = ("command", "event", "stdout", "texts", "tool")

    def __init__(self, event: str, tool: str, command: str, texts: tuple[str, ...], stdout: str = "") -> None:
        self.event = event
        self.tool = tool
        self.command = command
        self.texts = texts
        self.stdout = stdout


class Capture:
    """An error that was seen: the name of the pattern, the line that holds it, and where it came from."""

    __slots__ = ("command", "event", "line", "pattern", "tool")

    def __init__(self, pattern: str, line: str, output: Output) -> None:
        self.pattern = pattern
        self.line = line
        self.event = output.event
        self.tool = output.tool
        self.command = output.command

    def fields(self) -> dict[str, str]:
        """The fields of an `error_seen` event, capped; secrets are kept out at the log's door."""
        return {
            "tool": _capped(self.tool, FIELD_LIMIT),
            "pattern": self.pattern,
            "context": _capped(self.line.strip(), FIELD_LIMIT),
            "command": _capped(self.command.strip(), FIELD_LIMIT),
        }


def text_of(payload: bytes | dict[str, Any]) -> Output | None:
    """The output in a hook's JSON; None if that is malformed, of another event or tool, or holds no text.

    `PostToolUse`: `tool_response.stdout`, then `stderr` (or `tool_response` itself where it is a string);
    `PostToolUseFailure`: `error`, without the agent's own `Exit code N` before it. `AfterTool`:
    `tool_response.returnDisplay`, else `llmContent`, and `error.message`. Fields of other types count as
    missing; a missing event is told by the text's field, a missing tool runs commands.
    """
    document: Any = payload
    if isinstance(payload, bytes):
        import json

        try:
            document = json.loads(payload.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            return None
    if not isinstance(document, dict):
        return None
    response, error, given = document.get("tool_response"), document.get("error"), document.get("tool_input")
    event = document.get("hook_event_name", FAILURE if response is None else SUCCESS)
    tool = _string(document.get("tool_name"))
    if event not in (SUCCESS, FAILURE, AFTER) or not (
        tool == "" or any(n in tool.lower() for n in _COMMAND_TOOLS)
    ):
        return None
    texts: list[str] = []
    stdout = ""
    if isinstance(response, str):
        texts.append(response)
    elif isinstance(response, dict):
        stdout = "" if response.get("isImage") is True else _string(response.get("stdout"))
        texts += [stdout, _string(response.get("stderr"))]
        if event == AFTER:
            failed = response.get("error")
            error = failed.get("message") if isinstance(failed, dict) else None
            shown = _string(response.get("returnDisplay"))
            texts.append(_NO_ERROR.sub("", shown if shown.strip() else _string(response.get("llmContent"))))
    texts.append(
        _VERDICT.sub(lambda code: code[0] if int(code[1]) in _TELLING_STATUS else "", _string(error))
    )
    texts = [text for text in texts if text.strip()]
    command = _string(given.get("command")) if isinstance(given, dict) else ""
    return Output(event, tool, command, tuple(texts), stdout) if texts else None


def plain_text(raw: bytes) -> Output:
    """The output that is `raw` itself, as UTF-8."""
    return Output(SUCCESS, "text", "", (raw.decode("utf-8", "replace"),))


def capture_of(output: Output, in_time: Callable[[], bool] = lambda: True) -> Capture | None:
    """The first error in `output`, or None. `in_time` is asked before every line and ends the search."""
    quoted = quoted_by(output.command)
    for text in output.texts:
        # A program that could not even begin says so in the first line of stderr.
        first = (
            "" if text == output.stdout else without_escapes(text[:LINE_LIMIT].lstrip()).partition("\n")[0]
        )
        for block in _blocks(without_escapes(_ends(text))):
            lower = block.lower()
            # What is in no line of the block need not be looked for in each.
            needles = [needle for needle in _NEEDLES if needle.rstrip("~") in lower]
            for line in () if _FIRING.isdisjoint(needles) else block.split("\n"):
                if not in_time():
                    return None
                if quoted is not None and not quoted.complains(line, line == first):
                    continue
                name = error_in(line, needles)
                if name is not None:
                    return Capture(name, line[:LINE_LIMIT], output)
    return None


def error_in(line: str, needles: Iterable[str] | None = None) -> str | None:
    """The name of the row by which `line`, free of escapes, is an error; None if it is none.

    Only the first `LINE_LIMIT` characters count. `needles`: all that the line can hold, where known.
    """
    line = line[:LINE_LIMIT]
    held = _held(line, _NEEDLES if needles is None else needles)
    if _FIRING.isdisjoint(held) or any(_compiled(row).search(line) for row in _near(held, EXCLUSIONS)):
        return None
    for phrase in _near(held, HARMLESS):
        if not phrase.needles.isdisjoint(held):
            line = _compiled(phrase).sub(BLANK, line)
            held = _held(line, held)
    return next((row.name for row in _near(held, PATTERNS) if _compiled(row).search(line)), None)


def reminder(capture: Capture) -> bytes:
    """The hook's answer: one line of JSON whose `additionalContext` is about 40 tokens long."""
    import json

    excerpt = _printable(capture.line.strip()[:EXCERPT_LIMIT])
    text = (
        f"Error text in that output ({capture.pattern}): {excerpt}\n"
        'Once it is fixed, record cause and fix: ar finding "CAUSE; FIX"'
    )
    answer = {"hookSpecificOutput": {"hookEventName": capture.event, "additionalContext": text}}
    return json.dumps(answer).encode() + b"\n"


def without_escapes(text: str) -> str:
    """`text` without terminal escapes: a word that a colour splits is whole again."""
    return _ESCAPES.sub("", text) if "\x1b" in text else text


def _ends(text: str) -> str:
    """All of `text`, or what lies at its beginning and at its end when it is very long."""
    if len(text) <= 2 * END_SIZE:
        return text
    return text[:END_SIZE] + "\n" + text[-END_SIZE:].partition("\n")[2]


def _blocks(text: str) -> Iterator[str]:
    """`text` in blocks of whole lines: what no needle is in is dismissed a block at a time."""
    # A progress bar ends its lines with a carriage return.
    text = text.replace("\r", "\n")
    start = 0
    while start < len(text):
        end = text.find("\n", start + BLOCK_SIZE)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


def _held(line: str, needles: Iterable[str]) -> list[str]:
    """Those of `needles` that `line` holds."""
    lower = line.lower()
    return [needle for needle in needles if _holds(lower, needle)]


def _near(held: list[str], rows: Iterable[Row]) -> list[Row]:
    """The rows with a needle in `held`."""
    return [row for row in rows if not row.needles.isdisjoint(held)]


def _holds(lower: str, needle: str) -> bool:
    """Whether `lower` holds `needle` (`error_patterns` says what a `~` at its end means)."""
    if not needle.endswith("~"):
        return needle in lower
    stem = needle[:-1]
    end = lower.find(stem)
    while end >= 0:
        end += len(stem)
        while "a" <= lower[end : end + 1] <= "z":
            end += 1
        after, second = lower[end : end + 1], lower[end + 1 : end + 2]
        if not (after.isalnum() or after in ("_", "-", "/")) and not (after == "." and second.isalnum()):
            return True
        end = lower.find(stem, end)
    return False


_FIRING = frozenset(needle for row in PATTERNS for needle in row.needles)
_NEEDLES = _FIRING.union(*(row.needles for row in (*EXCLUSIONS, *HARMLESS)))

_cache: dict[str, re.Pattern[str]] = {}


def _compiled(row: Row) -> re.Pattern[str]:
    # Compiled when first needed: most calls need a handful of the table.
    if row.pattern not in _cache:
        _cache[row.pattern] = re.compile(row.pattern, re.ASCII)
    return _cache[row.pattern]


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _capped(text: str, limit: int) -> str:
    """`text` in at most `limit` characters, never cutting a word.

    Half a token looks no longer like a token: it would slip past the redaction at the log's door.
    """
    text = text.encode("utf-8", "replace").decode("utf-8")
    if len(text) <= limit:
        return text
    words, _, _ = re.sub(r"\s", " ", text[:limit]).rpartition(" ")
    return text[: len(words)].rstrip() + "…"


def _printable(text: str) -> str:
    """`text` with everything that could move a cursor or hide shown escaped."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )
