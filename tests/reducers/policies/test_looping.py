"""What a loop decides between two turns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.events import Config, Event, Flag, Note, Pivot, Resumed, Run, Settings, Stopped
from reducers.policies.looping import (
    DESCRIPTION,
    Course,
    Refusal,
    Stop,
    after,
    due,
    last_line,
    recorded,
    resumption,
    stall_answer,
)

CONFIG = Config(name="x", metricName="ms", bestDirection="lower")


def runs(*statuses: str, first: int = 2) -> list[Event]:
    return [Run(run=first + i, status=s, metric=20.0) for i, s in enumerate(statuses)]


def course(*events: Event) -> Course:
    """The course of a session with a baseline of 10."""
    return after(Course(), [CONFIG, Run(run=1, status="keep", metric=10.0), *events])


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], None),
        ([Settings(limits={"max_cycles": 1}), *runs("keep")], Stop("max_cycles", "1 of 1 cycles")),
        ([Settings(limits={"target": 10})], Stop("target", "the best is 10, the target 10")),
        (runs(*["discard"] * 5), Stop("discards", "5 judged runs in a row without a keep")),
        (runs(*["crash"] * 20), Stop("failures", "20 runs in a row without a keep")),
        ([Settings(limits={"max_iterations": 1})], Stop("max_cycles", "max_iterations: 1 of 1 runs")),
        (
            [Note(event="no_change", detail="-")] * 3,
            Stop("no_change", "3 turns in a row changed nothing (limit 3)"),
        ),
        (
            [Note(event="cycle_refused", detail="-")] * 3,
            Stop("agent_failed", "3 turns in a row were refused"),
        ),
    ],
)
def test_due(events: list[Event], expected: Stop | None) -> None:
    """The first rule that holds, with what was reached."""
    assert due(course(*events), 0) == expected


def test_time_limit() -> None:
    """Counted up to now, while the loop works."""
    begun, minute = 1_764_517_599_000, 60_000
    limit = Settings(limits={"time_limit_minutes": 10})
    state = after(course(), [limit, Run(run=2, status="keep", timestamp=begun)])

    assert due(state, begun + 9 * minute) is None
    assert due(state, begun + 10 * minute) == Stop("time_limit", "10 of 10 minutes of active time")


def test_recorded() -> None:
    """A stop on the log holds until it is answered."""
    stopped = course(Stopped(reason="user"))

    assert recorded(stopped) == Stop("user", "as the log has it")
    assert recorded(after(stopped, [Resumed()])) is None
    assert due(stopped, 0) is None


def test_stall_answers() -> None:
    """Two pivots, then one flag until something is kept."""
    assert stall_answer(course(*runs("discard"))) == []
    second = course(*runs("discard", "discard"))
    pivot = stall_answer(second)
    assert [(event.level, event.reason) for event in pivot if isinstance(event, Pivot)] == [
        ("structure", "2 judged runs without a new best")
    ]
    assert stall_answer(after(second, pivot)) == []
    third = after(second, [*pivot, *runs("discard", first=4)])
    assert [getattr(event, "level", None) for event in stall_answer(third)] == ["inject"]
    fourth = after(third, runs("discard", first=5))
    assert stall_answer(fourth) == [Flag(kind="stalled", detail="4 judged runs without a new best")]
    assert stall_answer(after(fourth, stall_answer(fourth))) == []


def test_pivot_has_an_impulse() -> None:
    """And names the direction that is left, that of the last run; no impulse comes twice in a row."""
    last = Run(run=3, status="discard", metric=20.0, direction="memory")
    state = course(*runs("discard"), last)
    (first,) = stall_answer(state)
    (second,) = stall_answer(after(state, [first, *runs("discard", first=4)]))

    assert isinstance(first, Pivot)
    assert isinstance(second, Pivot)
    assert first.from_ == second.from_ == "memory"
    assert None not in (first.perturbation, second.perturbation)
    assert first.perturbation != second.perturbation


@pytest.mark.parametrize("reason", ["user", "no_change", "agent_failed", "rollback_failed", "lunch"])
def test_starting_again_answers(reason: str) -> None:
    """What a person has seen to by starting it again."""
    (event,) = answered(course(Stopped(reason=reason)))

    assert event == Resumed(reason="loop", detail=f"it had stopped: {reason}")


def test_limit_that_was_raised() -> None:
    """The rule is looked at anew, not the reason that was recorded."""
    reached = course(Settings(limits={"max_cycles": 1}), *runs("keep"), Stopped(reason="max_cycles"))
    refusal = resumption(reached, 0, None)
    assert isinstance(refusal, Refusal)
    assert refusal.message == "the session has stopped: max_cycles (1 of 1 cycles)"
    assert "--max-cycles" in refusal.remedy

    assert answered(after(reached, [Settings(limits={"max_cycles": 2})]))


def test_harness_takes_a_new_segment() -> None:
    """Nothing else answers it."""
    changed = course(Stopped(reason="harness"))

    assert isinstance(resumption(changed, 0, "elsewhere"), Refusal)
    assert answered(after(changed, [CONFIG])) == []


def test_pivot_answers_discards() -> None:
    """It restarts their count."""
    discarded = course(*runs(*["discard"] * 5), Stopped(reason="discards"))
    refusal = resumption(discarded, 0, None)
    assert isinstance(refusal, Refusal)
    assert "--pivot" in refusal.remedy

    pivot, resumed = answered(discarded, "a tree")
    assert pivot == Pivot(level="human", reason="asked for", to="a tree")
    assert isinstance(resumed, Resumed)


def answered(state: Course, pivot: str | None = None) -> list[Event]:
    found = resumption(state, 0, pivot)
    assert not isinstance(found, Refusal)
    return found


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (b"", ""),
        (b"\n \n", ""),
        (b"one\ntwo\n\n", "two"),
        (b"\x1b[1;32mgreen\x1b[0m", "green"),
        (b"\x1b]0;title\x07said", "said"),
        (b"progress 1\rprogress 2", "progress 2"),
        (b"caf\xe9", "caf\N{REPLACEMENT CHARACTER}"),
        (b"a\x00b\x7f", "a\\x00b\\x7f"),
        (b"$(reboot) `x`", "$(reboot) `x`"),
    ],
)
def test_last_line(output: bytes, expected: str) -> None:
    """What an agent ended with, without what a terminal would obey."""
    assert last_line(output) == expected


@given(st.binary(max_size=600))
def test_last_line_is_always_fit(output: bytes) -> None:
    """One printable line of bounded length."""
    line = last_line(output)

    assert len(line) <= DESCRIPTION
    assert line == line.strip()
    assert "\x1b" not in line
    assert "\n" not in line
