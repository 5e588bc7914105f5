"""What a line can hold at all: values that are strict JSON in UTF-8 (design, section 2.1)."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from types import NoneType
from typing import Any

__all__ = [
    "MAX_DEPTH",
    "MAX_INTEGER",
    "SCALARS",
    "Cases",
    "Test",
    "fault",
    "is_json",
    "is_text",
    "label",
    "refuse",
    "shown",
    "within",
]

MAX_DEPTH = 64
"""How many objects and lists a line may hold inside one another, its own object included."""

MAX_INTEGER = 2**63 - 1
"""The largest whole number, in magnitude, that a reader of the log can be expected to hold."""

Test = Callable[[Any], bool]
Cases = dict[type, Test | None]
"""By the exact type of a value, the test it must pass; None where the type is enough."""

_FIELD_DEPTH = 2  # the depth of an object or list that is a field's value


def is_text(value: str) -> bool:
    """Whether a text can be written as UTF-8: it holds no lone surrogates."""
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def refuse(_: object) -> bool:
    """The test for values of any type that is not allowed."""
    return False


def within(cases: Cases, value: object) -> bool:
    """Whether a value is of one of the types and passes its test."""
    test = cases.get(type(value), refuse)
    return test is None or test(value)


SCALARS: Cases = {
    str: is_text,
    int: range(-MAX_INTEGER, MAX_INTEGER + 1).__contains__,
    float: isfinite,
    bool: None,
    NoneType: None,
}
"""The values that are no containers."""


def is_json(value: Any, depth: int = _FIELD_DEPTH, texts: list[str] | None = None) -> bool:
    """Whether an object or list, with all that is in it, can be written as strict JSON.

    `depth`: how deep it lies in its line; nothing may lie deeper than `MAX_DEPTH`. `texts`: gets the texts in
    it, keys included.
    """
    if type(value) is dict:
        for key in value:
            if type(key) is not str or not (key.isascii() or is_text(key)):
                return False
        if texts is not None:
            texts += value
        value = value.values()
    for inner in value:
        kind = type(inner)
        if kind is str:
            if not (inner.isascii() or is_text(inner)):
                return False
            if texts is not None:
                texts.append(inner)
            continue
        test = SCALARS.get(kind, refuse)
        if test is None or test(inner):
            continue
        if kind not in _CONTAINERS or depth == MAX_DEPTH or not is_json(inner, depth + 1, texts):
            return False
    return True


def fault(value: Any, path: str, depth: int = _FIELD_DEPTH) -> tuple[str, str] | None:
    """Where and why a value is not strict JSON, and what to do about it; None if it is.

    `fault({"a": [nan]}, "run.asi")` is `("run.asi.a[0]: NaN is not JSON", "give a finite number or null")`.
    """
    kind = type(value)
    if kind in _CONTAINERS:
        if depth > MAX_DEPTH:
            return f"{_short(path)}: nested deeper than {MAX_DEPTH} levels", "flatten it, or give it as text"
        return _inner_fault(value, path, depth)
    if kind not in SCALARS:
        return f"{path}: a {kind.__name__} is not JSON", "give text, numbers, lists or objects"
    if within(SCALARS, value):
        return None
    if kind is str:
        return f"{path}: {shown(value)} holds half a character (a lone surrogate)", "leave it out"
    if kind is int:
        return f"{path}: a whole number beyond 64 bits", "give it as text"
    return f"{path}: {shown(value)} is not JSON", "give a finite number or null"


def _inner_fault(value: Any, path: str, depth: int) -> tuple[str, str] | None:
    if isinstance(value, dict):
        for key, inner in value.items():
            if type(key) is not str or not is_text(key):
                return f"{path}: the key {shown(key)} is not text", "give keys as text"
            if found := fault(inner, f"{path}.{label(key)}", depth + 1):
                return found
        return None
    for number, inner in enumerate(value):
        if found := fault(inner, f"{path}[{number}]", depth + 1):
            return found
    return None


def label(name: object) -> str:
    """A name as messages show it: as it is where it is short and printable ASCII, else quoted and cut."""
    plain = isinstance(name, str) and len(name) <= 40 and name.isascii() and name.isprintable()
    return str(name) if plain else shown(name)


def shown(value: object) -> str:
    """A value as messages quote it: JSON where it can be, in printable ASCII, cut after 60 characters."""
    import json

    if isinstance(value, str):
        value = value[:80]
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        text = ascii(type(value).__name__)
    return _short(text)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


_CONTAINERS = (dict, list, tuple)
