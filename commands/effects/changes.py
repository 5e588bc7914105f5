"""The change that a run was about: in git if it was committed, else as it was saved when it was undone."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from commands.effects.git import find_repo
from commands.effects.git_queries import patch_of, read_commit
from commands.errors import BadInputError
from eventstore.events import Committed, Run
from eventstore.filelog import FileLog
from eventstore.sessions import Session

__all__ = ["Change", "change_of"]


class Change(msgspec.Struct, frozen=True):
    """What a run changed.

    patch: as `git apply` takes it. commit: its commit, in full; None if there is none. saved: the directory
    that it was saved in, absolute, and moved: the new files there, which the patch may lack.
    """

    patch: bytes
    commit: str | None = None
    saved: str | None = None
    moved: tuple[str, ...] = ()


def change_of(place: Session, log: FileLog, seq: int) -> Change:
    """The change of the run at line `seq`. Raises BadInputError where there is none, GitError."""
    run, number, commit = _run_at(log, seq)
    if commit is not None:
        return Change(patch_of(find_repo(place.root), commit), commit)
    folder = place.rejected / f"run-{number}"
    folders = [folder] if folder.is_dir() else []
    while (another := folder.with_name(f"{folder.name}.{len(folders)}")).is_dir():
        folders.append(another)
    if folders:
        return _saved(folders)
    if run.status == "keep" and run.commit and run.reason != "baseline":
        repo = find_repo(place.root)
        return Change(patch_of(repo, run.commit), read_commit(repo, run.commit).id)
    raise BadInputError(
        f"run {number} has no change of its own in git or in {folder.parent.name}/",
        f"ar show run:{number} shows what is recorded",
    )


def _run_at(log: FileLog, seq: int) -> tuple[Run, int, str | None]:
    """The run at a line, its ordinal, and the commit that its cycle made, if it was one of a cycle."""
    number, committed = 0, None
    for batch in log.read(kinds={Committed, Run}):
        for line, record in batch.numbered():
            if isinstance(record, Committed):
                committed = record if record.cycle else None
            elif isinstance(record, Run):
                number += 1
                if line == seq:
                    ours = committed is not None and _is_of(record, committed)
                    return record, number, committed.commit if committed is not None and ours else None
                committed = None
    raise BadInputError(f"line {seq} is no run", "ar show run:5 --diff")


def _is_of(run: Run, committed: Committed) -> bool:
    return bool(run.commit) and committed.commit.startswith(run.commit or "")


def _saved(folders: list[Path]) -> Change:
    """What lies in the folders that a run's work was saved in, the first one first."""
    patches, moved = [], []
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in sorted(names):
                path = os.path.join(place, name)
                if place == str(folder) and name.endswith(".patch"):
                    patches.append(Path(path).read_bytes())
                else:
                    moved.append(path)
    return Change(b"".join(patches), saved=str(folders[0]), moved=tuple(moved))
