"""Carrying out what is registered with an agent: files read, changes made, backups kept."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from commands.effects.own_program import own_argv
from commands.effects.settings_file import backups_of, read_if_there, remove_file, replace_file
from commands.errors import BadInputError
from commands.registering.jsonc import SettingsError
from commands.registering.recipe import Change, Part, Scope, change_of
from commands.registering.settings import Settings
from eventstore.errors import LedgerError, StorageError

__all__ = ["changes_of", "make", "moved_harness", "program", "require_writable", "scope_of"]


def scope_of(start: Path, user: bool) -> Scope:
    """The user's scope, or that of the project: the repository around `start`, outside of one `start` itself.

    Raises StorageError where there is no home directory.
    """
    root = next((each for each in (start, *start.parents) if (each / ".git").exists()), start)
    return Scope(root, _home() if user else root, user, dict(os.environ), read_if_there)


def program() -> list[str]:
    """The absolute argv that starts us. Raises BadInputError for a path that settings cannot hold."""
    argv = own_argv()
    try:
        "".join(argv).encode()
    except UnicodeEncodeError as error:
        raise BadInputError(
            f"{argv[0]!a} is no UTF-8, which settings cannot hold", "install ar elsewhere"
        ) from error
    return argv


def changes_of(parts: Sequence[Part], *, removing: bool) -> list[Change]:
    """What would become of each part; nothing is written.

    Raises BadInputError for the first file that is malformed or holds something else where ours is to go.
    """
    changes = []
    for part in parts:
        before = read_if_there(part.path)
        was = _was(part, part.settings) if removing and before is not None and part.settings else None
        try:
            changes.append(change_of(part, before, was, removing=removing))
        except SettingsError as error:
            raise BadInputError(f"{part.path} is left as it is: {error}", "mend it, then repeat") from error
    return changes


def require_writable(changes: Sequence[Change]) -> None:
    """Raises StorageError for the first file that may not be changed, before anything is.

    One that is read-only, or lies in such a directory, was made so by somebody: it is not replaced behind
    their back, though the directory, or root, would allow it.
    """
    for change in changes:
        path = Path(os.path.realpath(change.part.path))
        if not change.changes:
            continue
        if change.before is not None and not _is_writable(path):
            raise StorageError(
                f"{change.part.path} is read-only; nothing was changed",
                f"chmod u+w {shlex.quote(str(path))}, then repeat",
            )
        directory = next(each for each in path.parents if each.exists())
        if not _is_writable(directory):
            raise StorageError(
                f"{change.part.path}: the directory {directory} is read-only; nothing was changed",
                "check its permissions, then repeat",
            )


def _is_writable(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o222) and os.access(path, os.W_OK)


def make(change: Change, base: Path) -> Path | None:
    """Makes a change, and returns the backup of what was there, if one was kept.

    base: the directory below which directories that are empty then go too. Raises ConflictError when somebody
    changed the file meanwhile, StorageError when it cannot be changed; it is as it was then.
    """
    path = change.part.path
    if change.after is None:
        if change.before is not None:
            remove_file(path, change.before, base)
        return None
    # A file that is wholly ours, or is again what a backup holds, needs none.
    is_kept = change.part.settings is not None and change.after not in backups_of(path)
    return replace_file(path, change.after, change.before, keep=is_kept)


def moved_harness(root: Path) -> list[str]:
    """What a project's measured session relies on and is no longer as it was; nothing where there is none."""
    from commands.effects.ground import take_bearings
    from commands.effects.harness import harness_changes
    from eventstore import sessions
    from eventstore.filelog import FileLog

    try:
        session = sessions.find(root)
        if session is None:
            return []
        config = take_bearings(FileLog(session.log, cache_dir=session.cache)).configured.config
    except LedgerError:  # a session that cannot be read is for `ar doctor` to tell
        return []
    return [] if config is None else harness_changes(config.harness, session.root)


def _was(part: Part, settings: Settings) -> bytes | None:
    """What a file held before we changed it: its newest backup in which nothing is ours."""
    for data in backups_of(part.path):
        try:
            if not settings.programs(data):
                return data
        except SettingsError:
            continue
    return None


def _home() -> Path:
    """The user's home directory; without HOME the one that the system knows of."""
    given = os.environ.get("HOME")
    if given is not None and not os.path.isabs(given):
        raise StorageError(f"HOME is no absolute path: {given!r}", "set HOME")
    try:
        return Path.home()
    except RuntimeError as error:
        raise StorageError("there is no home directory", "set HOME") from error
