"""`MemoryLog`: the same four verbs over bytes in memory, for tests and for folding what is not in a file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from threading import RLock
from typing import TypeVar

from eventstore.digests import digest
from eventstore.errors import ConflictError
from eventstore.events import Event, Record
from eventstore.lines import Batch, LineDecoder
from eventstore.stamping import IdIndex, admit_all, plan, stamp
from eventstore.store import START, Appended, Head, Position, Reset, content_key, now_ms

__all__ = ["MemoryLog"]

S = TypeVar("S")


class MemoryLog:
    """A log in memory; safe to use from many threads.

    content: bytes to begin with, whole lines; foreign ones may be among them.
    by, clock: as for `FileLog`.
    """

    def __init__(self, content: bytes = b"", *, by: str = "user", clock: Callable[[], int] = now_ms) -> None:
        self.by = by
        self._clock = clock
        self._content = content if content.endswith(b"\n") or not content else content + b"\n"
        self._lock = RLock()
        self._ids: IdIndex = {}
        self._index(self._content, 0)

    @property
    def content(self) -> bytes:
        """The log's bytes."""
        return self._content

    def read(self, after: Position = START, kinds: Collection[type[Event]] | None = None) -> Iterator[Batch]:
        """See `Log.read`."""
        rest = self._content[after.offset :]
        if rest:
            yield LineDecoder(kinds).decode(rest, after.seq + 1, after.offset)

    def head(self) -> Head:
        """See `Log.head`."""
        content = self._content
        if not content:
            return Head(0, None, 0)
        start = content.rfind(b"\n", 0, len(content) - 1) + 1
        return Head(content.count(b"\n"), digest(content[start:-1]), len(content))

    def append(self, events: Sequence[Event], *, expect: int | None = None) -> Appended:
        """See `Log.append`."""
        admitted = admit_all(events, self.by)
        with self._lock:
            head = self.head()
            planned = plan(admitted, self._ids)
            if planned.fresh and expect is not None and expect != head.seq:
                raise ConflictError(
                    f"the log's head is at {head.seq}, not at {expect}", "look at what came in, then repeat"
                )
            stamped, lines, _ = stamp(planned.fresh, head.seq, head.digest, self._clock)
            data = b"".join(line + b"\n" for line in lines)
            self._content += data
            fresh = iter(stamped)
            entered = [
                next(fresh) if seq is None else self._ids[event.id or ""][2]
                for event, seq in zip(admitted, planned.seqs, strict=True)
            ]
            self._index(data, head.seq)
            return Appended(tuple(entered), tuple(e.seq or 0 for e in entered), len(stamped), (), self.head())

    def transact(
        self,
        decide: Callable[[S], Sequence[Event]],
        *,
        fold: Callable[[S, Iterable[Record]], S],
        state: S,
        after: Position = START,
        kinds: Collection[type[Event]] | None = None,
    ) -> Appended:
        """See `Log.transact`."""
        with self._lock:
            for batch in self.read(after, kinds):
                state = fold(state, batch.records)
            return self.append(decide(state))

    def follow(
        self,
        after: Position = START,
        kinds: Collection[type[Event]] | None = None,
        *,
        wait: Callable[[], bool] | None = None,
    ) -> Iterator[Batch | Reset]:
        """See `Log.follow`; a log in memory never shrinks."""
        from time import sleep

        while True:
            for batch in self.read(after, kinds):
                after = Position(batch.last, batch.end)
                yield batch
            if wait is None:
                sleep(0.2)
            elif not wait():
                return

    def _index(self, data: bytes, seq: int) -> None:
        if b'"id"' not in data:
            return
        for number, record in LineDecoder().decode(data, seq + 1).numbered():
            if isinstance(record, Event) and record.id is not None:
                self._ids.setdefault(record.id, (number, content_key(record), record))
