"""Finds everything a command has started, and ends it: its group, its grandchildren, its daemons.

A command is started as the leader of a session of its own, so that its group can be ended as a whole. On
Linux this process moreover becomes the *subreaper* of its descendants while a command runs: a child that
calls `setsid` or forks twice to get away is handed to us when its parent ends, not to init, and is found.
Elsewhere that is best effort: what is in the session, and what was seen below the command, is ended.

Only descendants of the command are ever signalled. Where several commands run at once in one process (in
threads), a daemon that belongs to one of them but no longer says to which is ended when the last of
them ends.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import TracebackType
from typing import Self

from .pids import ProcessEntry, process_entry, process_started, process_table, ticks_of_stamp

KILL_WAIT = 5.0
"""Seconds that KILL may take; what is left then waits inside the kernel, or belongs to another user."""

REUSE_WINDOW = 3600.0
"""Seconds after a vanished leader's start within which the oldest process of its group must have started to
be taken for the leader's own and not for that of a later process with the same pid."""

_PR_SET_CHILD_SUBREAPER = 36
_PR_GET_CHILD_SUBREAPER = 37
_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.05


@functools.cache
def subreaper_available() -> bool:
    """Whether daemons of a command can be found and ended for certain (Linux), not by best effort."""
    return _subreaper_flag() is not None


def end_group(pgid: int, pid_started: str, *, term_grace: float = 5.0) -> int:
    """Ends what a run that we did not survive has left of the process group `pgid`; how many were ended.

    `pid_started` is the stamp its leader had (`process_started`). Nothing is done unless the leader still
    runs with that stamp or, the leader being gone, its session still holds processes which can only be the
    leader's (same boot and user, started after it and at most `REUSE_WINDOW` seconds later). A session that
    this very process lives in is left alone. TERM, `term_grace` seconds, KILL.
    """
    if pgid <= 1 or pgid == os.getpgrp() or not _still_ours(process_table(), pgid, pid_started):
        return 0
    family = Family(pgid)
    if any(entry.pid == os.getpid() for entry in family.living()):
        return 0
    family.signal(signal.SIGTERM)
    _poll(lambda: not family.living(), term_grace)
    family.kill()
    return family.ended_count


def _still_ours(table: dict[int, ProcessEntry], pgid: int, pid_started: str) -> bool:
    leader = table.get(pgid)
    if leader is not None:
        return leader.session == pgid and process_started(pgid) == pid_started
    ticks = ticks_of_stamp(pid_started)
    members = [entry for entry in table.values() if entry.session == pgid and entry.group == pgid]
    if ticks is None or not members or any(_owner(entry.pid) != os.getuid() for entry in members):
        return False
    age = (min(int(entry.started) for entry in members) - ticks) / os.sysconf("SC_CLK_TCK")
    return 0 <= age <= REUSE_WINDOW


def _owner(pid: int) -> int | None:
    try:
        return os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return None


class Family:
    """A command and all that it has started, as far as the system can tell."""

    def __init__(
        self, leader: int, *, poll: Callable[[], object] = lambda: None, adoption: Adoption | None = None
    ) -> None:
        """`leader` is the command's pid, its group's and its session's. `poll` reaps it if it is our child
        and has ended. `adoption`, when entered, hands us its orphans."""
        self._leader = leader
        self._poll = poll
        self._adoption = adoption if adoption is not None and adoption.hands_us_orphans else None
        self._seen: set[tuple[int, str]] = set()
        self._ended: set[tuple[int, str]] = set()
        if self._adoption is not None:
            self._adoption.leaders.add(leader)
            if (entry := process_entry(leader)) is not None:
                self._seen.add((leader, entry.started))

    @property
    def ended_count(self) -> int:
        """How many processes were told to end and are gone, the leader among them if it was told."""
        return len(self._ended)

    @property
    def leftover_count(self) -> int:
        """How many processes besides the leader were told to end and are gone."""
        return sum(pid != self._leader for pid, _ in self._ended)

    def living(self) -> list[ProcessEntry]:
        """The processes of the family that still run. Reaps those that ended as our children."""
        return [entry for entry in self._find() if entry.alive]

    def signal(self, signum: int) -> None:
        """Sends `signum` to every group of the family, and wakes what is stopped so that it can obey."""
        living = self.living()
        self._ended.update((entry.pid, entry.started) for entry in living)
        _send(living, signum)
        _send(living, signal.SIGCONT)

    def kill(self) -> int:
        """Kills until nothing of the family runs, or `KILL_WAIT` seconds have passed; how many are left.

        The last thing to be done with a family, and always to be done.
        """

        def nothing_left() -> bool:
            found = self._find()
            living = [entry for entry in found if entry.alive]
            self._ended.update((entry.pid, entry.started) for entry in living)
            _send(living, signal.SIGKILL)
            # The dead among our own must be reaped as well; those of others are for their parents to reap.
            return not (found if self._adoption is not None else living)

        gone = _poll(nothing_left, KILL_WAIT)
        if self._adoption is not None:
            self._adoption.leaders.discard(self._leader)
        if gone:
            return 0
        left = {(entry.pid, entry.started) for entry in self.living()}
        self._ended -= left
        return len(left)

    def _find(self) -> list[ProcessEntry]:
        """The family as it is now, with those that have just ended. Reaps these where they are ours."""
        self._poll()
        if self._adoption is not None and not has_children():
            return []
        if self._adoption is None:
            table = process_table()
            heads = [entry for entry in table.values() if self._is_head(entry)]
        else:
            table, heads = self._adoption.survey(self._leader, self._is_head)
        if not table:
            return self._group_alone()
        found = descendants(table, heads)
        self._seen.update((entry.pid, entry.started) for entry in found)
        for entry in found:
            if entry.parent == os.getpid() and entry.pid != self._leader and not entry.alive:
                reap(entry.pid)
        return found

    def _is_head(self, entry: ProcessEntry) -> bool:
        """Whether the entry belongs to the family for a reason other than its parent."""
        if (entry.pid, entry.started) in self._seen:
            return True
        # While a session has a member, the system gives its number to nobody else. With the orphans handed to
        # us the parents say it all, and more surely.
        return self._adoption is None and entry.session == self._leader

    def _group_alone(self) -> list[ProcessEntry]:
        # No table of processes on this system: the group stands for its members.
        try:
            os.killpg(self._leader, 0)
        except OSError:
            return []
        return [ProcessEntry(self._leader, os.getpid(), self._leader, self._leader, "?", "")]


class Adoption:
    """Makes us, while entered, the parent of every orphan among our descendants (where the system can).

    May be entered several times at once, by threads; the last one to leave puts the system's flag back.
    """

    def __init__(self) -> None:
        self.leaders: set[int] = set()
        self.hands_us_orphans = False
        self._lock = threading.Lock()
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


def descendants(table: dict[int, ProcessEntry], heads: Iterable[ProcessEntry]) -> list[ProcessEntry]:
    """The heads and everything below them in `table`, each once."""
    children: dict[int, list[ProcessEntry]] = {}
    for entry in table.values():
        children.setdefault(entry.parent, []).append(entry)
    found: dict[int, ProcessEntry] = {}
    waiting = list(heads)
    while waiting:
        entry = waiting.pop()
        if entry.pid not in found:
            found[entry.pid] = entry
            waiting.extend(children.get(entry.pid, ()))
    return list(found.values())


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


def _send(entries: Iterable[ProcessEntry], signum: int) -> None:
    # A group lies within one session, and the sessions of a family began inside it: none of its groups
    # holds a stranger. A signal to a group is atomic, so that no member can fork out of its way.
    for group in {entry.group for entry in entries} - {0, 1, os.getpgrp()}:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signum)


def _poll(done: Callable[[], bool], seconds: float) -> bool:
    """Asks `done` at growing intervals for at most `seconds`; its last answer."""
    deadline = time.monotonic() + seconds
    pause = _FIRST_PAUSE
    while not done():
        if time.monotonic() >= deadline:
            return False
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)
    return True


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
