"""Whether a session's gain is real, as far as its own numbers tell. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from reducers.policies.audited import WARNING, Finding, LogAudit
from reducers.policies.metric import change_percent, is_better
from reducers.session import session
from reducers.wording import number

__all__ = ["AuditedGain", "gain_findings", "gain_of"]


class AuditedGain(msgspec.Struct, frozen=True):
    """The current segment's gain, recomputed.

    metric_name, metric_unit, direction: of the metric; None in a task without one. baseline, best: the
    values, with the ordinals of their runs; None where there is none. change_pct: from the one to the other,
    in per cent of |baseline|, signed. confidence: see the design, section 5. measured: whether both were
    measured by cycles, with their samples on record. overlap: whether the samples of the best reach as far as
    those of the baseline; None where that cannot be told, as with one sample each.
    """

    metric_name: str | None
    metric_unit: str | None
    direction: str | None
    baseline: int | float | None
    baseline_run: int | None
    best: int | float | None
    best_run: int | None
    change_pct: float | None
    confidence: float | None
    measured: bool
    overlap: bool | None


def gain_of(audit: LogAudit) -> AuditedGain:
    """The gain of an audited log's current segment."""
    view = session.view(audit.session)
    first, last = (audit.samples.get(run or 0, ()) for run in (view.baseline_run, view.best_run))
    told = view.best_run != view.baseline_run and min(len(first), len(last)) > 1
    return AuditedGain(
        metric_name=view.metric_name,
        metric_unit=view.metric_unit,
        direction=view.direction,
        baseline=view.baseline_metric,
        baseline_run=view.baseline_run,
        best=view.best_metric,
        best_run=view.best_run,
        change_pct=change_percent(view.best_metric, view.baseline_metric),
        confidence=view.confidence,
        measured=bool(first) and bool(last),
        overlap=_overlap(first, last, view.direction) if told else None,
    )


def _overlap(baseline: Sequence[float], best: Sequence[float], direction: str | None) -> bool:
    """Whether the worst sample of the best is no better than the best one of the baseline."""
    if direction == "higher":
        return not is_better(min(best), max(baseline), direction)
    return not is_better(max(best), min(baseline), direction)


def gain_findings(gain: AuditedGain, audit: LogAudit) -> Iterator[Finding]:
    """What speaks against a gain: noise, samples that overlap, a best that nobody but its author measured."""
    if gain.best_run is None or gain.best_run == gain.baseline_run:
        return
    if gain.confidence is not None and gain.confidence < 1:
        what = f"the gain is within noise: confidence {number(round(gain.confidence, 1))}"
        yield Finding(WARNING, "gain", "noise", 0, what)
    if gain.overlap:
        what = f"samples of run {gain.best_run} are no better than some of run {gain.baseline_run}"
        yield Finding(WARNING, "gain", "overlap", 0, what)
    if not gain.measured and audit.segments[-1].measures:
        what = f"the gain from run {gain.baseline_run} to run {gain.best_run} is not one of measured cycles"
        yield Finding(WARNING, "gain", "unmeasured", 0, what)
