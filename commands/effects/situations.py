"""Reading the situation that a brief and what goes with it are made from, now or at a place in the past."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from commands.effects.views import damaged_in
from eventstore.events import Record
from eventstore.filelog import FileLog
from reducers.situation import KINDS, Sight, Situation, follow, sight_of

__all__ = ["Found", "situation_at"]


class Found(msgspec.Struct, frozen=True):
    """What was read.

    sight: what the log shows. seq: number of the last line it takes account of; 0 for none.
    damaged: numbers of the damaged lines up to there, ascending.
    """

    sight: Sight
    seq: int = 0
    damaged: tuple[int, ...] = ()


def situation_at(log: FileLog, at: int | None = None) -> Found:
    """The situation up to line `at` (None: all of the log). Raises StorageError when it cannot be read."""
    situation, seq = Situation(), 0
    damaged: list[int] = []
    for batch in log.read(kinds=KINDS):
        records: Sequence[Record] = batch.records
        if at is not None and batch.last > at:
            records = [record for number, record in batch.numbered() if number <= at]
        situation = follow(situation, records)
        damaged += damaged_in(records)
        seq = batch.last if at is None else min(batch.last, at)
        if at is not None and batch.last >= at:
            break
    return Found(sight_of(situation), seq, tuple(damaged))
