"""A task in one row: what `ar tasks` and `ar orchestrate` see of it at a glance (design, section 6.3).

Not among the named views: it is made of them, of one log in one pass.
"""

from __future__ import annotations

import msgspec

from eventstore.events import TYPES, Event
from eventstore.timestamps import epoch_ms
from reducers.budget import BudgetState, budget
from reducers.core import Projection
from reducers.flags import FlagsState, flags
from reducers.liveness import LivenessView, liveness
from reducers.policies.patrol import GUARDS
from reducers.progress import ProgressState, progress
from reducers.session import SessionState, session
from reducers.signs import LivenessState

__all__ = ["Overview", "OverviewState", "overview"]

WORST_FIRST = ("stuck", "stalled", "overdue", "rate_limited", "paused", "alive", "unknown", "stopped")
"""The verdicts on loops; a task is in the state of that loop of it that comes first here."""


class OverviewState(msgspec.Struct, frozen=True, gc=False):
    """The states of these reducers, of the same log.

    last_at: time of the last event of anybody but a guardian, milliseconds since 1970 UTC.
    """

    session: SessionState = session.initial
    progress: ProgressState = progress.initial
    budget: BudgetState = budget.initial
    liveness: LivenessState = liveness.initial
    flags: FlagsState = flags.initial
    last_at: int | None = None


class Overview(msgspec.Struct, frozen=True):
    """A task at a glance.

    goal: what it is to do; null if nobody said.
    state: `stopped` where a stop is recorded that holds; else the verdict on that loop of it that is worst
        off (as in `liveness`), `unknown` where no loop gave a sign or there is no time to look at.
    stop_reason: the recorded reason; null where none holds.
    status: what its status was last said to be.
    metric_name, metric_unit, baseline_metric, best_metric: as in `session`.
    run_count: how many runs there are. iteration: number of the last protocol iteration, 0 for none.
    findings: how many were recorded.
    stale_count: as in `stall`.
    last_seen: time of the last event of anybody but a guardian, milliseconds since 1970 UTC.
    flags: the kinds of those that are up.
    """

    goal: str | None
    state: str
    stop_reason: str | None
    status: str | None
    metric_name: str | None
    metric_unit: str | None
    baseline_metric: float | None
    best_metric: float | None
    run_count: int
    iteration: int
    findings: int
    stale_count: int
    last_seen: int | None
    flags: list[str]


def _on_event(state: OverviewState, event: Event) -> OverviewState:
    kind = type(event)
    changed: dict[str, object] = {}
    for projection in (session, progress, budget, liveness, flags):
        handler = projection.handlers.get(kind)
        if handler is not None:
            before = getattr(state, projection.name)
            after = handler(before, event)
            if after is not before:
                changed[projection.name] = after
    at = epoch_ms(event.timestamp)
    if at is not None and at != state.last_at and event.by.partition(":")[0] != "guardian":
        changed["last_at"] = at
    return msgspec.structs.replace(state, **changed) if changed else state


def _view(state: OverviewState, now: int | None) -> Overview:
    measured = session.view(state.session)
    gone = progress.view(state.progress)
    stopped = state.budget.stopped
    return Overview(
        goal=measured.goal,
        state="stopped" if stopped is not None else _verdict(liveness.view(state.liveness, now)),
        stop_reason=stopped,
        status=gone.status,
        metric_name=measured.metric_name,
        metric_unit=measured.metric_unit,
        baseline_metric=measured.baseline_metric,
        best_metric=measured.best_metric,
        run_count=measured.run_count,
        iteration=gone.iteration,
        findings=gone.total_findings,
        stale_count=gone.stale_count,
        last_seen=state.last_at,
        flags=[row.kind for row in flags.view(state.flags).flags if row.up],
    )


def _verdict(view: LivenessView) -> str:
    """How the loop is that is worst off; those that only look after others are not asked."""
    said = {row.verdict for row in view.loops if row.level not in GUARDS}
    return next((word for word in WORST_FIRST if word in said), "unknown")


overview: Projection[OverviewState, Overview] = Projection(
    name="overview",
    version=2,
    initial=OverviewState(),
    handlers=dict.fromkeys(TYPES.values(), _on_event),
    shows=_view,
    view_type=Overview,
    timed=True,
)
"""A task in one row."""
