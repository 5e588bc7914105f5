"""The `hooks` view: how the hook scripts fared, and what they said (design, sections 4 and 6.2)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from eventstore.events import Event, Hook, Iteration, Proposal, Run, Started
from eventstore.timestamps import epoch_ms
from reducers.core import Projection
from reducers.history import History
from reducers.table import Table

__all__ = ["HooksState", "HooksView", "StageRow", "Steer", "hooks"]


class Steer(msgspec.Struct, frozen=True, gc=False):
    """What a hook said to the agent.

    stage: `before` or `after`.
    steer: its text, as recorded.
    truncated: whether it was cut at the cap.
    timestamp: when, milliseconds since 1970 UTC; null where the line tells none.
    """

    stage: str
    steer: str
    truncated: bool
    timestamp: int | None


class StageRow(msgspec.Struct, frozen=True, gc=False):
    """How the hook of one stage fared.

    fires: how often it fired.
    failures: how often it ended with a non-zero exit code, by a signal that was not its time limit's, or
        could not be started.
    timeouts: how often its time limit ended it.
    last_exit_code: of the last fire; null if it did not end by itself.
    last_steer: the last text it said; null if it never said any.
    """

    fires: int = 0
    failures: int = 0
    timeouts: int = 0
    last_exit_code: int | None = None
    last_steer: str | None = None


class HooksState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `hooks` view.

    stages: a row by stage. last_steer: of any stage. pending: steers that no agent has acted after.
    """

    stages: Table[StageRow] = Table()
    last_steer: Steer | None = None
    pending: History[Steer] = History()


class HooksView(msgspec.Struct, frozen=True):
    """How the hooks fared.

    fires: how often one fired.
    failures: how often one ended with a non-zero exit code, by a signal that was not its time limit's, or
        could not be started.
    timeouts: how often its time limit ended one.
    last_steer: what a hook said last; null if none ever said anything.
    pending_steers: what hooks said since an agent last acted, oldest first: no brief can have held it yet.
    stages: the same by stage: `before`, `after`.

    A brief leaves no event. It is made just before an agent acts, and what the agent then does is on the log:
    a `proposal`, the start of a cycle, a `run` or an `iteration`. So a steer said before one of these was in
    a brief, and one said after the last of them was in none.
    """

    fires: int
    failures: int
    timeouts: int
    last_steer: Steer | None
    pending_steers: Sequence[Steer]
    stages: dict[str, StageRow]


def _on_hook(state: HooksState, event: Hook) -> HooksState:
    before = state.stages.get(event.stage, StageRow())
    failed = not event.timed_out and event.exit_code != 0
    row = StageRow(
        fires=before.fires + 1,
        failures=before.failures + failed,
        timeouts=before.timeouts + event.timed_out,
        last_exit_code=event.exit_code,
        last_steer=event.steer or before.last_steer,
    )
    stages = state.stages.put(event.stage, row)
    if not event.steer:
        return HooksState(stages, state.last_steer, state.pending)
    steer = Steer(event.stage, event.steer, event.truncated, epoch_ms(event.timestamp))
    return HooksState(stages, steer, state.pending.push(steer))


def _on_act(state: HooksState, event: Event) -> HooksState:  # noqa: ARG001
    return HooksState(state.stages, state.last_steer) if state.pending else state


def _view(state: HooksState, now: int | None) -> HooksView:  # noqa: ARG001
    stages = state.stages.to_dict()
    return HooksView(
        fires=sum(row.fires for row in stages.values()),
        failures=sum(row.failures for row in stages.values()),
        timeouts=sum(row.timeouts for row in stages.values()),
        last_steer=state.last_steer,
        pending_steers=state.pending,
        stages=stages,
    )


hooks: Projection[HooksState, HooksView] = Projection(
    name="hooks",
    version=2,
    initial=HooksState(),
    handlers={Hook: _on_hook, **dict.fromkeys((Proposal, Started, Run, Iteration), _on_act)},
    shows=_view,
    view_type=HooksView,
)
"""How the hooks fared, and which steers no brief has held yet."""
