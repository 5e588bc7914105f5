"""What the writers of tables and of pi's log are given: events, and what the log says around them."""

from __future__ import annotations

import msgspec

from eventstore.events import Event, Run

__all__ = ["Aim", "Exported", "RunRow", "number_text"]


class Aim(msgspec.Struct, frozen=True):
    """What is optimised in a segment, as the log's own rules have it.

    goal: in words. metric, unit, direction: of its metric; None in a task without one.
    """

    goal: str = ""
    metric: str | None = "metric"
    unit: str | None = ""
    direction: str | None = "lower"


class RunRow(msgspec.Struct, frozen=True):
    """A run with its place. run: as recorded. ordinal: among all runs of the log, from 1.

    number: among its segment's runs, from 1. segment: from 0. aim: the segment's.
    before: the segment's best kept metric before it, else its baseline; None if there is none yet.
    """

    run: Run
    ordinal: int
    number: int
    segment: int
    aim: Aim
    before: int | float | None = None


class Exported(msgspec.Struct, frozen=True):
    """An event of a log and its place.

    seq: its line's number. aim: what its segment aims at; of a config, what it configures. row: of a run.
    """

    seq: int
    event: Event
    aim: Aim
    row: RunRow | None = None


def number_text(value: object) -> str:
    """A finite number as JSON spells it; empty for anything else."""
    if type(value) in (int, float):
        text = msgspec.json.encode(value).decode()
        return "" if text == "null" else text
    return ""
