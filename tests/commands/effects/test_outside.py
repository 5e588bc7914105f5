"""What an agent does outside the assets is saved and undone, back to the dirt that was there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from commands.effects import outside
from commands.effects.git_index import entries
from commands.effects.outside import Undone, keep, kept_before, undo
from commands.effects.salvage import Salvaged
from commands.effects.worktree import fingerprint_outside
from tests.commands.sandbox import AWKWARD, Sandbox

KEPT = ".auto/cache/outside"
RUN = ".auto/rejected/run-3"


def undo_now(box: Sandbox) -> Undone:
    """Undo from what is on disk, as a process that takes over from a killed one does."""
    kept = kept_before(box.top / KEPT)
    assert kept is not None
    return undo(box.repo, kept, box.top / RUN)


def _edit_dirt(box: Sandbox) -> None:
    box.write("elsewhere/half.txt", "the agent's\n")
    box.write("elsewhere/both.txt", "the agent's\n")
    box.write("notes.txt", "the agent's\n")


def _stage_dirt(box: Sandbox) -> None:
    box.git("add", "elsewhere", "notes.txt")


def _throw_dirt_away(box: Sandbox) -> None:
    box.git("checkout", "HEAD", "--", "elsewhere/half.txt", "elsewhere/staged.txt", "elsewhere/gone.txt")
    (box.top / "notes.txt").unlink()
    (box.top / "elsewhere/new.txt").unlink()


def _change_kinds(box: Sandbox) -> None:
    (box.top / "notes.txt").unlink()
    box.write("notes.txt/deep/note", "in a directory\n")
    box.write("notes.txt/cache.pyc", "ignored\n")
    (box.top / "elsewhere/half.txt").unlink()
    (box.top / "elsewhere/half.txt").symlink_to("../README.md")
    (box.top / "elsewhere/new.txt").chmod(0o755)


def _replace_the_directory(box: Sandbox) -> None:
    os.rename(box.top / "elsewhere", box.top / "away")
    (box.top / "elsewhere").symlink_to("away")


def _touch_clean_files(box: Sandbox) -> None:
    box.write("README.md", "the agent's\n")
    box.write("fresh/new.txt", "new\n")
    (box.top / ".gitignore").unlink()
    box.write(".git/info/exclude", ".env\n")


ACTS = [_edit_dirt, _stage_dirt, _throw_dirt_away, _change_kinds, _replace_the_directory, _touch_clean_files]


@pytest.mark.parametrize("act", ACTS)
def test_everything_is_as_the_iteration_began(sandbox: Sandbox, act: Callable[[Sandbox], None]) -> None:
    """Files, index and dirt are the same; the agent's work in the assets is not touched."""
    sandbox.write("link-to-nowhere", "x")
    (sandbox.top / "link-to-nowhere").unlink()
    (sandbox.top / "link-to-nowhere").symlink_to("nowhere")
    before = fingerprint_outside(sandbox.repo, ["src"])
    index, files = sandbox.git("ls-files", "-s"), sandbox.snapshot(".")
    keep(sandbox.repo, ["src"], sandbox.top / KEPT)
    sandbox.write("src/kernel.c", "in the assets\n")
    act(sandbox)

    undone = undo_now(sandbox)

    assert undone.changed
    assert undone.left == ()
    assert fingerprint_outside(sandbox.repo, ["src"]) == before
    assert sandbox.git("ls-files", "-s") == index
    assert sandbox.read("src/kernel.c") == b"in the assets\n"
    sandbox.write("src/kernel.c", files["src/kernel.c"][2])
    assert sandbox.snapshot(".") == files


def test_what_the_agent_did_is_saved(sandbox: Sandbox) -> None:
    """As `salvage` does: a patch, and the files themselves."""
    keep(sandbox.repo, ["src"], sandbox.top / KEPT)
    _edit_dirt(sandbox)

    undone = undo_now(sandbox)

    assert undone.changed == ("elsewhere/both.txt", "elsewhere/half.txt", "notes.txt")
    assert undone.saved.directory == str(sandbox.top / RUN)
    assert undone.saved.moved == undone.changed
    assert all(sandbox.read(f"{RUN}/{path}") == b"the agent's\n" for path in undone.changed)


def test_nothing_changed_is_nothing_done(sandbox: Sandbox) -> None:
    """Older dirt alone: no directory, no path touched."""
    keep(sandbox.repo, ["src"], sandbox.top / KEPT)
    stamp = (sandbox.top / "notes.txt").stat().st_mtime_ns

    assert undo_now(sandbox) == Undone((), Salvaged(None))
    assert (sandbox.top / "notes.txt").stat().st_mtime_ns == stamp


def test_awkward_names_come_back(sandbox: Sandbox) -> None:
    """Also from the record on disk."""
    for name in AWKWARD:
        sandbox.write(f"odd/{name}", "mine\n")
    before = sandbox.snapshot("odd")
    keep(sandbox.repo, ["src"], sandbox.top / KEPT)
    for name in AWKWARD:
        sandbox.write(f"odd/{name}", "the agent's\n")

    undone = undo_now(sandbox)

    assert set(undone.changed) == {f"odd/{name}" for name in AWKWARD}
    assert sandbox.snapshot("odd") == before


def test_a_large_file_is_noticed_and_left(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was not copied, so what the agent made of it stays, and is reported."""
    monkeypatch.setattr(outside, "KEPT_UP_TO", 100)
    sandbox.write("large.bin", bytes(101))
    keep(sandbox.repo, ["src"], sandbox.top / KEPT)
    sandbox.write("large.bin", bytes(102))

    undone = undo_now(sandbox)

    assert (undone.changed, undone.left) == (("large.bin",), ("large.bin",))
    assert sandbox.read("large.bin") == bytes(102)


def test_a_conflict_is_left(sandbox: Sandbox) -> None:
    """The user's merge is theirs to end."""
    blob = sandbox.git("rev-parse", "HEAD:README.md")
    stages = "".join(f"100644 {blob} {stage}\tREADME.md\n" for stage in (1, 2, 3))
    sandbox.git("update-index", "--force-remove", "README.md")
    sandbox.git("update-index", "--index-info", stdin=stages.encode())
    keep(sandbox.repo, ["src"], sandbox.top / KEPT)
    sandbox.write("README.md", "the agent's\n")

    assert undo_now(sandbox).left == ("README.md",)
    assert sandbox.git("ls-files", "-u", "README.md").count("README.md") == 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_left(sandbox: Sandbox) -> None:
    """It cannot be copied, so it is only watched."""
    sandbox.write("locked", "x\n", 0o000)

    assert not keep(sandbox.repo, ["src"], sandbox.top / KEPT).files["locked"].restorable


def test_repositories_are_left(sandbox: Sandbox, tmp_path: Path) -> None:
    """A submodule and an untracked repository of the user's are reported; a new repository is moved away."""
    library = Sandbox(tmp_path / "library")
    library.build()
    sandbox.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.top), "lib")
    sandbox.commit("lib", ".gitmodules")
    Sandbox(sandbox.top / "theirs").build()
    keep(sandbox.repo, ["src"], sandbox.top / KEPT)
    sandbox.write("lib/README.md", "edited\n")
    sandbox.write("theirs/README.md", "edited\n")
    Sandbox(sandbox.top / "agents").build()

    undone = undo_now(sandbox)

    assert undone.changed == ("agents/", "lib", "theirs/")
    assert undone.left == ("lib", "theirs/")
    assert undone.saved.moved == ("agents/",)
    assert sandbox.read("theirs/README.md") == b"edited\n"


def test_only_what_changed_is_copied_again(sandbox: Sandbox) -> None:
    """Copies are made once, and go when no path needs them."""
    first = keep(sandbox.repo, ["src"], sandbox.top / KEPT)
    inodes = {path.name: path.stat().st_ino for path in (sandbox.top / KEPT).iterdir()}
    notes = sandbox.read("notes.txt")
    sandbox.write("notes.txt", "edited by the user\n")
    second = keep(sandbox.repo, ["src"], sandbox.top / KEPT)
    sandbox.write("notes.txt", notes)
    now = {path.name: path.stat().st_ino for path in (sandbox.top / KEPT).iterdir()}

    assert first.files.keys() == second.files.keys()
    assert second.files["elsewhere/gone.txt"].absent
    assert first.files["notes.txt"].copy not in now
    assert second.files["notes.txt"].copy in now
    assert {name for name in inodes if now.get(name) == inodes[name]} == {
        file.copy for path, file in first.files.items() if file.copy and path != "notes.txt"
    }


def test_a_staged_version_comes_back(sandbox: Sandbox) -> None:
    """The index had one version, the file another; both are as before."""
    staged = entries(sandbox.repo, ["elsewhere/both.txt"])
    keep(sandbox.repo, ["src"], sandbox.top / KEPT)
    sandbox.write("elsewhere/both.txt", "the agent's\n")
    sandbox.git("add", "elsewhere/both.txt")

    undo_now(sandbox)

    assert entries(sandbox.repo, ["elsewhere/both.txt"]) == staged
    assert sandbox.read("elsewhere/both.txt") == b"and edited again\n"


def test_after_a_kill_it_is_finished(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped when the work was moved away and half of the dirt was back: the next call ends it."""
    keep(sandbox.repo, ["src"], sandbox.top / KEPT)
    _edit_dirt(sandbox)
    real = outside._put_back
    calls: list[str] = []

    def stopping(path: str, *arguments: object) -> None:
        calls.append(path)
        if len(calls) == 2:
            raise KeyboardInterrupt
        real(path, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(outside, "_put_back", stopping)
    with pytest.raises(KeyboardInterrupt):
        undo_now(sandbox)
    monkeypatch.setattr(outside, "_put_back", real)
    again = undo_now(sandbox)

    assert again.left == ()
    assert undo_now(sandbox).changed == ()


@pytest.mark.parametrize(
    "content", [None, "", "{", "[]", '{"assets": [], "files": {"x": {}}}', '{"files": {}}']
)
def test_an_unreadable_record_is_none(sandbox: Sandbox, content: str | None) -> None:
    """Missing, empty, cut or of another shape."""
    if content is not None:
        sandbox.write(f"{KEPT}/manifest.json", content)

    assert kept_before(sandbox.top / KEPT) is None
