"""Logs of pi-autoresearch and its ports: the given is a log, the expected value what it says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from eventstore.events import Custom, Hook, Run
from eventstore.formats.fates import Options
from tests.eventstore.formats.reading import asked, fields, first, goals, read, runs, skipped, view


def log(*lines: dict[str, Any]) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


CONFIG = {
    "type": "config",
    "name": "faster",
    "metricName": "total_ms",
    "metricUnit": "ms",
    "bestDirection": "lower",
}


def run(**fields: Any) -> dict[str, Any]:
    return {
        "run": 1,
        "commit": "abc1234",
        "metric": 10,
        "metrics": {},
        "status": "keep",
        "description": "x",
    } | fields


def test_what_pi_writes() -> None:
    """Config, runs and hooks keep all that they say."""
    reading = read(
        "pi",
        log(
            CONFIG,
            run(
                timestamp=1764517599123,
                segment=0,
                confidence=None,
                asi={"hypothesis": "h"},
                iterationTokens=7,
            ),
            {
                "type": "hook",
                "stage": "after",
                "exit_code": 0,
                "duration_ms": 38,
                "stdout_bytes": 2,
                "timed_out": False,
            },
            run(run=2, metric=8.5, metrics={"rss_kb": 5}, status="discard", confidence=1.5),
        ),
    )

    one, two = runs(reading)
    assert fields(one, "run", "commit", "metric", "status", "timestamp") == [
        1,
        "abc1234",
        10,
        "keep",
        1764517599123,
    ]
    assert (one.asi, one.iterationTokens) == ({"hypothesis": "h"}, 7)
    assert (two.metrics, two.confidence) == ({"rss_kb": 5}, 1.5)
    hook = reading.events[2].event
    assert isinstance(hook, Hook)
    assert (hook.stage, hook.exit_code, hook.duration_ms) == ("after", 0, 38)
    assert [placed.line for placed in reading.events] == [1, 2, 3, 4]
    assert all(fate.taken for fate in reading.fates)


def test_segments_are_those_that_pi_counts() -> None:
    """A config after a run starts the next segment; only a claim that does not agree is kept."""
    reading = read(
        "pi",
        log(CONFIG, run(segment=0), {**CONFIG, "name": "smaller"}, CONFIG, run(segment=1), run(segment=7)),
    )

    assert [r.segment for r in runs(reading)] == [0, 2, 2]
    assert [r.asi.get("segment") for r in runs(reading)] == [None, 1, 7]
    assert view(reading).segment == 2


def test_a_config_takes_over_what_it_leaves_out() -> None:
    """What a later config leaves out stays as it was, but no direction means lower."""
    reading = read(
        "pi", log({**CONFIG, "bestDirection": "higher"}, run(), {"type": "config", "name": "next"})
    )

    last = goals(reading)[-1]
    assert fields_of(last) == ("next", "total_ms", "ms", "lower")


def fields_of(config: Any) -> tuple[Any, ...]:
    return config.name, config.metricName, config.metricUnit, config.bestDirection


def test_snake_case_and_results() -> None:
    """A port with `metric_name`, `direction` and `type: result`, its times in floating seconds."""
    reading = read(
        "pi",
        log(
            {
                "type": "config",
                "name": "g",
                "metric_name": "ms",
                "metric_unit": "ms",
                "direction": "maximize",
            },
            {
                "type": "result",
                "commit": "a",
                "metric": 695.7,
                "status": "keep",
                "timestamp": 1785700604.153036,
            },
        ),
    )

    assert fields_of(goals(reading)[0]) == ("g", "ms", "ms", "higher")
    assert fields(first(reading), "metric", "timestamp", "run") == [695.7, 1785700604153, 1]


def test_what_a_config_says_besides_is_kept() -> None:
    """Fields that a config of ours does not have follow it in an event of their own."""
    reading = read("pi", log({**CONFIG, "maxIterations": 4}, run()))

    kept = reading.events[1].event
    assert isinstance(kept, Custom)
    assert (kept.type, kept.fields) == ("x.imported", {"of": "config", "fields": {"maxIterations": 4}})


def test_runs_nested_in_details() -> None:
    """A tool's own log with the run under `details`: inner fields win, outer ones are kept."""
    reading = read(
        "pi",
        log(
            {
                "tool": "autoresearch",
                "action": "experiment_done",
                "status": "success",
                "details": {
                    "status": "discard",
                    "metric": "score",
                    "value": 86.82,
                    "prev": 100.0,
                    "commit": "695edfd",
                    "description": "x",
                },
                "local_time": "2026-07-02T17:32:58",
            }
        ),
        Options(direction="higher"),
    )

    found = first(reading)
    assert fields(found, "status", "metric", "commit") == ["discard", 86.82, "695edfd"]
    assert found.timestamp == 1783013578000
    assert found.asi == {
        "tool": "autoresearch",
        "action": "experiment_done",
        "prev": 100.0,
        "outer_status": "success",
    }
    assert fields_of(goals(reading)[0]) == ("imported from a file", "score", "", "higher")


def test_before_and_after_as_objects() -> None:
    """The metric is what stands after, under its name or as the total; the rest are secondary metrics."""
    reading = read(
        "pi",
        log(
            {
                "cycle": 1,
                "metric": "quality",
                "before": {"as_any": 57, "total": 60},
                "after": {"as_any": 25, "total": 28},
                "delta": -32,
                "action": "keep",
                "status": "ok",
                "timestamp": "2026-03-29T19:35:00Z",
            }
        ),
    )

    found = first(reading)
    assert fields(found, "metric", "status", "metrics") == [28, "keep", {"as_any": 25}]
    assert found.asi["before"] == {"as_any": 57, "total": 60}
    assert goals(reading)[0].metricName == "quality"


def test_metric_among_the_metrics() -> None:
    """Without a metric of its own a run's first secondary metric is it, and stays among them."""
    reading = read(
        "pi",
        log(
            {"iteration": 0, "status": "baseline", "metrics": {"cost": 870.94, "files": 90}, "asi": "a note"},
            {"iteration": 1, "status": "keep", "metrics": {"files": 91, "cost": 840.4}},
        ),
    )

    assert [r.metric for r in runs(reading)] == [870.94, 840.4]
    assert [placed.number for placed in reading.events] == [None, 0, 1]
    assert first(reading).asi == {"note": "a note", "status": "baseline"}
    assert first(reading).metrics == {"cost": 870.94, "files": 90}


def test_metric_under_a_name_of_its_own() -> None:
    """`metric_eou_ms`, or the first measurement on the line; differences and counts are none."""
    one = read(
        "pi", log({"iter": 0, "ts": "2026-06-22", "metric_eou_ms": 6800, "min_ms": 6679, "decision": "keep"})
    )
    two = read(
        "pi", log({"iter": 1, "delta_ns": 3, "b64_encode_ns": 10.7, "decode_ns": 1.0, "decision": "keep"})
    )

    assert (first(one).metric, first(one).metrics) == (6800, {"min_ms": 6679})
    assert (first(two).metric, first(two).metrics) == (10.7, {"decode_ns": 1.0})
    assert goals(two)[0].metricName == "b64_encode_ns"
    assert first(two).asi == {"delta_ns": 3}


@pytest.mark.parametrize(
    ("fields", "metric"),
    [
        ({"metric": "12.5"}, 12.5),
        ({"metric": {"name": "total_ms", "value": 3}}, 3),
        ({"metric": None, "metric_value": 4}, 4),
        ({"value": 5}, 5),
        ({"score": 6}, 6),
        ({"after": 7, "before": 9}, 7),
        ({"total_ms": 8}, 8),
        ({"metrics": {"total_ms": 9, "a": 1}}, 9),
        ({"metric": None}, None),
        ({"metric": "hang"}, None),
        ({"metric": True}, None),
    ],
)
def test_metric_by_other_names(fields: dict[str, Any], metric: float | None) -> None:
    """The metric by any of its names, by the config's, and none where none is a number."""
    line = {"run": 1, "status": "keep", "description": "x", **fields}

    assert first(read("pi", log(CONFIG, line))).metric == metric


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"kept": True}, "keep"),
        ({"kept": False}, "discard"),
        ({"keep": False}, "discard"),
        ({"decision": "revert"}, "discard"),
        ({"verdict": "KEPT"}, "keep"),
        ({"action": "keep", "status": "ok"}, "keep"),
        ({"status": "success", "decision": "discard"}, "discard"),
        ({"status": "done"}, "keep"),
        ({"status": "failed"}, "crash"),
        ({"status": "crash", "decision": "discard"}, "crash"),
        ({"status": "checks_failed"}, "checks_failed"),
        ({"kind": "baseline"}, "keep"),
    ],
)
def test_verdicts_by_other_names(fields: dict[str, Any], status: str) -> None:
    """A word that is a verdict wins over one that may only say that something ended."""
    assert first(read("pi", log(CONFIG, {"iteration": 1, "metric": 3, **fields}))).status == status


def test_an_unknown_verdict_is_never_a_keep() -> None:
    """It is taken for a discard, its word kept, and told; `words` say what it means."""
    text = log(CONFIG, run(status="keep-candidate"), run())

    reading = read("pi", text)
    assert first(reading).status == "discard"
    assert first(reading).asi == {"status": "keep-candidate"}
    assert "no verdict that is known (keep-candidate)" in reading.fates[1].reason
    assert reading.notes
    assert first(read("pi", text, Options(words={"keep_candidate": "keep"}))).status == "keep"


def test_no_verdict_anywhere_is_asked_about() -> None:
    """Nothing is guessed where no line says whether its run was kept."""
    text = log(CONFIG, {"run": 1, "metric": 3}, {"run": 2, "metric": 2})

    assert "--status" in asked("pi", text).remedy
    assert [r.status for r in runs(read("pi", text, Options(status="keep")))] == ["keep", "keep"]


def test_runs_that_wait_for_a_verdict_are_left() -> None:
    """A run that is pending is for a later import."""
    assert skipped(read("pi", log(CONFIG, run(), run(status="running")))) == {3: "no verdict yet (running)"}


def test_numbers_repeat_fall_and_are_missing() -> None:
    """The source's numbers are only told; runs are numbered by their order."""
    reading = read("pi", log(CONFIG, run(run=1), run(run=1), run(run=49), {"status": "keep", "metric": 2}))

    assert [r.run for r in runs(reading)] == [1, 2, 3, 4]
    assert [p.number for p in reading.events if isinstance(p.event, Run)] == [1, 1, 49, None]


def test_a_log_without_a_goal() -> None:
    """Runs before the first config get a goal; no direction is lower, as pi has it, and that is said."""
    reading = read("pi", log(run(), CONFIG, run()), Options(source="x.jsonl"))

    assert [fields_of(goal) for goal in goals(reading)] == [
        ("imported from x.jsonl", "metric", "", "lower"),
        ("faster", "total_ms", "ms", "lower"),
    ]
    assert [p.line for p in reading.events] == [0, 1, 2, 3]
    assert "lower" in reading.notes[0]


def test_times_of_the_neighbours() -> None:
    """A goal without a time gets that of what follows, a run that of the one before it."""
    reading = read("pi", log(CONFIG, run(timestamp=1764517599123), run()))

    assert [placed.event.timestamp for placed in reading.events] == [1764517599123] * 3


def test_what_python_writes() -> None:
    """NaN is no metric and is kept as text; half an emoji does no harm."""
    reading = read(
        "pi", '{"run":1,"metric":NaN,"status":"keep","description":"\\ud83d","asi":{"a":Infinity}}\n'
    )

    assert first(reading).metric is None
    assert first(reading).asi == {"a": "Infinity", "metric": "NaN"}
    assert first(reading).description == "\ufffd"


def test_encodings_and_damage() -> None:
    """A byte order mark, CRLF, blank lines and torn lines cost nobody else's line."""
    text = b'\xef\xbb\xbf{"run":1,"metric":1,"status":"keep"}\r\n\r\n{"run":2,"met\r\n'
    text += b'{"run":3,"metric":3,"status":"keep"}\r\n'

    reading = read("pi", text)
    assert [r.metric for r in runs(reading)] == [1, 3]
    assert list(skipped(reading)) == [2, 3]
    assert len(runs(read("pi", text.decode("utf-8-sig").encode("utf-16")))) == 2


def test_lines_that_are_no_runs() -> None:
    """Other lines are left out, each with its reason."""
    reading = read(
        "pi",
        log(
            CONFIG,
            run(),
            {"type": "note", "text": "hi", "status": "ok"},
            {"type": "hook"},
            {"event": "start"},
        ),
    )

    assert skipped(reading) == {
        3: "no run, config or hook (note)",
        4: "a hook of no stage",
        5: "no run, config or hook",
    }


def test_a_line_that_would_be_too_long_is_left_out() -> None:
    """What may not be appended is skipped, and the rest is taken."""
    reading = read("pi", log(CONFIG, run(description="x" * (1 << 20)), run()))

    assert skipped(reading) == {2: "longer than 1,048,576 bytes"}
    assert len(runs(reading)) == 1


def test_another_field_as_the_metric() -> None:
    """`--metric` takes a secondary metric for the metric; the metric becomes a secondary one."""
    text = log(CONFIG, run(metric=10, metrics={"rss_kb": 5}))

    reading = read("pi", text, Options(metric="rss_kb", unit="kb"))
    assert first(reading).metric == 5
    assert first(reading).metrics == {"rss_kb": 5, "total_ms": 10}
    assert fields_of(goals(reading)[0]) == ("faster", "rss_kb", "kb", "lower")


def test_printed_with_indentation() -> None:
    """A log whose objects span lines is read all the same."""
    text = json.dumps(CONFIG, indent=2) + "\n" + json.dumps(run(), indent=2) + "\n"

    reading = read("pi", text)
    assert len(runs(reading)) == 1
    assert all(fate.taken for fate in reading.fates)


def test_a_task_without_a_metric() -> None:
    """An empty metric name, as our export writes it, is a task without one."""
    reading = read("pi", log({"type": "config", "name": "survey", "metricName": ""}, run(metric=None)))

    assert fields_of(goals(reading)[0]) == ("survey", None, None, None)
    assert view(reading).metric_name is None
