from __future__ import annotations

from typing import Any

from hypothesis import given

from eventstore.events import ErrorSeen
from reducers.errors import errors
from reducers.strategies import logs
from tests.reducers.given import shown


def test_errors_are_counted_by_pattern(log: list[Any]) -> None:
    """The most frequent first, each with its last sighting.

    {"type":"error_seen","pattern":"segfault","tool":"Bash","context":"core dumped"}
    {"type":"error_seen","pattern":"import","context":"no module a"}
    {"type":"error_seen","pattern":"import","tool":"Bash","context":"no module b",
     "command":"python x.py","timestamp":1764517600000}
    """

    assert shown(errors, log) == {
        "total": 3,
        "errors": [
            {
                "pattern": "import",
                "count": 2,
                "tool": "Bash",
                "context": "no module b",
                "command": "python x.py",
                "last_seen": 1_764_517_600_000,
            },
            {
                "pattern": "segfault",
                "count": 1,
                "tool": "Bash",
                "context": "core dumped",
                "command": None,
                "last_seen": None,
            },
        ],
    }


@given(logs())
def test_none_is_lost(log: list[Any]) -> None:
    """The counts add up."""
    view = shown(errors, log)
    seen = [record.pattern for record in log if type(record) is ErrorSeen]

    assert view["total"] == len(seen) == sum(row["count"] for row in view["errors"])
    assert {row["pattern"] for row in view["errors"]} == set(seen)
