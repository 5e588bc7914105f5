"""What people do with git around a live session costs no event (design, section 2.1)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.conftest import environment, process

WRITER = """
import sys
from commands.context import Call
from eventstore.events import Note
log = Call().writer(None)
print("ready", flush=True)
for n in range(10_000):
    log.append([Note(detail=f"n{n}")])
    print(f"n{n}", flush=True)
"""

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path, plain_git: None) -> Git:
    """A repository with a session whose hooks and prompt are committed; another branch has none of them."""

    def call(*argv: str) -> str:
        done = subprocess.run(["git", *argv], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    call("init", "-q", "-b", "main")
    call("config", "user.name", "A")
    call("config", "user.email", "a@example.com")
    (tmp_path / "src.c").write_text("one\n")
    call("add", "src.c")
    call("commit", "-q", "-m", "one")
    call("branch", "other")
    made = process("init", "g", "--metric", "m", "--unit", "", "--direction", "lower", cwd=tmp_path)
    assert made.code == 0, made.err
    (tmp_path / ".auto" / "hooks").mkdir()
    (tmp_path / ".auto" / "hooks" / "before.sh").write_text("exit 0\n")
    (tmp_path / ".auto" / "prompt.md").write_text("go\n")
    call("add", "-A")
    call("commit", "-q", "-m", "two")
    return call


def disturb(git: Git, top: Path) -> None:
    """Everything that takes files of the working tree away, and brings them back."""
    (top / "src.c").write_text("half done\n")
    (top / "notes.txt").write_text("untracked\n")
    git("stash", "-q", "-u")
    git("stash", "pop", "-q")
    git("add", "-A")
    git("reset", "-q", "--hard")
    git("clean", "-f", "-d", "-q")
    git("checkout", "-q", "other")
    git("clean", "-f", "-d", "-q")
    git("checkout", "-q", "main")
    git("reset", "-q", "--hard", "other")
    git("checkout", "-q", ".")
    git("reset", "-q", "--hard", "ORIG_HEAD")


def test_a_writer_loses_nothing(git: Git, tmp_path: Path) -> None:
    """Every append that was acknowledged meanwhile is there, in order, and the chain holds."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        try:
            disturb(git, tmp_path)
        finally:
            writer.kill()
        said = writer.stdout.read().splitlines()

    lines = [json.loads(line) for line in (tmp_path / ".auto" / "log.jsonl").read_text().splitlines()]
    kept = [line["detail"] for line in lines if line["type"] == "note"]
    assert len(said) > 1
    assert kept[: len(said) - 1] == said[:-1]  # the last word may have been cut off by the kill
    assert process("verify", cwd=tmp_path).code == 0


def test_the_session_is_never_git_s_business(git: Git, tmp_path: Path) -> None:
    """It is nowhere seen as changed, added or committed, and a view is what it would be without a cache."""
    for n in range(3):
        assert process("log", "--status", "keep", "--metric", str(9 - n), "-m", "x", cwd=tmp_path).code == 0
        assert git("status", "--porcelain", "-uall") == ""
        disturb(git, tmp_path)

    assert ".auto/log.jsonl" not in git("log", "--all", "--name-only", "--format=")
    shown = process("view", "--json", cwd=tmp_path)
    assert json.loads(shown.out)["run_count"] == 3
    assert shown.out == process("view", "--json", "--no-cache", cwd=tmp_path).out
