"""Reading bytes as they stand: a log's lines, all of them, one, the last few; what stdin brings."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

from commands.errors import BadInputError
from eventstore import reading
from eventstore.disk import Disk, require_regular, storage_error
from eventstore.errors import StorageError
from eventstore.events import Record
from eventstore.filelog import FileLog
from eventstore.lines import split_lines
from eventstore.store import START, Position

__all__ = [
    "damaged_lines",
    "last_records",
    "line_at",
    "read_named",
    "read_stdin",
    "stretches",
    "without_waiting",
]

PATIENCE_SECONDS = 5.0
"""How long a pipe that was named may be without a writer, seconds."""

_POLL_SECONDS = 0.02


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


def damaged_lines(log: FileLog, until: int | None = None) -> list[int]:
    """The numbers of the damaged lines up to line `until` (None: all). Raises StorageError."""
    found: list[int] = []
    for batch in log.read(kinds=()):
        found += [record.line for record in batch.damaged]
        if until is not None and batch.last >= until:
            break
    return [line for line in found if until is None or line <= until]


def without_waiting(path: str, flags: int) -> int:
    """An opener, as `open` takes one: of a pipe that stands in a file's place it waits for no other end."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_named(path: Path) -> tuple[bytes, bool]:
    """All that a file or a pipe of this name brings, and whether it is a file.

    Raises BadInputError for a device, a directory, and a pipe that nobody writes to; OSError.
    """
    with open(path, "rb", opener=without_waiting) as file:
        mode = os.fstat(file.fileno()).st_mode
        if stat.S_ISREG(mode):
            return file.read(), True
        if not stat.S_ISFIFO(mode):
            raise BadInputError(f"{path} is no file", "name a file, or - for standard input")
        first = _first_of(file.fileno(), path)
        os.set_blocking(file.fileno(), True)
        return first + file.read(), False


def _first_of(pipe: int, path: Path) -> bytes:
    """What a pipe brings first; empty for one whose writer came and went. Waits while there is a writer."""
    import select

    deadline = monotonic() + PATIENCE_SECONDS
    while True:
        try:
            first = os.read(pipe, 1 << 16)
        except BlockingIOError:  # there is a writer, and no hurry
            select.select([pipe], [], [])
            return os.read(pipe, 1 << 16)
        if first:
            return first
        if monotonic() >= deadline:
            raise BadInputError(f"nobody writes to the pipe {path}", f"COMMAND > {path} beside it")
        sleep(_POLL_SECONDS)


def read_stdin() -> bytes:
    """All that stdin brings. Raises BadInputError when the program was started without one."""
    if sys.stdin is None:
        raise BadInputError("stdin is closed", "give it by a pipe, or by < FILE")
    data: bytes = sys.stdin.buffer.read()
    return data
