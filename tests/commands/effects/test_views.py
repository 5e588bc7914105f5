"""Looking through a reducer, on from a snapshot where one holds (design, section 2.6)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands.effects import views
from commands.effects.views import Look, place_of, read_view
from commands.where import HEAD, AtRun
from eventstore.events import Heartbeat, Run
from eventstore.filelog import FileLog
from reducers import registry
from reducers.core import Projection

RUN = b'{"run":1,"status":"keep","metric":%d,"description":"x"}\n'


class Count(msgspec.Struct, frozen=True):
    """runs: so many."""

    runs: int = 0


def counting(version: int = 1, timed: bool = False, calls: list[int] | None = None) -> Projection[Count, Any]:
    """A reducer that counts runs, and how often it was asked to fold one."""

    def on_run(state: Count, event: Run) -> Count:
        if calls is not None:
            calls.append(1)
        return Count(state.runs + 1)

    return Projection(
        "count",
        version,
        Count(),
        {Run: on_run},
        lambda state, now: {"runs": state.runs, "now": now},
        timed=timed,
    )


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileLog:
    """A log of three runs; everything is worth a snapshot."""
    monkeypatch.setattr(views, "WORTH_KEEPING", 1)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(RUN % n for n in range(3)))
    return FileLog(path)


def test_a_snapshot_spares_the_replay(log: FileLog, tmp_path: Path) -> None:
    """What was folded is not folded again; what came since is."""
    calls: list[int] = []
    cache = tmp_path / "cache"
    reducer = counting(calls=calls)
    first = read_view(log, reducer, cache=cache, now=1)
    again = read_view(log, reducer, cache=cache, now=1)
    assert (first, len(calls)) == (again, 3)
    with log.path.open("ab") as file:
        file.write(RUN % 9)

    later = read_view(log, reducer, cache=cache, now=1)

    assert (later.view["runs"], later.seq, len(calls)) == (4, 4, 4)
    assert later == read_view(log, counting(), now=1)


def test_what_the_reducer_does_not_handle_costs_no_state(log: FileLog, tmp_path: Path) -> None:
    """The kept view still holds; seq and head go on, to any place asked for. Damage is told all the same."""
    cache = tmp_path / "cache"
    read_view(log, counting(), cache=cache, now=1)
    with log.path.open("ab") as file:
        file.write(b'{"type":"note","detail":"a"}\n{"type":"note","detail":"b"}\n')
    (snapshot,) = cache.iterdir()
    snapshot.write_bytes(snapshot.read_bytes()[:-1])  # the state's last byte

    for at in (3, 4, 5, None):
        found = read_view(log, counting(), at=at, cache=cache, now=1)
        assert found == read_view(log, counting(), at=at, now=1)
    assert read_view(log, counting(), cache=cache).seq == 5
    with log.path.open("ab") as file:
        file.write(b"not json\n")
    assert read_view(log, counting(), cache=cache).damaged == (6,)


@pytest.mark.parametrize(
    "kind", ["corrupt", "truncated", "empty", "version", "altered", "replaced", "unwritable"]
)
def test_a_snapshot_that_does_not_hold_is_a_full_replay(log: FileLog, tmp_path: Path, kind: str) -> None:
    """Silently, and with the right answer."""
    cache = tmp_path / "cache"
    read_view(log, counting(), cache=cache, now=1)
    (snapshot,) = cache.iterdir()
    version = 1
    if kind == "corrupt":
        snapshot.write_bytes(snapshot.read_bytes().replace(b'"runs":3', b'"runs":7'))
    elif kind == "truncated":
        snapshot.write_bytes(snapshot.read_bytes()[:-3])
    elif kind == "empty":
        snapshot.write_bytes(b"")
    elif kind == "version":
        version = 2
    elif kind == "altered":
        log.path.write_bytes(log.path.read_bytes().replace(b'"metric":2', b'"metric":5'))
    elif kind == "replaced":
        log.path.write_bytes(RUN % 1)
    else:
        snapshot.unlink()
        cache.rmdir()
        cache.write_text("a file in the way")

    for timed in (False, True):
        found = read_view(log, counting(version, timed), cache=cache, now=1)
        assert found == read_view(FileLog(log.path), counting(version, timed), now=1)
        assert found.view["runs"] == (1 if kind == "replaced" else 3)


def test_a_view_that_depends_on_the_time_is_taken_anew(log: FileLog, tmp_path: Path) -> None:
    """From the state that was kept."""
    calls: list[int] = []
    reducer = counting(timed=True, calls=calls)
    looks = [read_view(log, reducer, cache=tmp_path / "cache", now=now) for now in (1, 2)]

    assert [look.view["now"] for look in looks] == [1, 2]
    assert len(calls) == 3


def test_a_log_with_damage_is_read_whole_each_time(log: FileLog, tmp_path: Path) -> None:
    """So that each look tells of it; up to the place that is looked at."""
    with log.path.open("ab") as file:
        file.write(b"not json\n" + RUN % 4)
    for _ in range(2):
        assert read_view(log, counting(), cache=tmp_path / "cache").damaged == (4,)
    assert read_view(log, counting(), at=3, cache=tmp_path / "cache").damaged == ()
    assert not (tmp_path / "cache").exists()


def test_a_look_into_the_past_leaves_no_snapshot(log: FileLog, tmp_path: Path) -> None:
    """But goes on from one that is older still."""
    cache = tmp_path / "cache"
    read_view(log, counting(), at=2, cache=cache)
    assert not cache.exists()
    read_view(log, counting(), cache=cache)
    with log.path.open("ab") as file:
        file.write(RUN % 4 + RUN % 5)
    calls: list[int] = []

    assert read_view(log, counting(calls=calls), at=4, cache=cache).view["runs"] == 4
    assert len(calls) == 1
    assert read_view(log, counting(calls=calls), at=2, cache=cache).view["runs"] == 2
    assert len(calls) == 3


def test_a_last_line_without_newline_counts(log: FileLog, tmp_path: Path) -> None:
    """It is a line; no snapshot is made of it."""
    with log.path.open("ab") as file:
        file.write((RUN % 4).rstrip())

    found = read_view(log, counting(), cache=tmp_path / "cache", now=1)

    assert (found.view["runs"], found.seq, found.head) == (4, 4, str(log.head()))
    assert not (tmp_path / "cache").exists()


def test_small_logs_are_not_worth_one(tmp_path: Path) -> None:
    """A look at one leaves nothing behind."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(RUN % 1)
    read_view(FileLog(path), counting(), cache=tmp_path / "cache")

    assert not (tmp_path / "cache").exists()


def test_what_is_around_a_view(log: FileLog) -> None:
    """Its own fields can hide nothing of it; what is no object stands under `value`."""
    look = Look("v", {"a": 1, "seq": "mine", "damaged_lines": None}, 3, "3:ab", (2,))

    assert look.document() == {"view": "v", "seq": 3, "head": "3:ab", "a": 1, "damaged_lines": [2]}
    assert Look("v", [1], 0, None).document() == {
        "view": "v",
        "seq": 0,
        "head": None,
        "value": [1],
        "damaged_lines": [],
    }


def test_places(log: FileLog) -> None:
    """The head is no place before it: what comes meanwhile belongs to it."""
    assert (place_of(log, HEAD), place_of(log, AtRun(2))) == (None, 2)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_snapshot_resumed_anywhere_is_a_full_replay(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """For every built-in view, wherever it was taken and whatever came since."""
    directory = tmp_path_factory.mktemp("log")
    log = FileLog(directory / "log.jsonl")
    events = [
        Run(run=1, status=status, metric=metric) if status else Heartbeat(by="worker:a")
        for status, metric in data.draw(
            st.lists(
                st.tuples(st.sampled_from(["keep", "discard", "crash", ""]), st.integers(0, 9)), max_size=12
            )
        )
    ]
    cut = data.draw(st.integers(0, len(events)))
    reducer = registry.load(data.draw(st.sampled_from(registry.names())))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views, "WORTH_KEEPING", 1)
        for part in (events[:cut], events[cut:]):
            log.append(part)
            found = read_view(log, reducer, cache=directory / "cache", now=1_800_000_000_000)
            assert found == read_view(log, reducer, now=1_800_000_000_000)
