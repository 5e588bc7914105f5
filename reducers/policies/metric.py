"""What counts as a metric, which one is better, and how sure a gain is (design, section 5)."""

from __future__ import annotations

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
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else _mean(ordered[middle - 1], ordered[middle])


def _mean(low: float, high: float) -> float:
    """The mean of two numbers, also where their sum is beyond a double."""
    mean = (low + high) / 2
    return mean if -_INFINITY < mean < _INFINITY else low / 2 + high / 2


def confidence(
    metrics: Sequence[float], baseline: float | None, best: float | None, direction: str | None
) -> float | None:
    """|best - baseline| / MAD of a segment's usable metrics; MAD is the unscaled median absolute deviation.

    None with fewer than 3 metrics, a MAD of 0, no best, and a best equal to or worse than the baseline.
    From 2 on likely real, from 1 marginal, below within noise; advisory.
    """
    if len(metrics) < 3 or baseline is None or best is None or not is_better(best, baseline, direction):
        return None
    try:
        middle = median(metrics)
        spread = median([abs(value - middle) for value in metrics])
        ratio = abs(best - baseline) / spread
    except (OverflowError, ZeroDivisionError):
        return None
    return ratio if ratio < _INFINITY else None
