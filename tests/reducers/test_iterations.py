from __future__ import annotations

from typing import Any

from hypothesis import given

from eventstore.events import Iteration
from reducers.iterations import iterations
from reducers.strategies import logs
from tests.reducers.given import shown


def test_iterations_are_shown_as_recorded(log: list[Any]) -> None:
    """One is verified when an ok check, of whatever kind, ended after it and before the next.

    {"type":"verified","kind":"test","ok":true}
    {"type":"iteration","iteration":1,"summary":"read","findings":2,"metric":5,
     "direction":"d","rounds":9,"duration_seconds":60.5,"by":"worker:a","timestamp":1764517600000}
    {"type":"verified","kind":"test","ok":false}
    {"type":"iteration","iteration":2}
    {"type":"verified","kind":"compile","ok":true}
    {"type":"verified","kind":"test","ok":true}
    {"type":"iteration","iteration":2}
    """
    view = shown(iterations, log)

    assert view["total"] == 3
    assert [(row["iteration"], row["verified"]) for row in view["iterations"]] == [
        (1, False),
        (2, True),
        (2, False),
    ]
    assert view["iterations"][0] == {
        "iteration": 1,
        "summary": "read",
        "findings": 2,
        "metric": 5,
        "direction": "d",
        "rounds": 9,
        "duration_seconds": 60.5,
        "verified": False,
        "timestamp": 1_764_517_600_000,
        "by": "worker:a",
    }


@given(logs())
def test_there_is_a_row_for_each(log: list[Any]) -> None:
    """In the order of the log."""
    rows = shown(iterations, log)["iterations"]

    assert [row["iteration"] for row in rows] == [r.iteration for r in log if type(r) is Iteration]
