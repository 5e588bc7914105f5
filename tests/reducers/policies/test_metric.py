from __future__ import annotations

from statistics import median as plain_median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.events import Run
from reducers.policies.metric import change, change_percent, confidence, is_better, median, usable
from reducers.strategies import numbers

values = st.lists(st.integers(-50, 50) | st.floats(-1e6, 1e6), max_size=12)


@pytest.mark.parametrize(
    ("metric", "status", "expected"),
    [
        (1, "keep", 1),
        (0, "discard", 0),
        (0, "crash", None),
        (2.5, "checks_failed", 2.5),
        (2.5, "unheard of", 2.5),
        (10**400, "keep", 10**400),
        ("2.5", "keep", None),
        (None, "keep", None),
        (True, "keep", None),
        (float("nan"), "keep", None),
        (float("inf"), "keep", None),
        (float("-inf"), "keep", None),
    ],
)
def test_a_usable_metric_is_a_finite_number_on_what_is_no_crash(
    metric: Any, status: str, expected: Any
) -> None:
    """Design, section 5: a crash logged with 0 has none."""

    assert usable(Run(run=1, metric=metric, status=status)) == expected


@pytest.mark.parametrize("direction", ["lower", None, "up"])
def test_better_means_lower_unless_it_is_said_to_be_higher(direction: str | None) -> None:
    """Strictly: equal is not better."""

    assert [is_better(1, 2, direction), is_better(2, 1, direction), is_better(1, 1, direction)] == [
        True,
        False,
        False,
    ]
    assert [is_better(1, 2, "higher"), is_better(2, 1, "higher"), is_better(1, 1, "higher")] == [
        False,
        True,
        False,
    ]


@given(values.filter(bool))
def test_the_median_is_that_of_statistics(numbers: list[float]) -> None:
    """An independent implementation agrees."""

    assert median(numbers) == plain_median(numbers)


def test_the_median_stays_finite_where_the_sum_of_two_does_not() -> None:
    """Both in the middle are near the largest double."""

    assert median([1.7e308, 1.6e308]) == pytest.approx(1.65e308)


def test_there_is_no_median_of_nothing() -> None:
    """It is an error, not a number."""
    with pytest.raises(ValueError, match="no values"):
        median([])


@given(values, st.sampled_from(["lower", "higher"]), st.data())
def test_confidence_agrees_with_an_independent_implementation(
    metrics: list[float], direction: str, data: st.DataObject
) -> None:
    """|best - baseline| / MAD, and null where the design says so."""
    baseline = metrics[0] if metrics else None
    best = data.draw(st.none() | st.sampled_from(metrics)) if metrics else None

    expected = None
    if best is not None and baseline is not None and len(metrics) >= 3 and best != baseline:
        spread = plain_median(abs(value - plain_median(metrics)) for value in metrics)
        improved = best > baseline if direction == "higher" else best < baseline
        if spread > 0 and improved:
            ratio = abs(best - baseline) / spread
            expected = ratio if ratio < float("inf") else None
    assert confidence(sorted(metrics), baseline, best, direction) == expected


@pytest.mark.parametrize(
    ("metrics", "baseline", "best"),
    [
        ([5, 4], 5, 4),
        ([5, 5, 5, 5, 4], 5, 4),
        ([5, 4, 3], 5, None),
        ([5, 6, 7], 5, 5),
        ([5, 6, 7], 5, 6),
        ([], None, None),
        ([10**400, 5.5, 3], 10**400, 3),
        ([1.7e308, -1.7e308, 0, 1e-300, 1e-300], 1.7e308, -1.7e308),
    ],
)
def test_there_is_no_confidence_without_a_spread_and_an_improvement(
    metrics: list[float], baseline: float | None, best: float | None
) -> None:
    """Fewer than 3 metrics, MAD 0, no best, best equal to or worse than the baseline, beyond a double."""

    assert confidence(sorted(metrics), baseline, best, "lower") is None


@pytest.mark.parametrize(
    ("value", "since", "difference", "percent"),
    [
        (90, 100, -10, -10.0),
        (-90, -100, 10, 10.0),
        (5, 0, 5, None),
        (None, 1, None, None),
        (1, None, None, None),
        (1.7e308, -1.7e308, None, None),
        (10**400, 1.5, None, None),
        (10**400, 1, 10**400 - 1, None),
        (1, 5e-324, 1.0, None),
    ],
)
def test_a_change_and_its_percentage(value: Any, since: Any, difference: Any, percent: Any) -> None:
    """The sign is the change's, whatever the sign of what it is measured against."""

    assert (change(value, since), change_percent(value, since)) == (difference, percent)


@given(numbers(), numbers())
def test_a_change_of_any_two_numbers_is_finite_or_none(value: float, since: float) -> None:
    """Nothing overflows, nothing is infinite."""
    for found in (change(value, since), change_percent(value, since)):
        assert found is None or abs(found) < float("inf")
