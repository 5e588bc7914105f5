"""A run of another program, an object of JSON with the run's fields under many names, as a run of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from eventstore.events import Run
from eventstore.formats.fields import Fields
from eventstore.formats.measurements import Metric, is_measurement, metric_in
from eventstore.formats.values import (
    clean,
    is_nothing,
    moment_of,
    number_of,
    text_of,
    whole_of,
)
from eventstore.formats.verdicts import Verdict, keep_word, verdict_in
from eventstore.formats.words import RUN_FIELDS
from eventstore.roles import is_author, may, role_of

__all__ = ["FoundRun", "NoRun", "run_in"]

NESTS = ("details", "run", "result", "data", "payload", "experiment", "entry", "record")
"""Names of fields that may hold the whole run."""


class FoundRun(msgspec.Struct, frozen=True):
    """A run that was found, its `run` left at 1.

    number: the one that the source gives it. metric: the name of its metric, where the line tells one.
    judged: whether it has a verdict that we know; one without is never a keep.
    verdict: the word it uses, if we do not know it.
    """

    run: Run
    number: int | None = None
    metric: str | None = None
    judged: bool = True
    verdict: str | None = None


class NoRun(msgspec.Struct, frozen=True):
    """Why an object is no run, or none yet."""

    reason: str


def run_in(
    source: Mapping[str, Any],
    *,
    metric: str | None,
    words: Mapping[str, str] = {},
    status: str | None = None,
    wanted: str | None = None,
) -> FoundRun | NoRun:
    """The run that an object is, or why it is none.

    metric: the metric's name as known so far, or None. status: that of a run without a verdict.
    wanted: the name of another field or secondary metric that is to be taken for the metric.
    """
    fields = Fields(_flat(source))
    verdict = verdict_in(fields, words)
    if verdict.unfinished and status is None:
        return NoRun(f"no verdict yet ({text_of(verdict.said).strip()[:40]})")
    if verdict.name is not None:
        fields.use(verdict.name)
    has_run = type(source.get("run")) in (int, float)
    numbered = fields.first(RUN_FIELDS["number"], whole_of)
    commit = fields.first(RUN_FIELDS["commit"], lambda v: v if isinstance(v, str) else None)
    timed = fields.first(RUN_FIELDS["timestamp"], moment_of)
    asi = _asi(fields.use("asi"))
    metrics = fields.use("metrics")
    given = {str(k): clean(v) for k, v in metrics.items()} if isinstance(metrics, dict) else None
    said = _exactly(fields, "description")
    measured = metric_in(fields, given, metric, wanted)
    description = fields.text(RUN_FIELDS["description"]) if said is None else said
    if not has_run and not _is_run(verdict, numbered, measured, description, commit):
        return NoRun(_why_none(source))
    seconds = fields.first(RUN_FIELDS["seconds"], number_of)
    milliseconds = fields.first(RUN_FIELDS["milliseconds"], number_of) if seconds is None else None
    confidence = number_of(fields.use("confidence"))
    tokens = number_of(fields.use("iterationTokens"))
    reason, pursued = _exactly(fields, "reason"), _exactly(fields, "direction")
    by = fields.get("by")
    signed = (
        {"by": fields.use("by")} if isinstance(by, str) and is_author(by) and may(role_of(by), "run") else {}
    )
    claimed = fields.use("segment")
    fields.use("type")
    others = dict(given or {}) | measured.others
    _sort_rest(fields.rest(), others if given is None else None, asi)
    _note_words(asi, verdict, measured, commit)
    if isinstance(claimed, int) and not isinstance(claimed, bool):
        asi["segment"] = clean(claimed)
    run = Run(
        run=1,
        commit=commit[1] if commit and not is_nothing(commit[1]) else None,
        metric=measured.value,
        metrics=others,
        status=verdict.status or status or "discard",
        description=clean(description or ""),
        confidence=confidence,
        asi=asi,
        reason=clean(reason),
        direction=clean(pursued),
        duration_seconds=seconds[1] if seconds else milliseconds[1] / 1000 if milliseconds else None,
        iterationTokens=tokens,
        timestamp=timed[1] if timed else None,
        **signed,
    )
    known = verdict.status is not None or status is not None
    return FoundRun(
        run, numbered[1] if numbered else None, measured.name, known, None if known else _said(verdict)
    )


def _exactly(fields: Fields, name: str) -> str | None:
    """A field's text, as it is."""
    return fields.use(name) if isinstance(fields.get(name), str) else None


def _said(verdict: Verdict) -> str | None:
    return text_of(verdict.said).strip()[:40] if verdict.said is not None else None


def _flat(source: Mapping[str, Any]) -> dict[str, Any]:
    """The object, the fields of an inner one that holds the run laid over its own."""
    for name in NESTS:
        inner = source.get(name)
        if isinstance(inner, dict) and inner:
            outer = {key: value for key, value in source.items() if key != name}
            clash = {
                f"outer_{key}": value for key, value in outer.items() if key in inner and value != inner[key]
            }
            return {**{k: v for k, v in outer.items() if k not in inner}, **inner, **clash}
    return dict(source)


def _asi(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return clean(value)  # type: ignore[no-any-return]
    return {} if value is None else {"note": clean(value)}


def _is_run(
    verdict: Verdict, numbered: object, measured: Metric, description: object, commit: object
) -> bool:
    if verdict.status is not None and verdict.strong:
        return any(part is not None for part in (numbered, measured.value, description, commit))
    return measured.value is not None and (numbered is not None or verdict.name is not None)


def _why_none(source: Mapping[str, Any]) -> str:
    kind = source.get("type")
    told = f" ({text_of(kind)[:40]})" if kind is not None else ""
    return f"no run, config or hook{told}"


def _sort_rest(rest: dict[str, Any], metrics: dict[str, Any] | None, asi: dict[str, Any]) -> None:
    """What is left of a run's fields: measurements go to the metrics where the run has none of its own."""
    for key, value in rest.items():
        if metrics is not None and type(value) in (int, float) and is_measurement(key):
            number = number_of(value)
            if number is not None and key not in metrics:
                metrics[key] = number
                continue
        kept = clean(value)
        if key in asi and asi[key] != kept:
            asi[f"line_{key}"] = kept
        else:
            asi[key] = kept


def _note_words(
    asi: dict[str, Any], verdict: Verdict, measured: Metric, commit: tuple[str, Any] | None
) -> None:
    """What our fields have no room for: a verdict's own words, a metric or a commit that is none."""
    if verdict.name is not None and keep_word(verdict.said):
        asi.setdefault(verdict.name, clean(verdict.said))
    if measured.value is None and measured.said is not None and not is_nothing(measured.said):
        asi.setdefault("metric", clean(measured.said))
    if commit is not None and commit[1].strip().lower() in ("pending", "tbd"):
        asi.setdefault(commit[0], commit[1])
