"""Limits: how they are written, and what they are where none is named (design, section 5).

A limit is a number above 0, or the word `none`. Nothing else means "no limit": not 0, not a negative number,
not an empty text, not infinity, and not a number so large that it would be none in effect.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

__all__ = ["LARGEST", "NO_LIMIT", "NUMBERS", "Limits", "limits_from", "parse_limit"]

NO_LIMIT = "none"
"""How "no limit" is spelled, on the command line and in a `settings` event."""

LARGEST = 1_000_000_000
"""The largest limit but for a target: a larger one would be none in effect."""

NUMBERS = {
    "max_cycles": "cycles of the segment, the baseline not among them",
    "time_limit_minutes": "minutes of active loop time in the segment",
    "target": "value of the metric, in its unit",
    "max_iterations": "runs of the segment",
    "discards": "judged runs in a row without a keep",
    "failures": "runs in a row without a keep",
    "no_change": "agent turns in a row that changed nothing",
}
"""Every limit's name, and what it counts."""

_FRACTIONAL = frozenset(("time_limit_minutes", "target"))

_MINUTES = {"s": 1 / 60, "m": 1.0, "min": 1.0, "h": 60.0, "d": 1440.0}


class Limits(msgspec.Struct, frozen=True):
    """What stops a loop; None is no limit. Defaults are those of `loop` and `cycle`; units: `NUMBERS`."""

    max_cycles: int | None = 50
    time_limit_minutes: float | None = 120.0
    target: float | None = None
    max_iterations: int | None = None
    discards: int | None = 5
    failures: int | None = 20
    no_change: int | None = 3


LOOP = Limits()
"""Where a loop is watched by nobody but has an end."""

ORCHESTRATED = Limits(max_cycles=None, time_limit_minutes=None, discards=None, failures=None)
"""Under `orchestrate` a task runs until it is stopped: the first five stop rules are off."""


def parse_limit(name: str, value: object) -> int | float | None:
    """A limit from the command line or a settings file; None is no limit.

    name: one of `NUMBERS`. value: a number, or text: a number or `none`; minutes may have a unit (`90s`,
    `45m`, `2h`, `3d`). A `target` may be any finite number, the others are above 0; counts are whole.

    Raises ValueError with one line that says what is wrong and what is allowed.
    """
    if name not in NUMBERS:
        raise ValueError(f"no limit is called {name!r}; there are {', '.join(NUMBERS)}")
    text = value.strip().lower() if isinstance(value, str) else value
    if text == NO_LIMIT:
        return None
    number = _number(name, text)
    if number is None:
        raise ValueError(f"{name} {value!r} is not a number; {_allowed(name)}")
    if name == "target":
        return number
    if number <= 0:
        raise ValueError(f"{name} {value!r} is not above 0; {_allowed(name)}")
    if number > LARGEST:
        raise ValueError(f"{name} {value!r} is as good as no limit; {_allowed(name)}")
    if name in _FRACTIONAL:
        return number
    if number != int(number):
        raise ValueError(f"{name} {value!r} is not whole; {_allowed(name)}")
    return int(number)


def _allowed(name: str) -> str:
    return f"it takes {NUMBERS[name]}, or {NO_LIMIT}"


def _number(name: str, value: object) -> float | None:
    """The finite number that a value is, else None. True and False are none."""
    factor = 1.0
    if isinstance(value, str):
        digits = value.rstrip("abcdefghijklmnopqrstuvwxyz ")
        unit = value[len(digits) :].strip()
        if unit and name == "time_limit_minutes" and unit in _MINUTES:
            factor, value = _MINUTES[unit], digits
        if "_" in value:
            return None
    elif isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value) * factor
    except (ValueError, OverflowError):
        return None
    return number if number - number == 0.0 else None


def limits_from(stated: Mapping[str, object], defaults: Limits = LOOP) -> Limits:
    """The limits in force: those stated, as in `settings.limits`, and the defaults for the rest.

    A name with the value None was not stated. Names that are no limit of ours are left to others.
    Raises ValueError as `parse_limit` does.
    """
    known = {name: value for name, value in stated.items() if name in NUMBERS and value is not None}
    parsed = {name: parse_limit(name, value) for name, value in known.items()}
    return msgspec.structs.replace(defaults, **parsed)
