"""Entering what a verb says: its event, appended under the caller's name, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from commands.context import Call, author
from commands.effects.appending import tell_mended
from eventstore.events import Event, Record, Tagged, tag_of
from eventstore.roles import check_role
from eventstore.store import Appended
from reducers.core import Projection, fold

__all__ = ["document", "enter", "enter_decided"]

S = TypeVar("S")


def enter(call: Call, by: str | None, *events: Event) -> Appended:
    """Appends these events and says on stderr what was mended. Raises what `Log.append` raises."""
    appended = call.writer(by).append(events)
    tell_mended(appended)
    return appended


def enter_decided(
    call: Call,
    by: str | None,
    kind: type[Tagged],
    projection: Projection[S, Any],
    decide: Callable[[S], Sequence[Event]],
) -> Appended:
    """Appends what is decided from the projection's state at the very moment of appending.

    kind: the type of the event to be appended. A role that may not append it is told so first, whatever the
    state. Raises RoleError, what `decide` raises, and what `Log.transact` raises.
    """
    check_role(author(by), tag_of(kind))

    def carry_on(state: S, records: Iterable[Record]) -> S:
        return fold(projection, records, state)

    log = call.writer(by)
    handled = tuple(projection.handlers)
    appended = log.transact(decide, fold=carry_on, state=projection.initial, kinds=handled)
    tell_mended(appended)
    return appended


def document(appended: Appended, **more: Any) -> dict[str, Any]:
    """The JSON document of a verb that records: the line and event it is about, the first of those appended.

    `event` and `seq` are null where nothing was to be written. more: what the verb adds.
    """
    return {
        "seq": appended.seqs[0] if appended.seqs else None,
        "head": str(appended.head),
        "written": appended.written,
        "event": appended.events[0] if appended.events else None,
        "mended": list(appended.mended),
        **more,
    }
