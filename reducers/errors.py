"""The `errors` view: error text spotted in tools' output, by pattern (design, section 4)."""

from __future__ import annotations

import msgspec

from eventstore.events import ErrorSeen
from eventstore.timestamps import epoch_ms
from reducers.core import Projection, handlers
from reducers.table import Table

__all__ = ["ErrorRow", "ErrorsState", "ErrorsView", "errors"]


class ErrorRow(msgspec.Struct, frozen=True, gc=False):
    """A pattern of error text that was spotted.

    pattern: its name.
    count: how often it was spotted.
    tool: whose output it was, the last time.
    context: the line that held it, the last time.
    command: what was run, the last time.
    last_seen: when that was, milliseconds since 1970 UTC; null where the line tells none.
    """

    pattern: str
    count: int
    tool: str | None
    context: str | None
    command: str | None
    last_seen: int | None


class ErrorsState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `errors` view. seen: a row by pattern."""

    seen: Table[ErrorRow] = Table()


class ErrorsView(msgspec.Struct, frozen=True):
    """The errors that were spotted.

    total: how often any was.
    errors: one row a pattern, the most frequent first; of equals the one that came up first.
    """

    total: int
    errors: list[ErrorRow]


def _on_error_seen(state: ErrorsState, event: ErrorSeen) -> ErrorsState:
    before = state.seen.get(event.pattern)
    row = ErrorRow(
        pattern=event.pattern,
        count=before.count + 1 if before else 1,
        tool=event.tool,
        context=event.context,
        command=event.command,
        last_seen=epoch_ms(event.timestamp),
    )
    return ErrorsState(state.seen.put(event.pattern, row))


def _view(state: ErrorsState, now: int | None) -> ErrorsView:  # noqa: ARG001
    rows = sorted(state.seen.values(), key=lambda row: -row.count)
    return ErrorsView(sum(row.count for row in rows), rows)


errors: Projection[ErrorsState, ErrorsView] = Projection(
    name="errors",
    version=1,
    initial=ErrorsState(),
    handlers=handlers(_on_error_seen),
    shows=_view,
    view_type=ErrorsView,
)
"""Error text that was spotted, by pattern."""
