"""Changing a configuration file of another program: backed up, in one step, never over somebody's edit."""

from __future__ import annotations

import os
from pathlib import Path

from eventstore.errors import ConflictError, StorageError

__all__ = ["read_if_there", "replace_file"]


def read_if_there(path: Path) -> bytes | None:
    """The file's bytes; None where there is none. Raises StorageError when it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}", "check what is there") from error


def replace_file(path: Path, data: bytes, before: bytes | None) -> Path | None:
    """Puts `data` in the file's place and returns the backup of what was there, if there was anything.

    before: what the caller read, None for no file. A link stays a link: the file that it leads to is
    replaced, and the backup lies beside that. The mode stays.

    Raises ConflictError when somebody changed the file meanwhile, StorageError when it cannot be
    written; the file is as it was then.
    """
    target = Path(os.path.realpath(path))
    fresh = target.with_name(f"{target.name}.{os.getpid()}.new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _require_same(target, before)
        try:
            _write(fresh, data, target if before is not None else None)
            backup = None if before is None else _backup(target, before)
            _require_same(target, before)
            os.replace(fresh, target)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        where = error.filename or path
        raise StorageError(f"cannot write {where}: {error.strerror}", "check its permissions") from error
    return backup


def _require_same(target: Path, before: bytes | None) -> None:
    if read_if_there(target) != before:
        raise ConflictError(f"{target} was changed meanwhile", "repeat the command")


def _write(fresh: Path, data: bytes, like: Path | None) -> None:
    """A new file with these bytes on the medium, of the mode of `like` if that is there."""
    with fresh.open("xb") as file:
        if like is not None:
            os.fchmod(file.fileno(), like.stat().st_mode & 0o7777)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _backup(target: Path, data: bytes) -> Path:
    """A file beside the target that holds what it held; an older backup of other content is kept too."""
    number = 0
    while True:
        backup = target.with_name(f"{target.name}.bak" + (f".{number}" if number else ""))
        try:
            _write(backup, data, target)
        except FileExistsError:
            if backup.is_file() and backup.read_bytes() == data:
                return backup
            number += 1
        else:
            return backup
