"""Views as dotted paths: reading one field, and comparing two views field by field. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

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
    """The value at a dotted path or `MISSING`; list items by index: `runs.0.metric`, `runs.-1`.

    A name with dots in it (`secondary.a.b`) is found as well: the longest name that fits is taken.
    """
    return _at(view, path.split("."))


def _at(view: Any, steps: list[str]) -> Any:
    if not steps:
        return view
    if isinstance(view, dict):
        for length in range(len(steps), 0, -1):
            name = ".".join(steps[:length])
            if name in view:
                return _at(view[name], steps[length:])
        return MISSING
    if isinstance(view, list) and steps[0].removeprefix("-").isdecimal():
        index = int(steps[0])
        return _at(view[index], steps[1:]) if -len(view) <= index < len(view) else MISSING
    return MISSING


def names_at(view: Any, path: str) -> list[str]:
    """The names that could follow, at the deepest part of a path that is there; dotted, for a message."""
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
    if _is_fields(before) and _is_fields(after):
        for name in [*before, *(name for name in after if name not in before)]:
            inner = f"{path}.{name}" if path else str(name)
            yield from _changes(before.get(name, MISSING), after.get(name, MISSING), inner)
    elif _is_rows(before) and _is_rows(after):
        for index in range(max(len(before), len(after))):
            old, new = (rows[index] if index < len(rows) else MISSING for rows in (before, after))
            yield from _changes(old, new, f"{path}.{index}" if path else str(index))
    elif before is not after and not _same(before, after):
        yield Change(path, before, after)


def _is_fields(value: Any) -> bool:
    """Whether a value is an object whose fields are told one by one; a recorded event is not."""
    return isinstance(value, dict) and not isinstance(value.get("type"), str)


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and (not value or isinstance(value[0], dict))


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON values: 1 is not true."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)
