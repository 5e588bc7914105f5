from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.events import (
    Config,
    Custom,
    Direction,
    Event,
    Finding,
    Flag,
    Heartbeat,
    Note,
    Nudge,
    Pivot,
    Registered,
    Restart,
    Resumed,
    Run,
    Stopped,
    Verified,
)
from reducers.core import fold
from reducers.liveness import liveness
from reducers.strategies import event, logs
from tests.reducers.given import HOUR, MINUTE, START, shown


def registered(by: str = "user:gpu0", at: int = 0, seconds: float | None = 600, **fields: Any) -> Registered:
    argv = fields.pop("argv", ("ar", "loop"))
    return Registered(by=by, timestamp=START + at, argv=argv, interval_seconds=seconds, **fields)


def beat(at: int, by: str = "worker:gpu0", **fields: Any) -> Heartbeat:
    return Heartbeat(by=by, timestamp=START + at, **fields)


def nudge(at: int, target: str = "gpu0") -> Nudge:
    return Nudge(by="guardian:patrol", timestamp=START + at, target=target)


def noted(by: str) -> Note:
    return Note(by=by, timestamp=START + HOUR, detail="x")


def own(by: str) -> Custom:
    return Custom(type="x.mine", fields={}, by=by, timestamp=START + HOUR)


def rows(log: list[Any], now: int | None) -> dict[str, dict[str, Any]]:
    look = shown(liveness, log, None if now is None else START + now)
    return {row["loop"]: row for row in look["loops"]}


def row(log: list[Any], now: int | None, loop: str = "gpu0") -> dict[str, Any]:
    return rows(log, now)[loop]


def verdict(log: list[Any], now: int) -> str:
    found: str = row(log, now)["verdict"]
    return found


def test_a_loop_is_described_in_full() -> None:
    """What a guardian needs to look after it."""
    log = [
        registered(cwd="/srv", level="L2"),
        beat(
            MINUTE,
            pid=7,
            pid_started="b:1",
            host="box",
            state="waiting",
            until=START + HOUR,
            last_output="ok?",
        ),
        nudge(2 * MINUTE),
        Restart(by="guardian:patrol", timestamp=START + 3 * MINUTE, target="worker:gpu0"),
    ]

    assert row(log, 5 * MINUTE) == {
        "loop": "gpu0",
        "level": "L2",
        "last_seen": START + MINUTE,
        "interval": 600.0,
        "state": "waiting",
        "until": START + HOUR,
        "overdue": False,
        "nudges_since_progress": 1,
        "without_progress_ms": 4 * MINUTE,
        "asking": True,
        "verdict": "alive",
        "stuck_task": False,
        "last_output": "ok?",
        "last_nudge": START + 2 * MINUTE,
        "last_restart": START + 3 * MINUTE,
        "argv": ["ar", "loop"],
        "cwd": "/srv",
        "pid": 7,
        "pid_started": "b:1",
        "host": "box",
    }


@pytest.mark.parametrize(
    ("log", "now", "expected"),
    [
        ([registered()], HOUR, "unknown"),
        ([registered(), beat(0)], 30 * MINUTE, "alive"),
        ([registered(), beat(0)], 30 * MINUTE + 1, "overdue"),
        ([beat(0)], 99 * HOUR, "unknown"),
        ([registered(seconds=0), beat(0)], 99 * HOUR, "unknown"),
        ([registered(), beat(0), noted("user")], HOUR, "overdue"),
        ([registered(), beat(0), noted("worker:gpu1")], HOUR, "overdue"),
        ([registered(), beat(0), noted("worker:gpu0")], HOUR, "alive"),
        ([registered(), beat(0), own("worker:gpu0")], HOUR, "alive"),
        ([registered(), beat(0), registered(at=HOUR)], HOUR, "overdue"),
        ([registered(), beat(0), noted("guardian:gpu0")], HOUR, "overdue"),
        ([registered(), beat(0), beat(HOUR, by="guardian:gpu0")], HOUR, "overdue"),
        ([registered(), beat(0), nudge(HOUR)], HOUR, "overdue"),
        ([registered(), beat(0, state="paused")], 99 * HOUR, "paused"),
        ([registered(), beat(0, state="rate_limited", until=START + 9 * HOUR)], 9 * HOUR - 1, "rate_limited"),
        ([registered(), beat(0, state="rate_limited", until=START + 9 * HOUR)], 9 * HOUR + MINUTE, "alive"),
        ([registered(), beat(0, state="rate_limited", until=START + 9 * HOUR)], 10 * HOUR, "overdue"),
        ([registered(), beat(0, state="stopped", until=START)], 99 * HOUR, "stopped"),
        ([registered(), beat(0, state="waiting", until=START + 9 * HOUR)], HOUR, "overdue"),
        ([registered(), beat(0), Stopped(by="user", reason="user")], HOUR, "stopped"),
        ([registered(), beat(0), Stopped(by="user", reason="user"), beat(MINUTE)], HOUR, "stopped"),
        ([registered(), beat(0), Stopped(by="user", reason="user"), Resumed(by="user")], HOUR, "overdue"),
        ([registered(), beat(0), Stopped(by="worker:gpu1", reason="x")], HOUR, "overdue"),
        ([registered(), beat(0), Stopped(by="worker:gpu0", reason="x")], HOUR, "stopped"),
        ([registered(), beat(0), Stopped(by="worker:gpu0", reason="x"), beat(MINUTE)], HOUR, "overdue"),
        ([registered(), beat(0), Stopped(by="worker:gpu0", reason="x"), Resumed(by="user")], HOUR, "overdue"),
        ([registered(), beat(0), Stopped(by="guardian:patrol", reason="x")], HOUR, "overdue"),
        ([registered(), beat(8 * HOUR)], 0, "unknown"),
        ([registered(), beat(20 * MINUTE)], 0, "alive"),
        ([registered(), beat(9 * HOUR), beat(0)], 20 * MINUTE, "alive"),
    ],
)  # fmt: skip
def test_the_watchdogs_truth_table(log: list[Event], now: int, expected: str) -> None:
    """Only a loop's own events are signs of its life; one that never beat is unknown, not dead; one that
    waits with leave is left alone; a clock that goes backwards kills nobody."""

    assert verdict(log, now) == expected


def working(until: int, **fields: Any) -> list[Event]:
    """A loop that gives a heartbeat every 10 minutes."""
    return [registered(), *(beat(at, **fields) for at in range(0, until + 1, 10 * MINUTE))]


@pytest.mark.parametrize(
    ("log", "now", "expected"),
    [
        (working(HOUR, last_output="Go on?"), 2 * HOUR, "overdue"),
        (working(2 * HOUR, last_output="Go on?"), 2 * HOUR, "alive"),
        (working(2 * HOUR, last_output="Go on?"), 2 * HOUR + 1, "stalled"),
        (working(2 * HOUR, last_output="Going on."), 2 * HOUR + 1, "alive"),
        (working(4 * HOUR, last_output="Summary: all done."), 4 * HOUR, "alive"),
        (working(4 * HOUR, last_output="Summary: all done."), 4 * HOUR + 1, "stuck"),
        ([*working(3 * HOUR, last_output="Go on?"), nudge(1), nudge(2)], 3 * HOUR, "stalled"),
        ([*working(3 * HOUR, last_output="Go on?"), nudge(1), nudge(2), nudge(3)], 3 * HOUR, "stuck"),
        ([*working(3 * HOUR), nudge(1), nudge(2), nudge(3, "gpu1")], 3 * HOUR, "alive"),
    ],
)
def test_a_loop_without_progress(log: list[Event], now: int, expected: str) -> None:
    """A question is nudged after 2 hours, three nudges or 4 hours make it stuck."""

    assert verdict(log, now) == expected


def new_best(at: int, metric: float = 5) -> Run:
    return Run(run=1, status="keep", metric=metric, by="worker:gpu0", timestamp=START + at)


@pytest.mark.parametrize(
    ("event", "counts"),
    [
        (new_best(HOUR), True),
        (new_best(HOUR, 7), False),
        (Finding(text="x", timestamp=START + HOUR), True),
        (Verified(kind="test", ok=True, by="verifier", timestamp=START + HOUR), True),
        (Verified(kind="test", ok=False, by="verifier", timestamp=START + HOUR), False),
        (Note(detail="all is well", timestamp=START + HOUR), False),
        (Finding(text="x", by="guardian:patrol", timestamp=START + HOUR), False),
        (Pivot(level="human", timestamp=START + HOUR), False),
    ],
)
def test_progress_is_a_new_best_a_finding_or_an_ok_check(event: Event, counts: bool) -> None:
    """It takes back the nudges and starts the time anew; nothing else does."""
    log = [*working(MINUTE), new_best(0, 6), nudge(MINUTE), nudge(MINUTE), event, beat(HOUR)]
    found = row(log, 3 * HOUR)

    assert found["nudges_since_progress"] == (0 if counts else 2)
    assert found["without_progress_ms"] == (2 if counts else 3) * HOUR
    assert row([*log, nudge(2 * HOUR)], 3 * HOUR)["nudges_since_progress"] == (1 if counts else 3)


OFF_AND_ON = [
    Stopped(reason="off", timestamp=START + HOUR),
    Resumed(reason="loop", timestamp=START + 2 * HOUR),
    Resumed(reason="on", timestamp=START + 9 * HOUR),
]


@pytest.mark.parametrize(
    "away",
    [
        [Stopped(reason="user", timestamp=START + HOUR), Resumed(timestamp=START + 9 * HOUR)],
        [Stopped(reason="x", timestamp=START + HOUR), Config(name="g", timestamp=START + 9 * HOUR)],
        [Stopped(reason="x", by="worker:gpu0", timestamp=START + HOUR), beat(9 * HOUR)],
        [beat(HOUR, state="paused"), beat(9 * HOUR)],
        [beat(HOUR, state="stopped"), beat(9 * HOUR)],
        [beat(HOUR, state="rate_limited", until=START + 9 * HOUR)],
        [beat(HOUR, state="paused"), beat(2 * HOUR, state="paused", until=START + 9 * HOUR)],
        OFF_AND_ON,
    ],
)
def test_pauses_and_stops_are_no_time_without_progress(away: list[Event]) -> None:
    """What happened while it was away counts neither for nor against; it begins nothing anew."""
    log = [Run(run=1, status="crash"), registered(), beat(0), *away]
    found = row([*log, beat(9 * HOUR)], 12 * HOUR)

    assert (found["without_progress_ms"], found["stuck_task"]) == (4 * HOUR, False)
    assert row([*log, beat(9 * HOUR)], 12 * HOUR + 1)["stuck_task"] is True
    learned = Finding(text="x", timestamp=START + 10 * HOUR)
    assert row([*log, learned, beat(11 * HOUR)], 12 * HOUR)["without_progress_ms"] == 2 * HOUR
    before = Finding(text="x", timestamp=START + HOUR // 2)
    assert row([*log[:3], before, *away, beat(9 * HOUR)], 12 * HOUR)["without_progress_ms"] == 3.5 * HOUR


@pytest.mark.parametrize("minutes", [1, 7, 45, 90])
def test_a_loop_that_dies_again_and_again_is_stuck_all_the_same(minutes: int) -> None:
    """One heartbeat after each restart, and no progress: that decides, not the signs of life."""
    log: list[Event] = [registered()]
    for at in range(0, 5 * HOUR, minutes * MINUTE):
        log += [Restart(by="guardian:patrol", timestamp=START + at, target="gpu0"), beat(at)]

    assert row(log, 4 * HOUR)["stuck_task"] is False
    assert row(log, 4 * HOUR + 1)["stuck_task"] is True


def test_a_loop_that_pauses_now_and_then_is_stuck_all_the_same() -> None:
    """After four hours at work, however they are cut."""
    log: list[Event] = [registered()]
    for at in range(0, 10 * HOUR, 2 * HOUR):
        log += [beat(at), beat(at + HOUR, state="rate_limited", until=START + at + 2 * HOUR)]

    assert row(log, 7 * HOUR)["stuck_task"] is False
    assert row(log, 8 * HOUR + 1)["stuck_task"] is True


def test_a_new_segment_answers_a_stop() -> None:
    """As it does for the loop itself, which begins without a word more (design, section 5)."""
    stopped = [Run(run=1, status="keep", metric=1), registered(), beat(0), Stopped(reason="discards")]
    harness = [*stopped[:-1], Stopped(reason="harness"), Resumed()]

    assert verdict([*stopped, Config(name="next"), beat(HOUR)], HOUR) == "alive"
    assert verdict([*stopped, beat(HOUR)], HOUR) == verdict([*harness, beat(HOUR)], HOUR) == "stopped"


def test_a_task_is_due_to_be_flagged_after_4_hours_whatever_its_loop_said() -> None:
    """Design, section 6.3: a closing summary included."""

    assert row(working(4 * HOUR), 4 * HOUR)["stuck_task"] is False
    assert row(working(4 * HOUR), 4 * HOUR + 1)["stuck_task"] is True
    assert row([registered()], 9 * HOUR)["stuck_task"] is None


def test_without_a_time_nothing_is_said_that_depends_on_it() -> None:
    """It is null."""
    found = row(working(HOUR), None)

    assert [found[name] for name in ("overdue", "verdict", "without_progress_ms", "stuck_task")] == [None] * 4
    assert found["last_seen"] == START + HOUR


def test_a_command_is_believed_from_users_and_orchestrators_alone() -> None:
    """Anybody may say an interval for itself, but not how it is to be restarted."""
    said = registered("worker:gpu0", argv=("rm", "-rf", "/"), seconds=60)

    assert row([said], 0)["argv"] is None
    assert row([said], 0)["interval"] == 60
    for by in ("user:gpu0", "orchestrator:gpu0"):
        assert row([registered(by), said], 0)["argv"] == ["ar", "loop"]


def test_a_registration_without_a_command_says_how_often() -> None:
    """What restarts the loop stays as it was."""
    found = row([registered(), registered("orchestrator:gpu0", argv=(), seconds=7200, level="L2")], 0)

    assert (found["argv"], found["interval"], found["level"]) == (["ar", "loop"], 7200, "L2")


def test_a_guardian_has_a_loop_of_its_own() -> None:
    """Its heartbeats count for a name that no other role beats under, registered by whomever."""
    log = [registered("user:patrol", seconds=3600), beat(0, by="guardian:patrol", pid=9), nudge(HOUR)]
    found = row(log, HOUR, "patrol")

    assert (found["pid"], found["last_seen"], found["verdict"]) == (9, START + HOUR, "alive")
    assert row(log, 5 * HOUR, "patrol")["verdict"] == "overdue"
    again = row([*log, registered("guardian:patrol", seconds=60, level="L1")], 0, "patrol")
    assert (again["interval"], again["level"]) == (60, "L1")


def test_a_loop_without_a_name_goes_by_its_role_and_lives_by_heartbeats_alone() -> None:
    """What a person writes without a name is no sign of it."""
    log = [registered("user"), beat(0, by="user"), Note(detail="hello", timestamp=START + HOUR)]

    assert row(log, HOUR, "user")["verdict"] == "overdue"
    assert list(rows([Note(by="user:ann", detail="x")], 0)) == []


def test_a_heartbeat_that_tells_no_time_is_a_heartbeat_all_the_same() -> None:
    """But says nothing of when; the session's progress keeps the last time known."""
    timeless = Heartbeat(by="worker:gpu0", timestamp="soon", pid=3)
    found = row([registered(), beat(0, pid=1), timeless], MINUTE)

    assert (found["pid"], found["last_seen"]) == (3, START)
    assert verdict([registered(), timeless], MINUTE) == "unknown"
    look = shown(liveness, [Finding(text="a", timestamp=START), Finding(text="b")])
    assert look["last_progress"] == START


def test_a_nudge_for_nobody_known_is_for_nobody() -> None:
    """No loop comes into being by being nudged or restarted."""
    log = [nudge(0, "ghost"), Restart(target="ghost"), Stopped(by="worker:ghost", reason="x")]

    assert rows(log, 0) == {}


GUARDIANS = ("guardian", "guardian:patrol", "guardian:gpu0", "guardian:gpu1")


@given(logs(), st.data())
def test_no_sequence_of_guardian_events_changes_signs_of_life_progress_or_best(
    log: list[Any], data: st.DataObject
) -> None:
    """Design, section 6.3: they make no dead loop look alive. Nudges and restarts are counted, no more."""
    start = [Config(seq=1, name="g", metricName="m"), registered(), beat(0), beat(0, by="worker:gpu1")]
    state = fold(liveness, [*start, *log])
    kinds = (Heartbeat, Registered, Nudge, Restart, Flag, Pivot, Note, Stopped, Resumed, Finding, Direction)
    by_guardians = st.one_of([event(kind, by=st.sampled_from(GUARDIANS)) for kind in kinds])
    after = fold(liveness, data.draw(st.lists(by_guardians, max_size=8)), state)

    kept = (
        "last_seen",
        "without_progress_ms",
        "interval",
        "state",
        "until",
        "overdue",
        "argv",
        "pid",
        "last_output",
    )
    for now in (START, START + HOUR, START + 99 * HOUR):
        before_rows = {row.loop: row for row in liveness.view(state, now).loops}
        after_rows = {row.loop: row for row in liveness.view(after, now).loops}
        for loop in ("gpu0", "gpu1"):
            for name in kept:
                assert getattr(after_rows[loop], name) == getattr(before_rows[loop], name)
    assert (after.last_progress, after.progress_count) == (state.last_progress, state.progress_count)
    assert (after.standing, after.halt, after.rest) == (state.standing, state.halt, state.rest)
