from __future__ import annotations

from typing import Any, get_type_hints

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from eventstore.events import EVENTS, Config, Custom, Damaged, Event, Heartbeat, Run, Unknown, type_of
from eventstore.lines import decode_line, encode
from eventstore.timestamps import epoch_ms
from reducers.strategies import event, events, json_values, logs, moments, numbers, records


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@given(data=st.data())
@settings(max_examples=15)
def test_every_event_is_one_that_a_line_can_be_read_as(kind: type[Event], data: st.DataObject) -> None:
    """It has the types that its class declares, and comes back from its line the same."""
    drawn = data.draw(event(kind))

    fields = {field.encode_name: getattr(drawn, field.name) for field in msgspec.structs.fields(kind)}
    for field in msgspec.structs.fields(kind):
        hint = get_type_hints(kind, include_extras=True)[field.name]
        msgspec.convert(fields[field.encode_name], hint)
    assert decode_line(encode(drawn)) == drawn


@given(events(), numbers(), json_values())
def test_nothing_is_drawn_that_json_cannot_hold(drawn: Event, number: float, value: Any) -> None:
    """No NaN, no infinity, no half of a surrogate pair: what is not JSON is no event."""

    assert abs(number) < float("inf")
    assert msgspec.json.decode(msgspec.json.encode(value)) == value
    assert encode(drawn).decode()


@given(event(Run, status=st.just("keep"), metric=st.integers(1, 3)), event(Custom))
def test_fields_can_be_fixed(run: Run, own: Custom) -> None:
    """Those that are given are drawn from what is given; users' own types are `x.…` and hold no `run`."""

    assert (run.status, run.metric in (1, 2, 3)) == ("keep", True)
    assert type_of(own).startswith("x.")
    assert "run" not in own.fields
    assert type(decode_line(encode(own))) is Custom


def some(strategy: st.SearchStrategy[Any], wanted: Any) -> Any:
    """An example of what is wanted: fails where there is none among many."""
    quick = settings(
        max_examples=3_000,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    return find(strategy, wanted, settings=quick)


@pytest.mark.parametrize(
    ("strategy", "wanted"),
    [
        (event(Run), lambda run: isinstance(run.metric, str)),
        (event(Run), lambda run: run.metric is None),
        (event(Run), lambda run: isinstance(run.metric, int) and abs(run.metric) >= 2**64),
        (event(Run), lambda run: run.status not in ("keep", "discard", "crash", "checks_failed")),
        (event(Run), lambda run: type(run.run) is float),
        (json_values(), lambda value: isinstance(value, dict) and len(value) > 0),
        (moments(), lambda moment: isinstance(moment, str) and epoch_ms(moment) is not None),
        (moments(), lambda moment: moment is not None and epoch_ms(moment) is None),
        (moments(), lambda moment: isinstance(moment, float)),
        (event(Heartbeat), lambda beat: beat.by == "guardian:gpu0"),
        (records(), lambda record: type(record) is Unknown),
        (records(), lambda record: type(record) is Damaged),
        (logs(), lambda log: len(log) == 0),
        (logs(8), lambda log: len(log) == 8),
        (logs(), lambda log: sum(type(record) is Config for record in log) > 1),
        (logs(), lambda log: sum(type(r) is Run and r.status == "keep" for r in log) > 3),
        (logs(), lambda log: any(type(record) is Custom for record in log)),
        (logs(), lambda log: any(type(record) is Unknown for record in log)),
    ],
)
def test_what_logs_must_be_expected_to_hold_is_drawn(strategy: st.SearchStrategy[Any], wanted: Any) -> None:
    """Hostile values and ordinary sessions alike."""

    assert wanted(some(strategy, wanted))


@given(logs(6))
def test_a_log_is_no_longer_than_it_may_be(log: list[Any]) -> None:
    """Its events mostly know their place."""

    assert len(log) <= 6


def test_every_type_of_event_is_drawn() -> None:
    """None is left out."""
    seen: set[type[Event]] = set()

    def all_seen(drawn: Event) -> bool:
        seen.add(type(drawn))
        return seen == {*EVENTS, Custom}

    assert some(events(), all_seen)
