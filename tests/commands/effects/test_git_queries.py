"""Where HEAD is, what a commit holds, what git tracks and ignores."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.effects.git import GitError, find_repo
from commands.effects.git_commit import cycle_message
from commands.effects.git_queries import (
    git_path,
    head_of,
    identity,
    ignored,
    index_fingerprint,
    is_ancestor,
    operation,
    patch_of,
    read_commit,
    read_commits,
    submodules,
    tracked,
    trailers,
)
from tests.commands.sandbox import Sandbox


def test_head_on_a_branch_detached_and_unborn(sandbox: Sandbox, tmp_path: Path) -> None:
    """A branch has its full name; a detached HEAD has none; an unborn one has no commit."""
    on_branch = head_of(sandbox.repo)
    sandbox.git("checkout", "-q", "--detach")
    detached = head_of(sandbox.repo)
    subprocess.run(["git", "init", "-q", "-b", "dev", tmp_path / "empty"], check=True)

    assert on_branch == (sandbox.head, "refs/heads/main")
    assert detached == (sandbox.head, None)
    assert head_of(find_repo(tmp_path / "empty")) == (None, "refs/heads/dev")


@pytest.mark.parametrize("verb", ["merge", "rebase", "cherry-pick", "revert", "bisect"])
def test_an_operation_in_progress_is_named(plain_git: None, tmp_path: Path, verb: str) -> None:
    """What somebody has begun and left half-way is found, whatever it is."""
    box = Sandbox(tmp_path / "r")
    box.build()
    box.git("commit", "-q", "-m", "the user's")
    box.git("stash", "-q")
    box.git("switch", "-q", "-c", "side")
    box.write("src/kernel.c", "side\n")
    side = box.commit("src/kernel.c")
    box.git("switch", "-q", "main")
    box.write("src/kernel.c", "main\n")
    main = box.commit("src/kernel.c")
    box.write("src/kernel.c", "later\n")
    box.commit("src/kernel.c")
    quiet = operation(box.repo)

    if verb == "bisect":
        box.git("bisect", "start")
    else:
        target = main if verb == "revert" else side
        subprocess.run(["git", verb, target], cwd=box.top, capture_output=True)

    assert quiet is None
    assert operation(box.repo) == verb


def test_many_commits_are_read_at_once(sandbox: Sandbox) -> None:
    """In the order that was asked for; one that is missing is an error, never passed over."""
    first = sandbox.head
    sandbox.write("src/kernel.c", "2\n")
    second = sandbox.commit("src/kernel.c", message="two\n\nwith a body\n")

    found = read_commits(sandbox.repo, [second, first, second])

    assert found == [read_commit(sandbox.repo, name) for name in (second, first, second)]
    assert read_commits(sandbox.repo, []) == []
    with pytest.raises(GitError, match="commits are missing"):
        read_commits(sandbox.repo, [first, "0" * 40, second])


def test_a_commit_is_read_whole(sandbox: Sandbox) -> None:
    """Tree, parents, message and trailers; a name that is no commit is an error."""
    sandbox.write("src/kernel.c", "2\n")
    sandbox.git(
        "commit", "-q", "--only", "src/kernel.c", "-m", "subject\n\nbody é\n\nAr-Cycle: 3\nAr-Head: 41:9f86\n"
    )

    commit = read_commit(sandbox.repo, "HEAD")

    assert commit.id == sandbox.head
    assert commit.tree == sandbox.git("rev-parse", "HEAD^{tree}")
    assert commit.parents == (sandbox.git("rev-parse", "HEAD^"),)
    assert commit.message == "subject\n\nbody é\n\nAr-Cycle: 3\nAr-Head: 41:9f86\n"
    assert commit.trailers == {"Ar-Cycle": "3", "Ar-Head": "41:9f86"}
    assert read_commit(sandbox.repo, "HEAD^").parents == ()
    with pytest.raises(GitError, match="no commit is named --help"):
        read_commit(sandbox.repo, "--help")


def test_a_message_in_another_encoding_is_decoded(sandbox: Sandbox) -> None:
    """The encoding that a commit names is honoured."""
    sandbox.write("src/kernel.c", "2\n")
    sandbox.git("add", "src/kernel.c")
    tree, head = sandbox.git("rev-parse", "HEAD^{tree}"), sandbox.head
    latin = ("-c", "i18n.commitEncoding=latin1", "commit-tree", tree, "-p", head)
    made = sandbox.git(*latin, stdin="naïf\n".encode("latin1"))

    assert read_commit(sandbox.repo, made).message == "naïf\n"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Ar-Cycle: 3", {}),
        ("s\n\nAr-Cycle: 3\n", {"Ar-Cycle": "3"}),
        ("s\n\nAr-Cycle: 1\n\ntext\n\nAr-Cycle: 3\n", {"Ar-Cycle": "3"}),
        ("s\n\nAr-Cycle: 1\nAr-Cycle: 3\n", {"Ar-Cycle": "3"}),
        ("s\n\nsee: this and\nthat\n", {}),
        ("s\n\nAr-Cycle: 3\n\njust text\n", {}),
        ("", {}),
    ],
)
def test_trailers_are_the_last_paragraph_if_it_is_nothing_else(
    message: str, expected: dict[str, str]
) -> None:
    """A paragraph with another line in it is text; the subject never is one; the last of a key wins."""
    assert trailers(message) == expected


@given(cycle=st.integers(1, 10**6), description=st.text())
def test_no_description_can_forge_a_trailer(cycle: int, description: str) -> None:
    """Whatever an agent writes, the trailers of the message are ours."""
    message = cycle_message(cycle, description, "41:9f86")

    assert trailers(message) == {"Ar-Cycle": str(cycle), "Ar-Head": "41:9f86"}
    assert message.startswith(f"autoresearch cycle {cycle}: ")
    assert "\0" not in message


def test_ancestry(sandbox: Sandbox) -> None:
    """A commit is an ancestor of itself and of what was built upon it."""
    old = sandbox.head
    sandbox.write("src/kernel.c", "2\n")
    new = sandbox.commit("src/kernel.c")

    assert is_ancestor(sandbox.repo, old, new)
    assert is_ancestor(sandbox.repo, old, old)
    assert not is_ancestor(sandbox.repo, new, old)


def test_tracked_ignored_and_submodules(sandbox: Sandbox, tmp_path: Path) -> None:
    """What the index holds inside some assets; what git ignores; which entries are repositories."""
    library = Sandbox(tmp_path / "library")
    library.build()
    sandbox.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.top), "lib")
    sandbox.commit("lib", ".gitmodules")
    sandbox.write("src/[a].c", "literal\n")
    sandbox.write("src/x.pyc", "ignored\n")
    sandbox.commit("src/[a].c")

    assert tracked(sandbox.repo, ["src"]) == ["src/[a].c", "src/data.bin", "src/kernel.c", "src/run.sh"]
    assert tracked(sandbox.repo, ["src/[a].c", "README.md"]) == ["README.md", "src/[a].c"]
    assert "lib" in tracked(sandbox.repo)
    assert tracked(sandbox.repo, []) == []
    assert ignored(sandbox.repo, ["src/x.pyc", ".env", "src/kernel.c", "-x.pyc"]) == {
        "src/x.pyc",
        ".env",
        "-x.pyc",
    }
    assert ignored(sandbox.repo, ["src/kernel.c"]) == set()
    assert submodules(sandbox.repo) == {"lib"}


def test_the_index_fingerprint_tells_staging_alone(sandbox: Sandbox) -> None:
    """Editing moves nothing; staging does; unstaging goes back."""
    before = index_fingerprint(sandbox.repo)
    sandbox.write("src/kernel.c", "2\n")
    edited = index_fingerprint(sandbox.repo)
    sandbox.git("add", "src/kernel.c")
    staged = index_fingerprint(sandbox.repo)
    sandbox.git("reset", "-q", "--", "src/kernel.c")

    assert edited == before
    assert staged != before
    assert index_fingerprint(sandbox.repo) == before


def test_the_patch_of_a_commit_makes_it_again(sandbox: Sandbox, tmp_path: Path) -> None:
    """Applied to the parent it gives the commit's tree: binary files, modes, renames, deletions."""
    sandbox.git("config", "diff.noprefix", "true")
    sandbox.git("config", "diff.external", "false")
    sandbox.write("src/data.bin", bytes(reversed(range(256))))
    sandbox.write("src/run.sh", "#!/bin/sh\n", 0o755)
    sandbox.git("mv", "src/kernel.c", "src/core.c")
    made = sandbox.commit("src")
    (tmp_path / "patch").write_bytes(patch_of(sandbox.repo, made))
    root = patch_of(sandbox.repo, made + "^")

    sandbox.git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"), made + "^")
    subprocess.run(["git", "apply", "--index", tmp_path / "patch"], cwd=tmp_path / "tree", check=True)
    tree = subprocess.run(["git", "write-tree"], cwd=tmp_path / "tree", check=True, capture_output=True)

    assert tree.stdout.decode().strip() == sandbox.git("rev-parse", made + "^{tree}")
    assert b"+int f(void) { return 1; }" in root


def test_who_commits(sandbox: Sandbox) -> None:
    """The committer as git knows them; none is an error that says what to do."""
    known = identity(sandbox.repo)
    sandbox.git("config", "--unset", "user.name")
    sandbox.git("config", "--unset", "user.email")
    sandbox.git("config", "user.useConfigOnly", "true")

    with pytest.raises(GitError, match="git does not know who commits") as caught:
        identity(sandbox.repo)

    assert known == "A User <user@example.com>"
    assert "git config user.name" in caught.value.remedy


def test_the_paths_of_a_linked_worktree(sandbox: Sandbox, tmp_path: Path) -> None:
    """A linked worktree has its own index and HEAD, but shares `info/exclude`."""
    sandbox.git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    linked = find_repo(tmp_path / "tree")

    assert linked.git_dir == str(sandbox.top / ".git/worktrees/tree")
    assert Path(git_path(linked, "info/exclude")).resolve() == sandbox.top / ".git/info/exclude"
    assert git_path(sandbox.repo, "info/exclude") == str(sandbox.top / ".git/info/exclude")
