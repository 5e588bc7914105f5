"""Where a segment's runs stand: what the views that speak of baseline and best share (design, section 5).

A state keeps a `Standing` and its own count of runs; the standing changes only with a config, a baseline or
a new best, so that most runs cost it nothing.
"""

from __future__ import annotations

from typing import Any

import msgspec

from eventstore.events import Config, Run
from reducers.policies.metric import is_better, usable

__all__ = ["Goal", "Mark", "Standing", "after_config", "after_run", "goal_of", "is_new_best", "metric_of"]


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


class Standing(msgspec.Struct, frozen=True, gc=False):
    """Where the current segment stands.

    goal: as configured last.
    segment: its number, from 0.
    runs_before: how many runs the log has before it.
    baseline: the first run with a usable metric; null if none.
    best: the kept run with the best one, the earliest of equals; null if none.
    """

    goal: Goal = Goal()
    segment: int = 0
    runs_before: int = 0
    baseline: Mark | None = None
    best: Mark | None = None


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


def after_config(standing: Standing, event: Config, run_count: int) -> Standing:
    """The standing after a config, `run_count` runs into the log: once there are runs, of a new segment."""
    goal = goal_of(standing.goal, event)
    return Standing(goal, standing.segment + 1, run_count) if run_count else Standing(goal)


def metric_of(standing: Standing, run: Run) -> int | float | None:
    """The run's usable metric; None in a task without a metric."""
    return usable(run) if standing.goal.metric_name is not None else None


def after_run(standing: Standing, run: Run, metric: float, ordinal: int) -> Standing:
    """The standing after a run with a usable metric, the `ordinal`th of the log."""
    baseline, best = standing.baseline, standing.best
    improves = run.status == "keep" and (
        best is None or is_better(metric, best.metric, standing.goal.direction)
    )
    if baseline is not None and not improves:
        return standing
    mark = Mark(metric, ordinal, run.metrics)
    return Standing(
        standing.goal, standing.segment, standing.runs_before, baseline or mark, mark if improves else best
    )


def is_new_best(standing: Standing, ordinal: int) -> bool:
    """Whether the `ordinal`th run of the log, its standing's last, was a new best."""
    return standing.best is not None and standing.best.run == ordinal
