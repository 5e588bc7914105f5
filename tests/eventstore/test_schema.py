"""The JSON Schema says what the door enforces."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from eventstore.door import schema
from eventstore.events import EVENTS, Event, tag_of
from eventstore.lines import encode
from tests.eventstore.admissible import events
from tests.eventstore.jsonschema import is_valid

SCHEMA = schema()


@given(events)
def test_what_may_be_appended_fits(event: Event) -> None:
    """Every line that the door lets in is valid by the schema."""
    assert is_valid(json.loads(encode(event)), SCHEMA)


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"type": "rnu"},
        {"type": "x."},
        {"type": "x.a", "run": 1},
        {"type": "note"},
        {"type": "note", "detail": "a", "details": "b"},
        {"type": "note", "detail": 1},
        {"type": "note", "detail": "a", "level": "fatal"},
        {"type": "note", "detail": "a", "by": "boss"},
        {"type": "note", "detail": "a", "by": "user:"},
        {"type": "note", "detail": "a", "timestamp": "2026-01-31"},
        {"type": "note", "detail": "a", "id": ""},
        {"type": "note", "detail": "a", "prev": "9f86"},
        {"type": "run", "run": 0, "status": "keep"},
        {"type": "run", "run": 1, "status": "kept"},
        {"type": "run", "run": 1, "status": "keep", "metric": "3"},
        {"type": "config"},
        {"type": "config", "name": " "},
        {"type": "config", "name": "a", "metricName": "b"},
        {"type": "config", "name": "a", "samples": 0},
        {"type": "config", "name": "a", "harness": {"a": 1}},
        {"type": "settings", "limits": {"max_cycles": 0}},
        {"type": "settings", "limits": {"max_cycle": 1}},
        {"type": "settings", "limits": {"time_limit_minutes": "never"}},
        {"type": "settings", "thresholds": {"human": 1.5}},
        {"type": "settings", "timeouts": {"sample": 0}},
        {"type": "registered", "argv": ["a", 1]},
        {"type": "pivot", "level": "inject", "from_": "a"},
    ],
)
def test_what_may_not_be_appended_does_not_fit(line: dict[str, Any]) -> None:
    """What the door refuses by its form is invalid by the schema too."""
    assert not is_valid(line, SCHEMA)


def test_every_type_is_described() -> None:
    """Each known type has its schema, with its documentation, and users' own have one together."""
    defs = SCHEMA["$defs"]

    assert set(defs) == {*map(tag_of, EVENTS), "x"}
    assert all(defs[name]["description"] for name in defs)


def test_the_schema_is_json() -> None:
    """It can be printed."""
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
