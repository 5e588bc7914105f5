from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from eventstore.events import Committed, Config, Measured, Record, Reverted, Run, Started
from reducers.core import fold
from reducers.cycle import cycle
from reducers.strategies import logs
from tests.reducers.given import shown

STARTED = Started(cycle=3, parent="p0", files=("a.py",), pid=7, pid_started="boot:1", timestamp=1_764_517_600)
COMMITTED = Committed(cycle=3, commit="c0ffee1234", parent="p0", files=("a.py", "b.py"))
MEASURED = Measured(cycle=3, commit="c0ffee1234", median=5.5, samples=(5, 5.5, 6))


def run(status: str, commit: str | None = "c0ffee1") -> Run:
    return Run(run=1, status=status, commit=commit)


def reverted(verified: bool, detail: str = "") -> Reverted:
    return Reverted(cycle=3, verified=verified, detail=detail)


def test_nothing_is_open_at_first() -> None:
    """And then there is nothing to finish."""
    view = shown(cycle, [])

    assert (view.pop("remaining"), view.pop("files")) == ([], [])
    assert set(view.values()) == {None}


def test_an_open_cycle_is_described_in_full() -> None:
    """So that it can be resumed from the log and the repository alone."""

    assert shown(cycle, [run("keep"), STARTED, COMMITTED, MEASURED]) == {
        "cycle": 3,
        "phase": "measured",
        "remaining": ["judge"],
        "finish": "judge the measurement, roll the commit back if it is not kept",
        "parent": "p0",
        "commit": "c0ffee1234",
        "files": ["a.py", "b.py"],
        "run": None,
        "status": None,
        "median": 5.5,
        "detail": None,
        "pid": 7,
        "pid_started": "boot:1",
        "since": 1_764_517_600_000,
        "last_cycle": 3,
    }


@pytest.mark.parametrize(
    ("log", "phase", "remaining"),
    [
        ([STARTED], "started", ["commit", "measure", "judge"]),
        ([STARTED, COMMITTED], "committed", ["measure", "judge"]),
        ([STARTED, COMMITTED, run("checks_failed")], "judged", ["revert"]),
        ([STARTED, COMMITTED, MEASURED], "measured", ["judge"]),
        ([STARTED, COMMITTED, MEASURED, run("keep")], None, []),
        ([STARTED, COMMITTED, MEASURED, run("discard")], "judged", ["revert"]),
        ([STARTED, COMMITTED, MEASURED, run("crash", None)], "judged", ["revert"]),
        ([STARTED, COMMITTED, MEASURED, run("discard"), reverted(True)], None, []),
        (
            [STARTED, COMMITTED, MEASURED, run("discard"), reverted(False, "dirty")],
            "revert_failed",
            ["repair"],
        ),
        ([STARTED, COMMITTED, MEASURED, run("discard"), reverted(False), reverted(True)], None, []),
        ([STARTED, run("crash", None)], None, []),
        ([STARTED, COMMITTED, MEASURED, run("keep", "0ther00")], "measured", ["judge"]),
        ([STARTED, COMMITTED, MEASURED, run("discard"), run("keep")], "judged", ["revert"]),
        ([STARTED, COMMITTED, Reverted(cycle=2, verified=True)], "committed", ["measure", "judge"]),
        ([COMMITTED], "committed", ["measure", "judge"]),
        ([MEASURED], "measured", ["judge"]),
        ([reverted(False)], "revert_failed", ["repair"]),
        ([reverted(True)], None, []),
        ([STARTED, Started(cycle=4)], "started", ["commit", "measure", "judge"]),
        ([STARTED, COMMITTED, Committed(cycle=4, commit="d")], "committed", ["measure", "judge"]),
        ([run("keep"), STARTED, Config(name="next")], "started", ["commit", "measure", "judge"]),
        ([Measured(cycle=0), run("crash")], None, []),
        ([run("keep"), run("discard")], None, []),
    ],
)
def test_the_last_step_on_the_log_decides_what_is_left(
    log: list[Record], phase: str | None, remaining: list[str]
) -> None:
    """Design, section 6.1: the steps of a cycle, cut short anywhere; other programs' runs do not judge it."""
    view = shown(cycle, log)

    assert (view["phase"], view["remaining"]) == (phase, remaining)
    assert (view["finish"] is None) == (phase is None)


def test_a_judged_cycle_names_its_run_and_a_failed_rollback_its_detail() -> None:
    """By the run's ordinal in the log."""
    log = [run("keep"), STARTED, COMMITTED, run("discard"), reverted(False, "a.py differs")]
    view = shown(cycle, log)

    assert (view["run"], view["status"], view["detail"]) == (2, "discard", "a.py differs")


def test_a_new_segment_numbers_its_cycles_anew() -> None:
    """The first config does not: there was nothing before it."""

    assert shown(cycle, [STARTED, COMMITTED, run("keep")])["last_cycle"] == 3
    assert shown(cycle, [STARTED, COMMITTED, run("keep"), Config(name="b")])["last_cycle"] is None
    assert shown(cycle, [STARTED, Config(name="b")])["last_cycle"] == 3


@given(logs(30))
def test_a_cycle_opens_and_closes_only_by_its_own_steps(log: list[Any]) -> None:
    """Only a verified rollback or a run closes one; nothing but its own events opens it."""
    state = cycle.initial
    for record in log:
        before, state = state, fold(cycle, [record], state)
        if before.open is not None and state.open is None:
            assert type(record) in (Run, Reverted)
        if before.open is None and state.open is not None:
            assert type(record) in (Started, Committed, Measured, Reverted)
