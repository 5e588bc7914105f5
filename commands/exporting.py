"""What of a log goes into an export: events with their places, rows of runs, the protocol's files. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from eventstore.events import Config, Event, Record, Run
from eventstore.formats.redaction import Mask, redacted
from eventstore.formats.rows import Aim, Exported, RunRow
from eventstore.formats.state_writer import Progress, write_folder
from reducers.core import fold
from reducers.progress import progress
from reducers.standing import Standing, after_config, after_run, metric_of

__all__ = ["LAST", "exported", "folder_of", "masked", "rows_of"]

LAST = -1
"""In the place of a segment's number: the last one that has runs."""


def exported(numbered: Iterable[tuple[int, Record]]) -> Iterator[Exported]:
    """The events of a log with what its own rules say of them; lines that are no events are left out."""
    standing, runs, here = Standing(), 0, 0
    for seq, record in numbered:
        if isinstance(record, Config):
            here = 0 if runs else here
            standing = after_config(standing, record, runs)
            yield Exported(seq, record, _aim(standing))
        elif isinstance(record, Run):
            runs, here = runs + 1, here + 1
            best = standing.best or standing.baseline
            before = best.metric if best else None
            row = RunRow(record, runs, here, standing.segment, _aim(standing), before)
            metric = metric_of(standing, record)
            standing = standing if metric is None else after_run(standing, record, metric, runs)
            yield Exported(seq, record, row.aim, row)
        elif isinstance(record, Event):
            yield Exported(seq, record, _aim(standing))


def _aim(standing: Standing) -> Aim:
    goal = standing.goal
    return Aim(goal.goal, goal.metric_name, goal.metric_unit, goal.direction)


def rows_of(events: Iterable[Exported], segment: int | None = None) -> list[RunRow]:
    """The runs, of all segments or of one; `LAST` is the last segment with runs."""
    rows = [found.row for found in events if found.row is not None]
    if segment is None or not rows:
        return rows
    wanted = rows[-1].segment if segment == LAST else segment
    return [row for row in rows if row.segment == wanted]


def folder_of(numbered: Sequence[tuple[int, Event]]) -> dict[str, bytes]:
    """The protocol's state folder of a log, its files by path."""
    events = [event for _, event in numbered]
    shown = progress.view(fold(progress, events))
    config = next((event for event in reversed(events) if isinstance(event, Config)), None)
    state = Progress(shown.iteration, shown.total_findings, shown.status, shown.stale_count)
    return write_folder(numbered, state, None if config is None else _effective(config, events))


def _effective(config: Config, events: Sequence[Event]) -> Config:
    """The last goal with what the log's rules make of it, where a foreign line left something out."""
    standing = Standing()
    for event in events:
        if isinstance(event, Config):
            standing = after_config(standing, event, 0)
    goal = standing.goal
    return replace(
        config,
        name=goal.goal,
        metricName=goal.metric_name,
        metricUnit=goal.metric_unit,
        bestDirection=goal.direction,
    )


def masked(numbered: Iterable[tuple[int, Record]], mask: Mask) -> Iterator[tuple[int, Record]]:
    """The same, with the events' texts masked."""
    for seq, record in numbered:
        yield seq, redacted(record, mask) if isinstance(record, Event) else record
