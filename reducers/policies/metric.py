"""What counts as a metric, which one is better, and how sure a gain is (design, section 5)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from eventstore.events import Run

__all__ = ["JUDGED", "change", "change_percent", "confidence", "is_better", "median", "usable"]

JUDGED = frozenset(("keep", "discard", "checks_failed"))
"""The statuses of a judged run: one that ran to a verdict."""

_INFINITY = float("inf")


def usable(run: Run) -> float | int | None:
    """The run's usable metric: a finite number on a run that is not a crash; else None."""
    metric = run.metric
    kind = type(metric)
    if (kind is float or kind is int) and run.status != "crash" and -_INFINITY < metric < _INFINITY:  # type: ignore[operator]
        return metric  # type: ignore[return-value]
    return None


def is_better(value: float, than: float, direction: str | None) -> bool:
    """Whether `value` is strictly better than `than`; anything but `higher` means lower is better."""
    return value > than if direction == "higher" else value < than


def change(value: float | None, since: float | None) -> float | None:
    """`value` - `since`; None where one is missing or the difference is beyond a double."""
    if value is None or since is None:
        return None
    try:
        difference = value - since
    except OverflowError:
        return None
    return difference if -_INFINITY < difference < _INFINITY else None


def change_percent(value: float | None, since: float | None) -> float | None:
    """The change in per cent of |since|; None where since is 0, one is missing, or it is beyond a double."""
    difference = change(value, since)
    if difference is None or not since:
        return None
    try:
        percent = difference / abs(since) * 100
    except OverflowError:
        return None
    return percent if -_INFINITY < percent < _INFINITY else None


def median(values: Sequence[float]) -> float:
    """The median; of an even number of values the mean of the two in the middle.

    Raises ValueError when there is no value.
    """
    if not values:
        raise ValueError("the median of no values")
    return _middle(sorted(values))


def _middle(ranked: Sequence[float]) -> float:
    """The median of values in ascending order."""
    at = len(ranked) // 2
    return ranked[at] if len(ranked) % 2 else _mean(ranked[at - 1], ranked[at])


def _deviation(ranked: Sequence[float], middle: float) -> float:
    """The median of the distances from `middle`, without looking at each: O(log n)."""
    half = (len(ranked) + 1) // 2
    least = _nth_distance(ranked, middle, half)
    return least if len(ranked) % 2 else _mean(least, _nth_distance(ranked, middle, half + 1))


def _nth_distance(ranked: Sequence[float], middle: float, n: int) -> float:
    """The n-th smallest distance from `middle`: the n nearest values stand side by side."""

    def leans_right(start: int) -> bool:
        return ranked[start + n - 1] - middle >= middle - ranked[start]

    starts = range(len(ranked) - n + 1)
    balance = bisect_left(starts, True, key=leans_right)
    return min(
        max(middle - ranked[start], ranked[start + n - 1] - middle)
        for start in (balance - 1, balance)
        if start in starts
    )


def _mean(low: float, high: float) -> float:
    """The mean of two numbers, also where their sum is beyond a double."""
    mean = (low + high) / 2
    return mean if -_INFINITY < mean < _INFINITY else low / 2 + high / 2


def confidence(
    ranked: Sequence[float], baseline: float | None, best: float | None, direction: str | None
) -> float | None:
    """|best - baseline| / MAD of a segment's usable metrics; MAD is the unscaled median absolute deviation.

    ranked: the metrics in ascending order. None with fewer than 3 of them, a MAD of 0, no best, and a best
    equal to or worse than the baseline. From 2 on likely real, from 1 marginal, below within noise; advisory.
    """
    if len(ranked) < 3 or baseline is None or best is None or not is_better(best, baseline, direction):
        return None
    try:
        ratio = abs(best - baseline) / _deviation(ranked, _middle(ranked))
    except (OverflowError, ZeroDivisionError):
        return None
    return ratio if ratio < _INFINITY else None
