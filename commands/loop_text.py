"""What a loop says as it goes on, for people: a line or a few for each thing that happened. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.cycle import told
from commands.effects.cycling import Outcome
from commands.output import paint
from commands.render import escape
from eventstore.events import Event, Flag, Note, Pivot, Resumed, Stopped

if TYPE_CHECKING:
    from hooks.runner import Fired

__all__ = ["told_of"]


def told_of(thing: Event | Outcome | Fired, unit: str | None) -> str:
    """What happened, escaped, with a newline at its end; empty for what needs no telling.

    unit: the metric's.
    """
    if isinstance(thing, Outcome):
        saved = f"  saved: {escape(thing.saved)}\n" if thing.saved is not None else ""
        return told(thing, unit) + saved
    if isinstance(thing, Event):
        line = _told_event(thing)
        return f"{line}\n" if line else ""
    return f"{escape(thing.steer, lines=True)}\n" if thing.steer else ""


def _told_event(event: Event) -> str:
    if isinstance(event, Note):
        return f"{paint(escape(event.event or event.level), 'yellow')}: {escape(event.detail)}"
    if isinstance(event, Pivot):
        to = f": {escape(event.to)}" if event.to else ""
        return f"{paint('pivot', 'cyan')} ({event.level}): {escape(event.reason or '')}{to}"
    if isinstance(event, Flag):
        return f"{paint('flag', 'yellow')} ({escape(event.kind)}): {escape(event.detail)}"
    if isinstance(event, Stopped):
        return f"{paint('stopped', 'bold')}: {escape(event.reason)} -- {escape(event.detail)}"
    if isinstance(event, Resumed):
        return f"resumed: {escape(event.detail)}"
    return ""
