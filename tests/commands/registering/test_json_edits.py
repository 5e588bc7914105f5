"""A member put in or taken out, and every other byte where it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from commands.registering.json_edits import add, drop, put, without_empty
from commands.registering.jsonc import JSON, JSONC, SettingsError, parse
from tests.commands.registering.json_texts import KEYS, objects, texts, values


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}\n", '{\n  "new": {\n    "x": 1\n  }\n}\n'),
        ('{"a":1}', '{"a":1,"new":{"x":1}}'),
        ('{ "a": 1 }', '{ "a": 1, "new": {"x": 1} }'),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"new": {\n\t\t"x": 1\n\t}\n}'),
        ('{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "new": {\r\n    "x": 1\r\n  }\r\n}'),
        ('{\n  "a": 1, // one\n}', '{\n  "a": 1, // one\n  "new": {\n    "x": 1\n  },\n}'),
        ('{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "new": {\n    "x": 1\n  }\n}'),
        (
            '{\n  "a": 1\n  // that is all\n}',
            '{\n  "a": 1,\n  // that is all\n  "new": {\n    "x": 1\n  }\n}',
        ),
    ],
    ids=["empty", "compact", "one line", "tabs", "CRLF", "trailing comma", "comment", "comment at the end"],
)
def test_a_member_is_written_in_the_manner_of_its_neighbours(before: str, after: str) -> None:
    """And taking it out gives the text back."""
    assert put(before, JSONC, ("new",), {"x": 1}) == after
    assert drop(after, JSONC, ("new",)) == before


def test_a_value_is_replaced_where_it_stands() -> None:
    """The same value is not written again, however it is written."""
    text = '{\n  "a": { "x" : 1.0 }, // mine\n  "b": 2\n}'

    assert put(text, JSONC, ("a", "x"), 1.0) == text
    assert put(text, JSONC, ("a", "x"), True) == text.replace("1.0", "true")
    assert put(text, JSONC, ("a",), [1]) == text.replace('{ "x" : 1.0 }', "[\n    1\n  ]")


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ('{ "a": 1, "b": 2, "c": 3 }', ("b",), '{ "a": 1, "c": 3 }'),
        ('{ "a": 1, "b": 2 }', ("a",), '{ "b": 2 }'),
        ('{ "a": 1, // of a\n  "b": 2 }', ("b",), '{ "a": 1 // of a\n }'),
        ('{ "a": 1, // of a\n  "b": 2, "c": 3 }', ("b",), '{ "a": 1, // of a\n "c": 3 }'),
        ('{ "a": 1, "b": 2 /* of b */, "c": 3 }', ("b",), '{ "a": 1, /* of b */ "c": 3 }'),
        ("[1, [2], 3]", (1,), "[1, 3]"),
        ('{ // mine\n "a": 1 }', ("a",), "{ // mine\n }"),
        ('{\n  "a": { "b": 1 }\n}', ("a", "b"), '{\n  "a": {}\n}'),
    ],
)
def test_what_is_taken_out_takes_nothing_with_it(
    before: str, path: tuple[str | int, ...], after: str
) -> None:
    """No comment, and no line that would become part of one."""
    assert drop(before, JSONC, path) == after
    parse(after, JSONC)


def test_what_stands_in_the_way_is_named() -> None:
    """With its place."""
    with pytest.raises(SettingsError, match=r"^a is not an object in line 2, column 8$"):
        put('{\n  "a": [1]\n}', JSON, ("a", "b"), 1)
    with pytest.raises(SettingsError, match=r"^a\.b is not a list in line 1, column 13$"):
        add('{"a": {"b": {}}}', JSON, ("a", "b"), 1)


def test_an_empty_container_goes_unless_it_was_there_or_holds_a_comment() -> None:
    """By what the text was before, where that is known."""
    text = '{"b": 1, "a": {}}'

    assert without_empty(text, JSON, ("a",)) == '{"b": 1}'
    assert without_empty(text, JSON, ("a",), parse('{"a": {}}')) == text
    assert without_empty(text, JSON, ("a",), parse("{}")) == '{"b": 1}'
    assert without_empty('{"a": {/* x */}}', JSONC, ("a",)) == '{"a": {/* x */}}'
    assert without_empty('{"a": 0}', JSON, ("a",)) == '{"a": 0}'


def written(value: Any) -> st.SearchStrategy[tuple[Any, str]]:
    """A value with a text that means it."""
    return st.tuples(st.just(value), texts(value, comments=True, trailing_commas=True))


@given(objects.flatmap(written), st.lists(KEYS, min_size=1, max_size=3), values)
@example(({"mcpServers": []}, '{"mcpServers":[]}'), ["mcpServers"], {})
@example(({"mcpServers": 1}, '{"mcpServers":1}'), ["mcpServers"], True)
def test_putting_in_changes_one_value(
    source: tuple[dict[str, Any], str], keys: list[str], value: Any
) -> None:
    """All else means what it meant; put in twice is put in once; taken out, it is as it was."""
    before, text = source
    path = tuple(keys)
    expected: Any = {**before}
    inner = expected
    for key in path[:-1]:
        if key in inner and not isinstance(inner[key], dict):
            with pytest.raises(SettingsError):
                put(text, JSONC, path, value)
            return
        inner[key] = {**inner.get(key, {})}
        inner = inner[key]
    was_there = path[-1] in inner
    inner[path[-1]] = value

    after = put(text, JSONC, path, value)

    assert parse(after, JSONC).value == expected
    assert put(after, JSONC, path, value) == after
    parent = parse(text, JSONC).at(path[:-1])
    if not was_there and parent is not None and parent.children:
        assert drop(after, JSONC, path) == text


@given(
    values.filter(lambda value: isinstance(value, dict | list) and len(value) > 0).flatmap(written), st.data()
)
def test_taking_out_changes_one_value(source: tuple[Any, str], data: st.DataObject) -> None:
    """Whatever is taken out, all else means what it meant, and every comment is still there."""
    value, text = source
    key = data.draw(st.sampled_from(sorted(value, key=str) if isinstance(value, dict) else range(len(value))))
    child = parse(text, JSONC).child(key)
    assert child is not None

    after = drop(text, JSONC, (key,))

    rest = (
        {k: v for k, v in value.items() if k != key}
        if isinstance(value, dict)
        else value[:key] + value[key + 1 :]
    )
    assert parse(after, JSONC).value == rest
    within = text[child.start : child.node.end]
    assert after.count("note") == text.count("note") - within.count("note")


@given(values.filter(lambda value: isinstance(value, list)).flatmap(written), values)
def test_an_item_is_added_at_the_end(source: tuple[list[Any], str], item: Any) -> None:
    """And taken out again, unless the list was empty, it is as it was."""
    value, text = source
    after = add(text, JSONC, (), item)

    assert parse(after, JSONC).value == [*value, item]
    if value:
        assert drop(after, JSONC, (len(value),)) == text
