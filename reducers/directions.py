"""The `directions` view: where the search has been, is and gave up going (design, sections 4 and 5)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from eventstore.events import Direction, Event, Iteration, Run
from eventstore.timestamps import epoch_ms
from reducers.core import Projection, handlers
from reducers.history import History
from reducers.policies.directions import CLAIM_MS, normal
from reducers.rows import Rows
from reducers.table import Table

__all__ = ["Claim", "DirectionRow", "DirectionsState", "DirectionsView", "Group", "directions"]


class Claim(msgspec.Struct, frozen=True, gc=False):
    """A claim that holds. by: who holds it. until: when it ends, milliseconds since 1970 UTC."""

    by: str
    until: int | None = None


class Group(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What is kept of a direction: of all texts that are the same after normalising.

    place: its row, from 0. state: what was said last. claim: the one that holds, if any.
    kept: whether one of its runs was kept. last_status: of its last run. found: whether an iteration of it
    found something. The others are those of `DirectionRow`.
    """

    place: int
    text: str
    kind: str | None = None
    state: str = "tried"
    reason: str | None = None
    claim: Claim | None = None
    runs: History[int] = History()
    kept: bool = False
    last_status: str | None = None
    iterations: History[int] = History()
    found: bool = False


class DirectionsState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `directions` view.

    run_count: runs of the log. names: the directions, normalised, in the order they came up.
    groups: what is kept of each, by name.
    """

    run_count: int = 0
    names: History[str] = History()
    groups: Table[Group] = Table()


class DirectionRow(msgspec.Struct, frozen=True):
    """A direction: all texts that are the same after normalising (design, section 5).

    text: as it was first worded.
    kind: `tactical` or `structural`; null if nobody said.
    state: `claimed`, `tried` or `abandoned`: what was said last. Runs and iterations of it make it tried; a
        claim lasts through those of other workers.
    outcome: `keep` if one of its runs was kept, else how the last one was judged; where only iterations went
        there, `findings` or `nothing`; null while it has neither.
    reason: the last one given.
    runs: ordinals of its runs among all runs of the log.
    iterations: numbers of its protocol iterations.
    by: who holds the claim; null if it is not claimed.
    until: when the claim ends, milliseconds since 1970 UTC; null if it is not claimed or nobody
        knows.
    """

    text: str
    kind: str | None
    state: str
    outcome: str | None
    reason: str | None
    runs: Sequence[int]
    iterations: Sequence[int]
    by: str | None
    until: int | None


class DirectionsView(msgspec.Struct, frozen=True):
    """Every direction of the search.

    directions: one row a direction, in the order they came up.
    """

    directions: Sequence[DirectionRow]


def _on_direction(state: DirectionsState, event: Direction) -> DirectionsState:
    at, until = epoch_ms(event.timestamp), epoch_ms(event.until)
    if event.state == "claimed" and until is None and at is not None:
        until = at + CLAIM_MS
    group = _group(state, event.text)
    return _with(
        state,
        replace(
            group,
            state=event.state,
            kind=group.kind if event.kind is None else event.kind,
            reason=group.reason if event.reason is None else event.reason,
            claim=_claim(group.claim, event, Claim(event.by, until) if event.state == "claimed" else None),
        ),
    )


def _claim(held: Claim | None, event: Event, said: Claim | None = None) -> Claim | None:
    """Who holds the claim after this: the first wins, until its claim ends or something else is said.

    Said by the holder, a user or an orchestrator: what another worker says of a direction, or records of a
    run in it, takes no claim away. Claims are compared by when they were said, not by a clock of ours; one
    that tells no time does not get another's. `said`: the claim that the event makes, if it makes one.
    """
    if held is None or held.by == event.by:
        return said
    if said is None and event.by.partition(":")[0] in ("user", "orchestrator"):
        return None
    at = epoch_ms(event.timestamp)
    expired = held.until is not None and at is not None and at >= held.until
    return said if expired else held


def _on_run(state: DirectionsState, event: Run) -> DirectionsState:
    ordinal = state.run_count + 1
    state = replace(state, run_count=ordinal)
    if not event.direction:
        return state
    group = _group(state, event.direction)
    return _with(
        state,
        replace(
            group,
            state="tried",
            claim=_claim(group.claim, event),
            runs=group.runs.push(ordinal),
            kept=group.kept or event.status == "keep",
            last_status=event.status,
        ),
    )


def _on_iteration(state: DirectionsState, event: Iteration) -> DirectionsState:
    if not event.direction:
        return state
    group = _group(state, event.direction)
    return _with(
        state,
        replace(
            group,
            state="tried",
            claim=_claim(group.claim, event),
            iterations=group.iterations.push(event.iteration),
            found=group.found or event.findings > 0,
        ),
    )


def _group(state: DirectionsState, text: str) -> Group:
    """What is kept of a direction; where it is new, what would be."""
    known = state.groups.get(normal(text))
    return Group(len(state.names), text) if known is None else known


def _with(state: DirectionsState, group: Group) -> DirectionsState:
    name = normal(group.text)
    names = state.names.push(name) if group.place == len(state.names) else state.names
    return DirectionsState(state.run_count, names, state.groups.put(name, group))


def _row(state: DirectionsState, place: int) -> DirectionRow:
    group = state.groups[state.names[place]]
    return DirectionRow(
        text=group.text,
        kind=group.kind,
        state="claimed" if group.claim else group.state,
        outcome=_outcome(group),
        reason=group.reason,
        runs=group.runs,
        iterations=group.iterations,
        by=group.claim.by if group.claim else None,
        until=group.claim.until if group.claim else None,
    )


def _outcome(group: Group) -> str | None:
    if group.runs:
        return "keep" if group.kept else group.last_status
    if group.iterations:
        return "findings" if group.found else "nothing"
    return None


def _touched(one: DirectionsState, other: DirectionsState) -> list[int]:
    """The places of the rows that something was said of between two states."""
    places = [*one.names.may_differ(other.names)]
    for name in one.groups.differing(other.groups):
        places += [state.groups[name].place for state in (one, other) if name in state.groups]
    return places


def _view(state: DirectionsState, now: int | None) -> DirectionsView:  # noqa: ARG001
    return DirectionsView(Rows(state, len(state.names), _row, _touched))


directions: Projection[DirectionsState, DirectionsView] = Projection(
    name="directions",
    version=3,
    initial=DirectionsState(),
    handlers=handlers(_on_direction, _on_run, _on_iteration),
    shows=_view,
    view_type=DirectionsView,
)
"""Every direction of the search, with what came of it."""
