"""Whatever an agent calls a tool with: an answer or one clear error, plain text, and a log that verifies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commands.app import run
from commands.mcp.progress import Progress
from commands.mcp.resources import TEMPLATES, read, resources
from commands.mcp.schemas import input_schema
from commands.mcp.served import Served
from commands.mcp.server import answered
from commands.mcp.tools import TOOLS
from eventstore.errors import LedgerError
from reducers.wording import escape

COMMANDS = {"measure", "constraint", "command"}
"""Arguments that are run: no test makes these up."""

SECRET = "ghp_" + "a1B2" * 9
HOSTILE = ["", " ", "\x1b]0;x\x07", "\u202e", "\ud800", "\0", "a\nb", SECRET, "keep", "none", "0", "run:1"]
PIECES = st.sampled_from(HOSTILE) | st.text(max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | PIECES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PIECES, inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A session with two runs, outside of a repository."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AR_DIR", raising=False)
    monkeypatch.delenv("AR_BY", raising=False)
    assert run(["init", "smaller", "--metric", "value", "--unit", "ms", "--direction", "lower"]) == 0
    for metric in ("10", "9"):
        assert run(["log", "--status", "keep", "--metric", metric, "-m", f"to {metric}"]) == 0
    yield Served("worker")
    assert run(["verify"]) == 0


def called(served: Served, name: str, arguments: dict[str, Any]) -> None:
    told = answered(served, TOOLS[name], arguments, Progress(lambda: None))

    assert "this should not have happened" not in told.text
    assert told.text == escape(told.text, lines=True)
    assert SECRET not in told.text + json.dumps(told.document)
    if told.failed:
        assert told.document["what"]
        assert any(line.startswith("ar: ") for line in told.text.splitlines())


@given(st.sampled_from(sorted(TOOLS)), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
def test_any_arguments(session: Served, name: str, data: st.DataObject) -> None:
    """Of the right names and of others, of the right types and of others."""
    properties = input_schema(TOOLS[name].takes)["properties"]
    names = sorted(set(properties) - COMMANDS)
    arguments = data.draw(st.dictionaries(st.sampled_from(names) | PIECES, JSON, max_size=4))

    called(session, name, {key: value for key, value in arguments.items() if key not in COMMANDS})


@given(st.sampled_from(sorted(TOOLS)), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
def test_any_words(session: Served, name: str, data: st.DataObject) -> None:
    """Of the right types, with hostile words in them."""
    schema = input_schema(TOOLS[name].takes)
    arguments = {}
    for key, each in schema["properties"].items():
        if key not in COMMANDS and key != "cwd" and (key in schema["required"] or data.draw(st.booleans())):
            arguments[key] = data.draw(_fitting(each))

    called(session, name, arguments)


def _fitting(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of(*map(_fitting, schema["anyOf"]))
    return {
        "string": PIECES,
        "integer": st.integers(0, 5),
        "number": st.integers(-5, 5) | st.floats(-1e6, 1e6),
        "boolean": st.booleans(),
        "array": st.lists(PIECES, max_size=2),
        "object": st.dictionaries(PIECES, JSON, max_size=2),
    }[schema["type"]]


ADDRESSES = [each.uri for each in resources()]


@given(
    st.sampled_from(ADDRESSES) | PIECES | st.sampled_from([each.uri for each in TEMPLATES]),
    st.dictionaries(
        st.sampled_from(["at", "dir", "n", "x"]),
        st.sampled_from([*HOSTILE[:2], "run:1", "0", "3", "x"]),
        max_size=2,
    ),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
def test_any_address(session: Served, uri: str, query: dict[str, str]) -> None:
    """Something is read, or it is told why not."""
    asked = "&".join(f"{key}={value}" for key, value in query.items())

    with suppress(LedgerError):
        assert read(session, f"{uri}?{asked}" if asked else uri).mime
