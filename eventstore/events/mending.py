"""Events by which the store says that it mended itself (design, section 2.3). Any role may append them."""

from __future__ import annotations

from eventstore.events.base import Count, Tagged

__all__ = ["Recovered", "Relinked"]


class Recovered(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A torn line was ended with a newline; it stays in the file as one damaged line. Written by the store.

    line: its number, from 1.
    bytes: its length without the newline, bytes.
    """

    line: Count
    bytes: Count


class Relinked(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Foreign lines came in between our look at the tail and our write, so what we claimed was wrong.

    Written by the store.

    line: the true number of the first of our lines, from 1.
    lines: how many of ours followed each other from there, from 1.
    true_prev: the digest of the line truly before it, 32 hex digits; absent if there is none.
    """

    line: Count
    lines: Count = 1
    true_prev: str | None = None
