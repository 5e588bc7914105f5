from __future__ import annotations

from typing import Any

from hypothesis import given

from eventstore.events import Run
from reducers.runs import runs
from reducers.session import session
from reducers.strategies import logs
from tests.reducers.given import shown


def columns(view: dict[str, Any], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in view["runs"]]


def test_each_run_is_compared_with_its_own_segments_baseline(log: list[Any]) -> None:
    """A new best is one of its own segment, at its time; a crash has no metric and no delta.

    {"type":"config","seq":1,"name":"a","metricName":"ms","bestDirection":"lower"}
    {"type":"run","seq":2,"run":1,"metric":200,"status":"keep"}
    {"type":"run","seq":3,"run":2,"metric":150,"status":"keep"}
    {"type":"run","seq":4,"run":3,"metric":100,"status":"discard"}
    {"type":"run","seq":5,"run":4,"metric":0,"status":"crash"}
    {"type":"config","seq":6,"name":"b","metricName":"score","bestDirection":"higher"}
    {"type":"run","seq":7,"run":5,"metric":"n/a","status":"keep"}
    {"type":"run","seq":8,"run":6,"metric":0,"status":"keep"}
    {"type":"run","seq":9,"run":7,"metric":3.5,"status":"keep"}
    """

    assert columns(shown(runs, log), "run", "segment", "metric", "delta", "delta_pct", "new_best") == [
        (1, 0, 200, 0, 0.0, True),
        (2, 0, 150, -50, -25.0, True),
        (3, 0, 100, -100, -50.0, False),
        (4, 0, None, None, None, False),
        (5, 1, None, None, None, False),
        (6, 1, 0, 0, None, True),
        (7, 1, 3.5, 3.5, None, True),
    ]


def test_a_row_holds_what_the_line_says(log: list[Any]) -> None:
    """The claimed number beside the ordinal, times in milliseconds, the rest as recorded.

    {"run":7,"timestamp":1764517600,"by":"worker:gpu0","commit":"a1b2c3d","metric":5,"metrics":{"rss_mb":1},
     "status":"keep","description":"faster","asi":{"next_focus":"io"},"direction":"caching","reason":"improved","duration_seconds":2.5}
    {"run":7,"timestamp":"yesterday","metric":4,"status":"odd"}
    """
    first, second = shown(runs, log)["runs"]

    assert first == {
        "run": 1,
        "claimed": 7,
        "segment": 0,
        "status": "keep",
        "metric": 5,
        "delta": 0,
        "delta_pct": 0.0,
        "new_best": True,
        "commit": "a1b2c3d",
        "description": "faster",
        "direction": "caching",
        "reason": "improved",
        "metrics": {"rss_mb": 1},
        "asi": {"next_focus": "io"},
        "duration_seconds": 2.5,
        "timestamp": 1_764_517_600_000,
        "by": "worker:gpu0",
    }
    assert (second["run"], second["claimed"], second["timestamp"], second["by"]) == (2, 7, None, "user")
    assert (second["status"], second["delta"], second["new_best"]) == ("odd", -1, False)


@given(logs())
def test_the_rows_agree_with_the_session(log: list[Any]) -> None:
    """As many as it counts, its best the last new best of its segment, its baseline the first metric."""
    rows, view = shown(runs, log)["runs"], shown(session, log)

    assert [row["claimed"] for row in rows] == [r.run for r in log if type(r) is Run]
    assert [row["run"] for row in rows] == list(range(1, view["run_count"] + 1))
    here = [row for row in rows if row["segment"] == view["segment"]]
    assert view["segment_run_count"] == len(here)
    assert view["best_run"] == max((row["run"] for row in here if row["new_best"]), default=None)
    assert view["baseline_run"] == min(
        (row["run"] for row in here if row["metric"] is not None), default=None
    )
