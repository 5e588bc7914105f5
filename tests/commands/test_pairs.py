"""`key=value` and `key:=json` on the command line."""

from __future__ import annotations

import pytest

from commands.errors import BadInputError
from commands.pairs import loose_value, parse_pairs


def test_text_and_json() -> None:
    """The first `=` ends the key; `:=` gives JSON, `=` text."""
    words = ["a=1", "b:=1", "c=x=y", "d:=[1,{}]", "e=", "f:=null", "g=:=", "h:=-1.5"]

    assert parse_pairs(words) == {
        "a": "1",
        "b": 1,
        "c": "x=y",
        "d": [1, {}],
        "e": "",
        "f": None,
        "g": ":=",
        "h": -1.5,
    }


def test_loose_values_are_json_where_they_are_json() -> None:
    """For fields that hold no text: numbers, lists; a text in quotes stays as it was typed."""
    assert parse_pairs(["a=1", "b=[2]", "c=x", "d=true", 'e="q"', "f=\udcff"], loose_value) == {
        "a": 1,
        "b": [2],
        "c": "x",
        "d": True,
        "e": '"q"',
        "f": "\udcff",
    }


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("detail", "'detail' is no field"),
        ("=x", "'=x' is no field"),
        (":=1", "is no field"),
        ("a:=", "no JSON"),
        ("a:={", "no JSON"),
        ("a:=NaN", "no JSON"),
        ("a:=" + "[" * 100_000, "no JSON"),
        ("a:=\udcff", "no JSON"),
    ],
)
def test_other_words_are_refused(word: str, part: str) -> None:
    """One line, with what to write instead."""
    with pytest.raises(BadInputError) as caught:
        parse_pairs([word])
    assert part in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.remedy


def test_a_key_is_given_once() -> None:
    """Twice is a slip, not a list."""
    with pytest.raises(BadInputError, match="a is given twice"):
        parse_pairs(["a=1", "a:=2"])
