"""Keep or not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducers.policies.verdict import Verdict, change_pct, judge

FINITE = st.floats(-1e9, 1e9)


@pytest.mark.parametrize(
    ("median", "direction", "expected"),
    [
        (9.0, "lower", Verdict("keep", "improved", 10.0, 9.0, -10.0)),
        (11.0, "lower", Verdict("discard", "worse", 10.0, 10.0, 10.0)),
        (11.0, "higher", Verdict("keep", "improved", 10.0, 11.0, 10.0)),
        (9.0, "higher", Verdict("discard", "worse", 10.0, 10.0, -10.0)),
        (10.0, "lower", Verdict("discard", "equal", 10.0, 10.0, 0.0)),
        (10.0, "higher", Verdict("discard", "equal", 10.0, 10.0, 0.0)),
    ],
)
def test_only_strictly_better_is_kept(median: float, direction: str, expected: Verdict) -> None:
    """By direction; equal is discarded."""
    assert judge(median, direction, best=10.0) == expected


def test_the_baseline_is_to_beat_until_something_is_kept() -> None:
    """The best counts if there is one; with neither, the value becomes the baseline."""
    assert judge(9.0, "lower", baseline=10.0) == Verdict("keep", "improved", 10.0, 9.0, -10.0)
    assert judge(9.0, "lower", best=8.0, baseline=10.0) == Verdict("discard", "worse", 8.0, 8.0, 12.5)
    assert judge(9.0, "lower") == Verdict("keep", "baseline", None, 9.0)


def test_what_was_not_measured_is_not_kept() -> None:
    """A failed constraint says so first; a failed measurement says of what it failed."""
    checks = judge(None, "lower", best=10.0, constraint_ok=False, failure="exit_1")

    assert checks == Verdict("checks_failed", "constraint_failed", 10.0, 10.0)
    assert judge(None, "lower", best=10.0, failure="exit_1") == Verdict("crash", "exit_1", 10.0, 10.0)
    assert judge(None, "lower") == Verdict("crash", "no_metric")
    assert judge(1.0, "lower", best=10.0, failure="timed_out").status == "crash"


def test_a_changed_harness_keeps_nothing() -> None:
    """However good the number is: it was measured by something else."""
    assert judge(1.0, "lower", best=10.0, harness_changed=True) == Verdict(
        "discard", "harness", 10.0, 10.0, -90.0
    )
    assert judge(1.0, "lower", harness_changed=True) == Verdict("discard", "harness")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (10.0, 9.0, -10.0),
        (-10.0, -9.0, 10.0),
        (3.0, 2.0, -33.33),
        (0.0, 5.0, None),
        (None, 5.0, None),
        (5.0, None, None),
        (5e-324, 1e308, None),
    ],
)
def test_the_change_in_per_cent(before: float | None, after: float | None, expected: float | None) -> None:
    """Of the size of what was, with two decimals; from nothing there is no percentage."""
    assert change_pct(before, after) == expected


@given(FINITE, FINITE, st.sampled_from(["lower", "higher"]))
def test_the_best_never_gets_worse(median: float, best: float, direction: str) -> None:
    """Law: kept exactly if strictly better, and then it is the best; a mirror image is judged alike."""
    verdict = judge(median, direction, best=best)
    mirrored = judge(-median, "higher" if direction == "lower" else "lower", best=-best)

    better = median < best if direction == "lower" else median > best
    assert (verdict.status == "keep") == better
    assert verdict.best_after == (median if better else best)
    assert (verdict.status, verdict.reason) == (mirrored.status, mirrored.reason)
