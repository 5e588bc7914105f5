"""The `runs` view: one row a run (design, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from eventstore.events import Config, Run
from eventstore.timestamps import epoch_ms
from reducers.core import Projection, handlers
from reducers.history import History
from reducers.policies.metric import change, change_percent
from reducers.standing import Standing, after_config, after_run, is_new_best, metric_of

__all__ = ["RunRow", "RunsState", "RunsView", "judged", "runs"]


class RunRow(msgspec.Struct, frozen=True, gc=False):
    """A run, and how it compares.

    run: its ordinal among all runs of the log, from 1.
    claimed: the number its line gives it; another one only in what foreign programs wrote.
    segment: the segment it belongs to by its place in the log, from 0.
    status: keep, discard, crash or checks_failed; foreign logs also hold others.
    metric: its usable metric; null if it has none, as crashes have not.
    delta: metric - baseline of its own segment, in the metric's unit; null if one of them is missing.
    delta_pct: the same in per cent of |baseline|; null also where the baseline is 0.
    new_best: whether it was the best kept run of its segment so far.
    commit: the commit it was measured at.
    description: what was tried, in the agent's words.
    direction: the direction of the search it belongs to.
    reason: why it was judged so, in a word.
    metrics: its secondary metrics by name.
    asi: what the agent wants its successors to know.
    duration_seconds: how long the experiment took, seconds.
    timestamp: when it was recorded, milliseconds since 1970 UTC; null where the line tells none.
    by: who recorded it.
    """

    run: int
    claimed: int | float
    segment: int
    status: str
    metric: int | float | None
    delta: int | float | None
    delta_pct: float | None
    new_best: bool
    commit: str | None
    description: str
    direction: str | None
    reason: str | None
    metrics: dict[str, Any]
    asi: dict[str, Any]
    duration_seconds: int | float | None
    timestamp: int | None
    by: str


class RunsState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `runs` view.

    standing: baseline and best of the current segment.
    rows: one a run. before: how many runs there were before them, whose rows are kept elsewhere.
    """

    standing: Standing = Standing()
    rows: History[RunRow] = History()
    before: int = 0

    @property
    def count(self) -> int:
        """How many runs there were."""
        return self.before + len(self.rows)


class RunsView(msgspec.Struct, frozen=True):
    """Every run of the log.

    runs: one row a run, in the order of the log.
    """

    runs: Sequence[RunRow]


def _on_config(state: RunsState, event: Config) -> RunsState:
    return RunsState(after_config(state.standing, event, state.count), state.rows, state.before)


def judged(standing: Standing, event: Run, ordinal: int) -> tuple[Standing, RunRow]:
    """Where the segment stands after a run, the `ordinal`th of the log, and the run's row."""
    metric = metric_of(standing, event)
    if metric is not None:
        standing = after_run(standing, event, metric, ordinal)
    baseline = standing.baseline.metric if standing.baseline else None
    return standing, RunRow(
        run=ordinal,
        claimed=event.run,
        segment=standing.segment,
        status=event.status,
        metric=metric,
        delta=change(metric, baseline),
        delta_pct=change_percent(metric, baseline),
        new_best=is_new_best(standing, ordinal),
        commit=event.commit,
        description=event.description,
        direction=event.direction,
        reason=event.reason,
        metrics=event.metrics,
        asi=event.asi,
        duration_seconds=event.duration_seconds,
        timestamp=epoch_ms(event.timestamp),
        by=event.by,
    )


def _on_run(state: RunsState, event: Run) -> RunsState:
    standing, row = judged(state.standing, event, state.count + 1)
    return RunsState(standing, state.rows.push(row), state.before)


def _drain(state: RunsState) -> tuple[History[RunRow], RunsState]:
    return state.rows, RunsState(state.standing, History(), state.count)


def _view(state: RunsState, now: int | None) -> RunsView:  # noqa: ARG001
    return RunsView(state.rows)


runs: Projection[RunsState, RunsView] = Projection(
    name="runs",
    version=2,
    initial=RunsState(),
    handlers=handlers(_on_config, _on_run),
    shows=_view,
    drain=_drain,
    view_type=RunsView,
)
"""One row a run, with its change against its own segment's baseline."""
