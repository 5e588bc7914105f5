"""What the rules say of a session: the same as its views and a loop would."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands.effects.ruling import Ruling, ruling_on
from eventstore.events import Config, Event, Pivot, Run, Settings, Stopped
from eventstore.filelog import FileLog

CONFIG = Config(name="smaller", metricName="value", metricUnit="", bestDirection="lower")


def runs(*metrics: float) -> list[Event]:
    """Runs of these metrics, kept where they are the best so far."""
    made: list[Event] = []
    best = float("inf")
    for number, metric in enumerate(metrics, 1):
        status = "keep" if metric < best else "discard"
        best = min(best, metric)
        made.append(Run(run=number, metric=metric, status=status, description=f"run {number}"))
    return made


def ruled(tmp_path: Path, *events: Event) -> Ruling:
    log = FileLog(tmp_path / "log.jsonl", by="user")
    log.append([CONFIG, *events])
    return ruling_on(log)


def test_while_all_is_well_nothing_is_demanded(tmp_path: Path) -> None:
    """A session that gets better."""
    assert ruled(tmp_path, *runs(10, 9)) == Ruling(None, "", 0, None, "")


@pytest.mark.parametrize(("stale", "level"), [(2, "structure"), (3, "inject"), (4, "human")])
def test_a_search_that_circles_is_sent_elsewhere(tmp_path: Path, stale: int, level: str) -> None:
    """With the level that is due, and what it asks of the next change."""
    ruling = ruled(tmp_path, *runs(10, *[11] * stale))

    assert (ruling.stop_reason, ruling.stale_count, ruling.pivot_due) == (None, stale, level)
    assert ruling.demand.startswith(f"{stale} judged runs without a new best")


def test_a_pivot_stays_in_force_until_the_next_run(tmp_path: Path) -> None:
    """It is due no more, but where to go is still said."""
    ruling = ruled(tmp_path, *runs(10, 11, 11), Pivot(level="structure", to="arrays"))

    assert ruling.pivot_due is None
    assert "Take this one" in ruling.demand


@pytest.mark.parametrize(
    ("events", "reason", "detail"),
    [
        ([*runs(10, 9), Settings(limits={"target": 9})], "target", "the best is 9, the target 9"),
        ([*runs(10, 11, 11, 11, 11, 11)], "discards", "5 judged runs in a row without a keep"),
        ([*runs(10, 9), Settings(limits={"max_cycles": 1})], "max_cycles", "1 of 1 cycles"),
        ([*runs(10, 9), Settings(limits={"max_iterations": 2})], "max_cycles", "max_iterations: 2 of 2 runs"),
        ([*runs(10), Stopped(reason="user")], "user", "as the log has it"),
        ([*runs(10), Stopped(reason="off")], "off", "as the log has it"),
    ],
)
def test_the_first_stop_rule_that_holds_is_told(
    tmp_path: Path, events: list[Event], reason: str, detail: str
) -> None:
    """With what was reached."""
    ruling = ruled(tmp_path, *events)

    assert (ruling.stop_reason, ruling.stop_detail) == (reason, detail)
