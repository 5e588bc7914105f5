"""What a server serves: whose calls these are and which session they are about, found out anew by each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from commands.context import Call
from commands.effects.measuring import Step
from commands.errors import BadInputError
from commands.mcp.arguments import Arguments
from eventstore.roles import is_author, role_of

__all__ = ["Answer", "Served", "Work"]


class Served(msgspec.Struct, frozen=True):
    """What the server was started with; it keeps nothing else.

    by: who appends, `role` or `role:name`. log_file, in_place: as for `Call`. client: pid of the process that
    speaks to it; None where there may be several.
    """

    by: str
    log_file: str | None = None
    in_place: bool = False
    client: int | None = None

    def call(self, cwd: str | None = None) -> Call:
        """A call from this directory, or from where the server was started. Raises BadInputError."""
        if cwd is None:
            return Call(self.log_file, in_place=self.in_place)
        directory = Path(cwd)
        if not directory.is_dir():
            raise BadInputError(
                f"cwd: {cwd[:200]!r} is no directory", "name one that exists, best by its absolute path"
            )
        return Call(directory=directory)

    def author(self, agent: str | None) -> str:
        """Who appends: the server's role under the agent's name, if it gives one. Raises BadInputError."""
        if agent is None:
            return self.by
        by = f"{role_of(self.by)}:{agent}"
        if not is_author(by):
            raise BadInputError(
                f"agent: {agent[:80]!r} is no name", "1 to 64 printable characters without spaces"
            )
        return by


class Work(msgspec.Struct, frozen=True):
    """One call of a tool, while it is worked on.

    told: to be called as each command begins and ends. heard: gets what commands print.
    """

    served: Served
    told: Callable[[Step], None]
    heard: Callable[[bytes], None]

    def call(self, arguments: Arguments) -> Call:
        """The call that the arguments are about."""
        return self.served.call(arguments.cwd)


class Answer(msgspec.Struct, frozen=True):
    """What a tool answers.

    text: for the agent, as the command line would tell it; the words of agents in it are escaped. document:
    the structured content, anything that msgspec encodes. failed: whether what was asked for was not done.
    """

    text: str
    document: dict[str, Any]
    failed: bool = False
