"""The events that record what a measurement came to. Pure (design, section 6.1)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from commands.bearings import Standing
from eventstore.events import Event, Flag, Measured, Proposal, Run, Stopped
from reducers.core import fold
from reducers.policies.verdict import HARNESS, reason_of, verdict_on
from reducers.session import session

__all__ = ["HARNESS", "decide_run", "reason_of", "verdict_on", "without_measurement"]


def decide_run(state: Standing, measured: Measured) -> list[Event]:
    """The events that record the run of a measurement: its verdict, numbered.

    Where what measures has changed, a flag and the stop of the session come with it, so that no kill can
    come between them.
    """
    view = session.view(state.session)
    verdict = verdict_on(measured, view.direction or "lower", view.best_metric, view.baseline_metric)
    run = _run(
        state,
        measured.cycle,
        commit=measured.commit[:7] if measured.commit else None,
        metric=measured.median,
        metrics=measured.metrics,
        status=verdict.status,
        reason=verdict.reason,
        duration_seconds=None if measured.duration_ms is None else measured.duration_ms / 1000,
    )
    if reason_of(measured) != HARNESS:
        return [run]
    detail = (measured.error or "").partition(": ")[2]
    return [run, Flag(kind=HARNESS, detail=detail), Stopped(reason=HARNESS, detail=detail)]


def without_measurement(state: Standing, cycle: int, reason: str) -> list[Event]:
    """The events that record the run of a cycle whose change could not even be committed."""
    return [_run(state, cycle, status="crash", reason=reason)]


def _run(state: Standing, cycle: int, **fields: Any) -> Run:
    """The next run, in the words of the proposal that it answers, with the confidence as it then is."""
    view = session.view(state.session)
    proposal = state.intent.proposal
    told = "baseline" if cycle == 0 else f"cycle {cycle}"
    run = Run(
        run=view.run_count + 1,
        description=proposal.description if proposal and cycle else told,
        segment=view.segment,
        asi=_asi(proposal) if cycle else {},
        direction=proposal.direction if proposal and cycle else None,
        **fields,
    )
    after = session.view(fold(session, (run,), state.session))
    return replace(run, confidence=after.confidence)


def _asi(proposal: Proposal | None) -> dict[str, Any]:
    """What the run tells its successors: the proposal's own, its hypothesis among it."""
    if proposal is None:
        return {}
    return {**({"hypothesis": proposal.hypothesis} if proposal.hypothesis else {}), **proposal.asi}
