"""What an orchestrator does with a task, decided from its log alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.door import check
from eventstore.events import (
    Config,
    Event,
    Flag,
    Iteration,
    Pivot,
    Resumed,
    Run,
    Settings,
    Stopped,
    Verified,
    type_of,
)
from eventstore.roles import may
from reducers.core import fold
from reducers.policies.iteration_limits import LIMITS, Excess
from reducers.policies.looping import Course, after
from reducers.policies.orchestrating import ASKED_FOR, UNVERIFIED, Hold, Leave, Send, step
from reducers.policies.perturbations import named
from reducers.rounds import LIMITS_TARGET, rounds
from reducers.strategies import logs

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


@pytest.mark.parametrize("reason", ["user", "no_change", "harness", "rollback_failed", "x"])
def test_a_stopped_task_is_left_alone(reason: str) -> None:
    """Nothing is recorded in it."""
    assert stepped(CONFIG, BASELINE, Stopped(reason=reason)) == Leave(reason)


@pytest.mark.parametrize("reason", ["max_cycles", "time_limit", "failures", "target"])
def test_a_stop_over_a_limit_that_is_off_here_is_none(reason: str) -> None:
    """Its loop had one by default; here nobody set it."""
    assert isinstance(stepped(CONFIG, BASELINE, Stopped(reason=reason, detail="as it was")), Send)


@pytest.mark.parametrize("reason", ["agent_failed", "limits"])
def test_a_stop_that_starting_again_answers_is_tried_again(reason: str) -> None:
    """In the next round: an outage ends no task of a week."""
    sent = stepped(CONFIG, BASELINE, Settings(limits=OFF), Stopped(reason=reason))

    assert sent == Send((Resumed(reason="orchestrate", detail=f"it had stopped: {reason}"),))


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


def sessions() -> st.SearchStrategy[list[Event]]:
    """Logs of tasks as they come about: iterations, checks, runs, stops and settings, in any order."""
    names, values = st.sampled_from([*OFF, "target"]), st.integers(1, 6) | st.just("none")
    limits = st.dictionaries(names, values, max_size=2)
    far = {"structure": 4, "inject": 12, "human": 20}
    work = st.one_of(
        st.builds(Run, run=st.integers(1, 9), status=STATUSES, metric=st.floats(1, 30)),
        st.builds(Run, run=st.integers(1, 9), status=STATUSES, metric=st.floats(1, 30)),
        st.builds(Iteration, iteration=st.integers(1, 9), findings=st.integers(0, 2)),
        st.builds(Verified, kind=st.just("check"), ok=st.booleans(), by=st.just("verifier")),
        st.builds(Settings, limits=limits, thresholds=st.sampled_from(({}, far))),
    )
    turns = st.one_of(
        st.builds(Verified, kind=st.just("check"), ok=st.just(False), target=st.just(LIMITS_TARGET)),
        st.builds(Stopped, reason=REASONS, detail=st.sampled_from(("", f"3 turns, {ASKED_FOR}"))),
        st.builds(Pivot, level=st.sampled_from(("structure", "inject", "human"))),
        st.builds(Resumed, reason=st.sampled_from(("loop", "on"))),
        st.just(CONFIG),
    )
    first, middle, last = st.lists(work, max_size=20), st.lists(turns, max_size=3), st.lists(work, max_size=8)
    return st.tuples(first, middle, last).map(lambda parts: [CONFIG, *parts[0], *parts[1], *parts[2]])


STATUSES = st.sampled_from(("keep", "discard", "discard", "crash", "checks_failed"))
REASONS = st.sampled_from(
    ("user", "discards", "discards", "max_cycles", "failures", "harness", "off", "limits")
)
ANY_LOG = sessions() | logs().map(lambda log: [each for each in log if isinstance(each, Event)])


@given(ANY_LOG)
def test_whatever_it_records_may_be_recorded_and_settles_it(log: list[Event]) -> None:
    """Law: told again once that is on the log, it says the same and has nothing new to record."""
    first = stepped(*log)
    for event in first.events:
        check(event)
        assert may("orchestrator", type_of(event))
    again = stepped(*log, *first.events)

    assert type(again) is type(first)
    if isinstance(again, Hold):
        assert again == Hold(again.reason, again.events[-1:], again.verifiable)
        assert isinstance(again.events[0], Flag)
    elif isinstance(again, Send):
        assert [type(event) for event in again.events] in ([], [Flag]), "only the flag that asks for a person"
    else:
        assert again == Leave(first.reason if isinstance(first, Leave) else "")
        assert after(Course(), [*log, *first.events]).situation.budget.stopped == again.reason


@given(ANY_LOG)
def test_nobody_is_sent_past_a_stop_or_an_unverified_iteration(log: list[Event]) -> None:
    """Law: a person's stop, `off`, a changed harness hold, and so does an iteration without an ok check."""
    done = stepped(*log)
    course = after(Course(), log)
    stopped = course.situation.budget.stopped
    state = fold(rounds, log)

    if isinstance(done, Send):
        assert stopped not in ("off", "harness", "no_change", "rollback_failed")
        assert state.last is None or state.verified
        if stopped is not None:
            assert any(isinstance(event, Resumed) for event in done.events)
    if stopped == "off":
        assert done == Leave("off")


@given(ANY_LOG)
def test_a_limit_that_was_set_is_never_lifted(log: list[Event]) -> None:
    """Law: what is made none here is only what nobody set, and no rule but those that are off by default."""
    stated = after(Course(), log).situation.budget.limits
    done = stepped(*log)
    then = after(Course(), [*log, *done.events]).situation.budget

    for event in done.events:
        if isinstance(event, Settings):
            assert event.limits.items() <= OFF.items()
            assert not event.limits.keys() & stated.keys()
    assert {name: then.limits[name] for name in stated} == stated
    if not isinstance(done, Leave):
        assert OFF.keys() <= then.limits.keys()


@given(sessions())
def test_a_task_that_stopped_over_discards_is_led_elsewhere_or_left(log: list[Event]) -> None:
    """Law: it goes on with exactly one pivot, whose impulse the log chooses, or it is left as it was."""
    circled = [*log, *runs("discard", 5), Verified(kind="check", ok=True), Stopped(reason="discards")]
    done = stepped(*circled)

    if isinstance(done, Send):
        (pivot,) = (event for event in done.events if isinstance(event, Pivot))
        assert named(pivot.perturbation) is not None
        assert stepped(*circled) == done
        assert not any(isinstance(event, Pivot) for event in stepped(*circled, *done.events).events)
    else:
        assert isinstance(done, Leave)
        assert done.events == ()
