"""The runner: what git gets to see, and what it says when it cannot."""

from __future__ import annotations

import ast
import os
import subprocess
import time
from pathlib import Path

import pytest

from commands.effects import git
from commands.effects.git import GitError, describe, find_repo, join_paths, run, shown, split_paths
from tests.commands.sandbox import Sandbox

SOURCES = Path(git.__file__).resolve().parents[2]


def test_the_callers_git_variables_do_not_redirect_us(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git sets GIT_DIR, GIT_INDEX_FILE, GIT_WORK_TREE for its hooks; our calls still mean our repository."""
    other = tmp_path / "other"
    other.mkdir()
    subprocess.run(["git", "init", "-q", other], check=True)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))

    found = find_repo(sandbox.top)
    listed = split_paths(run(found, "ls-files", "-z").out)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name)

    assert found.top == str(sandbox.top)
    assert "src/kernel.c" in listed


def test_who_the_user_is_is_inherited(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIT_AUTHOR_NAME and its like say who commits; they reach git."""
    monkeypatch.setenv("GIT_COMMITTER_NAME", "Somebody Else")

    assert run(sandbox.repo, "var", "GIT_COMMITTER_IDENT").text.startswith("Somebody Else <")


def test_nothing_asks(sandbox: Sandbox) -> None:
    """The editor is `true`, there is no standard input, and no terminal to prompt at."""
    sandbox.git("config", "core.editor", "false")

    assert run(sandbox.repo, "var", "GIT_EDITOR").text == "true"
    assert (
        run(sandbox.repo, "-c", "alias.x=!cat; test ! -t 0; (: </dev/tty) 2>/dev/null || echo no", "x").text
        == "no"
    )


def test_a_session_below_the_top_knows_its_prefix(sandbox: Sandbox) -> None:
    """The session's directory may be any below the top; a symlink to it is looked through."""
    (sandbox.top.parent / "link").symlink_to(sandbox.top / "src")

    assert find_repo(sandbox.top).prefix == ""
    assert find_repo(sandbox.top / "src").prefix == "src"
    assert find_repo(sandbox.top.parent / "link").prefix == "src"


@pytest.mark.parametrize("kind", ["none", "bare", "inside"])
def test_no_working_tree_is_said_so(plain_git: None, tmp_path: Path, kind: str) -> None:
    """Outside of a repository, in a bare one and inside `.git` there is no working tree."""
    place = tmp_path
    if kind != "none":
        subprocess.run(
            ["git", "init", "-q", *(["--bare"] if kind == "bare" else []), tmp_path / "r"], check=True
        )
        place = tmp_path / ("r" if kind == "bare" else "r/.git")

    with pytest.raises(GitError, match="not in a working tree of a git repository") as caught:
        find_repo(place)

    assert "git init" in caught.value.remedy
    assert caught.value.exit_code == 4


def test_git_missing_is_said_so(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git on PATH the error names the remedy instead of a traceback."""
    found = sandbox.repo
    with monkeypatch.context() as patched:
        patched.setenv("PATH", "/nowhere")
        with pytest.raises(GitError, match="git is not installed"):
            run(found, "status")


def test_a_git_that_hangs_is_killed_with_what_it_started(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the timeout the whole process group ends, so that no filter stays behind."""
    monkeypatch.setattr(git, "TIMEOUT", 0.5)
    pid_file = sandbox.top.parent / "pid"

    with pytest.raises(GitError, match=r"did not end within 0\.5 s"):
        run(sandbox.repo, "-c", f"alias.slow=!echo $$ > '{pid_file}'; sleep 60; :", "slow")

    pid = int(pid_file.read_text())
    for _ in range(100):
        if not _runs(pid):
            break
        time.sleep(0.05)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True
    ).stdout.strip()
    return bool(state) and not state.startswith("Z")


def test_the_error_says_what_git_said(sandbox: Sandbox) -> None:
    """The message has git's own words, without its prefix; the place; and three parts."""
    with pytest.raises(GitError) as caught:
        run(sandbox.repo, "cat-file", "commit", "nonsense")

    assert caught.value.what == "git cat-file failed (128): Not a valid object name nonsense"
    assert caught.value.where == str(sandbox.top)
    assert str(caught.value) == f"{caught.value.what} ({sandbox.top})"


def test_a_stale_lock_is_said_so(sandbox: Sandbox) -> None:
    """A lock file that another git holds or left is named, with what to do."""
    lock = sandbox.top / ".git/refs/heads/main.lock"
    lock.touch()
    with pytest.raises(GitError, match=r"main\.lock") as caught:
        run(sandbox.repo, "-c", "core.filesRefLockTimeout=0", "update-ref", "HEAD", sandbox.head)
    lock.unlink()

    assert "remove the lock file" in caught.value.remedy


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a b.c", "src/a b.c"),
        ("naïve.txt", "naïve.txt"),
        ("two\nlines", '"two\\nlines"'),
        ("red\x1b[31m", '"red\\x1b[31m"'),
        (os.fsdecode(b"caf\xe9"), '"caf\\udce9"'),
    ],
)
def test_names_are_shown_without_controlling_the_terminal(path: str, expected: str) -> None:
    """Control characters and bytes that are no text are shown escaped."""
    assert shown(path) == expected


def test_many_paths_are_described_by_the_first_few() -> None:
    """A message names five paths and how many more there are."""
    assert describe("abc") == "a, b, c"
    assert describe("abcdefgh") == "a, b, c, d, e and 3 more"


def test_paths_survive_the_way_to_git_and_back() -> None:
    """NUL-separated lists carry any name there can be."""
    names = ["a b", "-n", "new\nline", '"', os.fsdecode(b"\xff\xfe"), "é"]

    assert split_paths(join_paths(names)) == names


def _calls(source: str) -> list[set[str]]:
    """The text constants among the arguments of every call in a module, list elements included."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            given = [inner for argument in node.args for inner in ast.walk(argument)]
            found.append({n.value for n in given if isinstance(n, ast.Constant) and isinstance(n.value, str)})
    return found


def test_nothing_ever_runs_the_commands_that_lose_work() -> None:
    """`git clean`, `reset`, `checkout`, `stash` and `add -A` occur in no call (design, section 6.1)."""
    for file in sorted((SOURCES / "commands").rglob("*.py")):
        for words in _calls(file.read_text()):
            runs_git = "git" in words or file.parent.name == "effects"
            assert not (runs_git and words & {"clean", "reset", "checkout", "stash", "restore", "-A"}), file
            assert not any("--hard" in word and "`" not in word for word in words), file
