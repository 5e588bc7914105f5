"""JSON Schemas of what tools take and give, and arguments read as their types say. Pure.

Schemas are as plain as can be, since clients know only a part of JSON Schema: no references, and no null for
what may be left out (which is taken all the same).
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

from commands.errors import BadInputError, nearest

__all__ = ["input_schema", "output_schema", "read_arguments"]

A = TypeVar("A", bound=msgspec.Struct)
Schema = dict[str, Any]

_LAST = ("agent", "cwd")
_NULL: Schema = {"type": "null"}
_WORDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "int | float": "a number",
    "int | float | str": "a number or a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_AT = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<path>[^`]*)`)?", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_CHOICE = re.compile(r"Invalid enum value '(.*)'", re.DOTALL)
_EXPECTED = re.compile(r"Expected `(.*?)`(.*?)(?:, got `(.*)`)?")


def input_schema(kind: type[msgspec.Struct]) -> Schema:
    """The schema of a tool's arguments; what most tools take comes last."""
    schema = _inlined(kind, optional=True)
    properties = schema["properties"]
    own = [name for name in properties if name not in _LAST]
    last = [name for name in _LAST if name in properties]
    schema["properties"] = {name: properties[name] for name in (*own, *last)}
    return schema


def output_schema(kind: type[msgspec.Struct]) -> Schema:
    """The schema of a tool's structured result; there may be more in it than is said."""
    schema = _inlined(kind, optional=False)
    del schema["additionalProperties"]
    return schema


def _inlined(kind: type[msgspec.Struct], *, optional: bool) -> Schema:
    (top,), parts = msgspec.json.schema_components([kind])
    name = top["$ref"].rpartition("/")[2]
    made: Schema = _plain(parts[name], parts, optional)
    made.setdefault("additionalProperties", None)
    made.pop("title")
    made.pop("description")
    return made


def _plain(value: Any, parts: dict[str, Any], optional: bool) -> Any:
    """A part of a schema with its references inlined.

    optional: null, and null or nothing as a default, is not told: it is what is left out.
    """
    if isinstance(value, list):
        return [_plain(item, parts, optional) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        inner = {k: v for k, v in parts[value["$ref"].rpartition("/")[2]].items() if k != "title"}
        value = {**inner, **{k: v for k, v in value.items() if k != "$ref"}}
    made = {k: _plain(v, parts, optional) for k, v in value.items()}
    if "enum" in made:
        made = {"type": "string", **made}
    if "anyOf" in made:
        made = _without_doubles(made, optional)
    if optional and made.get("default", 0) in (None, [], {}):
        del made["default"]
    return made


def _without_doubles(schema: Schema, optional: bool) -> Schema:
    """A choice of types without the integer among numbers, and without null where that is no type."""
    choices = schema.pop("anyOf")
    if {"type": "number"} in choices:
        choices = [choice for choice in choices if choice != {"type": "integer"}]
    if optional:
        choices = [choice for choice in choices if choice != _NULL]
    if len(choices) == 1:
        return {**choices[0], **schema}
    return {**schema, "anyOf": choices}


def read_arguments(tool: str, kind: type[A], given: dict[str, Any] | None) -> A:
    """What a call gives a tool. Null stands for what is left out; a number may come as a text.

    Raises BadInputError that names the argument, what is allowed, and what it is for.
    """
    known = {name: value for name, value in (given or {}).items() if value is not None}
    try:
        msgspec.json.encode(known)
    except UnicodeEncodeError:
        raise BadInputError(
            f"{tool}: an argument holds half a character, a lone surrogate", "give whole characters"
        ) from None
    try:
        return msgspec.convert(known, kind, strict=False)
    except (msgspec.ValidationError, RecursionError) as error:
        raise _refusal(tool, kind, str(error)) from None


def _refusal(tool: str, kind: type[msgspec.Struct], said: str) -> BadInputError:
    found = _AT.fullmatch(said)
    what, path = (found["what"], found["path"] or "") if found else (said, "")
    schema = input_schema(kind)
    within = _within(schema, path)
    if missing := _MISSING.fullmatch(what):
        name = missing[1]
        return BadInputError(f"{tool}: {name} is missing", _use(name, within))
    if unknown := _UNKNOWN.fullmatch(what):
        names = list(within.get("properties", {}))
        near = nearest(unknown[1], names)
        where = f" in {path}" if path else ""
        return BadInputError(
            f"{tool}: there is no argument {unknown[1][:60]!r}{where}; there are {', '.join(names)}",
            f"use {near}" if near else "leave it out",
        )
    name = path.partition(".")[0].partition("[")[0]
    if choice := _CHOICE.fullmatch(what):
        allowed = ", ".join(within.get("enum", ()))
        return BadInputError(
            f"{tool}: {path} is {choice[1][:60]!r}, not one of {allowed}", _use(name, schema)
        )
    if expected := _EXPECTED.fullmatch(what):
        wanted = expected[1].removesuffix(" | null")
        got = f", not {_WORDS.get(expected[3], expected[3])}" if expected[3] else ""
        words = f"{_WORDS.get(wanted, wanted)}{expected[2]}{got}"
        return BadInputError(f"{tool}: {path} has to be {words}", _use(name, schema))
    return BadInputError(f"{tool}: {path}: {what}", _use(name, schema))


def _within(schema: Schema, path: str) -> Schema:
    for step in filter(None, path.split(".")):
        schema = schema.get("properties", {}).get(step.partition("[")[0], {})
    return schema


def _use(name: str, schema: Schema) -> str:
    """What an argument is for, as something to try."""
    described = schema.get("properties", {}).get(name, {})
    example = next(iter(described.get("examples", ())), None)
    shown = "" if example is None else f" Such as {msgspec.json.encode(example).decode()}."
    return f"{name}: {described.get('description', 'as in the schema')}{shown}"
