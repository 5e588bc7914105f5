"""Whole files of settings: as bytes, with what they were before."""

from __future__ import annotations

import pytest
from hypothesis import given

from commands.registering.hook_groups import Hook
from commands.registering.jsonc import JSON, JSONC, SettingsError
from commands.registering.ours import ERROR_CAPTURE, shell_command
from commands.registering.servers import Server
from commands.registering.settings import JsonSettings
from tests.commands.registering.json_texts import objects, texts

PROGRAM = ("/opt/ar tools/ar",)
SETTINGS = JsonSettings(
    JSONC,
    server=Server(("mcpServers",), PROGRAM),
    hooks=(Hook("PostToolUse", "Bash", ERROR_CAPTURE, shell_command(PROGRAM, ERROR_CAPTURE), 5),),
)


def test_a_file_of_our_own_making_goes_again() -> None:
    """And one that was there, though empty, does not."""
    made = SETTINGS.install(None)

    assert SETTINGS.programs(made) == [list(PROGRAM)] * 2
    assert SETTINGS.remove(made, None) is None
    for was in (b"", b"\n", b"{}", b"{ }\n", b"\xef\xbb\xbf{}"):
        assert SETTINGS.remove(SETTINGS.install(was), was) == was


def test_a_file_in_which_somebody_else_wrote_stays() -> None:
    """Be it a comment."""
    made = SETTINGS.install(None)

    left = SETTINGS.remove(b"// mine\n" + made, None)
    assert left == b"// mine\n{}\n"


def test_an_edit_made_since_is_no_reason_to_put_back_what_was() -> None:
    """A comment that was added, a blank in a text that was changed."""
    was = b'{"a": "x y", "hooks": {}}'
    after = SETTINGS.install(was)

    assert SETTINGS.remove(after, was) == was
    assert SETTINGS.remove(after.replace(b"x y", b"xy"), was) == was.replace(b"x y", b"xy")
    commented = after.replace(b'"x y"', b'"x y" /* mine */')
    assert b"/* mine */" in (SETTINGS.remove(commented, was) or b"")


@pytest.mark.parametrize(
    ("text", "start", "ending"),
    [
        (b'{\r\n  "a": 1\r\n}\r\n', b'{\r\n  "a": 1,\r\n  "mcpServers"', b"}\r\n"),
        (b'\xef\xbb\xbf{\n "a": 1\n}', b'\xef\xbb\xbf{\n "a": 1,\n "mcpServers"', b"\n}"),
        (b'{\n\t"a": "\\ud83d"\n}\n', b'{\n\t"a": "\\ud83d",\n\t"mcpServers"', b"}\n"),
    ],
    ids=["CRLF", "BOM, one blank, no newline", "tabs, half a character"],
)
def test_the_files_own_manner_is_kept(text: bytes, start: bytes, ending: bytes) -> None:
    """Indentation, line ends, a byte order mark, the last newline: as they were."""
    data = SETTINGS.install(text)

    assert data.startswith(start)
    assert data.endswith(ending)
    assert SETTINGS.remove(data, None) == text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"a":"\xff"}', "not UTF-8 from byte 7 on"),
        (b"{", "not JSON: a name in double quotes is missing in line"),
    ],
)
def test_what_is_malformed_is_refused(data: bytes, reason: str) -> None:
    """By everything that would look into it."""
    for call in (SETTINGS.install, SETTINGS.programs, lambda each: SETTINGS.remove(each, None)):
        with pytest.raises(SettingsError, match=reason):
            call(data)


def test_where_nothing_is_ours_nothing_changes() -> None:
    """Not a byte."""
    for data in (b"", b"  \n", b'{ "mcpServers" :{ } }'):
        assert SETTINGS.remove(data, None) == data
        assert SETTINGS.programs(data) == []


def test_hooks_alone_leave_a_server_alone() -> None:
    """What is not asked about is not taken out."""
    both = SETTINGS.install(None)
    hooks = JsonSettings(JSON, hooks=SETTINGS.hooks, verbs=(ERROR_CAPTURE,))

    left = hooks.remove(both, None)
    assert left == JsonSettings(JSON, server=SETTINGS.server).install(None)


@given(
    objects.filter(
        lambda value: (
            isinstance(value.get("mcpServers", {}), dict) and "ar" not in value.get("mcpServers", {})
        )
    )
    .filter(lambda value: isinstance(value.get("hooks", {}), dict))
    .filter(lambda value: isinstance(value.get("hooks", {}).get("PostToolUse", []), list))
    .flatmap(lambda value: texts(value, comments=True, trailing_commas=True))
)
def test_taking_out_undoes_putting_in(text: str) -> None:
    """Byte for byte, whatever the file looked like; twice in is once in, twice out is once out."""
    was = text.encode()
    after = SETTINGS.install(was)

    assert SETTINGS.install(after) == after
    assert SETTINGS.remove(after, was) == was
    assert SETTINGS.remove(was, None) == was
