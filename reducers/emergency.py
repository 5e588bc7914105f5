"""Whether the patrol itself has fallen silent, so that the guard has to send for help (design, section 6.3).

Not among the named views: the guard decides from it, under the lock of the log that holds its heartbeats.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from eventstore.events import Heartbeat, Note
from eventstore.timestamps import epoch_ms
from reducers.core import Projection, handlers
from reducers.policies.liveness import is_left_alone
from reducers.wording import duration

__all__ = ["EMERGENCY", "EMERGENCY_MS", "GUARD", "PATROL", "Emergencies", "emergencies", "emergency_due"]

GUARD = "guard"
"""The guard's name in `by`: `guardian:guard`."""

PATROL = "patrol"
"""The patrol's name in `by`: `guardian:patrol`."""

EMERGENCY = "emergency"
"""The kind of the note by which the guard says that it sends for help."""

EMERGENCY_MS = 2 * 3_600_000
"""How old the patrol's last heartbeat may be before the guard sends for help, milliseconds."""


class Emergencies(msgspec.Struct, frozen=True, gc=False):
    """What is known of guard and patrol; times in milliseconds since 1970 UTC, null for never.

    guard_since: the guard's first heartbeat. patrol_seen: the patrol's last one. state, until: what it said
    with that. sent_at: when the guard last sent for help.
    """

    guard_since: int | None = None
    patrol_seen: int | None = None
    state: str | None = None
    until: int | None = None
    sent_at: int | None = None


def _on_heartbeat(state: Emergencies, event: Heartbeat) -> Emergencies:
    at = epoch_ms(event.timestamp)
    if at is None:
        return state
    if event.by == f"guardian:{PATROL}":
        return replace(state, patrol_seen=at, state=event.state, until=epoch_ms(event.until))
    if event.by == f"guardian:{GUARD}" and state.guard_since is None:
        return replace(state, guard_since=at)
    return state


def _on_note(state: Emergencies, event: Note) -> Emergencies:
    if event.by != f"guardian:{GUARD}" or event.event != EMERGENCY:
        return state
    return replace(state, sent_at=epoch_ms(event.timestamp))


def emergency_due(
    state: Emergencies, now: int, *, after: int = EMERGENCY_MS, awake_since: int | None = None
) -> str | None:
    """Why help has to be sent for now, in words; None while it has not.

    after: how long the patrol may be silent, and the least time between two calls for help, milliseconds.
    awake_since: since when the machine has been awake; time that it slept is not counted. A patrol that never
    gave a sign is waited for from the guard's first heartbeat on; one that is stopped or paused, not at all.
    """
    since = state.guard_since if state.patrol_seen is None else state.patrol_seen
    if since is None or is_left_alone(state.state, state.until, now):
        return None
    silent = now - max(since, since if awake_since is None else awake_since)
    if silent <= after or (state.sent_at is not None and abs(now - state.sent_at) < after):
        return None
    never = (
        "never gave a sign of life, and was waited for" if state.patrol_seen is None else "gave no sign for"
    )
    return f"the patrol {never} {duration(silent / 1000)}"


emergencies: Projection[Emergencies, Emergencies] = Projection(
    name="emergencies",
    version=1,
    initial=Emergencies(),
    handlers=handlers(_on_heartbeat, _on_note),
    shows=lambda state, _: state,
    view_type=Emergencies,
)
"""When the patrol was last seen, and when help was last sent for."""
