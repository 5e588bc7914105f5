"""The statements of a TOML text, with where they stand. Pure.

The standard library reads TOML and writes none; what is known to be TOML by it can be cut and pasted at these
places. Comments, order and white space belong to whoever wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from commands.registering.jsonc import SettingsError

__all__ = ["Statement", "checked", "statements"]

_TRIVIA = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_TEXTS = (
    re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}', re.DOTALL),
    re.compile(r"'''.*?'{3,5}", re.DOTALL),
    re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    re.compile(r"'[^'\n]*'"),
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^\s#,\]}]+(?: [0-9][^\s#,\]}]*)?")  # a date and its time may be parted by a blank
_PLACE = re.compile(r"^(?P<what>.*?) \(at (?P<where>line \d+, column \d+|end of document)\)$", re.DOTALL)


class Statement(msgspec.Struct, frozen=True):
    """A table's header, or a key with its value.

    path: the full path of the table or the key. is_header: whether it is a header. start, end: offsets of its
    first character and behind its last. value: where the value begins; `end` for a header.
    """

    path: tuple[str, ...]
    is_header: bool
    start: int
    value: int
    end: int


def checked(text: str) -> dict[str, object]:
    """What the text means. Raises SettingsError, which names the place, for what is not TOML."""
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.match(str(error))
        what, where = (found["what"], found["where"]) if found else (str(error), "some line")
        place = "at the end" if where == "end of document" else f"in {where}"
        raise SettingsError(f"not TOML: {what[:1].lower()}{what[1:]} {place}") from error
    except RecursionError as error:
        raise SettingsError("not TOML: nested too deeply") from error


def statements(text: str) -> Iterator[Statement]:
    """The statements of a text that is TOML, in order."""
    at = _past(_TRIVIA, text, 0)
    table: tuple[str, ...] = ()
    while at < len(text):
        start = at
        if text[at] == "[":
            brackets = 2 if text.startswith("[[", at) else 1
            path, at = _key(text, at + brackets)
            at = text.index("]" * brackets, at) + brackets
            table = path
            yield Statement(path, True, start, at, at)
        else:
            path, at = _key(text, at)
            value = _past(_TRIVIA, text, text.index("=", at) + 1)
            at = _value(text, value)
            yield Statement((*table, *path), False, start, value, at)
        at = _past(_TRIVIA, text, at)


def _key(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """A dotted key, and where its last part ends."""
    import tomllib

    parts: list[str] = []
    while True:
        at = _past(_TRIVIA, text, at)
        end = max(_past(pattern, text, at) for pattern in (*_TEXTS[2:], _BARE))
        written = text[at:end]
        parts.append(next(iter(tomllib.loads(f"{written} = 0"))))
        behind = _past(_TRIVIA, text, end)
        if not text.startswith(".", behind):
            return tuple(parts), end
        at = behind + 1


def _value(text: str, at: int) -> int:
    """Where the value that begins here ends."""
    if text[at] not in "[{":
        return (
            max(_past(pattern, text, at) for pattern in (*_TEXTS, _SCALAR))
            if text[at] in "\"'"
            else (_past(_SCALAR, text, at))
        )
    closing = "]" if text[at] == "[" else "}"
    at = _past(_TRIVIA, text, at + 1)
    while text[at] != closing:
        if closing == "}":
            _, at = _key(text, at)
            at = _past(_TRIVIA, text, text.index("=", at) + 1)
        at = _past(_TRIVIA, text, _value(text, at))
        if text[at] == ",":
            at = _past(_TRIVIA, text, at + 1)
    return at + 1


def _past(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Where a match that begins at `start` ends; `start` without one."""
    match = pattern.match(text, start)
    return match.end() if match is not None else start
