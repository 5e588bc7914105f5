"""Values as people give them on the command line: words, lengths of time, moments, numbers. Pure."""

from __future__ import annotations

import math
import re
from typing import Any, get_args

from commands.errors import BadInputError
from eventstore.timestamps import epoch_ms

__all__ = ["LONGEST", "choices", "finite", "length", "moment", "words"]

_UNITS = {"s": 1, "min": 60, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_PART = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*(s|min|m|h|d|w)\s*", re.ASCII)
_PLAIN = re.compile(r"(?:\d+(?:\.\d+)?|\.\d+)\s*", re.ASCII)

LONGEST = 366 * 86400
"""The longest length of time that is taken, seconds: a longer one would be none in effect."""


def choices(annotation: Any) -> tuple[str, ...]:
    """The texts that a field may hold which is annotated so, with `eventstore.events.base.one_of`."""
    allowed: tuple[str, ...] = get_args(annotation)[1].extra["one_of"]
    return allowed


def words(option: str, text: str) -> str:
    """The text, unless it is blank. Raises BadInputError."""
    if not text.strip():
        raise BadInputError(f"{option} is empty", f"{option} 'in a few words'")
    return text


def length(option: str, text: str, longest: float = LONGEST) -> int | float:
    """Seconds above 0: `90s`, `15m`, `1h30m`, `2d`, `1w`; a number alone is seconds. Whole ones as integers.

    longest: the most that is allowed, seconds. Raises BadInputError for anything else.
    """
    said = text.strip().lower()
    if _PLAIN.fullmatch(said):
        seconds = float(said)
    else:
        parts = _PART.findall(said)
        if not parts or _PART.sub("", said):
            raise BadInputError(f"{option}: {text[:60]!r} is no length of time", f"{option} 15m, 2h or 90s")
        seconds = sum(float(amount) * _UNITS[unit] for amount, unit in parts)
    if not 0 < seconds <= longest:
        raise BadInputError(
            f"{option}: {text[:60]!r} is not above 0 and at most {_days(longest)}", f"{option} 15m"
        )
    return int(seconds) if seconds == int(seconds) else seconds


def _days(seconds: float) -> str:
    days = round(seconds / 86400)
    return "1 day" if days == 1 else f"{days} days"


def moment(option: str, text: str, now: int) -> int:
    """A time to come, milliseconds since 1970 UTC: `15m` from `now`, or an ISO time (UTC unless it says).

    Raises BadInputError for what is neither, for a bare number, and for a time that is past.
    """
    said = text.strip()
    if _PLAIN.fullmatch(said):
        raise BadInputError(f"{option}: {said[:60]!r} has no unit", f"{option} 15m, or an ISO time")
    at = epoch_ms(said)
    if at is None:
        return now + round(length(option, text) * 1000)
    if at <= now:
        raise BadInputError(f"{option}: {said[:60]} is past", f"{option} 15m, or an ISO time to come")
    return at


def finite(option: str, text: str) -> int | float:
    """A finite number as it is written: `38` stays an integer. Raises BadInputError."""
    for kind in (int, float):
        try:
            value: int | float = kind(text)
        except ValueError:
            continue
        if math.isfinite(value):
            return value
        break
    raise BadInputError(
        f"{option}: {text[:60]!r} is no finite number", f"{option} 38.9, or leave it out if there is none"
    )
