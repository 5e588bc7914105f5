"""Committing exactly the named files, whatever else is staged or half done."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from commands.effects import git_commit
from commands.effects.git import GitError, find_repo
from commands.effects.git_commit import commit_paths, cycle_message
from commands.effects.git_queries import read_commit
from commands.effects.worktree import changed_within
from tests.commands.sandbox import AWKWARD, Sandbox

MESSAGE = cycle_message(1, "try it", "41:9f86")


def commit_changes(box: Sandbox, **options: bool) -> str:
    """Commit what changed inside `src`, as a cycle does."""
    return commit_paths(box.repo, changed_within(box.repo, ["src"]).inside, MESSAGE, **options)


def assert_refused(box: Sandbox, match: str, paths: list[str], **options: bool) -> GitError:
    """The commit is refused, and HEAD, the index and the files of the change are as before."""

    def state() -> object:
        return box.head, box.git("ls-files", "-s", "-z"), box.snapshot("src"), box.git("reflog")

    before = state()
    with pytest.raises(GitError, match=match) as caught:
        commit_paths(box.repo, paths, MESSAGE, **options)
    assert state() == before
    return caught.value


def test_a_commit_holds_exactly_the_named_files(sandbox: Sandbox) -> None:
    """Modified, added, deleted, renamed, of another mode, a symlink; nothing else that is staged."""
    parent = sandbox.head
    sandbox.write("src/kernel.c", "2\n")
    sandbox.write("src/new/deep.c", "new\n")
    sandbox.write("src/run.sh", "#!/bin/sh\n", 0o755)
    sandbox.git("mv", "src/data.bin", "src/moved.bin")
    (sandbox.top / "src/link").symlink_to("nowhere")

    made = commit_changes(sandbox)

    assert sandbox.head == made
    assert sandbox.files(made) == [
        "src/data.bin",
        "src/kernel.c",
        "src/link",
        "src/moved.bin",
        "src/new/deep.c",
        "src/run.sh",
    ]
    assert read_commit(sandbox.repo, made).parents == (parent,)
    assert read_commit(sandbox.repo, made).message == MESSAGE
    assert sandbox.git("ls-tree", made, "src/link", "src/run.sh").split()[::4] == ["120000", "100755"]
    assert sandbox.status("src") == ""


def test_a_partly_staged_file_is_committed_as_it_lies_there(sandbox: Sandbox) -> None:
    """What counts is the working copy, not an older version that was staged."""
    sandbox.write("src/kernel.c", "staged\n")
    sandbox.git("add", "src/kernel.c")
    sandbox.write("src/kernel.c", "later\n")
    sandbox.git("add", "--intent-to-add", str(sandbox.write("src/new.c", "new\n")))

    made = commit_changes(sandbox)

    assert sandbox.git("show", f"{made}:src/kernel.c") == "later"
    assert sandbox.files(made) == ["src/kernel.c", "src/new.c"]
    assert sandbox.status("src") == ""


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_names_are_committed(sandbox: Sandbox, name: str) -> None:
    """Any name a file can have; and no other file that a pattern in it would match."""
    sandbox.write(f"src/{name}", "x\n")
    sandbox.write(f"src/{name}.d/{name}", "x\n")
    sandbox.write("src/starXa", "matches a pattern\n")

    made = commit_paths(sandbox.repo, [f"src/{name}", f"src/{name}.d/{name}"], MESSAGE)

    assert sandbox.files(made) == sorted([f"src/{name}", f"src/{name}.d/{name}"])
    assert sandbox.status("src") == "?? src/starXa"


def test_a_file_becomes_a_directory_and_back(sandbox: Sandbox) -> None:
    """Both sides are part of the change."""
    (sandbox.top / "src/kernel.c").unlink()
    sandbox.write("src/kernel.c/part.c", "1\n")
    there = commit_changes(sandbox)
    (sandbox.top / "src/kernel.c/part.c").unlink()
    (sandbox.top / "src/kernel.c").rmdir()
    sandbox.write("src/kernel.c", "whole\n")
    back = commit_changes(sandbox)

    assert sandbox.files(there) == sandbox.files(back) == ["src/kernel.c", "src/kernel.c/part.c"]
    assert sandbox.status("src") == ""


def test_a_directory_becomes_a_symlink(sandbox: Sandbox) -> None:
    """The files of the directory go; those behind the link are not taken for them."""
    sandbox.write("src/part/a.c", "1\n")
    sandbox.commit("src/part")
    os.rename(sandbox.top / "src/part", sandbox.top / "src/whole")
    (sandbox.top / "src/part").symlink_to("whole")

    made = commit_changes(sandbox)

    assert sandbox.files(made) == ["src/part", "src/part/a.c", "src/whole/a.c"]
    assert sandbox.status("src") == ""


def test_onto_a_detached_head(sandbox: Sandbox) -> None:
    """No branch moves; the tag stays; HEAD's reflog has the step."""
    sandbox.git("checkout", "-q", "--detach")
    old = sandbox.head
    sandbox.write("src/kernel.c", "2\n")

    made = commit_changes(sandbox)

    assert sandbox.head == made
    assert sandbox.git("rev-parse", "main", "v1").split() == [old, old]
    assert sandbox.git("reflog", "-1", "--format=%H %gs") == f"{made} commit: autoresearch cycle 1: try it"


def test_the_branch_and_its_reflog_move(sandbox: Sandbox) -> None:
    """On a branch both reflogs have one step; no other reference moves."""
    sandbox.write("src/kernel.c", "2\n")
    refs = sandbox.git("for-each-ref", "--format=%(refname)")

    made = commit_changes(sandbox)

    assert sandbox.git("rev-parse", "main") == made
    assert sandbox.git("for-each-ref", "--format=%(refname)") == refs
    assert (
        sandbox.git("reflog", "show", "-1", "--format=%gs", "main") == "commit: autoresearch cycle 1: try it"
    )


def test_the_working_directory_may_be_below_the_top(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths count from the top, wherever process and session are and whatever git's variables say."""
    sandbox.write("src/kernel.c", "2\n")
    monkeypatch.chdir(sandbox.top / "elsewhere")
    with monkeypatch.context() as patched:
        patched.setenv("GIT_DIR", "/nowhere")
        patched.setenv("GIT_INDEX_FILE", str(sandbox.top / ".git/other"))
        made = commit_paths(find_repo(sandbox.top / "src"), ["src/kernel.c"], MESSAGE)

    assert sandbox.files(made) == ["src/kernel.c"]
    assert not (sandbox.top / ".git/other").exists()


def test_hooks_and_signing_are_off(sandbox: Sandbox) -> None:
    """A hook that refuses and a signature without a key stop no commit of ours."""
    hook = sandbox.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n", 0o755)
    for other in ("commit-msg", "post-commit", "reference-transaction"):
        sandbox.write(f".git/hooks/{other}", hook.read_bytes(), 0o755)
    sandbox.git("config", "commit.gpgsign", "true")
    sandbox.git("config", "gpg.program", "false")
    sandbox.write("src/kernel.c", "2\n")

    made = commit_changes(sandbox)

    assert "gpgsig" not in sandbox.git("cat-file", "commit", made)


@pytest.mark.parametrize("hook", ["pre-commit", "commit-msg", "reference-transaction"])
def test_a_hook_that_refuses_leaves_everything_as_it_was(sandbox: Sandbox, hook: str) -> None:
    """With `git_hooks` the user's hooks decide; what they say is in the error."""
    sandbox.write(f".git/hooks/{hook}", "#!/bin/sh\necho too ugly >&2\nexit 1\n", 0o755)
    sandbox.write("src/kernel.c", "2\n")
    sandbox.write("src/new.c", "2\n")

    assert_refused(sandbox, "too ugly", ["src/kernel.c", "src/new.c"], git_hooks=True)
    assert sandbox.status("src") == " M src/kernel.c\n?? src/new.c"


def test_signing_without_a_key_is_refused_when_asked_for(sandbox: Sandbox) -> None:
    """With `git_hooks` signing is as configured, and its failure is clear."""
    sandbox.git("config", "commit.gpgsign", "true")
    sandbox.git("config", "gpg.program", "false")
    sandbox.write("src/kernel.c", "2\n")

    assert_refused(sandbox, "gpg failed to sign", ["src/kernel.c"], git_hooks=True)


def test_a_hook_may_edit_the_files_of_the_change(sandbox: Sandbox) -> None:
    """A formatter that stages its result is heard: commit, index and files agree."""
    sandbox.write(
        ".git/hooks/pre-commit", "#!/bin/sh\necho tidy > src/kernel.c\ngit add src/kernel.c\n", 0o755
    )
    sandbox.write("src/kernel.c", "2\n")

    made = commit_changes(sandbox, git_hooks=True)

    assert sandbox.git("show", f"{made}:src/kernel.c") == "tidy"
    assert sandbox.files(made) == ["src/kernel.c"]
    assert sandbox.status("src") == ""


def test_a_hook_that_adds_other_files_is_undone(sandbox: Sandbox) -> None:
    """A commit that holds more than was asked does not stay."""
    sandbox.write(".git/hooks/pre-commit", "#!/bin/sh\ngit add notes.txt\n", 0o755)
    sandbox.write("src/kernel.c", "2\n")
    head, index = sandbox.head, sandbox.git("ls-files", "-s")

    with pytest.raises(GitError, match=r"would hold other files too \(notes\.txt\)"):
        commit_paths(sandbox.repo, ["src/kernel.c"], MESSAGE, git_hooks=True)

    assert (sandbox.head, sandbox.git("ls-files", "-s")) == (head, index)


def test_a_hook_that_takes_the_change_away_is_undone(sandbox: Sandbox) -> None:
    """Neither does one that holds less."""
    undo = "#!/bin/sh\ngit show HEAD:src/kernel.c > src/kernel.c\ngit add src/kernel.c\n"
    sandbox.write(".git/hooks/pre-commit", undo, 0o755)
    sandbox.write("src/kernel.c", "2\n")
    sandbox.write("src/new.c", "2\n")
    head = sandbox.head

    with pytest.raises(GitError, match=r"no change to commit \(src/kernel\.c\)"):
        commit_paths(sandbox.repo, ["src/kernel.c", "src/new.c"], MESSAGE, git_hooks=True)

    assert sandbox.head == head


def test_a_hook_that_commits_on_top_is_said_so(sandbox: Sandbox) -> None:
    """HEAD is not ours to move then: both commits stay, and the index agrees with them."""
    again = '#!/bin/sh\ntest -n "$AGAIN" || AGAIN=1 git commit -q --allow-empty -m extra\n'
    sandbox.write(".git/hooks/post-commit", again, 0o755)
    sandbox.write("src/kernel.c", "2\n")

    with pytest.raises(GitError, match="somebody else committed"):
        commit_paths(sandbox.repo, ["src/kernel.c"], MESSAGE, git_hooks=True)

    assert sandbox.git("log", "-2", "--format=%s").splitlines() == ["extra", "autoresearch cycle 1: try it"]
    assert sandbox.status("src") == ""


def test_a_commit_while_hooks_run_stays(sandbox: Sandbox) -> None:
    """Git itself refuses to move HEAD from elsewhere; theirs stays, and the change stays uncommitted."""
    theirs = "#!/bin/sh\ngit update-ref HEAD $(git commit-tree -p HEAD -m theirs HEAD^{tree})\n"
    sandbox.write(".git/hooks/pre-commit", theirs, 0o755)
    sandbox.write("src/kernel.c", "2\n")

    with pytest.raises(GitError, match="cannot lock ref 'HEAD'"):
        commit_paths(sandbox.repo, ["src/kernel.c"], MESSAGE, git_hooks=True)

    assert sandbox.git("log", "--format=%s").splitlines() == ["theirs", "start"]
    assert sandbox.status("src") == " M src/kernel.c"


def test_a_path_without_a_change_is_refused(sandbox: Sandbox) -> None:
    """Exactly these paths: one that would not be in the commit is an error, and so is none at all."""
    sandbox.write("src/kernel.c", "2\n")

    assert_refused(sandbox, r"no change to commit \(src/run\.sh\)", ["src/kernel.c", "src/run.sh"])
    assert_refused(sandbox, r"no change to commit \(src/missing\)", ["src/missing"])
    assert_refused(sandbox, r"no change to commit \(src\)", ["src"])
    assert_refused(sandbox, "nothing to commit", [])


def test_session_files_are_refused(sandbox: Sandbox) -> None:
    """`ar` never commits what belongs to a session."""
    sandbox.write(".auto/prompt.md", "goal\n")

    assert_refused(sandbox, "session files are never committed", [".auto/prompt.md"])


def test_repositories_inside_are_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    """A submodule that moved, and an untracked repository, are no change we could take back."""
    library = Sandbox(tmp_path / "library")
    library.build()
    sandbox.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.top), "src/lib"
    )
    sandbox.commit("src/lib", ".gitmodules")
    sandbox.git(
        "-C", "src/lib", "-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x", "--allow-empty"
    )
    Sandbox(sandbox.top / "src/inner").build()

    assert changed_within(sandbox.repo, ["src"]).inside == ("src/inner/", "src/lib")
    assert_refused(sandbox, r"a repository inside this one .* \(src/inner/\)", ["src/inner/"])
    assert_refused(sandbox, "a submodule cannot be part of a change", ["src/lib"])
    assert_refused(sandbox, "other files too|no change", ["src/lib/README.md"])


def test_an_unborn_head_is_refused(plain_git: None, tmp_path: Path) -> None:
    """Without a first commit there is nothing to go back to."""
    subprocess.run(["git", "init", "-q", tmp_path / "empty"], check=True)
    (tmp_path / "empty/a").touch()

    with pytest.raises(GitError, match="no commit yet") as caught:
        commit_paths(find_repo(tmp_path / "empty"), ["a"], MESSAGE)

    assert "commit once" in caught.value.remedy


def test_an_unknown_committer_is_refused(sandbox: Sandbox) -> None:
    """Nobody's name is on a commit by accident."""
    sandbox.git("config", "--unset", "user.name")
    sandbox.git("config", "--unset", "user.email")
    sandbox.git("config", "user.useConfigOnly", "true")
    sandbox.write("src/kernel.c", "2\n")

    error = assert_refused(sandbox, "does not know who commits", ["src/kernel.c"])

    assert "git config user.name" in error.remedy


def test_a_merge_in_progress_is_refused(sandbox: Sandbox) -> None:
    """Our commit would end it behind somebody's back."""
    sandbox.write("src/kernel.c", "2\n")
    (sandbox.top / ".git/MERGE_HEAD").write_text(sandbox.head + "\n")

    error = assert_refused(sandbox, "a merge is in progress", ["src/kernel.c"])

    assert "git merge --abort" in error.remedy


def test_conflicts_left_in_the_index_are_refused(sandbox: Sandbox) -> None:
    """A file with conflict markers is not committed, whatever left it so."""
    blob = sandbox.git("rev-parse", "HEAD:src/kernel.c")
    stages = "".join(f"100644 {blob} {stage}\tsrc/kernel.c\n" for stage in (1, 2, 3))
    sandbox.git("update-index", "--force-remove", "src/kernel.c")
    sandbox.git("update-index", "--index-info", stdin=stages.encode())
    sandbox.write("src/kernel.c", "<<<<<<<\n")

    assert_refused(sandbox, r"left conflicts \(src/kernel\.c\)", ["src/kernel.c"])


def test_another_commit_before_ours_is_refused(sandbox: Sandbox) -> None:
    """HEAD has to be where the cycle began."""
    start = sandbox.head
    sandbox.write("README.md", "theirs\n")
    theirs = sandbox.commit("README.md")
    sandbox.write("src/kernel.c", "2\n")

    with pytest.raises(GitError, match=f"HEAD is at {theirs[:12]}, not at {start[:12]}"):
        commit_paths(sandbox.repo, ["src/kernel.c"], MESSAGE, parent=start)

    assert sandbox.head == theirs
    assert sandbox.status("src") == " M src/kernel.c"


@pytest.mark.parametrize("theirs", ["README.md", "src/kernel.c"])
def test_another_commit_in_between_loses_nothing(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, theirs: str
) -> None:
    """HEAD moves only from where it was: the other commit stays, the change stays in the working tree."""
    sandbox.write("README.md", "theirs\n")
    sandbox.write("src/kernel.c", "2\n")
    sandbox.write("src/new.c", "new\n")
    move = git_commit.move_head

    def interrupted(*arguments: str) -> None:
        sandbox.commit(theirs)
        move(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(git_commit, "move_head", interrupted)
    with pytest.raises(GitError, match="somebody else committed") as caught:
        commit_paths(sandbox.repo, ["src/kernel.c", "src/new.c"], MESSAGE)

    assert sandbox.files(sandbox.head) == [theirs]
    assert "nothing was lost" in caught.value.remedy
    assert sandbox.status("src") == "\n".join(
        line for line in (" M src/kernel.c", "?? src/new.c") if not line.endswith(theirs)
    )


def test_a_path_outside_of_the_sparse_checkout_is_refused(sandbox: Sandbox) -> None:
    """A file that git leaves out of the working tree was not deleted by anybody."""
    sandbox.git("sparse-checkout", "set", "--no-cone", "/*", "!/src/run.sh")
    sandbox.write("src/kernel.c", "2\n")

    assert changed_within(sandbox.repo, ["src"]).inside == ("src/kernel.c",)
    assert_refused(sandbox, "sparse checkout", ["src/kernel.c", "src/run.sh"])
    assert sandbox.files(commit_changes(sandbox)) == ["src/kernel.c"]
    sandbox.git("sparse-checkout", "disable")


def test_filters_and_line_endings_are_gits(sandbox: Sandbox) -> None:
    """Attributes and `core.autocrlf` are honoured, as by `git add`; nothing looks changed afterwards."""
    sandbox.git("config", "filter.rot.clean", "tr a-z b-za")
    sandbox.git("config", "filter.rot.smudge", "tr b-za a-z")
    sandbox.git("config", "core.autocrlf", "true")
    sandbox.write("src/.gitattributes", "*.rot filter=rot\n")
    sandbox.write("src/word.rot", "abc\n")
    sandbox.write("src/crlf.txt", "one\r\ntwo\r\n")

    made = commit_changes(sandbox)

    assert sandbox.git("cat-file", "blob", f"{made}:src/word.rot") == "bcd"
    assert sandbox.git("cat-file", "blob", f"{made}:src/crlf.txt") == "one\ntwo"
    assert sandbox.read("src/crlf.txt") == b"one\r\ntwo\r\n"
    assert changed_within(sandbox.repo, ["src"]).inside == ()


def test_a_filter_that_fails_is_said_so(sandbox: Sandbox) -> None:
    """A required filter that is not installed refuses the commit; nothing moved."""
    sandbox.git("config", "filter.large.clean", "not-installed")
    sandbox.git("config", "filter.large.required", "true")
    sandbox.write("src/.gitattributes", "*.c filter=large\n")
    sandbox.write("src/kernel.c", "2\n")

    assert_refused(sandbox, "external filter 'not-installed' failed", ["src/kernel.c"])


def test_a_locked_index_is_waited_for_and_then_said_so(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another git at work is given time; a lock left behind is named, with the remedy."""
    monkeypatch.setattr("commands.effects.git_index._LOCK_WAIT", 0.1)
    lock = sandbox.write(".git/index.lock", "")
    sandbox.write("src/kernel.c", "2\n")

    error = assert_refused(sandbox, r"the index is locked \(.*index\.lock\)", ["src/kernel.c"])
    lock.unlink()

    assert "remove that file" in error.remedy


def test_staging_by_somebody_else_meanwhile_is_kept(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index that is replaced is the one that was read; a newer one is taken over first."""
    sandbox.write("src/kernel.c", "2\n")
    sandbox.write("README.md", "staged meanwhile\n")
    original = git_commit.put_entries
    calls: list[str] = []

    def interrupted(repo: object, changes: object, index: str) -> None:
        if not calls:
            sandbox.git("add", "README.md")
        calls.append(index)
        original(repo, changes, index)  # type: ignore[arg-type]

    monkeypatch.setattr(git_commit, "put_entries", interrupted)
    commit_paths(sandbox.repo, ["src/kernel.c"], MESSAGE)

    assert len(calls) == 2
    assert sandbox.status("src", "README.md") == "M  README.md"


def test_the_message_of_a_cycle() -> None:
    """One line is the subject; more text, or a long line, follows whole; the trailers come last."""
    assert cycle_message(7, "unroll\r\n", "41:9f86") == (
        "autoresearch cycle 7: unroll\n\nAr-Cycle: 7\nAr-Head: 41:9f86\n"
    )
    assert cycle_message(7, "unroll\nby four", "41:9f86") == (
        "autoresearch cycle 7: unroll\n\nunroll\nby four\n\nAr-Cycle: 7\nAr-Head: 41:9f86\n"
    )
    assert cycle_message(7, "x" * 200, "1:a").splitlines()[:3] == [
        f"autoresearch cycle 7: {'x' * 100}",
        "",
        "x" * 200,
    ]
    assert cycle_message(7, " \n", "1:a").startswith("autoresearch cycle 7: no description\n\nAr-Cycle")
