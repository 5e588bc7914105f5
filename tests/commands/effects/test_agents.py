"""The agents a loop can start, and how."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands.effects.agents import PRESETS, agent_of
from commands.errors import BadInputError


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All presets' programs are on PATH, as far as that can be seen."""
    for name in PRESETS:
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.parametrize(
    ("name", "argv"),
    [
        ("claude", "claude -p --permission-mode acceptEdits --allowedTools Bash,Edit,Write --max-turns 7"),
        ("codex", "codex exec --sandbox workspace-write -"),
        ("gemini", "gemini --approval-mode yolo"),
        ("opencode", "opencode run --auto"),
        ("pi", "pi --print --no-session"),
    ],
)
def test_presets(installed: None, name: str, argv: str) -> None:
    """Each in its non-interactive form, the brief on stdin, its turns limited where it has an option."""
    assert agent_of(name, 7).argv == tuple(argv.split())


@pytest.mark.parametrize("name", PRESETS)
def test_no_preset_resumes(installed: None, name: str) -> None:
    """Every turn begins afresh."""
    resuming = {"-c", "-r", "--continue", "--resume", "resume", "--session", "-s", "--last", "--fork"}

    assert not resuming & set(agent_of(name, 15).argv)


def test_preset_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is told before anything starts."""
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(BadInputError, match="claude is not found on PATH"):
        agent_of("claude", 15)


def test_command_of_ones_own() -> None:
    """It goes through a shell as it stands, turn limit or not."""
    agent = agent_of("my-agent --model 'x y' | tee log", 15)

    assert agent.argv[-1] == "my-agent --model 'x y' | tee log"
    assert agent.argv[0].rpartition("/")[2] in ("bash", "sh")


def test_reached_turn_limit(installed: None) -> None:
    """An agent that says that it used up its turns has not failed; one that says anything else has."""
    claude, gemini, own = agent_of("claude", 3), agent_of("gemini", 3), agent_of("x", 3)

    assert claude.reached_limit(1, "Error: Reached max turns (3)")
    assert not claude.reached_limit(1, "Error: not logged in")
    assert not claude.reached_limit(0, "Error: Reached max turns (3)")
    assert gemini.reached_limit(53, "")
    assert not gemini.reached_limit(1, "")
    assert not own.reached_limit(53, "Error: Reached max turns (3)")
