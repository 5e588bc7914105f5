"""Appending what was given on the command line, run numbers kept apart (design, sections 5 and 9)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import msgspec

from commands.appending import Batch, Request, at_line, outcome, read_batch, read_event, told
from commands.context import Call
from commands.errors import BadInputError
from commands.output import emit, emit_json, warn
from eventstore.errors import ConflictError, InvalidEventError
from eventstore.events import Event, Record, Recovered, Relinked, Run
from eventstore.filelog import FileLog
from eventstore.stamping import admit_all
from eventstore.store import Appended

__all__ = ["append_events", "record", "tell_mended"]


def record(call: Call, request: Request) -> None:
    """Appends what was asked for and says what came of it. Raises BadInputError; what `Log.append` raises."""
    if request.kind == "-":
        if request.fields or request.key is not None:
            raise BadInputError(
                "a batch takes its events from stdin alone", "ar append - --batch KEY < events.jsonl"
            )
        batch = read_batch(sys.stdin.buffer.read(), request.batch)
    else:
        if request.batch is not None:
            raise BadInputError("--batch is for a batch from stdin", "--id KEY for a single event")
        batch = Batch([read_event(request.kind, request.fields, request.key)], [])
    try:
        appended = append_events(call.writer(request.by), batch.events, expect=request.expect)
    except InvalidEventError as error:
        if error.index is not None and batch.lines:
            at_line(error, batch.lines[error.index])
        raise
    tell_mended(appended)
    if request.as_json:
        emit_json(outcome(appended))
    else:
        emit(told(appended))


class _Runs(msgspec.Struct, frozen=True):
    """count: runs of the log so far. ids: those of the ids asked for that runs of the log have already."""

    count: int = 0
    ids: frozenset[str] = frozenset()


def append_events(log: FileLog, events: Sequence[Event], *, expect: int | None = None) -> Appended:
    """Appends these events, all or none.

    A run's number must be the next one at the moment it is written, so that two writers never use the same.
    Raises ConflictError for another, and what `Log.append` raises.
    """
    events = admit_all(events, log.by)  # what is no event is bad input before its number is a conflict
    runs = [event for event in events if isinstance(event, Run)]
    if not runs:
        return log.append(events, expect=expect)
    wanted = frozenset(run.id for run in runs if run.id is not None)

    def fold(state: _Runs, records: Iterable[Record]) -> _Runs:
        found = [record for record in records if type(record) is Run]
        ids = state.ids.union(run.id for run in found if run.id in wanted and run.id is not None)
        return _Runs(state.count + len(found), ids)

    def decide(state: _Runs) -> Sequence[Event]:
        check_numbers(runs, state.count, state.ids)
        return events

    if expect is None:
        return log.transact(decide, fold=fold, state=_Runs(), kinds=(Run,))
    # The expectation itself guards what is read here: if anything comes in meanwhile, the append is refused.
    state = _Runs()
    for batch in log.read(kinds=(Run,)):
        if batch.last <= expect:
            state = fold(state, batch.records)
        else:
            state = fold(state, [record for number, record in batch.numbered() if number <= expect])
            break
    return log.append(decide(state), expect=expect)


def check_numbers(runs: Sequence[Run], count: int, known: frozenset[str]) -> None:
    """Raises ConflictError unless the runs not written yet are numbered on from `count`, the runs so far.

    known: ids of runs that stand in the log; those are not written again, so their numbers do not matter.
    """
    number = count
    for run in runs:
        if run.id in known:
            continue
        number += 1
        if run.run != number:
            raise ConflictError(
                f"run {run.run} is not the next one: the log will have {number - 1} before it",
                f"give run:={number}, or let `ar log` number it",
            )


def tell_mended(appended: Appended) -> None:
    """Says on stderr what the store mended on the way."""
    for event in appended.mended:
        if isinstance(event, Recovered):
            warn(
                f"line {event.line} was torn; it was ended and stays as a damaged line of {event.bytes} bytes"
            )
        elif isinstance(event, Relinked):
            warn(f"a foreign writer came in between; our lines stand from line {event.line} on")
