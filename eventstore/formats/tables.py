"""Rows of a table in a text: tabs or commas between cells, a header, remarks before, between and after."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from eventstore.formats.fates import Fate, Question
from eventstore.formats.text import bad_bytes
from eventstore.formats.values import number_of, plain_word
from eventstore.formats.words import AUXILIARY, RUN_FIELDS, STATUS_FIELDS, STATUSES

__all__ = ["Comment", "Row", "Section", "Table", "is_header", "table_in"]

_MORE_NAMES = (
    "guard guard_metric change goal verify module mutation hypothesis old_score new_score metric_before"
)
_TELLING = (
    {name for names in RUN_FIELDS.values() for name in names}
    | set(STATUS_FIELDS)
    | AUXILIARY
    | set(_MORE_NAMES.split())
) - set(STATUSES)
"""Names that make a row of words a header, because no cell of a run says them."""

_RULE = re.compile(r"[-=_*:|+\s]*[-=_*][-=_*:|+\s]*")
_MOST_SPANNED = 200


class Row(msgspec.Struct, frozen=True, gc=False):
    """Cells of a row, as they are. first, last: its lines, from 1."""

    first: int
    last: int
    cells: tuple[str, ...]


class Comment(msgspec.Struct, frozen=True, gc=False):
    """A remark: a line that starts with `#`. text: what follows."""

    line: int
    text: str


class Section(msgspec.Struct, frozen=True):
    """Rows under one header. line: of the header, 0 if names were given. names: of the columns, distinct."""

    line: int
    names: tuple[str, ...]
    rows: tuple[Row, ...]


class Table(msgspec.Struct, frozen=True):
    """What a text holds as a table. delimiter: between cells. fates: of lines neither row nor remark."""

    delimiter: str
    sections: tuple[Section, ...]
    comments: tuple[Comment, ...]
    fates: tuple[Fate, ...]


def table_in(lines: Sequence[str], columns: Sequence[str] = ()) -> Table | Question:
    """The table of a text. `columns`: names that are taken instead of a header's.

    Asks for the names when the first row is no header. Never raises.
    """
    delimiter = _delimiter(lines)
    comments: list[Comment] = []
    fates: list[Fate] = []
    sections: list[tuple[int, tuple[str, ...], list[Row]]] = []
    if columns:
        sections.append((0, _distinct(columns), []))
    for found in _rows(lines, delimiter):
        if isinstance(found, Fate):
            fates.append(found)
        elif isinstance(found, Comment):
            whole = not sections and delimiter in found.text
            headed = _split(found.text, delimiter, quoted=False) if whole else ()
            if len(headed) > 1 and is_header(headed):
                sections.append((found.line, _distinct(headed), []))
            else:
                comments.append(found)
        elif sections and tuple(map(plain_word, found.cells)) == tuple(map(plain_word, sections[-1][1])):
            fates += _fates(found, "header, again")
        elif (
            found.first == found.last
            and is_header(found.cells)
            and (not sections or _is_new_header(found.cells, len(sections[-1][1])))
        ):
            if columns and len(found.cells) == len(columns) and not sections[-1][2]:
                fates += _fates(found, "header; other names were given")
            else:
                sections.append((found.first, _distinct(found.cells), []))
        elif not sections:
            count = len(found.cells)
            return Question(
                f"line {found.first} is no header, and nothing above it names the table's {count} columns",
                "--columns with the names of the columns in order, such as commit,metric,status,description",
            )
        else:
            sections[-1][2].append(found)
    named = tuple(Section(line, names, tuple(rows)) for line, names, rows in sections)
    return Table(delimiter, named, tuple(comments), tuple(fates))


def is_header(cells: Sequence[str]) -> bool:
    """Whether cells are names of columns: short, distinct words, one of them a name that we know.

    A name that is a number needs the company of more that we know.
    """
    words = [plain_word(cell) for cell in cells]
    if len(words) < 2 or len(set(words)) < len(words) or any(len(cell) > 48 for cell in cells):
        return False
    telling = sum(word in _TELLING or word.endswith(("_before", "_after")) for word in words)
    numbers = sum(number_of(cell) is not None for cell in cells)
    return telling > 0 and all(cell.strip() for cell in cells) and (numbers == 0 or telling > numbers + 1)


def _fates(row: Row, reason: str) -> list[Fate]:
    return [Fate(line, True, reason) for line in range(row.first, row.last + 1)]


def _is_new_header(cells: Sequence[str], width: int) -> bool:
    """Whether a row that could be a header, below rows, is one: half of its cells must be names we know."""
    telling = sum(plain_word(cell) in _TELLING for cell in cells)
    return telling >= 2 and telling * 2 >= len(cells) and len(cells) >= min(width, 3)


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    made: list[str] = []
    for number, name in enumerate(names, 1):
        plain = name.strip().lstrip("#").strip() or (name.strip() or f"column_{number}")
        made.append(plain if plain not in made else f"{plain}_{number}")
    return tuple(made)


def _delimiter(lines: Sequence[str]) -> str:
    """A tab if the first row has one, real or spelled `\\t`; else a comma if it has one."""
    for line in lines:
        if line.strip() and not line.lstrip().startswith("#"):
            return "," if "\t" not in line and "\\t" not in line and "," in line else "\t"
    return "\t"


def _rows(lines: Sequence[str], delimiter: str) -> Iterator[Row | Comment | Fate]:
    number = 0
    while number < len(lines):
        line = lines[number]
        first = number + 1
        number = first
        text = line.strip()
        if not text:
            yield Fate(first, False, "blank line")
        elif bad_bytes(line):
            yield Fate(first, False, "damaged: not UTF-8")
        elif text.startswith("#") and not text.startswith(f"#{delimiter}"):
            yield Comment(first, text.lstrip("#").strip())
        elif _RULE.fullmatch(text.replace(delimiter, " ").replace(",", " ")) and "-" * 2 in text:
            yield Fate(first, False, "a rule")
        else:
            number = _end_of_row(lines, first, delimiter)
            cells = _split("\n".join(lines[first - 1 : number]), delimiter, quoted=True)
            if cells:
                yield Row(first, number, cells)
            else:
                yield from (Fate(line, False, "damaged: no row") for line in range(first, number + 1))


def _end_of_row(lines: Sequence[str], first: int, delimiter: str) -> int:
    """The last line of the row that starts on line `first`: in CSV a quoted cell may hold line ends."""
    if delimiter == "," and lines[first - 1].count('"') % 2:
        quotes = 0
        for last in range(first, min(len(lines), first + _MOST_SPANNED) + 1):
            quotes += lines[last - 1].count('"')
            if quotes % 2 == 0:
                return last
    return first


def _split(text: str, delimiter: str, *, quoted: bool) -> tuple[str, ...]:
    if delimiter == "\t":
        if "\t" not in text and "\\t" in text:
            text = text.replace("\\t", "\t")
        return tuple(_unquoted(cell.strip()) if quoted else cell.strip() for cell in text.split("\t"))
    import csv

    try:
        rows = list(csv.reader([text], skipinitialspace=True))
    except csv.Error:
        return ()
    return tuple(rows[0]) if rows else ()


def _unquoted(cell: str) -> str:
    """A cell that a spreadsheet put in quotes, without them."""
    inner = cell[1:-1]
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', ""):
        return inner.replace('""', '"').strip()
    return cell
