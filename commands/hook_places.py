"""Where the scripts of a session's hooks lie: one a stage, or several below a `run-parts`."""

from __future__ import annotations

from pathlib import Path

from hooks.examples import read

__all__ = ["PARTS", "parts_folder", "runs_parts"]

PARTS = "run-parts"
"""The shipped example that runs every script of `before.d/` or `after.d/`."""


def parts_folder(hooks: Path, stage: str) -> Path:
    """The folder whose scripts `run-parts` runs at that stage."""
    return hooks / f"{stage}.d"


def runs_parts(hooks: Path, stage: str) -> bool:
    """Whether the hook of that stage is the shipped `run-parts`."""
    script = hooks / f"{stage}.sh"
    try:
        return script.is_file() and script.read_bytes() == read(PARTS)
    except OSError:
        return False
