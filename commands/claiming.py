"""Who may take which direction of the search: claims, tries and drops, decided from the log. Pure.

The first claim wins, for 15 minutes unless it is renewed; each new direction differs from all before it
(design, section 5). A reason lets a direction that was tried be taken again, but it takes no other's claim
away, so that two workers never work on one direction.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from commands.errors import BadInputError
from eventstore.errors import ConflictError
from eventstore.events import Direction
from eventstore.roles import role_of
from eventstore.timestamps import iso_utc
from reducers.directions import DirectionRow, DirectionsState, directions
from reducers.policies.directions import normal
from reducers.policies.diversity import earlier, neighbour, told

__all__ = ["claim", "dropped", "holder", "row_of", "tried"]

_AGAIN = "another direction, or --reason 'why this one again'"


def row_of(text: str, rows: Sequence[DirectionRow]) -> DirectionRow | None:
    """The direction that is the same as `text` after normalising; None if it never came up."""
    words = normal(text)
    return next((row for row in rows if normal(row.text) == words), None)


def holder(row: DirectionRow | None, now: int) -> str | None:
    """Who holds the direction at `now`, milliseconds since 1970 UTC; None if nobody does."""
    if row is None or row.state != "claimed" or (row.until is not None and row.until <= now):
        return None
    return row.by


def claim(state: DirectionsState, asked: Direction, *, by: str, now: int) -> Direction:
    """The event that claims a direction, or renews the claim.

    asked: the claim as it is wanted, `until` included. now: milliseconds since 1970 UTC; the event bears it,
    so that whoever reads the log later judges the claim by the time that it was decided by. Raises
    ConflictError for a direction that another holds, and for one that was tried unless there is a reason.
    """
    rows = directions.view(state).directions
    _require_not_held(row_of(asked.text, rows), by, now)
    found = earlier(asked.text, rows, by, now)
    if found is not None and asked.reason is None:
        raise ConflictError(f"direction {told(found)}", _AGAIN)
    return _signed(asked, by, now)


def tried(state: DirectionsState, asked: Direction, *, by: str, now: int) -> Direction:
    """The event that records a direction as tried. Arguments and errors as for `claim`."""
    return claim(state, asked, by=by, now=now)


def dropped(state: DirectionsState, asked: Direction, *, by: str, now: int) -> Direction:
    """The event that gives a direction up.

    Raises BadInputError for one that never came up, naming the nearest, and ConflictError for one that
    another holds: only a user or an orchestrator takes that away, and says why.
    """
    rows = directions.view(state).directions
    row = row_of(asked.text, rows)
    if row is None:
        near = neighbour(asked.text, rows)
        raise BadInputError(
            "no such direction came up yet",
            f"ar direction drop '{near[0].text}'" if near else "ar direction list",
        )
    if asked.reason is None or role_of(by) not in ("user", "orchestrator"):
        _require_not_held(row, by, now)
    return _signed(asked, by, now)


def _require_not_held(row: DirectionRow | None, by: str, now: int) -> None:
    held_by = holder(row, now)
    if row is None or held_by is None or held_by == by:
        return
    until = f" until {iso_utc(row.until)[:19]}Z" if row.until is not None else ""
    raise ConflictError(f"direction {told(row)}{until}", "another direction, or wait for the claim to end")


def _signed(asked: Direction, by: str, now: int) -> Direction:
    return replace(asked, by=by, timestamp=now)
