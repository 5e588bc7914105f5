"""Our MCP server among those that an agent starts: put in, kept up to date, taken out. Pure.

    {"mcpServers": {"ar": {"command": "/home/you/.local/bin/ar", "args": ["mcp"]}}}

What somebody added to our entry (an environment, a time limit) stays when the command is kept up to date.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from commands.registering.json_edits import Path, drop, put, require, without_empty
from commands.registering.jsonc import Dialect, Node, SettingsError, line_and_column, parse
from commands.registering.ours import MCP, program_in

__all__ = ["NAME", "Server", "argv_of", "install", "program_at", "remove"]

NAME = "ar"
"""What our server is called in every agent's settings; its tools are `mcp__ar__...` to most."""


class Server(msgspec.Struct, frozen=True):
    """Where an agent's settings hold servers, and what it is told beside the command.

    path: from the root to the object of all servers. program: the absolute argv that starts us. joined: the
    command is one list of words; else a text, with its arguments beside it. before, after: further members.
    """

    path: tuple[str, ...]
    program: tuple[str, ...]
    joined: bool = False
    before: Mapping[str, Any] = {}
    after: Mapping[str, Any] = {}

    def command(self, arguments: Sequence[str] = MCP) -> dict[str, Any]:
        """The members that say what is started."""
        words = [*self.program, *arguments]
        return {"command": words} if self.joined else {"command": words[0], "args": words[1:]}

    def entry(self) -> dict[str, Any]:
        """The entry as it is written anew."""
        return {**self.before, **self.command(), **self.after}


def install(text: str, dialect: Dialect, server: Server) -> str:
    """The text with the server registered. Raises SettingsError where its place holds something else."""
    root = parse(text, dialect)
    place = (*server.path, NAME)
    for length in range(len(server.path) + 1):
        if root.at(place[:length]) is not None:
            require(text, root, place[:length], dict)
    node = root.at(place)
    if node is None:
        return put(text, dialect, place, server.entry())
    words = argv_of(require(text, root, place, dict).value)
    if program_in(words, MCP) is None:
        where = line_and_column(text, node.start)
        raise SettingsError(f"{'.'.join(place)} is the server of another program in {where}")
    for name, value in server.command(words[words.index(MCP[0]) :]).items():
        text = put(text, dialect, (*place, name), value)
    return text


def remove(text: str, dialect: Dialect, path: tuple[str, ...], was: Node | None = None) -> str:
    """The text without our server, nor the objects that then hold nothing and were not there before us."""
    if program_at(parse(text, dialect), path) is None:
        return text
    text = drop(text, dialect, (*path, NAME))
    for length in range(len(path), 0, -1):
        text = without_empty(text, dialect, path[:length], was)
    return text


def program_at(root: Node, path: Path) -> list[str] | None:
    """The words that start us, of our server among those at the path; None where there is none."""
    node = root.at((*path, NAME))
    return program_in(argv_of(node.value), MCP) if node is not None and isinstance(node.value, dict) else None


def argv_of(entry: dict[str, Any]) -> list[str]:
    """The words of an entry's command, of either form; none where it has none."""
    command, arguments = entry.get("command"), entry.get("args", [])
    words = [*command] if isinstance(command, list) else [command]
    words += arguments if isinstance(arguments, list) else []
    argv = [word for word in words if isinstance(word, str)]
    return argv if len(argv) == len(words) else []
