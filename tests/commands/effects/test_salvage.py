"""Taking uncommitted work out of the working tree: saved first, moved, never deleted."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from commands.effects.git import GitError
from commands.effects.salvage import Salvaged, salvage
from commands.effects.worktree import changed_within
from tests.commands.sandbox import AWKWARD, Sandbox

RUN = ".auto/rejected/run-7"


def salvage_all(box: Sandbox) -> Salvaged:
    """Salvage what changed inside `src`, as a discarded run does."""
    return salvage(box.repo, changed_within(box.repo, ["src"]).inside, box.top / RUN)


def applied(box: Sandbox, saved: Salvaged, name: str, to: Path) -> dict[str, tuple[str, int, bytes]]:
    """`src` of HEAD with a saved patch applied, in a checkout of its own."""
    box.git("worktree", "add", "-q", "--detach", str(to))
    assert saved.directory is not None
    subprocess.run(["git", "apply", Path(saved.directory) / name], cwd=to, check=True)
    return Sandbox(to).snapshot("src")


def test_tracked_work_becomes_a_patch_and_goes_back_to_head(sandbox: Sandbox, tmp_path: Path) -> None:
    """Edited, binary, of another mode, deleted, staged or not: the patch makes all of it again."""
    clean = sandbox.snapshot("src")
    sandbox.write("src/kernel.c", "2\n")
    sandbox.git("add", "src/kernel.c")
    sandbox.write("src/run.sh", "#!/bin/sh\n", 0o755)
    sandbox.write("src/data.bin", bytes(reversed(range(256))))
    changed = sandbox.snapshot("src")

    saved = salvage_all(sandbox)

    assert saved.directory == str(sandbox.top / RUN)
    assert saved.patches == ("changes.patch",)
    assert saved.restored == ("src/data.bin", "src/kernel.c", "src/run.sh")
    assert sandbox.snapshot("src") == clean
    assert sandbox.status("src") == ""
    assert applied(sandbox, saved, "changes.patch", tmp_path / "tree") == changed


def test_files_are_moved_as_they_were(sandbox: Sandbox) -> None:
    """New ones and edited ones, with their names, bytes, modes and links; new directories go."""
    sandbox.write("src/new/deep.sh", "new\n", 0o755)
    sandbox.write("src/kernel.c", b"lone \r and \xff\n")
    (sandbox.top / "src/link").symlink_to("nowhere")

    saved = salvage_all(sandbox)
    moved = Sandbox(sandbox.top / RUN).snapshot("src")

    assert saved.moved == ("src/kernel.c", "src/link", "src/new/deep.sh")
    assert moved == {
        "src/kernel.c": ("file", 0o644, b"lone \r and \xff\n"),
        "src/link": ("link", 0, b"nowhere"),
        "src/new/deep.sh": ("file", 0o755, b"new\n"),
    }
    assert sandbox.status("src") == ""


def test_a_version_that_was_only_staged_is_saved_too(sandbox: Sandbox, tmp_path: Path) -> None:
    """Staged one thing, edited to another; staged and then deleted; each has its patch."""
    clean = sandbox.snapshot("src")
    sandbox.write("src/kernel.c", "staged\n")
    sandbox.write("src/brief.c", "gone\n")
    sandbox.git("add", "src")
    staged = sandbox.snapshot("src")
    sandbox.write("src/kernel.c", "later\n")
    (sandbox.top / "src/brief.c").unlink()

    saved = salvage(sandbox.repo, ["src/kernel.c", "src/brief.c"], sandbox.top / RUN)

    assert saved.patches == ("changes.patch", "staged.patch")
    assert b"+later" in sandbox.read(f"{RUN}/changes.patch")
    assert applied(sandbox, saved, "staged.patch", tmp_path / "tree") == staged
    assert sandbox.snapshot("src") == clean
    assert sandbox.status("src") == ""


def test_a_staged_version_whose_file_is_as_in_head(sandbox: Sandbox) -> None:
    """It is in the index alone: saved, then unstaged; the file is not touched."""
    untouched = sandbox.read("src/kernel.c")
    sandbox.write("src/kernel.c", "staged\n")
    sandbox.git("add", "src/kernel.c")
    sandbox.write("src/kernel.c", untouched)

    saved = salvage(sandbox.repo, ["src/kernel.c"], sandbox.top / RUN)

    assert (saved.patches, saved.moved, saved.restored) == (("staged.patch",), (), ("src/kernel.c",))
    assert sandbox.status("src") == ""


def test_a_conflict_is_put_back_to_head(sandbox: Sandbox) -> None:
    """The file with its markers is saved, the conflict goes."""
    blob = sandbox.git("rev-parse", "HEAD:src/kernel.c")
    stages = "".join(f"100644 {blob} {stage}\tsrc/kernel.c\n" for stage in (1, 2, 3))
    sandbox.git("update-index", "--force-remove", "src/kernel.c")
    sandbox.git("update-index", "--index-info", stdin=stages.encode())
    sandbox.write("src/kernel.c", "<<<<<<<\n")

    salvage_all(sandbox)

    assert sandbox.read(f"{RUN}/src/kernel.c") == b"<<<<<<<\n"
    assert sandbox.status("src") == ""


def test_a_rename_is_undone(sandbox: Sandbox) -> None:
    """The new name's file is moved away, the old one comes back."""
    clean = sandbox.snapshot("src")
    sandbox.git("mv", "src/kernel.c", "src/core.c")

    saved = salvage_all(sandbox)

    assert saved.moved == ("src/core.c",)
    assert sandbox.snapshot("src") == clean
    assert sandbox.status("src") == ""


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_names_are_saved(sandbox: Sandbox, name: str) -> None:
    """Tracked and new files of any name, and no others."""
    sandbox.write(f"src/{name}", "old\n")
    sandbox.commit("src")
    sandbox.write(f"src/{name}", "edited\n")
    sandbox.write(f"src/{name}.new", "new\n")
    sandbox.write("src/starXa", "matches a pattern\n")

    saved = salvage(sandbox.repo, [f"src/{name}", f"src/{name}.new"], sandbox.top / RUN)

    assert saved.moved == (f"src/{name}", f"src/{name}.new")
    assert sandbox.read(f"{RUN}/src/{name}") == b"edited\n"
    assert sandbox.read(f"src/{name}") == b"old\n"
    assert sandbox.status("src") == "?? src/starXa"


def test_nothing_is_overwritten(sandbox: Sandbox) -> None:
    """A directory that is there already is left alone; the next number is taken."""
    sandbox.write("src/kernel.c", "first\n")
    first = salvage_all(sandbox)
    sandbox.write("src/kernel.c", "second\n")
    second = salvage_all(sandbox)
    sandbox.write(f"{RUN}.2", "a file of that name\n")
    sandbox.write("src/kernel.c", "third\n")
    third = salvage_all(sandbox)

    assert [Path(str(s.directory)).name for s in (first, second, third)] == ["run-7", "run-7.1", "run-7.3"]
    assert sandbox.read(f"{RUN}/src/kernel.c") == b"first\n"
    assert sandbox.read(f"{RUN}.1/src/kernel.c") == b"second\n"
    assert sandbox.read(f"{RUN}.3/src/kernel.c") == b"third\n"


def test_a_file_called_like_the_patch(sandbox: Sandbox) -> None:
    """The patch takes another name."""
    sandbox.write("changes.patch", "mine\n")
    sandbox.write("README.md", "edited\n")

    saved = salvage(sandbox.repo, ["changes.patch", "README.md"], sandbox.top / RUN)

    assert saved.patches == ("_changes.patch",)
    assert sandbox.read(f"{RUN}/changes.patch") == b"mine\n"
    assert b"+edited" in sandbox.read(f"{RUN}/_changes.patch")


def test_nothing_to_save_makes_nothing(sandbox: Sandbox) -> None:
    """Clean paths, missing ones, session files, none at all: no directory, nothing moved."""
    sandbox.write(".auto/prompt.md", "goal\n")
    paths = ["src/kernel.c", "src/missing", ".auto/prompt.md"]

    assert salvage(sandbox.repo, paths, sandbox.top / RUN) == Salvaged(None)
    assert salvage(sandbox.repo, [], sandbox.top / RUN) == Salvaged(None)
    assert sandbox.read(".auto/prompt.md") == b"goal\n"
    assert not (sandbox.top / ".auto/rejected").exists()


def test_a_directory_in_place_of_a_file(sandbox: Sandbox) -> None:
    """What lies in it is moved, ignored files too, though it was not named; the file comes back."""
    clean = sandbox.snapshot("src")
    (sandbox.top / "src/kernel.c").unlink()
    sandbox.write("src/kernel.c/part.c", "new\n")
    sandbox.write("src/kernel.c/.env", "SECRET=1\n")
    (sandbox.top / "src/kernel.c/empty").mkdir()

    saved = salvage(sandbox.repo, ["src/kernel.c"], sandbox.top / RUN)

    assert saved.moved == ("src/kernel.c/.env", "src/kernel.c/part.c")
    assert sandbox.read(f"{RUN}/src/kernel.c/.env") == b"SECRET=1\n"
    assert sandbox.snapshot("src") == clean
    assert sandbox.status("src") == ""


@pytest.mark.parametrize("link", [True, False])
def test_a_file_or_link_in_place_of_a_directory(sandbox: Sandbox, link: bool) -> None:
    """It is moved itself, not what it points to; the directory comes back."""
    clean = sandbox.snapshot("src")
    os.rename(sandbox.top / "src", sandbox.top / "aside")
    if link:
        (sandbox.top / "src").symlink_to("aside")
    else:
        (sandbox.top / "src").write_text("a file\n")

    saved = salvage_all(sandbox)

    assert saved.moved == ("src",)
    assert (sandbox.top / RUN / "src").is_symlink() is link
    assert sandbox.snapshot("src") == clean
    assert len(sandbox.snapshot("aside")) == 3


def test_an_untracked_repository_is_moved_whole(sandbox: Sandbox) -> None:
    """With its history; a submodule is refused, for it cannot be put back from here."""
    inner = Sandbox(sandbox.top / "src/inner")
    inner.build()
    head = inner.head

    saved = salvage_all(sandbox)

    assert saved.moved == ("src/inner/",)
    assert Sandbox(sandbox.top / RUN / "src/inner").head == head
    assert sandbox.status("src") == ""


def test_a_submodule_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    """Nothing is moved, that one least."""
    library = Sandbox(tmp_path / "library")
    library.build()
    sandbox.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.top), "src/lib"
    )
    sandbox.commit("src/lib", ".gitmodules")
    sandbox.write("src/lib/README.md", "edited\n")
    sandbox.write("src/kernel.c", "2\n")

    with pytest.raises(GitError, match=r"a submodule was changed .* \(src/lib\)"):
        salvage_all(sandbox)

    assert sandbox.status("src") == " M src/kernel.c\n M src/lib"
    assert not (sandbox.top / RUN).exists()


def test_line_endings_and_filters_lose_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    """What a filter would not keep is in the moved file, byte for byte."""
    sandbox.git("config", "filter.strip.clean", "grep -v output")
    sandbox.write("src/.gitattributes", "*.nb filter=strip\n*.txt text=auto\n")
    sandbox.write("src/book.nb", "cell\n")
    sandbox.write("src/lines.txt", "one\n")
    sandbox.commit("src")
    sandbox.write("src/book.nb", "cell\noutput 42\ncell 2\n")
    sandbox.write("src/lines.txt", "one\r\ntwo\r\n")

    saved = salvage_all(sandbox)

    assert saved.moved == ("src/book.nb", "src/lines.txt")
    assert sandbox.read(f"{RUN}/src/book.nb") == b"cell\noutput 42\ncell 2\n"
    assert sandbox.read(f"{RUN}/src/lines.txt") == b"one\r\ntwo\r\n"
    assert sandbox.read("src/book.nb") == b"cell\n"
    assert sandbox.status("src") == ""


def test_another_file_system_is_no_obstacle(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file cannot be renamed to, it is copied, then removed."""
    sandbox.write("src/new.c", "new\n", 0o755)
    real = os.rename

    def elsewhere(source: str, target: str) -> None:
        if ".auto" in str(target):
            raise OSError(18, "Invalid cross-device link")
        real(source, target)

    monkeypatch.setattr(os, "rename", elsewhere)
    salvage_all(sandbox)

    assert Sandbox(sandbox.top / RUN).snapshot("src") == {"src/new.c": ("file", 0o755, b"new\n")}
    assert not (sandbox.top / "src/new.c").exists()
