"""What an audit finds, as values: findings, and what has to be looked up in git. Pure."""

from __future__ import annotations

import msgspec

from reducers.cycle import OpenCycle
from reducers.session import SessionState, session

__all__ = [
    "ERROR",
    "WARNING",
    "AuditedCycle",
    "AuditedRun",
    "AuditedSegment",
    "Finding",
    "LogAudit",
    "RunCounts",
]

ERROR = "error"
"""The record is not to be trusted as it is."""

WARNING = "warning"
"""Worth knowing before the record is relied on."""


class Finding(msgspec.Struct, frozen=True):
    """Something that an audit found.

    level: `ERROR` or `WARNING`. source: what was looked at: `chain`, `runs`, `cycles`, `measurements`, `git`,
    `heads`, `harness`, `flags`, `gain`. kind: what it is, in a word. line: of the log, from 1; 0 for the log
    as a whole. message: in words.
    """

    level: str
    source: str
    kind: str
    line: int
    message: str


class RunCounts(msgspec.Struct, frozen=True):
    """How many runs there are, and on whose word.

    total: all of them. measured: by a cycle of ours that recorded its samples. unmeasured: by a cycle that
    came to no measurement. judged: recorded by us, measured by whoever logged it. foreign: by other programs.
    """

    total: int = 0
    measured: int = 0
    unmeasured: int = 0
    judged: int = 0
    foreign: int = 0


class AuditedCycle(msgspec.Struct, frozen=True):
    """A cycle that committed something, for git to be asked about.

    cycle: its number in the segment. segment: the segment's. line: of its run, of its commit while it has
    none. commit, parent, files: as recorded. run: ordinal of its run; None if it has none. status: how that
    one was judged. revert_line, revert_commit: of the rollback that was checked; None if there was none.
    """

    cycle: int
    segment: int
    line: int
    commit: str
    parent: str | None
    files: tuple[str, ...]
    run: int | None = None
    status: str | None = None
    revert_line: int | None = None
    revert_commit: str | None = None


class AuditedRun(msgspec.Struct, frozen=True):
    """A kept run that no cycle measured. ours: whether we wrote it. commit: as recorded; None for none."""

    run: int
    segment: int
    line: int
    commit: str | None
    ours: bool


class AuditedSegment(msgspec.Struct, frozen=True):
    """A segment.

    line: of its config. assets, harness: as there. measures: whether there is a metric command. commit: that
    its baseline was measured at, None if none was told.
    """

    segment: int
    line: int
    assets: tuple[str, ...] = ()
    harness: dict[str, str] = {}
    measures: bool = False
    commit: str | None = None


class LogAudit(msgspec.Struct, frozen=True):
    """What a log says.

    findings: against itself, in the order of lines. counts: of its runs. cycles, kept, segments: for git, in
    order. session: the state at its end. samples: of the measured runs that gave the current baseline and
    best, by ordinal. open: the cycle that is not finished. began: the first time that is told, milliseconds
    since 1970 UTC. measurements: how many were recomputed.
    """

    findings: tuple[Finding, ...] = ()
    counts: RunCounts = RunCounts()
    cycles: tuple[AuditedCycle, ...] = ()
    kept: tuple[AuditedRun, ...] = ()
    segments: tuple[AuditedSegment, ...] = ()
    session: SessionState = session.initial
    samples: dict[int, tuple[int | float, ...]] = {}
    open: OpenCycle | None = None
    began: int | None = None
    measurements: int = 0
