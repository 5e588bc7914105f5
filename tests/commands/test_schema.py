"""`ar schema`: what may stand in the log, and what views show."""

from __future__ import annotations

import json

import pytest

from eventstore.events import TYPES
from reducers import registry
from tests.commands.conftest import Ar


def test_it_is_one_json_document(ar: Ar) -> None:
    """Of all types, users' own among them."""
    found = json.loads(ar("schema").out)

    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert set(found["$defs"]) == {*TYPES, "x"}


@pytest.mark.parametrize("kind", [*TYPES, "x.mine"])
def test_each_type_has_its_own(ar: Ar, kind: str) -> None:
    """With the type's own name in it."""
    found = json.loads(ar("schema", kind).out)

    assert found["type"] == "object"
    assert found["properties"]["type"] == ({"const": kind} if kind in TYPES else found["properties"]["type"])


@pytest.mark.parametrize("name", registry.names())
def test_each_view_has_one(ar: Ar, name: str) -> None:
    """Of its own fields; those of its rows among the definitions."""
    found = json.loads(ar("schema", "--view", name).out)

    root = found["$defs"][found["$ref"].rpartition("/")[2]] if "$ref" in found else found
    own = json.loads(ar("--log", empty(), "view", name, "--json").out)
    assert set(root["properties"]) == set(own) - {"view", "seq", "head", "damaged_lines"}


def empty() -> str:
    """An empty log."""
    with open("empty.jsonl", "a", encoding="utf-8") as file:
        return file.name


def test_the_views_are_listed(ar: Ar) -> None:
    """Built-in ones first."""
    names = json.loads(ar("schema", "--views").out)

    assert tuple(names[: len(registry.names())]) == registry.names()


@pytest.mark.parametrize(
    ("argv", "part"),
    [
        (["notes"], "there is no event type 'notes'"),
        (["note", "--views"], "one schema at a time"),
        (["--view", "nope"], "there is no view 'nope'"),
    ],
)
def test_what_is_not_there(ar: Ar, argv: list[str], part: str) -> None:
    """Exit code 2."""
    ran = ar("schema", *argv)

    assert (ran.code, ran.out) == (2, "")
    assert part in ran.err
