"""The `flags` view: what needs a person, without asking one (design, sections 3 and 6.3).

`ar flag` shows those that are up; guardians and orchestrators decide from it.
"""

from __future__ import annotations

import msgspec

from eventstore.events import Flag
from eventstore.timestamps import epoch_ms
from reducers.core import Projection, handlers
from reducers.table import Table

__all__ = ["FlagRow", "FlagsState", "FlagsView", "Raised", "flags"]


class Raised(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What was last said of a kind of flag; its fields are those of `FlagRow`."""

    detail: str
    by: str
    since: int | None = None
    cleared: bool = False


class FlagsState(msgspec.Struct, frozen=True, gc=False):
    """by_kind: what was last said of each kind of flag, in the order the kinds came up."""

    by_kind: Table[Raised] = Table()


class FlagRow(msgspec.Struct, frozen=True):
    """A flag, as it was last raised or cleared.

    kind: what it is about, in a word.
    detail: the same in more words.
    by: who said so.
    since: when, milliseconds since 1970 UTC; null where the line tells no time.
    up: whether it is up.
    """

    kind: str
    detail: str
    by: str
    since: int | None
    up: bool


class FlagsView(msgspec.Struct, frozen=True):
    """Every kind of flag that was ever raised.

    up: how many are up.
    flags: one row a kind, in the order they came up.
    """

    up: int
    flags: list[FlagRow]


def _on_flag(state: FlagsState, event: Flag) -> FlagsState:
    said = Raised(event.detail, event.by, epoch_ms(event.timestamp), event.cleared)
    return FlagsState(state.by_kind.put(event.kind, said))


def _view(state: FlagsState, now: int | None) -> FlagsView:  # noqa: ARG001
    rows = [
        FlagRow(kind, said.detail, said.by, said.since, not said.cleared)
        for kind, said in state.by_kind.items()
    ]
    return FlagsView(sum(row.up for row in rows), rows)


flags: Projection[FlagsState, FlagsView] = Projection(
    name="flags",
    version=1,
    initial=FlagsState(),
    handlers=handlers(_on_flag),
    shows=_view,
    view_type=FlagsView,
)
"""Which flags are up, and which were."""
