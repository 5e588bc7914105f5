"""Pi: its MCP servers, its extensions, its skills.

- MCP servers: `.pi/mcp.json`, else `~/.pi/agent/mcp.json`; `timeout` is in seconds, `exposure` "direct" tells
  the model of the tools at once
  (https://github.com/earendil-works/pi/blob/main/packages/coding-agent/docs/mcp.md).
- extensions: modules in `.pi/extensions/`, else in `~/.pi/agent/extensions/`; `tool_result` may add to what a
  tool printed, `session_compact` follows a compaction
  (https://github.com/earendil-works/pi/blob/main/packages/coding-agent/docs/extensions.md).
- skills: `.pi/skills/NAME/SKILL.md`, else `~/.pi/agent/skills/`
  (https://github.com/earendil-works/pi/blob/main/packages/coding-agent/docs/skills.md).

`PI_CODING_AGENT_DIR` moves `~/.pi/agent`.
"""

from __future__ import annotations

from collections.abc import Sequence

from commands.registering.jsonc import JSON
from commands.registering.plugins import plugin_part
from commands.registering.recipe import LONGEST_CALL_SECONDS, Part, Recipe, Scope
from commands.registering.servers import Server
from commands.registering.settings import JsonSettings
from commands.registering.skills import skill_parts

__all__ = ["pi"]


def pi(scope: Scope, program: Sequence[str], version: str) -> Recipe:
    """What pi gets."""
    home = scope.home / ".pi" / "agent"
    own = scope.directory("PI_CODING_AGENT_DIR", home) if scope.user else scope.root / ".pi"
    server = Server(
        ("mcpServers",), tuple(program), after={"exposure": "direct", "timeout": LONGEST_CALL_SECONDS}
    )
    parts = (
        Part("mcp", own / "mcp.json", JsonSettings(JSON, server=server)),
        plugin_part("pi.js", own / "extensions" / "ar.ts", program, version),
        *skill_parts(own / "skills", version),
    )
    trust = () if scope.user else ("start pi here and trust the project: else it reads none of .pi/",)
    return Recipe(
        parts,
        (*trust, "/skill:autoresearch in pi begins a loop"),
        ("a pi without MCP needs the extension pi-mcp-adapter for mcp.json, or uses commands alone",),
        scope.floor(own),
    )
