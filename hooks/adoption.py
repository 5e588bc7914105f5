"""Who gets the orphans of a command: we do, where the system can hand them to us.

On Linux this process becomes the *subreaper* of its descendants while a command runs: a child that calls
`setsid` or forks twice to get away is handed to us when its parent ends, not to init, and is found.

Where several commands run at once in one process (in threads), a daemon that belongs to one of them but no
longer says to which is ended when the last of them ends.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

from .pids import ProcessEntry, process_entry, process_table

_PR_SET_CHILD_SUBREAPER = 36
_PR_GET_CHILD_SUBREAPER = 37


@functools.cache
def subreaper_available() -> bool:
    """Whether daemons of a command can be found and ended for certain (Linux), not by best effort."""
    return _subreaper_flag() is not None


class Adoption:
    """Makes us, while entered, the parent of every orphan among our descendants (where the system can).

    May be entered several times at once, by threads; the last one to leave puts the system's flag back.
    """

    def __init__(self) -> None:
        self.leaders: set[int] = set()
        self.hands_us_orphans = False
        self._lock = threading.RLock()  # a signal handler may run a command of its own
        self._entered = 0
        self._strangers: frozenset[tuple[int, str]] = frozenset()
        self._flag_before: int | None = None

    def __enter__(self) -> Self:
        with self._lock:
            if self._entered == 0:
                self._flag_before = _subreaper_flag()
                self.hands_us_orphans = self._flag_before is not None and _set_subreaper(1)
                self._strangers = _children() if self.hands_us_orphans else frozenset()
            self._entered += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._entered -= 1
            if self._entered == 0:
                if self.hands_us_orphans:
                    _set_subreaper(self._flag_before or 0)
                self.hands_us_orphans = False
                self.leaders.clear()

    def survey(
        self, leader: int, known: Callable[[ProcessEntry], bool]
    ) -> tuple[dict[int, ProcessEntry], list[ProcessEntry]]:
        """The process table, and in it the heads of `leader`'s family: those `known`, and the orphans."""
        with self._lock:  # held so that no other run starts a child that would look like an orphan
            table = process_table()
            return table, [e for e in table.values() if known(e) or self._is_orphan(e, leader)]

    def reap_orphans(self) -> None:
        """Reaps orphans that have ended, so that hours of them fill no process table. Cheap."""
        if not self.hands_us_orphans:
            return
        with self._lock:
            while self._entered == 1 and has_children() and (pid := _ended_child()) is not None:
                entry = process_entry(pid)
                if entry is None or not self._is_orphan(entry, leader=0):
                    return
                reap(pid)

    def _is_orphan(self, entry: ProcessEntry, leader: int) -> bool:
        """Whether the entry was handed to us and belongs to `leader`, or could belong to nobody else.

        A child that we started ourselves for another purpose is in our own session, which no descendant of
        a command can be, or was there before.
        """
        return (
            entry.parent == os.getpid()
            and entry.pid not in self.leaders
            and entry.session != os.getsid(0)
            and (entry.pid, entry.started) not in self._strangers
            and (self._entered == 1 or entry.session == leader)
        )


ADOPTION = Adoption()
"""The one adoption of this process: the flag behind it belongs to the process as a whole."""


def has_children() -> bool:
    """Whether this process has any child, running or not yet reaped (only where `os.waitid` exists)."""
    try:
        _ended_child()
    except ChildProcessError:
        return False
    return True


def reap(pid: int) -> None:
    """Reaps our child `pid` if it has ended; no matter if somebody was faster."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _ended_child() -> int | None:
    """The pid of some child that waits to be reaped; raises ChildProcessError without children at all."""
    ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return None if ended is None else ended.si_pid


def _children() -> frozenset[tuple[int, str]]:
    if not has_children():
        return frozenset()
    own = os.getpid()
    return frozenset((entry.pid, entry.started) for entry in process_table().values() if entry.parent == own)


def _subreaper_flag() -> int | None:
    """Whether we are a subreaper (0 or 1); None where the system knows no such thing."""
    if sys.platform != "linux":
        return None
    import ctypes

    flag = ctypes.c_int()
    try:
        failed = ctypes.CDLL(None).prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(flag), 0, 0, 0)
    except (OSError, AttributeError):
        return None
    return None if failed else flag.value


def _set_subreaper(flag: int) -> bool:
    import ctypes

    return int(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(flag), 0, 0, 0)) == 0
