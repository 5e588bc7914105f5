"""The `stall` view: how long the search has not advanced, and what that demands (design, section 5)."""

from __future__ import annotations

import msgspec

from eventstore.events import Config, Iteration, Pivot, Run, Settings
from reducers.core import Projection, handlers
from reducers.policies.metric import JUDGED, is_better
from reducers.policies.stall import pivot_due, rank, threshold
from reducers.standing import Standing, after_config, after_run, is_new_best, metric_of

__all__ = ["StallState", "StallView", "stall"]


class StallState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `stall` view, and for others that speak of streaks.

    standing: baseline and best of the current segment.
    run_count: runs of the log.
    stale_count, discard_streak, failure_streak: as the view has them.
    pivoted: the farthest pivot since the stale count last grew.
    thresholds: those that were set, by level.
    iteration_metric: of the segment's last iteration; null if it had none.
    """

    standing: Standing = Standing()
    run_count: int = 0
    stale_count: int = 0
    discard_streak: int = 0
    failure_streak: int = 0
    pivoted: str | None = None
    thresholds: dict[str, int] = {}
    iteration_metric: int | float | None = None


class StallView(msgspec.Struct, frozen=True):
    """Whether the search circles.

    stale_count: judged runs of the segment since its last new best; in a segment without runs, iterations
        since the last one that found something and was no worse than the one before. Crashes do not count.
    discard_streak: judged runs of the segment since its last kept run or pivot.
    failure_streak: runs of the segment, of any status, since its last kept one.
    runs_since_best: runs of the segment since its best one; all of them while it has none.
    pivot_due: the pivot that the stale count demands and nobody has made since it last grew: `structure`,
        `inject` or `human`; null if none.
    """

    stale_count: int
    discard_streak: int
    failure_streak: int
    runs_since_best: int
    pivot_due: str | None


def _on_config(state: StallState, event: Config) -> StallState:
    standing = after_config(state.standing, event, state.run_count)
    if standing.segment == state.standing.segment:
        return msgspec.structs.replace(state, standing=standing)
    return StallState(standing, state.run_count, thresholds=state.thresholds)


def _on_settings(state: StallState, event: Settings) -> StallState:
    given = {level: threshold(value) for level, value in event.thresholds.items() if rank(level)}
    fresh = {level: count for level, count in given.items() if count is not None}
    return msgspec.structs.replace(state, thresholds={**state.thresholds, **fresh}) if fresh else state


def _on_run(state: StallState, event: Run) -> StallState:
    standing, ordinal = state.standing, state.run_count + 1
    metric = metric_of(standing, event)
    if metric is not None:
        standing = after_run(standing, event, metric, ordinal)
    stale_count, pivoted = state.stale_count, state.pivoted
    if event.status in JUDGED:
        stale_count, pivoted = (0, pivoted) if is_new_best(standing, ordinal) else (stale_count + 1, None)
    kept = event.status == "keep"
    return StallState(
        standing=standing,
        run_count=ordinal,
        stale_count=stale_count,
        discard_streak=0 if kept else state.discard_streak + (event.status in JUDGED),
        failure_streak=0 if kept else state.failure_streak + 1,
        pivoted=pivoted,
        thresholds=state.thresholds,
        iteration_metric=state.iteration_metric,
    )


def _on_iteration(state: StallState, event: Iteration) -> StallState:
    if state.run_count > state.standing.runs_before:
        return state
    before, metric = state.iteration_metric, event.metric
    worse = before is not None and metric is not None and _is_worse(metric, before, state)
    if event.findings > 0 and not worse:
        return msgspec.structs.replace(state, stale_count=0, iteration_metric=metric)
    return msgspec.structs.replace(
        state, stale_count=state.stale_count + 1, pivoted=None, iteration_metric=metric
    )


def _is_worse(metric: float, before: float, state: StallState) -> bool:
    return is_better(before, metric, state.standing.goal.direction)


def _on_pivot(state: StallState, event: Pivot) -> StallState:
    pivoted = event.level if rank(event.level) > rank(state.pivoted) else state.pivoted
    return msgspec.structs.replace(state, discard_streak=0, pivoted=pivoted)


def _view(state: StallState, now: int | None) -> StallView:  # noqa: ARG001
    since = state.standing.best.run if state.standing.best else state.standing.runs_before
    return StallView(
        stale_count=state.stale_count,
        discard_streak=state.discard_streak,
        failure_streak=state.failure_streak,
        runs_since_best=state.run_count - since,
        pivot_due=pivot_due(state.stale_count, state.thresholds, state.pivoted),
    )


stall: Projection[StallState, StallView] = Projection(
    name="stall",
    version=1,
    initial=StallState(),
    handlers=handlers(_on_config, _on_settings, _on_run, _on_iteration, _on_pivot),
    shows=_view,
    view_type=StallView,
)
"""How long the search has not advanced, and whether it must go elsewhere."""
