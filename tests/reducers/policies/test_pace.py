from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducers.policies.pace import active_ms, longest_silence
from reducers.strategies import numbers


@pytest.mark.parametrize(
    ("timeouts", "samples", "seconds"),
    [
        ({}, None, 2100),
        ({}, 1, 1800),
        ({}, 5, 3300),
        ({"agent": 7200}, None, 7200),
        ({"sample": 10, "constraint": 20, "agent": 5}, 4, 60),
        ({"agent": 0, "sample": -1, "constraint": float("inf")}, 0, 2100),
        ({"agent": 10**400}, 10**400, 2100),
        ({"hook": 99999}, None, 2100),
    ],
)
def test_the_longest_silence_is_an_agents_turn_or_a_measurement(
    timeouts: dict[str, float], samples: int | None, seconds: float
) -> None:
    """What cannot be a time limit is taken for none that was set."""

    assert longest_silence(timeouts, samples) == seconds


@pytest.mark.parametrize(
    ("since", "until", "ms"),
    [(0, 1000, 1000), (0, 60_000, 60_000), (0, 60_001, 60_000), (5, 5, 0), (9, 5, 0)],
)
def test_a_stretch_counts_up_to_the_longest_silence(since: int, until: int, ms: int) -> None:
    """And not at all when the clock went back."""

    assert active_ms(since, until, 60.0) == ms


@given(
    st.integers(), st.integers(), st.dictionaries(st.sampled_from(["agent", "sample"]), numbers()), numbers()
)
def test_active_time_is_never_negative_and_never_endless(
    since: int, until: int, timeouts: dict[str, float], samples: float
) -> None:
    """Whatever the times and the settings."""
    silence = longest_silence(timeouts, int(samples))

    assert 0 <= active_ms(since, until, silence) <= silence * 1000
