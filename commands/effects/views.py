"""Looking at a log through a reducer, on from a snapshot where one holds (design, section 2.6)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from commands.where import HEAD, Where, kinds_for, locate
from eventstore import snapshots
from eventstore.digests import digest
from eventstore.events import Damaged, Record
from eventstore.filelog import FileLog
from eventstore.lines import Batch, split_lines
from eventstore.store import START, Head, Position, now_ms
from reducers.core import Reducer, decode_state, encode_state, fold, to_plain

__all__ = ["Look", "damaged_in", "place_of", "read_view", "up_to"]

WORTH_KEEPING = 1 << 18
"""Bytes that a look must have read, of log and state, before it leaves a snapshot: milliseconds' worth."""


class Look(msgspec.Struct, frozen=True):
    """What a view says at a place in a log.

    name: the reducer's. view: what it shows, as plain values.
    seq: number of the last line it takes account of; 0 for none.
    head: `seq:digest` of that line; None for none.
    damaged: numbers of the damaged lines up to there, ascending.
    """

    name: str
    view: Any
    seq: int
    head: str | None
    damaged: tuple[int, ...] = ()

    def document(self) -> dict[str, Any]:
        """The JSON document of the view: its own fields with `view`, `seq`, `head`, `damaged_lines` around.

        A view that is no object stands under `value`.
        """
        own = self.view if isinstance(self.view, dict) else {"value": self.view}
        around = {"view": self.name, "seq": self.seq, "head": self.head}
        return {**around, **own, **around, "damaged_lines": list(self.damaged)}


def place_of(log: FileLog, where: Where) -> int | None:
    """The line after which `where` is; None for the end. Raises BadInputError beyond the log."""
    if where == HEAD:
        return None
    return locate(where, log.head().seq, log.read(kinds=kinds_for(where)))


def read_view(
    log: FileLog,
    reducer: Reducer[Any, Any],
    *,
    at: int | None = None,
    cache: Path | None = None,
    now: int | None = None,
) -> Look:
    """What a reducer shows of a log, up to line `at` (None: all of it).

    cache: the directory of snapshots; None neither reads nor writes one. now: milliseconds since 1970 UTC for
    views that depend on the time; the clock's when None. Raises StorageError when the log cannot be read.
    """
    now = now_ms() if now is None else now
    kept = snapshots.load(cache, reducer.name, reducer.version, log.path) if cache is not None else None
    if kept is not None and at is not None and kept.position.seq > at:
        kept = None
    if kept is not None:
        found = _carried_on(log, reducer, kept, at, cache, now)
        if found is not None:
            return found
    return _folded(log, reducer, reducer.initial, START, at, cache, now)


def _carried_on(
    log: FileLog,
    reducer: Reducer[Any, Any],
    kept: snapshots.Snapshot,
    at: int | None,
    cache: Path | None,
    now: int,
) -> Look | None:
    """The look from a snapshot on; None if the snapshot turns out to be corrupt."""
    if not getattr(reducer, "timed", True):
        found = _unchanged(log, reducer, kept, at)
        if found is not None:
            return found
    data = kept.state()
    if data is None:
        return None
    try:
        state = decode_state(reducer, data)
    except (msgspec.DecodeError, RecursionError):
        return None
    return _folded(log, reducer, state, kept.position, at, cache, now, kept_bytes=len(data))


def _unchanged(
    log: FileLog, reducer: Reducer[Any, Any], kept: snapshots.Snapshot, at: int | None
) -> Look | None:
    """The look with the view that was kept, if nothing came since that the reducer handles; else None."""
    handled = reducer.handlers
    position, last = kept.position, None
    for batch in log.read(kept.position, handled.keys()):
        position = Position(batch.last, batch.end)
        last = batch if at is not None and batch.last >= at else None
        records = batch.records if last is None else up_to(batch, at)
        if any(type(record) in handled or type(record) is Damaged for record in records):
            return None
        if last is not None:
            break
    data = kept.view()
    if data is None:
        return None
    seq = position.seq if at is None else at
    if seq == kept.position.seq:
        head: str | None = str(Head(seq, kept.mark.digest, kept.mark.end))
    else:
        head = _head(log, position, seq, last)
    return Look(reducer.name, msgspec.json.decode(data), seq, head)


def up_to(batch: Batch, at: int | None) -> list[Record]:
    """The records of a batch up to line `at`; all of them when it is None."""
    return [record for number, record in batch.numbered() if at is None or number <= at]


def _folded(
    log: FileLog,
    reducer: Reducer[Any, Any],
    state: Any,
    after: Position,
    at: int | None,
    cache: Path | None,
    now: int,
    kept_bytes: int = 0,
) -> Look:
    """The look from a state on, kept as a snapshot if that spares the next look something."""
    position = after
    damaged: list[int] = []
    last: Batch | None = None
    for batch in log.read(after, reducer.handlers.keys()):
        records: Iterable[Record] = batch.records
        if at is not None and batch.last >= at:
            records = up_to(batch, at)
            last = batch
        damaged += damaged_in(records)
        state = fold(reducer, records, state)
        position = Position(batch.last, batch.end)
        if last is not None:
            break
    view = to_plain(reducer.view(state, now))
    grown = position.offset - after.offset
    if cache is not None and at is None and not damaged and grown and grown + kept_bytes >= WORTH_KEEPING:
        _keep(log, reducer, state, view, position, cache)
    seq = position.seq if at is None else at
    return Look(reducer.name, view, seq, _head(log, position, seq, last), tuple(damaged))


def _keep(
    log: FileLog, reducer: Reducer[Any, Any], state: Any, view: Any, position: Position, cache: Path
) -> None:
    """Writes a snapshot, but for a view that is nothing but a long list: that would be the log once more.

    None is kept of a log with damaged lines, so that each look reports them.
    """
    if getattr(reducer, "drain", None) is not None:
        return
    mark = snapshots.mark_at(log.path, position)
    if mark is not None:
        shown = None if getattr(reducer, "timed", True) else msgspec.json.encode(view)
        snapshots.save(cache, reducer.name, reducer.version, mark, shown, encode_state(state))


def damaged_in(records: Iterable[Record]) -> list[int]:
    """The numbers of the damaged lines among these records."""
    return [record.line for record in records if type(record) is Damaged]


def _head(log: FileLog, position: Position, seq: int, last: Batch | None) -> str | None:
    """`seq:digest` of a line that was just read; None before the first line, or if the log changed since."""
    if seq == 0:
        return None
    if last is not None:
        with log.path.open("rb") as file:
            file.seek(last.start)
            lines = split_lines(file.read(last.end - last.start))
        index = seq - last.first
        return str(Head(seq, digest(lines[index]), 0)) if index < len(lines) else None
    mark = snapshots.mark_at(log.path, position)
    if mark is not None:
        return str(Head(seq, mark.digest, mark.end))
    head = log.head()  # its last line lacks the newline
    return str(head) if head.seq == seq else None
