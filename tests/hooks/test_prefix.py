"""A payload is a function of the log's prefix alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from msgspec.structs import replace

from eventstore.errors import StorageError
from eventstore.filelog import FileLog
from eventstore.reading import CHUNK
from hooks.payload import NoRunError
from hooks.prefix import DEFAULT_TIMEOUT, payload_at, read_prefix
from reducers.budget import budget
from reducers.core import fold
from tests.hooks.logs import line, log_lines, write_log

CONFIG = line(type="config", name="faster", metricName="total", metricUnit="s", bestDirection="lower")


def run(number: int, metric: float | None, status: str = "keep") -> bytes:
    """A run's line."""
    return line(type="run", run=number, status=status, metric=metric, description=f"run {number}")


def told(log: FileLog, stage: Any, at: int | None = None) -> Any:
    """The payload at a place, decoded; None where there can be none."""
    try:
        return json.loads(payload_at(log, stage, "/d", at))
    except NoRunError:
        return None


def test_what_before_and_after_are_told_of_a_short_log(tmp_path: Path) -> None:
    """Session, last run and next run as they stand at each place; there is no after before the first run."""
    log = write_log(tmp_path / "log.jsonl", [CONFIG, run(1, 40), run(2, 41, "discard")])
    session = {"metric_name": "total", "metric_unit": "s", "direction": "lower"}

    assert told(log, "after", 1) is None
    assert told(log, "before", 1) == {
        "event": "before",
        "cwd": "/d",
        "next_run": 1,
        "last_run": None,
        "session": {
            **session,
            "baseline_metric": None,
            "best_metric": None,
            "run_count": 0,
            "goal": "faster",
        },
    }
    assert told(log, "after", 2) == {
        "event": "after",
        "cwd": "/d",
        "run_entry": json.loads(run(1, 40)),
        "session": {**session, "baseline_metric": 40, "best_metric": 40, "run_count": 1, "goal": "faster"},
    }
    assert told(log, "before")["next_run"] == 3
    assert told(log, "before")["last_run"] == json.loads(run(2, 41, "discard"))


def test_a_log_that_does_not_exist_yet_is_empty(tmp_path: Path) -> None:
    """Before the first line there is a session without a goal, and run 1 is next."""
    prefix = read_prefix(FileLog(tmp_path / "log.jsonl"))

    assert (prefix.seq, prefix.run_line, prefix.timeout, prefix.stopped) == (0, None, DEFAULT_TIMEOUT, None)
    assert json.loads(prefix.payload("before", "/"))["next_run"] == 1


def test_a_log_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    """A directory in the log's place is an error, not an empty log."""
    with pytest.raises(StorageError, match="directory"):
        read_prefix(FileLog(tmp_path))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(log_lines)
def test_payloads_depend_on_nothing_after_their_place(tmp_path: Path, lines: list[bytes]) -> None:
    """At every line, looking back from the whole log tells the same as the log that ended there told.

    Carrying a shorter prefix on comes to the same as reading the whole.
    """
    whole = write_log(tmp_path / "whole.jsonl", lines)
    for at in range(len(lines) + 1):
        then = write_log(tmp_path / "then.jsonl", lines[:at])
        for stage in ("before", "after"):
            assert told(whole, stage, at) == told(then, stage)
        assert replace(read_prefix(whole, at), position=None) == replace(read_prefix(then), position=None)
        assert read_prefix(whole, since=read_prefix(then)) == read_prefix(whole)
        assert read_prefix(whole, since=read_prefix(whole, at)) == read_prefix(whole)


def test_places_in_a_log_of_several_stretches(tmp_path: Path) -> None:
    """The last run's line is found wherever in a long log it stands, and however far back."""
    padding = line(type="heartbeat", last_output="x" * 1000)
    lines = [CONFIG, run(1, 40), *[padding] * (CHUNK // 500), run(2, 39), *[padding] * (CHUNK // 500)]
    log = write_log(tmp_path / "log.jsonl", lines)
    second = 3 + CHUNK // 500

    assert told(log, "after")["run_entry"] == json.loads(run(2, 39))
    assert told(log, "after", second)["run_entry"] == json.loads(run(2, 39))
    assert told(log, "after", second - 1)["run_entry"] == json.loads(run(1, 40))
    assert read_prefix(log, second - 1).seq == second - 1


def test_a_last_line_without_a_newline_counts(tmp_path: Path) -> None:
    """A foreign writer may omit the last newline; what is no whole object yet is not looked at."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(CONFIG + b"\n" + run(1, 40))
    assert told(FileLog(path), "after")["run_entry"]["run"] == 1

    path.write_bytes(CONFIG + b"\n" + run(1, 40)[:-5])
    assert told(FileLog(path), "after") is None


@pytest.mark.parametrize(
    ("lines", "stopped"),
    [
        ([CONFIG], None),
        ([CONFIG, line(type="stopped", reason="target")], "target"),
        ([CONFIG, line(type="stopped", reason="user"), run(1, 40)], "user"),
        ([CONFIG, line(type="stopped", reason="user"), line(type="resumed")], None),
        ([CONFIG, run(1, 40), line(type="stopped", reason="user"), CONFIG], None),
        ([CONFIG, run(1, 40), line(type="stopped", reason="off"), CONFIG, line(type="resumed")], "off"),
        ([CONFIG, line(type="stopped", reason="off"), line(type="resumed", reason="on")], None),
        ([CONFIG, run(1, 40), line(type="stopped", reason="harness"), line(type="resumed")], "harness"),
        ([CONFIG, run(1, 40), line(type="stopped", reason="harness"), CONFIG], None),
        ([CONFIG, line(type="stopped", reason="x", by="guardian:g")], None),
    ],
)
def test_whether_the_session_has_stopped(tmp_path: Path, lines: list[bytes], stopped: str | None) -> None:
    """Off stays off until switched on; a changed harness holds until a new segment."""
    assert read_prefix(write_log(tmp_path / "log.jsonl", lines)).stopped == stopped


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(log_lines)
def test_stopped_is_what_the_budget_says(tmp_path: Path, lines: list[bytes]) -> None:
    """The `budget` view and the hooks never disagree on whether the session has stopped."""
    log = write_log(tmp_path / "log.jsonl", lines)
    records = [record for batch in log.read() for record in batch.records]

    assert read_prefix(log).stopped == fold(budget, records).stopped


@pytest.mark.parametrize(
    ("timeouts", "seconds"),
    [
        ([{"hook": 5}], 5),
        ([{"hook": 5}, {"sample": 9}], 5),
        ([{"hook": 5}, {"hook": 0.5}], 0.5),
        ([{"sample": 9}], 30),
        ([{"hook": 0}], 30),
        ([{"hook": -1}], 30),
        ([{"hook": 5}, {"hook": "none"}], 5),
        ([{"hook": 10**400}], 86_400),
    ],
)
def test_the_time_limit_is_a_setting(tmp_path: Path, timeouts: list[dict[str, Any]], seconds: float) -> None:
    """The last `settings` that name a limit count; one that is no limit never becomes infinite."""
    lines = [line(type="settings", timeouts=each) for each in timeouts]

    assert read_prefix(write_log(tmp_path / "log.jsonl", lines)).timeout == seconds
