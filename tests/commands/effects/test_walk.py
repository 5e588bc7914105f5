"""Walking a log: each event's share in a view, for about as much work as that share takes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands.effects.walk import walk
from commands.paths import changes
from eventstore.events import Config, Direction, ErrorSeen, Event, Finding, Hook, Iteration, Run, Verified
from eventstore.filelog import FileLog
from reducers import registry
from reducers.core import fold, to_plain


def happenings(count: int) -> Iterator[Event]:
    """Rounds of a session, each with a run, findings, checks, directions, hooks and an iteration."""
    yield Config(name="g", metricName="ms", metricUnit="ms", bestDirection="lower")
    for n in range(count):
        at = 1_764_517_600_000 + n * 60_000
        yield Hook(stage="before", exit_code=0, duration_ms=1, steer=f"say {n}", timestamp=at)
        status = ("keep", "keep", "discard", "crash")[n % 4]
        yield Run(run=n + 1, status=status, metric=1000 - n, direction=f"run {n}", timestamp=at)
        yield Finding(text=f"found {n}", source=f"paper {n // 2}", by="worker", timestamp=at)
        yield Direction(text=f"way {n}", state="claimed", by="worker", timestamp=at)
        if n % 3 == 0:
            target = None if n % 2 else f"paper {n // 4}"
            yield Verified(kind="citation", target=target, ok=n % 9 > 0, by="verifier", timestamp=at)
        yield Iteration(iteration=n, findings=1, direction=f"way {n}", by="worker", timestamp=at)
        yield Verified(kind="test", ok=True, by="verifier", timestamp=at)
        yield ErrorSeen(tool="Bash", pattern=f"p{n % 5}", context="c", command="make", timestamp=at)


def log_of(path: Path, count: int) -> FileLog:
    log = FileLog(path)
    log.append(list(happenings(count)))
    return log


@pytest.mark.parametrize("name", registry.names())
def test_each_step_tells_what_the_line_changed(tmp_path: Path, name: str) -> None:
    """Before and after are the views of the log's prefixes."""
    reducer = registry.load(name)
    log = log_of(tmp_path / "log.jsonl", 12)
    records = [record for batch in log.read() for record in batch.records]
    state = reducer.initial

    for step, record in zip(walk(log, reducer), records, strict=True):
        before, state = state, fold(reducer, (record,), state)
        views = [to_plain(reducer.view(which, 1_764_600_000_000)) for which in (before, state)]
        if not reducer.timed:
            assert [to_plain(step.before), to_plain(step.after)] == views
        assert (changes(step.before, step.after) == []) == (changes(*views) == [])


def calls(log: FileLog, name: str) -> int:
    """How many Python functions are called to walk a log and to tell every change."""
    reducer = registry.load(name)
    count = 0

    def tally(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(tally)
    try:
        for step in walk(log, reducer):
            changes(step.before, step.after)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", registry.names())
def test_a_walk_takes_no_more_than_its_length(tmp_path: Path, name: str) -> None:
    """Three times the log is at most little more than three times the work, counted in calls of functions."""
    short, long = log_of(tmp_path / "short.jsonl", 60), log_of(tmp_path / "long.jsonl", 180)
    calls(short, name)  # what is done once in a process is done now

    assert calls(long, name) < 4.5 * calls(short, name)
