"""The idempotency keys of a log in a file (design, section 2.3)."""

from __future__ import annotations

from collections.abc import Iterable

from eventstore import landmark
from eventstore.digests import digest
from eventstore.disk import Disk
from eventstore.events import Event
from eventstore.landmark import Landmark
from eventstore.lines import decode_line, split_lines
from eventstore.reading import stretches
from eventstore.stamping import IdIndex
from eventstore.store import content_key

__all__ = ["Ids"]


class Ids:
    """Where each id of a log was first used; what was read of the log is not read again while it stands."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._index: IdIndex = {}
        self._mark: Landmark | None = None

    def known(self, fd: int) -> IdIndex:
        """The ids of the log so far. Raises OSError when it cannot be read."""
        mark = self._mark
        if mark is None or not landmark.holds(mark, self._disk, fd):
            self._index, mark = {}, None
        seq, offset = (mark.seq, mark.end) if mark else (0, 0)
        for at, stretch in stretches(self._disk, fd, offset):
            if b'"id"' in stretch:
                for number, line in enumerate(split_lines(stretch), seq + 1):
                    record = decode_line(line, number) if b'"id"' in line else None
                    if isinstance(record, Event) and record.id is not None:
                        self._index.setdefault(record.id, (number, content_key(record), record))
            if stretch.endswith(b"\n"):
                seq += stretch.count(b"\n")
                line = split_lines(stretch)[-1]
                end = at + len(stretch)
                mark = Landmark(seq, end - len(line) - 1, end, digest(line))
        self._mark = mark
        return self._index

    def add(self, written: Iterable[Event]) -> None:
        """Takes note of events that were just written."""
        for event in written:
            if event.id is not None and event.seq is not None:
                self._index[event.id] = (event.seq, content_key(event), event)
