"""The part of JSON Schema (2020-12) that the log's schema uses, to hold lines against it."""

from __future__ import annotations

import re
from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
COMMENTS = {"$schema", "$defs", "title", "description"}


def is_valid(value: Any, schema: dict[str, Any], root: dict[str, Any] | None = None) -> bool:
    """Whether the value fits the schema. Raises KeyError for a keyword that is not known here."""
    root = schema if root is None else root

    def fits(inner: Any, other: dict[str, Any]) -> bool:
        return is_valid(inner, other, root)

    here = {**schema, "$root": root}
    return all(
        KEYWORDS[keyword](value, wanted, here, fits)
        for keyword, wanted in schema.items()
        if keyword not in COMMENTS
    )


def _is_type(value: Any, name: str) -> bool:
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def _ref(value: Any, path: str, schema: dict[str, Any], fits: Any) -> bool:
    return bool(fits(value, schema["$root"]["$defs"][path.removeprefix("#/$defs/")]))


def _type(value: Any, wanted: str | list[str], _: Any, __: Any) -> bool:
    return any(_is_type(value, name) for name in ([wanted] if isinstance(wanted, str) else wanted))


def _properties(value: Any, wanted: dict[str, Any], _: Any, fits: Any) -> bool:
    return not isinstance(value, dict) or all(fits(value[k], s) for k, s in wanted.items() if k in value)


def _additional(value: Any, wanted: Any, schema: dict[str, Any], fits: Any) -> bool:
    if not isinstance(value, dict):
        return True
    others = [inner for key, inner in value.items() if key not in schema.get("properties", {})]
    return not others if wanted is False else all(fits(inner, wanted) for inner in others)


def _dependent(value: Any, wanted: dict[str, list[str]], _: Any, __: Any) -> bool:
    return all(other in value for key, others in wanted.items() if key in value for other in others)


KEYWORDS: dict[str, Any] = {
    "$ref": _ref,
    "type": _type,
    "properties": _properties,
    "additionalProperties": _additional,
    "dependentRequired": _dependent,
    "required": lambda value, wanted, _, __: all(key in value for key in wanted),
    "oneOf": lambda value, wanted, _, fits: sum(fits(value, other) for other in wanted) == 1,
    "anyOf": lambda value, wanted, _, fits: any(fits(value, other) for other in wanted),
    "not": lambda value, wanted, _, fits: not fits(value, wanted),
    "enum": lambda value, wanted, _, __: value in wanted,
    "const": lambda value, wanted, _, __: value == wanted,
    "items": lambda value, wanted, _, fits: all(fits(inner, wanted) for inner in value),
    "pattern": lambda value, wanted, _, __: not isinstance(value, str) or bool(re.search(wanted, value)),
    "minLength": lambda value, wanted, _, __: not isinstance(value, str) or len(value) >= wanted,
    "maxLength": lambda value, wanted, _, __: not isinstance(value, str) or len(value) <= wanted,
    "minimum": lambda value, wanted, _, __: value is None or value >= wanted,
    "exclusiveMinimum": lambda value, wanted, _, __: not _is_type(value, "number") or value > wanted,
}
