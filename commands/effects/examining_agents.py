"""Looking at the agents for `ar doctor`: which are there, and what is registered with them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from commands.doctoring.observed import AgentSeen, PartSeen, Registered
from commands.effects.own_program import own_argv
from commands.effects.registering import scope_of
from commands.effects.settings_file import read_if_there
from commands.registering.jsonc import SettingsError
from commands.registering.recipe import Part
from commands.registering.recipes import AGENTS, recipe_of
from commands.registering.sealed import State, state_of
from commands.registering.settings import Settings
from commands.registering_text import shown
from eventstore.errors import LedgerError

__all__ = ["agents_seen"]


def agents_seen(start: Path) -> Iterator[AgentSeen]:
    """Each agent that `ar setup` knows. start: the directory whose project it is about."""
    from shutil import which

    argv = own_argv()
    for name in AGENTS:
        yield AgentSeen(
            name=name,
            program=which(name),
            project=tuple(_seen(name, start, argv, user=False)),
            user=tuple(_seen(name, start, argv, user=True)),
        )


def _seen(agent: str, start: Path, argv: Sequence[str], *, user: bool) -> Iterator[PartSeen]:
    from autoresearch_ledger import __version__

    try:
        scope = scope_of(start, user)
        recipe = recipe_of(agent, scope, argv, __version__)
    except LedgerError:  # no home directory, so nothing for all projects
        return
    for part in recipe.parts:
        path = shown(part.path, scope)
        try:
            data = read_if_there(part.path)
        except LedgerError as error:
            yield PartSeen(part.kind, path, "absent", problem=error.message)
            continue
        yield _part(part, path, data)


def _part(part: Part, path: str, data: bytes | None) -> PartSeen:
    """What a part's file is. data: what it holds."""
    if part.settings is None:
        return PartSeen(part.kind, path, state_of(data, part.text))
    return _settings(part, part.settings, path, data)


def _settings(part: Part, settings: Settings, path: str, data: bytes | None) -> PartSeen:
    found: list[list[str]] = []
    is_current, problem = False, ""
    try:
        found = settings.programs(data) if data is not None else []
        is_current = settings.install(data) == data
    except SettingsError as error:
        problem = str(error)
    state: State = "current" if is_current else "outdated" if found else "absent"
    programs = tuple(dict.fromkeys(Registered(tuple(words), _exists(words)) for words in found))
    return PartSeen(part.kind, path, state, programs, problem)


def _exists(argv: Sequence[str]) -> bool:
    """Whether there is such a program: the first word may be run, and what it is given to run is there."""
    return os.access(argv[0], os.X_OK) and all(os.path.isfile(word) for word in argv)
