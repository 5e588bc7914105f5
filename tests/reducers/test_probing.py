from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from eventstore.events import Custom, Event, Run
from reducers.core import Projection
from reducers.probing import NotAReducerError, probe


class State(msgspec.Struct, frozen=True):
    runs: int = 0


class Loose(msgspec.Struct):
    runs: int = 0


class Odd(msgspec.Struct, frozen=True):
    held: Any = None


def on_run(state: State, event: Run) -> State:
    return State(state.runs + 1)


def made(**parts: Any) -> Projection[Any, Any]:
    whole: dict[str, Any] = {
        "name": "mine",
        "version": 1,
        "initial": State(),
        "handlers": {Run: on_run},
        "shows": lambda state, now: state,
        **parts,
    }
    return Projection(**whole)


class Own:
    """A reducer that is no Projection."""

    name = "own"
    version = 1
    initial = State()
    handlers = {Run: on_run}

    def view(self, state: State, now: int | None = None) -> int:
        return state.runs


class Catching(dict[Any, Any]):
    """Handlers that claim to have one for anything."""

    def get(self, key: object, default: object = None) -> Callable[[Any, Any], Any]:
        return lambda state, event: State(1)


class Raising(dict[Any, Any]):
    """Handlers that fail when asked."""

    def get(self, key: object, default: object = None) -> object:
        raise RuntimeError("no such thing")


def test_reducers_pass_as_themselves() -> None:
    """A projection, and any object with the same parts; one that looks at users' own events too."""
    own = Own()

    assert probe(own) is own
    for reducer in (
        made(),
        made(handlers={Custom: lambda state, event: State(9)}),
        made(name="my-own_view2"),
    ):
        assert probe(reducer) is reducer


@pytest.mark.parametrize(
    ("candidate", "message", "remedy"),
    [
        (Own, "Own is a class, not a reducer", "make an instance of it"),
        (
            on_run,
            "a function is no reducer: it has no name, no version, no initial, no hand",
            "make a reducers.P",
        ),
        (made(name=3), "a Projection: its name is 3", "name it with letters"),
        (made(name="../x"), "reducer '../x': its name is '../x'", "name it with letters"),
        (made(version=0), "reducer 'mine': its version is 0", "give it a whole number from 1"),
        (made(version=True), "reducer 'mine': its version is True", "give it a whole number from 1"),
        (
            made(initial={}),
            "reducer 'mine': its initial state is a dict that can be",
            "make it an instance of",
        ),
        (
            made(initial=Loose()),
            "reducer 'mine': its initial state is a Loose that can",
            "make it an instance of",
        ),
        (made(handlers=[on_run]), "reducer 'mine': its handlers are a list", "make it a dict by event type"),
        (
            made(handlers={"run": on_run}),
            "reducer 'mine': it has a handler for 'run', which",
            "use a class of",
        ),
        (
            made(handlers={int: on_run}),
            "reducer 'mine': it has a handler for <class 'int'>",
            "use a class of",
        ),
        (made(handlers={Event: on_run}), "reducer 'mine': its handler for Event is never", "give each type"),
        (made(handlers={Run: 3}), "reducer 'mine': its handler for Run is a int", "make it a function"),
        (
            made(initial=Odd({1, 2})),
            "reducer 'mine': its initial state comes back from JSON as",
            "declare its",
        ),
        (
            made(initial=Odd(object())),
            "reducer 'mine': its initial state cannot be kept as JSON: a s",
            "use text",
        ),
        (
            made(initial=Odd((1, 2))),
            "reducer 'mine': its initial state comes back",
            "declare its fields",
        ),
        (
            made(handlers=Catching()),
            "reducer 'mine': a record it has no handler for changes",
            "return the same",
        ),
        (
            made(handlers=Raising()),
            "reducer 'mine': a record it has no handler for makes it",
            "look its type up",
        ),
        (
            made(shows=lambda state, now: now + 1),
            "reducer 'mine': its view of an empty log fails",
            "show null",
        ),
        (made(shows=lambda state, now: {state: 1j}), "reducer 'mine': its view of an empty log", "show null"),
    ],
)
def test_what_is_no_reducer_is_refused_in_three_parts(candidate: object, message: str, remedy: str) -> None:
    """The fault, where it is, and what to do about it."""
    with pytest.raises(NotAReducerError) as caught:
        probe(candidate)

    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message
    assert caught.value.remedy.startswith(remedy)
    assert caught.value.exit_code == 2


def test_a_view_that_is_no_method_is_refused() -> None:
    """A value computed once is no view."""
    reducer = Own()
    reducer.view = 3  # type: ignore[assignment,method-assign]

    with pytest.raises(NotAReducerError, match="reducer 'own': its view is a int"):
        probe(reducer)
