"""`ar measure`, flag by flag, as the first AutoResearch skill's `measure_cycle.py` behaves."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Ar

HEADER = "timestamp\tcycle\tchange\tmetric_before\tmetric_after\tverdict\n"
TABLE = "autoresearch-results.tsv"


def measured(ar: Ar, *argv: str, code: int = 0) -> dict[str, Any]:
    """The JSON object of a call that ends with this exit code."""
    ran = ar("measure", *argv)
    assert ran.code == code, ran
    document: dict[str, Any] = json.loads(ran.out)
    return document


def rows(path: Path) -> list[list[str]]:
    """The table's rows without their times."""
    text = path.read_text()
    assert text.startswith(HEADER)
    return [line.split("\t")[1:] for line in text.removeprefix(HEADER).splitlines()]


def test_a_table_that_is_no_file_is_refused(ar: Ar, tmp_path: Path) -> None:
    """At once, also a pipe that nobody writes to; nothing is measured, no lock is left."""
    os.mkfifo(tmp_path / "pipe")

    metric = ("--metric", "touch ran; echo 1", "--direction", "lower")
    found = measured(ar, *metric, "--log", "pipe", code=2)

    assert found["error"] == "pipe is no file; name another with --log"
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_baseline_is_cycle_0_with_nothing_before_it(ar: Ar, tmp_path: Path) -> None:
    """Without --best; the constraint is not run."""
    found = measured(
        ar,
        "--metric",
        "echo 41.5",
        "--direction",
        "lower",
        "--constraint",
        "touch ran; false",
        "--cycle",
        "7",
    )

    assert found == {
        "ok": True,
        "cycle": 0,
        "change": "baseline",
        "samples": [41.5, 41.5, 41.5],
        "median": 41.5,
        "best_before": None,
        "best_after": 41.5,
        "verdict": "BASELINE",
        "change_pct": None,
        "reason": "baseline",
        "log": TABLE,
    }
    assert rows(tmp_path / TABLE) == [["0", "baseline", "", "41.5", "BASELINE"]]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("direction", "value", "verdict", "after", "change_pct", "reason"),
    [
        ("lower", 38, "KEPT", 38.0, -5.0, "improved"),
        ("lower", 42, "DISCARDED", 40.0, 5.0, "worse"),
        ("lower", 40, "DISCARDED", 40.0, 0.0, "equal"),
        ("higher", 42, "KEPT", 42.0, 5.0, "improved"),
        ("higher", 38, "DISCARDED", 40.0, -5.0, "worse"),
    ],
)
def test_a_change_is_kept_only_when_strictly_better(
    ar: Ar,
    tmp_path: Path,
    direction: str,
    value: int,
    verdict: str,
    after: float,
    change_pct: float,
    reason: str,
) -> None:
    """best_after is the new best or stays the old one."""
    found = measured(
        ar,
        *("--metric", f"echo {value}", "--direction", direction, "--best", "40", "--runs", "1"),
        *("--cycle", "3", "--change", "a\tchange\nof two lines"),
    )

    assert (found["verdict"], found["best_before"], found["best_after"]) == (verdict, 40.0, after)
    assert (found["change_pct"], found["reason"], found["cycle"]) == (change_pct, reason, 3)
    assert rows(tmp_path / TABLE) == [["3", "a change of two lines", "40.0", f"{float(value)}", verdict]]


def test_a_failed_constraint_is_a_discarded_row(ar: Ar, tmp_path: Path) -> None:
    """Nothing is measured; the table says CONSTRAINT_FAIL in the place of the metric."""
    found = measured(
        ar,
        *("--metric", "touch measured; echo 1", "--direction", "lower", "--best", "40"),
        *("--constraint", "exit 3", "--cycle", "2"),
    )

    assert (found["ok"], found["verdict"], found["reason"]) == (True, "DISCARDED", "constraint_failed")
    assert (found["constraint_exit"], found["median"], found["best_after"]) == (3, None, 40.0)
    assert rows(tmp_path / TABLE) == [["2", "", "40.0", "CONSTRAINT_FAIL", "DISCARDED"]]
    assert not (tmp_path / "measured").exists()


def test_a_passing_constraint_is_told(ar: Ar) -> None:
    """As its exit code 0."""
    found = measured(
        ar, "--metric", "echo 1", "--direction", "lower", "--best", "2", "--constraint", "true", "--runs", "1"
    )

    assert (found["constraint_exit"], found["verdict"]) == (0, "KEPT")


@pytest.mark.parametrize("command", ["exit 1", "echo nothing", "echo nan", "sleep 60"])
@pytest.mark.parametrize("best", [(), ("--best", "40")])
def test_no_number_is_exit_2_and_adds_nothing(
    ar: Ar, tmp_path: Path, command: str, best: tuple[str, ...]
) -> None:
    """`ok` is false and `error` says why."""
    found = measured(
        ar, "--metric", command, "--direction", "lower", "--runs", "1", "--timeout", "0.3", *best, code=2
    )

    assert found["ok"] is False
    assert found["error"].startswith("sample 1 of 1 ")
    assert not (tmp_path / TABLE).exists()


def test_an_empty_table_gets_the_header_and_cycles_count_on(ar: Ar, tmp_path: Path) -> None:
    """Without --cycle the number is the one after the table's last."""
    (tmp_path / "t.tsv").touch()
    for best in ((), ("--best", "9"), ("--best", "9")):
        measured(ar, "--metric", "echo 8", "--direction", "lower", "--runs", "1", "--log", "t.tsv", *best)

    assert [row[0] for row in rows(tmp_path / "t.tsv")] == ["0", "1", "2"]


def test_a_last_row_without_newline_is_not_glued_to(ar: Ar, tmp_path: Path) -> None:
    """As editors leave them."""
    (tmp_path / TABLE).write_text(HEADER + "2026-01-01T00:00:00+00:00\t4\tx\t\t9\tBASELINE")

    measured(ar, "--metric", "echo 8", "--direction", "lower", "--runs", "1", "--best", "9")

    assert [row[0] for row in rows(tmp_path / TABLE)] == ["4", "5"]


def test_a_foreign_table_is_refused_before_measuring(ar: Ar, tmp_path: Path) -> None:
    """And left as it is."""
    (tmp_path / TABLE).write_text("commit\tval_bpb\tstatus\n")

    found = measured(ar, "--metric", "touch ran; echo 8", "--direction", "lower", code=2)

    assert found["ok"] is False
    assert "another table" in found["error"]
    assert (tmp_path / TABLE).read_text() == "commit\tval_bpb\tstatus\n"
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "argv",
    [
        ["--direction", "lower"],
        ["--metric", "echo 1"],
        ["--metric", "echo 1", "--direction", "sideways"],
        ["--metric", "echo 1", "--direction", "lower", "--runs", "0"],
        ["--metric", "echo 1", "--direction", "lower", "--best", "nan"],
        ["--metric", "echo 1", "--direction", "lower", "--best", "inf"],
        ["--metric", "echo 1", "--direction", "lower", "--best", "x"],
        ["--metric", "echo 1", "--direction", "lower", "--cycle", "-1"],
        ["--metric", "echo 1", "--direction", "lower", "--timeout", "0"],
        ["--metric", "echo 1", "--direction", "lower", "--log", "."],
    ],
)
def test_bad_usage_is_one_line_and_exit_2(ar: Ar, tmp_path: Path, argv: list[str]) -> None:
    """Nothing is run or written."""
    ran = ar("measure", *argv)

    assert ran.code == 2
    assert ran.err.startswith("ar: ")
    assert list(tmp_path.iterdir()) == []


def test_a_negative_best_compares(ar: Ar) -> None:
    """The change is in per cent of the magnitude."""
    found = measured(ar, "--metric", "echo -5", "--direction", "lower", "--best", "-4", "--runs", "1")

    assert (found["verdict"], found["change_pct"]) == ("KEPT", -25.0)
