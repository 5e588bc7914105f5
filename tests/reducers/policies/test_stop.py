"""The stop rules: each at its boundary, their order, and what restarts a count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducers.policies.limits import LOOP, ORCHESTRATED, Limits
from reducers.policies.stop import REASONS, Counts, stop_reason, streaks

STATUSES = st.lists(st.sampled_from(["keep", "discard", "checks_failed", "crash"]), max_size=30)


@pytest.mark.parametrize(
    ("reason", "below", "reached"),
    [
        ("max_cycles", Counts(cycles=49), Counts(cycles=50)),
        ("time_limit", Counts(active_seconds=7199.9), Counts(active_seconds=7200.0)),
        ("discards", Counts(discards=4), Counts(discards=5)),
        ("failures", Counts(failures=19), Counts(failures=20)),
        ("no_change", Counts(no_change=2), Counts(no_change=3)),
        ("agent_failed", Counts(), Counts(agent_failed=True)),
        ("harness", Counts(), Counts(harness=True)),
        ("rollback_failed", Counts(), Counts(rollback_failed=True)),
        ("user", Counts(), Counts(user=True)),
    ],
)
def test_each_rule_at_its_boundary(reason: str, below: Counts, reached: Counts) -> None:
    """With the defaults of `loop`: not a step before, and from then on."""
    assert stop_reason(below, LOOP) is None
    assert stop_reason(reached, LOOP) == reason


@pytest.mark.parametrize(
    ("direction", "best", "expected"),
    [
        ("lower", 1.0, "target"),
        ("lower", 0.9, "target"),
        ("lower", 1.1, None),
        ("higher", 1.0, "target"),
        ("higher", 1.1, "target"),
        ("higher", 0.9, None),
        ("lower", None, None),
    ],
)
def test_the_target_is_reached_by_direction(direction: str, best: float | None, expected: str | None) -> None:
    """At it or beyond it; by the best kept metric."""
    assert stop_reason(Counts(best=best, direction=direction), Limits(target=1.0)) == expected
    assert stop_reason(Counts(best=best, direction=direction), Limits()) is None


def test_a_target_of_zero_or_below_is_one() -> None:
    """A metric may be negative."""
    assert stop_reason(Counts(best=0.0), Limits(target=0.0)) == "target"
    assert stop_reason(Counts(best=-1.0), Limits(target=-2.0)) is None


def test_the_order_of_the_reasons() -> None:
    """The first that holds is recorded, as the design lists them."""
    assert list(REASONS) == [
        "max_cycles",
        "time_limit",
        "target",
        "discards",
        "failures",
        "no_change",
        "agent_failed",
        "harness",
        "rollback_failed",
        "user",
    ]
    every = Counts(99, 1e9, 0.0, "lower", 99, 99, 99, True, True, True, True)
    assert stop_reason(every, Limits(target=1.0)) == "max_cycles"


def test_under_orchestrate_the_first_five_are_off() -> None:
    """Such tasks run until they are stopped; the rest still stops them."""
    assert stop_reason(Counts(99, 1e9, -1e9, "lower", 99, 99), ORCHESTRATED) is None
    assert stop_reason(Counts(no_change=3), ORCHESTRATED) == "no_change"
    assert stop_reason(Counts(rollback_failed=True), ORCHESTRATED) == "rollback_failed"


@pytest.mark.parametrize(
    ("statuses", "pivot", "expected"),
    [
        ([], 0, (0, 0)),
        (["keep", "discard", "discard"], 0, (2, 2)),
        (["discard", "crash", "checks_failed", "crash"], 0, (2, 4)),
        (["discard", "discard", "keep"], 0, (0, 0)),
        (["discard"] * 4, 3, (1, 4)),
        (["discard"] * 4, 4, (0, 4)),
        (["discard"] * 4 + ["discard"] * 5, 4, (5, 9)),
    ],
)
def test_what_counts_and_what_restarts(statuses: list[str], pivot: int, expected: tuple[int, int]) -> None:
    """Crashes are failures but no discards; a pivot restarts the discards; a keep ends both."""
    assert streaks(statuses, pivot) == expected


@given(STATUSES)
def test_five_judged_without_a_keep_is_a_streak_of_five(statuses: list[str]) -> None:
    """Law: the streak is at least five exactly if the last five judged runs hold no keep."""
    judged = [status for status in statuses if status != "crash"]

    assert (streaks(statuses)[0] >= 5) == (len(judged) >= 5 and "keep" not in judged[-5:])


@given(STATUSES)
def test_crashes_change_no_discards(statuses: list[str]) -> None:
    """Law: with or without the crashes, the count of discards is the same."""
    assert streaks(statuses)[0] == streaks([status for status in statuses if status != "crash"])[0]


COUNTS = st.builds(
    Counts,
    cycles=st.integers(0, 60),
    active_seconds=st.floats(0, 9000),
    best=st.none() | st.floats(-10, 10),
    direction=st.sampled_from(["lower", "higher"]),
    discards=st.integers(0, 7),
    failures=st.integers(0, 25),
    no_change=st.integers(0, 5),
    user=st.booleans(),
)


@given(COUNTS, st.integers(1, 60))
def test_raising_a_limit_never_stops_a_loop(counts: Counts, more: int) -> None:
    """Law: what went on under a limit goes on under a higher one, and under none."""
    for raised in (Limits(max_cycles=50 + more), Limits(max_cycles=None)):
        if stop_reason(counts, LOOP) is None:
            assert stop_reason(counts, raised) is None
        assert stop_reason(counts, raised) in (stop_reason(counts, LOOP), *list(REASONS)[1:], None)
