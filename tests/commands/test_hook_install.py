"""`ar hook install claude`: merged into settings files as they lie on disk."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commands.effects.registering import scope_of
from commands.registering.claude import settings_path
from tests.commands.conftest import Ar, environment, install, process

THEIRS = '{\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]\n  }\n}\n'


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """The place of the project's settings."""
    return tmp_path / ".claude" / "settings.json"


def write(path: Path, text: str) -> None:
    """Writes settings, with the folder they need."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def registered(path: Path) -> list[str]:
    """The commands that are registered for Bash, of both events."""
    hooks: dict[str, Any] = json.loads(path.read_text())["hooks"]
    groups = [group for event in ("PostToolUse", "PostToolUseFailure") for group in hooks[event]]
    assert all(group["matcher"] == "Bash" for group in groups)
    return [handler["command"] for group in groups for handler in group["hooks"]]


def test_a_project_without_settings_gets_them(ar: Ar, settings: Path) -> None:
    """The file is made, with an absolute command for both events; there is nothing to back up."""
    ran = ar("hook", "install", "claude")

    assert (ran.code, ran.err) == (0, "")
    assert "silent when no error text matches" in ran.out
    assert [os.path.isabs(shlex.split(command)[0]) for command in registered(settings)] == [True, True]
    assert os.listdir(settings.parent) == ["settings.json"]


def test_what_is_there_is_kept_and_backed_up(ar: Ar, settings: Path) -> None:
    """Others' hooks stay; the backup is the old file; its mode stays."""
    write(settings, THEIRS)
    settings.chmod(0o600)
    ran = ar("hook", "install", "claude", "--json")
    document = json.loads(ran.out)

    assert document["changed"] is True
    assert Path(document["backup"]).read_text() == THEIRS
    assert json.loads(settings.read_text())["hooks"]["Stop"] == json.loads(THEIRS)["hooks"]["Stop"]
    assert document["command"] in registered(settings)
    assert settings.stat().st_mode & 0o777 == 0o600


def test_twice_changes_nothing_more(ar: Ar, settings: Path) -> None:
    """The second install writes nothing, not even a backup."""
    ar("hook", "install", "claude")
    before = settings.stat()
    ran = ar("hook", "install", "claude")

    assert (ran.code, "nothing to change" in ran.out) == (0, True)
    assert settings.stat() == before
    assert os.listdir(settings.parent) == ["settings.json"]


def test_removed_again(ar: Ar, settings: Path) -> None:
    """Afterwards the settings are what they were, byte for byte; a second removal changes nothing."""
    write(settings, THEIRS)
    ar("hook", "install", "claude")
    first, second = (ar("hook", "install", "claude", "--remove") for _ in range(2))

    assert settings.read_text() == THEIRS
    assert (first.code, second.code) == (0, 0)
    assert "no error capture of ours" in second.out


def test_a_file_of_our_own_making_goes_with_its_folder(ar: Ar, settings: Path) -> None:
    """Nothing is left where nothing was."""
    ar("hook", "install", "claude")
    ar("hook", "install", "claude", "--remove")

    assert not settings.parent.exists()


def test_every_backup_is_kept(ar: Ar, settings: Path) -> None:
    """A later backup takes no earlier one's place."""
    write(settings, THEIRS)
    first = json.loads(ar("hook", "install", "claude", "--json").out)["backup"]
    write(settings, '{"mine": 1}\n')
    second = json.loads(ar("hook", "install", "claude", "--json").out)["backup"]

    assert Path(first).read_text() == THEIRS
    assert Path(second).read_text() == '{"mine": 1}\n'


@pytest.mark.parametrize("options", [(), ("--remove",), ("--json",)])
def test_a_dry_run_writes_nothing(ar: Ar, settings: Path, options: tuple[str, ...]) -> None:
    """It tells what would change, and changes nothing, wherever it would have been changed."""
    ran = ar("hook", "install", "claude", "--dry-run", *options)
    assert ran.code == 0
    assert not settings.parent.exists()

    write(settings, THEIRS)
    ran = ar("hook", "install", "claude", "--dry-run", *options)
    assert settings.read_text() == THEIRS
    assert os.listdir(settings.parent) == ["settings.json"]
    if not options:
        added = [line for line in ran.out.splitlines() if line.startswith("+ ")]
        assert sum("error-capture" in line for line in added) == 2


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": 1}', '{"hooks": {}, "hooks": {}}', "\x00"])
def test_malformed_settings_are_left_alone(ar: Ar, settings: Path, text: str) -> None:
    """Exit code 2, a reason, and every byte as it was."""
    write(settings, text)
    ran = ar("hook", "install", "claude")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"ar: {settings} is left as it is: ")
    assert settings.read_text() == text
    assert os.listdir(settings.parent) == ["settings.json"]


def test_a_link_stays_a_link(ar: Ar, settings: Path, tmp_path: Path) -> None:
    """Settings kept among dotfiles are changed there, and backed up there."""
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "claude.json").write_text(THEIRS)
    settings.parent.mkdir()
    settings.symlink_to("../dotfiles/claude.json")
    ran = ar("hook", "install", "claude")

    assert ran.code == 0
    assert settings.is_symlink()
    assert len(registered(dotfiles / "claude.json")) == 2
    assert [Path(name).suffix for name in sorted(os.listdir(dotfiles))] == [".json", ".bak"]
    assert os.listdir(settings.parent) == ["settings.json"]


def test_settings_that_are_a_directory(ar: Ar, settings: Path) -> None:
    """An environment failure, told in one line."""
    settings.mkdir(parents=True)
    ran = ar("hook", "install", "claude")

    assert ran.code == 4
    assert ran.err.startswith(f"ar: cannot read {settings}: ")


def test_the_users_settings(ar: Ar, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """--user means the home directory, or wherever Claude Code was told to keep its own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    ar("hook", "install", "claude", "--user")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    ar("hook", "install", "claude", "--user")

    assert len(registered(tmp_path / "home" / ".claude" / "settings.json")) == 2
    assert len(registered(tmp_path / "elsewhere" / "settings.json")) == 2
    assert not (tmp_path / ".claude").exists()


@pytest.mark.parametrize("home", ["", "somewhere"])
def test_a_home_that_is_no_place(ar: Ar, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: str) -> None:
    """An empty or a relative HOME is an environment failure, not a file in the root or right here."""
    monkeypatch.setenv("HOME", home)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    ran = ar("hook", "install", "claude", "--user")

    assert (ran.code, ran.err.splitlines()[0]) == (4, f"ar: HOME is no absolute path: {home!r}")
    assert os.listdir(tmp_path) == []


def test_the_project_is_the_repository(tmp_path: Path) -> None:
    """From a folder below, the settings are those at the repository's root; outside of one, here."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "src" / "deep").mkdir(parents=True)

    scope = scope_of(tmp_path / "src" / "deep", user=False)
    assert settings_path(scope) == tmp_path / ".claude" / "settings.json"


@pytest.mark.parametrize("relative", [True, False])
def test_the_registered_command_works_from_anywhere(tmp_path: Path, relative: bool) -> None:
    """Installed by a script in a folder with blanks, called by a relative path or not, the command runs."""
    script = install(tmp_path / "my tools")
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    program = os.path.relpath(script, project) if relative else str(script)
    subprocess.run([program, "hook", "install", "claude"], cwd=project, env=environment(), check=True)
    commands = registered(project / ".claude" / "settings.json")
    done = subprocess.run(
        commands[0], shell=True, cwd=elsewhere, env=environment(), input=b"", capture_output=True
    )

    assert len(set(commands)) == 1
    assert os.path.isabs(shlex.split(commands[0])[0])
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_without_a_script_of_ours_the_interpreter_is_registered(tmp_path: Path) -> None:
    """Started as a module, with no script beside the interpreter, both paths are absolute."""
    ran = process("hook", "install", "claude", "--json", cwd=tmp_path)
    command = shlex.split(json.loads(ran.out)["command"])

    assert command[-2:] == ["hook", "error-capture"]
    assert all(os.path.isabs(word) for word in command[:-2])
    assert command[0] in (sys.executable, str(Path(sys.executable).parent / "ar"))
