"""`MemoryLog` beside the contract that all stores share: its bytes, and its threads."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest

from eventstore import chain
from eventstore.errors import ConflictError
from eventstore.events import Event, Note, Record, Run
from eventstore.filelog import FileLog
from eventstore.lines import Batch
from eventstore.memory import MemoryLog
from eventstore.store import Reset


def test_its_bytes_are_those_of_a_file(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The same appends make the same log, to the byte."""
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    memory, file = MemoryLog(clock=lambda: 1, by="worker:a"), FileLog(path, clock=lambda: 1, by="worker:a")
    for log in (memory, file):
        log.append([Note(detail="one", id="x")])
        log.append([Run(run=1, status="keep"), Note(detail="ünï 🙂")])
        log.append([Note(detail="one", id="x")])

    assert memory.content == path.read_bytes()
    assert memory.head() == file.head()


@pytest.mark.parametrize("content", [b"", b'{"type":"note","detail":"x"}', b'{"type":"note","detail":"x"}\n'])
def test_what_it_begins_with_is_ended_by_a_newline(content: bytes) -> None:
    """So that nothing glues to it."""
    log = MemoryLog(content)
    log.append([Note(detail="y")])

    assert log.content.count(b"\n") == bool(content) + 1
    assert chain.verify([(0, log.content)]).ok


def test_its_head_is_the_last_line() -> None:
    """Of one line as of many."""
    log = MemoryLog()
    for number in (1, 2, 3):
        appended = log.append([Note(detail="x")])
        assert log.head() == appended.head
        assert (log.head().seq, log.head().offset) == (number, len(log.content))


def test_many_threads_lose_nothing_and_number_each_once() -> None:
    """What is decided on the whole log stays right."""
    log = MemoryLog()

    def count_runs(state: int, found: Iterable[Record]) -> int:
        return state + sum(isinstance(record, Run) for record in found)

    def decide(runs: int) -> list[Event]:
        return [Run(run=runs + 1, status="keep")]

    def work(_: int) -> None:
        for _ in range(25):
            log.transact(decide, fold=count_runs, state=0)
            log.append([Note(detail="x")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))

    records = [record for batch in log.read() for record in batch.records]
    assert [r.run for r in records if isinstance(r, Run)] == list(range(1, 201))
    assert len(records) == 400
    assert chain.verify([(0, log.content)]).faults == ()


def test_following_waits_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default a fifth of a second between two looks."""
    log = MemoryLog()
    log.append([Note(detail="one")])
    naps: list[float] = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) > 1:
            raise ConflictError("enough")
        log.append([Note(detail="two")])

    monkeypatch.setattr("time.sleep", nap)
    told: list[Batch | Reset] = []
    with pytest.raises(ConflictError):
        told.extend(log.follow())

    notes = [
        record.detail
        for batch in told
        if isinstance(batch, Batch)
        for record in batch.records
        if isinstance(record, Note)
    ]
    assert (notes, naps) == (["one", "two"], [0.2, 0.2])
