"""Listing a session's files in `info/exclude`."""

from __future__ import annotations

from pathlib import Path

from commands.effects.exclusions import exclude_from_git, is_tracked
from commands.effects.git import find_repo
from commands.effects.worktree import status
from tests.commands.sandbox import Sandbox


def test_excluding_is_idempotent_and_keeps_what_is_there(sandbox: Sandbox) -> None:
    """Lines are added once, after a last line without a newline too; a missing file is made."""
    file = sandbox.top / ".git/info/exclude"
    file.write_bytes(b"*.log")
    names = [".auto/log.jsonl", ".auto/*.lock"]

    for _ in range(2):
        assert exclude_from_git(sandbox.top, names) == file
    written = file.read_bytes()
    file.unlink()
    file.parent.rmdir()
    exclude_from_git(sandbox.top, ["x"])

    assert written == b"*.log\n/.auto/log.jsonl\n/.auto/*.lock\n"
    assert file.read_bytes() == b"/x\n"


def test_a_linked_worktree_and_an_awkward_directory(sandbox: Sandbox, tmp_path: Path) -> None:
    """The shared file is used, and the directory's name is taken literally."""
    place = tmp_path / "[tree]/a*b"
    sandbox.git("worktree", "add", "-q", "--detach", str(place.parent))
    place.mkdir()
    exclude_from_git(place, ["log"])
    for name in ("log", "other"):
        (place / name).touch()
    (place.parent / "axb").mkdir()
    (place.parent / "axb/log").touch()

    assert [line.path for line in status(find_repo(place))] == ["a*b/other", "axb/log"]


def test_outside_of_a_repository_there_is_nothing_to_do(plain_git: None, tmp_path: Path) -> None:
    """No file, no error; nothing is tracked there either."""
    assert exclude_from_git(tmp_path, ["log"]) is None
    assert not is_tracked(tmp_path / "log")


def test_what_is_tracked(sandbox: Sandbox) -> None:
    """By the index, the name taken literally."""
    sandbox.write("src/[k]ernel.c", "x\n")

    assert is_tracked(sandbox.top / "src/kernel.c")
    assert not is_tracked(sandbox.top / "src/[k]ernel.c")
    assert not is_tracked(sandbox.top / "notes.txt")
