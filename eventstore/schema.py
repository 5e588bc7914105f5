"""The JSON Schema of the log, from the annotations that the door enforces (design, section 3)."""

from __future__ import annotations

from inspect import cleandoc
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from eventstore.across import COUNTS, LIMITS, MAX_TYPE, THRESHOLDS, TIMEOUTS
from eventstore.events import ENVELOPE, EVENTS, Config, Settings, Tagged, tag_of
from eventstore.roles import MAX_NAME, ROLES
from eventstore.rules import MAX_ID, Rule, parts_of, rules_of

__all__ = ["schema"]

Schema = dict[str, Any]

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_ABOVE_ZERO: Schema = {"type": "number", "exclusiveMinimum": 0}
_COUNT: Schema = {"type": "integer", "minimum": 1}


def schema() -> Schema:
    """The JSON Schema (2020-12) of one line, as it may be appended: every known type, and users' own."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of the log",
        "oneOf": [{"$ref": f"#/$defs/{tag_of(kind)}"} for kind in EVENTS] + [{"$ref": "#/$defs/x"}],
        "$defs": {tag_of(kind): _event(kind) for kind in EVENTS} | {"x": _custom()},
    }


def _event(kind: type[Tagged]) -> Schema:
    hints = get_type_hints(kind, include_extras=True)
    fields = msgspec.structs.fields(kind)
    rules = rules_of(kind)
    own = [(rule, field) for rule, field in zip(rules, fields, strict=True) if rule.key not in ENVELOPE]
    inner = _SETTINGS if kind is Settings else {}
    properties = {rule.key: inner.get(rule.key) or _field(rule, hints[rule.name]) for rule, _ in own}
    together = {"dependentRequired": _TOGETHER} if kind is Config else {}
    return {
        "description": cleandoc(kind.__doc__ or ""),
        "type": "object",
        "properties": {"type": {"const": tag_of(kind)}, **_envelope(), **properties},
        "required": ["type", *(rule.key for rule, field in own if field.required or rule.filled)],
        "additionalProperties": False,
        **together,
    }


def _custom() -> Schema:
    return {
        "description": "A user's own event: anything but a numeric run.",
        "type": "object",
        "properties": {
            "type": {"type": "string", "pattern": r"^x\.[^\s]+$", "maxLength": MAX_TYPE},
            **_envelope(),
            "run": {"not": {"type": "number"}},
        },
        "required": ["type"],
    }


def _envelope() -> Schema:
    nothing = {"type": "null"}
    return {
        "seq": {"type": ["integer", "null"], "minimum": 1},
        "timestamp": {"type": ["integer", "null"]},
        "by": {"type": "string", "pattern": rf"^({'|'.join(ROLES)})(:[^\s]{{1,{MAX_NAME}}})?$"},
        "id": {"type": ["string", "null"], "minLength": 1, "maxLength": MAX_ID},
        "prev": {"anyOf": [{"type": "string", "pattern": "^[0-9a-f]{32}$"}, nothing]},
    }


def _field(rule: Rule, hint: Any) -> Schema:
    if rule.moment:
        return {"type": ["integer", "null"]}
    return _shape(hint) | ({"pattern": r"\S"} if rule.filled else {})


def _shape(hint: Any) -> Schema:
    """The schema of an annotation. A list of choices stands alone; types without one are listed together."""
    parts = parts_of(hint)
    members = [member for member, _ in parts]
    if hint is Any:
        return {}
    if any("one_of" in extra for _, extra in parts):
        choices = [text for _, extra in parts for text in extra.get("one_of", ())]
        return {"enum": choices + ([None] if NoneType in members else [])}
    if get_origin(members[0]) is tuple:
        return {"type": "array", "items": _shape(get_args(members[0])[0])}
    if get_origin(members[0]) is dict:
        return {"type": "object", "additionalProperties": _shape(get_args(members[0])[1])}
    names = [_TYPES[member] for member in members if member is not int or float not in members]
    shape: Schema = {"type": names if len(names) > 1 else names[0]}
    minima = [extra["min"] for _, extra in parts if "min" in extra]
    return shape | ({"minimum": minima[0]} if minima else {})


def _limit(name: str) -> Schema:
    number = _COUNT if name in COUNTS else {"type": "number"} if name == "target" else _ABOVE_ZERO
    return {"anyOf": [number, {"const": "none"}]}


def _closed(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False}


_TOGETHER = {"metricName": ["bestDirection"], "bestDirection": ["metricName"]}
_SETTINGS: Schema = {
    "limits": _closed({name: _limit(name) for name in LIMITS}),
    "thresholds": _closed(dict.fromkeys(THRESHOLDS, _COUNT)),
    "timeouts": _closed(dict.fromkeys(TIMEOUTS, _ABOVE_ZERO)),
}
