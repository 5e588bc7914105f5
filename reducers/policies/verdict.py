"""Keep it or not: the verdict on a measured change (design, section 6.1)."""

from __future__ import annotations

import msgspec

from eventstore.events import Measured
from reducers.policies.metric import change_percent, is_better

__all__ = ["HARNESS", "Verdict", "change_pct", "judge", "reason_of", "verdict_on"]

HARNESS = "harness"
"""The reason of a run whose measuring scripts are not those that were agreed on."""


class Verdict(msgspec.Struct, frozen=True):
    """What becomes of a change, and why.

    status: `keep`, `discard`, `crash` or `checks_failed`. reason: `baseline` (there was nothing to compare
    with), `improved`, `equal`, `worse`, `harness`, `constraint_failed`, or what the measurement failed of.
    best_before, best_after: the value to beat before and after it; None if there is none. change_pct: how far
    the median is from the former, in per cent of its size, two decimals, below 0 for less; None if unknown.
    """

    status: str
    reason: str
    best_before: float | None = None
    best_after: float | None = None
    change_pct: float | None = None


def change_pct(before: float | None, after: float | None) -> float | None:
    """(after - before) / |before| in per cent, two decimals; None if `before` is 0 or one is missing."""
    percent = change_percent(after, before)
    return None if percent is None else round(percent, 2)


def judge(
    median: float | None,
    direction: str,
    *,
    best: float | None = None,
    baseline: float | None = None,
    constraint_ok: bool = True,
    failure: str | None = None,
    harness_changed: bool = False,
) -> Verdict:
    """The verdict on a change.

    median: of its samples, finite; None if it was not measured. direction: `lower` or `higher` is better.
    best, baseline: of the segment; the change has to be strictly better than the best, or than the baseline
    while nothing was kept. constraint_ok: the constraint passed, or there is none. failure: why there is no
    median: `no_metric`, `not_finite`, `exit_1`, `timed_out`, … harness_changed: a script that measures is not
    the one that was agreed on, so nothing is kept.
    """
    before = baseline if best is None else best
    if not constraint_ok:
        return Verdict("checks_failed", "constraint_failed", before, before)
    if median is None or failure is not None:
        return Verdict("crash", failure or "no_metric", before, before)
    percent = change_pct(before, median)
    if harness_changed:
        return Verdict("discard", HARNESS, before, before, percent)
    if before is None:
        return Verdict("keep", "baseline", None, median)
    if is_better(median, before, direction):
        return Verdict("keep", "improved", before, median, percent)
    return Verdict("discard", "equal" if median == before else "worse", before, before, percent)


def reason_of(measured: Measured) -> str | None:
    """Why a recorded measurement gave nothing to keep, in a word; None if it may."""
    return measured.error.partition(":")[0] if measured.error else None


def verdict_on(
    measured: Measured, direction: str, best: float | None = None, baseline: float | None = None
) -> Verdict:
    """The verdict on a recorded measurement."""
    reason = reason_of(measured)
    changed = reason == HARNESS
    return judge(
        measured.median,
        direction,
        best=best,
        baseline=baseline,
        constraint_ok=reason != "constraint_failed",
        failure=None if changed and measured.median is not None else reason,
        harness_changed=changed,
    )
