"""Whether a command in an agent's settings is one of ours, wherever it is installed. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

__all__ = ["ERROR_CAPTURE", "MCP", "SESSION_BRIEF", "program_in", "shell_command"]

ERROR_CAPTURE = ("hook", "error-capture")
SESSION_BRIEF = ("hook", "brief")
MCP = ("mcp",)
"""What we register, as the words behind our program."""

_PROGRAMS = ("ar", "autoresearch", "autoresearch_ledger.py")


def shell_command(program: Sequence[str], verb: Sequence[str]) -> str:
    """A command line for a shell that starts `verb` of ours. program: the absolute argv that starts us."""
    return shlex.join([*program, *verb])


def program_in(command: str | Sequence[str], verb: Sequence[str]) -> list[str] | None:
    """The words that start us, if a command starts `verb` of ours, whatever was put around it; else None.

    command: a line for a shell, or an argv.
    """
    if isinstance(command, str):
        if verb[-1] not in command:
            return None
        try:
            words = shlex.split(command)
        except ValueError:
            return None
    else:
        words = list(command)
    wanted = list(verb)
    at = next((i for i in range(len(words)) if words[i : i + len(wanted)] == wanted), 0)
    ours = [i for i, word in enumerate(words[:at]) if word.rpartition("/")[2] in _PROGRAMS]
    if not ours:
        return None
    return words[ours[-1] - 1 : at] if words[ours[-1]].endswith(".py") and ours[-1] else words[ours[-1] : at]
