from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from eventstore.events import Config, Note, Resumed, Run, Stopped
from reducers.budget import budget
from reducers.debrief import debrief
from reducers.strategies import logs
from tests.reducers.given import shown


def subset(view: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: view[name] for name in names}


def test_a_segment_is_summed_up(log: list[Any]) -> None:
    """The baseline is no cycle; each kept change is told against the best before it.

    {"type":"config","seq":1,"timestamp":1764517600000,"name":"faster","metricName":"ms","bestDirection":"lower"}
    {"type":"run","seq":2,"timestamp":1764517660000,"run":1,"commit":"aaa","metric":200,"status":"keep"}
    {"type":"run","seq":3,"timestamp":1764517720000,"run":2,"commit":"bbb","metric":150,"status":"keep",
     "description":"arena"}
    {"type":"run","seq":4,"timestamp":1764517780000,"run":3,"commit":"ccc","metric":160,"status":"discard"}
    {"type":"run","seq":5,"timestamp":1764517840000,"run":4,"commit":"ddd","metric":null,"status":"crash"}
    {"type":"run","seq":6,"timestamp":1764517900000,"run":5,"metric":null,"status":"checks_failed"}
    {"type":"run","seq":7,"timestamp":1764517960000,"run":6,"commit":"eee","metric":120,"status":"keep",
     "description":"pages"}
    {"type":"note","seq":8,"timestamp":1764517970000,"level":"warn","event":"cycle_refused","detail":"x"}
    {"type":"note","seq":9,"timestamp":1764517980000,"event":"no_change","detail":"x"}
    {"type":"note","seq":10,"timestamp":1764517985000,"event":"other","detail":"x"}
    {"type":"stopped","seq":11,"timestamp":1764518200000,"reason":"user","detail":"Ctrl-C"}
    """
    view = shown(debrief, log)

    assert subset(
        view, "cycles", "kept", "discarded", "checks_failed", "crashed", "refused", "no_change"
    ) == {
        "cycles": 5,
        "kept": 2,
        "discarded": 2,
        "checks_failed": 1,
        "crashed": 1,
        "refused": 1,
        "no_change": 1,
    }
    assert subset(view, "baseline_metric", "best_metric", "improvement_pct", "elapsed_minutes") == {
        "baseline_metric": 200,
        "best_metric": 120,
        "improvement_pct": 40.0,
        "elapsed_minutes": 10.0,
    }
    assert subset(view, "stopped", "stop_reason", "stop_detail", "baseline_commit", "final_commit") == {
        "stopped": True,
        "stop_reason": "user",
        "stop_detail": "Ctrl-C",
        "baseline_commit": "aaa",
        "final_commit": "eee",
    }
    assert view["kept_changes"] == [
        {
            "run": 2,
            "description": "arena",
            "before": 200,
            "after": 150,
            "change_pct": -25.0,
            "commit": "bbb",
        },
        {
            "run": 6,
            "description": "pages",
            "before": 150,
            "after": 120,
            "change_pct": -20.0,
            "commit": "eee",
        },
    ]


def test_an_improvement_is_above_zero_whichever_way_is_better() -> None:
    """A higher metric where higher is better; a lower one where lower is."""
    runs = [Run(run=1, metric=10, status="keep"), Run(run=2, metric=15, status="keep")]

    assert shown(debrief, [Config(bestDirection="higher"), *runs])["improvement_pct"] == 50.0
    assert shown(debrief, [Config(bestDirection="lower"), *reversed(runs)])["improvement_pct"] > 0


def test_nothing_kept_is_no_error() -> None:
    """The end is where it began."""
    log = [
        Config(),
        Run(run=1, metric=10, status="keep", commit="a"),
        Run(run=2, metric=11, status="discard"),
    ]
    view = shown(debrief, log)

    assert subset(view, "kept", "kept_changes", "final_commit") == {
        "kept": 0,
        "kept_changes": [],
        "final_commit": "a",
    }


def test_a_new_segment_is_summed_up_anew() -> None:
    """What was counted before it does not count; what is switched off stays so, and its words with it."""
    stop = Stopped(reason="off", detail="enough")
    note = Note(event="cycle_refused", detail="x")
    runs = [Run(run=1, metric=10, status="keep"), Run(run=2, metric=9, status="keep")]

    view = shown(debrief, [*runs, note, stop, Config(name="again")])
    assert subset(
        view, "segment", "cycles", "kept", "refused", "best_metric", "stop_reason", "stop_detail"
    ) == {
        "segment": 1,
        "cycles": 0,
        "kept": 0,
        "refused": 0,
        "best_metric": None,
        "stop_reason": "off",
        "stop_detail": "enough",
    }


def test_a_stop_is_over_when_the_loop_goes_on() -> None:
    """Its words are gone with it."""
    view = shown(debrief, [Stopped(reason="discards", detail="5 of 5"), Resumed()])

    assert subset(view, "stopped", "stop_reason", "stop_detail") == {
        "stopped": False,
        "stop_reason": None,
        "stop_detail": "",
    }


@pytest.mark.parametrize("times", [(None, None), ("yesterday", None)])
def test_without_a_time_nothing_is_elapsed(times: tuple[Any, Any]) -> None:
    """Rather than 0."""
    log = [Config(timestamp=times[0]), Run(run=1, metric=1, status="keep", timestamp=times[1])]

    assert shown(debrief, log)["elapsed_minutes"] is None


@given(logs())
def test_counts_add_up(log: list[Any]) -> None:
    """Every cycle was kept, discarded or crashed; `budget` counts the same ones and tells the same stop."""
    view, spent = shown(debrief, log), shown(budget, log)

    assert view["cycles"] == view["kept"] + view["discarded"] + view["crashed"] == spent["cycles_used"]
    assert view["kept"] == len(view["kept_changes"])
    assert view["checks_failed"] <= view["discarded"]
    assert (view["stopped"], view["stop_reason"]) == (spent["stopped"], spent["stop_reason"])
    assert view["elapsed_minutes"] is None or view["elapsed_minutes"] >= 0
