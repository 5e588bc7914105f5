"""Lines of our own logs, when another session takes over their history.

What belongs to the session it was recorded in is left out: what could run a command or be restarted, what a
cycle of that repository was doing, who was alive. Such lines say nothing that is true of another session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from eventstore.door import admit
from eventstore.errors import InvalidEventError
from eventstore.events import TYPES, Event, Run
from eventstore.formats.values import clean, moment_of

__all__ = ["LEFT_OUT", "own_entry", "own_event"]

LEFT_OUT: dict[str, str] = {
    "settings": "limits and commands of the session it was recorded in",
    "registered": "a command that a guardian could run",
    "heartbeat": "a sign of life of the session it was recorded in",
    "nudge": "a guardian's work on the session it was recorded in",
    "restart": "a guardian's work on the session it was recorded in",
    "started": "a cycle of the session it was recorded in",
    "committed": "a cycle of the session it was recorded in",
    "measured": "a cycle of the session it was recorded in",
    "reverted": "a cycle of the session it was recorded in",
    "stopped": "the end of the session it was recorded in",
    "resumed": "the end of the session it was recorded in",
    "imported": "what was imported there stands there as it was taken",
    "recovered": "lines of the log it was recorded in",
    "relinked": "lines of the log it was recorded in",
}
"""Types that are not taken over, and why."""

_HARMLESS = ("name", "metricName", "metricUnit", "bestDirection", "samples", "milestones", "success")
_PIS = ("config", "run", "hook")
_ENVELOPE = ("seq", "prev", "id")
_SAME = ("metric", "direction", "rounds", "duration_seconds", "iteration")
_TOLD: dict[str, dict[str, str]] = {
    "finding": {"text": "detail", "evidence": "evidence", "source": "citation", "iteration": "iteration"},
    "iteration": {"summary": "detail", "findings": "findings", **{name: name for name in _SAME}},
    "direction": {"text": "direction", **{name: name for name in ("state", "kind", "reason", "until")}},
}
"""Per type, each field and the name that our state folder has for it."""


def own_event(source: Mapping[str, Any]) -> Event | str | None:
    """The event that a line of ours is, without its place and id; or why it is left out; None if not ours.

    A line is ours by its type and by the place that it claims (`seq` or `prev`). A config loses what it
    says to run or to change: `measure`, `constraint`, `assets`, `harness`.
    """
    kind = source.get("type")
    if not isinstance(kind, str) or not _is_ours(kind, source):
        return None
    if kind in LEFT_OUT:
        return f"{kind}: {LEFT_OUT[kind]}"
    fields = {key: clean(value) for key, value in source.items() if key != "type" and key not in _ENVELOPE}
    fields["timestamp"] = moment_of(source.get("timestamp"))
    if kind == "config":
        fields = {k: v for k, v in fields.items() if k in (*_HARMLESS, "timestamp", "by")}
    try:
        event = admit(kind, {k: v for k, v in fields.items() if v is not None})
    except InvalidEventError as error:
        return None if kind in _PIS else error.message
    if isinstance(event, Run):
        return msgspec.structs.replace(event, segment=0)
    return event


def own_entry(kind: str, source: Mapping[str, Any]) -> Event | None:
    """The finding, iteration or direction that our own state folder tells of; None if the entry is not ours.

    The inverse of `eventstore.formats.state_writer`; ours are known by the place in the log that they name.
    """
    if not isinstance(source.get("seq"), int) or (kind != "direction" and source.get("event") != kind):
        return None
    told = {name: source[given] for name, given in _TOLD[kind].items() if source.get(given) is not None}
    envelope = {"type": kind, "seq": source["seq"], "timestamp": source.get("ts"), "by": source.get("source")}
    found = own_event({**told, **envelope})
    return found if isinstance(found, Event) else None


def _is_ours(kind: str, source: Mapping[str, Any]) -> bool:
    if kind.startswith("x."):
        return type(source.get("run")) not in (int, float)
    placed = isinstance(source.get("seq"), int) or isinstance(source.get("prev"), str)
    return placed and (kind in TYPES)
