"""Our entries in Claude Code's settings: put in, kept up to date, taken out, and nothing else touched."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.claude_settings import (
    EVENTS,
    SettingsError,
    capture_command,
    install,
    parse,
    remove,
    render,
)

GOLDEN = Path(__file__).parent / "claude_settings"
COMMAND = capture_command(["/opt/ar tools/bin/ar"])


@pytest.mark.parametrize("name", ["nothing", "other-hooks", "outdated", "tabs"])
def test_golden_merges(name: str) -> None:
    """Key order, formatting and everybody else's hooks stay; old and doubled entries of ours become one."""
    before = (GOLDEN / f"{name}.json").read_bytes()
    installed = install(parse(before), COMMAND)

    assert render(installed) == (GOLDEN / f"{name}.installed.json").read_bytes()
    assert render(remove(installed)) == (GOLDEN / f"{name}.removed.json").read_bytes()


def test_the_command_is_one_word_and_two_more() -> None:
    """A path with blanks, quotes or a dollar is still one word to the shell."""
    program = ["/opt/it's $HOME/bin/ar"]

    assert shlex.split(capture_command(program)) == [*program, "hook", "error-capture"]


def test_both_events_are_registered_for_bash_alone() -> None:
    """A failed Bash call arrives only as PostToolUseFailure, so that one is registered too."""
    hooks = install(parse(b""), COMMAND).settings["hooks"]

    assert tuple(hooks) == EVENTS == ("PostToolUse", "PostToolUseFailure")
    assert [group["matcher"] for groups in hooks.values() for group in groups] == ["Bash", "Bash"]


def test_installing_twice_is_installing_once() -> None:
    """The second time there is nothing to change, and the document is the same object."""
    once = install(parse(b'{"hooks":{"PostToolUse":[]}}'), COMMAND)

    assert install(once, COMMAND) is once


def test_a_new_place_of_ar_takes_the_old_ones_place() -> None:
    """After an upgrade to elsewhere there is still one entry, with the new path."""
    moved = install(install(parse(b""), COMMAND), capture_command(["/new/ar"]))

    assert render(moved) == render(install(parse(b""), capture_command(["/new/ar"])))


def test_removing_where_there_is_nothing_of_ours() -> None:
    """Nothing changes, not even what looks like ours to a careless eye."""
    handlers = [
        {"type": "command", "command": "echo error-capture"},
        {"type": "command", "command": "other hook error-capture"},
        {"type": "prompt"},
        "odd",
    ]
    groups = [{"matcher": "Bash", "hooks": handlers}, "odd", {"hooks": 3}]
    document = parse(json.dumps({"hooks": {"PostToolUse": groups, "Stop": 7}}).encode())

    assert remove(document) is document


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"{", "not JSON: Expecting property name"),
        (b'{"a":1} // note', "not JSON: Extra data in line 1, column 9"),
        (b"[]", "not an object"),
        (b'{"hooks":[]}', "hooks is not an object"),
        (b'{"hooks":{"PostToolUse":{}}}', "hooks.PostToolUse is not a list"),
        (b'{"a":1,"a":2}', "the key 'a' is given twice"),
        (b'{"a":NaN}', "NaN is no number"),
        (b'{"a":1e999}', "1e999 is no number"),
        (b'{"a":"\xff"}', "not UTF-8 from byte 7 on"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_malformed_is_refused(text: bytes, reason: str) -> None:
    """What we could not write back as it was is not touched, and the message says why."""
    with pytest.raises(SettingsError, match=reason):
        parse(text)


@pytest.mark.parametrize(
    ("text", "start", "ending"),
    [
        (b'{\r\n  "a": 1\r\n}\r\n', b'{\r\n  "a": 1,\r\n  "hooks"', b"}\r\n"),
        (b'\xef\xbb\xbf{\n "a": 1\n}', b'\xef\xbb\xbf{\n "a": 1,\n "hooks"', b"\n}"),
        (b'{\n\t"a": "\\ud83d"\n}\n', b'{\n\t"a": "\\ud83d",\n\t"hooks"', b"}\n"),
    ],
    ids=["CRLF", "BOM, one blank, no newline", "tabs, half a character"],
)
def test_the_files_own_manner_is_kept(text: bytes, start: bytes, ending: bytes) -> None:
    """Indentation, line ends, a byte order mark, the last newline: as they were."""
    data = render(install(parse(text), COMMAND))

    assert data.startswith(start)
    assert data.endswith(ending)
    assert render(remove(install(parse(text), COMMAND))) == text


keys = st.sampled_from(["hooks", "a", "b", "PostToolUse", "matcher", "Bash", "command", "type"])
commands = st.sampled_from(["x", "ar hook error-capture", "ar 'unclosed", "autoresearch hook error-capture"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | commands,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
handlers = st.fixed_dictionaries({"type": st.just("command"), "command": commands}) | values
groups = st.fixed_dictionaries(
    {"hooks": st.lists(handlers, max_size=3)}, optional={"matcher": st.sampled_from(["Bash", "", "Edit"])}
)
hooks = st.dictionaries(st.sampled_from([*EVENTS, "Stop"]), st.lists(groups | values, max_size=3))
settings_files = st.fixed_dictionaries({}, optional={"hooks": hooks, "a": values})


def entries(settings: dict[str, Any], *, ours: bool) -> list[tuple[str, Any, Any]]:
    """Every handler of ours or of others: its event, its matcher and itself."""
    found = []
    for event, listed in settings.get("hooks", {}).items():
        for group in listed:
            if isinstance(group, dict) and isinstance(group.get("hooks"), list):
                for handler in group["hooks"]:
                    command = handler.get("command") if isinstance(handler, dict) else None
                    is_ours = isinstance(command, str) and command.endswith("hook error-capture")
                    if is_ours is ours:
                        found.append((event, group.get("matcher"), handler))
    return found


@given(settings_files)
def test_any_settings_keep_what_is_not_ours(settings: dict[str, Any]) -> None:
    """Whatever is there: once ours for Bash per event, others' handlers in their order; removed, none."""
    document = parse(json.dumps(settings).encode())
    installed = install(document, COMMAND)
    removed = remove(installed)

    ours = entries(installed.settings, ours=True)
    assert [(event, matcher) for event, matcher, _ in ours if event in EVENTS] == [
        (event, "Bash") for event in installed.settings["hooks"] if event in EVENTS
    ]
    assert entries(installed.settings, ours=False) == entries(settings, ours=False)
    assert entries(removed.settings, ours=True) == []
    assert entries(removed.settings, ours=False) == entries(settings, ours=False)
    assert {k: v for k, v in installed.settings.items() if k != "hooks"} == {
        k: v for k, v in settings.items() if k != "hooks"
    }
    assert install(installed, COMMAND) is installed
    assert remove(removed) is removed
