"""What a parser hands back: events with the lines they come from, and every line's fate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from eventstore.events import Config, Event, Run

__all__ = [
    "PLAIN",
    "Fate",
    "Options",
    "Placed",
    "Question",
    "Reading",
    "Stretch",
    "stretches",
    "times_filled",
]


class Fate(msgspec.Struct, frozen=True, gc=False):
    """What became of one line of a source.

    line: its number, from 1. taken: whether something of it is in the events.
    reason: as what it was taken, or why it was not; in a few words.
    """

    line: int
    taken: bool
    reason: str


class Placed(msgspec.Struct, frozen=True, gc=False):
    """An event and where it comes from.

    line: number of the line, from 1; 0 for what no line says, such as a goal that a file leaves out.
    event: without `seq`, `prev` and `id`; runs are numbered from 1 within the source.
    number: the number that the source gives a run, if it gives one.
    order: the place that it had in the log it was exported from, where the source tells.
    key: what tells events of one line apart, and makes the event known again where lines say nothing because
        the source is rewritten as a whole.
    """

    line: int
    event: Event
    number: int | None = None
    order: int | None = None
    key: str = ""


class Reading(msgspec.Struct, frozen=True):
    """What a source holds.

    format: the parser's name. events: in the source's order.
    fates: one for each line, in order. notes: what the reader of the report should know, a sentence each.
    """

    format: str
    events: tuple[Placed, ...]
    fates: tuple[Fate, ...]
    notes: tuple[str, ...] = ()

    @property
    def runs(self) -> int:
        """How many runs were found."""
        return sum(isinstance(placed.event, Run) for placed in self.events)


class Question(msgspec.Struct, frozen=True):
    """Why a source cannot be read without being told more; nothing is guessed.

    message: what is missing, one line. remedy: the option that answers it.
    """

    message: str
    remedy: str


class Options(msgspec.Struct, frozen=True):
    """What the person who imports says beside the source.

    source: what to call the source, for a goal that it does not name.
    goal, metric, unit, direction: of the metric, where the source leaves them out or another is meant.
    columns: names of a table's columns, in order; taken instead of its header.
    status: of all lines that have none. words: statuses by the word that the source uses for them.
    decided: how many bytes at the beginning were read earlier; what is concluded from the whole of a file (a
        table's columns) is concluded from these alone, so that a file that grew is read as before. 0: all.
    """

    source: str = "a file"
    goal: str | None = None
    metric: str | None = None
    unit: str | None = None
    direction: str | None = None
    columns: tuple[str, ...] = ()
    status: str | None = None
    words: Mapping[str, str] = {}
    decided: int = 0

    @property
    def name(self) -> str:
        """The goal of a source that names none."""
        return self.goal or f"imported from {self.source}"


PLAIN = Options()
"""Nothing said beside the source."""


class Stretch(msgspec.Struct, frozen=True, gc=False):
    """Lines that follow each other and met the same fate. first, last: their numbers, both included."""

    first: int
    last: int
    taken: bool
    reason: str


def stretches(fates: Iterable[Fate]) -> list[Stretch]:
    """The fates, neighbours of the same fate put together."""
    found: list[Stretch] = []
    for fate in fates:
        last = found[-1] if found else None
        if last and (last.taken, last.reason, last.last + 1) == (fate.taken, fate.reason, fate.line):
            found[-1] = Stretch(last.first, fate.line, fate.taken, fate.reason)
        else:
            found.append(Stretch(fate.line, fate.line, fate.taken, fate.reason))
    return found


def times_filled(events: Sequence[Placed]) -> tuple[Placed, ...]:
    """The events, those without a time given one of their neighbours' in the source.

    A goal gets the time of what follows it, everything else that of what precedes it; where there is none on
    that side, the other's. A source without any times stays so: the log stamps it with the time of import.
    """
    times = [placed.event.timestamp for placed in events]
    before: list[object] = []
    last: object = None
    for moment in times:
        last = moment if moment is not None else last
        before.append(last)
    after: list[object] = []
    last = None
    for moment in reversed(times):
        last = moment if moment is not None else last
        after.append(last)
    after.reverse()
    return tuple(
        _at(placed, (later, earlier) if isinstance(placed.event, Config) else (earlier, later))
        if placed.event.timestamp is None
        else placed
        for placed, earlier, later in zip(events, before, after, strict=True)
    )


def _at(placed: Placed, moments: tuple[object, object]) -> Placed:
    moment = moments[0] if moments[0] is not None else moments[1]
    if moment is None:
        return placed
    event = msgspec.structs.replace(placed.event, timestamp=moment)
    return msgspec.structs.replace(placed, event=event)
