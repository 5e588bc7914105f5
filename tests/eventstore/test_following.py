"""Following a log: what comes, and the news that it shrank, was replaced, rewritten or removed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from eventstore.disk import Disk
from eventstore.errors import StorageError
from eventstore.events import Note
from eventstore.filelog import FileLog
from eventstore.following import follow
from eventstore.lines import Batch, LineDecoder
from eventstore.store import START, Position, Reset

Step = Callable[[Path], object]


def note(text: str) -> bytes:
    return b'{"type":"note","detail":"%s"}\n' % text.encode()


def appended(content: bytes) -> Step:
    """Something is appended."""

    def step(path: Path) -> None:
        with path.open("ab") as file:
            file.write(content)

    return step


def rewritten(content: bytes) -> Step:
    """The same file gets another content."""
    return lambda path: path.write_bytes(content)


def replaced(content: bytes) -> Step:
    """Another file takes its place, as an editor or `git checkout` does it."""

    def step(path: Path) -> None:
        other = path.with_name("other")
        other.write_bytes(content)
        os.replace(other, path)

    return step


def nothing(_: Path) -> None:
    """Time goes by."""


def seen(path: Path, steps: Sequence[Step], after: Position = START) -> list[str]:
    """What following tells while these steps are taken: the notes, and resets in angle brackets."""
    left = iter(steps)

    def wait() -> bool:
        step = next(left, None)
        if step is None:
            return False
        step(path)
        return True

    told: list[str] = []
    for news in follow(path, Disk(), after, LineDecoder(), wait):
        if isinstance(news, Reset):
            told.append(f"<{news.reason}>")
        else:
            told += [record.detail for record in news.records if isinstance(record, Note)]
            told += [f"damaged {record.line}" for record in news.damaged]
    return told


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "log.jsonl"
    file.write_bytes(note("one") + note("two"))
    return file


def test_what_is_there_and_what_comes(path: Path) -> None:
    """Each line once, in order, however it came."""
    steps = [nothing, appended(note("three")), nothing, appended(note("four") + note("five"))]

    assert seen(path, steps) == ["one", "two", "three", "four", "five"]


def test_from_a_position_on(path: Path) -> None:
    """What stands before it is not told."""
    assert seen(path, [appended(note("three"))], Position(1, len(note("one")))) == ["two", "three"]


def test_a_log_that_does_not_exist_yet(tmp_path: Path) -> None:
    """Is waited for, without a word."""
    assert seen(tmp_path / "none.jsonl", [nothing, rewritten(note("one"))]) == ["one"]


@pytest.mark.parametrize("gap", [[], [nothing], [nothing, nothing]])
def test_a_line_that_comes_in_parts(path: Path, gap: list[Step]) -> None:
    """It is told when it is whole, and never as damage."""
    line = note("three")
    for cut in range(1, len(line)):
        path.write_bytes(note("one"))
        assert seen(path, [appended(line[:cut]), *gap, appended(line[cut:])]) == ["one", "three"], cut


def test_a_line_without_its_newline(path: Path) -> None:
    """It is told when nothing has been written for one look, and its newline is no line of its own."""
    loose = note("three").rstrip(b"\n")

    assert seen(path, [appended(loose)]) == ["one", "two"]
    assert seen(path, [nothing]) == ["one", "two", "three"]
    assert seen(path, [nothing, appended(b"\n" + note("four")), nothing]) == ["one", "two", "three", "four"]


def test_damage_is_told_with_its_line(path: Path) -> None:
    """The number goes on counting."""
    assert seen(path, [appended(b"{torn\n"), appended(note("four"))]) == ["one", "two", "damaged 3", "four"]


@pytest.mark.parametrize("content", [b"", note("one"), note("new")])
@pytest.mark.parametrize("change", [rewritten, replaced])
def test_a_log_that_shrank(path: Path, content: bytes, change: Callable[[bytes], Step]) -> None:
    """Whatever is in it now is told anew."""
    now = [content.split(b'"')[7].decode()] if content else []

    assert seen(path, [change(content), appended(note("three"))]) == [
        "one",
        "two",
        "<the log shrank>",
        *now,
        "three",
    ]


@pytest.mark.parametrize(
    "content", [note("two") + note("one"), note("a") + note("b") + note("c"), note("one") + note("twO")]
)
@pytest.mark.parametrize(
    ("change", "reason"), [(rewritten, "the log was rewritten"), (replaced, "the log was replaced")]
)
def test_a_log_that_is_another_one(
    path: Path, content: bytes, change: Callable[[bytes], Step], reason: str
) -> None:
    """As long as before or longer: told by the bytes before the place that was read up to."""
    now = [line.split(b'"')[7].decode() for line in content.splitlines()]

    assert seen(path, [change(content)]) == ["one", "two", f"<{reason}>", *now]


def test_the_same_log_in_another_file_is_the_same_log(path: Path) -> None:
    """A copy in its place that holds what was read goes on where it was."""
    copy = note("one") + note("two") + note("three")

    assert seen(path, [replaced(copy), appended(note("four"))]) == ["one", "two", "three", "four"]


def test_a_log_that_was_removed(path: Path) -> None:
    """That is told once, and a new one is read from its beginning."""
    steps = [Path.unlink, nothing, rewritten(note("new"))]

    assert seen(path, steps) == ["one", "two", "<the log was removed>", "new"]


def test_a_position_beyond_the_end(path: Path) -> None:
    """It is of a log that is no longer there."""
    assert seen(path, [], Position(9, 1000)) == ["<the log shrank>", "one", "two"]


def test_what_is_no_file_cannot_be_followed(tmp_path: Path) -> None:
    """One error, no waiting."""
    with pytest.raises(StorageError, match="is a directory"):
        seen(tmp_path, [])


def test_no_descriptor_is_left_open(path: Path) -> None:
    """Neither by looks that ended nor by one that was broken off."""
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0

    seen(path, [nothing] * 5)
    for _ in FileLog(path).follow(wait=lambda: True):
        break

    assert not before or len(os.listdir("/proc/self/fd")) == before


def test_waiting_sleeps_and_goes_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default a fifth of a second between two looks."""
    naps: list[float] = []

    class EnoughError(Exception):
        pass

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 3:
            raise EnoughError

    monkeypatch.setattr("eventstore.following.sleep", nap)
    told: list[Batch | Reset] = []
    with pytest.raises(EnoughError):
        told.extend(FileLog(path).follow())

    assert naps == [0.2] * 3
    assert len(told) == 1
