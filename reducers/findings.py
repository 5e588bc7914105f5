"""The `findings` view: what was learned, and which citations nobody has checked (design, section 4)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from eventstore.events import Finding, Verified
from eventstore.timestamps import epoch_ms
from reducers.core import Projection, handlers
from reducers.history import History
from reducers.rows import Rows
from reducers.table import Table

__all__ = ["Check", "FindingRow", "FindingsState", "FindingsView", "Noted", "Source", "findings"]


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

    number: from 1, in the order of the log. after: how many findings there were. ok: whether it held.
    """

    number: int = 0
    after: int = 0
    ok: bool = True


class Source(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a source that was cited.

    places: of the findings that cite it, from 0. check: the last one whose target it was.
    open: how many of the places no check has found in order, as of the check of all that had number `as_of`.
    """

    places: History[int] = History()
    check: Check = Check()
    open: int = 0
    as_of: int = 0


class FindingsState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `findings` view.

    noted: the findings. sources: what was cited. checks: how many checks of citations there were.
    of_all: the last that covered every citation.
    failed: the sources whose last check failed, after that.
    citations, open: how many findings cite a source, and how many of those no check has found in order.
    """

    noted: History[Noted] = History()
    sources: Table[Source] = Table()
    checks: int = 0
    of_all: Check = Check()
    failed: tuple[str, ...] = ()
    citations: int = 0
    open: int = 0


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
    findings: Sequence[FindingRow]


def _on_finding(state: FindingsState, event: Finding) -> FindingsState:
    noted = Noted(
        event.text, event.by, event.evidence, event.source, event.iteration, epoch_ms(event.timestamp)
    )
    state = replace(state, noted=state.noted.push(noted))
    if not event.source:
        return state
    source = _as_it_stands(state, event.source)
    source = replace(source, places=source.places.push(len(state.noted) - 1), open=source.open + 1)
    sources = state.sources.put(event.source, source)
    return replace(state, sources=sources, citations=state.citations + 1, open=state.open + 1)


def _as_it_stands(state: FindingsState, name: str) -> Source:
    """A source, the last check of all taken account of, which covered all that cited it then."""
    source = state.sources.get(name, Source())
    number = state.of_all.number
    return source if source.as_of == number else replace(source, open=0, as_of=number)


def _on_verified(state: FindingsState, event: Verified) -> FindingsState:
    if event.kind != "citation":
        return state
    check = Check(state.checks + 1, len(state.noted), event.ok)
    target = event.target
    if target and target in state.sources:
        source = _as_it_stands(state, target)
        left = 0 if event.ok else len(source.places)
        failed = tuple(name for name in state.failed if name != target)
        return replace(
            state,
            sources=state.sources.put(target, replace(source, check=check, open=left)),
            checks=check.number,
            failed=failed if event.ok else (*failed, target),
            open=state.open - source.open + left,
        )
    if event.ok:
        return replace(state, checks=check.number, of_all=check, failed=(), open=0)
    return state


def _row(state: FindingsState, place: int) -> FindingRow:
    noted = state.noted[place]
    return FindingRow(
        finding=place + 1,
        text=noted.text,
        evidence=noted.evidence,
        source=noted.source,
        citation=_citation(state, noted.source, place) if noted.source else None,
        iteration=noted.iteration,
        timestamp=noted.timestamp,
        by=noted.by,
    )


def _citation(state: FindingsState, source: str, place: int) -> str:
    """`unverified`, or how the last check that covers a finding ended."""
    covering = [c for c in (state.of_all, state.sources[source].check) if c.after > place]
    if not covering:
        return "unverified"
    return "ok" if max(covering, key=lambda check: check.number).ok else "failed"


def _touched(one: FindingsState, other: FindingsState) -> list[int]:
    """The places of the rows that a check may have come to between two states, or another finding.

    A check of all leaves those as they are which the one before covered, unless one of their source failed
    in between.
    """
    differing = one.sources.differing(other.sources)
    names = {name for name in differing if _check_of(one, name) != _check_of(other, name)}
    places = [*one.noted.may_differ(other.noted)]
    if one.of_all != other.of_all:
        names.update(one.failed, other.failed)
        places += range(*sorted((one.of_all.after, other.of_all.after)))
    for name in names:
        for state in (one, other):
            places += state.sources.get(name, Source()).places
    return places


def _check_of(state: FindingsState, name: str) -> Check:
    return state.sources.get(name, Source()).check


def _view(state: FindingsState, now: int | None) -> FindingsView:  # noqa: ARG001
    total = len(state.noted)
    return FindingsView(total, state.citations, state.open, Rows(state, total, _row, _touched))


findings: Projection[FindingsState, FindingsView] = Projection(
    name="findings",
    version=2,
    initial=FindingsState(),
    handlers=handlers(_on_finding, _on_verified),
    shows=_view,
    view_type=FindingsView,
)
"""What was learned, and how many citations are unverified."""
