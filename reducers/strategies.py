"""Hypothesis strategies for logs: what a reducer may be shown (design, section 4).

    from hypothesis import given
    from reducers.strategies import logs

    @given(logs())
    def test_counts_keeps(log): ...

`events()` gives single events of any type and `event(Run, status=just("keep"))` those of one, with the fields
that are not fixed drawn from all that a tolerant reader lets through: statuses nobody knows, text for a
metric, numbers beyond 64 bits, times as seconds, floats, ISO text or nonsense. `records()` adds what is no
event: `Unknown` and `Damaged` lines. `logs()` gives sequences: sessions as they come about, with foreign
lines among them. Needs the package `hypothesis`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from eventstore.events import (
    EVENTS,
    Committed,
    Config,
    Custom,
    Damaged,
    Direction,
    Event,
    Finding,
    Heartbeat,
    Hook,
    Iteration,
    Measured,
    Moment,
    Note,
    Nudge,
    Pivot,
    Proposal,
    Record,
    Registered,
    Resumed,
    Reverted,
    Run,
    Settings,
    Started,
    Status,
    Stopped,
    Unknown,
    Verified,
)
from reducers.policies.limits import NUMBERS

try:
    from hypothesis import strategies as st
except ModuleNotFoundError as error:  # pragma: no cover  (the tests need it themselves)
    raise ModuleNotFoundError(
        "reducers.strategies needs hypothesis: try pip install 'autoresearch-ledger[dev]'", name=error.name
    ) from None

__all__ = ["event", "events", "json_values", "logs", "moments", "numbers", "records"]

E = TypeVar("E", bound=Event)

_START = 1_764_500_000_000  # November 2025, milliseconds
_HUGE = (2**63, -(2**63) - 1, 10**25, 10**400)
_BY = ("user", "worker:gpu0", "worker:gpu1", "orchestrator", "guardian:patrol", "guardian:gpu0", "verifier:v")
_DIRECTIONS = ("cache the parser", "Cache the  parser!", "lr 0.01", "lr 0.001", "a new allocator", "")
_OUTPUTS = ("Shall I go on?", "done: 3 files changed", "wird gemacht…", "")


def numbers() -> st.SearchStrategy[int | float]:
    """Finite numbers: small ones mostly, and the ends of what a double and 64 bits can hold."""
    return st.one_of(
        st.integers(-3, 120),
        st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from((0, -0.0, 0.1, 5e-324, 1.7e308, -1.7e308, *_HUGE)),
    )


def _integers(minimum: int = -3) -> st.SearchStrategy[int]:
    return st.integers(minimum, 60) | st.sampled_from(_HUGE)


def _texts() -> st.SearchStrategy[str]:
    return st.text(max_size=8)


def json_values() -> st.SearchStrategy[Any]:
    """Whatever JSON can hold, a few levels deep."""
    scalars = st.none() | st.booleans() | numbers() | _texts()
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts(), inner, max_size=3),
        max_leaves=4,
    )


def moments() -> st.SearchStrategy[int | float | str | None]:
    """Times as logs hold them: milliseconds, seconds, floats of either, ISO 8601, and what is no time."""
    return st.one_of(
        st.integers(_START, _START + 10**8),
        st.sampled_from(
            (
                None,
                _START // 1000,
                _START / 1000,
                "2025-11-30T10:59:59Z",
                "2025-11-30T12:00:00.5+01:00",
                "2025-11-30 11:00",
                "yesterday",
                "",
                0,
                -1,
                1e300,
                10**400,
            )
        ),
    )


_NAMED: dict[str, st.SearchStrategy[Any]] = {
    "seq": st.integers(1, 60) | _integers(),
    "by": st.sampled_from(_BY) | _texts(),
    "direction": st.sampled_from(_DIRECTIONS) | _texts(),
    "text": st.sampled_from(_DIRECTIONS) | _texts(),
    "last_output": st.sampled_from(_OUTPUTS) | _texts(),
    "target": st.sampled_from(("gpu0", "worker:gpu1", "patrol", "paper")) | _texts(),
    "source": st.sampled_from(("paper", "blog")) | _texts(),
    "commit": st.sampled_from(("a1b2c3d", "a1b2c3d4e5f6", "0ffe12c")) | _texts(),
    "cycle": st.integers(0, 3) | _integers(),
    "limits": st.dictionaries(
        st.sampled_from((*NUMBERS, "other")),
        numbers() | st.sampled_from(("none", "0", "soon", None)),
        max_size=3,
    ),
    "thresholds": st.dictionaries(
        st.sampled_from(("structure", "inject", "human", "other")), numbers(), max_size=3
    ),
}
"""Fields whose values matter to one another; the others are drawn by their types."""


def _by_type(hint: Any, extra: dict[str, Any]) -> st.SearchStrategy[Any]:
    if hint == Moment:
        return moments()
    origin = get_origin(hint)
    if origin is Annotated:
        inner, *metas = get_args(hint)
        for meta in metas:
            extra = {**extra, **(meta.extra or {})}
        return _by_type(inner, extra)
    if origin in (Union, UnionType):
        return st.one_of([_by_type(member, extra) for member in get_args(hint)])
    if origin is tuple:
        return st.lists(_by_type(get_args(hint)[0], {}), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(_texts(), _by_type(get_args(hint)[1], {}), max_size=2)
    if hint is str and "one_of" in extra:
        return st.sampled_from(extra["one_of"]) | _texts()
    return _SCALARS[hint]()


_SCALARS: dict[Any, Callable[[], st.SearchStrategy[Any]]] = {
    str: _texts,
    int: _integers,
    float: numbers,
    bool: st.booleans,
    NoneType: st.none,
    Any: json_values,
}


@cache
def _fields(kind: type[Event]) -> dict[str, st.SearchStrategy[Any]]:
    """Per field of an event type, what a tolerant reader lets through."""
    hints = get_type_hints(kind, include_extras=True)
    fields: dict[str, st.SearchStrategy[Any]] = {}
    for field in msgspec.structs.fields(kind):
        hint = hints[field.name]
        if field.name not in _NAMED:
            fields[field.name] = _by_type(hint, {})
        elif NoneType in get_args(hint):
            fields[field.name] = st.none() | _NAMED[field.name]
        else:
            fields[field.name] = _NAMED[field.name]
    return fields


@cache
def _names(kind: type[Event]) -> tuple[tuple[str, ...], st.SearchStrategy[list[str]]]:
    """The names of an event type's required fields; a strategy for names of some of the others."""
    fields = msgspec.structs.fields(kind)
    optional = [field.name for field in fields if not field.required]
    required = tuple(field.name for field in fields if field.required)
    return required, st.lists(st.sampled_from(optional), max_size=5, unique=True)


@st.composite
def _drawn(draw: st.DrawFn, kind: type[E], fixed: dict[str, st.SearchStrategy[Any]]) -> E:
    required, optional = _names(kind)
    strategies = {name: _fields(kind)[name] for name in (*required, *draw(optional))}
    return kind(**{name: draw(strategy) for name, strategy in (strategies | fixed).items()})


def event(kind: type[E], **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[E]:
    """Events of one type; `fields` are drawn from the strategies given.

    Of the others, required ones and up to five that are not are drawn from all that a reader may let through.

    `event(Run, metric=st.floats(1, 2), status=st.just("keep"))`. `Custom` is a type like the others.
    """
    if kind is Custom:
        own = st.from_regex(r"x\.[a-z]{1,6}", fullmatch=True)
        keys = _texts().filter(lambda key: key not in ("type", "run"))
        fields = {"type": own, "fields": st.dictionaries(keys, json_values(), max_size=3), **fields}
    return _drawn(kind, fields)


def events() -> st.SearchStrategy[Event]:
    """Events of every type, users' own (`x.…`) included."""
    return _any_of(*EVENTS, Custom)


@cache
def records() -> st.SearchStrategy[Record]:
    """Events, and the two kinds of line that are none: `Unknown` and `Damaged`."""
    return st.one_of(
        events(),
        events(),
        st.builds(
            Unknown,
            line=st.integers(1, 99),
            raw=st.binary(max_size=8),
            type=st.none() | _texts(),
            reason=st.just("no event type of this version"),
        ),
        st.builds(
            Damaged, line=st.integers(1, 99), size=st.integers(1, 99), reason=st.just("not a JSON object")
        ),
    )


@cache
def _runs() -> st.SearchStrategy[Run]:
    return event(
        Run,
        metric=st.integers(90, 110) | st.floats(90, 110),
        status=st.sampled_from(("keep", "discard", "discard", "checks_failed")),
        metrics=st.dictionaries(st.sampled_from(("rss_mb", "cpu_s")), st.integers(1, 9), max_size=2),
        direction=st.none() | st.sampled_from(_DIRECTIONS),
    )


@st.composite
def _cycles(draw: st.DrawFn) -> list[Event]:
    """A measured cycle, or as much of it as was done when it was killed."""
    cycle, commit = draw(st.integers(0, 5)), draw(st.sampled_from(("a1b2c3d", "0ffe12c")))
    run = msgspec.structs.replace(draw(_runs()), commit=commit)
    steps = [draw(_any_of(kind)) for kind in (Started, Committed, Measured)]
    steps = [msgspec.structs.replace(step, cycle=cycle) for step in steps]
    steps += [run, msgspec.structs.replace(draw(_any_of(Reverted)), cycle=cycle)]
    steps[1:3] = [msgspec.structs.replace(step, commit=commit) for step in steps[1:3]]
    if run.status == "keep":
        steps.pop()
    return steps[: draw(st.integers(1, len(steps)))]


@cache
def _any_of(*kinds: type[Event]) -> st.SearchStrategy[Event]:
    return st.one_of([event(kind) for kind in kinds])


def _alone(*kinds: type[Event]) -> st.SearchStrategy[list[Event]]:
    return _any_of(*kinds).map(lambda drawn: [drawn])


@cache
def _steps() -> st.SearchStrategy[list[Record]]:
    steps: st.SearchStrategy[Any] = st.one_of(
        _runs().map(lambda run: [run]),
        _cycles(),
        event(Run, metric=st.none(), status=st.just("crash")).map(lambda run: [run]),
        event(Config, bestDirection=st.sampled_from(("lower", "higher"))).map(lambda config: [config]),
        _alone(Settings, Hook, Proposal, Stopped, Resumed, Status),
        _alone(Iteration, Finding, Verified, Direction, Pivot, Note),
        _alone(Heartbeat, Registered, Nudge, Custom),
        records().map(lambda record: [record]),
    )
    return steps


@st.composite
def _sessions(draw: st.DrawFn, max_size: int) -> list[Record]:
    least = draw(st.integers(0, max_size // 2))
    steps = draw(st.lists(_steps(), min_size=least, max_size=max_size))
    log = [record for step in steps for record in step][:max_size]
    clock, stamped = _START, []
    for seq, record in enumerate(log, 1):
        clock += draw(st.integers(-60_000, 3_600_000))
        if isinstance(record, Event) and draw(st.integers(0, 9)):
            record = msgspec.structs.replace(record, seq=seq, timestamp=clock)
        stamped.append(record)
    return stamped


def logs(max_size: int = 20) -> st.SearchStrategy[Sequence[Record]]:
    """Logs of up to `max_size` records.

    Mostly sessions as they come about: configs and settings, cycles whole and cut short, runs, hooks,
    heartbeats, iterations, a clock that mostly advances; with stray records of every kind among them. Some
    are nothing but stray records.
    """
    return st.one_of(_sessions(max_size), _sessions(max_size), st.lists(records(), max_size=max_size))
