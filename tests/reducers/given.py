"""A log as the given of a test: JSON lines in its docstring; the view of it as what is expected."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eventstore.events import Record
from eventstore.lines import decode_line
from reducers.core import Reducer, fold, to_plain

START = 1_764_517_600_000
"""The time that tests count from, milliseconds since 1970 UTC."""

MINUTE = 60_000
HOUR = 60 * MINUTE


def records(text: str) -> list[Record]:
    """The lines of a text that start with a brace, read as the lines of a log.

    One that does not end with a brace goes on in the next line, for the sake of its reader.
    """
    lines: list[str] = []
    for line in map(str.strip, text.splitlines()):
        if line.startswith("{"):
            lines.append(line)
        elif line and lines and not lines[-1].endswith("}"):
            lines[-1] += line
    return [decode_line(line.encode(), number) for number, line in enumerate(lines, 1)]


def shown(reducer: Reducer[Any, Any], log: Iterable[object], now: int | None = None) -> dict[str, Any]:
    """The view of a log, as plain values."""
    plain: dict[str, Any] = to_plain(reducer.view(fold(reducer, log), now))
    return plain
