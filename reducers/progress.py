"""The `progress` view: what the long-horizon protocol keeps in its `progress.json` (design, section 4)."""

from __future__ import annotations

import msgspec

from eventstore.events import Event, Finding, Iteration, Status
from reducers.core import Projection, fold
from reducers.stall import StallState, stall

__all__ = ["ProgressState", "ProgressView", "progress"]


class ProgressState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `progress` view.

    stall: the `stall` view's state. iteration, total_findings, status: as the view has them.
    """

    stall: StallState = StallState()
    iteration: int = 0
    total_findings: int = 0
    status: str | None = None


class ProgressView(msgspec.Struct, frozen=True):
    """How far a task has come.

    iteration: number of the last protocol iteration; 0 if there was none.
    total_findings: how many findings were recorded.
    status: what the task's status was last said to be; null if nobody said.
    stale_count: as in the `stall` view.
    """

    iteration: int
    total_findings: int
    status: str | None
    stale_count: int


def _on_stall(state: ProgressState, event: Event) -> ProgressState:
    after = fold(stall, (event,), state.stall)
    return state if after is state.stall else msgspec.structs.replace(state, stall=after)


def _on_iteration(state: ProgressState, event: Iteration) -> ProgressState:
    return msgspec.structs.replace(_on_stall(state, event), iteration=event.iteration)


def _on_finding(state: ProgressState, event: Finding) -> ProgressState:  # noqa: ARG001
    return msgspec.structs.replace(state, total_findings=state.total_findings + 1)


def _on_status(state: ProgressState, event: Status) -> ProgressState:
    return msgspec.structs.replace(state, status=event.status)


def _view(state: ProgressState, now: int | None) -> ProgressView:  # noqa: ARG001
    return ProgressView(state.iteration, state.total_findings, state.status, state.stall.stale_count)


progress: Projection[ProgressState, ProgressView] = Projection(
    name="progress",
    version=1,
    initial=ProgressState(),
    handlers={
        **dict.fromkeys(stall.handlers, _on_stall),
        Iteration: _on_iteration,
        Finding: _on_finding,
        Status: _on_status,
    },
    shows=_view,
    view_type=ProgressView,
)
"""How far a task has come: iteration, findings, status, stale count."""
