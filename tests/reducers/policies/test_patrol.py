"""The watchdog's truth table, by a clock of its own (design, section 6.3)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.events import (
    Config,
    Event,
    Finding,
    Flag,
    Heartbeat,
    Note,
    Nudge,
    Pivot,
    Registered,
    Restart,
    Run,
    Stopped,
    Verified,
    type_of,
)
from eventstore.roles import may
from reducers.core import fold
from reducers.liveness import liveness
from reducers.policies.patrol import Observed, Times, patrol
from reducers.policies.patrol_actions import Action, FlagTask, NudgeLoop, RestartLoop, event_of
from reducers.policies.perturbations import named
from reducers.progress import progress
from reducers.session import session
from reducers.strategies import event
from reducers.watch import watch
from tests.reducers.given import HOUR, MINUTE, START

SECOND = 1000
ARGV = ("ar", "loop", "--agent", "claude")
HERE = Observed(host="box", started={7: "stamp"})
BUSY = msgspec.structs.replace(HERE, busy=frozenset({7}))
GONE = Observed(host="box")
REUSED = Observed(host="box", started={7: "another"}, busy=frozenset({7}))


def registered(by: str = "user:gpu0", **fields: Any) -> Registered:
    given: dict[str, Any] = {"argv": ARGV, "cwd": "/srv", "interval_seconds": 600, **fields}
    return Registered(by=by, timestamp=START, **given)


def beat(at: int, by: str = "worker:gpu0", **fields: Any) -> Heartbeat:
    given: dict[str, Any] = {"pid": 7, "pid_started": "stamp", "host": "box", **fields}
    return Heartbeat(by=by, timestamp=START + at, **given)


def beats(until: int, **fields: Any) -> list[Event]:
    """A heartbeat every 10 minutes."""
    return [beat(at, **fields) for at in range(0, until + 1, 10 * MINUTE)]


def asking(until: int) -> list[Event]:
    return beats(until, last_output="Shall I go on?")


def actions(log: list[Any], now: int, observed: Observed = HERE, **options: Any) -> list[Action]:
    """What a patrol does about one task."""
    state = fold(watch, log)
    options = {"me": "patrol", **options}
    return patrol({"task": watch.view(state, START + now)}, observed, START + now, **options)


def told(found: list[Action]) -> list[str]:
    """The actions in short: `restart gpu0`, `flag stuck`, `clear stuck`."""
    return [
        f"{'clear' if a.cleared else 'flag'} {a.kind}"
        if isinstance(a, FlagTask)
        else f"{type(a).__struct_config__.tag} {a.loop}"
        for a in found
    ]


R = registered()

TABLE: dict[str, tuple[list[Any], int, Observed, list[str]]] = {
    "alive": ([R, beat(0)], 29 * MINUTE, HERE, []),
    "three intervals are not more than three": ([R, beat(0)], 30 * MINUTE, GONE, []),
    "dead": ([R, beat(0)], 31 * MINUTE, GONE, ["restart gpu0"]),
    "hung: its process lives, but says nothing": ([R, beat(0)], 31 * MINUTE, HERE, ["restart gpu0"]),
    "fresh log, old heartbeat: another's events are no sign of its life": (
        [R, beat(0), Note(by="worker:gpu1", timestamp=START + 2 * HOUR, detail="x")],
        2 * HOUR,
        GONE,
        ["restart gpu0"],
    ),
    "its own events are": (
        [R, beat(0), Note(by="worker:gpu0", timestamp=START + 2 * HOUR, detail="x")],
        2 * HOUR,
        GONE,
        [],
    ),
    "a child at work": ([R, beat(0)], 2 * HOUR, BUSY, []),
    "a child at work does not wait for an answer": ([R, *asking(3 * HOUR)], 3 * HOUR, BUSY, []),
    "pid reused: another's child": ([R, beat(0)], 2 * HOUR, REUSED, ["restart gpu0"]),
    "no stamp: any process of that number counts": (
        [R, beat(0, pid_started=None)],
        2 * HOUR,
        REUSED,
        [],
    ),
    "a guardian's beats under its name": (
        [R, beat(0), beat(50 * MINUTE, by="guardian:gpu0")],
        HOUR,
        GONE,
        ["restart gpu0"],
    ),
    "a guardian's note under its name": (
        [R, beat(0), Note(by="guardian:gpu0", timestamp=START + 50 * MINUTE, detail="x")],
        HOUR,
        GONE,
        ["restart gpu0"],
    ),
    "never a heartbeat": ([R], 9 * HOUR, GONE, []),
    "never an interval": ([beat(0, last_output="ok?")], 9 * HOUR, GONE, []),
    "paused": ([R, beat(0, state="paused")], 9 * HOUR, GONE, []),
    "rate limited until": (
        [R, beat(0, state="rate_limited", until=START + 5 * HOUR)],
        5 * HOUR - 1,
        GONE,
        [],
    ),
    "rate limited until, and then three intervals of silence": (
        [R, beat(0, state="rate_limited", until=START + 5 * HOUR)],
        5 * HOUR + 31 * MINUTE,
        GONE,
        ["restart gpu0"],
    ),
    "stopped by itself": ([R, beat(0, state="stopped")], 9 * HOUR, GONE, []),
    "stopped by the user": (
        [R, *asking(HOUR), Stopped(by="user", timestamp=START + HOUR, reason="user")],
        9 * HOUR,
        GONE,
        [],
    ),
    "a question, not for long enough": ([R, *asking(2 * HOUR)], 2 * HOUR, HERE, []),
    "a question without progress": (
        [R, *asking(2 * HOUR)],
        2 * HOUR + MINUTE,
        HERE,
        ["nudge gpu0"],
    ),
    "a question with progress": (
        [
            R,
            *asking(2 * HOUR),
            Finding(by="worker:gpu0", timestamp=START + 2 * HOUR, text="x"),
            beat(3 * HOUR, last_output="ok?"),
        ],
        3 * HOUR,
        HERE,
        [],
    ),
    "no question": ([R, *beats(3 * HOUR, last_output="All is done.")], 3 * HOUR, HERE, []),
    "a closing summary, for four hours": (
        [R, *beats(4 * HOUR, last_output="All is done.")],
        4 * HOUR + MINUTE,
        HERE,
        ["flag stuck"],
    ),
    "a question, for four hours": (
        [R, *asking(4 * HOUR)],
        4 * HOUR + MINUTE,
        HERE,
        ["nudge gpu0", "flag stuck"],
    ),
    "asleep for 8 h: a living process gets its time": (
        [R, *asking(0)],
        8 * HOUR,
        msgspec.structs.replace(HERE, awake_since=START + 8 * HOUR - MINUTE),
        [],
    ),
    "asleep for 8 h: what is gone is gone": (
        [R, *asking(0)],
        8 * HOUR,
        msgspec.structs.replace(GONE, awake_since=START + 8 * HOUR - MINUTE),
        ["restart gpu0"],
    ),
    "asleep for 8 h: and still silent": (
        [R, *asking(0)],
        8 * HOUR + 31 * MINUTE,
        msgspec.structs.replace(HERE, awake_since=START + 8 * HOUR),
        ["restart gpu0"],
    ),
    "asleep for 8 h: nobody makes progress in his sleep": (
        [R, *asking(0), beat(8 * HOUR, last_output="Shall I go on?")],
        8 * HOUR + MINUTE,
        msgspec.structs.replace(HERE, awake_since=START + 8 * HOUR),
        [],
    ),
    "clock backwards, a little": ([R, beat(20 * MINUTE)], 0, GONE, []),
    "clock backwards, by a day: nobody can tell": ([R, beat(24 * HOUR)], 0, GONE, []),
    "restarted less than an interval ago": (
        [R, beat(0), Restart(by="guardian:patrol", timestamp=START + HOUR, target="gpu0")],
        HOUR + 9 * MINUTE,
        GONE,
        [],
    ),
    "restarted an interval ago": (
        [R, beat(0), Restart(by="guardian:patrol", timestamp=START + HOUR, target="gpu0")],
        HOUR + 10 * MINUTE,
        GONE,
        ["restart gpu0"],
    ),
    "restarted by a clock that was ahead": (
        [R, beat(0), Restart(by="guardian:patrol", timestamp=START + 9 * HOUR, target="gpu0")],
        HOUR,
        GONE,
        ["restart gpu0"],
    ),
    "a worker's command is not believed": (
        [registered(by="worker:gpu0"), beat(0)],
        HOUR,
        GONE,
        ["flag overdue:gpu0"],
    ),
    "dead on another machine": ([R, beat(0, host="other")], HOUR, GONE, ["flag overdue:gpu0"]),
    "dead on another machine, flagged already": (
        [
            R,
            beat(0, host="other"),
            Flag(by="guardian:patrol", timestamp=START + HOUR, kind="overdue:gpu0"),
        ],
        2 * HOUR,
        GONE,
        [],
    ),
    "flagged as dead, and back": (
        [R, beat(0), Flag(by="guardian:patrol", timestamp=START + HOUR, kind="overdue:gpu0"), beat(2 * HOUR)],
        2 * HOUR,
        HERE,
        ["clear overdue:gpu0"],
    ),
    "a person's flag is theirs to clear": (
        [R, beat(0), Flag(timestamp=START + HOUR, kind="overdue:gpu0", detail="x"), beat(2 * HOUR)],
        2 * HOUR,
        HERE,
        [],
    ),
    "restarts do not help": (
        [R, beat(0), Restart(by="guardian:patrol", timestamp=START + HOUR, target="gpu0")],
        5 * HOUR,
        GONE,
        ["restart gpu0", "flag overdue:gpu0", "flag stuck"],
    ),
    "never to itself": (
        [registered(by="user:patrol"), beat(0, by="guardian:patrol"), beat(0, by="worker:patrol")],
        9 * HOUR,
        GONE,
        [],
    ),
    "the guard is a loop of which no progress is expected": (
        [registered(by="user:guard", level="L0"), *beats(9 * HOUR, by="guardian:guard", last_output="ok?")],
        9 * HOUR,
        HERE,
        [],
    ),
    "a dead guard": (
        [registered(by="user:guard", level="L0"), beat(0, by="guardian:guard")],
        9 * HOUR,
        GONE,
        ["restart guard"],
    ),
}


@pytest.mark.parametrize("case", TABLE)
def test_the_truth_table(case: str) -> None:
    """A log, a time, what the system says: what is done."""
    log, now, observed, expected = TABLE[case]

    assert told(actions(log, now, observed)) == expected


def test_a_restart_names_the_command_and_the_process_to_end() -> None:
    """One that hangs is ended first; a reused pid is not its process; without a stamp nothing is ended."""

    def restart(log: list[Any], observed: Observed) -> RestartLoop:
        (found,) = actions(log, HOUR, observed)
        assert isinstance(found, RestartLoop)
        return found

    hung = restart([R, beat(0)], HERE)
    assert (hung.argv, hung.cwd, hung.end) == (ARGV, "/srv", (7, "stamp"))
    assert hung.reason == "no sign of life for 1 h 00 min, its interval is 10 min"
    assert restart([R, beat(0)], GONE).end is None
    assert restart([R, beat(0)], REUSED).end is None
    assert restart([R, beat(0, pid_started=None)], HERE).end is None


def run_for(hours: float, every: int, log: list[Any], life: Any) -> list[tuple[int, str]]:
    """Patrols again and again, recording what it does; when (in minutes) it did what.

    life: what the loop adds to the log at each step of 10 minutes.
    """
    log, done = list(log), []
    for at in range(0, int(hours * HOUR), 10 * MINUTE):
        log += life(at)
        if at % every == 0:
            for action in actions(log, at):
                log.append(
                    msgspec.structs.replace(event_of(action), by="guardian:patrol", timestamp=START + at)
                )
                done += [(at // MINUTE, each) for each in told([action])]
    return done


def test_three_nudges_then_a_pivot_then_nothing_but_the_flag() -> None:
    """A loop that asks and asks: flagged once, and after the pivot it is not nudged again."""
    done = run_for(14, HOUR, [R], lambda at: [beat(at, last_output="Shall I go on?")])

    assert done == [
        (180, "nudge gpu0"),
        (240, "nudge gpu0"),
        (300, "nudge gpu0"),
        (300, "flag stuck"),
        (360, "pivot gpu0"),
        (360, "restart gpu0"),
    ]


def test_one_that_beats_once_and_dies_again_is_flagged() -> None:
    """Restarted, it gives one heartbeat and is gone: after four hours a person hears of it, once."""
    log: list[Event] = [R, beat(0)]
    done: list[tuple[int, str]] = []
    for at in range(MINUTE, 9 * HOUR, 10 * MINUTE):
        found = actions(log, at, GONE)
        log += [
            msgspec.structs.replace(event_of(a), by="guardian:patrol", timestamp=START + at) for a in found
        ]
        done += [(at // MINUTE, each) for each in told(found) if not each.startswith("restart")]
        log += [beat(at + 1) for each in found if isinstance(each, RestartLoop)]

    assert done == [(241, "flag stuck")]
    assert sum(isinstance(each, Restart) for each in log) > 10


def test_a_stuck_flag_that_a_person_took_down_comes_again() -> None:
    """After as much time without progress once more."""
    down = Flag(timestamp=START + 5 * HOUR, kind="stuck", cleared=True)
    up = Flag(by="guardian:patrol", timestamp=START + 4 * HOUR, kind="stuck", detail="x")
    log = [R, *beats(9 * HOUR), up, down]

    assert told(actions(log, 9 * HOUR)) == []
    assert told(actions(log, 9 * HOUR + MINUTE)) == ["flag stuck"]
    found = Finding(timestamp=START + 4 * HOUR + MINUTE, text="x")
    outdated = Flag(by="guardian:patrol", timestamp=START + 5 * HOUR, kind="stuck", cleared=True)
    again = [R, *beats(8 * HOUR), up, found, outdated]
    assert told(actions(again, 8 * HOUR + 2 * MINUTE)) == ["flag stuck"]


def test_the_pivot_carries_an_impulse_and_what_is_left() -> None:
    """A new direction, at the level that demands one."""
    nudges = [Nudge(by="guardian:p", timestamp=START + h * HOUR, target="gpu0") for h in (2, 3, 4)]
    run = Run(run=1, status="discard", direction="SIMD", timestamp=START)
    pivot = event_of(actions([R, run, *asking(5 * HOUR), *nudges], 5 * HOUR)[0])

    assert isinstance(pivot, Pivot)
    assert (pivot.level, pivot.from_, pivot.reason) == ("inject", "SIMD", "3 nudges brought no progress")
    assert named(pivot.perturbation) is not None


def test_progress_starts_the_count_anew() -> None:
    """And takes down the flag that was raised over it."""

    def life(at: int) -> list[Event]:
        found = [Finding(by="worker:gpu0", timestamp=START + at, text="x")] if at == 310 * MINUTE else []
        return [*found, beat(at, last_output="Shall I go on?")]

    done = run_for(9, HOUR, [R], life)

    assert done == [
        (180, "nudge gpu0"),
        (240, "nudge gpu0"),
        (300, "nudge gpu0"),
        (300, "flag stuck"),
        (360, "clear stuck"),
        (480, "nudge gpu0"),
    ]


def test_a_busy_patrol_nudges_once_an_interval() -> None:
    """However often it looks: the loop gets the time to answer."""
    done = run_for(
        2.7,
        10 * MINUTE,
        [registered(interval_seconds=1800)],
        lambda at: [beat(at, last_output="ok?")],
    )

    assert done == [(130, "nudge gpu0"), (160, "nudge gpu0")]


def test_two_stuck_loops_get_one_pivot_and_each_a_fresh_start() -> None:
    """The direction is the task's."""
    log: list[Any] = [R, registered(by="user:gpu1")]
    for name in ("gpu0", "gpu1"):
        log += beats(5 * HOUR, by=f"worker:{name}", last_output="ok?")
        log += [Nudge(by="guardian:p", timestamp=START + h * HOUR, target=name) for h in (2, 3, 4)]

    assert told(actions(log, 5 * HOUR)) == ["pivot gpu0", "restart gpu0", "restart gpu1", "flag stuck"]


def test_each_task_is_looked_at_for_itself() -> None:
    """A dead loop in one is no matter of the other's."""
    dead, well = fold(watch, [R, beat(0)]), fold(watch, [R, beat(HOUR)])
    now = START + HOUR
    views = {"a": watch.view(dead, now), "b": watch.view(well, now)}

    assert [(a.task, a.loop) for a in patrol(views, GONE, now, me="patrol")] == [("a", "gpu0")]


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ({"nudge_ms": 4 * HOUR}, "the nudge time .* must be above 0 and below the stuck time"),
        ({"nudge_ms": 5 * HOUR}, "below the stuck time"),
        ({"stuck_ms": HOUR}, "below the stuck time"),
        ({"nudge_ms": 0}, "above 0"),
        ({"nudges": 0}, "1 nudge or more"),
    ],
)
def test_times_that_contradict_each_other_are_refused(times: dict[str, int], said: str) -> None:
    """A nudge time not below the stuck time is a usage error."""
    with pytest.raises(ValueError, match=said):
        Times(**times)


def test_the_times_may_be_others() -> None:
    """Down to minutes, for those who test their set-up."""
    times = Times(nudge_ms=MINUTE, stuck_ms=2 * MINUTE, nudges=1)
    log = [R, beat(0, last_output="ok?")]

    assert told(actions(log, 90 * SECOND, times=times)) == ["nudge gpu0"]
    assert told(actions(log, 150 * SECOND, times=times)) == ["nudge gpu0", "flag stuck"]


GUARDED: tuple[type[Event], ...] = (Heartbeat, Registered, Nudge, Restart, Flag, Pivot, Note)
GUARDIANS = st.lists(
    st.tuples(
        st.integers(0, 8),
        st.one_of(*map(event, GUARDED)),
        st.sampled_from(("guardian", "guardian:patrol", "guardian:gpu0")),
    ),
    max_size=12,
)
TARGET: list[Event] = [
    Config(name="g", metricName="t", bestDirection="lower", timestamp=START),
    R,
    beat(0),
    Run(run=1, status="keep", metric=5, by="worker:gpu0", timestamp=START + MINUTE),
    Verified(kind="test", ok=True, by="verifier", timestamp=START + 2 * MINUTE),
    Run(run=2, status="keep", metric=4, by="worker:gpu0", timestamp=START + 3 * MINUTE),
    Finding(text="x", by="worker:gpu0", timestamp=START + 4 * MINUTE),
    beat(5 * MINUTE, last_output="ok?"),
]


@given(GUARDIANS)
def test_no_guardian_makes_a_loop_look_alive_or_better(inserted: list[tuple[int, Any, str]]) -> None:
    """Whatever guardians append, wherever: last sign, progress, best and findings are the loop's own."""
    log = list(TARGET)
    for place, said, by in sorted(inserted, key=lambda each: -each[0]):
        assert may("guardian", type_of(said))
        log.insert(place, msgspec.structs.replace(said, by=by))

    def seen(events: list[Any]) -> tuple[object, ...]:
        view = liveness.view(fold(liveness, events), START + HOUR)
        row = next(row for row in view.loops if row.loop == "gpu0")
        best = session.view(fold(session, events))
        far = progress.view(fold(progress, events))
        signs = (row.last_seen, row.overdue, row.argv, row.last_output, row.asking)
        return (signs, view.last_progress, best.best_metric, best.run_count, far.total_findings)

    assert seen(log) == seen(TARGET)


@given(st.lists(st.integers(0, 40).map(lambda step: step * 5 * MINUTE), max_size=6), GUARDIANS)
def test_a_patrol_does_nothing_that_a_guardian_may_not(times: list[int], inserted: list[Any]) -> None:
    """Restarts what was registered, nudges each loop once, and every event of its may be a guardian's."""
    log = [*TARGET, *(said for _, said, _ in inserted)]
    for now in times:
        found = actions(log, now, GONE)
        nudged = [action.loop for action in found if isinstance(action, NudgeLoop)]

        assert len(nudged) == len(set(nudged))
        assert all(may("guardian", type_of(event_of(a))) for a in found)
        assert all(a.argv for a in found if isinstance(a, RestartLoop))
        assert all(a.loop != "patrol" for a in found)


def test_what_is_no_action_has_no_event() -> None:
    """A slip in an executor is not recorded as something else."""
    with pytest.raises(TypeError, match="Action is no action of a patrol"):
        event_of(Action(task="a", loop="b", reason="c"))
