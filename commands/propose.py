"""`ar propose`: an agent says what it is about to try; a direction that was taken before is refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import click

from commands.claiming import claim
from commands.context import Call, author
from commands.effects.appending import tell_mended
from commands.errors import BadInputError
from commands.given import words
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json, warn
from commands.pairs import parse_pairs
from commands.verb import Verb
from eventstore.events import Direction, Event, Proposal, Record
from eventstore.store import Appended, now_ms
from reducers.core import fold as fold_view
from reducers.directions import DirectionRow, DirectionsState, directions
from reducers.policies.diversity import neighbour
from reducers.policies.diversity import told as told_row

__all__ = ["Proposed", "decide_proposal", "document", "propose", "propose_cmd", "told"]


@click.command(
    "propose",
    cls=Verb,
    epilog=examples(
        "ar propose -m 'arena allocator' --hypothesis 'malloc dominates'",
        "ar propose -m 'scan by 16 bytes' --direction 'SIMD scanning'",
        "ar propose -m 'larger pages' --direction pages --reason 'a new kernel'",
    ),
)
@click.option("-m", "--description", metavar="TEXT", required=True, help="The change, in words.")
@click.option("--hypothesis", metavar="TEXT", help="Why it should help.")
@click.option("--direction", metavar="TEXT", help="The direction of the search that it belongs to.")
@click.option(
    "--asi",
    metavar="KEY=VALUE",
    multiple=True,
    help="What successors should know, such as learned=...; repeatable.",
)
@click.option("--reason", metavar="TEXT", help="Why a direction that was taken before is taken again.")
@by_option
@json_option
@click.pass_obj
def propose_cmd(
    call: Call,
    description: str,
    hypothesis: str | None,
    direction: str | None,
    asi: tuple[str, ...],
    reason: str | None,
    by: str | None,
    as_json: bool,
) -> None:
    """Say what you are about to try, before you change anything.

    The next cycle takes its words from it. A direction equal to one that was tried is refused (exit 3), with
    what came of it, unless --reason says why again; one that another author has claimed is refused in any
    case; one much like an earlier one is warned about. A direction that is taken is claimed for 15 minutes.
    """
    proposal = Proposal(
        description=description, hypothesis=hypothesis, direction=direction, asi=parse_pairs(asi)
    )
    proposed = propose(call, proposal, reason, by)
    if as_json:
        emit_json(document(proposed))
    else:
        emit(told(proposed))


class Proposed(NamedTuple):
    """A proposal that was recorded, and the direction most like its own, with how alike they are, if any."""

    appended: Appended
    near: tuple[DirectionRow, float] | None

    @property
    def direction(self) -> str | None:
        """The direction that is claimed with it."""
        proposal = self.appended.events[0]
        return proposal.direction if isinstance(proposal, Proposal) else None


def propose(call: Call, proposal: Proposal, reason: str | None, by: str | None) -> Proposed:
    """Records a proposal, and the claim of its direction if it names one; warns of a direction much like it.

    reason: why a direction that was tried is taken again. Raises BadInputError for empty words, ConflictError
    for a direction that was tried or is held.
    """
    given = (("-m", proposal.description), ("--direction", proposal.direction), ("--reason", reason))
    for option, text in given:
        if text is not None:
            words(option, text)
    if reason is not None and proposal.direction is None:
        raise BadInputError("--reason is about a direction, and none is given", "--direction 'where it goes'")
    speaker = author(by)
    decided_from = directions.initial

    def fold(state: DirectionsState, records: Iterable[Record]) -> DirectionsState:
        return fold_view(directions, records, state)

    def decide(state: DirectionsState) -> Sequence[Event]:
        nonlocal decided_from
        decided_from = state
        return decide_proposal(state, proposal, reason=reason, by=speaker, now=now_ms())

    log = call.writer(by)
    appended = log.transact(decide, fold=fold, state=directions.initial, kinds=tuple(directions.handlers))
    tell_mended(appended)
    near = None
    if proposal.direction is not None:
        near = neighbour(proposal.direction, directions.view(decided_from).directions)
    if near is not None:
        warn(f"much like a direction of before ({near[1]:.0f} of 100): {told_row(near[0])}")
    return Proposed(appended, near)


def document(proposed: Proposed) -> dict[str, Any]:
    """The JSON document: the proposal, the direction that is claimed with it, one that is much like it."""
    appended, near = proposed
    alike: dict[str, Any] | None = None
    if near is not None:
        alike = {"text": near[0].text, "outcome": near[0].outcome, "similarity": round(near[1], 1)}
    return {
        "seq": appended.seqs[0],
        "head": str(appended.head),
        "event": appended.events[0],
        "claimed": proposed.direction,
        "neighbour": alike,
        "mended": list(appended.mended),
    }


def told(proposed: Proposed) -> str:
    """What came of it, for people."""
    claim = "" if proposed.direction is None else "; the direction is yours for 15 minutes"
    return f"proposed, line {proposed.appended.seqs[0]}{claim}\n"


def decide_proposal(
    state: DirectionsState, proposal: Proposal, *, reason: str | None, by: str, now: int
) -> list[Event]:
    """The events that record a proposal: it, and the claim of its direction if it names one. Pure.

    reason: why a direction that was tried is taken again; None if it is not to be. by: who proposes. now:
    milliseconds since 1970 UTC. Raises ConflictError for a direction that was tried, unless there is a
    reason, and for one that another holds.
    """
    if proposal.direction is None:
        return [proposal]
    asked = Direction(text=proposal.direction, state="claimed", reason=reason)
    return [proposal, claim(state, asked, by=by, now=now)]
