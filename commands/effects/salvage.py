"""Taking uncommitted work out of the working tree without losing any of it (design, section 6.1).

A binary patch says what was changed; the files themselves are moved, never overwritten and never deleted;
then what HEAD holds at these paths is put back.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress

import msgspec

from commands.effects.git import SUBMODULE, Entries, Entry, GitError, Repo, describe, join_paths, run
from commands.effects.git_index import (
    UNMERGED,
    edit,
    entries,
    load,
    on_disk,
    put_entries,
    refresh,
    scratch,
    tree_entries,
    worktree_entries,
)
from commands.effects.worktree import session_files

__all__ = ["Salvaged", "in_the_way", "salvage"]


class Salvaged(msgspec.Struct, frozen=True):
    """What was saved and where.

    directory: absolute; None if there was nothing to save. patches: file names in it: `changes.patch` from
    HEAD to the working tree; `staged.patch` from HEAD to the index, where that held yet another version.
    moved: the paths whose files now lie in it, under the same names. restored: the paths that are as in HEAD
    again.
    """

    directory: str | None
    patches: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()


def salvage(repo: Repo, paths: Iterable[str], into: str | os.PathLike[str]) -> Salvaged:
    """Save the uncommitted work at these paths in the directory `into`, then put HEAD's state back there.

    paths: top-relative files, tracked or not; a whole untracked repository ends in `/`. Session files among
    them are left alone. What lies in the way of a file that HEAD holds is moved too. into: used if it is
    not there yet, else the first of `into.1`, `into.2`, … that is not.

    Index entries of other paths stay as they are. Run again after a kill it saves what is left. Raises
    GitError, nothing changed, if a path is a submodule, which cannot be put back from here.
    """
    wanted = [path for path in dict.fromkeys(paths) if not session_files(repo, (path,))]
    files = [path for path in wanted if not path.endswith("/")]
    original = tree_entries(repo, "HEAD", files)
    indexed = entries(repo, files)
    _refuse_submodules(original, indexed)
    obstacles = in_the_way(repo, [path for path in files if original[path] is not None])
    current = worktree_entries(repo, "HEAD", files)
    unsaved = {path: current[path] for path in files if current[path] != original[path]}
    others = {path: entry for path, entry in indexed.items() if entry and entry[0] != UNMERGED}
    restaged = {p: entry for p, entry in others.items() if entry not in (original[p], current[p])}
    present = on_disk(repo, unsaved)
    repositories = [path for path in wanted if path.endswith("/") and _exists(repo, path)]
    apart = [path for path in obstacles if not path.startswith(tuple(repositories))]
    moving = list(dict.fromkeys((*repositories, *apart, *present)))
    directory, patches = None, []
    if moving or unsaved or restaged:
        directory = _fresh(os.path.abspath(into))
        for name, held in (("changes", unsaved), ("staged", restaged)):
            tracked = {path: entry for path, entry in held.items() if original[path] or indexed[path]}
            if tracked:
                patches.append(_write_patch(repo, directory, name, tracked, moving))
        for path in moving:
            _move(os.path.join(repo.top, path.rstrip("/")), os.path.join(directory, path.rstrip("/")))
    if unsaved or indexed != original:
        _restore(repo, original, unsaved)
    return Salvaged(directory, tuple(patches), tuple(sorted(moving)), tuple(sorted({*unsaved, *restaged})))


def in_the_way(repo: Repo, paths: Iterable[str], leaving: Iterable[str] = ()) -> list[str]:
    """What lies where a file at one of the paths has to lie, and is neither that file nor one of `leaving`.

    Two things can: files in a directory of the file's own name, and a file or symlink in place of one of its
    directories. Untracked and ignored ones count alike, for git would not ask about the latter.
    """
    going = set(leaving)
    found: dict[str, None] = {}
    for path in paths:
        parts = path.split("/")
        for depth in range(1, len(parts)):
            above = "/".join(parts[:depth])
            status = _status(os.path.join(repo.top, above))
            if status is None or not stat.S_ISDIR(status.st_mode):
                if status is not None and above not in going:
                    found[above] = None
                break
        else:
            status = _status(os.path.join(repo.top, path))
            if status is not None and stat.S_ISDIR(status.st_mode):
                found |= dict.fromkeys(inner for inner in _below(repo, path) if inner not in going)
    return list(found)


def _below(repo: Repo, path: str) -> list[str]:
    """Every file below a directory, symlinks unfollowed."""
    return [
        os.path.relpath(os.path.join(place, name), repo.top)
        for place, directories, names in os.walk(os.path.join(repo.top, path))
        for name in (*names, *(d for d in directories if os.path.islink(os.path.join(place, d))))
    ]


def _refuse_submodules(*held: Entries) -> None:
    linked = sorted({path for one in held for path, entry in one.items() if entry and entry[0] == SUBMODULE})
    if linked:
        raise GitError(
            "a submodule was changed and cannot be put back",
            describe(linked),
            "`git submodule update` it yourself",
        )


def _exists(repo: Repo, path: str) -> bool:
    return os.path.lexists(os.path.join(repo.top, path.rstrip("/")))


def _status(path: str) -> os.stat_result | None:
    with suppress(FileNotFoundError, NotADirectoryError):
        return os.lstat(path)
    return None


def _fresh(into: str) -> str:
    """Make the directory, under the first name that is not taken."""
    number = 0
    while True:
        directory = f"{into}.{number}" if number else into
        with suppress(FileExistsError):
            os.makedirs(directory)
            return directory
        number += 1


def _write_patch(
    repo: Repo, directory: str, name: str, held: dict[str, Entry | None], moving: list[str]
) -> str:
    """Write the patch from HEAD to the held entries, on disk before anything is moved; its file name."""
    with scratch(repo) as index:
        load(repo, index, "HEAD")
        put_entries(repo, held, index)
        shape = ("-p", "--binary", "--full-index", "--no-ext-diff", "--no-textconv", "--no-renames")
        patch = run(repo, "diff-index", "--cached", *shape, "HEAD", index=index).out
    taken = {path.partition("/")[0] for path in moving}
    file_name = f"{name}.patch"
    while file_name in taken:
        file_name = f"_{file_name}"
    with open(os.path.join(directory, file_name), "xb") as file:
        file.write(patch)
        file.flush()
        os.fsync(file.fileno())
    return file_name


def _move(source: str, target: str) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    try:
        os.rename(source, target)
    except OSError:  # another file system
        import shutil

        shutil.move(source, target)


def _restore(repo: Repo, original: Entries, unsaved: Iterable[str]) -> None:
    """Put HEAD's files back where there is none now, then HEAD's entries into the index."""

    def change(index: str) -> None:
        put_entries(repo, original, index)
        refresh(repo, index)

    held = [path for path in unsaved if original[path] is not None]
    missing = sorted(set(held) - on_disk(repo, held).keys())
    for directory in _emptied(repo, missing):
        with suppress(OSError):
            os.rmdir(directory)
    if missing:
        with scratch(repo) as index:
            load(repo, index, "HEAD")
            run(repo, "checkout-index", "-z", "--stdin", stdin=join_paths(missing), index=index)
    edit(repo, change)


def _emptied(repo: Repo, paths: Iterable[str]) -> list[str]:
    """The directories at these paths, deepest first, that moving their files has left."""
    return [
        place
        for path in paths
        for place, _, _ in os.walk(os.path.join(repo.top, path), topdown=False)
        if not os.path.islink(place)
    ]
