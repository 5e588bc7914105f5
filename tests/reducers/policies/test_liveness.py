from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducers.policies.liveness import (
    NUDGES,
    STALLED_MS,
    STUCK_MS,
    asks,
    interval,
    is_left_alone,
    is_overdue,
    verdict,
)
from reducers.strategies import numbers

NOW = 1_764_517_600_000
MINUTE = 60_000


@pytest.mark.parametrize(
    ("output", "question"),
    [
        (None, False),
        ("", False),
        ("Shall I go on?", True),
        ("I did it.\nShall I go on?\n\n", True),
        ("Shall I go on? I did it.", True),
        ("Really?\nDone.", False),
        ("**Proceed?**", True),
        ("Go on? (y/n)", True),
        ("続けますか？", True),
        ("see http://x.y/z?a=b", False),
        ("all 3 tests pass", False),
    ],
)
def test_a_question_is_one_in_the_last_line_that_says_anything(output: str | None, question: bool) -> None:
    """Design, section 6.3: a loop whose last output is a question waits for somebody."""

    assert asks(output) is question


@pytest.mark.parametrize(
    ("state", "until", "left_alone"),
    [
        ("paused", None, True),
        ("rate_limited", None, True),
        ("stopped", None, True),
        ("paused", NOW + 1, True),
        ("paused", NOW, False),
        ("rate_limited", NOW - 1, False),
        ("stopped", NOW - 1, True),
        ("working", None, False),
        ("waiting", NOW + 1, False),
        ("odd", None, False),
        (None, None, False),
    ],
)
def test_who_is_left_alone(state: str | None, until: int | None, left_alone: bool) -> None:
    """Paused, rate-limited, stopped; a pause that says until when is over then."""

    assert is_left_alone(state, until, NOW) is left_alone


@pytest.mark.parametrize(
    ("last_seen", "seconds", "paused_until", "overdue"),
    [
        (NOW - 30 * MINUTE, 600, None, False),
        (NOW - 30 * MINUTE - 1, 600, None, True),
        (NOW, 600, None, False),
        (None, 600, None, None),
        (NOW - 99 * MINUTE, None, None, None),
        (NOW - 99 * MINUTE, 600, NOW - 30 * MINUTE, False),
        (NOW - 99 * MINUTE, 600, NOW - 31 * MINUTE, True),
        (NOW - 31 * MINUTE, 600, NOW - 99 * MINUTE, True),
        (NOW + MINUTE, 600, None, False),
        (NOW + 30 * MINUTE, 600, None, False),
        (NOW + 30 * MINUTE + 1, 600, None, None),
        (NOW - 3, 0.001, None, False),
        (NOW - 4, 0.001, None, True),
    ],
)
def test_a_loop_is_overdue_after_three_intervals(
    last_seen: int | None, seconds: float | None, paused_until: int | None, overdue: bool | None
) -> None:
    """Counted from its last sign or the end of its pause; a clock that went far back says nothing."""

    assert is_overdue(last_seen, seconds, paused_until, NOW) is overdue


def test_a_clock_that_goes_backwards_never_makes_a_loop_dead() -> None:
    """Seen a minute ago, then the clock is set back by any time: not overdue, at worst unknown."""
    for back in (1, MINUTE, 29 * MINUTE, 31 * MINUTE, 10**9):
        assert is_overdue(NOW - MINUTE, 600, None, NOW - back) is not True


@pytest.mark.parametrize(
    ("given_", "seconds"),
    [
        (600, 600.0),
        (0.5, 0.5),
        *((wrong, None) for wrong in (0, -1, float("inf"), float("nan"), 10**400, None)),
    ],
)
def test_an_interval_is_a_time_above_0(given_: float | None, seconds: float | None) -> None:
    """Nothing that reads as for ever."""

    assert interval(given_) == seconds


FACTS: dict[str, Any] = {
    "state": "working",
    "left_alone": False,
    "overdue": False,
    "nudges": 0,
    "without_progress": 0,
    "asking": False,
}


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        ({}, "alive"),
        ({"state": "waiting"}, "alive"),
        ({"state": None, "overdue": True}, "unknown"),
        ({"overdue": None}, "unknown"),
        ({"overdue": True}, "overdue"),
        ({"state": "paused", "left_alone": True, "overdue": True}, "paused"),
        ({"state": "rate_limited", "left_alone": True, "nudges": 9}, "rate_limited"),
        ({"state": "stopped", "left_alone": True, "without_progress": 10**9}, "stopped"),
        ({"state": "paused", "overdue": True}, "overdue"),
        ({"asking": True, "without_progress": STALLED_MS}, "alive"),
        ({"asking": True, "without_progress": STALLED_MS + 1}, "stalled"),
        ({"asking": False, "without_progress": STALLED_MS + 1}, "alive"),
        ({"asking": True, "without_progress": STALLED_MS + 1, "nudges": NUDGES - 1}, "stalled"),
        ({"asking": True, "without_progress": STALLED_MS + 1, "nudges": NUDGES}, "stuck"),
        ({"asking": False, "without_progress": STUCK_MS}, "alive"),
        ({"asking": False, "without_progress": STUCK_MS + 1}, "stuck"),
        ({"asking": True, "without_progress": STUCK_MS + 1}, "stalled"),
        ({"overdue": True, "nudges": 9, "asking": True, "without_progress": 10**9}, "overdue"),
    ],
)
def test_the_first_verdict_that_holds_is_given(facts: dict[str, Any], word: str) -> None:
    """Design, section 6.3."""

    assert verdict(**{**FACTS, **facts}) == word


@given(
    st.none() | st.integers(0, 2**45),
    st.none() | numbers(),
    st.none() | st.integers(0, 2**45),
    st.integers(0, 2**45),
)
def test_overdue_is_told_of_any_times(
    last_seen: int | None, seconds: float | None, paused_until: int | None, now: int
) -> None:
    """Never an error; never told without a last sign and an interval."""
    told = is_overdue(last_seen, interval(seconds), paused_until, now)

    if last_seen is None or interval(seconds) is None:
        assert told is None
    if told:
        assert last_seen is not None
        assert last_seen < now
