from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pytest
from hypothesis import strategies as st

from eventstore.events import Config, Custom, Event, Heartbeat, Note, Run
from reducers import laws
from reducers.core import Projection
from reducers.history import History
from reducers.laws import LAWS, check
from reducers.registry import load, names
from reducers.strategies import event


@pytest.mark.parametrize("name", names())
def test_every_built_in_view_obeys_the_laws(name: str) -> None:
    """On sessions as they come about, and on logs of nothing but stray records."""
    check(load(name), examples=60)


class State(msgspec.Struct, frozen=True):
    runs: int = 0
    seen: Any = None
    metrics: dict[str, Any] = {}


def made(handler: Callable[[Any, Any], Any], kind: type[Event] = Run, **parts: Any) -> Projection[Any, Any]:
    whole: dict[str, Any] = {
        "name": "mine",
        "version": 1,
        "initial": State(),
        "handlers": {kind: handler},
        "shows": lambda state, now: state.runs,
        **parts,
    }
    return Projection(**whole)


def counting(state: State, event: Event) -> State:
    return State(state.runs + 1, state.seen, state.metrics)


def raising(state: State, event: Run) -> State:
    return State(state.runs + int(event.metric))  # type: ignore[arg-type]


def not_total_in_view(state: State, now: int | None) -> Any:
    return 1 / (2 - state.runs)


def not_json_in_view(state: State, now: int | None) -> Any:
    return 1j if state.runs else 0


class Held(msgspec.Struct, frozen=True):
    items: list[str] = []
    number: float = 0.0


def mutating_state(state: Held, event: Run) -> Held:
    state.items.append(event.status)
    return Held(state.items)


def mutating_event(state: State, event: Run) -> State:
    event.metrics["seen"] = True
    return counting(state, event)


def mutating_in_view(state: Held, now: int | None) -> int:
    if now is not None:
        state.items.clear()
    return len(state.items)


def holding(state: Held, event: Run) -> Held:
    return Held([*state.items, event.status])


def dicing(state: State, event: Run) -> State:
    return State(random.randrange(10**9))


def dicing_in_view(state: State, now: int | None) -> float:
    return random.random() if state.runs else 0.0


class Settling:
    """Gives other counts at first, and then always the same."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, state: State, event: Run) -> State:
        self.calls = min(self.calls + 1, 6)
        return State(self.calls)


class Remembering:
    """Counts in itself instead of in the state."""

    def __init__(self) -> None:
        self.total = 0

    def __call__(self, state: State, event: Run) -> State:
        self.total += 1
        return State(self.total)


class Alternating:
    """Starts anew with an empty state, but otherwise counts in itself: right only as long as nobody jumps."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, state: State, event: Run) -> State:
        self.runs = 1 if state.runs == 0 else self.runs + 1
        return State(self.runs)


class Greedy(dict[Any, Any]):
    """Handlers that also have one for what they do not list."""

    def get(self, key: object, default: object = None) -> Any:
        found = super().get(key)
        return found if found or key is not Heartbeat else counting


def setting(state: State, event: Run) -> State:
    return State(state.runs + 1, {1, 2})


def pairing(state: State, event: Run) -> State:
    return State(state.runs + 1, (1, 2))


def infinite(state: Held, event: Run) -> Held:
    return Held([], float("inf"))


def untyped_history(state: State, event: Run) -> State:
    return State(state.runs + 1, (state.seen or History()).push(1))


def last_two(state: Held, events: Iterable[object]) -> Held:
    """A sweep that looks across events, so that it matters where the log is split."""
    runs = [e for e in events if type(e) is Run]
    return Held([*state.items, *(e.status for e in runs[:2])]) if runs else state


def losing(state: Held) -> tuple[list[str], Held]:
    """A drain that keeps what it gave."""
    return state.items, state


def doubling(state: State, events: Iterable[object]) -> State:
    """A sweep that does not do what the handlers do."""
    runs = sum(type(e) is Run for e in events)
    return State(state.runs + 2 * runs) if runs else state


BROKEN: dict[str, tuple[str, Callable[[], Projection[Any, Any]]]] = {
    "a handler that cannot take text for a metric": ("total", lambda: made(raising)),
    "a view that divides by zero": ("total", lambda: made(counting, shows=not_total_in_view)),
    "a view that is no JSON": ("total", lambda: made(counting, shows=not_json_in_view)),
    "a handler that changes the older state": (
        "never mutates",
        lambda: made(mutating_state, initial=Held(), shows=lambda state, now: len(state.items)),
    ),
    "a handler that changes the event": ("never mutates", lambda: made(mutating_event)),
    "a view that changes the state": (
        "never mutates",
        lambda: made(holding, initial=Held(), shows=mutating_in_view),
    ),
    "a handler that throws dice": ("deterministic", lambda: made(dicing)),
    "a view that throws dice": ("deterministic", lambda: made(counting, shows=dicing_in_view)),
    "a handler that counts in itself": ("deterministic", lambda: made(Remembering())),
    "a handler for types that are not listed": (
        "no handler, same object",
        lambda: made(counting, handlers=Greedy({Run: counting})),
    ),
    "a set in the state": ("state survives encoding", lambda: made(setting)),
    "a tuple that comes back as a list": ("state survives encoding", lambda: made(pairing)),
    "an infinity that comes back as null": (
        "state survives encoding",
        lambda: made(infinite, initial=Held(), shows=lambda state, now: 0),
    ),
    "a history that comes back as a list": ("state survives encoding", lambda: made(untyped_history)),
    "a handler that relies on what it saw last": ("prefix", lambda: made(Alternating())),
    "a sweep that depends on where it starts": (
        "prefix",
        lambda: made(holding, initial=Held(), sweep=last_two, shows=lambda state, now: state.items),
    ),
    "a sweep that is no fold of the handlers": ("a sweep is a fold", lambda: made(counting, sweep=doubling)),
    "a drain that gives rows twice": (
        "drained rows are the view's",
        lambda: made(
            holding, initial=Held(), drain=losing, shows=lambda state, now: {"rows": list(state.items)}
        ),
    ),
    "a drain of a view that shows more": (
        "drained rows are the view's",
        lambda: made(
            counting,
            drain=lambda state: ([], state),
            shows=lambda state, now: {"rows": []} if not state.runs else {"rows": [], "runs": state.runs},
        ),
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_each_law_catches_who_breaks_it(what: str) -> None:
    """The law is named, and a log that breaks it is shown."""
    law, broken = BROKEN[what]

    with pytest.raises(AssertionError) as caught:
        check(broken())
    assert str(caught.value).startswith(f"{law}: ")
    assert "; the log:\n  1: " in str(caught.value)


def test_a_law_that_holds_when_tried_again_was_broken_by_chance() -> None:
    """Then the reducer is not deterministic, whichever law it was."""
    one_run = st.just([Run(run=1, status="keep")])

    with pytest.raises(AssertionError, match="deterministic: what follows held when it was tried again\n"):
        check(made(Settling()), logs=one_run)


def test_every_law_is_broken_by_somebody() -> None:
    """No law is there that cannot fail."""

    assert {law for law, _ in BROKEN.values()} == set(LAWS)


def test_the_log_that_breaks_a_law_is_a_small_one() -> None:
    """Shrunk to what matters: one run."""
    with pytest.raises(AssertionError) as caught:
        check(made(counting, shows=not_json_in_view))

    _, _, shown = str(caught.value).partition("the log:\n")
    assert shown.startswith("  1: Run(run=0, ")
    assert "\n" not in shown


def test_a_law_can_be_tried_on_a_log_of_ones_own() -> None:
    """Each is a function of a reducer and a log."""
    log = [Run(run=1, status="keep"), Note(detail="x")]

    for law in LAWS.values():
        law(made(counting), log)
    with pytest.raises(AssertionError, match="never mutates: the initial state was changed later"):
        laws.never_mutates(made(mutating_state, initial=Held(), shows=lambda state, now: 0), log)


def test_an_empty_log_that_breaks_a_law_is_shown_as_such() -> None:
    """The view of the initial state."""
    with pytest.raises(AssertionError, match=r"total: its view fails for now=0: .*the log:\n  \(empty\)"):
        laws.total(made(counting, shows=lambda state, now: None if now is None else 1 / now), [])
    with pytest.raises(AssertionError, match="total: its view fails for now=None: ZeroDivisionError"):
        laws.total(made(counting, shows=lambda state, now: 1 / state.runs), [])


def test_what_is_no_reducer_breaks_the_first_of_all_laws() -> None:
    """The three parts of the refusal are the message."""
    with pytest.raises(
        AssertionError, match="State is a class, not a reducer\n  try: make an instance of it"
    ):
        check(State)


def test_logs_may_come_from_a_strategy_of_ones_own() -> None:
    """A reducer that is total on some logs only is total on those."""
    numbers = st.lists(event(Run, metric=st.integers(0, 9)), max_size=4)

    check(made(raising), logs=numbers, examples=20)
    with pytest.raises(AssertionError, match="total: record 1 makes it fail"):
        check(made(raising), logs=st.lists(event(Config) | event(Run, metric=st.none()), max_size=4))


def test_users_own_events_are_among_the_logs() -> None:
    """A reducer of `x.…` events is tried with some."""
    seen: list[str] = []

    def on_own(state: State, event: Custom) -> State:
        seen.append(event.type)
        return counting(state, event)

    check(made(on_own, Custom))
    assert all(kind.startswith("x.") for kind in seen)
    assert seen


def test_without_hypothesis_the_check_says_what_is_missing() -> None:
    """And how to get it; the laws themselves do not need it."""
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "from reducers.laws import LAWS, check\nfrom reducers.session import session\n"
        "[law(session, []) for law in LAWS.values()]\ncheck(session)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.returncode == 1
    assert "ModuleNotFoundError: reducers.strategies needs hypothesis: try pip install" in done.stderr
