"""The `findings` view: what was learned, and which citations nobody has checked (design, section 4)."""

from __future__ import annotations

import msgspec

from eventstore.events import Finding, Verified
from eventstore.timestamps import epoch_ms
from reducers.core import Projection, handlers
from reducers.history import History

__all__ = ["Check", "FindingRow", "FindingsState", "FindingsView", "Noted", "findings"]


class Noted(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A finding as recorded.

    text, evidence, source, iteration: the event's. timestamp: milliseconds since 1970 UTC. by: who found it.
    """

    text: str
    by: str
    evidence: str | None = None
    source: str | None = None
    iteration: int | None = None
    timestamp: int | None = None


class Check(msgspec.Struct, frozen=True, gc=False):
    """A check of citations.

    after: how many findings there were. target: what was checked. ok: whether it held.
    """

    after: int
    target: str | None
    ok: bool


class FindingsState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `findings` view: the findings, and the checks of citations."""

    noted: History[Noted] = History()
    checks: History[Check] = History()


class FindingRow(msgspec.Struct, frozen=True):
    """A finding.

    finding: its ordinal in the log, from 1.
    text: what was learned.
    evidence: what shows it.
    source: where it is cited from; null if it is no citation.
    citation: `unverified`, `ok` or `failed`: how the last check that covers it ended; null if it is no
        citation.
    iteration: the protocol iteration it came from.
    timestamp: when it was recorded, milliseconds since 1970 UTC; null where the line tells none.
    by: who recorded it.
    """

    finding: int
    text: str
    evidence: str | None
    source: str | None
    citation: str | None
    iteration: int | None
    timestamp: int | None
    by: str


class FindingsView(msgspec.Struct, frozen=True):
    """What was learned.

    total: how many findings there are.
    citations: how many of them cite a source.
    citations_unverified: how many of those no check has found in order.
    findings: one row a finding, in the order of the log.

    A `verified` event of kind `citation` whose target is a source covers the findings before it that cite
    that source. An ok one with any other target, or none, covers every citation before it; one that failed
    covers none.
    """

    total: int
    citations: int
    citations_unverified: int
    findings: list[FindingRow]


def _on_finding(state: FindingsState, event: Finding) -> FindingsState:
    noted = Noted(
        event.text, event.by, event.evidence, event.source, event.iteration, epoch_ms(event.timestamp)
    )
    return FindingsState(state.noted.push(noted), state.checks)


def _on_verified(state: FindingsState, event: Verified) -> FindingsState:
    if event.kind != "citation":
        return state
    return FindingsState(state.noted, state.checks.push(Check(len(state.noted), event.target, event.ok)))


def _citations(state: FindingsState) -> list[str | None]:
    """Per finding: `unverified`, or how the last check that covers it ended; None for what is no citation."""
    first: dict[str | None, int] = {}
    for index, noted in enumerate(state.noted):
        first.setdefault(noted.source, index)
    of_source: dict[str, tuple[int, Check]] = {}
    of_all: tuple[int, Check] = (-1, Check(0, None, True))
    for order, check in enumerate(state.checks):
        if check.target and first.get(check.target, check.after) < check.after:
            of_source[check.target] = order, check
        elif check.ok:
            of_all = order, check
    return [
        _citation(index, of_all, of_source.get(noted.source, of_all)) if noted.source else None
        for index, noted in enumerate(state.noted)
    ]


def _citation(index: int, *checks: tuple[int, Check]) -> str:
    covering = [(order, check.ok) for order, check in checks if check.after > index]
    return "unverified" if not covering else "ok" if max(covering)[1] else "failed"


def _view(state: FindingsState, now: int | None) -> FindingsView:  # noqa: ARG001
    rows = [
        FindingRow(
            finding=number,
            text=noted.text,
            evidence=noted.evidence,
            source=noted.source,
            citation=citation,
            iteration=noted.iteration,
            timestamp=noted.timestamp,
            by=noted.by,
        )
        for number, (noted, citation) in enumerate(zip(state.noted, _citations(state), strict=True), 1)
    ]
    cited = [row.citation for row in rows if row.citation is not None]
    return FindingsView(len(rows), len(cited), sum(citation != "ok" for citation in cited), rows)


findings: Projection[FindingsState, FindingsView] = Projection(
    name="findings",
    version=1,
    initial=FindingsState(),
    handlers=handlers(_on_finding, _on_verified),
    shows=_view,
    view_type=FindingsView,
)
"""What was learned, and how many citations are unverified."""
