"""A file of settings that an agent and its user write too: what is ours in it, put in and taken out. Pure.

    settings = JsonSettings(JSON, hooks=(...,))
    after = settings.install(before)              # bytes, None for no file
    again = settings.remove(after, was=before)    # the very bytes of before

`was` is what the file held before we changed it first, which lies beside it as a backup: by it, a container
that was there empty stays, and one that we made goes.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from commands.registering import hook_groups, servers
from commands.registering.hook_groups import Hook
from commands.registering.jsonc import Dialect, Node, SettingsError, parse
from commands.registering.ours import ERROR_CAPTURE, SESSION_BRIEF, program_in
from commands.registering.servers import Server

__all__ = ["JsonSettings", "Settings", "decoded"]

_BOM = "\ufeff"


class Settings(Protocol):
    """What may be done to such a file, by its bytes."""

    def install(self, data: bytes | None) -> bytes:
        """With all that is ours, each once, as it is now. Raises SettingsError if it is to be left alone."""

    def remove(self, data: bytes, was: bytes | None) -> bytes | None:
        """Without what is ours; None for a file that was not there before. Raises SettingsError likewise."""

    def programs(self, data: bytes) -> list[list[str]]:
        """The words that start us, of each entry of ours. Raises SettingsError if it cannot be read."""


class JsonSettings(msgspec.Struct, frozen=True):
    """Settings in JSON.

    dialect: what the agent's parser takes. server: our MCP server; None where none is kept here. hooks: our
    commands at the agent's events. verbs: what of ours is taken out beside the server; by default all hooks.
    """

    dialect: Dialect
    server: Server | None = None
    hooks: tuple[Hook, ...] = ()
    verbs: tuple[tuple[str, ...], ...] = (ERROR_CAPTURE, SESSION_BRIEF)

    def install(self, data: bytes | None) -> bytes:
        """See `Settings`."""
        bom, text = decoded(data or b"")
        text = text if text.strip() else "{}\n"
        if self.server is not None:
            text = servers.install(text, self.dialect, self.server)
        text = hook_groups.install(text, self.dialect, self.hooks)
        return (bom + text).encode()

    def remove(self, data: bytes, was: bytes | None) -> bytes | None:
        """See `Settings`."""
        bom, text = decoded(data)
        if not text.strip():
            return data
        before = self._clean(was)
        left = text
        if self.server is not None:
            left = servers.remove(left, self.dialect, self.server.path, before)
        if self.hooks:
            left = hook_groups.remove(left, self.dialect, self.verbs, before)
        if left == text:
            return data
        root = parse(left, self.dialect)
        if was is not None and before is not None and _is_the_same(root, left, before, decoded(was)[1]):
            return was
        is_empty = root.value == {} and not root.has_comment() and not _outside(left, root)
        return None if is_empty and was is None else (bom + left).encode()

    def programs(self, data: bytes) -> list[list[str]]:
        """See `Settings`."""
        text = decoded(data)[1]
        if not text.strip():
            return []
        root = parse(text, self.dialect)
        found = [servers.program_at(root, self.server.path)] if self.server is not None else []
        for verb in self.verbs if self.hooks else ():
            found += [program_in(each, verb) for each in hook_groups.commands_in(root, verb)]
        return [words for words in found if words is not None]

    def _clean(self, was: bytes | None) -> Node | None:
        """The root of what the file was, if that is known and can be read."""
        try:
            text = decoded(was)[1] if was is not None else ""
            return parse(text if text.strip() else "{}", self.dialect) if was is not None else None
        except SettingsError:
            return None


def decoded(data: bytes) -> tuple[str, str]:
    """The byte order mark, if there is one, and the text. Raises SettingsError for what is not UTF-8."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise SettingsError(f"not UTF-8 from byte {error.start + 1} on") from error
    bare = text.removeprefix(_BOM)
    return text[: len(text) - len(bare)], bare


def _is_the_same(root: Node, text: str, before: Node, was: str) -> bool:
    """Whether two texts differ in white space alone, and mean the same."""
    if root.value != before.value:
        return False
    # An empty file was taken for an empty object.
    return "".join(text.split()) == ("".join(was.split()) or "{}")


def _outside(text: str, root: Node) -> str:
    """What stands before and behind the root, white space apart: comments."""
    return (text[: root.start] + text[root.end :]).strip()
