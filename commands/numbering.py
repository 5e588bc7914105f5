"""The numbers of the runs that are appended: each the next one at the moment it is written. Pure.

A run's number is its ordinal among all runs of the log (design, section 5), and two of ours never have one
number (section 9).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from eventstore.errors import ConflictError
from eventstore.events import Event, Record, Run

__all__ = ["UNNUMBERED", "Runs", "counted", "numbered"]

UNNUMBERED = 1
"""What stands for the number of a run until it gets its own: the door lets no run in without one."""


class Runs(msgspec.Struct, frozen=True):
    """The runs of a log so far.

    count: how many. known: the number of the first of each id that was asked for and is there.
    """

    count: int = 0
    known: Mapping[str, int | float] = {}


def counted(state: Runs, records: Iterable[Record], wanted: Collection[str]) -> Runs:
    """The runs after these lines too. wanted: the ids that are asked for."""
    found = [record for record in records if type(record) is Run]
    if not found:
        return state
    known = {run.id: run.run for run in reversed(found) if run.id is not None and run.id in wanted}
    return Runs(state.count + len(found), {**known, **state.known})


def numbered(events: Sequence[Event], runs: Runs, open_: Collection[int] = ()) -> Sequence[Event]:
    """The events as they are to be written after these runs.

    open_: places of the events whose number is open: they get the next one, or that of the run of the same id
    which stands in the log already. Raises ConflictError for another number than the next; that of a run
    which is there already does not matter, for it is not written again.
    """
    given = list(events)
    number = runs.count
    for place, event in enumerate(events):
        if not isinstance(event, Run):
            continue
        known = None if event.id is None else runs.known.get(event.id)
        if known is None:
            number += 1
        if place in open_:
            given[place] = replace(event, run=number if known is None else known)
        elif known is None and event.run != number:
            raise ConflictError(
                f"run {event.run} is not the next one: the log will have {number - 1} before it",
                f"give run={number}, or leave it out",
            )
    return given if open_ else events
