"""Finds everything a command has started, and ends it: its group, its grandchildren, its daemons.

A command is started as the leader of a session of its own, so that its group can be ended as a whole. On
Linux its orphans are moreover handed to us (`adoption`), so that daemons are found as well. Elsewhere that
is best effort: what is in the session, and what was seen below the command, is ended. Only descendants of
the command are ever signalled.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from .adoption import Adoption, has_children, reap
from .pids import ProcessEntry, process_entry, process_started, process_table, ticks_of_stamp

KILL_WAIT = 5.0
"""Seconds that KILL may take. What is left then waits inside the kernel, is another user's, or forks and ends
faster than it can be found."""

REUSE_WINDOW = 3600.0
"""Seconds after a vanished leader's start within which the oldest process of its group must have started to
be taken for the leader's own and not for that of a later process with the same pid."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.05


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
        # None in sight, yet there was something all the time: it forks and ends faster than we can look.
        return max(len(left), 1)

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
