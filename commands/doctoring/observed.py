"""What `ar doctor` looks at, as it was found. Data alone."""

from __future__ import annotations

from typing import Literal

import msgspec

from commands.registering.recipe import Kind
from commands.registering.sealed import State
from eventstore.chain import Report

__all__ = [
    "AgentSeen",
    "Git",
    "HookSeen",
    "LogSeen",
    "Observed",
    "OnPath",
    "PartSeen",
    "Problem",
    "Programs",
    "Registered",
    "SessionSeen",
]


class Problem(msgspec.Struct, frozen=True):
    """Why something could not be looked at, or is not as it has to be; and what to do about it."""

    detail: str
    remedy: str


class OnPath(msgspec.Struct, frozen=True):
    """A program on PATH: this installation's, another one's of ours, or another program of the name."""

    path: str
    whose: Literal["this", "ours", "other"]


class Programs(msgspec.Struct, frozen=True):
    """Versions, and who answers to our names.

    ours, python: versions. own: the absolute argv that starts us. git: its version; None if it is not there.
    sdk: the version of the MCP SDK; None if it cannot be used, sdk_problem then says why. has_locks: whether
    the platform has `flock`. ar, autoresearch: the programs of these names on PATH, in its order.
    """

    ours: str
    python: str
    own: tuple[str, ...]
    git: str | None
    sdk: str | None
    sdk_problem: str = ""
    has_locks: bool = True
    ar: tuple[OnPath, ...] = ()
    autoresearch: tuple[OnPath, ...] = ()


class Git(msgspec.Struct, frozen=True):
    """The repository.

    top: its directory. on: branch and commit, in words. index_lock: the path of the lock of its index, if
    there is one. problems: what a measured cycle would refuse.
    """

    top: str
    on: str
    index_lock: str | None = None
    problems: tuple[Problem, ...] = ()


class LogSeen(msgspec.Struct, frozen=True):
    """A log that could be read.

    path: as people know it. report: what checking it found. torn: whether it ends in the midst of a line.
    tracked: whether git has it. writable: whether we may append. configured: whether it says what it is for.
    measured: whether it has assets, which are measured by cycles. harness: what measuring relies on and is
    no longer as it was. stopped: why it has stopped; None while it goes on. open_cycle: the number of a cycle
    that is not finished.
    """

    path: str
    report: Report
    torn: bool = False
    tracked: bool = False
    writable: bool = True
    configured: bool = False
    measured: bool = False
    harness: tuple[str, ...] = ()
    stopped: str | None = None
    open_cycle: int | None = None


class HookSeen(msgspec.Struct, frozen=True):
    """A hook that is there.

    path: as people know it. state: whether it would fire, in words. problem: why its interpreter would not
    run it; empty if it would.
    """

    path: str
    fires: bool
    state: str
    problem: str = ""


class SessionSeen(msgspec.Struct, frozen=True):
    """A session.

    root: its directory. layout: auto, legacy or file. unused: logs that lie there too and are not read.
    log: None where it could not be read, log_problem then says why. config: what is wrong with config.json;
    unknown: keys in it that nobody reads. holder, tree_holder: who holds the lock of the log, and that of the
    working tree.
    """

    root: str
    layout: str
    unused: tuple[str, ...] = ()
    log: LogSeen | None = None
    log_problem: Problem | None = None
    config: Problem | None = None
    unknown: tuple[str, ...] = ()
    holder: str | None = None
    tree_holder: str | None = None
    hooks: tuple[HookSeen, ...] = ()


class Registered(msgspec.Struct, frozen=True):
    """Words that start us, as some agent has them; whether there is such a program."""

    argv: tuple[str, ...]
    exists: bool


class PartSeen(msgspec.Struct, frozen=True):
    """A file that `ar setup` writes, or writes into.

    path: as people know it. state: ours as we would write it now, as another version or place of us wrote it,
    edited, not ours, or not there. problem: why the file is not to be changed; empty if it may be.
    """

    kind: Kind
    path: str
    state: State
    programs: tuple[Registered, ...] = ()
    problem: str = ""


class AgentSeen(msgspec.Struct, frozen=True):
    """An agent.

    program: its path; None if it is not on PATH. project, user: what it has of us in each scope.
    """

    name: str
    program: str | None
    project: tuple[PartSeen, ...]
    user: tuple[PartSeen, ...]


class Observed(msgspec.Struct, frozen=True):
    """All of it.

    git, session: None where there is none; git_problem, session_problem: why that is not known.
    """

    programs: Programs
    git: Git | None = None
    git_problem: Problem | None = None
    session: SessionSeen | None = None
    session_problem: Problem | None = None
    agents: tuple[AgentSeen, ...] = ()
