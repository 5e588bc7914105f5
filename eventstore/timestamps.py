"""Times as the log writes them: integer milliseconds since 1970-01-01 UTC (design, section 2.2)."""

from __future__ import annotations

import math

__all__ = ["SECONDS_BELOW", "epoch_ms", "iso_utc"]

SECONDS_BELOW = 10**11
"""A number below this is in seconds (until the year 5138), from it on in milliseconds."""

_MAX_MS = 253_402_300_799_999
"""9999-12-31T23:59:59.999Z: what calendars can show."""


def epoch_ms(value: object) -> int | None:
    """Milliseconds since 1970 UTC of a timestamp in any shape a log holds, or None.

    Accepts milliseconds, seconds (any number below `SECONDS_BELOW` in magnitude), floats of either,
    and ISO 8601 text (no zone means UTC). None for anything else: null, booleans, infinities, text that
    is no date, dates beyond the year 9999.
    """
    if type(value) is int or type(value) is float:
        if type(value) is float and not math.isfinite(value):
            return None
        ms = round(value * 1000) if abs(value) < SECONDS_BELOW else round(value)
        return ms if -_MAX_MS <= ms <= _MAX_MS else None
    if isinstance(value, str):
        return _iso_ms(value.strip())
    return None


def _iso_ms(text: str) -> int | None:
    from datetime import UTC, datetime, timedelta

    if not text[:4].isdigit():
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def iso_utc(ms: int) -> str:
    """`ms` as ISO 8601 in UTC, to the millisecond: `2026-01-31T12:00:00.000Z`.

    Raises OverflowError beyond the years 1 to 9999; what `epoch_ms` returns is always within.
    """
    from datetime import UTC, datetime, timedelta

    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
