"""How another program starts this one, from wherever it is: by absolute paths, never by a name on PATH."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["is_ours", "own_argv"]

_NAMES = ("ar", "autoresearch")
_SNIFFED = 16_384
"""Bytes of a script that are searched for our launcher's name, which the scripts of every installer hold."""


def own_argv() -> list[str]:
    """The absolute argv of this program.

    Our script beside the interpreter that runs us, as every environment has it; else the script we were
    started as; else the interpreter with our launcher. `ar` on PATH may be the archiver.
    """
    started = Path(os.path.abspath(sys.argv[0]))
    beside = Path(os.path.abspath(sys.executable)).parent
    for path in (*(beside / name for name in _NAMES), started):
        if path.name in _NAMES and is_ours(path):
            return [str(path)]
    import autoresearch_ledger

    return [os.path.abspath(sys.executable), os.path.abspath(autoresearch_ledger.__file__)]


def is_ours(path: Path) -> bool:
    """Whether a file is a script that starts our launcher, of this installation or another."""
    try:
        with path.open("rb") as file:
            start = file.read(_SNIFFED)
    except OSError:
        return False
    return start.startswith(b"#!") and b"autoresearch_ledger" in start and os.access(path, os.X_OK)
