"""Reading bytes: stretches of whole lines, loose ends, and the end of the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore import reading
from eventstore.digests import digest
from eventstore.disk import Disk
from eventstore.events import Damaged, Note
from eventstore.lines import Batch, LineDecoder
from eventstore.reading import batches, count_lines, last_line_before, look_at_tail, stretches
from eventstore.store import START, Position

NOTE = b'{"type":"note","detail":"x"}'
PIECES = st.lists(st.sampled_from([b"\n", NOTE, b"ab", b" ", b"{", "é".encode(), b"\r"]), max_size=12)


@contextmanager
def opened(path: Path, content: bytes) -> Iterator[tuple[Disk, int]]:
    path.write_bytes(content)
    disk = Disk()
    fd = disk.open_read(path)
    try:
        yield disk, fd
    finally:
        disk.close(fd)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads so little at a time that short texts take several reads."""
    monkeypatch.setattr(reading, "CHUNK", 7)
    monkeypatch.setattr(reading, "_BACK", 3)


def content_of(pieces: list[bytes]) -> bytes:
    return b"".join(pieces)


@given(PIECES, st.integers(1, 40))
def test_stretches_are_the_file_cut_after_newlines(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], chunk: int
) -> None:
    """Nothing is lost or repeated, and only the last may lack its newline, however much is read at a time."""
    content = content_of(pieces)
    with (
        pytest.MonkeyPatch.context() as patch,
        opened(tmp_path_factory.mktemp("r") / "f", content) as (disk, fd),
    ):
        patch.setattr(reading, "CHUNK", chunk)
        found = list(stretches(disk, fd, 0))

    assert b"".join(stretch for _, stretch in found) == content
    assert all(stretch.endswith(b"\n") for _, stretch in found[:-1])
    assert [offset for offset, _ in found] == [
        sum(len(stretch) for _, stretch in found[:n]) for n in range(len(found))
    ]


@given(PIECES)
def test_the_end_of_the_file_is_what_splitting_it_says(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]
) -> None:
    """The last line's number, place and digest, and what stands after the last newline."""
    content = content_of(pieces)
    with (
        pytest.MonkeyPatch.context() as patch,
        opened(tmp_path_factory.mktemp("r") / "f", content) as (disk, fd),
    ):
        patch.setattr(reading, "CHUNK", 7)
        patch.setattr(reading, "_BACK", 3)
        tail = look_at_tail(disk, fd, len(content), START)

    *lines, rest = content.split(b"\n")
    whole = rest.strip(b" \r") == NOTE
    assert (tail.rest, tail.whole, tail.size) == (rest, whole, len(content))
    assert tail.torn == (bool(rest.strip(b" \r\t")) and not whole)
    if whole:
        lines.append(rest)
    assert tail.seq == len(lines)
    assert tail.digest == (digest(lines[-1]) if lines else None)
    if lines:
        assert content[tail.start :].startswith(lines[-1])


@pytest.mark.usefixtures("small_chunks")
def test_lines_are_counted_on_from_a_known_place(tmp_path: Path) -> None:
    """What stands before it is not looked at."""
    content = b"aaaa\n" * 3 + NOTE + b"\n"
    with opened(tmp_path / "f", content) as (disk, fd):
        tail = look_at_tail(disk, fd, len(content), Position(100, 15))

    assert (tail.seq, tail.start, tail.digest) == (101, 15, digest(NOTE))


@pytest.mark.usefixtures("small_chunks")
def test_newlines_are_counted_between_two_places(tmp_path: Path) -> None:
    """From the first on, up to the second, and never beyond the end."""
    with opened(tmp_path / "f", b"\n\naaaaaaaaaa\nb\n") as (disk, fd):
        assert count_lines(disk, fd, 0, 15) == 4
        assert count_lines(disk, fd, 1, 12) == 1
        assert count_lines(disk, fd, 0, 10_000) == 4


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    ("end", "start", "line"),
    [(0, 0, b""), (3, 0, b"abc"), (4, 4, b""), (15, 4, b"0123456789a"), (17, 16, b"z")],
)
def test_the_line_before_a_place(tmp_path: Path, end: int, start: int, line: bytes) -> None:
    """From the newline before it, or the beginning, up to the place."""
    with opened(tmp_path / "f", b"abc\n0123456789a\nz") as (disk, fd):
        assert last_line_before(disk, fd, end) == (start, line)


def read_all(path: Path, content: bytes, after: Position = START, loose_end: bool = True) -> list[Batch]:
    with opened(path, content) as (disk, fd):
        return list(batches(disk, fd, after, LineDecoder(), loose_end=loose_end))


def test_a_whole_object_without_its_newline_is_a_line(tmp_path: Path) -> None:
    """Unless loose ends are not wanted."""
    path = tmp_path / "f"

    found = read_all(path, NOTE + b"\n" + NOTE)

    assert [(b.first, b.lines, len(b.records)) for b in found] == [(1, 1, 1), (2, 1, 1)]
    assert found[-1].end == 2 * len(NOTE) + 1
    assert [b.first for b in read_all(path, NOTE + b"\n" + NOTE, loose_end=False)] == [1]


@pytest.mark.parametrize("rest", [b"{", NOTE[:-1], b" ", b"\t\r", b'"text"', b"{}{}", b"\xff"])
def test_anything_else_at_the_end_is_not_mentioned(tmp_path: Path, rest: bytes) -> None:
    """A writer may be at work on it."""
    found = read_all(tmp_path / "f", NOTE + b"\n" + rest)

    assert [(b.last, b.damaged) for b in found] == [(1, [])]


def test_a_newline_that_came_late_is_no_line_of_its_own(tmp_path: Path) -> None:
    """Reading on after a line that was read without its newline gives the line after that newline."""
    first = read_all(tmp_path / "f", NOTE)[-1]

    found = read_all(tmp_path / "f", NOTE + b"\n" + NOTE + b"\n", Position(first.last, first.end))

    assert [(b.first, b.lines, len(b.records)) for b in found] == [(2, 1, 1)]


def test_an_empty_line_after_a_whole_one_is_a_line(tmp_path: Path) -> None:
    """It is told from the newline that came late by the one before it."""
    found = read_all(tmp_path / "f", NOTE + b"\n\n" + NOTE + b"\n", Position(1, len(NOTE) + 1))

    assert [(b.first, b.last, b.blanks) for b in found] == [(2, 3, (2,))]


def test_a_line_longer_than_what_is_read_at_a_time_is_whole(tmp_path: Path) -> None:
    """Also one of several megabytes, with short ones around it."""
    long = b'{"type":"note","detail":"' + b"y" * (3 << 20) + b'"}'

    found = read_all(tmp_path / "f", b"\n".join([NOTE, long, NOTE, b""]))

    records = [record for batch in found for record in batch.records]
    assert [len(r.detail) for r in records if isinstance(r, Note)] == [1, 3 << 20, 1]
    assert not any(isinstance(r, Damaged) for r in records)
