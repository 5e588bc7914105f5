"""The metric of a run among the fields of a foreign object, under its many names."""

from __future__ import annotations

from typing import Any

import msgspec

from eventstore.formats.fields import Fields
from eventstore.formats.values import clean, is_nothing, number_of, plain_word, status_of
from eventstore.formats.words import AUXILIARY, NOT_METRICS, RUN_FIELDS

__all__ = ["Metric", "is_measurement", "metric_in"]

_TOTALS = ("total", "overall", "score", "value", "metric", "mean", "median")
_NAMELESS = frozenset(RUN_FIELDS["metric"]) - {"score", "loss", "objective", "fitness"}


class Metric(msgspec.Struct, frozen=True):
    """A run's metric. value: None if there is none. name: where the fields tell it.

    said: what stands in the metric's place if it is no number. others: further measurements found with it.
    """

    value: int | float | None = None
    name: str | None = None
    said: Any = None
    others: dict[str, Any] = {}


def metric_in(
    fields: Fields, metrics: dict[str, Any] | None, known: str | None, wanted: str | None = None
) -> Metric:
    """The metric among a run's fields and its secondary metrics; what it is made of is then used."""
    if wanted is not None and wanted != known:
        found = _named(fields, metrics, wanted)
        if found is not None or known is not None:
            value = number_of(fields.get("metric"))
            others = {} if value is None else {known or "metric": value}
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
    if known is None and (not fields.has("metric") or said is not None):
        return _discovered(fields, metrics, name, said)
    return Metric(None, name, said)


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
    rest = [
        key for key, raw in fields.rest().items() if type(raw) in (int, float) and number_of(raw) is not None
    ]
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
