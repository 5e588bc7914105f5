"""Walking a log event by event, with what a view shows before and after each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from eventstore.events import Record
from eventstore.filelog import FileLog
from eventstore.store import now_ms
from reducers.core import Reducer, fold

__all__ = ["Step", "walk"]


class Step(msgspec.Struct, frozen=True):
    """One line of the log and what it did to a view.

    seq: its number. record: what it was read as. before, after: the view, as the reducer shows it; the same
    object where the line changed nothing. `commands.paths` compares the two.
    """

    seq: int
    record: Record
    before: Any
    after: Any


def walk(
    log: FileLog, reducer: Reducer[Any, Any], *, after: int = 0, until: int | None = None
) -> Iterator[Step]:
    """The lines from `after` (not itself) to `until` (None: the end), each with the view before and after it.

    A view that depends on the time is taken at one moment, now, so that time alone changes nothing in it.
    Raises StorageError when the log cannot be read.
    """
    now = now_ms()
    state = reducer.initial
    view: Any = None
    for batch in log.read():
        if batch.last <= after:
            state = fold(reducer, batch.records, state)
            continue
        for seq, record in batch.numbered():
            if until is not None and seq > until:
                return
            next_state = fold(reducer, (record,), state)
            if seq > after:
                if view is None:
                    view = reducer.view(state, now)
                shown = view if next_state is state else reducer.view(next_state, now)
                yield Step(seq, record, view, shown)
                view = shown
            state = next_state
