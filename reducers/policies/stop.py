"""When a loop stops: the rules in their order, the first that holds is the reason (design, section 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from reducers.policies.limits import Limits
from reducers.policies.metric import JUDGED

__all__ = ["REASONS", "Counts", "stop_reason", "streaks"]


class Counts(msgspec.Struct, frozen=True):
    """What the rules look at, of the current segment.

    cycles: cycles that began, the baseline not among them. active_seconds: loop time, pauses left out.
    best: the best kept metric, None if none; direction: `lower` or `higher` is better. discards: judged runs
    in a row without a keep, up to now, since the last pivot. failures: runs in a row without a keep, crashes
    included. no_change: agent turns in a row that changed nothing. The rest is true if it happened: the
    agent itself failed for good, a measuring script changed, a rollback could not be done or verified, a
    person asked.
    """

    cycles: int = 0
    active_seconds: float = 0.0
    best: float | None = None
    direction: str = "lower"
    discards: int = 0
    failures: int = 0
    no_change: int = 0
    agent_failed: bool = False
    harness: bool = False
    rollback_failed: bool = False
    user: bool = False


def _reached(count: float, limit: float | None) -> bool:
    return limit is not None and count >= limit


def _target(counts: Counts, limits: Limits) -> bool:
    if counts.best is None or limits.target is None:
        return False
    return counts.best >= limits.target if counts.direction == "higher" else counts.best <= limits.target


REASONS: dict[str, Callable[[Counts, Limits], bool]] = {
    "max_cycles": lambda counts, limits: _reached(counts.cycles, limits.max_cycles),
    "time_limit": lambda counts, limits: _reached(counts.active_seconds / 60.0, limits.time_limit_minutes),
    "target": _target,
    "discards": lambda counts, limits: _reached(counts.discards, limits.discards),
    "failures": lambda counts, limits: _reached(counts.failures, limits.failures),
    "no_change": lambda counts, limits: _reached(counts.no_change, limits.no_change),
    "agent_failed": lambda counts, _: counts.agent_failed,
    "harness": lambda counts, _: counts.harness,
    "rollback_failed": lambda counts, _: counts.rollback_failed,
    "user": lambda counts, _: counts.user,
}
"""Every reason there is to stop, in the order in which they are looked at."""


def stop_reason(counts: Counts, limits: Limits) -> str | None:
    """The first reason to stop that holds, by its name in `REASONS`; None while the loop may go on."""
    return next((name for name, holds in REASONS.items() if holds(counts, limits)), None)


def streaks(statuses: Sequence[str], pivot: int = 0) -> tuple[int, int]:
    """The two counts of a segment's runs that a keep ends: `discards` and `failures`.

    statuses: of its runs, in order. pivot: how many of them were before the last pivot, which restarts the
    first count. For that one only judged runs count, a crash neither counts nor ends it; for the second all
    do.
    """
    discards = failures = 0
    for status in statuses:
        failures = 0 if status == "keep" else failures + 1
    for status in statuses[pivot:]:
        if status in JUDGED:
            discards = 0 if status == "keep" else discards + 1
    return discards, failures
