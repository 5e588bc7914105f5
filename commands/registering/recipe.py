"""What is put where for one agent, and what that changes. Pure: bytes in, changes out.

recipe = RECIPES["claude"](scope, program)
changes = [change_of(part, data, was, removing=False) for part in recipe.parts ...]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from commands.registering.sealed import seal, state_of
from commands.registering.settings import Settings

__all__ = ["LONGEST_CALL_SECONDS", "Change", "Kind", "Part", "Recipe", "Scope", "change_of", "sealed_part"]

LONGEST_CALL_SECONDS = 4 * 3600
"""How long a call of one of our tools may take, for agents that would end it: a cycle measures repeatedly."""

Kind = Literal["mcp", "hooks", "settings", "skill", "plugin"]
"""What a file is for: tools, commands at the agent's events, or both; a skill; a program within the agent."""

Outcome = Literal["added", "changed", "removed", "unchanged", "kept"]

_EDITED = "edited since"
_FOREIGN = "not ours"


class Scope(msgspec.Struct, frozen=True):
    """For whom: a project or all that a user does.

    root: the project's, absolute. home: the user's. user: whether it is for all of the user's projects.
    environment: variables, by which agents are told where their files lie. read: the bytes of a file, None
    for no file.
    """

    root: Path
    home: Path
    user: bool
    environment: Mapping[str, str]
    read: Callable[[Path], bytes | None]

    def directory(self, variable: str, default: Path) -> Path:
        """The directory that a variable names, absolute; `default` where it is unset or empty."""
        named = self.environment.get(variable)
        return self.root.joinpath(named) if named else default

    def floor(self, own: Path) -> Path:
        """The directory that stays, however empty, where an agent's own is this one."""
        base = self.home if self.user else self.root
        return base if base in own.parents else own.parent


class Part(msgspec.Struct, frozen=True):
    """A file for an agent: settings that others write too, or a text that is wholly ours, sealed."""

    kind: Kind
    path: Path
    settings: Settings | None = None
    text: str = ""


class Recipe(msgspec.Struct, frozen=True):
    """All that an agent gets.

    parts: in the order they are told. next: what its user does then, a sentence each. missing: what it cannot
    do, a sentence each. base: the directory that is never removed, however empty.
    """

    parts: tuple[Part, ...]
    next: tuple[str, ...]
    missing: tuple[str, ...]
    base: Path


class Change(msgspec.Struct, frozen=True):
    """What becomes of a part's file.

    after: what it will hold, None for no file; equal to `before` where nothing changes. note: why it is kept.
    """

    part: Part
    outcome: Outcome
    before: bytes | None
    after: bytes | None
    note: str = ""

    @property
    def changes(self) -> bool:
        """Whether anything is to be written."""
        return self.before != self.after


def sealed_part(kind: Kind, path: Path, text: str, version: str) -> Part:
    """The part that is this file, wholly ours."""
    return Part(kind, path, text=seal(text, version))


def change_of(part: Part, before: bytes | None, was: bytes | None, *, removing: bool) -> Change:
    """What becomes of a part.

    before: what its file holds, None for no file. was: what it held before we changed it, if that is known.
    Raises SettingsError for settings that are to be left alone.
    """
    if part.settings is None:
        return _sealed(part, before, removing)
    if removing:
        after = None if before is None else part.settings.remove(before, was)
        return Change(part, "unchanged" if after == before else "removed", before, after)
    after = part.settings.install(before)
    if after == before:
        return Change(part, "unchanged", before, before)
    is_there = before is not None and bool(part.settings.programs(before))
    return Change(part, "changed" if is_there else "added", before, after)


def _sealed(part: Part, before: bytes | None, removing: bool) -> Change:
    state = state_of(before, part.text)
    if state in ("edited", "foreign"):
        return Change(part, "kept", before, before, _EDITED if state == "edited" else _FOREIGN)
    if removing:
        return Change(part, "unchanged" if before is None else "removed", before, None)
    if state == "current":
        return Change(part, "unchanged", before, before)
    return Change(part, "added" if before is None else "changed", before, part.text.encode())
