"""The `directions` view: where the search has been, is and gave up going (design, sections 4 and 5)."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from eventstore.events import Direction, Iteration, Run
from eventstore.timestamps import epoch_ms
from reducers.core import Projection, handlers
from reducers.history import History
from reducers.policies.directions import CLAIM_MS, normal

__all__ = ["DirectionRow", "DirectionsState", "DirectionsView", "Mention", "directions"]


class Mention(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One event that names a direction: what it says of it.

    text: the direction. by: who appended it.
    state, kind, reason: of a `direction` event; a run or an iteration has `tried` it.
    at, until: when it was said, when the claim ends; milliseconds since 1970 UTC.
    run, status: of a run: its ordinal and how it was judged.
    iteration, findings: of a protocol iteration: its number and how many findings it made.
    """

    text: str
    by: str
    state: str = "tried"
    kind: str | None = None
    reason: str | None = None
    at: int | None = None
    until: int | None = None
    run: int | None = None
    status: str | None = None
    iteration: int | None = None
    findings: int = 0


class DirectionsState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `directions` view.

    run_count: runs of the log. mentions: every event that names a direction, in order.
    """

    run_count: int = 0
    mentions: History[Mention] = History()


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
    runs: list[int]
    iterations: list[int]
    by: str | None
    until: int | None


class DirectionsView(msgspec.Struct, frozen=True):
    """Every direction of the search.

    directions: one row a direction, in the order they came up.
    """

    directions: list[DirectionRow]


def _on_direction(state: DirectionsState, event: Direction) -> DirectionsState:
    at, until = epoch_ms(event.timestamp), epoch_ms(event.until)
    if event.state == "claimed" and until is None and at is not None:
        until = at + CLAIM_MS
    mention = Mention(event.text, event.by, event.state, event.kind, event.reason, at, until)
    return DirectionsState(state.run_count, state.mentions.push(mention))


def _on_run(state: DirectionsState, event: Run) -> DirectionsState:
    ordinal, mentions = state.run_count + 1, state.mentions
    if event.direction:
        at = epoch_ms(event.timestamp)
        mentions = mentions.push(Mention(event.direction, event.by, at=at, run=ordinal, status=event.status))
    return DirectionsState(ordinal, mentions)


def _on_iteration(state: DirectionsState, event: Iteration) -> DirectionsState:
    if not event.direction:
        return state
    mention = Mention(
        event.direction,
        event.by,
        at=epoch_ms(event.timestamp),
        iteration=event.iteration,
        findings=max(event.findings, 0),
    )
    return DirectionsState(state.run_count, state.mentions.push(mention))


def _view(state: DirectionsState, now: int | None) -> DirectionsView:  # noqa: ARG001
    groups: dict[str, list[Mention]] = {}
    for mention in state.mentions:
        groups.setdefault(normal(mention.text), []).append(mention)
    return DirectionsView([_row(mentions) for mentions in groups.values()])


def _row(mentions: list[Mention]) -> DirectionRow:
    held: Mention | None = None
    for mention in mentions:
        held = _holder(held, mention)
    runs = [m for m in mentions if m.run is not None]
    iterations = [m for m in mentions if m.iteration is not None]
    return DirectionRow(
        text=mentions[0].text,
        kind=_last(m.kind for m in mentions),
        state=mentions[-1].state if held is None else "claimed",
        outcome=_outcome(runs, iterations),
        reason=_last(m.reason for m in mentions),
        runs=[m.run for m in runs if m.run is not None],
        iterations=[m.iteration for m in iterations if m.iteration is not None],
        by=held.by if held else None,
        until=held.until if held else None,
    )


def _holder(held: Mention | None, mention: Mention) -> Mention | None:
    """Who holds the claim after this: the first wins, until its claim ends or something else is said.

    Said by the holder, a user or an orchestrator: what another worker says of a direction, or records of a
    run in it, takes no claim away. Claims are compared by when they were said, not by a clock of ours; one
    that tells no time does not get another's.
    """
    said = mention if mention.state == "claimed" else None
    if held is None or held.by == mention.by:
        return said
    if said is None and mention.by.partition(":")[0] in ("user", "orchestrator"):
        return None
    expired = held.until is not None and mention.at is not None and mention.at >= held.until
    return said if expired else held


def _outcome(runs: list[Mention], iterations: list[Mention]) -> str | None:
    if runs:
        return "keep" if any(m.status == "keep" for m in runs) else runs[-1].status
    if iterations:
        return "findings" if any(m.findings for m in iterations) else "nothing"
    return None


def _last(values: Iterable[str | None]) -> str | None:
    last = None
    for value in values:
        last = last if value is None else value
    return last


directions: Projection[DirectionsState, DirectionsView] = Projection(
    name="directions",
    version=2,
    initial=DirectionsState(),
    handlers=handlers(_on_direction, _on_run, _on_iteration),
    shows=_view,
    view_type=DirectionsView,
)
"""Every direction of the search, with what came of it."""
