"""Running a session's constraint and metric command, and what their output says (design, section 6.1)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from hooks.process import Finished, run, shell_argv, strip_own_environment
from reducers.policies.metric import median
from reducers.policies.metric_output import Reading, compile_pattern, read_metric

__all__ = ["CONSTRAINT_SECONDS", "SAMPLE_SECONDS", "Measurement", "Plan", "Step", "measure", "tail_of"]

SAMPLE_SECONDS = 600.0
"""How long one sample may take by default."""

CONSTRAINT_SECONDS = 300.0
"""How long the constraint may take by default."""

_KEPT = 4 << 20
"""Bytes of a command's output that are looked at, from its end."""

_TAIL_LINES, _TAIL_BYTES = 20, 4096


class Plan(msgspec.Struct, frozen=True):
    """What is measured, and how.

    command: prints the metric; runs in a shell. constraint: must succeed first; None for none.
    samples: how many times, from 1. metric_name: which of `METRIC name=value` counts; None for the last.
    pattern: finds the metric in the output, one group; None for the last number.
    sample_seconds, constraint_seconds: limits, above 0.
    """

    command: str
    constraint: str | None = None
    samples: int = 3
    metric_name: str | None = None
    pattern: str | None = None
    sample_seconds: float = SAMPLE_SECONDS
    constraint_seconds: float = CONSTRAINT_SECONDS


class Step(msgspec.Struct, frozen=True):
    """What is being run, for whoever watches.

    what: `constraint` or `sample`. number, of: which of how many samples, from 1; 1 of 1 for the constraint.
    value: what it came to; None when it begins or failed.
    """

    what: str
    number: int
    of: int
    value: float | None = None


class Measurement(msgspec.Struct, frozen=True):
    """What a measurement came to.

    samples: the values, in order; all of them or, after a failure, those before it. median: None unless every
    sample succeeded. metrics: medians of the other named metrics. exit_code: of the last command that ran;
    negative for a signal, None if it did not end by itself. duration_ms: of all samples. timed_out: whether a
    limit ended one. constraint_exit: None if there is none or it did not end by itself. output_tail: the end
    of what the last command printed, 20 lines and 4 KiB at most. reason: why there is no median:
    `constraint_failed`, `exit_N`, `signal_N`, `timed_out`, `not_started`, `no_metric`, `not_finite`; None if
    there is one. error: the same in words.
    """

    samples: tuple[float, ...] = ()
    median: float | None = None
    metrics: dict[str, float] = {}
    exit_code: int | None = None
    duration_ms: int = 0
    timed_out: bool = False
    constraint_exit: int | None = None
    output_tail: str = ""
    reason: str | None = None
    error: str | None = None

    @property
    def constraint_ok(self) -> bool:
        """Whether the constraint passed, or there is none."""
        return self.reason != "constraint_failed"


def measure(
    plan: Plan,
    *,
    cwd: Path,
    told: Callable[[Step], None] | None = None,
    env: Mapping[str, str] | None = None,
    on_start: Callable[[int, str], None] | None = None,
    between: Callable[[], None] | None = None,
    on_output: Callable[[bytes], None] | None = None,
) -> Measurement:
    """Runs the constraint, then the samples; stops at the first failure.

    One failed sample fails the measurement: there is never a median of fewer. Commands get no input and none
    of our own environment variables. told: called as each command begins and when a sample has its value.
    on_start: gets the pid and the start stamp of each command. between: called after a command and before the
    next, to undo what the one did to the files that the other is about to measure. on_output: gets what they
    print, as it comes. Raises ValueError for a pattern that is none.
    """
    pattern = compile_pattern(plan.pattern) if plan.pattern is not None else None
    environment = strip_own_environment(os.environ if env is None else env)
    tell = told or (lambda _: None)

    def run_one(command: str, seconds: float) -> Finished:
        return run(
            shell_argv(command),
            cwd=cwd,
            timeout=seconds,
            stdout_cap=_KEPT,
            stderr_cap=_KEPT,
            keep="tail",
            env=environment,
            on_output=on_output,
            on_start=on_start,
        )

    constraint_exit = None
    if plan.constraint is not None:
        tell(Step("constraint", 1, 1))
        checked = run_one(plan.constraint, plan.constraint_seconds)
        constraint_exit = checked.exit_code
        failure = _failure(checked)
        if failure is not None:
            return Measurement(
                exit_code=checked.exit_code,
                timed_out=checked.timed_out,
                constraint_exit=constraint_exit,
                output_tail=tail_of(checked, failed=True),
                reason="constraint_failed",
                error=f"the constraint {failure[1]}",
            )
    samples: list[float] = []
    readings: list[Reading] = []
    duration_ms = 0
    for number in range(1, plan.samples + 1):
        if between is not None and (number > 1 or plan.constraint is not None):
            between()
        tell(Step("sample", number, plan.samples))
        finished = run_one(plan.command, plan.sample_seconds)
        duration_ms += finished.duration_ms
        reading = read_metric(finished.stdout.decode("utf-8", "replace"), plan.metric_name, pattern)
        failure = _failure(finished) or _no_value(reading, plan)
        if failure is not None or reading.value is None:
            reason, error = failure or ("no_metric", "printed no metric")
            return Measurement(
                samples=tuple(samples),
                exit_code=finished.exit_code,
                duration_ms=duration_ms,
                timed_out=finished.timed_out,
                constraint_exit=constraint_exit,
                output_tail=tail_of(finished, failed=True),
                reason=reason,
                error=f"sample {number} of {plan.samples} {error}",
            )
        samples.append(reading.value)
        readings.append(reading)
        tell(Step("sample", number, plan.samples, reading.value))
    return Measurement(
        samples=tuple(samples),
        median=median(samples),
        metrics=_medians(readings, plan.metric_name),
        exit_code=finished.exit_code,
        duration_ms=duration_ms,
        constraint_exit=constraint_exit,
        output_tail=tail_of(finished, failed=False),
    )


def _failure(finished: Finished) -> tuple[str, str] | None:
    """Why a command did not succeed, as a word and in words; None if it did."""
    if finished.error is not None:
        return "not_started", f"could not be started: {finished.error}"
    if finished.timed_out:
        return "timed_out", f"was ended after {finished.timeout:g} s"
    code = finished.exit_code
    if code is None or code == 0:
        return None
    return (
        (f"exit_{code}", f"exited {code}")
        if code > 0
        else (f"signal_{-code}", f"was ended by signal {-code}")
    )


def _no_value(reading: Reading, plan: Plan) -> tuple[str, str] | None:
    """Why an output gives no usable value, as a word and in words; None if it gives one."""
    if reading.reason == "not_finite":
        return "not_finite", "printed a metric that is not finite"
    if reading.reason is None:
        return None
    if reading.metrics and plan.metric_name is not None:
        return "no_metric", f"printed METRIC lines, but none for {plan.metric_name}"
    return "no_metric", "printed no number that could be the metric"


def _medians(readings: list[Reading], primary: str | None) -> dict[str, float]:
    """The median of each named metric but the primary one, over the samples that printed it."""
    values: dict[str, list[float]] = {}
    for reading in readings:
        for name, value in reading.metrics.items():
            if name != primary:
                values.setdefault(name, []).append(value)
    return {name: median(found) for name, found in values.items()}


def tail_of(finished: Finished, *, failed: bool) -> str:
    """The end of what a command printed: of its errors if it failed and printed any, else of its output."""
    data = finished.stderr if failed and finished.stderr.strip() else finished.stdout
    lines = data.decode("utf-8", "replace").rstrip().split("\n")[-_TAIL_LINES:]
    encoded = "\n".join(lines).encode()
    return (
        encoded[-_TAIL_BYTES:].decode("utf-8", "ignore") if len(encoded) > _TAIL_BYTES else "\n".join(lines)
    )
