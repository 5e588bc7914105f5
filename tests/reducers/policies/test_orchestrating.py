"""What an orchestrator does with a task, decided from its log alone."""

from __future__ import annotations

import pytest

from eventstore.events import Config, Event, Flag, Iteration, Pivot, Resumed, Run, Settings, Stopped, Verified
from reducers.core import fold
from reducers.policies.iteration_limits import LIMITS, Excess
from reducers.policies.looping import Course, after
from reducers.policies.orchestrating import ASKED_FOR, UNVERIFIED, Hold, Leave, Send, step
from reducers.rounds import LIMITS_TARGET, rounds

NOW = 1_764_600_000_000
CONFIG = Config(name="x", metricName="ms", bestDirection="lower")
BASELINE = Run(run=1, status="keep", metric=10.0)

OFF = dict.fromkeys(("max_cycles", "time_limit_minutes", "discards", "failures"), "none")
"""What is set once: the limits that tasks do not have here."""


def runs(status: str, count: int) -> list[Event]:
    return [Run(run=2 + n, status=status, metric=20.0) for n in range(count)]


def stepped(*events: Event) -> Leave | Hold | Send:
    """What is done with a task whose log holds these."""
    stops = [event for event in events if isinstance(event, Stopped)]
    return step(after(Course(), events), stops[-1] if stops else None, fold(rounds, events), NOW)


def test_the_first_rules_are_off_and_the_log_says_so() -> None:
    """As limits `none`, once: what was set before, by whomever, stays as it is."""
    assert stepped(CONFIG, BASELINE) == Send((Settings(limits=OFF),))
    assert stepped(CONFIG, BASELINE, Settings(limits={"discards": 5, "max_cycles": 9})) == Send(
        (Settings(limits={"time_limit_minutes": "none", "failures": "none"}),)
    )
    assert stepped(CONFIG, BASELINE, Settings(limits=OFF)) == Send()


@pytest.mark.parametrize(
    "log",
    [
        runs("keep", 60),
        [Pivot(level="human"), *runs("crash", 30)],
        [*runs("discard", 30), Pivot(level="human")],
    ],
)
def test_no_count_of_runs_stops_a_task(log: list[Event]) -> None:
    """It runs until it is stopped (design, section 5)."""
    assert isinstance(stepped(CONFIG, BASELINE, *log), Send)


@pytest.mark.parametrize(
    ("limit", "log", "reason"),
    [
        ({"max_cycles": 3}, runs("keep", 3), "max_cycles"),
        ({"target": 10}, [], "target"),
        ({"discards": 5}, runs("discard", 5), "discards"),
        ({"failures": 20}, runs("crash", 20), "failures"),
        ({"max_iterations": 4}, runs("keep", 3), "max_cycles"),
    ],
)
def test_a_limit_that_somebody_set_holds_here_too(
    limit: dict[str, int | float | str | None], log: list[Event], reason: str
) -> None:
    """The stop is recorded, once."""
    before = [CONFIG, BASELINE, Settings(limits=limit), *log]
    left = stepped(*before)

    assert isinstance(left, Leave)
    assert left.reason == reason
    stop = left.events[-1]
    assert isinstance(stop, Stopped)
    assert stepped(*before, *left.events) == Leave(reason)


@pytest.mark.parametrize("reason", ["user", "no_change", "agent_failed", "harness", "rollback_failed", "x"])
def test_a_stopped_task_is_left_alone(reason: str) -> None:
    """Nothing is recorded in it."""
    assert stepped(CONFIG, BASELINE, Stopped(reason=reason)) == Leave(reason)


@pytest.mark.parametrize("reason", ["max_cycles", "time_limit", "failures", "target"])
def test_a_stop_over_a_limit_that_is_off_here_is_none(reason: str) -> None:
    """Its loop had one by default; here nobody set it."""
    assert isinstance(stepped(CONFIG, BASELINE, Stopped(reason=reason, detail="as it was")), Send)


def test_turns_that_were_used_up_are_no_stop_of_the_task() -> None:
    """They are how its loop ends a turn that was asked for."""
    assert isinstance(stepped(CONFIG, Stopped(reason="user", detail=f"1 turn, {ASKED_FOR}")), Send)


def test_one_that_circled_is_led_elsewhere() -> None:
    """A stop over discards that holds no more is answered by a pivot."""
    sent = stepped(CONFIG, BASELINE, *runs("discard", 5), Pivot(level="human"), Stopped(reason="discards"))

    assert isinstance(sent, Send)
    (pivot,) = (event for event in sent.events if isinstance(event, Pivot))
    assert pivot.level == "inject"
    assert pivot.perturbation


def test_an_iteration_without_an_ok_check_holds_the_next() -> None:
    """Whoever records it, and whatever of."""
    held = stepped(CONFIG, Settings(limits=OFF), Iteration(iteration=3), Verified(kind="check", ok=False))

    assert held == Hold(
        "iteration 3 is not verified",
        (Flag(kind=UNVERIFIED, detail="no ok check followed iteration 3; the next waits for one"),),
    )
    much = Verified(kind="check", target=LIMITS_TARGET, ok=False, detail="long_file: too long")
    assert stepped(CONFIG, Settings(limits=OFF), Iteration(iteration=3), much) == Hold(
        "iteration 3 is not verified: long_file: too long",
        (Flag(kind=LIMITS, detail="long_file: too long"),),
        verifiable=False,
    )
    checked = Verified(kind="citation", ok=True)
    assert stepped(CONFIG, Settings(limits=OFF), Iteration(iteration=3), much, checked) == Send()


def test_what_the_log_has_too_much_of_holds_the_next() -> None:
    """An unverified iteration is told as such; a loop that stopped over either is looked at anew."""
    unverified, cited = Excess("unverified", "no ok check", 1, 0), Excess("citations", "21 of 20", 21, 20)
    log = [CONFIG, Settings(limits=OFF), Stopped(reason="limits")]
    course, told = after(Course(), log), "citations: 21 of 20"
    goes_on = Resumed(reason="orchestrate", detail="it had stopped: limits")

    assert step(course, None, fold(rounds, log), NOW) == Send((goes_on,))
    assert step(course, None, fold(rounds, log), NOW, [unverified, cited]) == Hold(
        told, (Flag(kind=LIMITS, detail=told),), verifiable=False
    )
