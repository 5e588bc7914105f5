"""Short ways to read a document in a test and to look at what came of it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from eventstore.events import Config, Event, Run
from eventstore.formats.fates import PLAIN, Options, Question, Reading
from eventstore.formats.recognise import parse
from reducers.core import fold
from reducers.session import SessionView, session


def read(form: str, text: str | bytes, options: Options = PLAIN) -> Reading:
    """The reading of a document that raises no question."""
    reading = parse(form, text.encode() if isinstance(text, str) else text, options)
    assert isinstance(reading, Reading), reading
    return reading


def asked(form: str, text: str, options: Options = PLAIN) -> Question:
    """The question that a document raises."""
    reading = parse(form, text.encode(), options)
    assert isinstance(reading, Question), reading
    return reading


def runs(reading: Reading) -> list[Run]:
    """The runs of a reading."""
    return [placed.event for placed in reading.events if isinstance(placed.event, Run)]


def goals(reading: Reading) -> list[Config]:
    """The goals of a reading."""
    return [placed.event for placed in reading.events if isinstance(placed.event, Config)]


def first(reading: Reading) -> Run:
    """The first run of a reading."""
    return runs(reading)[0]


def view(reading: Reading) -> SessionView:
    """Where a log stands that holds just what was read."""
    events: list[Event] = [replace(placed.event, seq=n) for n, placed in enumerate(reading.events, 1)]
    return session.view(fold(session, events))


def skipped(reading: Reading) -> dict[int, str]:
    """The lines that were left out, with the reason."""
    return {fate.line: fate.reason for fate in reading.fates if not fate.taken}


def fields(run: Run, *names: str) -> list[Any]:
    """Some of a run's fields."""
    return [getattr(run, name) for name in names]
