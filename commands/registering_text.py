"""What was registered with an agent, and would be, told to people."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from commands.registering.recipe import Change, Scope
from commands.render import Column, escape, table

__all__ = ["difference", "told"]

_OUTCOMES = {"unchanged": "as it was"}
"""What an outcome is called to people, where that is another word."""


def told(
    agent: str,
    scope: Scope,
    changes: Sequence[Change],
    backups: Sequence[Path | None],
    notes: Sequence[str],
    steps: Sequence[str],
) -> str:
    """Each file and what became of it, what the agent cannot do, and what is to be done next."""
    where = "for you, in every project" if scope.user else _project(scope.root)
    rows = [
        (each.part.kind, shown(each.part.path, scope), _became(each, backup))
        for each, backup in zip(changes, backups, strict=True)
    ]
    listed = table((Column("what"), Column("file"), Column("became")), rows)
    lines = [f"not here: {escape(note)}\n" for note in notes]
    lines += [f"next: {escape(step)}\n" for step in steps]
    return f"{agent}, {where}\n{listed}{''.join(lines)}"


def shown(path: Path, scope: Scope) -> str:
    """A path as people know it: from the project's root, or from the home directory."""
    if scope.home in path.parents and scope.user:
        return escape("~/" + str(path.relative_to(scope.home)))
    return escape(os.path.relpath(path, scope.root) if scope.root in path.parents else str(path))


def difference(change: Change) -> str:
    """A change as a unified diff, controls in it shown escaped."""
    from difflib import unified_diff

    path = change.part.path
    lines = unified_diff(
        (change.before or b"").decode("utf-8", "replace").splitlines(keepends=True),
        (change.after or b"").decode("utf-8", "replace").splitlines(keepends=True),
        f"{path} (as it is)",
        f"{path} (as it would be)" if change.after is not None else f"{path} (would be gone)",
    )
    return "".join(escape(line.rstrip("\r\n"), lines=True) + "\n" for line in lines)


def _project(root: Path) -> str:
    return "for this project" if root == Path.cwd() else f"for the project in {escape(os.path.relpath(root))}"


def _became(change: Change, backup: Path | None) -> str:
    """What became of a file, in words."""
    words = _OUTCOMES.get(change.outcome, change.outcome)
    if change.note:
        return f"{change.outcome}: {change.note}"
    return f"{words}; before: {backup.name}" if backup is not None else words
