"""From events to the lines that are appended: the envelope, the chain, ids (design, sections 2.2 and 2.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from eventstore.digests import DIGITS, hasher
from eventstore.door import MAX_LINE, check, check_role
from eventstore.errors import ConflictError, InvalidEventError
from eventstore.events import TYPES, Custom, Event, type_of
from eventstore.lines import encode, to_json
from eventstore.secrets import redact_event, suspicious
from eventstore.store import content_key

__all__ = ["Admitted", "IdIndex", "Plan", "Stamped", "admit_all", "plan", "stamp"]

IdIndex = dict[str, tuple[int, bytes, Event]]
"""Per id: the number of its first line, what its content is compared by, and the event."""


class Plan(NamedTuple):
    """Which of the events asked for are still to be written.

    fresh: those to write, in order. seqs: for each event asked for, the line that holds it already, or None.
    """

    fresh: Sequence[Event]
    seqs: Sequence[int | None]


_NAMES: dict[type[Event], str] = {kind: name for name, kind in TYPES.items()}

_FEW = 100
"""How many lines are not much to hash."""

Stamped = tuple[list[Event], list[bytes], str | None]
"""What is appended: the events with their envelopes filled in; their bytes, without newlines; the digest of
the last line, or of what stood before when there is none."""


class Admitted(list[Event]):
    """Events as they may enter a log; `by` has signed those that nobody had signed."""

    def __init__(self, by: str) -> None:
        self.by = by

    def admit(self, event: Event) -> None:
        """Adds an event: checked, signed, secrets kept out. Raises InvalidEventError or RoleError."""
        if event.by == "user" and self.by != "user":
            event = replace(event, by=self.by)
        check_role(event.by, _NAMES.get(type(event)) or type_of(event))
        texts: list[str] = []
        check(event, texts)
        self.append(redact_event(event) if suspicious(" ".join(texts)) else event)


def admit_all(events: Sequence[Event], by: str) -> Admitted:
    """The events as they may enter: checked, signed with `by` where they are not, secrets kept out.

    What was admitted before is not looked at again. Raises InvalidEventError or RoleError for the first that
    may not enter; its `index` says which.
    """
    if isinstance(events, Admitted) and events.by == by:
        return events
    admitted = Admitted(by)
    try:
        for event in events:
            admitted.admit(event)
    except InvalidEventError as error:
        error.index = len(admitted)
        raise
    return admitted


def plan(events: Sequence[Event], known: IdIndex) -> Plan:
    """What is left to write, ids considered.

    Raises ConflictError when an id is taken by other content, in the log or among the events themselves.
    """
    fresh: list[Event] = []
    seqs: list[int | None] = []
    own: dict[str, bytes] = {}
    for event in events:
        if event.id is None:
            fresh.append(event)
            seqs.append(None)
            continue
        key = content_key(event)
        if event.id in known:
            seq, other, _ = known[event.id]
            if other != key:
                raise ConflictError(
                    f"id {event.id!r} is taken by other content at line {seq}", "use another id, or none"
                )
            seqs.append(seq)
        elif event.id in own:
            raise ConflictError(f"id {event.id!r} is used twice among these events", "give each its own id")
        else:
            own[event.id] = key
            fresh.append(event)
            seqs.append(None)
    return Plan(fresh, seqs)


def stamp(events: Sequence[Event], seq: int, prev: str | None, clock: Callable[[], int]) -> Stamped:
    """The events with `seq` and `prev` filled in, and their lines, after a last line `seq` of digest `prev`.

    Those without a timestamp all get the same, the moment of the append. Raises InvalidEventError for a line
    over 1 MiB or text that is no Unicode.
    """
    stamped: list[Event] = []
    lines: list[bytes] = []
    now = clock()
    sha256 = hasher(len(events) > _FEW)
    for event in events:
        seq += 1
        moment = now if event.timestamp is None else event.timestamp
        entered = replace(event, seq=seq, prev=prev, timestamp=moment)
        try:
            line = to_json(entered) if type(entered) is not Custom else encode(entered)
        except (UnicodeEncodeError, TypeError, ValueError, RecursionError) as error:
            raise InvalidEventError(f"{type_of(event)}: cannot be written as JSON: {error}") from error
        if len(line) > MAX_LINE:
            raise InvalidEventError(
                f"{type_of(event)}: its line would be {len(line):,} bytes, over the limit of {MAX_LINE:,}",
                "keep long text in a file and name the file",
            )
        prev = sha256(line).hexdigest()[:DIGITS]
        stamped.append(entered)
        lines.append(line)
    return stamped, lines, prev
