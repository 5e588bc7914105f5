"""Codex: its MCP servers, its hooks, its skills.

- MCP servers: `[mcp_servers.NAME]` in `~/.codex/config.toml`, or in a project's `.codex/config.toml`, which
  is read where the project is trusted; a tool may take 60 seconds unless `tool_timeout_sec` says otherwise
  (https://developers.openai.com/codex/mcp, https://developers.openai.com/codex/config-reference).
- hooks: `hooks.json` beside that file; `PostToolUse` follows every shell command, which its matcher calls
  `Bash`, failed ones too; `SessionStart` has the sources startup, resume, clear and compact; timeouts are in
  seconds; each is to be reviewed in `/hooks` before it runs (https://developers.openai.com/codex/hooks).
- skills: `.agents/skills/NAME/SKILL.md` with `agents/openai.yaml`, else `~/.agents/skills/`
  (https://developers.openai.com/codex/skills).

`CODEX_HOME` moves `~/.codex`. In its sandbox a repository's `.git` cannot be written
(https://developers.openai.com/codex/agent-approvals-security), and MCP servers run outside of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from commands.registering.hook_groups import Hook
from commands.registering.jsonc import JSON
from commands.registering.ours import ERROR_CAPTURE, SESSION_BRIEF, shell_command
from commands.registering.recipe import LONGEST_CALL_SECONDS, Part, Recipe, Scope
from commands.registering.servers import Server
from commands.registering.settings import JsonSettings
from commands.registering.skills import skill_parts
from commands.registering.toml_settings import TomlSettings

__all__ = ["codex"]

_CAPTURE_SECONDS, _BRIEF_SECONDS = 5, 30
"""When Codex gives up on a hook of ours."""

_START_SECONDS = 30
"""How long our server may take to start, on a machine that is busy."""


def codex(scope: Scope, program: Sequence[str], version: str) -> Recipe:
    """What Codex gets."""
    base = scope.home if scope.user else scope.root
    own = scope.directory("CODEX_HOME", base / ".codex") if scope.user else base / ".codex"
    limits = {"startup_timeout_sec": _START_SECONDS, "tool_timeout_sec": LONGEST_CALL_SECONDS}
    capture, brief = (shell_command(program, verb) for verb in (ERROR_CAPTURE, SESSION_BRIEF))
    hooks = (
        Hook("PostToolUse", "Bash", ERROR_CAPTURE, capture, _CAPTURE_SECONDS),
        Hook("SessionStart", "compact|resume", SESSION_BRIEF, brief, _BRIEF_SECONDS),
    )
    parts = (
        Part(
            "mcp", own / "config.toml", TomlSettings(Server(("mcp_servers",), tuple(program), after=limits))
        ),
        Part("hooks", own / "hooks.json", JsonSettings(JSON, hooks=hooks)),
        *skill_parts(base / ".agents" / "skills", version, codex=True),
    )
    trust = () if scope.user else ("start codex here and trust the project: else it reads none of .codex/",)
    return Recipe(
        parts,
        (*trust, "review the hooks in codex: /hooks", "$autoresearch in codex begins a loop"),
        ("in its sandbox a shell command cannot commit: ar cycle is the MCP tool cycle there",),
        base,
    )
