"""The `debrief` view: what a segment came to, as one tells it when it is over (design, section 6.1)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from eventstore.events import Config, Event, Note, Resumed, Run, Stopped
from eventstore.timestamps import epoch_ms
from reducers.budget import BudgetState, budget
from reducers.core import Projection, fold
from reducers.history import History
from reducers.policies.metric import change_percent
from reducers.session import SessionState, session
from reducers.standing import metric_of

__all__ = ["DebriefState", "DebriefView", "KeptChange", "debrief"]

REFUSED = "cycle_refused"
"""The `event` of a note that a turn was refused: files outside the assets had changed, or too much had."""

NO_CHANGE = "no_change"
"""The `event` of a note that an agent's turn changed nothing."""


class KeptChange(msgspec.Struct, frozen=True, gc=False):
    """A change that was kept.

    run: ordinal of its run among all runs of the log.
    description: what it was, in the agent's words.
    before: the best metric before it, the baseline while nothing was kept; null if there was none.
    after: its own metric; null if it had none.
    change_pct: from the one to the other, in per cent of |before|, signed; null where it cannot be told.
    commit: the commit that holds it.
    """

    run: int
    description: str
    before: int | float | None
    after: int | float | None
    change_pct: float | None
    commit: str | None


class DebriefState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `debrief` view, all of the current segment.

    session, budget: those views' states.
    kept: the kept changes. statuses: its runs by status, the one that gave the baseline not among them.
    refused, no_change: as the view has them.
    baseline_commit, final_commit: of the run that gave the baseline, and of the last kept one.
    started_at, ended_at: first and last sign of it, milliseconds since 1970 UTC.
    detail: of the last stop.
    """

    session: SessionState = session.initial
    budget: BudgetState = budget.initial
    kept: History[KeptChange] = History()
    statuses: dict[str, int] = {}
    refused: int = 0
    no_change: int = 0
    baseline_commit: str | None = None
    final_commit: str | None = None
    started_at: int | None = None
    ended_at: int | None = None
    detail: str = ""


class DebriefView(msgspec.Struct, frozen=True):
    """What the current segment came to.

    goal: what is optimised, in words.
    metric_name: the metric's name; null in a task without one.
    metric_unit: its unit, as text; null in a task without one.
    direction: `lower` or `higher`, which way is better; null in a task without one.
    segment: number of the segment, from 0.
    baseline_metric: first usable metric of the segment; null if none.
    best_metric: best usable metric over its kept runs; null if none.
    improvement_pct: from baseline to best, in per cent of |baseline|, above 0 for better; null if unknown.
    confidence: how sure the gain is (design, section 5); null if it cannot be told.
    cycles: how many runs the segment has, the one that gave the baseline not among them.
    kept: how many of them were kept.
    discarded: how many were judged and not kept, those among them whose constraint failed.
    checks_failed: how many of the discarded failed their constraint.
    crashed: how many gave no verdict.
    refused: how many turns were refused, for files outside the assets or more than a turn may change.
    no_change: how many turns of an agent changed nothing.
    elapsed_minutes: from the segment's first sign to its last, minutes; null where nothing tells a time.
    active_minutes: how much of it the loop worked, minutes.
    kept_changes: what was kept, in order.
    stopped: whether a stop is recorded that still holds.
    stop_reason: the reason recorded, else the first stop rule that holds; null while the loop may go on.
    stop_detail: what was said of the recorded stop; empty if nothing was.
    baseline_commit: the commit that gave the baseline; null if none was told.
    final_commit: the commit of the last kept run, the baseline's if none was kept; null if none was told.
    started_at: the segment's first sign, milliseconds since 1970 UTC; null where nothing tells a time.
    ended_at: its last one.
    """

    goal: str
    metric_name: str | None
    metric_unit: str | None
    direction: str | None
    segment: int
    baseline_metric: int | float | None
    best_metric: int | float | None
    improvement_pct: float | None
    confidence: float | None
    cycles: int
    kept: int
    discarded: int
    checks_failed: int
    crashed: int
    refused: int
    no_change: int
    elapsed_minutes: float | None
    active_minutes: float
    kept_changes: Sequence[KeptChange]
    stopped: bool
    stop_reason: str | None
    stop_detail: str
    baseline_commit: str | None
    final_commit: str | None
    started_at: int | None
    ended_at: int | None


def _on_event(state: DebriefState, event: Event) -> DebriefState:
    """The state after an event that a part of it looks at."""
    spent = fold(budget, (event,), state.budget)
    return state if spent is state.budget else _seen(replace(state, budget=spent), event)


def _seen(state: DebriefState, event: Event) -> DebriefState:
    """The state after a sign of the segment at this time. Clocks may go backwards; the end does not."""
    at = epoch_ms(event.timestamp)
    if at is None:
        return state
    started = at if state.started_at is None else state.started_at
    return replace(state, started_at=started, ended_at=max(at, state.ended_at or at))


def _on_config(state: DebriefState, event: Config) -> DebriefState:
    standing = fold(session, (event,), state.session)
    spent = fold(budget, (event,), state.budget)
    is_new = standing.standing.segment != state.session.standing.segment
    kept_on = DebriefState() if is_new else state
    detail = state.detail if spent.stopped is not None else ""
    return _seen(replace(kept_on, session=standing, budget=spent, detail=detail), event)


def _on_run(state: DebriefState, event: Run) -> DebriefState:
    before = state.session.standing
    state = replace(_on_event(state, event), session=fold(session, (event,), state.session))
    if before.baseline is None and state.session.standing.baseline is not None:
        return replace(state, baseline_commit=event.commit)
    count = state.statuses.get(event.status, 0) + 1
    state = replace(state, statuses={**state.statuses, event.status: count})
    if event.status != "keep":
        return state
    mark = before.best or before.baseline
    at_first, metric = mark.metric if mark else None, metric_of(before, event)
    change = KeptChange(
        run=state.session.run_count,
        description=event.description,
        before=at_first,
        after=metric,
        change_pct=change_percent(metric, at_first),
        commit=event.commit,
    )
    return replace(state, kept=state.kept.push(change), final_commit=event.commit or state.final_commit)


def _on_note(state: DebriefState, event: Note) -> DebriefState:
    if event.event == REFUSED:
        return _seen(replace(state, refused=state.refused + 1), event)
    if event.event == NO_CHANGE:
        return _seen(replace(state, no_change=state.no_change + 1), event)
    return state


def _on_stopped(state: DebriefState, event: Stopped) -> DebriefState:
    after = _on_event(state, event)
    return state if after is state else replace(after, detail=event.detail)


def _on_resumed(state: DebriefState, event: Resumed) -> DebriefState:
    after = _on_event(state, event)
    return replace(after, detail="") if after.budget.stopped is None else after


def _view(state: DebriefState, now: int | None) -> DebriefView:  # noqa: ARG001
    seen, spent = session.view(state.session), budget.view(state.budget)
    counts = state.statuses
    kept, crashed = counts.get("keep", 0), counts.get("crash", 0)
    gain = change_percent(seen.best_metric, seen.baseline_metric)
    if gain is not None and seen.direction != "higher":
        gain = 0.0 - gain
    began, ended = state.started_at, state.ended_at
    return DebriefView(
        goal=seen.goal,
        metric_name=seen.metric_name,
        metric_unit=seen.metric_unit,
        direction=seen.direction,
        segment=seen.segment,
        baseline_metric=seen.baseline_metric,
        best_metric=seen.best_metric,
        improvement_pct=gain,
        confidence=seen.confidence,
        cycles=spent.cycles_used,
        kept=kept,
        discarded=sum(counts.values()) - kept - crashed,
        checks_failed=counts.get("checks_failed", 0),
        crashed=crashed,
        refused=state.refused,
        no_change=state.no_change,
        elapsed_minutes=None if began is None or ended is None else max(ended - began, 0) / 60_000,
        active_minutes=spent.minutes_used,
        kept_changes=state.kept,
        stopped=spent.stopped,
        stop_reason=spent.stop_reason,
        stop_detail=state.detail if spent.stopped else "",
        baseline_commit=state.baseline_commit,
        final_commit=state.final_commit or state.baseline_commit,
        started_at=began,
        ended_at=ended,
    )


debrief: Projection[DebriefState, DebriefView] = Projection(
    name="debrief",
    version=1,
    initial=DebriefState(),
    handlers={
        **dict.fromkeys(budget.handlers, _on_event),
        Config: _on_config,
        Run: _on_run,
        Note: _on_note,
        Stopped: _on_stopped,
        Resumed: _on_resumed,
    },
    shows=_view,
    view_type=DebriefView,
)
"""What the current segment came to: gain, counts, kept changes, why it stopped."""
