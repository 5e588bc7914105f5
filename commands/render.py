"""Values as text for people: escaped, rounded, aligned. Pure; `commands.output` puts it on the screen.

Agents' text is data: whatever could steer a terminal or hide in a line is shown escaped (design, section 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

__all__ = [
    "ABSENT",
    "Column",
    "cells",
    "clip",
    "delta",
    "duration",
    "escape",
    "number",
    "pairs",
    "table",
    "when",
]

ABSENT = "-"
"""What stands for a value that is not there."""

_SPACES = frozenset("\xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))))
_JOINERS = frozenset("\u200c\u200d")
"""Characters that Python calls unprintable, but that scripts and emoji need and that harm nothing."""


class Column(msgspec.Struct, frozen=True):
    """A column of a table.

    heading: its name.
    right: whether its cells are aligned to the right, as numbers are.
    flexible: whether its cells are cut where the terminal is too narrow; at most one column should be.
    styles: colour names by cell text, for the terminal.
    """

    heading: str
    right: bool = False
    flexible: bool = False
    styles: Mapping[str, str] = {}


def escape(text: str, *, lines: bool = False) -> str:
    """`text` without anything that a terminal obeys: ESC becomes `\\x1b`, a newline `\\n`.

    Controls (C0, C1), text direction overrides, invisible marks and lone surrogates are spelled out. With
    `lines`, newlines and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(c if _is_harmless(c) or (lines and c in "\n\t") else ascii(c)[1:-1] for c in text)


def _is_harmless(character: str) -> bool:
    return character.isprintable() or character in _SPACES or character in _JOINERS


def number(value: object, unit: str | None = None) -> str:
    """A number with up to six significant digits, an integer with all of its own; its unit after a space.

    What is no number is shown as text, escaped; None as `-`.
    """
    if value is None:
        return ABSENT
    shown = _digits(value) if type(value) in (int, float) else escape(str(value))
    return f"{shown} {escape(unit)}" if unit else shown


def _digits(value: object) -> str:
    try:
        if isinstance(value, float):
            if value.is_integer() and abs(value) < 1e15:
                return str(int(value))
            return f"{value:.1f}" if 1e5 <= abs(value) < 1e15 else f"{value:.6g}"
        return str(value)
    except ValueError:  # Python refuses to spell integers of thousands of digits
        return "an integer of thousands of digits"


def delta(before: float | None, after: float | None) -> str:
    """The change from one value to another in percent, signed: `-4.2%`; `-` where there is none to tell."""
    if before is None or after is None or before == 0:
        return ABSENT
    try:
        percent = (after - before) / abs(before) * 100
    except OverflowError:
        return ABSENT
    if percent in (float("inf"), float("-inf")) or percent != percent:
        return ABSENT
    return f"{percent:+.1f}%" if abs(percent) < 1e6 else f"{percent:+.1e}%"


def duration(seconds: float) -> str:
    """A length of time: `0.8 s`, `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`. Negative reads as 0."""
    seconds = max(0.0, seconds)
    if seconds < 10:
        return f"{seconds:.3g} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes:02d} min"
    return f"{hours // 24} d {hours % 24} h"


def when(ms: int | None) -> str:
    """Milliseconds since 1970 as `2026-01-31 12:00:00Z`; `-` for None."""
    if ms is None:
        return ABSENT
    from eventstore.timestamps import iso_utc

    return iso_utc(ms)[:19].replace("T", " ") + "Z"


def cells(text: str) -> int:
    """How many cells of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(c) or c in _JOINERS or "\ufe00" <= c <= "\ufe0f" else 1 + (east_asian_width(c) in "WF")
        for c in text
    )


def clip(text: str, width: int) -> str:
    """`text` in at most `width` cells, an ellipsis at the end of what was cut."""
    if cells(text) <= width:
        return text
    while text and cells(text) > width - 1:
        text = text[: min(len(text) - 1, width - 1)]
    return text.rstrip() + "…" if width > 0 else ""


def pairs(rows: Iterable[tuple[str, str]]) -> str:
    """Labels and values, the values aligned; ends with a newline unless there are no rows."""
    listed = list(rows)
    widest = max((cells(label) for label, _ in listed), default=0)
    return "".join(f"{label}{' ' * (widest - cells(label))}  {value}\n" for label, value in listed)


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """Rows under headings as plain aligned text, two blanks between columns, nothing cut."""
    widths = _widths(columns, rows)
    lines = [[column.heading for column in columns], *rows]
    return "".join(_line(columns, widths, line) for line in lines)


def fitted(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """The rows, flexible columns cut so that all columns, two blanks between them, fit `width` cells.

    No cell is cut to less than 10 cells, so what is far too narrow is not made to fit.
    """
    widths = _widths(columns, rows)
    excess = sum(widths) + 2 * (len(widths) - 1) - width
    most = [max(10, w - excess) if c.flexible else w for c, w in zip(columns, widths, strict=True)]
    return [[clip(cell, room) for cell, room in zip(row, most, strict=True)] for row in rows]


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    return [
        max([cells(column.heading), *(cells(row[index]) for row in rows)])
        for index, column in enumerate(columns)
    ]


def _line(columns: Sequence[Column], widths: Sequence[int], line: Sequence[str]) -> str:
    padded = []
    for column, width, cell in zip(columns, widths, line, strict=True):
        gap = " " * (width - cells(cell))
        padded.append(gap + cell if column.right else cell + gap)
    return "  ".join(padded).rstrip() + "\n"
