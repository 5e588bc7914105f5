"""Killed at any step and run again, everything ends as if nothing had happened."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commands.effects import git
from commands.effects.git import GitError
from commands.effects.git_commit import commit_paths, cycle_message
from commands.effects.rollback import rollback
from commands.effects.worktree import changed_within
from tests.commands.sandbox import Sandbox

ROOT = Path(git.__file__).resolve().parents[2]


def change(box: Sandbox) -> None:
    """A change with every difficulty: edit, binary, new, mode, rename, file to directory."""
    box.write("src/kernel.c", "edited\n")
    box.write("src/run.sh", "#!/bin/sh\nnew\n", 0o755)
    box.write("src/new.c", "new\n")
    box.git("mv", "src/data.bin", "src/moved.bin")


def ends(box: Sandbox, work: Path, operation: str, mode: str) -> list[dict[str, Any]]:
    """The end state after a kill at each step; the undisturbed one last."""
    work.mkdir()
    command = [sys.executable, "-m", "tests.commands.effects.kill_driver", box.top, work, operation, mode]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("mode", ["before", "during"])
@pytest.mark.parametrize("operation", ["commit", "rollback", "salvage"])
def test_a_kill_at_any_step_changes_nothing_in_the_end(
    sandbox: Sandbox, tmp_path: Path, operation: str, mode: str
) -> None:
    """Commits, index, files, and the user's work beside them are the same; nothing of ours is left."""
    change(sandbox)
    if operation == "rollback":
        paths = changed_within(sandbox.repo, ["src"]).inside
        commit_paths(sandbox.repo, paths, cycle_message(1, "a change", "1:a"))

    found = ends(sandbox, tmp_path / "work", operation, mode)
    undisturbed = found.pop()

    assert len(found) > 5
    assert undisturbed["left"] == []
    assert undisturbed["files"]["notes.txt"] == ["file", 0o644, b"untracked notes\n".hex()]
    for end in found:
        saved = set(end.pop("saved"))
        assert end == {key: value for key, value in undisturbed.items() if key != "saved"}
        assert operation != "salvage" or all(content.hex() in saved for content in (b"edited\n", b"new\n"))


def test_git_killed_while_it_writes_files(sandbox: Sandbox) -> None:
    """Half of the files written, then git dies: no lock stays, and the next call finishes."""
    for number in range(20):
        sandbox.write(f"src/{number:02}.txt", "old\n")
    sandbox.write("src/.gitattributes", "10.txt filter=deadly\n")
    sandbox.commit("src")
    clean = sandbox.snapshot("src")
    for number in range(20):
        sandbox.write(f"src/{number:02}.txt", "new\n")
    parent = sandbox.head
    paths = changed_within(sandbox.repo, ["src"]).inside
    commit = commit_paths(sandbox.repo, paths, cycle_message(1, "x", "1:a"))
    sandbox.git("config", "filter.deadly.smudge", "kill -9 $PPID; cat")

    with pytest.raises(GitError, match="git read-tree was killed by signal 9"):
        rollback(sandbox.repo, commit, parent)
    half_way = sandbox.snapshot("src")
    sandbox.git("config", "--unset", "filter.deadly.smudge")
    rolled = rollback(sandbox.repo, commit, parent)

    assert half_way != clean
    assert rolled.verified
    assert sandbox.snapshot("src") == clean
    assert sandbox.status("src") == ""
