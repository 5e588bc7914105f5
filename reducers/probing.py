"""Whether an object is a reducer: looked at and tried out before it is used (design, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from eventstore.errors import LedgerError
from eventstore.events import Custom, Event, Tagged, Unknown
from reducers.core import Reducer, decode_state, encode_state, fold, to_plain

__all__ = ["NotAReducerError", "probe"]

_PARTS = ("name", "version", "initial", "handlers", "view")
_ODD_RECORDS: tuple[object, ...] = (
    Unknown(line=1, raw=b'{"type":"probe"}', type="probe", reason="no event type 'probe' in this version"),
    Custom(type="x.ar.probe", fields={}),
)


class NotAReducerError(LedgerError):
    """An object cannot serve as a reducer.

    `message` names the reducer and the part of it that is at fault, `remedy` says what to do about it.
    """

    exit_code = 2


def probe(candidate: object) -> Reducer[Any, Any]:
    """The candidate as a reducer, once its parts are of the right kinds and it has been tried out.

    Tried are: its initial state, there and back as JSON; records it has no handler for, which must leave that
    state object as it is; its view of that state, without a time and with one.

    Raises NotAReducerError for the first thing that is wrong.
    """
    if isinstance(candidate, type):
        raise NotAReducerError(f"{candidate.__name__} is a class, not a reducer", "make an instance of it")
    missing = [part for part in _PARTS if not hasattr(candidate, part)]
    if missing:
        raise NotAReducerError(
            f"{_label(candidate)} is no reducer: it has no {', no '.join(missing)}",
            "make a reducers.Projection, or an object with the parts of reducers.Reducer",
        )
    reducer = cast("Reducer[Any, Any]", candidate)
    _look(reducer)
    _try_out(reducer)
    return reducer


def _label(candidate: object) -> str:
    name = getattr(candidate, "name", None)
    return f"reducer {name!r}" if isinstance(name, str) else f"a {type(candidate).__name__}"


def _look(reducer: Reducer[Any, Any]) -> None:
    label, initial, table = _label(reducer), reducer.initial, reducer.handlers
    name: object = reducer.name
    version: object = reducer.version
    if not isinstance(name, str) or not name.replace("-", "_").isidentifier():
        raise NotAReducerError(
            f"{label}: its name is {name!r}", "name it with letters, digits, hyphens and underscores"
        )
    if type(version) is not int or version < 1:
        raise NotAReducerError(f"{label}: its version is {version!r}", "give it a whole number from 1")
    if not isinstance(initial, msgspec.Struct) or not type(initial).__struct_config__.frozen:
        raise NotAReducerError(
            f"{label}: its initial state is a {type(initial).__name__} that can be changed",
            "make it an instance of a msgspec.Struct declared with frozen=True",
        )
    if not isinstance(table, Mapping):
        raise NotAReducerError(
            f"{label}: its handlers are a {type(table).__name__}", "make it a dict by event type"
        )
    for kind, handler in table.items():
        _look_at_handler(label, kind, handler)
    if not callable(reducer.view):
        raise NotAReducerError(
            f"{label}: its view is a {type(reducer.view).__name__}", "make it a method of a state and a time"
        )


def _look_at_handler(label: str, kind: object, handler: object) -> None:
    if not (isinstance(kind, type) and issubclass(kind, Event)):
        raise NotAReducerError(
            f"{label}: it has a handler for {kind!r}, which is no event type",
            "use a class of eventstore.events, such as Run; Custom for types that start with x.",
        )
    if kind in (Event, Tagged):
        raise NotAReducerError(
            f"{label}: its handler for {kind.__name__} is never called, since events are of its subclasses",
            "give each type that matters a handler",
        )
    if not callable(handler):
        raise NotAReducerError(
            f"{label}: its handler for {kind.__name__} is a {type(handler).__name__}",
            "make it a function of a state and an event",
        )


def _try_out(reducer: Reducer[Any, Any]) -> None:
    label, initial = _label(reducer), reducer.initial
    try:
        survives = decode_state(reducer, encode_state(initial)) == initial
    except Exception as error:
        raise NotAReducerError(
            f"{label}: its initial state cannot be kept as JSON: {error}",
            "use text, numbers, dicts, lists, structs, History and Table",
        ) from error
    if not survives:
        raise NotAReducerError(
            f"{label}: its initial state comes back from JSON as another",
            "declare its fields as what they hold",
        )
    for record in _ODD_RECORDS:
        _try_record(label, reducer, record)
    for now in (None, 0):
        try:
            msgspec.json.encode(to_plain(reducer.view(initial, now)))
        except Exception as error:
            raise NotAReducerError(
                f"{label}: its view of an empty log fails for now={now}: {type(error).__name__}: {error}",
                "show null for what it cannot know, in types that JSON has",
            ) from error


def _try_record(label: str, reducer: Reducer[Any, Any], record: object) -> None:
    if type(record) in reducer.handlers:
        return
    try:
        after = fold(reducer, [record])
    except Exception as error:
        raise NotAReducerError(
            f"{label}: a record it has no handler for makes it fail: {type(error).__name__}: {error}",
            "look its type up in the handlers, and leave the state as it is",
        ) from error
    if after is not reducer.initial:
        raise NotAReducerError(
            f"{label}: a record it has no handler for changes its state", "return the same state object"
        )
