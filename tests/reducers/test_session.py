from __future__ import annotations

from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.events import Config, Heartbeat, Hook, Note, Run
from reducers.core import fold
from reducers.policies.metric import is_better
from reducers.session import session
from reducers.strategies import event, logs
from tests.reducers.given import records, shown


def run(metric: Any, status: str = "keep", **fields: Any) -> Run:
    return Run(run=1, metric=metric, status=status, **fields)


def test_an_empty_log_shows_the_defaults_of_a_session_without_a_config() -> None:
    """Nothing has happened: no goal, pi's default metric, nothing measured."""

    assert shown(session, []) == {
        "goal": "",
        "metric_name": "metric",
        "metric_unit": "",
        "direction": "lower",
        "segment": 0,
        "baseline_metric": None,
        "baseline_run": None,
        "best_metric": None,
        "best_run": None,
        "run_count": 0,
        "segment_run_count": 0,
        "statuses": {},
        "confidence": None,
        "last_run": None,
        "secondary": {},
    }


def test_a_whole_session(log: list[Any]) -> None:
    """Baseline is the first usable metric, best the best kept one, in numbers as they were written.

    {"type":"config","seq":1,"name":"faster","metricName":"ms","metricUnit":"ms","bestDirection":"lower"}
    {"type":"run","seq":2,"run":1,"metric":100,"metrics":{"rss_mb":80,"note":"x"},"status":"keep"}
    {"type":"run","seq":3,"run":2,"metric":90.5,"metrics":{"rss_mb":70,"cold_s":2},"status":"keep"}
    {"type":"run","seq":4,"run":3,"metric":80,"status":"checks_failed"}
    {"type":"run","seq":5,"run":4,"metric":0,"status":"crash"}
    {"type":"run","seq":6,"run":5,"metric":97,"metrics":{"rss_mb":1},"status":"discard"}
    """
    view = shown(session, log)

    last_run = view.pop("last_run")
    assert (last_run["run"], last_run["metric"], last_run["status"]) == (5, 97, "discard")
    deviations = [abs(value - median([100, 90.5, 80, 97])) for value in [100, 90.5, 80, 97]]
    assert view == {
        "goal": "faster",
        "metric_name": "ms",
        "metric_unit": "ms",
        "direction": "lower",
        "segment": 0,
        "baseline_metric": 100,
        "baseline_run": 1,
        "best_metric": 90.5,
        "best_run": 2,
        "run_count": 5,
        "segment_run_count": 5,
        "statuses": {"keep": 2, "checks_failed": 1, "crash": 1, "discard": 1},
        "confidence": 9.5 / median(deviations),
        "secondary": {
            "rss_mb": {"unit": "mb", "baseline": 80, "best": 70},
            "note": {"unit": "", "baseline": "x", "best": None},
            "cold_s": {"unit": "s", "baseline": 2, "best": 2},
        },
    }
    assert type(view["baseline_metric"]) is int


def test_a_config_after_a_run_starts_a_segment_and_so_does_each_further_one(log: list[Any]) -> None:
    """Baseline, best, metrics and secondary metrics are the segment's; counts of runs are the log's.

    {"type":"config","seq":1,"name":"a","metricName":"ms","bestDirection":"lower"}
    {"type":"config","seq":2,"name":"b","metricName":"ms","bestDirection":"lower"}
    {"type":"run","seq":3,"run":1,"metric":5,"metrics":{"x_ms":1},"status":"keep","segment":7}
    {"type":"config","seq":4,"name":"c","metricName":"score","bestDirection":"higher"}
    {"type":"config","seq":5,"name":"d","metricName":"score","bestDirection":"higher"}
    {"type":"run","seq":6,"run":2,"metric":7,"metrics":{"y_ms":2},"status":"keep","segment":7}
    """
    before, after = shown(session, log[:5]), shown(session, log)

    assert (before["segment"], before["run_count"], before["segment_run_count"]) == (2, 1, 0)
    assert (before["baseline_metric"], before["best_metric"], before["secondary"]) == (None, None, {})
    assert (after["goal"], after["segment"], after["direction"]) == ("d", 2, "higher")
    assert (after["baseline_run"], after["best_run"], after["run_count"]) == (2, 2, 2)
    assert list(after["secondary"]) == ["y_ms"]


def test_a_task_without_a_metric_shows_none(log: list[Any]) -> None:
    """A config of ours without `metricName`: runs count, but nothing is measured.

    {"type":"config","seq":1,"name":"write a book"}
    {"type":"run","seq":2,"run":1,"metric":3,"status":"keep"}
    """
    view = shown(session, log)

    assert view["goal"] == "write a book"
    assert {name: view[name] for name in ("metric_name", "metric_unit", "direction", "best_metric")} == {
        "metric_name": None,
        "metric_unit": None,
        "direction": None,
        "best_metric": None,
    }
    assert (view["baseline_metric"], view["run_count"]) == (None, 1)


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ('{"run":3,"metric":"fast","status":"keep"}', {"baseline_metric": None, "run_count": 1}),
        ('{"run":3,"metric":null,"status":"keep"}', {"baseline_metric": None, "best_metric": None}),
        ('{"run":3,"metric":1e999,"status":"keep"}', {"baseline_metric": None, "best_metric": None}),
        ('{"run":3,"metric":true,"status":"keep"}', {"baseline_metric": None, "run_count": 1}),
        ('{"run":3,"metric":2}', {"baseline_metric": 2, "best_metric": None, "statuses": {"unknown": 1}}),
        ('{"run":3,"metric":2,"status":"KEPT"}', {"best_metric": None, "statuses": {"KEPT": 1}}),
        ('{"run":0.5,"metric":2,"status":"keep"}', {"best_run": 1, "run_count": 1}),
        ('{"run":3,"metric":2,"status":"keep","metrics":"none"}', {"secondary": {}, "best_metric": 2}),
        ('{"run":3,"metric":2,"status":"keep","metrics":{"a_ms":"2"}}', {"best_metric": 2}),
        (
            '{"type":"config","name":"g","bestDirection":"up"}',
            {"direction": "lower", "metric_name": "metric"},
        ),
        ('{"type":"config","name":"g","metricName":"x"}', {"direction": "lower", "metric_name": "x"}),
        ('{"type":"result","run":3,"metric":2,"status":"keep"}', {"run_count": 0}),
        ('{"type":"config"', {"run_count": 0}),
    ],
)
def test_foreign_lines_are_tolerated(line: str, shows: dict[str, Any]) -> None:
    """What other programs write never fails, and counts for what it is."""
    view = shown(session, records(line) + records('{"type":"hook","stage":"after"}'))

    assert {name: view[name] for name in shows} == shows


def test_run_numbers_that_repeat_or_fall_are_kept_but_not_believed(log: list[Any]) -> None:
    """Ordinals count all runs of the log.

    {"run":9,"metric":5,"status":"keep"}
    {"run":9,"metric":4,"status":"discard"}
    {"run":1,"metric":3,"status":"keep"}
    """
    view = shown(session, log)

    assert (view["run_count"], view["baseline_run"], view["best_run"]) == (3, 1, 3)
    assert view["last_run"]["run"] == 1


def test_of_equal_metrics_the_earliest_is_best() -> None:
    """A tie changes nothing."""
    view = shown(session, [run(2), run(1), run(1), run(1.0)])

    assert (view["best_metric"], view["best_run"]) == (1, 2)


@given(logs())
def test_best_improves_monotonically_within_a_segment(log: list[Any]) -> None:
    """No record makes the best worse, or takes it away, unless it starts a segment."""
    state = session.initial
    for record in log:
        before, state = state, fold(session, [record], state)
        best, was = state.standing.best, before.standing.best
        if state.standing.segment == before.standing.segment and was is not None:
            assert best is not None
            assert best == was or is_better(best.metric, was.metric, state.standing.goal.direction)


@given(logs())
def test_run_count_counts_runs(log: list[Any]) -> None:
    """Of every segment and status; the segment's are those since its config."""
    view = shown(session, log)

    runs = [index for index, record in enumerate(log) if type(record) is Run]
    configs = [
        index for index, record in enumerate(log) if type(record) is Config and runs and index > runs[0]
    ]
    assert view["run_count"] == len(runs) == sum(view["statuses"].values())
    assert view["segment_run_count"] == sum(index > max(configs, default=-1) for index in runs)
    assert view["segment"] == len(configs)


@given(logs(), st.data())
def test_heartbeats_hooks_and_notes_move_nothing(log: list[Any], data: st.DataObject) -> None:
    """They leave the very state object as it is, wherever they come."""
    state = fold(session, log)
    idle = data.draw(st.lists(st.one_of(event(Heartbeat), event(Hook), event(Note)), min_size=1))

    assert fold(session, idle, state) is state


@given(logs())
def test_the_view_agrees_with_a_plain_reading_of_the_rules(log: list[Any]) -> None:
    """Baseline and best, picked out of the whole log."""
    view = shown(session, log)

    runs_seen, segment, direction, has_metric = 0, [], "lower", True
    for record in log:
        if type(record) is Config:
            has_metric = record.seq is None or record.metricName is not None
            direction = "higher" if has_metric and record.bestDirection == "higher" else "lower"
            segment = [] if runs_seen else segment
        elif type(record) is Run:
            runs_seen += 1
            segment.append(record)
    usable = [
        item
        for item in segment
        if has_metric
        and type(item.metric) in (int, float)
        and item.status != "crash"
        and abs(item.metric) != float("inf")
    ]
    kept = [item.metric for item in usable if item.status == "keep"]
    best = (max(kept) if direction == "higher" else min(kept)) if kept else None
    baseline = usable[0].metric if usable else None
    assert (view["baseline_metric"], view["best_metric"]) == (baseline, best)
