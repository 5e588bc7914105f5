"""The tasks below a directory: every folder with a session of its own (design, section 6.3)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from commands.effects.views import Look, read_view
from commands.errors import BadInputError
from eventstore import sessions
from eventstore.errors import LedgerError
from eventstore.filelog import FileLog
from eventstore.sessions import Session
from reducers.overview import overview

__all__ = ["Task", "looks", "tasks_under"]

_SKIPPED = frozenset(("node_modules", "__pycache__"))
"""Folders in which nobody works on a task; neither does anyone in a hidden one."""
_MARKS = (".auto", "autoresearch.jsonl", "autoresearch.config.json")
"""What a folder with a session has, one of these at least."""


class Task(msgspec.Struct, frozen=True):
    """A task.

    name: its folder's path from the root of all. session: None where it cannot be used, for which `problem`
    is the reason, in one line.
    """

    name: str
    session: Session | None
    problem: str | None = None


def tasks_under(root: Path) -> list[Task]:
    """The tasks below a directory, by name; the session of the directory itself is that of its guardians.

    A task whose files cannot be used is one too, with the problem. Raises BadInputError where the directory
    itself is none.
    """
    if not root.is_dir():
        raise BadInputError(f"{root}: is no directory", "name the folder whose folders are the tasks")
    top = Path(os.path.realpath(root))
    known: dict[Path, Task] = {}
    for directory in _marked(top):
        name = os.path.relpath(directory, top)
        try:
            session = sessions.new(directory)
            if session.log.exists():
                known.setdefault(session.log, Task(name, session))
        except LedgerError as error:
            known[directory] = Task(name, None, error.message)
    return sorted(known.values(), key=lambda task: task.name)


def _marked(top: Path) -> Iterator[Path]:
    """The directories below that may have a session; links are not followed."""
    for place, folders, files in os.walk(top):
        directory = Path(place)
        if directory != top and not {*folders, *files}.isdisjoint(_MARKS):
            yield directory
        folders[:] = [each for each in folders if not each.startswith(".") and each not in _SKIPPED]


def looks(tasks: list[Task], now: int | None = None) -> Iterator[tuple[Task, Look | None]]:
    """Each task with its `overview`; None, and the task with its problem, where it cannot be read.

    now: milliseconds since 1970 UTC; the clock's when None. One that fails touches no other.
    """
    for task in tasks:
        if task.session is None:
            yield task, None
            continue
        log = FileLog(task.session.log, cache_dir=task.session.cache)
        try:
            yield task, read_view(log, overview, cache=task.session.cache, now=now)
        except LedgerError as error:
            yield msgspec.structs.replace(task, problem=error.message), None
