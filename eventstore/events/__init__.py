"""All event types of the log (design, section 3), the envelope, and what lines are read as.

`TYPES` maps a line's `type` to its class. Fields are only ever added, with defaults; a changed meaning is
a new type.
"""

from __future__ import annotations

from eventstore.events.base import ENVELOPE, Custom, Damaged, Event, Moment, Number, Record, Tagged, Unknown
from eventstore.events.cycle import Committed, Measured, Proposal, Reverted, Started
from eventstore.events.mending import Recovered, Relinked
from eventstore.events.protocol import (
    Direction,
    Dispatch,
    Dispatched,
    ErrorSeen,
    Finding,
    Flag,
    Heartbeat,
    Iteration,
    Note,
    Nudge,
    Pivot,
    Registered,
    Restart,
    Verified,
)
from eventstore.events.session import Config, Hook, Imported, Resumed, Run, Settings, Status, Stopped

EVENTS: tuple[type[Tagged], ...] = (
    Config,
    Settings,
    Run,
    Hook,
    Proposal,
    Started,
    Committed,
    Measured,
    Reverted,
    Stopped,
    Resumed,
    Finding,
    Verified,
    Iteration,
    Direction,
    Pivot,
    Registered,
    Heartbeat,
    Nudge,
    Restart,
    Flag,
    Note,
    Dispatch,
    Dispatched,
    ErrorSeen,
    Status,
    Imported,
    Recovered,
    Relinked,
)
"""Every known type, in the order of the reference."""


def tag_of(kind: type[Tagged]) -> str:
    """The `type` that lines of this class carry."""
    return str(kind.__struct_config__.tag)


TYPES: dict[str, type[Tagged]] = {tag_of(kind): kind for kind in EVENTS}
"""The class of each known `type`."""

_TAGS: dict[type[Event], str] = {kind: tag for tag, kind in TYPES.items()}


def type_of(event: Event) -> str:
    """The `type` of this event's line."""
    if isinstance(event, Custom):
        return event.type
    kind = type(event)
    return _TAGS.get(kind) or tag_of(kind)  # type: ignore[arg-type]


__all__ = [
    "ENVELOPE",
    "EVENTS",
    "TYPES",
    "Committed",
    "Config",
    "Custom",
    "Damaged",
    "Direction",
    "Dispatch",
    "Dispatched",
    "ErrorSeen",
    "Event",
    "Finding",
    "Flag",
    "Heartbeat",
    "Hook",
    "Imported",
    "Iteration",
    "Measured",
    "Moment",
    "Note",
    "Nudge",
    "Number",
    "Pivot",
    "Proposal",
    "Record",
    "Recovered",
    "Registered",
    "Relinked",
    "Restart",
    "Resumed",
    "Reverted",
    "Run",
    "Settings",
    "Started",
    "Status",
    "Stopped",
    "Tagged",
    "Unknown",
    "Verified",
    "tag_of",
    "type_of",
]
