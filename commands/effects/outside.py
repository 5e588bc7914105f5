"""The dirt outside the assets: kept at the start of an iteration, put back if the agent changed it.

An agent may change the assets and nothing else (design, section 6.1). What it did elsewhere is saved and
then undone, up to the state the iteration began with: a user's half-done edit comes back half done, not as
in HEAD. For that the dirty files are copied; one that has not changed since is not copied again.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

import msgspec

from commands.effects.git import SUBMODULE, Entry, Repo
from commands.effects.git_index import edit, entries, put_entries, refresh, tree_entries
from commands.effects.salvage import Salvaged, in_the_way, salvage
from commands.effects.worktree import ABSENT, changed_since, fingerprint_outside, status

__all__ = ["Kept", "KeptFile", "Undone", "keep", "kept_before", "undo"]

KEPT_UP_TO = 16 << 20
"""Bytes up to which a dirty file is copied; what happens to a larger one is noticed but cannot be undone."""

_MANIFEST = "manifest.json"


class KeptFile(msgspec.Struct, frozen=True):
    """One dirty path. digest: its fingerprint. copy: the name of its copy, None if there is none.

    link: where a symlink points to. absent: no file was there. indexed: its entry in the index.
    """

    digest: str
    copy: str | None = None
    link: str | None = None
    absent: bool = False
    indexed: Entry | None = None

    @property
    def restorable(self) -> bool:
        """Whether the path can be made again as it was."""
        return self.absent or self.copy is not None or self.link is not None


class Kept(msgspec.Struct, frozen=True):
    """What was dirty outside the assets. directory: where the copies are. assets: those it was outside of."""

    directory: str
    assets: tuple[str, ...]
    files: dict[str, KeptFile]


class Undone(msgspec.Struct, frozen=True):
    """What was done about changes outside the assets.

    changed: the paths that had changed. saved: what became of the agent's work there. left: those that could
    not be put back and were not touched: submodules, repositories inside this one, large or unreadable files,
    conflicts of a merge.
    """

    changed: tuple[str, ...]
    saved: Salvaged
    left: tuple[str, ...] = ()


def keep(repo: Repo, assets: Iterable[str], directory: str | os.PathLike[str]) -> Kept:
    """Copy what is dirty outside the assets (untracked files included) into `directory`, which is ours alone.

    Copies that no path needs any more are removed from it. A process that was killed finds what it had kept
    by `kept_before`.
    """
    import hashlib

    place = os.path.abspath(directory)
    os.makedirs(place, exist_ok=True)
    chosen = tuple(assets)
    lines = status(repo, renames=False)
    indexed = {line.path: line.indexed for line in reversed(lines)}
    conflicts = {line.path for line in lines if line.staged == "U"}
    files = {}
    for path, digest in fingerprint_outside(repo, chosen).items():
        facts = indexed.get(path)
        entry = facts if facts is not None and facts[0] != "000000" else None
        name = hashlib.sha256(f"{path}\0{digest}".encode("utf-8", "surrogateescape")).hexdigest()
        files[path] = (
            KeptFile(digest)
            if path in conflicts
            else _keep_file(os.path.join(repo.top, path), os.path.join(place, name), digest, entry)
        )
    kept = Kept(place, chosen, files)
    _write_manifest(kept)
    wanted = {file.copy for file in files.values()} | {_MANIFEST}
    for name in os.listdir(place):
        if name not in wanted:
            os.unlink(os.path.join(place, name))
    return kept


def _keep_file(path: str, copy: str, digest: str, indexed: Entry | None) -> KeptFile:
    import shutil

    if digest.endswith(f" {ABSENT}"):
        return KeptFile(digest, absent=True, indexed=indexed)
    try:
        mode = os.lstat(path)
        if stat.S_ISLNK(mode.st_mode):
            return KeptFile(digest, link=os.readlink(path), indexed=indexed)
        if not stat.S_ISREG(mode.st_mode) or mode.st_size > KEPT_UP_TO:
            return KeptFile(digest, indexed=indexed)
        if not os.path.exists(copy):
            shutil.copy2(path, copy + ".part")
            os.rename(copy + ".part", copy)
    except OSError:  # not ours to read, or gone meanwhile
        return KeptFile(digest, indexed=indexed)
    return KeptFile(digest, copy=os.path.basename(copy), indexed=indexed)


def _write_manifest(kept: Kept) -> None:
    import json

    content = {"assets": kept.assets, "files": {p: msgspec.to_builtins(f) for p, f in kept.files.items()}}
    target = os.path.join(kept.directory, _MANIFEST)
    # Not every name is UTF-8: this encoder writes surrogate escapes as such.
    with open(target + ".part", "w", encoding="ascii") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(target + ".part", target)


def kept_before(directory: str | os.PathLike[str]) -> Kept | None:
    """What `keep` last kept in a directory; None if nothing, or if that cannot be read."""
    import json

    place = os.path.abspath(directory)
    try:
        with open(os.path.join(place, _MANIFEST), encoding="ascii") as file:
            content = json.load(file)
        files = {path: msgspec.convert(held, KeptFile) for path, held in content["files"].items()}
        return Kept(place, tuple(content["assets"]), files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def undo(repo: Repo, kept: Kept, into: str | os.PathLike[str]) -> Undone:
    """Save what changed outside the assets since `keep`, in `into` as `salvage` does, and put back what was.

    Older dirt that did not change is not touched. Raises GitError if git fails; called again it finishes.
    """
    before = {path: file.digest for path, file in kept.files.items()}
    changed = changed_since(before, fingerprint_outside(repo, kept.assets))
    left = _out_of_reach(repo, kept, changed)
    ours = [path for path in changed if path not in left]
    dirty = {path: kept.files[path] for path in ours if path in kept.files}
    returning = [path for path, file in dirty.items() if not file.absent]
    saved = salvage(repo, (*ours, *in_the_way(repo, returning, ours)), into)
    for path, file in dirty.items():
        _put_back(os.path.join(repo.top, path), file, kept.directory)

    def change(index: str) -> None:
        put_entries(repo, {path: file.indexed for path, file in dirty.items()}, index)
        refresh(repo, index)

    if dirty:
        edit(repo, change)
    return Undone(tuple(changed), saved, tuple(sorted(left)))


def _out_of_reach(repo: Repo, kept: Kept, changed: list[str]) -> set[str]:
    """The changed paths that cannot be made again as they were."""
    held = (entries(repo, changed), tree_entries(repo, "HEAD", changed))
    linked = {path for one in held for path, entry in one.items() if entry and entry[0] == SUBMODULE}
    lost = {path for path in changed if path in kept.files and not kept.files[path].restorable}
    return linked | lost


def _put_back(path: str, file: KeptFile, directory: str) -> None:
    """Make a path as it was; what stands there by now is HEAD's, which git has, or an emptied directory."""
    import shutil

    if os.path.isdir(path) and not os.path.islink(path):
        for place, _, _ in os.walk(path, topdown=False):
            os.rmdir(place)
    elif os.path.lexists(path):
        os.unlink(path)
    if file.absent:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if file.link is not None:
        os.symlink(file.link, path)
    elif file.copy is not None:
        shutil.copy2(os.path.join(directory, file.copy), path)
