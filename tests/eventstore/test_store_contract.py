"""The contract of a log, held against every store."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from eventstore.digests import digest
from eventstore.errors import ConflictError, InvalidEventError, LedgerError, RoleError
from eventstore.events import Config, Custom, Event, Finding, Heartbeat, Note, Record, Run, Unknown, Verified
from eventstore.filelog import FileLog
from eventstore.memory import MemoryLog
from eventstore.store import START, Head, Log, Position

MakeLog = Callable[..., Log]
CLOCK = 1_764_517_599_123


@pytest.fixture(params=["file", "memory"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> MakeLog:
    """Makes a log that holds the given bytes."""

    def make_log(content: bytes = b"", by: str = "user") -> Log:
        if request.param == "memory":
            return MemoryLog(content, by=by, clock=lambda: CLOCK)
        path = tmp_path / "log.jsonl"
        if content:
            path.write_bytes(content)
        return FileLog(path, by=by, clock=lambda: CLOCK)

    return make_log


def records(log: Log, after: Position = START) -> list[Record]:
    return [record for batch in log.read(after) for record in batch.records]


def count_runs(state: int, found: Iterable[Record]) -> int:
    return state + sum(isinstance(record, Run) for record in found)


def test_an_empty_log_has_no_head(make: MakeLog) -> None:
    """Its seq is 0 and there is nothing to read."""
    log = make()

    assert log.head() == Head(0, None, 0)
    assert records(log) == []


def test_an_append_fills_in_the_envelope(make: MakeLog) -> None:
    """seq counts from 1, prev is the digest of the line before, timestamp is the clock's, by is the log's."""
    log = make(by="worker:a")

    first = log.append([Note(detail="one")])
    second = log.append([Note(detail="two", timestamp=5), Heartbeat()])

    one, two, three = records(log)
    assert (first.seqs, second.seqs, second.written) == ((1,), (2, 3), 2)
    assert (*first.events, *second.events) == (one, two, three)
    assert isinstance(one, Note)
    assert isinstance(two, Note)
    assert isinstance(three, Heartbeat)
    assert (one.seq, one.prev, one.timestamp, one.by) == (1, None, CLOCK, "worker:a")
    assert (two.seq, two.timestamp, three.seq) == (2, 5, 3)
    assert second.head == log.head()
    assert two.prev == first.head.digest


def test_the_chain_covers_foreign_bytes(make: MakeLog) -> None:
    """A line of ours names the digest of whatever line stands before it."""
    foreign = b'{"run":1,"status":"keep" }'
    log = make(foreign + b"\n")

    log.append([Heartbeat()])

    ours = records(log)[-1]
    assert isinstance(ours, Heartbeat)
    assert (ours.seq, ours.prev) == (2, digest(foreign))


def test_an_event_of_its_own_author_keeps_it(make: MakeLog) -> None:
    """`by` of the log only signs what is not signed."""
    log = make(by="worker:a")

    entered = log.append([Note(detail="x", by="orchestrator:o")]).events[0]

    assert entered.by == "orchestrator:o"


def test_reading_from_a_position_gives_the_rest(make: MakeLog) -> None:
    """A position is a place between two lines."""
    log = make()
    log.append([Note(detail="one")])
    head = log.head()
    log.append([Note(detail="two")])

    rest = list(log.read(Position(head.seq, head.offset)))

    assert [(batch.first, [r.detail for r in batch.records if isinstance(r, Note)]) for batch in rest] == [
        (2, ["two"])
    ]


@pytest.mark.parametrize(
    ("event", "error"),
    [
        (Run(run=1, status="maybe"), InvalidEventError),
        (Run(run=1, status="keep", metric=float("nan")), InvalidEventError),
        (Note(detail="\ud83d"), InvalidEventError),
        (Note(detail="x" * (1 << 20)), InvalidEventError),
        (Custom(type="y.mine", fields={}), InvalidEventError),
        (Custom(type="x.mine", fields={"run": 1}), InvalidEventError),
        (Verified(kind="test", ok=True, by="worker:a"), RoleError),
        (Note(detail="x", by="boss"), RoleError),
    ],
)
def test_what_is_refused_writes_nothing(make: MakeLog, event: Event, error: type[LedgerError]) -> None:
    """Nor does what stands beside it in the batch; the message names the fault."""
    log = make()

    with pytest.raises(error) as refusal:
        log.append([Heartbeat(), event])

    assert log.head().seq == 0
    assert refusal.value.message


def test_the_same_id_with_the_same_content_is_written_once(make: MakeLog) -> None:
    """The answer is the first's number, whatever the time is now."""
    log = make()
    log.append([Heartbeat()])

    first = log.append([Note(detail="x", id="a")])
    again = log.append([Note(detail="x", id="a", timestamp=99)])

    assert (again.seqs, again.written, again.events) == ((2,), 0, first.events)
    assert log.head().seq == 2


def test_the_same_id_with_other_content_is_a_conflict(make: MakeLog) -> None:
    """The error names the id and the line; nothing of the batch is written."""
    log = make()
    log.append([Note(detail="x", id="a")])

    with pytest.raises(ConflictError, match=r"'a'.*line 1"):
        log.append([Heartbeat(), Note(detail="y", id="a")])

    assert log.head().seq == 1


def test_an_id_used_twice_in_a_batch_is_a_conflict(make: MakeLog) -> None:
    """Also when both say the same: it cannot be meant."""
    with pytest.raises(ConflictError, match="twice"):
        make().append([Note(detail="x", id="a"), Note(detail="x", id="a")])


def test_ids_are_found_in_a_log_that_somebody_else_wrote(make: MakeLog) -> None:
    """Ids are the log's, not the handle's."""
    log = make(b'{"type":"note","detail":"x","id":"a"}\n')

    assert log.append([Note(detail="x", id="a")]).written == 0


def test_a_retried_batch_writes_only_the_rest(make: MakeLog) -> None:
    """Which is what a kill in the midst of a batch asks for."""
    log = make()
    batch = [Note(detail=str(n), id=f"b#{n}") for n in range(4)]
    log.append(batch[:2])

    outcome = log.append(batch)

    assert (outcome.seqs, outcome.written) == ((1, 2, 3, 4), 2)
    assert [r.detail for r in records(log) if isinstance(r, Note)] == ["0", "1", "2", "3"]


def test_expect_refuses_when_the_head_has_moved(make: MakeLog) -> None:
    """And lets pass when it has not."""
    log = make()
    log.append([Heartbeat()], expect=0)

    with pytest.raises(ConflictError, match="at 1, not at 0"):
        log.append([Heartbeat()], expect=0)

    assert log.append([Heartbeat()], expect=1).seqs == (2,)


def test_ids_come_before_expect(make: MakeLog) -> None:
    """A retry of what was written succeeds although the head has moved since."""
    log = make()
    log.append([Note(detail="x", id="a")], expect=0)
    log.append([Heartbeat()])

    assert log.append([Note(detail="x", id="a")], expect=0).seqs == (1,)


def test_a_transaction_decides_on_the_whole_log(make: MakeLog) -> None:
    """The state that `decide` gets is that of the log's very end."""
    log = make()
    log.append([Config(name="g")])
    for _ in range(3):
        log.transact(lambda runs: [Run(run=runs + 1, status="keep")], fold=count_runs, state=0, kinds={Run})

    assert [r.run for r in records(log) if isinstance(r, Run)] == [1, 2, 3]


def test_a_transaction_goes_on_from_a_known_state(make: MakeLog) -> None:
    """A state at a position spares folding what stands before it."""
    log = make()
    log.append([Run(run=1, status="keep")])
    head = log.head()
    log.append([Run(run=2, status="keep")])

    log.transact(
        lambda runs: [Run(run=runs + 1, status="keep")],
        fold=count_runs,
        state=10,
        after=Position(head.seq, head.offset),
    )

    last = records(log)[-1]
    assert isinstance(last, Run)
    assert last.run == 12


def test_a_transaction_may_decide_to_write_nothing(make: MakeLog) -> None:
    """By deciding so, or by raising."""
    log = make()

    def refuse(_: int) -> list[Event]:
        raise ConflictError("taken", "choose another")

    assert log.transact(lambda _: [], fold=count_runs, state=0).written == 0
    with pytest.raises(ConflictError, match="taken"):
        log.transact(refuse, fold=count_runs, state=0)
    assert log.head().seq == 0


def test_secrets_do_not_enter(make: MakeLog) -> None:
    """A line can never be changed, so they are taken out before it is written."""
    log = make()
    token = "ghp_" + "a1B2" * 9

    log.append([Finding(text=f"use {token} here")])

    entry = records(log)[0]
    assert isinstance(entry, Finding)
    assert token not in entry.text
    assert entry.text.startswith("use [redacted:")


def test_following_gives_what_is_there_and_what_comes(make: MakeLog) -> None:
    """From a position on, without end until told to stop."""
    log = make()
    log.append([Note(detail="one")])
    steps = iter([True, True, False])

    def wait() -> bool:
        log.append([Note(detail="more")])
        return next(steps)

    seen = [r.detail for b in log.follow(wait=wait) for r in getattr(b, "records", ()) if isinstance(r, Note)]

    assert seen == ["one", "more", "more"]


def test_what_is_unknown_is_read_but_moves_nothing(make: MakeLog) -> None:
    """It counts as a line and links like one."""
    log = make(b'{"type":"from.the.future","a":1}\n')

    outcome = log.append([Heartbeat()])

    assert outcome.seqs == (2,)
    assert isinstance(records(log)[0], Unknown)


def test_x_events_go_in_and_come_out(make: MakeLog) -> None:
    """A user's own event keeps its fields."""
    log = make()

    log.append([Custom(type="x.lab.reading", fields={"volts": 3.5, "ok": True})])

    entry = records(log)[0]
    assert isinstance(entry, Custom)
    assert (entry.type, entry.fields, entry.seq) == ("x.lab.reading", {"volts": 3.5, "ok": True}, 1)
