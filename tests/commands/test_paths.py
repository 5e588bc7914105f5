"""Views as dotted paths."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.paths import MISSING, Change, at_path, changes, names_at

VIEW: dict[str, Any] = {
    "best": 3,
    "statuses": {"keep": 2},
    "secondary": {"a.b": {"unit": "ms"}, "a": {"c": 1}},
    "runs": [{"run": 1, "metric": 5}, {"run": 2, "metric": None}],
    "none": None,
}

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("best", 3),
        ("statuses.keep", 2),
        ("statuses.crash", MISSING),
        ("secondary.a.b.unit", "ms"),
        ("secondary.a.c", 1),
        ("runs.0.metric", 5),
        ("runs.-1.run", 2),
        ("runs.2.run", MISSING),
        ("runs.x", MISSING),
        ("none", None),
        ("none.x", MISSING),
        ("best.x", MISSING),
        ("", MISSING),
    ],
)
def test_a_field_is_read_by_its_path(path: str, value: object) -> None:
    """Names with dots and items by index are found; what is not there is told from null."""
    found = at_path(VIEW, path)
    assert found is value or found == value


def test_names_that_could_follow_are_listed() -> None:
    """At the deepest part of the path that is there."""
    assert names_at(VIEW, "statuses.crash") == ["statuses.keep"]
    assert names_at(VIEW, "bets") == list(VIEW)
    assert names_at(VIEW, "runs.0.nope") == ["runs.0.run", "runs.0.metric"]
    assert names_at([1], "x") == []


def test_changes_are_told_field_by_field() -> None:
    """Objects and rows are gone into; events, plain lists and what is new or gone are told as wholes."""
    event = {"type": "run", "run": 1, "status": "keep"}
    before = {
        "a": 1,
        "b": {"c": 1, "d": 2},
        "rows": [{"x": 1}],
        "list": [1, 2],
        "last": event,
        "gone": {"z": 1},
    }
    after = {
        "a": 1,
        "b": {"c": 1, "d": 3},
        "rows": [{"x": 2}, {"x": 3}],
        "list": [1, 3],
        "last": event | {"run": 2},
        "new": None,
    }

    assert changes(before, after) == [
        Change("b.d", 2, 3),
        Change("rows.0.x", 1, 2),
        Change("rows.1", MISSING, {"x": 3}),
        Change("list", [1, 2], [1, 3]),
        Change("last", event, event | {"run": 2}),
        Change("gone", {"z": 1}, MISSING),
        Change("new", MISSING, None),
    ]


def test_one_is_not_true() -> None:
    """A number that becomes a truth value is a change."""
    assert changes({"a": 1}, {"a": True}) == [Change("a", 1, True)]


def test_views_that_are_no_objects_are_compared_as_wholes() -> None:
    """A user's view may be a number."""
    assert changes(1, 2) == [Change("", 1, 2)]
    assert changes("x", "x") == []


@given(PLAIN, PLAIN)
def test_no_change_means_equal(one: Any, other: Any) -> None:
    """A value differs from itself in nothing, and two that differ in nothing are equal."""
    assert changes(one, one) == []
    if not changes(one, other):
        assert one == other
