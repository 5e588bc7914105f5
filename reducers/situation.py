"""All that a fresh agent is told of a log, folded in one pass (design, section 6.1). Not a view of its own.

    sight = sight_of(follow(Situation(), records))

Bounded where the log is not: of runs the last `RECENT`, of findings and decisions the last `REMEMBERED`; what
was kept in the current segment and the directions of the search stay whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from eventstore.events import EVENTS, Config, Event, Finding, Measured, Note, Pivot, Record, Run, Settings
from eventstore.timestamps import epoch_ms
from reducers.budget import BudgetState, BudgetView, budget
from reducers.core import Projection, fold
from reducers.directions import DirectionsState, DirectionsView, directions
from reducers.history import History
from reducers.hooks import HooksState, HooksView, hooks
from reducers.runs import RunRow, judged
from reducers.session import SessionState, SessionView, session
from reducers.stall import StallView, stall
from reducers.standing import Standing, after_config

__all__ = ["RECENT", "REMEMBERED", "Sight", "Situation", "Trail", "follow", "sight_of", "trail"]

T = TypeVar("T")

RECENT = 50
"""How many of the last runs are remembered."""

REMEMBERED = 20
"""How many of the last findings, and of the last decisions, are remembered."""


class Trail(msgspec.Struct, frozen=True, gc=False):
    """What the views do not keep, or keep all of.

    standing, run_count: where the segment stands, how many runs the log has.
    config: the last one; None before the first.
    recent: the last runs, at least `RECENT` where there are as many. kept: the kept ones of the segment.
    findings, decisions: the last ones, in words.
    measured: the last measurement, as long as no run but its own followed it. is_judged: whether that did.
    pivot: the last one since the last run.
    timeouts: seconds, by name, as set last.
    last_at: the time of the last event that tells one, milliseconds since 1970 UTC.
    """

    standing: Standing = Standing()
    run_count: int = 0
    config: Config | None = None
    recent: History[RunRow] = History()
    kept: History[RunRow] = History()
    findings: History[str] = History()
    decisions: History[str] = History()
    measured: Measured | None = None
    is_judged: bool = False
    pivot: Pivot | None = None
    timeouts: dict[str, int | float] = {}
    last_at: int | None = None


class Situation(msgspec.Struct, frozen=True):
    """The states that a brief is made from, all of the same log."""

    session: SessionState = session.initial
    budget: BudgetState = budget.initial
    directions: DirectionsState = directions.initial
    hooks: HooksState = hooks.initial
    trail: Trail = Trail()


class Sight(msgspec.Struct, frozen=True):
    """What a situation shows: its views, looked at without a clock, and its trail."""

    session: SessionView
    budget: BudgetView
    stall: StallView
    directions: DirectionsView
    hooks: HooksView
    trail: Trail


def sight_of(situation: Situation) -> Sight:
    """The views of a situation. Nothing in them depends on when they are looked at."""
    return Sight(
        session.view(situation.session),
        budget.view(situation.budget),
        stall.view(situation.budget.stall),
        directions.view(situation.directions),
        hooks.view(situation.hooks),
        situation.trail,
    )


def follow(situation: Situation, records: Sequence[Record]) -> Situation:
    """The situation after these lines too."""
    return Situation(
        fold(session, records, situation.session),
        fold(budget, records, situation.budget),
        fold(directions, records, situation.directions),
        fold(hooks, records, situation.hooks),
        fold(trail, records, situation.trail),
    )


def _on_event(state: Trail, event: Event) -> Trail:
    at = epoch_ms(event.timestamp)
    return state if at is None else replace(state, last_at=at)


def _on_config(state: Trail, event: Config) -> Trail:
    state = replace(_on_event(state, event), config=event)
    standing = after_config(state.standing, event, state.run_count)
    if standing.segment == state.standing.segment:
        return replace(state, standing=standing)
    return replace(state, standing=standing, kept=History(), measured=None, pivot=None)


def _on_settings(state: Trail, event: Settings) -> Trail:
    return replace(_on_event(state, event), timeouts={**state.timeouts, **event.timeouts})


def _on_run(state: Trail, event: Run) -> Trail:
    state = _on_event(state, event)
    standing, row = judged(state.standing, event, state.run_count + 1)
    return replace(
        state,
        standing=standing,
        run_count=row.run,
        recent=_pushed(state.recent, row, RECENT),
        kept=state.kept.push(row) if row.status == "keep" else state.kept,
        measured=None if state.is_judged else state.measured,
        is_judged=True,
        pivot=None,
    )


def _on_measured(state: Trail, event: Measured) -> Trail:
    return replace(_on_event(state, event), measured=event, is_judged=False)


def _on_finding(state: Trail, event: Finding) -> Trail:
    return replace(_on_event(state, event), findings=_pushed(state.findings, event.text, REMEMBERED))


def _on_note(state: Trail, event: Note) -> Trail:
    state = _on_event(state, event)
    if event.level != "decision":
        return state
    return replace(state, decisions=_pushed(state.decisions, event.detail, REMEMBERED))


def _on_pivot(state: Trail, event: Pivot) -> Trail:
    return replace(_on_event(state, event), pivot=event)


def _pushed(items: History[T], item: T, most: int) -> History[T]:
    """The items and this one; once there are twice as many as are needed, only the last of them."""
    pushed = items.push(item)
    return pushed if len(pushed) < 2 * most else History(pushed[-most:])


trail: Projection[Trail, Trail] = Projection(
    name="trail",
    version=1,
    initial=Trail(),
    handlers={
        **dict.fromkeys(EVENTS, _on_event),
        Config: _on_config,
        Settings: _on_settings,
        Run: _on_run,
        Measured: _on_measured,
        Finding: _on_finding,
        Note: _on_note,
        Pivot: _on_pivot,
    },
    shows=lambda state, _: state,
    view_type=Trail,
)
"""What is remembered of a log beside its views."""
