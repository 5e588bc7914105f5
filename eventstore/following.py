"""Following a log that grows: what comes, and the news that it shrank or was replaced."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep

import msgspec

from eventstore.disk import Disk, require_regular, storage_error
from eventstore.lines import Batch, LineDecoder
from eventstore.reading import batches
from eventstore.store import START, Position, Reset

__all__ = ["follow"]

_POLL_SECONDS = 0.2
_REMEMBERED = 64


class _Seen(msgspec.Struct, frozen=True):
    """What is known of the file: its inode, the position read up to, and the last bytes before that."""

    inode: int | None
    position: Position
    last: bytes


def follow(
    path: Path, disk: Disk, after: Position, decoder: LineDecoder, wait: Callable[[], bool] | None
) -> Iterator[Batch | Reset]:
    """See `eventstore.store.Log.follow`.

    A line without its newline is given when the file has not changed between two looks.
    """
    seen = _Seen(None, after, b"")
    before: tuple[int, int] | None = None
    while True:
        fd = _open(path, disk)
        if fd is None:
            if seen.inode is not None:
                yield Reset("the log was removed")
                seen = _Seen(None, START, b"")
        else:
            try:
                status = disk.stat(fd)
                require_regular(status, path)
                reason = _gone(disk, fd, status, seen)
                if reason is not None:
                    yield Reset(reason)
                    seen = _Seen(None, START, b"")
                now = (status.st_size, status.st_mtime_ns)
                position = seen.position
                for batch in batches(disk, fd, position, decoder, loose_end=now == before):
                    position = Position(batch.last, batch.end)
                    yield batch
                before = now
                seen = _Seen(status.st_ino, position, _last_bytes(disk, fd, position.offset))
            finally:
                disk.close(fd)
        if not (wait() if wait is not None else _pause()):
            return


def _pause() -> bool:
    sleep(_POLL_SECONDS)
    return True


def _open(path: Path, disk: Disk) -> int | None:
    try:
        return disk.open_read(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise storage_error(error, "read", path) from error


def _gone(disk: Disk, fd: int, status: os.stat_result, seen: _Seen) -> str | None:
    """Why what was read no longer stands; None when it does."""
    if status.st_size < seen.position.offset:
        return "the log shrank"
    if seen.inode is None:
        return None
    if _last_bytes(disk, fd, seen.position.offset) != seen.last:
        return "the log was replaced" if status.st_ino != seen.inode else "the log was rewritten"
    return None


def _last_bytes(disk: Disk, fd: int, offset: int) -> bytes:
    size = min(_REMEMBERED, offset)
    return disk.read(fd, size, offset - size) if size else b""
