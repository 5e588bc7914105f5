"""Remembering where a log was last seen whole, so that an append need not count the lines of a long log.

A cache, never truth: a landmark holds only while the line it names still stands where it stood, which its
digest shows; anything else means counting from the beginning.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from eventstore.digests import digest
from eventstore.disk import Disk
from eventstore.store import Position

__all__ = ["WORTH_KEEPING", "Landmark", "holds", "load", "save"]

WORTH_KEEPING = 1 << 20
"""Bytes by which a log must have grown before a new landmark is written down."""

_FILE = "head.json"


class Landmark(msgspec.Struct, frozen=True, gc=False):
    """A line that was seen in its place.

    seq: its number. start, end: its byte offsets, newline included in `end`. digest: of its bytes.
    """

    seq: int
    start: int
    end: int
    digest: str

    @property
    def position(self) -> Position:
        """The place just after the line."""
        return Position(self.seq, self.end)


def holds(mark: Landmark, disk: Disk, fd: int, line: bytes = b"") -> bool:
    """Whether the line still stands where it stood.

    line: its bytes, newline included, where they are known, which spares their digest.
    """
    found = disk.read(fd, mark.end - mark.start, mark.start)
    if line:
        return found == line
    return len(found) == mark.end - mark.start and found[-1:] == b"\n" and digest(found[:-1]) == mark.digest


def load(directory: Path | None) -> Landmark | None:
    """The landmark kept in a cache directory; None when there is none that can be read."""
    if directory is None:
        return None
    try:
        mark = msgspec.json.decode((directory / _FILE).read_bytes(), type=Landmark)
    except (OSError, msgspec.DecodeError, RecursionError):
        return None
    return mark if 0 <= mark.start < mark.end and mark.seq > 0 else None


def save(mark: Landmark, directory: Path | None) -> None:
    """Keeps a landmark; a directory that cannot be written to is no error."""
    if directory is None:
        return
    try:
        directory.mkdir(exist_ok=True)
        fresh = directory / f"{_FILE}.{os.getpid()}.new"
        fresh.write_bytes(msgspec.json.encode(mark))
        os.replace(fresh, directory / _FILE)
    except OSError:
        return
