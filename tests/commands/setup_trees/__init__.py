"""Golden trees: what an agent's own files are before `ar setup` and after it.

    setup_trees/AGENT/SCOPE/CASE/before/...    what is there, from nothing to somebody else's settings
    setup_trees/AGENT/SCOPE/CASE/after/...     the settings among it afterwards, without skills and plugins

`python -m tests.commands.setup_trees` writes the latter from the former; read what it changes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from commands.effects.settings_file import read_if_there
from commands.registering.recipe import Part, Scope, change_of
from commands.registering.recipes import AGENTS, recipe_of

__all__ = ["CASES", "PROGRAM", "VARIABLES", "after", "case_path", "files_in", "settings_parts"]

HERE = Path(__file__).parent
VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "PI_CODING_AGENT_DIR")
"""By which agents are told that their files lie elsewhere."""

PROGRAM = ("/opt/ar tools/bin/ar",)
CASES = tuple(
    (agent, scope, case.name)
    for agent in AGENTS
    for scope in ("project", "user")
    for case in sorted((HERE / agent / scope).iterdir())
)
"""Agent, scope and name of each."""


def case_path(agent: str, scope: str, case: str) -> Path:
    """Where a case lies."""
    return HERE / agent / scope / case


def files_in(directory: Path) -> dict[str, bytes]:
    """All files below a directory, by their path from there."""
    found = sorted(path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): path.read_bytes() for path in found}


def settings_parts(
    agent: str, scope: str, root: Path, environment: Mapping[str, str] = os.environ
) -> Iterator[Part]:
    """The parts of an agent that others write too, in this directory."""
    there = Scope(root, root, scope == "user", environment, read_if_there)
    yield from (part for part in recipe_of(agent, there, PROGRAM, "0").parts if part.settings is not None)


def after(agent: str, scope: str, before: Path) -> dict[str, bytes]:
    """What the settings in a tree become."""
    found = files_in(before)
    for part in settings_parts(agent, scope, before, {}):
        path = str(part.path.relative_to(before))
        change = change_of(part, found.get(path), None, removing=False)
        assert change.after is not None
        found[path] = change.after
    return found
