"""Events by which the store says that it mended itself (design, section 2.3). Any role may append them."""

from __future__ import annotations

from eventstore.events.base import Count, Tagged

__all__ = ["Recovered", "Relinked"]


class Recovered(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A torn line was ended with a newline; it stays in the file as one damaged line.

    line: its number. bytes: its length without the newline.
    """

    line: Count
    bytes: Count


class Relinked(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Foreign lines came in between our look at the tail and our write, so what we claimed was wrong.

    line: the true number of the first of our lines. lines: how many of ours followed each other from there.
    true_prev: the digest of the line truly before it (absent if there is none).
    """

    line: Count
    lines: Count = 1
    true_prev: str | None = None
