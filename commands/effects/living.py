"""Saying that one lives: heartbeats of loops and orchestrators, in their own logs (design, section 6.3)."""

from __future__ import annotations

import os

from eventstore.events import Event, Heartbeat, Registered
from eventstore.filelog import FileLog
from reducers.core import fold
from reducers.liveness import LoopRow, liveness

__all__ = ["LOOP", "Life", "expectation", "name_of", "own_beat"]

LOOP = "L2"
"""The layer of what works on a task, and looks after itself first."""


def own_beat(by: str, state: str = "working") -> Heartbeat:
    """A heartbeat of this very process, under this name. state: as in `Heartbeat`."""
    import socket

    from hooks.pids import process_started

    pid = os.getpid()
    return Heartbeat(by=by, pid=pid, pid_started=process_started(pid), host=socket.gethostname(), state=state)


def name_of(by: str) -> str:
    """The name of the loop that signs as `by`: what follows the role, or the role where nothing does."""
    role, _, name = by.partition(":")
    return name or role


def expectation(row: LoopRow | None, seconds: float, *, level: str = LOOP, firm: bool = False) -> list[Event]:
    """What tells how often signs are to be expected, where the log does not say so.

    seconds: the longest time between two of them, as the loop means to give them. firm: said again where the
    log has it otherwise; else what somebody registered stands.
    """
    known = row is not None and row.interval is not None
    same = row is not None and (row.interval, row.level) == (float(seconds), level)
    return (
        [] if same or (known and not firm) else [Registered(argv=(), interval_seconds=seconds, level=level)]
    )


class Life:
    """The life of a loop, as its own log tells of it."""

    def __init__(self, log: FileLog) -> None:
        self._log = log
        self._lives = False

    def begin(self, seconds: float, register: tuple[str, ...] = ()) -> None:
        """Says how often signs are to be expected, unless somebody registered that, and how it is restarted.

        seconds: the longest time between two signs, that of a turn. register: the command that restarts it,
        which a person gave by starting it so; empty for none.
        """
        row = self._row()
        said = expectation(row, seconds)
        if register and (row is None or (row.argv, row.interval) != (list(register), float(seconds))):
            by = f"user:{name_of(self._log.by)}"
            said = [Registered(by=by, argv=register, interval_seconds=seconds, level=LOOP)]
        if said:
            self._log.append(said)

    def _row(self) -> LoopRow | None:
        state = liveness.initial
        for batch in self._log.read():
            state = fold(liveness, batch.records, state)
        loops = liveness.view(state).loops
        return next((row for row in loops if row.loop == name_of(self._log.by)), None)

    def beat(self) -> None:
        """The sign of life that comes first in every turn, and in every attempt of one."""
        self._lives = True
        self._log.append([own_beat(self._log.by)])

    def end(self) -> None:
        """Says that the loop is no more, if it lived: then nobody misses it."""
        if self._lives:
            self._lives = False
            self._log.append([own_beat(self._log.by, "stopped")])
