"""The rules of fields, read off the annotations of the event types."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.events import (
    EVENTS,
    Committed,
    Config,
    Direction,
    Event,
    Heartbeat,
    Imported,
    Measured,
    Run,
    Settings,
)
from eventstore.rules import rules_of
from tests.eventstore.admissible import events, plain

WORDS = {
    (Run, "run"): "a whole number from 1",
    (Run, "metric"): "a number or null",
    (Run, "metrics"): "an object",
    (Run, "status"): "one of keep, discard, crash, checks_failed",
    (Run, "commit"): "text or null",
    (Run, "by"): "role or role:name",
    (Run, "id"): "text of 1 to 512 characters",
    (Run, "timestamp"): "a whole number of milliseconds since 1970 UTC",
    (Heartbeat, "until"): "a whole number of milliseconds since 1970 UTC",
    (Direction, "kind"): "one of tactical, structural or null",
    (Config, "samples"): "a whole number from 1 or null",
    (Config, "harness"): "an object of texts",
    (Config, "assets"): "a list of texts",
    (Settings, "limits"): "an object of numbers or texts or nulls",
    (Measured, "samples"): "a list of numbers",
    (Measured, "timed_out"): "true or false",
    (Imported, "skipped"): "a list of objects",
    (Committed, "cycle"): "a whole number from 0",
}


@pytest.mark.parametrize(("kind", "key"), WORDS)
def test_a_rule_says_in_words_what_is_allowed(kind: type[Event], key: str) -> None:
    """As it is told to whoever gave something else."""
    assert {rule.key: rule.words for rule in rules_of(kind)}[key] == WORDS[kind, key]


@pytest.mark.parametrize("kind", EVENTS)
def test_rules_stand_in_the_order_of_the_fields(kind: type[Event]) -> None:
    """So that they can be laid beside the values of an event."""
    fields = msgspec.structs.fields(kind)

    assert [(rule.name, rule.key) for rule in rules_of(kind)] == [(f.name, f.encode_name) for f in fields]


@given(events)
def test_rules_allow_what_may_be_appended(event: Event) -> None:
    """Each field of an admissible event by itself."""
    values = msgspec.structs.astuple(event)

    assert all(rule.allows(value) for rule, value in zip(rules_of(type(event)), values, strict=True))


@given(st.sampled_from(EVENTS).flatmap(lambda kind: st.sampled_from(rules_of(kind))), plain)
def test_rules_ask_for_no_less_than_the_types(rule: Any, value: Any) -> None:
    """Numbers are never text, choices are kept to, times are milliseconds, whatever may be read."""
    if rule.allows(value) and rule.words == "a number or null":
        assert value is None or type(value) in (int, float)
    if rule.allows(value) and rule.choices:
        assert value is None or value in rule.choices
    if rule.allows(value) and rule.moment:
        assert value is None or type(value) is int
