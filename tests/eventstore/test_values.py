"""What a line can hold: strict JSON in UTF-8, in words for people."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.values import MAX_INTEGER, fault, is_json, is_text, label, shown
from tests.eventstore.admissible import plain

anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters()), st.binary()),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(), max_size=3) | st.integers(), inner, max_size=3)
        | st.tuples(inner, inner)
    ),
    max_leaves=8,
)


@given(anything)
def test_a_fault_is_told_for_what_is_no_json_and_for_nothing_else(value: Any) -> None:
    """The quick test and the one that explains agree, and what they pass can be written strictly."""
    found = fault([value], "here")

    assert is_json([value]) is (found is None)
    if found is None:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
        assert json.loads(text) == json.loads(json.dumps(value))
    else:
        assert found[0].startswith("here[0]")
        assert found[0].isprintable()


@given(plain)
def test_plain_values_have_no_fault(value: Any) -> None:
    """Whatever JSON can say within 64 bits passes."""
    assert fault(value, "here") is None


@pytest.mark.parametrize("value", [MAX_INTEGER, -MAX_INTEGER, 0, 1e308, -0.0])
def test_numbers_have_64_bits(value: float) -> None:
    """Or are finite doubles."""
    assert is_json([value])


@pytest.mark.parametrize("value", [MAX_INTEGER + 1, -MAX_INTEGER - 1, float("nan"), float("inf")])
def test_other_numbers_are_none(value: float) -> None:
    """Readers in other languages could not hold them."""
    assert not is_json([value])


@pytest.mark.parametrize(("text", "expected"), [("", True), ("a", True), ("é🙂", True), ("\ud83d", False)])
def test_text_is_unicode(text: str, expected: bool) -> None:
    """Half a character is none."""
    assert is_text(text) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a", '"a"'),
        (None, "null"),
        (True, "true"),
        (1.0, "1.0"),
        (float("inf"), "Infinity"),
        ([1, "\n"], '[1, "\\n"]'),
        ("é\x1b", '"\\u00e9\\u001b"'),
        ("x" * 100, '"' + "x" * 56 + "..."),
        (b"a", "'bytes'"),
        ({1: object()}, "'dict'"),
        pytest.param(10**5000, "'int'", id="digits"),
    ],
)
def test_a_value_is_quoted_as_json(value: object, expected: str) -> None:
    """Short, in printable ASCII; by its type's name where it is none."""
    assert shown(value) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("max_cycles", "max_cycles"), ("a\n", '"a\\n"'), ("é", '"\\u00e9"'), ("x" * 41, '"' + "x" * 41 + '"')],
)
def test_a_name_is_quoted_where_it_must_be(name: str, expected: str) -> None:
    """Ordinary ones are not."""
    assert label(name) == expected
