"""What an appender knows of where its log ends, so that the next append need not find it out again.

A cache, never truth: it is believed only while the file shows that it still holds.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import sleep

from eventstore import landmark
from eventstore.disk import Disk
from eventstore.landmark import Landmark
from eventstore.reading import EMPTY, Tail, look_at_tail
from eventstore.store import START

__all__ = ["SETTLE_SECONDS", "Ending"]

SETTLE_SECONDS = 0.05
"""How long a torn tail must stay as it is before it is taken for torn and not for a writer at work."""


class Ending:
    """Where a log was last seen to end.

    cache_dir: where a landmark may be kept that spares counting a long log's lines; never needed.
    """

    def __init__(self, disk: Disk, cache_dir: Path | None) -> None:
        self._disk = disk
        self._cache_dir = cache_dir
        self._mark: Landmark | None = landmark.load(cache_dir)
        self._kept = self._mark.end if self._mark else 0
        self._tail = EMPTY  # the end when we wrote last
        self._line = b""  # what we wrote last, newline included
        self._seen: os.stat_result | None = None  # the file's status just after that

    def look(self, fd: int, status: os.stat_result) -> Tail:
        """The end of a file of this status; lines are counted from the last landmark that still holds.

        What changes whenever somebody writes to a file, or another takes its place, is compared first: its
        inode, size and times. Within the few milliseconds that the clock of a file system ticks in, a change
        that keeps the size may go unseen. No appender makes such a one, and as the next line is chained to
        what we wrote, `verify` sees it.
        """
        seen = self._seen
        if (
            seen is not None
            and status.st_size == seen.st_size
            and status.st_mtime_ns == seen.st_mtime_ns
            and status.st_ctime_ns == seen.st_ctime_ns
            and status.st_ino == seen.st_ino
        ):
            return self._tail
        size = status.st_size
        mark, line = self._last()
        if mark is not None:
            if mark.end > size or not landmark.holds(mark, self._disk, fd, line):
                mark = self._mark = None
                self._line = b""
            elif mark.end == size:
                return Tail(mark.seq, mark.digest, mark.start, size, b"", whole=False)
        return look_at_tail(self._disk, fd, size, mark.position if mark else START)

    def settled(self, fd: int, tail: Tail) -> Tail:
        """The end that was looked at, a torn one only when nobody has been writing on it for a while."""
        while tail.torn:
            sleep(SETTLE_SECONDS)
            again = self.look(fd, self._disk.stat(fd))
            if again == tail:
                break
            tail = again
        return tail

    def remember(self, tail: Tail, line: bytes, status: os.stat_result) -> None:
        """Takes note of what we wrote; on disk too when the log has grown much since.

        tail: the end of the file, which is our last line. line: its bytes, newline included. status: of the
        file just after it was written.
        """
        self._tail = tail
        self._line = line
        self._seen = status
        if tail.size - self._kept >= landmark.WORTH_KEEPING:
            mark, _ = self._last()
            if mark is not None:
                landmark.save(mark, self._cache_dir)
            self._kept = tail.size

    def _last(self) -> tuple[Landmark | None, bytes]:
        """The last landmark, and its line's bytes where they are known."""
        tail = self._tail
        if not self._line or tail.digest is None:
            return self._mark, b""
        return Landmark(tail.seq, tail.start, tail.size, tail.digest), self._line
