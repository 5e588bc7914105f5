"""Another program's file is replaced in one step, backed up, and never over somebody's edit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from commands.effects import settings_file
from commands.effects.settings_file import read_if_there, replace_file
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
    assert sorted(os.listdir(tmp_path)) == ["b.json", "b.json.bak"]


def test_a_file_in_the_folders_place(tmp_path: Path) -> None:
    """Where the folder should be there is a file: told, not raised as it is."""
    (tmp_path / "a").write_text("")

    with pytest.raises(StorageError, match="cannot write"):
        replace_file(tmp_path / "a" / "b.json", b"new", None)
