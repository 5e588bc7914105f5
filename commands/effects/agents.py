"""The agents that `ar loop` can start: presets, and commands of the user's own (design, section 6.1).

A preset is an agent's own non-interactive form: it reads the brief from stdin, works until it is done, asks
nothing, and ends. None continues an earlier conversation: every turn begins afresh.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from commands.errors import BadInputError
from hooks.process import shell_argv

__all__ = ["PRESETS", "Agent", "Preset", "agent_of"]


class Preset(msgspec.Struct, frozen=True):
    """How an agent is started.

    argv: without its turn limit. turns: the option that limits its turns, followed by the number; None where
    it has none. limit_codes: exit codes that say that this limit was reached, limit_text: what its last line
    then begins with; such a turn is over, not failed.
    """

    argv: tuple[str, ...]
    turns: str | None = None
    limit_codes: tuple[int, ...] = ()
    limit_text: str | None = None


PRESETS: dict[str, Preset] = {
    "claude": Preset(
        ("claude", "-p", "--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Write"),
        turns="--max-turns",
        limit_text="Error: Reached max turns",
    ),
    "codex": Preset(("codex", "exec", "--sandbox", "workspace-write", "-")),
    "gemini": Preset(("gemini", "--approval-mode", "yolo"), limit_codes=(53,)),
    "opencode": Preset(("opencode", "run", "--auto")),
    "pi": Preset(("pi", "--print", "--no-session")),
}
"""Agents by name. Codex, gemini, opencode and pi take no turn limit on the command line."""


class Agent(msgspec.Struct, frozen=True):
    """What is started for each turn.

    name: the preset's, else the command. argv: as it is run. preset: None for a command of the user's own.
    """

    name: str
    argv: tuple[str, ...]
    preset: Preset | None = None

    def reached_limit(self, exit_code: int | None, last_line: str) -> bool:
        """Whether a turn ended because the agent's own turn limit was reached."""
        if self.preset is None or not exit_code:
            return False
        text = self.preset.limit_text
        return exit_code in self.preset.limit_codes or (text is not None and last_line.startswith(text))


def agent_of(command: str, max_turns: int) -> Agent:
    """The agent that a name or a command line means.

    max_turns: from 1, for presets that take a limit. Raises BadInputError for an empty command, and for a
    preset whose program is not there.
    """
    preset = PRESETS.get(command)
    if preset is not None:
        _require_program(command, preset.argv)
        limit = () if preset.turns is None else (preset.turns, str(max_turns))
        head, tail = (preset.argv[:-1], preset.argv[-1:]) if preset.argv[-1] == "-" else (preset.argv, ())
        return Agent(command, (*head, *limit, *tail), preset)
    if not command.strip():
        raise BadInputError("--agent names no command", f"a command, or one of {', '.join(PRESETS)}")
    return Agent(command, tuple(shell_argv(command)))


def _require_program(name: str, argv: Sequence[str]) -> None:
    import shutil

    if shutil.which(argv[0]) is None:
        raise BadInputError(f"{argv[0]} is not found on PATH", f"install {name}, or --agent 'a command'")
