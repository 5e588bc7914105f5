"""Which sub-agents were sent, and what they came back with (design, section 3). Not among the named views."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from eventstore.events import Dispatch, Dispatched
from eventstore.timestamps import epoch_ms
from reducers.core import Projection, handlers
from reducers.table import Table

__all__ = ["DispatchRow", "DispatchesState", "DispatchesView", "dispatches"]


class DispatchRow(msgspec.Struct, frozen=True, gc=False):
    """A dispatch.

    dispatch: its id. pattern: `A` to `D`. about, deliverable: as recorded.
    state: `open`, `ok` or `failed`. summary: what came back, in words.
    by: who sent it. since: when, milliseconds since 1970 UTC; null where the line tells no time.
    """

    dispatch: str
    pattern: str
    about: str
    deliverable: str
    state: str
    summary: str
    by: str
    since: int | None


class DispatchesState(msgspec.Struct, frozen=True, gc=False):
    """by_id: every dispatch, in the order they were sent. count: how many there were, ids used twice too."""

    by_id: Table[DispatchRow] = Table()
    count: int = 0


class DispatchesView(msgspec.Struct, frozen=True):
    """open: how many have not come back. dispatches: one row each, in the order they were sent."""

    open: int
    dispatches: list[DispatchRow]


def _on_dispatch(state: DispatchesState, event: Dispatch) -> DispatchesState:
    row = DispatchRow(
        dispatch=event.dispatch,
        pattern=event.pattern,
        about=event.about or "",
        deliverable=event.deliverable or "",
        state="open",
        summary="",
        by=event.by,
        since=epoch_ms(event.timestamp),
    )
    return DispatchesState(state.by_id.put(event.dispatch, row), state.count + 1)


def _on_dispatched(state: DispatchesState, event: Dispatched) -> DispatchesState:
    row = state.by_id.get(event.dispatch)
    if row is None:
        return state
    came_back = replace(row, state="ok" if event.ok else "failed", summary=event.summary)
    return replace(state, by_id=state.by_id.put(event.dispatch, came_back))


def _view(state: DispatchesState, now: int | None) -> DispatchesView:  # noqa: ARG001
    rows = [row for _, row in state.by_id.items()]
    return DispatchesView(sum(row.state == "open" for row in rows), rows)


dispatches: Projection[DispatchesState, DispatchesView] = Projection(
    name="dispatches",
    version=1,
    initial=DispatchesState(),
    handlers=handlers(_on_dispatch, _on_dispatched),
    shows=_view,
    view_type=DispatchesView,
)
"""Which sub-agents were sent, and which came back."""
