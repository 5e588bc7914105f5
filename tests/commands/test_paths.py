"""Views as dotted paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands.paths import MISSING, Change, at_path, changes, names_at
from eventstore.events import Direction, Finding, Iteration, Note, Run, Verified
from reducers import registry
from reducers.core import fold, to_plain
from reducers.history import History
from reducers.strategies import logs

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


PROTOCOL = st.lists(
    st.one_of(
        st.builds(Finding, text=st.just("t"), source=st.none() | st.sampled_from("ab")),
        st.builds(
            Verified,
            kind=st.sampled_from(["citation", "test"]),
            target=st.none() | st.sampled_from("abc"),
            ok=st.booleans(),
        ),
        st.builds(Iteration, iteration=st.integers(0, 9), direction=st.none() | st.sampled_from("pq")),
        st.builds(
            Direction,
            text=st.sampled_from("pqr"),
            state=st.sampled_from(["claimed", "tried", "abandoned"]),
            by=st.sampled_from(["worker:a", "worker:b"]),
        ),
        st.builds(Run, run=st.just(1), status=st.just("keep"), direction=st.none() | st.sampled_from("pq")),
    ),
    max_size=25,
)


@pytest.mark.parametrize("name", registry.names())
@settings(max_examples=40)
@given(log=logs() | PROTOCOL, data=st.data())
def test_views_are_compared_as_their_plain_values_are(
    name: str, log: Sequence[Any], data: st.DataObject
) -> None:
    """Whatever two states they are of, neighbours or far apart: the same changes, and the same fields."""
    reducer = registry.load(name)
    states = [reducer.initial]
    for record in log:
        states.append(fold(reducer, (record,), states[-1]))
    one, other = (data.draw(st.sampled_from(states)) for _ in range(2))
    pairs = [(one, other), *pairwise(states)]

    for before, after in pairs:
        shown = reducer.view(before, 1_764_600_000_000), reducer.view(after, 1_764_600_000_000)
        plain = to_plain(shown[0]), to_plain(shown[1])
        found = changes(*shown)

        assert found == changes(*plain)
        for change in found:
            assert at_path(shown[1], change.path) == at_path(plain[1], change.path)
            assert at_path(shown[0], change.path) == at_path(plain[0], change.path)


class Point(msgspec.Struct):
    x: int
    y: int | msgspec.UnsetType = msgspec.UNSET


class Tagged(msgspec.Struct, tag="t", omit_defaults=True):
    x: int = 0


@dataclass
class Data:
    x: int
    points: list[Point]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Data(1, [Point(1)]), Data(2, [Point(2, 3)])),
        ({"a": Point(1, 2)}, {"a": Point(1)}),
        ({"a": Tagged(1)}, {"a": Tagged(0)}),
        ([Tagged(1), Tagged(2)], [Tagged(1)]),
        ({1: "a", "b": {2, 3}}, {1: "b", "b": {3}}),
        ((Point(1), Point(2)), (Point(1), Point(3))),
        (History([1, 2]), History([1, 2, 3])),
        (History([Point(1)]), [Point(1), Point(2)]),
        ([], [1]),
        ([Point(1)], [1]),
        (Note(detail="a"), Note(detail="b")),
        (date(2026, 1, 1), date(2026, 1, 2)),
        ({"a": None}, {"a": Data(1, [])}),
    ],
)
def test_whatever_a_users_view_is_made_of(before: Any, after: Any) -> None:
    """All that can be shown as JSON, compared by what that is."""
    plain = to_plain(before), to_plain(after)

    assert changes(before, after) == changes(*plain) != []
    assert changes(before, before) == []
    for path in ("x", "points.0.x", "a.x", "0.x", "1", "a", ""):
        for value, as_json in zip((before, after), plain, strict=True):
            assert at_path(value, path) == at_path(as_json, path)
