"""What a log says, up to some line, of all that firing a hook needs; a function of that prefix alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from eventstore.disk import Disk, storage_error
from eventstore.events import Config, Record, Resumed, Run, Settings, Stopped
from eventstore.filelog import FileLog
from eventstore.lines import Batch, split_lines
from eventstore.store import START, Position
from hooks.payload import NoRunError, after_payload, before_payload, run_fields
from hooks.steer import Stage
from reducers.core import fold
from reducers.halt import Halt, after_halting
from reducers.session import SessionState, SessionView, session

__all__ = ["DEFAULT_TIMEOUT", "LONGEST_TIMEOUT", "Prefix", "payload_at", "read_prefix"]

DEFAULT_TIMEOUT = 30.0
"""Seconds that a hook may take (design, section 6.2), unless `settings` say otherwise."""

LONGEST_TIMEOUT = 86_400.0
"""Seconds beyond which no setting takes effect, so that no limit means none."""

_KINDS = (Config, Run, Settings, Stopped, Resumed)


class Prefix(msgspec.Struct, frozen=True):
    """A log up to some line.

    seq: number of that line; 0 for an empty log.
    position: the place after it; None where it is not known, within a stretch that was read.
    state: of the session.
    run_line: the last run's line as it stands, without its newline; None if there is no run.
    timeout: seconds that a hook may take, by the last `settings` that say so.
    halt: what holds the session up.
    """

    seq: int = 0
    position: Position | None = START
    state: SessionState = session.initial
    run_line: bytes | None = None
    timeout: float = DEFAULT_TIMEOUT
    halt: Halt = Halt()

    @property
    def stopped(self) -> str | None:
        """Why the session has stopped, `off` if it is switched off; None while it goes on."""
        return self.halt.stopped

    @property
    def view(self) -> SessionView:
        """The session as it stands there."""
        return session.view(self.state)

    def last_run(self) -> dict[str, Any] | None:
        """The last run as a hook is told of it; None if there is none."""
        run = self.state.last_run
        return None if run is None else run_fields(self.run_line, run)

    def payload(self, stage: Stage, cwd: str) -> bytes:
        """What a hook of that stage is told there. Raises NoRunError for `after` before the first run."""
        last_run = self.last_run()
        if stage == "before":
            return before_payload(self.view, last_run, cwd)
        if last_run is None:
            raise NoRunError
        return after_payload(self.view, last_run, cwd)


def payload_at(log: FileLog, stage: Stage, cwd: str, at: int | None = None) -> bytes:
    """What a hook is told just after line `at` (None: at the end), whether one fired there or not.

    For a `hook` event, `at` is the line its payload was taken at, and this is what the script got.
    Raises NoRunError for `after` before the first run, StorageError when the log cannot be read.
    """
    return read_prefix(log, at).payload(stage, cwd)


def read_prefix(log: FileLog, at: int | None = None, since: Prefix | None = None) -> Prefix:
    """The log up to line `at`; all of it for None. Raises StorageError when it cannot be read.

    since: a shorter prefix of the same log, which is carried on, so that nothing is read twice.
    """
    prefix = Prefix() if since is None or since.position is None else since
    found: tuple[Batch, int] | None = None
    for batch in log.read(prefix.position or START, _KINDS):
        records: Sequence[Record] = batch.records
        if at is not None and batch.last > at:
            records = [record for number, record in batch.numbered() if number <= at]
        last = next((i for i in range(len(records) - 1, -1, -1) if type(records[i]) is Run), None)
        if last is not None:
            found = batch, batch.numbered()[last][0]
        prefix = _after(prefix, records, Position(batch.last, batch.end))
        if at is not None and batch.last >= at:
            prefix = replace(prefix, seq=at, position=prefix.position if batch.last == at else None)
            break
    return prefix if found is None else replace(prefix, run_line=_line(log, *found))


def _after(prefix: Prefix, records: Iterable[Record], position: Position) -> Prefix:
    timeout, halt, runs = prefix.timeout, prefix.halt, prefix.state.run_count
    for record in records:
        if type(record) is Run:
            runs += 1
        elif type(record) is Settings:
            timeout = _timeout(record, timeout)
        elif isinstance(record, (Stopped, Resumed, Config)):
            halt = after_halting(halt, record, runs)
    return replace(
        prefix,
        seq=position.seq,
        position=position,
        state=fold(session, records, prefix.state),
        timeout=timeout,
        halt=halt,
    )


def _timeout(settings: Settings, before: float) -> float:
    # Foreign settings may say anything; only what is a limit is taken for one.
    seconds = settings.timeouts.get("hook")
    return float(min(seconds, LONGEST_TIMEOUT)) if seconds is not None and seconds > 0 else before


def _line(log: FileLog, batch: Batch, number: int) -> bytes | None:
    """A line of a stretch that was just read; None if the file is no longer the same."""
    disk = Disk()
    try:
        fd = disk.open_read(log.path)
        try:
            lines = split_lines(disk.read(fd, batch.end - batch.start, batch.start))
        finally:
            disk.close(fd)
    except OSError as error:
        raise storage_error(error, "read", log.path) from error
    index = number - batch.first
    return lines[index] if index < len(lines) else None
