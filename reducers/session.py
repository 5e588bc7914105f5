"""The `session` view: the goal, the metric, where it stands (design, sections 4 and 5)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from eventstore.events import Config, Event, Run
from reducers.core import Projection
from reducers.history import History
from reducers.policies.metric import confidence, usable
from reducers.standing import Goal, Mark, Standing, after_config, after_run, goal_of
from reducers.units import unit_of

__all__ = ["Goal", "Mark", "Secondary", "SessionState", "SessionView", "goal_of", "session"]


class SessionState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `session` view.

    standing: goal, segment, baseline and best.
    run_count: runs of the log.
    statuses: runs of the log by status.
    metrics: usable metrics of the segment, in order.
    secondary: first value of each secondary metric of the segment.
    last_run: of the log.
    """

    standing: Standing = Standing()
    run_count: int = 0
    statuses: dict[str, int] = {}
    metrics: History[int | float] = History()
    secondary: dict[str, Any] = {}
    last_run: Run | None = None


class Secondary(msgspec.Struct, frozen=True):
    """A secondary metric of the segment.

    unit: by the ending of its name; empty if that tells none.
    baseline: the first value seen.
    best: the value that the best run had; null if there is no best run or it had none.
    """

    unit: str
    baseline: Any
    best: Any


class SessionView(msgspec.Struct, frozen=True):
    """Where a session stands.

    goal: what is optimised, in words.
    metric_name: the metric's name; null in a task without one.
    metric_unit: its unit, as text; null in a task without one.
    direction: `lower` or `higher`, which way is better; null in a task without one.
    segment: number of the current segment, from 0.
    baseline_metric: first usable metric of the segment; null if none.
    baseline_run: ordinal of its run among all runs of the log.
    best_metric: best usable metric over the segment's kept runs, the earliest of equals; null if none.
    best_run: ordinal of its run among all runs of the log.
    run_count: how many runs the log has, of every segment and status.
    segment_run_count: how many the current segment has.
    statuses: how many runs of the log have each status.
    confidence: |best - baseline| / MAD of the segment's usable metrics (design, section 5), or null.
    last_run: the last run's line, as recorded; null if there is none.
    secondary: the segment's secondary metrics by name.
    """

    goal: str
    metric_name: str | None
    metric_unit: str | None
    direction: str | None
    segment: int
    baseline_metric: int | float | None
    baseline_run: int | None
    best_metric: int | float | None
    best_run: int | None
    run_count: int
    segment_run_count: int
    statuses: dict[str, int]
    confidence: float | None
    last_run: Run | None
    secondary: dict[str, Secondary]


def _sweep(state: SessionState, events: Iterable[object]) -> SessionState:
    """The state after these events. What changes within the pass is local to it."""
    standing, run_count, last_run = state.standing, state.run_count, state.last_run
    statuses, secondary = dict(state.statuses), state.secondary
    metrics = state.metrics
    fresh: list[int | float] = []
    has_metric = standing.goal.metric_name is not None
    for event in events:
        if type(event) is Run:
            last_run = event
            run_count += 1
            status = event.status
            statuses[status] = statuses.get(status, 0) + 1
            metric = usable(event) if has_metric else None
            if metric is not None:
                fresh.append(metric)
                if status == "keep" or standing.baseline is None:  # no other run moves the standing
                    standing = after_run(standing, event, metric, run_count)
            for name in event.metrics:
                if name not in secondary:
                    secondary = {**secondary, name: event.metrics[name]}
        elif type(event) is Config:
            standing = after_config(standing, event, run_count)
            has_metric = standing.goal.metric_name is not None
            if run_count:
                metrics, fresh, secondary = History(), [], {}
    if standing is state.standing and run_count == state.run_count:
        return state
    return SessionState(standing, run_count, statuses, metrics.extend(fresh), secondary, last_run)


def _on_event(state: SessionState, event: Event) -> SessionState:
    return _sweep(state, (event,))


def _view(state: SessionState, now: int | None) -> SessionView:  # noqa: ARG001
    standing = state.standing
    goal, baseline, best = standing.goal, standing.baseline, standing.best
    baseline_metric = baseline.metric if baseline else None
    best_metric = best.metric if best else None
    at_best = best.metrics if best else {}
    return SessionView(
        goal=goal.goal,
        metric_name=goal.metric_name,
        metric_unit=goal.metric_unit,
        direction=goal.direction,
        segment=standing.segment,
        baseline_metric=baseline_metric,
        baseline_run=baseline.run if baseline else None,
        best_metric=best_metric,
        best_run=best.run if best else None,
        run_count=state.run_count,
        segment_run_count=state.run_count - standing.runs_before,
        statuses=state.statuses,
        confidence=confidence(state.metrics.ranked(), baseline_metric, best_metric, goal.direction),
        last_run=state.last_run,
        secondary={
            name: Secondary(unit_of(name), first, at_best.get(name))
            for name, first in state.secondary.items()
        },
    )


session: Projection[SessionState, SessionView] = Projection(
    name="session",
    version=1,
    initial=SessionState(),
    handlers={Config: _on_event, Run: _on_event},
    sweep=_sweep,
    shows=_view,
    view_type=SessionView,
)
"""Where a session stands: goal, metric, baseline, best, counts, confidence."""
