"""The harness: what commands run counts, what they only read counts unless it is what is measured."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from commands.effects.harness import harness_changes, harness_files, scripts_in
from commands.registering.recipe import Scope
from commands.registering.recipes import AGENTS, recipe_of
from eventstore import sessions


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A directory with scripts and data."""
    for name in ("bench.sh", "bench.py", "data.csv", "src/v", "my bench.sh", "tool"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    (tmp_path / "tool").chmod(0o755)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "run", "read"),
    [
        ("cat src/v", [], ["src/v"]),
        ("bash bench.sh", ["bench.sh"], []),
        ("./tool --fast", ["tool"], []),
        ("sh -eu ./bench.sh data.csv", ["bench.sh"], ["data.csv"]),
        ("python3.12 -O bench.py data.csv", ["bench.py"], ["data.csv"]),
        ("uv run bench.py --in=data.csv", ["bench.py"], ["data.csv"]),
        ("FAST=1 ./bench.sh", ["bench.sh"], []),
        ("make -s && time python bench.py | tail -1", ["bench.py"], []),
        ("sh -c 'bash bench.sh < data.csv'", ["bench.sh"], ["data.csv"]),
        ("bash 'my bench.sh'", ["my bench.sh"], []),
        ("wc -c < src/v", [], ["src/v"]),
        ("pytest -q", [], []),
        ("echo 'unbalanced", [], []),
        ("hyperfine ./tool", ["tool"], []),
    ],
)
def test_what_a_command_runs_and_reads(root: Path, command: str, run: list[str], read: list[str]) -> None:
    """A file in the place of a program, an executable one, the first behind an interpreter."""
    assert scripts_in(command, root) == (run, read)


def test_the_session_s_own_scripts_always_count(root: Path) -> None:
    """And named files and directories with all that is in them; what is measured does not."""
    (root / ".auto").mkdir()
    (root / ".auto" / "measure.sh").write_text("echo 1")
    place = sessions.new(root)

    found = harness_files(
        place, ("wc -c src/v data.csv", None), ("tool",), lambda path: path.startswith("src/")
    )

    assert sorted(found) == [".auto/measure.sh", "data.csv", "tool"]
    with pytest.raises(FileNotFoundError):
        harness_files(place, (), ("nowhere",))


@pytest.mark.parametrize("agent", AGENTS)
def test_installed_skills_always_count(root: Path, agent: str) -> None:
    """Those of ours, wherever a project's agents have them, with all that is in their folders; no others."""
    scope = Scope(root, root, False, {}, lambda path: None)
    ours = [part.path for part in recipe_of(agent, scope, ["/x/ar"], "1").parts if part.kind == "skill"]
    folder = ours[0].parent
    more = (folder / "notes" / "mine.md", folder.parent / "somebody-elses" / "SKILL.md")
    for path in (*ours, *more):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")

    found = harness_files(sessions.new(root), (), ())

    assert sorted(found) == sorted(str(path.relative_to(root)) for path in (*ours, more[0]))


def test_changes_are_told(root: Path) -> None:
    """Also a file that is gone, and one in whose place is a pipe that nobody writes to."""
    recorded = harness_files(sessions.new(root), ("bash bench.sh data.csv",), ())
    (root / "bench.sh").write_text("echo 0")
    (root / "data.csv").unlink()

    assert harness_changes(recorded, root) == ["bench.sh", "data.csv"]
    (root / "bench.sh").unlink()
    os.mkfifo(root / "bench.sh")
    assert harness_changes(recorded, root) == ["bench.sh", "data.csv"]
