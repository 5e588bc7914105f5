"""Snapshots of views: what a long log was folded to, so that a look need not replay it (design, section 2.6).

A cache, never truth: one that is missing, corrupt, stale or of another version is as if it were not there. A
snapshot is one file: a line of JSON that says what it is of, then the view's bytes, then the state's.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from eventstore.digests import digest
from eventstore.disk import Disk
from eventstore.landmark import Landmark, holds
from eventstore.store import Position

__all__ = ["Snapshot", "load", "mark_at", "save"]

FORMAT = 1


class _Header(msgspec.Struct, frozen=True):
    """format: of this file. name, version: of the reducer. mark: the last folded line. sizes and digests: of
    what follows."""

    format: int
    name: str
    version: int
    mark: Landmark
    view_size: int
    view_digest: str
    state_size: int
    state_digest: str


class Snapshot:
    """A snapshot that matches the log as it stands.

    position: just after the last line that was folded. mark: that line.
    """

    def __init__(self, header: _Header, path: Path, body: int) -> None:
        self.position: Position = header.mark.position
        self.mark: Landmark = header.mark
        self._header = header
        self._path = path
        self._body = body

    def view(self) -> bytes | None:
        """The view's JSON at `position`; None when it was not kept or is corrupt."""
        header = self._header
        return self._part(self._body, header.view_size, header.view_digest) if header.view_size else None

    def state(self) -> bytes | None:
        """The state's JSON at `position`; None when it is corrupt."""
        header = self._header
        return self._part(self._body + header.view_size, header.state_size, header.state_digest)

    def _part(self, start: int, size: int, expected: str) -> bytes | None:
        try:
            with self._path.open("rb") as file:
                if os.fstat(file.fileno()).st_size < start + size:
                    return None
                file.seek(start)
                part = file.read(size)
        except OSError:
            return None
        return part if len(part) == size and digest(part) == expected else None


def _path(directory: Path, name: str) -> Path:
    return directory / f"{name}.snapshot"


def load(directory: Path, name: str, version: int, log: Path) -> Snapshot | None:
    """The snapshot of this reducer, if it is of this version and its last line still stands in the log."""
    path = _path(directory, name)
    try:
        with path.open("rb") as file:
            line = file.readline(1 << 16)
        header = msgspec.json.decode(line, type=_Header)
    except (OSError, msgspec.DecodeError, RecursionError):
        return None
    if (header.format, header.name, header.version) != (FORMAT, name, version):
        return None
    mark = header.mark
    if not (0 <= mark.start < mark.end and mark.seq > 0 and header.view_size >= 0 and header.state_size >= 0):
        return None
    disk = Disk()
    try:
        fd = disk.open_read(log)
    except OSError:
        return None
    try:
        stands = mark.end <= disk.stat(fd).st_size and holds(mark, disk, fd)
        return Snapshot(header, path, len(line)) if stands else None
    except OSError:
        return None
    finally:
        disk.close(fd)


def save(directory: Path, name: str, version: int, mark: Landmark, view: bytes | None, state: bytes) -> None:
    """Keeps a snapshot, in place of an older one. A directory that cannot be written to is no error."""
    view = view or b""
    header = _Header(FORMAT, name, version, mark, len(view), digest(view), len(state), digest(state))
    fresh = directory / f"{name}.{os.getpid()}.new"
    try:
        directory.mkdir(exist_ok=True)
        fresh.write_bytes(msgspec.json.encode(header) + b"\n" + view + state)
        os.replace(fresh, _path(directory, name))
    except OSError:
        return


def mark_at(log: Path, position: Position) -> Landmark | None:
    """The landmark of the line before a position; None when that line has no newline or cannot be read."""
    from eventstore.reading import last_line_before

    disk = Disk()
    try:
        fd = disk.open_read(log)
    except OSError:
        return None
    try:
        if position.offset == 0 or disk.read(fd, 1, position.offset - 1) != b"\n":
            return None
        start, line = last_line_before(disk, fd, position.offset - 1)
        return Landmark(position.seq, start, position.offset, digest(line))
    except OSError:
        return None
    finally:
        disk.close(fd)
