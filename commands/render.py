"""Values as text for people: escaped, rounded, aligned. Pure; `commands.output` puts it on the screen.

Agents' text is data: whatever could steer a terminal or hide in a line is shown escaped (design, section 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from reducers.wording import ABSENT, JOINERS, delta, duration, escape, number

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


class Column(msgspec.Struct, frozen=True):
    """A column of a table.

    heading: its name.
    right: whether its cells are aligned to the right, as numbers are.
    flexible: whether its cells are cut where the terminal is too narrow, the widest column's first.
    styles: colour names by cell text, for the terminal.
    """

    heading: str
    right: bool = False
    flexible: bool = False
    styles: Mapping[str, str] = {}


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
        0 if combining(c) or c in JOINERS or "\ufe00" <= c <= "\ufe0f" else 1 + (east_asian_width(c) in "WF")
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

    The widest are cut first, all to one width, so that a narrow one stays whole. No cell is cut to less than
    10 cells, so what is far too narrow is not made to fit.
    """
    widths = _widths(columns, rows)
    bending = [w for c, w in zip(columns, widths, strict=True) if c.flexible]
    room = width - 2 * (len(widths) - 1) - (sum(widths) - sum(bending))
    level = max(bending, default=0)
    while level > 10 and sum(min(w, level) for w in bending) > room:
        level -= 1
    most = [min(w, max(10, level)) if c.flexible else w for c, w in zip(columns, widths, strict=True)]
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
