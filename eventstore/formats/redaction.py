"""Events that leave the house: each text masked (`eventstore.masks`), whatever field it stands in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from eventstore.events import Event, Heartbeat
from eventstore.secrets import each_text

__all__ = ["Mask", "redact_line", "redacted"]

E = TypeVar("E", bound=Event)

Mask = Callable[[str], str]
"""What a text becomes; the same object if there is nothing to mask in it."""

_LEFT_ALONE = frozenset(("seq", "timestamp", "prev", "type"))


def redacted(event: E, mask: Mask) -> E:
    """The event with all its texts masked, keys of objects included, and a heartbeat's host left out."""
    changes: dict[str, Any] = {}
    for name in event.__struct_fields__:
        value = getattr(event, name)
        if name not in _LEFT_ALONE and value is not None:
            changed = each_text(value, mask)
            if changed is not value and changed != value:
                changes[name] = changed
    if isinstance(event, Heartbeat) and event.host:
        changes["host"] = "[host]"
    return msgspec.structs.replace(event, **changes) if changes else event


def redact_line(line: bytes, mask: Mask) -> bytes:
    """A line that is no event of ours, its text masked."""
    return mask(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
