"""A trial: what a cycle would measure and judge, without recording, committing or undoing anything."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from commands.context import Call
from commands.effects.measuring import Step
from commands.effects.tree_lock import tree_locked
from commands.effects.trying import Trial, Tried, try_out
from commands.errors import BadInputError
from eventstore import sessions
from eventstore.errors import ConflictError, LedgerError
from hooks.cancelling import Cancel, under
from tests.commands.bench import Bench, bench
from tests.commands.conftest import Ar, ar
from tests.commands.sandbox import prepared, sandbox

__all__ = ["ar", "bench", "prepared", "sandbox"]


def tried(place: Path, told: list[Step] | None = None, **trial: Any) -> Tried:
    """A trial in this directory."""
    return try_out(Call(directory=place), Trial(**trial), [].append if told is None else told.append)


@pytest.fixture
def plain(ar: Ar, tmp_path: Path) -> Path:
    """A session that measures itself, with nothing but a goal, outside of any repository."""
    assert ar("init", "smaller", "--metric", "value", "--unit", "", "--direction", "lower").code == 0
    return tmp_path


@pytest.mark.parametrize(
    ("value", "status", "reason", "percent"),
    [
        ("9", "keep", "improved", -10.0),
        ("10", "discard", "equal", 0.0),
        ("11", "discard", "worse", 10.0),
        ("nothing", "crash", "no_metric", None),
    ],
)
def test_the_verdict_is_that_of_a_cycle(
    bench: Bench, value: str, status: str, reason: str, percent: float | None
) -> None:
    """And nothing is recorded, committed or undone."""
    bench.value(value)
    lines, head = bench.lines(), bench.box.head

    found = tried(bench.box.top)

    assert (found.verdict.status, found.verdict.reason, found.verdict.change_pct) == (status, reason, percent)
    assert (bench.lines(), bench.box.head) == (lines, head)
    assert bench.box.read("src/value") == f"{value}\n".encode()


def test_the_constraint_comes_first(bench: Bench) -> None:
    """One that fails spares the measuring, as in a cycle."""
    bench.box.write("src/bad", "")
    told: list[Step] = []

    found = tried(bench.box.top, told)

    assert (found.verdict.status, found.found.samples) == ("checks_failed", ())
    assert [step.what for step in told] == ["constraint"]


def test_what_measures_must_be_as_agreed(bench: Bench) -> None:
    """A changed harness measures nothing that could be kept, and is named."""
    script = bench.box.write(".auto/measure.sh", "cat src/value\n")
    assert bench.ar("init", "--measure", "bash .auto/measure.sh", "--allow-dirty").code == 0
    script.write_text("echo 1\n")

    found = tried(bench.box.top)

    assert (found.verdict.status, found.verdict.reason) == ("crash", "harness")
    assert found.found.error == "what measures has changed: .auto/measure.sh"


def test_a_log_that_is_deleted_meanwhile_comes_back(plain: Path) -> None:
    """And the number does not count."""
    log = plain / ".auto" / "log.jsonl"
    before = log.read_bytes()

    found = tried(plain, command="rm -rf .auto; echo 1")

    assert (found.verdict.status, found.found.reason, found.found.median) == ("crash", "log_changed", None)
    assert log.read_bytes() == before


def test_the_sessions_own_scripts_are_used(plain: Path) -> None:
    """`.auto/measure.sh` measures, `.auto/checks.sh` is the constraint where the config has none."""
    (plain / ".auto" / "measure.sh").write_text("echo METRIC value=4; echo METRIC rss_kb=7\n")
    checks = plain / ".auto" / "checks.sh"
    checks.write_text("exit 0\n")
    assert tried(plain).found.metrics == {"rss_kb": 7.0}

    checks.write_text("echo two tests fail >&2; exit 1\n")
    found = tried(plain)

    assert (found.verdict.status, found.found.output_tail) == ("checks_failed", "two tests fail")


def test_a_command_and_limits_can_be_given(plain: Path) -> None:
    """Where the session has no command of its own; it is run once unless more samples are asked for."""
    once = tried(plain, command="echo 3")
    thrice = tried(plain, command="echo 3", samples=3)
    late = tried(plain, command="sleep 30", sample_seconds=0.2)

    assert (once.found.samples, once.verdict.reason) == ((3.0,), "baseline")
    assert thrice.found.samples == (3.0, 3.0, 3.0)
    assert (late.verdict.status, late.verdict.reason) == ("crash", "timed_out")


@pytest.mark.parametrize(
    ("line", "trial", "error"),
    [
        ([], {}, "the session has no metric command"),
        (
            ["config", "name=x", "metricName=v", "bestDirection=lower", "measure=echo 2"],
            {"command": "echo 1"},
            "the session is measured with 'echo 2'",
        ),
        (["config", "name=a survey"], {"command": "echo 1"}, "the task has no metric"),
    ],
)
def test_what_cannot_be_measured_is_told(
    ar: Ar, plain: Path, line: list[str], trial: dict[str, Any], error: str
) -> None:
    """With what to do about it."""
    if line:
        assert ar("append", *line).code == 0

    with pytest.raises(BadInputError, match=error) as raised:
        tried(plain, **trial)

    assert raised.value.remedy


@pytest.mark.parametrize(
    ("verb", "error"),
    [
        (("off",), "switched off"),
        (("init", "--max-iterations", "1"), "takes no more"),
        (("append", "started", "cycle:=1"), "cycle 1 is not finished"),
    ],
)
def test_what_could_not_be_recorded_is_not_measured(bench: Bench, verb: tuple[str, ...], error: str) -> None:
    """Refused before an hour is spent on it."""
    assert bench.ar(*verb).code == 0
    told: list[Step] = []

    with pytest.raises(LedgerError, match=error) as raised:
        tried(bench.box.top, told)

    assert (raised.value.exit_code, told) == (3, [])


def test_nobody_measures_beside_a_cycle(bench: Bench) -> None:
    """The tree is locked: two measurements at once would spoil each other."""
    with tree_locked(sessions.new(bench.box.top).tree_lock), pytest.raises(ConflictError, match="at work"):
        tried(bench.box.top)


def test_it_can_be_cancelled(plain: Path) -> None:
    """The command is ended, the lock free, nothing written down as running."""
    cancel, ready = Cancel(), threading.Event()
    outcome: list[BaseException] = []

    def work() -> None:
        trial = Trial(command="echo $$ > pid; echo ready; sleep 60")
        try:
            with under(cancel):
                try_out(Call(directory=plain), trial, lambda _: None, lambda _: ready.set())
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert ready.wait(60)
    cancel.ask()
    thread.join(60)
    cancel.close()

    assert [type(each) for each in outcome] == [KeyboardInterrupt]
    with pytest.raises(ProcessLookupError):
        os.kill(int((plain / "pid").read_text()), 0)
    assert not list((plain / ".auto").rglob("running.json*"))
    assert tried(plain, command="echo 1").found.median == 1
