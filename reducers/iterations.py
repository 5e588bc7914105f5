"""The `iterations` view: the long-horizon protocol's iterations as recorded (design, section 4)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from eventstore.events import Iteration, Verified
from eventstore.timestamps import epoch_ms
from reducers.core import Projection, handlers
from reducers.history import History
from reducers.rows import Rows

__all__ = ["Ended", "IterationRow", "IterationsState", "IterationsView", "iterations"]


class Ended(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """An iteration as recorded; its fields are those of `IterationRow`."""

    iteration: int
    by: str
    summary: str = ""
    findings: int = 0
    metric: int | float | None = None
    direction: str | None = None
    rounds: int | None = None
    duration_seconds: int | float | None = None
    timestamp: int | None = None


class IterationsState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `iterations` view.

    ended: the iterations, in order.
    verified: ordinals of those that an ok check followed, ascending.
    """

    ended: History[Ended] = History()
    verified: History[int] = History()


class IterationRow(msgspec.Struct, frozen=True):
    """A protocol iteration.

    iteration: its number, as recorded.
    summary: what happened.
    findings: how many were made.
    metric: its value; null if it had none.
    direction: what was pursued.
    rounds: turns taken.
    duration_seconds: how long it took, seconds.
    verified: whether an ok check ended after it and before the next one.
    timestamp: when it was recorded, milliseconds since 1970 UTC; null where the line tells none.
    by: who recorded it.
    """

    iteration: int
    summary: str
    findings: int
    metric: int | float | None
    direction: str | None
    rounds: int | None
    duration_seconds: int | float | None
    verified: bool
    timestamp: int | None
    by: str


class IterationsView(msgspec.Struct, frozen=True):
    """The iterations of a long-horizon task.

    total: how many were recorded.
    iterations: one row an iteration, in the order of the log.
    """

    total: int
    iterations: Sequence[IterationRow]


def _on_iteration(state: IterationsState, event: Iteration) -> IterationsState:
    ended = Ended(
        event.iteration,
        event.by,
        event.summary,
        event.findings,
        event.metric,
        event.direction,
        event.rounds,
        event.duration_seconds,
        epoch_ms(event.timestamp),
    )
    return IterationsState(state.ended.push(ended), state.verified)


def _on_verified(state: IterationsState, event: Verified) -> IterationsState:
    last = len(state.ended)
    if not event.ok or last == 0 or (state.verified and state.verified[-1] == last):
        return state
    return IterationsState(state.ended, state.verified.push(last))


def _row(state: IterationsState, place: int) -> IterationRow:
    ended, number = state.ended[place], place + 1
    verified = state.verified
    found = bisect_left(verified, number)
    return IterationRow(
        iteration=ended.iteration,
        summary=ended.summary,
        findings=ended.findings,
        metric=ended.metric,
        direction=ended.direction,
        rounds=ended.rounds,
        duration_seconds=ended.duration_seconds,
        verified=found < len(verified) and verified[found] == number,
        timestamp=ended.timestamp,
        by=ended.by,
    )


def _touched(one: IterationsState, other: IterationsState) -> list[int]:
    """The places of the rows that a check may have come to between two states, or another iteration."""
    places = [*one.ended.may_differ(other.ended)]
    for index in one.verified.may_differ(other.verified):
        places += [state.verified[index] - 1 for state in (one, other) if index < len(state.verified)]
    return places


def _view(state: IterationsState, now: int | None) -> IterationsView:  # noqa: ARG001
    total = len(state.ended)
    return IterationsView(total, Rows(state, total, _row, _touched))


iterations: Projection[IterationsState, IterationsView] = Projection(
    name="iterations",
    version=1,
    initial=IterationsState(),
    handlers=handlers(_on_iteration, _on_verified),
    shows=_view,
    view_type=IterationsView,
)
"""The iterations of a long-horizon task, as recorded."""
