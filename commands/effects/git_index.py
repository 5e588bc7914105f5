"""The index, and indexes beside it: reading entries, trying things out, changing the real one safely.

What is committed or restored is first worked out in a scratch index, so that nothing of the user's is
touched until the outcome is known. The real index is never handed to a git that could be killed while it
holds `index.lock`: `edit` works on a copy and puts it in place under that lock in one rename, so that a
kill leaves either the old index or the new one, and at worst a lock that the next call knows for ours.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from commands.effects.git import Entries, Entry, GitError, Repo, join_paths, run, shown, split_paths

__all__ = [
    "UNMERGED",
    "changed_entries",
    "edit",
    "entries",
    "load",
    "on_disk",
    "put_entries",
    "refresh",
    "scratch",
    "skipped",
    "tree_entries",
    "worktree_entries",
    "worktree_tree",
]

_LOCK_WAIT = 10.0
"""Seconds to wait for another git to release `index.lock`."""

_ORPHAN_WAIT = 10.0
"""Seconds that a git whose starter was killed is given to end."""

_SCRATCH = "ar-index-"

UNMERGED = "unmerged"
"""The mode of an entry that a merge has left in conflict."""


@contextmanager
def scratch(repo: Repo, copy: bool = False) -> Iterator[str]:
    """The path of a scratch index: not there yet, or with `copy` a copy of the real one. Gone afterwards."""
    import shutil

    _sweep(repo)
    number = 0
    while True:
        directory = os.path.join(repo.git_dir, f"{_SCRATCH}{os.getpid()}-{number}")
        with suppress(FileExistsError):
            os.mkdir(directory, 0o700)
            break
        number += 1
    try:
        index = os.path.join(directory, "index")
        if copy:
            with suppress(FileNotFoundError):
                shutil.copyfile(_real(repo), index)
        yield index
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _sweep(repo: Repo) -> None:
    """Tidy up after processes of ours that were killed.

    A git that such a process had started may still be at work: it gets time to end. The index's lock, if
    one of them died holding it, is released: it is the same file as the scratch index it was linked from.
    """
    import shutil
    import time

    for name in os.listdir(repo.git_dir):
        pid = name.removeprefix(_SCRATCH).partition("-")[0]
        if not name.startswith(_SCRATCH) or not pid.isdigit() or _lives(int(pid)):
            continue
        directory = os.path.join(repo.git_dir, name)
        index = os.path.join(directory, "index")
        until = time.monotonic() + _ORPHAN_WAIT
        while os.path.exists(index + ".lock") and time.monotonic() < until:
            time.sleep(0.02)
        with suppress(FileNotFoundError):
            if os.path.samefile(index, _real(repo) + ".lock"):
                os.unlink(_real(repo) + ".lock")
        shutil.rmtree(directory, ignore_errors=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _real(repo: Repo) -> str:
    return os.path.join(repo.git_dir, "index")


def load(repo: Repo, index: str, tree: str) -> None:
    """Fill a scratch index with a tree; `tree` names it or a commit."""
    run(repo, "read-tree", tree, index=index)


def entries(repo: Repo, paths: Iterable[str], index: str | None = None) -> dict[str, Entry | None]:
    """What an index (the real one if None) holds for these paths."""
    found: dict[str, Entry | None] = dict.fromkeys(paths)
    for line in run(repo, "ls-files", "-s", "-z", index=index).out.split(b"\0"):
        facts, _, name = line.partition(b"\t")
        path = os.fsdecode(name)
        if facts and path in found:
            mode, oid, stage = facts.decode("ascii").split(" ")
            found[path] = (mode if stage == "0" else UNMERGED, oid)
    return found


def skipped(repo: Repo) -> set[str]:
    """The tracked files that git leaves out of the working tree, or does not look at (sparse checkout)."""
    lines = split_paths(run(repo, "ls-files", "-t", "-z").out)
    return {line[2:] for line in lines if line.startswith("S ")}


def changed_entries(repo: Repo, old: str, new: str) -> dict[str, tuple[Entry | None, Entry | None]]:
    """The files in which two trees (or commits) differ, each as it is in the old and in the new one.

    A rename is two files: one that went, one that came.
    """
    fields = run(repo, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", old, new).out.split(
        b"\0"
    )
    changes: dict[str, tuple[Entry | None, Entry | None]] = {}
    for facts, name in zip(fields[::2], fields[1::2], strict=False):
        old_mode, new_mode, old_oid, new_oid, _ = facts.decode("ascii").removeprefix(":").split(" ")
        changes[os.fsdecode(name)] = (_entry(old_mode, old_oid), _entry(new_mode, new_oid))
    return changes


def _entry(mode: str, oid: str) -> Entry | None:
    return None if mode == "000000" else (mode, oid)


def tree_entries(repo: Repo, tree: str, paths: Iterable[str]) -> dict[str, Entry | None]:
    """What a tree or commit holds for these paths."""
    with scratch(repo) as index:
        load(repo, index, tree)
        return entries(repo, paths, index)


def put_entries(repo: Repo, changes: Entries, index: str) -> None:
    """Write entries into an index, remove those that are None. The working tree is not looked at."""
    # Removals first: a file may stand where a directory was, and the other way round.
    gone = [path for path, entry in changes.items() if entry is None]
    if gone:
        run(repo, "update-index", "--force-remove", "-z", "--stdin", stdin=join_paths(gone), index=index)
    here = [f"{entry[0]} {entry[1]}\t{path}" for path, entry in changes.items() if entry is not None]
    if here:
        run(repo, "update-index", "-z", "--index-info", stdin=join_paths(here), index=index)


def refresh(repo: Repo, index: str) -> None:
    """Note in an index which files are as it says, so that git need not read them again."""
    run(repo, "update-index", "-q", "--refresh", index=index, accept=(0, 1))


def on_disk(repo: Repo, paths: Iterable[str]) -> dict[str, os.stat_result]:
    """Those of the paths at which a file or symlink lies, with its status.

    A directory is none, and neither is what lies behind a symlinked directory: git has no file there.
    """
    parents: dict[str, bool] = {"": True}

    def real_directory(path: str) -> bool:
        if path not in parents:
            mode = _mode(os.path.join(repo.top, path)) if real_directory(os.path.dirname(path)) else None
            parents[path] = mode is not None and stat.S_ISDIR(mode)
        return parents[path]

    found: dict[str, os.stat_result] = {}
    for path in paths:
        if real_directory(os.path.dirname(path)):
            status = _lstat(os.path.join(repo.top, path))
            if status is not None and not stat.S_ISDIR(status.st_mode):
                found[path] = status
    return found


def _mode(path: str) -> int | None:
    status = _lstat(path)
    return None if status is None else status.st_mode


def _lstat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        # Not taken for absent: it would be committed as deleted.
        raise GitError(
            f"cannot look at a file: {error.strerror}", shown(path), "give yourself access"
        ) from None


def worktree_tree(repo: Repo, base: str, paths: Iterable[str]) -> str:
    """The tree `base` with these paths as they lie in the working tree, written to the object store."""
    with scratch(repo) as index:
        _take(repo, base, paths, index)
        return run(repo, "write-tree", index=index).text


def worktree_entries(repo: Repo, base: str, paths: Iterable[str]) -> dict[str, Entry | None]:
    """These paths as git would record them from the working tree now: filtered, modes as in `base`."""
    wanted = list(paths)
    with scratch(repo) as index:
        _take(repo, base, wanted, index)
        return entries(repo, wanted, index)


def _take(repo: Repo, base: str, paths: Iterable[str], index: str) -> None:
    wanted = list(dict.fromkeys(paths))
    present = on_disk(repo, wanted)
    load(repo, index, base)
    put_entries(repo, {path: None for path in wanted if path not in present}, index)
    run(repo, "update-index", "--add", "--replace", "-z", "--stdin", stdin=join_paths(present), index=index)


def edit(repo: Repo, change: Callable[[str], None]) -> None:
    """Change the real index: `change` gets the path of a copy, which then takes its place.

    If somebody else changed the index meanwhile it is done over on the new one. Raises GitError if the lock
    stays taken for 10 s, or the index keeps changing.
    """
    for _ in range(10):
        seen = _stamp(repo)
        with scratch(repo, copy=True) as copy:
            change(copy)
            if _install(repo, copy, seen):
                return
    raise GitError(
        "the index keeps changing under our hands", repo.top, "let the other git end, then run it again"
    )


def _stamp(repo: Repo) -> tuple[int, int, int] | None:
    """What tells one index file from the next: git replaces it, so the inode moves."""
    try:
        status = os.stat(_real(repo))
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _install(repo: Repo, copy: str, seen: tuple[int, int, int] | None) -> bool:
    """Put the copy in the index's place if that one is still the `seen` one; whether it was."""
    real, lock = _real(repo), _real(repo) + ".lock"
    if seen is not None:
        os.chmod(copy, stat.S_IMODE(os.stat(real).st_mode))
    _lock(copy, lock)
    try:
        current = _stamp(repo) == seen
        if current:
            os.rename(lock, real)
        else:
            os.unlink(lock)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(lock)
        raise
    return current


def _lock(copy: str, lock: str) -> None:
    """Make git's lock file with the copy's content, whole at once: as a link to it where links can be had."""
    import shutil
    import time

    until = time.monotonic() + _LOCK_WAIT
    while True:
        try:
            os.link(copy, lock)
            return
        except FileExistsError:
            if time.monotonic() > until:
                raise GitError(
                    "the index is locked",
                    shown(lock),
                    "let the other git end; if none runs, remove that file",
                ) from None
            time.sleep(0.02)
        except OSError:
            with suppress(FileExistsError):
                os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
                shutil.copyfile(copy, lock)
                return
