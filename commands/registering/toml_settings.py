"""Our MCP server in settings in TOML: put in, kept up to date, taken out. Pure.

    [mcp_servers.ar]
    command = "/home/you/.local/bin/ar"
    args = ["mcp"]

Codex's `config.toml` is such a file (https://developers.openai.com/codex/mcp). Ours is a table of its own at
the end; everything else stays as it is and where it is.
"""

from __future__ import annotations

import re

import msgspec

from commands.registering.jsonc import SettingsError, line_and_column
from commands.registering.ours import MCP, program_in
from commands.registering.servers import NAME, Server, argv_of
from commands.registering.settings import decoded
from commands.registering.toml_statements import Statement, checked, statements

__all__ = ["TomlSettings"]


class TomlSettings(msgspec.Struct, frozen=True):
    """Settings in TOML that hold our server; see `commands.registering.settings.Settings`."""

    server: Server

    def install(self, data: bytes | None) -> bytes:
        """See `Settings`."""
        bom, text = decoded(data or b"")
        found = self._ours(text)
        if found is None:
            left, command = text + self._table(text), self.server.command()
        else:
            left, command = text, self.server.command(found[found.index(MCP[0]) :])
            for name, value in command.items():
                left = self._with(left, name, value)
        if not self._says(left, command):
            place = self.server.path
            raise SettingsError(
                f"{'.'.join(place)} is an inline table, which cannot be added to, {_where(text, place)}"
            )
        return (bom + left).encode()

    def remove(self, data: bytes, was: bytes | None) -> bytes | None:
        """See `Settings`."""
        bom, text = decoded(data)
        if self._ours(text) is None:
            return data
        left = text
        for each in reversed(self._statements(text)):
            left = _without(left, each)
        checked(left)
        if not left.strip() and was is None:
            return None
        return (bom + left).encode()

    def programs(self, data: bytes) -> list[list[str]]:
        """See `Settings`."""
        words = self._ours(decoded(data)[1])
        program = program_in(words, MCP) if words is not None else None
        return [] if program is None else [program]

    def _ours(self, text: str) -> list[str] | None:
        """The argv of our server, if there is one. Raises SettingsError where there is something else."""
        value: object = checked(text)
        place = (*self.server.path, NAME)
        for length, name in enumerate(place):
            value = value.get(name) if isinstance(value, dict) else None
            if value is None:
                return None
            if not isinstance(value, dict):
                there = place[: length + 1]
                raise SettingsError(f"{'.'.join(there)} is not a table {_where(text, there)}")
        assert isinstance(value, dict)
        words = argv_of(value)
        if program_in(words, MCP) is None:
            raise SettingsError(f"{'.'.join(place)} is the server of another program {_where(text, place)}")
        return words

    def _table(self, text: str) -> str:
        """Our table, to stand at the end of the text and to end as that does."""
        newline = "\r\n" if "\r\n" in text else "\n"
        is_open = bool(text) and not text.endswith("\n")
        lines = [f"[{'.'.join((*self.server.path, NAME))}]"]
        lines += [f"{name} = {_rendered(value)}" for name, value in self.server.entry().items()]
        start = newline * 2 if is_open else newline if text else ""
        return start + newline.join(lines) + ("" if is_open else newline)

    def _statements(self, text: str) -> list[Statement]:
        """Those of our server: its table's, and those of tables in it."""
        place = (*self.server.path, NAME)
        return [each for each in statements(text) if each.path[: len(place)] == place]

    def _with(self, text: str, name: str, value: object) -> str:
        """The text with this value of our server, in the place of what is there."""
        place = (*self.server.path, NAME, name)
        for each in self._statements(text):
            if each.path == place and not each.is_header:
                return text[: each.value] + _rendered(value) + text[each.end :]
        raise SettingsError(f"{'.'.join(place)} is not in a table of its own {_where(text, place[:-1])}")

    def _says(self, text: str, command: dict[str, object]) -> bool:
        """Whether the text means that our server is started by this command."""
        try:
            value: object = checked(text)
        except SettingsError:
            return False
        for name in (*self.server.path, NAME):
            value = value.get(name) if isinstance(value, dict) else None
        return isinstance(value, dict) and all(value.get(name) == each for name, each in command.items())


def _without(text: str, statement: Statement) -> str:
    """The text without a statement's line, nor the blank line before a header."""
    line = text.rfind("\n", 0, statement.start) + 1
    start = line if not text[line : statement.start].strip() else statement.start
    rest = re.compile(r"[ \t]*(\r?\n|\Z)").match(text, statement.end)
    end = rest.end() if rest is not None else statement.end
    if statement.is_header:
        blank = re.compile(r"(?:\A|\n)(\r?\n)\Z").search(text[:start])
        start = blank.start(1) if blank is not None else start
    if rest is not None and not rest[1] and text[:start].endswith("\n"):
        start -= 2 if text[:start].endswith("\r\n") else 1  # a text without a last newline stays one
    return text[:start] + text[end:]


def _rendered(value: object) -> str:
    """A text, a number or a list of them as TOML, on one line."""
    if isinstance(value, list):
        return f"[{', '.join(map(_rendered, value))}]"
    if not isinstance(value, str):
        return str(value).lower()
    import json

    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _where(text: str, place: tuple[str, ...]) -> str:
    """Where the first statement that is about a place stands."""
    for each in statements(text):
        holds_it = not each.is_header and place[: len(each.path)] == each.path
        if holds_it or each.path[: len(place)] == place:
            return f"in {line_and_column(text, each.start)}"
    return "in this file"
