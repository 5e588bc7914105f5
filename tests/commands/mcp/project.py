"""A project to work on: a repository whose metric is what stands in `src/value`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

__all__ = ["SESSION", "change", "project"]

SESSION: dict[str, Any] = {
    "name": "smaller",
    "metric_name": "value",
    "metric_unit": "ms",
    "direction": "lower",
    "measure": "cat src/value",
    "assets": ["src"],
    "samples": 2,
}
"""Arguments of `init_experiment` for it."""


@pytest.fixture
def project(plain_git: None, tmp_path: Path) -> Path:
    """The repository, its value 10, without a session."""
    return made(tmp_path / "project")


def made(place: Path) -> Path:
    """Makes such a repository."""
    (place / "src").mkdir(parents=True)
    change(place, 10)
    for argv in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "An Agent"),
        ("config", "user.email", "agent@example.com"),
        ("add", "-A"),
        ("commit", "-q", "-m", "start"),
    ):
        subprocess.run(["git", *argv], cwd=place, check=True, capture_output=True)
    return place


def change(project: Path, value: object) -> None:
    """The agent's change: another value."""
    (project / "src" / "value").write_text(f"{value}\n")
