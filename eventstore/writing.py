"""Putting bytes at the end of a log's file so that they last, or taking them back (design, section 2.3)."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from eventstore.digests import digest
from eventstore.disk import Disk, storage_error
from eventstore.errors import StorageError
from eventstore.events import Damaged
from eventstore.lines import decode_line, split_lines
from eventstore.reading import Tail, last_line_before

__all__ = ["AS_MEANT", "Place", "place_of", "write_durably"]


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a write came to stand.

    first: number of its first line if that is not the one that was claimed; else None.
    prev: digest of the line before it. glued: whether its first line became the end of a damaged one.
    """

    first: int | None = None
    prev: str | None = None
    glued: bool = False


AS_MEANT = Place()
"""Just behind the tail, and nothing else was added."""


def write_durably(
    disk: Disk, fd: int, data: bytes, size: int, path: Path, *, created: bool
) -> os.stat_result:
    """Appends to a file of `size` bytes and syncs; the file's status then.

    created: whether the file is new, so that its directory is synced too. Raises StorageError after having
    undone what could be undone.
    """
    done = 0
    try:
        done = disk.write(fd, data)
        while done < len(data):
            done += disk.write(fd, data[done:])
        disk.sync(fd)
        if created:
            disk.sync_directory(path.parent)
        return disk.stat(fd)
    except OSError as error:
        failure = storage_error(error, "append to", path)
        if _undo(disk, fd, data[:done], size):
            failure.message += "; nothing was written"
        else:
            failure.message += "; a part may stand in it, which the next append mends"
        raise failure from error
    except BaseException:
        _undo(disk, fd, data[:done], size)
        raise


def _undo(disk: Disk, fd: int, done: bytes, size: int) -> bool:
    """Takes back what was written, if the file still ends with exactly that; whether it did."""
    try:
        if disk.stat(fd).st_size == size + len(done) and disk.read(fd, len(done) + 1, size) == done:
            disk.truncate(fd, size)
            disk.sync(fd)
            return True
    except OSError:
        return False
    return False


def place_of(disk: Disk, fd: int, tail: Tail, data: bytes, size: int, path: Path) -> Place:
    """Where the data came to stand, in a file of now `size` bytes, where more was added than the data.

    It was meant to follow the tail. Raises StorageError when another writer broke into it.
    """
    found = disk.read(fd, size - tail.size, tail.size)
    at = found.find(data)
    if at < 0:
        raise StorageError(
            f"{path}: another writer broke into the write", "run ar verify, then repeat the command"
        )
    if at == 0:
        return Place()
    begins = data.startswith(b"\n")
    start, glued = last_line_before(disk, fd, tail.size + at + begins)
    ended_before = tail.seq - tail.whole + found[:at].count(b"\n") + begins
    prev = digest(last_line_before(disk, fd, start - 1)[1]) if start else None
    lost = bool(glued) and isinstance(decode_line(glued + split_lines(data)[0]), Damaged)
    return Place(ended_before + 1, prev, lost)
