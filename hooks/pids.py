"""Process identities: who exists, since when, and whose child it is.

A process id alone names nothing for long, for the system uses it again. A pid together with its start
stamp does. Linux answers from `/proc`; elsewhere `ps` is asked (one-second resolution). Nothing heavy is
imported, so that a heartbeat may afford it.
"""

from __future__ import annotations

import functools
import os

import msgspec

_DEAD_STATES = frozenset("ZX")
"""Zombie and dead: the process has ended and only waits to be reaped."""

_PS_TIMEOUT = 10.0
"""Seconds after which a hanging `ps` is given up."""


class ProcessEntry(msgspec.Struct, frozen=True, gc=False):
    """One row of the process table."""

    pid: int
    parent: int
    group: int
    session: int
    state: str
    """The system's one-letter state (`R`, `S`, `Z`, …)."""
    started: str
    """When it started: clock ticks since boot (Linux) or the UTC time as `ps` prints it."""

    @property
    def alive(self) -> bool:
        """Whether it still runs: neither a zombie nor dead."""
        return self.state not in _DEAD_STATES


def process_table() -> dict[int, ProcessEntry]:
    """Every process that can be seen now, by pid; empty where there is neither `/proc` nor `ps`."""
    if not has_proc():
        return _table_from_ps()
    table: dict[int, ProcessEntry] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (entry := _entry_from_proc(int(name))) is not None:
            table[entry.pid] = entry
    return table


def process_entry(pid: int) -> ProcessEntry | None:
    """The row of `pid` alone; None if there is no such process."""
    if pid <= 0:
        return None
    return _entry_from_proc(pid) if has_proc() else _table_from_ps(pid).get(pid)


def process_started(pid: int) -> str | None:
    """The opaque start stamp of `pid`, equal as long as it is the same process; None if there is none.

    On Linux it holds the boot's id and the start in clock ticks since that boot, elsewhere the start time
    in UTC. A zombie still has its stamp.
    """
    entry = process_entry(pid)
    if entry is None:
        return None
    return f"{entry.started}@{boot_id()}" if has_proc() else entry.started


_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "tcsh", "csh", "nu", "xonsh"))


def is_interactive_shell(pid: int) -> bool:
    """Whether a process is a shell that was given neither a script nor a command: somebody types there.

    False where that cannot be known, as outside of Linux.
    """
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            argv = [os.fsdecode(each) for each in file.read().split(b"\0")[:-1]]
    except OSError:
        return False
    if not argv or os.path.basename(argv[0]).removeprefix("-") not in _SHELLS:
        return False
    return all(each.startswith("-") for each in argv[1:])


def is_alive(pid: int, started: str | None) -> bool:
    """Whether the process that was `pid` at the stamp `started` still runs (a zombie does not).

    Without a stamp (None or empty) any running process of that pid counts.
    """
    entry = process_entry(pid)
    if entry is None or not entry.alive:
        return False
    return not started or process_started(pid) == started


def ticks_of_stamp(stamp: str) -> int | None:
    """The start in clock ticks of a stamp given in this boot of this machine (Linux), else None."""
    ticks, _, boot = stamp.partition("@")
    if not has_proc() or not ticks.isdecimal() or boot != boot_id():
        return None
    return int(ticks)


@functools.cache
def has_proc() -> bool:
    """Whether this system shows its processes under `/proc`."""
    return os.path.exists("/proc/self/stat")


@functools.cache
def boot_id() -> str:
    """What tells this boot from another; empty where the system does not say."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def _entry_from_proc(pid: int) -> ProcessEntry | None:
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            text = file.read(4096)
    except OSError:  # it ended meanwhile, or is hidden from us
        return None
    return parse_stat(pid, text)


def parse_stat(pid: int, text: bytes) -> ProcessEntry | None:
    """A `/proc/PID/stat` line as an entry; None if it is cut short.

    The program's name stands in parentheses and may itself hold spaces and parentheses, so that fields are
    counted from the last closing one (proc(5): state is field 3, the start time field 22).
    """
    fields = text.rpartition(b")")[2].split()
    if len(fields) < 20:
        return None
    state, parent, group, session = fields[:4]
    return ProcessEntry(
        pid, int(parent), int(group), int(session), state.decode("ascii"), fields[19].decode("ascii")
    )


def _table_from_ps(pid: int | None = None) -> dict[int, ProcessEntry]:
    import subprocess

    which = ["-A"] if pid is None else ["-p", str(pid)]
    columns = [part for name in ("pid", "ppid", "pgid", "stat", "lstart") for part in ("-o", f"{name}=")]
    # The start is printed in local time and language: both are fixed, so that a stamp never changes.
    env = {"PATH": "/bin:/usr/bin", "LC_ALL": "C", "TZ": "UTC0"}
    try:
        listing = subprocess.run(
            ["ps", *which, *columns],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PS_TIMEOUT,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return {}
    entries = (parse_ps_line(line) for line in listing.decode("ascii", "replace").splitlines())
    return {entry.pid: entry for entry in entries if entry is not None}


def parse_ps_line(line: str) -> ProcessEntry | None:
    """A line of `ps -o pid= -o ppid= -o pgid= -o stat= -o lstart=` as an entry; None if it is none."""
    fields = line.split(None, 4)
    if len(fields) < 5 or not all(field.isdecimal() for field in fields[:3]):
        return None
    pid, parent, group = (int(field) for field in fields[:3])
    return ProcessEntry(pid, parent, group, _session(pid, group), fields[3][:1], " ".join(fields[4].split()))


def _session(pid: int, group: int) -> int:
    # What `ps` prints as a session is an address on some systems, so the system itself is asked.
    try:
        return os.getsid(pid)
    except OSError:
        return group
