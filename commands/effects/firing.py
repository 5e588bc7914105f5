"""Firing the session's hooks for a command that moved the session on, and telling what they said.

The commands that fire import this; what runs scripts is imported only where there is one to run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from commands.effects.appending import tell_mended
from commands.output import warn
from commands.render import escape
from eventstore.errors import LedgerError
from eventstore.filelog import FileLog
from eventstore.sessions import Session

if TYPE_CHECKING:
    from hooks.runner import Fired

__all__ = ["activate", "fire_document", "fire_for_run", "told_steers"]


def activate(session: Session, log: FileLog) -> list[Fired]:
    """Fires `before`, since the session was configured, switched on, or a loop starts."""
    return _fire(session, log, None)


def fire_for_run(
    session: Session, log: FileLog, run_seq: int, between: Callable[[], object] | None = None
) -> list[Fired]:
    """Fires `after` for the run at line `run_seq`, which is closed, then `before` for the next.

    between: called in between where there are hooks, for who stops the session there.
    """
    return _fire(session, log, run_seq, between)


def _fire(
    session: Session, log: FileLog, run_seq: int | None, between: Callable[[], object] | None = None
) -> list[Fired]:
    """What fired; nothing for a log that was named, which is used by itself.

    What the command recorded before stands, so a fire that cannot be recorded is only a warning.
    """
    if session.layout == "file" or not os.path.isdir(session.hooks):
        return []
    from hooks.runner import fire_activation, fire_after_run

    try:
        if run_seq is None:
            fired = fire_activation(log=log, hooks=session.hooks, cwd=session.root)
        else:
            fired = fire_after_run(
                log=log, hooks=session.hooks, cwd=session.root, run_seq=run_seq, between=between
            )
    except LedgerError as error:
        warn(f"a hook could not be fired or recorded: {error.message}")
        return []
    for each in fired:
        tell_mended(each.appended)
    return fired


def told_steers(fired: Sequence[Fired]) -> str:
    """What the hooks said, each under its script's name, escaped; empty if they were silent."""
    return "".join(f"{escape(each.steer, lines=True)}\n" for each in fired if each.steer)


def fire_document(fired: Fired) -> dict[str, Any]:
    """A fire in a JSON document: where it is recorded, how it went, and its steer, null if it was silent."""
    event = fired.event
    return {
        "seq": event.seq,
        "stage": event.stage,
        "exit_code": event.exit_code,
        "timed_out": event.timed_out,
        "duration_ms": event.duration_ms,
        "truncated": event.truncated,
        "steer": event.steer,
    }
