"""The `cycle` view: whether a measured cycle is open, and what would finish it (design, section 6.1)."""

from __future__ import annotations

import msgspec

from eventstore.events import Committed, Config, Measured, Reverted, Run, Started
from eventstore.timestamps import epoch_ms
from reducers.core import Projection, handlers

__all__ = ["CycleState", "CycleView", "OpenCycle", "cycle", "judges"]

_REMAINING: dict[str, tuple[tuple[str, ...], str]] = {
    "started": (
        ("commit", "measure", "judge"),
        "commit the change unless git has it already, measure it, judge it, roll it back if it is not kept",
    ),
    "committed": (("measure", "judge"), "measure the commit, judge it, roll it back if it is not kept"),
    "measured": (("judge",), "judge the measurement, roll the commit back if it is not kept"),
    "judged": (("revert",), "roll the commit back and check that it is gone"),
    "revert_failed": (
        ("repair",),
        "the rollback failed or could not be checked: a person must see to the working tree",
    ),
}
"""Per phase, the steps that are left, in order, and the same in words."""


class OpenCycle(msgspec.Struct, frozen=True, gc=False):
    """A cycle that is not finished; its fields are those of the view."""

    cycle: int | None = None
    phase: str | None = None
    parent: str | None = None
    commit: str | None = None
    files: tuple[str, ...] = ()
    run: int | None = None
    status: str | None = None
    median: int | float | None = None
    detail: str | None = None
    pid: int | None = None
    pid_started: str | None = None
    since: int | None = None


class CycleState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `cycle` view.

    run_count: runs of the log. open: the cycle that is not finished. last_cycle: as in the view.
    """

    run_count: int = 0
    open: OpenCycle | None = None
    last_cycle: int | None = None


class CycleView(msgspec.Struct, frozen=True):
    """The open cycle; when none is, the lists are empty and all but `last_cycle` is null.

    cycle: its number in the segment; 0 is the baseline.
    phase: the last step on the log: `started`, `committed`, `measured`, `judged` (and not kept, so that its
        change must go) or `revert_failed`.
    remaining: the steps that are left, in order: `commit`, `measure`, `judge`, `revert`, `repair`. A cycle
        that is still to be judged needs a `revert` as well if it is not kept.
    finish: the same in words.
    parent: the commit it started from.
    commit: the commit of its change; null while the log knows none (git may have it all the same).
    files: the changed paths.
    run: ordinal of its run among all runs of the log.
    status: how it was judged.
    median: what was measured; null also where measuring failed.
    detail: what a failed rollback found, in words.
    pid: the process that runs it, or ran it.
    pid_started: an opaque stamp that tells a reused pid apart.
    since: when it started, milliseconds since 1970 UTC; null where the line tells none.
    last_cycle: number of the current segment's last cycle, open or not; null if it has none.
    """

    cycle: int | None
    phase: str | None
    remaining: list[str]
    finish: str | None
    parent: str | None
    commit: str | None
    files: list[str]
    run: int | None
    status: str | None
    median: int | float | None
    detail: str | None
    pid: int | None
    pid_started: str | None
    since: int | None
    last_cycle: int | None


def _on_config(state: CycleState, event: Config) -> CycleState:  # noqa: ARG001
    """A new segment counts its cycles anew; an open cycle stays open, since its change is still there."""
    return msgspec.structs.replace(state, last_cycle=None) if state.run_count else state


def _on_started(state: CycleState, event: Started) -> CycleState:
    opened = OpenCycle(
        event.cycle,
        "started",
        parent=event.parent,
        files=event.files,
        pid=event.pid,
        pid_started=event.pid_started,
        since=epoch_ms(event.timestamp),
    )
    return CycleState(state.run_count, opened, event.cycle)


def _the_open(state: CycleState, event: Committed | Measured | Reverted) -> OpenCycle:
    """The cycle this event belongs to; a new one where the line that started it is missing."""
    if state.open is not None and state.open.cycle == event.cycle:
        return state.open
    return OpenCycle(event.cycle, "started", since=epoch_ms(event.timestamp))


def _on_committed(state: CycleState, event: Committed) -> CycleState:
    before = _the_open(state, event)
    opened = msgspec.structs.replace(
        before,
        phase="committed",
        commit=event.commit,
        parent=event.parent or before.parent,
        files=event.files or before.files,
    )
    return CycleState(state.run_count, opened, event.cycle)


def _on_measured(state: CycleState, event: Measured) -> CycleState:
    before = _the_open(state, event)
    opened = msgspec.structs.replace(
        before, phase="measured", commit=event.commit or before.commit, median=event.median
    )
    return CycleState(state.run_count, opened, event.cycle)


def _on_run(state: CycleState, event: Run) -> CycleState:
    ordinal, opened = state.run_count + 1, state.open
    if opened is not None and judges(event, opened):
        if event.status == "keep" or opened.commit is None or opened.cycle == 0:
            opened = None
        else:
            opened = msgspec.structs.replace(opened, phase="judged", run=ordinal, status=event.status)
    return CycleState(ordinal, opened, state.last_cycle)


def judges(run: Run, opened: OpenCycle) -> bool:
    """Whether a run is the open cycle's: it says nothing of its commit, or names it, abbreviated or not.

    Another program's run may come in between; it does not judge our cycle.
    """
    if opened.phase in ("judged", "revert_failed"):
        return False
    ours, its = opened.commit, run.commit
    return not ours or not its or ours.startswith(its) or its.startswith(ours)


def _on_reverted(state: CycleState, event: Reverted) -> CycleState:
    if event.verified:
        closes = state.open is not None and state.open.cycle == event.cycle
        return CycleState(state.run_count, None, state.last_cycle) if closes else state
    opened = msgspec.structs.replace(_the_open(state, event), phase="revert_failed", detail=event.detail)
    return CycleState(state.run_count, opened, state.last_cycle)


def _view(state: CycleState, now: int | None) -> CycleView:  # noqa: ARG001
    opened = state.open or OpenCycle()
    remaining, finish = _REMAINING[opened.phase] if opened.phase else ((), None)
    return CycleView(
        cycle=opened.cycle,
        phase=opened.phase,
        remaining=list(remaining),
        finish=finish,
        parent=opened.parent,
        commit=opened.commit,
        files=list(opened.files),
        run=opened.run,
        status=opened.status,
        median=opened.median,
        detail=opened.detail,
        pid=opened.pid,
        pid_started=opened.pid_started,
        since=opened.since,
        last_cycle=state.last_cycle,
    )


cycle: Projection[CycleState, CycleView] = Projection(
    name="cycle",
    version=1,
    initial=CycleState(),
    handlers=handlers(_on_config, _on_started, _on_committed, _on_measured, _on_run, _on_reverted),
    shows=_view,
    view_type=CycleView,
)
"""The open cycle, and what would finish it."""
