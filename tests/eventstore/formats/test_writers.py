"""What the writers write: pi's lines, the tables, the protocol's folder, in the shapes others expect."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from commands.exporting import exported, rows_of
from eventstore.events import (
    Config,
    Direction,
    Event,
    Finding,
    Heartbeat,
    Hook,
    Iteration,
    Note,
    Nudge,
    Run,
    Unknown,
    Verified,
)
from eventstore.formats.pi_writer import write_pi
from eventstore.formats.rows import Exported, RunRow
from eventstore.formats.runs_csv import COLUMNS, write_csv
from eventstore.formats.state import parse_folder
from eventstore.formats.state_writer import Progress, write_folder
from eventstore.formats.table_writer import write_karpathy, write_v1
from tests.eventstore.formats.histories import written

CONFIG = Config(name="faster", metricName="total_ms", metricUnit="ms", bestDirection="lower")
EVENTS: list[Event] = [
    CONFIG,
    Run(run=1, commit="abc1234", metric=42.0, status="keep", description="baseline", metrics={"rss_kb": 5}),
    Hook(stage="after", exit_code=0, duration_ms=3, stdout_bytes=9, steer="go on"),
    Run(run=1, metric=38.9, status="keep", description="a\tb\nc", reason="r", asi={"run": 3}, direction="d"),
    Run(run=1, metric=None, status="crash", description="=cmd()", by="worker:gpu0"),
    Run(run=1, metric=40.5, status="checks_failed", description="tests"),
    Finding(text="f"),
    Note(detail="n"),
]


def found(events: list[Event]) -> list[Exported]:
    log = written(events)
    return list(exported(item for batch in log.read() for item in batch.numbered()))


def pi_lines(events: list[Event]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in write_pi(found(events))]


def rows(events: list[Event]) -> list[RunRow]:
    return rows_of(found(events))


def test_pi_reads_only_what_it_knows() -> None:
    """Config, runs and hooks in pi's fields and order; no other line has a numeric `run`."""
    lines = pi_lines(EVENTS)

    assert [line.get("type", "run") for line in lines] == ["config", "run", "hook", "run", "run", "run"]
    assert list(lines[0]) == ["type", "name", "metricName", "metricUnit", "bestDirection"]
    head = [
        "run",
        "commit",
        "metric",
        "metrics",
        "status",
        "description",
        "timestamp",
        "segment",
        "confidence",
    ]
    for line in lines:
        if line.get("type", "run") == "run":
            assert list(line)[:9] == head
            assert "type" not in line
            assert line["status"] in ("keep", "discard", "crash", "checks_failed")
            assert isinstance(line["timestamp"], int)
        else:
            assert not isinstance(line.get("run"), (int, float))
    assert [line["run"] for line in lines if "run" in line] == [1, 2, 3, 4]
    assert list(lines[2]) == ["type", "stage", "exit_code", "duration_ms", "stdout_bytes", "timed_out"]


def test_pi_never_reads_a_keep_that_is_none() -> None:
    """A status that pi does not know, which it would take for a keep, becomes a discard."""
    run = Run(run=1, metric=3, status="unknown", description="x")
    row = RunRow(run, 1, 1, 0, found(EVENTS)[0].aim)

    line = json.loads(next(iter(write_pi([Exported(1, run, row.aim, row)]))))
    assert (line["status"], line["asi"]) == ("discard", {"status": "unknown"})


def test_pi_gets_the_ordinal_whatever_a_line_claims() -> None:
    """A foreign line's number and inherited goal come out as the log's rules have them."""
    foreign = [
        (1, Config(name="g", metricName="ms", metricUnit="ms", bestDirection="higher")),
        (2, Run(run=49, metric=3, status="keep")),
        (3, Config(name="", bestDirection=None)),
        (4, Run(run=49, metric="n/a", status="keep")),
        (5, Unknown(5, b"{}", None, "x")),
    ]

    lines = [json.loads(line) for line in write_pi(exported(foreign))]
    assert [line.get("run") for line in lines] == [None, 1, None, 2]
    assert lines[2] == {
        "type": "config",
        "name": "g",
        "metricName": "ms",
        "metricUnit": "ms",
        "bestDirection": "lower",
    }
    assert (lines[3]["metric"], lines[3]["segment"]) == (None, 1)


def test_karpathy() -> None:
    """commit, the metric, secondary metrics, status, description; as many cells in every row."""
    lines = "".join(write_karpathy(rows(EVENTS))).splitlines()

    assert lines[0] == "commit\ttotal_ms\trss_kb\tstatus\tdescription"
    assert lines[1] == "abc1234\t42.0\t5\tkeep\tbaseline"
    assert lines[2] == r"-" + "\t38.9\t\tkeep\t" + r"a\tb\nc"
    assert lines[3] == "-\t\t\tcrash\t=cmd()"
    assert {line.count("\t") for line in lines} == {4}


def test_remarks() -> None:
    """Goal and direction on lines with `#`, so that the table can be read by itself."""
    lines = "".join(write_karpathy(rows(EVENTS), remarks=True)).splitlines()

    assert lines[:4] == [
        "# goal: faster",
        "# metric_name: total_ms",
        "# metric_unit: ms",
        "# metric_direction: lower_is_better",
    ]


def test_first_generation() -> None:
    """The baseline is cycle 0; before is the best so far; verdicts in that script's words."""
    lines = [line.split("\t") for line in "".join(write_v1(rows(EVENTS))).splitlines()]

    assert lines[0] == ["timestamp", "cycle", "change", "metric_before", "metric_after", "verdict"]
    assert [line[1:] for line in lines[1:]] == [
        ["0", "baseline", "", "42.0", "BASELINE"],
        ["1", r"a\tb\nc", "42.0", "38.9", "KEPT"],
        ["2", "=cmd()", "38.9", "", "CRASH"],
        ["3", "tests", "38.9", "40.5", "CONSTRAINT_FAIL"],
    ]
    assert lines[1][0] == "2025-11-30T15:46:40.123Z"


def test_csv() -> None:
    """Our own columns; formulas are harmless, negative numbers are numbers, one row a line."""
    events: list[Event] = [
        *EVENTS,
        Run(run=1, metric=-3, status="keep", description="+1", metrics={"rss_kb": "n/a"}),
    ]

    text = "".join(write_csv(rows(events)))
    table = list(csv.DictReader(io.StringIO(text)))
    assert list(table[0]) == [*COLUMNS, "metrics.rss_kb"]
    assert len(text.splitlines()) == 6
    assert table[2]["description"] == "'=cmd()"
    assert (table[4]["metric"], table[4]["description"]) == ("-3", "'+1")
    assert table[4]["metrics.rss_kb"] == '"n/a"'
    assert table[1]["asi"] == '{"run":3}'


def test_state_folder() -> None:
    """The protocol's files; each line of a log has its five fields, in the log of whoever appended it."""
    events: list[Event] = [
        CONFIG,
        Finding(text="f", source="https://x.example", by="worker:w"),
        Iteration(iteration=1, summary="s", findings=1, by="worker:w"),
        Direction(text="d", state="tried"),
        Note(detail="took the left path", level="decision", event="decide", by="orchestrator"),
        Nudge(target="w", reason="asks", by="guardian:patrol"),
        Heartbeat(pid=1, by="worker:w"),
        Verified(kind="test", ok=False, by="verifier:v"),
    ]
    numbered = [(n, e) for n, e in enumerate(events, 1)]

    files = write_folder(numbered, Progress(1, 1, "active", 0), CONFIG)
    assert set(files) == {
        "task_spec.md",
        "progress.json",
        "findings.jsonl",
        "directions_tried.json",
        "iteration_log.jsonl",
        "logs/work.jsonl",
        "logs/orchestrator.jsonl",
        "logs/heartbeat.jsonl",
    }
    assert json.loads(files["progress.json"]) == {
        "iteration": 1,
        "total_findings": 1,
        "status": "active",
        "stale_count": 0,
    }
    logs = {
        path: [json.loads(line) for line in data.splitlines()]
        for path, data in files.items()
        if "logs/" in path
    }
    assert all(
        list(line) == ["ts", "source", "level", "event", "detail"] for log in logs.values() for line in log
    )
    assert [line["event"] for line in logs["logs/work.jsonl"]] == ["config", "heartbeat", "verified"]
    assert logs["logs/orchestrator.jsonl"][0]["detail"] == "took the left path"
    assert [line["source"] for line in logs["logs/heartbeat.jsonl"]] == ["guardian:patrol"]
    assert logs["logs/work.jsonl"][2]["level"] == "warn"
    assert json.loads(files["findings.jsonl"])["citation"] == "https://x.example"
    assert json.loads(files["directions_tried.json"])[0]["direction"] == "d"


def test_state_folder_tells_every_direction() -> None:
    """Those that runs and iterations went in were tried too, and stand among those that were recorded."""
    events: list[Event] = [
        Iteration(iteration=1, summary="s", direction="tiling"),
        Iteration(iteration=2, summary="s"),
        Direction(text="caching", state="abandoned"),
        Run(run=1, metric=3, status="discard", description="d", direction="simd"),
    ]

    files = write_folder(list(enumerate(events, 1)), Progress(), CONFIG)
    tried = json.loads(files["directions_tried.json"])
    assert [(each["direction"], each["state"], each["seq"]) for each in tried] == [
        ("tiling", "tried", 1),
        ("caching", "abandoned", 3),
        ("simd", "tried", 4),
    ]
    kinds = (Direction, Iteration, Run)
    back = [placed.event for _, placed in parse_folder(files).events]
    found = [event for event in back if isinstance(event, kinds)]
    assert [type(event) for event in found] == [type(event) for event in events]
