"""Which format a file is in, told by its content alone."""

from __future__ import annotations

from collections.abc import Sequence

from eventstore.formats.fates import PLAIN, Fate, Options, Question, Reading
from eventstore.formats.objects import objects_in
from eventstore.formats.tables import Table, table_in
from eventstore.formats.text import lines_of

__all__ = ["FORMATS", "parse", "recognise"]

FORMATS = ("pi", "tsv", "csv")
"""Formats of single files; a folder is in the format `state`."""

_LOOKED_AT = 200


def recognise(data: bytes) -> str | None:
    """The format of a file: `pi` (also our own logs), `tsv` or `csv`; None if it is none of them."""
    lines = lines_of(data[: 1 << 20])[:_LOOKED_AT]
    if any(not isinstance(found, Fate) for found in objects_in(lines)):
        return "pi"
    table = table_in(lines)
    if isinstance(table, Table) and table.sections:
        return "csv" if table.delimiter == "," else "tsv"
    return "tsv" if _is_tabular(lines) else None


def _is_tabular(lines: Sequence[str]) -> bool:
    """Whether most lines have cells between tabs, though no header."""
    said = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return bool(said) and sum("\t" in line.strip() for line in said) * 2 > len(said)


def parse(form: str, data: bytes, options: Options = PLAIN) -> Reading | Question:
    """What a file in one of `FORMATS` holds. Never raises."""
    if form == "pi":
        from eventstore.formats.pi import parse as parse_pi

        return parse_pi(data, options)
    from eventstore.formats.tsv import parse as parse_table

    return parse_table(data, options)
