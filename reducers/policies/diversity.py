"""Whether a direction was taken before: each new one differs from all earlier ones (design, section 5)."""

from __future__ import annotations

from collections.abc import Iterable

from reducers.directions import DirectionRow
from reducers.policies.directions import closest, normal
from reducers.policies.fencing import quoted

__all__ = ["earlier", "neighbour", "told"]


def earlier(direction: str, rows: Iterable[DirectionRow], by: str, now: int) -> DirectionRow | None:
    """The direction that stands in the way of taking this one: equal to it, and tried, or claimed by another.

    rows: as the `directions` view has them. by: who would take it, whose own claim is no obstacle. now: in
    milliseconds since 1970 UTC; a claim that has ended by then is none. None if the way is free.
    """
    words = normal(direction)
    found = next((row for row in rows if normal(row.text) == words), None)
    if found is None:
        return None
    if found.state == "claimed":
        if found.by == by:
            return None
        if found.until is None or found.until > now:
            return found
    was_tried = found.state == "tried" or bool(found.runs or found.iterations)
    return found if was_tried else None


def neighbour(direction: str, rows: Iterable[DirectionRow]) -> tuple[DirectionRow, float] | None:
    """The direction most like this one but not equal to it, and how alike they are, 90 to 100; or None."""
    words = normal(direction)
    others = {row.text: row for row in rows if normal(row.text) != words}
    found = closest(direction, others)
    return None if found is None else (others[found[0]], found[1])


def told(row: DirectionRow) -> str:
    """A direction that was taken before, and what came of it, in words."""
    if row.state == "claimed":
        return f"{quoted(row.text)} is claimed by {quoted(row.by or '', 80)}"
    outcome = f", outcome {quoted(row.outcome, 40)}" if row.outcome else ""
    shown = ", ".join(map(str, row.runs[-5:]))
    runs = f", {'run' if len(row.runs) == 1 else 'runs'} {shown}" if row.runs else ""
    return f"{quoted(row.text)} was tried{outcome}{runs}"
