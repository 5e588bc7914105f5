"""Views as dotted paths: reading one field, and comparing two views field by field. Pure.

A view is taken as its reducer shows it or as the plain values of its JSON, which come to the same. What two
views share need not be made plain, nor be looked at, to be found the same: so comparing the views before and
after an event costs about as much as what the event changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from eventstore.events import Event
from reducers.history import History
from reducers.rows import Rows
from reducers.table import Table

__all__ = ["MISSING", "Change", "at_path", "changes", "names_at"]


class _Missing:
    """Stands for a field that a view does not have, which is not the same as null."""

    def __repr__(self) -> str:
        return "absent"


MISSING: Any = _Missing()


class Change(msgspec.Struct, frozen=True):
    """One field that differs between two views.

    path: dotted. before, after: its values, as plain values; `MISSING` where there was or is none.
    """

    path: str
    before: Any
    after: Any


def at_path(view: Any, path: str) -> Any:
    """The plain value at a dotted path or `MISSING`; list items by index: `runs.0.metric`, `runs.-1`.

    A name with dots in it (`secondary.a.b`) is found as well: the longest name that fits is taken.
    """
    return _plain(_at(view, path.split(".")))


def _at(view: Any, steps: list[str]) -> Any:
    if not steps:
        return view
    fields = _fields(view)
    if fields is not None:
        for length in range(len(steps), 0, -1):
            name = ".".join(steps[:length])
            if name in fields:
                return _at(fields[name], steps[length:])
        return MISSING
    items = _items(view)
    if items is not None:
        index = int(steps[0]) if _is_index(steps[0]) else len(items)
        return _at(items[index], steps[1:]) if -len(items) <= index < len(items) else MISSING
    plain = _plain(view)
    return MISSING if plain is view else _at(plain, steps)


def _is_index(step: str) -> bool:
    return step.isascii() and step.removeprefix("-").isdecimal() and len(step) < 19


def names_at(view: Any, path: str) -> list[str]:
    """The names that could follow, at the deepest part of a path that is there; dotted, for a message."""
    view = _plain(view)
    steps = path.split(".")
    for length in range(len(steps) - 1, -1, -1):
        found = _at(view, steps[:length])
        if isinstance(found, dict):
            prefix = "".join(f"{step}." for step in steps[:length])
            return [f"{prefix}{name}" for name in found]
    return []


def changes(before: Any, after: Any) -> list[Change]:
    """What differs between two views, in the order of their fields.

    Objects are compared field by field, lists of objects item by item. What is in only one of them, recorded
    events, and lists of plain values are told as wholes.
    """
    return list(_changes(before, after, ""))


def _changes(before: Any, after: Any, path: str) -> Iterator[Change]:
    if before is after:
        return
    fields, other_fields = _fields(before), _fields(after)
    if fields is not None and other_fields is not None:
        if _is_event(fields) or _is_event(other_fields):
            yield from _whole(before, after, path)
            return
        for name in _names_of_either(fields, other_fields):
            inner = f"{path}.{name}" if path else str(name)
            yield from _changes(fields.get(name, MISSING), other_fields.get(name, MISSING), inner)
        return
    items, other_items = _items(before), _items(after)
    if items is not None and other_items is not None and _is_rows(items) and _is_rows(other_items):
        for index in _places(items, other_items):
            old, new = (rows[index] if index < len(rows) else MISSING for rows in (items, other_items))
            yield from _changes(old, new, f"{path}.{index}" if path else str(index))
        return
    yield from _whole(before, after, path)


def _whole(before: Any, after: Any, path: str) -> Iterator[Change]:
    """A change of what is told as a whole; what only its plain form shows to be an object is gone into."""
    old, new = _plain(before), _plain(after)
    if (old is not before or new is not after) and not (_has_form(before) or _has_form(after)):
        yield from _changes(old, new, path)
    elif not _same(old, new):
        yield Change(path, old, new)


def _has_form(value: Any) -> bool:
    return _fields(value) is not None or _items(value) is not None


def _fields(value: Any) -> Mapping[str, Any] | None:
    """The fields of an object by the names in its JSON; None for what is none, or not at first sight."""
    if type(value) is dict:
        return value
    if isinstance(value, Table):
        return value
    if not isinstance(value, msgspec.Struct):
        return None
    shape = type(value).__struct_config__
    if isinstance(value, Event) or shape.omit_defaults or shape.array_like or shape.tag is not None:
        return None
    named = zip(value.__struct_encode_fields__, msgspec.structs.astuple(value), strict=True)
    return {name: inner for name, inner in named if inner is not msgspec.UNSET}


def _items(value: Any) -> Sequence[Any] | None:
    """The items of a list; None for what is none, or not at first sight."""
    return value if type(value) in (list, tuple) or isinstance(value, History | Rows) else None


def _is_event(fields: Mapping[str, Any]) -> bool:
    """Whether an object is a recorded event, which is told as a whole."""
    return isinstance(fields.get("type"), str)


def _is_rows(items: Sequence[Any]) -> bool:
    return not items or isinstance(items[0], dict) or isinstance(_plain(items[0]), dict)


def _names_of_either(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The names of both, in order; without those of which it is known at once that nothing differs."""
    if isinstance(before, Table) and isinstance(after, Table):
        return before.differing(after)
    return [*before, *(name for name in after if name not in before)]


def _places(before: Sequence[Any], after: Sequence[Any]) -> Sequence[int]:
    """The places of both, ascending, but for those of which it is known at once that nothing differs."""
    if isinstance(before, History) and isinstance(after, History):
        return before.may_differ(after)
    if isinstance(before, Rows) and isinstance(after, Rows):
        return before.may_differ(after)
    return range(max(len(before), len(after)))


def _plain(value: Any) -> Any:
    """A value as its JSON has it."""
    if value is MISSING or value is None or type(value) in _SCALARS:
        return value
    from reducers.core import to_plain  # heavy, and `tail` has no need of it

    return to_plain(value)


_SCALARS = (str, int, float, bool)


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON values: 1 is not true."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)
