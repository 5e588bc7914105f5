"""What has changed in the working tree: inside the assets, and outside of them.

Session files (design, section 2.1) are never listed: not as changes, not as dirt. Ignored files are not
looked at.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from commands.effects.git import GitError, Repo, run, shown
from commands.effects.git_index import changed_entries, on_disk, worktree_tree
from commands.effects.git_queries import head_of
from eventstore.sessions import RESULTS, is_session_file

__all__ = [
    "ABSENT",
    "Changes",
    "Status",
    "asset_paths",
    "changed_since",
    "changed_within",
    "fingerprint_outside",
    "is_inside",
    "session_files",
    "staged_only",
    "status",
]

HASHED_UP_TO = 1 << 20
"""Bytes up to which a file's content is hashed; a larger one is told by its size and modification time."""

ABSENT = "absent"
"""What a digest ends with where no file is."""


class Status(NamedTuple):
    """One line of `git status`.

    staged, unstaged: what was done to it, in the index and in the working tree: `.` nothing, `M` modified,
    `T` kind changed (file, symlink), `A` added, `D` deleted, `R` renamed, `C` copied, `U` unmerged, `?` not
    tracked. origin: where a renamed or copied one came from. submodule: whether it is one. indexed: its mode
    and object in the index, `000000` and zeros where it is not there. An untracked repository is one line
    with a `/` at its end.
    """

    path: str
    staged: str
    unstaged: str
    origin: str | None = None
    submodule: bool = False
    indexed: tuple[str, str] | None = None


class Changes(NamedTuple):
    """What differs from HEAD, sorted: inside the assets; outside, what git tracks and what it does not."""

    inside: tuple[str, ...]
    outside_tracked: tuple[str, ...]
    outside_untracked: tuple[str, ...]


def status(repo: Repo, *, renames: bool = True) -> list[Status]:
    """Everything `git status` would say, every untracked file by itself. `renames`: pair them up, or not."""
    options = (
        "--find-renames" if renames else "--no-renames",
        "--untracked-files=all",
        "--ignore-submodules=none",
    )
    fields = iter(run(repo, "status", "--porcelain=v2", "-z", *options).out.split(b"\0"))
    return [_status_line(field, fields) for field in fields if field]


def _status_line(field: bytes, following: Iterable[bytes]) -> Status:
    """One record of porcelain v2; a rename's second path is the next field."""
    line = os.fsdecode(field)
    kind = line[0]
    if kind == "?":
        return Status(line[2:], "?", "?")
    # `1 XY sub mH mI mW hH hI path`, `2 … score path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`
    parts = line.split(" ", {"1": 8, "2": 9, "u": 10}[kind])
    submodule = parts[2] != "N..."
    if kind == "u":
        return Status(parts[-1], "U", "U", None, submodule)
    origin = os.fsdecode(next(iter(following))) if kind == "2" else None
    return Status(parts[-1], parts[1][0], parts[1][1], origin, submodule, (parts[4], parts[7]))


def changed_within(repo: Repo, assets: Iterable[str]) -> Changes:
    """What has changed against HEAD, inside the assets and outside.

    A change is one of the working tree: a file whose working copy is as in HEAD, though something else is
    staged, is none inside the assets; outside it counts, for it is dirt. A rename is two paths. Submodules
    and untracked repositories (with `/` at the end) are listed.
    """
    chosen = tuple(assets)
    found = [line for line in status(repo, renames=False) if not session_files(repo, (line.path,))]
    inside = {line.path for line in found if is_inside(line.path, chosen)} - _staged_only(repo, found, chosen)
    outside = [line for line in found if not is_inside(line.path, chosen)]
    known = {line.path for line in outside if line.staged != "?"}
    return Changes(
        tuple(sorted(inside)),
        tuple(sorted(known)),
        tuple(sorted({line.path for line in outside} - known)),
    )


def staged_only(repo: Repo, assets: Iterable[str]) -> list[str]:
    """The paths inside the assets that differ from HEAD in the index alone; their working copy does not."""
    return sorted(_staged_only(repo, status(repo, renames=False), tuple(assets)))


def _staged_only(repo: Repo, found: list[Status], assets: tuple[str, ...]) -> set[str]:
    staged = [
        line.path
        for line in found
        if line.staged not in ".?U" and not line.submodule and is_inside(line.path, assets)
    ]
    commit = head_of(repo).commit
    if not staged or not commit:
        return set()
    real = changed_entries(repo, commit, worktree_tree(repo, commit, staged))
    return {path for path in staged if path not in real}


def is_inside(path: str, assets: Iterable[str]) -> bool:
    """Whether a path is one of the assets or lies below one; the asset "" is everything."""
    plain = path.rstrip("/")
    return any(not asset or plain == asset or plain.startswith(asset + "/") for asset in assets)


def session_files(repo: Repo, paths: Iterable[str]) -> set[str]:
    """Those of the paths that belong to a session: this one's, or one that has a log of its own.

    `.auto/` and the flat names next to it count in the session's directory, and in any other directory that
    holds a log; elsewhere a directory of that name is nothing special. A results table is one anywhere.
    """
    return {path for path in paths if _is_session_file(repo, path)}


def _is_session_file(repo: Repo, path: str) -> bool:
    parts = path.rstrip("/").split("/")
    if parts[-1] == RESULTS:
        return True
    for depth, name in enumerate(parts):
        if is_session_file("/".join(parts[depth:])):
            directory = "/".join(parts[:depth])
            log = ".auto/log.jsonl" if name == ".auto" else "autoresearch.jsonl"
            if directory == repo.prefix or _lies(repo, directory, log):
                return True
    return False


def _lies(repo: Repo, directory: str, name: str) -> bool:
    return os.path.lexists(os.path.join(repo.top, directory, name))


def asset_paths(repo: Repo, names: Iterable[str]) -> tuple[str, ...]:
    """The assets as paths below the top, from names that are absolute or relative to the session's directory.

    Raises GitError for one outside of the working tree or inside `.git`. Existence is not asked for.
    """
    base = os.path.join(repo.top, repo.prefix)
    found = []
    for name in names:
        full = os.path.normpath(os.path.join(base, name))
        if os.path.isabs(name):
            full = os.path.join(os.path.realpath(os.path.dirname(full)), os.path.basename(full))
        path = os.path.relpath(full, repo.top)
        if path == ".." or path.startswith("../") or ".git" in path.split("/"):
            raise GitError(
                "an asset lies outside of the working tree", shown(name), f"name one below {repo.top}"
            )
        found.append("" if path == "." else path)
    return tuple(dict.fromkeys(found))


def fingerprint_outside(repo: Repo, assets: Iterable[str]) -> dict[str, str]:
    """A digest of every dirty or untracked path outside the assets.

    It tells content, kind, execute bit and what is staged. A file above `HASHED_UP_TO` bytes is told by size
    and modification time, not by content. A submodule or an untracked repository is told by its HEAD and its
    own dirt.
    """
    chosen = tuple(assets)
    lines = [line for line in status(repo, renames=False) if not is_inside(line.path, chosen)]
    lines = [line for line in lines if not session_files(repo, (line.path,))]
    present = on_disk(repo, {line.path for line in lines})
    found: dict[str, str] = {}
    for line in lines:
        there = line.path in present or line.submodule or line.path.endswith("/")
        content = _digest(os.path.join(repo.top, line.path)) if there else ABSENT
        found[line.path] = f"{found.get(line.path, '')}{line.staged} {' '.join(line.indexed or ())} {content}"
    return found


def _digest(path: str) -> str:
    import hashlib

    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return "link " + os.readlink(path)
        if stat.S_ISDIR(status.st_mode):
            return _repository_digest(path)
        if not stat.S_ISREG(status.st_mode):
            return f"special {status.st_mode:o}"
        kind = "executable" if status.st_mode & stat.S_IXUSR else "file"
        if status.st_size > HASHED_UP_TO:
            return f"{kind} {status.st_size} {status.st_mtime_ns}"
        with open(path, "rb") as file:
            return f"{kind} {hashlib.sha256(file.read()).hexdigest()}"
    except FileNotFoundError:
        return ABSENT
    except OSError as error:
        return f"unreadable {error.errno}"


def _repository_digest(path: str) -> str:
    """A repository inside this one: where its HEAD is and what is dirty in it."""
    import hashlib

    if not os.path.lexists(os.path.join(path, ".git")):
        return "directory"
    try:
        inner = Repo(os.path.realpath(path), run(path, "rev-parse", "--absolute-git-dir").text)
        dirt = sorted(fingerprint_outside(inner, ()).items())
        facts = f"{head_of(inner)}{dirt}"
    except GitError as error:
        facts = error.what
    return "repository " + hashlib.sha256(facts.encode("utf-8", "surrogateescape")).hexdigest()


def changed_since(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The paths whose digest differs between two fingerprints, those only in one of them included; sorted."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
