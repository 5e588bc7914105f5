"""Hooks fire once for every cycle, also for one that was killed between its end and their firing.

Before a cycle is finished it is written down that its hooks are owed, and from which place in the log on its
run is to be found; once they have fired, the note goes. It lies in the cache: without it nothing but a hook
that a kill has swallowed is lost.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from commands.effects.firing import fire_for_run
from eventstore.events import Hook, Run
from eventstore.store import Position

if TYPE_CHECKING:
    from commands.effects.ground import Ground
    from hooks.runner import Fired

__all__ = ["fire_closed", "fire_owed", "owe"]


def owe(ground: Ground, after: Position) -> None:
    """Notes that the hooks of the cycle that is being finished are owed; `after`: where the log ends."""
    path = ground.owed
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.write_bytes(msgspec.json.encode(after))
    os.replace(fresh, path)


def fire_closed(ground: Ground, run_seq: int, between: Callable[[], object] | None = None) -> list[Fired]:
    """Fires the hooks for a cycle that has just ended, its run at line `run_seq`; `between`: in between."""
    fired = fire_for_run(ground.session, ground.log, run_seq, between)
    ground.owed.unlink(missing_ok=True)
    return fired


def fire_owed(ground: Ground) -> list[Fired]:
    """Fires the hooks that a kill has swallowed, if any. No cycle may be open."""
    try:
        after = msgspec.json.decode(ground.owed.read_bytes(), type=Position)
    except (OSError, msgspec.DecodeError):
        return []
    run_seq = _unanswered(ground, after)
    if run_seq is None:
        ground.owed.unlink(missing_ok=True)
        return []
    return fire_closed(ground, run_seq)


def _unanswered(ground: Ground, after: Position) -> int | None:
    """The line of the cycle's run, if `after` has not fired for it yet."""
    run_seq = None
    for batch in ground.log.read(after, kinds={Hook, Run}):
        for seq, record in batch.numbered():
            if isinstance(record, Run) and run_seq is None:
                run_seq = seq
            elif isinstance(record, Hook) and record.stage == "after" and record.at == run_seq:
                return None
    return run_seq
