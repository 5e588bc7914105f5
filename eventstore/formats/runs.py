"""A run of another program, an object of JSON with the run's fields under many names, as a run of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from eventstore.events import Run
from eventstore.formats.fields import Fields
from eventstore.formats.values import (
    clean,
    is_nothing,
    is_unfinished,
    moment_of,
    number_of,
    plain_word,
    status_of,
    text_of,
    whole_of,
)
from eventstore.formats.words import AUXILIARY, NOT_METRICS, RUN_FIELDS, STATUS_FIELDS

__all__ = ["FoundRun", "Metric", "NoRun", "Verdict", "is_measurement", "keep_word", "run_in", "verdict_in"]

NESTS = ("details", "run", "result", "data", "payload", "experiment", "entry", "record")
"""Names of fields that may hold the whole run."""

_TOTALS = ("total", "overall", "score", "value", "metric", "mean", "median")
_NAMELESS = frozenset(RUN_FIELDS["metric"]) - {"score", "loss", "objective", "fitness"}
_UNKNOWN_IN = 4  # of the verdict's fields, those in which a word that we do not know is still a verdict
_PLAIN = frozenset(("keep", "kept", "discard", "discarded", "crash", "crashed", "checks_failed"))


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


class Verdict(msgspec.Struct, frozen=True):
    """What a run's fields say of its status.

    status: ours, or None. name: the field that says it. said: in what words. strong: whether in a word that
    says nothing else. unfinished: whether it says that there is no verdict yet.
    """

    status: str | None = None
    name: str | None = None
    said: Any = None
    strong: bool = False
    unfinished: bool = False


class Metric(msgspec.Struct, frozen=True):
    """A run's metric. value: None if there is none. name: where the fields tell it.

    said: what stands in the metric's place if it is no number. others: further measurements found with it.
    """

    value: int | float | None = None
    name: str | None = None
    said: Any = None
    others: dict[str, Any] = {}


def verdict_in(fields: Fields, words: Mapping[str, str]) -> Verdict:
    """The verdict among a run's fields: a word that is one, else one that may be, else none."""
    for strong in (True, False):
        for name in STATUS_FIELDS:
            value = fields.get(name)
            status = status_of(value, words, only_strong=strong)
            if status is not None:
                return Verdict(status, fields.key_of(name), value, strong)
    for name in STATUS_FIELDS[:_UNKNOWN_IN]:
        value = fields.get(name)
        if isinstance(value, str) and (is_unfinished(value) or not is_nothing(value)):
            return Verdict(None, fields.key_of(name), value, False, is_unfinished(value))
    return Verdict()


def keep_word(said: object) -> bool:
    """Whether a verdict says more than the status that it stands for."""
    return isinstance(said, str) and plain_word(said) not in _PLAIN


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
    measured = metric_in(fields, given, metric, wanted)
    description = fields.text(RUN_FIELDS["description"])
    if not has_run and not _is_run(verdict, numbered, measured, description, commit):
        return NoRun(_why_none(source))
    seconds = fields.first(RUN_FIELDS["seconds"], number_of)
    milliseconds = fields.first(RUN_FIELDS["milliseconds"], number_of) if seconds is None else None
    confidence = number_of(fields.use("confidence"))
    tokens = number_of(fields.use("iterationTokens"))
    reason, pursued = fields.text(("reason",)), fields.text(("direction",))
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
    )
    known = verdict.status is not None or status is not None
    return FoundRun(
        run, numbered[1] if numbered else None, measured.name, known, None if known else _said(verdict)
    )


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


def metric_in(
    fields: Fields, metrics: dict[str, Any] | None, known: str | None, wanted: str | None = None
) -> Metric:
    """The metric among a run's fields and its secondary metrics; what it is made of is then used."""
    if wanted is not None and (found := _named(fields, metrics, wanted)) is not None:
        instead = fields.get("metric")
        value = number_of(instead)
        others = {known or "metric": value} if value is not None and known != wanted else {}
        if others:
            fields.use("metric")
        return Metric(found, wanted, None, others)
    said = fields.get("metric")
    name = known
    if (value := number_of(said)) is not None:
        fields.use("metric")
        return Metric(value)
    if isinstance(said, dict):
        fields.use("metric")
        return _from_object(said, known)
    if isinstance(said, str) and not is_nothing(said) and status_of(said) is None:
        name = fields.use("metric").strip()
    elif said is not None:
        fields.use("metric")
    if name is not None and (value := _named(fields, metrics, name)) is not None:
        return Metric(value, name)
    for alias in RUN_FIELDS["metric"][1:]:
        held = fields.get(alias)
        if (value := number_of(held)) is not None:
            fields.use(alias)
            plain = plain_word(alias)
            return Metric(value, name or (None if plain in _NAMELESS else plain))
        if isinstance(held, dict) and alias != "result":
            fields.use(alias)
            return _from_object(held, name)
    return _discovered(fields, metrics, name, said) if known is None else Metric(None, name, said)


def _named(fields: Fields, metrics: dict[str, Any] | None, name: str) -> int | float | None:
    """The value of a field, or else of a secondary metric, of that name."""
    value = number_of(fields.get(name))
    if value is not None:
        fields.use(name)
        return value
    return number_of((metrics or {}).get(name))


def _from_object(held: dict[str, Any], name: str | None) -> Metric:
    """The metric in an object: `{"name": …, "value": …}`, or values by name."""
    if isinstance(held.get("name"), str) and (value := number_of(held.get("value"))) is not None:
        return Metric(value, held["name"])
    numbers = {str(key): number for key, value in held.items() if (number := number_of(value)) is not None}
    if not numbers:
        return Metric(None, name, clean(held))
    chosen = next((key for key in (name, *_TOTALS) if key in numbers), next(iter(numbers)))
    others = {key: value for key, value in numbers.items() if key != chosen}
    return Metric(numbers[chosen or ""], name or chosen, None, others)


def _discovered(fields: Fields, metrics: dict[str, Any] | None, name: str | None, said: Any) -> Metric:
    """The metric of a run that names none: a field like `metric_eou_ms`, else the first measurement."""
    rest = {key: value for key, raw in fields.rest().items() if (value := number_of(raw)) is not None}
    for key in rest:
        if plain_word(key).startswith("metric_"):
            return Metric(number_of(fields.use(key)), name or key)
    for key, raw in (metrics or {}).items():
        if (value := number_of(raw)) is not None:
            return Metric(value, name or key)
    for key in rest:
        if is_measurement(key) and key != "iterationTokens":
            return Metric(number_of(fields.use(key)), name or key)
    return Metric(None, name, said)


def is_measurement(name: str) -> bool:
    """Whether a number of that name is likely a measurement: no count, difference or earlier value."""
    word = plain_word(name)
    names = RUN_FIELDS["seconds"] + RUN_FIELDS["milliseconds"]
    ends = ("_before", "_delta", "_prev", "_previous", "_baseline")
    return (
        word not in AUXILIARY
        and word not in names
        and not word.startswith(NOT_METRICS)
        and not word.endswith(ends)
    )


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
