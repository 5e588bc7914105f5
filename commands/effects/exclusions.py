"""Keeping a session's own files out of git's way (design, section 2.1)."""

from __future__ import annotations

import os
from pathlib import Path

from commands.effects.git import GitError, find_repo, run
from commands.effects.git_queries import git_path

__all__ = ["exclude_from_git", "is_tracked"]

_MAGIC = str.maketrans({c: f"\\{c}" for c in "\\*?["})


def exclude_from_git(directory: Path, names: list[str]) -> Path | None:
    """Lists files of a session in the repository's `info/exclude`, so that no stash and no clean takes them.

    directory: where they lie. names: patterns below it, without a slash at the start. Lines that are there
    already are left alone. Returns the file, or None where there is no repository. Raises OSError.
    """
    try:
        repo = find_repo(directory)
        path = Path(git_path(repo, "info/exclude"))
    except GitError:
        return None
    prefix = "/" + (repo.prefix + "/" if repo.prefix else "").translate(_MAGIC)
    wanted = [prefix + name for name in names]
    try:
        before = path.read_bytes()
    except FileNotFoundError:
        before = b""
    there = set(before.splitlines())
    missing = [line for line in map(os.fsencode, wanted) if line not in there]
    if missing:
        path.parent.mkdir(exist_ok=True)
        gap = b"" if not before or before.endswith(b"\n") else b"\n"
        with path.open("ab") as file:
            file.write(gap + b"".join(line + b"\n" for line in missing))
    return path


def is_tracked(path: Path) -> bool:
    """Whether git has this file in its index; False where there is no repository."""
    try:
        found = run(str(path.parent), "ls-files", "--error-unmatch", "--", path.name, accept=(0, 1, 128))
    except GitError:
        return False
    return found.code == 0
