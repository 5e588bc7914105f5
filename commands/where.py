"""WHERE: a place in the past of a log (design, section 7). Pure; the log's batches are handed in.

`120` is just after line 120, `run:5` just after the fifth run, an ISO 8601 time just after the last event in
file order that is not after it, `head` the end. `0` is the empty log before the first line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from commands.errors import BadInputError
from eventstore.events import Event, Run
from eventstore.lines import Batch
from eventstore.timestamps import epoch_ms, iso_utc

__all__ = ["HEAD", "AtHead", "AtMoment", "AtRun", "AtSeq", "Where", "kinds_for", "locate", "parse_where"]

_FORMS = "a line's number, run:N, an ISO time such as 2026-01-31T12:00Z, or head"


class AtHead(msgspec.Struct, frozen=True):
    """The end of the log."""


class AtSeq(msgspec.Struct, frozen=True):
    """Just after line `seq`; 0 is before the first."""

    seq: int


class AtRun(msgspec.Struct, frozen=True):
    """Just after the run that is the `run`-th of all runs of the log, from 1."""

    run: int


class AtMoment(msgspec.Struct, frozen=True):
    """Just after the last event in file order that is not after `ms`, milliseconds since 1970 UTC."""

    ms: int


Where = AtHead | AtSeq | AtRun | AtMoment
HEAD = AtHead()


def parse_where(text: str) -> Where:
    """What a WHERE means. A time without a zone is in UTC. Raises BadInputError for anything else."""
    word = text.strip()
    if word == "head":
        return HEAD
    if word.isascii() and word.isdigit() and len(word) <= 18:
        return AtSeq(int(word))
    kind, colon, rest = word.partition(":")
    if colon and kind == "run":
        if rest.isascii() and rest.isdigit() and len(rest) <= 18 and int(rest) > 0:
            return AtRun(int(rest))
        raise BadInputError(f"{text!r} names no run", "run:5 for the fifth run")
    ms = epoch_ms(word) if not word.isdigit() else None
    if ms is not None:
        return AtMoment(ms)
    raise BadInputError(f"{text!r} is no place in the log", _FORMS)


def kinds_for(where: Where) -> Collection[type[Event]] | None:
    """The event types whose fields `locate` looks at, for reading the log; None means all."""
    return (Run,) if isinstance(where, AtRun) else None


def locate(where: Where, head: int, batches: Iterable[Batch]) -> int:
    """The number of the line after which `where` is; 0 before the first.

    `head`: number of the log's last line. `batches`: the whole log, read with `kinds_for(where)`; only
    iterated where needed. Raises BadInputError when the log does not go that far.
    """
    if isinstance(where, AtHead):
        return head
    if isinstance(where, AtSeq):
        if where.seq > head:
            raise BadInputError(f"the log ends at line {head}; there is no line {where.seq}", "head")
        return where.seq
    if isinstance(where, AtRun):
        return _after_run(where.run, batches)
    return _not_after(where.ms, batches)


def _after_run(run: int, batches: Iterable[Batch]) -> int:
    seen = 0
    for batch in batches:
        for seq, record in batch.numbered():
            if type(record) is Run:
                seen += 1
                if seen == run:
                    return seq
    runs = "1 run" if seen == 1 else f"{seen} runs"
    raise BadInputError(f"the log has {runs}; there is no run {run}", f"run:{seen}" if seen else "head")


def _not_after(ms: int, batches: Iterable[Batch]) -> int:
    """Foreign clocks may go backwards, so the last such event need not be the latest one."""
    found = 0
    first: int | None = None
    for batch in batches:
        for seq, record in batch.numbered():
            stamp = epoch_ms(record.timestamp) if isinstance(record, Event) else None
            if stamp is not None:
                first = stamp if first is None else first
                found = seq if stamp <= ms else found
    if found:
        return found
    if first is None:
        raise BadInputError("no event of the log says when it happened", "a line's number, run:N, or head")
    raise BadInputError(
        f"no event of the log is as old as {iso_utc(ms)}", f"0, or a time from {iso_utc(first)} on"
    )
