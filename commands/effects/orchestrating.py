"""One round of an orchestrator: each task gets what it needs, and none of them touches another (design, 6.3).

What is done in a task is `commands.effects.errand`'s; here each gets its turn, behind a lock of its own, so
that an orchestrator that was killed goes on where it was, and two at once send no worker twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import msgspec

from commands.effects.ending import Asked
from commands.effects.errand import Errand, Visit, say_off
from commands.effects.running import end_recorded, recording
from commands.effects.side_by_side import OnStart, side_by_side
from commands.effects.tasks import Task
from commands.effects.tree_lock import tree_locked
from eventstore.errors import ConflictError, LedgerError
from eventstore.sessions import Session

__all__ = ["Came", "go_round", "leave_all"]


class Came(msgspec.Struct, frozen=True):
    """What came of a task in a round.

    state: `worked`, `failed`, `refused` (its iteration exceeds the limits), `waiting`, `stopped`, or `busy`
        (somebody else is at work on it).
    detail: the same in more words.
    """

    task: str
    state: str
    detail: str


def go_round(
    tasks: Sequence[Task], errand: Errand, width: int, alive: Callable[[], object], asked: Asked
) -> list[Came]:
    """Sees to every task, `width` at a time; what goes wrong with one is its own result.

    alive: called before each, for the orchestrator to say that it lives. asked: who is asked to end, entered.
    """
    ended = side_by_side(
        [partial(_visit, task, errand, alive, lambda: asked.to_end) for task in tasks], width, asked
    )
    return [
        came if isinstance(came, Came) else Came(task.name, "failed", str(came) or type(came).__name__)
        for task, came in zip(tasks, ended, strict=True)
    ]


def leave_all(tasks: Sequence[Task], by: str) -> None:
    """Says in each task that the orchestrator is gone for good, so that nobody misses it.

    One that another orchestrator is at, or that cannot be written to, is left as it is.
    """
    for task in tasks:
        if task.session is not None:
            with suppress(LedgerError), tree_locked(_lock(task.session)):
                say_off(task.session, by)


def _lock(session: Session) -> Path:
    return session.rejected.with_name("orchestrate.lock")


def _visit(
    task: Task, errand: Errand, alive: Callable[[], object], ending: Callable[[], bool], on_start: OnStart
) -> Came:
    session = task.session
    if session is None:
        return Came(task.name, "failed", task.problem or "it cannot be read")
    try:
        with ExitStack() as held:
            other = _taken(_lock(session), held)
            if other is not None:
                return Came(task.name, "busy", other)
            alive()
            running = session.rejected.with_name("cache") / "orchestrate.running"
            end_recorded(running)  # of an orchestrator that was killed
            with ExitStack() as probe:
                other = _taken(session.tree_lock, probe)
            if other is not None:
                say_off(session, errand.by)
                return Came(task.name, "busy", other)
            with recording(running) as note:
                state, detail = Visit(session, errand, _both(note, on_start), ending).go()
    except LedgerError as error:
        return Came(task.name, "failed", error.message)
    return Came(task.name, state, detail)


def _taken(lock: Path, held: ExitStack) -> str | None:
    """Takes a lock until `held` is left; who has it, in words, where somebody does."""
    try:
        held.enter_context(tree_locked(lock))
    except ConflictError as error:
        return error.message
    return None


def _both(note: OnStart, on_start: OnStart) -> OnStart:
    def started(pid: int, stamp: str) -> None:
        note(pid, stamp)
        on_start(pid, stamp)

    return started
