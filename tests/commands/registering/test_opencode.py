"""OpenCode: the place of our server, which depends on what is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands.effects.settings_file import read_if_there
from commands.registering.jsonc import SettingsError
from commands.registering.opencode import OpencodeSettings, opencode
from commands.registering.recipe import Scope

PROGRAM = ("/opt/ar",)
SETTINGS = OpencodeSettings(PROGRAM)


def settings_path(root: Path, **variables: str) -> Path:
    """Where our server goes."""
    scope = Scope(root, root, bool(variables), variables, read_if_there)
    return opencode(scope, PROGRAM, "1").parts[0].path


def test_the_file_that_holds_ours_is_the_file(tmp_path: Path) -> None:
    """Else the one with comments, else the other."""
    plain, commented = tmp_path / "opencode.json", tmp_path / "opencode.jsonc"
    assert settings_path(tmp_path) == plain

    commented.write_text("{}")
    plain.write_text("{}")
    assert settings_path(tmp_path) == commented
    plain.write_bytes(SETTINGS.install(b"{}"))
    assert settings_path(tmp_path) == plain
    commented.write_text("{")
    assert settings_path(tmp_path) == plain
    plain.unlink()
    assert settings_path(tmp_path) == commented


def test_where_the_users_settings_lie(tmp_path: Path) -> None:
    """As the variable says."""
    path = settings_path(tmp_path, XDG_CONFIG_HOME=str(tmp_path / "cfg"))
    assert path == tmp_path / "cfg" / "opencode" / "opencode.json"


@pytest.mark.parametrize(
    ("before", "place"),
    [
        ({}, ("mcp", "ar")),
        ({"mcp": {}}, ("mcp", "ar")),
        ({"mcp": {"servers": {}}}, ("mcp", "servers", "ar")),
        ({"mcp": {"servers": {"x": {"type": "local", "command": ["x"]}}}}, ("mcp", "servers", "ar")),
        ({"mcp": {"servers": {"type": "local", "command": ["x"]}}}, ("mcp", "ar")),
        ({"mcp": {"servers": {"enabled": False}}}, ("mcp", "ar")),
    ],
)
def test_the_place_in_it(before: object, place: tuple[str, ...]) -> None:
    """The form that is there; a server that is called "servers" is not mistaken for it."""
    data = json.dumps(before).encode()
    done = SETTINGS.install(data)

    entry = json.loads(done)
    for name in place:
        entry = entry[name]
    assert entry["command"] == ["/opt/ar", "mcp"]
    assert SETTINGS.programs(done) == [["/opt/ar"]]
    assert SETTINGS.remove(done, data) == data
    assert SETTINGS.install(done) == done


def test_an_entry_stays_where_it_is() -> None:
    """Though somebody has begun to use the other form."""
    before = SETTINGS.install(b"{}")
    document = json.loads(before)
    document["mcp"]["servers"] = {}
    mixed = json.dumps(document, indent=2).encode()

    assert SETTINGS.install(mixed) == mixed
    left = SETTINGS.remove(mixed, None)
    assert left is not None
    assert json.loads(left) == {"mcp": {"servers": {}}}


@pytest.mark.parametrize("before", [b'{"mcp": []}', b'{"mcp": {"servers": {}, "x": 1}', b"[]"])
def test_other_types_are_refused(before: bytes) -> None:
    """And nothing is guessed."""
    with pytest.raises(SettingsError):
        SETTINGS.install(before)
