from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from eventstore.events import Event, Hook, Iteration, Note, Proposal, Run, Settings, Started
from reducers.hooks import hooks
from reducers.strategies import logs
from tests.reducers.given import shown


def test_how_the_hooks_fared(log: list[Any]) -> None:
    """A time-out is no failure besides; a hook that could not be started is one, without an exit code.

    {"type":"hook","stage":"before","exit_code":0,"steer":"look at io","timestamp":1764517600000}
    {"type":"hook","stage":"after","exit_code":0}
    {"type":"hook","stage":"after","exit_code":3,"steer":"[after hook exited 3]","truncated":true}
    {"type":"hook","stage":"after","exit_code":-9,"timed_out":true}
    {"type":"hook","stage":"after","exit_code":-11,"steer":""}
    {"type":"hook","stage":"after"}
    """
    first = {"stage": "before", "steer": "look at io", "truncated": False, "timestamp": 1_764_517_600_000}
    last = {"stage": "after", "steer": "[after hook exited 3]", "truncated": True, "timestamp": None}

    assert shown(hooks, log) == {
        "fires": 6,
        "failures": 3,
        "timeouts": 1,
        "last_steer": last,
        "pending_steers": [first, last],
        "stages": {
            "before": {
                "fires": 1,
                "failures": 0,
                "timeouts": 0,
                "last_exit_code": 0,
                "last_steer": "look at io",
            },
            "after": {
                "fires": 5,
                "failures": 3,
                "timeouts": 1,
                "last_exit_code": None,
                "last_steer": "[after hook exited 3]",
            },
        },
    }


@pytest.mark.parametrize(
    ("event", "pending"),
    [
        (Proposal(description="x"), ["later"]),
        (Started(cycle=1), ["later"]),
        (Run(run=1, status="crash"), ["later"]),
        (Iteration(iteration=1), ["later"]),
        (Note(detail="x"), ["early", "later"]),
        (Settings(), ["early", "later"]),
    ],
)
def test_a_steer_is_pending_until_an_agent_acts(event: Event, pending: list[str]) -> None:
    """A brief has no event of its own, but what the agent does after it has."""
    log = [Hook(stage="before", steer="early"), event, Hook(stage="after", steer="later")]
    view = shown(hooks, log)

    assert [steer["steer"] for steer in view["pending_steers"]] == pending
    assert view["last_steer"]["steer"] == "later"


@given(logs())
def test_fires_add_up_and_pending_steers_are_the_last_ones_said(log: list[Any]) -> None:
    """Whatever the log."""
    view = shown(hooks, log)
    fired = [record for record in log if type(record) is Hook]
    steers = [record.steer for record in fired if record.steer]

    assert view["fires"] == len(fired)
    assert view["timeouts"] == sum(record.timed_out for record in fired)
    assert view["failures"] + view["timeouts"] <= view["fires"]
    assert (view["last_steer"] or {}).get("steer") == (steers[-1] if steers else None)
    pending = [steer["steer"] for steer in view["pending_steers"]]
    assert pending == steers[len(steers) - len(pending) :]
