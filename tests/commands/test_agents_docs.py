"""docs/agents.md: its consoles are run, and it names every agent and skill."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands.registering.recipes import AGENTS
from commands.registering.skills import SKILLS
from tests.commands.conftest import ROOT
from tests.commands.setup_trees import VARIABLES
from tests.docs_console import run_steps, steps_of

PAGE = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")


def test_consoles_print_what_they_are_said_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run again, in one project, with a home directory of its own."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    steps = steps_of(PAGE)

    assert run_steps(steps, tmp_path) == [step.output for step in steps]


def test_every_agent_and_skill_is_there() -> None:
    """By name."""
    assert all(f"ar setup {agent}" in PAGE for agent in AGENTS)
    assert all(f"`{skill}`" in PAGE for skill in SKILLS)
