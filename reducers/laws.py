"""The laws of a reducer, and a check of them (design, section 4).

    from reducers.laws import check

    def test_my_reducer_is_one():
        check(my_reducer)

Each law is a function of its own, of a reducer and one log; it raises AssertionError with the law's name,
what went wrong and the log. `check` tries all of them on many logs with Hypothesis and shows the smallest
that breaks one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from eventstore.events import Event
from reducers.core import Reducer, decode_state, encode_state, fold, to_plain
from reducers.probing import NotAReducerError, probe

if TYPE_CHECKING:
    from hypothesis import strategies as st

__all__ = [
    "LAWS",
    "Law",
    "check",
    "deterministic",
    "drains_alike",
    "never_mutates",
    "no_handler_same_object",
    "prefix",
    "survives_encoding",
    "sweeps_alike",
    "total",
]

AnyReducer = Reducer[Any, Any]
Log = Sequence[object]
Law = Callable[[AnyReducer, Log], None]

_MOMENTS = (None, 0, 1_764_600_000_000)
"""The times a view is looked at."""


def total(reducer: AnyReducer, log: Log) -> None:
    """Total: neither a handler nor the view fails, whatever the log holds, and the view is JSON."""
    state = reducer.initial
    _look(reducer, state, log[:0])
    for number, record in enumerate(log, 1):
        try:
            state = fold(reducer, [record], state)
        except Exception as error:
            raise _broken("total", f"record {number} makes it fail: {_said(error)}", log[:number]) from error
        _look(reducer, state, log[:number])


def _look(reducer: AnyReducer, state: Any, log: Log) -> None:
    for now in _MOMENTS:
        try:
            _shown(reducer, state, now)
        except Exception as error:
            raise _broken("total", f"its view fails for now={now}: {_said(error)}", log) from error


def never_mutates(reducer: AnyReducer, log: Log) -> None:
    """Never mutates its input: older states and records keep their values through later folds and views.

    A log on which it fails is no matter here; `total` speaks of that.
    """
    records = [repr(record) for record in log]
    states, seen = [reducer.initial], [repr(reducer.initial)]
    try:
        for record in log:
            states.append(fold(reducer, [record], states[-1]))
            seen.append(repr(states[-1]))
        _shown(reducer, states[-1], _MOMENTS[-1])
        for state in states:  # a second future of each, as `--at` and snapshots make them
            fold(reducer, log, state)
    except Exception:
        return
    for number, state in enumerate(states):
        if repr(state) != seen[number]:
            which = f"the state after {number} records" if number else "the initial state"
            raise _broken("never mutates", f"{which} was changed later", log)
    for number, record in enumerate(log):
        if repr(record) != records[number]:
            raise _broken("never mutates", f"record {number + 1} was changed", log)


def deterministic(reducer: AnyReducer, log: Log) -> None:
    """Deterministic: the same log gives the same state, the same state and time the same view."""
    one, other = fold(reducer, log), fold(reducer, log)
    if not _same(one, other):
        raise _broken("deterministic", "two folds of the log give two states", log)
    for now in _MOMENTS:
        if _shown(reducer, one, now) != _shown(reducer, other, now):
            raise _broken("deterministic", f"two looks at the state differ for now={now}", log)


def no_handler_same_object(reducer: AnyReducer, log: Log) -> None:
    """No handler, same object: a record of a type without a handler leaves the state object as it is."""
    state = reducer.initial
    for number, record in enumerate(log, 1):
        after = fold(reducer, [record], state)
        if type(record) not in set(reducer.handlers) and after is not state:
            name = type(record).__name__
            raise _broken("no handler, same object", f"record {number}, a {name}, made a new state", log)
        state = after


def prefix(reducer: AnyReducer, log: Log) -> None:
    """Prefix law: fold(a + b) == fold(b, fold(a)), wherever the log is split."""
    whole = fold(reducer, log)
    for split in range(len(log) + 1):
        head = fold(reducer, log[:split])
        fold(reducer, reversed(log))  # whatever a reducer keeps outside its state is now another log's
        if not _same(fold(reducer, log[split:], head), whole):
            raise _broken("prefix", f"folding on after {split} records gives another state", log)


def survives_encoding(reducer: AnyReducer, log: Log) -> None:
    """State survives encoding: it comes back from JSON as itself, shows the same, and goes on the same."""
    state = reducer.initial
    for number, record in enumerate(log, 1):
        state = fold(reducer, [record], state)
        rest = log[number:]
        try:
            back = decode_state(reducer, encode_state(state))
            alike = {
                "comes back changed": _same(back, state),
                "shows otherwise": _shown(reducer, back) == _shown(reducer, state),
                "goes on otherwise": _same(fold(reducer, rest, back), fold(reducer, rest, state)),
            }
        except Exception as error:
            what = f"after {number} records: {_said(error)}"
            raise _broken("state survives encoding", what, log) from error
        for what, holds in alike.items():
            if not holds:
                raise _broken("state survives encoding", f"after {number} records it {what}", log)


def sweeps_alike(reducer: AnyReducer, log: Log) -> None:
    """A sweep is a fold: it gives the state that the handlers give one after the other."""
    if getattr(reducer, "sweep", None) is None:
        return
    table: Mapping[type, Callable[[Any, Any], Any]] = reducer.handlers
    state = reducer.initial
    for record in log:
        handler = table.get(type(record))
        state = state if handler is None else handler(state, record)
    if not _same(fold(reducer, log), state):
        raise _broken("a sweep is a fold", "its handlers, one after the other, give another state", log)


def drains_alike(reducer: AnyReducer, log: Log) -> None:
    """What is drained on the way, piece by piece, are the rows that the view shows of all of it."""
    drain: Callable[[Any], tuple[Sequence[Any], Any]] | None = getattr(reducer, "drain", None)
    if drain is None:
        return
    state, drained = reducer.initial, []
    for record in log:
        rows, state = drain(fold(reducer, [record], state))
        drained += to_plain(list(rows))
    shown = list(to_plain(reducer.view(fold(reducer, log))).values())
    if not _same(shown, [drained]):
        raise _broken("drained rows are the view's", "its view shows other rows, or other fields", log)


LAWS: Mapping[str, Law] = {
    "never mutates": never_mutates,
    "total": total,
    "deterministic": deterministic,
    "no handler, same object": no_handler_same_object,
    "prefix": prefix,
    "state survives encoding": survives_encoding,
    "a sweep is a fold": sweeps_alike,
    "drained rows are the view's": drains_alike,
}
"""Every law by its name, in the order in which `check` tries them: what spoils the others comes first."""


def check(
    reducer: object, *, logs: st.SearchStrategy[Sequence[Any]] | None = None, examples: int = 100
) -> None:
    """Checks a reducer against all laws, on `examples` logs drawn from `logs` (`reducers.strategies.logs()`).

    Raises AssertionError that names the law and shows the smallest log found that breaks it;
    ModuleNotFoundError where `hypothesis` is not installed.
    """
    from reducers import strategies

    try:
        ready = probe(reducer)
    except NotAReducerError as error:
        raise AssertionError(f"{error.message}\n  try: {error.remedy}") from error
    _search(ready, strategies.logs() if logs is None else logs, examples)


def _search(reducer: AnyReducer, logs: st.SearchStrategy[Sequence[Any]], examples: int) -> None:
    from hypothesis import HealthCheck, Phase, errors, given, settings

    suspects = list(LAWS.values())
    found: list[str] = []

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(logs)
    def obeys(log: Sequence[object]) -> None:
        for law in suspects:
            try:
                law(reducer, log)
            except AssertionError as error:
                suspects[:] = [law]  # what is left to do is to find the smallest log that breaks this one
                found.append(str(error))
                raise

    try:
        obeys()
    except AssertionError as error:
        raise AssertionError(str(error)) from error.__cause__
    except errors.Flaky:
        raise AssertionError(
            f"deterministic: what follows held when it was tried again\n{found[-1]}"
        ) from None


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and repr(one) == repr(other)  # a tuple is no list, 1 is not 1.0


def _shown(reducer: AnyReducer, state: Any, now: int | None = None) -> bytes:
    return msgspec.json.encode(to_plain(reducer.view(state, now)))


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _broken(law: str, what: str, log: Log) -> AssertionError:
    lines = [f"  {number}: {_brief(record)}" for number, record in enumerate(log, 1)]
    return AssertionError("\n".join([f"{law}: {what}; the log:", *(lines or ["  (empty)"])]))


def _brief(record: object) -> str:
    """A record without what it leaves at its defaults."""
    if not isinstance(record, Event):
        return repr(record)
    told = [
        f"{name}={value!r}"
        for name, value, plain in zip(
            record.__struct_fields__, msgspec.structs.astuple(record), _defaults(type(record)), strict=True
        )
        if value != plain
    ]
    return f"{type(record).__name__}({', '.join(told)})"


def _defaults(kind: type[Event]) -> list[object]:
    """The default of each field; a new object, equal to nothing, for one that has none."""
    return [
        object()
        if field.required
        else field.default
        if field.default is not msgspec.NODEFAULT
        else field.default_factory()
        for field in msgspec.structs.fields(kind)
    ]
