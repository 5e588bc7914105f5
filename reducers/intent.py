"""What the run to come is about: the proposal that no run has answered yet (design, section 6.1).

Not a view of its own: the measured cycle takes its words from it.
"""

from __future__ import annotations

import msgspec

from eventstore.events import Proposal, Run
from reducers.core import Projection, handlers

__all__ = ["Intent", "intent"]


class Intent(msgspec.Struct, frozen=True, gc=False):
    """proposal: the last one since the last run; None if there is none."""

    proposal: Proposal | None = None


def _on_proposal(state: Intent, event: Proposal) -> Intent:  # noqa: ARG001
    return Intent(event)


def _on_run(state: Intent, event: Run) -> Intent:  # noqa: ARG001
    return state if state.proposal is None else Intent()


intent: Projection[Intent, Intent] = Projection(
    name="intent",
    version=1,
    initial=Intent(),
    handlers=handlers(_on_proposal, _on_run),
    shows=lambda state, _: state,
    view_type=Intent,
)
"""The proposal that no run has answered yet."""
