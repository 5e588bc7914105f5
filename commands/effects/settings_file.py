"""Changing a configuration file of another program: backed up, in one step, never over somebody's edit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from eventstore.errors import ConflictError, StorageError

__all__ = ["backups_of", "read_if_there", "remove_file", "replace_file"]

_DATED = re.compile(r"\.(\d{8}T\d{6}Z)(?:\.(\d+))?\.bak")


def read_if_there(path: Path) -> bytes | None:
    """The file's bytes; None where there is none. Raises StorageError when it cannot be read."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}", "check what is there") from error


def replace_file(path: Path, data: bytes, before: bytes | None, *, keep: bool = True) -> Path | None:
    """Puts `data` in the file's place and returns the backup of what was there, if there was anything.

    before: what the caller read, None for no file. keep: whether to back it up. A link stays a link: the file
    that it leads to is replaced, and the backup, dated, lies beside that. The mode stays.

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
            backup = None if before is None or not keep else _backup(target, before)
            _require_same(target, before)
            os.replace(fresh, target)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        where = error.filename or path
        raise StorageError(f"cannot write {where}: {error.strerror}", "check its permissions") from error
    return backup


def remove_file(path: Path, before: bytes, base: Path) -> None:
    """Removes a file, and the directories above it, below `base`, that are empty then.

    before: what the caller read. A link stays, as it was before there was a file that it led to. Raises
    ConflictError when somebody changed the file meanwhile, StorageError when it cannot be removed.
    """
    try:
        _require_same(path, before)
        os.unlink(os.path.realpath(path))
    except OSError as error:
        raise StorageError(f"cannot remove {path}: {error.strerror}", "check its permissions") from error
    for directory in path.parents:
        if base not in directory.parents:
            return
        try:
            directory.rmdir()
        except OSError:  # not empty
            return


def backups_of(path: Path) -> Iterator[bytes]:
    """What the backups of a file hold, the newest first; those that cannot be read are left out."""
    target = Path(os.path.realpath(path))
    try:
        names = os.listdir(target.parent)
    except OSError:
        return
    dated = []
    for name in names:
        found = _DATED.fullmatch(name[len(target.name) :]) if name.startswith(target.name) else None
        if found is not None:
            dated.append((found[1], int(found[2] or 0), name))
    for _, _, name in sorted(dated, reverse=True):
        with suppress(OSError):
            yield (target.parent / name).read_bytes()


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
    """A file beside the target that holds what it held, named by the time; none that is there is replaced."""
    import time

    date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    number = 0
    while True:
        backup = target.with_name(f"{target.name}.{date}" + (f".{number}" if number else "") + ".bak")
        try:
            _write(backup, data, target)
        except FileExistsError:
            number += 1
        else:
            return backup
