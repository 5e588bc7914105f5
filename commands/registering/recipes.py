"""The agents, by name, and what each gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from commands.registering.claude import claude
from commands.registering.codex import codex
from commands.registering.gemini import gemini
from commands.registering.opencode import opencode
from commands.registering.pi import pi
from commands.registering.recipe import Recipe, Scope

__all__ = ["AGENTS", "recipe_of"]

_RECIPES: dict[str, Callable[[Scope, Sequence[str], str], Recipe]] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
    "pi": pi,
}

AGENTS = tuple(_RECIPES)
"""Their names, in the order they are told."""


def recipe_of(agent: str, scope: Scope, program: Sequence[str], version: str) -> Recipe:
    """What an agent gets. program: the absolute argv that starts us. version: ours."""
    return _RECIPES[agent](scope, program, version)
