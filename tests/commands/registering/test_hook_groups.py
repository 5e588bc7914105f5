"""Our commands among an agent's hooks: put in, kept up to date, taken out, and nothing else touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.registering.hook_groups import Hook, install, remove
from commands.registering.jsonc import JSON, JSONC, SettingsError, parse
from commands.registering.ours import ERROR_CAPTURE, SESSION_BRIEF, shell_command
from tests.commands.registering.json_texts import texts

GOLDEN = Path(__file__).parent / "error_capture"
EVENTS = ("PostToolUse", "PostToolUseFailure")


def hooks(program: str = "/opt/ar tools/bin/ar") -> list[Hook]:
    """Error capture as Claude Code gets it."""
    command = shell_command([program], ERROR_CAPTURE)
    return [Hook(event, "Bash", ERROR_CAPTURE, command, 5) for event in EVENTS]


@pytest.mark.parametrize("name", ["nothing", "other-hooks", "outdated", "tabs"])
def test_golden_merges(name: str) -> None:
    """Key order, formatting and everybody else's hooks stay; old and doubled entries of ours become one."""
    before = (GOLDEN / f"{name}.json").read_bytes().decode()
    installed = install(before, JSON, hooks())

    assert installed == (GOLDEN / f"{name}.installed.json").read_bytes().decode()
    assert remove(installed, JSON, [ERROR_CAPTURE]) == (GOLDEN / f"{name}.removed.json").read_bytes().decode()


def test_installing_twice_is_installing_once() -> None:
    """The second time there is nothing to change."""
    once = install('{"hooks":{"PostToolUse":[]}}', JSON, hooks())

    assert install(once, JSON, hooks()) == once


def test_a_new_place_of_ar_takes_the_old_ones_place() -> None:
    """After an upgrade to elsewhere there is still one entry, with the new path."""
    moved = install(install("{}", JSON, hooks()), JSON, hooks("/new/ar"))

    assert moved == install("{}", JSON, hooks("/new/ar"))


def test_each_command_of_ours_is_looked_after_by_itself() -> None:
    """Error capture is put in and taken out without a look at the brief."""
    brief = Hook("SessionStart", "compact", SESSION_BRIEF, "/x/ar hook brief", 9, name="ar-brief")
    both = install("{}", JSON, [*hooks(), brief])

    assert remove(both, JSON, [ERROR_CAPTURE]) == install("{}", JSON, [brief])
    assert remove(both, JSON, [ERROR_CAPTURE, SESSION_BRIEF]) == "{}"
    assert json.loads(both)["hooks"]["SessionStart"] == [
        {
            "matcher": "compact",
            "hooks": [{"name": "ar-brief", "type": "command", "command": "/x/ar hook brief", "timeout": 9}],
        }
    ]


def test_removing_where_there_is_nothing_of_ours() -> None:
    """Nothing changes, not even what looks like ours to a careless eye."""
    handlers = [
        {"type": "command", "command": "echo error-capture"},
        {"type": "command", "command": "other hook error-capture"},
        {"type": "prompt"},
        "odd",
    ]
    groups = [{"matcher": "Bash", "hooks": handlers}, "odd", {"hooks": 3}]
    text = json.dumps({"hooks": {"PostToolUse": groups, "Stop": 7}})

    assert remove(text, JSON, [ERROR_CAPTURE]) == text


def test_what_was_there_empty_stays() -> None:
    """And what we made goes, by what the file was before."""
    for before in ('{\n  "hooks": {}\n}', '{\n  "hooks": {"PostToolUse": []}\n}', "{}"):
        after = install(before, JSON, hooks())

        assert parse(remove(after, JSON, [ERROR_CAPTURE], parse(before))).value == json.loads(before)


def test_a_comment_in_what_is_ours_is_kept_with_what_holds_it() -> None:
    """It is not ours."""
    after = install("{}", JSONC, hooks()[:1]).replace('"hooks": [', '"hooks": [ // since May')
    left = remove(after, JSONC, [ERROR_CAPTURE])

    assert "since May" in left
    assert parse(left, JSONC).value == {"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": []}]}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "the whole is not an object in line 1, column 1"),
        ('{"hooks":[]}', "hooks is not an object in line 1, column 10"),
        ('{"hooks":\n {"PostToolUse": {}}}', "hooks.PostToolUse is not a list in line 2, column 18"),
    ],
)
def test_what_holds_something_else_is_refused(text: str, reason: str) -> None:
    """With its place."""
    with pytest.raises(SettingsError) as error:
        install(text, JSON, hooks())

    assert str(error.value) == reason


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
listed = st.dictionaries(st.sampled_from([*EVENTS, "Stop"]), st.lists(groups | values, max_size=3))
settings_files = st.fixed_dictionaries({}, optional={"hooks": listed, "a": values})


def entries(settings: dict[str, Any], *, ours: bool) -> list[tuple[str, Any, Any]]:
    """Every handler of ours or of others: its event, its matcher and itself."""
    found = []
    for event, each in settings.get("hooks", {}).items():
        for group in each:
            if isinstance(group, dict) and isinstance(group.get("hooks"), list):
                for handler in group["hooks"]:
                    command = handler.get("command") if isinstance(handler, dict) else None
                    is_ours = isinstance(command, str) and command.endswith("hook error-capture")
                    if is_ours is ours:
                        found.append((event, group.get("matcher"), handler))
    return found


@given(
    settings_files.flatmap(
        lambda value: st.tuples(st.just(value), texts(value, comments=True, trailing_commas=True))
    )
)
def test_any_settings_keep_what_is_not_ours(source: tuple[dict[str, Any], str]) -> None:
    """Whatever is there: once ours for Bash per event, others' handlers in their order; removed, none."""
    before, text = source
    installed = install(text, JSONC, hooks())
    removed = remove(installed, JSONC, [ERROR_CAPTURE])
    settings, left = parse(installed, JSONC).value, parse(removed, JSONC).value

    ours = [(event, matcher) for event, matcher, _ in entries(settings, ours=True) if event in EVENTS]
    assert ours == [(event, "Bash") for event in settings["hooks"] if event in EVENTS]
    assert entries(settings, ours=False) == entries(before, ours=False)
    assert entries(left, ours=True) == []
    assert entries(left, ours=False) == entries(before, ours=False)
    assert {k: v for k, v in settings.items() if k != "hooks"} == {
        k: v for k, v in before.items() if k != "hooks"
    }
    assert install(installed, JSONC, hooks()) == installed
    assert remove(removed, JSONC, [ERROR_CAPTURE]) == removed
