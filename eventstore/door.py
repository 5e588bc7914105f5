"""The door of the log: what is refused before anything is written (design, section 2.3).

`admit` and `admit_line` make an event of plain values (`build`, `build_line`, `read_line` are parts of that),
`check` looks at one that was built in process. Each raises InvalidEventError with one clear line. What is
allowed is told by the annotations of the event types (`eventstore.rules`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NoReturn, get_type_hints

import msgspec

from eventstore.across import ACROSS, check_type, nearest
from eventstore.errors import InvalidEventError
from eventstore.events import ENVELOPE, EVENTS, TYPES, Custom, Event, Tagged, type_of
from eventstore.roles import check_role
from eventstore.rules import Rule, rules_of
from eventstore.secrets import is_looked_at
from eventstore.timestamps import SECONDS_BELOW, epoch_ms
from eventstore.values import Cases, fault, is_json, is_text, label, shown

__all__ = [
    "MAX_LINE",
    "admit",
    "admit_line",
    "build",
    "build_line",
    "check",
    "check_role",
    "check_size",
    "read_line",
    "schema",
]

MAX_LINE = 1 << 20
"""Size of the longest line that is appended, in bytes, its newline not counted."""

_ASSIGNED = ("seq", "prev")
_GIVEN = ("timestamp", "by", "id")
_A_TIME = "give milliseconds since 1970 UTC or ISO 8601, such as 2026-01-31T12:00:00Z"
_objects = msgspec.json.Decoder(dict[str, Any])


def admit(kind: str, fields: Mapping[str, Any]) -> Event:
    """An event of type `kind` from plain values, as a command line or a line of JSON gives them.

    `fields` may hold `timestamp`, `by` and `id` beside the type's own fields. A time may be given in any
    shape that readers take (milliseconds, seconds, ISO 8601); the event holds milliseconds.

    Raises InvalidEventError for an unknown type that does not start with `x.`, an unknown, missing or
    ill-typed field, a value outside its list or range, and what JSON or UTF-8 cannot say.
    """
    event = build(kind, fields)
    check(event)
    return event


def build(kind: str, fields: Mapping[str, Any]) -> Event:
    """As `admit`, but only the fields' names and types are looked at, not what they hold.

    For what is appended right away: `Log.append` checks every event by itself.
    """
    known = TYPES.get(kind)
    if known is None:
        return _build_custom(kind, fields)
    names, moments = _names(known)
    if not fields.keys() <= names:
        _refuse_field(kind, known, fields)
    given = _with_times(kind, fields, moments)
    try:
        return msgspec.convert(given, known)
    except (msgspec.ValidationError, RecursionError, UnicodeError) as error:
        _diagnose(kind, known, given, str(error))


def admit_line(line: bytes) -> Event:
    """An event from one line of JSON; its type is in `type`.

    As in the log, a line without a type but with a numeric `run` is a run. Of a key given twice the last
    counts. Raises InvalidEventError as `admit` does, and for what is not a JSON object or over `MAX_LINE`.
    """
    event = build_line(line)
    check(event)
    return event


def build_line(line: bytes) -> Event:
    """As `admit_line`, but it goes no further than `build`."""
    return build(*read_line(line))


def read_line(line: bytes) -> tuple[str, dict[str, Any]]:
    """The type and the fields of one line of JSON, neither looked at any further; see `admit_line`."""
    if len(line) > MAX_LINE:
        check_size(line)
    try:
        fields = _objects.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        _refuse_line(line, str(error))
    kind = fields.pop("type", None)
    if kind is None and type(fields.get("run")) in (int, float):
        kind = "run"
    if type(kind) is not str:
        raise InvalidEventError(
            "type: missing" if kind is None else f"type: {shown(kind)} is not text",
            'give the type of the event, as in {"type":"note","detail":"..."}',
        )
    return kind, fields


def check(event: Event, texts: list[str] | None = None) -> None:
    """Raises InvalidEventError if an event holds what `admit` would not have let in.

    Events are not validated when they are built in process. `seq` and `prev` are the log's to assign: they
    may be there, and only their types are looked at. `texts` gets all texts in which a secret may stand.
    """
    kind = type(event)
    texts = [] if texts is None else texts
    tests = _TESTS.get(kind) or _tests_of(kind)
    try:
        for value, (default, cases, is_looked_at) in zip(msgspec.structs.astuple(event), tests, strict=True):
            if value is not default:
                test = cases[type(value)]
                if test is is_text:
                    if not (value.isascii() or is_text(value)):
                        _explain(event)
                elif test is is_json:
                    if not is_json(value, texts=texts):
                        _explain(event)
                    continue  # its texts are there already
                elif test is not None and not test(value):
                    _explain(event)
                if is_looked_at:
                    if type(value) is str:
                        texts.append(value)
                    elif value:
                        is_json(value, texts=texts)
    except KeyError:  # no value of this type is allowed
        _explain(event)
    across = ACROSS.get(kind)
    if across is not None:
        across(event)


def check_size(line: bytes) -> None:
    """Raises InvalidEventError if a line, given without its newline, is longer than `MAX_LINE`."""
    if len(line) > MAX_LINE:
        raise InvalidEventError(
            f"the line has {len(line):,} bytes, over {MAX_LINE:,}",
            "keep the text in a file and name the file",
        )


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a line as it may be appended, envelope included."""
    from eventstore.schema import schema

    return schema()


_Tests = tuple[tuple[object, Cases, bool], ...]
"""Of each field of a type: the default that needs no look, the tests, whether a secret may stand in it."""

_TESTS: dict[type[Event], _Tests] = {}


def _tests_of(kind: type[Event]) -> _Tests:
    if kind not in EVENTS and kind is not Custom:
        raise InvalidEventError(f"{kind.__name__} is no event type", "append a type of eventstore.events")
    tests = tuple((rule.default, rule.cases, is_looked_at(rule)) for rule in rules_of(kind))
    return _TESTS.setdefault(kind, tests)


@cache
def _names(kind: type[Tagged]) -> tuple[frozenset[str], frozenset[str]]:
    """The names that `fields` may have, and those of them that are times."""
    rules = [rule for rule in rules_of(kind) if rule.key not in _ASSIGNED]
    return frozenset(rule.key for rule in rules), frozenset(rule.key for rule in rules if rule.moment)


def _own_names(kind: type[Tagged]) -> list[str]:
    return [rule.key for rule in rules_of(kind) if rule.key not in ENVELOPE]


def _build_custom(kind: str, fields: Mapping[str, Any]) -> Custom:
    if not kind.startswith("x."):
        near = nearest(kind, TYPES)
        raise InvalidEventError(
            f"no event type {shown(kind)}; there are {', '.join(TYPES)}, and your own, which start with x.",
            f"use {near}" if near else "use one of these types",
        )
    check_type(kind)
    _refuse_assigned(kind, fields)
    given = _with_times(kind, fields, ("timestamp",))
    envelope = {name: given[name] for name in _GIVEN if name in given}
    own = {name: value for name, value in given.items() if name not in _GIVEN}
    return Custom(type=kind, fields=own, **envelope)


def _with_times(kind: str, fields: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The fields, with times in milliseconds. Raises InvalidEventError for one that is no time.

    What would be below `SECONDS_BELOW` in milliseconds is refused, since readers would take it for seconds.
    """
    given = fields if type(fields) is dict else dict(fields)
    for name in names:
        value = given.get(name)
        if value is None or (type(value) is int and value >= SECONDS_BELOW):
            continue
        ms = epoch_ms(value)
        if ms is None:
            raise InvalidEventError(f"{kind}.{name}: {shown(value)} is not a time", _A_TIME)
        if abs(ms) < SECONDS_BELOW:
            raise InvalidEventError(f"{kind}.{name}: {shown(value)} is before 3 March 1973", _A_TIME)
        given = {**given, name: ms}
    return given


def _refuse_assigned(kind: str, fields: Mapping[str, Any]) -> None:
    for name in _ASSIGNED:
        if name in fields:
            raise InvalidEventError(f"{kind}.{name}: assigned by the log", f"leave {name} out")


def _refuse_field(kind: str, known: type[Tagged], fields: Mapping[str, Any]) -> NoReturn:
    _refuse_assigned(kind, fields)
    allowed = [*_own_names(known), *_GIVEN]
    name = next(name for name in fields if name not in allowed)
    near = nearest(name, allowed)
    raise InvalidEventError(
        f"{kind}: no field {shown(name)}; there are {', '.join(allowed)}",
        f"use {near}" if near else "use one of these fields",
    )


def _refuse_line(line: bytes, reason: str) -> NoReturn:
    """Says why a line is not a strict JSON object; the standard library tells more than our decoder."""
    import json

    remedy = "give one JSON object a line"
    try:
        value = json.loads(line)
    except RecursionError:
        reason = "nested too deeply"
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 from byte {error.start + 1} on"
    except json.JSONDecodeError as error:
        reason = f"{error.msg} at byte {error.pos + 1}" if line.strip() else "it is empty"
    except ValueError:  # more digits than Python converts
        reason = "a whole number beyond 64 bits"
    else:
        if isinstance(value, dict):
            reason, remedy = fault(value, "line", 1) or (reason, remedy)
        else:
            reason = f"JSON, but not an object: {shown(value)}"
    raise InvalidEventError(f"not a line of the log: {reason}", remedy) from None


def _diagnose(kind: str, known: type[Tagged], given: dict[str, Any], reason: str) -> NoReturn:
    """Says which field kept plain values from being an event."""
    hints = get_type_hints(known, include_extras=True)
    for rule in rules_of(known):
        if rule.key in given:
            try:
                msgspec.convert(given[rule.key], hints[rule.name])
            except (msgspec.ValidationError, RecursionError, UnicodeError):
                _refuse_value(kind, rule, given[rule.key])
    fields = msgspec.structs.fields(known)
    missing = [field.encode_name for field in fields if field.required and field.encode_name not in given]
    if missing:
        names = " and ".join(missing)
        raise InvalidEventError(f"{kind}: {names} missing", f"give {'=..., '.join(missing)}=...")
    raise InvalidEventError(f"{kind}: {reason}")


def _explain(event: Event) -> NoReturn:
    """Says which field of an event may not be appended."""
    kind = type_of(event)
    for value, rule in zip(msgspec.structs.astuple(event), rules_of(type(event)), strict=True):
        if type(value) is list and tuple in rule.cases:
            raise InvalidEventError(f"{kind}.{rule.key}: a list, where events hold tuples", "make it a tuple")
        if not rule.allows(value):
            _refuse_value(kind, rule, value)
    raise AssertionError("a field that was refused is allowed")


def _refuse_value(kind: str, rule: Rule, value: object) -> NoReturn:
    path = label(kind) if rule.name == "fields" else f"{label(kind)}.{rule.key}"
    if rule.key == "by" and type(value) is str:
        check_role(value, kind)
    if found := fault(value, path):
        raise InvalidEventError(*found)
    if rule.filled and not (isinstance(value, str) and value.strip()):
        raise InvalidEventError(f"{path}: missing or blank", f"give {rule.key}=...")
    near = nearest(value, rule.choices)
    raise InvalidEventError(
        f"{path}: {shown(value)} is not {rule.words}", f"use {near}" if near else f"give {rule.words}"
    )
