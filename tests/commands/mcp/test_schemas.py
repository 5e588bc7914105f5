"""Schemas of arguments and results, and arguments read as they say."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.errors import BadInputError
from commands.given import choices
from commands.log import STATUSES
from commands.mcp.arguments import (
    HeartbeatArguments,
    Limits,
    LogArguments,
    PivotArguments,
    Thresholds,
    Timeouts,
)
from commands.mcp.schemas import input_schema, output_schema, read_arguments
from commands.mcp.tools import TOOLS
from eventstore.across import LIMITS, THRESHOLDS, TIMEOUTS
from eventstore.events.protocol import LoopState, PivotLevel
from reducers import registry


@pytest.mark.parametrize("name", TOOLS)
def test_schemas_are_plain(name: str) -> None:
    """No references and no nulls for what is left out: many clients know no more of JSON Schema."""
    tool = TOOLS[name]
    taken, given = input_schema(tool.takes), output_schema(tool.gives)

    for schema in (taken, given):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert "$ref" not in str(schema)
    assert "null" not in str(taken)
    assert list(taken["properties"])[-1] == "cwd"
    assert all(each.get("description") for each in taken["properties"].values())
    assert len(tool.does) < 1024


def test_what_may_be_said_is_what_the_log_takes() -> None:
    """Choices and groups of settings are those of the events."""

    def said(kind: type[msgspec.Struct], name: str) -> set[str]:
        return set(input_schema(kind)["properties"][name]["enum"])

    assert said(LogArguments, "status") == set(STATUSES)
    assert said(PivotArguments, "level") == set(choices(PivotLevel))
    assert said(HeartbeatArguments, "state") == set(choices(LoopState))
    assert Limits.__struct_fields__ == LIMITS
    assert Thresholds.__struct_fields__ == THRESHOLDS
    assert Timeouts.__struct_fields__ == TIMEOUTS
    described = input_schema(TOOLS["view"].takes)["properties"]["view"]["description"]
    assert all(name in described for name in registry.names())


@pytest.mark.parametrize(
    ("given", "what", "remedy"),
    [
        ({}, "log_experiment: status is missing", "status: What the run came to."),
        ({"status": "kept"}, "log_experiment: status is 'kept', not one of", "status: What"),
        (
            {"statsu": "keep"},
            "log_experiment: there is no argument 'statsu'; there are status,",
            "use status",
        ),
        ({"xyzzy": 1}, "there is no argument 'xyzzy'", "leave it out"),
        ({"description": 3}, "description has to be a text, not a whole number", "description: What was"),
        ({"metric": "fast"}, "metric has to be a number, not a text", "metric: The measured value"),
        ({"metrics": {"rss": "x"}}, "metrics[...] has to be a number", 'Such as {"rss_kb":5120}.'),
        ({"metrics": [1]}, "metrics has to be an object, not a list", "metrics: Secondary"),
    ],
)
def test_what_does_not_fit_is_told(given: dict[str, Any], what: str, remedy: str) -> None:
    """The argument, what it has to be, and what it is for."""
    full = {"status": "keep", "description": "x", **given} if given else given

    with pytest.raises(BadInputError) as raised:
        read_arguments("log_experiment", LogArguments, full)

    assert what in raised.value.message
    assert remedy in raised.value.remedy


def test_what_is_inside_is_told_by_its_path() -> None:
    """A setting within a group."""
    kind = TOOLS["init_experiment"].takes
    for said, what, remedy in [
        ({"limits": {"max_cycle": 3}}, "no argument 'max_cycle' in limits", "use max_cycles"),
        ({"timeouts": {"sample": -1}}, "timeouts.sample has to be a number > 0", "timeouts: Time limits"),
    ]:
        with pytest.raises(BadInputError, match=what) as raised:
            read_arguments("init_experiment", kind, said)
        assert raised.value.remedy.startswith(remedy)


def test_clients_are_met_half_way() -> None:
    """Null is what was left out, and a number may come as text."""
    given = {"status": "keep", "description": "x", "metric": "38.9", "reason": None, "force": "true"}

    found = read_arguments("log_experiment", LogArguments, given)

    assert (found.metric, found.reason, found.force) == (38.9, None, True)
    assert read_arguments("view", TOOLS["view"].takes, None) == TOOLS["view"].takes()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(sorted(TOOLS)), st.data())
def test_whatever_is_given_is_taken_or_told(name: str, data: st.DataObject) -> None:
    """What fits the schema is taken; anything else is one clear error."""
    tool = TOOLS[name]
    schema = input_schema(tool.takes)
    names = st.sampled_from(sorted(schema["properties"])) | st.text(max_size=8)
    given = data.draw(st.dictionaries(names, JSON, max_size=4))
    fits = jsonschema.Draft202012Validator(schema).is_valid(given)
    if fits:
        read_arguments(name, tool.takes, given)
        return
    with suppress(BadInputError):  # some of what does not fit is taken all the same
        read_arguments(name, tool.takes, given)
