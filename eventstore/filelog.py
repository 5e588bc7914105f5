"""`FileLog`: the log as one file of JSON lines (design, section 2.3); the embedded store.

An append happens under the lock: look at the tail, mend it if torn, encode, one write of whole lines, sync.
Success is reported only after the sync. `docs/concurrency.md` says what is promised and what is not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from eventstore.digests import digest
from eventstore.disk import Disk, require_regular, storage_error
from eventstore.ending import Ending
from eventstore.errors import ConflictError, StorageError
from eventstore.events import Event, Record, Recovered, Relinked
from eventstore.following import follow
from eventstore.handle import Handle
from eventstore.ids import Ids
from eventstore.lines import Batch, LineDecoder
from eventstore.reading import EMPTY, Tail, batches
from eventstore.stamping import IdIndex, admit_all, plan, stamp
from eventstore.store import START, Appended, Head, Position, Reset, now_ms
from eventstore.writing import AS_MEANT, Place, place_of, write_durably

__all__ = ["FileLog"]

S = TypeVar("S")

_ROUNDS = 4
"""How often at most claims are mended that came out wrong; beyond that the wrong ones stay, harmless."""

_NO_IDS: IdIndex = {}

Written = tuple[list[Event], list[Event], Head]
"""What the store noted about itself, the events as they stand, and the head."""


class FileLog:
    """A log in a file. Safe to use from many processes, and one object of it from many threads.

    path: the file; its directory must exist, the file need not. Beside it stands its lock, `PATH.lock`; of a
        symbolic link, beside the file that it leads to.
    by: signs events that are not signed, `role` or `role:name`.
    clock: milliseconds since 1970 UTC, for events without a timestamp.
    lock_timeout: seconds to wait for another appender.
    cache_dir: where a landmark may be kept that spares counting a long log's lines; never needed.

    What an append opened is kept open for the next one, until `close` or the end of the object.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        by: str = "user",
        clock: Callable[[], int] = now_ms,
        lock_timeout: float = 10.0,
        cache_dir: Path | None = None,
        disk: Disk | None = None,
    ) -> None:
        self.path = Path(path)
        self.by = by
        self._clock = clock
        self._disk = disk or Disk()
        self._handle = Handle(self.path, lock_timeout, self._disk)
        self._ending = Ending(self._disk, cache_dir)
        self._ids = Ids(self._disk)

    @property
    def lock_path(self) -> Path:
        """The lock file."""
        return self._handle.lock_path

    def read(self, after: Position = START, kinds: Collection[type[Event]] | None = None) -> Iterator[Batch]:
        """See `Log.read`."""
        with self._reading() as fd:
            if fd is not None:
                if self._size(fd) < after.offset:
                    raise StorageError(f"{self.path} is shorter than it was", "read it from the beginning")
                yield from batches(self._disk, fd, after, LineDecoder(kinds))

    def head(self) -> Head:
        """See `Log.head`."""
        with self._reading() as fd:
            if fd is None:
                return Head(0, None, 0)
            status = self._disk.stat(fd)
            require_regular(status, self.path)
            return self._ending.look(fd, status).head

    def follow(
        self,
        after: Position = START,
        kinds: Collection[type[Event]] | None = None,
        *,
        wait: Callable[[], bool] | None = None,
    ) -> Iterator[Batch | Reset]:
        """See `Log.follow`."""
        return follow(self.path, self._disk, after, LineDecoder(kinds), wait)

    def append(self, events: Sequence[Event], *, expect: int | None = None) -> Appended:
        """See `Log.append`."""
        admitted = admit_all(events, self.by)
        handle = self._handle
        fd = handle.take()
        try:
            return self._commit(fd, admitted, expect)
        except OSError as error:
            raise storage_error(error, "append to", self.path) from error
        finally:
            handle.give_back()

    def transact(
        self,
        decide: Callable[[S], Sequence[Event]],
        *,
        fold: Callable[[S, Iterable[Record]], S],
        state: S,
        after: Position = START,
        kinds: Collection[type[Event]] | None = None,
    ) -> Appended:
        """See `Log.transact`. Raises ConflictError when the log shrank in the middle of it."""
        for batch in self.read(after, kinds):
            state = fold(state, batch.records)
            after = Position(batch.last, batch.end)
        handle = self._handle
        fd = handle.take()
        try:
            if (self._size(fd) if fd is not None else 0) < after.offset:
                raise ConflictError(f"{self.path} shrank while it was read", "repeat the command")
            if fd is not None:
                for batch in batches(self._disk, fd, after, LineDecoder(kinds)):
                    state = fold(state, batch.records)
            return self._commit(fd, admit_all(decide(state), self.by), None)
        except OSError as error:
            raise storage_error(error, "append to", self.path) from error
        finally:
            handle.give_back()

    def close(self) -> None:
        """Closes what appends keep open. The log can still be used; what needs it opens it anew."""
        self._handle.close()

    @contextmanager
    def _reading(self) -> Iterator[int | None]:
        """A descriptor to read from; None when there is no log yet."""
        try:
            fd = self._disk.open_read(self.path)
        except FileNotFoundError:
            yield None
            return
        except OSError as error:
            raise storage_error(error, "read", self.path) from error
        try:
            yield fd
        except OSError as error:
            raise storage_error(error, "read", self.path) from error
        finally:
            self._disk.close(fd)

    def _size(self, fd: int) -> int:
        """Bytes in the file. Raises StorageError when it is no regular one."""
        status = self._disk.stat(fd)
        require_regular(status, self.path)
        return status.st_size

    def _look(self, fd: int) -> Tail:
        return self._ending.look(fd, self._disk.stat(fd))

    def _commit(self, fd: int | None, events: Sequence[Event], expect: int | None) -> Appended:
        """Writes what is to be written of these events. Under the lock; `fd` is None for a log to be made."""
        status = self._handle.status
        tail = EMPTY
        if fd is not None and status is not None:
            tail = self._ending.look(fd, status)
            if tail.rest:
                tail = self._ending.settled(fd, tail)
        known, fresh, seqs = _NO_IDS, events, None
        for event in events:
            if event.id is not None:
                known = self._ids.known(fd) if fd is not None else {}
                fresh, seqs = plan(events, known)
                break
        if not fresh:
            return _answer(events, seqs or (), known, [], [], tail.head)
        if expect is not None and expect != tail.seq:
            raise ConflictError(
                f"the log's head is at {tail.seq}, not at {expect}", "look at what came in, then repeat"
            )
        mended, written, head = self._write(fd, tail, fresh)
        if seqs is None:
            numbers = tuple([event.seq or 0 for event in written])
            return Appended(tuple(written), numbers, len(numbers), tuple(mended), head)
        self._ids.add(written)
        return _answer(events, seqs, known, written, mended, head)

    def _write(self, fd: int | None, tail: Tail, fresh: Sequence[Event]) -> Written:
        """Appends these events, and what the store has to note about itself."""
        notes: list[Event] = []
        if tail.rest and tail.torn:
            notes.append(Recovered(by=self.by, line=tail.seq + 1, bytes=len(tail.rest)))
        stamped, place, end = self._put(fd, tail, [*notes, *fresh] if notes else fresh)
        if place is AS_MEANT:
            return stamped[: len(notes)], stamped[len(notes) :] if notes else stamped, end.head
        return self._mended(stamped, len(notes), place)

    def _put(self, fd: int | None, tail: Tail, events: Sequence[Event]) -> tuple[list[Event], Place, Tail]:
        """Writes these events behind a tail: as they were written, where they stand, and the end then."""
        seq, prev, rest = tail.seq, tail.digest, tail.rest
        if rest and not tail.whole:
            seq, prev = seq + 1, digest(rest)
        stamped, lines, last = stamp(events, seq, prev, self._clock)
        lines.append(b"")
        data = b"\n".join([b"", *lines] if rest else lines)
        created = fd is None
        if fd is None:
            fd = self._handle.create()
        status = write_durably(self._disk, fd, data, tail.size, self.path, created=created)
        size = tail.size + len(data)
        if status.st_size != size:
            return stamped, place_of(self._disk, fd, tail, data, status.st_size, self.path), tail
        line = lines[-2] + b"\n"
        end = Tail(seq + len(stamped), last, size - len(line), size, b"", whole=False)
        self._ending.remember(end, line, status)
        return stamped, AS_MEANT, end

    def _mended(self, stamped: list[Event], notes: int, place: Place) -> Written:
        """What came of a write that a foreign writer, who takes no lock, came in between of.

        stamped: as it was written, the first `notes` of it by the store about itself. Says on the log where
        the lines truly stand, and writes anew a first event that was glued to a torn line.
        """
        fd = self._handle.fd
        assert fd is not None
        noted: list[Event] = []
        entered = list(stamped[notes:])
        missing = range(len(entered))
        for _ in range(_ROUNDS):
            if place.first is not None:
                stamped = [replace(event, seq=place.first + n) for n, event in enumerate(stamped)]
            noted += stamped[:notes]
            for index, event in zip(missing, stamped[notes:], strict=True):
                entered[index] = event
            if place.first is None:
                break
            missing = missing[:1] if place.glued and not notes else missing[:0]
            note = Relinked(by=self.by, line=place.first, lines=len(stamped), true_prev=place.prev)
            notes = 1
            try:
                stamped, place, _ = self._put(fd, self._look(fd), [note, *(entered[n] for n in missing)])
            except StorageError:
                if missing:
                    raise
                break  # only a note about what is durable already, and verify sees it without
        return noted, entered, self._look(fd).head


def _answer(
    events: Sequence[Event],
    seqs: Sequence[int | None],
    known: IdIndex,
    written: Sequence[Event],
    mended: Sequence[Event],
    head: Head,
) -> Appended:
    """The outcome, one event for each that was asked for; `known` has those that were there already."""
    entered = written
    if len(written) < len(events):
        fresh = iter(written)
        entered = [
            next(fresh) if seq is None else known[event.id or ""][2]
            for event, seq in zip(events, seqs, strict=True)
        ]
    numbers = tuple([event.seq or 0 for event in entered])
    return Appended(tuple(entered), numbers, len(written), tuple(mended), head)
