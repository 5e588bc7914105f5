"""Our MCP server among an agent's others."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.registering.jsonc import JSON, JSONC, SettingsError, parse
from commands.registering.servers import Server, install, program_at, remove
from tests.commands.registering.json_texts import objects, texts

SERVER = Server(("mcpServers",), ("/opt/ar",), before={"type": "stdio"})
JOINED = Server(("mcp",), ("/opt/ar",), joined=True, before={"type": "local"}, after={"enabled": True})
PYTHON = Server(("mcpServers",), ("/opt/python", "/opt/autoresearch_ledger.py"))


def test_the_entry_names_the_command_as_the_agent_reads_it() -> None:
    """A text and its arguments, or one list of words."""
    assert SERVER.entry() == {"type": "stdio", "command": "/opt/ar", "args": ["mcp"]}
    assert JOINED.entry() == {"type": "local", "command": ["/opt/ar", "mcp"], "enabled": True}
    assert PYTHON.entry() == {"command": "/opt/python", "args": ["/opt/autoresearch_ledger.py", "mcp"]}


@pytest.mark.parametrize("server", [SERVER, JOINED, PYTHON])
def test_put_in_and_taken_out(server: Server) -> None:
    """Twice is once, and nothing is left."""
    once = install("{}\n", JSON, server)

    assert install(once, JSON, server) == once
    assert program_at(parse(once), server.path) == list(server.program)
    assert remove(once, JSON, server.path) == "{}\n"


def test_what_somebody_added_to_our_entry_stays() -> None:
    """An environment, an argument, a time limit; the command is kept up to date."""
    entry = {"command": "/old/ar", "args": ["mcp", "--quiet"], "env": {"A": "1"}, "timeout": 5}
    after = json.loads(install(json.dumps({"mcpServers": {"ar": entry}}), JSON, PYTHON))

    assert after["mcpServers"]["ar"] == {
        **entry,
        "command": "/opt/python",
        "args": ["/opt/autoresearch_ledger.py", "mcp", "--quiet"],
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "the whole is not an object in line 1, column 1"),
        ('{"mcpServers": 1}', "mcpServers is not an object in line 1, column 16"),
        ('{"mcpServers": {"ar": "x"}}', "mcpServers.ar is not an object in line 1, column 23"),
        (
            '{"mcpServers": {\n"ar": {"command": "npx", "args": ["ar-server", "mcp"]}}}',
            "mcpServers.ar is the server of another program in line 2, column 7",
        ),
    ],
)
def test_what_holds_something_else_is_refused(text: str, reason: str) -> None:
    """A server of another program that has our name is not ours to replace."""
    with pytest.raises(SettingsError) as error:
        install(text, JSON, SERVER)

    assert str(error.value) == reason
    if text.startswith("{"):
        assert remove(text, JSON, SERVER.path) == text


@given(
    objects.filter(lambda value: isinstance(value.get("mcpServers", {}), dict)).flatmap(
        lambda value: st.tuples(st.just(value), texts(value, comments=True, trailing_commas=True))
    )
)
def test_any_settings_keep_what_is_not_ours(source: tuple[dict[str, Any], str]) -> None:
    """Every other member, and every comment; taken out, it means what it meant."""
    before, text = source
    if "ar" in before.get("mcpServers", {}):
        with pytest.raises(SettingsError):
            install(text, JSONC, SERVER)
        return
    after = install(text, JSONC, SERVER)

    others = {**before.get("mcpServers", {}), "ar": SERVER.entry()}
    assert parse(after, JSONC).value == {**before, "mcpServers": others}
    assert after.count("note") == text.count("note")
    left = remove(after, JSONC, SERVER.path, parse(text, JSONC))
    assert parse(left, JSONC).value == before
    if before.get("mcpServers") or (before and "mcpServers" not in before):
        assert left == text
