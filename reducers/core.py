"""What a view is made of: a reducer, and the fold that runs it (design, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from eventstore.events import Event
from reducers.history import dec_hook, enc_hook

__all__ = [
    "Handlers",
    "Projection",
    "Reducer",
    "decode_state",
    "encode_state",
    "fold",
    "handlers",
    "to_plain",
]

S = TypeVar("S")
V = TypeVar("V")
E = TypeVar("E", bound=Event)
V_co = TypeVar("V_co", covariant=True)

Handlers = Mapping[type[Event], Callable[[S, Any], S]]
"""Per event type: a pure function of the state so far and an event of just that type to the next state."""


class Reducer(Protocol[S, V_co]):
    """One view of a log: an initial state, pure handlers, and what is shown of a state.

    name: what `ar view NAME` calls it.
    version: from 1; raised whenever state or rules change, so that no snapshot of another version is used.
    initial: the state of an empty log; a frozen `msgspec.Struct`, growing parts of it `History`.
    handlers: see `Handlers`. A type without a handler leaves the state as it is.
    view: what is shown. `now` is milliseconds since 1970 UTC; a view that needs the time takes it from there
        alone and shows null for what depends on it when it is None. A list that grows with the log is shown
        as the `History` that holds it, or as `Rows` of the state: to compare the views before and after an
        event then costs about as much as what the event changed.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def initial(self) -> S: ...
    @property
    def handlers(self) -> Handlers[S]: ...
    def view(self, state: S, now: int | None = None) -> V_co: ...


class Projection(msgspec.Struct, Generic[S, V], frozen=True):
    """A reducer put together from plain functions; see `Reducer` for its parts.

    shows: a function of state and `now` to the view.
    sweep: the state after many events, for a view that must be quick on long logs; the same as its handlers
        one after the other, which the laws check.
    drain: for a view of a single field, a list whose rows never change once they are there: the rows that a
        state holds, and the state without them, from which the fold goes on to the same later rows. By it a
        list is written as it comes, however long the log.
    view_type: the view's type, for the reference and for JSON Schema.
    timed: whether the view depends on `now`; one that does not may be kept between two looks at the same log.
    """

    name: str
    version: int
    initial: S
    handlers: Handlers[S]
    shows: Callable[[S, int | None], V]
    sweep: Callable[[S, Iterable[object]], S] | None = None
    drain: Callable[[S], tuple[Sequence[Any], S]] | None = None
    view_type: type[V] | None = None
    timed: bool = False

    def view(self, state: S, now: int | None = None) -> V:
        """What is shown of this state."""
        return self.shows(state, now)


def fold(reducer: Reducer[S, Any], events: Iterable[object], state: S | None = None) -> S:
    """The state after these events, from `state` (the reducer's initial state when None).

    What has no handler (other event types, unknown and damaged lines) leaves the state object as it is.
    """
    current = reducer.initial if state is None else state
    sweep: Callable[[S, Iterable[object]], S] | None = getattr(reducer, "sweep", None)
    if sweep is not None:
        return sweep(current, events)
    handler_of = reducer.handlers.get
    for event in events:
        handler = handler_of(type(event))  # type: ignore[arg-type]
        if handler is not None:
            current = handler(current, event)
    return current


def handlers(*functions: Callable[[S, Any], S]) -> Handlers[S]:
    """A table of handlers, each under the event type that its second parameter is annotated with.

    Raises TypeError for a function whose second parameter is not annotated with an event type, or when two
    handle the same.
    """
    from typing import get_type_hints

    table: dict[type[Event], Callable[[S, Any], S]] = {}
    for function in functions:
        parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
        kind = get_type_hints(function).get(parameters[1]) if len(parameters) == 2 else None
        if not (isinstance(kind, type) and issubclass(kind, Event)):
            raise TypeError(f"{function.__name__}: annotate its second parameter with one event type")
        if kind in table:
            raise TypeError(f"{function.__name__}: {kind.__name__} has a handler already")
        table[kind] = function
    return table


def encode_state(state: object) -> bytes:
    """A state as JSON, for a snapshot."""
    return msgspec.json.encode(state, enc_hook=enc_hook)


def decode_state(reducer: Reducer[S, Any], data: bytes) -> S:
    """The state that `encode_state` wrote.

    Raises `msgspec.DecodeError` when it is not a state of this reducer.
    """
    return msgspec.json.decode(data, type=type(reducer.initial), dec_hook=dec_hook)


def to_plain(view: object) -> Any:
    """A view as plain dicts, lists, text and numbers, as its JSON has them."""
    return msgspec.to_builtins(view, enc_hook=enc_hook)
