from __future__ import annotations

from typing import Any

from hypothesis import given

from eventstore.events import Finding
from reducers.progress import progress
from reducers.stall import stall
from reducers.strategies import logs
from tests.reducers.given import shown


def test_what_the_protocol_keeps_in_its_progress_file(log: list[Any]) -> None:
    """The last iteration's number, all findings, the last status, the stale count.

    {"type":"status","status":"running"}
    {"type":"finding","text":"a"}
    {"type":"finding","text":"b"}
    {"type":"iteration","iteration":1,"findings":2}
    {"type":"iteration","iteration":2,"findings":0}
    {"type":"status","status":"waiting","detail":"for the cluster"}
    {"type":"iteration","iteration":3,"findings":0}
    """

    assert shown(progress, []) == {"iteration": 0, "total_findings": 0, "status": None, "stale_count": 0}
    assert shown(progress, log) == {
        "iteration": 3,
        "total_findings": 2,
        "status": "waiting",
        "stale_count": 2,
    }


@given(logs())
def test_it_agrees_with_the_other_views(log: list[Any]) -> None:
    """One rule, one place: the stale count is the `stall` view's."""
    view = shown(progress, log)

    assert view["stale_count"] == shown(stall, log)["stale_count"]
    assert view["total_findings"] == sum(type(record) is Finding for record in log)
