"""Where a parser puts what it finds, line by line, until the reading is complete."""

from __future__ import annotations

import msgspec

from eventstore.door import MAX_LINE, check, check_role
from eventstore.errors import InvalidEventError
from eventstore.events import Custom, Event, type_of
from eventstore.formats.fates import Fate, Placed, Reading, times_filled
from eventstore.lines import encode
from eventstore.secrets import redact_event

__all__ = ["EXTRA", "Collector", "extra"]

EXTRA = "x.imported"
"""Type of the events that keep what a foreign line says beyond the fields of ours."""

_USER = Event().by
_ROOM = 2048  # what the envelope and an assigned number may add to a line


class Collector:
    """Events and fates of one source. A line that several values stand on is taken if one of them is."""

    def __init__(self) -> None:
        self._events: list[Placed] = []
        self._fates: dict[int, Fate] = {}
        self._notes: list[str] = []

    def take(
        self,
        first: int,
        event: Event,
        reason: str,
        *,
        last: int = 0,
        number: int | None = None,
        order: int | None = None,
        key: str = "",
    ) -> bool:
        """Takes an event of lines `first` to `last`; skips them, saying why, if it may not enter a log."""
        if (fault := _fault(event)) is not None:
            self.skip(first, fault, last=last)
            return False
        if event.by == _USER:  # the very object that encoders know as the default, and leave out
            event = msgspec.structs.replace(event, by=_USER)
        self._events.append(Placed(first, event, number, order, key))
        self.mark(first, reason, last=last)
        return True

    def mark(self, first: int, reason: str, *, last: int = 0) -> None:
        """Lines of which something was taken."""
        for line in range(first, max(first, last) + 1):
            if line and not (line in self._fates and self._fates[line].taken):
                self._fates[line] = Fate(line, True, reason)

    def skip(self, first: int, reason: str, *, last: int = 0) -> None:
        """Lines of which nothing was taken."""
        for line in range(first, max(first, last) + 1):
            self._fates.setdefault(line, Fate(line, False, reason))

    def put(self, fate: Fate) -> None:
        """A fate that somebody else decided."""
        self._fates.setdefault(fate.line, fate)

    def note(self, text: str) -> None:
        """Something that whoever reads the report should know; said once."""
        if text not in self._notes:
            self._notes.append(text)

    @property
    def events(self) -> list[Placed]:
        """What was taken so far, in order; may be changed."""
        return self._events

    def reading(self, name: str) -> Reading:
        """All of it, once every line has its fate."""
        fates = tuple(self._fates[line] for line in sorted(self._fates))
        return Reading(name, times_filled(self._events), fates, tuple(self._notes))


def extra(of: str, fields: dict[str, object], timestamp: int | None = None) -> Custom:
    """An event that keeps what the line of another, of type `of`, says beyond that one's fields."""
    return Custom(type=EXTRA, fields={"of": of, "fields": fields}, timestamp=timestamp)


def _fault(event: Event) -> str | None:
    """Why an event may not be appended, or None."""
    try:
        check(event)
        check_role(event.by, type_of(event))
        size = len(encode(redact_event(event))) + _ROOM
    except InvalidEventError as error:
        return error.message
    except (ValueError, TypeError, RecursionError, msgspec.MsgspecError) as error:
        return f"cannot be written as JSON: {error}"
    return f"longer than {MAX_LINE:,} bytes" if size > MAX_LINE else None
