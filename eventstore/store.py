"""The small interface behind which every log lives, and the values it speaks in (design, section 2.5)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from time import time_ns
from typing import Protocol, TypeVar

import msgspec

from eventstore.events import Event, Record
from eventstore.lines import Batch, encode

__all__ = ["START", "Appended", "Head", "Log", "Position", "Reset", "content_key", "now_ms"]

S = TypeVar("S")


class Position(msgspec.Struct, frozen=True, gc=False):
    """A place between two lines.

    seq: number of the line before it; 0 at the beginning.
    offset: byte offset of the line after it.
    """

    seq: int = 0
    offset: int = 0


START = Position()


class Head(msgspec.Struct, frozen=True, gc=False):
    """The last line of a log: what anchors outside it are made of.

    seq: its number, 0 for an empty log.
    digest: of its bytes (`eventstore.digests.digest`), None for an empty log.
    offset: byte offset after it, its newline included.
    """

    seq: int
    digest: str | None
    offset: int

    def __str__(self) -> str:
        return f"{self.seq}:{self.digest}" if self.digest else "0:"


class Appended(msgspec.Struct, frozen=True):
    """What an append came to.

    events: as they stand in the log, envelope filled in; one for each event asked for.
    seqs: their lines' numbers. An event whose id was there already has the number of the first.
    written: how many lines were written for them; less than asked for where ids were there already.
    mended: what the store wrote about itself on the way (`recovered`, `relinked`).
    head: the log's last line afterwards.
    """

    events: tuple[Event, ...]
    seqs: tuple[int, ...]
    written: int
    mended: tuple[Event, ...]
    head: Head


class Reset(msgspec.Struct, frozen=True):
    """A followed log shrank or was replaced: whatever was read of it no longer stands, start anew.

    reason: what was noticed, in words.
    """

    reason: str


class Log(Protocol):
    """One append-only log. Its order is the lines' order; times and written numbers are only claims."""

    def read(self, after: Position = START, kinds: Collection[type[Event]] | None = None) -> Iterator[Batch]:
        """What stands after a position, in stretches of whole lines; takes no lock and changes nothing.

        `kinds`: the types whose fields are wanted (`eventstore.lines.LineDecoder`).
        Raises StorageError when the log cannot be read. A log that does not exist yet is empty.
        """
        ...

    def head(self) -> Head:
        """The last whole line. Raises StorageError when the log cannot be read."""
        ...

    def append(self, events: Sequence[Event], *, expect: int | None = None) -> Appended:
        """Appends all of these events, or none; returns when they are durable.

        Fills in `seq`, `prev`, and, where absent, `timestamp` (now) and `by` (the log's). An event whose `id`
        the log holds already with the same content is not written again. `expect`: the head's seq as the
        caller last saw it; checked only if there is something to write.

        Raises InvalidEventError or RoleError (refused at the door), ConflictError (the head moved past
        `expect`, or an id is taken by other content), StorageError; nothing is written then.
        """
        ...

    def transact(
        self,
        decide: Callable[[S], Sequence[Event]],
        *,
        fold: Callable[[S, Iterable[Record]], S],
        state: S,
        after: Position = START,
        kinds: Collection[type[Event]] | None = None,
    ) -> Appended:
        """Appends what `decide` makes of the state that holds at the very moment of appending.

        `state` is that of the log up to `after`; `fold` carries it on, first outside the lock, then over
        what came in meanwhile under it. `decide` is pure and may raise a LedgerError to write nothing.
        Raises what `append` raises.
        """
        ...

    def follow(
        self,
        after: Position = START,
        kinds: Collection[type[Event]] | None = None,
        *,
        wait: Callable[[], bool] | None = None,
    ) -> Iterator[Batch | Reset]:
        """What stands after a position, and then what comes; `Reset` when the log shrank or was replaced.

        `wait` is called when there is nothing new; it returns whether to go on looking. By default it sleeps
        0.2 s and returns True.
        """
        ...


def now_ms() -> int:
    """The wall clock, milliseconds since 1970 UTC."""
    return time_ns() // 1_000_000


def content_key(event: Event) -> bytes:
    """What two events with the same id are compared by: all but where and when they were appended."""
    return encode(msgspec.structs.replace(event, seq=None, prev=None, timestamp=None))
