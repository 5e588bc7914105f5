"""The benchmarks run and yield numbers; how good these are is no matter for a test."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from eventstore.chain import verify
from eventstore.events import Config, Heartbeat, Hook, Run
from eventstore.lines import LineDecoder
from tests.benchmarks.__main__ import BENCHMARKS
from tests.benchmarks.biglog import big_log
from tests.benchmarks.measuring import ROOT, Budget, Pair, Row
from tests.benchmarks.table import table


def test_every_benchmark_yields_a_number(tmp_path: Path) -> None:
    """On a tiny log, with the fewest rounds; the document says against what and within which budget."""
    command = [sys.executable, "-m", "tests.benchmarks", "--quick", "--json", "--events", "400"]
    done = subprocess.run([*command, "--dir", str(tmp_path)], cwd=ROOT, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    rows = {row["name"]: row for row in document["rows"]}
    optional = {"capture-reference"} if not shutil.which("jq") else set()
    assert set(BENCHMARKS) - optional <= rows.keys() <= set(BENCHMARKS)
    for row in rows.values():
        assert math.isfinite(row["measured"])
        assert row["verdict"] in ("ok", "missed") if row["budget"] else row["verdict"] == ""
    assert (document["events"], document["machine"]["cores"]) != (0, 0)
    assert not [path for path in tmp_path.iterdir() if not path.name.startswith("log-")]


def test_the_big_log_is_what_it_is_said_to_be(tmp_path: Path) -> None:
    """Half runs, a quarter heartbeats, a quarter hooks, 290 bytes a line or so, chained, and made once."""
    path = big_log(tmp_path, 2000)
    content = path.read_bytes()
    records = LineDecoder().decode(content, 1).records

    kinds = [type(record) for record in records]
    assert kinds[0] is Config
    assert [kinds.count(kind) for kind in (Run, Heartbeat, Hook)] == [1000, 500, 499]
    assert 275 <= len(content) / 2000 <= 305
    report = verify([(0, content)])
    assert (report.faults, report.chained) == ((), 2000)
    made = path.stat().st_mtime_ns
    assert big_log(tmp_path, 2000).stat().st_mtime_ns == made


def test_the_ratio_is_the_middle_of_the_rounds(tmp_path: Path) -> None:
    """A round that something else spoiled counts for nothing."""
    pair = Pair([(2.0, 1.0), (900.0, 3.0), (4.4, 2.0)])

    assert (pair.ours, pair.reference, pair.ratio) == (4.4, 2.0, 2.2)


@pytest.mark.parametrize(
    ("budget", "measured", "verdict"),
    [
        (Budget("<=", 1.3), 1.3, "ok"),
        (Budget("<=", 1.3), 1.31, "missed"),
        (Budget(">=", 3), 3.0, "ok"),
        (Budget(">=", 3), 2.9, "missed"),
        (None, 5.0, ""),
    ],
)
def test_a_verdict_is_the_budgets(budget: Budget | None, measured: float, verdict: str) -> None:
    """At most, or at least; none where there is no budget."""
    row = Row("name", "work", "reference", measured, budget=budget)

    assert row.verdict == verdict
    assert msgspec.to_builtins(row)["measured"] == measured


def test_the_table_says_all_of_it() -> None:
    """One line a row, as Markdown."""
    rows = [
        Row("a", "work", "that", 1.234, ours=0.0123, reference=0.01, budget=Budget("<=", 1.3), remark="so"),
        Row("b", "memory", "", 66.9, unit="MiB", budget=Budget("<=", 50)),
    ]

    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table(rows).splitlines()]

    assert lines[0] == ["name", "work", "measured", "budget", "against", "verdict"]
    assert lines[2:] == [
        ["a", "work", "1.23 × (12.3 ms / 10.0 ms)", "≤ 1.3 × (so)", "that", "ok"],
        ["b", "memory", "66.9 MiB", "≤ 50 MiB", "", "missed"],
    ]
