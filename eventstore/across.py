"""Rules over several fields, and over what lies inside one (design, sections 2.2, 3 and 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any

from eventstore.errors import InvalidEventError
from eventstore.events import ENVELOPE, Config, Custom, Event, Settings
from eventstore.values import shown

__all__ = [
    "ACROSS",
    "COUNTS",
    "LARGEST_LIMIT",
    "LIMITS",
    "MAX_TYPE",
    "THRESHOLDS",
    "TIMEOUTS",
    "check_type",
    "nearest",
]

COUNTS = ("max_cycles", "max_iterations", "discards", "failures", "no_change")
"""The limits that are whole numbers."""

LIMITS = (
    "max_cycles",
    "time_limit_minutes",
    "target",
    "max_iterations",
    "discards",
    "failures",
    "no_change",
)
"""What `limits` of `settings` may set."""

LARGEST_LIMIT = 1_000_000_000
"""The largest limit but for a target: a larger one would be none in effect."""

THRESHOLDS = ("structure", "inject", "human")
"""What `thresholds` of `settings` may set."""

TIMEOUTS = ("sample", "constraint", "hook", "agent")
"""What `timeouts` of `settings` may set."""

MAX_TYPE = 100
"""Length of the longest type of a user's own event, in characters."""


def nearest(name: object, names: Iterable[str]) -> str | None:
    """The name that was probably meant, or None."""
    from difflib import get_close_matches

    if not isinstance(name, str):
        return None
    lower = {known.lower(): known for known in names}
    found = get_close_matches(name[:100].lower(), lower, 1)
    return lower[found[0]] if found else None


def check_type(kind: str) -> None:
    """Raises InvalidEventError for what cannot be the type of a user's own event."""
    if not (2 < len(kind) <= MAX_TYPE and kind.startswith("x.") and kind.isprintable() and " " not in kind):
        raise InvalidEventError(
            f"type: {shown(kind)} is not x. and a name of at most {MAX_TYPE - 2} characters without spaces",
            "name it like x.deploy",
        )


def _custom(event: Any) -> None:
    check_type(event.type)
    for name in ("type", *ENVELOPE):
        if name in event.fields:
            raise InvalidEventError(f"{event.type}: {name} belongs to the envelope", f"rename {name}")
    if type(event.fields.get("run")) in (int, float):
        raise InvalidEventError(
            f"{event.type}.run: only a run has a numeric run, by which other programs know it",
            "give it as text, or rename it",
        )


def _config(event: Any) -> None:
    if event.metricName is not None and event.bestDirection is None:
        raise InvalidEventError(
            f"config.bestDirection: missing; it says which way {shown(event.metricName)} is better",
            "give bestDirection=lower or bestDirection=higher",
        )
    if event.metricName is None and event.bestDirection is not None:
        raise InvalidEventError(
            "config.metricName: missing; bestDirection says nothing without it", "give metricName=..."
        )


def _settings(event: Any) -> None:
    _named("limits", event.limits, LIMITS)
    for name, limit in event.limits.items():
        if limit != "none" and not _is_limit(name, limit):
            words = _words(name, limit)
            raise InvalidEventError(
                f"settings.limits.{name}: {shown(limit)} is neither {words} nor none (no limit)",
                f"give {words}, or none",
            )
    _named("thresholds", event.thresholds, THRESHOLDS)
    _each("thresholds", event.thresholds, _is_count, "a whole number from 1")
    _named("timeouts", event.timeouts, TIMEOUTS)
    _each("timeouts", event.timeouts, _is_above_zero, "a number of seconds above 0")
    if event.metric_pattern is not None:
        _pattern(event.metric_pattern)


def _named(field: str, given: Iterable[str], names: tuple[str, ...]) -> None:
    for name in given:
        if name not in names:
            near = nearest(name, names)
            raise InvalidEventError(
                f"settings.{field}: no {shown(name)}; there are {', '.join(names)}",
                f"use {near}" if near else "use one of these",
            )


def _each(field: str, given: Mapping[str, Any], test: Callable[[Any], bool], words: str) -> None:
    for name, value in given.items():
        if not test(value):
            raise InvalidEventError(
                f"settings.{field}.{name}: {shown(value)} is not {words}", f"give {words}"
            )


def _is_limit(name: str, limit: Any) -> bool:
    if name == "target":
        return type(limit) in (int, float) and isfinite(limit)
    is_any = _is_count(limit) if name in COUNTS else _is_above_zero(limit)
    return is_any and limit <= LARGEST_LIMIT


def _words(name: str, limit: Any) -> str:
    """What a limit of this name is; how large it may be only where that is what is wrong."""
    if name == "target":
        return "a finite number"
    words = "a whole number from 1" if name in COUNTS else "a number above 0"
    return f"{words} to {LARGEST_LIMIT}" if _is_above_zero(limit) and limit > LARGEST_LIMIT else words


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 1


def _is_above_zero(value: Any) -> bool:
    return type(value) in (int, float) and value > 0


def _pattern(pattern: str) -> None:
    import re
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what may change in a later Python is not the user's concern now
            groups = re.compile(pattern).groups
    except (re.error, RecursionError, OverflowError) as error:
        raise InvalidEventError(
            f"settings.metric_pattern: {shown(pattern)} is no regular expression: {error}",
            "give one with a group that finds the number, such as 'loss=([0-9.]+)'",
        ) from None
    if groups != 1:
        raise InvalidEventError(
            f"settings.metric_pattern: {shown(pattern)} has {groups} groups; it must have one",
            "put the number alone into (...), and write other groups as (?:...)",
        )


ACROSS: dict[type[Event], Callable[[Any], None]] = {Custom: _custom, Config: _config, Settings: _settings}
"""What raises InvalidEventError for an event whose fields, each allowed, say nothing or too much together."""
