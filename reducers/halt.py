"""Whether a session has stopped, and why: the one rule that views, hooks and loops share. Pure.

Two things hold a session up. A *stop* says why a loop ended; going on answers it, but for a changed harness,
which only a new segment answers (design, section 5). *Off* is a switch: who is switched off stays off through
restarts, resumes and new segments until `ar on`, which is answered like any going on.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from eventstore.events import Config, Event, Resumed, Stopped

__all__ = ["OFF", "ON", "SWITCHED_OFF", "Halt", "after_halting"]

OFF = "off"
"""The reason of the `stopped` event that switches a session off."""

ON = "on"
"""The reason of the `resumed` event that switches it on again."""

SWITCHED_OFF = ("the session is switched off", "ar on switches it on again")
"""What is told to whoever would drive a session that is off, and what to do about it."""

_HARNESS = "harness"


class Halt(msgspec.Struct, frozen=True, gc=False):
    """What holds a session up.

    reason: of the last stop that still holds; None if none does. off: whether it is switched off.
    """

    reason: str | None = None
    off: bool = False

    @property
    def stopped(self) -> str | None:
        """Why it has stopped: `off`, or the reason of the stop that holds; None while it may go on."""
        return OFF if self.off else self.reason


def after_halting(halt: Halt, event: Stopped | Resumed | Config, runs: int) -> Halt:
    """What holds a session up after this event too. A guardian answers for no loop and changes nothing.

    runs: how many runs the log has before it; a config begins a segment only after the first.
    """
    if isinstance(event, Config):
        return replace(halt, reason=None) if runs else halt
    if _is_guardian(event):
        return halt
    if isinstance(event, Stopped):
        return replace(halt, off=True) if event.reason == OFF else replace(halt, reason=event.reason)
    return Halt(halt.reason if halt.reason == _HARNESS else None, halt.off and event.reason != ON)


def _is_guardian(event: Event) -> bool:
    return event.by.partition(":")[0] == "guardian"
