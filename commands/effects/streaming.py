"""A view that is one long list, written as JSON while the log is read: memory for a part of it at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from commands.effects.reading import line_at
from commands.effects.views import damaged_in, up_to
from eventstore.digests import digest
from eventstore.errors import StorageError
from eventstore.filelog import FileLog
from eventstore.store import Head
from reducers.core import Reducer, encode_state, fold, to_plain

__all__ = ["can_stream", "pieces"]


def can_stream(reducer: Reducer[Any, Any]) -> bool:
    """Whether a view can be written as it comes."""
    return getattr(reducer, "drain", None) is not None and len(_fields(reducer)) == 1


def _fields(reducer: Reducer[Any, Any]) -> list[str]:
    """The names of what a view shows; empty for one that is no object."""
    shown = to_plain(reducer.view(reducer.initial))
    return list(shown) if isinstance(shown, dict) else []


def pieces(log: FileLog, reducer: Reducer[Any, Any], at: int | None, damaged: list[int]) -> Iterator[bytes]:
    """The bytes of `Look.document` as JSON, newline included, piece by piece.

    at: the last line that is taken account of; None for all. damaged: gets the numbers of the damaged lines.
    What is appended meanwhile is left out. Raises StorageError when the log cannot be read, or shrinks.
    """
    drain: Callable[[Any], tuple[Sequence[Any], Any]] = reducer.drain  # type: ignore[attr-defined]
    seq, head = _end(log, at)
    (name,) = _fields(reducer)
    around = msgspec.json.encode({"view": reducer.name, "seq": seq, "head": head, name: []})
    yield around[: -len(b"]}")]
    state, begun, reached = reducer.initial, False, 0
    for batch in log.read(kinds=reducer.handlers.keys()):
        if reached >= seq:
            break
        records = batch.records if batch.last <= seq else up_to(batch, seq)
        reached = batch.last
        damaged += damaged_in(records)
        rows, state = drain(fold(reducer, records, state))
        if rows:
            yield (b"," if begun else b"") + encode_state(rows)[1:-1]
            begun = True
    if reached < seq:
        raise StorageError(f"{log.path} shrank while it was read", "repeat the command")
    yield b'],"damaged_lines":' + msgspec.json.encode(damaged) + b"}\n"


def _end(log: FileLog, at: int | None) -> tuple[int, str | None]:
    """The number of the last line to take account of, and `seq:digest` of it; None before the first."""
    if at is not None:
        return at, str(Head(at, digest(line_at(log.path, at)), 0)) if at else None
    head = log.head()
    return head.seq, str(head) if head.digest else None
