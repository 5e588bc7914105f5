"""The pivots of a log, as far as the next one depends on them (design, section 5). Not a view of its own."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from eventstore.events import Iteration, Pivot, Run
from eventstore.timestamps import epoch_ms
from reducers.core import Projection, handlers
from reducers.history import History
from reducers.policies.perturbations import Perturbation, choose

__all__ = ["Pivots", "next_perturbation", "pivots"]


class Pivots(msgspec.Struct, frozen=True, gc=False):
    """What the next pivot is made from.

    count: how many there were. used: their perturbations, as recorded.
    last_at: when the last one was, milliseconds since 1970 UTC; null if there was none or its line tells no
    time. direction: that of the last run or iteration that named one.
    """

    count: int = 0
    used: History[str] = History()
    last_at: int | None = None
    direction: str | None = None


def _on_pivot(state: Pivots, event: Pivot) -> Pivots:
    used = state.used.push(event.perturbation) if event.perturbation else state.used
    return Pivots(state.count + 1, used, epoch_ms(event.timestamp), state.direction)


def _on_run(state: Pivots, event: Run) -> Pivots:
    return replace(state, direction=event.direction) if event.direction else state


def _on_iteration(state: Pivots, event: Iteration) -> Pivots:
    return replace(state, direction=event.direction) if event.direction else state


def next_perturbation(state: Pivots) -> Perturbation:
    """The perturbation that the next pivot carries: the same for the same log."""
    return choose(state.count, state.used)


pivots: Projection[Pivots, Pivots] = Projection(
    name="pivots",
    version=1,
    initial=Pivots(),
    handlers=handlers(_on_pivot, _on_run, _on_iteration),
    shows=lambda state, _: state,
    view_type=Pivots,
)
"""The pivots of a log, as far as the next one depends on them."""
