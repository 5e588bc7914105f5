"""Appending in one process: a single durable append, and a batch."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Any

import msgspec

from eventstore.events import Event, Run
from eventstore.filelog import FileLog
from eventstore.lines import encode
from tests.benchmarks.biglog import events
from tests.benchmarks.measuring import AR, Budget, Measure, Row, Setting, in_turn, process, timed

__all__ = ["append", "append_library", "batch"]

BLOCK = 10
"""Appends measured at a time: few, so that a slow sync spoils few rounds' ratios."""

BATCH = 10_000


def _run(number: int) -> dict[str, Any]:
    """The fields of a run as an agent records it, about 290 bytes as a line."""
    return {
        "run": number,
        "commit": "a1b2c3d",
        "metric": 38.9,
        "metrics": {"rss_mb": 101.5},
        "status": "discard",
        "description": f"unroll the inner loop {number} times",
        "confidence": 2.1,
        "asi": {"hypothesis": "fewer branches"},
    }


def _ours(path: Path) -> Measure:
    log = FileLog(path, by="worker:gpu0")
    count = 0

    def one() -> None:
        nonlocal count
        count += 1
        log.append([Run(**_run(count))])

    return timed(one, BLOCK)


def append(setting: Setting) -> Row:
    """A durable append against the system calls that it cannot do without."""
    pair = in_turn(_ours(setting.scratch / "a.jsonl"), _bare(setting.scratch / "b.jsonl"), setting.times(200))
    return Row(
        name="append",
        work="durable append in process, no id",
        against="bare open, flock, write, fdatasync of the same line",
        measured=pair.ratio,
        ours=pair.ours,
        reference=pair.reference,
        budget=Budget("<=", 1.3),
    )


def _bare(path: Path) -> Measure:
    """The system calls alone, with a line made beforehand."""
    lock, log = f"{path}.lock", str(path)
    line = encode(Run(**_run(1), seq=1, by="worker:gpu0", timestamp=1_764_517_599_123, prev="0" * 32)) + b"\n"
    sync = getattr(os, "fdatasync", os.fsync)

    def one() -> None:
        held = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        fcntl.flock(held, fcntl.LOCK_EX)
        fd = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC)
        os.write(fd, line)
        sync(fd)
        os.close(fd)
        os.close(held)

    return timed(one, BLOCK)


def append_library(setting: Setting) -> Row:
    """A durable append against the same with the `eventsourcing` library on SQLite."""
    pair = in_turn(
        _library(setting.scratch / "library.db"), _ours(setting.scratch / "c.jsonl"), setting.times(100)
    )
    return Row(
        name="append-library",
        work="durable append in process, no id: how many times faster",
        against="the `eventsourcing` library on SQLite",
        measured=pair.ratio,
        ours=pair.reference,
        reference=pair.ours,
        budget=Budget(">=", 3),
    )


def _library(path: Path) -> Measure:
    """One event of the same content, recorded the way the library's own documentation does it.

    An append of ours may be one of many writers', so the comparison is the use of the library that may be
    that too: get the aggregate, trigger an event, save. It is given its best: the aggregate comes from the
    library's cache, which only looks for newer events. Its SQLite runs as the library sets it up, in WAL mode
    with a sync at each commit, which is checked.
    """
    from eventsourcing.application import Application
    from eventsourcing.domain import Aggregate, event
    from eventsourcing.sqlite import SQLiteApplicationRecorder

    class Session(Aggregate):
        @event("RunJudged")
        def judge(
            self,
            run: int,
            commit: str,
            metric: float,
            metrics: dict[str, float],
            status: str,
            description: str,
            confidence: float,
            asi: dict[str, str],
        ) -> None:
            self.runs = run

    application = Application[Any](
        env={
            "PERSISTENCE_MODULE": "eventsourcing.sqlite",
            "SQLITE_DBNAME": str(path),
            "AGGREGATE_CACHE_MAXSIZE": "10",
        }
    )
    recorder = application.recorder
    assert isinstance(recorder, SQLiteApplicationRecorder)
    with recorder.datastore.transaction(commit=False) as cursor:
        cursor.execute("PRAGMA synchronous")
        if cursor.fetchone()[0] < 2:
            raise RuntimeError("this SQLite does not sync at each commit; there is nothing to compare")
    session = Session()
    application.save(session)
    count = 0

    def one() -> None:
        nonlocal count
        count += 1
        found: Session = application.repository.get(session.id)
        found.judge(**_run(count))
        application.save(found)

    return timed(one, BLOCK)


def batch(setting: Setting) -> Row:
    """What an event of a batch costs in `ar append -`, the process's start left out.

    There is no reference to set it against, so the quickest rounds are compared, not the middle ones.
    """
    size = max(2, setting.times(BATCH))
    many, one = _batch(setting.scratch / "many", size), _batch(setting.scratch / "one", 1)
    rounds = in_turn(many, one, setting.times(15)).rounds
    ours, start_up = (min(seconds) for seconds in zip(*rounds, strict=True))
    return Row(
        name="batch",
        work=f"batch of {size:,} through `ar append -`, an event, beyond start-up",
        against="",
        measured=(ours - start_up) / (size - 1) * 1e6,
        unit="us",
        ours=ours,
        reference=start_up,
        budget=Budget("<=", 12),
    )


def _batch(directory: Path, size: int) -> Measure:
    """A whole process that appends a batch to an empty log."""
    directory.mkdir()
    path = directory / "log.jsonl"
    stdin = b"".join(_given(event) + b"\n" for event in events(size))
    run = process([*AR, "--log", path, "append", "-", "--by", "worker:gpu0"], cwd=directory, stdin=stdin)

    def measure() -> float:
        path.unlink(missing_ok=True)
        seconds = run()
        written = path.read_bytes().count(b"\n")
        if written != size:
            raise RuntimeError(f"{written} events of {size} were written")
        return seconds

    return measure


def _given(event: Event) -> bytes:
    """An event as somebody gives it, without what is written only because other readers expect it."""
    plain = msgspec.to_builtins(event)
    return msgspec.json.encode({name: value for name, value in plain.items() if value is not None})
