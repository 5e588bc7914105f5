"""Taking a committed change back: verified, idempotent, and nobody's other work lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from commands.effects import rollback as module
from commands.effects.git import GitError
from commands.effects.git_commit import commit_paths, cycle_message
from commands.effects.git_queries import read_commit
from commands.effects.rollback import CycleState, Phase, Rolled, rollback, state_of_cycle
from commands.effects.worktree import changed_within
from tests.commands.sandbox import AWKWARD, Sandbox


def committed(box: Sandbox, cycle: int = 1) -> tuple[str, str]:
    """Commit what changed inside `src`; the commit and its parent."""
    parent = box.head
    paths = changed_within(box.repo, ["src"]).inside
    return commit_paths(box.repo, paths, cycle_message(cycle, "a change", "41:9f86")), parent


def _edit(box: Sandbox) -> None:
    box.write("src/kernel.c", "2\n")


def _binary(box: Sandbox) -> None:
    box.write("src/data.bin", bytes(reversed(range(256))))


def _new(box: Sandbox) -> None:
    box.write("src/deep/er/new.c", "new\n")


def _delete(box: Sandbox) -> None:
    (box.top / "src/kernel.c").unlink()


def _rename(box: Sandbox) -> None:
    box.git("mv", "src/kernel.c", "src/core.c")


def _mode(box: Sandbox) -> None:
    (box.top / "src/run.sh").chmod(0o755)


def _link(box: Sandbox) -> None:
    (box.top / "src/kernel.c").unlink()
    (box.top / "src/kernel.c").symlink_to("data.bin")


def _directory(box: Sandbox) -> None:
    (box.top / "src/kernel.c").unlink()
    box.write("src/kernel.c/part.c", "part\n")


def _everything_gone(box: Sandbox) -> None:
    for name in ("kernel.c", "data.bin", "run.sh"):
        (box.top / "src" / name).unlink()


def _directory_to_link(box: Sandbox) -> None:
    os.rename(box.top / "src", box.top / "whole")
    (box.top / "src").symlink_to("whole")


def _awkward(box: Sandbox) -> None:
    for name in AWKWARD:
        box.write(f"src/{name}", "x\n")
        box.write(f"src/{name}.d/{name}", "x\n")


CHANGES = [_edit, _binary, _new, _delete, _rename, _mode, _link, _directory, _everything_gone, _awkward]


@pytest.mark.parametrize("change", CHANGES)
def test_every_kind_of_change_is_taken_back(sandbox: Sandbox, change: Callable[[Sandbox], None]) -> None:
    """Files, index and tree are the parent's; the history says that the change was there."""
    clean, index = sandbox.snapshot("src"), sandbox.git("ls-files", "-s")
    change(sandbox)
    commit, parent = committed(sandbox)

    rolled = rollback(sandbox.repo, commit, parent)

    assert rolled == Rolled(sandbox.head, True)
    assert sandbox.snapshot("src") == clean
    assert sandbox.git("ls-files", "-s") == index
    assert sandbox.status("src") == ""
    made = read_commit(sandbox.repo, "HEAD")
    assert (made.parents, made.tree) == ((commit,), read_commit(sandbox.repo, parent).tree)
    assert not (sandbox.top / "src/deep").exists()


def test_it_is_the_commit_that_git_revert_makes(sandbox: Sandbox) -> None:
    """Same tree, parent and message, and the reflog says so."""
    _edit(sandbox)
    commit, parent = committed(sandbox)
    rollback(sandbox.repo, commit, parent)
    ours = read_commit(sandbox.repo, "HEAD")
    reflog = sandbox.git("reflog", "-1", "--format=%gs")
    sandbox.git("worktree", "add", "-q", "--detach", str(sandbox.top.parent / "tree"), commit)
    sandbox.git("-C", str(sandbox.top.parent / "tree"), "revert", "--no-edit", commit)
    gits = read_commit(sandbox.repo, sandbox.git("-C", str(sandbox.top.parent / "tree"), "rev-parse", "HEAD"))

    assert (ours.tree, ours.parents, ours.message) == (gits.tree, gits.parents, gits.message)
    assert reflog == 'revert: Revert "autoresearch cycle 1: a change"'


def test_a_directory_that_became_a_link(sandbox: Sandbox) -> None:
    """What the link points to is left alone."""
    clean = sandbox.snapshot("src")
    _directory_to_link(sandbox)
    parent = sandbox.head
    paths = changed_within(sandbox.repo, ["src"]).inside
    commit = commit_paths(sandbox.repo, paths, cycle_message(1, "link", "1:a"))

    rolled = rollback(sandbox.repo, commit, parent)

    assert rolled.verified
    assert sandbox.snapshot("src") == clean
    assert len(sandbox.snapshot("whole")) == 3


def test_onto_a_root_commit_with_detached_head(sandbox: Sandbox) -> None:
    """The parent may be the first commit; no branch moves and no tag."""
    sandbox.git("checkout", "-q", "--detach")
    _edit(sandbox)
    commit, parent = committed(sandbox)

    rolled = rollback(sandbox.repo, commit, parent)

    assert read_commit(sandbox.repo, parent).parents == ()
    assert sandbox.head == rolled.revert_commit
    assert sandbox.git("rev-parse", "main", "v1").split() == [parent, parent]


def test_done_twice_it_only_verifies(sandbox: Sandbox) -> None:
    """The second call makes nothing and says the same; a file edited since then is told."""
    _edit(sandbox)
    commit, parent = committed(sandbox)
    first = rollback(sandbox.repo, commit, parent)
    second = rollback(sandbox.repo, commit, parent)
    _edit(sandbox)
    third = rollback(sandbox.repo, commit, parent)

    assert first == second
    assert third == Rolled(first.revert_commit, False, f"not as in {parent[:12]}: src/kernel.c")
    assert sandbox.read("src/kernel.c") == b"2\n"


def _edited(box: Sandbox) -> None:
    box.write("src/kernel.c", "edited again\n")


def _staged(box: Sandbox) -> None:
    content = box.read("src/kernel.c")
    box.write("src/kernel.c", "edited again\n")
    box.git("add", "src/kernel.c")
    box.write("src/kernel.c", content)


def _removed(box: Sandbox) -> None:
    (box.top / "src/new.c").unlink()
    (box.top / "src/new.c").symlink_to("kernel.c")


def _came_back(box: Sandbox) -> None:
    box.write("src/run.sh", "the user's own\n")


def _came_back_ignored(box: Sandbox) -> None:
    box.write(".git/info/exclude", "run.sh\n")
    _came_back(box)


@pytest.mark.parametrize("act", [_edited, _staged, _removed, _came_back, _came_back_ignored])
@pytest.mark.parametrize("rescued", [True, False])
def test_work_on_files_of_the_change_is_saved_or_refused(
    sandbox: Sandbox, act: Callable[[Sandbox], None], rescued: bool
) -> None:
    """Edited, staged or new in the way: it is in the rescue directory, or nothing happened."""
    clean = sandbox.snapshot("src")
    sandbox.write("src/kernel.c", "2\n")
    sandbox.write("src/new.c", "new\n")
    (sandbox.top / "src/run.sh").unlink()
    commit, parent = committed(sandbox)
    act(sandbox)
    before = (sandbox.snapshot("src"), sandbox.git("ls-files", "-s"))
    rescue = sandbox.top / ".auto/rejected/run-2"

    if not rescued:
        with pytest.raises(GitError, match="hold other work") as caught:
            rollback(sandbox.repo, commit, parent)
        assert sandbox.head == commit
        assert (sandbox.snapshot("src"), sandbox.git("ls-files", "-s")) == before
        assert "nothing was rolled back" in caught.value.remedy
        return

    rolled = rollback(sandbox.repo, commit, parent, rescue=rescue)

    assert rolled.verified
    assert f"saved in {rescue}" in rolled.detail
    assert sandbox.snapshot("src") == clean
    saved = b"".join(content for _, _, content in Sandbox(rescue).snapshot(".").values())
    assert any(work in saved for work in (b"edited again", b"kernel.c", b"the user's own"))


def test_files_in_a_directory_that_has_to_go_are_saved(sandbox: Sandbox) -> None:
    """Untracked and ignored ones alike: the file that comes back takes their directory's place."""
    clean = sandbox.snapshot("src")
    _directory(sandbox)
    commit, parent = committed(sandbox)
    sandbox.write("src/kernel.c/notes", "mine\n")
    sandbox.write("src/kernel.c/.env", "SECRET=1\n")
    rescue = sandbox.top / ".auto/rejected/run-2"

    with pytest.raises(GitError, match=r"hold other work \(src/kernel\.c/\.env, src/kernel\.c/notes\)"):
        rollback(sandbox.repo, commit, parent)
    rolled = rollback(sandbox.repo, commit, parent, rescue=rescue)

    assert rolled.verified
    assert sandbox.snapshot("src") == clean
    assert (rescue / "src/kernel.c/notes").read_text() == "mine\n"
    assert (rescue / "src/kernel.c/.env").read_text() == "SECRET=1\n"


@pytest.mark.parametrize("full", [True, False])
def test_a_directory_in_place_of_an_edited_file(sandbox: Sandbox, full: bool) -> None:
    """Its files are saved, it goes, and the parent's file is there again."""
    clean = sandbox.snapshot("src")
    _edit(sandbox)
    commit, parent = committed(sandbox)
    (sandbox.top / "src/kernel.c").unlink()
    (sandbox.top / "src/kernel.c").mkdir()
    if full:
        sandbox.write("src/kernel.c/mine.txt", "mine\n")
    rescue = sandbox.top / ".auto/rejected/run-2"

    assert rollback(sandbox.repo, commit, parent, rescue=rescue).verified
    assert sandbox.snapshot("src") == clean
    assert (rescue / "src/kernel.c/mine.txt").exists() is full


def test_a_link_to_a_directory_is_a_file_like_any_other(sandbox: Sandbox) -> None:
    """Changed to point elsewhere and back: nothing is in the way, nothing is saved."""
    (sandbox.top / "src/link").symlink_to("../elsewhere")
    committed(sandbox)
    (sandbox.top / "src/link").unlink()
    (sandbox.top / "src/link").symlink_to("../src")
    commit, parent = committed(sandbox, 2)

    assert rollback(sandbox.repo, commit, parent) == Rolled(sandbox.head, True)
    assert os.readlink(sandbox.top / "src/link") == "../elsewhere"


def test_what_stands_where_a_new_file_was_stays(sandbox: Sandbox) -> None:
    """A new file of the change was replaced by a directory: that one is gone already, this one stays."""
    sandbox.write("src/new", "new\n")
    commit, parent = committed(sandbox)
    (sandbox.top / "src/new").unlink()
    sandbox.write("src/new/mine.txt", "mine\n")

    assert rollback(sandbox.repo, commit, parent).verified
    assert sandbox.read("src/new/mine.txt") == b"mine\n"
    assert sandbox.status("src") == "?? src/new/mine.txt"


def test_a_failure_says_where_things_stand(sandbox: Sandbox) -> None:
    """A filter that fails in the middle: HEAD is at the change, and the way out is named."""
    sandbox.git("config", "filter.large.clean", "cat")
    sandbox.git("config", "filter.large.smudge", "false")
    sandbox.git("config", "filter.large.required", "true")
    _edit(sandbox)
    commit, parent = committed(sandbox)
    sandbox.write(".git/info/attributes", "*.c filter=large\n")

    with pytest.raises(GitError, match=r"rollback of .* failed: .*smudge filter large failed") as caught:
        rollback(sandbox.repo, commit, parent)
    (sandbox.top / ".git/info/attributes").unlink()

    assert sandbox.head == commit
    assert f"HEAD is still at the change; try again, or `git revert {commit[:12]}`" in caught.value.remedy
    assert rollback(sandbox.repo, commit, parent).verified


def test_new_files_beside_the_change_stay(sandbox: Sandbox) -> None:
    """Untracked and ignored files in the assets that are in nobody's way are not touched."""
    _new(sandbox)
    commit, parent = committed(sandbox)
    sandbox.write("src/deep/er/mine.txt", "mine\n")
    sandbox.write("src/kernel.pyc", "cache\n")
    sandbox.write("src/run.sh", "edited, no part of the change\n")

    rolled = rollback(sandbox.repo, commit, parent)

    assert rolled.verified
    assert sandbox.read("src/deep/er/mine.txt") == b"mine\n"
    assert sandbox.read("src/kernel.pyc") == b"cache\n"
    assert sandbox.status("src") == " M src/run.sh\n?? src/deep/er/mine.txt"


def test_hooks_and_signing_are_off(sandbox: Sandbox) -> None:
    """No hook of the user's can stop or see a rollback."""
    _edit(sandbox)
    commit, parent = committed(sandbox)
    for hook in ("pre-commit", "commit-msg", "post-checkout", "reference-transaction", "post-index-change"):
        sandbox.write(f".git/hooks/{hook}", "#!/bin/sh\ntouch hook-ran\nexit 1\n", 0o755)
    sandbox.git("config", "commit.gpgsign", "true")

    assert rollback(sandbox.repo, commit, parent).verified
    assert not (sandbox.top / "hook-ran").exists()


def test_a_commit_on_top_is_refused(sandbox: Sandbox) -> None:
    """HEAD elsewhere: nothing is touched, and the error says where it is and what helps."""
    _edit(sandbox)
    commit, parent = committed(sandbox)
    sandbox.write("README.md", "theirs\n")
    theirs = sandbox.commit("README.md")

    with pytest.raises(
        GitError, match=f"HEAD is at {theirs[:12]}, not at the change {commit[:12]}"
    ) as caught:
        rollback(sandbox.repo, commit, parent)

    assert f"`git revert {commit[:12]}`" in caught.value.remedy
    assert sandbox.read("src/kernel.c") == b"2\n"


def test_a_commit_in_between_loses_nothing(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other commit stays, and the files of the change are as in it again."""
    _edit(sandbox)
    _new(sandbox)
    commit, parent = committed(sandbox)
    changed = sandbox.snapshot("src")
    move = module.move_head

    def interrupted(*arguments: str) -> None:
        sandbox.git("commit", "-q", "--allow-empty", "--only", "-m", "theirs")
        move(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "move_head", interrupted)
    with pytest.raises(GitError, match="somebody else committed"):
        rollback(sandbox.repo, commit, parent)

    assert read_commit(sandbox.repo, "HEAD").parents == (commit,)
    assert read_commit(sandbox.repo, "HEAD").message == "theirs\n"
    assert sandbox.snapshot("src") == changed
    assert sandbox.status("src") == ""


def test_an_operation_in_progress_is_refused(sandbox: Sandbox) -> None:
    """A rollback in the middle of somebody's merge would end it."""
    _edit(sandbox)
    commit, parent = committed(sandbox)
    (sandbox.top / ".git/MERGE_HEAD").write_text(commit + "\n")

    with pytest.raises(GitError, match="a merge is in progress"):
        rollback(sandbox.repo, commit, parent)


def test_the_parent_must_be_the_parent(sandbox: Sandbox) -> None:
    """Two unrelated commits are a mistake of the caller's, and so is a name that is none."""
    _edit(sandbox)
    commit, parent = committed(sandbox)

    with pytest.raises(GitError, match="is no child of"):
        rollback(sandbox.repo, parent, commit)
    with pytest.raises(GitError, match="no commit is named"):
        rollback(sandbox.repo, "0" * 40, parent)


def test_a_submodule_in_a_change_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    """A commit that was not ours may hold one; it is left to git."""
    library = Sandbox(tmp_path / "library")
    library.build()
    parent = sandbox.head
    sandbox.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.top), "src/lib"
    )
    commit = sandbox.commit("src/lib", ".gitmodules")

    with pytest.raises(GitError, match=r"a submodule is part of the change \(src/lib\)"):
        rollback(sandbox.repo, commit, parent)

    assert sandbox.head == commit


def test_a_submodule_beside_the_change_is_left_alone(sandbox: Sandbox, tmp_path: Path) -> None:
    """Dirty or moved, and though `submodule.recurse` is set: it is as it was."""
    library = Sandbox(tmp_path / "library")
    library.build()
    sandbox.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.top), "lib")
    sandbox.commit("lib", ".gitmodules")
    sandbox.git("config", "submodule.recurse", "true")
    sandbox.write("lib/README.md", "half done\n")
    _edit(sandbox)
    commit, parent = committed(sandbox)

    assert rollback(sandbox.repo, commit, parent).verified
    assert sandbox.read("lib/README.md") == b"half done\n"
    assert sandbox.status("lib") == " M lib"


def test_a_sparse_checkout_stays_as_it_is(sandbox: Sandbox) -> None:
    """Files that are left out stay out; one that the user brought back by hand stays there."""
    sandbox.git("sparse-checkout", "set", "--no-cone", "/*", "!/src/run.sh", "!/README.md")
    sandbox.write("README.md", "read me\n")
    sandbox.git("update-index", "--no-skip-worktree", "README.md")
    _edit(sandbox)
    commit, parent = committed(sandbox)

    assert rollback(sandbox.repo, commit, parent).verified
    assert not (sandbox.top / "src/run.sh").exists()
    assert sandbox.read("README.md") == b"read me\n"
    assert sandbox.status("src", "README.md") == ""
    sandbox.git("sparse-checkout", "disable")


def test_a_file_hidden_from_git_stays_as_it_is(sandbox: Sandbox) -> None:
    """`--skip-worktree` and `--assume-unchanged` hide local edits beside the change; they are not touched."""
    for name, flag in (("run.sh", "--skip-worktree"), ("data.bin", "--assume-unchanged")):
        sandbox.write(f"src/{name}", "hidden edit\n")
        sandbox.git("update-index", flag, f"src/{name}")
    _edit(sandbox)
    commit, parent = committed(sandbox)

    assert rollback(sandbox.repo, commit, parent).verified
    assert sandbox.read("src/run.sh") == sandbox.read("src/data.bin") == b"hidden edit\n"
    assert sandbox.git("ls-files", "-v", "src").splitlines() == [
        "h src/data.bin",
        "H src/kernel.c",
        "S src/run.sh",
    ]


@pytest.mark.parametrize("setting", ["core.autocrlf", "core.splitIndex", "core.fileMode", "index.sparse"])
def test_unusual_settings(sandbox: Sandbox, setting: str) -> None:
    """Line endings converted, the index split, modes ignored: the files are the same afterwards."""
    sandbox.git("config", setting, "false" if setting == "core.fileMode" else "true")
    sandbox.write("src/kernel.c", "one\r\n")
    sandbox.write("src/run.sh", "#!/bin/sh\r\necho\r\n")
    base, _ = committed(sandbox)
    clean = sandbox.snapshot("src")
    sandbox.write("src/kernel.c", "two\r\n")
    sandbox.write("src/new.c", "new\r\n")
    commit, parent = committed(sandbox)

    rolled = rollback(sandbox.repo, commit, parent)

    assert (rolled.verified, parent) == (True, base)
    assert sandbox.snapshot("src") == clean
    assert sandbox.status("src") == ""


def test_in_a_sha256_repository(sandbox: Sandbox, tmp_path: Path) -> None:
    """Longer object names change nothing."""
    box = Sandbox(tmp_path / "long")
    box.top.mkdir()
    box.git("init", "-q", "--object-format=sha256")
    box.git("config", "user.name", "x")
    box.git("config", "user.email", "x")
    box.write("src/kernel.c", "1\n")
    box.commit("src")
    _new(box)
    _delete(box)
    commit, parent = committed(box)

    assert len(commit) == 64
    assert rollback(box.repo, commit, parent).verified
    assert box.snapshot("src") == {"src/kernel.c": ("file", 0o644, b"1\n")}


def test_in_a_linked_worktree(sandbox: Sandbox, tmp_path: Path) -> None:
    """It has its own HEAD and index; the main one does not move."""
    sandbox.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    linked = Sandbox(tmp_path / "tree")
    _new(linked)
    commit, parent = committed(linked)

    assert rollback(linked.repo, commit, parent).verified
    assert linked.status("src") == ""
    assert sandbox.head == parent


def test_how_far_a_cycle_got_is_told_by_head(sandbox: Sandbox) -> None:
    """At the parent, committed, rolled back; for another number, and after other commits: elsewhere."""
    start = sandbox.head
    states = [state_of_cycle(sandbox.repo, start, 4)]
    _edit(sandbox)
    commit, parent = committed(sandbox, 4)
    states.append(state_of_cycle(sandbox.repo, start, 4))
    another = state_of_cycle(sandbox.repo, start, 5)
    revert = rollback(sandbox.repo, commit, parent).revert_commit
    states.append(state_of_cycle(sandbox.repo, start, 4))
    sandbox.write("README.md", "theirs\n")
    sandbox.commit("README.md")
    states.append(state_of_cycle(sandbox.repo, start, 4))

    assert states == [
        CycleState(Phase.AT_PARENT),
        CycleState(Phase.COMMITTED, commit),
        CycleState(Phase.ROLLED_BACK, commit, revert),
        CycleState(Phase.ELSEWHERE),
    ]
    assert another == CycleState(Phase.ELSEWHERE)


def test_a_child_with_another_tree_is_no_rollback(sandbox: Sandbox) -> None:
    """A commit on top of the cycle's that leaves the change in is somebody else's."""
    start = sandbox.head
    _edit(sandbox)
    committed(sandbox, 4)
    sandbox.write("README.md", "theirs\n")
    sandbox.commit("README.md")

    assert state_of_cycle(sandbox.repo, start, 4) == CycleState(Phase.ELSEWHERE)
