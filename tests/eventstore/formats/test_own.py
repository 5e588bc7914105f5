"""Our own logs, when another session takes over their history."""

from __future__ import annotations

import json

from eventstore.events import (
    EVENTS,
    TYPES,
    Config,
    Direction,
    Event,
    Finding,
    Heartbeat,
    Iteration,
    Note,
    Registered,
    Run,
    tag_of,
)
from eventstore.formats.own import LEFT_OUT, own_event
from eventstore.memory import MemoryLog
from tests.eventstore.formats.reading import read, skipped


def test_history_is_taken_over_and_nothing_that_acts() -> None:
    """Findings, iterations, notes, runs come along; commands, loops and open cycles stay behind."""
    log = MemoryLog(by="worker:gpu0", clock=lambda: 1764517599123)
    events: list[Event] = [
        Config(
            name="g",
            metricName="ms",
            metricUnit="ms",
            bestDirection="lower",
            measure="./m.sh",
            assets=("src",),
        ),
        Run(run=1, metric=3, status="keep", description="a", direction="d", reason="r"),
        Finding(text="f", source="https://x.example"),
        Iteration(iteration=1, findings=1),
        Direction(text="d", state="tried"),
        Note(detail="n", level="decision"),
        Registered(argv=("rm", "-rf", "x"), by="user"),
        Heartbeat(pid=3),
    ]
    log.append(events)

    reading = read("pi", log.content)

    config = reading.events[0].event
    assert isinstance(config, Config)
    assert (config.measure, config.assets, config.metricName) == (None, (), "ms")
    assert [type(p.event) for p in reading.events] == [Config, Run, Finding, Iteration, Direction, Note]
    assert {p.event.by for p in reading.events} == {"worker:gpu0"}
    assert all(p.event.seq is None and p.event.prev is None for p in reading.events)
    assert set(skipped(reading)) == {7, 8}


def test_what_is_left_out_are_known_types() -> None:
    """Each type that stays behind exists, and says why."""
    assert set(LEFT_OUT) < set(TYPES)
    assert all(LEFT_OUT.values())
    assert {tag_of(kind) for kind in EVENTS} >= {"run", "config", *LEFT_OUT}


def test_only_placed_lines_are_ours() -> None:
    """Another program's `note` is no event of ours; a user's own event is."""
    assert own_event({"type": "note", "detail": "x"}) is None
    assert own_event({"type": "note", "detail": "x", "seq": 3}) is not None
    assert own_event({"type": "x.deploy", "to": "prod"}) is not None
    assert own_event({"type": "x.deploy", "run": 3}) is None
    assert isinstance(own_event({"type": "finding", "seq": 3}), str)
    assert own_event({"run": 3}) is None


def test_a_torn_or_foreign_line_among_ours() -> None:
    """Foreign lines in a log of ours are read as in any other."""
    text = json.dumps({"type": "config", "name": "g", "metricName": "ms", "bestDirection": "lower", "seq": 1})
    text += '\n{"run":1,"metric":3,"status":"keep","commit":"a"}\n{"type":"run","seq":3,"me\n'

    reading = read("pi", text)

    assert [type(p.event) for p in reading.events] == [Config, Run]
    assert list(skipped(reading)) == [3]
