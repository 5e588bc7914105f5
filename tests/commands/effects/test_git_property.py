"""Any change of a tree is committed whole and taken back whole, however odd; any dirt can be salvaged."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commands.effects.git_commit import commit_paths, cycle_message
from commands.effects.rollback import rollback
from commands.effects.salvage import salvage
from commands.effects.worktree import changed_within
from tests.commands.sandbox import Sandbox

NAMES = st.sampled_from(["a", "b", "a/a", "a/b", "b/a", "b/a/a", "kernel.c", "run.sh/x", "data.bin"])
KINDS = st.sampled_from(["write", "write", "write", "link", "remove", "mode", "stage", "unstage"])
EDITS = st.lists(st.tuples(KINDS, NAMES, st.sampled_from(["", "1\n", "2\n", "two\nlines\n"])), max_size=8)

EXAMPLES = settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def apply(box: Sandbox, edits: list[tuple[str, str, str]]) -> None:
    """Do to `src` what the edits say, making room for them as a person would."""
    for kind, name, content in edits:
        path = box.top / "src" / name
        if kind in ("write", "link"):
            make_room(box, path)
            if kind == "write":
                path.write_text(content)
            else:
                path.symlink_to(content.strip() or "nowhere")
        elif kind == "remove":
            clear(path)
        elif kind == "mode" and path.is_file() and not path.is_symlink():
            path.chmod(0o755)
        elif kind == "stage":
            box.git("add", "-A", "--", "src")
        elif kind == "unstage":
            box.git("reset", "-q", "--", "src")


def make_room(box: Sandbox, path: Path) -> None:
    for above in [*reversed(path.relative_to(box.top).parents)][1:]:
        if (box.top / above).is_symlink() or (box.top / above).is_file():
            (box.top / above).unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    clear(path)


def clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path) and not any(above.is_symlink() for above in path.parents):
        path.unlink()


@pytest.fixture
def copies(sandbox: Sandbox, tmp_path: Path) -> tuple[Path, list[int]]:
    """Where to copy the sandbox for each example, and how many there were."""
    return tmp_path / "copies", [0]


def copy(sandbox: Sandbox, copies: tuple[Path, list[int]]) -> Sandbox:
    copies[1][0] += 1
    box = Sandbox(copies[0] / str(copies[1][0]))
    shutil.copytree(sandbox.top, box.top, symlinks=True)
    box.theirs = box.work()
    return box


@EXAMPLES
@given(base=EDITS, change=EDITS, later=EDITS)
def test_a_change_goes_in_and_out(
    sandbox: Sandbox, copies: tuple[Path, list[int]], base: list[tuple[str, str, str]],
    change: list[tuple[str, str, str]], later: list[tuple[str, str, str]]
) -> None:  # fmt: skip
    """Law: after commit and rollback tree, index and files are the parent's, later edits or not."""
    box = copy(sandbox, copies)
    apply(box, base)
    if paths := changed_within(box.repo, ["src"]).inside:
        commit_paths(box.repo, paths, cycle_message(1, "base", "1:a"))
    box.git("reset", "-q", "--", "src")
    parent, clean = box.head, box.snapshot("src")
    apply(box, change)
    paths = changed_within(box.repo, ["src"]).inside
    if not paths:
        return
    commit = commit_paths(box.repo, paths, cycle_message(2, "change", "1:a"))
    assert tuple(box.files(commit)) == paths
    assert changed_within(box.repo, ["src"]).inside == ()
    apply(box, later)

    rolled = rollback(box.repo, commit, parent, rescue=box.top / ".auto/rejected/run-2")

    assert rolled.verified
    assert box.git("rev-parse", "HEAD^{tree}") == box.git("rev-parse", parent + "^{tree}")
    now = box.snapshot("src")
    assert {path: now.get(path) for path in paths} == {path: clean.get(path) for path in paths}
    staged = box.git("diff", "--cached", "--name-only", "--no-renames", "HEAD").splitlines()
    assert not set(staged) & set(paths)
    assert box.work() == box.theirs


@EXAMPLES
@given(dirt=EDITS)
def test_any_dirt_is_salvaged(
    sandbox: Sandbox, copies: tuple[Path, list[int]], dirt: list[tuple[str, str, str]]
) -> None:
    """Law: afterwards the assets are as in HEAD, and every file that was not lies in the directory."""
    box = copy(sandbox, copies)
    clean = box.snapshot("src")
    apply(box, dirt)
    dirty = box.snapshot("src")

    saved = salvage(box.repo, changed_within(box.repo, ["src"]).inside, box.top / ".auto/rejected/run-1")

    assert box.snapshot("src") == clean
    kept = Sandbox(Path(saved.directory)).snapshot("src") if saved.directory else {}
    assert {path: held for path, held in dirty.items() if clean.get(path) != held}.items() <= kept.items()
    assert changed_within(box.repo, ["src"]).inside == ()
    assert box.work() == box.theirs
