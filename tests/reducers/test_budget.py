from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from eventstore.events import (
    Committed,
    Config,
    Event,
    Heartbeat,
    Hook,
    Measured,
    Note,
    Pivot,
    Proposal,
    Resumed,
    Run,
    Settings,
    Started,
    Stopped,
)
from reducers.budget import budget
from reducers.core import fold
from reducers.strategies import logs
from tests.reducers.given import MINUTE, START, shown

CONFIG = Config(seq=1, name="g", metricName="ms", bestDirection="lower", timestamp=START)
WORKER = "worker:a"


def run(minute: float, status: str = "keep", metric: float | None = 5) -> Run:
    at = START + round(minute * MINUTE)
    return Run(run=1, status=status, metric=metric, timestamp=at, by=WORKER)


def beat(minute: float, state: str = "working", by: str = WORKER) -> Heartbeat:
    return Heartbeat(state=state, timestamp=START + round(minute * MINUTE), by=by)


def stopped(minute: float, reason: str = "user", by: str = "user") -> Stopped:
    return Stopped(reason=reason, timestamp=START + round(minute * MINUTE), by=by)


def resumed(minute: float) -> Resumed:
    return Resumed(timestamp=START + round(minute * MINUTE))


def limits(**given_: Any) -> Settings:
    return Settings(limits=given_)


def test_what_is_used_and_left_of_the_default_limits(log: list[Any]) -> None:
    """50 cycles, the baseline not among them, and 120 minutes; nothing else is limited.

    {"type":"config","seq":1,"name":"g","metricName":"ms","bestDirection":"lower"}
    {"type":"run","run":1,"status":"keep","metric":9,"timestamp":1764517600000}
    {"type":"started","cycle":1,"timestamp":1764517900000}
    {"type":"run","run":2,"status":"discard","metric":10,"timestamp":1764518200000}
    {"type":"run","run":3,"status":"crash","timestamp":1764518500000}
    """

    assert shown(budget, log, 1_764_518_800_000) == {
        "cycles_used": 2,
        "max_cycles": 50,
        "cycles_left": 48,
        "minutes_used": 20.0,
        "time_limit_minutes": 120.0,
        "minutes_left": 100.0,
        "runs_used": 3,
        "max_iterations": None,
        "iterations_left": None,
        "target": None,
        "discards": 5,
        "discards_left": 4,
        "failures": 20,
        "failures_left": 18,
        "stopped": False,
        "stop_reason": None,
    }
    assert shown(budget, log)["minutes_used"] == 15.0


@pytest.mark.parametrize(
    ("log", "now", "minutes"),
    [
        ([], 99, 0),
        ([run(0)], 0, 0),
        ([run(0)], 20, 20),
        ([run(0), run(10), run(20)], 20, 20),
        ([run(0), run(10), run(20)], 99, 20 + 35),
        ([run(0), run(60)], 60, 35),
        ([run(0), Settings(timeouts={"agent": 7200}), run(60)], 60, 60),
        ([run(0), Settings(timeouts={"agent": 60, "sample": 60, "constraint": 60}), run(60)], 60, 4),
        ([run(0), stopped(5), run(60)], 70, 5 + 10),
        ([run(0), stopped(5), resumed(60), run(70)], 70, 5 + 10),
        ([run(0), resumed(60), run(70)], 70, 10),
        ([run(0), stopped(5)], 99, 5),
        ([run(0), beat(5, "paused"), run(60)], 60, 5),
        ([run(0), beat(5, "rate_limited"), beat(15, "rate_limited"), run(60)], 60, 5),
        ([run(0), beat(5, "waiting"), run(20)], 20, 20),
        ([run(0), beat(5, "stopped")], 60, 5),
        ([run(0), beat(5, "paused", "worker:b"), run(20)], 20, 20),
        ([beat(0, "working", "orchestrator"), run(5), beat(6, "waiting", "orchestrator")], 99, 6),
        ([beat(0, "waiting", "orchestrator"), beat(30, "working", "orchestrator"), run(40)], 40, 10),
        ([run(0), beat(20, by="guardian:patrol"), run(30)], 30, 30),
        ([beat(0, by="guardian:patrol"), run(30)], 30, 0),
        ([run(0), Hook(stage="after", timestamp=START + 9 * MINUTE)], 5, 5),
        ([run(0), Note(detail="x", timestamp=START + 90 * MINUTE), run(10)], 10, 10),
        ([run(10), run(0), run(5)], 5, 5),
        ([run(10)], 0, 0),
        ([Run(run=1, status="keep", timestamp="soon"), run(10)], 15, 5),
        ([run(0), CONFIG, run(60), run(65)], 65, 5),
        ([run(0), CONFIG], 30, 0),
        ([Proposal(description="x", timestamp=START), run(9)], 9, 9),
        ([Started(cycle=1, timestamp=START), Committed(cycle=1, commit="c", timestamp=START + MINUTE)], 1, 1),
        ([Measured(cycle=0, timestamp=START), run(1)], 1, 1),
    ],
)
def test_active_minutes(log: list[Event], now: float, minutes: float) -> None:
    """Time between a loop's events; stops, pauses, long gaps and a clock that goes back are taken out."""

    assert shown(budget, log, START + round(now * MINUTE))["minutes_used"] == minutes


@pytest.mark.parametrize(
    ("log", "used"),
    [
        ([], 0),
        ([run(0)], 0),
        ([run(0), run(1)], 1),
        ([run(0, "crash", None)], 1),
        ([run(0, "crash", None), run(1)], 1),
        ([run(0), run(1), CONFIG], 0),
        ([run(0), run(1), CONFIG, run(2), run(3), run(4)], 2),
        ([Config(seq=1, name="no metric"), run(0), run(1)], 2),
    ],
)
def test_cycles_are_the_segments_runs_without_its_baseline(log: list[Event], used: int) -> None:
    """The run that gave the baseline is cycle 0."""

    assert shown(budget, log)["cycles_used"] == used


DISCARDS = [run(n, "discard", 6) for n in range(1, 6)]


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ([run(0)], None),
        ([limits(max_cycles=2), run(0), run(1), run(2)], "max_cycles"),
        ([limits(max_cycles=2), run(0), run(1), run(2), limits(max_cycles=3)], None),
        ([limits(max_cycles=2), run(0), run(1), run(2), limits(max_cycles="none")], None),
        ([limits(max_cycles=2), run(0), run(1), run(2), limits(max_cycles=0)], "max_cycles"),
        ([limits(max_cycles=2), run(0), run(1), run(2), limits(max_cycles="soon")], "max_cycles"),
        ([limits(max_cycles=2), run(0), run(1), run(2), limits(max_cycles=None)], "max_cycles"),
        ([limits(max_cycles=2), run(0), run(1), run(2), limits(max_cycles=-1, target=5)], "max_cycles"),
        ([limits(time_limit_minutes=10), run(0), run(10)], "time_limit"),
        ([limits(time_limit_minutes="90s"), run(0), run(1.5)], "time_limit"),
        ([limits(target=4), run(0), run(1, metric=5)], None),
        ([limits(target=4), run(0), run(1, metric=4)], "target"),
        ([limits(target=4), run(0), run(1, "discard", 3)], None),
        ([run(0), *DISCARDS[:4]], None),
        ([run(0), *DISCARDS], "discards"),
        ([run(0), *DISCARDS, Pivot(level="structure")], None),
        ([run(0), *DISCARDS[:3], run(4, "crash"), *DISCARDS[3:]], "discards"),
        ([run(0), *(run(n, "crash") for n in range(20))], "failures"),
        ([run(0), *(run(n, "crash") for n in range(19))], None),
        ([limits(max_cycles=5), run(0), *DISCARDS], "max_cycles"),
        ([limits(discards=6), run(0), *DISCARDS], None),
        ([limits(discards="none"), run(0), *DISCARDS], None),
        ([limits(discards="none"), limits(discards=0), run(0), *DISCARDS], None),
        ([limits(discards=2), run(0), *DISCARDS[:2]], "discards"),
        ([limits(failures="none"), run(0), *(run(n, "crash") for n in range(30))], None),
        ([limits(failures=3), run(0), *(run(n, "crash") for n in range(3))], "failures"),
        ([run(0), *DISCARDS, CONFIG], None),
    ],
)
def test_the_first_stop_rule_that_holds_is_the_reason(log: list[Event], reason: str | None) -> None:
    """Design, section 5. Limits survive a segment; one that cannot be read is never taken for none."""
    view = shown(budget, [CONFIG, *log])

    assert (view["stop_reason"], view["stopped"]) == (reason, False)


@pytest.mark.parametrize(
    ("log", "reason", "holds"),
    [
        ([stopped(1, "no_change")], "no_change", True),
        ([stopped(1, "discards"), run(2)], "discards", True),
        ([stopped(1, "agent_failed"), resumed(2)], None, False),
        ([stopped(1, "user"), resumed(2)], None, False),
        ([stopped(1, "user"), CONFIG], None, False),
        ([stopped(1, "off"), resumed(2), CONFIG, stopped(3, "target")], "off", True),
        ([stopped(1, "off"), stopped(2, "target"), Resumed(reason="on")], None, False),
        ([stopped(1, "harness"), stopped(2, "off"), Resumed(reason="on")], "harness", True),
        ([stopped(1, "off"), Resumed(reason="on", by="guardian:patrol")], "off", True),
        ([stopped(1, "discards"), CONFIG], None, False),
        ([stopped(1, "harness"), resumed(2)], "harness", True),
        ([stopped(1, "harness"), CONFIG], None, False),
        ([stopped(1, "user", "guardian:patrol")], None, False),
        ([stopped(1, "user"), Resumed(by="guardian:patrol")], "user", True),
        ([*DISCARDS, stopped(9, "user")], "user", True),
        ([*DISCARDS, stopped(9, "user"), resumed(10)], "discards", False),
    ],
)
def test_a_recorded_stop_holds_until_it_is_taken_back(
    log: list[Event], reason: str | None, holds: bool
) -> None:
    """By a resume or a new segment; `harness` by the latter alone, `off` by being switched on alone."""
    view = shown(budget, [CONFIG, run(0), *log])

    assert (view["stop_reason"], view["stopped"]) == (reason, holds)


def test_what_is_left_is_never_below_zero() -> None:
    """A limit that was lowered is used up, not owed."""
    view = shown(budget, [CONFIG, run(0), run(30), run(60), limits(max_cycles=1, time_limit_minutes=5)])
    left = shown(budget, [limits(max_iterations=2), CONFIG, run(0)])

    assert (view["cycles_left"], view["minutes_left"]) == (0, 0)
    assert (left["runs_used"], left["max_iterations"], left["iterations_left"]) == (1, 2, 1)
    rows = shown(budget, [CONFIG, run(0), *DISCARDS, limits(discards=3, failures="none")])
    assert [rows[name] for name in ("discards", "discards_left", "failures", "failures_left")] == [
        3,
        0,
        None,
        None,
    ]


@given(logs(30))
def test_active_time_never_runs_backwards_within_a_segment(log: list[Any]) -> None:
    """Nor without end: no event adds more than the longest silence."""
    state = budget.initial
    for record in log:
        before, state = state, fold(budget, [record], state)
        if state.stall.standing.segment == before.stall.standing.segment:
            assert state.active_ms >= before.active_ms
        else:
            assert state.active_ms == 0
    view = budget.view(state, START)
    assert view.minutes_used >= 0
    assert (view.stop_reason is not None) or not view.stopped
