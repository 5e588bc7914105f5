"""All that a fresh agent is told of a log, folded in one pass (design, section 6.1). Not a view of its own.

    sight = sight_of(follow(Situation(), records))

Bounded where the log is not: of runs the last `RECENT`, of findings, decisions and iterations the last
`REMEMBERED`; what was kept in the current segment and the directions of the search stay whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from eventstore.events import Config, Event, Finding, Iteration, Measured, Note, Pivot, Record, Run, Settings
from eventstore.timestamps import epoch_ms
from reducers.budget import BudgetState, BudgetView, budget
from reducers.core import Projection, fold, handlers
from reducers.directions import DirectionsState, DirectionsView, directions
from reducers.history import History
from reducers.hooks import HooksState, HooksView, hooks
from reducers.runs import RunRow, judged
from reducers.session import SessionState, SessionView, session
from reducers.stall import StallView, stall
from reducers.standing import Standing, after_config
from reducers.turns import REFUSED

__all__ = ["KINDS", "RECENT", "REMEMBERED", "Sight", "Situation", "Trail", "follow", "sight_of", "trail"]

T = TypeVar("T")

RECENT = 50
"""How many of the last runs are remembered."""

REMEMBERED = 20
"""How many of the last findings, of the last decisions and of the last iterations are remembered."""


class Trail(msgspec.Struct, frozen=True, gc=False):
    """What the views do not keep, or keep all of.

    standing, run_count: where the segment stands, how many runs the log has.
    config: the last one; None before the first.
    recent: the last runs, at least `RECENT` where there are as many. kept: the kept ones of the segment.
    findings, decisions: the last ones, in words.
    measured: the last measurement, as long as no run but its own followed it. is_judged: whether that did.
    pivot: the last one since the last run.
    refused: why the last turn without a run was refused, in words; None if none was since the last run.
    iterations: the last ones of the protocol.
    timeouts: seconds, by name, as set last.
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
    refused: str | None = None
    iterations: History[Iteration] = History()
    timeouts: dict[str, int | float] = {}


class Situation(msgspec.Struct, frozen=True):
    """The states that a brief is made from, all of the same log.

    last_at: the time of the last event of `KINDS` that tells one, milliseconds since 1970 UTC.
    """

    session: SessionState = session.initial
    budget: BudgetState = budget.initial
    directions: DirectionsState = directions.initial
    hooks: HooksState = hooks.initial
    trail: Trail = Trail()
    last_at: int | None = None


class Sight(msgspec.Struct, frozen=True):
    """What a situation shows: its views, looked at without a clock, its trail, and its last time."""

    session: SessionView
    budget: BudgetView
    stall: StallView
    directions: DirectionsView
    hooks: HooksView
    trail: Trail
    last_at: int | None = None


def sight_of(situation: Situation) -> Sight:
    """The views of a situation. Nothing in them depends on when they are looked at."""
    return Sight(
        session.view(situation.session),
        budget.view(situation.budget),
        stall.view(situation.budget.stall),
        directions.view(situation.directions),
        hooks.view(situation.hooks),
        situation.trail,
        situation.last_at,
    )


def follow(situation: Situation, records: Sequence[Record]) -> Situation:
    """The situation after these lines too."""
    return Situation(
        fold(session, records, situation.session),
        fold(budget, records, situation.budget),
        fold(directions, records, situation.directions),
        fold(hooks, records, situation.hooks),
        fold(trail, records, situation.trail),
        _last_time(records, situation.last_at),
    )


def _last_time(records: Sequence[Record], before: int | None) -> int | None:
    """The time of the last of these events that tells one; `before` if none does."""
    times = (epoch_ms(record.timestamp) for record in reversed(records) if type(record) in KINDS)  # type: ignore[union-attr]
    return next((at for at in times if at is not None), before)


def _on_config(state: Trail, event: Config) -> Trail:
    state = replace(state, config=event)
    standing = after_config(state.standing, event, state.run_count)
    if standing.segment == state.standing.segment:
        return replace(state, standing=standing)
    return replace(state, standing=standing, kept=History(), measured=None, pivot=None, refused=None)


def _on_settings(state: Trail, event: Settings) -> Trail:
    return replace(state, timeouts={**state.timeouts, **event.timeouts})


def _on_run(state: Trail, event: Run) -> Trail:
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
        refused=None,
    )


def _on_measured(state: Trail, event: Measured) -> Trail:
    return replace(state, measured=event, is_judged=False)


def _on_finding(state: Trail, event: Finding) -> Trail:
    return replace(state, findings=_pushed(state.findings, event.text, REMEMBERED))


def _on_note(state: Trail, event: Note) -> Trail:
    if event.event == REFUSED:
        return replace(state, refused=event.detail)
    if event.level != "decision":
        return state
    return replace(state, decisions=_pushed(state.decisions, event.detail, REMEMBERED))


def _on_iteration(state: Trail, event: Iteration) -> Trail:
    return replace(state, iterations=_pushed(state.iterations, event, REMEMBERED))


def _on_pivot(state: Trail, event: Pivot) -> Trail:
    return replace(state, pivot=event)


def _pushed(items: History[T], item: T, most: int) -> History[T]:
    """The items and this one; once there are twice as many as are needed, only the last of them."""
    pushed = items.push(item)
    return pushed if len(pushed) < 2 * most else History(pushed[-most:])


trail: Projection[Trail, Trail] = Projection(
    name="trail",
    version=2,
    initial=Trail(),
    handlers=handlers(
        _on_config, _on_settings, _on_run, _on_measured, _on_finding, _on_note, _on_iteration, _on_pivot
    ),
    shows=lambda state, _: state,
    view_type=Trail,
)
"""What is remembered of a log beside its views."""

KINDS: frozenset[type[Event]] = frozenset(
    kind for view in (session, budget, directions, hooks, trail) for kind in view.handlers
)
"""The event types that a situation takes account of; what is of another may be left out of what is read."""
