"""Gemini CLI: its MCP servers, its hooks, its skills.

- MCP servers and hooks: `.gemini/settings.json`, else `~/.gemini/settings.json`, JSON that may have comments
  (https://geminicli.com/docs/reference/configuration/). A tool may take 10 minutes unless `timeout`, in
  milliseconds, says otherwise (https://geminicli.com/docs/tools/mcp-server/).
- hooks: `AfterTool` follows every call, failed ones too, the shell's is `run_shell_command`; `SessionStart`
  has the sources startup, resume and clear, and nothing follows a compression; timeouts are in milliseconds
  (https://geminicli.com/docs/hooks/reference/).
- skills: `.gemini/skills/NAME/SKILL.md`, else `~/.gemini/skills/` (https://geminicli.com/docs/cli/skills/).
"""

from __future__ import annotations

from collections.abc import Sequence

from commands.registering.hook_groups import Hook
from commands.registering.jsonc import COMMENTED
from commands.registering.ours import ERROR_CAPTURE, SESSION_BRIEF, shell_command
from commands.registering.recipe import LONGEST_CALL_SECONDS, Part, Recipe, Scope
from commands.registering.servers import Server
from commands.registering.settings import JsonSettings
from commands.registering.skills import skill_parts

__all__ = ["gemini"]

_CAPTURE_MS, _BRIEF_MS = 5_000, 30_000
"""When Gemini CLI gives up on a hook of ours."""


def gemini(scope: Scope, program: Sequence[str], version: str) -> Recipe:
    """What Gemini CLI gets."""
    base = scope.home if scope.user else scope.root
    own = base / ".gemini"
    server = Server(("mcpServers",), tuple(program), after={"timeout": LONGEST_CALL_SECONDS * 1000})
    capture, brief = (shell_command(program, verb) for verb in (ERROR_CAPTURE, SESSION_BRIEF))
    hooks = (
        Hook("AfterTool", "run_shell_command", ERROR_CAPTURE, capture, _CAPTURE_MS, name="ar-error-capture"),
        Hook("SessionStart", "resume", SESSION_BRIEF, brief, _BRIEF_MS, name="ar-brief"),
    )
    parts = (
        Part("settings", own / "settings.json", JsonSettings(COMMENTED, server=server, hooks=hooks)),
        *skill_parts(own / "skills", version),
    )
    trust = () if scope.user else ("start gemini here and trust the folder: else it reads none of .gemini/",)
    return Recipe(
        parts,
        (*trust, "ask gemini for the skill autoresearch to begin a loop"),
        (
            "it has no hook after a compression: the brief comes when a session is resumed",
            "it may choose the skill autoresearch by itself, and asks before it does",
        ),
        base,
    )
