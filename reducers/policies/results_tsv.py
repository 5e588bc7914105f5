"""The results table of `measure`: one row a measurement, tab-separated (design, section 6.1).

The columns and the way values are written are those of the first AutoResearch skill's table, so that scripts
that read one read the other.
"""

from __future__ import annotations

__all__ = ["CONSTRAINT_FAIL", "HEADER", "VERDICTS", "cell", "header_fits", "row", "timestamp_text"]

COLUMNS = ("timestamp", "cycle", "change", "metric_before", "metric_after", "verdict")

HEADER = "\t".join(COLUMNS) + "\n"

CONSTRAINT_FAIL = "CONSTRAINT_FAIL"
"""What stands for `metric_after` when the constraint failed and nothing was measured."""

_BREAKING = frozenset("\t\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
"""The tab, and whatever somebody's reader may take for the end of a line."""

VERDICTS = ("BASELINE", "KEPT", "DISCARDED")


def timestamp_text(milliseconds: int) -> str:
    """A time, in milliseconds since 1970, as the table writes it: ISO 8601, UTC, whole seconds."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(milliseconds // 1000, UTC).isoformat(timespec="seconds")


def cell(value: object) -> str:
    """A value as a cell: None is empty, a number as Python writes it; tabs and line ends become spaces."""
    text = "" if value is None else str(value)
    return "".join(" " if character in _BREAKING else character for character in text)


def row(
    milliseconds: int, cycle: int, change: str, before: float | None, after: float | str, verdict: str
) -> str:
    """One row, with its newline.

    before: the best known value, None for the baseline. after: the median, or `CONSTRAINT_FAIL`. verdict:
    one of `VERDICTS`; ValueError otherwise.
    """
    if verdict not in VERDICTS:
        raise ValueError(f"no verdict is called {verdict!r}; there are {', '.join(VERDICTS)}")
    values = (timestamp_text(milliseconds), cycle, change, before, after, verdict)
    return "\t".join(map(cell, values)) + "\n"


def header_fits(content: str) -> bool:
    """Whether rows may be added to a table that begins with `content`: its first line is our header.

    An empty one takes the header first.
    """
    return content.split("\n", 1)[0].rstrip("\r") + "\n" == HEADER
