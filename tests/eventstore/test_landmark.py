"""Landmarks: a place in a long log that is remembered, and believed only while its line stands there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore import landmark
from eventstore.digests import digest
from eventstore.disk import Disk
from eventstore.events import Note
from eventstore.filelog import FileLog
from eventstore.landmark import Landmark
from eventstore.store import Position

LINE = b'{"type":"note","detail":"two"}\n'
BEFORE = b'{"type":"note","detail":"one"}\n'
MARK = Landmark(2, len(BEFORE), len(BEFORE) + len(LINE), digest(LINE[:-1]))


def holds(path: Path, content: bytes, known: bytes = b"") -> bool:
    path.write_bytes(content)
    disk = Disk()
    fd = disk.open_read(path)
    try:
        return landmark.holds(MARK, disk, fd, known)
    finally:
        disk.close(fd)


@pytest.mark.parametrize("known", [b"", LINE])
def test_a_landmark_holds_while_its_line_stands_there(tmp_path: Path, known: bytes) -> None:
    """Whatever follows; by its digest, or by its bytes where they are known."""
    path = tmp_path / "log.jsonl"

    assert holds(path, BEFORE + LINE, known)
    assert holds(path, BEFORE + LINE + b"more", known)


@pytest.mark.parametrize("known", [b"", LINE])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        BEFORE,
        BEFORE + LINE[:-1],
        BEFORE + LINE[:-1] + b" ",
        BEFORE + LINE.replace(b"two", b"six"),
        LINE + BEFORE,
        b" " + BEFORE + LINE,
    ],
)
def test_a_landmark_does_not_hold_otherwise(tmp_path: Path, content: bytes, known: bytes) -> None:
    """Shorter, altered, moved."""
    assert not holds(tmp_path / "log.jsonl", content, known)


def test_a_landmark_is_kept_and_found(tmp_path: Path) -> None:
    """In a directory that is made for it."""
    landmark.save(MARK, tmp_path / "cache")

    assert landmark.load(tmp_path / "cache") == MARK
    assert MARK.position == Position(2, len(BEFORE + LINE))
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["head.json"]


def test_without_a_directory_nothing_is_kept(tmp_path: Path) -> None:
    """Nor is anything raised, also where there can be none."""
    landmark.save(MARK, None)
    landmark.save(MARK, tmp_path / "no" / "such")

    assert landmark.load(None) is None
    assert landmark.load(tmp_path / "no" / "such") is None


@given(
    st.one_of(
        st.binary(max_size=60),
        st.sampled_from(
            [
                b'{"seq":0,"start":0,"end":9,"digest":"x"}',
                b'{"seq":1,"start":9,"end":9,"digest":"x"}',
                b'{"seq":1,"start":-1,"end":9,"digest":"x"}',
                b'{"seq":1,"start":0,"end":9}',
                b'{"seq":"1","start":0,"end":9,"digest":"x"}',
                b"[" * 5000,
            ]
        ),
    )
)
def test_what_is_no_landmark_is_none(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """Whatever stands in the file."""
    directory = tmp_path_factory.mktemp("cache")
    (directory / "head.json").write_bytes(content)

    assert landmark.load(directory) is None


def test_a_log_that_has_grown_much_leaves_a_landmark(tmp_path: Path) -> None:
    """By which another process need not count its lines, and with which it numbers rightly."""
    path, cache = tmp_path / "log.jsonl", tmp_path / "cache"
    log = FileLog(path, cache_dir=cache)
    log.append([Note(detail="x" * 900) for _ in range(1300)])

    mark = landmark.load(cache)

    assert mark is not None
    assert mark.seq == 1300
    assert FileLog(path, cache_dir=cache).append([Note(detail="y")]).seqs == (1301,)


class CountingDisk(Disk):
    """Counts the bytes that are read."""

    def __init__(self) -> None:
        self.count = 0

    def read(self, fd: int, size: int, offset: int) -> bytes:
        found = super().read(fd, size, offset)
        self.count += len(found)
        return found


def test_a_landmark_spares_the_counting(tmp_path: Path) -> None:
    """An append to a long log reads a few lines of it, not all."""
    path, cache = tmp_path / "log.jsonl", tmp_path / "cache"
    FileLog(path, cache_dir=cache).append([Note(detail="x" * 900) for _ in range(1300)])
    without, with_one = CountingDisk(), CountingDisk()

    FileLog(path, disk=without).head()
    FileLog(path, disk=with_one, cache_dir=cache).append([Note(detail="y")])

    assert without.count > path.stat().st_size * 0.9
    assert with_one.count < 10_000


@pytest.mark.parametrize(
    "mark",
    [
        Landmark(5, 0, len(LINE), digest(LINE[:-1])),
        Landmark(5, 10, 20, "0" * 32),
        Landmark(5, 0, 10_000, "0" * 32),
    ],
)
def test_a_false_landmark_changes_no_number(tmp_path: Path, mark: Landmark) -> None:
    """Of another log, of no line, beyond the end: the lines are counted."""
    path, cache = tmp_path / "log.jsonl", tmp_path / "cache"
    path.write_bytes(BEFORE + LINE)
    landmark.save(mark, cache)

    assert FileLog(path, cache_dir=cache).append([Note(detail="y")]).seqs == (3,)


def test_a_log_that_was_replaced_is_counted_anew(tmp_path: Path) -> None:
    """Also by a handle that has appended to the old one, whatever the new one's size is."""
    path = tmp_path / "log.jsonl"
    log = FileLog(path, clock=lambda: 1)
    log.append([Note(detail="one")])
    log.append([Note(detail="two")])
    old = path.read_bytes()
    for content in (BEFORE, BEFORE * 9, old.replace(b"two", b"six"), b" " * (len(old) - 2) + b"\n\n"):
        path.write_bytes(content)

        assert log.append([Note(detail="new")]).seqs == (content.count(b"\n") + 1,)
