"""The `liveness` view: which loops give signs of life, and what to make of them (design, section 6.3)."""

from __future__ import annotations

import msgspec

from reducers.core import Projection
from reducers.policies.liveness import LEFT_ALONE, STUCK_MS, asks, is_left_alone, is_overdue, verdict
from reducers.rest import rested
from reducers.signs import HANDLERS, LivenessState, Loop

__all__ = ["LivenessView", "LoopRow", "liveness"]


class LoopRow(msgspec.Struct, frozen=True):
    """A loop: a name in `by` that sent a heartbeat or was registered.

    loop: its name, without the role.
    level: `L0`, `L1` or `L2`; null if it never said.
    last_seen: time of its last sign of life, milliseconds since 1970 UTC: of the last event it appended, its
        registration apart; null if there was none. Guardians' events are signs of guardians alone.
    interval: how often it means to give one, seconds; null if it never said.
    state: of its last heartbeat; `stopped` also where the session is; null if there was never one.
    until: when that state should end, milliseconds since 1970 UTC.
    overdue: whether its last sign is longer ago than three intervals; null where that cannot be told.
    nudges_since_progress: how often it was nudged since the task last made progress.
    without_progress_ms: for how long the task has made none while this loop was there, milliseconds: pauses
        and stops are left out, restarts begin nothing anew; null if that cannot be told.
    asking: whether its last output is a question.
    verdict: what a guardian makes of it: `alive`, `unknown`, `paused`, `rate_limited`, `stopped`, `overdue`,
        `stalled` (to be nudged) or `stuck` (to be led elsewhere); null without a time.
    stuck_task: whether the task is due to be flagged: 4 hours without progress; null where that cannot be
        told.
    last_output: the last thing it said.
    last_nudge: when it was last nudged, milliseconds since 1970 UTC.
    last_restart: when it was last restarted, milliseconds since 1970 UTC.
    argv: the command that restarts it, as a user or an orchestrator registered it; null if none did.
    cwd: where to run that.
    pid: its process.
    pid_started: an opaque stamp that tells a reused pid apart.
    host: where it runs.
    """

    loop: str
    level: str | None
    last_seen: int | None
    interval: float | None
    state: str | None
    until: int | None
    overdue: bool | None
    nudges_since_progress: int
    without_progress_ms: int | None
    asking: bool
    verdict: str | None
    stuck_task: bool | None
    last_output: str | None
    last_nudge: int | None
    last_restart: int | None
    argv: list[str] | None
    cwd: str | None
    pid: int | None
    pid_started: str | None
    host: str | None


class LivenessView(msgspec.Struct, frozen=True):
    """The loops that work on a task.

    stopped: whether the session is stopped: all its loops are left alone.
    last_progress: when the task last made progress (a new best, a finding, an ok check), milliseconds since
        1970 UTC; null if it never did.
    loops: one row a loop, in the order they came up.
    """

    stopped: bool
    last_progress: int | None
    loops: list[LoopRow]


def _view(state: LivenessState, now: int | None) -> LivenessView:
    rows = [_row(state, name, loop, now) for name, loop in state.loops.items()]
    return LivenessView(state.halt.stopped is not None, state.last_progress, rows)


def _row(state: LivenessState, name: str, loop: Loop, now: int | None) -> LoopRow:
    signs = loop.signs
    seconds = signs.interval or loop.own.interval
    stopped = state.halt.stopped is not None or signs.stopped_in == state.resumes
    shown = "stopped" if stopped else signs.state if signs.beats else None
    until = None if stopped else signs.until
    nudges = loop.nudges if loop.progress_count == state.progress_count else 0
    asking = asks(signs.last_output)
    overdue = without_progress = word = None
    if now is not None:
        left_alone = is_left_alone(shown, until, now)
        paused_until = until if shown in LEFT_ALONE else None
        overdue = not left_alone and is_overdue(signs.last_seen, seconds, paused_until, now)
        without_progress = _without_progress(state, loop, now)
        word = verdict(
            state=shown,
            left_alone=left_alone,
            overdue=overdue,
            nudges=nudges,
            without_progress=without_progress or 0,
            asking=asking,
        )
    registration = loop.registration
    return LoopRow(
        loop=name,
        level=signs.level or loop.own.level,
        last_seen=signs.last_seen,
        interval=seconds,
        state=shown,
        until=until,
        overdue=overdue,
        nudges_since_progress=nudges,
        without_progress_ms=without_progress,
        asking=asking,
        verdict=word,
        stuck_task=None if without_progress is None else without_progress > STUCK_MS,
        last_output=signs.last_output,
        last_nudge=loop.last_nudge,
        last_restart=loop.last_restart,
        argv=list(registration.argv) if registration else None,
        cwd=registration.cwd if registration else None,
        pid=signs.pid,
        pid_started=signs.pid_started,
        host=signs.host,
    )


def _without_progress(state: LivenessState, loop: Loop, now: int) -> int | None:
    """For how long the task has made no progress while this loop was to make some, milliseconds.

    Pauses and stops are left out; dying and coming back begins nothing anew.
    """
    signs = loop.signs
    known = [moment for moment in (state.last_progress, signs.first_seen) if moment is not None]
    if not known or not signs.beats:
        return None
    progress = (state.progress_count, state.last_progress)
    away = rested(signs.rest, now, *progress) + rested(state.rest, now, *progress)
    return max(now - max(known) - away, 0)


liveness: Projection[LivenessState, LivenessView] = Projection(
    name="liveness",
    version=2,
    initial=LivenessState(),
    handlers=HANDLERS,
    shows=_view,
    view_type=LivenessView,
    timed=True,
)
"""Which loops live, wait, circle or are gone."""
