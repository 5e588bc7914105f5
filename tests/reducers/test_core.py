from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given

from eventstore.events import Config, Custom, Damaged, Event, Note, Run, Unknown
from reducers.core import Projection, decode_state, encode_state, fold, handlers, to_plain
from reducers.history import History
from reducers.registry import load, names
from reducers.session import session
from reducers.strategies import logs
from reducers.table import Table


class Count(msgspec.Struct, frozen=True):
    runs: int = 0
    seen: History[str] = History()
    by_status: Table[int] = Table()


def on_run(state: Count, event: Run) -> Count:
    return Count(
        state.runs + 1,
        state.seen.push(event.status),
        state.by_status.put(event.status, state.by_status.get(event.status, 0) + 1),
    )


counting: Projection[Count, Count] = Projection(
    "counting", 1, Count(), handlers(on_run), lambda state, now: state
)


def test_a_fold_calls_the_handler_of_each_type() -> None:
    """And starts where it is told to."""
    keep, crash = Run(run=1, status="keep"), Run(run=2, status="crash")
    state = fold(counting, [keep, Note(detail="x"), crash])

    assert (state.runs, state.seen, state.by_status) == (2, ["keep", "crash"], {"keep": 1, "crash": 1})
    assert fold(counting, iter([crash]), state).by_status == {"keep": 1, "crash": 2}


def test_what_has_no_handler_leaves_the_state_object_as_it_is() -> None:
    """Other types, users' own, unknown and damaged lines."""
    records = [
        Note(detail="x"),
        Custom(type="x.mine", fields={}),
        Unknown(line=1, raw=b"{}", type=None, reason="it has no type"),
        Damaged(line=2, size=3, reason="not an object"),
    ]
    for reducer in (counting, session):
        state = fold(reducer, [Run(run=1, status="keep")])

        assert fold(reducer, records, state) is state


def test_a_table_of_handlers_is_made_from_annotations() -> None:
    """Each under the type its second parameter has."""

    assert handlers(on_run) == {Run: on_run}


def untyped(state: Count, event):  # type: ignore[no-untyped-def]
    return state


def mistyped(state: Count, event: int) -> Count:
    return state


def lonely(state: Count) -> Count:
    return state


@pytest.mark.parametrize("function", [untyped, mistyped, lonely])
def test_a_handler_without_an_event_type_is_refused(function: object) -> None:
    """By the function's name."""
    with pytest.raises(TypeError, match=f"{function.__name__}: annotate"):  # type: ignore[attr-defined]
        handlers(function)  # type: ignore[arg-type]


def test_two_handlers_of_one_type_are_refused() -> None:
    """By the second one's name."""
    with pytest.raises(TypeError, match="on_run: Run has a handler already"):
        handlers(on_run, on_run)


@pytest.mark.parametrize("data", [b"", b"[]", b'{"runs":"x"}', b'{"seen":{}}', b"\xff"])
def test_a_state_that_is_none_is_refused(data: bytes) -> None:
    """A snapshot may hold anything."""
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
        decode_state(counting, data)


@given(logs())
def test_a_state_goes_through_json_and_a_view_to_plain_values(log: list[Event]) -> None:
    """Histories become lists, tables dicts."""
    state = fold(counting, log)

    assert decode_state(counting, encode_state(state)) == state
    plain = to_plain(counting.view(state))
    assert (type(plain["seen"]), type(plain["by_status"])) == (list, dict)
    assert msgspec.json.decode(msgspec.json.encode(plain)) == plain


@pytest.mark.parametrize("name", names())
def test_every_field_of_every_view_is_described(name: str) -> None:
    """The docstring of each struct that a view shows has a line `field: what it is` for each field."""
    undescribed = [
        f"{kind.__name__}.{field.name}"
        for kind in shown_structs(load(name).view_type)
        for field in msgspec.structs.fields(kind)
        if not re.search(rf"^ *{field.encode_name}: ", kind.__doc__ or "", re.MULTILINE)
    ]

    assert undescribed == []


def shown_structs(kind: type | None) -> list[type[msgspec.Struct]]:
    """A view's struct and those within it; events are described where they are."""
    found: list[type[msgspec.Struct]] = []

    def walk(shape: object) -> None:
        if isinstance(shape, msgspec.inspect.StructType) and not issubclass(shape.cls, Event):
            found.append(shape.cls)
            for field in shape.fields:
                walk(field.type)
        for part in ("item_type", "value_type"):
            if hasattr(shape, part):
                walk(getattr(shape, part))
        for member in getattr(shape, "types", ()):
            walk(member)

    assert kind is not None
    walk(msgspec.inspect.type_info(kind))
    return found


@pytest.mark.parametrize("name", names())
def test_views_are_named_after_themselves(name: str) -> None:
    """One module a view, `reducers.NAME.NAME`, with its type and what it says."""
    reducer = load(name)

    assert (reducer.name, reducer.version >= 1) == (name, True)
    assert reducer.view_type is not None
    assert isinstance(reducer.view(reducer.initial, None), reducer.view_type)


@pytest.mark.parametrize("name", names())
def test_only_timed_views_change_with_the_time(name: str) -> None:
    """One that is not may be kept between two looks at the same log."""
    reducer = load(name)
    log = [
        Config(seq=1, name="g", metricName="ms", bestDirection="lower"),
        *(Run(run=n, status="keep", metric=9 - n, timestamp=1_764_517_600_000) for n in (1, 2)),
    ]
    state = fold(reducer, log)
    looks = [to_plain(reducer.view(state, now)) for now in (None, 0, 1_764_517_700_000, 1_764_617_600_000)]

    assert reducer.timed == (name in ("liveness", "budget"))
    if not reducer.timed:
        assert all(look == looks[0] for look in looks)
