"""How much of the time between two signs of a loop was spent working (design, section 5)."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["SAMPLES", "TIMEOUTS", "active_ms", "longest_silence"]

TIMEOUTS: Mapping[str, float] = {"agent": 1800.0, "constraint": 300.0, "sample": 600.0}
"""How long each step of a loop may take, seconds, unless a `settings` event says otherwise."""

_LARGEST = 1_000_000_000

SAMPLES = 3
"""How often a change is measured, unless the config says otherwise."""


def longest_silence(timeouts: Mapping[str, float], samples: int | None) -> float:
    """The longest time, in seconds, that a working loop may leave no event: an agent's turn or a measurement.

    timeouts: those that were set, seconds. What is not above 0, or beyond all measure, counts as not set.
    """
    limits = {**TIMEOUTS, **{name: value for name, value in timeouts.items() if 0 < value <= _LARGEST}}
    count = samples if samples is not None and 0 < samples <= _LARGEST else SAMPLES
    return float(max(limits["agent"], limits["constraint"] + count * limits["sample"]))


def active_ms(since: int, until: int, silence: float) -> int:
    """How many of the milliseconds between two events of a loop count as worked.

    All of them, up to the longest silence, in seconds: a loop that was killed, or a machine that slept, says
    nothing of when it ended. None when the clock went back.
    """
    return int(min(max(until - since, 0), silence * 1000))
