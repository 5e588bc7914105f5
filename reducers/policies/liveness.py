"""Whether a loop lives, waits, circles or is gone (design, section 6.3). All times in milliseconds."""

from __future__ import annotations

import re

__all__ = [
    "LEFT_ALONE",
    "NUDGES",
    "OVERDUE_INTERVALS",
    "STALLED_MS",
    "STUCK_MS",
    "asks",
    "interval",
    "is_left_alone",
    "is_overdue",
    "verdict",
]

OVERDUE_INTERVALS = 3
"""A loop is overdue when its last sign of life is longer ago than this many of its intervals."""

STALLED_MS = 2 * 3_600_000
"""How long without progress, its last output a question, before a loop is nudged."""

STUCK_MS = 4 * 3_600_000
"""How long without progress, whatever its last output, before its task is flagged as stuck."""

NUDGES = 3
"""How many nudges without progress make a loop structurally stuck: no more nudges, a pivot."""

LEFT_ALONE = ("paused", "rate_limited", "stopped")
"""The states in which a loop is left alone."""

_QUESTION = re.compile(r"[?\uff1f\u061f](?!\w)")


def asks(output: str | None) -> bool:
    """Whether the last line that says anything holds a question: a question mark that no word follows."""
    lines = [line for line in (output or "").splitlines() if line.strip()]
    return bool(lines) and _QUESTION.search(lines[-1]) is not None


def interval(seconds: float | None) -> float | None:
    """How often a loop means to give a sign, seconds; None for what is no time above 0."""
    return float(seconds) if seconds is not None and 0 < seconds < 1e12 else None


def is_left_alone(state: str | None, until: int | None, now: int) -> bool:
    """Whether a loop in this state is left alone at `now`.

    A pause or a rate limit that says until when is over then; a stop never ends by itself.
    """
    return state in LEFT_ALONE and (state == "stopped" or until is None or now < until)


def is_overdue(
    last_seen: int | None, seconds: float | None, paused_until: int | None, now: int
) -> bool | None:
    """Whether a loop is overdue at `now`; None where that cannot be told.

    seconds: its interval, above 0; None if it never said one.
    paused_until: when a pause or a rate limit that it announced ended; until then it owed no sign.
    A clock that went back a little is no matter; a last sign that lies ahead of `now` by more than the same
    span says nothing: the loop is then neither alive nor dead.
    """
    if last_seen is None or seconds is None:
        return None
    span = OVERDUE_INTERVALS * seconds * 1000
    if last_seen - now > span:
        return None
    return now - max(last_seen, last_seen if paused_until is None else paused_until) > span


def verdict(
    *,
    state: str | None,
    left_alone: bool,
    overdue: bool | None,
    nudges: int,
    without_progress: int,
    asking: bool,
) -> str:
    """What a guardian makes of a loop, in one word; the first that holds of:

    `unknown` (never a heartbeat), `paused`, `rate_limited` or `stopped` (left alone), `unknown` (it never
    said an interval, or its clock cannot be right), `overdue` (dead, unless a child of its is at work),
    `stuck` (3 nudges brought no progress), `stalled` (2 hours without progress, its last output a question),
    `stuck` (4 hours without progress, whatever it said), `alive`.

    state: of the last heartbeat, None if there was never one. nudges: since the last progress.
    without_progress: for how long, milliseconds.
    """
    if state is None:
        return "unknown"
    if left_alone:
        return state
    if overdue is None:
        return "unknown"
    if overdue:
        return "overdue"
    if nudges >= NUDGES:
        return "stuck"
    if asking and without_progress > STALLED_MS:
        return "stalled"
    return "stuck" if without_progress > STUCK_MS else "alive"
