"""JSON in a text: one value a line, several on one, one over several, and what is none."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from eventstore.formats.fates import Fate
from eventstore.formats.objects import Found, objects_in, values_in
from eventstore.formats.text import lines_of


def test_one_a_line() -> None:
    """Each line's object comes with its number; blank lines have a fate of their own."""
    found = list(objects_in(['{"a":1}', "", ' {"b":2} ']))

    assert found == [Found(1, 1, {"a": 1}), Fate(2, False, "blank line"), Found(3, 3, {"b": 2})]


def test_over_several_lines() -> None:
    """What was printed with indentation is one object of all its lines, wherever it stands among others."""
    pretty = json.dumps({"a": [1, {"b": 2}], "c": "x"}, indent=2).split("\n")

    found = list(objects_in(['{"first":1}', *pretty, '{"last":1}']))

    assert found[0] == Found(1, 1, {"first": 1})
    assert found[1] == Found(2, 1 + len(pretty), {"a": [1, {"b": 2}], "c": "x"})
    assert found[2] == Found(2 + len(pretty), 2 + len(pretty), {"last": 1})


def test_several_on_one_line() -> None:
    """Objects glued together, or with commas between, are each found."""
    found = list(objects_in(['{"a":1}{"a":2}, {"a":3}']))

    assert [f.value["a"] for f in found if isinstance(f, Found)] == [1, 2, 3]


def test_a_list_of_objects() -> None:
    """A list gives its objects; a list of none is no object."""
    found = list(objects_in(['[{"a":1},', ' {"a":2}]', "[1, 2]", "7"]))

    assert found == [
        Found(1, 2, {"a": 1}),
        Found(1, 2, {"a": 2}),
        Fate(3, False, "JSON, but not an object"),
        Fate(4, False, "JSON, but not an object"),
    ]


def test_damage_stays_on_its_line() -> None:
    """A line that was torn takes nothing of the next ones with it."""
    found = list(objects_in(['{"run":1,"descr', '{"run":2}', '{"run":3,', '{"run":4}', "oops"]))

    assert [f.line for f in found if isinstance(f, Fate)] == [1, 3, 5]
    assert [f.value for f in found if isinstance(f, Found)] == [{"run": 2}, {"run": 4}]


def test_reasons() -> None:
    """What is wrong with a line is said in a few words."""
    deep = "[" * 100_000
    huge = '{"a":' + "9" * 5000 + "}"
    lines = [*lines_of(b'{"a":"\xff"}'), "hello", '{"a" 1}', deep, huge]

    reasons = [f.reason for f in objects_in(lines) if isinstance(f, Fate)]

    assert reasons == [
        "damaged: not UTF-8",
        "damaged: not JSON",
        "damaged: expecting ':' delimiter",
        "damaged: nested too deeply",
        "damaged: a number of thousands of digits",
    ]


def test_what_python_writes() -> None:
    """NaN, infinities and halves of characters are read; cleaning them is the reader's work."""
    found = list(values_in(['{"a": NaN, "b": -Infinity, "c": "\\ud83d"}']))

    assert isinstance(found[0], Found)
    assert found[0].value["c"] == "\ud83d"


@given(st.lists(st.dictionaries(st.text(), st.one_of(st.integers(), st.text(), st.lists(st.integers())))))
def test_printed_values_are_found_again(values: list[dict[str, object]]) -> None:
    """Whichever way objects were printed, each is found in order."""
    lines: list[str] = []
    for number, value in enumerate(values):
        lines += json.dumps(value, indent=[None, 1, 4][number % 3]).split("\n")

    assert [f.value for f in objects_in(lines) if isinstance(f, Found)] == values
