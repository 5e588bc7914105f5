"""Claude Code: its MCP servers, its hooks, its skills.

- MCP servers: `.mcp.json` at a project's root, else `~/.claude.json`
  (https://code.claude.com/docs/en/mcp, "MCP installation scopes").
- hooks: `.claude/settings.json`, else `~/.claude/settings.json`; `PostToolUse` is a call that went well,
  `PostToolUseFailure` one that failed, `SessionStart` has the sources startup, resume, clear and compact;
  timeouts are in seconds (https://code.claude.com/docs/en/hooks).
- skills: `.claude/skills/NAME/SKILL.md`, else `~/.claude/skills/` (https://code.claude.com/docs/en/skills).

`CLAUDE_CONFIG_DIR` moves what lies in the home directory.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from commands.registering.hook_groups import Hook
from commands.registering.jsonc import JSON
from commands.registering.ours import ERROR_CAPTURE, SESSION_BRIEF, shell_command
from commands.registering.recipe import Part, Recipe, Scope
from commands.registering.servers import Server
from commands.registering.settings import JsonSettings
from commands.registering.skills import skill_parts

__all__ = ["CAPTURE_EVENTS", "capture_settings", "claude", "settings_path"]

CAPTURE_EVENTS = ("PostToolUse", "PostToolUseFailure")
"""The events that error capture is registered for: failed Bash calls arrive only as the second."""

CAPTURE_SECONDS = 5
"""When Claude Code gives up on error capture, which itself ends within 2 seconds."""

BRIEF_SECONDS = 30
"""When it gives up on the brief, which a long log without snapshots may cost some seconds."""


def claude(scope: Scope, program: Sequence[str], version: str) -> Recipe:
    """What Claude Code gets. program: the absolute argv that starts us."""
    own = _own_directory(scope)
    brief = Hook(
        "SessionStart", "compact|resume", SESSION_BRIEF, shell_command(program, SESSION_BRIEF), BRIEF_SECONDS
    )
    servers = Server(("mcpServers",), tuple(program), before={"type": "stdio"})
    hooks = (*_captures(program), brief)
    parts = (
        Part("mcp", _servers_path(scope), JsonSettings(JSON, server=servers)),
        Part("hooks", settings_path(scope), JsonSettings(JSON, hooks=hooks)),
        *skill_parts(own / "skills", version),
    )
    trust = (
        () if scope.user else ("start claude here and let it use the MCP server of .mcp.json: it asks once",)
    )
    return Recipe(parts, (*trust, "/autoresearch in claude begins a loop"), (), own.parent)


def capture_settings(program: Sequence[str]) -> JsonSettings:
    """Error capture alone, in `settings.json`."""
    return JsonSettings(JSON, hooks=_captures(program), verbs=(ERROR_CAPTURE,))


def settings_path(scope: Scope) -> Path:
    """The settings that hold hooks."""
    return _own_directory(scope) / "settings.json"


def _captures(program: Sequence[str]) -> tuple[Hook, ...]:
    command = shell_command(program, ERROR_CAPTURE)
    return tuple(Hook(event, "Bash", ERROR_CAPTURE, command, CAPTURE_SECONDS) for event in CAPTURE_EVENTS)


def _own_directory(scope: Scope) -> Path:
    if not scope.user:
        return scope.root / ".claude"
    return scope.directory("CLAUDE_CONFIG_DIR", scope.home / ".claude")


def _servers_path(scope: Scope) -> Path:
    if not scope.user:
        return scope.root / ".mcp.json"
    return scope.directory("CLAUDE_CONFIG_DIR", scope.home) / ".claude.json"
