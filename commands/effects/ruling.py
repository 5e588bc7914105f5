"""What the stop rules and the stall rules say of a session now (design, section 5), for who drives it."""

from __future__ import annotations

import msgspec

from eventstore.events import Event
from eventstore.filelog import FileLog
from eventstore.store import now_ms
from reducers.pivots import pivots
from reducers.policies import looping
from reducers.policies.brief import demand
from reducers.situation import KINDS, sight_of
from reducers.turns import turns

__all__ = ["Ruling", "ruling_on"]

_KINDS: frozenset[type[Event]] = frozenset((*KINDS, *pivots.handlers, *turns.handlers))


class Ruling(msgspec.Struct, frozen=True):
    """What they say.

    stop_reason: why the session must not go on, by its name among the stop rules; None while it may.
    stop_detail: what was reached, in words; empty likewise. stale_count: judged runs since the last new best.
    pivot_due: `structure`, `inject` or `human`; None if none. demand: what the next change has to be, in
    words; empty while nothing is demanded.
    """

    stop_reason: str | None
    stop_detail: str
    stale_count: int
    pivot_due: str | None
    demand: str


def ruling_on(log: FileLog, now: int | None = None) -> Ruling:
    """What the rules say at the log's end.

    now: milliseconds since 1970 UTC, the clock's if None. Raises StorageError when the log cannot be read.
    """
    course = looping.Course()
    for batch in log.read(kinds=_KINDS):
        course = looping.after(course, batch.records)
    stop = looping.recorded(course) or looping.due(course, now_ms() if now is None else now)
    sight = sight_of(course.situation)
    return Ruling(
        stop.reason if stop else None,
        stop.detail if stop else "",
        sight.stall.stale_count,
        sight.stall.pivot_due,
        demand(sight),
    )
