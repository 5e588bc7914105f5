"""What became of the agent's turns that no run answered (design, sections 5 and 6.1).

A turn that ends in a run is on the log as that run. One that does not is on it as a note, whose `event` is
`NO_CHANGE`, `REFUSED` or `FAILED`. Not a view of its own: the loop decides from it.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from eventstore.events import Config, Flag, Iteration, Note, Proposal, Resumed, Run
from reducers.core import Projection, handlers

__all__ = ["FAILED", "NO_CHANGE", "REFUSED", "STALLED", "Turns", "turns"]

NO_CHANGE = "no_change"
"""A turn that changed nothing."""

REFUSED = "cycle_refused"
"""A turn that changed what is not the agent's to change, or more than it may: nothing of it was measured."""

FAILED = "agent_failed"
"""A turn that the agent did not end by itself and well."""

STALLED = "stalled"
"""The kind of the flag by which a loop asks for a person (the stall rule `human`)."""


class Turns(msgspec.Struct, frozen=True, gc=False):
    """Counts of turns in a row, each up to now; a run, a resumption and a new config begin them anew.

    no_change: turns that changed nothing; others in between count neither for nor against.
    refused: turns that were refused. failed: attempts that failed.
    flagged: whether a person was asked for since the last kept run; in a segment without runs, since the last
        iteration that found something.
    proposal: what was proposed since the last run or the last turn without one; None if nothing.
    runs: whether the segment has runs.
    """

    no_change: int = 0
    refused: int = 0
    failed: int = 0
    flagged: bool = False
    proposal: Proposal | None = None
    runs: bool = False


def _on_note(state: Turns, event: Note) -> Turns:
    if event.event == NO_CHANGE:
        return replace(state, no_change=state.no_change + 1, failed=0, proposal=None)
    if event.event == REFUSED:
        return replace(state, refused=state.refused + 1, failed=0, proposal=None)
    if event.event == FAILED:
        return replace(state, failed=state.failed + 1, proposal=None)
    return state


def _on_run(state: Turns, event: Run) -> Turns:
    return Turns(flagged=state.flagged and event.status != "keep", runs=True)


def _on_iteration(state: Turns, event: Iteration) -> Turns:
    if state.runs or not state.flagged or not event.findings:
        return state
    return replace(state, flagged=False)


def _on_proposal(state: Turns, event: Proposal) -> Turns:
    return replace(state, proposal=event)


def _on_flag(state: Turns, event: Flag) -> Turns:
    return replace(state, flagged=not event.cleared) if event.kind == STALLED else state


def _on_resumed(state: Turns, event: Resumed) -> Turns:  # noqa: ARG001
    return replace(state, no_change=0, refused=0, failed=0)


def _on_config(state: Turns, event: Config) -> Turns:  # noqa: ARG001
    return Turns()


turns: Projection[Turns, Turns] = Projection(
    name="turns",
    version=2,
    initial=Turns(),
    handlers=handlers(_on_note, _on_run, _on_iteration, _on_proposal, _on_flag, _on_resumed, _on_config),
    shows=lambda state, _: state,
    view_type=Turns,
)
"""What became of the agent's turns that no run answered."""
