"""`FileLog`: the log as one file of JSON lines (design, section 2.3); the embedded store.

An append happens under the lock: look at the tail, mend it if torn, encode, one write of whole lines, sync.
Success is reported only after the sync. `docs/concurrency.md` says what is promised and what is not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from eventstore import landmark
from eventstore.disk import Disk, require_regular, storage_error
from eventstore.errors import ConflictError, StorageError
from eventstore.events import Damaged, Event, Record, Recovered, Relinked
from eventstore.following import follow
from eventstore.landmark import Landmark
from eventstore.lines import Batch, LineDecoder, decode_line, digest, split_lines
from eventstore.lock import acquire, lock_of
from eventstore.reading import Tail, batches, last_line_before, look_at_tail, stretches
from eventstore.stamping import IdIndex, admit_all, plan, stamp
from eventstore.store import START, Appended, Head, Position, Reset, content_key, now_ms

__all__ = ["FileLog"]

S = TypeVar("S")

SETTLE_SECONDS = 0.05
"""How long a torn tail must stay as it is before it is taken for torn and not for a writer at work."""

_ROUNDS = 4
"""How often at most claims are mended that came out wrong; beyond that the wrong ones stay, harmless."""


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a write came to stand.

    first: number of its first line if that is not the one that was claimed; else None.
    prev: digest of the line before it. glued: whether its first line became the end of a damaged one.
    """

    first: int | None = None
    prev: str | None = None
    glued: bool = False


AS_MEANT = Place()


class FileLog:
    """A log in a file. Safe to use from many processes; one object is for one thread at a time.

    path: the file; its directory must exist, the file need not. Beside it stands its lock, `PATH.lock`; of a
        symbolic link, beside the file that it leads to.
    by: signs events that are not signed, `role` or `role:name`.
    clock: milliseconds since 1970 UTC, for events without a timestamp.
    lock_timeout: seconds to wait for another appender.
    cache_dir: where a landmark may be kept that spares counting a long log's lines; never needed.
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
        self.lock_path = lock_of(self.path)
        self._clock = clock
        self._timeout = lock_timeout
        self._cache_dir = cache_dir
        self._disk = disk or Disk()
        self._mark: Landmark | None = landmark.load(cache_dir)
        self._mark_kept = self._mark.end if self._mark else 0
        self._line = b""  # the mark's, newline included, when we wrote it
        self._ids: IdIndex = {}
        self._ids_mark: Landmark | None = None

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
            return Head(0, None, 0) if fd is None else self._look(fd).head

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
        return self._under_lock(lambda fd, created: self._commit(fd, created, admitted, expect))

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

        def decide_and_append(fd: int, created: bool) -> Appended:
            if self._size(fd) < after.offset:
                raise ConflictError(f"{self.path} shrank while it was read", "repeat the command")
            current = state
            for batch in batches(self._disk, fd, after, LineDecoder(kinds)):
                current = fold(current, batch.records)
            return self._commit(fd, created, admit_all(decide(current), self.by), None)

        return self._under_lock(decide_and_append)

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

    def _under_lock(self, act: Callable[[int, bool], Appended]) -> Appended:
        """What `act` makes of a descriptor to append with and of whether the file is new."""
        release = acquire(self.lock_path, self._timeout)
        try:
            fd, created = self._open_append()
            try:
                return act(fd, created)
            except OSError as error:
                raise storage_error(error, "append to", self.path) from error
            finally:
                self._disk.close(fd)
        finally:
            release()

    def _open_append(self) -> tuple[int, bool]:
        try:
            return self._disk.open_append(self.path)
        except OSError as error:
            with self._reading() as fd:  # a directory cannot be opened for writing: say so as when reading
                if fd is not None:
                    self._size(fd)
            raise storage_error(error, "open", self.path) from error

    def _size(self, fd: int) -> int:
        """Bytes in the file. Raises StorageError when it is no regular one."""
        status = self._disk.stat(fd)
        require_regular(status, self.path)
        return status.st_size

    def _look(self, fd: int) -> Tail:
        """The file's end; lines are counted from the last landmark that still holds."""
        size = self._size(fd)
        mark = self._mark
        if mark is not None:
            if mark.end > size or not landmark.holds(mark, self._disk, fd, self._line):
                mark = self._mark = None
            elif mark.end == size:
                return Tail(mark.seq, mark.digest, mark.start, size, b"", whole=False)
        return look_at_tail(self._disk, fd, size, mark.position if mark else START)

    def _settled_tail(self, fd: int) -> Tail:
        """The file's end, a torn one only when nobody has been writing on it for a while."""
        tail = self._look(fd)
        while tail.torn:
            sleep(SETTLE_SECONDS)
            again = self._look(fd)
            if again == tail:
                break
            tail = again
        return tail

    def _commit(self, fd: int, created: bool, events: Sequence[Event], expect: int | None) -> Appended:
        """Writes what is to be written of these events. Under the lock."""
        tail = self._settled_tail(fd)
        known = self._known_ids(fd) if any(e.id is not None for e in events) else {}
        planned = plan(events, known)
        if planned.fresh and expect is not None and expect != tail.seq:
            raise ConflictError(
                f"the log's head is at {tail.seq}, not at {expect}", "look at what came in, then repeat"
            )
        if not planned.fresh:
            return self._answer(events, planned.seqs, [], [], tail.head)
        mended, written, head = self._write(fd, tail, planned.fresh, created)
        return self._answer(events, planned.seqs, written, mended, head)

    def _answer(
        self,
        events: Sequence[Event],
        seqs: Sequence[int | None],
        written: Sequence[Event],
        mended: Sequence[Event],
        head: Head,
    ) -> Appended:
        """The outcome, one event for each that was asked for."""
        entered = written
        if len(written) < len(events):
            fresh = iter(written)
            entered = [
                next(fresh) if seq is None else self._ids[event.id or ""][2]
                for event, seq in zip(events, seqs, strict=True)
            ]
        for event in written:
            if event.id is not None and event.seq is not None:
                self._ids[event.id] = (event.seq, content_key(event), event)
        numbers = tuple([event.seq or 0 for event in entered])
        return Appended(tuple(entered), numbers, len(written), tuple(mended), head)

    def _write(
        self, fd: int, tail: Tail, fresh: Sequence[Event], created: bool
    ) -> tuple[list[Event], list[Event], Head]:
        """Appends these events: what the store noted about itself, the events as they stand, and the head.

        Goes round again only when a foreign writer, who takes no lock, came in between look and write.
        """
        noted: list[Event] = []
        notes: list[Event] = [Recovered(line=tail.seq + 1, bytes=len(tail.rest))] if tail.torn else []
        missing = list(enumerate(fresh))
        entered = list(fresh)
        for turn in range(_ROUNDS):
            seq, prev = tail.seq, tail.digest
            if tail.rest and not tail.whole:
                seq, prev = seq + 1, digest(tail.rest)
            signed = [_signed(note, self.by) for note in notes]
            stamped, lines, last = stamp([*signed, *[event for _, event in missing]], seq, prev, self._clock)
            data = b"\n".join([b"", *lines, b""] if tail.rest else [*lines, b""])
            try:
                size = self._write_durably(fd, data, tail.size, created and not turn)
            except StorageError:
                if turn and not missing:
                    break  # only a note about what is durable already, and verify sees it without
                raise
            place = self._place(fd, tail, data, size)
            if place is AS_MEANT and last is not None:
                end = tail.size + len(data)
                start = end - len(lines[-1]) - 1
                head = Head(seq + len(lines), last, end)
                self._remember(Landmark(head.seq, start, end, last), lines[-1] + b"\n")
                if not noted and not notes:
                    return [], stamped, head
            if place.first is not None:
                stamped = [replace(event, seq=place.first + n) for n, event in enumerate(stamped)]
            noted += stamped[: len(notes)]
            for (index, _), event in zip(missing, stamped[len(notes) :], strict=True):
                entered[index] = event
            if place.first is None:
                break
            missing = missing[:1] if place.glued and not notes else []
            notes = [Relinked(line=place.first, lines=len(stamped), true_prev=place.prev)]
            tail = self._look(fd)
        return noted, entered, self._look(fd).head

    def _place(self, fd: int, tail: Tail, data: bytes, size: int) -> Place:
        """Where the data came to stand, which was meant to follow the tail, in a file of now `size` bytes."""
        if size == tail.size + len(data):
            return AS_MEANT
        found = self._disk.read(fd, size - tail.size, tail.size)
        at = found.find(data)
        if at < 0:
            raise StorageError(
                f"{self.path}: another writer broke into the write", "run ar verify, then repeat the command"
            )
        if at == 0:
            return Place()
        begins = data.startswith(b"\n")
        start, glued = last_line_before(self._disk, fd, tail.size + at + begins)
        ended_before = tail.seq - tail.whole + found[:at].count(b"\n") + begins
        prev = digest(last_line_before(self._disk, fd, start - 1)[1]) if start else None
        lost = bool(glued) and isinstance(decode_line(glued + split_lines(data)[0]), Damaged)
        return Place(ended_before + 1, prev, lost)

    def _write_durably(self, fd: int, data: bytes, size: int, created: bool) -> int:
        """Writes and syncs, and returns the file's size then.

        Raises StorageError after having undone what could be undone.
        """
        done = 0
        try:
            while done < len(data):
                done += self._disk.write(fd, data[done:])
            self._disk.sync(fd)
            if created:
                self._disk.sync_directory(self.path.parent)
            return self._size(fd)
        except OSError as error:
            failure = storage_error(error, "append to", self.path)
            if self._undo(fd, data[:done], size):
                failure.message += "; nothing was written"
            else:
                failure.message += "; a part may stand in it, which the next append mends"
            raise failure from error
        except BaseException:
            self._undo(fd, data[:done], size)
            raise

    def _undo(self, fd: int, done: bytes, size: int) -> bool:
        """Takes back what was written, if the file still ends with exactly that; whether it did."""
        try:
            if self._size(fd) == size + len(done) and self._disk.read(fd, len(done) + 1, size) == done:
                self._disk.truncate(fd, size)
                self._disk.sync(fd)
                return True
        except OSError:
            return False
        return False

    def _known_ids(self, fd: int) -> IdIndex:
        """The ids of the log so far; what was read of it before is not read again while it still stands."""
        mark = self._ids_mark
        if mark is None or not landmark.holds(mark, self._disk, fd):
            self._ids, mark = {}, None
        seq, offset = (mark.seq, mark.end) if mark else (0, 0)
        for at, stretch in stretches(self._disk, fd, offset):
            if b'"id"' in stretch:
                for number, line in enumerate(split_lines(stretch), seq + 1):
                    record = decode_line(line, number) if b'"id"' in line else None
                    if isinstance(record, Event) and record.id is not None:
                        self._ids.setdefault(record.id, (number, content_key(record), record))
            if stretch.endswith(b"\n"):
                seq += stretch.count(b"\n")
                line = split_lines(stretch)[-1]
                end = at + len(stretch)
                mark = Landmark(seq, end - len(line) - 1, end, digest(line))
        self._ids_mark = mark
        return self._ids

    def _remember(self, mark: Landmark, line: bytes) -> None:
        """Keeps our last line as a landmark; on disk too when the log has grown much since."""
        self._mark = mark
        self._line = line
        if mark.end - self._mark_kept >= landmark.WORTH_KEEPING:
            landmark.save(mark, self._cache_dir)
            self._mark_kept = mark.end


def _signed(note: Event, by: str) -> Event:
    return note if by == "user" else replace(note, by=by)
