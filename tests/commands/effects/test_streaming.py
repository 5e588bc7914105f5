"""A long list as JSON: the same bytes as at once, however the log lies, and no more in memory than a part."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands.effects.streaming import can_stream, pieces
from commands.effects.views import read_view
from eventstore import reading
from eventstore.errors import StorageError
from eventstore.events import Run
from eventstore.filelog import FileLog
from reducers import registry
from reducers.core import Projection
from reducers.history import History
from reducers.runs import RunsState, runs
from tests.commands.conftest import ROOT, Ar, environment

LINES = [
    b'{"type":"config","name":"g","metricName":"ms","metricUnit":"ms","bestDirection":"lower"}',
    b'{"run":1,"status":"keep","metric":5.5,"description":"\xc3\xbcn\xc3\xaf","metrics":{"a":1e300}}',
    b'{"run":2,"status":"crash","description":"x","asi":{"k":[1,{"z":null}]}}',
    b'{"type":"heartbeat"}',
    b"",
    b"damaged",
    b'{"type":"later"}',
]
ENDS = [b"\n", b"", b"\n{", b"\n  "]


def at_once(log: FileLog, at: int | None = None) -> bytes:
    return msgspec.json.encode(read_view(log, runs, at=at).document()) + b"\n"


@settings(max_examples=80)
@given(
    lines=st.lists(st.sampled_from(LINES), max_size=30), end=st.sampled_from([b"\n", b"", b"\n{", b"\n  "])
)
def test_the_bytes_are_those_of_the_whole_document(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], end: bytes
) -> None:
    """At any place, with damaged, blank and unknown lines, however the log ends; in pieces of any size."""
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    path.write_bytes(b"\n".join(lines) + end if lines else b"")
    log = FileLog(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "CHUNK", 100)
        for at in (None, *range(log.head().seq + 1)):
            damaged: list[int] = []
            found = b"".join(pieces(log, runs, at, damaged))

            assert found == at_once(log, at)
            assert damaged == json.loads(found)["damaged_lines"]


def test_what_is_appended_meanwhile_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The document is of the head that it names."""
    monkeypatch.setattr(reading, "CHUNK", 100)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\n".join(LINES[:3] * 4) + b"\n")
    before = at_once(FileLog(path))

    stream = pieces(FileLog(path), runs, None, [])
    found = next(stream)
    with path.open("ab") as file:
        file.write(LINES[1] + b"\n")

    assert found + b"".join(stream) == before


def test_a_log_that_shrinks_meanwhile_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no document of that head any more."""
    monkeypatch.setattr(reading, "CHUNK", 100)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\n".join(LINES[:3] * 4) + b"\n")
    stream = pieces(FileLog(path), runs, None, [])
    next(stream)
    path.write_bytes(LINES[0] + b"\n")

    with pytest.raises(StorageError, match="shrank"):
        list(stream)


def test_the_command_streams_where_it_can(ar: Ar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Piped, as JSON; no snapshot is left of what is the log once more."""
    monkeypatch.setattr("commands.effects.views.WORTH_KEEPING", 1)
    path = tmp_path / ".auto" / "log.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"\n".join(LINES) + b"\n")
    asked: list[Any] = []

    def noted(*given: Any) -> Any:
        asked.append(given)
        return pieces(*given)

    monkeypatch.setattr("commands.view.pieces", noted)

    ran = ar("view", "runs", "--at", "3", "--json")
    text = ar("view", "runs")

    assert ran.out.encode() == at_once(FileLog(path), 3)
    assert (text.code, len(asked)) == (0, 1)
    assert ar("view", "runs", "--json").err.startswith("ar: line 6 ")
    assert [p.name for p in path.parent.iterdir()] == ["log.jsonl"]


def test_which_views_can(tmp_path: Path) -> None:
    """Those that are one list which only grows."""
    drained: Callable[[RunsState], Any] = lambda state: ([], state)  # noqa: E731
    two = Projection("two", 1, RunsState(), {}, lambda state, now: {"a": [], "b": 1}, drain=drained)
    bare = Projection("bare", 1, RunsState(), {}, lambda state, now: History([1]), drain=drained)

    assert [name for name in registry.names() if can_stream(registry.load(name))] == ["runs"]
    assert not can_stream(two)
    assert not can_stream(bare)


def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    """60 MB of rows go through a process that may have no more than 400 MB of addresses."""
    path = tmp_path / "log.jsonl"
    line = msgspec.json.encode(Run(run=1, status="keep", metric=1, description="x" * 1000)) + b"\n"
    path.write_bytes(line * 60_000)

    done = subprocess.run(
        [sys.executable, "-m", "autoresearch_ledger", "--log", path, "view", "runs", "--json"],
        env=environment(),
        cwd=ROOT,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20)),
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert len(json.loads(done.stdout)["runs"]) == 60_000


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    """And nothing more is read for it."""
    path = tmp_path / "log.jsonl"
    path.write_bytes((LINES[1] + b"\n") * 50_000)
    command = [sys.executable, "-m", "autoresearch_ledger", "--log", path, "view", "runs", "--json"]
    with subprocess.Popen(
        command, env=environment(), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as reader:
        assert reader.stdout is not None
        assert reader.stderr is not None
        assert reader.stdout.read(10) == b'{"view":"r'
        reader.stdout.close()
        assert (reader.stderr.read(), reader.wait(60)) == (b"", 0)
