"""Our own table of all runs of a log, as CSV: on each row what a run says and what it aims at."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from eventstore.events import Config, Run
from eventstore.formats.collecting import Collector
from eventstore.formats.escaping import escaped, harmless, unescaped, unharmed
from eventstore.formats.rows import RunRow, number_text
from eventstore.formats.tables import Row, Section
from eventstore.formats.values import moment_of, number_of, whole_of
from eventstore.roles import is_author
from eventstore.timestamps import iso_utc

__all__ = ["COLUMNS", "is_ours", "take_rows", "write_csv"]

COLUMNS = (
    *(
        "run",
        "segment",
        "timestamp",
        "by",
        "status",
        "metric",
        "description",
        "commit",
        "reason",
        "direction",
    ),
    *("duration_seconds", "confidence", "iteration_tokens", "goal", "metric_name", "metric_unit"),
    *("metric_direction", "asi"),
)
"""The columns before the secondary metrics, which follow as `metrics.NAME`."""

_PREFIX = "metrics."
_TEXTS = frozenset(
    ("by", "status", "description", "commit", "reason", "direction", "goal", "metric_name", "metric_unit")
)


def write_csv(rows: Sequence[RunRow]) -> Iterator[str]:
    """The lines, each with its newline, every text in quotes.

    In text, tabs and line ends are spelled out and what a spreadsheet could take for a formula starts with an
    apostrophe; `take_rows` undoes both. A secondary metric that is no number, and `asi`, are JSON.
    """
    names = list(dict.fromkeys(name for row in rows for name in row.run.metrics))
    yield _line([*COLUMNS, *(_text(f"{_PREFIX}{name}") for name in names)])
    for row in rows:
        yield _line([*_cells(row), *(_metric(row.run.metrics, name) for name in names)])


def _line(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(cells)
    return out.getvalue()


def _text(text: str | None) -> str:
    return harmless(escaped(text)) if text else ""


def _cells(row: RunRow) -> list[str]:
    run, aim = row.run, row.aim
    moment = moment_of(run.timestamp)
    return [
        str(row.ordinal),
        str(row.segment),
        "" if moment is None else iso_utc(moment),
        _text(run.by),
        _text(run.status),
        number_text(run.metric),
        _text(run.description),
        _text(run.commit),
        _text(run.reason),
        _text(run.direction),
        number_text(run.duration_seconds),
        number_text(run.confidence),
        number_text(run.iterationTokens),
        _text(aim.goal),
        _text(aim.metric),
        _text(aim.unit),
        _text(aim.direction),
        msgspec.json.encode(run.asi).decode() if run.asi else "",
    ]


def _metric(metrics: Mapping[str, Any], name: str) -> str:
    if name not in metrics:
        return ""
    return number_text(metrics[name]) or msgspec.json.encode(metrics[name]).decode()


def is_ours(section: Section) -> bool:
    """Whether a section has our columns."""
    return section.names[: len(COLUMNS)] == COLUMNS


def take_rows(section: Section, runs: int, out: Collector) -> int:
    """Takes the rows of a table of ours, a goal wherever the segment changes; how many runs."""
    segment: int | None = None
    found = 0
    out.mark(section.line, "header")
    for row in section.rows:
        cells = _read(section, row)
        claimed = whole_of(cells["segment"]) or 0
        if segment is None or claimed > segment:
            for step in range(1 if segment is None else claimed - segment):
                out.take(row.first, _goal(cells), "run", last=row.last, key=f"goal{step}")
            segment = claimed
        run = _run(section, cells, runs + found + 1)
        if isinstance(run, str):
            out.skip(row.first, run, last=row.last)
        else:
            number = whole_of(cells["run"])
            found += out.take(row.first, run, "run", last=row.last, number=number)
    return found


def _read(section: Section, row: Row) -> dict[str, str]:
    padded = (*row.cells, *("",) * (len(section.names) - len(row.cells)))
    texts = (
        unescaped(unharmed(cell)) if name in _TEXTS else cell
        for name, cell in zip(section.names, padded, strict=False)
    )
    return dict(zip(section.names, texts, strict=True))


def _goal(cells: Mapping[str, str]) -> Config:
    metric = cells["metric_name"] or None
    return Config(
        name=(cells["goal"].strip() and cells["goal"]) or "imported from a table",
        metricName=metric,
        metricUnit=cells["metric_unit"] if metric else None,
        bestDirection=(cells["metric_direction"] or "lower") if metric else None,
        timestamp=moment_of(cells["timestamp"]),
    )


def _run(section: Section, cells: Mapping[str, str], ordinal: int) -> Run | str:
    """The run that a row is, or why it is none."""
    if not cells["status"]:
        return "no status"
    asi = _json(cells["asi"])
    metrics = {
        unescaped(name.removeprefix(_PREFIX)): _json(cells[name])
        for name in section.names[len(COLUMNS) :]
        if name.startswith(_PREFIX) and cells[name]
    }
    return Run(
        run=ordinal,
        commit=cells["commit"] or None,
        metric=number_of(cells["metric"]),
        metrics=metrics,
        status=cells["status"],
        description=cells["description"],
        confidence=number_of(cells["confidence"]),
        asi=asi if isinstance(asi, dict) else {},
        reason=cells["reason"] or None,
        direction=cells["direction"] or None,
        duration_seconds=number_of(cells["duration_seconds"]),
        iterationTokens=number_of(cells["iteration_tokens"]),
        timestamp=moment_of(cells["timestamp"]),
        by=cells["by"] if is_author(cells["by"]) else "user",
    )


def _json(cell: str) -> Any:
    """The value that a cell spells in JSON, else its text."""
    try:
        return msgspec.json.decode(cell)
    except (msgspec.DecodeError, RecursionError):
        return cell
