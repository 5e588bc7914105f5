"""What each field of each event type may hold when it is appended (design, sections 2.3 and 3).

The rules are read off the annotations of the event types, once a type and on first use. Reading asks for
less (`eventstore.lines`): foreign writers have their own statuses, and a log outlives its writers.
"""

from __future__ import annotations

from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

from eventstore.events import Event, Moment
from eventstore.roles import is_author
from eventstore.values import MAX_INTEGER, SCALARS, Cases, Test, is_json, is_text, within

__all__ = ["MAX_ID", "Rule", "parts_of", "rules_of"]

MAX_ID = 512
"""Length of the longest idempotency key, in characters."""

_MAX_MS = 253_402_300_799_999  # 9999-12-31T23:59:59.999Z
_NEVER = object()  # the default of a field that must always be looked at


class Rule(NamedTuple):
    """What one field may hold.

    name: the attribute. key: the name in the line. default: the one object that needs no test.
    cases: the tests. words: what is allowed, to be read after `is not`.
    choices: the texts allowed, where there is a list of them. moment: whether it is a time.
    filled: whether it may not be blank.
    """

    name: str
    key: str
    default: object
    cases: Cases
    words: str
    choices: tuple[str, ...] = ()
    moment: bool = False
    filled: bool = False

    def allows(self, value: object) -> bool:
        """Whether the field may hold this value."""
        return value is self.default or within(self.cases, value)


@cache
def rules_of(kind: type[Event]) -> tuple[Rule, ...]:
    """The rules of a type's fields, in the order of `msgspec.structs.astuple`."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(_rule(field, hints[field.name]) for field in msgspec.structs.fields(kind))


def _rule(field: msgspec.structs.FieldInfo, hint: Any) -> Rule:
    name, key, default = field.name, field.encode_name, _default(field)
    if name == "by":
        return Rule(name, key, default, {str: is_author}, "role or role:name")
    if name == "id":
        words = f"text of 1 to {MAX_ID} characters"
        return Rule(name, key, default, {str: _is_id, NoneType: None}, words)
    if hint == Moment:
        cases: Cases = {int: range(-_MAX_MS, _MAX_MS + 1).__contains__, NoneType: None}
        return Rule(name, key, default, cases, "a whole number of milliseconds since 1970 UTC", moment=True)
    if _extra(hint).get("door") == "required":
        return Rule(name, key, _NEVER, {str: _is_filled}, "text", filled=True)
    choices = [text for _, extra in parts_of(hint) for text in extra.get("one_of", ())]
    return Rule(name, key, default, _cases(hint), _words(hint), tuple(choices))


def _default(field: msgspec.structs.FieldInfo) -> object:
    """The object that an unset field holds; `_NEVER` where it must be set or each event gets its own."""
    if field.default is not msgspec.NODEFAULT:
        return field.default
    if field.default_factory is msgspec.NODEFAULT:
        return _NEVER
    made: object = field.default_factory()
    return _NEVER if isinstance(made, dict) else made


def _extra(hint: Any) -> dict[str, Any]:
    """What an annotation says in the `extra` of its `Meta`; empty if it says nothing."""
    extra: dict[str, Any] = {}
    for meta in get_args(hint)[1:] if get_origin(hint) is Annotated else ():
        extra |= (meta.extra or {}) if isinstance(meta, msgspec.Meta) else {}
    return extra


def parts_of(hint: Any, extra: dict[str, Any] | None = None) -> list[tuple[Any, dict[str, Any]]]:
    """The members of a union (or the one type), each with what is said about it in `Meta.extra`.

    Members that `door` keeps out are left out: `number` text, `integer` floats.
    """
    extra = extra or {}
    if get_origin(hint) is Annotated:
        return parts_of(get_args(hint)[0], extra | _extra(hint))
    if get_origin(hint) not in (Union, UnionType):
        return [(hint, extra)]
    members = [part for member in get_args(hint) for part in parts_of(member, extra)]
    kept_out = {"number": (str,), "integer": (str, float)}.get(extra.get("door", ""), ())
    return [(member, own) for member, own in members if member not in kept_out]


def _cases(hint: Any) -> Cases:
    cases: Cases = {}
    for member, extra in parts_of(hint):
        cases |= _case(member, extra)
    return cases


def _case(hint: Any, extra: dict[str, Any]) -> Cases:
    if hint is str:
        return {str: frozenset(extra["one_of"]).__contains__ if "one_of" in extra else is_text}
    if hint is int:
        return {int: range(extra.get("min", -MAX_INTEGER), MAX_INTEGER + 1).__contains__}
    if get_origin(hint) is tuple:
        return {tuple: _each(get_args(hint)[0])}
    if get_origin(hint) is dict:
        return {dict: _each_value(get_args(hint)[1])}
    return {hint: SCALARS[hint]}


def _each(hint: Any) -> Test:
    cases = _cases(hint)
    return lambda values: all(within(cases, value) for value in values)


def _each_value(hint: Any) -> Test:
    if hint is Any:
        return is_json
    cases = _cases(hint)
    return lambda values: is_json(values) and all(within(cases, value) for value in values.values())


def _words(hint: Any, plural: bool = False) -> str:
    parts = parts_of(hint)
    members = [member for member, _ in parts]
    words = [
        _word(member, extra, plural) for member, extra in parts if member is not int or float not in members
    ]
    return " or ".join(words)


def _word(hint: Any, extra: dict[str, Any], plural: bool) -> str:
    if "one_of" in extra:
        return "one of " + ", ".join(extra["one_of"])
    if get_origin(hint) is tuple:
        return f"a list of {_words(get_args(hint)[0], plural=True)}"
    if get_origin(hint) is dict:
        one, of = ("objects" if plural else "an object"), get_args(hint)[1]
        return one if of is Any else f"{one} of {_words(of, plural=True)}"
    words = _PLURALS[hint] if plural else _SINGULARS[hint]
    return f"{words} from {extra['min']}" if "min" in extra else words


def _is_filled(value: str) -> bool:
    return is_text(value) and bool(value.strip())


def _is_id(value: str) -> bool:
    return 0 < len(value) <= MAX_ID and is_text(value)


_SINGULARS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", NoneType: "null"}
_PLURALS = {str: "texts", int: "whole numbers", float: "numbers", NoneType: "nulls"}
