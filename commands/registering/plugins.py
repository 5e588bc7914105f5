"""Programs that run within an agent which has no hooks that are commands: shipped as data of the package."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from commands.registering.recipe import Part, sealed_part

__all__ = ["plugin_part"]

_COMMON = "program.js"
"""What each of them begins with: calling our program, and reading what it answers."""

_OPEN = "const PROGRAM = []"


def plugin_part(name: str, path: Path, program: Sequence[str], version: str) -> Part:
    """The part that is this plugin.

    name: the file's, among ours. program: the absolute argv that starts us.
    """
    text = (_read(_COMMON) + _read(name)).replace(_OPEN, f"const PROGRAM = {json.dumps(list(program))}")
    return sealed_part("plugin", path, text, version)


def _read(name: str) -> str:
    from importlib.resources import files

    return files("commands").joinpath("plugins", name).read_text(encoding="utf-8")
