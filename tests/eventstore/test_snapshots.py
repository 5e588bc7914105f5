"""Snapshots: what does not match the log in every respect is as if it were not there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore import snapshots
from eventstore.events import Note
from eventstore.filelog import FileLog
from eventstore.landmark import Landmark
from eventstore.store import Position

VIEW, STATE = b'{"shown":1}', b'{"count":3}'


class Kept:
    """A log of three lines and a snapshot of it."""

    def __init__(self, directory: Path) -> None:
        self.log = FileLog(directory / "log.jsonl", clock=lambda: 1)
        self.cache = directory / "cache"
        self.file = self.cache / "counts.snapshot"
        self.log.append([Note(detail=f"line {n}") for n in range(3)])
        mark = snapshots.mark_at(self.log.path, self.position)
        assert mark is not None
        snapshots.save(self.cache, "counts", 2, mark, VIEW, STATE)

    @property
    def position(self) -> Position:
        head = self.log.head()
        return Position(head.seq, head.offset)

    def load(self, name: str = "counts", version: int = 2) -> snapshots.Snapshot | None:
        return snapshots.load(self.cache, name, version, self.log.path)

    def parts(self) -> tuple[bytes | None, bytes | None] | None:
        """What can still be had of the snapshot."""
        snapshot = self.load()
        return None if snapshot is None else (snapshot.view(), snapshot.state())


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_a_snapshot_comes_back_as_it_was_kept(kept: Kept) -> None:
    """With the place in the log that it is of."""
    snapshot = kept.load()

    assert snapshot is not None
    assert (snapshot.position, snapshot.view(), snapshot.state()) == (kept.position, VIEW, STATE)


def test_a_snapshot_holds_while_the_log_grows(kept: Kept) -> None:
    """It is still of the place where it was taken."""
    position = kept.position
    kept.log.append([Note(detail="more")])

    snapshot = kept.load()

    assert snapshot is not None
    assert snapshot.position == position


def test_a_view_need_not_be_kept(kept: Kept) -> None:
    """A view that depends on the time is worth nothing later; its state is."""
    mark = snapshots.mark_at(kept.log.path, kept.position)
    assert mark is not None
    snapshots.save(kept.cache, "counts", 2, mark, None, STATE)

    assert kept.parts() == (None, STATE)


def test_a_later_snapshot_takes_the_place_of_an_earlier_one(kept: Kept) -> None:
    """And leaves no other file behind."""
    kept.log.append([Note(detail="more")])
    mark = snapshots.mark_at(kept.log.path, kept.position)
    assert mark is not None
    snapshots.save(kept.cache, "counts", 2, mark, VIEW, b"later")

    snapshot = kept.load()

    assert snapshot is not None
    assert (snapshot.position, snapshot.state()) == (kept.position, b"later")
    assert list(kept.cache.iterdir()) == [kept.file]


@pytest.mark.parametrize(("name", "version"), [("counts", 1), ("counts", 3), ("others", 2)])
def test_a_snapshot_of_another_reducer_or_version_is_none(kept: Kept, name: str, version: int) -> None:
    """Its rules may have been others, also when the file was renamed."""
    kept.file.with_name("others.snapshot").write_bytes(kept.file.read_bytes())

    assert kept.load(name, version) is None


def test_a_snapshot_of_another_format_is_none(kept: Kept) -> None:
    """What a later version wrote may mean something else."""
    header, newline, body = kept.file.read_bytes().partition(b"\n")
    fields = msgspec.json.decode(header)
    kept.file.write_bytes(msgspec.json.encode({**fields, "format": fields["format"] + 1}) + newline + body)

    assert kept.load() is None


def _shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _alter_the_last_line(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"line 2", b"line X"))


def _take_out_a_line(path: Path) -> None:
    path.write_bytes(path.read_bytes().partition(b"\n")[2])


def _replace_by_a_longer_one(path: Path) -> None:
    path.write_bytes(b'{"type":"note","detail":"another log"}\n' * 20)


@pytest.mark.parametrize(
    "change",
    [_shorten, _empty, Path.unlink, _alter_the_last_line, _take_out_a_line, _replace_by_a_longer_one],
)
def test_a_snapshot_of_what_the_log_no_longer_holds_is_none(
    kept: Kept, change: Callable[[Path], None]
) -> None:
    """Its last line must stand in its place, to the byte."""
    change(kept.log.path)

    assert kept.load() is None


def test_a_snapshot_cut_anywhere_gives_nothing_false(kept: Kept) -> None:
    """Each part is there as it was kept, or not at all."""
    whole = kept.file.read_bytes()
    for size in range(len(whole)):
        kept.file.write_bytes(whole[:size])

        view, state = kept.parts() or (None, None)

        assert view in (None, VIEW)
        assert state is None


def test_a_snapshot_with_any_byte_changed_gives_nothing_false(kept: Kept) -> None:
    """Header and body are both guarded; a header may still be right if only its spelling changed."""
    whole = kept.file.read_bytes()
    body = whole.index(b"\n") + 1
    for place in range(len(whole)):
        kept.file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])

        view, state = kept.parts() or (None, None)

        assert view in (None, VIEW)
        assert state in (None, STATE)
        if place >= body:
            assert None in (view, state)


@given(st.binary(max_size=300))
def test_anything_may_stand_in_the_file(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """Loading never raises."""
    directory = tmp_path_factory.mktemp("any")
    kept = Kept(directory)
    kept.file.write_bytes(content)

    assert kept.load() is None


@pytest.mark.parametrize("field", ["view_size", "state_size"])
@pytest.mark.parametrize("size", [-1, 10_000, 2**62])
def test_sizes_that_make_no_sense_are_refused(kept: Kept, field: str, size: int) -> None:
    """Before anything of that size is read."""
    header, newline, body = kept.file.read_bytes().partition(b"\n")
    fields = msgspec.json.decode(header)
    kept.file.write_bytes(msgspec.json.encode({**fields, field: size}) + newline + body)

    assert (kept.parts() or (None, None))[1] is None


@pytest.mark.parametrize(
    "mark",
    [
        {"seq": 0, "start": 0, "end": 5, "digest": "x"},
        {"seq": 3, "start": -9, "end": 5, "digest": "x"},
        {"seq": 3, "start": 5, "end": 5, "digest": "x"},
        {"seq": 3, "start": 0, "end": 2**62, "digest": "x"},
        {"seq": 3, "start": 2**63 - 2, "end": 2**63 - 1, "digest": "x"},
    ],
)
def test_a_header_that_makes_no_sense_is_none(kept: Kept, mark: dict[str, object]) -> None:
    """Places that no line can have."""
    header, newline, body = kept.file.read_bytes().partition(b"\n")
    fields = msgspec.json.decode(header)
    kept.file.write_bytes(msgspec.json.encode({**fields, "mark": mark}) + newline + body)

    assert kept.load() is None


def test_a_directory_in_the_files_place_is_none(kept: Kept) -> None:
    """Reading it fails, which is no error either."""
    kept.file.unlink()
    kept.file.mkdir()

    assert kept.load() is None


def test_a_cache_that_cannot_be_written_is_no_error(kept: Kept, tmp_path: Path) -> None:
    """It is a cache, and nothing of it is left half written."""
    mark = Landmark(1, 0, 1, "x")
    blocked = tmp_path / "file"
    blocked.write_bytes(b"in the way")

    snapshots.save(blocked, "counts", 2, mark, VIEW, STATE)
    snapshots.save(tmp_path / "no" / "such", "counts", 2, mark, VIEW, STATE)

    assert blocked.read_bytes() == b"in the way"
    assert not (tmp_path / "no").exists()


def test_the_mark_of_a_position_is_the_line_before_it(kept: Kept) -> None:
    """With its number, place and digest."""
    data = kept.log.path.read_bytes()
    end = data.index(b"\n") + 1

    mark = snapshots.mark_at(kept.log.path, Position(1, end))

    assert mark is not None
    assert (mark.seq, mark.start, mark.end, mark.position) == (1, 0, end, Position(1, end))
    second = next(kept.log.read()).records[1]
    assert isinstance(second, Note)
    assert mark.digest == second.prev


@pytest.mark.parametrize("offset", [0, 10])
def test_there_is_no_mark_but_after_a_newline(kept: Kept, offset: int) -> None:
    """Neither at the beginning nor in the midst of a line."""
    assert snapshots.mark_at(kept.log.path, Position(1, offset)) is None


def test_there_is_no_mark_beyond_the_end_or_without_a_log(kept: Kept, tmp_path: Path) -> None:
    """A log that is gone has no lines."""
    size = kept.log.path.stat().st_size

    assert snapshots.mark_at(kept.log.path, Position(9, size + 5)) is None
    assert snapshots.mark_at(tmp_path / "none.jsonl", Position(1, 5)) is None
