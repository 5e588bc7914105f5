"""A log against a plain list, through appends, retries, tears, foreign lines and reopened handles."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from eventstore import chain, snapshots
from eventstore.disk import Disk
from eventstore.errors import ConflictError
from eventstore.events import Damaged, Event, Note, Recovered, Run
from eventstore.filelog import FileLog
from eventstore.lines import Batch
from eventstore.reading import stretches
from eventstore.store import START, Position
from reducers.core import decode_state, encode_state, fold
from reducers.session import SessionState, session

details = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def fold_from(log: FileLog, state: SessionState, after: Position) -> tuple[SessionState, Position]:
    for batch in log.read(after):
        state = fold(session, batch.records, state)
        after = Position(batch.last, batch.end)
    return state, after


class LogMachine(RuleBasedStateMachine):
    """The model is the list of what was acknowledged, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp(prefix="ar-machine-"))
        self.path = self.directory / "log.jsonl"
        self.acknowledged: list[str] = []
        self.ids: dict[str, str] = {}
        self.tears = 0
        self.loose = False

    @initialize()
    def open_two_handles(self) -> None:
        self.handles = [self.reopened(), self.reopened()]

    def reopened(self) -> FileLog:
        return FileLog(self.path, cache_dir=self.directory / "cache")

    def teardown(self) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)

    def acknowledge(self, details: list[str]) -> None:
        self.acknowledged += details
        self.loose = False

    @rule(detail=details, which=st.integers(0, 1))
    def append(self, detail: str, which: int) -> None:
        outcome = self.handles[which].append([Note(detail=detail)])
        assert outcome.written == 1
        self.acknowledge([detail])

    @rule(batch=st.lists(details, min_size=1, max_size=4), which=st.integers(0, 1))
    def append_batch(self, batch: list[str], which: int) -> None:
        self.handles[which].append([Note(detail=detail) for detail in batch])
        self.acknowledge(batch)

    @rule(name=st.sampled_from("abc"), detail=details, which=st.integers(0, 1))
    def append_with_id(self, name: str, detail: str, which: int) -> None:
        event = Note(detail=detail, id=name)
        if self.ids.get(name, detail) != detail:
            with pytest.raises(ConflictError):
                self.handles[which].append([event])
            return
        outcome = self.handles[which].append([event])
        assert outcome.written == (name not in self.ids)
        if name not in self.ids:
            self.ids[name] = detail
            self.acknowledge([detail])

    @rule(behind=st.integers(-2, 2), which=st.integers(0, 1))
    def append_expecting(self, behind: int, which: int) -> None:
        seq = self.handles[which].head().seq
        if behind:
            with pytest.raises(ConflictError):
                self.handles[which].append([Note(detail="late")], expect=seq - behind)
            return
        self.handles[which].append([Note(detail="in time")], expect=seq)
        self.acknowledge(["in time"])

    @rule(metric=st.integers(0, 9), which=st.integers(0, 1))
    def log_a_run(self, metric: int, which: int) -> None:
        self.handles[which].transact(
            lambda state: [Run(run=state.run_count + 1, status="keep", metric=metric)],
            fold=lambda state, records: fold(session, records, state),
            state=session.initial,
        )
        self.acknowledge([f"run {metric}"])

    @precondition(lambda self: not self.loose)
    @rule(keep=st.integers(1, 40))
    def tear(self, keep: int) -> None:
        """A writer that was killed in the midst of a line."""
        line = '{"type":"note","detail":"never acknowledged é"}'.encode()
        with self.path.open("ab") as file:
            file.write(line[: min(keep, len(line) - 1)])
        self.tears += 1
        self.loose = True

    @precondition(lambda self: not self.loose)
    @rule(newline=st.booleans())
    def foreign_line(self, newline: bool) -> None:
        """Another program that takes no lock, and may omit the newline."""
        with self.path.open("ab") as file:
            file.write(b'{"type":"note","detail":"foreign"}' + b"\n" * newline)
        self.acknowledged.append("foreign")
        self.loose = not newline

    @rule(which=st.integers(0, 1))
    def reopen(self, which: int) -> None:
        self.handles[which] = self.reopened()

    @rule()
    def drop_the_cache(self) -> None:
        shutil.rmtree(self.directory / "cache", ignore_errors=True)

    @rule()
    def take_a_snapshot(self) -> None:
        state, position = fold_from(self.handles[0], session.initial, START)
        mark = snapshots.mark_at(self.path, position)
        if mark is not None:
            snapshots.save(
                self.directory / "cache", "session", session.version, mark, None, encode_state(state)
            )

    @invariant()
    def every_acknowledged_event_is_there_in_order(self) -> None:
        seen = [
            f"run {record.metric}" if isinstance(record, Run) else record.detail
            for batch in self.reopened().read()
            for record in batch.records
            if isinstance(record, Note | Run)
        ]
        assert seen == self.acknowledged

    @invariant()
    def numbers_are_the_lines_own(self) -> None:
        for batch in self.reopened().read():
            for number, record in batch.numbered():
                if isinstance(record, Event) and record.seq is not None:
                    assert record.seq == number

    @invariant()
    def the_chain_holds_and_tears_stay_single_lines(self) -> None:
        if not self.path.exists():
            return
        disk = Disk()
        fd = disk.open_read(self.path)
        try:
            report = chain.verify(stretches(disk, fd, 0))
        finally:
            disk.close(fd)
        torn_now = self.tears - len([f for f in report.faults if f.kind == "damaged"])
        assert torn_now in (0, 1)
        assert {f.kind for f in report.faults} <= {"damaged"}
        assert report.head.seq == self.reopened().head().seq

    @invariant()
    def a_recovered_line_is_a_damaged_one(self) -> None:
        records = {n: r for batch in self.reopened().read() for n, r in batch.numbered()}
        for record in records.values():
            if isinstance(record, Recovered):
                damaged = records[record.line]
                assert isinstance(damaged, Damaged)
                assert damaged.size == record.bytes

    @invariant()
    def a_snapshot_and_its_tail_equal_a_full_replay(self) -> None:
        snapshot = snapshots.load(self.directory / "cache", "session", session.version, self.path)
        if snapshot is None:
            return
        data = snapshot.state()
        assert data is not None
        log = self.reopened()
        resumed, _ = fold_from(log, decode_state(session, data), snapshot.position)
        replayed, _ = fold_from(log, session.initial, START)
        assert resumed == replayed


LogMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestLogMachine = LogMachine.TestCase


def test_a_batch_says_what_it_covers(tmp_path: Path) -> None:
    """Consecutive batches of a long log join without gap or overlap."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"type":"note","detail":"%s"}\n' % (b"x" * 900) * 3000)

    batches: list[Batch] = list(FileLog(path).read())

    assert len(batches) > 1
    assert [b.first for b in batches] == [1, *(b.last + 1 for b in batches[:-1])]
    assert [b.start for b in batches] == [0, *(b.end for b in batches[:-1])]
    assert batches[-1].end == path.stat().st_size
