"""Tables of runs: the one that Karpathy's autoresearch keeps, that of the first skill's script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from eventstore.formats.escaping import UNESCAPE, escaped
from eventstore.formats.rows import RunRow, number_text
from eventstore.formats.values import moment_of
from eventstore.timestamps import iso_utc

__all__ = ["write_karpathy", "write_v1"]

_RESERVED = ("commit", "status", "description")
_VERDICTS = {"keep": "KEPT", "discard": "DISCARDED", "crash": "CRASH", "checks_failed": "CONSTRAINT_FAIL"}


def write_karpathy(rows: Sequence[RunRow], *, remarks: bool = False) -> Iterator[str]:
    """The lines of `commit, <metrics…>, status, description`, each with its newline.

    The metric comes first among the metrics, then the secondary ones in the order they first appear; those
    that are no numbers are left out. Tabs and line ends in text are spelled out. `remarks`: goal, direction
    and how text is to be read, on lines with `#` before the header, so that the table can be read back by
    itself; the programs that read such tables know no remarks.
    """
    others = dict.fromkeys(name for row in rows for name in row.run.metrics)
    primary = (rows[-1].aim.metric if rows else None) or "metric"
    names = [name for name in others if any(number_text(row.run.metrics.get(name)) for row in rows)]
    if remarks:
        yield from _remarks(rows)
    yield _line(["commit", _heading(primary), *map(_heading, names), "status", "description"])
    for row in rows:
        run = row.run
        numbers = [number_text(run.metrics.get(name)) for name in names]
        metric = number_text(run.metric)
        yield _line([_cell(run.commit), metric, *numbers, _cell(run.status), escaped(run.description)])


def write_v1(rows: Sequence[RunRow], *, remarks: bool = False) -> Iterator[str]:
    """The lines of `timestamp, cycle, change, metric_before, metric_after, verdict`, each with its newline.

    The segment's first run is cycle 0, its verdict `BASELINE` if it was kept; `metric_before` is the best so
    far. A crash, which that script does not log, is `CRASH`.
    """
    if remarks:
        yield from _remarks(rows)
    yield _line(["timestamp", "cycle", "change", "metric_before", "metric_after", "verdict"])
    for row in rows:
        run = row.run
        moment = moment_of(run.timestamp)
        first = row.number == 1
        yield _line(
            [
                "" if moment is None else iso_utc(moment),
                str(row.number - 1),
                escaped(run.description),
                "" if first else number_text(row.before),
                number_text(run.metric),
                "BASELINE"
                if first and run.status == "keep"
                else _VERDICTS.get(run.status, _cell(run.status)),
            ]
        )


def _remarks(rows: Sequence[RunRow]) -> Iterator[str]:
    if rows:
        aim = rows[-1].aim
        yield f"# goal: {escaped(aim.goal)}\n"
        if aim.metric is not None:
            yield f"# metric_name: {escaped(aim.metric)}\n"
            yield from (f"# metric_unit: {escaped(unit)}\n" for unit in [aim.unit] if unit)
            yield f"# metric_direction: {aim.direction}_is_better\n"
    yield f"# escapes: {UNESCAPE}\n"


def _line(cells: Iterable[str]) -> str:
    return "\t".join(cells) + "\n"


def _cell(text: str | None) -> str:
    return escaped(text) if text else "-"


def _heading(name: str) -> str:
    plain = escaped(name)
    return f"metric_{plain}" if plain in _RESERVED else plain
