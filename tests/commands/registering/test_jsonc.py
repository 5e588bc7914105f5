"""JSON with and without comments: what it means, and where everything in it stands."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.registering.jsonc import COMMENTED, JSON, JSONC, Dialect, Node, SettingsError, parse
from tests.commands.registering.json_texts import texts, values


@pytest.mark.parametrize(
    ("text", "dialect", "reason"),
    [
        ("", JSON, "a value is missing in line 1, column 1"),
        ("{", JSON, "a name in double quotes is missing in line 1, column 2"),
        ('{\n  "a" 1}', JSON, "a colon is missing in line 2, column 7"),
        ('{"a": 1 "b": 2}', JSON, "a comma or } is missing in line 1, column 9"),
        ("[1 2]", JSON, "a comma or ] is missing in line 1, column 4"),
        ('{"a":1} x', JSON, "more than one value in line 1, column 9"),
        ('{"a":NaN}', JSON, "no value of JSON in line 1, column 6"),
        ('{"a":01}', JSON, "no value of JSON in line 1, column 6"),
        ('{"a":truer}', JSON, "no value of JSON in line 1, column 6"),
        (
            '{"a":"b\nc"}',
            JSON,
            "a text that does not end, or holds what it may not, begun in line 1, column 6",
        ),
        (
            '{"a":"\\x"}',
            JSON,
            "a text that does not end, or holds what it may not, begun in line 1, column 6",
        ),
        ('{"a":1,\n "a":2}', JSON, "the key 'a' is given twice in one object, again in line 2, column 2"),
        ('{"a":1} // note', JSON, "a comment, which this file may not have, in line 1, column 9"),
        ('{"a":1,}', JSON, "a comma before the end, which this file may not have, in line 1, column 7"),
        ('{"a":1,}', COMMENTED, "a comma before the end, which this file may not have, in line 1, column 7"),
        ("{} /* x", JSONC, "a comment that does not end, begun in line 1, column 4"),
        ("[,]", JSONC, "no value of JSON in line 1, column 2"),
        ("{'a': 1}", JSONC, "a name in double quotes is missing in line 1, column 2"),
        ("[" * 5_000, JSON, "nested too deeply in line 1, column 202"),
    ],
)
def test_what_is_malformed_is_told_with_its_place(text: str, dialect: Dialect, reason: str) -> None:
    """The line and the column, as an editor counts them."""
    with pytest.raises(SettingsError) as error:
        parse(text, dialect)

    assert str(error.value).startswith("not JSON: ")
    assert reason in str(error.value)


@given(
    values.flatmap(lambda value: st.tuples(st.just(value), texts(value, comments=True, trailing_commas=True)))
)
def test_a_text_means_what_was_written(written: tuple[object, str]) -> None:
    """Whatever stands between its tokens."""
    value, text = written

    assert parse(text, JSONC).value == value


@given(values.flatmap(lambda value: texts(value, comments=False, trailing_commas=False)))
def test_strict_json_is_read_as_the_standard_library_reads_it(text: str) -> None:
    """The same value."""
    assert parse(text).value == json.loads(text)


@given(st.text(alphabet='{}[]",:/*\\ \n1ea\u2028', max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    """What the standard library refuses is refused, and what it takes is taken."""
    try:
        expected = json.loads(text, parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError):
        expected = None
        with pytest.raises(SettingsError):
            parse(text)
    else:
        with suppress(SettingsError):  # a key that is given twice
            assert parse(text).value == expected


@given(values.flatmap(lambda value: texts(value, comments=True, trailing_commas=True)))
def test_everything_stands_where_it_is_said_to(text: str) -> None:
    """Each value's span means that value, a comma is a comma, before a child is nothing but white space."""

    def look(node: Node) -> None:
        assert parse(text[node.start : node.end], JSONC).value == node.value
        for child in node.children:
            assert child.comma is None or text[child.comma] == ","
            assert text[child.lead : child.start].strip() == ""
            look(child.node)

    look(parse(text, JSONC))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", False),
        ('{"a": [1, {"b": 2}]}', False),
        ("{ /* x */ }", True),
        ('{"a": 1 // x\n}', True),
        ('{"a": [1, // x\n 2]}', True),
        ('{"a": 1, /* x */ "b": 2}', True),
    ],
)
def test_whether_a_comment_is_within(text: str, expected: bool) -> None:
    """Anywhere in it."""
    assert parse(text, JSONC).has_comment() is expected
