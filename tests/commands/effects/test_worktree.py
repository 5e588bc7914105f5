"""What changed inside the assets and outside of them; session files; the exclude file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.effects.git import GitError, find_repo
from commands.effects.worktree import (
    asset_paths,
    changed_since,
    changed_within,
    fingerprint_outside,
    is_inside,
    session_files,
    status,
)
from tests.commands.sandbox import AWKWARD, Sandbox

THEIRS = (
    "elsewhere/both.txt",
    "elsewhere/gone.txt",
    "elsewhere/half.txt",
    "elsewhere/new.txt",
    "elsewhere/staged.txt",
)


def test_status_tells_every_kind(sandbox: Sandbox) -> None:
    """Staged and unstaged apart, renames with their origin, kinds and untracked files."""
    sandbox.write("src/run.sh", "#!/bin/sh\n", 0o755)
    sandbox.git("mv", "src/kernel.c", "src/core.c")
    (sandbox.top / "README.md").unlink()
    (sandbox.top / "README.md").symlink_to("src")

    told = {line.path: (line.staged, line.unstaged, line.origin) for line in status(sandbox.repo)}

    assert told == {
        "README.md": (".", "T", None),
        "elsewhere/both.txt": ("M", "M", None),
        "elsewhere/gone.txt": ("D", ".", None),
        "elsewhere/half.txt": (".", "M", None),
        "elsewhere/new.txt": ("A", ".", None),
        "elsewhere/staged.txt": ("M", ".", None),
        "notes.txt": ("?", "?", None),
        "src/core.c": ("R", ".", "src/kernel.c"),
        "src/run.sh": (".", "M", None),
    }


def test_changes_inside_and_outside_are_told_apart(sandbox: Sandbox) -> None:
    """Inside: everything, new files included; outside: tracked dirt and untracked files separately."""
    sandbox.write("src/kernel.c", "2\n")
    sandbox.write("src/deep/new.c", "new\n")
    (sandbox.top / "src/data.bin").unlink()

    changes = changed_within(sandbox.repo, ["src"])

    assert changes.inside == ("src/data.bin", "src/deep/new.c", "src/kernel.c")
    assert changes.outside_tracked == THEIRS
    assert changes.outside_untracked == ("notes.txt",)


def test_everything_as_asset(sandbox: Sandbox) -> None:
    """The asset "" is the whole working tree."""
    assert changed_within(sandbox.repo, [""]) == ((*THEIRS, "notes.txt"), (), ())


def test_a_rename_is_two_changes(sandbox: Sandbox) -> None:
    """Both of its paths are to be committed; across the border of the assets they lie on two sides."""
    sandbox.git("mv", "src/kernel.c", "src/core.c")
    sandbox.git("mv", "README.md", "src/README.md")

    changes = changed_within(sandbox.repo, ["src"])

    assert changes.inside == ("src/README.md", "src/core.c", "src/kernel.c")
    assert "README.md" in changes.outside_tracked


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_names_are_found(sandbox: Sandbox, name: str) -> None:
    """Spaces, quotes, newlines, leading dashes, wildcards, bytes that are no text."""
    sandbox.write(f"src/{name}", "x\n")
    sandbox.write(name, "x\n")

    changes = changed_within(sandbox.repo, ["src"])

    assert changes.inside == (f"src/{name}",)
    assert name in changes.outside_untracked
    assert changed_within(sandbox.repo, [name]).inside == (name,)


def test_what_is_only_staged_is_no_change_inside(sandbox: Sandbox) -> None:
    """The working copy counts: back to HEAD's content, or untracked with it, means unchanged."""
    sandbox.write("src/kernel.c", "2\n")
    sandbox.git("add", "src/kernel.c")
    sandbox.git("rm", "-q", "--cached", "src/run.sh")
    sandbox.git("rm", "-q", "--cached", "src/data.bin")
    sandbox.write("src/data.bin", "other\n")
    sandbox.write("src/kernel.c", "int f(void) { return 1; }\n")

    assert changed_within(sandbox.repo, ["src"]).inside == ("src/data.bin",)


def test_session_files_are_never_listed(sandbox: Sandbox) -> None:
    """Neither `.auto/`, nor the flat names beside a flat log, nor a results table, inside or outside."""
    before = changed_within(sandbox.repo, ["src"])
    sandbox.write(".auto/prompt.md", "goal\n")
    sandbox.write("autoresearch.md", "goal\n")
    sandbox.write("autoresearch.hooks/before.sh", "#!/bin/sh\n")
    sandbox.write("autoresearch-results.tsv", "timestamp\n")
    sandbox.write("src/autoresearch-results.tsv", "timestamp\n")

    assert changed_within(sandbox.repo, ["src"]) == before
    assert fingerprint_outside(sandbox.repo, ["src"]).keys() == {*THEIRS, "notes.txt"}


def test_only_a_session_has_session_files(sandbox: Sandbox) -> None:
    """A directory called `.auto` hides nothing unless it is this session's or holds a log."""
    (sandbox.top / "task").mkdir()
    sandbox.write("src/.auto/module.py", "hidden\n")
    sandbox.write("src/autoresearch.md", "text\n")
    sandbox.write("other/.auto/log.jsonl", "{}\n")
    sandbox.write("flat/autoresearch.jsonl", "{}\n")
    asked = (
        "src/.auto/module.py",
        "src/autoresearch.md",
        "src/autoresearch.py",
        "other/.auto/ideas.md",
        "flat/autoresearch.ideas.md",
        "flat/autoresearch.hooks/x/y",
        "flat/autoresearch.py",
        "task/.auto/prompt.md",
        ".auto/",
        ".auto/measure.sh",
    )

    assert session_files(sandbox.repo, asked) == {
        "other/.auto/ideas.md",
        "flat/autoresearch.ideas.md",
        "flat/autoresearch.hooks/x/y",
        ".auto/",
        ".auto/measure.sh",
    }
    assert session_files(find_repo(sandbox.top / "task"), asked) == {
        "other/.auto/ideas.md",
        "flat/autoresearch.ideas.md",
        "flat/autoresearch.hooks/x/y",
        "task/.auto/prompt.md",
    }


def test_a_session_below_the_top_sees_the_whole_tree(sandbox: Sandbox) -> None:
    """Paths are relative to the top wherever the session is; its assets are named from its own directory."""
    sandbox.write("src/kernel.c", "2\n")
    repo = find_repo(sandbox.top / "src")

    assert asset_paths(repo, ["."]) == ("src",)
    assert changed_within(repo, asset_paths(repo, ["."])).inside == ("src/kernel.c",)


def test_assets_are_named_from_the_sessions_directory(sandbox: Sandbox) -> None:
    """Relative, absolute, with `..`, through a symlinked parent, with a slash at the end; once each."""
    (sandbox.top.parent / "link").symlink_to(sandbox.top)
    repo = find_repo(sandbox.top / "src")
    absolute, linked = str(sandbox.top / "README.md"), str(sandbox.top.parent / "link/src/run.sh")

    assert asset_paths(repo, ["kernel.c", "deep/", "../README.md", absolute, linked]) == (
        "src/kernel.c",
        "src/deep",
        "README.md",
        "src/run.sh",
    )
    assert asset_paths(repo, [".."]) == ("",)


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", ".git", "src/../.git/config"])
def test_an_asset_outside_is_refused(sandbox: Sandbox, name: str) -> None:
    """Nothing beyond the working tree, and nothing of git's own, can be an asset."""
    with pytest.raises(GitError, match="outside of the working tree"):
        asset_paths(sandbox.repo, [name])


@pytest.mark.parametrize(
    ("path", "assets", "expected"),
    [
        ("src/a", ["src"], True),
        ("src", ["src"], True),
        ("src2/a", ["src"], False),
        ("src/nested/", ["src/nested"], True),
        ("a", [""], True),
        ("a", [], False),
        ("a/b", ["a/b/c", "a/b"], True),
    ],
)
def test_inside_is_by_whole_names(path: str, assets: list[str], expected: bool) -> None:
    """An asset is a file or a directory, never a prefix of a name."""
    assert is_inside(path, assets) is expected


def _edit(box: Sandbox) -> None:
    box.write("notes.txt", "edited\n")


def _mode(box: Sandbox) -> None:
    (box.top / "notes.txt").chmod(0o755)


def _link(box: Sandbox) -> None:
    (box.top / "notes.txt").unlink()
    (box.top / "notes.txt").symlink_to("README.md")


def _remove(box: Sandbox) -> None:
    (box.top / "notes.txt").unlink()


@pytest.mark.parametrize("act", [_edit, _mode, _link, _remove])
def test_a_change_to_an_untracked_file_is_noticed(sandbox: Sandbox, act: object) -> None:
    """Its content, its execute bit, what kind of file it is, and that it is gone."""
    before = fingerprint_outside(sandbox.repo, ["src"])
    content, mode = sandbox.read("notes.txt"), (sandbox.top / "notes.txt").stat().st_mode
    act(sandbox)  # type: ignore[operator]
    after = fingerprint_outside(sandbox.repo, ["src"])
    (sandbox.top / "notes.txt").unlink(missing_ok=True)
    sandbox.write("notes.txt", content, mode)

    assert changed_since(before, after) == ["notes.txt"]
    assert changed_since(before, fingerprint_outside(sandbox.repo, ["src"])) == []


def test_changes_to_tracked_files_are_noticed(sandbox: Sandbox) -> None:
    """Newly dirty, dirtier, clean again, staged; what lies inside the assets is not looked at."""
    before = fingerprint_outside(sandbox.repo, ["src"])
    half = sandbox.read("elsewhere/half.txt")
    sandbox.write("README.md", "changed\n")
    sandbox.write("elsewhere/half.txt", "half\n")
    sandbox.write("src/kernel.c", "2\n")
    edited = fingerprint_outside(sandbox.repo, ["src"])
    sandbox.write("elsewhere/half.txt", half)
    sandbox.git("add", "elsewhere/half.txt")
    staged = fingerprint_outside(sandbox.repo, ["src"])
    sandbox.git("reset", "-q", "--", "elsewhere/half.txt")

    assert changed_since(before, edited) == ["README.md", "elsewhere/half.txt"]
    assert changed_since(before, staged) == ["README.md", "elsewhere/half.txt"]


def test_a_large_file_is_told_by_size_and_time(sandbox: Sandbox) -> None:
    """Above a mebibyte the content is not read: another time or size is a change."""
    file = sandbox.write("large.bin", bytes(2 << 20))
    before = fingerprint_outside(sandbox.repo, ["src"])
    same = fingerprint_outside(sandbox.repo, ["src"])
    os.utime(file, ns=(0, 1))

    assert changed_since(before, same) == []
    assert changed_since(before, fingerprint_outside(sandbox.repo, ["src"])) == ["large.bin"]


def test_a_repository_inside_is_told_by_its_own_state(sandbox: Sandbox) -> None:
    """Nested and untracked, its commits and its dirt are noticed; it is one path with a slash."""
    inner = Sandbox(sandbox.top / "inner")
    inner.build()
    before = fingerprint_outside(sandbox.repo, ["src"])
    inner.write("README.md", "edited\n")
    edited = fingerprint_outside(sandbox.repo, ["src"])
    inner.commit("README.md")
    committed = fingerprint_outside(sandbox.repo, ["src"])

    assert changed_since(before, edited) == ["inner/"]
    assert changed_since(edited, committed) == ["inner/"]
    assert changed_within(sandbox.repo, ["inner"]).inside == ("inner/",)


def test_a_submodule_is_told_by_its_own_state(sandbox: Sandbox, tmp_path: Path) -> None:
    """An edit in a submodule is a change of that path."""
    library = Sandbox(tmp_path / "library")
    library.build()
    sandbox.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.top), "lib")
    sandbox.commit("lib", ".gitmodules")
    before = fingerprint_outside(sandbox.repo, ["src"])
    sandbox.write("lib/README.md", "edited\n")
    edited = fingerprint_outside(sandbox.repo, ["src"])
    sandbox.write("lib/README.md", "edited again\n")

    assert "lib" not in before
    assert changed_since(before, edited) == ["lib"]
    assert changed_since(edited, fingerprint_outside(sandbox.repo, ["src"])) == ["lib"]


@given(
    before=st.dictionaries(st.sampled_from("abcd"), st.sampled_from("xy")),
    after=st.dictionaries(st.sampled_from("abcd"), st.sampled_from("xy")),
)
def test_what_differs_is_symmetric_and_empty_for_equals(
    before: dict[str, str], after: dict[str, str]
) -> None:
    """The same paths whichever comes first; none if and only if nothing changed."""
    assert changed_since(before, after) == changed_since(after, before)
    assert (changed_since(before, after) == []) == (before == after)


def test_non_utf8_names_are_supported_here() -> None:
    """The awkward names hold one that is not UTF-8 wherever the file system takes it."""
    assert (sys.platform == "darwin") == (os.fsdecode(b"caf\xe9") not in AWKWARD)
