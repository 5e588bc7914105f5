"""JSON values in a text, one a line or spread over several, each with the line it starts on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import msgspec

from eventstore.formats.fates import Fate
from eventstore.formats.text import bad_bytes

__all__ = ["Found", "objects_in", "values_in"]

_BLANK = " \t\r\f\v\0"
_decoder = json.JSONDecoder()


class Found(msgspec.Struct, frozen=True, gc=False):
    """A JSON value and its lines. first, last: numbers from 1, both included. value: never cleaned."""

    first: int
    last: int
    value: Any


def values_in(lines: Sequence[str]) -> Iterator[Found | Fate]:
    """The JSON values of a text in order, and a fate for each line that belongs to none.

    A value may span lines, as when it is printed with indentation, and a line may hold several. A line on
    which a value starts that never ends is damaged; reading goes on with the next line. Never raises.
    """
    whole = _Whole(lines)
    number = 0
    while number < len(lines):
        text = lines[number].strip(_BLANK)
        if not text:
            yield Fate(number + 1, False, "blank line")
        elif bad_bytes(text):
            yield Fate(number + 1, False, "damaged: not UTF-8")
        elif (values := _on_one_line(text)) is not None:
            yield from (Found(number + 1, number + 1, value) for value in values)
        elif text[0] in "{[" and text[-1] in "{[,:" and (found := whole.value_at(number)) is not None:
            yield found
            number = found.last
            continue
        else:
            yield Fate(number + 1, False, f"damaged: {_reason(text)}")
        number += 1


def _on_one_line(text: str) -> list[Any] | None:
    """The values of a line that holds nothing else; None if that is not so."""
    values = []
    at = 0
    try:
        while at < len(text):
            value, at = _decoder.raw_decode(text, at)
            values.append(value)
            while at < len(text) and text[at] in _BLANK + ",":
                at += 1
    except (ValueError, RecursionError):
        return None
    return values


class _Whole:
    """The whole text, put together only when a value may span lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._text = ""
        self._starts: list[int] = []

    def value_at(self, number: int) -> Found | None:
        """The value that starts on the line after line `number` and ends at the end of a later one."""
        if not self._starts:
            self._text = "\n".join(self._lines)
            self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]
        start = self._starts[number]
        while self._text[start] in _BLANK:
            start += 1
        try:
            value, at = _decoder.raw_decode(self._text, start)
        except (ValueError, RecursionError):
            return None
        ended = self._text.find("\n", at)
        rest = self._text[at : ended if ended >= 0 else len(self._text)]
        if rest.strip(_BLANK + ",") or bad_bytes(self._text[start:at]):
            return None
        return Found(number + 1, number + 1 + self._text.count("\n", start, at), value)


def _reason(text: str) -> str:
    """What is wrong with a line."""
    if text[0] not in "{[":
        return "not JSON"
    try:
        json.loads(text)
    except RecursionError:
        return "nested too deeply"
    except json.JSONDecodeError as error:
        return (error.msg[:1].lower() + error.msg[1:]).removesuffix(" starting at")
    except ValueError:
        return "a number of thousands of digits"
    return "not JSON"


def objects_in(lines: Sequence[str]) -> Iterator[Found | Fate]:
    """As `values_in`, but objects alone: a list gives its objects, and other values get a fate."""
    for found in values_in(lines):
        if isinstance(found, Fate) or isinstance(found.value, dict):
            yield found
        elif isinstance(found.value, list) and any(isinstance(inner, dict) for inner in found.value):
            objects = [inner for inner in found.value if isinstance(inner, dict)]
            yield from (Found(found.first, found.last, inner) for inner in objects)
        else:
            spanned = range(found.first, found.last + 1)
            yield from (Fate(line, False, "JSON, but not an object") for line in spanned)
