"""Appending what was given on the command line, run numbers kept apart (design, sections 5 and 9)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from commands.appending import Request, outcome, read_batch, read_one, told
from commands.context import Call
from commands.effects.reading import read_stdin
from commands.errors import BadInputError
from commands.numbering import Runs, counted, numbered
from commands.output import emit, emit_json, warn
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
        log = call.writer(request.by)
        batch = read_batch(read_stdin(), request.batch, log.by)
    else:
        if request.batch is not None:
            raise BadInputError("--batch is for a batch from stdin", "--id KEY for a single event")
        batch = read_one(request.kind, request.fields, request.key)
        log = call.writer(request.by)
    appended = append_events(log, batch.events, expect=request.expect, open_=batch.open_)
    tell_mended(appended)
    if request.as_json:
        emit_json(outcome(appended))
    else:
        emit(told(appended))


def append_events(
    log: FileLog, events: Sequence[Event], *, expect: int | None = None, open_: Collection[int] = ()
) -> Appended:
    """Appends these events, all or none.

    A run's number must be the next one at the moment it is written, so that two writers never use the same.
    open_: places of the runs that get it then. Raises ConflictError for another, and what `Log.append`
    raises.
    """
    events = admit_all(events, log.by)  # what is no event is bad input before its number is a conflict
    runs = [event for event in events if isinstance(event, Run)]
    if not runs:
        return log.append(events, expect=expect)
    wanted = frozenset(run.id for run in runs if run.id is not None)

    def fold(state: Runs, records: Iterable[Record]) -> Runs:
        return counted(state, records, wanted)

    def decide(state: Runs) -> Sequence[Event]:
        return numbered(events, state, open_)

    if expect is None:
        return log.transact(decide, fold=fold, state=Runs(), kinds=(Run,))
    # The expectation itself guards what is read here: if anything comes in meanwhile, the append is refused.
    state = Runs()
    for batch in log.read(kinds=(Run,)):
        if batch.last <= expect:
            state = fold(state, batch.records)
        else:
            state = fold(state, [record for number, record in batch.numbered() if number <= expect])
            break
    return log.append(decide(state), expect=expect)


def tell_mended(appended: Appended) -> None:
    """Says on stderr what the store mended on the way."""
    for event in appended.mended:
        if isinstance(event, Recovered):
            warn(
                f"line {event.line} was torn; it was ended and stays as a damaged line of {event.bytes} bytes"
            )
        elif isinstance(event, Relinked):
            warn(f"a foreign writer came in between; our lines stand from line {event.line} on")
