"""The `session` view: the goal, the metric, where it stands (design, sections 4 and 5)."""

from __future__ import annotations

from typing import Any

import msgspec

from eventstore.events import Config, Run
from reducers.core import Projection
from reducers.history import History
from reducers.policies.metric import confidence, is_better, usable
from reducers.units import unit_of

__all__ = ["Goal", "Mark", "Secondary", "SessionState", "SessionView", "goal_of", "session"]


class Goal(msgspec.Struct, frozen=True, gc=False):
    """What is optimised.

    goal: in words. metric_name, metric_unit, direction: of its metric; all null in a task without one.
    """

    goal: str = ""
    metric_name: str | None = "metric"
    metric_unit: str | None = ""
    direction: str | None = "lower"


class Mark(msgspec.Struct, frozen=True, gc=False):
    """A run that is looked back at.

    metric: its usable metric.
    run: its ordinal among all runs of the log, from 1.
    metrics: its secondary metrics, as recorded.
    """

    metric: int | float
    run: int
    metrics: dict[str, Any]


class SessionState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `session` view.

    goal: as configured last.
    segment: number of the current segment, from 0.
    run_count, segment_run_count: runs of the log, of the segment.
    statuses: runs of the log by status.
    metrics: usable metrics of the segment, in order.
    baseline, best: marks of the segment.
    secondary: first value of each secondary metric of the segment.
    last_run: of the log.
    """

    goal: Goal = Goal()
    segment: int = 0
    run_count: int = 0
    segment_run_count: int = 0
    statuses: dict[str, int] = {}
    metrics: History[int | float] = History()
    baseline: Mark | None = None
    best: Mark | None = None
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


def goal_of(before: Goal, event: Config) -> Goal:
    """The goal after this config.

    What a foreign config (one without `seq`) leaves out stays as it was, as pi reads it, but no direction
    means lower. One of ours without a metric's name is of a task without a metric.
    """
    if event.metricName is None and event.seq is not None:
        return Goal(event.name, None, None, None)
    return Goal(
        event.name or before.goal,
        event.metricName or before.metric_name or "metric",
        (before.metric_unit or "") if event.metricUnit is None else event.metricUnit,
        "higher" if event.bestDirection == "higher" else "lower",
    )


def _on_config(state: SessionState, event: Config) -> SessionState:
    goal = goal_of(state.goal, event)
    if state.run_count == 0:
        return msgspec.structs.replace(state, goal=goal)
    return SessionState(
        goal=goal,
        segment=state.segment + 1,
        run_count=state.run_count,
        statuses=state.statuses,
        last_run=state.last_run,
    )


def _on_run(state: SessionState, event: Run) -> SessionState:
    run_count = state.run_count + 1
    status = event.status
    metrics = event.metrics
    history = state.metrics
    baseline = state.baseline
    best = state.best
    secondary = state.secondary
    metric = usable(event)
    if metric is not None:
        history = history.push(metric)
        if baseline is None:
            baseline = Mark(metric, run_count, metrics)
        if status == "keep" and (best is None or is_better(metric, best.metric, state.goal.direction)):
            best = Mark(metric, run_count, metrics)
    if metrics and not metrics.keys() <= secondary.keys():
        secondary = metrics | secondary
    return SessionState(
        state.goal,
        state.segment,
        run_count,
        state.segment_run_count + 1,
        {**state.statuses, status: state.statuses.get(status, 0) + 1},
        history,
        baseline,
        best,
        secondary,
        event,
    )


def _view(state: SessionState, now: int | None) -> SessionView:  # noqa: ARG001
    goal, baseline, best = state.goal, state.baseline, state.best
    has_metric = goal.metric_name is not None
    baseline_metric = baseline.metric if baseline and has_metric else None
    best_metric = best.metric if best and has_metric else None
    at_best = best.metrics if best else {}
    return SessionView(
        goal=goal.goal,
        metric_name=goal.metric_name,
        metric_unit=goal.metric_unit,
        direction=goal.direction,
        segment=state.segment,
        baseline_metric=baseline_metric,
        baseline_run=baseline.run if baseline and has_metric else None,
        best_metric=best_metric,
        best_run=best.run if best and has_metric else None,
        run_count=state.run_count,
        segment_run_count=state.segment_run_count,
        statuses=state.statuses,
        confidence=confidence(state.metrics.to_list(), baseline_metric, best_metric, goal.direction),
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
    handlers={Config: _on_config, Run: _on_run},
    shows=_view,
    view_type=SessionView,
)
"""Where a session stands: goal, metric, baseline, best, counts, confidence."""
