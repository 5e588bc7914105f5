"""What a protocol iteration is numbered and counted from, and whether the last one was verified.

Not among the named views: `ar iteration` and `ar orchestrate` decide from it, under the log's lock.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from eventstore.events import Event, Finding, Iteration, Note, Verified
from reducers.core import Projection, fold
from reducers.stall import StallState, stall

__all__ = ["LIMITS_TARGET", "WORKER_FAILED", "Rounds", "rounds"]

WORKER_FAILED = "worker_failed"
"""The event of a note over a worker that did not end well, and the kind of the flag the second time."""

LIMITS_TARGET = "the limits of an iteration"
"""The target of a check by which an orchestrator refuses an iteration that exceeds them."""


class Rounds(msgspec.Struct, frozen=True, gc=False):
    """What an iteration is numbered and counted from.

    last: number of the last one; None before the first. verified: whether an ok check followed it.
    exceeded: what of the protocol's limits it exceeds, as the last check of them found; None if nothing.
    findings: how many were made since. failed: how many workers failed in a row since.
    stall: the `stall` view's state.
    """

    last: int | None = None
    verified: bool = False
    exceeded: str | None = None
    findings: int = 0
    failed: int = 0
    stall: StallState = stall.initial


def _on_stall(state: Rounds, event: Event) -> Rounds:
    return replace(state, stall=fold(stall, (event,), state.stall))


def _on_iteration(state: Rounds, event: Iteration) -> Rounds:
    return Rounds(event.iteration, stall=fold(stall, (event,), state.stall))


def _on_finding(state: Rounds, event: Finding) -> Rounds:  # noqa: ARG001
    return replace(state, findings=state.findings + 1)


def _on_note(state: Rounds, event: Note) -> Rounds:
    return replace(state, failed=state.failed + 1) if event.event == WORKER_FAILED else state


def _on_verified(state: Rounds, event: Verified) -> Rounds:
    if event.ok:
        return replace(state, verified=True, exceeded=None)
    return replace(state, exceeded=event.detail) if event.target == LIMITS_TARGET else state


rounds: Projection[Rounds, Rounds] = Projection(
    name="rounds",
    version=2,
    initial=Rounds(),
    handlers={
        **dict.fromkeys(stall.handlers, _on_stall),
        Iteration: _on_iteration,
        Finding: _on_finding,
        Verified: _on_verified,
        Note: _on_note,
    },
    shows=lambda state, _: state,
)
"""What an iteration is numbered and counted from."""
