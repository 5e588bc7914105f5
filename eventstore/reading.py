"""Reading a log's bytes: stretches of whole lines, the loose end, and what the end of the file looks like."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from eventstore.digests import digest
from eventstore.disk import Disk
from eventstore.events import Damaged
from eventstore.lines import Batch, LineDecoder, decode_line
from eventstore.store import Head, Position

__all__ = [
    "CHUNK",
    "EMPTY",
    "Tail",
    "batches",
    "count_lines",
    "last_line_before",
    "look_at_tail",
    "stretches",
]

CHUNK = 1 << 18
"""Bytes read at a time; what bounds the memory of a reader, but for longer lines.

Small enough that a stretch, its lines and what they are decoded to stay in a core's own cache: with 1 MiB a
fold takes a third longer.
"""

_BACK = 1 << 12
_BLANK = b" \t\r"


class Tail(msgspec.Struct, frozen=True, gc=False):
    """The end of a log's file.

    seq: number of the last line; a loose end that is a whole JSON object counts as one.
    digest: of that line's bytes; None for an empty log.
    start: byte offset of that line.
    size: bytes in the file.
    rest: the bytes after the last newline.
    whole: whether they are one whole JSON object, hence a line; else they are pending, or blank.
    """

    seq: int
    digest: str | None
    start: int
    size: int
    rest: bytes
    whole: bool

    @property
    def torn(self) -> bool:
        """Whether the file ends in the midst of a line."""
        return bool(self.rest.strip(_BLANK)) and not self.whole

    @property
    def head(self) -> Head:
        """The last line, for those who look from outside."""
        return Head(self.seq, self.digest, self.size if self.whole else self.size - len(self.rest))


EMPTY = Tail(0, None, 0, 0, b"", whole=False)
"""The end of a log that holds nothing."""


def stretches(disk: Disk, fd: int, offset: int) -> Iterator[tuple[int, bytes]]:
    """Offset and bytes of stretches that end with a newline, and at last of the loose end, if any."""
    parts: list[bytes] = []
    held = 0
    while chunk := disk.read(fd, CHUNK, offset + held):
        cut = chunk.rfind(b"\n") + 1
        if not cut:  # a line longer than what was read
            parts.append(chunk)
            held += len(chunk)
            continue
        stretch = b"".join((*parts, chunk[:cut])) if parts else chunk[:cut]
        parts.clear()
        held = 0
        yield offset, stretch
        offset += len(stretch)
    if parts:
        yield offset, b"".join(parts)


def batches(
    disk: Disk, fd: int, after: Position, decoder: LineDecoder, *, loose_end: bool = True
) -> Iterator[Batch]:
    """What stands after a position, decoded.

    Bytes after the last newline are given as a line if they are one whole JSON object (a foreign writer may
    omit the newline) and `loose_end` is set; otherwise they are pending and not mentioned, since a writer may
    be at work.
    """
    seq = after.seq
    for offset, stretch in stretches(disk, fd, _past_newline(disk, fd, after.offset)):
        if stretch.endswith(b"\n"):
            batch = decoder.decode(stretch, seq + 1, offset)
            seq += batch.lines
            yield batch
        elif loose_end and stretch.strip(_BLANK):
            record = decoder.line(stretch, seq + 1)
            if not isinstance(record, Damaged):
                yield Batch([record], seq + 1, 1, offset, offset + len(stretch))


def _past_newline(disk: Disk, fd: int, offset: int) -> int:
    """The offset, or the one after it when a newline has since ended the line that was read without one."""
    around = disk.read(fd, 2, offset - 1) if offset else b""
    return offset + 1 if around[1:] == b"\n" and around[:1] != b"\n" else offset


def count_lines(disk: Disk, fd: int, start: int, end: int) -> int:
    """How many newlines stand in [start, end)."""
    lines = 0
    while start < end and (chunk := disk.read(fd, min(CHUNK, end - start), start)):
        lines += chunk.count(b"\n")
        start += len(chunk)
    return lines


def last_line_before(disk: Disk, fd: int, end: int) -> tuple[int, bytes]:
    """Offset and bytes of what stands between the last newline before `end` and `end`."""
    parts: list[bytes] = []
    at = end
    while at > 0:
        size = min(_BACK, at)
        block = disk.read(fd, size, at - size)
        cut = block.rfind(b"\n")
        if cut >= 0:
            parts.append(block[cut + 1 :])
            return at - size + cut + 1, b"".join(reversed(parts))
        parts.append(block)
        at -= size
    return 0, b"".join(reversed(parts))


def look_at_tail(disk: Disk, fd: int, size: int, known: Position) -> Tail:
    """The end of a file of `size` bytes, lines counted on from a position that is known to be right."""
    end, rest = last_line_before(disk, fd, size)
    seq = known.seq + count_lines(disk, fd, known.offset, end)
    if rest and not isinstance(decode_line(rest), Damaged):
        return Tail(seq + 1, digest(rest), end, size, rest, whole=True)
    if end == 0:
        return Tail(0, None, 0, size, rest, whole=False)
    start, line = last_line_before(disk, fd, end - 1)
    return Tail(seq, digest(line), start, size, rest, whole=False)
