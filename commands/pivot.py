"""`ar pivot`: the search is forced elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import click
import msgspec

from commands.claiming import claim
from commands.context import Call, author
from commands.effects.recording import document, enter_decided
from commands.errors import BadInputError
from commands.given import choices, words
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json
from commands.render import escape
from commands.verb import Verb
from eventstore.events import Direction, Event, Flag, Pivot
from eventstore.events.protocol import PivotLevel
from eventstore.store import Appended, now_ms
from reducers.core import Projection, fold
from reducers.directions import DirectionsState, directions
from reducers.pivots import Pivots, next_perturbation, pivots
from reducers.stall import StallState, stall
from reducers.turns import STALLED

__all__ = ["Crossroads", "crossroads", "decide_pivot", "enter_pivot", "pivot_cmd", "told"]


class Crossroads(msgspec.Struct, frozen=True, gc=False):
    """What a pivot is decided from: the states of these reducers."""

    stall: StallState = stall.initial
    pivots: Pivots = pivots.initial
    directions: DirectionsState = directions.initial


def _on_any(state: Crossroads, event: Event) -> Crossroads:
    return Crossroads(
        fold(stall, (event,), state.stall),
        fold(pivots, (event,), state.pivots),
        fold(directions, (event,), state.directions),
    )


crossroads: Projection[Crossroads, Crossroads] = Projection(
    name="crossroads",
    version=1,
    initial=Crossroads(),
    handlers=dict.fromkeys((*stall.handlers, *pivots.handlers, *directions.handlers), _on_any),
    shows=lambda state, _: state,
)
"""What a pivot is decided from."""


@click.command(
    "pivot",
    cls=Verb,
    epilog=examples(
        "ar pivot --to 'change the storage layout'",
        "ar pivot inject --reason 'three stale iterations'",
        "ar pivot structure --perturbation 'drop the cache altogether'",
    ),
)
@click.argument("level", metavar="[LEVEL]", type=click.Choice(choices(PivotLevel)), required=False)
@click.option("--to", metavar="TEXT", help="The direction that is taken instead.")
@click.option("--from", "from_", metavar="TEXT", help="The one that is left; the last run's if left out.")
@click.option("--reason", metavar="TEXT", help="What demands it; the stale count if left out.")
@click.option("--perturbation", metavar="TEXT", help="The impulse; one of the set is chosen if left out.")
@by_option
@json_option
@click.pass_obj
def pivot_cmd(
    call: Call,
    level: str | None,
    to: str | None,
    from_: str | None,
    reason: str | None,
    perturbation: str | None,
    by: str | None,
    as_json: bool,
) -> None:
    """Force the search elsewhere; the next brief demands it.

    LEVEL is structure (change a structural constraint, not a parameter), inject (a new direction) or human
    (raises the flag `stalled`; work goes on); the one that is due if left out. The first two carry a
    perturbation. A direction --to that was tried is refused (exit 3), unless --reason says why again.
    """
    asked = Pivot(level="", reason=reason, from_=from_, to=to, perturbation=perturbation)
    appended = enter_pivot(call, level, asked, by)
    if as_json:
        emit_json(document(appended))
    else:
        emit(told(appended))


def enter_pivot(call: Call, level: str | None, asked: Pivot, by: str | None) -> Appended:
    """Records a pivot.

    level: None for the one that is due. asked: the rest of it; what is None is filled in. Raises
    BadInputError for empty words and where none is due, ConflictError for a direction that was tried or is
    held.
    """
    for option, text in (
        ("--to", asked.to),
        ("--from", asked.from_),
        ("--reason", asked.reason),
        ("--perturbation", asked.perturbation),
    ):
        if text is not None:
            words(option, text)
    speaker = author(by)

    def decide(state: Crossroads) -> Sequence[Event]:
        return decide_pivot(state, level, asked, by=speaker, now=now_ms())

    return enter_decided(call, by, Pivot, crossroads, decide)


def told(appended: Appended) -> str:
    """What came of it, for people: the line, and the impulse."""
    pivot = appended.events[0]
    assert isinstance(pivot, Pivot)
    impulse = f"{escape(pivot.perturbation)}\n" if pivot.perturbation else ""
    return f"pivot {pivot.level} is line {appended.seqs[0]}\n{impulse}"


def decide_pivot(state: Crossroads, level: str | None, asked: Pivot, *, by: str, now: int) -> list[Event]:
    """The events of a pivot: it, with what was left out filled in; at `human` the flag too. Pure.

    level: None for the one that is due. by: who pivots. now: milliseconds since 1970 UTC. Raises
    BadInputError where none is due, ConflictError for a direction that was tried, unless there is a reason,
    or that another holds.
    """
    view = stall.view(state.stall)
    level = level or view.pivot_due
    if level is None:
        raise BadInputError(
            f"no pivot is due (stale count {view.stale_count})", "ar pivot structure, inject or human"
        )
    if asked.to is not None:
        claim(
            state.directions, Direction(text=asked.to, state="claimed", reason=asked.reason), by=by, now=now
        )
    told_why = asked.reason or f"stale count {view.stale_count}"
    pivot = msgspec.structs.replace(
        asked,
        level=level,
        reason=told_why,
        from_=asked.from_ or state.pivots.direction,
        perturbation=asked.perturbation
        or (None if level == "human" else next_perturbation(state.pivots).text),
    )
    return [pivot, Flag(kind=STALLED, detail=told_why)] if level == "human" else [pivot]
