"""Hypothesis strategies for what may be appended, drawn from the annotations of the event types."""

from __future__ import annotations

from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from hypothesis import strategies as st

from eventstore.across import COUNTS, LARGEST_LIMIT, LIMITS, THRESHOLDS, TIMEOUTS
from eventstore.events import EVENTS, Config, Custom, Event, Moment, Settings
from eventstore.roles import ROLES
from eventstore.rules import parts_of
from eventstore.timestamps import SECONDS_BELOW
from eventstore.values import MAX_INTEGER

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
wholes = st.integers(-MAX_INTEGER, MAX_INTEGER)
numbers = wholes | st.floats(allow_nan=False, allow_infinity=False)
moments = st.integers(SECONDS_BELOW, 253_402_300_799_999)
scalars = st.none() | st.booleans() | numbers | texts
plain = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)
authors = st.sampled_from(ROLES) | st.builds("{}:{}".format, st.sampled_from(ROLES), names)

_ENVELOPE = {
    "timestamp": st.none() | moments,
    "by": authors,
    "id": st.none() | texts.filter(bool),
    "seq": st.none(),
    "prev": st.none(),
}
_ABOVE_ZERO = st.integers(1, MAX_INTEGER) | st.floats(0, exclude_min=True, allow_infinity=False)
_COUNT = st.integers(1, MAX_INTEGER)


def _limit(name: str) -> st.SearchStrategy[Any]:
    counts = st.integers(1, LARGEST_LIMIT)
    amounts = counts | st.floats(0, LARGEST_LIMIT, exclude_min=True)
    number = counts if name in COUNTS else numbers if name == "target" else amounts
    return number | st.just("none")


_SETTINGS = {
    "limits": st.fixed_dictionaries({}, optional={name: _limit(name) for name in LIMITS}),
    "thresholds": st.dictionaries(st.sampled_from(THRESHOLDS), _COUNT),
    "timeouts": st.dictionaries(st.sampled_from(TIMEOUTS), _ABOVE_ZERO),
    "metric_pattern": st.none() | st.sampled_from(["(x)", r"loss=([0-9.]+)", "(?:a|b)(c)"]),
}


def _member(hint: Any, extra: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "one_of" in extra and hint is str:
        return st.sampled_from(extra["one_of"])
    if hint is int:
        return st.integers(extra.get("min", -MAX_INTEGER), MAX_INTEGER)
    if get_origin(hint) is tuple:
        return st.lists(_shape(get_args(hint)[0]), max_size=3).map(tuple)
    if get_origin(hint) is dict:
        return st.dictionaries(texts, _shape(get_args(hint)[1]), max_size=3)
    finite = st.floats(allow_nan=False, allow_infinity=False)
    return {Any: plain, str: texts, float: finite, bool: st.booleans(), NoneType: st.none()}[hint]


def _shape(hint: Any) -> st.SearchStrategy[Any]:
    return st.one_of([_member(member, extra) for member, extra in parts_of(hint)])


@cache
def of_type(kind: type[Event]) -> st.SearchStrategy[Event]:
    """Events of this type that the door lets in."""
    hints = get_type_hints(kind, include_extras=True)
    fields = {field.name: _shape(hints[field.name]) for field in msgspec.structs.fields(kind)}
    fields |= {name: st.none() | moments for name in fields if hints[name] == Moment}
    fields |= _ENVELOPE
    if kind is Settings:
        fields |= _SETTINGS
    if kind is Custom:
        fields["type"] = names.map("x.{}".format)
        fields["fields"] = st.dictionaries(names.map("f_{}".format), plain, max_size=3)
    if kind is Config:
        fields["name"] = texts.filter(str.strip)
    events = st.builds(kind, **fields)
    return events.filter(_has_both) if kind is Config else events


def _has_both(event: Event) -> bool:
    assert isinstance(event, Config)
    return (event.metricName is None) is (event.bestDirection is None)


events: st.SearchStrategy[Event] = st.sampled_from([*EVENTS, Custom]).flatmap(of_type)
"""Events of any type that the door lets in."""
