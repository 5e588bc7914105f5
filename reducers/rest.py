"""Time in which nobody was expected to make progress: pauses, rate limits and stops (design, section 6.3).

It is left out of the time that a loop made no progress, and begins nothing anew: a loop that pauses now and
then, or that dies and comes back, is stuck after the same time at work as one that does not.
"""

from __future__ import annotations

import msgspec

__all__ = ["Rest", "after_rest", "at_rest", "rested"]


class Rest(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """How long somebody rested since the last progress; times in milliseconds.

    ms: in rests that are over, counted since there had been `steps` steps of progress.
    since: when the present one began; None for none, or where that is not known.
    until: when it ends by itself; None if it does not.
    """

    ms: int = 0
    steps: int = 0
    since: int | None = None
    until: int | None = None


def at_rest(rest: Rest, at: int | None, until: int | None, steps: int, last_progress: int | None) -> Rest:
    """A rest that begins now, at most until then; one that lasts still ends first."""
    over = after_rest(rest, at, steps, last_progress)
    return Rest(over.ms, steps, at, until)


def after_rest(rest: Rest, at: int | None, steps: int, last_progress: int | None) -> Rest:
    """A rest that is over now; of one whose end tells no time nothing is counted."""
    return Rest(rested(rest, at, steps, last_progress), steps)


def rested(rest: Rest, now: int | None, steps: int, last_progress: int | None) -> int:
    """For how long it was rested since the last progress, up to now, milliseconds.

    steps: how many steps of progress there were. last_progress: when the last one was; None for never.
    """
    before = rest.ms if rest.steps == steps else 0
    if rest.since is None or now is None:
        return before
    end = now if rest.until is None else min(now, rest.until)
    start = rest.since if last_progress is None else max(rest.since, last_progress)
    return before + max(end - start, 0)
