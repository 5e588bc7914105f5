"""What a guardian does about the loops it looks after (design, section 6.3). Pure.

    actions = patrol({task: watch.view(state, now)}, observed, now, me="patrol")

It checks life, restarts and nudges; a pivot and a flag only answer a stuck loop. Nothing is done to a loop
that is paused, rate-limited or stopped, to one that never gave a heartbeat, and to itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from reducers.liveness import LoopRow
from reducers.pivots import next_perturbation
from reducers.policies.liveness import LEFT_ALONE, NUDGES, OVERDUE_INTERVALS, STALLED_MS, STUCK_MS
from reducers.policies.patrol_actions import Action, FlagTask, NudgeLoop, PivotTask, RestartLoop
from reducers.watch import Watch
from reducers.wording import duration

__all__ = ["DEFAULTS", "STUCK", "Observed", "Times", "patrol"]

STUCK = "stuck"
"""The kind of the flag over a task that made no progress for too long."""

GUARDS = ("L0", "L1")
"""Layers that only look after others: of them life is expected, and no progress."""


class Times(msgspec.Struct, frozen=True, gc=False):
    """When a guardian acts; the defaults are the protocol's.

    nudge_ms: how long without progress, its last output a question, before a loop is nudged. stuck_ms: how
    long without progress, whatever it said, before its task is flagged; milliseconds, above `nudge_ms`.
    nudges: how many without progress make a loop structurally stuck, from 1.

    Raises ValueError, with one line that says what is wrong, for times that are not so.
    """

    nudge_ms: int = STALLED_MS
    stuck_ms: int = STUCK_MS
    nudges: int = NUDGES

    def __post_init__(self) -> None:
        if not 0 < self.nudge_ms < self.stuck_ms:
            nudge, stuck = duration(self.nudge_ms / 1000), duration(self.stuck_ms / 1000)
            raise ValueError(f"the nudge time ({nudge}) must be above 0 and below the stuck time ({stuck})")
        if self.nudges < 1:
            raise ValueError(f"a loop is stuck after 1 nudge or more, not after {self.nudges}")


DEFAULTS = Times()
"""The protocol's times."""


class Observed(msgspec.Struct, frozen=True):
    """What the system says at the time of the patrol.

    host: this machine's name, as heartbeats hold it. started: the processes that live here, with their start
    stamps. busy: those of them that have a child at work.
    awake_since: since when this machine has been awake without a break, milliseconds since 1970 UTC; None if
    that is not known. While it sleeps nobody can give a sign or make progress, and no such time is counted.
    """

    host: str
    started: Mapping[int, str] = {}
    busy: frozenset[int] = frozenset()
    awake_since: int | None = None


def patrol(
    views: Mapping[str, Watch], observed: Observed, now: int, *, me: str, times: Times = DEFAULTS
) -> list[Action]:
    """What to do now, in this order. At most one nudge a loop, one pivot and one flag of a kind a task.

    views: what is seen of each task, at `now`. now: milliseconds since 1970 UTC. me: the guardian's own name,
    to which nothing is done.
    """
    actions: list[Action] = []
    for task, seen in views.items():
        rows = [row for row in seen.liveness.loops if row.loop != me and _is_looked_after(row)]
        for row in rows:
            actions += _Case(task, seen, row, observed, now, times).answer()
        pivots = [action for action in actions if isinstance(action, PivotTask) and action.task == task]
        for repeated in pivots[1:]:
            actions.remove(repeated)
        actions += _flags(task, seen, rows, observed, now, times)
    return actions


def _is_looked_after(row: LoopRow) -> bool:
    """Whether anything may be done about a loop: it gave a heartbeat and is not to be left alone."""
    return row.verdict is not None and row.verdict != "unknown" and row.verdict not in LEFT_ALONE


class _Case(msgspec.Struct, frozen=True):
    """One loop at the time of the patrol."""

    task: str
    seen: Watch
    row: LoopRow
    observed: Observed
    now: int
    times: Times

    def answer(self) -> Iterator[Action]:
        """What to do about it."""
        row = self.row
        if _is_busy(row, self.observed):
            return
        if row.overdue:
            if not _just_woke(row, self.observed, self.now):
                yield from self._revived()
        elif row.level not in GUARDS and not self._is_recent(row.last_nudge):
            idle = _idle(row, self.observed, self.now)
            if row.nudges_since_progress >= self.times.nudges:
                yield from self._reopened()
            elif row.asking and idle > self.times.nudge_ms:
                reason = f"it asks, and made no progress for {duration(idle / 1000)}"
                yield NudgeLoop(task=self.task, loop=row.loop, reason=reason)

    def _revived(self) -> Iterator[Action]:
        """A dead loop's restart, at most one an interval; a flag where that cannot be, or does not help."""
        row = self.row
        silent = self.now - (row.last_seen or self.now)
        reason = (
            f"no sign of life for {duration(silent / 1000)}, its interval is {duration(row.interval or 0)}"
        )
        why = ""
        if not _is_here(row, self.observed):
            why = f"it ran on {row.host}, and only a patrol there can restart it"
        elif not row.argv:
            why = "no user and no orchestrator registered how to restart it"
        else:
            if not self._is_recent(row.last_restart):
                yield self._restart(reason)
            if row.last_restart is not None and silent > self.times.stuck_ms:
                why = "restarts do not bring it back"
        kind = _overdue_kind(row)
        if why and not _was_flagged(self.seen, kind, row.last_seen):
            yield FlagTask(task=self.task, loop=row.loop, kind=kind, reason=f"{reason}; {why}")

    def _reopened(self) -> Iterator[Action]:
        """A structurally stuck loop: one pivot after its last nudge, and a fresh start."""
        row, pivoted = self.row, self.seen.pivots.last_at
        if pivoted is not None and (row.last_nudge is None or pivoted >= row.last_nudge):
            return
        reason = f"{row.nudges_since_progress} nudges brought no progress"
        yield PivotTask(
            task=self.task,
            loop=row.loop,
            reason=reason,
            left=self.seen.pivots.direction,
            perturbation=next_perturbation(self.seen.pivots).text,
        )
        if row.argv and _is_here(row, self.observed) and not self._is_recent(row.last_restart):
            yield self._restart(f"{reason}: reopened in a new direction")

    def _restart(self, reason: str) -> RestartLoop:
        row = self.row
        lives = _lives(row, self.observed) and row.pid is not None and row.pid_started is not None
        end = (row.pid, row.pid_started) if lives else None
        return RestartLoop(
            task=self.task,
            loop=row.loop,
            reason=reason,
            argv=tuple(row.argv or ()),
            cwd=row.cwd,
            end=end,  # type: ignore[arg-type]
        )

    def _is_recent(self, at: int | None) -> bool:
        """Whether something was done less than an interval ago; a clock that went back counts as little."""
        return at is not None and abs(self.now - at) < (self.row.interval or 0) * 1000


def _flags(
    task: str, seen: Watch, rows: list[LoopRow], observed: Observed, now: int, times: Times
) -> Iterator[FlagTask]:
    """The flag over a stuck task, once a stretch without progress; those of guardians that are outdated.

    Taken down by somebody, it is raised again if as much time goes by once more.
    """
    idle = {
        row.loop: _idle(row, observed, now)
        for row in rows
        if row.level not in GUARDS and row.without_progress_ms is not None
    }
    stuck = [loop for loop, without in idle.items() if without > times.stuck_ms]
    if stuck and not _is_told_stuck(seen, now, times):
        reason = f"{duration(idle[stuck[0]] / 1000)} without progress"
        yield FlagTask(task=task, loop=stuck[0], kind=STUCK, reason=reason)
    back = {_overdue_kind(row): row.loop for row in rows if not row.overdue}
    progress = seen.liveness.last_progress
    for flag in seen.flags.flags:
        if not flag.up or flag.by.partition(":")[0] != "guardian":
            continue
        if flag.kind in back:
            yield FlagTask(
                task=task, loop=back[flag.kind], kind=flag.kind, cleared=True, reason="it gives signs again"
            )
        elif flag.kind == STUCK and progress is not None and flag.since is not None and flag.since < progress:
            yield FlagTask(task=task, loop="", kind=STUCK, cleared=True, reason="progress was made")


def _is_told_stuck(seen: Watch, now: int, times: Times) -> bool:
    """Whether the flag over a stuck task is up since its last progress, or somebody took it down since."""
    found = next((flag for flag in seen.flags.flags if flag.kind == STUCK), None)
    if found is None:
        return False
    if not found.up:
        by_guardian = found.by.partition(":")[0] == "guardian"  # over progress, from which time is counted
        return not by_guardian and found.since is not None and now - found.since <= times.stuck_ms
    progress = seen.liveness.last_progress
    return progress is None or found.since is None or found.since >= progress


def _overdue_kind(row: LoopRow) -> str:
    """The kind of the flag over a dead loop that cannot be restarted."""
    return f"overdue:{row.loop}"


def _was_flagged(seen: Watch, kind: str, since: int | None) -> bool:
    """Whether a flag of this kind was raised, or taken down by somebody who saw it, since then."""
    found = next((flag for flag in seen.flags.flags if flag.kind == kind), None)
    if found is None:
        return False
    return found.up if found.since is None or since is None else found.since >= since


def _is_here(row: LoopRow, observed: Observed) -> bool:
    """Whether the loop runs on this machine, as far as it said where."""
    return row.host is None or row.host == observed.host


def _lives(row: LoopRow, observed: Observed) -> bool:
    """Whether the loop's process lives here: the number alone may be another's by now, so the stamp decides.

    Without a stamp any process of that number counts.
    """
    if row.pid is None or not _is_here(row, observed) or row.pid not in observed.started:
        return False
    return not row.pid_started or observed.started[row.pid] == row.pid_started


def _is_busy(row: LoopRow, observed: Observed) -> bool:
    """Whether a child of the loop is at work: then it is neither dead nor waiting."""
    return _lives(row, observed) and row.pid in observed.busy


def _just_woke(row: LoopRow, observed: Observed, now: int) -> bool:
    """Whether a living process was silent because the machine slept, and has not had its time since."""
    if observed.awake_since is None or not _lives(row, observed):
        return False
    return now - observed.awake_since <= OVERDUE_INTERVALS * (row.interval or 0) * 1000


def _idle(row: LoopRow, observed: Observed, now: int) -> int:
    """For how long the loop made no progress though it could have, milliseconds."""
    without = row.without_progress_ms or 0
    return without if observed.awake_since is None else min(without, max(now - observed.awake_since, 0))
