"""The commit that a run was measured at."""

from __future__ import annotations

from pathlib import Path

from commands.effects.git import GitError, run

__all__ = ["abbreviated_head"]


def abbreviated_head(directory: Path) -> str | None:
    """The commit at git's HEAD, abbreviated; None outside of a repository and before its first commit."""
    try:
        found = run(str(directory), "rev-parse", "--short=7", "--verify", "-q", "HEAD", accept=(0, 1, 128))
    except GitError:
        return None
    return found.text or None if found.code == 0 else None
