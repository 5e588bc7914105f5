"""What a first measurement says of a metric command; the checks of a repository are tested with `ar init`."""

from __future__ import annotations

import pytest

from commands.effects.measuring import Measurement, Plan
from commands.effects.preconditions import SLOW_SECONDS, Check, failure_of, measured_checks

PLAN = Plan("bench", constraint="pytest -q")


def measured(*samples: float, seconds: float = 1.0) -> Measurement:
    middle = sorted(samples)[len(samples) // 2]
    return Measurement(samples, middle, duration_ms=round(seconds * len(samples) * 1000), constraint_exit=0)


def test_a_good_one() -> None:
    """The constraint, the median, the time a sample and how far samples lie apart."""
    checks = measured_checks(PLAN, measured(38, 40, 44), "ms")

    assert checks == [
        Check("constraint", "ok", "passes"),
        Check("metric", "ok", "40 ms, the median of 3"),
        Check("time", "ok", "1 s a sample"),
        Check("spread", "ok", "38 to 44 (15.0% of the median)"),
    ]


@pytest.mark.parametrize(("seconds", "state"), [(SLOW_SECONDS, "ok"), (SLOW_SECONDS + 1, "warn")])
def test_a_slow_one_is_warned_about(seconds: float, state: str) -> None:
    """Above five minutes a sample; it is no failure."""
    checks = measured_checks(PLAN, measured(5, seconds=seconds), None)

    assert [check.state for check in checks if check.name == "time"] == [state]
    assert failure_of(checks) is None


def test_a_spread_around_zero_has_no_percentage() -> None:
    """There is nothing to be a part of."""
    assert measured_checks(PLAN, measured(-1, 0, 1), None)[-1].detail == "-1 to 1"


def test_a_failure_ends_the_list() -> None:
    """With what the command said last."""
    failed = Measurement(
        reason="constraint_failed", error="the constraint exited 1", output_tail="one\n2 failed\n"
    )
    silent = Measurement(reason="timed_out", error="sample 1 of 3 was ended after 600 s", constraint_exit=0)

    assert measured_checks(PLAN, failed, None)[-1].detail == "the constraint exited 1; it said: 2 failed"
    assert [c.name for c in measured_checks(PLAN, silent, None)] == ["constraint", "metric"]
