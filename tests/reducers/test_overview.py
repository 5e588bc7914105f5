"""A task in one row."""

from __future__ import annotations

from eventstore.events import Config, Finding, Flag, Heartbeat, Registered, Resumed, Run, Status, Stopped
from reducers import laws
from reducers.core import fold
from reducers.overview import overview

START = 1_764_517_600_000
HOUR = 3_600_000


def test_it_shows_the_best_the_flags_and_the_last_sign() -> None:
    """A guardian's event is no sign; a flag that was taken down is not shown."""
    log = [
        Config(name="faster", metricName="time", metricUnit="s", bestDirection="lower", timestamp=START),
        Run(run=1, status="keep", metric=10, timestamp=START + 1),
        Run(run=2, status="keep", metric=8, timestamp=START + 2),
        Status(status="running", timestamp=START + 3),
        Finding(text="x", by="worker:a", timestamp=START + 4),
        Flag(kind="a", by="guardian", timestamp=START + 5),
        Flag(kind="b", by="guardian", timestamp=START + 5),
        Flag(kind="b", cleared=True, by="guardian", timestamp=START + 6),
    ]
    seen = overview.view(fold(overview, log), START + 7)

    assert (seen.goal, seen.best_metric, seen.baseline_metric, seen.run_count) == ("faster", 8, 10, 2)
    assert (seen.status, seen.findings, seen.flags) == ("running", 1, ["a"])
    assert (seen.last_seen, seen.state) == (START + 4, "unknown")


def test_its_state_is_that_of_the_loop_that_is_worst_off() -> None:
    """Loops that only look after others are not asked; a stop outweighs all until it is resumed."""
    log = [
        Registered(argv=("a",), interval_seconds=60, by="user:a", timestamp=START),
        Heartbeat(by="worker:a", timestamp=START),
        Registered(argv=("b",), interval_seconds=86400, by="user:b", timestamp=START),
        Heartbeat(by="worker:b", timestamp=START),
        Registered(argv=("g",), interval_seconds=1, level="L1", by="guardian:g", timestamp=START),
        Heartbeat(by="guardian:g", timestamp=START),
    ]
    state = fold(overview, log)

    assert overview.view(state, START + 60_000).state == "alive"
    assert overview.view(state, START + HOUR).state == "overdue"
    stopped = fold(overview, [Stopped(reason="target", timestamp=START + HOUR)], state)
    assert overview.view(stopped, START + HOUR).state == "stopped"
    assert overview.view(stopped, START + HOUR).stop_reason == "target"
    resumed = fold(overview, [Resumed(timestamp=START + HOUR)], stopped)
    assert overview.view(resumed, START + HOUR).state == "overdue"


def test_the_laws_hold() -> None:
    """As for every view."""
    laws.check(overview)
