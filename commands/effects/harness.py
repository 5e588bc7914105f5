"""The harness: what measuring relies on, which no agent may change (design, section 6.1)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from eventstore.sessions import Session

__all__ = ["harness_changes", "harness_files", "scripts_in"]


def scripts_in(command: str, root: Path) -> list[str]:
    """The files below `root` that a command names, relative to it: its script, what it reads."""
    import shlex

    try:
        words = shlex.split(command, comments=False)
    except ValueError:
        words = command.split()
    found: list[str] = []
    for word in words:
        for part in (word, word.partition("=")[2]):
            path = _below(root / part, root) if part else None
            if path is not None and path not in found:
                found.append(path)
    return found


def harness_files(session: Session, commands: Iterable[str | None], named: Iterable[str]) -> dict[str, str]:
    """SHA-256 (hex) by path, relative to the session's root, of everything measuring relies on.

    The scripts that the commands name, the session's own `measure.sh` and `checks.sh`, and what was named,
    directories with all their files. Raises FileNotFoundError for a named path that is not there.
    """
    root = session.root
    paths = {path for command in commands if command for path in scripts_in(command, root)}
    paths |= {p for p in (_below(session.measure, root), _below(session.checks, root)) if p is not None}
    for name in named:
        start = root / name
        if not start.exists():
            raise FileNotFoundError(name)
        inside = [start] if start.is_file() else [p for p in sorted(start.rglob("*")) if p.is_file()]
        paths |= {os.path.relpath(p, root) for p in inside}
    return {path: digest for path in sorted(paths) if (digest := _digest(root / path)) is not None}


def harness_changes(recorded: Mapping[str, str], root: Path) -> list[str]:
    """Those of the recorded files that are no longer as they were, or are gone."""
    return [path for path, digest in recorded.items() if _digest(root / path) != digest]


def _below(path: Path, root: Path) -> str | None:
    """A file's path relative to `root`; None if it is no file or does not lie below."""
    try:
        if not path.is_file():
            return None
        relative = os.path.relpath(path, root)
    except (OSError, ValueError):
        return None
    return None if relative.startswith(os.pardir) else relative


def _digest(path: Path) -> str | None:
    from hashlib import sha256

    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
