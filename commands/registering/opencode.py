"""OpenCode: its MCP servers, its plugins, its skills.

- settings: `opencode.json` or `opencode.jsonc` at a project's root, else in `~/.config/opencode/`; both are
  read, as JSON with comments and trailing commas (https://opencode.ai/v1/docs/config).
- MCP servers: `mcp.NAME` with one list of words as `command` (https://opencode.ai/v1/docs/mcp-servers);
  `timeout`, in milliseconds, is for fetching the tools and for each call of one
  (https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/mcp/catalog.ts). OpenCode 2 takes this
  form too; its own is `mcp.servers.NAME`, which is used where it is there already: with a timeout for each,
  and `codemode`, without which the model is told of the tools at once
  (https://opencode.ai/docs/mcp-servers,
  https://github.com/anomalyco/opencode/blob/v2/packages/schema/src/mcp.ts).
- plugins: modules in `.opencode/plugins/`, else in `~/.config/opencode/plugins/`. Since 1.18 OpenCode 1 reads
  `server` of a module's default export (https://opencode.ai/v1/docs/plugins), OpenCode 2 its `setup`
  (https://opencode.ai/docs/build/plugins/migrate-v1); ours has both.
- skills: `.opencode/skills/NAME/SKILL.md`, else `~/.config/opencode/skills/`
  (https://opencode.ai/docs/skills).

`XDG_CONFIG_HOME` moves `~/.config`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from commands.registering.jsonc import JSONC, SettingsError, parse
from commands.registering.plugins import plugin_part
from commands.registering.recipe import LONGEST_CALL_SECONDS, Part, Recipe, Scope
from commands.registering.servers import Server, program_at
from commands.registering.settings import JsonSettings, decoded
from commands.registering.skills import skill_parts

__all__ = ["OpencodeSettings", "opencode"]

_START_MS = 30_000
"""How long our server may take to start, on a machine that is busy."""

_CALL_MS = LONGEST_CALL_SECONDS * 1000

_NAMES = ("opencode.jsonc", "opencode.json")
"""Its settings, the one that is taken first where both are there."""

_PLACE, _OWN_PLACE = ("mcp",), ("mcp", "servers")


class OpencodeSettings(msgspec.Struct, frozen=True):
    """Settings with our server where they have theirs. program: the absolute argv that starts us."""

    program: tuple[str, ...]

    def install(self, data: bytes | None) -> bytes:
        """See `Settings`."""
        return self._at(_place(data)).install(data)

    def remove(self, data: bytes, was: bytes | None) -> bytes | None:
        """See `Settings`."""
        return self._at(_place(data)).remove(data, was)

    def programs(self, data: bytes) -> list[list[str]]:
        """See `Settings`."""
        return self._at(_place(data)).programs(data)

    def _at(self, place: tuple[str, ...]) -> JsonSettings:
        further: dict[str, object] = {"enabled": True, "timeout": _CALL_MS}
        if place == _OWN_PLACE:
            further = {"codemode": False, "timeout": {"startup": _START_MS, "execution": _CALL_MS}}
        server = Server(place, self.program, joined=True, before={"type": "local"}, after=further)
        return JsonSettings(JSONC, server=server)


def opencode(scope: Scope, program: Sequence[str], version: str) -> Recipe:
    """What OpenCode gets."""
    base = scope.directory("XDG_CONFIG_HOME", scope.home / ".config") if scope.user else scope.root
    own = base / "opencode" if scope.user else base / ".opencode"
    settings = OpencodeSettings(tuple(program))
    parts = (
        Part("mcp", _settings_path(scope, own if scope.user else base, settings), settings),
        plugin_part("opencode.js", own / "plugins" / "ar.js", program, version),
        *skill_parts(own / "skills", version),
    )
    return Recipe(
        parts,
        ("restart opencode if it runs", "ask opencode for the skill autoresearch to begin a loop"),
        ("it may choose the skill autoresearch by itself; permission.skill can ask or deny",),
        scope.floor(own),
    )


def _settings_path(scope: Scope, directory: Path, settings: OpencodeSettings) -> Path:
    """The file that holds our server; else the one that is there."""
    paths = [directory / name for name in _NAMES]
    found = {path: data for path in paths if (data := scope.read(path)) is not None}
    for path, data in found.items():
        try:
            if settings.programs(data):
                return path
        except SettingsError:
            continue
    return next(iter(found), paths[-1])


def _place(data: bytes | None) -> tuple[str, ...]:
    """Where ours is; else `mcp.servers`, which is OpenCode 2's, if it is an object of servers, else `mcp`."""
    text = decoded(data or b"")[1]
    root = parse(text if text.strip() else "{}", JSONC)
    if program_at(root, _PLACE) is not None:
        return _PLACE
    node = root.at(_OWN_PLACE)
    return _OWN_PLACE if node is not None and _holds_servers(node.value) else _PLACE


def _holds_servers(value: object) -> bool:
    # A server that is called "servers" has a type, or at least a switch that is no object.
    return isinstance(value, dict) and all(isinstance(each, dict) for each in value.values())
