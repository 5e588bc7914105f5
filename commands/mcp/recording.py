"""The tools that record what an agent says: a proposal, a finding, a pivot, a sign of life."""

from __future__ import annotations

from commands.appending import told as told_appended
from commands.beat import beat_of
from commands.beat import told as told_beat
from commands.effects.recording import document, enter
from commands.given import words
from commands.mcp.arguments import (
    HeartbeatArguments,
    PivotArguments,
    ProposeArguments,
    RecordFindingArguments,
)
from commands.mcp.served import Answer, Work
from commands.pivot import enter_pivot
from commands.pivot import told as told_pivot
from commands.propose import document as proposal_document
from commands.propose import propose as enter_proposal
from commands.propose import told as told_proposal
from eventstore.events import Finding, Pivot, Proposal

__all__ = ["heartbeat", "pivot", "propose", "record_finding"]


def propose(work: Work, asked: ProposeArguments) -> Answer:
    """Records what the agent is about to try, as `ar propose` does."""
    proposal = Proposal(
        description=asked.description,
        hypothesis=asked.hypothesis,
        direction=asked.direction,
        asi=asked.asi,
    )
    proposed = enter_proposal(work.call(asked), proposal, asked.reason, work.served.author(asked.agent))
    return Answer(told_proposal(proposed), proposal_document(proposed))


def record_finding(work: Work, asked: RecordFindingArguments) -> Answer:
    """Records what was learned, as `ar finding` does."""
    for name, given in (("text", asked.text), ("evidence", asked.evidence), ("source", asked.source)):
        if given is not None:
            words(name, given)
    finding = Finding(
        text=asked.text, evidence=asked.evidence, source=asked.source, iteration=asked.iteration
    )
    appended = enter(work.call(asked), work.served.author(asked.agent), finding)
    return Answer(told_appended(appended), document(appended))


def pivot(work: Work, asked: PivotArguments) -> Answer:
    """Forces the search elsewhere, as `ar pivot` does."""
    wanted = Pivot(
        level="",
        reason=asked.reason,
        from_=asked.from_direction,
        to=asked.to,
        perturbation=asked.perturbation,
    )
    appended = enter_pivot(work.call(asked), asked.level, wanted, work.served.author(asked.agent))
    return Answer(told_pivot(appended), document(appended))


def heartbeat(work: Work, asked: HeartbeatArguments) -> Answer:
    """Says that the loop lives, as `ar beat` does; its process is the one that speaks to the server."""
    beat = beat_of(asked.state, asked.until, asked.last_output, pid=work.served.client)
    appended = enter(work.call(asked), work.served.author(asked.agent), beat)
    return Answer(told_beat(appended), document(appended))
