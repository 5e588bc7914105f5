"""Where a session lives: its folder, the names of its files, and how it is found (design, section 2.1).

Finding looks and changes nothing. A session's files have new names, in `.auto/`, or the flat legacy ones; a
session keeps those it has.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from eventstore.errors import LedgerError, StorageError
from eventstore.lock import lock_of

__all__ = [
    "LOGS",
    "RESULTS",
    "Session",
    "SessionError",
    "find",
    "is_session_file",
    "new",
    "of_log",
    "read_config",
    "settings_of",
]

Layout = Literal["auto", "legacy", "file"]

RESULTS = "autoresearch-results.tsv"
"""The table that v1's loop writes beside a session."""

_FOLDER = ".auto"
_AUTO = {
    "log": ".auto/log.jsonl",
    "prompt": ".auto/prompt.md",
    "ideas": ".auto/ideas.md",
    "measure": ".auto/measure.sh",
    "checks": ".auto/checks.sh",
    "config_file": ".auto/config.json",
    "hooks": ".auto/hooks",
}
_LEGACY = {
    "log": "autoresearch.jsonl",
    "prompt": "autoresearch.md",
    "ideas": "autoresearch.ideas.md",
    "measure": "autoresearch.sh",
    "checks": "autoresearch.checks.sh",
    "config_file": "autoresearch.config.json",
    "hooks": "autoresearch.hooks",
}
LOGS = (_AUTO["log"], _LEGACY["log"])
"""Where a session's log may lie, from its root; the first that is there is the log."""

_FLAT_FILES = frozenset((*_LEGACY.values(), _LEGACY["log"] + ".lock", RESULTS, RESULTS + ".lock"))


class SessionError(LedgerError):
    """A session's files cannot be used as they lie there; nothing was written."""

    exit_code = 2


class Session(NamedTuple):
    """The paths of a session, absolute; any of them but `root` may not exist yet.

    root: its directory, in which hooks and commands run.
    layout: `auto` for names in `.auto/`, `legacy` for flat ones, `file` for a log that was named.
    log, prompt, ideas, measure, checks, hooks: by these names.
    config_file: lies in the directory that was found, also when it redirects to another root.
    cache: where snapshots are kept; None for a log that was named, whose place is not ours to fill.
    lock: the log's, beside the file that it is, also where `log` is a link.
    tree_lock: held by what changes the working tree. rejected: what was taken out of it.
    """

    root: Path
    layout: Layout
    log: Path
    prompt: Path
    ideas: Path
    measure: Path
    checks: Path
    hooks: Path
    config_file: Path
    cache: Path | None
    lock: Path
    tree_lock: Path
    rejected: Path


def find(start: Path) -> Session | None:
    """The session that a directory belongs to: the nearest one upwards that has a log, or None.

    Looks in `start` and in what is above it, up to the root of the repository. What is not in a repository is
    looked for as long as the directories are the user's own or of the start's owner, and no shared place such
    as `/tmp`, where a session could be anybody's.

    Raises SessionError where `config.json` redirects to where no session can be, StorageError where a
    directory may not be looked into.
    """
    for directory in _upwards(_real(start)):
        session = _at(directory)
        if _exists(session.log):
            return session
    return None


def new(directory: Path) -> Session:
    """The session that would begin in a directory; nothing is made.

    It has the names of what lies there: legacy ones where there are legacy files and none in `.auto/`.
    Raises SessionError where `.auto` is no directory or `config.json` redirects to where none can be.
    """
    session = _at(_real(directory))
    folder = session.root / _FOLDER
    if _exists(folder) and not folder.is_dir():
        raise SessionError(f"{folder} is a file, where a session has a folder", "move it out of the way")
    return session


def of_log(log: Path) -> Session:
    """The session that a log which was named belongs to, by its name and its place alone.

    A log of another name is used by itself: nothing is made beside it but its lock.
    """
    path = _real(log.parent) / log.name
    if path.parts[-2:] == (_FOLDER, "log.jsonl"):
        return _session(path.parent.parent, "auto")
    if path.name == _LEGACY["log"]:
        return _session(path.parent, "legacy")
    return _session(path.parent, "file")._replace(log=path, lock=lock_of(path), cache=None)


def is_session_file(path: str) -> bool:
    """Whether a path, relative to a session's root with `/` between its parts, is one of the session's files.

    These are never dirt, never committed by us, never rolled back: all in `.auto/`, the flat names with all
    in the folder of hooks, the log's lock, and the results table.
    """
    parts = path.removeprefix("./").rstrip("/").split("/")
    if parts[0] == _FOLDER or parts[0] == _LEGACY["hooks"]:
        return True
    return len(parts) == 1 and parts[0] in _FLAT_FILES


def read_config(path: Path) -> dict[str, Any]:
    """What a `config.json` holds; empty if there is none. Raises SessionError for what is no JSON object."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would keep its reader waiting
            raise SessionError(f"{path}: is no file", "make it a file, or take it away")
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise SessionError(f"{path}: {error.strerror}", "make it a file that can be read") from error
    try:
        return msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SessionError(
            f"{path}: not a JSON object: {error}", 'write it like {"maxIterations": 50}'
        ) from error


def settings_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """The limits that a config sets, as in a `settings` event: `maxIterations` is `max_iterations`.

    Raises SessionError for what is no whole number from 1: a limit never reads as none by mistake.
    """
    most = config.get("maxIterations")
    if most is None:
        return {}
    if type(most) is float and most.is_integer():
        most = int(most)
    if type(most) is not int or most < 1:
        raise SessionError(
            f"config.json: maxIterations is {_shown(most)}, not a whole number from 1",
            "correct it, or take it out for no limit",
        )
    return {"max_iterations": most}


def _at(directory: Path) -> Session:
    """The session of this directory, redirected if its config says so, whether or not it has begun."""
    layout = _layout(directory)
    session = _session(directory, layout)
    target = _redirected(session)
    if target is None or target == directory:
        return session
    there = _session(target, _layout(target, layout))
    onwards = _redirected(there)
    if onwards is not None and onwards != target:
        raise SessionError(
            f"{session.config_file}: workingDir leads to {target}, whose own config leads on to {onwards}",
            "name the last directory in the first config",
        )
    return there._replace(config_file=session.config_file)


def _layout(directory: Path, otherwise: Layout = "auto") -> Layout:
    """Which names the session of this directory has: those of its log; before there is one, of its files."""
    if _exists(directory / _AUTO["log"]):
        return "auto"
    if _exists(directory / _LEGACY["log"]):
        return "legacy"
    if any(_exists(directory / name) for name in _AUTO.values()):
        return "auto"
    return "legacy" if any(_exists(directory / name) for name in _LEGACY.values()) else otherwise


def _session(root: Path, layout: Layout) -> Session:
    names = {key: root / name for key, name in (_LEGACY if layout == "legacy" else _AUTO).items()}
    own = root / _FOLDER
    return Session(
        root=root,
        layout=layout,
        **names,
        cache=own / "cache",
        lock=lock_of(names["log"]),
        tree_lock=own / "tree.lock",
        rejected=own / "rejected",
    )


def _redirected(session: Session) -> Path | None:
    """Where the session's config says that it works; None if it says nothing.

    A config that cannot be read redirects nowhere if the log lies beside it. Raises SessionError otherwise,
    and for a `workingDir` that is no directory.
    """
    try:
        config = read_config(session.config_file)
    except SessionError:
        if _exists(session.log):
            return None
        raise
    where = config.get("workingDir")
    if where is None:
        return None
    if type(where) is not str or not where or "\0" in where:
        raise SessionError(
            f"{session.config_file}: workingDir is {_shown(where)}, not the path of a directory",
            "correct it, or take it out",
        )
    target = _real(session.root / where)
    if not target.is_dir():
        raise SessionError(
            f"{session.config_file}: workingDir leads to {target}, which is no directory",
            "make the directory, correct workingDir, or take it out",
        )
    return target


def _upwards(start: Path) -> Iterator[Path]:
    """`start` and the directories above it in which its session may lie; see `find`."""
    owners = {_status(start).st_uid, os.geteuid()}
    for directory in (start, *start.parents):
        status = _status(directory)
        is_shared = bool(status.st_mode & stat.S_ISVTX) and bool(status.st_mode & stat.S_IWOTH)
        if directory != start and (is_shared or status.st_uid not in owners):
            return
        yield directory
        if _exists(directory / ".git"):
            return


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _status(directory: Path) -> os.stat_result:
    try:
        return directory.stat()
    except OSError as error:
        raise StorageError(f"{directory}: {error.strerror}", "start in a directory that exists") from error


def _exists(path: Path) -> bool:
    """Whether there is anything of this name, broken links too. Raises StorageError if it cannot be told."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StorageError(
            f"{path.parent}: {error.strerror}", "make it a directory that can be read"
        ) from error
    return True


def _shown(value: object) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 60 else text[:57] + "..."
