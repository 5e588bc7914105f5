"""Measuring: constraint first, all samples or none, and what the output says."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from commands.effects.measuring import Measurement, Plan, Step, measure


def counting(tmp_path: Path, *values: str) -> str:
    """A command that prints the next of these at each call."""
    script = tmp_path / "count.sh"
    lines = "\n".join(f"{n}) {value} ;;" for n, value in enumerate(values))
    script.write_text(
        f'n=$(cat "{tmp_path}/n" 2>/dev/null || echo 0)\n'
        f'echo $((n + 1)) >"{tmp_path}/n"\ncase $n in\n{lines}\nesac\n'
    )
    return f"bash {script}"


def test_the_median_of_all_samples_counts(tmp_path: Path) -> None:
    """An odd number of samples gives the middle one."""
    command = counting(tmp_path, "echo 3", "echo time: 1.5 ms", "echo 2")

    found = measure(Plan(command), cwd=tmp_path)

    assert (found.samples, found.median, found.exit_code, found.reason) == ((3.0, 1.5, 2.0), 2.0, 0, None)
    assert found.output_tail == "2"


def test_named_metrics_come_as_medians(tmp_path: Path) -> None:
    """The primary one is not repeated among them."""
    command = counting(tmp_path, *(f'echo "METRIC ms={n}"; echo "METRIC rss={n * 10}"' for n in (1, 2, 9)))

    found = measure(Plan(command, metric_name="ms"), cwd=tmp_path)

    assert (found.median, found.metrics) == (2.0, {"rss": 20.0})


def test_one_failed_sample_fails_the_measurement(tmp_path: Path) -> None:
    """There is no median of fewer; the samples before it are told."""
    command = counting(tmp_path, "echo 1", "echo 2; echo broken >&2; exit 3", "echo 3")

    found = measure(Plan(command), cwd=tmp_path)

    assert (found.samples, found.median, found.exit_code, found.reason) == ((1.0,), None, 3, "exit_3")
    assert (found.error, found.output_tail) == ("sample 2 of 3 exited 3", "broken")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("true", "no_metric"),
        ("echo nothing here", "no_metric"),
        ("echo nan", "not_finite"),
        ("echo METRIC other=3", "no_metric"),
        ("kill -9 $$", "signal_9"),
        ("no-such-command-anywhere", "exit_127"),
        ("exit 7", "exit_7"),
    ],
)
def test_what_gives_no_metric_says_why(tmp_path: Path, command: str, reason: str) -> None:
    """A word for programs, a sentence for people."""
    found = measure(Plan(command, samples=1, metric_name="ms"), cwd=tmp_path)

    assert (found.median, found.reason) == (None, reason)
    assert found.error is not None
    assert found.error.startswith("sample 1 of 1 ")


def test_a_failing_constraint_stops_before_measuring(tmp_path: Path) -> None:
    """Its exit code is told, and no sample runs."""
    found = measure(Plan(f"touch {tmp_path}/ran; echo 1", "echo no >&2; exit 4"), cwd=tmp_path)

    assert found == Measurement(
        exit_code=4,
        constraint_exit=4,
        output_tail="no",
        reason="constraint_failed",
        error="the constraint exited 4",
    )
    assert not found.constraint_ok
    assert not (tmp_path / "ran").exists()


def test_a_passing_constraint_is_told(tmp_path: Path) -> None:
    """Its exit code 0 is not None."""
    assert measure(Plan("echo 1", "true", samples=1), cwd=tmp_path).constraint_exit == 0


def test_time_limits_end_sample_and_constraint(tmp_path: Path) -> None:
    """A command that sleeps for ever is ended, and says so."""
    sample = measure(Plan("sleep 60", samples=1, sample_seconds=0.2), cwd=tmp_path)
    constraint = measure(Plan("echo 1", "sleep 60", constraint_seconds=0.2), cwd=tmp_path)

    assert (sample.timed_out, sample.reason, sample.error) == (
        True,
        "timed_out",
        "sample 1 of 1 was ended after 0.2 s",
    )
    assert (constraint.timed_out, constraint.reason, constraint.constraint_exit) == (
        True,
        "constraint_failed",
        None,
    )


def test_a_flood_costs_no_memory_and_the_last_number_counts(tmp_path: Path) -> None:
    """50 MB of output, then the metric."""
    command = (
        f"{sys.executable} -c \"import sys; sys.stdout.write('x' * 50_000_000 + chr(10) + '42' + chr(10))\""
    )

    assert measure(Plan(command, samples=1), cwd=tmp_path).median == 42.0


def test_a_command_that_leaves_a_daemon_holding_its_output_holds_nobody(tmp_path: Path) -> None:
    """What it left running is ended."""
    begun = time.monotonic()

    found = measure(Plan("sleep 600 & echo 5", samples=1), cwd=tmp_path)

    assert found.median == 5.0
    assert time.monotonic() - begun < 60


def test_commands_get_no_input_and_none_of_our_variables(tmp_path: Path) -> None:
    """A command that reads stdin sees its end; AR_DIR is ours alone."""
    env = {**os.environ, "AR_DIR": "/nowhere"}

    found = measure(Plan("cat; env | grep -c ^AR_DIR || true", samples=1), cwd=tmp_path, env=env)

    assert found.median == 0.0


def test_whoever_watches_is_told_each_step(tmp_path: Path) -> None:
    """Beginning and value of every sample, and the constraint."""
    steps: list[Step] = []

    measure(Plan("echo 4", "true", samples=2), cwd=tmp_path, told=steps.append)

    assert steps == [
        Step("constraint", 1, 1),
        Step("sample", 1, 2),
        Step("sample", 1, 2, 4.0),
        Step("sample", 2, 2),
        Step("sample", 2, 2, 4.0),
    ]


def test_the_tail_is_short(tmp_path: Path) -> None:
    """20 lines and 4 KiB at most, whole characters."""
    found = measure(Plan("seq 1 100", samples=1), cwd=tmp_path)
    wide = measure(Plan("printf 'é%.0s' $(seq 1 9000); echo; echo 1", samples=1), cwd=tmp_path)

    assert found.output_tail.split("\n") == [str(n) for n in range(81, 101)]
    assert 4000 < len(wide.output_tail.encode()) <= 4096


def test_a_pattern_finds_the_metric(tmp_path: Path) -> None:
    """Where the last number is not it."""
    found = measure(Plan("echo took 12.5 s in 3 rounds", samples=1, pattern=r"took (\S+)"), cwd=tmp_path)

    assert found.median == 12.5
