"""What a guardian sees of a task: life, flags, pivots, and nothing of its data (design, section 6.3).

Not among the named views: `reducers.policies.patrol` decides from it, and a patrol folds a task's log with it
once more under the log's lock, so that two patrols never do the same thing twice.
"""

from __future__ import annotations

import msgspec

from eventstore.events import Event, Flag
from reducers.core import Projection
from reducers.flags import FlagsState, FlagsView, flags
from reducers.liveness import LivenessView, liveness
from reducers.pivots import Pivots, pivots
from reducers.signs import LivenessState

__all__ = ["Watch", "WatchState", "watch"]


class WatchState(msgspec.Struct, frozen=True, gc=False):
    """The states of these reducers, of the same log."""

    liveness: LivenessState = liveness.initial
    flags: FlagsState = flags.initial
    pivots: Pivots = pivots.initial


class Watch(msgspec.Struct, frozen=True):
    """What a guardian sees of a task.

    liveness, flags: the views of these names. pivots: what the next pivot is made from.
    """

    liveness: LivenessView
    flags: FlagsView
    pivots: Pivots


def _on_event(state: WatchState, event: Event) -> WatchState:
    after, raised, pivoted = state.liveness, state.flags, state.pivots
    after = liveness.handlers[type(event)](after, event)
    if type(event) is Flag:
        raised = flags.handlers[Flag](raised, event)
    if type(event) in pivots.handlers:
        pivoted = pivots.handlers[type(event)](pivoted, event)
    if after is state.liveness and raised is state.flags and pivoted is state.pivots:
        return state
    return WatchState(after, raised, pivoted)


def _view(state: WatchState, now: int | None) -> Watch:
    return Watch(liveness.view(state.liveness, now), flags.view(state.flags), state.pivots)


watch: Projection[WatchState, Watch] = Projection(
    name="watch",
    version=2,
    initial=WatchState(),
    handlers=dict.fromkeys(liveness.handlers, _on_event),
    shows=_view,
    view_type=Watch,
    timed=True,
)
"""What a guardian sees of a task."""
