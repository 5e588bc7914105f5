"""Where a log ends, as its appender remembers it: believed while the file shows that it still holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from eventstore import ending
from eventstore.digests import digest
from eventstore.disk import Disk
from eventstore.ending import Ending
from eventstore.reading import Tail

LINE = b'{"type":"note","detail":"two"}\n'
BEFORE = b'{"type":"note","detail":"one"}\n'
END = Tail(2, digest(LINE[:-1]), len(BEFORE), len(BEFORE + LINE), b"", whole=False)


class CountingDisk(Disk):
    """Counts what is read."""

    reads = 0

    def read(self, fd: int, size: int, offset: int) -> bytes:
        self.reads += 1
        return super().read(fd, size, offset)


@pytest.fixture
def fd(tmp_path: Path) -> Iterator[int]:
    """A log of two lines, the second one ours."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(BEFORE + LINE)
    found = os.open(path, os.O_RDWR | os.O_APPEND)
    yield found
    os.close(found)


def test_an_untouched_file_is_not_read_again(fd: int) -> None:
    """Its inode, size and times say that it ends as it was left."""
    disk = CountingDisk()
    known = Ending(disk, None)
    known.remember(END, LINE, os.fstat(fd))

    assert known.look(fd, os.fstat(fd)) is END
    assert disk.reads == 0


@pytest.mark.parametrize(
    ("content", "seq"),
    [
        (BEFORE + LINE + BEFORE, 3),
        (BEFORE + LINE.replace(b"two", b"six"), 2),
        (BEFORE, 1),
        (b"", 0),
        (BEFORE + LINE, 2),
    ],
    ids=["grown", "altered", "cut", "emptied", "written anew"],
)
def test_what_was_touched_is_looked_at_again(fd: int, content: bytes, seq: int) -> None:
    """And whatever it holds now is what counts."""
    known = Ending(Disk(), None)
    known.remember(END, LINE, os.fstat(fd))
    os.ftruncate(fd, 0)
    os.write(fd, content)
    os.utime(fd, ns=(5, 5))

    tail = known.look(fd, os.fstat(fd))

    last = content.split(b"\n")[-2] if content else None
    assert (tail.seq, tail.size) == (seq, len(content))
    assert tail.digest == (None if last is None else digest(last))


def test_a_torn_end_is_waited_for(fd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as somebody is writing on it; then it is what they made of it."""
    pauses: list[float] = []

    def write_on(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 1:
            os.write(fd, b'"three"}\n')

    os.write(fd, b'{"type":"note","detail":')
    monkeypatch.setattr(ending, "sleep", write_on)

    known = Ending(Disk(), None)

    assert known.settled(fd, known.look(fd, os.fstat(fd))).seq == 3
    assert pauses == [ending.SETTLE_SECONDS]


def test_a_torn_end_that_nobody_writes_on_is_torn(fd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After one pause in which it did not change."""
    pauses: list[float] = []
    os.write(fd, b'{"type":"no')
    monkeypatch.setattr(ending, "sleep", pauses.append)

    known = Ending(Disk(), None)
    tail = known.settled(fd, known.look(fd, os.fstat(fd)))

    assert (tail.torn, tail.rest, len(pauses)) == (True, b'{"type":"no', 1)
