"""Reading bytes as they stand: a log's lines, all of them, one, the last few; what stdin brings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from commands.errors import BadInputError
from eventstore import reading
from eventstore.disk import Disk, require_regular, storage_error
from eventstore.errors import StorageError
from eventstore.events import Record
from eventstore.filelog import FileLog
from eventstore.lines import split_lines
from eventstore.store import START, Position

__all__ = ["last_records", "line_at", "read_stdin", "stretches"]


def stretches(path: Path) -> Iterator[tuple[int, bytes]]:
    """Offset and bytes of stretches of whole lines; the last may lack its newline. Nothing for no file.

    Raises StorageError when the file cannot be read or is none.
    """
    disk = Disk()
    try:
        fd = disk.open_read(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise storage_error(error, "read", path) from error
    try:
        require_regular(disk.stat(fd), path)
        yield from reading.stretches(disk, fd, 0)
    except OSError as error:
        raise storage_error(error, "read", path) from error
    finally:
        disk.close(fd)


def line_at(path: Path, seq: int) -> bytes:
    """The bytes of line `seq`, without its newline. Raises StorageError when there is none (any more)."""
    seen = 0
    for _, stretch in stretches(path):
        lines = stretch.count(b"\n") + (not stretch.endswith(b"\n"))
        if seen + lines >= seq:
            return split_lines(stretch)[seq - seen - 1]
        seen += lines
    raise StorageError(f"{path} has no line {seq} any more", "repeat the command")


def last_records(log: FileLog, count: int) -> tuple[list[tuple[int, Record]], Position]:
    """The last `count` records with their lines' numbers, and the place just after them.

    The log is gone through without reading fields, and only its last stretches a second time with them.
    """
    starts: list[tuple[Position, int]] = []
    end = START
    for batch in log.read(kinds=()):
        starts.append((end, len(batch.records)))
        end = Position(batch.last, batch.end)
    start, missing = end, count
    while starts and missing > 0:
        start, records = starts.pop()
        missing -= records
    found = [numbered for batch in log.read(start) for numbered in batch.numbered() if numbered[0] <= end.seq]
    return found[-count:] if count > 0 else [], end


def read_stdin() -> bytes:
    """All that stdin brings. Raises BadInputError when the program was started without one."""
    if sys.stdin is None:
        raise BadInputError("stdin is closed", "give it by a pipe, or by < FILE")
    data: bytes = sys.stdin.buffer.read()
    return data
