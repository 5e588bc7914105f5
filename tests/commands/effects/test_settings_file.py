"""Another program's file is replaced in one step, backed up, and never over somebody's edit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from commands.effects import settings_file
from commands.effects.settings_file import backups_of, read_if_there, remove_file, replace_file
from eventstore.errors import ConflictError, StorageError


def test_a_new_file_in_a_new_folder(tmp_path: Path) -> None:
    """What is not there yet is made, its folder too, and there is no backup."""
    path = tmp_path / "a" / "b.json"

    assert replace_file(path, b"new", None) is None
    assert path.read_bytes() == b"new"


def test_somebody_elses_edit_is_not_overwritten(tmp_path: Path) -> None:
    """A file that changed since it was read, came or went is a conflict, and stays as it is."""
    path = tmp_path / "b.json"
    for before, now in ((b"old", b"edited"), (None, b"came"), (b"old", None)):
        path.unlink(missing_ok=True)
        if now is not None:
            path.write_bytes(now)
        with pytest.raises(ConflictError, match="changed meanwhile"):
            replace_file(path, b"ours", before)
        assert read_if_there(path) == now
        assert os.listdir(tmp_path) == ([] if now is None else ["b.json"])


def test_a_failed_replacement_leaves_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the last step fails, the old file is there, whole, and no half-written one."""
    path = tmp_path / "b.json"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(settings_file.os, "replace", fail)
    with pytest.raises(StorageError, match="cannot write"):
        replace_file(path, b"new", b"old")
    assert path.read_bytes() == b"old"
    assert [Path(name).suffix for name in sorted(os.listdir(tmp_path))] == [".json", ".bak"]


def test_a_file_in_the_folders_place(tmp_path: Path) -> None:
    """Where the folder should be there is a file: told, not raised as it is."""
    (tmp_path / "a").write_text("")

    with pytest.raises(StorageError, match="cannot write"):
        replace_file(tmp_path / "a" / "b.json", b"new", None)


def test_backups_are_dated_and_told_newest_first(tmp_path: Path) -> None:
    """None takes the place of another, also within one second; other files beside it are none."""
    path = tmp_path / "b.json"
    path.write_bytes(b"0")
    path.chmod(0o600)
    for name in ("b.json.bak", "b.json.20000101T000000Z.bak.txt", "xb.json.20000101T000000Z.bak"):
        (tmp_path / name).write_bytes(b"no")
    (tmp_path / "b.json.20000101T000000Z.bak").write_bytes(b"old")
    made = [replace_file(path, str(n + 1).encode(), str(n).encode()) for n in range(3)]

    assert list(backups_of(path)) == [b"2", b"1", b"0", b"old"]
    assert len({each.name for each in made if each is not None}) == 3
    assert {each.stat().st_mode & 0o777 for each in made if each is not None} == {0o600}
    assert list(backups_of(tmp_path / "none" / "b.json")) == []


def test_a_replacement_without_a_backup(tmp_path: Path) -> None:
    """Where the caller knows that nothing would be lost."""
    path = tmp_path / "b.json"
    path.write_bytes(b"old")

    assert replace_file(path, b"new", b"old", keep=False) is None
    assert os.listdir(tmp_path) == ["b.json"]


def test_a_removed_file_takes_its_empty_folders_with_it(tmp_path: Path) -> None:
    """Up to the one that is named, and no folder in which there is anything else."""
    for name in ("a/b/c.md", "a/d/e.md", "a/d/mine.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")

    remove_file(tmp_path / "a" / "b" / "c.md", b"x", tmp_path)
    remove_file(tmp_path / "a" / "d" / "e.md", b"x", tmp_path)
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["a", "d", "mine.md"]
    with pytest.raises(ConflictError, match="changed meanwhile"):
        remove_file(tmp_path / "a" / "d" / "mine.md", b"y", tmp_path)
    remove_file(tmp_path / "a" / "d" / "mine.md", b"x", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_left_as_it_was_before_there_was_a_file(tmp_path: Path) -> None:
    """The file that it leads to goes."""
    link, target = tmp_path / "link.json", tmp_path / "target.json"
    link.symlink_to(target)
    replace_file(link, b"x", None)
    assert target.read_bytes() == b"x"

    remove_file(link, b"x", tmp_path)
    assert link.is_symlink()
    assert not target.exists()
