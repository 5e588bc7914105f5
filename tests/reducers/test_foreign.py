"""Oddities of logs that other programs wrote, each in a small log of its own: what the views make of them."""

from __future__ import annotations

from typing import Any

from eventstore.events import Damaged, Unknown
from reducers.core import decode_state, encode_state, fold
from reducers.hooks import hooks
from reducers.runs import runs
from reducers.session import session
from tests.reducers.given import shown


def of_session(log: list[Any], *fields: str) -> tuple[Any, ...]:
    view = shown(session, log)
    return tuple(view[field] for field in fields)


def test_runs_without_a_type_and_hooks_as_pi_writes_them(log: list[Any]) -> None:
    """A line without `type` but with a numeric `run` is a run; `iterationTokens` is kept.

    {"type":"config","name":"speed","metricName":"ms","metricUnit":"ms","bestDirection":"lower"}
    {"run":1,"commit":"a1b2c3d","metric":10,"metrics":{},"status":"keep","description":"baseline","timestamp":1764517600000,"segment":0,"confidence":null,"iterationTokens":812}
    {"type":"hook","stage":"after","exit_code":0,"duration_ms":12,"stdout_bytes":0,"timed_out":false}
    {"run":2,"commit":"b1b2c3d","metric":9.5,"metrics":{},"status":"keep","description":"inline","timestamp":1764517660000,"segment":0,"confidence":null}
    """
    view = shown(session, log)

    assert (view["run_count"], view["baseline_metric"], view["best_metric"]) == (2, 10, 9.5)
    assert view["last_run"]["commit"] == "b1b2c3d"
    assert shown(hooks, log)["fires"] == 1


def test_a_crash_logged_with_0_is_no_measurement(log: list[Any]) -> None:
    """Neither the baseline, nor the best, nor a value for the confidence.

    {"type":"config","name":"g","metricName":"ms","bestDirection":"lower"}
    {"run":1,"metric":0,"status":"crash"}
    {"run":2,"metric":10,"status":"keep"}
    {"run":3,"metric":0,"status":"crash"}
    {"run":4,"metric":9,"status":"keep"}
    {"run":5,"metric":11,"status":"discard"}
    """

    assert of_session(log, "baseline_metric", "baseline_run", "best_metric", "confidence") == (10, 2, 9, 1.0)


def test_metrics_below_0_and_of_0_are_measurements(log: list[Any]) -> None:
    """Confidence is over all usable metrics, not over those above 0 alone.

    {"type":"config","name":"g","metricName":"score","bestDirection":"higher"}
    {"run":1,"metric":-4,"status":"keep"}
    {"run":2,"metric":0,"status":"keep"}
    {"run":3,"metric":-2,"status":"discard"}
    """

    assert of_session(log, "baseline_metric", "best_metric", "confidence") == (-4, 0, 2.0)


def test_there_is_no_confidence_in_a_best_that_is_worse_than_the_baseline(log: list[Any]) -> None:
    """The baseline may have been discarded; what was kept after it is then no gain.

    {"type":"config","name":"g","metricName":"ms","bestDirection":"lower"}
    {"run":1,"metric":5,"status":"discard"}
    {"run":2,"metric":9,"status":"keep"}
    {"run":3,"metric":7,"status":"keep"}
    """

    assert of_session(log, "baseline_metric", "best_metric", "confidence") == (5, 7, None)


def test_a_foreign_config_keeps_what_it_does_not_say(log: list[Any]) -> None:
    """But no direction means lower, and snake_case names are not a config's in this format.

    {"type":"config","name":"first","metricName":"score","metricUnit":"pts","bestDirection":"higher"}
    {"run":1,"metric":5,"status":"keep"}
    {"type":"config","metric_name":"other","direction":"higher"}
    {"run":2,"metric":5,"status":"keep"}
    {"run":3,"metric":4,"status":"keep"}
    """

    assert of_session(log, "goal", "metric_name", "metric_unit", "direction", "segment", "best_metric") == (
        "first",
        "score",
        "pts",
        "lower",
        1,
        4,
    )


def test_a_log_without_a_config_is_a_session_all_the_same(log: list[Any]) -> None:
    """With the name that pi gives a metric.

    {"run":1,"metric":3,"status":"keep"}
    {"run":2,"metric":2,"status":"keep"}
    """

    assert of_session(log, "goal", "metric_name", "direction", "best_metric") == ("", "metric", "lower", 2)


def test_what_is_no_event_is_passed_by(log: list[Any]) -> None:
    """Results under another type, runs nested in `details`, progress of no known kind, and damage.

    {"type":"result","metric":1.5,"status":"keep","timestamp":1764517600.25}
    {"tool":"log_experiment","details":{"run":1,"metric":3},"local_time":"12:00"}
    {"iteration":4,"metric":7}
    {"run":"7","metric":7,"status":"keep"}
    {"run":1,"metric":8,"status":"keep"
    {"run":true,"metric":9,"status":"keep"}
    """

    assert {type(record) for record in log} <= {Unknown, Damaged}
    assert of_session(log, "run_count", "best_metric") == (0, None)


def test_times_of_any_shape_are_milliseconds_in_a_row(log: list[Any]) -> None:
    """Seconds, floats and ISO text; what is no time is null, and order is the file's.

    {"run":1,"metric":1,"status":"keep","timestamp":1764517600}
    {"run":2,"metric":1,"status":"keep","timestamp":1764517600.25}
    {"run":3,"metric":1,"status":"keep","timestamp":"2025-11-30T15:46:40Z"}
    {"run":4,"metric":1,"status":"keep","timestamp":"2025-11-30T16:46:40.5+01:00"}
    {"run":5,"metric":1,"status":"keep","timestamp":1e300}
    {"run":6,"metric":1,"status":"keep","timestamp":{"ms":1}}
    {"run":7,"metric":1,"status":"keep"}
    """

    assert [row["timestamp"] for row in shown(runs, log)["runs"]] == [
        1_764_517_600_000,
        1_764_517_600_250,
        1_764_517_600_000,
        1_764_517_600_500,
        None,
        None,
        None,
    ]


def test_numbers_that_repeat_fall_or_are_huge_are_claims(log: list[Any]) -> None:
    """A row has its ordinal, and beside it what the line says.

    {"run":5,"metric":1,"status":"keep"}
    {"run":5,"metric":1,"status":"keep"}
    {"run":2,"metric":1,"status":"keep"}
    {"run":3.0,"metric":1,"status":"keep"}
    {"run":123456789012345678901234567890,"metric":123456789012345678901234567890,"status":"keep"}
    """
    rows = shown(runs, log)["runs"]

    assert [row["run"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["claimed"] for row in rows] == [5, 5, 2, 3.0, 123456789012345678901234567890]
    assert rows[-1]["delta"] == 123456789012345678901234567889


def test_ill_typed_fields_are_left_at_their_defaults(log: list[Any]) -> None:
    """The run counts with what is left of it.

    {"run":1,"metric":4,"status":"keep","commit":12,"metrics":["a"],"description":null,"segment":"zero","asi":"notes","by":7}
    """
    view = shown(runs, log)["runs"][0]

    assert (view["metric"], view["commit"], view["metrics"], view["description"]) == (4, None, {}, "")
    assert (view["asi"], view["by"]) == ({"note": "notes"}, "user")


def test_a_number_beyond_a_double_is_null_wherever_it_stands(log: list[Any]) -> None:
    """JSON's grammar allows it, but nothing we show or keep can hold it.

    {"run":1,"metric":4,"status":"keep","metrics":{"a":1e999,"b":[-1e999]},"duration_seconds":1e999,"timestamp":1e999}
    """
    row = shown(runs, log)["runs"][0]
    state = fold(session, log)

    assert (row["metrics"], row["duration_seconds"], row["timestamp"]) == (
        {"a": None, "b": [None]},
        None,
        None,
    )
    assert decode_state(session, encode_state(state)) == state


def test_secondary_metrics_that_are_no_numbers_are_shown_as_they_are(log: list[Any]) -> None:
    """Names are joined over the segment, first values first.

    {"run":1,"metric":4,"status":"keep","metrics":{"size_kb":"12k","p95_µs":null}}
    {"run":2,"metric":3,"status":"keep","metrics":{"p95_µs":7,"size_kb":{"gz":3}}}
    """
    (secondary,) = of_session(log, "secondary")

    assert secondary == {
        "size_kb": {"unit": "kb", "baseline": "12k", "best": {"gz": 3}},
        "p95_µs": {"unit": "µs", "baseline": None, "best": 7},
    }
