"""The envelope every line shares, the records a line can be read as, and how fields are described.

The envelope is frozen: a reader of any version must be able to read it, so its fields may never change
their meaning (design, section 2.2).
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar, cast

import msgspec

__all__ = [
    "ENVELOPE",
    "Custom",
    "Damaged",
    "Event",
    "Moment",
    "Number",
    "Record",
    "Tagged",
    "Unknown",
    "always",
    "at_least",
    "one_of",
]

T = TypeVar("T")

Number = int | float
"""A JSON number, kept as it was written: 38 stays an integer."""

Moment = int | float | str | None
"""A time as found in a log; `eventstore.timestamps.epoch_ms` gives its milliseconds."""

ENVELOPE = ("seq", "timestamp", "by", "id", "prev")
"""The fields beside `type` that belong to the line, not to what it says; in the order they are written."""


def one_of(*values: str) -> msgspec.Meta:
    """Only these texts may be appended; others are still read, since foreign writers have their own."""
    return msgspec.Meta(extra={"one_of": values}, extra_json_schema={"enum": list(values)})


def at_least(minimum: int) -> msgspec.Meta:
    """Only numbers from `minimum` may be appended; others are still read."""
    return msgspec.Meta(extra={"min": minimum}, extra_json_schema={"minimum": minimum})


def always(value: T) -> T:
    """A default that is written all the same, for fields that other readers of the format expect."""

    def factory() -> T:  # any factory but `list`, `dict` and `set` themselves makes msgspec write the field
        return cast("T", value.copy()) if isinstance(value, dict) else value  # a dict is never shared

    field: T = msgspec.field(default_factory=factory)
    return field


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Something that happened; one line of the log. The fields here are the envelope.

    seq: the line's number from 1; a claim, the position in the file is the truth.
    timestamp: milliseconds since 1970 UTC (integer when we write it). Order is the file's, never the clock's.
    by: who appended it, `role` or `role:name`; roles are user, worker, orchestrator, guardian, verifier.
    id: idempotency key, chosen by the appender.
    prev: first 32 hex digits of SHA-256 over the previous line's bytes without its newline.
    """

    seq: int | None = None
    timestamp: Moment = None
    by: str = "user"
    id: str | None = None
    prev: str | None = None


def _snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


class Tagged(Event, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag_field="type", tag=_snake):
    """An event of a type that this version knows; its tag is the class's name in snake_case."""


class Custom(Event, frozen=True, kw_only=True, gc=False):
    """A user's own event, of a type that starts with `x.`; anything may be in it but a numeric `run`.

    type: the full type, `x.` included.
    fields: what the line holds beside `type` and the envelope.
    """

    type: str
    fields: dict[str, Any]


class Unknown(msgspec.Struct, frozen=True, gc=False):
    """A valid JSON object that is no event of this version: kept verbatim, reported, ignored by reducers.

    line: its number in the file, from 1.
    raw: its bytes without the newline.
    type: what it says it is, or None.
    reason: why it is not an event, in words.
    """

    line: int
    raw: bytes
    type: str | None
    reason: str


class Damaged(msgspec.Struct, frozen=True, gc=False):
    """A line that is not a JSON object: reported loudly, never skipped in silence.

    line: its number in the file, from 1.
    size: its length in bytes.
    reason: what is wrong with it, in words.
    """

    line: int
    size: int
    reason: str


Record = Event | Unknown | Damaged
"""What one line that is not blank is read as."""

Count = Annotated[int, at_least(0)]
"""A whole number from 0."""
